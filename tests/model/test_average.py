"""The mean of several models' weights (`training/average.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from suture.training.average import main


def _model(folder: Path, value: float, *, tokenizer: str = "{}", width: int = 3) -> Path:
    folder.mkdir()
    save_file({"one": torch.full((2, width), value, dtype=torch.bfloat16)}, folder / "model.safetensors")
    (folder / "tokenizer.json").write_text(tokenizer)
    (folder / "config.json").write_text(f'{{"first": {value}}}')
    return folder


def test_shares_count(tmp_path: Path) -> None:
    first, second = _model(tmp_path / "a", 1.0), _model(tmp_path / "b=1", 5.0)
    assert main([str(tmp_path / "plain"), str(first), f"{second}=1"]) == 0
    assert main([str(tmp_path / "shared"), f"{first}=3", f"{second}=1"]) == 0
    plain = load_file(tmp_path / "plain" / "model.safetensors")["one"]
    shared = load_file(tmp_path / "shared" / "model.safetensors")["one"]
    assert plain.dtype == torch.bfloat16 and plain.shape == (2, 3)
    assert plain.tolist() == [[3.0] * 3] * 2
    assert shared.tolist() == [[2.0] * 3] * 2
    assert (tmp_path / "plain" / "config.json").read_text() == '{"first": 1.0}'


@pytest.mark.parametrize(
    ("other", "words"),
    [({"tokenizer": "[]"}, "different tokenizers"), ({"width": 4}, "different shapes")],
)
def test_models_that_do_not_fit_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: dict[str, object], words: str
) -> None:
    first, second = _model(tmp_path / "a", 1.0), _model(tmp_path / "b", 5.0, **other)  # type: ignore[arg-type]
    assert main([str(tmp_path / "out"), str(first), str(second)]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten_and_damaged_weights_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = _model(tmp_path / "a", 1.0)
    assert main([str(first), str(first)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main([str(tmp_path / "out"), f"{first}=0"]) == 2
    assert "share above 0" in capsys.readouterr().err
    (first / "model.safetensors").write_bytes(b"not weights")
    assert main([str(tmp_path / "out"), str(first)]) == 2
    assert str(first) in capsys.readouterr().err
