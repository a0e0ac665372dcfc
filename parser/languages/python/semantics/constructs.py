"""The constructs open at some place of a logical line, read off its stack of the grammar.

Each LR state has a role; see roles.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from .....common.words import words_of
from .line_values import Context
from .roles import SEVERAL, Cell, Roles
from .rules.values import elements_of, is_list, path_of
from .targets import Elements, target_names
from .type_paths import Path

BRACKETS = frozenset(("(", "[", "{", "call", "bases", "index", "field"))
_OPENS = BRACKETS.union(("parameters", "types", "pattern", "imports", "formatted"))
_COMPREHENDS = frozenset(("(", "[", "{", "call", "field"))
_PHASES = {"for": "targets", "in": "iterable", "if": "condition", "clauses": "condition", "as": "as"}
_IN_COMPREHENSION = frozenset(("targets", "later iterable", "condition"))
_SEPARATES = words_of(
    "keyword dot walrus assigned del return targets iterated imported star target, argument, async default guard case"
)
_HOLDERS = frozenset(("statement", "assigned", "targets", "for", "as", "del"))
_HELD = frozenset(("star", "(", "["))
ANNOTATIONS = frozenset(("annotation", "target's annotation"))
Clause = tuple[Elements, bool, Path | None]
"""The targets of a comprehension's `for`, whether there is a comma among them, and the path of what it iterates over, if known."""


class Construct(NamedTuple):
    """An open construct."""

    kind: str
    """its role"""
    cell: Cell
    """of its first symbol"""
    phase: str = ""
    """of brackets: element, as (a target of a `with`); of comprehensions targets, iterable, later iterable, condition"""
    above: tuple[int, int] = (0, 0)
    """the states of the two cells above the first; 0: there is none"""
    clauses: tuple[Clause, ...] = ()
    """of a comprehension, the first one first"""

    @property
    def is_bracket(self) -> bool:
        return self.kind in BRACKETS

    @property
    def called(self) -> Path | None:
        """The operand before the brackets of a call or a subscript."""
        return path_of(self.cell[1][2]) if self.kind in ("call", "index") else None

    def names(self) -> tuple[str, ...]:
        """The names bound within it."""
        if self.kind == "body":
            parameters = self.cell[1][2]
            return tuple(each.name for each in parameters[0]) if parameters.__class__ is tuple else ()
        if self.kind == "defined":
            return self.cell[2][1]
        if self.kind == "type parameters":
            return self.cell[2][0]
        return tuple(name for clause in self.clauses for name in target_names(clause[0])) if self.clauses else ()


class Stack(NamedTuple):
    """A stack in the middle of a line."""

    roles: Roles
    cell: Cell

    def at(self, cell: Cell) -> Stack:
        """The part of the stack up to a cell."""
        return Stack(self.roles, cell)

    def cells(self) -> Iterator[Cell]:
        """The cells of the statement in progress, the top first."""
        role = self.roles.role
        return takewhile(lambda cell: role[cell[0]] != "statement", self.line_cells())

    def line_cells(self) -> Iterator[Cell]:
        """The cells of the whole line, the top first."""
        cell = self.cell
        while cell[0] >= 0:
            yield cell
            cell = cell[1]

    def outward(self) -> Iterator[Construct]:
        """The open constructs, innermost first."""
        role = self.roles.role
        cell = self.cell
        closed, phase, first, second = 0, "", 0, 0
        in_body = has_value = False
        clauses: list[Clause] = []
        while cell[0] >= 0:
            state, below, value = cell
            kind = role[state]
            if not kind or kind in _SEPARATES:
                pass
            elif kind == "statement":
                return
            elif kind == "closing":
                closed += 1
            elif kind in _OPENS:
                if closed:
                    closed -= 1
                else:
                    if phase == "iterable" and len(clauses) > 1:
                        phase = "later iterable"
                    yield Construct(kind, cell, phase or "element", (first, second), tuple(reversed(clauses)))
                phase, clauses = "", []
            elif closed:
                pass
            elif kind in _PHASES:
                phase = phase or _PHASES[kind]
                if kind == "in":
                    clauses.append((elements_of(below[2]), is_list(below[2]), None))
                elif kind == "clauses":
                    clauses += (clause[4] for clause in reversed(value))
            elif kind == "body":
                yield Construct(kind, cell)
                in_body = True
            elif kind == "lambda":
                if not in_body:
                    yield Construct(kind, cell)
                in_body = False
            elif kind == "annotated value":
                has_value = True
            elif kind in ANNOTATIONS:
                if not has_value or kind == "annotation":
                    yield Construct(kind, cell)
            elif kind != "defined" or value.__class__ is not str:
                yield Construct(kind, cell)
            first, second = state, first
            cell = below

    def imported_from(self) -> str:
        """The module whose names are imported here."""
        text, cell = self.roles.text, self.cell
        while text[cell[0]] != "import":
            cell = cell[1]
        parts: list[str] = []
        cell = cell[1]
        while text[cell[0]] != "from":
            parts.append(str(cell[2]))
            cell = cell[1]
        return "".join(reversed(parts))

    def surroundings(self, context: Context) -> Context:
        """The surroundings of the next operand, in those of the line."""
        for construct in self.outward():
            if construct.kind in ANNOTATIONS:
                return context.deferred()
            if construct.kind == "body":
                return context.within().later()
            if construct.phase in _IN_COMPREHENSION:
                return context.within()
        return context

    def holder(self) -> str:
        """The role of what may make an operand on top a target: statement, assigned, targets, for, as, del; "" for nothing."""
        role = self.roles.role
        cell = self.cell
        while True:
            kind = role[cell[0]]
            if kind in _HOLDERS:
                return kind
            if kind == "target,":
                cell = cell[1][1]
            elif kind in _HELD:
                cell = cell[1]
            else:
                return ""

    def depth(self) -> int:
        """The number of open brackets."""
        return sum(construct.is_bracket for construct in self.outward())

    def may_generate(self, construct: Construct, version: tuple[int, int]) -> bool:
        """Whether a comprehension's `for` may follow the element in progress of a construct."""
        kind = construct.kind
        if construct.phase != "element" or kind not in _COMPREHENDS or (kind == "field" and version >= (3, 12)):
            return False
        first, second = construct.above
        if self.roles.role[second] == "keyword" or self.roles.symbol[first] in SEVERAL:
            return False
        text = self.roles.text[first]
        if text == "*":
            return version >= (3, 15)
        return text != "yield" and (text != "**" or (kind == "{" and version >= (3, 15)))

    def may_bind(self, version: tuple[int, int]) -> bool:
        """Whether a comprehension may still bind a name read here."""
        return any(self.may_generate(construct, version) for construct in self.outward())
