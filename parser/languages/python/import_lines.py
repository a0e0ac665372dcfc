"""The imports at the top of a Python file, with their places, and the place for another one.

Imports are in groups (standard library, installed packages, the project's own, relative ones), each sorted alphabetically, `import x` before
`from x import y`, like isort, ruff and most people. A file's own order takes precedence, as far as it can be told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ....common.possessive import compiled
from ...importing import Insertion
from .layout import ASYNC, BRANCHES, DEFINITIONS, LOOPS, one_of
from .semantics.statement_ends import blanks_end, line_end

LIBRARY, INSTALLED, OWN, RELATIVE = range(1, 5)
"""The groups of imports, in their order."""
_FUTURE = "__future__"
_IMPORT = compiled(r"import[ \t]++(?P<modules>[^\n;#\\]++)")
_FROM = compiled(
    r"from[ \t]*+(?P<module>\.++(?:[ \t]*+(?!import\b)[\w.]++)?+|[\w.]++)[ \t]*+import\b[ \t]*+(?P<open>\([ \t]*+)?"
)
_MEMBER = compiled(r"(?P<name>\w+)(?:[ \t]++as[ \t]++(?P<here>\w+))?")
_COMMENT = re.compile(r"#[^\n]*")
_COMMENTS = re.compile(r"(?:^\ufeff?#[^\n]*\n)+", re.MULTILINE)
_DOCUMENTED = compiled(r"[rRuU]?(?:\"|')")
_ENDS = re.compile(rf"(?:{ASYNC})?{one_of((*DEFINITIONS, *LOOPS, 'match', 'with'))}\b|@")
_BLOCK = re.compile(rf"{one_of(BRANCHES)}\b")
_DEFINES = re.compile(rf"(?:{ASYNC})?{one_of(DEFINITIONS)}\b|@")
_MAX_STATEMENTS = 400
_NARROW, _WIDE = 88, 120
"""Characters of a line: the usual number, and the most, in files with longer lines."""


class Member(NamedTuple):
    """A name imported from a module."""

    begin: int
    end: int
    """with its name here"""
    name: str
    here: str


@dataclass(frozen=True)
class ImportLine:
    """An import statement at the margin; its end is behind its line end."""

    begin: int
    end: int
    module: str
    """with leading dots; the first one of `import a, b`"""
    renamed: str = ""
    """the name after `as`; the first of several"""
    is_from: bool = False
    members: tuple[Member, ...] = ()
    """of `from module import ...`"""
    bracketed: bool = False


@dataclass(frozen=True)
class Top:
    """The beginning of a file, up to the last place for another import."""

    lines: tuple[ImportLine, ...]
    """the first run of imports, without those of the future"""
    free: int
    """the place for the first import"""
    limit: int
    """the beginning of the statement that no import may go into or behind"""


def imported_names(text: str) -> Iterator[tuple[str, str]]:
    """(name, the statement that imports it alone) for the imports at a file's top."""
    for line in read_top(text, len(text)).lines:
        if line.is_from:
            for member in line.members:
                yield member.here, statement_of(line.module, member.name, member.here)
        else:
            modules = _IMPORT.match(text, line.begin, line.end)
            for part in modules["modules"].split(",") if modules is not None else ():
                words = part.split()
                if len(words) == 3 and words[1] == "as":
                    yield words[2], statement_of(words[0], "", words[2])
                elif len(words) == 1 and "." not in words[0]:
                    yield words[0], statement_of(words[0], "", words[0])


def statement_of(module: str, name: str, here: str) -> str:
    """The statement that imports a module, or a name from it."""
    behind = f" as {here}" if here != (name or module) else ""
    return f"from {module} import {name}{behind}" if name else f"import {module}{behind}"


def read_top(text: str, offset: int) -> Top:
    """Read the imports above the line of an offset."""
    position = int(text.startswith("\ufeff"))
    stop = max(position, text.rfind("\n", 0, offset) + 1, text.rfind("\r", 0, offset) + 1)
    free: int | None = None
    lines: list[ImportLine] = []
    together, limit = True, stop
    for number in range(_MAX_STATEMENTS):
        begin = blanks_end(text, position, stop)
        end = line_end(text, begin, stop) if begin < stop else None
        if free is None and number == 0 and not (end is not None and _DOCUMENTED.match(text, begin)):
            free = _behind_comments(text, begin)
        limit = min(begin, stop)
        if end is None or _ENDS.match(text, begin):
            break
        limit = position = end
        line = _read(text, begin, end)
        if line is not None and line.module == _FUTURE:
            free = end
        elif line is not None:
            if together:
                lines.append(line)
        elif free is None:
            free = end
        elif lines and text[begin] not in " \t" and not _BLOCK.match(text, begin):
            together = False
    return Top(tuple(lines), free or 0, limit)


