"""The grammar's own tables, replayed over terminals with their text: the uses of names, as a list of events.

A stack is a chain of cells, each with an LR state and an attribute. Actions belong to rules, and to LR states just after a terminal; they
compute the attribute from those of the children, and add events. Attributes never depend on declarations, so the events of a text depend
on the stack before it alone: those of a right context are computed once, and told to the facts after each text with the same stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from ..glr.effort import spend
from ..grammar.directives import NameRoles
from ..grammar.lalr import Tables

Event = tuple[Callable[..., None], tuple[Any, ...]]
"""A function of the facts, and its further arguments."""
Events = list[Event]


Cell = tuple[int, Any, Any]
"""The top of a stack, a value: an LR state, the cell below (None at the bottom), an attribute."""
Outcomes = list[tuple[Cell, Events]]
"""Stacks, each with the events on the way."""
T = TypeVar("T")
Tops = list[tuple[Cell, T]]
"""The possible stacks of a text, each with a value."""
_MOST = 64
"""The most stacks at once: in Go each open `A[` may begin an index or type arguments, and adds one. A text with more is not understood."""
_ASK_EVERY = 64
"""Tokens between two questions whether the time is spent; where there are several stacks, each token asks."""
Token = tuple[int, str, int]
"""A terminal, its text, its number; -1 where the number does not matter."""


class Name(NamedTuple):
    """A name whose role is still open; number: its token's number, -1 where it does not matter."""

    text: str
    number: int


class Targets(tuple[Any, ...]):
    """Expressions that may be the targets of an assignment."""


class Reduced:
    """The input of an action: the children's attributes and symbols, and events to add to; the same object for the next action."""

    __slots__ = ("ahead", "children", "events", "roles", "symbols", "under")

    def __init__(self, roles: Roles, ahead: int, events: Events) -> None:
        """ahead: the terminal behind."""
        self.roles, self.ahead, self.events = roles, ahead, events
        self.under: Any = None
        """the cell below the children"""
        self.children: list[Any] = []
        self.symbols: Sequence[str] = ()

    def tell(self, event: Callable[..., None], *arguments: Any) -> None:
        """Add an event."""
        self.events.append((event, arguments))

    @property
    def may_be_target(self) -> bool:
        """Whether an expression that begins or ends here may turn out to be a target, not a read."""
        return self.ahead in self.roles.ahead and self.roles.is_waiting(self.under)


Action = Callable[[Reduced], Any]
"""Returns the attribute of a reduction."""
Hook = Callable[[Events, Cell, str, int], Any]
"""Returns the attribute of a terminal: (events, cell below, its text, number)."""


class _Rule(NamedTuple):
    left: int
    length: int
    action: Action | None
    symbols: Sequence[str]


class Move(NamedTuple):
    """Unit rules, and the step behind them: a shift, or the end of a rule of several symbols."""

    units: tuple[tuple[Action, Sequence[str]], ...]
    """the actions of the unit rules, and their symbols"""
    reached: int
    """the state after these"""
    to: int
    """the state after the shift"""
    hook: Hook | None
    """of the terminal"""
    rule: _Rule | None
    """to reduce, where there is no shift"""


def stacked(cell: Cell | None) -> tuple[Any, ...]:
    """A whole stack as a tuple of states and attributes, for comparison."""
    parts: list[Any] = []
    while cell is not None:
        state, cell, attribute = cell
        parts += (state, attribute)
    return tuple(parts)


