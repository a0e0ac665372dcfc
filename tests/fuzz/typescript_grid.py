"""Rows about names, judged by TypeScript 7: declarations crossed with uses, and with the possible places of both.

`python -m tests.fuzz.typescript_grid [FAMILY...]` prints and counts the disagreements.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product

from ..support import oracle_typescript7 as oracle
from .typescript_names import NAMES, names_of, whole

Row = tuple[str, str]
"""(dialect, text)"""
_MODULE = "\nexport {};\n"
_TOLD = NAMES | {
    2492,
    2815,
    1361,
    1362,
    1380,
    2302,
    2300,
    2395,
    2440,
    2448,
    2449,
    2450,
    2451,
    2526,
    2539,
    2567,
    2588,
    2628,
    2629,
    2630,
    2631,
    2632,
    2651,
    2689,
    2690,
    2744,
}
"""Errors of names. Others need types and are ignored."""
_OF_GRAMMAR = 2000

_DECLARED = (
    "class X { static a: any; b: any }", "class X<T> { b: T }", "abstract class X { }", "interface X { a: any }", "interface X<T> { a: T }",
    "type X = { a: any }", "enum X { a, b }", "const enum X { a, b }", "declare enum X { a }", "namespace X { export type a = 1 }",
    "namespace X { export interface a {} }", "namespace X { export const a: any = 1 }", "namespace X { }",
    "namespace X { export type a = 1; export let b: any }", "declare namespace X { let a: any }", "declare namespace X { type a = 1 }",
    "namespace X { export namespace a { export type b = 1 } }", "namespace X { export namespace a { export let b: any } }",
    "namespace X { export const enum a { b } }", "namespace X.a { export type b = 1 }", "namespace X.a { export let b: any }",
    "namespace X { let a = 1 }", "namespace X { 1; }", "namespace X { export import a = Y; } namespace Y { export type b = 1 }",
    "namespace X { export class a {} }", "namespace X { export function a() {} }", "namespace X { export type a = 1; const enum Q { z } }",
    "function X() { return {} as any }", "declare function X(): any", "let X: any", "const X: any = 1", "var X: any", "declare let X: any",
    "import X from './x'", "import { X } from './x'", "import { y as X } from './x'", "import * as X from './x'", "import type X from './x'",
    "import type { X } from './x'", "import { type X } from './x'", "import type { y as X } from './x'", "import { type y as X } from './x'",
    "import type * as X from './x'", "namespace Y { export let a: any } import X = Y", "namespace Y { export type a = 1 } import X = Y",
    "namespace Y { export namespace Z { export type q = 1 } } import X = Y.Z", "import type X, { } from './x'",
    "class X { } namespace X { export type a = 1 }", "function X() {} namespace X { export type a = 1 }",
    "interface X { } namespace X { export type a = 1 }", "interface X { a: any } let X: any", "type X = 1; namespace X { export type a = 1 }",
    "type X = 1; const X: any = 1",
)  # fmt: skip

_READ = (
    "let r: any = X", "X()", "new X()", "X.a", "let r: any = typeof X", "let r: typeof X", "let r: X", "let r: X<any>", "let r: X.a",
    "let r: typeof X.a", "let r: X[]", "class R extends X { }", "class R implements X { a: any; b: any }", "interface R extends X { }",
    "@X class R { }", "let r = { X }", "let r = `${X}`", "function r(a: any = X) { }", "function r(a: X) { }", "let r = { [X]: 1 }", "export { X }",
    "export { X as q }", "export type { X }", "export default X", "X = 1 as any", "X++", "[X] = [1] as any", "({ a: X } = {} as any)",
    "for (X of [] as any) { }", "import R = X", "import R = X.a", "let r: keyof X", "let r: keyof typeof X",
    "function r(X: any): X is any { return true }", "let r = 1 as any as X", "let r = 1 satisfies X", "let f: any; f<X>(1)",
    "type R = any extends X ? 1 : 2", "let r = () => X", "delete X.a", "X!", "X?.a", "X?.()", "X`a`", "let r = 1 as any instanceof X",
    "let r = 'a' in X", "let r = [...X]", "let r = { ...X }", "throw X", "class R extends (X as any) { }", "class R { [X]: any }",
    "class R { a = X }", "class R { static a = X }", "let r: X['a']", "let r: any = <X>(1 as any)", "void X", "!X", "X && 1", "X += 1 as any",
    "{ let r: any = X }", "function r(): X { return 1 as any }", "let r: X.a.b", "X.a.b", "X: for (;;) { break X }", "declare let r: X",
    "declare function r(a: X): any", "enum R { z = X }", "export import R = X", "let r: ReturnType<typeof X>",
    "namespace R { export let z: any = X }", "namespace R { export type z = X }", "class R extends Array<X> { }",
)  # fmt: skip

_ELEMENTS = (
    "let r = <X/>", "let r = <X.a/>", "let r = <X a={X}/>", "let r = <X></X>",
)  # fmt: skip

_MEMBERS = (
    "x: T;", "static x: T;", "static x = 1 as any as T;", "static m(a: T) { }", "static m<T>(a: T): T { return a }", "static { let a: T; }",
    "static { type T = 1; let a: T; }", "m(a: T): T { return a }", "static get x(): T { return 1 as any }", "static set x(a: T) { }",
    "static [k: string]: T;", "static x: () => T;", "static m() { let y: T; }", "static m() { return class { z: T } }",
    "static m = () => { let y: T };", "static x: { y: T };", "static x: Array<T>;", "static readonly x: T;", "private static x: T;",
    "declare static x: T;", "static accessor x: T;", "static async m(): Promise<T> { return 1 as any }", "static x: A<T>;",
    "static m(this: A<T>) {}", "static x: typeof T;", "x = 1 as any as T;", "constructor(a: T) { }", "[k: string]: T;", "x: typeof T;",
    "static x: T extends any ? 1 : 2;", "static m<U extends T>() {}", "static x: <T>(a: T) => T;", "static x: { [T in 'a']: T };",
    "static x: any extends infer T ? T : never;", "static x: keyof T;", "@d(1 as any as T) x: any;", "static x: U;",
    "m() { return class { static y: T } }", "static y = class<T> { z: T };", "static y = class { z: T };",
)  # fmt: skip

_CLASSES = (
    "class A<T> {", "class A<T, U> {", "class A<T extends string> {", "abstract class A<T> {", "let q = class A<T> {", "declare class A<T> {",
    "class A {", "export default class A<T> {", "function f<T>() { class A {", "namespace N { export class A<T> {", "class A<T> extends Array<T> {",
    "interface T {} class A<T> {", "type T = 1; class A<T> {", "class A<T = any> {", "function f<T>() { class A<T> {", "class A<out T> {",
)  # fmt: skip

_CONDITIONS = (
    "T extends infer U ? U : X", "T extends infer U ? X : U", "T extends (infer U)[] ? U : never", "T extends (infer U)[] ? never : U",
    "T extends (infer U)[] ? U : U", "T extends [infer U, infer V] ? U | V : never", "T extends [infer U, infer V] ? never : V",
    "T extends infer U extends string ? U : never", "T extends (infer U extends string) ? 1 : U",
    "T extends (a: infer U) => infer V ? [U, V] : never", "T extends (a: infer U) => infer V ? 1 : V",
    "T extends { a: infer U } ? U extends infer V ? [U, V] : U : never", "T extends { a: infer U } ? U extends infer V ? [U, V] : V : never",
    "T extends { a: infer U } ? U extends infer V ? 1 : 2 : V", "T extends (infer U)[] ? (x: U) => U : never",
    "T extends [infer U extends string, infer V extends U] ? 1 : 2", "T extends Array<infer U> ? { [K in keyof U]: U } : U",
    "T extends (U extends infer V ? V : 1) ? 1 : 2", "(T extends infer U ? U : 1) | U", "[T extends infer U ? U : 1, U]",
    "T extends (any extends infer U ? U : 1) ? 1 : 2", "T extends (any extends infer U ? U : 1) ? U : 2",
    "T extends [any extends infer U ? U : 1, infer V] ? V : 2", "T extends [any extends infer U ? U : 1, infer V] ? U : 2",
    "T extends infer U ? T extends infer U ? U : 1 : U", "U extends infer U ? 1 : 2", "infer U", "T extends 1 ? infer U : 1",
    "T extends `${infer U}` ? U : 1", "T extends `${infer U}${infer V}` ? V : U", "T extends new (...a: infer U) => any ? U : 1",
    "T extends typeof U ? 1 : 2", "T extends (infer U) ? (any extends U ? U : 1) : any extends 1 ? 2 : U",
    "T extends { [k: string]: infer U } ? U : 1", "T extends (<V>(a: V) => infer U) ? U : 1", "T extends (<V>(a: V) => infer U) ? V : 1",
    "T extends ((a: any) => a is infer U) ? U : 1", "T extends ((a: any) => asserts a is infer U) ? U : 1", "(T extends infer U ? 1 : 2)[U]",
    "T extends { a: infer T } ? T : T", "T extends { a: infer K } ? { [K in 'a']: K } : 1",
)  # fmt: skip

_THIS = (
    "let x: this;", "type Q = this;", "let x = 1 as any as this;", "let x: typeof this;", "let x: typeof this.a;", "f<this>();", "let x: this['a'];",
    "let x: { a: this };", "let x: () => this;", "let x: Array<this>;", "let x: keyof this;",
)  # fmt: skip

_AROUND = (
    "$U", "function g() { $U }", "class A { a: any; m() { $U } }", "class A { a: any; static m() { $U } }",
    "class A { a: any; constructor() { $U } }", "class A { a: any; static { $U } }", "class A { a: any; m = () => { $U } }",
    "class A { a: any; static m = () => { $U } }", "let o = { a: 1, m() { $U } }", "namespace N { $U }",
    "class A { a: any; m() { function g() { $U } } }", "class A { a: any; m() { let g = () => { $U } } }",
    "class A { a: any; get g() { $U return 1 } }", "class A { a: any; m() { let o = { n() { $U } } } }", "function g(this: any) { $U }",
    "class A { a: any; m() { class B { a: any; n() { $U } } } }",
)  # fmt: skip

_HOISTED = (
    "let x = 1", "const x = 1", "var x = 1", "class x {}", "function x() {}", "enum x { a }", "const enum x { a }", "type x = 1", "interface x {}",
    "namespace x { export let a = 1 }", "import x from './x'", "declare let x: any", "declare class x {}", "declare function x(): any",
    "declare const enum x { a }",
)  # fmt: skip

_PLACES = (
    "{ $D } $U", "$U { $D }", "{ $U $D }", "{ $D $U }", "$D; { $U }", "function f() { $D } $U", "function f() { $U } $D", "function f() { $U $D }",
    "if (1) { $D } else { $U }", "for (;;) { $D } $U", "try { $D } catch { $U }", "try { $D } finally { $U }",
    "switch (1) { case 1: $D; case 2: $U }", "switch (1) { case 1: { $D } case 2: $U }", "l: { $D } $U", "() => { $D }; $U", "$U $D", "$D; $U",
    "class C { static { $D } } $U", "class C { m() { $D } } $U", "class C { static { $U } } $D", "class C { y = () => { $U } } $D", "{ { $D } } $U",
    "let g = () => { $U }; $D", "while (0) { $D } $U", "do { $D } while (0); $U", "with_: { $U } $D", "namespace N { $D } $U",
    "namespace N { $U } $D", "namespace N { $U $D }", "function f(a = () => { $U }) { $D }",
)  # fmt: skip

_ARGUMENTS = (
    "arguments;", "arguments[0];", "let r = arguments.length;", "() => arguments;", "function z() { arguments }", "typeof arguments;",
    "let r: typeof arguments;", "class Z { a = arguments }", "class Z { static { arguments } }", "class Z { m() { arguments } }",
    "let o = { arguments };", "let o = { get a() { return arguments } };", "(a = arguments) => a;", "function z(a = arguments) {}",
    "let o = { [arguments[0]]: 1 };", "class Z { [arguments[0]] = 1 }", "async () => { arguments };", "class Z extends (arguments as any) {}",
    "function* z() { arguments }", "class Z { a = () => arguments }", "class Z { a = function () { arguments } }",
)  # fmt: skip

_FILES = (
    "class A<T> extends B<T> { } class B<U> {}", "class A<T> extends (class { x: T }) { }",
    "class A<T> extends f<T>() { } declare function f<U>(): new () => any", "class A<T> implements B<T> { } interface B<U> {}",
    "class A<T, U extends T> { }", "class A<T = U, U = 1> { }", "class A<T extends U, U> {}", "@d<T>() class A<T> {} declare function d<U>(): any",
    "class A<T> { @d<T>() x: any } declare function d<U>(): any", "class A<T> { [x: T] }", "class A<T> { [T]: any }",
    "class A<T> { ['a' as T]: any }", "let x: T; class A<T> {}", "class A<T> {} let x: T", "interface A<T> { x: T } let y: T",
    "type A<T> = T; let y: T", "function f<T>(a: T): T { return a } let y: T", "function f<T>(a: T = 1 as any as T) { let b: T }",
    "function f(a: T) { type T = 1 }", "function f(): T { type T = 1; return 1 as any }", "function f(a = T) { let T = 1 }",
    "function f(a = T) { var T = 1 }", "function f(a = g()) { function g() {} }", "function f(a: typeof b, b: any) { }",
    "function f(a: any, b: typeof a) { }", "function f(a: any): typeof a { return a }", "function f(a: any, b = a) { }",
    "function f(a = b, b: any) { }", "function f({ a, b = a }: any) { }", "function f(a = () => b, b: any = 1) { }",
    "let f = (a: any, b: typeof a): typeof b => b", "type F = (a: any, b: typeof a) => typeof b", "type F<T> = <U>(a: T, b: U) => U",
    "type F = <U>() => U; let x: U", "type M = { [K in 'a']: K }; let x: K", "type M = { [K in 'a' as K]: K }", "type M = { [K in keyof K]: 1 }",
    "type M<T> = { [K in keyof T]: T[K] }", "type M<T> = { [K in keyof T as `x${K & string}`]: T[K] }", "type A = this",
    "type A = (this: any) => this", "type A = (this: any) => void", "function f(this: this) {}", "class A extends B<this> {} class B<T> {}",
    "interface A extends B<this> {} interface B<T> {}", "class A<T = this> {}", "interface A<T = this> {}", "class A { static x: typeof this; }",
    "function f(a: this) {}", "let f = (a: this) => a", "let o: { m(): this }", "let o = { m(): this { return this } }", "enum E { a = this }",
    "class A implements B<this> {} interface B<T> {}", "class A { m(this: this) {} }", "class A { [this.x] = 1 }", "declare function f(): this",
    "export default (a: this) => a", "type A = typeof this", "let x: typeof this.a", "interface A { x: typeof this }", "for (let x of []) {} x",
    "for (var x of []) {} x", "for (let x = 0;;) {} x", "for (const x in {}) {} x", "for (var x = 0;;) {} x", "for (let x of x) {}",
    "for (let x = x;;) {}", "for (var x of x) {}", "for (const x of [x]) {}", "for (let x of [() => x]) {}", "try {} catch (x) { x } x",
    "try {} catch (x) { var x: any }", "try {} catch (x) { let x }", "try {} catch ({ x }) { x }", "try {} catch ({ x }) { } x",
    "(function x() { x }); x", "(class x { m() { x } }); x", "(class x { static y = x }); x", "let y = function x() { return x }; x",
    "let y = class x { a: x }; let z: x", "let x = x", "const x = () => x", "const x = (() => x)()", "let x: typeof x", "const x: typeof x = 1",
    "let [x, y = x] = [1]", "let [x = y, y] = [1, 2]", "let { x = y, y } = {} as any", "let { x, ...y } = {} as any; x; y",
    "let { x: y } = {} as any; x", "let { [y]: x, y } = {} as any", "class x extends x {}", "class x { static y = x }", "class x { [x.y] = 1 }",
    "class x { y = x }", "@x class x {}", "class x { @x y: any }", "class x { static { x } }", "class x { static [x.y]: any }",
    "class x { m(a = x) {} }", "enum E { a, b = a }", "enum E { a, b = E.a }", "enum E { a = b, b }", "enum E { a = E.b, b }",
    "enum E { a } enum E { b = a }", "enum E { a = 1 } enum E { b = E.a }", "enum E { A } enum E { B = A }",
    "enum E { A } namespace N { enum E { B = A } }", "enum E { 'a', b = a }", "enum E { a } a", "enum E { a } let x: E.a", "enum E { a } let x: a",
    "enum E { a = x } const x = 1", "const x = 1; enum E { a = x }", "let x = 1; enum E { a = x, b }", "enum E { a = 'a'.length } E.a",
    "const enum E { a } enum F { b = E.a, c }", "enum F { b = E.a } enum E { a }", "enum F { b = E.a } const enum E { a }",
    "enum E { a = () => b as any, b }", "export enum E { A } export enum E { B = A }", "declare enum E { A } declare enum E { B = A }",
    "namespace N { export enum E { A } } namespace N { export enum E { B = A } }", "enum E { A } { enum E { B = A } }",
    "enum E { a, a2 = a, a3 = a2 }", "enum E { ['a'] = 1, b = a }", "enum E { 'x-y' = 1, b = E['x-y'] }", "enum E { a = `x`, b = a }",
    "enum E { a = 1 << 0, b = a | 2, c }", "enum E { a = x } enum F { x }", "enum E { undefined_ = 1, NaN_ = NaN }", "enum E { a = Infinity }",
    "enum E { a = 1, b = -a, c = ~a, d }", "namespace N { x }", "namespace N { let y: x }", "namespace N { export let x = 1 } namespace N { x }",
    "namespace N { let x = 1 } namespace N { x }", "namespace N { export type x = 1 } namespace N { let y: x }",
    "namespace N { type x = 1 } namespace N { let y: x }", "namespace N { export let x = 1 } x", "namespace N { export let x = 1 } N.x",
    "namespace N { x } let x = 1", "let x = 1; namespace N { x }", "namespace N { namespace M { x } export let x = 1 }",
    "namespace N.M { export let x = 1 } namespace N.M { x }", "namespace N.M { export let x = 1 } namespace N { M.x }",
    "namespace N.M { export let x = 1 } namespace N { export namespace M { x } }", "namespace N { export let x = 1 } namespace N.M { x }",
    "namespace N { export let x = 1 } namespace N { namespace M { x } }", "namespace N { export class x {} } namespace N { let y: x; new x }",
    "namespace N { export enum x { a } } namespace N { x.a }", "namespace N { export namespace x { export type y = 1 } } namespace N { let z: x.y }",
    "namespace N { export namespace x { export type y = 1 } } namespace N { x }", "namespace N { export function x() {} } namespace N { x() }",
    "namespace N { export import x = M } namespace M { export let y = 1 } namespace N { x.y }",
    "namespace N { import x = M } namespace M { export let y = 1 } namespace N { x.y }", "namespace N { export { x }; let x = 1 } namespace N { x }",
    "class N { static x = 1 } namespace N { x }", "class N { } namespace N { export let x = 1 } namespace N { x }", "enum N { x } namespace N { x }",
    "enum N { x } namespace N { export let y = x }", "enum N { x } namespace N { export let y = N.x }",
    "function N() { } namespace N { export let x = 1 } namespace N { x }", "namespace N { f(); function f() { g() } }",
    "namespace N { function f() { x } let x = 1 }", "namespace N { function f() { x } }", "namespace N { class A { m() { x } } }",
    "namespace N { class A { a: x } }", "declare namespace N { let x: any; let y: typeof x }", "declare namespace N { let y: typeof x }",
    "declare namespace N { let x: any } namespace N { x }", "declare namespace N { type x = 1 } namespace N { let y: x }",
    "declare namespace N { let y: x }", "declare namespace N { interface A extends B {} }",
    "declare namespace N { interface A extends B {} interface B {} }", "declare module 'm' { let x: y }",
    "declare module 'm' { let x: any; type z = typeof x }", "declare module './x' { interface A { a: y } }", "declare global { let x: y }",
    "declare global { var x: any } x", "declare global { interface A { } } let y: A", "declare global { namespace N { let x: any } } N.x",
    "declare global { namespace N { type x = 1 } } let y: N.x", "declare global { interface Window { q: zz } }",
    "namespace N { export declare let x: any } namespace N { x }", "namespace N { export const { x } = {} as any } namespace N { x }",
    "namespace N { export var x = 1, y = 2 } namespace N { x; y }", "namespace N { export let x = 1 } { namespace_: { x } }",
    "function f() { x } namespace N { export let x = 1 }", "namespace N { export let x = 1; export let y = x } N.y", "namespace A.B.C { x }",
    "namespace A.B { export let C = 1 } namespace A.B { C }",
    "namespace A { export namespace B { export let x = 1 } } namespace A { export namespace B { x } }",
    "namespace A { namespace B { export let x = 1 } } namespace A { namespace B { x } }", "namespace N { N }", "namespace N { let a = N }",
    "namespace N { export type a = 1; let b: N.a }", "namespace N { export let a: N.b; export type b = 1 }", "namespace N { } N",
    "namespace N { } let a: N", "namespace N { export type a = 1 } let b: N", "namespace N { export let a = 1 } let b: N",
    "namespace N { export let a = 1 } let b: typeof N", "namespace N { export type a = 1 } let b: typeof N", "namespace N { export let a = 1 } N()",
    "namespace N { export class x {} } let y: N.x; new N.x", "namespace N { return }", "namespace N { arguments }", "namespace N { this }",
)  # fmt: skip


def _uses() -> Iterator[Row]:
    """A declaration, and a use before or behind it."""
    for declared, read in product(_DECLARED, _READ):
        yield "ts", f"{declared}\n{read};"
        yield "ts", f"{read};\n{declared}"
    yield from (("tsx", f"{declared}\n{element}") for declared, element in product(_DECLARED, _ELEMENTS))


def _type_parameters() -> Iterator[Row]:
    """Members of classes reading type parameters."""
    for opening, member in product(_CLASSES, _MEMBERS):
        closing = " }" * (opening.count("{") - opening.count("}"))
        yield "ts", f"let d: any; {opening} {member}{closing}"


_AROUND_CONDITIONS = (
    "type A<T> = $", "type X = 1; interface A<T> { x: $ }", "type X = 1; function f<T>(a: $) {}", "type X = 1; type U = 2; type A<T> = $",
    "type X = 1; class A<T> { x: $ }", "type X = 1; let f = <T>(a: any): $ => a", "type X = 1; type A<T> = Array<$>",
)  # fmt: skip


def _inferred() -> Iterator[Row]:
    """Conditional types with `infer`."""
    yield from (("ts", around.replace("$", type_)) for around, type_ in product(_AROUND_CONDITIONS, _CONDITIONS))


def _this_and_arguments() -> Iterator[Row]:
    """`this` as a type, and `arguments`, in functions and members."""
    for around, use in product(_AROUND, (*_THIS, *_ARGUMENTS)):
        yield "ts", "declare let f: any; " + around.replace("$U", use)


def _scopes() -> Iterator[Row]:
    """Declarations in blocks, functions and members, read around them."""
    for place, declared, read in product(_PLACES, _HOISTED, ("x;", "let y: x;", "let y: typeof x;")):
        yield "ts", place.replace("$D", declared).replace("$U", read)


def _files() -> Iterator[Row]:
    """Small files of loops, enums and namespaces."""
    yield from (("ts", text) for text in _FILES)


FAMILIES: dict[str, Callable[[], Iterator[Row]]] = {
    "uses": _uses,
    "parameters": _type_parameters,
    "inferred": _inferred,
    "this": _this_and_arguments,
    "scopes": _scopes,
    "files": _files,
}


def rows(family: str) -> tuple[Row, ...]:
    """All rows of a family."""
    return tuple(dict.fromkeys(FAMILIES[family]()))


def is_taken(row: Row, cut: int | None = None) -> bool:
    """Whether a row is a valid file at the level of names; cut: where to read it in two parts."""
    dialect, text = row
    whole_text = text + _MODULE
    outcomes = whole(whole_text, dialect, "7.0", len(whole_text) if cut is None else cut)
    return not outcomes or any(not outcome.errors and not names_of(outcome) for outcome in outcomes)


def disagreements(asked: Sequence[Row]) -> tuple[int, list[Row]]:
    """(the number of rows judged by TypeScript 7 by names alone, the disagreements among them)."""
    judged = 0
    found: list[Row] = []
    for row, codes in zip(asked, oracle.codes([(dialect, text + _MODULE) for dialect, text in asked]), strict=True):
        told = codes & _TOLD
        if any(code < _OF_GRAMMAR for code in codes - _TOLD) and not told:
            continue
        judged += 1
        if is_taken(row) is bool(told):
            found.append(row)
    return judged, found


def sample(family: str, rng: random.Random, count: int) -> tuple[Row, ...]:
    """Some rows of a family."""
    every = rows(family)
    return every if len(every) <= count else tuple(rng.sample(every, count))


def main(names: Sequence[str]) -> None:
    """Ask all rows of some families, or of all."""
    for name in names or FAMILIES:
        judged, found = disagreements(rows(name))
        for dialect, text in found:
            print(dialect, repr(text))
        print(f"{name}: {len(found)} of {judged} disagree")


if __name__ == "__main__":
    main(sys.argv[1:])
