"""Regressions found by fuzzing and mended since: data/regressions.jsonl has lines of the file of failures written by `python -m
tests.fuzz`."""

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
    """The engine now agrees with the interpreter's verdict then."""
    assert replay(line)
