"""The roles of Go's names: its grammar with the meaning of its rules."""

from __future__ import annotations

from collections.abc import Callable

from ....grammar import directives
from ....scoping.replay import Hook, Roles
from ..tables import compiled, source
from . import expressions, statements, types
from .facts import Facts
from .rules import ACTIONS, HOOKS

PARTS = (expressions, statements, types)
"""Imported for the actions they register."""


def _telling(event: Callable[..., None]) -> Hook:
    return lambda events, under, text, number: events.append((event, ()))


def _numbered(event: Callable[..., None]) -> Hook:
    return lambda events, under, text, number: events.append((event, (number,)))


_SIMPLE_HOOKS: dict[str, Hook] = {
    "block/{": _numbered(Facts.open_block),
    "block:}": _telling(Facts.close_block),
    "body:}": _telling(Facts.leave_function),
    "switch_stmt:}": _telling(Facts.end_clauses),
    "select_stmt:}": _telling(Facts.end_clauses),
    "if_stmt/if": _telling(Facts.begin_if),
    "if_stmt:else": _telling(Facts.begin_else),
    "func_head/func": _telling(Facts.open_scope),
    "const_one:=": _telling(Facts.begin_constant),
    **dict.fromkeys(
        (f"{kind}_head/{word}" for kind in ("case", "tcase", "comm") for word in ("case", "default")),
        _numbered(Facts.begin_clause),
    ),
    **dict.fromkeys(("receiver/(", "tparams/[", "alias_tparams/["), _telling(Facts.defer)),
}


def new_roles(version: str) -> Roles:
    """The roles of one version's grammar."""
    definition = compiled(version)
    said = directives.roles(source())
    return Roles(definition.tables, definition.grammar.texts, said, ACTIONS, HOOKS | _SIMPLE_HOOKS, Facts.use)
