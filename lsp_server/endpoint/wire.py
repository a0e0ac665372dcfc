"""The bodies of requests and answers: llama.cpp's `/infill`, OpenAI's `/v1/completions`, Mistral's `/v1/fim/completions`."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...common.json_types import is_array, is_object
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
MAX_PROMPTS = 10
MAX_STOPS = 32
_MAX_NAME = 500
_COMMENTS = re.compile(r"\A[^\w\n]*language: (\w+)[^\w\n]*\n(?:[^\w\n]*indentation: use [^\n]*\n|\n)?")
"""The comments put before the window by minuet-ai."""


class BadRequest(Exception):
    """A malformed body; the text says why."""


@dataclass(frozen=True)
class Asked:
    """A request of any of the routes."""

    route: Route
    windows: tuple[Window, ...]
    stream: bool = False
    choices: int = 1
    deadline_ms: int = DEFAULT_DEADLINE_MS
    brings_indentation: bool = False
    """The client omits a blank line's indentation, and expects it in the answer."""
    filename: str = ""
    language: str = ""
    max_tokens: int | None = None
    text_ms: int | None = None
    stops: tuple[str, ...] = ()

    @property
    def window(self) -> Window:
        """The only window, or the first one."""
        return self.windows[0]

    @property
    def bounds(self) -> dict[str, Any]:
        """The bounds of its texts, in the language server's form."""
        bounds = {"texts": self.choices, "maxTokens": self.max_tokens, "textMs": self.text_ms, "stops": self.stops}
        return {name: value for name, value in bounds.items() if value not in (None, ())}


@dataclass(frozen=True)
class Text:
    """A text for a window."""

    text: str = ""
    is_cut: bool = False
    """Whether it was cut at a bound of its length."""
    tokens: int = 0
    prompt_tokens: int = 0


@dataclass(frozen=True)
class Texts:
    """The texts for a window, best first, or the reason for none."""

    texts: tuple[Text, ...] = ()
    guarantee: str = "none"
    reason: str = ""


def read(route: Route, body: bytes) -> Asked:
    """Read a request; raises BadRequest."""
    try:
        data = parse_json(body)
    except (ValueError, OSError):
        raise BadRequest("the body is not JSON") from None
    if not is_object(data):
        raise BadRequest("the body is not a JSON object")
    asked = Asked(
        route,
        (),
        stream=data.get("stream") is True,
        filename=_text(data, "filename")[:_MAX_NAME].replace("\0", ""),
        language=_text(data, "language")[:_MAX_NAME],
        max_tokens=_number(data, "max_tokens" if data.get("n_predict") is None else "n_predict"),
        text_ms=_number(data, "t_max_predict_ms") or None,
        stops=_stops(data),
    )
    if route == "/infill":
        before, line, after = _text(data, "input_prefix"), _prompts(data, 1)[0], _text(data, "input_suffix")
        deadline_ms = (_number(data, "t_max_prompt_ms") or 0) + (asked.text_ms or 0)
        is_blank = not line and after.startswith("\n")
        if before == "\n":  # llama.vim on the first line, without a line above
            before = ""
        return replace(
            asked,
            windows=(Window(before + line, after),),
            deadline_ms=max(MIN_DEADLINE_MS, deadline_ms) if deadline_ms else DEFAULT_DEADLINE_MS,
            brings_indentation=is_blank and data.get("n_indent") == 0,
        )
    prompts, suffix = _prompts(data, MAX_PROMPTS), _text(data, "suffix")
    said = _COMMENTS.match(prompts[0])
    return replace(
        asked,
        windows=tuple(Window(_COMMENTS.sub("", prompt, count=1), suffix) for prompt in prompts),
        choices=min(MAX_CHOICES, max(1, _number(data, "n") or 1)),
        language=asked.language or (said[1] if said else ""),
    )


def answer(asked: Asked, answers: Sequence[Texts], ms: float) -> dict[str, Any]:
    """The body of an answer in the route's form."""
    texts = _places(asked, answers)
    if asked.route == "/infill":
        return {"content": texts[0].text, **_end(texts[0], ms), **_said(answers)}
    choices = [_choice(asked.route, index, text) for index, text in enumerate(texts)]
    return {**_head(asked.route), "choices": choices, "usage": _usage(answers), **_said(answers)}


