"""Reading logical lines of Python by the grammar's own tables.

The terminals of a line are replayed on LR stacks, whose cells hold the values of what has been read: each rule has an action (rules/) from the
values of its symbols to its own. There are several stacks only where a line may still be several things, as behind `match (`.

One grammar reads the lines of all versions: the newest, which has all that the others have, except for oddities of 3.8. A line that is not Python,
half typed or of an older version, is read as far as it goes: a token that no stack takes is read behind one that is put in for it, or left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from ..tables import tables_of
from ..versions import VERSIONS
from . import rules as rules  # registers the actions
from .line_values import Header, Line
from .operations import both
from .roles import Cell, Roles
from .rules.places import Places
from .rules.registry import ACTIONS, BELOW, HEADERS
from .rules.values import path_of, read
from .tokens import NEWLINE, Token, is_plain_name, is_text

_ASK_EVERY = 256
"""Tokens of a line between two checks for cancellation."""
_TERMINALS = {
    NEWLINE: "NEWLINE", 'f"': "FSTRING_START", '"f': "TEMPLATE_END", "{f": "FIELD_OPEN", "}f": "FIELD_CLOSE", ":f": "SPEC",
    "!f": "CONVERSION",
}  # fmt: skip
"""The terminals of tokens without a text of their own."""
_MOST_STACKS = 64
_MOST_NESTED = 400
"""Nested brackets, lambdas, formatted strings and their fields: more than Python takes, and few enough for recursion."""
MOST_FAULTS, _MOST_ADDED, _MOST_OF_HEADER = 16, 48, 6
"""The most faults of a line that are mended, before the rest is left out, and the most tokens to complete a line, and a header."""


class LineReader:
    """The tables of a grammar, with the actions of its rules."""

    def __init__(self, version: str) -> None:
        grammar, self._tables = tables_of(version)
        t, texts = self._tables, grammar.texts
        spelled = [texts.get(name, name) for name in t.terminals]
        self.lefts = [t.nonterminals[left] for left, _ in t.rules]
        self.symbols = [
            tuple(spelled[~symbol] if symbol < 0 else t.nonterminals[symbol] for symbol in right)
            for _, right in t.rules
        ]
        self.roles = Roles(t, self.lefts, spelled)
        self.places = places = Places(self.roles)
        self._actions: list[tuple[Any, bool]] = []
        for left, symbols in zip(self.lefts, self.symbols, strict=True):
            action: Any = ACTIONS.get(f"{left}: {' '.join(symbols)}") or (
                ACTIONS.get(f"{left}+") if len(symbols) > 1 else None
            )
            self._actions.append((partial(action, places), True) if action in BELOW else (action, False))
        self.terminals = {text: t.terminal(name) for name, text in texts.items() if name in t.terminals}
        self.terminals |= {token: t.terminal(name) for token, name in _TERMINALS.items()}
        self.name, self._string, self._bytes = t.terminal("NAME"), t.terminal("STRING"), t.terminal("BYTES")
        self._number, self._imaginary = t.terminal("NUMBER"), t.terminal("IMAGINARY")
        self.shifts = [
            {terminal: to for terminal, to in shift.items() if terminal not in reduce} if reduce and shift else shift
            for shift, reduce in zip(t.shift, t.reduce, strict=True)
        ]
        """state -> terminal -> state, where there is nothing else to do"""
        self._moves: list[dict[int, Any]] = [{} for _ in t.shift]
        self._width, self._goto = len(t.terminals), t.goto
        self.terminals[""] = self.name
        self._starts: dict[str, tuple[Cell, ...]] = {
            word: (self._bottom(word),) for word in ("elif", "else", "except", "finally", "case")
        }
        self._starts["case"] += (BOTTOM,)
        self._headers = {
            state: (HEADERS[self.lefts[rule]], self.symbols[rule][: dot - 1])
            for state, items in enumerate(t.kernels)
            for rule, dot in items
            if self.lefts[rule] in HEADERS and self.symbols[rule][dot - 1 : dot + 1] in _ENDS_HEADER
        }

    def _bottom(self, word: str) -> Cell:
        """The stack before the first word of a clause: behind a block, or where those of a `match` begin."""
        terminal = self.terminals[word]
        for state, items in enumerate(self._tables.kernels):
            around = ((self.symbols[rule][dot - 1], self.symbols[rule][dot:]) for rule, dot in items)
            if terminal in self._tables.shift[state] and any(
                (last in ("block", "if_head") and rest) or rest[:1] == ("cases",) for last, rest in around
            ):
                return state, _NOTHING, None
        raise KeyError(word)

    # -- terminals

    def terminal_of(self, token: str) -> int:
        """The terminal of a token."""
        terminal = self.terminals.get(token)
        if terminal is not None:
            return terminal
        if token[0] == "#":
            return self._imaginary if token[-1] in "jJ" else self._number
        if token[0] == '"':
            return self._string if is_text(token) else self._bytes
        return self.name

    def start(self, token: str, *, only_clause: bool = False) -> tuple[Cell, ...]:
        """The stacks before a line's first token; only_clause: whether only a clause of the statement around may stand there."""
        cells = self._starts.get(token, _START)
        return cells[:1] if only_clause else cells

    # -- the stacks

    def step(self, cell: Cell, terminal: int, value: Any) -> list[Cell]:
        """The stacks after one more terminal."""
        to = self.shifts[cell[0]].get(terminal)
        return [(to, cell, value)] if to is not None else self._reduced(cell, terminal, value)

    def _reduced(self, cell: Cell, terminal: int, value: Any) -> list[Cell]:
        """The stacks after one more terminal, before which rules end."""
        by_state, goto, width = self._moves, self._goto, self._width
        after: list[Cell] = []
        todo: list[tuple[Cell, Any]] = []
        top: Any = cell
        state: int
        below: Any
        under: Any
        inner: Any
        move: Any = None
        while True:
            state, below, inner = top
            if move is None:
                moves = by_state[state]
                key = below[0] * width + terminal
                move = moves.get(key)
                if move is None:
                    move = moves[key] = self._moves_of(below[0], state, terminal)
                if move[0] is None:
                    todo += [(top, other) for other in move[1][1:]]
                    move = move[1][0] if move[1] else _DEAD
            units, reached, to, rule = move
            if reached != state:
                for action, takes_below in units:
                    inner = action(below, inner) if takes_below else action(inner)
                top = reached, below, inner
            if rule is None:
                if to >= 0:
                    after.append((to, top, value))
                if not todo:
                    return after
                top, move = todo.pop()
                continue
            move = None
            left, length, action, takes_below = rule
            if length == 3:
                _, under, second = top[1]
                _, under, first = under
                if action is not None:
                    inner = action(under, first, second, inner) if takes_below else action(first, second, inner)
            elif length == 2:
                _, under, first = below
                if action is not None:
                    inner = action(under, first, inner) if takes_below else action(first, inner)
            else:
                values: list[Any] = []
                under = top
                for _ in range(length):
                    values.append(under[2])
                    under = under[1]
                values.reverse()
                if action is not None:
                    inner = action(under, *values) if takes_below else action(*values)
            top = goto[under[0]][left], under, inner

    def _moves_of(self, below: int, state: int, terminal: int) -> Any:
        """The move of a state on top of another, for a terminal ahead: unit rules, and a shift or the end of a longer rule.

        (None, the moves) unless there is exactly one.
        """
        t = self._tables
        moves: list[Any] = []
        todo: list[tuple[int, tuple[Any, ...]]] = [(state, ())]
        while todo:
            here, units = todo.pop()
            to = t.shift[here].get(terminal)
            if to is not None:
                moves.append((units, here, to, None))
            for left, length in t.reduce[here].get(terminal, ()):
                action = next(
                    self._actions[rule]
                    for rule, dot in t.kernels[here]
                    if dot == length and self._is_whole(rule, left, length)
                )
                if length > 1:
                    moves.append((units, here, -1, (left, length, *action)))
                elif below >= 0 and left in t.goto[below]:
                    todo.append((t.goto[below][left], units if action[0] is None else (*units, action)))
        return moves[0] if len(moves) == 1 else (None, moves)

    def _is_whole(self, rule: int, left: int, length: int) -> bool:
        head, symbols = self._tables.rules[rule]
        return head == left and len(symbols) == length

    def shifted(self, cell: Cell, token: str) -> list[Cell]:
        """The stacks after one more token; "" for any name."""
        return self.step(cell, self.terminal_of(token), token)

    def after(self, cells: Sequence[Cell], *tokens: str) -> Sequence[Cell]:
        """The stacks after more tokens; "" for a name."""
        for token in tokens:
            cells = [after for cell in cells for after in self.shifted(cell, token)][:_MOST_STACKS]
        return cells

    # -- lines

    def read(self, tokens: Sequence[str], ask: Callable[[], None] | None = None) -> Sequence[Cell]:
        """The stacks after the tokens of a whole line; none if they are too little like Python."""
        terminals, shifts, reduced = self.terminals, self.shifts, self._reduced
        cells: Sequence[Cell] = self.start(tokens[0])
        cell: Cell | None = cells[0] if len(cells) == 1 else None
        faults, name = 0, self.name
        for number, token in enumerate(tokens):
            if ask is not None and number % _ASK_EVERY == _ASK_EVERY - 1:
                ask()
            terminal = terminals.get(token)
            if terminal is None:
                terminal = name if token[0] not in '"#' else self.terminal_of(token)
            if cell is not None:
                to = shifts[cell[0]].get(terminal)
                if to is not None:
                    cell = to, cell, token
                    continue
                after = reduced(cell, terminal, token)
                if len(after) == 1:
                    cell = after[0]
                    continue
                cells = (cell,)
            else:
                after = self.after(cells, token)
            if not after:
                if faults == MOST_FAULTS:
                    return self._completed(cells, NEWLINE, _MOST_ADDED)
                after = self.mended(cells, token, tokens[0], tokens[:number] if not faults else ())
                faults += 1
            cells = after
            cell = after[0] if len(after) == 1 else None
        return cells if cell is None else (cell,)

    def _generating(self, before: Sequence[str], token: str) -> Sequence[Cell]:
        """The stacks after the `for` of a generator that fills a field: up to Python 3.11 fields are read as if in parentheses."""
        fields = [number for number, other in enumerate(before) if other == "{f"]
        if not fields or "}f" in before[fields[-1] :]:
            return ()
        begin = fields[-1] + 1
        return self.after(self.read([*before[:begin], "(", *before[begin:]]), token)

    def mended(self, cells: Sequence[Cell], token: str, first: str, before: Sequence[str]) -> Sequence[Cell]:
        """The stacks after a token that none takes: with something before it, or without it; for a NEWLINE, with all that is missing.

        first: the line's first token. before: the tokens before this one, at the line's first fault; else empty.
        """
        if token == NEWLINE:
            return self._completed(cells, token, _MOST_ADDED)
        if token in _BEGINS_CLAUSE and (generating := self._generating(before, token)):
            return generating
        sought = _BEFORE_OTHERS
        if token[0] in '"#' or is_plain_name(token) or token in _OPERANDS:
            sought = _BEFORE_NAMES if first in _LIST_NAMES else _BEFORE_OPERANDS
        tried = (self.after(cells, *missing, token) for missing in sought)
        after = next(filter(None, tried), ()) or (
            self._completed(cells, token, _MOST_OF_HEADER) if token == ":" else ()
        )
        return after or cells

    def _completed(self, cells: Sequence[Cell], token: str, most: int) -> Sequence[Cell]:
        """The stacks after a token, with all that is missing before it; none if that is more than so many tokens."""
        for _ in range(most):
            after = self.after(cells, token)
            if after:
                return after
            cells = next(filter(None, (self.after(cells, missing) for missing in _AT_END)), ())
        return ()

    def line(self, column: int, cell: Cell) -> Line:
        """The line of a stack after its NEWLINE."""
        end = cell[1] if cell[1][2] != ";" else cell[1][1]
        if self.roles.symbol[end[0]] != "simples":
            header = self.header_at(end)
            if header is None:
                items = both(("fact", "decorator", path_of(end[2])), read(end[2]))
                return Line(column, None, items, decorator=True, kinds=".")
            if end[2].__class__ is MissingColon:
                return Line(column, None, both(header.items, header.scoped))
            return Line(column, header, None)
        header = self.header_at(end[1]) if end[1][1] is not _NOTHING else None
        kinds, features, items = end[2]
        return Line(column, header, items, header is not None, False, features, kinds)

    def header_at(self, cell: Cell) -> Header | None:
        """The header that ends in a cell, with its colon."""
        build, symbols = self._headers.get(cell[0], (None, ()))
        if build is None:
            return None
        values: list[Any] = []
        for _ in symbols:
            cell = cell[1]
            values.append(cell[2])
        return build(dict(zip(symbols, reversed(values), strict=True)))


