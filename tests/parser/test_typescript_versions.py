"""The versions of TypeScript: the choice for a file, and the texts refused by each."""

import json
from functools import cache
from pathlib import Path

import pytest
from suture.common.reach import Reach
from suture.parser.language import Language, language, versions
from suture.parser.languages.typescript.language import new_runtime
from suture.parser.languages.typescript.project import names_elsewhere
from suture.parser.languages.typescript.versions import VERSIONS, named, version_for


@cache
def read_as(version: str) -> Language:
    return Language("typescript", version, lambda: new_runtime("ts", version))


def taken(text: str, version: str) -> bool:
    hole = read_as(version).hole(text, "", level="names", exact=True, elsewhere=frozenset())
    return hole.state is not None and hole.state.complete


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("module A {}\nexport {};", "5.9"),
        ("module a.b {}\nexport {};", "5.9"),
        ("namespace A {}\nexport {};", "7.0"),
        ('import a from "./a" assert { type: "json" };', "5.9"),
        ('import a from "./a" with { type: "json" };', "7.0"),
        ("export function f(a: any) { switch (a) { case 1: using x = a; } }", "5.9"),
        ("export function f(a: any) { switch (a) { case 1: { using x = a; } } }", "7.0"),
        ("with (a) {}", "5.9"),
        ("let a: StyleMedia;\nexport {};", "5.9"),
        ("let a: Window;\nexport {};", "7.0"),
    ],
)
def test_older_forms_are_refused_from_6_on(text: str, first: str) -> None:
    """first: the last version that accepts it."""
    assert [version for version in VERSIONS if taken(text, version)] == list(VERSIONS[: VERSIONS.index(first) + 1])


def test_attributes_stand_on_a_line_of_their_own_from_6_on() -> None:
    text = 'import a from "./a"\nwith { type: "json" };'
    assert [version for version in VERSIONS if taken(text, version)] == ["6.0", "7.0"]


@pytest.mark.parametrize("text", ["Temporal.Now.instant();\nexport {};", "let a: GPUDevice;\nexport {};"])
def test_the_libraries_of_6_have_more_names(text: str) -> None:
    assert [version for version in VERSIONS if taken(text, version)] == ["6.0", "7.0"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "7.0"),
        ({"package.json": {"devDependencies": {"typescript": "^5.9.3"}}}, "5.9"),
        ({"package.json": {"dependencies": {"typescript": "~6.0"}}}, "6.0"),
        ({"package.json": {"devDependencies": {"typescript": "4.9.5"}}}, "5.9"),
        ({"package.json": {"devDependencies": {"typescript": "8.1.0"}}}, "7.0"),
        ({"package.json": {"devDependencies": {"typescript": "latest"}}}, "7.0"),
        ({"package.json": {"devDependencies": {"typescript": ">=5.0"}}}, "7.0"),
        ({"package.json": {"devDependencies": {"react": "^19.0.0"}}}, "7.0"),
        ({"package.json": []}, "7.0"),
        ({"package.json": {"devDependencies": {"typescript": 5}}}, "7.0"),
        (
            {
                "package.json": {"devDependencies": {"typescript": "^7.0.0"}},
                "node_modules/typescript/package.json": {"version": "5.9.3"},
            },
            "5.9",
        ),
        ({"../package.json": {"devDependencies": {"typescript": "^6.0.0"}}, "package.json": {}}, "6.0"),
    ],
)
def test_the_project_says_which_version_it_is(tmp_path: Path, files: dict[str, object], expected: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name, value in files.items():
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    assert version_for(project / "src" / "a.ts", Reach(str(tmp_path))) == expected


def test_files_outside_the_reach_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"devDependencies": {"typescript": "^5.0.0"}}')
    inner = tmp_path / "inner"
    inner.mkdir()
    assert version_for(inner / "a.ts", Reach(str(inner))) == "7.0"
    assert version_for(None) == "7.0"


def test_a_broken_package_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{")
    assert version_for(tmp_path / "a.ts", Reach(str(tmp_path))) == "7.0"


@pytest.mark.parametrize("asked", [" " * 500_000, "^" * 500_000, "~ v= " * 100_000, "9" * 500_000, ""])
def test_a_range_of_any_length_takes_no_time(tmp_path: Path, asked: str) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"typescript": asked}}))
    assert version_for(tmp_path / "a.ts", Reach(str(tmp_path))) == "7.0"


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_path_that_no_file_can_have_tells_nothing(tmp_path: Path, name: str) -> None:
    assert version_for(tmp_path / name / "a.ts") == "7.0"
    assert not names_elsewhere(tmp_path / name / "a.ts", "", {})


def test_javascript_has_no_versions() -> None:
    assert versions("javascript") is None
    assert versions("typescript") is not None and language("typescript").version == "7.0"
    assert [named(text) for text in ("5.9", "v6", "7.0.2", "8", "4.4", "next")] == [
        "5.9",
        "6.0",
        "7.0",
        "7.0",
        "5.9",
        None,
    ]
