"""The parts shared by torch runtimes besides the cached sequence: waiting threads, number types, numbers of rows."""

import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from .cached_sequence import CachedSequence

if "torch" not in sys.modules:
    # Threads waiting for each other must not spin: beside another busy process, such as an editor, spinning makes a step 5 to 20 times slower
    # (2 cores, 2 threads: 107 ms and 23 ms a step). Only read when torch is loaded.
    before = os.environ.get("OMP_WAIT_POLICY")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch

    if before is None:
        del os.environ["OMP_WAIT_POLICY"]
else:
    import torch

_Rows = TypeVar("_Rows")


class TorchRuntime(CachedSequence):
    """A runtime on torch; subclasses compute logits as tensors."""

    _out_of_memory = torch.OutOfMemoryError

    def __init__(self, module: Any, *, limit: int, size: int) -> None:
        """module: a `transformers` model."""
        super().__init__(device=module.device.type, limit=limit, size=size)
        self._module = module.eval()

    @property
    def place(self) -> torch.device:
        """The device of the logits."""
        return self._module.device

    def prefill_on(self, ids: Sequence[int], copied: Callable[[torch.Tensor], _Rows]) -> _Rows:
        """`prefill`, with as much copied from the device as wanted."""
        return self.append_on(self._unread(ids), 1, copied)

    def append_on(self, ids: Sequence[int], keep: int, copied: Callable[[torch.Tensor], _Rows]) -> _Rows:
        """Append tokens; the logits after the last `keep` of them, (keep, size), as copied from the device."""

        def compute() -> _Rows:
            with torch.inference_mode():
                return copied(self._logits(ids, keep))

        return self._extend(ids, compute)

    def _forward(self, ids: Sequence[int], keep: int) -> np.ndarray:
        with torch.inference_mode():
            return self._logits(ids, keep).float().cpu().numpy()

    @abstractmethod
    def _logits(self, ids: Sequence[int], keep: int) -> torch.Tensor:
        """Extend the cache by `ids`; the logits of the last `keep`, in memory of their own: (keep, size)."""


def multiplies_bfloat16() -> bool:
    """Whether this CPU has instructions for products of bfloat16: AMX tiles or AVX-512."""
    probes = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    return any(probe() for name in probes if (probe := getattr(torch.cpu, name, None)) is not None)


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
