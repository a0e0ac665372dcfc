"""The simulated typist: the editor's closers, the keys counted, and the texts accepted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion
from suture.training.editing_places import File

from benchmarks.keystrokes import Editor, Typist, files_around, files_to_type, type_files


class Sessions:
    """Takes each text as fitting."""

    def first_that_fits(self, place: Any, texts: list[str]) -> str | None:
        return next(iter(texts), None)

    def forget(self, document: str) -> None:
        pass


class Engine:
    """Suggests a test's text, by the text before the cursor; `^` marks the place of the cursor."""

    def __init__(self, says: Callable[[str], str]) -> None:
        self.says, self.asked, self.places = says, list[str](), list[Any]()
        self.sessions = Sessions()

    def suggest(self, place: Any, cancelled: Callable[[], bool]) -> Suggestion | Hidden:
        self.places.append(place)
        self.asked.append(place.text[: place.offset] + "|" + place.text[place.offset :])
        said = self.says(place.text[: place.offset])
        text, _, behind = said.partition("^")
        made = Completion(text, 1, "model", True, 0.0, 0.0, 0.0)
        return Suggestion(text + behind, made, True, 0.0, behind=len(behind)) if said else Hidden(Reason.NO_TEXT)


def typed(truth: str, says: Callable[[str], str], *, words: bool = False) -> tuple[int, int, Engine]:
    engine = Engine(says)
    counts = Typist(engine, Settings(), words=words).type(Path("/a.py"), "", truth, "\n", ())  # type: ignore[arg-type]
    return counts.letters, counts.keys, engine


@pytest.mark.parametrize(
    ("truth", "asked"),
    [
        ("f(a)", ["|\n", "f|\n", "f(|)\n", "f(a|)\n"]),
        ('f("a")', ["|\n", "f|\n", "f(|)\n", 'f("|")\n', 'f("a|")\n', 'f("a"|)\n']),
        ("f(\n    a\n)", ["|\n", "f|\n", "f(|)\n", "f(\n    |\n)\n", "f(\n    a|\n)\n"]),
    ],
)
def test_the_editor_closes_and_indents(truth: str, asked: list[str]) -> None:
    letters, keys, engine = typed(truth, lambda left: "")
    assert engine.asked == asked
    assert keys == len(asked) and letters == len(truth.replace("    ", ""))


def test_a_right_suggestion_takes_one_key_and_a_wrong_one_none() -> None:
    assert typed("abcdef", lambda left: "cdef" if left == "ab" else "")[:2] == (6, 3)
    assert typed("abcdef", lambda left: "cdex" if left == "ab" else "")[:2] == (6, 6)


def test_what_is_typed_along_stays_and_nothing_is_asked() -> None:
    letters, keys, engine = typed("abcdef", lambda left: "abcx" if not left else "")
    assert (letters, keys) == (6, 6)
    assert engine.asked == ["|\n", "abcd|\n", "abcde|\n"]


def test_what_closes_a_suggestion_is_behind_the_cursor() -> None:
    letters, keys, engine = typed("f(a, b)", lambda left: "f(a^)" if not left else "")
    assert (letters, keys) == (7, 1 + len(", b)"))
    assert engine.asked == ["|\n", "f(a|)\n", "f(a,|)\n", "f(a, |)\n", "f(a, b|)\n"]


def test_right_words_can_be_accepted() -> None:
    assert typed("result = other", lambda left: "result = value" if not left else "", words=True)[:2] == (14, 2 + 5 + 1)
    assert typed("results", lambda left: "result = value" if not left else "", words=True)[:2] == (7, 7)


def test_the_wrong_body_of_a_header_is_removed_again() -> None:
    says = {"": "if abc:\n    return"}
    assert typed("if abc:\n    x", lambda left: says.get(left, ""))[:2] == (9, 1 + 2 + 2)


def test_a_header_takes_the_place_of_what_is_closed() -> None:
    says = {"def f(": "a):\n    return"}
    letters, keys, engine = typed("def f(a):\n    x", lambda left: says.get(left, ""))
    assert "def f(|\n" in engine.asked
    assert (letters, keys) == (11, len("def f(") + 1 + 2 + 2)


def test_the_words_of_an_editor_that_has_closed() -> None:
    editor = Editor("f(", "\n", ")")
    assert editor.text == "f()\n"
    assert editor.type(")") == (1, 1, 1) and editor.text == "f()\n"


LINE = "    result = compute_something(value)\n"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(LINE * 10, id="too short"),
        pytest.param(LINE * 80, id="too long"),
        pytest.param("\tresult = compute_something(value)\n" * 30, id="tabs"),
        pytest.param("    a = b(c)\n" * 30, id="minified names"),
        pytest.param("    result = None; value = None\n" * 30, id="statements in one line"),
        pytest.param((LINE + "    # What is said here takes more room than what is done.\n") * 15, id="prose"),
    ],
)
def test_only_files_that_a_person_would_type_are_typed(body: str):
    first = "def compute(value):\n"
    assert files_to_type([File("good", "good.py", first + LINE * 30), File("bad", "bad.py", first + body)], 5, 1) == [
        File("good", "good.py", first + LINE * 30)
    ]


def test_one_file_of_each_project_is_typed():
    files = [File(name, f"{number}.py", "if True:\n" + LINE * 30) for name in "abc" for number in range(4)]
    assert sorted(file.project for file in files_to_type(files, 12, 1)) == ["a", "b", "c"]
    assert len(files_to_type(files, 2, 1)) == 2


TYPED = File(
    "a", "src/shop/cart.py", "def total(prices):\n" + "".join(f"    step_{n} = prices[{n}]\n" for n in range(30))
)


@pytest.mark.parametrize(
    "path",
    ["src/shop/cart.py", "shop/cart.py", "build/lib/shop/cart.py", "cart.py"],
)
def test_a_file_is_not_typed_among_files_of_its_own_path(path: str):
    assert not files_around(TYPED, [File("a", path, "another = 1\n")])


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        pytest.param(TYPED.text, False, id="the same"),
        pytest.param("class Cart:\n" + TYPED.text.replace("total", "sum_of"), False, id="changed a little"),
        pytest.param(TYPED.text[: len(TYPED.text) // 2], True, id="half of it"),
        pytest.param("x = 1\n" * 20_000, False, id="too long"),
    ],
)
def test_a_file_is_typed_among_no_copy_of_it_and_no_long_file(text: str, apart: bool):
    other = File("a", "src/shop/order.py", text)
    assert files_around(TYPED, [other, File("b", "src/shop/order.py", "x = 1\n")]) == [other] * apart


def test_files_are_typed_alone_or_among_others(tmp_path: Path):
    copy = File("a", "build/shop/cart.py", TYPED.text)
    others = [File("a", f"{folder}/{n}.py", f"x = {n}\n") for folder in ("src/shop", "tests") for n in range(4)]
    engine = Engine(lambda left: "")
    typist = Typist(engine, Settings())  # type: ignore[arg-type]
    list(type_files(typist, [TYPED], tmp_path / "alone"))
    assert engine.places[0].path == (tmp_path / "alone/a/cart.py").as_posix()
    assert not engine.places[0].others and not list((tmp_path / "alone").rglob("*.py"))

    engine.places.clear()
    list(type_files(typist, [TYPED], tmp_path / "among", [*others, TYPED, copy]))
    root = tmp_path / "among/a"
    assert {place.path for place in engine.places} == {(root / TYPED.path).as_posix()}
    assert [other.path for other in engine.places[0].others] == [(root / other.path).as_posix() for other in others[:5]]
    assert sorted(root.rglob("*.py")) == sorted(root / other.path for other in others)
