"""Parts of a training run on a card, tried without one: shards, rows from other processes, packed rows in transformers, 8 bits."""

from __future__ import annotations

import json
import random
import sysconfig
from pathlib import Path

import numpy as np
import pytest
import torch
from suture.model import ModelError, load
from suture.model.loading.weights import narrowed, read_arrays
from suture.training import ahead, fim, main, shards, train
from suture.training import tokenizer as bpe
from suture.training.config import ConfigError, TrainConfig, config_from
from suture.training.corpus import Corpus, Source
from tokenizers import Tokenizer

from ..support.modelzoo import bytelevel, save_model

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
GO = "package p\n\nfunc area(w, h int) int {\n\tif w < 0 {\n\t\treturn 0\n\t}\n\treturn w * h\n}\n"
TINY = {
    "vocab_size": 600, "hidden_size": 64, "intermediate_size": 128, "layers": 2, "heads": 2, "kv_heads": 1, "context": 128,
    "document_tokens": (48, 128), "batch_rows": 2, "threads": 1, "compile": False, "device": "cpu", "log_every": 1,
    "evaluation_holes": 4, "fitting_holes": 0, "ngram_megabytes": 0.0,
}  # fmt: skip


def tiny(**changes: object) -> TrainConfig:
    return config_from(TINY | changes)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [(LIBRARY / f"{name}.py").read_text(encoding="utf-8") for name in ("textwrap", "shlex", "bisect", "cmd")]


@pytest.fixture(scope="module")
def tokenizer(texts: list[str]) -> Tokenizer:
    made = bpe.train_tokenizer(texts, 600)
    made.encode_special_tokens = True
    return made


def corpora(texts: list[str], copies: int = 20) -> list[Corpus]:
    """A corpus of Python, one of Go; their files differ."""
    python = tuple(Source("p", "MIT", f"{i}.py", f"# {i}\n{texts[i % len(texts)]}") for i in range(copies))
    go = tuple(Source("g", "MIT", f"{i}.go", GO.replace("area", f"area{i}") * 30) for i in range(copies))
    return [Corpus(python, (Source("q", "MIT", "held.py", texts[0]),)), Corpus(go, ())]


def test_shards_hold_every_file_once_and_are_no_larger_than_said(texts: list[str], tmp_path: Path) -> None:
    given = corpora(texts)
    paths = shards.write_shards(given, tmp_path / "shards", most=20_000, block=30_000)
    assert len(paths) > 3 and all(path.stat().st_size <= 20_000 for path in paths)
    found = shards.load_shards(tmp_path / "shards")
    assert sorted(found.train, key=str) == sorted((*given[0].train, *given[1].train), key=str)
    assert found.held_out == given[0].held_out
    one = shards.load_shards(alone(paths[0], tmp_path / "one"))
    assert {source.path.split(".")[1] for source in one.train} == {"py", "go"}
    with pytest.raises(ConfigError, match="holds shards already"):
        shards.write_shards(given, tmp_path / "shards")
    with pytest.raises(ConfigError, match="no shards"):
        shards.load_shards(tmp_path)


def alone(path: Path, folder: Path) -> Path:
    folder.mkdir()
    (folder / path.name).write_bytes(path.read_bytes())
    return folder


def rows(texts: list[str], tokenizer: Tokenizer) -> fim.Rows:
    return fim.Rows(texts, tokenizer, length=129, document_tokens=(48, 128), spm_share=0.8, seed=1)


@pytest.mark.skipif(not ahead.can_fork(), reason="this system copies no processes")
def test_other_processes_make_the_same_rows(texts: list[str], tokenizer: Tokenizer) -> None:
    own, made = rows(texts, tokenizer), ahead.RowsAhead(rows(texts, tokenizer), 2)
    try:
        for first in (0, 0, 3, 6, 9, 30, 33):  # the first is asked for twice, and a resumed run begins further on
            assert made.batch(first, 3) == own.batch(first, 3)
    finally:
        made.close()


