"""Files with unfinished statements around the cursor: the suggestions in them, and the closers assumed."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.judging.policy import Limits
from suture.lsp_server.completion.proposing import suggestion
from suture.lsp_server.completion.proposing.editing import Editing
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.completion.proposing.suggestion import Request, suggest, with_blocks
from suture.lsp_server.settings.spec import Settings
from suture.model import Certainty, Completion, Options
from suture.model.decoding.types import Passed
from suture.parser import Closer, language
from suture.parser.languages.python.closers import closers_to_replace
from suture.parser.pending import mended

from ..support.places import cursor_at, place_at, shown


@pytest.mark.parametrize(
    ("text", "closers"),
    [
        ("def f(|)\n", 1),
        ("def f(|)", 1),
        ("def f(|):\n", 2),
        ("def f(|)  \r\nx = 1\r\n", 1),
        ("class A:\n    def f(self):\n        if g([|])\n\n    def h(self): ...\n", 2),
        ('with open("|")\n', 2),
        ("def f(|):\n    pass\n", 0),
        ("def f(|)\n    pass\n", 0),
        ("def f(|) -> int\n", 0),
        ("def f|\n", 0),
        ("def f():|\n", 0),
        ("f(|)\n", 0),
        ("match f(|)\n", 0),
    ],
)
def test_what_an_editor_has_closed_in_a_header_without_a_block(text: str, closers: int) -> None:
    left, right = text.split("|")
    assert closers_to_replace(left, right) == closers


METHODS = """class Money:
    def __add__(self, other):
        return Money(self.cents + other.cents)

    def __str__(self):
        return str(self.cents)

