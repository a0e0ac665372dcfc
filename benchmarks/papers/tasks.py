"""The holes of an experiment: from data to jobs, the same ones for every model."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from .cuts import Hole, boundary, random_span
from .record import Job
from .sources import everyday_files

CUTS_PER_FILE = 10


@dataclass(frozen=True)
class Data:
    """The paths of the data: archives of reserved projects, and the folder of benchmarks."""

    files: Path | None = None
    benchmarks: Path | None = None
    syncode: str | None = None  # a Python with SynCode

    def archives(self) -> Path:
        if self.files is None:
            raise SystemExit("this experiment cuts holes in files: say where with --files FOLDER")
        return self.files

    def benchmark(self, name: str) -> Path:
        if self.benchmarks is None:
            raise SystemExit("this experiment reads a benchmark: say where with --data FOLDER")
        return self.benchmarks / name


Make = Callable[[Data, int], Iterator[Job]]


@dataclass(frozen=True)
class Filling:
    """An experiment of filling holes with a model."""

    name: str
    jobs: Make
    modes: tuple[str, ...] = ("unconstrained", "checked", "constrained")
    max_tokens: int = 500
    temperature: float = 0.0
    top_p: float = 1.0
    stop: re.Pattern[str] | None = None  # the text ends before a match
    programs: bool = False  # whether the result is run with tests


# A completion of a function is its body: code at the margin is no part of it. A Go function ends with its brace.
_PYTHON_BODY_END = re.compile(r"\n(?=[^\s])")
_GO_BODY_END = re.compile(r"(?<=\n\})(?=\n)")


def cuts(experiment: str, cut: Callable[[str, random.Random], Hole | None], per_file: int = CUTS_PER_FILE) -> Make:
    """A fixed number of holes per file, in files unseen by the embedded model."""

    def jobs(data: Data, seed: int) -> Iterator[Job]:
        numbers = count()
        for path, text in everyday_files(data.archives()):
            for index in range(per_file):
                hole = cut(text, random.Random(f"{experiment}/{seed}/{path}/{index}"))
                if hole is not None:
                    left, middle, right = hole
                    yield Job(experiment, next(numbers), seed, path, "Python", left, middle, right)

    return jobs


def infilling(kind: str) -> Make:
    """human-eval-infilling (Bavarian et al., 2022)."""

    def jobs(data: Data, seed: int) -> Iterator[Job]:
        path = data.benchmark(f"human-eval-infilling/HumanEval-{kind}Infilling.jsonl.gz")
        tasks = _shuffled([json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()], seed)
        for number, task in enumerate(tasks):
            yield Job(
                "fim-humaneval", number, seed, task["task_id"], kind, task["prompt"], task["canonical_solution"],
                task["suffix"], tests=f"{task['test']}\ncheck({task['entry_point']})\n",
            )  # fmt: skip

    return jobs


_SETS = {
    ("HumanEval", "python"): "mxeval/multilingual_humaneval-HumanEval.jsonl",
    ("HumanEval", "go"): "mxeval/multilingual_humaneval-HumanEval_go_v1.jsonl",
    ("MBXP", "python"): "mxeval/mbxp-mbpp_release_v1.jsonl",
    ("MBXP", "go"): "mxeval/mbxp-mbgp_release_v1.1.jsonl",
}
_SEPARATOR = re.compile(r"^.*COMPLETION \(model generated\).*\n", re.MULTILINE)


def programs(experiment: str, language: str, sets: tuple[str, ...], few_shot: bool = False) -> Make:
    """Functions to write behind their headers: one sample per problem, the sets in turn; after a round the next sample."""

    def jobs(data: Data, seed: int) -> Iterator[Job]:
        tasks = {name: _shuffled(_lines(data.benchmark(_SETS[name, language])), seed) for name in sets}
        before = ""
        if few_shot:
            text = data.benchmark(f"mxeval/mbxp-fewshot-{language}.txt").read_text(encoding="utf-8")
            before = _SEPARATOR.sub("", text) + "\n\n\n"
        numbers = count()
        for sample in range(20):
            for index in range(max(map(len, tasks.values()))):
                for name, listed in tasks.items():
                    if index < len(listed):
                        details = {"before": before, "sample": sample, "problem": index}
                        yield _program(experiment, next(numbers), seed, name, language, listed[index], details)

    return jobs


def solutions(experiment: str) -> Make:
    """The true programs of HumanEval behind their headers, and the Python with SynCode."""

    def jobs(data: Data, seed: int) -> Iterator[Job]:
        for job in programs(experiment, "python", ("HumanEval",))(data, seed):
            if job.details["sample"] == 0 and job.middle:
                yield replace(job, tests="", details={"syncode": data.syncode})

    return jobs


def _program(
    experiment: str, number: int, seed: int, name: str, language: str, task: dict[str, Any], details: dict[str, Any]
) -> Job:
    tests = task["test"] + (f"\ncheck({task['entry_point']})\n" if language == "python" else "")
    return Job(
        experiment, number, seed, task["task_id"], name, task["prompt"], task.get("canonical_solution") or "",
        language=language, tests=tests, details=details,
    )  # fmt: skip


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _shuffled(tasks: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    return random.Random(seed).sample(tasks, len(tasks))


_SAMPLED: dict[str, Any] = {
    "modes": ("unconstrained", "constrained"), "max_tokens": 400, "temperature": 0.2, "top_p": 0.95, "programs": True,
}  # fmt: skip
_BOTH = ("HumanEval", "MBXP")

FILLINGS = {
    one.name: one
    for one in (
        Filling("melcer-boundary", cuts("melcer-boundary", boundary)),
        Filling("melcer-randspan", cuts("melcer-randspan", random_span)),
        Filling("fim-humaneval", infilling("SingleLine"), max_tokens=128, programs=True),
        Filling("syncode-errors-py", programs("syncode-errors-py", "python", _BOTH), stop=_PYTHON_BODY_END, **_SAMPLED),
        Filling("syncode-errors-go", programs("syncode-errors-go", "go", _BOTH), stop=_GO_BODY_END, **_SAMPLED),
        Filling(
            "syncode-few-py", programs("syncode-few-py", "python", ("MBXP",), True), stop=_PYTHON_BODY_END, **_SAMPLED
        ),
        Filling("syncode-few-go", programs("syncode-few-go", "go", ("MBXP",), True), stop=_GO_BODY_END, **_SAMPLED),
    )
}
