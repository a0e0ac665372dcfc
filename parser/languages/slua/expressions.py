"""Expressions of a wanted type, prefixes, calls, functions and constructors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from ...scoped import stack
from ...scoped.stack import Done, Expected, Frame, Token
from .inhabitants import (
    BRACKET,
    CALLED,
    CONSTRUCTOR,
    LIMIT,
    MODULO,
    OPERATOR,
    PLACE,
    UNARY,
    call_weight,
    function_weight,
)
from .scope import Scope, Variable, assignable, constructor_fits, function_fits
from .shortest import free_name, fresh_name, shortest, shortest_field, shortest_operand, shortest_way
from .types import BOOLEAN, NUMBER, PRIMITIVES, STRING, VOID, Func, Table, Type

_ARITHMETIC = frozenset("+-*/%^")
_EQUALITY = frozenset(("==", "~="))
_ORDER = frozenset(("<", "<=", ">", ">=")) | _EQUALITY
_JUNCTIONS = frozenset(("and", "or"))
_TRUTH = frozenset(("true", "false"))
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Expression(Frame):
    """An expression of one of the wanted types, up to the end of a comparison or of a chain of `and` and `or`.

    The operand decides which operators may follow. Precedence plays no part: operators of one type return that type, a comparison is
    a boolean, and comparisons do not chain. Hence the type so far, and that of a comparison's left side, suffice.
    """

    wanted: frozenset[Type]
    scope: Scope
    depth: int
    only: frozenset[Type] | None = None
    """the possible types of the next operand, after an operator; None: it is the first of a comparison"""
    left: Type | None = None
    """of a comparison, while its right side is read"""
    type: Type | None = None
    """of the operand just read; None: an operand comes next"""
    bracket: bool = False
    """whether a closing bracket comes first"""

    @property
    def _room(self) -> int:
        return LIMIT - self.depth

    @property
    def _operand_types(self) -> frozenset[Type]:
        if self.only is not None:
            return self.only
        return self.scope.comparable if BOOLEAN in self.wanted else self.wanted

    @property
    def _whole(self) -> frozenset[Type]:
        """The wanted types besides primitives, where the operand may be the whole expression."""
        return self.wanted - PRIMITIVES if self.only is None else frozenset()

    def expected(self) -> Expected:
        if self.type is not None:
            return self._operators()
        types, room = self._operand_types, self._room
        words = self.scope.names(types, room)
        signs: set[str] = set()
        if NUMBER in types and room >= UNARY:
            signs.add("-")
        if BOOLEAN in types:
            words |= _TRUTH
            if room >= UNARY:
                words |= {"not"}
        if types & PRIMITIVES and room >= BRACKET:
            signs.add("(")
        for type_ in self._whole:
            if isinstance(type_, Func):
                if function_fits(self.scope, type_, room):
                    words |= {"function"}
            elif constructor_fits(self.scope, type_, room):
                signs.add("{")
        return Expected(
            words,
            frozenset(signs),
            number=NUMBER in types,
            string=STRING in types,
            what="an expression of type " + or_list(self.wanted if self.only is None else self.only),
        )

    def _operators(self) -> Expected:
        if self.bracket:
            return Expected(punctuation=frozenset(")"))
        type_, room = self.type, self._room
        signs: frozenset[str] = _NONE
        if type_ == NUMBER:
            signs |= _ARITHMETIC
            if room < OPERATOR:
                signs -= {"^"}
            if room < MODULO:
                signs -= {"%"}
        elif type_ == STRING and room >= OPERATOR:
            signs |= {".."}
        if self.left is None and BOOLEAN in self.wanted and not isinstance(type_, Func):
            signs |= _ORDER if type_ == NUMBER else _EQUALITY
        words = _JUNCTIONS if self._result == BOOLEAN and BOOLEAN in self.wanted else _NONE
        return Expected(words, signs, what="" if self.end() else "a comparison")

    @property
    def _result(self) -> Type | None:
        return self.type if self.left is None else BOOLEAN

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        kind, text = token
        if self.type is not None:
            return (self._after_operator(text),)
        if kind == stack.NUMBER:
            return (self._operand(NUMBER),)
        if kind == stack.STRING:
            return (self._operand(STRING),)
        types = self._operand_types
        if text == "-":
            return (replace(self, only=frozenset((NUMBER,)), depth=self.depth + UNARY),)
        if text == "not":
            return (replace(self, only=frozenset((BOOLEAN,)), depth=self.depth + UNARY),)
        if text == "(":
            return (replace(self, bracket=True), Expression(types & PRIMITIVES, self.scope, self.depth + BRACKET))
        if text in _TRUTH:
            return (self._operand(BOOLEAN),)
        if text == "function":
            (type_,) = (type_ for type_ in self._whole if isinstance(type_, Func))
            return (self, FunctionExpression(type_, self.scope, self.depth))
        if text == "{":
            (name,) = (type_ for type_ in self._whole if isinstance(type_, str))
            return (self, Constructor(name, self.scope, self.depth + CONSTRUCTOR))
        variable = self.scope.variables[text]
        return (self, Prefix.of(variable, types, self.scope, self.depth))

    def _operand(self, type_: Type) -> Expression:
        return replace(self, type=type_, bracket=False)

    def _after_operator(self, text: str) -> Expression:
        if self.bracket:
            return replace(self, bracket=False)
        type_ = self.type
        assert type_ is not None
        if text in _JUNCTIONS:
            return Expression(frozenset((BOOLEAN,)), self.scope, self.depth)
        deeper = {"..": OPERATOR, "^": OPERATOR, "%": MODULO}.get(text, 0)
        left = type_ if text in _ORDER else self.left
        return replace(self, only=frozenset((type_,)), type=None, left=left, depth=self.depth + deeper)

    def end(self) -> Done | None:
        if self.type is None or self.bracket:
            return None
        result = self._result
        return Done(result) if result in self.wanted else None

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        """See Frame; the value is the type of a bracket's content, a prefix, a function or a table."""
        assert isinstance(value, str | Func)
        return (replace(self, type=value),)

    def way_out(self) -> str:
        if self.bracket:
            return ")"
        if self.type is not None:
            if self.end():
                return ""
            assert self.type is not None
            return f"== {shortest_operand(self.scope, self.type, self._room)}"
        if self.only is not None:
            (type_,) = self.only
            return shortest_operand(self.scope, type_, self._room)
        types = self.wanted
        texts = [shortest(self.scope, type_, self._room) for type_ in types if self.scope.buildable(type_, self._room)]
        return min(texts, key=lambda text: (len(text), text))


