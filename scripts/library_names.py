"""Writes the names of the standard library's modules whose source does not tell them: compiled ones, and those that make names as they run.

    python scripts/library_names.py [PYTHON...]

They are those of the type stubs that pyright brings (typeshed), of all versions and platforms together, and what the given interpreters
answer to `dir`. So a name that some Python has is never taken for one that does not exist.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyright

TARGET = Path(__file__).parent.parent / "parser/languages/python/semantics/library_names.json"
ELSEWHERE = ("nt", "winreg", "msvcrt", "_winapi", "winsound")
"""Modules that are compiled on other systems."""
DYNAMIC = (
    "os", "ctypes", "curses", "dataclasses", "hashlib", "inspect", "io", "locale", "multiprocessing", "signal",
    "socket", "sqlite3", "ssl", "sysconfig", "tkinter", "token", "tokenize", "types", "typing", "unittest",
    "warnings", "zoneinfo",
)  # fmt: skip
"""Modules that make some of their names at run time."""
_NAMES = """
import importlib, json, os, sys, sysconfig, warnings
warnings.simplefilter("ignore")
folder = os.path.join(sysconfig.get_paths()["stdlib"], "lib-dynload")
found = {*sys.builtin_module_names, *(name.partition(".")[0] for name in os.listdir(folder)), *sys.argv[1].split()}
answer = {}
for name in sorted(found):
    if not name.startswith(("_test", "_xx", "xx", "__", "_ctypes_test", "parser", "_peg_parser")):
        try:
            answer[name] = dir(importlib.import_module(name))
        except ImportError:
            pass
print(json.dumps(answer))
"""


def typeshed() -> Path:
    """The stubs of the standard library."""
    return Path(pyright.__file__).parent / "dist" / "dist" / "typeshed-fallback" / "stdlib"


def stub_names(folder: Path, module: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """What a stub binds, on any platform and in any version."""
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
        command = [python, "-I", "-c", _NAMES, " ".join(DYNAMIC)]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for module, found in answer.items():
            names.setdefault(module, set()).update(found)
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
    # What every module has is not said again.
    kept = {
        module: " ".join(sorted(name for name in found if not (name.startswith("__") and name.endswith("__"))))
        for module, found in sorted(names.items())
        if found
    }
    TARGET.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")
    print(f"{len(kept)} modules, {sum(text.count(' ') + 1 for text in kept.values())} names")


if __name__ == "__main__":
    main(sys.argv[1:])
