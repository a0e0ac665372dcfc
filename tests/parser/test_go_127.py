"""The novelties of Go 1.26 and 1.27, and type errors that need no types of values: forms crossed with places; the compiler judges."""

from __future__ import annotations

import random
from itertools import product

import pytest
from suture.parser import language
from suture.parser.languages.go.semantics.build import stated_minor

from ..support import oracle_go

_TYPES = (
    "type base struct{ id int; _ bool }\ntype other = base\ntype num interface{ ~int | string }\ntype cmp interface{ comparable }\n"
    "type face interface{ m() }\ntype two interface{ face; ~int }\ntype box[P any] struct{ of P }\ntype ptr *int\ntype ref = *base\n"
    "type cent int\ntype pair[A, B any] struct{}\ntype deep struct{ base }\ntype far struct{ deep }\ntype by struct{ *base }\n"
    "type wide struct{ base; box[int] }\ntype both struct{ a; b }\ntype a struct{ n int }\ntype b struct{ n int }\ntype rec = struct{ n int }\n"
    "func results() (int, error) { return 1, nil }\nfunc one() int { return 1 }\nfunc none() {}\nvar v int\nvar s []int\n"
)
_IN_FUNCTION = (
    *(
        "_ = (**int)(nil)",
        "_ = new(**int)",
        "_ = new(3)",
        "_ = new(nil)",
        "_ = new(results())",
        "_ = new(one())",
        "_ = new(none())",
    ),
    *(
        "_ = new(v)",
        "_ = new(box)",
        "_ = new(box[int])",
        "_ = new(1 + 2)",
        "_ = new(base)",
        "v += one()",
        "v += results()",
    ),
    *(
        "&v = nil",
        "_ = 1 / 0",
        "_ = v % 0",
        "v %= 0",
        "_ = 1 % 0",
        "for i, j := range 10 { _, _ = i, j }",
        "for range 1.5 {}",
    ),
    *(
        "for range nil {}",
        "for i := range 10 { _ = i }",
        "for range 0x10 {}",
        "for i, c := range s { _, _ = i, c }",
        "_ = base{}._",
    ),
    *(
        "_ = [2]int{1, 2, 3}",
        "_ = [2]int{1, 2}",
        "_ = [2]int{1: 1}",
        "_ = [2]int{2: 1}",
        "_ = []int{-1: 1}",
        "_ = [...]int{5: 1}",
    ),
    *(
        "_ = []a{{1}}",
        "_ = []wide{{base{}}}",
        "_ = []*a{{1}}",
        "_ = []a{{1, 2}}",
        "_ = map[a]int{{1}: 2}",
        "_ = []a{{m: 1}}",
    ),
    *(
        "_ = struct{ x, y int }{z: 1}",
        "_ = struct{ x, y int }{x: 1}",
        "_ = deep{id: 1}",
        "_ = far{id: 1}",
        "_ = far{base: base{}}",
    ),
    *(
        "_ = by{id: 1}",
        "_ = both{n: 1}",
        "_ = wide{of: 1}",
        "_ = far{deep: deep{}, id: 1}",
        "_ = wide{id: 1, of: 2}",
        "_ = deep{no: 1}",
    ),
    *(
        "var x any; switch x.(type) { case byte: case uint8: }",
        "var x any; switch x.(type) { case any: case interface{}: }",
    ),
    *(
        "var x any; switch x.(type) { case rune, int: case int32: }",
        "c := make(chan int); select { case x, ok := <-c: _, _ = x, ok }",
    ),
    *("const c = iota", "_ = iota", "_ = **ref2()", "p := &v; q := &p; **q = 1"),
)
_WRITTEN = (
    "num",
    "cmp",
    "face",
    "two",
    "comparable",
    "any",
    "box",
    "box[int]",
    "box[int, int]",
    "pair[int]",
    "pair[int, string]",
    "base",
    "cent",
)
_ORDINARY = ("var _ {}\n", "var _ []{}\n", "var _ *{}\n", "func _(x {}) {{}}\n", "func _() {{ var x {}; _ = x }}\n", "func _() (x {}) {{ return }}\n",
             "type _ struct{{ f {} }}\n", "type _ map[string]{}\n", "func _[P {}]() {{}}\n", "type _ interface{{ {} }}\n", "func _(x ...{}) {{}}\n")  # fmt: skip
