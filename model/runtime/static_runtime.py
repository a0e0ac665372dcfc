"""A model of `transformers` over a cache of fixed size; on a GPU its passes are CUDA graphs.

An eager pass launches some dozen kernels for each layer, one after another, and a GPU waits for most of them; a graph launches all of them at
once. A graph computes a fixed number of tokens over one window of the cache, always at the same addresses. So the number of tokens is rounded
up (`ROWS`), and their positions are an input like the tokens themselves: going back in the sequence needs no setting. The surplus tokens are
written behind the others, which do not see them, and are overwritten by the next ones.

Without a GPU the same code computes eagerly, as in its tests.
"""

# The types of transformers are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from transformers.cache_utils import Cache, StaticLayer

from .torch_runtime import TorchRuntime

ROWS = (1, 2, 4, 8, 16, 64, 256)
"""Numbers of tokens computed at once; a prompt is read in pieces of the last one."""
_ALL_LOGITS = 16  # the most tokens with logits after each of them, not only after one
_WINDOWS = (1024, 2048)  # tokens: a pass sees no more while the sequence is shorter, else the whole cache
_ALIGNED = 64  # tokens: fused attention wants rows of masks aligned


class StaticRuntime(TorchRuntime):
    """A `transformers` model in evaluation mode, with a cache for `limit` tokens."""

    _most_aside = 2  # each at most as long as the window

    def __init__(self, module: Any, *, limit: int, size: int) -> None:
        super().__init__(module, limit=limit, size=size)
        self._place = _Place(torch.arange(1, device=module.device), 1)
        capacity = -(-limit // _ALIGNED) * _ALIGNED
        layers = module.config.get_text_config(decoder=True).num_hidden_layers
        self._cache = Cache(layers=[_Layer(capacity, self._place) for _ in range(layers)])
        self._windows = [*(window for window in _WINDOWS if window < capacity), capacity]
        self._graphs: dict[tuple[int, int], _Graph] = {}
        with torch.inference_mode():
            self._compute(Pass(packed_inputs([0], 0, 1).to(module.device)), capacity)  # make the cache's tensors
            if self._device == "cuda":
                self._capture()

    def _unread(self, ids: Sequence[int]) -> Sequence[int]:
        with torch.inference_mode():
            return super()._unread(ids)

    def _copied(self) -> list[torch.Tensor]:
        """Of each layer the keys, then the values: (1, heads, tokens, width)."""
        length = len(self._sequence)
        return [tensor[:, :, :length].clone() for layer in self._layers for tensor in layer]

    def _take(self, copied: list[torch.Tensor], length: int) -> None:
        for tensor, other in zip((tensor for layer in self._layers for tensor in layer), copied, strict=True):
            tensor[:, :, :length] = other[:, :, :length]

    @property
    def _layers(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        return [(layer.keys, layer.values) for layer in self._cache.layers if isinstance(layer, _Layer)]

    def _logits(self, ids: Sequence[int], keep: int) -> torch.Tensor:
        logits: list[torch.Tensor] = []
        begin = len(self._sequence)
        for piece in _pieces(ids, keep):
            # Copied at once: the next graph computes in the same memory.
            logits.append(self._read(piece, begin)[: len(piece)].clone())
            begin += len(piece)
        return torch.cat(logits)[-keep:]

    def _read(self, ids: Sequence[int], begin: int) -> torch.Tensor:
        """Write tokens behind the first `begin` ones; the result of `_compute` for them."""
        count = next(rows for rows in ROWS if rows >= len(ids))
        if begin + count > self._limit:
            count = len(ids)
        window = next(window for window in self._windows if window >= begin + count)
        packed = packed_inputs(ids, begin, count)
        graph = self._graphs.get((count, window))
        if graph is None:
            return self._compute(Pass(packed.to(self._module.device)), window)
        graph.given.packed.copy_(packed)
        graph.graph.replay()
        return graph.logits

    def _compute(self, given: "Pass", window: int) -> torch.Tensor:
        """The logits of a pass: for few tokens those after each, for many those after the last one, (n, size)."""
        self._place.positions, self._place.window = given.positions, window
        count = len(given.positions)
        return self._module(
            input_ids=given.ids[None],
            position_ids=given.positions[None],
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=0 if count <= _ALL_LOGITS else given.last,
        ).logits[0]

    def _capture(self) -> None:
        """Capture the graphs; they share their memory, since one runs at a time and its logits are copied before the next."""
        stream, pool = torch.cuda.Stream(), torch.cuda.graph_pool_handle()
        stream.wait_stream(torch.cuda.current_stream())
        for count in sorted(ROWS, reverse=True):
            for window in self._windows:
                if count > self._limit:
                    continue
                given = Pass(packed_inputs([0], 0, count).to(self._module.device))
                with torch.cuda.stream(stream):
                    self._compute(given, window)  # libraries set themselves up in the first call
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph, pool=pool, stream=stream, capture_error_mode="thread_local"):
                    logits = self._compute(given, window)
                self._graphs[count, window] = _Graph(graph, given, logits)
        torch.cuda.current_stream().wait_stream(stream)

    def _forget(self, length: int) -> None:
        """Tokens behind the sequence are ignored."""


@dataclass(slots=True)
class _Place:
    """The positions the current pass writes to, and its window."""

    positions: torch.Tensor  # (n,)
    window: int


def packed_inputs(ids: Sequence[int], begin: int, count: int) -> torch.Tensor:
    """The inputs of a pass in one tensor, for a single copy to the device; the last token is repeated up to `count`."""
    return torch.tensor([*ids, *[ids[-1]] * (count - len(ids)), *range(begin, begin + count), len(ids) - 1])


@dataclass(frozen=True, slots=True)
class Pass:
    """The inputs of a pass on the device: n tokens, their positions, the row of the last real token."""

    packed: torch.Tensor  # (2 n + 1,)

    @property
    def ids(self) -> torch.Tensor:
        return self.packed[: len(self.packed) // 2]

    @property
    def positions(self) -> torch.Tensor:
        return self.packed[len(self.packed) // 2 : -1]

    @property
    def last(self) -> torch.Tensor:
        return self.packed[-1:]


@dataclass(frozen=True, slots=True)
class _Graph:
    """A captured pass with its inputs and logits."""

    graph: torch.cuda.CUDAGraph
    given: Pass
    logits: torch.Tensor


class _Layer(StaticLayer):
    """The keys and values of a layer, written at the pass's positions."""

    keys: torch.Tensor
    values: torch.Tensor

    def __init__(self, capacity: int, place: _Place) -> None:
        super().__init__(capacity)
        self._place = place

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Make the tensors, shaped like the first ones written."""
        self.dtype, self.device = key_states.dtype, key_states.device
        self.keys, self.values = (
            states.new_zeros((*states.shape[:2], self.max_cache_len, states.shape[3]))
            for states in (key_states, value_states)
        )
        self.is_initialized = True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write new keys and values; return all in the window."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        place = self._place
        self.keys.index_copy_(2, place.positions, key_states)
        self.values.index_copy_(2, place.positions, value_states)
        return self.keys[:, :, : place.window], self.values[:, :, : place.window]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """The number of keys a pass sees, and the position of the first."""
        return self._place.window, 0

    def get_seq_length(self) -> Any:
        """The position of the first new token, on the device, readable by a graph."""
        return self._place.positions[0]


def _pieces(ids: Sequence[int], keep: int) -> list[Sequence[int]]:
    """The tokens of each pass: many if only the logits after the last one are wanted, few if those after each are."""
    unwanted = len(ids) - (keep if keep > 1 else 0)
    cuts = [*range(0, unwanted, ROWS[-1]), *range(unwanted, len(ids), _ALL_LOGITS), len(ids)]
    return [ids[begin:end] for begin, end in pairwise(cuts)]
