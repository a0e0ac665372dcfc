"""Files that cross a construct with its possible places, judged by TypeScript's parser and checker, or by acorn.

ts-forms    forms drawn from all families, whole
ts-holes    the same, cut at each of their symbols: a hole is judged like the whole file
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..support import oracle_typescript as oracle
from .typescript import oracle_language
from .typescript_names import COVERED, POSSIBLE

Fields = dict[str, object]


class Form(NamedTuple):
    """A file in a dialect, judged at a level."""

    dialect: str
    text: str
    level: str = "compile"


# -- syntax


_ELEMENTS = ("<a/>", "<a></a>", "<></>", "<a.b c={d}/>", "<a>b{c}</a>")
_BEHIND_OPERAND = (
    "<b>", "<b", " < b", "\n< b", "<b/>", "\n<b/>", "<b>c</b>", ".c", "\n.c", "?.c", "()", "(b)", "\n(b)", "`t`", "\n`t`",
    "[0]", "\n[0]", "++", "\n++\nb", "--", " + b", " - b", " * b", " / b", "\n/ b", " ** b", " % b", " > b", " <= b", " << b", " >> b",
    " >>> b", " >= b", " && b", " || b", " ?? b", " == b", " === b", " & b", " in b", " instanceof b", " ? b : c", ", b", "\nb", ";b", " => b",
    " of b", ".b.c", "<b>()", "<b>\n;", "?.()", "?.[b]",
)  # fmt: skip
_BEHIND_IN_TYPES = ("!", " as b", " satisfies b", " as b < c", " as b<c>")
_AROUND_OPERAND = (
    "x = $", "$", "($)", "x = y && $", "x = y + $", "x = !$", "x = -$", "x = typeof $", "x = void $", "x = () => $", "f($)", "f(y, $)", "f(...$)",
    "x = [$]", "x = [y, $]", "x = { y: $ }", "x = { ...$ }", "x = y ? $ : z", "x = y ? z : $", "x = `${$}`", "x = y ** $", "export default $",
    "const x = $", "for (const x of $) ;", "for (const x in $) ;", "if ($) y", "while ($) y", "throw $", "function f() { return $ }",
    "async () => { await $ }", "function* f() { yield $ }", "class A { x = $ }", "class A extends ($) {}", "class A extends $ {}", "new $", "++$",
    "x = <c>{$}</c>", "x = <c d={$}/>", "x = <c d=$/>", "x = <c>$</c>", "x[$]", "x = y, $", "delete $", "x ||= $", "switch ($) {}", "do y; while ($)",
    "x = async () => $", "import($)", "@($) class A {}", "x = { [$]: y }", "let { x = $ } = y", "function f(x = $) {}",
)  # fmt: skip


def _operands() -> Iterator[Form]:
    """A JSX element, its surroundings, and the text behind it."""
    for dialect in ("tsx", "jsx"):
        behind = ("", *_BEHIND_OPERAND, *(_BEHIND_IN_TYPES if dialect == "tsx" else ()))
        for element, around, after in itertools.product(_ELEMENTS, _AROUND_OPERAND, behind):
            yield Form(dialect, around.replace("$", element + after), "syntax")


_KEYS = (
    "constructor",
    "'constructor'",
    "#constructor",
    "['constructor']",
    "prototype",
    "#a",
    "get",
    "static",
    "async",
    "declare",
    "readonly",
    "accessor",
    "1",
    "in",
)
_BEHIND_KEY = ("", ";", " = 1", "() {}", "();", "\n() {}", "\nx", ", y")
_BEHIND_KEY_IN_TYPES = (": 1", "?: 1", "!: 1", "?() {}", "<T>() {}", "(): any {}", ": 1 = 1", "?")
_BEFORE_KEY = (
    "",
    "static ",
    "get ",
    "set ",
    "async ",
    "*",
    "async *",
    "static get ",
    "static async ",
    "accessor ",
    "@d ",
    "static\n",
)
_BEFORE_KEY_IN_TYPES = ("readonly ", "public ", "abstract ", "declare ", "override ", "static readonly ", "private ")


def _members() -> Iterator[Form]:
    """Special names of members, in classes, objects and types."""
    for dialect in ("ts", "js"):
        typed = dialect == "ts"
        before = (*_BEFORE_KEY, *(_BEFORE_KEY_IN_TYPES if typed else ()))
        behind = (*_BEHIND_KEY, *(_BEHIND_KEY_IN_TYPES if typed else ()))
        for first, key, after in itertools.product(before, _KEYS, behind):
            if "set" in first:
                after = after.replace("()", "(v)")
            if "get" in first:
                after = after.replace("{}", "{ return 1 }")
            for around in (
                ("class A { $ }", "abstract class A { $ }", "x = class extends B { $ }")
                if typed
                else ("class A { $ }",)
            ):
                yield Form(dialect, around.replace("$", first + key + after))


_IMPORTED = (
    "defer * as x from 'y'", "defer from 'y'", "defer, { a } from 'y'", "defer, * as a from 'y'", "defer a from 'y'", "defer { a } from 'y'",
    "defer from from 'y'", "* as defer from 'y'", "{ defer } from 'y'", "{ a as defer } from 'y'", "defer * as x from 'y' with { a: 'b' }",
    "\ndefer * as x from 'y'", "defer\n* as x from 'y'", "defer\nfrom 'y'", "a from 'y'", "'y'", "a, { b } from 'y'", "* as a from 'y'", "{} from 'y'",
    "{ default as a } from 'y'", "{ default } from 'y'", "{ 'a' as b } from 'y'", "a, b from 'y'", "defer defer from 'y'", "defer * as defer from 'y'",
    "source a from 'y'", "defer * as x",
)  # fmt: skip
_IMPORTED_AS_TYPES = (
    "type defer from 'y'",
    "defer = a",
    "defer = require('y')",
    "type a, { b } from 'y'",
    "type * as a from 'y'",
    "type { type a } from 'y'",
    "a = b.c",
    "type a = b.c",
    "defer type * as x from 'y'",
    "type defer * as x from 'y'",
)
_CALLED = (
    "import.defer('y')",
    "import.defer(y)",
    "import.defer",
    "import.defer()",
    "import.defer.x",
    "import.defer('y').then(z)",
    "import.meta",
    "import.meta.x",
    "import.meta()",
    "import('y')",
    "import()",
    "import('y', z)",
    "import('y', z, z)",
    "import(...y)",
    "import\n.defer('y')",
    "new import.meta.x()",
    "new import('y')",
    "import.meta = 1",
    "import.x",
)


def _imports() -> Iterator[Form]:
    """Imports and their phases, as statements and as calls."""
    for dialect in ("ts", "js"):
        for clause in (*_IMPORTED, *(_IMPORTED_AS_TYPES if dialect == "ts" else ())):
            for around in (
                "import $",
                "export import $",
                "import $; x.z()",
                "function f() { import $ }",
                "{ import $ }",
            ):
                yield Form(dialect, around.replace("$", clause))
        for call in _CALLED:
            for around in ("$", "x = $", "async () => { await $ }", "f($)", "export {}; const m = await $", "$\ny"):
                yield Form(dialect, around.replace("$", call))


# -- strict code


RESERVED = ("implements", "interface", "package", "private", "protected", "public", "static")
_STRICT_PLACES = {
    "ts": (
        "export {};\n$",
        "$\nexport {};",
        "class K { k() { $ } }",
        "class K { static { $ } }",
        "function k() { 'use strict'; $ }",
        "'use strict'; $",
        "$",
        'x = () => { "use strict"\n $ }',
        "function k() { 'use' + 'strict'; $ }",
        "class K { ['k'] = () => { $ } }",
    ),
}
_STRICT_PLACES["js"] = _STRICT_PLACES["ts"]
_NAMED = (
    "var $", "let $ = 1", "const $ = 1", "var { $ } = x", "var { a: $ } = x", "var { $: a } = x", "var [$] = x", "var { ...$ } = x", "var [...$] = x", "$ = 1", "$ += 1", "$++", "--$", "[$] = x",
    "[...$] = x", "({ $ } = x)", "({ $ = 1 } = x)", "({ a: $ } = x)", "({ $: a } = x)", "for (var $ of x) ;", "for ($ of x) ;", "for ($ in x) ;", "for (let $ = 0; ;) ;", "$", "$()", "$.a", "a.$", "a?.$", "x = $", "x = [$]", "x = { $ }",
    "x = { $: 1 }", "x = { $() {} }", "x = { get $() { return 1 } }", "typeof $", "$: for (;;) break $", "function $() {}", "async function $() {}", "x = function $() {}", "x = function* $() {}", "class $ {}",
    "x = class $ {}", "class A extends $ {}", "class A { $ = 1 }", "class A { $() {} }", "class A { x = $ }", "class A { [$] = 1 }", "function f($) {}", "function f(a = $) {}", "function f(...$) {}", "function f({ $ }) {}", "x = $ => 1",
    "x = ($) => 1", "x = async $ => 1", "x = ({ a: $ }) => 1", "try {} catch ($) {}", "try {} catch ({ $ }) {}", "class A { m($) {} }", "class A { set x($) {} }", "x = { m($) {} }", "x = { set x($) {} }", "`${$}`", "new $", "new $()", "$`a`",
    "if ($) x", "while ($) x", "return_: { $ }", "x = y ? $ : z", "f($)", "f(...$)", "delete $.a", "delete $", "void $", "($)", "($) = 1", "$ ||= 1", "@$ class A {}", "class A { @$ m() {} }",
)  # fmt: skip
_NAMED_IN_TYPES = (
    "type $ = 1", "type A = $", "type A = $.b", "type A = b.$", "type A<$> = 1", "let a: $", "let a: typeof $", "let a: $[]", "interface $A {}", "enum $ {}", "enum A { $ }", "enum A { a = $ }", "interface A { $: 1 }", "interface A { m($: 1): 1 }",
    "type A = ($: 1) => 1", "type A = [$: 1]", "type A = { [$: string]: 1 }", "type A = { [$ in b]: 1 }", "type A = b extends infer $ ? 1 : 2", "function f(a): a is $ {}", "function f($): $ is a {}", "function f(x): asserts $ {}", "function f<$>() {}",
    "x = <$>y", "x = y as $", "x = y satisfies $", "f<$>()", "class A<$> {}", "class A extends B<$> {}", "class A { a: $ }", "function f(this: $) {}", "declare var $", "declare function $()", "declare function f($)", "declare class $ {}",
    "declare class A { m($) }", "abstract class $ {}", "x = y!.$", "x = $!", "abstract class A { abstract m($) }", "function f($?) {}", "class A { constructor(public $) {} }", "let a: { $ }", "let a: { m($) }", "type A = new ($) => 1", "declare enum $ {}", "declare const $: 1",
    "interface A extends $ {}", "class A implements $ {}", "namespace $ {}", "namespace A.$ {}", "declare namespace $ {}", "declare namespace A { var $ }",
)  # fmt: skip
_IN_MODULES = (
    "import $ from 'y'",
    "import { $ } from 'y'",
    "import { $ as a } from 'y'",
    "import { a as $ } from 'y'",
    "import * as $ from 'y'",
    "export { $ } from 'y'",
    "export { $ as a } from 'y'",
    "export { a as $ } from 'y'",
    "export * as $ from 'y'",
    "export const $ = 1",
    "export function $() {}",
    "export default $",
    "var a; export { a as $ }",
    "import a, { $ } from 'y'",
    "export default function $() {}",
    "export default class $ {}",
)
_IN_TYPED_MODULES = (
    "import type $ from 'y'",
    "import { type $ } from 'y'",
    "import $ = require('y')",
    "import a = $.b",
    "import a = b.$",
    "export import a = $",
    "export type $ = 1",
    "export { type a as $ } from 'y'",
    "import type { $ } from 'y'",
    "export = $",
)


def _strict() -> Iterator[Form]:
    """Words forbidden as names in strict code."""
    for dialect in ("ts", "js"):
        typed = dialect == "ts"
        for word in (*RESERVED, "eval", "arguments"):
            for named in (*_NAMED, *(_NAMED_IN_TYPES if typed else ())):
                for place in _STRICT_PLACES[dialect]:
                    yield Form(dialect, place.replace("$", named.replace("$", word)))
            for named in (*_IN_MODULES, *(_IN_TYPED_MODULES if typed else ())):
                yield Form(dialect, named.replace("$", word))
                yield Form(dialect, "x = 1;\n" + named.replace("$", word) + "\nx = 2")


_IN_STRICT = (
    "with (a) b", "if (a) with (b) c", "delete a", "delete a.b", "delete (a)", "var a; delete a", "await a", "await a.b()", "for await (const a of b) ;", "for await (a of b) ;", "async () => { await a }", "async () => { for await (a of b) ; }",
    "x = { async m() { await a } }", "function f() { await a }", "a: function f() {}", "a: var b", "a: { var b }", "a: let_: for (;;) ;", "if (a) ; else b", "if (a);", "if (a) b; else;", "if (a) { ; }", "while (a);", "for (;;);", "if (a)\n;", "if (a);\nelse b",
    "for (async of a) ;", "for (async.b of a) ;", "for (async in a) ;", "for (async;;) ;", "for (async () => {};;) ;", "async () => { for await (async of a) ; }", "for (let of a) ;", "for (const async of a) ;", "function f(a, b) { 'use strict' }",
    "function f(a = 1) { 'use strict' }", "function f({ a }) { 'use strict' }", "function f(...a) { 'use strict' }", "x = (a = 1) => { 'use strict' }", "x = a => { 'use strict' }", "x = { m([a]) { 'use strict' } }", "class A { m(a = 1) { 'use strict' } }",
    "function f(a = 1) { 'a'; 'use strict'; }", "function f(a = 1) { a; 'use strict'; }", "function f(a = 1) { 'use strict' + 1 }", "function f(a = 1) { ('use strict') }", "function f(eval) { 'use strict' }", "function eval() { 'use strict' }", "x = function arguments() { 'use strict' }",
    "function static_(package) { 'use strict' }", "function package() { 'use strict' }", "x = package => { 'use strict' }", "x = (eval) => { 'use strict' }", "x = { eval() { 'use strict' } }", "x = { m(eval) { 'use strict' } }", "function f() { 'use strict'; function g(eval) {} } function h(eval) {}",
    "'use strict'\n+ 1; eval = 1", "'use strict'\n; eval = 1", "'use strict'\neval = 1", "'use strict', 1; eval = 1", "'use strict'\n(eval = 1)", "'use strict'\n[eval]", "'use\\x20strict'; eval = 1", "'a'; 'use strict'; eval = 1", "a; 'use strict'; eval = 1", "{ 'use strict'; eval = 1 }",
    "x = () => { 'use strict'; eval = 1 }; eval = 1",
)  # fmt: skip
_IN_STRICT_TYPES = (
    "export as namespace A",
    "export {}; export as namespace A",
    "declare module 'a' { export as namespace A }",
    "function f(a?: 1) { 'use strict' }",
    "function f(this: 1) { 'use strict' }",
    "function f(a: 1): 1 { 'use strict'; return 1 }",
    "await using a = b",
    "using a = b",
    "for (using a of b) ;",
    "for (await using a of b) ;",
    "declare var a; if (a);",
    "namespace A { if (a); }",
    "namespace A { await b }",
)


def _statements() -> Iterator[Form]:
    """Statements whose verdict depends on strict code, or on a module, around them."""
    for dialect in ("ts", "js"):
        for statement in (*_IN_STRICT, *(_IN_STRICT_TYPES if dialect == "ts" else ())):
            for place in _STRICT_PLACES[dialect]:
                yield Form(dialect, place.replace("$", statement))


# -- types


_TYPES_WITHIN = (
    "$", "($)", "$[]", "($)[]", "[$]", "[a: $]", "[...$]", "[$?]", "{ a: $ }", "{ readonly a: $ }", "{ readonly a?: $ }", "{ m(a: $): 1 }", "{ m(): $ }", "{ [k: string]: $ }", "{ [k in $]: 1 }", "{ [k in B]: $ }", "(a: $) => 1", "() => $", "new () => $", "B | $", "$ | B",
    "| $", "& $", "B & $", "B<$>", "B.C<$>", "keyof $", "B[$]", "($)[B]", "B extends $ ? 1 : 2", "$ extends B ? 1 : 2", "B extends C ? $ : 2", "B extends C ? 1 : $", "B extends C<$> ? 1 : 2", "B extends ($) ? 1 : 2", "B extends $[] ? 1 : 2", "B extends { a: $ } ? 1 : 2",
    "B extends (a: $) => 1 ? 1 : 2", "B extends (C extends D ? $ : 1) ? 1 : 2", "B extends (C extends $ ? 1 : 1) ? 1 : 2", "(B extends C ? 1 : 2) extends $ ? 1 : 2", "B extends () => $ ? 1 : 2", "`${$}`", "B extends `${$}c` ? 1 : 2", "typeof b<$>", "<T extends $>() => 1",
    "<T = $>() => 1", "(a: B) => asserts a is $", "readonly $[]", "B extends infer U extends $ ? 1 : 2", "B extends [C, ...$] ? 1 : 2", "{ get a(): $ }", "{ set a(b: $) }", "{ (a: $): 1 }", "{ new (): $ }", "B extends abstract new (...a: $) => 1 ? 1 : 2", "{ readonly a: ($) }",
)  # fmt: skip
_TYPES_IN = (
    "type X = $", "let x: $", "const x: $ = y", "var x: $", "declare const x: $", "declare let x: $", "declare var x: $", "const [x]: $ = y", "for (const x: $ = y; ;) ;", "function f(x: $) {}", "function f(): $ { return y }", "x = y as $", "x = y satisfies $", "f<$>()", "class A { x: $ }",
    "class A { static x: $ }", "class A { readonly x: $ }", "class A { static readonly x: $ }", "class A { declare static readonly x: $ }", "class A extends B<$> {}", "class A implements B<$> {}", "interface A { x: $ }", "interface A { readonly x: $ }", "interface A extends B<$> {}", "type X<T extends $> = 1",
    "type X<T = $> = 1", "function f<T extends $>() {}", "x = (y: $) => 1", "x = (y): $ => 1", "class A { m(x: $) {} }", "class A { constructor(x: $) {} }", "class A { get x(): $ { return y } }", "try {} catch (e: $) {}", "class A { accessor x: $ }", "export const x: $ = y", "const x: $ = y, z = 1", "let z, x: $",
    "class A { static readonly x: $ = y }", "namespace N { export const x: $ = y }", "class A { [k: string]: $ }", "class A { constructor(readonly x: $) {} }", "x = <$>y", "using x: $ = y",
)  # fmt: skip
_SPECIAL_TYPES = (
    "infer U",
    "unique symbol",
    "infer U extends V",
    "symbol",
    "asserts a",
    "a is B",
    "this",
    "readonly B[]",
    "readonly B",
    "void",
    "unique B",
    "keyof B",
)


def _types() -> Iterator[Form]:
    """Types allowed only in some places."""
    for type_, within, place in itertools.product(_SPECIAL_TYPES, _TYPES_WITHIN, _TYPES_IN):
        yield Form("ts", place.replace("$", within.replace("$", type_)))


# -- modifiers


_IN_BRACKETS = (
    "a", "this", "readonly a", "readonly a[]", "{ a }", "{ a: b }", "{ a?: b }", "{ a; b }", "{ a: [b] }", "{ readonly a: b }", "[a]",
    "[a, { b }, ...c]", "[a[]]", "[a?]", "[]", "{}", "a[]", "a | b", "(a)", "keyof a", "a, b", "a: b", "", "...a", "a?", "{ a }: b", "() => a",
    "(a) => b", "string", "1",
)  # fmt: skip
_AROUND_BRACKETS = (
    "($)", "keyof ($)", "keyof b[]", "| ($)", "b | ($)", "b & ($)[]", "($)[]", "($) | b", "[($)]", "b extends ($) ? c : d", "b<($)>",
    "(b) => ($)", "new (b) => ($)", "keyof", "infer", "(keyof)",
)  # fmt: skip
_BEFORE_ARROWS = (
    "x = (y): $ => z", "let x = (y): $ => z", "f((y): $ => z, 1)", "x = async (y): $ => z", "x = <T>(y): $ => z", "let x = (y): $ => z => w",
    "x = w ? (y): $ => z : v", "switch (x) { case (y): $ => z }", "let x: $ = y", "type X = $", "x = y as $",
)  # fmt: skip
_CASTS = (
    "<T>(a)", "<T>(a, b)", "<T[]>(a)", "<T>a", "<T>({ a })", "<T>[a]", "-<T>(a)", "(<T>(a))", "<T><U>(a)", "<T>(a)[0]", "<T,>(a)",
    "<T extends U>(a)", "<{ a: b }>(a)", "<T>(a)(b)",
)  # fmt: skip
_BEFORE_COLONS = (
    "switch (x) { case $: y => z }", "switch (x) { case $: (y) => z }", "switch (x) { case $: y }", "switch (x) { case y + $: z => w }",
    "x = w ? $ : y => z", "x = v ? w ? $ : y => z : u", "x = v ? w ? $ : y : u", "x = w ? () => $ : y => z", "x = $", "x = $: y => z", "x = $ => y",
)  # fmt: skip


def _brackets() -> Iterator[Form]:
    """Brackets that TypeScript may take for the parameters of a function, or of its type."""
    for place, around, within in itertools.product(_BEFORE_ARROWS, _AROUND_BRACKETS, _IN_BRACKETS):
        yield Form("ts", place.replace("$", around.replace("$", within)))
    for place, cast in itertools.product(_BEFORE_COLONS, _CASTS):
        yield Form("ts", place.replace("$", cast))


_MODIFIERS = (
    "public",
    "private",
    "protected",
    "static",
    "readonly",
    "abstract",
    "override",
    "declare",
    "async",
    "accessor",
    "export",
    "const",
    "in",
    "default",
)
_MODIFIED = (
    "x",
    "x = 1",
    "x: 1",
    "x() {}",
    "x()",
    "x(): 1 {}",
    "get x() { return 1 }",
    "set x(v) {}",
    "get x()",
    "*x() {}",
    "constructor() {}",
    "constructor()",
    "#x",
    "#x() {}",
    "#x = 1",
    "get #x() { return 1 }",
    "[x] = 1",
    "[k: string]: 1",
    "'x' = 1",
    "x?",
    "x!: 1",
    "x?() {}",
    "[x]() {}",
    "static {}",
)
_MODIFIED_IN = (
    "class A { $ }",
    "abstract class A { $ }",
    "declare class A { $ }",
    "x = class { $ }",
    "class A extends B { $ }",
    "declare abstract class A { $ }",
    "@d class A { $ }",
    "declare namespace N { class A { $ } }",
)


def _modifiers() -> Iterator[Form]:
    """Up to three modifiers before each kind of member of each kind of class."""
    for count in range(4):
        for words in itertools.product(_MODIFIERS, repeat=count):
            for member, around in itertools.product(_MODIFIED, _MODIFIED_IN):
                yield Form("ts", around.replace("$", " ".join((*words, member))))


_PARAMETERS = ("x", "x?", "x = 1", "{ x }", "[x]", "...x", "this", "x: 1", "this: 1", "@d x")
_OF_PARAMETERS = (
    "class A { constructor($) {} }",
    "class A { constructor($); constructor() {} }",
    "class A { m($) {} }",
    "function f($) {}",
    "x = ($) => 1",
    "declare class A { constructor($) }",
    "x = { m($) {} }",
    "class A { set x($) {} }",
    "type T = ($) => 1",
    "interface I { m($): 1 }",
)
_DECLARED = (
    "class A {}",
    "abstract class A {}",
    "function f() {}",
    "async function f() {}",
    "function* f() {}",
    "var x",
    "let x",
    "const x = 1",
    "const x: 1",
    "enum E {}",
    "const enum E {}",
    "interface I {}",
    "type T = 1",
    "namespace N {}",
    "module 'm' {}",
    "module 'm'",
    "global {}",
    "import a from 'm'",
    "import a = b",
    "export {}",
    "using x = y",
    "x = 1",
    "{}",
    "if (x) y",
    "@d class A {}",
    "function f()",
    "async () => {}",
    "x: 1",
)
_BEFORE_DECLARED = (
    "declare",
    "export",
    "abstract",
    "async",
    "default",
    "public",
    "static",
    "readonly",
    "const",
    "override",
    "private",
    "accessor",
    "export default",
    "export declare",
    "declare export",
    "export abstract",
    "declare abstract",
    "export async",
    "declare async",
    "export @d",
    "@d export",
    "async export",
    "abstract export",
    "abstract async",
    "declare declare",
    "export export",
    "@d",
)
_DECLARED_IN = (
    "$",
    "export {}; $",
    "namespace M { $ }",
    "declare namespace M { $ }",
    "function g() { $ }",
    "{ $ }",
    "declare module 'n' { $ }",
    "if (x) { $ }",
    "declare global { $ } export {}",
    "class K { static { $ } }",
)


def _declarations() -> Iterator[Form]:
    """Modifiers of parameters and of declarations, in all places."""
    for count in range(3):
        for words in itertools.product(_MODIFIERS[:10], repeat=count):
            for parameter, around in itertools.product(_PARAMETERS, _OF_PARAMETERS):
                yield Form("ts", around.replace("$", " ".join((*words, parameter))))
    for before, declared, around in itertools.product(("", *_BEFORE_DECLARED), _DECLARED, _DECLARED_IN):
        yield Form("ts", around.replace("$", f"{before} {declared}".strip()))


# -- regular expressions


_ATOMS = (
    "a",
    "b",
    ".",
    "^",
    "$",
    "\\b",
    "\\d",
    "\\w",
    "\\1",
    "\\2",
    "\\0",
    "\\k<n>",
    "\\k",
    "\\u{61}",
    "\\u0061",
    "\\x41",
    "\\x4",
    "\\c",
    "\\cA",
    "\\p{L}",
    "\\p{Lu}",
    "\\P{Script=Greek}",
    "\\p",
    "\\-",
    "\\a",
    "\\/",
    "[a-z]",
    "[z-a]",
    "[^a]",
    "[]",
    "[^]",
    "[\\d-z]",
    "[a-\\d]",
    "[\\b]",
    "[a&&b]",
    "[a--b]",
    "[[a]b]",
    "[(]",
    "[\\q{a}]",
    "(",
    ")",
    "(?:",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?<n>",
    "(?<m>",
    "(?<1>",
    "(?i:",
    "(?i-m:",
    "(?-:",
    "(?ii:",
    "(?g:",
    "(?",
    "]",
    "}",
    "{",
    "|",
    "-",
    " ",
    "é",
)
_QUANTIFIERS = ("*", "+", "?", "{1}", "{1,}", "{1,2}", "{2,1}", "{,1}", "{", "*?", "**", "+?", "{1", "{a}")
_FLAGS = ("", "", "", "g", "u", "v", "uv", "gg", "x", "i", "dgimsuy", "s")


def _random_regex(rng: random.Random) -> str:
    parts: list[str] = []
    open_ = 0
    for _ in range(rng.randrange(1, 5)):
        part = rng.choice(_ATOMS)
        open_ += part.startswith("(") - (part == ")")
        parts.append(part)
        if rng.random() < 0.35:
            parts.append(rng.choice(_QUANTIFIERS))
    if open_ > 0 and rng.random() < 0.8:
        parts.append(")" * open_)
    body = "".join(parts)
    return f"/{'a' if body[0] in '*/' else ''}{body}/{rng.choice(_FLAGS)}"


def _regexes() -> Iterator[Form]:
    """Regular expressions; each again in another place."""
    rng = random.Random(1)
    for first, quantifier, flags in itertools.product(_ATOMS, ("", *_QUANTIFIERS), ("", "u", "v")):
        yield Form("ts", f"x = /{first}{quantifier}/{flags}")
    for _ in range(20_000):
        regex = _random_regex(rng)
        yield Form(
            rng.choice(("ts", "js")),
            rng.choice(("x = $", "f($)", "$.test(x)", "const x = [$]", "class A { x = $ }", "`${$}`")).replace(
                "$", regex
            ),
        )


# -- order


_DECLARERS = (
    "const a = $",
    "let a = $",
    "const [a] = $",
    "const { a } = $",
    "const b = 1, a = $",
    "const a = 1, b = $",
    "class a { x = $ }",
    "class a { static x = $ }",
    "class a extends $ {}",
    "let a; a = $",
    "for (const a of $) ;",
    "for (let a = $; ;) ;",
    "$; const a = 1",
    "$; let a",
    "$; class a {}",
    "{ $; const a = 1 }",
    "$; { const a = 1 }",
    "$; var a",
    "$; function a() {}",
    "for (const a in $) ;",
    "export const a = $",
    "switch (x) { case $: const a = 1 }",
    "function f() { $ } const a = 1",
    "const a = 1; { $ }",
    "const a = { b: { c: $ } }",
    "using a = $",
    "const f = (a = $) => 1",
    "const a = y, b = y; $",
)
_READERS = (
    "a",
    "a.b",
    "f(a)",
    "() => a",
    "[a]",
    "{ a }",
    "({ a })",
    "await a",
    "`${a}`",
    "function () { return a }",
    "class extends a {}",
    "typeof a",
    "a?.b()",
    "x ? a : 1",
    "x && a",
    "-a",
    "new a()",
    "a as any",
    "a!",
    "{ m() { return a } }",
    "{ [a]: 1 }",
    "(a, 1)",
    "a = 1",
    "a\n  .b(() => {})",
    "b",
    "async () => await a",
    "x.a",
    "{ a: 1 }",
)


def _order() -> Iterator[Form]:
    """Reads of a name before and behind its declaration."""
    for declarer, reader in itertools.product(_DECLARERS, _READERS):
        if re.match(r"for|const [\[{]", declarer) and re.search("=>|function|class|m\\(", reader):
            continue  # their time of execution is unknown here
        if declarer.startswith("$;") and reader.startswith(("{", "function", "class")):
            reader = f"({reader})"
        for before in (
            ("declare var x: any, y: any, f: any, b: any;\nexport {};\n", "export {};\nfunction g() {\n")
            if "const b" not in declarer and "b = $" not in declarer
            else ("export {};\ndeclare var x: any, y: any, f: any;\n",)
        ):
            yield Form("ts", before + declarer.replace("$", reader) + "\n" + "}" * before.endswith("{\n"))


# -- all codes


_PLACES = (
    "$",
    "export {};\n$",
    "function g() { $ }",
    "async function g() { $ }",
    "{ $ }",
    "if (y) { $ }",
    "namespace M { $ }",
    "export namespace M { $ }",
    "class K { static { $ } }",
    "class K { k() { $ } }",
    "y = () => { $ }",
    "switch (y) { case 1: $ }",
    "declare namespace M { $ }",
    "for (;;) { $ }",
    "y\n$\ny",
    "export const y = { k() { $ } }",
    "try { $ } finally {}",
)
_GRAMMAR = Path(__file__).parents[1] / "data" / "typescript_grammar.jsonl"


def _codes() -> Iterator[Form]:
    """Each text with a grammar error of the checker's, in other places."""
    for line in _GRAMMAR.read_text("utf-8").splitlines():
        for place in _PLACES:
            yield Form("ts", place.replace("$", json.loads(line)["text"]))


