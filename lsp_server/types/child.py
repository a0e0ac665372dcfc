"""A language server as a child process: started, asked, bounded in time, memory and output, ended."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from ...common import interpreter, lifeline
from ...common.json_types import is_array, is_object
from ...model.runtime.served.bounds import memory_of
from ..isolation.process import FromServer, ServerEnded, ServerProcess
from ..protocol import jsonrpc

MOST_MEMORY = 1_500_000_000
"""The most bytes of private memory, where the system reports them; ty takes 120 million for a workspace."""
MOST_SAID = 64_000_000
"""The most bytes of output between two requests."""
STARTING_S = 10.0
"""The timeout of its first answer, in seconds."""
ENDING_S = 1.0
_ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class ChildFailed(Exception):
    """The child has ended, hangs, or writes no valid answer: it is useless from now on."""


class LanguageServerChild:
    """A language server for one folder; used by one thread. Each method may raise ChildFailed or OSError."""

    def __init__(
        self,
        command: Sequence[str],
        root: str,
        options: Mapping[str, Any],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """environment: variables beside those of this process."""
        self._answers: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._number = 0
        self._said = 0
        self._is_strange = False
        """whether it has written an invalid message, or too much"""
        if sys.platform == "linux":  # ends it with us, even if it does not read its input
            command = interpreter.command(lifeline.__name__, lifeline.EXECUTED, *command)
        folder, variables = interpreter.neutral_folder(), {**os.environ, **(environment or {})}
        self._process = ServerProcess(command, self._deliver, stderr=subprocess.DEVNULL, cwd=folder, env=variables)
        try:
            self.name, self.version, self._encoding = self._begin(root, options)
        except ChildFailed:
            self.end()
            raise

    @property
    def pid(self) -> int:
        """The process's identifier."""
        return self._process.pid

    @property
    def memory(self) -> int | None:
        """Bytes of private memory; None where the system does not report them."""
        memory = memory_of(self.pid)
        return None if memory is None else memory[0]

    def _begin(self, root: str, options: Mapping[str, Any]) -> tuple[str, str, str]:
        uri = Path(root).as_uri()
        said = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": "workspace"}],
                "capabilities": {
                    "general": {"positionEncodings": ["utf-32", "utf-16"]},
                    "textDocument": {"diagnostic": {}, "completion": {}},
                },
                "initializationOptions": dict(options),
            },
            STARTING_S,
        )
        if not is_object(said) or not is_object(said.get("capabilities")):
            raise ChildFailed("it is no language server")
        if not said["capabilities"].get("diagnosticProvider"):
            raise ChildFailed("it does not answer for diagnostics")
        encoding = said["capabilities"].get("positionEncoding", "utf-16")
        if encoding not in _ENCODINGS:
            raise ChildFailed("it counts columns in another way")
        self.notify("initialized", {})
        told = said.get("serverInfo")
        info: dict[str, Any] = told if is_object(told) else {}
        return str(info.get("name", "")), str(info.get("version", "")), encoding

    def position(self, text: str, offset: int) -> dict[str, int]:
        """The server's position of an offset in a text with line feeds."""
        start = text.rfind("\n", 0, offset) + 1
        return {"line": text.count("\n", 0, start), "character": self.units(text[start:offset])}

    def units(self, text: str) -> int:
        """The length of a text within a line, in the server's units."""
        return len(text.encode(_ENCODINGS[self._encoding], "surrogatepass")) // _UNIT[self._encoding]

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._process.send(jsonrpc.notification(method, params))

    def request(self, method: str, params: Any, timeout_s: float) -> Any:
        """The result of a request; None for a refused one."""
        self._number += 1
        self._said = 0
        self._process.send(jsonrpc.request(self._number, method, params))
        until_s = monotonic() + timeout_s
        while True:
            try:
                answer = self._answers.get(timeout=max(0.0, until_s - monotonic()))
            except queue.Empty:
                raise ChildFailed(f"it does not answer in {timeout_s:.0f} s") from None
            if answer is None:
                raise ChildFailed("it has ended")
            if answer.get("id") == self._number:
                return answer.get("result")

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._process.ended(0) is not None

    def check_memory(self) -> None:
        """Raise ChildFailed where the child takes too much memory."""
        memory = self.memory
        if memory is not None and memory > MOST_MEMORY:
            raise ChildFailed("it takes too much memory")

    def end(self) -> None:
        """Shut the child down, or kill it if it takes too long."""
        self._process.send(jsonrpc.request(self._number + 1, "shutdown", None))
        self._process.send(jsonrpc.notification("exit", None))
        self._process.close()
        if self._process.ended(ENDING_S) is None:
            self.kill()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.close()

    def _deliver(self, event: FromServer | ServerEnded) -> None:
        """Take a message, on the reading thread."""
        if isinstance(event, ServerEnded):
            self._answers.put(None)
            return
        self._said += len(event.body)
        message = jsonrpc.parse(event.body) if self._said <= MOST_SAID else None
        if self._is_strange or message is None or isinstance(message, jsonrpc.Refusal):
            self._is_strange = True
            self._answers.put(None)
            event.process.kill()
        elif "method" not in message:
            self._answers.put(message)
        elif "id" in message:
            params = message.get("params")
            items = params.get("items") if is_object(params) else None
            event.process.send(jsonrpc.answer(message["id"], [None] * len(items) if is_array(items) else None))
