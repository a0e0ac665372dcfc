"""The Llama architecture in plain torch, on the CPU in float32: what the embedded model runs on.

The numbers are those of `transformers`; what is gained is time: no import of it (3 s), a third of its step, and a cache in
place, which is cropped by forgetting its length. Where the CPU multiplies faster in bfloat16, many tokens at once are computed
in it, four times as fast, from a second copy of the weights; single tokens are not faster in it, and stay in float32.
Shapes: B heads' width, D width, H query heads, K key and value heads, T new tokens, N tokens with the past.
"""

# The types of safetensors are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportPrivateUsage=false

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch.nn import functional

from ..errors import ModelError, first_line
from ..loading.weights import weight_files
from .torch_runtime import TorchRuntime, describe, faster_in_bfloat16, on_one_thread, row_bucket

_FIRST_CAPACITY = 512  # tokens in the cache, doubled as needed
_MANY = 16  # new tokens from which on bfloat16 is faster than float32, conversions included
_CHUNK = 256  # new tokens that are computed at once: with more, a token takes no less time, and memory grows
_ALONE = 20_000_000  # weights up to which one core computes a step: cores that wait for each other at each product take longer
_COPIED = 500_000_000  # bytes of float32 weights up to which a second copy is kept


def fits(config: Mapping[str, Any]) -> bool:
    """Whether a model with this config.json is a plain Llama."""
    rope = _rope(config)
    return (
        config.get("model_type") == "llama"
        and config.get("hidden_act", "silu") == "silu"
        and rope.get("rope_type", rope.get("type", "default")) == "default"
        and not config.get("attention_bias")
        and not config.get("mlp_bias")
        and not config.get("quantization_config")
    )


@dataclass(frozen=True, slots=True)
class _Layer:
    norm_in: torch.Tensor  # (D,)
    qkv: torch.Tensor  # ((H + 2K) B, D)
    out: torch.Tensor  # (D, H B)
    norm_mlp: torch.Tensor  # (D,)
    gate_up: torch.Tensor  # (2 F, D)
    down: torch.Tensor  # (D, F)


