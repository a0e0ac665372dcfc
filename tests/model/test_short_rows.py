"""Rows that stay on a device: decisions by the best logits equal those by all, and little else is copied."""

import random
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from suture import parser
from suture.model import Completion, Model, Options, candidates, complete, load
from suture.model.cache_lm import drafts
from suture.model.decoding.driver import ModelCursor
from suture.model.decoding.row import Row
from suture.model.decoding.sampling import top_tokens
from suture.model.decoding.scoring import log_prob_of, logsumexp

from ..support.modelzoo import Brackets, bytelevel, save_model

torch = pytest.importorskip("torch")

from suture.model.runtime import on_device  # noqa: E402
from suture.model.runtime.on_device import DeviceRow, OnDevice  # noqa: E402
from suture.model.runtime.transformers_runtime import HfRuntime  # noqa: E402

OPTIONS = [
    Options(max_tokens=9),
    Options(max_tokens=12, heal=False, end_soon=False),
    Options(max_tokens=6, looks=3, looks_ms=60_000),
    Options(max_tokens=9, least_log_prob=-6.0, enough=-3.0),
    Options(max_tokens=9, least_log_prob=-9.0, looks=3, looks_ms=60_000, max_lines=1),
    Options(max_tokens=6, repetition_penalty=1.3),
    Options(max_tokens=6, temperature=1.0, top_k=7, seed=3),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("qwen2"), bytelevel(), "qwen2", hidden_size=64)


@pytest.fixture(params=["all different", "ties"])
def pair(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Model, Model]:
    """A model with rows copied whole, and the same as on a card; neither makes drafts, since their sums are rounded otherwise."""
    monkeypatch.setattr(drafts, "MOST", 0)
    if request.param == "ties":  # as there are in numbers of 16 bits
        exact = HfRuntime._logits
        monkeypatch.setattr(HfRuntime, "_logits", lambda self, ids, keep: exact(self, ids, keep).mul(2).round().div(2))
    whole = load(str(folder), device="cpu", dtype="float32", threads=1)
    monkeypatch.setattr(HfRuntime, "device", "cuda")
    short = load(str(folder), device="cpu", dtype="float32", threads=1)
    return replace(whole, context_tokens=short.context_tokens, line_last=short.line_last), short


def holes(chance: random.Random, count: int) -> list[tuple[str, str]]:
    """Places between brackets."""
    text = "def f(a, [b, {c: (d)}], *e):\n    return g((a)[b], {c})\n" * 2
    starts = [chance.randrange(len(text)) for _ in range(count)]
    return [(text[:start], text[min(len(text), start + chance.randrange(12)) :]) for start in starts]


def assert_same(mine: Completion, theirs: Completion) -> None:
    for field in fields(Completion):
        if field.name.endswith("_ms"):
            continue
        one, other = getattr(mine, field.name), getattr(theirs, field.name)
        if isinstance(other, tuple):
            assert [(p.length, p.complete) for p in one] == [(p.length, p.complete) for p in other]
            assert [p.log_prob for p in one] == pytest.approx([p.log_prob for p in other], abs=1e-4)
        elif isinstance(other, float):
            assert one == pytest.approx(other, abs=1e-4)
        else:
            assert one == other, field.name


