"""Our processes end with their parent, however it ends and whatever they do then.

No single means suffices, so there are three:

- A process reads its standard input, and ends with it. This works everywhere, but not while it is stopped, or holds the interpreter's lock.
- It is in its own process group. When its parent has gone, POSIX lets the system send SIGHUP and SIGCONT to a group with a stopped process.
- Linux kills it with its parent thread, whatever it does; so a long-lived thread starts it.
"""

from __future__ import annotations

import ctypes
import errno
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
STARTING_S = 30.0
"""Seconds after which a start is given up: for a program on a network's disk the system may wait without end."""


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
    """Long-lived threads for starting processes: one, and another while it does not come back from a start."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[_Start] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)  # threads that wait for a start

    def start(self, command: Sequence[str], how: dict[str, Any]) -> subprocess.Popen[bytes]:
        asked = _Start(list(command), how)
        self._asked.put(asked)
        if not self._idle.acquire(blocking=False):
            threading.Thread(target=self._run, name="suture-starter", daemon=True).start()
        return asked.wait()

    def _run(self) -> None:
        while True:
            self._asked.get().run()
            self._idle.release()


class _Start:
    """The start of a process by another thread. Its outcome belongs to the one who takes it out of the queue."""

    def __init__(self, command: list[str], how: dict[str, Any]) -> None:
        self._command, self._how = command, how
        self._outcome: queue.SimpleQueue[subprocess.Popen[bytes] | Exception] = queue.SimpleQueue()
        self._is_given_up = False

    def wait(self) -> subprocess.Popen[bytes]:
        try:
            outcome = self._outcome.get(timeout=STARTING_S)
        except queue.Empty:
            self._is_given_up = True
            outcome = self._taken() or OSError(errno.ETIMEDOUT, f"{self._command[0]} does not start")
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def run(self) -> None:
        try:
            self._outcome.put(subprocess.Popen[bytes](self._command, **self._how))
        except Exception as problem:
            self._outcome.put(problem)
        late = self._taken() if self._is_given_up else None
        if isinstance(late, subprocess.Popen):
            with late:
                late.kill()

    def _taken(self) -> subprocess.Popen[bytes] | Exception | None:
        try:
            return self._outcome.get_nowait()
        except queue.Empty:
            return None


_STARTER = _Starter()

if __name__ == "__main__":  # for a program without our imports, or outside of Python
    end_with_parent()
    sys.argv = sys.argv[1:]
    if sys.argv[0] == EXECUTED:
        os.execv(sys.argv[1], sys.argv[1:])
    runpy.run_path(sys.argv[0], run_name="__main__")
