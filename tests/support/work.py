"""Counts the work of code, where a test would otherwise measure time and depend on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

# Processor time in seconds for work that, without its bound, takes minutes or never ends. It guards against hanging and measures nothing.
HANGING_S = 60.0
# Seconds to wait for immediate events, late only on a busy machine. They guard against hanging and measure nothing, too.
PATIENCE_S = 60.0


def calls(work: Callable[[], T]) -> tuple[int, T]:
    """The number of calls of Python and C functions by `work` in this thread, and its result."""
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
