"""Connecting clients: who is let in, one at a time, and who is put out."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from suture.lsp_server.cli.main import main
from suture.lsp_server.cli.serve import address
from suture.lsp_server.errors import UserError
from suture.lsp_server.protocol import connection, websocket
from suture.lsp_server.protocol.access import (
    chosen_token,
    is_loopback_host,
    is_origin,
    is_token,
    token_in_address,
    without_token,
)
from suture.lsp_server.protocol.connection import MAX_STRANGERS
from suture.lsp_server.protocol.listening import Client, Door
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as connect_to

from ..support.raw_client import staged_command
from ..support.work import PATIENCE_S

A = "file:///a.py"
TOKEN = "a-token-of-the-tests"
ORIGIN = "https://editor.example.org"


def message(method: str, params: object = None, number: int | None = None) -> bytes:
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(body if number is None else {**body, "id": number}).encode()


def initialize(**options: object) -> bytes:
    return message("initialize", {"capabilities": {}, "processId": None, "initializationOptions": options}, 1)


OPEN = message("textDocument/didOpen", {"textDocument": {"uri": A, "languageId": "python", "version": 1, "text": "x"}})
ASK = message(
    "textDocument/inlineCompletion",
    {"textDocument": {"uri": A}, "position": {"line": 0, "character": 1}, "context": {"triggerKind": 2}},
    2,
)


def connect(address: str, **how: Any) -> ClientConnection:
    """A client connecting by WebSocket."""
    return connect_to(address, open_timeout=PATIENCE_S, close_timeout=PATIENCE_S, **how)


class Tcp:
    """A client connecting by TCP."""

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.stream = self.socket.makefile("rb")

    def send(self, body: bytes) -> None:
        self.socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def recv(self) -> bytes:
        length = 0
        while (line := self.stream.readline()) != b"\r\n":
            if line.startswith(b"Content-Length"):
                length = int(line.split()[1])
            if not line:
                raise ConnectionError("the server has closed the connection")
        return self.stream.read(length)

    def close(self) -> None:
        self.stream.close()
        self.socket.close()

    def __enter__(self) -> "Tcp":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def answer_to(client, number: int) -> dict:
    """The answer to a request; other messages are passed over."""
    while True:
        said = json.loads(client.recv())
        if said.get("id") == number and "method" not in said:
            return said


def work(client, first: bytes) -> str:
    """A session up to a suggestion."""
    for body in (first, message("initialized", {}), OPEN, ASK):
        if isinstance(client, Tcp):
            client.send(body)
        else:
            client.send(body.decode())
    return answer_to(client, 2)["result"]["items"][0]["insertText"]


def until_let_in(enter) -> str:
    """Try until the server has noticed the last client's leaving."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        with contextlib.suppress(ConnectionError, ConnectionClosed):
            return enter()
        time.sleep(0.05)
    raise AssertionError("nobody is let in")


