#!/usr/bin/env bash
# The text of an inlay hint, inserted by the edit that comes with it, breaks programs or gives them other results.
#
# Guessed: the grey text that a checker offers for insertion fits where it is shown: the program still compiles, and does what it did.
# Seen with basedpyright 1.40.2, zuban 0.10.2, ty 0.0.108 and pyrefly 1.5.0, one hint inserted at a time, as a click does. basedpyright makes `b = 3` in the
# body of a dataclass or a NamedTuple `b: int = 3`, which adds a field, without any error. It names an argument that one without a name or a star follows,
# where ty names only the last, and annotates a target of `a = b = []`. zuban writes types that are not imported or are none (`overloaded function`), and
# behind `async def` the coroutine instead of what it returns. pyrefly writes `Module[os]`. All edits of ty hold here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check basedpyright==1.40.2 zuban==0.10.2 ty==0.0.108 pyrefly==1.5.0
cat >"$folder/ask.py" <<'PYTHON'
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import time


class Server:
    """A language server that is asked one thing after another."""

    def __init__(self, command, root):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root)
        self.last = 0
        capabilities = {"textDocument": {"inlayHint": {"resolveSupport": {"properties": ["textEdits"]}}}}
        self.ask("initialize", processId=os.getpid(), rootUri=root.as_uri(), capabilities=capabilities)
        self.send(method="initialized", params={})

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline()).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, **params):
        self.last += 1
        self.send(id=self.last, method=method, params=params)
        while True:
            message = self.receive()
            if "method" not in message and message["id"] == self.last:
                return message.get("result")
            if "method" in message and "id" in message:
                self.send(id=message["id"], result=None)

    def hints(self, uri, text):
        """The hints of a new document that have edits."""
        self.send(method="textDocument/didOpen", params={"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}})
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n"), "character": 0}}
        hints = []
        for _ in range(10):
            if hints := self.ask("textDocument/inlayHint", textDocument={"uri": uri}, range=whole) or []:
                break
            time.sleep(0.05)
        hints = [hint if hint.get("textEdits") else self.ask("inlayHint/resolve", **hint) or hint for hint in hints]
        return [hint for hint in hints if hint.get("textEdits")]


def edited(text, edits):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    places = [(starts[edit["range"]["start"]["line"]] + edit["range"]["start"]["character"], edit["newText"]) for edit in edits]
    for place, new in sorted(places, reverse=True):
        text = text[:place] + new + text[place:]
    return text


def result(text):
    printed = io.StringIO()
    try:
        code = compile(text, "shown", "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, {"__name__": "shown"})
    except Exception as error:
        return type(error).__name__
    return printed.getvalue().strip() or "runs"


DATACLASS = "from dataclasses import dataclass\n\n@dataclass\nclass T:\n    a: int\n    b = 3\n\nprint(T(1))\n"
TUPLE = "from typing import NamedTuple\n\nclass T(NamedTuple):\n    a: int\n    b = 3\n\nprint(T(1))\n"
TEXTS = (
    "x = len('a')\n",
    "def f(a, b):\n    return a\n\nf(1, 2)\n",
    DATACLASS,
    TUPLE,
    "def f(a, *rest):\n    return a\n\nf(1, 2)\n",
    "def f(a, b):\n    return a\n\nf(1, *[2])\n",
    "a = b = []\n",
    "x = lambda a: a\n",
    "x = print\n",
    "import asyncio\n\nasync def f():\n    return 1\n\nasyncio.run(f())\n",
    "import os\nx = os\n",
)
SERVERS = {"basedpyright": ["basedpyright-langserver", "--stdio"], "zuban": ["zuban", "server"], "ty": ["ty", "server"], "pyrefly": ["pyrefly", "lsp"]}
scripts, root = map(pathlib.Path, sys.argv[1:])
for name, (command, *arguments) in SERVERS.items():
    server = Server([scripts / command, *arguments], root)
    for number, text in enumerate(TEXTS):
        for hint in server.hints((root / f"{name}{number}.py").as_uri(), text):
            new = edited(text, hint["textEdits"])
            lines = [line for line in new.splitlines() if line not in text.splitlines()]
            print(name.ljust(12), *lines, "|", result(text), "->", result(new))
    server.process.kill()
PYTHON
cat >"$folder/seen" <<'SEEN'
basedpyright x: int = len('a') | runs -> runs
basedpyright from typing import Any def f(a, b) -> Any: | runs -> runs
basedpyright f(a=1, 2) | runs -> SyntaxError
basedpyright f(1, b=2) | runs -> runs
basedpyright     b: int = 3 | T(a=1) -> T(a=1, b=3)
basedpyright print(T(a=1)) | T(a=1) -> T(a=1)
basedpyright     b: int = 3 | T(a=1) -> T(a=1, b=3)
basedpyright print(T(a=1)) | T(a=1) -> T(a=1)
basedpyright from typing import Any def f(a, *rest) -> Any: | runs -> runs
basedpyright f(a=1, 2) | runs -> SyntaxError
basedpyright from typing import Any def f(a, b) -> Any: | runs -> runs
basedpyright f(a=1, *[2]) | runs -> TypeError
basedpyright from typing import Any   a = b: list[Any] = [] | runs -> SyntaxError
basedpyright from typing import Any   a: list[Any] = b = [] | runs -> SyntaxError
basedpyright from typing import Any, Callable   x: Callable[..., Any] = lambda a: a | runs -> runs
basedpyright from typing import Any, Callable   x: Callable[..., Any] = print | runs -> runs
basedpyright from typing import Literal async def f() -> Literal[1]: | runs -> runs
basedpyright asyncio.run(main=f()) | runs -> runs
basedpyright from typing import TypeAlias   x: TypeAlias = os | runs -> runs
zuban        x: int = len('a') | runs -> runs
zuban        x: Callable[[Any], Any] = lambda a: a | runs -> NameError
zuban        x: overloaded function = print | runs -> SyntaxError
zuban        async def f() -> CoroutineType[Any, Any, int]: | runs -> NameError
zuban        x: ModuleType = os | runs -> NameError
ty           from typing import Literal x: Literal[1] = len('a') | runs -> runs
ty           f(1, b=2) | runs -> runs
ty           print(T(a=1)) | T(a=1) -> T(a=1)
ty           print(T(a=1)) | T(a=1) -> T(a=1)
ty           asyncio.run(main=f()) | runs -> runs
pyrefly      x: int = len('a') | runs -> runs
pyrefly      from typing import Any, Callable x: Callable[[Any], Any] = lambda a: a | runs -> runs
pyrefly      from typing import Any, Callable x: Callable[..., Any] = print | runs -> runs
pyrefly      from typing import Any async def f() -> Any: | runs -> runs
pyrefly      x: Module[os] = os | runs -> NameError
SEEN
mkdir "$folder/root"
"$folder/venv/bin/python" "$folder/ask.py" "$folder/venv/bin" "$folder/root" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
