"""Projects reserved for evaluation, never used for training, fitting or tuning.

The name alone decides, so that no list goes out of date and nobody can choose them: a quarter of all names, those with a SHA-256 beginning
with 0, 1, 2 or 3.
"""

from __future__ import annotations

import hashlib
import re

_RESERVED_DIGITS = "0123"


def normalized_project(name: str) -> str:
    """A package's name, or the last part of a repository's, in lower case with `-` for runs of `-`, `_` and `.`."""
    return re.sub(r"[-_.]+", "-", name.rstrip("/").rsplit("/", 1)[-1]).lower()


def is_reserved(name: str) -> bool:
    """Whether a project of this name is reserved for evaluation."""
    return hashlib.sha256(normalized_project(name).encode()).hexdigest()[0] in _RESERVED_DIGITS
