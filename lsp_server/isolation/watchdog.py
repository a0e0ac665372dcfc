"""The watchdog over the answering process: notices its silence, brings a new one to the session's state, and ends with it.

The relay (`relay.py`) is built on this. All of it runs in one thread; only `post` may be called from others.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import Any

from ..protocol.jsonrpc import REQUEST_CANCELLED, REQUEST_FAILED, answer, encode, error, notification, request
from .client_process import is_alive
from .events import ClientGone, Event, FromClient
from .journal import Journal
from .limits import Limits
from .process import ServerEnded, ServerProcess, is_ended_by_others
from .session import RelayedSession, nothing_for
from .suspects import Suspects

_OWN = "suture-relay/"  # identifiers of our own requests, to both sides
_WARNING = 2


class Watchdog:
    """One conversation's process, and its state."""

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
            start: starts a process and takes the sink of its events.
            send: sends a body to the client; never waits.
            log: writes a line to standard error; never waits.
            remote: the client came over a network, perhaps from another machine.
            process: a running process, left by an earlier client.
        """
        self._start, self._send, self._log = start, send, log
        self._limits, self._clock, self._remote = limits or Limits(), clock, remote
        self._inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.received, self.handled = 0, 0  # bytes of the client's messages, for backpressure on their reader
        self.signal: int | None = None
        self.process: ServerProcess | None = process
        self._spare: ServerProcess | None = None  # started while the other is silent
        self._spared_s = float("-inf")  # when the last spare was started
        self._session = RelayedSession(Journal(clock))
        self._suspects = Suspects(clock)
        self._number = 0
        self._silence = 0.0
        self._looked_s = self._pinged_s = self._checked_s = self._ready_s = clock()
        self._loading = False
        self._restarts: list[float] = []
        self._failed_starts = 0
        self._start_at: float | None = None  # when to start a process again
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
        """Bytes of the client's unhandled messages."""
        return self.received - self.handled

    # -- the process

    def _to_server(self, body: bytes, uri: str | None = None) -> None:
        if self.process is None:
            return  # the journal has the rest
        if uri is not None:
            self._suspects.touched(uri)
        self.process.send(body)

    # -- time

    def _wait_s(self) -> float:
        """Seconds until the next work is due."""
        session = self._session
        urgent = (
            self._ending_s is not None
            or self._start_at is not None
            or (session.shutdown_s is not None and session.shutdown_id in session.pending)
            or self._silence >= self._limits.busy
        )
        return 0.05 if urgent else 0.25 if self._suspects.waiting or session.pending else self._limits.ping

    def _look(self) -> None:
        """Do the work that is due."""
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
            # Not simply the time passed: a machine asleep, or too busy for us, had no time for the other process either.
            self._silence += min(passed, 2 * limits.ping)
        if self._session.initialize_answered:
            self._answer_what_waits(now)
        if self._silence >= (limits.spare if self.process.said_something else limits.slow_start):
            self._start_spare()
        session = self._session
        if session.shutdown_id in session.pending and session.shutdown_s is not None:
            if self._waited(session.shutdown_s) >= (limits.starting_end if self._starting else limits.shutdown):
                self._shut_down_without_it()
                return
        patience = limits.loading if self._loading else limits.silent
        if not self.process.said_something:
            patience = max(patience, limits.starting)
        if self._silence >= patience:
            self._replace(f"did not answer for {self._silence:.0f} s")
        elif self.process.unsent > limits.most_unsent:
            self._replace("did not read its messages")
        elif now - self._pinged_s >= self._ping_s():
            self._ping()
        if now - self._checked_s >= limits.ping:
            self._checked_s = now
            if session.client_pid is not None and not is_alive(session.client_pid):
                self.post(ClientGone(reads=False))
            if not self._suspects.active:
                session.journal.fold()
            for uri in self._suspects.released():
                self._open_again(uri)

    def _ping_s(self) -> float:
        """Seconds between two pings."""
        if any(request.since >= self._pinged_s for request in self._session.pending.values()):
            return self._limits.asked_ping
        return self._limits.ping if self._session.pending or self._suspects.active else self._limits.idle_ping

    def _ping(self) -> None:
        """Ask whether the process is alive: its message loop answers."""
        if self.process is not None and self._suspects.unanswered < 100:
            self._pinged_s = self._clock()
            self.process.send(encode({"suture": "ping", "number": self._suspects.pinged()}))

    def _answer_what_waits(self, now: float) -> None:
        """Answer the requests to a silent process, and late requests for suggestions, so that nobody waits longer than needed: even a process
        that answers pings may be busy with one text for any length of time."""
        session, limits = self._session, self._limits
        silent = self._silence >= limits.busy
        for number, pending in list(session.pending.items()):
            waited = now - pending.since
            if silent and pending.cancelled:
                self._send(error(number, REQUEST_CANCELLED, "the request was cancelled"))
            elif (silent and waited >= limits.busy and pending.method != "shutdown") or pending.is_late(
                waited, limits.late, limits.late_asked
            ):
                self._send(nothing_for(number, pending.method))
            else:
                continue
            del session.pending[number]

    def _shut_down_without_it(self) -> None:
        """Answer `shutdown` in place of the process."""
        session = self._session
        assert session.shutdown_id is not None
        number = session.shutdown_id
        self._code = 0
        del session.pending[number]
        self._refuse_what_waits()
        self._send(answer(number, None))
        self._drop_spare()
        self._drop_process()

    # -- another process

    def _begin(self) -> None:
        if self.process is None:
            self.process = self._start(self.post)
        else:
            self.process.deliver = self.post
            if self.process.ended(0) is not None:
                self.post(ServerEnded(self.process))
        self._greet(self.process)
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
            why = self.process.how_it_ended()
            self._replace(why, blamed=not is_ended_by_others(self.process.ended(0)))

    def _drop_process(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.close()
            self.process = None
        self._silence, self._loading = 0.0, False

    def _start_spare(self) -> None:
        """Start a spare beside a silent process; the first to answer stays. A busy machine slows both alike, so it does not make the spare
        win."""
        assert self.process is not None
        now, limits = self._clock(), self._limits
        rare = now - self._spared_s >= limits.silent or self._silence >= limits.busy  # not for each short silence
        if self._spare is None and rare and len(self._restarts) < limits.spares and not self._loading:
            self._spared_s = now
            try:
                self._spare = self._start(self.post)
            except OSError:
                return  # the next try comes when the silent one is given up
            self._greet(self._spare)
            self._spare.send(encode({"suture": "ping", "number": 0}))

    def _drop_spare(self) -> None:
        spare, self._spare = self._spare, None
        if spare is not None:
            spare.kill()
            spare.close()

    def _greet(self, process: ServerProcess) -> None:
        process.send(encode({"suture": "begin", "remote": self._remote, "hurry": self._session.initialize_answered}))

    def _replace(self, why: str, blamed: bool = True) -> None:
        """Give the process up, and start another in a while; blame the documents in work unless something outside ended it (`blamed`)."""
        session, now = self._session, self._clock()
        started = self.process is not None and self.process.said_something and session.initialize_answered
        waiting = [pending.uri for pending in session.pending.values() if pending.uri is not None]
        held = self._suspects.blame(waiting) if blamed else []
        self._drop_process()
        self._log(f"the server process {why}; another one is started")
        if not started:
            self._failed_starts += 1
            if self._failed_starts >= self._limits.starts:
                self._give_up(why)
                return
        for number, pending in list(session.pending.items()):
            if number != session.initialize_id or session.initialize_answered:
                self._send(nothing_for(number, pending.method))
                del session.pending[number]
        for token in session.progress:
            self._send(notification("$/progress", {"token": token, "value": {"kind": "end"}}))
        session.progress.clear()
        session.asked.clear()
        self._restarts = [restarted_s for restarted_s in self._restarts if now - restarted_s < self._limits.memory] + [
            now
        ]
        delays = self._limits.delays
        self._start_at = now + (0.0 if self._spare else delays[min(len(self._restarts), len(delays)) - 1])
        if session.initialize_answered:
            self._tell(f"Suture: the server process {why} and is restarted; your documents are kept.", _WARNING)
            for uri in held:
                name = uri.rpartition("/")[2] or uri
                self._tell(f"Suture: {name} stopped the server twice; it gets no suggestions for a while.", _WARNING)
            for uri in session.journal.lost:
                name = uri.rpartition("/")[2] or uri
                self._tell(f"Suture: {name} is too large to be kept; close and open it for suggestions.", _WARNING)

    def _start_again(self) -> None:
        """Bring a new process to the session's state."""
        session = self._session
        self._start_at = None
        process, self._spare = self._spare, None
        if process is None:
            try:
                process = self._start(self.post)
            except OSError as problem:
                self._log(f"no process can be started: {problem.strerror}")
                self._start_at = self._clock() + self._limits.delays[-1]
                return
            self._greet(process)
        self.process = process
        self._suspects.begin()
        self._silence = 0.0
        self._ping()
        if session.initialize_id in session.pending and not session.initialize_answered:
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
            self._ping()  # so that its next work counts for another document

    def _give_up(self, why: str) -> None:
        """Report to the log and in answers, where somebody reads it: the process cannot be started."""
        self._drop_spare()
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
        self._drop_spare()
        self._ending_s = self._clock()
        self._code = 0 if self._session.shutdown else 1
        if self.process is None:
            self._finish()
        elif self._remote:
            self.process.send(encode({"suture": "end"}))
        else:
            self.process.close()

    @property
    def _starting(self) -> bool:
        """Whether the process has said nothing yet, or not answered `initialize`, its first task."""
        session = self._session
        greeting = session.initialize_id in session.pending and not session.initialize_answered
        return self.process is not None and (greeting or not self.process.said_something)

    def _waited(self, since_s: float) -> float:
        """Seconds the process has had for a task, from the earliest time it could begin."""
        return self._clock() - max(since_s, self._ready_s)

    def _look_at_the_end(self) -> None:
        assert self._ending_s is not None
        starting = self._starting and bool(self._session.pending)
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
