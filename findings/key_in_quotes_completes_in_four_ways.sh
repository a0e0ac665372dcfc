#!/usr/bin/env bash
# The key of a dictionary between quotes is completed by four servers of Python in four ways, so none of their texts can be taken as what is to be inserted.
#
# Guessed: in `d['ke|']` a server sends the rest of the key or an edit; an item without an edit is put in place of the word before the cursor.
# Seen with python-lsp-server 1.15.0, jedi-language-server 0.47.0, basedpyright 1.40.2, ty 0.0.108 and zuban 0.10.2: ty sends the bare key. pylsp sends the
# opening quote with it, which stands there already, and the closing one unless that is next. jedi-language-server does so too, but for a string that is
# still empty, where it sends the bare key. basedpyright sends both quotes and an edit (of the columns shown) from the opening to the closing one if that is
# next, or to the cursor; where the file ends in the open string, from behind the opening one, which then stands there twice. ty has nothing for an open
# string, zuban for none.
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
TEXTS = ("d['|']", "d['ke|']", "d['key| one']", "d['ke|", "d[|]")
scripts, root = map(pathlib.Path, sys.argv[1:])
for name, (command, *arguments) in SERVERS.items():
    server = Server([scripts / command, *arguments], root)
    for number, text in enumerate(TEXTS):
        answer = server.ask_at_mark("textDocument/completion", f"{name}{number}.py", "d = {'key one': 1}\n" + text)
        items = answer["items"] if isinstance(answer, dict) else answer or []
        found = [item for item in items if "key one" in item["label"]]
        shown = [item.get("insertText", item["label"]) for item in found]
        edits = [item["textEdit"] for item in found if "textEdit" in item]
        ranges = [[edit.get("range", edit.get("replace"))[end]["character"] for end in ("start", "end")] for edit in edits]
        print(name.ljust(12), text.ljust(13), *shown or ["nothing"], *ranges or "-")
    server.process.kill()
PYTHON
cat >"$folder/seen" <<'SEEN'
basedpyright d['|']        'key one' [2, 4]
basedpyright d['ke|']      'key one' [2, 6]
basedpyright d['key| one'] 'key one' [2, 6]
basedpyright d['ke|        'key one' [3, 5]
basedpyright d[|]          'key one' [2, 2]
pylsp        d['|']        'key one -
pylsp        d['ke|']      'key one -
pylsp        d['key| one'] 'key one' -
pylsp        d['ke|        'key one' -
pylsp        d[|]          'key one' -
jedi         d['|']        key one -
jedi         d['ke|']      'key one -
jedi         d['key| one'] 'key one' -
jedi         d['ke|        'key one' -
jedi         d[|]          'key one' -
ty           d['|']        key one -
ty           d['ke|']      key one -
ty           d['key| one'] key one -
ty           d['ke|        nothing -
ty           d[|]          nothing -
zuban        d['|']        nothing -
zuban        d['ke|']      nothing -
zuban        d['key| one'] nothing -
zuban        d['ke|        nothing -
zuban        d[|]          nothing -
SEEN
"$folder/venv/bin/python" "$folder/ask.py" "$folder/venv/bin" "$folder" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
