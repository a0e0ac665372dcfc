"""Replays: the model's wish at each step, and the constraint's refusals."""

import pytest
from suture.model import Model, Options, complete, load
from suture.model.decoding.replay import replay

from ..support.modelzoo import Brackets, bytelevel, save_model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("model"), bytelevel())), device="cpu")


@pytest.mark.parametrize(("left", "right"), [("f(x[", "])"), ("a(", ") b"), ("", ""), ("wid", "(th)")])
def test_a_replay_is_the_completion_with_reasons(model: Model, left: str, right: str) -> None:
    hole, options = Brackets.hole(left, right), Options(max_tokens=12)
    shown = replay(model, hole, left, right, options)
    completion = complete(model, hole, left, right, options)
    assert shown is not None and (shown.text, shown.ended) == (completion.text, completion.ended)
    assert shown.steps
    for step in shown.steps:
        assert sum(candidate.chosen for candidate in step.candidates) == 1
        for candidate in step.candidates:
            assert candidate.allowed or not candidate.chosen
            assert candidate.allowed == (candidate.dead_at is None) or candidate.end
            state = hole.advance(step.before)
            if state is not None and not candidate.end and candidate.dead_at and "\ufffd" not in candidate.text:
                assert state.advance(candidate.text[: candidate.dead_at]) is not None
                assert state.advance(candidate.text[: candidate.dead_at + 1]) is None
        probabilities = [candidate.probability for candidate in step.candidates[:6]]
        assert probabilities == sorted(probabilities, reverse=True)


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [("f(x[", "])", "ab(c)"), ("f(x[", "\n", "y])"), ("a(", ") b", "é"), ("x", "", "\n")],
)
def test_the_steps_of_a_text_that_is_known_lead_to_it(model: Model, left: str, right: str, text: str) -> None:
    """Whatever the model would have written itself: the shown text was chosen among several, cut or connected."""
    shown = replay(model, Brackets.hole(left, right), left, right, Options(max_tokens=12), text=text)
    assert shown is not None and shown.text == text
    *steps, last = shown.steps
    spelled = ""
    for step, following in zip(steps, [*steps[1:], last], strict=True):
        (chosen,) = (candidate for candidate in step.candidates if candidate.chosen)
        assert step.before == spelled and chosen.allowed and not chosen.end
        spelled = following.before
    assert spelled == text
    (chosen,) = (candidate for candidate in last.candidates if candidate.chosen)
    assert chosen.end and chosen.allowed


def test_something_is_refused(model: Model) -> None:
    shown = replay(model, Brackets.hole("f(", ")"), "f(", ")", Options(max_tokens=20))
    assert shown is not None
    assert any(not candidate.allowed for step in shown.steps for candidate in step.candidates)


def test_a_cancelled_replay_is_none(model: Model) -> None:
    assert replay(model, Brackets.hole("f(", ")"), "f(", ")", cancelled=lambda: True) is None
