"""The command for measuring a card runs without one, on small shapes, and its comparisons agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from benchmarks import card  # noqa: E402


def test_the_command_runs_without_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    threads = torch.get_num_threads()
    try:
        assert card.main(["--out", str(tmp_path)]) == 0
    finally:
        torch.set_num_threads(threads)
    results = json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))
    tiny = results["shapes"]["tiny"]
    assert tiny["runtime"] == "StaticRuntime" and tiny["difference"] < 1e-4
    assert list(tiny["steps, graphs"]["200"]) == ["1", "2", "4", "8", "16"]
    done = tiny["completions"]
    assert done["right"] == done["places"] == 4 and done["tokens"] > 1, "the raised text is what is written"
    assert "| a prompt of 200 |" in (tmp_path / "card.md").read_text(encoding="utf-8")
