"""Tokens without a choice under a constraint: they are computed with the one before, and change only the number of passes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from suture import parser
from suture.common.constraint import Constraint
from suture.model import Model, Options, complete, load
from suture.model.cache_lm.mixture import FILE, DraftingRuntime
from suture.model.decoding import constrained
from suture.model.decoding.certain import certain_text
from suture.model.decoding.termination import StopPoint
from suture.model.decoding.token_step import DecodingState
from suture.model.prompting.suffix_healing import Remaining
from suture.model.runtime.llama import LlamaRuntime
from suture.model.runtime.transformers_runtime import HfRuntime

from ..support.modelzoo import bytelevel, save_model
from .test_cache_lm import trusting

CLASS = "class Shop:\n    def __init__(self):\n        self.customer_name = 'a'\n        self.customer_number = 1\n\n    def show(self):\n        "
NAMES = "class Shop:\n    def __init__(self):\n"
NAMES += "".join(f"        self.{letter}_measured_in_millimetres = 1\n" for letter in "abcdefghijklmnopqrtuvwxyz")
NAMES += "\n    def show(self):\n        "
RIGHT = "\n"


def hole(left: str, right: str = RIGHT) -> Constraint:
    imports = parser.imports_for("python", "3.11", None, at_once=True)
    state = parser.language("python", "3.11").hole(left, right, level="names", imports=imports).state
    assert state is not None
    return state


def after(text: str, left: str = CLASS, begins: Sequence[int] = (0,)) -> str:
    """The certain text behind a generated one, whose beginnings of these lengths were places."""
    state = hole(left)
    places: list[StopPoint] = []
    for length in begins:
        there = state.advance(text[:length])
        assert there is not None
        places.append(StopPoint(there, text[:length], length, length, there.complete))
    position = state.advance(text)
    assert position is not None
    return certain_text(DecodingState(position), text, places)


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("return self.c", "ustomer_n"),
        ("return self.customer_n", ""),
        ("return self.customer_na", "me"),
        ("return self.customer_nu", "mber"),
        ("return self.customer_name", ""),
        ("return self.s", "how"),
        ("return self", ""),
        ("return ", ""),
    ],
)
def test_the_rest_of_a_word_that_all_words_share_is_certain(text: str, certain: str) -> None:
    assert after(text) == certain
    for length in range(1, len(text)):
        assert after(text, begins=(0, length)) == certain, "wherever the tokens end"


def test_forced_bytes_and_a_begun_remainder_are_certain() -> None:
    state = hole("x = (", "alpha)\n")
    assert certain_text(DecodingState(state, "größe".encode()), "", ()) == "größe"
    assert certain_text(DecodingState(state, b"", "ö".encode()[:1]), "", ()) == ""
    assert certain_text(DecodingState(Remaining(None, "alpha", frozenset({2}))), "", ()) == "pha"
    assert certain_text(DecodingState(Remaining(None, "aab", frozenset({1, 2}))), "", ()) == "", "either may be it"


@pytest.mark.parametrize("kind", ["numpy", "card"])
def test_completions_are_those_of_single_tokens_in_fewer_passes(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save_model(tmp_path / "zoo", bytelevel(), "qwen2" if kind == "card" else "llama")
    if kind == "card":  # as on such a device
        monkeypatch.setattr(HfRuntime, "device", "cuda")
        model = load(str(folder), device="cpu", dtype="float32", threads=1)
        runtime, name = HfRuntime, "_logits"
        assert isinstance(model.runtime, DraftingRuntime)
    else:
        trusting().save(folder / FILE)
        model = load(str(folder), device="cpu")
        runtime, name = LlamaRuntime, "_append"
    passes: list[int] = []
    computed = getattr(runtime, name)

    letters = [
        token
        for token, spelling in enumerate(model.vocabulary.bytes_of[: model.runtime.size])
        if re.fullmatch(rb"[a-z_]+", spelling or b"")
    ]

    def noted(self: object, ids: Sequence[int], keep: int) -> object:
        passes.append(len(ids))
        rows = computed(self, ids, keep)
        rows[:, letters] += 30  # random weights would begin characters absent from code
        return rows

    monkeypatch.setattr(runtime, name, noted)
    drafted = [completions(model), len(passes)]
    monkeypatch.setattr(constrained, "certain_text", lambda *_: "")
    passes.clear()
    plain = [completions(model), len(passes)]
    assert drafted[0] == plain[0]
    assert drafted[1] < plain[1]


def completions(model: Model) -> list[tuple[str, int, str, bool]]:
    """The texts at places with known words, their tokens and ends."""
    made: list[tuple[str, int, str, bool]] = []
    for end in ("shop.", "print(shop.", "first = [shop.show(), shop."):
        left = NAMES + "pass\n\n\nshop = Shop()\n" + end
        model.runtime.crop(0)
        written = complete(model, hole(left), left, RIGHT, Options(max_tokens=24, heal=False, bridge_ms=60_000))
        made.append((written.text, written.tokens, written.ended, written.complete))
    return made
