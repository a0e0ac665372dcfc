r"""A small lexer for valid Go, with the semicolons implied by line ends.

A token is a text. The state is a
value: the token that may go on, and whether a line end would be a semicolon.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .universe import KEYWORDS

BEGINS_LITERAL = frozenset("0123456789.'\"`")
"""The first characters of literals, which begin no name."""
_TOKEN = re.compile(
    r"""[ \t\r\ufeff]*(?:
    (?P<name>[^\W\d]\w*)
    |(?P<newline>\n)
    |(?P<sure>[()\[\]{},;]|:=|\.\.\.|\+\+|--|&&|\|\||&\^=|<<=|>>=|[-+*/%&|^<>!=]=|<-)
    |(?P<number>0[xX](?:[pP][+-]|[\w.])*|\.?\d(?:[eE][+-]|[\w.])*)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|`[^`]*`)
    |(?P<rune>'(?:[^'\\\n]|\\.)[^'\n]*')
    |(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)
    |(?P<open>["'`]|/\*)
    |(?P<operator>\.\.(?=\Z)|<<|>>|&\^|[-+*/%&|^<>=!:.~])
    |(?P<other>.)
    |(?P<end>\Z)
    )""",
    re.VERBOSE,
)
_LITERALS = frozenset(["number", "string", "rune"])
_ARMING = frozenset(["break", "continue", "fallthrough", "return", "++", "--", ")", "]", "}"])


class Lex(NamedTuple):
    """The lexer's state: the beginning of a token that may go on, and whether a line end would be a semicolon."""

    pending: str = ""
    armed: bool = False


START = Lex()


def lex(state: Lex, text: str, *, end: bool = False) -> tuple[list[str], Lex]:
    """(the tokens completed by more text, the state after it); end: the file ends here."""
    text = state.pending + text
    armed = state.armed
    if not end and text.isascii() and text.isidentifier():
        return [], Lex(text, armed)
    tokens: list[str] = []
    position, size = 0, len(text)
    match = _TOKEN.match
    while position < size:
        m = match(text, position)
        assert m is not None
        kind = m.lastgroup
        stop = m.end()
        if kind == "end":
            break
        if kind == "newline":
            if armed:
                tokens.append(";")
                armed = False
            position = stop
            continue
        if not end and (kind == "open" or (stop == size and not _is_over(kind, m[kind or ""]))):
            return tokens, Lex(text[m.start(kind or "") :], armed)
        if kind == "name":
            token = m["name"]
            armed = token not in KEYWORDS or token in _ARMING
            tokens.append(token)
        elif kind == "comment":
            if armed and "\n" in m["comment"]:
                tokens.append(";")
                armed = False
        else:
            token = m[kind or ""]
            armed = kind in _LITERALS or token in _ARMING
            tokens.append(token)
        position = stop
    if end and armed:
        tokens.append(";")
        armed = False
    return tokens, Lex("", armed)


def _is_over(kind: str | None, text: str) -> bool:
    """Whether no more characters can belong to a token."""
    if kind == "sure":
        return text not in ("<-",)
    return kind in ("string", "rune") or (kind == "comment" and text.startswith("/*"))
