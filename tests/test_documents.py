"""The documents are true as far as a machine can tell: links lead somewhere, and named files, tests and settings exist."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from suture.lsp_server.cli.main import main
from suture.lsp_server.settings.spec import SPECS, Settings

ROOT = Path(__file__).resolve().parent.parent
_ENDINGS = r"py|md|lark|toml|lua|ts|sh|json|svg"
# Names in the documents of files outside this repository: a user's own, other projects'.
ELSEWHERE = {"parser.py", "types.py", "setup.py", "languages.toml", "settings.json", "config.json", "app.py"}
ELSEWHERE |= {"tokenizer.json", "poison.slua", "todo.lark", "list.todo", "pyproject.toml", "corpus.jsonl"}
# Names of declaration files in projects of others.
ELSEWHERE |= {"global.d.ts", "setupTests.ts", ".d.ts"}
# Names that look secret, and others.
ELSEWHERE |= {"secrets.prod.json", "api-keys.json", "serviceAccountKey.json", "auth.json", "secrets.py", "auth.py"}
# Measured grammars of others.
ELSEWHERE |= {"calc.py", "conf_lalr.py", "indented_tree.py", "composition/json.lark", "turtle_dsl.py", "grammar.lark"}
ELSEWHERE |= {"lark.lark", "markers.lark", "pep508.lark", "verilog.lark"}


def tracked() -> list[str]:
    """The files of the repository; in a copy without git, those present."""
    try:
        listed = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        listed = []
    return listed or [
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*")
        if path.is_file()
        and not any(part.startswith(".") or part == "node_modules" for part in path.relative_to(ROOT).parts)
    ]


FILES = tracked()
DOCUMENTS = sorted(name for name in FILES if name.endswith(".md") and (ROOT / name).is_file())
# Each file and folder by every way to name it by its last parts: `glr/suffix.py` is parser/glr/suffix.py.
NAMES = {
    "/".join(parts[start:end])
    for parts in (tuple(name.split("/")) for name in FILES)
    for end in range(1, len(parts) + 1)
    for start in range(end)
}
TESTS = {
    name
    for path in FILES
    if path.startswith("tests/") and path.endswith(".py")
    for name in re.findall(r"def (test_\w+)", (ROOT / path).read_text("utf-8"))
}


def slug(heading: str) -> str:
    """The anchor of a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def prose(name: str) -> str:
    """A document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", (ROOT / name).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def wrong_links(name: str) -> Iterator[str]:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", prose(name)):
        if "://" in target:
            continue
        path = (ROOT / name).parent / target if target else ROOT / name
        if not path.exists():
            yield target
        elif anchor and anchor[1:] not in {
            slug(line.lstrip("#")) for line in path.read_text("utf-8").split("\n") if line[:1] == "#"
        }:
            yield target + anchor


def wrong_names(name: str) -> Iterator[str]:
    for span in re.findall(r"`([^`\n]+)`", prose(name)):
        for word in re.findall(rf"(?<![\w./*-])[\w.-]*[\w-](?:/[\w.-]+)*\.(?:{_ENDINGS})(?![\w./*-])", span):
            if word not in NAMES and word not in ELSEWHERE:
                yield word
        for word in re.findall(r"(?<![\w.])test_\w+(?!\w*\.py|\w*/)", span):
            if word not in TESTS and f"{word}.py" not in NAMES:
                yield word


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    assert list(wrong_links(name)) == []


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name != "CHANGELOG.md"])
def test_files_and_tests_that_are_named_exist(name: str) -> None:
    assert list(wrong_names(name)) == []


def test_the_page_of_settings_has_them_all_with_defaults_and_meanings() -> None:
    page = (ROOT / "docs/settings.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.* \| .*) \|$", page, re.MULTILINE))
    plain = {name: getattr(Settings(), name) for name in SPECS}
    shown = {
        name: json.dumps(value) if isinstance(value, bool | int | float | str) else "" for name, value in plain.items()
    }
    assert rows == {name: f"{shown[name]} | {spec.meaning}" for name, spec in SPECS.items()}


def test_the_command_line_has_a_line_for_each_command(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/command-line.md").read_text("utf-8")
    assert main([]) == 0
    commands = re.findall(
        r"^    (\w+)", capsys.readouterr().out.split("commands:")[1].split("examples:")[0], re.MULTILINE
    )
    assert len(commands) > 8
    assert [name for name in commands if f"suture {name}" not in page] == []


def test_the_documents_can_be_read_in_an_afternoon() -> None:
    """A longer page takes the place of another: numbers are data, and `--help` and tests are not said again."""
    assert sum(len((ROOT / name).read_text("utf-8").split()) for name in DOCUMENTS) <= 30_000


def test_the_targets_of_make_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z][a-z/-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    pattern = re.compile(r"(?:`|^)make ([a-z][a-z/-]*)", re.MULTILINE)
    named = {(name, target) for name in DOCUMENTS for target in pattern.findall((ROOT / name).read_text("utf-8"))}
    assert len(named) > 20
    assert {(name, target) for name, target in named if target not in targets} == set()


def test_a_wrong_link_and_a_wrong_name_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("[x](b.md) [y](#z) `no/such.py` `test_that_is_not_there` `pyproject.toml`\n")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert list(wrong_links("a.md")) == ["b.md", "#z"]
    assert list(wrong_names("a.md")) == ["no/such.py", "test_that_is_not_there"]
