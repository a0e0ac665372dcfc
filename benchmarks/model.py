"""The usefulness of a model on unseen files, against a sceptic's baselines.

    python -m benchmarks.model --corpus RUN/corpus.jsonl --infilling ../shared/data/human-eval-infilling

RUN is the folder of `suture train`; only packages held out from training, and not used to fit the copying, are read. Single-line
holes go from a place in a line of code to its end, or are whole lines; all answers go through the constrained path, at temperature 0:

model+copy      the model, mixed with the document's predictions (`model/cache_lm/mixture.py`)
model           the same without that
n-gram          counts of the document's own tokens, of up to five in a row, backing off to shorter ones (stupid backoff)
greedy          model+copy without comparing other texts (`LOOKS`)
copy            the document's continuation of the longest other occurrence of the text before the hole

Simulated typing types a line taken out of its file letter by letter, requests a suggestion like the server after each, and accepts an
entirely right one for one keystroke. HumanEval-infilling is asked for one line, and its tests are run.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import json
import math
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from suture import model, parser
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.proposing.filling import fill
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.completion.proposing.suggestion import LOOKS, Request, suggest
from suture.model.decoding.repetition import only_repeats
from suture.model.decoding.scoring import logsumexp
from suture.model.prompting import prompt
from suture.model.runtime.torch_runtime import describe  # noqa: F401 - before torch itself, for the way in which threads wait
from suture.parser import Level
from suture.parser.hole import HoleState
from suture.training.corpus import Source, load_corpus
from suture.training.evaluate import EvaluationHole, copy_from_file, line_holes, whole_line_holes
from suture.training.fit_copying import FITTED_ON

METHODS = ("model+copy", "model", "n-gram", "copy", "greedy")
_ORDER = 5
_PATIENCE_MS = 5000  # for a second look, so that a busy machine does not change the answers
_BACKOFF = 0.4  # Brants et al. 2007


class Ngrams:
    """A runtime based on the document alone: the n-grams of its tokens."""

    device = "cpu"

    def __init__(self, loaded: model.Model) -> None:
        self.limit, self.size = loaded.runtime.limit, loaded.runtime.size
        self._vocabulary, self._ends = loaded.vocabulary, loaded.template.ends
        self._ids: list[int] = []
        self._counts: list[dict[tuple[int, ...], Counter[int]]] = []

    def read(
        self, left: str, right: str, others: Sequence[str], prompt: Sequence[int], forced: bytes, language: str = ""
    ) -> None:
        """Count the n-grams of the document; a line's end counts as the end."""
        self._counts = [defaultdict(Counter) for _ in range(_ORDER)]
        for text in (left, right, *others):
            ids = self._vocabulary.encode(text)
            for index, token in enumerate(ids):
                ends = (self._vocabulary.bytes_of[token] or b"")[:1] in (b"\n", b"\r")
                for order in range(min(index + 1, _ORDER)):
                    self._counts[order][tuple(ids[index - order : index])][self._ends[0] if ends else token] += 1

    @property
    def length(self) -> int:
        """The number of tokens in the sequence."""
        return len(self._ids)

    def cached(self, ids: Sequence[int]) -> int:
        """Nothing is cached: recomputing is fast."""
        return 0

    def crop(self, length: int) -> None:
        """Forget the rest."""
        del self._ids[length:]

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        """The logits after `ids`."""
        self._ids = list(ids)
        return self._logits()

    def step(self, token: int) -> np.ndarray:
        """The logits after one more token."""
        self._ids.append(token)
        return self._logits()

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        """The logits after each of `ids`."""
        return np.stack([self.step(token) for token in ids])

    def _logits(self) -> np.ndarray:
        specials = set(self._ends)
        context = [token for token in self._ids[-8:] if self._vocabulary.bytes_of[token] and token not in specials]
        scores = np.full(self.size, 1e-9, dtype=np.float32)
        for order in range(_ORDER):  # longer contexts overwrite shorter ones
            counts = self._counts[order].get(tuple(context[len(context) - order :])) if len(context) >= order else None
            if counts:
                total = sum(counts.values())
                for token, count in counts.items():
                    scores[token] = _BACKOFF ** (_ORDER - order) * count / total
        return np.log(scores)


