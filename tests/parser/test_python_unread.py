"""Unread functions: their ends, and that reading them changes no answer."""

import random
import re
from collections.abc import Iterator

import pytest
from suture.parser import Level, language
from suture.parser.languages.python.semantics import document
from suture.parser.languages.python.semantics.place import Place
from suture.parser.languages.python.semantics.reading import Reading
from suture.parser.languages.python.semantics.statement_ends import function_end, line_end
from suture.parser.languages.python.semantics.tokens import NEWLINE, START, lex
from suture.parser.languages.python.semantics.unread_functions import Function

from ..support.oracle_python import stdlib_sources

_DEFINITION = re.compile(r"^[ \t]*(?:async )?def ", re.MULTILINE)


def _line_by_lexer(text: str, begin: int) -> tuple[int, int] | None:
    """(column, end) of the logical line at a place; None if the text ends in it."""
    tokens: list[str | int] = []
    state, at = START, begin
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        more, state = lex(state, text[at:end])
        tokens += more
        at = end
        if NEWLINE in tokens:
            column = tokens[0]
            assert isinstance(column, int)
            return column, at
    return None


def _end_by_lexer(text: str, begin: int) -> int | None:
    """The end of a function: the beginning of the first logical line that is not deeper; None at the end of the text."""
    first = _line_by_lexer(text, begin)
    assert first is not None
    at = first[1]
    while at < len(text):
        line = text[at : text.find("\n", at) + 1 or len(text)]
        if not line.strip() or line.lstrip()[0] == "#":
            at += len(line)
            continue
        if (found := _line_by_lexer(text, at)) is None:
            return None
        if found[0] <= first[0]:
            return at
        at = found[1]
    return None


def _functions_in(text: str) -> Iterator[int]:
    return (found.start() for found in _DEFINITION.finditer(text))


def test_functions_end_where_the_lexer_finds_it() -> None:
    certain = asked = 0
    for text in stdlib_sources(random.Random(3), 60):
        for begin in _functions_in(text):
            end = _end_by_lexer(text, begin)
            if end is None:
                continue
            found = function_end(text, begin, len(text))
            blank = text[min(found or 0, end) : end]
            assert found is None or (
                found <= end and all(not line.strip() or "#" in line for line in blank.split("\n"))
            )
            asked, certain = asked + 1, certain + (found is not None)
    assert certain > 0.95 * asked > 0


@pytest.mark.parametrize(
    "body, sure",
    [
        ("x = 1", True),
        ("x = [1,\n2]", True),  # a line in brackets is not a statement
        ("x = ')'\n    y = (1,\n2)", True),
        ("x = '''\ny = 1\n'''", True),
        ('x = f"""\n{a}\n"""', True),
        ("x = f'{a:{b}}' f\"{c['d']}\"", True),
        ("x = f'{a['b']}'\n    y = '''\nz = 1\n'''", False),  # a field may hold its own quotes since 3.12
        ("x = 1 + \\\n2", True),
        ("x = 1\n# a comment\n\n    y = 2", True),
        ("x = [[[[[[1\n]]]]]]", False),
        ("x = r'\\'\n    y = '''\nz'''", False),
        ("\tx = 1", False),
        ("x = 1  # 'quote (", True),
        ('if"""\n""":pass', True),
        ("x = b'' br'\\'' rb\"\\\"\"", True),
    ],
)
def test_what_a_function_holds(body: str, sure: bool) -> None:
    text = f"def f(a):\n    {body}\nafter = 1\n"
    end = function_end(text, 0, len(text))
    assert end in ((text.index("after"),) if sure else (None, text.index("after")))
    assert sure == (end is not None)
    indented = "class A:\n" + "".join(f"    {line}" for line in text.splitlines(keepends=True))
    if "\n2" not in body and "'''" not in body and '"""' not in body:
        assert function_end(indented, 9, len(indented)) == (indented.index("    after") if sure else None)


