"""True middles of random cuts in whole files are never refused, and accidental ones are judged like the compiler.

    python -m tests.fuzz.middles [--cuts 10000] [--seed 1] [--seconds 600] [--failures FILE] [--generating] [--whole] [--corrupted]

Files of the installed standard libraries of 3.8 to 3.13, and of packages beside them, as far as the version's compiler accepts them. Cuts go
from the top of a file to its end, so that a session reuses its reading.

True middles are written back in pieces, as a model writes them, or with --whole at once, which takes a third of the time. They are judged as
by `suture check`; with --generating as in a completion, which reads no name bound only by later text. In every other file attributes are
checked, too; in every third one, unless --generating, an unbound name is put in a few places. A refused middle is a mistake, unless pyflakes
finds an undefined name in it: such a file is itself wrong.

With --corrupted, names in the middles are swapped, keywords repeated and lines moved, and `compile()` is the judge; in short files for the
running Python, pyflakes judges names. Mistakes are printed, and written to the file of failures as JSON lines. An interrupted run reports its
counts.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import random
import re
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pyflakes import checker, messages
from suture.parser import Level, Session, imports_for, language
from suture.parser.languages.python.versions import VERSIONS

from ..support import oracles
from . import semantics
from .python import Sample, python_files

_PIECE = re.compile(r"[ \t]?\w{1,6}|\s+|[^\w\s]")
_LENGTHS = (1, 4, 12, 30, 60, 120, 250, 600)
_CHARACTERS_A_CUT = 150
_MOST_CUTS = 240
_ACCIDENTS = 3
_BOUND_NOWHERE = "gone"
_TAKEN_BY_THE_COMPILER = frozenset(("super", "__class__", "__debug__"))
_LONGEST_COMPILED = 40_000
_LONGEST_FOR_NAMES = 12_000
_TELL_EVERY = 1000
"""Middles between two lines with the counts so far: a run may be stopped."""


class Cut(NamedTuple):
    """A place in a file."""

    begin: int
    end: int


def cuts(text: str, rng: random.Random) -> list[Cut]:
    """Places at random, the first ones first; a third of them are whole lines."""
    found: list[Cut] = []
    for _ in range(min(_MOST_CUTS, 4 + len(text) // _CHARACTERS_A_CUT)):
        begin = rng.randrange(len(text))
        end = min(len(text), begin + 1 + rng.randrange(rng.choice(_LENGTHS)))
        if rng.random() < 1 / 3:
            begin, end = text.rfind("\n", 0, begin) + 1, text.find("\n", end) + 1 or len(text)
        found.append(Cut(begin, end))
    return sorted(found)


def spoiled(text: str, rng: random.Random) -> str:
    """The file with an unbound name in a few places, if the running Python can parse it."""
    try:
        found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    except (SyntaxError, ValueError, RecursionError):
        return text
    read = [node for node in found if isinstance(node.ctx, ast.Load) and node.id not in _TAKEN_BY_THE_COMPILER]
    lines = text.splitlines(keepends=True)
    chosen = rng.sample(read, min(len(read), 1 + rng.randrange(4)))
    for node in sorted(chosen, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        line = lines[node.lineno - 1] if node.lineno <= len(lines) else ""
        if line.isascii() and line[node.col_offset :].startswith(node.id):
            lines[node.lineno - 1] = line[: node.col_offset] + _BOUND_NOWHERE + line[node.col_offset + len(node.id) :]
    return "".join(lines)


def refused_at(
    session: Session, text: str, cut: Cut, level: Level, exact: bool = True, *, whole: bool = False
) -> str | None:
    """The accepted beginning of the true middle before its refusal, in pieces or at its end; None where all of it is accepted."""
    hole = session.hole(text[: cut.begin] + text[cut.end :], cut.begin, level=level, exact=exact)
    state = hole.state
    taken = ""
    middle = text[cut.begin : cut.end]
    for piece in (middle,) if whole else _PIECE.findall(middle):
        state = state.advance(piece) if state is not None else None
        taken += piece
        if state is None:
            return taken
    return None if state is not None and state.complete else taken + "<END>"


def undefined(text: str) -> dict[str, set[int]] | None:
    """The names undefined by pyflakes, with their lines; None where the running Python cannot parse the text."""
    try:
        found = checker.Checker(ast.parse(text)).messages
    except (SyntaxError, ValueError, RecursionError):
        return None
    names: dict[str, set[int]] = {}
    for one in found:
        if isinstance(one, messages.UndefinedName):
            names.setdefault(str(one.message_args[0]), set()).add(one.lineno)
    return names


def is_new(text: str, cut: Cut) -> bool:
    """Whether pyflakes finds a name undefined only with the middle, or, if the rest does not parse, only in its lines."""
    whole, without = undefined(text) or {}, undefined(text[: cut.begin] + text[cut.end :])
    if without is not None:
        return bool(whole.keys() - without.keys())
    first = text.count("\n", 0, cut.begin) + 1
    inside = range(first, first + text.count("\n", cut.begin, cut.end) + 1)
    return any(all(line in inside for line in lines) for lines in whole.values())


def judged(session: Session, version: str, text: str, cut: Cut, middles: list[str], level: Level) -> list[Sample]:
    """The middles on which the compiler, or pyflakes, disagrees."""
    left, right = text[: cut.begin], text[cut.end :]
    samples = [Sample(left, middle, right) for middle in middles if "\0" not in middle and "\r" not in middle]
    hole = session.hole(left + right, cut.begin, level=level, exact=True)
    found: list[Sample] = []
    for sample, truth in zip(samples, semantics.truths(version, samples, level), strict=True):
        after = hole.state.advance(sample.middle) if hole.state is not None and hole.viable else None
        if truth is not None and (after is not None and after.complete) != truth:
            found.append(sample)
    return found


def files(seed: int) -> Iterator[tuple[str, Path | zipfile.Path, str]]:
    """(version, path, text) of compiling files, in random order."""
    rng = random.Random(seed)
    found = [(version, path) for version in VERSIONS if oracles.find(version) for path in python_files(version)]
    rng.shuffle(found)
    for version, path in found:
        try:
            text = path.read_text(encoding="utf-8").removeprefix("\ufeff")
        except (UnicodeDecodeError, OSError):
            continue
        if 100 < len(text) < 150_000 and oracles.compiler(version).verdicts([text])[0]:
            yield version, path, text


def note(line: dict[str, object], failures: Path | None) -> None:
    """Print a finding, and add it to the file of failures."""
    print(json.dumps(line), flush=True)
    if failures is not None:
        with failures.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def tell(asked: Counter[str], wrong: Counter[str], start_s: float) -> None:
    """Report the progress of a run."""
    took_s = time.process_time() - start_s
    print(f"{asked.total()} so far, {took_s:.0f} s of processor time, {dict(wrong)}", file=sys.stderr, flush=True)


def corrupted(seed: int, count: int, seconds: float, failures: Path | None) -> int:
    """Print the disagreements about changed middles; exit status 1 for any."""
    start_s, rng = time.process_time(), random.Random(seed)
    asked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    with contextlib.suppress(KeyboardInterrupt):
        for version, path, text in files(seed):
            if asked.total() >= count or time.process_time() - start_s > seconds:
                break
            if "\0" in text or "\r" in text or len(text) > _LONGEST_COMPILED:
                continue
            session = language("python", version).session()
            level: Level = "names" if version == semantics.RUNNING and len(text) < _LONGEST_FOR_NAMES else "compile"
            for cut in cuts(text, rng):
                sample = Sample(text[: cut.begin], text[cut.begin : cut.end], text[cut.end :])
                middles = [semantics.accident(sample, rng) for _ in range(_ACCIDENTS)]
                asked[f"{version} {level}"] += len(middles)
                if asked.total() % _TELL_EVERY < len(middles):
                    tell(asked, wrong, start_s)
                for one in judged(session, version, text, cut, middles, level):
                    wrong[level] += 1
                    fields = {"check": level, "version": version, "path": str(path), "begin": cut.begin, "end": cut.end}
                    note({**fields, "middle": one.middle}, failures)
    took_s = time.process_time() - start_s
    oracles.close_all(VERSIONS)
    print(
        f"{asked.total()} corrupted middles ({', '.join(f'{v}: {n}' for v, n in sorted(asked.items()))}), {took_s:.0f} s"
    )
    print(f"wrong verdicts: {dict(wrong)}")
    return int(wrong.total() > 0)


def main(arguments: list[str]) -> int:
    """Print the refusals, and the count; exit status 1 for any mistake."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--cuts", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, default=3600.0, help="of processor time, at most")
    options.add_argument("--failures", type=Path, help="where refused middles are written")
    options.add_argument("--generating", action="store_true", help="the states that completions are made with")
    options.add_argument("--whole", action="store_true", help="middles are written at once, not in pieces")
    options.add_argument("--corrupted", action="store_true", help="middles that are changed instead")
    given = options.parse_args(arguments)
    if given.corrupted:
        return corrupted(given.seed, given.cuts, given.seconds, given.failures)
    exact = not given.generating
    start_s = time.process_time()
    rng = random.Random(given.seed)
    asked: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    with contextlib.suppress(KeyboardInterrupt):
        for number, (version, path, text) in enumerate(files(given.seed)):
            if asked.total() >= given.cuts or time.process_time() - start_s > given.seconds:
                break
            session = language("python", version).session()
            if exact and number % 3 == 2:
                text = spoiled(text, rng)
            if number % 2 and isinstance(path, Path):
                session.imports = imports_for("python", version, path, at_once=True)
            for cut in cuts(text, rng):
                asked[version] += 1
                if asked.total() % _TELL_EVERY == 0:
                    tell(asked, refused, start_s)
                taken = refused_at(session, text, cut, "names", exact, whole=given.whole)
                if taken is None:
                    continue
                kind = "syntax" if refused_at(session, text, cut, "syntax", exact) is not None else "names"
                if kind == "names" and refused_at(session, text, cut, "compile", exact) is not None:
                    kind = "compile"
                if kind == "names" and is_new(text, cut):
                    kind = "undefined in the file"
                refused[kind] += 1
                line = {
                    "kind": kind, "version": version, "path": str(path), "begin": cut.begin, "end": cut.end,
                    "attributes": bool(number % 2), "spoiled": exact and number % 3 == 2, "taken": taken, "middle": text[cut.begin : cut.end],
                }  # fmt: skip
                note(line, given.failures)
    took_s = time.process_time() - start_s
    oracles.close_all(VERSIONS)
    print(f"{asked.total()} true middles ({', '.join(f'{v}: {n}' for v, n in sorted(asked.items()))}), {took_s:.0f} s")
    print(f"refused: {dict(refused)}")
    return int(sum(count for kind, count in refused.items() if kind != "undefined in the file") > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