FAMILIES: dict[str, Callable[[], Iterator[Form]]] = {
    "operands": _operands,
    "members": _members,
    "imports": _imports,
    "strict": _strict,
    "statements": _statements,
    "types": _types,
    "brackets": _brackets,
    "modifiers": _modifiers,
    "declarations": _declarations,
    "regexes": _regexes,
    "order": _order,
    "codes": _codes,
}
"""The families of forms, by name."""


# -- verdicts


_OF_SYNTAX = frozenset((2364, 2487, 5076))
"""Invalid targets, and operators that do not mix."""
NOT_SOUGHT: frozenset[int] = frozenset((1202, 1203, 1360, 1225, 1542, 1543, 18033)) | _OF_SYNTAX
"""The checker's grammar errors out of scope here."""
_ORDER = frozenset((2448, 2449, 2703, 2852, 2853, 2854))


def valid(form: Form) -> bool | None:
    """The oracle's verdict; None where it does not count."""
    dialect, text, level = form
    if _KNOWN_GAPS.search(text):
        return None
    if oracle.typescript(text, dialect):
        return False
    if level == "syntax":  # the checker's grammar errors may be refused as syntax
        said = {error.code for error in oracle.checker(text, dialect, lib=False)}
        return (
            None if any(1000 <= code < 2000 or 17000 <= code < 19000 or code in _OF_SYNTAX for code in said) else True
        )
    if dialect.startswith("ts"):
        said = oracle.checker(text, dialect, lib=False)
        if any(error.code == 2304 and "'arguments'" in error.message for error in said):
            return None  # outside of functions it is no name: the compiler's business here
        codes = {error.code for error in said}
        sought = {
            code
            for code in codes
            if (1000 <= code < 2000 or 17000 <= code < 19000 or code in COVERED | _ORDER | _OF_SYNTAX)
            and code not in _OF_NAMES
        }
        if not sought and codes & POSSIBLE:
            return None
        return None if sought and sought <= NOT_SOUGHT else not sought
    if _UNKNOWN_TO_ACORN.search(text):
        return None
    said = oracle.acorn(text), oracle.acorn(text, script=True)
    return None in said


