"""The comparison of two versions of the engine: the bound of slower, the places named, and the detection of a slow engine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import against
from benchmarks.against import Pair, Plan, compared, linked, pairs_of, report
from benchmarks.engine import Times, table

ROOT = Path(__file__).parent.parent.parent


def pair(base: Times, here: Times) -> Pair:
    return base, here


def times(median: float, worst: float = 0.0) -> list[float]:
    return [median] * 9 + [worst or median]


@pytest.mark.parametrize(
    ("ratios", "passes"),
    [
        ((1.0, 1.0, 1.0), True),
        ((1.6, 1.6, 1.6), False),
        ((9.0, 9.0, 1.4), True),
        ((1.5, 1.5, 1.5), True),
        ((0.1, 0.1, 0.1), True),
    ],
)
def test_a_row_is_slower_when_its_median_is_in_every_pair(ratios: tuple[float, ...], passes: bool) -> None:
    pairs = [pair({"a": times(10), "b": times(1)}, {"a": times(10), "b": times(ratio)}) for ratio in ratios]
    text, fast_enough = report(pairs)
    assert fast_enough == passes
    assert ("SLOWER" in text) == ("FAILED: slower by half in 3 pairs of 3: b" in text) == (not passes)


@pytest.mark.parametrize(("row", "decides"), [("a", False), ("24k: keystroke, broken file", True)])
def test_the_99th_percentile_is_printed_and_decides_of_keys_alone(row: str, decides: bool) -> None:
    text, fast_enough = report([pair({row: times(1, 2)}, {row: times(1, 20)})] * 3)
    assert fast_enough is not decides
    assert "10.00" in text


def test_rows_that_one_version_lacks_are_named() -> None:
    full: Times = {"a": times(1), "b": times(1), "c": times(1)}
    without_b = {"a": times(1), "c": times(1)}
    rows, only_base, only_here = compared(
        [pair(full, full), pair(full, without_b), pair({"a": times(1), "b": times(1)}, full)]
    )
    assert ([row.name for row in rows], only_base, only_here) == (["a"], ["b"], ["c"])
    text, _ = report([pair(full, without_b)])
    assert "only at the base: b" in text


def test_nothing_in_common_is_no_success() -> None:
    assert not report([pair({"a": times(1)}, {"b": times(1)})])[1]


def test_a_commit_that_is_not_there_is_said_loudly(capsys: pytest.CaptureFixture[str]) -> None:
    missing = "0" * 40
    assert against.main([missing]) == 0
    assert against.main([missing, "--required"]) == 2
    assert capsys.readouterr().err.count("WARNING: nothing was compared") == 2


def test_an_engine_that_does_more_is_found_out(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    (slow / "suture").mkdir(parents=True)
    for package in ("common", "model", "lsp_server", "slua"):
        (slow / "suture" / package).symlink_to(ROOT / package, target_is_directory=True)
    shutil.copytree(ROOT / "parser", slow / "suture" / "parser", ignore=shutil.ignore_patterns("__pycache__"))
    session = slow / "suture" / "parser" / "session.py"
    once = "            return semantics.refine(hole, asked)\n"
    text = session.read_text("utf-8")
    assert once in text
    # Of each first hole at a level with semantics, some hundred times its work; nothing else is touched.
    session.write_text(text.replace(once, f"            sum(range(10_000_000))\n{once}"), encoding="utf-8")
    here = linked(ROOT, tmp_path / "here")
    pairs = list(pairs_of(here, slow, Plan((2_000,), (), 1, 5), 1, tmp_path))
    text, fast_enough = report(pairs)
    assert not fast_enough
    assert "FAILED: slower by half in 1 pairs of 1" in text
    assert "first hole of a file, names" in text.splitlines()[-1]


def test_what_only_one_column_has_is_left_blank_in_the_other() -> None:
    made = table("10 characters", {"Suture": {"times": {"a": [1000.0, 3000.0]}}, "ast": {"times": {"b": [50.0]}}})
    assert made.splitlines()[2:] == ["| a | 2.00 | 3.00 | | | 2 |", "| b | | | 0.0500 | 0.0500 | 1 |"]


def test_the_base_is_a_commit() -> None:
    assert len(against.PINNED.read_text("utf-8").strip()) == 40
