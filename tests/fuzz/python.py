"""Texts for every version of Python, to compare the engine with the real interpreters. Campaigns: `python -m tests.fuzz`."""

from __future__ import annotations

import ast
import os
import random
import re
import sysconfig
import textwrap
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from suture.parser import language
from suture.parser.glr.suffix import SuffixContext, SuffixText
from suture.parser.languages.python.versions import VERSIONS

from ..support import oracles
from ..support.inside import runtime_of
from ..support.oracle_python import corrupted, cut
from ..support.python_sentences import sentence

CASES = Path(__file__).parents[1] / "data" / "python_versions.txt"
_SCRAPS = (
    *"()[]{}:,.=+-*/'\"\\\n\n  \t#_0123456789eabfxnrifjt;@<>!~&|^%é\x0c",
    *("\n    ", "\n        ", "\n  ", "\r\n", '"""', "'''", "f'", 'f"', "rf'", "t'", "b'", "{x}", "{x!r}", "{x:", "!r", "{{", "}}"),
    *(" = ", "**", ":\n", ":=", "->", "==", "!=", "\\\n", "\\N{DIGIT ONE}", "\\x41", "[T]", "[*T]", "(*a)", "x, ", " for x in y"),
    *("if ", "else", "elif ", " in ", " is ", "lambda ", "lambda: ", " as ", "match ", "case ", "type ", "await ", "not ", "for "),
    *("def ", "class ", "return ", "async ", "yield ", "del ", "with ", "try:", "except ", "except* ", "finally:", "from "),
    *("import ", "global ", "raise ", "assert ", "pass", "None", "True", "__debug__", "_", "x", "y", "while ", "or ", "and "),
)  # fmt: skip
_PIECES = (
    *("{", "}", "{", "}", "{{", "}}", "x", "y ", "!r", "!s", ":", "=", '"', "'", '"""', "'''", "f'", 'f"', "rf'", 't"', 'b"', 'r"'),
    *("\\", "\\N{DIGIT ONE}", "\\x4", "\\{", "\\\n", "\n", "#", "lambda: ", "lambda:", "(", ")", "[", "]", " ", ":=", "==", "!="),
    *(">5", "a", "1", ".", "*", ",", "for x in y", "yield ", "if a else b", "'a'", '"a"', '""', "''"),
)  # fmt: skip
_INDENTS = (
    "",
    " ",
    "  ",
    "\t",
    " \t",
    "    ",
    "\t  ",
    "\f",
    "  \f ",
    "\\\n",
    " \\\n  ",
    "\\\n  ",
    "  \\\n",
    "\\\n\\\n ",
    "\t\\\n",
)
_LINES = (
    *("x", "if x:", "else:", "x = (", ")", "# c", "", "try:", "except: x", "pass", "def f(): x", "'''", "\\", "\\\n", "x \\"),
    *("x;\\", "class A:", "f'''{", "}'''", "f'{x", "}'", "1", "match x:", "case 1:"),
)  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """A text, cut in three: the middle is written into the hole between the others."""

    left: str
    middle: str
    right: str

    @property
    def text(self) -> str:
        return self.left + self.middle + self.right


@cache
def cases() -> tuple[tuple[str, str], ...]:
    """(the versions' verdicts, text) of python_versions.txt."""
    lines = [line for line in CASES.read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]
    return tuple((line.split(" ", 1)[0], ast.literal_eval(line.split(" ", 1)[1])) for line in lines)


def accepts(version: str, sample: Sample) -> bool:
    """The engine's verdict on membership: left at once, middle by characters, right as a right context."""
    engine = runtime_of(language("python", version)).engine
    left = engine.read_text(engine.start, sample.left)
    for char in sample.middle:
        left = engine.read(left, char) if left is not None else None
    return left is not None and SuffixContext(engine, SuffixText(sample.right), len(sample.right)).accepts(left)


