"""A Llama model over packed rows on a CPU: the same weights and numbers as transformers', in less time.

Documents in a row are masked from each other, so attention costs the sum of the squares of their lengths. The operations between products are
fused (`kernels`). With AMX, a step of 8 x 1,024 tokens takes 0.9 s on two cores, where transformers' modules take 1.4.
"""

# torch tells few types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import embedding

from .config import TrainConfig
from .kernels import Kernels

NORM_EPSILON = 1e-5

_QUERIES = 256  # at a time: keys behind a block's last query are skipped
_STEP = 128  # keys
_MOST_KEPT = 2048  # keys of a block


def hidden_states(
    weights: Mapping[str, Tensor],
    config: TrainConfig,
    ids: Tensor,
    bounds: Sequence[int],
    dtype: torch.dtype,
    kernels: Kernels,
) -> Tensor:
    """The hidden states (N, C) of packed documents' ids (N,), with products in `dtype`; `bounds` are 0, where documents end, and N.

    `weights` are named as those of transformers' LlamaModel.
    """
    heads = (config.heads, config.kv_heads)
    cos, sin = _rotations(bounds, config.hidden_size // config.heads, config.rope_theta)
    blocks = blocks_of(bounds)
    hidden = embedding(ids, weights["embed_tokens.weight"])
    for number in range(config.layers):
        layer = f"layers.{number}."
        attention, mlp = f"{layer}self_attn.", f"{layer}mlp."
        query, key, value = kernels.before_attention(
            hidden,
            weights[f"{layer}input_layernorm.weight"],
            torch.cat([weights[f"{attention}{part}_proj.weight"] for part in "qkv"]).to(dtype),
            cos,
            sin,
            heads,
            NORM_EPSILON,
        )
        if heads[0] != heads[1]:
            key, value = (tensor.repeat_interleave(heads[0] // heads[1], 0) for tensor in (key, value))
        hidden = kernels.after_attention(
            hidden,
            DocumentAttention.apply(query, key, value, blocks, kernels),
            weights[f"{attention}o_proj.weight"].to(dtype),
            weights[f"{layer}post_attention_layernorm.weight"],
            torch.cat([weights[f"{mlp}{part}_proj.weight"] for part in ("gate", "up")]).to(dtype),
            weights[f"{mlp}down_proj.weight"].to(dtype),
            NORM_EPSILON,
        )
    return kernels.normalized(hidden, weights["norm.weight"], NORM_EPSILON, dtype)


def _rotations(bounds: Sequence[int], size: int, theta: float) -> tuple[Tensor, Tensor]:
    """Cosines and sines, (N, size / 2), of each token's position in its document."""
    positions = torch.cat([torch.arange(last - first) for first, last in pairwise(bounds)])
    angles = positions[:, None] * theta ** (-torch.arange(0, size, 2) / size)
    return angles.cos(), angles.sin()


@dataclass(frozen=True)
class Block:
    """Queries from `first` to `last` and their keys from `start` to `last`; `mask` (Q, K) is 0 where a query sees a key, else minus infinity."""

    start: int
    first: int
    last: int
    mask: Tensor

    @property
    def is_kept(self) -> bool:
        """Whether the attention weights are kept for the gradients. In long documents they are recomputed, to save memory."""
        return self.last - self.start <= _MOST_KEPT


def blocks_of(bounds: Sequence[int]) -> list[Block]:
    """The blocks of queries for attention.

    Keys begin near the start of the first query's document. Sizes are rounded, since oneDNN compiles a product anew for each new size.
    """
    starts = torch.cat([torch.full((last - first,), first, dtype=torch.int32) for first, last in pairwise(bounds)])
    places = torch.arange(len(starts), dtype=torch.int32)
    blocks: list[Block] = []
    for first in range(0, len(starts), _QUERIES):
        last = min(len(starts), first + _QUERIES)
        start = int(starts[first]) // _STEP * _STEP
        keys = places[start:last]
        seen = (keys <= places[first:last, None]) & (keys >= starts[first:last, None])
        blocks.append(Block(start, first, last, torch.zeros(seen.shape).masked_fill_(~seen, -math.inf)))
    return blocks


class DocumentAttention(torch.autograd.Function):
    """Causal attention inside each document, of queries, keys and values (H, N, D), by products over blocks of queries.

    PyTorch's fused kernel is slower on a CPU, mostly in its gradients.
    """

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, blocks: Sequence[Block], kernels: Kernels
    ) -> Tensor:
        out = torch.empty_like(query)
        kept: list[Tensor] = []
        for block in blocks:
            queries, keys = slice(block.first, block.last), slice(block.start, block.last)
            shares = _shares(query, key, block, kernels)
            out[:, queries] = torch.bmm(shares, value[:, keys])
            if block.is_kept:
                kept.append(shares)
        ctx.save_for_backward(query, key, value, out, *kept)
        ctx.blocks, ctx.kernels = blocks, kernels
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        query, key, value, out, *kept = ctx.saved_tensors
        kernels: Kernels = ctx.kernels
        gradient = gradients[0].contiguous()
        scale = query.shape[2] ** -0.5
        products = kernels.row_products(gradient, out)
        to_query = torch.empty_like(query)
        to_key, to_value = torch.zeros(key.shape), torch.zeros(value.shape)  # in 32 bits, since blocks add up
        shares_kept = iter(kept)
        for block in ctx.blocks:
            queries, keys = slice(block.first, block.last), slice(block.start, block.last)
            shares = next(shares_kept) if block.is_kept else _shares(query, key, block, kernels)
            given = gradient[:, queries].contiguous()
            to_shares = torch.bmm(given, value[:, keys].transpose(1, 2))
            to_scores = kernels.softmax_gradient(shares, to_shares, products[:, queries], scale)
            to_query[:, queries] = torch.bmm(to_scores, key[:, keys])
            to_key[:, keys] += torch.bmm(to_scores.transpose(1, 2), query[:, queries])
            to_value[:, keys] += torch.bmm(shares.transpose(1, 2), given)
        return to_query, to_key.to(key.dtype), to_value.to(value.dtype), None, None


def _shares(query: Tensor, key: Tensor, block: Block, kernels: Kernels) -> Tensor:
    """The attention weights of a block's queries over its keys: (H, Q, K)."""
    scores = torch.bmm(query[:, block.first : block.last], key[:, block.start : block.last].transpose(1, 2))
    return kernels.masked_softmax(scores, block.mask, query.shape[2] ** -0.5)
