"""Masks: all tokens that may come next, at once and exactly.

A mask costs one question for each group of tokens that the lexer cannot tell apart (see grouping.py, languages.py), and a look-up
that spreads the answers over the vocabulary. It says of each token what checking that token alone says.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from platformdirs import user_cache_dir

from ..constraint import Constraint
from ..decoding.token_step import DecodingState, TokenChecker
from ..prompting.vocabulary import Vocabulary
from . import store
from .grouping import Groupable, Grouper
from .language_masks import Language, Progress

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ..runtime.base import Model

_KEPT_LANGUAGES = 4
_KEPT_MASKS = 512
"""Masks kept by the groups that they admit; some 20 KB each for 150,000 tokens."""


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
        self.folder = folder if folder is not None else cache_folder()
        self.prepared: dict[str, store.Prepared] = {}  # by the fingerprint of a language
        self._languages: OrderedDict[int, Language] = OrderedDict()
        self._masks: OrderedDict[Hashable, np.ndarray] = OrderedDict()
        self.within: Sequence[int] = [i for i, s in enumerate(self.spellings) if s and 0x80 <= s[0] < 0xC0]
        """Tokens that start within a character."""
        ended = np.zeros(self.size, dtype=bool)
        ended[list(self.ends)] = True
        self._ended = self.packed(ended)

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

    def allowed(self, at: Constraint | DecodingState) -> np.ndarray:
        """Which tokens may come: (size,) bool, the caller's own."""
        packed = self.bitmask(at).view(np.uint8)
        return np.unpackbits(packed, count=self.size, bitorder="little").view(bool)

    def bitmask(self, at: Constraint | DecodingState) -> np.ndarray:
        """The same packed: ((size + 31) // 32,) int32, token i is bit i % 32 of number i // 32; not to be written to."""
        position = at if isinstance(at, DecodingState) else DecodingState(at)
        state = position.state
        complete = position.closed and state.complete
        if position.forced or not hasattr(state, "grouper"):
            text = self.packed(self._one_by_one(position))
            return text | self._ended if complete else text
        language = self._language(cast(Groupable, state).grouper)
        key, text = language.text(cast(Groupable, state), position.pending)
        return self.kept((key, "ends"), lambda: text | self._ended) if complete and self.ends else text

    def packed(self, mask: np.ndarray) -> np.ndarray:
        """A mask of all tokens, (tokens,) bool, in the form of `bitmask`."""
        padded = np.zeros(-(-self.size // 32) * 32, dtype=bool)
        padded[: min(len(mask), self.size)] = mask[: self.size]
        packed = np.packbits(padded, bitorder="little").view("<i4").astype(np.int32, copy=False)
        packed.flags.writeable = False
        return packed

    def kept(self, key: Hashable, make: Callable[[], np.ndarray]) -> np.ndarray:
        """A packed mask, made when it is not known by its key; not to be written to."""
        known = self._masks.get(key)
        if known is None:
            known = self._masks[key] = make()
            known.flags.writeable = False
            if len(self._masks) > _KEPT_MASKS:
                self._masks.popitem(last=False)
        else:
            self._masks.move_to_end(key)
        return known

    def _one_by_one(self, position: DecodingState) -> np.ndarray:
        """The slow way, for any constraint."""
        looks, forced = TokenChecker(position), position.forced
        mask = np.zeros(len(self.spellings), dtype=bool)
        for token, spelling in enumerate(self.spellings):
            if spelling and (not forced or spelling[0] == forced[0]):
                mask[token] = looks.read(spelling) is not None
        return mask

    def _language(self, grouper: Grouper) -> Language:
        known = self._languages.get(id(grouper))
        if known is None or known.grouper is not grouper:
            for key in [key for key, language in self._languages.items() if not language.grouper.is_used]:
                del self._languages[key]
            known = self._languages[id(grouper)] = Language(self, grouper)
            if len(self._languages) > _KEPT_LANGUAGES:
                self._languages.popitem(last=False)
        return known
