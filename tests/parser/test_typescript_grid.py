"""Names of TypeScript are judged like TypeScript 7, and newer forms by the parser of each version."""

import json
import random
from functools import cache
from pathlib import Path

import pytest
from suture.parser.language import Language
from suture.parser.languages.typescript.language import new_runtime

from ..fuzz import typescript_grid as grid
from ..support import oracle_typescript7 as oracle

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "typescript_7.jsonl").read_text("utf-8").splitlines()
]
"""Whole modules: `dialect`, `text`, and whether TypeScript 7.0.2 accepts it (`valid`)."""
_WRONG = 30
"""At most one row in so many may be judged otherwise."""


@cache
def language(dialect: str) -> Language:
    return Language(dialect, None, lambda: new_runtime(dialect))


@pytest.mark.parametrize("dialect", ["ts", "tsx", "js"])
def test_forms_are_judged_as_typescript_7_judges_them(dialect: str) -> None:
    wrong: list[str] = []
    for row in ROWS:
        if row["dialect"] == dialect:
            hole = language(dialect).hole("", "\nexport {};\n", level="compile", exact=True)
            state = hole.state.advance(row["text"]) if hole.state is not None else None
            if (state is not None and state.complete) is not row["valid"]:
                wrong.append(row["text"])
    assert wrong == []


def test_the_oracle_says_what_the_forms_say() -> None:
    oracle.needed("7.0")
    said = oracle.codes([(row["dialect"], row["text"] + "\nexport {};\n") for row in ROWS])
    assert [row["text"] for row, codes in zip(ROWS, said, strict=True) if bool(codes & TOLD) is row["valid"]] == []


TOLD = frozenset(
    [
        *range(1000, 2000),
        *range(8000, 9000),
        *range(17000, 18046),
        *range(18051, 19000),
        2300,
        2391,
        2452,
        2491,
        2492,
        2670,
        2880,
    ]
)
"""Errors of grammar, and of names declared twice."""


def test_names_are_judged_as_typescript_7_judges_them() -> None:
    """A part of `python -m tests.fuzz.typescript_grid`."""
    oracle.needed("7.0")
    rng = random.Random(5)
    judged, found = grid.disagreements([row for family in grid.FAMILIES for row in grid.sample(family, rng, 200)])
    assert judged > 600
    assert len(found) * _WRONG <= judged, found


def test_a_file_is_cut_without_a_change_of_its_meaning() -> None:
    """A valid row is also valid in two parts, the second of which is read separately from a line end on."""
    rng, wrong = random.Random(6), []
    for family in grid.FAMILIES:
        for dialect, text in grid.sample(family, rng, 60):
            lines = text.replace("; ", ";\n").replace("{ ", "{\n")
            cut = rng.randrange(len(lines) + 1)
            if grid.is_taken((dialect, text)) and not grid.is_taken((dialect, lines), cut):
                wrong.append((lines, cut))
    assert wrong == []
