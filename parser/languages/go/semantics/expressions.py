"""Expressions: what they are, and which names in them are read."""

from __future__ import annotations

from typing import Any

from ....scoping.replay import Cell, Events, Name, Reduced, Targets
from .facts import CALL, NIL, OTHER, PAIR, PANIC, PANICKED, RECEIVED, Facts
from .rules import Braced, Fields, Keys, read, reduces, reduces_longer, shifts


@reduces("primary=IDENT", "h_primary=IDENT", "l_primary=IDENT")
def _primary(r: Reduced) -> Any:
    first = r.children[0]
    if type(first) is Name and r.may_be_target:
        return first
    name = read(r, first)
    return PANIC if name == "panic" else NIL if name == "nil" else OTHER


@shifts("qualified:.", "longer:.", "h_longer:.", "type_guard:.")
def _selected(events: Events, under: Cell, text: str, at: int) -> None:
    if type(under[2]) is Name:
        events.append((Facts.use, (under[2].text,)))


@reduces_longer("operand", "h_operand")
def _operand(r: Reduced) -> Any:
    return r.children[1] if r.symbols[0] == "(" else OTHER


@reduces_longer("longer", "h_longer", "l_primary")
def _longer(r: Reduced) -> int:
    last = r.symbols[-1]
    return OTHER if last == "IDENT" or (last == "subscript" and r.children[1]) else PAIR


@reduces("subscript")
def _subscript(r: Reduced) -> bool:
    """Is it a slice?"""
    return ":" in r.symbols


@reduces("call", "h_call")
def _call(r: Reduced) -> int:
    return PANICKED if r.children[0] == PANIC else CALL


@reduces_longer("unary", "h_unary")
def _unary(r: Reduced) -> Any:
    return RECEIVED if r.children[0] else OTHER


@reduces("unary_op")
def _unary_operator(r: Reduced) -> bool:
    """Does it receive?"""
    return r.symbols[0] == "<-"


@reduces_longer(
    *(name for kind in ("", "h_") for name in (f"{kind}expr", f"{kind}and", f"{kind}cmp", f"{kind}add", f"{kind}mul"))
)
def _binary(r: Reduced) -> Any:
    return OTHER


@reduces("exprs", "h_exprs")
def _expressions(r: Reduced) -> Any:
    if len(r.symbols) == 1:
        return (Targets if r.roles.is_waiting(r.under) else tuple)(r.children)
    return type(r.children[0])((*r.children[0], r.children[2]))


@reduces("lit_head")
def _type_of_literal(r: Reduced) -> Keys:
    return Keys.FIELDS if isinstance(r.children[0], Fields) else Keys.READ


@shifts("complit/{")
def _begin_literal(events: Events, under: Cell, text: str, at: int) -> Braced:
    return Braced(under[2] if isinstance(under[2], Keys) else Keys.MAYBE)


@shifts("element::")
def _key(events: Events, under: Cell, text: str, at: int) -> None:
    """Behind a name: it stands behind the brace, or a comma and elements."""
    _, (_, further, before), name = under
    (keys,) = before if isinstance(before, Braced) else further[2]
    if type(name) is Name and keys is not Keys.FIELDS:
        events.append((Facts.use if keys is Keys.READ else Facts.maybe_use, (name.text,)))


@reduces("elements")
def _elements(r: Reduced) -> Braced:
    return r.under[2] if len(r.symbols) == 1 else r.children[0]


@reduces("element=value")
def _element(r: Reduced) -> None:
    read(r, r.children[0])


@reduces("value=complit")
def _literal_as_value(r: Reduced) -> int:
    return OTHER
