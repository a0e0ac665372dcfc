"""Statements: simple ones, headers, clauses, jumps, and how each ends the flow of control."""

from __future__ import annotations

from typing import Any

from .automaton import CALL, ENDS, NIL, PANICKED, RECEIVED, SENT, Broken, Checker, Frame, Scope, takes
from .expressions import name_shape
from .tokens import FIXED

_STATEMENT, _HEADER, _COMMUNICATION = 0, 1, 2
_EXECUTED = (CALL, PANICKED, RECEIVED, SENT)
"""Expressions that are statements."""
_ASSIGN = frozenset(["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "&^="])


@takes
def _simple(m: Checker, token: str, f: Frame) -> bool:
    """targets: what stands before, names alone that may be declared or assigned to."""
    _, mode, targets = f
    if token not in FIXED:
        m.replace("simple_name", mode, targets, token, m.number)
        return True
    m.replace("simple_left", mode, targets)
    m.push("expression", mode == _HEADER, 0)
    return False


@takes
def _simple_name(m: Checker, token: str, f: Frame) -> bool:
    _, mode, targets, name, number = f
    if token == ",":
        m.replace("simple", mode, (*targets, (name, number)))
    elif token == ":=":
        m.replace("right", mode, (*targets, (name, number)), len(targets) + 1, 0)
    elif token == "=":
        for target, _ in (*targets, (name, number)):
            m.assign(target)
        m.replace("right", mode, None, len(targets) + 1, 0)
    elif token == ":" and mode == _STATEMENT and not targets:
        m.pop()
        m.pop()  # the end of the statement
        m.define_label(name, number)
    else:
        m.use(name)
        m.replace("simple_left", mode, targets)
        m.push("expression", mode == _HEADER, name_shape(m, name))
        return False
    return True


@takes
def _simple_left(m: Checker, token: str, f: Frame) -> bool:
    _, mode, targets = f
    if token == ",":
        m.replace("simple", mode, (*targets, ("", 0)))
    elif token == "=" or token in _ASSIGN:
        for name, _ in targets:
            m.assign(name)
        m.replace("right", mode, None, len(targets) + 1, 0)
    elif token in ("++", "--"):
        m.shape = CALL
    else:
        m.pop()
        if mode == _STATEMENT:
            if m.shape == PANICKED:
                m.replace("done", True)
            _check_executed(m)
        return False
    return True


def _check_executed(m: Checker) -> None:
    """May the last expression be a statement?"""
    if m.shape not in _EXECUTED:
        m.error("expression is not used")


@takes
def _right(m: Checker, token: str, f: Frame) -> bool:
    """The right side. names: what `:=` declares, None for an assignment; targets: so many, 0 in front of a range; values: so many up to here."""
    _, mode, names, targets, values = f
    if values and targets and m.shape == NIL and names is not None:
        m.error("use of untyped nil in assignment")
    if token == ",":
        return True
    if token == "range":
        m.replace("right", mode, names, 0, 0)
        header = m.stack[1][0]
        m.stack = (m.stack[0], ((*header[:-1], True), m.stack[1][1]))
        return True
    if token in ENDS or token in ("{", ":"):
        m.pop()
        if targets:
            m.assigned(targets, values)
        m.shape = CALL
        if names is not None:
            header = m.stack[0]
            if m.type_switch and header[0] == "header" and header[1] == "switch":
                m.replace(*header[:-1], names[0])
                if names[0][0] == "_":
                    m.error("no new variable on left side of :=")
            else:
                m.define(
                    names, fresh=mode == _HEADER and bool(header[0] == "header" and header[1] == "for" and header[-1])
                )
                if mode == _STATEMENT:
                    m.variable_declared()
        return False
    m.replace("right", mode, names, targets, values + 1)
    m.push("expression", mode == _HEADER, 0)
    return False


@takes
def _done(m: Checker, token: str, f: Frame) -> bool:
    """Behind a statement: does it end the flow of control?"""
    m.last = f[1]
    m.pop()
    return False


@takes
def _statements(m: Checker, token: str, f: Frame) -> bool:
    """kind: "block", "func", or "clause" of a switch or select; saved: what a function goes back to."""
    kind = f[1]
    if token == ";":
        return True
    if token == "}" or (kind == "clause" and token in ("case", "default")):
        m.label = None
        m.pop()
        if kind == "clause":
            return False
        if kind == "func":
            m.leave_function(f[2])
        else:
            m.close_scope()
            m.close_block()
        return True
    if m.fell:
        m.error("fallthrough statement out of place")
        m.fell = False
    return _statement(m, token)


def _statement(m: Checker, token: str) -> bool:
    label, m.label = m.label, None
    if token not in FIXED:
        m.push("done", False)
        m.push("simple", _STATEMENT, ())
        return False
    if token == "{":
        m.open_scope()
        m.open_block()
        m.last = False
        m.push("statements", "block")
    elif token == "if":
        m.open_scope()
        m.push("header", "if", 0, False, None, False)
    elif token in ("for", "switch", "select"):
        m.open_scope()
        m.loops = (token, m.number, label, m.loops)
        m.push("header", token, 0, False, m.number, False)
    elif token == "return":
        m.push("done", True)
        m.push("return", 0)
    elif token in ("break", "continue", "goto"):
        m.push("done", token == "goto")
        m.push("branch", token)
    elif token == "fallthrough":
        _fallthrough(m)
    elif token in ("go", "defer"):
        m.push("done", False)
        m.push("expression", False, 0)
    elif token in ("type", "var", "const"):
        m.push("done", False)
        m.push("declaration", token, False)
    else:
        m.push("done", False)
        m.push("simple", _STATEMENT, ())
        return False
    return True


def _fallthrough(m: Checker) -> None:
    """Only as the last statement of a clause of a switch over values, and not of the last clause."""
    rest: Any = m.stack[1]
    clause = m.stack[0][1] == "clause" and rest is not None and rest[0][0] == "clauses" and rest[0][1] == "switch"
    if not clause:
        m.error("fallthrough statement out of place")
    else:
        m.fell = True
    m.last = False


@takes
def _return(m: Checker, token: str, f: Frame) -> bool:
    if token in ENDS:
        m.returns(f[1])
        m.pop()
        return False
    if token == ",":
        return True
    m.replace("return", f[1] + 1)
    m.push("expression", False, 0)
    return False


@takes
def _branch(m: Checker, token: str, f: Frame) -> bool:
    label = token if token not in FIXED else None
    m.branch(f[1], label)
    m.pop()
    return label is not None


@takes
def _header(m: Checker, token: str, f: Frame) -> bool:
    """Of an if, for, switch or select. semicolons so far; condition: is there one; extra: did it say `range`, or the symbol of a type switch"""
    _, kind, semicolons, condition, number, extra = f
    if token == ";":
        if condition and not semicolons:
            _check_executed(m)
        m.shape = CALL  # for what may stand behind the last
        m.replace("header", kind, semicolons + 1, False if semicolons == 0 else condition, number, extra)
        return True
    if token == "range":
        m.replace("header", kind, semicolons, condition, number, True)
        m.push("expression", True, 0)
        return True
    if token != "{":
        m.replace("header", kind, semicolons, condition or semicolons < 2, number, extra)
        m.push("simple", _HEADER, ())
        return False
    if kind == "for" and semicolons == 2:
        _check_executed(m)
    if kind in ("switch", "select"):
        over_types, m.type_switch = m.type_switch, False
        symbol = extra or None
        if symbol is not None and symbol[0] != "_" and m.scope is not None:
            scope = m.scope
            m.scope = Scope(scope.parent, scope.names, (*scope.own, (symbol[1], symbol[0])))
            m.unused = {**m.unused, symbol[1]: symbol[0]}
        word = "types" if over_types else kind
        m.replace("clauses", word, number, False, True, False, symbol)
        return True
    m.replace(*(("then",) if kind == "if" else ("loop", not condition and not extra, number)))
    m.open_scope()
    m.open_block()
    m.last = False
    m.push("statements", "block")
    return True


@takes
def _then(m: Checker, token: str, f: Frame) -> bool:
    """Behind the block of an if."""
    if token == "else":
        m.replace("else", m.last)
        return True
    m.last = False
    m.close_scope()
    m.pop()
    return False


@takes
def _else(m: Checker, token: str, f: Frame) -> bool:
    m.replace("else_done", f[1])
    if token == "if":
        m.open_scope()
        m.push("header", "if", 0, False, None, False)
    elif token == "{":
        m.open_scope()
        m.open_block()
        m.last = False
        m.push("statements", "block")
    else:
        raise Broken
    return True


@takes
def _else_done(m: Checker, token: str, f: Frame) -> bool:
    m.last = f[1] and m.last
    m.close_scope()
    m.pop()
    return False


@takes
def _loop(m: Checker, token: str, f: Frame) -> bool:
    _, endless, number = f
    m.last = endless and number not in m.broken_out
    _leave(m)
    return False


def _leave(m: Checker) -> None:
    """A for, switch or select is over."""
    if m.loops is None:
        raise Broken
    m.loops = m.loops[3]
    m.close_scope()
    m.pop()


@takes
def _clauses(m: Checker, token: str, f: Frame) -> bool:
    """Those of a switch or select. default: is there one; ending: do all so far end the flow of control; open: is one before this?"""
    _, kind, number, default, ending, is_open, symbol = f
    if is_open:
        m.close_scope()
        m.close_block()
        ending = ending and (m.last or m.fell)
        if m.fell and token == "}":
            m.error("cannot fallthrough final case in switch")
        m.fell = False
    if token == "}":
        m.last = (default or kind == "select") and ending and number not in m.broken_out
        _leave(m)
        return True
    if token not in ("case", "default"):
        raise Broken
    if default and token == "default":
        m.error("multiple defaults")
    m.replace("clauses", kind, number, default or token == "default", ending, True, symbol)
    m.open_scope()
    m.open_block()
    m.last = False
    m.push("statements", "clause")
    m.push("colon", symbol)
    if token == "case":
        if kind == "select":
            m.push("simple", _COMMUNICATION, ())
        else:
            m.push("cases")
    return True


@takes
def _cases(m: Checker, token: str, f: Frame) -> bool:
    if token == ":":
        m.pop()
        return False
    if token != ",":
        m.push("expression", False, 0)
        return False
    return True


@takes
def _colon(m: Checker, token: str, f: Frame) -> bool:
    """What ends the head of a clause; the symbol of a type switch is declared in each."""
    if token != ":":
        raise Broken
    symbol = f[1]
    if symbol is not None and symbol[0] != "_" and m.scope is not None:
        scope = m.scope
        m.scope = Scope(scope.parent, {**scope.names, symbol[0]: symbol[1]}, scope.own)
    m.last = False
    m.pop()
    return True
