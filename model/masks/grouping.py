"""Grouping the vocabulary: which tokens the lexer cannot tell apart in one of its states.

All texts are read at once, level by level of their trie, by look-ups in a table (lexer state, character) that is filled as
entries are missed. What a token emits and where it leaves the lexer is its outcome; equal outcomes are one group.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..constraint import Constraint
from .texts import Texts

_MISSING, _DEAD = -2, -1
_MAX_STATES = 8192
"""Lexer states in the table, before it starts anew."""

Place = Any
"""A lexer state: a hashable value that belongs to its Grouper."""


class Choices(Protocol):
    """Asks which groups may come, from one lexer state."""

    def admitted(self, state: Any) -> int:
        """The numbers of the groups that may come, as the bits of a number."""
        ...


class Grouper(Protocol):
    """A language's lexer, as far as texts are grouped by it."""

    @property
    def fingerprint(self) -> str:
        """Names all that the groups of ordinary states depend on."""
        ...

    def ordinary(self) -> Mapping[str, Place]:
        """The lexer states worth preparing, by a name that is the same in each process."""
        ...

    def name(self, place: Place) -> str:
        """The name of a lexer state."""
        ...

    def place(self, state: Any) -> Place:
        """The lexer state of a constraint's state."""
        ...

    def kinship(self, place: Place) -> tuple[Place, str]:
        """(state, run): texts are grouped as in that state, where those that emit something must also begin with the same run
        of these characters."""
        ...

    def alike(self, char: str) -> Hashable:
        """Characters with equal values behave alike in every state."""
        ...

    def step(self, place: Place, char: str) -> tuple[Place | None, tuple[Hashable, ...]]:
        """(the state after a character or None, what it emits)."""
        ...

    def end(self, place: Place) -> Hashable:
        """What counts of a state at the end of a text."""
        ...

    def spellings(self, partial: bytes) -> Sequence[str]:
        """Characters that stand for all whose UTF-8 encoding starts with these bytes."""
        ...

    def forest(self, packed: bytes | memoryview = b"") -> Any:
        """Holds together what asks about groups that are numbered alike in several states; packed: see `pack`."""
        ...

    def pack(self, given: Iterable[tuple[Place, Sequence[str], Sequence[int]]]) -> tuple[bytes, list[int]] | None:
        """What lexer states, texts and groups lead to, for the next process, and a number for each; None: nothing to keep."""
        ...

    def packed_choices(self, place: Place, number: int, forest: Any) -> Choices:
        """As `choices`, with what was packed under a number for a lexer state that this one is grouped as."""
        ...

    def choices(self, place: Place, texts: Sequence[str], groups: Sequence[int], forest: Any) -> Choices:
        """What asks about groups by number, given by texts: one of each group's must be possible."""
        ...


class Groupable(Constraint, Protocol):
    """A constraint whose texts can be grouped; the Grouper is the same for all states of a language's engine."""

    @property
    def grouper(self) -> Grouper: ...


@dataclass(frozen=True, eq=False)
class Groups:
    """of_end: (ends,) the group of each end of the texts, 0 for those dead here; examples: an end of each group from 1 on."""

    of_end: np.ndarray
    examples: np.ndarray


