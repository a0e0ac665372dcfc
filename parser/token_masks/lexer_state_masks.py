"""The groups of one language's lexer states: loaded from the cache, or made on demand.

Most unprepared lexer states are within a string's field, where most texts may come exactly if they may come in code: they are asked
about in code, and only tokens with characters special in the field are grouped anew (`TokenPartition.within`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np

from ...common.bounded import BoundedDict
from ...common.constraint import Progress
from ...common.utf8 import split_utf8
from ..glr.prefix import PrefixState
from ..hole import State
from ..lexing.base import LexState
from . import store
from .grouping import Walker
from .partition import Choices, TokenPartition
from .spreading import NearMasks, Spread
from .terminal_trie import TrieArena
from .vocabulary_trie import VocabularyTrie, texts_of

_KEPT_GROUPS = 64
"""Unprepared lexer states with cached groups; some 200 KB each for 150,000 tokens."""
_KEPT_CHOICES = 1024
_KEPT_CONTEXTS = 4
_KEPT_PLACES = 4_096
"""Places with a cached key of their mask: a JSON text comes to each some four times. Some 200 bytes each."""
_KEPT_HEADS = 64
"""First bytes of characters with a cached rest of the tokens' texts."""
_POLL_S = 0.2
"""The interval of looking whether another process has prepared the groups."""

_ALL = ""
"""In place of special tokens: there are none, and all tokens are grouped."""


class Vocabulary(Protocol):
    """The parts of VocabularyMasks shared with its lexer states."""

    spellings: tuple[bytes | None, ...]
    size: int
    folder: Path
    prepared: dict[str, store.Prepared]
    within: Sequence[int]

    def packed(self, mask: np.ndarray) -> np.ndarray: ...

    def kept(self, key: Hashable, make: Callable[[], np.ndarray]) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class _Kept:
    """texts: examples, each of the group with the same place in `groups`."""

    spread: Spread
    texts: Sequence[str]
    groups: Sequence[int]
    forest: TrieArena


@dataclass(frozen=True, eq=False)
class _Groups:
    spread: Spread
    choices: Choices


@dataclass(frozen=True, eq=False)
class _Special:
    """The tokens with something special in them, their texts, and the packed mask of all others."""

    tokens: np.ndarray
    texts: VocabularyTrie
    others: np.ndarray


Completable = Callable[[PrefixState], bool]
_Keys = BoundedDict[tuple[PrefixState, bytes], tuple[Spread, int]]


