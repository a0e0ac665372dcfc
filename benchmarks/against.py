"""The engine's times against another commit's. `make bench-against BASE=COMMIT`, or `python -m benchmarks.against [COMMIT]`.

This tree's benchmark (`benchmarks.engine`) runs on both versions, in turns, for a given number of pairs. It prints, for each row, the ratios
of the medians and of the 99th percentiles, this tree's by the base's: the median of the pairs. Where a row's median is slower by half in
every pair, the program fails. For keys the 99th percentile decides, too; elsewhere it depends on few values, and on other processes. Rows
missing in one version are named. There are no absolute times, so the result means the same on every machine.

Without a commit it is the one in benchmarks/base_commit, see CONTRIBUTING.md. `--quick` is for CI: three pairs, few rounds.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engine import PAUSE, SIZES, TYPESCRIPT_SIZE, Times, p99, run, text_of, typescript_text

ROOT = Path(__file__).parent.parent
PINNED = ROOT / "benchmarks" / "base_commit"
SLOWER = 1.5
"""The ratio of medians above which a row is slower."""
_KEY = "keystroke"
"""The mark of rows of keys, by name: somebody waits for the slowest, too."""
_PACKAGES = ("common", "lsp_server", "model", "parser", "slua")
Pair = tuple[Times, Times]
"""Times by row at the base and here."""


@dataclass(frozen=True)
class Row:
    """A row of both versions: the ratios of all pairs."""

    name: str
    medians: Sequence[float]
    p99s: Sequence[float]

    @property
    def slower(self) -> bool:
        """Whether its median, or for keys the 99th percentile, is slower by half in every pair."""
        return min(self.medians) > SLOWER or (_KEY in self.name and min(self.p99s) > SLOWER)


def compared(pairs: Sequence[Pair]) -> tuple[list[Row], list[str], list[str]]:
    """The rows of both versions, the base's only, and this tree's only, in at least one pair."""
    names = list(dict.fromkeys(name for pair in pairs for side in pair for name in side))
    only_base = [name for name in names if not all(name in here for _, here in pairs)]
    only_here = [name for name in names if not all(name in base for base, _ in pairs)]
    both = [name for name in names if name not in only_base and name not in only_here]
    rows = [Row(name, _ratios(pairs, name, statistics.median), _ratios(pairs, name, p99)) for name in both]
    return rows, only_base, only_here


def _ratios(pairs: Sequence[Pair], name: str, what: Callable[[Sequence[float]], float]) -> list[float]:
    return [what(here[name]) / max(what(base[name]), 1e-9) for base, here in pairs]


def report(pairs: Sequence[Pair]) -> tuple[str, bool]:
    """The report on some pairs of runs, and whether this tree may land."""
    rows, only_base, only_here = compared(pairs)
    width = max((len(row.name) for row in rows), default=0)
    lines = [f"{'times as long as at the base':{width}}{'median':>8}{'p99':>8}   medians of the pairs"]
    for row in rows:
        each = " ".join(f"{ratio:.2f}" for ratio in row.medians)
        ratios = f"{statistics.median(row.medians):8.2f}{statistics.median(row.p99s):8.2f}"
        lines.append(f"{row.name:{width}}{ratios}   {each}{'   SLOWER' if row.slower else ''}")
    lines += [f"only at the base: {name}" for name in only_base] + [f"only here: {name}" for name in only_here]
    slower = [row.name for row in rows if row.slower]
    if slower:
        lines.append(f"FAILED: slower by half in {len(pairs)} pairs of {len(pairs)}: {'; '.join(slower)}")
    if not rows:
        lines.append("FAILED: there is no row that both versions have")
    return "\n".join(lines), bool(rows) and not slower


def unpacked(commit: str, into: Path) -> Path:
    """A folder for `PYTHONPATH` with a commit's packages in it."""
    with (
        subprocess.Popen(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE) as git,
        tarfile.open(fileobj=git.stdout, mode="r|") as archive,
    ):
        archive.extractall(into / "suture", filter="data")
    if git.returncode:
        raise subprocess.CalledProcessError(git.returncode, "git archive")
    return into


