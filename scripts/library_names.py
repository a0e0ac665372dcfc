"""Writes the names of standard library modules that their source does not show: compiled ones, and those that create names at run time.

    python scripts/library_names.py [PYTHON...]

A Python is a command, such as "node tests/support/pyodide/python.mjs 3.15". The names come from pyright's type stubs (typeshed), of all
versions and platforms together, from `dir` in the given interpreters, and from all reads in their library's own source, also for other
platforms. So no name of any Python counts as unknown.
"""

from __future__ import annotations

import ast
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyright

TARGET = Path(__file__).parent.parent / "parser/languages/python/semantics/library_names.json"
ELSEWHERE = ("nt", "winreg", "msvcrt", "_winapi", "winsound")
"""Modules compiled on other systems."""
DYNAMIC = (
    "os", "ctypes", "curses", "dataclasses", "hashlib", "inspect", "io", "locale", "multiprocessing", "signal",
    "socket", "sqlite3", "ssl", "sysconfig", "tkinter", "token", "tokenize", "types", "typing", "unittest",
    "warnings", "zoneinfo",
)  # fmt: skip
"""Modules with names created at run time."""
_NAMES = """
import ast, importlib, json, os, sys, sysconfig, warnings, zipfile
warnings.simplefilter("ignore")
folder = os.path.join(sysconfig.get_paths()["stdlib"], "lib-dynload")
files = os.listdir(folder) if os.path.isdir(folder) else ()
found = {*sys.builtin_module_names, *(name.partition(".")[0] for name in files), *sys.argv[1].split()}
answer = {}
for name in sorted(found):
    if not name.startswith(("_test", "_xx", "xx", "__", "_ctypes_test", "parser", "_peg_parser", "_pyodide")):
        try:
            answer[name] = dir(importlib.import_module(name))
        except ImportError:
            pass
def sources():
    zipped = [path for path in sys.path if path.endswith(".zip") and os.path.isfile(path)]
    for archive in map(zipfile.ZipFile, zipped):
        yield from (archive.read(name) for name in archive.namelist() if name.endswith(".py"))
    for folder, folders, files in os.walk(sysconfig.get_paths()["stdlib"]):
        folders[:] = [name for name in folders if name not in ("test", "tests", "idlelib", "lib2to3", "site-packages")]
        for name in files:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb") as file:
                    yield file.read()
def names_read(tree):
    modules, bound = {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update({(one.asname or one.name): one.name for one in node.names})
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.module, one.name) for one in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.append(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.append(node.id)
    for node in ast.walk(tree):  # "nt = None" stands for a module that could not be imported
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None:
            for name in node.targets:
                if isinstance(name, ast.Name):
                    bound.remove(name.id)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in bound:
            yield modules.get(node.value.id), node.attr
read = {}
for source in sources():
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        continue
    for module, name in names_read(tree):
        if name != "*":
            read.setdefault(module, set()).add(name)
print(json.dumps([answer, {module: sorted(read[module]) for module in read if module}]))
"""


def typeshed() -> Path:
    """The stubs of the standard library."""
    return Path(pyright.__file__).parent / "dist" / "dist" / "typeshed-fallback" / "stdlib"


def stub_names(folder: Path, module: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """The names bound in a stub, on any platform and in any version."""
    place = folder.joinpath(*module.split("."))
    path = place / "__init__.pyi" if place.is_dir() else place.with_suffix(".pyi")
    if module in seen or not path.is_file():
        return set()
    names: set[str] = set()
    for node in _statements(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {one.id for one in node.targets if isinstance(one, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names if alias.asname == alias.name}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    around = module if place.is_dir() else module.rpartition(".")[0]
                    inner = f"{around}.{node.module}" if node.level else node.module or ""
                    names |= stub_names(folder, inner, seen | {module})
                elif alias.asname == alias.name:  # else it is the stub's own
                    names.add(alias.name)
    return names


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            yield from _statements(node.body)
            yield from _statements(node.orelse)


def main(pythons: list[str]) -> None:
    """Write the file."""
    names: dict[str, set[str]] = {}
    for python in pythons or [sys.executable]:
        command = [*shlex.split(python), "-I", "-c", _NAMES, " ".join(DYNAMIC)]
        answer, read = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for module, found in answer.items():
            names.setdefault(module, set()).update(found)
        for module in names.keys() & read.keys() | read.keys() & set(ELSEWHERE):
            names.setdefault(module, set()).update(read[module])
    for module in ELSEWHERE:
        names.setdefault(module, set())
    names.pop("builtins", None)
    folder = typeshed()
    for module, found in names.items():
        found |= stub_names(folder, module)
    names["sys"] |= {
        "_MEIPASS",
        "frozen",
        "real_prefix",
        "pypy_version_info",
    }  # given by PyInstaller, virtualenv and PyPy
    # Names common to all modules are left out.
    kept = {
        module: " ".join(sorted(name for name in found if not (name.startswith("__") and name.endswith("__"))))
        for module, found in sorted(names.items())
        if found
    }
    TARGET.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")
    print(f"{len(kept)} modules, {sum(text.count(' ') + 1 for text in kept.values())} names")


if __name__ == "__main__":
    main(sys.argv[1:])
