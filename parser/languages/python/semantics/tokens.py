"""Tokens of Python source for the static semantics, lexed incrementally.

The text is known to be valid so far (the engine says so), so this lexer only has to tell symbols apart, in the same way for all
versions. A token is a plain string:

- a name, a keyword or an operator is its own text; names are normalised as Python does (NFKC);
- `#` and the text is a number, `"` and the text is a string (`"` alone where the text was not kept);
- `f"` and `"f` begin and end a formatted string; in it `{f` opens a field, `!f` is a conversion, `:f` begins the format
  specification, `}f` closes the field;
- NEWLINE ends a logical line; an integer is the column of the logical line that begins.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from .....common.words import compiled

NEWLINE = "\n"

Token = str | int
Ask = Callable[[], None] | None
_MAX_NESTED = 2 * 150
"""Formatted strings in each other's fields (MAXFSTRINGLEVEL), and these fields."""


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
    stack: tuple[FString | None, ...] = ()  # formatted strings that are open, and None for each field
    column: int = 0  # in "line" mode, so far
    quote: str = ""  # in "string" mode: the closing quote
    raw: bool = False
    text: str | None = ""  # of the string so far; None: too long to be kept


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
"""Between two questions whether to stop; a millisecond or two."""


@cache
def _body(quote: str) -> re.Pattern[str]:
    """Text of a plain string as far as it can be let go, and its closing quote; a backslash takes the next character along."""
    q = quote[0]
    single = "" if len(quote) == 1 else rf"|{q}(?!{q}{q}|{q}?\Z)"
    return compiled(rf"(?:[^\\{q}]|\\.{single})*+(?P<end>{quote})?", re.DOTALL)


@cache
def _fbody(quote: str, raw: bool) -> re.Pattern[str]:
    """The same for a formatted string, up to its end or the brace that opens a field."""
    q = quote[0]
    escape = r"\\[^{]" if raw else r"\\N\{[^}]*\}|\\[^{N]|\\N(?!\{|\Z)"
    single = "" if len(quote) == 1 else rf"|{q}(?!{q}{q}|{q}?\Z)"
    text = rf"(?:[^\\{q}{{]|\{{\{{|{escape}|\\(?=\{{){single})*+"
    return compiled(rf"{text}(?P<end>{quote}|\{{(?!\{{|\Z))?", re.DOTALL)


def _end_of(pattern: re.Pattern[str], text: str, offset: int) -> int:
    """The end of a pattern that matches at an offset."""
    match = pattern.match(text, offset)
    assert match is not None
    return match.end()


