"""Holes in an edited document: the readings for the last one are reused for the next.

The left context is kept as raw readings at line ends; an edit costs the text between it and the cursor. The right context's
runs and memos are keyed by distance to the end, so edits above and cursor moves cost nothing there.

A session belongs to one thread at a time, and so does everything of one language (sessions share its engine).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

from ..common.constraint import Stop
from ..common.line_ends import line_start
from .enclosing import block_ends
from .engine_runtime import EngineRuntime, SemanticLayer, SemanticRequest
from .glr.effort import OutOfTime
from .glr.incremental import PrefixText
from .glr.prefix import Engine, EngineFull, PrefixState
from .glr.suffix import SuffixContext, SuffixText
from .glr.text_diff import common_prefix, common_suffix
from .hole import Closer, Context, Hole, HoleState, Level, State
from .importing import Insertion, inserted, length_of
from .language_runtime import Renew, Session
from .pending import is_in_word, is_lacking, mended, open_in_line, pending
from .pending_hole import PendingState, fewer
from .token_masks import new_masks
from .unforeseen import read_on, unforeseen
from .view import View
from .views import MOST_READ, new_views

if TYPE_CHECKING:
    from .explain import Explainer

_MAX_MEETINGS = 200_000
"""Places kept in a tail; some 200 bytes each."""
_HASTY = 60  # texts read in a search for a view while somebody waits who also pauses; a pause does the rest
_MAX_FORESEEN = 70_000
"""Objects of an engine up to which texts are read ahead: the rest is for requests. After reading ahead, a new engine must still be small
enough to be worth its making (`Language.renew`), or full engines are only replaced while somebody waits."""
_GIVEN = ("_current_runtime", "_renew", "_recovers", "_heir", "level", "elsewhere", "imports", "allowed", "doubts", "inserted")  # fmt: skip
"""The facts of a session independent of its engine."""
_CLOSING = ")]}"
_GOES_ON = re.compile(r"\w+")
_MAX_MADE = 600_000
"""The limit of objects made by a reading, and one more for every other character: twice the need of the densest code."""


class EngineSession(Session):
    """One document of a language parsed by the engine."""

    def __init__(
        self,
        current_runtime: Callable[[], EngineRuntime],
        path: str | PathLike[str] | None = None,
        workspace: str | None = None,
        renew: Renew | None = None,
        *,
        recovers: bool = True,
    ) -> None:
        """current_runtime: returns the language's engine, a new one when the old has grown too large; renew: see Language. path: the
        document's, needed by the semantics of some languages.

        recovers: whether a broken text has holes in a part of it.
        """
        self._current_runtime, self._renew = current_runtime, renew
        self._recovers, self._path = recovers, path
        self._runtime: EngineRuntime | None = None
        self._heir: EngineSession | None = None  # the same document, read by the next engine
        self._asked: tuple[int, Level, bool] = 0, "syntax", False  # (offset, level, exact) of the last hole
        self._reads_ahead = False  # whether there was a pause
        self._text = ""
        self._tail = SuffixText("")
        self._semantics: tuple[SemanticLayer, SemanticLayer] | None = None  # of the text without and with insertions

    def explainer(self) -> Explainer:
        from .explain.engine import EngineExplainer

        return EngineExplainer(self._fresh())

    def forget(self) -> None:
        """Forget all readings; the next hole starts anew."""
        self._tail.forget()
        kept = vars(self)
        for session in (*kept.get("_scratch", ()), *kept.get("_mended", ()), kept.get("_viewed"), self._heir):
            if session is not None:
                session.forget()
        self._runtime, self._text, self._semantics, self._heir = None, "", None, None
        for name in (
            "_left", "_right", "_decides", "_restriction", "_scratch", "_closers", "_mended", "_viewed", "_views",
        ):  # fmt: skip
            kept.pop(name, None)

    def _fresh(self) -> EngineRuntime:
        """The language's engine; if it is a new one, everything kept is forgotten."""
        runtime = self._current_runtime()
        if runtime is not self._runtime:
            self._runtime = runtime
            self._left = PrefixText(runtime.engine)
            self._tail = SuffixText("")
            self._right: SuffixContext | None = None
            self._decides: tuple[SuffixContext, Callable[[PrefixState], bool] | None] | None = None
            self._restriction: tuple[SuffixContext, Callable[[PrefixState], bool] | None] | None = None
            self._viable_end = 0  # the longest end of the text known to be a viable suffix
            self._dead_end: int | None = None  # the shortest end known to be no viable suffix
            self._text = ""
            self._scratch = (  # for the search for closers: of beginnings of the text, and of the whole with closers
                EngineSession(self._current_runtime, self._path, recovers=False),
                EngineSession(self._current_runtime, self._path, recovers=False),
            )
            self._closers: tuple[tuple[str, str], str, tuple[Closer, ...]] | None = None
            self._views = None
            if self._recovers:  # else there are no views, and a session in a cycle would outlive its engine
                self._viewed = EngineSession(self._current_runtime, self._path, recovers=False)
            if runtime.mender is not None and self._recovers:
                self._views = new_views(runtime, runtime.mender, self._viewed, self._viewed.before)
            self._mended = list[EngineSession]()  # of the same text with closers, with all of them first
            self._foreseen: str = ""  # the last text read ahead
            self._foreseen_tail: SuffixText | None = None  # and its tail for right contexts
            self._is_edited = False  # whether it was asked for more than one hole
        return runtime

    def hole(
        self, text: str, offset: int, stop: Stop | None = None, *, level: Level | None = None, exact: bool = False
    ) -> Hole:
        runtime, level = self._fresh(), level or self.level
        offset = max(0, min(offset, len(text)))
        self._asked = offset, level, exact
        with runtime.engine.stopping(stop):
            runtime.engine.ask()
            hole = self._hole(runtime, text, offset)
            if hole.state is None or (self.doubts and not hole.state.complete):
                view = self._view(text, offset, viable=hole.viable)
                if view is not None:
                    return self._hole_in(view, stop, level, exact=exact)
            elif self._views is not None:
                self._views.skip(text, offset, hole.state)
            if level == "syntax" or runtime.new_semantics is None:
                return hole
            if self._semantics is None:
                self._semantics = runtime.new_semantics(), runtime.new_semantics()
            semantics, with_insertions = self._semantics
            if self.inserted:
                text, offset = inserted(text, self.inserted), offset + length_of(self.inserted)
                semantics = with_insertions
            asked = SemanticRequest(text, offset, level, exact, self.elsewhere, self.imports, self._path, self.allowed)
            return semantics.refine(hole, asked)

    def mended(
        self,
        hole: Hole,
        text: str,
        offset: int,
        stop: Stop | None = None,
        *,
        level: Level | None = None,
        exact: bool = False,
    ) -> Hole:
        level = level or self.level
        view = None if hole.viable else self._view(text, offset, viable=False)
        if view is not None:
            inside = replace(hole, fallback="none", hidden=())
            return self._outside(
                view, self._viewed.mended(inside, view.text, view.offset, stop, level=level, exact=exact)
            )
        closers = self.pending(text, offset, stop)
        self._fresh()  # the search, or a later step, may fill the engine: then all is forgotten
        sessions = self._mended
        holes: list[tuple[HoleState, tuple[Closer, ...]]] = []
        fallback = hole.fallback
        for number, some in enumerate((closers, *fewer(closers)) if closers else ()):
            other = hole
            if some:
                if number == len(sessions):
                    sessions.append(EngineSession(self._current_runtime, self._path))
                session = sessions[number]
                session.elsewhere, session.imports, session.inserted = self.elsewhere, self.imports, self.inserted
                session.allowed = self.allowed
                session._recovers = not hole.viable
                whole = text[:offset] + mended(text[offset:], some)
                other = session.hole(whole, offset, stop, level=level, exact=exact)
            if other.state is not None and (fallback == "both" or other.fallback in (fallback, "none")):
                holes.append((other.state, some))
                fallback = other.fallback
            elif not holes:
                break  # with all closers there must be one
        return Hole(PendingState(*holes[0], holes[1:], cut=fallback != "none"), fallback, closers) if holes else hole

    def pending(self, text: str, offset: int, stop: Stop | None = None) -> tuple[Closer, ...]:
        hole = self.hole(text, offset, stop, level="syntax")
        if not isinstance(hole.state, State):
            return ()
        if not hole.viable:
            view = self._view(text, offset, viable=False)
            return () if view is None else view.closers(self._viewed.pending(view.text, view.offset, stop))
        start = line_start(text, offset)
        above = self.before(text, start)
        depth = hole.state.left.stacks.depth
        depth = min(depth, above.stacks.depth) if isinstance(above, PrefixState) else depth
        closers = self._pending_behind_line(hole.state, text, offset, depth, stop)
        return self._pending_in_line(hole.state, text, offset, depth, closers, stop) + closers

    def readable(self, text: str, offset: int, stop: Stop | None = None) -> tuple[str, int]:
        hole = self.hole(text, offset, stop, level="syntax")
        view = None if hole.viable else self._view(text, offset, viable=False)
        if view is not None:
            return self._viewed.readable(view.text, view.offset, stop)
        return text[:offset] + mended(text[offset:], self.pending(text, offset, stop)), offset

    def _learn(self, other: EngineSession) -> None:
        """Take over the verdicts on ends shared with another document's text, and its readings if there are none yet."""
        if not self._text:
            self._left, self._text = other._left.copy(), other._text
        common, dead = common_suffix(self._text, other._text), other._dead_end
        self._viable_end = max(self._viable_end, min(other._viable_end, common))
        if dead is not None and dead <= common:
            self._dead_end = min(dead, self._dead_end or dead)

    def before(self, text: str, offset: int) -> PrefixState | int:
        """The reading of a text before an offset, or the place where it dies."""
        self._fresh()
        self._change(text)
        return self._left.read(offset)

    def _view(self, text: str, offset: int, *, viable: bool, anew: bool = False) -> View | None:
        """The view of a text, or None. viable: see `Views.view`; anew: see `Views.renewed`."""
        self._fresh()  # all may be forgotten since the hole
        views = self._views
        if views is None:
            return None
        viewed = self._viewed
        if viewed._fresh() is self._runtime:
            viewed._learn(self)
        try:
            look = views.renewed if anew else views.view
            view = look(text, offset, viable=viable, most=_HASTY if self._reads_ahead and not anew else MOST_READ)
        except EngineFull:
            return None
        if view is None or not view.hidden:
            return None
        self._fresh()  # the search may have filled the engine, and then all is forgotten
        return view

    def renewed_view(self, text: str, offset: int, stop: Stop | None = None) -> View | None:
        """The view of a text, searched anew, since nobody waits."""
        runtime = self._fresh()
        if runtime.mender is None or not self._recovers:
            return None
        with runtime.engine.stopping(stop):
            viable = self._hole(runtime, text, offset).viable
            return self._view(text, offset, viable=viable, anew=True) if self.doubts or not viable else None

    def _hole_in(self, view: View, stop: Stop | None, level: Level, *, exact: bool) -> Hole:
        """The hole in a view."""
        viewed = self._viewed
        viewed.elsewhere, viewed.imports, viewed.allowed = self.elsewhere, self.imports, self.allowed
        if self._semantics is None and self._runtime is not None and self._runtime.new_semantics is not None:
            self._semantics = self._runtime.new_semantics(), self._runtime.new_semantics()
        viewed._semantics = self._semantics
        viewed.inserted = tuple(Insertion(view.inside(insertion.at), insertion.text) for insertion in self.inserted)
        return self._outside(view, viewed.hole(view.text, view.offset, stop, level=level, exact=exact))

    @staticmethod
    def _outside(view: View, hole: Hole) -> Hole:
        """A hole in a view as one in the document."""
        if hole.state is None:
            return hole
        state = hole.state.placed(view.closers) if isinstance(hole.state, PendingState) else hole.state
        return view.hole(state, hole.pending)

    def _searching(self) -> tuple[EngineSession, EngineSession]:
        """The sessions of the search for closers. If one of them has found the engine full, all is forgotten."""
        self._fresh()
        return self._scratch

    def _pending_in_line(
        self, state: State, text: str, offset: int, depth: int, others: tuple[Closer, ...], stop: Stop | None
    ) -> tuple[Closer, ...]:
        """The closers of the brackets and the quote opened in the cursor's line up to the cursor, if the file then lacks only the others."""
        right = text[offset:]
        rest = next(block_ends("", right))
        if right[:rest].strip() or (state.region == "code" and state.left.stacks.depth <= depth):
            return ()
        if others:
            hole = self._searching()[1].hole(text[:offset] + mended(right, others), offset, stop, level="syntax")
            if not isinstance(hole.state, State) or not hole.viable:
                return ()
            state = hole.state
        closing = open_in_line(state, depth)
        return (Closer(rest, closing),) if closing else ()

    def _pending_behind_line(
        self, state: State, text: str, offset: int, depth: int, stop: Stop | None
    ) -> tuple[Closer, ...]:
        """The closers if the cursor's line closes its own brackets. state, depth: see `is_lacking`."""
        start = line_start(text, offset)
        in_word = is_in_word(text, offset)
        if not is_lacking(state, depth, in_word):
            return ()
        right, asked = text[offset:], (text[:start], text[offset:])
        closers = self._known_closers(asked, text[start:offset], depth, stop)
        if closers is not None:
            return closers
        beginnings, wholes = self._searching()

        def hole_at(left: str, right: str) -> Hole:
            return (wholes if right else beginnings).hole(left + right, len(left), stop, level="syntax")

        closers = pending(hole_at, text[:offset], right, self._fresh().closing)
        self._closers = asked, text[start:offset], closers
        return closers

    def _known_closers(
        self, asked: tuple[str, str], line: str, depth: int, stop: Stop | None
    ) -> tuple[Closer, ...] | None:
        """The closers found for an earlier state of the line, shorter or longer; None if they no longer hold.

        asked: the text above the line, and behind the cursor. A result without closers, or with those of the line's brackets, holds as
        long as the same word continues.
        """
        if self._closers is None or self._closers[0] != asked:
            return None
        (above, right), before, closers = self._closers
        if not closers or closers[0].text[0] in _CLOSING:
            same_word = line.startswith(before) and _GOES_ON.fullmatch(line, max(0, len(before) - 1)) is not None
            if line != before and not same_word:
                return None
            if not closers:
                return closers
        left = above + line
        again = self._searching()[1].hole(left + mended(right, closers), len(left), stop, level="syntax")
        if again.fallback != "none" or not isinstance(again.state, State):
            return None
        return None if is_lacking(again.state, depth, is_in_word(left, len(left))) else closers

    def foresee(self, text: str, stop: Stop | None = None) -> None:
        if self._renew is not None and self._renewed(self._renew, text, stop):
            return
        self._fresh()
        self._reads_ahead = True
        offset = min(self._asked[0], len(text))
        view = self.renewed_view(text, offset, stop) if self._text else None
        runtime = self._fresh()  # the search may have filled the engine, and then all is forgotten
        if view is not None:
            return self._viewed.foresee(view.text, stop)
        if self._views is not None and self._text == text and runtime.engine.size < _MAX_FORESEEN:
            viewed = self._viewed
            if viewed._fresh() is not runtime or (viewed._text, viewed._asked[0]) != (text, offset):
                viewed.hole(text, offset, stop, level="syntax")  # as for views, which differ little from it
                right = SuffixContext(runtime.engine, viewed._tail, len(text) - offset)
                with runtime.engine.stopping(stop):
                    read_on(runtime, viewed._left.read(offset), right)
        if runtime.foresee is None or (text == self._foreseen and self._tail is self._foreseen_tail):
            return
        self._tail = self._foreseen_tail = self._tail.for_text(text)
        engine, whole = runtime.engine, SuffixContext(runtime.engine, self._tail, len(text))
        begin, end = unforeseen(self._foreseen, text)
        try:
            with engine.stopping(stop):
                with engine.bounded(_MAX_MADE + len(text) // 2):
                    runtime.foresee("", whole)
                if begin < end and (room := _MAX_FORESEEN - engine.size) > 0:
                    with engine.bounded(room):
                        runtime.foresee(text[begin:end], whole)
        except EngineFull:
            pass  # the rest is read on demand
        except OutOfTime:
            self._foreseen = text  # not again
            raise
        engine.pause()
        self._foreseen = text

    def _renewed(self, renew: Renew, text: str, stop: Stop | None) -> bool:
        """Whether another engine has replaced this one, with everything read for the next hole."""
        heir = self._heir or EngineSession(self._current_runtime, self._path)

        def read() -> None:
            self._heir = heir
            heir.elsewhere, heir.imports, heir.doubts = self.elsewhere, self.imports, self.doubts
            offset, level, exact = self._asked
            for place in (len(text), 0):
                heir.hole(text, place, stop, level="syntax")
            heir.hole(text, offset, stop, level=level, exact=exact)
            heir.foresee(text, stop)
            self._heir = None  # not to be forgotten with the readings of this engine

        renewed = renew(read)
        if renewed:
            vars(self).update((name, value) for name, value in heir.__dict__.items() if name not in _GIVEN)
        else:
            heir.forget()
        return renewed

    def _hole(self, runtime: EngineRuntime, text: str, offset: int) -> Hole:
        try:
            with runtime.engine.bounded(_MAX_MADE + len(text) // 2):
                return self._unbounded_hole(runtime, text, offset)
        except EngineFull:
            return Hole(None, "dead")  # the next hole starts with another engine

    def _unbounded_hole(self, runtime: EngineRuntime, text: str, offset: int) -> Hole:
        self._is_edited = self._is_edited or bool(self._text)
        self._change(text)
        left = self._left.read(offset)
        right = self._right_context(runtime.engine, text[offset:])
        context = Context(
            runtime.engine, right, runtime.bridging, new_masks, completable=self._completable(runtime, right)
        )
        if isinstance(left, PrefixState):
            if self._right_viable(runtime, left, context):
                if self._is_edited and runtime.prepare is not None:
                    runtime.prepare(right, left)
                return Hole(State(left, context), "none")
            restricted = self._restricted(runtime, context)
            if restricted is not None and restricted.admits(left):
                return Hole(State(left, restricted), "none")
        return Hole(None, "dead")

    def _change(self, text: str) -> None:
        if text == self._text:
            return
        prefix = common_prefix(self._text, text)
        common = common_suffix(self._text, text)
        self._viable_end = min(self._viable_end, common)
        if self._dead_end is not None and self._dead_end > common:
            self._dead_end = None
        self._left.change(text, (prefix, common))
        self._text = text

    def _right_context(self, engine: Engine, text: str) -> SuffixContext:
        if self._tail.size > _MAX_MEETINGS:
            self._tail.forget()
            self._tail, self._right = SuffixText(""), None
        tail = self._tail.for_text(text)
        if self._right is None or tail is not self._tail or self._right.length != len(text):
            self._tail, self._right = tail, SuffixContext(engine, tail, len(text))
        return self._right

    def _completable(self, runtime: EngineRuntime, right: SuffixContext) -> Callable[[PrefixState], bool] | None:
        """The decider of completability before a right context; the same one for the same right context. None: see Context."""
        if runtime.completable is None:
            return None
        if self._decides is None or self._decides[0] is not right:
            self._decides = right, runtime.completable(right)
        return self._decides[1]

    def _restricted(self, runtime: EngineRuntime, context: Context) -> Context | None:
        """The same if only some texts fit the right context; None if none does."""
        if runtime.restriction is None or context.completable is not None:
            return None
        right = context.right
        if self._restriction is None or self._restriction[0] is not right:
            self._restriction = right, runtime.restriction(right)
        decides = self._restriction[1]
        return None if decides is None else replace(context, completable=decides)

    def _right_viable(self, runtime: EngineRuntime, left: PrefixState, context: Context) -> bool:
        """Whether the right context is a viable suffix. If so, every shorter end of the text is one; if not, no longer end is."""
        if runtime.completable is not None:
            return context.completable is None or context.completable(left)
        right = context.right
        if right.length <= self._viable_end:
            return True
        if self._dead_end is not None and right.length >= self._dead_end:
            return False
        # The end of a valid file is viable, and testing the file takes less time.
        whole = runtime.restriction is None
        if (whole or (runtime.unrestricted is not None and runtime.unrestricted(left))) and right.accepts(left):
            self._viable_end = len(self._text) if whole else right.length
            if whole:
                right.witnesses.add(left.lex)
            return True
        if self._is_witnessed(runtime, right):
            self._viable_end = right.length
            return True
        if runtime.viable_suffix(right, left.lex):
            self._viable_end = right.length
            return True
        self._dead_end = right.length
        return False

    def _is_witnessed(self, runtime: EngineRuntime, right: SuffixContext) -> bool:
        """Whether a simple text in place of the line's beginning makes the file valid."""
        if not runtime.openers:
            return False
        offset = len(self._text) - right.length
        above = self._left.read(line_start(self._text, offset))
        if not isinstance(above, PrefixState):
            return False
        for opener in runtime.openers:
            begun = runtime.engine.read_text(above, opener)
            if begun is not None and right.accepts(begun):
                right.witnesses.add(begun.lex)
                return True
        return False
