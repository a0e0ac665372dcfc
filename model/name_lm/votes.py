"""The likely names at a position, as votes weighed against other predictions.

Each word of the document around the cursor (`words`) votes for its first token, or for the next one of a begun word: a plain name where one
is possible, an attribute behind a dot. A small network weighs each vote by the word's uses: a parameter still unused, the last binding, the
last use, an attribute read of the same object. It is fitted on files unseen by any model (`training.fit_names`).
"""

from __future__ import annotations

import builtins
import keyword
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...common.words import compiled, is_part
from ..vote_gate import VoteGate, read_gate
from .words import FAR, HERE, Word, Words, read_words

FILE = "names.json"  # in a model's folder: the gate of the names
_OF_WORD, _OF_PLACE, _OF_BOTH, _OF_NEED = 20, 13, 7, 8
_BEFORE_NEEDS = _OF_WORD + _OF_PLACE + _OF_BOTH
FEATURES = _BEFORE_NEEDS + _OF_NEED
MOST = 40
"""The most words voting at one position."""
_MOST_NAMES = 240
"""The most plain names considered, the nearest and the most used."""
_NEAR = 30
"""The worth of one use in the cursor's function, in words of nearness."""
_LEAST_LOG = -14.0
"""The floor of log probabilities."""
_LINE = 200
"""The most characters read of the cursor's line."""
_DIGITS = re.compile(r"\d*")
_REST = compiled(r"\w*")
_TARGET = compiled(r"(?<![^\W\d])([^\W\d]\w*+)(?:\s*+:[^=]*+)?+\s*+=\s*+\Z")
_PATH = compiled(r"[\w.]*\Z")
_KEYWORD_BEFORE = re.compile(r"\b(for|def)[ \t]*\Z")
_BASE = compiled(r"([^\W\d]\w*)\.\Z")
_KEYWORDS = frozenset(keyword.kwlist)
_BUILTIN = frozenset(dir(builtins))
_LOOP = Word("for")
"""Votes at the beginning of a statement, where a name is needed: mostly it is a loop's variable."""
_BEFORE_NAME = frozenset(
    (
        *("return", "in", "not", "and", "or", "if", "elif", "else", "while", "is", "await", "yield", "assert"),
        *("raise", "import", "from", "del", "for", "with", "as", "lambda", "except"),
    )
)
"""Words possibly followed by a blank and a name."""
_SIGNS = frozenset(" \t\n([{,=+-*/%<>&|^~@:;!")
"""Signs possibly followed by a name."""


def load_name_gate(path: Path) -> VoteGate:
    """The gate in a JSON file; raises ModelError."""
    return VoteGate(**read_gate(path, FEATURES, older=(_BEFORE_NEEDS,)))


@dataclass(frozen=True, slots=True)
class NameVotes:
    """The votes of the names at one position."""

    tokens: np.ndarray  # (n,) ids
    features: np.ndarray  # (n, FEATURES)


NONE = NameVotes(np.empty(0, np.int64), np.empty((0, FEATURES)))


@dataclass(frozen=True, slots=True)
class _Place:
    """The text before a position, in its line."""

    ahead: str  # up to the word
    word: str  # the beginning of the word
    gap: str  # a blank to come first
    is_attribute: bool
    follows: str = ""  # `for` or `def`, if it comes before


class _Of(NamedTuple):
    """The kind of a place, by the words possible there."""

    is_attribute: bool
    base: str  # of an attribute
    is_defined: bool  # behind `def`
    is_indented: bool


