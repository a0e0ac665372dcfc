"""From a request of any route to texts: the file behind each window, the server's texts for it, and the requests waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from ...common.json_types import is_object
from ...parser import checkable, guarantee, language_for_path
from ..completion.judging.hidden import Reason
from .folder import Folder, Found, SecretFile
from .window import Window
from .wire import Asked, Text, Texts

GUARANTEE_OF_WINDOW = "window"
"""The guarantee of a text for a window whose file was not found: it fits the window."""
NO_TOKENS = "the request asks for no tokens"
NO_WINDOW = "there is no text around the cursor"
NO_LANGUAGE = (
    "the language is not known: no file of the folder is like it, and the request names no `filename` or `language`"
)
_OPENERS = (":", "{", "(", "[")


class Server(Protocol):
    """The language server; see `Conversation`."""

    def texts(self, uri: str, language: str, left: str, right: str, bounds: dict[str, Any]) -> tuple[int, Future[Any]]:
        """Ask for the texts at a cursor."""
        ...

    def cancel(self, number: int) -> None:
        """Cancel a request."""
        ...


class Late(Exception):
    """The deadline passed without an answer."""


@dataclass(frozen=True)
class _Place:
    """A cursor in a document of the server."""

    uri: str
    language: str
    left: str
    right: str
    guarantee: str


@dataclass
class _Running:
    """A question to the server, and the number of requests waiting for its answer."""

    answer: asyncio.Task[Any]
    waiting: int = 0


class Turns:
    """A lock for one at a time, the newest first: a user who typed on wants no answer for an older text."""

    def __init__(self) -> None:
        self._busy = False
        self._waiting: list[asyncio.Future[None]] = []

    async def __aenter__(self) -> None:
        if not self._busy:
            self._busy = True
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn in self._waiting:
                self._waiting.remove(turn)
            else:  # it got its turn meanwhile
                self._next()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._next()

    def _next(self) -> None:
        if self._waiting:
            self._waiting.pop().set_result(None)
        else:
            self._busy = False


class Service:
    """Answers requests for one folder, within one event loop. Requests for the same window share a question: some clients send three."""

    def __init__(self, folder: Path, server: Server) -> None:
        self._folder, self._server = Folder(folder), server
        # A window of a known file waits for no search.
        self._knowing, self._searching = (ThreadPoolExecutor(1, name) for name in ("suture-known", "suture-search"))
        self._turns = Turns()
        self._running: dict[Hashable, _Running] = {}

    @property
    def waiting(self) -> int:
        """The number of requests waiting for the server."""
        return sum(running.waiting for running in self._running.values())

    async def answer(self, asked: Asked) -> list[Texts]:
        """The texts for each window of a request; raises Late."""
        try:
            async with asyncio.timeout(asked.deadline_ms / 1000):
                return [await self._texts(asked, window) for window in asked.windows]
        except TimeoutError:
            raise Late from None

    async def _texts(self, asked: Asked, window: Window) -> Texts:
        if asked.max_tokens == 0:
            return Texts(reason=NO_TOKENS)
        if not (window.left.strip() or window.right.strip()):
            return Texts(reason=NO_WINDOW)
        indent = indentation(window.left) if asked.brings_indentation else ""
        try:
            place = await self._place(asked, Window(window.left + indent, window.right))
        except SecretFile:
            return Texts(reason=Reason.SECRET.value)
        if place is None:
            return Texts(reason=NO_LANGUAGE)
        result = await self._asked(place, asked.bounds)
        texts = [replace(text, text=indent + text.text) for text in _texts(result)]
        return Texts(
            tuple(texts[: asked.choices]), place.guarantee if texts else "none", "" if texts else _reason(result)
        )

    async def _asked(self, place: _Place, bounds: dict[str, Any]) -> Any:
        """The server's answer."""
        key = place, tuple(bounds.items())
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = _Running(asyncio.ensure_future(self._ask(place, bounds)))
        running.waiting += 1
        try:
            result = await asyncio.shield(running.answer)
        finally:
            running.waiting -= 1
            if not running.waiting:
                self._running.pop(key, None)
                running.answer.cancel()
        if not is_object(result):  # llama.vim would cache an empty text as the answer for this place
            raise Late
        return result

    async def _ask(self, place: _Place, bounds: dict[str, Any]) -> Any:
        async with self._turns:
            number, answer = self._server.texts(place.uri, place.language, place.left, place.right, bounds)
            try:
                return await asyncio.shield(asyncio.wrap_future(answer))
            except asyncio.CancelledError:
                self._server.cancel(number)
                raise

    async def _place(self, asked: Asked, window: Window) -> _Place | None:
        """The cursor in the window's file, or in the window alone; None where its language is unknown. Raises SecretFile."""
        loop, until_s = asyncio.get_running_loop(), time.monotonic() + asked.deadline_ms / 1000
        if asked.filename:
            joined = await loop.run_in_executor(self._knowing, self._folder.named, window, asked.filename)
            where = Found(joined, Path(asked.filename).suffix)
        else:
            where = Found(await loop.run_in_executor(self._knowing, self._folder.known, window))
            if where.joined is None:
                where = await loop.run_in_executor(self._searching, self._folder.search, window, until_s)
        joined = where.joined
        name = joined.path.name if joined is not None else "window" if asked.language else f"window{where.suffix}"
        language = asked.language or language_for_path(name) or checkable("", name)
        if language is None:
            return None
        if joined is None:
            return _Place(f"untitled:{name}", language, window.left, window.right, GUARANTEE_OF_WINDOW)
        promised = guarantee(language_for_path(name) or language) if joined.shared else GUARANTEE_OF_WINDOW
        return _Place(joined.path.as_uri(), language, joined.left, joined.right, promised)


def indentation(left: str) -> str:
    """The indentation of a new line behind a text, as editors choose it: that of the last nonblank line, one deeper behind an opener."""
    lines = [line for line in left.split("\n") if line.strip()]
    if not lines:
        return ""
    last = lines[-1]
    blank = last[: len(last) - len(last.lstrip())]
    if not last.rstrip().endswith(_OPENERS):
        return blank
    widths = [line[: len(line) - len(line.lstrip())] for line in lines]
    steps = [later[len(earlier) :] for earlier, later in pairwise(widths) if later.startswith(earlier)]
    return blank + (next((step for step in reversed(steps) if step), "    "))


def _texts(result: dict[str, Any]) -> list[Text]:
    items: list[dict[str, Any]] = result.get("texts") or []
    return [Text(item["text"], item["isCut"], item["tokens"], item["promptTokens"]) for item in items]


def _reason(result: dict[str, Any]) -> str:
    return str(result.get("reason") or Reason.NO_TEXT.value)
