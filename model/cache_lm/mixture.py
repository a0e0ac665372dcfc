"""Mixing a model's predictions with those of its document: one softmax over the model and the places to copy from.

Each place in agreement with the text before the cursor (`matches`) votes for its next token, and, where the right context begins like the
text behind it, for the end. A small network weighs each vote by its agreement, its distance and the token's probability in the model; the
model's own weight is 1. The network (`MixtureWeights`) is fitted on files unseen by the model (`training.fit_copying`), and kept beside its
weights.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, Self

import numpy as np

from ...common.bounded import BoundedDict
from ..name_lm import words
from ..name_lm.votes import NameVoter, NameVotes
from ..ngram_lm.votes import NONE, NgramVoter, NgramVotes, Place
from ..prompting.vocabulary import Vocabulary
from ..runtime.base import Runtime
from ..runtime.short_row import ShortRow
from ..vote_gate import VoteGate, read_gate
from . import drafts
from .drafts import Row
from .matches import LONGEST, DocumentIndex, Matches

FILE = "copying.json"  # in a model's folder: its gate
FEATURES = 19  # of a vote
END_FEATURES = 7  # of the model's own wish to end
_LEAST = -14.0  # the floor of log probabilities
_IMPOSSIBLE = 20.0  # subtracted from the log probabilities of tokens that do not spell the forced bytes
_KEPT_PIECES = 50_000
NAMES_READ = 300  # bytes read before a position for the possible names
_TELLING = 8  # bytes of agreement from which on a place's continuation is drafted


@dataclass(frozen=True, slots=True)
class MixtureWeights(VoteGate):
    """The fitted numbers: a network for the votes, and a linear correction of the model's end."""

    end_bias: np.ndarray  # (END_FEATURES,): added to the logits of the model's end tokens

    def arrays(self) -> dict[str, np.ndarray]:
        """The numbers by name."""
        return VoteGate.arrays(self) | {"end_bias": self.end_bias}


def load_gate(path: Path) -> MixtureWeights:
    """The gate in a JSON file; raises ModelError."""
    return MixtureWeights(**read_gate(path, FEATURES, {"end_bias": END_FEATURES}))


@dataclass(frozen=True, slots=True)
class MatchFeatures:
    """The votes of the places at one position."""

    tokens: np.ndarray  # (n,) ids
    features: np.ndarray  # (n, FEATURES)
    ends: np.ndarray  # (n,) whether each may also vote for the end
    end_features: np.ndarray  # (END_FEATURES,)


@dataclass(frozen=True, slots=True)
class LanguageMixture:
    """The mixture for documents in a certain language."""

    copying: MixtureWeights
    voter: NgramVoter | None = None
    ngrams: VoteGate | None = None  # the voter's gate
    names: VoteGate | None = None  # the gate of the names around the cursor


_NO_LANGUAGES: Mapping[str, LanguageMixture] = MappingProxyType({})


