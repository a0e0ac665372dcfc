"""Writing in a thread of its own, so that a slow reader blocks nobody."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Protocol

MAX_UNSENT_BYTES = 256_000_000  # in the queue to a client that does not read
CLOSING_S = 0.5  # for the rest at the end


class Stream(Protocol):
    """A sink of bytes; `write` may block."""

    def write(self, data: bytes, /) -> object:
        """Write all of it."""

    def flush(self) -> object:
        """Send buffered bytes."""


class ThreadWriter:
    """Writes in a thread; the thread calls `gone` once the stream is no longer writable.

    When far too much is unread, more is dropped, and `write` calls `flooded`, once.
    """

    def __init__(
        self,
        stream: Stream,
        gone: Callable[[], None] = lambda: None,
        flooded: Callable[[], None] = lambda: None,
        most_unsent: int = MAX_UNSENT_BYTES,
    ):
        self._stream = stream
        self._gone = gone
        self._flooded = flooded
        self._most_unsent = most_unsent
        self._broken = False
        self._unsent: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._size = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="suture-writer", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Send bytes; never blocks."""
        with self._lock:
            if self._broken:
                return
            self._broken = flooded = self._size > self._most_unsent
            self._size += len(data)
        if flooded:
            self._flooded()
        else:
            self._unsent.put(data)

    def close(self) -> None:
        """Send the rest, within half a second."""
        self._unsent.put(None)
        self._thread.join(CLOSING_S)

    def _run(self) -> None:
        while (data := self._unsent.get()) is not None:
            try:
                self._stream.write(data)
                self._stream.flush()
            except (OSError, ValueError):
                self._broken = True
                self._gone()
                return
            with self._lock:
                self._size -= len(data)