class LlamaRuntime(TorchRuntime):
    """Embeddings, layers of attention and MLP, a head; `mixed`: prompts are computed in bfloat16."""

    def __init__(
        self, config: Mapping[str, Any], tensors: Mapping[str, torch.Tensor], *, limit: int, mixed: bool = False
    ) -> None:
        embed = tensors["model.embed_tokens.weight"]
        _check_shapes(config, tensors)
        super().__init__(device="cpu", limit=limit, size=embed.shape[0])
        self._heads = int(config["num_attention_heads"])
        self._groups = int(config.get("num_key_value_heads") or self._heads)
        self._width = int(config.get("head_dim") or config["hidden_size"] // self._heads)
        self._epsilon = float(config.get("rms_norm_eps", 1e-6))
        self._embed = embed  # (V, D)
        self._norm = tensors["model.norm.weight"]
        self._head = embed if config.get("tie_word_embeddings") else tensors["lm_head.weight"]
        self._layers = [_layer(tensors, f"model.layers.{i}.") for i in range(int(config["num_hidden_layers"]))]
        self._halved = [_halved(layer) for layer in self._layers] if mixed else []
        self._alone = sum(tensor.numel() for tensor in tensors.values()) <= _ALONE
        self._theta = float(_rope(config).get("rope_theta") or config.get("rope_theta") or 10000.0)
        self._reserve(min(_FIRST_CAPACITY, limit))

    def _reserve(self, capacity: int) -> None:
        """Make room for `capacity` tokens, keeping those in the cache."""
        keys = torch.empty(len(self._layers), 2, self._groups, capacity, self._width)
        length = len(self._sequence)
        if length:
            keys[:, :, :, :length] = self._cache[:, :, :, :length]
        self._cache = keys
        frequencies = self._theta ** (-torch.arange(0, self._width, 2, dtype=torch.int64).float() / self._width)
        angles = torch.outer(torch.arange(capacity, dtype=torch.int64).float(), frequencies).repeat(1, 2)
        half = self._width // 2
        self._cos, self._sin = angles.cos(), angles.sin()  # (capacity, B)
        self._sin[:, :half] *= -1  # the sign of the rotated half

    def _forward(self, ids: Sequence[int], keep: int) -> torch.Tensor:
        if not self._alone or len(ids) >= _MANY:
            return self._computed(ids, keep)
        with on_one_thread():
            return self._computed(ids, keep)

    def _computed(self, ids: Sequence[int], keep: int) -> torch.Tensor:
        past = len(self._sequence)
        total, capacity = past + len(ids), self._cache.shape[3]
        if total > capacity:
            self._reserve(min(self._limit, max(total, 2 * capacity)))
        begin = 0
        while len(ids) - begin - keep >= _CHUNK:
            self._layered(ids[begin : begin + _CHUNK], past + begin)
            begin += _CHUNK
        x = self._layered(ids[begin:], past + begin)
        return functional.linear(self._normed(x[-keep:], self._norm), self._head)

    def _layered(self, ids: Sequence[int], past: int) -> torch.Tensor:
        """What the layers make of new tokens after `past` others, which go into the cache: (T, D)."""
        new = len(ids)
        total = past + new
        cos, sin = self._cos[past:total], self._sin[past:total]
        half, rotated = self._width // 2, self._heads + self._groups
        mask = torch.ones(new, total, dtype=torch.bool).tril(past) if new > 1 and past else None
        x = functional.embedding(torch.tensor(ids), self._embed)  # (T, D)
        # Sums stay in float32, and so does the cache: only the factors of products are halved.
        halved = bool(self._halved) and new >= _MANY
        surplus = row_bucket(new) - new if halved else 0  # rows of zeros below those of the tokens
        x = functional.pad(x, (0, 0, 0, surplus))
        kind = torch.bfloat16 if halved else torch.float32
        for layer, cache in zip(self._halved if halved else self._layers, self._cache, strict=True):
            y = functional.linear(self._normed(x, layer.norm_in).to(kind), layer.qkv)
            qkv = y[:new].float().view(new, rotated + self._groups, self._width).transpose(0, 1)  # (H + 2K, T, B)
            qk = qkv[:rotated]
            qk = qk * cos + torch.cat((qk[..., half:], qk[..., :half]), -1) * sin
            cache[0, :, past:total] = qk[self._heads :]
            cache[1, :, past:total] = qkv[rotated:]
            attended = functional.scaled_dot_product_attention(
                qk[None, : self._heads].to(kind),
                cache[None, 0, :, :total].to(kind),
                cache[None, 1, :, :total].to(kind),
                attn_mask=mask,
                is_causal=new > 1 and not past,
                enable_gqa=self._groups != self._heads,
            )  # (1, H, T, B)
            rows = functional.pad(attended[0].transpose(0, 1).reshape(new, -1), (0, 0, 0, surplus))
            x = x + functional.linear(rows, layer.out)
            gate, up = functional.linear(self._normed(x, layer.norm_mlp).to(kind), layer.gate_up).chunk(2, -1)
            x = x + functional.linear(functional.silu(gate) * up, layer.down)
        return x[:new]

    def _normed(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(x, weight.shape, weight, self._epsilon)

    def _forget(self, length: int) -> None:
        """The cache is as long as the sequence."""


def load(folder: Path, config: Mapping[str, Any], *, limit: int, mixed: bool = False) -> tuple[LlamaRuntime, str]:
    """The model of `folder`, whose config.json is `config`, and a line that describes it.

    `mixed`: prompts may be computed in bfloat16, where that is faster and the weights are small enough to be kept twice.
    """
    try:
        tensors: dict[str, torch.Tensor] = {}
        for name in weight_files(folder):
            with safe_open(folder / name, framework="pt") as file:
                tensors |= {key: file.get_tensor(key).to(torch.float32) for key in file.keys()}  # noqa: SIM118
        count = sum(tensor.numel() for tensor in tensors.values())
        mixed = mixed and 4 * count <= _COPIED and faster_in_bfloat16()
        runtime = LlamaRuntime(config, tensors, limit=limit, mixed=mixed)
        with torch.inference_mode():  # every shape is used once
            runtime._forward([0], 1)
            runtime._forward([0] * min(_MANY, limit), 1)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"its weights cannot be read ({first_line(error)}): download it again") from error
    except (KeyError, ValueError, TypeError, RuntimeError, IndexError) as error:
        raise ModelError(f"its weights do not fit its config.json ({first_line(error)}): download it again") from error
    return runtime, describe("llama", count, "cpu", torch.float32) + (" (prompts in bfloat16)" if mixed else "")


def _layer(tensors: Mapping[str, torch.Tensor], name: str) -> _Layer:
    def get(part: str) -> torch.Tensor:
        return tensors[f"{name}{part}.weight"]

    return _Layer(
        norm_in=get("input_layernorm"),
        qkv=torch.cat([get(f"self_attn.{part}_proj") for part in "qkv"]),
        out=get("self_attn.o_proj"),
        norm_mlp=get("post_attention_layernorm"),
        gate_up=torch.cat([get("mlp.gate_proj"), get("mlp.up_proj")]),
        down=get("mlp.down_proj"),
    )


def _halved(layer: _Layer) -> _Layer:
    """The layer with its matrices in bfloat16."""
    low = torch.bfloat16
    return replace(
        layer, qkv=layer.qkv.to(low), out=layer.out.to(low), gate_up=layer.gate_up.to(low), down=layer.down.to(low)
    )


def _check_shapes(config: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
    """Raise ValueError where embeddings or MLP are not as wide as the config says; attention fails by itself."""
    width = config["hidden_size"]
    expected = {"model.embed_tokens": (config["vocab_size"], width), "model.norm": (width,)}
    for i in range(int(config["num_hidden_layers"])):
        expected[f"model.layers.{i}.mlp.down_proj"] = (width, config["intermediate_size"])
    for name, shape in expected.items():
        if tensors[f"{name}.weight"].shape != shape:
            raise ValueError(f"{name}.weight is not of shape {shape}")


def _rope(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings of the rotary embedding, in the new spelling or the old one."""
    return config.get("rope_parameters") or config.get("rope_scaling") or {}
