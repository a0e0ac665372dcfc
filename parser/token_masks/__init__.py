"""The tokens of a vocabulary that may come next, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .masks import VocabularyMasks


def new_masks(spellings: Sequence[bytes | None], size: int, folder: Path) -> VocabularyMasks:
    """The masks of a vocabulary; see VocabularyMasks. Imports numpy, which the rest of the parser does without."""
    from .masks import VocabularyMasks

    return VocabularyMasks(spellings, size, folder)
