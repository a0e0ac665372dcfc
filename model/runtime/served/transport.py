"""HTTP to one server, with cancellable waits.

Requests run on an event loop in a thread of its own; the caller waits in slices and checks for cancellation. Closing a stream makes llama.cpp
and vLLM stop generating. Each failure ends in a ModelError of one line: `ServerUnavailable` if trying again later may help.
"""

from __future__ import annotations

import asyncio
import json
import queue
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2

from ....common.constraint import never
from ....common.json_types import is_object
from ...errors import Cancelled, ModelError, ServerHangs, ServerUnavailable, first_line

CONNECT_S = 3.0
PATIENCE_S = 60.0
"""Seconds without a byte before a server counts as hanging: a long prompt on a slow machine takes tens of seconds."""
SILENT_S = 0.7
"""Seconds without a byte before a server is asked whether it lives: a computing one answers at once."""
ALIVE_S = 1.3
"""Seconds for its answer."""
AGAIN_S = 5.0
"""Seconds between two such questions, while it computes."""
_SLICE_S = 0.05  # between two checks for cancellation
_MOST_LINE = 64_000_000  # bytes of one event

Cancel = Callable[[], bool]


class _Loop:
    """One event loop in a daemon thread, for all transports of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="suture-http", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)


_LOOP = _Loop()


class Transport:
    """Requests to the server at one address. Used by one thread at a time."""

    def __init__(
        self, address: str, *, key: str | None = None, ca: Path | None = None, patience_s: float = PATIENCE_S
    ) -> None:
        """`key`: sent as a bearer token. `ca`: a file with certificates to trust besides the system's own."""
        self.address = address.rstrip("/")
        self.patience_s = patience_s
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._ca = ca
        self._client: httpx2.AsyncClient | None = None
        self.silence = Silence(self)

    def get(self, path: str, cancelled: Cancel = never) -> Any:
        """The JSON at a path."""
        return self._wait(_LOOP.submit(self._request("GET", path, None)), cancelled)

    def post(self, path: str, body: dict[str, Any], cancelled: Cancel = never) -> Any:
        """The JSON answer of a path to an object."""
        return self._wait(_LOOP.submit(self._request("POST", path, body)), cancelled)

    def stream(self, path: str, body: dict[str, Any]) -> EventStream:
        """The events of a path's answer to an object, as they arrive."""
        events: queue.Queue[Any] = queue.Queue()
        future = _LOOP.submit(self._events(path, body, events))
        return EventStream(self, future, events)

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            _LOOP.submit(client.aclose())

    def _connections(self) -> httpx2.AsyncClient:
        """On the loop's thread."""
        if self._client is None:
            timeout = httpx2.Timeout(self.patience_s, connect=CONNECT_S)
            verify: ssl.SSLContext | bool = True
            if self._ca is not None and self.address.startswith("https"):
                verify = ssl.create_default_context()
                try:
                    verify.load_verify_locations(self._ca)
                except (OSError, ssl.SSLError) as error:
                    raise ModelError(
                        f"{self._ca} holds no certificates ({first_line(error)}): correct model_ca"
                    ) from None
            # The environment's proxies are ignored: code goes to the address named by the user, and nowhere else.
            self._client = httpx2.AsyncClient(
                base_url=self.address,
                headers=self._headers,
                timeout=timeout,
                verify=verify,
                trust_env=False,
                follow_redirects=False,
            )
        return self._client

    async def _request(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        try:
            reply = await self._connections().request(method, path, json=body)
        except (httpx2.HTTPError, httpx2.StreamError, OSError, ssl.SSLError) as error:
            raise self._lost(error) from None
        if reply.status_code != 200:
            raise self._refused(reply.status_code, reply.content)
        try:
            return _parsed(reply.content)
        except ValueError:
            raise ModelError(
                f"{self.address} does not answer with JSON: is it the address of a model server?"
            ) from None

    async def _events(self, path: str, body: dict[str, Any], events: queue.Queue[Any]) -> None:
        try:
            async with self._connections().stream("POST", path, json=body) as reply:
                if reply.status_code != 200:
                    raise self._refused(reply.status_code, await reply.aread())
                async for event in _decoded(reply.aiter_lines()):
                    events.put(event)
            events.put(None)
        except (httpx2.HTTPError, httpx2.StreamError, OSError, ssl.SSLError) as error:
            events.put(self._lost(error))
        except ModelError as error:
            events.put(error)
        except ValueError:
            events.put(ServerUnavailable(f"{self.address} sent an answer that is no JSON"))

    def _lost(self, error: BaseException) -> ModelError:
        if isinstance(error, httpx2.TimeoutException) and not isinstance(error, httpx2.ConnectTimeout):
            return ServerUnavailable(f"{self.address} does not answer")
        if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout)):
            if "CERTIFICATE" in str(error).upper():
                return ModelError(f"the certificate of {self.address} is not trusted: name its authority with model_ca")
            return ServerUnavailable(f"{self.address} cannot be reached")
        return ServerUnavailable(f"the connection to {self.address} was lost ({first_line(error)})")

    def _refused(self, status: int, content: bytes) -> ModelError:
        said = _message(content)
        if status in (401, 403):
            if not self._headers:
                return ModelError(f"{self.address} wants a key: name the environment variable with it (model_key_env)")
            return ModelError(f"{self.address} does not accept the key: check the variable that model_key_env names")
        if status == 404:
            return ModelError(
                f"{self.address} does not know this model or path ({said}): check the address and the name"
            )
        if status in (408, 425, 429) or status >= 500:
            return ServerUnavailable(f"{self.address} cannot answer now (status {status}: {said})")
        return ModelError(f"{self.address} refuses the request (status {status}: {said})")

    async def lives(self) -> bool:
        """Whether the server answers anything at all, or nobody can be asked."""
        try:
            await self._connections().get("/health", timeout=ALIVE_S)
        except httpx2.TimeoutException:
            return False
        except (httpx2.HTTPError, httpx2.StreamError, OSError, ssl.SSLError):
            pass  # requests meanwhile report it
        return True

    def _wait(self, future: Future[Any], cancelled: Cancel) -> Any:
        while True:
            try:
                answer = future.result(_SLICE_S)
                self.silence.ends()
                return answer
            except FutureTimeout:
                if future.done():  # the work's own
                    return future.result()
                if cancelled():
                    future.cancel()
                    raise Cancelled from None
                try:
                    self.silence.lasts()
                except ServerHangs:
                    future.cancel()
                    raise


