"""Statements: names that they declare and assign to, and how each ends the flow of control."""

from __future__ import annotations

from typing import Any

from ....scoping.replay import Cell, Events, Name, Reduced
from .facts import EXECUTED, NIL, OTHER, PANICKED, RECEIVED, Facts
from .rules import Guard, Names, reduces, reduces_longer, shifts


def _check_executed(r: Reduced, shape: Any) -> None:
    if shape not in EXECUTED:
        r.tell(Facts.error, "expression is not used")


def _assign(r: Reduced, targets: Any) -> None:
    for target in targets:
        if type(target) is Name:
            r.tell(Facts.assign, target.text)


@reduces("post", "h_post")
def _post(r: Reduced) -> Any:
    if len(r.symbols) == 1:
        _check_executed(r, r.children[0])
        return r.children[0]
    if r.symbols[1] == "=":
        _assign(r, r.children[0])
        r.tell(Facts.assigned, len(r.children[0]), len(r.children[2]), r.children[2][-1])
    return None


@reduces_longer("simple", "h_simple")
def _simple(r: Reduced) -> Any:
    names, _, values = r.children
    if NIL in values:
        r.tell(Facts.no_nil, "assignment")
    r.tell(Facts.assigned, len(names), len(values), values[-1])
    r.tell(Facts.define, names, False)
    if r.symbols[2] == "exprs":
        r.tell(Facts.variable_declared, names[0].at)
    return None


@reduces("idents")
def _identifiers(r: Reduced) -> Names:
    return Names(r.children) if len(r.symbols) == 1 else Names((*r.children[0], r.children[2]))


@reduces("range_lhs")
def _range(r: Reduced) -> Any:
    """What is assigned in each round: names to declare, or nothing to tell later."""
    names = r.children[::2]
    if r.symbols[-1] == ":=":
        return Names(names)
    _assign(r, names)
    return None


@reduces("range_clause")
def _range_clause(r: Reduced) -> Any:
    if isinstance(r.children[0], Names):
        r.tell(Facts.define, r.children[0], True)
    return None


@reduces("stmt")
def _statement(r: Reduced) -> None:
    word = r.symbols[0]
    if word == "simple" and r.children[0] == PANICKED:
        r.tell(Facts.panic)
    elif word == "return":
        values = r.children[1] if len(r.children) > 1 else ()
        r.tell(Facts.returns, len(values), values[-1] if values else OTHER)
    elif word in ("break", "continue", "goto"):
        label = r.children[1] if len(r.children) > 1 else None
        r.tell(Facts.branch, word, label and label.text, r.children[0] if label is None else label.at)
    elif word == "fallthrough":
        r.tell(Facts.fall_through)
    else:
        r.tell(Facts.end_statement, False if word in ("simple", "decl", "go", "defer") else None)


@shifts("stmt/break", "stmt/continue")
def _jump(events: Events, under: Cell, text: str, at: int) -> int:
    return at


@reduces("label")
def _label(r: Reduced) -> None:
    r.tell(Facts.define_label, *r.children[0])


@reduces("if_stmt")
def _end_if(r: Reduced) -> None:
    r.tell(Facts.end_if, "else" in r.symbols)


@shifts("for_stmt/for", "switch_stmt/switch", "select_stmt/select")
def _loop(events: Events, under: Cell, text: str, at: int) -> str:
    events.append((Facts.begin_loop, (text, at)))
    return text


@reduces("for_stmt")
def _end_for(r: Reduced) -> None:
    r.tell(Facts.end_loop, "h_expr" not in r.symbols and "range_clause" not in r.symbols)


@reduces("type_guard")
def _guard(r: Reduced) -> Guard:
    return Guard(r.children[0] if r.symbols[1] == ":=" else None)


@shifts("switch_stmt:{", "select_stmt:{")
def _begin_clauses(events: Events, under: Cell, text: str, at: int) -> None:
    guard = under[2] if isinstance(under[2], Guard) else None
    kind = "types" if guard is not None else under[2] if under[2] == "select" else "switch"
    events.append((Facts.begin_clauses, (kind, guard and guard.symbol)))


@reduces("case_head", "tcase_head", "comm_head")
def _head(r: Reduced) -> None:
    if len(r.symbols) > 2 and r.symbols[2] in ("=", ":="):
        targets = r.children[1]
        r.tell(Facts.assigned, len(targets), 1, RECEIVED)
        if r.symbols[2] == "=":
            _assign(r, targets)
        else:
            r.tell(Facts.define, targets, False)
    r.tell(Facts.head_of_clause, r.symbols[0] == "default")
