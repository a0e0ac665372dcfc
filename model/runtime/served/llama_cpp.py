"""llama.cpp's own server: token ids in, ids with log probabilities out; its vocabulary by asking.

Samplers are named in each request, since those of the server's configuration would change the drafts. A prompt of ids is
taken as it is; in a text, control tokens that the user's own code spells would become control tokens.

The log probabilities of a draft are those of its sampler, which sees the best tokens alone: without it the server exponentiates and sorts the
whole vocabulary for each token, a tenth of the time of a small model. To write the best token, and yet tell the others, the sampler is nearly
greedy: its probabilities are raised to a power, which is undone here.
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
from .transport import Cancel, Transport

ALTERNATIVES = 64  # log probabilities with each token of a draft; 200 take the server 4 ms a token
_TEMPERATURE = 0.12  # of 29,000 tokens 1.1 % are not the best, mostly nearly so; 32 bits hold what is 12 nats below it
_TIE = 0.2  # nats between two tokens of which the drafted one is taken
_LEAST_EXCESS = 0.5  # of the power of a rank over 1, at which the sum over all ranks has no bound
MANY = 2000  # where none of those may come
_BIAS = 200.0  # on the tokens among which one is asked for
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
        self.timings: Mapping[str, float] = {}  # of the last draft, or prompt that was read

    def draft(self, ids: Sequence[int], tokens: int, around: PluginRequest | None = None) -> LlamaCppDraft:
        """Go on from `ids`; it has no plugin."""
        body = {"prompt": list(ids), "n_predict": tokens, "return_tokens": True}
        streamed = {"stream": True, "timings_per_token": True}
        return LlamaCppDraft(self.transport.stream("/completion", {**_NEARLY_GREEDY, **body, **streamed}), self)

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: Cancel) -> Mapping[int, float]:
        """Log probabilities of the best of some tokens, or of many."""
        body: dict[str, Any] = {**_GREEDY, "prompt": list(ids), "n_predict": 1, "n_probs": MANY}
        if allowed is not None:
            body |= {"n_probs": 1, "logit_bias": [[token, _BIAS] for token in allowed]}
        answer = self.transport.post("/completion", body, cancelled)
        if not answer.get("completion_probabilities"):  # it ended without a token, and tells none
            return {}
        drafted = _drafted(answer)
        if allowed is None:
            return drafted.log_probs
        kept = set(allowed)
        return {token: log_prob for token, log_prob in drafted.log_probs.items() if token in kept}

    def read(self, ids: Sequence[int], cancelled: Cancel = never) -> float:
        """Let the server read a prompt and keep it; the milliseconds a new token took."""
        answer = self.transport.post("/completion", {**_GREEDY, "prompt": list(ids), "n_predict": 0}, cancelled)
        self.timings = timings = answer.get("timings", {})
        return timings.get("prompt_ms", 0.0) / max(1, timings.get("prompt_n", 0))


class LlamaCppDraft(EventDraft[LlamaCpp]):
    """A draft on its way."""

    def _take(self, event: Mapping[str, Any]) -> Sequence[Drafted]:
        timings = event.get("timings")
        if is_object(timings):
            self._server.timings = timings
        if event.get("stop"):
            self._over = True
            return ()
        return (_drafted(event),) if event.get("completion_probabilities") else ()


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
    """The log probabilities of tokens, from those of a nearly greedy sampler among the best tokens.

    The tokens that it does not see are taken to go on with the power of their rank by which the second half of the best falls. In 29,000 rows
    of a 0.5B they have 0.24 % of the probability in the mean, and this errs by 0.07 % in the mean, and 10 % at most.
    """
    logits = {token: _TEMPERATURE * log(prob) for token, prob in probabilities.items() if prob > 0}
    if not logits:
        return {}
    ordered = sorted(logits.values(), reverse=True)
    power = (ordered[len(ordered) // 2] - ordered[-1]) / log(2)
    others = len(ordered) * exp(ordered[-1]) / max(power - 1, _LEAST_EXCESS)
    total = log(sum(map(exp, ordered)) + others)
    return {token: logit - total for token, logit in logits.items()}


def _with_tie_for(drafted: int, log_probs: dict[int, float]) -> dict[int, float]:
    """The same with the drafted token the most probable one, where it nearly is: another draft would take the time of three tokens."""
    best = max(log_probs, key=log_probs.__getitem__, default=drafted)
    if drafted in log_probs and log_probs[best] - log_probs[drafted] < _TIE:
        log_probs[best], log_probs[drafted] = log_probs[drafted], log_probs[best]
    return log_probs
