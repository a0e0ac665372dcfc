"""Ollama by its own API: its vocabulary by /api/show, drafts by /api/generate in raw mode.

It takes prompts as text and returns the spellings of tokens with their bytes, from version 0.12.11 on with the log probabilities of 20 at
each step. An older one returns only text: each token then counts as half sure, and if the file refuses one, the text ends, since no other is
known. Suggestions are valid in either case.

The format: https://github.com/ollama/ollama/blob/main/docs/openapi.yaml
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ....common.json_types import is_object
from ...errors import ModelError, ServerUnavailable
from ...loading.gguf import Gguf
from ...loading.gguf_vocabulary import Tokens, local_vocabulary, tokens_of
from ...prompting.chat import is_tuned
from ...prompting.vocabulary import Vocabulary
from ..base import Model
from .dialect import Drafted, Steps, TextDraft, TextServer
from .options import ServerOptions
from .plugin_request import PluginRequest
from .runtime import ServedRuntime
from .text_tokens import TextTokens, ending
from .transport import Cancel, Transport
from .vocabulary import ServedVocabulary, own_vocabulary, template_of

ALTERNATIVES = 20  # its maximum
_LIMIT = 4096  # tokens of a sequence: another number in a request would reload the model
_CONTEXT = 2048
_KEPT = "30m"  # the time it keeps the model in memory after a request


class Ollama(TextServer):
    """A model of a running Ollama. It can neither choose among given tokens nor score a given text."""

    name = "Ollama"

    def __init__(
        self, transport: Transport, model: str, vocabulary: Vocabulary, *, limit: int, end: int | None
    ) -> None:
        """`end`: stands for the model's end, which Ollama does not send."""
        self.transport = transport
        self.model = model
        self.limit = limit
        self.end = end
        self.vocabulary = vocabulary
        self._tokens = TextTokens(vocabulary)

    def draft(self, ids: Sequence[int], tokens: int, around: PluginRequest | None = None) -> OllamaDraft:
        """Continue `ids`; it has no plugin."""
        return OllamaDraft(
            self.transport.stream("/api/generate", self._body(ids, tokens, stream=True)), self, ids, tokens
        )

    def read(self, ids: Sequence[int], cancelled: Cancel) -> float:
        """Let the server read a prompt; the milliseconds per new token."""
        answer = self.transport.post("/api/generate", self._body(ids, 1, stream=False), cancelled)
        count = answer.get("prompt_eval_count") or 0
        return (answer.get("prompt_eval_duration") or 0) / 1e6 / max(1, count)

    def drafted(self, event: Mapping[str, Any]) -> Steps:
        """The steps in a part of an answer."""
        try:
            told = event.get("logprobs")
            return self._tokens.untold(event.get("response") or "") if told is None else self._tokens.steps(told)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ServerUnavailable(f"{self.transport.address} did not answer with a completion") from None

    def whole(self, ids: Sequence[int], tokens: int, cancelled: Cancel) -> list[Drafted]:
        """The steps of a draft whose text arrives at once."""
        answer = self.transport.post("/api/generate", self._body(ids, tokens, stream=False), cancelled)
        text = answer.get("response") if is_object(answer) else None
        return self._tokens.untold(text if isinstance(text, str) else "")[0] or ending(self.end)

    def _body(self, ids: Sequence[int], tokens: int, *, stream: bool) -> dict[str, Any]:
        opening = self.vocabulary.opening  # written by Ollama itself
        ids = ids[len(opening) :] if tuple(ids[: len(opening)]) == tuple(opening) else ids
        options: dict[str, Any] = {
            "temperature": 0,
            "seed": 0,
            "num_predict": tokens,
            "num_ctx": self.limit,
            "repeat_penalty": 1.0,
            "stop": [],
        }
        body: dict[str, Any] = {"model": self.model, "prompt": self._tokens.prompt(ids), "raw": True, "stream": stream}
        return body | {"options": options, "logprobs": True, "top_logprobs": ALTERNATIVES, "keep_alive": _KEPT}


class OllamaDraft(TextDraft[Ollama]):
    """A draft in progress."""

    def _take(self, event: Mapping[str, Any]) -> Sequence[Drafted]:
        steps, ended = self._steps(event), event.get("done_reason") == "stop" and not self._over
        self._over = self._over or bool(event.get("done"))
        return [*steps, *(ending(self._server.end) if ended else ())]


def connect_ollama(
    name: str, transport: Transport, entry: Mapping[str, Any], options: ServerOptions, *, context: int | None = None
) -> Model:
    """A model of a running Ollama; its vocabulary is requested if the user names none."""
    chosen = str(entry["id"])
    fields = _fields(transport, chosen)
    told = Gguf(Path(chosen), fields, int(fields.get("general.parameter_count") or 0), 0)
    vocabulary = own_vocabulary(options)
    ends: Sequence[int] = ()
    if vocabulary is None:
        tokens = _tokens(told)
        ends = told.ends
        vocabulary = local_vocabulary(tokens) or ServedVocabulary(
            tokens.bytes_of(), tokens.controls, _longest_matches(tokens.bytes_of()), tokens.opening
        )
    template = template_of(vocabulary, options, ends)
    limit = min(told.context, _LIMIT)
    server = Ollama(transport, chosen, vocabulary, limit=limit, end=template.ends[0] if template.ends else None)
    runtime = ServedRuntime(server, size=len(vocabulary), limit=limit)
    size = f", {told.parameters / 1e6:,.1f} M parameters" if told.parameters else ""
    described = f"Ollama at {transport.address}, {chosen}{size}"
    answers = options.template is None and is_tuned(chosen, told.name, told.text("general.finetune"))
    context = min(context or _CONTEXT, limit)
    return Model(name, runtime, vocabulary, template, context, described, served=runtime, answers=answers)


def _fields(transport: Transport, model: str) -> dict[str, Any]:
    answer = transport.post("/api/show", {"model": model, "verbose": True})
    fields = answer.get("model_info") if is_object(answer) else None
    return fields if is_object(fields) else {}


def _tokens(told: Gguf) -> Tokens:
    try:
        return tokens_of(told)
    except ModelError:
        raise ModelError(
            "Ollama does not report its vocabulary: use its file (`suture models` lists it as ollama:NAME), "
            "or name the model's tokenizer (setting tokenizer)"
        ) from None


def _longest_matches(bytes_of: Sequence[bytes | None]) -> Callable[[str], Sequence[int]]:
    """An encoder by the longest token at each place; the server, which gets text, splits it by its own rules."""
    ids = {spelling: token for token, spelling in enumerate(bytes_of) if spelling}
    longest = max(map(len, ids), default=1)

    def encode(text: str) -> Sequence[int]:
        raw, offset, tokens = text.encode(), 0, list[int]()
        while offset < len(raw):
            end = next(
                (end for end in range(min(len(raw), offset + longest), offset, -1) if raw[offset:end] in ids), None
            )
            if end is None:
                raise ModelError(
                    "its vocabulary cannot spell every text: name the model's tokenizer (setting tokenizer)"
                )
            tokens.append(ids[raw[offset:end]])
            offset = end
        return tokens

    return encode