def linked(tree: Path, into: Path) -> Path:
    """The same for the present working tree."""
    folder = into / "suture"
    folder.mkdir(parents=True)
    for name in _PACKAGES:
        if (tree / name).is_dir():
            (folder / name).symlink_to((tree / name).absolute(), target_is_directory=True)
    return into


@dataclass(frozen=True)
class Plan:
    """The runs for each version and pair."""

    sizes: Sequence[int]
    broken: Sequence[int]
    """The sizes to measure a broken file in, too."""
    rounds: int
    files: int
    typescript: Sequence[int] = ()
    """Sizes of TypeScript's text."""
    seed: int = 1

    def texts(self, folder: Path) -> dict[tuple[str, int], Path]:
        """The text of each part and size, as a file."""
        texts = {size: text_of(size, random.Random(self.seed)) for size in self.sizes}
        made = {(part, size): text for part in ("suture", "broken") for size, text in texts.items()}
        made |= {("typescript", size): typescript_text(size) for size in self.typescript}
        paths = {key: folder / f"{key[0]}-{key[1]}.txt" for key in made}
        for key, path in paths.items():
            path.write_text(made[key], encoding="utf-8", newline="")
        return paths

    def times(self, tree: Path, texts: Mapping[tuple[str, int], Path]) -> Times:
        """Times by row of one version; tree: a folder for `PYTHONPATH`."""
        measured: Times = {}
        parts = [
            (part, size, self.rounds)
            for part, sizes in (("suture", self.sizes), ("broken", self.broken), ("typescript", self.typescript))
            for size in sizes
        ]
        for part, size, rounds in [*parts, ("files", 0, self.files)]:
            done = run(part, texts.get((part, size)), rounds, self.seed, tree)
            if not Path(done["tree"]).is_relative_to(tree):
                raise RuntimeError(f"{done['tree']} was measured instead of {tree}")
            label = "TypeScript, " if part == "typescript" else ""
            label += f"{size // 1000:,}k: " if size else ""
            measured |= {f"{label}{row}": times for row, times in done["times"].items() if row != PAUSE}
        return measured


def pairs_of(base: Path, here: Path, plan: Plan, count: int, folder: Path) -> Iterable[Pair]:
    """Runs of two versions in turns."""
    texts = plan.texts(folder)
    warm = Plan(plan.sizes[:1], (), 1, 1)
    for tree in (base, here):
        warm.times(tree, texts)  # compiles modules, and caches tables of grammars on disk
    for number in range(count):
        first, second = (base, here) if number % 2 == 0 else (here, base)
        runs = {tree: plan.times(tree, texts) for tree in (first, second)}
        yield runs[base], runs[here]


def has_commit(commit: str) -> bool:
    """Whether a commit is in this clone."""
    asked = subprocess.run(
        ["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, capture_output=True, check=False
    )
    return asked.returncode == 0


def main(given: Sequence[str] | None = None) -> int:
    """Print the ratios; 1 where a row is slower, 2 where the base is missing and required."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("base", nargs="?", default=PINNED.read_text("utf-8").strip(), help="a commit")
    arguments.add_argument("--pairs", type=int, default=None, help="5, of --quick 3")
    arguments.add_argument("--quick", action="store_true", help="as CI does: three minutes at most, on two busy cores")
    arguments.add_argument("--required", action="store_true", help="fail where the commit is not in this clone")
    options = arguments.parse_args(given)
    if not has_commit(options.base):
        print(
            f"WARNING: nothing was compared: {options.base} is not in this clone. `git fetch --unshallow` gets it.",
            file=sys.stderr,
        )
        return 2 if options.required else 0
    plan = (
        Plan(SIZES[1:], SIZES[1::2], 4, 12, (TYPESCRIPT_SIZE,))
        if options.quick
        else Plan(SIZES, SIZES, 20, 40, (TYPESCRIPT_SIZE,))
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base, here = unpacked(options.base, folder / "base"), linked(ROOT, folder / "here")
        count = options.pairs or (3 if options.quick else 5)
        text, fast_enough = report(list(pairs_of(base, here, plan, count, folder)))
    print(text)
    return 0 if fast_enough else 1


if __name__ == "__main__":
    sys.exit(main())