class Silence:
    """The silence of an awaited server: a question of another kind tells a hanging one from a computing one.

    It lasts from a cancelled request to the next, since a typing user cancels each.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._ask_at: float | None = None
        self._asked: Future[bool] | None = None

    def lasts(self) -> None:
        """Note a moment without an answer; raises ServerHangs."""
        now = monotonic()
        if self._ask_at is None:
            self._ask_at = now + SILENT_S
        elif self._asked is None:
            if now >= self._ask_at:
                self._asked = _LOOP.submit(self._transport.lives())
        elif self._asked.done():
            lives, self._asked = self._asked.result(), None
            if not lives:
                self._ask_at = None
                raise ServerHangs(f"{self._transport.address} hangs")
            self._ask_at = now + AGAIN_S

    def ends(self) -> None:
        """Note an answer."""
        self._ask_at = self._asked = None


class EventStream:
    """Events in progress."""

    def __init__(self, transport: Transport, future: Future[Any], events: queue.Queue[Any]) -> None:
        self._transport = transport
        self._future = future
        self._events = events

    def next(self, cancelled: Cancel = never) -> Any:
        """The next event, None after the last; waits for it. Raises Cancelled and ModelError."""
        began = monotonic()
        while True:
            try:
                event = self._events.get(timeout=_SLICE_S)
            except queue.Empty:
                if cancelled():
                    self.close()
                    raise Cancelled from None
                if self._future.done() and self._events.empty():
                    raise ServerUnavailable(f"the connection to {self._transport.address} was lost") from None
                if monotonic() - began > self._transport.patience_s:
                    self.close()
                    raise ServerUnavailable(f"{self._transport.address} does not answer") from None
                try:
                    self._transport.silence.lasts()
                except ServerHangs:
                    self.close()
                    raise
                continue
            self._transport.silence.ends()
            if isinstance(event, ModelError):
                raise event
            return event

    def close(self) -> None:
        """Stop the stream: the server stops generating."""
        self._future.cancel()


async def _decoded(lines: AsyncIterator[str]) -> AsyncIterator[Any]:
    """The objects of a stream of server-sent events, or of lines of JSON as Ollama sends them."""
    async for line in lines:
        if len(line) > _MOST_LINE:
            raise ValueError("an event without an end")
        if line.startswith("data:"):
            line = line[5:].strip()
            if line == "[DONE]":
                return
        elif line.startswith("error:"):  # llama.cpp
            line = line[6:].strip()
        elif not line.startswith("{"):
            continue  # comments, names of events, blank lines
        if line:
            event = _parsed(line)
            if not isinstance(event, dict):
                raise ValueError("an event that is no object")
            yield event


def _parsed(text: str | bytes) -> Any:
    """The value of JSON; raises ValueError, also for too deep nesting."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON nested too deep") from None


def _message(content: bytes) -> str:
    """A server's error message, in a few words."""
    try:
        parsed = _parsed(content)
        error = parsed.get("error", parsed)
        said = error.get("message", "") if is_object(error) else error
    except (ValueError, AttributeError):
        said = content[:200].decode(errors="replace")
    return " ".join(str(said).split())[:200] or "nothing said"
