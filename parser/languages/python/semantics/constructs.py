"""The constructs open at some place of a logical line, read off its stack of the grammar.

Each LR state has a role: what the symbol before it begins, separates or ends. Stacks are chains of cells; see line_reader.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .....common.words import words_of
from ....grammar.lalr import Tables
from .line_values import Context
from .rules.places import Cell
from .rules.values import elements_of, is_list, path_of
from .targets import Elements, Group
from .type_paths import Path

_BY_TERMINAL = {
    ("n_free", "("): "call",
    ("n_tied", "("): "call",
    ("n_primary", "("): "call",
    ("decorator", "("): "call",
    ("class", "("): "bases",
    ("free_single", "["): "index",
    ("tied_single", "["): "index",
    ("unnamed", "["): "index",
    ("function", "("): "parameters",
    ("defined", "["): "types",
    ("sequence", "("): "(",
    ("sequence", "["): "[",
    ("del_sequence", "("): "(",
    ("del_sequence", "["): "[",
    ("n_atom", "("): "(",
    ("n_atom", "["): "[",
    ("n_atom", "{"): "{",
    ("closed_pattern", "("): "pattern",
    ("closed_pattern", "["): "pattern",
    ("mapping", "{"): "pattern",
    ("imported", "("): "imports",
    ("field", "FIELD_OPEN"): "field",
    ("str", "FSTRING_START"): "formatted",
    ("tstring", "TSTRING_START"): "formatted",
    ("format_spec", "SPEC"): "specification",
    ("for_clause", "async"): "async",
    ("for_clause", "for"): "for",
    ("for_clause", "in"): "in",
    ("for_clause", "if"): "if",
    ("lambda_condition", "lambda"): "lambda",
    ("n_expression", "lambda"): "lambda",
    ("lambda_condition", ":"): "body",
    ("n_expression", ":"): "body",
    ("plain_parameter", ":"): "annotation",
    ("star_parameter", ":"): "annotation",
    ("returns", "->"): "annotation",
    ("assignment", ":"): "target's annotation",
    ("assignment", "="): "annotated value",
    ("keyword", "="): "keyword",
    ("free_single", "."): "dot",
    ("tied_single", "."): "dot",
    ("unnamed", "."): "dot",
    ("n_primary", "."): "dot",
    ("walrus", ":="): "walrus",
    ("assign_heads", "="): "assigned",
    ("simple", "del"): "del",
    ("simple", "return"): "return",
    ("simples", ";"): "statement",
    ("for", "for"): "targets",
    ("for", "in"): "iterated",
    ("with_item", "as"): "as",
    ("as_items", "as"): "as",
    ("import", "import"): "imported",
    ("import_names", ","): "imported",
    **dict.fromkeys(((kind, ",") for kind in ("positionals", "keywords", "double_stars", "arguments")), "argument,"),
    ("star_target", "*"): "star",
    ("del_target", "*"): "star",
    ("two_targets", ","): "target,",
    ("targets", ","): "target,",
    ("del_targets", ","): "target,",
}
"""Roles by a rule and the last of its symbols so far."""
_BY_NONTERMINAL = {
    **dict.fromkeys(("for_clause", "comprehension"), "clauses"),
    "assign_heads": "assigned",
    "defined": "defined",
    "type_parameters": "type parameters",
}
"""Roles by the nonterminal before a state."""
_HEADERS = words_of("function class while if_head else finally try for with except star_except case match")
_CLOSING = frozenset((")", "]", "}", "FIELD_CLOSE", "TEMPLATE_END"))
TARGETS = words_of("""
name any_name single free_single tied_single parenthesised sequence target_list two_targets targets star_target annotated del_target
del_targets del_sequence
""")
"""Nonterminals whose names wait for their role."""
EXPRESSIONS = words_of("""
expression named_expression disjunction conjunction inversion comparison bitor bitxor bitand shift sum term factor awaited primary
free_primary tied_primary star_expressions iterated assigned star_named subject n_list n_named_list n_two_named
""")
"""Nonterminals of expressions that are no targets any more."""
TARGET_LISTS = frozenset(("target_list", "two_targets", "del_targets"))
ARGUMENTS = frozenset(("positionals", "keywords", "double_stars", "arguments"))
_LISTS = words_of("n_named_list n_two_named slices star_nameds set_items key_values as_items no_as_items n_list").union(
    TARGET_LISTS, ARGUMENTS
)
"""Nonterminals of several elements, behind which no comprehension begins."""
BRACKETS = frozenset(("(", "[", "{", "call", "bases", "index", "field"))
_OPENS = BRACKETS.union(("parameters", "types", "pattern", "imports", "formatted"))
_COMPREHENDS = frozenset(("(", "[", "{", "call", "field"))
_PHASES = {"for": "targets", "in": "iterable", "if": "condition", "clauses": "condition", "as": "as"}
_IN_COMPREHENSION = frozenset(("targets", "later iterable", "condition"))
_SEPARATES = words_of("keyword dot walrus assigned del return targets iterated imported star target, argument, async")
_HOLDERS = frozenset(("statement", "assigned", "targets", "for", "as", "del"))
_HELD = frozenset(("star", "(", "["))
_SOFT_KEYWORDS = frozenset(("match", "case", "type", "lazy", "_"))
ANNOTATIONS = frozenset(("annotation", "target's annotation"))
Clause = tuple[Elements, bool, Path | None]
"""The targets of a comprehension's `for`, whether there is a comma among them, and the path of what it iterates over, if known."""


