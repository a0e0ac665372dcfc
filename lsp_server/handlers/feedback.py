"""What became of a suggestion: shown, partly accepted, accepted, rejected."""

from __future__ import annotations

from ..client import SutureServer


def add_to(server: SutureServer) -> None:
    """Register the handlers."""
