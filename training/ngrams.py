"""Counts the n-grams of a corpus, estimates a back-off model of them, and prunes it to a file's size.

    python -m suture.training.ngrams --model DIR --corpus RUN/corpus.jsonl [--megabytes 8] [--context 6] [--language go]

An n-gram counts once for each package with it, and is kept if two or more have it: an n-gram of a single project helps in no other.
Probabilities are interpolated modified Kneser-Ney (Chen and Goodman 1999) of these counts. Then the n-grams with the least effect on the
predictions, weighted by frequency, are dropped (entropy pruning: Stolcke 1998), until the rest fits. Files are counted whole, those of
held-out packages not at all. It takes about 90 s of one core and 4 GB for each token of context for 80 million tokens.

`--prune` keeps the existing numbers, and the n-grams with the greatest gain on the corpus, which may be a different one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import numpy as np

from ..common.terminal import Parser, say
from ..model.errors import ModelError
from ..model.loading.checkpoint import read_folder
from ..model.loading.load import in_language
from ..model.ngram_lm import backoff
from ..model.ngram_lm.backoff import BACKOFF_SCALE, FINGERPRINT_BITS, PROBABILITY_SCALE, SEEN_SCALE
from ..model.prompting.vocabulary import Vocabulary
from .corpus import Source, load_corpus
from .repository_corpus import KINDS

CONTEXT = 6  # tokens
MEGABYTES = 8
_TOKEN_BITS, _PACKAGE_BITS = 13, 9
_HASH_BITS = 64 - _TOKEN_BITS - _PACKAGE_BITS  # of contexts while counting: among 10^8 some hundred collide
_MOST_SUCCESSORS = 255
_PER_BUCKET = 8  # contexts, on average
_BYTES_A_CONTEXT, _NGRAM_BYTES = 5 + 8 // _PER_BUCKET, 3  # with its share of a bucket's


@dataclass(frozen=True, slots=True)
class TokenStream:
    """Files one after another, each behind a start token."""

    tokens: np.ndarray  # (n,) uint16, canonical
    depth: np.ndarray  # (n,) int32: tokens before it in its file
    package: np.ndarray  # (n,) uint16
    size: int  # of the vocabulary


@dataclass(frozen=True, slots=True)
class Counts:
    """The n-grams with contexts of one length in more than one package; sorted by context, then by token."""

    hashes: np.ndarray  # (contexts,) uint64: the upper bits of the hashes
    number: np.ndarray  # (contexts,): of the n-grams kept
    total: np.ndarray  # (contexts,): packages, summed over successors, also of dropped n-grams
    tokens: np.ndarray  # (ngrams,)
    packages: np.ndarray  # (ngrams,)
    example: np.ndarray  # (ngrams,): the place of one occurrence in the stream
    of_counts: tuple[int, ...]  # the numbers of n-grams in 1, 2, 3 and 4 packages


@dataclass(frozen=True, slots=True)
class Estimates:
    """Counts with their probabilities."""

    counts: Counts
    discounted: np.ndarray  # (ngrams,): the context's own part of the probability
    gain: np.ndarray  # (ngrams,): the worth of keeping it, in nats over the corpus, each package counted once


def read_stream(sources: Sequence[Source], vocabulary: Vocabulary, size: int) -> TokenStream:
    """Tokenize files."""
    same = backoff.canonical_tokens(vocabulary, size)
    names = {name: number for number, name in enumerate(sorted({source.package for source in sources}))}
    if len(names) >= 1 << _PACKAGE_BITS or size > 1 << _TOKEN_BITS:
        raise ModelError(f"{len(names)} packages and {size} tokens are more than the keys of n-grams can hold")
    files = [np.array(vocabulary.pieces(source.text), np.uint16) for source in sources]
    lengths = np.array([len(ids) + 1 for ids in files])
    starts = np.cumsum(lengths) - lengths
    tokens = np.zeros(int(lengths.sum()), np.uint16)
    for start, ids in zip(starts.tolist(), files, strict=True):
        tokens[start + 1 : start + 1 + len(ids)] = same[ids]
    package = np.repeat([names[source.package] for source in sources], lengths).astype(np.uint16)
    depth = (np.arange(len(tokens)) - np.repeat(starts, lengths)).astype(np.int32)
    return TokenStream(tokens, depth, package, size)


def context_hashes(stream: TokenStream, places: np.ndarray, length: int) -> np.ndarray:
    """The hashes of the contexts of a length before some places: (n,) uint64."""
    hashes = np.zeros(len(places), np.uint64)
    for distance in range(1, length + 1):
        hashes ^= backoff.zobrist(distance, stream.size)[stream.tokens[places - distance]]
    return hashes


def count(stream: TokenStream, length: int) -> Counts:
    """Count the n-grams with contexts of a length."""
    places = np.flatnonzero(stream.depth >= length)
    if not len(places):
        none = np.empty(0, np.int64)
        return Counts(none, none, none, none, none, none, (0, 0, 0, 0))
    keys = context_hashes(stream, places, length) >> np.uint64(64 - _HASH_BITS) << np.uint64(64 - _HASH_BITS)
    keys |= stream.tokens[places].astype(np.uint64) << np.uint64(_PACKAGE_BITS)
    keys |= stream.package[places]
    order = np.argsort(keys)
    keys, places = keys[order], places[order].astype(np.uint32)
    del order
    first_of_package, ngrams = _firsts(keys), keys >> np.uint64(_PACKAGE_BITS)
    starts = np.flatnonzero(_firsts(ngrams))
    packages = np.add.reduceat(first_of_package, starts, dtype=np.int32)
    ngrams, example = ngrams[starts], places[starts]
    contexts = ngrams >> np.uint64(_TOKEN_BITS)
    context_starts = np.flatnonzero(_firsts(contexts))
    kept = packages > 1
    number = np.add.reduceat(kept, context_starts, dtype=np.int32)
    total = np.add.reduceat(packages, context_starts)
    some = number > 0
    return Counts(
        contexts[context_starts][some],
        number[some],
        total[some],
        (ngrams[kept] & np.uint64((1 << _TOKEN_BITS) - 1)).astype(np.uint16),
        packages[kept],
        example[kept],
        tuple(int((packages == n).sum()) for n in (1, 2, 3, 4)),
    )


def _firsts(values: np.ndarray) -> np.ndarray:
    """Whether each of some sorted values differs from the one before."""
    first = np.ones(len(values), bool)
    first[1:] = values[1:] != values[:-1]
    return first


def single_probabilities(stream: TokenStream) -> np.ndarray:
    """The probability of each token without a context: its share of the (token, package) pairs."""
    there = np.flatnonzero(stream.depth > 0)
    pairs = np.unique(stream.tokens[there].astype(np.uint64) << np.uint64(_PACKAGE_BITS) | stream.package[there])
    counts = np.bincount((pairs >> np.uint64(_PACKAGE_BITS)).astype(np.int64), minlength=stream.size) + 0.1
    return counts / counts.sum()


def estimate(stream: TokenStream, single: np.ndarray, counts: Sequence[Counts]) -> list[Estimates]:
    """The probabilities of all n-grams, those with the shortest contexts first."""
    estimates: list[Estimates] = []
    for of_length in counts:
        owner = np.repeat(np.arange(len(of_length.number)), of_length.number)
        discounted = np.maximum(of_length.packages - _discounts(of_length), 0.01) / of_length.total[owner]
        rest = 1 - np.bincount(owner, discounted, minlength=len(of_length.number))
        lower = rest[owner] * _probability(
            stream, single, estimates, of_length.example.astype(np.int64), of_length.tokens
        )
        gain = of_length.packages * np.log1p(discounted / lower)
        estimates.append(Estimates(of_length, discounted.astype(np.float32), gain.astype(np.float32)))
    return estimates


def _discounts(counts: Counts) -> np.ndarray:
    """The discount of each count, by the counts of counts: (ngrams,)."""
    once, two, three, four = (max(1, n) for n in counts.of_counts)
    share = once / (once + 2 * two)
    of_two = min(1.9, max(0.1, 2 - 3 * share * three / two))
    of_more = min(2.9, max(0.1, 3 - 4 * share * four / three))
    return np.where(counts.packages == 2, of_two, of_more)


def _probability(
    stream: TokenStream, single: np.ndarray, estimates: Sequence[Estimates], places: np.ndarray, tokens: np.ndarray
) -> np.ndarray:
    """The probability of the tokens after contexts as long as `estimates` go, at some places of the stream: (n,)."""
    probability = single[tokens]
    for length, of_length in enumerate(estimates, start=1):
        counts = of_length.counts
        hashes = context_hashes(stream, places, length) >> np.uint64(64 - _HASH_BITS)
        context, has_context = _find(counts.hashes, hashes)
        owner = np.repeat(np.arange(len(counts.number)), counts.number)
        rest = 1 - np.bincount(owner, of_length.discounted, minlength=len(counts.number))
        probability *= np.where(has_context, rest[context], 1.0)
        wanted = (context.astype(np.uint64) << np.uint64(_TOKEN_BITS)) | tokens
        ngram, there = _find((owner.astype(np.uint64) << np.uint64(_TOKEN_BITS)) | counts.tokens, wanted)
        probability += np.where(has_context & there, of_length.discounted[ngram], 0.0)
    return probability


def _find(values: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each wanted value among sorted ones, and whether it is there."""
    places = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return places, values[places] == wanted


