"""The counts when files are written from top to bottom: the places to stop, and the judgement of the shown texts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion
from suture.training.editing_places import File

from benchmarks.keystrokes import Editor
from benchmarks.writing import (
    EDITORS,
    Stop,
    as_shown,
    choose,
    in_process,
    judged,
    kind_of,
    over_lsp,
    place_in,
    rests_of_lines,
    type_file,
)

PYTHON = "import os\n\n\nclass Area:\n    @property\n    def size(self):\n        # The whole of it.\n        return self.width * abs(3, 4)\n"
GO = 'package p\n\nfunc f(a int) {\n\tif a == 3 {\n\t\tx := os.Getenv("HOME")\n\t\tuse(x, a)\n\t}\n}\n'


@pytest.mark.parametrize(
    ("text", "before", "kind"),
    [
        (PYTHON, "import ", "keyword"),
        (PYTHON, "import os", "line end"),
        (PYTHON, "\n\n\n", "new block"),
        (PYTHON, "class ", "header"),
        (PYTHON, "Area:\n    ", "first line"),
        (PYTHON, "@", "decorator"),
        (PYTHON, "@property\n    ", "next line"),
        (PYTHON, "size(", "opener"),
        (PYTHON, "# The ", "comment"),
        (PYTHON, "self.", "attribute"),
        (PYTHON, "width * ", "operand"),
        (PYTHON, "abs(3, ", "argument"),
        (PYTHON, "wi", "word"),
        (PYTHON, "wid", None),
        (GO, "x := ", "value"),
        (GO, '("', "string"),
        (GO, "if a", None),
        (GO, "\t\t", "first line"),
        ('{\n  "name', "", None),
        ('{\n  "name": "x"\n}\n', '  "', "key"),
        ('{\n  "name": "x"\n}\n', '": ', "value"),
        ("# Copyright by us\nimport x\n", "# Copyright ", None),
    ],
)
def test_the_kind_of_a_place(text: str, before: str, kind: str | None) -> None:
    assert kind_of(text, text.index(before) + len(before)) == kind


def test_places_are_the_same_for_a_seed_and_in_code() -> None:
    files = [File("p", "a.py", PYTHON), File("q", "b.go", GO), File("r", "c.go", GO.replace("use", "// use"))]
    stops = choose(files, 20, 3)
    assert stops == choose(files[::-1], 20, 3) != choose(files, 20, 4)
    assert len({(stop.file, stop.file.text.count("\n", 0, stop.at)) for stop in stops}) == len(stops)
    assert Stop("argument", files[1], GO.index("a)")) in choose(files, 100, 3)
    assert not any("//" in stop.file.text[stop.at - 9 : stop.at] for stop in stops if stop.kind != "comment")


def test_at_places_in_whole_files_the_rest_of_a_line_is_taken_out() -> None:
    places = rests_of_lines([File("q", "b.go", GO)], 3, 1)
    assert ("value", 'os.Getenv("HOME")') in {(place.kind, place.taken) for place in places}
    assert all(place.taken.strip() and "\n" not in place.taken and place.end == place.first for place in places)


@pytest.mark.parametrize(
    ("shown", "rest", "outcome"),
    [
        ("", "x", "silent"),
        ("  ", "x", "silent"),
        ("width", "width * 2\n", "right"),
        ("width * 2 ", "width * 2\n", "right"),
        ("wid", "width\n", "wrong"),
        ("self.height", "self.width\n", "begun"),
        ("height", "width\n", "wrong"),
        # Text that only makes the file valid.
        ("x:\n    pass", "x:\n    return 1\n", "padded"),
        ("x:\n    pass", "x:\n    pass\n", "right"),
        ("dataclass\nclass Enum:0", "dataclass\nclass A:\n    x = 1\n", "padded"),
        ("except:number", "except ValueError:\n", "padded"),
        ("err != nil { // Check\n}", "err != nil {\n\treturn err\n", "padded"),
        ("x {\n\t// It\n}", "err != nil {\n", "padded"),
        ("a)", "a, b)\n", "padded"),
        ("1\n  }\n]", "1,\n", "padded"),
        # A wrong guess closes any bracket, and a text those it has opened.
        ("b)", "a, b)\n", "wrong"),
        ("foo(a)", "foo(b)\n", "begun"),
        ("abs(3)", "abs(4)\n", "begun"),
        ('{\n  "a": 1\n}', "[]", "wrong"),
    ],
)
def test_what_is_shown_is_judged(shown: str, rest: str, outcome: str) -> None:
    assert judged(shown, rest) == outcome


@pytest.mark.parametrize(
    ("inserted", "whole", "to_cursor"),
    [
        ("a$0", "a$0", "a$0"),
        ({"value": "f(\\$a$0)"}, "f($a)", "f($a"),
        ({"value": "x:\n    ${0:pass}"}, "x:\n    pass", "x:\n    pass"),
        ({"value": "{\\}${0:\\}}"}, "{}}", "{}}"),
    ],
)
def test_a_snippet_is_read_as_what_is_seen(inserted: str | dict[str, str], whole: str, to_cursor: str) -> None:
    assert as_shown(inserted) == (whole, to_cursor)


def test_an_editor_moves_only_what_the_line_has_just_opened() -> None:
    editor = Editor("f(a,", "", ")")
    editor.type("\n  b)")
    assert editor.text == "f(a,\n  )" and editor.left.endswith("\n  ")
    editor = Editor("if x {", "", "}")
    editor.type("\n\ty")
    assert editor.text == "if x {\n\t\n}"
    editor = Editor("if x {", "", "}")
    editor.type("\n}\ny")  # nothing is in it
    assert editor.text == "if x {\n}"
    editor = Editor("", "", closes=False)
    editor.type("(")
    assert editor.text == "("


class Server:
    """Accepts all notifications."""

    def send(self, method: str, params: dict[str, object]) -> None:
        pass


@pytest.mark.parametrize("editor", EDITORS)
def test_a_file_is_typed_up_to_each_place(monkeypatch: pytest.MonkeyPatch, editor: str) -> None:
    asked: list[tuple[str, int]] = []

    def ask(document: object, offset: int) -> str:
        asked.append((document.text, offset))  # type: ignore[attr-defined]
        return "3, 4)"

    monkeypatch.setattr("benchmarks.server.Document.ask", ask)
    file = File("p", "a.py", PYTHON)
    at = PYTHON.index("3, 4")
    (result,) = type_file(over_lsp(Server()), editor, [Stop("opener", file, at)])  # type: ignore[arg-type]
    assert asked == [(PYTHON[:at] + (")" if editor == "closed" else ""), at)]
    assert (result.outcome, result.line, result.wanted) == ("right", 8, "3, 4)")


class Engine:
    """Suggests the same everywhere, and notes the places of requests."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []
        self.forgotten: list[str] = []
        self.sessions = SimpleNamespace(forget=self.forgotten.append)

    def suggest(self, place: CursorContext, cancelled: object) -> Suggestion:
        self.asked.append((place.text, place.offset))
        return Suggestion("3, 4)", Completion("3, 4)", 1, "model", True, 0, 0, 0), True, 0.0, behind=1)


def test_the_same_is_asked_without_a_server() -> None:
    engine = Engine()
    file = File("p", "a.py", PYTHON)
    at = PYTHON.index("3, 4")
    (result,) = type_file(in_process(engine, Settings()), "closed", [Stop("opener", file, at)])  # type: ignore[arg-type]
    assert engine.asked == [(PYTHON[:at] + ")", at)] and engine.forgotten == ["file:///benchmark/p/a.py"]
    assert (result.outcome, result.shown, result.wanted) == ("right", "3, 4)", "3, 4)")


def test_a_header_takes_the_place_of_what_the_editor_has_closed() -> None:
    place = place_in(Editor("def f(", "", ")"), File("p", "a.py", PYTHON), Settings())
    assert (place.text, place.offset, place.inside) == ("def f(", 6, True)
