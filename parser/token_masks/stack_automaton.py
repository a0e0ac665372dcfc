"""The nodes of a tree of terminals admitted by stacks, read off the stacks from the top.

A *foresight* is the question left open by the cells read so far: reductions that pop further cells before their terminals ahead can be
decided, each at a node of the tree. Reading one more cell decides as much as that cell and the states pushed on it allow, and leaves a
foresight for the cell below. It depends on the cell's LR state alone (and on whether brackets are open), so it is a transition of a
deterministic automaton, made when first taken: the counterpart of prestar.py, which reads the demands of a right context on the
stacks. A stack is read only as deep as some text pops it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..glr.gss import GssNode, GssState
from ..glr.prefix import Engine

if TYPE_CHECKING:
    from .terminal_trie import TerminalTrie, TrieArena

_SETTLE = 0
"""As terminals ahead: none are read, since a reduction is the only action."""
_ENTER = -1
"""As a nonterminal: nothing is pushed, a node of the tree is entered with the stack as it is."""
_LONGEST = 100
"""More brackets than a text opens."""

Pushed = tuple[int, ...]
"""LR states pushed on a cell."""
_Actions = tuple[tuple[tuple[int, Pushed], ...], tuple[tuple[int, int, int], ...]]


class _Open(NamedTuple):
    """Pop so many cells, push the nonterminal, and go on at a node, with terminals ahead or settling."""

    tree: TerminalTrie
    lhs: int
    pops: int
    settles: bool


class _Step(NamedTuple):
    groups: int
    """bits of the possible groups"""
    at_lines: tuple[tuple[TerminalTrie, Pushed], ...]
    """nodes reached before new lines, and the states on the cell then"""
    rest: _StackAutomaton | None


class _StackAutomaton:
    """The open question before a cell is read, with the terminals ahead; steps: (LR state, brackets that count) -> _Step."""

    is_interned = True
    __slots__ = ("open", "steps")

    def __init__(self, open_: frozenset[tuple[_Open, int]]) -> None:
        self.open = open_
        self.steps: dict[tuple[int, int], _Step] = {}


class StackAutomaton:
    """Foresight over the stacks of one engine."""

    def __init__(self, engine: Engine) -> None:
        factory, tables = engine.factory, engine.factory.tables
        self.engine = engine
        self.newline = 1 << engine.blocks.newline if engine.blocks is not None else 0
        self.max_depth = factory.max_depth
        self.delta = [factory.brackets.get(t, 0) if t >= 0 else 0 for t in tables.accessing]
        self.shift, self.goto, self.default = tables.shift, tables.goto, tables.default
        self.shifts = [sum(1 << t for t in row) for row in tables.shift]
        self.reductions: list[tuple[tuple[int, int, int], ...]] = []  # state -> (lhs, symbols, bits of terminals ahead)
        for row in tables.reduce:
            ahead: dict[tuple[int, int], int] = {}
            for terminal, reductions in row.items():
                for reduction in reductions:
                    ahead[reduction] = ahead.get(reduction, 0) | 1 << terminal
            self.reductions.append(tuple((lhs, length, bits) for (lhs, length), bits in ahead.items()))
        self._few = 1 + max((_most_closed(rhs, factory.brackets) for _, rhs in tables.rules), default=0)
        self._known: dict[frozenset[tuple[_Open, int]], _StackAutomaton] = {}
        self._starts: dict[TerminalTrie, _StackAutomaton] = {}
        self._actions: dict[tuple[int, Pushed], _Actions] = {}
        self._explored: dict[tuple[TerminalTrie, int, int], _Reading] = {}
        self.made = 0
        engine.kept += [self._known, self._starts, self._actions, self._explored]

    def count(self, made: int) -> None:
        """Count the new objects, in the engine too: by some 400 bytes."""
        self.made += made
        self.engine.made += made

    def read(
        self, forest: TrieArena, tree: TerminalTrie, stacks: GssState
    ) -> tuple[int, Sequence[tuple[TerminalTrie, GssState]]]:
        """(bits of the possible groups, nodes reached before new lines, with the stacks then)."""
        start = self._starts.get(tree)
        if start is None:
            start = self._starts[tree] = self._intern(frozenset({(_Open(tree, _ENTER, 0, True), _SETTLE)}))
        groups = 0
        at_lines: list[tuple[TerminalTrie, GssState]] = []
        todo: list[tuple[_StackAutomaton, GssNode]] = [(start, top) for top in stacks.tops]
        seen = set(todo)
        while todo:
            foresight, node = todo.pop()
            while True:
                key = node.state, self.counting(node.depth)
                step = foresight.steps.get(key)
                if step is None:
                    step = foresight.steps[key] = self._step(forest, foresight.open, *key)
                groups |= step.groups
                for reached, pushed in step.at_lines:
                    at_lines.append((reached, self.engine.factory.above(node, pushed)))
                parents = node.parents
                if step.rest is None or not parents:
                    break
                foresight = step.rest
                if len(parents) == 1:
                    (node,) = parents
                    continue
                more = [(foresight, parent) for parent in parents if (foresight, parent) not in seen]
                seen.update(more)
                todo += more
                break
        return groups, at_lines

    def counting(self, depth: int) -> int:
        """The brackets open at a cell, if their number makes a difference: few, or nearly too many."""
        return depth if depth <= self._few or depth > self.max_depth - _LONGEST else self._few

    def _intern(self, items: frozenset[tuple[_Open, int]]) -> _StackAutomaton:
        automaton = self._known.get(items)
        if automaton is None:
            automaton = self._known[items] = _StackAutomaton(items)
        return automaton

    def actions(self, state: int, pushed: Pushed) -> _Actions:
        """The results of terminals ahead, by reductions alone: (terminals, states on the cell then) for shifts, and
        (nonterminal, cells to pop below this one, terminals) for reductions popping the cell itself."""
        key = state, pushed
        actions = self._actions.get(key)
        if actions is not None:
            return actions
        self.count(1)
        looked: dict[Pushed, int] = {}
        shifts: dict[Pushed, int] = {}
        opens: dict[tuple[int, int], int] = {}
        todo = [(pushed, -1)]
        while todo:
            stack, ahead = todo.pop()
            before = looked.get(stack, 0)
            ahead &= ~before
            if not ahead:
                continue
            looked[stack] = before | ahead
            top = stack[-1] if stack else state
            if self.shifts[top] & ahead:
                shifts[stack] = shifts.get(stack, 0) | self.shifts[top] & ahead
            for lhs, length, bits in self.reductions[top]:
                left = len(stack) - length
                if not bits & ahead:
                    continue
                if left < 0:
                    opens[lhs, -left - 1] = opens.get((lhs, -left - 1), 0) | bits & ahead
                    continue
                to = self.goto[stack[left - 1] if left else state].get(lhs)
                if to is not None:
                    todo.append(((*stack[:left], to), bits & ahead))
        actions = (
            tuple((bits, stack) for stack, bits in shifts.items()),
            tuple((*key, bits) for key, bits in opens.items()),
        )
        self._actions[state, pushed] = actions
        return actions

    def _step(self, forest: TrieArena, items: frozenset[tuple[_Open, int]], state: int, depth: int) -> _Step:
        self.count(2)
        reading = _Reading(self, forest, state, depth)
        for (tree, lhs, pops, settles), ahead in items:
            if lhs == _ENTER:
                reading.add(self.explore(forest, tree, state, depth), ())
            else:
                reading.go_on(_Open(tree, lhs, pops, settles), ahead, ())
        rest = frozenset(reading.open.items())
        return _Step(reading.groups, tuple(reading.at_lines), self._intern(rest) if rest else None)

    def explore(self, forest: TrieArena, tree: TerminalTrie, state: int, depth: int) -> _Reading:
        """The decisions of a cell from a node of the tree on."""
        key = tree, state, depth
        reading = self._explored.get(key)
        if reading is None:
            self.count(2)
            reading = self._explored[key] = _Reading(self, forest, state, depth)
            reading.enter(tree)
        return reading


class _Reading:
    """The decisions of a cell, on virtual stacks of the cell and the states pushed on it, and the questions it leaves open."""

    is_interned = True
    __slots__ = ("_depth", "_forest", "_over", "_state", "at_lines", "groups", "open")

    def __init__(self, over: StackAutomaton, forest: TrieArena, state: int, depth: int) -> None:
        self._over, self._forest, self._state, self._depth = over, forest, state, depth
        self.groups = 0
        self.at_lines: dict[tuple[TerminalTrie, Pushed], None] = {}
        self.open: dict[_Open, int] = {}

    def add(self, other: _Reading, pushed: Pushed) -> None:
        """Add another reading's results, for the last of the states pushed."""
        self.groups |= other.groups
        if not pushed:
            self.at_lines |= other.at_lines
            for item, ahead in other.open.items():
                self.open[item] = self.open.get(item, 0) | ahead
            return
        for tree, further in other.at_lines:
            self.at_lines[tree, pushed + further] = None
        for item, ahead in other.open.items():
            self.go_on(item, ahead, pushed[:-1])

    def go_on(self, item: _Open, ahead: int, pushed: Pushed) -> None:
        """Decide the questions left open by a cell on the cells below it."""
        tree, lhs, pops, settles = item
        left = len(pushed) - pops
        if left < 0:
            self.put_off(tree, lhs, -left - 1, ahead)
            return
        to = self._over.goto[pushed[left - 1] if left else self._state].get(lhs)
        if to is None:
            return
        pushed = (*pushed[:left], to)
        if settles:
            self.settle(tree, pushed)
        else:
            self.look(tree, pushed, ahead)

    def put_off(self, tree: TerminalTrie, lhs: int, pops: int, ahead: int) -> None:
        """Leave a reduction to the cells below."""
        item = _Open(tree, lhs, pops, ahead == _SETTLE)
        self.open[item] = self.open.get(item, 0) | ahead

    def enter(self, tree: TerminalTrie) -> None:
        """Arrive at a node, on the cell itself."""
        ends = tree.read(self._forest)
        self.groups |= ends.always
        if ends.by_line and self._depth > 0:
            self.groups |= ends.by_line
        if tree.lines:
            self.at_lines[tree, ()] = None
        if ends.needs:
            self.look(tree, (), ends.needs)

    def settle(self, tree: TerminalTrie, pushed: Pushed) -> None:
        """After a shift or reduction, make the reductions that need no terminal ahead, then arrive at a node."""
        over = self._over
        while (reduction := over.default[pushed[-1]]) is not None:
            lhs, length = reduction
            left = len(pushed) - length
            if left < 0:
                self.put_off(tree, lhs, -left - 1, _SETTLE)
                return
            to = over.goto[pushed[left - 1] if left else self._state].get(lhs)
            if to is None:
                return
            pushed = (*pushed[:left], to)
        # the last state pushed is a cell like others: its decisions serve all stacks below it
        self.add(over.explore(self._forest, tree, pushed[-1], over.counting(self._brackets(pushed))), pushed)

    def look(self, tree: TerminalTrie, pushed: Pushed, ahead: int) -> None:
        """With one of these terminals ahead, shift it or reduce."""
        shifts, opens = self._over.actions(self._state, pushed)
        for terminals, stack in shifts:
            if terminals & ahead:
                self._shift(tree, stack, terminals & ahead)
        for lhs, pops, terminals in opens:
            if terminals & ahead:
                self.put_off(tree, lhs, pops, terminals & ahead)

    def _shift(self, tree: TerminalTrie, pushed: Pushed, terminals: int) -> None:
        over = self._over
        to = over.shift[pushed[-1] if pushed else self._state]
        if self._brackets(pushed) >= over.max_depth:
            terminals &= ~sum(1 << t for t, q in to.items() if over.delta[q] > 0)
        ends = tree.read(self._forest)
        for some, groups in ends.by_terminal:
            if some & terminals:
                self.groups |= groups
        if ends.by_line and terminals & over.newline:
            self.groups |= ends.by_line
        terminals &= ends.kids
        while terminals:
            terminal = terminals.bit_length() - 1
            terminals ^= 1 << terminal
            self.settle(tree.kids[terminal], (*pushed, to[terminal]))

    def _brackets(self, pushed: Pushed) -> int:
        delta = self._over.delta
        return self._depth + sum([delta[state] for state in pushed])


def _most_closed(rhs: Sequence[int], brackets: Mapping[int, int]) -> int:
    """The greatest excess of closing over opening brackets at an end of a rule."""
    depth = most = 0
    for symbol in reversed(rhs):
        depth += brackets.get(~symbol, 0) if symbol < 0 else 0
        most = max(most, -depth)
    return most
