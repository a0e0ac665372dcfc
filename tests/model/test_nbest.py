"""Several completions of one hole: different, complete, ranked by the model's own probability, and with shared costs."""

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest
from suture.model import Completion, Model, Options, candidates, complete, load
from suture.model.decoding.among import Among
from suture.model.decoding.driver import ModelCursor
from suture.model.decoding.scoring import LENGTH_POWER, log_prob_of, logsumexp, normalised, of_text
from suture.model.prompting import prompt

from ..support.modelzoo import ARCHITECTURES, PIPE, Brackets, bytelevel, save_model
from ..support.scripted import PLAIN, Scripted, scripted


@pytest.fixture(scope="module", params=["llama", "gpt_bigcode", "mistral"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    assert request.param in ARCHITECTURES
    return load(str(save_model(tmp_path_factory.mktemp("model"), bytelevel(PIPE), request.param)), device="cpu")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


def check(model: Model, left: str, right: str, n: int, options: Options = Options(max_tokens=6)) -> list[Completion]:  # noqa: B008
    """The candidates are different, complete, and ranked; the result of `complete` is among them."""
    hole = Brackets.hole(left, right)
    first = complete(model, hole, left, right, options)
    found = candidates(model, hole, left, right, options, n, budget_ms=60_000)
    texts = [each.text for each in found]
    assert 1 <= len(found) <= n and len(set(texts)) == len(texts)
    assert first.text in texts
    for each in found:
        after = hole.advance(each.text)
        assert each.complete and after is not None and after.complete
        assert each.text.strip() or each.text == first.text
        assert each.score is None or each.score <= 0
    scores = [each.score for each in found if each.text.strip()]
    assert all(a is not None and b is not None and a >= b for a, b in pairwise(scores))
    return found


@pytest.mark.parametrize(("left", "right"), [("a = [b, ", "]\n"), ("x = ", "\n"), ("été (caf", ")"), ("((", "))")])
def test_candidates_are_different_complete_and_ranked(model: Model, left: str, right: str) -> None:
    assert len(check(model, left, right, 4)) >= 2


def test_the_score_is_the_models_own_probability_of_text_and_end(llama: Model) -> None:
    """Collected on the way, it equals that of one pass over the text, though the constraint refused texts the model liked better."""
    for text, left in (("x)", "f("), ("xy7z)", "f("), ("x", "")):
        model = undecided(llama, text, at1="w")
        done = complete(model, Brackets.hole(left, "\n"), left, "\n", PLAIN)
        asked = prompt.build(model, left, "\n", budget=100, heal=False)
        model = undecided(llama, text, at1="w")
        expected = of_text(model, asked.ids, done.text, ModelCursor(model, lambda: False).ends)
        assert done.score is not None and done.score == pytest.approx(expected, abs=1e-3)


def test_the_formula() -> None:
    assert normalised(-6.0, 0) == -6.0  # an end alone
    assert normalised(-6.0, 6) == pytest.approx(-6.0 / 2**LENGTH_POWER)
    logits = np.log(np.array([0.5, 0.3, 0.2], np.float32)) + 3
    assert logsumexp(logits) == pytest.approx(3, abs=1e-6)
    assert log_prob_of(logits, np.array([1, 2])) == pytest.approx(np.log(0.5), abs=1e-6)
    assert log_prob_of(logits, np.array([], np.int64)) == -np.inf


@dataclass
class Undecided(Scripted):
    """Says its text, but at chosen steps finds another token nearly as likely."""

    others: dict[int, str] = field(default_factory=dict)  # step: text whose first token is the rival
    hesitation: float = -0.5  # logit of the rival
    stepped: list[int] = field(default_factory=list)

    def step(self, token: int) -> np.ndarray:
        self.stepped.append(token)
        return super().step(token)

    def _logits(self) -> np.ndarray:
        logits = super()._logits()
        said = len(self.sequence) - self.start
        if said in self.others:
            logits[self.inner.vocabulary.encode(self.others[said])[0]] = self.hesitation
        return logits


def undecided(llama: Model, text: str, **others: str) -> Model:
    rivals = {int(step.removeprefix("at")): rival for step, rival in others.items()}
    model = scripted(llama, text)
    return type(model)(**{name: getattr(model, name) for name in ("name", "vocabulary", "template", "context_tokens")},
                       runtime=Undecided(llama, text, others=rivals))  # fmt: skip


def texts(model: Model, left: str, right: str, n: int, **settings: float) -> list[str]:
    found = candidates(model, Brackets.hole(left, right), left, right, PLAIN, n, budget_ms=60_000, **settings)  # type: ignore[arg-type]
    return [each.text for each in found]


def test_it_branches_where_the_model_hesitates_and_the_first_walk_comes_first(llama: Model) -> None:
    model = undecided(llama, "xyz", at0="q", at2="w")
    assert texts(model, "a(", ")", 1) == ["xyz"]
    assert set(texts(model, "a(", ")", 3)) == {"xyz", "qyz", "xyw"}


def test_a_rival_that_may_not_come_is_no_candidate(llama: Model) -> None:
    assert texts(undecided(llama, "xyz", at0="7"), "a(", ")", 2) == ["xyz"]


def test_to_end_earlier_is_a_candidate(llama: Model) -> None:
    model = scripted(llama, "xyz", ends={1: -0.5})
    assert texts(model, "a(", ")", 2) == ["xyz", "x"]


def test_what_the_model_finds_nearly_impossible_is_no_candidate(llama: Model) -> None:
    assert texts(scripted(llama, "xyz"), "a(", ")", 5) == ["xyz"]


def test_after_the_budget_no_other_walk_begins(llama: Model) -> None:
    model = undecided(llama, "xyz", at0="q", at2="w")
    found = candidates(model, Brackets.hole("a(", ")"), "a(", ")", PLAIN, 3, budget_ms=0)
    assert [each.text for each in found] == ["xyz"]


def test_of_several_looks_the_best_text_is_given(llama: Model) -> None:
    for left, right in (("def f(x, [y{", "}])\nx"), ("x = ", "\n"), ("((", "))")):
        hole = Brackets.hole(left, right)
        best = check(llama, left, right, 3)[0]
        assert complete(llama, hole, left, right, Options(max_tokens=6, looks=3, looks_ms=60_000)).text == best.text
        first = complete(llama, hole, left, right, Options(max_tokens=6))
        assert complete(llama, hole, left, right, Options(max_tokens=6, looks=3, looks_ms=0)).text == first.text


@pytest.mark.parametrize(("hesitation", "second"), [(-0.1, True), (-4.0, False)])
def test_a_text_that_cannot_win_is_not_written_to_its_end(llama: Model, hesitation: float, second: bool) -> None:
    """The more of its probability the first text has, the less of another is worth a step."""
    steps: list[list[int]] = []
    for looks in (1, 2):
        model = undecided(llama, "xyzabcdef", at0="q")
        assert isinstance(model.runtime, Undecided)
        model.runtime.hesitation = hesitation
        steps.append(model.runtime.stepped)
        options = replace(PLAIN, max_tokens=40, looks=looks, looks_ms=60_000)
        assert complete(model, Brackets.hole("a(", ")"), "a(", ")", options).text == "xyzabcdef"
    one, two = map(len, steps)
    assert (two > one + 5) if second else (two <= one + 1)


def test_cancelled_there_is_what_there_was(llama: Model) -> None:
    for allowed in range(12):
        asked = iter(range(10**6))
        model = undecided(llama, "xyz", at0="q", at2="w")
        found = candidates(
            model, Brackets.hole("a(", ")"), "a(", ")", PLAIN, 3, cancelled=lambda a=asked, n=allowed: next(a) >= n
        )
        assert 1 <= len(found) <= 3
        assert all(each.cancelled or each.complete for each in found)


def test_the_prompt_is_computed_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    model = load(str(save_model(tmp_path_factory.mktemp("model"), bytelevel())), device="cpu")
    runtime, computed = model.runtime, []
    forward = runtime._forward  # type: ignore[attr-defined]
    runtime._forward = lambda ids, keep: computed.append(len(ids)) or forward(ids, keep)  # type: ignore[attr-defined]
    left = "value = other\n" * 20 + "x = ("
    found = candidates(model, Brackets.hole(left, ")"), left, ")", Options(max_tokens=5), 4, budget_ms=60_000)
    prompt = max(computed)
    assert len(found) > 1 and prompt > 100
    assert sum(computed) - prompt < prompt


def test_only_constrained_texts_are_candidates(llama: Model) -> None:
    with pytest.raises(ValueError, match="candidates are constrained"):
        candidates(llama, Brackets("", ""), "", "", Options(mode="checked"))


def test_forks_that_nobody_takes_are_not_judged(llama: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    least, asked, reaches = -1.0, list[float](), Among.reaches
    monkeypatch.setattr(Among, "reaches", lambda among, least: asked.append(least) or reaches(among, least))
    for wanted, judges in ((1, False), (2, True)):
        asked.clear()
        model = replace(undecided(llama, "xyz"), runtime=Undecided(llama, "xyz", others={2: "w"}, hesitation=-3.0))
        options = replace(PLAIN, least_log_prob=least)
        explored = candidates(model, Brackets.hole("a(", ")"), "a(", ")", options, wanted, budget_ms=60_000)
        assert explored[0].text and (least in asked) is judges, asked


def test_forced_bytes_narrow_a_row_once(llama: Model) -> None:
    driver = ModelCursor(llama, lambda: False)
    driver.prefill(llama.vocabulary.encode("a ("))
    assert driver.forced_row(b"") is driver.row()
    row = driver.forced_row(b"x")
    assert driver.forced_row(b"x") is row
    assert set(np.flatnonzero(row.logits > -np.inf)) <= set(llama.vocabulary.starting_with(b"x"))
    assert driver.forced_row(b"y") is not row
    driver.append(row.best)
    assert driver.forced_row(b"x") is not row


def test_a_text_is_weighed_once(llama: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: list[object] = []
    monkeypatch.setattr(Brackets, "fits", property(lambda hole: weighed.append(hole) or 0))
    runtime = Undecided(llama, "xyzabcdef", others={0: "q"}, hesitation=-0.1)
    options = replace(PLAIN, max_tokens=40, looks=2, looks_ms=60_000)
    complete(replace(undecided(llama, ""), runtime=runtime), Brackets.hole("a(", ")"), "a(", ")", options)
    assert len(weighed) == 2, "one for each of two texts"
