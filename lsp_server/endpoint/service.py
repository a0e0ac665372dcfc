"""From a request of any route to texts: the file behind the window, the server's suggestions for it, and who still waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, TimeoutError
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from ...common.json_types import is_object
from ...parser import checkable, guarantee, language_for_path
from .folder import Folder
from .window import Joined, Window
from .wire import Asked

GUARANTEE_OF_WINDOW = "window"
"""The text fits the window: the file that it is part of was not found."""
LOOK_S = 0.05
"""Between two looks at whether the client still waits."""
_OPENERS = (":", "{", "(", "[")


class Server(Protocol):
    """The language server, as `Conversation` reaches it."""

    def suggestions(
        self, uri: str, language: str, left: str, right: str, *, invoked: bool = False
    ) -> tuple[int, Future[Any]]:
        """Ask for the texts at a cursor."""
        ...

    def cancel(self, number: int) -> None:
        """Let go of a request."""
        ...


class Late(Exception):
    """There was no answer by the deadline."""


class ClientLeft(Exception):
    """Nobody waits for the answer any more."""


@dataclass(frozen=True)
class Texts:
    """The texts for a request, best first."""

    texts: tuple[str, ...]
    guarantee: str


@dataclass
class _Running:
    """A question to the server, and how many requests wait for its answer."""

    number: int
    future: Future[Any]
    waiting: int = 0


class Service:
    """Answers requests for one folder; any thread may ask. Requests for the same window share a question: some clients send three."""

    def __init__(self, folder: Path, server: Server) -> None:
        self._folder, self._server = Folder(folder), server
        self._lock = threading.Lock()
        self._running: dict[tuple[str, str], _Running] = {}

    @property
    def waiting(self) -> int:
        """How many requests wait for the server."""
        with self._lock:
            return sum(running.waiting for running in self._running.values())

    def answer(self, asked: Asked, is_gone: Callable[[], bool]) -> Texts:
        """The texts for a request; raises Late or ClientLeft."""
        if asked.is_warm_up:
            return Texts((), "none")
        until_s = time.monotonic() + asked.deadline_ms / 1000
        indent = indentation(asked.window.left) if asked.brings_indentation else ""
        window = Window(asked.window.left + indent, asked.window.right)
        with self._lock:
            joined = self._folder.join(window)
            place = _whole(joined) if joined is not None else self._alone(window)
            if place is None:
                return Texts((), "none")
            uri, language, left, right = place
            key = left, right
            running = self._running.get(key)
            if running is None:
                running = self._running[key] = _Running(*self._server.suggestions(uri, language, left, right))
            running.waiting += 1
        try:
            result = _wait(running.future, until_s, is_gone)
        finally:
            with self._lock:
                running.waiting -= 1
                if not running.waiting:
                    self._running.pop(key, None)
                    if not running.future.done():
                        self._server.cancel(running.number)
        texts = tuple(dict.fromkeys(indent + text for text in _texts(result)))
        named = GUARANTEE_OF_WINDOW if joined is None else guarantee(language)
        return Texts(texts[: asked.choices], named)

    def _alone(self, window: Window) -> tuple[str, str, str, str] | None:
        """A document that is the window alone, in the language of the files that are most like it; None where no language is known."""
        suffix = self._folder.likely_suffix(window)
        language = _language(f"window{suffix}")
        return None if language is None else (f"untitled:window{suffix}", language, window.left, window.right)


def indentation(left: str) -> str:
    """The indentation that editors give a new line behind a text: that of the last line with text, one deeper behind an opener."""
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


def _whole(joined: Joined) -> tuple[str, str, str, str] | None:
    language = _language(joined.path.name)
    return None if language is None else (joined.path.as_uri(), language, joined.left, joined.right)


def _language(name: str) -> str | None:
    return language_for_path(name) or checkable("", name)


def _wait(future: Future[Any], until_s: float, is_gone: Callable[[], bool]) -> Any:
    while True:
        left_s = until_s - time.monotonic()
        try:
            return future.result(max(0.0, min(LOOK_S, left_s)))
        except TimeoutError:
            if is_gone():
                raise ClientLeft from None
            if left_s <= 0:
                raise Late from None


def _texts(result: Any) -> list[str]:
    items = result.get("items") if is_object(result) else None
    texts = [item.get("insertText") for item in items or () if is_object(item)]
    return [text for text in texts if isinstance(text, str)]
