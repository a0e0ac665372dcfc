"""From text and offset to suggestion, with a model that writes the test's text: line ends, nothing, cancellation."""

import json
import random
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.engine.sessions import MAX_SESSIONS
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.judging.policy import Limits
from suture.lsp_server.completion.judging.repetition import (
    assigns_to_itself,
    cuts,
    defines_again,
    imports_again,
    is_next_line,
    repeats_key,
    says_nothing,
)
from suture.lsp_server.completion.proposing.editing import MAX_LINES, block_column, function_column, lines_to_suggest
from suture.lsp_server.completion.proposing.filling import fill
from suture.lsp_server.completion.proposing.shown import (
    Suggestion,
    strip_whitespace,
    unrepeated,
    with_newlines_of,
    without_half_end,
)
from suture.lsp_server.completion.proposing.suggestion import Request, suggest, suggest_several
from suture.lsp_server.errors import Unavailable
from suture.lsp_server.settings.spec import Settings
from suture.model import Certainty, Completion, Options
from suture.model.decoding.types import Passed
from suture.parser import language
from suture.parser.language import traits

from ..support.places import cursor_at, place_at, shown


@pytest.fixture
def check(monkeypatch):
    """Suggest at the mark $0, where the model writes a text, and compare the shown text and the model's prompt."""

    def check(marked: str, said: str, cancelled=lambda: False):
        seen = []

        def complete(model, constraint, left, right, options, *, cancelled, on_text):
            seen.append((left, right))
            state = constraint.advance(said)
            fits = state is not None and state.complete
            return Completion(said, 1, "model", fits, 0.0, 0.0, 0.0)

        monkeypatch.setattr("suture.model.complete", complete)
        session = language("python").session()
        model: Any = SimpleNamespace()
        found = suggest(
            cursor_at(marked, "$0"), session, Request(model, Options(language="python"), cancelled=cancelled)
        )
        return shown(found), (seen[0] if seen else None)

    return check


def test_what_fits_is_shown(check):
    assert check("x = $0\n", "1") == ("1", ("x = ", "\n"))


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("x = $0\n", "("),  # not complete
        ("x = 1$0\n", ""),
        ("x = 1$0\n", "  "),  # nobody sees it
    ],
)
def test_what_does_not_fit_or_cannot_be_seen_is_not_shown(check, marked, said):
    assert check(marked, said)[0] is None


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_an_empty_text_asks_no_model(check, text):
    assert check(text + "$0", "x = 1") == (None, None)


def test_a_cancelled_request_asks_no_model(check):
    assert check("x = $0\n", "1", lambda: True) == (None, None)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_model_sees_one_kind_of_line_end_and_the_text_keeps_its_own(check, newline):
    marked = "if x:\n    $0\ny = 2\n".replace("\n", newline)
    shown, seen = check(marked, "a\n    b")
    assert seen == ("if x:\n    ", "\ny = 2\n")
    assert shown == "a\n    b".replace("\n", newline)


def test_line_ends_are_only_changed_where_the_text_stays_valid():
    # After a lone \r a \n is the second half of one line end; as \r it would end a line of its own.
    text, said = "x = 1 + \\\r2\r", "\n"
    place = place_at(text.replace("2", "|2"))
    assert place.fits(said) and not place.fits("\r")
    assert with_newlines_of(place, said) == said


@pytest.mark.parametrize(
    ("text", "newline"),
    [
        ("", "\n"),
        ("a", "\n"),
        ("a\nb\r\n", "\n"),
        ("a\r\nb\n", "\r\n"),
        ("a\rb\n", "\r"),
        ("a\r", "\r"),
        ("\r\r\n", "\r"),
    ],
)
def test_the_first_line_end_counts(text, newline):
    assert Cursor.at(text, len(text)).newline == newline


def test_a_text_that_cannot_be_completed_is_filled_by_the_model_alone(monkeypatch):
    from suture.parser import Hole

    def complete(model, constraint, left, right, options, *, cancelled, on_text):
        assert constraint.advance("any text") is constraint
        assert (constraint.complete, constraint.admits(b"\xe2"), constraint.bridges()) == (False, True, ())
        return Completion("any text", 1, "length", False, 0.0, 0.0, 0.0)

    monkeypatch.setattr("suture.model.complete", complete)
    dead = Hole(None, "dead")
    free = fill(dead, "", "", object(), Options(mode="unconstrained"))  # type: ignore[arg-type]
    assert free.text == "any text"
    held = fill(dead, "", "", object(), Options())  # type: ignore[arg-type]
    assert (held.text, held.complete) == ("", False)


