"""The recipe for Neovim's own inline completion, as the page has it, in a real Neovim without the plugin."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted import EDITORS, Script

pytest.importorskip("pynvim", reason="pynvim is not installed")
from neovim_driver import PLUGIN, Neovim

NVIM = EDITORS / "nvim-0.12" / "bin" / "nvim"
PAGE = PLUGIN.parent / "README.md"

pytestmark = pytest.mark.skipif(not NVIM.exists(), reason=f"{NVIM} is missing; tests/editors/install.sh sets it up")


@pytest.fixture
def editor(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Neovim]:
    """Neovim with the recipe for its only configuration, and a server on its PATH; the parameter names its fixture."""
    server = request.getfixturevalue(request.param)
    command = [*server.command, "serve"] if isinstance(server, Script) else server
    program = tmp_path / "bin" / "suture"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nSUTURE_CERTAINTY=0 exec {shlex.join(command)}\n", encoding="utf-8")
    program.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    editor = Neovim(str(NVIM), home, {"PATH": f"{program.parent}:/usr/bin:/bin"}, home)
    recipe = re.search(r"\*\*Neovim 0\.12\*\*.*?```lua\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert recipe is not None and recipe[1].count("\n") <= 16
    editor.lua(recipe[1])
    assert editor.lua("return package.loaded.suture == nil")
    yield editor
    editor.close()


def opened(editor: Neovim, folder: Path, left: str, right: str) -> None:
    file = folder / "home" / "demo.py"
    file.write_text(left + right, encoding="utf-8")
    editor.open(file, left, wait=True)


@pytest.mark.parametrize("editor", ["script"], indirect=True)
def test_a_suggestion_is_drawn_accepted_and_left_alone(editor: Neovim, script: Script, tmp_path: Path) -> None:
    script.rules({"before": "x =", "items": [" 1"]})
    opened(editor, tmp_path, "x ", "\n")
    editor.type("=")
    editor.wait_for_ghost(" 1")
    editor.type("<Tab>")
    editor.wait_for_text("x = 1|")
    editor.wait(lambda: script.seen("workspace/executeCommand"), "the server to hear of it")
    editor.type("<Tab>")
    editor.wait_for_text("x = 1   |")


ALONG = [
    ("result ", "+= value", "+=", "result += value|"),
    ("result ", "+= value", "+= v", "result += value|"),
    ("s = ", "'ä😀€' + t", "'ä😀", "s = 'ä😀€' + t|"),
    ("if x", ":\n    y = 1\n    z", ":", "if x:\n    y = 1\n    z|"),
    ("result ", "+= value", "+= value", "result += value|"),
    ("result ", "+= value", "-", "result -|"),
    ("result ", "+= value", "<BS><BS>", "resul   |"),
]


@pytest.mark.parametrize("editor", ["script"], indirect=True)
@pytest.mark.parametrize(("left", "text", "typed", "expected"), ALONG)
def test_what_was_typed_along_is_not_inserted_again(
    editor: Neovim, script: Script, tmp_path: Path, left: str, text: str, typed: str, expected: str
) -> None:
    script.rules({"before": re.escape(left), "items": [text]})
    opened(editor, tmp_path, left[:-1], "\nend\n")
    editor.type(left[-1])
    editor.wait_for_ghost(text)
    editor.type(typed + "<Tab>")  # before it is asked again
    editor.wait_for_text(expected + "\nend")


@pytest.mark.parametrize("editor", ["real_server"], indirect=True)
def test_the_real_server_suggests_what_fits(editor: Neovim, tmp_path: Path) -> None:
    opened(editor, tmp_path, "def f(x):\n    y ", "\n    return y\n")
    editor.type("=")
    editor.wait(editor.ghost, "a suggestion of the embedded model", timeout_s=60)
    before = editor.text()
    editor.type("<Tab>")
    editor.wait(lambda: editor.text() != before, "the accepted text")
    ast.parse(editor.text().replace("|", "") + "\n")
