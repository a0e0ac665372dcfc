"""The possible imports of a file of Go, from the files beside it and the standard library; and their places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...importing import ImportRequest, Insertion, Neighbours
from .semantics.imports import imports_of, known_name
from .semantics.universe import STANDARD

_PACKAGES = Path(__file__).with_name("packages.txt")
"""The packages of the standard library, the most used in other people's code first: of several with one name the first is meant."""
_PART = re.compile(r'//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|`[^`]*`|[^\W\d]\w*|[().;{}]')
_SPECIFICATION = re.compile(r'[ \t]*(?:(?P<name>[\w.]+)[ \t]+)?(?P<path>"[^"\n]*"|`[^`\n]*`)[ \t]*(?P<behind>[^\n]*)')


class GoImporter:
    """See Importer."""

    def __init__(self) -> None:
        self._neighbours = Neighbours(".go")

    def importable(self, asked: ImportRequest) -> Mapping[str, str]:
        counts: dict[str, Counter[str]] = {}
        for _, text in self._neighbours.of(asked):
            for name, statement in _imported(text):
                counts.setdefault(name, Counter())[statement] += 1
        return dict(_library()) | {name: found.most_common(1)[0][0] for name, found in counts.items()}

    def insertions(self, text: str, offset: int, statement: str, asked: ImportRequest) -> tuple[Insertion, ...]:
        found = _SPECIFICATION.match(statement.removeprefix("import"))
        top = read_top(text)
        if found is None or top is None or top.end > text.rfind("\n", 0, offset) + 1:
            return ()
        newline = "\r\n" if "\r\n" in text else "\n"
        return place(text, top, statement.removeprefix("import").strip(), found["path"][1:-1], newline)


@lru_cache(maxsize=1)
def _library() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for path in _PACKAGES.read_text(encoding="utf-8").split():
        found.setdefault(known_name(path) or "", f'import "{path}"')
    return found


@lru_cache(maxsize=256)
def _imported(text: str) -> tuple[tuple[str, str], ...]:
    """(name, statement) of the packages that a file imports, where the name is told by the import or by its use."""
    found: list[tuple[str, str]] = []
    for one in imports_of(text):
        if one.name not in (None, ".", "_") and one.path != "C":
            renamed = one.name != known_name(one.path)
            found.append((str(one.name), f'import {one.name} "{one.path}"' if renamed else f'import "{one.path}"'))
        elif one.name is None:
            name = next((name for name in one.likely() if re.search(rf"(?<![\w.]){name}\.", text)), None)
            if name is not None:
                found.append((name, f'import "{one.path}"'))
    return tuple(found)


@dataclass(frozen=True)
class Specification:
    """One import: its lines, where it begins in them, and where it ends."""

    begin: int
    end: int
    path: str
    alone: bool
    """Is nothing else in its line, but for `import`?"""


@dataclass(frozen=True)
class Declaration:
    """An import declaration."""

    begin: int
    end: int
    grouped: bool
    specifications: tuple[Specification, ...]


@dataclass(frozen=True)
class Top:
    """The beginning of a file."""

    clause: int
    """the end of the package's clause, with its line end"""
    declarations: tuple[Declaration, ...]

    @property
    def end(self) -> int:
        """Where the last of it ends."""
        return self.declarations[-1].end if self.declarations else self.clause


