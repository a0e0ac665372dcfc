#!/usr/bin/env bash
# Before an `=` that stands already, a keyword argument completes to a comparison: `f(nam|=1)` becomes `f(naming==1)`, which is valid and means something else.
#
# Guessed: a server that offers `naming=` looks whether `=` comes next, and offers only names that the call can still take.
# Seen with python-lsp-server 1.15.0, jedi-language-server 0.47.0, ty 0.0.108, pyrefly 1.5.0, zuban 0.10.2 and basedpyright 1.40.2: all but the last insert the
# `=` again, and basedpyright, whose edit covers one that touches the cursor, does so if a blank comes between. pyrefly inserts the bare name for an attribute
# in a pattern, where it sees the `=`. A parameter that an argument by position fills is offered as a keyword by basedpyright, ty and pyrefly, which is an
# error at run time, and pyrefly also offers one that is given by name already and one that can be given by position alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check basedpyright==1.40.2 python-lsp-server==1.15.0 jedi-language-server==0.47.0 ty==0.0.108 pyrefly==1.5.0 zuban==0.10.2
cat >"$folder/ask.py" <<'PYTHON'
import json
import os
import pathlib
import subprocess
import sys


class Server:
    """A language server that is asked one thing after another."""

    def __init__(self, command, root):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root)
        self.root = root
        self.last = 0
        capabilities = {"signatureHelp": {"signatureInformation": {"activeParameterSupport": True}}}
        self.initialized = self.ask("initialize", processId=os.getpid(), rootUri=root.as_uri(), capabilities={"textDocument": capabilities})
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
                asked = message["params"].get("items") if message["method"] == "workspace/configuration" else None
                self.send(id=message["id"], result=None if asked is None else [None] * len(asked))

    def ask_at_mark(self, method, name, text):
        """What the server answers about the place of the mark `|` in a new document."""
        before, after = text.split("|")
        document = {"uri": (self.root / name).as_uri(), "languageId": "python", "version": 1, "text": before + after}
        self.send(method="textDocument/didOpen", params={"textDocument": document})
        *lines, line = before.split("\n")
        return self.ask(method, textDocument={"uri": document["uri"]}, position={"line": len(lines), "character": len(line)})


SERVERS = {
    "basedpyright": ["basedpyright-langserver", "--stdio"],
    "pylsp": ["pylsp"],
    "jedi": ["jedi-language-server"],
    "ty": ["ty", "server"],
    "pyrefly": ["pyrefly", "lsp"],
    "zuban": ["zuban", "server"],
}
TEXTS = (
    "def f(naming=1): ...\nf(nam|)",
    "def f(naming=1): ...\nf(nam|=1)",
    "def f(naming=1): ...\nf(nam| = 1)",
    "def f(naming=1): ...\nf(naming=1, nam|)",
    "def f(naming, other=1): ...\nf(1, nam|)",
    "def g(naming, /): ...\ng(nam|)",
    "class C:\n    naming = 1\nmatch C():\n    case C(nam|=1): ...",
)
scripts, root = map(pathlib.Path, sys.argv[1:])


def completed(text, item):
    """The text with the item in it as an editor puts it there: by its edit, or else in place of the word before the cursor."""
    before, after = text.split("|")
    line = before.split("\n")[-1]
    start, end = before.removesuffix("nam"), after
    new = item.get("insertText", item["label"])
    if edit := item.get("textEdit"):
        span = edit.get("range", edit.get("insert"))
        start, new = before[: len(before) - len(line) + span["start"]["character"]], edit["newText"]
        end = after[span["end"]["character"] - len(line) :]
    return start + new + end


for name, (command, *arguments) in SERVERS.items():
    server = Server([scripts / command, *arguments], root)
    for number, text in enumerate(TEXTS):
        answer = server.ask_at_mark("textDocument/completion", f"{name}{number}.py", text)
        items = answer["items"] if isinstance(answer, dict) else answer or []
        results = [completed(text, item) for item in items if item["label"].startswith("naming")]
        print(name.ljust(12), text.split("\n")[-1].strip().ljust(20), *[each.split("\n")[-1].strip() for each in results] or ["-"])
    server.process.kill()
PYTHON
cat >"$folder/seen" <<'SEEN'
basedpyright f(nam|)              f(naming=)
basedpyright f(nam|=1)            f(naming=1)
basedpyright f(nam| = 1)          f(naming= = 1)
basedpyright f(naming=1, nam|)    -
basedpyright f(1, nam|)           f(1, naming=)
basedpyright g(nam|)              -
basedpyright case C(nam|=1): ...  -
pylsp        f(nam|)              f(naming=)
pylsp        f(nam|=1)            f(naming==1)
pylsp        f(nam| = 1)          f(naming= = 1)
pylsp        f(naming=1, nam|)    -
pylsp        f(1, nam|)           -
pylsp        g(nam|)              -
pylsp        case C(nam|=1): ...  -
jedi         f(nam|)              f(naming=)
jedi         f(nam|=1)            f(naming==1)
jedi         f(nam| = 1)          f(naming= = 1)
jedi         f(naming=1, nam|)    -
jedi         f(1, nam|)           -
jedi         g(nam|)              -
jedi         case C(nam|=1): ...  -
ty           f(nam|)              f(naming=)
ty           f(nam|=1)            f(naming==1)
ty           f(nam| = 1)          f(naming= = 1)
ty           f(naming=1, nam|)    -
ty           f(1, nam|)           f(1, naming=)
ty           g(nam|)              -
ty           case C(nam|=1): ...  -
pyrefly      f(nam|)              f(naming=)
pyrefly      f(nam|=1)            f(naming==1)
pyrefly      f(nam| = 1)          f(naming= = 1)
pyrefly      f(naming=1, nam|)    f(naming=1, naming=)
pyrefly      f(1, nam|)           f(1, naming=)
pyrefly      g(nam|)              g(naming=)
pyrefly      case C(nam|=1): ...  case C(naming=1): ...
zuban        f(nam|)              f(naming=)
zuban        f(nam|=1)            f(naming==1)
zuban        f(nam| = 1)          f(naming= = 1)
zuban        f(naming=1, nam|)    -
zuban        f(1, nam|)           -
zuban        g(nam|)              -
zuban        case C(nam|=1): ...  -
SEEN
"$folder/venv/bin/python" "$folder/ask.py" "$folder/venv/bin" "$folder" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
