"""The reader of messages: it answers, replaces the process behind it, and ends with its client, whatever the process does."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.lsp_server.isolation.client_process import is_alive, process_id_of
from suture.lsp_server.isolation.journal import MAX_CHANGES, Journal
from suture.lsp_server.isolation.limits import Limits, limits_of
from suture.lsp_server.isolation.process import FromServer, ServerEnded, ServerProcess
from suture.lsp_server.isolation.relay import ClientGone, Ended, FromClient, Relay
from suture.lsp_server.isolation.suspects import Suspects
from suture.lsp_server.protocol.jsonrpc import Refusal, encode, parse
from suture.lsp_server.session.documents import Change, Document
from suture.lsp_server.telemetry.usage import read_days, together

from ..support.raw_client import Raw, running, staged_command
from ..support.work import PATIENCE_S

posix = pytest.mark.skipif(os.name != "posix", reason="as POSIX has it")
A, B = "file:///a.py", "file:///b.py"
QUICK = {"SUTURE_WATCHDOG_S": "4"}  # less would end a process that merely lacks a processor
LONG_S = 200.0  # for another process to be ready, on a busy machine


@contextmanager
def staged(**variables: str) -> Iterator[Raw]:
    """A staged server; its process is waited for as long as it takes, unless the variables say else."""
    with running(staged_command(), env={**os.environ, **variables}) as raw:
        yield raw


def worker_of(raw: Raw) -> int:
    """The process behind the reader of messages, once there is no other beside it."""
    children = Path(f"/proc/{raw.process.pid}/task/{raw.process.pid}/children")
    if not children.exists():
        pytest.skip("there is no /proc that tells of children")
    until = time.monotonic() + LONG_S
    while len(pids := children.read_text().split()) != 1 and time.monotonic() < until:
        time.sleep(0.02)
    (pid,) = pids
    return int(pid)


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if not is_alive(pid):
            return True
        time.sleep(0.02)
    return False


# With processes


@pytest.mark.parametrize("how", ["hold", "die", "stop", "kill"])
@posix
def test_a_process_that_stops_answering_is_replaced_and_nothing_is_lost(how):
    """Also while a regular expression holds the interpreter's lock, and no thread of the process can help."""
    with staged(**QUICK) as raw:
        raw.initialize()
        raw.open(A, "x = ", version=1)
        for count in range(5):
            span = {"start": {"line": 0, "character": 4 + count}, "end": {"line": 0, "character": 4 + count}}
            change = {
                "textDocument": {"uri": A, "version": 2 + count},
                "contentChanges": [{"range": span, "text": "1"}],
            }
            raw.send("textDocument/didChange", change)
        until = time.monotonic() + LONG_S

        def suggested() -> bool:
            """Ask again if the process was silent for two seconds, as it may be without a processor."""
            while not (items := raw.items(A, character=9)) and time.monotonic() < until:
                time.sleep(0.05)
            return bool(items)

        raw.command("suture.snooze", 0)
        assert suggested()
        worker = worker_of(raw)
        if how in ("hold", "die"):
            raw.open(B, how)
            number = raw.ask(B)
            raw.wait_for(b"started")
            assert raw.answer(number)["result"] == {"items": []}
        else:
            os.kill(worker, {"stop": signal.SIGSTOP, "kill": signal.SIGKILL}[how])
            raw.answer(raw.ask(A, character=9))
        while not any("restarted" in params["message"] for params in raw.said("window/showMessage")):
            raw.read()
        while "error" in (answer := raw.command("suture.digest", A)) and time.monotonic() < until:
            time.sleep(0.05)
        assert (answer["result"]["version"], answer["result"]["characters"]) == (6, 9)
        assert suggested()
        assert worker_of(raw) != worker and gone(worker)
        assert raw.end() == 0


@posix
def test_shutdown_is_quick_while_the_lock_is_held():
    with running(staged_command()) as raw:
        raw.initialize()
        raw.open(A, "hold")
        number = raw.ask(A)
        raw.wait_for(b"started")
        worker = worker_of(raw)
        assert raw.end() == 0
        assert gone(worker)
        assert any(message.get("id") == number for message in raw.seen)


