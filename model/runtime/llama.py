"""The Llama architecture in NumPy, on the CPU in float32; it runs the embedded model.

It computes the same numbers as `transformers`, without it and without PyTorch, whose import takes longer than a whole completion. Each
product runs on one thread (see `blas`). A long prompt is cut into pieces, shared by threads: each attends to the keys and values of those
before it, which are a layer ahead, so no thread waits for long, and none spins.

Shapes: B heads' width, D width, H query heads, K key and value heads, T new tokens, N tokens with the past.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Semaphore
from typing import Any

import numpy as np

from ..errors import ModelError, first_line
from ..loading.weights import read_arrays
from .blas import on_one_thread
from .cached_sequence import CachedSequence

_FIRST_CAPACITY = 512  # tokens in the cache, doubled as needed
_CHUNK = 128  # new tokens computed at once: with more, a token takes no less time, and memory grows
_MOST_THREADS = 8  # sharing a prompt


def fits(config: Mapping[str, Any]) -> bool:
    """Whether a model with this config.json is a plain Llama."""
    rope = _rope(config)
    return (
        config.get("model_type") == "llama"
        and config.get("hidden_act", "silu") == "silu"
        and rope.get("rope_type", rope.get("type", "default")) == "default"
        and all((where.get("partial_rotary_factor") or 1.0) == 1.0 for where in (config, rope))
        and not config.get("sliding_window")
        and not config.get("attention_bias")
        and not config.get("mlp_bias")
        and not config.get("quantization_config")
    )


@dataclass(frozen=True, slots=True)
class _Layer:
    """Matrices in their form to the right of rows of tokens, with the weights of the norms before them multiplied in."""

    qkv: np.ndarray  # (D, (H + 2K) B)
    out: np.ndarray  # (H B, D)
    gate_up: np.ndarray  # (D, 2 F)
    down: np.ndarray  # (F, D)


class LlamaRuntime(CachedSequence):
    """Embeddings, layers of attention and MLP, a head."""

    _most_aside = 1  # of 11 MB, for the embedded model's longest

    def __init__(
        self, config: Mapping[str, Any], tensors: Mapping[str, np.ndarray], *, limit: int, threads: int | None = None
    ) -> None:
        _check_shapes(config, tensors)
        self._heads = int(config["num_attention_heads"])
        self._groups = int(config.get("num_key_value_heads") or self._heads)
        self._width = int(config.get("head_dim") or config["hidden_size"] // self._heads)
        self._epsilon = float(config.get("rms_norm_eps", 1e-6))
        self._norm = tensors["model.norm.weight"]
        embed = tensors["model.embed_tokens.weight"]
        tied = config.get("tie_word_embeddings")
        self._head = np.ascontiguousarray((embed if tied else tensors["lm_head.weight"]).T)  # (D, V)
        self._embed = self._head.T if tied else embed  # (V, D)
        self._layers = [self._layer(tensors, f"model.layers.{i}.") for i in range(int(config["num_hidden_layers"]))]
        self._theta = float(_rope(config).get("rope_theta") or config.get("rope_theta") or 10000.0)
        self._threads = threads or min(_cores(), _MOST_THREADS)
        self._pool = ThreadPoolExecutor(self._threads, "prompt") if self._threads > 1 else None
        super().__init__(device="cpu", limit=limit, size=self._head.shape[1])
        self._reserve(min(_FIRST_CAPACITY, limit))

    def _layer(self, tensors: Mapping[str, np.ndarray], name: str) -> _Layer:
        def get(part: str) -> np.ndarray:
            return tensors[f"{name}{part}.weight"]

        query = get("self_attn.q_proj") * np.float32(self._width**-0.5)  # the divisor of scores
        qkv = np.concatenate([query, get("self_attn.k_proj"), get("self_attn.v_proj")])
        gate_up = np.concatenate([get("mlp.gate_proj"), get("mlp.up_proj")])
        return _Layer(
            qkv=np.ascontiguousarray((qkv * get("input_layernorm")).T),
            out=np.ascontiguousarray(get("self_attn.o_proj").T),
            gate_up=np.ascontiguousarray((gate_up * get("post_attention_layernorm")).T),
            down=np.ascontiguousarray(get("mlp.down_proj").T),
        )

    def _reserve(self, capacity: int) -> None:
        """Make room for `capacity` tokens, keeping those in the cache."""
        cache = np.empty((len(self._layers), 2, self._groups, capacity, self._width), np.float32)
        length = len(self._sequence)
        if length:
            cache[:, :, :, :length] = self._cache[:, :, :, :length]
        self._cache = cache
        frequencies = self._theta ** (-np.arange(0, self._width, 2) / self._width)
        angles = np.tile(np.outer(np.arange(capacity), frequencies), 2)
        self._cos, self._sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)  # (capacity, B)
        self._sin[:, : self._width // 2] *= -1  # the sign of the rotated half

    def _forward(self, ids: Sequence[int], keep: int) -> np.ndarray:
        past = len(self._sequence)
        total, capacity = past + len(ids), self._cache.shape[3]
        if total > capacity:
            self._reserve(min(self._limit, max(total, 2 * capacity)))
        ends = [*range(_CHUNK, len(ids) - keep + 1, _CHUNK), len(ids)]
        pieces = [ids[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
        with on_one_thread():
            x = self._shared(pieces, past, keep)
            return normed(x, self._epsilon) * self._norm @ self._head

    def _shared(self, pieces: Sequence[Sequence[int]], past: int, keep: int) -> np.ndarray:
        """The layers' output for the last `keep` tokens of all pieces, written to the cache: (keep, D)."""
        begins = [past + sum(map(len, pieces[:index])) for index in range(len(pieces))]
        kept = [*[0] * (len(pieces) - 1), keep]
        if self._pool is None or len(pieces) == 1:
            return [self._layered(*each, None, None) for each in zip(pieces, begins, kept, strict=True)][-1]
        written = [
            Semaphore(0) for _ in pieces
        ]  # layers whose keys and values are written, for all tokens up to a piece
        jobs = zip(pieces, begins, kept, [None, *written[:-1]], written, strict=True)
        running = [self._pool.submit(self._layered, *job) for job in jobs]
        wait(running)  # all of them: one left running after another's failure would write into the next prompt
        return [job_running.result() for job_running in running][-1]

    def _layered(
        self, ids: Sequence[int], past: int, keep: int, before: Semaphore | None, written: Semaphore | None
    ) -> np.ndarray:
        """The layers' output for the last `keep` of new tokens after `past` others, written to the cache: (keep, D).

        before: has a permit for each layer whose past is written; written: gets one for each layer written here.
        """
        try:
            with np.errstate(over="ignore"):  # of a shut gate: its exponential is infinite, and the gate is 0
                return self._computed(ids, past, keep, before, written)
        except BaseException:
            if written is not None:
                written.release(len(self._layers))  # waiting threads get an end, and nobody its result
            raise

    def _computed(
        self, ids: Sequence[int], past: int, keep: int, before: Semaphore | None, written: Semaphore | None
    ) -> np.ndarray:
        new = len(ids)
        total = past + new
        cos, sin = self._cos[past:total], self._sin[past:total]
        half, rotated = self._width // 2, self._heads + self._groups
        later = np.triu(np.full((new, new), -np.inf, np.float32), 1)
        x = np.ascontiguousarray(self._embed[np.asarray(ids)])  # (T, D)
        for index, layer in enumerate(self._layers):
            keys, values = self._cache[index]
            y = (normed(x, self._epsilon) @ layer.qkv).reshape(new, rotated + self._groups, self._width)
            y = y.transpose(1, 0, 2)  # (H + 2K, T, B)
            qk = y[:rotated]
            qk = qk * cos + np.concatenate((qk[..., half:], qk[..., :half]), -1) * sin
            keys[:, past:total] = qk[self._heads :]
            values[:, past:total] = y[rotated:]
            if before is not None:
                before.acquire()
            if written is not None:
                written.release()
            query = qk[: self._heads]
            if index == len(self._layers) - 1 and keep < new:  # the others need only keys and values
                x, query, later = x[new - keep :], query[:, new - keep :], later[new - keep :]
                if keep == 0:
                    return x
            x += self._attended(query, keys[:, :total], values[:, :total], later) @ layer.out
            x += self._gated(x, layer)
        return x

    def _attended(self, query: np.ndarray, keys: np.ndarray, values: np.ndarray, later: np.ndarray) -> np.ndarray:
        """The values attended to by T tokens' queries (H, T, B): (T, H B). later: -inf where a new token comes after one of the T."""
        heads, count, width = query.shape
        # The query heads of a group are stacked: (K, H / K T, B).
        scores = query.reshape(self._groups, -1, width) @ keys.transpose(0, 2, 1)  # (K, H / K T, N)
        if count > 1:
            scores.reshape(heads, count, -1)[..., -later.shape[1] :] += later
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, scores)
        attended = scores @ values
        attended /= scores.sum(-1, keepdims=True)
        return attended.reshape(heads, count, width).transpose(1, 0, 2).reshape(count, -1)

    def _gated(self, x: np.ndarray, layer: _Layer) -> np.ndarray:
        """The output of a layer's MLP, to add to each row: (T, D)."""
        gate, up = np.split(normed(x, self._epsilon) @ layer.gate_up, 2, -1)
        shut = np.exp(-gate)
        shut += 1
        np.divide(gate, shut, shut)
        shut *= up
        return shut @ layer.down

    def _forget(self, length: int) -> None:
        """The cache is as long as the sequence."""

    def _copied(self) -> np.ndarray:
        """(layers, 2, K, N, B)."""
        return self._cache[:, :, :, : len(self._sequence)].copy()

    def _take(self, copied: np.ndarray, length: int) -> None:
        self._cache[:, :, :, :length] = copied[:, :, :, :length]


