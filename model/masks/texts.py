"""The vocabulary's texts as a trie by levels: arrays, so that all of it is read from a lexer state in a few steps.

Characters that behave alike are one. A token that ends within a character is a text and the *rest*, its last bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..stepping import split_utf8

MAX_CHARS = 1 << 12
"""More kinds of characters than a language tells apart."""


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of a vocabulary, read after the first bytes of a character (`head`, mostly none).

    A node is a prefix; node 0 is the empty one; levels: (first node, last node + 1) for each length. An *end* is a node
    with a rest; tokens with the same end cannot be told apart at all.
    """

    parent: np.ndarray  # (nodes,)
    char: np.ndarray  # (nodes,) number of the last character
    levels: tuple[tuple[int, int], ...]
    chars: tuple[str, ...]  # number -> a character that behaves so
    end_node: np.ndarray  # (ends,)
    end_rest: np.ndarray  # (ends,) number of the rest, 0 for none
    rests: tuple[bytes, ...]
    token_of_end: np.ndarray  # (ends,) some token
    end_of_token: np.ndarray  # (tokens,) -1 for tokens that stand for no text here
    head: bytes

    def spelled(self, spelling: bytes) -> tuple[str, bytes]:
        """(whole characters, rest) of a token of these."""
        split = split_utf8(self.head + spelling)
        assert split is not None
        return split

    def leading(self, run: str) -> np.ndarray:
        """(nodes,): equal numbers for nodes whose texts begin with the same run of characters from `run`."""
        inside = np.array([char in run for char in self.chars])
        numbers = np.arange(len(self.parent))
        for low, high in self.levels[1:]:
            above = self.parent[low:high]
            grown = inside[self.char[low:high]] & (numbers[above] == above)
            numbers[low:high] = np.where(grown, numbers[low:high], numbers[above])
        return numbers


def texts_of(
    spellings: Sequence[bytes | None], alike: Callable[[str], Hashable], head: bytes = b"", within: Sequence[int] = ()
) -> Texts:
    """The texts of tokens by their spellings (None: no text); with a `head` only of the tokens `within`."""
    kinds: dict[Hashable, int] = {}
    chars: list[str] = []
    known: dict[str, int] = {}
    kids: dict[int, int] = {}
    parent, char, depth = [0], [0], [0]
    rests = {b"": 0}
    ends: dict[tuple[int, int], int] = {}
    token_of_end: list[int] = []
    end_of_token = np.full(len(spellings), -1, dtype=np.int64)
    tokens = within if head else range(len(spellings))
    for token in sorted(tokens, key=lambda token: len(spellings[token] or b"")):  # short examples are read sooner
        spelling = spellings[token]
        split = split_utf8(head + spelling) if spelling else None
        if split is None:
            continue
        text, rest = split
        node = 0
        for letter in text:
            kind = known.get(letter)
            if kind is None:
                kind = known[letter] = kinds.setdefault(alike(letter), len(kinds))
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
        end = node, rests.setdefault(rest, len(rests))
        number = ends.setdefault(end, len(ends))
        if number == len(token_of_end):
            token_of_end.append(token)
        end_of_token[token] = number
    depths = np.array(depth)
    order = np.argsort(depths, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    bounds = np.searchsorted(depths[order], np.arange(depths.max() + 2))
    pairs = np.array(list(ends), dtype=np.int64).reshape(-1, 2)
    return Texts(
        parent=place[np.array(parent)[order]],
        char=np.array(char)[order],
        levels=tuple((int(a), int(b)) for a, b in pairwise(bounds)),
        chars=tuple(chars),
        end_node=place[pairs[:, 0]],
        end_rest=pairs[:, 1],
        rests=tuple(rests),
        token_of_end=np.array(token_of_end, dtype=np.int64),
        end_of_token=end_of_token,
        head=head,
    )