class Copier:
    """The document of a request, and its votes after a text."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        size: int,
        ends: Sequence[int],
        voter: NgramVoter | None = None,
        languages: Mapping[str, LanguageMixture] = _NO_LANGUAGES,
    ) -> None:
        """voter: for all languages except those in `languages`, which have their own."""
        self.ends = np.array([token for token in ends if token < size], dtype=np.int64)
        self.own: LanguageMixture | None = None  # the document language's
        self.knows_names = False  # whether names of the document's language are recognised
        self.forced = b""  # the end of the left context, left out of the prompt and to be spelled again
        self.prompt: list[int] = []
        self.voter = voter
        self._any_language = voter
        self._languages = languages
        self.context: list[int] = []  # the tokens at the end of the left context, if there is a voter
        self._vocabulary = vocabulary
        self._size = size
        self._first: BoundedDict[bytes, int] = BoundedDict(_KEPT_PIECES)  # the first token of each piece; -1 for none
        self._names = NameVoter(self._token, vocabulary.bytes_of)
        self._document: tuple[object, ...] = ()
        self._haystack = DocumentIndex("", "")
        self._matched: tuple[bytes, Matches] | None = None  # of the last needle

    @property
    def silent(self) -> list[int]:
        """The tokens that are neither text nor end."""
        return self._vocabulary.silent(self._size, frozenset(self.ends.tolist())).tolist()

    def beside(self) -> Copier:
        """A new copier with the same tables."""
        return Copier(self._vocabulary, self._size, self.ends.tolist(), self._any_language, self._languages)

    def read(
        self,
        left: str,
        right: str,
        others: Sequence[str],
        prompt: Sequence[int],
        forced: bytes,
        language: str = "",
        *,
        ranking: bool = True,
    ) -> None:
        """Take up a request: the whole text on both sides, other texts to copy from, its prompt, its language.

        ranking: whether the names around the cursor are mixed in.
        """
        self.own = self._languages.get(language)
        self.knows_names = ranking and language in words.LANGUAGES
        self.voter = self._any_language if self.own is None else self.own.voter
        self.forced, self.prompt = forced, list(prompt)
        document = (left, right, *others)
        if document != self._document:
            self._document = document
            self._haystack = DocumentIndex(left, right, others)
            self._matched = None
            self._names.read(left, right)
        if self.voter is not None:
            self.context = self.voter.context(left, forced) if prompt else []

    def is_usual(self, left: str, text: str) -> bool | None:
        """See `RequestReader`."""
        return None if self.voter is None else self.voter.is_usual(left, text)

    def log_probabilities(self, logits: np.ndarray, generated: bytes) -> np.ndarray:
        """The model's log probabilities after `generated`, of tokens spelling the forced bytes: (size,) float64."""
        logp = logits.astype(np.float64)
        rest = self.forced[len(generated) :]
        if rest:
            possible = self._vocabulary.ids_starting_with(rest)
            possible = possible[possible < self._size]
            if len(possible):
                kept = logp[possible]
                logp -= _IMPOSSIBLE + logp.max() - kept.max()
                logp[possible] = kept
        logp -= logp.max()
        return logp - np.log(np.exp(logp).sum())

    def votes(self, generated: bytes, logp: np.ndarray) -> MatchFeatures:
        """The votes after `generated`, given the model's log probabilities `logp`: (size,)."""
        hay = self._haystack
        again = max(0, len(self.forced) - len(generated))  # bytes before the cursor for the next token to spell
        kept = hay.before[-2 * LONGEST - len(self.forced) :]
        needle = kept if again else kept[: len(kept) - len(self.forced)] + generated
        matches = self._matches(needle)
        tokens = np.array([self._token(hay.ahead(end - again)) for end in matches.ends.tolist()], dtype=np.int64)
        end_logp = max(float(logp[self.ends].max(initial=-np.inf)), _LEAST)
        spelled = tokens >= 0
        if again:
            rest = self.forced[len(generated) :]
            voted: list[int] = tokens.tolist()
            spellings = [self._vocabulary.bytes_of[token] or b"" for token in voted]
            spelled &= np.array([spelling.startswith(rest) for spelling in spellings], dtype=bool)
        matches = Matches(matches.ends[spelled], matches.lengths[spelled], matches.total)
        shared = hay.shared_with_right(matches.ends)
        repeats, already = hay.repeating(matches.ends, b"" if again else generated[len(self.forced) :])
        features = _features(hay, matches, shared, tokens[spelled], needle, not generated, logp, end_logp)
        features[:, 17:] = repeats
        ends = (shared > 0) & (again == 0) if len(self.ends) else np.zeros(len(shared), dtype=bool)
        first = len(generated) <= len(self.forced)
        return MatchFeatures(tokens[spelled], features, ends, _end_features(hay, needle, first, end_logp, already))

    def ngram_votes(self, ids: Sequence[int], logp: np.ndarray, copied: MatchFeatures) -> NgramVotes:
        """The usual tokens after the left context and `ids`, given the model's log probabilities `logp`: (size,)."""
        if self.voter is None or not self.context:
            return NONE
        generated = self.spelling(ids)
        agreement = float(copied.features[0, 0]) if len(copied.tokens) else -2.0
        place = Place(
            [*self.context, *ids],
            self.forced[len(generated) :],
            len(generated) <= len(self.forced),
            self._haystack.right,
            copied.tokens,
            agreement,
        )
        return self.voter.votes(place, logp, float(np.logaddexp.reduce(logp[self.ends])) if len(self.ends) else _LEAST)

    def likely(self, ids: Sequence[int], earlier: Sequence[int], most: int) -> list[int]:
        """The probable next tokens after the left context and `ids`: from another text for the same hole (`earlier`), from the document, or
        else the usual ones."""
        generated = self.spelling(ids)
        if len(generated) < len(self.forced):
            return []
        tokens = drafts.after_last_two(ids, earlier)[:most]
        if not tokens:
            hay = self._haystack
            kept = hay.before[-2 * LONGEST - len(self.forced) :]
            matches = self._matches(kept[: len(kept) - len(self.forced)] + generated)
            if len(matches.ends) and matches.lengths[0] >= _TELLING:
                text = hay.line_after(int(matches.ends[0])).decode(errors="ignore")
                tokens = self.tokens(text)[:most]
        while self.voter is not None and self.context and len(tokens) < most:
            token = self.voter.usual([*self.context, *ids, *tokens])
            if token is None:
                break
            tokens.append(token)
        return tokens

    def _matches(self, needle: bytes) -> Matches:
        if self._matched is None or self._matched[0] != needle:
            self._matched = needle, self._haystack.matches(needle)
        return self._matched[1]

    def name_votes(self, generated: bytes, logp: np.ndarray) -> NameVotes:
        """The votes of the names after `generated`, given the log probabilities so far `logp`: (size,)."""
        before = self._haystack.before[-NAMES_READ - len(self.forced) :]
        before = before[: len(before) - len(self.forced)] + generated
        return self._names.votes(before, self.forced[len(generated) :], logp)

    def spelling(self, ids: Sequence[int]) -> bytes:
        """The spelling of generated ids."""
        return self._vocabulary.decode(ids)

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text, up to the first without a logit."""
        return list(takewhile(lambda token: token < self._size, self._vocabulary.pieces(text))) if text else []

    def _token(self, piece: bytes) -> int:
        token = self._first.get(piece)
        if token is None:
            ids = self._vocabulary.pieces(piece.decode(errors="ignore"))
            token = ids[0] if ids and ids[0] < self._size else -1
            self._first[piece] = token
        return token


def _features(
    hay: DocumentIndex,
    matches: Matches,
    shared: np.ndarray,
    tokens: np.ndarray,
    needle: bytes,
    first: bool,
    logp: np.ndarray,
    end_logp: float,
) -> np.ndarray:
    """The features of each vote's weight, scaled to about -1 to 1: (n, FEATURES)."""
    ends, lengths, count = matches.ends, matches.lengths, len(tokens)
    features = np.empty((count, FEATURES))
    if not count:
        return features
    line = len(needle) - 1 - max(needle.rfind(b"\n"), needle.rfind(b"\r"))
    last = needle[-1:]
    features[:, 0] = np.log2(lengths) - 3.5
    features[:, 1] = lengths > line  # agreement in the whole line so far
    features[:, 2] = np.log1p(np.abs(ends - hay.cursor)) / 4 - 2
    features[:, 3] = ends > hay.cursor
    features[:, 4] = np.maximum(logp[tokens], _LEAST) / 4 + 1
    features[:, 5] = np.log2(lengths / lengths[0])
    features[:, 6] = np.log2((lengths == lengths[0]).sum()) / 2
    features[:, 7] = np.log2(1 + matches.total) / 4 - 1
    features[:, 8] = max(float(logp.max()), -6.0) / 2 + 1
    features[:, 9] = 2 * (tokens[:, None] == tokens).mean(axis=1) - 1
    features[:, 10] = first
    features[:, 11] = last.isalnum() or last == b"_" or last > b"\x7f"
    features[:, 12] = np.log2(1 + shared) - 2
    features[:, 13] = hay.right[:1] in (b"\n", b"\r", b"")
    features[:, 14] = end_logp / 4 + 1
    features[:, 15] = np.log2(count) / 2 - 1
    visible = np.cumsum([not chr(byte).isspace() for byte in needle[: -LONGEST - 1 : -1]])
    features[:, 16] = np.log2(1 + visible[lengths - 1]) / 2 - 1
    return features


