#!/usr/bin/env bash
# Directly behind a dot, the servers on tsserver complete a member by an edit that begins before the dot, and TypeScript's own by the bare name.
#
# Guessed: the edit of a completion covers the word at the cursor, so behind `o.` it is empty and its text is the rest of the line.
# Seen with typescript-language-server 6.0.2 (on TypeScript 6.0.3) and @vtsls/language-server 0.3.0: the edit takes the dot away and writes it again, with
# blanks behind it and with the `?` of `?.`; one letter further it does not. For a key that is no name it takes the dot in both cases, and its `filterText`
# has `?.` twice behind `?.`. A promise's edit takes the whole object away: `p.` becomes `(await p).`, which all three do, but the first two filter it by a
# text that begins with a dot, which the replaced text does not. `tsc --lsp` of TypeScript 7.0.2 sends plain members bare, without an edit.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder/6" typescript-language-server@6.0.2 typescript@6.0.3 @vtsls/language-server@0.3.0 >/dev/null
npm install --silent --no-audit --no-fund --prefix "$folder/7" typescript@7.0.2 >/dev/null
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


SERVERS = {
    "typescript-language-server": ["6/node_modules/.bin/typescript-language-server", "--stdio"],
    "vtsls": ["6/node_modules/.bin/vtsls", "--stdio"],
    "tsc --lsp": ["7/node_modules/.bin/tsc", "--lsp", "--stdio"],
}
ANY = "const o = { key: 1, 'a-key': 2 };\n"
TEXTS = (ANY + "o.|", ANY + "o.k|", ANY + "o. |", ANY + "o?.|", "async function f(p: Promise<{ key: 1 }>) {\n  p.|\n}")
folder = pathlib.Path(sys.argv[1])
root = folder / "6"
for name, (command, *arguments) in SERVERS.items():
    server = Server([folder / command, *arguments], root)
    for number, text in enumerate(TEXTS):
        answer = server.ask_at_mark("textDocument/completion", f"{name.split()[0]}{number}.ts", text)
        line = text.split("|")[0].split("\n")[-1]
        for item in answer["items"]:
            if item["label"] in ("key", "a-key"):
                edit = item.get("textEdit")
                start = (edit.get("range") or edit["insert"])["start"]["character"] if edit else len(line)
                new = edit["newText"] if edit else item.get("insertText", item["label"])
                print(name, repr(line), item["label"] + ":", repr(line[start:]), "becomes", new, "filtered by", item.get("filterText", item["label"]))
    server.process.kill()
PYTHON
cat >"$folder/seen" <<'SEEN'
typescript-language-server 'o.' a-key: '.' becomes ["a-key"] filtered by .["a-key"]
typescript-language-server 'o.' key: '.' becomes .key filtered by .key
typescript-language-server 'o.k' a-key: '.k' becomes ["a-key"] filtered by .a-key
typescript-language-server 'o.k' key: 'k' becomes key filtered by key
typescript-language-server 'o. ' a-key: '. ' becomes ["a-key"] filtered by . ["a-key"]
typescript-language-server 'o. ' key: '. ' becomes . key filtered by . key
typescript-language-server 'o?.' a-key: '?.' becomes ?.["a-key"] filtered by ?.?.["a-key"]
typescript-language-server 'o?.' key: '?.' becomes ?.key filtered by ?.key
typescript-language-server '  p.' key: 'p.' becomes (await p).key filtered by .(await p).key
vtsls 'o.' a-key: '.' becomes ["a-key"] filtered by .["a-key"]
vtsls 'o.' key: '.' becomes .key filtered by .key
vtsls 'o.k' a-key: '.k' becomes ["a-key"] filtered by .a-key
vtsls 'o.k' key: 'k' becomes key filtered by key
vtsls 'o. ' a-key: '. ' becomes ["a-key"] filtered by . ["a-key"]
vtsls 'o. ' key: '. ' becomes . key filtered by . key
vtsls 'o?.' a-key: '?.' becomes ?.["a-key"] filtered by ?.?.["a-key"]
vtsls 'o?.' key: '?.' becomes ?.key filtered by ?.key
vtsls '  p.' key: 'p.' becomes (await p).key filtered by .(await p).key
tsc --lsp 'o.' key: '' becomes key filtered by key
tsc --lsp 'o.' a-key: '.' becomes ["a-key"] filtered by .a-key
tsc --lsp 'o.k' key: 'k' becomes key filtered by key
tsc --lsp 'o.k' a-key: '.k' becomes ["a-key"] filtered by .a-key
tsc --lsp 'o. ' key: '' becomes key filtered by key
tsc --lsp 'o. ' a-key: '. ' becomes ["a-key"] filtered by a-key
tsc --lsp 'o?.' key: '' becomes key filtered by key
tsc --lsp 'o?.' a-key: '?.' becomes ?.["a-key"] filtered by ?.a-key
tsc --lsp '  p.' key: 'p.' becomes (await p).key filtered by (await p).key
SEEN
python3 "$folder/ask.py" "$folder" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
