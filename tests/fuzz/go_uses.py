"""Code in forbidden places: every kind of operand in every place, literals with repeated keys, circular declarations."""

from __future__ import annotations

import random
import re

from . import go_oracle

_HEAD = (
    'package p\n\nimport "unsafe"\n\nvar _ unsafe.Pointer\n\ntype T struct{ a, b int }\n\ntype M map[string]int\n\ntype L []int\n\ntype I interface{ m() }\n\ntype P *int\n\ntype S string\n\n'
    'const A, B = 1, "x"\n\nconst F = true\n\nvar v int\n\nfunc f0() {}\n\nfunc f1(a int) int { return a }\n\nfunc f2(a, b int) (int, error) { return a, nil }\n\n'
    "func fv(a int, b ...string) {}\n\nfunc g[Q any](q Q) Q { return q }\n\ntype G[Q any] struct{ q Q }\n\nfunc take(any) {}\n\n"
)
_OPERANDS = (
    "unsafe", "T", "M", "I", "A", "B", "F", "v", "f0", "f1", "f2", "fv", "g", "G", "nil", "true", "iota", "len", "append", "panic", "print", "int", "error", "any", "unsafe.Pointer",
    "1", '"s"', "'r'", "1.5", "f0()", "f1(1)", "f2(1, 2)", 'len("")', "int(1)", "T{}", "[]int{1}", "func() {}", "(nil)", "(T)", "(unsafe)", "v == 1", "v + 1", "-1", "!F", "&v", "*T", "[]int",
    "map[string]int", "v.x", "T.x", "f1(f1(1))", "f2(f2(1, 2))", "f1(f2(1, 2))", "fv(f2(1, 2))", "f0(f0())", "recover()", "panic(1)", 'string("a")', "I(nil)", "M(nil)", "(*T)(nil)", '[]byte("a")',
    "struct{}{}", "new(T)", "make([]int, 1)", "append([]int{}, 1)", "copy(nil, nil)", "min(1, 2)", "len()", "len(1, 2)", "int()", "int(1, 2)", "f1()", "f1(1, 2)", "f1(v...)", "fv()", "fv(1)",
    "fv(1, nil...)", "append()", "new()", "make()", "make(T)", "local", "Local", "local2()", "konst",
)  # fmt: skip
_PLACES = (
    "x := {x}; _ = x", "_ = {x}", "var x = {x}", "take({x})", "f1({x})", "if {x} {{}}", "for {x} {{}}", "for range {x} {{}}", "switch {x} {{}}", "switch {{ case {x}: }}", "_ = []any{{{x}}}",
    "_ = map[any]any{{{x}: 1}}", "_ = map[string]any{{\"\": {x}}}", "_ = T{{{x}, 1}}", "_ = T{{a: {x}}}", "go {x}", "defer {x}", "{x}", "{x}++", "{x} = 1", "{x} += 1", "v = v + {x}", "_ = -{x}", "_ = !{x}",
    "_ = &{x}", "_ = *{x}", "_ = <-{x}", "_ = {x}.x", "_ = {x}[0]", "_ = {x}[0:1]", "_ = {x}.(int)", "{x}()", "{x}(1)", "{x}(1, 2)", "_ = ({x})", "_ = ({x})(1)", "const k = {x}", "func() any {{ return {x} }}()",
    "func() (any, any) {{ return {x} }}()", "func() (any, any) {{ return 1, {x} }}()", "y, z := {x}; _, _ = y, z", "v, _ = {x}", "_ = {x} == nil", "_ = {x} == 1", "_ = {x} && true", "_ = {x} < 1",
    '_ = {x} + "a"', "_ = make({x}, 1)", "_ = len({x})", "_ = any({x})", "_ = [{x}]int{{}}", "var x {x}; _ = x", "var x []{x}; _ = x", "var x *{x}; _ = x", "_ = {x}{{}}", "_ = []{x}{{}}", "_ = func({x}) {{}}",
    "_ = any(v).({x})", "switch any(v).(type) {{ case {x}: }}", "c <- {x}", "_ = g[{x}]", "_ = G[{x}]{{}}", "type K struct {{ {x} }}", "type K {x}", "type K = {x}", "fv(1, {x}...)", "f2({x})",
    "select {{ case <-{x}: default: }}", "_ = func() {{ {x} }}", "_, _ = 1, {x}", "_ = [...]any{{0: {x}}}", "func() {{ {x} = 1 }}()", "for {x} = range 3 {{}}",
)  # fmt: skip
_KEYS = (
    "a",
    "b",
    "A",
    "B",
    "F",
    "v",
    "konst",
    "local",
    "0",
    "1",
    "0x1",
    "01",
    '"s"',
    "`s`",
    "'s'",
    "115",
    "1.0",
    "-1",
    "- 1",
    "true",
    "T{}",
    "",
    "A + 1",
    "int(1)",
    "zz",
)
_LITERALS = (
    "T",
    "M",
    "L",
    "S",
    "struct{ a, b int }",
    "map[string]int",
    "map[int]int",
    "map[any]int",
    "map[bool]int",
    "[]int",
    "[5]int",
    "[...]int",
    "[]T",
    "map[string]T",
    "Local",
    "&T",
)
_TYPES = ("int", "T1", "T2", "T3", "*T1", "[]T2", "[2]T1", "[2]T2", "map[T1]T2", "chan T1", "func(T1) T2", "struct{ a T1 }", "struct{ a, b T3 }", "struct{ T2 }", "struct{ *T2 }", "struct{ a *T1; b []T2 }",
          "interface{ T2 }", "interface{ m(T1) }", "interface{ T3; m() }", "interface{ ~int | T1 }", "(T2)", "error", "any", "unsafe.Pointer")  # fmt: skip
