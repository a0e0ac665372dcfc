"""A back-off n-gram language model in a memory-mapped safetensors file.

The probability of a token after a context is its discounted probability after the longest context, plus the context's back-off weight times
the probability after the next shorter context, down to that of the token alone (interpolated Kneser-Ney: Chen and Goodman 1999). Counts are
numbers of packages, so that one package's repetitions do not pass for common code.

A context is identified by a hash of its tokens (Zobrist: the exclusive or of a number for each token and distance). The upper bits choose a
bucket, the next 16 are its fingerprint; contexts that collide in all of them are merged (Talbot and Osborne 2007). The contexts of a bucket
lie together, as do the successors of each. Probabilities, back-off weights and counts are one byte each, on logarithmic scales. All line ends
with their indentation are one token here: the network decides the indentation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...common.bounded import BoundedDict
from ...common.mapped import mapped
from ..errors import ModelError, first_line
from ..prompting.vocabulary import Vocabulary

# In a model's folder, but not beside its weights: vLLM loads every such file there as weights.
FILE = "ngrams/table.safetensors"
FORMAT = "1"
MAX_BYTES = 1_000_000_000
_MAX_HEADER = 100_000
MOST_ORDERS = 12  # tokens of context
FINGERPRINT_BITS = 16
_FINGERPRINT = (1 << FINGERPRINT_BITS) - 1
PROBABILITY_SCALE = 16.0  # steps per factor of e
BACKOFF_SCALE = 32.0
SEEN_SCALE = 16.0  # steps per factor of 2
_REMEMBERED = 16  # predictions: a draft is looked up again when it is written

_TENSORS = {
    "buckets": np.uint32,  # (buckets + 1, 2): the first context and the first successor of each
    "fingerprints": np.uint16,  # (contexts,)
    "backoff": np.uint8,  # (contexts,)
    "seen": np.uint8,  # (contexts,): the packages of each context, summed over its successors
    "counts": np.uint8,  # (contexts,): of successors
    "successors": np.uint16,  # (n-grams,)
    "probabilities": np.uint8,  # (n-grams,)
    "single": np.float32,  # (tokens,): of a token without context
}


@dataclass(frozen=True, slots=True)
class Prediction:
    """The model's predictions after some tokens."""

    probabilities: np.ndarray  # (tokens,) float64
    order: np.ndarray  # (tokens,) int8: the length of the longest context seen before the token; 0: none
    matched: int  # tokens of the longest seen context
    seen: float  # log2 of its count, in packages
    successors: int  # stored for it


class BackoffModel:
    """The tables of an n-gram model, and its classes of equal tokens."""

    def __init__(self, tables: Mapping[str, np.ndarray], orders: int, canonical: np.ndarray) -> None:
        self.orders = orders  # tokens of context, at most
        self.canonical = canonical
        self.tables = tables
        self._numbers = [zobrist(distance, len(canonical)) for distance in range(1, orders + 1)]
        self._shift = 65 - (len(tables["buckets"]) - 1).bit_length()  # buckets are a power of two
        self._backoff = np.exp(-np.arange(256) / BACKOFF_SCALE)
        self._probability = np.exp(-np.arange(256) / PROBABILITY_SCALE)
        self._single = tables["single"].astype(np.float64)
        self._remembered: BoundedDict[tuple[int, ...], Prediction] = BoundedDict(_REMEMBERED)

    def after(self, context: Sequence[int]) -> Prediction:
        """The predictions after tokens, the nearest last; read-only."""
        asked = tuple(context[-self.orders :])
        prediction = self._remembered.get(asked)
        if prediction is None:
            prediction = self._remembered[asked] = self._predicted(asked)
        return prediction

    def _predicted(self, context: Sequence[int]) -> Prediction:
        tables = self.tables
        probabilities, order = self._single.copy(), np.zeros(len(self._single), np.int8)
        matched, seen, successors = 0, 0.0, 0
        for length, (place, first) in enumerate(self._places(context), start=1):
            if place < 0:
                continue
            end = first + int(tables["counts"][place])
            tokens = tables["successors"][first:end]
            probabilities *= self._backoff[tables["backoff"][place]]
            probabilities[tokens] += self._probability[tables["probabilities"][first:end]]
            order[tokens] = length
            matched, seen, successors = length, float(tables["seen"][place]) / SEEN_SCALE, end - first
        return Prediction(probabilities, order, matched, seen, successors)

    def _places(self, context: Sequence[int]) -> list[tuple[int, int]]:
        """For each length, the places of its context and its successors; -1 for an unknown one."""
        tables = self.tables
        hashed, places = 0, list[tuple[int, int]]()
        for numbers, token in zip(self._numbers, reversed(context), strict=False):
            hashed ^= int(numbers[token])
            bucket, mark = hashed >> self._shift, hashed >> (self._shift - FINGERPRINT_BITS) & _FINGERPRINT
            (start, first), (end, _) = tables["buckets"][bucket : bucket + 2].tolist()
            same = np.flatnonzero(tables["fingerprints"][start:end] == mark)
            if len(same):
                place = start + int(same[0])
                places.append((place, first + int(tables["counts"][start:place].sum(dtype=np.int64))))
            else:
                places.append((-1, -1))
        return places


