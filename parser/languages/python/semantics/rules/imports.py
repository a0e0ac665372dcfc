"""Imports; the value of an imported module or name is its own name, or with the one it gets."""

from __future__ import annotations

from typing import Any

from ..line_values import ALWAYS, LAZY
from ..operations import Operations, both, each, together
from .registry import keeps, rule
from .statements import statement
from .values import Statement, bind_name


@rule("dotted: any_dotted . any_name", "dots: dots dot")
def dotted(*parts: str) -> str:
    return "".join(parts)


@rule("module: any_dotted as name", "import_name: any_name as name")
def renamed(imported: str, as_: str, name: str) -> tuple[str, str]:
    return imported, name


@rule("modules: modules , module", "import_names: import_names , import_name")
def more(before: Any, comma: str, imported: Any) -> list[Any]:
    return [*_all(before), imported]


keeps(1, "imported: ( import_names )", "imported: ( import_names , )")


def _all(imported: Any) -> list[Any]:
    return imported if imported.__class__ is list else [imported]


def _imported(name: str, binding: tuple[str, ...]) -> Operations:
    return both(bind_name(name, "imported"), ("fact", "made", name, binding)) if name else None


@rule("import: import modules")
def import_modules(word: str, modules: Any) -> Statement:
    operations: Operations = None
    for module in _all(modules):
        path, name = module if module.__class__ is tuple else (module.split(".")[0],) * 2
        operations = both(operations, _imported(name, ("module", path)))
    return statement(operations)


@rule("import: from any_dotted import imported", "import: from dots import imported")
def import_names(from_: str, module: str, import_: str, names: Any) -> Statement:
    if names == "*":
        return statement(("import *", module))
    operations: Operations = None
    imported: list[str] = []
    for given in _all(names):
        origin, name = given if given.__class__ is tuple else (given, given)
        imported += [origin] if origin else []
        operations = both(operations, _imported(name, ("from", module, origin)))
    if module.lstrip(".") != "__future__":
        return statement(operations)
    relative = module[0] == "."
    features = tuple("." * relative + feature for feature in imported)
    return together(operations, ("future", tuple(imported), relative)), "r" if relative else "f", features


@rule("import: from dots any_dotted import imported")
def import_relative(from_: str, dots: str, module: str, import_: str, names: Any) -> Statement:
    return import_names(from_, dots + module, import_, names)


@rule("simple: lazy import")
def lazy_import(lazy: str, imported: Statement) -> Statement:
    operations, kind, features = imported
    error: Operations = None
    if kind == "f":
        error = "error", "lazy from __future__ import is not allowed", ALWAYS
    for operation in each(operations):
        if operation[0] == "import *":
            error = "error", f"lazy from {operation[1]} import * is not allowed", ALWAYS
    return together(("flag", LAZY), operations, error), kind, features
