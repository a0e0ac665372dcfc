"""Holes in a script under edit.

Only the states between characters of an earlier reading are kept (they remember each other), and the symbols of the last right
context. Where the script is broken elsewhere, a view hides whole lines: above the hole the unreadable ones, behind it those up to a
place where the rest follows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from os import PathLike
from re import finditer
from typing import TYPE_CHECKING

from ....common.constraint import Stop, never
from ...glr.effort import Cancelled
from ...hole import Hole, Level
from ...language_runtime import Session, TextProblem
from ...view import Hidden, View
from .api import Api, ApiError
from .check import check_from
from .endings import ways_out
from .hole import hole_between
from .right import RightContext
from .runtime import ScriptRuntime
from .state import PrefixState

if TYPE_CHECKING:
    from ...explain import Explainer

_MOST_HIDDEN = 12
"""The most hidden lines of a left context."""
_MOST_TRIED = 100
"""The most line beginnings tried for a right context to go on from."""
_MOST_CHARS = 200_000
"""The size of a script; a longer one gets no suggestions."""
_LOOK_EVERY = 2_000


class ScriptSession(Session):
    """One script."""

    def __init__(
        self, current: Callable[[], ScriptRuntime], path: str | PathLike[str] | None, workspace: str | None
    ) -> None:
        self._current = current
        self._path = path
        self._workspace = workspace
        self._right = RightContext("")

    def forget(self) -> None:
        self._right = RightContext("")

    @property
    def problem(self) -> str | None:
        """See Session: the fault of the API."""
        try:
            self._start()
        except ApiError as error:
            return str(error)
        return None

    @property
    def declared(self) -> str:
        """See Session: the API, with the records of other scripts."""
        try:
            return self._api().prompt()
        except ApiError:
            return ""

    def problems(self, text: str) -> Sequence[TextProblem]:
        """See Session: the first place where the text is no script, or the fault of the API."""
        try:
            start = self._start()
        except ApiError as error:
            return (TextProblem(0, 0, str(error)),)
        problem = check_from(start, text) if len(text) <= _MOST_CHARS else None
        return () if problem is None else (TextProblem(problem.start, problem.end, problem.message),)

    def explainer(self) -> Explainer:
        from .explaining import ScriptExplainer

        try:
            return ScriptExplainer(self._start())
        except ApiError:
            return ScriptExplainer(None)

    def _start(self) -> PrefixState:
        """The state before the script; raises ApiError without an API for it."""
        return self._current().start(self._api())

    def _api(self) -> Api:
        if self._path is None:
            raise ApiError("a script in no file has no API; save it below a *.slua-api file")
        api = self._current().surroundings.api(self._path, self._workspace)
        if api is None:
            raise ApiError(f"no *.slua-api file lies above {self._path}")
        return api

    def hole(
        self, text: str, offset: int, stop: Stop | None = None, *, level: Level | None = None, exact: bool = False
    ) -> Hole:
        """See Session. A completing text is always correct, at any level. There is no hole without an API."""
        stop = stop or never
        try:
            start = self._start()
        except ApiError:
            return Hole(None, "dead")
        if len(text) > _MOST_CHARS:
            return Hole(None, "dead")
        offset = max(0, min(offset, len(text)))
        left, hidden = _read(start, text, offset, stop)
        if left is None:
            return Hole(None, "dead")
        right = self._right_context(text[offset:])
        state = hole_between(left, right, stop)
        if stop():
            raise Cancelled
        if state is None:
            ways = [after for _, after in ways_out(left)]
            for line_end in islice(finditer("\n", text[offset:]), _MOST_TRIED):
                if stop():
                    raise Cancelled
                right = RightContext(text[offset + line_end.end() :])
                right.stop = stop  # until it is connected
                if any(right.accepts(after) for after in ways):
                    state = hole_between(left, right, stop)
                    hidden.append(Hidden(offset, offset + line_end.end(), ""))
                    break
        return Hole(None, "dead") if state is None else View.of(text, offset, hidden).hole(state)

    def _right_context(self, text: str) -> RightContext:
        """The right context; the same object while it stays the same, since it remembers the readings."""
        if text != self._right.text:
            self._right = RightContext(text)
        return self._right


def _read(start: PrefixState, text: str, offset: int, stop: Stop) -> tuple[PrefixState | None, list[Hidden]]:
    """The state at an offset, and the hidden lines; None where the cursor's own line does not fit."""
    state, line_state, hidden = start, start, list[Hidden]()
    position = line = 0  # offsets of the next character, and of its line
    while position < offset:
        after = state.read(text[position])
        if after is None:
            end = text.find("\n", position) + 1
            hidden.append(Hidden(line, end, ""))
            if not end or end > offset or len(hidden) > _MOST_HIDDEN:
                return None, hidden
            state, position, line = line_state, end, end
            continue
        state = after
        position += 1
        if text[position - 1] == "\n":
            line, line_state = position, state
        if position % _LOOK_EVERY == 0 and stop():
            raise Cancelled
    return (state if line <= offset else None), hidden