def tolerated(version: str, text: str, truth: bool) -> bool:
    """Whether the engine and this interpreter may disagree. Micro releases differ, and some rules are not context-free."""
    if version == "3.8" and not truth and re.search(r"\b(\w+)\s*=.*\b\1\s*=", text, re.DOTALL):
        return True  # the parser found "keyword argument repeated"
    if version == "3.8" and not truth and re.search(r"\(\s*\*[^*].*\)\s*(async\s+)?for\b", text, re.DOTALL):
        return True  # "((*x) for y in z)": "iterable unpacking cannot be used in comprehension"
    if version in ("3.8", "3.9", "3.10", "3.11"):
        return truth and text.endswith("\\\r\n")  # ast.parse adds a line end to a text ending in \r\n
    if version in ("3.12", "3.13") and truth:
        return re.search(r":[^\n]*[\r\n]", text) is not None and re.search("[fF][rR]?['\"]", text) is not None
    if version in ("3.12", "3.13"):  # "=" in nested fields, backslashes in raw format specs
        return re.search(r"\{[^\n]*:", text) is not None and re.search("[fF][rR]?['\"]", text) is not None
    return version in ("3.14", "3.15") and not truth and "__future__" in text  # since then ast.parse checks features


def from_cases(rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """Cases of the table after an accident, sometimes two after each other."""
    for _ in range(count):
        text = corrupted(rng.choice(cases())[1], rng, _SCRAPS)
        if rng.random() < 0.2:
            text += rng.choice(["\n", "\n\n", ";"]) + rng.choice(cases())[1]
        yield Sample(*_cut(text, rng, 15))


def from_fstrings(rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """f-strings and t-strings of random pieces."""
    for _ in range(count):
        quote, prefix = rng.choice(['"', "'", '"""', "'''"]), rng.choice(["f", "f", "rf", "F", "t"])
        inside = "".join(rng.choice(_PIECES) for _ in range(rng.randrange(8)))
        if rng.random() < 0.6:
            start = rng.choice(["", "a"]) + "{x" + rng.choice(["", "!r", "=", ":", ":a"])
            inside = start + inside[: rng.randrange(12)] + "}" + rng.choice(["", "b"])
        yield Sample(*_cut(prefix + quote + inside + quote + rng.choice(["", "\n"]), rng, 8))


def from_lines(rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """Lines at any indentation, with tabs, form feeds and continuations."""
    for _ in range(count):
        lines = [rng.choice(_INDENTS) + rng.choice(_LINES) for _ in range(rng.randrange(1, 8))]
        text = "\n".join(lines) + rng.choice(["", "\n"])
        if rng.random() < 0.15:
            text = text.replace("\n", rng.choice(["\r", "\r\n"]))
        yield Sample(*_cut(text, rng, 20))


def from_sentences(rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """Sentences of the grammar of this or another version."""
    for _ in range(count):
        yield Sample(*_cut(sentence(rng, rng.choice(VERSIONS)), rng, 20))


def from_files(rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """Standard library files of the version, cut, with the true middle and with four broken ones."""
    for text in library(version, rng, count):
        left, middle, right = _cut(text, rng, 100)
        yield Sample(left, middle, right)
        for _ in range(4):
            yield Sample(left, corrupted(middle, rng, _SCRAPS), right)


def from_site_packages(rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """Installed packages of the version and of the running interpreter, in the same way."""
    for text in library(version, rng, count, installed=True):
        left, middle, right = _cut(text, rng, 100)
        yield Sample(left, middle, right)
        for _ in range(4):
            yield Sample(left, corrupted(middle, rng, _SCRAPS), right)


def from_strings(rng: random.Random, count: int, version: str) -> Iterator[Sample]:
    """String constants of CPython's own tests, as sources."""
    found = list(_strings(version))
    for text in rng.sample(found, min(count, len(found))):
        if rng.random() < 0.5:
            text = textwrap.dedent(text)
        if ">>> " in text:
            prompts = (line.strip() for line in text.split("\n"))
            text = "\n".join(line[4:] for line in prompts if line.startswith((">>> ", "... ")))
        yield Sample(*_cut(text, rng, 60))


KINDS: dict[str, Callable[[random.Random, int, str], Iterator[Sample]]] = {
    "cases": from_cases,
    "fstrings": from_fstrings,
    "lines": from_lines,
    "sentences": from_sentences,
    "files": from_files,
    "site": from_site_packages,
    "strings": from_strings,
}


def disagreements(version: str, samples: list[Sample]) -> list[tuple[Sample, bool]]:
    """(sample, the interpreter's verdict) where the engine disagrees."""
    oracle = oracles.find(version)
    assert oracle is not None
    found: list[tuple[Sample, bool]] = []
    samples = [s for s in samples if "\0" not in s.text and not s.text.startswith("\ufeff")]
    for start in range(0, len(samples), 100):
        batch = samples[start : start + 100]
        truths = oracle.verdicts([sample.text for sample in batch])
        for sample, truth in zip(batch, truths, strict=True):
            if truth is None:  # it crashes the interpreter
                continue
            if accepts(version, sample) != truth and not tolerated(version, sample.text, truth):
                found.append((sample, truth))
    return found


def library(
    version: str, rng: random.Random, count: int, longest: int = 60_000, installed: bool = False
) -> Iterator[str]:
    """Valid files of a version's standard library; of the newest available one for a version without an interpreter.

    installed: of the packages for it and for the running interpreter instead.
    """
    paths = list(_paths(version, installed))
    rng.shuffle(paths)
    oracle = oracles.find(version)
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8").removeprefix("\ufeff")
        except (UnicodeDecodeError, OSError):
            continue
        if count > 0 and 200 <= len(text) <= longest and (oracle is None or oracle.verdicts([text])[0]):
            count -= 1
            yield text


def python_files(version: str) -> tuple[Path | zipfile.Path, ...]:
    """Paths of a version's standard library, and of the packages for it and for the running interpreter."""
    return _paths(version, False) + _paths(version, True)


@cache
def _paths(version: str, installed: bool) -> tuple[Path | zipfile.Path, ...]:
    root = _library_of(version)
    if not installed and oracles.interpreter(version) is None and (zipped := oracles.zipped_library(version)).exists():
        return tuple(zipfile.Path(zipped, name) for name in zipfile.ZipFile(zipped).namelist() if name.endswith(".py"))
    if not installed:
        return tuple(p for p in _files_in(root) if "site-packages" not in p.parts) if root else ()
    roots = ([root / "site-packages"] if root else []) + [Path(sysconfig.get_paths()["purelib"])]
    return tuple(p for place in roots for p in _files_in(place))


@cache
def _files_in(folder: Path) -> tuple[Path, ...]:
    """Python files in a folder and those within it, in order."""
    found = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".py"))
    return tuple(map(Path, sorted(found)))


@cache
def _library_of(version: str) -> Path | None:
    for name in (version, *reversed(VERSIONS)):
        path = oracles.interpreter(name)
        if path is not None:
            return Path(path).resolve().parent.parent / "lib" / f"python{name}"
    return None


@cache
def _strings(version: str) -> tuple[str, ...]:
    root = _library_of(version)
    found: dict[str, None] = {}
    about = re.compile(
        "syntax|grammar|fstring|named_expr|patma|type_params|type_al|tokenize|ast|compile|codeop|unparse|except"
        "|positional|generator|genexp|comps|decorat|test_with|coroutines|string|future|scope|traceback|eof|tstring"
    )
    for path in sorted((root / "test").rglob("test_*.py")) if root else []:
        if not about.search(path.name):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and 1 < len(node.value) < 3000:
                if not re.search("[\0\ud800-\udfff]", node.value):
                    found[node.value] = None
    return tuple(found)


def _cut(text: str, rng: random.Random, longest: int) -> tuple[str, str, str]:
    return cut(text, rng, longest) if text else ("", "", "")