"""


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    return CompletionEngine(Settings(device="cpu"), patient=True)


BROKEN = "\n\ndef broken(:\n    pass\n"
UNFINISHED: list[tuple[str, str | None]] = [
    (METHODS + "    def __repr__(|)\n", "self"),
    (METHODS + "    @static|\n", "method"),
    ("def f(people):\n    try:\n        for person in |\n", "people:"),
    ("import json\n\n\ndef load(path):\n    try:\n        return json.loads(text=|)\n", None),
    ("def load(path):\n    try:\n        return open(file=path, mode=|)\n", None),
    ("def area(width, height):\n    return width * height\n\n\ndef f(width, height):\n    while area(|)\n", "width, height"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), UNFINISHED)
def test_a_file_that_is_broken_elsewhere_gets_suggestions(
    engine: CompletionEngine, text: str, shown: str | None
) -> None:
    left, right = (text + BROKEN).split("|")
    place = CursorContext("a", "python", left + right, len(left), options={"looks_ms": 60_000})
    said = [engine.suggest(place, lambda: False)] if shown else []
    asked = engine.alternatives(place, 3, lambda: False)
    assert shown is None or shown in [one.text for one in (*said, *asked) if isinstance(one, Suggestion)]
    for found in [*said, *asked[:1]]:
        assert isinstance(found, Suggestion) and not found.valid
        whole = left + found.text + mended(right, found.pending)
        ast.parse(whole.removesuffix(BROKEN))


@pytest.mark.parametrize("text", [text for text, _ in UNFINISHED])
def test_elsewhere_the_whole_file_counts(engine: CompletionEngine, text: str) -> None:
    left, right = text.split("|")
    place = CursorContext("a", "python", left + right, len(left), options={"looks_ms": 60_000})
    first = engine.suggest(place, lambda: False)
    for found in [*([first] if isinstance(first, Suggestion) else []), *engine.alternatives(place, 3, lambda: False)]:
        assert found.valid
        ast.parse(left + found.text + mended(right, found.pending))
    whole = replace(place, unfinished=False)
    for found in engine.alternatives(whole, 3, lambda: False):
        assert found.valid and not found.pending
        ast.parse(left + found.text + right)


SQUARE = "def square(x):\n    return x * x\n\n\ndef double(x):\n    return 2 * x\n\n\ndef main():\n    print(square(2))\n\n\n"
HALF = SQUARE.replace("def main():\n    print(square(2))", "def half(x):\n    return x / 2")
HEADERS = [
    (METHODS + "    def __repr__(", "self):"),  # by convention
    (HALF + "def cube(", "x):"),
    (SQUARE + "if __name__ == ", '"__main__":'),
    ("def f(people):\n    for person in ", "people:"),
    (METHODS.replace("\n", "\r\n") + "    def __repr__(", "self):"),
]


@pytest.mark.parametrize(("left", "begins"), HEADERS)
@pytest.mark.parametrize("right", ["\n", "\n\nX = 1\n"])
def test_a_header_comes_alone_or_with_a_block_in_one_line(
    engine: CompletionEngine, left: str, begins: str, right: str
) -> None:
    right = right.replace("\n", "\r\n") if "\r" in left else right
    place = CursorContext("a", "python", left + right, len(left), options={"looks_ms": 60_000})
    found = engine.suggest(place, lambda: False)
    assert isinstance(found, Suggestion) and found.text.startswith(begins)
    for one in [found, *engine.alternatives(place, 3, lambda: False)]:
        assert one.text.count("\n") <= 1 and "pass" not in one.text
        assert bool(one.pending) is ("\n" not in one.text)
        ast.parse(left + one.text + mended(right, one.pending))
    whole = replace(place, unfinished=False)
    several = engine.alternatives(whole, 3, lambda: False)
    assert several
    for one in several:
        assert one.text.count("\n") == 1 and not one.pending
        ast.parse(left + one.text + right)


@pytest.mark.parametrize(
    ("threshold", "certainty", "lines"), [(0.0, 0.0, None), (0.0, 0.5, 0), (0.26, 0.0, 0), (0.26, 0.26, 0)]
)
def test_a_block_has_several_lines_where_a_model_is_shown_as_it_is(
    monkeypatch: pytest.MonkeyPatch, threshold: float, certainty: float, lines: int | None
) -> None:
    asked: list[tuple[str, int | None, float]] = []

    def texts(place: Editing, request: Request, options: Options) -> Iterator[Hidden]:
        asked.append((place.cursor.left, options.max_lines, request.limits.certainty))
        yield Hidden(Reason.NO_TEXT)

    monkeypatch.setattr(suggestion, "texts", texts)
    model: Any = SimpleNamespace(reader=None, certainty=Certainty(threshold=threshold))
    place = replace(place_at("def f(|\n"), block="\n    ")
    made = Completion("):", 1, "model", True, 0.0, 0.0, 0.0)
    header = Suggestion("):", made, True, 0.0, 1.0, pending=(Closer(0, "\n    pass"),))
    assert with_blocks(place, header, Request(model, Options(language="python"), Limits(certainty=certainty))) == header
    assert asked == [("def f():\n    ", lines, certainty)]


@pytest.mark.parametrize(
    ("written", "log_prob", "block", "wanted"),
    [
        (":", -0.3, "return x", ":\n    return x"),
        ("):", -0.6, "return x", "):\n    return x"),
        (":", -0.6, None, None),  # a colon saves nothing
        (":", -0.1, None, ":"),  # unless it is next to certain
        (":", -2.0, "return x", None),
    ],
)
def test_signs_that_close_a_header_are_shown_with_a_block_where_they_are_too_little_alone(
    monkeypatch: pytest.MonkeyPatch, written: str, log_prob: float, block: str | None, wanted: str | None
) -> None:
    def made(text: str, log_prob: float) -> Completion:
        return Completion(text, 1, "model", True, 0.0, 0.0, 0.0, trail=(Passed(len(text), log_prob, True),))

    said = None if block is None else Suggestion(block, made(block, -0.5), True, 0.0, math.exp(-0.5))
    monkeypatch.setattr(suggestion, "fill", lambda *_: made(written, log_prob))
    outcome, texts = said or Hidden(Reason.NO_TEXT), suggestion.texts
    monkeypatch.setattr(
        suggestion, "texts", lambda at, *_: texts(at, *_) if at.cursor.before.strip() else iter([outcome])
    )
    text = "def f(x):\n    return x\n\n\nif " + ("f(1" if written == "):" else "f") + "|\n"
    session = language("python").session()
    model: Any = SimpleNamespace(reader=None, certainty=Certainty(threshold=0.26))
    found = suggest(cursor_at(text), session, Request(model, Options(language="python"), Limits(certainty=0.26)))
    assert shown(found) == wanted


def test_a_header_whose_block_is_not_certain_is_shown_alone(engine: CompletionEngine) -> None:
    left = METHODS + "    def __repr__("
    sure = CursorContext("a", "python", left + "\n", len(left), settings=Settings(certainty=0.9))
    found = engine.suggest(sure, lambda: False)
    assert isinstance(found, Suggestion) and found.text == "self):"
    assert found.pending == (Closer(0, "\n        pass"),)
