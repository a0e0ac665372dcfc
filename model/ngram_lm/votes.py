"""The proposals of an n-gram model at a position, as votes weighed against the network's predictions.

Each of the most probable tokens after the last few votes for itself and, where the right context begins with its spelling, for the end. A
small network weighs each vote by its standing with the n-gram model, the language model and the document. It is fitted on files unseen by any
model (`training.fit_copying`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...common.line_ends import with_line_feeds
from ..prompting.vocabulary import Vocabulary
from ..vote_gate import VoteGate, read_gate
from .backoff import BackoffModel, is_line_end

FILE = "ngrams/gate.json"  # in a model's folder: the gate of its n-grams
FEATURES = 18
MOST = 24  # the most voting tokens
_LEAST = 1e-4  # the least probability of a voting token
_LEAST_LOG = -14.0  # the floor of log probabilities
_MOSTLY = 0.4  # the least probability of a drafted token
_TAIL = 400  # the least characters before the cursor read as tokens
_LONGEST_TAIL = 8_000  # the most, of a long line
_NEAR_TAIL = 120  # the least where only the last few tokens are needed


def load_ngram_gate(path: Path) -> VoteGate:
    """The gate in a JSON file; raises ModelError."""
    return VoteGate(**read_gate(path, FEATURES))


@dataclass(frozen=True, slots=True)
class NgramVotes:
    """The n-gram model's votes at one position."""

    tokens: np.ndarray  # (n,) ids
    features: np.ndarray  # (n, FEATURES)
    ends: np.ndarray  # (n,) whether each may also vote for the end


