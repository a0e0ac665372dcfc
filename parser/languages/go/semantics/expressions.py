"""Expressions, and literals with their keys."""

from __future__ import annotations

from .automaton import LITERAL, NAME, OTHER, STRUCT, Checker, Frame, takes
from .tokens import FIXED, NUMBER, STRING
from .types import type_literal

_BINARY = frozenset(
    ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "<-"]
)
_UNARY = frozenset(["+", "-", "!", "^", "*", "&", "<-", "~"])


@takes
def _items(m: Checker, token: str, f: Frame) -> bool:
    """Expressions or types up to what closes them."""
    if token == f[1]:
        m.pop()
        return True
    if token in (",", "...", ":"):
        return True
    m.push("expression", False, 0)
    return False


@takes
def _expression(m: Checker, token: str, f: Frame) -> bool:
    """header: a brace is that of a block."""
    _, header, after = f
    if not after:
        if token not in FIXED:
            m.use(token)
            m.replace("expression", header, NAME)
            return True
        if token in (NUMBER, STRING):
            m.replace("expression", header, OTHER)
            return True
        if token in _UNARY:
            return True
        if token == "(":
            m.replace("expression", header, OTHER)
            m.push("items", ")")
            return True
        if token == "func":
            m.replace("expression", header, OTHER)
            m.push("parameters_next", "lit", ())
            return True
        if token == "type":
            m.type_switch = True
            m.replace("expression", header, OTHER)
            return True
        kind = LITERAL if token in ("[", "map") else STRUCT if token == "struct" else OTHER
        m.replace("expression", header, kind)
        return type_literal(m, token)
    if token == ".":
        m.push("selector")
        return True
    if token == "[":
        if after != NAME:
            m.replace("expression", header, OTHER)
        m.push("items", "]")
        return True
    if token == "(":
        m.replace("expression", header, OTHER)
        m.push("items", ")")
        return True
    if token == "{" and (after in (LITERAL, STRUCT) or (after == NAME and not header)):
        m.replace("expression", header, OTHER)
        m.push("literal", after != LITERAL, after == STRUCT)
        return True
    if token in _BINARY:
        m.replace("expression", header, 0)
        return True
    m.pop()
    return False


@takes
def _literal(m: Checker, token: str, f: Frame) -> bool:
    """A composite literal; fields: its keys may be fields, only: they are."""
    if token == "}":
        m.pop()
    elif token in (",", ":"):
        pass
    elif token == "{":
        m.push("literal", True, False)
    elif token not in FIXED:
        m.push("key", token, f[1], f[2])
    else:
        m.push("expression", False, 0)
        return False
    return True


@takes
def _key(m: Checker, token: str, f: Frame) -> bool:
    _, name, fields, only = f
    if token == ":" and fields:
        if not only:
            m.maybe_use(name)
        m.pop()
    else:
        m.use(name)
        m.replace("expression", False, NAME)
    return False