def answers(
    method: str, loaded: dict[str, model.Model], holes: Sequence[EvaluationHole], level: Level = "syntax"
) -> Iterator[tuple[str, float]]:
    """The answer of a method to each hole, at a level, and its time in milliseconds."""
    python = parser.language("python")
    options = model.Options(max_lines=0, max_tokens=64, looks_ms=_PATIENCE_MS, language="python")
    if method in loaded and not method.endswith("greedy"):
        options = replace(options, looks=LOOKS)
    for hole in holes:
        start = time.perf_counter()
        constraint = python.hole(hole.left, hole.right, level=level)
        if method == "copy":
            text = _valid_prefix(constraint.state, copy_from_file(hole))
        else:
            text = fill(constraint, hole.left, hole.right, loaded[method], options).text
        yield text, (time.perf_counter() - start) * 1e3


def _valid_prefix(state: HoleState | None, text: str) -> str:
    """The longest beginning of a text with a valid file."""
    best = ""
    for end, letter in enumerate(text, start=1):
        state = state.advance(letter) if state is not None else None
        if state is None:
            break
        if state.complete:
            best = text[:end]
    return best


def hole_bits(loaded: model.Model, holes: Sequence[EvaluationHole], language: str = "python") -> float:
    """Bits per byte of the right answers and their ends, teacher-forced."""
    nats = size = 0.0
    for hole in holes:
        asked = prompt.build(loaded, hole.left, hole.right, budget=900, heal=False)
        if loaded.reader is not None:
            loaded.reader.read(hole.left, hole.right, (), asked.ids, asked.forced, language)
        ids = list(loaded.vocabulary.encode(hole.middle))[:64]
        rows = [loaded.runtime.prefill(asked.ids), *(loaded.runtime.rows(ids) if ids else ())]
        for row, token in zip(rows, [*ids, loaded.template.ends[0]], strict=True):
            nats -= float(row[token]) - logsumexp(row)
        size += len(hole.middle.encode())
    return nats / math.log(2) / max(1.0, size)


def saved_by_typing(loaded: model.Model, sources: Sequence[Source], lines: int, seed: int) -> dict[str, float]:
    """Type lines taken out of their files: the share of keystrokes saved, and other measures."""
    rng = random.Random(seed)
    options = model.Options(max_tokens=64, looks_ms=_PATIENCE_MS)
    session = parser.language("python").session()
    keys = letters = shown = right = 0
    waits: list[float] = []
    for _ in range(lines):
        text, start, end = line_to_type(rng, sources)
        typed = start
        while typed < end:
            before = text[:typed] + text[end:]
            started = time.perf_counter()
            outcome = suggest(Cursor.at(before, typed), session, Request(loaded, options))
            waits.append((time.perf_counter() - started) * 1e3)
            keys += 1
            suggestion = outcome if isinstance(outcome, Suggestion) else None
            shown += suggestion is not None
            if suggestion is not None and text[typed:end].startswith(suggestion.text):
                right += 1
                typed += len(suggestion.text)
            else:
                typed += 1
        letters += end - start
    return {
        "keystrokes saved %": 100 * (1 - keys / letters),
        "suggestions shown that were right %": 100 * right / max(1, shown),
        "whole request ms, median": statistics.median(waits),
        "whole request ms, p95": statistics.quantiles(waits, n=20)[-1],
        "requests": float(len(waits)),
    }


def line_to_type(rng: random.Random, sources: Sequence[Source]) -> tuple[str, int, int]:
    """A file, and the start and end of a line of code in it, without its indentation."""
    while True:
        text = rng.choice(sources).text
        hole = line_holes([text], 1, seed=rng.randrange(1 << 30))
        if not hole:
            continue
        end = len(hole[0].left) + len(hole[0].middle)
        start = text.rfind("\n", 0, end) + 1
        start += len(text[start:end]) - len(text[start:end].lstrip())
        # Without the line the file must still be valid code: a suite of this line alone is no place to type in.
        if 8 <= end - start <= 100 and parser.language("python").hole(text[:start], text[end:]).viable:
            return text, start, end


def human_eval(method: str, loaded: dict[str, model.Model], tasks: Sequence[dict]) -> dict[str, float]:
    """Exact answers, and answers passing the tests, in single-line holes, at the server's level."""
    holes = [EvaluationHole(task["prompt"], task["canonical_solution"], task["suffix"]) for task in tasks]
    exact = passed = 0
    # The line's own newline belongs to the hole there; the request is for the rest of the line.
    holes = [replace_newline(hole) for hole in holes]
    for task, hole, (text, _) in zip(tasks, holes, answers(method, loaded, holes, "names"), strict=True):
        exact += text.rstrip() == hole.middle.rstrip()
        program = f"{hole.left}{text}{hole.right}\n{task['test']}\ncheck({task['entry_point']})\n"
        passed += passes(program)
    return {"HumanEval exact %": 100 * exact / len(tasks), "HumanEval pass@1 %": 100 * passed / len(tasks)}


