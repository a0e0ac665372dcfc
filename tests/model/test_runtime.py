"""A cached sequence computes what a fresh one does, for each architecture; the lean Llama computes what transformers does."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from suture.model import Model, ModelError, load
from suture.model.runtime import llama, torch_runtime

from ..support.modelzoo import ARCHITECTURES, bytelevel, save_model


@pytest.fixture(scope="module", params=ARCHITECTURES)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = save_model(tmp_path_factory.mktemp(request.param), bytelevel(), request.param)
    return load(str(folder), device="cpu", dtype="float32")


IDS = [(7 * i) % 290 + 5 for i in range(60)]  # longer than the sliding windows


def close(one: np.ndarray, other: np.ndarray) -> None:
    assert one.dtype == np.float32
    np.testing.assert_allclose(one, other, rtol=1e-3, atol=2e-3)


def fresh(model: Model, ids: list[int]) -> np.ndarray:
    model.runtime.crop(0)
    return model.runtime.prefill(ids)


def test_steps_rows_and_crops_equal_a_fresh_prefill(model: Model) -> None:
    runtime = model.runtime
    expected = [fresh(model, IDS[:n]) for n in (40, 41, 45, 60)]
    close(fresh(model, IDS[:40]), expected[0])
    close(runtime.step(IDS[40]), expected[1])
    close(runtime.rows(IDS[41:45])[-1], expected[2])
    close(runtime.prefill(IDS), expected[3])
    runtime.crop(40)
    assert runtime.length == 40
    close(runtime.rows(IDS[40:45])[0], expected[1])
    close(runtime.prefill(IDS[:45]), expected[2])  # the same sequence again


def test_a_changed_prompt_keeps_its_common_prefix(model: Model) -> None:
    changed = [*IDS[:30], 9, 9, 9]
    expected = fresh(model, changed)
    fresh(model, IDS)
    close(model.runtime.prefill(changed), expected)


def test_logits_are_the_callers_own(model: Model) -> None:
    logits = fresh(model, IDS[:10])
    logits[:] = -np.inf
    again = model.runtime.step(IDS[10])
    assert np.isfinite(again).all()
    again[:] = 0
    close(model.runtime.prefill(IDS[:11]), fresh(model, IDS[:11]))


def test_too_long_a_sequence_is_said(model: Model) -> None:
    with pytest.raises(ModelError, match="longer than the model's 512 tokens"):
        model.runtime.prefill([9] * 513)
    close(model.runtime.prefill(IDS), fresh(model, IDS))


def test_a_failed_step_leaves_no_half_written_cache(model: Model) -> None:
    expected = fresh(model, IDS)
    with pytest.raises((IndexError, RuntimeError)):
        model.runtime.step(10**6)
    assert model.runtime.length == 0
    close(model.runtime.prefill(IDS), expected)


@pytest.mark.parametrize(
    "settings",
    [{}, {"num_key_value_heads": 4, "tie_word_embeddings": False}, {"rope_theta": 5e5, "head_dim": 16}],
    ids=["grouped", "untied", "wide heads"],
)
def test_lean_llama_equals_transformers(settings: dict, tmp_path: Path) -> None:
    import torch
    from suture.model.runtime import llama, transformers_runtime

    folder = save_model(tmp_path, bytelevel(), "llama", max_position_embeddings=2048, **settings)
    config = json.loads((folder / "config.json").read_text())
    assert llama.fits(config)
    lean, _ = llama.load(folder, config, limit=2048)
    peer, _ = transformers_runtime.load(folder, config, limit=2048, size=lean.size, device="cpu", dtype=torch.float32)
    ids = (IDS * 20)[:1100]  # the cache grows twice
    for call in (
        lambda runtime: runtime.prefill(ids[:300]),
        lambda runtime: runtime.prefill(ids[:700]),
        lambda runtime: runtime.rows(ids[700:1100]),
        lambda runtime: (runtime.crop(200), runtime.step(17))[1],
    ):
        np.testing.assert_allclose(call(lean), call(peer), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("halved", "faster"), [(0.5, True), (0.9, False), (2.0, False)])
def test_bfloat16_is_taken_where_it_is_faster_and_not_where_it_merely_exists(
    monkeypatch: pytest.MonkeyPatch, halved: float, faster: bool
) -> None:
    tried = torch_runtime.faster_in_bfloat16.__wrapped__
    monkeypatch.setattr(torch_runtime, "_product_seconds", lambda dtype: halved if dtype == torch.bfloat16 else 1.0)
    monkeypatch.setattr(torch_runtime, "multiplies_bfloat16", lambda: True)
    assert tried() is faster
    monkeypatch.setattr(torch_runtime, "multiplies_bfloat16", lambda: False)
    assert tried() is False


def test_prompts_in_bfloat16_say_nearly_the_same(tmp_path: Path) -> None:
    from suture.model.runtime import llama

    folder = save_model(tmp_path, bytelevel(), "llama", max_position_embeddings=2048)
    config = json.loads((folder / "config.json").read_text())
    exact, _ = llama.load(folder, config, limit=2048)
    mixed, description = llama.load(folder, config, limit=2048, mixed=True)
    assert ("bfloat16" in description) == llama.faster_in_bfloat16()
    ids = [7 * i % 350 + 10 for i in range(60)]
    for end in (30, 60):  # from an empty cache, and after what is in it
        np.testing.assert_allclose(mixed.prefill(ids[:end]), exact.prefill(ids[:end]), atol=0.1)
    np.testing.assert_allclose(mixed.step(40), exact.step(40), atol=0.1)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "mistral"},
        {"model_type": "llama", "attention_bias": True},
        {"model_type": "llama", "mlp_bias": True},
        {"model_type": "llama", "hidden_act": "gelu"},
        {"model_type": "llama", "rope_scaling": {"rope_type": "llama3", "factor": 8.0}},
        {"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 2.0}},
        {"model_type": "llama", "quantization_config": {}, "rope_parameters": {"rope_type": "yarn"}},
    ],
)
def test_only_a_plain_llama_is_run_by_the_lean_runtime(config: dict) -> None:
    from suture.model.runtime import llama

    assert not llama.fits(config)


def test_a_plain_llama_is_loaded_without_transformers(tmp_path: Path) -> None:
    """The start of the server depends on it."""
    folder = save_model(tmp_path, bytelevel())
    code = (
        "import sys, suture.model as m; assert 'torch' not in sys.modules; model = m.load(sys.argv[1], device='cpu');"
        "assert 'transformers' not in sys.modules and 'huggingface_hub' not in sys.modules; print(model.description)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("llama, 0.0 M parameters, cpu, float32")


def rows_of_half_products(model: Model, monkeypatch: pytest.MonkeyPatch, lengths: list[int]) -> set[int]:
    """With how many rows 16-bit matrices are multiplied in prompts of such lengths."""
    import torch

    seen: set[int] = set()
    linear = torch.nn.functional.linear

    def noted(given: torch.Tensor, weight: torch.Tensor, *more: torch.Tensor) -> torch.Tensor:
        rows = given.numel() // given.shape[-1]
        if weight.dtype == torch.bfloat16 and rows >= 16:
            seen.add(rows)
        return linear(given, weight, *more)

    monkeypatch.setattr(torch.nn.functional, "linear", noted)
    for length in lengths:
        ids = [(7 * i) % 290 + 5 for i in range(length)]
        logits = fresh(model, ids)
        assert model.runtime.length == length and logits.shape == (model.runtime.size,)
    return seen


@pytest.mark.parametrize("lean", [True, False])
def test_prompts_of_all_lengths_make_few_products(lean: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """oneDNN keeps some 0.6 MB for each number of rows that it has ever multiplied in 16 bits: 2 GB in an hour of editing."""
    monkeypatch.setattr("suture.model.runtime.llama.faster_in_bfloat16", lambda: True)
    folder = save_model(tmp_path, bytelevel(), "llama")
    model = load(str(folder), device="cpu", dtype="auto" if lean else "bfloat16", copying=False)
    seen = rows_of_half_products(model, monkeypatch, list(range(16, 400, 7)))
    assert 0 < len(seen) <= 15, sorted(seen)


def test_a_long_prompt_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a whole, a thousand tokens take 20 MB of intermediate values, and products of lengths that no shorter prompt has."""
    folder = save_model(tmp_path, bytelevel(), "llama")
    model = load(str(folder), device="cpu", dtype="float32", copying=False)
    ids = [(7 * i) % 290 + 5 for i in range(200)]
    whole = [fresh(model, ids), model.runtime.rows(ids[:70])]
    pieces: list[int] = []
    layered = llama.LlamaRuntime._layered

    def noted(self: llama.LlamaRuntime, ids: list[int], past: int) -> object:
        pieces.append(len(ids))
        return layered(self, ids, past)

    monkeypatch.setattr(llama.LlamaRuntime, "_layered", noted)
    monkeypatch.setattr(llama, "_CHUNK", 48)
    close(fresh(model, ids), whole[0])
    assert pieces == [48, 48, 48, 48, 8]
    close(model.runtime.rows(ids[:70]), whole[1])  # all of whose logits are wanted
    assert model.runtime.length == 270 and pieces[-1] == 70


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_rounding_rows_up_changes_no_logits(architecture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(str(save_model(tmp_path, bytelevel(), architecture)), device="cpu", dtype="bfloat16", copying=False)
    ids = [(7 * i) % 290 + 5 for i in range(120)]
    parts = (ids[:37], ids[:90], ids)  # 37 tokens, then 53 and 30 more
    rounded = [model.runtime.prefill(part).copy() for part in parts] + [model.runtime.rows(ids[:20])]
    monkeypatch.setattr("suture.model.runtime.transformers_runtime.row_bucket", lambda rows: rows)
    model.runtime.crop(0)
    plain = [model.runtime.prefill(part).copy() for part in parts] + [model.runtime.rows(ids[:20])]
    for one, other in zip(rounded, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=0.02, atol=0.02 * float(np.abs(other).max()))
