"""llama.cpp's own server: token ids in, ids with log probabilities out; its vocabulary by asking.

Each request names the samplers, since those of the server's configuration would change the drafts. A prompt of ids is taken unchanged; in a
text, control tokens spelled by the user's own code would become control tokens.

A draft's log probabilities are those of its sampler, which sees only the best tokens: without it the server exponentiates and sorts the whole
vocabulary for each token, a tenth of a small model's time. To write the best token, and yet report the others, the sampler is nearly greedy:
its probabilities are raised to a power, undone here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Any

from ....common.constraint import never
from ....common.json_types import is_object
from ...errors import ServerUnavailable
from .dialect import Drafted, EventDraft, RemoteDialect
from .plugin_request import PluginRequest
from .transport import Cancel, EventStream, Transport

ALTERNATIVES = 64  # log probabilities with each token of a draft; 200 cost the server 4 ms a token
_TEMPERATURE = 0.12  # of 29,000 tokens 1.1 % are not the best, mostly nearly so; 32 bits hold 12 nats below the best
_TIE = 0.2  # the most nats between two tokens to take the drafted one
_LEAST_EXCESS = 0.5  # of the power of a rank over 1; at 1 the sum over all ranks has no bound
_LOST = 1e-38**_TEMPERATURE  # the most of a token lost in 32 bits at that power
MANY = 2000  # if none of those is allowed
_BIAS = 200.0  # on the tokens to choose one from
_LETTER = "x"
_GREEDY = {"temperature": 0, "samplers": ["temperature"], "cache_prompt": True}
_NEARLY_GREEDY = {
    "temperature": _TEMPERATURE,
    "samplers": ["top_k", "temperature"],
    "top_k": ALTERNATIVES,
    "n_probs": ALTERNATIVES,
    "post_sampling_probs": True,
    "seed": 1,
    "cache_prompt": True,
}


class LlamaCpp(RemoteDialect):
    """A server of llama.cpp."""

    name = "llama.cpp"

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.timings: Mapping[str, float] = {}  # of the last draft or prompt read
        self._letter: int | None = None  # a token of one whole character

    def draft(self, ids: Sequence[int], tokens: int, around: PluginRequest | None = None) -> LlamaCppDraft:
        """Continue `ids`; it has no plugin."""
        body = {"prompt": list(ids), "n_predict": tokens, "return_tokens": True}
        streamed = {"stream": True, "timings_per_token": True}
        events = self.transport.stream("/completion", {**_NEARLY_GREEDY, **body, **streamed})
        return LlamaCppDraft(events, self, list(ids))

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: Cancel) -> Mapping[int, float]:
        """Log probabilities of the best of some tokens, or of many."""
        if allowed is None:
            return self.row(ids, MANY, cancelled)
        body: dict[str, Any] = {**_GREEDY, "prompt": list(ids), "n_predict": 1, "n_probs": 1, "return_tokens": True}
        biased = body | {"logit_bias": [[token, _BIAS] for token in allowed]}
        answer = self.transport.post("/completion", biased, cancelled)
        kept = set(allowed)
        if answer.get("completion_probabilities"):
            return {token: log_prob for token, log_prob in _drafted(answer).log_probs.items() if token in kept}
        if kept.isdisjoint(written := answer.get("tokens") or ()):  # it ended without a token, and reports none
            return {}
        row = self.row(ids, MANY, cancelled)  # the best of them ends within a character: it reports nothing
        least = min(row.values(), default=0.0)
        return {token: row.get(token, least) for token in kept if token in row or token in written}

    def row(self, ids: Sequence[int], tokens: int, cancelled: Cancel) -> Mapping[int, float]:
        """Log probabilities of so many of the best tokens after `ids`.

        The server reports nothing for tokens that end within a character, so a bias makes it write another one; the probabilities are those
        without the bias. {} if it reports none.
        """
        body = {**_GREEDY, "prompt": list(ids), "n_predict": 1, "n_probs": tokens}
        body |= {"logit_bias": [[self._whole_character(cancelled), _BIAS]]}
        answer = self.transport.post("/completion", body, cancelled)
        return _drafted(answer).log_probs if answer.get("completion_probabilities") else {}

    def _whole_character(self, cancelled: Cancel) -> int:
        letter = self._letter
        if letter is None:
            tokens = self.transport.post("/tokenize", {"content": _LETTER}, cancelled).get("tokens") or (0,)
            letter = self._letter = int(tokens[-1])
        return letter

    def read(self, ids: Sequence[int], cancelled: Cancel = never) -> float:
        """Let the server read a prompt and keep it; the milliseconds per new token."""
        answer = self.transport.post("/completion", {**_GREEDY, "prompt": list(ids), "n_predict": 0}, cancelled)
        self.timings = timings = answer.get("timings", {})
        return timings.get("prompt_ms", 0.0) / max(1, timings.get("prompt_n", 0))


class LlamaCppDraft(EventDraft[LlamaCpp]):
    """A draft in progress. The server counts tokens that end within a character, but reports nothing of them: the first one's row is
    requested, and the draft ends with it."""

    def __init__(self, events: EventStream, server: LlamaCpp, ids: list[int]) -> None:
        """`ids`: the tokens before it."""
        super().__init__(events, server)
        self._ids, self._told = ids, 0

    def _take(self, event: Mapping[str, Any]) -> Sequence[Drafted]:
        timings = event.get("timings")
        if is_object(timings):
            self._server.timings = timings
        written = event.get("tokens_predicted", 0)
        if event.get("stop"):
            self._over = True
            return self._untold() if event.get("stop_type") == "limit" and written > self._told else ()
        if not event.get("completion_probabilities"):
            return ()
        if written > self._told + 1 and not _is_told_alone(event):
            return self._untold()
        drafted = _drafted(event)
        self._ids.append(drafted.token)
        self._told += 1
        return (drafted,)

    def _untold(self) -> Sequence[Drafted]:
        """The step of an unreported token."""
        self._over = True
        self.close()
        row = self._server.row(self._ids, ALTERNATIVES, self._cancelled)
        return (Drafted(max(row, key=row.__getitem__), row),) if row else ()


def _is_told_alone(event: Mapping[str, Any]) -> bool:
    """Whether an event's bytes are those of its token; when several are written at once, the count runs ahead."""
    chosen = event["completion_probabilities"][0]
    told = (top for top in chosen.get("top_probs") or chosen.get("top_logprobs") or () if top["id"] == chosen["id"])
    return any(top.get("bytes") == chosen.get("bytes") for top in told)