def test_a_function_ends_only_where_that_is_seen() -> None:
    text = "def f():\n    pass\n\n    # more\n\ng = 1\n"
    for end in range(len(text) + 1):
        found = function_end(text, 0, end)
        assert (found is not None) == (end > text.index("g")), end
    assert function_end("def f():\n    pass", 0, 17) == 17
    assert function_end("def f():\n    '''", 0, 16) is None
    assert line_end("x = [\n1]\ny", 0, 10) == 9
    assert line_end("x = [\n1]", 0, 8) is None


_ENDINGS = ("", " ", "\n", "\n    ", "\n\n# c\n")
_TEXTS = [
    "pass", "x = 1", "del {0}", "def {0}(): pass", "return {0}", "{0} = {0}", "print({0}, {1})", "import {0}", "class {0}: pass",
    "global {0}", "nonlocal {0}", "for {0} in {1}: pass", "{0}: int", "if 1:\n        del {0}", "def g(a):\n        return {0}",
    "try:\n        pass\n    except E as {0}:\n        pass", "'''", "(", "[{0} for {0} in {1}]", "lambda: {0}", "{0}.", "from __future__ import annotations",
]  # fmt: skip


def _answers(text: str, at: int, upto: int, suggestions: list[str], level: Level, exact: bool) -> list[object]:
    """A hole's answers: whether each text is accepted and complete, and its errors."""
    hole = language("python").hole(text[:at], text[upto:], level=level, exact=exact)
    state = hole.state
    if state is None:
        return [None]
    found: list[object] = [state.complete, state.refusal(""), hole.fallback, sorted(state.names() or ())]
    for suggestion in suggestions:
        after = state.advance(suggestion)
        found.append(None if after is None else (after.complete, after.refusal("")))
    return found


def test_reading_all_functions_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    asked = 0
    for text in stdlib_sources(rng, 12, 12_000):
        names = sorted(set(re.findall(r"[a-z_]{3,}", text)))
        for _ in range(6):
            begin, end = sorted((rng.randrange(len(text)), rng.randrange(len(text))))
            at = rng.choice([begin, text.rfind("\n", 0, begin) + 1])
            upto = rng.choice([at, min(end, at + 40), (text.find("\n", at) + 1 or len(text)) - 1])
            suggestions = [text[at:upto]]
            for _ in range(6):
                suggestions.append(rng.choice(_TEXTS).format(*rng.choices(names, k=2)) + rng.choice(_ENDINGS))
            level: Level = rng.choice(["names", "names", "compile"])
            exact = rng.random() < 0.3
            lazy = _answers(text, at, upto, suggestions, level, exact)
            with monkeypatch.context() as patch:
                patch.setattr(document, "function_end", lambda *_: None)
                assert lazy == _answers(text, at, upto, suggestions, level, exact), (text[:60], at, upto, suggestions)
            asked += len(suggestions)
    assert asked > 400


def test_typing_behind_a_function_goes_on_with_it() -> None:
    before = "def f(a):\n    b = a\n    return b\n\n\ndef g(c):\n    d = c\n\n"
    after = "    return b\n"
    session = language("python").session()
    for size in range(len(after) + 1):
        text = before + after[:size] + "\n\ndef h():\n    return f, g\n"
        state = session.hole(text, len(before) + size, level="names").state
        assert state is not None and state.names() is not None
        assert "f" in state.names()  # type: ignore[operator]
        fresh = language("python").hole(text[: len(before) + size], text[len(before) + size :], level="names").state
        assert fresh is not None
        assert [state.names(), state.complete, state.refusal("")] == [fresh.names(), fresh.complete, fresh.refusal("")]
        if 4 <= size < len(after) - 1:
            assert {"c", "d"} <= set(state.names() or ())
    state = session.hole(before, len(before), level="names").state
    assert state is not None and (after_ := state.advance("    return d\n")) is not None and after_.complete


