"""Small files of Go that parse, with every kind of statement in every place, with right or wrong names and flow."""

from __future__ import annotations

import random

_NAMES = ("a", "b", "x", "y", "k")
_LABELS = ("L", "M")
_RESULTS = ("", "", "int", "(int, int)", "(r int)", "(r, q int)", "(_ int)", "error")
_PARAMETERS = (
    "()",
    "()",
    "(a int)",
    "(a, b int)",
    "(a int, _ ...int)",
    "(int)",
    "(a, a int)",
    "(x func(b int) int)",
    "(_, _ int)",
)
_HEAD = "package q\n\nvar s []int\n\nvar m map[int]int\n\nvar c chan int\n\nfunc f(...any) int { return 0 }\n\nfunc g() (int, int) { return 1, 2 }\n\nvar z struct{ y int }\n\n"
_TYPES = (
    "int",
    "[]int",
    "map[string]int",
    "T",
    "*T",
    "func(int) int",
    "struct{ a, b int }",
    "interface{ m() }",
    "chan int",
    "any",
    "unknown",
    "[iota]int",
)
_PLAIN = (
    "1",
    "s[0]",
    "m[1]",
    "<-c",
    "(<-c)",
    "f()",
    "(f())",
    "f(1, a)",
    "-1",
    "len(s)",
    "int(1)",
    "1 + 2",
    "(a)",
    "a + b",
    "(m[1])",
    "c",
    "s",
    '"s"',
    "[]int{1: a}",
    "map[int]int{a: b}",
)
_ODD = (
    "nil",
    "iota",
    "_",
    "g()",
    "any(a).(int)",
    "s[1:]",
    "T{a: 1}",
    "T{a, b}",
    "&a",
    "!true",
    "unknown",
    "unknown.a",
    "struct{ a int }{a: 1}",
    "panic",
    "println",
    "x.y",
    "[]int(nil)",
    "make(chan int)",
    "a == b",
    "(nil)",
    "func() {}",
)


