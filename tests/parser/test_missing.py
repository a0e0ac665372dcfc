"""The estimate of the characters missing before the right context."""

import random

import pytest
from suture import parser

from ..support.oracle_python import cut, stdlib_sources

PYTHON = parser.language("python", "3.11")


@pytest.mark.parametrize(
    ("left", "right", "text", "complete", "nearer"),
    [
        ("x = f(a", "\ny\n", "", False, ")"),
        ("x = f([a", " b)\n", "", False, "] +"),
        ("def f(a", "\n    pass\n", "", False, "):"),
        ("import os\n", "ers(a):\n    pass\n", "", False, "def help"),
    ],
)
def test_what_is_missing_shrinks_on_the_way(left: str, right: str, text: str, complete: bool, nearer: str) -> None:
    before = PYTHON.hole(left, right).state
    assert before is not None and before.complete == complete
    after = before.advance(nearer)
    assert after is not None and after.complete
    assert before.missing > 0 and after.missing == 0


def test_a_comment_that_swallows_code_is_no_good_end() -> None:
    """The text counts as unfinished, unless the right context's line can only be a comment."""
    start = PYTHON.hole("x = f(a", " b)\n").state
    assert start is not None
    swallowing, plain = start.advance(") #"), start.advance(", ")
    assert swallowing is not None and plain is not None
    assert swallowing.complete and swallowing.missing > 0 and plain.missing == 0
    for left, right in (("x = 1", "\ny\n"), ("def f():\n    return", " z and so, on path is\n")):
        state = PYTHON.hole(left, right).state
        after = state and state.advance(" 1 #" if "def" in left else "#")
        assert after is not None and after.complete and after.missing == 0


def test_a_comment_leads_nowhere() -> None:
    """In an incomplete hole, commenting is farther from an end than writing nothing."""
    for left, right in (("def f(a", "\n    pass\n"), ("if a:\n    b\n    c = 1", "\n        d\n")):
        start = PYTHON.hole(left, right).state
        assert start is not None and not start.complete
        comment = start.advance("  # why")
        assert comment is not None and not comment.complete
        assert comment.missing > start.missing


def test_where_code_is_complete_nothing_is_missing() -> None:
    rng = random.Random(3)
    for source in stdlib_sources(rng, 6, 6000):
        for _ in range(4):
            left, middle, right = cut(source, rng)
            state = PYTHON.hole(left, right).state
            assert state is not None
            for char in middle:
                assert state is not None and state.missing >= 0
                assert not state.complete or state.missing == 0 or state.region == "comment"
                state = state.advance(char)
            assert state is not None and state.complete and state.missing == 0


def test_what_is_missing_is_the_same_whatever_was_asked_before() -> None:
    text = (
        "def f(a):\n    if a:\n        return g(a, [1, {2: 3}])\n    return a\n\n\nclass A:\n    x = (1,\n         2)\n"
    )
    asked = [(offset, typed) for offset in range(0, len(text), 3) for typed in ("", "a(", "{a", '"', "x = ")]

    def told(seed: int) -> dict[tuple[int, str], float]:
        session, said = parser.language("python").renewed().session(), dict[tuple[int, str], float]()
        for offset, typed in random.Random(seed).sample(asked, len(asked)):
            state = session.hole(text, offset).state
            after = state and state.advance(typed)
            if after is not None:
                said[offset, typed] = after.missing
        return said

    assert told(1) == told(2)
