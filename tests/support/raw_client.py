"""A client of the server that reads and writes raw messages."""

import asyncio
import io
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from . import staged_engine
from .work import PATIENCE_S

STAGED_ENGINE = Path(__file__).with_name("staged_engine.py")
SERVER = [sys.executable, "-I", "-m", "suture.lsp_server"]


@dataclass
class Raw:
    """A client over the streams of a process; requests of the server are answered from `replies`."""

    process: subprocess.Popen
    seen: list[dict] = field(default_factory=list)
    number: int = 0
    replies: dict[str, object] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)

    def send(self, method: str, params: object = None, request: bool = False) -> int:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if request:
            self.number += 1
            message["id"] = self.number
        self.write(json.dumps(message).encode())
        return self.number

    def write(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def read(self) -> dict:
        """The next message; any other text on standard output fails here."""
        assert self.process.stdout is not None
        headers = {}
        while (line := self.process.stdout.readline()) != b"\r\n":
            assert line, "the server ended"
            name, value = line.decode().split(": ")
            headers[name] = value
        message = json.loads(self.process.stdout.read(int(headers["Content-Length"])))
        self.seen.append(message)
        if "id" in message and "method" in message:
            self.reply(message)
        return message

    def reply(self, message: dict) -> None:
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] in self.refused:
            reply["error"] = {"code": -32601, "message": "no"}
        else:
            answer = self.replies.get(message["method"])
            reply["result"] = answer(message["params"]) if callable(answer) else answer
        self.write(json.dumps(reply).encode())

    def answer(self, number: int) -> dict:
        """The answer to a request; other messages are kept in `seen`."""

        def is_it(message: dict) -> bool:
            return message.get("id") == number and "method" not in message

        while not any(map(is_it, self.seen)):
            self.read()
        return next(filter(is_it, self.seen))

    def request(self, method: str, params: object = None) -> dict:
        return self.answer(self.send(method, params, request=True))

    def wait(self, method: str, count: int = 1) -> list[dict]:
        """The parameters of the first messages of a method, as many as asked for."""
        while len(said := self.said(method)) < count:
            self.read()
        return said

    def said(self, method: str) -> list[dict]:
        """The parameters of all messages of a method so far."""
        return [message["params"] for message in self.seen if message.get("method") == method]

    def initialize(self, capabilities: dict | None = None, **options: object) -> dict:
        params = {"processId": None, "rootUri": None, "initializationOptions": options}
        folders = options.pop("folders", None)
        if isinstance(folders, list | tuple):
            params["workspaceFolders"] = [{"uri": uri, "name": "folder"} for uri in folders]
        if "trace" in options and isinstance(options["trace"], str):
            params["trace"] = options.pop("trace")
        params["clientInfo"] = {"name": options.pop("name", "raw")}
        able = {"workspace": {"executeCommand": {}}} if capabilities is None else capabilities
        answer = self.request("initialize", {**params, "capabilities": able})
        self.send("initialized", {})
        return answer

    def open(self, uri: str, text: str, language: str = "python", version: int = 1) -> None:
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})

    def ask(self, uri: str, line: int = 0, character: int = 0, kind: int = 2, **more: object) -> int:
        params = {
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
            "context": {"triggerKind": kind},
            **more,
        }
        return self.send("textDocument/inlineCompletion", params, request=True)

    def items(self, uri: str, line: int = 0, character: int = 0, kind: int = 2, **more: object) -> list[dict]:
        """The suggestions at a place."""
        return self.answer(self.ask(uri, line, character, kind, **more))["result"]["items"]

    def command(self, name: str, *arguments: object) -> dict:
        return self.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def error_output(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def wait_for(self, word: bytes) -> None:
        """Wait for a line on standard error."""
        assert self.process.stderr is not None
        while word not in (line := self.process.stderr.readline()):
            assert line, "the server ended"

    def end(self) -> int:
        self.request("shutdown")
        self.send("exit")
        code = self.process.wait(PATIENCE_S)
        assert self.process.stdout is not None
        while self.process.stdout.peek():  # type: ignore[attr-defined]
            self.read()
        return code


_WITH_STAGED_ENGINE = f"""
__name__ = "staged"
exec(compile(open({str(STAGED_ENGINE)!r}).read(), "staged_engine.py", "exec"))
import suture.lsp_server.runtime.backend as backend
import suture.lsp_server.runtime.supervisor as keeping
backend.CompletionEngine = keeping.CompletionEngine = StagedEngine
"""

_UNHURRIED = """
import suture.lsp_server.completion.engine.pipeline as pipeline
import suture.lsp_server.completion.engine.sessions as sessions
import suture.lsp_server.completion.engine.surroundings as surroundings
import suture.lsp_server.completion.proposing.filling as filling
filling.ALTERNATIVES_MS = surroundings.ASKED_MS = 1e6
pipeline.PARSING_S = sessions.PARSING_S = pipeline._ASKED_READ_S = 1e6
"""

_SERVE = """
import sys
import suture.lsp_server.isolation.process as process
process.worker_command = lambda: [sys.executable, "-I", "-c", sys.orig_argv[3], "answer"]
if sys.argv[1:] == ["answer"]:
    from suture.lsp_server.isolation.answering import main as answer
    import os
    os._exit(answer())
from suture.lsp_server.cli.main import main
main(sys.argv[1:] or ["serve"])
"""


def staged_command() -> list[str]:
    """The command of a server with the staged engine."""
    return [sys.executable, "-I", "-c", _WITH_STAGED_ENGINE + _SERVE]


def unhurried_command() -> list[str]:
    """The command of a server whose suggestions do not depend on the machine's speed or load."""
    return [sys.executable, "-I", "-c", _UNHURRIED + _SERVE]


@contextmanager
def running(command: list[str], **how: Any) -> Iterator[Raw]:
    """A client of a process that ends with the block; `how`: keyword arguments of `Popen`."""
    pipe = subprocess.PIPE
    raw = Raw(subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **how))
    try:
        yield raw
    finally:
        raw.process.kill()
        raw.process.wait(PATIENCE_S)
        for stream in (raw.process.stdin, raw.process.stdout, raw.process.stderr):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                pass


