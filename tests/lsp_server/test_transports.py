"""The ways in: framing, TCP and WebSocket, one client at a time; no web page gets in that is not of this machine."""

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator

import pytest
from suture.lsp_server.cli.main import main
from suture.lsp_server.cli.serve import address
from suture.lsp_server.protocol.transports import (
    NotTheProtocol,
    ThreadWriter,
    read_messages,
    serve_tcp,
    serve_websocket,
)
from suture.lsp_server.runtime.backend import Backend
from suture.lsp_server.server import create_server
from suture.lsp_server.session.session import SutureServer
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from ..support import staged_engine

A = "file:///a.py"


async def read(data: bytes, lenient: bool = False, piece: int = 1_000_000) -> list[bytes]:
    """What is read of some bytes that come in pieces."""
    reader = asyncio.StreamReader()
    for start in range(0, len(data), piece):
        reader.feed_data(data[start : start + piece])
    reader.feed_eof()
    return [body async for body in read_messages(reader, lenient)]


@pytest.mark.parametrize(
    ("data", "bodies"),
    [
        (b"", []),
        (b"Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]", [b"{}", b"[]"]),
        (b"content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}", [b"{}"]),
        (b"Content-Length: 2\n\n{}", [b"{}"]),
        (b"\r\n\r\nContent-Length: 2\r\n\r\n{}\r\n", [b"{}"]),
        (b"Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n7", [b"", b"7"]),
        (b"Content-Length: 9\r\n\r\n{}", []),
        (b"Content-Len", []),
        ("Content-Length: 4\r\n\r\né\u00e9".encode(), ["éé".encode()]),
    ],
)
@pytest.mark.parametrize("piece", [1, 1_000_000])
async def test_messages(data, bodies, piece):
    assert await read(data, False, piece) == bodies


@pytest.mark.parametrize(
    "data",
    [
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
        b"GET / HTTP/1.1\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 999999999999\r\n\r\n",
        b"Content-Type: x\r\n" * 1000,
        b"x" * 100_000,
    ],
)
async def test_what_is_not_the_protocol_ends_the_conversation(data):
    with pytest.raises(NotTheProtocol):
        await read(data)


async def test_on_standard_input_other_lines_are_skipped():
    assert await read(b"a shell says hello\r\nX-Header: 1\r\nContent-Length: 2\r\n\r\n{}", lenient=True) == [b"{}"]


def test_a_client_that_does_not_read_keeps_nobody_waiting():
    unblocked = threading.Event()

    class Full:
        written: list[bytes] = []  # noqa: RUF012

        def write(self, data: bytes) -> None:
            unblocked.wait(10)
            self.written.append(data)

        def flush(self) -> None:
            pass

    writer = ThreadWriter(Full())  # type: ignore[arg-type]
    for number in range(1000):
        writer.write(b"%d" % number)
    unblocked.set()
    writer.close()
    assert Full.written == [b"%d" % number for number in range(1000)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7777", ("127.0.0.1", 7777)), ("0.0.0.0:1", ("0.0.0.0", 1)), ("[::1]:2", ("::1", 2)), (":3", ("127.0.0.1", 3))],
)
def test_an_address(text, expected):
    assert address(text) == expected


# Servers that listen


@contextlib.asynccontextmanager
async def listening(serve, monkeypatch, once: bool = False, **more) -> AsyncIterator[int]:
    """A staged server in this loop; gives its port."""
    monkeypatch.setattr("suture.lsp_server.runtime.backend.CompletionEngine", staged_engine.StagedEngine)
    monkeypatch.setattr(staged_engine, "announce", lambda word: None)
    backend, port = Backend(), asyncio.get_running_loop().create_future()

    def make() -> SutureServer:
        return create_server(backend)

    serving = asyncio.ensure_future(serve("127.0.0.1", 0, make, once, port.set_result, **more))
    try:
        yield await port
        if once:
            await asyncio.wait_for(serving, 5)
    finally:
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        backend.stop()


def message(method: str, params: object = None, number: int | None = None) -> bytes:
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(body if number is None else {**body, "id": number}).encode()


INITIALIZE = message("initialize", {"capabilities": {}, "processId": None, "rootUri": None}, 1)
OPEN = message("textDocument/didOpen", {"textDocument": {"uri": A, "languageId": "python", "version": 1, "text": "x"}})
ASK = message(
    "textDocument/inlineCompletion",
    {"textDocument": {"uri": A}, "position": {"line": 0, "character": 1}, "context": {"triggerKind": 2}},
    2,
)
WORK = [INITIALIZE, message("initialized", {}), OPEN, ASK]


async def suggestion_of(receive) -> str:
    """The text that the answer to ASK has."""
    while True:
        said = json.loads(await receive())
        if said.get("id") == 2:
            return said["result"]["items"][0]["insertText"]


