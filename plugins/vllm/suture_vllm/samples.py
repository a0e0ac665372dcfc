"""Samples of usual code in a language, to make masks along before the first request.

For Python these are some of Suture's own modules, present on every machine with the plugin, so that all workers read the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

_PYTHON = ("parser.bridging", "model.loading.gguf", "model.decoding.constrained", "lsp_server.cli.doctor_checks")


def of(language: str) -> Iterator[str]:
    """Texts in a language, each a valid file; none for unknown languages."""
    for name in _PYTHON if language == "python" else ():
        found = find_spec(f"suture.{name}")
        if found is not None and found.origin is not None:
            try:
                yield Path(found.origin).read_text(encoding="utf-8")
            except OSError:
                continue
