"""Requests in progress, followed token by token, each with the packed mask of the tokens allowed next.

A request that leaves its hole's possible texts is released: it is no longer constrained, as if it had not asked. The client checks its
answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from suture.common.bounded import BoundedDict
from suture.model.decoding.token_masks import TokenMasks
from suture.model.decoding.token_step import DecodingState
from suture.model.prompting.spelling_tree import SpellingTree
from suture.model.runtime.served.plugin_request import PluginRequest
from suture.parser import freeze_garbage, language
from suture.parser.hole import HoleState

from . import samples

_KEPT_HOLES = 16
"""The most opened holes kept, for the next drafts in the same places; those of the largest files take some 20 MB each."""
_KEPT_BEGINNINGS = 256
"""The most required beginnings of a first token kept, each with the packed mask of the tokens that fit."""
_PIECE = re.compile(r"\w{1,4}|[^\w\n]{1,2}|\n")
"""A piece of a sample, about as long as a token."""

Gone = Literal["ended", "lost"]
"""ended: only tokens that end a text are allowed; lost: the request is no longer constrained."""


@dataclass(frozen=True, slots=True)
class Followed:
    """One request after some of its tokens, as a value."""

    at: DecodingState | Gone
    ends: tuple[int, ...]
    forced: bytes = b""  # the required beginning of the next token


class Follower:
    """Follows requests with one vocabulary. Used by one thread at a time."""

    def __init__(
        self, spellings: Sequence[bytes | None], size: int, ends: Iterable[int] = (), folder: Path | None = None
    ) -> None:
        """`spellings`: of each token, None for those without text; `size`: of a row of logits; `ends`: the model's own; `folder`: of prepared
        token groups, instead of the user's cache folder."""
        self.size = size
        self.ends = tuple(ends)
        self._masks = TokenMasks(spellings, (), size, folder)
        self._tree = SpellingTree(self._masks.spellings)
        self._holes: BoundedDict[tuple[object, str, str], HoleState | None] = BoundedDict(_KEPT_HOLES)
        self._beginnings: BoundedDict[bytes, np.ndarray] = BoundedDict(_KEPT_BEGINNINGS)
        self._packed_ends: BoundedDict[tuple[int, ...], np.ndarray] = BoundedDict(_KEPT_BEGINNINGS)

    def prepare(self, names: Iterable[str]) -> None:
        """Prepare some languages ahead of the first requests.

        From then on garbage collection in this process examines little at a time: over the files of 32 requests a full one takes half a
        second, with no token for any request.
        """
        prepared = [*names]
        for name in prepared:
            state = language(name).hole("", "").state
            if state is not None:
                self._masks.prepare(state)
                for text in samples.of(name):
                    self._walk(state, text)
        if prepared:
            freeze_garbage()

    def _walk(self, state: HoleState, text: str) -> None:
        """Make the masks along a text, most of them needed again by others: the tokens a stack admits are cached by its top."""
        for piece in _PIECE.findall(text):
            after = state.advance(piece)
            if after is None:
                return
            state = after
            self._masks.bitmask(state)

    def begin(self, asked: PluginRequest, stops: Iterable[int] = ()) -> Followed | None:
        """The beginning of a request; None if its file cannot be completed there: it is then not constrained.

        `stops`: tokens at which the server ends the request.
        """
        state = self._hole(asked)
        if state is None:
            return None
        ends = tuple(sorted({*self.ends, *asked.ends, *stops}))
        found = Followed(DecodingState(state), ends, asked.forced)
        for token in asked.written:
            found = self.after(found, token)
        return None if found.at == "lost" else found

    def after(self, followed: Followed, token: int) -> Followed:
        """The request after one more token."""
        at = followed.at
        if at == "lost":
            return followed
        if at == "ended" or token in followed.ends:
            return replace(followed, at="ended", forced=b"")
        spellings = self._masks.spellings
        spelling = spellings[token] if 0 <= token < len(spellings) else None
        following = at.after(spelling) if spelling else None
        return replace(followed, at="lost" if following is None else following, forced=b"")

    def bitmask(self, followed: Followed) -> np.ndarray | None:
        """The allowed tokens: ((size + 31) // 32,) int32, token i is bit i % 32 of number i // 32. None: all."""
        at = followed.at
        if at == "lost":
            return None
        ends = self._ends(followed.ends)
        if at == "ended":
            return ends if ends.any() else None
        mask = self._masks.bitmask(at)
        if followed.forced:
            begun = mask & self._beginning(followed.forced)
            return begun if begun.any() else None
        if at.closed and at.state.complete:
            return mask | ends
        # A vocabulary that cannot spell any allowed text is of an unknown kind.
        return mask if mask.any() else None

    def _hole(self, asked: PluginRequest) -> HoleState | None:
        spoken = language(asked.language, asked.version)
        engine = spoken.runtime()  # a new one once the old one has grown too large
        key = engine, asked.left, asked.right
        if key not in self._holes:
            self._holes[key] = spoken.hole(asked.left, asked.right).state
        return self._holes.used(key)

    def _beginning(self, forced: bytes) -> np.ndarray:
        known = self._beginnings.get(forced)
        if known is None:
            low, high = self._tree.starting_with(forced)
            known = self._beginnings[forced] = self._of(self._tree.ids[low:high])
        return known

    def _ends(self, ends: tuple[int, ...]) -> np.ndarray:
        known = self._packed_ends.get(ends)
        if known is None:
            known = self._packed_ends[ends] = self._of(np.array(ends, dtype=np.int64))
        return known

    def _of(self, ids: np.ndarray) -> np.ndarray:
        flags = np.zeros(self.size, dtype=bool)
        flags[ids[ids < self.size]] = True
        return self._masks.packed(flags)
