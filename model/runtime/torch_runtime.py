"""What runtimes on torch share besides the cached sequence: how threads wait, the number types, the numbers of rows."""

import math
import os
import sys
import time
from abc import abstractmethod
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache

import numpy as np

from .cached_sequence import CachedSequence

if "torch" not in sys.modules:
    # Threads that wait for each other must not spin: beside another busy process, as an editor is, spinning makes a step
    # 5 to 20 times slower (2 cores, 2 threads: 107 ms and 23 ms a step). Only read when torch is loaded.
    before = os.environ.get("OMP_WAIT_POLICY")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch

    if before is None:
        del os.environ["OMP_WAIT_POLICY"]
else:
    import torch


class TorchRuntime(CachedSequence):
    """A runtime on torch; subclasses compute logits as tensors."""

    _out_of_memory = torch.OutOfMemoryError

    def _forward(self, ids: Sequence[int], keep: int) -> np.ndarray:
        with torch.inference_mode():
            return self._logits(ids, keep).float().cpu().numpy()

    @abstractmethod
    def _logits(self, ids: Sequence[int], keep: int) -> torch.Tensor:
        """Extend the cache by `ids`; the logits of the last `keep`, in memory of their own: (keep, size)."""


@contextmanager
def on_one_thread() -> Generator[None, None, None]:
    """Let torch compute on the calling thread alone for a while."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def multiplies_bfloat16() -> bool:
    """Whether this CPU has instructions for products of bfloat16: AMX tiles or AVX-512."""
    probes = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    return any(probe() for name in probes if (probe := getattr(torch.cpu, name, None)) is not None)


@cache
def faster_in_bfloat16() -> bool:
    """Whether this CPU multiplies large matrices faster in bfloat16 than in float32; tried once, in some 5 ms.

    Having the instructions does not say so: AMX tiles are several times as fast as float32, AVX-512's are twice as fast on some
    processors and half as fast on others. One row by a matrix is another matter, which memory bounds.
    """
    if not multiplies_bfloat16():
        return False
    with on_one_thread():
        return _product_seconds(torch.bfloat16) < 0.8 * _product_seconds(torch.float32)


def _product_seconds(dtype: torch.dtype) -> float:
    """The time of a product like those of a small model's prompt, undisturbed: the least of several."""
    left, right = torch.ones(128, 256, dtype=dtype), torch.ones(704, 256, dtype=dtype)
    best = math.inf
    for _ in range(6):  # the first one compiles
        started = time.perf_counter()
        torch.nn.functional.linear(left, right)
        best = min(best, time.perf_counter() - started)
    return best


def row_bucket(rows: int) -> int:
    """Round a number of rows up to one of few: multiples of 16, then four in each doubling (... 112, 128, 160, 192, 224, 256).

    oneDNN compiles a product in 16-bit numbers anew for each number of rows, and keeps some 0.6 MB of it: prompts of all lengths
    up to 1,000 tokens leave 2 GB behind. Rounded, they are 20 lengths.
    """
    step = max(16, 1 << max(0, (rows - 1).bit_length() - 3))
    return -(-rows // step) * step


def describe(kind: str, parameters: int, device: str, dtype: torch.dtype) -> str:
    """A line about a model, for a person."""
    return f"{kind}, {parameters / 1e6:.1f} M parameters, {device}, {str(dtype).removeprefix('torch.')}"
