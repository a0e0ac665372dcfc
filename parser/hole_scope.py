"""The enclosures that a text in a hole must not close: brackets, blocks, statements and strings continued by the right context.

An *enclosure* is something open at the cursor: a bracket, a block, a string. The right context *keeps* it by closing or continuing it:
- a bracket, when the right context closes it: of the brackets open at the cursor, outermost first, as many are kept as the right
  context has unmatched closing brackets of the same kind;
- a block, when one of the right context's logical lines stands at its column, and no line before that one further left; and
  all blocks around it. The next clause of a statement is another block;
- a compound statement, when the right context's first logical line is its next clause (`else:`), or the body of a header that
  ends at the cursor;
- a string or other symbol, when the right context can only be entered inside it.
A text *leaves* the hole when it closes a kept enclosure, even if it opens another like it: `) + g(` in `f(|)`.
Other enclosures may be closed: with code at column 0 behind it, a body may end.

One text may close a block continued by the right context: on an empty line, or where whole lines are missing, a header that takes
over the following lines, such as `class B:` before a method or `else:` before an indented line. It must have no body of its own.

Brackets and blocks are recognized in the first terminals of the right context (MAX_TERMINALS); enclosures ending further on are not
kept. A line beginning with `def` or the like stands in no bracket, so the code after it adds nothing.
Up to Python 3.11 an f-string is one symbol, and only the braces of its fields count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from .glr.gss import GssState
from .glr.layout import SAME_BLOCK, Frame, Line
from .glr.prefix import Engine, PrefixState, nesting
from .glr.suffix import ANY_TEXT, SuffixContext
from .grammar.lalr import END
from .lexing.base import LexState, Token

MAX_TERMINALS = 2_000
"""Terminals read of the right context; less than a microsecond each, once for a right context."""
MAX_IN_BRACKETS = 50_000
"""The same in languages without blocks, whose brackets are nested throughout the text."""

NOTHING_YET, INSIDE, BEGINNING, HEADER, OUTSIDE = range(5)
"""The state of a text: only blanks, and a header may follow; within the hole; in the first word of a possible header; in a header taking
over the text behind; outside the hole."""
_BLANK = " \t\f"

_NO_STATEMENT, _STATEMENT, _BODY = range(3)
"""The demands on a statement: none; no other statement may begin; nor may another of its clauses."""


@dataclass(frozen=True, slots=True, eq=False)
class Enclosure:
    """The enclosures at one cursor kept by the right context.

    floor: the least nesting (see prefix.py) inside, with so many strings open; watched: `leaves` matters only below this nesting.
    """

    engine: Engine
    floor: int
    strings: int = 0
    watched: int = 0
    level: int = -1
    keeps: int = _NO_STATEMENT
    """the demand on the statement at that level"""
    header: bool = False
    """Whether it is a block continued by the line after an empty one. A header may be missing there."""
    leaving: dict[tuple[PrefixState, str], bool] = field(default_factory=dict[tuple[PrefixState, str], bool])

    @property
    def beginning(self) -> int:
        """The state of an empty text."""
        return NOTHING_YET if self.header else INSIDE

    def follow(self, come_to: int, before: PrefixState, char: str, after: PrefixState) -> int:
        """The state of a text with one more character, read with this result."""
        if come_to == OUTSIDE or (come_to == NOTHING_YET and char in _BLANK):
            return come_to
        if come_to in (BEGINNING, HEADER):
            if after.nesting >= self.floor or after.frame.level > before.frame.level:
                return OUTSIDE
            return HEADER if come_to == HEADER else self._header(before, char, after)
        if after.nesting < self.watched and self.leaves(before, char, after):
            return self._header(before, char, after) if come_to == NOTHING_YET and char not in "\r\n" else OUTSIDE
        return INSIDE

    def follow_text(self, come_to: int, before: PrefixState, text: str, after: PrefixState) -> int:
        """As `follow`, for more text."""
        if come_to == OUTSIDE or (come_to == INSIDE and self._surely_stays(before, text, after)):
            return come_to
        for char in text:
            reached = self.engine.read(before, char)
            assert reached is not None
            if come_to != INSIDE or reached.nesting < self.watched:
                come_to = self.follow(come_to, before, char, reached)
            before = reached
        return come_to

    def _surely_stays(self, before: PrefixState, text: str, after: PrefixState) -> bool:
        """Whether a text emits nothing that could leave the hole, without a look at each character."""
        engine, watched = self.engine, self.watched
        lex, tokens = engine.lexer.step_token(before.lex, text)
        if lex is None:  # the stacks decide how it is read
            return False
        if not tokens and not self.strings and self.keeps != _BODY:
            return True
        if before.nesting < watched or after.nesting < watched:
            return False
        frame, stacks = before.frame, before.stacks
        for token in tokens[:-1]:
            fed = engine.feed(frame, stacks, (token,))
            if fed is None or nesting(fed[0].level, fed[1].depth) < watched:
                return False
            frame, stacks = fed
        return True

    def _header(self, before: PrefixState, char: str, after: PrefixState) -> int:
        """The state of a line beginning left of the block, at a character of its first symbol: a header, or outside."""
        lexer, blocks = self.engine.lexer, self.engine.blocks
        assert blocks is not None
        first = next((token for token in lexer.step(before.lex, char)[1] if isinstance(token, int)), None)
        if first is not None:
            return HEADER if first in blocks.headers else OUTSIDE
        expected = lexer.expected(after.lex)
        may_head = not expected or any(tokens and tokens[0] in blocks.headers for tokens in expected)
        return BEGINNING if may_head else OUTSIDE

    def leaves(self, before: PrefixState, char: str, after: PrefixState) -> bool:
        """Whether a character, read before and with this result, leaves the hole."""
        if after.nesting < self.floor:
            return True
        leaving = self.leaving.get((before, char))
        if leaving is None:
            leaving = self.leaving[before, char] = self._closes(before, char, after)
        return leaving

    def _closes(self, before: PrefixState, char: str, after: PrefixState) -> bool:
        if after.nesting == self.floor and self.engine.lexer.nesting(after.lex) < self.strings:
            return True
        return self.keeps != _NO_STATEMENT and self._begins_statement(before, char)

    def _begins_statement(self, before: PrefixState, char: str) -> bool:
        """Whether a statement, or a clause if that counts, begins at the level."""
        engine, frame, stacks = self.engine, before.frame, before.stacks
        for token in engine.lexer.step(before.lex, char)[1]:
            begins = self.keeps == _BODY or (isinstance(token, int) and _begins(engine, token))
            if begins and frame.level == self.level and _between_statements(engine, stacks):
                return True
            fed = engine.feed(frame, stacks, (token,))
            if fed is None:
                return False
            frame, stacks = fed
        return self.keeps == _BODY and frame.level == self.level and _between_statements(engine, stacks)


def kept(
    left: PrefixState, right: SuffixContext, may_enter: Callable[[LexState], bool], outside: LexState
) -> Enclosure:
    """The enclosures open after left and kept by the right context.

    may_enter: whether the right context can be entered in a lexer state, after some text. outside: the state around the symbol in progress.
    """
    engine, entry = right.engine, left.lex
    strings = engine.lexer.nesting(entry)
    if strings and may_enter(outside):
        entry = outside
    elif engine.blocks is not None or strings:
        inside = may_enter(entry)
        if strings:
            return _from(engine, left.nesting, strings) if inside else _from(engine, 0)
        if not inside:
            entry = outside
            if not may_enter(outside):
                return _from(engine, 0)
    told = _told(right, entry, False)
    level, depth = left.frame.level, left.stacks.depth
    alike = _alike(_open_brackets(engine, left.stacks), told.closers, engine) if told.unmatched and depth else 0
    if alike:
        return _from(engine, nesting(level, alike))
    if engine.blocks is None:
        return _from(engine, 0)
    new_line = isinstance(next(right.run(outside).all_tokens(engine), END), Line)
    kept_block = _kept_block(left, right, told, new_line)
    if kept_block is None:
        kept_block = _kept_block(left, right, _told(right, entry, True), new_line)
    return kept_block or _from(engine, 0)


class _Beginning(NamedTuple):
    """The right context's first terminals; its unmatched closing brackets, outermost first; the indices of its logical lines."""

    tokens: list[Token]
    closers: list[int]
    lines: list[int]

    @property
    def unmatched(self) -> int:
        """The number of unmatched closing brackets."""
        return len(self.closers)


