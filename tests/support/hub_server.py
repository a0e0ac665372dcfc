"""A hub of models on loopback: files with their hashes, in parts, broken off where a test wants it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

COMMIT = "1" * 40


@dataclass
class Hub:
    """A server's files, and the requests to it."""

    files: dict[str, bytes]  # by "owner/model/file"
    break_after: int | None = None  # bytes of the next file, then its connection ends
    damaged: bool = False  # whether the bytes differ from their announced hash
    wait: Event | None = None  # before a file's second half is sent
    address: str = ""
    ranges: list[str] = field(default_factory=list[str])  # of the requests
    asked: int = 0


@contextmanager
def hub(files: dict[str, bytes]) -> Iterator[Hub]:
    """Serve files like a hub."""
    served = Hub(files)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, body: bool) -> None:
            served.asked += 1
            found = re.fullmatch(r"/(?P<repo>[^/]+/[^/]+)/resolve/[^/]+/(?P<file>.+?)(?:\?.*)?", self.path)
            data = served.files.get(f"{found['repo']}/{found['file']}") if found else None
            if data is None:
                self.send_response(404)
                self.send_header("X-Error-Code", "EntryNotFound")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            asked = re.match(r"bytes=(\d+)-", self.headers.get("Range", ""))
            start = int(asked[1]) if asked and body else 0
            if body:
                served.ranges.append(self.headers.get("Range", ""))
            sha256 = hashlib.sha256(data).hexdigest()
            sent = bytes(len(data)) if served.damaged else data
            self.send_response(206 if start else 200)
            self.send_header("ETag", f'"{sha256}"')
            self.send_header("X-Linked-Etag", f'"{sha256}"')
            self.send_header("X-Linked-Size", str(len(data)))
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Content-Length", str(len(data) - start))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.end_headers()
            if not body:
                return
            end = len(data)
            if served.break_after is not None:
                end, served.break_after = start + served.break_after, None
                self.close_connection = True
            half = (start + end) // 2
            try:
                self.wfile.write(sent[start:half])
                self.wfile.flush()
                if served.wait is not None:
                    served.wait.wait(60)
                self.wfile.write(sent[half:end])
                self.wfile.flush()
            except OSError:  # the client has gone
                self.close_connection = True
            if self.close_connection:
                self.connection.close()

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a connection broken by a test

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    served.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
