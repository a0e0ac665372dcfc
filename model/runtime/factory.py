"""The choice of a runtime for a folder of weights: the device, the number type, the threads."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..loading.weights import weight_files
from . import transformers_runtime
from .torch_runtime import TorchRuntime, multiplies_bfloat16, torch

_MOST_THREADS = 8  # a step is bound by memory: more would only wait for each other
_SMALL_BYTES = 200_000_000  # products with larger weights are in bfloat16, if the CPU has instructions for it
_LARGE_BYTES = 3_000_000_000  # larger weights on the CPU are not widened to float32


def start(
    folder: Path, config: Mapping[str, Any], *, size: int, limit: int, device: str, dtype: str, threads: int | None
) -> tuple[TorchRuntime, str]:
    """Load the weights of `folder` onto a device; the runtime and a line describing it."""
    chosen = choose_device(device)
    number_type = choose_dtype(dtype, chosen, folder, config)
    if chosen == "cpu":
        use_threads(threads)

    return transformers_runtime.load(folder, config, limit=limit, size=size, device=chosen, dtype=number_type)


def choose_device(device: str) -> str:
    """The device to use, if present."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    kind = device.partition(":")[0]
    there = {"cpu": lambda: True, "cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available}
    if not there[kind]():
        raise ModelError(f"this machine has no {kind} device that torch can use: use --device auto")
    return device


def choose_dtype(dtype: str, device: str, folder: Path, config: Mapping[str, Any]) -> torch.dtype | str:
    """The number type: as given, or the device's fastest; "auto" (as stored) for quantised and for large weights."""
    types = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if dtype in types:
        return types[dtype]
    if dtype != "auto":
        raise ModelError(f"there is no number type {dtype!r}: use auto, {', '.join(types)}")
    if config.get("quantization_config"):
        return "auto"
    if device.startswith("cuda"):
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    if device.startswith("mps"):
        return torch.float16
    stored = sum((folder / name).stat().st_size for name in weight_files(folder))
    if stored > _SMALL_BYTES and multiplies_bfloat16():
        return torch.bfloat16  # prompts are read four times faster, with half the memory
    return "auto" if stored > _LARGE_BYTES else torch.float32


def use_threads(count: int | None = None) -> None:
    """Set the number of cores for a model on the CPU: as given, or those available to this process, up to a bound."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    torch.set_num_threads(max(1, count or min(available, _MOST_THREADS)))