def _drafted(event: Mapping[str, Any]) -> Drafted:
    try:
        chosen = event["completion_probabilities"][0]
        if "top_probs" in chosen:
            log_probs = _at_temperature_one({top["id"]: top["prob"] for top in chosen["top_probs"]})
            return Drafted(chosen["id"], _with_tie_for(chosen["id"], log_probs))
        log_probs = {top["id"]: top["logprob"] for top in chosen["top_logprobs"]}
        log_probs.setdefault(chosen["id"], chosen["logprob"])
        return Drafted(chosen["id"], log_probs)
    except (KeyError, IndexError, TypeError):
        raise ServerUnavailable("the server's answer lacks log probabilities") from None


def _at_temperature_one(probabilities: Mapping[int, float]) -> dict[int, float]:
    """The log probabilities of tokens, from a nearly greedy sampler's among the best tokens.

    The unseen tokens are assumed to continue the power law of the rank in the second half of the best. In 29,000 rows of a 0.5B they have
    0.24 % of the probability in the mean, and the error is 0.07 % in the mean, and 10 % at most.
    """
    logits = {token: _TEMPERATURE * log(prob) for token, prob in probabilities.items() if prob > 0}
    if not logits:
        return {}
    ordered = sorted(logits.values(), reverse=True)
    power = (ordered[len(ordered) // 2] - ordered[-1]) / log(2)
    edge = exp(ordered[-1])
    others = len(ordered) * (edge if len(ordered) >= ALTERNATIVES else min(edge, _LOST)) / max(power - 1, _LEAST_EXCESS)
    total = log(sum(map(exp, ordered)) + others)
    return {token: logit - total for token, logit in logits.items()}


def _with_tie_for(drafted: int, log_probs: dict[int, float]) -> dict[int, float]:
    """The same with the drafted token made the most probable one, if it nearly is: another draft would take the time of three tokens."""
    best = max(log_probs, key=log_probs.__getitem__, default=drafted)
    if drafted in log_probs and log_probs[best] - log_probs[drafted] < _TIE:
        log_probs[best], log_probs[drafted] = log_probs[drafted], log_probs[best]
    return log_probs