def test_the_engine_keeps_few_sessions_and_forgets_closed_documents(monkeypatch):
    loads = []

    def load(name, **how):
        loads.append(name)
        return SimpleNamespace(name="own", reader=None, notice="", served=None)

    monkeypatch.setattr("suture.model.load", load)
    monkeypatch.setattr("suture.model.complete", lambda *_, **__: Completion("1", 1, "model", True, 0.0, 0.0, 0.0))
    engine = CompletionEngine(Settings(certainty=0.0))
    for number in range(MAX_SESSIONS + 5):
        place = CursorContext(f"file:///{number}.py", "python", "x = \n", 4)
        suggestion = engine.suggest(place, lambda: False)
        assert shown(suggestion) == "1"
    kept = list(engine.sessions._sessions)
    assert kept == [(f"file:///{number}.py", "python", None) for number in range(5, MAX_SESSIONS + 5)]
    engine.sessions.forget("file:///7.py")
    assert len(engine.sessions._sessions) == MAX_SESSIONS - 1
    assert loads == [None]


def test_a_model_that_cannot_be_loaded_is_tried_once(monkeypatch):
    loads = []

    def load(name, **how):
        loads.append(name)
        raise OSError("no\nspace")

    monkeypatch.setattr("suture.model.load", load)
    engine = CompletionEngine(Settings(model="m"))
    for _ in range(2):
        with pytest.raises(Unavailable, match="the model m cannot be loaded: no; "):
            engine.keeper.load()
    assert loads == ["m"]


def test_a_model_is_loaded_once_and_has_no_notice_to_give(monkeypatch):
    loads = []

    def load(name, *_, **__):
        loads.append(name)
        return SimpleNamespace(notice="", served=None)

    monkeypatch.setattr("suture.model.load", load)
    engine = CompletionEngine(Settings(model="m"))
    engine.keeper.grace_s = 60.0
    for _ in range(3):
        engine.keeper.load_or_stand_in()
    assert loads == ["m"] and engine.keeper.loaded and engine.keeper.notices == []


def test_where_the_users_model_cannot_be_loaded_the_embedded_one_stands_in(monkeypatch):
    loads = []

    def load(name, *_, **__):
        loads.append(name)
        if name == "m":
            raise OSError("no space")
        return SimpleNamespace(notice="", served=None)

    monkeypatch.setattr("suture.model.load", load)
    engine = CompletionEngine(Settings(model="m"))
    engine.keeper.grace_s = 60.0
    for _ in range(3):
        engine.keeper.load_or_stand_in()
    assert loads == ["m", None] and engine.keeper.loaded


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x = |\n", 0),
        ("f(|)\n", 0),
        ("def f():\n    |\n", MAX_LINES),
        ("|", MAX_LINES),
        ("if x:|\n", MAX_LINES),
        ("if x:|  # y\n", 0),
        ("x = 1\r|y\r", 0),
        ("x = 1\r    |\ry\r", MAX_LINES),
    ],
)
def test_lines_to_suggest(text: str, lines: int) -> None:
    """One line in the middle of a line, more at the start of a line or a block."""
    assert lines_to_suggest(cursor_at(text)) == lines


@pytest.mark.parametrize(
    ("text", "said", "shown"),
    [
        ("x = |\n", "   1  ", "1"),
        ("x =|\n", " 1\n", " 1"),
        ("if x:\n|\n", "    y", "    y"),
        ("if x:\n  |\n", "  y\n", "  y"),
        ("x = '|'\n", "  a  ", "  a"),
        ("x = 'a |'\n", "  b", "b"),
        ("x = 1 if y|else 2\n", " ", " "),
    ],
)
def test_tidied(text: str, said: str, shown: str) -> None:
    """White space nobody would type is left out, if the text is still valid without it."""
    assert strip_whitespace(place_at(text), said) == shown


@pytest.mark.parametrize("quotes", ['"""', "'''"])
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('ontains the value.""', "ontains the value."),
        ('ontains the value."', "ontains the value."),
        ('ontains the "value"', 'ontains the "value"'),
        ('ontains ""', 'ontains ""'),
        ("ontains it's value", "ontains it's value"),
    ],
)
@pytest.mark.parametrize("below", ["\n\n    More.\n    @\n", "\n    @\n    return a\n"])
def test_no_text_ends_in_a_part_of_its_strings_end(quotes: str, said: str, shown: str, below: str) -> None:
    place = place_at(f"def f(a):\n    {quotes}C|{below.replace('@', quotes)}")
    said, shown = said.replace('"', quotes[0]), shown.replace('"', quotes[0])
    assert place.fits(said) or "'s" in said
    assert without_half_end(place, said) == shown