def zobrist(distance: int, size: int) -> np.ndarray:
    """A number for each token at a distance before the next one (1: just before it): (size,) uint64.

    SplitMix64 (Steele and others 2014) of its place in the table.
    """
    values = (np.arange(size, dtype=np.uint64) + np.uint64(size * (distance + 1))) * np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def canonical_tokens(vocabulary: Vocabulary, size: int) -> np.ndarray:
    """The representative of each token: the first line end for all line ends with indentation, else itself: (size,) int64."""
    same = np.arange(size)
    ends = [i for i, spelling in enumerate(vocabulary.bytes_of[:size]) if spelling and is_line_end(spelling)]
    same[ends] = ends[0] if ends else 0
    return same


def is_line_end(spelling: bytes) -> bool:
    """Whether a token spells a line's end, and nothing but white space."""
    return not spelling.strip() and (b"\n" in spelling or b"\r" in spelling)


def vocabulary_mark(vocabulary: Vocabulary) -> str:
    """An identifier of the vocabulary: the SHA-256 of its spellings."""
    digest = hashlib.sha256()
    for spelling in vocabulary.bytes_of:
        digest.update(b"-" if spelling is None else b"%d:%b" % (len(spelling), spelling))
    return digest.hexdigest()


def save(path: Path, tables: Mapping[str, np.ndarray], orders: int, vocabulary: Vocabulary) -> None:
    """Write a model's tables."""
    from safetensors.numpy import save as serialized  # pyright: ignore[reportUnknownVariableType]

    path.parent.mkdir(exist_ok=True)
    about = {"format": FORMAT, "orders": str(orders), "vocabulary": vocabulary_mark(vocabulary)}
    # Not by save_file, whose files only the user can read.
    path.write_bytes(serialized({name: np.ascontiguousarray(tables[name]) for name in _TENSORS}, about))


def load_backoff(path: Path, vocabulary: Vocabulary, size: int) -> BackoffModel:
    """The n-gram model in a file, which stays mapped; raises ModelError for an unusable file."""
    try:
        tables, about = mapped(path, MAX_BYTES, _MAX_HEADER)
        if about.get("format") != FORMAT:
            raise ValueError("it has another format")
        if about.get("vocabulary") != vocabulary_mark(vocabulary):
            raise ValueError("it is for another vocabulary")
        orders = int(about["orders"])
        if not 1 <= orders <= MOST_ORDERS:
            raise ValueError(f"{orders} tokens of context")
        _check(tables, size)
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise ModelError(f"{path.name} cannot be used ({first_line(error)}): download it again") from error
    return BackoffModel(tables, orders, canonical_tokens(vocabulary, size))


def _check(tables: Mapping[str, np.ndarray], size: int) -> None:
    """Raise ValueError unless all look-ups stay within the tables."""
    for name, kind in _TENSORS.items():
        if tables[name].dtype != kind:
            raise ValueError(f"{name} holds other numbers")
    buckets, contexts, ngrams = tables["buckets"], len(tables["fingerprints"]), len(tables["successors"])
    number = len(buckets) - 1
    if buckets.ndim != 2 or buckets.shape[1] != 2 or number < 1 or number & (number - 1) or number > 1 << 32:
        raise ValueError("its buckets are no power of two")
    if any(tables[name].shape != (contexts,) for name in ("fingerprints", "backoff", "seen", "counts")):
        raise ValueError("its contexts do not agree")
    if tables["probabilities"].shape != (ngrams,) or tables["successors"].ndim != 1:
        raise ValueError("its successors do not agree")
    if (
        buckets[0].any()
        or buckets[-1].tolist() != [contexts, ngrams]
        or (np.diff(buckets.astype(np.int64), axis=0) < 0).any()
    ):
        raise ValueError("its buckets are out of order")
    # Every successor lies in its bucket if the counts of each bucket's contexts add up.
    total = np.concatenate(([0], np.cumsum(tables["counts"], dtype=np.int64)))
    if (total[buckets[:, 0]] != buckets[:, 1]).any():
        raise ValueError("its counts do not add up")
    single = tables["single"]
    if single.shape != (size,) or not np.isfinite(single).all() or (single < 0).any() or not 0.5 < single.sum() < 1.5:
        raise ValueError("its vocabulary has another size")
    if ngrams and int(tables["successors"].max()) >= size:
        raise ValueError("it names tokens that do not exist")
