"""Errors of TypeScript that need no types, and undefined names."""

import json
import random
import subprocess
from pathlib import Path

import pytest
from suture.parser import Cancelled, language
from suture.parser.languages.typescript.semantics.document import Document
from suture.parser.languages.typescript.semantics.libraries import is_test, library
from suture.parser.languages.typescript.semantics.reading import advanced, start

from ..fuzz import typescript_names as fuzzing
from ..support import oracle_typescript as oracle

ROOT = Path(__file__).resolve().parents[2]

# (dialect, text, its error: words of the message, or the undefined names)
REFUSED = [
    ("ts", "return 1;", "'return' is not in a function"),
    ("js", "class A { static { return } }", "'return' is not in a function"),
    ("ts", "function f() { await 1 }", "'await' is not in an async function"),
    ("js", "class A { static { await 1 } }", "'await' is not in an async function"),
    (
        "ts",
        "export {}; async () => { function f() { for await (const x of []) ; } }",
        "'await' is not in an async function",
    ),
    ("js", "function f() { yield 1 }", "'yield' is not in a generator"),
    ("js", "function* f() { () => { yield } }", "'yield' is not in a generator"),
    ("js", "break;", "'break' is not in a loop or switch"),
    ("js", "switch (1) { case 1: continue }", "'continue' is not in a loop"),
    ("js", "for (;;) { () => { break } }", "'break' is not in a loop or switch"),
    ("js", "a: { continue a }", "'a' is not the label of a loop"),
    ("js", "a: for (;;) { break b }", "there is no label 'b' here"),
    ("js", "a: a: for (;;) ;", "label 'a' is declared twice"),
    ("js", "function f() { super.x }", "'super' is not in a member"),
    ("js", "class A { constructor() { super() } }", "'super(...)' is not in the constructor of a class that extends"),
    ("js", "class A extends B { m() { super() } }", "'super(...)' is not in the constructor of a class that extends"),
    ("js", "new.target", "'new.target' is not in a function"),
    ("js", "() => new.target", "'new.target' is not in a function"),
    *(
        (dialect, f"export {{}}; {text}", "'static' is no name in strict code")
        for dialect in ("ts", "js")
        for text in ("x = static", "static = 1", "x(static.y)", "static ? 1 : 2")
    ),
    ("ts", "class A { m() { x = package } } export {}", "'package' is no name in strict code"),
    ("ts", "let a = 1; let a = 2;", "'a' is declared twice"),
    ("ts", "let a = 1; { var a = 2 }", "'a' is declared twice"),
    ("js", "{ var a = 2 } let a = 1;", "'a' is declared twice"),
    ("js", "function f(a) { let a }", "'a' is declared twice"),
    ("ts", "(a: number, a: string) => a", "'a' is declared twice"),
    ("js", "try {} catch (e) { let e }", "'e' is declared twice"),
    ("js", 'import a from "m"; import { a } from "n";', "'a' is declared twice"),
    ("js", 'import a from "m"; const a = 1;', "'a' is declared twice"),
    ("ts", "type A = 1; type A = 2;", "'A' is declared twice"),
    ("ts", "class A {} interface B {} type B = A;", "'B' is declared twice"),
    ("ts", "type A<T, T> = T;", "'T' is declared twice"),
    ("ts", "export const a = 1; export { a as b, a as b };", "'b' is exported twice"),
    ("js", "export default 1; export default class {}", "'default' is exported twice"),
    ("js", "export { a };", "'a' is not declared in the file"),
    ("js", "class A { constructor() {} constructor() {} }", "'constructor()' is declared twice"),
    ("ts", "class A { a() {} a = 1 }", "'a' is declared twice"),
    ("js", "class A { #a; get #a() { return 1 } }", "'#a' is declared twice"),
    ("js", "class A { m() { this.#b } }", "'#b' is not declared in a class around it"),
    ("js", "class A { #a } a.#a", "'#a' is not declared in a class around it"),
    ("ts", "({ a: 1, a: 2 })", "'a' is declared twice"),
    ("js", "({ __proto__: 1, __proto__: 2 })", "'__proto__' is declared twice"),
    ("js", "switch (1) { default: default: }", "'default' is declared twice"),
    ("ts", "const a = 1; a = 2;", "cannot assign to 'a'"),
    ("ts", "const a = 1; a++;", "cannot assign to 'a'"),
    ("ts", "const a = 1; [a] = [2];", "cannot assign to 'a'"),
    ("ts", "const a = 1; ({ b: a } = c);", "cannot assign to 'a'"),
    ("ts", "const a = 1; for (a of []) ;", "cannot assign to 'a'"),
    ("ts", "function f() { return () => { a += 1 } } const a = 1;", "cannot assign to 'a'"),
    ("ts", "function a() {} a = 1;", "cannot assign to 'a'"),
    ("ts", "export {}; let a = 1; delete a", "'delete' is not followed by a member"),
    ("ts", "let a = 1; a as const", "a name is no constant"),
    ("ts", "a; let a = 1;", "'a' is used before its declaration"),
    ("ts", "const a = a + 1;", "'a' is used before its declaration"),
    ("ts", "new A(); class A {}", "'A' is used before its declaration"),
    ("ts", "@d(B) class A {} class B {}", "'B' is used before its declaration"),
    ("ts", "@d(A) @d(() => A) class B {} class A {}", "'A' is used before its declaration"),
    ("ts", "A; @d(A) class A {}", "'A' is used before its declaration"),
    ("ts", "class A { @d(A) m() {} [A.b] = 1 }", "'A' is used before its declaration"),
    ("ts", "function f(): void; let a = 1;", "a function has no body"),
    ("ts", "export function f(): void", "a function has no body"),
    ("ts", "export function f(): void; export function g() {}", "function 'f' has no body"),
    ("ts", "function f(): void; function g() {}", "function 'f' has no body"),
    ("ts", "(a?: number, b: number) => 1", "a required parameter is behind an optional one"),
    ("ts", "function f(private a: number) {}", "a parameter property is only allowed in a constructor"),
    ("ts", "abstract class A { abstract a() {} }", "'a' is abstract and has a body"),
    ("ts", "class A { abstract a(): void }", "a class with abstract members is not abstract"),
    ("ts", "function f() { export const a = 1 }", "'export' is not at the top level"),
    ("ts", 'if (a) { import b from "m" }', "'import' is not at the top level"),
    ("ts", "export {}; a: const b = 1;", "a label is not allowed here"),
    ("ts", "class A { a = arguments }", "'arguments' cannot stand in the value of a field"),
]

