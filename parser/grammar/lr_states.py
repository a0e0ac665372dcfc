"""The LR states after a terminal, where only the top of the stack is known; of Lark's own LALR(1) tables, and of any.

Lark's contextual lexer looks for the terminals accepted by the parser's state, so they have to come from Lark's own tables: a
lookahead missing in other tables changes the lexer's terminals.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import GrammarError

if TYPE_CHECKING:
    from lark.grammar import Rule

_END = "$END"
_MAX_STACKS = 2_000
"""The most ends of stacks followed for one terminal in one state."""

_Symbol = TypeVar("_Symbol", bound=Hashable)
_Stack = tuple[int, ...]
"""The uppermost states, the top last."""


class TooManyStacks(Exception):
    """There are more stacks than _MAX_STACKS."""


@dataclass(frozen=True, eq=False)
class LrStates(Generic[_Symbol]):
    """An LR automaton; states are numbers, 0 the first."""

    shifts: Sequence[Mapping[_Symbol, int]]
    """state -> terminal or nonterminal -> state"""
    reductions: Sequence[Mapping[_Symbol, Sequence[tuple[_Symbol, int]]]]
    """state -> terminal ahead -> (nonterminal, symbols to pop)"""
    accepts: Sequence[frozenset[_Symbol]]
    """state -> the terminals with an action, except the end"""
    _below: list[list[int]] = field(default_factory=list[list[int]])
    _known: dict[tuple[int, Any], frozenset[int]] = field(default_factory=dict[tuple[int, Any], frozenset[int]])

    def __post_init__(self) -> None:
        self._below.extend([] for _ in self.shifts)
        for state, row in enumerate(self.shifts):
            for to in row.values():
                self._below[to].append(state)

    def after(self, state: int, terminal: _Symbol) -> frozenset[int]:
        """The states that can be on top after a terminal has been shifted: those of every stack, and perhaps more.

        Raises TooManyStacks.
        """
        tops = self._known.get((state, terminal))
        if tops is None:
            tops = self._known[state, terminal] = self._after(state, terminal)
        return tops

    def _after(self, state: int, terminal: _Symbol) -> frozenset[int]:
        tops: set[int] = set()
        todo: list[_Stack] = [(state,)]
        seen = set(todo)
        while todo:
            stack = todo.pop()
            to = self.shifts[stack[-1]].get(terminal)
            if to is not None:
                tops.add(to)
            for lhs, size in self.reductions[stack[-1]].get(terminal, ()):
                for longer in self._extended(stack, size + 1):
                    rest = longer[: len(longer) - size]
                    then = self.shifts[rest[-1]].get(lhs)
                    if then is not None and (*rest, then) not in seen:
                        seen.add((*rest, then))
                        todo.append((*rest, then))
            if len(seen) > _MAX_STACKS:
                raise TooManyStacks
        return frozenset(tops)

    def _extended(self, stack: _Stack, size: int) -> list[_Stack]:
        """The ends of stacks, at least `size` long, with this end."""
        if len(stack) >= size:
            return [stack]
        return [longer for below in self._below[stack[0]] for longer in self._extended((below, *stack), size)]


def of_lark(rules: Sequence[Rule], start: str, name: str) -> LrStates[str]:
    """The states of Lark's parser for rules; raises GrammarError where there is none."""
    from lark.common import ParserConf
    from lark.exceptions import GrammarError as LarkGrammarError
    from lark.parsers.lalr_analysis import LALR_Analyzer, Shift

    analyzer: Any = LALR_Analyzer(ParserConf(list(rules), {}, [start]))
    try:
        analyzer.compute_lalr()
    except LarkGrammarError as error:
        reason = " ".join(str(error).split("\n\n")[0].split())
        raise GrammarError(
            f"{name}: `//@ lexer contextual` is for grammars that Lark takes with parser='lalr': {reason}"
        ) from error
    table = analyzer.parse_table
    number: dict[int, int] = {table.start_states[start]: 0}
    order = list(number)
    for state in order:  # grows while it is walked; Lark numbers them anew each time
        for symbol in sorted(table.states[state]):
            action, to = table.states[state][symbol]
            if action is Shift and to not in number:
                number[to] = len(order)
                order.append(to)
    nonterminals = {str(rule.origin.name) for rule in rules}
    rows = [sorted(table.states[state].items()) for state in order]
    return LrStates(
        [{str(symbol): number[to] for symbol, (action, to) in row if action is Shift} for row in rows],
        [
            {
                str(symbol): [(str(to.origin.name), len(to.expansion))]
                for symbol, (action, to) in row
                if action is not Shift
            }
            for row in rows
        ],
        [frozenset(str(symbol) for symbol, _ in row) - nonterminals - {_END} for row in rows],
    )
