"""Real Python interpreters as judges of syntax: one long-lived process per version, `ast.parse` on batches of texts.

Interpreters are found among pyenv's versions and on PATH; WebAssembly builds, run by Node, stand in for the newest (`npm ci --prefix
tests/support/pyodide`, as does `make .venv/.oracles`). SUTURE_ORACLES adds commands with the same protocol, as "3.14=command arguments;...":
a JSON list of texts on one line in, a line of 0 and 1 out.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from .oracle_typescript import node
from .programs import program

_JUDGE = r"""
import ast, json, sys, warnings
warnings.simplefilter("ignore")
def parses(text):
    try:
        ast.parse(text)
        return True
    except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
        return False
def answer(line):
    return "".join("01"[parses(text)] for text in json.loads(line))
"""
_COMPILING = _JUDGE.replace("ast.parse(text)", 'compile(text, "<text>", "exec", dont_inherit=True)')
_LOOP = r"""
sys.stdout.write("ready\n")
sys.stdout.flush()
for line in sys.stdin:
    sys.stdout.write(answer(line) + "\n")
    sys.stdout.flush()
"""
_PYODIDE = Path(__file__).with_name("pyodide")

_GIVEN: dict[str, str] = {}


class Oracle:
    """One interpreter; its process ends with this one."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self.crashes: list[str] = []
        """texts that crash the interpreter"""
        self._start()
        atexit.register(self.close)

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def parse(self, texts: Sequence[str]) -> list[bool]:
        """Which of the texts are valid files."""
        found = self.verdicts(texts)
        crashes = [text for text, valid in zip(texts, found, strict=True) if valid is None]
        assert not crashes, f"the interpreter crashes: {crashes[0]!r}"
        return [bool(valid) for valid in found]

    def verdicts(self, texts: Sequence[str]) -> list[bool | None]:
        """The same; None for a text that reproducibly crashes the interpreter. These are kept in `crashes`."""
        answers = self._answers(texts)
        if len(answers) != len(texts):
            self.close()
            self._start()
            if len(texts) > 1:
                half = len(texts) // 2
                return self.verdicts(texts[:half]) + self.verdicts(texts[half:])
            answers = self._answers(texts)
            if not answers:
                self.close()
                self._start()
                self.crashes.append(texts[0])
                return [None]
        return [answer == "1" for answer in answers]

    def _answers(self, texts: Sequence[str]) -> str:
        """A character for each text; "" where the interpreter dies."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(list(texts)) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return ""
        return self._line()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):  # unread by a dead process
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def interpreter(version: str) -> str | None:
    """The path of an interpreter of that version (3.11, ...), or None."""
    if version in _GIVEN:
        return _GIVEN[version]
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return sys.executable
    root = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    found = sorted(root.glob(f"{version}.*/bin/python{version}"))
    return str(found[-1]) if found else program(f"python{version}")


def zipped_library(version: str) -> Path:
    """The path of a WebAssembly interpreter's standard library, existing or not."""
    return _PYODIDE / "node_modules" / f"pyodide-{version}" / "python_stdlib.zip"


def use(version: str, path: str) -> None:
    """Use this interpreter for a version from now on."""
    _GIVEN[version] = path
    find.cache_clear()


def _command(version: str, judge: str) -> list[str] | None:
    path = interpreter(version)
    if path:
        return [path, "-I", "-S", "-u", "-X", "utf8", "-c", judge + _LOOP]
    program = node()
    if program is not None and (_PYODIDE / "node_modules" / f"pyodide-{version}").exists():
        return [program, str(_PYODIDE / "oracle.mjs"), version, judge]
    return None


def _given(version: str) -> list[str] | None:
    for entry in filter(None, os.environ.get("SUTURE_ORACLES", "").split(";")):
        name, _, command = entry.partition("=")
        if name.strip() == version:
            return shlex.split(command)
    return None


@cache
def find(version: str) -> Oracle | None:
    """The oracle of a version, started once; None without one."""
    command = _given(version) or _command(version, _JUDGE)
    return Oracle(command) if command else None


def oracle(version: str) -> Oracle:
    """The oracle of a version; skips the test without one."""
    found = find(version)
    if found is None:
        pytest.skip(f"no Python {version} here")
    return found


@cache
def find_compiler(version: str) -> Oracle | None:
    """The same with `compile()` as the judge, without those named in SUTURE_ORACLES."""
    command = _command(version, _COMPILING)
    return Oracle(command) if command else None


def compiler(version: str) -> Oracle:
    """The compiler of a version; skips the test without one."""
    found = find_compiler(version)
    if found is None:
        pytest.skip(f"no Python {version} here")
    return found


def crashes(version: str) -> list[str]:
    """Texts that crashed the interpreter of a version, as a parser or as a compiler."""
    found = (find(version), find_compiler(version))
    return [text for one in found if one is not None for text in one.crashes]


def close_all(versions: Sequence[str]) -> None:
    """End the processes of these versions."""
    for version in versions:
        found = find(version)
        if found is not None:
            found.close()
    find.cache_clear()