def test_quotes_of_another_kind_stay() -> None:
    place = place_at("def f(a):\n    '''C|\n\n    More.\n    '''\n")
    assert without_half_end(place, 'ontains the value.""') == 'ontains the value.""'


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("|", 0),
        ("x = 1\n    |", 4),
        ("    x = |", 4),
        ("    if x:|", 5),  # the next text is inside
        ("\t|", 8),
        ("def f(|", 0),
        ("x = 1\r  |", 2),
    ],
)
def test_block_column(text: str, column: int) -> None:
    assert block_column(cursor_at(text)) == column


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("def f(a):\n    while a:\n        |", 1),
        ("def f(a):\n    while a:\n        |\n\n\ndef g():\n    pass\n", 1),
        ("class A:\n    def f(a):\n        if a:\n            |\n\n    def g(): ...\n", 5),
        ("def f(a):\n    def g(b):\n        |", 1),  # the function within, and the rest of the one around it
        ("def f(a):\n    while a:\n        |\n    return a\n", 5),  # which the text comes before
        ("def f(a):\n    if a:\n        |\n    else:\n        pass\n", 5),
        ("def f(a):\n    while a:\n        |\n        a = g(a)\n", 8),
        ("while a:\n    |", 4),
        ("def f(a):\n    while a:|", 5),
        ("def f(a):\n    while a:\n        b = |", 8),
        ("func f(a int) {\n\tfor a > 0 {\n\t\t|\n\t}\n}\n", 1),  # up to the bracket below
        ("def f(\n    a,\n) -> int:\n    while a:\n        |", 1),
        ("function f() {\n  if (a) {\n    b();\n  } else {\n    |\n  }\n}\n", 1),
        ("function f() {\n}\nif (a) {\n  |\n}\n", 2),
        ("class A {\n  save(a: B): C<D> {\n    if (a) {\n      |\n    }\n  }\n}\n", 3),
        ("class A {\n  static async save(a: B) {\n    while (a) {\n      |\n    }\n  }\n}\n", 3),
        ("const f = async (a: B): C => {\n  if (a) {\n    |\n  }\n};\n", 1),
        ("const f: B = function (a) {\n  if (a) {\n    |\n  }\n};\n", 1),
        ("describe('f', () => {\n  if (a) {\n    |\n  }\n});\n", 4),
        ("func (b *B) f(a int) {\n\tif a {\n\t\t|\n\t}\n}\n", 1),
    ],
)
def test_function_column(text: str, column: int) -> None:
    assert function_column(cursor_at(text)) == column


