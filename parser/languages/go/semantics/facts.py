"""The names, reads and jumps of Go's declarations, told event by event, with the compiler's errors about them.

`Facts` are changed by their methods, which are the events of roles.py, and copied to be kept.
"""

from __future__ import annotations

from typing import Any

from ....scoping.replay import Name
from . import kinds
from .blocks import Blocks, Clauses, Function, Loops, Scope, within
from .messages import FALLTHROUGH, duplicate_case, jumps_into_block, redeclared
from .name_facts import NameFacts
from .shapes import Called, is_call

_NONE: frozenset[Any] = frozenset()


class Facts(NameFacts):
    """The facts after some events."""

    def __init__(self) -> None:
        super().__init__()
        self.function: Function | None = None
        self.loops: Loops = None
        self.blocks: Blocks = None
        self.broken_out: frozenset[int] = _NONE
        self.label: str | None = None
        self.last = False
        """whether the last statement was terminating"""
        self.fell = False
        self.kept: Any = None
        """The values kept for the enclosing statements: (value, the rest)"""

    def copy(self) -> Facts:
        """A copy, to change."""
        new = Facts.__new__(Facts)
        new.__dict__.update(self.__dict__)
        return new

    # -- functions

    def open_block(self, number: int, kind: str = "block") -> None:
        """Open a block; kind: "clause" for those of a switch or select."""
        self.open_scope()
        self.blocks = (self.numbered(number), self.blocks, kind)
        self.last, self.label = False, None

    def close_block(self) -> None:
        assert self.blocks is not None
        self.blocks = self.blocks[1]
        self.close_scope()

    def check_signature(self, names: tuple[str, ...]) -> None:
        """Check the names of receiver, parameters and results."""
        for index, name in enumerate(names):
            if name != "_" and (name in names[:index] or (self.scope is not None and name in self.scope.names)):
                self.error(redeclared(name))

    def enter_function(self, number: int, names: tuple[str, ...], results: tuple[str, ...], count: int) -> None:
        """Enter a function at its brace, with the scope open already. names: of receiver and parameters; count: of results."""
        self.check_signature(names + results)
        assert self.scope is not None
        named = dict.fromkeys((name for name in names if name != "_"), 0)
        named |= dict.fromkeys((name for name in results if name != "_"), -1)
        self.scope = Scope(self.scope.parent, {**self.scope.names, **named}, self.scope.own, self.scope.kinds)
        self.kept = (self.function, self.loops, self.blocks), self.kept
        read = tuple(name for name in results if name != "_")
        self.function, self.loops = Function(read, count, named=bool(results)), None
        self.blocks = (self.numbered(number), None, "func")
        self.last, self.label, self.fell = False, None, False

    def leave_function(self) -> None:
        function = self.function
        assert function is not None
        if function.count and not self.last:
            self.error("missing return")
        for name in function.labels:
            if name not in function.used:
                self.error(f"label {name} defined and not used")
        for name, _, _ in function.jumps:
            self.error(f"label {name} not defined")
        self.close_scope()
        (self.function, self.loops, self.blocks), self.kept = self.kept
        self.last = self.fell = False
        if self.reader and self.function is None and self.reading is not None:
            self.reads += ((self.reader, self.reading),)
            self.reading, self.reader = None, ""

    def variable_declared(self, number: int) -> None:
        """Note `var` or `:=` as a statement: no jump may skip it."""
        if self.function is not None and self.blocks is not None:
            self.function = function = self.function.copy()
            function.variables = {**function.variables, self.blocks[0]: self.numbered(number)}

    def define_label(self, name: str, number: int) -> None:
        assert self.function is not None and self.blocks is not None
        number = self.numbered(number)
        self.label, self.last = name, False
        if name == "_":
            return
        self.function = function = self.function.copy()
        if name in function.labels:
            self.error(f"label {name} already defined")
        function.labels = {**function.labels, name: (number, self.blocks)}
        kept: list[tuple[str, int, Blocks]] = []
        here = self.blocks[0]
        for jump in function.jumps:
            if jump[0] != name:
                kept.append(jump)
            elif not within(here, jump[2]):
                self.error(jumps_into_block(name))
            elif function.variables.get(here, 0) > jump[1]:
                self.error(f"goto {name} jumps over variable declaration")
        function.jumps = tuple(kept)

    def branch(self, word: str, label: str | None, number: int) -> None:
        """`break`, `continue` and `goto`."""
        self.end_statement(last=word == "goto")
        if self.function is None:
            return
        loops = self.loops
        if label is None:
            while loops is not None and word == "continue" and loops[0] != "for":
                loops = loops[3]
            if loops is None:
                where = "a loop" if word == "continue" else "a loop, switch or select"
                self.error(f"{word} is not in {where}")
            elif word == "break":
                self.broken_out |= {loops[1]}
            return
        self.function = function = self.function.copy()
        function.used |= {label}
        if word == "goto":
            label_place = function.labels.get(label)
            if label_place is None:
                function.jumps += ((label, self.numbered(number), self.blocks),)
            elif not within(label_place[1][0] if label_place[1] else 0, self.blocks):
                self.error(jumps_into_block(label))
            return
        while loops is not None and loops[2] != label:
            loops = loops[3]
        if loops is None or (word == "continue" and loops[0] != "for"):
            self.error(f"invalid {word} label {label}")
        elif word == "break":
            self.broken_out |= {loops[1]}

    def returns(self, values: int, shape: Any) -> None:
        """Return so many values. Without any, the results must be named and not shadowed."""
        self.end_statement(last=True)
        function, scope = self.function, self.scope
        if function is None:
            return
        if values:
            if values == 1 and type(shape) is Called:
                self.use_as(shape, (kinds.GIVES, function.count))
            if not function.count or (values != function.count and (values > 1 or not is_call(shape))):
                self.error(f"{'not enough' if values < function.count else 'too many'} return values")
            return
        if function.count and not function.named:
            self.error("not enough return values")
        for name in function.results:
            declaring = scope
            while declaring is not None and name not in declaring.names:
                declaring = declaring.parent
            if declaring is not None and declaring.names[name] != -1:
                self.error(f"result parameter {name} not in scope at return")

    # -- statements

    def end_statement(self, last: bool | None) -> None:
        """End a statement. last: whether it is terminating; None: already noted."""
        if self.fell:
            self.error(FALLTHROUGH)
            self.fell = False
        if last is not None:
            self.last = last
        self.label = None

    def panic(self) -> None:
        """A statement calls `panic`."""
        self.end_statement(last=self.find("panic") is None)

    def fall_through(self) -> None:
        """`fallthrough`: only as the last statement of a clause of a switch over values, and not in the last clause."""
        self.end_statement(last=False)
        if self.blocks is None or self.blocks[2] != "clause" or self.kept[0].kind != "switch":
            self.error(FALLTHROUGH)
        else:
            self.fell = True

    def begin_if(self) -> None:
        self.open_scope()
        self.label = None

    def begin_else(self) -> None:
        self.kept = self.last, self.kept

    def end_if(self, has_else: bool) -> None:
        if has_else:
            then, self.kept = self.kept
            self.last = then and self.last
        else:
            self.last = False
        self.close_scope()

    def begin_loop(self, word: str, number: int) -> None:
        """Begin a for, switch or select."""
        self.open_scope()
        self.loops = (word, self.numbered(number), self.label, self.loops)
        self.label = None

    def end_loop(self, last: bool) -> None:
        """last: whether it is terminating, if nothing breaks out of it."""
        assert self.loops is not None
        self.last = last and self.loops[1] not in self.broken_out
        self.loops = self.loops[3]
        self.close_scope()

    def begin_clauses(self, kind: str, symbol: Name | None) -> None:
        """kind: "switch", "select", or "types", where each clause may declare a symbol."""
        number = 0
        if symbol is not None:
            if symbol.text == "_":
                self.error("no new variable on left side of :=")
                symbol = None
            elif self.scope is not None:
                scope, number = self.scope, self.numbered(symbol.number)
                self.scope = Scope(scope.parent, scope.names, (*scope.own, (number, symbol.text)), scope.kinds)
                self.unused = {**self.unused, number: symbol.text}
        self.kept = (Clauses(kind, "" if symbol is None else symbol.text, number), self.kept)

    def begin_clause(self, number: int) -> None:
        self._end_clause(final=False)
        self.kept = self.kept[0]._replace(is_open=True), self.kept[1]
        self.open_block(number, "clause")

    def head_of_clause(self, default: bool, values: tuple[tuple[str, bool], ...] = ()) -> None:
        """values: the known ones of this clause, each with whether it is a name."""
        clauses: Clauses = self.kept[0]
        seen = clauses.seen
        for value in values:
            if value not in seen:
                seen |= {value}
            elif value[1]:
                self.repeat_constant(value[0], duplicate_case(value[0]))
            else:
                self.error(duplicate_case(value[0][1:]))
        self.kept = clauses, _ = clauses._replace(seen=seen), self.kept[1]
        if default:
            if clauses.has_default:
                self.error("multiple defaults")
            self.kept = clauses._replace(has_default=True), self.kept[1]
        if clauses.symbol and self.scope is not None:
            names = {**self.scope.names, clauses.symbol: clauses.number}
            self.scope = Scope(self.scope.parent, names, self.scope.own, self.scope.kinds)

    def _end_clause(self, *, final: bool) -> None:
        clauses: Clauses = self.kept[0]
        if not clauses.is_open:
            return
        self.close_block()
        self.kept = clauses._replace(ends=clauses.ends and (self.last or self.fell)), self.kept[1]
        if self.fell and final:
            self.error("cannot fallthrough final case in switch")
        self.fell = False

    def end_clauses(self) -> None:
        self._end_clause(final=True)
        clauses: Clauses
        clauses, self.kept = self.kept
        self.end_loop((clauses.has_default or clauses.kind == "select") and clauses.ends)
