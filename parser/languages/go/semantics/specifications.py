"""Declarations of constants, variables and types, with type parameters told apart from arrays."""

from __future__ import annotations

from .automaton import ENDS, NAME, NIL, Broken, Checker, Frame, takes
from .tokens import FIXED
from .types import type_literal

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
        m.push("type_next", "" if m.scope is not None else token)
    else:
        m.constant = word == "const"
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
        m.replace("values", word, names, 0 if token == "=" else -1, False)
        return token == "="
    m.replace("typed", word, names)
    m.push("type", False, 0)
    return False


@takes
def _typed(m: Checker, token: str, f: Frame) -> bool:
    m.replace("values", f[1], f[2], 0 if token == "=" else -1, True)
    return token == "="


@takes
def _values(m: Checker, token: str, f: Frame) -> bool:
    """count: of values so far, -1 where there are none; typed: is there a type before them?"""
    _, word, names, count, typed = f
    if count > 0 and m.shape == NIL and not typed:
        m.error("use of untyped nil in variable declaration")
    if token == ",":
        return True
    if token not in ENDS:
        m.replace("values", word, names, count + 1, typed)
        m.push("expression", False, 0)
        return False
    if word == "const":
        m.constant = False
        m.repeated = m.repeated if count < 0 else count
        if m.repeated != len(names):
            m.error("missing init expr" if m.repeated < len(names) else "extra init expr")
    elif count > 0:
        m.assigned(len(names), count)
    for name, number in names:
        m.declare(name, number if word == "var" and m.scope is not None else 0, word)
    if word == "var" and m.scope is not None:
        m.variable_declared()
    m.pop()
    return False


@takes
def _type_next(m: Checker, token: str, f: Frame) -> bool:
    """Behind the name of a type; name: at package level."""
    name = f[1]
    if token == "[":
        m.replace("type_bracket", None, name)
        return True
    m.replace("declared_as", name)
    return False


@takes
def _type_bracket(m: Checker, token: str, f: Frame) -> bool:
    """Behind the bracket: the length of an array, or type parameters."""
    if f[1] is None:
        if token not in FIXED:
            m.replace("type_bracket", token, f[2])
            return True
        _array(m)
        return False
    name = f[1]
    if token in ("*", "("):
        m.replace("undecided", name, (token,), 0, f[2])
        return True
    if token == "]" or (token in FIXED and token not in _TYPE_START and token not in ("~", ",")):
        m.use(name)
        _array(m)
        if token != "]":
            m.push("expression", False, NAME)
        return False
    _parametrized(m, name, f[2])
    return False


def _array(m: Checker) -> None:
    m.replace("type", False, 0)
    m.push("items", "]")


@takes
def _declared_as(m: Checker, token: str, f: Frame) -> bool:
    """What a type is declared as, behind what there may be of `=`."""
    name = f[1]
    if token == "=":
        return True
    m.pop()
    if name and token == "struct":
        return type_literal(m, token, name)
    if name and token not in FIXED:
        m.bases += ((name, token),)
    m.push("type", False, 0)
    return False


def _parametrized(m: Checker, name: str, owner: str) -> None:
    m.open_scope()
    m.deferred = ()
    m.replace("aliased", owner)
    m.push("type_parameters", (), (name, 0))


@takes
def _aliased(m: Checker, token: str, f: Frame) -> bool:
    """What follows the type parameters of a type: `=` for an alias, or the type itself."""
    m.replace("parametrized_end")
    m.push("declared_as", f[1])
    return False


@takes
def _parametrized_end(m: Checker, token: str, f: Frame) -> bool:
    m.close_scope()
    m.pop()
    return False


@takes
def _undecided(m: Checker, token: str, f: Frame) -> bool:
    """`[P *C` and `[P (C`: parameters where a comma follows, or what no expression has."""
    _, name, tokens, depth, owner = f
    if token in ("(", "[", "{"):
        depth += 1
    elif depth and token in (")", "]", "}"):
        depth -= 1
    elif token in ("]", ","):
        if token == "," or _CONSTRAINT & set(tokens):
            _parametrized(m, name, owner)
        else:
            m.use(name)
            _array(m)
            m.push("expression", False, NAME)
        for one in (*tokens, token):
            m.number -= 1
            m.feed(one)
        return True
    m.replace("undecided", name, (*tokens, token), depth, owner)
    return True