@pytest.mark.parametrize(
    ("text", "said", "shown"),
    [
        # the following text, repeated
        ("if x:\n    |\n    b()\n", "b()", ""),
        ("if x:\n    |\n    b()\n", "b()\n    c()", ""),
        ("if x:\n    |\n    b()\n    c()\n", "a()\n    b()\n    c()", "a()"),
        ("if x:\n    |\n\n    b()\n    c()\n", "a()\n    b()", "a()"),
        ("if x:\n    |\nb()\n", "b()", "b()"),  # elsewhere
        ("if x:\n    |\n    b()\n", "a()\n    b(1)", "a()\n    b(1)"),
        ("x = |\nx = 1\n", "1", ""),
        ("x = |  # why\nx = 1\n", "1", "1"),  # with that comment it is another line
        ("x = f(\n    a,\n    |\n)\n", "b,\n", "b,\n"),
        ("x = [\n    |\n]\n", "(\n]", "(\n]"),  # a bracket says too little
        # the line above, said again
        ("a()\n|\n", "a()", ""),
        ("a()\n\n|\n", "a()\nb()", ""),
        ("if x:\n    a()\n    |\n", "b()\n    b()\n    b()", "b()"),
        ("x.a()\nx.|\n", "a()", ""),
        ("@a\ndef f(): ...\n@|\ndef g(): ...\n", "a", "a"),
        ("import os\nimport re\n|\n\nx = 1\n", "import os", ""),
        ("a = 1\nb = 2\n|\nc = 3\n", "a = 1", ""),
        ("for a in b:\n    if a:\n        continue\n    if b:\n        |\n", "continue", "continue"),
        # with a comment, or once more when its block is over
        ("a()\n|\n", "a()  # again", ""),
        ("a()  # once\n|\n", "a()", ""),
        ("# once\n|\n", "# again", "# again"),
        ("import a\nimport a|\n", "\nimport b", "\nimport b"),  # the user's own line
        ("a()\nb()|\n", "\na()", "\na()"),
        ("print(' # a')\n|\n", "print(' # b')", "print(' # b')"),
        ("if x:\n    a()|\n", "\n    a()", ""),
        ("if x:\n    a()|\n", "\na()  # again", ""),
        ("if x:\n    a()|\n", "\n\n\na()\nb()", ""),
        ("if x:\n    a()|\n", "\nb()\n\nb()  # again", "\nb()\n"),
        ("if x:\n    |\n", "a()\na()  # again", "a()"),
        ("if x:\n    return|\n", "\nreturn", "\nreturn"),
        ("if x:\n    a()|\n", "\nelse:\n    a()", None),
        # circles
        ("f(|)\n", "guest=None, guest=None, guest=None", "guest=None"),
        ("x = [|]\n", '"python", "python", "python"', '"python"'),
        ("print(|)\n", "a, a, a, a", "a"),
        ("x = |\n", "y + y + y + y", "y"),
        ("f(|)\n", "-a, -a", "-a, -a"),  # so little may come twice
        ("x = |\n", "rooms.get(rooms.get(rooms.get(a)))", "rooms.get"),
        ("x = [a for a in |\n", "b if a.c() or a.c() for a in b if a.c()]", "b if a.c()]"),
        ("return |\n", "a == b**2 or b**2 + c == a", None),  # alternatives with only the same beginning, or end
        ("return |\n", "x.y.z or x.y.z.a", None),
        ("return |\n", "f(a) + b[c] or b[c] + d", None),
        ("return |\n", "a.b(c) or a.b(c)", "a.b(c)"),
        # something assigned to itself
        ("env = |\n", "env", ""),
        ("self.x = |\n", "self.x", ""),
        ("f(env = |)\n", "env", "env"),
        # a text that needs its repetition
        ("if |:\n    a()\n", "x is None or x is None or x is None", "x is None"),
        ("if x is None or |:\n    a()\n", "y is None or y is None", "y is None"),
        ("x = {|}\n", '"a": 1, "b": 2, "a": 3', '"a": 1, "b": 2'),
        ("x = [f(1, 2), f(1, 2), |]\n", "f(1, 2)", "f(1, 2)"),
        ("x = [|]\n", "0, 0, 0, 0, 0", "0, 0, 0, 0, 0"),
        ("x = |\n", '{"a": {"b": 1}, "c": {"b": 2}}', '{"a": {"b": 1}, "c": {"b": 2}}'),
        ("if x:\n    |\nelse:\n    b()\n", "try:\n        a()\n    finally:\n        a()", None),
    ],
)  # fmt: skip
def test_what_is_there_is_not_said_again(text: str, said: str, shown: str | None) -> None:
    assert unrepeated(place_at(text), said) == (said if shown is None else shown)


_GO = "package p\n\nfunc f() error {\n\tif a() {\n\t\treturn err\n\t}\n\tif b() {\n\t\t|\n\t}\n\treturn err\n}\n"
_CASES = "package p\n\nfunc f() {\n\tfor {\n\t\tswitch a {\n\t\tcase 1:\n\t\t\tx()\n\t\t\tcontinue\n\t\tcase 2:\n\t\t\t|\n\t\t}\n\t}\n}\n"