def _behind_comments(text: str, begin: int) -> int:
    """The offset behind the comments at the top of a file, except those touching its first statement; begin: the statement's offset."""
    ends = [m.end() for m in _COMMENTS.finditer(text, 0, begin)]
    if len(ends) > 1 and ends[-1] == begin:
        ends.pop()
    return ends[-1] if ends else text.startswith("\ufeff")


def _read(text: str, begin: int, end: int) -> ImportLine | None:
    plain = _IMPORT.match(text, begin, end)
    if plain is not None:
        words = plain["modules"].partition(",")[0].split()
        return ImportLine(begin, end, "".join(words[:1]), "".join(words[2:3]))
    match = _FROM.match(text, begin, end)
    if match is None:
        return None
    code = _COMMENT.sub(lambda comment: " " * len(comment[0]), text[match.end() : end])
    members = tuple(
        Member(match.end() + m.start(), match.end() + m.end(), m["name"], m["here"] or m["name"])
        for m in _MEMBER.finditer(code)
    )
    renamed = next((member.here for member in members[:1] if member.here != member.name), "")
    module, bracketed = "".join(match["module"].split()), match["open"] is not None
    return ImportLine(begin, end, module, renamed, True, members, bracketed)


def place(
    text: str, offset: int, statement: str, group_of: Callable[[str], int], newline: str
) -> tuple[Insertion, ...]:
    """The insertions that add an import in its order above the statement at an offset; () if none can be added.

    group_of: the group of a module, with leading dots where it is relative.
    """
    top = read_top(text, offset)
    new = _read(statement + "\n", 0, len(statement) + 1)
    if new is None or top.free > top.limit:
        return ()
    same = [line for line in top.lines if line.module == new.module and _is_plain(line) and _is_plain(new)]
    for line in same:
        joined = _joined(text, line, statement[new.members[0].begin :], newline)
        if joined:
            return joined
    if not top.lines:
        return (_first(text, top, statement, newline),)
    return (_among(text, top, new, statement, group_of, newline),)


def _is_plain(line: ImportLine) -> bool:
    """Whether a line imports names from a module without renaming. A renaming import has its own line."""
    return line.is_from and all(member.name == member.here for member in line.members)


def _first(text: str, top: Top, statement: str, newline: str) -> Insertion:
    """The first import of a file, with blank lines around it."""
    offset = top.free
    above = text[:offset].replace("\r\n", "\n")
    before = "" if above in ("", "\ufeff") or above.endswith("\n\n") else newline
    behind = ""
    rest = text[offset:]
    if rest.strip():
        blank = len(rest) - len(rest.lstrip("\r\n \t"))
        wanted = 2 if _DEFINES.match(rest.lstrip()) else 1
        behind = newline * max(0, wanted - rest.count("\n", 0, rest.rfind("\n", 0, blank) + 1))
    return Insertion(offset, f"{before}{statement}{newline}{behind}")


def _among(
    text: str, top: Top, new: ImportLine, statement: str, group_of: Callable[[str], int], newline: str
) -> Insertion:
    """The insertion of an import among others."""
    blocks = _blocks(text, top.lines)
    group = group_of(new.module)
    groups = [[group_of(line.module) for line in block] for block in blocks]
    same = [number for number, members in enumerate(groups) if group in members]
    if not same and (len(blocks) > 1 or len(set(groups[0])) == 1):  # all blocks are of other groups
        before = [block for block, members in zip(blocks, groups, strict=True) if max(members) < group]
        if before:
            return Insertion(before[-1][-1].end, f"{newline}{statement}{newline}")
        return Insertion(_begin(text, blocks[0][0], top), f"{statement}{newline}{newline}")
    package = new.module.partition(".")[0]
    related = (number for number in same if any(line.module.partition(".")[0] == package for line in blocks[number]))
    block = blocks[next(related, same[0] if same else 0)]
    mixed = _mixes_kinds(blocks)

    def key(line: ImportLine) -> tuple[object, ...]:
        kind, name = line.is_from, _by_module(line.module)
        by_module = (name, kind) if mixed else (kind, name)
        return group_of(line.module), *by_module, _order(line.members[0].name if line.members else ""), line.renamed

    last: ImportLine | None = None
    ordered = [key(line) for line in block] == sorted(key(line) for line in block)
    for line in block:
        kind = line.is_from == new.is_from
        if key(line) < key(new) if ordered else (kind and group_of(line.module) == group):
            last = line
    if last is None and not ordered:
        last = block[-1]
    if last is None:
        return Insertion(_begin(text, block[0], top), f"{statement}{newline}")
    return Insertion(last.end, f"{statement}{newline}")


