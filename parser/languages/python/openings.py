"""The missing blocks of a right context, derived from the demands of its lines.

The search runs a right context outward, with the engine's own tables: from the possible ends of its first logical line (a statement, a
header, a clause), through each block its later lines return to, until they reach an open block. Where a line returns to a column, the block
left there had a header the line can follow: `except` needs a `try`, `case` a `match`. Dijkstra's algorithm over the headers of _HEADERS finds
the cheapest chains; columns and white space are those of the right context's own lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from itertools import count, islice
from typing import NamedTuple

from ....common.bounded import BoundedDict
from ...glr.gss import GssState
from ...glr.layout import SAME_BLOCK, Frame, Line
from ...glr.prefix import Engine
from ...glr.suffix import Result, SuffixContext, TokenStream
from ...lexing.base import LexState
from .layout import BARE, indent_between, indentation, is_inside
from .lexer.words import Name

_KEPT = 32
"""Blocks, with ways into a right context, whose openings are kept."""
_MAX_STEPS = 400
"""Chains tried for one block."""
_MAX_SCAN = 20_000
"""Terminals of the right context searched for the end of its first logical line."""
_HIDDEN = 2
"""Blocks, between two columns of the right context, whose own columns it never returns to: a `match` in a `case` needs one."""
_HEADER = 1.0
"""The cost of a header besides its characters."""

BLOCK, MATCH = "block", "match"
"""The contents of a block: statements; the cases of a `match`."""


class Header(NamedTuple):
    """A header, the lines it needs before it in its column, its parent and the contents of its block."""

    text: str
    before: tuple[str, ...] = ()
    within: str = BLOCK
    opens: str = BLOCK


_HEADERS = (
    Header("if x:"),
    Header("try:"),
    Header("except x:", ("try:x",)),
    Header("except* x:", ("try:x",)),
    Header("match x:", opens=MATCH),
    Header("case x:", within=MATCH),
)
_LAST_CLAUSES = (Header("else:", ("if x:x",)), Header("finally:", ("try:x",)), Header("else:", ("try:x", "except x:x")))
"""Headers followed by no clause, or by fewer than others: only for right contexts that begin with them."""
_LINES = (
    Header("x"),
    Header("if x:x"),
    Header("try:x"),
    Header("except x:x", ("try:x",)),
    Header("except* x:x", ("try:x",)),
    Header("else:x", ("if x:x",)),
    Header("finally:x", ("try:x",)),
    Header("else:x", ("try:x", "except x:x")),
    Header("case x:x", within=MATCH),
)
"""Logical lines that open no block, as above."""


class Opening(NamedTuple):
    """Lines to write before a right context's first logical line."""

    text: str
    """from the beginning of a line to its first symbol"""
    line: str
    """the substitute for that line, or for its part before the right context"""
    cost: float


class _Chain(NamedTuple):
    """Headers from the inside out, as far as they are known."""

    stacks: GssState | None
    """of the innermost block left, its last line ended; None if the right context can continue in any block"""
    run: TokenStream | None
    position: int
    """the position of the Line that leaves the block"""
    opens: str
    """the contents of that block"""
    indent: str
    """its indentation"""
    headers: tuple[tuple[str, Header], ...]
    """(indentation, header), innermost first"""
    first: tuple[str, Header] | None
    """the column of the first line, and its kind"""
    own: Header | None
    """the first line itself, if it is the block's header"""
    hidden: int
    """blocks without a column of their own since the last one with a column"""


