"""The messages of errors found in several places: while a scope is read, where it ends, and behind the cursor."""

from __future__ import annotations

ASYNC_BEGINS = "'async():' begins a function"
CONSTRUCTOR_KIND = "a constructor is no accessor, async or generator"
HAS_RESULT = "'(...): x => ...' is a function here, of type 'x', and a ':' comes after it"
NAME_IS_NO_CONSTANT = "a name is no constant"
NAMESPACE_EXPORT = "a namespace exports declarations alone"


def declared_twice(name: str) -> str:
    return f"'{name}' is declared twice"


def exported_twice(name: str) -> str:
    return f"'{name}' is exported twice"


def used_early(name: str) -> str:
    return f"'{name}' is used before its declaration"


def only_type(name: str) -> str:
    return f"'{name}' is imported as a type alone"


def static_type_parameter(name: str) -> str:
    return f"a static member reads the type parameter '{name}'"


def cannot_assign(name: str) -> str:
    return f"cannot assign to '{name}'"
