"""Counts the work that code does, where a test would otherwise measure time and depend on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

# Processor time in seconds for what never ends, or takes minutes, without its bound. It guards against hanging and measures nothing.
HANGING_S = 60.0
# Seconds to wait for what comes at once, and on a busy machine later. They guard against hanging and measure nothing, too.
PATIENCE_S = 60.0


def calls(work: Callable[[], T]) -> tuple[int, T]:
    """How many calls of Python and C functions `work` makes in this thread, and what it returns."""
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        result = work()
    finally:
        sys.setprofile(before)
    return count, result