def replace_newline(hole: EvaluationHole) -> EvaluationHole:
    """The hole without its closing line end."""
    if hole.middle.endswith("\n"):
        return EvaluationHole(hole.left, hole.middle[:-1], "\n" + hole.right)
    return hole


def passes(program: str, seconds: float = 5.0) -> bool:
    """Whether a program succeeds, in a process of its own with little time and memory."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))

    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-c", program],
                cwd=folder,
                capture_output=True,
                timeout=3 * seconds,
                preexec_fn=limited,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


def table(columns: dict[str, dict[str, float]]) -> str:
    """The measures of each method, as Markdown."""
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    lines = [f"| {'':38} | " + " | ".join(f"{method:>10}" for method in columns) + " |"]
    lines.append(f"| {'-' * 38} | " + " | ".join("-" * 9 + ":" for _ in columns) + " |")
    for name in names:
        cells = [f"{column[name]:10.2f}" if name in column else " " * 10 for column in columns.values()]
        lines.append(f"| {name:38} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--corpus", type=Path, help="corpus.jsonl of a run of `suture train`")
    arguments.add_argument("--infilling", type=Path, help="the folder of HumanEval-infilling")
    arguments.add_argument("--model", default=None, help="a local folder; the embedded model when not given")
    arguments.add_argument("--holes", type=int, default=300)
    arguments.add_argument("--lines", type=int, default=60, help="lines to type")
    arguments.add_argument("--tasks", type=int, default=200, help="of HumanEval-infilling, at most")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--threads", type=int, default=None)
    arguments.add_argument("--methods", default=",".join(METHODS))
    options = arguments.parse_args()
    methods = [method for method in METHODS if method in options.methods.split(",")]
    plain = model.load(options.model, copying=False, threads=options.threads)
    counting = Ngrams(plain)
    loaded = {"model": plain, "n-gram": replace(plain, runtime=counting, reader=counting)}
    if {"model+copy", "greedy"} & set(methods):
        loaded["greedy"] = loaded["model+copy"] = model.load(options.model, copying=True, threads=options.threads)
    columns: dict[str, dict[str, float]] = {method: {} for method in methods}
    if options.corpus is not None:
        sources = [source for source in load_corpus(options.corpus).held_out if source.package not in FITTED_ON]
        texts = [source.text for source in sources]
        holes = line_holes(texts, options.holes, seed=options.seed)
        whole = whole_line_holes(texts, options.holes, seed=options.seed)
        print(
            f"{len(holes)} rests of lines and {len(whole)} whole lines of {', '.join(sorted({source.package for source in sources}))}",
            flush=True,
        )
        for method, column in columns.items():
            pairs = [(text.rstrip(), time_ms) for text, time_ms in answers(method, loaded, holes)]
            wanted = [hole.middle.rstrip() for hole in holes]
            exact = [text == right for (text, _), right in zip(pairs, wanted, strict=True)]
            alike = [
                difflib.SequenceMatcher(None, text, right).ratio()
                for (text, _), right in zip(pairs, wanted, strict=True)
            ]
            column["exact match %"] = 100 * statistics.mean(exact)
            column["edit similarity %"] = 100 * statistics.mean(alike)
            column["ms a hole, median"] = statistics.median(time_ms for _, time_ms in pairs)
            lines = [text for text, _ in answers(method, loaded, whole)]
            column["whole lines, exact %"] = 100 * statistics.mean(
                text.rstrip() == hole.middle.rstrip() for text, hole in zip(lines, whole, strict=True)
            )
            column["whole lines, one nearby again %"] = 100 * statistics.mean(
                only_repeats(hole.left, text, hole.right) for text, hole in zip(lines, whole, strict=True)
            )
            if method in ("model", "model+copy"):
                column["bits per byte, end included"] = hole_bits(loaded[method], holes)
            print(method, column, flush=True)
            if method not in ("copy", "greedy") and options.lines:
                column |= saved_by_typing(loaded[method], sources, options.lines, options.seed)
                print(method, column, flush=True)
    if options.infilling is not None and (options.infilling / _TASKS).is_file():
        with gzip.open(options.infilling / _TASKS, "rt", encoding="utf-8") as file:
            tasks = [json.loads(line) for line in file]
        tasks = random.Random(options.seed).sample(tasks, min(options.tasks, len(tasks)))
        for method, column in columns.items():
            column |= human_eval(method, loaded, tasks)
            print(method, column, flush=True)
    print("\n" + table(columns))
    return 0


_TASKS = "HumanEval-SingleLineInfilling.jsonl.gz"

if __name__ == "__main__":
    sys.exit(main())
