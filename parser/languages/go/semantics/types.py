"""Types as they are written: literals, structs, interfaces, selectors, lists of elements."""

from __future__ import annotations

from .automaton import NAME, OTHER, PAIR, Broken, Checker, Frame, takes
from .tokens import FIXED, STRING


@takes
def _type(m: Checker, token: str, f: Frame) -> bool:
    """constraint: `|` may follow; after: what stands before, 0 for nothing."""
    _, constraint, after = f
    if after:
        if after == NAME:
            if token == ".":
                m.push("selector")
                return True
            if token == "[":
                m.replace("type", constraint, OTHER)
                m.push("items", "]")
                return True
        if constraint and token == "|":
            m.replace("type", constraint, 0)
            return True
        m.pop()
        return False
    if token not in FIXED:
        m.use(token)
        m.replace("type", constraint, NAME)
        return True
    if token in ("*", "<-", "...", "~"):
        return True
    m.replace("type", constraint, OTHER)
    if token == "(":
        m.push("expect", ")")
        m.push("type", constraint, 0)
        return True
    return type_literal(m, token)


def type_literal(m: Checker, token: str, owner: str = "") -> bool:
    """What begins with this token is put on the stack; owner: of what a struct has as fields, at package level."""
    if token == "[":
        m.push("type", False, 0)
        m.push("items", "]")
    elif token == "map":
        m.push("type", False, 0)
        m.push("expect", "]")
        m.push("type", False, 0)
        m.push("expect", "[")
    elif token == "chan":
        m.push("type", False, 0)
        m.push("arrow")
    elif token == "struct":
        m.push("fields", (), owner)
        m.push("expect", "{")
    elif token == "interface":
        m.push("elements", ())
        m.push("expect", "{")
    elif token == "func":
        m.push("parameters_next", "type", ())
    else:
        m.pop()
        return False
    return True


@takes
def _expect(m: Checker, token: str, f: Frame) -> bool:
    if token != f[1]:
        raise Broken
    m.pop()
    return True


@takes
def _arrow(m: Checker, token: str, f: Frame) -> bool:
    m.pop()
    return token == "<-"


@takes
def _selector(m: Checker, token: str, f: Frame) -> bool:
    m.pop()
    m.replace(*m.stack[0][:2], PAIR if token == "(" else NAME if m.stack[0][2] == NAME else OTHER)
    if token == "(":
        m.push("items", ")")
    return True


@takes
def _fields(m: Checker, token: str, f: Frame) -> bool:
    if token == "}":
        m.pop()
    elif token not in FIXED:
        m.push("field", token, False)
    elif token in ("*", "("):
        m.push("embedded", "")
    return True


def _add_field(m: Checker, name: str) -> None:
    """Below the frame on top."""
    frame, rest = m.stack
    names = rest[0][1]
    if name in names and name != "_":
        m.error(f"{name} redeclared")
    owner = rest[0][2]
    m.stack = (frame, (("fields", (*names, name), owner), rest[1]))
    if owner:
        m.fields += ((owner, name),)


@takes
def _embedded(m: Checker, token: str, f: Frame) -> bool:
    """An embedded type behind a star."""
    if token not in FIXED:
        if f[1] != ".":
            m.use(token)
        m.replace("embedded", token)
        return True
    if token == ".":
        m.replace("embedded", ".")
        return True
    if token in ("*", "("):
        return True
    if token == "[":
        m.push("items", "]")
        return True
    if token == ")":
        return True
    _add_field(m, f[1])
    m.pop()
    return token == STRING


@takes
def _field(m: Checker, token: str, f: Frame) -> bool:
    _, name, bracketed = f
    if token == "." and not bracketed:
        m.use(name)
        m.replace("embedded", ".")
        return True
    if token == "[" and not bracketed:
        m.replace("field", name, True)
        m.push("items", "]")
        return True
    _add_field(m, name)
    if token in (";", "}", STRING):
        m.use(name)
        m.pop()
        return token == STRING
    if token == ",":
        m.replace("next_field")
        return True
    m.replace("tag")
    m.push("type", False, 0)
    return False


@takes
def _next_field(m: Checker, token: str, f: Frame) -> bool:
    m.replace("field", token, False)
    return True


@takes
def _tag(m: Checker, token: str, f: Frame) -> bool:
    m.pop()
    return token == STRING


@takes
def _elements(m: Checker, token: str, f: Frame) -> bool:
    """The elements of an interface: methods, embedded interfaces, unions of types."""
    if token == "}":
        m.pop()
    elif token == ";":
        pass
    elif token not in FIXED:
        m.push("element", token)
    else:
        m.push("type", True, 0)
        return False
    return True


@takes
def _element(m: Checker, token: str, f: Frame) -> bool:
    if token == "(":
        _, rest = m.stack
        names = rest[0][1]
        if f[1] in names or f[1] == "_":
            m.error("method name is blank" if f[1] == "_" else f"duplicate method {f[1]}")
        m.stack = (("parameters_next", "type", ()), ((rest[0][0], (*names, f[1])), rest[1]))
        return False
    m.use(f[1])
    m.replace("type", True, NAME)
    return False
