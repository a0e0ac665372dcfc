#!/usr/bin/env bash
# Every server of Python lists names that are not bound where the cursor is, and two list a class's variables in its methods.
#
# Guessed: whether a name is in scope is the one thing that servers agree on: a class's variables are no names in its methods, and a name is there once bound.
# Seen with basedpyright 1.40.2, python-lsp-server 1.15.0, jedi-language-server 0.47.0, ty 0.0.108, pyrefly 1.5.0 and zuban 0.10.2, for texts that raise a
# NameError when completed: ty and pyrefly list a class's variables in its methods, these and the two on jedi in a class within it, and all but basedpyright in
# its comprehensions. All six list a name in its own first assignment, in its class's body, and behind the `except` that deletes it. The two on jedi alone
# drop a name that `del` took, a local assigned only below and a function in its own decorator. pyrefly and zuban list a parameter in the default of the
# next, but miss a global that a function sets, and zuban a class's variable in a default or an annotation, where it is one.
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
    "class C:\n    wanted = 1\n    def f(self):\n        return wan|\nC().f()",
    "class C:\n    wanted = 1\n    class D:\n        x = wan|",
    "class C:\n    wanted = 1\n    x = [wan| for _ in range(3)]",
    "class wanted:\n    x = wan|",
    "wanted = wan|",
    "try:\n    raise ValueError\nexcept ValueError as wanted:\n    pass\nx = wan|",
    "wanted = 1\ndel wanted\nx = wan|",
    "def f():\n    x = wan|\n    wanted = 1\nf()",
    "@wan|\ndef wanted(): ...",
    "def f(wanted, x=wan|): ...",
    "x = [wanted for wanted in range(3)]\ny = wan|",
    "class C:\n    wanted = 1\n    x = [1 for _ in range(wan|)]",
    "class C:\n    wanted = 1\n    def f(self, x=wan|): ...",
    "class C:\n    wanted = 1\n    def f(self, x: wan|): ...",
    "def f():\n    global wanted\n    wanted = 1\nf()\nx = wan|",
)
scripts, root = map(pathlib.Path, sys.argv[1:])


def result(text):
    """What Python says of the completed text."""
    try:
        exec(compile(text.replace("wan|", "wanted"), "text", "exec"), {"__name__": "text"})
    except NameError:
        return "NameError"
    return "runs"


listed = {text: [] for text in TEXTS}
for name, (command, *arguments) in SERVERS.items():
    server = Server([scripts / command, *arguments], root)
    for number, text in enumerate(TEXTS):
        # Each text has a name of its own, lest a server proposes to import it from another one.
        word = f"wanted{number}_"
        own = text.replace("wanted", word).replace("wan|", word[:-1] + "|")
        answer = server.ask_at_mark("textDocument/completion", f"{name}{number}.py", own)
        items = answer["items"] if isinstance(answer, dict) else answer or []
        if any(item["label"] == word for item in items):
            listed[text].append(name)
    server.process.kill()
for text in TEXTS:
    print(json.dumps(text), result(text), "listed by", *listed[text] or ["none"])
PYTHON
cat >"$folder/seen" <<'SEEN'
"class C:\n    wanted = 1\n    def f(self):\n        return wan|\nC().f()" NameError listed by ty pyrefly
"class C:\n    wanted = 1\n    class D:\n        x = wan|" NameError listed by pylsp jedi ty pyrefly
"class C:\n    wanted = 1\n    x = [wan| for _ in range(3)]" NameError listed by pylsp jedi ty pyrefly zuban
"class wanted:\n    x = wan|" NameError listed by basedpyright pylsp jedi ty pyrefly zuban
"wanted = wan|" NameError listed by basedpyright pylsp jedi ty pyrefly zuban
"try:\n    raise ValueError\nexcept ValueError as wanted:\n    pass\nx = wan|" NameError listed by basedpyright pylsp jedi ty pyrefly zuban
"wanted = 1\ndel wanted\nx = wan|" NameError listed by basedpyright ty pyrefly zuban
"def f():\n    x = wan|\n    wanted = 1\nf()" NameError listed by basedpyright ty pyrefly zuban
"@wan|\ndef wanted(): ..." NameError listed by basedpyright ty pyrefly zuban
"def f(wanted, x=wan|): ..." NameError listed by pyrefly zuban
"x = [wanted for wanted in range(3)]\ny = wan|" NameError listed by none
"class C:\n    wanted = 1\n    x = [1 for _ in range(wan|)]" runs listed by basedpyright pylsp jedi ty pyrefly zuban
"class C:\n    wanted = 1\n    def f(self, x=wan|): ..." runs listed by basedpyright pylsp jedi ty pyrefly
"class C:\n    wanted = 1\n    def f(self, x: wan|): ..." runs listed by basedpyright pylsp jedi ty pyrefly
"def f():\n    global wanted\n    wanted = 1\nf()\nx = wan|" runs listed by basedpyright pylsp jedi ty
SEEN
"$folder/venv/bin/python" "$folder/ask.py" "$folder/venv/bin" "$folder" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