_KNOWN_GAPS = re.compile(
    r"[*t] ?'constructor'|'constructor'[<?]|\b(?:let|const|var) (?:let\b|[\[{]?a[\]}]?;)|: let |\\p\{|@a c|<const>b|f\(\);|= f\(\)|delete this|\.\.\.c|module 'm'(?! \{)|\{ (?:export )?module 'm'|declare (?:@|x|\{|if|import|async)|<<T|=> infer \w+ extends|catch \(e: "
)
"""`<<` as two symbols, `infer` behind an arrow, and types of caught values: see docs/typescript.md."""
_UNKNOWN_TO_ACORN = re.compile(
    r"@|(?:\+\+|--)(?:eval|arguments|implements|interface|package|private|protected|public|static)|import\s*\.?defer|accessor|using"
)
"""Syntax newer than acorn, and words behind `++`, where it accepts any."""


_OF_NAMES = frozenset((18004, 2301))
"""Nonexistent names: errors of another level."""


def accepts(form: Form, left: str = "", right: str = "") -> bool:
    """The engine's verdict on a form, or on the middle between two parts of it."""
    middle = form.text[len(left) : len(form.text) - len(right)]
    hole = oracle_language(form.dialect).hole(left, right, level=form.level, exact=True)  # type: ignore[arg-type]
    state = hole.state if hole.fallback in ("none", "compile") else None
    after = state.advance(middle) if state is not None else None
    return after is not None and after.complete


