"""The command line: formats others build on, and one clear line for each possible fault."""

import ast
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from suture.lsp_server.cli import filling
from suture.lsp_server.cli.colour import paint
from suture.lsp_server.cli.jsonl import check_request
from suture.lsp_server.cli.main import main
from suture.lsp_server.cli.sources import decode_source, offset_in, read_source
from suture.lsp_server.completion.judging.hidden import Reason
from suture.lsp_server.errors import UserError
from suture.lsp_server.session.documents import split_lines
from suture.lsp_server.settings.spec import SPECS
from suture.model import Completion

EXAMPLE = "def area(width, height):\n    return \n\n\nprint(area(2, 3))\n"


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command line in this process: exit code, standard output, standard error."""

    def run(*argv: object, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main([str(argument) for argument in argv])
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else 1
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def lines(*objects: object) -> bytes:
    return b"".join((item if isinstance(item, bytes) else json.dumps(item).encode()) + b"\n" for item in objects)


def check_problem(outcome: tuple[int, str, str], *words: str, code: int = 1) -> None:
    """One line on standard error naming the fault, nothing on standard output."""
    actual, out, err = outcome
    assert (actual, out) == (code, "")
    assert err.startswith("suture: ") and err.endswith("\n") and err.count("\n") == 1, err
    assert "Traceback" not in err
    for word in words:
        assert word in err


# Arguments


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["frobnicate"], "frobnicate"),
        (["complete"], "--at"),
        (["complete", "a.py"], "--at"),
        (["complete", "a.py", "--at", "3"], "LINE:COL"),
        (["complete", "a.py", "--at", "0:0"], "LINE:COL"),
        (["complete", "a.py", "--at", "1:-1"], "LINE:COL"),
        (["complete", "a.py", "--at", "1:0", "--max-tokens", "0"], "--max-tokens"),
        (["complete", "a.py", "--at", "1:0", "--mode", "wild"], "wild"),
        (["complete", "a.py", "--at", "1:0", "--temperature", "-1"], "--temperature"),
        (["complete", "a.py", "--jsonl"], "--jsonl"),
        (["complete", "--unasked", "--jsonl"], "--jsonl"),
        (["complete", "a.py", "--at", "1:0", "--unasked", "--json", "--n", "2"], "--unasked"),
        (["check"], "--jsonl"),
        (["serve", "--port"], "--port"),
    ],
)
def test_unusable_arguments_end_with_2(run, argv, word):
    check_problem(run(*argv), word, "--help", code=2)


def test_help_has_examples_and_version_a_number(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "suture complete app.py --at 12:8" in out
    code, out, _ = run("--version")
    assert code == 0
    assert out.startswith("suture 0.")


def test_train_gets_its_arguments_untouched(run):
    code, out, _ = run("train", "--help")
    assert code == 0
    assert "train" in out


# Bad input to `complete FILE`


def test_files_that_cannot_be_completed(run, tmp_path):
    def at(name: str, content: bytes, *more: str) -> tuple[int, str, str]:
        (tmp_path / name).write_bytes(content)
        return run("complete", tmp_path / name, "--at", "1:0", *more)

    check_problem(run("complete", tmp_path / "none.py", "--at", "1:0"), "none.py", "No such file")
    check_problem(run("complete", tmp_path, "--at", "1:0", "--language", "python"), "directory")
    check_problem(run("complete", "a\0b.py", "--at", "1:0"), "cannot be read")
    check_problem(at("a.py", b"\x7fELF\0\0"), "binary")
    check_problem(at("a.py", "x = 1\n".encode("utf-16")), "UTF-16", "save it as UTF-8")
    check_problem(at("a.py", b"x = '\xff'\n"), "UTF-8")
    check_problem(at("a.py", b"# coding: klingon\n"), "klingon")
    check_problem(at("a.py", b""), "empty")
    check_problem(at("a.unknown", b"x"), "--language", "python")
    check_problem(at("a.py", b"x = 1\n", "--language", "klingon"), "klingon", "python")
    check_problem(run("complete", tmp_path / "a.py", "--at", "3:0"), "no line 3", "2")
    check_problem(run("complete", tmp_path / "a.py", "--at", "1:6"), "no column 6", "1:5")


def test_models_that_cannot_be_loaded(run, tmp_path):
    path = tmp_path / "a.py"
    path.write_text(EXAMPLE)
    check_problem(run("complete", path, "--at", "2:11", "--model", tmp_path / "none"), "none")
    check_problem(run("complete", "--jsonl", "--model", tmp_path / "none"), "none")
    (tmp_path / "empty").mkdir()
    check_problem(run("complete", path, "--at", "2:11", "--model", tmp_path / "empty"), "empty")


def test_a_model_without_fim_tokens_is_refused(run, tmp_path):
    import suture.model

    folder = tmp_path / "plain"
    shutil.copytree(Path(suture.model.__file__).parent / "embedded", folder)
    for file in folder.glob("*.json"):
        file.write_text(file.read_text().replace("<fim_", "<fun_"))
    (folder / "tokenizer_config.json").unlink()  # it names the prompt of the model's training
    check_problem(run("complete", "--jsonl", "--model", folder), "plain", "fill-in-the-middle")


# Reading files


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xef\xbb\xbfx = 1\r\n", "x = 1\r\n"),
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: latin-1\nx = 'é'\n"),
        (
            b"#!/bin/python\r# -*- coding: latin-1 -*-\rx = '\xe9'\r",
            "#!/bin/python\r# -*- coding: latin-1 -*-\rx = 'é'\r",
        ),
        ("x = 'é'\n\n# coding: latin-1".encode(), "x = 'é'\n\n# coding: latin-1"),  # too late to count
        ("x = '\u2028\f😀'\r".encode(), "x = '\u2028\f😀'\r"),
    ],
)
def test_sources_are_read_as_the_compiler_does(data, expected):
    assert decode_source(data, "a.py", "python") == expected


def test_a_coding_line_counts_for_python_only(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes("# coding: latin-1\né".encode())
    assert read_source(path, "json").endswith("é")


def test_places_in_files():
    text = "ab\r\ncd\ref"
    assert [text[offset_in(text, line, 1, "f") :] for line in (1, 2, 3)] == ["b\r\ncd\ref", "d\ref", "f"]
    assert offset_in(text, 1, 2, "f") == 2
    assert offset_in("ab\n", 2, 0, "f") == 3
    for line, column in ((1, 3), (4, 0)):
        with pytest.raises(UserError):
            offset_in(text, line, column, "f")


# `check --jsonl`


def check_lines(run, *objects: object) -> list[dict]:
    code, out, err = run("check", "--jsonl", stdin=lines(*objects))
    assert (code, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize(
    ("left", "middle", "right", "viable", "complete", "dead_at"),
    [
        ("f(", "x", ")\n", True, True, None),
        ("f(", "x +", ")\n", True, False, None),
        ("f(", "x ]", ")\n", False, False, 2),
        ("", "", "", True, True, None),
        ("x = ", "1", "\n", True, True, None),
        ("x = ", "", "\n", True, False, None),
        ("if a:\r\n", "    b\r\n", "c\r\n", True, True, None),
        ("x = 'é😀", "ab'", "\n", True, True, None),
        ("", "a\n  b", "\n", False, False, 4),
    ],
)
def test_check_answers(run, left, middle, right, viable, complete, dead_at):
    (answer,) = check_lines(run, {"id": 7, "language": "python", "left": left, "middle": middle, "right": right})
    assert list(answer) == [
        "id",
        "viable",
        "complete",
        "dead_at",
        "fallback",
        "hidden",
        "viable_here",
        "complete_here",
        "pending",
        "us",
    ]
    assert isinstance(answer.pop("us"), float) and answer.pop("pending") == []
    assert (answer.pop("viable_here"), answer.pop("complete_here")) == (viable, complete)
    assert answer == {
        "id": 7,
        "viable": viable,
        "complete": complete,
        "dead_at": dead_at,
        "fallback": "none",
        "hidden": [],
    }


def test_check_of_a_broken_file_is_about_the_whole_file(run):
    (answer,) = check_lines(run, {"id": 1, "language": "python", "left": "x = )\n", "middle": "y", "right": "\n"})
    assert answer["fallback"] != "none"
    assert (answer["viable_here"], answer["complete_here"]) == (True, True)
    assert (answer["viable"], answer["complete"], answer["dead_at"]) == (False, False, 0)


def test_check_agrees_with_the_compiler_on_cuts(run):
    text = Path(ast.__file__).read_text()[:6000]
    text = text[: text.rindex("\ndef ") + 1]
    requests = [
        {
            "id": cut,
            "language": "python",
            "left": text[:cut],
            "middle": text[cut : cut + size],
            "right": text[cut + size + drop :],
        }
        for cut in range(7, len(text) - 40, 211)
        for size in (0, 9)
        for drop in (0, 3)
    ]
    answers = check_lines(run, *requests)
    for request, answer in zip(requests, answers, strict=True):
        try:
            ast.parse(request["left"] + request["middle"] + request["right"])
            valid = True
        except SyntaxError:
            valid = False
        assert answer["complete"] == valid, request["id"]


def test_an_unknown_language_is_answered_with_those_that_the_command_takes(run, tmp_path):
    from suture.parser import checked_names, languages

    (tmp_path / "a.py").write_text("x = 1\n")
    for *command, checked in (["complete", True], ["check", "--explain", False]):
        code, _, err = run(*command, tmp_path / "a.py", "--at", "1:4", "--language", "klingon")
        known = err.strip().partition("; known: ")[2].split(", ")
        assert code == 1 and len(set(known)) == len(known), err
        assert set(known) == {*languages(), *(checked_names().values() if checked else ())}
        for name in known:
            code, _, err = run(*command, tmp_path / "a.py", "--at", "1:4", "--language", name)
            assert "unknown language" not in err and "which cannot say" not in err, err


GOOD = {"id": "good", "language": "python", "left": "", "middle": "x", "right": ""}


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b"{", {"error": "line 2: not a JSON object: Expecting property name enclosed in double quotes at column 2"}),
        (b"[1]", {"error": "line 2: not a JSON object: it is another value"}),
        (b"\xff\xfe", {"error": "line 2: not a JSON object: it is not UTF-8"}),
        (b"[" * 100_000, {"error": "line 2: not a JSON object: it is nested too deeply"}),
        (b'{"id": NaN}', {"error": "line 2: not a JSON object: a number is too large, or none"}),
        (b'{"id": [-1e999]}', {"error": "line 2: not a JSON object: a number is too large, or none"}),
        (b'{"id": %s}' % (b"1" * 5000), {"error": "line 2: not a JSON object: a number is too large, or none"}),
        (b'{"left": ""}', {"error": "line 2: middle is missing"}),
        (b'{"id": 1}', {"id": 1, "error": "left is missing"}),
        ({**GOOD, "id": None, "middle": 3}, {"id": None, "error": "middle must be text"}),
        ({**GOOD, "language": "klingon"}, {"id": "good", "error": "klingon"}),
        ({**GOOD, "version": 3.11}, {"id": "good", "error": "version must be text"}),
        ({**GOOD, "left": "\ud800"}, {"id": "good", "error": "left contains half of a surrogate pair"}),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_malformed_line_gets_an_error_and_the_rest_goes_on(run, line, answer):
    before, middle, after = check_lines(run, GOOD, line, b"  ", GOOD)
    assert before["complete"] and after["complete"]
    assert answer["error"] in middle["error"]
    assert middle | answer == middle | {"error": answer["error"]}
    assert set(middle) == set(answer)


def shell(command: str, stdin: bytes) -> subprocess.CompletedProcess:
    suture = f"'{sys.executable}' -I -m suture.lsp_server"
    return subprocess.run(["sh", "-c", command.format(suture)], input=stdin, capture_output=True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a POSIX shell and /dev/full")
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("{} check --jsonl | head -n 1 > /dev/null", 0, ""),
        ("{} check --jsonl > /dev/full", 1, "suture: cannot write: No space left on device\n"),
        ("{} check --jsonl <&-", 1, "suture: standard input is closed; give it one JSON object a line\n"),
        ("{} serve <&-", 1, "suture: standard input and output must be open: an editor speaks over them\n"),
    ],
)
def test_broken_streams_are_no_tracebacks(command, code, message):
    ran = shell(command, lines(*[GOOD] * 300))
    assert (ran.returncode, ran.stderr.decode()) == (code, message)


@pytest.mark.parametrize(
    "text", ["(" * 50_000, "[" * 2_000 + "]" * 2_000, "-" * 200, "x" * 1_000_000, "\0", "if x:\n\t  \x0c"]
)
def test_monstrous_texts_are_answered(run, text):
    half = len(text) // 2
    request = {
        "id": 1,
        "language": "python",
        "left": text[:half],
        "middle": text[half : half + 9],
        "right": text[half + 9 :],
    }
    (answer,) = check_lines(run, request)
    assert "error" not in answer


# `complete`


def test_complete_prints_a_suggestion_that_fits(run, tmp_path):
    path = tmp_path / "a.py"
    path.write_text(EXAMPLE)
    code, out, err = run("complete", path, "--at", "2:11")
    assert (code, err) == (0, "")
    offset = EXAMPLE.index("return ") + len("return ")
    ast.parse(EXAMPLE[:offset] + out.removesuffix("\n") + EXAMPLE[offset:])
    code, out, err = run("complete", path, "--at", "2:11", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    ast.parse(EXAMPLE[:offset] + answer["text"] + EXAMPLE[offset:])
    assert answer["complete"] is True
    assert answer["fallback"] == "none"


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        ("x = )\ny = ) + \n", "2:8", "broken before the cursor"),
        ("x = 1 2\n", "1:7", "broken before the cursor"),
    ],
)
def test_complete_says_in_one_line_why_there_is_nothing(run, tmp_path, text, at, reason):
    path = tmp_path / "a.py"
    path.write_text(text)
    code, out, err = run("complete", path, "--at", at, "--unasked")
    assert (code, out) == (0, "")
    assert err.startswith(f"suture: nothing is shown unasked at {at}: ") and reason in err and err.count("\n") == 1
    code, out, err = run("complete", path, "--at", at)
    assert code == 0 and out.strip()  # who asks is answered


@pytest.mark.parametrize(
    ("name", "text", "at", "hidden"),
    [
        ("a.py", "value = 1\n", "1:2", "in_word"),
        (".ssh/a.py", "x = \n", "1:4", "secret"),
        ("a.py", "\n", "1:0", "empty"),
        ("a.py", "import os\n\nhome = os.environ get(os.\n", "3:25", "broken_line"),
        ("a.py", "x = (1 + \n", "1:9", "uncertain"),
        ("a.py", "LOW = 1\nHIGH = \n", "2:7", "uncertain"),
        ("a.py", "def area(width, height):\n    return width * h\n", "2:20", None),
    ],
)
def test_what_an_editor_shows_unasked_or_why_it_shows_nothing(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, at: str, hidden: str | None
) -> None:
    monkeypatch.setenv("SUTURE_CERTAINTY", "0.26")
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    code, out, err = run("complete", path, "--at", at, "--unasked", "--json")
    report = json.loads(out)
    assert (code, report.get("hidden")) == (0, hidden) and ("withheld" in report) == (hidden is not None)
    if hidden is not None:
        sentence = Reason[hidden.upper()].value
        assert (report["reason"], report["text"]) == (sentence, "")
        code, out, err = run("complete", path, "--at", at, "--unasked")
        assert (code, out, err) == (0, "", f"suture: nothing is shown unasked at {at}: {sentence}\n")


def test_complete_takes_the_version_of_the_language(run):
    hole = {"language": "python", "left": "x = 1\nmatch x:\n    case ", "right": ":\n        pass\n"}
    hole |= {"max_tokens": 4}
    asked = [
        {**hole, "version": "3.9"},
        {**hole, "version": "3.12"},
        {**hole, "version": 3},
        {**hole, "version": "2.7"},
    ]
    code, out, _ = run("complete", "--jsonl", stdin=lines(*asked))
    old, new, wrong, unknown = map(json.loads, out.splitlines())
    assert code == 0
    assert (old["complete"], new["complete"]) == (False, True)  # 3.9 has no match
    assert "version must be text" in wrong["error"] and "2.7" in unknown["error"]


def test_without_arguments_the_help_is_printed(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.startswith("usage: suture") and "complete" in out and "examples:" in out


def test_config_says_what_each_setting_means_and_marks_what_is_no_default(run, monkeypatch, tmp_path):
    monkeypatch.setenv("SUTURE_MAX_TOKENS", "32")
    code, out, _ = run("config", "--folder", tmp_path)
    assert code == 0
    shown = {line[2:].split()[0]: line for line in out.splitlines() if line[:2] in ("* ", "  ") and line[2:3].strip()}
    for name, spec in SPECS.items():
        assert spec.meaning in shown[name]
    assert shown["max_tokens"].startswith("* ") and "from environment" in out
    assert shown["max_lines"].startswith("  ")
    said = out
    code, out, _ = run("config", "--folder", tmp_path, "--json")
    assert out.startswith('{"file"')
    for what, folder in json.loads(out)["folders"].items():
        assert f"  {what:10}{folder}\n" in said
    setting = json.loads(out)["settings"]["max_tokens"]
    assert setting == {"value": 32, "source": "environment", "meaning": SPECS["max_tokens"].meaning}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.skipif(os.name == "nt", reason="its console may not show colour")
def test_colour_is_for_terminals_whose_user_wants_it(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert paint("x", "red", Terminal()) == "\033[31mx\033[0m"
    assert paint("x", "red", io.StringIO()) == "x"
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert paint("x", "red", Terminal()) == "x"


@pytest.mark.skipif(os.name == "nt", reason="its console may not show colour")
def test_what_programs_read_is_never_coloured(monkeypatch, tmp_path):
    """Even on a terminal: only output for people is coloured."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("SUTURE_MAX_TOKENS", "32")
    path = tmp_path / "a.py"
    path.write_text("x = f(1\n")
    at = ["--explain", str(path), "--at", "1:7"]
    for command, coloured in (
        (["config"], True),
        (["config", "--json"], False),
        (["check", *at], True),
        (["check", *at, "--json"], False),
    ):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        assert main(command) == 0
        assert ("\033[" in terminal.getvalue()) == coloured, command


