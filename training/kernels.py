"""The operations between the matrix products of a training step, each a function for PyTorch's compiler to fuse.

Unfused, much of a step's time goes into reading and writing memory between operations. Without a compiler the functions run, too, only
slower.
"""

# torch.compile hides the types of compiled functions.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import silu


@dataclass(frozen=True)
class Kernels:
    """The functions of this module, compiled or plain."""

    before_attention: Callable[..., tuple[Tensor, Tensor, Tensor]]
    after_attention: Callable[..., Tensor]
    normalized: Callable[..., Tensor]
    masked_softmax: Callable[..., Tensor]
    softmax_gradient: Callable[..., Tensor]
    row_products: Callable[..., Tensor]
    cross_entropy: Callable[..., tuple[Tensor, Tensor]]


@cache
def kernels(compiled: bool) -> Kernels:
    """The functions, compiled where wanted and a C++ compiler exists."""
    fixed, dynamic = _as_it_is, _as_it_is
    if compiled and can_compile():
        fixed, dynamic = _compile(False), _compile(True)
    return Kernels(
        fixed(before_attention),
        fixed(after_attention),
        fixed(normalized),
        dynamic(masked_softmax),
        dynamic(softmax_gradient),
        fixed(row_products),
        dynamic(cross_entropy),
    )


@cache
def can_compile() -> bool:
    """Whether PyTorch's compiler works here; it needs a C++ compiler."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the compiler uses functions deprecated by PyTorch
            return bool(_compile(False)(_doubled)(torch.ones(64))[0] == 2)
    except Exception:  # whatever the error, there is another way
        return False


def _doubled(value: Tensor) -> Tensor:
    return value * 2


def _compile(dynamic: bool) -> Callable[[Any], Any]:
    return lambda function: torch.compile(function, dynamic=dynamic)


def _as_it_is(function: Any) -> Any:
    return function


def normalized(hidden: Tensor, weight: Tensor, epsilon: float, dtype: torch.dtype) -> Tensor:
    """Root mean square layer normalization of rows, (N, C), in `dtype`."""
    value = hidden.float()
    return (value * torch.rsqrt(value.pow(2).mean(-1, keepdim=True) + epsilon) * weight).to(dtype)


def before_attention(
    hidden: Tensor, norm: Tensor, weight: Tensor, cos: Tensor, sin: Tensor, heads: tuple[int, int], epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries (H, N, D), keys and values (G, N, D) of normalized rows, queries and keys rotated by their positions.

    `hidden` is (N, C), `weight` ((H + 2 G) D, C) has the three matrices in its type, `cos` and `sin` are (N, D / 2), `heads` is H, G.
    """
    count, groups = heads
    values = normalized(hidden, norm, epsilon, weight.dtype) @ weight.T
    values = values.view(len(hidden), count + 2 * groups, -1).transpose(0, 1)
    query, key, value = values.split((count, groups, groups))
    return _rotated(query, cos, sin).contiguous(), _rotated(key, cos, sin).contiguous(), value.contiguous()


def _rotated(values: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Llama's rotary position embedding: it pairs the first half of a head with the second."""
    first, second = values.float().chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1).to(values.dtype)


def after_attention(
    hidden: Tensor, attended: Tensor, out: Tensor, norm: Tensor, gate_up: Tensor, down: Tensor, epsilon: float
) -> Tensor:
    """The rest of a layer: the output of attention, (H, N, D), added to `hidden`, (N, C), and the gated feed-forward network.

    `gate_up` (2 F, C) has the gate's matrix above the other; all matrices are in the type of `attended`.
    """
    hidden = hidden + attended.transpose(0, 1).reshape(len(hidden), -1) @ out.T
    gate, up = (normalized(hidden, norm, epsilon, attended.dtype) @ gate_up.T).chunk(2, -1)
    return hidden + (silu(gate.float()) * up).to(attended.dtype) @ down.T


def masked_softmax(scores: Tensor, mask: Tensor, scale: float) -> Tensor:
    """The softmax of scores (H, Q, K) in their type; the added `mask` (Q, K) is 0 or minus infinity."""
    values = scores.float() * scale + mask
    powers = (values - values.amax(-1, keepdim=True)).exp()
    return (powers / powers.sum(-1, keepdim=True)).to(scores.dtype)


def softmax_gradient(shares: Tensor, gradient: Tensor, products: Tensor, scale: float) -> Tensor:
    """The gradient of the scores: shares and their gradient are (H, Q, K), `products` (H, Q) are the rows' sums of both multiplied."""
    return (shares.float() * (gradient.float() - products[:, :, None]) * scale).to(shares.dtype)


def row_products(first: Tensor, other: Tensor) -> Tensor:
    """The sums over the last dimension of two tensors multiplied, in 32 bits."""
    return (first.float() * other.float()).sum(-1)


def cross_entropy(logits: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """The loss of each row of logits (N, V), and the gradient of the rows' weighted losses, summed up."""
    values = logits.float()
    most = values.amax(1, keepdim=True)
    total = (values - most).exp().sum(1, keepdim=True).log() + most
    right = torch.arange(values.shape[1], device=logits.device) == targets[:, None]
    losses = total.squeeze(1) - values.gather(1, targets[:, None]).squeeze(1)
    return losses, (((values - total).exp() - right.float()) * weights[:, None]).to(logits.dtype)
