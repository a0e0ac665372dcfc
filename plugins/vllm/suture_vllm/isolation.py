"""Isolation of failures: one request's failure costs that request its constraint, and the engine nothing."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import TypeVar

_log = logging.getLogger("vllm.suture")  # vLLM configures the loggers below `vllm`

_MOST = 20
"""The most failures written to the log; more say nothing new."""

Result = TypeVar("Result")


class Isolation:
    """Calls work that may fail, and counts its failures."""

    def __init__(self) -> None:
        self.failures = 0

    def call(self, work: Callable[[], Result]) -> Result | None:
        """The work's result; None if it fails. The log names the kind of error and its place, and no text of the request."""
        try:
            return work()
        except Exception as error:
            self.failures += 1
            if self.failures <= _MOST:
                place = traceback.extract_tb(error.__traceback__)[-1]
                _log.warning(
                    "suture: a request goes on without its constraint (%s at %s:%s)",
                    type(error).__name__,
                    place.filename.rpartition("/")[2],
                    place.lineno,
                )
            return None
