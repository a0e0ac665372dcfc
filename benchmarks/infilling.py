"""Cut holes in standard library files, fill them in three modes, and ask ast.parse: `python -m benchmarks.infilling`.

constrained     the engine decides each token, and how a generation ends
checked         the model alone, then the best prefix at which the file parses (checked unconstrained generation)
unconstrained   the model alone

A hole is up to 100 characters or a fifth of the file, at a random point of its first 90 % (as in STACK-RANDSPAN of Melcer et
al.), filled greedily with the embedded model. Every result is judged by ast.parse of the running interpreter alone.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time

from suture import model, parser

from tests.oracle_python import parses, stdlib_sources

MODES = ("constrained", "checked", "unconstrained")


def holes(count: int, seed: int, longest: int) -> list[tuple[str, str, str]]:
    """(left, true middle, right), each from a file of its own while there are files."""
    rng = random.Random(seed)
    sources = stdlib_sources(rng, count, longest)
    found = []
    for i in range(count):
        text = sources[i % len(sources)]
        start = rng.randrange(max(1, int(len(text) * 0.9)))
        end = start + rng.randint(1, min(100, max(1, len(text) // 5)))
        found.append((text[:start], text[start:end], text[end:]))
    return found


def run(
    mode: model.completion.Mode, cut: list[tuple[str, str, str]], loaded: model.Model, tokens: int
) -> dict[str, float]:
    """Fill all holes in one mode: percentages and milliseconds."""
    python = parser.language("python")
    valid = exact = 0
    ended: dict[str, int] = {}
    total, constraint, per_token = [], [], []
    for left, middle, right in cut:
        hole = python.hole(left, right)
        assert hole.viable and hole.state is not None, "every hole comes from a valid file"
        start = time.perf_counter()
        done = model.complete(loaded, hole.state, left, right, model.Options(mode=mode, max_tokens=tokens))
        total.append((time.perf_counter() - start) * 1e3)
        constraint.append(done.constraint_ms)
        if done.tokens:
            per_token.append(done.constraint_ms / done.tokens * 1e3)
        ended[done.ended] = ended.get(done.ended, 0) + 1
        fits = parses(left + done.text + right)
        if fits != done.complete and mode == "constrained":
            print("DISAGREEMENT", repr(left[-60:]), repr(done.text), repr(right[:60]), file=sys.stderr)
        valid += fits
        exact += done.text == middle
    n = len(cut)
    return {
        "valid %": 100 * valid / n,
        "exact %": 100 * exact / n,
        **{f"ended {key} %": 100 * ended.get(key, 0) / n for key in ("model", "earlier", "bridge", "length")},
        "total ms, median": statistics.median(total),
        "total ms, p99": percentile(total, 0.99),
        "constraint us/token, median": statistics.median(per_token) if per_token else 0.0,
        "constraint ms, p99": percentile(constraint, 0.99),
    }


def percentile(values: list[float], share: float) -> float:
    """The value below which a share of the values lie."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main() -> int:
    """Print the table; exit status 1 when a constrained completion is not valid."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--holes", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--tokens", type=int, default=32, help="budget of a completion")
    arguments.add_argument("--longest", type=int, default=40_000, help="characters of the largest file")
    arguments.add_argument("--model", default=None, help="a local folder; the embedded model when not given")
    arguments.add_argument("--modes", default=",".join(MODES))
    options = arguments.parse_args()
    loaded = model.load(options.model)
    cut = holes(options.holes, options.seed, options.longest)
    modes = [mode for mode in MODES if mode in options.modes.split(",")]
    columns = {mode: run(mode, cut, loaded, options.tokens) for mode in modes}
    print(
        f"{len(cut)} holes in standard library files of Python {sys.version.split()[0]}, at most {options.tokens} tokens\n"
    )
    print(f"| {'':28} | " + " | ".join(f"{mode:>13}" for mode in modes) + " |")
    print(f"| {'-' * 28} | " + " | ".join("-" * 12 + ":" for _ in modes) + " |")
    for key in columns[modes[0]]:
        print(f"| {key:28} | " + " | ".join(f"{columns[mode][key]:13.1f}" for mode in modes) + " |")
    return int("constrained" in columns and columns["constrained"]["valid %"] < 100)


if __name__ == "__main__":
    sys.exit(main())
