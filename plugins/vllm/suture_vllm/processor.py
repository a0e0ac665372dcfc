"""The logits processor, for both model runners of vLLM.

vLLM uses Model Runner V2 with Triton, so on GPUs, and falls back to V1 on most CPUs. They call a processor in different ways; one class
answers both, so one flag serves: `--logits-processors suture_vllm.processor:SutureLogitsProcessor`.

    V1: __init__(config, device, is_pin_memory)   update_state(batch_update)      apply(logits)
    V2: __init__(config, requests)                add_request(slot, parameters)   apply(logits, context)

Everything runs in vLLM's own thread and is decided by the tokens alone, never by time: with tensor parallelism each worker samples for
itself, and all have to constrain a request alike.
"""

# vLLM is in an environment of its own.
# pyright: reportMissingImports=false

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from vllm.v1.sample.logits_processor import LogitsProcessor as V1LogitsProcessor
from vllm.v1.worker.gpu.sample.logits_processor.interface import LogitsProcessor as V2LogitsProcessor

from . import arguments
from .followed import Followed, Follower
from .held import Held
from .isolation import Isolation

if TYPE_CHECKING:
    import torch

LANGUAGES = "SUTURE_VLLM_LANGUAGES"
"""The environment variable with the languages to prepare before the first request, separated by commas."""


class SutureLogitsProcessor(V2LogitsProcessor, V1LogitsProcessor):
    """Constrains the requests with the argument; see `arguments`."""

    def __init__(self, vllm_config: Any, *runner: Any) -> None:
        """`runner`: the model runner's further arguments. V2 gives its requests; V1 a device, and whether memory is pinned."""
        self._follower = _new_follower(vllm_config)
        self._requests = runner[0] if len(runner) == 1 else None
        self._held: dict[int, Held] = {}  # by row (V1) or slot (V2)
        self._isolation = Isolation()

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """Raise ValueError for a wrong argument: its client gets an answer with status 400."""
        arguments.check(sampling_params)

    def is_argmax_invariant(self) -> bool:
        """V1: the best token may change."""
        return False

    def update_state(self, batch_update: Any) -> None:
        """V1: admit requests, release them, and follow those that change rows."""
        if batch_update is None:
            return
        for row in batch_update.removed:
            self._held.pop(row, None)
        for row, params, _, output in batch_update.added:
            self._put(row, self._taken(params, output))
        for one, other, direction in batch_update.moved:
            first, second = self._held.pop(one, None), self._held.pop(other, None)
            self._put(other, first)
            if direction.name == "SWAP":
                self._put(one, second)

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        """V2: admit a request; whether it is constrained."""
        held = self._taken(sampling_params)
        self._put(req_idx, held)
        return held is not None

    def apply(self, logits: torch.Tensor, ctx: Any = None) -> torch.Tensor:
        """Set refused tokens to minus infinity, in place. `logits`: (rows, vocabulary)."""
        if self._held:
            self._isolation.call(lambda: self._hold(logits, ctx))
        return logits

    def _put(self, index: int, held: Held | None) -> None:
        """Replace the request at an index."""
        if held is not None:
            self._held[index] = held
        else:
            self._held.pop(index, None)

    def _taken(self, params: Any, output: Sequence[int] | None = None) -> Held | None:
        asked = self._isolation.call(lambda: arguments.read(params))
        if asked is None:
            return None
        start = self._isolation.call(lambda: self._follower.begin(asked, params.all_stop_token_ids))
        return None if start is None else Held(self._follower, start, output)

    def _hold(self, logits: torch.Tensor, ctx: Any) -> None:
        from .logits import hold

        rows: list[int] = []
        masks: list[np.ndarray] = []
        followed = self._by_row() if self._requests is None else self._by_slot(ctx)
        for row, at in followed.items():
            mask = self._isolation.call(partial(self._follower.bitmask, at))
            if mask is not None:
                rows.append(row)
                masks.append(mask)
        hold(logits, rows, masks, self._follower.size)

    def _by_row(self) -> dict[int, Followed]:
        """V1: each request has a row."""
        found = {row: self._isolation.call(held.take_output) for row, held in self._held.items()}
        return {row: at for row, at in found.items() if at is not None}

    def _by_slot(self, ctx: Any) -> dict[int, Followed]:
        """V2: each request has a row, and with speculative decoding one more for each token drafted behind it."""
        found: dict[int, Followed] = {}
        if not any(int(slot) in self._held for slot in ctx.idx_mapping_np):
            return found
        latest: dict[int, Followed | None] = {}
        for row, (slot, token, place, drafted) in enumerate(_on_host(ctx)):
            held = self._held.get(slot)
            if held is None:
                continue
            before = latest.get(slot)
            if drafted == 0:
                at = self._isolation.call(partial(self._caught_up, slot, held, place, token))
            else:
                at = None if before is None else self._follower.after(before, token)
            latest[slot] = at
            if at is not None:
                found[row] = at
        return found

    def _caught_up(self, slot: int, held: Held, place: int, token: int) -> Followed | None:
        """V2: a request behind the token at a place of its sequence; None within its prompt."""
        assert self._requests is not None
        begin = int(self._requests.prompt_len.np[slot])
        written = place + 1 - begin
        if written < 0:  # tokens sampled after a part of a prompt do not count
            return None
        if written < held.read:
            held.restart()
        if written == held.read + 1:
            return held.take([token])
        # After a pause, or if several drafted tokens were right.
        return held.take(self._requests.all_token_ids.gpu[slot, begin + held.read : begin + written].tolist())


def _on_host(ctx: Any) -> list[list[int]]:
    """V2: of each row its slot, the token before it, that token's place in the sequence, and the number of drafted tokens before it.

    All at once, since each of them would wait for the device.
    """
    import torch

    columns = (ctx.expanded_idx_mapping, ctx.input_ids, ctx.pos, ctx.expanded_local_pos)
    return torch.stack([column.long() for column in columns], dim=1).tolist()


def _new_follower(vllm_config: Any) -> Follower:
    from vllm.tokenizers.registry import cached_tokenizer_from_config

    from .vocabulary import ends_of, spellings_of

    config = vllm_config.model_config
    tokenizer = cached_tokenizer_from_config(config)
    follower = Follower(spellings_of(tokenizer), config.get_vocab_size(), ends_of(config, tokenizer))
    follower.prepare(name.strip() for name in os.environ.get(LANGUAGES, "python").split(",") if name.strip())
    return follower
