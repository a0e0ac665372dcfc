"""Elements of JSX: a tag with a capital at the beginning, or a point, reads a value."""

from __future__ import annotations

from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import COMMA, TYPE_ARGUMENTS, expression, read


@takes
def _jsx_open(m: Checker, t: Token, f: Frame) -> bool:
    """Take the token behind `<`; child: whether it may be a closing tag."""
    if t.kind == ">":
        m.replace("jsx_children")
    elif t.kind == "jname":
        m.replace("jsx_name", t.text)
    elif t.kind == "/" and f[1]:
        m.pop()
        m.replace("jsx_closing")
    else:
        raise Broken(t)
    return True


@takes
def _jsx_name(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the first part of the name."""
    name = f[1]
    if t.kind == ":":
        return m.replace("jsx_attributes", True, ())
    if t.kind == "." or not name[0].islower():
        if "-" not in name and name != "this":
            read(m, name)
    m.replace("jsx_attributes", t.kind == ".", ())
    return t.kind == "."


@takes
def _jsx_attributes(m: Checker, t: Token, f: Frame) -> bool:
    """named: whether a part of the tag's name comes next; names: of the attributes so far."""
    kind, names = t.kind, f[2]
    if kind == ".":
        m.replace("jsx_attributes", True, names)
    elif kind == "jname":
        if not f[1] and m.ts:
            if t.text in names:
                m.error(f"attribute '{t.text}' is given twice")
            names = (*names, t.text)
        if t.text == "extends" and m.ts and not f[1]:
            m.replace("jsx_extends", names)
        else:
            m.replace("jsx_attributes", False, names)
    elif kind == ":":  # of a longer name, which may begin as others do
        m.replace("jsx_attributes", True, names[:-1])
    elif kind == "=":
        m.push("jsx_value")
    elif kind == "{":
        m.open_brace("jsx")
        m.push("jsx_container")
    elif kind == "<" and m.ts:
        m.push(*TYPE_ARGUMENTS)
    elif kind == "/":
        m.replace("jsx_closing")
    elif kind == ">":
        m.replace("jsx_children")
    else:
        raise Broken(t)
    return True


@takes
def _jsx_extends(m: Checker, t: Token, f: Frame) -> bool:
    """Behind an attribute named `extends`, unless type parameters are meant."""
    t.must_be("=", "/", ">")
    m.replace("jsx_attributes", False, f[1])
    return False


@takes
def _jsx_value(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the `=` of an attribute."""
    if t.kind == "str":
        m.pop()
    elif t.kind == "{":
        m.open_brace("jsx")
        m.replace("jsx_container")
    elif t.kind == "<":
        m.replace("jsx_open", False)
    else:
        raise Broken(t)
    return True


@takes
def _jsx_container(m: Checker, t: Token, f: Frame) -> bool:
    """In braces."""
    if t.kind == "}":
        m.close_brace()
        return m.pop()
    if t.kind == "...":
        return True
    expression(m, COMMA)
    return False


@takes
def _jsx_children(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "{":
        m.open_brace("jsx")
        m.push("jsx_container")
    elif t.kind == "<":
        m.push("jsx_open", True)
    else:
        raise Broken(t)
    return True


@takes
def _jsx_closing(m: Checker, t: Token, f: Frame) -> bool:
    """The rest of a closing or self-closing tag."""
    if t.kind == ">":
        m.pop()
    elif t.kind == "<" or t.kind == "{":
        raise Broken(t)
    return True