def test_transformers_masks_packed_rows_as_our_own_kernels_do(texts: list[str], tokenizer: Tokenizer) -> None:
    trainer = train.Trainer(tiny(), torch.device("cpu"))
    batch = rows(texts, tokenizer).batch(0, 3)
    ids = torch.tensor([row.ids[:-1] for row in batch])
    starts = [row.starts for row in batch]
    assert max(map(len, starts)) > 1
    trainer._bf16 = False
    bounds = [
        first + row * ids.shape[1] for row, firsts in enumerate(starts) for first in firsts if first < ids.shape[1]
    ]
    expected = trainer._hidden(ids, starts)
    torch.testing.assert_close(trainer._by_transformers(ids, [*bounds, ids.numel()]), expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_the_share_of_holes_with_nothing_behind_them_is_as_said(share: float) -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    ends = [fim.unwritten(text, 3, random.Random(seed), share) for seed in range(400)]
    assert abs(ends.count(len(text)) / len(ends) - share) < 0.08


def test_bodies_in_braces_are_holes(texts: list[str]) -> None:
    bodies = {GO[span[0] : span[1]].strip() for seed in range(300) if (span := fim._block(GO, random.Random(seed)))}
    assert {"return 0", "if w < 0 {\n\t\treturn 0\n\t}\n\treturn w * h"} <= bodies


def test_weights_of_8_bits_are_read_as_near_as_8_bits_are(tmp_path: Path) -> None:
    whole = save_model(tmp_path / "whole", bytelevel(), "llama")
    arrays = read_arrays(whole)
    folder = save_model(tmp_path / "eight", bytelevel(), "llama")
    as_eight_bits(folder)
    found = read_arrays(folder)
    assert found.keys() == arrays.keys()
    for name, array in found.items():
        assert array.dtype == np.float32
        most = np.abs(arrays[name]).max(-1, keepdims=True) / 127 / 2 if array.ndim == 2 else 0
        assert (np.abs(array - arrays[name]) <= most * 1.001).all(), name
    size = (folder / "model.safetensors").stat().st_size
    assert size < 0.4 * (whole / "model.safetensors").stat().st_size
    ids = list(range(5, 40))
    mine, theirs = (load(str(each), device="cpu").runtime.prefill(ids) for each in (folder, whole))
    assert 0 < (mine - theirs).std() < 0.05 * theirs.std()
    with pytest.raises(ModelError, match="8 bits run on the CPU"):
        load(str(folder), device="cpu", dtype="bfloat16")


def as_eight_bits(folder: Path) -> None:
    from safetensors.numpy import save_file

    save_file(narrowed(read_arrays(folder)), folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"suture_eight_bits": True}), encoding="utf-8")


def test_the_configuration_for_a_card_trains_on_shards_that_come_one_by_one(
    tmp_path: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = shards.write_shards(corpora(texts), tmp_path / "all", most=20_000, block=30_000)
    folder = alone(paths[0], tmp_path / "shards")
    lines = (Path(str(train.__file__)).parent / "card.toml").read_text(encoding="utf-8")
    config = config_from({**_values(lines), **TINY, "shards": str(folder), "workers": 2, "minutes": 0.0, "steps": 4})
    assert (config.weight_bits, config.nothing_follows, config.checkpoint_minutes) == (8, 0.5, 1.0)
    written = "".join(
        f"{key} = {json.dumps(list(value) if isinstance(value, tuple) else value)}\n"
        for key, value in vars(config).items()
    )
    (tmp_path / "card.toml").write_text(written, encoding="utf-8")
    saved: list[int] = []
    save = train.Trainer.save
    monkeypatch.setattr(
        train.Trainer, "save", lambda self, path: (saved.append(self.progress.step), save(self, path))[1]
    )
    out = str(tmp_path / "run")
    assert main([str(tmp_path / "card.toml"), "--out", out]) == 0
    (folder / paths[0].name).unlink()
    (folder / paths[1].name).write_bytes(paths[1].read_bytes())
    assert main(["--out", out, "--resume", "--steps", "6"]) == 0
    said = capsys.readouterr().out
    assert "going on from step 4" in said and saved[-1] == 6
    made = load(str(tmp_path / "run" / "model"), device="cpu")
    assert np.isfinite(made.runtime.prefill([5, 6, 7])).all()
    card = (tmp_path / "run" / "model" / "README.md").read_text(encoding="utf-8")
    assert "in 8 bits" in card and "Go, Python" in card


def _values(lines: str) -> dict[str, object]:
    import tomllib

    return tomllib.loads(lines)
