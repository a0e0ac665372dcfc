"""The demands on values, shared by settings, options of requests and arguments."""

import math

import pytest
from suture.common import values
from suture.common.values import Kind

NAN, INFINITE = math.nan, math.inf


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        (values.SWITCH, [True, False], [1, 0, "true", None]),
        (values.WHOLE, [0, -1, 2**80], [True, 1.0, "1", None]),
        (values.NUMBER, [0, 1.5, -2], [True, NAN, INFINITE, -INFINITE, "1", None]),
        (values.whole(1, 3), [1, 3], [0, 4, 2.0, True]),
        (values.whole(1), [1, 10**9], [0, -1]),
        (values.number(0, 2), [0, 2, 1.5], [-0.1, 2.1, NAN, True]),
        (values.number(0), [0, 1e9], [-1, INFINITE]),
        (values.one_of("a", "b"), ["a", "b"], ["c", "", None, [], 1]),
        (values.text(), ["x", " x", "\udcff"], ["", " \n", None, 1, b"x"]),
        (values.TEXTS, [[], ["a"], ("a", "b")], ["a", [""], [1], {"a": 1}, None]),
        (values.PAIR, [(1, 2), [1, 2]], [(1,), (1, 2, 3), (1, 2.0), "12"]),
    ],
)
def test_a_kind_holds_for_what_it_says(kind: Kind, right: list[object], wrong: list[object]) -> None:
    assert [value for value in right if not kind.holds(value)] == []
    assert [value for value in wrong if kind.holds(value)] == []


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (values.whole(1, 3), "a whole number from 1 to 3"),
        (values.whole(1), "a whole number of 1 or more"),
        (values.number(0, 2), "a number from 0 to 2"),
        (values.number(0, words="minutes"), "minutes"),
        (values.one_of("a", "b", "c"), "a, b or c"),
    ],
)
def test_a_kind_says_what_it_wants(kind: Kind, words: str) -> None:
    assert kind.words == words


def test_half_of_a_surrogate_pair_is_no_text_to_encode() -> None:
    assert values.is_unicode("é") and not values.is_unicode("\ud800") and not values.is_unicode(None)