class Tcp:
    """A client that connects by TCP."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.reader, self.writer = reader, writer

    def send(self, body: bytes) -> None:
        self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def receive(self) -> bytes:
        length = 0
        while (line := await self.reader.readline()) != b"\r\n":
            if line.startswith(b"Content-Length"):
                length = int(line.split()[1])
            assert line, "the server has closed the connection"
        return await self.reader.readexactly(length)

    async def work(self) -> str:
        for body in WORK:
            self.send(body)
        return await suggestion_of(self.receive)

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


async def tcp(port: int) -> Tcp:
    return Tcp(*await asyncio.open_connection("127.0.0.1", port))


async def test_clients_take_turns_over_tcp(monkeypatch):
    async with listening(serve_tcp, monkeypatch) as port:
        first = await tcp(port)
        assert await first.work() == "good"
        second = await tcp(port)
        assert await second.reader.read() == b""  # refused: one at a time
        await second.close()
        await first.close()
        while True:  # the server notices in a moment
            third = await tcp(port)
            with contextlib.suppress(AssertionError, ConnectionError):
                assert await third.work() == "good"
                break
            await third.close()
        third.send(message("shutdown", None, 3))
        third.send(message("exit"))
        while await third.reader.read(1000):
            pass
        await third.close()


async def test_a_request_of_http_is_no_client(monkeypatch):
    async with listening(serve_tcp, monkeypatch) as port:
        client = await tcp(port)
        client.writer.write(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(INITIALIZE), INITIALIZE))
        assert await client.reader.read() == b""
        await client.close()


async def test_once_is_once(monkeypatch):
    async with listening(serve_tcp, monkeypatch, once=True) as port:
        client = await tcp(port)
        assert await client.work() == "good"
        await client.close()


async def test_over_a_websocket(monkeypatch):
    async with listening(serve_websocket, monkeypatch) as port:
        for _ in range(2):  # one after the other
            async with connect(f"ws://127.0.0.1:{port}") as client:
                for body in WORK:
                    await client.send(body.decode())
                assert await suggestion_of(client.recv) == "good"
                async with connect(f"ws://127.0.0.1:{port}") as second:
                    await second.wait_closed()
                    assert second.close_code == 1013
                await client.send(message("shutdown", None, 3).decode())
                await client.send(message("exit").decode())
                await client.wait_closed()


@pytest.mark.parametrize(
    ("origin", "enters"),
    [
        (None, True),
        ("http://localhost:8000", True),
        ("https://127.0.0.1", True),
        ("http://[::1]:3000", True),
        ("https://example.org", False),
        ("http://localhost.example.org", False),
        ("http://localhost:80@example.org", False),
        ("null", False),
        ("file://", False),
        ("https://editor.example.org", True),
    ],
)
async def test_only_pages_of_this_machine_get_in(monkeypatch, origin, enters):
    async with listening(serve_websocket, monkeypatch, origins=["https://editor.example.org"]) as port:
        try:
            async with connect(f"ws://127.0.0.1:{port}", origin=origin) as client:
                await client.send(INITIALIZE.decode())
                assert "result" in json.loads(await client.recv())
                entered = True
        except InvalidStatus as refused:
            assert refused.response.status_code == 403
            entered = False
    assert entered == enters


# The command


def test_the_command_listens_and_ends_with_its_client():
    command = [sys.executable, "-I", "-m", "suture.lsp_server", "serve", "--tcp", "0", "--once"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        said = process.stdout.readline().decode()
        assert said.startswith("suture serves on tcp://127.0.0.1:")
        with socket.create_connection(("127.0.0.1", int(said.rpartition(":")[2])), timeout=10) as client:
            client.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(INITIALIZE), INITIALIZE))
            assert client.recv(15) == b"Content-Length:"
        assert process.wait(10) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--tcp", "nowhere"], 2, "[HOST:]PORT"),
        (["--tcp", "1", "--websocket", "2"], 2, "not allowed with"),
        (["--once"], 2, "--tcp"),
        (["--tcp", "1", "--origin", "x"], 2, "--websocket"),
        (["--tcp", "127.0.0.1:{taken}"], 1, "cannot listen there"),
        (["--websocket", "127.0.0.1:{taken}"], 1, "cannot listen there"),
    ],
)
def test_what_the_command_refuses(arguments, code, said, capsys, monkeypatch):
    monkeypatch.setattr("suture.lsp_server.server.log_to", lambda stream: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        try:
            ended = main(["serve", *(argument.format(taken=port) for argument in arguments)])
        except SystemExit as refused:
            ended = refused.code
    errors = capsys.readouterr().err
    assert (ended, said in errors) == (code, True), errors
    assert len(errors.splitlines()) == 1
