"""A cache of fixed size computes the same as a growing one, for any requests in any order; so do graphs with shared memory."""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..support.modelzoo import ARCHITECTURES, bytelevel, save_model

torch = pytest.importorskip("torch")

from suture.model import load  # noqa: E402
from suture.model.cache_lm.mixture import DraftingRuntime  # noqa: E402
from suture.model.errors import OutOfMemory  # noqa: E402
from suture.model.runtime import cached_sequence, static_runtime, transformers_runtime  # noqa: E402
from suture.model.runtime.static_runtime import Pass, StaticRuntime, packed_inputs  # noqa: E402
from suture.model.runtime.transformers_runtime import HfRuntime  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from transformers import AutoConfig, AutoModelForCausalLM  # noqa: E402

FIXED = [name for name in ARCHITECTURES if name != "granitemoehybrid"]
SIZE, LIMIT = 300, 200


def module(architecture: str, seed: int) -> Any:
    """A small model of a random shape, with random weights."""
    chance = random.Random(seed)
    heads = chance.choice([2, 4])
    shape = {
        "hidden_size": 8 * heads * chance.choice([1, 2]),
        "intermediate_size": 48,
        "num_hidden_layers": chance.choice([1, 2, 3]),
        "num_attention_heads": heads,
        "num_key_value_heads": chance.choice([1, heads]),
        "rope_theta": chance.choice([100.0, 1e6]),
        "tie_word_embeddings": chance.choice([True, False]),
    }
    given = {"vocab_size": SIZE, "max_position_embeddings": LIMIT, "pad_token_id": None} | ARCHITECTURES[architecture]
    given |= {} if architecture == "gpt_bigcode" else shape
    given |= {"n_positions": LIMIT} if architecture == "gpt_bigcode" else {}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made = AutoModelForCausalLM.from_config(AutoConfig.for_model(architecture, **given))
        for parameter in made.parameters():
            torch.nn.init.normal_(parameter, std=0.15)
    return made.eval()


@dataclass
class Imitation:
    """A graph without a card: it computes from its own inputs into its own logits, and spoils those of all others."""

    runtime: StaticRuntime
    window: int
    given: Pass
    logits: Any
    replays: int = 0

    @property
    def graph(self) -> "Imitation":
        return self

    def replay(self) -> None:
        for other in self.runtime._graphs.values():
            other.logits.fill_(torch.nan)
        self.logits.copy_(self.runtime._compute(self.given, self.window))
        self.replays += 1


def imitate(runtime: StaticRuntime) -> None:
    for count in static_runtime.ROWS:
        for window in runtime._windows:
            given = Pass(packed_inputs([0], 0, count))
            logits = runtime._compute(given, window).clone()
            runtime._graphs[count, window] = Imitation(runtime, window, given, logits)  # type: ignore[assignment]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows and pieces small enough for short sequences to cross them."""
    monkeypatch.setattr(static_runtime, "_WINDOWS", (48, 96))
    monkeypatch.setattr(static_runtime, "ROWS", (1, 2, 4, 8, 16, 32))


