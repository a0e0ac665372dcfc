"""Any causal model of `transformers`, behind the runtime interface."""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .errors import ModelError
from .runtime import common_prefix


class TorchRuntime:
    """A `transformers` model in evaluation mode, with a dynamic cache."""

    def __init__(self, module: Any, *, limit: int, size: int) -> None:
        self._module = module.eval()
        self._device = module.device
        self._limit = limit
        self._size = size
        self._sequence: list[int] = []
        self._cache: Any = None

    @property
    def device(self) -> str:
        """Where it runs: "cpu", "cuda" or "mps"."""
        return self._device.type

    @property
    def limit(self) -> int:
        return self._limit

    @property
    def size(self) -> int:
        return self._size

    @property
    def length(self) -> int:
        return len(self._sequence)

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        # The last token is always computed, since its logits are not kept.
        shared = min(common_prefix(self._sequence, ids), len(ids) - 1)
        self.crop(shared)
        return self._forward(ids[shared:], 1)[0]

    def step(self, token: int) -> np.ndarray:
        return self._forward((token,), 1)[0]

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        return self._forward(ids, len(ids))

    def crop(self, length: int) -> None:
        if length >= len(self._sequence):
            return
        if length:
            self._cache.crop(length - len(self._sequence))  # negative: how many to remove
        else:
            self._cache = None
        del self._sequence[length:]

    def _forward(self, ids: Sequence[int], keep: int) -> np.ndarray:
        if len(self._sequence) + len(ids) > self._limit:
            raise ModelError(f"the prompt is longer than the model's {self._limit} tokens: ask for less context")
        if self._cache is None:
            self._cache = _new_cache()
        try:
            with torch.inference_mode():
                given = torch.tensor([list(ids)], device=self._device)
                out = self._module(input_ids=given, past_key_values=self._cache, use_cache=True, logits_to_keep=keep)
                logits = out.logits[0, -keep:].float().cpu().numpy()
        except BaseException as error:
            self._cache, self._sequence = None, []  # half a step may be in it
            if isinstance(error, torch.OutOfMemoryError):
                raise ModelError("the device is out of memory: use a smaller model, or --device cpu") from error
            raise
        self._sequence += ids
        return logits if logits.flags.writeable else logits.copy()


def _new_cache() -> Any:
    from transformers.cache_utils import DynamicCache

    # Without a config every layer keeps all of its past, so that it can be cropped; sliding windows are in the mask.
    return DynamicCache()


def use_threads(count: int | None = None) -> None:
    """Set how many cores a model on the CPU uses: given, or those that this process may run on, up to 8.

    A step of a small model is bound by memory; more threads than that only wait for each other.
    """
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    torch.set_num_threads(max(1, count or min(available, 8)))


def start(
    folder: Path, config: Mapping[str, Any], *, size: int, limit: int, device: str, dtype: str, threads: int | None
) -> tuple["TorchRuntime", str]:
    """Load the weights of `folder` onto a device; the runtime and a line that describes it."""
    chosen = choose_device(device)
    number_type = choose_dtype(dtype, chosen, config)
    if chosen == "cpu":
        use_threads(threads)
    module = _module(folder, config, chosen, number_type)
    runtime = TorchRuntime(module, limit=limit, size=size)
    count = sum(parameter.numel() for parameter in module.parameters())
    return runtime, f"{config.get('model_type')}, {count / 1e6:.0f} M parameters, {chosen}, {str(module.dtype)[6:]}"


def choose_device(device: str) -> str:
    """The device to use, when it is there."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    kind = device.partition(":")[0]
    there = {"cpu": lambda: True, "cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available}
    if kind not in there:
        raise ModelError(f"there is no device {device!r}: use auto, cuda, mps or cpu")
    if not there[kind]():
        raise ModelError(f"this machine has no {kind} device that torch can use: use --device auto")
    return device


def choose_dtype(dtype: str, device: str, config: Mapping[str, Any]) -> torch.dtype | str:
    """The number type: as said, or what the device is fast in; quantised weights keep theirs."""
    known = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if dtype in known:
        return known[dtype]
    if dtype != "auto":
        raise ModelError(f"there is no number type {dtype!r}: use auto, {', '.join(known)}")
    if config.get("quantization_config"):
        return "auto"
    if device.startswith("cuda"):
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    return torch.float16 if device == "mps" else torch.float32


def _module(folder: Path, config: Mapping[str, Any], device: str, dtype: torch.dtype | str) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    from transformers.utils import logging

    kind = config.get("model_type")
    if kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        if "auto_map" in config:
            raise ModelError(f"{kind} needs code from its own repository, which is never run: use another model")
        raise ModelError(f"{kind} is no causal language model that transformers knows: use another model, or update it")
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            module, report = AutoModelForCausalLM.from_pretrained(
                folder,
                config=parsed,
                dtype=dtype,
                use_safetensors=True,
                trust_remote_code=False,
                local_files_only=True,
                output_loading_info=True,
            )
            missing = sorted(report["missing_keys"])
            if missing:
                raise ModelError(f"its weights lack {len(missing)} tensors ({missing[0]}, ...): download it again")
            return module.to(device)
    except torch.OutOfMemoryError as error:
        raise ModelError(f"{device} has not enough memory for it: use a smaller model, or --device cpu") from error
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, TypeError, AttributeError) as error:
        if isinstance(error, ModelError):
            raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise ModelError(f"its weights do not fit its config.json ({reason}): download it again") from error
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
