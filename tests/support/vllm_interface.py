"""vLLM's interface to a logits processor, without vLLM: the base classes, and the arguments of the calls.

As read in vLLM 0.32 and 0.33: `vllm/v1/sample/logits_processor/interface.py` (V1) and
`vllm/v1/worker/gpu/sample/logits_processor/interface.py` (V2). tests/vllm runs the processor in the real one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer


class V1LogitsProcessor(ABC):
    """The base class for the V1 model runner, constructed with (config, device, is_pin_memory)."""

    @classmethod  # noqa: B027
    def validate_params(cls, sampling_params: Any) -> None:
        """Raise ValueError where parameters are wrong."""

    @abstractmethod
    def __init__(self, vllm_config: Any, device: Any, is_pin_memory: bool) -> None: ...

    @abstractmethod
    def apply(self, logits: Any) -> Any: ...

    @abstractmethod
    def is_argmax_invariant(self) -> bool: ...

    @abstractmethod
    def update_state(self, batch_update: Any) -> None: ...


class V2LogitsProcessor(ABC):
    """The base class for Model Runner V2, constructed with (config, state of the requests)."""

    def __init__(self, vllm_config: Any, req_states: Any) -> None:  # noqa: B027
        """Keep the needed parts."""

    @classmethod  # noqa: B027
    def validate_params(cls, sampling_params: Any) -> None:
        """Raise ValueError where parameters are wrong."""

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        return True

    def apply_staged_writes(self) -> None:  # noqa: B027
        """Prepare, before the model runs."""

    @abstractmethod
    def apply(self, logits: Any, ctx: Any) -> Any: ...


class MoveDirectionality(Enum):
    """The kind of a request's move between rows (V1)."""

    UNIDIRECTIONAL = auto()
    SWAP = auto()


@dataclass(frozen=True)
class BatchUpdate:
    """The changes of the batch before a step (V1)."""

    batch_size: int
    removed: Sequence[int] = ()
    added: Sequence[tuple[int, Any, list[int] | None, list[int]]] = ()
    moved: Sequence[tuple[int, int, MoveDirectionality]] = ()


@dataclass
class SamplingParams:
    """The used part of a request's parameters."""

    extra_args: dict[str, Any] | None = None
    all_stop_token_ids: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class LogitsContext:
    """A step's batch (V2): a row for each request and each token drafted behind it."""

    expanded_idx_mapping: torch.Tensor
    idx_mapping: torch.Tensor
    idx_mapping_np: np.ndarray
    expanded_local_pos: torch.Tensor
    input_ids: torch.Tensor
    pos: torch.Tensor
    seq_lens_upper_bound_np: np.ndarray


class Requests:
    """The tokens of all slots (V2)."""

    def __init__(self, slots: int, length: int) -> None:
        self.all_token_ids = SimpleNamespace(gpu=torch.zeros((slots, length), dtype=torch.int32))
        self.prompt_len = SimpleNamespace(np=np.zeros(slots, dtype=np.int32))

    def begin(self, slot: int, prompt: Sequence[int]) -> None:
        """Put a request into a slot."""
        self.prompt_len.np[slot] = len(prompt)
        self.append(slot, 0, prompt)

    def append(self, slot: int, at: int, ids: Sequence[int]) -> None:
        """Set tokens at a place of a slot."""
        self.all_token_ids.gpu[slot, at : at + len(ids)] = torch.tensor(ids, dtype=torch.int32)


def config(tokenizer: Tokenizer, size: int, end: int) -> Any:
    """vLLM's configuration, with the tokenizer for the fake of its registry to return."""
    model = SimpleNamespace(
        tokenizer_object=SimpleNamespace(backend_tokenizer=tokenizer, eos_token_id=end),
        hf_config=SimpleNamespace(eos_token_id=end),
        try_get_generation_config=lambda: {"eos_token_id": [end]},
        get_vocab_size=lambda: size,
    )
    return SimpleNamespace(model_config=model)


def modules() -> dict[str, ModuleType]:
    """These by vLLM's names, for `sys.modules`."""
    contents: dict[str, dict[str, Any]] = {
        "vllm.v1.sample.logits_processor": {"LogitsProcessor": V1LogitsProcessor},
        "vllm.v1.worker.gpu.sample.logits_processor.interface": {"LogitsProcessor": V2LogitsProcessor},
        "vllm.tokenizers.registry": {"cached_tokenizer_from_config": lambda model: model.tokenizer_object},
    }
    found: dict[str, ModuleType] = {}
    for name, values in contents.items():
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            parent = ".".join(parts[:end])
            module = found.setdefault(parent, ModuleType(parent))
            module.__spec__ = ModuleSpec(parent, None, is_package=True)
        vars(found[name]).update(values)
    return found
