"""A language server with suggestions from a script, so that an editor's screen is predictable.

Arguments: the script and the log. The script is a file with `{"rules": [{"before", "after"?, "items", "behind"?, "imports"?,
"delay_ms"?, "pieces"?, "crash"?, "crash_after"?, "deaf"?}], "status"?}`: the first rule whose regular expressions match the line before
and after the cursor (whole) gives the items' texts. `pieces` are the texts so far, sent before the answer to a client with `streaming`,
one every `delay_ms`; `deaf` sends them even after the request was cancelled, `crash_after` ends the server instead of answering;
`imports` are statements added at the top by the item's command. `status` is sent at the start to a client with `statusNotification`.
Every message is written as a line of JSON to the log. Uses the standard library alone.
"""

import json
import os
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

documents: dict[str, str] = {}
encoding = "utf-16"
cancelled: set[int | str] = set()
options: dict[str, Any] = {}
snoozed = False
writing = threading.Lock()


def read_message() -> dict[str, Any] | None:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    body = sys.stdin.buffer.read(length) if length else b""
    return json.loads(body) if body else None


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    with writing:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        sys.stdout.buffer.flush()


def log(entry: dict[str, Any]) -> None:
    with Path(sys.argv[2]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def index_in(line: str, character: int) -> int:
    """The code-point index of a column counted in the negotiated encoding's units."""
    if encoding == "utf-32":
        return character
    codec, width = ("utf-8", 1) if encoding == "utf-8" else ("utf-16-le", 2)
    return len(line.encode(codec)[: character * width].decode(codec, "ignore"))


def offset_of(text: str, position: dict[str, int]) -> int:
    lines = text.split("\n")
    line = position["line"]
    return sum(len(each) + 1 for each in lines[:line]) + index_in(lines[line], position["character"])


def accepted(text: str, rule: dict[str, Any]) -> dict[str, Any]:
    imports = rule.get("imports", []) if options.get("imports") else []
    return {"title": "accepted", "command": "suture.accepted", "arguments": [f"offer of {text}", *imports]}


def inserted(text: str, rule: dict[str, Any]) -> str | dict[str, str]:
    """A text, or a snippet with the cursor so many characters before its end, for clients that accept snippets."""
    behind = rule.get("behind", 0)
    if not behind or not options.get("snippets"):
        return text
    before, last = (re.sub(r"[\\$}]", r"\\\g<0>", part) for part in (text[:-behind], text[-behind:]))
    return {"kind": "snippet", "value": f"{before}$0{last}"}


def script() -> dict[str, Any]:
    return json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))


def wait(rule: dict[str, Any], request_id: int | str) -> None:
    deadline = time.monotonic() + rule.get("delay_ms", 0) / 1000
    while time.monotonic() < deadline and (request_id not in cancelled or rule.get("deaf")):
        time.sleep(0.005)


def tell_status(status: dict[str, Any]) -> dict[str, Any]:
    whole = {"message": status["state"], "what_to_do": "", "model": None, **status}
    if options.get("statusNotification"):
        send({"method": "suture/status", "params": whole})
    return whole


def execute(params: dict[str, Any]) -> Any:
    global snoozed
    if params["command"] == "suture.snooze":
        snoozed = params["arguments"][0] > 0
        return tell_status({"state": "snoozed", "message": "snoozed until 12:00"} if snoozed else {"state": "ready"})
    if params["command"] == "suture.accepted":
        top = {"line": 0, "character": 0}
        edits = [{"range": {"start": top, "end": top}, "newText": f"{one}\n"} for one in params["arguments"][1:]]
        if edits:
            changes = {next(reversed(documents)): edits}
            send({"id": "apply", "method": "workspace/applyEdit", "params": {"edit": {"changes": changes}}})
    return None