_VALUES = ("v1", "v2", "v3", "h1()", "h2()", "h1", "func() int { return v1 }()", "k1", "k2", "1", "v1 + v2", "h1() + v3", "func(v1 int) int { return v1 }(1)", "len(v4)", "T{a: v2}.a", "(&T{}).a")  # fmt: skip
_RECEIVERS = ("T", "*T", "**T", "I", "*I", "P", "*P", "int", "*int", "[]int", "*[]int", "unsafe.Pointer", "*unsafe.Pointer", "M", "S", "error", "any", "func()", "struct{}", "(T)", "*(T)", "(*T)", "map[int]int", "Al", "*Al", "AlT", "AlI", "unknown", "v", "f0", "G[Q]", "*G[Q]")  # fmt: skip
SOUGHT = re.compile(
    r"not in selector|\(type\) is not an expression|^(?!nil|.*[^\w.]).* is not a type|must be called|duplicate (key|case|field|index)|invalid recursive type|initialization cycle|invalid receiver|non-local type|missing key in map"
    r"|mixture of field|use of untyped nil in (assignment|variable)|(defer|go) discards|cannot use \.\.\. in call"
)
"""Errors of go/types certain to be found here, except behind another."""


def _literal(rng: random.Random) -> str:
    keys = [rng.choice(_KEYS) for _ in range(rng.choice((1, 2, 2, 3)))]
    if rng.random() < 0.5:
        keys.append(rng.choice(keys))
    value = rng.choice(("1", "1", "1", "v", "T{}", "{}"))
    return f"_ = {rng.choice(_LITERALS)}{{{', '.join(f'{key}: {value}' if key else value for key in keys)}}}"


