"""Symbols of sLua, character by character; a state of the lexer is a value.

A symbol that could be longer (a name, a number, `<` before `=`) stays *pending* until a character does not continue it; every other
symbol is complete with its last character.
"""

from __future__ import annotations

from string import hexdigits
from typing import NamedTuple

from ....common.words import words_of
from ...scoped.stack import NAME_CHARS, NUMBER, PUNCTUATION, STRING, WORD, Token

KEYWORDS = words_of("""
    and break do else elseif end false for function global goto if in local nil not or repeat return then true until
    while
""")
"""The keywords of all versions of Lua."""
LONGEST_NAME = 50
BLANKS = frozenset(" \t\r\n")
PUNCTUATIONS = words_of("+ - * / % ^ < <= > >= == ~= = .. . ( ) { } , ; : ->")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_DIGITS = frozenset("0123456789")
_HEX = frozenset(hexdigits)
_ESCAPES = frozenset("\\\"'ntrabfv")
_LONGER = {"-": "->", "<": "=", ">": "=", "=": "=", "~": "=", ".": "."}  # the continuations of a punctuation


class Lex(NamedTuple):
    """The lexer's state: between symbols ("" as kind), in a pending symbol, in a string or in a comment.

    part: the state within the symbol; of numbers "int", "dot", "fraction", "e", "sign", "exponent", "0x", "hex"; of strings "",
    "escape", one or two digits of an escape, "x", "x1"; of comments "line", "[", "long", "]".
    """

    kind: str = ""
    text: str = ""
    part: str = ""


BETWEEN = Lex()
COMMENT = "comment"
_COMMENT_BEGUN = Lex(COMMENT, "--", "begun")


def step(lex: Lex, char: str) -> tuple[Lex, Token | None] | None:
    """The state after a character, and the symbol completed by it; None where no symbol starts like this.

    A character that ends a pending symbol and is itself a whole symbol would complete two: then the first is returned, and the state
    is that within the second (kind punctuation, not pending), which `settled` completes.
    """
    kind, text, part = lex
    if not kind:
        return _begin(char)
    if kind == WORD:
        if char in NAME_CHARS:
            return (Lex(WORD, text + char), None) if len(text) < LONGEST_NAME else None
        return _then(Token(WORD, text), char)
    if kind == NUMBER:
        after = _NUMBER_STEPS.get(part, {}).get(_digit_class(char))
        if after is not None:
            return Lex(NUMBER, text + char, after), None
        if part not in ENDS_NUMBER or char in NAME_CHARS or char == ".":
            return None
        return _then(Token(NUMBER, text), char)
    if kind == STRING:
        return _in_string(lex, char)
    if kind == COMMENT:
        return _in_comment(part, char)
    if text == "-" and char == "-":
        return _COMMENT_BEGUN, None
    longer = _LONGER.get(text, "")
    if char in longer and text + char in PUNCTUATIONS:
        return BETWEEN, Token(PUNCTUATION, text + char)
    return _then(Token(PUNCTUATION, text), char) if text in PUNCTUATIONS else None


def _then(token: Token, char: str) -> tuple[Lex, Token] | None:
    """The step after a symbol that ends before a character."""
    begun = _begin(char)
    if begun is None:
        return None
    lex, second = begun
    return (lex, token) if second is None else (Lex(PUNCTUATION, second.text, "whole"), token)


def settled(lex: Lex) -> tuple[Lex, Token | None]:
    """(the state, the symbol) after a whole symbol that came with the end of another; (lex, None) for other states."""
    return (BETWEEN, Token(PUNCTUATION, lex.text)) if lex.part == "whole" and lex.kind == PUNCTUATION else (lex, None)


def pending(lex: Lex) -> Token | None:
    """The symbol in progress as if it ended here; None without any, or where it cannot end."""
    kind, text, part = lex
    if kind == WORD:
        return Token(WORD, text)
    if kind == NUMBER:
        return Token(NUMBER, text) if part in ENDS_NUMBER else None
    if kind == PUNCTUATION:
        return Token(PUNCTUATION, text) if text in PUNCTUATIONS else None
    return None


def _begin(char: str) -> tuple[Lex, Token | None] | None:
    if char in BLANKS:
        return BETWEEN, None
    if char in _LETTERS:
        return Lex(WORD, char), None
    if char in _DIGITS:
        return Lex(NUMBER, char, "zero" if char == "0" else "int"), None
    if char in "'\"":
        return Lex(STRING, char, ""), None
    if char in _LONGER:
        return Lex(PUNCTUATION, char), None
    return (BETWEEN, Token(PUNCTUATION, char)) if char in PUNCTUATIONS else None


_NUMBER_STEPS: dict[str, dict[str, str]] = {
    "zero": {"digit": "int", ".": "dot", "e": "e", "x": "0x"},
    "int": {"digit": "int", ".": "dot", "e": "e"},
    "dot": {"digit": "fraction"},
    "fraction": {"digit": "fraction", "e": "e"},
    "e": {"digit": "exponent", "sign": "sign"},
    "sign": {"digit": "exponent"},
    "exponent": {"digit": "exponent"},
    "0x": {"digit": "hex", "e": "hex", "letter": "hex"},
    "hex": {"digit": "hex", "e": "hex", "letter": "hex"},
}
ENDS_NUMBER = frozenset(("zero", "int", "fraction", "exponent", "hex"))


def _digit_class(char: str) -> str:
    if char in _DIGITS:
        return "digit"
    if char in "eE":
        return "e"
    if char in _HEX:
        return "letter"
    if char in "xX":
        return "x"
    return "sign" if char in "+-" else char


def can_be_nonzero(lex: Lex) -> bool:
    """Whether a number with this beginning can have a value other than 0."""
    if lex.part in ("zero", "int", "dot", "fraction", "0x", "hex"):
        return True
    mantissa = lex.text.lower().partition("e")[0]
    if not mantissa.strip("0."):
        return False
    return lex.part != "exponent" or float(lex.text) != 0


def _in_string(lex: Lex, char: str) -> tuple[Lex, Token | None] | None:
    _, text, part = lex
    after = text + char
    if part == "escape":
        if char in _ESCAPES:
            return Lex(STRING, after, ""), None
        if char == "x":
            return Lex(STRING, after, "x"), None
        return (Lex(STRING, after, char), None) if char in _DIGITS else None
    if part in ("x", "x1"):
        return (Lex(STRING, after, "x1" if part == "x" else ""), None) if char in _HEX else None
    if part and char in _DIGITS:  # of a decimal escape
        digits = part + char
        if int(digits) > 255:
            return None
        return Lex(STRING, after, "" if len(digits) == 3 else digits), None
    if char == "\\":
        return Lex(STRING, after, "escape"), None
    if char == text[0]:
        return BETWEEN, Token(STRING, after)
    if char in "\r\n" or "\ud800" <= char <= "\udfff":
        return None
    return Lex(STRING, after, ""), None


def _in_comment(part: str, char: str) -> tuple[Lex, None] | None:
    if "\ud800" <= char <= "\udfff":
        return None
    if part in ("long", "]"):
        if char == "]":
            return (BETWEEN if part == "]" else Lex(COMMENT, "", "]")), None
        return Lex(COMMENT, "", "long"), None
    if char == "\n":
        return BETWEEN, None
    if char == "[" and part in ("begun", "["):
        return Lex(COMMENT, "", "[" if part == "begun" else "long"), None
    return Lex(COMMENT, "", "line"), None