def load(
    folder: Path, config: Mapping[str, Any], *, limit: int, threads: int | None = None
) -> tuple[LlamaRuntime, str]:
    """The model of `folder`, with its config.json as `config`, and a line describing it; `threads`: for sharing a prompt."""
    try:
        tensors = read_arrays(folder)
        count = sum(tensor.size for tensor in tensors.values())
        runtime = LlamaRuntime(config, tensors, limit=limit, threads=threads)
        runtime._forward([0], 1)  # pyright: ignore[reportPrivateUsage] - every shape is used once
    except (KeyError, ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError) as error:
        raise ModelError(f"its weights do not fit its config.json ({first_line(error)}): download it again") from error
    return runtime, f"llama, {count / 1e6:.1f} M parameters, cpu, float32"


def normed(x: np.ndarray, epsilon: float) -> np.ndarray:
    """Rows divided by the root of their mean square."""
    squares = np.einsum("td,td->t", x, x)
    return x / np.sqrt(squares / np.float32(x.shape[1]) + np.float32(epsilon))[:, None]


def _cores() -> int:
    """The number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_shapes(config: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError if embeddings or MLP differ in width from the config; attention fails by itself."""
    width = config["hidden_size"]
    expected = {"model.embed_tokens": (config["vocab_size"], width), "model.norm": (width,)}
    for i in range(int(config["num_hidden_layers"])):
        expected[f"model.layers.{i}.mlp.down_proj"] = (width, config["intermediate_size"])
        for norm in ("input_layernorm", "post_attention_layernorm"):
            expected[f"model.layers.{i}.{norm}"] = (width,)
    for name, shape in expected.items():
        if tensors[f"{name}.weight"].shape != shape:
            raise ValueError(f"{name}.weight is not of shape {shape}")


def _rope(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings of the rotary embedding, in the new spelling or the old one."""
    return config.get("rope_parameters") or config.get("rope_scaling") or {}
