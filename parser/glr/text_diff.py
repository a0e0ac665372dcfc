"""Comparing long texts by slices, which is as fast as comparing memory; by short slices, since long ones would need new pages of memory."""

_AT_ONCE = 16_384


def common_prefix(a: str, b: str) -> int:
    """How many characters a and b share at the front."""
    low, most = 0, min(len(a), len(b))
    while low + _AT_ONCE <= most and a.startswith(b[low : low + _AT_ONCE], low):
        low += _AT_ONCE
    high = min(most, low + _AT_ONCE)
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(a: str, b: str) -> int:
    """How many characters a and b share at the end."""
    low, most = 0, min(len(a), len(b))
    while low + _AT_ONCE <= most and a.endswith(b[len(b) - low - _AT_ONCE : len(b) - low], 0, len(a) - low):
        low += _AT_ONCE
    high = min(most, low + _AT_ONCE)
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low
