"""The constraint for others' generation loops: a mask for the token ids so far, and a logits processor for transformers.

Greedy, sampling and beam search choose among the tokens left by the mask; the end of text is one of them exactly where the hole is complete.
A generation may still exhaust its budget before: `MaskedHole.text` then adds the shortest bridge.
"""

# The types of torch are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...common.constraint import Constraint
from ...common.utf8 import split_utf8
from .token_masks import TokenMasks
from .token_step import DecodingState

if TYPE_CHECKING:
    import torch

_KEPT_POSITIONS = 4096


class MaskedHole:
    """One hole: the tokens allowed after the ids generated so far, asked about in any order, as by beams."""

    def __init__(self, masks: TokenMasks, constraint: Constraint, forced: bytes = b"") -> None:
        """forced: the bytes the generation has to spell first if the prompt ends before the hole (token healing)."""
        self.masks = masks
        self._forced = forced
        self._positions: OrderedDict[tuple[int, ...], DecodingState | None] = OrderedDict()
        self._start = DecodingState(constraint, forced)
        self._ended = np.zeros(masks.size, dtype=bool)
        self._ended[list(masks.ends)] = True

    def mask(self, ids: Sequence[int]) -> np.ndarray:
        """The allowed tokens: (size,) bool. After the end, and at dead ends, the tokens that end a text."""
        position = self.position(ids)
        allowed = self.masks.allowed(position) if position is not None else self._ended
        return allowed if allowed.any() else self._ended

    def bitmask(self, ids: Sequence[int]) -> np.ndarray:
        """The same packed: ((size + 31) // 32,) int32, token i is bit i % 32 of number i // 32."""
        position = self.position(ids)
        packed = self.masks.bitmask(position) if position is not None else None
        if packed is None or not packed.any():
            packed = self.masks.packed(self._ended)
        return packed

    def position(self, ids: Sequence[int]) -> DecodingState | None:
        """The position after the ids; None after the end of the text, or if they are not allowed."""
        key = tuple(ids)
        if not key:
            return self._start
        if key in self._positions:
            self._positions.move_to_end(key)
            return self._positions[key]
        length = len(key) - 1
        while length and key[:length] not in self._positions:
            length -= 1
        position = self._positions[key[:length]] if length else self._start
        for end in range(length, len(key)):
            spelling = self.masks.spellings[key[end]] if key[end] < len(self.masks.spellings) else None
            position = position.after(spelling) if position is not None and spelling else None
            self._positions[key[: end + 1]] = position
        while len(self._positions) > max(_KEPT_POSITIONS, len(key)):
            self._positions.popitem(last=False)
        return position

    def text(self, ids: Sequence[int], *, bridged: bool = True) -> str | None:
        """The text for the hole: the spelling of the ids up to the end of text, without the forced bytes. bridged: whether to complete the
        hole with the shortest bridge if necessary; None if none is found."""
        spelled: list[bytes] = []
        for token in ids:
            spelling = self.masks.spellings[token] if token < len(self.masks.spellings) else None
            if spelling is None:
                break
            spelled.append(spelling)
        position = self.position(ids[: len(spelled)])
        split = split_utf8(b"".join(spelled)[len(self._forced) :])
        if position is None or split is None:
            return None
        text, _ = split
        if not bridged or (position.state.complete and not position.forced):
            return text
        bridge = next(iter(position.state.bridges()), None)
        return None if bridge is None else text + bridge


class ConstraintProcessor:
    """For `logits_processor` of transformers' `generate`: one hole for each row of the batch.

    Beams and several sequences of one row are adjacent, as in `generate`. The end-of-text token that stops `generate` must be one of the
    masks' ends.
    """

    def __init__(
        self,
        masks: TokenMasks,
        constraints: Constraint | Sequence[Constraint],
        prompt_length: int,
        forced: Sequence[bytes] = (),
    ) -> None:
        """prompt_length: ids of each row before the generation, padding included: `input_ids.shape[1]`.
        forced: of each row, the bytes that the generation has to spell first."""
        several = constraints if isinstance(constraints, Sequence) else (constraints,)
        starts = list(forced) or [b""] * len(several)
        self.holes = [MaskedHole(masks, *pair) for pair in zip(several, starts, strict=True)]
        self.prompt_length = prompt_length

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Scores of (rows, ids) with refused tokens at minus infinity."""
        import torch

        size = scores.shape[-1]
        allowed = np.zeros(tuple(scores.shape), dtype=bool)
        for row, (hole, ids) in enumerate(self._rows(input_ids)):
            mask = hole.mask(ids)[:size]
            allowed[row, : len(mask)] = mask
        return scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), float("-inf"))

    def texts(self, sequences: Any) -> list[str | None]:
        """The texts for the holes, from the result of `generate`: see MaskedHole.text."""
        return [hole.text(ids) for hole, ids in self._rows(sequences)]

    def _rows(self, input_ids: Any) -> list[tuple[MaskedHole, list[int]]]:
        rows = input_ids[:, self.prompt_length :].tolist()
        if len(rows) % len(self.holes):
            raise ValueError(f"{len(rows)} rows for {len(self.holes)} holes: give one hole for each row of the batch")
        each = len(rows) // len(self.holes)
        return [(self.holes[row // each], ids) for row, ids in enumerate(rows)]
