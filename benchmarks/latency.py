"""A model's time for each part of a request, with a context of 1,000 tokens: `python -m benchmarks.latency`.

  prompt          tokens of an uncached prompt, per thousand
  step            one token more
  copying         the cost of mixing the document into a step, for a document of 4,000 and of 400,000 characters
  key             a letter typed: milliseconds until the first text and until the whole suggestion
  unasked         the same for the server's automatic requests, which stop once no text can be certain enough

Keys are typed into files of the standard library, one line of each. Other work on the machine slows everything except the processor time,
that of all threads (give `--threads 1`, or busy waiting counts as well).
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from suture import model, parser
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.judging.policy import Limits
from suture.lsp_server.completion.proposing.suggestion import Request, suggest
from suture.model.cache_lm.mixture import FILE, Copier, CopyingRuntime, load_gate
from suture.model.loading.find import EMBEDDED

from tests.support.oracle_python import stdlib_sources

_COLD = """\
import time; start = time.perf_counter()
from suture import model, parser
text = "import os\\n\\n\\ndef parent(path):\\n    return os.path.\\n"
hole = parser.language("python").hole(text[:-1], text[-1:])
done = model.complete(model.load(), hole.state, text[:-1], text[-1:])
print((time.perf_counter() - start) * 1e3)
"""


def median_ms(work: Callable[[], object], times: int) -> float:
    """The median time of some work."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1e3)
    return statistics.median(taken)


def prompt_and_step(loaded: model.Model) -> dict[str, float]:
    """Milliseconds of a prompt and of a step."""
    runtime = loaded.runtime
    length = min(960, runtime.limit - 40)
    ids = np.random.default_rng(0).integers(300, min(runtime.size, len(loaded.vocabulary)), length).tolist()

    def read() -> None:
        runtime.crop(0)
        for end in (*range(256, length, 256), length):  # as requests are read
            runtime.prefill(ids[:end])

    prompt_ms = median_ms(read, 9) / length * 1000
    return {"prompt, ms per 1,000 tokens": prompt_ms, "step, ms": median_ms(lambda: runtime.step(ids[0]), 30)}


class Still:
    """A runtime in a constant state, taking no time."""

    device, limit, length = "cpu", 1 << 20, 0

    def __init__(self, logits: np.ndarray) -> None:
        self.size, self._logits = len(logits), logits

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        """The logits."""
        return self._logits

    def step(self, token: int) -> np.ndarray:
        """The logits."""
        return self._logits

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        """The logits of each."""
        return np.stack([self._logits] * len(ids))

    def cached(self, ids: Sequence[int]) -> int:
        """The whole length: everything is cached."""
        return len(ids)

    def crop(self, length: int) -> None:
        """Change nothing."""


def copying(loaded: model.Model) -> dict[str, float]:
    """The milliseconds of mixing in a step, and of taking up a changed document."""
    results = {}
    text = "".join(stdlib_sources(random.Random(1), 60, 60_000))
    for size in (4_000, 400_000):
        left, right = text[: size * 3 // 4], text[size * 3 // 4 : size]
        assert len(right) == size // 4, "there are enough files"
        asked = list(loaded.vocabulary.encode(left[-2000:]))[-400:]
        copier = Copier(loaded.vocabulary, loaded.runtime.size, loaded.template.ends)
        runtime = CopyingRuntime(Still(loaded.runtime.prefill(asked)), copier, load_gate(EMBEDDED / FILE))
        taken = [median_ms(lambda end=end: copier.read(left[:end], right, (), asked, b""), 1) for end in range(-20, 0)]  # noqa: B023
        results[f"taking up a key, {size:,} characters, ms"] = statistics.median(taken)
        copier.read(left, right, (), asked, b"")
        runtime.prefill(asked)
        taken = [median_ms(lambda t=token: runtime.step(t), 1) for token in loaded.vocabulary.encode(right[:400])]  # noqa: B023
        results[f"copying, {size:,} characters, ms a step, median"] = statistics.median(taken)
        results[f"copying, {size:,} characters, ms a step, p95"] = statistics.quantiles(taken, n=20)[-1]
    return results


def keys(
    loaded: model.Model, files: int, letters: int, certainty: float
) -> tuple[list[float], list[float], list[float]]:
    """Type into files, and ask after each letter: milliseconds to the first text, to the whole, and of processor time."""
    rng = random.Random(2)
    python = parser.language("python")
    first, whole, cpu = [], [], []
    for text in stdlib_sources(rng, files, 40_000):
        session = python.session()
        lines = [i for i, line in enumerate(text.splitlines(keepends=True)) if len(line.strip()) > letters]
        line = rng.choice(lines or [0])
        start = sum(map(len, text.splitlines(keepends=True)[:line]))
        end = text.find("\n", start)
        start += len(text[start:end]) - len(text[start:end].lstrip())
        for typed in range(start, min(start + letters, end)):
            pieces: list[float] = []
            hear = partial(_note, pieces)
            before = text[:typed] + text[end:]
            began, began_cpu = time.perf_counter(), time.process_time()
            request = Request(loaded, model.Options(max_tokens=64), Limits(certainty=certainty), on_text=hear)
            suggest(Cursor.at(before, typed), session, request)
            if typed == start:
                continue  # a jump: not warm
            whole.append((time.perf_counter() - began) * 1e3)
            cpu.append((time.process_time() - began_cpu) * 1e3)
            first += [(pieces[0] - began) * 1e3] if pieces else []
    return first, whole, cpu


def typing(loaded: model.Model, files: int, letters: int) -> dict[str, float]:
    """Milliseconds from a key to any suggestion, and to one shown unasked by the server."""
    first, whole, cpu = keys(loaded, files, letters, 0.0)
    _, unasked, cpu_unasked = keys(loaded, files, letters, loaded.certainty.threshold)
    results: dict[str, float] = {}
    for name, times in (
        ("key to first text, ms", first),
        ("key to whole suggestion, ms", whole),
        ("unasked, ms", unasked),
        ("key to whole suggestion, ms of processor", cpu),
        ("unasked, ms of processor", cpu_unasked),
    ):
        results[f"{name}, median"] = statistics.median(times)
        results[f"{name}, p95"] = statistics.quantiles(times, n=20)[-1]
    return results | {"keys": float(len(whole))}


def _note(times: list[float], piece: str) -> None:
    times.append(time.perf_counter())


def main() -> int:
    """Print one table."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--model", default=None)
    arguments.add_argument("--threads", type=int, default=None)
    arguments.add_argument("--files", type=int, default=12)
    arguments.add_argument("--letters", type=int, default=14)
    options = arguments.parse_args()
    cold = [
        float(subprocess.run([sys.executable, "-c", _COLD], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    plain = model.load(options.model, threads=options.threads, copying=False)
    results = prompt_and_step(plain)
    copies = model.load(options.model, threads=options.threads, copying=True)
    results |= copying(plain)
    results |= typing(copies, options.files, options.letters)
    if options.model is None:
        results["cold: imports, model, first suggestion, ms"] = statistics.median(cold)
    results["memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{plain.description}; two models in this process\n")
    print("\n".join(f"| {name:48} | {value:9.2f} |" for name, value in results.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
