"""Masks over a model's vocabulary: all tokens that may come next, at once."""

from .masks import Progress, TokenMasks
from .progress import progress_bar

__all__ = ["Progress", "TokenMasks", "progress_bar"]
