"""Purposely odd model folders: one clear line each, within seconds, and nothing is run or waited for."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from suture.model import ModelError, load
from suture.model.loading import gguf
from suture.model.loading.gguf import read_gguf
from suture.model.loading.info import info

from ..support.gguf_files import write_gguf
from ..support.modelzoo import bytelevel, save_model
from ..support.work import HANGING_S

N = 200_000
posix = pytest.mark.skipif(os.name != "posix", reason="no pipes with names")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_model(tmp_path, bytelevel(), "llama")


def problem(folder: Path) -> str:
    started = time.process_time()
    with pytest.raises(ModelError) as caught:
        load(str(folder), device="cpu")
    assert time.process_time() - started < HANGING_S
    text = str(caught.value)
    assert "\n" not in text and len(text) < 600, text
    return text


def change(path: Path, **new: Any) -> None:
    value = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**value, **new}), "utf-8")


@posix
@pytest.mark.parametrize(
    "name", ["config.json", "tokenizer.json", "generation_config.json", "model.safetensors", "copying.json"]
)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_file_is_not_waited_for(folder: Path, name: str, kind: str) -> None:
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name) if kind == "pipe" else (folder / name).symlink_to("/dev/zero")
    assert f"{name} is not a regular file" in problem(folder)


@posix
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_gguf_file_that_is_none_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "model.gguf"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    assert problem(tmp_path) and not gguf.is_gguf(path)
    with pytest.raises(ModelError, match="it is not a regular file"):
        read_gguf(path)


def test_the_head_of_a_gguf_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each value of an array becomes an object: ten thousand million bytes in a large file would be as many of these."""
    path = write_gguf(tmp_path / "x.gguf", {"a": [1] * 600, "b": ["x"] * 600}, {"t": np.zeros((4, 4), np.float32)})
    assert read_gguf(path).fields["a"] == [1] * 600
    for name, most in (("_MOST_VALUES", 1000), ("_MOST_HEAD", 500)):
        with monkeypatch.context() as bounded:
            bounded.setattr(gguf, name, most)
            with pytest.raises(ModelError, match="its header is too large"):
                read_gguf(path)


@posix
def test_a_model_card_is_no_pipe(folder: Path) -> None:
    os.mkfifo(folder / "README.md")
    assert info(str(folder)).licence is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("num_hidden_layers", 10**9), ("num_hidden_layers", "many"), ("vocab_size", 10**10), ("vocab_size", [1])),
        *(("hidden_size", 10**9), ("intermediate_size", 10**12), ("num_attention_heads", 10**9), ("head_dim", 10**9)),
        *(("max_position_embeddings", 10**15), ("num_hidden_layers", -1), ("num_hidden_layers", True)),
    ],
)
def test_sizes_that_do_not_fit_the_weights(folder: Path, key: str, value: Any) -> None:
    change(folder / "config.json", **{key: value})
    assert f"the {key} of its config.json does not fit its weights" in problem(folder)


@pytest.mark.parametrize(
    "name", ["config.json", "tokenizer.json", "generation_config.json", "copying.json", "certainty.json"]
)
@pytest.mark.parametrize(
    "text", ["[" * N, '{"a":' * N, "[1, 2]", "9" * 5000, "\ufeff{}", '{"slope": 1e999, "hidden": [[1e999]]}']
)
def test_junk_in_json(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, "utf-8")
    if name == "generation_config.json" and text.startswith('{"slope'):
        load(str(folder), device="cpu")  # odd, and harmless
    elif name == "config.json" and text.startswith('{"slope'):
        assert "no causal language model" in problem(folder)
    else:
        assert f"{name} " in problem(folder) or "tokenizer" in problem(folder)


@pytest.mark.parametrize("end", ["x", [None, "x", 1.5, {}], -1, {"a": 1}, True, 10**30])
def test_end_tokens_that_are_none(folder: Path, end: Any) -> None:
    change(folder / "generation_config.json", eos_token_id=end)
    model = load(str(folder), device="cpu")
    assert model.template.ends


def header_of(tensors: dict[str, Any]) -> bytes:
    text = json.dumps(tensors).encode()
    return len(text).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    "make",
    [
        lambda: (26_000_000).to_bytes(8, "little") + b" " * 26_000_000,
        lambda: header_of({"t": {"dtype": "F32", "shape": [10**30], "data_offsets": [0, 4]}}) + b"1234",
        lambda: header_of({"t": {"dtype": "F32", "shape": [-5], "data_offsets": [0, 4]}}) + b"1234",
        lambda: header_of({"t": {"dtype": ["x"], "shape": [1], "data_offsets": [0, 4]}}) + b"1234",
        lambda: header_of({"t": 5}) + b"1234",
        lambda: len("[" * N).to_bytes(8, "little") + b"[" * N,
        lambda: (10**15).to_bytes(8, "little") + b"{}",
        lambda: b"",
    ],
)
def test_headers(folder: Path, make: Callable[[], bytes]) -> None:
    (folder / "model.safetensors").write_bytes(make())
    assert "model.safetensors is damaged" in problem(folder)


def test_a_token_of_a_huge_number(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    tokenizer["model"]["vocab"]["!!far"] = 4_000_000_000
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    assert "token of number 4,000,000,000" in problem(folder)


def test_an_expression_that_explodes(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    split = {"type": "Split", "pattern": {"Regex": r"((x+)+)+\1y|(?:.*)*\2$"}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, level]}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    try:
        model = load(str(folder), device="cpu")
    except ModelError as error:
        assert "tokenizer" in str(error)
    else:
        with pytest.raises(ModelError, match="its tokenizer fails"):
            model.vocabulary.encode("x" * 5000)


@pytest.mark.parametrize("value", ["someone/kernel", "kernels-community/flash-attn3:flash_attention", {"": "a/b"}])
def test_no_kernel_of_the_hub_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: Any) -> None:
    folder = save_model(tmp_path, bytelevel(), "qwen2")
    change(folder / "config.json", attn_implementation=value, _attn_implementation=value, experts_implementation="a/b")
    asked: list[object] = []
    import transformers.modeling_utils as modeling

    for name in ("load_and_register_attn_kernel", "lazy_import_flash_attention"):
        if hasattr(modeling, name):
            monkeypatch.setattr(modeling, name, lambda *given, **more: asked.append(given))
    model = load(str(folder), device="cpu", dtype="float32")
    assert model.runtime._module.config._attn_implementation in ("sdpa", "eager") and not asked  # type: ignore[attr-defined]