class Here:
    """A staged server in a thread of this process, in the shape of a process."""

    def __init__(self) -> None:
        from suture.lsp_server.protocol.conversation import converse
        from suture.lsp_server.server import create_server

        (server_in, client_out), (client_in, server_out) = os.pipe(), os.pipe()
        self.stdin, self.stdout = os.fdopen(client_out, "wb"), os.fdopen(client_in, "rb")
        self.stderr = io.BytesIO()
        server = create_server()
        self.streams = (os.fdopen(server_in, "rb"), os.fdopen(server_out, "wb"))

        def run() -> None:
            asyncio.run(converse(server, *self.streams))
            server.session.backend.stop()
            self.streams[1].close()

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def wait(self, timeout_s: float) -> int:
        self.thread.join(timeout_s)
        assert not self.thread.is_alive()
        return 0


class RawHere(Raw):
    """A client of a staged server in this process, to save its tests the start of another."""

    words: queue.SimpleQueue[str]

    def wait_for(self, word: bytes) -> None:
        """Wait for a word of the engine."""
        while self.words.get(timeout=PATIENCE_S) != word.decode():
            pass


@contextmanager
def staged_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[RawHere]:
    """A client of a staged server in this process."""
    words: queue.SimpleQueue[str] = queue.SimpleQueue()
    monkeypatch.setattr("suture.lsp_server.runtime.backend.CompletionEngine", staged_engine.StagedEngine)
    monkeypatch.setattr("suture.lsp_server.runtime.supervisor.CompletionEngine", staged_engine.StagedEngine)
    monkeypatch.setattr(staged_engine, "announce", words.put)
    monkeypatch.setattr(staged_engine, "may_come_back", threading.Event())
    here = Here()
    raw = RawHere(here)  # type: ignore[arg-type]
    raw.words = words
    try:
        yield raw
    finally:
        staged_engine.may_come_back.set()
        here.stdin.close()
        here.wait(PATIENCE_S)
        here.stdout.close()
        here.streams[0].close()