_SYMBOL = re.compile(r"[\w$]+|'[^']*'|\s+|.", re.DOTALL)


def cuts(text: str, rng: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Left and right parts of a text, cut at its symbols."""
    places = sorted({0, *itertools.accumulate(map(len, _SYMBOL.findall(text)))})
    for _ in range(count):
        begin, end = sorted((rng.choice(places), rng.choice(places)))
        yield text[:begin], text[end:]


@cache
def forms(family: str) -> tuple[Form, ...]:
    """All forms of a family."""
    return tuple(dict.fromkeys(FAMILIES[family]()))


def sample(rng: random.Random, count: int, family: str | None = None) -> Iterator[Form]:
    """Some forms of one family, or of all families equally."""
    for _ in range(count):
        yield rng.choice(forms(family or rng.choice([*FAMILIES])))


def _fields(check: str, form: Form, verdict: bool, left: str = "", right: str = "") -> Fields:
    return {"check": check, **form._asdict(), "valid": verdict, "before": left, "behind": right}


def whole(rng: random.Random, count: int, family: str | None = None) -> tuple[int, list[Fields]]:
    """Whole files, against the oracle."""
    found: list[Fields] = []
    for form in sample(rng, count, family):
        verdict = valid(form)
        if verdict is not None and accepts(form) != verdict:
            found.append(_fields("ts-form", form, verdict))
    return count, found


_CUTS = 6
"""Cuts in each file."""


def holes(rng: random.Random, count: int, family: str | None = None) -> tuple[int, list[Fields]]:
    """Holes, against the verdict on the whole file."""
    found: list[Fields] = []
    for form in sample(rng, count, family):
        verdict = accepts(form)
        found += [
            _fields("ts-form", form, verdict, left, right)
            for left, right in cuts(form.text, rng, _CUTS)
            if accepts(form, left, right) != verdict
        ]
    return count * _CUTS, found


def is_mended(line: Fields) -> bool:
    """Whether a line of the file of failures is fixed."""
    form = Form(str(line["dialect"]), str(line["text"]), str(line["level"]))
    return accepts(form, str(line["before"]), str(line["behind"])) == line["valid"]


KINDS: dict[str, Callable[[random.Random, int], tuple[int, list[Fields]]]] = {"ts-forms": whole, "ts-holes": holes}
COUNTS = {"ts-forms": 200, "ts-holes": 40}
