"""Tokens of Python source for the static semantics, lexed incrementally.

The engine has found the text valid so far, so this lexer only has to tell symbols apart, in the same way for all versions. A token is a plain
string:

- a name, a keyword or an operator is its own text; names are normalised as Python does (NFKC);
- `#` and the text is a number, `"` and the text is a string (`"` alone if the text was not kept);
- `f"` and `"f` begin and end a formatted string; in it `{f` opens a field, `!f` is a conversion, `:f` begins the format specification, `}f`
  closes the field;
- NEWLINE ends a logical line; an integer begins one and is its column.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from .....common.words import compiled, is_name, words_of

NEWLINE = "\n"

Token = str | int
Ask = Callable[[], None] | None
_MAX_NESTED = 2 * 150
"""Levels of nested formatted strings (MAXFSTRINGLEVEL), and of their fields."""
KEYWORDS = words_of("""
    False None True and as assert async await break class continue def del elif else except finally for from global if
    import in is lambda nonlocal not or pass raise return try while with yield
""")
"""The words that are no names, whatever stands around them."""


class FString(NamedTuple):
    """A formatted string whose text is being read."""

    quote: str
    raw: bool
    depth: int  # brackets open around it


class Lex(NamedTuple):
    """The state of the lexer, as a value."""

    mode: str = "line"  # "line", "code", "string", "fstring"; "rest": see lex
    pending: str = ""  # the text of the token in progress
    depth: int = 0  # brackets open in this code
    stack: tuple[FString | None, ...] = ()  # open formatted strings, and None for each field
    column: int = 0  # in "line" mode, so far
    quote: str = ""  # in "string" mode: the closing quote
    text: str | None = ""  # of the string so far; None: too long to keep


START = Lex()

_CODE = compiled(
    r"""
    (?P<blank>[ \t\f]+)
  | (?P<joined>\\(?:\r\n|\r|\n))
  | (?P<newline>\r\n|\r|\n)
  | (?P<comment>\#[^\r\n]*)
  | (?P<quote>(?P<prefix>(?:[rR][bBfFtT]?|[bBfFtT][rR]?|[uU])?)(?:\"\"\"|\'\'\'|\"|\'))
  | (?P<name>[^\W\d]\w*)
  | (?P<number>0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+
      |(?:[0-9](?:_?[0-9])*\.?(?:[0-9](?:_?[0-9])*)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9](?:_?[0-9])*)?[jJ]?)
  | (?P<operator>\*\*=|//=|>>=|<<=|\.\.\.|!=|->|:=|==|<=|>=|\*\*|//|>>|<<|[+\-*/%@&|^]=|[()\[\]{},;~+\-*/%@&|^<>=.:!\\])
""",
    re.VERBOSE,
)
_LINE = re.compile(r"[ \t\f]*")
_FINAL = (
    frozenset("()[]{},;~")
    | {"**=", "//=", ">>=", "<<=", "...", "!=", "->", ":=", "==", "<=", ">="}
    | {operator + "=" for operator in "+-%@&|^"}
)
"""Operators that no further character can change."""
_OPEN_NUMBER = re.compile(r"(?:_|[xXbBoO]_?|[eE][+-]?)?\Z")
_CONVERSION = compiled(r"\s*\w*")
_SPEC = re.compile(r"[^{}]*")
_MAX_STRING = 200
_CHARS_A_QUESTION = 4_096
"""Characters between two checks for cancellation; a millisecond or two."""


@cache
def _body(quote: str) -> re.Pattern[str]:
    """Text of a plain string as far as it can be consumed, and its closing quote; a backslash takes the next character along."""
    q = quote[0]
    single = "" if len(quote) == 1 else rf"|{q}(?!{q}{q}|{q}?\Z)"
    return compiled(rf"(?:[^\\{q}]|\\.{single})*+(?P<end>{quote})?", re.DOTALL)


@cache
def _fbody(quote: str, raw: bool) -> re.Pattern[str]:
    """The same for a formatted string, up to its end or the opening brace of a field."""
    q = quote[0]
    escape = r"\\[^{]" if raw else r"\\N\{[^}]*\}|\\[^{N]|\\N(?!\{|\Z)"
    single = "" if len(quote) == 1 else rf"|{q}(?!{q}{q}|{q}?\Z)"
    text = rf"(?:[^\\{q}{{]|\{{\{{|{escape}|\\(?=\{{){single})*+"
    return compiled(rf"{text}(?P<end>{quote}|\{{(?!\{{|\Z))?", re.DOTALL)


def _end_of(pattern: re.Pattern[str], text: str, offset: int) -> int:
    """The end of a pattern's match at an offset."""
    match = pattern.match(text, offset)
    assert match is not None
    return match.end()


def lex(
    state: Lex, text: str, *, end: bool = False, one_line: bool = False, ask: Ask = None
) -> tuple[list[Token], Lex]:
    """The tokens completed by more text, and the state after it.

    end: nothing follows. ask: called in long texts; may raise. one_line: stop behind the first NEWLINE; then "rest" holds the rest.
    """
    lexer = _Lexer(state, text, end, ask)
    tokens = lexer.tokens
    while lexer.offset < lexer.size and _READS[lexer.mode](lexer):
        if one_line and tokens and tokens[-1] == NEWLINE and lexer.offset < lexer.size:
            return tokens, Lex("rest", lexer.work[lexer.offset :])
    return tokens, lexer.stopped()


class _Lexer:
    """Reads a text. A method for each mode reads until the mode may change, and returns whether the text has more to read."""

    depth: int
    stack: tuple[FString | None, ...]

    def __init__(self, state: Lex, text: str, end: bool, ask: Ask) -> None:
        self.mode, pending, self.depth, self.stack, self.column, self.quote, self.kept = state
        self.work = pending + text
        self.size = len(self.work)
        self.offset = 0
        self.end, self.ask, self.question = end, ask, _CHARS_A_QUESTION
        self.tokens: list[Token] = []

    def stopped(self) -> Lex:
        """The state at the end of the text."""
        if self.end and self.mode == "code" and not self.depth and not self.stack:
            self.tokens.append(NEWLINE)
            self.mode, self.column = "line", 0
        pending = self.work[self.offset :]
        if self.mode == "line" and not pending and not self.column:
            return START
        quote, kept = (self.quote, self.kept) if self.mode == "string" else ("", None)
        return Lex(self.mode, pending, self.depth, self.stack, self.column, quote, kept)

    def read_indentation(self) -> bool:
        """Read up to the first symbol of a logical line."""
        work = self.work
        while self.offset < self.size:
            if self.offset >= self.question:
                self._asked(self.offset)
            begin, self.offset = self.offset, _end_of(_LINE, work, self.offset)
            for char in work[begin : self.offset]:
                self.column = self.column + 1 if char == " " else (self.column // 8 + 1) * 8 if char == "\t" else 0
            char = work[self.offset : self.offset + 1]
            if char == "\r" or char == "\n":
                self.offset += 1
                self.column = 0
            elif char == "#" or char == "\\":
                stop = _end_of(_CODE, work, self.offset)
                if stop == self.size and not self.end:
                    self._wait(self.offset, char)
                    break
                self.offset = stop
            elif char == "\ufeff" and self.offset == 0:
                self.offset += 1
            elif char:
                self.tokens.append(self.column)
                self.mode = "code"
                return True
        return False

    def read_code(self) -> bool:
        """Read symbols up to the end of a logical line, the text of a string, or the end of a field's expression."""
        work, size, offset, end, tokens = self.work, self.size, self.offset, self.end, self.tokens
        question, matched = self.question, _CODE.match
        while offset < size:
            if offset >= question:
                question = self._asked(offset)
            match = matched(work, offset)
            if match is None:  # no symbol of Python: the engine has refused it, or the text is broken
                offset += 1
                continue
            kind, stop, token = match.lastgroup, match.end(), match[0]
            if not end and (
                (stop == size and kind != "newline" and kind != "blank" and token not in _FINAL)
                or (kind == "number" and _OPEN_NUMBER.match(work, stop))
                or (token == "." and work[stop:] == ".")
            ):
                self._wait(offset, token)
                return False
            offset = stop
            if kind == "name":
                tokens.append(token if token.isascii() else unicodedata.normalize("NFKC", token))
            elif kind == "operator":
                if token in "([{":
                    self.depth += 1
                elif self.stack and not self.depth and (token in "}!" or token[0] == ":"):
                    return self._end_expression(token, offset)
                elif token in ")]}":
                    self.depth = max(0, self.depth - 1)
                tokens.append(token)
            elif kind == "newline":
                if not self.depth and not self.stack:
                    tokens.append(NEWLINE)
                    self.mode, self.column, self.offset = "line", 0, offset
                    return True
            elif kind == "number":
                tokens.append("#" + token)
            elif kind == "quote":
                return self._begin_string(match["prefix"].lower(), token, offset)
        self.offset = offset
        return False

    def read_string(self) -> bool:
        """Read the text of a plain string."""
        match = _body(self.quote).match(self.work, self.offset)
        assert match is not None
        self.kept = _kept(self.kept, match[0])
        self.offset = match.end()
        if match["end"] is None:
            return False
        self.tokens.append('"' + self.kept if self.kept is not None else '"')
        self.mode = "code"
        return True

    def read_formatted(self) -> bool:
        """Read the text of a formatted string, or the format specification of a field, up to a field or its end."""
        top = self.stack[-1]
        if top is None:
            stop = _end_of(_SPEC, self.work, self.offset)
            ending, self.offset = self.work[stop : stop + 1], min(stop + 1, self.size)
        else:
            match = _fbody(top.quote, top.raw).match(self.work, self.offset)
            assert match is not None
            ending, self.offset = match["end"], match.end()
        if not ending:
            return False
        if ending == "{":
            self.tokens.append("{f")
            self.stack, self.mode, self.depth = (*self.stack, None), "code", 0
        elif top is None:
            self.tokens.append("}f")
            self.stack = self.stack[:-1]
        else:
            self.tokens.append('"f')
            self.depth, self.stack, self.mode = top.depth, self.stack[:-1], "code"
        return True

    def _begin_string(self, prefix: str, opening: str, offset: int) -> bool:
        """Take the opening quote of a string, which ends at an offset, or a whole empty string."""
        self.offset = offset
        if len(self.stack) > _MAX_NESTED:  # no Python takes that many
            return True
        quote = opening[len(prefix) :]
        is_formatted = "f" in prefix or "t" in prefix
        if len(quote) == 1 and self.work.startswith(quote, offset):
            if offset + 1 == self.size and not self.end:
                self.offset -= len(opening)
                return False  # an empty string, or three quotes
            self.offset += 1
            self.tokens.extend(('f"', '"f') if is_formatted else ('"' + opening + quote,))
        elif is_formatted:
            self.tokens.append('f"')
            self.stack, self.mode = (*self.stack, FString(quote, "r" in prefix, self.depth)), "fstring"
        else:
            self.mode, self.quote, self.kept = "string", quote, opening
        return True

    def _end_expression(self, sign: str, offset: int) -> bool:
        """Take the sign behind the expression of a field: the beginning of its conversion or its format specification, or its end."""
        self.offset = offset
        if sign == "!":
            stop = _end_of(_CONVERSION, self.work, offset)
            if stop == self.size and not self.end:
                self.offset -= 1
                return False
            self.tokens.append("!f")
            self.offset = stop
            return True
        self.mode = "fstring"
        if sign == "}":
            self.tokens.append("}f")
            self.stack = self.stack[:-1]
        else:
            self.tokens.append(":f")
            self.offset -= len(sign) - 1
        return True

    def _wait(self, offset: int, token: str) -> None:
        """Leave a token to the next text, which may continue it. The beginning of a comment is enough."""
        self.offset = offset
        if token[0] == "#":
            self.work, self.offset = "#", 0

    def _asked(self, offset: int) -> int:
        """Check for cancellation, and return the offset of the next check."""
        self.question = offset + _CHARS_A_QUESTION
        if self.ask is not None:
            self.ask()
        return self.question


_READS: dict[str, Callable[[_Lexer], bool]] = {
    "line": _Lexer.read_indentation,
    "code": _Lexer.read_code,
    "string": _Lexer.read_string,
    "fstring": _Lexer.read_formatted,
}
"""The reading functions, by mode."""


def _kept(kept: str | None, more: str) -> str | None:
    return kept + more if kept is not None and len(kept) + len(more) <= _MAX_STRING else None


def is_plain_name(token: str) -> bool:
    """Whether a token is a name other than a keyword."""
    return is_name(token) and token not in KEYWORDS


def is_text(token: str) -> bool:
    """Whether a token is a plain string, not bytes."""
    return token[0] == '"' and "b" not in token[1:3].lower().split("'")[0].split('"')[0]
