"""vLLM and other OpenAI-compatible servers for completions, with log probabilities.

vLLM takes and returns token ids. Others take text and return the spellings of tokens: the user's own copy of the tokenizer turns these into
ids, and control tokens spelled by the user's code are broken up, since in a text they would be control tokens. A row then holds the few
tokens the server reports (5 to 20, or only the drafted one), so ends are ranked less exactly, and a refused token may end the text;
suggestions are valid all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import ModelError, ServerUnavailable
from ...prompting import fim_template
from ...prompting.chat import is_tuned
from ...prompting.vocabulary import Vocabulary
from ..base import Model
from .dialect import Drafted, Steps, TextDraft, TextServer
from .options import ServerOptions
from .plugin_request import ARGUMENT, GREETING, QUESTION, PluginRequest, packed
from .runtime import ServedRuntime
from .text_tokens import TextTokens, ending
from .transport import Cancel, Transport
from .vocabulary import template_of

_VLLM_ALTERNATIVES = 20  # vLLM's limit unless started with --max-logprobs
_OPENAI_ALTERNATIVES = 5
_CONTEXT = 2048


class OpenAiServer(TextServer):
    """A server with /v1/completions; `vllm`: it takes ids, and can choose among tokens and score texts."""

    def __init__(
        self,
        transport: Transport,
        model: str,
        vocabulary: Vocabulary,
        *,
        vllm: bool,
        end: int | None = None,
        ends: Sequence[int] = (),
    ) -> None:
        """`end`: stands for the model's end, which only vLLM sends; `ends`: all tokens that end a text."""
        self.end = end
        self.ends = tuple(ends)
        self.plugin = False  # see `find_plugin`
        self.transport = transport
        self.model = model
        self.vllm = vllm
        self.name = "vLLM" if vllm else "OpenAI-compatible server"
        self.alternatives = _VLLM_ALTERNATIVES if vllm else _OPENAI_ALTERNATIVES
        self._vocabulary = vocabulary
        self._tokens = TextTokens(vocabulary)

    def draft(self, ids: Sequence[int], tokens: int, around: PluginRequest | None = None) -> OpenAiDraft:
        """Continue `ids`; within the file, if the server has our plugin."""
        body = self._body(ids, tokens, stream=True)
        if self.plugin and around is not None:
            body["vllm_xargs"] = {ARGUMENT: packed(replace(around, ends=self.ends))}
        return OpenAiDraft(self.transport.stream("/v1/completions", body), self, ids, tokens)

    def find_plugin(self) -> bool:
        """Ask whether vLLM was started with our plugin; it answers by refusing the question. vLLM alone ignores the argument, and answers
        with one token."""
        body = self._body([0], 1, stream=False) | {"vllm_xargs": {ARGUMENT: QUESTION}}
        try:
            self.transport.post("/v1/completions", body)
        except ServerUnavailable:
            raise
        except ModelError as refused:
            self.plugin = GREETING in str(refused)
        return self.plugin

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: Cancel) -> Mapping[int, float]:
        """Log probabilities of the best of some tokens; there are none beyond a draft's."""
        if not self.vllm or allowed is None:
            return {}
        body = self._body(ids, 1, stream=False) | {"allowed_token_ids": list(allowed)}
        kept = set(allowed)
        steps, _ = self.drafted(self.transport.post("/v1/completions", body, cancelled))
        return {token: value for step in steps for token, value in step.log_probs.items() if token in kept}

    def score(self, ids: Sequence[int], text: Sequence[int], cancelled: Cancel) -> float | None:
        """The log probability of a given text, by vLLM."""
        if not self.vllm:
            return None
        body = {"model": self.model, "prompt": [*ids, *text], "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
        answer = self.transport.post("/v1/completions", body, cancelled)
        try:
            rows = answer["choices"][0]["prompt_logprobs"][len(ids) :]
            return sum(float(row[str(token)]["logprob"]) for row, token in zip(rows, text, strict=True))
        except (KeyError, IndexError, TypeError, ValueError):
            return None

    def read(self, ids: Sequence[int], cancelled: Cancel) -> float:
        """Let the server read a prompt, by asking for one token after it."""
        self.transport.post("/v1/completions", self._body(ids, 1, stream=False), cancelled)
        return 0.0

    def drafted(self, event: Mapping[str, Any]) -> Steps:
        """The steps in an answer or a part of one."""
        try:
            choice = event["choices"][0]
            told = choice.get("logprobs")
            if not told or not (told.get("tokens") or told.get("content")):
                if choice.get("text") and self.vllm:
                    raise ModelError(f"{self.transport.address} gives no log probabilities: its server cannot be used")
                return self._tokens.untold(choice.get("text") or "")
            return self._tokens.steps(told.get("content") or _in_newer_form(told))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            raise ServerUnavailable(f"{self.transport.address} did not answer with a completion") from None

    def whole(self, ids: Sequence[int], tokens: int, cancelled: Cancel) -> list[Drafted]:
        """The steps of a draft whose text arrives at once."""
        answer = self.transport.post("/v1/completions", self._body(ids, tokens, stream=False), cancelled)
        try:
            return self._tokens.untold(answer["choices"][0].get("text") or "")[0] or ending(self.end)
        except (KeyError, IndexError, TypeError, AttributeError):
            raise ServerUnavailable(f"{self.transport.address} did not answer with a completion") from None

    def _body(self, ids: Sequence[int], tokens: int, *, stream: bool) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, "max_tokens": tokens, "temperature": 0, "stream": stream}
        body["logprobs"] = self.alternatives
        if not self.vllm:
            return body | {"prompt": self._tokens.prompt(ids)}
        # The engine itself ends at the model's end, and needs its row.
        more = {"return_tokens_as_token_ids": True, "ignore_eos": True, "skip_special_tokens": False}
        return body | more | {"prompt": list(ids)}


