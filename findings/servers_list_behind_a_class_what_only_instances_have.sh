#!/usr/bin/env bash
# Behind the name of a class every server of Python lists attributes that only its instances have, the values of enumerations and dataclasses among them.
#
# Guessed: `A.` lists the class's own attributes, and `self.q = 1` in a method shows that servers know the difference.
# Seen with python-lsp-server 1.15.0, jedi-language-server 0.47.0, basedpyright 1.40.2, ty 0.0.108, pyrefly 1.5.0 and zuban 0.10.2: five of the six do not
# list `q` of `self.q`, but all list `name` and `value` behind an enumeration, a dataclass's field without a value or with a `default_factory`, and one that is
# only annotated, and all of these raise AttributeError. Of ty, basedpyright, zuban and mypy 2.4.1 none reports `value` there, and none reports all of the
# others. A method of the metaclass, which is there, two of the servers list.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check python-lsp-server==1.15.0 jedi-language-server==0.47.0 basedpyright==1.40.2 ty==0.0.108 pyrefly==1.5.0 zuban==0.10.2 mypy==2.4.1
cat >"$folder/ask.py" <<'PYTHON'
import json
import os
import pathlib
import subprocess
import sys

CLASSES = {
    "self.q": ("class A:\n    def __init__(self):\n        self.q = 1\n", "q"),
    "an enumeration": ("from enum import Enum\n\nclass A(Enum):\n    RED = 1\n", "value"),
    "its name": ("from enum import Enum\n\nclass A(Enum):\n    RED = 1\n", "name"),
    "a dataclass": ("from dataclasses import dataclass\n\n@dataclass\nclass A:\n    q: int\n", "q"),
    "a factory": ("from dataclasses import dataclass, field\n\n@dataclass\nclass A:\n    q: list[int] = field(default_factory=list)\n", "q"),
    "annotated": ("class A:\n    q: int\n", "q"),
    "a default": ("from dataclasses import dataclass\n\n@dataclass\nclass A:\n    q: int = 3\n", "q"),
    "a metaclass": ("class M(type):\n    def q(cls):\n        return 1\n\nclass A(metaclass=M):\n    pass\n", "q"),
}
SERVERS = {
    "pylsp": ["pylsp"],
    "jedi": ["jedi-language-server"],
    "basedpyright": ["basedpyright-langserver", "--stdio"],
    "ty": ["ty", "server"],
    "pyrefly": ["pyrefly", "lsp"],
    "zuban": ["zuban", "server"],
}
CHECKERS = {"ty": ["ty", "check"], "basedpyright": ["basedpyright", "--level", "error"], "zuban": ["zuban", "check"], "mypy": ["mypy"]}


class Server:
    """A language server that is asked one thing after another."""

    def __init__(self, command, root):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root)
        self.last = 0
        self.ask("initialize", processId=os.getpid(), rootUri=root.as_uri(), capabilities={})
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
                return message["result"]
            if "method" in message and "id" in message:
                self.send(id=message["id"], result=None)

    def listed(self, uri, text):
        """The names listed at the end of a new document."""
        *lines, line = text.split("\n")
        self.send(method="textDocument/didOpen", params={"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}})
        place = {"line": len(lines), "character": len(line)}
        answer = self.ask("textDocument/completion", textDocument={"uri": uri}, position=place)
        items = answer["items"] if isinstance(answer, dict) else answer or []
        return {item["label"].partition("(")[0] for item in items}


def at_run_time(text):
    try:
        exec(text, {"__name__": "shown"})
    except Exception as error:
        return type(error).__name__
    return "runs"


scripts, root = map(pathlib.Path, sys.argv[1:])
servers = {name: Server([scripts / command, *more], root) for name, (command, *more) in SERVERS.items()}
for number, (name, (text, attribute)) in enumerate(CLASSES.items()):
    lists = [own for own, server in servers.items() if attribute in server.listed((root / f"list{number}.py").as_uri(), text + "\nA.")]
    file = root / f"shown{number}.py"
    file.write_text(f"{text}\nprint(A.{attribute})\n")
    checkers = [own for own, (command, *more) in CHECKERS.items() if subprocess.run([scripts / command, *more, file], capture_output=True, cwd=root).returncode]
    print(f"{name}: A.{attribute}", at_run_time(f"{text}\nA.{attribute}\n"), "| listed by", *lists, "| errors:", *checkers or ["none"])
for server in servers.values():
    server.process.kill()
PYTHON
cat >"$folder/seen" <<'SEEN'
self.q: A.q AttributeError | listed by pyrefly | errors: ty basedpyright zuban mypy
an enumeration: A.value AttributeError | listed by pylsp jedi basedpyright ty pyrefly zuban | errors: none
its name: A.name AttributeError | listed by pylsp jedi basedpyright ty pyrefly zuban | errors: none
a dataclass: A.q AttributeError | listed by pylsp jedi basedpyright ty pyrefly zuban | errors: mypy
a factory: A.q AttributeError | listed by pylsp jedi basedpyright ty pyrefly zuban | errors: none
annotated: A.q AttributeError | listed by pylsp jedi basedpyright ty pyrefly zuban | errors: basedpyright
a default: A.q runs | listed by pylsp jedi basedpyright ty pyrefly zuban | errors: none
a metaclass: A.q runs | listed by basedpyright ty | errors: none
SEEN
mkdir "$folder/root"
"$folder/venv/bin/python" "$folder/ask.py" "$folder/venv/bin" "$folder/root" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
