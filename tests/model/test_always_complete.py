"""With random weights, in random holes of real Python, with tiny budgets: every completion fits."""

import random

import pytest
from suture.model import Model, Options, candidates, complete, load
from suture.parser import Hole, language

from ..support.modelzoo import bytelevel, save_model, sentencepiece
from ..support.oracle_python import cut, parses, stdlib_sources


@pytest.fixture(scope="module", params=["bytelevel", "sentencepiece"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("model")
    if request.param == "bytelevel":
        return load(str(save_model(folder, bytelevel(), max_position_embeddings=120)), device="cpu")
    special = ("▁<PRE>", "▁<SUF>", "▁<MID>", "▁<EOT>")
    return load(
        str(save_model(folder, sentencepiece(special), eos_token_id=2, max_position_embeddings=120)), device="cpu"
    )


def holes(count: int, seed: int, newline: str = "\n") -> list[tuple[str, str, Hole]]:
    rng = random.Random(seed)
    python = language("python")
    found = []
    for text in stdlib_sources(rng, count, 6_000):
        left, _, right = cut(text.replace("\r\n", "\n").replace("\n", newline), rng)
        found.append((left, right, python.hole(left, right)))
    return found


def check(model: Model, left: str, right: str, hole: Hole, options: Options) -> None:
    assert hole.viable and hole.state is not None
    done = complete(model, hole.state, left, right, options)
    assert done.complete and done.tokens <= options.max_tokens
    assert parses(left + done.text + right)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_whatever_the_model_and_the_budget(model: Model, newline: str) -> None:
    rng = random.Random(3)
    for left, right, hole in holes(8, 11, newline):
        options = Options(
            max_tokens=rng.choice((1, 2, 3, 4, 20)),
            max_lines=rng.choice((None, 0, 2)),
            temperature=rng.choice((0.0, 1.0)),
            seed=rng.randrange(99),
            heal=rng.random() < 0.7,
            stay_in_hole=rng.random() < 0.7,
            block_column=rng.choice((None, 0, 4, 9)),
            bridge_ms=rng.choice((0, 500)),
            context_tokens=rng.choice((None, 1, 40)),
        )
        check(model, left, right, hole, options)


def test_a_context_as_long_as_the_model_takes(model: Model) -> None:
    for left, right, hole in holes(2, 12):
        check(model, left, right, hole, Options(max_tokens=10_000, temperature=1.0, seed=1))


def test_between_the_bytes_of_a_character(model: Model) -> None:
    """Neither vocabulary has tokens for most of these characters: they are spelled byte by byte."""
    text = 'größe = "漢字 \U0001f600 é" + f(ñ)\n'
    for at in range(len(text)):
        left, right = text[:at], text[at + 1 :]
        hole = language("python").hole(left, right)
        if hole.viable:
            check(model, left, right, hole, Options(max_tokens=3, temperature=1.5, seed=at))


def test_every_candidate_fits(model: Model) -> None:
    for left, right, hole in holes(2, 13):
        assert hole.state is not None
        found = candidates(model, hole.state, left, right, Options(max_tokens=6), 3)
        assert len({each.text for each in found}) == len(found)
        for each in found:
            assert each.complete and parses(left + each.text + right)


def test_cancelled_at_any_question_it_says_the_truth(model: Model) -> None:
    """Whenever it is given up, a completion called complete is complete."""
    for left, right, hole in holes(1, 14):
        for allowed in range(0, 40, 9):
            asked = iter(range(10**6))
            assert hole.state is not None
            done = complete(
                model, hole.state, left, right, Options(max_tokens=4), cancelled=lambda a=asked, n=allowed: next(a) >= n
            )
            assert done.complete == parses(left + done.text + right) or (done.cancelled and not done.complete)
