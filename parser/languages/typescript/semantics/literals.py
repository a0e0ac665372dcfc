"""Literals of arrays and objects, which may be assignment patterns; methods."""

from __future__ import annotations

from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import (
    ASSIGNED,
    BOUND,
    DEFAULTED,
    ITEM,
    LITERAL,
    NAME,
    OTHER,
    PATTERN,
    PROTO_TWICE,
    THIS,
    expression,
    is_word,
    read,
)
from .kinds import At, Kind, Use

_MOST_TARGETS = 30
"""The most names counted in an assignment pattern."""

_BOUND_ELEMENTS = {"array": BOUND | {0}, "object": BOUND | {0, THIS, LITERAL}}
"""The shapes of elements in what TypeScript takes for a pattern, or of none; it overlooks that literals in an object are no names."""


def targets(m: Checker, before: tuple[str, ...]) -> tuple[str, ...]:
    """The targets of a literal as a pattern, with its last element."""
    after, named = m.shape
    m.shape = 0, ()
    return (*before, *named) if after in (NAME, OTHER, PATTERN) and len(before) < _MOST_TARGETS else before


def _element_over(m: Checker, f: Frame, is_last: bool) -> bool:
    """End an element of an array or object, and perhaps the array or object, which may have been a pattern."""
    kind, before, bound = f
    bound = bound and m.shape[0] in _BOUND_ELEMENTS[kind]
    assigned = targets(m, before)
    if not is_last:
        return m.replace(kind, assigned, bound)
    m.pop()
    frame = m.stack[0]
    if frame[0] == "e":
        m.replace(*frame[:3], PATTERN if bound else OTHER, assigned or frame[4])
    return True


@takes
def _array(m: Checker, t: Token, f: Frame) -> bool:
    """Read an array literal, or a pattern. targets: the names it would assign to so far; bound: whether it could be declared so far."""
    if t.kind in ("]", ","):
        return _element_over(m, f, t.kind == "]")
    if t.kind != "...":
        expression(m)
        return False
    return True


@takes
def _object(m: Checker, t: Token, f: Frame) -> bool:
    """Read an object literal, or a pattern. targets, bound: as in an array."""
    kind = t.kind
    if kind == "}":
        m.close_scope()
        m.close_brace()
        _element_over(m, f, True)
    elif kind == ",":
        _element_over(m, f, False)
    elif kind == "...":
        expression(m)
    else:
        m.push("property", (), "")
        return False
    return True


_WORDS = frozenset(["get", "set", "async"])


@takes
def _property(m: Checker, t: Token, f: Frame) -> bool:
    """words: those before the name; name: "" for none so far, "[" for a computed one."""
    _, words, name = f
    kind = t.kind
    if not name:
        if kind == "*":
            m.replace("property", (*words, "*"), "")
        elif kind == "[":
            m.become(*((("literal_key", ""),) if m.ts else (ITEM, ("expect", "]"))), ("property", words, "["))
        elif kind in ("str", "num"):
            m.replace("property", words, key_name(m, t))
        elif is_word(t):
            if t.text in _WORDS and not words:
                m.replace("property_word", t.text)
            else:
                m.replace("property", words, t.text)
        else:
            raise Broken
        return True
    if kind in ("(", "<"):
        m.pop()
        _member_of_object(m, name, Kind.GET if "get" in words else Kind.SET if "set" in words else Kind.METHOD_BODY)
        m.replace(*m.stack[0][:2], False)
        method(m, words)
        return False
    m.pop()
    if kind == ":":
        _member_of_object(m, name, Kind.FIELD)
        return expression(m)
    if name == "[" or words:
        raise Broken
    _member_of_object(m, name, Kind.FIELD, shorthand=True)
    read(m, name)
    if kind == "=":  # of a pattern
        m.use(name, Use.ASSIGNED)
        return expression(m, ASSIGNED | DEFAULTED)
    m.shape = NAME, (name,)
    return False


def key_name(m: Checker, t: Token) -> str:
    """The name of a member written as a string or number; "[" where it is uncertain."""
    if t.kind == "num":
        if t.text[-1] == "n" and m.ts:
            m.error("a bigint is no name of a member")
        return _spelled(t.text.replace("_", ""))
    text = t.text[1:-1]
    return "[" if "\\" in text or not text or text[0] in "=[." else text


def _spelled(number: str) -> str:
    """A number as JavaScript writes it; "[" where that is uncertain."""
    try:
        value = float(int(number, 0)) if number[:2].lower() in ("0x", "0o", "0b") else float(number)
    except (ValueError, OverflowError):
        return "["
    return (
        str(int(value)) if value.is_integer() and value < _WRITTEN_OUT else "[" if "e" in repr(value) else repr(value)
    )


_WRITTEN_OUT = 1e15
_OWN_MEANING = frozenset(["constructor", "prototype", "__proto__", "["])
"""Names with another meaning in brackets."""


@takes
def _literal_key(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the bracket of a computed name, whose member's frame is below. name: of a string or number in it."""
    name = f[1]
    if not name and t.kind in ("str", "num"):
        return m.replace("literal_key", key_name(m, t))
    if name and t.kind == "]":
        m.pop()
        member = m.stack[0]
        return name in _OWN_MEANING or m.replace(*member[:2], name, *member[3:])
    m.become(("e", 0, False, OTHER, "") if name else ITEM, ("expect", "]"))
    return False


def _member_of_object(m: Checker, name: str, kind: int, *, shorthand: bool = False) -> None:
    if name == "[":
        return
    if m.ts:
        m.declare("." + name, kind)
    elif name == "__proto__" and kind == Kind.FIELD and not shorthand:
        if "." + name in m.scope.names and m.stack[0][0] == "object":
            m.replace("object", (*m.stack[0][1], PROTO_TWICE), m.stack[0][2])
        else:
            m.declare("." + name, Kind.ONCE)


@takes
def _property_word(m: Checker, t: Token, f: Frame) -> bool:
    """Take the token behind `get`, `set` or `async` in an object, which may be a name itself."""
    word = f[1]
    if t.kind in (":", "(", ",", "}", "=", "<"):
        m.replace("property", (), word)
    else:
        m.replace("property", (word,), "")
    return False


def in_member(m: Checker, is_constructor: bool = False) -> int:
    """The places in a member: TypeScript allows `new.target` in a constructor only."""
    return At.SUPER | (At.TARGET if is_constructor or not m.ts else 0)


def method(
    m: Checker, words: tuple[str, ...], is_constructor: bool = False, derived: bool = False, this: int = 0
) -> None:
    """The parameters and body of a method come next.

    words: before its name; derived: of a derived class; this: `At.THIS` where `this` is a type in it.
    """
    saved = m.context, m.labels
    m.open_scope("function")
    context = in_member(m, is_constructor) | At.IN_FUNCTION | At.ARGUMENTS | this | (m.context & At.LASTING)
    context |= (At.ASYNC if "async" in words else 0) | (At.GENERATOR if "*" in words else 0)
    if is_constructor and derived:
        context |= At.SUPER_CALL
    m.push("fn", 0, saved, context, "constructor" if is_constructor else "method")