def events(asked: Asked, answers: Sequence[Texts], ms: float) -> Iterator[dict[str, Any]]:
    """The events of a streamed answer; a text is sent whole, since it may be cut back to its probable part."""
    texts = _places(asked, answers)
    if asked.route == "/infill":
        if texts[0].text:
            yield {"content": texts[0].text, "stop": False}
        yield {"content": "", **_end(texts[0], ms), **_said(answers)}
        return
    for index, text in enumerate(texts):
        choice = _delta(asked.route, index, text)
        usage = {"usage": _usage(answers)} if index == len(texts) - 1 else {}
        yield {**_head(asked.route, streamed=True), "choices": [choice], **usage, **_said(answers)}


def encode(value: Any) -> bytes:
    """Compact JSON, for llama.vim, which searches `"content":"`."""
    return json.dumps(value, separators=(",", ":")).encode()


def _places(asked: Asked, answers: Sequence[Texts]) -> list[Text]:
    """The texts by index; several prompts get equally many each, as asked for, so that clients can attribute a text to its prompt."""
    least = asked.choices if len(answers) > 1 else 1
    return [text for each in answers for text in (*each.texts, *[Text()] * (least - len(each.texts)))]


def _said(answers: Sequence[Texts]) -> dict[str, str]:
    """The guarantee of an answer, and the reason for an empty text in it."""
    reasons = [each.reason for each in answers if each.reason]
    return {"guarantee": answers[0].guarantee, **({"reason": reasons[0]} if reasons else {})}


def _end(text: Text, ms: float) -> dict[str, Any]:
    """The end of an answer, in llama.cpp's form."""
    return {
        "stop": True,
        "stop_type": "limit" if text.is_cut else "eos",
        "truncated": False,
        "model": MODEL,
        "tokens_predicted": text.tokens,
        "tokens_evaluated": text.prompt_tokens,
        "timings": {"prompt_n": text.prompt_tokens, "predicted_n": text.tokens, "predicted_ms": round(ms, 1)},
    }


def _usage(answers: Sequence[Texts]) -> dict[str, int]:
    """The numbers of tokens read and written; Mistral's client refuses an answer without them."""
    read = sum(max((text.prompt_tokens for text in each.texts), default=0) for each in answers)
    written = sum(text.tokens for each in answers for text in each.texts)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _head(route: Route, *, streamed: bool = False) -> dict[str, Any]:
    kind = "text_completion" if route == "/v1/completions" else "chat.completion"
    if streamed and route == "/v1/fim/completions":
        kind += ".chunk"
    created = int(time.time())
    return {"id": f"suture-{time.time_ns()}", "object": kind, "created": created, "model": MODEL}


def _choice(route: Route, index: int, text: Text) -> dict[str, Any]:
    ended = "length" if text.is_cut else "stop"
    if route == "/v1/completions":
        return {"index": index, "text": text.text, "logprobs": None, "finish_reason": ended}
    return {"index": index, "message": {"role": "assistant", "content": text.text}, "finish_reason": ended}


def _delta(route: Route, index: int, text: Text) -> dict[str, Any]:
    choice = _choice(route, index, text)
    return {("delta" if name == "message" else name): value for name, value in choice.items()}


def _prompts(data: dict[str, Any], most: int) -> list[str]:
    """The texts before the cursor: `prompt` is a text or a list of texts."""
    prompts = data.get("prompt")
    if not is_array(prompts):
        return [_text(data, "prompt")]
    if not 0 < len(prompts) <= most:
        raise BadRequest(f"prompt must be a text, or a list of at most {most}")
    return [_text({"prompt": prompt if prompt is not None else 0}, "prompt") for prompt in prompts]


def _stops(data: dict[str, Any]) -> tuple[str, ...]:
    stops = data.get("stop")
    several = [] if stops is None else stops if is_array(stops) else [stops]
    if len(several) > MAX_STOPS:
        raise BadRequest(f"stop must be a text, or a list of at most {MAX_STOPS}")
    return tuple(stop for each in several if (stop := _text({"stop": each if each is not None else 0}, "stop")))


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or not is_unicode(value):
        raise BadRequest(f"{key} must be text")
    return value.replace("\r\n", "\n")


def _number(data: dict[str, Any], key: str) -> int | None:
    """A whole number; None where the client sets none, or one below 0."""
    value = data.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise BadRequest(f"{key} must be a number")
    return int(value) if value is not None and 0 <= value < 1e9 else None