def expression(type_: Type, scope: Scope, depth: int) -> Expression:
    """An expression of one type."""
    return Expression(frozenset((type_,)), scope, depth)


def or_list(types: frozenset[Type]) -> str:
    """Types in words."""
    names = sorted(str(type_) for type_ in types)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


@dataclass(frozen=True)
class Ended:
    """The kind of a finished prefix."""

    type: Type
    place: bool
    call: bool


@dataclass(frozen=True)
class Prefix(Frame):
    """A name, then fields and calls, on the way to one of the wanted types; or, in a statement, to a place or a call."""

    type: Type
    wanted: frozenset[Type]
    scope: Scope
    depth: int
    place: bool = False
    """whether it can be assigned to"""
    call: bool = False
    """whether it ends in a call"""
    phase: str = ""
    """`.` after a point, `(` within a call"""

    @staticmethod
    def of(variable: Variable, wanted: frozenset[Type], scope: Scope, depth: int) -> Prefix:
        """The prefix of a variable."""
        return Prefix(variable.type, wanted, scope, depth, place=assignable(variable))

    @property
    def _room(self) -> int:
        return LIMIT - self.depth

    def _leads(self, type_: Type, mutable: bool) -> bool:
        return (mutable and PLACE in self.wanted) or self.scope.inhabitants.reaches(type_, self.wanted, self._room)

    def expected(self) -> Expected:
        table = self.scope.api.table(self.type)
        if self.phase == ".":
            assert table is not None
            fields = table.readable().items()
            names = frozenset(name for name, field in fields if self._leads(field.type, field.mutable))
            return Expected(names, what=f"a field of {table.name}" + self._towards())
        signs: frozenset[str] = _NONE
        if isinstance(self.type, Func):
            weight = self.scope.inhabitants.call(self.type)
            wanted = CALLED in self.wanted or (
                self.type.result != VOID and self.scope.inhabitants.reaches(self.type.result, self.wanted, self._room)
            )
            if weight is not None and weight <= self._room and wanted:
                signs = frozenset("(")
        elif table is not None and any(self._leads(field.type, field.mutable) for field in table.readable().values()):
            signs = frozenset(".")
        return Expected(punctuation=signs)

    def _towards(self) -> str:
        if PLACE in self.wanted or CALLED in self.wanted:
            return " that leads to a call or can be assigned to"
        few = self.wanted if len(self.wanted) <= 2 else self.wanted & PRIMITIVES
        return f" that leads to type {or_list(few)}" if few else ""

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        text = token.text
        if text == ".":
            return (replace(self, phase="."),)
        if text == "(":
            assert isinstance(self.type, Func)
            depth = self.depth + call_weight(self.type)
            return (replace(self, phase="("), *Arguments(self.type.params, self.scope, depth).frames())
        table = self.scope.api.table(self.type)
        assert table is not None
        field = table.fields[text]
        return (replace(self, type=field.type, place=field.mutable, call=False, phase=""),)

    def end(self) -> Done | None:
        if self.phase:
            return None
        fits = (
            self.type in self.wanted or (self.place and PLACE in self.wanted) or (self.call and CALLED in self.wanted)
        )
        if not fits:
            return None
        statement = PLACE in self.wanted or CALLED in self.wanted
        return Done(Ended(self.type, self.place, self.call) if statement else self.type)

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        """See Frame; a call's arguments have ended."""
        assert isinstance(self.type, Func)
        return (replace(self, type=self.type.result, place=False, call=True, phase=""),)

    def way_out(self) -> str:
        if self.end():
            return ""
        if self.phase == ".":
            assert isinstance(self.type, str)
            return shortest_field(self.scope, self.type, self.wanted, self._room)
        return shortest_way(self.scope, self.type, self.wanted, self._room)


