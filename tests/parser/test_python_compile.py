"""The errors of `compile()` in a text that parses, against the compilers themselves."""

import random
from itertools import pairwise, product

import pytest
from suture.parser import Hole, language
from suture.parser.glr.prefix import Cancelled
from suture.parser.languages.python.semantics.document import Document
from suture.parser.languages.python.semantics.lines import parse_file
from suture.parser.languages.python.semantics.scopes import module_errors
from suture.parser.languages.python.semantics.tokens import START, lex
from suture.parser.languages.python.versions import VERSIONS

from ..support import oracles
from ..support.oracle_python import parses, stdlib_sources
from .compile_snippets import DELETES_STARRED, snippets


def _errors(text: str, version: str) -> frozenset[str]:
    major, minor = version.split(".")
    document = Document((int(major), int(minor)))
    document.change(text)
    dialect = document.dialect
    return module_errors(parse_file(text, dialect), dialect)


@pytest.mark.parametrize("version", VERSIONS)
def test_errors_are_those_of_the_compiler(version: str) -> None:
    texts = [text for text, valid in zip(snippets(), oracles.oracle(version).parse(snippets()), strict=True) if valid]
    texts = [text for text in texts if text not in DELETES_STARRED]
    assert len(texts) > 250
    compiled = oracles.compiler(version).parse(texts)
    wrong = [text for text, valid in zip(texts, compiled, strict=True) if valid == bool(_errors(text, version))]
    assert wrong == []


_NESTING = (
    ("for x in y:", ""),
    ("while x:", ""),
    ("with x:", ""),
    ("try:", "except x: y"),
    ("try: x\n{}except:", ""),
    ("if x:", ""),
)


def _nested(rng: random.Random, depth: int) -> str:
    """Nested statements."""
    before, behind = "", ""
    for level in range(depth):
        indent = " " * level
        header, clause = rng.choice(_NESTING)
        before += indent + header.replace("{}", indent) + "\n"
        behind = (indent + clause + "\n" if clause else "") + behind
    return before + " " * depth + "x\n" + behind


@pytest.mark.parametrize("version", VERSIONS)
def test_blocks_may_be_nested_as_deep_as_the_compiler_says(version: str) -> None:
    rng = random.Random(20)
    texts = [_nested(rng, depth) for depth in range(11, 25) for _ in range(12)]
    texts += ["for x in y:\n".join(" " * level for level in range(depth)) + "x\n" for depth in range(19, 25)]
    compiled = oracles.compiler(version).parse(texts)
    assert {True, False} <= set(compiled)
    assert [text for text, valid in zip(texts, compiled, strict=True) if valid == bool(_errors(text, version))] == []


_BINDINGS = (
    "x",
    "(x := 1)",
    "[x := 1 for z in y]",
    "list([x := 1 for z in y] for q in y)",
    "[x for x in y]",
    "lambda: (x := 1)",
    "a: [x := 1 for z in y]",
)
_DECLARATIONS = ("global x", "nonlocal x", "x: int", "def q(): nonlocal x")
_SCOPES = (
    "{}\n{}\n",
    "if 1:\n  {}\n{}\n",
    "def f():\n  {}\n  {}\n",
    "def f():\n  {}\n  if y:\n    {}\n",
    "class C:\n  {}\n  {}\n",
    "def g():\n  x = 1\n  def f():\n    {}\n    {}\n",
)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_makes_a_name_local_before_its_declaration(version: str) -> None:
    """In a module, `:=` in a comprehension makes a name global, not local; the declaration is written into a hole."""
    lefts, texts = [], []
    for scope, one, other in product(_SCOPES, _BINDINGS, _DECLARATIONS):
        for first, second in ((one, other), (other, one)):
            if "nonlocal" not in first or "def" not in first:
                lefts.append(scope.partition("{}")[0] + first)
                texts.append(scope.format(first, second))
    wrong = []
    for left, text, valid in zip(lefts, texts, oracles.compiler(version).parse(texts), strict=True):
        hole = language("python", version).hole(left, "", level="compile", exact=True)
        state = hole.state.advance(text[len(left) :]) if hole.state is not None and hole.viable else None
        if valid != (state is not None and state.complete):
            wrong.append(text)
    assert wrong == []


