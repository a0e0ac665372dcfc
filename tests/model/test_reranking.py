"""Choosing among texts by how they stand in the file: what is counted, how it is fitted, and where it decides."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from suture.lsp_server.completion.proposing.suggestion import LOOKS, looks_for
from suture.model import Model, Options, candidates, complete, load
from suture.model.decoding.api import ranker_for
from suture.model.errors import ModelError
from suture.model.reranking.features import FEATURES, Candidate, Place
from suture.model.reranking.ranker import FILE, Ranker, load_ranker
from suture.model.reranking.ranker import LOOKS as RANKED_LOOKS
from suture.training.fit_ranking import Choice, fit_ranking

from ..support.modelzoo import Brackets, bytelevel, save_model
from ..support.scripted import PLAIN, Scripted, scripted

LEFT = "def f(size, name):\n    self.size = size\n    add(size, 1)\n    print('a')\n"
RIGHT = "\n    self.depth = 2\n    return size + total\n"


def feature(name: str, text: str, left: str = LEFT + "    ", right: str = RIGHT) -> float:
    candidate = Candidate(text, tokens=3, score=-1.5)
    return float(Place(left, right).features(candidate)[FEATURES.index(name)])


@pytest.mark.parametrize(
    ("name", "more", "less"),
    [
        ("shape", "self.name = name", "self.name += name"),
        ("nearest", "print('b')", "if size:"),
        ("trigrams", "self.size", "size.self"),
        ("arguments", "add(name, 2)", "add(name)"),
        ("new names", "width = size", "name = size"),
        ("ends in word", "return name", "return (name)"),
        ("bound nearby", "self.depth = 3", "self.name = 3"),
        ("bound nearby", "def f(a):", "def g(a):"),
        ("bound nearby", "self.depth: int = 3", "self.depth == 3"),
        ("namesake", "file_name = name", "file = name"),
        ("repeats", "print('a')", "print('b')"),
        ("same argument", "add(name, name)", "add(name, size)"),
        ("same argument", "add((1, 2), (1, 2))", "add((1, 2), 1, 2)"),
        ("binds needed", "total = 0", "total += 1"),
        ("binds needed", "for total in range(3):", "for one in range(3):"),
        ("reads needed", "total += 1", "total = 1"),
    ],
)
def test_what_a_text_has_more_of_than_another(name: str, more: str, less: str) -> None:
    assert feature(name, more) > feature(name, less)


def test_shapes_are_compared_with_lines_that_begin_alike() -> None:
    left = "def a(x) -> None:\n    pass\ndef b(x) -> None:\n    pass\ndef c(y)"
    assert feature("shape", " -> None:", left) == pytest.approx(2 / 5)
    assert feature("shape", ":", left) == 0
    begun = left.replace("c(y)", "c(y) -> No")  # a word that is begun is not yet what it is going to be
    assert feature("shape", "ne:", begun) == pytest.approx(2 / 5)


def test_what_the_model_says_is_passed_on() -> None:
    cut = Candidate("x", tokens=4, score=-2.0, cut_back=True)
    found = dict(zip(FEATURES, Place("", "").features(cut), strict=True))
    assert (found["score"], found["cut back"]) == (-2.0, 1.0)
    assert found["tokens"] == pytest.approx(np.log(4))


@pytest.mark.parametrize(
    "line", ["(" * 5000, "a = " * 5000, "'" * 5000, "x" * 50_000, "= " * 9000, ": = " * 9000, "\0"]
)
def test_hostile_lines_are_read_in_time(line: str) -> None:
    for left, text, right in ((line, "x", ""), (f"{line}\n" * 300, line, f"\n{line}" * 300)):
        assert np.isfinite(Place(left, right).features(Candidate(text, 3, -1.0))).all()


def ranker(**weights: float) -> Ranker:
    return Ranker(np.array([weights.get(name.replace(" ", "_"), 0.0) for name in FEATURES]))


def test_fitting_learns_what_is_right() -> None:
    rng = np.random.default_rng(1)
    choices: list[Choice] = []
    for _ in range(200):
        features = rng.normal(size=(4, len(FEATURES)))
        values = features[:, 0] + 2 * features[:, 2] - features[:, 9]
        choices.append(Choice(features, np.arange(4) == (values + rng.gumbel(size=4)).argmax()))
    choices.append(Choice(np.zeros((2, len(FEATURES))), np.array([False, False])))  # tells nothing
    weights = fit_ranking(choices).weights
    assert weights[2] > weights[0] > 0.5 > abs(weights[1]) and weights[9] < -0.5
    with pytest.raises(ValueError, match="no place"):
        fit_ranking(choices[-1:])


def test_numbers_are_kept_and_damaged_ones_are_said(tmp_path: Path) -> None:
    path = tmp_path / FILE
    ranker(score=1.25, shape=-3.0).save(path)
    assert load_ranker(path).weights == pytest.approx(ranker(score=1.25, shape=-3.0).weights)
    for text in ("{}", "[]", path.read_text().replace("1.25", "NaN"), path.read_text().replace("1.25", "1e9")):
        path.write_text(text)
        with pytest.raises(ModelError, match=FILE):
            load_ranker(path)


class Torn(Scripted):
    """Says `a+b`, and finds `c+d` less probable, so much that a text which has to have the better score is not written to its end."""

    def _logits(self) -> np.ndarray:
        logits = super()._logits()
        rival = list(self.inner.vocabulary.encode("c+d"))
        at = len(self.sequence) - self.start
        if self.sequence[self.start :] == rival[:at] and at < len(rival):
            logits[rival[at]] = -1.0 if at == 0 else 1.0
        return logits


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "c+d"),
        ({"language": "python"}, "c+d"),
        ({"language": "go"}, "a+b"),  # what speaks for a text was fitted on Python,
        ({"max_lines": 1}, "a+b"),  # and on single lines
        ({"reranking": False}, "a+b"),
        ({"looks": 1}, "a+b"),
    ],
)
def test_the_ranker_decides_in_lines_of_python(llama: Model, settings: dict[str, object], expected: str) -> None:
    model = replace(scripted(llama, "a+b"), runtime=Torn(llama, "a+b"), ranker=ranker(score=0.1, new_names=-1.0))
    options = replace(PLAIN, **{"looks": 2, "max_lines": 0, "looks_ms": 60_000, **settings})  # type: ignore[arg-type]
    left, right = "c\nd\n", "\n"
    hole = Brackets.hole(left, right)
    assert complete(model, hole, left, right, options).text == expected
    if options.looks > 1:
        found = candidates(model, hole, left, right, options, 2, budget_ms=60_000)
        assert [one.text for one in found] == [expected, "a+b" if expected == "c+d" else "c+d"]
    assert looks_for(model, options) == (RANKED_LOOKS if expected == "c+d" or options.looks == 1 else LOOKS)


def test_the_embedded_model_prefers_what_the_lines_around_have() -> None:
    model = load(None, device="cpu")
    assert model.ranker is not None
    left = "class A:\n    def first(self) -> None:\n        pass\n\n    def second(self) -> None:\n        pass\n\n    def third(self)"
    none, colon = model.ranker.values(
        left, "\n        pass\n", [Candidate(" -> None:", 3, -1.0), Candidate(":", 1, -0.7)]
    )
    assert none > colon


@pytest.mark.parametrize(
    ("how", "ranked"),
    [
        ({}, True),
        ({"language": "go"}, False),
        ({"max_lines": 2}, False),
        ({"mode": "checked"}, False),
        ({"reranking": False}, False),
    ],
)
def test_only_lines_of_python_under_the_constraint_are_ranked(how: dict[str, Any], ranked: bool) -> None:
    model: Any = SimpleNamespace(ranker=object())
    options = replace(Options(language="python", max_lines=0), **how)
    assert ranker_for(model, options) is (model.ranker if ranked else None)
