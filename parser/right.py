"""The right context: its terminals, lexed from each lexer state that meets it, and memoised acceptance.

A *run* is the right context's terminals when the lexer enters it in a given state. It is lexed lazily, and two runs that reach
the same lexer state at the same distance to the end are joined, so that few characters are ever lexed twice. Acceptance
(left + right is a valid file) runs the stacks over the terminals with a memo at each logical line and every 16 terminals, keyed
by (stacks, place, column): stacks that met there before are not followed again. Everything is keyed by distance to the end
and so survives edits above and cursor moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .blocks import SAME_BLOCK, Frame, Line
from .lalr import END
from .left import Engine, Left
from .lexing import LexState, Token
from .stacks import Stacks
from .texts import common_suffix

_MEET_EVERY_CHARACTER = 48
"""Runs look for each other at each of the first characters, then at line ends."""
_MEET_IN_LINES = 64
"""And within lines, where the distance to the end is a multiple of this."""
_LEX_AT_ONCE = 24
_MEMO_EVERY = 16

ANY_TEXT = -2
"""Stands at the end of the terminals of a text that goes on."""

Key = tuple[Stacks, int, int, int]


class Tail:
    """The end of a document, shared by the right contexts cut from it, with the places where their runs meet.

    Its text may grow at the front; otherwise it is never changed, so that a right context in use stays what it is.
    """

    __slots__ = ("behind", "demands", "goes_on", "meeting", "text")

    def __init__(self, text: str, *, goes_on: frozenset[LexState] = frozenset()) -> None:
        self.text = text
        self.goes_on = goes_on  # lexer states at the end in which any text may follow; for demands.py alone
        self.behind: Right | None = None  # and a right context behind that
        self.demands: dict[Any, Any] = {}  # what demands.py interns; not for the next tail, places still know theirs
        self.meeting: dict[tuple[int, LexState], tuple[Run, int]] = {}  # (distance to the end, state) -> place in a run

    def for_text(self, text: str) -> Tail:
        """A tail that ends in text: this one where it fits, else a new one that shares what lies in the common end."""
        if self.text.endswith(text):
            return self
        if text.endswith(self.text):
            self.text = text
            return self
        common = common_suffix(self.text, text)
        tail = Tail(text)
        for key, place in self.meeting.items():
            if key[0] <= common:
                tail.meeting[key] = place
                place[0].tail = tail  # what it has still to lex is the same text; the old one can go
        return tail


class Run:
    """The terminals of the right context from one lexer state on; see `more`."""

    __slots__ = ("distance", "ended", "lex", "link", "memo", "met", "places", "tail", "tokens")

    def __init__(self, tail: Tail, distance: int, lex: LexState) -> None:
        self.tail = tail
        self.distance = distance  # characters to the end that are not lexed yet
        self.met = distance - _MEET_EVERY_CHARACTER
        self.lex: LexState | None = lex
        self.tokens: list[Token] = []
        self.memo: dict[Key, Result] = {}
        self.places: dict[int, Any] = {}  # index -> what demands.py keeps there
        self.ended = False
        self.link: tuple[Run, int] | None = None

    def more(self, engine: Engine) -> bool:
        """Lex on; False when there is nothing more: dead, at the end, or joined to another run (`link`)."""
        if self.ended:
            return False
        text, step, meeting = self.tail.text, engine.lexer.step, self.tail.meeting
        lex, distance, tokens = self.lex, self.distance, self.tokens
        assert lex is not None
        size, before = len(text), len(tokens)
        while distance:
            char = text[size - distance]
            if distance > self.met or char in "\n\r" or not distance % _MEET_IN_LINES:
                other = meeting.setdefault((distance, lex), (self, len(tokens)))
                if other[0] is not self:
                    self.link, self.ended = other, True
                    break
                if len(tokens) > before + _LEX_AT_ONCE:
                    break
            known = lex.memo.get(char)
            after, emitted = known if known is not None else step(lex, char)
            distance -= 1
            if after is None:
                self.lex, self.ended = None, True
                self.distance = distance
                return len(tokens) > before
            lex = after
            if emitted:
                tokens.extend(emitted)
        self.lex, self.distance = lex, distance
        if not distance and not self.ended:
            self.ended = True
            goes_on = self.tail.goes_on
            tokens.extend(((ANY_TEXT,) if lex in goes_on else ()) if goes_on else engine.lexer.finish(lex) or ())
        return len(tokens) > before

    def all_tokens(self, engine: Engine) -> Iterator[Token]:
        """The terminals as far as the right context can be lexed."""
        run, index = self, 0
        while True:
            while index >= len(run.tokens):
                if not run.more(engine):
                    if run.link is None:
                        return
                    run, index = run.link
            yield run.tokens[index]
            index += 1


Result = tuple[Stacks | None, Run | None, int] | None
"""Of a block: (stacks, run, index) where index is the Line that ends it (its NEWLINE taken already); _ACCEPT; None: rejected."""
_ACCEPT: Result = (None, None, -1)


class Right:
    """A right context of an engine: the last `length` characters of a tail."""

    def __init__(self, engine: Engine, tail: Tail, length: int) -> None:
        self.engine = engine
        self.tail = tail
        self.length = length
        self.decides: Callable[[Left], bool] | None = None  # acceptance, where there is a better way to tell
        self._runs: dict[LexState, Run] = {}
        self._accepts: dict[Left, bool] = {}

    @property
    def text(self) -> str:
        return self.tail.text[len(self.tail.text) - self.length :]

    def run(self, lex: LexState) -> Run:
        """The right context as lexed from a state."""
        run = self._runs.get(lex)
        if run is None:
            run = self._runs[lex] = Run(self.tail, self.length, lex)
        return run

    def accepts(self, left: Left) -> bool:
        """Is left + right a valid file?"""
        known = self._accepts.get(left)
        if known is None:
            known = self._accepts[left] = self._accept(left)
        return known

    def _accept(self, left: Left) -> bool:
        if self.decides is not None:
            return self.decides(left)
        frame, result = left.frame, self._block(self.run(left.lex), left.stacks, 0, left.frame)
        while result is not None:
            stacks, run, index = result
            if stacks is None or run is None:
                return True
            line = run.tokens[index]
            assert isinstance(line, Line)
            while stacks is not None and line.column < frame.column:
                assert frame.lower is not None and frame.parent is not None
                stacks, frame = self.engine.factory.close_block(stacks, frame.lower), frame.parent
            if stacks is None or (line.column, line.alt_column) != (frame.column, frame.alt_column):
                return False
            result = self._block(run, stacks, index + 1, frame)
        return False

    def _block(self, run: Run, stacks: Stacks, index: int, at: Frame | Line) -> Result:
        """Take terminals from index on inside a block until it ends; the block is given by its column alone."""
        engine = self.engine
        factory, blocks = engine.factory, engine.blocks
        column, alt_column = at.column, at.alt_column
        tokens, memo = run.tokens, run.memo
        path: list[tuple[dict[Key, Result], Key]] = []
        result: Result = None
        while True:
            try:
                token = tokens[index]
            except IndexError:
                if run.more(engine):
                    continue
                if run.link is None:
                    break
                run, index = run.link
                tokens, memo = run.tokens, run.memo
            else:
                if token.__class__ is int:
                    try:
                        after = stacks.memo[token]  # type: ignore[index]
                    except KeyError:
                        after = factory.advance(stacks, token)  # type: ignore[arg-type]
                    if after is None:
                        break
                    stacks = after
                    if token == END:
                        result = _ACCEPT
                        break
                    index += 1
                    if index % _MEMO_EVERY:
                        continue
                elif stacks.depth:
                    index += 1
                else:
                    assert blocks is not None and isinstance(token, Line)
                    key = stacks, index, column, alt_column
                    if key in memo:
                        result = memo[key]
                        break
                    path.append((memo, key))
                    ended = factory.advance(stacks, blocks.newline)
                    if ended is None:
                        break
                    if token.column == SAME_BLOCK:
                        stacks = ended
                        index += 1
                        continue
                    if token.column > column:
                        inner = self._inner(run, ended, index, token, alt_column)
                        if inner is None:
                            break
                        if inner[0] is None or inner[1] is None:
                            result = inner
                            break
                        ended, run, index = inner[0], inner[1], inner[2]
                        tokens, memo = run.tokens, run.memo
                        token = tokens[index]
                        assert isinstance(token, Line)
                        if token.column > column:
                            break
                    if token.column < column:
                        result = ended, run, index
                        break
                    if token.alt_column != alt_column:
                        break
                    stacks = ended
                    index += 1
                    continue
            key = stacks, index, column, alt_column
            if key in memo:
                result = memo[key]
                break
            path.append((memo, key))
        for known, key in path:
            known[key] = result
        return result

    def _inner(self, run: Run, ended: Stacks, index: int, line: Line, alt_column: int) -> Result:
        """A block that opens with the line at index."""
        factory = self.engine.factory
        if line.alt_column <= alt_column:
            return None
        inside = factory.open_block(ended)
        if inside is None:
            return None
        inner = self._block(run, inside, index + 1, line)
        if inner is None or inner[0] is None:
            return inner
        closed = factory.close_block(inner[0], ended)
        return None if closed is None else (closed, inner[1], inner[2])