def _open_brackets(engine: Engine, stacks: GssState) -> list[int]:
    """The terminals of the open brackets, outermost first."""
    delta, accessing = engine.factory.brackets, engine.factory.tables.accessing
    brackets: list[int] = []
    node, closed = stacks.tops[0], 0
    while node.parents:
        terminal = accessing[node.state]
        change = delta.get(terminal, 0) if terminal >= 0 else 0
        if change > 0 and not closed:
            brackets.append(terminal)
        elif change:  # a pair of a rule not read to its end, such as that of a condition
            closed -= change
        node = node.parents[0]
    return brackets[::-1]


def _alike(opening: list[int], closing: list[int], engine: Engine) -> int:
    """How many open brackets, outermost first, meet a closing bracket of their own kind: `[` not `)`."""
    pairs = _pairs(engine)
    fit = [(opened, other) in pairs for opened, other in zip(opening, closing, strict=False)]
    return fit.index(False) if False in fit else len(fit)


def _pairs(engine: Engine) -> frozenset[tuple[int, int]]:
    """The terminals of opening and closing brackets paired by some rule of the grammar; also where the closing one is another terminal
    behind a line end."""
    pairs: frozenset[tuple[int, int]] | None = engine.derived.get(_pairs)
    if pairs is None:
        delta = engine.factory.brackets
        matched: set[tuple[int, int]] = set()
        for _, rhs in engine.factory.tables.rules:
            opened: list[int] = []
            for terminal in (~symbol for symbol in rhs if symbol < 0):
                if delta.get(terminal, 0) > 0:
                    opened.append(terminal)
                elif delta.get(terminal, 0) < 0 and opened:
                    matched.add((opened.pop(), terminal))
        behind = {
            (engine.factory.tables.accessing[to], terminal)
            for shifts in engine.factory.tables.shift
            for terminal, to in shifts.items()
            if terminal in delta
        }
        matched |= {(opened, terminal) for opened, closed in matched for own, terminal in behind if own == closed}
        pairs = engine.derived[_pairs] = frozenset(matched)
    return pairs


