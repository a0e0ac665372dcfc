"""Packed masks on rows of logits."""

# xgrammar comes with vLLM, in an environment of its own.
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import torch

_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
_ADDED = np.where(_BITS, 0.0, -np.inf).astype(np.float32)
"""For each byte of a packed mask, its summands for eight logits: (256, 8)."""


def hold(logits: torch.Tensor, rows: Sequence[int], masks: Sequence[np.ndarray], size: int) -> None:
    """Set refused tokens to minus infinity, in place.

    `logits`: (rows, vocabulary) on any device; `masks`: of each of `rows`, ((size + 31) // 32,) int32. Logits beyond `size` stand for no
    token.
    """
    if not rows:
        return
    packed = np.full((logits.shape[0], len(masks[0])), -1, dtype=np.int32)
    packed[list(rows)] = masks
    apply = _kernel()
    if apply is not None:
        width = min(size, logits.shape[1])
        apply(logits, torch.from_numpy(packed).to(logits.device), vocab_size=width, indices=list(rows))
    else:
        _hold(logits, rows, packed, size)
    if logits.shape[1] > size:
        logits[torch.tensor(rows, device=logits.device), size:] = float("-inf")


def kernel_name() -> str:
    """The kernel in use, for a person."""
    return "numpy and torch" if _kernel() is None else "xgrammar"


@cache
def _kernel() -> Callable[..., None] | None:
    """The kernel of vLLM's own grammars; None if it is not installed."""
    try:
        from xgrammar import apply_token_bitmask_inplace
    except ImportError:
        return None
    return apply_token_bitmask_inplace


def _hold(logits: torch.Tensor, rows: Sequence[int], packed: np.ndarray, size: int) -> None:
    """The same without the kernel."""
    width = min(size, logits.shape[1])
    if logits.device.type == "cpu" and logits.dtype == torch.float32:
        # By a table of each byte's summands: a third of the time of masked_fill_, which wakes all of torch's threads.
        for row in rows:
            here = logits[row, :width].numpy()
            here += _ADDED[packed[row].view(np.uint8)].reshape(-1)[:width]
        return
    for row in rows:
        refused = np.unpackbits(packed[row].view(np.uint8), count=width, bitorder="little") == 0
        logits[row, :width].masked_fill_(torch.from_numpy(refused).to(logits.device), float("-inf"))
