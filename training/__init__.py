"""Training of the embedded model: `main` is the whole pipeline, from folders of Python files to a model folder."""

from __future__ import annotations

from .command import main

__all__ = ["main"]
