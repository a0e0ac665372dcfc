"""Each process of ours, hanging or dying in any way at any moment: somebody answers, and nothing outlives the reader of messages."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from suture.common import lifeline
from suture.lsp_server.isolation.client_process import is_alive

from ..support.gguf_files import embedded_gguf
from ..support.raw_client import SERVER, Raw, running

if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
    pytest.skip("there is no /proc that tells of children", allow_module_level=True)

A = "file:///a.py"
TEXT = "def area(width, height):\n    return width * \n\n\nprint(area(2, 3))\n"
MOMENTS = ("loading", "idle", "computing")


def children(pid: int) -> list[int]:
    """The processes started by a process."""
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return [child for child in found if is_alive(child)]


def until(what: Callable[[], object], within_s: float = 60.0) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.01)
    return False


def send(pid: int, number: int) -> None:
    """Send a signal; SIGSTOP works a moment later, in each thread for itself, so this waits for it.

    When a group's parent ends, the system continues the group only if all threads of a process have stopped by then.
    """
    os.kill(pid, number)
    if number == signal.SIGSTOP:
        assert until(lambda: all(b") T" in stat.read_bytes() for stat in Path(f"/proc/{pid}/task").glob("*/stat")))


def stop(pid: int) -> None:
    send(pid, signal.SIGSTOP)


def command_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def only_child(pid: int) -> int:
    """The one process started by a process, without a spare and running its own program: stopped before that it keeps its starter waiting."""
    found = list[int]()

    def is_alone() -> bool:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found[:] = children(pid)
            return len(found) == 1 and command_of(found[0]) != command_of(pid)
        return False

    assert until(is_alone, 240)
    return found[0]


def family(pid: int) -> list[int]:
    return [pid, *(one for child in children(pid) for one in family(child))]


class Server:
    """A server with a model run by llama.cpp, brought to a moment."""

    def __init__(self, raw: Raw, model: str, moment: str, victim: str) -> None:
        self.raw, self.model, self.reader = raw, model, raw.process.pid
        self.answering = self.llama = self.documents = 0
        self.raw.number += 1
        first = {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": {"model": model}}
        if moment == "loading" and victim == "answering":
            self.answering = only_child(self.reader)
            self._request("initialize", first)
            return
        self._request("initialize", first)
        raw.answer(self.raw.number)
        raw.send("initialized", {})
        raw.open(A, TEXT)
        if moment != "loading":
            assert self.until_answered("llama.cpp")
        self.answering = only_child(self.reader)
        self.llama = only_child(self.answering)
        if moment == "computing":
            raw.open("file:///b.py", "values = [\n" + "    1,\n" * 400 + "]\nprint()\n")
            raw.ask("file:///b.py", 402, 6)
            time.sleep(0.3)

    def _request(self, method: str, params: object) -> None:
        self.raw.write(
            json.dumps({"jsonrpc": "2.0", "id": self.raw.number, "method": method, "params": params}).encode()
        )

    def until_answered(self, by: str | None = None) -> bool:
        """Ask like a user until something is suggested; `by`: until this model suggests."""

        def answered() -> bool:
            document = A
            if by == "llama.cpp":  # in a new document, so that no cached answer comes
                self.documents += 1
                document = f"file:///asked{self.documents}.py"
                self.raw.open(document, TEXT.replace("area", f"area{self.documents}"))
            items = self.raw.items(document, line=1, character=19, kind=1)  # shown however sure the model is
            if by == "llama.cpp":
                return bool(items) and self.raw.command("suture.status")["result"]["model"] == self.model
            return bool(items)

        return until(answered, 240)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("xllamacpp")
    return str(embedded_gguf(tmp_path_factory.mktemp("gguf") / "embedded-f32.gguf"))


@contextlib.contextmanager
def serving(model: str, moment: str, victim: str) -> Iterator[Server]:
    environment = {**os.environ, "SUTURE_STATE_DIR": str(Path(model).parent), "SUTURE_WATCHDOG_S": "10"}
    with running(SERVER, env=environment) as raw:
        late = threading.Timer(500, raw.process.kill)  # a test waiting for an answer then fails
        late.start()
        try:
            yield Server(raw, model, moment, victim)
        finally:
            late.cancel()
            for pid in family(raw.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM], ids=["stop", "kill", "term"])
@pytest.mark.parametrize("victim", ["answering", "llama"])
def test_whatever_happens_to_a_process_somebody_answers_and_the_users_model_comes_back(model, victim, how, moment):
    with serving(model, moment, victim) as server:
        pid = server.answering if victim == "answering" else server.llama
        send(pid, how)
        if moment == "loading" and victim == "answering":
            server.raw.answer(1)
            server.raw.send("initialized", {})
            server.raw.open(A, TEXT)
        assert server.until_answered()
        if moment == "loading" and victim == "llama":  # a failed load is not tried again until the user says so
            assert server.raw.command("suture.status")["result"]["model"] == "embedded"
            server.raw.command("suture.reload")
        assert server.until_answered("llama.cpp")
        everybody = family(server.reader)
        if how != signal.SIGSTOP or moment != "loading":
            assert until(lambda: not is_alive(pid))
            assert until(lambda: len(family(server.reader)) == 3)
            everybody = family(server.reader)
        assert server.raw.end() == 0
        assert until(lambda: not any(map(is_alive, everybody)))


@pytest.mark.parametrize("stopped", ["nobody", "answering", "llama", "both", "reader"])
@pytest.mark.parametrize("end", ["kill", "term", "input", "shutdown"])
@pytest.mark.parametrize("moment", ["loading", "computing"])
def test_nothing_outlives_the_reader_of_messages(model, moment, end, stopped):
    if stopped == "reader" and end != "kill":
        pytest.skip("it can do nothing")
    with serving(model, moment, "llama") as server:
        everybody = family(server.reader)
        assert len(everybody) == 3
        for pid, name in ((server.answering, "answering"), (server.llama, "llama"), (server.reader, "reader")):
            if stopped in (name, "both") and (name != "reader" or stopped == name):
                stop(pid)
        process = server.raw.process
        assert process.stdin is not None
        if end in ("kill", "term"):
            process.send_signal(signal.SIGKILL if end == "kill" else signal.SIGTERM)
        elif end == "input":
            process.stdin.close()
        else:
            assert server.raw.end() == 0
        process.wait(60)
        assert until(lambda: not any(map(is_alive, everybody)))


PARENT = """
import subprocess, sys, time
from suture.common import lifeline
lifeline.sys = type("other", (), {"platform": "other"})
import threading
child = [sys.executable, "-c", sys.argv[1]]
started = []
thread = threading.Thread(target=lambda: started.append(lifeline.start(child, stdin=subprocess.PIPE)))
thread.start(); thread.join()
print(started[0].pid, flush=True)
time.sleep(600)
"""
CHILD = """
import sys, time
from suture.common import lifeline
lifeline.sys = type("other", (), {"platform": sys.argv[1] if len(sys.argv) > 1 else PLATFORM})
lifeline.end_with_parent(READING)
print("up", flush=True)
LOOP
"""


@pytest.mark.parametrize(
    ("platform", "reading", "loop", "stopped"),
    [
        ("linux", False, "exec('while True: pass')", False),  # it looks at nothing: the system ends it
        ("linux", False, "time.sleep(600)", True),
        ("darwin", True, "time.sleep(600)", False),  # without Linux's help: the end of its input
        ("darwin", True, "exec('while True: pass')", False),
        ("darwin", True, "time.sleep(600)", True),  # stopped: the system continues it
    ],
)
def test_a_process_ends_with_the_one_that_started_it(platform, reading, loop, stopped):
    child = CHILD.replace("PLATFORM", repr(platform)).replace("READING", repr(reading)).replace("LOOP", loop)
    with subprocess.Popen([sys.executable, "-c", PARENT, child], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        said = {parent.stdout.readline().strip() for _ in range(2)}
        (pid,) = (int(one) for one in said - {"up"})
        try:
            time.sleep(0.2)  # the thread that started it has ended, and nothing else
            assert is_alive(pid)
            if stopped:
                stop(pid)
            parent.kill()
            parent.wait()
            assert until(lambda: not is_alive(pid))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


COMPILING = """
import sys
from pathlib import Path
from suture.parser.grammar.isolated import CompileLimits, compile_apart
compile_apart(Path(sys.argv[1]), "start", CompileLimits(seconds=600))
"""


@pytest.mark.parametrize("stopped", [False, True])
def test_the_compiler_of_grammars_ends_with_the_process_that_started_it(tmp_path, stopped):
    slow = tmp_path / "slow.lark"
    slow.write_text("start: " + " ".join(f'["{n}"]' for n in range(22)) + "\n")
    with subprocess.Popen([sys.executable, "-c", COMPILING, str(slow)]) as parent:
        assert until(lambda: children(parent.pid))
        (pid,) = children(parent.pid)
        try:
            time.sleep(0.5)
            if stopped:
                stop(pid)
            assert is_alive(pid)
            parent.kill()
            parent.wait()
            assert until(lambda: not is_alive(pid))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_a_process_that_does_not_get_started_keeps_no_other_from_it(monkeypatch):
    hangs, late = threading.Event(), []
    real = subprocess.Popen

    class Slow(real):
        def __init__(self, command, **how):
            if "slow" in command:
                hangs.wait()
                late.append(self)
            super().__init__(command, **how)

    monkeypatch.setattr(lifeline, "STARTING_S", 0.5)
    monkeypatch.setattr(lifeline.subprocess, "Popen", Slow)
    command = [sys.executable, "-c", "input()"]
    with ThreadPoolExecutor() as threads:
        slow = threads.submit(lifeline.start, [*command, "slow"], stdin=subprocess.PIPE)
        fast = threads.submit(lifeline.start, command, stdin=subprocess.PIPE)
        with pytest.raises(OSError, match="does not start"):
            slow.result(60)
        with fast.result(60) as process:
            assert process.stdin is not None
            process.stdin.write(b"\n")
        assert process.returncode == 0
    hangs.set()
    assert until(lambda: late and late[0].poll() is not None)  # nobody waits for it any more
