"""llama.cpp's server as a child of ours: started, watched, restarted, ended.

In a separate process a crash of llama.cpp ends no language server, its threads can be stopped, and its memory comes back. The child listens
on loopback, requires a key made for it, and ends when its standard input does: with us, however we end.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import threading
import weakref
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any

from ....common import interpreter, lifeline
from ....common.json_types import is_object
from ...errors import ModelError, ServerUnavailable, first_line
from ...loading import cores, installed
from ...loading.memory import in_words
from ...loading.recommend import MOST_THREADS
from .bounds import STALL_S, Headway, loaded_by, memory_of

_DISTRUST = "use another file of this model, from somebody you trust"
_PROGRAM = Path(__file__).with_name("llama_server.py")
_CRASHES, _CRASHES_S = 3, 120.0  # a child that ends more often within so many seconds is given up
_REVIVING_S = 1.0  # for which a request waits for a restarted child; later ones find it
_STARTING_S = 600.0  # a longer start is given up even with headway: a large file from a slow disk takes minutes
_SPINS = 1000  # spins of a thread of GNU's OpenMP before it sleeps: some 20 microseconds
_LOOK_S = 0.5  # between two checks of a loading child
CACHE_MIB = 256


@dataclass(frozen=True, slots=True)
class ChildSettings:
    """How llama.cpp runs a model."""

    path: Path
    context: int  # tokens in the cache
    threads: int
    gpu_layers: int | None = None  # None: as llama.cpp chooses
    slots: int = 1
    batch: int = 128  # tokens of a prompt between two checks for cancellation
    cache_mib: int = CACHE_MIB  # of abandoned prompts, as after switching files
    memory: int = 0  # the most bytes of its own; 0: no limit


def available() -> bool:
    """Whether the package with llama.cpp is installed."""
    return installed.has("gguf")


def missing() -> str:
    """The message if it is not."""
    return f"GGUF files need llama.cpp: {installed.missing('gguf')}"


def usable_threads(wanted: int | None = None) -> int:
    """The threads to compute with: as given, or one for each core available to this process, up to a bound.

    The machine's load does not count: an editor starts on a busy one, and the number stays the same until it ends. Beside other work the
    threads are slowed down, but stop nobody, since they do not spin while waiting for each other (`_environment`).
    """
    return wanted or min(cores.usable(), MOST_THREADS)


class Child:
    """The process; `address` and `key` change with each start."""

    def __init__(self, settings: ChildSettings) -> None:
        if not available():
            raise ModelError(missing())
        self.settings = settings
        self.address = ""
        self.key = ""
        self.version = ""
        self._ends: list[float] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._said: Future[dict[str, Any]] = Future()  # its first words
        self._started_s = 0.0
        self._headway = Headway(0, lambda: None)
        self._finalizer: Any = None

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def process_id(self) -> int | None:
        """Its id, while it runs."""
        return self._process.pid if self._process is not None and self.alive else None

    def memory(self) -> tuple[int, int] | None:
        """Its own bytes, and those shared with others: the file, however many processes map it. None: unknown."""
        return memory_of(self.process_id)

    def start(self) -> None:
        """Start it, and wait until it serves. Raises ModelError if the file cannot be loaded."""
        self._begin()
        while True:
            try:
                return self._wait(_LOOK_S)
            except TimeoutError:
                problem = self._problem_of_loading()
            if problem:
                self.kill()
                self.stop()
                raise ModelError(problem)

    def _problem_of_loading(self) -> str:
        """Why a lasting start is given up; "" if it is not."""
        name, memory = self.settings.path.name, self.memory()
        if self.settings.memory and memory is not None and memory[0] > self.settings.memory:
            return f"llama.cpp takes {in_words(memory[0])} to load {name}, more than such a file needs: {_DISTRUST}"
        if self._headway.stalled:
            return f"llama.cpp makes no headway with {name} in {STALL_S:.0f} s: {_DISTRUST}"
        if monotonic() - self._started_s > _STARTING_S:
            return f"llama.cpp does not finish loading {name}: use a smaller model"
        return ""

    def _begin(self) -> None:
        self.stop()
        self.key = secrets.token_urlsafe(24)
        given = {**asdict(self.settings), "path": str(self.settings.path), "key": self.key, "port": _free_port()}
        given["alias"] = self.settings.path.stem
        try:
            process = lifeline.start(
                interpreter.command(lifeline.__name__, str(_PROGRAM)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=interpreter.neutral_folder(),
                env=_environment(),
            )
        except OSError as problem:
            raise ModelError(f"llama.cpp cannot be started: {problem.strerror}") from problem
        self._process, self._started_s, self._said = process, monotonic(), Future()
        self._headway = Headway(_size(self.settings.path), lambda: loaded_by(process.pid))
        self._finalizer = weakref.finalize(self, _end, process)
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(given).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            pass  # it has ended: its output tells why
        threading.Thread(target=_hear, args=(process.stdout, self._said), name="suture-llama", daemon=True).start()

    def _wait(self, within_s: float) -> None:
        """Wait until it serves. Raises ModelError, or TimeoutError if it is still loading."""
        assert self._process is not None
        said = self._said.result(within_s)
        if "address" not in said:
            self.stop()
            raise ModelError(_problem(said, self.settings, self._process.returncode))
        self.address, self.version = str(said["address"]), str(said.get("version", ""))

    def revive(self, hangs: bool = False) -> None:
        """Restart it, with another key, if it has ended or `hangs`.

        Raises ServerUnavailable if it keeps ending, or takes a while: a later call finds it ready.
        """
        if self._said.done():
            ended = hangs or self._ends_now()
        else:
            ended = bool(self._problem_of_loading())
        if ended:
            now = monotonic()
            self._ends = [end_s for end_s in self._ends if now - end_s < _CRASHES_S] + [now]
            if len(self._ends) > _CRASHES:
                raise ServerUnavailable("llama.cpp keeps crashing: choose another model, or update xllamacpp")
            self.kill()
        try:
            if ended:
                self._begin()
            self._wait(0 if hangs else _REVIVING_S)
        except TimeoutError:
            raise ServerUnavailable("llama.cpp hung or ended, and is started again") from None
        except ModelError as error:
            raise ServerUnavailable(f"llama.cpp ended and cannot be started again ({error})") from None

    def _ends_now(self) -> bool:
        """Whether it has ended, or does within a moment: a child killed just now still looks alive."""
        if self._process is not None:
            try:
                self._process.wait(0.5)
            except subprocess.TimeoutExpired:
                return False
        return True

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        if self._process is not None:
            self._process.kill()

    def stop(self) -> None:
        """End it."""
        if self._finalizer is not None:
            self._finalizer()
            self._finalizer = None


def _end(process: subprocess.Popen[bytes]) -> None:
    _close(process.stdin)
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    _close(process.stdout)  # last, since a thread may wait for it


def _close(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        pass


def _environment() -> dict[str, str]:
    """Our environment without llama.cpp's configuration: a variable of another program must not open it to the network.

    OpenMP's threads wait for each other after each operation. If they spin for long, a thread without a core holds up all: two threads on two
    cores at a load of 15 wrote 0.9 tokens a second so, 7.5 with short waits, and one thread 5.0.
    """
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LLAMA_")}
    return {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": str(_SPINS)} | ours


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def _hear(lines: IO[bytes], said: Future[dict[str, Any]]) -> None:
    ready: dict[str, Any] = {}
    try:
        ready = _first_object(lines)
    except (OSError, ValueError):
        pass  # it was given up
    said.set_result(ready)


def _first_object(lines: IO[bytes]) -> dict[str, Any]:
    """The first line that is a JSON object; llama.cpp may print others before it."""
    for line in lines:
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if is_object(said):
            return said
    return {}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # llama.cpp names the fault


def _problem(said: dict[str, Any], settings: ChildSettings, code: int | None) -> str:
    reason, name = first_line(Exception(str(said.get("reason", "")).strip())), settings.path.name
    if said.get("error") == "missing":
        return f"{missing()} ({reason})"
    if said.get("error") == "load":
        return f"llama.cpp cannot load {name} ({reason}): download it again, use a smaller one, or update xllamacpp"
    if code == -getattr(signal, "SIGKILL", 9):
        return (
            f"the system ended llama.cpp while it loaded {name}, most likely since memory ran out: use a smaller model"
        )
    bound = f"; it may take {in_words(settings.memory)} for itself" if settings.memory else ""
    return f"llama.cpp ended while it loaded {name} (code {code}{bound}): use a smaller model, or update xllamacpp"
