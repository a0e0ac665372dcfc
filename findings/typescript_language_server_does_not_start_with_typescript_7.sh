#!/usr/bin/env bash
# The newest typescript-language-server does not start beside the newest TypeScript.
#
# Guessed: the newest releases of a compiler and of the server that is made for it work together, or the server's package says which versions it needs.
# Seen with typescript-language-server 6.0.2 and typescript 7.0.2: `initialize` is answered by an error, since TypeScript 7 has no `tsserver.js` but speaks
# the protocol itself (`tsc --lsp --stdio`). The package of the server names no TypeScript among what it needs, so npm installs both without a word. With
# typescript 6.0.3 the server starts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 6.0.3 7.0.2; do
  npm install --silent --no-audit --no-fund --prefix "$folder/$version" typescript-language-server@6.0.2 "typescript@$version" >/dev/null
done
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
        capabilities = {"completion": {"completionItem": {"snippetSupport": True, "insertReplaceSupport": True}}}
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
        document = {"uri": (self.root / name).as_uri(), "languageId": "typescript", "version": 1, "text": before + after}
        self.send(method="textDocument/didOpen", params={"textDocument": document})
        *lines, line = before.split("\n")
        return self.ask(method, textDocument={"uri": document["uri"]}, position={"line": len(lines), "character": len(line)})


folder = pathlib.Path(sys.argv[1])
server_package = json.loads((folder / "7.0.2/node_modules/typescript-language-server/package.json").read_text())
print("needs:", sorted({**server_package.get("dependencies", {}), **server_package.get("peerDependencies", {})}))
for version in ("6.0.3", "7.0.2"):
    root = folder / version
    print(version, "has tsserver.js:", (root / "node_modules/typescript/lib/tsserver.js").exists())
    for command in (["typescript-language-server", "--stdio"], ["tsc", "--lsp", "--stdio"]):
        if command[0] == "tsc" and version == "6.0.3":
            continue
        server = Server([root / "node_modules/.bin" / command[0], *command[1:]], root)
        print(version, *command, "initialized:", server.initialized is not None)
        server.process.kill()
PYTHON
cat >"$folder/seen" <<'SEEN'
needs: []
6.0.3 has tsserver.js: True
6.0.3 typescript-language-server --stdio initialized: True
7.0.2 has tsserver.js: False
7.0.2 typescript-language-server --stdio initialized: False
7.0.2 tsc --lsp --stdio initialized: True
SEEN
python3 "$folder/ask.py" "$folder" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
