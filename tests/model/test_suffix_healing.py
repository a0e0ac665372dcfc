"""The right context's first symbol, spelled after the text: the texts it admits, and its removal afterwards."""

from dataclasses import replace
from typing import Any

import pytest
from suture.model import Model, Options, complete, load
from suture.model.decoding import api
from suture.model.decoding.among import Among
from suture.model.decoding.termination import StopPoint
from suture.model.prompting.suffix_healing import Remaining, follows, split_right, writes

from ..support.modelzoo import Brackets, bytelevel, save_model
from ..support.scripted import PLAIN, check, scripted

HEALED = replace(PLAIN, heal=True)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


@pytest.mark.parametrize(
    ("right", "remainder"),
    [
        ("lf.x = 1", "lf"),
        ("):\n", "):"),
        ("", ""),
        (" x", ""),
        ("\nx", ""),
        ("é_1(", "é_1"),
        ("ाम(", "ाम"),
        ("x" * 41, ""),
        ("x" * 40 + "(", "x" * 40),
        ("'a'", "'"),
    ],
)
def test_the_remainder_is_the_rest_of_a_word_or_of_signs(right: str, remainder: str) -> None:
    assert split_right(right) == (remainder, right[len(remainder) :])


@pytest.mark.parametrize("remainder", [")", "))", "ab", "aba", "é"])
def test_complete_is_what_is_complete_before_the_remainder(remainder: str) -> None:
    """Agrees with the definition on all short texts over a few letters, letter by letter and at once."""
    hole = Brackets.hole("f(", ")")
    start = Remaining(hole, remainder)
    texts = [""]
    for _ in range(4):
        texts += [text + letter for text in texts[-(4**_) :] for letter in "(a)b"]
    texts += [text + remainder for text in texts]
    for text in texts:
        before = hole.advance(text.removesuffix(remainder)) if text.endswith(remainder) else None
        expected = before is not None and before.complete
        after = start.advance(text)
        assert (after is not None and after.complete) == expected
        letterwise: Remaining | None = start
        for letter in text:
            letterwise = letterwise.advance(letter) if letterwise is not None else None
        assert letterwise == after
        for bridge in after.bridges() if after is not None and not after.complete else ():
            bridged = start.advance(text + bridge)
            assert bridged is not None and bridged.complete


def test_the_remainder_is_left_out_and_counts_as_the_end(llama: Model) -> None:
    for said, text in (("x)", "x"), ("g(y))zz", "g(y)")):
        result = check(scripted(llama, said), "f(\n", ")\n", HEALED)
        assert result.text == text
    result = check(scripted(llama, "self.value"), "x = \\\n", "ue\n", HEALED)
    assert result.text == "self.val"


@pytest.mark.parametrize(("last", "remainder"), [('"a")', ")"), ('"a"', ")"), ('"a"', ""), ('"a"))', "))")])
def test_the_end_of_a_text_was_passed_where_one_token_spells_it_and_what_follows(last: str, remainder: str) -> None:
    state: Any = None
    points = [StopPoint(state, text, 1, 1, text == last, among=Among(token=-len(text))) for text in ('"', '"a', last)]
    trail = api._trail(points, '"a"', remainder)
    assert [(one.length, one.complete) for one in trail] == [(1, False), (2, False), (3, True)]
    assert trail[-1].log_prob == -len(last)


def test_what_was_streamed_does_not_hold_the_remainder(llama: Model) -> None:
    pieces: list[str] = []
    complete(
        scripted(llama, "alpha, value)"), Brackets.hole("f(\n", "ue)"), "f(\n", "ue)", HEALED, on_text=pieces.append
    )
    assert "".join(pieces) == "alpha, val"


@pytest.mark.parametrize("budget", [1, 2])
def test_the_remainder_is_not_charged(llama: Model, budget: int) -> None:
    result = check(scripted(llama, "xyz"), "f(", "abcdefgh)", Options(max_tokens=budget))
    assert result.complete and result.tokens <= budget


@pytest.mark.parametrize(
    ("right", "symbol"),
    [
        (" := 1", ":="),
        ("\t: c", ":"),
        (" or b", "or"),
        (": c", ""),
        (" \n:", ""),
        ("\n    :", ""),
        ("", ""),
        ("  ", ""),
    ],
)
def test_a_symbol_follows_after_blanks_on_the_line(right: str, symbol: str) -> None:
    assert follows(right) == symbol


@pytest.mark.parametrize(
    ("spelling", "symbol", "does"),
    [
        (b" :", ":=", True),
        (b":= ", ":=", True),
        (b"::", ":", False),
        (b" ", ":", False),
        (b" is", "is", True),
        (b" i", "is", False),
        (b" island", "is", False),
    ],
)
def test_a_token_writes_what_follows(spelling: bytes, symbol: str, does: bool) -> None:
    assert writes(spelling, symbol) == does


def test_to_write_what_follows_is_to_end(llama: Model) -> None:
    for right, options, text in ((" : c)", HEALED, "a"), (" : c)", PLAIN, "a:b"), (" = c)", HEALED, "a:b")):
        assert check(scripted(llama, "a:b"), "f(\n", right, options).text == text
