"""The kinds of names, and the roles each may have: a package is no value, a variable is no type, and so on.

A use is a role with its details; a kind is the word of a declaration, "package", "builtin", "nil", or "flag" for a constant that may
be a truth value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .....common.words import words_of
from .messages import unselected
from .universe import PREDECLARED

(
    VALUE,
    NAME,
    CALLED,
    GIVES,
    TYPE,
    PACKAGE,
    STATED,
    DEFERRED,
    CONSTANT,
    COMPUTES,
    ASSIGNED,
    MAKES,
    LENGTH,
    ALLOCATES,
    COUNTS,
    RECEIVES,
    TERM,
    HAS_VALUES,
) = range(18)
"""A value; a value or a type; called; a call that must give so many values; a type; before the point in a type; called as a
statement; by `defer` or `go`; a constant; called within a constant; assigned to; called with a type; the length of an array; `new`
with an argument that is no type for certain; `iota` outside of constants; a receiver with so many type parameters; a term of a union,
with `~` or not, alone or not, with so many type arguments; a type of values, with so many type arguments."""

UNBOUNDED = 1 << 30
BUILTINS = {
    "append": (1, UNBOUNDED, 1), "cap": (1, 1, 1), "clear": (1, 1, 0), "close": (1, 1, 0), "complex": (2, 2, 1), "copy": (2, 2, 1), "delete": (2, 2, 0),
    "imag": (1, 1, 1), "len": (1, 1, 1), "make": (1, 3, 1), "max": (1, UNBOUNDED, 1), "min": (1, UNBOUNDED, 1), "new": (1, 1, 1), "panic": (1, 1, 0),
    "print": (0, UNBOUNDED, 0), "println": (0, UNBOUNDED, 0), "real": (1, 1, 1), "recover": (0, 0, 1),
}  # fmt: skip
"""Name: fewest arguments, most, results."""
_STATEMENTS = words_of("clear close copy delete panic print println recover")
_COMPUTED_LATER = words_of("append clear close copy delete make new panic print println recover")
_CONSTANTS = words_of("true false iota")
_REDECLARED = words_of("any clear close comparable complex copy delete imag max min new print println real")
"""Predeclared names often redeclared by packages."""


Use = tuple[Any, ...]
"""A role and its details."""


class Function(NamedTuple):
    """The facts of one of the file's functions."""

    fewest: int
    most: int
    results: int
    types: int = 0
    """type parameters"""


def universal(name: str, *, surely: bool) -> str:
    """The kind of a predeclared name; "" for none. surely: whether the package is known not to redeclare it."""
    if name not in PREDECLARED or (not surely and name in _REDECLARED):
        return ""
    if name in BUILTINS:
        return "builtin"
    return "nil" if name == "nil" else "flag" if name in _CONSTANTS else "type"


def misused(name: str, use: Use, kind: str, function: Function | None = None) -> str | None:
    """Why a name of a kind may not stand where it does; None where it may. function: the function of this name."""
    role = use[0]
    if kind == "package":
        return None if role == PACKAGE else unselected(name)
    if role == PACKAGE:
        return f"{name} is not a package"
    is_type = kind in ("type", "struct")
    if role == TYPE:
        return None if is_type or kind == "nil" else f"{name} is not a type"
    if kind == "builtin":
        function = Function(*BUILTINS[name])
    if role == VALUE:
        return f"{name} (type) is not an expression" if is_type else _uncalled(name, kind)
    if role == CALLED:
        return _miscalled(name, use, kind, function)
    if role == GIVES:
        return _given(name, use[1], 1 if is_type else function.results if function is not None else -1)
    if role in (STATED, DEFERRED):
        if is_type or (kind == "builtin" and name not in _STATEMENTS):
            return f"{name}(...) is not used" if role == STATED else f"defer discards result of {name}(...)"
    elif role == MAKES:
        return None if kind == "builtin" and name in ("make", "new") else f"a type is no argument of {name}"
    elif role == LENGTH:
        return None if kind in ("const", "flag") else f"invalid array length {name}"
    elif role == ASSIGNED:
        return None if kind == "var" else f"cannot assign to {name}"
    elif role == CONSTANT:
        return f"{name} is not constant" if kind in ("var", "func") else None
    elif role == COMPUTES:
        return f"{name}(...) is not constant" if kind in ("var", "func") or name in _COMPUTED_LATER else None
    return None


def _uncalled(name: str, kind: str) -> str | None:
    return f"{name} (built-in) must be called" if kind == "builtin" else None


def _miscalled(name: str, use: Use, kind: str, function: Function | None) -> str | None:
    _, count, spread = use
    if kind in ("const", "flag", "nil"):
        return f"invalid operation: cannot call non-function {name}"
    if kind in ("type", "struct"):
        if count == 0:
            return f"missing argument in conversion to {name}"
        return f"too many arguments in conversion to {name}" if count > 1 else None
    if function is None or count < 0:
        return None
    if spread and (function.most < UNBOUNDED or (kind == "builtin" and name != "append")):
        return f"cannot use ... in call to {name}"
    fewest, most = (function.fewest + 1,) * 2 if spread else function[:2]
    if count < fewest:
        return f"not enough arguments in call to {name}"
    return f"too many arguments in call to {name}" if count > most else None


def _given(name: str, wanted: int, results: int) -> str | None:
    """Why a call with these results may not stand where a number of values is wanted; wanted: 0 for at least one."""
    if results < 0 or (results and wanted in (0, results)):
        return None
    if results == 0:
        return f"{name}(...) (no value) used as value"
    return f"assignment mismatch: {wanted} value{'s' * (wanted > 1)} but {name}(...) returns {results}"


Uses = frozenset[tuple[str, Use]]
"""(name, use)"""
NO_USES: Uses = frozenset[Any]()
