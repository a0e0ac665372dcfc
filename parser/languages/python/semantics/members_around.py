"""The names that may come next behind a dot or in a call, by our own rules and by a type checker."""

from __future__ import annotations

from ....scoping.verdicts import Refused
from .allowed_names import Members
from .constructs import Construct, Stack
from .rules.values import path_of
from .setting import Setting, Way, from_outside
from .type_paths import Path


def no_attribute(owner: Members, name: str) -> Refused:
    return Refused(f"{owner.owner} has no attribute {name!r}", "attributes", name, owner)


def members_of(setting: Setting, way: Way, path: Path | None, *, rebound: bool = True) -> Members | None:
    """The attributes of an expression's value here; None: unknown. rebound: even if a `for` may still bind its name."""
    if path is None or setting.context is None:
        return None
    path = from_outside(setting, way, path, rebound=rebound)
    return None if path is None else setting.context.members(path)


def members_next(setting: Setting, way: Way, *, rebound: bool = True) -> Members | None:
    """The attributes of the operand before the dot on top; None: unknown. rebound: see members_of."""
    path = path_of(way.cell[1][2])
    own = members_of(setting, way, path, rebound=rebound)
    if not _is_settled(setting, way, argument=False):
        return own
    allowed = told(setting, way, path)
    if allowed is None or own is None:
        return allowed
    return allowed._replace(names=allowed.names | own.names, is_whole=True)  # for both, the class is closed


def is_told(setting: Setting, way: Way, call: Construct) -> bool:
    """Whether a type checker has settled which arguments a call takes: then our own rules alone refuse none."""
    return setting.call is not None and setting.call is call.cell and _is_settled(setting, way, argument=True)


def _is_settled(setting: Setting, way: Way, *, argument: bool) -> bool:
    allowed = setting.allowed
    return allowed is not None and allowed.argument == argument and allowed.settled and (argument or not way.told.asked)


def told(setting: Setting, way: Way, path: Path | None) -> Members | None:
    """The names a type checker allows next, unless their owner may become another thing; path: of that owner, if there is one."""
    allowed, context = setting.allowed, setting.context
    if allowed is None or context is None:
        return None
    if path is None and not allowed.argument:
        stack = Stack(setting.roles, way.cell)
        for around in stack.outward():
            if stack.may_generate(around, setting.version) and around.kind not in ("call", "field"):
                return None  # a `for` may bind names read by the operand
    return context.told(allowed)
