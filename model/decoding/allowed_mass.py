"""The share of a model's probability on allowed tokens, a measure of a text's certainty.

A model that has to write one of four attributes may give each of them a hundredth of its mass, because it does not know that nothing else
exists. The share is found without a mask, by best-first search through a tree of all spellings: the node with the most undecided mass is
split by its next byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import count

import numpy as np

from ..prompting.spelling_tree import SpellingTree
from .token_step import DecodingState

_CHECKS = 96  # of the constraint, at most
_NEGLIGIBLE = 0.001  # of the mass: a smaller part is not searched, and counts as allowed
_FEW = 256  # tokens named by a server: searching all others takes longer than sorting these
_LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_ASCII, _UNDERSCORE = 0x80, ord("_")
_LETTERS_AND_BLANK = _LETTERS | {ord(" ")}


def allowed_share(
    tree: SpellingTree, logits: np.ndarray, total: float, position: DecodingState, ends: np.ndarray, may_end: bool
) -> float:
    """The share of the model's probability on the tokens allowed at a position, 0 to 1, and never too small.

    If the allowed words are known, a blank before one counts as refused.

    total: the logarithm of the sum of the exponentials of the logits. ends: ids of the tokens that end the text.
    """
    told = logits > -np.inf
    if np.count_nonzero(told) <= _FEW:
        tree = tree.part(np.flatnonzero(told).tolist())
    mass = _cumulative(tree, logits, total)
    refused = 0.0 if may_end else float(np.exp(logits[ends].astype(np.float64) - total).sum())
    low, high = tree.starting_with(position.forced)
    words = None if position.forced or position.pending else position.state.next_words
    if words is not None:
        refused -= _on_words(tree, mass, words)
    here = DecodingState(position.state, b"", position.pending)
    order = count()
    queue = [(mass[low] - mass[high], next(order), low, high, len(position.forced), here)]
    checks = 0
    while queue and checks < _CHECKS:
        bound, _, low, high, depth, here = heappop(queue)
        if -bound < _NEGLIGIBLE:
            break
        for byte, begin, end in tree.children(low, high, depth)[1]:
            part = float(mass[end] - mass[begin])
            if words is not None and depth == 0 and byte in _LETTERS_AND_BLANK:
                refused += part
                continue
            if part < _NEGLIGIBLE:
                continue
            alone = end - begin == 1
            spelling = tree.spelling(begin)[depth:] if alone else bytes((byte,))
            after = here.after(spelling)
            checks += 1
            if after is None or after.state.doubtful:  # an avoided token counts as refused
                refused += part
            elif not alone:
                first = tree.children(begin, end, depth + 1)[0]
                heappush(queue, (float(mass[first] - mass[end]), next(order), begin, end, depth + 1, after))
    return min(1.0, max(0.0, 1.0 - refused))


def _cumulative(tree: SpellingTree, logits: np.ndarray, total: float) -> np.ndarray:
    """The probability of all tokens before each place in the tree's order: (tokens + 1,)."""
    if tree.last < len(logits):
        in_order = logits[tree.ids]
    else:
        in_order = np.where(tree.ids < len(logits), logits[np.minimum(tree.ids, len(logits) - 1)], -np.inf)
    mass = np.empty(len(in_order) + 1)
    np.subtract(in_order, total, out=mass[1:], dtype=np.float64)
    np.cumsum(np.exp(mass[1:], out=mass[1:]), out=mass[1:])
    mass[0] = 0.0
    return mass


def _on_words(tree: SpellingTree, mass: np.ndarray, words: Iterable[str]) -> float:
    """The probability of tokens that begin one of some words with a letter, or continue behind it. mass: cumulative, in the tree's order."""
    share, last = 0.0, b""
    most = tree.longest + 1  # no token reaches the rest of a longer word
    for spelling in sorted({word[:most].encode()[:most] for word in words}):
        shared = next(
            (index for index, pair in enumerate(zip(last, spelling, strict=False)) if pair[0] != pair[1]), len(last)
        )
        last = spelling
        if spelling[0] not in _LETTERS:
            continue
        for size in range(shared + 1, len(spelling) + 1):  # another word has covered the shorter ones
            place = tree.places.get(spelling[:size])
            if place is not None:
                share += float(mass[place[1]] - mass[place[0]])
        low, high = tree.starting_with(spelling)
        for byte, begin, end in tree.children(low, high, len(spelling))[1]:
            if byte < _ASCII and not (chr(byte).isalnum() or byte == _UNDERSCORE):
                share += float(mass[end] - mass[begin])
    return share
