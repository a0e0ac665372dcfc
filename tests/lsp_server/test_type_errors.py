"""Texts judged by a type checker: a whole statement with a new error is not shown, and the only remaining member is."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from suture.common.reach import Reach
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.engine import typed
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.engine.typed import Types
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.proposing.candidates import sole_member
from suture.lsp_server.completion.proposing.editing import Editing, editing
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion
from suture.parser import Session

from ..support.work import PATIENCE_S
from .test_types import FAKE, REAL, at_mark, needs_ty, program, session_of, until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a program of a shell")
STARTS = "y = box.|\n"
"""A place where a checker is started."""


class Desk:
    """A document with the fake type checker."""

    def __init__(self, root: Path, knows: dict[str, list[str]], errors: dict[str, dict[str, Any]]) -> None:
        (root / "fake.json").write_text(json.dumps({"version": "9.9.9", "knows": knows, "errors": errors}))
        self.checker = program(root / "bin" / "ty", f'exec "{sys.executable}" -I "{FAKE}"')
        self.path, self.root, self.types = root / "a.py", root, Types()
        self.session: Session = session_of(self.path)
        self.settings = Settings(type_server=str(self.checker))

    def place(self, marked: str) -> CursorContext:
        """The place at a mark."""
        text, offset = at_mark(marked)
        return CursorContext("a", "python", text, offset, path=str(self.path), reach=Reach(str(self.root), True))

    def ask(self, marked: str) -> CursorContext:
        """Ask about the place at a mark, and wait for the answer."""
        place = self.place(marked)
        self.types.ask(place, self.session, self.settings, (), lambda: False)
        before = self.types._before
        assert before is None or before.done.wait(PATIENCE_S)
        return place

    def refuses(self, marked: str, text: str, **more: Any) -> bool:
        """Whether a text is refused at a mark."""
        self.ask(STARTS)
        return self.types.refuses(self.ask(marked), self.session, suggested(text, **more))


def suggested(text: str, **more: Any) -> Suggestion:
    """A text written and ended by a model."""
    written = {name: more.pop(key) for key, name in (("ended", "ended"), ("whole", "text")) if key in more}
    completion = replace(Completion(text, 2, "model", True, 1.0, 0.5, 2.0), **written)
    return replace(Suggestion(text, completion, True, 0.25), **more)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(typed, "_FILTER_S", PATIENCE_S)
    errors = {"bad": {"code": "wrong"}, "absent": {"code": "unresolved-import"}, "odd": {"code": "odd", "severity": 2}}
    mixed = {"code": "missing", "message": "Object of type `<super: <class 'A'>, Self@f>` has no attribute `x`"}
    own = {"code": "missing", "message": "Object of type `Self@f` has no attribute `x`"}
    errors |= {"mixed": mixed, "own": own}
    desk = Desk(tmp_path, {"box": ["open", "size"]}, errors)
    yield desk
    desk.types.stop()


@pytest.mark.parametrize(
    ("marked", "text", "is_refused"),
    [
        ("x = |\n", "bad", True),
        ("x = box.|\n", "bad", True),
        ("x = |\ny = bad\n", "bad", False),  # already in the file
        ("x = bad + |\n", "bad", False),
        ("x = |\n", "good", False),
        ("x = |\n", "absent", False),  # it is not installed yet
        ("x = |\n", "odd", False),  # a warning
        ("x = |\n", "mixed", False),  # the class is mixed into others
        ("x = |\n", "own", False),
        ("x = |\n", "good\ny = bad", True),
        ("x = (|\n", "bad)", True),
        ("x = |\n# 𝔘\n", "bad", True),
    ],
)
def test_a_statement_that_brings_an_error_is_refused(desk: Desk, marked: str, text: str, is_refused: bool) -> None:
    assert desk.refuses(marked, text) == is_refused


@pytest.mark.parametrize(
    "more", [{"ended": "length"}, {"ended": "bridge"}, {"whole": "bad.more"}, {"behind": 1}, {"valid": False}]
)
def test_beginnings_are_left_alone(desk: Desk, more: dict[str, Any]) -> None:
    assert not desk.refuses("x = |\n", "bad", **more)


def test_a_text_before_other_code_of_its_line_is_left_alone(desk: Desk) -> None:
    assert not desk.refuses("x = (|, 1)\n", "bad")


def test_no_checker_is_started_for_errors_alone(desk: Desk) -> None:
    assert not desk.types.refuses(desk.ask("x = |\n"), desk.session, suggested("bad"))
    assert desk.types.monitor.checkers == ()
    assert desk.types.said == "not asked"


def test_a_late_answer_refuses_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.ask(STARTS)
    place = desk.ask("x = |\n")
    (checker,) = desk.types.monitor.checkers
    assert checker.child is not None
    checker.child.kill()  # its answer would come after a new start
    monkeypatch.setattr(typed, "_FILTER_S", 0.0)
    assert not desk.types.refuses(place, desk.session, suggested("bad"))


def test_a_place_whose_errors_are_not_known_refuses_nothing(desk: Desk) -> None:
    desk.ask(STARTS)
    place = desk.ask("x = |\n")
    assert desk.types._before is not None
    desk.types._before._settled[:] = [None]
    assert not desk.types.refuses(place, desk.session, suggested("bad"))


@needs_ty
def test_ty_finds_errors_of_arguments_and_operators(desk: Desk) -> None:
    desk.settings = Settings(type_server=REAL)
    text = "def half(number: int) -> float:\n    return number / 2\n\n\n"
    started = desk.types.monitor.question(
        "python", str(desk.path), desk.session, *at_mark(text + "x = ''.|\n"), reach=Reach(str(desk.root), True), program=REAL
    )  # fmt: skip
    assert started is not None and started.done.wait(PATIENCE_S)
    for written, is_refused in [("half(3)", False), ("half('3')", True), ("half()", True), ("'a' + half(3)", True)]:
        place = desk.ask(f"{text}x = |\n")
        assert desk.types.refuses(place, desk.session, suggested(written)) == is_refused, written


# -- the only member


def here(marked: str) -> Editing:
    """The place at a mark."""
    text, offset = at_mark(marked)
    place = editing(Cursor.at(text, offset), session_of(Path("/w/a.py")), "python", lambda: False)
    assert isinstance(place, Editing)
    return place


@pytest.mark.parametrize(
    ("marked", "names", "said"),
    [
        ("x = box.op|\n", "open size", "en"),
        ("x = box.o|\n", "open _own size", "pen"),
        ("x = box.o|\n", "open owner", None),  # two are left
        ("x = box.|\n", "opened", None),  # nothing shows that an existing member is meant
        ("x = box.open|\n", "open size", None),
        ("x = box._o|\n", "_open size", None),
        ("if box.is_|:\n    pass\n", "is_empty size", "empty"),
        ("if box.is_|\n", "is_empty size", "empty"),
        ("x = box.o|en\n", "open size", None),
    ],
)
def test_the_only_member_that_is_left(marked: str, names: str, said: str | None) -> None:
    member = sole_member(here("box = 1\n" + marked), frozenset(names.split()))
    assert (None if member is None else member.text.rstrip(":")) == said


def test_the_only_member_is_shown_where_the_model_is_sure_of_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = CompletionEngine(replace(desk.settings, device="cpu"), patient=True)
    unsure = Hidden(Reason.UNCERTAIN)
    monkeypatch.setattr("suture.lsp_server.completion.engine.pipeline.suggestions", lambda *asked: iter([unsure]))
    found = engine.suggest(desk.place("box = 1\ny = box.si|\n"), lambda: False)
    assert isinstance(found, Suggestion) and found.text == "ze"
    assert engine.suggest(desk.place("box = 1\ny = box.|\n"), lambda: False) == unsure
    assert engine.suggest(desk.place("box = 1\ny = other.si|\n"), lambda: False) == unsure
    engine.unload()


def test_the_next_text_is_shown_for_one_with_a_new_error(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = CompletionEngine(replace(desk.settings, device="cpu"), patient=True)
    several = [suggested("bad"), suggested("good")]
    made = list(several)
    monkeypatch.setattr("suture.lsp_server.completion.engine.pipeline.suggestions", lambda *asked: iter(made))
    monkeypatch.setattr("suture.lsp_server.completion.engine.pipeline.suggest_several", lambda *asked: several)
    engine.suggest(desk.place(STARTS), lambda: False)
    (checker,) = engine.types.monitor.checkers
    until(lambda: checker.child is not None)
    place = desk.place("good = 1\nx = |\n")
    assert engine.suggest(place, lambda: False) == made[1]
    made.pop()
    assert engine.suggest(place, lambda: False) == Hidden(Reason.WRONG_TYPE, "bad")
    assert [one.text for one in engine.alternatives(place, 2, lambda: False)] == ["good"]
    engine.unload()


@pytest.mark.parametrize(
    ("faulty", "shown"),
    [
        ("", "imported"),
        ("imported", "first"),
        ("imported first", "second"),
        ("imported first second", Hidden(Reason.WRONG_TYPE, "imported")),
    ],
)
def test_the_first_text_with_no_fault_is_shown_the_one_with_an_import_before_others(
    monkeypatch: pytest.MonkeyPatch, faulty: str, shown: str | Hidden
) -> None:
    def fault(self: CompletionEngine, place: CursorContext, suggestion: Suggestion) -> Reason | None:
        return Reason.WRONG_TYPE if suggestion.text in faulty.split() else None

    made = [suggested("first"), suggested("second"), Hidden(Reason.NO_TEXT)]
    monkeypatch.setattr(CompletionEngine, "_fault", fault)
    monkeypatch.setattr(CompletionEngine, "_with_imports", lambda *asked: suggested("imported"))
    monkeypatch.setattr("suture.lsp_server.completion.engine.pipeline.suggestions", lambda *asked: iter(made))
    engine = CompletionEngine(Settings(device="cpu", certainty=0.5), patient=True)
    outcome = engine.suggest(CursorContext("file:///a.py", "python", "value = 1\nx = \n", 14), lambda: False)
    assert (outcome.text if isinstance(outcome, Suggestion) else outcome) == shown
    engine.unload()
