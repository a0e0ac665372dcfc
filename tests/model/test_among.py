"""The probability of a text among the possible tokens: bounds given without a search hold, and no share is searched in vain."""

import random
from functools import reduce
from pathlib import Path

import pytest
from suture.model import Options, candidates, load
from suture.model.decoding import reader
from suture.model.decoding.among import ALL, NO_TOKENS, Among, Share

from ..support.modelzoo import Brackets, bytelevel, save_model


@pytest.mark.parametrize("seed", range(30))
def test_what_is_told_without_looking_agrees_with_what_is_found(seed: int) -> None:
    rng = random.Random(seed)
    asked: list[int] = []

    def share(number: int, log: float) -> Share:
        def ask() -> float:
            asked.append(number)
            return log

        return Share(ask)

    tokens = [(-rng.expovariate(0.5), rng.random()) for _ in range(rng.randint(1, 12))]
    exact = sum(own - own * part for own, part in tokens)
    shares = [share(number, own * part) for number, (own, part) in enumerate(tokens)]
    text = reduce(lambda at, pair: Among(at, pair[0][0], pair[1]), zip(tokens, shares, strict=True), NO_TOKENS)
    for enough in sorted(rng.uniform(2 * exact, 0) for _ in range(5)):
        assert text.least <= exact + 1e-9
        assert text.reaches(enough) == (exact >= enough)
    assert text.log_prob == pytest.approx(exact) == text.least
    assert sorted(asked) == [*range(len(tokens))]


def test_a_text_that_is_probable_enough_as_it_is_needs_no_look() -> None:
    text = Among(Among(NO_TOKENS, -1.0, Share(lambda: pytest.fail("looked"))), -1.0, ALL)
    assert text.reaches(-2.0) and text.least == -2.0


def test_only_texts_that_are_judged_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(str(save_model(tmp_path, bytelevel())), device="cpu")
    looks: list[int] = []
    monkeypatch.setattr(reader, "allowed_share", lambda *_: looks.append(1) or 0.5)

    def several(enough: float) -> int:
        looks.clear()
        options = Options(max_tokens=6, enough=enough)
        found = candidates(model, Brackets.hole("x = ", "\n"), "x = ", "\n", options, 3, budget_ms=60_000)
        assert len(found) > 1
        assert all(one.trail for one in found)
        return len(looks)

    assert several(-1e9) == 0 < several(float("inf"))
