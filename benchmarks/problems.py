"""Functions without their bodies, with tests: HumanEval and MBPP in Python, and their translations to Go and TypeScript.

A folder `mxeval` holds the files of the repository amazon-science/mxeval, each with its folder before its name, and, for last halves of
HumanEval's translations, the solutions of HumanEval-X, as `humaneval-x-go.jsonl` and `humaneval-x-js.jsonl`. A folder `written` holds
projects, as for `benchmarks.places`: bodies of documented and other functions, of classes and other blocks. They have no tests: only the
original text is right. Those of reserved projects are for measuring, others for fitting.
"""

from __future__ import annotations

import ast
import json
import random
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from suture.parser.importing import ImportRequest, inserted
from suture.parser.language import importer_of

from tests.support import oracle_go, oracle_typescript

from .papers.sandbox import run_go, run_python, run_typescript
from .reserved_files import files_in

Row = dict[str, Any]

SETS = {
    "HumanEval": ("python", "multilingual_humaneval-HumanEval.jsonl"),
    "MBPP": ("python", "mbxp-mbpp_release_v1.jsonl"),
    "Go": ("go", "multilingual_humaneval-HumanEval_go_v1.jsonl"),
    "MBGP": ("go", "mbxp-mbgp_release_v1.1.jsonl"),
    "TypeScript": ("typescript", "multilingual_humaneval-HumanEval_typescript_v1.jsonl"),
    "MBTSP": ("typescript", "mbxp-mbtsp_release_v1.2.jsonl"),
}
WRITTEN = ("documented", "function", "class", "block")
HALVES = {"measure": 0, "fit": 1}
CUTS = ("whole", "within", "half", "half within")
SUFFIXES = {"python": "py", "go": "go", "typescript": "ts"}
_SOLUTIONS = {"Go": "humaneval-x-go.jsonl", "TypeScript": "humaneval-x-js.jsonl"}
_MOST_LINES = 12  # of an original body
_PERSONA = re.compile(
    r"^(?://| \*) (?:You're an expert \w+ programmer|Code should be written in Go/Golang)\n", re.MULTILINE
)
_QUALIFIER = re.compile(r"(?<![\w.)\]])([a-z]\w*)\.[A-Z]")
_FUNCTION = re.compile(r"\b(?:func|const) (\w+)")
_STRINGS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Problem:
    """A place in a function to complete."""

    name: str
    language: str
    cut: str
    """"whole" or "half": the missing part of the body; "within": with another function below"""
    left: str
    right: str
    tests: str
    """"" without tests"""
    rest: str
    """the solution's text there; "" where unknown"""

    @property
    def indent(self) -> str:
        """The blanks before the cursor."""
        return self.left[self.left.rfind("\n") + 1 :]


def problems(data: Path, sets: Iterable[str], half: str, count: int, seed: int = 3) -> Iterator[Problem]:
    """At most `count` problems of each set: whole bodies and, given a solution, those with another function below, and last halves."""
    for name in sets:
        if name in WRITTEN:
            yield from islice(written(data / "written", name, half == "measure", seed), count)
            continue
        language, file = SETS[name]
        path = data / "mxeval" / file
        if not path.exists():
            continue
        rows = _rows(path)
        if name in _SOLUTIONS:
            _add_solutions(rows, data / "mxeval" / _SOLUTIONS[name])
        rows = rows[HALVES[half] :: 2]
        random.Random(seed).shuffle(rows)
        for row, other in zip(rows[:count], [*rows[1:], rows[0]], strict=False):
            yield from _python(name, row, other) if language == "python" else _braced(name, language, row)


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written(folder: Path, kind: str, reserved: bool, seed: int) -> Iterator[Problem]:
    """Bodies of a kind in Python projects, in the middle of their files, of at most 12 lines: one per file."""
    files, rng = files_in(folder, reserved=reserved) if folder.is_dir() else [], random.Random(seed)
    rng.shuffle(files)
    for file in files:
        lines = file.text.splitlines(keepends=True)
        nodes = list(ast.walk(ast.parse(file.text)))
        rng.shuffle(nodes)
        bodies = (body for node in nodes for of_kind, body in _bodies(node) if of_kind == kind)
        spans = (_span(body, lines) for body in bodies)
        if (span := next(filter(None, spans), None)) is not None:
            first, end = span
            text = "".join(lines[first:end])
            left = "".join(lines[:first]) + text[: len(text) - len(text.lstrip())]
            name, right = f"{kind}/{file.project}/{file.path}:{first + 1}", "\n" + "".join(lines[end:])
            yield Problem(name, "python", "within", left, right, "", text.strip())


def _span(body: Sequence[ast.stmt], lines: Sequence[str]) -> tuple[int, int] | None:
    """The lines of a body with the comments above it; None where it does not begin below its header or docstring, or is too long."""
    decorators = getattr(body[0], "decorator_list", ())
    first = min((each.lineno for each in decorators), default=body[0].lineno) - 1
    end = body[-1].end_lineno or first
    while first and (not (above := lines[first - 1].strip()) or above.startswith("#")):
        first -= 1
    begins = first and lines[first - 1].rstrip().endswith((":", '"""'))
    return (first, end) if begins and end - first <= _MOST_LINES else None


def _bodies(node: ast.AST) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The bodies of a statement below its headers and its docstring, with their kind."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        is_documented = ast.get_docstring(node) is not None
        kind = "class" if isinstance(node, ast.ClassDef) else "documented" if is_documented else "function"
        if body := node.body[is_documented:]:
            yield kind, body
    elif isinstance(node, ast.stmt | ast.ExceptHandler):
        for name in ("body", "orelse", "finalbody"):
            if isinstance(body := getattr(node, name, None), list) and body:
                yield "block", body


