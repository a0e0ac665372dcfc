"""The filters compared with a constraint, the intervals of the comparison, and the rows kept between runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from suture import model, parser
from suture.model.runtime.served.dialect import Drafted
from suture.model.runtime.served.runtime import ServedRuntime

pytest.importorskip("benchmarks.filters")  # not in a wheel
pytest.importorskip("tree_sitter_python")
pytest.importorskip("tree_sitter_go")

from benchmarks.filters import report, rows, texts
from benchmarks.filters.arms import REDRAWN, Writer, is_valid, judged, verdict
from benchmarks.filters.asking import Asking
from benchmarks.papers.record import Job


def job(left: str, middle: str, right: str, language: str = "python", tests: str = "") -> Job:
    """A hole."""
    return Job("filters", 0, 1, "", "", left, middle, right, language=language, tests=tests)


def test_a_text_is_cut_to_its_longest_beginning_that_parses() -> None:
    hole = job("x = ", "f(1)", "\n")
    ends = ["f", "f(", "f(1", "f(1)", "f(1))"]
    assert texts.cut_to_parse(ends, lambda text: is_valid(hole, text)) == "f(1)"
    assert texts.cut_to_parse(["(", "(("], lambda text: is_valid(hole, text)) == "(("


@pytest.mark.parametrize(
    ("language", "left", "right", "good", "bad"),
    [("python", "x = 1", "\n", " + f(1)", " + f(1"), ("go", "package p\n\nvar x = 1", "\n", " + f(1)", " + f(1")],
)
def test_a_text_is_withheld_where_it_makes_errors(language: str, left: str, right: str, good: str, bad: str) -> None:
    assert texts.withheld_by_errors(good, left, right, language) == good
    assert texts.withheld_by_errors(bad, left, right, language) == ""


def test_more_errors_count_and_not_whether_there_is_one() -> None:
    broken = "def f(:\n    pass\n\nx = "
    assert texts.withheld_by_errors("1", broken, "\n", "python") == "1"


@pytest.mark.parametrize(
    ("left", "text", "right", "kept"),
    [
        ("x = calculate(", "a + 1))", "", "a + 1)"),
        ("x = calculate(", "a + 1)", ");", "a + 1)"),
        ("", "f() {\n  return 1\n}\n}", "", "f() {\n  return 1\n}\n"),
        ("x = ", ")f(1]", "", ")f(1"),
        ("f(", "a)\ng(b)", "", "a"),  # in several lines, the line's open brackets do not count
    ],
)
def test_a_text_stops_at_a_bracket_that_closes_nothing(left: str, text: str, right: str, kept: str) -> None:
    assert texts.stopped_at_bracket(text, left, right) == kept


def test_verdicts() -> None:
    hole = job("def f(x):\n    return ", "x + 1", "\n", tests="assert f(1) == 2\n")
    right, other, broken = (verdict(hole, text) for text in ("x + 1", "x", "x +"))
    assert right["valid"] and right["compiles"] and right["exact"] and right["tests"]
    assert other["valid"] and not other["exact"] and not other["tests"]
    assert not broken["valid"] and not broken["tests"]
    loose = verdict(job("", "pass", "\n"), "return 1")
    assert loose["valid"] and not loose["compiles"] and loose["tests"] is None


def test_filters_are_applied_to_what_was_written_freely() -> None:
    arms = judged(
        job("x = ", "f(1)", "\n"),
        {
            "raw": {"text": "f(1))", "ends": [1, 2, 3, 4, 5]},
            "checked": {"text": "f(1)"},
            "Suture, names": {"text": "1"},
        },
    )
    said = {name: (arm["text"], arm["valid"], arm["exact"]) for name, arm in arms.items()}
    assert said["raw"] == ("f(1))", False, False)
    assert said["cut to a parse"] == said["checked"] == said["brackets"] == ("f(1)", True, True)
    assert said["Suture, names"] == ("1", True, False)
    assert "ends" not in arms["raw"]
    line = judged(
        job("x = ", "f(1)", "\n"), {"raw": {"text": "f(1)", "ends": [1, 2, 3, 6]}}
    )  # its last token ends the line
    assert line["cut to a parse"]["text"] == "f(1)"


@pytest.mark.parametrize("draws", [1, 3])
def test_texts_are_drawn_again_until_one_parses(draws: int) -> None:
    hole = job("def area(width, height):\n    return max(", "width, height", ")\n")
    written = Writer(model.load(), None, Asking(temperature=2.0, draws=draws)).fill(hole)
    for name, mode in REDRAWN.items():
        arm, first = written[name], written["raw" if mode == "unconstrained" else "checked"]
        assert arm["draws"] == draws or (is_valid(hole, arm["text"]) and arm["text"].strip())
        assert (arm["draws"] == 1) == (arm["text"] == first["text"])
        assert (arm["draws"] > 1) == (arm["rows"] > first["rows"])
    assert written["rejected"]["draws"] == draws  # at such a temperature nothing parses
    assert is_valid(hole, written["Suture, syntax"]["text"])


def test_a_prompt_may_show_less_than_the_constraint_knows() -> None:
    hole = job("f(", "1", ")\ng(\n2)\n")
    assert Asking(right_lines=2).shown(hole) == ")\ng(\n"
    assert Asking().shown(hole) == hole.right


def test_differences_in_pairs() -> None:
    def hole(ours: bool, theirs: bool) -> report.Record:
        return {report.OURS: {"tests": ours}, "raw": {"tests": theirs}}

    holes = [hole(True, False)] * 8 + [hole(False, True)] + [hole(True, True)] * 11
    assert "| raw | 8 | 1 | +35.0 | " in report.differences(holes, ["raw", report.OURS])
    assert report.mcnemar(8, 1) == pytest.approx(2 * (1 + 9) / 512)
    assert report.mcnemar(0, 0) == 1.0
    low, high = report.bootstrap([1] * 8 + [-1] + [0] * 11)
    assert 0 < low < 0.35 < high < 0.7


def test_an_overview_compares_with_the_best_filter() -> None:
    def hole(ours: bool, raw: bool, brackets: bool) -> report.Record:
        arms = {report.OURS: ours, "raw": raw, "brackets": brackets}
        return {"kind": "spans, Go", "arms": {arm: {"tests": None, "exact": right} for arm, right in arms.items()}}

    records = [hole(True, False, False)] * 2 + [hole(True, False, True)] + [hole(False, False, False)]
    row = report.overview(records, ["raw", "brackets", report.OURS]).splitlines()[-1]
    assert row.startswith("| spans, Go, exact | 4 | 0.0 % | 25.0 % | 75.0 % | +50.0 (+0.0 to +100.0) |")


class Server:
    """A server drafting the numbers after the last one."""

    name = "counting"

    def __init__(self) -> None:
        self.drafts: list[tuple[int, ...]] = []

    def draft(self, ids: Sequence[int], tokens: int, around: object = None) -> Server.Draft:
        self.drafts.append(tuple(ids))
        return Server.Draft(ids[-1], tokens)

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: object) -> dict[int, float]:
        return {9: -2.0}

    class Draft:
        def __init__(self, last: int, left: int) -> None:
            self.last, self.left = last, left

        def next(self, cancelled: object) -> Drafted | None:
            if not self.left:
                return None
            self.last, self.left = self.last + 1, self.left - 1
            return Drafted(self.last, {self.last: -0.5, 0: -1.0})

        def close(self) -> None:
            pass


def test_rows_are_computed_once(tmp_path: Path) -> None:
    server = Server()
    store = rows.RowStore(tmp_path / "rows.sqlite")
    dialect = rows.RememberingDialect(server, store, "counting")  # type: ignore[arg-type]
    runtime = ServedRuntime(dialect, size=20, limit=100)

    def walk(*taken: int) -> list[list[float]]:
        dialect.reset()
        runtime.begin(lambda: False, 8)
        found = [runtime.prefill([1, 2])] + [runtime.step(token) for token in taken]
        runtime.end()
        return [row.tolist() for row in found]

    first = walk(3, 4)
    again = ServedRuntime(dialect, size=20, limit=100)
    runtime, computed = again, dialect.computed
    assert walk(3, 4) == first
    assert (dialect.computed, server.drafts) == (computed, [(1, 2)])
    assert dialect.ms > dialect.first_ms > 0
    walk(3, 5)  # the tokens outside of the draft
    assert server.drafts == [(1, 2), (1, 2, 3, 5)]
    assert dialect.key([1, 2]) != rows.RememberingDialect(server, store, "other").key([1, 2])  # type: ignore[arg-type]


def test_a_remembering_runtime_writes_the_same_and_computes_each_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = model.load()
    computed: list[tuple[int, ...]] = []

    def watched(ids: Sequence[int]) -> np.ndarray:
        computed.append(tuple(ids))
        return prefill(ids)

    prefill = loaded.runtime.prefill
    monkeypatch.setattr(loaded.runtime, "prefill", watched)
    remembering = rows.RememberingRuntime(loaded.runtime)
    left, right = "def area(width, height):\n    return ", "\n\n\nprint(area(2, 3))\n"
    state = parser.language("python").session().hole(left + right, len(left)).state
    assert state is not None
    found = list[str]()
    costs = list[float]()
    for runtime in (loaded.runtime, remembering, remembering):
        remembering.reset()
        found.append(model.complete(replace(loaded, runtime=runtime), state, left, right).text)
        costs.append(remembering.ms)
        if runtime is loaded.runtime:
            computed.clear()
    assert found[0] == found[1] == found[2] != ""
    assert len(computed) == len(set(computed)) > 1
    assert costs[0] == 0 < costs[1]
    assert costs[2] == pytest.approx(costs[1])  # known tokens keep their cost
    remembering.forget()
    remembering.prefill(computed[0])
    assert computed[-1] == computed[0]