def asked(chance: random.Random, length: int) -> list[tuple[str, Any]]:
    """Calls as decoding makes them, from a sequence of some length on."""
    calls: list[tuple[str, Any]] = []
    for _ in range(14):
        kind = chance.choice(["step", "step", "step", "rows", "crop", "prefill"])
        count = chance.choice([1, 2, 3, 5, 6, 16, 17, 33, 40])
        if kind == "crop":
            length = chance.randrange(1, length + 1)
            calls.append((kind, length))
        elif kind == "prefill":
            length = chance.randrange(1, LIMIT + 1)
            calls.append((kind, length))
        elif length + (1 if kind == "step" else count) <= LIMIT:
            length += 1 if kind == "step" else count
            calls.append((kind, count))
    return calls


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("graphs", [False, True], ids=["eager", "graphs"])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("architecture", FIXED)
def test_random_calls_give_what_a_growing_cache_gives(
    architecture: str, seed: int, graphs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, chance = module(architecture, seed), random.Random(seed)
    fixed, growing = StaticRuntime(made, limit=LIMIT, size=SIZE), HfRuntime(made, limit=LIMIT, size=SIZE)
    if graphs:
        with torch.inference_mode():
            imitate(fixed)
        # While a graph is made, masks are built otherwise.
        monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    text = [chance.randrange(SIZE) for _ in range(LIMIT)]
    for kind, count in [("prefill", 60), *asked(chance, 60)]:
        given = {"prefill": [*text[: count // 2], *(chance.randrange(SIZE) for _ in range(count - count // 2))]}
        given |= {"step": chance.randrange(SIZE), "rows": text[:count], "crop": count}
        mine, theirs = (getattr(runtime, kind)(given[kind]) for runtime in (fixed, growing))
        assert fixed.length == growing.length
        if kind != "crop":
            assert mine.shape == theirs.shape and mine.dtype == np.float32
            np.testing.assert_allclose(mine, theirs, atol=1e-5 * float(np.abs(theirs).max()), rtol=0)
    if graphs:
        assert sum(graph.replays for graph in fixed._graphs.values()) > 5  # type: ignore[attr-defined]


@pytest.mark.parametrize("graphs", [False, True], ids=["eager", "graphs"])
@pytest.mark.parametrize("seed", range(3))
def test_documents_in_turn_are_read_once_and_give_what_a_growing_cache_gives(
    seed: int, graphs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three documents begin alike; each is typed in for a while before another one is turned to."""
    monkeypatch.setattr(cached_sequence, "_WORTH", 8)
    made, chance = module("qwen2", seed), random.Random(seed)
    fixed, growing = StaticRuntime(made, limit=LIMIT, size=SIZE), HfRuntime(made, limit=LIMIT, size=SIZE)
    if graphs:
        with torch.inference_mode():
            imitate(fixed)
    read: list[int] = []
    computed = StaticRuntime._read
    monkeypatch.setattr(
        StaticRuntime, "_read", lambda self, ids, begin: (read.append(len(ids)), computed(self, ids, begin))[1]
    )
    head = [chance.randrange(SIZE) for _ in range(30)]
    documents = [[*head, *(chance.randrange(SIZE) for _ in range(90))] for _ in range(3)]
    sizes: list[int] = []
    for turn in range(9):
        ids = documents[turn % 3]
        before, known = sum(read), fixed.cached(ids)
        for _ in range(3):
            ids += [chance.randrange(SIZE) for _ in range(2)]
            mine, theirs = fixed.prefill(ids), growing.prefill(ids)
            np.testing.assert_allclose(mine, theirs, atol=1e-5 * float(np.abs(theirs).max()), rtol=0)
            np.testing.assert_allclose(fixed.step(5), growing.step(5), atol=1e-5 * float(np.abs(theirs).max()), rtol=0)
        assert known == (0 if turn == 0 else 30 if turn < 3 else len(ids) - 6)
        sizes.append(sum(read) - before)
        assert len(fixed._aside) <= 2 and all(len(kept.ids) <= LIMIT for kept in fixed._aside)
    assert max(sizes[3:]) < 15 < 90 <= min(sizes[:3])


def test_a_card_without_room_keeps_no_other_document(monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = StaticRuntime(module("qwen2", 0), limit=LIMIT, size=SIZE)
    first, second = [*range(100)], [*range(100, 200)]
    expected = fixed.prefill(first)

    def full(*args: object, **kwargs: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(StaticRuntime, "_copied", full)
    fixed.prefill(second)
    assert fixed.cached(first) == 0
    np.testing.assert_allclose(fixed.prefill(first), expected, atol=1e-4)


class Waits(TorchDispatchMode):
    """Notes the operations that make the processor wait for their result: none may be in a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(name in str(func) for name in ("_local_scalar_dense", "nonzero", "equal.default", "lift_fresh")):
            self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("architecture", FIXED)
def test_a_pass_in_a_graph_never_waits_for_the_card(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = StaticRuntime(module(architecture, 1), limit=LIMIT, size=SIZE)
    seen: dict[bool, list[str]] = {}
    for capturing in (False, True):
        monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: capturing)  # noqa: B023
        with torch.inference_mode():
            passes = [Pass(packed_inputs([1], 0, count)) for count in (1, 4, 64)]
            with Waits() as waits:
                for given in passes:
                    fixed._compute(given, fixed._windows[-1])
        seen[capturing] = waits.seen
    assert seen[True] == []
    if architecture in ("llama", "qwen2"):
        assert seen[False] != [], "the check does not see what it looks for"


def loaded(folder: Path, monkeypatch: pytest.MonkeyPatch, limit: int = 512) -> Any:
    """The runtime of a folder as with a card, and its line."""
    monkeypatch.setattr(transformers_runtime, "_has_graphs", lambda device: True)
    config = json.loads((folder / "config.json").read_text())
    return transformers_runtime.load(
        folder, config, limit=limit, size=config["vocab_size"], device="cpu", dtype=torch.float32
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_with_a_card_every_architecture_gets_the_runtime_that_it_can_have(
    architecture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, line = loaded(save_model(tmp_path, bytelevel(), architecture), monkeypatch, limit=100)
    assert type(runtime) is (StaticRuntime if architecture in FIXED else HfRuntime)
    assert line.endswith(", with graphs") is (architecture in FIXED)
    assert (runtime.length, runtime.limit) == (0, 100)


def off_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_runtime._Layer, "get_seq_length", lambda self: self._place.positions[0] + 1)


def no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("operation not permitted when stream is capturing")

    monkeypatch.setattr(StaticRuntime, "_compute", fail)


@pytest.mark.parametrize("spoil", [off_by_one, no_graph])
def test_where_graphs_go_wrong_the_model_runs_as_without_them(
    spoil: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch)
    runtime, _ = loaded(save_model(tmp_path, bytelevel(), "qwen2"), monkeypatch)
    assert type(runtime) is HfRuntime and runtime.prefill([7, 8]).shape == (runtime.size,)


def test_no_room_for_the_cache_is_said_as_no_room_for_the_weights_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(StaticRuntime, "_compute", full)
    with pytest.raises(OutOfMemory, match="use a smaller model"):
        loaded(save_model(tmp_path, bytelevel(), "qwen2"), monkeypatch)


def test_with_a_card_a_model_drafts_what_the_document_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The texts are those without drafts, in fewer passes."""
    folder = save_model(tmp_path, bytelevel(), "qwen2")
    plain = load(str(folder), device="cpu", dtype="float32")
    assert not isinstance(plain.runtime, DraftingRuntime)
    monkeypatch.setattr(HfRuntime, "device", "cuda")
    drafting = load(str(folder), device="cpu", dtype="float32")
    assert isinstance(drafting.runtime, DraftingRuntime) and drafting.reader is not None
    left, line = "total = first + second * third\nprint(total)\n", "total = first + second * third"
    prompt = [5, 6, 7]
    drafting.reader.read(left, "\n", (), prompt, b"")
    tokens = plain.vocabulary.encode(line)
    for model in (plain, drafting):
        model.runtime.prefill(prompt)
    passes: list[int] = []
    appended = HfRuntime._append
    monkeypatch.setattr(
        HfRuntime, "_append", lambda self, ids, keep: (passes.append(len(ids)), appended(self, ids, keep))[1]
    )
    mine = [drafting.runtime.step(token) for token in tokens]
    drafted, passes[:] = len(passes), []
    for row, token in zip(mine, tokens, strict=True):
        np.testing.assert_allclose(row, plain.runtime.step(token), atol=1e-4)
    assert drafted < len(passes) / 2
