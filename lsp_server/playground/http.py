"""The playground's page over HTTP, for a browser on this machine; its editor speaks LSP over a WebSocket beside it."""

from __future__ import annotations

import json
import socket
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..protocol.access import is_loopback_host, is_token, token_in_address
from ..protocol.http import Send, Server, respond

PAGE = Path(__file__).parent / "page"

REQUEST_S = 10.0  # the timeout of a request and its answer

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
}


def page_files() -> dict[str, Path]:
    """The files of the page by name; raises UserError where it is not built."""
    files = {path.name: path for path in PAGE.glob("*") if path.suffix in _KINDS}
    if "index.html" not in files or "main.js" not in files:
        raise UserError("the playground's page is not in this installation: `make playground` in a checkout builds it")
    return files


def samples() -> dict[str, str | None]:
    """The page's languages, each with a sample text, the cursor at its |."""
    from ...parser.languages.registry import BUILT_IN

    texts = {name: built_in.sample for name, built_in in BUILT_IN.items()}
    return {name: None if sample is None else f"{sample.left}|{sample.right}" for name, sample in texts.items()}


def serve_page(listening: socket.socket, files: dict[str, Path], address: str, token: str) -> Server:
    """Serve the page in a thread; opened with the token, it talks to the WebSocket at `address` (HOST:PORT)."""
    return Server(listening, partial(_page, files, address, token), "suture-page", REQUEST_S, REQUEST_S)


async def _page(files: dict[str, Path], address: str, token: str, scope: Any, receive: object, send: Send) -> None:
    """Answer with a file of the page and nothing else: no request's path is ever looked up on the disk."""
    # Under a name made to point to this machine, another site could read the page.
    named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    name = scope["path"].removeprefix("/") or "index.html"
    if len(named) != 1 or not is_loopback_host(named[0]):
        await respond(send, HTTPStatus.FORBIDDEN, _KINDS[".txt"], b"this name is not that of this machine\n")
    elif name == "config.json" and is_token(token_in_address("/?" + scope["query_string"].decode("latin-1")), token):
        told = {"socket": address, "token": token, "languages": samples()}
        await respond(send, HTTPStatus.OK, "application/json", json.dumps(told).encode(), _headers(address))
    elif name == "config.json":
        await respond(
            send, HTTPStatus.UNAUTHORIZED, _KINDS[".txt"], b"open the address that `suture playground` printed\n"
        )
    elif name in files and scope["method"] in ("GET", "HEAD"):
        file = files[name]
        await respond(send, HTTPStatus.OK, _KINDS[file.suffix], file.read_bytes(), _headers(address))
    else:
        await respond(send, HTTPStatus.NOT_FOUND, _KINDS[".txt"], b"there is no such file\n")


def _headers(address: str) -> dict[str, str]:
    policy = f"default-src 'self'; connect-src 'self' ws://{address}; style-src 'self' 'unsafe-inline'"
    return {
        "Content-Security-Policy": policy + "; font-src 'self' data:; img-src 'self' data:; worker-src 'self' blob:",
        "Referrer-Policy": "no-referrer",  # the address has the token
        "X-Frame-Options": "DENY",
        "Cache-Control": "no-cache",
    }
