"""Editing sessions against the real server over its standard streams: `python -m tests.soak --minutes 5 --seed 1`.

Several documents are edited at once, in steps made up by `editing.py`. After each the server is asked for its text; every suggestion is
put into the text it was asked for, and read; every request must be answered; memory and latency must stay within bounds. The session of
a seed is the same each time, except for the times of the answers. It ends with 1 if something was wrong.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

from suture.parser import language

from .support.editing import Buffer, Edit, Step, commits_of, files_of_the_library, made_up
from .support.memory import resident_mb

SERVER = [sys.executable, "-I", "-m", "suture.lsp_server"]
INLINE = "textDocument/inlineCompletion"
UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
REPORT_S = 10.0
SILENT = "does not answer now"


@dataclass(frozen=True)
class Bounds:
    """The bounds beyond which a session is wrong."""

    answer_s: float = 60.0  # an answer must come by then
    rss_mb: float = 800.0
    growth_mb: float = 100.0  # from the second third of the time to the last: caches are still filled meanwhile
    slower: float = 3.0  # the median latency in the last third, beside that in the first
    slack_ms: float = 200.0  # not counted as slowing down
    silent: float = 0.01  # the share of questions answered by the reader itself, as the answering process is busy; none on a quiet machine


@dataclass
class Open:
    """A document, and its editor."""

    uri: str
    language: str
    buffer: Buffer
    steps: Any
    version: int = 1
    watched: int | None = None  # the request awaited by somebody
    item: dict[str, Any] | None = None  # the item shown for it


@dataclass(frozen=True)
class CompletionRequest:
    """A request sent, and the facts for judging its answer."""

    method: str
    sent_s: float
    document: Open | None = None
    version: int = 0
    text: str = ""
    offset: int = 0


@dataclass
class Found:
    """The findings of a run."""

    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    latencies: list[tuple[float, float]] = field(default_factory=list)  # when, in seconds; how long, in ms
    rss_mb: list[tuple[float, float]] = field(default_factory=list)

    def say(self, what: str) -> None:
        """Note something wrong."""
        self.wrong.append(what)
        print(f"WRONG: {what}", flush=True)


class Client:
    """An editor with several documents; a thread reads the answers, and the waiting caller judges them."""

    def __init__(self, encoding: str, settings: dict[str, Any], log: Path) -> None:
        self.encoding = encoding
        self.found = Found()
        self.start_s = time.perf_counter()
        self.log = log
        home = tempfile.mkdtemp(prefix="suture-soak-")
        environment = {**os.environ, "SUTURE_STATE_DIR": home, "XDG_CONFIG_HOME": home}
        pipe = subprocess.PIPE
        with log.open("wb") as errors:
            self.process = subprocess.Popen(SERVER, stdin=pipe, stdout=pipe, stderr=errors, env=environment)
        self._number = 0
        self._asked: dict[int, CompletionRequest] = {}
        self._answers: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        general = {"general": {"positionEncodings": [encoding]}}
        params = {"processId": os.getpid(), "rootUri": None, "capabilities": general, "initializationOptions": settings}
        self.ask("initialize", params)
        self.drain(until_none_waits=True)
        self.send("initialized", {})

    def send(self, method: str, params: Any, **more: Any) -> None:
        """Send a message."""
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def ask(self, method: str, params: Any, **about: Any) -> int:
        """Send a request."""
        self._number += 1
        self._asked[self._number] = CompletionRequest(method, time.perf_counter(), **about)
        self.found.counts[method] += 1
        self.send(method, params, id=self._number)
        return self._number

    def cancel(self, number: int) -> None:
        """Give a request up; it must be answered all the same."""
        self.send("$/cancelRequest", {"id": number})

    def waits(self, number: int) -> bool:
        """Whether a request is not answered yet."""
        return number in self._asked

    def drain(
        self, until_none_waits: bool = False, number: int | None = None, timeout_s: float = Bounds.answer_s
    ) -> None:
        """Judge the answers received; wait for one, or for all."""
        end_s = time.perf_counter() + timeout_s
        while True:
            wait = (until_none_waits and bool(self._asked)) or (number is not None and number in self._asked)
            try:
                message = (
                    self._answers.get(wait, max(0.001, end_s - time.perf_counter()))
                    if wait
                    else self._answers.get_nowait()
                )
            except queue.Empty:
                if wait:
                    self.found.say(
                        f"no answer in {timeout_s:.0f} s: {Counter(one.method for one in self._asked.values())}"
                    )
                    self._asked.clear()
                return
            if message is None:
                raise SystemExit(f"the server ended with {self.process.wait(10)}; see {self.log}")
            self._judge(message)

    # -- documents

    def open(self, document: Open) -> None:
        """Open a document."""
        item = {
            "uri": document.uri,
            "languageId": document.language,
            "version": document.version,
            "text": document.buffer.text,
        }
        self.send("textDocument/didOpen", {"textDocument": item})

    def step(self, document: Open, step: Step) -> None:
        """Repeat a person's step, and ask for the server's text afterwards."""
        if step.reopen:
            self.send("textDocument/didClose", {"textDocument": {"uri": document.uri}})
            document.version = 1
            self.open(document)
        if step.edits:
            changes = []
            for edit in step.edits:
                changes.append({"text": edit.text} if step.whole else self._change(document.buffer.text, edit))
                document.buffer.apply([edit])
            self._join(document.buffer, len(step.edits))
            document.version += 1
            identifier = {"uri": document.uri, "version": document.version}
            self.send("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})
        if step.edits or step.reopen:
            text = document.buffer.text
            self.ask("workspace/executeCommand", {"command": "suture.digest", "arguments": [document.uri]},
                     document=document, version=document.version, text=text)  # fmt: skip

    def suggest(self, document: Open, offset: int, kind: int = 2) -> int:
        """Ask for a suggestion."""
        text = document.buffer.text
        params = {
            "textDocument": {"uri": document.uri, "version": document.version},
            "position": self.position(text, offset),
            "context": {"triggerKind": kind},
        }
        return self.ask(INLINE, params, document=document, version=document.version, text=text, offset=offset)

    def position(self, text: str, offset: int) -> dict[str, int]:
        """The place of an offset, as the protocol counts."""
        start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
        line = text.count("\n", 0, start) + text.count("\r", 0, start) - text.count("\r\n", 0, start)
        codec, unit = UNITS[self.encoding]
        return {"line": line, "character": len(text[start:offset].encode(codec)) // unit}

    def rss_mb(self) -> float | None:
        """The server's memory in MB; None if the system does not say."""
        return resident_mb(self.process.pid)

    def end(self) -> None:
        """Shut the server down in the middle of its work."""
        start_s = time.perf_counter()
        self.ask("shutdown", None)
        self.send("exit", None)
        code = self.process.wait(30)
        if code != 0 or (took_s := time.perf_counter() - start_s) > 2:
            self.found.say(f"the end: code {code} after {time.perf_counter() - start_s:.1f} s")
        else:
            print(f"ended after {took_s:.2f} s")
        log = self.log.read_text(errors="replace")
        if re.search(r"^(?:ERROR|CRITICAL|Traceback)", log, re.MULTILINE):
            self.found.say(f"errors in the log:\n{log[-3000:]}")

    # -- inside

    def _change(self, text: str, edit: Edit) -> dict[str, Any]:
        span = {"start": self.position(text, edit.start), "end": self.position(text, edit.end)}
        return {"range": span, "text": edit.text}

    def _join(self, buffer: Buffer, count: int) -> None:
        """Make one step to undo of several."""
        last = buffer.undone[-count:]
        buffer.undone[-count:] = [tuple(edit for back in reversed(last) for edit in back)]

    def _read(self) -> None:
        assert self.process.stdout is not None
        while True:
            length = 0
            while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not line:
                self._answers.put(None)
                return
            message = json.loads(self.process.stdout.read(length))
            if "id" in message:
                self._answers.put({**message, "received_s": time.perf_counter()})

    def _judge(self, message: dict[str, Any]) -> None:
        if "method" in message:  # a request of the server
            self.send_result(message["id"])
            return
        asked = self._asked.pop(message["id"], None)
        if asked is None:
            self.found.say("an answer to no request, or a second one")
            return
        if "error" in message:
            if SILENT in message["error"]["message"]:
                self.found.counts["silent"] += 1
                return
            if message["error"]["code"] != -32800:
                self.found.say(f"{asked.method}: {message['error']['message']}")
            self.found.counts["cancelled"] += 1
            return
        result = message["result"]
        took_ms = (message["received_s"] - asked.sent_s) * 1e3
        if asked.method == "workspace/executeCommand" and asked.document is not None:
            self.found.counts["digests"] += 1
            expected = hashlib.sha256(asked.text.encode("utf-8", "surrogatepass")).hexdigest()
            if result is None or (result["version"], result["sha256"]) != (asked.version, expected):
                self.found.say(
                    f"another text than the client's: {result}, {len(asked.text)} characters, version {asked.version}"
                )
        elif asked.method == INLINE and asked.document is not None:
            items = result["items"]
            if items:
                self.found.latencies.append((asked.sent_s - self.start_s, took_ms))
            for item in items:
                self._judge_item(asked, item)
            if items and asked.document.watched == message["id"]:
                asked.document.item = items[0]

    def _judge_item(self, asked: CompletionRequest, item: dict[str, Any]) -> None:
        document = asked.document
        assert document is not None
        here = self.position(asked.text, asked.offset)
        if item["range"] != {"start": here, "end": here}:
            self.found.say("a suggestion for another place")
        left, right, text = asked.text[: asked.offset], asked.text[asked.offset :], item["insertText"]
        verdict = judge(document.language, left, text, right)
        self.found.counts[verdict] += 1
        if verdict == "invalid":
            self.found.say(f"an invalid suggestion: {left[-80:]!r} + {text!r} + {right[:80]!r}")

    def send_result(self, number: Any) -> None:
        """Answer a request of the server with nothing."""
        body = json.dumps({"jsonrpc": "2.0", "id": number, "result": None}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()


def judge(name: str, left: str, text: str, right: str) -> str:
    """The verdict on a suggestion: "valid"; "adapted" if the file is broken elsewhere and the engine says so; "elsewhere" if it says so,
    but would not have accepted the text from the present place; "invalid"."""
    if reads(name, left + text + right):
        return "valid"
    hole = language(name).hole(left, right)
    if hole.fallback == "none":
        return "invalid"
    after = hole.state.advance(text) if hole.state is not None else None
    return "adapted" if after is not None and after.complete else "elsewhere"


def reads(name: str, text: str) -> bool:
    """Whether the language's own reader takes a text."""
    try:
        if name == "json":
            json.loads(text)
            return True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def documents(random: Random, history: Path, count: int) -> list[Open]:
    """Documents of several kinds: line ends, tabs, odd characters, JSON."""
    past = commits_of(history, random, 20)
    print(f"{len(past)} changes of {history.resolve().name}")
    opened = []
    for number, path in enumerate(files_of_the_library(random, count)):
        text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
        name, kind = "python", number % 5
        if kind == 1:
            text = text.replace("\n", "\r\n")
        elif kind == 2:
            text = re.sub(r"(?m)^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), text)
        elif kind == 3:
            text = "# 😀 é 𝔘 中\n" + text.replace("self", "sélf𝔘"[: 4 + number % 2])
        elif kind == 4:
            name, text = (
                "json",
                json.dumps([{"a": n, "name é": ["x", None, True, {"😀": 1.5}]} for n in range(100)], indent=2),
            )
        buffer = Buffer(text)
        mine = Random(random.random())
        uri = f"file:///soak/{number}/{path.stem}%20%C3%A9.{'json' if name == 'json' else 'py'}"
        opened.append(Open(uri, name, buffer, made_up(buffer, mine, past if name == "python" else ())))
    return opened


def run(client: Client, opened: list[Open], random: Random, seconds: float) -> None:
    """Edit until the time is over."""
    for document in opened:
        client.open(document)
    reported_s = time.perf_counter()
    end_s = client.start_s + seconds
    here = opened[0]
    while time.perf_counter() < end_s:
        here = random.choice(opened) if random.random() < 0.02 else here
        step = next(here.steps)
        client.step(here, step)
        if step.cursor is not None and random.random() < 0.9:
            number = client.suggest(here, step.cursor, 1 if random.random() < 0.05 else 2)
            chance = random.random()
            if chance < 0.15:
                client.cancel(number)
            elif chance < 0.45:
                _look_at(client, here, step.cursor, number, random)
        client.drain()
        time.sleep(random.choice((0, 0, 0.01, 0.03, 0.08, 0.15)))
        if time.perf_counter() - reported_s > REPORT_S:
            reported_s = time.perf_counter()
            report(client)
    client.drain(until_none_waits=True)
    report(client)


def _look_at(client: Client, here: Open, cursor: int, number: int, random: Random) -> None:
    """Wait for a suggestion, and take it, or a part of it, or refuse it."""
    here.watched, here.item = number, None
    client.drain(number=number)
    item, here.watched = here.item, None
    chance = random.random()
    if item is None or chance < 0.5:
        return
    text, name = item["insertText"], item["command"]["arguments"][0]
    client.send("textDocument/didShowCompletion", {"item": item})
    if chance < 0.6:
        client.send("textDocument/didRejectCompletion", {"item": item})
        return
    if chance < 0.75:
        text = text[: random.randint(1, len(text))]
        text = text.removesuffix("\r") or text
        length = len(text.encode("utf-16-le")) // 2
        client.send("textDocument/didPartiallyAcceptCompletion", {"item": item, "acceptedLength": length})
    else:
        client.ask("workspace/executeCommand", {"command": "suture.accepted", "arguments": [name]})
    client.step(here, Step((Edit(cursor, cursor, text),)))
    here.buffer.taken = True
    client.found.counts["taken"] += 1
    client.suggest(here, cursor + len(text))


def report(client: Client) -> None:
    """Print a line."""
    found, now_s = client.found, time.perf_counter() - client.start_s
    memory = client.rss_mb()
    if memory is not None:
        found.rss_mb.append((now_s, memory))
    recent = [ms for at_s, ms in found.latencies if at_s > now_s - REPORT_S] or [0.0]
    counts = found.counts
    print(
        f"{now_s:5.0f} s  {counts['digests']} edits  {counts[INLINE]} asked  {counts['cancelled']} cancelled  "
        f"{counts['valid']} valid  {counts['adapted']} adapted  {counts['elsewhere']} elsewhere  {counts['invalid']} invalid  "
        f"{counts['taken']} taken  p50 {median(recent):.0f} ms  p95 {quantiles([*recent, *recent], n=20)[-1]:.0f} ms  "
        f"{memory or 0:.0f} MB  {counts['silent']} silent  {len(found.wrong)} wrong",
        flush=True,
    )


def judge_trend(found: Found, seconds: float, bounds: Bounds) -> None:
    """Memory and latency stay flat."""
    rss = [mb for _, mb in found.rss_mb]
    third = len(rss) // 3
    if rss and max(rss) > bounds.rss_mb:
        found.say(f"{max(rss):.0f} MB of memory")
    if third and median(rss[-third:]) - median(rss[third : 2 * third]) > bounds.growth_mb:
        found.say(f"memory grows: {rss}")
    early = [ms for at_s, ms in found.latencies if at_s < seconds / 3]
    late = [ms for at_s, ms in found.latencies if at_s > seconds * 2 / 3]
    if early and late and median(late) > bounds.slower * median(early) + bounds.slack_ms:
        found.say(f"answers become slower: {median(early):.0f} ms, then {median(late):.0f} ms")
    if found.counts["silent"] > bounds.silent * max(500, found.counts["digests"]):
        found.say(f"{found.counts['silent']} questions without an answer")


def main() -> int:
    """Run one session and print the findings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--documents", type=int, default=10)
    parser.add_argument("--history", type=Path, default=Path(), help="a git repository whose commits are replayed")
    options = parser.parse_args()
    random = Random(options.seed)
    encoding = sorted(UNITS)[options.seed % 3]
    log = Path(tempfile.mkdtemp(prefix="suture-soak-")) / "server.log"
    client = Client(encoding, {"maxTokens": 24}, log)
    print(f"seed {options.seed}: {encoding}, log {log}", flush=True)
    try:
        run(client, documents(random, options.history, options.documents), random, options.minutes * 60)
        judge_trend(client.found, options.minutes * 60, Bounds())
        client.end()
    finally:
        client.process.kill()
    return 1 if client.found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
