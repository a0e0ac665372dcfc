"""The training loop: packed rows through a Llama model, with a schedule by steps or by the clock."""

# torch, transformers and safetensors tell few types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ctypes
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from .bfloat16 import faster_in_bfloat16
from .config import ConfigError, TrainConfig
from .fim import CONTEXT, END_ID, HOLE, PAD, PAD_ID, Row
from .kernels import Kernels, kernels
from .muon import Muon
from .packed_llama import NORM_EPSILON, hidden_states

_CHUNK = 512  # rows of logits held at a time: 512 x 8192 in 16 bits are 8 MB
_CHUNK_ON_GPU = 16_384  # a product of fewer ends before its launch is over


@dataclass(frozen=True)
class Progress:
    """The progress of a run."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    loss: float = 0.0  # nats per token, a running mean
    hole_loss: float = 0.0  # the same for the tokens in holes


class Batches(Protocol):
    """A source of rows."""

    def batch(self, first: int, count: int) -> Sequence[Row]:
        """The rows from `first` on."""
        ...


class Trainer:
    """A model, its optimizers and their progress."""

    def __init__(self, config: TrainConfig, device: torch.device) -> None:
        torch.manual_seed(config.seed)
        self.config = config
        self.device = device
        self.model = build_model(config)
        torch.nn.Module.to(self.model, device)
        self._bf16 = uses_bf16(device)
        self._kernels = kernels(config.compile and device.type == "cpu")  # elsewhere transformers' modules compute
        self.optimizers = build_optimizers(self.model, config, self._bf16)
        self.progress = Progress()

    def step(self, rows: Batches) -> None:
        """One update from the next rows."""
        started = time.perf_counter()
        config = self.config
        loss, token_losses, kinds = self._losses(rows)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), config.clip)
        rate = config.learning_rate * schedule(self.fraction, config.warmup)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self._advance(token_losses, kinds, time.perf_counter() - started)

    def warm_up(self, rows: Batches) -> None:
        """Compute one step and discard it, so that compiling takes no time of the schedule."""
        self._losses(rows)[0].backward()
        self.model.zero_grad(set_to_none=True)

    def _losses(self, rows: Batches) -> tuple[Tensor, Tensor, Tensor]:
        """The loss of the next rows, each token's loss, and the tokens' kinds, (B, T - 1)."""
        batch = rows.batch(self.progress.step * self.config.batch_rows, self.config.batch_rows)
        ids = torch.tensor([row.ids for row in batch], device=self.device)  # (B, T)
        kinds = torch.tensor([row.kinds for row in batch], device=self.device)[:, 1:]
        hidden = self._hidden(ids[:, :-1], [row.starts for row in batch])  # (B, T - 1, C)
        loss, token_losses = _TiedCrossEntropy.apply(
            hidden.flatten(0, 1),
            self.model.lm_head.weight,
            ids[:, 1:].flatten(),
            self._weights(kinds),
            self._dtype,
            self._kernels,
        )
        return loss, token_losses, kinds

    def _weights(self, kinds: Tensor) -> Tensor:
        """The weight of each token's loss: (N,)."""
        kinds = kinds.flatten()
        return (kinds == CONTEXT) + self.config.hole_weight * (kinds == HOLE)

    def _hidden(self, ids: Tensor, starts: Sequence[Sequence[int]]) -> Tensor:
        """The hidden states of packed rows of isolated documents: (B, T, C)."""
        length = ids.shape[1]
        bounds = [first + row * length for row, firsts in enumerate(starts) for first in firsts if first < length]
        bounds.append(ids.numel())
        if self.device.type != "cpu":
            return self._by_transformers(ids, bounds)
        weights = dict(self.model.model.named_parameters())
        hidden = hidden_states(weights, self.config, ids.flatten(), bounds, self._dtype, self._kernels)
        return hidden.view(*ids.shape, -1)

    def _by_transformers(self, ids: Tensor, bounds: Sequence[int]) -> Tensor:
        """The same by transformers' modules, which mask documents by position; row by row, or masks would be quadratic in the batch."""
        positions = torch.cat([torch.arange(last - first) for first, last in pairwise(bounds)])
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self._bf16):
            output = self.model.model(input_ids=ids, position_ids=positions.view(ids.shape).to(self.device))
        return output.last_hidden_state

    @property
    def _dtype(self) -> torch.dtype:
        return torch.bfloat16 if self._bf16 else torch.float32

    def _advance(self, token_losses: Tensor, kinds: Tensor, seconds: float) -> None:
        before = self.progress
        kinds = kinds.flatten()
        loss = float(token_losses[kinds != PAD].mean())
        hole_loss = float(token_losses[kinds == HOLE].mean())
        if not math.isfinite(loss):
            raise FloatingPointError(f"the loss is {loss} at step {before.step}; lower learning_rate")
        keep = min(0.98, before.step / (before.step + 1))  # a plain mean at first, then a running one
        self.progress = Progress(
            before.step + 1,
            before.tokens + int((kinds != PAD).sum()),
            before.seconds + seconds,
            keep * before.loss + (1 - keep) * loss,
            keep * before.hole_loss + (1 - keep) * hole_loss,
        )

    @property
    def fraction(self) -> float:
        """The finished part of the run, from 0 to 1."""
        done = self.progress.step / self.config.steps
        if self.config.minutes > 0:
            done = max(done, self.progress.seconds / (60 * self.config.minutes))
        return min(1.0, done)

    def start_from(self, folder: Path) -> None:
        """Take the weights of a model's folder; raises ConfigError for a different shape."""
        tensors = load_file(folder / "model.safetensors", device=str(self.device))
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                given = tensors.get(name)
                if given is None or given.shape != parameter.shape:
                    raise ConfigError(
                        f"the weights in {folder} are not those of a model of the configured size ({name})"
                    )
                parameter.copy_(given)

    def save(self, path: Path) -> None:
        """Write weights, optimizer states and progress to one safetensors file, replaced in one move."""
        tensors = {f"model.{name}": value.contiguous() for name, value in self.model.named_parameters()}
        for index, optimizer in enumerate(self.optimizers):
            for number, values in optimizer.state_dict()["state"].items():
                for key, value in values.items():
                    tensors[f"optimizer.{index}.{number}.{key}"] = value.contiguous()
        temporary = path.with_suffix(".tmp")
        save_file(tensors, temporary, {"progress": json.dumps(vars(self.progress))})
        temporary.replace(path)

    def load(self, path: Path) -> None:
        """Resume from a state written by `save`."""
        states: list[dict[int, dict[str, Tensor]]] = [{} for _ in self.optimizers]
        parameters = dict(self.model.named_parameters())
        with safe_open(path, framework="pt", device=str(self.device)) as file, torch.no_grad():
            self.progress = replace(Progress(), **json.loads(file.metadata()["progress"]))
            for name in file.keys():  # noqa: SIM118 - the file is no dict
                kind, _, rest = name.partition(".")
                if kind == "model":
                    parameters[rest].copy_(file.get_tensor(name))
                else:
                    index, number, key = rest.split(".")
                    states[int(index)].setdefault(int(number), {})[key] = file.get_tensor(name)
        for optimizer, state in zip(self.optimizers, states, strict=True):
            optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


