"""Masks: all tokens that may come next, at once and exactly.

A mask costs one question for each group of tokens that the lexer cannot tell apart (see grouping.py), and a look-up that
spreads the answers over the vocabulary. It says of each token what checking that token alone says.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from platformdirs import user_cache_dir

from ..constraint import Constraint
from ..stepping import Looks, Position
from ..vocabulary import Vocabulary
from . import store
from .grouping import Choices, Groupable, Grouper, Place, Walker
from .texts import Texts, texts_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ..runtime import Model

_KEPT_LANGUAGES = 4
_KEPT_GROUPS = 64
"""Lexer states that were not prepared, the groups of which are kept; some 300 KB each for 150,000 tokens."""
_KEPT_CHOICES = 1024
_POLL_S = 0.2
"""Between two looks whether another process has prepared the groups."""
_KEPT_HEADS = 64
_KEPT_MASKS = 512
"""Masks kept by the groups that they admit; some 20 KB each for 150,000 tokens."""

Progress = Callable[[int, int], None]
"""Called with (lexer states done, lexer states in all)."""


def cache_folder() -> Path:
    """Where groups are kept."""
    return Path(user_cache_dir("suture", appauthor=False)) / "masks"


class TokenMasks:
    """The masks of one vocabulary. Used by one thread at a time."""

    def __init__(
        self,
        spellings: Sequence[bytes | None],
        ends: Sequence[int] = (),
        size: int | None = None,
        folder: Path | None = None,
    ) -> None:
        """spellings: token id -> bytes, None for tokens that are no text and never come. ends: ids of tokens that end the text,
        which may come where the hole is complete. size: of a mask, where the model has more logits than tokens.
        folder: where prepared groups are kept, instead of the user's cache folder.
        """
        self.spellings = tuple(None if i in ends else spelling or None for i, spelling in enumerate(spellings))
        self.size = len(self.spellings) if size is None else size
        self.ends = tuple(end for end in ends if end < self.size)
        self._folder = folder if folder is not None else cache_folder()
        self.prepared: dict[str, store.Prepared] = {}  # by the fingerprint of a language
        self._languages: OrderedDict[int, _Language] = OrderedDict()
        self._masks: OrderedDict[Hashable, np.ndarray] = OrderedDict()
        self._within = [i for i, s in enumerate(self.spellings) if s and 0x80 <= s[0] < 0xC0]

    @classmethod
    def for_tokenizer(
        cls, tokenizer: Tokenizer, ends: Sequence[int] = (), size: int | None = None, folder: Path | None = None
    ) -> TokenMasks:
        """For a `tokenizers.Tokenizer` (`backend_tokenizer` of one of transformers), which stays as it is. Raises ModelError."""
        copy = type(tokenizer).from_str(tokenizer.to_str())
        return cls(Vocabulary(copy).bytes_of, ends, size, folder)

    @classmethod
    def for_model(cls, model: Model, folder: Path | None = None) -> TokenMasks:
        """For a loaded model: text, and its own ends of text."""
        return cls(model.vocabulary.bytes_of, model.template.ends, model.runtime.size, folder)

    def prepare(self, constraint: Constraint, progress: Progress | None = None) -> None:
        """Group the tokens for all ordinary lexer states of a language (any constraint of it), or load them from the cache.

        Without it, they are loaded when there, or else each lexer state costs some 10 to 100 ms when it is met. Where another
        process is at it, its work is waited for.
        """
        if hasattr(constraint, "grouper"):
            self._language(cast(Groupable, constraint).grouper).prepare(progress)
            self.bitmask(constraint)  # the first one makes what others share

    def allowed(self, at: Constraint | Position) -> np.ndarray:
        """Which tokens may come: (size,) bool, the caller's own."""
        packed = self.bitmask(at).view(np.uint8)
        return np.unpackbits(packed, count=self.size, bitorder="little").view(bool)

    def bitmask(self, at: Constraint | Position) -> np.ndarray:
        """The same packed: ((size + 31) // 32,) int32, token i is bit i % 32 of number i // 32; not to be written to."""
        position = at if isinstance(at, Position) else Position(at)
        state = position.state
        complete = position.closed and state.complete
        if position.forced or not hasattr(state, "grouper"):
            return self._packed(self._one_by_one(position), complete)
        language = self._language(cast(Groupable, state).grouper)
        groups = language.groups(language.grouper.place(state), position.pending)
        admitted = groups.choices.admitted(state)
        key = groups.spread, admitted, complete
        known = self._masks.get(key)
        if known is None:
            known = self._masks[key] = self._packed(groups.spread.over_tokens(admitted), complete)
            if len(self._masks) > _KEPT_MASKS:
                self._masks.popitem(last=False)
        else:
            self._masks.move_to_end(key)
        return known

    def _packed(self, text: np.ndarray, complete: bool) -> np.ndarray:
        mask = np.zeros(-(-self.size // 32) * 32, dtype=bool)
        mask[: min(len(text), self.size)] = text[: self.size]
        mask[list(self.ends)] = complete
        packed = np.packbits(mask, bitorder="little").view("<i4").astype(np.int32, copy=False)
        packed.flags.writeable = False
        return packed

    def _one_by_one(self, position: Position) -> np.ndarray:
        """The slow way, for any constraint."""
        looks, forced = Looks(position), position.forced
        mask = np.zeros(len(self.spellings), dtype=bool)
        for token, spelling in enumerate(self.spellings):
            if spelling and (not forced or spelling[0] == forced[0]):
                mask[token] = looks.read(spelling) is not None
        return mask

    def _language(self, grouper: Grouper) -> _Language:
        known = self._languages.get(id(grouper))
        if known is None or known.grouper is not grouper:
            known = self._languages[id(grouper)] = _Language(self, grouper)
            if len(self._languages) > _KEPT_LANGUAGES:
                self._languages.popitem(last=False)
        return known

    @property
    def folder(self) -> Path:
        """Where prepared groups are kept."""
        return self._folder

    @property
    def within(self) -> Sequence[int]:
        """Tokens that start within a character."""
        return self._within


@dataclass(frozen=True, eq=False)
class _Spread:
    """The groups of some lexer state, of all tokens: of_class (classes,), class_of (tokens,)."""

    of_class: np.ndarray
    class_of: np.ndarray
    count: int

    def over_tokens(self, admitted: int) -> np.ndarray:
        """(tokens,) bool; admitted: bits of the groups."""
        bits = np.frombuffer(admitted.to_bytes(self.count // 8 + 1, "little"), dtype=np.uint8)
        flags = np.unpackbits(bits, bitorder="little").view(bool)
        return flags[self.of_class][self.class_of]


@dataclass(frozen=True, eq=False)
class _Kept:
    """texts: examples, each of the group with the same place in `groups`."""

    spread: _Spread
    texts: Sequence[str]
    groups: Sequence[int]
    forest: Any


@dataclass(frozen=True, eq=False)
class _Groups:
    spread: _Spread
    choices: Choices


class _Language:
    """The groups of one grouper's lexer states."""

    def __init__(self, masks: TokenMasks, grouper: Grouper) -> None:
        self.grouper = grouper
        self._masks = masks
        self._walkers: OrderedDict[bytes, Walker] = OrderedDict()
        self._texts: dict[bytes, Texts] = {}
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()  # of lexer states that were not prepared
        self._known: dict[Place, _Kept] = {}  # of those that were, but not packed
        self._spreads: dict[str, _Spread] = {}
        self._groups: OrderedDict[Hashable, _Groups] = OrderedDict()
        self._prepared: store.Prepared | None = None
        self._load()

    def _load(self) -> None:
        kept = self._masks.prepared  # of an engine before this one
        found = kept.get(self.grouper.fingerprint) or store.read(self._path(), len(self._masks.spellings))
        if found is not None:
            self._use(found)

    def _path(self) -> Path:
        return store.path_of(self._masks.folder, self.grouper.fingerprint, self._masks.spellings)

    def _use(self, prepared: store.Prepared) -> None:
        self._prepared = self._masks.prepared[self.grouper.fingerprint] = prepared
        self._class_of = prepared.class_of.astype(np.intp)
        self._class_numbers = np.arange(1, len(prepared.examples) + 1)
        self._texts_of_class: list[Sequence[str] | None] = [None] * len(prepared.examples)
        self._forest = self.grouper.forest(prepared.packed.data if len(prepared.packed) else b"")

    def prepare(self, progress: Progress | None) -> None:
        """Load the ordinary lexer states, or group and keep them."""
        path = self._path()
        while self._prepared is None and not store.take_turn(path):
            time.sleep(_POLL_S)
            self._load()
        if self._prepared is not None:
            return
        try:
            self._load()  # somebody may have ended just now
            if self._prepared is None:
                self._build(path, progress)
        finally:
            store.end_turn(path)
        self._kept.clear()
        self._known.clear()
        self._groups.clear()

    def _build(self, path: Path, progress: Progress | None) -> None:
        places = self.grouper.ordinary()
        walker, texts = self._walker(b""), self._texts[b""]
        rows = []
        for done, place in enumerate(places.values()):
            if progress is not None:
                progress(done, len(places))
            store.keep_turn(path)
            rows.append(np.append(walker.groups(place).of_end, np.uint16(0))[texts.end_of_token])
        if progress is not None:
            progress(len(places), len(places))
        lengths = np.array([len(spelling or b"") for spelling in self._masks.spellings])
        prepared = store.together(list(places), rows, np.argsort(lengths, kind="stable"))
        self._use(prepared)
        packed = self.grouper.pack(
            (place, *self._given(prepared.groups[row])) for row, place in enumerate(places.values())
        )
        if packed is not None:
            content, roots = np.frombuffer(packed[0], dtype=np.uint8), np.array(packed[1], dtype=np.int32)
            prepared = replace(prepared, packed=content, roots=roots)
            self._use(prepared)
        store.write(path, prepared)

    def groups(self, place: Place, head: bytes) -> _Groups:
        """The groups of a lexer state, of tokens that come after the first bytes of a character."""
        key = place, head
        known = self._groups.get(key)
        if known is None:
            known = self._groups[key] = self._packed(place, head) or self._unpacked(place, head)
            if len(self._groups) > _KEPT_CHOICES:
                self._groups.popitem(last=False)
        return known

    def _packed(self, place: Place, head: bytes) -> _Groups | None:
        """From what is in the file."""
        prepared = self._prepared
        if prepared is None or head:
            return None
        name = self.grouper.name(self.grouper.kinship(place)[0])
        of_class, root = prepared.of(name), prepared.root(name)
        if of_class is None or root is None:
            return None
        spread = self._spreads.get(name)
        if spread is None:
            spread = self._spreads[name] = _Spread(of_class, self._class_of, len(prepared.examples))
        return _Groups(spread, self.grouper.packed_choices(place, root, self._forest))

    def _unpacked(self, place: Place, head: bytes) -> _Groups:
        kept = self._kept_for(place, head)
        return _Groups(kept.spread, self.grouper.choices(place, kept.texts, kept.groups, kept.forest))

    def _kept_for(self, place: Place, head: bytes) -> _Kept:
        like, _ = self.grouper.kinship(place)
        known = None if head else self._known.get(like) or self._loaded(like)
        if known is not None:
            return known
        key = like, head
        known = self._kept.get(key)
        if known is None:
            known = self._kept[key] = self._made(like, head)
            if len(self._kept) > _KEPT_GROUPS:
                self._kept.popitem(last=False)
        return known

    def _loaded(self, like: Place) -> _Kept | None:
        of_class = self._prepared.of(self.grouper.name(like)) if self._prepared is not None else None
        if of_class is None:
            return None
        spread = _Spread(of_class, self._class_of, len(self._texts_of_class))
        known = self._known[like] = _Kept(spread, *self._given(of_class), self._forest)
        return known

    def _given(self, of_class: np.ndarray) -> tuple[list[str], list[int]]:
        """Texts of a lexer state's groups, and the group of each."""
        groups = np.flatnonzero(of_class == self._class_numbers) + 1  # a group has the number of one of its classes
        return self._examples(groups.tolist(), self._class_texts)

    def _class_texts(self, group: int) -> Sequence[str]:
        """The texts for a class of the prepared lexer states, numbered from 1."""
        assert self._prepared is not None
        known = self._texts_of_class[group - 1]
        if known is None:
            known = self._texts_of_class[group - 1] = self._alternatives(int(self._prepared.examples[group - 1]))
        return known

    def _made(self, like: Place, head: bytes) -> _Kept:
        groups = self._walker(head).groups(like)
        texts = self._texts[head]
        tokens = texts.token_of_end[groups.examples]
        spread = _Spread(np.append(groups.of_end, np.uint16(0)), texts.end_of_token, len(tokens))
        examples = self._examples(range(1, len(tokens) + 1), lambda group: self._alternatives(tokens[group - 1], head))
        return _Kept(spread, *examples, self.grouper.forest())

    def _examples(
        self, groups: Sequence[int], texts_of_group: Callable[[int], Sequence[str]]
    ) -> tuple[list[str], list[int]]:
        """(texts, the group of each)."""
        texts: list[str] = []
        numbers: list[int] = []
        for group in groups:
            alternatives = texts_of_group(group)
            texts += alternatives
            numbers += [group] * len(alternatives)
        return texts, numbers

    def _alternatives(self, token: int, head: bytes = b"") -> Sequence[str]:
        """The texts of which one must be possible for a token to be."""
        from ..stepping import split_utf8

        split = split_utf8(head + (self._masks.spellings[token] or b""))
        assert split is not None
        text, rest = split
        return [text + char for char in self.grouper.spellings(rest)] if rest else [text]

    def _walker(self, head: bytes) -> Walker:
        walker = self._walkers.get(head)
        if walker is None:
            texts = texts_of(self._masks.spellings, self.grouper.alike, head, self._masks.within)
            self._texts[head] = texts
            walker = self._walkers[head] = Walker(self.grouper, texts)
            if len(self._walkers) > _KEPT_HEADS:
                old = next(key for key in self._walkers if key)
                del self._walkers[old], self._texts[old]
        return walker