@pytest.mark.parametrize(
    ("name", "text", "said", "shown"),
    [
        # in another block
        ("go", _GO, "return err", None),
        ("go", _GO, "return nil", None),
        ("go", _CASES, "continue", None),
        ("go", _CASES, "x()\n\t\t\tcontinue", None),
        ("go", _GO.replace("|", "x()\n\t\t|"), "x()", ""),
        ("go", _GO.replace("|", "|\n\t\ty()"), "y()", ""),
        ("go", _GO.replace("|", "x()\n\t\t|\n\t\ty()"), "z()\n\t\ty()", "z()"),
        # tags
        ("typescriptreact", "const a = (\n  <b>\n    <b>\n      c\n    </b>\n  |\n);\n", "</b>", None),
        ("typescriptreact", "const a = (\n  |\n);\n", "<b>\n    <b>\n      c\n    </b>\n  </b>", None),
        ("typescript", 'import {\n  a,\n} from "b";\n|\n', "import {", None),
        # comments
        ("go", _GO.replace("|", "x()\n\t\t|"), "x() // again", ""),
        ("typescript", "a(); // once\n|\n", "a();", ""),
        ("python", "x = a // b\n|\n", "x = a // c", None),
        # directives
        ("go", "package p\n\n//go:noescape\nfunc a()\n\n|\nfunc b()\n", "//go:noescape", None),
        ("go", _GO, "x := y(z) // → → → → → →", "x := y(z) //"),
        ("json", '{"a": [\n  {\n    "b": 1\n  },\n  {\n    |\n  }\n]}\n', '"b": 1', None),
        ("json", '{"a": [\n  "x",\n  |\n  "y"\n]}\n', '"x",', None),
        ("json", '{\n  "a": 1,\n  |\n  "b": 2\n}\n', '"a": 1,', ""),
        ("python", "if a:\n    return_(1)\nif b:\n    |\n", "return_(1)", ""),
        ("python", "x = 1\n|\n", "# → → → → → →", ""),
        ("python", "x = |\n", "f(1)  # - - - - 1", "f(1)  #"),
        ("python", "# * * *|\n", " * * *", None),
        ("python", "x = 1\n|\n", "# ------ a, b, *, *, c", None),
    ],
)  # fmt: skip
def test_what_repeats_depends_on_the_language(name: str, text: str, said: str, shown: str | None) -> None:
    assert unrepeated(place_at(text, name), said) == (said if shown is None else shown)


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        (Completion("f(", 1, "uncertain", False, 0.0, 0.0, 0.0), Reason.UNCERTAIN),
        (Completion("f(", 1, "length", False, 0.0, 0.0, 0.0), Reason.NO_TEXT),
        (Completion("a", 1, "model", True, 0.0, 0.0, 0.0, trail=(Passed(1, -9.0, True),)), Reason.UNCERTAIN),
    ],
)
def test_why_a_text_is_not_shown_unasked(monkeypatch, completion: Completion, reason: Reason) -> None:
    monkeypatch.setattr("suture.model.complete", lambda *_, **__: completion)
    model: Any = SimpleNamespace(reader=None, certainty=Certainty(threshold=0.5))
    request = Request(model, Options(language="python"), Limits(certainty=0.5))
    assert suggest(cursor_at("x = |\n"), language("python").session(), request) == Hidden(reason, completion.text)


def test_no_filler_is_an_alternative(monkeypatch) -> None:
    def made(text: str, ended: Any) -> Completion:
        return Completion(text, 1, ended, True, 0.0, 0.0, 0.0, trail=(Passed(1, -0.1, False),))

    texts = [made("a if b else c", "bridge"), made("a()", "bridge"), made("a + 1", "model")]
    monkeypatch.setattr("suture.model.candidates", lambda *_, **__: texts)
    model: Any = SimpleNamespace(reader=None, certainty=Certainty())
    found = suggest_several(
        cursor_at("x = |\n"), language("python").session(), Request(model, Options(language="python")), 3
    )
    assert [one.text for one in found] == ["a + 1", "a()"]


@pytest.mark.parametrize(
    ("text", "written", "shown_text"),
    [
        ("return", "return []", None),
        ("return", "return", "return"),
        ("a", "a + b", None),
        ('""', '""', None),
        ("a.b", "a.b.c()", None),
        ("a.b", "a.b = b", "a.b"),
    ],
)
def test_a_text_that_says_too_little_is_shown_neither_unasked_nor_asked(monkeypatch, text, written, shown_text):
    done = Completion(text, 1, "earlier", True, 0.0, 0.0, 0.0, trail=(Passed(len(text), -0.01, True),), written=written)
    monkeypatch.setattr("suture.model.complete", lambda *_, **__: done)
    monkeypatch.setattr("suture.model.candidates", lambda *_, **__: [done])
    model: Any = SimpleNamespace(reader=None, certainty=Certainty())
    request = Request(model, Options(language="python"), Limits(certainty=0.2, shows="bodies"))
    cursor, session = cursor_at("def f(a, b):\n    |\n"), language("python").session()
    unasked = suggest(cursor, session, request)
    assert (unasked.text if isinstance(unasked, Suggestion) else None) == shown_text
    several = suggest_several(cursor, session, replace(request, limits=Limits()), 3)
    assert [one.text for one in several] == [shown_text][: shown_text is not None]