def pack(stream: TokenStream, single: np.ndarray, estimates: Sequence[Estimates], size: int) -> dict[str, np.ndarray]:
    """The tables of the n-grams with the greatest gain, as many as fit into `size` bytes."""
    least = _least_gain(estimates, size)
    columns: list[tuple[np.ndarray, ...]] = []
    ngrams: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for length, of_length in enumerate(estimates, start=1):
        counts = of_length.counts
        owner = np.repeat(np.arange(len(counts.number)), counts.number)
        kept = of_length.gain >= least
        if len(kept):
            kept &= _rank_within(owner, of_length.gain) < _MOST_SUCCESSORS
        number = np.bincount(owner[kept], minlength=len(counts.number))
        mass = np.bincount(owner[kept], of_length.discounted[kept], minlength=len(counts.number))
        some = number > 0
        first = np.cumsum(counts.number) - counts.number
        full = context_hashes(stream, counts.example[first[some]].astype(np.int64), length)
        columns.append((full, number[some], mass[some], counts.total[some]))
        ngrams.append((full[(np.cumsum(some) - 1)[owner[kept]]], counts.tokens[kept], of_length.discounted[kept]))
    hashes, number, mass, total = (np.concatenate(column) for column in zip(*columns, strict=True))
    owners, tokens, discounted = (np.concatenate(column) for column in zip(*ngrams, strict=True))
    order = np.argsort(hashes, kind="stable")
    hashes, number, mass, total = hashes[order], number[order], mass[order], total[order]
    inside = np.argsort(owners, kind="stable")
    bits = _bucket_bits(len(hashes))
    return {
        **_in_buckets(hashes >> np.uint64(64 - bits - FINGERPRINT_BITS), number, bits),
        "backoff": _byte(-np.log(np.maximum(1 - mass, 1e-9)) * BACKOFF_SCALE),
        "seen": _byte(np.log2(total) * SEEN_SCALE),
        "successors": tokens[inside],
        "probabilities": _byte(-np.log(discounted[inside]) * PROBABILITY_SCALE),
        "single": single.astype(np.float32),
    }