@posix
@pytest.mark.parametrize("how", ["input", "client", "zombie", "signal", "hangup", "killed"])
def test_whoever_ends_the_reader_ends_both(how):
    """While the lock is held: the process behind can notice nothing."""
    with running(staged_command()) as raw:
        client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            raw.request("initialize", {"capabilities": {}, "processId": client.pid, "rootUri": None})
            raw.send("initialized", {})
            raw.open(A, "hold")
            raw.ask(A)
            raw.wait_for(b"started")
            worker = worker_of(raw)
            assert raw.process.stdin is not None
            if how == "input":
                raw.process.stdin.close()
            elif how == "client":
                client.kill()
                client.wait()
            elif how == "zombie":
                client.kill()  # and nobody waits for it
            else:
                raw.process.send_signal({"signal": signal.SIGTERM, "hangup": signal.SIGHUP}.get(how, signal.SIGKILL))
            code = raw.process.wait(PATIENCE_S)
            assert code == {"signal": -signal.SIGTERM, "hangup": -signal.SIGHUP, "killed": -signal.SIGKILL}.get(how, 1)
            if how != "killed" or sys.platform == "linux":
                assert gone(worker)
        finally:
            client.kill()
            client.communicate()


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("both", [False, True])
def test_counts_are_written_when_the_server_is_ended_by_a_signal(tmp_path, number, both):
    with staged(SUTURE_STATE_DIR=str(tmp_path)) as raw:
        raw.initialize()
        raw.open(A, "x = ")
        assert raw.items(A, character=4)
        if both:  # as at the closing of a terminal
            os.kill(worker_of(raw), number)
        raw.process.send_signal(number)
        assert raw.process.wait(PATIENCE_S) == -number
    assert together(read_days(tmp_path / "usage.sqlite3").values()).events["requests"] == 1


def test_an_identifier_of_a_process_that_is_none_is_no_obstacle():
    with staged() as raw:
        for given_id in (2**70, -5, 0, "x", True, 1.5, []):
            answer = raw.request("initialize", {"capabilities": {}, "processId": given_id, "rootUri": None})
            if given_id == 2**70:
                assert "result" in answer
        assert raw.end() == 0


def test_an_initialize_that_failed_may_be_tried_again():
    with staged() as raw:
        assert "error" in raw.request("initialize", {"capabilities": 7})
        assert "result" in raw.request("initialize", {"capabilities": {}, "processId": None, "rootUri": None})


def test_the_identifier_of_initialize_may_be_used_again():
    with staged() as raw:
        raw.initialize()
        for _ in range(2):
            raw.number, raw.seen[:] = 0, []
            assert raw.request("x/y")["error"]["code"] == -32601
        raw.open(A, "x = ")
        assert raw.items(A, character=4)
        assert raw.end() == 0


def test_what_is_no_message_is_answered_with_an_error():
    with staged() as raw:
        raw.initialize()
        for body, code in ((b"[]", -32600), (b"\xff", -32700), (b"[" * 100_000, -32700), (b'{"jsonrpc":"2.0","id":[]}', -32600)):  # fmt: skip
            raw.write(body)
            while (last := raw.read()).get("id", 0) is not None:
                pass
            assert last["error"]["code"] == code
        assert raw.process.stdin is not None
        raw.process.stdin.write(b"Content-Length: 7\r\n\r\n" + b'{"jsonrpc": "2.0", "method": "x"}')
        assert "error" in raw.request("x/y")
        raw.process.stdin.write(b"Content-Length: 7777\r\n\r\n" + b'{"jsonrpc": "2.0", "method": "x"}')
        assert "error" in raw.request("x/y")
        assert raw.end() == 0


def test_a_server_that_cannot_start_says_so():
    command = staged_command()
    command[3] = command[3].replace('orig_argv[3], "answer"', 'orig_argv[3], "no-such-command"')
    with running(command) as raw:
        assert "error" in raw.request("initialize", {"capabilities": {}, "processId": None, "rootUri": None})
        assert raw.process.wait(PATIENCE_S) == 1


# The relay alone, with a list as its process and a number as its clock


class Process:
    """A stand-in for a ServerProcess; says what a test tells it to."""

    def __init__(self, deliver: Any):
        self.deliver, self.sent, self.killed, self.closed = deliver, [], False, False
        self.said_something, self.unsent = False, 0
        self.code: int | None = None

    def send(self, body: bytes) -> None:
        message = parse(body)
        assert not isinstance(message, Refusal)
        self.sent.append(message)

    def close(self) -> None:
        self.closed = True

    def kill(self) -> None:
        self.killed = True

    def ended(self, timeout_s: float) -> int | None:
        return self.code

    def how_it_ended(self) -> str:
        return "ended"

    def methods(self) -> list[str]:
        return [message["method"] for message in self.sent if "method" in message]