def _begin(text: str, line: ImportLine, top: Top) -> int:
    """The offset for an insertion before an import: above the comments on it."""
    begin = line.begin
    while begin > top.free:
        above = text.rfind("\n", 0, begin - 1) + 1
        if above < top.free or not text[above:begin].startswith("#") or above == 0:
            break
        begin = above
    return begin


def _blocks(text: str, lines: Sequence[ImportLine]) -> list[list[ImportLine]]:
    """Imports with nothing but comments between them."""
    blocks: list[list[ImportLine]] = []
    for line in lines:
        between = text[blocks[-1][-1].end : line.begin] if blocks else "\n"
        if all(row.strip() for row in between.splitlines()) and between[:1] not in (" ", "\t"):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _mixes_kinds(blocks: Sequence[Sequence[ImportLine]]) -> bool:
    """Whether both kinds of imports are sorted together, by their modules."""
    for block in blocks:
        kinds = [line.is_from for line in block]
        if kinds != sorted(kinds):
            names = [_by_module(line.module) for line in block]
            return names == sorted(names)
    return False


def _by_module(module: str) -> tuple[int, str]:
    """The key of a module: packages further up first, each before its modules."""
    name = module.lstrip(".")
    return len(name) - len(module), name.lower()


def _order(name: str) -> tuple[int, str]:
    """The key of a name: constants, classes, functions."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name.lower()


def _by_letters(name: str) -> tuple[int, str]:
    return 0, name.lower()


def _joined(text: str, line: ImportLine, member: str, newline: str) -> tuple[Insertion, ...]:
    """The insertion of a name into an import of others from the same module; () where that is impossible."""
    members = line.members
    names = [imported.name for imported in members]
    statement = text[line.begin : line.end]
    if not names or "*" in statement or ";" in statement or "\\" in statement:
        return ()
    key = next((order for order in (_order, _by_letters) if names == sorted(names, key=order)), None)
    name = member.split()[0]
    number = len(names) if key is None else sum(key(imported) <= key(name) for imported in names)
    if line.bracketed and "\n" in statement.rstrip():
        return _joined_in_lines(text, line, member, number, newline)
    if "#" in statement:
        return ()
    if len(statement.rstrip()) + len(member) + 2 > _width(text):
        return () if line.bracketed else _in_lines(line, member, number, newline)
    if number < len(members):
        return (Insertion(members[number].begin, f"{member}, "),)
    return (Insertion(members[-1].end, f", {member}"),)


def _width(text: str) -> int:
    """The number of characters allowed in a file's lines, judged by the longest."""
    return max(_NARROW, min(_WIDE, max(map(len, text.splitlines()), default=0)))


def _in_lines(line: ImportLine, member: str, number: int, newline: str) -> tuple[Insertion, ...]:
    """The insertions that bracket the import, with one name a line."""
    members = line.members
    insertions = [Insertion(members[0].begin, f"({newline}    ")]
    for position, imported in enumerate(members):
        if position == number:
            insertions.append(Insertion(imported.begin, f"{member},{newline}    "))
        last = position + 1 == len(members)
        if last:
            behind = f",{newline}    {member}" if number == len(members) else ""
            insertions.append(Insertion(imported.end, f"{behind},{newline})"))
        else:
            insertions.append(Insertion(imported.end + 1, f"{newline}   "))
    return tuple(insertions)


def _joined_in_lines(text: str, line: ImportLine, member: str, number: int, newline: str) -> tuple[Insertion, ...]:
    """The insertion of a name among names already on several lines."""
    members = line.members
    begins = [text.rfind("\n", 0, imported.begin) + 1 for imported in members]
    if number < len(members):
        indent = text[begins[number] : members[number].begin]
        if indent.strip():
            return (Insertion(members[number].begin, f"{member}, "),)
        return (Insertion(begins[number], f"{indent}{member},{newline}"),)
    indent = text[begins[-1] : members[-1].begin]
    alone = not indent.strip()
    comma = text[members[-1].end : members[-1].end + 1] == ","
    behind = members[-1].end + comma
    if not alone:
        return (Insertion(members[-1].end, f", {member}"),)
    if not comma:
        return (Insertion(behind, f",{newline}{indent}{member}"),)
    end = text.find("\n", behind) + 1  # behind a comment
    if text[end : line.end].lstrip().startswith(")"):
        return (Insertion(end, f"{indent}{member},{newline}"),)
    return (Insertion(behind, f"{newline}{indent}{member},"),)
