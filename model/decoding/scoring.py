"""A model's judgement of a text: log probabilities in nats, and the score for comparing complete texts.

Constrained decoding distorts the model's distribution: at each step the mass of the refused tokens goes to the others, so a text the model
would hardly write can be reached by steps that each look good (Park et al., Grammar-Aligned Decoding). So texts are compared by the model's
own, unmasked probabilities: of complete texts x, P(x | complete) is proportional to P(x, end), the product of the probabilities of their
tokens and of the end after them. A product favours short texts, so the logarithm is divided by a power of the length, as in machine
translation (Wu et al., 2016):

    score(x) = log P(x, end | prompt) / ((5 + tokens + 1) / 6) ** LENGTH_POWER

The probability of the end is that of all end tokens together; if the text was cut within a token (the next line, the end of the hole), it is
that of this token, which stands for both the kept part and its end.
"""

from collections.abc import Sequence

import numpy as np

from ..runtime.base import Model

LENGTH_POWER = 0.6
_LOST = 40.0  # nats: so much smaller a term is lost in a sum of 32 bits


def normalised(log_probability: float, tokens: int) -> float:
    """The score of a text of so many tokens, from the log probability of it and its end."""
    return log_probability / ((5 + tokens + 1) / 6) ** LENGTH_POWER


def logsumexp(logits: np.ndarray) -> float:
    """The logarithm of the sum of exponentials: a logit minus this is a log probability."""
    top = logits.max()
    if top == -np.inf:  # a server may know none of the wanted tokens
        return -np.inf
    return float(top + np.log(np.exp(logits[logits > top - _LOST] - top).sum()))


def log_prob_of(logits: np.ndarray, tokens: np.ndarray) -> float:
    """The log probability of all of `tokens` together; minus infinity of none."""
    return logsumexp(logits[tokens]) - logsumexp(logits) if np.isfinite(logits[tokens]).any() else -np.inf


def of_text(model: Model, sequence: Sequence[int], text: str, ends: np.ndarray) -> float | None:
    """The score of `text` and an end after `sequence`, in the tokenizer's own spelling; None if there is no room.

    It costs a pass over the text's tokens, and over those of the sequence not in the cache.
    """
    ids = model.vocabulary.encode(text)
    if len(sequence) + len(ids) > model.runtime.limit:
        return None
    rows = [model.runtime.prefill(sequence)]
    if ids:
        rows += list(model.runtime.rows(ids))
        model.runtime.crop(len(sequence))
    total = sum(float(row[i]) - logsumexp(row) for row, i in zip(rows, ids, strict=False))
    return normalised(total + log_prob_of(rows[-1], ends), len(ids))
