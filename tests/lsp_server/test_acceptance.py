"""The probability of a text's being typed, by the model's own probability and other facts of the text."""

import math
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.lsp_server.completion.judging.acceptance import KINDS, THRESHOLD, WEIGHTS, Judge, Situation, log_odds
from suture.lsp_server.completion.proposing.decision import judge_at
from suture.model import Certainty
from suture.model.decoding.types import Passed

from ..support.places import place_at

LEFT = "LOW = 1\nHIGH = 2\n\n\ndef area(width, height):\n    total = width * height\n"


def situation(before: str, right: str = "", region: str = "code") -> Situation:
    return Situation(LEFT + before, right, region)


def facts(before: str, text: str, right: str = "", odds: float = 0.0, usual: float = 0.0) -> set[str]:
    """The facts that hold, except for the kind of place and constant facts."""
    found = situation(before, right).facts(text, odds, usual)
    return {name for name, value in found.items() if value and not name.startswith("at ")} - {"always"}


@pytest.mark.parametrize(
    ("before", "region", "kind"),
    [
        ("    ", "code", "line"),
        ("", "code", "line"),
        ("    self.", "code", "dot"),
        ("    area(", "code", "bracket"),
        ("    area( ", "code", "bracket"),
        ('    x = "', "string", "quote"),
        ('    x = "some words ', "string", "string"),
        ("    x = ", "code", "value"),
        ('    "width": ', "code", "value"),
        ("    area(1, ", "code", "comma"),
        ("    wid", "code", "word"),
        ("    return ", "code", "keyword"),
        ("} else ", "code", "keyword"),
        ("    # the wid", "comment", "comment"),
        ("    x = width + ", "code", "operand"),
    ],
)
def test_a_place_is_of_one_kind(before: str, region: str, kind: str) -> None:
    place = situation(before, region=region)
    assert place.kind == kind
    assert [name for name in KINDS if place.facts("x", 0.0, 0.0)[f"at {name}"]] == [kind]


@pytest.mark.parametrize(
    ("before", "text", "right", "wanted"),
    [
        ("    return ", "total", "", {"ends in word", "said above"}),
        ("    x = ", "volume(", "", {"opens", "new names"}),
        ("    x = ", "volume()", "", {"new names"}),
        ("    area(1", ")", "", {"closes", "one sign", "letters begun"}),
        ("    area(", "width", ")", {"ends in word", "said above", "something behind", "said so above", "line above"}),
        ("    area(", "seven,", "1)", {"ends a part", "something behind", "below", "new names"}),
        ("    x = wid", "th", "", {"ends in word", "said above", "said so above", "letters begun"}),
        ("    x = ", "7", "", {"digits", "one sign", "ends in word"}),
        ("    ", "total = width * height", "", {"ends in word", "said above", "said so above", "line above"}),
    ],
)
def test_facts_say_how_a_text_stands_in_its_file(before: str, text: str, right: str, wanted: set[str]) -> None:
    assert facts(before, text, right) == wanted


def test_code_below_makes_the_model_more_to_be_believed_or_less() -> None:
    assert "odds if below" not in facts("    return ", "total", ")\n}\n", odds=1.0)
    assert {"below", "odds if below"} <= facts("    return ", "total", "\n\nx = 1\n", odds=1.0)


def test_what_is_usual_by_n_grams_is_more_probable() -> None:
    asked: list[str] = []

    def usual(left: str, text: str) -> bool:
        asked.append(text)
        return text == "total"

    place, trail = situation("    return "), [Passed(9, math.log(0.5), True)]
    judge = Judge(place, Certainty(), usual)
    sure, unsure, longer = (judge.probability(text, trail) for text in ("total", "height", "height()"))
    assert sure > Judge(place, Certainty()).probability("total", trail) > unsure
    assert asked == ["total", "height"] and longer < Judge(place, Certainty()).probability("height()", trail)


def test_each_weight_is_of_a_fact() -> None:
    assert set(WEIGHTS) == set(situation("").facts("x", 0.0, 0.0)) and 0 < THRESHOLD < 1


@given(st.floats(-12, -0.001), st.floats(-12, -0.001), st.booleans())
def test_a_text_is_no_less_probable_where_the_model_is_more_certain(one: float, other: float, below: bool) -> None:
    judge = Judge(situation("    return ", "\n\nx = 1" if below else ""), Certainty(0.9, 0.1))
    low, high = (judge.probability("total", [Passed(5, log_prob, True)]) for log_prob in sorted((one, other)))
    assert 0 < low <= high < 1


def test_the_least_probable_beginning_counts() -> None:
    trail = [Passed(1, math.log(0.2), False), Passed(5, math.log(0.6), True)]
    assert log_odds(trail, Certainty()) == pytest.approx(math.log(0.2 / 0.8))


def test_a_line_that_stands_above_is_less_probable_than_another() -> None:
    judge = Judge(situation("    "), Certainty())
    trail = [Passed(22, math.log(0.5), True)]
    again, new = (judge.probability(text, trail) for text in ("total = width * height", "total = height * width"))
    assert again < new


def test_what_the_n_grams_find_usual_counts() -> None:
    def judged(model: Any) -> float:
        return judge_at(place_at("x = |\n"), model).probability("foo(a)", [Passed(6, -1.0, True)])

    numbers = Certainty()
    without = judged(SimpleNamespace(reader=None, certainty=numbers))
    unusual, usual = (
        judged(SimpleNamespace(reader=SimpleNamespace(is_usual=lambda *_, said=said: said), certainty=numbers))
        for said in (False, True)
    )
    assert unusual < without < usual
