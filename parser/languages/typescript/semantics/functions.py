"""Functions: names, parameters, patterns, bodies."""

from __future__ import annotations

from typing import Literal

from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import ITEM, expression, is_word
from .kinds import At, Kind
from .modifiers import OF_PARAMETERS, PROPERTIES, check_parameter

NOT_SIMPLE = "= parameters"
"""A note among the names of a function: not all parameters are plain names."""
_DECORATED = "= decorated"
"""A note among the names of a function: some parameters have decorators."""


@takes
def _function_name(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `function`. is_async, is_generator, is_expression."""
    _, is_async, is_generator, is_expression = f
    if t.kind == "*" and not is_generator:
        if m.context & At.AMBIENT:
            m.error("a generator is declared only")
        return m.replace("function_name", is_async, True, is_expression)
    m.pop()
    name = t.text if t.kind == "name" else ""
    own = name if is_expression else ""
    if m.overload and not is_expression:
        if m.overload != (name or "default"):
            m.error(f"function '{m.overload}' has no body")
        m.overload = ""
    if name and not is_expression:
        m.declare(name, Kind.FUNCTION)
    saved = m.context, m.labels
    m.open_scope("function")
    if own:
        m.declare(own, Kind.OWN)
    context = At.IN_FUNCTION | At.TARGET | At.ARGUMENTS | (m.context & At.LASTING)
    context |= (At.ASYNC if is_async else 0) | (At.GENERATOR if is_generator else 0)
    m.push("fn", 0, saved, context, "expression" if is_expression else name or "default")
    return bool(name)


@takes
def _fn(m: Checker, t: Token, f: Frame) -> bool:
    """stage: 0 before the parameters, 1 behind them, 2 behind the type of the result; saved: the context to go back to; context: of its body;
    what: "expression", "method", "constructor", "signature" or "type", or the name of a declared one."""
    _, stage, saved, context, what = f
    if stage == 0:
        if t.kind == "<" and m.ts:
            return m.push("tparams")
        t.must_be("(")
        m.context = context
        return m.become(("params", what == "constructor"), ("fn", 1, saved, context, what))
    if t.kind == ":" and stage == 1 and m.ts:
        if what == "constructor":
            m.error("a constructor has no type of its result")
        return m.become(("t", 1, 0, ""), ("fn", 2, saved, context, what))
    if t.kind == "{" and what != "signature":
        if context & At.AMBIENT:
            m.error("a function that is declared only has a body")
        if what == "constructor":
            m.context |= At.THIS
        m.end_parameters()
        m.open_brace("block")
        m.labels = None
        return m.become(("prologue",), ("body", "function"), ("fn_end", saved, what))
    if what == "expression":
        raise Broken(t)
    if context & At.GENERATOR and m.ts:
        m.error("a generator has no body")
    if _DECORATED in m.scope.names:
        m.error("a decorator stands before a parameter of a function without a body")
    if PROPERTIES in m.scope.names:
        m.error("a constructor without a body has parameter properties")
    m.had_body, m.last_function = False, what
    _leave(m, saved)
    return False


@takes
def _fn_end(m: Checker, t: Token, f: Frame) -> bool:
    m.had_body, m.last_function = True, ""
    _leave(m, f[1])
    what = f[2]
    if what not in ("expression", "method", "constructor", "default"):
        m.declare(what, Kind.BODY)
    return False


def _leave(m: Checker, saved: tuple[int, object]) -> None:
    m.context, m.labels = saved  # type: ignore[assignment]
    m.close_scope()
    m.pop()


@takes
def _params(m: Checker, t: Token, f: Frame) -> bool:
    """is_constructor: whether they may be properties. A third part: an optional one stands before."""
    kind = t.kind
    if kind == ")":
        m.context &= ~At.PARAMETERS
        return m.pop()
    m.context |= At.PARAMETERS
    if kind == ",":
        return True
    if kind in ("...", "[", "{"):
        m.note(NOT_SIMPLE)
    if kind == "...":
        return m.begin(("binding", Kind.PARAM | Kind.PART), ("param_rest", True))
    if kind == "@":
        return _decorator(m)
    if kind == "name":
        return m.push("param", t.text, f[1], ())
    if kind == "this" and m.ts:
        return m.push("param_rest", False)
    if kind in ("[", "{"):
        m.begin(("binding", Kind.PARAM | Kind.PART), ("param_rest", False))
        return False
    raise Broken(t)


def _decorator(m: Checker) -> Literal[True]:
    """A decorator of a parameter comes next, allowed in methods of classes."""
    function = m.stack[1][0]
    parent = m.scope.parent
    if (
        function[0] != "fn"
        or function[4] not in ("method", "constructor")
        or parent is None
        or parent.kind not in ("members", "static")
    ):
        m.error("a decorator stands before a parameter of a function that is no method")
    m.note(_DECORATED)
    return m.push("decorator", 0)


@takes
def _param(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a name, which may be a modifier. words: modifiers before it."""
    _, name, is_constructor, words = f
    if name in OF_PARAMETERS and t.kind in ("name", "[", "{", "this"):
        words = (*words, name)
        if t.kind == "name":
            return m.replace("param", t.text, is_constructor, words)
        check_parameter(m, words, t.kind, is_constructor=is_constructor)
        m.pop()
        return False
    if words:
        check_parameter(m, words, "name", is_constructor=is_constructor)
    m.declare(name, Kind.PARAM)
    m.replace("param_rest", False)
    return False


@takes
def _param_rest(m: Checker, t: Token, f: Frame) -> bool:
    """Take the token behind the name or pattern of a parameter; optional: whether it may be left out."""
    if t.kind == "?" and m.ts:
        m.replace("param_rest", "?")
        _optional(m)
        return True
    if t.kind == ":" and m.ts:
        return m.push("t", 0, 0, "")
    if t.kind == "=":
        if f[1] == "?":
            m.error("a parameter has '?' and a value")
        m.replace("param_rest", True)
        m.note(NOT_SIMPLE)
        return expression(m)
    t.must_be(",", ")")
    m.pop()
    if not f[1] and len(m.stack[0]) == 3:
        m.error("a required parameter is behind an optional one")
    return False


def _optional(m: Checker) -> None:
    """Note a parameter with `?`: a required one behind it is an error."""
    frame, (below, rest) = m.stack
    m.stack = (frame, ((*below[:2], True), rest))


# -- bindings: names and patterns


@takes
def _binding(m: Checker, t: Token, f: Frame) -> bool:
    """Read a name or a pattern. kind: that of its declarations."""
    if t.kind == "name":
        m.declare(t.text, f[1])
        m.pop()
    elif t.kind == "[":
        m.replace("array_pattern", f[1])
    elif t.kind == "{":
        m.open_brace("pattern")
        m.replace("object_pattern", f[1])
    else:
        raise Broken(t)
    return True


@takes
def _array_pattern(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "]":
        m.pop()
    elif t.kind not in (",", "..."):
        m.begin(("binding", f[1]), _ELEMENT_REST)
        return False
    return True


@takes
def _object_pattern(m: Checker, t: Token, f: Frame) -> bool:
    kind = t.kind
    if kind == "}":
        m.close_brace()
        m.pop()
    elif kind == "...":
        m.begin(("binding", f[1]), _ELEMENT_REST)
    elif kind == "[":
        m.begin(ITEM, ("expect", "]"), ("pattern_value", f[1], ""))
    elif kind in ("str", "num") or is_word(t):
        m.push("pattern_value", f[1], t.text if kind == "name" else "")
    elif kind != ",":
        raise Broken(t)
    return True


_ELEMENT_REST = ("element_rest",)


@takes
def _element_rest(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a name or pattern in another pattern: its value, or its end."""
    m.pop()
    if t.kind == "=":
        return expression(m)
    t.must_be(",", "]", "}")
    return False


@takes
def _pattern_value(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of a property."""
    _, kind, name = f
    if t.kind == ":":
        return m.become(("binding", kind), _ELEMENT_REST)
    if not name:
        raise Broken(t)
    m.declare(name, kind)
    m.become(_ELEMENT_REST)
    return False
