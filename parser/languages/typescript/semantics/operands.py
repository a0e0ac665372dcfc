"""Parts of operands: members, `super`, `import`, decorators, casts."""

from __future__ import annotations

from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import ARGUMENTS, EXPRESSION, NAME, TYPE_ARGUMENTS, is_word, read
from .kinds import At, Use
from .messages import NAME_IS_NO_CONSTANT


@takes
def _member(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `.` or `?.`."""
    if t.kind == "private":
        if f[1] == "?." and m.ts:
            m.error("a private name is behind '?.'")
        m.use(t.text, Use.VALUE)
        _, (below, rest) = m.stack
        if below[0] == "e" and below[4] == "delete":
            m.stack = ((*below[:4], "delete #"), rest)
            return True
    elif f[1] == "?." and t.kind in ("(", "["):
        m.pop()
        return False
    elif f[1] == "?." and t.kind == "<" and m.ts:
        return m.replace(*TYPE_ARGUMENTS)
    elif not is_word(t):
        raise Broken
    return m.pop()


@takes
def _super(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "(":
        if not m.context & At.SUPER_CALL:
            m.error("'super(...)' is not in the constructor of a class that extends another")
    elif not m.context & At.SUPER:
        m.error("'super' is not in a member of a class or object")
    m.pop()
    return False


@takes
def _import_call(m: Checker, t: Token, f: Frame) -> bool:
    t.must_be("(", ".")
    if t.kind == ".":
        return m.replace("import_word")
    m.pop()
    return False


@takes
def _import_word(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `import.`."""
    m.module = m.module or t.text == "meta"
    return m.pop()


@takes
def _decorator(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `@`: a name with points and at most one call, or an expression in brackets."""
    stage = f[1]
    if stage == 0:
        t.must_be("(", "name")
        if t.kind == "(":
            return m.become(EXPRESSION, ("expect", ")"), ("decorator", 2))
        read(m, t.text)
        return m.replace("decorator", 1)
    if t.kind == "." and stage == 1:
        return m.push("member", ".")
    if t.kind == "(" and stage == 1:
        return m.become(ARGUMENTS, ("decorator", 2))
    if t.kind == "!" and stage in (1, 2) and m.ts and not t.newline:
        return True
    if t.kind == "<" and stage == 1 and m.ts:
        return m.push(*TYPE_ARGUMENTS)
    m.pop()
    return False


@takes
def _cast(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `as` or `satisfies`, or in `<T>x`; of_name: whether a name stands before it; None: a type in `<T>x`."""
    _, of_name = f
    if t.kind == "const":
        if of_name is True:
            m.error(NAME_IS_NO_CONSTANT)
        if of_name is None:
            _behind_cast(m, "const")
        return m.pop()
    m.replace("t", 0, 0, "")
    if of_name is None and t.kind == "name":
        m.replace("t", 0, NAME, t.text)
        return m.push("cast_name")
    if of_name is None:
        _behind_cast(m, "")
    return False


@takes
def _cast_name(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the first name in `<T>x`."""
    m.pop()
    if t.kind != ">":
        _behind_cast(m, "")
    return False


def _behind_cast(m: Checker, before: str) -> None:
    """Note what stands before the operand of a cast, whose type comes next."""
    type_, (angle, (operand, rest)) = m.stack
    m.stack = type_, (angle, ((*operand[:4], before), rest))