@cache
def reader() -> LineReader:
    """The reader of lines."""
    return LineReader(VERSIONS[-1])


def read_line(tokens: Sequence[Token], ask: Callable[[], None] | None = None) -> Line | None:
    """The line of these tokens, the column first and NEWLINE last; None if they are too little like one. ask: called in long lines; may raise."""
    column: int | str = tokens[0]
    rest: Any = tokens[1:]
    if not isinstance(column, int) or (len(rest) > _MOST_NESTED and _nests_too_deep(rest)):
        return None
    reads = reader()
    lines = [reads.line(column, cell) for cell in reads.read(rest, ask)]
    if len(lines) > 1:
        lines.sort(key=lambda line: line.header is None)
    return lines[0] if lines else None


Nesting = tuple[int, str, Any] | None
"""The number of open constructs, the sign of the innermost one, and the nesting around it; None: there is none."""


def nested(around: Nesting, token: str) -> Nesting:
    """The brackets, formatted strings and lambdas open after one more token."""
    if token in _OPENING:
        return (around[0] if around is not None else 0) + 1, token, around
    while around is not None and around[1] == "lambda" and (token in _CLOSING or token == ","):
        around = around[2]
    return around[2] if around is not None and token in _CLOSING else around


def is_too_deep(nesting: Nesting) -> bool:
    """Whether this is deeper than Python takes."""
    return nesting is not None and nesting[0] > _MOST_NESTED


