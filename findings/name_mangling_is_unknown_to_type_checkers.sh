#!/usr/bin/env bash
# No type checker of Python knows that a private name is another name outside of its class: what fails at each run is fine, and what runs is an error.
#
# Guessed: `__q` in a class `A` is `_A__q` to everybody else since Python 1.5, so checkers report `A().__q` from outside and know `A()._A__q`.
# Seen with ty 0.0.108, basedpyright 1.40.2, zuban 0.10.2 and mypy 2.4.1: none reports a private attribute, method or argument that is read from another
# class or the module, nor a module's `__helper()` called in a class, which is a NameError. All four report `_A__q`, which is the name. Asked as language
# servers, ty, basedpyright and pyrefly 1.5.0 list `__q` behind `A().`, and zuban does not; so a word from their lists may be an error at run time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ty==0.0.108 basedpyright==1.40.2 zuban==0.10.2 mypy==2.4.1 pyrefly==1.5.0
cat >"$folder/ask.py" <<'PYTHON'
import json
import os
import pathlib
import subprocess
import sys

A = "class A:\n    def __init__(self):\n        self.__q = 1\n\n    def __m(self):\n        return 2\n\n    def own(self):\n        return self.__q\n\n"
TEXTS = {
    "in the class": A + "A().own()\n",
    "A().__q": A + "A().__q\n",
    "A().__m()": A + "A().__m()\n",
    "in a subclass": A + "class B(A):\n    def f(self):\n        return self.__q\n\nB().f()\n",
    "in another class": A + "class B:\n    def f(self, a: A) -> int:\n        return a.__q\n\nB().f(A())\n",
    "in an inner class": "class A:\n    __q = 1\n\n    class B:\n        def f(self):\n            return A.__q\n\nA.B().f()\n",
    "__helper()": "def __helper():\n    return 1\n\nclass A:\n    def f(self):\n        return __helper()\n\nA().f()\n",
    "m(__x=1)": "class A:\n    def m(self, *, __x=0):\n        return __x\n\nA().m(__x=1)\n",
    "A()._A__q": A + "A()._A__q\n",
    "A()._A__m()": A + "A()._A__m()\n",
    "_A__helper": "def _A__helper():\n    return 1\n\nclass A:\n    def f(self):\n        return __helper()\n\nA().f()\n",
    "m(_A__x=1)": "class A:\n    def m(self, *, __x=0):\n        return __x\n\nA().m(_A__x=1)\n",
}
CHECKERS = {"ty": ["ty", "check"], "basedpyright": ["basedpyright", "--level", "error"], "zuban": ["zuban", "check"], "mypy": ["mypy", "--check-untyped-defs"]}
SERVERS = {"ty": ["ty", "server"], "basedpyright": ["basedpyright-langserver", "--stdio"], "pyrefly": ["pyrefly", "lsp"], "zuban": ["zuban", "server"]}


def listed(command, root, text):
    """The labels that a server lists at the end of a text."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root)

    def send(**message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        process.stdin.flush()

    def answer(number):
        while True:
            length = 0
            while (line := process.stdout.readline()).strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            message = json.loads(process.stdout.read(length))
            if message.get("id") == number and "method" not in message:
                return message["result"]
            if "method" in message and "id" in message:
                send(id=message["id"], result=None)

    document = {"uri": (root / "list.py").as_uri(), "languageId": "python", "version": 1, "text": text}
    *lines, line = text.split("\n")
    send(id=1, method="initialize", params={"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": {}})
    answer(1)
    send(method="initialized", params={})
    send(method="textDocument/didOpen", params={"textDocument": document})
    place = {"line": len(lines), "character": len(line)}
    send(id=2, method="textDocument/completion", params={"textDocument": {"uri": document["uri"]}, "position": place})
    found = answer(2)
    process.kill()
    return {item["label"] for item in (found["items"] if isinstance(found, dict) else found)}


def at_run_time(text):
    try:
        exec(text, {"__name__": "shown"})
    except Exception as error:
        return type(error).__name__
    return "runs"


scripts, root = map(pathlib.Path, sys.argv[1:])
file = root / "shown.py"
for name, text in TEXTS.items():
    file.write_text(text)
    verdicts = [checker for checker, (program, *more) in CHECKERS.items() if subprocess.run([scripts / program, *more, file], capture_output=True, cwd=root).returncode]
    print(name.ljust(18), at_run_time(text).ljust(15), "errors:", *verdicts or ["none"])
for name, (program, *more) in SERVERS.items():
    labels = listed([scripts / program, *more], root, A + "A().")
    print(name, "lists", *sorted(labels & {"own", "__q", "__m", "_A__q", "_A__m"}))
PYTHON
cat >"$folder/seen" <<'SEEN'
in the class       runs            errors: none
A().__q            AttributeError  errors: none
A().__m()          AttributeError  errors: none
in a subclass      AttributeError  errors: none
in another class   AttributeError  errors: none
in an inner class  AttributeError  errors: none
__helper()         NameError       errors: none
m(__x=1)           TypeError       errors: none
A()._A__q          runs            errors: ty basedpyright zuban mypy
A()._A__m()        runs            errors: ty basedpyright zuban mypy
_A__helper         runs            errors: ty basedpyright zuban mypy
m(_A__x=1)         runs            errors: ty basedpyright zuban mypy
ty lists __m __q own
basedpyright lists __m __q own
pyrefly lists __m __q own
zuban lists own
SEEN
mkdir "$folder/root"
"$folder/venv/bin/python" "$folder/ask.py" "$folder/venv/bin" "$folder/root" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