@pytest.mark.parametrize(("text", "shown_text"), [("ValueError", None), ("ImportError", "ImportError")])
def test_a_handler_of_what_is_not_raised_is_shown_neither_unasked_nor_asked(monkeypatch, text, shown_text):
    done = Completion(text, 1, "model", True, 0.0, 0.0, 0.0, trail=(Passed(len(text), -0.01, True),), written=text)
    monkeypatch.setattr("suture.model.complete", lambda *_, **__: done)
    monkeypatch.setattr("suture.model.candidates", lambda *_, **__: [done])
    model: Any = SimpleNamespace(reader=None, certainty=Certainty())
    request = Request(model, Options(language="python"), Limits(certainty=0.2, shows="bodies"))
    cursor, session = cursor_at("try:\n    import a\nexcept |:\n    pass\n"), language("python").session()
    unasked = suggest(cursor, session, request)
    assert (unasked.text if isinstance(unasked, Suggestion) else None) == shown_text
    several = suggest_several(cursor, session, replace(request, limits=Limits()), 3)
    assert [one.text for one in several] == [shown_text][: shown_text is not None]


def test_a_suggestion_that_only_repeats_is_not_shown(check):
    assert check("if x:\n    $0\n    b()\n", "b()")[0] is None
    assert check("if x:\n    $0\n    b()\n", "a()\n    b()")[0] == "a()"


def test_a_device_that_runs_out_of_memory_hands_over_to_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from suture.lsp_server.completion.engine import keeper
    from suture.model import load
    from suture.model.errors import OutOfMemory

    model = load(device="cpu")

    class Full:
        """A runtime on a full device."""

        device = "cuda"

        def __getattr__(self, name: str) -> object:
            if name in ("prefill", "step", "rows"):
                raise OutOfMemory("the device is out of memory")
            return getattr(model.runtime, name)

    asked: list[str] = []

    def load_model(name: str | None, device: str, offline: bool = True, *how: object) -> object:
        asked.append(device)
        return model if device == "cpu" else replace(model, runtime=Full())

    monkeypatch.setattr(keeper, "load_model", load_model)
    engine = CompletionEngine(Settings(certainty=0.0))
    text = "def area(width, height):\n    return width * \n"
    suggestion = engine.suggest(CursorContext("a.py", "python", text, len(text) - 1), lambda: False)
    assert asked == ["auto", "cpu"]
    assert isinstance(suggestion, Suggestion) and suggestion.completion.complete
    assert engine.keeper.notices == ["cuda ran out of memory; the model embedded now runs on the CPU (slower)"]


def test_a_model_that_fits_nowhere_is_not_loaded_again_at_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from suture.lsp_server.completion.engine import keeper
    from suture.lsp_server.completion.engine import pipeline as engine_module
    from suture.lsp_server.errors import Unavailable
    from suture.model import Certainty
    from suture.model.errors import OutOfMemory

    asked: list[str] = []

    def load_model(name: str | None, device: str, *how: object) -> object:
        asked.append(device)
        if device == "cpu":
            raise Unavailable("it needs 14 GB of memory and cpu has 2 GB free")
        return SimpleNamespace(
            name="large", notice="", served=None, certainty=Certainty(), runtime=SimpleNamespace(device="cuda")
        )

    def spent(*_: object, **__: object) -> None:
        raise OutOfMemory("cuda is out of memory")

    monkeypatch.setattr(keeper, "load_model", load_model)
    monkeypatch.setattr(engine_module, "suggestions", spent)
    monkeypatch.setattr(engine_module, "suggest_several", spent)
    engine = CompletionEngine(Settings(in_comments=True, in_strings=True, context_files=False))
    place = CursorContext("a.py", "python", "x = \n", 4)
    for ask in (engine.suggest, engine.suggest, lambda place, cancelled: engine.alternatives(place, 3, cancelled)):
        with pytest.raises(Unavailable, match="cuda ran out of memory, and on the CPU it needs 14 GB"):
            ask(place, lambda: False)
    assert asked == ["auto", "cpu"]
    engine.unload()  # in a long pause; then there may be room again
    with pytest.raises(Unavailable):
        engine.suggest(place, lambda: False)
    assert asked == ["auto", "cpu"] * 2


@pytest.mark.parametrize(
    ("left", "said", "again"),
    [
        ("import re\nfrom pathlib import ", "re", True),
        ("import re\nfrom pathlib import ", "Path", False),
        ("from datetime import date\nfrom notes import ", "Note, date", True),
        ("from a import b as c\nfrom d import ", "c", True),
        ("from a import b as c\nfrom d import ", "b", False),
        ("from a import b", ", b", True),
        ("from a import b", ", c", False),
        ("import os.path\nimport ", "os", False),
        ("from a import (b, c)\nimport ", "c", True),
        ("import re\nx = ", "re", False),
        ("try:\n    import re\nexcept ImportError:\n    import ", "re", False),
    ],
)
def test_an_import_of_what_is_imported_says_nothing(left: str, said: str, again: bool) -> None:
    assert imports_again(left, said, "\n") == again
    assert not again or 0 in cuts(left, said, "\n", traits("python").repeats)


