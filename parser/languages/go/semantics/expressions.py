"""Expressions: their kinds, and the roles of the names they read."""

from __future__ import annotations

from typing import Any, cast

from ....scoping.replay import Cell, Events, Name, Reduced, Targets
from . import kinds
from .facts import Facts
from .messages import BLANK_SELECTOR, DIVISION, no_operator
from .rules import Braced, read, reduces, reduces_longer, shifts, use_values
from .shapes import (
    ADDRESS,
    CALL,
    COMPARED,
    COMPUTED,
    FUNCTION,
    OTHER,
    PAIR,
    RECEIVED,
    VARIABLE,
    Arguments,
    Called,
    Keys,
    Literal,
    Pointed,
    Qualified,
    Type,
    constant_key,
    is_number,
    is_string,
)

_MAYBE_TYPE = frozenset(["]", "["])
"""Before these a name may be a type."""
_TOLD_LATER = frozenset(["(", ".", ";", ",", ")", ":", "}"])
"""Before these the parent decides that a name is a value."""
_MEASURES = ("Sizeof", "Alignof", "Offsetof")
"""Functions of the package `unsafe` with constant results, whatever their arguments are."""
_TYPE = Type("argument")
"""A type as an argument."""


@reduces("primary=IDENT", "h_primary=IDENT", "l_primary=IDENT")
def _primary(r: Reduced) -> Any:
    first = r.children[0]
    if type(first) is Name and r.may_be_target:
        return first
    name = read(r, first)
    ahead = r.roles.spelled[r.ahead]
    if ahead not in _TOLD_LATER:
        r.tell(Facts.use_as, name, (kinds.NAME if ahead in _MAYBE_TYPE else kinds.VALUE,))
    return name


@shifts("qualified:.", "longer:.", "h_longer:.", "type_guard:.")
def _selected(events: Events, under: Cell, text: str, number: int) -> None:
    if type(under[2]) is Name:
        events.append((Facts.use, (under[2].text,)))


@reduces_longer("operand", "h_operand")
def _operand(r: Reduced) -> Any:
    if r.symbols[0] == "(":
        if type(r.children[1]) is str and r.roles.spelled[r.ahead] != "(":
            r.tell(Facts.use_as, r.children[1], (kinds.NAME,))
        return r.children[1]
    return FUNCTION if r.symbols[0] == "func_type" else VARIABLE


@shifts("literal/INT", "literal/FLOAT", "literal/IMAG", "literal/STRING")
def _begin_constant(events: Events, under: Cell, text: str, number: int) -> Literal:
    return Literal(text)


@reduces_longer("longer", "h_longer", "l_primary", "l_longer")
def _longer(r: Reduced) -> Any:
    operand, last = r.children[0], r.symbols[-1]
    if last == ")" and r.symbols[1] == ".":  # x.(T)
        _check_taken_apart(r, operand)
        return PAIR
    if last == "IDENT":
        _check_taken_apart(r, operand)
        if r.children[-1].text == "_":
            r.tell(Facts.error, BLANK_SELECTOR)
        return OTHER
    if last == "subscript":
        _check_taken_apart(r, operand)
        if r.children[-1]:
            use_values(r, (operand,))
        return VARIABLE if r.children[-1] else PAIR
    return {"complit": VARIABLE, "body": FUNCTION, "args": CALL, "value_args": CALL}.get(last, OTHER)


def _check_taken_apart(r: Reduced, operand: Any) -> None:
    """Check an operand before a selector, an index or an assertion."""
    kind = cast(Any, type(operand))
    asserted = r.symbols[-1] == ")"
    if kind in (str, Name):
        name = operand if kind is str else operand.text
        if asserted:
            r.tell(Facts.use_as, name, (kinds.VALUE,))
        if name == "nil":
            r.tell(Facts.no_nil, "selector, index or assertion")
    elif kind is Literal and (r.symbols[-1] != "subscript" or is_number(operand)):
        r.tell(Facts.error, f"invalid operation: cannot take {operand} apart")
    elif kind is Called:
        r.tell(Facts.use_as, operand, (kinds.GIVES, 1))


@reduces("subscript")
def _subscript(r: Reduced) -> bool:
    """Whether the subscript is a slice."""
    return ":" in r.symbols


@reduces("args", "value_args")
def _arguments(r: Reduced) -> Arguments:
    return Arguments(() if len(r.symbols) == 2 else r.children[1], "..." in r.symbols)