def _switch(rng: random.Random) -> str:
    types = rng.random() < 0.4
    choices = (
        (
            "int",
            "T",
            "*T",
            "[]int",
            "[]T",
            "map[string]int",
            "nil",
            "error",
            "func()",
            "byte",
            "Local",
            "unsafe.Pointer",
        )
        if types
        else tuple(key for key in _KEYS if key)
    )
    heads = [", ".join(rng.choice(choices) for _ in range(rng.choice((1, 1, 2)))) for _ in range(rng.choice((1, 2, 3)))]
    if rng.random() < 0.5:
        heads.append(rng.choice(heads))
    return (
        f"switch {'any(v).(type)' if types else rng.choice(('v', 'any(v)', '1', ''))} {{\n"
        + "".join(f"case {head}:\n" for head in heads)
        + "}"
    )


def _declarations(rng: random.Random) -> str:
    kind = rng.randrange(4)
    if kind == 0:
        types = [rng.choice(_TYPES) for _ in range(3)]
        aliases = [not kind.startswith(("func", "interface")) and rng.random() < 0.25 for kind in types]
        declared = zip((1, 2, 3), aliases, types, strict=True)
        return "".join(f"type T{n} {'= ' * alias}{kind}\n\n" for n, alias, kind in declared)
    if kind == 1:
        values = "".join(f"var v{n} = {rng.choice(_VALUES)}\n\n" for n in (1, 2, 3))
        functions = "".join(f"func h{n}() int {{ return {rng.choice(_VALUES)} }}\n\n" for n in (1, 2))
        return (
            values
            + functions
            + f"const k1 = {rng.choice(('1', 'k2', 'len(v4)'))}\n\nconst k2 = {rng.choice(('1', 'k1', 'v1'))}\n\nvar v4 [2]int\n\n"
        )
    if kind == 2:
        aliases = "type Al = int\n\ntype AlT = T\n\ntype AlI = I\n\n"
        return (
            aliases
            + f"func ({rng.choice(('', 'r ', '_ '))}{rng.choice(_RECEIVERS)}) {rng.choice(('n', '_', 'o'))}() {{}}\n\n"
        )
    paths = ('""', '"a b"', '"fmt"', '"a?b"', '"a\\\\b"', "``", '"ä"', '"a,b"', '"a/b-c.v2"', '"a:b"')
    return f"import _ {rng.choice(paths)}\n\n"


def file(rng: random.Random) -> str:
    """A file with one construct in a forbidden place, or an allowed one."""
    kind = rng.randrange(6)
    if kind == 0:
        made = _declarations(rng)
        return _HEAD.replace("var _ unsafe", made + "var _ unsafe", 1) if made.startswith("import") else _HEAD + made
    body = (
        rng.choice(_PLACES).format(x=rng.choice(_OPERANDS))
        if kind < 4
        else _literal(rng)
        if kind == 4
        else _switch(rng)
    )
    within = rng.choice(("{b}", "{b}", "{{\n{b}\n}}", "func() {{\n{b}\n}}()", "if true {{\n}} else {{\n{b}\n}}"))
    local = "type Local struct{ a, b int }\nconst konst = 1\nlocal := 1\nlocal2 := f0\n_, _ = local, local2\n"
    return _HEAD + f"func h(c chan any) {{\n{local}{within.format(b=body)}\n}}\n"


def errors(text: str) -> list[str]:
    """Go's errors in a text; syntax errors begin with "syntax: "."""
    return [error for error in go_oracle.errors(text) if not error.startswith("\t")]


_WORKED_OUT = re.compile(
    r"115|A \+ 1|int\(1\)|konst|0x1|case 1 |key [12] |key [12]$|\"x\"|[AB] |1\.0|01|func\(\)| index"
)


def is_sought(error: str) -> bool:
    """Whether an error is certain to be found here."""
    if "mixture" in error and ("invalid field name" in error or "G[" in error):
        return False
    if "duplicate" in error and _WORKED_OUT.search(error):
        return False  # needs evaluated constants
    if "unsafe.Pointer (type)" in error or "(T) (type)" in error:
        return False
    return SOUGHT.search(re.sub(r"^x\.go:\d+:\d+: ", "", error)) is not None
