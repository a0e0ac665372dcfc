"""Copying: the agreeing places equal those of a slow search; mixing is a distribution; a runtime with it stays a runtime."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suture import parser
from suture.model import Model, ModelError, Options, complete, load
from suture.model.cache_lm.matches import LONGEST, MOST, SHORTEST, DocumentIndex
from suture.model.cache_lm.mixture import (
    END_FEATURES,
    FEATURES,
    FILE,
    Copier,
    CopyingRuntime,
    MixtureWeights,
    load_gate,
    mix,
)

from ..support.modelzoo import bytelevel, save_model


def agreement(text: bytes, end: int, needle: bytes) -> int:
    """How many bytes before `end` are those at the end of `needle`, found the slow way."""
    length = 0
    while length < min(end, len(needle), LONGEST) and text[end - 1 - length] == needle[-1 - length]:
        length += 1
    return length


@settings(deadline=None)
@given(left=st.text("ab\n é", max_size=60), right=st.text("ab\n é", max_size=60), more=st.text("ab\n é", max_size=8))
def test_matches_are_those_of_a_slow_search(left: str, right: str, more: str) -> None:
    hay = DocumentIndex(left, right)
    needle = (hay.before + more.encode())[-2 * LONGEST :]
    expected = {
        end: length
        for end in range(len(hay.data) + 1)
        if (length := agreement(hay.data, end, needle)) >= SHORTEST and end != hay.cursor and b"\0" not in needle
    }
    found = hay.matches(needle)
    lengths = dict(zip(found.ends.tolist(), found.lengths.tolist(), strict=True))
    near = [end for end in lengths if lengths[end] < SHORTEST]
    assert all(agreement(hay.data, end, needle) == lengths.pop(end) for end in near)
    assert found.total == len(expected) and len(lengths) == min(MOST, len(expected))
    assert all(expected[end] == length for end, length in lengths.items())
    assert sorted(lengths.values(), reverse=True) == sorted(expected.values(), reverse=True)[:MOST]


def test_of_many_places_the_longest_agreement_is_found() -> None:
    text = "        x = 1\n" * 3000 + "    the_only_one = (\n        " + "        y = 2\n" * 3000
    hay = DocumentIndex(text + "    the_only_one = (\n        ", "")
    found = hay.matches(hay.before[-2 * LONGEST :])
    assert hay.ahead(int(found.ends[0])) == b"        " and len(found.ends) <= MOST
    assert hay.data[found.ends[0] - 21 : found.ends[0]].endswith(b"_one = (\n        ")


def check_next(gate: MixtureWeights, left: str, right: str, expected: str, others: tuple[str, ...] = ()) -> None:
    """With a model that knows nothing, check the text most probable for the gate after `left`."""
    model = uniform(gate)
    assert model.reader is not None
    asked = [5]
    model.reader.read(left, right, others, asked, b"")
    logits = model.runtime.prefill(asked)
    token = int(logits.argmax())
    spelling = "END" if token in model.template.ends else (model.vocabulary.bytes_of[token] or b"").decode()
    assert spelling == expected
    assert np.exp(logits.astype(np.float64)).sum() == pytest.approx(1, abs=1e-4)


class Uniform:
    """A runtime with equal logits for all tokens."""

    device, limit, length = "cpu", 2048, 0

    def __init__(self, size: int) -> None:
        self.size = size

    def cached(self, ids: object) -> int:
        return 0

    def prefill(self, ids: object) -> np.ndarray:
        return np.zeros(self.size, dtype=np.float32)

    def step(self, token: int) -> np.ndarray:
        return np.zeros(self.size, dtype=np.float32)

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        return np.zeros((len(ids), self.size), dtype=np.float32)

    def crop(self, length: int) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_model(tmp_path_factory.mktemp("zoo"), bytelevel(), "llama")
    trusting().save(folder / FILE)
    return folder


_ZOO: list[Model] = []


def uniform(gate: MixtureWeights) -> Model:
    """A model with a real vocabulary and no knowledge but the gate's."""
    from dataclasses import replace

    model = _ZOO[0]
    copier = Copier(model.vocabulary, model.runtime.size, model.template.ends)
    return replace(model, runtime=CopyingRuntime(Uniform(model.runtime.size), copier, gate), reader=copier)


