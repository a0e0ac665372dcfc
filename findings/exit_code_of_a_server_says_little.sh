#!/usr/bin/env bash
# How a language server's process ends tells little: one in nine ends with 1 after an orderly shutdown, and five do not after a missing one.
#
# Guessed: as the protocol says: behind `shutdown` and `exit` the code is 0, behind `exit` alone 1, and a request between the two is an error -32600.
# Seen with basedpyright 1.40.2, python-lsp-server 1.15.0, jedi-language-server 0.47.0, ty 0.0.108, pyrefly 1.5.0, zuban 0.10.2, typescript-language-server
# 6.0.2, @vtsls/language-server 0.3.0 and TypeScript 7.0.2 (`tsc --lsp`): the last ends with 1 in either way, so whoever takes 1 for a crash sees one each time.
# Without a `shutdown` those in Node end with 1, too, ty with 2 and the others with 0. A request behind `shutdown` is refused as it should be by ty, pyrefly,
# zuban and python-lsp-server, and with another number by vtsls. jedi-language-server says nothing to it, and the other three answer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check basedpyright==1.40.2 python-lsp-server==1.15.0 jedi-language-server==0.47.0 ty==0.0.108 pyrefly==1.5.0 zuban==0.10.2
npm install --silent --no-audit --no-fund --prefix "$folder/6" typescript@6.0.3 typescript-language-server@6.0.2 @vtsls/language-server@0.3.0 >/dev/null
npm install --silent --no-audit --no-fund --prefix "$folder/7" typescript@7.0.2 >/dev/null
cat >"$folder/ask.py" <<'PYTHON'
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading


class Server:
    """A language server whose answers are read while it is waited for."""

    def __init__(self, command, root):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root)
        self.answers = queue.Queue()
        self.last = 0
        threading.Thread(target=self.read, daemon=True).start()
        self.ask("initialize", {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": {}})
        self.send(method="initialized", params={})

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def read(self):
        while line := self.process.stdout.readline():
            length = 0
            while line.strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                line = self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(length))
            if "method" not in message:
                self.answers.put(message)
            elif "id" in message:
                asked = message["params"].get("items") if message["method"] == "workspace/configuration" else None
                self.send(id=message["id"], result=None if asked is None else [None] * len(asked))

    def ask(self, method, params=None, patience=60):
        """The answer to a request, or None after some seconds."""
        self.last += 1
        self.send(id=self.last, method=method, **({} if params is None else {"params": params}))
        try:
            return self.answers.get(timeout=patience)
        except queue.Empty:
            return None


IN_PYTHON = {
    "basedpyright": ["basedpyright-langserver", "--stdio"],
    "pylsp": ["pylsp"],
    "jedi": ["jedi-language-server"],
    "ty": ["ty", "server"],
    "pyrefly": ["pyrefly", "lsp"],
    "zuban": ["zuban", "server"],
}
IN_NODE = {
    "typescript-language-server": ["6/node_modules/.bin/typescript-language-server", "--stdio"],
    "vtsls": ["6/node_modules/.bin/vtsls", "--stdio"],
    "tsc --lsp": ["7/node_modules/.bin/tsc", "--lsp", "--stdio"],
}
scripts, folder = map(pathlib.Path, sys.argv[1:])
commands = {name: ("python", [scripts / command, *rest]) for name, (command, *rest) in IN_PYTHON.items()}
commands |= {name: ("typescript", [folder / command, *rest]) for name, (command, *rest) in IN_NODE.items()}
for name, (language, command) in commands.items():
    for orderly in (True, False):
        server = Server(command, folder / "6")
        uri = (folder / "6" / f"text.{language[0]}{'y' if language == 'python' else 's'}").as_uri()
        document = {"uri": uri, "languageId": language, "version": 1, "text": "x = 1\nx\n"}
        hover = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 0}}
        server.send(method="textDocument/didOpen", params={"textDocument": document})
        server.ask("textDocument/hover", hover)
        said = ""
        if orderly:
            if "error" in server.ask("shutdown"):
                raise ValueError(name)
            answer = server.ask("textDocument/hover", hover, patience=10)
            error = "" if answer is None else answer.get("error")
            said = "hover between: " + ("no answer" if answer is None else f"error {error['code']}" if error else "a result") + ", "
        server.send(method="exit")
        print(name, "with" if orderly else "without", f"shutdown: {said}ends with", server.process.wait(60))
PYTHON
cat >"$folder/seen" <<'SEEN'
basedpyright with shutdown: hover between: a result, ends with 0
basedpyright without shutdown: ends with 1
pylsp with shutdown: hover between: error -32600, ends with 0
pylsp without shutdown: ends with 0
jedi with shutdown: hover between: no answer, ends with 0
jedi without shutdown: ends with 0
ty with shutdown: hover between: error -32600, ends with 0
ty without shutdown: ends with 2
pyrefly with shutdown: hover between: error -32600, ends with 0
pyrefly without shutdown: ends with 0
zuban with shutdown: hover between: error -32600, ends with 0
zuban without shutdown: ends with 0
typescript-language-server with shutdown: hover between: a result, ends with 0
typescript-language-server without shutdown: ends with 1
vtsls with shutdown: hover between: error -32603, ends with 0
vtsls without shutdown: ends with 1
tsc --lsp with shutdown: hover between: a result, ends with 1
tsc --lsp without shutdown: ends with 1
SEEN
"$folder/venv/bin/python" "$folder/ask.py" "$folder/venv/bin" "$folder" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