@dataclass(frozen=True)
class Arguments(Frame):
    """The arguments of a call, after the first bracket."""

    params: tuple[Type, ...]
    scope: Scope
    depth: int
    index: int = 0
    """the number of complete arguments"""

    def frames(self) -> tuple[Frame, ...]:
        """The frames to push, with that of the next argument."""
        if self.index == len(self.params):
            return (self,)
        return (self, expression(self.params[self.index], self.scope, self.depth))

    def expected(self) -> Expected:
        return Expected.only(self.way_out())

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        return Done() if token.text == ")" else self.frames()

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        return (replace(self, index=self.index + 1),)

    def way_out(self) -> str:
        return ")" if self.index == len(self.params) else ","


@dataclass(frozen=True)
class FunctionExpression(Frame):
    """`function (names) block end`, after the first word."""

    type: Func
    scope: Scope
    depth: int
    names: tuple[str, ...] = ()
    phase: str = "("
    new_body: ClassVar[Callable[[Scope, int, str], Frame]]
    """Makes the block: (scope, depth, type of the result). Set by statements.py, since statements are made of expressions."""

    def _inner(self) -> Scope:
        scope = self.scope.inner()
        for name, type_ in zip(self.names, self.type.params, strict=False):
            scope = scope.defined(name, type_, counts=False)
        return scope

    def expected(self) -> Expected:
        if self.phase == "name":
            type_ = self.type.params[len(self.names)]
            return Expected(new_name=self._inner().new_name(type_), what=f"a name for a parameter of type {type_}")
        return Expected.only(self.phase)

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        if self.phase == "name":
            names = (*self.names, token.text)
            return (replace(self, names=names, phase="," if len(names) < len(self.type.params) else ")"),)
        if self.phase == ")":
            depth = self.depth + function_weight(self.type)
            return (replace(self, phase="end"), FunctionExpression.new_body(self._inner(), depth, self.type.result))
        if self.phase == "end":
            return Done(self.type)
        return (replace(self, phase="name" if self.type.params else ")"),)

    def way_out(self) -> str:
        return fresh_name(self._inner()) if self.phase == "name" else self.phase


@dataclass(frozen=True)
class Constructor(Frame):
    """`{ key = expression, ... }` of a record, after the first brace."""

    name: str
    scope: Scope
    depth: int
    given: frozenset[str] = frozenset()
    key: str = ""
    """the key whose value is being read"""
    phase: str = "key"
    """`key`, `=` after one, `,` after its value"""

    @property
    def _record(self) -> Table:
        record = self.scope.api.table(self.name)
        assert record is not None
        return record

    def _keys(self) -> frozenset[str]:
        room = LIMIT - self.depth
        fields = self._record.fields.items()
        return frozenset(
            name for name, field in fields if name not in self.given and self.scope.buildable(field.type, room)
        )

    def expected(self) -> Expected:
        signs = {"="} if self.phase == "=" else set[str]()
        words = self._keys() if self.phase == "key" else _NONE
        missing = self._record.required() - self.given
        if self.phase != "=" and not missing:
            signs.add("}")
        if self.phase == ",":
            signs.add(",")
        what = f"a field of {self.name}" if self.phase == "key" else ""
        if self.phase == "," and missing:
            what = f"the required field {min(missing)} of {self.name}"
        return Expected(words, frozenset(signs), what=what)

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        text = token.text
        if text == "}":
            return Done(self.name)
        if text == ",":
            return (replace(self, phase="key"),)
        if text == "=":
            type_ = self._record.fields[self.key].type
            named = self.scope.api.key_rule(self.name, self.key) is not None
            child: Frame = Name(self.name, self.key, self.scope) if named else expression(type_, self.scope, self.depth)
            return (replace(self, phase=","), child)
        return (replace(self, key=text, given=self.given | {text}, phase="="),)

    def way_out(self) -> str:
        if self.phase == "=":
            return "="
        missing = self._record.required() - self.given
        if not missing:
            return "}"
        return "," if self.phase == "," else min(missing, key=lambda name: (len(name), name))


@dataclass(frozen=True)
class Name(Frame):
    """A string literal for the field that names a script's record."""

    record: str
    key: str
    scope: Scope

    @property
    def _rule(self) -> stack.NameRule:
        rule = self.scope.api.key_rule(self.record, self.key)
        assert rule is not None
        return rule

    def expected(self) -> Expected:
        return Expected(string=True, string_name=self._rule, what="a name in quotes that is not taken")

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        return Done(STRING)

    def way_out(self) -> str:
        return f'"{free_name(self._rule)}"'
