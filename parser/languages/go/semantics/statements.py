"""Statements: the names they declare and assign to, and whether each is terminating."""

from __future__ import annotations

from typing import Any

from ....scoping.replay import Cell, Events, Name, Reduced
from . import kinds
from .facts import Facts
from .messages import DIVISION
from .rules import Guard, Names, reduces, reduces_longer, shifts, use_values
from .shapes import (
    ADDRESS,
    CALL,
    COMPARED,
    COMPUTED,
    FUNCTION,
    OTHER,
    RECEIVED,
    Called,
    Listed,
    Literal,
    constant_key,
    is_executed,
    is_string,
)


def _check_executed(r: Reduced, shape: Any) -> None:
    if not is_executed(shape):
        r.tell(Facts.error, "expression is not used")
    elif type(shape) is Called:
        r.tell(Facts.use_as, shape, (kinds.STATED,))


def _assign(r: Reduced, targets: Any) -> None:
    for target in targets:
        if type(target) is Name:
            r.tell(Facts.assign, target.text)
        elif type(target) is str:
            r.tell(Facts.use_as, target, (kinds.ASSIGNED,))
        elif type(target) in (Literal, Called) or (type(target) is int and target in _UNASSIGNABLE):
            r.tell(Facts.error, "cannot assign to an expression that is neither addressable nor a map index")


_UNASSIGNABLE = (CALL, RECEIVED, FUNCTION, COMPARED, COMPUTED, ADDRESS)


def _check_condition(r: Reduced, shape: Any) -> None:
    if type(shape) is Literal or (type(shape) is int and shape in (COMPUTED, FUNCTION)):
        r.tell(Facts.error, "non-boolean condition")
    elif shape == "nil" and type(shape) is str:
        r.tell(Facts.no_nil, "condition")
    elif type(shape) is Called:
        r.tell(Facts.use_as, shape, (kinds.GIVES, 1))


@reduces("post", "h_post")
def _post(r: Reduced) -> Any:
    if len(r.symbols) == 1:
        _check_executed(r, r.children[0])
        return r.children[0]
    if r.symbols[1] == "=":
        targets, values = r.children[0], r.children[2]
        _assign(r, targets)
        use_values(r, values)
        if "nil" in values and any(
            type(value) is str and value == "nil" and type(target) is Name and target.text == "_"
            for target, value in zip(targets, values, strict=False)
        ):
            r.tell(Facts.no_nil, "assignment")
        r.tell(Facts.assigned, len(targets), len(values), values[-1])
        return None
    use_values(r, r.children[2:], each=True)
    if r.children[1] == "%=" and type(r.children[2]) is Literal and constant_key(r.children[2]) == "n0":
        r.tell(Facts.error, DIVISION)
    if r.symbols[1] != "<-":
        _assign(r, r.children[:1])
    return None


@reduces_longer("simple", "h_simple")
def _simple(r: Reduced) -> Any:
    names, _, values = r.children
    if "nil" in values:
        r.tell(Facts.no_nil, "assignment")
    use_values(r, values)
    r.tell(Facts.assigned, len(names), len(values), values[-1])
    r.tell(Facts.define, names, False)
    if r.symbols[2] == "exprs":
        r.tell(Facts.variable_declared, names[0].number)
    return None


@reduces("idents")
def _identifiers(r: Reduced) -> Names:
    return Names(r.children) if len(r.symbols) == 1 else Names((*r.children[0], r.children[2]))


@reduces("range_lhs", "comm_lhs")
def _targets_before(r: Reduced) -> Any:
    """The targets of each round, or of a receive: names to declare, or the number of targets already noted."""
    names = r.children[:-1:2]
    if r.symbols[-1] == ":=":
        return Names(names)
    _assign(r, names)
    return len(names)


@reduces("range_clause")
def _range_clause(r: Reduced) -> Any:
    over = r.children[-1]
    if type(over) is Literal and not is_string(over):
        if "range_lhs" in r.symbols and r.children[0] != 1 and len(r.symbols) == 3:
            targets = r.children[0]
            if not isinstance(targets, Names) or len(targets) > 1:
                r.tell(Facts.error, f"range over {over} permits only one iteration variable")
        if not over.replace("_", "").isdecimal() and over[:2].lower() not in ("0x", "0b", "0o"):
            r.tell(Facts.error, f"cannot range over {over}")
    elif over == "nil" and type(over) is str:
        r.tell(Facts.no_nil, "range")
    if isinstance(r.children[0], Names):
        r.tell(Facts.define, r.children[0], True)
    return None


