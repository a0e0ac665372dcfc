"""What fuzzing has found, and what has been mended since: data/regressions.jsonl, lines of the file of failures that `python -m tests.fuzz` writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..fuzz.__main__ import replay

_LINES = (Path(__file__).parents[1] / "data" / "regressions.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    "line", [json.loads(line) for line in _LINES], ids=lambda line: f"{line['check']}-{line['middle']}"
)
def test_regressions(line: dict[str, object]) -> None:
    """The engine says now what the interpreter said then."""
    assert replay(line)
