"""Keys that break their own line: the rest of the file stays as it was, no search for a view starts, and the line's bindings are known."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from suture.parser import Session, language
from suture.parser.views import Views

from ..fuzz import views
from ..support import oracle_go

TYPED = ("value = f(x", "foo(a, ", "if x", "[1, ", "= y", "print(a)")
WHOLE = {
    "python": 'def f(a):\n    """Say it."""\n    total = g(\n        a,\n        |b,\n    )\n    return total\n\n\ndef g(c, b):\n    """Say that."""\n',
    "go": "package p\n\nfunc f(a int) int {\n\ttotal := g(\n\t\ta,\n\t\t|2,\n\t)\n\treturn total\n}\n\nfunc g(c, b int) int {\n\treturn `\n`\n}\n",
    "typescript": "function f(a: number) {\n  const total = g(\n    a,\n    |2,\n  );\n  return total;\n}\n\nfunction g(c: number, b: number) {\n  return `\n`;\n}\n",
}
BINDING = {
    "python": ("x = |g(1)\n", ") "),
    "go": ("package p\n\nfunc f() {\n\tx := |g(1)\n\t_ = x\n}\n", ") "),
    "typescript": ("const x = |g(1);\n", ") "),
    "javascript": ("const x = |g(1);\n", ") "),
}
"""A line that binds x, and one or two keys that break it."""
LEFT = {
    "python": (
        "def f(a):\n    x = 1\n    |\n    return x\n\n\ndef g(b):\n    y = 2\n    ^\n    return y\n",
        "foo(a b",
        "y",
    ),
    "go": (
        "package p\n\nfunc f(a int) {\n\tx := 1\n\t|\n\t_ = x\n}\n\nfunc g(b int) {\n\ty := 2\n\t^\n\t_ = y\n}\n",
        "foo(a b",
        "y",
    ),
    "typescript": (
        "function f(a) {\n  const x = 1;\n  |\n}\n\nfunction g(b) {\n  const y = 2;\n  ^\n}\n",
        "foo(a b",
        "y",
    ),
}
"""A broken text is typed at |, and the cursor moves on to ^."""


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts with a search for a view."""
    texts, search = list[str](), Views._search
    monkeypatch.setattr(
        Views, "_search", lambda self, start, most: texts.append(start.text) or search(self, start, most)
    )  # type: ignore[misc]
    return texts


def keys(session: Session, left: str, typed: str, right: str) -> Iterator[tuple[str, int]]:
    """(text, cursor) after each key."""
    session.hole(left + right, len(left), level="names")
    for end in range(1, len(typed) + 1):
        yield left + typed[:end] + right, len(left) + end


def faults(name: str, text: str, rng: random.Random) -> Iterator[str]:
    """Keys at a random place of a valid file after which more than the cursor's line is hidden, or the cursor is not in code."""
    cursor, session = rng.randrange(len(text)), language(name).session(Path("/nowhere/file"))
    hole = session.hole(text, cursor, level="names")
    if not hole.viable or hole.state is None or hole.state.region != "code":
        return
    for step, offset in keys(session, text[:cursor], rng.choice(TYPED), text[cursor:]):
        hole = session.hole(step, offset, level="names")
        start = step.rfind("\n", 0, offset) + 1
        if (
            hole.state is None
            or hole.state.region != "code"
            or any(not start <= a <= b <= offset for a, b in hole.hidden)
        ):
            yield f"{hole.fallback} {hole.hidden}: {step[start:offset]}|{step[offset : offset + 20]}"


@pytest.mark.parametrize("name", views.LANGUAGES)
def test_only_the_cursors_line_is_at_fault(name: str, searched: list[str]) -> None:
    if name == "go" and oracle_go.goroot() is None:
        pytest.skip("Go's files are not here")
    rng = random.Random(6)
    for number, text in enumerate(views.texts(name, rng)):
        assert [said for _ in range(4) for said in faults(name, text, rng)] == []
        if number == 8:
            break
    assert searched == []


@pytest.mark.parametrize("typed", TYPED)
@pytest.mark.parametrize("name", list(WHOLE))
def test_names_stay_within_the_arguments_of_a_call(name: str, typed: str, searched: list[str]) -> None:
    left, right = WHOLE[name].split("|")
    session, state = language(name).session(), None
    for text, offset in keys(session, left, typed, right):
        hole = session.hole(text, offset, level="names")
        state = hole.state
        assert state is not None and state.region == "code"
        assert {"a", "f", "g"} <= set(state.names() or ()), text[len(left) : offset]
    assert searched == []


@pytest.mark.parametrize("edited", [True, False], ids=["edited", "opened"])
@pytest.mark.parametrize("name", list(BINDING))
def test_what_a_cut_beginning_binds_stays_bound(name: str, edited: bool) -> None:
    """Whether the line was whole before, or the file is opened with a broken one."""
    text, typed = BINDING[name]
    left, right = text.split("|")
    session = language(name).session()
    if edited:
        session.hole(left + right, len(left), level="names")
    hole = session.hole(left + typed + right, len(left + typed), level="names")
    assert hole.fallback == "line" and hole.state is not None
    assert "x" in (hole.state.names() or ())


