"""Forms of Go in every place: operands and their postfixes, types in place of values and vice versa, numbers before every token."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from . import go_oracle

_NUMBERS = (
    "0", "7", "42", "1_0", "017", "0_7", "08", "0b1", "0B1_0", "0b2", "0o7", "0O17", "0o8", "0x1F", "0X_a", "0xg", "0b", "0o", "0x", "1_", "0b1_",
    "1.", "1.5", ".5", "1e3", "1e", "1E+2", "1.e-2", "09.5", "0x1p2", "0x1.8p-1", "0x.8p1", "0x1.", "0x1.8", "0x.p1", "0b1.", "0o7.5", "0b1e2", "0o7p1",
    "1i", "08i", "0b1i", "0o7i", "0x1i", "1.5i", "1e3i", "0x1p2i", ".5i", "1p2", "0x1e2", "0x1e+2",
)  # fmt: skip
_FOLLOWING = (
    ".", ".a", ".(T)", "...", "..", "..a", ".5", "i", "e", "e1", "p1", "x", "_", "_1", "[1]", "[:]", "(1)", "{}", "++", "+", "+1", "-1", "'a'", '"a"', "`a`",
    "// c", "/* c */", "/**/.a", " .a", "\n.a", ",", ";", ":", ":=", "=", ")", "]", "}", "<-", "<<1", "&^1", "é", "·", "٣", "\\", "0x1", "é.a",
)  # fmt: skip
_NAMES = ("x", "y", "f", "T", "p.Pointer", "_", "nil", "int", "été")
_LITERALS = ("1", "0x1F", "1.5", "2i", "'a'", '"s"', "`r`")
_TYPES = (
    "int", "T", "p.Pointer", "H[int]", "G[int, T]", "p.Pointer[int]", "[]int", "[3]int", "[n]T", "[...]int", "map[T]int", "struct{}", "struct{ a, b T; *T }", "interface{}",
    "interface{ m(); ~int | T }", "func()", "func() int", "func(T) (a int)", "func(a, b int, c ...T)", "chan int", "<-chan int", "chan<- int", "*T", "(T)", "**int",
    "([]int)", "*[]int", "~int", "any",
)  # fmt: skip
_POSTFIXES = (
    ".a", ".T", "[1]", "[x]", "[int]", "[[]int]", "[x, 1]", "[x, y]", "[1, x]", "[int, []int]", "[[]int, x + 1]", "[]", "[x,]", "[1, 2,]", "[x, (y)]", "[x, *y]", "[x, -y]", "[x, y.z]", "[x, y[1]]",
    "[x, f()]", "[:]", "[1:]", "[:1]", "[1:2:3]", "[::]", "[:2:3]", "[1::3]", "[int:]", "[:[]int]", "[x, 1:]", "()", "(x)", "(x,)", "(x...)", "(x, y...)", "(x..., y)", "(int)", "([]int)", "([]int, x)",
    "(x, []int)", "([]int...)", "(*T, 1)", "(chan int, 1)", "(a: 1)", "(a = 1)", "(x := 1)", ".(T)", ".([]int)", ".(*T)", ".(type)", ".(1)", ".(x.y)", ".(x[1])", ".()", ".1", "{}", "{1}", "{a: 1}",
    "{a: 1,}", "{{1}, {a: 2}}", "{[]int}", "{int: 1}", "{1,\n}", "{1\n}", "{a: {1}}", "{{1}: {2}}", "{1: 2: 3}", "++", "...",
)  # fmt: skip
_UNARY = ("-", "+", "!", "^", "*", "&", "<-", "<-<-", "**", "- -", "~")
_BINARY = (
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "&^",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "<-",
    "=",
    ":=",
    ",",
)
_VALUES = (
    "{x}", "_ = {x}", "a := {x}", "a, b := {x}", "{x} := 1", "{x}, a := 1, 2", "{x} = 1", "a, {x} = 1, 2", "{x} += 1", "a += {x}", "a <<= {x}, 1", "{x}++", "{x}--", "{x} <- 1", "c <- {x}",
    "if {x} {{\n}}", "if a := {x}; a {{\n}}", "if {x}; a {{\n}}", "if a; {x} {{\n}}", "if {x} == 1 {{\n}}", "if 1 == {x} {{\n}}", "if ({x}) {{\n}}", "if f({x}) {{\n}}", "if a {{\n}} else if {x} {{\n}}",
    "for {x} {{\n}}", "for {x}; ; {{\n}}", "for ; {x}; {{\n}}", "for ; ; {x} {{\n}}", "for a := {x}; a; a++ {{\n}}", "for range {x} {{\n}}", "for a := range {x} {{\n}}", "for a, b = range {x} {{\n}}",
    "for {x} = range a {{\n}}", "for {x} := range a {{\n}}", "for a, {x} = range b {{\n}}", "for a, b, {x} = range b {{\n}}", "switch {x} {{\n}}", "switch {x}; {{\n}}", "switch a := {x}; a {{\n}}", "switch a := {x} {{\n}}",
    "switch {x}; a {{\ncase 1:\n}}", "switch a := {x}.(type) {{\n}}", "switch {x}.(type) {{\ncase int:\n}}", "switch {{\ncase {x}:\n}}", "switch a {{\ncase 1, {x}:\n}}", "switch a.(type) {{\ncase {x}:\n}}",
    "switch a.(type) {{\ncase int, {x}, nil:\n}}", "select {{\ncase {x}:\n}}", "select {{\ncase a := {x}:\n}}", "select {{\ncase a, b = {x}:\n}}", "select {{\ncase {x} <- 1:\n}}", "select {{\ncase c <- {x}:\n}}",
    "select {{\ncase {x} = <-c:\n}}", "select {{\ncase {x} := <-c:\n}}", "go {x}", "defer {x}", "defer {x}()", "go ({x})()", "return {x}", "return 1, {x}", "f({x})", "f(1, {x})", "f({x}, 1)", "f({x}...)",
    "f(1, {x}...)", "_ = a[{x}]", "_ = a[{x}, 1]", "_ = a[int, {x}]", "_ = a[{x}:]", "_ = a[:{x}]", "_ = a[:{x}:{x}]", "_ = [{x}]int{{}}", "_ = [{x}]int(a)", "_ = []int{{{x}}}", "_ = []int{{{x}: 1}}", "_ = map[int]T{{1: {x}}}",
    "_ = T{{{x}}}", "_ = T{{a: {x}}}", "_ = T{{{x}: 1}}", "_ = T[int]{{{x}}}", "_ = struct{{}}{{{x}}}", "_ = ({x})", "_ = -{x}", "_ = {x} + 1", "_ = 1 + {x}", "_ = *{x}", "_ = &{x}", "_ = <-{x}", "_ = func() {{ {x} }}",
    "var _ = {x}", "var _ int = {x}", "var _, _ = {x}, 1", "const c = {x}", "const c int = {x}", "const (\na = {x}\nb\n)", "const (\na = 1\nb {x}\n)", "L: {x}", "goto {x}", "break {x}", "{x}: a", "{{ {x} }}", "{x} {x}", "a {x}", "{x} a",
    "_ = a.({x})", "_ = {x}.a", "_ = {x}(1)", "_ = {x}{{1}}", "_ = {x}[1]", "_ = ({x})(1)", "_ = ({x}).a", "_ = ({x}){{1}}", "_ = make({x}, 1)", "_ = [...]{x}{{}}", "_ = []{x}{{}}", "_ = []{x}(a)", "_ = map[{x}]int{{}}",
    "_ = func({x}) {{}}", "_ = func() {x} {{ return 1 }}", "_ = func() {x} {{}}()", "_ = (func() {x})(a)", "_ = (chan {x})(a)", "_ = chan {x}(a)", "_ = (<-chan {x})(a)", "_ = <-chan {x}(a)", "_ = *{x}(a)", "_ = struct{{ {x} }}{{}}",
)  # fmt: skip
_PLACES = (
    "var a {x}", "var a {x} = 1", "var a, b {x} = 1, 2", "type A {x}", "type A = {x}", "type A [{x}]int", "type A [{x}]", "type A = [{x}]int", "type A [{x}]struct{{}}", "type A [P {x}] int", "type A [P {x},] int", "type A [P {x}] = int",
    "type A [P, Q {x}] int", "type A [P any, Q {x}] int", "type A[P {x}|int] int", "type A[P {x}] []P", "type A [{x}, Q any] int", "type (\nA {x}\nB = {x}\n)", "type A struct {{\n{x}\n}}", "type A struct {{\na {x}\n}}", "type A struct {{\na, b {x} `t`\n}}",
    "type A struct {{\n{x} `t`\n}}", "type A struct {{\n*{x}\n}}", "type A struct {{\na [{x}]int\n}}", "type A struct {{\n{x}, b int\n}}", "type A struct {{ {x}; a int }}", "type A interface {{\n{x}\n}}", "type A interface {{\n~{x}\n}}",
    "type A interface {{\n{x} | int\n}}", "type A interface {{\nint | {x}\n}}", "type A interface {{ m({x}) }}", "type A interface {{ m() {x} }}", "type A interface {{ m[{x}]() }}", "type A []{x}", "type A map[{x}]int", "type A map[int]{x}",
    "type A chan {x}", "type A chan<- {x}", "type A <-chan {x}", "type A *{x}", "type A func({x})", "type A func({x}) {x}", "type A func(a {x}, b int)", "type A func(a int, {x})", "type A func(int, {x})", "type A func({x}, b int)", "type A func(...{x})",
    "type A func(a ...{x})", "type A func() ({x})", "type A func() ({x}, int)", "type A func() (a {x})", "type A func() (a, {x})", "type A ({x})", "type A T[{x}]", "type A T[{x}, int]", "type A T[int, {x}]", "type A p.Pointer[{x}]",
    "func g({x}) {{}}", "func g(a {x}) {{}}", "func g(a, {x}) {{}}", "func g({x}, a) {{}}", "func g({x}, a int) {{}}", "func g(a, b {x}, c int) {{}}", "func g(a [{x}]int) {{}}", "func g(a[{x}]) {{}}", "func g() {x} {{ return 1 }}", "func g() {x}", "func g() ({x}) {{}}",
    "func g() (a {x}) {{}}", "func g[{x}]() {{}}", "func g[P {x}]() {{}}", "func g[P any, Q {x}]() {{}}", "func g[P {x}, Q any](P) Q {{}}", "func ({x}) m() {{}}", "func (r {x}) m() {{}}", "func (r *{x}) m() {{}}", "func (r {x}, s int) m() {{}}",
    "func (r T[{x}]) m() {{}}", "func (r {x}) m() {x}", "func {x}() {{}}", "func g{x} {{}}", "var a = {x}", "var a = func() {x} {{ return 1 }}", "const a = {x}", "const a {x} = 1", "const a, b = {x}", "var {x} = 1", "var {x} int", "type {x} int", "import {x}", "import a {x}",
)  # fmt: skip
_WITHIN = (
    "{s}", "{{\n{s}\n}}", "if a {{\n{s}\n}} else {{\n{s}\n}}", "for {{\n{s}\n}}", "switch {{\ncase a:\n{s}\ndefault:\n{s}\n}}", "select {{\ncase <-c:\n{s}\n}}", "func() {{\n{s}\n}}()", "a = func() {{ {s} }}", "f(func() {{\n{s}\n}}, 1)",
    "if f(func() {{ {s} }}) {{\n}}", "switch a := b.(type) {{\ncase int:\n{s}\n}}", "{s}; {s}", "L:\n{s}", "for i := range func() {{ {s} }} {{\n}}", "defer func() {{ {s} }}()", "go func() {{ {s} }}()",
)  # fmt: skip
_TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
_TOKENS = (
    *"()[]{},;:.=+-*/<>!&|~", "\n", " ", "...", ":=", "<-", "++", "==", "func ", "type ", "var ", "const ", "struct ", "interface ", "map ", "chan ", "range ", "return ", "if ", "else ", "for ", "switch ", "select ",
    "case ", "default", "go ", "defer ", "goto ", "break ", "continue ", "fallthrough", "import ", "package ", "1", "x", "T", '"s"', "'a'", "// c\n", "/* c\n*/",
)  # fmt: skip
_FILE = (
    'package q\n\nimport p "unsafe"\n\nvar _ p.Pointer\n\ntype T struct {{ a, b int; T *T }}\n\nfunc (T) m() {{}}\n\ntype G[A, B any] struct {{ a A }}\n\ntype H[A any] []A\n\nconst n = 3\n\n'
    "{declaration}\n\nvar x, y, a, b int\n\nvar c chan int\n\nfunc f(...any) int {{ return 0 }}\n"
)


_IGNORED = re.compile(
    r"imported and not used|declared and not used|is not used|missing return|redeclared|label \S+ defined"
)
"""Errors of go/types outside of the level of syntax, found in valid forms here."""
_BEGIN, _END = "const n = 3\n\n", "\n\nvar x, y"


def cut(text: str, rng: random.Random) -> tuple[str, str, str]:
    """(left, middle, right), mostly with the same right context, to be read once."""
    end = text.rindex(_END)
    start = rng.randrange(end) if rng.random() < 0.1 else end
    return text[:start], text[start:end], text[end:]


def verdict(text: str) -> bool | None:
    """Whether it is a valid file. None: it parses, but go/types, and perhaps the grammar, refuses it."""
    said = go_oracle.errors(text)
    if any(error.startswith("syntax: ") for error in said):
        return False
    return True if all(_IGNORED.search(error) for error in said) else None


def numbers() -> Iterator[str]:
    """Every number before every token."""
    for number in _NUMBERS:
        for token in _FOLLOWING:
            for place in ("_ = {x}", "f({x})", "f({x}", "a[{x}]", "switch {x} {{\n}}"):
                yield _statement(place.format(x=number + token))


def _operand(rng: random.Random) -> str:
    kind = rng.randrange(10)
    if kind < 3:
        return rng.choice(_NAMES)
    if kind < 5:
        return rng.choice(_LITERALS)
    if kind < 8:
        return rng.choice(_TYPES)
    if kind == 8:
        return f"({expression(rng)})"
    return rng.choice(("func() {}", "func(a int) int { return a }", "func(int) {\n}", "(func())", "<-c"))


def expression(rng: random.Random) -> str:
    """An expression or a type, or nearly one."""
    text = _operand(rng)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        text += rng.choice(_POSTFIXES)
    if rng.random() < 0.2:
        text = rng.choice(_UNARY) + text
    if rng.random() < 0.2:
        text = f"{text} {rng.choice(_BINARY)} {_operand(rng)}"
    return text


def _statement(text: str) -> str:
    return _FILE.format(declaration=f"func _() {{\n{text}\n}}")


def file(rng: random.Random) -> str:
    """A file with a form in a place, or with one and an accident."""
    text = _file(rng)
    if rng.random() < 0.3:
        begin, end = text.index(_BEGIN) + len(_BEGIN), text.rindex(_END)
        text = text[:begin] + _accident(text[begin:end], rng) + text[end:]
    return text


def _accident(text: str, rng: random.Random) -> str:
    """The text with a token removed, added, doubled or replaced."""
    tokens = _TOKEN.findall(text)
    at, kind = rng.randrange(len(tokens)), rng.randrange(4)
    other = rng.choice((*_TOKENS, rng.choice(tokens)))
    tokens[at : at + 1] = ([], [tokens[at], other], [tokens[at], tokens[at]], [other])[kind]
    return "".join(tokens)


def _file(rng: random.Random) -> str:
    if rng.random() < 0.15:
        return rng.choice(_some_numbers)
    x = expression(rng)
    if rng.random() < 0.4:
        place = rng.choice(_PLACES).format(x=x)
        if place.startswith("func ") or place.startswith("import ") or rng.random() < 0.7:
            return _FILE.format(declaration=place)
        return _statement(rng.choice(_WITHIN).format(s=place) if rng.random() < 0.3 else place)
    statement = rng.choice(_VALUES).format(x=x)
    if rng.random() < 0.3:
        statement = rng.choice(_WITHIN).format(s=statement)
    return _statement(statement)


_some_numbers = list(numbers())
