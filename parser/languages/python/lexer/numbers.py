"""Number literals as an automaton; its states have short names.

z1 one zero, z zeros, zd zeros then other digits (only good for a float), d decimal, f after the point or fraction, fp after "1.", e after the
exponent's e (ez: E), es its sign, x its digits, j imaginary, h0 o0 b0 after 0x 0o 0b, h o b their digits; a trailing _ requires a digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import hexdigits
from typing import ClassVar, Literal

from ....lexing.base import DEAD, Step, Tokens
from .symbol import END_OF_FILE, CodeSymbol
from .version_lexer import VersionLexer
from .words import AFTER_NUMBER, KeywordAfterNumber

_HEX = frozenset(hexdigits)
_DECIMAL = {"z1", "z", "zd", "d", "f", "fp", "x"}
_ENDABLE = {"z1", "z", "d", "f", "fp", "x", "h", "o", "b", "j"}
"""The states in which the number may end."""

_EXAMPLES = ("0", "1", "1.", ".0", "1.0", "1e", "1e+", "1e+0", "1e0", "1j", "0x", "0x0", "0o", "0o0", "0b", "0b0")
_BASES = frozenset("hob")


@dataclass(frozen=True, slots=True)
class Number(CodeSymbol):
    """A number."""

    state: str
    """of the automaton"""

    in_words: ClassVar[str] = "a number"

    def step(self, lexer: VersionLexer, char: str) -> Step:
        context, after = self.context, number_step(self.state, char)
        if after is None:
            return DEAD
        if after == "else":
            return lexer.state(KeywordAfterNumber, context, "el"), (lexer.number,)
        if after != "end":
            return lexer.state(Number, context, after), ()
        if lexer.dialect.any_word_after_number or not (char.isalpha() or char == "_" or not char.isascii()):
            return lexer.then((self._terminal(lexer),), char, context)
        starts = char.isascii() and any(word[0] == char for word in AFTER_NUMBER)
        return (lexer.state(KeywordAfterNumber, context, char), (self._terminal(lexer),)) if starts else DEAD

    def _terminal(self, lexer: VersionLexer) -> int:
        return lexer.imaginary if self.state == "j" else lexer.number

    def finish(self, lexer: VersionLexer) -> Tokens | None:
        return (self._terminal(lexer), *END_OF_FILE) if self.state in _ENDABLE else None

    def expected(self, lexer: VersionLexer) -> tuple[Tokens, ...]:
        if self.state == "j":
            return ((lexer.imaginary,),)
        if self.state[0] in _BASES:
            return ((lexer.number,),)
        return ((lexer.number,), (lexer.imaginary,))  # "1e" may end with the number, too: it may become "1 else"

    def closers(self, lexer: VersionLexer) -> tuple[str, ...]:
        closer = number_closer(self.state) + " "
        return (closer, "lse ") if self.state == "e" else (closer,)

    def spelling(self, lexer: VersionLexer) -> str | None:
        state = lexer.state_of(self)
        return next((text for text in _EXAMPLES if lexer.step_text(lexer.clean, text)[0] is state), None)


def number_step(state: str, char: str) -> str | Literal["end", "else"] | None:
    """The state after one more character; "end": the number ended before the character; "else": "1e" was "1 e(lse)"; None: error."""
    digit = char.isascii() and char.isdigit()
    if state.endswith("_") or state in ("h0", "o0", "b0"):
        return _digit_after(state, char, digit)
    if state in ("e", "ez"):
        if digit:
            return "x"
        if char in "+-":
            return "es"
        return "else" if char == "l" and state == "e" else None
    if state == "es":
        return "x" if digit else None
    if state == "z1" and char in "xXoObB":
        return {"x": "h0", "o": "o0", "b": "b0"}[char.lower()]
    if state in _DECIMAL:
        if digit:
            if state in ("z1", "z"):
                return "z" if char == "0" else "zd"
            return "f" if state == "fp" else state
        if char == "_" and state != "fp":
            return "z_" if state == "z1" else state + "_"
        if char == "." and state in ("z1", "z", "zd", "d"):
            return "fp"
        if char in "eE" and state != "x":
            return "ez" if char == "E" else "e"
        if char in "jJ":
            return "j"
        return None if state == "zd" else "end"
    if state == "h":
        if char in _HEX:
            return "h"
        return "h_" if char == "_" else "end"
    if state in ("o", "b"):
        if digit:
            return state if char in ("01234567" if state == "o" else "01") else None
        return state + "_" if char == "_" else "end"
    return "end"


def _digit_after(state: str, char: str, digit: bool) -> str | None:
    base = state[0]
    if state in ("h0", "o0", "b0") and char == "_":
        return base + "_"
    if base == "h":
        return "h" if char in _HEX else None
    if base in "ob":
        return base if char in ("01234567" if base == "o" else "01") else None
    if not digit:
        return None
    if base == "z":
        return "zd" if state == "zd_" or char != "0" else "z"
    return state[:-1]


def number_closer(state: str) -> str:
    """The shortest text that completes the number."""
    if state in _ENDABLE:
        return ""
    return "." if state == "zd" else "0"