class Openings:
    """The openings over one engine."""

    def __init__(self, engine: Engine, keywords: Mapping[str, int], colon: int) -> None:
        """keywords: text -> terminal; colon: the terminal that ends a header."""
        self._engine, self._colon = engine, colon
        texts = {header.text for header in (*_HEADERS, *_LAST_CLAUSES)}
        self._keywords = {t for word, t in keywords.items() if any(text.startswith(word) for text in texts)}
        self._lower = {header: lower for header in (*_HEADERS, *_LAST_CLAUSES) if (lower := self._below(header))}
        self._ended = {line: ended for line in _LINES if (ended := self._after(line))}
        self._known: BoundedDict[tuple[SuffixContext, LexState, Frame], tuple[Opening, ...]] = BoundedDict(_KEPT)

    def of(self, right: SuffixContext, entry: LexState, floor: Frame) -> tuple[Opening, ...]:
        """Openings in a block for a right context entered in a lexer state, cheapest first.

        Their claims are right for any block of statements; for this one, `fits` decides.
        """
        cached: tuple[Opening, ...] | None = self._known.get((right, entry, floor))
        if cached is None:  # several searches in a row ask for the same hole
            cached = self._known[right, entry, floor] = tuple(self._found(right, entry, floor))
        return cached

    def _found(self, right: SuffixContext, entry: LexState, floor: Frame) -> Iterator[Opening]:
        indent = indentation(floor.column, floor.alt_column)
        place = self.first_end(right, entry)
        kinds = self._kinds(right, entry)
        for header in kinds:
            yield _opening((), (indent, header))
        if place is None:
            return
        line = place[0].tokens[place[1]]
        assert isinstance(line, Line)
        if line.column > floor.column and line.column != SAME_BLOCK:
            for chain in self._chains(right, *place, line, floor, kinds):
                assert chain.first is not None
                yield _opening(chain.headers, chain.first)

    def has_header(self, right: SuffixContext, entry: LexState) -> bool:
        """Whether the right context begins with the keyword of a header or clause."""
        first = next(right.run(entry).all_tokens(self._engine), None)
        return isinstance(entry.symbol, Name) or first in self._keywords

    def _kinds(self, right: SuffixContext, entry: LexState) -> list[Header]:
        """The possible kinds of the first logical line: only a header ends with a colon."""
        _, last, length = self._first_line(right, entry)
        lines, headers = list(self._ended), list(self._lower)
        if length > 1 and not self.has_header(right, entry):
            headers = [header for header in headers if header.text.removesuffix(":") not in BARE]
        return lines + headers if last is None else headers if last == self._colon else lines

    def fits(self, right: SuffixContext, entry: LexState, read: tuple[Frame, GssState]) -> bool:
        """Whether the right context can continue after its first logical line, read up to its end."""
        place = self.first_end(right, entry)
        if place is None:
            return True
        frame, stacks = read
        return right.accepts_from(*place, stacks, frame)

    def first_end(self, right: SuffixContext, entry: LexState) -> tuple[TokenStream, int] | None:
        """The Line that ends the right context's first logical line, entered in a state."""
        return self._first_line(right, entry)[0]

    def _first_line(
        self, right: SuffixContext, entry: LexState
    ) -> tuple[tuple[TokenStream, int] | None, int | None, int]:
        """(the Line that ends the first logical line, the terminal before it, the number of terminals up to there)."""
        key = "first line", entry
        if key not in right.told:
            self._engine.ask()
            right.told[key] = self._scan(right, entry)
        return right.told[key]

    def _scan(self, right: SuffixContext, entry: LexState) -> tuple[tuple[TokenStream, int] | None, int | None, int]:
        engine = self._engine
        brackets = engine.factory.brackets
        depth = lowest = 0
        for token in islice(right.run(entry).all_tokens(engine), _MAX_SCAN):
            depth += brackets.get(token, 0) if isinstance(token, int) else 0
            lowest = min(lowest, depth)
        depth, last, length = -lowest, None, 0
        for run, index in islice(right.run(entry).locations(engine), _MAX_SCAN):
            token = run.tokens[index]
            if isinstance(token, int):
                depth += brackets.get(token, 0)
                last = token
                length += 1
            elif depth <= 0:
                return (run, index), last, length
        return None, last, length

    # -- chains

    def _chains(
        self, right: SuffixContext, run: TokenStream, index: int, line: Line, floor: Frame, kinds: list[Header]
    ) -> Iterator[_Chain]:
        """Chains for a first logical line whose end returns to a column right of the floor's, cheapest first."""
        order = count()
        queue = [
            (_cost(chain), next(order), chain, False) for chain in self._first_lines(right, run, index, line, kinds)
        ]
        queue.sort()
        seen: set[object] = set()
        for _ in range(_MAX_STEPS):
            if not queue:
                return
            cost, _, chain, whole = heappop(queue)
            if whole:
                yield chain
                continue
            key = chain.stacks, chain.run, chain.position, chain.opens, chain.indent, chain.own, chain.hidden
            if key in seen:
                continue
            seen.add(key)
            self._engine.ask()
            reached = self._reached(chain)
            if reached is None or reached.column <= floor.column:
                reached = None
                for after in self._on_floor(chain, floor):
                    heappush(queue, (max(cost, _cost(after)), next(order), after, True))
            for after in self._outward(right, chain, reached, floor):
                heappush(queue, (max(cost, _cost(after)), next(order), after, False))

    @staticmethod
    def _reached(chain: _Chain) -> Line | None:
        """The line that leaves the innermost block; None if the right context can continue in any block."""
        token = chain.run.tokens[chain.position] if chain.run is not None else None
        assert not isinstance(token, int)
        return token

    def _first_lines(
        self, right: SuffixContext, run: TokenStream, index: int, line: Line, kinds: list[Header]
    ) -> Iterator[_Chain]:
        """The possible places of the first logical line: in the block of the line after it, as the header of that block, or in a deeper
        block."""
        indent = indentation(line.column, line.alt_column)
        deeper, own = indent + unit_of(right), indent_of(right)
        for header in kinds:
            if header in self._ended:
                ended = self._ended[header]
                result = right.block(run, ended, index + 1, line)
                yield from _left(result, header.within, indent, (), (indent, header), None)
                for inner in (deeper, *([own] if is_inside(indent, own) else ())):
                    yield _Chain(ended, run, index, header.within, inner, (), (inner, header), None, 0)
            else:
                inside = self._engine.factory.open_block(self._lower[header])
                assert inside is not None
                result = right.block(run, inside, index + 1, line)
                yield from _left(result, header.opens, indent, (), None, header)

    def _outward(self, right: SuffixContext, chain: _Chain, line: Line | None, floor: Frame) -> Iterator[_Chain]:
        """Give the innermost block a header: in the column of the line that leaves it, or further right.

        line: None if the block is left for the floor, or never.
        """
        lowest = floor if line is None else line
        there = indentation(lowest.column, lowest.alt_column)
        for header in [chain.own] if chain.own else self._lower:
            if header.opens != chain.opens or (header in _LAST_CLAUSES and not chain.own):
                continue
            closed = None
            if chain.stacks is not None:
                closed = self._engine.factory.close_block(chain.stacks, self._lower[header])
                if closed is None:
                    continue
            if line is not None and closed is not None and chain.run is not None and is_inside(there, chain.indent):
                result = right.block(chain.run, closed, chain.position + 1, line)
                yield from _left(result, header.within, there, *_with(chain, there, header), None)
            if chain.hidden == _HIDDEN:
                continue
            own = _before_own(right, there, chain.indent) if chain.own else None
            for between in dict.fromkeys((indent_between(there, chain.indent), own)):
                if between is None or not (is_inside(there, between) and is_inside(between, chain.indent)):
                    continue
                more = _with(chain, between, header)
                yield _Chain(closed, chain.run, chain.position, header.within, between, *more, None, chain.hidden + 1)

    def _on_floor(self, chain: _Chain, floor: Frame) -> Iterator[_Chain]:
        indent = indentation(floor.column, floor.alt_column)
        if chain.own:  # the first line itself on the floor: there is no chain
            return
        for header in self._lower:
            if header.opens == chain.opens and header not in _LAST_CLAUSES:
                headers, first = _with(chain, indent, header)
                yield chain._replace(headers=headers, first=first)

    # -- substitutes for the lines

    def _below(self, header: Header) -> GssState | None:
        """The stacks below the INDENT of a header's block."""
        body = "case x:x" if header.opens == MATCH else "x"
        left = self._engine.read_text(self._engine.start, _sample(header) + "\n  " + body)
        return left.frame.lower if left is not None else None

    def _after(self, line: Header) -> GssState | None:
        """The stacks after a line without a block, and after its end."""
        left = self._engine.read_text(self._engine.start, _sample(line) + " ")
        assert self._engine.blocks is not None
        return self._engine.factory.advance(left.stacks, self._engine.blocks.newline) if left is not None else None