def answer(request_id: int | str, params: dict[str, Any]) -> None:
    text = documents[params["textDocument"]["uri"]]
    position = params["position"]
    line = text.split("\n")[position["line"]].removesuffix("\r")
    column = index_in(line, position["character"])
    before, after = line[:column], line[column:]
    for rule in [] if snoozed else script()["rules"]:
        if re.fullmatch(rule["before"], before) and re.fullmatch(rule.get("after", ".*"), after):
            break
    else:
        rule = {"items": []}
    if rule.get("crash"):
        os._exit(3)
    about = {"id": request_id, "uri": params["textDocument"]["uri"], "version": 0, "position": position}
    for piece in rule.get("pieces", []) if options.get("streaming") else []:
        wait(rule, request_id)
        if request_id not in cancelled or rule.get("deaf"):
            send({"method": "suture/partialSuggestion", "params": {**about, "text": piece, "done": False}})
    wait(rule, request_id)
    if rule.get("crash_after"):
        os._exit(3)
    if request_id in cancelled:
        send({"id": request_id, "error": {"code": -32800, "message": "cancelled"}})
        return
    texts = rule["items"] if params["context"]["triggerKind"] == 1 else rule["items"][:1]
    span = {"start": position, "end": {**position, "character": position["character"] + rule.get("replaces", 0)}}
    items: list[dict[str, Any]] = []
    for each in texts:
        item = {"insertText": inserted(each, rule), "range": span, "command": accepted(each, rule)}
        items.append(item if item["insertText"] == each else {**item, "filterText": each})
    send({"id": request_id, "result": {"items": items}})


def change(uri: str, changes: list[dict[str, Any]]) -> None:
    for each in changes:
        text = documents[uri]
        if "range" in each:
            start, end = offset_of(text, each["range"]["start"]), offset_of(text, each["range"]["end"])
            documents[uri] = text[:start] + each["text"] + text[end:]
        else:
            documents[uri] = each["text"]


def initialize(params: dict[str, Any]) -> dict[str, Any]:
    global encoding
    options.update(params.get("initializationOptions") or {})
    offered = params["capabilities"].get("general", {}).get("positionEncodings", ["utf-16"])
    encoding = "utf-8" if "utf-8" in offered else "utf-16"
    sync = {"openClose": True, "change": 2}
    capabilities = {"positionEncoding": encoding, "textDocumentSync": sync, "inlineCompletionProvider": {}}
    capabilities["executeCommandProvider"] = {"commands": ["suture.accepted"]}
    return {"capabilities": capabilities, "serverInfo": {"name": "scripted", "version": "0"}}


def main() -> None:
    while (message := read_message()) is not None:
        method, params, request_id = message.get("method"), message.get("params") or {}, message.get("id")
        said = message.get("result")
        log(
            {
                "method": method,
                "id": request_id,
                "params": params,
                "result": said,
                "process": os.getpid(),
                "arguments": sys.argv[3:],
            }
        )
        match method:
            case "initialize":
                send({"id": request_id, "result": initialize(params)})
            case "initialized":
                tell_status(script().get("status") or {"state": "ready"})
                for said in script().get("says") or []:
                    send({"method": "window/showMessage", "params": said})
                for ask in script().get("asks") or []:
                    actions = [{"title": title} for title in ask["titles"]]
                    asked = {"type": 3, "message": ask["message"], "actions": actions}
                    send({"id": "ask", "method": "window/showMessageRequest", "params": asked})
            case "workspace/executeCommand":
                send({"id": request_id, "result": execute(params)})
            case "textDocument/didOpen":
                documents[params["textDocument"]["uri"]] = params["textDocument"]["text"]
            case "textDocument/didChange":
                change(params["textDocument"]["uri"], params["contentChanges"])
            case "textDocument/didClose":
                documents.pop(params["textDocument"]["uri"], None)
            case "textDocument/inlineCompletion":
                threading.Thread(target=answer, args=(request_id, params), daemon=True).start()
            case "$/cancelRequest":
                cancelled.add(params["id"])
            case "exit":
                return
            case _ if request_id is not None and method:
                send({"id": request_id, "result": None})


if __name__ == "__main__":
    main()