NONE = NgramVotes(np.empty(0, np.int64), np.empty((0, FEATURES)), np.empty(0, bool))


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a request to vote at."""

    context: Sequence[int]  # the tokens before it
    rest: bytes  # the required beginning of the next token: the rest of the forced bytes
    first: bool  # whether nothing is written yet behind the cursor
    right: bytes  # the beginning of the right context
    copied: np.ndarray  # the document's votes
    agreement: float  # the first feature of the best of these; -2 for none


class NgramVoter:
    """The votes of an n-gram model over a vocabulary."""

    def __init__(self, model: BackoffModel, vocabulary: Vocabulary) -> None:
        self._model = model
        self._vocabulary = vocabulary
        self._spellings = [spelling or b"" for spelling in vocabulary.bytes_of]
        self._begins_word = np.array([_is_word(spelling[:1]) for spelling in self._spellings], bool)
        self._line_ends = np.array([i for i, spelling in enumerate(self._spellings) if is_line_end(spelling)], np.int64)
        self._line_end = int(model.canonical[self._line_ends[0]]) if len(self._line_ends) else -1

    def context(self, left: str, forced: bytes) -> list[int]:
        """The tokens at the end of a left context, without the forced bytes, which are spelled again."""
        start = left.rfind("\n", 0, max(0, len(left) - _TAIL))
        if len(left) - start > _LONGEST_TAIL:
            start = len(left) - _LONGEST_TAIL
        tokens = list(self._vocabulary.pieces(left[max(0, start) :]))
        if forced:
            if not tokens or self._spellings[tokens[-1]] != forced:
                return []
            tokens.pop()
        tokens = tokens[-self._model.orders :]
        return [0, *tokens] if start < 0 and len(tokens) < self._model.orders else tokens

    def votes(self, place: Place, logp: np.ndarray, end_logp: float) -> NgramVotes:
        """The votes at a place, given the model's log probabilities `logp`: (size,), and that of its ends together, `end_logp`."""
        if not place.context:
            return NONE
        context = self._model.canonical[place.context[-self._model.orders :]].tolist()
        said = self._model.after(context)
        chances = said.probabilities
        if place.rest:
            chances = self._spelling(chances, place.rest)
        best = np.flatnonzero(chances > _LEAST)
        if len(best) > MOST:
            best = best[np.argpartition(chances[best], -MOST)[-MOST:]]
        if not len(best):
            return NONE
        tokens = best.copy()
        line_ends = best == self._line_end
        if line_ends.any():  # the network decides the indentation
            tokens[line_ends] = self._line_ends[np.argmax(logp[self._line_ends])]
        at_line_end = place.right[:1] in (b"\n", b"\r", b"")
        shared = np.array([_shared(self._spellings[token], place.right) for token in tokens.tolist()])
        shared = np.where(line_ends & at_line_end, 2, shared) if not place.rest else np.zeros(len(best), np.int64)
        log_chances, last = np.log(chances[best]), self._spellings[place.context[-1]][-1:]
        features = np.empty((len(best), FEATURES))
        features[:, 0] = log_chances / 4 + 1
        features[:, 1] = np.maximum(logp[tokens], _LEAST_LOG) / 4 + 1
        features[:, 2] = max(float(logp.max()), -6.0) / 2 + 1
        features[:, 3] = said.matched / 3 - 1
        features[:, 4] = said.order[best] / 3 - 1
        features[:, 5] = said.seen / 4 - 1
        features[:, 6] = np.log2(max(1, said.successors)) / 3 - 1
        features[:, 7] = (log_chances - log_chances.max()) / 4
        features[:, 8] = place.first
        features[:, 9] = _is_word(last)
        features[:, 10] = at_line_end
        features[:, 11] = max(end_logp, _LEAST_LOG) / 4 + 1
        features[:, 12] = np.log2(1 + shared) - 1
        features[:, 13] = self._begins_word[tokens]
        features[:, 14] = place.agreement / 2
        copied = set(place.copied.tolist())
        features[:, 15] = [token in copied for token in tokens.tolist()]
        features[:, 16] = line_ends
        features[:, 17] = len(place.rest) > 0
        return NgramVotes(tokens, features, shared > 0)

    def usual(self, tokens: Sequence[int]) -> int | None:
        """The usual token after others; None without one, and for line ends, since any indentation may follow."""
        chances = self._model.after(self._model.canonical[list(tokens[-self._model.orders :])].tolist()).probabilities
        best = int(chances.argmax())
        return best if chances[best] >= _MOSTLY and best != self._line_end else None

    def is_usual(self, left: str, text: str) -> bool:
        """Whether each token of a text behind a left context is the most probable one there."""
        start = max(0, left.rfind("\n", 0, max(0, len(left) - _NEAR_TAIL)))
        tail = with_line_feeds(left[start:])
        tokens = list(self._vocabulary.pieces(tail + text))
        canonical, end, cursor = self._model.canonical[tokens].tolist(), 0, len(tail.encode())
        before = [] if start else [0]
        for index, token in enumerate(tokens):
            begin, end = end, end + len(self._spellings[token])
            if end <= cursor:
                continue
            chances = self._model.after([*before, *canonical[:index]][-self._model.orders :]).probabilities
            if begin < cursor:
                chances = self._spelling(chances, self._spellings[token][: cursor - begin])
            if int(chances.argmax()) != canonical[index]:
                return False
        return True

    def _spelling(self, chances: np.ndarray, rest: bytes) -> np.ndarray:
        """The probabilities among the tokens beginning with `rest`."""
        possible = self._vocabulary.ids_starting_with(rest)
        possible = possible[possible < len(chances)]
        among = np.zeros_like(chances)
        if len(possible):
            kept = np.unique(self._model.canonical[possible])
            among[kept] = chances[kept]
            among /= max(among.sum(), 1e-12)
        return among


def _is_word(sign: bytes) -> bool:
    return sign.isalnum() or sign == b"_" or sign > b"\x7f"


def _shared(spelling: bytes, right: bytes) -> int:
    """The length in bytes of two texts' common prefix."""
    count = 0
    for byte, other in zip(spelling, right, strict=False):
        if byte != other:
            break
        count += 1
    return count
