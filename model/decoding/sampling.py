"""Choosing a token among the valid ones without knowing all of them: checks are made only if they decide.

Each choice has exactly the distribution of masking the invalid tokens first and then sampling as usual (temperature, top-k, top-p, min-p, in
this order). Sampling is adaptive rejection: a drawn token found invalid is taken out of the distribution and the draw repeated. Cuts (top-k,
top-p, min-p) are relative to the valid tokens, so these are looked up from the most probable one downwards, as far as the cut needs.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator

import numpy as np

from .types import Options

_FIRST_LOOKS = 8  # tokens found by argmax before any sorting
_PARTLY_SORTED = 256
_NARROWING = 6  # draws before all invalid tokens are ruled out at once
_REJECTIONS = 24  # draws, each over the whole vocabulary, before the whole rest is checked
_NEGLIGIBLE = 1e-12  # of the mass: below the precision of float64 sums

Valid = Callable[[int], bool]
Narrow = Callable[[np.ndarray], None]
"""Sets the logits of many invalid tokens to minus infinity, with one check each."""


def choose(
    logits: np.ndarray, valid: Valid, options: Options, rng: np.random.Generator, narrow: Narrow | None = None
) -> int | None:
    """A token for these logits; None if none is valid. `logits` is changed.

    Tokens at minus infinity are never checked, the others at most once each. `narrow` is called at most once, if the first few tokens are all
    invalid.
    """
    if options.temperature == 0:
        return best(logits, valid, narrow)
    scaled = logits.astype(np.float64) / options.temperature
    if options.top_k or options.top_p < 1 or options.min_p > 0:
        return _draw_from_top(scaled, valid, options, rng)
    return _draw(scaled, valid, rng, narrow)


def best(logits: np.ndarray, valid: Valid, narrow: Narrow | None = None) -> int | None:
    """The most probable valid token, or None; `logits` is changed."""
    for _ in range(_FIRST_LOOKS):
        token = int(logits.argmax())
        if logits[token] == -np.inf:
            return None
        if valid(token):
            return token
        logits[token] = -np.inf
    if narrow is not None:
        narrow(logits)
    return next((token for token in _descending(logits) if valid(token)), None)


def top_tokens(logits: np.ndarray, count: int) -> list[int]:
    """The ids of the `count` most probable tokens, the best first; fewer if the others are at minus infinity.

    A few passes are faster than one partition of a whole row, which takes a hundred times longer if most are equal, as in the rows of a
    server.
    """
    logits = logits.copy()
    tokens: list[int] = []
    for _ in range(count):
        token = int(logits.argmax())
        if logits[token] == -np.inf:
            break
        tokens.append(token)
        logits[token] = -np.inf
    return tokens


def penalise(logits: np.ndarray, tokens: list[int], penalty: float) -> None:
    """Make `tokens` less probable: positive logits divided by `penalty`, negative multiplied (Keskar et al., CTRL)."""
    if penalty != 1 and tokens:
        seen = np.unique(tokens)
        logits[seen] = np.where(logits[seen] > 0, logits[seen] / penalty, logits[seen] * penalty)


def _draw(scaled: np.ndarray, valid: Valid, rng: np.random.Generator, narrow: Narrow | None = None) -> int | None:
    """Adaptive rejection over all tokens."""
    rejections = 0
    while True:
        if rejections == _NARROWING and narrow is not None:
            narrow(scaled)
            narrow = None
        top = scaled.max()
        if top == -np.inf:
            return None
        weights = np.exp(scaled - top)
        if rejections >= _REJECTIONS:  # little of the mass is valid
            tokens = [int(i) for i in np.flatnonzero(scaled > -np.inf) if valid(int(i))]
            return _weighted(tokens, scaled, rng) if tokens else None
        sums: np.ndarray = np.cumsum(weights)
        token = _index_of(sums, rng)
        if scaled[token] == -np.inf:  # the product was rounded up to the whole
            continue
        if valid(token):
            return token
        scaled[token] = -np.inf
        rejections += 1


def _draw_from_top(scaled: np.ndarray, valid: Valid, options: Options, rng: np.random.Generator) -> int | None:
    ranked = _descending(scaled)
    if options.top_k:
        tokens: list[int] = []
        for token in ranked:
            if valid(token):
                tokens.append(token)
            if len(tokens) == options.top_k:
                break
        if options.top_p < 1:
            tokens = _nucleus(tokens, scaled, options.top_p)
    elif options.top_p < 1:
        tokens = _valid_nucleus(ranked, scaled, valid, options.top_p)
    else:
        return _draw_above(ranked, scaled, valid, options.min_p, rng)
    if not tokens:
        return None
    if options.min_p > 0:
        least = scaled[tokens[0]] + np.log(options.min_p)
        tokens = [token for token in tokens if scaled[token] >= least]
    return _weighted(tokens, scaled, rng)


def _draw_above(
    ranked: Iterator[int], scaled: np.ndarray, valid: Valid, min_p: float, rng: np.random.Generator
) -> int | None:
    """Rejection among the tokens with at least `min_p` of the probability of the best valid one."""
    for token in ranked:
        if valid(token):
            break
        scaled[token] = -np.inf
    else:
        return None
    best = token
    scaled[scaled < scaled[best] + np.log(min_p)] = -np.inf
    return _draw(scaled, lambda token: token == best or valid(token), rng)


def _valid_nucleus(ranked: Iterator[int], scaled: np.ndarray, valid: Valid, top_p: float) -> list[int]:
    """The smallest set of most probable valid tokens with `top_p` of the valid mass, known only within bounds.

    The mass of all valid tokens lies between that found so far and that plus everything unchecked. A token is in the nucleus if the mass
    before it is less than `top_p` of the whole; search on until both bounds agree.
    """
    top, unchecked = -np.inf, 0.0
    tokens: list[int] = []
    before: list[float] = []  # the valid mass before each token found
    mass = 0.0
    for token in ranked:
        if not tokens:
            if not valid(token):
                scaled[token] = -np.inf
                continue
            top = scaled[token]
            unchecked = float(np.exp(scaled - top).sum())
        weight = float(np.exp(scaled[token] - top))
        unchecked -= weight
        if not tokens or valid(token):
            tokens.append(token)
            before.append(mass)
            mass += weight
        if unchecked < _NEGLIGIBLE * mass:
            break
        most = top_p * (mass + unchecked)
        if mass >= most and bisect_left(before, most) == bisect_left(before, top_p * mass):
            break
    return [token for token, b in zip(tokens, before, strict=True) if b < top_p * mass]


def _nucleus(tokens: list[int], scaled: np.ndarray, top_p: float) -> list[int]:
    """The same for tokens all valid and sorted."""
    if not tokens:
        return []
    weights = np.exp(scaled[tokens] - scaled[tokens[0]])
    before = np.cumsum(weights) - weights
    return [token for token, b in zip(tokens, before, strict=True) if b < top_p * weights.sum()]


def _weighted(tokens: list[int], scaled: np.ndarray, rng: np.random.Generator) -> int:
    weights = np.exp(scaled[tokens] - scaled[tokens].max())
    sums: np.ndarray = np.cumsum(weights)
    return tokens[_index_of(sums, rng)]


def _descending(logits: np.ndarray) -> Iterator[int]:
    """Token ids from the most probable one down to those of minus infinity; improbable ones are sorted only on demand."""
    possible = np.flatnonzero(logits > -np.inf)  # only some are, in a server's row
    values = logits[possible]
    size = len(possible)
    if size > 2 * _PARTLY_SORTED:
        top = np.argpartition(values, size - _PARTLY_SORTED)[size - _PARTLY_SORTED :]
        for index in top[np.argsort(-values[top], kind="stable")]:
            yield int(possible[index])
        possible, values = np.delete(possible, top), np.delete(values, top)
    for index in np.argsort(-values, kind="stable"):
        yield int(possible[index])


def _index_of(sums: np.ndarray, rng: np.random.Generator) -> int:
    """Draw an index, given the running sums of the weights."""
    return int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))  # pyright: ignore[reportUnknownArgumentType]