def test_complete_in_several_ways(run, tmp_path):
    path = tmp_path / "a.py"
    path.write_text(EXAMPLE)
    offset = EXAMPLE.index("return ") + len("return ")
    code, out, err = run("complete", path, "--at", "2:11", "--json", "--n", "3", "--max-tokens", "8", "--leave-hole")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    texts = [answer["text"], *(other["text"] for other in answer["alternatives"])]
    assert 1 <= len(texts) <= 3 and len(set(texts)) == len(texts)
    for text in texts:
        ast.parse(EXAMPLE[:offset] + text + EXAMPLE[offset:])
    assert all(other["score"] <= 0 for other in answer["alternatives"])
    code, _, err = run("complete", path, "--at", "2:11", "--n", "3")
    assert code == 2 and "--n needs --json" in err


def test_complete_keeps_the_line_ends_of_the_file(run, tmp_path):
    path = tmp_path / "a.py"
    text = "import sys\r\n\r\n\r\ndef main():\r\n    return \r\n\r\n\r\nmain()\r\n"
    path.write_bytes(text.encode())
    code, out, _ = run("complete", path, "--at", "5:11", "--json")
    assert code == 0
    suggestion = json.loads(out)["text"]
    offset = text.index("return ") + 7
    ast.parse(text[:offset] + suggestion + text[offset:])
    assert all(line.endswith("\r\n") for line in split_lines(suggestion)[:-1])


