"""The playground's page over HTTP, for a browser on this machine; its editor speaks LSP over a WebSocket beside it."""

from __future__ import annotations

import json
import socket
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ..errors import UserError
from ..protocol.access import is_loopback_host, is_token, token_in_address
from ..protocol.http import serve_in_thread

PAGE = Path(__file__).parent / "page"

REQUEST_S = 10.0  # for a request to come and be answered

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
}


def page_files() -> dict[str, Path]:
    """The files of the page by name; a Problem when it is not built here."""
    files = {path.name: path for path in PAGE.glob("*") if path.suffix in _KINDS}
    if "index.html" not in files or "main.js" not in files:
        raise UserError("the playground's page is not in this installation: `make playground` in a checkout builds it")
    return files


def samples() -> dict[str, str | None]:
    """The languages that the page offers, each with a text to begin with, the cursor at its |."""
    from ...parser.languages.registry import BUILT_IN

    texts = {name: built_in.sample for name, built_in in BUILT_IN.items()}
    return {name: None if sample is None else f"{sample.left}|{sample.right}" for name, sample in texts.items()}


def serve_page(listening: socket.socket, files: dict[str, Path], address: str, token: str) -> ThreadingHTTPServer:
    """Serve the page in threads of its own; it talks to the WebSocket at `address` (HOST:PORT), if it was opened with the token."""
    handler = partial(_Page, files, address, token)
    return serve_in_thread(listening, handler, "suture-page", REQUEST_S)


class _Page(BaseHTTPRequestHandler):
    """Answers with the files of the page and nothing else: no path of a request is ever looked up on the disk."""

    timeout = REQUEST_S

    def __init__(self, files: dict[str, Path], address: str, token: str, *args: object) -> None:
        self._files = files
        self._address = address
        self._token = token
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Send a file of the page."""
        # A name that another site made point to this machine would let that site read the page.
        named = self.headers.get_all("Host", [])
        if len(named) != 1 or not is_loopback_host(named[0]):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        name = self.path.partition("?")[0].removeprefix("/") or "index.html"
        if name == "config.json":
            if is_token(token_in_address(self.path), self._token):
                told = {"socket": self._address, "token": self._token, "languages": samples()}
                self._send("application/json", json.dumps(told).encode())
            else:
                self.send_error(HTTPStatus.UNAUTHORIZED, "open the address that `suture playground` printed")
        elif name in self._files:
            self._send(_KINDS[self._files[name].suffix], self._files[name].read_bytes())
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send(self, kind: str, data: bytes) -> None:
        policy = f"default-src 'self'; connect-src 'self' ws://{self._address}; style-src 'self' 'unsafe-inline'"
        policy += "; font-src 'self' data:; img-src 'self' data:; worker-src 'self' blob:"
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Security-Policy", policy)
        self.send_header("Referrer-Policy", "no-referrer")  # the address has the token
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""
