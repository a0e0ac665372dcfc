"""Before the first symbol of a logical line: indentation, comments on lines of their own, and backslashes in the indentation.

None of these states occurs in a template's field, where lines mean nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....glr.layout import MAX_COLUMN, SAME_BLOCK, TOO_DEEP, Line
from ....grammar.lalr import END
from ....lexing.base import ANY_LINE, DEAD, LexState, Region, Step, Tokens
from .between import Backslash, first_of
from .symbol import END_OF_FILE, PythonSymbol
from .version_lexer import VersionLexer

_TAB = 8
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class LineStart(PythonSymbol):
    """Before the first symbol of a line."""


@dataclass(frozen=True, slots=True)
class StartOfFile(PythonSymbol):
    """The place where a byte order mark may stand."""

    def outside(self, lexer: VersionLexer) -> LexState:
        return lexer.start

    def step(self, lexer: VersionLexer, char: str) -> Step:
        return (lexer.first_line, ()) if char == _BOM else lexer.step(lexer.first_line, char)

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        return (END,)


@dataclass(frozen=True, slots=True)
class InIndentation(LineStart):
    """A line with only blanks so far, and its columns."""

    column: int
    alt_column: int
    """column and alt_column as CPython counts them"""
    continued: int
    """the column before a backslash, 0 for none (or SAME_BLOCK)"""
    is_pending: bool
    """whether a logical line has ended before this one: not at the beginning of the file"""

    def outside(self, lexer: VersionLexer) -> LexState:
        return lexer.state_of(self)

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        return ((ANY_LINE,),) if self.is_pending else ()


@dataclass(frozen=True, slots=True)
class Indentation(InIndentation):
    """Before or within the leading blanks of a line."""

    def step(self, lexer: VersionLexer, char: str) -> Step:
        if char in " \t":
            column = self.column + 1 if char == " " else (self.column // _TAB + 1) * _TAB
            # Each column is its own state: without a limit, a line of blanks could use up the memory.
            if column > MAX_COLUMN:
                return self._at(lexer, TOO_DEEP, TOO_DEEP)
            return self._at(lexer, column, self.alt_column + 1)
        if char == "\f":
            return self._at(lexer, 0, 0)
        if char == "\\":
            return self._backslash(lexer)
        if char == "\n":
            return lexer.state(Indentation, 0, 0, 0, self.is_pending), ()
        if char == "#":
            return lexer.state(LineComment, self.is_pending), ()
        after, tokens = first_of(lexer, char, None)
        if after is None:
            return DEAD
        column, alt_column = (self.continued,) * 2 if self.continued else (self.column, self.alt_column)
        if not self.is_pending:
            return (after, tokens) if column in (0, SAME_BLOCK) else DEAD
        return after, (Line(column, alt_column), *tokens)

    def _at(self, lexer: VersionLexer, column: int, alt_column: int) -> Step:
        return lexer.state(Indentation, column, alt_column, self.continued, self.is_pending), ()

    def _backslash(self, lexer: VersionLexer) -> Step:
        rule = lexer.dialect.backslash_in_indentation
        if rule == "before":
            if self.is_pending:
                return lexer.state(Backslash, None), (Line(self.column, self.alt_column),)
            return (lexer.state(Backslash, None), ()) if self.column == 0 else DEAD
        continued = SAME_BLOCK if rule == "same" else self.continued or self.column
        return lexer.state(BackslashInIndentation, self.column, self.alt_column, continued, self.is_pending), ()

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        return END_OF_FILE if self.is_pending else (END,)


@dataclass(frozen=True, slots=True)
class BackslashInIndentation(InIndentation):
    """After a backslash in the indentation."""

    in_words: ClassVar[str] = "a line continuation"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        if char != "\n":
            return DEAD
        state = lexer.state(ContinuedIndentation, self.column, self.alt_column, self.continued, self.is_pending)
        return state, ()

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return ("\n",)


@dataclass(frozen=True, slots=True)
class ContinuedIndentation(InIndentation):
    """After the newline of a line continuation in the indentation: the file may not end here."""

    def step(self, lexer: VersionLexer, char: str) -> Step:
        return Indentation(self.column, self.alt_column, self.continued, self.is_pending).step(lexer, char)


@dataclass(frozen=True, slots=True)
class LineComment(LineStart):
    """In a comment on a line of its own."""

    is_pending: bool
    """as in InIndentation"""

    in_words: ClassVar[str] = "a comment"

    @property
    def region(self) -> Region:
        return "comment"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        return (self.outside(lexer) if char == "\n" else lexer.state(LineComment, self.is_pending)), ()

    def outside(self, lexer: VersionLexer) -> LexState:
        return lexer.state(Indentation, 0, 0, 0, self.is_pending)

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        return END_OF_FILE if self.is_pending else (END,)

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        return ((ANY_LINE,),) if self.is_pending else ()

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        return ("\n",)
