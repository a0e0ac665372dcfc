"""The vocabulary's texts as a trie in arrays, so that all are read from a lexer state in a few steps.

Characters with the same behaviour are one. A token ending within a character is a text and the *rest*, its last bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...common.utf8 import split_utf8

MAX_CHARS = 1 << 12
"""More kinds of characters than a language distinguishes."""


@dataclass(frozen=True, eq=False)
class VocabularyTrie:
    """The texts of a vocabulary, read after the first bytes of a character (`head`, mostly none).

    A node is a prefix; node 0 is the empty one; shorter ones come first, and those with one parent lie together. An *end* is a node
    with a rest, in the order of the nodes; tokens with the same end are indistinguishable.
    """

    parent: np.ndarray  # (nodes,)
    char: np.ndarray  # (nodes,) number of the last character
    chars: tuple[str, ...]  # number -> a character of the kind
    end_node: np.ndarray  # (ends,)
    end_rest: np.ndarray  # (ends,) number of the rest, 0 for none
    rests: tuple[bytes, ...]
    end_of_token: np.ndarray  # (tokens,) -1 for tokens without a text here
    head: bytes

    @cached_property
    def first_kid(self) -> np.ndarray:
        """(nodes + 1,): the first kid of each node; its kids end before the next node's."""
        return 1 + np.searchsorted(self.parent[1:], np.arange(len(self.parent) + 1)).astype(np.int32)

    @cached_property
    def first_end(self) -> np.ndarray:
        """(nodes + 1,): the same of its ends."""
        return np.searchsorted(self.end_node, np.arange(len(self.parent) + 1)).astype(np.int32)

    @cached_property
    def token_of_end(self) -> np.ndarray:
        """(ends,) some token."""
        tokens = np.flatnonzero(self.end_of_token >= 0)
        tokens_of = np.zeros(len(self.end_node), dtype=np.int32)
        tokens_of[self.end_of_token[tokens]] = tokens
        return tokens_of

    @cached_property
    def index(self) -> np.ndarray:
        """(tokens,) end_of_token in numpy's fastest type for look-ups."""
        return self.end_of_token.astype(np.intp)

    def leading(self, run: str) -> np.ndarray:
        """(nodes,): equal numbers for nodes whose texts begin with the same run of characters from `run`."""
        inside = np.array([char in run for char in self.chars])
        numbers = np.arange(len(self.parent))
        for low, high in self._levels():
            above = self.parent[low:high]
            grown = inside[self.char[low:high]] & (numbers[above] == above)
            numbers[low:high] = np.where(grown, numbers[low:high], numbers[above])
        return numbers

    def only(self, tokens: np.ndarray) -> VocabularyTrie:
        """The trie of some tokens alone; the numbers of characters, rests and tokens stay."""
        ends = np.zeros(len(self.end_node) + 1, dtype=bool)
        ends[self.end_of_token[tokens]] = True
        ends = ends[:-1]  # of tokens without a text
        nodes = np.zeros(len(self.parent), dtype=bool)
        nodes[0] = True
        nodes[self.end_node[ends]] = True
        for low, high in reversed(self._levels()):
            nodes[self.parent[low:high][nodes[low:high]]] = True
        number = np.cumsum(nodes, dtype=np.int32) - 1
        end_number = np.where(ends, np.cumsum(ends, dtype=np.int32) - 1, -1).astype(np.int32)
        end_of_token = np.full(len(self.end_of_token), -1, dtype=np.int32)
        end_of_token[tokens] = np.append(end_number, np.int32(-1))[self.end_of_token[tokens]]
        return VocabularyTrie(
            parent=number[self.parent[nodes]],
            char=self.char[nodes],
            chars=self.chars,
            end_node=number[self.end_node[ends]],
            end_rest=self.end_rest[ends],
            rests=self.rests,
            end_of_token=end_of_token,
            head=self.head,
        )

    def _levels(self) -> list[tuple[int, int]]:
        """(first node, last node + 1) for each length from 1 on."""
        levels: list[tuple[int, int]] = []
        low, high = 1, int(self.first_kid[1])
        while low < high:
            levels.append((low, high))
            low, high = high, int(self.first_kid[high])
        return levels


