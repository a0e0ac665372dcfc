"""The cost of the relay: `python -m benchmarks.isolation`.

The same server twice in one run: as started by an editor, with the relay in front of the answering process, and the latter alone. Each key is
a change of a document and a request (for the status, almost free for the server), sent to the two in turn, so that both meet the same
machine. Measured are the time from a key to its answer, from the start of the process to the answer to `initialize`, and the memory of both
processes (Linux). Processor time is that of all threads of both: on a busy machine it shows the second process's cost, where waiting times
show other work. Then the time from a hang to the next answer.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.support.memory import resident_mb

SERVER = [sys.executable, "-I", "-m", "suture.lsp_server"]
URI = "file:///benchmark/a.py"


class Client:
    """A synchronous client."""

    def __init__(self, alone: bool) -> None:
        start = time.perf_counter()
        pipe = subprocess.PIPE
        command = [*SERVER, "answer"] if alone else [*SERVER, "serve"]
        environment = {**os.environ, "SUTURE_ENABLE": "false"}  # no model is loaded meanwhile
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment)
        self.number = self.version = 0
        if alone:
            self.write({"suture": "begin", "remote": False})
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.start_ms = (time.perf_counter() - start) * 1e3
        self.send("initialized", {})

    def write(self, message: dict[str, Any]) -> None:
        """Send an object."""
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def send(self, method: str, params: Any, **more: Any) -> None:
        """Send a message."""
        self.write({"jsonrpc": "2.0", "method": method, "params": params, **more})

    def request(self, method: str, params: Any) -> Any:
        """Send a request, and wait for its result."""
        self.number += 1
        self.send(method, params, id=self.number)
        while True:
            message = self.read()
            if message.get("id") == self.number and "method" not in message:
                return message

    def read(self) -> dict[str, Any]:
        """The next message."""
        stream, length = self.process.stdout, 0
        assert stream is not None
        while (line := stream.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(stream.read(length))

    def open(self, text: str) -> None:
        """Open the document."""
        item = {"uri": URI, "languageId": "plaintext", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})
        self.status()

    def status(self) -> Any:
        """Request the status, almost free for the server."""
        return self.request("workspace/executeCommand", {"command": "suture.status"})

    def key(self) -> float:
        """Type a letter, and ask; milliseconds."""
        start = time.perf_counter()
        self.version += 1
        place = {"line": 3, "character": self.version % 40}
        change = {"range": {"start": place, "end": place}, "text": "x"}
        identifier = {"uri": URI, "version": self.version}
        self.send("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
        self.status()
        return (time.perf_counter() - start) * 1e3

    def processor_ms(self) -> float:
        """Processor time of the server's processes so far; nan where the system does not tell."""
        pids = [self.process.pid, *children(self.process.pid)]
        try:
            tasks = [path for pid in pids for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
            return sum(int(path.read_text().split()[0]) for path in tasks) / 1e6 if tasks else float("nan")
        except (OSError, ValueError):
            return float("nan")

    def end(self) -> None:
        """End the server."""
        self.process.kill()
        self.process.wait()


def row(name: str, values: list[float]) -> str:
    """A line of the table."""
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"| {name:40} | {statistics.median(values):8.2f} | {p99:8.2f} | {len(values):5} |"


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--keys", type=int, default=3000)
    arguments.add_argument("--starts", type=int, default=5)
    arguments.add_argument("--characters", type=int, default=100_000)
    options = arguments.parse_args()
    starts: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(options.starts):
        for alone in (True, False):
            client = Client(alone)
            starts[alone].append(client.start_ms)
            client.end()
    line = "value = other_value + 1  # a line\n"
    clients = {alone: Client(alone) for alone in (True, False)}
    keys: dict[bool, list[float]] = {True: [], False: []}
    for client in clients.values():
        client.open(line * (options.characters // len(line)))
    before = {alone: client.processor_ms() for alone, client in clients.items()}
    for _ in range(options.keys):
        for alone, client in clients.items():
            keys[alone].append(client.key())
    spent = {alone: (client.processor_ms() - before[alone]) / options.keys for alone, client in clients.items()}
    both, alone_mb = resident_mb(clients[False].process.pid), resident_mb(clients[True].process.pid)
    print(f"| {'milliseconds':40} |   median |      p99 | times |\n| {'-' * 40} | -------: | -------: | ----: |")
    print(row("a key and its answer, one process", keys[True]))
    print(row("a key and its answer, two", keys[False]))
    print(row("what the second one costs, pair by pair", [b - a for a, b in zip(keys[True], keys[False], strict=True)]))
    print(f"| {'processor time of a key, one process':40} | {spent[True]:8.2f} | {'':8} | {options.keys:5} |")
    print(f"| {'processor time of a key, two':40} | {spent[False]:8.2f} | {'':8} | {options.keys:5} |")
    print(row("start to initialized, one process", starts[True]))
    print(row("start to initialized, two", starts[False]))
    if both is not None and alone_mb is not None:
        print(f"\nmemory: {alone_mb:.0f} MB in one process, {both:.0f} MB in two")
    print(f"after a hang the next answer came after {after_a_hang(clients[False]):.1f} s")
    for client in clients.values():
        client.end()
    return 0


def children(pid: int) -> list[int]:
    """The children of a process; none where the system does not tell."""
    try:
        return [
            int(number) for path in Path(f"/proc/{pid}/task").glob("*/children") for number in path.read_text().split()
        ]
    except (OSError, ValueError):
        return []


def after_a_hang(client: Client) -> float:
    """Stop the answering process, and ask until one answers; seconds. NaN where the process is not found."""
    pids = children(client.process.pid)
    if not pids:
        return float("nan")
    os.kill(pids[0], signal.SIGSTOP)
    start = time.perf_counter()
    while "error" in client.status():
        time.sleep(0.02)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
