"""Cut holes in files of installed packages, fill them in three modes, and ask ast.parse: `python -m benchmarks.cuts`.

Two sets of cuts, after those that Melcer et al. made from The Stack:

STACK-BOUNDARY   two symbols at the same indentation level; the text between them is removed, with a random part of the first
STACK-RANDSPAN   from a random point in the first 90 % of the file, up to 100 characters or 20 % of the file

Three modes:

constrained     the engine decides each token, and how a generation ends
checked         the model alone, then the best prefix at which the file parses (checked unconstrained generation)
unconstrained   the model alone

All are greedy. Every result is judged by ast.parse of the running interpreter alone.
"""

from __future__ import annotations

import argparse
import io
import random
import statistics
import sys
import sysconfig
import time
import tokenize
from collections.abc import Callable
from pathlib import Path

from suture import model, parser

from tests.support.oracle_python import parses, valid_sources

MODES = ("constrained", "checked", "unconstrained")
LONGEST_BETWEEN = 400  # characters between the two symbols of a boundary hole

Hole = tuple[str, str, str]  # left, true middle, right


def sources(rng: random.Random, count: int, longest: int, packages: list[str]) -> list[str]:
    """Texts of valid files of installed packages, chosen at random."""
    site = Path(sysconfig.get_paths()["purelib"])
    folders = [site / name for name in packages] if packages else [site]
    return valid_sources((path for folder in folders for path in folder.rglob("*.py")), rng, count, longest)


def boundary(text: str, rng: random.Random) -> Hole | None:
    """A hole between two symbols at the same indentation level, with a random part of the first."""
    symbols = _symbols(text)
    if len(symbols) < 2:
        return None
    at = rng.randrange(len(symbols) - 1)
    start, end, level = symbols[at]
    others = [s for s in symbols[at + 1 : at + 200] if s[2] == level and s[0] - end <= LONGEST_BETWEEN]
    if not others:
        return None
    cut, until = rng.randint(start, max(start, end - 1)), rng.choice(others)[0]
    return text[:cut], text[cut:until], text[until:]


def randspan(text: str, rng: random.Random) -> Hole:
    """A hole at a random point, of up to 100 characters or a fifth of the file."""
    start = rng.randrange(max(1, int(len(text) * 0.9)))
    end = start + rng.randint(1, min(100, max(1, len(text) // 5)))
    return text[:start], text[start:end], text[end:]


def _symbols(text: str) -> list[tuple[int, int, int]]:
    """(start, end, indentation level) of each symbol that is seen."""
    lines = [0]
    for line in io.StringIO(text, newline=""):
        lines.append(lines[-1] + len(line))
    found, level = [], 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            level += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
            if token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING):
                start = lines[token.start[0] - 1] + token.start[1]
                found.append((start, lines[token.end[0] - 1] + token.end[1], level))
    except (tokenize.TokenError, SyntaxError):  # what ast takes, tokenize need not
        return []
    return found


SETS: dict[str, Callable[[str, random.Random], Hole | None]] = {"BOUNDARY": boundary, "RANDSPAN": randspan}


def holes(
    cut: Callable[[str, random.Random], Hole | None], count: int, seed: int, longest: int, packages: list[str]
) -> list[Hole]:
    """Holes of one set, each from a file of its own while there are files."""
    rng = random.Random(seed)
    texts = sources(rng, count, longest, packages)
    found: list[Hole] = []
    for i in range(20 * count):
        hole = cut(texts[i % len(texts)], rng)
        if hole is not None:
            found.append(hole)
        if len(found) == count:
            break
    return found


def run(mode: model.completion.Mode, cut: list[Hole], loaded: model.Model, options: model.Options) -> dict[str, float]:
    """Fill all holes in one mode: percentages, milliseconds, tokens."""
    python = parser.language("python", ".".join(map(str, sys.version_info[:2])))
    valid = exact = 0
    ended: dict[str, int] = {}
    total, constraint, tokens, per_token, engine = [], [], [], [], []
    for left, middle, right in cut:
        start = time.perf_counter()
        hole = python.hole(left, right)
        engine.append((time.perf_counter() - start) * 1e3)
        assert hole.viable and hole.state is not None, "every hole comes from a valid file"
        done = model.complete(loaded, hole.state, left, right, options)
        total.append(done.total_ms)
        constraint.append(done.constraint_ms)
        tokens.append(done.tokens)
        if done.tokens:
            per_token.append(done.constraint_ms / done.tokens * 1e3)
        ended[done.ended] = ended.get(done.ended, 0) + 1
        fits = parses(left + done.text + right)
        if fits != done.complete:
            print("DISAGREEMENT", repr(left[-60:]), repr(done.text), repr(right[:60]), file=sys.stderr)
        valid += fits
        exact += done.text == middle
    n = len(cut)
    return {
        "valid %": 100 * valid / n,
        "exact %": 100 * exact / n,
        **{f"ended {key} %": 100 * ended.get(key, 0) / n for key in ("model", "earlier", "bridge", "length")},
        "tokens, median": statistics.median(tokens),
        "tokens, p99": percentile(tokens, 0.99),
        "total ms, median": statistics.median(total),
        "total ms, p99": percentile(total, 0.99),
        "both contexts ms, median": statistics.median(engine),
        "constraint us/token, median": statistics.median(per_token) if per_token else 0.0,
        "constraint ms, p99": percentile(constraint, 0.99),
    }


def percentile(values: list[float], share: float) -> float:
    """The value below which a share of the values lie."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main() -> int:
    """Print a table a set; exit status 1 when a constrained completion is not valid."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--holes", type=int, default=200, help="of each set")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--tokens", type=int, default=32, help="budget of a completion")
    arguments.add_argument("--longest", type=int, default=40_000, help="characters of the largest file")
    arguments.add_argument("--packages", default="", help="folders of site-packages, with commas; all when not given")
    arguments.add_argument("--model", default=None, help="a local folder; the embedded model when not given")
    arguments.add_argument("--modes", default=",".join(MODES))
    arguments.add_argument("--sets", default=",".join(SETS))
    arguments.add_argument("--leave-hole", action="store_true", help="let completions close what is open at the cursor")
    chosen = arguments.parse_args()
    loaded = model.load(chosen.model)
    modes = [mode for mode in MODES if mode in chosen.modes.split(",")]
    packages = [name for name in chosen.packages.split(",") if name]
    wrong = False
    for name in chosen.sets.split(","):
        cut = holes(SETS[name], chosen.holes, chosen.seed, chosen.longest, packages)
        columns = {}
        for mode in modes:
            options = model.Options(mode=mode, max_tokens=chosen.tokens, stay_in_hole=not chosen.leave_hole)
            columns[mode] = run(mode, cut, loaded, options)
        version = ".".join(map(str, sys.version_info[:3]))
        print(f"\n{name}: {len(cut)} holes in installed packages, Python {version}, at most {chosen.tokens} tokens\n")
        print(f"| {'':28} | " + " | ".join(f"{mode:>13}" for mode in modes) + " |")
        print(f"| {'-' * 28} | " + " | ".join("-" * 12 + ":" for _ in modes) + " |")
        for key in columns[modes[0]]:
            print(f"| {key:28} | " + " | ".join(f"{columns[mode][key]:13.1f}" for mode in modes) + " |")
        wrong = wrong or ("constrained" in columns and columns["constrained"]["valid %"] < 100)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
