"""Fits the weights that correct a model's probability of a text (`suture.lsp_server.completion.judging.acceptance`).

A logistic regression with the model's log odds as the offset, and a ridge to hold the weights near zero: without other knowledge, the model
is believed. `python -m benchmarks.acceptance` collects the texts, since a parser decides which may be shown.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_RIDGE = 40.0  # of the weight of a fact with standard deviation 1
_FREE = 0.01  # of a constant one
_STEPS = 40
_CERTAIN = 30.0  # the most nats of odds: beyond, a probability is 0 or 1
_CLOSE = 1e-8


def fit_acceptance(odds: np.ndarray, facts: np.ndarray, typed: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The weights of the facts: (facts,).

    odds: of the model for each text, (n,). facts: (n, facts). typed: whether somebody wrote it, (n,). shares: the weight of each text, (n,).
    """
    spread = facts.std(0)
    constant = spread < _CLOSE
    spread[constant] = 1.0
    inputs = facts / spread
    ridge = np.where(constant & (facts != 0).any(0), _FREE, _RIDGE)
    weights: np.ndarray = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):  # Newton's method
        guess = probabilities(odds, inputs, weights)
        hessian = (inputs * (shares * guess * (1 - guess))[:, None]).T @ inputs + np.diag(ridge)
        step: np.ndarray = np.linalg.solve(hessian, inputs.T @ (shares * (guess - typed)) + ridge * weights)
        weights -= step
        if np.abs(step).max() < _CLOSE:
            break
    return weights / spread


def probabilities(odds: np.ndarray, facts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The probabilities of texts to be typed: (n,)."""
    guess: np.ndarray = 1 / (1 + np.exp(-np.clip(odds + facts @ weights, -_CERTAIN, _CERTAIN)))
    return guess


def loss(guesses: np.ndarray, typed: np.ndarray, shares: np.ndarray) -> float:
    """The mean cross entropy, in nats, of whether a text was typed."""
    certain = np.clip(guesses, _CLOSE, 1 - _CLOSE)
    said = np.where(typed > 0, np.log(certain), np.log(1 - certain))
    return float(-(shares * said).sum() / shares.sum())


def folds(projects: Sequence[str], count: int) -> np.ndarray:
    """The fold of each text, the same for all texts of a project: (n,)."""
    number = {project: index % count for index, project in enumerate(sorted(set(projects)))}
    return np.array([number[project] for project in projects])
