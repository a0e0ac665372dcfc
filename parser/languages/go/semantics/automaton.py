"""The push-down automaton over tokens of Go: its stack, and what is declared, read and left at each place.

Everything that it holds is a value, so `copy` is cheap, and a text can be tried from the same place many times. A frame of the stack is a tuple: the name of the function that
takes the next token, then what that needs to know. The functions are registered by name in `TAKES`; one returns False where it left the token to the frame below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....scoping.pushdown import Broken, Frame, Pushdown, Stack, feed

__all__ = ["Broken", "Checker", "Frame", "Stack", "takes"]

NAME, LITERAL, STRUCT, OTHER, INSTANCE, CALL, PANIC, PANICKED, PAIR, NIL, RECEIVED, SENT = range(1, 13)
"""What stands before: a name, perhaps qualified; a type that a literal may begin with (its keys are expressions, or fields); anything else.

Of that else: a name in front of brackets, a call, the built-in `panic` and a call of it, what may give two values (of a map, a type assertion), `nil`, a receive, a send.
"""
ENDS = frozenset([";", "}", ")", ""])
_STEPS = 50
"""Frames that may leave a token to the next; only broken text reaches that."""


class Scope:
    """The names of one block. A name has the number of its variable, or 0; own: the variables that must be used."""

    __slots__ = ("names", "own", "parent")

    def __init__(self, parent: Scope | None, names: dict[str, int], own: tuple[tuple[int, str], ...]) -> None:
        self.parent, self.names, self.own = parent, names, own


class Function:
    """What belongs to one function: its results, labels and jumps."""

    __slots__ = ("count", "jumps", "labels", "named", "results", "used", "variables")

    def __init__(self, results: tuple[str, ...], count: int, *, named: bool) -> None:
        """results: those with names that can be read, of so many."""
        self.results, self.count, self.named = results, count, named
        self.labels: dict[str, tuple[int, Blocks]] = {}
        self.used: frozenset[str] = frozenset()
        self.jumps: tuple[tuple[str, int, Blocks], ...] = ()  # forward: label, number, the blocks around it
        self.variables: dict[int, int] = {}  # block -> number of the last variable declared in it

    def copy(self) -> Function:
        """Another one, to change."""
        new = Function(self.results, self.count, named=self.named)
        new.labels, new.used, new.jumps, new.variables = self.labels, self.used, self.jumps, self.variables
        return new


Blocks = tuple[int, Any] | None
Loops = tuple[str, int, str | None, Any] | None
"""What `break` and `continue` may leave, innermost first: word, number, label, the rest."""

_NONE: frozenset[Any] = frozenset()
_CALLS = (CALL, PANICKED)
_PAIRS = (PAIR, RECEIVED)


class Checker(Pushdown):
    """After some tokens of top-level declarations."""

    __slots__ = (
        "bases",
        "blocks",
        "broken_out",
        "constant",
        "declared",
        "deferred",
        "errors",
        "fell",
        "fields",
        "free",
        "function",
        "label",
        "last",
        "loops",
        "maybe",
        "members",
        "methods",
        "number",
        "repeated",
        "scope",
        "shape",
        "type_switch",
        "unused",
        "unused_found",
    )

    def __init__(self) -> None:
        self.stack: Stack = (("top",), None)
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
        self.bases: tuple[tuple[str, str], ...] = ()
        """types that are declared as others: (type, other)"""
        self.errors: frozenset[str] = _NONE
        self.number = 0
        """of tokens so far"""
        self.function: Function | None = None
        self.loops: Loops = None
        self.blocks: Blocks = None
        self.broken_out: frozenset[int] = _NONE
        self.label: str | None = None
        self.last = False
        """Did the last statement end the flow of control?"""
        self.fell = False
        self.type_switch = False
        self.shape = 0
        """What the last expression was as a whole"""
        self.constant = False
        """Is this within the declaration of a constant?"""
        self.repeated = 0
        """How many values the last constant had that was given some"""
        self.deferred: tuple[str, ...] | None = None
        self.members: tuple[tuple[str, ...], int] = ((), 0)

    def copy(self) -> Checker:
        """Another one in the same state."""
        new = Checker.__new__(Checker)
        new.stack = self.stack
        for name in Checker.__slots__:
            setattr(new, name, getattr(self, name))
        return new

    def feed(self, token: str) -> None:
        """One more token. Raises Broken."""
        self.number += 1
        feed(self, token, TAKES, _STEPS)

    @property
    def at_top(self) -> bool:
        """Whether the tokens so far end between declarations."""
        return self.stack[1] is None

    # -- names

    def use(self, name: str) -> None:
        """A name is read."""
        if name == "_":
            self.error("cannot use _ as value")
            return
        if name == "iota" and not self.constant and self.find(name) is None:
            self.error("cannot use iota outside constant declaration")
        if self.deferred is not None:
            self.deferred += (name,)
            return
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

    def assigned(self, targets: int, values: int) -> None:
        """Do so many values fit so many targets?"""
        fits = self.shape in _CALLS or (targets == 2 and self.shape in _PAIRS)
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

    def define(self, names: tuple[tuple[str, int], ...], *, fresh: bool) -> None:
        """`:=`; fresh: none is assigned to, even where it is declared in this block already."""
        scope = self.scope
        known = {} if scope is None else scope.names
        if len({name for name, _ in names if name != "_"}) < sum(name != "_" for name, _ in names):
            self.error("repeated on left side of :=")
        new = [(name, number) for name, number in names if name != "_" and (fresh or name not in known)]
        if not new:
            self.error("no new variables on left side of :=")
        for name, number in dict(new).items():
            self.declare(name, number, "var")

    def open_scope(self) -> None:
        self.scope = Scope(self.scope, {}, ())

    def close_scope(self) -> None:
        scope = self.scope
        if scope is None:
            raise Broken
        for number, name in scope.own:
            if number in self.unused:
                self.unused_found |= {(number, name)}
                self.unused = {n: name for n, name in self.unused.items() if n != number}
        self.scope = scope.parent

    # -- functions

    def open_block(self) -> None:
        self.blocks = (self.number, self.blocks)

    def close_block(self) -> None:
        if self.blocks is None:
            raise Broken
        self.blocks = self.blocks[1]

    def enter_function(self, results: tuple[str, ...], count: int) -> None:
        """At the brace; the scope is open already."""
        saved = self.function, self.loops, self.blocks
        read = tuple(name for name in results if name != "_")
        self.function, self.loops = Function(read, count, named=bool(results)), None
        self.blocks = (self.number, None)
        self.last, self.label, self.fell = False, None, False
        self.replace("statements", "func", saved)

    def leave_function(self, saved: Any) -> None:
        function = self.function
        if function is None:
            raise Broken
        if function.count and not self.last:
            self.error("missing return")
        for name in function.labels:
            if name not in function.used:
                self.error(f"label {name} defined and not used")
        for name, _, _ in function.jumps:
            self.error(f"label {name} not defined")
        self.close_scope()
        self.function, self.loops, self.blocks = saved
        self.last = self.fell = False

    def variable_declared(self) -> None:
        """`var` or `:=` as a statement: a jump may not leap over it."""
        if self.function is not None and self.blocks is not None:
            self.function = function = self.function.copy()
            function.variables = {**function.variables, self.blocks[0]: self.number}

    def define_label(self, name: str, number: int) -> None:
        if self.function is None or self.blocks is None:
            raise Broken
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
            elif not _within(here, jump[2]):
                self.error(f"goto {name} jumps into block")
            elif function.variables.get(here, 0) > jump[1]:
                self.error(f"goto {name} jumps over variable declaration")
        function.jumps = tuple(kept)

    def branch(self, word: str, label: str | None) -> None:
        """`break`, `continue` and `goto`."""
        if self.function is None:
            raise Broken
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
                function.jumps += ((label, self.number, self.blocks),)
            elif not _within(known[1][0] if known[1] else 0, self.blocks):
                self.error(f"goto {label} jumps into block")
            return
        while loops is not None and loops[2] != label:
            loops = loops[3]
        if loops is None or (word == "continue" and loops[0] != "for"):
            self.error(f"invalid {word} label {label}")
        elif word == "break":
            self.broken_out |= {loops[1]}

    def returns(self, values: int) -> None:
        """So many values are returned. Without any, the results must have names, and be visible."""
        function, scope = self.function, self.scope
        if function is None:
            raise Broken
        if values:
            if not function.count or (values != function.count and (values > 1 or self.shape not in _CALLS)):
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


def _within(block: int, blocks: Blocks) -> bool:
    while blocks is not None:
        if blocks[0] == block:
            return True
        blocks = blocks[1]
    return False


Take = Callable[[Checker, str, Frame], bool]
TAKES: dict[str, Take] = {}
"""Who takes the next token, by the name in the frame."""


def takes(function: Take) -> Take:
    """Register a function under its name, without the underscore."""
    TAKES[function.__name__.removeprefix("_")] = function
    return function
