"""The reader of messages: passes them on between a client and the process that answers, and never computes.

One thread handles events in order: messages of both sides, the ends of both, and the passing of time. Everything else (reading, writing,
waiting) happens in threads that hand events in. When the process is silent for too long it is killed, and a new one is brought to where the
session was; what must be answered at once is answered here.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...common.json_types import is_object
from ..protocol.jsonrpc import (
    INVALID_REQUEST,
    REQUEST_CANCELLED,
    REQUEST_FAILED,
    Refusal,
    answer,
    encode,
    error,
    notification,
    parse,
    request,
)
from .client_process import is_alive, process_id_of
from .journal import Journal
from .limits import Limits
from .process import FromServer, ServerEnded, ServerProcess
from .session import Pending, RelayedSession, nothing_for, uri_of
from .suspects import Suspects

_OWN = "suture-relay/"  # identifiers of our own requests, to both sides
_WARNING, _ERROR = 2, 1


@dataclass(frozen=True)
class FromClient:
    """A message of the client."""

    body: bytes


@dataclass(frozen=True)
class ClientGone:
    """The client has gone, or cannot be understood any more."""

    why: str = ""
    reads: bool = True  # what is still said to it


@dataclass(frozen=True)
class Ended:
    """A signal asks us to end."""

    signal: int


Event = FromClient | ClientGone | Ended | FromServer | ServerEnded


class Relay:
    """One conversation with a client; `run` ends with it."""

    def __init__(
        self,
        start: Callable[[Callable[[Any], None]], ServerProcess],
        send: Callable[[bytes], None],
        log: Callable[[str], None],
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        remote: bool = False,
        process: ServerProcess | None = None,
    ):
        """
        Args:
            start: starts a process that hands its events in.
            send: sends a body to the client; never waits.
            log: writes a line to standard error; never waits.
            remote: the client came over a network: it may be on another machine.
            process: one that waits for a session, of an earlier client.
        """
        self._start, self._send, self._log = start, send, log
        self._limits, self._clock, self._remote = limits or Limits(), clock, remote
        self._inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.received, self.handled = 0, 0  # bytes of the client's messages, for whoever reads them to wait
        self.signal: int | None = None
        self.process: ServerProcess | None = process
        self._session = RelayedSession(Journal(clock))
        self._suspects = Suspects(clock)
        self._number = 0
        self._silence = 0.0
        self._looked_s = self._pinged_s = self._checked_s = self._ready_s = clock()
        self._loading = False
        self._restarts: list[float] = []
        self._failed_starts = 0
        self._start_at: float | None = None  # when a process is started again
        self._ending_s: float | None = None
        self._done = False
        self._code = 1

    # -- events from other threads

    def post(self, event: Event) -> None:
        """Hand an event in, from any thread or a signal handler."""
        if isinstance(event, FromClient):
            self.received += len(event.body)
        self._inbox.put(event)

    @property
    def backlog(self) -> int:
        """Bytes of the client's messages that were not handled."""
        return self.received - self.handled

    def run(self) -> int:
        """Relay until the end; gives the exit code: 0 after `shutdown`, else 1."""
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
        elif isinstance(event, ServerEnded):
            if event.process is self.process:
                self._server_ended()
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
            message = Refusal(INVALID_REQUEST, "this is no message of JSON-RPC 2.0")
        if isinstance(message, Refusal):
            self._log(f"a message was refused: {message.message}")
            self._send(error(message.id, message.code, message.message))
            return
        method, number, params = message.get("method"), message.get("id"), message.get("params")
        if method is None:
            if number in self._session.asked:
                self._session.asked.discard(number)
                self._to_server(body)
            return
        if method == "initialize" and number is not None:
            body = self._on_initialize(number, message, body)
        uri = uri_of(params)
        session = self._session
        session.journal.note(method, params)
        if number is not None:
            self._on_request(number, method, uri, body)
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
        """Watch the client's process from here; the one that answers need not."""
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

    def _on_request(self, number: int | str, method: str, uri: str | None, body: bytes) -> None:
        session = self._session
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
            session.pending[number] = Pending(method, self._clock(), uri)
            if method == "shutdown":
                session.shutdown_id, session.shutdown_s, session.shutdown = number, self._clock(), True
            self._to_server(body, uri)

    # -- the process

    def _to_server(self, body: bytes, uri: str | None = None) -> None:
        if self.process is None:
            return  # the journal has what counts
        if uri is not None:
            self._suspects.touched(uri)
        self.process.send(body)

    def _from_server(self, body: bytes) -> None:
        process, session = self.process, self._session
        assert process is not None
        message = parse(body)
        self._silence = 0.0
        if not process.said_something:
            process.said_something, self._ready_s = True, self._clock()
        if isinstance(message, Refusal):
            self._log(f"a message of the server process was no message: {message.message}")
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
        if number == session.initialize_id and "result" in message:
            session.initialize_answered = True
            self._failed_starts = 0
            session.journal.answered_initialize(message["result"])
        if number == session.shutdown_id:
            self._code = 0
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
        """Take note of what the server registers; whether the client has all of it, from an earlier process."""
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

    # -- time

    def _wait_s(self) -> float:
        """How long nothing need be looked at."""
        session = self._session
        urgent = (
            self._ending_s is not None
            or self._start_at is not None
            or (session.shutdown_s is not None and session.shutdown_id in session.pending)
            or self._silence >= self._limits.busy
        )
        return 0.05 if urgent else self._limits.ping

    def _look(self) -> None:
        """Do what the time asks for."""
        now, limits = self._clock(), self._limits
        passed = now - self._looked_s
        if passed < 0.02 and self._inbox.qsize():
            return  # there is something to read first
        self._looked_s = now
        if self._ending_s is not None:
            self._look_at_the_end()
            return
        if self._start_at is not None and now >= self._start_at:
            self._start_again()
        if self.process is None:
            return
        if self._suspects.waiting:
            # Not simply the time since: while this machine sleeps, or has no time for us, it has none for the other process.
            self._silence += min(passed, 2 * limits.ping)
        if self._silence >= limits.busy and self._session.initialize_answered:
            self._answer_what_waits(now)
        session = self._session
        if session.shutdown_id in session.pending and session.shutdown_s is not None:
            if self._waited(session.shutdown_s) >= (
                limits.shutdown if self.process.said_something else limits.starting_end
            ):
                self._shut_down_without_it()
                return
        patience = limits.loading if self._loading else limits.silent
        if not self.process.said_something:
            patience = max(patience, limits.starting)
        if self._silence >= patience:
            self._replace(f"did not answer for {self._silence:.0f} s")
        elif self.process.unsent > limits.most_unsent:
            self._replace("did not read its messages")
        elif now - self._pinged_s >= (limits.ping if self._is_busy() else limits.idle_ping):
            self._ping()
        if now - self._checked_s >= limits.ping:
            self._checked_s = now
            if session.client_pid is not None and not is_alive(session.client_pid):
                self.post(ClientGone(reads=False))
            if not self._suspects.active:
                session.journal.fold()
            for uri in self._suspects.released():
                self._open_again(uri)

    def _is_busy(self) -> bool:
        return bool(self._session.pending) or self._suspects.active

    def _ping(self) -> None:
        """Ask whether the process is alive: it answers from the loop that reads messages."""
        if self.process is not None and self._suspects.unanswered < 100:
            self._pinged_s = self._clock()
            self.process.send(encode({"suture": "ping", "number": self._suspects.pinged()}))

    def _answer_what_waits(self, now: float) -> None:
        """The process is silent: nobody waits for it longer than need be."""
        session = self._session
        for number, pending in list(session.pending.items()):
            if pending.cancelled:
                self._send(error(number, REQUEST_CANCELLED, "the request was cancelled"))
            elif now - pending.since >= self._limits.busy and pending.method != "shutdown":
                self._send(nothing_for(number, pending.method))
            else:
                continue
            del session.pending[number]

    def _shut_down_without_it(self) -> None:
        """Answer `shutdown` for a process that does not."""
        session = self._session
        assert session.shutdown_id is not None
        number = session.shutdown_id
        self._code = 0
        del session.pending[number]
        self._refuse_what_waits()
        self._send(answer(number, None))
        self._drop_process()

    # -- another process

    def _begin(self) -> None:
        if self.process is None:
            self.process = self._start(self.post)
        else:
            self.process.deliver = self.post
            if self.process.ended(0) is not None:
                self.post(ServerEnded(self.process))
        self.process.send(encode({"suture": "begin", "remote": self._remote}))
        self._ping()

    def _server_ended(self) -> None:
        if self._ending_s is not None:
            self._finish()
        elif self._session.shutdown:
            if self._session.shutdown_id in self._session.pending:
                self._shut_down_without_it()
            else:
                self._drop_process()
        else:
            assert self.process is not None
            self._replace(self.process.how_it_ended())

    def _drop_process(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.close()
            self.process = None
        self._silence, self._loading = 0.0, False

    def _replace(self, why: str) -> None:
        """Give the process up, and start another in a while."""
        session, now = self._session, self._clock()
        started = self.process is not None and self.process.said_something and session.initialize_answered
        waiting = [pending.uri for pending in session.pending.values() if pending.uri is not None]
        held = self._suspects.blame(waiting)
        self._drop_process()
        self._log(f"the server process {why}; another one is started")
        if not started:
            self._failed_starts += 1
            if self._failed_starts >= self._limits.starts:
                self._give_up(why)
                return
        for number, pending in list(session.pending.items()):
            if pending.method != "initialize":
                self._send(nothing_for(number, pending.method))
                del session.pending[number]
        for token in session.progress:
            self._send(notification("$/progress", {"token": token, "value": {"kind": "end"}}))
        session.progress.clear()
        session.asked.clear()
        self._restarts = [at for at in self._restarts if now - at < self._limits.memory] + [now]
        delays = self._limits.delays
        self._start_at = now + delays[min(len(self._restarts), len(delays)) - 1]
        if session.initialize_answered:
            self._tell(f"Suture: the server process {why} and is started anew; your documents are kept.", _WARNING)
            for uri in held:
                name = uri.rpartition("/")[2] or uri
                self._tell(f"Suture: {name} stopped the server twice; it gets no suggestions for a while.", _WARNING)
            for uri in session.journal.lost:
                name = uri.rpartition("/")[2] or uri
                self._tell(f"Suture: {name} is too large to be kept; close and open it for suggestions.", _WARNING)

    def _start_again(self) -> None:
        """Bring a new process to where the session is."""
        session = self._session
        self._start_at = None
        try:
            self.process = process = self._start(self.post)
        except OSError as problem:
            self._log(f"no process can be started: {problem.strerror}")
            self._start_at = self._clock() + self._limits.delays[-1]
            return
        self._suspects.begin()
        self._silence = 0.0
        process.send(encode({"suture": "begin", "remote": self._remote}))
        self._ping()
        if session.initialize_id in session.pending:
            process.send(session.initialize_body)
        elif session.journal.initialize is not None:
            params = {**session.journal.initialize, "processId": None}
            process.send(request(self._own(), "initialize", params))
        for method, params, is_request in session.journal.replay():
            process.send(request(self._own(), method, params) if is_request else notification(method, params))
        for uri in session.journal.uris:
            self._open_again(uri)

    def _open_again(self, uri: str) -> None:
        opening = self._session.journal.opening(uri)
        if opening is not None and self.process is not None and not self._suspects.holds_back(uri):
            self._to_server(notification("textDocument/didOpen", opening), uri)
            self._ping()  # what it does next is then known to be about another document

    def _give_up(self, why: str) -> None:
        """It cannot be started: say so, where somebody reads it."""
        self._log(f"the server process cannot be started: it {why}")
        for number, pending in self._session.pending.items():
            text = f"the server process {why}; `suture doctor` says more"
            self._send(
                error(number, REQUEST_FAILED, text) if pending.method == "initialize" else nothing_for(number, "")
            )
        self._session.pending.clear()
        self._done, self._code = True, 1

    # -- the end

    def _end(self) -> None:
        """Let the process end by itself, for as long as it may take."""
        if self._ending_s is not None:
            return
        self._ending_s = self._clock()
        self._code = 0 if self._session.shutdown else 1
        if self.process is None:
            self._finish()
        elif self._remote:
            self.process.send(encode({"suture": "end"}))
        else:
            self.process.close()

    def _waited(self, since_s: float) -> float:
        """How long the process has had for something, from when it could have begun with it."""
        return self._clock() - max(since_s, self._ready_s)

    def _look_at_the_end(self) -> None:
        assert self._ending_s is not None
        starting = self.process is not None and not self.process.said_something and bool(self._session.pending)
        if self._waited(self._ending_s) >= (self._limits.starting_end if starting else self._limits.end):
            self._drop_process()
            self._finish()

    def _finish(self) -> None:
        self._refuse_what_waits()
        self._done = True

    def _refuse_what_waits(self) -> None:
        for number, pending in list(self._session.pending.items()):
            if pending.method != "shutdown":
                self._send(error(number, REQUEST_CANCELLED, "the server is shutting down"))
                del self._session.pending[number]

    def _tell(self, text: str, kind: int) -> None:
        self._send(notification("window/showMessage", {"type": kind, "message": text}))

    def _own(self) -> str:
        self._number += 1
        return f"{_OWN}{self._number}"
