"""The place where a text stops being a script, and the expectations there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...scoped.stack import DIGITS, NUMBER, STRING, Expected, Stack
from . import lexer
from .api import Api
from .lexer import BETWEEN
from .state import PrefixState, beginning

_SHOWN = 8
"""The most names listed in a message."""


@dataclass(frozen=True)
class Problem:
    """The first character that no script has after the text before it, and its symbol."""

    offset: int
    """of the character; the text's length where more was expected"""
    start: int
    end: int
    """of the symbol"""
    message: str

    def place(self, text: str) -> tuple[int, int]:
        """(line from 1, column from 0) of the symbol."""
        return text.count("\n", 0, self.start) + 1, self.start - (text.rfind("\n", 0, self.start) + 1)


def check(text: str, api: Api, kinds: Sequence[str] = (), *, comments: bool = True) -> Problem | None:
    """Why a text is no script of one of these kinds; None where it is one."""
    return check_from(beginning(api, kinds, comments=comments), text)


def check_from(start: PrefixState, text: str) -> Problem | None:
    """Why no script begins with the text of a state and ends with this one; None where one does."""
    problem, state, begun = _read(start, text)
    if problem is not None or state.finished:
        return problem
    return Problem(len(text), begun if state.lex.kind else len(text), len(text), _unfinished(state))


def refusal_after(state: PrefixState, text: str) -> str | None:
    """The expectations where a text is refused after a state; None where it is accepted, or empty."""
    problem = _read(state, text)[0] if text else None
    return None if problem is None else problem.message


def _read(state: PrefixState, text: str) -> tuple[Problem | None, PrefixState, int]:
    """(the error, the last state before it, the beginning of the symbol there)"""
    start = 0
    for offset, char in enumerate(text):
        after = state.read(char)
        if after is None:
            start = start if state.lex.kind else offset
            return (
                Problem(offset, start, _symbol_end(text, start, offset), _message(state, text, start, offset)),
                state,
                start,
            )
        if _begins(state, after):
            start = offset
        state = after
    return None, state, start


def _begins(before: PrefixState, after: PrefixState) -> bool:
    """Whether a symbol begins with the character between these states."""
    if not before.lex.kind:
        return True
    return before.stack is not after.stack or before.lex.kind != after.lex.kind


def _symbol_end(text: str, start: int, offset: int) -> int:
    if start >= len(text) or text[start] not in lexer.NAME_CHARS:
        return offset + 1
    end = start
    while end < len(text) and text[end] in lexer.NAME_CHARS:
        end += 1
    return end if text[start] not in DIGITS else max(end, offset + 1)


def _message(state: PrefixState, text: str, start: int, offset: int) -> str:
    end = _symbol_end(text, start, offset)
    settled = state.settled
    symbol = text[start:end] if end - start <= 60 else text[start : start + 57] + "..."
    stepped = lexer.step(state.lex, text[offset])
    ended = bool(state.lex.kind) and stepped is not None and stepped[1] is not None
    if not state.comments and text.startswith("--", start):
        return "a comment is not allowed here"
    if state.lex.kind and isinstance(settled, Stack) and ended:  # the symbol is accepted; the next one is not
        return f"found {text[offset : _symbol_end(text, offset, offset)]!r}, expected {in_words(settled.expected)}"
    if state.lex.kind == STRING and state.lex.part:
        return f"found {text[offset]!r} in an escape, which is none of Lua"
    if state.stack is None:
        return f"found {symbol!r} after the end of the script"
    return f"found {symbol!r}, expected {in_words(state.stack.expected)}"


def _unfinished(state: PrefixState) -> str:
    settled = state.settled
    if isinstance(settled, Stack):
        return f"the text ends too early; expected {in_words(settled.expected)}"
    return "the text ends within a symbol"


def symbols(text: str) -> Iterator[tuple[int, str]]:
    """(offset, text) of each symbol, including the one in progress at the end; as far as they can be read."""
    lex, start = BETWEEN, 0
    for offset, char in enumerate(text):
        if not lex.kind:
            start = offset
        stepped = lexer.step(lex, char)
        if stepped is None:
            return
        after, token = stepped
        if token is not None:
            yield start, token.text
            if token.text != lex.text + char:  # it ended before the character
                start = offset
        lex, token = lexer.settled(after)
        if token is not None:
            yield offset, token.text
    if lex.kind:
        yield start, text[start:]


def in_words(expected: Expected) -> str:
    """The possible next symbols, in words."""
    words = sorted(expected.words)
    names = [word for word in words if word not in lexer.KEYWORDS]
    keywords = [word for word in words if word in lexer.KEYWORDS]
    parts = [f"'{sign}'" for sign in sorted(expected.punctuation)] + [f"'{word}'" for word in keywords]
    if expected.new_name is not None and not expected.what:
        parts.append("a new name")
    if expected.number and not expected.what:
        parts.append(f"a {NUMBER}")
    if names:
        listed = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        parts.append(listed)
    if expected.what:
        return expected.what + (f" (such as {', '.join(parts[:_SHOWN])})" if parts else "")
    return " or ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else "nothing"
