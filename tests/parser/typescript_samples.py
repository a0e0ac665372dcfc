"""Files of TypeScript and JavaScript with a little of everything, for tests that cut and change them."""

JS = r"""#!/usr/bin/env node
import def, { a as b, default as c, "str" as d } from "./mod.js" with { type: "json" };
import * as ns from 'ns'
export * from "x"; export { if as else_, b } from "y"
export default class extends Base { static #count = 0n; get size() { return super.size } set size(v) {} static { init() } }

const { x, y: [z = 1, , ...rest], ...others } = obj, re = /[/\]]+(?:x)/giu, div = a / b / c
let t = `a ${b ? `inner ${c}` : {d: "}"}.d} $ {} \` end`
label: for (const k of list) { if (k in obj) continue label; else break }
for (let i = 0, n = 10; i < n; i++) sum += i ** 2
for (var p in q) ;
do x++
while (x < 10) y--
if (a) b
else if (c) { d } else e
switch (v) { case 1: case "two": f(); break
  default: g?.(h)?.[i]?.j
}
try { risky() } catch { recover() } finally { done() }
async function* gen(a, { b } = {}, ...c) { yield* other(); await x; for await (const z of y) {} }
const arrow = async ({ a }, b = 2) => ({ a, b, [c]: d, async *m() {}, get e() { return 1 }, "s": 3, 0x1F: 4 })
;[a, b] = [b, a]
;({ x, y: obj.z } = point)
a ??= b || c; d &&= e
const view = cond && <div className="a" {...props} data-x='1' on={() => { go() }}>
  text &amp; more {items.map((item) => <Item key={item.id} {...item} />)} {/* note */}
  <><ns.Member.Name /><x:y z="w" /></>
</div>
new Foo
new Foo.Bar(1)[0]
var fn = function named() { return new.target }, big = 1_000n + 0b1n, n2 = .5e-3 + 1..toFixed() + 0xFF
delete a.b, void 0, typeof c === 'x\
y' ? 1 : a?.5 : 2
throw new Error(`x`)
"""

TS = r"""import type { A, B as C } from './types'
import { type D, E } from "./e"
import fs = require("fs")
export type { A }
export interface Shape<T extends object = {}> extends Base<T>, Other {
  readonly [key: string]: unknown
  (x: number): string; new (y?: string): Shape<T>
  method?<U>(this: Shape<T>, ...args: U[]): asserts this is Full
  get p(): number
  set p(v: number)
}
type Fn = (a: string, b?: number) => void
type Cond<T> = T extends (infer U extends string)[] ? U : T extends { a: infer V } ? V : never
type Mapped = { -readonly [K in keyof A as `get${Capitalize<K>}`]+?: A[K] }
type Tuple = [first: string, second?: number, ...rest: boolean[]] | readonly string[][] | unique symbol | -1
declare module "ambient" { export const v: number; export function f(): void }
declare global { interface Window { custom: string } }
namespace N.M { export enum Color { Red = 1 << 2, Green, "b-c" = `x`.length } }
const enum Flag { A }
abstract class Impl<in out T> extends Base<T> implements Shape<T>, Other {
  private readonly a: string = "x"; static override b?: number
  declare c: Map<string, Array<Set<number>>>
  constructor(public d: number, protected e = 2) { super() }
  abstract f(): void
  @dec() @other accessor g!: string
  async *h<K>(@param k: K): AsyncGenerator<K> { yield k! }
  [Symbol.iterator](): void {}
  #p = 1; static { this.b = 2 }
}
function over(a: string): string
function over(a: number): number
function over(a: any) { return a as unknown as string satisfies string }
const g = f<string, Map<A, B<C>>>(x)<y>(z), h = a < b, i = a >> b >>> c, j = <T>(x: T): x is T & {} => true
let v = x! as const, w = <string>y, k: typeof import("mod"), l: import("m").T<string>[], m = a ? (b) : c => d
v!.b![0]! = w
let u: A | undefined
!u
const o = { m<T>(x: T) { return x }, async n(): Promise<void> {}, get q(): string { return "" } } satisfies X
for (const e of <any>list) if (e instanceof Foo<string>) continue
export = thing
export as namespace Lib
export default abstract class {}
function assertIsString(val: any): asserts val is string {}
type G = new <T>(x: T) => abstract new () => object
let fnType: <T,>(x: T) => x is string, opt = a?.b<string>(c), tag = fn<string>`x ${y}`
type Keys = typeof obj[number]['a']
"""

TSX = r"""import { useState, type FC } from "react"
type Props<T> = { items: T[]; render?: (item: T) => JSX.Element }
export const List = <T,>({ items, render }: Props<T>) => {
  const [state, setState] = useState<Map<string, T[]>>(new Map())
  if (!items.length) return null
  return (
    <Box<T> sx={{ m: 1 }} onClick={(e: Event) => { setState(new Map()); }} icon=<Icon/> {...(items as any)}>
      {items.map((it, i) => render ? render(it) : <li key={i}>{String(it)} - text; with 'quotes'</li>)}
      {cond ? <A.B c="d" /> : <></>}
      <p>
        a / b &lt; {`t ${x}`} // no comment
      </p>
    </Box>
  )
}
const id = <T extends unknown>(x: T): T => x, cast = x as T, cmp = a < b
function G<const T>(p: T) { return <div>{p as any}</div> }
export default function App() { return <List<string> items={["a"]} render={(x) => <b>{x}</b>} /> }
"""

SAMPLES = {"js": JS, "ts": TS, "tsx": TSX}
