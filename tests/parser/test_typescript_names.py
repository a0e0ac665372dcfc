"""Holes in TypeScript at the levels of compiling and of names."""

import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from suture.parser.hole import Level
from suture.parser.language import Language
from suture.parser.languages.typescript.language import new_runtime
from suture.parser.languages.typescript.semantics.state import TypeScriptState

from ..support import oracle_typescript as oracle

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "typescript.md"


@cache
def language(dialect: str) -> Language:
    return Language(dialect, None, lambda: new_runtime(dialect))


def at(marked: str, dialect: str = "ts", level: Level = "names", *, exact: bool = False) -> TypeScriptState:
    """The first state of the hole at `|`."""
    left, right = marked.split("|")
    hole = language(dialect).hole(left, right, level=level, elsewhere=frozenset({"__DEV__"}), exact=exact)
    assert isinstance(hole.state, TypeScriptState), hole
    return hole.state


def typed(state: TypeScriptState, text: str) -> TypeScriptState | None:
    """Character for character."""
    found: TypeScriptState | None = state
    for char in text:
        found = found.advance(char) if found is not None else None
    return found


FUNCTION = """export function f(count: number) {
  const total = 1;
  |
  return helper(total);
}
function helper(a: number) { return a; }
interface Shape { side: number }
"""


@pytest.mark.parametrize(
    "text",
    [
        "helper(total);",
        "for (const i of [count]) { helper(i); }",
        "const { a, b: [c] } = count as any; helper(a + c);",
        "let s: Shape = { side: total };",
        "[1].map(x => x + count).filter((y, z) => y && z);",
        "if (__DEV__) { console.log(`${count}`); }",
        "const g = async () => { await helper(1); };",
        "type T<K> = K extends Array<infer U> ? U : Shape; let t: T<string> | undefined;",
        "class C extends Map<string, Shape> { #a = total; get b() { return this.#a; } }",
        "return count > 1 ? total : helper(count);",
        "try { helper(1); } catch (error) { throw error; }",
        "label: for (;;) { break label; }",
    ],
)
def test_texts_that_are_right(text: str) -> None:
    for state in (at(FUNCTION).advance(text), typed(at(FUNCTION), text)):
        assert state is not None and state.complete


@pytest.mark.parametrize(
    ("text", "reads", "why"),
    [
        ("total = 2;", "total =", "cannot assign to 'total'"),
        ("count = 1 + coumt;", "count = 1 + cou", "name 'coum' is not defined"),
        ("nothing();", "nothing", "name 'nothing' is not defined"),
        ("let s: Shap3;", "let s: Shap3", "name 'Shap3' is not defined"),
        ("let s: count;", "let s: count", "name 'count' is not defined"),
        ("new Shape();", "new Shape", "name 'Shape' is not defined"),
        ("await helper(1);", "await", "'await' is not in an async function"),
        ("break;", "break", "'break' is not in a loop or switch"),
        ("const total = 2;", "const total", "'total' is declared twice"),
        ("let count;", "let count", "'count' is declared twice"),
        ("this.#x;", "this.#x", None),
        ("super.x;", "super.", "'super' is not in a member of a class or object"),
    ],
)
def test_texts_that_are_wrong(text: str, reads: str, why: str | None) -> None:
    """They are read up to some character, and refused there, or as a whole."""
    state, read = at(FUNCTION), ""
    for char in text:
        after = state.advance(char)
        if after is None:
            break
        state, read = after, read + char
    if why is not None:
        assert (read.strip(), state.refusal(text[len(read)])) == (reads.strip(), why)
    whole = at(FUNCTION).advance(text)
    assert whole is None or not whole.complete


def test_what_the_level_does_not_ask_is_taken() -> None:
    state = at(FUNCTION, level="compile").advance("nothing();")
    assert state is not None and state.complete
    assert at(FUNCTION, level="compile").advance("return; break;") is None


def test_scripts_have_their_names_from_anywhere() -> None:
    state = at("function f() {\n  |\n}\n", dialect="js").advance("jQuery(x);")
    assert state is not None and state.complete


def test_errors_that_are_there_already_are_not_held_against_a_text() -> None:
    text = "export const a = nowhere;\nlet b = 1;\nlet b = 2;\nfunction f() {\n  |\n}\n"
    state = at(text).advance("nowhere();")
    assert state is not None and state.complete
    exact = at(text, exact=True).advance("f();")
    assert exact is None or not exact.complete


@pytest.mark.parametrize(
    ("marked", "right", "wrong"),
    [
        ("f((| => {\n  f();\n  gone();\n});\n", ")", "a = zqx)"),
        ("f(|\n  gone();\n});\n", "() => {", "zqx, () => {"),
        ("const a = f[|essage;\ngone();\n", "0].m", "zqx].m"),
        ("export class A {\n  a(|) {\n    gone();\n  }\n}\n", "b: string", "b: Zqx"),
        ("f((| => {\n  g = 1;\n});\nconst g = 2;\n", ")", "a = zqx)"),
    ],
)
def test_errors_behind_a_hole_that_no_word_completes_are_not_held_against_a_text(
    marked: str, right: str, wrong: str
) -> None:
    state = at(f'import {{ f }} from "f";\n{marked}')
    after, refused = typed(state, right), typed(state, wrong)
    assert after is not None and after.complete
    assert refused is None or not refused.complete


