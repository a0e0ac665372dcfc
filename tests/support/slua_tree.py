"""The interface of the paper: whether the script has finished, the next regular expression, and feeding it a text.

It is a view of decoding's own states. A word of the regular expression is one symbol, or the rest of one, after optional blanks. No word is a
prefix of another: a symbol that could go on (a name, a number, `<` before `=`) is followed by one character of the next one, and fed with it.
So the model decides where such a symbol ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from suture.parser.languages.slua import lexer
from suture.parser.languages.slua.lexer import PUNCTUATIONS
from suture.parser.languages.slua.shortest import free_name
from suture.parser.languages.slua.state import PrefixState
from suture.parser.scoped.stack import (
    DIGITS,
    NAME_CHARS,
    NUMBER,
    PUNCTUATION,
    STRING,
    WORD,
    Expected,
    NameRule,
    Stack,
    Token,
)

_BLANKS = " \t\n"
_LETTER_ESCAPE = r"\\(?:[\\\"'ntrabfv]|x[0-9a-fA-F]{2})"
_THREE_DIGITS = r"\\(?:[01][0-9]{2}|2[0-4][0-9]|25[0-5])"
_FEWER_DIGITS = r"\\[0-9]{1,2}"  # without a digit behind, which would belong to it
_INT_TAIL = r"(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NUMBER_TAILS = {
    "zero": rf"(?:[0-9]*{_INT_TAIL}|[xX][0-9a-fA-F]+)",
    "int": rf"[0-9]*{_INT_TAIL}",
    "dot": r"[0-9]+(?:[eE][+-]?[0-9]+)?",
    "fraction": r"[0-9]*(?:[eE][+-]?[0-9]+)?",
    "e": r"[+-]?[0-9]+",
    "sign": r"[0-9]+",
    "exponent": r"[0-9]*",
    "0x": r"[0-9a-fA-F]+",
    "hex": r"[0-9a-fA-F]*",
}
_NUMBER = rf"(?:0[xX][0-9a-fA-F]+|[0-9]+{_INT_TAIL})"
_NONZERO = (
    r"(?:0[xX]0*[1-9a-fA-F][0-9a-fA-F]*|0*[1-9][0-9]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?"
    r"|0+\.0*[1-9][0-9]*(?:[eE][+-]?[0-9]{1,2})?)"
)


class TreeOfParsers:
    """An unfinished script; see the module. Unlike states it is mutable."""

    def __init__(self, state: PrefixState) -> None:
        """state: of a script without comments."""
        if state.comments:
            raise ValueError("the symbols of a script with comments have no regular expression here")
        self._state = state

    @property
    def state(self) -> PrefixState:
        """After the text so far."""
        return self._state

    def has_finished(self) -> bool:
        """Whether the text so far is a script."""
        return self._state.finished

    def feed_text(self, text: str) -> None:
        """Append a word of `next_regex`, or any longer text. Raises ValueError, unchanged, where no script goes on like this."""
        after = self._state.advance(text)
        if after is None:
            raise ValueError(f"no script goes on with {text!r}")
        self._state = after

    def next_regex(self) -> str:
        """The possible next words. There is one unless the script has finished; then it matches nothing."""
        if self.has_finished():
            return r"[^\s\S]"
        lex, stack = self._state.lex, self._state.stack
        assert stack is not None
        if not lex.kind:
            return f"[{_BLANKS}]*{_any(_symbols(stack))}"
        return _any(_rests(lex, stack))


def _any(words: Iterable[str]) -> str:
    found = list(words)
    return found[0] if len(found) == 1 else "(?:" + "|".join(found) + ")"


def _symbols(stack: Stack) -> list[str]:
    """Whole symbols, with the next character after those that could go on."""
    expected = stack.expected
    found = [re.escape(word) + _then(stack, Token(WORD, word)) for word in stack.sorted_words]
    if expected.new_name is not None:
        rule = expected.new_name
        found.append(_names(rule, "") + _then(stack, Token(WORD, free_name(rule))))
    for sign in sorted(expected.punctuation):
        found.append(re.escape(sign) + _then(stack, Token(PUNCTUATION, sign)))
    if expected.number:
        found.append((_NONZERO if expected.nonzero else _NUMBER) + _then(stack, Token(NUMBER, "1")))
    if expected.string:
        found += [quote + _string_rest(expected, quote) for quote in "\"'"]
    return found


def _rests(lex: lexer.Lex, stack: Stack) -> list[str]:
    """The same for the rest of the symbol in progress."""
    kind, text, part = lex
    expected = stack.expected
    if kind == WORD:
        words = stack.words_with(text)
        found = [re.escape(word[len(text) :]) + _then(stack, Token(WORD, word)) for word in words]
        rule = expected.new_name
        if rule is not None and rule.allows_prefix(text):
            found.append(_names(rule, text) + _then(stack, Token(WORD, free_name(rule))))
        return found
    if kind == NUMBER:
        return [_NUMBER_TAILS[part] + _then(stack, Token(NUMBER, "1"))]
    if kind == STRING:
        if expected.string_name is not None:
            return [_names(expected.string_name, text[1:]) + text[0]]
        return [_string_rest(expected, text[0], part)]
    found = [re.escape(sign[1:]) for sign in expected.punctuation if len(sign) > 1 and sign.startswith(text)]
    if text in expected.punctuation:
        found.append(_then(stack, Token(PUNCTUATION, text)))
    return found


def _then(stack: Stack, token: Token) -> str:
    """The next character after a symbol that could go on; nothing after others, and after the last one."""
    longer = {sign[1] for sign in PUNCTUATIONS if len(sign) > 1 and sign[0] == token.text}
    if token.text == "-":
        longer.add("-")
    if token.kind == PUNCTUATION and not longer:
        return ""
    after = stack.shift(token)
    if not isinstance(after, Stack):
        return ""
    chars = _first_chars(after.expected)
    chars -= longer if token.kind == PUNCTUATION else NAME_CHARS
    if token.kind == NUMBER:
        chars -= {"."}
    return "[" + "".join(re.escape(char) for char in sorted(chars | set(_BLANKS))) + "]"


def _first_chars(expected: Expected) -> set[str]:
    found = {word[0] for word in expected.words} | {sign[0] for sign in expected.punctuation}
    if expected.new_name is not None:
        found |= NAME_CHARS - DIGITS
    if expected.number:
        found |= DIGITS
    return found | ({'"', "'"} if expected.string else set())


def _string_rest(expected: Expected, quote: str, part: str = "") -> str:
    """The rest of a string after its first quote, or within an escape; see lexer.Lex."""
    if expected.string_name is not None:
        return _names(expected.string_name, "") + quote
    normal, not_digit = rf"[^\\\r\n{quote}\ud800-\udfff]", rf"[^0-9\\\r\n{quote}\ud800-\udfff]"
    escapes = f"{_LETTER_ESCAPE}|{_THREE_DIGITS}"
    after_few = f"(?:{_FEWER_DIGITS})*(?:{not_digit}|{escapes})"
    body = f"(?:{normal}|{escapes}|{_FEWER_DIGITS}{after_few})*(?:{_FEWER_DIGITS})*{quote}"
    if part == "escape":
        return _any([f"[\\\\\"'ntrabfv]{body}", f"x[0-9a-fA-F]{{2}}{body}", *_digits("", after_few, body, quote)])
    if part in ("x", "x1"):
        return f"[0-9a-fA-F]{{{2 if part == 'x' else 1}}}{body}"
    return _any(_digits(part, after_few, body, quote)) if part else body


def _digits(begun: str, after_few: str, body: str, quote: str) -> list[str]:
    """The rest of a string within an escape of some digits."""
    longer = [f"{number:0{3 - len(begun)}}" for number in range(10 ** (3 - len(begun)))]
    three = [f"(?:{'|'.join(fit)}){body}"] if (fit := [more for more in longer if int(begun + more) <= 255]) else []
    fewer = ["", *"0123456789"] if begun else [str(number) for number in range(10)] + [f"{n:02}" for n in range(100)]
    few = "|".join(more for more in fewer if len(begun + more) < 3)
    return [*three, f"(?:{few})(?:{after_few}{body}|(?:{_FEWER_DIGITS})*{quote})"]


def _names(rule: NameRule, prefix: str) -> str:
    """The completions of a beginning to an allowed name, "" included where it is one."""
    taken = {name[len(prefix) :] for name in rule.taken if name.startswith(prefix)}
    reserved = rule.reserved[len(prefix) :] if rule.reserved.startswith(prefix) else None
    return _rest_of_name(taken, reserved, len(prefix), rule.longest)


def _rest_of_name(taken: set[str], reserved: str | None, length: int, longest: int) -> str:
    """All names but some: a tree of their first characters."""
    special = {rest[0] for rest in taken if rest} | ({reserved[0]} if reserved else set[str]())
    chars = NAME_CHARS if length else NAME_CHARS - DIGITS
    found: list[str] = []
    if length < longest:
        found.append(f"[{''.join(sorted(chars - special))}][A-Za-z0-9_]{{0,{longest - length - 1}}}")
        for char in sorted(special & chars):
            further = reserved[1:] if reserved and reserved[0] == char else None
            if further == "":
                continue
            inner = {rest[1:] for rest in taken if rest[:1] == char}
            found.append(char + _rest_of_name(inner, further, length + 1, longest))
    if length and "" not in taken:
        found.append("")
    return "(?:" + "|".join(found) + ")"
