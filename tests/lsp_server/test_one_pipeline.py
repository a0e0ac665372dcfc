"""The server, the command line and the playground give the same text for the same place."""

import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from suture.lsp_server.cli.main import main
from suture.lsp_server.completion.engine import surroundings
from suture.lsp_server.completion.engine.pipeline import CompletionEngine, CursorContext
from suture.lsp_server.completion.proposing import filling
from suture.lsp_server.playground.explain import replay_of
from suture.lsp_server.settings.spec import Settings

from ..support.raw_client import Raw, running, unhurried_command

SHAPES = "class Circle:\n    def __init__(self, radius):\n        self.radius = radius\n\n    def area(self):\n        return 3 * self.radius**2\n"
PLACES = {
    "an argument": "def area(width, height):\n    return width * height\n\n\nwidth = height = 2\nprint('😀 é', area(|))\n",
    "after return": "def area(width, height):\n    result = width * height\n    return |\n\n\nprint(area(2, 3))\n",
    "in a constructor": "class Point:\n    def __init__(self, x, y):\n        |\n\n\npoint = Point(1, 2)\n",
    "a module of the folder": "from shapes import Circle\n\ncircle = Circle(|)\nprint(circle)\n",
    "the middle of a line": "names = ['a', 'b']\nfor name in |:\n    print(name)\n",
    "line ends of Windows": "import sys\r\n\r\n\r\ndef main():\r\n    return |\r\n\r\n\r\nmain()\r\n",
    "a file that is broken below": "def f(items):\n    for item in items:\n        |\n\n\ndef g(:\n    pass\n",
    "a line that is broken": "total = 1\nx = ) + |\n",
    "JSON": '{"name": "suture", "versions": [1, |], "private": true}\n',
    "Go": "package shapes\n\nfunc Both(one, other int) int {\n\treturn |\n}\n",
    "sLua": "do\n  NewTalent({ id = 'smite', name = 'Smite', Do = function(user, at)\n    g_game.WithActorAt(at, function(target) target.Damage(|); end);\n    user.Damage(1);\n  end });\nend\n",
}
ENDINGS = {"JSON": ".json", "Go": ".go", "sLua": ".slua"}
LANGUAGES = {".json": "json", ".go": "go", ".slua": "slua", ".py": "python"}
# The files beside a place: a module, a package's other file, the program running scripts.
BESIDE = {
    "shapes.py": SHAPES,
    "go.mod": "module shapes\n\ngo 1.22\n",
    "other.go": "package shapes\n\nfunc Perimeter(one, other int) int {\n\treturn 2 * (one + other)\n}\n",
    "game.slua-api": """\
record Coord { x: number, y: number }
class Actor { name: string, mut hp: number, GetCoord: () -> Coord, Damage: (amount: number) -> void }
class Game { WithActorAt: (at: Coord, found: (a: Actor) -> void) -> void }
global g_game: Game
record TalentDef { id: string, name: string, Do: (user: Actor, at: Coord) -> void }
script talent { do locals... NewTalent(TalentDef); end }
""",
}


_UNKNOWN = ("in a constructor", "a module of the folder", "Go")  # places where the embedded model finds nothing likely


@pytest.fixture(scope="module")
def server() -> Iterator[Raw]:
    with running(unhurried_command()) as raw:
        raw.initialize(maxTokens=16)
        yield raw


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    return CompletionEngine(Settings(max_tokens=16))


@pytest.mark.parametrize("name", PLACES)
def test_the_same_place_gives_the_same_text(
    server: Raw,
    engine: CompletionEngine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    monkeypatch.setattr(filling, "ALTERNATIVES_MS", 1e6)
    monkeypatch.setattr(surroundings, "ASKED_MS", 1e6)
    monkeypatch.setenv("SUTURE_MAX_TOKENS", "16")
    left, right = PLACES[name].split("|")
    for beside, text in BESIDE.items():
        (tmp_path / beside).write_text(text)
    path = tmp_path / f"place{ENDINGS.get(name, '.py')}"
    language = LANGUAGES[path.suffix]
    path.write_bytes((left + right).encode())
    row, line = left.count("\n"), left.rpartition("\n")[2]
    column = len(line)

    server.open(path.as_uri(), left + right, language)
    items = server.items(path.as_uri(), row, len(line.encode("utf-16-le")) // 2, kind=1)
    server.send("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    shown = items[0]["insertText"] if items else ""

    assert main(["complete", str(path), "--at", f"{row + 1}:{column}", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["text"] == shown
    assert ("reason" in answer) == (not shown)

    hole = {"language": language, "left": left, "right": right, "path": str(path)}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(hole).encode())))
    assert main(["complete", "--jsonl"]) == 0
    answer = json.loads(capsys.readouterr().out)
    if shown:  # else it fills the hole all the same, if possible
        assert answer["text"] == shown

    place = CursorContext(path.as_uri(), language, left + right, len(left), None, str(path))
    replay = replay_of(engine, replace(place, options={"looks_ms": 60_000}), lambda: False, shown or None)
    if shown:
        assert replay is not None and replay.text == shown
    if name not in _UNKNOWN:
        assert shown, f"the test says nothing about this place: {answer}"


def test_halves_of_surrogate_pairs_stop_no_model(server: Raw) -> None:
    uri = "file:///halves.py"
    server.open(uri, "# \ud800\ndef area(width, height):\n    return width * \n")
    assert server.items(uri, 2, 19, kind=1)