class LexerStateMasks:
    """The groups of one partition's lexer states."""

    def __init__(self, masks: Vocabulary, partition: TokenPartition) -> None:
        self.partition = partition
        self._masks = masks
        self._heads: BoundedDict[bytes, tuple[Walker, VocabularyTrie]] = BoundedDict(_KEPT_HEADS)
        self._special: dict[str, _Special] = {}
        self._kept: BoundedDict[Hashable, _Kept] = BoundedDict(_KEPT_GROUPS)  # of unprepared lexer states
        self._known: dict[LexState, _Kept] = {}  # of prepared lexer states without packed trees
        self._spreads: dict[str, Spread] = {}
        self._class_of = np.zeros(0, dtype=np.intp)  # of prepared lexer states
        self._near = NearMasks(self._class_of, 0, masks.size)
        # None: to be asked about within.
        self._groups: BoundedDict[Hashable, _Groups | None] = BoundedDict(_KEPT_CHOICES)
        # the decider of a right context -> (a text, first bytes of a character) -> the key of the mask
        self._keys: BoundedDict[Completable | None, _Keys] = BoundedDict(_KEPT_CONTEXTS)
        self._prepared: store.Prepared | None = None
        self._load()

    def text(self, state: State, head: bytes = b"") -> tuple[Hashable, np.ndarray]:
        """(a key, the packed mask of the tokens of text) in a state, after the first bytes of a character."""
        keys = self._keys.used(state.context.completable)
        if keys is None:
            keys = self._keys[state.context.completable] = BoundedDict(_KEPT_PLACES)
        here = state.left, head
        asked = keys.get(here)
        if asked is not None:
            return asked, self._spread_over(asked)
        place = self.partition.place(state)
        key = place, head
        if key not in self._groups:
            groups = self._packed(place, head) or self._loaded(place, head)
            if groups is None and (self._prepared is None or head or self.partition.within(state) is None):
                groups = self._made(place, head, _ALL)
            self._remember(key, groups)
        groups = self._groups[key]
        if groups is not None:
            asked = keys[here] = groups.spread, groups.choices.admitted(state)
            return asked, self._spread_over(asked)
        nested = self.partition.within(state)
        assert nested is not None
        inner, pattern = nested
        special = self.special(pattern)
        inside_key, inside = self.text(inner)
        inside = inside & special.others
        groups = self._groups.get((place, pattern))
        if groups is None:
            groups = self._made(place, b"", pattern)
            self._remember((place, pattern), groups)
        outside_key = groups.spread, groups.choices.admitted(state)
        outside = self._spread_over(outside_key)
        both = pattern, inside_key, outside_key
        return both, self._masks.kept(both, lambda: inside | outside)

    def _remember(self, key: Hashable, groups: _Groups | None) -> None:
        self._groups[key] = groups

    def _spread_over(self, key: tuple[Spread, int]) -> np.ndarray:
        """The packed mask of groups and the bits of the possible ones."""
        return self._masks.kept(key, lambda: self._spread_anew(*key))

    def _spread_anew(self, spread: Spread, admitted: int) -> np.ndarray:
        """The same, made."""

        def make() -> np.ndarray:
            return self._masks.packed(spread.over_tokens(admitted, len(self._masks.spellings)))

        return self._near.mask(spread, admitted, make) if spread.class_of is self._class_of else make()

    # -- the cache

    def prepare(self, progress: Progress | None) -> None:
        """Load the ordinary lexer states, or group and keep them."""
        path = self._path()
        lock = store.lock_of(path)
        while self._prepared is None and not store.acquire(lock):
            time.sleep(_POLL_S)
            self._load()
        if self._prepared is not None:
            return
        try:
            self._load()  # another process may just have finished
            if self._prepared is None:
                self._build(path, progress)
        finally:
            lock.release()
        self._kept.clear()
        self._known.clear()
        self._groups.clear()
        self._keys.clear()

    def _load(self) -> None:
        kept = self._masks.prepared  # of an engine before this one
        prepared = kept.get(self.partition.fingerprint) or store.read(self._path(), len(self._masks.spellings))
        if prepared is not None:
            self._use(prepared)

    def _path(self) -> Path:
        return store.path_of(self._masks.folder, self.partition.fingerprint, self._masks.spellings)

    def _use(self, prepared: store.Prepared) -> None:
        self._prepared = self._masks.prepared[self.partition.fingerprint] = prepared
        self._spreads.clear()
        self._class_of = prepared.class_of.astype(np.intp)
        self._near = NearMasks(self._class_of, len(prepared.examples), self._masks.size)
        self._class_numbers = np.arange(1, len(prepared.examples) + 1)
        self._texts_of_class: list[Sequence[str] | None] = [None] * len(prepared.examples)
        self._forest = self.partition.forest(prepared.packed.data if len(prepared.packed) else b"")

    def _build(self, path: Path, progress: Progress | None) -> None:
        places = self.partition.ordinary()
        walker, texts = self._texts(b"")
        rows: list[np.ndarray] = []
        for done, place in enumerate(places.values()):
            if progress is not None:
                progress(done, len(places))
            rows.append(np.append(walker.groups(place, texts).of_end, np.uint16(0))[texts.end_of_token])
        if progress is not None:
            progress(len(places), len(places))
        lengths = np.array([len(spelling or b"") for spelling in self._masks.spellings])
        prepared = store.together(list(places), rows, np.argsort(lengths, kind="stable"))
        prepared.texts = texts
        prepared.special = {pattern: self._tokens_with(pattern) for pattern in self.partition.specials()}
        self._use(prepared)
        packed = self.partition.pack(
            (place, *self._given(prepared.groups[row])) for row, place in enumerate(places.values())
        )
        if packed is not None:
            prepared.packed = np.frombuffer(packed[0], dtype=np.uint8)
            prepared.roots = np.array(packed[1], dtype=np.int32)
            self._use(prepared)
        store.write(path, prepared)

    # -- groups

    def _packed(self, place: LexState, head: bytes) -> _Groups | None:
        """The groups from the file."""
        prepared = self._prepared
        if prepared is None or head:
            return None
        name = self.partition.name(self.partition.equivalence_key(place)[0])
        of_class, root = prepared.of(name), prepared.root(name)
        if of_class is None or root is None:
            return None
        spread = self._spreads.get(name)
        if spread is None:
            spread = self._spreads[name] = Spread(of_class, self._class_of, len(prepared.examples))
        return _Groups(spread, self.partition.packed_choices(place, root, self._forest))

    def _loaded(self, place: LexState, head: bytes) -> _Groups | None:
        """The groups from the file, if nothing was packed."""
        like, _ = self.partition.equivalence_key(place)
        groups = None if head else self._known.get(like)
        if groups is None:
            of_class = self._prepared.of(self.partition.name(like)) if self._prepared is not None and not head else None
            if of_class is None:
                return None
            spread = Spread(of_class, self._class_of, len(self._texts_of_class))
            groups = self._known[like] = _Kept(spread, *self._given(of_class), self._forest)
        return self._choices(place, groups)

    def _choices(self, place: LexState, kept: _Kept) -> _Groups:
        return _Groups(kept.spread, self.partition.choices(place, kept.texts, kept.groups, kept.forest))

    def _given(self, of_class: np.ndarray) -> tuple[list[str], list[int]]:
        """Texts of a lexer state's groups, and the group of each."""
        groups = np.flatnonzero(of_class == self._class_numbers) + 1  # a group has the number of one of its classes
        return _examples(groups.tolist(), self._class_texts)

    def _class_texts(self, group: int) -> Sequence[str]:
        """The texts for a class of the prepared lexer states, numbered from 1."""
        assert self._prepared is not None
        texts = self._texts_of_class[group - 1]
        if texts is None:
            texts = self._texts_of_class[group - 1] = self._alternatives(int(self._prepared.examples[group - 1]))
        return texts

    def _made(self, place: LexState, head: bytes, pattern: str) -> _Groups:
        """The groups of all tokens, or of those with something special, made now unless cached."""
        like, _ = self.partition.equivalence_key(place)
        key = like, head, pattern
        kept = self._kept.get(key)
        if kept is None:
            walker, texts = self._texts(head)
            tokens = None
            if pattern:
                tokens, texts = self.special(pattern).tokens, self.special(pattern).texts
            groups = walker.groups(like, texts)
            chosen = texts.token_of_end[groups.examples].tolist()
            class_of = texts.index if tokens is None else texts.index[tokens]
            spread = Spread(np.append(groups.of_end, np.uint16(0)), class_of, len(chosen), tokens)
            examples = _examples(range(1, len(chosen) + 1), lambda group: self._alternatives(chosen[group - 1], head))
            kept = self._kept[key] = _Kept(spread, *examples, self.partition.forest())
        return self._choices(place, kept)

    def _alternatives(self, token: int, head: bytes = b"") -> Sequence[str]:
        """The texts of a token, which is possible if one of them is."""
        split = split_utf8(head + (self._masks.spellings[token] or b""))
        assert split is not None
        text, rest = split
        return [text + char for char in self.partition.spellings(rest)] if rest else [text]

    # -- texts

    def _texts(self, head: bytes) -> tuple[Walker, VocabularyTrie]:
        if not head:
            return self._whole_texts
        read = self._heads.get(head)
        if read is None:
            read = self._heads[head] = self._read(head, None)
        return read

    @cached_property
    def _whole_texts(self) -> tuple[Walker, VocabularyTrie]:
        return self._read(b"", None if self._prepared is None else self._prepared.texts)

    def _read(self, head: bytes, texts: VocabularyTrie | None) -> tuple[Walker, VocabularyTrie]:
        partition = self.partition
        if texts is None:
            texts = texts_of(self._masks.spellings, partition.alike, partition.spellings, head, self._masks.within)
        return Walker(partition, texts.chars, texts.rests), texts

    def special(self, pattern: str) -> _Special:
        """The tokens whose spellings contain a match of a regular expression."""
        tokens_with = self._special.get(pattern)
        if tokens_with is None:
            tokens = self._prepared.special.get(pattern) if self._prepared is not None else None
            if tokens is None:
                tokens = self._tokens_with(pattern)
            others = np.ones(len(self._masks.spellings), dtype=bool)
            others[tokens] = False
            texts = self._texts(b"")[1].only(tokens)
            tokens_with = self._special[pattern] = _Special(tokens, texts, self._masks.packed(others))
        return tokens_with

    def _tokens_with(self, pattern: str) -> np.ndarray:
        search = re.compile(pattern.encode()).search
        return np.array([i for i, s in enumerate(self._masks.spellings) if s and search(s)], dtype=np.int32)


def _examples(groups: Sequence[int], texts_of_group: Callable[[int], Sequence[str]]) -> tuple[list[str], list[int]]:
    """(texts, the group of each)."""
    texts: list[str] = []
    numbers: list[int] = []
    for group in groups:
        alternatives = texts_of_group(group)
        texts += alternatives
        numbers += [group] * len(alternatives)
    return texts, numbers