def prune(tables: Mapping[str, np.ndarray], orders: int, stream: TokenStream, size: int) -> dict[str, np.ndarray]:
    """The tables with only the n-grams of the greatest gain on some files, as many as fit into `size` bytes.

    A context's pruned probabilities go to its back-off.
    """
    number = tables["counts"].astype(np.int64)
    owner = np.repeat(np.arange(len(number)), number)
    kept = _worth_their_bytes(number, measured_gain(tables, orders, stream), size)
    pruned = np.bincount(owner[~kept], _factors(tables["probabilities"][~kept], PROBABILITY_SCALE), len(number))
    rest = _factors(tables["backoff"], BACKOFF_SCALE) + pruned
    number = np.bincount(owner[kept], minlength=len(number))
    some = number > 0
    old_bits = _bits_of(tables)
    bits = min(old_bits, _bucket_bits(int(some.sum())))  # the old tables have no more bits of the hashes
    keys = _keys(tables)[some] >> np.uint64(old_bits - bits)
    return {
        **_in_buckets(keys, number[some], bits),
        "backoff": _byte(-np.log(np.clip(rest[some], 1e-9, 1.0)) * BACKOFF_SCALE),
        "seen": tables["seen"][some],
        "successors": tables["successors"][kept],
        "probabilities": tables["probabilities"][kept],
        "single": tables["single"],
    }


