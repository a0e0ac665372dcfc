"""The suggestions behind a dot with known attributes, unasked and with the embedded model."""

from pathlib import Path

import pytest
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings

_CIRCLE = """from dataclasses import dataclass
from math import pi


@dataclass
class Circle:
    radius: float
    name: str

    def area(self) -> float:
        return pi * self.radius**2


"""
_PLACES = [
    ("def report(circle: Circle) -> str:\n    print(circle.name)\n    size = circle.|", "area radius name"),
    (
        "def report(circles: list[Circle]) -> list[float]:\n    return [circle.| for circle in circles]",
        "area radius name",
    ),
    ("circle = Circle(1.0, 'a')\nprint(circle.area())\nprint(circle.|)", "area radius name"),
]


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    engine = CompletionEngine(Settings(device="cpu", certainty=0.3))
    engine.keeper.load()
    return engine


@pytest.mark.parametrize(("marked", "known"), _PLACES)
def test_an_attribute_is_shown_unasked(engine: CompletionEngine, tmp_path: Path, marked: str, known: str) -> None:
    path = tmp_path / "circles.py"
    text = _CIRCLE + marked.replace("|", "", 1) + "\n"
    offset = len(_CIRCLE) + marked.index("|")
    place = CursorContext(path.as_uri(), "python", text, offset, path=str(path))
    found = engine.suggest(place, lambda: False)
    assert isinstance(found, Suggestion), marked
    assert found.text.split("(")[0].split()[0] in known.split()