@pytest.mark.parametrize("version", ["3.8", "3.11", "3.13", "3.14", "3.15"])
def test_holes_in_snippets(version: str) -> None:
    """For any cut in a text: with the cut text again, the hole is complete exactly if the compiler accepts the text."""
    rng = random.Random(15)
    texts = [text for text, valid in zip(snippets(), oracles.oracle(version).parse(snippets()), strict=True) if valid]
    texts = [text for text in texts if text not in DELETES_STARRED]
    compiled = oracles.compiler(version).parse(texts)
    wrong = []
    for text, valid in zip(texts, compiled, strict=True):
        begin = rng.randrange(len(text))
        end = rng.randrange(begin, len(text)) + 1
        hole = language("python", version).hole(text[:begin], text[end:], level="compile", exact=True)
        state = hole.state.advance(text[begin:end]) if hole.state is not None and hole.viable else None
        if valid != (state is not None and state.complete):
            wrong.append((text, begin, end))
    assert wrong == []


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.13", "3.14", "3.15"])
def test_a_text_that_delays_annotations_delays_its_own(version: str) -> None:
    """At once, and in pieces."""
    future = "from __future__ import annotations\n"
    texts = [future + text for text in snippets() if ":" in text and "__future__" not in text]
    valid = oracles.compiler(version).parse(texts)
    parsed = oracles.oracle(version).parse(texts)
    wrong = []
    for text, taken in (pair for pair, is_text in zip(zip(texts, valid, strict=True), parsed, strict=True) if is_text):
        for cuts in ((), (len(future) // 2,), (len(future) + 2,)):
            state = language("python", version).hole("", "", level="compile", exact=True).state
            for begin, end in pairwise((0, *cuts, len(text))):
                state = state.advance(text[begin:end]) if state is not None else None
            if taken != (state is not None and state.complete):
                wrong.append((text, cuts))
    assert wrong == []


def test_true_middles_live_and_are_complete() -> None:
    rng = random.Random(16)
    for text in stdlib_sources(rng, 12, 30_000):
        session = language("python").session()
        for _ in range(8):
            begin = rng.randrange(len(text))
            end = min(len(text), begin + rng.choice((10, 80, 400)))
            hole = session.hole(text[:begin] + text[end:], begin, level="compile", exact=True)
            assert hole.viable and hole.state is not None, (text[begin:end], hole.fallback)
            state = hole.state
            for at in range(begin, end):
                after = state.advance(text[at])
                assert after is not None, (text[max(0, begin - 80) : begin], text[begin : at + 1])
                state = after
            assert state.complete, (text[max(0, begin - 80) : begin], text[begin:end])


def _hole(left: str, right: str = "\n", level: str = "compile") -> Hole:
    return language("python").hole(left, right, level=level)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "left, middle, right",
    [
        ("", "return ", "\n"),
        ("class A:\n    ", "yield ", "\n"),
        ("def f():\n    ", "await ", "\n"),
        ("if x:\n    ", "break\n", "\n"),
        ("Booking(", "room=room, guest=room, guest=r", ")\n"),
        ("def get_room(", "room_id, room_id,", "): pass\n"),
        ("def f(x):\n    ", "global x\n", "\n"),
        ("def f():\n    x = 1\n    ", "global x\n", "\n"),
        ("", "lambda a, a:", " 1\n"),
        ("class A:\n    ", "from x import * ", "\n"),
        ("", "a, *b, *c = ", "d\n"),
        ("match x:\n    ", "case [a, a]: ", "pass\n"),
        ("async def f():\n    ", "yield from ", "x\n"),
    ],
)
def test_refused_at_the_token_that_does_it(left: str, middle: str, right: str) -> None:
    state = _hole(left, right).state
    assert state is not None
    assert _hole(left, right, "syntax").state.advance(middle) is not None  # type: ignore[union-attr]
    assert state.advance(middle) is None
    assert state.advance(middle[: len(middle) // 3]) is not None


@pytest.mark.parametrize(
    "left, middle, right, complete",
    [
        ("def f():\n    ", "x = 1", "\n    def g():\n        nonlocal x\n", True),
        ("def f():\n    ", "y = 1", "\n    def g():\n        nonlocal x\n", False),
        ("", "for x in y:", "\n    break\n", True),
        ("", "if x:", "\n    break\n", False),
        ("def f():\n    ", "print(x)", "\n    global x\n", False),
        ("def f(", "x", "):\n    global x\n", False),
        ("try:\n    pass\n", "except:", "\n    pass\nexcept ValueError:\n    pass\n", False),
        ("match x:\n    ", "case y:", "\n        pass\n    case 1:\n        pass\n", False),
        ("", "import x\n", "from __future__ import division\n", False),
        ("", "async def f():", "\n    await x\n", True),
        ("", "def f():", "\n    await x\n", False),
    ],
)
def test_the_error_may_lie_on_the_other_side(left: str, middle: str, right: str, complete: bool) -> None:
    hole = language("python").hole(left, right, level="compile", exact=True)
    assert hole.state is not None
    state = hole.state.advance(middle)
    assert state is not None
    assert state.complete is complete


@pytest.mark.parametrize(
    ("left", "text", "right"),
    [
        ("def g(x", "):\n    pass\nif ", "name(x):\n    return 1\n"),
        ("async def g(x", "):\n    pass\nwhile ", "name(x):\n    await x\n    yield\n"),
        ("for x in y", ":\n    pass\nif ", "y:\n    break\n"),
        ("class A:\n    def f(self):\n        g(a", "b)\nif ", "str:\n    return 1\n"),
        ("class A:\n    def f(self):\n        g(a", "b)\nif x(", "a,\n    b):\n    x = 1\n    return 1\n\n\ny = 2\n"),
        ("class A:\n    def f(self):\n        g(a", "b)\n    if ", "x:  # not '\n        yield 1\n"),
        ("class A(", "B):\n    pass\nif (", "):\n    return 1\n"),
        ("@b", "\nclass ", "f(\n    x,\n    y,\n):\n    return 1\n"),
        ("for x in y:\n    # for each", " one\nif ", "x:\n    break\n"),
    ],
)  # fmt: skip
def test_a_text_takes_no_statement_out_of_its_function(left: str, text: str, right: str) -> None:
    """Without the text the right context can be read in several ways; an error in one of them permits nothing."""
    for exact in (True, False):
        hole = language("python").hole(left, right, level="compile", exact=exact)
        assert hole.state is not None
        state = hole.state.advance(text)
        assert state is None or not state.complete


@pytest.mark.parametrize(
    ("left", "text", "right"),
    [
        ("if ", "x", ":\n    break\n"),
        ("class A(", "B", "):\n    x = 1\n    return 1\n"),
        ("if ", "x: pass\nclass ", "A:\n    def f():\n        return 1\nbreak\n"),
    ],
)
def test_a_header_that_stands_there_keeps_its_body(left: str, text: str, right: str) -> None:
    """Errors in its body remain whatever is written in the header."""
    hole = language("python").hole(left, right, level="compile")
    assert hole.state is not None
    state = hole.state.advance(text)
    assert state is not None and state.complete


def test_what_is_broken_elsewhere_refuses_nothing() -> None:
    left, right = "return 1\ndef f(a):\n    ", "\n\nbreak\n"
    hole = _hole(left, right)
    assert hole.state is not None
    state = hole.state.advance("return a")
    assert state is not None and state.complete
    exact = language("python").hole(left, right, level="compile", exact=True)
    assert exact.fallback == "compile" and not exact.viable


@pytest.mark.parametrize("seed", range(6))
def test_tokens_are_the_same_however_they_come(seed: int) -> None:
    rng = random.Random(seed)
    for text in stdlib_sources(rng, 3, 20_000):
        assert parses(text)
        at, state, found = 0, START, []
        while at < len(text):
            size = rng.randint(1, 5)
            tokens, state = lex(state, text[at : at + size])
            found += tokens
            at += size
        found += lex(state, "", end=True)[0]
        whole, _ = lex(START, text, end=True)

        def kinds(tokens: list[str | int]) -> list[str | int]:
            return ['"' if isinstance(token, str) and token[0] == '"' and token != '"f' else token for token in tokens]

        assert kinds(found) == kinds(whole)


def test_what_ends_one_file_begins_nothing_in_another() -> None:
    """A last line that opens a string is read as it stands; if it opens one in another document, it still does."""
    session = language("python").session()
    hole = session.hole('x = 1\n"""\n', 0, level="compile", exact=True)
    assert hole.state is None or hole.state.advance("y = 1\n") is not None
    state = _hole('"""\nprose\n"""\n', "").state
    assert state is not None
    assert state.advance("return 1\n") is None


def test_reading_for_meaning_can_be_stopped() -> None:
    """Long work checks for cancellation, after the grammar's own; asked again, it comes to an end."""
    text = "x = 1\n" * 5_000
    session = language("python").session()
    session.hole(text, len(text) // 2, level="syntax")
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 20

    with pytest.raises(Cancelled):
        session.hole(text, len(text) // 2, stop, level="compile")
    state = session.hole(text, len(text) // 2, level="compile").state
    assert state is not None and state.complete


@pytest.mark.parametrize("text", ["t Http", "t annotations, foo", "t (annotations, f", "t braces", "t *\n"])
def test_unknown_future_features_are_refused_where_they_are_written(text: str) -> None:
    """Nothing behind could mend them, so a random walk would find no end."""
    state = _hole("from __future__ impor", "\nx = 1\n").state
    assert state is not None and state.advance("t annotations as a, div") is not None
    assert state.advance(text) is None


def test_lines_that_lost_their_header_must_get_one_that_compiles() -> None:
    """Without a text they are part of the class above, where they are an error; that does not excuse the text that adopts them."""
    left, right = "class A:\n    x = 1\n\n\n", "\n    y = 1\n    return y\n\n\nz = 1\n"
    state = _hole(left, right).state
    assert state is not None
    for text, fits in (("def f():", True), ("class B:", False), ("if z:", False)):
        after = state.advance(text)
        assert after is not None and after.complete is fits, text
    state = _hole(
        "class A:\n    x = ", "\n    return 1\n"
    ).state  # the user's own error: nothing is held against a text
    assert state is not None and (after := state.advance("1")) is not None and after.complete