def _in_newer_form(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tokens of an answer in the chat API's form."""
    tops: Sequence[Mapping[str, float]] = told.get("top_logprobs") or [dict[str, float]()] * len(told["tokens"])
    return [
        {"token": token, "logprob": log_prob, "top_logprobs": [{"token": t, "logprob": p} for t, p in top.items()]}
        for token, log_prob, top in zip(told["tokens"], told["token_logprobs"], tops, strict=True)
    ]


class OpenAiDraft(TextDraft[OpenAiServer]):
    """A draft in progress."""

    def _take(self, event: Mapping[str, Any]) -> Sequence[Drafted]:
        choices = event.get("choices") or ()
        reasons = [choice.get("finish_reason") for choice in choices if choice.get("finish_reason")]
        self._may_end = self._may_end or bool(reasons)
        drafted = self._steps(event) if choices else ()
        return [*drafted, *(ending(self._server.end) if "stop" in reasons and not self._over else ())]


def connect_openai(
    name: str, transport: Transport, entry: Mapping[str, Any], options: ServerOptions, *, context: int | None = None
) -> Model:
    """A model of vLLM or of another OpenAI-compatible server."""
    vllm = str(entry.get("owned_by", "")).lower() == "vllm"
    folder = _tokenizer_folder(entry, options, vllm)
    from ...loading.checkpoint import read_tokenizer_folder

    vocabulary, ends, own_order = read_tokenizer_folder(folder)
    family = options.template or (fim_template.SUTURE.name if own_order else None)
    template = template_of(vocabulary, replace(options, template=family, order=options.order or own_order), ends)
    limit = entry.get("max_model_len")
    limit = limit if isinstance(limit, int) and limit > 0 else 4096
    end = template.ends[0] if template.ends and not vllm else None
    server = OpenAiServer(transport, str(entry["id"]), vocabulary, vllm=vllm, end=end, ends=template.ends)
    if vllm and server.find_plugin():
        server.name = "vLLM with Suture's plugin"
    runtime = ServedRuntime(server, size=len(vocabulary), limit=limit)
    described = f"{server.name} at {transport.address}, {entry['id']}"
    # The plugin constrains drafts to the file, which excludes the fence that ends an answer.
    tuned = is_tuned(str(entry["id"]), str(entry.get("root") or ""))
    answers = options.template is None and tuned and not server.plugin
    context = min(context or _CONTEXT, limit)
    return Model(name, runtime, vocabulary, template, context, described, served=runtime, answers=answers)


def _tokenizer_folder(entry: Mapping[str, Any], options: ServerOptions, vllm: bool) -> Path:
    """The folder of a served model's tokenizer on this machine."""
    if options.tokenizer:
        path = Path(options.tokenizer).expanduser()
        if path.exists():
            return path
    from ...loading.find import find_model

    name = options.tokenizer or entry.get("root") or entry["id"]
    try:
        folder = find_model(str(name))
    except ModelError:
        folder = None
    if folder is not None and folder.is_dir():
        return folder
    raise ModelError(f"the tokenizer of {name} is not on this machine: name a folder with it (setting tokenizer)")
