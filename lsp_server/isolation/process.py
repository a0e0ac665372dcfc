"""The answering process as the relay sees it: started, written to, read from, killed. Nothing here waits for it."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...common import interpreter, lifeline
from ..protocol.framing import FramingError, MessageDecoder, frame, read_bodies

_PIECE = 1 << 16
_OUTSIDE = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT") if hasattr(signal, name)
)
"""Signals from outside the process: no crash sends them. The system sends SIGKILL when memory runs out."""


@dataclass(frozen=True)
class FromServer:
    """A message of the process."""

    process: ServerProcess
    body: bytes


@dataclass(frozen=True)
class ServerEnded:
    """The process has closed its output."""

    process: ServerProcess


def worker_command() -> list[str]:
    """The command of the answering process."""
    return interpreter.command("suture.lsp_server", "answer")


def is_ended_by_others(code: int | None) -> bool:
    """Whether an exit code tells of a signal from outside, so that the process's current work is not to blame."""
    return code is not None and -code in _OUTSIDE


def killed_for_memory() -> int:
    """The number of processes ended by Linux's OOM killer since the system's start; 0 where the kernel does not tell."""
    try:
        with open("/proc/vmstat", "rb") as file:
            lines = dict(line.split(b" ", 1) for line in file)
        return int(lines[b"oom_kill"])
    except (OSError, KeyError, ValueError):
        return 0


class ServerProcess:
    """A process whose messages a thread hands to `deliver`; `send` never blocks."""

    def __init__(
        self,
        command: Sequence[str],
        deliver: Callable[[FromServer | ServerEnded], None] = lambda event: None,
        **how: Any,
    ):
        """`how`: keyword arguments of Popen."""
        self.deliver = deliver
        self.said_something = False  # since its start; set by the receiver of its messages
        self._killed_before = killed_for_memory()
        self._popen = lifeline.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **how)
        self._unsent: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._put, self._written = 0, 0  # bytes; each counter has one thread as its writer
        threading.Thread(target=self._write, name="suture-to-server", daemon=True).start()
        threading.Thread(target=self._read, name="suture-from-server", daemon=True).start()

    @property
    def pid(self) -> int:
        """The process's identifier."""
        return self._popen.pid

    @property
    def unsent(self) -> int:
        """Bytes in the queue to the process."""
        return self._put - self._written

    def send(self, body: bytes) -> None:
        """Send a message."""
        data = frame(body)
        self._put += len(data)
        self._unsent.put(data)

    def close(self) -> None:
        """Let its input end, after the messages already sent."""
        self._unsent.put(None)

    def kill(self) -> None:
        """End it in any state, also while it is stopped."""
        try:
            self._popen.kill()
        except OSError:
            pass  # it has ended

    def ended(self, timeout_s: float) -> int | None:
        """Wait for its end; its exit code, or None."""
        try:
            return self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def how_it_ended(self) -> str:
        """Say why it ended, in words."""
        code = self.ended(1.0)
        if code is None:
            return "closed its output"
        if -code == getattr(signal, "SIGKILL", None) and killed_for_memory() > self._killed_before:
            return "was ended by the system because memory ran out (a smaller model needs less)"
        if code < 0:
            try:
                return f"was ended by {signal.Signals(-code).name}"
            except ValueError:
                return f"was ended by signal {-code}"
        return f"ended with code {code}"

    def _write(self) -> None:
        stream = self._popen.stdin
        assert stream is not None
        descriptor = stream.fileno()
        try:
            while (data := self._unsent.get()) is not None:
                size, view = len(data), memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
                self._written += size
        except OSError:
            pass  # it has ended, and the other thread says so
        try:
            stream.close()
        except OSError:
            pass

    def _read(self) -> None:
        stream = self._popen.stdout
        assert stream is not None
        descriptor = stream.fileno()
        try:
            for body in read_bodies(lambda: os.read(descriptor, _PIECE), MessageDecoder()):
                assert isinstance(body, bytes)
                self.deliver(FromServer(self, body))
        except (OSError, FramingError):
            pass
        self.deliver(ServerEnded(self))
        self._popen.wait()  # leave no zombie
        stream.close()
