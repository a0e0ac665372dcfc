"""Language models for fill-in-the-middle, and decoding that is held to a constraint. Knows no grammar and no LSP.

A Model is used by one thread at a time. Nothing heavy is imported before `load`.
"""

from .calibration import Certainty
from .constraint import Constraint
from .decoding.api import candidates, complete
from .decoding.logits_processor import ConstraintProcessor, MaskedHole
from .decoding.types import Completion, Options, Snippet
from .errors import ModelError
from .loading.load import load
from .masks import TokenMasks
from .runtime.base import Model

__all__ = [
    "Certainty",
    "Completion",
    "Constraint",
    "ConstraintProcessor",
    "MaskedHole",
    "Model",
    "ModelError",
    "Options",
    "Snippet",
    "TokenMasks",
    "candidates",
    "complete",
    "load",
]
