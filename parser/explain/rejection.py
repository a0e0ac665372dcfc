"""Why a middle is refused, and why a file is not complete: the deciding character, and the symbols that could stand there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..glr.prefix import Engine, PrefixState
from ..glr.suffix import SuffixContext, SuffixText
from ..hole import Context, State
from .explanation import Explanation, explain

if TYPE_CHECKING:
    from ..engine_runtime import EngineRuntime

_AT_MOST = 1_000_000
"""The most characters of a context read to find where it breaks; some 2 microseconds each."""


@dataclass(frozen=True)
class Rejection:
    """A refusal; offsets are in the refused text."""

    offset: int
    """of the first character after which nothing can follow; at the text's length its end is refused"""
    symbol: int
    """the beginning of the symbol with that character, or ended by it"""
    instead: Explanation
    """the symbols possible at the symbol's beginning"""
    here: Explanation
    """the symbols possible at the character"""


def why_rejected(state: State, middle: str, before: str | None = None) -> Rejection | None:
    """Where a middle dies, for both contexts; None when it does not. before: the text up to the state, as for `explain`."""
    whole = None if before is None else before + middle
    reached, begun, symbol = state, state, 0
    for offset, char in enumerate(middle):
        after = reached.advance(char)
        if _begins(reached.left, char, reached.context.engine):
            begun, symbol = reached, offset
        if after is None:
            return _rejection(middle, offset, symbol, begun, reached, whole)
        reached = after
    return None


def why_not_complete(state: State, before: str | None = None) -> Rejection | None:
    """Where the right context breaks when it follows at once; None when it does not break, or too far away."""
    if state.complete:
        return None
    return _where_it_breaks(state.left, state.context.right.text, state.context, before)


def why_text_breaks(state: State, text: str, before: str | None = None) -> Rejection | None:
    """Where a text after a state dies, whatever its right context; None when it does not."""
    rejection = _where_it_breaks(state.left, text, state.context, before)
    return None if rejection is not None and rejection.offset == len(text) else rejection


def why_left_breaks(parts: EngineRuntime, before: str) -> Rejection | None:
    """Where a left context breaks; None when it does not."""
    engine = parts.engine
    context = Context(engine, SuffixContext(engine, SuffixText(""), 0), parts.bridging)
    rejection = _where_it_breaks(engine.start, before, context, "")
    return None if rejection is not None and rejection.offset == len(before) else rejection


def _where_it_breaks(reached: PrefixState, text: str, context: Context, before: str | None) -> Rejection | None:
    """Where a text after something dies; at its end if it does not."""
    whole = None if before is None else before + text
    engine, begun, symbol = context.engine, reached, 0
    alone = replace(context, right=SuffixContext(engine, SuffixText(""), 0), completable=None)
    for offset, char in enumerate(text[:_AT_MOST]):
        after = engine.read(reached, char)
        if _begins(reached, char, engine):
            begun, symbol = reached, offset
        if after is None:
            return _rejection(text, offset, symbol, State(begun, alone), State(reached, alone), whole)
        reached = after
    if len(text) > _AT_MOST:
        return None
    if not engine.lexer.in_words(reached.lex):
        begun, symbol = reached, len(text)
    return _rejection(text, len(text), symbol, State(begun, alone), State(reached, alone), whole)


def _rejection(text: str, offset: int, symbol: int, begun: State, reached: State, whole: str | None) -> Rejection:
    """whole: the text from the beginning of the file, with the refused text at its end."""
    while symbol < offset and text[symbol].isspace():
        symbol += 1
    if whole is None:
        return Rejection(offset, symbol, explain(begun), explain(reached))
    start = len(whole) - len(text)
    return Rejection(offset, symbol, explain(begun, whole[: start + symbol]), explain(reached, whole[: start + offset]))


def _begins(left: PrefixState, char: str, engine: Engine) -> bool:
    """Whether this is the first character of a symbol, as far as the lexer tells."""
    if not engine.lexer.in_words(left.lex):
        return True
    after, tokens = engine.lexer.step(left.lex, char)
    if after is None or not tokens:
        return False
    first = engine.feed(left.frame, left.stacks, tokens[:1])
    return first is not None  # else the symbol before is refused