def read_top(text: str) -> Top | None:
    """Read the imports of a file; None where there is no package clause whose line is whole."""
    clause = -1
    found: list[Declaration] = []
    importing = grouped = False
    begin = 0
    package = False
    specifications: list[Specification] = []
    for m in _PART.finditer(text):
        token = m[0]
        if token.startswith(("//", "/*")):
            continue
        if clause < 0:
            if package:
                clause = text.find("\n", m.end()) + 1
                if not clause:
                    return None
            package = token == "package"
        elif not importing:
            if token == "import":
                importing, grouped, begin, specifications = True, False, m.start(), []
            elif token != ";":
                break
        elif token == "(":
            grouped = True
        elif token[0] in '"`':
            line = text.rfind("\n", 0, m.start()) + 1
            one = _SPECIFICATION.fullmatch(text[line : m.end()] if grouped else text[m.start() : m.end()])
            behind = text[m.end() : _line_end(text, m.end())].strip()
            specifications.append(
                Specification(
                    line if grouped else m.start(),
                    m.end(),
                    token[1:-1],
                    one is not None and not behind.startswith((";", ")")),
                )
            )
            if not grouped:
                found.append(Declaration(begin, _line_end(text, m.end()), grouped, tuple(specifications)))
                importing = False
        elif token == ")":
            found.append(Declaration(begin, _line_end(text, m.end()), grouped, tuple(specifications)))
            importing = False
    return Top(clause, tuple(found)) if clause >= 0 and not importing else None


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _is_standard(path: str) -> bool:
    return path.partition("/")[0] in STANDARD


def place(text: str, top: Top, specification: str, path: str, newline: str) -> tuple[Insertion, ...]:
    """The insertion of an import where gofmt and most people would have it."""
    usable = [
        one for one in top.declarations if one.specifications and all(two.path != "C" for two in one.specifications)
    ]
    groups = [one for one in usable if one.grouped and all(two.alone for two in one.specifications)]
    if groups:
        return (_in_group(text, groups, specification, path, newline),)
    if len(usable) == 1 and not usable[0].grouped:
        only = usable[0].specifications[0]
        begin = text.find("import", usable[0].begin) + len("import")
        spaces = begin + len(text[begin:]) - len(text[begin:].lstrip(" \t"))
        if text[only.end : usable[0].end].strip() == "" and text[begin:spaces].strip() == "" and spaces > begin:
            group = _is_standard(path), _is_standard(only.path)
            apart = newline if group[0] != group[1] else ""
            if (not group[0], path) < (not group[1], only.path):
                return (
                    Insertion(spaces, f"({newline}\t{specification}{newline}{apart}\t"),
                    Insertion(only.end, f"{newline})"),
                )
            return (
                Insertion(spaces, f"({newline}\t"),
                Insertion(only.end, f"{newline}{apart}\t{specification}{newline})"),
            )
    if usable:
        before = [one for one in usable if one.specifications[0].path < path]
        at = before[-1].end if before else usable[0].begin
        return (Insertion(at, f"import {specification}{newline}"),)
    at = top.end
    rest = text[at:]
    behind = "" if not rest.strip() or rest.lstrip(" \t\r")[:1] == "\n" else newline
    return (Insertion(at, f"{newline}import {specification}{newline}{behind}"),)


def _in_group(text: str, groups: Sequence[Declaration], specification: str, path: str, newline: str) -> Insertion:
    """A line in an import declaration with brackets: in the block of imports of its kind, in the order of their paths."""
    standard = _is_standard(path)
    blocks = [block for one in groups for block in _blocks(text, one.specifications)]
    same = [block for block in blocks if any(_is_standard(one.path) == standard for one in block)]
    if not standard and same:
        same = [max(same, key=lambda block: max(_shared(one.path, path) for one in block))]
    if not same:
        if standard:
            return Insertion(blocks[0][0].begin, f"\t{specification}{newline}{newline}")
        return Insertion(_line_end(text, blocks[-1][-1].end), f"{newline}\t{specification}{newline}")
    block = same[0]
    before = [one for one in block if one.path < path and (_is_standard(one.path) == standard or one.path < path)]
    if before:
        return Insertion(_line_end(text, before[-1].end), f"\t{specification}{newline}")
    return Insertion(block[0].begin, f"\t{specification}{newline}")


def _blocks(text: str, specifications: Sequence[Specification]) -> list[list[Specification]]:
    """Imports that no blank line and no comment stands between."""
    found: list[list[Specification]] = []
    for one in specifications:
        between = text[_line_end(text, found[-1][-1].end) : one.begin] if found else "\n"
        if not between.strip() and "\n" not in between:
            found[-1].append(one)
        else:
            found.append([one])
    return found


def _shared(one: str, other: str) -> int:
    """The elements at the beginning that two paths have in common."""
    count = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count
