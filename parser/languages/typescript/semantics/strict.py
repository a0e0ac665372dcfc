"""Directives, and the errors of strict code alone."""

from __future__ import annotations

from .....common.words import words_of
from .automaton import Checker, Frame, Token, takes
from .expressions import COMMA, OTHER, SEMICOLON, STATEMENT
from .functions import NOT_SIMPLE
from .kinds import At, Kind

_DIRECTIVE = frozenset(['"use strict"', "'use strict'"])
_ENDS = frozenset([";", "}", ""])
_GOES_ON = words_of("""
    ( [ . ?. , ? + - * / % ** << >> >>> < <= > >= == != === !== & ^ | && || ?? = += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??= => in
    instanceof template head
""")
"""Before these a line end does not end a directive."""


@takes
def _prologue(m: Checker, t: Token, f: Frame) -> bool:
    """Where directives may stand: at the beginning of a file, or of the body of a function."""
    if t.kind != "str":
        m.pop()
        return False
    return m.replace("directive", t.text)


@takes
def _directive(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a string that may be one."""
    if t.kind not in _ENDS and not (t.newline and t.kind not in _GOES_ON):
        m.become(("e", COMMA | STATEMENT, True, OTHER, ""), SEMICOLON)
        return False
    m.replace("prologue")
    if f[1] in _DIRECTIVE:
        _becomes_strict(m)
    return t.kind == ";"


def _becomes_strict(m: Checker) -> None:
    """Make the code strict from here on; in JavaScript also the names of the function and of its parameters."""
    m.context |= At.STRICT
    if m.scope.kind != "function":
        return
    if NOT_SIMPLE in m.scope.names:
        m.error("'use strict' stands in a function whose parameters are no plain names")
    if m.ts:
        return
    names = [name for name, kinds in m.scope.names.items() if kinds & (Kind.PARAM | Kind.OWN)]
    _, (_, (end, _)) = m.stack
    if end[0] == "fn_end":
        names.append(end[2])
    for name in names:
        m.check_name(name, Kind.PARAM)
