"""Similar lines, and lists of names."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from suture.lsp_server.completion.proposing.candidates.alike import goes_on, listings, next_name, pattern_of, tokens_of


@pytest.mark.parametrize(
    ("upper", "lower", "names", "is_whole"),
    [
        ("a=data['a'],", "b=data['b'],", ("a", "b"), True),
        ("a=data['a'],", "b=data['b'].get(),", ("a", "b"), False),
        ("a=data['a'],", "b=data['c'],", ("a", "b"), False),
        ("a=data['a'],", "b=data['a'],", ("a", "b"), False),
        ("x(a)", "x(a)", None, None),
        ("x(1)", "x(2)", None, None),
        ("if a:", "while a:", None, None),
        ("a = b", "b = b", ("a", "b"), True),
        ("", "a", None, None),
    ],
)
def test_patterns(upper: str, lower: str, names: tuple[str, str] | None, is_whole: bool | None) -> None:
    found = pattern_of(upper, lower)
    assert (None if found is None else (found.upper, found.lower)) == names
    assert found is None or found.is_whole == is_whole


def test_a_line_goes_on_with_its_own_name() -> None:
    pattern = pattern_of("add('--a', args.a)", "add('--b', args.b)")
    assert pattern is not None
    assert goes_on(pattern, "add('--c', ") == "args.c)"
    assert goes_on(pattern, "add('--") is None  # no name yet
    assert goes_on(pattern, "add('--c', args.c") is None  # the name is there
    assert goes_on(pattern, "add('--b', ") is None
    assert goes_on(pattern, "put('--c', ") is None


def test_a_name_that_both_lines_have_elsewhere_stays() -> None:
    pattern = pattern_of("a = f(b)", "b = f(b)")
    assert pattern is not None and pattern.times == 1
    assert pattern.with_name("c") == "c = f(b)"
    assert next_name(pattern, ["def f(a, b, c): pass"]) == "c"
    assert pattern_of("a b a", "a b b") is None  # which one is the name?


def test_a_line_goes_on_only_where_all_its_names_are_its_own() -> None:
    pattern = pattern_of("x(a, b, a)", "x(b, b, b)")
    assert pattern is not None and goes_on(pattern, "x(c, ") is None


def test_what_is_listed() -> None:
    fields = "class A:\n    one: int\n    two = 2\n    three: str\n    def f(self):\n        pass\n"
    assert [list(names) for names in listings(fields)] == [["one", "two", "three"]]
    assert [list(names) for names in listings("def f(self, a: int, b=1, *c): pass")] == [["a", "b", "c"]]
    assert [list(names) for names in listings("x = {\n 'a': 1,\n 'b': 2,\n 'c': 3,\n}\n")] == [["a", "b", "c"]]
    assert list(listings("    a = 1\nb = 1\nc = 1\n")) == []


def test_the_next_name_is_the_most_frequent_one() -> None:
    pattern = pattern_of("a=a", "b=b")
    assert pattern is not None
    assert next_name(pattern, ["def f(a, b, c): pass", "def g(a, b, d): pass", "def h(a, b, d): pass"]) == "d"
    assert next_name(pattern, ["def f(b, a, c): pass"]) is None


@given(st.lists(st.text(alphabet="ab1 .=(", max_size=8), min_size=3, max_size=3))
@example(["a", "b", ""])
def test_what_goes_on_is_as_the_lines_above(lines: list[str]) -> None:
    upper, lower, line = lines
    pattern = pattern_of(upper, lower)
    if pattern is None:
        return
    assert "".join(pattern.tokens) == lower[: len("".join(pattern.tokens))]
    rest = goes_on(pattern, line)
    if rest is not None:
        again = pattern_of(lower, line + rest)
        assert again is not None and again.is_whole
        assert len(tokens_of(line + rest)) == len(pattern.tokens)
