"""Comparing long texts by slices, as fast as comparing memory; by short slices, since long ones would need new pages of memory."""

from collections.abc import Callable

_AT_ONCE = 16_384


def common_prefix(a: str, b: str) -> int:
    """How many characters a and b share at the front."""
    if a is b:
        return len(a)
    return longest(min(len(a), len(b)), lambda low, high: a.startswith(b[low:high], low))


def common_suffix(a: str, b: str) -> int:
    """How many characters a and b share at the end."""
    m, n = len(a), len(b)
    if a is b:
        return m
    return longest(min(m, n), lambda low, high: a.endswith(b[n - high : n - low], m - high, m - low))


def longest(most: int, alike: Callable[[int, int], bool]) -> int:
    """The number of shared characters, at most `most`; alike: whether those from its first offset up to its second are shared."""
    low = 0
    while low + _AT_ONCE <= most and alike(low, low + _AT_ONCE):
        low += _AT_ONCE
    high = min(most, low + _AT_ONCE)
    while low < high:
        middle = (low + high + 1) // 2
        if alike(low, middle):
            low = middle
        else:
            high = middle - 1
    return low
