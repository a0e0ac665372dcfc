"""Texts that only repeat the text beside them, and must be more probable than others."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from suture.model import Model, complete, load
from suture.model.decoding.repetition import only_repeats

from ..support.modelzoo import Brackets, bytelevel, save_model
from ..support.scripted import PLAIN, Scripted, scripted

LINES = "".join(f"x{number} = {number}\n" for number in range(9))


@pytest.mark.parametrize(
    ("left", "text", "right", "expected"),
    [
        ("    a = 1\n", "    a = 1", "\n", True),
        ("    a = 1\n    ", "a = 1", "\n", True),
        ("    a = 1\n", "a = 1", "\n", False),  # another block
        ("    a = 1\n    ", "a = 12", "\n", False),
        ("", "a = 1", "\n\na = 1  \n", True),
        ("a = (1\n)\n", ")", "\n", False),  # a bracket says nothing
        ("a = 1\nb = 2\n", "a = 1\nb = 2", "\n", True),
        ("a = 1\nb = 2\n", "a = 1\nb = 3", "\n", False),
        (LINES, "x3 = 3", "\n", True),
        (LINES, "x2 = 2", "\n", False),  # too far away
        (LINES + "x", "8 = 8", "\n", True),
        (LINES + "x", "7 = 7", "\n", False),  # the rest of a line already begun may well repeat one
        ("foo(a)\n", "foo(a", ")\n", True),
        ("", "", "", False),
    ],
)
def test_lines_that_stand_near_are_only_repeated(left: str, text: str, right: str, expected: bool) -> None:
    assert only_repeats(left, text, right) is expected


@dataclass
class Torn(Scripted):
    """Says one of two texts, the first being a little more probable."""

    other: str = ""

    def _logits(self) -> np.ndarray:
        logits = super()._logits()
        rival = list(self.inner.vocabulary.encode(self.other))
        at = len(self.sequence) - self.start
        if self.sequence[self.start :] == rival[:at] and at < len(rival):
            logits[rival[at]] = -0.5 if at == 0 else 1.0
        return logits


def test_of_two_texts_the_one_that_says_something_new_is_given(tmp_path_factory: pytest.TempPathFactory) -> None:
    llama: Model = load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")
    for left, expected in (("a+b\n", "c+d"), ("a+c\n", "a+b")):
        model = replace(scripted(llama, "a+b"), runtime=Torn(llama, "a+b", other="c+d"))
        options = replace(PLAIN, looks=2, looks_ms=60_000)
        done = complete(model, Brackets.hole(left, "\n"), left, "\n", options)
        assert done.text == expected
