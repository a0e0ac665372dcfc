"""The short way to a finished script from anywhere within one."""

from __future__ import annotations

from collections.abc import Iterator

from ...scoped.stack import NUMBER, PUNCTUATION, STRING, WORD, NameRule, Stack
from . import lexer
from .lexer import COMMENT, NAME_CHARS
from .shortest import free_name
from .state import PrefixState


def shortest_ending(state: PrefixState) -> str:
    """A short text that finishes the script; every state has one."""
    *_, (text, _) = ways_out(state)
    return text


def ways_out(state: PrefixState) -> Iterator[tuple[str, PrefixState]]:
    """The short way to a finished script, symbol by symbol: the text so far, and the state there."""
    text = ""
    while True:
        yield text, state
        if state.finished:
            return
        more = min(next_texts(state), key=lambda more: (len(more), more))
        after = state.advance(more)
        assert after is not None and more, f"no way on after {state.lex} with {more!r}"
        text, state = text + more, after


def next_texts(state: PrefixState) -> list[str]:
    """Texts for the next step on the way to a finished script: an end of the symbol in progress, or the next symbol."""
    settled = state.settled
    if not isinstance(settled, Stack) or state.lex.kind == COMMENT:
        return _symbol_ends(state)
    return [separated(state, way_out(settled))]


def separated(state: PrefixState, text: str) -> str:
    """The text, after a space where it would join the symbol in progress."""
    last, first = state.lex.text[-1:], text[0]
    joins = state.lex.kind in (WORD, NUMBER) and first in NAME_CHARS | {"."}
    joins = joins or (state.lex.kind == PUNCTUATION and (last + first in lexer.PUNCTUATIONS or last == first == "-"))
    return " " + text if joins else text


def way_out(stack: Stack) -> str:
    """The next symbols of the topmost frame that has to go on, after those above it have ended."""
    lowest: Stack = stack
    while True:
        more = lowest.frame.way_out()
        if more:
            return more
        popped = lowest.popped
        assert isinstance(popped, Stack), f"{lowest.frame} has no way out"
        lowest = popped


def _symbol_ends(state: PrefixState) -> list[str]:
    """Texts that end the symbol in progress as an accepted one."""
    kind, text, part = state.lex
    stack = state.stack
    if kind == COMMENT:
        return ["]" if part == "]" else "]]"] if part in ("long", "]") else ["\n"]
    assert stack is not None or kind == PUNCTUATION
    if kind == PUNCTUATION:
        signs = () if stack is None else (sign for sign in stack.expected.punctuation if sign.startswith(text))
        endings = [sign[len(text) :] for sign in signs if sign != text]
        return endings or ["-\n"]
    assert stack is not None
    expected = stack.expected
    if kind == WORD:
        endings = [word[len(text) :] for word in stack.words_with(text) if word != text]
        if expected.new_name is not None:
            endings.append(_extended(expected.new_name, text))
        return endings
    if kind == STRING:
        escape = {"": "", "escape": "n", "x": "00", "x1": "0"}.get(part, "")
        rule = expected.string_name
        return [escape + text[0] if rule is None else _string_end(rule, text)]
    return [{"0x": "1", "e": "1", "sign": "1", "dot": "1"}.get(part, more) for more in (".1", "1")]


def _extended(rule: NameRule, prefix: str) -> str:
    """The rest of an allowed name with this beginning."""
    for more in ("", *"_abcdefgz0123456789"):
        if rule.allows(prefix + more) and len(prefix + more) <= rule.longest:
            return more
    raise AssertionError("a name is only begun if it can be ended")


def _string_end(rule: NameRule, text: str) -> str:
    if len(text) == 1:
        return free_name(rule) + text
    return _extended(rule, text[1:]) + text[0]