class Stage:
    """A relay, driven step by step."""

    def __init__(self, **more: Any):
        self.now = 1000.0
        self.processes: list[Process] = []
        self.seen: list[dict[str, Any]] = []
        self.relay = Relay(self.start, self.receive, lambda text: None, Limits(), lambda: self.now, **more)
        self.relay._begin()

    def start(self, deliver: Any) -> Any:
        self.processes.append(Process(deliver))
        return self.processes[-1]

    def receive(self, body: bytes) -> None:
        self.seen.append(json.loads(body))

    @property
    def process(self) -> Process:
        """The answering process, not one started beside it."""
        return self.relay.process or self.processes[-1]  # type: ignore[return-value]

    def client(self, method: str | None, params: Any = None, number: Any = None, **more: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, "id": number, **more}
        self.relay._handle(FromClient(encode({key: value for key, value in message.items() if value is not None})))

    def server(self, message: dict[str, Any]) -> None:
        whole = message if "suture" in message else {"jsonrpc": "2.0", **message}
        self.relay._handle(FromServer(self.process, encode(whole)))  # type: ignore[arg-type]

    def pong(self) -> None:
        pings = [message["number"] for message in self.process.sent[-9:] if message.get("suture") == "ping"]
        if pings:
            self.server({"suture": "pong", "number": pings[-1]})

    def wait(self, seconds: float, pongs: bool = False) -> None:
        for _ in range(int(seconds * 4)):
            self.now += 0.25
            if pongs:
                self.pong()
            self.relay._look()

    def initialized(self, **capabilities: Any) -> "Stage":
        self.client("initialize", {"capabilities": {}, "processId": None}, 1)
        self.server({"id": 1, "result": {"capabilities": capabilities}})
        self.client("initialized", {})
        self.pong()
        return self

    def open(self, uri: str, text: str) -> None:
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.client("textDocument/didOpen", {"textDocument": item})

    def answers(self, number: Any) -> list[dict[str, Any]]:
        return [message for message in self.seen if message.get("id") == number and "method" not in message]


def ask(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}, "context": {"triggerKind": 1}}


INLINE = "textDocument/inlineCompletion"


def test_silence_is_answered_with_nothing_and_then_ended():
    stage = Stage().initialized()
    stage.open(A, "x")
    stage.client(INLINE, ask(A), 2)
    stage.client("workspace/executeCommand", {"command": "x"}, 3)
    stage.client("textDocument/completion", ask(A), 4)
    stage.client("$/cancelRequest", {"id": 4})
    stage.wait(4)
    assert stage.answers(2)[0]["result"] == {"items": []}
    assert stage.answers(3)[0]["error"]["code"] == -32803
    assert stage.answers(4)[0]["error"]["code"] == -32800
    stage.server({"id": 2, "result": {"items": ["late"]}})
    assert len(stage.answers(2)) == 1
    first = stage.process
    stage.wait(30)
    assert first.killed and stage.process is not first and not stage.process.killed


def test_a_process_that_answers_pings_may_take_its_time():
    stage = Stage().initialized()
    stage.client("workspace/executeCommand", {"command": "x"}, 2)
    stage.wait(300, pongs=True)
    assert len(stage.processes) == 1 and not stage.answers(2)
    assert len([m for m in stage.process.sent if m.get("suture") == "ping"]) < 400


@pytest.mark.parametrize("method", [INLINE, "textDocument/completion"])
@pytest.mark.parametrize(("kind", "limit"), [(1, Limits.late_asked), (2, Limits.late)])
def test_a_request_for_a_suggestion_that_is_late_is_answered_whoever_is_alive(method: str, kind: int, limit: float):
    """A process answering pings was busy with one text, and the request was never answered."""
    stage = Stage().initialized()
    stage.open(A, "x")
    stage.wait(1, pongs=True)
    stage.client(method, {**ask(A), "context": {"triggerKind": kind}}, 2)
    stage.wait(limit - 1, pongs=True)
    assert not stage.answers(2)
    stage.client(method, {**ask(B), "context": {"triggerKind": kind}}, 3)
    stage.wait(2, pongs=True)
    assert stage.answers(2)[0]["result"] == ({"items": []} if method == INLINE else None)
    assert not stage.answers(3), "that one is not late"
    stage.server({"id": 2, "result": {"items": ["late"]}})
    stage.server({"id": 3, "result": {"items": ["in time"]}})
    assert len(stage.answers(2)) == 1 and stage.answers(3)[0]["result"] == {"items": ["in time"]}
    assert len(stage.processes) == 1 and not stage.process.killed