def _end_features(hay: DocumentIndex, needle: bytes, first: bool, end_logp: float, already: bool) -> np.ndarray:
    """The features for the trust in the model's end: (END_FEATURES,)."""
    at_line_end = hay.right[:1] in (b"\n", b"\r", b"")
    blank = not needle[needle.rfind(b"\n") + 1 :].strip()
    return np.array(
        [1.0, at_line_end, blank, first, at_line_end and not blank and not first, end_logp / 4 + 1, already]
    )


def mix(
    logp: np.ndarray,
    votes: MatchFeatures,
    gate: MixtureWeights,
    ends: np.ndarray,
    usual: NgramVotes = NONE,
    ngram_gate: VoteGate | None = None,
) -> np.ndarray:
    """The mixed log probabilities: (size,) float32."""
    mixed = logp.copy()
    mixed[ends] += float(votes.end_features @ gate.end_bias)
    mixed = np.exp(mixed)
    mixed /= mixed.sum()
    for cast, weigh in ((votes, gate), (usual, ngram_gate)):
        if weigh is not None and len(cast.tokens):
            weights, end_weights = weigh.weights(cast.features)
            mixed += np.bincount(cast.tokens, weights, minlength=len(mixed))
            if cast.ends.any() and len(ends):
                mixed[ends[0]] += end_weights[cast.ends].sum()
    mixed /= mixed.sum()
    return np.log(np.maximum(mixed, 1e-300)).astype(np.float32)


