"""Language models for fill-in-the-middle, and decoding under a constraint. Knows no grammar and no LSP.

A Model is used by one thread at a time. Nothing heavy is imported before `load`.
"""

from ..common.constraint import Constraint, NoConstraint
from .calibration import Certainty
from .decoding.api import candidates, complete
from .decoding.logits_processor import ConstraintProcessor, MaskedHole
from .decoding.token_masks import TokenMasks
from .decoding.types import Completion, Options, Snippet
from .errors import ModelError
from .loading.load import load
from .runtime.base import Model

__all__ = [
    "Certainty", "Completion", "Constraint", "ConstraintProcessor", "MaskedHole", "Model", "ModelError",
    "NoConstraint", "Options", "Snippet", "TokenMasks", "candidates", "complete", "load",
]  # fmt: skip