@pytest.mark.parametrize(
    ("left", "said", "right", "same"),
    [
        ("", "x = 1", "\n\nx = 1\n", True),
        ("x ", "= 1\ny = 2", "\nx = 1\n", True),
        ("", "x = 1", "\ny = 1\nx = 1\n", False),
        ("x ", "= 1", "", False),
        ("f(", "x", ")\nf(x\n", False),
    ],
)
def test_what_is_the_next_line_is_known(left: str, said: str, right: str, same: bool) -> None:
    assert is_next_line(left, said, right) is same


@pytest.mark.parametrize(
    ("left", "said", "again"),
    [
        ("class A:\n    pass\n\n\nclass ", "A:", True),
        ("class A:\n    pass\n\n\ncl", "ass A(B):", True),
        ("class A:\n    pass\n\n\nclass ", "AB:", False),
        ("class Ab:\n    pass\n\n\nclass A", "b:", True),
        ("class A:\n    pass\n\n\nclass A(", "B):", False),  # the user has named it
        ("class A:\n    def f(self): ...\n\n    def ", "f(self):", True),
        ("class A:\n    def f(self): ...\n\n    @f.setter\n    def ", "f(self, value):", False),
        ("class A:\n    pass\n\n\n@dataclass(frozen=True)\nclass ", "A:", True),
        ("class A:\n    @property\n    def f(self): ...\n\n    @property\n    def ", "f(self):", True),
        ("@overload\ndef f(a: int): ...\n@typing.overload\ndef ", "f(a: str):", False),
        ("@overload\n@classmethod\ndef f(a: int): ...\n@overload\n@classmethod\ndef ", "f(a: str):", False),
        ("def _(a): ...\n\n\n@f.register(\n    str\n)\ndef ", "_(a):", False),
        ("def g(a): ...\n\n\n@other(\n    str\n)\ndef ", "g(a):", True),
        ("class A:\n    @hybrid\n    def f(self): ...\n\n    @f.expression\n    def ", "f(cls):", False),
        ("@given('a')\ndef step_impl(context): ...\n\n\n@when('b')\ndef ", "step_impl(context):", False),
        ("class A:\n    def f(self): ...\n\n\nclass B:\n    def ", "f(self):", False),
        ("def f(): ...\n\n\nclass B:\n    def ", "f(self):", False),
        ("def f(): ...\n", "x = f()", False),
    ],
)
def test_what_a_block_has_is_not_defined_again(left: str, said: str, again: bool) -> None:
    assert defines_again(left, said) is again


def test_names_in_any_script_are_compared_whole() -> None:
    above = "def हमा(x):\n    return x\n\n"
    assert not defines_again(above, "def हमी(x):") and defines_again(above, "def हमा(x):")


@pytest.mark.parametrize(
    ("line", "itself"),
    [
        ("name = name", True),
        ("self.name = self.name", True),
        ("node.next = node", True),
        ("node.next.last = node.next", True),
        ("self.root = self", False),
        ("node.next = other", False),
        ("node.next = node.last", False),
        ("name == name", False),
        ("f(name) = f", False),
        (" = ", False),
    ],
)
def test_nothing_is_assigned_to_itself(line: str, itself: bool) -> None:
    left, sign, said = line.partition("= ")
    assert assigns_to_itself(f"x\n    {left}{sign}", said, "\n") is itself
    assert assigns_to_itself(f"x\n    {left}{sign}", said, " + 1\n") is False
    assert assigns_to_itself(f"f(\n    {left}{sign}", said, "\n)") is False