class Roles:
    """What the LR states of a grammar mean."""

    def __init__(self, tables: Tables, lefts: Sequence[str], spelled: Sequence[str]) -> None:
        """lefts: of the rules; spelled: of each terminal its text, or its name."""
        self.text = [spelled[terminal] if terminal >= 0 else "" for terminal in tables.accessing]
        """the text of the terminal before a state; "" for a nonterminal"""
        self.symbol = [""] * len(tables.kernels)
        """the nonterminal before a state; "" for a terminal"""
        for row in tables.goto:
            for nonterminal, to in row.items():
                self.symbol[to] = tables.nonterminals[nonterminal]
        self.role = [
            self._role(state, [(lefts[rule], dot) for rule, dot in items]) for state, items in enumerate(tables.kernels)
        ]
        """the role of a state; "" for none"""
        operands = {tables.nonterminals.index("free_single")}
        self.takes_operand = [not operands.isdisjoint(row) for row in tables.goto]
        """whether an operand of an expression may follow"""
        self.is_name = [text == "NAME" or text in _SOFT_KEYWORDS for text in self.text]
        """whether a state is just behind a name"""
        self.is_target = [symbol in TARGETS for symbol in self.symbol]
        self.is_expression = [symbol in EXPRESSIONS for symbol in self.symbol]

    def _role(self, state: int, items: Sequence[tuple[str, int]]) -> str:
        text, symbol = self.text[state], self.symbol[state]
        if symbol or not state:
            return _BY_NONTERMINAL.get(symbol, "") if state else "statement"
        if text in _CLOSING:
            return "closing"
        matching = [
            role for left, dot in items if (role := _BY_TERMINAL.get((left, text))) and (role != "imported" or dot > 1)
        ]
        if not matching and text == ":" and any(left in _HEADERS for left, _ in items):
            return "statement"
        return min(matching, key=_order) if matching else ""


def _order(role: str) -> bool:
    """Sort the brackets of calls before others, which begin a generator as well."""
    return role in ("(", "[", "{")


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
            return parameters[0] if parameters.__class__ is tuple else ()
        if self.kind == "defined":
            return self.cell[2][1]
        if self.kind == "type parameters":
            return self.cell[2][0]
        return tuple(name for clause in self.clauses for name in target_names(clause[0]))


def target_names(targets: Elements) -> Iterator[str]:
    """The names among targets."""
    for _, operand, _ in targets:
        if isinstance(operand, str):
            yield operand
        elif isinstance(operand, Group):
            yield from target_names(operand.elements)


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
        cell = self.cell
        while cell[0] >= 0 and role[cell[0]] != "statement":
            yield cell
            cell = cell[1]

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
                    if phase == "iterable" and self._has_clauses(cell):
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

    def _has_clauses(self, opening: Cell) -> bool:
        """Whether a comprehension in brackets has whole clauses."""
        cell = self.cell
        while cell is not opening:
            if self.roles.role[cell[0]] == "clauses":
                return True
            cell = cell[1]
        return False

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
        if self.roles.role[second] == "keyword" or self.roles.symbol[first] in _LISTS:
            return False
        text = self.roles.text[first]
        if text == "*":
            return version >= (3, 15)
        return text != "yield" and (text != "**" or (kind == "{" and version >= (3, 15)))

    def may_bind(self, version: tuple[int, int]) -> bool:
        """Whether a comprehension may still bind a name read here."""
        return any(self.may_generate(construct, version) for construct in self.outward())