def _worth_their_bytes(number: np.ndarray, gain: np.ndarray, size: int) -> np.ndarray:
    """The n-grams with the greatest gain per byte, as many as fit; a context's first one needs more bytes: (ngrams,) bool.

    number: (contexts,) of the n-grams of each; gain: (ngrams,), in their order.
    """
    owner = np.repeat(np.arange(len(number)), number)

    def kept_at(price: float) -> np.ndarray:
        kept = gain > price * _NGRAM_BYTES
        left = np.bincount(owner[kept], gain[kept] - price * _NGRAM_BYTES, len(number))
        return kept & (left > price * _BYTES_A_CONTEXT)[owner]

    low, high = 0.0, float(gain.max(initial=0.0)) + 1
    for _ in range(40):
        price = (low + high) / 2
        kept = kept_at(price)
        contexts = int((np.bincount(owner[kept], minlength=len(number)) > 0).sum())
        taken = contexts * _BYTES_A_CONTEXT + int(kept.sum()) * _NGRAM_BYTES
        low, high = (price, high) if taken > size else (low, price)
    return kept_at(high)


def measured_gain(tables: Mapping[str, np.ndarray], orders: int, stream: TokenStream) -> np.ndarray:
    """The worth of each n-gram on some files, in nats, each package counted once: (ngrams,)."""
    keys, number = _keys(tables), tables["counts"].astype(np.int64)
    owner = np.repeat(np.arange(len(number), dtype=np.uint64), number)
    ngrams = owner << np.uint64(_TOKEN_BITS) | tables["successors"]
    backoff_of = _factors(tables["backoff"], BACKOFF_SCALE)
    probability_of = _factors(tables["probabilities"], PROBABILITY_SCALE)
    key_shift = np.uint64(64 - FINGERPRINT_BITS - _bits_of(tables))
    worth = np.zeros(len(ngrams))
    for package in np.unique(stream.package).tolist():
        places = np.flatnonzero((stream.package == package) & (stream.depth > 0))
        tokens, hashes = stream.tokens[places], np.zeros(len(places), np.uint64)
        probability = tables["single"].astype(np.float64)[tokens]
        for length in range(1, orders + 1):
            far = stream.depth[places] >= length
            places, tokens, hashes, probability = places[far], tokens[far], hashes[far], probability[far]
            hashes ^= backoff.zobrist(length, stream.size)[stream.tokens[places - length]]
            context, has_context = _find(keys, hashes >> key_shift)
            probability *= np.where(has_context, backoff_of[context], 1.0)
            ngram, there = _find(ngrams, context.astype(np.uint64) << np.uint64(_TOKEN_BITS) | tokens)
            hit = np.flatnonzero(has_context & there)
            distinct, each, times = np.unique(ngram[hit], return_inverse=True, return_counts=True)
            gained = np.log1p(probability_of[ngram[hit]] / probability[hit])
            worth[distinct] += np.bincount(each, gained, len(distinct)) / times
            probability[hit] += probability_of[ngram[hit]]
    return worth


def _keys(tables: Mapping[str, np.ndarray]) -> np.ndarray:
    """The known bits of each context's hash, in order: its bucket and its fingerprint."""
    bucket = np.repeat(np.arange(len(tables["buckets"]) - 1, dtype=np.uint64), np.diff(tables["buckets"][:, 0]))
    return bucket << np.uint64(FINGERPRINT_BITS) | tables["fingerprints"]


def _in_buckets(keys: np.ndarray, number: np.ndarray, bits: int) -> dict[str, np.ndarray]:
    """The tables for finding contexts: their sorted buckets and fingerprints, and the number of successors of each: (contexts,)."""
    borders = np.searchsorted(keys >> np.uint64(FINGERPRINT_BITS), np.arange((1 << bits) + 1, dtype=np.uint64))
    successors = np.concatenate(([0], np.cumsum(number)))
    return {
        "buckets": np.stack([borders, successors[borders]], axis=1).astype(np.uint32),
        "fingerprints": keys.astype(np.uint16),
        "counts": number.astype(np.uint8),
    }