class Bodies:
    """Makes one file."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._odd = rng.choice((0.02, 0.02, 0.3))

    def _one(self, *choices: str) -> str:
        return self._rng.choice(choices)

    def _name(self) -> str:
        return self._one(*_NAMES, *(("_", "new") if self._rng.random() < 0.5 else ()))

    def _expression(self, depth: int) -> str:
        kind = self._rng.randrange(10)
        if kind < 4:
            return self._one(*_NAMES)
        if kind == 9 and depth > 0:
            return (
                f"func{self._one(*_PARAMETERS)} {self._one(*_RESULTS)} {{\n{self._statements(depth - 1)}\n}}"
                + self._one("", "()", "(1)")
            )
        if kind == 8 and depth > 0:
            return f"f({self._expression(depth - 1)}, {self._expression(depth - 1)})"
        return self._one(*(_ODD if self._rng.random() < self._odd else _PLAIN))

    def _several(self, depth: int, most: int = 3) -> str:
        count = self._rng.choice((1, 1, 1, 2, 2, most)) if self._rng.random() < 10 * self._odd else 1
        return ", ".join(self._expression(depth) for _ in range(count))

    def _names(self) -> str:
        return ", ".join(
            self._name()
            for _ in range(self._rng.choice((1, 1, 1, 2, 2, 3)) if self._rng.random() < 10 * self._odd else 1)
        )

    def _statements(self, depth: int) -> str:
        found = [self._statement(depth) for _ in range(self._rng.choice((0, 1, 1, 2, 3)))]
        often = self._rng.choice((0, 0.2, 1))
        used = [f"_ = {name}" for name in _NAMES if self._rng.random() < often]
        return "\n".join([*found, *used, *([self._last(depth)] if self._rng.random() < 0.4 else [])])

    def _last(self, depth: int) -> str:
        return self._one(
            "return",
            f"return {self._several(depth)}",
            "return 1",
            "return 1, 2",
            "panic(1)",
            "(panic)(a)",
            "(panic(1))",
            "panic(1)",
            "for {\n}",
            "select {}",
            f"goto {self._one(*_LABELS)}",
        )

    def _declaration(self, depth: int) -> str:
        kind = self._rng.randrange(8)
        if kind == 0:
            return f"var {self._names()} {self._one(*_TYPES)}"
        if kind == 1:
            return f"var {self._names()} = {self._several(depth)}"
        if kind == 2:
            return f"var {self._names()} {self._one(*_TYPES)} = {self._several(depth)}"
        if kind == 3:
            values = ", ".join(
                self._one("1", "iota", "k", "2 + iota", "nil") for _ in range(self._rng.choice((1, 1, 2)))
            )
            return f"const {self._names()} = {values}"
        if kind == 4:
            lines = [f"{self._names()} = iota"] + [
                self._one(self._names(), f"{self._names()} = 1", f"{self._names()} int = iota, 1") for _ in range(2)
            ]
            return "const (\n" + "\n".join(lines) + "\n)"
        if kind == 5:
            return "var (\n" + "\n".join(f"{self._names()} = {self._several(depth)}" for _ in range(2)) + "\n)"
        if kind == 6:
            return f"type {self._one('T', 'U', 'a', '_')} {self._one('', '= ')}{self._one(*_TYPES)}"
        return f"type {self._one('T', 'U', 'V')} struct {{\n{self._fields()}\n}}"

    def _fields(self) -> str:
        return "\n".join(
            self._one(
                "a, b int",
                "a int",
                "m func()",
                "*U",
                "V",
                "_ int",
                "_, _ int",
                "T2 int",
                "int",
                "n int",
                "a struct{ b int }",
            )
            for _ in range(self._rng.randrange(4))
        )

    def _statement(self, depth: int) -> str:
        simple = self._rng.random() < 0.6 or depth == 0
        if simple:
            kind = self._rng.randrange(12)
            if kind < 2:
                return f"{self._names()} := {self._several(depth)}"
            if kind < 4:
                return f"{self._one(self._names(), 's[0], a', 'a, s[0]', 'z.y', '_, m[a]')} = {self._several(depth)}"
            if kind == 4:
                return f"{self._one('a', 's[0]', '_', 'x')}{self._one('++', '--', ' += 1', ' <<= a')}"
            if kind == 5:
                return self._expression(depth)
            if kind < 8:
                return self._declaration(depth)
            if kind == 8:
                return self._one(
                    "break",
                    "continue",
                    "fallthrough",
                    "break L",
                    "continue L",
                    "continue M",
                    "goto L",
                    "goto M",
                    "break M",
                )
            if kind == 9:
                return f"c <- {self._expression(depth)}"
            if kind == 10:
                return f"{self._one('go', 'defer')} {self._one('f()', 'f(a)', 'func() {}()', 'x.y()')}"
            return self._last(depth)
        kind, inner = self._rng.randrange(9), depth - 1
        body = self._statements(inner)
        first = self._one(
            "",
            "",
            f"{self._names()} := {self._several(inner)}; ",
            "a = 1; ",
            "f(); ",
            "a++; ",
            f"{self._expression(inner)}; ",
        )
        label = self._one("", "", "", "L:\n", "M:\n")
        if kind == 0:
            more = self._one(
                "",
                "",
                f" else {{\n{self._statements(inner)}\n}}",
                f" else if {self._one('a > 0', 'true')} {{\n{self._statements(inner)}\n}} else {{\n{self._last(inner)}\n}}",
            )
            return f"{label}if {first}{self._one('a > 0', 'true', 'x == y')} {{\n{body}\n}}{more}"
        if kind == 1:
            head = self._one(
                "",
                "true ",
                f"{first or '; '}a > 0; {self._one('', 'a++', 'f()', 'b')} ",
                f"{first or '; '}; ",
                "a > 0 ",
            )
            return f"{label}for {head}{{\n{body}\n}}"
        if kind == 2:
            head = self._one(
                "",
                f"{self._name()} := ",
                f"{self._name()}, {self._name()} := ",
                f"{self._name()} = ",
                f"{self._name()}, {self._name()} = ",
                "s[0], a = ",
            )
            return f"{label}for {head}range {self._one('s', 'm', '3', 'c', 'unknown', 'func(yield func(int) bool) {}', 'func(yield func(a, b int) bool) {}')} {{\n{body}\n}}"
        if kind in (3, 4):
            heads = [
                self._one("case 1:", "case a:", "case a, b:", "case unknown:", "default:", "default:")
                for _ in range(self._rng.randrange(4))
            ]
            return f"{label}switch {first}{self._one('', 'a')} {{\n{self._clauses(heads, inner)}}}"
        if kind == 5:
            heads = [
                self._one("case int:", "case string, []int:", "case nil:", "case T:", "default:", "default:")
                for _ in range(self._rng.randrange(4))
            ]
            symbol = self._one("", f"{self._name()} := ")
            return f"{label}switch {first}{symbol}any(a).(type) {{\n{self._clauses(heads, inner)}}}"
        if kind == 6:
            heads = [
                self._one(
                    "case <-c:",
                    "case a := <-c:",
                    "case a, b := <-c:",
                    "case a = <-c:",
                    "case _, x = (<-c):",
                    "case c <- a:",
                    "case c <- 1:",
                    "case x, x := <-c:",
                    "default:",
                )
                for _ in range(self._rng.randrange(4))
            ]
            return f"{label}select {{\n{self._clauses(heads, inner)}}}"
        if kind == 7:
            return f"{label}{{\n{body}\n}}"
        return f"{label}func{self._one(*_PARAMETERS)} {self._one(*_RESULTS)} {{\n{body}\n}}()"

    def _clauses(self, heads: list[str], depth: int) -> str:
        return "".join(
            f"{head}\n{self._statements(depth)}\n{self._one('', '', 'fallthrough', 'break', 'return')}\n"
            for head in heads
        )

    def _generic(self) -> str:
        """A declaration with type parameters."""
        parameters = self._one(
            "P any",
            "P, Q any",
            "P interface{ ~int | ~string }",
            "P ~int",
            "P C[P]",
            "P, P any",
            "_ any",
            "P unknown",
            "a any",
            "P []Q, Q any",
        )
        kind = self._rng.randrange(4)
        if kind == 0:
            return f"type {self._one('G', 'T')}[{parameters}] struct {{\n{self._fields()}\np P\n}}"
        if kind == 1:
            return f"type {self._one('C', 'G')}[{parameters}] interface {{\n{self._one('~int', '~int | ~string', 'm(P)', 'comparable')}\n}}"
        if kind == 2:
            return f"func (r {self._one('', '*')}{self._one('G[P]', 'G[_]', 'G[P, Q]')}) {self._one('m', 'n', 'p')}() {{\n{self._statements(1)}\n}}"
        return f"func {self._one('h', 'i')}[{parameters}]({self._one('a P', 'a, b P', 'P int', 'x ...P')}) {self._one('', 'P', '(r P)')} {{\n{self._statements(1)}\n}}"

    def _top(self) -> str:
        kind = self._rng.randrange(11)
        if kind < 3:
            return self._declaration(1)
        if kind == 10:
            return self._generic()
        name = self._one("h", "h", "i", "_", "init", "init", "a", "f")
        receiver = self._one("", "", "", "(t T) ", "(*T) ", "(_ *U) ", "(V) ")
        if receiver:
            name = self._one("a", "b", "m", "n", "U", "V", "T2", "int", "_")
        if name == "init" and self._rng.random() > self._odd:
            return f"func init() {{\n{self._statements(2)}\n}}"
        parameters = self._one(*_PARAMETERS) if self._rng.random() < self._odd else "(a, b, x, y, k int)"
        return f"func {receiver}{name}{parameters} {self._one(*_RESULTS)} {{\n{self._statements(self._rng.randrange(3))}\n}}"

    def file(self) -> str:
        """The whole text."""
        tops = [self._top() for _ in range(self._rng.choice((1, 1, 2, 3)))]
        if self._rng.random() < 0.7:
            tops += [f"type {name} struct {{\n{self._fields()}\n}}" for name in "TUV"]
        self._rng.shuffle(tops)
        return _HEAD + "\n\n".join(tops) + "\n"