def _nests_too_deep(tokens: Sequence[str]) -> bool:
    nesting: Nesting = None
    for token in tokens:
        nesting = nested(nesting, token)
        if is_too_deep(nesting):
            return True
    return False


class MissingColon(str):
    """The colon put in where a header lacks one."""

    __slots__ = ()


_NOTHING: Cell = (-1, None, None)
BOTTOM: Cell = (0, _NOTHING, None)
_ENDS_HEADER = ((":", "block"), (":", "NEWLINE"))
_DEAD: tuple[Any, ...] = ((), 0, -1, None)
_START = (BOTTOM,)
_OPENING, _CLOSING = frozenset(("(", "[", "{", "lambda", 'f"', "{f")), frozenset((")", "]", "}", '"f', "}f"))
_OPERANDS = frozenset(('f"', "lambda", "not", "await", "None", "True", "False", "..."))
_LIST_NAMES = frozenset(("import", "from", "global", "nonlocal", "del"))
_BEGINS_CLAUSE = frozenset(("for", "async"))
_BEFORE_OTHERS = (("",), (".", ""), (")",), ("]",), ("}",))
_BEFORE_OPERANDS = (("",), (";",), (",",), ("+",))
_BEFORE_NAMES = (("",), (",",))
_AT_END = (")", "]", "}", "}f", '"f', MissingColon(":"), "", "else", "in", "import", "=", "(", ".")
"""Tokens put in where one is missing, in order of preference; "" is a name."""