@pytest.mark.parametrize(("failing", "level"), [(0, None), (1, None), (2, "compile"), (3, "syntax")])
def test_a_hole_that_keeps_no_level_is_filled_at_a_lower_one(run, monkeypatch, failing, level):
    asked = []

    def fill(hole, left, right, model, options, n):
        asked.append(hole)
        return [Completion("1", 1, "bridge", len(asked) > failing, 0.0, 0.0, 0.0)]

    monkeypatch.setattr(filling, "fill_several", fill)
    monkeypatch.setattr(filling.CompletionEngine, "alternatives", lambda *given: [])
    code, out, _ = run("complete", "--jsonl", stdin=lines({"language": "python", "left": "x = ", "right": "\n"}))
    answer = json.loads(out)
    assert (code, answer["text"], answer["complete"], answer.get("level")) == (0, "1", True, level)
    assert len(asked) == failing + 1


def test_what_is_pending_behind_a_text_that_no_editor_shows_is_what_it_lacks(run, monkeypatch):
    """A quote that this text closes by itself is pending behind others."""

    def fill(hole, left, right, model, options, n):
        text = " from './x"
        after = hole.state.advance(text)
        return [Completion(text, 3, "model", after.complete, 0.0, 0.0, 0.0)]

    monkeypatch.setattr(filling, "fill_several", fill)
    monkeypatch.setattr(filling.CompletionEngine, "alternatives", lambda *given: [])
    hole = {"left": "import { a }", "right": "y'\nimport { b } from './b'\n", "unfinished": True}
    code, out, _ = run("complete", "--jsonl", stdin=lines({"language": "typescript", **hole, "level": "syntax"}))
    answer = json.loads(out)
    assert (code, answer["complete"], answer["pending"]) == (0, True, [])


