"""The server from an editor's view, over real stdio: `python -m benchmarks.server`.

A client types into real files of the standard library and asks at each key, like an editor, in a person's rhythm. Measured is the time from
sending the key to the answer (with all round-trips), separately for
  along        typing along the shown suggestion
  pause        a key after half a second of rest
  jump         the cursor set to another place, nothing typed
  accepted     the place after a suggestion accepted half a second after it was shown
  enter        the next line, in the indentation of the one before, 0.7 s later
  quick        keys 100 ms apart: the last one of a burst, with the rhythm's debounce
  cold         the first request of a new process, from its start
and the server's overhead: the time of an answer less the model's and the engine's, by the trace. Then the time of a trivial request behind a
hundred queued ones, and the memory of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from suture.parser.glr.text_diff import common_prefix, common_suffix

from tests.support.memory import resident_mb
from tests.support.oracle_python import stdlib_sources

SERVER = [sys.executable, "-I", "-m", "suture.lsp_server"]
INLINE = "textDocument/inlineCompletion"


@dataclass
class Client:
    """A client with a reading thread of its own."""

    process: subprocess.Popen[bytes]
    answers: dict[int, queue.Queue[Any]] = field(default_factory=dict)
    number: int = 0
    traces: list[str] = field(default_factory=list)
    version: int = 1

    @staticmethod
    def start(settings: dict[str, Any]) -> Client:
        """Start a server and initialize it."""
        pipe = subprocess.PIPE
        state = {**os.environ, "SUTURE_STATE_DIR": tempfile.gettempdir()}  # not in the user's own statistics
        client = Client(subprocess.Popen(SERVER, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=state))
        threading.Thread(target=client._read, daemon=True).start()
        capabilities = {"general": {"positionEncodings": ["utf-32"]}}
        client.request(
            "initialize",
            {"processId": None, "rootUri": None, "capabilities": capabilities, "initializationOptions": settings},
        )
        client.send("initialized", {})
        return client

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        """Send a notification, or a request with its number."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def begin(self, method: str, params: Any) -> int:
        """Send a request; `wait` gives its answer."""
        self.number += 1
        self.answers[self.number] = queue.Queue()
        self.send(method, params, self.number)
        return self.number

    def wait(self, number: int) -> Any:
        """The result of a request; None where it failed."""
        result = self.answers[number].get(timeout=120)
        del self.answers[number]
        return result

    def request(self, method: str, params: Any) -> Any:
        """Send a request, and wait for its result."""
        return self.wait(self.begin(method, params))

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline() not in (b"\r\n", b""):
                pass
            message = json.loads(stream.read(length))
            if message.get("method") == "$/logTrace":
                self.traces.append(message["params"]["message"] + ", " + (message["params"].get("verbose") or ""))
            elif "method" in message and "id" in message:
                body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": None}).encode()
                assert self.process.stdin is not None
                self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                self.process.stdin.flush()
            elif message.get("id") in self.answers:
                self.answers[message["id"]].put(message.get("result"))

    def memory_mb(self) -> float:
        """Resident memory of the server (Linux)."""
        return resident_mb(self.process.pid) or float("nan")

    def stop(self) -> None:
        """End the server."""
        self.request("shutdown", None)
        self.send("exit", None)
        self.process.wait(10)


class Document:
    """An open document and a cursor."""

    count = 0

    def __init__(self, client: Client, text: str, language: str = "python", suffix: str = ".py"):
        Document.count += 1
        self.client, self.text, self.version = client, text, 1
        self.uri = f"file:///benchmark/{Document.count}{suffix}"
        item = {"uri": self.uri, "languageId": language, "version": 1, "text": text}
        client.send("textDocument/didOpen", {"textDocument": item})

    def position(self, offset: int) -> dict[str, int]:
        start = self.text.rfind("\n", 0, offset) + 1
        return {"line": self.text.count("\n", 0, offset), "character": offset - start}

    def edit(self, start: int, end: int, new: str) -> None:
        range_ = {"start": self.position(start), "end": self.position(end)}
        self.text = self.text[:start] + new + self.text[end:]
        self.version += 1
        identifier = {"uri": self.uri, "version": self.version}
        self.client.send(
            "textDocument/didChange", {"textDocument": identifier, "contentChanges": [{"range": range_, "text": new}]}
        )

    def become(self, text: str) -> None:
        """Send the edit to another text."""
        start = common_prefix(self.text, text)
        common = common_suffix(self.text[start:], text[start:])
        self.edit(start, len(self.text) - common, text[start : len(text) - common])

    def begin(self, offset: int, kind: int = 2) -> int:
        params = {
            "textDocument": {"uri": self.uri},
            "position": self.position(offset),
            "context": {"triggerKind": kind},
        }
        return self.client.begin(INLINE, params)

    def ask(self, offset: int) -> Any:
        """The text of the first suggestion, in the protocol's form, "" for none."""
        items = (self.client.wait(self.begin(offset)) or {}).get("items") or [{"insertText": ""}]
        return items[0]["insertText"]

    def close(self) -> None:
        self.client.send("textDocument/didClose", {"textDocument": {"uri": self.uri}})


