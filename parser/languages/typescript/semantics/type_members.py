"""Members of types: of interfaces and type literals, and mapped types."""

from __future__ import annotations

from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import ITEM, is_word
from .expressions import NAME as E_NAME
from .kinds import At, Kind
from .literals import key_name
from .types import TYPE, UNIQUE, a_type


@takes
def _type_members(m: Checker, t: Token, f: Frame) -> bool:
    """this: the bit of the enclosing place."""
    kind = t.kind
    if kind == "}":
        m.context = m.context & ~At.THIS | f[1]
        m.close_scope()
        m.close_brace()
        m.pop()
    elif kind in (";", ",", "+", "-"):
        pass
    else:
        m.push("type_member", "", "")
        return False
    return True


@takes
def _type_member(m: Checker, t: Token, f: Frame) -> bool:
    """word: one before the name that may be it; name: "[" for a computed one."""
    _, word, name = f
    kind = t.kind
    if not name:
        if kind in ("(", "<"):
            if word in ("", "new"):
                m.pop()
                signature(m)
                return False
            m.replace("type_member", "", word)
            return False
        if kind == "[" and word != "new":
            m.replace("type_member", word, "[")
            return m.push("key", True, None)
        if word and (kind in (":", "?", ";", ",", "}") or t.newline):
            m.replace("type_member", "", word)
            return False
        if kind in ("str", "num"):
            m.replace("type_member", word, key_name(m, t))
        elif is_word(t) or kind == "private":
            if t.text in ("readonly", "get", "set", "new") and not word:
                m.replace("type_member", t.text, "")
            else:
                m.replace("type_member", word, t.text)
        else:
            raise Broken(t)
        return True
    if kind in ("?", "+", "-"):
        return True
    if kind in ("(", "<"):
        m.pop()
        if name[0] != "[" and word not in ("get", "set"):
            m.declare("." + name, Kind.METHOD)
        signature(m)
        return False
    if kind == ":" or name[0] != "[":
        if name[0] not in "[\0":
            m.declare("." + name, Kind.FIELD)
        m.replace("type_member", "", "\0")
        if kind == ":" and name != "\0":
            return a_type(m, UNIQUE if word == "readonly" and name != "[:" else 0)
    m.pop()
    return False


def signature(m: Checker) -> None:
    """`(...): T` of a member."""
    saved = m.context, m.labels
    m.open_scope("function")
    m.push("fn", 0, saved, m.context, "signature")


@takes
def _key(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the bracket before a member, whose frame is below: of an index signature, of a mapped type where may_map allows it, or
    of a computed name."""
    _, may_map, name = f
    if name is None and t.kind == "name":
        return m.replace("key", may_map, t.text)
    if name is None and t.kind in ("str", "num"):
        m.replace("literal_key", "")
        return False
    if name is not None and t.kind == ":":
        m.check_name(name, Kind.PARAM)
        m.pop()
        member = m.stack[0]
        m.replace(*member[:2], "[:", *member[3:])
        return m.begin(("key_type",), TYPE, ("expect", "]"))
    if name is not None and t.kind == "in" and may_map:
        m.declare(name, Kind.TPARAM)
        _, (_, (members, _)) = m.stack
        m.context |= members[1]  # a mapped type has no members, and `this` is that of the enclosing place
        return m.become(TYPE, ("key_end",))
    operand = ITEM if name is None else ("e", 0, False, E_NAME, name)
    if may_map:
        m.become(operand, m.restoring, ("expect", "]"))
        m.context |= At.QUERIED
    else:
        m.become(operand, ("expect", "]"))
    return False


_NO_KEYS = frozenset(["any", "unknown", "never", "boolean", "bigint", "object", "undefined"])


@takes
def _key_type(m: Checker, t: Token, f: Frame) -> bool:
    """Before the type of an index signature's parameter."""
    if t.text in _NO_KEYS or t.kind in ("void", "null", "{", "[", "str", "num", "template", "true", "false", "-"):
        m.error("the parameter of an index signature is no string, number or symbol")
    m.pop()
    return False


@takes
def _key_end(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the types of a mapped type's key."""
    if t.kind == "name" and t.text == "as":
        return a_type(m)
    t.must_be("]")
    return m.pop()
