"""Whether bfloat16 products pay on this CPU."""

import math
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

from ..model.runtime.torch_runtime import multiplies_bfloat16, torch


@cache
def faster_in_bfloat16() -> bool:
    """Whether this CPU multiplies large matrices faster in bfloat16 than in float32; tried once, in some 5 ms.

    The instructions alone do not tell: AMX tiles are several times as fast as float32, AVX-512's are twice as fast on some processors and
    half as fast on others. Products of one row by a matrix are a different case, bound by memory.
    """
    if not multiplies_bfloat16():
        return False
    with _on_one_thread():
        return _product_seconds(torch.bfloat16) < 0.8 * _product_seconds(torch.float32)


def _product_seconds(dtype: torch.dtype) -> float:
    """The time of a product as in a small model's prefill: the least of several, to exclude disturbances."""
    left, right = torch.ones(128, 256, dtype=dtype), torch.ones(704, 256, dtype=dtype)
    best = math.inf
    for _ in range(6):  # the first one compiles
        started = time.perf_counter()
        torch.nn.functional.linear(left, right)
        best = min(best, time.perf_counter() - started)
    return best


@contextmanager
def _on_one_thread() -> Generator[None, None, None]:
    """Let torch compute on the calling thread alone for a while."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
