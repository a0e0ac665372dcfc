"""Arrow functions behind their parameters, and brackets that read as parameters but are none.

TypeScript takes `(a): b => c` for a function wherever it can: between `?` and `:` if another `:` follows, elsewhere always. So the other
reading, in which its `:` belongs to a conditional or a `case`, is an error there.
"""

from __future__ import annotations

from .automaton import TAKES, Broken, Checker, Frame, Token, takes
from .expressions import BRACKETS, EXPRESSION, INHERITED, ITEM, PARAMETER, RESULT, SURE, TYPED, arrow, expression
from .kinds import At
from .messages import ASYNC_BEGINS


@takes
def _async_arrow(m: Checker, t: Token, f: Frame) -> bool:
    """`async x`."""
    m.pop()
    if t.kind == "=>" and not t.newline:
        return arrow(m, f[1], f[2], is_async=True)
    m.pop()
    below = m.stack[0]
    if f[2] != "of" or below[0] != "for_left":
        raise Broken
    if not below[1] and not (m.ts and m.context & (At.ASYNC | At.STATIC_BLOCK)):
        m.error("'async' stands before 'of'")
    m.become(EXPRESSION, ("for_rest", True))
    return False


@takes
def _arrow_params(m: Checker, t: Token, f: Frame) -> bool:
    """The first parameter, by which TypeScript may know an arrow function."""
    m.replace("params", False)
    if t.kind in (")", "..."):
        _must_be_arrow(m)
    elif t.kind in ("name", "this"):
        TAKES["params"](m, t, m.stack[0])
        return m.push("arrow_param")
    return False


@takes
def _arrow_param(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the first name of an arrow function's parameters."""
    m.pop()
    if t.kind in (":", "?", "name"):
        _must_be_arrow(m)
    return False


def _must_be_arrow(m: Checker) -> None:
    """Note that what is read can only be an arrow function."""
    above: list[Frame] = []
    while m.stack[0][0] != "arrow_head":
        above.append(m.stack[0])
        m.pop()
    _, flags, *rest = m.stack[0]
    m.replace("arrow_head", flags | TYPED, *rest)
    m.begin(*above)


@takes
def _arrow_head(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the parameters."""
    if t.kind == ":" and m.ts and len(f) == 3:
        m.replace(f[0], f[1] & INHERITED, f[2], True)
        return m.push("t", 1, 0, "")
    if t.kind != "=>" or t.newline:
        raise Broken
    return m.replace("arrow_body", f[1], f[2])


_KEPT = (
    At.SUPER | At.SUPER_CALL | At.TARGET | At.STRICT | At.FIELD_VALUE | At.STATIC_BLOCK | At.ARGUMENTS | At.THIS
)  # fmt: skip
"""The places around an arrow function that also apply to its body."""


@takes
def _arrow_body(m: Checker, t: Token, f: Frame) -> bool:
    m.become(("scope_end",), m.restoring)
    m.context = m.context & _KEPT | At.IN_FUNCTION | (At.ASYNC if f[2] else 0)
    m.labels = None
    if t.kind == "{":
        m.end_parameters()
        m.open_brace("block")
        return m.begin(("prologue",), ("body", "function"))
    expression(m, f[1])
    return False


@takes
def _otherwise(m: Checker, t: Token, f: Frame) -> bool:
    """The colon of a conditional. flags: of what follows."""
    t.must_be(":")
    return m.replace("e", f[1] | result(m), True, 0, "")


def result(m: Checker) -> int:
    """A flag if the brackets before a colon could be the parameters of an arrow function, and the colon belong to its type; else 0."""
    after, names = m.shape
    if after != BRACKETS:
        return 0
    m.shape = 0, ()
    return 0 if not m.ts else SURE if names else RESULT


@takes
def _async_arguments(m: Checker, t: Token, f: Frame) -> bool:
    """The arguments of a function `async`, which could be the parameters of an arrow function.

    bound: whether those so far could; None before the first.
    """
    bound = f[1]
    if t.kind in (",", ")") and bound:
        bound = m.shape[0] in PARAMETER or not m.shape[0]  # none behind the last comma
    m.shape = 0, ()
    if t.kind == ")":
        m.pop()
        _, flags, begin, after, name = m.stack[0]
        m.replace("e", flags, begin, BRACKETS if bound else after, name)
        return bound is not None or m.push("async_end")
    m.replace("async_arguments", bound is not False)
    if t.kind in (",", "..."):
        return True
    m.push(*ITEM)
    return False


@takes
def _async_end(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `async()`, which TypeScript takes for the beginning of a function if `:` follows."""
    if m.ts and t.kind == ":":
        m.error(ASYNC_BEGINS)
    m.pop()
    return False