@pytest.fixture(scope="module", autouse=True)
def _zoo(folder: Path) -> None:
    _ZOO[:] = [load(str(folder), copying=False)]


def trusting() -> MixtureWeights:
    """A gate that believes long agreement, and ends where the copy continues with the right context."""
    hidden = np.zeros((FEATURES + 1, 2))
    hidden[0, 0] = 1.0  # how much agrees
    hidden[12, 1] = 1.0  # the share of the continuation in the right context
    return MixtureWeights(hidden, np.array([3.0, 0.0, 5.0]), np.array([3.0, 6.0, 8.0]), np.zeros(END_FEATURES))


def test_the_longest_agreement_wins() -> None:
    check_next(trusting(), "self.total = 1\nxyz.total += 2\nself.total", "\n", " =")


def test_the_right_context_counts() -> None:
    check_next(trusting(), "value = comp", "\nother = compute(1)\n", "u")


def test_other_texts_count() -> None:
    check_next(trusting(), "frobnicate", "\n", "(", ("def frobnicate(x):\n",))


def test_the_end_is_where_the_right_context_starts() -> None:
    check_next(trusting(), "foo(alpha, beta)\nfoo(alpha, beta", ")\nlast", "END")


def test_a_line_nearby_that_would_come_out_again_is_known() -> None:
    text = "    a = 1\n    b = 22\n\n    "
    hay = DocumentIndex(text, "\n    )\n    c = 3\n")
    places = [hay.data.index(part) for part in (b"a = 1", b"b = 22", b"= 22", b"c = 3")]
    found, already = hay.repeating(np.array(places), b"")
    assert not already and found[:, 0].tolist() == [1 / 2, 1, 0, 1]
    assert found[1, 1] == pytest.approx(1 / 7)
    found, already = hay.repeating(np.array([hay.data.index(b"22")]), b"b = ")
    assert not already and found.tolist() == [[1, pytest.approx(5 / 7)]]
    assert hay.repeating(np.array([], dtype=np.int64), b"b = 22")[1]
    found, _ = hay.repeating(np.array(places), b"z = 4\n    b = 2\n    ")
    assert found[:, 0].tolist() == [1 / 4, 1 / 3, 0, 1]  # written text counts as lines above


def test_nothing_is_copied_where_that_is_not_wanted(folder: Path) -> None:
    plain, mixed = load(str(folder), copying=False), load(str(folder))
    left, right = "alpha = beta(1)\ngamma = 2\nalpha = ", "\n"
    state = parser.language("python").hole(left, right).state
    assert state is not None
    options = Options(max_lines=0, max_tokens=6)
    texts = [
        complete(mixed, state, left, right, Options(max_lines=0, max_tokens=6, copying=on)).text
        for on in (True, False, True)
    ]
    assert texts[1] == complete(plain, state, left, right, options).text
    assert texts[0] == texts[2] != texts[1]


def test_what_is_not_the_prompt_is_not_mixed(folder: Path) -> None:
    plain, mixed = load(str(folder), copying=False), load(str(folder))
    assert mixed.reader is not None
    ids = list(range(20, 40))
    mixed.reader.read("x = 1\nx = ", "\n", (), ids, b"")
    for prompt in (ids[:10], [*ids[:-1], 7], ids[1:]):
        np.testing.assert_array_equal(mixed.runtime.prefill(prompt), plain.runtime.prefill(prompt))
    assert not np.allclose(mixed.runtime.prefill(ids), plain.runtime.prefill(ids))


