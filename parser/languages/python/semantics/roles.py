"""What the symbols on a stack of the grammar mean: the roles that python.lark gives them. Stacks are chains of cells; see line_reader.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....grammar.lalr import Tables
from ..tables import symbols_in

Cell = tuple[int, Any, Any]
"""The top of a stack, a value: an LR state, the cell below, the value of its symbol. The lowest has the state -1 and None below."""

_LISTS = {name: frozenset(symbols) for name, symbols in symbols_in("list").items()}
TARGETS = _LISTS["targets"]
"""Nonterminals whose names wait for their role."""
EXPRESSIONS = _LISTS["expressions"]
"""Nonterminals of expressions that are no targets any more."""
TARGET_LISTS, ARGUMENT_LISTS, PATTERNS, PARAMETERS = (
    _LISTS[name] for name in ("target lists", "arguments", "patterns", "parameters")
)
SEVERAL = _LISTS["several"] | TARGET_LISTS | ARGUMENT_LISTS
"""Nonterminals of several elements, behind which no comprehension begins."""
_ROLES = {symbol: role for role, symbols in symbols_in("role").items() for symbol in symbols}
_CLOSING = frozenset((")", "]", "}", "FIELD_CLOSE", "TEMPLATE_END"))
_SOFT_KEYWORDS = frozenset(("match", "case", "type", "lazy", "_"))


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
        """the role of a state, what the symbol before it begins, separates or ends; "" for none"""
        operands = tables.nonterminals.index("free_single")
        self.takes_operand = [operands in row for row in tables.goto]
        """whether an operand of an expression may follow"""
        self.is_name = [text == "NAME" or text in _SOFT_KEYWORDS for text in self.text]
        """whether a state is just behind a name"""
        self.is_target = [symbol in TARGETS for symbol in self.symbol]
        self.is_expression = [symbol in EXPRESSIONS for symbol in self.symbol]

    def _role(self, state: int, items: Sequence[tuple[str, int]]) -> str:
        text, symbol = self.text[state], self.symbol[state]
        if symbol or not state:
            return _ROLES.get(symbol, "") if state else "statement"
        if text in _CLOSING:
            return "closing"
        roles = [_ROLES.get(f'{left} "{text}"', "") for left, _ in items]
        if items[0] == ("import", 1):
            return ""  # the `import` that begins a line
        # The brackets of calls go before others, which begin a generator as well.
        return min(filter(None, roles), key=lambda role: role in ("(", "[", "{"), default="")
