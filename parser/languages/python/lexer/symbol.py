"""The symbol in progress at a place of a Python file.

Each kind is a frozen dataclass of its text so far, in the module of its topic: lines.py (before the first symbol of a line), between.py,
words.py, numbers.py, operators.py, strings.py, templates.py (f-strings since Python 3.12, t-strings) and fstrings.py (f-strings up to 3.11).
A kind gives the step by one more character, its terminals at the end of the file, its possible terminals and the texts that end it. It is a
value: the version's parts are in the lexer, a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....glr.layout import Line
from ....grammar.lalr import END
from ....lexing.base import LexState, Region, Step, Tokens
from .template_layout import TemplateLayout
from .version_lexer import VersionLexer

END_OF_FILE: Tokens = (Line(0, 0), END)
"""The terminals after a last logical line, with or without a newline."""


@dataclass(frozen=True, slots=True)
class PythonSymbol:
    """One kind per subclass; the defaults are those between symbols."""

    in_words: ClassVar[str] = ""
    """its name; "" between symbols"""

    @property
    def region(self) -> Region:
        """The kind of the next character's text; a field of an f-string is code, from its brace on."""
        return "code"

    @property
    def nesting(self) -> int:
        """The number of open strings, each in a field of the one before."""
        return 0

    @property
    def is_in_escape(self) -> bool:
        """Whether the state is within a backslash escape, past its first character."""
        return False

    def step(self, lexer: VersionLexer, char: str) -> Step:
        """The step by one more character, which is never a carriage return."""
        raise NotImplementedError

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        """The terminals at the end of the file, END last; None where the file may not end. Not for templates' fields."""
        return None

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        """The terminals that this can still become, as alternatives; () if any may come."""
        return ()

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        """Short texts that end the symbol, shortest first; () between symbols."""
        return ()

    def outside(self, lexer: VersionLexer) -> LexState:
        """The state between symbols, around this one."""
        return lexer.clean

    def spelling(self, lexer: VersionLexer) -> str | None:
        """A short text that may lead here from between symbols; None if none is known."""
        return None


@dataclass(frozen=True, slots=True)
class CodeSymbol(PythonSymbol):
    """A symbol possible in the field of a string, too."""

    context: TemplateLayout | None
    """the innermost string whose field or text surrounds the symbol; None outside of all"""

    @property
    def nesting(self) -> int:
        return self.context.level if self.context is not None else 0

    def outside(self, lexer: VersionLexer) -> LexState:
        return lexer.between(self.context)