class Walker:
    """Groups the texts of a vocabulary in any lexer state of a grouper."""

    def __init__(self, grouper: Grouper, texts: Texts) -> None:
        self._grouper = grouper
        self._texts = texts
        self._leading: dict[str, np.ndarray] = {}
        self._forget()

    def _forget(self) -> None:
        self._states: list[Place] = []
        self._numbers: dict[Place, int] = {}
        self._next = np.empty((0, len(self._texts.chars)), dtype=np.int32)
        self._emits = np.empty((0, len(self._texts.chars)), dtype=np.int32)
        self._emissions: dict[tuple[Hashable, ...], int] = {(): 0}
        self._sequences: dict[int, int] = {}  # sequence << 32 | emission -> sequence
        self._ends: dict[Hashable, int] = {}
        self._end_of_state: list[int] = []
        self._end_of_rest: dict[tuple[int, int], int] = {}

    def groups(self, place: Place) -> Groups:
        """The groups of a lexer state."""
        if len(self._states) > _MAX_STATES:
            self._forget()
        like, run = self._grouper.kinship(place)
        state, sequence = self._read(self._number(like))
        texts = self._texts
        states, sequences = state[texts.end_node], sequence[texts.end_node]
        ends = np.full(len(states), _DEAD, dtype=np.int64)
        whole = (texts.end_rest == 0) & (states >= 0)
        ends[whole] = np.array(self._end_of_state)[states[whole]]
        partial = np.flatnonzero((texts.end_rest > 0) & (states >= 0))
        pairs, back = np.unique(states[partial] * len(texts.rests) + texts.end_rest[partial], return_inverse=True)
        known = [self._rest(*divmod(int(pair), len(texts.rests))) for pair in pairs]
        ends[partial] = np.array(known, dtype=np.int64)[back] if known else ends[partial]
        alive = np.flatnonzero(ends >= 0)
        keys = sequences[alive] * len(self._ends) + ends[alive]
        if run:
            leading = self._leading.get(run)
            if leading is None:
                leading = self._leading[run] = texts.leading(run)
            tells = (sequences[alive] > 0) | (texts.end_rest[alive] > 0)
            keys = keys * len(leading) + np.where(tells, leading[texts.end_node[alive]], 0)
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        of_end = np.zeros(len(ends), dtype=np.uint16)
        assert len(first) < 1 << 16
        of_end[alive] = group + 1
        return Groups(of_end, alive[first])

    def _read(self, start: int) -> tuple[np.ndarray, np.ndarray]:
        """(lexer state, sequence of what was emitted) at each node; state -1 where it is dead."""
        texts = self._texts
        state = np.full(len(texts.parent), _DEAD, dtype=np.int64)
        sequence = np.zeros(len(texts.parent), dtype=np.int64)
        state[0] = start
        for low, high in texts.levels[1:]:
            parent = texts.parent[low:high]
            before = state[parent]
            alive = np.flatnonzero(before >= 0)
            if not len(alive):
                break
            before, char, nodes = before[alive], texts.char[low:high][alive], alive + low
            after = self._next[before, char]
            missed = after == _MISSING
            if missed.any():
                self._fill(np.unique(before[missed] * len(texts.chars) + char[missed]))
                after = self._next[before, char]
            state[nodes] = after
            emitted = self._emits[before, char]
            told = sequence[parent[alive]]
            some = np.flatnonzero((emitted > 0) & (after >= 0))
            if len(some):
                keys, back = np.unique(told[some] << 32 | emitted[some], return_inverse=True)
                told[some] = np.array([self._sequence(int(key)) for key in keys])[back]
            sequence[nodes] = told
        return state, sequence

    def _fill(self, missed: np.ndarray) -> None:
        """Step for these entries of the table, state * characters + character."""
        chars = self._texts.chars
        for entry in missed.tolist():
            number, char = divmod(entry, len(chars))
            after, emitted = self._grouper.step(self._states[number], chars[char])
            to = _DEAD if after is None else self._number(after)
            self._next[number, char] = to  # after _number, which may move the table
            self._emits[number, char] = self._emissions.setdefault(emitted, len(self._emissions))

    def _number(self, place: Place) -> int:
        number = self._numbers.get(place)
        if number is None:
            number = self._numbers[place] = len(self._states)
            self._states.append(place)
            self._end_of_state.append(self._end(self._grouper.end(place)))
            if number >= len(self._next):
                more = np.full((max(256, number), len(self._texts.chars)), _MISSING, dtype=np.int32)
                self._next = np.concatenate([self._next, more])
                self._emits = np.concatenate([self._emits, more])
        return number

    def _sequence(self, key: int) -> int:
        return self._sequences.setdefault(key, len(self._sequences) + 1)

    def _end(self, end: Hashable) -> int:
        return self._ends.setdefault(end, len(self._ends))

    def _rest(self, state: int, rest: int) -> int:
        """The end of a text in that state that goes on with the first bytes of a character; dead where none can come."""
        known = self._end_of_rest.get((state, rest))
        if known is None:
            step, end = self._grouper.step, self._grouper.end
            found = [step(self._states[state], char) for char in self._grouper.spellings(self._texts.rests[rest])]
            outcomes = frozenset((emitted, end(after)) for after, emitted in found if after is not None)
            known = self._end_of_rest[state, rest] = self._end(("rest", outcomes)) if outcomes else _DEAD
        return known
