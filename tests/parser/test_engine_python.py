"""The engine against CPython's own parser, and its answers at the cursor. `|` marks the hole in texts."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suture.parser import Hole, UnknownLanguage, language, language_for_path
from suture.parser.glr.layout import Line
from suture.parser.glr.unknown_gss import UnknownGss
from suture.parser.hole import State

from ..support.oracle_python import corrupted, cut, parses, stdlib_sources

same_version = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the oracle is the running interpreter's parser"
)


def hole(text: str) -> Hole:
    """The hole at the mark."""
    left, right = text.split("|")
    return language("python").hole(left, right)


def check(text: str, middle: str, expected: str) -> None:
    """Middle at the mark is "complete", "viable" (not complete yet), or "dead"."""
    start = hole(text)
    state = start.state.advance(middle) if start.viable and start.state is not None else None
    found = "dead" if state is None else "complete" if state.complete else "viable"
    assert (text, middle, found) == (text, middle, expected)


@pytest.mark.parametrize(
    ("text", "middle", "expected"),
    [
        ("x = |\n", "", "viable"),
        ("x = |\n", "1", "complete"),
        ("x = |\n", ")", "dead"),
        ("foo(|)\n", "a, *b, c=1", "complete"),
        ("foo(|)\n", "**k, *a", "dead"),
        ("foo(|)\n", "a, ", "complete"),
        ("foo(|)\n", "a b", "dead"),
        ("if x:\n    |\ny\n", "pass", "complete"),
        ("if x:\n    |\ny\n", "return", "complete"),
        ("if x:\n    |\n  y\n", "pass", "viable"),  # no column 2 is open yet; a new statement may open one
        ("if x:\n        a|\n\tb\n", "", "viable"),  # a tab and eight spaces are one column, and inconsistent
        ("if x:\n        a|\n\tb\n", "\nif y:", "complete"),
        ("if x:\n\ta|\n\tb\n", "", "complete"),
        ("if x:\n    a\n|else:\n    b\n", "", "complete"),
        ("if x:\n    a\n|else:\n    b\n", "y\n", "viable"),
        ("def f():\n    |", "return 1\n  x", "dead"),
        ("x = '|'\n", "abc", "complete"),
        ("x = '|'\n", "a\nb", "dead"),
        ("x = '|'\n", "a' + 'b", "complete"),
        ("x = '''|'''\n", "a\nb", "complete"),
        ("x = 1|2\n", "", "complete"),
        ("x = 1|2\n", ".", "complete"),
        ("x = 0|7\n", "", "viable"),
        ("x = 0|7\n", "x", "complete"),
        ("wh|le x:\n    pass\n", "i", "complete"),
        ("wh|le x:\n    pass\n", "o", "viable"),
        ("f'{|}'\n", "", "viable"),
        ("f'{|}'\n", "x!r:>{w}", "complete"),
        ("f'{|}'\n", "lambda x", "dead"),
        ("f'{|}'\n", "'a'", "dead"),
        ("# a|b\nx\n", "", "complete"),
        ("# a|b\nx\n", "\n", "complete"),
        ("# a|b c\nx\n", "\n", "viable"),
        ("x = [1,\n|\n]\n", "2", "complete"),
        ("match x:\n    case |:\n        pass\n", "{'a': [_, *r]} | A(b=1)", "complete"),
        ("with |:\n    pass\n", "(a as b, c)", "complete"),
        ("x = a \\|\n", "\n+ 1", "complete"),
        ("x = a \\|\n", " ", "dead"),
        ("x = a\r|\ny\n", "", "complete"),
        ("x = a \\\r|\n+ b\n", "", "complete"),  # \r and \n on the two sides are one line end
        ("x = a \\\r|\n* b\n", " ", "complete"),  # two lines
        ("\ufeff|\n", "x = 1", "complete"),
        ("|", "", "complete"),
    ],
)
def test_cursor(text: str, middle: str, expected: str) -> None:
    """Single situations, each for a reason."""
    check(text, middle, expected)


@same_version
@pytest.mark.parametrize("seed", range(4))
def test_true_middles_live_and_corruptions_agree(seed: int) -> None:
    """In cut standard library files the true middle is viable at each character and complete; other middles agree with ast.parse."""
    rng = random.Random(seed)
    python = language("python")
    for source in stdlib_sources(rng, 12, 40_000):
        text = source.replace("\n", rng.choice(["\n", "\n", "\n", "\r\n", "\r"]))
        left, middle, right = cut(text, rng)
        start = python.hole(left, right)
        assert start.viable and start.state is not None
        state = start.state
        for char in middle:
            state = state.advance(char)
            assert state is not None, (left[-80:], middle, right[:80])
        assert state.complete, (left[-80:], middle, right[:80])
        for _ in range(4):
            other = corrupted(middle, rng)
            after = start.state.advance(other)
            found = after is not None and after.complete
            assert found == parses(left + other + right), (left[-80:], other, right[:80])


@same_version
def test_whole_files() -> None:
    """Whole standard library files are accepted, and all their prefixes are viable."""
    python = language("python")
    for source in stdlib_sources(random.Random(7), 25, 60_000):
        start = python.hole(source, "")
        assert start.viable and start.state is not None and start.state.complete


_INDENTED = st.lists(
    st.tuples(st.sampled_from(["", " ", "  ", "\t", " \t", "    ", "\t  ", "\f", "  \f ", "\\\n", " \\\n  "]),
              st.sampled_from(["x", "if x:", "else:", "x = (", ")", "# c", "", "try:", "except: x", "pass", "def f(): x", "'''", "\\"])),
    min_size=1,
    max_size=7,
)  # fmt: skip


@same_version
@settings(max_examples=300, deadline=None)
@given(lines=_INDENTED, at=st.integers(0, 60), length=st.integers(0, 20))
def test_indentation_tabs_and_continuations(lines: list[tuple[str, str]], at: int, length: int) -> None:
    """Membership agrees with ast.parse for any indentation, wherever the seams are."""
    text = "\n".join(indent + rest for indent, rest in lines) + "\n"
    left, middle, right = text[:at], text[at : at + length], text[at + length :]
    start = language("python").hole(left, right)
    state = start.state.advance(middle) if start.viable and start.state is not None else None
    assert (state is not None and state.complete) == parses(text)


@same_version
@pytest.mark.parametrize("seed", range(3))
def test_bridges_connect(seed: int) -> None:
    """Every bridge makes the file valid, and there is one wherever a text gets stuck."""
    rng = random.Random(100 + seed)
    python = language("python")
    asked = found = 0
    for source in stdlib_sources(rng, 8, 20_000):
        left, middle, right = cut(source, rng, 40)
        state = python.hole(left, right).state
        assert state is not None
        typed = ""
        for char in corrupted(middle, rng)[: rng.randrange(40)]:
            after = state.advance(char)
            if after is None:
                break
            state, typed = after, typed + char
        asked += 1
        bridges = state.bridges()
        found += bool(bridges)
        for bridge in bridges:
            assert parses(left + typed + bridge + right), (left[-60:], typed, bridge, right[:60])
    assert found == asked > 0


def test_bridge_is_short_and_plain() -> None:
    """The bridges are those a person would write."""
    for text, expected in [
        ("foo(|\n", ")"),
        ("x = [1, (2, 3|]\n", ")"),
        ("s = 'abc|\n", "'"),
        ("for i|\n    pass\n", " in x:"),
        ("def f(|\n    pass\n", "):"),
        ("x = |\ny = 2\n", "x"),
    ]:
        start = hole(text)
        assert start.state is not None
        assert expected in start.state.bridges(), text


@pytest.mark.parametrize(
    ("partial", "text", "expected"),
    [
        (b"\xc3", "x|\n", True),  # letters such as é
        (b"\xe2\x80", "x = |\n", False),  # punctuation such as an en dash
        (b"\xe2\x80", "x = '|'\n", True),
        (b"\xf0\x9f", "x = |\n", False),  # emoji and the like
        (b"\xf0\x9f", "# |\n", True),
        (b"\xc3", "x = b'|'\n", False),
        (b"\xff", "x = '|'\n", False),
        (b"\xed\xa0", "x = '|'\n", False),  # surrogates
        (b"\xe0\x80", "x = '|'\n", False),  # overlong
    ],
)
def test_cut_utf8(partial: bytes, text: str, expected: bool) -> None:
    """The first bytes of a character are admitted exactly if some character with this beginning is."""
    start = hole(text)
    assert start.state is not None
    assert start.state.admits(partial) == expected


@same_version
@settings(max_examples=60, deadline=None)
@given(
    char=st.characters(min_codepoint=0x80, exclude_categories=["Cs"]),
    text=st.sampled_from(["x = a|\n", "|", "'|'", "b'|'", "1|"]),
)
def test_cut_utf8_admits_what_it_must(char: str, text: str) -> None:
    """A possible next character is admitted after each of its first bytes."""
    start = hole(text)
    assert start.state is not None
    encoded = char.encode()
    if start.state.advance(char) is not None:
        assert all(start.state.admits(encoded[:i]) for i in range(1, len(encoded)))


def test_states_are_values() -> None:
    """Equal texts give equal states, and advancing changes none."""
    start = hole("x = |\n").state
    assert start is not None
    assert start.advance("a") == start.advance("a")
    assert hash(start.advance("a")) == hash(start.advance("a"))
    assert start.advance("ab") == start.advance("ac") != start.advance("1")
    assert start.advance(")") is None and start.advance("a") is not None


def test_unknown_language() -> None:
    """The message lists the languages."""
    with pytest.raises(UnknownLanguage, match="known: python"):
        language("klingon")
    with pytest.raises(UnknownLanguage, match=r"3\.11"):
        language("python", "2.7")
    assert language_for_path("/a/b/SConstruct") == "python"
    assert language_for_path("x.pyi") == "python"
    assert language_for_path("x.unknown") is None


def test_two_terminals_on_a_line_are_not_taken_for_a_column() -> None:
    """Terminals are numbers, and so are a line's columns: `. .` is not a line at column 20, though the dot is terminal 20."""
    state = language("python").hole("", "x").state
    assert isinstance(state, State)
    engine = state.context.engine
    dot = engine.factory.tables.terminal("DOT")
    stacks = UnknownGss(engine, {})
    after_name = stacks.over(stacks.anything, (engine.factory.tables.terminal("NAME"),))
    assert stacks.over_line(after_name, (dot, dot)) is None
    assert stacks.over(after_name, (Line(dot, dot),)) is not None