@reduces("arg_list=pure", "arg_list+")
def _argument_list(r: Reduced) -> tuple[Any, ...]:
    return (_TYPE, *(r.children[2] if len(r.symbols) > 1 else ()))


@reduces("call", "h_call")
def _call(r: Reduced) -> Any:
    if r.symbols[1] == "(":
        return VARIABLE if r.children[0].kind in ("list", "map", "struct", "interface") else OTHER
    callee, (values, spread) = r.children
    names = tuple(str(value) for value in values if type(value) in (str, Pointed))
    calls = tuple(value for value in values if type(value) is Called)
    if type(callee) is not str:
        if type(callee) is Literal or (callee in (VARIABLE, ADDRESS, COMPARED, COMPUTED) and type(callee) is int):
            r.tell(Facts.error, "invalid operation: cannot call non-function")
        if type(callee) is Called:
            r.tell(Facts.use_as, callee, (kinds.GIVES, 1))
        if type(callee) is Qualified and callee.name in _MEASURES:
            r.tell(Facts.measure)
        if _TYPE in values:
            r.tell(Facts.error, "a type is not an expression")
        use_values(r, values)
        if len(calls) == len(values) == 1:
            r.tell(Facts.use_as, calls[0], (kinds.GIVES, 0))
        return CALL
    count = -1 if len(values) == 1 and (values[0] == CALL or type(values[0]) is Called) else len(values)
    r.tell(Facts.call, callee, count, spread, names, calls)
    if callee == "new" and len(values) == 1 and _TYPE not in values:
        r.tell(Facts.allocate, values[0])
    if _TYPE in values:
        r.tell(Facts.use_as, callee, (kinds.MAKES,))
    return Called(callee)


@reduces_longer("unary", "h_unary", "l_unary")
def _unary(r: Reduced) -> Any:
    operator, operand = r.children
    _check_operand(r, operator, operand)
    if operator == "*" and type(operand) in (str, Pointed):
        return Pointed(operand)
    if operator == "-" and is_number(operand):
        return Literal(operand[1:] if operand[0] == "-" else f"-{operand}")
    return _UNARY.get(operator, COMPUTED)


@reduces("recv")
def _receive(r: Reduced) -> None:
    if r.symbols[0] == "<-":
        _check_operand(r, "<-", r.children[1])


_UNARY = {"<-": RECEIVED, "*": OTHER, "&": ADDRESS, "!": COMPARED}
_NO_OPERANDS = {
    "!": (COMPUTED, FUNCTION),
    "&": (CALL, RECEIVED, COMPARED, COMPUTED, FUNCTION),
    "*": (COMPARED, COMPUTED, FUNCTION),
    "<-": (COMPARED, COMPUTED, FUNCTION),
}


def _check_operand(r: Reduced, operator: str, operand: Any) -> None:
    kind = cast(Any, type(operand))
    wrong = False
    if kind is str:
        if operand == "nil":
            r.tell(Facts.no_nil, f"operation {operator}")
        elif operator != "*":
            r.tell(Facts.use_as, operand, (kinds.VALUE,))
    elif kind is Pointed:
        if operator != "*":
            r.tell(Facts.use_as, str(operand), (kinds.VALUE,))
    elif kind is Called:
        wrong = operator == "&"
        r.tell(Facts.use_as, operand, (kinds.GIVES, 1))
    elif kind is Literal:
        wrong = operator in _NO_OPERANDS or is_string(operand)
    elif kind is int:
        wrong = operand in _NO_OPERANDS.get(operator, (COMPARED, FUNCTION))
    if wrong:
        r.tell(Facts.error, no_operator(operator))


_OPERATORS = {"unary": "+ - ! ^ * & <-", "add": "+ - | ^", "mul": "* / % << >> & &^", "cmp": "== != < <= > >="}


@shifts(*(f"{kind}_op/{operator}" for kind, operators in _OPERATORS.items() for operator in operators.split()))
def _operator(events: Events, under: Cell, text: str, number: int) -> str:
    return text


