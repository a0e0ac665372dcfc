"""The oracles of TypeScript and JavaScript agree with the cases in tests/data/typescript_cases.jsonl.

A line: `dialect`, `text`; `valid`: whether it is valid syntax; the verdicts of `typescript`'s parser, `babel`, and for js `acorn_module` and,
failing that, `acorn_script`.
"""

import json
from pathlib import Path

import pytest

from ..support import oracle_typescript as oracle

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "typescript_cases.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(autouse=True)
def asked() -> None:
    oracle.needed()


def test_the_oracles_say_what_the_cases_say() -> None:
    wrong: list[object] = []
    for case in CASES:
        text, dialect = case["text"], case["dialect"]
        said = {"typescript": not oracle.typescript(text, dialect), "babel": oracle.babel(text, dialect) is None}
        if dialect == "js":
            said["acorn_module"] = oracle.acorn(text) is None
            said["acorn_script"] = said["acorn_module"] or oracle.acorn(text, script=True) is None
        wrong += [(dialect, text, who) for who, verdict in said.items() if verdict != case[who]]
    assert wrong == []


def test_the_checker_knows_the_libraries_and_the_file_alone() -> None:
    text = (
        "export const a = (f: unknown) => f; a([document, Promise, undeclared]); let x: HTMLElement; let x = 1; return;"
    )
    assert [(one.code, text[one.start :][:10]) for one in oracle.checker(text, "ts")] == [
        (2304, "undeclared"),
        (2451, "x: HTMLEle"),
        (2451, "x = 1; ret"),
        (1108, "return;"),
    ]
    assert [one.code for one in oracle.checker("document; undeclared", "ts", lib=False)] == [2584, 2304]


def test_a_declaration_file_is_told_by_its_name() -> None:
    assert [one.code for one in oracle.checker("const a: number; const b = f();", "ts", name="/x.d.ts")] == [
        1046,
        2304,
        1254,
    ]
    assert [one.code for one in oracle.checker("const a: number;", "ts")] == [1155]