def test_what_stands_further_down_counts() -> None:
    """The right context's declarations count, and its own reads of the text's declarations are found."""
    text = "export function f() {\n  |\n  return value;\n}\n"
    assert (state := at(text).advance("const value = 1;")) is not None and state.complete
    assert (state := at(text).advance("const valu = 1;")) is not None and state.complete  # it was wrong before
    assert (state := at("let a = 1;\n|\nlet c = 2;\nexport {};\n").advance("let c = 3;")) is None or not state.complete
    assert (state := at("class A {\n  |\n  #b = 1;\n  b = 1;\n}\nexport {};\n").advance("c = this.#b;")) is not None
    assert state.complete
    inside = at("class A {\n  |\n  #b = 1;\n  b() {}\n}\nexport {};\n")
    assert (state := inside.advance("b() {}")) is None or not state.complete


def test_a_word_that_could_only_be_a_parameter_is_doubtful() -> None:
    state = at(FUNCTION)
    known, unknown = state.advance("helper(cou"), state.advance("helper(zzz")
    assert known is not None and not known.doubtful
    assert unknown is not None and unknown.doubtful
    assert (parameter := state.advance("[1].map((zzz")) is not None
    assert (after := parameter.advance(") => zzz + 1);")) is not None and after.complete


def test_bridges_have_names_that_exist() -> None:
    state = at("export function f(count: number) {\n  const a = |\n}\n")
    bridges = state.bridges()
    assert bridges
    for bridge in bridges:
        assert (after := state.advance(bridge)) is not None and after.complete
    assert state.names() == ("a", "count", "f")


def test_elements_read_their_names() -> None:
    text = "import { Card } from './card';\nexport const a = () => (\n  <Card>\n    |\n  </Card>\n);\n"
    assert (state := at(text, "tsx").advance("<Card title='x'>{a}</Card>")) is not None and state.complete
    assert (state := at(text, "tsx").advance("<Cart />")) is None or not state.complete
    assert (state := at(text, "tsx").advance("<section />")) is not None and state.complete


SOURCES = sorted((ROOT / "editors").glob("*/src/*.ts"))


@pytest.mark.parametrize("path", SOURCES, ids=[path.name for path in SOURCES])
def test_true_middles(path: Path) -> None:
    text, rng = path.read_text("utf-8"), random.Random(4)
    session = language("ts").session()
    session.elsewhere = frozenset({"acquireVsCodeApi", "Thenable"})
    for _ in range(6):
        begin = rng.randrange(len(text))
        end = min(len(text), begin + rng.randrange(1, 120))
        hole = session.hole(text[:begin] + text[end:], begin, level="names")
        assert isinstance(hole.state, TypeScriptState)
        for state in (hole.state.advance(text[begin:end]), typed(hole.state, text[begin:end])):
            assert state is not None and state.complete, text[begin:end]


GRAMMAR = [
    json.loads(line) for line in (ROOT / "tests" / "data" / "typescript_grammar.jsonl").read_text("utf-8").splitlines()
]
"""Texts that TypeScript's parser accepts and its checker refuses for their grammar: `codes` of its errors, and whether they are `refused`
here; in a module, unless in a `script`."""


def _file(case: dict[str, Any]) -> str:
    return case["text"] if case.get("script") else "export {};\n" + case["text"]


def test_errors_of_grammar_that_the_checker_reports() -> None:
    session, wrong = language("ts").session(), []
    for case in GRAMMAR:
        text = _file(case)
        hole = session.hole(text, len(text), level="compile", exact=True)
        assert hole.state is not None
        refused = hole.fallback != "none" or not hole.state.complete
        if refused != case["refused"]:
            wrong.append(case["text"])
    assert wrong == []


def test_the_errors_of_grammar_are_those_of_the_checker() -> None:
    oracle.needed()
    for case in GRAMMAR:
        text = _file(case)
        assert oracle.typescript(text, "ts") == [], text
        assert set(case["codes"]) <= {error.code for error in oracle.checker(text, "ts")}, text


def test_the_document_counts_the_errors_of_grammar() -> None:
    """The document states the number of codes found in all their texts, in some and in none."""
    by_code: dict[int, list[bool]] = {}
    for case in GRAMMAR:
        for code in case["codes"]:
            by_code.setdefault(code, []).append(case["refused"])
    counts = re.search(
        r"has (\d+) texts that lead to (\d+) of them; all texts of (\d+) are refused, some of (\d+), none of (\d+)",
        " ".join(DOCUMENT.read_text("utf-8").split()),
    )
    every = sum(map(all, by_code.values()))
    some = sum(map(any, by_code.values())) - every
    expected = len(GRAMMAR), len(by_code), every, some, len(by_code) - every - some
    assert counts is not None and counts.groups() == tuple(map(str, expected))
