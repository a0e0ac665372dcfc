"""After `import` and `from module import`: the names that the file uses and lacks, or the one thing that a module is for."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from pathlib import PurePosixPath

from .cursor import ALWAYS_THERE, MAX_CHARS, Cursor

_MANY = 12  # in a module of which one is the only one that it does not use
_MODULES = frozenset(sys.stdlib_module_names)

_FROM = re.compile(r"from[ \t]++(?P<module>\.*+[\w.]*+)[ \t]++import[ \t]$")
_ASSIGNED_IN_MODULE = re.compile(r"^[^\W\d_]\w*[ \t]*(?::[^=\n]+)?=(?!=)", re.MULTILINE)
_IMPORT = re.compile(r"import[ \t]$")


def imported(cursor: Cursor) -> str | None:
    """`from module import `: names that the file uses, lacks, and that the module has."""
    match = _FROM.fullmatch(cursor.line.strip() + " ") if cursor.line.endswith((" ", "\t")) else None
    if match is None or cursor.rest.strip():
        return None
    there = _names_of(match["module"], cursor)
    missing = sorted(_missing(cursor) & there, key=_import_order) if there else []
    return ", ".join(missing) if 0 < len(missing) <= 8 else None


def only_name(cursor: Cursor) -> str | None:
    """`from module import `, where the module is an open file with one public function or class, and no other public name: this."""
    text = _imported_text(cursor)
    defined = _public_functions(text)
    if len(defined) != 1 or _ASSIGNED_IN_MODULE.search(text) or re.search(rf"\b{defined[0]}\b", cursor.left):
        return None
    return defined[0]


def only_unused(cursor: Cursor) -> str | None:
    """The same, where it has several: the only function or class that it does not use itself."""
    text = _imported_text(cursor)
    defined = _public_functions(text)
    unused = (
        [name for name in defined if len(re.findall(rf"\b{name}\b", text)) == 1] if 1 < len(defined) <= _MANY else []
    )
    return unused[0] if len(unused) == 1 and not re.search(rf"\b{unused[0]}\b", cursor.left) else None


def module(cursor: Cursor) -> str | None:
    """`import `: a standard module that the file uses and does not import yet."""
    if not _IMPORT.fullmatch(cursor.line) or cursor.rest.strip():
        return None
    missing = sorted(name for name in _missing(cursor) if name in _MODULES)
    return missing[0] if missing else None


def _imported_text(cursor: Cursor) -> str:
    """Behind `from module import `: the module's text, if it is an open file."""
    match = _FROM.fullmatch(cursor.line.strip() + " ") if cursor.line.endswith((" ", "\t")) else None
    module = match["module"].lstrip(".") if match else ""
    return (_module_text(module, cursor, packages=False) or "") if module and not cursor.rest.strip() else ""


def _public_functions(text: str) -> list[str]:
    return re.findall(r"^(?:(?:async[ \t]+)?def|class)[ \t]+([^\W_]\w*)", text, re.MULTILINE)


def _missing(cursor: Cursor) -> frozenset[str]:
    """The names that the file, without the cursor's line, uses and does not have."""
    if len(cursor.left) + len(cursor.right) > MAX_CHARS:
        return frozenset()
    line_start = len(cursor.left) - len(cursor.line)
    text = cursor.left[:line_start] + cursor.right[len(cursor.right.split("\n", 1)[0]) :]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    used: set[str] = set()
    bound: set[str] = set(ALWAYS_THERE)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name):
                bound.add(name)
            case (
                ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                if name == "*":
                    return frozenset()  # whatever it brings
                bound.add(other or name.split(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
            case ast.MatchMapping(rest=str(name)):
                bound.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                bound.update(names)
            case _:
                pass
    return frozenset(used - bound)


def _names_of(module: str, cursor: Cursor) -> frozenset[str]:
    """The names of a module: of an open file that it may be, or of a standard one that this process has loaded."""
    text = _module_text(module, cursor)
    if text is not None:
        defined = re.findall(r"^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)", text, re.MULTILINE)
        assigned = re.findall(r"^([^\W\d]\w*)[ \t]*(?::[^=\n]+)?=(?!=)", text, re.MULTILINE)
        return frozenset((*defined, *assigned))
    if not module.startswith(".") and module.split(".")[0] in _MODULES:
        loaded = sys.modules.get(module)
        return frozenset(dir(loaded)) if loaded is not None else frozenset()
    return frozenset()


def _module_text(module: str, cursor: Cursor, packages: bool = True) -> str | None:
    """The text of a module that is among the other files; packages: or of a package's first file."""
    wanted = "/".join(part for part in module.split(".") if part)
    for path, text in cursor.others if wanted else ():
        pure = PurePosixPath(path)
        if pure.name == "__init__.py" and not packages:
            continue
        stem = (pure.parent if pure.name == "__init__.py" else pure.with_suffix("")).as_posix()
        if stem == wanted or stem.endswith("/" + wanted):
            return text
    return None


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions, each by the alphabet, as isort and ruff sort them."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name