def lex(
    state: Lex, text: str, *, end: bool = False, one_line: bool = False, ask: Ask = None
) -> tuple[list[Token], Lex]:
    """The tokens that more text completes, and the state after it.

    end: nothing follows. ask: called in long texts; may raise. one_line: stop behind the first NEWLINE; then "rest" holds what is left.
    """
    work = state.pending + text
    size = len(work)
    offset = 0
    tokens: list[Token] = []
    mode, _, depth, stack, column, quote, raw, kept = state
    code, final = _CODE.match, _FINAL
    question = _CHARS_A_QUESTION
    while offset < size:
        if ask is not None and offset >= question:
            question = offset + _CHARS_A_QUESTION
            ask()
        if mode == "code":
            match = code(work, offset)
            if match is None:  # no symbol of Python: the engine has refused it, or the text is broken
                offset += 1
                continue
            kind, stop = match.lastgroup, match.end()
            if kind == "prefix":
                kind = "quote"
            if kind == "quote" and len(stack) > _MAX_NESTED:  # no Python takes that many
                offset = stop
                continue
            token = match[0]
            if (
                stop == size
                and not end
                and not (kind in ("blank", "newline") or (kind == "operator" and token in final))
            ):
                if kind == "comment":
                    work, offset = "#", 0
                break
            if not end and kind == "number" and _OPEN_NUMBER.match(work, stop):
                break
            if not end and token == "." and stop + 1 == size and work[stop] == ".":
                break
            in_field = bool(stack) and depth == 0
            offset = stop
            if kind == "blank" or kind == "joined" or kind == "comment":
                continue
            if kind == "name":
                tokens.append(token if token.isascii() else unicodedata.normalize("NFKC", token))
            elif kind == "operator":
                if token in "([{":
                    depth += 1
                elif token in ")]}":
                    if in_field and token == "}":
                        tokens.append("}f")
                        stack = stack[:-1]
                        mode = "fstring"
                        continue
                    depth = max(0, depth - 1)
                elif in_field and token[0] == ":":
                    tokens.append(":f")
                    offset -= len(token) - 1
                    mode = "fstring"
                    continue
                elif in_field and token == "!":
                    tokens.append("!f")
                    stop = _end_of(_CONVERSION, work, offset)
                    if stop == size and not end:
                        tokens.pop()
                        offset -= 1
                        break
                    offset = stop
                    continue
                tokens.append(token)
            elif kind == "newline":
                if not depth and not stack:
                    tokens.append(NEWLINE)
                    mode, column = "line", 0
                    if one_line and offset < size:
                        return tokens, Lex("rest", work[offset:])
            elif kind == "number":
                tokens.append("#" + token)
            elif kind == "quote":
                prefix = match["prefix"].lower()
                quote = token[len(prefix) :]
                if len(quote) == 1 and work.startswith(quote, offset):
                    if offset + 1 == size and not end:
                        offset -= len(token)
                        break  # an empty string, or three quotes
                    if not work.startswith(quote * 3, offset - 1):
                        offset += 1
                        tokens.extend(('f"', '"f') if "f" in prefix or "t" in prefix else ('"' + token + quote,))
                        continue
                raw = "r" in prefix
                if "f" in prefix or "t" in prefix:
                    tokens.append('f"')
                    stack = (*stack, FString(quote, raw, depth))
                    mode = "fstring"
                else:
                    mode, kept = "string", token
        elif mode == "line":
            match = _LINE.match(work, offset)
            assert match is not None
            for char in match[0]:
                column = column + 1 if char == " " else (column // 8 + 1) * 8 if char == "\t" else 0
            offset = match.end()
            if offset == size:
                break
            char = work[offset]
            if char in "\r\n":
                offset += 1
                column = 0
            elif char == "#":
                stop = _end_of(_CODE, work, offset)
                if stop == size and not end:
                    work, offset = "#", 0
                    break
                offset = stop
            elif char == "\ufeff" and offset == 0:
                offset += 1
            elif char == "\\":
                stop = _end_of(_CODE, work, offset)
                if stop == size and not end:
                    break
                offset = stop
            else:
                tokens.append(column)
                mode = "code"
        elif mode == "string":
            match = _body(quote).match(work, offset)
            assert match is not None
            kept = _kept(kept, match[0])
            offset = match.end()
            if match["end"] is None:
                break
            tokens.append('"' + kept if kept is not None else '"')
            mode, kept = "code", ""
        else:  # "fstring"
            top = stack[-1]
            if top is None:  # the format specification of a field
                offset = _end_of(_SPEC, work, offset)
                if offset == size:
                    break
                offset += 1
                if work[offset - 1] == "{":
                    tokens.append("{f")
                    stack = (*stack, None)
                    mode, depth = "code", 0
                else:
                    tokens.append("}f")
                    stack = stack[:-1]
                continue
            match = _fbody(top.quote, top.raw).match(work, offset)
            assert match is not None
            offset = match.end()
            if match["end"] is None:
                break
            if match["end"] == "{":
                tokens.append("{f")
                stack = (*stack, None)
                mode, depth = "code", 0
            else:
                tokens.append('"f')
                depth, stack, mode = top.depth, stack[:-1], "code"
    if end and mode == "code" and not depth and not stack:
        tokens.append(NEWLINE)
        mode, column = "line", 0
    if mode == "line" and offset == size and not column:
        return tokens, START
    if mode != "string":
        quote, raw, kept = "", False, None
    return tokens, Lex(mode, work[offset:], depth, stack, column, quote, raw, kept)


def _kept(kept: str | None, more: str) -> str | None:
    return kept + more if kept is not None and len(kept) + len(more) <= _MAX_STRING else None
