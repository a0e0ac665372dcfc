"""Each failure to load a model ends in one line with the remedy."""

import json
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from suture.model import ModelError, load
from suture.model.loading import presets
from suture.model.loading.find import EMBEDDED

from ..support.modelzoo import ARCHITECTURES, PIPE, STAR, bytelevel, save_model, sentencepiece


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("saved"), bytelevel())


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "model"))


def check(name: Path | str, message: str, **options: object) -> None:
    """Loading fails with `message` in one line with the remedy."""
    with pytest.raises(ModelError) as caught:
        load(str(name), **options)  # type: ignore[arg-type]
    said = str(caught.value)
    assert said.startswith(f"cannot use the model {name}: ")
    assert message in said
    assert "\n" not in said and ": " in said.removeprefix(f"cannot use the model {name}: ")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_each_architecture_loads_from_its_folder(architecture: str, tmp_path: Path) -> None:
    model = load(str(save_model(tmp_path, bytelevel(PIPE), architecture)), device="cpu")
    assert model.template.name == "qwen"
    assert model.description.startswith(f"{architecture}, 0.")
    assert model.runtime.limit == 512
    assert model.vocabulary.ids["<|endoftext|>"] in model.template.ends


def test_a_sentencepiece_model_begins_with_its_begin_of_text(tmp_path: Path) -> None:
    tokenizer = sentencepiece(("▁<PRE>", "▁<SUF>", "▁<MID>", "▁<EOT>"))
    model = load(str(save_model(tmp_path, tokenizer, eos_token_id=[2])), device="cpu")
    assert (model.template.name, model.template.parts[0]) == ("codellama", 1)
    assert {2, model.vocabulary.ids["▁<EOT>"]} <= set(model.template.ends)


def test_our_own_models_say_their_order(folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text('{"suture_fim_order": "spm"}')
    model = load(str(folder), device="cpu")
    assert (model.template.name, model.template.order) == ("suture", "spm")
    assert load(str(folder), order="psm").template.order == "psm"
    assert load(str(folder), template="starcoder").template.name == "starcoder"


def test_the_end_tokens_of_all_configs_count(folder: Path) -> None:
    (folder / "generation_config.json").write_text('{"eos_token_id": [30, 31]}')
    assert {0, 30, 31} <= set(load(str(folder)).template.ends)


def edit(path: Path, change: Callable[[dict], object]) -> None:
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def test_missing_folders_and_files(folder: Path, tmp_path: Path) -> None:
    check(tmp_path / "nowhere", "there is no such folder: check the path")
    check(folder / "config.json", "this is not a GGUF file: name one, or the folder")
    (tmp_path / "empty").mkdir()
    check(tmp_path / "empty", "has no config.json: name a folder with a complete model")
    (folder / "tokenizer.json").unlink()
    check(folder, "has no tokenizer.json: download all files")


def test_damaged_json(folder: Path) -> None:
    (folder / "tokenizer.json").write_text('{"version": "1.0", ')
    check(folder, "tokenizer.json is damaged")
    (folder / "config.json").write_text("[]")
    check(folder, "config.json is not a JSON object: download it again")
    (folder / "config.json").write_bytes(b"\xff\xfe{")
    check(folder, "config.json cannot be read")


def test_weights_that_are_not_whole(folder: Path) -> None:
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-10])
    check(folder, f"model.safetensors is incomplete ({len(whole) - 10:,} of {len(whole):,} bytes)")
    for damaged in (b"", whole[:5], struct.pack("<Q", 2**60) + whole[8:], whole[:8] + b"x" + whole[9:]):
        weights.write_bytes(damaged)
        check(folder, "model.safetensors is damaged: download it again")
    weights.unlink()
    check(folder, "has no model.safetensors: download all files")


