"""The messages of errors found in several places: in a function, at package level, at the cursor."""

from __future__ import annotations

from collections.abc import Sequence

BLANK_SELECTOR = "cannot refer to blank field or method"
DIVISION = "invalid operation: division by zero"
FALLTHROUGH = "fallthrough statement out of place"
MISSING_KEY = "missing key in map literal"
MIXTURE = "mixture of field:value and value elements in struct literal"


def redeclared(name: str) -> str:
    return f"{name} redeclared in this block"


def method_declared(names: Sequence[str]) -> str:
    """names: of a type and its method."""
    return f"method {'.'.join(names)} already declared"


def non_local(type_: str) -> str:
    return f"cannot define new methods on non-local type {type_}"


def invalid_receiver(type_: str) -> str:
    return f"invalid receiver type {type_}"


def recursive(type_: str) -> str:
    return f"invalid recursive type {type_}"


def out_of_bounds(index: int | str, length: int) -> str:
    return f"index {index} out of bounds [0:{length}]"


def no_operator(operator: str) -> str:
    return f"invalid operation: operator {operator} not defined here"


def jumps_into_block(label: str) -> str:
    return f"goto {label} jumps into block"


def duplicate_case(value: str) -> str:
    return f"duplicate case {value}"


def unselected(package: str) -> str:
    return f"use of package {package} not in selector"
