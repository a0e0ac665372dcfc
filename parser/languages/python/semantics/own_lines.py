"""The undefined names caused by the logical lines of a text.

Such a line may bind the name itself, for the lines behind it. Without the text of `x = x`, and so without the binding, `print(x)` below reads
an undefined name, too, so comparing the file with and without the text shows nothing new.
"""

from __future__ import annotations

from collections.abc import Iterator

from .blocks import Open, at_column, with_line
from .contents import EMPTY, Names
from .line_values import Line
from .lines import lines_of
from .names import header_binds
from .operations import Operations, changed, each, inner, together
from .place import Place
from .reading import Reading
from .scopes import close_block, content_of
from .sets import NONE
from .tokens import START, lex

_READS = frozenset(("use", "noted", "touch", "lost"))
_BINDS = frozenset(("bind", "imported", "annotated value", "walrus"))


class OwnLines:
    """The logical lines around and within a text."""

    def __init__(self, place: Place, reading: Reading, written: str) -> None:
        """reading: the one after the text."""
        document = place.document
        begin, self._end = document.line_begin(place.offset), place.end_of_line(reading)[1]
        text = document.text[begin : place.offset] + written + document.text[place.offset : self._end]
        self._place = place
        self._block = document.before(begin).block
        self._lines = lines_of(lex(START, text, end=True)[0], place.dialect)

    def alone_read(self, names: Names) -> Names:
        """The given undefined names that no other line reads unbound."""
        place, block = self._place, self._block
        for line in self._lines:
            block = with_line(at_column(block, line.column, place.dialect), _unread(line, names), place.dialect)
        verdict = place.judge.verdict(block, place.document.behind(self._end))
        return names - verdict.undefined - place.judge.undefined_in(verdict, names)

    def read_and_bind(self, names: Names) -> Names:
        """The given names bound somewhere in the lines and read unbound by one of them."""
        place, block, unbound = self._place, self._block, NONE
        bound = names.intersection(name for line in self._lines for name in _bound_in(line, place.dialect.version))
        for line in self._lines if bound else ():
            block = at_column(block, line.column, place.dialect)
            unbound |= frozenset(name for name in bound if self._is_read_in_vain(name, line, block))
            block = with_line(block, line, place.dialect)
        return unbound

    def _is_read_in_vain(self, name: str, line: Line, block: Open) -> bool:
        dialect, scope = self._place.dialect, self._place.scope(block)
        content = content_of(line, dialect) if line.header is None else close_block(line.header, EMPTY, dialect)
        if name in content.needs or name in content.lost:
            return not scope.is_bound_before(name)
        return (name in content.later or name in content.noted) and not scope.later().is_bound(name)


def _bound_in(line: Line, version: tuple[int, int]) -> Iterator[str]:
    """The names bound by a line, including those in the scopes within it."""
    yield from _bound(line.items)
    if line.header is not None:
        yield from header_binds(line.header, version)
        yield line.header.name or ""
        yield from _bound(line.header.items)
        yield from _bound(line.header.scoped)


def _bound(items: Operations) -> Iterator[str]:
    for item in each(items):
        if item[0] in _BINDS:
            yield item[1]
        elif item[0] == "lambda":
            yield from item[1]
        for part in inner(item):
            yield from _bound(part)


def _unread(line: Line, names: Names) -> Line:
    """The line without its reads of some names."""
    header = line.header
    if header is not None:
        header = header._replace(items=_without(header.items, names), scoped=_without(header.scoped, names))
    return line._replace(header=header, items=_without(line.items, names), content=None)


def _without(items: Operations, names: Names) -> Operations:
    kept = (item for item in each(items) if item[0] not in _READS or item[1] not in names)
    return together(*(changed(item, lambda part: _without(part, names)) for item in kept))
