"""Models that do not fit, presets, and the facts a folder gives about its model."""

from pathlib import Path

import pytest
from suture.model import ModelError, load
from suture.model.errors import OutOfMemory
from suture.model.loading import info as model_info
from suture.model.loading import memory, presets
from suture.model.loading.find import find_model
from suture.model.loading.weights import check_weights

from ..support.modelzoo import bytelevel, save_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("model"), bytelevel())


def only(monkeypatch: pytest.MonkeyPatch, **free: int) -> None:
    """Report so many free bytes on the devices."""
    monkeypatch.setattr(memory, "free", lambda device: free.get(device))


def test_a_model_too_large_for_the_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, cpu=10_000)
    with pytest.raises(ModelError, match=r"it needs \d+ kB of memory and cpu has 10 kB free: use a smaller model"):
        load(str(folder), device="cpu")


def test_without_room_on_the_gpu_the_cpu_does_it_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = save_model(tmp_path, bytelevel(), "qwen2")
    monkeypatch.setattr(
        "suture.model.runtime.factory.choose_device", lambda device: "cuda" if device == "auto" else device
    )
    monkeypatch.setattr("torch.cuda.is_bf16_supported", lambda: True)
    only(monkeypatch, cuda=1_000)
    model = load(str(folder))
    assert model.runtime.device == "cpu"
    assert "runs on the CPU" in model.notice and "cuda has 1 kB free" in model.notice
    with pytest.raises(ModelError, match="cuda has 1 kB free"):  # a device asked for by name is not replaced
        load(str(folder), device="cuda")


def test_out_of_memory_is_told_from_other_errors() -> None:
    assert issubclass(OutOfMemory, ModelError)


def test_sizes_are_read_from_the_headers(folder: Path) -> None:
    weights = check_weights(folder)
    model = load(str(folder), device="cpu")
    assert weights.kinds == ("F32",) and weights.bytes == 4 * weights.parameters
    assert f"{weights.parameters / 1e6:.1f} M parameters" in model.description


@pytest.mark.parametrize(("count", "words"), [(999, "1 kB"), (14_000_000, "14 MB"), (1_234_000_000, "1.2 GB")])
def test_bytes_in_words(count: int, words: str) -> None:
    assert memory.in_words(count) == words


def test_memory_here_is_known() -> None:
    free = memory.free("cpu")
    assert free is None or free > 100_000_000


def test_presets_stand_for_hub_names() -> None:
    assert presets.hub_name("Qwen2.5-Coder-0.5b") == "Qwen/Qwen2.5-Coder-0.5B"
    assert presets.hub_name("someone/some-model") == "someone/some-model"
    assert len({preset.name for preset in presets.PRESETS}) == len(presets.PRESETS)
    with pytest.raises(ModelError, match="nor in the local cache"):
        find_model("qwen2.5-coder-0.5b")


def test_what_a_folder_tells(folder: Path) -> None:
    (folder / "README.md").write_text("---\ntags: [code]\nlicense: mit\n---\n# A model\n", encoding="utf-8")
    info = model_info.info(str(folder))
    assert (info.architecture, info.template, info.licence, info.context) == ("llama", "starcoder", "mit", 512)
    assert info.gpu_bytes < info.cpu_bytes
    with pytest.raises(ModelError, match="there is no such folder"):
        model_info.info("./nowhere")


def test_the_hub_cache_is_listed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.utils._cache_manager.HF_HUB_CACHE", str(tmp_path), raising=False)
    assert model_info.cached() == []
    repository = tmp_path / "models--someone--tiny"
    shutil.copytree(folder, repository / "snapshots" / "0123456789abcdef0123456789abcdef01234567")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0123456789abcdef0123456789abcdef01234567")
    (repository / "blobs").mkdir()
    assert [one.hub for one in model_info.cached()] == ["someone/tiny"]
    assert model_info.cached()[0].bytes > 10_000
