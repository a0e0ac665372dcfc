"""Models in the stores of other programs, by files of the same shape."""

import hashlib
import json
from pathlib import Path

import pytest
from suture.model import ModelError
from suture.model.loading.find import find_model
from suture.model.loading.gguf import MAGIC
from suture.model.loading.hub import check_hash
from suture.model.loading.stores import stored


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("OLLAMA_MODELS", "LLAMA_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


def ollama(home: Path, name: str, content: bytes) -> Path:
    digest = hashlib.sha256(content).hexdigest()
    blob = home / ".ollama/models/blobs" / f"sha256-{digest}"
    manifest = home / ".ollama/models/manifests" / name
    for path in (blob, manifest):
        path.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(content)
    layers = [
        {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:" + "0" * 64},
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"},
    ]
    manifest.write_text(json.dumps({"schemaVersion": 2, "layers": layers}))
    return blob


@pytest.mark.parametrize("manifest", ["[" * 100_000, '{"layers": 5}', "9" * 5000, '{"layers": [[]]}', "[]"])
def test_an_odd_manifest_hides_no_other_model(home: Path, manifest: str) -> None:
    ollama(home, "registry.ollama.ai/library/good/1b", MAGIC + b"1")
    ollama(home, "registry.ollama.ai/library/odd/1b", MAGIC + b"2")
    (home / ".ollama/models/manifests/registry.ollama.ai/library/odd/1b").write_text(manifest)
    assert [one.name for one in stored()] == ["ollama:good:1b"]


def test_models_of_other_programs_are_found_where_they_lie(home: Path) -> None:
    blob = ollama(home, "registry.ollama.ai/library/qwen2.5-coder/1.5b", MAGIC + b"1")
    ollama(home, "registry.ollama.ai/library/qwen2.5-coder/latest", MAGIC + b"2")
    ollama(home, "registry.ollama.ai/someone/coder/q4", MAGIC + b"3")
    studio = home / ".lmstudio/models/org/repo/model.gguf"
    studio.parent.mkdir(parents=True)
    studio.write_bytes(MAGIC)
    assert {one.name for one in stored()} == {
        *("ollama:qwen2.5-coder:1.5b", "ollama:qwen2.5-coder:latest", "ollama:someone/coder:q4"),
        "lmstudio:org/repo/model.gguf",
    }
    assert find_model("ollama:qwen2.5-coder:1.5b") == blob
    assert find_model("ollama:qwen2.5-coder").read_bytes().endswith(b"2")
    assert find_model("lmstudio:org/repo/model.gguf") == studio
    with pytest.raises(ModelError, match=r"no such model.*ollama:qwen2\.5-coder:1\.5b"):
        find_model("ollama:other")


def test_a_manifest_leads_nowhere_else(home: Path) -> None:
    blob = ollama(home, "registry.ollama.ai/library/x/latest", MAGIC)
    manifest = home / ".ollama/models/manifests/registry.ollama.ai/library/x/latest"
    for digest in ("sha256:../../../secret", "", None):
        layer = {"mediaType": "application/vnd.ollama.image.model", "digest": digest}
        manifest.write_text(json.dumps({"layers": [layer]}))
        assert stored() == []
    manifest.write_text("[]")
    assert stored() == []
    assert blob.exists()


def test_a_downloaded_file_is_what_its_name_says(tmp_path: Path) -> None:
    content = b"weights"
    blob = tmp_path / hashlib.sha256(content).hexdigest()
    blob.write_bytes(content)
    check_hash(blob)
    blob.write_bytes(b"weightz")
    with pytest.raises(ModelError, match="download it again"):
        check_hash(blob)
    other = tmp_path / "model.gguf"
    other.write_bytes(content)
    check_hash(other)