@pytest.mark.parametrize(
    "marked, texts",
    [
        (
            "x = 1\n|\ndef f():\n    return x\n",
            {"del x": False, "x = 2": True, "del y": False, "if 1:\n    del x": True},
        ),
        ("def g():\n    y = 1\n    |\n    def f():\n        return y\n    return f\n", {"del y": False, "pass": True}),
        (
            "def g():\n    y = 1\n    |y2 = 1\n    def f():\n        return y2\n    return f\n",
            {"y3 = ": True, "y3 == ": None},
        ),
        ("z = 1\ndef f():\n    return z + undefined\n|\n", {"del z": False, "print(f())": True}),
    ],
)
def test_names_that_unread_functions_lose(marked: str, texts: dict[str, bool | None]) -> None:
    left, right = marked.split("|")
    state = language("python").hole(left, right, level="names").state
    assert state is not None
    for text, expected in texts.items():
        after = state.advance(text)
        assert (None if after is None else after.complete) is expected, text


def test_typing_reads_no_function_but_the_own(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = Function.content
    monkeypatch.setattr(Function, "content", lambda self: (self.is_read or read.append(self.text), original(self))[1])
    text = "".join(f"def unread_{number}(a):\n    b{number} = a\n    return b{number}\n\n\n" for number in range(200))
    at = text.index("    return b100") + len("    return ")
    session = language("python").session()
    for typed in ("", "b", "b1", "b10", "b100"):
        state = session.hole(text[:at] + typed + "\n" + text[at + 5 :], at + len(typed), level="names").state
        assert state is not None
        after = state.advance("b100"[len(typed) :])
        assert after is not None and after.complete
        refused = state.advance("c")
        assert refused is None or not refused.complete
    assert not read
    deleted = session.hole(text, 0, level="names").state
    assert (
        deleted is not None and (gone := deleted.advance("unread_0 = 1\ndel unread_0\n")) is not None and gone.complete
    )
    assert not read


_SIMPLE = (
    *("{0} = {1}", "{0}", "{0}({1})", "return {0}", "{0} += {1}", "del {0}", "global {0}", "yield {0}", "{0}: int = {1}", "raise {0}"),
    *("[{0} for {0} in {1}]", "lambda: {0}", "import {0}", "from os import *", "nonlocal {0}", "# {0}", "   ", "{0}, {1} = 1, 2", "await {0}"),
    *("(y := {0})", "break", "{0} = {1}\n{1}", "if {0}: {1}", "from __future__ import annotations", "print({0}, {1})", "with {0} as {1}: pass"),
)  # fmt: skip


def test_what_changes_nothing_gets_the_verdict_that_the_whole_file_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(16)
    asked = quick = 0
    original = Place.changes_nothing

    def counted(self: Place, reading: Reading) -> bool:
        nonlocal quick
        found = original(self, reading)
        quick += found
        return found

    for text in stdlib_sources(rng, 6, 10_000):
        names = [*sorted(set(re.findall(r"\b[a-z_]{3,}", text))), "missing_everywhere"]
        for _ in range(9):
            at = rng.randrange(len(text))
            if rng.random() < 0.6:  # at the beginning of a statement
                at = text.rfind("\n", 0, at) + 1
                at += len(text[at:]) - len(text[at:].lstrip(" "))
            upto = rng.choice([at, at, at + rng.randrange(30), text.find("\n", at) + 1 or len(text)])
            ending = rng.choice(["", "", "\n", "\n" + " " * (at - text.rfind("\n", 0, at) - 1)])
            suggestions = [text[at:upto], text[at:upto].rstrip("\n")]
            suggestions += [rng.choice(_SIMPLE).format(*rng.choices(names, k=2)) for _ in range(8)]
            right = ending + text[upto:]
            level: Level = rng.choice(["names", "names", "names", "compile"])
            with monkeypatch.context() as patch:
                patch.setattr(Place, "changes_nothing", counted)
                fast = _answers(text[:at] + right, at, at, suggestions, level, False)
                patch.setattr(Place, "changes_nothing", lambda *_: False)
                slow = _answers(text[:at] + right, at, at, suggestions, level, False)
            assert fast == slow, (text[:at][-300:], right[:200], suggestions, fast, slow)
            asked += len(suggestions)
    assert asked > 400 and quick > 60
