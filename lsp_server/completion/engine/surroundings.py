"""The texts around a cursor for the model, without secrets, and the options to read them with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...context.cross_file import CrossFileContext, Excerpt, OtherFile, names_around
from ...context.declarations import useful_declarations
from ...context.secret_strings import Secrets, without_secrets
from ..proposing.editing import ASKED_LINES, ASKED_MS, ASKED_TOKENS, MAX_LINES, MAX_TOKENS
from .cursor_context import CursorContext
from .judged import has_grammar, is_judged
from .sessions import Sessions

if TYPE_CHECKING:
    from ....model import Options

MAX_OTHERS_CHARS = 2_000_000  # of other files' texts searched for one suggestion


class Surroundings:
    """The surroundings of the cursors in one server's documents."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._neighbours = CrossFileContext()
        self._secrets = Secrets()

    def shown(self, place: CursorContext) -> CursorContext:
        """A place as the model sees it: with the cells above, and without secrets."""
        place = self._sessions.cells.joined(place)
        return replace(place, text=self._secrets.hidden(place.document, place.text))

    def options(self, place: CursorContext, asked: bool = False) -> Options:
        """The options to complete a place, by its settings. asked: the user asks, and gets as much as can be written while they wait."""
        from ....model import Options, Snippet
        from ....parser.language import traits

        settings = place.settings or self._sessions.keeper.settings
        most_tokens, most_lines = (ASKED_TOKENS, ASKED_LINES) if asked else (MAX_TOKENS, MAX_LINES)
        options = Options(
            max_tokens=settings.max_tokens or most_tokens,
            max_lines=settings.max_lines or most_lines,
            fullest=asked,
            text_ms=ASKED_MS if asked else None,
            temperature=settings.temperature,
            written=place.written,
            path=place.path,
            language=place.language if has_grammar(place.language) else None,
            language_version=place.version,
            copying=settings.copying,
        )
        options = replace(options, **place.options)
        if not settings.context_files:
            return options
        others = self.other_texts(place)
        pieces = self._neighbours.pieces(place.path or place.document, place.text, place.offset, others, place.reach)
        declared = self._declared(place) if is_judged(place.language) else ()
        above = (Excerpt(place.path or "", place.prose),) if place.prose else ()
        shown, comment = (*declared, *pieces, *above), traits(place.language).line_comment
        snippets = tuple(Snippet(piece.path, without_secrets(piece.text), comment) for piece in shown)
        return replace(options, snippets=snippets)

    def _declared(self, place: CursorContext) -> Iterator[Excerpt]:
        """Declarations elsewhere used by a place's document, those named around the place first."""
        declared = self._sessions.of(place).declared
        return useful_declarations(declared, names_around(place.text, place.offset)) if declared else iter(())

    def other_texts(self, place: CursorContext) -> tuple[OtherFile, ...]:
        """Return the other open files of a place's language, the last edited first; no ignored or seemingly secret ones."""
        given: list[OtherFile] = []
        room = MAX_OTHERS_CHARS
        if (place.settings or self._sessions.keeper.settings).context_files:
            for source in place.others:
                if len(source.text) <= room and self._neighbours.may_be_shown(source.path):
                    room -= len(source.text)
                    given.append(replace(source, text=self._secrets.hidden(source.path, source.text)))
        return tuple(given)
