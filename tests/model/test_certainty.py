"""The part of a completion that is shown: probable enough, up to a place where the file is valid."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.lsp_server.completion.engine import pipeline
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.keeper import ModelKeeper
from suture.lsp_server.completion.judging import policy
from suture.lsp_server.completion.judging.acceptance import THRESHOLD
from suture.lsp_server.completion.judging.certainty import by_model, certain, certain_parts, is_bare_name
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.judging.policy import (
    SURE_WORD,
    SURE_WORD_OF_SMALL,
    Limits,
    Word,
    expected_gain,
    is_informative,
    is_surely_begun,
    is_worth_showing,
)
from suture.lsp_server.completion.proposing.suggestion import Request
from suture.lsp_server.settings.spec import Settings
from suture.model import Certainty, Completion, ModelError
from suture.model.calibration import FILE, load_certainty
from suture.model.decoding.types import Passed
from suture.model.loading.find import EMBEDDED


def check(marked: str, least: float, shown: str | None, model: Certainty = Certainty()) -> None:  # noqa: B008 (frozen)
    """Marks are `|0.8` for a complete text with this probability, `/0.8` for an incomplete one."""
    text, trail = "", []
    for part in marked.replace("/", "|/").split("|"):
        if not trail and not text:
            text = part
            continue
        number, _, rest = part.lstrip("/").partition(" ")
        trail.append(Passed(len(text), math.log(float(number)), not part.startswith("/")))
        text += rest
    completion = Completion(text, 1, "model", True, 0.0, 0.0, 0.0, trail=tuple(trail))
    found = certain(completion, by_model(model), least)
    assert (None if found is None else found.completion.text) == shown


@pytest.mark.parametrize(
    ("marked", "least", "shown"),
    [
        ("a|0.9 + b|0.8 ", 0.7, "a+ b"),
        ("aa|0.9 + b|0.5 ", 0.7, "aa"),
        ("a|0.6 + b|0.5 ", 0.7, None),
        ("f(/0.9 x)|0.5 ", 0.7, None),
        ("f(/0.9 x)|0.6 ", 0.4, "f(x)"),
        # a word is not cut in two, though the file would be valid
        ("wid|0.9 th|0.3 ", 0.5, None),
        ("a.|0.9 wid|0.8 th|0.3 ", 0.5, "a."),
        # nor does it end behind a comma
        ("f(a|0.9 ,|0.8 b)|0.3 ", 0.5, "f(a"),
        ("[a|0.9 ,|0.8 ", 0.5, "[a,"),
        # nor between `self` and its dot
        ("self|0.9 .x|0.3 ", 0.5, None),
        ("not self|0.9 .x|0.3 ", 0.5, None),
        ("self|0.9 , x|0.3 ", 0.5, "self"),
        ("itself|0.9 .x|0.3 ", 0.5, "itself"),
        # a continuation of an improbable text is no better
        ("a|0.4 + b|0.9 ", 0.5, None),
        # a bridge, without a known probability
        ("a1|0.9 )", 0.5, "a1"),
        # a sign, or nothing but signs, is only shown when it is nearly sure
        ("x|0.79 ", 0.5, None),
        ("x|0.81 ", 0.5, "x"),
        ("):|0.79 ", 0.5, None),
        ("):|0.59 \n total|0.57 ", 0.5, "):\n total"),
        ("f)|0.73 :|0.4 ", 0.5, "f)"),
        ("f)|0.71 :|0.4 ", 0.5, None),
    ],
)
def test_what_is_probable_is_shown(marked: str, least: float, shown: str | None) -> None:
    check(marked, least, shown)


@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        # the continuation is worth more, though it is less probable
        ("total|0.9  = compute_total(items)|0.5 ", "total = compute_total(items)"),
        # and is not where it is too improbable
        ("total|0.9  = compute_total(items)|0.2 ", "total"),
        # a short text has to be more probable than a long one
        ("abc|0.35 ", None),
        ("compute_total(items)|0.35 ", "compute_total(items)"),
        ("abc|0.6 ", "abc"),
        # a letter spares no key
        ("x|0.79 ", None),
        ("x|0.81 ", "x"),
    ],
)
def test_what_is_worth_most_is_shown(marked: str, shown: str | None) -> None:
    check(marked, 0.1, shown)


@given(st.floats(0.0, 1.0), st.text("ab ", max_size=100))
def test_more_probable_texts_are_worth_more(probability: float, text: str) -> None:
    gain = expected_gain(probability, text)
    assert gain <= expected_gain(min(1.0, probability + 0.01), text)
    assert gain <= len(text.strip()) - 1 < expected_gain(1.0, text + "a")
    assert expected_gain(probability, f" {text} ") == gain


def test_the_model_s_own_numbers_count() -> None:
    check("a|0.4 ", 0.5, None)
    check("aa|0.4 ", 0.5, "aa", Certainty(bias=1.5))
    check("aa|0.6 ", 0.5, None, Certainty(bias=-1.0))


def test_a_text_that_does_not_fit_is_never_certain() -> None:
    assert certain(Completion("a", 1, "length", False, 0.0, 0.0, 0.0), by_model(Certainty()), 0.1) is None


def test_numbers_are_kept_beside_the_weights(tmp_path: Path) -> None:
    assert load_certainty(tmp_path) == Certainty()
    Certainty(0.9, 0.5, 0.3).save(tmp_path / FILE)
    assert load_certainty(tmp_path) == Certainty(0.9, 0.5, 0.3)
    assert 0 < load_certainty(EMBEDDED).threshold < 1
    assert Certainty().probability(math.log(0.3)) == pytest.approx(0.3)
    assert 0 < Certainty().probability(-1e6) < Certainty().probability(0.0) < 1


@pytest.mark.parametrize("numbers", [Certainty(), Certainty(0.9, 0.5), Certainty(1.3, -0.7)])
@pytest.mark.parametrize("least", [0.05, 0.3, 0.8, 0.99])
def test_the_least_log_probability_is_where_the_probability_is_reached(numbers: Certainty, least: float) -> None:
    bound = numbers.least_log_prob(least)
    assert bound < 0 and numbers.probability(bound + 1e-6) >= least > numbers.probability(bound - 1e-6)


def test_bounds_at_the_ends() -> None:
    assert Certainty().least_log_prob(0.0) == Certainty(bias=5.0).least_log_prob(1e-12) == -math.inf
    assert Certainty().least_log_prob(1.0) == 0.0


@pytest.mark.parametrize("values", [{}, {"slope": "x"}, {"slope": -1, "bias": 0, "threshold": 0}, [1], None])
def test_damaged_numbers_are_refused(tmp_path: Path, values: object) -> None:
    (tmp_path / FILE).write_text(json.dumps(values))
    with pytest.raises(ModelError, match="download it again"):
        load_certainty(tmp_path)


@pytest.mark.parametrize(
    ("text", "at_start", "shown"),
    [
        ("table", True, None),
        ("table", False, "table"),
        ("return", True, "return"),
        ("table()", True, "table()"),
        ("self.table", True, "self.table"),
    ],
)
def test_a_bare_name_is_no_statement(text: str, at_start: bool, shown: str | None) -> None:
    completion = Completion(text, 1, "model", True, 0.0, 0.0, 0.0, trail=(Passed(len(text), math.log(0.9), True),))
    refused = is_bare_name if at_start else lambda text: False
    found = certain(completion, by_model(Certainty()), 0.5, refused=refused)
    assert (found.completion.text if found else None) == shown
    parts = certain_parts(completion, by_model(Certainty()), 0.5, refused=refused)
    assert [part.completion.text for part in parts] == ([text] if shown else [])


@pytest.mark.parametrize(("letters", "least"), [(2, 0.72), (3, 0.59), (4, 0.52), (10, 0.36)])
def test_short_texts_have_to_be_more_probable(letters: int, least: float) -> None:
    """As the documents say."""
    assert is_worth_showing(least + 0.005, "a" * letters)
    assert not is_worth_showing(least - 0.01, "a" * letters)


@pytest.mark.parametrize(
    ("text", "informative"), [("a", False), (" a ", False), ("ab", True), ("a)", True), ("):", False), ("", False)]
)
def test_one_sign_is_not_worth_a_look(text: str, informative: bool) -> None:
    assert is_informative(text) is informative


@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        # the words at the beginning are sure, and the file is valid at the end alone
        ("athlib/0.97  import/0.97  Path|0.3 ", "athlib import Path"),
        ("athlib/0.79  import/0.79  Path|0.3 ", None),
        # of a sure text, some letters are worth a look
        ("as/0.97  p|0.3 ", None),
        ("(x/0.97 )|0.3 ", None),
        # a sure word that makes the file valid is shown alone, as long as the following text is worth less
        ("Window|0.9 , Qt|0.1 .white)|0.05 ", "Window"),
        # no word is cut, nor a name from its dot
        ("self/0.97 .total|0.3 ", None),
        ("tot/0.97 al|0.3 ", None),
    ],
)
def test_a_text_with_sure_words_is_shown(marked: str, shown: str | None) -> None:
    check(marked, THRESHOLD, shown)


@pytest.mark.parametrize(
    ("word", "least", "shown"), [(0.85, SURE_WORD, True), (0.85, SURE_WORD_OF_SMALL, False), (0.95, 0.9, True)]
)
def test_a_small_model_has_to_be_surer_of_words(word: float, least: float, shown: bool) -> None:
    trail = (Passed(6, math.log(word), False), Passed(18, math.log(0.3), True))
    completion = Completion("athlib import Path", 3, "model", True, 0.0, 0.0, 0.0, trail=trail)
    assert (certain(completion, by_model(Certainty()), THRESHOLD, sure=least) is not None) is shown
    assert bool(certain_parts(completion, by_model(Certainty()), THRESHOLD, sure=least)) is shown


@pytest.mark.parametrize(("small", "least"), [(True, SURE_WORD_OF_SMALL), (False, SURE_WORD)])
def test_the_embedded_model_has_to_be_surer_of_words(
    monkeypatch: pytest.MonkeyPatch, small: bool, least: float
) -> None:
    limits = list[Limits]()

    def asked(cursor: object, session: object, request: Request) -> Iterator[Hidden]:
        limits.append(request.limits)
        return iter([Hidden(Reason.NO_TEXT)])

    monkeypatch.setattr(pipeline, "suggestions", asked)
    monkeypatch.setattr(ModelKeeper, "is_small", small)
    engine = pipeline.CompletionEngine(Settings(device="cpu"))
    engine.suggest(CursorContext("a.py", "python", "import os\nb = \n", 14), lambda: False)
    assert [each.sure_word for each in limits] == [least]


@pytest.mark.parametrize("raised", [0, 1, 2, 5])
def test_refusals_raise_the_probability_of_sure_words(raised: int) -> None:
    least = policy.raised(THRESHOLD, raised)
    assert 0 < policy.sure_word(least) < 1 and policy.sure_word(least) >= policy.SURE_WORD
    assert policy.sure_word(least) > least
    assert raised == 0 or policy.sure_word(least) > policy.sure_word(THRESHOLD)


def test_right_words_are_worth_their_letters() -> None:
    words = [Word(6, 0.9), Word(13, 0.9)]
    assert expected_gain(0.3, "athlib import Path", words) > expected_gain(0.3, "athlib import Path")
    assert expected_gain(0.9, "athlib import Path", words) == expected_gain(0.9, "athlib import Path")
    assert is_surely_begun(words, THRESHOLD) and not is_surely_begun([Word(2, 0.9)], THRESHOLD)
    assert not is_surely_begun([Word(6, 0.6)], THRESHOLD)
