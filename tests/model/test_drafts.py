"""Steps computed ahead: the logits equal those of single steps, and right drafts save passes of the model."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.model import Model, load
from suture.model.cache_lm import drafts
from suture.model.cache_lm.drafts import DraftedSteps
from suture.model.runtime import llama

from ..support.modelzoo import bytelevel, save_model

TOKENS = st.integers(0, 5)


class Remembering:
    """A runtime whose logits identify the whole sequence, so that a wrong one is always noticed; it counts its passes."""

    device, limit, size = "cpu", 40, 3

    def __init__(self) -> None:
        self.sequence: list[int] = []
        self.passes = 0

    @property
    def length(self) -> int:
        return len(self.sequence)

    def cached(self, ids: Sequence[int]) -> int:
        return 0

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        self.sequence = []
        return self.rows(ids)[-1]

    def step(self, token: int) -> np.ndarray:
        return self.rows([token])[0]

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        self.passes += 1
        rows = []
        for token in ids:
            self.sequence.append(token)
            rows.append(np.array(named(self.sequence)))
        assert len(self.sequence) <= self.limit
        return np.stack(rows)

    def crop(self, length: int) -> None:
        del self.sequence[length:]


def named(sequence: Sequence[int]) -> list[float]:
    return [
        float(len(sequence)),
        float(sum(7**i * token for i, token in enumerate(sequence[-9:]))),
        float(sequence[-1]),
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from(["step", "step", "step", "rows", "crop", "prefill"]), TOKENS, st.lists(TOKENS)),
        max_size=30,
    )
)
def test_whatever_is_drafted_the_logits_are_those_of_the_sequence(
    calls: list[tuple[str, int, list[int]]],
) -> None:
    inner = Remembering()
    steps = DraftedSteps(inner)
    steps.prefill([1])
    sequence = [1]
    for what, token, drafted in calls:
        if what == "step" and len(sequence) < inner.limit:
            sequence.append(token)
            assert steps.step(token, lambda d=drafted: d).tolist() == named(sequence)
        elif what == "rows" and len(sequence) + len(drafted) + 1 <= inner.limit:
            rows = steps.rows([token, *drafted])
            for row, one in zip(rows, [token, *drafted], strict=True):
                sequence.append(one)
                assert row.tolist() == named(sequence)
        elif what == "crop":
            del sequence[max(1, len(sequence) - token) :]
            steps.crop(len(sequence))
        elif what == "prefill" and len(drafted) < inner.limit:
            sequence = [token, *drafted]
            assert steps.prefill(sequence).tolist() == named(sequence)
        assert steps.length == len(sequence)


def test_right_drafts_save_passes() -> None:
    said = [3, 1, 4, 1, 5, 2]
    for drafting, expected in ((True, 2), (False, 6)):
        inner = Remembering()
        steps = DraftedSteps(inner)
        steps.prefill([0])
        inner.passes = 0
        for at, token in enumerate(said):
            steps.step(token, lambda drafted=said[at + 1 : at + 4] if drafting else []: drafted)
        assert inner.passes == expected


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("zoo"), bytelevel(), "llama")


def test_a_model_that_copies_computes_what_the_document_says_ahead(folder: Path) -> None:
    """With the continuation of the same words elsewhere; and the logits equal those without drafts."""
    from suture.model.cache_lm.mixture import FILE

    from .test_cache_lm import trusting

    trusting().save(folder / FILE)
    model = load(str(folder), device="cpu")
    left, line = "total = first + second * third\nprint(total)\n", "total = first + second * third"
    asked = [5, 6, 7]
    rows: list[list[np.ndarray]] = []
    passes: list[int] = []
    appended = llama.LlamaRuntime._append

    def noted(self: llama.LlamaRuntime, ids: Sequence[int], keep: int) -> np.ndarray:
        passes.append(len(ids))
        return appended(self, ids, keep)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llama.LlamaRuntime, "_append", noted)
        for most in (drafts.MOST, 0):
            patch.setattr(drafts, "MOST", most)
            rows.append(spelled(model, left, line, asked))
    count = len(rows[1])
    assert passes[-count:] == [*([len(asked)] if passes[-count] > 1 else []), *[1] * (count - (passes[-count] > 1))]
    assert len(passes) - count < count / 2, "the drafts are of no use"
    for one, other in zip(*rows, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


def spelled(model: Model, left: str, text: str, asked: list[int]) -> list[np.ndarray]:
    """The logits at each token of a text behind a left context."""
    assert model.reader is not None
    model.reader.read(left, "\n", (), asked, b"")
    model.runtime.crop(0)
    found = [model.runtime.prefill(asked)]
    return found + [model.runtime.step(token) for token in model.vocabulary.encode(text)]
