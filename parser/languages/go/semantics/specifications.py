"""Declarations of constants, variables and types, with type parameters told apart from arrays."""

from __future__ import annotations

from .automaton import ENDS, NAME, Broken, Checker, Frame, takes
from .tokens import FIXED

_CONSTRAINT = frozenset(["~", "interface", "struct", "map", "chan", "func"])
_TYPE_START = frozenset(["*", "[", "map", "chan", "struct", "interface", "func", "<-", "("])


@takes
def _declaration(m: Checker, token: str, f: Frame) -> bool:
    _, word, grouped = f
    if token == "(" and not grouped:
        m.replace("declaration", word, True)
        return True
    if token == ")" and grouped:
        m.pop()
        return True
    if token in ENDS:
        if grouped:
            return True
        m.pop()
        return False
    if token in FIXED:
        raise Broken
    if word == "type":
        m.declare(token, 0, word)
        m.push("type_next")
    else:
        m.push("specification", word, ((token, m.number),), False)
    return True


@takes
def _specification(m: Checker, token: str, f: Frame) -> bool:
    """Names so far; more: another one comes next."""
    _, word, names, more = f
    if token == ",":
        m.replace("specification", word, names, True)
        return True
    if more:
        m.replace("specification", word, (*names, (token, m.number)), False)
        return True
    if token == "=" or token in ENDS:
        m.replace("values", word, names)
        return token == "="
    m.replace("typed", word, names)
    m.push("type", False, 0)
    return False


@takes
def _typed(m: Checker, token: str, f: Frame) -> bool:
    m.replace("values", f[1], f[2])
    return token == "="


@takes
def _values(m: Checker, token: str, f: Frame) -> bool:
    _, word, names = f
    if token == ",":
        return True
    if token not in ENDS:
        m.push("expression", False, 0)
        return False
    for name, number in names:
        m.declare(name, number if word == "var" and m.scope is not None else 0, word)
    if word == "var" and m.scope is not None:
        m.variable_declared()
    m.pop()
    return False


@takes
def _type_next(m: Checker, token: str, f: Frame) -> bool:
    """Behind the name of a type."""
    if token == "[":
        m.replace("type_bracket", None)
        return True
    m.pop()
    m.push("type", False, 0)
    return token == "="


@takes
def _type_bracket(m: Checker, token: str, f: Frame) -> bool:
    """Behind the bracket: the length of an array, or type parameters."""
    if f[1] is None:
        if token not in FIXED:
            m.replace("type_bracket", token)
            return True
        _array(m)
        return False
    name = f[1]
    if token in ("*", "("):
        m.replace("undecided", name, (token,), 0)
        return True
    if token == "]" or (token in FIXED and token not in _TYPE_START and token not in ("~", ",")):
        m.use(name)
        _array(m)
        if token != "]":
            m.push("expression", False, NAME)
        return False
    _parametrized(m, name)
    return False


def _array(m: Checker) -> None:
    m.replace("type", False, 0)
    m.push("items", "]")


def _parametrized(m: Checker, name: str) -> None:
    m.open_scope()
    m.deferred = ()
    m.replace("aliased")
    m.push("type_parameters", (), (name, 0))


@takes
def _aliased(m: Checker, token: str, f: Frame) -> bool:
    """What follows the type parameters of a type: `=` for an alias, or the type itself."""
    m.replace("parametrized_end")
    m.push("type", False, 0)
    return token == "="


@takes
def _parametrized_end(m: Checker, token: str, f: Frame) -> bool:
    m.close_scope()
    m.pop()
    return False


@takes
def _undecided(m: Checker, token: str, f: Frame) -> bool:
    """`[P *C` and `[P (C`: parameters where a comma follows, or what no expression has."""
    _, name, tokens, depth = f
    if token in ("(", "[", "{"):
        depth += 1
    elif depth and token in (")", "]", "}"):
        depth -= 1
    elif token in ("]", ","):
        if token == "," or _CONSTRAINT & set(tokens):
            _parametrized(m, name)
        else:
            m.use(name)
            _array(m)
            m.push("expression", False, NAME)
        for one in (*tokens, token):
            m.number -= 1
            m.feed(one)
        return True
    m.replace("undecided", name, (*tokens, token), depth)
    return True