@pytest.mark.parametrize(
    ("marked", "ends", "wanted"),
    [
        ("table = 1\n$0\n", ["table"], None),
        ("table = 1\nx = $0\n", ["table"], "table"),
        ("table = 1\n$0\n", ["table", ".clear()"], "table.clear()"),
        ("table = 1\n$0\n", ["table", " = table"], None),  # says nothing, and neither does its beginning
    ],
)
def test_a_statement_is_shown_unasked_and_no_bare_name(
    monkeypatch: pytest.MonkeyPatch, marked: str, ends: list[str], wanted: str | None
) -> None:
    said = "".join(ends)
    lengths = [len("".join(ends[: n + 1])) for n in range(len(ends))]
    completion = Completion(said, 1, "model", True, 0.0, 0.0, 0.0, trail=tuple(Passed(n, 0.0, True) for n in lengths))
    name = replace(completion, text=ends[0], trail=completion.trail[:1])
    monkeypatch.setattr("suture.model.complete", lambda *_, **__: completion)
    monkeypatch.setattr("suture.model.candidates", lambda *_, **__: [completion, name])
    session = language("python").session()
    model: Any = SimpleNamespace(reader=None, certainty=Certainty())
    found = suggest(cursor_at(marked, "$0"), session, Request(model, Options(language="python"), Limits(certainty=0.1)))
    assert shown(found) == wanted


@pytest.mark.parametrize(
    ("name", "text", "said", "again"),
    [
        ("json", '{"a": 1,\n |}\n', '"a": 2', True),
        ("json", '{"a": 1,\n |}\n', '"b": 2', False),
        ("json", '{"a": 1,\n "|}\n', 'a": 2', True),
        ("json", '{|, "a": 1}\n', '"a": {"b": 2}', True),
        ("json", '{|, "a": 1}\n', '"b": {"a": 2}', False),  # of another mapping
        ("json", '{"a": {"b": 1}, |}\n', '"b": 2', False),
        ("json", '[{"a": 1}, {|}]\n', '"a": 2', False),
        ("json", '{"a}": 1, "b": "c", |}\n', '"c": 2', False),
        ("json", '{"a": |}\n', '"a"', False),  # a value
        ("json", '{"a": 1, "a"|}\n', ": 2", False),  # the user wrote it
        ("json", '{"a|": 1, "ab": 2}\n', "b", True),
        ("python", "x = {'a': 1, |}\n", '"a": 2', True),
        ("python", "x = f({'a': 1}, b={|})\n", "'a': 2", False),
        ("go", 'package p\n\nvar x = map[string]int{\n\t"a": 1,\n\t|\n}\n', '"a": 2,', True),
        ("go", 'package p\n\nfunc f() (string, string) {\n\tg("a", "b")\n\treturn "b", |\n}\n', '"a"', False),
    ],
)
def test_a_mapping_has_a_key_once(name: str, text: str, said: str, again: bool) -> None:
    left, right = text.split("|")
    assert repeats_key(left, said, right) is again
    assert not again or says_nothing(left, said, right, traits(name).repeats)


@pytest.mark.parametrize(
    ("left", "said", "again"),
    [
        ("interface Item {\n}\n\nexport in", "terface Item {", True),
        ("export interface Item {\n}\n\n", "interface Item extends A {", True),
        ("export interface Item {\n}\n\n", "interface ItemProps {", False),
        ("export interface Item {\n}\n\n", "interface Item", False),  # more of these may come
        ("declare module 'a' {\n  interface Item {}\n}\n\n", "interface Item {", False),
        ("interface Item {}\ninterface Item ", "{", False),  # the user has named it
    ],
)
def test_an_interface_is_not_written_again(left: str, said: str, again: bool) -> None:
    assert says_nothing(left, said, "\n", traits("typescript").repeats) is again


def test_keys_are_compared_as_a_parser_of_json_sees_them() -> None:
    """Each key of random documents, taken out and written again: its own name is new, those of its neighbours are not."""
    rng = random.Random(1)

    def value(depth: int) -> Any:
        if depth and rng.random() < 0.6:
            return {rng.choice("abcdef") + rng.choice('" }:,'): value(depth - 1) for _ in range(rng.randint(1, 4))}
        return rng.choice((1, "a", "{", "}:", [{"a": 1}, "b"]))

    for _ in range(300):
        text = json.dumps(value(4), indent=rng.choice((None, 1)))
        keys = list(re.finditer(r'"((?:[^"\\]|\\.)*)":', text))
        for match in rng.sample(keys, min(3, len(keys))):
            other = rng.choice(keys)
            left, right = text[: match.start()], text[match.end() - 1 :]
            twice: list[str] = []

            def unique(pairs: list[tuple[str, Any]], twice: list[str] = twice) -> dict[str, Any]:
                names = [name for name, _ in pairs]
                twice += [name for name in names if names.count(name) > 1]
                return dict(pairs)

            said = f'"{other[1]}"'
            json.loads(left + said + right, object_pairs_hook=unique)
            assert repeats_key(left, said, right) is bool(twice), left + said + right
