"""The ways into a right context: for each possible lexer state at its beginning, the demands of its first line on the text before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ....common.bounded import BoundedDict
from ....common.words import is_part
from ...bridging.heuristic import Distances, HeuristicGoal
from ...glr.layout import Line
from ...glr.prefix import Engine
from ...glr.suffix import SuffixContext
from ...glr.suffix_viability import SuffixParser
from ...grammar.lalr import END
from ...lexing.base import LexState, Token
from .lexer.between import Between, Comment
from .lexer.entries import context_of
from .lexer.lines import Indentation
from .lexer.python_lexer import PythonLexer
from .lexer.strings import String
from .lexer.template_layout import TemplateLayout
from .lexer.templates import Text
from .lexer.words import Name

_ENTRIES = 3
"""Lexer states tried for a right context that does not begin between symbols."""
_FIRST_LINE = 150
"""Terminals of the right context whose demands on the stack are computed."""
_ELEMENTS = 50
"""Terminals after which only the first elements in a bracket count ..."""
_ENOUGH = 2
"""... this many of them."""
_LINE_SCAN = 20_000
"""Terminals of the right context searched for unmatched brackets."""
_KEPT = 16
"""Right contexts whose results are kept."""


class SuffixEntry(NamedTuple):
    """A way into a right context."""

    goal: HeuristicGoal
    """the stacks the right context can follow"""
    entry: LexState
    column: int | None
    """of the line after its first logical one; None if that is far away, or the right context begins with a line's end"""
    is_header: bool
    """whether that first line may open a block"""


