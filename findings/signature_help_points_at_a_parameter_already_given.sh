#!/usr/bin/env bash
# Signature helps of five servers of Python agree on the active parameter only in calls by position.
#
# Guessed: `activeParameter` is the parameter that the argument at the cursor goes to, so one that is given by name already is not pointed at.
# Seen with python-lsp-server 1.15.0, jedi-language-server 0.47.0, zuban 0.10.2, ty 0.0.108 and basedpyright 1.40.2, for `def f(a, b=1, *, c=2)`: after `b=1,`
# ty points at `b`, which is given, the first three at `a`, and basedpyright at none, by a number behind the last. After `c=1,` no argument by position may
# follow, yet all but basedpyright point at one. Behind too many arguments the first three point at `c`, which only its name reaches. In an unfinished call
# the next line counts as an argument: an assignment there takes the parameter from basedpyright and zuban, and the end of the file zuban's whole help.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check basedpyright==1.40.2 python-lsp-server==1.15.0 jedi-language-server==0.47.0 ty==0.0.108 zuban==0.10.2
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
    "zuban": ["zuban", "server"],
}
TEXTS = ("f(1, |)", "f(1, c=|)", "f(c=1, |)", "f(b=1, |)", "f(1, 2, 3, |)", "f(1, |\n\nx = 1", "f(1, |\n\nprint()", "f(b=1, |")
scripts, root = map(pathlib.Path, sys.argv[1:])
for name, (command, *arguments) in SERVERS.items():
    server = Server([scripts / command, *arguments], root)
    for number, text in enumerate(TEXTS):
        answer = server.ask_at_mark("textDocument/signatureHelp", f"{name}{number}.py", "def f(a, b=1, *, c=2): ...\n" + text)
        if not answer or not answer["signatures"]:
            print(name.ljust(12), json.dumps(text), "no signature")
            continue
        signature = answer["signatures"][0]
        parameters = [each["label"] for each in signature["parameters"]]
        named = [signature["label"][slice(*label)] if isinstance(label, list) else label for label in parameters]
        active = answer.get("activeParameter")
        print(name.ljust(12), json.dumps(text), "-" if active is None else named[active] if active < len(named) else "behind the last")
    server.process.kill()
PYTHON
cat >"$folder/seen" <<'SEEN'
basedpyright "f(1, |)" b: int = 1
basedpyright "f(1, c=|)" c: int = 2
basedpyright "f(c=1, |)" behind the last
basedpyright "f(b=1, |)" behind the last
basedpyright "f(1, 2, 3, |)" behind the last
basedpyright "f(1, |\n\nx = 1" behind the last
basedpyright "f(1, |\n\nprint()" b: int = 1
basedpyright "f(b=1, |" behind the last
pylsp        "f(1, |)" b
pylsp        "f(1, c=|)" c
pylsp        "f(c=1, |)" a
pylsp        "f(b=1, |)" a
pylsp        "f(1, 2, 3, |)" c
pylsp        "f(1, |\n\nx = 1" b
pylsp        "f(1, |\n\nprint()" b
pylsp        "f(b=1, |" a
jedi         "f(1, |)" b=1
jedi         "f(1, c=|)" c=2
jedi         "f(c=1, |)" a
jedi         "f(b=1, |)" a
jedi         "f(1, 2, 3, |)" c=2
jedi         "f(1, |\n\nx = 1" b=1
jedi         "f(1, |\n\nprint()" b=1
jedi         "f(b=1, |" a
ty           "f(1, |)" b=1
ty           "f(1, c=|)" c=2
ty           "f(c=1, |)" b=1
ty           "f(b=1, |)" b=1
ty           "f(1, 2, 3, |)" -
ty           "f(1, |\n\nx = 1" b=1
ty           "f(1, |\n\nprint()" b=1
ty           "f(b=1, |" b=1
zuban        "f(1, |)" b
zuban        "f(1, c=|)" c
zuban        "f(c=1, |)" a
zuban        "f(b=1, |)" a
zuban        "f(1, 2, 3, |)" c
zuban        "f(1, |\n\nx = 1" -
zuban        "f(1, |\n\nprint()" b
zuban        "f(b=1, |" no signature
SEEN
"$folder/venv/bin/python" "$folder/ask.py" "$folder/venv/bin" "$folder" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