ACCEPTED = [
    ("ts", "let a: any; delete a.b; delete a[1]; delete a!.b; delete (a.b); const b = 'c' as const, d = [b] as const"),
    ("js", "async () => { await 1; for await (const x of []) ; }"),
    ("js", "export {}; await 1; for await (const x of []) ;"),
    ("js", "function* f() { const x = yield; yield* g(yield x) }"),
    ("js", "a: for (;;) { b: { if (c) break b; continue a } }"),
    (
        "js",
        "class A extends B { constructor() { super(); (() => super.x)() } get x() { return super.x } static { super.y } }",
    ),
    ("js", "({ m() { return super.m }, f: function () { return new.target } })"),
    ("js", "function f(a) { var a; { let a } } function f() {}"),
    ("js", "try {} catch (e) { var e }"),
    ("js", "for (let i = 0; ; ) { let i } for (const i of x) { const i = 1 }"),
    ("js", "class A { static #a = 1; get #b() { return 1 } set #b(v) {} m() { #a in this; this.#b = this.#a } }"),
    ("js", "const f = () => g(); const g = () => 1;"),
    ("ts", "@d({ a: [A] }) @A export class A { @d(A) a = 1; @d(A.b) m(@d(A) c) {} }"),
    ("ts", "@d(B.a, () => C) class A {} var B; class C {} export default @d(D) class D {}"),
    ("ts", "function f() { @d(A) abstract class A {} }"),
    ("js", "const a = 1; { let a; a = 2 } (a => { a = 3 })()"),
    ("js", "const o = { a: 1, a: 2 }, { a, b = a } = o;"),
    (
        "ts",
        "function f(a: string): void; function f(a: any) {} declare function g(): void; declare function g(a: 1): void;",
    ),
    ("ts", "interface A { a(): void; a(b: 1): void } interface A {} class A {} namespace A { export const x = 1 }"),
    (
        "ts",
        "class A { a(): void; a(b?: 1) {} get b() { return 1 } set b(v) {} static a: 1; constructor(); constructor(private c?: 1) {} }",
    ),
    ("ts", "type A = 1; const A = 1; enum E { X } enum E { Y = 1 } namespace N {} namespace N {}"),
    ("ts", "abstract class A { abstract a(): void; abstract: 1 }"),
    ("ts", "type U<T> = T extends [infer A, infer A] ? A : T extends (...a: infer P) => infer R ? [P, R] : never;"),
    ("js", "const C\u0306 = { c\u0306: 1, \u0915\u093e: 2 }, \\u0061b = 1, $ = <a-b c-d='e'/>; ab;"),
    ("ts", "const a = <const>[1], b = <any>(<A<B>>c), d = <T>(x: T) => <T>x;"),
    ("ts", "\nconst a = b[0]\n!a && c; let d: E = b\n!d"),
    ("ts", "function f(a?: number, b = 1, ...c: any[]) {} (a = 1, b: number) => b;"),
    ("ts", "export default function f(): void; export default function f(a?: 1) {}"),
    ("ts", 'import type { A } from "m"; import B, { type C, type as D } from "n"; type X = A | B.E | C | D;'),
    ("ts", "type M<T> = { readonly [K in keyof T as `x${K & string}`]?: T[K] }; let t: [a: string, b?: number];"),
    ("tsx", "const f = <T,>(x: T) => <A.B c={x} {...x}>a {x} b</A.B>; const A = { B: (p: any) => null };"),
]

