"""The playground's page over HTTP, for a browser on this machine; its editor speaks LSP over a WebSocket beside it."""

from __future__ import annotations

import json
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from ..errors import UserError

PAGE = Path(__file__).parent / "page"

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


def serve_page(host: str, port: int, socket: str) -> ThreadingHTTPServer:
    """Serve the page in a thread of its own; `socket` is the HOST:PORT of the WebSocket that it talks to."""
    handler = partial(_Page, page_files(), socket)
    try:
        server = ThreadingHTTPServer((host, port), handler)
    except OSError as error:
        raise UserError(f"cannot listen on {host}:{port}: {error.strerror}; choose another --port") from None
    Thread(target=server.serve_forever, name="suture-page", daemon=True).start()
    return server


class _Page(BaseHTTPRequestHandler):
    """Answers with the files of the page and nothing else: no path of a request is ever looked up on the disk."""

    def __init__(self, files: dict[str, Path], socket: str, *args: object) -> None:
        self._files = files
        self._socket = socket
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Send a file of the page."""
        # A name that another site made point to this machine would let that site read what the page says.
        if urlsplit(f"//{self.headers.get('Host', '')}").hostname not in ("127.0.0.1", "localhost", "::1"):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        name = urlsplit(self.path).path.removeprefix("/") or "index.html"
        if name == "config.json":
            self._send("application/json", json.dumps({"socket": self._socket}).encode())
        elif name in self._files:
            self._send(_KINDS[self._files[name].suffix], self._files[name].read_bytes())
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send(self, kind: str, data: bytes) -> None:
        policy = f"default-src 'self'; connect-src 'self' ws://{self._socket}; style-src 'self' 'unsafe-inline'"
        policy += "; font-src 'self' data:; img-src 'self' data:; worker-src 'self' blob:"
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Security-Policy", policy)
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""
