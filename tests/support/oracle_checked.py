"""Other parsers' verdicts on files in languages checked by tree-sitter; None without one here. They judge syntax alone."""

from __future__ import annotations

import atexit
import json
import os
import random
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from .oracle_typescript import node
from .programs import program, why_not

Judge = Callable[[str], bool]
_TOKEN = re.compile(r"\w+|\"[^\"\n]*\"|[^\w\s]")
_KEEP_GOING = 0x200  # of libclang: a missing header ends nothing
_COMMANDS = {
    # From standard input; the option to print the parsed text goes no further.
    "rust": ["rustc", "--edition", "2024", "-Zunpretty=normal", "-"],
    "bash": ["bash", "-n"],
    "ruby": ["ruby", "-c"],
    "php": ["php", "-n", "-l"],
    # Mono's, for C# up to 7.
    "csharp": ["mcs", "--parse", "/dev/stdin"],
}
_CSS_TREE = Path(__file__).with_name("css")
_NO_DOCTYPE = "expected-doctype-but-got-"
_PARSE_ONLY = [f"-XDshould-stop.if{when}=PARSE" for when in ("Error", "NoError")]


def corrupted(text: str, rng: random.Random) -> str | None:
    """A text with a token deleted, doubled, or swapped with the next one: often wrong, sometimes still right. None for too few tokens."""
    tokens = list(_TOKEN.finditer(text))
    if len(tokens) < 2:
        return None
    at = rng.randrange(len(tokens) - 1)
    one, two = tokens[at], tokens[at + 1]
    changed = {
        "deleted": text[: one.start()] + text[one.end() :],
        "doubled": f"{text[: one.end()]} {one[0]}{text[one.end() :]}",
        "swapped": text[: one.start()] + two[0] + text[one.end() : two.start()] + one[0] + text[two.end() :],
    }[rng.choice(("deleted", "doubled", "swapped"))]
    return None if changed == text else changed


def verdicts(language: str, texts: Sequence[str]) -> list[bool] | None:
    """Whether each text is a file of the language; None without a parser for single files here."""
    if language == "java":
        return _javac(texts) if program("javac", "-version") else None
    judge = _judge(language)
    return None if judge is None else [judge(text) for text in texts]


def is_seen(language: str, left: str, right: str) -> bool:
    """Whether the text between two others is parsed at all. Clang skips methods of unknown classes, and disabled code."""
    return language not in ("c", "cpp") or verdicts(language, [f"{left} )(;( {right}"]) == [False]


def has_judge(language: str) -> bool:
    """Whether a parser of the language is installed."""
    return (language == "java" and program("javac", "-version") is not None) or _judge(language) is not None


def why_none(language: str) -> str:
    """The reason for the missing parser of a language."""
    judge = "javac" if language == "java" else next(iter(_COMMANDS.get(language, ())), None)
    return f"no other parser of {language} is here" + ("" if judge is None else f": {why_not(judge)}")


def _judge(language: str) -> Judge | None:
    """The judge of one text."""
    command = _COMMANDS.get(language)
    if command is not None:
        return partial(_runs, command) if program(command[0]) else None
    makers = {
        "toml": lambda: _toml,
        "yaml": _libyaml,
        "html": _html5lib,
        "css": _css_tree,
        "c": partial(_clang, "c"),
        "cpp": partial(_clang, "cpp"),
    }
    return makers[language]() if language in makers else None


def _runs(command: Sequence[str], text: str) -> bool:
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1", "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryFile() as file:  # mcs reads it twice
        file.write(text.encode())
        file.seek(0)
        done = subprocess.run(command, stdin=file, capture_output=True, env=environment, check=False)
    return done.returncode == 0


def _toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _libyaml() -> Judge | None:
    try:
        import yaml

        loader = yaml.CSafeLoader
    except (ImportError, AttributeError):
        return None

    def judge(text: str) -> bool:
        try:
            list(yaml.parse(text, Loader=loader))  # events: an undefined alias is no matter of syntax
        except yaml.YAMLError:
            return False
        return True

    return judge


def _html5lib() -> Judge | None:
    """The algorithm of the HTML standard, which reports errors as it repairs them."""
    try:
        import html5lib  # type: ignore[import-untyped]
    except ImportError:
        return None

    def judge(text: str) -> bool:
        parser = html5lib.HTMLParser()
        parser.parse(text)
        return all(code.startswith(_NO_DOCTYPE) for _, code, _ in parser.errors)

    return judge


def _css_tree() -> Judge | None:
    """css-tree in a process of Node: syntax, and the values of known properties."""
    program = node()
    return _css_judge(program) if program and (_CSS_TREE / "node_modules" / "css-tree").exists() else None


@cache
def _css_judge(program: str) -> Judge:
    process = subprocess.Popen(
        [program, str(_CSS_TREE / "oracle.mjs")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    atexit.register(process.kill)

    def judge(text: str) -> bool:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({"text": text}) + "\n")
        process.stdin.flush()
        return not json.loads(process.stdout.readline())

    return judge


@cache
def _clang(language: str) -> Judge | None:
    """Clang by libclang, which classifies each problem as a parsing error or not: a type from a missing header is none."""
    try:
        from clang import cindex  # type: ignore[import-untyped]

        index = cindex.Index.create()
    except Exception:  # the library of another system
        return None
    name = "file.c" if language == "c" else "file.cc"
    arguments = ["-ferror-limit=0", "-std=c17" if language == "c" else "-std=c++20"]

    def judge(text: str) -> bool:
        unit = index.parse(name, arguments, [(name, text)], _KEEP_GOING)
        return not any(one.severity >= 3 and _is_of_syntax(one) for one in unit.diagnostics)

    return judge


def _is_of_syntax(problem: Any) -> bool:
    if problem.category_name == "Lexical or Preprocessor Issue":
        return "file not found" not in problem.spelling
    return problem.category_name == "Parse Issue"


def _javac(texts: Sequence[str]) -> list[bool]:
    """All at once: the JVM takes longer to start than to parse."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"f{number}.java") for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        command = ["javac", "-proc:none", *_PARSE_ONLY, "-Xmaxerrs", "100000", "-d", folder, *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wrong = set(re.findall(r"f(\d+)\.java:\d+: error", done.stderr))
        return [str(number) not in wrong for number in range(len(texts))]