class NameVoter:
    """The names of a request's document, asked for votes."""

    def __init__(self, first_token: Callable[[bytes], int], spellings: Sequence[bytes | None]) -> None:
        """first_token: gives a text's first token, -1 for none. spellings: of the tokens."""
        self._first_token = first_token
        self._spellings = spellings
        self._document = ("", "")
        self._words: Words | None = None
        self._ranked: dict[_Of, _Ranked] = {}
        self._bound: list[int] = []

    def read(self, left: str, right: str) -> None:
        """Take up a request: the text on both sides."""
        if (left, right) != self._document:
            self._document, self._words = (left, right), None
            self._ranked.clear()

    def votes(self, before: bytes, rest: bytes, logp: np.ndarray) -> NameVotes:
        """The votes behind the last bytes `before` of the text, where the next token must begin with `rest`.

        logp: (size,) the log probabilities of the other predictions.
        """
        line = before[-_LINE:].decode(errors="ignore")
        place = _place_in(line[line.rfind("\n") + 1 :])
        if place is None:
            return NONE
        base = _BASE.search(place.ahead) if place.is_attribute else None
        of = _Of(place.is_attribute, base[1] if base else "", place.follows == "def", place.ahead[:1] in (" ", "\t"))
        ranked = self._ranked.get(of)
        if ranked is None:
            words = self._rank(of)
            assert self._words is not None
            ranked = self._ranked[of] = _Ranked(words, of.base, self._bound, self._words.needs_header)
        voted = self._voting(ranked, place, rest)
        if not len(voted.tokens):
            return NONE
        tokens, texts = voted.tokens, voted.texts
        until = _OF_WORD + _OF_PLACE
        features = np.empty((len(tokens), FEATURES))
        features[:, :_OF_WORD] = voted.features
        features[:, _OF_WORD:until] = _of_place(place, bool(rest))
        features[:, until] = np.maximum(logp[tokens], _LEAST_LOG) / 4 + 1
        features[:, until + 1] = max(float(logp.max()), -6.0) / 2 + 1
        features[:, until + 2] = math.log2(len(tokens)) / 3 - 1
        features[:, until + 3] = voted.shares
        features[:, until + 4 : _BEFORE_NEEDS] = 0
        features[:, _BEFORE_NEEDS:-4] = voted.needs
        features[:, -4:] = ranked.is_needed, ranked.needs_header, place.follows == "for", place.follows == "def"
        ahead = place.ahead
        before_path = _PATH.sub("", ahead) if place.is_attribute else ahead
        target = _TARGET.search(before_path) if before_path.rstrip().endswith("=") else None
        wanted = target[1].lstrip("_") if target else ""
        if wanted:
            features[:, until + 4] = [text.lstrip("_") == wanted for text in texts]
            features[:, until + 5] = [len(text) > 2 and (text in wanted or wanted in text) for text in texts]
        features[:, until + 6] = [text in ahead for text in texts]
        return NameVotes(tokens, features)

    def _voting(self, ranked: _Ranked, place: _Place, rest: bytes) -> _Voting:
        """The words possible at a place."""
        begins = not place.ahead.strip() and not place.gap
        key = place.word, place.gap, rest, begins
        voting = ranked.voting.get(key)
        if voting is not None:
            return voting
        size = len(place.word)
        kept: list[int] = []
        tokens: list[int] = []
        for number in ranked.begun(place.word):
            if ranked.words[number] is _LOOP and not begins:
                continue
            token = self._first_token((place.gap + ranked.texts[number][size:]).encode())
            if token >= 0 and (not rest or (self._spellings[token] or b"").startswith(rest)):
                kept.append(number)
                tokens.append(token)
        times = Counter(tokens)
        voting = ranked.voting[key] = _Voting(
            np.array(tokens, dtype=np.int64),
            [ranked.texts[number] for number in kept],
            ranked.features(kept),
            np.array([2 * times[token] / len(tokens) - 1 for token in tokens]),
            np.array([_of_need(ranked.words[number]) for number in kept]).reshape(-1, 4),
        )
        return voting

    def _rank(self, of: _Of) -> list[Word]:
        """The words possible at places of a kind, the likely ones first."""
        if self._words is None:
            left, right = self._document
            rest = _REST.match(right)
            assert rest is not None
            self._words = read_words(left[: len(left) - len(_word_at_end(left[-_LINE:]))], right[rest.end() :])
            bound = (word.bound for word in self._words.names.values() if word.bound > -FAR)
            self._bound = sorted(bound, reverse=True)
        if of.is_attribute:
            words = list(self._words.attributes.values())
            return sorted(words, key=lambda word: (-word.bases.get(of.base, 0), -word.last))
        if of.is_defined:
            called = self._words.attributes if of.is_indented else self._words.names
            return [word for word in called.values() if _lacks(word)][:_MOST_NAMES]
        words = [word for word in self._words.names.values() if word.text not in _KEYWORDS]
        words = sorted(words, key=lambda word: (-word.needed, -word.last - _NEAR * word.times[HERE]))[:_MOST_NAMES]
        return [_LOOP, *words] if words and words[0].needed else words


@dataclass(frozen=True, slots=True)
class _Voting:
    """The words voting at a place."""

    tokens: np.ndarray  # (n,) ids, the first or the next of each
    texts: list[str]
    features: np.ndarray  # (n, _OF_WORD)
    shares: np.ndarray  # (n,): the number of votes for the same token
    needs: np.ndarray  # (n, 4)


