"""The bodies of requests and answers: llama.cpp's `/infill`, OpenAI's `/v1/completions`, Mistral's `/v1/fim/completions`."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...common.json_types import is_object
from ...common.untrusted import parse_json
from ...common.values import is_unicode
from .window import Window

Route = Literal["/infill", "/v1/completions", "/v1/fim/completions"]
ROUTES: dict[str, Route] = {
    "/infill": "/infill",
    "/v1/completions": "/v1/completions",
    "/v1/fim/completions": "/v1/fim/completions",
    "/fim/completions": "/v1/fim/completions",
    "/completions": "/v1/completions",
}
MODEL = "suture"
DEFAULT_DEADLINE_MS = 10_000
MIN_DEADLINE_MS = 300
MAX_CHOICES = 10
_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
"""Mistral's client refuses an answer without it. Nothing is counted, since nothing is charged."""
_COMMENTS = re.compile(r"\A[^\w\n]*language: \w+[^\w\n]*\n(?:[^\w\n]*indentation: use [^\n]*\n|\n)?")
"""Comments that minuet-ai writes before the window."""


class BadRequest(Exception):
    """A body that cannot be answered; the text says why."""


@dataclass(frozen=True)
class Asked:
    """A request of any of the routes."""

    route: Route
    window: Window
    stream: bool = False
    choices: int = 1
    deadline_ms: int = DEFAULT_DEADLINE_MS
    brings_indentation: bool = False
    """The client sends a blank line without its indentation, and the answer has to bring it."""

    @property
    def is_warm_up(self) -> bool:
        """Whether the client only wants the server to read ahead."""
        return not (self.window.left.strip() or self.window.right.strip())


def read(route: Route, body: bytes) -> Asked:
    """Read a request; raises BadRequest."""
    try:
        data = parse_json(body)
    except (ValueError, OSError):
        raise BadRequest("the body is not JSON") from None
    if not is_object(data):
        raise BadRequest("the body is not a JSON object")
    stream = data.get("stream") is True
    if route == "/infill":
        before, line, after = _text(data, "input_prefix"), _text(data, "prompt"), _text(data, "input_suffix")
        deadline_ms = _number(data, "t_max_prompt_ms", 0) + _number(data, "t_max_predict_ms", 0)
        is_blank = not line and after.startswith("\n")
        if before == "\n":  # llama.vim on the first line, where nothing stands above
            before = ""
        return Asked(
            route,
            Window(before + line, after),
            stream,
            deadline_ms=max(MIN_DEADLINE_MS, deadline_ms) if deadline_ms else DEFAULT_DEADLINE_MS,
            brings_indentation=is_blank and data.get("n_indent") == 0,
        )
    left = _COMMENTS.sub("", _text(data, "prompt"), count=1)
    choices = min(MAX_CHOICES, max(1, _number(data, "n", 1)))
    return Asked(route, Window(left, _text(data, "suffix")), stream, choices)


def answer(asked: Asked, texts: Sequence[str], guarantee: str, ms: float) -> dict[str, Any]:
    """The body of an answer in the route's form."""
    if asked.route == "/infill":
        timings = {"predicted_ms": round(ms, 1)}
        return {
            "content": texts[0] if texts else "",
            "stop": True,
            "model": MODEL,
            "timings": timings,
            "guarantee": guarantee,
        }
    choices = [_choice(asked.route, index, text) for index, text in enumerate(texts or [""])]
    return {**_head(asked.route), "choices": choices, "usage": _USAGE, "guarantee": guarantee}


def events(asked: Asked, texts: Sequence[str], guarantee: str, ms: float) -> Iterator[dict[str, Any]]:
    """The events of a streamed answer: a text is sent whole, since it is cut where it ends being probable."""
    if asked.route == "/infill":
        for text in texts[:1]:
            yield {"content": text, "stop": False}
        yield answer(asked, [], guarantee, ms)
        return
    for index, text in enumerate(texts or [""]):
        yield {
            **_head(asked.route, streamed=True),
            "choices": [_delta(asked.route, index, text)],
            "guarantee": guarantee,
        }


def encode(value: Any) -> bytes:
    """JSON as llama.vim takes it, which looks for `"content":"`."""
    return json.dumps(value, separators=(",", ":")).encode()


def _head(route: Route, *, streamed: bool = False) -> dict[str, Any]:
    kind = "text_completion" if route == "/v1/completions" else "chat.completion"
    if streamed and route == "/v1/fim/completions":
        kind += ".chunk"
    created = int(time.time())
    return {"id": f"suture-{time.time_ns()}", "object": kind, "created": created, "model": MODEL}


def _choice(route: Route, index: int, text: str) -> dict[str, Any]:
    if route == "/v1/completions":
        return {"index": index, "text": text, "logprobs": None, "finish_reason": "stop"}
    return {"index": index, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}


def _delta(route: Route, index: int, text: str) -> dict[str, Any]:
    if route == "/v1/completions":
        return _choice(route, index, text)
    return {"index": index, "delta": {"role": "assistant", "content": text}, "finish_reason": "stop"}


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or not is_unicode(value):
        raise BadRequest(f"{key} must be text")
    return value.replace("\r\n", "\n")


def _number(data: dict[str, Any], key: str, default: int) -> int:
    value = data.get(key)
    return (
        int(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9 else default
    )