@pytest.mark.parametrize("best", [1, 3, 20])
def test_completions_are_those_of_whole_rows(
    best: int, pair: tuple[Model, Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_device, "_BEST", best)
    for options, (left, right) in zip(OPTIONS, holes(random.Random(best), len(OPTIONS)), strict=True):
        hole = Brackets.hole(left, right)
        theirs, mine = (complete(model, hole, left, right, options) for model in pair)
        assert_same(mine, theirs)
    left, right = "f(", ")\n"
    several = [
        candidates(model, Brackets.hole(left, right), left, right, OPTIONS[0], 3, budget_ms=60_000) for model in pair
    ]
    for one, other in zip(*several, strict=True):
        assert_same(one, other)


def test_names_that_do_not_exist_are_refused_as_with_whole_rows(
    pair: tuple[Model, Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_device, "_BEST", 2)
    left, right = "import os\n\ndef f(width, height):\n    return w", "\n"
    state = parser.language("python").hole(left, right).state
    assert state is not None
    options = Options(max_tokens=5, least_log_prob=-30.0)  # so that no bridge is searched
    theirs, mine = (complete(model, state, left, right, options) for model in pair)
    assert_same(mine, theirs)


def test_most_steps_copy_the_best_alone(pair: tuple[Model, Model], monkeypatch: pytest.MonkeyPatch) -> None:
    short = pair[1]
    calls: list[str] = []
    for name in ("__init__", "whole"):
        called = getattr(DeviceRow, name)
        monkeypatch.setattr(
            DeviceRow,
            name,
            lambda self, *given, name=name, called=called: (calls.append(name), called(self, *given))[1],
        )
    left, right = "def f(x, [y{", "}])\nx"
    monkeypatch.setattr(on_device, "_BEST", 100)
    complete(short, Brackets.hole(left, right), left, right, Options(max_tokens=30, heal=False, enough=-1e6))
    assert calls.count("__init__") > 9 and calls.count("whole") <= 1


@pytest.mark.parametrize("best", [1, 5, 60])
def test_a_short_row_answers_as_a_whole_one(best: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "_BEST", best)
    model = load(str(folder), device="cpu", dtype="float32", threads=1)
    silent, ends = ModelCursor(model, lambda: False)._mute, list(model.template.ends)
    device = OnDevice(model.runtime, silent.tolist(), ends)  # type: ignore[arg-type]
    chance = np.random.default_rng(best)
    for _ in range(20):
        ids = chance.integers(0, device.size, 12).tolist()
        told = device.prefill(ids)
        logits = told.whole()
        np.testing.assert_allclose(logits, model.runtime.prefill(ids), atol=1e-4)
        logits[silent] = -np.inf
        questions: list[Callable[[Row], object]] = [
            lambda row: row.best,
            lambda row: row.top(int(count)),  # noqa: B023
            lambda row: row.logit(int(tokens[0])),  # noqa: B023
            lambda row: row.of(tokens).tolist(),  # noqa: B023
            lambda row: row.all().tolist(),
        ]
        count, tokens = chance.integers(1, 30), chance.integers(0, device.size, 9)
        short, whole = Row.short(told, device.size, silent), Row(logits)
        assert short.total == pytest.approx(logsumexp(logits), abs=1e-5)
        assert short.log_prob_of(np.array(ends)) == pytest.approx(log_prob_of(logits, np.array(ends)), abs=1e-5)
        assert short.top(4) == top_tokens(logits, 4)
        for at in chance.permutation(len(questions)):
            assert questions[at](short) == questions[at](whole)


def test_older_rows_leave_the_device_and_answer_as_before(folder: Path) -> None:
    model = load(str(folder), device="cpu", dtype="float32", threads=1)
    device = OnDevice(model.runtime, [3], [0])  # type: ignore[arg-type]
    rows = [device.prefill([5, 6, 7, 8]), *(row for _ in range(20) for row in device.rows([9, 10]))]
    held = [row for row in rows if isinstance(row._row, torch.Tensor)]
    assert len(held) == on_device._MOST_ROWS and held == rows[-len(held) :]
    first = rows[0]
    tokens = np.array([3, 5, 0, 77])
    expected = first.whole()
    expected[3] = -np.inf
    assert first.of(tokens).tolist() == expected[tokens].tolist()


def test_weights_that_compute_nonsense_are_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from suture.model import ModelError

    monkeypatch.setattr(HfRuntime, "device", "cuda")
    model = load(str(folder), device="cpu", dtype="float32", threads=1)
    exact = HfRuntime._logits
    monkeypatch.setattr(HfRuntime, "_logits", lambda self, ids, keep: exact(self, ids, keep) * torch.nan)
    with pytest.raises(ModelError, match="NaN"):
        complete(model, Brackets.hole("x = ", "\n"), "x = ", "\n")
