"""One command fits the numbers beside a model's weights, the same each time."""

import sys
from pathlib import Path

import pytest
from suture.model import calibration, load
from suture.model.cache_lm import mixture
from suture.training import fit_calibration, fit_copying
from suture.training.corpus import Corpus, Source, save_corpus

from ..support.modelzoo import bytelevel, save_model

TEXT = "".join(f"    def area_{i}(self, width, height):\n        return self.scale * width\n" for i in range(20))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of two held-out packages; the last one is left for measuring."""
    held_out = [Source(name, "MIT", "x.py", text) for name, text in (("one", TEXT), ("two", "y = 1\n"))]
    save_corpus(Corpus((), tuple(held_out)), tmp_path / "corpus.jsonl")
    return tmp_path / "corpus.jsonl"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(fit_copying, "_STEPS", 20)
    monkeypatch.setattr(sys, "argv", ["calibrate", *map(str, arguments)])
    return fit_copying.main()


def test_the_command_writes_both_files_the_same_each_time(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save_model(tmp_path / "zoo", bytelevel(), "llama")
    written: list[list[str]] = []
    for _ in range(2):
        assert run(monkeypatch, "--model", folder, "--corpus", corpus, "--holes", 20, "--threads", 1) == 0
        written.append([(folder / name).read_text() for name in (mixture.FILE, calibration.FILE)])
    assert written[0] == written[1]
    loaded = load(str(folder))
    assert loaded.reader is not None and loaded.certainty.threshold == fit_calibration.THRESHOLD


def test_what_is_missing_is_said(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "--model", tmp_path / "none", "--corpus", corpus) == 1
    save_corpus(Corpus((), ()), corpus)
    assert run(monkeypatch, "--model", tmp_path, "--corpus", corpus) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and "not seen" in said[1]
