"""The masks of one vocabulary: exactly the tokens of text that may come next, all at once.

A mask costs one question for each group of tokens indistinguishable for the lexer (grouping.py, lexer_state_masks.py), and a look-up
that spreads the answers over the vocabulary. It agrees with reading each token alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

import numpy as np

from ...common.bounded import BoundedBySize, BoundedDict
from ...common.constraint import Progress
from ..hole import State
from . import store
from .lexer_state_masks import LexerStateMasks
from .partition import TokenPartition, partition_of, partitions_of

_KEPT_LANGUAGES = 4
_KEPT_BYTES = 8_000_000
"""Bytes of masks cached by their admitted groups; about 20 KB each for 150,000 tokens."""


class VocabularyMasks:
    """The masks of one vocabulary, given by the bytes of its tokens. Used by one thread at a time."""

    def __init__(self, spellings: Sequence[bytes | None], size: int, folder: Path) -> None:
        """spellings: token id -> bytes, None for tokens without text. size: of a mask, in tokens.
        folder: for prepared groups."""
        self.spellings = tuple(spelling or None for spelling in spellings)
        self.folder = folder
        self.prepared: dict[str, store.Prepared] = {}  # by the fingerprint of a language
        self.within: Sequence[int] = [i for i, s in enumerate(self.spellings) if s and 0x80 <= s[0] < 0xC0]
        """Tokens starting within a character."""
        self.size = size
        self._languages: BoundedDict[int, LexerStateMasks] = BoundedDict(_KEPT_LANGUAGES)
        self._masks: BoundedBySize[Hashable, np.ndarray] = BoundedBySize(_KEPT_BYTES, lambda mask: mask.nbytes)

    def prepare(self, state: State, progress: Progress | None = None) -> None:
        """Group the tokens for all worthwhile lexer states of a language (given by any state of it), or load them from the folder."""
        for partition in partitions_of(state):
            self._language(partition).prepare(progress)
        self.text(state)  # the first one makes the shared parts

    def text(self, state: State, pending: bytes = b"") -> tuple[Hashable, np.ndarray]:
        """(a key, the packed mask) of the tokens of text that may come, after the first bytes of a character.

        Equal keys stand for equal masks. A packed mask is ((size + 31) // 32,) int32, token i is bit i % 32 of number i // 32; it is
        not to be written to.
        """
        return self._language(partition_of(state)).text(state, pending)

    def packed(self, mask: np.ndarray) -> np.ndarray:
        """(tokens,) bool as a packed mask."""
        padded = np.zeros(-(-self.size // 32) * 32, dtype=bool)
        padded[: min(len(mask), self.size)] = mask[: self.size]
        packed = np.packbits(padded, bitorder="little").view("<i4").astype(np.int32, copy=False)
        packed.flags.writeable = False
        return packed

    def kept(self, key: Hashable, make: Callable[[], np.ndarray]) -> np.ndarray:
        """A packed mask by its key, made unless cached."""
        mask = self._masks.used(key)
        if mask is None:
            mask = self._masks[key] = make()
            mask.flags.writeable = False
        return mask

    def _language(self, partition: TokenPartition) -> LexerStateMasks:
        masks = self._languages.get(id(partition))
        if masks is None or masks.partition is not partition:
            for key in [key for key, language in self._languages.items() if not language.partition.is_used]:
                del self._languages[key]
            masks = self._languages[id(partition)] = LexerStateMasks(self, partition)
        return masks
