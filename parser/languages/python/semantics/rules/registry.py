"""The actions of the grammar's rules: functions from the values of a rule's symbols to that of the rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Action = Callable[..., Any]
ACTIONS: dict[str, Action] = {}
"""By rule, "left: symbols"; by "left+", for the other rules of several symbols."""
BELOW: set[Action] = set()
"""The actions that get the places of the tables and the cell below the rule's symbols, too, before their values."""
HEADERS: dict[str, Action] = {}
"""By the rule of a compound statement or clause: from the values of the symbols before its colon to its header."""

F = TypeVar("F", bound=Callable[..., Any])


def rule(*rules: str, below: bool = False, into: dict[str, Action] = ACTIONS) -> Callable[[F], F]:
    """Register the action of rules; see ACTIONS and BELOW."""

    def registered(action: F) -> F:
        into.update(dict.fromkeys(rules, action))
        if below:
            BELOW.add(action)
        return action

    return registered


def keeps(position: int, *rules: str) -> None:
    """Register rules whose value is that of the symbol at a position."""
    ACTIONS.update(dict.fromkeys(rules, lambda *values: values[position]))


def header(*rules: str) -> Callable[[F], F]:
    """Register the function of headers; see HEADERS."""
    return rule(*rules, into=HEADERS)