# Names: those undefined in each text.
NAMES = [
    ("ts", "export const a = b + c;", {"b", "c"}),
    ("ts", "export {}; let x: Foo; let y: Promise<Bar>;", {"Foo", "Bar"}),
    ("ts", "export {}; document.title; new URL(x); Intl.NumberFormat;", {"x"}),
    ("ts", "export interface A {} new A();", {"A"}),
    ("ts", "export const a = 1; let b: a;", {"a"}),
    ("ts", "export class A {} let b: A = new A(); let c: A.B;", {"A"}),
    ("ts", "export {}; f(); function f() { g(); var h; } h;", {"g", "h"}),
    ("ts", "export {}; { let a = 1; function f() {} } a; f;", {"a", "f"}),
    ("ts", "export {}; { var a = 1 } a; for (let i of []) ; i;", {"i"}),
    ("ts", 'import * as N from "m"; let a: N.T = N.v; let b: M.T;', {"M"}),
    ("ts", "export {}; typeof nothing; type T = typeof nothing;", {"nothing"}),
    ("ts", "export {}; function f<T>(a: T): a is T { return a } let b: T;", {"T"}),
    ("ts", "export {}; type A<T> = T extends infer U ? U : 1; type B = U;", {"U"}),
    ("ts", "export {}; enum E { A, B = A } A; E.A;", {"A"}),
    ("ts", "export {}; declare global { interface W {} var v: W } let w: W = v;", set()),
    ("ts", "export {}; a => a; ({ b }) => b; (c = d) => c;", {"d"}),
    ("ts", "export {}; l: for (;;) break l; ({ p: 1, [q]: 2, r });", {"q", "r"}),
    ("tsx", "export const a = <Foo b={c}><div/><x.y/></Foo>;", {"Foo", "c", "x"}),
    ("js", "export const a = b; function c() { return arguments }", {"b"}),
    ("js", "a; require('b');", set()),  # a script
]


def whole(text: str, dialect: str):
    found = fuzzing.whole(text, dialect)
    assert found, "it is not understood"
    return min(found, key=lambda one: len(one.errors))


@pytest.mark.parametrize(("dialect", "text", "said"), REFUSED)
def test_what_is_wrong_is_refused(dialect: str, text: str, said: str) -> None:
    assert any(said in error for error in whole(text, dialect).errors)


@pytest.mark.parametrize(("dialect", "text"), ACCEPTED)
def test_what_is_right_is_accepted(dialect: str, text: str) -> None:
    assert whole(text, dialect).errors == frozenset()


@pytest.mark.parametrize(("dialect", "text", "missing"), NAMES)
def test_names_that_do_not_exist(dialect: str, text: str, missing: set[str]) -> None:
    assert fuzzing.names_of(whole(text, dialect)) == missing


def test_the_cases_are_those_of_the_oracles() -> None:
    oracle.needed()
    # Acorn ignores errors of running code, and TypeScript's checker those left to its parser.
    for dialect, text, said in REFUSED:
        if dialect == "js":
            assert oracle.acorn(text) is not None, text
        else:
            codes = {error.code for error in oracle.checker(text, dialect)}
            assert codes & (fuzzing.COVERED | fuzzing.POSSIBLE | fuzzing.NAMES), (text, said)
    for dialect, text in ACCEPTED:
        assert fuzzing.disagreement(text, dialect) is None, text
    for dialect, text, missing in NAMES:
        if dialect != "js":
            assert fuzzing.said_of(oracle.checker(text, dialect)) - {"nothing"} == missing - {"nothing"}, text


def test_the_shipped_names_are_those_of_the_libraries() -> None:
    oracle.needed()
    folder = ROOT / "tests" / "support" / "typescript"
    program = oracle.node()
    assert program is not None
    printed = subprocess.run([program, folder / "library_names.mjs"], capture_output=True, check=True, encoding="utf-8")
    shipped = ROOT / "parser" / "languages" / "typescript" / "semantics" / "library_names.json"
    assert json.loads(shipped.read_text("utf-8")) == json.loads(printed.stdout)


def test_test_files_are_told_by_their_names() -> None:
    for path in ("a/x.test.ts", "a/x.spec.tsx", "a/__tests__/b.js", "test/c.ts", "vitest.setup.ts", "a\\x.test.ts"):
        assert is_test(path), path
    for path in ("a/x.ts", "a/contest/b.ts", "latest.ts", "src/spectrum.ts"):
        assert not is_test(path), path


