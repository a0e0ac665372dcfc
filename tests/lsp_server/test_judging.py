"""An answer of `complete` says no more than `check` does of the whole file, and both ways to ask `check` say the same."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from suture.lsp_server.cli.explain_report import as_lines, gather
from suture.lsp_server.cli.jsonl import check_request, complete_request
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.settings.spec import Settings
from suture.parser import language

from ..fuzz.go_bodies import Bodies
from ..fuzz.typescript_bodies import Bodies as TypeScriptBodies

LEVELS = ("syntax", "compile", "names")
HEADS = {
    "go": 'package p\n\nimport "os"\n\nfunc %s(items []int) (int, error) {\n',
    "python": "import os\n\ndef %s(items):\n",
    "typescript": 'import { a } from "a"\nexport function %s(items: number[]) {\n',
    "javascript": 'import { a } from "a"\nexport function %s(items) {\n',
}
LINES = {
    "go": ["total := 0", "total++", "for _, item := range items {\n\t}", "_ = os.Args", "L:", "goto L", "return 1, nil", "return nil", "break", "missing()", "items = nil",
           "switch x := any(items).(type) {\n\tcase []int:\n\t}", "var err error", "if len(items) > 0 {\n\t\treturn 0, os.ErrExist\n\t}", "var a, b = 1", "x := os"],
    "python": ["total = 0", "for item in items:\n        print(item)", "return items", "missing()", "os.nothing", "break", "nonlocal total", "print(total)", "items.append(1)",
               "class A:\n        x = 1\n        y = [x for _ in items]", "return os.path.join(*items)"],
    "typescript": ["let total = 0", "for (const item of items) {\n    }", "return items.length", "missing()", "break", "const total = 1", "console.log(total)", "total = await items", "a()", "let later = later"],
    "json": ['"a": 1,', '"b": [1, 2],', '"c": {"d": null},', '"e": nul,'],
}  # fmt: skip
LINES["javascript"] = LINES["typescript"]
TAILS = {"go": "}\n", "python": "", "typescript": "}\n", "javascript": "}\n"}


def file(name: str, rng: random.Random) -> str:
    """A small file in a language, of lines right or wrong in their place."""
    lines = rng.sample(LINES[name], rng.randrange(1, 5))
    if name == "json":
        return "{\n" + "\n".join(lines) + '\n"last": []\n}\n'
    indent = "    " if name == "python" else "\t"
    return HEADS[name] % "first" + "".join(f"{indent}{line}\n" for line in lines) + TAILS[name]


def holes(name: str, rng: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Both sides of holes: at ends of lines, within them, or in place of the following text."""
    for _ in range(count):
        text = file(name, rng)
        begin = rng.randrange(len(text))
        if rng.random() < 0.7:
            begin = text.find("\n", begin)
        end = begin if rng.random() < 0.6 else min(len(text), begin + rng.randrange(12))
        yield text[:begin], text[end:]


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    return CompletionEngine(Settings(max_tokens=8), patient=True)


@pytest.mark.parametrize("name", LINES)
def test_complete_says_what_check_says_of_the_whole_file(engine: CompletionEngine, name: str) -> None:
    rng, said = random.Random(name), set[bool]()
    for left, right in holes(name, rng, 14):
        request = {"language": name, "left": left, "right": right, "level": rng.choice(LEVELS)}
        request |= {"unfinished": True} if rng.random() < 0.3 else {}
        answer = complete_request(request, engine, {})
        asked = {"language": name, "level": answer.get("level", request["level"]), "attributes": True}
        whole = check_request({**asked, "left": "", "middle": left + answer["text"] + right, "right": ""})
        assert answer["complete"] == whole["complete"], (request, answer, whole)
        assert answer["complete"] or answer["guarantee"] != "exact" or answer["pending"], (request, answer)
        said.add(answer["complete"])
    assert said == {False, True}


