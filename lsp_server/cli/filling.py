"""The command line's completion of a place, by the editors' pipeline, so that both give the same text."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...common.terminal import say
from ...parser import LEVELS, pending_behind
from ..completion.engine.cursor_context import CursorContext
from ..completion.engine.pipeline import CompletionEngine
from ..completion.engine.silence import unanswered
from ..completion.judging.hidden import Hidden
from ..completion.proposing.editing import Editing
from ..completion.proposing.filling import fill_several
from ..completion.proposing.shown import Suggestion
from ..completion.proposing.suggestion import ALTERNATIVES
from ..settings.sources import own_settings
from .judging import Judge, with_closers

if TYPE_CHECKING:
    from ...model import Completion
    from ...parser import Closer, Hole, Level
    from ...parser.importing import Insertion

SETTINGS = ("max_tokens", "max_lines", "temperature", "copying")
"""The options of a request with a setting of the same name."""
BUT_FOR_HIDDEN = "exact, but for the hidden lines"
"""The promise for a text in a broken file: the file is valid with it once `Hole.hidden` is."""
_ERRORS = "tree-sitter sees an error in the file"


@dataclass(frozen=True)
class Filled:
    """The completions of a hole, best first, and whether an editor would show them."""

    hole: Hole
    completions: tuple[Completion, ...]
    shown: bool
    level: Level  # the level kept by the first one
    pending: tuple[Closer, ...] = ()  # closers missing in the code, valid with them
    hidden: Hidden | None = None  # why nothing is shown unasked
    edits: tuple[tuple[Insertion, ...], ...] = ()  # of each completion, the statements it needs above its line

    def judged(self, place: CursorContext, engine: CompletionEngine) -> tuple[str, str | None]:
        """(the first one's guarantee, why the file with it and the pending closers is invalid); None: it is valid, or nobody can tell."""
        from ...parser import guarantee, is_error_free, language
        from ...parser.importing import inserted

        text, settings = "", place.settings or engine.keeper.settings
        if self.completions:
            text = self.completions[0].text
            if not self.completions[0].complete:
                return "none", None
        promised, right = guarantee(place.language), with_closers(place.text[place.offset :], self.pending)
        if promised == "checked":
            whole = is_error_free(place.language, place.text[: place.offset] + text + right)
            return (promised if self.completions and whole else "none"), None if whole else _ERRORS
        if promised != "exact":
            return promised, None
        attributes = settings.attributes if place.attributes is None else place.attributes
        judge = Judge(language(place.language, place.version), self.level, place.path, attributes)
        left = inserted(place.text[: place.offset], self.edits[0] if self.edits else ())
        problem = judge.problem(left, text, right)
        if problem is not None and self.completions and self.hole.hidden:
            return BUT_FOR_HIDDEN, problem
        return ("exact" if self.completions and problem is None else "none"), problem


def engine_for(options: argparse.Namespace) -> CompletionEngine:
    """The engine with this user's settings, overridden by the arguments, and its model loaded."""
    given = {name: getattr(options, name) for name in ("model", "device", *SETTINGS)}
    chosen = {name: value for name, value in given.items() if value is not None}
    engine = CompletionEngine(replace(own_settings(), **chosen), options.template, patient=True)
    engine.keeper.load()
    tell(engine)
    return engine


def tell(engine: CompletionEngine) -> None:
    """Print the messages about the model."""
    for notice in engine.keeper.notices:
        say(f"suture: {notice}", file=sys.stderr)
    engine.keeper.notices.clear()


def with_options(place: CursorContext, engine: CompletionEngine, asked: dict[str, Any]) -> CursorContext:
    """A place with a request's options; settings among them override the engine's."""
    chosen = {name: value for name, value in asked.items() if name in SETTINGS}
    others = {name: value for name, value in asked.items() if name not in SETTINGS}
    settings = replace(place.settings or engine.keeper.settings, **chosen)
    return replace(place, settings=settings, options={**place.options, **others})


def suggested(engine: CompletionEngine, place: CursorContext, n: int) -> Filled:
    """The suggestions shown by an editor at a place for an invoked request, at most n."""
    suggestions = engine.alternatives(place, max(n, ALTERNATIVES), _never)[:n]
    pending = suggestions[0].pending if suggestions else ()
    edits = tuple(suggestion.edits for suggestion in suggestions)
    shown = tuple(map(_as_shown, suggestions))
    return Filled(engine.sessions.hole(place), shown, bool(suggestions), place.level or "names", pending, edits=edits)


def unasked(engine: CompletionEngine, place: CursorContext) -> Filled:
    """The suggestion shown by an editor at a place for an automatic request."""
    outcome = unanswered(place) or engine.suggest(place, _never)
    hole, level = engine.sessions.hole(place), place.level or "names"
    if isinstance(outcome, Hidden):
        return Filled(hole, (), False, level, hidden=outcome)
    return Filled(hole, (_as_shown(outcome),), True, level, outcome.pending)


def filled(engine: CompletionEngine, place: CursorContext, n: int) -> Filled:
    """The suggestion shown by an editor; where it shows none, or in a mode without the constraint, the model's text.

    Where no text keeps the place's level, the next lower one applies: a hole is filled with valid syntax at least.
    """
    if place.options.get("mode", "constrained") == "constrained":
        outcome = suggested(engine, place, n)
        if outcome.shown:
            return outcome
    model = engine.keeper.model()
    left, right = place.text[: place.offset], place.text[place.offset :]
    options = replace(engine.surroundings.options(place), max_lines=None, enough=-math.inf)
    level = place.level or "names"
    while True:
        here = replace(place, level=level)
        hole = engine.sessions.hole(here)
        if place.unfinished and isinstance(mended := engine.sessions.editing(here), Editing):
            hole = mended.hole
        completions = fill_several(hole, left, right, model, options, n)
        settled = options.mode != "constrained" or hole.state is None or completions[0].complete
        if settled or level == LEVELS[0]:
            first = completions[0]
            pending = pending_behind(hole, first.text) if first.complete else ()
            return Filled(hole, tuple(completions), False, level, pending)
        if level == "names" and place.attributes is not False:
            place = replace(place, attributes=False)
        else:
            level = LEVELS[LEVELS.index(level) - 1]


def _as_shown(suggestion: Suggestion) -> Completion:
    """The completion with its shown text, known to be valid."""
    return replace(suggestion.completion, text=suggestion.text, complete=True)


def _never() -> bool:
    return False
