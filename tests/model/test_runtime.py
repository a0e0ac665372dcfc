"""A cached sequence computes the same as a fresh one, for each architecture; the lean Llama the same as transformers."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file as load_numpy
from safetensors.numpy import save_file as save_numpy
from suture.model import Model, ModelError, load
from suture.model.loading.weights import read_arrays
from suture.model.runtime import blas, llama
from suture.model.runtime.llama import LlamaRuntime

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
    [
        {},
        {"num_key_value_heads": 4, "tie_word_embeddings": False},
        {"rope_theta": 5e5, "head_dim": 16},
        {
            "num_key_value_heads": 1,
            "rms_norm_eps": 1e-3,
            "rope_parameters": {"rope_type": "default", "rope_theta": 300.0},
        },
    ],
    ids=["grouped", "untied", "wide heads", "one group"],
)
@pytest.mark.parametrize("threads", [1, 3])
def test_lean_llama_equals_transformers(settings: dict, threads: int, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from suture.model.runtime import transformers_runtime

    folder = save_model(tmp_path, bytelevel(), "llama", max_position_embeddings=2048, **settings)
    config = json.loads((folder / "config.json").read_text())
    assert llama.fits(config)
    lean, _ = llama.load(folder, config, limit=2048, threads=threads)
    peer, _ = transformers_runtime.load(folder, config, limit=2048, size=lean.size, device="cpu", dtype=torch.float32)
    ids = (IDS * 20)[:1100]  # the cache grows twice
    for call in (
        lambda runtime: runtime.prefill(ids[:300]),
        lambda runtime: runtime.prefill(ids[:700]),
        lambda runtime: runtime.rows(ids[700:1100]),
        lambda runtime: (runtime.crop(200), runtime.step(17))[1],
        lambda runtime: runtime.prefill(ids[:201] + ids[:140]),  # in pieces, behind the cached tokens
        lambda runtime: runtime.rows(ids[:2]),
    ):
        np.testing.assert_allclose(call(lean), call(peer), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_weights_of_16_bits_are_read_as_torch_reads_them(kind: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file, save_file

    folder = save_model(tmp_path, bytelevel(), "llama")
    halved = {name: tensor.to(getattr(torch, kind)) for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(halved, folder / "model.safetensors")
    for name, array in read_arrays(folder).items():
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array, halved[name].float().numpy())


def test_weights_of_integers_are_refused(tmp_path: Path) -> None:
    folder = save_model(tmp_path, bytelevel(), "llama")
    arrays = load_numpy(folder / "model.safetensors")
    save_numpy({name: array.astype(np.int8) for name, array in arrays.items()}, folder / "model.safetensors")
    with pytest.raises(ModelError, match="not floating-point numbers"):
        load(str(folder), device="cpu")


def test_one_piece_that_fails_ends_a_prompt_that_threads_share(tmp_path: Path) -> None:
    """No thread waits for the keys of a piece that never comes."""
    model = load(str(save_model(tmp_path, bytelevel(), "llama")), device="cpu", threads=2)
    ids = [(7 * i) % 290 + 5 for i in range(500)]
    expected = fresh(model, ids)
    for at in (3, 200, 450):
        with pytest.raises(IndexError):
            model.runtime.prefill([*ids[:at], 10**6, *ids[at:490]])
        assert model.runtime.length == 0
    close(model.runtime.prefill(ids), expected)


@pytest.mark.parametrize("seed", range(3))
def test_a_place_that_was_left_a_moment_ago_is_not_read_again(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two places in turn, with typing in each; each sequence is longer than the first cache."""
    runtime = load(str(save_model(tmp_path, bytelevel(), "llama")), device="cpu").runtime
    chance, read = random.Random(seed), list[int]()
    forward = LlamaRuntime._forward
    monkeypatch.setattr(
        LlamaRuntime, "_forward", lambda self, ids, keep: (read.append(len(ids)), forward(self, ids, keep))[1]
    )
    head = [chance.randrange(5, 300) for _ in range(30)]
    places = [[*head, *(chance.randrange(5, 300) for _ in range(100))] for _ in range(2)]
    for turn in range(6):
        ids = places[turn % 2]
        before, known = sum(read), runtime.cached(ids)
        assert known == (0 if turn == 0 else 30 if turn == 1 else len(ids))
        ids += [chance.randrange(5, 300) for _ in range(3)]
        rows = runtime.prefill(ids), runtime.step(7)
        assert sum(read) - before <= (140 if turn < 2 else 4)
        other = load(str(tmp_path), device="cpu").runtime
        for mine, theirs in zip(rows, (other.prefill(ids), other.step(7)), strict=True):
            close(mine, theirs)


def test_products_are_made_on_one_thread_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library's threads that spin while they wait for each other make a step slower beside any other busy process."""
    library = blas._openblas()
    if library is None:
        pytest.skip("NumPy has another library here")
    count = library.scipy_openblas_get_num_threads64_
    model = load(str(save_model(tmp_path, bytelevel(), "llama")), device="cpu", threads=2)
    before, seen = count(), []
    layered = llama.LlamaRuntime._layered

    def noted(self: llama.LlamaRuntime, *args: Any) -> object:
        seen.append(count())
        return layered(self, *args)

    monkeypatch.setattr(llama.LlamaRuntime, "_layered", noted)
    model.runtime.prefill(IDS * 5)
    model.runtime.step(3)
    assert set(seen) == {1} and len(seen) > 2 and count() == before


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
        {"model_type": "llama", "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}},
        {"model_type": "llama", "partial_rotary_factor": 0.5},
        {"model_type": "llama", "sliding_window": 512},
    ],
)
def test_only_a_plain_llama_is_run_by_the_lean_runtime(config: dict) -> None:
    assert not llama.fits(config)


def test_a_plain_llama_is_loaded_without_torch(tmp_path: Path) -> None:
    """The start of the server depends on it."""
    folder = save_model(tmp_path, bytelevel())
    code = (
        "import sys, suture.model as m; model = m.load(sys.argv[1]); print(model.description);"
        "assert not any(map(sys.modules.get, ('torch', 'transformers', 'huggingface_hub')))"
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


def test_prompts_of_all_lengths_make_few_products(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """oneDNN keeps some 0.6 MB for each number of rows ever multiplied in 16 bits: 2 GB in an hour of editing."""
    folder = save_model(tmp_path, bytelevel(), "qwen2")
    model = load(str(folder), device="cpu", dtype="bfloat16", copying=False)
    seen = rows_of_half_products(model, monkeypatch, list(range(16, 400, 7)))
    assert 0 < len(seen) <= 15, sorted(seen)


def test_a_long_prompt_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a whole, a thousand tokens take 20 MB of intermediate values, and products of lengths unknown to shorter prompts."""
    folder = save_model(tmp_path, bytelevel(), "llama")
    model = load(str(folder), device="cpu", dtype="float32", copying=False, threads=1)
    ids = [(7 * i) % 290 + 5 for i in range(200)]
    whole = [fresh(model, ids), model.runtime.rows(ids[:70])]
    pieces: list[int] = []
    layered = llama.LlamaRuntime._layered

    def noted(self: llama.LlamaRuntime, ids: list[int], *more: Any) -> object:
        pieces.append(len(ids))
        return layered(self, ids, *more)

    monkeypatch.setattr(llama.LlamaRuntime, "_layered", noted)
    monkeypatch.setattr(llama, "_CHUNK", 48)
    close(fresh(model, ids), whole[0])
    assert pieces == [48, 48, 48, 48, 8]
    close(model.runtime.rows(ids[:70]), whole[1])  # with all logits wanted
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
