"""The steps to add a language, and that no other code knows one by its name."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from suture.parser import language
from suture.parser.languages.registry import BUILT_IN, FOLDERS

from ..support.raw_client import running

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("common", "lsp_server", "model", "parser", "slua")
LANGUAGES = ROOT / "parser" / "languages"
TOY = {
    "__init__.py": '"""A list of words."""\n\nPATTERNS = {"toy": ("*.toy",)}\n',
    "toy.lark": 'start: ("say" WORD ";")*\nWORD: /[a-z]+/\n%ignore /[ \\n]+/\n',
    "language.py": """
from pathlib import Path

from ...language_runtime import BuiltIn, Sample
from ..generic.language import maker


def _make(version):
    return maker(Path(__file__).with_name("toy.lark"), "start")()


LANGUAGES = {"toy": BuiltIn(_make, Sample("say hello; ", "say", " you;\\n"))}
""",
}
# Users of a language's name: commands of that language, measurements on its code, and the parts of the model that read it.
NAMED = {
    "lsp_server/cli/bench.py": {"python"},
    "lsp_server/cli/doctor_checks.py": {"python"},
    "lsp_server/cli/slua.py": {"slua"},
    "model/name_lm/words.py": {"python"},
}


def test_no_language_is_known_by_its_name_outside_of_its_folder() -> None:
    named: dict[str, set[str]] = {}
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        if LANGUAGES not in path.parents:
            nodes = ast.walk(ast.parse(path.read_bytes()))
            said = {str(node.value) for node in nodes if isinstance(node, ast.Constant)} & set(BUILT_IN)
            if said:
                named[path.relative_to(ROOT).as_posix()] = said
    assert named == NAMED


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_sample_is_a_hole_with_a_text_that_fits(name: str) -> None:
    sample = BUILT_IN[name].sample
    if sample is None:
        return
    state = language(name).hole(sample.left, sample.right).state
    after = state.advance(sample.text) if state is not None else None
    assert after is not None and after.complete
    assert state is not None and state.advance("]") is None


def linked(source: Path, target: Path, *own: str) -> None:
    """A folder of links to another one, except for its own parts."""
    target.mkdir(parents=True)
    for path in source.iterdir():
        if path.name not in (*own, "__pycache__"):
            (target / path.name).symlink_to(path)


@pytest.fixture
def with_toy(tmp_path: Path) -> Mapping[str, str]:
    """The environment in which `suture` has another language, which is a folder and a line."""
    site = tmp_path / "site" / "suture"
    linked(ROOT, site, "parser", "build", ".venv", ".git")
    linked(ROOT / "parser", site / "parser", "languages")
    languages = site / "parser" / "languages"
    linked(LANGUAGES, languages, "registry.py")
    (languages / "toy").mkdir()
    for name, text in TOY.items():
        (languages / "toy" / name).write_text(text, encoding="utf-8")
    registry = (LANGUAGES / "registry.py").read_text(encoding="utf-8")
    line = f'    "{FOLDERS[-1]}",\n'
    assert registry.count(line) == 1
    (languages / "registry.py").write_text(registry.replace(line, f'{line}    "toy",\n'), encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(site.parent), "XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.mark.skipif(sys.platform == "win32", reason="links are the administrator's there")
def test_a_language_is_a_folder_and_a_line(with_toy: Mapping[str, str], tmp_path: Path) -> None:
    """Then the command line, the server and the playground have it."""
    command = [sys.executable, "-P", "-m", "suture.lsp_server"]
    path = tmp_path / "words.toy"
    path.write_text("say hello; say\n", encoding="utf-8")

    def run(*arguments: str) -> str:
        ran = subprocess.run([*command, *arguments], env=with_toy, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    explained = run("check", "--explain", str(path), "--at", "1:14")
    assert "WORD" in explained
    with running([*command, "serve"], env=with_toy) as client:
        client.initialize()
        client.open(path.as_uri(), "say hello; say\n", "plaintext")
        client.open("untitled:b", "say hello; say\n", "toy")
        for uri in (path.as_uri(), "untitled:b"):
            (item,) = client.items(uri, 0, 14, kind=1)
            text = f"say hello; say{item['insertText']}\n"
            said = "import sys; from suture.parser import language; print(language('toy').hole(sys.argv[1], '').state.complete)"
            checked = [sys.executable, "-P", "-c", said, text]
            assert subprocess.run(checked, env=with_toy, capture_output=True, text=True).stdout == "True\n", text
        assert client.end() == 0
    offered = "from suture.lsp_server.playground.http import samples; print(samples()['toy'])"
    shown = subprocess.run([sys.executable, "-P", "-c", offered], env=with_toy, capture_output=True, text=True)
    assert shown.stdout == "say hello; | you;\n\n", shown.stderr