def holes(rng: random.Random, count: int) -> Iterator[tuple[str, int]]:
    """Files with the rest of a line taken out, and its offset."""
    sources = list(stdlib_sources(rng, 60, 40_000))
    while count:
        text = rng.choice(sources)
        ends = [match.end() for match in re.finditer(r"(?m)^[ ]+\w[^\n#'\"]{12,}$", text)]
        if not ends or "\r" in text:
            continue
        end = rng.choice(ends)
        start = text.rfind("\n", 0, end) + 1
        begin = start + len(text[start:end]) - len(text[start:end].lstrip())
        cursor = begin + (end - begin) // 3
        count -= 1
        yield text[:cursor] + text[end:], cursor


def timed(times: list[float], ask: Any) -> Any:
    """The answer; its time in milliseconds is added."""
    start = time.perf_counter()
    answer = ask()
    times.append((time.perf_counter() - start) * 1e3)
    return answer


def measure_typing(client: Client, rng: random.Random, rounds: int) -> dict[str, list[float]]:
    """Milliseconds from a key to its answer, by the work before it."""
    times: dict[str, list[float]] = {"along": [], "pause": [], "jump": [], "accepted": [], "enter": [], "quick": []}
    for text, cursor in holes(rng, rounds):
        document = Document(client, text)
        time.sleep(0.3)
        shown = timed(times["jump"], lambda d=document, c=cursor: d.ask(c))
        time.sleep(0.5)

        def key(char: str, offset: int, document: Document = document) -> str:
            document.edit(offset, offset, char)
            return document.ask(offset + 1)

        timed(times["pause"], lambda c=cursor: key("s", c))
        document.edit(cursor, cursor + 1, "")
        time.sleep(0.6)
        offset = cursor
        for char in shown[:8]:
            time.sleep(0.12)
            timed(times["along"], lambda char=char, offset=offset: key(char, offset))
            offset += 1
        if rest := shown[offset - cursor :]:
            time.sleep(0.5)
            document.edit(offset, offset, rest)
            offset += len(rest)
            timed(times["accepted"], lambda d=document, offset=offset: d.ask(offset))
            time.sleep(0.7)
            line = document.text[document.text.rfind("\n", 0, offset) + 1 : offset]
            enter = "\n" + line[: len(line) - len(line.lstrip())]
            document.edit(offset, offset, enter)
            below = offset + len(enter)
            timed(times["enter"], lambda d=document, offset=below: d.ask(offset))
            document.edit(offset, below, "")
        time.sleep(1.6)
        start = cursor
        document.edit(cursor, offset, "")
        for char in "value":  # to learn the rhythm
            document.edit(start, start, char)
            document.begin(start + 1)
            start += 1
            time.sleep(0.1)
        timed(times["quick"], lambda offset=start: key("s", offset))
    return times


def overhead(traces: list[str]) -> list[float]:
    """For each answer of the model: its time less that of the model and the engine, in milliseconds."""
    times: list[float] = []
    for trace in traces:
        total = re.search(r"from model in ([0-9.]+) ms", trace)
        if total is None or "tokens" not in trace:
            continue
        parts = re.findall(r"(?:engine|prefill|constraint|queue|wait|tokens \d+ in) ([0-9.]+) ms", trace)
        times.append(float(total[1]) - sum(map(float, parts)))
    return times


def under_load(client: Client, rng: random.Random) -> tuple[float, float]:
    """Milliseconds of a trivial request behind a hundred others, and until all of those are answered."""
    documents = [Document(client, text) for text, _ in holes(rng, 20)]
    start = time.perf_counter()
    numbers = [documents[i % 20].begin(len(documents[i % 20].text) // 2) for i in range(100)]
    asked = time.perf_counter()
    client.request("workspace/executeCommand", {"command": "benchmark.unknown"})
    trivial_ms = (time.perf_counter() - asked) * 1e3
    for number in numbers:
        client.wait(number)
    return trivial_ms, (time.perf_counter() - start) * 1e3


def row(name: str, values: list[float]) -> str:
    """A line of the table."""
    if not values:
        return f"| {name:34} | {'-':>8} | {'-':>8} | {0:5} |"
    ordered = sorted(values)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return f"| {name:34} | {statistics.median(values):8.1f} | {p95:8.1f} | {len(values):5} |"


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--starts", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--model", default=None)
    options = arguments.parse_args()
    settings = {"model": options.model} if options.model else {}
    cold: list[float] = []
    for text, cursor in holes(random.Random(options.seed), options.starts):
        start = time.perf_counter()
        client = Client.start(settings)
        Document(client, text).ask(cursor)
        cold.append((time.perf_counter() - start) * 1e3)
        client.stop()
    rng = random.Random(options.seed)
    client = Client.start(settings)
    client.send("$/setTrace", {"value": "verbose"})
    document = Document(client, "x = \n")
    document.ask(4)
    loaded_mb = client.memory_mb()
    times = measure_typing(client, rng, options.rounds)
    trivial_ms, all_ms = under_load(client, rng)
    print(f"| {'milliseconds':34} |   median |      p95 | times |\n| {'-' * 34} | -------: | -------: | ----: |")
    for name, values in (*times.items(), ("cold", cold), ("overhead beside model and engine", overhead(client.traces))):
        print(row(name, values))
    print(
        f"\na trivial request behind 100 others: {trivial_ms:.1f} ms; all of them answered after {all_ms / 1e3:.2f} s"
    )
    print(f"memory: {loaded_mb:.0f} MB after the first answer, {client.memory_mb():.0f} MB at the end")
    client.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