def test_complete_lines_over_a_real_process():
    """Every mode, in order, each answer written before the next line is read, errors in their place."""
    left, right = "def area(width, height):\n    return ", "\n\n\nprint(area(2, 3))\n"
    hole = {"language": "python", "left": left, "right": right, "max_tokens": 8}
    command = [sys.executable, "-I", "-m", "suture.lsp_server", "complete", "--jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        into, out_of = process.stdin, process.stdout

        def ask(request: object) -> dict:
            into.write(lines(request))
            into.flush()
            return json.loads(out_of.readline())

        answer = ask({"id": 1, **hole})
        keys = ["id", "text", "tokens", "ended", "complete", "pending", "model_ms", "constraint_ms", "total_ms"]
        keys += ["guarantee", "types", "hidden_lines"]
        assert list(answer) == keys
        assert answer["complete"] is True
        assert 0 <= answer["tokens"] <= 8
        ast.parse(left + answer["text"] + right)
        again = ask({"id": 2, **hole})
        assert again["text"] == answer["text"]
        for mode in ("checked", "unconstrained"):
            answer = ask({"id": mode, **hole, "mode": mode})
            assert list(answer) == keys
            assert answer["id"] == mode
        sampled = [ask({"id": 3, **hole, "temperature": 0.8, "seed": 5})["text"] for _ in range(2)]
        assert sampled[0] == sampled[1]
        ast.parse(left + sampled[0] + right)
        for key, value in (
            ("max_tokens", 0),
            ("max_tokens", 2.5),
            ("mode", "wild"),
            ("temperature", -1),
            ("seed", "x"),
            ("stay_in_hole", 1),
            ("path", 5),
        ):
            answer = ask({"id": 4, **hole, key: value})
            assert answer["id"] == 4
            assert answer["error"].startswith(f"{key} must be")
        assert set(ask(b"nonsense")) == {"error"}
        assert ask({"id": 5, **hole, "left": "", "right": ""})["complete"] is True
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


def test_bench_times_each_part(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.model.decoding.token_masks.cache_folder", lambda: tmp_path)
    code, out, err = run("bench", "--json", "--places", 2, "--blocks", 2)
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0, err
    assert {row["part"] for row in rows} == {"engine", "decoding", "latency"}
    assert all(0 < row["median"] <= row["p99"] <= row["worst"] and row["count"] >= 1 for row in rows), rows
    assert {row["unit"] for row in rows} == {"us", "ms"}


def test_bench_of_the_engine_loads_no_model(run) -> None:
    code, out, _ = run("bench", "engine", "--model", "no-such-model", "--places", 1, "--blocks", 2)
    assert code == 0 and "check of a character (us)" in out and "decoding" not in out


@pytest.mark.parametrize(
    ("name", "left", "middle", "right", "pending"),
    [
        ("typescript", "function f() {\n  if (", "a", "\n", [{"at": 0, "text": ")\n{\n}\n}"}]),
        ("json", '{\n  "a": [\n    {"b": ', "1", "\n", [{"at": 0, "text": "}\n  ]\n}"}]),
        ("python", "try:\n    x = f(", "1", "\n\ny = 1\n", [{"at": 0, "text": ")\nexcept Exception: pass"}]),
        ("go", "package p\n\nfunc f() {\n\tg(func() {\n\t\th(", "1", "\n", [{"at": 0, "text": ")\n\t})\n}"}]),
    ],
)
def test_what_is_pending_at_one_place_is_one_text(
    name: str, left: str, middle: str, right: str, pending: list[dict[str, object]]
) -> None:
    """Whoever wrote them from the last one to the first turned those of one place round."""
    asked = {"language": name, "left": left, "middle": middle, "right": right}
    answer = check_request(asked)
    assert answer["pending"] == pending
    for closer in reversed(answer["pending"]):
        right = right[: closer["at"]] + closer["text"] + right[closer["at"] :]
    assert check_request(asked | {"right": right})["complete"]


@pytest.mark.parametrize(
    ("name", "left", "middle", "right", "fallback"),
    [
        ("go", "package p\n\n// a comment ", "b", "\n}\n\nfunc g() {\n}\n", "right"),
        ("go", "package p\n\n// a comment ", "b", "\nfunc g() {\n}\n", "none"),
        ("typescript", "// a comment ", "b", "\n}\n\nfunction g() {\n}\n", "right"),
    ],
)
def test_what_an_editors_user_does_not_see_is_named(
    name: str, left: str, middle: str, right: str, fallback: str
) -> None:
    """A part was hidden before the text was shown, and `check` said that none was."""
    answer = check_request({"language": name, "left": left, "middle": middle, "right": right})
    assert (answer["fallback"], answer["complete_here"]) == (fallback, True)
    assert answer["complete"] is (fallback == "none") and bool(answer["hidden"]) is not answer["complete"]


@pytest.mark.parametrize(
    ("name", "left", "middle", "right"),
    [
        ("typescript", "f(\n  a,\n", "  b,", "\nconst c = 1;\n}\n"),
        ("go", "package p\n\nfunc f() {\n\tg(a, ", "b", "\n\nfunc h() {\n}\n}\n"),
        ("python", "x = )\ny = f(", "b", "\nz = 1\n"),
    ],
)
def test_what_is_pending_in_a_broken_file_is_named(name: str, left: str, middle: str, right: str) -> None:
    answer = check_request({"language": name, "left": left, "middle": middle, "right": right})
    assert answer["complete_here"] and not answer["complete"]
    assert answer["hidden"] and answer["pending"]
