"""Monaco's own client of language servers, in a real browser: its changes to an entry's text, and that the server's entries stay whole."""

import asyncio
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from vscode_driver import wait_for
from websockets.asyncio.server import Server, serve

if TYPE_CHECKING:
    from vscode_driver import Browser

HERE = Path(__file__).parent
MODULES = HERE.parents[1] / "editors" / "playground" / "node_modules"
PAGE = '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="page.css"><div id="editor" style="height: 700px"></div><script src="page.js"></script>'


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and writes nothing."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page."""
    esbuild = MODULES / ".bin" / "esbuild"
    if not esbuild.exists() or shutil.which("node") is None:
        pytest.skip("Monaco is not installed; `npm ci` in editors/playground does it")
    folder = tmp_path_factory.mktemp("monaco")
    entries = [f"page={HERE / 'monaco_page.mjs'}", "editor.worker=monaco-editor/editor/editor.worker.js"]
    options = ["--bundle", "--format=iife", "--loader:.ttf=file", "--log-level=error", f"--outdir={folder}"]
    environment = {**os.environ, "NODE_PATH": str(MODULES)}
    subprocess.run([str(esbuild), *entries, *options], env=environment, cwd=MODULES.parent, check=True, timeout=120)
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class Monaco:
    """The page on a text, its client speaking with the server at an address."""

    def __init__(self, browser: "Browser", page: str, socket: str, text: str) -> None:
        self.send = browser.send
        asked = urlencode({"socket": socket, "text": text})
        self.send("openPage", url=f"{page}/?{asked}", selector="body[data-ready] .monaco-editor .view-line")

    def said(self, name: str) -> str | None:
        """The value of an attribute of the page's body."""
        return self.send("attribute", selector="body", name=f"data-{name}")[0]

    def accepted(self, typed: str) -> tuple[str, str]:
        """Types a sign, and accepts the entry shown: its text, and the file's. A late one is there at the next key."""
        self.send("press", key=typed)
        for _ in range(5):
            try:
                wait_for(lambda: self.send("text", selector=".suggest-widget.visible .monaco-list-row"), "the list", 8)
                break
            except AssertionError:
                self.send("press", key="Backspace")
                self.send("press", key=typed)
        (item,) = json.loads(wait_for(lambda: self.said("items"), "an entry"))
        before = self.said("text")
        self.send("press", key="Enter")
        return item["textEdit"]["newText"], str(
            wait_for(lambda: (now := self.said("text")) != before and now, "the text")
        )


@pytest.fixture
def scripted() -> Iterator[Callable[[str], str]]:
    """Starts a language server with one entry, at the returned address."""
    loop, servers = asyncio.new_event_loop(), list[Server]()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    async def answer(text: str, socket: Any) -> None:
        completion = {"triggerCharacters": ["="]}
        async for data in socket:
            message = json.loads(data)
            result: Any = None
            if message.get("method") == "initialize":
                result = {"capabilities": {"textDocumentSync": 1, "completionProvider": completion}}
            elif message.get("method") == "textDocument/completion":
                at = message["params"]["position"]
                edit = {"range": {"start": at, "end": at}, "newText": text}
                result = {"isIncomplete": True, "items": [{"label": "entry", "filterText": text, "textEdit": edit}]}
            if "id" in message and "method" in message:
                await socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))

    async def start(text: str) -> str:
        server = await serve(partial(answer, text), "127.0.0.1", 0)
        servers.append(server)
        return f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"

    async def end() -> None:
        for server in servers:
            server.close()
            await server.wait_closed()

    yield lambda text: asyncio.run_coroutine_threadsafe(start(text), loop).result(30)
    asyncio.run_coroutine_threadsafe(end(), loop).result(30)
    loop.call_soon_threadsafe(loop.stop)


def test_monaco_indents_further_lines_behind_an_indentation_again(
    browser: "Browser", page: str, scripted: Callable[[str], str]
) -> None:
    """The reason for giving such a client one line there."""
    entry = " f(\n        1\n    )"
    text, file = Monaco(browser, page, scripted(entry), "if x:\n    y |\n").accepted("=")
    assert (text, file) == (entry, "if x:\n    y = f(\n            1\n        )\n")
    text, file = Monaco(browser, page, scripted(entry), "y |\n").accepted("=")
    assert (text, file) == (entry, f"y ={entry}\n")


PLACES = [
    ("def area(width, height):\n    return width * |\n", "h"),
    ("def total(prices):\n    result = 0\n    for price in prices:\n        result += |\n    return result\n", "p"),
]


@pytest.fixture(scope="module")
def suture(page: str, real_server: list[str]) -> Iterator[str]:
    """The address of the real server."""
    command = [*real_server, "--websocket", "0", "--no-token", "--origin", page]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        yield next(word.strip(",;.") for line in process.stdout for word in line.split() if word.startswith("ws://"))
        process.terminate()


@pytest.mark.parametrize(("text", "typed"), PLACES)
def test_an_entry_is_in_the_file_as_the_server_wrote_it(
    browser: "Browser", page: str, suture: str, text: str, typed: str
) -> None:
    left, right = text.split("|")
    entry, file = Monaco(browser, page, suture, text).accepted(typed)
    whole = left + typed
    assert any(file == whole[: len(whole) - count] + entry + right for count in range(len(typed) + 40))
    compile(file, "demo.py", "exec")
