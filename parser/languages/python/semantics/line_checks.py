"""Refusing a line as soon as no later token could mend it: what each token of the line tells, in its surroundings.

A name counts as read once nothing can make it a target any more. One that is visible nowhere is refused, unless a comprehension's `for` may
still bind it in brackets open around it. What a token's check consists of is told by the LR states; most consist of nothing, or only find that
a visible name is read.
"""

from __future__ import annotations

from functools import cache

from ....scoping.verdicts import Refused
from .cell_operations import operations_of
from .check import Check, is_waiting, sees
from .line_values import Context
from .operations import each
from .roles import ARGUMENT_LISTS as ARGUMENTS
from .roles import EXPRESSIONS, PATTERNS, TARGETS, Cell, Roles
from .rules.patterns import Part
from .sets import NONE
from .setting import Setting, Told, Way
from .targets import DUNDER_DEBUG, TEXT, Group
from .token_checks import Step, argument_step_of, step_of

_AUGMENTED = frozenset(["+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//="])
_PRIMARIES = frozenset(("free_primary", "tied_primary"))
_MAY_HOLD = frozenset(("statement", "assigned", "targets", "for", "as", "del", "star", "target,", "(", "["))
"""Roles behind which an operand may be a target."""
_IN_LISTS = frozenset((",", "*", "**"))
"""Tokens before a name that may repeat another."""
_SIGNS = frozenset(("assign_heads", "comparator", "augmented"))
"""Nonterminals without an operand at their end."""
_QUIET = frozenset(("use", "comp"))
_READ = EXPRESSIONS | TARGETS | ARGUMENTS | {"key_values", "slices", "set_items"}
"""Nonterminals that end in an operand."""
_TELLS_MORE = _AUGMENTED | {"NEWLINE", "=", ":="}
"""Tokens before which an operand may be a target, or a statement ends."""


@cache
def _plan(roles: Roles, state: int, under: int, below: int) -> tuple[Step | None, bool, bool, tuple[Step, ...]]:
    """What the check of a token consists of, by its state and the two below.

    (the step for what has been read before it, whether this does no more than to read the operand in hand, whether a name there is an operand,
    the other steps)
    """
    steps = [step_of(roles, state, under)]
    if roles.is_name[state] and not roles.takes_operand[under] and roles.role[under] != "dot":
        steps.append(_check_parameter)
    steps.append(argument_step_of(roles, state, under, below))
    settle = _settling(roles, state, under) if roles.symbol[under] and roles.symbol[under] not in _SIGNS else None
    is_read = settle is _settle_operand and _only_reads(roles, state, under, below)
    is_operand = is_read and roles.role[state] != "keyword" and roles.takes_operand[below]
    return settle, is_read, is_operand, tuple(filter(None, steps))


def _only_reads(roles: Roles, state: int, under: int, below: int) -> bool:
    """Whether an operand before a token is no target."""
    if (
        below < 0
        or roles.symbol[under] not in _READ
        or roles.role[below] == "target,"
        or roles.text[state] in _TELLS_MORE
    ):
        return False
    return not roles.is_target[under] or roles.role[below] not in _MAY_HOLD


def _settling(roles: Roles, state: int, under: int) -> Step:
    if roles.text[state] == ":" and roles.role[state] == "statement":
        return _end_header
    if roles.role[under] == "clauses":
        return _end_clause
    return _settle_patterns if roles.symbol[under] in PATTERNS else _settle_operand


def checked(setting: Setting, way: Way, cell: Cell, token: str) -> Told:
    """What is told after one more token, which led from a way to a cell; raises Refused."""
    told, context, under = way.told, setting.context, cell[1]
    assert context is not None
    settle, is_read, is_operand, steps = _plan(setting.reader.roles, cell[0], under[0], under[1][0])
    is_open = told.open or told.owed or told.missing
    if not is_open:
        if is_read and _is_visible(setting.reader.roles, way, under, context, is_operand=is_operand):
            settle = None
        if settle is None and not steps:
            return told
    check = Check(setting, context, way, cell, token)
    if settle is not None:
        settle(check)
    for step in steps:
        step(check)
    if check.told.missing:
        check.end_missing()
    if check.told.open or check.told.owed:
        check.settle_open()
    return check.told


def _is_visible(roles: Roles, way: Way, under: Cell, context: Context, *, is_operand: bool) -> bool:
    """Whether the operand in hand certainly tells nothing but that a visible name is read."""
    name = value = under[2]
    if value.__class__ is tuple:
        operations = operations_of(roles.symbol[under[0]], value)
        if operations is None:
            return True
        if (
            value[0] is TEXT
            or value[0].__class__ is Group
            or (operations[-1] if operations[0] == "all" else operations)[0] not in _QUIET
        ):
            return False
        last = way.cell
        if not roles.is_name[last[0]]:
            return roles.role[last[0]] == "closing"
        if roles.role[last[1][0]] == "dot":
            return True
        name = last[2]
    elif value is None or not is_operand:
        return True
    return name in way.told.bound or sees(context, name)


# -- what has been read before the token


def _end_header(check: Check) -> None:
    header = check.setting.reader.header_at(check.cell)
    if header is not None:
        check.tell(header.items, scope=check.context)
        check.tell(header.scoped, scope=check.context)


def _end_clause(check: Check) -> None:
    """Take a clause of a comprehension, or one of its conditions."""
    brackets = next(check.at(check.under).outward())
    *before, clause = check.under[2]
    below: Cell = check.under[1]
    names, within = frozenset(brackets.names()), check.context.within()
    if before or check.roles.role[below[0]] == "clauses":
        check.tell(clause[2], names, within)
    else:
        check.tell(clause[2], NONE, check.at(brackets.cell[1]).surroundings(check.context))
    check.tell(clause[3], names, within)


def _settle_patterns(check: Check) -> None:
    state, check.place, value = check.under
    for part in [value] if isinstance(value, Part) else value or ():
        if isinstance(part, Part):
            for name in part.reads:
                check.use(name)
            if part.errors:
                raise Refused(part.errors[0])
    check.tell(operations_of(check.roles.symbol[state], value))


def _settle_operand(check: Check) -> None:
    """Take what becomes certain of the operand, or the other construct, before the token."""
    roles, (state, below, value) = check.roles, check.under
    symbol, check.place = roles.symbol[state], below
    if symbol not in TARGETS or not is_waiting(value):
        check.tell(operations_of(symbol, value))
    if below[0] < 0 or roles.role[check.cell[0]] in ("keyword", "walrus") or not roles.takes_operand[below[0]]:
        return
    if symbol in TARGETS:
        if check.token in _AUGMENTED or not check.at(below).holder():
            check.read(value)
        return
    if isinstance(value, str):
        check.use(value)
    elif value is not None and symbol in EXPRESSIONS:
        check.read_attributes(value)
    if symbol not in _PRIMARIES and roles.role[below[0]] == "target," and check.at(below).holder():
        check.read(below[1][2])  # it is no list of targets


def _check_parameter(check: Check) -> None:
    """Refuse the name of a parameter, or what else is named here, that repeats one or is forbidden."""
    if check.token != DUNDER_DEBUG and check.roles.text[check.under[0]] not in _IN_LISTS:
        return
    for cell in check.setting.reader.shifted(check.cell, ","):
        below: Cell = cell[1]
        symbol = check.roles.symbol[below[0]]
        if symbol != "type_parameters":  # a type parameter may still get a default
            for operation in each(operations_of(symbol, below[2])):
                check.refuse_error(operation)
