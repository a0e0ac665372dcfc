"""A few foreign bytes to every reader of them, within its budget of time and memory; `make fuzz` has many."""

import itertools
import re
from random import Random

import pytest

from .fuzz.foreign import TARGETS, Target, attempt, inputs, pieces_of

COUNT = 12
SLOW = {"grammars": 3, "long names": 2}  # each is compiled in a process of its own


@pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])
def test_foreign_bytes_are_read_within_budget(target: Target) -> None:
    sizes = target.sizes[:2]
    for data in itertools.islice(inputs(target, Random(f"1 {target.name}"), sizes), SLOW.get(target.name, COUNT)):
        failure = attempt(target, data)
        assert failure is None, f"{failure.why}: {data[:200]!r}..."


def test_what_takes_too_long_fails_or_throws_is_found() -> None:
    def backtracks(data: bytes, folder: object) -> None:
        re.match(rb"(?: | )*x", b" " * 19)

    make = pieces_of(("a",), " ")
    assert attempt(Target("slow", make, backtracks, budget_s=0.005), b"") is not None
    assert attempt(Target("large", make, lambda data, folder: bytes(2 * 10**8), budget_mb=-1), b"") is not None
    assert attempt(Target("wrong", make, lambda data, folder: 1 / len(data)), b"") is not None
    assert attempt(Target("well", make, lambda data, folder: None), b"") is None
