"""Imports; the value of an imported module or name is its own name, or with the one it gets."""

from __future__ import annotations

from typing import Any

from ..line_values import ALWAYS, LAZY
from ..operations import Operations, both, each, together
from ..targets import Mark
from .registry import keeps, rule
from .values import Value, all_of, bind_name, constant, joined, one

FUTURE, RELATIVE_FUTURE = Mark("FUTURE"), Mark("RELATIVE_FUTURE")
"""The operands of imports from `__future__`, whose path are its features."""


@rule("dotted+", "dots: dots dot")
def dotted(*parts: str) -> str:
    return "".join(parts)


@rule("module: any_dotted as name", "import_name: any_name as name")
def renamed(imported: str, as_: str, name: str) -> tuple[str, str]:
    return imported, name


rule("modules: module", "import_names: import_name", "names: any_name")(one)
keeps(1, "imported+")


@rule("modules+", "import_names+", "names+")
def more(before: Any, comma: str, last: Any) -> Any:
    return joined(before, comma, one(last))


def _imported(name: str, binding: tuple[str, ...]) -> Operations:
    return both(bind_name(name, "imported"), ("fact", "made", name, binding)) if name else None


@rule("import: import modules")
def import_modules(word: str, modules: Any) -> Value:
    given = (module if module.__class__ is tuple else (module.split(".")[0],) * 2 for module in modules[0])
    return all_of(*(_imported(name, ("module", path)) for path, name in given))


@rule("import+")
def import_names(*parts: Any) -> Value:
    _, *origins, _, names = parts
    module = "".join(origins)
    if names == "*":
        return constant(("import *", module))
    given = [name if name.__class__ is tuple else (name, name) for name in names[0]]
    operations = together(*(_imported(name, ("from", module, origin)) for origin, name in given))
    if module.lstrip(".") != "__future__":
        return constant(operations)
    relative = module[0] == "."
    imported = tuple(origin for origin, _ in given if origin)
    features = tuple("." * relative + feature for feature in imported)
    return RELATIVE_FUTURE if relative else FUTURE, features, both(operations, ("future", imported, relative))


@rule("simple: lazy import")
def lazy_import(lazy: str, imported: Value) -> Value:
    operand, features, operations = imported or (None, None, None)
    error: Operations = None
    if operand is FUTURE:
        error = "error", "lazy from __future__ import is not allowed", ALWAYS
    for operation in each(operations):
        if operation[0] == "import *":
            error = "error", f"lazy from {operation[1]} import * is not allowed", ALWAYS
    return operand, features, together(("flag", LAZY), operations, error)