class _TiedCrossEntropy(torch.autograd.Function):
    """Weighted mean cross entropy of a linear head, computed with its gradients chunk by chunk.

    The logits of a whole batch would be the largest tensor of the run by far; here they never exist at once.
    """

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, targets: Tensor, weights: Tensor, dtype: torch.dtype, kernels: Kernels
    ) -> Any:
        weight_low = weight.detach().to(dtype)  # (V, C)
        hidden_low = hidden.detach().to(dtype)  # (N, C)
        total = weights.sum().clamp(min=1)
        hidden_grad = torch.empty_like(hidden_low)
        weight_grad = torch.zeros_like(weight)
        losses = torch.empty(len(targets), device=hidden.device)
        chunk = _CHUNK if hidden.device.type == "cpu" else _CHUNK_ON_GPU
        for start in range(0, len(targets), chunk):
            part = slice(start, start + chunk)
            logits = hidden_low[part] @ weight_low.T  # (n, V)
            losses[part], grad = kernels.cross_entropy(logits, targets[part], weights[part] / total)
            hidden_grad[part] = grad @ weight_low
            weight_grad += grad.T @ hidden_low[part]
        ctx.save_for_backward(hidden_grad.to(hidden.dtype), weight_grad)
        ctx.mark_non_differentiable(losses)
        return (losses * weights).sum() / total, losses

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        hidden_grad, weight_grad = ctx.saved_tensors
        return hidden_grad * gradients[0], weight_grad * gradients[0], None, None, None, None