def _sample(header: Header) -> str:
    """A header or line, in a block of its kind, after another statement there."""
    outer = "match x:\n case x:x\n " if header.within == MATCH else "if x:\n x\n "
    return outer + "\n ".join((*header.before, header.text))


def _left(
    result: Result,
    opens: str,
    indent: str,
    headers: tuple[tuple[str, Header], ...],
    first: tuple[str, Header] | None,
    own: Header | None,
) -> Iterator[_Chain]:
    """A chain at the end of a block, if the block ends."""
    if result is None:
        return
    yield _Chain(*result, opens, indent, headers, first, own, 0)


def _with(chain: _Chain, indent: str, header: Header) -> tuple[tuple[tuple[str, Header], ...], tuple[str, Header]]:
    """(headers, first line) once the innermost block has this header."""
    if chain.own:
        return (), (indent, header)
    assert chain.first is not None
    return (*chain.headers, (indent, header)), chain.first


def _cost(chain: _Chain) -> float:
    return sum(_HEADER + len(h.text) + sum(map(len, h.before)) for _, h in chain.headers) + (
        sum(_HEADER + len(line) for line in chain.first[1].before) + len(chain.first[1].text) if chain.first else 0.0
    )


def _opening(headers: tuple[tuple[str, Header], ...], first: tuple[str, Header]) -> Opening:
    lines = [indent + line for indent, header in reversed(headers) for line in (*header.before, header.text)]
    indent, header = first
    lines += [indent + line for line in header.before]
    cost = sum(_HEADER + len(line.strip()) for line in lines)
    text = "".join(line + "\n" for line in lines) + indent
    return Opening(text, header.text, cost)