@reduces_longer(*(f"{kind}{name}" for kind in ("", "h_", "l_") for name in ("expr", "and", "cmp", "add", "mul")))
def _binary(r: Reduced) -> Any:
    left, operator, right = r.children
    logical = operator is None
    if logical:
        operator = r.symbols[1]
    compares = not logical and operator in _COMPARISONS
    if type(left) is not str or left == "nil":
        _check_one_of_two(r, operator, left, logical=logical, compares=compares)
    if type(right) is str and right != "nil":
        r.tell(Facts.use_as, right, (kinds.VALUE,))
    else:
        _check_one_of_two(r, operator, right, logical=logical, compares=compares)
        _check_pair(r, left, operator, right, compares=compares)
        if type(right) is Literal and constant_key(right) == "n0":
            if operator == "%" or (operator == "/" and type(left) is Literal):
                r.tell(Facts.error, DIVISION)
    return COMPARED if logical or compares else VARIABLE if _is_variable(left) or _is_variable(right) else COMPUTED


_COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">="])


def _check_pair(r: Reduced, left: Any, operator: str, right: Any, *, compares: bool) -> None:
    if compares and left == right == "nil" and type(left) is type(right) is str:
        r.tell(Facts.no_nil, "comparison")
    if (is_string(left) and is_number(right)) or (is_number(left) and is_string(right)):
        r.tell(Facts.error, f"invalid operation: {left} {operator} {right} (mismatched types)")


def _is_variable(operand: Any) -> bool:
    return type(operand) is int and operand in (PAIR, RECEIVED, VARIABLE, ADDRESS)


def _check_one_of_two(r: Reduced, operator: str, operand: Any, *, logical: bool, compares: bool) -> None:
    kind = cast(Any, type(operand))
    if kind is str:
        if operand == "nil" and operator not in ("==", "!="):
            r.tell(Facts.no_nil, f"operation {operator}")
        return
    if kind is Called:
        r.tell(Facts.use_as, operand, (kinds.GIVES, 1))
    elif kind is Literal:
        if logical or (not compares and operator != "+" and is_string(operand)):
            r.tell(Facts.error, f"invalid operation: operator {operator} not defined on {operand}")
    elif kind is int:
        ordered = operator in ("<", "<=", ">", ">=")
        wrong = operand == COMPUTED if logical else operand == COMPARED and (ordered or not compares)
        if wrong or (operand == FUNCTION and operator not in ("==", "!=")):
            r.tell(Facts.error, no_operator(operator))


@reduces("exprs", "h_exprs")
def _expressions(r: Reduced) -> Any:
    if len(r.symbols) == 1:
        return (Targets if r.roles.is_waiting(r.under) else tuple)(r.children)
    return type(r.children[0])((*r.children[0], r.children[2]))


_KEYS = {"struct": Keys.FIELDS, "map": Keys.MAP, "list": Keys.LIST}


@shifts("complit/{")
def _begin_literal(events: Events, under: Cell, text: str, number: int) -> Braced:
    written = under[2]
    of = written if isinstance(written, Type) else None
    keys = Keys.MAYBE if of is None else _KEYS.get(of.kind, Keys.MAYBE)
    events.append((Facts.begin_literal, (keys, of)))
    return Braced(keys)


@reduces("complit")
def _complit(r: Reduced) -> None:
    r.tell(Facts.end_literal)


@shifts("element::")
def _key(events: Events, under: Cell, text: str, number: int) -> None:
    """Note the key before a colon: a name or another value."""
    _, (_, further, before), key = under
    braced = before if isinstance(before, Braced) else further[2]
    if type(key) is Name:
        name = key.text
        if braced.keys is Keys.MAYBE:
            events.append((Facts.maybe_use, (name,)))
        elif braced.keys is not Keys.FIELDS:
            events += [(Facts.use, (name,)), (Facts.use_as, (name, (kinds.VALUE,)))]
        events.append((Facts.key, (name, True)))
    else:
        events.append((Facts.key, (constant_key(key) if type(key) is Literal else None, False)))


@reduces("elements")
def _elements(r: Reduced) -> Braced:
    return r.under[2] if len(r.symbols) == 1 else r.children[0]


@reduces("element=value")
def _element(r: Reduced) -> None:
    value = r.children[0]
    use_values(r, (read(r, value) if type(value) is Name else value,), each=True)
    r.tell(Facts.element)


@reduces("element+")
def _element_with_key(r: Reduced) -> None:
    use_values(r, (r.children[0], r.children[2]), each=True)


@reduces("value=complit")
def _literal_as_value(r: Reduced) -> int:
    return VARIABLE
