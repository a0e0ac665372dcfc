"""The names Go's declarations bind and use, with their roles, told event by event; and the compiler's errors about them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ....scoping.replay import Name
from . import kinds
from .blocks import Scope
from .kinds import NO_USES, Uses
from .messages import (
    MISSING_KEY,
    MIXTURE,
    invalid_receiver,
    method_declared,
    non_local,
    out_of_bounds,
    recursive,
    redeclared,
)
from .shapes import PAIR, RECEIVED, VALUES, Called, Keys, Literal, Type, is_call

_NONE: frozenset[Any] = frozenset()
_PAIRS = (PAIR, RECEIVED)
_COMPUTED = (kinds.VALUE, kinds.CALLED)
_MEASURING = ("len", "cap")


class Declared(NamedTuple):
    """A type at package level, as declared; arity: the number of its type parameters."""

    type: Type
    alias: bool
    arity: int


class Doubt(NamedTuple):
    """The error of a literal if its type, of this name, is a struct: a repeated key, or fields with and without keys; key: the
    repeated one, "" for all."""

    type: str
    key: str
    message: str


def _name_of(of: Type) -> str:
    """The name of a literal's type, where only its name is known."""
    return of.name if of.kind == "name" else ""


class NameFacts:
    """The facts of names after some events."""

    def __init__(self) -> None:
        self.scope: Scope | None = None
        self.unused: dict[int, str] = {}
        self.unused_found: frozenset[tuple[int, str]] = _NONE
        self.free: frozenset[str] = _NONE
        """names read but not declared in the function"""
        self.maybe: frozenset[str] = _NONE
        """keys of literals: names, or fields"""
        self.uses: Uses = NO_USES
        """the uses of names not declared in the function"""
        self.doubts: frozenset[Doubt] = _NONE
        self.repeated: frozenset[tuple[str, str]] = _NONE
        """(name, the error if it is a constant)"""
        self.keyed: frozenset[tuple[str, tuple[str, ...] | int]] = _NONE
        """(type of a literal, its keys that are names so far, or the number of its values without keys)"""
        self.declared: tuple[tuple[str, str], ...] = ()
        """at package level: (name, word)"""
        self.types: tuple[tuple[str, Declared], ...] = ()
        """at package level"""
        self.functions: tuple[tuple[str, kinds.Function], ...] = ()
        """at package level"""
        self.reads: tuple[tuple[str, frozenset[str]], ...] = ()
        """variables, constants and functions at package level, each with the names in its value or body"""
        self.reading: frozenset[str] | None = None
        """the names in the one being read"""
        self.reader = ""
        """the function being read"""
        self.methods: tuple[tuple[str, str], ...] = ()
        """(type, method)"""
        self.base = ""
        """of the last receiver"""
        self.receivers: frozenset[str] = _NONE
        """types of receivers"""
        self.errors: frozenset[str] = _NONE
        self.number = 0
        """of the last event with a token's number"""
        self.constant = False
        """whether this is within the declaration of a constant"""
        self.computed: Uses = NO_USES
        """the uses of names in a constant"""
        self.measured = False
        """whether a constant measures something, as `len` does, whose argument need not be constant"""
        self.words: tuple[int, str] = 0, "const"
        """The number of values of the last constant with any, and its word"""
        self.deferred: tuple[str, ...] | None = None
        self.constraints: tuple[str, ...] = ()
        """the names that are whole constraints of type parameters"""
        self.literals: Any = None
        """The enclosing literals: (keys, type, keys so far, index, names among the keys, the rest)"""

    def numbered(self, number: int) -> int:
        """The number of an event; one without its own (-1) gets the next."""
        self.number = self.number + 1 if number < 0 else max(number, self.number)
        return self.number if number < 0 else number

    def error(self, message: str) -> None:
        self.errors |= {message}

    def no_nil(self, where: str) -> None:
        """Note a value `nil` without a type."""
        if self.find("nil") is None:
            self.error(f"use of untyped nil in {where}")

    def use(self, name: str) -> None:
        """Note the read of a name."""
        if self.deferred is not None:
            self.deferred += (name,)
            return
        if name == "_":
            self.error("cannot use _ as value")
            return
        if name == "iota" and not self.constant and self.find(name) is None:
            self.uses |= {(name, (kinds.COUNTS,))}
        number = self.find(name)
        if number is None:
            if name not in self.free:
                self.free |= {name}
            if self.reading is not None and name not in self.reading:
                self.reading |= {name}
        elif number in self.unused:
            self.unused = {n: name for n, name in self.unused.items() if n != number}

    def use_as(self, name: str, use: kinds.Use) -> None:
        """Note how a read name is used."""
        if self.deferred is not None or name == "_":
            return
        if self.constant and use[0] in _COMPUTED:
            self._compute(name, use)
        kind = self.kind(name)
        if kind is None:
            if (name, use) not in self.uses:
                self.uses |= {(name, use)}
        elif (message := kinds.misused(name, use, kind)) is not None:
            self.error(message)

    def call(self, name: str, count: int, spread: bool, arguments: tuple[str, ...], shapes: tuple[Any, ...]) -> None:
        """count: of the arguments, -1 where a call returns them; arguments: those that are bare names; shapes: of calls among them."""
        self.use_as(name, (kinds.CALLED, count, spread))
        if name in _MEASURING and self.kind(name) is None:
            self.measured = True
        if name in ("new", "make") and self.kind(name) is None:
            arguments = arguments[1:] if name == "make" else ()
        for argument in arguments:
            self.use_as(argument, (kinds.VALUE,))
        for shape in shapes:
            self.use_as(shape, (kinds.GIVES, 0 if count < 0 else 1))

    def measure(self) -> None:
        """Note a call that is constant whatever its arguments are."""
        self.measured = True

    def allocate(self, shape: Any) -> None:
        """`new` with one argument, which was a type before Go 1.26."""
        if self.kind("new") is not None:
            return
        if type(shape) is str:
            kind = self.kind(shape)
            if kind in (None, "type", "struct"):
                if kind is None:
                    self.uses |= {("new", (kinds.ALLOCATES, shape))}
                return
        elif type(shape) is Called:
            if self.kind(shape) is None:
                self.uses |= {("new", (kinds.ALLOCATES, f"{shape}()"))}
        elif type(shape) is not Literal and not (type(shape) is int and shape in VALUES):
            return
        self.uses |= {("new", (kinds.ALLOCATES, ""))}

    def kind(self, name: str) -> str | None:
        """The kind of a name declared in the function; None for others."""
        scope = self.scope
        while scope is not None:
            if name in scope.names:
                return scope.kinds.get(name, "var")
            scope = scope.parent
        return None

    def _compute(self, name: str, use: kinds.Use) -> None:
        kind = self.kind(name)
        role = (kinds.CONSTANT if use[0] == kinds.VALUE else kinds.COMPUTES,)
        if kind is None:
            self.computed |= {(name, role)}
        elif not self.measured and (message := kinds.misused(name, role, kind)) is not None:
            self.computed |= {(message, ())}

    def maybe_use(self, name: str) -> None:
        """Note the key of a literal."""
        number = self.find(name)
        if number is None:
            if name not in self.maybe:
                self.maybe |= {name}
        elif number in self.unused:
            self.unused = {n: name for n, name in self.unused.items() if n != number}

    def assign(self, name: str) -> None:
        """Note the assignment to a name; "": to something else."""
        if name in ("", "_"):
            return
        if self.find(name) is None:
            if name not in self.free:
                self.free |= {name}
            if self.reading is not None and name not in self.reading:
                self.reading |= {name}
        self.use_as(name, (kinds.ASSIGNED,))

    def find(self, name: str) -> int | None:
        scope = self.scope
        while scope is not None:
            number = scope.names.get(name)
            if number is not None:
                return number
            scope = scope.parent
        return None

    def assigned(self, targets: int, values: int, shape: Any) -> None:
        """Refuse a number of values other than that of the targets; shape: of the last value."""
        fits = is_call(shape) or (targets == 2 and shape in _PAIRS)
        if values == 1 and type(shape) is Called:
            self.use_as(shape, (kinds.GIVES, targets))
        if targets != values and not (values == 1 and fits):
            self.error(
                f"assignment mismatch: {targets} variable{'s' * (targets > 1)} but {values} value{'s' * (values > 1)}"
            )

    def declare(self, name: str, number: int, word: str) -> None:
        """Declare a name in the innermost block; number: its token's, for the report of an unused name; 0: none."""
        scope = self.scope
        if scope is None:
            if name == "init":
                self.error("cannot declare init - must be func")
            elif name != "_":
                self.declared += ((name, word),)
        elif name != "_":
            if name in scope.names:
                self.error(redeclared(name))
            own = (*scope.own, (number, name)) if number else scope.own
            words = scope.kinds if word == "var" else {**scope.kinds, name: word}
            self.scope = Scope(scope.parent, {**scope.names, name: number}, own, words)
            if number:
                self.unused = {**self.unused, number: name}

    def define(self, names: tuple[Name, ...], fresh: bool) -> None:
        """`:=`; fresh: all names are new, even those already declared in this block."""
        scope = self.scope
        bound = {} if scope is None else scope.names
        if len({name for name, _ in names if name != "_"}) < sum(name != "_" for name, _ in names):
            self.error("repeated on left side of :=")
        new = [(name, number) for name, number in names if name != "_" and (fresh or name not in bound)]
        if not new:
            self.error("no new variables on left side of :=")
        for name, number in dict(new).items():
            self.declare(name, self.numbered(number), "var")

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

    def defer(self) -> None:
        """Look up the following reads only when their parent is known."""
        self.deferred = ()

    def end_receiver(self, type_: Type) -> None:
        """`(r *T[K, V])`: the names in brackets are declarations."""
        self.base, *parameters = self.deferred or ("",)
        self.deferred = None
        for name in parameters:
            self.declare(name, 0, "type")
        if self.base:
            self.use(self.base)
            self.use_as(self.base, (kinds.RECEIVES, len(parameters)))
        inner = type_.inner if type_.kind == "pointer" else type_
        if not inner.has_plain_arguments:
            self.error("receiver type parameter must be an identifier")
        if inner.kind == "name":
            self.use_as(inner.name, (kinds.TYPE,))
            self.receivers |= {inner.name}
        elif inner.kind == "qualified":
            self.error(non_local(inner.text))
        else:
            self.error(invalid_receiver(type_.text or inner.kind))

    def end_type_parameters(self, names: tuple[str, ...], opens: bool) -> None:
        """End the type parameters, which may name each other; opens: they get their own scope."""
        read, self.deferred = self.deferred or (), None
        if not frozenset(names).isdisjoint(self.constraints):
            self.error("cannot use a type parameter as constraint")
        self.constraints = ()
        if opens:
            self.open_scope()
        for name in names:
            self.declare(name, 0, "type")
        for name in read:
            self.use(name)

    def join(self, name: str, use: kinds.Use) -> None:
        """Note a name as a term of a constraint, even while reads are deferred."""
        if self.kind(name) is None:
            self.uses |= {(name, use)}

    def constrain(self, name: str) -> None:
        """Note a name that is the whole constraint of a type parameter."""
        self.constraints += (name,)

    def name_function(self, name: str) -> None:
        """Declare a function at package level."""
        if name not in ("_", "init"):
            self.declared += ((name, "func"),)
            self.reading, self.reader = _NONE, name

    def know_function(self, name: str, function: kinds.Function) -> None:
        """Note the signature of a function at package level."""
        self.functions += ((name, function),)

    def name_method(self, name: str) -> None:
        """Declare a method of the last receiver's type."""
        self.reading, self.reader = None, ""
        if name != "_":
            if (self.base, name) in self.methods:
                self.error(method_declared((self.base, name)))
            self.methods += ((self.base, name),)

    # -- literals

    def begin_literal(self, keys: Keys, written: Type | None) -> None:
        """written: its type; None for an element of another literal, with the type of the elements there."""
        if written is None and self.literals is not None and self.literals[0] is Keys.LIST:
            written = self.literals[1].inner
            if written is not None and written.kind == "pointer":
                written = written.inner
        self.literals = keys, written or Type(), None, 0, (), self.literals

    def element(self) -> None:
        """Note an element without a key."""
        if self.literals is None:
            return
        kind, of, before, index, names, rest = self.literals
        if kind is Keys.MAP:
            self.error(MISSING_KEY)
        if kind is Keys.LIST and 0 <= of.length <= index:
            self.error(out_of_bounds(index, of.length))
        key = ("", True) if kind is not Keys.LIST else (f"n{index}", False) if index >= 0 else None
        self.literals = kind, of, before if key is None else (key, before), index + (index >= 0), names, rest

    def key(self, key: str | None, is_name: bool) -> None:
        """Note a key; is_name: it is a name; else a normal form of its value, None where unknown."""
        if self.literals is None:
            return
        kind, of, before, index, names, rest = self.literals
        name = _name_of(of)
        if kind is Keys.LIST:
            number = key[1:] if key is not None and not is_name and key[0] == "n" else ""
            if number[:1] == "-" and number[1:].isdecimal() and int(number):
                self.error("index must be a non-negative integer constant")
            index = int(number) + 1 if number.isdecimal() else -1
            if 0 <= of.length < index:
                self.error(out_of_bounds(number, of.length))
        if is_name and key is not None and kind is Keys.MAYBE and name and self.kind(name) is None:
            names = (*names, key)
            self.keyed |= {(name, names)}
        if is_name and key is not None and kind is Keys.FIELDS and not of.embedded and key not in of.fields:
            self.error(f"unknown field {key} in struct literal")
        entry = (key if key is not None else "?", is_name if key is not None else None)
        self.literals = kind, of, (entry, before), index, names, rest

    def end_literal(self) -> None:
        if self.literals is None:
            return
        kind, of, keys, _, _, self.literals = self.literals
        name = _name_of(of)
        seen: set[tuple[str, bool | None]] = set()
        count = 0
        while keys is not None:
            key, keys = keys
            count += 1
            if key in seen and key[0] and key[1] is not None:
                self._repeat(kind, name, *key)
            seen.add(key)
        if ("", True) in seen and len(seen) > 1:  # with and without keys
            if kind is Keys.FIELDS or (name and self.kind(name) == "struct"):
                self.error(MIXTURE)
            elif kind is Keys.MAYBE and name:
                self.doubts |= {Doubt(name, "", MIXTURE)}
        elif seen and ("", True) in seen and kind is Keys.MAYBE and name and self.kind(name) is None:
            self.keyed |= {(name, count)}

    def _repeat(self, kind: Keys, name: str, key: str, is_name: bool) -> None:
        field = f"duplicate field name {key} in struct literal"
        if not is_name:
            self.error(f"duplicate {'index' if kind is Keys.LIST else 'key'} {key[1:]} in literal")
        elif kind is Keys.FIELDS:
            self.error(field)
        elif kind is Keys.MAYBE:
            local = self.kind(name) if name else None
            if local == "struct":
                self.error(field)
            elif local is None:
                self.doubts |= {Doubt(name, "" if self.kind(key) else key, field)}
        else:
            self.repeat_constant(key, f"duplicate key {key} in literal")

    def repeat_constant(self, name: str, message: str) -> None:
        """Note a repeated name where a constant may not be repeated."""
        kind = self.kind(name)
        if kind == "const":
            self.error(message)
        elif kind is None:
            self.repeated |= {(name, message)}

    # -- declarations

    def count_constants(self, names: int, values: int, word: str) -> None:
        """Check a constant declaration. values: -1 for none, which repeats the last ones. word: "flag" where one may be a truth value."""
        self.constant = False
        if values >= 0:
            self.words = values, word
        if self.words[0] != names:
            self.error("missing init expr" if self.words[0] < names else "extra init expr")
        if not self.measured:
            self.errors |= {name for name, role in self.computed if not role}
            self.uses |= {(name, role) for name, role in self.computed if role}
        self.measured, self.computed = False, NO_USES

    def begin_constant(self) -> None:
        self.constant = True
        self.begin_value()

    def begin_value(self) -> None:
        """Begin the value of a variable or constant."""
        if self.scope is None:
            self.reading = _NONE

    def declare_all(self, names: tuple[Name, ...], word: str) -> None:
        """Declare constants or variables."""
        must_use = word == "var" and self.scope is not None
        if word != "var":
            word = self.words[1]
        for name in names:
            self.declare(name.text, self.numbered(name.number) if must_use else 0, word)
        if self.scope is None:
            if self.reading is not None and len(names) == 1:
                self.reads += ((names[0].text, self.reading),)
            self.reading = None

    def define_type(self, name: str, declared: Declared) -> None:
        if self.scope is None:
            self.types += ((name, declared),)
        elif name != "_":
            if name in declared.type.holds or (declared.alias and name in declared.type.behind):
                self.error(recursive(name))
            scope = self.scope
            if declared.type.kind == "struct":
                self.scope = Scope(scope.parent, scope.names, scope.own, {**scope.kinds, name: "struct"})
