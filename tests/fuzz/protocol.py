"""Random conversations with a server: `python -m tests.fuzz.protocol --minutes 10 --seed 1`.

Each sends valid and odd messages (wrong kinds of ids, reused ids, cancellations, parameters of wrong kinds, large or deep ones, unsolicited
answers), then asks about a healthy document. A server that does not answer, ends, or logs a traceback is a failure, and its conversation is
added to .fuzz/protocol/.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

from ..support.raw_client import SERVER, Raw, running

FOUND = Path(".fuzz") / "protocol"
ANSWER_S = 60.0
"""The timeout, by the clock, of the answer about a healthy document."""
HEALTHY, TEXT = "file:///healthy.py", "def area(width, height):\n    return width * \n"
_METHODS = (
    *(
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didClose",
        "textDocument/didSave",
        "textDocument/completion",
    ),
    *(
        "textDocument/inlineCompletion",
        "workspace/executeCommand",
        "workspace/didChangeConfiguration",
        "$/cancelRequest",
    ),
    *(
        "workspace/didChangeWorkspaceFolders",
        "$/setTrace",
        "initialize",
        "initialized",
        "suture/none",
        "",
        "$/progress",
    ),
)
_FIELDS = (
    *(
        "textDocument",
        "uri",
        "position",
        "line",
        "character",
        "context",
        "triggerKind",
        "contentChanges",
        "range",
        "text",
        "version",
    ),
    *(
        "languageId",
        "command",
        "arguments",
        "settings",
        "id",
        "value",
        "event",
        "added",
        "removed",
        "start",
        "end",
        "capabilities",
    ),
)


def anything(rng: Random, depth: int = 0) -> Any:
    """A JSON value, seldom a deep or large one."""
    kind = rng.randrange(12 if depth < 4 else 8)
    if kind < 8:
        atoms = (
            None,
            True,
            0,
            -1,
            1,
            2**31,
            2**70,
            1.5,
            "",
            "x",
            HEALTHY,
            "file:///a.py",
            "file://[",
            "é\ud800",
            "python",
            "a" * 5_000,
        )
        return rng.choice(atoms)
    if kind < 9:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 10:
        return json.loads("[" * 60 + "]" * 60) if rng.random() < 0.2 else {}
    return {rng.choice(_FIELDS): anything(rng, depth + 1) for _ in range(rng.randrange(5))}


def likely(rng: Random, method: str) -> Any:
    """Possible parameters of a method, with a part that is anything."""
    document: dict[str, Any] = {
        "uri": rng.choice(("file:///a.py", "file:///b.go", "file:///c.json")),
        "version": rng.randrange(9),
    }
    place = {"line": rng.randrange(3), "character": rng.randrange(20)}
    found: dict[str, Any] = {
        "textDocument": document,
        "position": place,
        "context": {"triggerKind": rng.randrange(1, 4)},
    }
    if method == "textDocument/didOpen":
        document |= {
            "languageId": rng.choice(("python", "go", "json", "x")),
            "text": rng.choice(("", "x = (", "[" * 3_000, "func f() {")),
        }
    elif method == "textDocument/didChange":
        found["contentChanges"] = [{"range": {"start": place, "end": place}, "text": rng.choice(("", "a", "(\n", "é"))}]
    elif method == "$/cancelRequest":
        found = {"id": rng.randrange(12)}
    elif method == "workspace/executeCommand":
        found = {"command": rng.choice(("suture.snooze", "suture.digest", "suture.none")), "arguments": [anything(rng)]}
    if rng.random() < 0.3:
        found[rng.choice(_FIELDS)] = anything(rng)
    return found


def message(rng: Random) -> bytes:
    """The body of a message, seldom an invalid one."""
    method = rng.choice(_METHODS)
    body: Any = {
        "jsonrpc": "2.0",
        "method": method,
        "params": anything(rng) if rng.random() < 0.3 else likely(rng, method),
    }
    if rng.random() < 0.6:
        body["id"] = rng.choice((*range(12), "a", None, 1.5, [], 2**70))
    odd = rng.random()
    if odd < 0.05:
        body = {"jsonrpc": "2.0", "id": rng.randrange(12), rng.choice(("result", "error")): anything(rng)}
    elif odd < 0.1:
        body.pop(rng.choice(list(body)))
    elif odd < 0.13:
        body = anything(rng)
    elif odd < 0.15:
        body = [body, body]
    text = json.dumps(body)
    return text[: rng.randrange(len(text))].encode() if odd > 0.97 else text.encode()


def converse(raw: Raw, messages: list[bytes]) -> None:
    """Send the messages, and ask about a healthy document."""
    raw.initialize(certainty=0.0)
    for body in messages:
        raw.write(body)
    raw.number = 1_000_000
    raw.command("suture.snooze", 0)
    raw.open(HEALTHY, TEXT, version=100)
    until = time.monotonic() + ANSWER_S
    while not raw.items(HEALTHY, 1, 19):
        assert time.monotonic() < until, "a healthy document gets no suggestions"


def problem(messages: list[bytes]) -> str:
    """The fault of a server after some messages; "" without one."""
    with tempfile.TemporaryFile() as log, running(SERVER) as raw:
        # Its log must not fill its pipe.
        from threading import Thread

        assert raw.process.stderr is not None
        reader = Thread(target=lambda: log.write(raw.process.stderr.read()), daemon=True)  # type: ignore[union-attr]
        reader.start()
        timer = Timer(2 * ANSWER_S, raw.process.kill)
        timer.start()
        try:
            converse(raw, messages)
        except (AssertionError, OSError, KeyError) as error:
            return f"{type(error).__name__}: {error}"
        finally:
            timer.cancel()
            raw.process.kill()
            reader.join(10)
            log.seek(0)
            said = log.read().decode(errors="replace")
        logged = [one["message"] for one in raw.said("window/logMessage") if "Traceback" in one["message"]]
        return next((text[text.index("Traceback") :][:3_000] for text in (said, *logged) if "Traceback" in text), "")


def main() -> int:
    """Converse until the time is up; print the failures."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--minutes", type=float, default=10.0)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    rng, count, failures = Random(options.seed), 0, 0
    until = time.monotonic() + 60 * options.minutes
    while time.monotonic() < until:
        messages, count = [message(rng) for _ in range(rng.choice((5, 50, 300)))], count + 1
        wrong = problem(messages)
        if wrong:
            failures += 1
            FOUND.mkdir(parents=True, exist_ok=True)
            (FOUND / f"{options.seed}-{count}.json").write_text(json.dumps([one.decode() for one in messages]))
            print(f"conversation {count} of {len(messages)} messages: {wrong}", flush=True)
    print(f"{count} conversations, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
