"""The command line's judgement of files: every fault in a file counts, whoever wrote it, and its names are those of its package.

A file without a path, or in a missing folder, stands alone: no other file declares names for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ...common.reach import ANYWHERE, Reach
from ..settings.sources import own_settings

if TYPE_CHECKING:
    from ...parser import Closer, Hole, HoleState, Imports, Language, Level, Session
    from ..types.monitor import Monitor
    from ..types.questions import Question

_PATIENCE_S = 60.0
"""Seconds to wait for a type checker."""


@dataclass(frozen=True)
class Judge:
    """Judges the holes of one file in a language with an exact engine."""

    language: Language
    level: Level
    path: str | None = None
    attributes: bool = False
    types: bool = False
    """whether to ask the user's type checker, if any. Its knowledge differs between machines."""

    def hole(self, left: str, right: str, *, exact: bool = True) -> Hole:
        """The hole between two texts; exact: see SemanticRequest."""
        session = self._session(left + right)
        session.allowed = self._question(session, left, right)
        return session.hole(left + right, len(left), exact=exact)

    def doubted(self, left: str, middle: str, right: str) -> Hole | None:
        """The hole for showing an editor's user a middle despite an invalid file, since something seems to be missing or broken elsewhere,
        with the closers missing behind the middle; None without one."""
        from ...parser import pending_behind

        text, offset, session = left + right, len(left), self._session(left + right)
        session.doubts = True
        hole = session.hole(text, offset)
        if hole.viable or hole.state is None:
            return None
        hole = session.mended(hole, text, offset)
        after = None if hole.state is None else hole.state.advance(middle)
        return replace(hole, pending=pending_behind(hole, middle)) if after is not None and after.complete else None

    def said(self, left: str, right: str) -> str:
        """The type checker with an answer about the hole, or a note that none has one."""
        from ..types.monitor import said

        return said(self._question(self._session(left + right), left, right))

    def _question(self, session: Session, left: str, right: str) -> Question | None:
        if not self.types or self.level != "names" or self.path is None:
            return None
        question = _type_checkers().question(
            self.language.name, self.path, session, left + right, len(left),
            reach=reach_of(self.path), program=own_settings().type_server,
        )  # fmt: skip
        if question is not None:
            question.done.wait(_PATIENCE_S)
        return question

    def pending(self, left: str, middle: str, right: str) -> tuple[Closer, ...]:
        """The closers missing behind a middle, if the file is valid with both; else ()."""
        from ...parser import pending_behind

        text, offset, session = left + right, len(left), self._session(left + right)
        session.allowed = self._question(session, left, right)
        hole = session.mended(session.hole(text, offset, exact=True), text, offset, exact=True)
        after = hole.state.advance(middle) if hole.state is not None and hole.viable else None
        return pending_behind(hole, middle) if after is not None and after.complete else ()

    def _session(self, text: str) -> Session:
        from ...parser import names_elsewhere_at_last

        session = self.language.session(self.path)
        session.level = self.level
        if self.level == "names":
            reach = reach_of(self.path)
            session.elsewhere = names_elsewhere_at_last(self.language.name, self.path, text, reach=reach)
            session.imports = _imports(self.language, self.path) if self.attributes or self.types else None
        return session

    def problem(self, left: str, middle: str, right: str) -> str | None:
        """Why the file is invalid with a text, read in its hole and as a whole; None for a valid one."""
        return self.problem_in_hole(left, middle, right) or self.problem_in_hole("", left + middle + right, "")

    def problem_in_hole(self, left: str, middle: str, right: str) -> str | None:
        """Why the file is invalid with a text in its hole, in words; None for a valid one."""
        hole = self.hole(left, right)
        after = hole.state.advance(middle) if hole.state is not None else None
        if after is not None and after.complete and hole.viable:
            return None
        return reason(hole, middle, None if after is not None else first_dead(hole, middle))

    def judged(self, state: HoleState | None) -> Level:
        """The level of judgement for a text: lower where not all readable names are known."""
        return "compile" if self.level == "names" and state is not None and not state.judges_names else self.level


def first_dead(hole: Hole, text: str) -> int:
    """The offset of the first character that leaves a hole without completions."""
    state: HoleState | None = hole.state
    for offset, character in enumerate(text):
        state = state.advance(character) if state is not None else None
        if state is None:
            return offset
    return max(0, len(text) - 1)


def reason(hole: Hole, middle: str, dead_at: int | None) -> str:
    """Why a middle does not complete a hole, in words."""
    if hole.state is None or not hole.viable:
        return "the file is broken elsewhere"
    state = hole.state.advance(middle[:dead_at])
    refused = None if state is None else state.refusal(middle[dead_at] if dead_at is not None else "")
    if refused is not None:
        return refused
    return "invalid syntax" if dead_at is not None else "incomplete"


def with_closers(text: str, closers: Sequence[Closer]) -> str:
    """A right context with the closers still missing behind a hole."""
    from ...parser.pending import mended

    return mended(text, tuple(closers))


def reach_of(path: str | None) -> Reach:
    """The reach of a file's imports."""
    return ANYWHERE if path is None else Reach.around(path, trusted=True)


@lru_cache(maxsize=1)
def _type_checkers() -> Monitor:
    from ..types.monitor import Monitor

    return Monitor()


@lru_cache(maxsize=16)
def _imports(language: Language, path: str | None) -> Imports | None:
    from ...parser import imports_for

    return imports_for(language.name, language.version, path, at_once=True, reach=reach_of(path))
