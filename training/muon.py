"""Muon: momentum with orthogonalised matrices in each update (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/).

`torch.optim.Muon` does the same, but always multiplies in bfloat16. On a CPU without instructions for it, this takes fifty times as long as
the rest of a training step; here the products are in the device's fast type.
"""

# torch tells few types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of the quintic whose slope at zero is largest
_ITERATIONS = 5
_TINY = 1e-7


class Muon(torch.optim.Optimizer):
    """For matrices only; rates and decay are as for AdamW, since updates are scaled to the size of AdamW's (Liu et al. 2025)."""

    def __init__(
        self, params: Iterable[Tensor], lr: float, weight_decay: float, dtype: torch.dtype, momentum: float = 0.95
    ) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})
        self._dtype = dtype

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """One update by the existing gradients."""
        if closure is not None:
            raise ValueError("Muon takes no closure")
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                mean = state.setdefault("momentum_buffer", torch.zeros_like(parameter.grad))
                mean.lerp_(parameter.grad, 1 - group["momentum"])
                update = parameter.grad.lerp(mean, group["momentum"])  # Nesterov's
                scale = 0.2 * math.sqrt(max(parameter.shape))
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.add_(orthogonal(update, self._dtype).to(parameter.dtype), alpha=-group["lr"] * scale)


def orthogonal(matrix: Tensor, dtype: torch.dtype) -> Tensor:
    """About `U V^T` of the matrix `U S V^T`: Newton-Schulz iterations in `dtype` bring its singular values near one."""
    tall = matrix.shape[0] > matrix.shape[1]
    value = (matrix.T if tall else matrix).to(dtype)
    value = value / value.norm().clamp(min=_TINY)  # so that no singular value is above one
    first, second, third = _COEFFICIENTS
    for _ in range(_ITERATIONS):
        gram = value @ value.T
        value = torch.addmm(value, torch.addmm(gram, gram, gram, beta=second, alpha=third), value, beta=first)
    return value.T if tall else value
