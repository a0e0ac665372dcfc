"""Weights of facts beside a model's log odds are found again in texts drawn with them."""

import numpy as np
import pytest
from suture.training.fit_acceptance import fit_acceptance, folds, loss, probabilities

COUNT = 20_000


def drawn(weights: np.ndarray, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log odds, facts (the first one always holds) and whether each text was typed."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1.5, COUNT)
    facts = np.column_stack([np.ones(COUNT), rng.random((COUNT, len(weights) - 1)) < 0.3]).astype(float)
    return odds, facts, (rng.random(COUNT) < probabilities(odds, facts, weights)).astype(float)


@pytest.mark.parametrize("weights", [[0.5, 1.0, -2.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 0.7]])
def test_weights_are_found_again(weights: list[float]) -> None:
    odds, facts, typed = drawn(np.array(weights))
    found = fit_acceptance(odds, facts, typed, np.ones(COUNT))
    assert found == pytest.approx(weights, abs=0.12)
    shares = np.ones(COUNT)
    alone = probabilities(odds, facts, np.zeros(3))
    corrected = probabilities(odds, facts, found)
    assert loss(corrected, typed, shares) <= loss(alone, typed, shares)


def test_a_fact_that_never_holds_weighs_nothing() -> None:
    odds, facts, typed = drawn(np.array([0.5, 1.0]))
    found = fit_acceptance(odds, np.column_stack([facts, np.zeros(COUNT)]), typed, np.ones(COUNT))
    assert found[2] == 0.0 and found[:2] == pytest.approx([0.5, 1.0], abs=0.12)


def test_texts_with_no_share_do_not_count() -> None:
    odds, facts, typed = drawn(np.array([0.5, 1.0, -2.0]))
    half = np.arange(COUNT) % 2
    upside_down = np.where(half == 1, typed, 1 - typed)
    assert fit_acceptance(odds, facts, upside_down, half.astype(float)) == pytest.approx([0.5, 1.0, -2.0], abs=0.2)


def test_a_project_is_in_one_fold() -> None:
    names = ["a", "b", "a", "c", "b"]
    found = folds(names, 2)
    assert found[0] == found[2] and found[1] == found[4] and set(found) == {0, 1}