def texts_of(
    spellings: Sequence[bytes | None],
    alike: Callable[[str], Hashable],
    becomes: Callable[[bytes], Sequence[str]],
    head: bytes = b"",
    within: Sequence[int] = (),
) -> VocabularyTrie:
    """The texts of tokens by their spellings (None: no text); with a `head` only of the tokens `within`. becomes: representatives of
    the possible characters of a rest."""
    kinds: dict[Hashable, int] = {}
    chars: list[str] = []
    kind_of: dict[str, int] = {}
    kids: dict[int, int] = {}
    parent, char, depth = [0], [0], [0]
    rests: list[bytes] = [b""]
    rest_numbers = {b"": 0}
    rest_kinds: dict[Hashable, int] = {}  # rests with the same possible characters are one
    ends: dict[tuple[int, int], int] = {}
    end_of_token = np.full(len(spellings), -1, dtype=np.int64)
    tokens = within if head else range(len(spellings))
    for token in tokens:
        spelling = spellings[token]
        split = split_utf8(head + spelling) if spelling else None
        if split is None:
            continue
        text, rest = split
        node = 0
        for letter in text:
            kind = kind_of.get(letter)
            if kind is None:
                kind = kind_of[letter] = kinds.setdefault(alike(letter), len(kinds))
                if kind == len(chars):
                    chars.append(letter)
                assert kind < MAX_CHARS
            key = node * MAX_CHARS + kind
            kid = kids.get(key)
            if kid is None:
                kid = kids[key] = len(parent)
                parent.append(node)
                char.append(kind)
                depth.append(depth[node] + 1)
            node = kid
        number = rest_numbers.get(rest)
        if number is None:
            kinds_of_rest = frozenset(map(alike, becomes(rest)))
            number = rest_numbers[rest] = rest_kinds.setdefault(kinds_of_rest, len(rests))
            if number == len(rests):
                rests.append(rest)
        end = node, number
        end_of_token[token] = ends.setdefault(end, len(ends))
    return _laid_out(parent, char, depth, tuple(chars), ends, tuple(rests), end_of_token, head)


def _laid_out(
    parent: list[int],
    char: list[int],
    depth: list[int],
    chars: tuple[str, ...],
    ends: dict[tuple[int, int], int],
    rests: tuple[bytes, ...],
    end_of_token: np.ndarray,
    head: bytes,
) -> VocabularyTrie:
    """The trie with its nodes in the order of `_places`; ends: (node, number of its rest) -> number."""
    place = _places(np.array(parent), np.array(depth))
    order = np.argsort(place)
    pairs = np.array(list(ends), dtype=np.int64).reshape(-1, 2)
    end_nodes = place[pairs[:, 0]]
    end_order = np.argsort(end_nodes, kind="stable")
    end_place = np.empty(len(end_order) + 1, dtype=np.int32)
    end_place[end_order] = np.arange(len(end_order))
    end_place[-1] = -1
    return VocabularyTrie(
        parent=place[np.array(parent)[order]].astype(np.int32),
        char=np.array(char)[order].astype(np.int16),
        chars=chars,
        end_node=end_nodes[end_order].astype(np.int32),
        end_rest=pairs[end_order, 1].astype(np.int16),
        rests=rests,
        end_of_token=end_place[end_of_token],
        head=head,
    )


def _places(parent: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """(nodes,): a number for each, in the order of length, then of the parent's number."""
    place = np.zeros(len(parent), dtype=np.int64)
    order = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[order], np.arange(1, int(depth.max()) + 2))
    for low, high in pairwise(bounds.tolist()):
        level = order[low:high]
        place[level[np.argsort(place[parent[level]], kind="stable")]] = np.arange(low, high)
    return place