def _python(name: str, row: Row, other: Row) -> Iterator[Problem]:
    solution = row["canonical_solution"].strip("\n")
    first = solution[: len(solution) - len(solution.lstrip())]
    tests = f"\n\n{row['test']}\n\ncheck({row['entry_point']})\n"
    head = row["prompt"].rstrip() + "\n"
    whole = Problem(f"{name}/{row['task_id']}", "python", "whole", head + first, "", tests, solution.lstrip())
    yield whole
    below = "\n\n\n" + other["prompt"].strip() + "\n" + other["canonical_solution"].strip("\n") + "\n"
    yield replace(whole, cut="within", right=below)
    lines = solution.split("\n")
    middle = next((at for at in range(len(lines) // 2, len(lines)) if lines[at].strip()), 0)
    if middle and len(lines) > 3:
        indent = lines[middle][: len(lines[middle]) - len(lines[middle].lstrip())]
        begun = head + "\n".join(lines[:middle]) + "\n" + indent
        half = replace(whole, cut="half", left=begun, rest="\n".join(lines[middle:]).lstrip())
        yield from (half, replace(half, cut="half within", right=below))


def _braced(name: str, language: str, row: Row) -> Iterator[Problem]:
    """Problems in a language with braces, the function's already closed by the editor."""
    prompt = _PERSONA.sub("", row["prompt"])
    tests = row["test"].lstrip()
    indent = "  "
    if language == "go":  # the prompt's imports are for the tests, which have a file of their own
        imports = re.search(r"import \(.*?\n\)\n", prompt, re.DOTALL)
        assert imports is not None
        prompt = re.sub(r"(?:// ?\n)*func (\w+) ", r"func \1", prompt.replace(imports[0], ""))
        tests = f"package main\n\n{imports[0]}\n{tests}"
        indent = "\t"
    elif "import " in prompt:  # of missing packages
        return
    head = prompt.rstrip() + "\n"
    solution = (row["canonical_solution"] or "").rstrip().removesuffix("}").strip("\n")
    whole = Problem(f"{name}/{row['task_id']}", language, "whole", head + indent, "\n}\n", tests, solution.strip())
    yield whole
    lines = solution.split("\n")
    middle = _middle(lines)
    if middle and len(lines) > 3:
        indent = lines[middle][: len(lines[middle]) - len(lines[middle].lstrip())]
        begun = head + "\n".join(lines[:middle]) + "\n" + indent
        begun = with_imports(begun) if language == "go" else begun
        yield replace(whole, cut="half", left=begun, rest="\n".join(lines[middle:]).strip())


def _middle(lines: Sequence[str]) -> int:
    """The line nearest to the middle that begins a statement of the body itself; 0 without one."""
    starts, depth = list[int](), 0
    for number, line in enumerate(lines):
        code = _STRINGS.sub("", line).strip()
        begins = code and code[0] not in ".})]?:&|+" and lines[number - 1].rstrip()[-1:] not in "=?:&|+,("
        if number and not depth and begins:
            starts.append(number)
        depth += sum(code.count(opener) for opener in "({[") - sum(code.count(closer) for closer in ")}]")
    return min(starts, key=lambda number: abs(number - len(lines) // 2), default=0)


def _add_solutions(rows: list[Row], path: Path) -> None:
    """Add the solutions of HumanEval-X, with the function's name as translated by rule."""
    if not path.exists():
        return
    solutions = {row["task_id"].partition("/")[2]: row for row in _rows(path)}
    for row in rows:
        other = solutions.get(row["task_id"].partition("/")[2])
        names = _FUNCTION.findall(other["declaration"]) if other is not None else []
        if other is not None and names:
            row["canonical_solution"] = re.sub(
                rf"\b{names[-1]}\b", row["entry_point"], other["canonical_solution"].replace("    ", "\t")
            )


def is_solved(problem: Problem) -> bool:
    """Whether the tests pass with the known solution: a model wrote some of them."""
    return bool(problem.rest) and passes(problem, problem.rest)


def passes(problem: Problem, text: str) -> bool:
    """Whether a problem's tests pass with a text, or, without tests, it is the original one. In Go, the standard library's packages are
    imported, as by an editor on saving."""
    if not problem.tests:
        return text.split() == problem.rest.split()
    program = problem.left + text + problem.right
    if problem.language == "python":
        return run_python(f"from typing import *\n{program}\n{problem.tests}")[0]
    if problem.language == "go":
        root = oracle_go.goroot()
        cache = Path(tempfile.gettempdir()) / "suture-papers-go"
        cache.mkdir(exist_ok=True)
        return root is not None and run_go(with_imports(program), root, cache, beside=problem.tests)[0]
    node = oracle_typescript.node()
    return node is not None and run_typescript(f"{program}\n{problem.tests}", node, oracle_typescript.package())[0]


def with_imports(program: str) -> str:
    """A Go program with imports of the standard library's packages it names without importing."""
    importer = importer_of("go")
    assert importer is not None
    code = _STRINGS.sub("", program)
    for name in dict.fromkeys(_QUALIFIER.findall(code)):
        asked = ImportRequest(program)
        statement = importer.importable(asked).get(name)
        if statement is not None and statement.removeprefix("import ") not in program:
            program = inserted(program, importer.insertions(program, len(program), statement, asked))
    return program
