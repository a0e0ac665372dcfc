"""Programs used by tests: a broken one on the PATH is not used, but named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .support import oracle_checked, oracles, programs

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs are shell scripts here")
RUSTUP = "echo 'error: rustup could not choose a version of rustc to run' >&2; exit 1"


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the whole PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "BROKEN", {})
    programs._works.cache_clear()
    return tmp_path


def put(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


@pytest.mark.parametrize("judge", ["rustc", "bash", "ruby", "php", "mcs", "javac"])
def test_a_judge_that_does_not_work_judges_nothing(on_path: Path, judge: str) -> None:
    """It was said to refuse right texts."""
    judged = {"rustc": "rust", "mcs": "csharp", "javac": "java"}.get(judge, judge)
    assert not oracle_checked.has_judge(judged) and f"no {judge}" in oracle_checked.why_none(judged)
    put(on_path, judge, RUSTUP)
    assert not oracle_checked.has_judge(judged) and oracle_checked.verdicts(judged, ["fn f() {}"]) is None
    assert f"{judge} is on the PATH and does not work (error: rustup" in oracle_checked.why_none(judged)
    put(on_path, judge, "exit 0")
    programs._works.cache_clear()
    assert oracle_checked.has_judge(judged)


def test_an_interpreter_that_only_says_that_there_is_none_is_none(
    on_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYENV_ROOT", str(on_path))
    monkeypatch.setattr(oracles, "_GIVEN", {})
    put(on_path, "python3.99", "echo 'pyenv: python3.99: command not found' >&2; exit 127")
    assert oracles.interpreter("3.99") is None and "command not found" in programs.why_not("python3.99")


def test_a_program_that_cannot_be_started_is_none(on_path: Path) -> None:
    put(on_path, "ruby", "")
    (on_path / "ruby").write_bytes(b"\x7fELF nothing")
    assert programs.program("ruby") is None and "ruby is on the PATH" in programs.why_not("ruby")
