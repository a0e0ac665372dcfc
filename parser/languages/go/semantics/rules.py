"""The actions of go.lark's rules, registered by rule and by terminal; and the attributes of their symbols.

Attributes are the kind of an expression, as a number (see facts.py), names, and the parts of functions, structs and clauses. See
parser/scoping/replay.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from ....scoping.replay import Action, Hook, Name, Reduced
from . import kinds
from .facts import Facts
from .shapes import Called, Keys, Pointed

ACTIONS: dict[str, Action] = {}
HOOKS: dict[str, Hook] = {}


class Signature(NamedTuple):
    """A function's signature; names: of parameters; parameters, values: the numbers of these and of results; literal: whether it has
    no name."""

    names: tuple[str, ...]
    parameters: int
    results: tuple[str, ...]
    values: int
    literal: bool = False
    variadic: bool = False


class Head(NamedTuple):
    """The text before a function's signature; own: the names it declares."""

    name: str
    own: tuple[str, ...] = ()


class Guard(NamedTuple):
    """The `x := y.(type)` of a switch."""

    symbol: Name | None


class Braced(NamedTuple):
    """The beginning of a literal."""

    keys: Keys


class Names(tuple[Name, ...]):
    """Names declared together."""


def reduces(*rules: str) -> Callable[[Action], Action]:
    def register(action: Action) -> Action:
        ACTIONS.update(dict.fromkeys(rules, action))
        return action

    return register


def reduces_longer(*rules: str) -> Callable[[Action], Action]:
    """Register an action for these rules, except for those of one symbol, which take its attribute."""
    return reduces(*(f"{rule}+" for rule in rules))


def shifts(*places: str) -> Callable[[Hook], Hook]:
    def register(hook: Hook) -> Hook:
        HOOKS.update(dict.fromkeys(places, hook))
        return hook

    return register


def use_values(r: Reduced, values: Sequence[Any], *, each: bool = False) -> None:
    """Note that expressions in a list are values. each: whether each certainly has one; else a single call may return several."""
    each = each or len(values) > 1
    for value in values:
        kind = cast(Any, type(value))
        if kind is str or kind is Pointed:
            r.tell(Facts.use_as, str(value), (kinds.VALUE,))
        elif kind is Called and each:
            r.tell(Facts.use_as, value, (kinds.GIVES, 1))


def read(r: Reduced, name: Any) -> str:
    """Note a name as read here at the latest."""
    if type(name) is Name:
        r.tell(Facts.use, name.text)
        return name.text
    return name
