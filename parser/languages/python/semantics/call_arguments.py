"""The arguments of calls in a logical line, checked against the called function's signature."""

from __future__ import annotations

from collections.abc import Sequence

from ....scoping.verdicts import Refused
from .constructs import Construct, Stack
from .line_values import Argument, Context, Parameter, Signature
from .members_around import is_told, told
from .messages import given_twice, no_keyword
from .roles import ARGUMENT_LISTS as ARGUMENTS
from .roles import Cell, Roles
from .rules.headers import EXPECTS_ERRORS
from .rules.values import path_of
from .setting import Setting, Way, from_outside


def signature_around(
    setting: Setting, way: Way, call: Construct, context: Context | None, *, rebound: bool = True
) -> Signature | None:
    """The signature of a call around a place; None: unknown. rebound: see members_of in members_around.py."""
    called = call.called
    if context is None or called is None:
        return None
    path = from_outside(setting, way, called, rebound=rebound)
    signature = None if path is None else context.signature(path)
    if signature is None:
        return None
    # In `self.assertRaises(TypeError, lambda: f())` the arguments may be wrong on purpose.
    around = (outer.called for outer in Stack(setting.roles, call.cell[1]).outward() if outer.kind == "call")
    return None if any(outer is not None and outer[-1] in EXPECTS_ERRORS for outer in around) else signature


def arguments_before(roles: Roles, call: Construct, cell: Cell) -> tuple[Argument, ...]:
    """The whole arguments of a call up to a cell."""
    while cell is not call.cell:
        if roles.symbol[cell[0]] in ARGUMENTS:
            return cell[2][0]
        cell = cell[1]
    return ()


def given_so_far(roles: Roles, call: Construct, cell: Cell) -> tuple[Argument, ...]:
    """The arguments of a call up to a cell, if it ends there."""
    if call.phase != "element":
        return (Argument(None, None),)
    symbol = roles.symbol[cell[0]]
    if not symbol:
        return arguments_before(roles, call, cell)
    return cell[2][0] if symbol in ARGUMENTS else (Argument(None, path_of(cell[2])),)


def begins_argument(roles: Roles, call: Construct, cell: Cell) -> bool:
    """Whether an argument begins just behind a cell."""
    return cell is call.cell or (roles.text[cell[0]] == "," and roles.symbol[cell[1][0]] in ARGUMENTS)


def takes_position(setting: Setting, way: Way, call: Construct) -> bool:
    """Whether a positional argument may begin on top of a stack, as far as that is known."""
    signature = signature_around(setting, way, call, setting.context)
    return signature is None or signature.takes_more(arguments_before(setting.roles, call, way.cell))


def check_keyword(
    setting: Setting, way: Way, call: Construct, name: str, before: tuple[Argument, ...]
) -> Refused | None:
    """The error of a keyword argument's name."""
    signature = signature_around(setting, way, call, setting.context, rebound=False)
    if is_told(setting, way, call):
        keywords = told(setting, way, None)
    else:
        keywords = None if signature is None else signature.keywords()
    if keywords is not None and not keywords.has(name):
        return Refused(no_keyword(keywords.owner, name), "attributes", name, keywords)
    if signature is not None and name in signature.bound(before):
        return wrong_call(call, given_twice(signature.owner, name))
    return None


def check_position(setting: Setting, way: Way, call: Construct, before: tuple[Argument, ...]) -> Refused | None:
    """The error of a superfluous positional argument behind some others."""
    signature = signature_around(setting, way, call, setting.context)
    if signature is None or signature.takes_more(before):
        return None
    return wrong_call(call, str(signature.refuses((*before, Argument(None, None)))))


def check_call(setting: Setting, way: Way, call: Construct, stored: frozenset[str]) -> Refused | None:
    """The error of a call whose arguments end in the top cell."""
    place = Way(call.cell[1], way.told)
    given = given_so_far(setting.roles, call, way.cell)
    return call_problem(signature_around(setting, place, call, setting.context, rebound=False), call, given, stored)


def call_problem(
    signature: Signature | None, call: Construct, given: tuple[Argument, ...], stored: frozenset[str]
) -> Refused | None:
    """The error of a call with some arguments; stored: keywords assumed to exist."""
    if signature is None:
        return None
    arguments = tuple(argument for argument in given if argument.keyword not in stored)
    message = signature.refuses(arguments)
    return None if message is None else wrong_call(call, message, signature.lacking(arguments))


def wrong_call(call: Construct, message: str, lacking: Sequence[Parameter] = ()) -> Refused:
    assert call.called is not None
    mend = ", ".join("None" if parameter.kind == "/" else f"{parameter.name}=None" for parameter in lacking)
    return Refused(message, "calls", f"{call.called[-1]}()", None, mend)
