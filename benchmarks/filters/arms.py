"""One model's texts for a hole, an arm each: free, through each filter, and under the constraint at each level."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from suture import model, parser
from suture.model.decoding.types import Completion, Mode
from suture.model.runtime.base import Runtime

from benchmarks.papers.record import Job
from benchmarks.papers.sandbox import run_python
from benchmarks.papers.score import go_error, python_error, similarity
from tests.support import oracle_go

from .asking import Asking
from .holes import one_line
from .rows import RememberingDialect, RememberingRuntime
from .texts import cut_to_parse, stopped_at_bracket, withheld_by_errors

LEVELS: tuple[parser.Level, ...] = ("syntax", "compile", "names")
# of sampled texts alone: the first of several draws that parses, as a whole, or with a beginning
REDRAWN: dict[str, Mode] = {"rejected": "unconstrained", "checked, redrawn": "checked"}

Arm = dict[str, Any]


class Counting:
    """A runtime that counts the rows requested by decoding."""

    def __init__(self, inner: Runtime) -> None:
        self.inner = inner
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        """See Runtime."""
        self.asked += 1
        return self.inner.prefill(ids)

    def step(self, token: int) -> np.ndarray:
        """See Runtime."""
        self.asked += 1
        return self.inner.step(token)


class Writer:
    """A model that fills holes, with the cost of each."""

    def __init__(self, loaded: model.Model, dialect: RememberingDialect | None, asking: Asking) -> None:
        """dialect: of a served model."""
        self._asking = asking
        if dialect is None:
            self._costs = remembering = RememberingRuntime(loaded.runtime)
            self._counting = Counting(remembering)
        else:
            self._costs = dialect
            self._counting = Counting(loaded.runtime)
        self._model = replace(loaded, runtime=self._counting)
        self._prompt_ms: float | None = None  # of a hole: the prefill, the same for all arms

    def fill(self, job: Job) -> dict[str, Arm]:
        """The model's texts and their cost: free, with the ends of its tokens in the text, and under the constraint."""
        self._prompt_ms = None
        if isinstance(self._costs, RememberingRuntime):
            self._costs.forget()
        arms = self._free(job)
        for level in LEVELS:
            arms[f"Suture, {level}"] = self._held(job, level)
        return arms

    def _free(self, job: Job) -> dict[str, Arm]:
        pieces: list[str] = []
        state = parser.language(job.language).session().hole(job.left + job.right, len(job.left), level="syntax").state
        if state is None:  # impossible to complete; `jobs` has none such
            raise ValueError(f"{job.data}: the hole has no viable text")

        def is_over() -> bool:
            return one_line(job.row) and "\n" in "".join(pieces)

        def write(mode: Mode, draw: int = 0) -> tuple[str, Arm]:
            pieces.clear()
            options, shown = self._asking.options(job, mode, draw), self._asking.shown(job)
            completion, cost = self._written(lambda: model.complete(self._model, state, job.left, shown, options,
                                                               cancelled=is_over, on_text=pieces.append))  # fmt: skip
            return completion.text, cost | {"text": _shortened(completion.text, job)}

        def redrawn(mode: Mode, arm: Arm) -> Arm:
            for draw in range(self._asking.draws):
                if draw:
                    _, more = write(mode, draw)
                    arm = more | {name: arm[name] + more[name] for name in ("rows", "ms")}
                after = state.advance(arm["text"])
                if arm["text"].strip() and after is not None and after.complete:
                    break
            return arm | {"draws": draw + 1}

        text, raw = write("unconstrained")
        ends = _ends(pieces, len(text))
        _, checked = write("checked")
        arms = {"raw": raw | {"ends": ends}, "checked": checked}
        if self._asking.temperature:
            arms |= {name: redrawn(mode, raw if mode == "unconstrained" else checked) for name, mode in REDRAWN.items()}
        return arms

    def _held(self, job: Job, level: parser.Level) -> Arm:
        before = perf_counter()
        state = parser.language(job.language).session().hole(job.left + job.right, len(job.left), level=level).state
        opened = (perf_counter() - before) * 1e3
        if state is None:
            return {"text": "", "ended": "refused", "rows": 0, "ms": opened}
        options, shown = self._asking.options(job, "constrained"), self._asking.shown(job)
        completion, arm = self._written(lambda: model.complete(self._model, state, job.left, shown, options))
        return arm | {"text": completion.text if completion.complete else "", "ms": arm["ms"] + opened}

    def _written(self, complete: Callable[[], Completion]) -> tuple[Completion, Arm]:
        self._counting.asked = 0
        waited = self._costs
        waited.reset()
        done = complete()
        if self._prompt_ms is None:
            self._prompt_ms = waited.first_ms
        ms = self._prompt_ms + waited.ms - waited.first_ms + done.constraint_ms
        return done, {"ended": done.ended, "rows": self._counting.asked, "ms": ms}


def judged(job: Job, written: Mapping[str, Arm]) -> dict[str, Arm]:
    """All arms of a hole, the filters among them, with the oracles' verdicts on their texts."""
    raw = dict(written["raw"])
    text = raw["text"]
    ends = [text[:end] for end in raw.pop("ends")] or [text]  # the last may lie behind the kept line
    arms = {
        "raw": raw,
        "cut to a parse": raw | {"text": cut_to_parse(ends, lambda piece: is_valid(job, piece))},
        "tree-sitter": raw | {"text": withheld_by_errors(text, job.left, job.right, job.language)},
        "brackets": raw | {"text": stopped_at_bracket(text, job.left, job.right)},
    } | {name: dict(arm) for name, arm in written.items() if name != "raw"}
    verdicts = {text: verdict(job, text) for text in {arm["text"] for arm in arms.values()}}
    return {name: arm | verdicts[arm["text"]] for name, arm in arms.items()}


def _shortened(text: str, job: Job) -> str:
    return text.partition("\n")[0] if one_line(job.row) else text


def _ends(pieces: list[str], length: int) -> list[int]:
    ends, length_so_far = list[int](), 0
    for piece in pieces:
        length_so_far += len(piece)
        if length_so_far <= length:
            ends.append(length_so_far)
    return ends


def is_valid(job: Job, text: str) -> bool:
    """Whether the file parses, by the language's own parser."""
    program = job.left + text + job.right
    return python_error(program) is None if job.language == "python" else oracle_go.parses([program])[0]


def verdict(job: Job, text: str) -> Arm:
    """The oracles' verdict on a text."""
    program, original = job.left + text + job.right, job.left + job.middle + job.right
    if job.language == "python":
        valid, compiles = python_error(program) is None, _compiles(program)
    else:
        valid = go_error(program) is None
        compiles = valid and not (_messages(program) - _messages(original))
    tests = None
    if job.tests:
        tests = valid and text.strip() != "" and run_python(f"{program}\n{job.tests}")[0]
    return {
        "valid": valid, "compiles": compiles, "shown": text.strip() != "", "exact": text.strip() == job.middle.strip(),
        "tests": tests, "similarity": similarity(text.strip(), job.middle.strip()) or 0.0,
    }  # fmt: skip


def _compiles(program: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(program, "x", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _messages(program: str) -> set[str]:
    """The messages of Go's compiler about a file, without the places."""
    return {line.partition(": ")[2] for line in oracle_go.compile_errors(program)}