def test_shards_are_looked_up_in_the_index(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    check(folder, "model-00002-of-00002.safetensors is missing: download all files")
    edit(folder / "model.safetensors.index.json", lambda value: value["weight_map"].pop("b"))
    assert load(str(folder)).description
    (folder / "model.safetensors.index.json").write_text("{}")
    check(folder, "model.safetensors.index.json cannot be read")
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../x.safetensors"}}')
    check(folder, "is no safetensors file of its folder")


def test_pickled_weights_are_never_opened(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"not even a pickle")
    check(folder, "pickle files, which can run code: use a revision with model.safetensors")


@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
def test_weights_of_another_shape_or_lacking_tensors(architecture: str, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = save_model(tmp_path, bytelevel(), architecture)
    tensors = load_file(folder / "model.safetensors")
    lacking = {key: value for key, value in tensors.items() if "layers.1.mlp.up_proj" not in key}
    save_file(lacking, folder / "model.safetensors", metadata={"format": "pt"})
    check(folder, "model.layers.1.mlp.up_proj.weight")
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    edit(folder / "config.json", lambda config: config.update(intermediate_size=64, hidden_size=48))
    check(folder, "its weights do not fit its config.json")


def test_wrong_architectures(folder: Path) -> None:
    pytest.importorskip("transformers")
    edit(folder / "config.json", lambda config: config.update(model_type="t5"))
    check(folder, "t5 is no causal language model that transformers knows: use another model")
    edit(
        folder / "config.json", lambda config: config.update(model_type="mine", auto_map={"AutoConfig": "code.Config"})
    )
    (folder / "code.py").write_text("raise SystemExit('remote code was run')")
    check(folder, "mine needs code from its own repository, which is never run: use another model")


def test_no_fim_tokens(tmp_path: Path) -> None:
    check(
        save_model(tmp_path, bytelevel(("<|endoftext|>",))), "no fill-in-the-middle tokens: use a model trained for it"
    )


def test_fim_tokens_that_the_weights_do_not_know(tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    folder = save_model(tmp_path, bytelevel(("<|endoftext|>",)))
    tokenizer = Tokenizer.from_str(bytelevel(("<|endoftext|>",)))
    tokenizer.add_special_tokens(list(STAR))
    tokenizer.save(str(folder / "tokenizer.json"))
    check(folder, "its weights do not know: use a model of one piece")


def test_hub_names_are_looked_up_in_the_cache_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def forbidden(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", forbidden)
    check("nobody/no-such", "nor in the local cache of the hub: `suture models pull nobody/no-such` downloads it")
    pull = "`suture models pull nobody/no-such --revision abc` downloads it"
    check("nobody/no-such", f"nor in the local cache of the hub at revision abc: {pull}", revision="abc")
    for preset in presets.PRESETS:
        check(preset.name, f"`suture models pull {preset.name} --revision abc` downloads it", revision="abc")
    check("two words", "there is no model of that name: `suture models` lists some")


def test_hub_without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub
    from huggingface_hub import errors

    def unreachable(*_: object, **__: object) -> None:
        raise errors.LocalEntryNotFoundError("no connection")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    check("nobody/no-such-model", "the hub cannot be reached", offline=False)


@pytest.mark.parametrize("name", ["embedded", "nobody/no-such", "."])
def test_a_device_that_does_not_exist_is_no_reason_to_install_anything(name: str) -> None:
    for device in ("gpu", "tpu", "CUDA", "cuda:", "cpu:0", ""):
        check(name, f"there is no device {device!r}: use auto, cuda, mps or cpu", device=device)


def test_devices_and_number_types(folder: Path) -> None:
    import torch

    check(folder, "there is no number type 'int3': use auto, ", dtype="int3")
    if not torch.cuda.is_available():
        check(folder, "no cuda device that torch can use: use --device auto", device="cuda")
    assert "bfloat16" in load(str(folder), device="cpu", dtype="bfloat16").description


def test_without_the_embedded_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("suture.model.loading.find.EMBEDDED", tmp_path)
    with pytest.raises(ModelError, match="cannot use the model embedded: it is not in this installation: reinstall"):
        load()


@pytest.mark.skipif(not (EMBEDDED / "config.json").is_file(), reason="the embedded model is not there yet")
def test_the_embedded_model_loads_by_default() -> None:
    model = load(device="cpu")
    assert (model.name, model.template.name, model.template.order) == ("embedded", "suture", "spm")
    assert type(model.runtime).__name__ == "CopyingRuntime"
    size = sum(entry.stat().st_size for entry in os.scandir(EMBEDDED))
    assert size < 64 * 2**20
