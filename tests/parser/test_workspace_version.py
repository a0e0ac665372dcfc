"""`version_for`: the version of a file, from the files around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from suture.parser.languages.python import workspace
from suture.parser.languages.python.workspace import version_for


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "3.11"),
        ({"pyproject.toml": '[project]\nrequires-python = ">=3.9"\n'}, "3.9"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.10"\n'}, "3.10"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\npython = {version = "^3.10", optional = true}\n'}, "3.10"),
        ({"setup.cfg": "[metadata]\nname = x\n[options]\npython_requires = >=3.8\n"}, "3.8"),
        ({"setup.cfg": "[options]\nzip_safe = no\n", "setup.py": "setup(\n    python_requires='~=3.12',\n)\n"}, "3.12"),
        ({"setup.cfg": "no section\n", ".python-version": "3.10.4\n"}, "3.10"),
        ({".python-version": "3.13\n", "pyproject.toml": "[tool.x]\n"}, "3.13"),
        ({"pyproject.toml": '[project]\nrequires-python = "<3.13"\n', ".python-version": "3.12\n"}, "3.12"),
        ({"src/pyproject.toml": '[project]\nrequires-python = ">=3.12"\n', ".python-version": "3.9\n"}, "3.12"),
        ({".git/HEAD": "", "../pyproject.toml": '[project]\nrequires-python = ">=3.8"\n'}, "3.11"),
        ({"../pyproject.toml": '[project]\nrequires-python = ">=3.8"\n'}, "3.8"),
        ({"pyproject.toml": "not [toml\n"}, "3.11"),
    ],
)
def test_files(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    """The nearest file with a version counts, up to the root of the repository."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (tmp_path / ".hg").mkdir()
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert version_for(root / "src" / "not yet there.py") == expected
    assert version_for(root / "src") == expected


def test_default() -> None:
    """Without files the default counts."""
    assert version_for(None, default="3.9") == "3.9"


def test_changes_are_seen(tmp_path: Path) -> None:
    """A file is read once, until it changes."""
    path = tmp_path / "pyproject.toml"
    path.write_text('[project]\nrequires-python = ">=3.9"\n', encoding="utf-8")
    workspace._parsed.cache_clear()
    assert [version_for(tmp_path) for _ in range(3)] == ["3.9"] * 3
    assert workspace._parsed.cache_info().misses == 1
    path.write_text('[project]\nrequires-python = ">=3.10.1"\n', encoding="utf-8")
    assert version_for(tmp_path) == "3.10"
    path.unlink()
    assert version_for(tmp_path) == "3.11"


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"pyproject.toml": '[project]\nrequires-python = ">=3.17"\n'}, "3.17"),
        ({"pyproject.toml": '[project]\nrequires-python = ">=3.9,<3.99"\n'}, ""),
        ({".python-version": "3.16.0a1\n"}, "3.16"),
        ({".python-version": "3.15\n"}, ""),
        ({"pyproject.toml": '[project]\nrequires-python = ">=3.10"\n', ".python-version": "3.16\n"}, ""),
        ({}, ""),
    ],
)
def test_an_unknown_version_is_named(tmp_path: Path, files: dict[str, str], named: str) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    warning = workspace.unknown_around(tmp_path / "a.py")
    assert (f"Python {named} is newer" in warning) if named else not warning
    assert workspace.problems_around(tmp_path) == [warning] * bool(named)
