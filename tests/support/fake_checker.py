"""A fake type checker with the answers, or misbehaviour, of its workspace's `fake.json`: `python fake_checker.py`.

`knows`: word before the dot -> the listed members. `accepts`: names accepted as members of anything. `errors`: word -> parts of the
diagnostic of a line with it. `misbehave`: {"method": what}, with what one of hang, die, garbage, flood, chatter, deaf; a list: for the first
children of these, by `starts`, a file that counts them.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

MEMBER = re.compile(r"(\w+)\.([^\W\d]\w*)")


class Fake:
    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.said: dict[str, Any] = {}

    def read(self) -> dict[str, Any] | None:
        size = 0
        while line := sys.stdin.buffer.readline():
            if not line.strip():
                return json.loads(sys.stdin.buffer.read(size))
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return None

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        sys.stdout.buffer.flush()

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        root = Path(unquote(urlsplit(params["rootUri"]).path))
        self.said = json.loads((root / "fake.json").read_text())
        (root / "environment.json").write_text(json.dumps(dict(os.environ)))
        counted = root / "starts"
        count = int(counted.read_text()) if counted.exists() else 0
        counted.write_text(str(count + 1))
        wrong = self.said.get("misbehave", {})
        self.wrong = (wrong[count] if count < len(wrong) else {}) if isinstance(wrong, list) else wrong
        able = {"diagnosticProvider": {"interFileDependencies": True, "workspaceDiagnostics": False}}
        able = self.said.get("capabilities", able)
        return {"capabilities": able, "serverInfo": {"name": "fake", "version": self.said.get("version", "1.0.0")}}

    def misbehave(self, what: str, number: int | None) -> None:
        if what == "hang":
            time.sleep(3600)
        elif what == "die":
            sys.exit(3)
        elif what == "garbage":
            sys.stdout.buffer.write(b"Content-Length: 12\r\n\r\nno JSON here")
            sys.stdout.buffer.flush()
        elif what == "flood":
            while True:
                self.send({"method": "window/logMessage", "params": {"message": "x" * 100_000}})
        elif what == "nonsense":
            self.send({"id": number, "result": [["?"], {"items": 3}, None]})
        elif what == "asks":  # as servers do before they answer
            asked = {"items": [{"section": "fake"}, {"section": "more"}]}
            self.send({"id": "of the server", "method": "workspace/configuration", "params": asked})
            answer = self.read()
            assert answer == {"jsonrpc": "2.0", "id": "of the server", "result": [None, None]}, answer

    def answer(self, method: str, params: dict[str, Any]) -> Any:
        if method == "initialize":
            return self.begin(params)
        uri = params.get("textDocument", {}).get("uri", "")
        text = self.texts.get(uri, "")
        if method == "textDocument/didOpen":
            self.texts[uri] = params["textDocument"]["text"]
        elif method == "textDocument/didChange":
            self.texts[uri] = params["contentChanges"][-1]["text"]
        elif method == "textDocument/diagnostic":
            return {"kind": "full", "items": [*self.found(text)]}
        elif method == "textDocument/completion":
            line = text.split("\n")[params["position"]["line"]]
            # Columns are UTF-16 units, as no encoding was agreed on.
            begun = line.encode("utf-16-le")[: 2 * params["position"]["character"]].decode("utf-16-le")
            owner = re.search(r"(\w+)\.\Z", begun)
            return {"items": [{"label": name} for name in self.said["knows"].get(owner[1] if owner else "", ())]}
        return None

    def found(self, text: str) -> list[dict[str, Any]]:
        items = []
        for number, line in enumerate(text.split("\n")):
            for match in MEMBER.finditer(line):
                if match[2] not in (*self.said["knows"].get(match[1], (match[2],)), *self.said.get("accepts", ())):
                    begin, end = (len(line[:at].encode("utf-16-le")) // 2 for at in match.span(2))
                    span = {"start": {"line": number, "character": begin}, "end": {"line": number, "character": end}}
                    message = f"Object of type `{match[1].title()}` has no attribute `{match[2]}`"
                    items.append({"range": span, "message": message, "code": "missing"})
            for word, diagnostic in self.said.get("errors", {}).items():
                if word in line:
                    at = {"line": number, "character": 0}
                    items.append({"range": {"start": at, "end": at}, "message": word, "severity": 1, **diagnostic})
        return items

    def run(self) -> None:
        while (message := self.read()) is not None:
            method, number = message.get("method", ""), message.get("id")
            if method == "exit":
                return
            answer = self.answer(method, message.get("params") or {})
            if what := self.wrong.get(method):
                self.misbehave(what, number)
            if number is not None and method and what != "nonsense":
                self.send({"id": number, "result": answer})


if __name__ == "__main__":
    Fake().run()