@reduces("stmt")
def _statement(r: Reduced) -> None:
    word = r.symbols[0]
    if word == "simple" and r.children[0] == "panic" and type(r.children[0]) is Called:
        r.tell(Facts.panic)
    elif word == "return":
        values = r.children[1] if len(r.children) > 1 else ()
        use_values(r, values)
        r.tell(Facts.returns, len(values), values[-1] if values else OTHER)
    elif word in ("break", "continue", "goto"):
        label = r.children[1] if len(r.children) > 1 else None
        r.tell(Facts.branch, word, label and label.text, r.children[0] if label is None else label.number)
    elif word == "fallthrough":
        r.tell(Facts.fall_through)
    else:
        if word in ("go", "defer"):
            _check_deferred(r, r.children[1])
        r.tell(Facts.end_statement, False if word in ("simple", "decl", "go", "defer") else None)


def _check_deferred(r: Reduced, shape: Any) -> None:
    if type(shape) is Called:
        r.tell(Facts.use_as, shape, (kinds.DEFERRED,))
    elif shape != CALL:
        r.tell(Facts.error, "expression in defer must be function call")


@shifts("assign_op/%=")
def _remainder(events: Events, under: Cell, text: str, number: int) -> str:
    return text


@shifts("stmt/break", "stmt/continue")
def _jump(events: Events, under: Cell, text: str, number: int) -> int:
    return number


@reduces("label")
def _label(r: Reduced) -> None:
    r.tell(Facts.define_label, *r.children[0])


@reduces("if_stmt")
def _end_if(r: Reduced) -> None:
    _check_condition(r, r.children[r.symbols.index("h_expr")])
    r.tell(Facts.end_if, "else" in r.symbols)


@shifts("for_stmt/for", "switch_stmt/switch", "select_stmt/select")
def _loop(events: Events, under: Cell, text: str, number: int) -> str:
    events.append((Facts.begin_loop, (text, number)))
    return text


@reduces("for_stmt")
def _end_for(r: Reduced) -> None:
    if "h_expr" in r.symbols:
        _check_condition(r, r.children[r.symbols.index("h_expr")])
    r.tell(Facts.end_loop, "h_expr" not in r.symbols and "range_clause" not in r.symbols)


@reduces("type_guard")
def _guard(r: Reduced) -> Guard:
    operand = r.children[r.symbols.index(".") - 1]
    if type(operand) in (str, Name):
        r.tell(Facts.use_as, operand if type(operand) is str else operand.text, (kinds.VALUE,))
    return Guard(r.children[0] if r.symbols[1] == ":=" else None)


@shifts("switch_stmt:{", "select_stmt:{")
def _begin_clauses(events: Events, under: Cell, text: str, number: int) -> None:
    if type(under[2]) is Called:
        events.append((Facts.use_as, (under[2], (kinds.GIVES, 1))))
    guard = under[2] if isinstance(under[2], Guard) else None
    kind = "types" if guard is not None else under[2] if under[2] == "select" else "switch"
    events.append((Facts.begin_clauses, (kind, guard and guard.symbol)))


_SAME = {"byte": "uint8", "rune": "int32"}
"""Other names of predeclared types."""


@reduces("case_head", "tcase_head", "comm_head")
def _head(r: Reduced) -> None:
    if r.symbols[1:2] == ("comm_lhs",) and isinstance(r.children[1], Names):
        r.tell(Facts.define, r.children[1], False)
    values = r.children[1] if r.symbols[1:] in (("exprs",), ("types",)) else ()
    if isinstance(values, Listed):
        cases = tuple((f"t{_SAME.get(value.text, value.text)}", False) for value in values if value.text)
    else:
        use_values(r, values)
        cases = tuple(value for value in map(_case, values) if value is not None)
    r.tell(Facts.head_of_clause, r.symbols[0] == "default", cases)


def _case(shape: Any) -> tuple[str, bool] | None:
    """A value of a case, and whether it is a name; None where it is unknown."""
    if type(shape) is str:
        return shape, True
    key = constant_key(shape) if type(shape) is Literal else None
    return None if key is None else (key, False)