@contextmanager
def serving(*arguments: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A listening staged server; yields its printed line."""
    environment = {**os.environ, "SUTURE_TOKEN": TOKEN, **variables}
    pipe = subprocess.PIPE
    command = [*staged_command(), "serve", *arguments]
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.DEVNULL, env=environment, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def port_of(said: str) -> int:
    return int(said.partition("//")[2].partition("/")[0].rpartition(":")[2])


@pytest.fixture(scope="module")
def tcp_port() -> Iterator[int]:
    with serving("--tcp", "0") as (_, said):
        assert said.startswith("suture serves on tcp://127.0.0.1:") and said.endswith(f"/?token={TOKEN}")
        yield port_of(said)


@pytest.fixture(scope="module")
def websocket_port() -> Iterator[int]:
    with serving("--websocket", "0", "--origin", ORIGIN) as (_, said):
        assert said.startswith("suture serves on ws://127.0.0.1:")
        yield port_of(said)


def test_clients_take_turns_over_tcp(tcp_port):
    def once() -> str:
        with Tcp(tcp_port) as client:
            return work(client, initialize(token=TOKEN))

    assert until_let_in(once) == "good"
    assert until_let_in(once) == "good"
    entered: list[Tcp] = []

    def stay() -> str:
        for refused in entered:
            refused.close()
        entered[:] = [Tcp(tcp_port)]
        return work(entered[0], initialize(suture={"token": TOKEN}))

    assert until_let_in(stay) == "good"
    (first,) = entered
    with Tcp(tcp_port) as second:
        second.send(initialize(token=TOKEN))
        assert "one at a time" in answer_to(second, 1)["error"]["message"]
        assert second.stream.read() == b""
    first.send(message("shutdown", None, 3))
    assert answer_to(first, 3)["result"] is None
    first.send(message("exit"))
    assert first.stream.read() == b""
    first.close()


def test_a_client_that_comes_back_at_once_is_served(tcp_port):
    def once() -> str:
        with Tcp(tcp_port) as client:
            return work(client, initialize(token=TOKEN))

    assert until_let_in(once) == "good"
    for _ in range(3):  # each time the last one's session ends just now
        assert once() == "good"


@pytest.mark.parametrize("options", [{}, {"token": "wrong"}, {"token": 7}, {"token": TOKEN + "x"}, {"token": ""}])
def test_without_the_token_nobody_is_let_in(tcp_port, options):
    def refused() -> None:
        with Tcp(tcp_port) as client:
            client.send(initialize(**options))
            client.send(message("initialized", {}))
            said = json.loads(client.recv())
            assert "token" in said["error"]["message"] and TOKEN not in said["error"]["message"]
            assert client.stream.read() == b""

    until_let_in(lambda: refused() or "refused")


@pytest.mark.parametrize("first", [message("shutdown", None, 1), message("initialized", {}), b"[]", b"\xff"])
def test_the_first_message_must_show_it(tcp_port, first):
    def refused() -> None:
        with Tcp(tcp_port) as client:
            client.send(first)
            assert "error" in json.loads(client.recv())
            assert client.stream.read() == b""

    until_let_in(lambda: refused() or "refused")


def test_a_request_of_http_is_no_client(tcp_port):
    first = initialize(token=TOKEN)
    with Tcp(tcp_port) as client:
        client.socket.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(first), first))
        assert client.stream.read() == b""


def test_a_remote_client_chooses_no_files(tcp_port, tmp_path):
    """Words of the grammar used to come back in the message about its fault."""
    (tmp_path / "secret.lark").write_text("THE SECRET WORDS {{{")
    grammar = {"name": "x", "path": str(tmp_path / "secret.lark"), "patterns": ["*.x"]}

    def told() -> str:
        with Tcp(tcp_port) as client:
            client.send(initialize(token=TOKEN, grammars=[grammar], model=str(tmp_path), workspaceTrusted=True))
            client.send(message("initialized", {}))
            client.send(message("workspace/executeCommand", {"command": "suture.status"}, 2))
            shown = []
            while not any("model is not taken" in one for one in shown):
                said = json.loads(client.recv())
                if said.get("method") == "window/showMessage":
                    shown.append(said["params"]["message"])
            return "\n".join(shown)

    shown = until_let_in(told)
    assert "grammars is not taken" in shown and "SECRET" not in shown


def test_once_is_once():
    with serving("--tcp", "0", "--once") as (process, said), Tcp(port_of(said)) as client:
        assert work(client, initialize(token=TOKEN)) == "good"
        client.close()
        assert process.wait(PATIENCE_S) == 0


def test_no_token_is_a_choice():
    with serving("--tcp", "0", "--no-token") as (_, said), Tcp(port_of(said)) as client:
        assert "token" not in said
        assert work(client, initialize()) == "good"


def test_over_a_websocket(websocket_port):
    def session(first: bytes, path: str = "", **headers: str) -> str:
        url = f"ws://127.0.0.1:{websocket_port}/{path}"
        with connect(url, additional_headers=headers) as client:
            assert work(client, first) == "good"
            with connect(url) as second:
                with pytest.raises(ConnectionClosed):
                    second.recv(timeout=PATIENCE_S)
                assert second.close_code == 1013
            client.send(message("shutdown", None, 3).decode())
            client.send(message("exit").decode())
            with contextlib.suppress(ConnectionClosed):
                while True:
                    client.recv(timeout=PATIENCE_S)
        return "well"

    assert until_let_in(lambda: session(initialize(), f"?token={TOKEN}")) == "well"
    assert until_let_in(lambda: session(initialize(token=TOKEN))) == "well"
    assert until_let_in(lambda: session(initialize(), Authorization=f"Bearer {TOKEN}")) == "well"


def test_a_websocket_without_the_token(websocket_port):
    with pytest.raises(InvalidStatus) as refused, connect(f"ws://127.0.0.1:{websocket_port}/?token=wrong"):
        pass
    assert refused.value.response.status_code == 401

    def said() -> str:
        with connect(f"ws://127.0.0.1:{websocket_port}/") as client:
            client.send(initialize().decode())
            return json.loads(client.recv(timeout=PATIENCE_S))["error"]["message"]

    assert "token" in until_let_in(said)


@pytest.mark.parametrize(
    ("origin", "enters"),
    [
        (None, True),
        (ORIGIN, True),
        ("http://localhost:8000", False),
        ("https://127.0.0.1", False),
        ("https://example.org", False),
        (ORIGIN + ".evil.org", False),
        (ORIGIN + ":444", False),
        ("null", False),
        ("file://", False),
    ],
)
def test_only_pages_that_were_named_get_in(websocket_port, origin, enters):
    """A page of this machine may be another user's: loopback is no permission."""
    try:
        with connect(f"ws://127.0.0.1:{websocket_port}/?token={TOKEN}", origin=origin):
            entered = True
    except InvalidStatus as refused:
        assert refused.response.status_code == 403
        entered = False
    assert entered == enters


def test_a_name_that_was_made_to_point_here_gets_nobody_in(websocket_port):
    with socket.create_connection(("127.0.0.1", websocket_port), timeout=PATIENCE_S) as client:
        client.sendall(
            b"GET /?token=%s HTTP/1.1\r\nHost: evil.example:80\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n" % TOKEN.encode()
        )
        assert client.makefile("rb").readline().startswith(b"HTTP/1.1 403")


# The door alone


@pytest.fixture
def impatient(monkeypatch) -> None:
    """A silent client is soon put out."""
    monkeypatch.setattr(connection, "ENTERING_S", 0.3)
    monkeypatch.setattr(websocket, "ENTERING_S", 0.3)


@pytest.fixture
def door(request) -> Iterator[Door]:
    with Door(getattr(request, "param", "tcp"), "127.0.0.1", 0, TOKEN, (), lambda text: None) as door:
        yield door


@pytest.mark.parametrize("door", ["tcp", "websocket"], indirect=True)
@pytest.mark.parametrize("said", [b"", b"Content-Length: 900\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_silent_connection_is_ended(door, said, impatient):
    with socket.create_connection(("127.0.0.1", door.port), timeout=PATIENCE_S) as client:
        client.sendall(said)
        with contextlib.suppress(ConnectionError):
            while client.recv(1000):
                pass


@pytest.mark.parametrize("said", [b"", b"Content-Length: 900\r\n\r\n{"])
def test_connections_without_the_token_keep_nobody_out(door, said, monkeypatch):
    monkeypatch.setattr(connection, "ENTERING_S", 600)  # longer than the test waits
    with contextlib.ExitStack() as stack:
        clients = [
            socket.create_connection(("127.0.0.1", door.port), timeout=PATIENCE_S) for _ in range(2 * MAX_STRANGERS)
        ]
        for client in clients:
            stack.enter_context(client)
            with contextlib.suppress(ConnectionError):
                client.sendall(said)
        client, _ = let_in(door)
        client.close()
        with contextlib.suppress(ConnectionError):  # the oldest made room
            assert clients[0].recv(1) == b""
        assert len(door._strangers._since) <= MAX_STRANGERS


@pytest.mark.parametrize("headers", ["Host: localhost", "Authorization: Bearer x", "Origin: http://x", "Upgrade: websocket",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "Connection: Upgrade", "Content-Length: 9"])  # fmt: skip
@pytest.mark.parametrize("door", ["websocket"], indirect=True)
def test_a_header_that_stands_there_twice_raises_nothing(door, headers, impatient, monkeypatch):
    raised = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    door._log = raised.append
    with socket.create_connection(("127.0.0.1", door.port), timeout=PATIENCE_S) as client:
        twice = f"{headers}\r\n{headers}\r\n"
        client.sendall(
            b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n" % twice.encode()
        )
        with contextlib.suppress(ConnectionError):
            while client.recv(1000):
                pass
    assert not [one for one in raised if not str(one).startswith("a connection was refused: the client was silent")]


def let_in(door: Door) -> tuple[Tcp, Client]:
    client = Tcp(door.port)
    client.send(initialize(token=TOKEN))
    entered = door.next_client()
    assert entered is not None
    return client, entered


def test_the_token_goes_no_further(door):
    client, entered = let_in(door)
    assert TOKEN.encode() not in entered.first
    client.close()


def test_a_client_that_stops_within_a_message_is_put_out(door, monkeypatch):
    monkeypatch.setattr(connection, "STALLED_S", 0.2)
    client, entered = let_in(door)
    entered.begin(lambda: None)
    client.send(b"{}")
    client.socket.sendall(b"Content-Length: 9\r\n\r\n{")
    assert list(entered.messages) == [b"{}"]
    client.close()


@pytest.mark.parametrize("door", ["tcp", "websocket"], indirect=True)
def test_a_client_that_does_not_read_is_put_out(door, monkeypatch):
    monkeypatch.setattr(connection, "MAX_UNSENT_BYTES", 1_000_000)
    monkeypatch.setattr(websocket, "MAX_UNSENT_BYTES", 1_000_000)
    with contextlib.ExitStack() as stack:
        if door._kind == "tcp":
            client, entered = let_in(door)
            stack.callback(client.close)
        else:
            client = socket.create_connection(("127.0.0.1", door.port), timeout=PATIENCE_S)
            stack.callback(client.close)
            client.sendall(
                b"GET /?token=%s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n" % TOKEN.encode()
            )
            body = initialize()
            client.sendall(b"\x81\xfe" + len(body).to_bytes(2, "big") + b"\0\0\0\0" + body)
            entered = door.next_client()
            assert entered is not None
        entered.begin(lambda: None)
        for _ in range(200):
            entered.send(b"x" * 100_000)
        with contextlib.suppress(OSError):
            assert list(entered.messages) == []


# The parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7777", ("127.0.0.1", 7777)), ("0.0.0.0:1", ("0.0.0.0", 1)), ("[::1]:2", ("::1", 2)), (":3", ("127.0.0.1", 3))],
)
def test_an_address(text, expected):
    assert address(text) == expected


def test_tokens():
    assert len(chosen_token({})) >= 32 and chosen_token({}) != chosen_token({})
    assert chosen_token({"SUTURE_TOKEN": TOKEN}) == TOKEN
    for bad in ("short", "with a blank in it, long", "é" * 20):
        with pytest.raises(UserError):
            chosen_token({"SUTURE_TOKEN": bad})
    assert is_token(TOKEN, TOKEN) and is_token(None, None)
    assert not any(is_token(given, TOKEN) for given in (None, "", "x", 7, "\ud800", TOKEN[:-1]))
    assert token_in_address(f"/?token={TOKEN}") == TOKEN
    assert token_in_address("/") is None and token_in_address("/?" + "a=1&" * 50) is None
    assert without_token({"initializationOptions": {"token": "x", "a": 1}}) == (
        "x",
        {"initializationOptions": {"a": 1}},
    )
    assert without_token(None) == (None, None)


def test_names_of_this_machine():
    assert all(map(is_loopback_host, ("localhost", "127.0.0.1:80", "[::1]:1", "LOCALHOST:5")))
    for name in (None, "", "localhost.evil", "127.0.0.1.evil:80", "[", "localhost:", "localhost:x", "a@localhost", "::1", "localhost, evil"):  # fmt: skip
        assert not is_loopback_host(name)
    assert all(map(is_origin, ("http://localhost:8000", "https://a.b", "http://[::1]:1", "vscode-webview://abc-1")))
    assert not any(map(is_origin, ("x", "http://", "http://a/", "http://a/b", "*", "http://*.a", "null", "http://a b")))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--tcp", "nowhere"], 2, "[HOST:]PORT"),
        (["--tcp", "1", "--websocket", "2"], 2, "not allowed with"),
        (["--once"], 2, "--tcp"),
        (["--no-token"], 2, "--tcp"),
        (["--tcp", "1", "--origin", "http://x"], 2, "--websocket"),
        (["--websocket", "1", "--origin", "*"], 2, "full address"),
        (["--tcp", "127.0.0.1:{taken}"], 1, "cannot listen there"),
        (["--websocket", "127.0.0.1:{taken}"], 1, "cannot listen there"),
    ],
)
def test_what_the_command_refuses(arguments, code, said, capfd):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        try:
            ended = main(["serve", *(argument.format(taken=port) for argument in arguments)])
        except SystemExit as refused:
            ended = refused.code
    errors = capfd.readouterr().err
    assert (ended, said in errors) == (code, True), errors
    assert len(errors.splitlines()) == 1


def test_the_command_ends_with_the_signal():
    if sys.platform == "win32":
        pytest.skip("signals")
    with serving("--tcp", "0") as (process, said), Tcp(port_of(said)) as client:
        assert work(client, initialize(token=TOKEN)) == "good"
        process.terminate()
        assert process.wait(PATIENCE_S) == -15


@pytest.mark.parametrize("clients", [0, 1, 2])
@pytest.mark.parametrize("kind", ["--tcp", "--websocket"])
def test_the_command_ends_with_the_signal_while_nobody_is_in(kind, clients):
    if sys.platform == "win32":
        pytest.skip("signals")
    with serving(kind, "0") as (process, said):
        port = port_of(said)

        def come_and_go() -> str:
            if kind == "--tcp":
                with Tcp(port) as client:
                    return work(client, initialize(token=TOKEN))
            with connect(f"ws://127.0.0.1:{port}/") as client:
                return work(client, initialize(token=TOKEN))

        for _ in range(clients):
            assert until_let_in(come_and_go) == "good"
        if clients:
            until_let_in(lambda: socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S).close() or "in")
            time.sleep(0.5)  # the last client has been seen off
        process.terminate()
        assert process.wait(PATIENCE_S) == -15
