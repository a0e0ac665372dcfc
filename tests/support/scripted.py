"""A runtime with a test's answers: only the distribution is scripted, so that each ending can be provoked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from suture.model import Completion, Model, Options, complete

from .modelzoo import Brackets


@dataclass
class Scripted:
    """A runtime that writes a text and then its end, with chosen probabilities of the end at each step."""

    inner: Model
    text: str
    ends: dict[int, float] = field(default_factory=dict)  # step: logit of the end token
    steps: int = 0
    sequence: list[int] = field(default_factory=list)
    start: int = 0
    device: str = "cpu"
    limit: int = 512

    @property
    def size(self) -> int:
        return self.inner.runtime.size

    @property
    def length(self) -> int:
        return len(self.sequence)

    def cached(self, ids: Sequence[int]) -> int:
        return 0

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        if not self.start:
            self.start = len(ids)
        self.sequence = list(ids)
        return self._logits()

    def step(self, token: int) -> np.ndarray:
        self.steps += 1
        self.sequence.append(token)
        return self._logits()

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        rows = []
        for token in ids:
            self.sequence.append(token)
            rows.append(self._logits())
        return np.stack(rows)

    def crop(self, length: int) -> None:
        del self.sequence[length:]

    def _logits(self) -> np.ndarray:
        logits = np.full(self.size, -20.0, np.float32)
        said = self.sequence[self.start :]
        script = [*self.inner.vocabulary.encode(self.text), self.inner.template.ends[0]]
        logits[script[min(len(said), len(script) - 1)]] = 0.0
        if len(said) in self.ends:
            logits[self.inner.template.ends[0]] = self.ends[len(said)]
        return logits


def scripted(llama: Model, text: str, **settings: object) -> Model:
    return replace(llama, runtime=Scripted(llama, text, **settings))  # type: ignore[arg-type]


PLAIN = Options(heal=False, max_tokens=20)


def check(model: Model, left: str, right: str, options: Options = Options()) -> Completion:  # noqa: B008
    """A constrained completion, checked to be complete, within its budget, streamed in viable pieces, and truthful about itself."""
    hole = Brackets.hole(left, right)
    shown = ""

    def on_text(piece: str) -> None:
        nonlocal shown
        shown += piece
        assert hole.advance(shown) is not None

    def on_cut(kept: int) -> None:
        nonlocal shown
        assert kept < len(shown)
        shown = shown[:kept]

    result = complete(model, hole, left, right, options, on_text=on_text, on_cut=on_cut)
    assert shown == result.text
    after = hole.advance(result.text)
    assert after is not None and after.complete and result.complete
    assert result.tokens <= options.max_tokens
    assert result.score is None or result.score <= 0
    assert not any(
        token in result.text
        for token in model.vocabulary.ids
        if model.vocabulary.bytes_of[model.vocabulary.ids[token]] is None
    )
    assert 0 < result.model_ms <= result.total_ms and 0 <= result.constraint_ms <= result.total_ms
    assert not result.cancelled
    return result