def test_a_model_that_is_loaded_may_hold_the_lock_for_long():
    stage = Stage().initialized()
    stage.server({"suture": "loading", "on": True})
    stage.wait(200)
    (first,) = stage.processes
    stage.server({"suture": "loading", "on": False})
    stage.wait(20)
    assert first.killed and not stage.process.killed


def test_a_machine_that_slept_is_no_silence():
    stage = Stage().initialized()
    stage.wait(2)
    stage.now += 10_000
    stage.relay._look()
    stage.pong()
    stage.wait(5, pongs=True)
    assert len(stage.processes) == 1


def test_a_new_process_is_brought_to_where_the_session_is():
    stage = Stage().initialized()
    folder = {"uri": "file:///f", "name": "f"}
    stage.client("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    stage.client("workspace/didChangeConfiguration", {"settings": {"a": 1}})
    stage.client("workspace/didChangeConfiguration", {"settings": {"a": 2}})
    stage.client("$/setTrace", {"value": "verbose"})
    stage.client("workspace/executeCommand", {"command": "suture.snooze", "arguments": [10]}, 2)
    stage.open(A, "x")
    stage.open(B, "y")
    stage.client("textDocument/didClose", {"textDocument": {"uri": B}})
    stage.client(
        "textDocument/didChange", {"textDocument": {"uri": A, "version": 7}, "contentChanges": [{"text": "z"}]}
    )
    registration = {"id": "r", "method": INLINE, "registerOptions": {}}
    stage.server({"id": "s1", "method": "client/registerCapability", "params": {"registrations": [registration]}})
    stage.client(None, number="s1", result=0)
    stage.server({"method": "$/progress", "params": {"token": "t", "value": {"kind": "begin", "title": "x"}}})
    stage.server({"method": "window/showMessage", "params": {"type": 2, "message": "once"}})
    stage.now += 60
    stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
    ends = [message["params"] for message in stage.seen if message.get("method") == "$/progress"]
    assert ends[-1] == {"token": "t", "value": {"kind": "end"}}
    stage.wait(1)
    second = stage.process
    assert len(stage.processes) == 2
    assert second.sent[0] == {"suture": "begin", "remote": False, "hurry": True}
    sent = {message["method"]: message for message in second.sent if "method" in message}
    assert second.methods() == [
        *("initialize", "initialized", "$/setTrace", "workspace/didChangeConfiguration", "workspace/executeCommand"),
        "textDocument/didOpen",
    ]
    assert sent["initialize"]["params"]["workspaceFolders"] == [folder]
    assert sent["workspace/didChangeConfiguration"]["params"] == {"settings": {"a": 2}}
    assert 8.9 < sent["workspace/executeCommand"]["params"]["arguments"][0] < 9.1
    assert sent["textDocument/didOpen"]["params"]["textDocument"] == {"uri": A, "languageId": "python", "version": 7, "text": "z"}  # fmt: skip
    before = len(stage.seen)
    stage.server({"id": sent["initialize"]["id"], "result": {"capabilities": {}}})
    stage.server({"id": "s2", "method": "client/registerCapability", "params": {"registrations": [registration]}})
    stage.server({"method": "window/showMessage", "params": {"type": 2, "message": "once"}})
    assert len(stage.seen) == before  # the client has all of that
    assert second.sent[-1] == {"jsonrpc": "2.0", "id": "s2", "result": None}
    changed = {**registration, "registerOptions": {"documentSelector": []}}
    stage.server({"id": "s3", "method": "client/registerCapability", "params": {"registrations": [changed]}})
    assert [m["method"] for m in stage.seen[before:]] == ["client/unregisterCapability", "client/registerCapability"]


def test_an_identifier_may_be_used_again():
    """The identifier of `initialize` by a failing or an answered request; that of a waiting request by none."""
    stage = Stage()
    stage.client("initialize", {"capabilities": {}, "processId": None}, 1)
    stage.server({"id": 1, "result": {"capabilities": {"positionEncoding": "utf-8"}}})
    stage.client(INLINE, ask(A), 1)
    stage.server({"id": 1, "result": {"capabilities": {"positionEncoding": "utf-32"}}})
    stage.client("x/y", None, 1)
    stage.server({"id": 1, "error": {"code": 1, "message": ""}})
    assert stage.relay._session.journal.encoding == "utf-8" and stage.relay._session.initialize_answered
    stage.client("x/y", None, 1)
    stage.client(INLINE, ask(A), 1)
    assert len(stage.answers(1)) == 4 and stage.answers(1)[-1]["error"]["code"] == -32600
    stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
    stage.wait(1)
    first = [message for message in stage.process.sent if message.get("method") == "initialize"]
    assert len(stage.answers(1)) == 5 and [message["id"] for message in first] != [1]


def test_an_initialize_that_was_refused_leaves_nothing_behind():
    stage = Stage()
    stage.open(A, "too early")
    stage.client("initialize", {"capabilities": 7, "processId": None}, 1)
    stage.open(B, "too early")
    stage.server({"id": 1, "error": {"code": -32602, "message": "no"}})
    stage.client("initialize", {"capabilities": {}}, None)  # no request
    stage.client("shutdown", None, 2)
    stage.server({"id": 2, "error": {"code": -32002, "message": "not yet"}})
    stage.client("initialize", {"capabilities": {}, "processId": None}, 3)
    stage.server({"id": 3, "result": {"capabilities": {}}})
    stage.client("initialize", {"capabilities": {}, "processId": None}, 4)  # not answered before the end
    stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
    stage.wait(1)
    assert "error" in stage.answers(4)[0] and len(stage.processes) == 2
    sent = {message["method"]: message for message in stage.process.sent if "method" in message}
    assert sent["initialize"]["params"]["capabilities"] == {} and "textDocument/didOpen" not in sent


def test_an_exit_that_wants_an_answer_has_it_and_ends():
    stage = Stage().initialized()
    stage.client("exit", None, 9)
    assert stage.answers(9)[0]["result"] is None
    assert stage.process.methods()[-1] == "exit" and "id" not in stage.process.sent[-1]
    stage.server({"suture": "ended"})
    assert stage.relay._done


def test_answers_to_a_process_that_has_gone_reach_no_other():
    stage = Stage().initialized()
    stage.server({"id": "s1", "method": "workspace/configuration", "params": {"items": []}})
    stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
    stage.wait(1)
    stage.client(None, number="s1", result=[])
    assert not any(message.get("id") == "s1" for message in stage.process.sent)


def test_an_initialize_that_killed_is_given_to_the_next_and_then_refused():
    stage = Stage()
    stage.client("initialize", {"capabilities": {}, "processId": None}, 1)
    for count in (1, 2):
        stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
        stage.wait(2)
        assert len(stage.processes) == count + 1
        assert [m["id"] for m in stage.process.sent if m.get("method") == "initialize"] == [1]
    stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
    assert stage.answers(1)[0]["error"] and stage.relay._done


def test_a_document_that_stops_two_processes_is_held_back():
    stage = Stage().initialized()
    stage.open(A, "x")
    stage.open(B, "y")
    for number in (2, 3):
        stage.wait(2, pongs=True)
        stage.client(INLINE, ask(B), number)
        stage.wait(14)
        assert stage.answers(number)
    stage.wait(5, pongs=True)
    opened = [
        m["params"]["textDocument"]["uri"] for m in stage.process.sent if m.get("method") == "textDocument/didOpen"
    ]
    assert len([process for process in stage.processes if process.killed]) >= 2 and opened == [A]
    stage.client(INLINE, ask(B), 4)
    assert stage.answers(4)[0]["result"] == {"items": []}
    stage.client(
        "textDocument/didChange", {"textDocument": {"uri": B, "version": 2}, "contentChanges": [{"text": "z"}]}
    )
    assert "textDocument/didChange" not in stage.process.methods()
    stage.client(INLINE, ask(A), 5)
    assert stage.process.sent[-1]["id"] == 5
    stage.wait(700, pongs=True)  # later it gets another chance, as it is then
    last = [m for m in stage.process.sent if m.get("method") == "textDocument/didOpen"][-1]["params"]["textDocument"]
    assert (last["uri"], last["text"]) == (B, "z")


@pytest.mark.parametrize(
    ("codes", "held"),
    [
        ((-9, -9, -9), False),  # by somebody, or by the system when memory runs out
        ((-15, -9, -2), False),
        ((-11, -9, -6), True),
        ((-11, -11), True),
        ((-6, -9), False),
        ((1, -7), True),
    ],
)
def test_a_document_is_not_blamed_for_what_others_end(codes, held):
    stage = Stage().initialized()
    stage.open(A, "x")
    for number, code in enumerate(codes, 2):
        stage.client(INLINE, ask(A), number)
        stage.process.code = code
        stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
        assert stage.answers(number)[0]["result"] == {"items": []}
        stage.wait(30)
        stage.pong()
    shown = [message["params"]["message"] for message in stage.seen if message.get("method") == "window/showMessage"]
    assert any("stopped the server twice" in text for text in shown) == held
    opened = [m for m in stage.process.sent if m.get("method") == "textDocument/didOpen"]
    assert bool(opened) != held


def test_memory_that_ran_out_is_named(monkeypatch):
    killed = iter((7, 8, 8, 8))
    monkeypatch.setattr("suture.lsp_server.isolation.process.killed_for_memory", lambda: next(killed))
    ends = [sys.executable, "-I", "-c", "import os; os.kill(os.getpid(), 9)"]
    assert "memory ran out" in ServerProcess(ends).how_it_ended()
    assert ServerProcess(ends).how_it_ended() == "was ended by SIGKILL"


def test_a_silent_process_is_replaced_as_soon_as_another_answers():
    stage = Stage().initialized()
    stage.open(A, "x")
    stage.wait(4)
    first, spare = stage.processes
    assert not first.killed and spare.methods() == []  # nothing is done twice
    stage.relay._handle(FromServer(spare, encode({"suture": "pong", "number": 0})))  # type: ignore[arg-type]
    stage.wait(0.25)
    assert first.killed and not spare.killed and len(stage.processes) == 2
    assert spare.methods() == ["initialize", "initialized", "textDocument/didOpen"]
    stage.server({"suture": "pong", "number": 2})
    stage.wait(5, pongs=True)
    assert len(stage.processes) == 2


@pytest.mark.parametrize("steps", range(0, 24, 3))
def test_another_process_is_started_within_two_seconds_of_a_request_that_hangs(steps):
    """However long ago the last ping was. The rest of five seconds is for its start and its first text."""
    stage = Stage().initialized()
    stage.wait(steps / 4, pongs=True)
    stage.client(INLINE, ask(A), 2)
    stage.wait(2)
    assert len(stage.processes) == 2


def test_a_process_that_answers_after_all_stays():
    stage = Stage().initialized()
    stage.client(INLINE, ask(A), 2)
    stage.wait(4)
    first, spare = stage.processes
    stage.relay._handle(FromServer(first, encode({"suture": "pong", "number": 2})))  # type: ignore[arg-type]
    assert spare.killed and not first.killed
    stage.relay._handle(FromServer(spare, encode({"suture": "pong", "number": 0})))  # type: ignore[arg-type]
    for _ in range(3):
        stage.wait(1.75)
        stage.relay._handle(FromServer(first, encode({"suture": "pong", "number": 2})))  # type: ignore[arg-type]
    assert not first.killed and len(stage.processes) == 2  # not time and again


@pytest.mark.parametrize("before", ["spoke again", "was replaced"])
def test_a_hang_soon_after_another_silence_is_found_out_as_soon(before):
    """Whether the silence was a busy machine's or a hang, nobody waits for ten seconds to pass since."""
    stage = Stage().initialized()
    stage.client(INLINE, ask(A), 2)
    stage.wait(2)
    first, spare = stage.processes
    speaks = first if before == "spoke again" else spare
    stage.relay._handle(FromServer(speaks, encode({"suture": "pong", "number": 2})))  # type: ignore[arg-type]
    stage.wait(1, pongs=True)
    assert first.killed == (before == "was replaced")
    stage.client(INLINE, ask(B), 3)
    stage.wait(2.25)
    assert len(stage.processes) == 3 and not stage.process.killed


@pytest.mark.parametrize("how", ["shutdown", "exit", "gone", "never"])
def test_no_process_is_left_behind_that_was_started_beside_another(how):
    stage = Stage().initialized()
    stage.client(INLINE, ask(A), 2)
    stage.wait(4)
    if how == "shutdown":
        stage.client("shutdown", None, 9)
    elif how == "exit":
        stage.client("exit")
    elif how == "gone":
        stage.relay._handle(ClientGone())
    stage.wait(3 if how != "never" else 10)
    if how == "never":  # it does not answer either, and is waited for alone
        first, spare = stage.processes[:2]
        assert first.killed and not spare.killed and stage.process is spare
        return
    assert all(process.killed for process in stage.processes[1:])
    assert len(stage.processes) == 2


def test_restarts_become_rarer():
    stage = Stage().initialized()
    waits = []
    for _ in range(6):
        stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
        count, start_s = len(stage.processes), stage.now
        while len(stage.processes) == count:
            stage.wait(0.25)
        waits.append(stage.now - start_s)
        stage.server({"suture": "loading", "on": False})
    assert waits == sorted(waits) and waits[0] < 1 and waits[-1] >= 60
    assert stage.now < 2000


def test_requests_while_there_is_no_process_are_answered_at_once():
    stage = Stage().initialized()
    for _ in range(3):
        stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
        stage.wait(2)
        stage.server({"suture": "loading", "on": False})
    stage.client(INLINE, ask(A), 2)
    stage.relay._handle(ServerEnded(stage.process))  # type: ignore[arg-type]
    stage.client(INLINE, ask(A), 3)
    assert stage.answers(2)[0]["result"] == stage.answers(3)[0]["result"] == {"items": []}
    stage.client("shutdown", None, 4)
    assert stage.answers(4)[0]["result"] is None
    stage.client("exit")
    assert stage.relay._done and stage.relay._code == 0


@pytest.mark.parametrize("event", [ClientGone(), Ended(15)])
def test_at_the_end_the_process_has_a_moment(event):
    stage = Stage().initialized()
    stage.client(INLINE, ask(A), 2)
    stage.relay._handle(event)
    assert stage.process.closed and not stage.process.killed
    stage.wait(3)
    assert stage.process.killed and stage.relay._done and stage.answers(2)


def test_a_client_that_has_said_all_at_once_is_answered_when_the_process_has_started():
    stage = Stage()
    stage.client("initialize", {"capabilities": {}, "processId": None}, 1)
    stage.client("shutdown", None, 2)
    stage.client("exit")
    stage.wait(10)
    assert not stage.process.killed and not stage.relay._done
    stage.pong()
    stage.wait(10)  # it has begun to read, and does not answer yet
    assert not stage.process.killed and not stage.relay._done
    stage.server({"id": 1, "result": {"capabilities": {}}})
    stage.wait(1)
    stage.server({"id": 2, "result": None})
    stage.server({"suture": "ended"})
    assert stage.relay._done and stage.relay._code == 0
    assert "result" in stage.answers(1)[0] and stage.answers(2)[0]["result"] is None


def test_a_client_that_reads_no_more_is_not_waited_for():
    stage = Stage()
    stage.client("initialize", {"capabilities": {}, "processId": None}, 1)
    stage.relay._handle(ClientGone(reads=False))
    stage.wait(2)
    assert stage.process.killed and stage.relay._done


def test_a_process_that_does_not_read_is_replaced():
    stage = Stage().initialized()
    stage.process.unsent = 10**9
    stage.relay._look()
    assert stage.processes[0].killed


def test_no_client_can_speak_as_the_reader_does():
    stage = Stage().initialized()
    for body in (b'{"suture":"end"}', b'{"suture":"end","jsonrpc":"2.0","method":"x","id":9}'):
        stage.relay._handle(FromClient(body))
    (sent,) = [m for m in stage.process.sent if m.get("suture") == "end"]
    assert sent["jsonrpc"] == "2.0"  # no order, but a request
    assert stage.seen[-1]["error"]["code"] == -32600


# The journal, beside the documents of the server


CHARS = st.text(alphabet="ab\n\r😀é", max_size=6)
POSITIONS = st.tuples(st.integers(0, 5), st.integers(0, 8))
CHANGES = st.lists(st.tuples(st.none() | st.tuples(POSITIONS, POSITIONS), CHARS), max_size=12)


@given(CHARS, CHANGES, st.sampled_from(["utf-8", "utf-16", "utf-32"]), st.booleans())
def test_the_journal_has_the_text_that_the_server_has(text, changes, encoding, folding):
    journal, document = Journal(), Document(A, "python", 1, text, encoding)
    journal.answered_initialize({"capabilities": {"positionEncoding": encoding}})
    journal.note(
        "textDocument/didOpen", {"textDocument": {"uri": A, "languageId": "python", "version": 1, "text": text}}
    )
    for version, (span, new) in enumerate(changes):
        change: dict[str, Any] = {"text": new}
        if span is not None:
            change["range"] = {key: dict(zip(("line", "character"), edge, strict=True)) for key, edge in zip(("start", "end"), span, strict=True)}  # fmt: skip
        document.apply(Change(new, span))
        journal.note(
            "textDocument/didChange", {"textDocument": {"uri": A, "version": version}, "contentChanges": [change]}
        )
        if folding:
            journal.fold(1)
    opening = journal.opening(A)["textDocument"]
    assert opening["text"] == document.text


def test_the_journal_is_bounded(monkeypatch):
    monkeypatch.setattr("suture.lsp_server.isolation.journal.MAX_CHARS", 10_000)
    journal = Journal()
    for uri, size in ((A, 6_000), (B, 6_000)):
        item = {"uri": uri, "languageId": "python", "version": 1, "text": "x" * size}
        journal.note("textDocument/didOpen", {"textDocument": item})
    assert journal.lost == [B] and journal.opening(B) is None
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    for _ in range(3 * MAX_CHANGES):
        one = {"textDocument": {"uri": A, "version": 2}, "contentChanges": [{"range": span, "text": "yy"}]}
        journal.note("textDocument/didChange", one)
        assert len(journal._documents[A].changes) < MAX_CHANGES
    assert len(journal.opening(A)["textDocument"]["text"]) == 6_000 + 3 * MAX_CHANGES
    journal.note(
        "textDocument/didChange", {"textDocument": {"uri": B, "version": 2}, "contentChanges": [{"text": "z"}]}
    )
    assert journal.lost == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didChange", {"textDocument": {"uri": A, "version": 2}, "contentChanges": [{"text": "a"}, {"text": 7}]}),
        ("textDocument/didChange", {"textDocument": {"uri": A}, "contentChanges": [{"text": "a", "range": {"start": 1}}]}),
        ("textDocument/didChange", {"textDocument": {"uri": A}, "contentChanges": None}),
        ("textDocument/didOpen", {"textDocument": {"uri": A, "text": 7}}),
        ("textDocument/didClose", {"textDocument": "x"}),
        ("workspace/executeCommand", {}),
        ("workspace/didChangeWorkspaceFolders", {"event": 7}),
        ("initialize", []),
    ],
)  # fmt: skip
def test_messages_that_are_none_change_no_journal(method, params):
    journal = Journal()
    item = {"uri": A, "languageId": "python", "version": 1, "text": "x"}
    journal.note("textDocument/didOpen", {"textDocument": item})
    journal.note(method, params)
    assert journal.opening(A)["textDocument"] == item


