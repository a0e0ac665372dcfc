"""Fits the weights by which a model's probability of a text is corrected (`suture.lsp_server.completion.judging.acceptance`).

A logistic regression whose offset is the model's log odds, with a ridge that holds the weights near zero: where nothing else is known, the model is
believed. `python -m benchmarks.acceptance` collects the texts, since which may be shown is a parser's to say.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_RIDGE = 40.0  # of a weight for a fact of which the spread is 1
_FREE = 0.01  # of one that is always there
_STEPS = 40
_CERTAIN = 30.0  # nats of odds, beyond which a probability is 0 or 1
_CLOSE = 1e-8


def fit_acceptance(odds: np.ndarray, facts: np.ndarray, typed: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The weights of the facts: (facts,).

    odds: of the model for each text, (n,). facts: (n, facts). typed: whether somebody wrote it, (n,). shares: how much each text counts, (n,).
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
    """That each of some texts is typed: (n,)."""
    guess: np.ndarray = 1 / (1 + np.exp(-np.clip(odds + facts @ weights, -_CERTAIN, _CERTAIN)))
    return guess


def loss(guesses: np.ndarray, typed: np.ndarray, shares: np.ndarray) -> float:
    """Nats that it costs on average to be told of a text whether it was typed."""
    certain = np.clip(guesses, _CLOSE, 1 - _CLOSE)
    said = np.where(typed > 0, np.log(certain), np.log(1 - certain))
    return float(-(shares * said).sum() / shares.sum())


def folds(projects: Sequence[str], count: int) -> np.ndarray:
    """Numbers of folds: all texts of a project are in one, (n,)."""
    number = {project: index % count for index, project in enumerate(sorted(set(projects)))}
    return np.array([number[project] for project in projects])
