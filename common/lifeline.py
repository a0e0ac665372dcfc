"""Processes of ours end with the process that started them, however that ends and whatever they do then.

No single means is enough, so there are three:

- A process reads its standard input, and ends with it. That works everywhere, but not while it is stopped, or holds the interpreter's lock.
- It is in a process group of its own. When the process that started it has gone, POSIX lets the system send SIGHUP and SIGCONT to a group
  of which a process is stopped.
- Linux kills it with the thread that started it, whatever it does; so it is started by a thread that stays.
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
"""Before the path of a program that is not Python's."""


def start(command: Sequence[str], **how: Any) -> subprocess.Popen[bytes]:
    """Start a process that ends with this one; `how`: as Popen has it. Raises OSError."""
    if os.name == "posix":
        how["process_group"] = 0
    else:  # no window on Windows, where an editor without a console starts us
        how["creationflags"] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    if threading.current_thread() is threading.main_thread():
        return subprocess.Popen[bytes](list(command), **how)
    return _STARTER.start(command, how)


def end_with_parent(reading: bool = False) -> None:
    """Let the system end this process with the one that started it; `reading`: standard input is read to its end, which is noticed, too."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if reading:
        threading.Thread(target=_end_with_input, name="suture-lifeline", daemon=True).start()


def _end_with_input() -> None:
    with suppress(OSError):
        while os.read(0, 1 << 16):  # not `sys.stdin`, which a thread that reads it keeps Python from closing at its end
            pass
    os._exit(0)


class _Starter:
    """A thread that starts processes, and stays."""

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

if __name__ == "__main__":  # of a program that imports nothing of ours, or is none of Python's
    end_with_parent()
    sys.argv = sys.argv[1:]
    if sys.argv[0] == EXECUTED:
        os.execv(sys.argv[1], sys.argv[1:])
    runpy.run_path(sys.argv[0], run_name="__main__")
