"""Nobody waits for unwanted text: generation stops where it is too improbable, and keeps the rest."""

import math
from dataclasses import replace

import numpy as np
import pytest
from suture.lsp_server.completion.judging.certainty import by_model, certain
from suture.model import Certainty, Completion, Model, complete, load
from suture.model.loading.presets import PRESETS

from ..support.modelzoo import Brackets, bytelevel, save_model
from ..support.scripted import PLAIN, Scripted, scripted


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


class Unsure(Scripted):
    """Writes its text, each token as probable as all letters together, and as a refused token."""

    def _logits(self) -> np.ndarray:
        logits = super()._logits()
        best = logits.argmax()
        for letter in "abcdefghijklmnopqrstuvw":
            logits[self.inner.vocabulary.encode(letter)[0]] = -math.log(23)
        logits[best] = 0.0
        logits[self.inner.vocabulary.encode("9")[0]] = 0.0  # counts for nothing, as it cannot come
        return logits


def ask(llama: Model, text: str, left: str, right: str, least: float, looks: int = 1) -> tuple[Completion, int]:
    """The completion by an unsure model, and how many steps it took."""
    model = scripted(llama, text)
    runtime = Unsure(llama, text)
    model = replace(model, runtime=runtime)
    options = replace(PLAIN, least_log_prob=math.log(least) if least else -math.inf, looks=looks, looks_ms=60_000)
    return complete(model, Brackets.hole(left, right), left, right, options), runtime.steps


def check(llama: Model, text: str, left: str, right: str, least: float, expected: str, steps: int) -> None:
    done, taken = ask(llama, text, left, right, least)
    assert (done.text, done.ended, taken) == (expected, "uncertain", steps)
    assert done.complete or not expected
    assert all(math.exp(passed.log_prob) >= least for passed in done.trail)


def test_it_stops_where_the_text_is_too_improbable(llama: Model) -> None:
    whole, steps = ask(llama, "x+y+z+w", "a", "\n", 0)
    assert whole.text == "x+y+z+w" and steps >= 7
    check(llama, "x+y+z+w", "a", "\n", 0.2, "x+", 2)
    check(llama, "x+y+z+w", "a", "\n", 0.6, "", 0)


def test_it_does_not_end_within_a_word(llama: Model) -> None:
    check(llama, "+yzw", "a", "\n", 0.2, "+", 2)


def test_what_was_written_does_not_end_within_a_word_either(llama: Model) -> None:
    for looks in (1, 2):
        done, _ = ask(llama, "(xyz", "a", "\n", 0.2, looks)
        assert done.written == "(xy" and [passed.length for passed in done.written_trail] == [1, 2]
        found = certain(done, by_model(Certainty()), 0.2, closing=lambda begun: ")" if begun == "(x" else "")
        assert found is None or found.completion.text != "(x"


def test_no_bridge_is_looked_for(llama: Model) -> None:
    assert ask(llama, "(x", "a", "\n", 0)[0].text == "(x)"
    check(llama, "(x", "a", "\n", 0.001, "", 3)  # a letter instead of the refused end


@pytest.mark.parametrize("certainty", [Certainty(), load().certainty, *{one.certainty for one in PRESETS}])
def test_a_bridge_is_never_shown_unasked(llama: Model, certainty: Certainty) -> None:
    """Unasked there is a least probability, however small; with one, a text ends in no bridge, whatever the bridge holds."""
    least = certainty.least_log_prob(1e-6)
    assert least > -math.inf
    model = scripted(llama, "(x")
    asked = complete(model, Brackets.hole("a", "\n"), "a", "\n", PLAIN)
    assert (asked.text, asked.ended) == ("(x)", "bridge")
    unasked = complete(model, Brackets.hole("a", "\n"), "a", "\n", replace(PLAIN, least_log_prob=least))
    assert unasked.ended != "bridge" and not unasked.text.endswith(")")


def test_it_may_have_ended_before_that(llama: Model) -> None:
    done, _ = ask(llama, "x", "a", "\n", 0.2)
    assert (done.text, done.ended) == ("x", "model")


def test_no_other_text_is_tried_that_is_too_improbable(llama: Model) -> None:
    for least, steps in ((0.4, 1), (0.2, 2)):
        assert ask(llama, "x+y+z", "a", "\n", least, looks=2)[1] == steps