@pytest.mark.parametrize(("campaign", "count"), [("ts-bodies", 120), ("ts-joined", 60), ("ts-middles", 25)])
def test_random_programs(campaign: str, count: int) -> None:
    """A small part of `make fuzz`."""
    if campaign == "ts-bodies":
        oracle.needed()
    assert fuzzing.KINDS[campaign](random.Random(7), count) == (count, [])


SOURCES = [
    *sorted((ROOT / "editors").glob("*/src/*.ts")),
    *sorted((ROOT / "tests" / "support" / "typescript").glob("*.mjs")),
]


@pytest.mark.parametrize("path", SOURCES, ids=[path.name for path in SOURCES])
def test_real_files(path: Path) -> None:
    """The project's own files have no errors and no undefined names, and are read the same character by character."""
    text = path.read_text("utf-8")
    dialect = "js" if path.suffix == ".mjs" else "ts"
    found = whole(text, dialect)
    assert found.errors == frozenset()
    assert fuzzing.names_of(found) <= {"acquireVsCodeApi", "Thenable"}
    document = Document(dialect)
    rng = random.Random(3)
    for _ in range(10):
        at = rng.randrange(len(text))
        assert [(one.errors, one.free) for one in document.outcomes(document.before(text, at), at)] == [
            (found.errors, found.free)
        ]


def test_pieces_of_a_text_mean_what_it_does() -> None:
    """However it is cut, even within symbols."""
    text = "const a = `x${1e+5}y`; if (a >>>= 2) /r[/]e/g.test(a) /* c */ // d\n a?.b ?? f<T>(x, ...y); 'z\\'' ;\n"
    want = advanced(start("ts"), text, end=True)
    assert len(want) == 1
    for width in (1, 2, 3, 7):
        readings = start("ts")
        for at in range(0, len(text), width):
            readings = advanced(readings, text[at : at + width])
        (found,) = advanced(readings, "", end=True)
        assert (found.checker.stack, found.checker.scope.refs) == (want[0].checker.stack, want[0].checker.scope.refs)


def test_what_follows_is_read_once() -> None:
    """A text with the same code behind it, in the same place, asks nothing new of the right context."""
    left, right = "export function f() {\n", "\n  return 1;\n}\n" + "export const a = () => 1;\n" * 2_000
    document = Document("ts")
    counted = [0]

    def ask() -> None:
        counted[0] += 1

    document.ask = ask
    readings = document.before(left + right, len(left))
    assert document.outcomes(advanced(readings, "  g(1);"), len(left))
    first, counted[0] = counted[0], 0
    for text in ("  h(2);", "  const b = 1;", "  if (a) { c() }"):
        assert document.outcomes(advanced(readings, text), len(left))
    assert first > 1
    assert counted[0] <= 1


def test_names_are_known_in_their_spaces() -> None:
    known = library()
    assert known.has("Record", 2) and not known.has("Record", 1)
    assert known.has("document", 1) and not known.has("document", 2)
    assert known.has("Promise", 3) and known.has("process", 1)


def test_in_a_declaration_file_functions_have_no_bodies() -> None:
    text = "export function f(a: string): void;\nexport default function g(): number\n"
    for ambient, errors in ((True, set()), (False, {"a function has no body", "function 'f' has no body"})):
        document = Document("ts", ambient=ambient)
        assert [one.errors for one in document.outcomes(document.before(text, 0), 0)] == [errors]
    for path, complete in (("a.d.ts", True), ("a.ts", False)):
        hole = language("typescript").session(path).hole(text, len(text), level="compile", exact=True)
        assert (hole.fallback == "none" and hole.state is not None and hole.state.complete) == complete


@pytest.mark.parametrize("atom", ["[", "f(", "{ a: ", "`${", "() => {"])
def test_readings_of_deep_texts_are_compared_without_recursion(atom: str) -> None:
    deep = [advanced(start("ts"), "const a = " + atom * 5_000) for _ in range(2)]
    assert len(advanced((*deep[0], *deep[1]), "x ")) == 2
    few = [advanced(start("ts"), "const a = " + atom * 5) for _ in range(2)]
    assert len(advanced((*few[0], *few[1]), "x ")) == 1


def test_a_long_line_asks_whether_to_stop() -> None:
    def ask() -> None:
        raise Cancelled

    document = Document("ts")
    document.ask = ask
    with pytest.raises(Cancelled):
        document.before("f(" * 50, 100)


def test_readings_that_have_met_again_are_one() -> None:
    assert len(advanced(start("ts"), "a = (b < c, d);\n" * 20)) == 1