def test_in_a_broken_file_complete_says_what_is_hidden(engine: CompletionEngine) -> None:
    left, right = "x = f(1 2)\n\n\ndef total(prices):\n    return ", "\n"
    answer = complete_request({"language": "python", "left": left, "right": right}, engine, {})
    assert (answer["complete"], answer["guarantee"]) == (False, "exact, but for the hidden lines")
    assert [left[begin:end] for begin, end in answer["hidden_lines"]] == ["x = f(1 2)"]


def test_what_was_wrong_before_is_said_of_a_text_that_adds_nothing_wrong(engine: CompletionEngine) -> None:
    left, right = "package p\n\nfunc f(a int) int {\n\tif a > 0 {\n\t\t", "\n\t}\n}\n"
    answer = complete_request({"language": "go", "left": left, "right": right}, engine, {})
    assert answer["text"]
    assert (answer["complete"], answer["guarantee"], answer["problem"]) == (False, "none", "missing return")


def test_names_of_a_file_without_a_path_are_judged(engine: CompletionEngine) -> None:
    for name, left, right in (
        ("go", "package p\n\nfunc f() {\n\t", "\n}\n"),
        ("typescript", "export {};\n", "\n"),
        ("python", "", "\n"),
    ):
        for middle, error in (("missing()", "name 'missing' is not defined"), ("", None)):
            asked = {"language": name, "left": left, "middle": middle, "right": right, "level": "names"}
            answer = check_request(asked)
            assert (answer["error"], answer["judged"]) == (error, "names"), name
            whole = check_request(asked | {"left": "", "middle": left + middle + right, "right": ""})
            assert (whole["error"], whole["judged"]) == (error, "names"), name
            nowhere = check_request(asked | {"path": "/nowhere/at/all"})
            assert (nowhere["error"], nowhere["judged"]) == (error, "names"), name


def test_where_names_are_not_judged_that_is_said() -> None:
    for name, text in (("go", 'package p\n\nimport . "x"\n\nvar a = missing\n'), ("typescript", "missing();\n")):
        for asked in ({"left": text, "middle": ""}, {"left": "", "middle": text}):
            answer = check_request({"language": name, "level": "names", "right": "", **asked})
            assert (answer["complete"], answer["error"], answer["judged"]) == (True, None, "compile")
    assert "judged" not in check_request({"language": "go", "left": "", "middle": "", "right": ""})


def _cut(text: str, rng: random.Random) -> tuple[str, str, str]:
    begin, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    return text[:begin], text[begin:end], text[end:]


@pytest.mark.parametrize(
    ("name", "ending"), [("go", ".go"), ("typescript", ".ts"), ("python", ".py"), ("javascript", ".js")]
)
def test_both_ways_to_ask_say_the_same(tmp_path: Path, name: str, ending: str) -> None:
    rng, said = random.Random(name), set[bool]()
    path = str(tmp_path / f"a{ending}")
    for beside, text in {
        "b.go": "package p\nfunc missing() {}\n",
        "b.ts": "declare global { var missing: any }\n",
    }.items():
        (tmp_path / beside).write_text(text)
    for number in range(24):
        text = file(name, rng)
        if number % 3 == 0 and name in ("go", "typescript"):
            text = Bodies(rng).file() if name == "go" else TypeScriptBodies(rng, ts=True).program()
        left, middle, right = _cut(text, rng)
        asked = {"language": name, "left": left, "middle": middle, "right": right, "level": "names"}
        answer = check_request(asked | {"attributes": True, "path": path})
        whole = check_request(asked | {"left": "", "middle": text, "right": "", "attributes": True, "path": path})
        if name == "python" and whole["complete"] != answer["complete"]:
            continue  # names read by the right context before its lines bind them
        report = gather(path, language(name), left + right, len(left), middle, grammar=False)
        found = report.middle
        explained = found is not None and found.complete and found.refused is None and found.remains is None
        assert answer["complete"] == explained, json.dumps(asked)
        if found is not None and found.remains is not None:
            assert any(line.endswith(found.remains) for line in as_lines(report))
        said.add(explained)
    assert said == {False, True}
