"""Our processes end with their parent, however it ends and whatever they do then.

No single means suffices, so there are three:

- A process reads its standard input, and ends with it. This works everywhere, but not while it is stopped, or holds the interpreter's lock.
- It is in its own process group. When its parent has gone, POSIX lets the system send SIGHUP and SIGCONT to a group with a stopped process.
- Linux kills it with its parent thread, whatever it does; so a long-lived thread starts it.
"""

from __future__ import annotations

import ctypes
import os
import queue
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

_PR_SET_PDEATHSIG = 1
EXECUTED = "--execute"
"""The mark before the path of a program outside of Python."""


def start(command: Sequence[str], **how: Any) -> subprocess.Popen[bytes]:
    """Start a process that ends with this one; `how`: keyword arguments of Popen. Raises OSError."""
    if os.name == "posix":
        how["process_group"] = 0
    else:  # no window on Windows, where editors start us without a console
        how["creationflags"] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    if threading.current_thread() is threading.main_thread():
        return subprocess.Popen[bytes](list(command), **how)
    return _STARTER.start(command, how)


def end_with_parent(reading: bool = False) -> None:
    """Let the system end this process with its parent; `reading`: read standard input, and end with it, too."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if reading:
        threading.Thread(target=_end_with_input, name="suture-lifeline", daemon=True).start()


def _end_with_input() -> None:
    with suppress(OSError):
        while os.read(0, 1 << 16):  # not `sys.stdin`: a thread reading it keeps Python from closing it at the end
            pass
    os._exit(0)


class _Starter:
    """A long-lived thread for starting processes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: queue.SimpleQueue[tuple[Sequence[str], dict[str, Any], queue.SimpleQueue[Any]]] | None = None

    def start(self, command: Sequence[str], how: dict[str, Any]) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._asked is None:
                self._asked = queue.SimpleQueue()
                threading.Thread(target=self._run, args=(self._asked,), name="suture-starter", daemon=True).start()
        started: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._asked.put((command, how, started))
        outcome = started.get()
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    @staticmethod
    def _run(asked: queue.SimpleQueue[tuple[Sequence[str], dict[str, Any], queue.SimpleQueue[Any]]]) -> None:
        while True:
            command, how, started = asked.get()
            try:
                started.put(subprocess.Popen(list(command), **how))
            except Exception as problem:
                started.put(problem)


_STARTER = _Starter()

if __name__ == "__main__":  # for a program without our imports, or outside of Python
    end_with_parent()
    sys.argv = sys.argv[1:]
    if sys.argv[0] == EXECUTED:
        os.execv(sys.argv[1], sys.argv[1:])
    runpy.run_path(sys.argv[0], run_name="__main__")
