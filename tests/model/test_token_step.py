"""Bytes into characters, and how few checks a search through a vocabulary needs."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from suture.common.utf8 import split_utf8
from suture.model.decoding.token_step import DecodingState, TokenChecker
from suture.model.prompting.spelling_tree import SpellingTree

from ..support.modelzoo import Brackets


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ("", b"")),
        (b"ab", ("ab", b"")),
        ("é".encode()[:1], ("", b"\xc3")),
        ("a漢".encode()[:-1], ("a", "漢".encode()[:-1])),
        ("a\U0001f600".encode()[:-1], ("a", "\U0001f600".encode()[:-1])),
        (b"a\xff", None),
        (b"\x80", None),
        (b"\xc3a", None),
        (b"\xed\xa0", None),  # a surrogate
        (b"\xe6", ("", b"\xe6")),
    ],
)
def test_split_utf8(data: bytes, expected: tuple[str, bytes] | None) -> None:
    assert split_utf8(data) == expected


def test_looks_agree_with_checking_each_token_and_ask_less() -> None:
    asked = 0

    @dataclass(frozen=True)
    class Counted(Brackets):
        def advance(self, text: str) -> "Brackets | None":
            nonlocal asked
            asked += 1
            return super().advance(text)

    looks = TokenChecker(DecodingState(Counted("(", ")")))
    tokens = ["".join(t).encode() for n in (1, 2, 3) for t in itertools.product("a)]7é", repeat=n)]
    for token in tokens:
        expected = Brackets("(", ")").advance(token.decode())
        found = looks.read(token)
        assert (found and found.state.stack) == (expected and expected.stack)  # type: ignore[attr-defined]
    assert asked < len(tokens)


@pytest.mark.parametrize("beyond", [2, -3])  # rows of models are longer than their vocabularies, or shorter
@pytest.mark.parametrize("position", [DecodingState(Brackets("(", ")")), DecodingState(Brackets("(", ")"), b"a)")])
def test_narrowing_rules_out_only_what_cannot_come(position: DecodingState, beyond: int) -> None:
    tokens = ["".join(t).encode() for n in (1, 2) for t in itertools.product("a()]7é", repeat=n)]
    logits = np.zeros(len(tokens) + beyond, np.float32)
    TokenChecker(position).narrow(logits, SpellingTree([*tokens, None]))
    for token, logit in zip(tokens, logits, strict=False):
        first = TokenChecker(position).read(token[:1])
        assert (logit == -np.inf) == (not position.forced and token[0] < 128 and first is None), token
    assert (logits[len(tokens) :] == 0).all()


def test_tokens_spelled_alike_are_ordered_by_their_ids() -> None:
    tree = SpellingTree([b"b", b"a", b"b", None, b"a"])
    assert tree.ids.tolist() == tree.part((4, 3, 2, 1, 0)).ids.tolist() == [1, 4, 0, 2]