class _Ranked:
    """The words possible at places of a kind, the likely ones first, and their features, computed lazily."""

    def __init__(self, words: list[Word], base: str, bound: list[int], needs_header: bool) -> None:
        self.words = words
        self.is_needed = bool(words) and words[0] is _LOOP
        self.needs_header = needs_header
        self.texts = [word.text for word in words]
        # by the word so far, the gap, the bytes to spell again, and whether a statement begins
        self.voting: dict[tuple[str, str, bytes, bool], _Voting] = {}
        self._begun: dict[str, list[int]] = {}
        self._base = base
        self._bound = bound
        self._features = np.empty((len(words), _OF_WORD))
        self._known = [False] * len(words)

    def begun(self, word: str) -> Sequence[int]:
        """The words with a beginning, at most MOST."""
        if not word:
            return range(min(MOST, len(self.texts)))
        first = self._begun.get(word[0])
        if first is None:
            first = self._begun[word[0]] = [number for number, text in enumerate(self.texts) if text[0] == word[0]]
        texts, size = self.texts, len(word)
        return [number for number in first if texts[number].startswith(word) and len(texts[number]) > size][:MOST]

    def features(self, numbers: Sequence[int]) -> np.ndarray:
        """The features of some words: (n, _OF_WORD)."""
        for number in numbers:
            if not self._known[number]:
                self._known[number] = True
                self._features[number] = _of_word(self.words[number], self._base, self._bound)
        return self._features[numbers]


def _word_at_end(text: str) -> str:
    """The word at the end of a text; "" for none."""
    begin = len(text)
    while begin and is_part(text[begin - 1]):
        begin -= 1
    digits = _DIGITS.match(text, begin)
    return text[begin if digits is None else digits.end() :]


def _place_in(line: str) -> _Place | None:
    """The text before a position in a line; None where no name comes next."""
    word = _word_at_end(line)
    ahead = line[: len(line) - len(word)]
    follows = _KEYWORD_BEFORE.search(ahead if ahead[-1:] in (" ", "\t") else line)
    if word in _BEFORE_NAME:
        return _Place(line, "", " ", False, follows[1] if follows else "")
    last, second = ahead[-1:] or "\n", ahead[-2:-1]
    if last == ".":
        behind_value = second != "" and (second in ")]\"'" or is_part(second))
        return _Place(ahead, word, "", True) if behind_value or len(ahead) == 1 else None
    if word:
        return _Place(ahead, word, "", False, follows[1] if follows else "")
    if last not in _SIGNS or ahead.lstrip().startswith("#"):
        return None
    doubled = second == " " or (second != "" and second in "=+-*/%<>&|!:")
    gap = " " if last in ",:;" or (last in "=+-*/%<>&|" and doubled) else ""
    return _Place(ahead, "", gap, False, follows[1] if follows else "")


def _of_word(word: Word, base: str, bound: list[int]) -> tuple[float, ...]:
    """The features of a word, scaled to about -1 to 1."""
    before, here, below, after = word.times
    times = before + here + below + after
    is_bound = word.bound > -FAR
    return (
        math.log2(1 + here) / 2,
        math.log2(1 + below) / 2,
        math.log2(1 + before) / 3,
        math.log2(1 + after) / 3,
        math.log1p(max(0, -word.last)) / 4 - 1,
        math.log1p(max(0, -word.last_line)) / 3 - 1,
        word.is_parameter,
        is_bound and here == 1,
        is_bound and here == 1 and below == 0,
        1 / (1 + bound.index(word.bound)) if is_bound and word.bound in bound else 0.01,
        word.is_imported,
        word.is_imported and times == 1,
        word.is_defined,
        word.is_defined and times <= 1,
        word.calls / max(1, times),
        word.dots / max(1, times),
        word.text[0].isupper(),
        word.text[0] == "_",
        math.log2(1 + word.bases.get(base, 0)) / 2 if base else 0.0,
        base != "" and base in word.bases,
    )


def _lacks(word: Word) -> bool:
    """Whether a function of the module, or of the object itself, is called but not defined around the cursor."""
    is_made = word.is_defined or word.is_imported or word.is_parameter or word.bound > -FAR or word.text in _BUILTIN
    return word.calls > 0 and not is_made and (not word.bases or "self" in word.bases or "cls" in word.bases)


def _of_need(word: Word) -> tuple[float, ...]:
    """Whether the code around the cursor lacks a word."""
    return word.needed > 0, word.needed, word is _LOOP, _lacks(word)


def _of_place(place: _Place, spelled: bool) -> tuple[float, ...]:
    """The features of a place; spelled: whether bytes before the cursor are spelled again."""
    ahead = place.ahead
    code = ahead.strip()
    last = code[-1:]
    return (
        place.is_attribute,
        place.word != "",
        spelled,
        code.endswith("return"),
        last == "(",
        last == ",",
        last == "=" and ahead[-1:] == "=",
        last == "=" and ahead[-1:] != "=",
        not code,
        code.startswith(("import", "from")),
        code.endswith(" in"),
        ahead.count("(") > ahead.count(")"),
        ahead.count('"') % 2 == 1 or ahead.count("'") % 2 == 1 or "#" in ahead,
    )