def with_names(logp: np.ndarray, votes: NameVotes, gate: VoteGate) -> np.ndarray:
    """Normalised log probabilities, mixed with the votes of the names: (size,) float32. A vote's weight is relative to their sum."""
    if not len(votes.tokens):
        return logp
    weights = gate.token_weights(votes.features)
    total = weights.sum()
    mixed = logp - np.float32(np.log1p(total))
    added = np.bincount(votes.tokens, weights)[votes.tokens] / (1 + total)  # repeated where two vote for one token
    mixed[votes.tokens] = np.log(np.exp(mixed[votes.tokens]) + added)
    return mixed


class _Drafts(Generic[Row]):
    """A runtime with speculative decoding from a request's document; its logits are those of the runtime alone."""

    def __init__(self, inner: Any, copier: Copier) -> None:
        """inner: a `Runtime` with rows of type `Row`."""
        self._inner: Runtime = inner
        self._steps = drafts.DraftedSteps[Row](inner)
        self._copier = copier
        self._ids: list[int] = []
        self._earlier: list[int] = []  # the tokens generated before for the same prompt
        self._certain: Callable[[], str] = str

    @property
    def device(self) -> str:
        """The device it runs on."""
        return self._inner.device

    @property
    def limit(self) -> int:
        """The longest sequence, in tokens."""
        return self._inner.limit

    @property
    def size(self) -> int:
        """The number of logits."""
        return self._inner.size

    @property
    def length(self) -> int:
        """The number of tokens in the sequence."""
        return self._steps.length

    def cached(self, ids: Sequence[int]) -> int:
        """The number of leading ids of `ids` in the KV cache."""
        return self._inner.cached(ids)

    def crop(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        self._steps.crop(length)
        del self._ids[length:]

    def _prefilled(self, ids: Sequence[int]) -> Row:
        logits = self._steps.prefill(ids)
        start = len(self._copier.prompt)
        same = list(ids[:start]) == self._ids[:start] == self._copier.prompt
        self._earlier = max(self._earlier, self._ids[start:], key=len) if same else []
        self._ids = list(ids)
        return logits

    def _stepped(self, token: int) -> Row:
        logits = self._steps.step(token, lambda: self._likely(token))
        self._certain = str
        self._ids.append(token)
        return logits

    def _rows(self, ids: Sequence[int]) -> list[Row]:
        rows = self._steps.rows(ids)
        self._ids += ids
        return rows

    def expect(self, certain: Callable[[], str]) -> None:
        """See `Drafting`."""
        self._certain = certain

    def _likely(self, token: int) -> list[int]:
        """The certain tokens after the sequence and one more token, then the probable ones."""
        copier, start = self._copier, len(self._copier.prompt)
        certain = copier.tokens(self._certain())[: drafts.MOST]
        if not start or self._ids[:start] != copier.prompt or len(certain) == drafts.MOST:
            return certain
        return certain + copier.likely([*self._ids[start:], token, *certain], self._earlier, drafts.MOST - len(certain))


class DraftingRuntime(_Drafts[ShortRow]):
    """A runtime on a GPU with speculative decoding from the document; rows of logits stay on the GPU where that suffices."""

    def __init__(self, inner: Runtime, copier: Copier) -> None:
        """inner: a runtime on torch."""
        from ..runtime.on_device import OnDevice
        from ..runtime.torch_runtime import TorchRuntime

        assert isinstance(inner, TorchRuntime), "nothing else runs on a card"
        super().__init__(OnDevice(inner, copier.silent, copier.ends.tolist()), copier)

    def prefill_short(self, ids: Sequence[int]) -> ShortRow:
        """See `ShortRows`."""
        return self._prefilled(ids)

    def step_short(self, token: int) -> ShortRow:
        """See `ShortRows`."""
        return self._stepped(token)

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        """See `Runtime`."""
        return self._prefilled(ids).whole()

    def step(self, token: int) -> np.ndarray:
        """See `Runtime`."""
        return self._stepped(token).whole()

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        """See `Runtime`."""
        return np.stack([row.whole() for row in self._rows(ids)])


class CopyingRuntime(_Drafts[np.ndarray]):
    """A runtime that mixes the document's votes into its logits, wherever its sequence is the prompt of a request.

    They are log probabilities then.
    """

    def __init__(
        self,
        inner: Runtime,
        copier: Copier,
        gate: MixtureWeights,
        ngram_gate: VoteGate | None = None,
        name_gate: VoteGate | None = None,
    ) -> None:
        super().__init__(inner, copier)
        self._any_language = LanguageMixture(gate, copier.voter, ngram_gate, name_gate)

    def beside(self, inner: Runtime) -> tuple[Self, Copier]:
        """The same over another runtime of the model, with a reader of its own and shared tables."""
        copier = self._copier.beside()
        other = copy.copy(self)
        super(CopyingRuntime, other).__init__(inner, copier)
        return other, copier

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        """Make `ids` the sequence; the logits after its last token: (size,)."""
        return self._mixed(self._prefilled(ids), len(ids))

    def step(self, token: int) -> np.ndarray:
        """Append one token; the logits after it: (size,)."""
        return self._mixed(self._stepped(token), len(self._ids))

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        """Append tokens; the logits after each of them: (n, size)."""
        first = len(self._ids) + 1
        mixed = [self._mixed(row, first + i) for i, row in enumerate(self._rows(ids))]
        return np.stack(mixed) if mixed else np.empty((0, self.size), np.float32)

    def _mixed(self, logits: np.ndarray, length: int) -> np.ndarray:
        copier, start = self._copier, len(self._copier.prompt)
        if not start or self._ids[:start] != copier.prompt or length < start or not np.isfinite(logits.max()):
            return logits
        ids = self._ids[start:length]
        generated = copier.spelling(ids)
        logp = copier.log_probabilities(logits, generated)
        copied = copier.votes(generated, logp)
        mixture = copier.own or self._any_language
        usual = copier.ngram_votes(ids, logp, copied) if mixture.ngrams is not None else NONE
        mixed = mix(logp, copied, mixture.copying, copier.ends, usual, mixture.ngrams)
        if mixture.names is None or not copier.knows_names:
            return mixed
        return with_names(mixed, copier.name_votes(generated, mixed), mixture.names)