_TERMS = (
    "int",
    "~int",
    "string",
    "cent",
    "~cent",
    "comparable",
    "face",
    "interface{ m() }",
    "any",
    "error",
    "base",
    "~base",
)
_DECLARATIONS = (
    *(
        "func (r ref) open() {}",
        "func (r rec) open() {}",
        "func (r other) open() {}",
        "func (r ptr) open() {}",
        "func (r face) open() {}",
    ),
    *(
        "func (p pair[A]) m() {}",
        "func (p pair[A, B]) m() {}",
        "func (p pair[*A, B]) m() {}",
        "func (p pair[A, B, C]) m() {}",
        "func (b box) m() {}",
    ),
    *(
        "func (b *box[P]) m() {}",
        "func (base) q() {}\nfunc (other) q() {}",
        "type _ struct{ ptr }",
        "type _ struct{ *face }",
        "type _ struct{ ref }",
    ),
    *(
        "func _[P P]() {}",
        "func _[P any, Q P]() {}",
        "type _[P any] P",
        "type _[P any] struct{ P }",
        "type _[P any] = P",
        "func g[P any]()",
    ),
    *(
        "type _[P ([]int)] struct{}",
        "type _[P (func())] struct{}",
        "type _[P (map[string]int)] struct{}",
        "type _[P (chan int)] struct{}",
    ),
    *(
        "type _[P *int] struct{}",
        "type _[P *int,] struct{}",
        "const n = len(s)",
        "const n = len([2]int{})",
        "func main() {}",
        "func main() int { return 1 }",
    ),
)


def _texts() -> list[str]:
    texts = [f"{_TYPES}func ref2() **int {{ return nil }}\nfunc _() {{\n\t{form}\n}}\n" for form in _IN_FUNCTION]
    texts += [_TYPES + place.format(written) for place, written in product(_ORDINARY, _WRITTEN)]
    unions = [f"{one} | {other}" for one, other in product(_TERMS, _TERMS)] + list(_TERMS)
    texts += [f"{_TYPES}func _[P {union}]() {{}}\n" for union in unions]
    texts += [_TYPES + form + "\n" for form in _DECLARATIONS]
    return ["package p\n\n" + text for text in texts]


_NEEDS_TYPES = ("const n = len(s)", "~int | cent", "cent | ~int", "[P *int] struct")
"""The last of these is an undefined name, ignored at level "compile"."""


@pytest.mark.skipif(oracle_go.goroot() is None, reason="no Go here")
def test_the_compiler_agrees() -> None:
    """As far as the installed compiler knows the version."""
    version = min(oracle_go.tool_version(), "1.27")
    texts = [text for text in _texts() if not any(form in text for form in _NEEDS_TYPES)]
    texts = random.Random(127).sample(texts, 120)
    wrong = []
    for text in texts:
        if _taken(text, version) == bool(oracle_go.compile_errors(text)):
            wrong.append(text.removeprefix("package p\n\n" + _TYPES))
    assert wrong == []


def _taken(text: str, version: str) -> bool:
    hole = language("go", version).hole(text, "", level="compile", exact=True)
    return hole.viable and hole.state is not None and hole.state.complete


