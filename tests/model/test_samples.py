"""The samples of the demo and the playground: with the embedded model, each suggestion is the wanted one."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from pyflakes.checker import Checker
from pyflakes.messages import UndefinedLocal, UndefinedName
from suture import model
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing.editing import Editing
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings
from suture.model.loading import installed
from suture.parser.pending import mended

from tests.support.patient import PatientEngine

SVG = "{http://www.w3.org/2000/svg}"
DEMO = Path(str(model.__file__)).parent.parent / "examples" / "demo.py"


def load_demo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("suture_demo", DEMO)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


demo = load_demo()


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    return PatientEngine(Settings(device="cpu"), patient=True)


@pytest.mark.parametrize("sample", demo.samples(), ids=lambda sample: sample.name)
def test_what_is_suggested_in_a_sample_is_what_is_wanted(engine: CompletionEngine, sample) -> None:
    assert demo.suggested(engine, sample) == sample.wanted


@pytest.mark.parametrize(
    "sample", [one for one in demo.samples() if one.language == "python"], ids=lambda one: one.name
)
def test_what_is_said_of_the_model_alone_is_true(engine: CompletionEngine, sample) -> None:
    place = engine.sessions.editing(sample.place)
    assert isinstance(place, Editing)
    hole, right = place.hole, mended(place.cursor.right, place.hole.pending)
    left, alone = sample.sides[0], demo.unconstrained(engine, sample)
    said = demo.why_broken(hole, "python", left, alone, right)
    if hole.viable:
        try:
            tree = ast.parse(left + alone + right)
        except SyntaxError:
            assert said.startswith("breaks the file at ")
        else:
            assert said.startswith("parses, but ") == bool(undefined(tree) or unbindable(tree))


def unbindable(tree: ast.Module) -> list[str]:
    """The calls of a file's own functions with arguments they do not take, by defining the functions."""
    defined: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    space: dict[str, Any] = {}
    exec(compile(ast.Module(defined, []), "sample", "exec"), space)
    wrong: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in space:
            try:
                inspect.signature(space[node.func.id]).bind(*node.args, **{str(one.arg): one for one in node.keywords})
            except TypeError:
                wrong.append(ast.unparse(node))
    return wrong


def undefined(tree: ast.Module) -> list[str]:
    """The unbound names of a file, by pyflakes, and the attributes missing in its modules, by importing these."""
    unbound = (UndefinedName, UndefinedLocal)
    names = [str(one.message_args[0]) for one in Checker(tree).messages if isinstance(one, unbound)]
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return names + [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules
        if not hasattr(importlib.import_module(node.value.id), node.attr)
    ]


@pytest.mark.parametrize(
    ("left", "shown"),
    [
        ("def main():\n    print(1)\n\n\nif __name__ == ", '"__main__":\n    main()'),
        ("def total(prices):\n    result = 0\n    for price in ", "prices:"),
    ],
)
def test_a_header_at_the_end_of_a_file_is_suggested(engine: CompletionEngine, left: str, shown: str) -> None:
    found = engine.suggest(CursorContext("a", "python", left + "\n", len(left)), lambda: False)
    assert isinstance(found, Suggestion) and found.text == shown
    compile(left + found.text + mended("\n", found.pending), "a", "exec")


def test_the_file_that_the_walkthrough_opens_gets_the_suggestion_of_its_picture(engine: CompletionEngine) -> None:
    """It asks for one there; and the line is also finished if one comes by itself."""
    extension = DEMO.parents[1] / "editors" / "vscode"
    source = (extension / "src" / "extension.ts").read_text(encoding="utf-8")
    opened = re.search(r"^const SAMPLE = `(.*?)`;", source, re.DOTALL | re.MULTILINE)
    assert opened is not None
    picture = ElementTree.fromstring((extension / "media" / "keys.svg").read_text(encoding="utf-8"))
    lines = [(line.text or "", "".join(part.text or "" for part in line)) for line in picture.iter(f"{SVG}text")]
    assert "\n".join(code for code, _ in lines) == opened[1]
    wanted = "".join(suggestion for _, suggestion in lines)
    place = CursorContext("walkthrough", "python", opened[1], len(opened[1]))
    assert wanted and engine.alternatives(place, 3, lambda: False)[0].text == wanted
    found = engine.suggest(place, lambda: False)
    assert isinstance(found, Suggestion) and found.text == wanted
    compile(opened[1] + wanted, "walkthrough", "exec")


def test_the_demo_shows_them_all_and_how_to_get_a_better_model(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "CompletionEngine", PatientEngine)
    assert demo.main() == 0
    said = capsys.readouterr().out
    for sample in demo.samples():
        assert f"• {sample.name}" in said and f"⟦{sample.wanted}⟧" in said
    assert "breaks the file at" in said, "no sample shows what the grammar is for"
    assert "parses, but" in said, "no sample shows what the names are for"
    pull, use = (f"    {installed.program()} models {what} recommended\n" for what in ("pull", "use"))
    assert pull + use in said or "the embedded model" in said
