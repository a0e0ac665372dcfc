"""The explanation of a place for a person: the engine's possible texts, and the steps of a suggestion. Plain values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...common.line_ends import with_line_feeds
from ..completion.engine.cursor_context import CursorContext
from ..completion.engine.judged import has_grammar
from ..completion.engine.pipeline import CompletionEngine
from ..completion.engine.silence import unanswered
from ..completion.proposing.editing import Editing, lines_to_suggest
from ..completion.proposing.shown import Suggestion
from ..errors import TooSlow

if TYPE_CHECKING:
    from ...model.decoding.replay import Replay
    from ...parser import Hole

_BRIDGES = 3
_NAMES = 40


@dataclass(frozen=True)
class Symbol:
    """A possible next symbol."""

    symbol: str
    examples: tuple[str, ...]
    kind: str  # "pattern", "name", "keyword", "operator", "bracket"


@dataclass(frozen=True)
class CursorExplanation:
    """The possible texts at a cursor."""

    complete: bool  # the file is valid as it is
    fallback: str  # "none", else the part left out since the file is broken elsewhere
    within: str  # the kind of symbol around the cursor; "" between symbols
    open: tuple[str, ...]  # blocks and brackets around the cursor, outermost first
    accepts: tuple[Symbol, ...]
    bridges: tuple[str, ...]  # the shortest texts to make it complete
    names: tuple[str, ...] = ()  # in scope there, those bound nearest first, without built-in ones
    attributes: tuple[str, ...] = ()  # one of them comes next, where they are known
    hidden: tuple[tuple[int, int], ...] = ()  # spans of unreadable pieces of the file


def explanation_of(
    engine: CompletionEngine, place: CursorContext, cancelled: Callable[[], bool]
) -> CursorExplanation | None:
    """Explain a place; None without a grammar, or once the request is cancelled. Runs on the engine's thread."""
    hole = _hole(engine, place, cancelled)
    if hole is None:
        return None
    if hole.state is None:
        return CursorExplanation(False, hole.fallback, "", (), (), ())
    # With a part of the text left out, the places of open brackets are not those in the text.
    explanation = engine.sessions.explainer(place).explain(
        hole.state, place.text[: place.offset] if hole.viable else None
    )
    blocks = tuple(block.header.strip() for block in explanation.blocks if block.header)
    brackets = tuple(bracket.text for bracket in explanation.brackets if bracket.text)
    symbols = {
        symbol.name: Symbol(symbol.name, symbol.examples, symbol.kind)
        for symbol in (*explanation.becomes, *explanation.accepted)
    }
    bridges = () if explanation.complete else tuple(hole.state.bridges(cancelled))[:_BRIDGES]
    return CursorExplanation(
        explanation.complete,
        hole.fallback,
        explanation.within,
        blocks + brackets,
        tuple(symbols.values()),
        bridges,
        (hole.state.names() or ())[:_NAMES],
        (hole.state.attributes() or ())[:_NAMES],
        hole.hidden,
    )


def replay_of(
    engine: CompletionEngine, place: CursorContext, cancelled: Callable[[], bool], shown: str | None = None
) -> Replay | None:
    """Replay the model's candidates at each step of the suggestion `shown`, or else of the one it would show; None where there can be none.

    Where nothing would be shown, follow the model's own choice to its end.
    """
    from ...model.decoding.replay import replay

    here = engine.sessions.editing(place, cancelled) if has_grammar(place.language) else None
    if not isinstance(here, Editing) or here.hole.state is None:
        return None
    model = engine.keeper.model()
    ended = hidden = ""
    if not shown:
        try:
            suggestion = unanswered(place) or engine.suggest(place, cancelled)
        except TooSlow:
            return None
        if isinstance(suggestion, Suggestion):
            shown, ended = suggestion.text, suggestion.completion.ended
        else:
            shown, hidden = None, suggestion.reason.value
    left, right = with_line_feeds(here.cursor.left), with_line_feeds(here.cursor.right)
    following = None if shown is None else with_line_feeds(shown)
    options = engine.surroundings.options(place)
    lines = max(lines_to_suggest(place.cursor, options.max_lines or 0), (following or "").count("\n"))
    options = replace(options, max_lines=lines)
    # Even where the text's first token crosses a limit, the text is the shown one.
    steps = replay(model, here.hole.state, left, right, options, text=following, cancelled=cancelled)
    if steps is None:
        return None
    return replace(steps, hidden=hidden) if following is None else replace(steps, text=shown or "", ended=ended)


def _hole(engine: CompletionEngine, place: CursorContext, cancelled: Callable[[], bool]) -> Hole | None:
    from ...parser import Cancelled

    try:
        return engine.sessions.hole(place, cancelled) if has_grammar(place.language) else None
    except Cancelled:
        return None
