"""Masks over a model's vocabulary: all tokens allowed next, including its own ends of text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...common import kept_files
from ...common.bounded import BoundedDict
from ...common.constraint import Constraint, Progress, TextMasks
from ..prompting.vocabulary import Vocabulary
from .token_step import DecodingState, TokenChecker

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ..runtime.base import Model

_KEPT_MASKS = 64
"""The most masks kept that include the ends of text; about 20 KB each for 150,000 tokens."""


def cache_folder() -> Path:
    """The folder of prepared token groups."""
    return kept_files.cache_folder() / "masks"


class TokenMasks:
    """The masks of one vocabulary. Used by one thread at a time."""

    def __init__(
        self,
        spellings: Sequence[bytes | None],
        ends: Sequence[int] = (),
        size: int | None = None,
        folder: Path | None = None,
    ) -> None:
        """spellings: token id -> bytes, None for tokens without text, never allowed. ends: ids of tokens that end the text, allowed when the
        hole is complete. size: of a mask, if the model has more logits than tokens. folder: of prepared groups, instead of the user's cache
        folder.
        """
        self.spellings = tuple(None if i in ends else spelling or None for i, spelling in enumerate(spellings))
        self.size = len(self.spellings) if size is None else size
        self.ends = tuple(end for end in ends if end < self.size)
        self.folder = folder if folder is not None else cache_folder()
        self._text: dict[type, TextMasks | None] = {}  # by the class of the constraint
        self._with_ends: BoundedDict[Hashable, np.ndarray] = BoundedDict(_KEPT_MASKS)
        ended = np.zeros(self.size, dtype=bool)
        ended[list(self.ends)] = True
        self._ended = self.packed(ended)

    @classmethod
    def for_tokenizer(
        cls, tokenizer: Tokenizer, ends: Sequence[int] = (), size: int | None = None, folder: Path | None = None
    ) -> TokenMasks:
        """For a `tokenizers.Tokenizer` (`backend_tokenizer` of one of transformers), left unchanged. Raises ModelError."""
        copy = type(tokenizer).from_str(tokenizer.to_str())
        return cls(Vocabulary(copy).bytes_of, ends, size, folder)

    @classmethod
    def for_model(cls, model: Model, folder: Path | None = None) -> TokenMasks:
        """For a loaded model: text, and its own ends of text."""
        return cls(model.vocabulary.bytes_of, model.template.ends, model.runtime.size, folder)

    def prepare(self, constraint: Constraint, progress: Progress | None = None) -> None:
        """Group the tokens for all worthwhile lexer states of a language (best by a constraint of its empty file), or load them from the
        cache.

        Without this call, existing groups are loaded; otherwise each lexer state costs about 10 to 100 ms when first met. Work in progress in
        another process is awaited.
        """
        masks = self._masks_of(constraint)
        if masks is not None:
            masks.prepare(constraint, progress)

    def allowed(self, place: Constraint | DecodingState) -> np.ndarray:
        """The allowed tokens: (size,) bool, the caller's own."""
        packed = self.bitmask(place).view(np.uint8)
        return np.unpackbits(packed, count=self.size, bitorder="little").view(bool)

    def bitmask(self, place: Constraint | DecodingState) -> np.ndarray:
        """The same packed: ((size + 31) // 32,) int32, token i is bit i % 32 of number i // 32; read-only."""
        position = place if isinstance(place, DecodingState) else DecodingState(place)
        complete = bool(self.ends) and position.closed and position.state.complete
        masks = None if position.forced else self._masks_of(position.state)
        if masks is None:
            text = self.packed(self._one_by_one(position))
            return text | self._ended if complete else text
        key, text = masks.text(position.state, position.pending)
        if not complete:
            return text
        mask = self._with_ends.get(key)
        if mask is None:
            mask = self._with_ends[key] = text | self._ended
            mask.flags.writeable = False
        return mask

    def packed(self, mask: np.ndarray) -> np.ndarray:
        """A mask of all tokens, (tokens,) bool, in the form of `bitmask`."""
        padded = np.zeros(-(-self.size // 32) * 32, dtype=bool)
        padded[: min(len(mask), self.size)] = mask[: self.size]
        return np.packbits(padded, bitorder="little").view("<i4").astype(np.int32, copy=False)

    def _masks_of(self, constraint: Constraint) -> TextMasks | None:
        kind = type(constraint)
        if kind not in self._text:
            self._text[kind] = constraint.new_masks(self.spellings, self.size, self.folder)
        return self._text[kind]

    def _one_by_one(self, position: DecodingState) -> np.ndarray:
        """The slow way, for any constraint."""
        checker, forced = TokenChecker(position), position.forced
        mask = np.zeros(len(self.spellings), dtype=bool)
        for token, spelling in enumerate(self.spellings):
            if spelling and (not forced or spelling[0] == forced[0]):
                mask[token] = checker.read(spelling) is not None
        return mask