def build_model(config: TrainConfig) -> LlamaForCausalLM:
    """A Llama model with random weights and tied embeddings."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.hidden_size,
            intermediate_size=config.intermediate_size,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            num_key_value_heads=config.kv_heads,
            max_position_embeddings=config.context,
            rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
            rms_norm_eps=NORM_EPSILON,
            tie_word_embeddings=True,
            use_cache=False,
            bos_token_id=END_ID,
            eos_token_id=END_ID,
            pad_token_id=PAD_ID,
        )
    )


def build_optimizers(model: LlamaForCausalLM, config: TrainConfig, bf16: bool) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the layers and AdamW for the rest, or AdamW for everything; `bf16`: whether products in it are fast."""
    matrices = [value for name, value in model.named_parameters() if value.ndim == 2 and ".layers." in name]
    taken = set(matrices)
    embeddings = [value for value in model.parameters() if value.ndim == 2 and value not in taken]
    vectors = [value for value in model.parameters() if value.ndim < 2]
    if config.optimizer == "adamw":
        embeddings, matrices = embeddings + matrices, []
    groups = [{"params": embeddings, "weight_decay": config.weight_decay}, {"params": vectors, "weight_decay": 0.0}]
    adamw = torch.optim.AdamW(groups, lr=config.learning_rate, betas=(0.9, 0.95), eps=1e-10, fused=True)
    if not matrices:
        return [adamw]
    dtype = torch.bfloat16 if bf16 else torch.float32
    return [adamw, Muon(matrices, config.learning_rate, config.weight_decay, dtype)]


def schedule(fraction: float, warmup: float) -> float:
    """The learning rate's factor: a linear rise, then linearly to zero at the end of the run."""
    if fraction < warmup:
        return max(0.02, fraction / warmup)
    return (1 - fraction) / (1 - warmup)


def pick_device(name: str) -> torch.device:
    """The device of a name; `auto` prefers a CUDA device."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def uses_bf16(device: torch.device) -> bool:
    """Whether products in bf16 are faster than in fp32: on CUDA where they are supported, on a CPU as tried."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return faster_in_bfloat16()


def keep_memory() -> None:
    """Tell glibc to keep freed memory; without this a CPU run spends most of its time in page faults."""
    if sys.platform != "linux":
        return
    try:
        libc = ctypes.CDLL(None)
        trim_threshold, top_pad, mmap_max = -1, -2, -4
        libc.mallopt(mmap_max, 0)
        libc.mallopt(trim_threshold, -1)
        libc.mallopt(top_pad, 256 << 20)
    except (OSError, AttributeError):
        pass  # another C library: only slower


def fit(
    trainer: Trainer, rows: Batches, say: Callable[[str], None], on_minute: Callable[[str], None] = lambda _: None
) -> None:
    """Train to the end of the schedule; `on_minute` is called with "checkpoint" or "export" when one is due."""
    config = trainer.config
    start = trainer.progress
    saved = exported = start.seconds
    if trainer.fraction < 1:
        trainer.warm_up(rows)
    while trainer.fraction < 1:
        trainer.step(rows)
        now = trainer.progress
        if now.step % config.log_every == 0 or trainer.fraction >= 1:
            speed = (now.tokens - start.tokens) / max(1e-9, now.seconds - start.seconds)
            say(
                f"step {now.step:6d}  {trainer.fraction:6.1%}  loss {now.loss:.4f}  in holes {now.hole_loss:.4f}  "
                f"{now.tokens / 1e6:8.2f} M tokens  {speed:8,.0f} tokens/s  {now.seconds / 60:6.1f} min"
            )
        if config.checkpoint_minutes > 0 and now.seconds - saved >= 60 * config.checkpoint_minutes:
            saved = now.seconds
            on_minute("checkpoint")
        if config.export_minutes > 0 and now.seconds - exported >= 60 * config.export_minutes:
            exported = now.seconds
            on_minute("export")