def _told(right: SuffixContext, entry: LexState, further: bool) -> _Beginning:
    """The right context's beginning when entered in a state, cached."""
    told = right.told.get((entry, further))
    if told is None:
        told = right.told[entry, further] = _beginning(right, entry, further)
    return told


def _beginning(right: SuffixContext, entry: LexState, further: bool) -> _Beginning:
    """Unless further, up to a line outside of brackets, whatever comes before it."""
    engine = right.engine
    delta = engine.factory.brackets
    statements = engine.blocks.statements if engine.blocks is not None else frozenset[int]()
    depth = lowest = 0
    tokens: list[Token] = []
    lines: list[int] = []
    closers: list[int] = []
    for token in islice(
        right.run(entry).all_tokens(engine), MAX_TERMINALS if engine.blocks is not None else MAX_IN_BRACKETS
    ):
        if token == ANY_TEXT:
            while tokens and isinstance(tokens[-1], Line):
                tokens.pop()
            lines = [index for index in lines if index < len(tokens)]
            break
        tokens.append(token)
        if not isinstance(token, int):
            if depth == lowest:
                lines.append(len(tokens) - 1)
        elif token in delta:
            depth += delta[token]
            if depth < lowest:
                lowest = depth
                closers.insert(0, token)
                lines.clear()
        elif token in statements and not further and depth == lowest and isinstance(tokens[-2:][0], Line):
            break
    return _Beginning(tokens, closers, lines)


