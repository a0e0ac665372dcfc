"""Language models for fill-in-the-middle, and decoding that is held to a constraint. Knows no grammar and no LSP.

A Model is used by one thread at a time. Nothing heavy is imported before `load`.
"""

from .certainty import Certainty
from .completion import Completion, Options, Snippet
from .constraint import Constraint
from .decoding import candidates, complete
from .errors import ModelError
from .loading import load
from .masks import TokenMasks
from .processor import ConstraintProcessor, MaskedHole
from .runtime import Model

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
