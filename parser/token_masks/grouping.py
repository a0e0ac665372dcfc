"""Grouping the vocabulary: the tokens indistinguishable for the lexer in one of its states.

All texts are read at once, character by character, by look-ups in a table (lexer state, character) filled on demand; dead texts are
not read further. The terminals of a token and the lexer state after it are its outcome; equal outcomes are one group.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ..lexing.base import LexState
from .partition import TokenPartition
from .terminal_trie import Place
from .vocabulary_trie import VocabularyTrie

_MISSING, _DEAD = -2, -1
_MAX_STATES = 8192
"""Lexer states in the table before it starts anew."""


@dataclass(frozen=True, eq=False)
class Groups:
    """of_end: (ends,) the group of each end of the texts, 0 for those dead here; examples: an end of each group from 1 on."""

    of_end: np.ndarray
    examples: np.ndarray


class Walker:
    """Groups texts in any lexer state of a partition. chars: the characters by their numbers in all texts, and rests."""

    def __init__(self, partition: TokenPartition, chars: tuple[str, ...], rests: tuple[bytes, ...]) -> None:
        self._partition = partition
        self._chars, self._rests = chars, rests
        self._forget()

    def _forget(self) -> None:
        self._states: list[Place] = []
        self._numbers: dict[Place, int] = {}
        self._next = np.empty((0, len(self._chars)), dtype=np.int32)
        self._emits = np.empty((0, len(self._chars)), dtype=np.int32)
        self._emissions: dict[tuple[Hashable, ...], int] = {(): 0}
        self._sequences: dict[int, int] = {}  # sequence << 32 | emission -> sequence
        self._ends: dict[Hashable, int] = {}
        self._end_of_state: list[int] = []
        self._end_of_rest: dict[tuple[int, int], int] = {}

    def groups(self, place: LexState, texts: VocabularyTrie) -> Groups:
        """The groups of a lexer state."""
        if len(self._states) > _MAX_STATES:
            self._forget()
        like, run = self._partition.equivalence_key(place)
        nodes, states, sequences = self._read(self._number(like), texts)
        # the ends of these nodes
        counts = texts.first_end[nodes + 1] - texts.first_end[nodes]
        ends = ranges(texts.first_end[nodes], counts)
        nodes, states, sequences = (np.repeat(values, counts) for values in (nodes, states, sequences))
        rests = texts.end_rest[ends]
        last = np.array(self._end_of_state, dtype=np.int32)[states]
        partial = np.flatnonzero(rests)
        if len(partial):
            pairs, back = np.unique(
                states[partial].astype(np.int64) * len(self._rests) + rests[partial], return_inverse=True
            )
            last[partial] = np.array([self._rest(*divmod(pair, len(self._rests))) for pair in pairs.tolist()])[back]
            alive = np.flatnonzero(last >= 0)
            ends, nodes, sequences, rests, last = (v[alive] for v in (ends, nodes, sequences, rests, last))
        keys, count = _joined(sequences, last)
        if run:
            tells = (sequences > 0) | (rests > 0)
            keys, count = _joined(keys, np.where(tells, texts.leading(run)[nodes], 0))
        assert count < 1 << 16
        of_end = np.zeros(len(texts.end_node), dtype=np.uint16)
        of_end[ends] = keys + 1
        examples = np.zeros(count, dtype=np.int64)
        examples[keys[::-1]] = ends[::-1]  # the first of each, which is short
        return Groups(of_end, examples)

    def _read(self, start: int, texts: VocabularyTrie) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For all live prefixes: (nodes in their order, lexer states, sequences of emitted terminals)."""
        width = len(self._chars)
        nodes = np.zeros(1, dtype=np.int32)
        states = np.full(1, start, dtype=np.int32)
        sequences = np.zeros(1, dtype=np.int32)
        levels = [(nodes, states, sequences)]
        while len(nodes):
            first = texts.first_kid[nodes]
            counts = texts.first_kid[nodes + 1] - first
            kids = ranges(first, counts)
            entries = np.repeat(states * width, counts) + texts.char[kids]
            told = np.repeat(sequences, counts)
            after = self._next.ravel()[entries]
            missed = after == _MISSING
            if missed.any():
                self._fill(_distinct(entries[missed]))
                after = self._next.ravel()[entries]
            emitted = self._emits.ravel()[entries]
            alive = np.flatnonzero(after >= 0)
            nodes, states, sequences, emitted = kids[alive], after[alive], told[alive], emitted[alive]
            some = np.flatnonzero(emitted)
            if len(some):
                keys, back = np.unique(sequences[some].astype(np.int64) << 32 | emitted[some], return_inverse=True)
                sequences[some] = np.array([self._sequence(key) for key in keys.tolist()], dtype=np.int32)[back]
            levels.append((nodes, states, sequences))
        all_nodes, all_states, all_sequences = (np.concatenate(parts) for parts in zip(*levels, strict=True))
        return all_nodes, all_states, all_sequences

    def _fill(self, missed: np.ndarray) -> None:
        """Step for these entries of the table, state * characters + character, in order."""
        chars: tuple[str, ...] = self._chars
        step, alike_from = self._partition.step, self._partition.alike_from
        entries: list[int] = missed.tolist()
        for number, of_state in groupby(entries, lambda entry: entry // len(chars)):
            place = self._states[number]
            met: dict[Hashable, tuple[int, int]] = {}
            for char in (entry % len(chars) for entry in of_state):
                alike = alike_from(place, chars[char])
                step_kept = None if alike is None else met.get(alike)
                if step_kept is None:
                    after, emitted = step(place, chars[char])
                    to = _DEAD if after is None else self._number(after)
                    step_kept = to, self._emissions.setdefault(emitted, len(self._emissions))
                    if alike is not None:
                        met[alike] = step_kept
                self._next[number, char], self._emits[number, char] = (
                    step_kept  # after _number, which may move the table
                )

    def _number(self, place: Place) -> int:
        number = self._numbers.get(place)
        if number is None:
            number = self._numbers[place] = len(self._states)
            self._states.append(place)
            self._end_of_state.append(self._end(self._partition.end(place)))
            if number >= len(self._next):
                more = np.full((max(256, number), len(self._chars)), _MISSING, dtype=np.int32)
                self._next = np.concatenate([self._next, more])
                self._emits = np.concatenate([self._emits, more])
        return number

    def _sequence(self, key: int) -> int:
        return self._sequences.setdefault(key, len(self._sequences) + 1)

    def _end(self, end: Hashable) -> int:
        return self._ends.setdefault(end, len(self._ends))

    def _rest(self, state: int, rest: int) -> int:
        """The end of a text in this state followed by the first bytes of a character; dead if no such character may come."""
        end_kept = self._end_of_rest.get((state, rest))
        if end_kept is None:
            step, end = self._partition.step, self._partition.end
            outcomes_of = [step(self._states[state], char) for char in self._partition.spellings(self._rests[rest])]
            outcomes = frozenset((emitted, end(after)) for after, emitted in outcomes_of if after is not None)
            end_kept = self._end_of_rest[state, rest] = self._end(("rest", outcomes)) if outcomes else _DEAD
        return end_kept


def ranges(first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The numbers of several ranges, each from its first one on, one range after the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(first - (ends - counts), counts) + np.arange(total, dtype=np.int32)


def _distinct(values: np.ndarray) -> np.ndarray:
    flags = np.zeros(int(values.max()) + 1, dtype=bool)
    flags[values] = True
    return np.flatnonzero(flags)


def _numbered(values: np.ndarray) -> tuple[np.ndarray, int]:
    """(numbers from 0, equal for equal values; their count)."""
    if not len(values):
        return values, 0
    if int(values.max()) > 16 * len(values) + (1 << 16):
        distinct, back = np.unique(values, return_inverse=True)
        return back, len(distinct)
    flags = np.zeros(int(values.max()) + 1, dtype=np.int32)
    flags[values] = 1
    numbers = np.cumsum(flags, dtype=np.int32) - 1
    return numbers[values], int(numbers[-1]) + 1


def _joined(first: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, int]:
    """The same of pairs."""
    first, _ = _numbered(first)
    other, count = _numbered(other)
    return _numbered(first.astype(np.int64) * count + other)
