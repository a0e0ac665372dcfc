"""The meaning of two texts in a row, the second read on its own: the scopes open between them are joined.

A text read from a hole on (`Checker.at_hole`) leaves a scope for each one open there, with the names it declares and reads in it. So
the text behind a hole is read once, however often the text before it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .automaton import Mark, Scope
from .kinds import Kind, Use, carried, clash, clash_in_module, given
from .messages import declared_twice, exported_twice, used_early


class Summary(NamedTuple):
    """The meaning of a text from a place on, to the end of the file."""

    levels: tuple[Scope, ...]
    """one for each scope open at the place, innermost first"""
    errors: frozenset[str]
    sloppy: frozenset[str]
    """Errors if the file is a module"""
    scripts: frozenset[str]
    """Errors if it is a script"""
    early: frozenset[str]
    """The reads before the variable declared at the place has its value"""
    module: bool
    """whether it has imports or exports"""
    committed: tuple[Mark, ...]
    """Marks of readings that are wrong once this one has gone on"""


class Outcome(NamedTuple):
    """The errors of a whole file."""

    errors: frozenset[str]
    free: dict[str, int]
    """The uses of names not declared in it, by name"""
    module: bool


def chain(scope: Scope) -> list[Scope]:
    """The open scopes, innermost first."""
    scopes: list[Scope] = []
    enclosing: Scope | None = scope
    while enclosing is not None:
        scopes.append(enclosing)
        enclosing = enclosing.parent
    return scopes


def _merged(first: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    if not first or not other:
        return first or other
    merged = dict(first)
    for name, bits in other.items():
        merged[name] = merged.get(name, 0) | bits
    return merged


def join(
    before: list[Scope],
    behind: tuple[Scope, ...],
    error: Callable[[str], None],
    sloppy: Callable[[str], None],
    *,
    ts: bool,
) -> tuple[list[Scope], dict[str, int]]:
    """(of the scopes open between two texts, those open before the first; the reads of names declared further out).

    before: the scopes left open by the first; behind: the names declared and read by the second in each, both innermost first.
    sloppy: called with errors in modules alone.
    """
    kept: list[Scope] = []
    early: dict[str, int] = {}  # read in the first text, in scopes closed by now
    late: dict[str, int] = {}
    hoisted: dict[str, int] = {}
    for own, other in zip(before, behind, strict=True):
        names = _merged(own.names, hoisted)
        for name in hoisted.keys() & own.names.keys():
            if name[0] != "=" and clash(own.names[name], hoisted[name], own.kind, ts=ts):
                _redeclared(name, error)
        for name in names.keys() & other.names.keys():
            _check(name, names[name], other.names[name], own.kind, error, ts=ts)
            if not ts and own.kind == "module" and clash_in_module(names[name], other.names[name]):
                _redeclared(name, sloppy)
        early = _merged(early, own.refs)
        late = _merged(late, other.refs)
        for name, bits in other.names.items():
            if (
                bits & Kind.LATE
                and not bits & Kind.DECLARED
                and early.get(name, 0) & Use.NOW
                and not names.get(name, 0) & Kind.VALUES
            ):
                error(used_early(name))
            if name.startswith("late ") and not own.hole and not names.get(name[5:], 0) & Kind.VALUES:
                error(used_early(name[5:]))
        names = _merged(names, other.names)
        hoisted = {}
        if own.hole:
            scope = Scope(None, own.kind, None, hole=True)
            scope.names, scope.refs = _without_known(names, own.names), _merged(early, late)
            kept.append(scope)
            early, late = {}, {}
            continue
        early = carried(own.kind, names, early, error, ts=ts)
        late = carried(own.kind, names, late, error, ts=ts)
        if own.kind in ("namespace", "enum"):
            hoisted = dict(given(names))
        elif own.kind == "global":
            hoisted = {f"global {name}": Kind.EXPORT for name in names}
        elif own.kind in ("block", "types"):
            hoisted = {name: Kind.VAR for name, bits in names.items() if bits & Kind.VAR}
    return kept, _merged(early, late)


def _without_known(names: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    """Names without the notes of early reads for those declared before."""
    declared = [
        name
        for name in names
        if name.startswith("late ") and before.get(name[5:], 0) & Kind.VALUES and name not in before
    ]
    return {name: bits for name, bits in names.items() if name not in declared} if declared else names


def _check(name: str, own: int, other: int, kind: str, error: Callable[[str], None], *, ts: bool) -> None:
    if name[0] == "=":  # a note
        return
    if name.startswith("export "):
        if own & Kind.ONCE and other & Kind.ONCE if ts else (own | other) & Kind.ONCE:
            error(exported_twice(name[7:]))
    elif clash(own, other, kind, ts=ts):
        _redeclared(name, error)


def _redeclared(name: str, error: Callable[[str], None]) -> None:
    error(declared_twice(name.lstrip(".")))
