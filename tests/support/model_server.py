"""A small HTTP server with a test's answers, in place of one with a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Send = Callable[[str], None]


class Fake:
    """Its answers, and the requests to it."""

    def __init__(self) -> None:
        self.models: dict[str, Any] = {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 1024}]}
        self.others: dict[str, Any] = {}  # by path: the answer instead of the models, or of `answer`
        self.asked: list[dict[str, Any]] = []
        self.statuses: list[int] = []  # of the next completions, before they succeed
        self.answer: Callable[[dict[str, Any], Send], None] = lambda body, send: None
        self.address = ""
        self.plugin = ""  # the answer of our plugin for vLLM, if the server has it
        self.refuses = ""  # its answer about files


@contextmanager
def serving() -> Iterator[Fake]:
    """Run one."""
    said = Fake()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *given: object) -> None:
            pass

        def _reply(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            if self.path.startswith("/api/") and self.path not in said.others:
                return self._reply(404, b"{}")
            self._reply(200, json.dumps(said.others.get(self.path, said.models)).encode())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path in said.others:
                return self._reply(200, json.dumps(said.others[self.path]).encode())
            if body.get("vllm_xargs") == {"suture": "?"}:  # asks for our plugin
                refused = {"error": {"message": said.plugin, "type": "BadRequestError"}}
                return self._reply(400 if said.plugin else 200, json.dumps(refused).encode())
            said.asked.append(body)
            if said.refuses and "vllm_xargs" in body:
                return self._reply(400, json.dumps({"error": {"message": said.refuses}}).encode())
            if said.statuses:
                return self._reply(said.statuses.pop(0), b'{"error": {"message": "out of order"}}')
            self.send_response(200)
            self.end_headers()

            def send(text: str) -> None:
                self.wfile.write(text.encode())
                self.wfile.flush()

            try:
                said.answer(body, send)
            except OSError:  # the client has gone
                pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    said.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield said
    server.shutdown()
    server.server_close()
    thread.join()
