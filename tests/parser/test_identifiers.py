"""The representatives of all characters with the same first bytes, against a check of each character."""

from __future__ import annotations

import pytest
from suture.parser.languages.python.lexer.identifiers import may_continue, may_start, representatives

from ..support.work import calls

# those from U+10000 on begin with one of five bytes, others with one of these
ASTRAL = [(max(0x10000, lead << 18), min(0x10FFFF, lead << 18 | 0x3FFFF)) for lead in range(5)]
OTHERS = [(0xC0, 0xFF), (0x2000, 0x2FFF), (0xA000, 0xAFFF), (0xF000, 0xFFFF)]


def kinds(chars: object, version: tuple[int, ...]) -> set[tuple[bool, bool]]:
    assert isinstance(chars, (tuple, map))
    return {(may_start(char, version), may_continue(char, version)) for char in chars}


@pytest.mark.parametrize(("low", "high"), [*ASTRAL, *OTHERS], ids=hex)
def test_each_character_behaves_like_one_of_them(low: int, high: int) -> None:
    version = (3, 9)
    assert kinds(representatives(low, high, version), version) == kinds(map(chr, range(low, high + 1)), version)


def test_planes_without_characters_cost_little() -> None:
    """A model's token may be one byte, and the first one checked looks through a quarter of a million characters."""
    for low, high in ASTRAL:
        made, _ = calls(lambda: representatives(low, high, (3, 10)))  # noqa: B023 - called at once
        assert made < 40_000
