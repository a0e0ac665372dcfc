"""The checks of tokens with a meaning of their own: where they may stand, which names and arguments they bring."""

from __future__ import annotations

from collections.abc import Callable

from ....scoping.verdicts import Refused
from .call_arguments import arguments_before, check_call, check_keyword, check_position
from .check import Check
from .constructs import Construct
from .import_statements import check_imported
from .line_values import ARGUMENTS as OF_ARGUMENTS
from .line_values import FORBIDDEN, Argument
from .members_around import members_next, no_attribute
from .messages import ASSIGNS_DEBUG, OUTSIDE, WALRUS_IN_ITERABLE, YIELD_FROM, YIELD_IN_COMPREHENSION, walrus_rebinds
from .operations import each
from .roles import ARGUMENT_LISTS as ARGUMENTS
from .roles import Cell, Roles
from .rules.values import bind, elements_of, is_list, path_of, read
from .setting import Way, local_names
from .targets import DUNDER_DEBUG
from .tokens import is_plain_name

Step = Callable[[Check], None]
"""A part of the check of a token."""
_LEAVES = frozenset(("return", "break", "continue"))
_TELLING = _LEAVES | {"yield", "await", "from", "import", "for", "with"}
"""Tokens with a meaning of their own."""
_BEHIND_TARGETS = frozenset(("assigned", "iterated", "in"))
_TELLING_ROLES = _BEHIND_TARGETS | {"for", "walrus"}
_TOLD_BEHIND = frozenset(("dot", "imported", "imports"))
"""Roles behind which every token tells something."""
_BEFORE_ARGUMENTS = frozenset(("call", "argument,"))
_OTHER_BRACKETS = frozenset(("(", "parameters", "bases", "pattern", "imports"))
_BEGINS_NO_POSITION = frozenset(("*", "**", ",", "for", "async"))


def step_of(roles: Roles, state: int, under: int) -> Step | None:
    """The step for a token with a meaning of its own; state: behind the token, on top of another. None: there is none."""
    text, role, before = roles.text[state], roles.role[state], roles.role[under]
    if text not in _TELLING and role not in _TELLING_ROLES and before not in _TOLD_BEHIND:
        return None
    if before == "dot" and text != ".":
        return _take_attribute
    if text in _LEAVES:
        return _leave
    if role in _BEHIND_TARGETS:
        return _end_targets
    if role == "for":
        return _begin_comprehension
    if role == "walrus":
        return _take_walrus
    if before in ("imported", "imports"):
        return _take_imported
    if text in ("yield", "await"):
        return _take_yield if text == "yield" else _take_await
    last = roles.text[under]
    if last == "yield" and text == "from":
        return _take_yield_from
    if last == "async" and before != "async" and text in ("for", "with"):
        return _take_async
    return _take_lazy if last == "lazy" and text in ("import", "from") else None


def argument_step_of(roles: Roles, state: int, under: int, below: int) -> Step | None:
    """The step for a token that begins or ends an argument; None: it does neither. below: the state under these two."""
    text, symbol = roles.text[state], roles.symbol[under]
    if roles.role[state] == "keyword":
        return _begin_keyword
    if text == ")":
        return _end_call if roles.role[below if symbol else under] not in _OTHER_BRACKETS else None
    if symbol in ARGUMENTS:
        return _end_argument
    if symbol:
        return _end_name if roles.role[below] in _BEFORE_ARGUMENTS else None
    begins = roles.role[under] in _BEFORE_ARGUMENTS and text not in _BEGINS_NO_POSITION and not roles.is_name[state]
    return _begin_argument if begins else None


# -- statements


def _leave(check: Check) -> None:
    context = check.context
    if not (context.in_function if check.token == "return" else context.in_loop):
        raise Refused(OUTSIDE[check.token])


def _take_async(check: Check) -> None:
    if not check.context.in_async:
        raise Refused(OUTSIDE[f"async {check.token}"])


def _take_lazy(check: Check) -> None:
    if check.context.error_of_lazy_import is not None:
        raise Refused(check.context.error_of_lazy_import)


def _take_imported(check: Check) -> None:
    stored = check.setting.stored | check.told.stored
    check_imported(check.context, check.at(check.cell).imported_from(), check.token, stored)


def _end_targets(check: Check) -> None:
    """Refuse what is no target, before an `=` or an `in`."""
    targets = check.under[2]
    if not isinstance(targets, str) or targets == DUNDER_DEBUG:
        for operation in each(bind(elements_of(targets), top=True, comma=is_list(targets))):
            check.refuse_error(operation)
            if operation[:2] == ("fact", "store"):
                check.pop_missing(*operation[2:4])


# -- expressions