def test_steps_rows_and_crops_equal_a_fresh_prefill(folder: Path) -> None:
    model = load(str(folder), dtype="float32")
    runtime, ids = model.runtime, [5, 60, 70]
    assert model.reader is not None
    model.reader.read("total = 1\nprint(total)\ntot", "\n", (), ids, b"")
    text = list(model.vocabulary.encode("al = 1"))
    runtime.prefill(ids)
    stepped = [runtime.step(token) for token in text]
    runtime.crop(len(ids))
    np.testing.assert_allclose(runtime.rows(text), np.stack(stepped), atol=1e-4)
    np.testing.assert_allclose(runtime.prefill([*ids, *text]), stepped[-1], atol=1e-4)
    assert runtime.length == len(ids) + len(text)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_a_mix_is_a_distribution_and_the_same_each_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    random_gate = MixtureWeights(
        *(rng.normal(size=shape) for shape in ((FEATURES + 1, 5), (6,), (6,), (END_FEATURES,)))
    )
    model = _ZOO[0]
    source = random.Random(seed)
    left = "".join(source.choice(["self.", "x", " = ", "\n    ", "foo(", ")"]) for _ in range(60))
    copier = Copier(model.vocabulary, model.runtime.size, model.template.ends)
    forced = b"oo(" if left.endswith("foo(") else left.encode()[-1:]
    copier.read(left, source.choice([")\n", "\n", ""]), (), [1], forced)
    logits = rng.normal(size=model.runtime.size).astype(np.float32)
    for generated in (b"", forced[:1], forced, forced + b"foo("):
        logp = copier.log_probabilities(logits, generated)
        votes = copier.votes(generated, logp)
        assert votes.features.shape == (len(votes.tokens), FEATURES) and np.isfinite(votes.features).all()
        rest = forced[len(generated) :]
        assert all((model.vocabulary.bytes_of[token] or b"").startswith(rest) for token in votes.tokens.tolist())
        one = mix(logp, votes, random_gate, copier.ends)
        assert np.exp(one.astype(np.float64)).sum() == pytest.approx(1, abs=1e-4)
        np.testing.assert_array_equal(one, mix(logp, copier.votes(generated, logp), random_gate, copier.ends))


def test_a_completion_copies_and_is_valid(folder: Path) -> None:
    model = load(str(folder))
    left = "configuration = read_configuration('a')\nprint(configuration)\nconfiguration = read_conf"
    right = "\nprint(configuration)\n"
    state = parser.language("python").hole(left, right).state
    assert state is not None
    done = complete(model, state, left, right, Options(max_lines=0, max_tokens=40))
    assert done.complete and done.text.startswith("iguration(")
    assert done.text == complete(model, state, left, right, Options(max_lines=0, max_tokens=40)).text


@pytest.mark.parametrize("damage", ["{}", "[", '{"hidden": [[1]], "token": [1], "end": [1], "end_bias": [1]}'])
def test_a_damaged_gate_is_said(folder: Path, tmp_path: Path, damage: str) -> None:
    (tmp_path / FILE).write_text(damage)
    with pytest.raises(ModelError, match=FILE):
        load_gate(tmp_path / FILE)


def test_a_gate_is_read_as_written(tmp_path: Path) -> None:
    trusting().save(tmp_path / FILE)
    np.testing.assert_array_equal(load_gate(tmp_path / FILE).hidden, trusting().hidden)
    assert set(json.loads((tmp_path / FILE).read_text())) == {"hidden", "token", "end", "end_bias"}


def test_fitting_learns_to_copy_where_a_text_repeats_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from suture.training import fit_copying

    monkeypatch.setattr(fit_copying, "_STEPS", 60)
    model = load(str(folder), copying=False)
    text = "".join(f"    def area_{i}(self, width, height):\n        return self.scale * width\n" for i in range(9))
    positions = fit_copying.collect(model, fit_copying.choose_holes([text], 12, seed=3))
    gate = fit_copying.fit(positions).copying
    alone = -np.mean([position.log_prob for position in positions])
    copier = Copier(model.vocabulary, model.runtime.size, model.template.ends)
    hidden = np.zeros(model.runtime.size) - np.log(model.runtime.size)
    mixed = [
        mix(hidden, position.votes, gate, copier.ends)[copier.ends[0] if position.is_end else position.token]
        for position in positions
    ]
    assert -np.mean(mixed) < alone - 2