def _bucket_bits(contexts: int) -> int:
    """The number of a hash's bits for the bucket."""
    return max(1, (contexts // _PER_BUCKET).bit_length())


def _bits_of(tables: Mapping[str, np.ndarray]) -> int:
    return (len(tables["buckets"]) - 1).bit_length() - 1


def _least_gain(estimates: Sequence[Estimates], size: int) -> float:
    """The least gain of the n-grams that fit into `size` bytes."""
    low, high = 0.0, max(float(of_length.gain.max(initial=0.0)) for of_length in estimates) + 1
    for _ in range(30):
        middle = (low + high) / 2
        taken = sum(_bytes_of(of_length, middle) for of_length in estimates)
        low, high = (middle, high) if taken > size else (low, middle)
    return high


def _bytes_of(estimates: Estimates, least: float) -> int:
    kept = np.concatenate(([0], np.cumsum(estimates.gain >= least)))
    borders = np.concatenate(([0], np.cumsum(estimates.counts.number)))
    contexts = int((np.diff(kept[borders]) > 0).sum())
    return contexts * _BYTES_A_CONTEXT + int(kept[-1]) * _NGRAM_BYTES


def _rank_within(owner: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """The rank of each n-gram among those of its context, by its gain: (ngrams,)."""
    order = np.lexsort((-gain, owner))
    starts = np.flatnonzero(_firsts(owner))
    rank = np.empty(len(owner), np.int64)
    rank[order] = np.arange(len(owner)) - np.repeat(starts, np.diff(np.append(starts, len(owner))))
    return rank


def _factors(steps: np.ndarray, scale: float) -> np.ndarray:
    """The numbers encoded as bytes on a logarithmic scale."""
    return np.exp(steps / -scale)


def _byte(values: np.ndarray) -> np.ndarray:
    return np.clip(np.round(values), 0, 255).astype(np.uint8)


def build(
    sources: Sequence[Source],
    vocabulary: Vocabulary,
    size: int,
    *,
    context: int = CONTEXT,
    megabytes: float = MEGABYTES,
) -> dict[str, np.ndarray] | None:
    """The tables of a model of some files; None where no two packages share an n-gram."""
    stream = read_stream(sources, vocabulary, size)
    counts = list(takewhile(lambda counted: len(counted.number), (count(stream, n) for n in range(1, context + 1))))
    if not counts:
        return None
    single = single_probabilities(stream)
    return pack(stream, single, estimate(stream, single, counts), int(megabytes * 1e6))


def write(
    folder: Path, sources: Sequence[Source], context: int = CONTEXT, megabytes: float = MEGABYTES, language: str = ""
) -> str:
    """Build a model beside the weights in a folder, for one language or any; a report for a person. Raises ModelError."""
    contents = read_folder(folder)
    tables = build(sources, contents.vocabulary, contents.size, context=context, megabytes=megabytes)
    if tables is None:
        return "no n-grams: no two packages have any in common"
    backoff.save(folder / in_language(backoff.FILE, language), tables, context, contents.vocabulary)
    return f"{len(tables['successors']):,} n-grams after {len(tables['fingerprints']):,} contexts"


def write_pruned(folder: Path, sources: Sequence[Source], megabytes: float = MEGABYTES, language: str = "") -> str:
    """Prune the model beside the weights in a folder by some files; a report for a person. Raises ModelError."""
    contents = read_folder(folder)
    path = folder / in_language(backoff.FILE, language)
    model = backoff.load_backoff(path, contents.vocabulary, contents.size)
    stream = read_stream(sources, contents.vocabulary, contents.size)
    tables = prune(model.tables, model.orders, stream, int(megabytes * 1e6))
    backoff.save(path, tables, model.orders, contents.vocabulary)
    return f"{len(tables['successors']):,} of {len(model.tables['successors']):,} n-grams are kept"


def main() -> int:
    """Count, estimate, prune, and write `ngrams/table.safetensors` into the model's folder."""
    parser = Parser(prog="python -m suture.training.ngrams", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--model", type=Path, required=True, help="the folder with the tokenizer, which is written to")
    parser.add_argument("--corpus", type=Path, required=True, help="corpus.jsonl of the run of `suture train`")
    parser.add_argument("--context", type=int, default=CONTEXT, help=f"tokens before the next one (default: {CONTEXT})")
    parser.add_argument("--megabytes", type=float, default=MEGABYTES, help=f"of the file (default: {MEGABYTES})")
    parser.add_argument("--language", default="", choices=("", *KINDS), help="of the corpus, where it is not Python")
    parser.add_argument("--prune", action="store_true", help="keep of the n-grams that are there what pays")
    options = parser.parse_args()
    try:
        sources = load_corpus(options.corpus).train
        if options.prune:
            say(write_pruned(options.model, sources, options.megabytes, options.language))
        else:
            say(write(options.model, sources, options.context, options.megabytes, options.language))
    except (ModelError, OSError) as error:
        say(f"ngrams: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
