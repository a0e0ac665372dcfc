"""Any causal model of `transformers`, behind the runtime interface."""

# The types of transformers are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportPrivateUsage=false

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..errors import ModelError, OutOfMemory, first_line
from .torch_runtime import TorchRuntime, describe, row_bucket

_MANY = 16  # new tokens, from which on their number is rounded up, see `row_bucket`
# Of the logits' standard deviation: rounding in 16 bits makes 0.01 to 0.04 in 6 to 24 layers, one token too many 0.3 to 0.9.
_SAME_IN_16_BITS, _SAME = 0.1, 0.001


class HfRuntime(TorchRuntime):
    """A `transformers` model in evaluation mode, with a dynamic cache."""

    def __init__(self, module: Any, *, limit: int, size: int) -> None:
        super().__init__(module, limit=limit, size=size)
        self._recurrent = _is_recurrent(module)
        self._rounded = self._device == "cpu" and module.dtype.itemsize == 2 and not self._recurrent
        self._cache: Any = None

    def _logits(self, ids: Sequence[int], keep: int) -> torch.Tensor:
        if self._cache is None:
            self._cache = self._new_cache()
        new, total = len(ids), len(self._sequence) + len(ids)
        surplus = row_bucket(new) - new if self._rounded and new >= _MANY else 0
        if total + surplus > self._limit:
            surplus = 0
        given = torch.tensor([[*ids, *[ids[0]] * surplus]], device=self._module.device)  # later tokens change nothing
        kept = torch.arange(new - keep, new, device=given.device) if surplus else keep
        out = self._module(input_ids=given, past_key_values=self._cache, use_cache=True, logits_to_keep=kept)
        if surplus:
            self._cache.crop(-surplus)
        return out.logits[0, -keep:].clone()

    def _forget(self, length: int) -> None:
        if length == 0:
            self._cache = None
        elif self._recurrent:  # a state cannot give up tokens it has read: read the beginning again
            self._cache = None
            with torch.inference_mode():
                self._logits(self._sequence[:length], 1)
        else:
            self._cache.crop(length - len(self._sequence))  # negative: the number to remove

    def _new_cache(self) -> Any:
        from transformers.cache_utils import DynamicCache

        # Without a config every layer keeps all of its past, for cropping; sliding windows are in the mask.
        return DynamicCache(config=self._module.config) if self._recurrent else DynamicCache()


def _is_recurrent(module: Any) -> bool:
    """Whether some layers keep a state instead of their past: Mamba, linear attention (Granite 4's hybrids)."""
    kinds = getattr(module.config, "layer_types", None) or getattr(module.config, "layers_block_type", None) or ()
    stateful = any("attention" not in kind or kind.startswith("linear") for kind in kinds)
    return stateful or bool(getattr(module, "_is_stateful", False))


def runtime_of(module: Any, *, limit: int, size: int) -> TorchRuntime:
    """The runtime of a module: with CUDA graphs if there is a GPU for them and the architecture allows it."""
    eager = HfRuntime(module, limit=limit, size=size)
    fixed = getattr(module, "_can_compile_fullgraph", False) and not _is_recurrent(module)
    if not (_has_graphs(module.device) and fixed):
        return eager
    from .static_runtime import StaticRuntime

    try:
        static = StaticRuntime(module, limit=limit, size=size)
        return static if _agree(static, eager, _SAME_IN_16_BITS if module.dtype.itemsize == 2 else _SAME) else eager
    except (torch.OutOfMemoryError, OutOfMemory):
        raise
    except (RuntimeError, TypeError, ValueError, AttributeError):  # an architecture unfit for a graph
        return eager


def _has_graphs(device: torch.device) -> bool:
    """Whether a device replays graphs; without them a fixed cache is no faster on a CPU (0.95 to 1.5 times a growing one's time, untried on mps)."""
    return device.type == "cuda"


def _agree(first: TorchRuntime, other: TorchRuntime, most: float) -> bool:
    """Whether two runtimes compute the same for a short sequence, up to a share of the logits' deviation; leaves both empty."""
    ids = [token % first.size for token in range(7, 7 + 45 * 11, 11)]
    read: list[np.ndarray] = []
    for runtime in (first, other):
        read.append(np.stack([runtime.prefill(ids[:40]), *runtime.rows(ids[40:45])]))
        runtime.crop(0)
    return bool((read[0] - read[1]).std() < most * read[1].std())


def load(
    folder: Path, config: Mapping[str, Any], *, limit: int, size: int, device: str, dtype: torch.dtype | str
) -> tuple[TorchRuntime, str]:
    """The model of `folder`, with its config.json as `config`, on `device`; and a line describing it."""
    module = _module(folder, config, device, dtype)
    count = sum(parameter.numel() for parameter in module.parameters())
    try:
        runtime = runtime_of(module, limit=limit, size=size)
    except torch.OutOfMemoryError as error:
        raise OutOfMemory(f"{device} has no memory for it and its cache: use a smaller model") from error
    graphs = "" if isinstance(runtime, HfRuntime) else ", with graphs"
    return runtime, describe(str(config.get("model_type")), count, runtime.device, module.dtype) + graphs


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
            # A name with a slash would be a kernel from the hub: code. Transformers itself chooses the model's kernel.
            parsed._attn_implementation = None
            parsed._experts_implementation = None
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                folder,
                config=parsed,
                dtype=dtype,
                use_safetensors=True,
                trust_remote_code=False,
                local_files_only=True,
                output_loading_info=True,
            )
            module, report = loaded
            missing = sorted(report["missing_keys"])
            if missing:
                raise ModelError(f"its weights lack {len(missing)} tensors (such as {missing[0]}): download it again")
            return module.to(device)
    except ModelError:
        raise
    except torch.OutOfMemoryError as error:
        raise OutOfMemory(f"{device} has not enough memory for it: use a smaller model, or --device cpu") from error
    except Exception as error:  # whatever the library raises for a damaged config or file
        raise ModelError(f"its weights do not fit its config.json ({first_line(error)}): download it again") from error
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