def _take_attribute(check: Check) -> None:
    name, owner, told = check.token, check.under[1], check.told
    path = path_of(owner[2])
    if check.is_stored(name) or name == DUNDER_DEBUG or (path is None and check.setting.allowed is None):
        return
    head = "" if path is None else path[0]
    members = members_next(check.setting, Way(check.under, told), rebound=False)
    if check.setting.allowed is not None:
        check.told = told = told._replace(asked=True)
    if members is None or members.has(name):
        return
    if check.at(owner[1]).holder():
        check.told = told._replace(missing=(*told.missing, (name, head, members)))
    else:
        check.refuse(no_attribute(members, name), head, check.under)


def _begin_comprehension(check: Check) -> None:
    """Take the first `for` of a comprehension: its element sees no names of a class around it."""
    cell: Cell = check.cell
    while check.roles.role[cell[0]] in ("for", "async"):
        cell = cell[1]
    within = check.context.within()
    if check.roles.role[cell[0]] == "clauses" or within is check.context:
        return
    inner = local_names(check.roles, Way(cell, check.told))
    depth = check.at(cell).depth()
    used = (operation[1] for operation in each(read(cell[2])) if operation[0] == "use")
    unseen = tuple((name, depth) for name in used if name not in inner and not within.visible(name))
    check.told = check.told._replace(open=tuple(dict.fromkeys((*check.told.open, *unseen))))


def _take_yield(check: Check) -> None:
    for around in check.at(check.under).outward():
        if around.kind == "body":
            return
        if around.phase in ("targets", "later iterable", "condition"):  # the first iterable runs outside
            raise Refused(YIELD_IN_COMPREHENSION)
    if not check.context.in_function and check.is_compiled():
        raise Refused(OUTSIDE["yield"])


def _take_yield_from(check: Check) -> None:
    in_body = any(around.kind == "body" for around in check.at(check.under).outward())
    if check.context.in_async and check.is_compiled() and not in_body:
        raise Refused(YIELD_FROM)


def _take_await(check: Check) -> None:
    if check.context.in_async or not check.is_compiled():
        return
    stack = check.at(check.under)
    for around in stack.outward():
        if around.kind == "body":
            break
        if around.kind in ("(", "call", "field"):
            if around.phase != "element" or stack.may_generate(around, check.setting.version):
                return  # in a generator
    raise Refused(OUTSIDE["await"])


def _take_walrus(check: Check) -> None:
    name = str(check.under[2])
    if name == DUNDER_DEBUG and check.is_found(FORBIDDEN):
        raise Refused(ASSIGNS_DEBUG)
    for around in check.at(check.under).outward():
        if around.phase in ("iterable", "later iterable"):
            raise Refused(WALRUS_IN_ITERABLE)
        if around.phase in ("condition", "targets") and name in around.names():
            raise Refused(walrus_rebinds(name))


# -- calls


def _call_around(check: Check) -> Construct | None:
    """The call with the arguments in progress; None: these are no arguments, or the called thing is unknown."""
    call = next(check.at(check.under).outward(), None)
    return call if call is not None and call.kind == "call" else None


def _refuse(check: Check, call: Construct, refused: Refused | None, place: Cell) -> None:
    if refused is not None and not check.is_stored(refused.word):
        assert call.called is not None
        check.refuse(refused, call.called[0], place)


def _begin_keyword(check: Check) -> None:
    call = _call_around(check)
    if call is None:
        return
    name, before = str(check.under[2]), arguments_before(check.roles, call, check.under[1])
    if any(argument.keyword == name for argument in before) and check.is_found(OF_ARGUMENTS):
        raise Refused(f"keyword argument repeated: {name}")
    if name == DUNDER_DEBUG and check.is_found(FORBIDDEN):
        raise Refused(ASSIGNS_DEBUG)
    refused = check_keyword(check.setting, Way(check.under, check.told), call, name, before)
    _refuse(check, call, refused, check.cell)


def _end_call(check: Check) -> None:
    call = _call_around(check)
    if call is not None and call.called is not None:
        stored = check.setting.stored | check.told.stored
        refused = check_call(check.setting, Way(check.under, check.told), call, stored)
        _refuse(check, call, refused, call.cell[1])


def _end_argument(check: Check) -> None:
    """Check the position of a name, which might have been a keyword until now."""
    *before, last = check.under[2][0]
    if last.keyword is None and last.path is not None and len(last.path) == 1 and is_plain_name(last.path[0]):
        _check_position(check, lambda call: tuple(before))


def _end_name(check: Check) -> None:
    """Check the position of an operand that begins with a name, which is no keyword."""
    if isinstance(check.under[2], str):
        _begin_argument(check, check.under[1])


def _begin_argument(check: Check, behind: Cell | None = None) -> None:
    """Check the position of an argument behind a cell; None: behind the cell below the token."""
    _check_position(check, lambda call: arguments_before(check.roles, call, behind or check.under))


def _check_position(check: Check, before: Callable[[Construct], tuple[Argument, ...]]) -> None:
    call = _call_around(check)
    if call is not None and call.called is not None:
        refused = check_position(check.setting, Way(check.under, check.told), call, before(call))
        _refuse(check, call, refused, check.under)
