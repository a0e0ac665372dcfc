"""The possible imports of a Go file, from the files beside it and the standard library; and their places."""

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
"""The packages of the standard library, the most used in other people's code first: of several with the same name the first is meant."""
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
        return dict(_library()) | {name: statements.most_common(1)[0][0] for name, statements in counts.items()}

    def insertions(self, text: str, offset: int, statement: str, asked: ImportRequest) -> tuple[Insertion, ...]:
        specification = _SPECIFICATION.match(statement.removeprefix("import"))
        top = read_top(text)
        if specification is None or top is None or top.end > text.rfind("\n", 0, offset) + 1:
            return ()
        newline = "\r\n" if "\r\n" in text else "\n"
        return place(text, top, statement.removeprefix("import").strip(), specification["path"][1:-1], newline)


@lru_cache(maxsize=1)
def _library() -> Mapping[str, str]:
    statements: dict[str, str] = {}
    for path in _PACKAGES.read_text(encoding="utf-8").split():
        statements.setdefault(known_name(path) or "", f'import "{path}"')
    return statements


@lru_cache(maxsize=256)
def _imported(text: str) -> tuple[tuple[str, str], ...]:
    """(name, statement) of a file's imported packages, where the import or a use of the name tells it."""
    statements: list[tuple[str, str]] = []
    for imported in imports_of(text):
        if imported.name not in (None, ".", "_") and imported.path != "C":
            renamed = imported.name != known_name(imported.path)
            statements.append(
                (
                    str(imported.name),
                    f'import {imported.name} "{imported.path}"' if renamed else f'import "{imported.path}"',
                )
            )
        elif imported.name is None:
            name = next((name for name in imported.likely() if re.search(rf"(?<![\w.]){name}\.", text)), None)
            if name is not None:
                statements.append((name, f'import "{imported.path}"'))
    return tuple(statements)


@dataclass(frozen=True)
class Specification:
    """One import: its lines, its beginning in them, and its end."""

    begin: int
    end: int
    path: str
    alone: bool
    """whether nothing else is on its line, except `import`"""


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
        """The end of the last declaration."""
        return self.declarations[-1].end if self.declarations else self.clause


def read_top(text: str) -> Top | None:
    """Read the imports of a file; None without a package clause on a whole line."""
    clause = -1
    declarations: list[Declaration] = []
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
            specification = _SPECIFICATION.fullmatch(text[line : m.end()] if grouped else text[m.start() : m.end()])
            behind = text[m.end() : _line_end(text, m.end())].strip()
            specifications.append(
                Specification(
                    line if grouped else m.start(),
                    m.end(),
                    token[1:-1],
                    specification is not None and not behind.startswith((";", ")")),
                )
            )
            if not grouped:
                declarations.append(Declaration(begin, _line_end(text, m.end()), grouped, tuple(specifications)))
                importing = False
        elif token == ")":
            declarations.append(Declaration(begin, _line_end(text, m.end()), grouped, tuple(specifications)))
            importing = False
    return Top(clause, tuple(declarations)) if clause >= 0 and not importing else None


def _line_end(text: str, offset: int) -> int:
    return text.find("\n", offset) + 1 or len(text)


def _is_standard(path: str) -> bool:
    return path.partition("/")[0] in STANDARD


def place(text: str, top: Top, specification: str, path: str, newline: str) -> tuple[Insertion, ...]:
    """The insertion of an import in its usual place, by gofmt and by custom."""
    usable = [
        declaration
        for declaration in top.declarations
        if declaration.specifications and all(specified.path != "C" for specified in declaration.specifications)
    ]
    groups = [
        declaration
        for declaration in usable
        if declaration.grouped and all(specified.alone for specified in declaration.specifications)
    ]
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
        before = [declaration for declaration in usable if declaration.specifications[0].path < path]
        offset = before[-1].end if before else usable[0].begin
        return (Insertion(offset, f"import {specification}{newline}"),)
    offset = top.end
    rest = text[offset:]
    behind = "" if not rest.strip() or rest.lstrip(" \t\r")[:1] == "\n" else newline
    return (Insertion(offset, f"{newline}import {specification}{newline}{behind}"),)


def _in_group(text: str, groups: Sequence[Declaration], specification: str, path: str, newline: str) -> Insertion:
    """A line in an import declaration with brackets: in the block of imports of its kind, sorted by path."""
    standard = _is_standard(path)
    blocks = [block for group in groups for block in _blocks(text, group.specifications)]
    same = [block for block in blocks if any(_is_standard(other.path) == standard for other in block)]
    if not standard and same:
        same = [max(same, key=lambda block: max(_shared(other.path, path) for other in block))]
    if not same:
        if standard:
            return Insertion(blocks[0][0].begin, f"\t{specification}{newline}{newline}")
        return Insertion(_line_end(text, blocks[-1][-1].end), f"{newline}\t{specification}{newline}")
    block = same[0]
    before = [
        other for other in block if other.path < path and (_is_standard(other.path) == standard or other.path < path)
    ]
    if before:
        return Insertion(_line_end(text, before[-1].end), f"\t{specification}{newline}")
    return Insertion(block[0].begin, f"\t{specification}{newline}")


def _blocks(text: str, specifications: Sequence[Specification]) -> list[list[Specification]]:
    """Imports without blank lines or comments between them."""
    blocks: list[list[Specification]] = []
    for specification in specifications:
        between = text[_line_end(text, blocks[-1][-1].end) : specification.begin] if blocks else "\n"
        if not between.strip() and "\n" not in between:
            blocks[-1].append(specification)
        else:
            blocks.append([specification])
    return blocks


def _shared(path: str, other: str) -> int:
    """The number of leading elements shared by two paths."""
    count = 0
    for left, right in zip(path.split("/"), other.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count
