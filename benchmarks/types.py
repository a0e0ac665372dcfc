"""Attributes refused, by our own resolver and by a type checker: true ones, and nonexistent ones.

    python -m benchmarks.types FOLDER... [--language python|typescript|go] [--places 200] [--seed 1] [--rest] [--arguments] [--wait 30]

Takes an attribute (with --arguments, the name of a keyword argument) out of a file of each folder, the root of a project, and asks for the
possible names there; with --rest, the rest of its line is taken out, too. A refused true one is printed: it is a mistake, unless the file
itself is wrong. The table counts the places that refuse a nonexistent name, by our own resolver, by the type checker, and by both. Times are
wall-clock times.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from suture.common.reach import Reach
from suture.lsp_server.types.checker import Bounds
from suture.lsp_server.types.monitor import NO_ANSWER, Monitor, said
from suture.parser import Session, imports_for, language

from .names import compiles

_NONSENSE = "frobnicated_widget"
_LONGEST = 200_000
_SUFFIX = {"python": "py", "typescript": "ts", "go": "go"}
_OTHERS = frozenset(("node_modules", "vendor"))
_MEMBER = re.compile(r"(?<=[\w)\]])\??\.(?=[^\W\d])(\w+)")
_STRING = re.compile(r"""(\"{3}|'{3}|["'])(?:\\.|.)*?\1""", re.DOTALL)
_NO_CODE = re.compile(r"//|^\s*/?\*|['\"`]|^\s*(?:import|export .* from|package)\b|\d$")
"""Before a member: a comment, or perhaps a string."""


@dataclass(frozen=True)
class Taken:
    """A name taken out of a file."""

    path: Path
    text: str
    begin: int
    end: int

    @property
    def name(self) -> str:
        """The true name."""
        return self.text[self.begin : self.end]


def places(path: Path, text: str, *, arguments: bool) -> Iterator[Taken]:
    """The attributes read in a file, or the names of arguments in its calls."""
    lines = [0]
    for line in text.split("\n"):
        lines.append(lines[-1] + len(line) + 1)

    def offset(line: int, column: int) -> int:
        begin = lines[line - 1]
        return begin + len(text[begin : lines[line]].encode()[:column].decode())

    for node in ast.walk(ast.parse(text)):
        if arguments and isinstance(node, ast.keyword) and node.arg is not None:
            begin = offset(node.lineno, node.col_offset)
            if text.startswith(node.arg + "=", begin):
                yield Taken(path, text, begin, begin + len(node.arg))
        elif not arguments and isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            end = offset(node.end_lineno or 0, node.end_col_offset or 0)
            begin = end - len(node.attr)
            if text[begin:end] == node.attr and text[begin - 1] == ".":
                yield Taken(path, text, begin, end)


def members(path: Path, text: str) -> Iterator[Taken]:
    """The members behind dots in a file of another language, judged line by line."""
    for match in _MEMBER.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not _NO_CODE.search(line) and text[match.end() : match.end() + 1] not in "'\"`/":
            yield Taken(path, text, *match.span(1))


class Run:
    """The counts over the places of all folders."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.monitor = Monitor(Bounds(first_s=120.0))
        self.options = options
        self.counts: Counter[str] = Counter()
        self.asking_s: list[float] = []

    def see(self, root: Path, taken: Taken, session: Session) -> None:
        """Ask at one place."""
        wanted, text = taken.name, taken.text
        left, right = text[: taken.begin], text[taken.end :]
        nonsense = _NONSENSE
        if self.options.arguments:
            right = right[1 + len(_value(text, taken.end + 1)) :]
            wanted, nonsense = f"{wanted}=None", f"{nonsense}=None"
        if self.options.rest:
            right = right[right.find("\n") :] if "\n" in right else ""
        whole = left + right
        session.allowed = None
        own = session.hole(whole, len(left)).state
        if own is None:
            self.counts["no hole"] += 1
            return
        begun_s = time.perf_counter()
        question = self.monitor.question(
            self.options.language,
            str(taken.path),
            session,
            whole,
            len(left),
            reach=Reach(str(root), True),
            program=self.options.program,
        )
        self.asking_s.append(time.perf_counter() - begun_s)
        if question is None:
            self.counts["not asked"] += 1
            return
        question.done.wait(self.options.wait)
        self.counts["places"] += 1
        self.counts["no answer"] += said(question) == NO_ANSWER
        self.counts["closed"] += question.names() is not None
        place = f"{taken.path}:{text.count(chr(10), 0, taken.begin) + 1}"
        if self.options.open and question.names() is None:
            line = text[text.rfind("\n", 0, taken.begin) + 1 : taken.end]
            print(f"open {place}: {line.strip()}", flush=True)
        self.counts["own nonsense"] += (own_refuses := self._refuses(own, nonsense))
        own_lacks = self._refuses(own, wanted)
        self.counts["own truth"] += own_lacks
        if own_lacks:
            print(f"own {place}: {wanted}", flush=True)
        session.allowed = question
        state = session.hole(whole, len(left)).state
        assert state is not None
        refuses = self._refuses(state, nonsense)
        self.counts["both nonsense"] += refuses or own_refuses
        self.counts["nonsense"] += refuses
        self.counts["only own"] += own_refuses and not refuses
        if not own_lacks and self._refuses(state, wanted):
            self.counts["truth"] += 1
            print(f"{place}: {wanted} of {question.owner}", flush=True)

    def _refuses(self, state, name: str) -> bool:
        """Whether a name is refused, as a whole word."""
        after = state.advance(name)
        return after is None or (after.advance(" ") is None if self.options.rest else not after.complete)


def _value(text: str, offset: int) -> str:
    """The value of an argument from an offset on."""
    depth, end = 0, offset
    while end < len(text):
        char = text[end]
        if char in "\"'" and (string := _STRING.match(text, end)):
            end = string.end()
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}" or (char == "," and not depth):
            if not depth:
                break
            depth -= char != ","
        end += 1
    return text[offset:end]


def taken_out(root: Path, count: int, rng: random.Random, name: str, *, arguments: bool) -> Sequence[Taken]:
    """At most `count` places of a project, of files in any order, those of one file together."""
    files = sorted(
        path
        for path in root.rglob(f"*.{_SUFFIX[name]}")
        if not any(part in _OTHERS or part.startswith(".") for part in path.relative_to(root).parts)
    )
    rng.shuffle(files)
    taken: list[Taken] = []
    each = max(4, count // max(1, len(files)))
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if len(text) > _LONGEST or "\r" in text or (name == "python" and not compiles(text)):
            continue
        here = list(places(path, text, arguments=arguments) if name == "python" else members(path, text))
        taken += rng.sample(here, min(each, len(here)))
        if len(taken) >= count:
            break
    return taken[:count]


def main(arguments: list[str]) -> None:
    """Print the wrong refusals, and a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--language", choices=sorted(_SUFFIX), default="python")
    parser.add_argument("--program", help="another type checker than is found")
    parser.add_argument("--open", action="store_true", help="print the places where the gate is open")
    parser.add_argument("--places", type=int, default=200, help="of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rest", action="store_true")
    parser.add_argument("--arguments", action="store_true")
    parser.add_argument("--wait", type=float, default=30.0)
    options = parser.parse_args(arguments)
    run, memory = Run(options), 0
    for root in (folder.resolve() for folder in options.folders):
        session, path = None, None
        for taken in taken_out(
            root, options.places, random.Random(options.seed), options.language, arguments=options.arguments
        ):
            if taken.path != path or session is None:
                path, session = taken.path, language(options.language).session(str(taken.path), str(root))
                session.level = "names"
                session.imports = imports_for(
                    options.language, None, str(path), at_once=True, reach=Reach(str(root), True)
                )
            run.see(root, taken, session)
            memory = max(
                [memory, *(checker.child.memory or 0 for checker in run.monitor.checkers if checker.child is not None)]
            )
    times_s = sorted(time for checker in run.monitor.checkers for time in checker.times_s)
    run.monitor.stop()
    counts, places_ = run.counts, max(1, run.counts["places"])
    print(f"{counts['places']} places, {counts['not asked']} not asked, {counts['no hole']} without a hole")
    for name in ("closed", "no answer", "own nonsense", "nonsense", "both nonsense", "only own", "own truth", "truth"):
        print(f"{name:16}{counts[name]:7}{counts[name] / places_:8.1%}")
    for name, seconds in (("answer", times_s), ("asking", sorted(run.asking_s))):
        if seconds:
            middle, late = statistics.median(seconds), seconds[int(0.95 * (len(seconds) - 1))]
            print(f"{name}: p50 {middle * 1e3:.0f} ms, p95 {late * 1e3:.0f} ms")
    print(f"memory of the checker's own: {memory / 1e6:.0f} MB")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