class Roles:
    """Tables with the actions of their rules and terminals."""

    def __init__(
        self,
        tables: Tables,
        texts: Mapping[str, str],
        roles: NameRoles,
        actions: Mapping[str, Action],
        hooks: Mapping[str, Hook],
        read: Callable[..., None],
    ) -> None:
        """texts: terminal -> its fixed text. read: the event of a name that is read.

        actions: of `rule`, of `rule+` where it has several symbols, of `rule=symbol` where it has just this one; of `*`, lists in
        other rules.
        hooks: of `rule/text`, for the text as the first of a rule, or `rule:text`, anywhere in it.
        """
        self.tables, self.texts = tables, texts
        self.read = read
        t = tables
        self.spelled = spelled = [texts.get(name, name) for name in t.terminals]
        self.symbols: list[Sequence[str]] = [
            tuple(spelled[~s] if s < 0 else t.nonterminals[s] for s in rhs) for _, rhs in t.rules
        ]
        self.names = [t.nonterminals[lhs] for lhs, _ in t.rules]
        self.actions = [
            actions.get(name)
            or actions.get("*" if name[0] == "_" else f"{name}+" if len(symbols) > 1 else f"{name}={symbols[0]}")
            for name, symbols in zip(self.names, self.symbols, strict=True)
        ]
        self.ident = t.terminal("IDENT")
        self.by_shape: dict[tuple[int, int, int], int] = {}
        for q, items in enumerate(t.kernels):
            for rule, dot in items:
                if dot == len(t.rules[rule][1]):
                    self.by_shape[q, t.rules[rule][0], dot] = rule
        self._by_lhs: dict[int, list[int]] = {}
        for rule, (lhs, _) in enumerate(t.rules):
            self._by_lhs.setdefault(lhs, []).append(rule)
        self.hooks = self._hooks_of_states(hooks)
        reads = roles.references
        self.certain = frozenset(
            to
            for shift in t.shift
            if (to := shift.get(self.ident)) is not None
            and all(dot == 1 and self.names[rule] in reads for rule, dot in t.kernels[to])
        )
        """LR states just after a name that is certainly read"""
        self._expecting = frozenset(
            rule for rule, name in enumerate(self.names) if roles.targets.get(name) in self.symbols[rule]
        )
        self._waits: dict[int, bool] = {}
        self.ahead = frozenset(
            t.terminals.index(n) for n, text in texts.items() if text in {",", *roles.targets.values()}
        )
        self.commas = frozenset(to for shift in t.shift for t_, to in shift.items() if spelled[t_] == ",")
        self._moves: dict[tuple[int, int, int], list[Move]] = {}
        self._shifts: list[dict[int, Move]] = [{} for _ in t.shift]
        """the only move of a state for a terminal ahead, where it is a shift"""
        self.goto = t.goto

    def _hooks_of_states(self, hooks: Mapping[str, Hook]) -> dict[int, Hook]:
        """The hooks by the LR state just after their terminal."""
        by_state: dict[int, Hook] = {}
        for q, items in enumerate(self.tables.kernels):
            for rule, dot in items:
                name, text = self.names[rule], self.symbols[rule][dot - 1]
                hook = (hooks.get(f"{name}/{text}") if dot == 1 else None) or hooks.get(f"{name}:{text}")
                if hook is not None:
                    by_state[q] = hook
        return by_state

    def _expects_targets(self, state: int) -> bool:
        """Whether a state expects expressions that may turn out to be targets."""
        todo = list(self.tables.kernels[state])
        seen: set[int] = set()
        for rule, dot in todo:
            rhs, symbols = self.tables.rules[rule][1], self.symbols[rule]
            if dot == len(rhs):
                continue
            if rule in self._expecting and tuple(symbols[:dot]) in ((), ("case",), ("h_expr", ",")):
                if symbols[dot].endswith(("exprs", "expr", "value")):
                    return True
            if rhs[dot] >= 0 and rhs[dot] not in seen:
                seen.add(rhs[dot])
                todo += [(production, 0) for production in self._by_lhs[rhs[dot]]]
        return False

    def _moves_of(self, key: tuple[int, int, int]) -> list[Move]:
        """The possible moves of a state on top of another, for a terminal ahead."""
        below, state, terminal = key
        moves = self._moves[key] = []
        t = self.tables
        todo: list[tuple[int, tuple[tuple[Action, Sequence[str]], ...]]] = [(state, ())]
        while todo:
            here, done = todo.pop()
            to = t.shift[here].get(terminal)
            if to is not None:
                hook = self.hooks.get(to)
                if terminal == self.ident:
                    hook = self._certain_name if to in self.certain else self._name
                moves.append(Move(done, here, to, hook, None))
            for lhs, length in t.reduce[here].get(terminal, ()):
                rule = self.by_shape[here, lhs, length]
                action, symbols = self.actions[rule], self.symbols[rule]
                if length > 1:
                    moves.append(Move(done, here, -1, None, _Rule(lhs, length, action, symbols)))
                elif below >= 0 and lhs in t.goto[below]:
                    todo.append((t.goto[below][lhs], done if action is None else (*done, (action, symbols))))
        if terminal in t.shift[state] and terminal not in t.reduce[state]:
            self._shifts[state][terminal] = moves[0]
        return moves

    def is_waiting(self, cell: Cell) -> bool:
        """Whether an expression behind this cell may be a target."""
        state, below, _ = cell
        waits = self._waits.get(state)
        if waits is None:
            waits = self._waits[state] = self._expects_targets(state)
        return waits or (state in self.commas and below is not None and type(below[2]) is Targets)

    def reads_next(self, cell: Cell) -> bool:
        """Whether the next name, if one comes, is read."""
        outcomes = self.step(cell, self.ident, "", 0)
        return bool(outcomes) and all(type(after[2]) is str for after, _ in outcomes)

    def replay(self, tops: Tops[T], tokens: Iterable[Token], told: Callable[[T, Events], T]) -> Tops[T]:
        """The stacks after tokens, each with its value told the events on the way; none where no stack is left, or too many are."""
        rest = iter(tokens)
        while tops and (some := list(islice(rest, _ASK_EVERY))):
            tops = self._replayed(tops, iter(some), told)
            if len(some) == _ASK_EVERY:
                spend()
        return tops

    def _replayed(self, tops: Tops[T], tokens: Iterator[Token], told: Callable[[T, Events], T]) -> Tops[T]:
        while 0 < len(tops) <= _MOST:
            if len(tops) == 1:
                ((cell, value),) = tops
                cell, events, outcomes = self._run(cell, tokens)
                value = told(value, events) if events else value
                if outcomes is None:
                    return [(cell, value)]
                ways = [(value, outcomes)]
            else:
                token = next(tokens, None)
                if token is None:
                    return tops
                spend()
                ways = [(value, self.step(cell, *token)) for cell, value in tops]
            tops = [(cell, told(value, more) if more else value) for value, outcomes in ways for cell, more in outcomes]
        return []

    def _run(self, cell: Cell, tokens: Iterator[Token]) -> tuple[Cell, Events, Outcomes | None]:
        """The stack after the tokens before the first that leaves several stacks or none; the events on the way; these stacks."""
        events: Events = []
        shifts = self._shifts
        for terminal, text, number in tokens:
            move = shifts[cell[0]].get(terminal)
            if move is not None:
                hook = move.hook
                cell = move.to, cell, hook and hook(events, cell, text, number)
                continue
            told = len(events)
            after, moves = self._follow(cell, None, terminal, text, number, events)
            if moves is None:
                cell = after
                continue
            del events[told:]
            outcomes = self.step(cell, terminal, text, number)
            if len(outcomes) != 1:
                return cell, events, outcomes
            ((cell, more),) = outcomes
            events += more
        return cell, events, None

    def step(self, cell: Cell, terminal: int, text: str, number: int) -> Outcomes:
        """The stacks after one more terminal."""
        outcomes: Outcomes = []
        todo: list[tuple[Cell, Events, Move | None]] = [(cell, [], None)]
        while todo:
            top, events, move = todo.pop()
            top, moves = self._follow(top, move, terminal, text, number, events)
            if moves is None:
                outcomes.append((top, events))
            else:
                todo += [(top, events.copy(), choice) for choice in moves]
        return outcomes

    def _follow(
        self, top: Cell, move: Move | None, terminal: int, text: str, number: int, events: Events
    ) -> tuple[Cell, Sequence[Move] | None]:
        """(the stack after a terminal, None); or (the stack on the way that has several moves or none, these moves). move: the first."""
        known_moves, goto = self._moves, self.goto
        reduced = Reduced(self, terminal, events)
        while True:
            state, below, value = top
            if move is None:
                key = -1 if below is None else below[0], state, terminal
                moves = known_moves.get(key)
                if moves is None:
                    moves = self._moves_of(key)
                if len(moves) != 1:
                    return top, moves
                (move,) = moves
            units, reached, to, hook, rule = move
            if reached != state:
                reduced.under = below
                for action, reduced.symbols in units:
                    reduced.children = [value]
                    value = action(reduced)
                top = reached, below, value
            if rule is None:
                return (to, top, hook and hook(events, top, text, number)), None
            left, length, action, symbols = rule
            children: list[Any] = []
            under = top
            for _ in range(length):
                children.append(under[2])
                under = under[1]
            to = goto[under[0]].get(left)
            if to is None:
                return top, ()
            if action is not None:
                children.reverse()
                reduced.under, reduced.children, reduced.symbols = under, children, symbols
            top, move = (to, under, action and action(reduced)), None

    def _name(self, events: Events, under: Cell, text: str, number: int) -> Name:
        return Name(text, number)

    def _certain_name(self, events: Events, under: Cell, text: str, number: int) -> Name | str:
        if self.is_waiting(under):
            return Name(text, number)
        events.append((self.read, (text,)))
        return text
