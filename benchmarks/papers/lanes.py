"""Many jobs at once on a CPU: a batched step of several sequences reads the weights only once, most of its cost.

Each lane is a runtime with a KV cache of its own. Lanes run in threads, one at a time, since a language's engine belongs to one thread; a
thread in need of a step waits until all others need one, too, and then all steps are made together. Times measured meanwhile are meaningless.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from suture import model
from suture.model.cache_lm.mixture import CopyingRuntime
from suture.model.runtime.blas import on_one_thread
from suture.model.runtime.llama import LlamaRuntime, normed


class Lane(LlamaRuntime):
    """A sequence with single steps batched with those of the other lanes."""

    turns: Turns

    @classmethod
    def beside(cls, runtime: LlamaRuntime, turns: Turns) -> Lane:
        """A lane with the weights of a runtime."""
        lane = copy.copy(runtime)
        lane.__class__ = cls
        assert isinstance(lane, Lane)
        lane._sequence, lane.turns = [], turns
        lane._reserve(runtime._cache.shape[3])
        return lane

    def step(self, token: int) -> np.ndarray:
        if len(self._sequence) >= self._limit:
            return super().step(token)
        return self.turns.step(self, token)


@dataclass
class Turns:
    """The turns of the lanes: the working one, and those waiting for a step."""

    active: int
    turn: threading.Condition = field(default_factory=threading.Condition)
    _waiting: dict[Lane, int] = field(default_factory=dict)
    _ready: dict[Lane, np.ndarray] = field(default_factory=dict)

    def step(self, lane: Lane, token: int) -> np.ndarray:
        """The logits after a token; the caller holds the turn."""
        self._waiting[lane] = token
        self._flush_if_all_wait()
        self.turn.wait_for(lambda: lane in self._ready)
        return self._ready.pop(lane)

    def leave(self) -> None:
        """Leave for good; the caller holds the turn."""
        self.active -= 1
        self._flush_if_all_wait()

    def _flush_if_all_wait(self) -> None:
        if self._waiting and len(self._waiting) >= self.active:
            lanes = list(self._waiting)
            with on_one_thread(), np.errstate(over="ignore"):
                rows = _together(lanes, [self._waiting[lane] for lane in lanes])
            for lane, row in zip(lanes, rows, strict=True):
                lane._sequence.append(self._waiting[lane])
                self._ready[lane] = row.copy()
            self._waiting.clear()
            self.turn.notify_all()


def _together(lanes: Sequence[Lane], tokens: Sequence[int]) -> np.ndarray:
    """The logits after one more token in each lane: (lanes, size). Like LlamaRuntime._forward for one token."""
    first = lanes[0]
    pasts = [len(lane._sequence) for lane in lanes]
    for lane, past in zip(lanes, pasts, strict=True):
        if past + 1 > lane._cache.shape[3]:
            lane._reserve(min(lane._limit, 2 * lane._cache.shape[3]))
    count, half, rotated = len(lanes), first._width // 2, first._heads + first._groups
    cos = np.stack([lane._cos[past] for lane, past in zip(lanes, pasts, strict=True)])[:, None]
    sin = np.stack([lane._sin[past] for lane, past in zip(lanes, pasts, strict=True)])[:, None]
    x = first._embed[np.asarray(tokens)]
    for index, layer in enumerate(first._layers):
        y = (normed(x, first._epsilon) @ layer.qkv).reshape(count, rotated + first._groups, first._width)
        qk = y[:, :rotated]
        qk = qk * cos + np.concatenate((qk[..., half:], qk[..., :half]), -1) * sin
        attended: list[np.ndarray] = []
        for row, (lane, past) in enumerate(zip(lanes, pasts, strict=True)):
            keys, values = lane._cache[index]
            keys[:, past] = qk[row, first._heads :]
            values[:, past] = y[row, rotated:]
            query, end = qk[row, : first._heads, None], past + 1
            attended.append(first._attended(query, keys[:, :end], values[:, :end], _ALONE))
        x += np.concatenate(attended) @ layer.out
        x += first._gated(x, layer)
    return normed(x, first._epsilon) * first._norm @ first._head


_ALONE = np.zeros((1, 1), np.float32)  # the mask of one new token is empty


def in_lanes(
    loaded: model.Model,
    copying: model.Model,
    count: int,
    items: Iterator[Any],
    work: Callable[[model.Model, model.Model, Any], None],
) -> None:
    """Call `work(bare model, model with copying, item)` for each item, in lanes; the first error ends all.

    copying: the same model with everything mixed in, or the bare model.
    """
    assert isinstance(loaded.runtime, LlamaRuntime), "lanes are for models that run as LlamaRuntime, without copying"
    turns = Turns(count)
    errors: list[BaseException] = []

    def follow(bare: model.Model, mixing: model.Model) -> None:
        with turns.turn:
            try:
                while not errors and (item := next(items, None)) is not None:
                    work(bare, mixing, item)
            except BaseException as error:
                errors.append(error)
            finally:
                turns.leave()

    threads = []
    for _ in range(count):
        bare = replace(loaded, runtime=Lane.beside(loaded.runtime, turns))
        mixing = bare
        if isinstance(copying.runtime, CopyingRuntime):
            runtime, reader = copying.runtime.beside(bare.runtime)
            mixing = replace(bare, runtime=runtime, reader=reader)
        threads.append(threading.Thread(target=follow, args=(bare, mixing)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