class SuffixEntries:
    """The ways into right contexts, kept for the last few of them."""

    def __init__(self, engine: Engine, lexer: PythonLexer, suffixes: SuffixParser, distances: Distances) -> None:
        assert engine.blocks is not None
        self._engine, self._lexer, self._suffixes, self._distances = engine, lexer, suffixes, distances
        self._newline, self._statements = engine.blocks.newline, engine.blocks.statements
        self._header_end = [lexer.operators[":"], self._newline]
        self._comma, self._star = lexer.operators[","], lexer.operators["*"]
        self._before_names = {lexer.keywords["for"], lexer.keywords["lambda"]}
        self._after_names = {lexer.keywords["in"], lexer.operators[":"]}
        self.opening = {lexer.operators[b] for b in "([{"} | {lexer.templates.open_field}
        self.closing = {lexer.operators[b] for b in ")]}"} | {lexer.templates.close_field}
        self._opening_of: dict[Token, str] = {
            lexer.operators[closed]: bracket for bracket, closed in ("()", "[]", "{}")
        }
        self._known: BoundedDict[tuple[SuffixContext, TemplateLayout | None], list[SuffixEntry]] = BoundedDict(_KEPT)
        self._closed: BoundedDict[tuple[SuffixContext, LexState], str] = BoundedDict(_KEPT)

    def into(self, right: SuffixContext, context: TemplateLayout | None) -> list[SuffixEntry]:
        """The ways into a right context after a text that ends in a template's field, or outside of fields."""
        ways: list[SuffixEntry] | None = self._known.get((right, context))
        if ways is None:
            ways = []
            for entry in self._entries(right, context):
                if self._suffixes.viable_from(right, (entry,)) is not None:
                    ways.append(self._way(right, entry))
                if ways and (entry is self._lexer.clean or len(ways) == _ENTRIES):
                    break
            if not ways:
                ways = self._rare(right)
            self._known[right, context] = ways
        return ways

    def _rare(self, right: SuffixContext) -> list[SuffixEntry]:
        """The ways into the middle of a symbol, or into the line after a backslash, if there is no other."""
        entry = self._suffixes.viable_from(
            right, (s for s in self._lexer.entries() if context_of(s) is None and not isinstance(s.symbol, Indentation))
        )
        return [] if entry is None else [self._way(right, entry)]

    def brackets(self, right: SuffixContext, entry: LexState) -> str:
        """The opening brackets that the right context closes, entered in a state: outermost first; those of fields are braces."""
        opening = self._closed.get((right, entry))
        if opening is None:
            opening, depth, begins = "", 0, False
            for token in islice(right.run(entry).all_tokens(self._engine), _LINE_SCAN):
                if begins and token in self._statements:
                    break  # no bracket is open here
                begins = isinstance(token, Line)
                if token in self.opening:
                    depth += 1
                elif token in self.closing:
                    if depth == 0:
                        opening = self._opening_of.get(token, "{") + opening
                    depth = max(0, depth - 1)
            self._closed[right, entry] = opening
        return opening

    def _way(self, right: SuffixContext, entry: LexState) -> SuffixEntry:
        closed = len(self.brackets(right, entry))
        line, column = self._first_line(right, entry, closed)
        if line:
            shift = self._engine.factory.tables.shift
            states = frozenset(state for state, to in enumerate(shift) if line[0] in to)
        else:
            states = self._suffixes.survivors(right, entry)
        return SuffixEntry(self._distances.goal(states, closed, line), entry, column, line[-2:] == self._header_end)

    def _first_line(self, right: SuffixContext, entry: LexState, depth: int) -> tuple[list[int], int | None]:
        """The terminals of the right context up to the end of its first logical line, given the number of brackets open before it, and the
        column of the next line. Of a long list's elements only the first count."""
        terminals: list[int] = []
        commas: dict[int, int] = {}  # brackets open -> elements ended in the innermost
        skipped = -1  # brackets open where elements are skipped
        names = False  # between `for` and `in`, or `lambda` and its colon: commas there end no elements
        for token in islice(right.run(entry).all_tokens(self._engine), _LINE_SCAN):
            if isinstance(token, Line) and depth > 0:
                continue
            if isinstance(token, Line) and terminals:
                return [*terminals, self._newline], token.column
            if not isinstance(token, int) or token == END:
                break
            if token in self.opening:
                depth += 1
                commas[depth] = 0
            elif token in self.closing:
                depth -= 1
            if depth >= skipped >= 0:
                continue
            skipped = -1
            terminals.append(token)
            if len(terminals) > _FIRST_LINE:
                break
            names = token in self._before_names or (names and token not in self._after_names)
            is_bare_star = token == self._comma and terminals[-2:-1] == [self._star]  # `*,` needs a parameter behind it
            if token == self._comma and len(terminals) > _ELEMENTS and not names and not is_bare_star:
                commas[depth] = commas.get(depth, 0) + 1
                skipped = depth if commas[depth] >= _ENOUGH and depth else -1
        return terminals, None

    def _entries(self, right: SuffixContext, context: TemplateLayout | None) -> Iterator[LexState]:
        """The possible states at the right context's beginning: between symbols, in the lexer's own, in a keyword, a comment or a string."""
        lexer = self._lexer
        if context is not None:
            for state in lexer.around(lexer.between(context)):
                if isinstance(state.symbol, Between) or state.symbol == Text(context_of(state), "", 0):
                    yield state
        yield lexer.clean
        yield from (lexer.state(Name, None, head) for head in keyword_heads(right, lexer))
        for state in lexer.entries():
            symbol = state.symbol
            in_field = isinstance(symbol, Between) and symbol.context is not None
            if in_field or isinstance(symbol, (Comment, String, Text)):
                yield state


def keyword_heads(right: SuffixContext, lexer: PythonLexer) -> list[str]:
    """The beginnings of keywords completed by the right context's first characters."""
    tail = first_word(right)
    if not tail:
        return []
    return [text[: -len(tail)] for text in lexer.keywords if text != tail and text.endswith(tail)]


def first_word(right: SuffixContext) -> str:
    """The leading letters and digits of a right context."""
    text = right.text[:16]
    return text[: next((i for i, char in enumerate(text) if not is_part(char)), len(text))]
