"""A bound on the processor time one request may spend in the parser, whatever its text.

Long work asks whether to stop anyway (`Engine.ask`). The time between two such questions counts up to a limit only: the caller may
have been busy with something else meanwhile, such as a model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import thread_time


class Cancelled(Exception):
    """Raised out of a long reading when the caller's `stop` says so."""


class OutOfTime(Cancelled):
    """Raised out of work whose request has spent its time; the memos stay right."""


_MOST_COUNTED_S = 0.01
"""The most counted between two questions: long work asks more often, but for a few steps."""


class Effort:
    """Processor time that is left."""

    __slots__ = ("awaited", "last_s", "left_s", "owed_s")

    def __init__(self, seconds: float, awaited: Callable[[], bool] | None, owed_s: float) -> None:
        """See `limited`."""
        self.left_s = seconds
        self.awaited = awaited
        self.owed_s = owed_s if awaited is not None else 0.0
        self.last_s = thread_time()

    @property
    def is_spent(self) -> bool:
        """Whether OutOfTime has been raised."""
        return self.left_s < 0


class _Here(threading.local):
    effort: Effort | None = None


_here = _Here()


@contextmanager
def limited(
    seconds: float, awaited: Callable[[], bool] | None = None, owed_s: float = 0.0
) -> Generator[Effort, None, None]:
    """Within it, any parser's work in this thread raises OutOfTime after about so many seconds of processor time.

    awaited: whether somebody else waits for the thread; the last owed_s seconds are then theirs.
    """
    before, _here.effort = _here.effort, Effort(seconds, awaited, owed_s)
    try:
        yield _here.effort
    finally:
        _here.effort = before


def spend() -> None:
    """Count the time since the last call; raises OutOfTime. Called in all long work."""
    effort = _here.effort
    if effort is not None:
        now = thread_time()
        effort.left_s -= min(now - effort.last_s, _MOST_COUNTED_S)
        effort.last_s = now
        if effort.left_s < effort.owed_s:
            if effort.left_s >= 0:
                if effort.awaited is None or not effort.awaited():
                    return
                effort.left_s = -1.0
            raise OutOfTime
