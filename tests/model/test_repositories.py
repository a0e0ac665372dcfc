"""A corpus from the repositories of a list, tried with repositories on this disk."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from suture.training import repositories
from suture.training.config import ConfigError
from suture.training.reserved import is_reserved, normalized_project
from suture.training.shards import load_shards

MIT = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software\n"
GPL = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n"


def python(name: str) -> str:
    return "".join(
        f"def {name}_{i}(first, second):\n    {name} = first * {i} + second\n    return {name}\n\n\n" for i in range(12)
    )


def go(name: str) -> str:
    return f"package {name}\n\n" + "".join(
        f"func {name}{i}(first int) int {{\n\treturn first * {i}\n}}\n\n" for i in range(12)
    )


def commit(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for arguments in (("init", "-q"), ("add", "-A"), (*author, "commit", "-q", "-m", "All")):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "hosted"
    commit(base / "ann/first", {
        "LICENSE": MIT, "src/a.py": python("alpha"), "vendor/b.py": python("copied"), "c.go": go("gamma"),
        "broken.py": python("wrong") + "def (:\n", "package.json": json.dumps({"abcdefghijklmnopqrst"[i:] + "_key": "value" for i in range(20)}, indent=2),
    })  # fmt: skip
    (base / "ann/first/link.py").symlink_to("src/a.py")
    commit(base / "ann/first", {})
    commit(
        base / "ben/further",
        {"LICENSE": MIT, "same.py": python("alpha"), "own.py": python("delta"), "a.ts": python("x")},
    )
    commit(base / "cid/bound", {"COPYING": GPL, "a.py": python("bound")})
    return base


def test_the_listed_repositories_become_shards(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tmp_path / "names.txt"
    names.write_text("# some\nann/first ben/further\ncid/bound dot/absent # and one that is gone\n", encoding="utf-8")
    arguments = [str(tmp_path / "out"), "--from", str(base), "--list", str(names)]
    assert repositories.main(arguments) == 0
    said, errors = capsys.readouterr()
    assert "left out: dot/absent" in errors and "cid" not in errors
    corpus = load_shards(tmp_path / "out" / "shards")
    assert sorted((source.package, source.path) for source in (*corpus.train, *corpus.held_out)) == [
        ("first", "c.go"), ("first", "package.json"), ("first", "src/a.py"), ("further", "a.ts"), ("further", "own.py"),
    ]  # fmt: skip
    assert {source.licence for source in corpus.train} == {"MIT"}
    copied = len(python("alpha"))
    assert (
        f"python: {2 * copied + len(python('delta')):,} characters that people wrote, {copied:,} of them in copies"
        in said
    )
    assert repositories.main(arguments) == 2, "shards are never mixed with older ones"


def test_a_run_goes_on_where_it_was_interrupted(base: Path, tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    assert repositories.take_snapshots(["ann/first"], folder, str(base)) == []
    (base / "ann/first").rename(base / "ann/moved")
    assert repositories.take_snapshots(["ann/first", "ben/further"], folder, str(base)) == []
    assert sorted(path.name for path in folder.iterdir()) == ["ann+first.tar.gz", "ben+further.tar.gz"]


def test_a_reserved_project_is_refused(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    reserved = next(f"ann/{letter}" for letter in "abcdefghijklmnopqrstuvwxyz" if is_reserved(letter))
    names.write_text(f"ann/first {reserved}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=f"{reserved}: reserved"):
        repositories.listed(names)


def test_the_list_names_each_project_once() -> None:
    names = repositories.listed()
    assert len(names) > 400
    projects = [normalized_project(name) for name in names]
    twice = {project for project in projects if projects.count(project) > 1}
    assert all(name.count("/") == 1 and not name.startswith("-") for name in names)
    assert twice == set(), "projects of one name share a bound"
