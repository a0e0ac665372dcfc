"""The relay: passes messages on between a client and the answering process, and never computes.

One thread handles events in order: messages of both sides, the ends of both, and the passing of time. Reading, writing and waiting happen in
threads that hand events in. A process that stays silent too long is killed, and a new one is brought to the session's state; meanwhile urgent
requests are answered here.
"""

from __future__ import annotations

import queue
from typing import Any

from ...common.json_types import is_object
from ..protocol.jsonrpc import INVALID_REQUEST, Refusal, answer, encode, error, notification, parse, request
from .client_process import is_alive, process_id_of
from .events import ClientGone, Ended, Event, FromClient
from .journal import Journal
from .process import FromServer, ServerEnded
from .session import Pending, is_asked, nothing_for, uri_of
from .watchdog import Watchdog

__all__ = ["ClientGone", "Ended", "Event", "FromClient", "Relay"]


class Relay(Watchdog):
    """One conversation with a client; `run` ends with it."""

    def run(self) -> int:
        """Relay until the end; return the exit code: 0 after `shutdown`, else 1."""
        self._begin()
        while not self._done:
            try:
                event = self._inbox.get(timeout=self._wait_s())
            except queue.Empty:
                event = None
            if event is not None:
                self._handle(event)
            self._look()
        return self._code

    def _handle(self, event: Event) -> None:
        if isinstance(event, FromClient):
            self.handled += len(event.body)
            if self._ending_s is None:
                self._from_client(event.body)
        elif isinstance(event, FromServer):
            if event.process is self.process:
                self._from_server(event.body)
            elif event.process is self._spare:
                self._from_spare()
        elif isinstance(event, ServerEnded):
            if event.process is self.process:
                self._server_ended()
            elif event.process is self._spare:
                self._drop_spare()
        else:
            if isinstance(event, Ended):
                self.signal = event.signal
            elif event.why:
                self._log(event.why)
            if isinstance(event, Ended) or not event.reads:
                self._refuse_what_waits()
            self._end()

    # -- the client

    def _from_client(self, body: bytes) -> None:
        message = parse(body)
        if not isinstance(message, Refusal) and "jsonrpc" not in message:
            message = Refusal(INVALID_REQUEST, "this is not a JSON-RPC 2.0 message")
        if isinstance(message, Refusal):
            self._log(f"a message was refused: {message.message}")
            self._send(error(message.id, message.code, message.message))
            return
        method, number, params = message.get("method"), message.get("id"), message.get("params")
        session = self._session
        if method is None:
            if number in session.asked:
                session.asked.discard(number)
                self._to_server(body)
            return
        if number in session.pending:  # one of the two answers would be taken for the other
            self._send(error(number, INVALID_REQUEST, "another request with this identifier waits for its answer"))
            return
        if method == "initialize":
            if number is None:
                return  # no notification
            body = self._on_initialize(number, message, body)
        elif method == "exit" and number is not None:
            self._send(answer(number, None))
            number, body = None, notification(method, None)
        uri = uri_of(params)
        if session.initialize_id is not None:  # earlier messages, the server does not take
            session.journal.note(method, params)
        if number is not None:
            self._on_request(number, Pending(method, self._clock(), uri, is_asked(params)), body)
        elif method == "exit":
            self._to_server(body)
            self._end()
        elif uri is not None and self._suspects.holds_back(uri):
            if method == "textDocument/didClose":
                self._suspects.release(uri)
        else:
            if method == "$/cancelRequest" and is_object(params):
                wanted = params.get("id")
                if isinstance(wanted, int | str) and wanted in session.pending:
                    session.pending[wanted].cancelled = True
            self._to_server(body, uri)

    def _on_initialize(self, number: int | str, message: dict[str, Any], body: bytes) -> bytes:
        """Watch the client's process from here, in place of the answering process."""
        params, session = message.get("params"), self._session
        if session.initialize_id is not None or not is_object(params):
            return body
        if not self._remote:
            session.client_pid = process_id_of(params.get("processId"))
            if session.client_pid is not None and not is_alive(session.client_pid):
                session.client_pid = None  # of another machine, or another container
        body = encode({**message, "params": {**params, "processId": None}})
        session.initialize_id, session.initialize_body = number, body
        return body

    def _on_request(self, number: int | str, pending: Pending, body: bytes) -> None:
        session, method, uri = self._session, pending.method, pending.uri
        if session.shutdown and self.process is None:
            self._send(error(number, INVALID_REQUEST, "the server is shutting down"))
        elif (uri is not None and self._suspects.holds_back(uri)) or (self.process is None and method != "initialize"):
            if method == "shutdown":
                session.shutdown = True
                self._code = 0
                self._send(answer(number, None))
            else:
                self._send(nothing_for(number, method))
        else:
            session.pending[number] = pending
            if method == "shutdown":
                session.shutdown_id, session.shutdown_s, session.shutdown = number, pending.since, True
            self._to_server(body, uri)

    # -- the answering process

    def _from_server(self, body: bytes) -> None:
        process, session = self.process, self._session
        assert process is not None
        message = parse(body)
        self._silence = 0.0
        if self._spare is not None:
            self._drop_spare()
        if not process.said_something:
            process.said_something, self._ready_s = True, self._clock()
        if isinstance(message, Refusal):
            self._log(f"the server process sent what is not a message: {message.message}")
            return
        control = message.get("suture")
        if control is not None and "jsonrpc" not in message:
            self._on_control(control, message)
            return
        method, number = message.get("method"), message.get("id")
        if method is None:
            self._on_answer(number, message, body)
        elif number is not None:
            self._on_server_request(number, method, message, body)
        else:
            self._on_server_notification(method, message.get("params"), body)
        if session.shutdown:
            self._code = 0

    def _from_spare(self) -> None:
        """Replace the silent process by the spare, which has answered first."""
        assert self._spare is not None
        self._spare.said_something, self._ready_s = True, self._clock()
        if self.process is not None:  # else it was given up already
            self._replace(f"did not answer for {self._silence:.0f} s")

    def _on_control(self, control: Any, message: dict[str, Any]) -> None:
        if control == "pong":
            self._suspects.ponged(message["number"])
        elif control == "loading":
            self._loading = bool(message["on"])
        elif control == "ended" and self._ending_s is not None:
            self._finish()

    def _on_answer(self, number: Any, message: dict[str, Any], body: bytes) -> None:
        session = self._session
        pending = session.pending.pop(number, None)
        if pending is None:
            return  # answered here already, or a request of our own
        if number == session.initialize_id and not session.initialize_answered:
            if "result" in message:
                session.initialize_answered, self._ready_s = True, self._clock()
                self._failed_starts = 0
                session.journal.answered_initialize(message["result"])
            else:
                session.start_again(Journal(self._clock))
        if number == session.shutdown_id and pending.method == "shutdown":
            session.shutdown = "result" in message  # refused before `initialize`
            if not session.shutdown:
                session.shutdown_id = session.shutdown_s = None
        self._send(body)

    def _on_server_request(self, number: int | str, method: str, message: dict[str, Any], body: bytes) -> None:
        session, params = self._session, message.get("params")
        if method == "client/registerCapability" and self._is_registered(number, params):
            return
        if method == "client/unregisterCapability":
            session.unregister(params)
        session.asked.add(number)
        self._send(body)

    def _is_registered(self, number: int | str, params: Any) -> bool:
        """Note the server's registrations; whether the client already has all of them, from an earlier process."""
        done, old = self._session.register(params)
        if done and self.process is not None:
            self.process.send(answer(number, None))
        elif old:
            self._send(request(self._own(), "client/unregisterCapability", {"unregisterations": old}))
        return done

    def _on_server_notification(self, method: str, params: Any, body: bytes) -> None:
        session = self._session
        if method == "$/progress":
            session.note_progress(params)
        elif method == "window/showMessage" and is_object(params):
            if not session.shows(str(params.get("message")), again=not self._restarts):
                return  # an earlier process has
        self._send(body)