def _from(engine: Engine, floor: int, strings: int = 0) -> Enclosure:
    return Enclosure(engine, floor, strings, floor + (strings > 0))


def _kept_block(left: PrefixState, right: SuffixContext, told: _Beginning, new_line: bool) -> Enclosure | None:
    """new_line: whether the right context begins with a line end, apart from comments and the rest of a symbol in progress."""
    engine, levels = right.engine, _levels(left.frame)
    tokens, lines = told.tokens, told.lines
    for index in lines:
        line = tokens[index]
        assert isinstance(line, Line)
        first = new_line and index == lines[0]
        if first and line.column > left.frame.column and _heads_block(engine, left, tokens[:index]):
            return _statement(engine, left.frame.level, _BODY)
        level = left.frame.level if line.column == SAME_BLOCK else levels.get(line.column)
        if level is not None:
            after = tokens[index + 1] if index + 1 < len(tokens) else END
            if first and isinstance(after, int) and not _begins(engine, after):
                if right.accepts(left) or _may_go_on(engine, left.frame, level, after):
                    return _statement(engine, level, _STATEMENT)
            floor = nesting(level, 0)
            return Enclosure(engine, floor, 0, floor, header=first and level > 0)
    return None


def _statement(engine: Engine, level: int, keeps: int) -> Enclosure:
    return Enclosure(engine, nesting(level, 0), 0, nesting(level + 1, 0), level, keeps)


def _levels(frame: Frame) -> dict[int, int]:
    """Column -> level of the open blocks."""
    levels: dict[int, int] = {}
    enclosing: Frame | None = frame
    while enclosing is not None:
        levels[enclosing.column] = enclosing.level
        enclosing = enclosing.parent
    return levels


def _heads_block(engine: Engine, left: PrefixState, rest: list[Token]) -> bool:
    """Whether the header of a compound statement has just ended, with the rest of a symbol."""
    assert engine.blocks is not None
    fed = engine.feed(left.frame, left.stacks, tuple(rest))
    if fed is None or fed[1].depth:
        return False
    ended = engine.factory.advance(fed[1], engine.blocks.newline)
    return ended is not None and engine.factory.open_block(ended) is not None


def _begins(engine: Engine, terminal: int) -> bool:
    """Whether a statement may begin with the terminal."""
    return engine.factory.advance(engine.factory.start, terminal) is not None


def _between_statements(engine: Engine, stacks: GssState) -> bool:
    """Whether a logical line has just begun. Only there may a compound statement begin."""
    assert engine.blocks is not None
    return stacks.depth == 0 and engine.factory.advance(stacks, engine.blocks.compound) is not None


def _may_go_on(engine: Engine, frame: Frame, level: int, terminal: int) -> bool:
    """Whether the statement around the open blocks at a level may have a clause that begins so, now or after other clauses."""
    blocks, factory = engine.blocks, engine.factory
    assert blocks is not None
    while frame.level > level + 1:
        assert frame.parent is not None
        frame = frame.parent
    if frame.level != level + 1 or frame.lower is None:
        return False
    stacks = _with_body(engine, frame.lower)
    if stacks is None:
        return False
    if factory.advance(stacks, terminal) is not None:
        return True
    for clause in engine.allowed(stacks):
        if clause == END or _begins(engine, clause):
            continue
        header = factory.advance(stacks, clause)
        colon = factory.advance(header, blocks.colon) if header is not None else None
        ended = factory.advance(colon, blocks.newline) if colon is not None else None
        closed = _with_body(engine, ended) if ended is not None else None
        if closed is not None and factory.advance(closed, terminal) is not None:
            return True
    return False


def _with_body(engine: Engine, lower: GssState) -> GssState | None:
    """The stacks below an INDENT -> those after the DEDENT, with a plain body between."""
    blocks, factory = engine.blocks, engine.factory
    assert blocks is not None
    inside: GssState | None = factory.open_block(lower)
    for terminal in (blocks.body, blocks.newline):
        inside = factory.advance(inside, terminal) if inside is not None else None
    return factory.close_block(inside, lower) if inside is not None else None
