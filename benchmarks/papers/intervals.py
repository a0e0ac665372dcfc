"""Confidence intervals of measured shares, and unbiased pass@k."""

from __future__ import annotations

import math
from collections.abc import Sequence

_Z = 1.959963984540054  # of the normal distribution, for 95 %


def wilson(successes: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share after Wilson (1927), also valid near 0 and 1; (0, 1) without data."""
    if count == 0:
        return 0.0, 1.0
    share, square = successes / count, _Z * _Z
    middle = share + square / (2 * count)
    half = _Z * math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    low, high = (middle - half) / (1 + square / count), (middle + half) / (1 + square / count)
    return max(0.0, low), min(1.0, high)


def pass_at(k: int, samples: int, passed: int) -> float:
    """The unbiased estimate of the chance of one of k samples to pass, after `passed` of `samples` (Chen et al., 2021)."""
    if samples - passed < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(samples - passed + 1, samples + 1))


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """(mean, low, high) at 95 %, by the normal approximation; the mean alone of one value."""
    count = len(values)
    mean = sum(values) / count if count else math.nan
    if count < 2:
        return mean, mean, mean
    error = _Z * math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)
    return mean, mean - error, mean + error


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lie; nan of none."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else math.nan


def fit_line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """(slope, intercept) of the least squares line."""
    count = len(points)
    if count < 2:
        return math.nan, math.nan
    x, y = sum(a for a, _ in points) / count, sum(b for _, b in points) / count
    spread = sum((a - x) ** 2 for a, _ in points)
    slope = sum((a - x) * (b - y) for a, b in points) / spread if spread else math.nan
    return slope, y - slope * x