@pytest.mark.parametrize(
    ("form", "since"),
    [("var p = new(3)", "1.26"), ("var t = top{id: 1}", "1.27")],
)
def test_versions(form: str, since: str) -> None:
    """The module's version counts, unless the file states another."""
    text = f"package p\n\ntype base struct{{ id int }}\n\ntype top struct{{ base }}\n\n{form}\n"
    minor = int(since.partition(".")[2])
    assert _taken(text, since) and not _taken(text, f"1.{minor - 1}")
    assert _taken(f"//go:build go{since}\n\n{text}", "1.25")
    assert not _taken(f"// A text.\n\n//go:build go1.{minor - 1}\n\n{text}", "1.27")
    for head in ("/* A\n * text **/\n\n", "// A text.\n\n", "\n// //go:build x\n  /**/"):
        crlf = f"{head}//go:build go{since}\n\n{text}".replace("\n", "\r\n")
        assert _taken(f"{head}//go:build go{since}\n\n{text}", "1.25") and _taken(crlf, "1.25")
    assert not _taken(f"// //go:build go{since}\n\n{text}", "1.25")


@pytest.mark.parametrize(
    ("condition", "minor"),
    [
        ("go1.26", 26),
        ("go1.26 && linux", 26),
        ("linux && (go1.26||go1.24)", 24),
        ("go1.26 && go1.27 || amd64 && go1.28", 27),
        ("go1.26 || linux", None),
        ("!go1.27", None),
        ("!(!go1.27)", 27),
        ("!(linux || !go1.27)", 27),
        ("!(linux && !go1.27)", None),
        ("go1.18", 21),
        ("go1", 21),
        ("linux", None),
        ("go1.x", None),
        ("!!go1.27", None),
        ("(go1.27", None),
        ("go1.27)", None),
        ("go1.27 linux", None),
        ("go1.27 &&", None),
        ("go1.27 & linux", None),
        ("(" * 1000 + "go1.27" + ")" * 1000, None),
    ],
)
def test_versions_of_build_conditions(condition: str, minor: int | None) -> None:
    assert stated_minor(f"// A text.\n\n//go:build {condition}\n\npackage p\n") == minor


@pytest.mark.skipif(oracle_go.goroot() is None, reason="no Go here")
def test_build_conditions_are_read_as_go_reads_them() -> None:
    rng, tags = random.Random(5), ("go1.20", "go1.26", "go1.27", "go1.28", "go1", "linux", "cgo", "go1.x")

    def condition(depth: int) -> str:
        kind = rng.random()
        if not depth or kind < 0.3:
            return rng.choice(tags)
        if kind < 0.5:
            return f"!({condition(depth - 1)})" if kind < 0.4 else f"!{rng.choice(tags)}"
        if kind < 0.6:
            return f"({condition(depth - 1)})"
        return condition(depth - 1) + rng.choice((" && ", " || ", "&&", " ")) + condition(depth - 1)

    conditions = [condition(4) for _ in range(500)]
    said = oracle_go.build_versions(conditions)
    expected = [None if not version else max(21, int(version.partition(".")[2] or 0)) for version in said]
    assert [stated_minor(f"//go:build {each}\n") for each in conditions] == expected
    assert len({*expected}) > 3


@pytest.mark.parametrize(
    "form",
    ["func main[T any]() {}", "func main() int { return 1 }", "func main(x int) {}", "var main = 1", "type main int"],
)
def test_main_is_a_function_of_its_own_kind(form: str) -> None:
    assert not _taken(f"package main\n\n{form}\n", "1.27")
    assert _taken(f"package p\n\n{form}\n", "1.27")


def test_sizes_are_constant() -> None:
    for value, constant in (
        ("unsafe.Sizeof(n)", True),
        ("2*unsafe.Sizeof(f()) + 1", True),
        ("n", False),
        ("f()", False),
    ):
        text = f'package p\n\nimport "unsafe"\n\nvar _ = unsafe.Sizeof(1)\n\nfunc f() int {{ return 1 }}\n\nfunc g(n int) {{\n\tconst c = {value}\n}}\n'
        assert _taken(text, "1.27") == constant