@pytest.mark.parametrize("name", list(LEFT))
def test_a_line_that_is_left_broken_is_read_as_it_was(name: str, searched: list[str]) -> None:
    """Until a pause, even after keys in another line; and back in that line it is not hidden."""
    text, typed, other = LEFT[name]
    left, right = text.split("|")
    session = language(name).session()
    for step, offset in keys(session, left, typed, right.replace("^", "")):
        session.hole(step, offset, level="names")
    above, below = (left + typed + right).split("^")
    for end in range(1, len(other) + 1):
        step, offset = above + other[:end] + below, len(above) + end
        hole = session.hole(step, offset, level="names")
        assert [step[a:b].strip() for a, b in hole.hidden] == [typed]
        assert hole.state is not None and {"b", "y"} <= set(hole.state.names() or ())
    back = session.hole(step, len(left + typed), level="names")
    assert back.fallback == "line" and all(b <= len(left + typed) for _, b in back.hidden)
    assert searched == []


def test_a_pair_of_quotes_above_the_paragraph_stays_when_a_file_is_opened_broken() -> None:
    """Of two docstrings none is opened so that the cursor is in a string."""
    left = 'def f(a):\n    """Say it."""\n    return a\n\n\ndef g(b):\n    """Say that."""\n    total = f(\n        b,\n        value = '
    right = "\n        b,\n    )\n    return total\n\n\nx = = 1\n"
    hole = language("python").session().hole(left + right, len(left), level="names")
    assert hole.state is not None and hole.state.region == "code"
    assert {"f", "g", "b"} <= set(hole.state.names() or ())


@pytest.mark.parametrize(
    ("line", "bound"),
    [
        ("export const f = (first: N.A, second?: { a: number }): { b: number } =v| > ({", {"first", "second"}),
        ("const f = ({ first, second }: P, third: Q) => h.eif x| xec();", {"first", "second", "third"}),
        ("const f = (first, second) => h.eif x| xec();", {"first", "second"}),
        ("const f = first => h.eif x| xec();", {"first"}),
        ("async function f(g: G, ...first: readonly string[]): Promiseif x| <void> {", {"g", "first"}),
    ],
)
def test_the_parameters_of_a_cut_line_stay_bound(line: str, bound: set[str]) -> None:
    left, _, right = line.partition("|")
    left, right = (
        f"const h = 1;\n{left}",
        f"{right}\n  return 1;\n}}\n" if right.endswith("{") else f"{right}\nh.g();\n",
    )
    hole = language("typescript").session().hole(left + right, len(left), level="names")
    assert hole.state is not None and hole.state.region == "code"
    assert bound | {"h"} <= set(hole.state.names() or ())


HEADERS = {
    "go": ("package p\n\nfunc f(a int) int {\n\t|\n\t\treturn a\n\t}\n\treturn 0\n}\n", "if a > 0 {", "a > 0"),
    "typescript": ("function f(a: number) {\n  |\n    return a;\n  }\n  return 0;\n}\n", "if (a) {", "a"),
}
"""A block whose header is to be written at |; a header, and a text without one."""


@pytest.mark.parametrize("begun", [0, 2], ids=["blank", "begun"])
@pytest.mark.parametrize("name", list(HEADERS))
def test_a_block_without_a_header_gets_one(name: str, begun: int) -> None:
    text, header, other = HEADERS[name]
    left, right = text.split("|")
    session = language(name).session()
    session.doubts = True  # as an editor's
    hole = session.hole(left + header[:begun] + right, len(left) + begun, level="names")
    assert hole.viable and not hole.hidden and hole.state is not None
    for rest, complete in ((header[begun:], True), (other, False)):
        after = hole.state.advance(rest)
        assert (after is not None and after.complete) is complete


@pytest.mark.parametrize("name", list(HEADERS))
def test_a_bracket_too_many_elsewhere_is_hidden(name: str) -> None:
    text, _, other = HEADERS[name]
    left, right = (
        text.replace("  return a;\n  }\n", "return a;\n").replace("\treturn a\n\t}\n", "return a\n").split("|")
    )
    session = language(name).session()
    session.doubts = True
    hole = session.hole(left + "x := " * (name == "go") + right + "}\n", len(left) + 5 * (name == "go"), level="names")
    assert hole.hidden and hole.state is not None and hole.state.advance(other) is not None


@pytest.mark.parametrize(
    ("marked", "header", "other"),
    [
        ('d("d", () => {\n  it("a|\n    f();\n  });\n});\n', 'b", () => {', "b"),
        ("const a = (\n  <div>\n    <P.|\n      x\n    </P.Q>\n  </div>\n);\n", "Q>", "R />"),
    ],
    ids=["call", "tag"],
)
def test_the_cursors_line_opens_what_the_lines_below_close(marked: str, header: str, other: str) -> None:
    left, right = marked.split("|")
    session = language("typescriptreact").session()
    session.doubts = True
    found = session.hole(left + right, len(left), level="names")
    assert found.viable and not found.hidden
    for hole in (found, session.mended(found, left + right, len(left), level="names")):
        for text, complete in ((header, True), (other, False)):
            after = None if hole.state is None else hole.state.advance(text)
            assert (after is not None and after.complete) is complete
