"""Expressions, and literals with their keys."""

from __future__ import annotations

from .automaton import (
    CALL,
    INSTANCE,
    LITERAL,
    NAME,
    NIL,
    OTHER,
    PAIR,
    PANIC,
    PANICKED,
    RECEIVED,
    SENT,
    STRUCT,
    TAKES,
    Checker,
    Frame,
    takes,
)
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
        if token == ":":  # a slice is one value
            frame, (below, rest) = m.stack
            m.stack = (frame, ((*below[:2], OTHER), rest))
        return True
    m.push("expression", False, 0)
    return False


@takes
def _expression(m: Checker, token: str, f: Frame) -> bool:
    """header: a brace is that of a block. The frame is an operation behind an operator, a receive behind `<-` alone, a send behind one between two."""
    kind, header, after = f
    if not after:
        if token not in FIXED:
            m.use(token)
            m.replace(kind, header, name_shape(m, token))
            return True
        if token in (NUMBER, STRING):
            m.replace(kind, header, OTHER)
            return True
        if token in _UNARY:
            if kind == "expression":
                m.replace("receive" if token == "<-" else "operation", header, 0)
            return True
        if token == "(":
            m.replace(kind, header, OTHER)
            m.push("parenthesis")
            m.push("expression", False, 0)
            return True
        if token == "func":
            m.replace(kind, header, OTHER)
            m.push("parameters_next", "lit", ())
            return True
        if token == "type":
            m.type_switch = True
            m.replace(kind, header, OTHER)
            return True
        m.replace(kind, header, LITERAL if token in ("[", "map") else STRUCT if token == "struct" else OTHER)
        return type_literal(m, token)
    if token == ".":
        m.push("selector")
        return True
    if token == "[":
        m.replace(kind, header, INSTANCE if after in (NAME, INSTANCE) else PAIR)
        m.push("items", "]")
        return True
    if token == "(":
        m.replace(kind, header, PANICKED if after == PANIC else CALL)
        m.push("items", ")")
        return True
    if token == "{" and (after in (LITERAL, STRUCT) or (after in (NAME, INSTANCE) and not header)):
        m.replace(kind, header, OTHER)
        m.push("literal", after != LITERAL, after == STRUCT)
        return True
    if token in _BINARY:
        m.replace("send" if token == "<-" or kind == "send" else "operation", header, 0)
        return True
    m.shape = _WHOLE.get(kind, PAIR if after == INSTANCE else after)
    m.pop()
    return False


_WHOLE = {"operation": OTHER, "receive": RECEIVED, "send": SENT}
TAKES.update(dict.fromkeys(_WHOLE, _expression))


def name_shape(m: Checker, name: str) -> int:
    """What stands before, behind a name alone."""
    if name in ("panic", "nil") and m.find(name) is None:
        return NIL if name == "nil" else PANIC
    return NAME


@takes
def _parenthesis(m: Checker, token: str, f: Frame) -> bool:
    """Behind an expression in parentheses, which is no name for a literal, but else what it is."""
    m.pop()
    kind, header, _ = m.stack[0]
    m.replace(kind, header, OTHER if m.shape in (NAME, LITERAL, STRUCT) else m.shape)
    return token == ")"


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