# -- white space


def indent_of(right: SuffixContext) -> str:
    """The leading white space of a right context."""
    start = len(right.tail.text) - right.length
    text = right.tail.text[start : start + _LONGEST_INDENT]
    return text[: len(text) - len(text.lstrip(" \t"))]


def _before_own(right: SuffixContext, outer: str, inner: str) -> str | None:
    """White space between two indentations that ends in the right context's beginning."""
    own = indent_of(right)
    longer = (char * length + own for length in range(_LONGEST_INDENT) for char in "\t ")
    return next((indent for indent in longer if is_inside(outer, indent) and is_inside(indent, inner)), None)


def unit_of(right: SuffixContext) -> str:
    """The step of indentation of a right context's blocks: a tab or spaces."""
    if "unit" not in right.told:
        right.told["unit"] = _unit_of(right.tail.text, len(right.tail.text) - right.length)
    return right.told["unit"]


def _unit_of(text: str, start: int) -> str:
    before = ""
    for line in text[start : start + _LOOK_FOR_UNIT].split("\n")[1:]:
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if len(indent) == len(line):
            continue
        longer, shorter = (indent, before) if len(indent) > len(before) else (before, indent)
        if longer != shorter and longer.startswith(shorter):
            step = longer[len(shorter) :]
            if step.strip("\t") == "":
                return "\t"
            if step in _UNITS:
                return step
        before = indent
    return _UNITS[0]


_LONGEST_INDENT = 200
_LOOK_FOR_UNIT = 4_000
_UNITS = ("    ", "  ", "        ")