def test_suspects_are_those_that_were_touched_first():
    suspects = Suspects(lambda: 0.0)
    for uri in "abcdef":
        suspects.touched(uri)
        suspects.pinged()
    suspects.ponged(2)
    assert suspects.blame([]) == [] and suspects.waiting and suspects.active
    assert suspects.blame(["z"]) == ["c", "d"]
    assert suspects.holds_back("c") and not suspects.holds_back("e")


# Processes of clients


def test_identifiers_of_processes():
    for given_id in (2**31, 2**70, 0, -1, True, "1", 1.0, None):
        assert process_id_of(given_id) is None
    assert process_id_of(1) == 1
    assert is_alive(os.getpid())


@posix
def test_a_process_that_has_ended_and_was_not_waited_for_is_gone():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    try:
        assert gone(ended.pid)
    finally:
        ended.wait()
    assert not is_alive(ended.pid)


@posix
def test_a_zombie_is_told_without_proc(monkeypatch):
    """As on macOS."""
    monkeypatch.setattr(Path, "read_bytes", lambda self: (_ for _ in ()).throw(FileNotFoundError()))
    monkeypatch.setattr("sys.platform", "darwin")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    try:
        assert gone(ended.pid)
    finally:
        ended.wait()
    assert is_alive(os.getpid()) and is_alive(os.getppid())


def test_the_watchdog_is_set_by_a_variable():
    assert limits_of({}) == limits_of({"SUTURE_WATCHDOG_S": "x"}) == Limits()
    assert limits_of({"SUTURE_WATCHDOG_S": "3"}).silent == 3
    assert limits_of({"SUTURE_WATCHDOG_S": "0"}).silent == float("inf")
