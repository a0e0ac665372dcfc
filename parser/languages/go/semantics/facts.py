"""What is declared, read and left in Go's declarations, told event by event; what the compiler refuses about that.

`Facts` are changed by their methods, which are the events of roles.py, and copied to be kept.
"""

from __future__ import annotations

from typing import Any

from ....scoping.replay import Name
from .blocks import Blocks, Clauses, Function, Loops, Scope, within

OTHER, CALL, PANIC, PANICKED, PAIR, NIL, RECEIVED = range(7)
"""What an expression is: a call, the built-in `panic` and a call of it, what may give two values (of a map, a type assertion), `nil`, a receive, anything else."""


_NONE: frozenset[Any] = frozenset()
CALLS = (CALL, PANICKED)
EXECUTED = (CALL, PANICKED, RECEIVED)
"""Expressions that are statements."""
_PAIRS = (PAIR, RECEIVED)


class Facts:
    """What is known after some events."""

    def __init__(self) -> None:
        self.scope: Scope | None = None
        self.unused: dict[int, str] = {}
        self.unused_found: frozenset[tuple[int, str]] = _NONE
        self.free: frozenset[str] = _NONE
        """names read that are not declared in the function"""
        self.maybe: frozenset[str] = _NONE
        """keys of literals: names, or fields"""
        self.declared: tuple[tuple[str, str], ...] = ()
        """at package level: (name, word)"""
        self.methods: tuple[tuple[str, str], ...] = ()
        """(type, method)"""
        self.fields: tuple[tuple[str, str], ...] = ()
        """of types at package level: (type, field)"""
        self.base = ""
        """of the last receiver"""
        self.bases: tuple[tuple[str, str], ...] = ()
        """types that are declared as others: (type, other)"""
        self.errors: frozenset[str] = _NONE
        self.number = 0
        """of the last event that has one: that of a token"""
        self.function: Function | None = None
        self.loops: Loops = None
        self.blocks: Blocks = None
        self.broken_out: frozenset[int] = _NONE
        self.label: str | None = None
        self.last = False
        """Did the last statement end the flow of control?"""
        self.fell = False
        self.constant = False
        """Is this within the declaration of a constant?"""
        self.repeated = 0
        """How many values the last constant had that was given some"""
        self.deferred: tuple[str, ...] | None = None
        self.kept: Any = None
        """What statements around remember: (value, the rest)"""

    def copy(self) -> Facts:
        """Others, to change."""
        new = Facts.__new__(Facts)
        new.__dict__.update(self.__dict__)
        return new

    def at(self, number: int) -> int:
        """The number of an event that has none of its own (-1) is the next."""
        self.number = self.number + 1 if number < 0 else max(number, self.number)
        return self.number if number < 0 else number

    # -- names

    def no_nil(self, where: str) -> None:
        """A value is `nil`, and has no type."""
        if self.find("nil") is None:
            self.error(f"use of untyped nil in {where}")

    def use(self, name: str) -> None:
        """A name is read."""
        if self.deferred is not None:
            self.deferred += (name,)
            return
        if name == "_":
            self.error("cannot use _ as value")
            return
        if name == "iota" and not self.constant and self.find(name) is None:
            self.error("cannot use iota outside constant declaration")
        number = self.find(name)
        if number is None:
            if name not in self.free:
                self.free |= {name}
        elif number in self.unused:
            self.unused = {n: name for n, name in self.unused.items() if n != number}

    def maybe_use(self, name: str) -> None:
        """The key of a literal."""
        number = self.find(name)
        if number is None:
            if name not in self.maybe:
                self.maybe |= {name}
        elif number in self.unused:
            self.unused = {n: name for n, name in self.unused.items() if n != number}

    def assign(self, name: str) -> None:
        """A name is assigned to; "": something else is."""
        if name not in ("", "_") and self.find(name) is None and name not in self.free:
            self.free |= {name}

    def find(self, name: str) -> int | None:
        scope = self.scope
        while scope is not None:
            number = scope.names.get(name)
            if number is not None:
                return number
            scope = scope.parent
        return None

    def assigned(self, targets: int, values: int, shape: int) -> None:
        """Do so many values fit so many targets? shape: of the last."""
        fits = shape in CALLS or (targets == 2 and shape in _PAIRS)
        if targets != values and not (values == 1 and fits):
            self.error(
                f"assignment mismatch: {targets} variable{'s' * (targets > 1)} but {values} value{'s' * (values > 1)}"
            )

    def error(self, message: str) -> None:
        self.errors |= {message}

    def declare(self, name: str, number: int, word: str) -> None:
        """In the innermost block; number: of its token, to be held against it when it is not used, 0: nobody asks."""
        scope = self.scope
        if scope is None:
            if name == "init":
                self.error("cannot declare init - must be func")
            elif name != "_":
                self.declared += ((name, word),)
        elif name != "_":
            if name in scope.names:
                self.error(f"{name} redeclared in this block")
            own = (*scope.own, (number, name)) if number else scope.own
            self.scope = Scope(scope.parent, {**scope.names, name: number}, own)
            if number:
                self.unused = {**self.unused, number: name}

    def define(self, names: tuple[Name, ...], fresh: bool) -> None:
        """`:=`; fresh: none is assigned to, even where it is declared in this block already."""
        scope = self.scope
        known = {} if scope is None else scope.names
        if len({name for name, _ in names if name != "_"}) < sum(name != "_" for name, _ in names):
            self.error("repeated on left side of :=")
        new = [(name, number) for name, number in names if name != "_" and (fresh or name not in known)]
        if not new:
            self.error("no new variables on left side of :=")
        for name, number in dict(new).items():
            self.declare(name, self.at(number), "var")

    def open_scope(self) -> None:
        self.scope = Scope(self.scope, {}, ())

    def close_scope(self) -> None:
        scope = self.scope
        assert scope is not None
        for number, name in scope.own:
            if number in self.unused:
                self.unused_found |= {(number, name)}
                self.unused = {n: name for n, name in self.unused.items() if n != number}
        self.scope = scope.parent

    # -- functions

    def open_block(self, number: int, kind: str = "block") -> None:
        """kind: "clause" for those of a switch or select."""
        self.open_scope()
        self.blocks = (self.at(number), self.blocks, kind)
        self.last, self.label = False, None

    def close_block(self) -> None:
        assert self.blocks is not None
        self.blocks = self.blocks[1]
        self.close_scope()

    def name_function(self, name: str) -> None:
        """At package level."""
        if name not in ("_", "init"):
            self.declared += ((name, "func"),)

    def defer(self) -> None:
        """What is read from here on is looked up when it is known what it stands in."""
        self.deferred = ()

    def end_receiver(self) -> None:
        """`(r *T[K, V])`: here the names in brackets are declared."""
        self.base, *parameters = self.deferred or ("",)
        self.deferred = None
        for name in parameters:
            self.declare(name, 0, "type")
        if self.base:
            self.use(self.base)

    def end_type_parameters(self, names: tuple[str, ...], opens: bool) -> None:
        """opens: a scope of their own. They may name each other."""
        read, self.deferred = self.deferred or (), None
        if opens:
            self.open_scope()
        for name in names:
            self.declare(name, 0, "type")
        for name in read:
            self.use(name)

    def name_method(self, name: str) -> None:
        """Of the last receiver's type."""
        if name != "_":
            if (self.base, name) in self.methods:
                self.error(f"method {self.base}.{name} already declared")
            self.methods += ((self.base, name),)

    def check_signature(self, names: tuple[str, ...]) -> None:
        """Those of receiver, parameters and results."""
        for at, name in enumerate(names):
            if name != "_" and (name in names[:at] or (self.scope is not None and name in self.scope.names)):
                self.error(f"{name} redeclared in this block")

    def enter_function(self, number: int, names: tuple[str, ...], results: tuple[str, ...], count: int) -> None:
        """At the brace; the scope is open already. names: of receiver and parameters; count: of results."""
        self.check_signature(names + results)
        assert self.scope is not None
        found = dict.fromkeys((name for name in names if name != "_"), 0)
        found |= dict.fromkeys((name for name in results if name != "_"), -1)
        self.scope = Scope(self.scope.parent, {**self.scope.names, **found}, self.scope.own)
        self.kept = (self.function, self.loops, self.blocks), self.kept
        read = tuple(name for name in results if name != "_")
        self.function, self.loops = Function(read, count, named=bool(results)), None
        self.blocks = (self.at(number), None, "func")
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

    def variable_declared(self, number: int) -> None:
        """`var` or `:=` as a statement: a jump may not leap over it."""
        if self.function is not None and self.blocks is not None:
            self.function = function = self.function.copy()
            function.variables = {**function.variables, self.blocks[0]: self.at(number)}

    def define_label(self, name: str, number: int) -> None:
        assert self.function is not None and self.blocks is not None
        number = self.at(number)
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
                self.error(f"goto {name} jumps into block")
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
            known = function.labels.get(label)
            if known is None:
                function.jumps += ((label, self.at(number), self.blocks),)
            elif not within(known[1][0] if known[1] else 0, self.blocks):
                self.error(f"goto {label} jumps into block")
            return
        while loops is not None and loops[2] != label:
            loops = loops[3]
        if loops is None or (word == "continue" and loops[0] != "for"):
            self.error(f"invalid {word} label {label}")
        elif word == "break":
            self.broken_out |= {loops[1]}

    def returns(self, values: int, shape: int) -> None:
        """So many values are returned. Without any, the results must have names, and be visible."""
        self.end_statement(last=True)
        function, scope = self.function, self.scope
        if function is None:
            return
        if values:
            if not function.count or (values != function.count and (values > 1 or shape not in CALLS)):
                self.error(f"{'not enough' if values < function.count else 'too many'} return values")
            return
        if function.count and not function.named:
            self.error("not enough return values")
        for name in function.results:
            at = scope
            while at is not None and name not in at.names:
                at = at.parent
            if at is not None and at.names[name] != -1:
                self.error(f"result parameter {name} not in scope at return")

    # -- statements

    def end_statement(self, last: bool | None) -> None:
        """last: does it end the flow of control? None: that is known already."""
        if self.fell:
            self.error("fallthrough statement out of place")
            self.fell = False
        if last is not None:
            self.last = last
        self.label = None

    def panic(self) -> None:
        """A statement calls `panic`."""
        self.end_statement(last=self.find("panic") is None)

    def fall_through(self) -> None:
        """Only as the last statement of a clause of a switch over values, and not of the last clause."""
        self.end_statement(last=False)
        if self.blocks is None or self.blocks[2] != "clause" or self.kept[0].kind != "switch":
            self.error("fallthrough statement out of place")
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
        """Of a for, switch or select."""
        self.open_scope()
        self.loops = (word, self.at(number), self.label, self.loops)
        self.label = None

    def end_loop(self, last: bool) -> None:
        """last: does it end the flow of control, if nothing breaks out of it?"""
        assert self.loops is not None
        self.last = last and self.loops[1] not in self.broken_out
        self.loops = self.loops[3]
        self.close_scope()

    def begin_clauses(self, kind: str, symbol: Name | None) -> None:
        """kind: "switch", "select", or "types", where a symbol may be declared in each."""
        number = 0
        if symbol is not None:
            if symbol.text == "_":
                self.error("no new variable on left side of :=")
                symbol = None
            elif self.scope is not None:
                scope, number = self.scope, self.at(symbol.at)
                self.scope = Scope(scope.parent, scope.names, (*scope.own, (number, symbol.text)))
                self.unused = {**self.unused, number: symbol.text}
        self.kept = (Clauses(kind, "" if symbol is None else symbol.text, number), self.kept)

    def begin_clause(self, number: int) -> None:
        self._end_clause(final=False)
        self.kept = self.kept[0]._replace(is_open=True), self.kept[1]
        self.open_block(number, "clause")

    def head_of_clause(self, default: bool) -> None:
        clauses: Clauses = self.kept[0]
        if default:
            if clauses.has_default:
                self.error("multiple defaults")
            self.kept = clauses._replace(has_default=True), self.kept[1]
        if clauses.symbol and self.scope is not None:
            names = {**self.scope.names, clauses.symbol: clauses.number}
            self.scope = Scope(self.scope.parent, names, self.scope.own)

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

    # -- declarations

    def count_constants(self, names: int, values: int) -> None:
        """values: -1 where there are none, and those of the last count."""
        self.constant = False
        self.repeated = self.repeated if values < 0 else values
        if self.repeated != names:
            self.error("missing init expr" if self.repeated < names else "extra init expr")

    def begin_constant(self) -> None:
        self.constant = True

    def declare_all(self, names: tuple[Name, ...], word: str) -> None:
        """Constants or variables."""
        must_use = word == "var" and self.scope is not None
        for name in names:
            self.declare(name.text, self.at(name.at) if must_use else 0, word)
        if must_use:
            self.variable_declared(names[-1].at)

    def define_type(self, name: str, fields: tuple[str, ...] | None, base: str) -> None:
        """fields: of a struct; base: the type that it is declared as."""
        if self.scope is None:
            self.fields += tuple((name, field) for field in fields or ())
            if base:
                self.bases += ((name, base),)
