"""Existing attributes and valid calls: true ones wrongly refused, and the share of places with known ones.

    python -m benchmarks.attributes FOLDER_OR_FILE... [--seconds 60] [--seed 1]

Takes each logical line out of each file and writes it back, with the rest of the file around it. A line refused for an attribute, the
arguments of a call or an import is printed: it is a mistake, unless the file itself is wrong. The table counts places, and those with known
possibilities.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

from suture.parser.languages.python.semantics.allowed_names import Members
from suture.parser.languages.python.semantics.blocks import at_column
from suture.parser.languages.python.semantics.call_arguments import signature_around
from suture.parser.languages.python.semantics.document import Document
from suture.parser.languages.python.semantics.line_parser import LineParser
from suture.parser.languages.python.semantics.modules import modules_for
from suture.parser.languages.python.semantics.names import Lookup, Scope
from suture.parser.languages.python.semantics.tokens import START, lex
from suture.parser.languages.python.semantics.type_paths import Path as Dotted
from suture.parser.scoping.verdicts import Refused

from .names import compiles

_LONGEST = 200_000


class Counting(Scope):
    """The surroundings of a line, with a count of the questions."""

    counts: ClassVar[Counter[str]] = Counter()

    def _count(self, kind: str, members: Members | None) -> Members | None:
        self.counts[kind] += members is not None
        return members

    def members(self, path: Dotted) -> Members | None:
        """See Scope."""
        self.counts["path"] += 1
        return self._count("attribute", super().members(path))

    def importable(self, module: str) -> Members | None:
        """See Scope."""
        return self._count("import", super().importable(module))


def logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """The spans of a text's logical lines."""
    begin = position = 0
    state = START
    while position < len(text):
        end = text.find("\n", position) + 1 or len(text)
        _, state = lex(state, text[position:end])
        position = end
        if state == START:
            yield begin, position
            begin = position


def check(path: Path, text: str, seen: Counter[str]) -> Iterator[tuple[int, str]]:
    """(line, reason) for each refused line."""
    document = Document((3, 11))
    document.change(text)
    modules = modules_for(path, (3, 11), at_once=True)
    for begin, end in logical_lines(text):
        tokens, _ = lex(START, text[begin:end])
        if not tokens or not isinstance(tokens[0], int):
            continue
        dots = sum(token == "." and str(after).isidentifier() for token, after in pairwise(tokens))
        if tokens[1] == "from":
            seen["imports"] += 1 + sum(token == "," for token in tokens)
        elif tokens[1] != "import":
            seen["attributes"] += dots
        before, behind = document.before(begin), document.behind(end)
        block = at_column(before.block, tokens[0], document.dialect)
        scope = Counting(
            block,
            lambda segment=behind: [segment] if segment else [],
            document.dialect,
            Lookup(names=False, attributes=True, modules=modules),
        )
        parser = LineParser(tokens[0], scope)
        try:
            for token in tokens[1:]:
                assert isinstance(token, str)
                if token == ")" and (call := parser.call) is not None:
                    seen["calls"] += 1
                    signature = signature_around(parser.setting, parser.way, call, scope, rebound=False)
                    Counting.counts["call"] += signature is not None
                parser.feed(token)
        except Refused as refused:
            if refused.kind in ("attributes", "calls"):
                yield text.count("\n", 0, begin) + 1, f"{refused}: {text[begin:end].strip()[:90]}"
        except (KeyError, IndexError, AttributeError, AssertionError, TypeError, ValueError):
            seen["broken"] += 1


def main(arguments: list[str]) -> None:
    """Print the refused lines, and a table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("paths", nargs="+", type=Path)
    options.add_argument("--seconds", type=float, default=60, help="of processor time")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args(arguments)
    files = [file for path in given.paths for file in (path.rglob("*.py") if path.is_dir() else [path])]
    random.Random(given.seed).shuffle(files)
    seen: Counter[str] = Counter()
    refused = 0
    Counting.counts.clear()
    start_s = time.thread_time()
    for file in files:
        if time.thread_time() - start_s > given.seconds:
            break
        try:
            text = file.read_text(encoding="utf-8").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError):
            continue
        if len(text) > _LONGEST or not compiles(text):
            continue
        seen["files"] += 1
        for line, reason in check(file, text, seen):
            refused += 1
            print(f"{file}:{line}: {reason}", flush=True)
    counts = Counting.counts
    print(f"{seen['files']} files, {refused} lines refused, {time.thread_time() - start_s:.0f} s")
    for kind in ("attribute", "call", "import"):
        places = seen[kind + "s"]
        print(f"{kind + 's':12}{places:8}{counts[kind]:8} known{counts[kind] / max(1, places):8.1%}")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
