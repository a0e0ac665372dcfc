"""Blocks, statements and type annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ...scoped import stack
from ...scoped.sequence import Maybe, New, Part, Sequence, begun
from ...scoped.stack import Done, Expected, Frame, Token
from .expressions import Ended, FunctionExpression, Prefix, expression
from .inhabitants import BLOCK, CALLED, FUNCTION, LIMIT, LOOP, PLACE
from .scope import MOST_LOCALS, Scope
from .shortest import fresh_name, shortest
from .types import BOOLEAN, NUMBER, VOID, Func, Type

_STATEMENT = frozenset((PLACE, CALLED))


class Defined(NamedTuple):
    """A definition, passed to the enclosing block."""

    name: str
    type: Type


class Returned(NamedTuple):
    """Tells the block whether a statement returns on all paths, and whether it has to be the last."""

    returns: bool
    last: bool = False


@dataclass(frozen=True)
class Block(Frame):
    """Statements. A block ends before the first symbol it does not accept, unless it still owes a `return`."""

    scope: Scope
    depth: int
    result: str | None
    """of the enclosing function; None: there is none"""
    loop: bool = False
    """whether it is in a loop of its function"""
    owes: bool = False
    """whether it has to return on all paths"""
    returned: bool = False
    closed: bool = False
    """after `return` or `break`"""

    def expected(self) -> Expected:
        if self.closed:
            return Expected()
        room = LIMIT - self.depth
        words = self.scope.names(_STATEMENT, room)
        if room >= LOOP:
            words |= {"do", "if", "while", "for"}
        elif room >= BLOCK:
            words |= {"do", "if"}
        if self.scope.count < MOST_LOCALS:
            words |= {"local"}
        else:
            words -= {"for"}
        if self.loop:
            words |= {"break"}
        if self.result is not None and (self.result == VOID or self.scope.buildable(self.result, room)):
            words |= {"return"}
        missing = "a return" if self.owes and not self.returned else "a statement"
        return Expected(words, what=missing)

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        text = token.text
        statement = _STATEMENTS.get(text)
        if statement is None:
            prefix = Prefix.of(self.scope.variables[text], _STATEMENT, self.scope, self.depth)
            return (self, Assignment(scope=self.scope, depth=self.depth), prefix)
        frames = begun(statement(self))
        assert not isinstance(frames, Done)
        return (self, *frames)

    def end(self) -> Done | None:
        return None if self.owes and not self.returned else Done(self.returned)

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        """See Frame; a statement has ended."""
        if isinstance(value, Defined):
            return (replace(self, scope=self.scope.defined(value.name, value.type)),)
        if isinstance(value, Returned) and (value.returns or value.last):
            return (replace(self, returned=self.returned or value.returns, closed=value.last),)
        return (self,)

    def way_out(self) -> str:
        if self.owes and not self.returned:
            assert self.result is not None
            return f"return {shortest(self.scope, self.result, LIMIT - self.depth)};"
        return ""

    def inner(self, weight: int, *, loop: bool | None = None) -> Block:
        """A block within this one."""
        loop = self.loop if loop is None else loop
        return Block(self.scope.inner(), self.depth + weight, self.result, loop)


def _body(scope: Scope, depth: int, result: str) -> Block:
    return Block(scope, depth, result, owes=result != VOID)


FunctionExpression.new_body = _body


@dataclass(frozen=True)
class _InBlock(Sequence):
    """A statement, with its block."""

    block: Block = field(kw_only=True)

    @property
    def _scope(self) -> Scope:
        return self.block.scope


class Do(_InBlock):
    """`do block end [;]`, after the first word."""

    def part(self) -> Part | None:
        return (self.block.inner(BLOCK), "end", Maybe(";"), None)[self.index]

    def result(self) -> object:
        return Returned(self.values[0] is True)


class While(_InBlock):
    """`while E do block end [;]`, after the first word."""

    def part(self) -> Part | None:
        block = self.block
        condition = expression(BOOLEAN, block.scope, block.depth)
        return (condition, "do", block.inner(LOOP, loop=True), "end", Maybe(";"), None)[self.index]


@dataclass(frozen=True)
class If(_InBlock):
    """`if E then block { elseif E then block } [ else block ] end [;]`, after the first word."""

    has_else: bool = False
    returns: bool = True
    """whether all branches return so far"""

    def part(self) -> Part | None:
        block = self.block
        condition = expression(BOOLEAN, block.scope, block.depth + BLOCK)
        return (condition, "then", block.inner(BLOCK), "end", Maybe(";"), None)[self.index]

    def expected(self) -> Expected:
        if self.index == 3:
            return Expected(frozenset(("end",)) if self.has_else else frozenset(("end", "else", "elseif")))
        return super().expected()

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        if token.text == "elseif":
            return replace(self, index=0).frames()
        if token.text == "else":
            return replace(self, index=2, has_else=True).frames()
        return super().shift(token)

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        returns = self.returns and (self.index != 2 or value is True)
        return replace(self, index=self.index + 1, returns=returns).frames()

    def result(self) -> object:
        return Returned(self.returns and self.has_else)


class For(_InBlock):
    """`for NAME = E, E [, STEP] do block end [;]`, after the first word."""

    def part(self) -> Part | None:
        block = self.block
        scope = self._scope
        number = expression(NUMBER, scope, block.depth)
        match self.index:
            case 0:
                rule = scope.inner().new_name(NUMBER)
                return New(rule, "a name for the variable", fresh_name(scope))
            case 1:
                return "="
            case 2 | 4:
                return number
            case 3:
                return ","
            case 5:
                return Step()
            case 6:
                name = self.values[0]
                assert isinstance(name, str)
                inner = block.inner(LOOP, loop=True)
                return replace(inner, scope=inner.scope.defined(name, NUMBER, mutable=False))
            case 7:
                return "end"
            case _:
                return Maybe(";") if self.index == 8 else None


@dataclass(frozen=True)
class Step(Frame):
    """`[ , [-] NUMBER ] do` of a `for`; the number is not 0."""

    phase: str = ","

    def expected(self) -> Expected:
        if self.phase == ",":
            return Expected(frozenset(("do",)), frozenset(","))
        if self.phase == "do":
            return Expected.only("do")
        minus = frozenset("-") if self.phase == "sign" else frozenset[str]()
        return Expected(punctuation=minus, number=True, nonzero=True, what="a number other than 0")

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        if token.text == "do":
            return Done()
        return (Step({",": "sign", "-": "number"}.get(token.text, "do")),)

    def way_out(self) -> str:
        return "do" if self.phase in (",", "do") else "1"


class Local(_InBlock):
    """`local NAME : type = E ;`, after the first word."""

    def part(self) -> Part | None:
        match self.index:
            case 0:
                return New(self._scope.new_name(), "a new name", fresh_name(self._scope))
            case 1:
                return ":"
            case 2:
                return TypeAnnotation(self._scope, self.block.depth)
            case 3:
                return "="
            case 4:
                type_ = self.values[1]
                assert isinstance(type_, str | Func)
                return expression(type_, self._scope, self.block.depth)
            case _:
                return ";" if self.index == 5 else None

    def result(self) -> object:
        name, type_ = self.values[:2]
        assert isinstance(name, str) and isinstance(type_, str | Func)
        return Defined(name, type_)


class Return(_InBlock):
    """`return [E] ;`, after the first word."""

    def part(self) -> Part | None:
        result = self.block.result
        assert result is not None
        if result == VOID:
            return (";", None)[self.index]
        return (expression(result, self._scope, self.block.depth), ";", None)[self.index]

    def result(self) -> object:
        return Returned(True, last=True)


class Break(_InBlock):
    """`break ;`, after the first word."""

    def part(self) -> Part | None:
        return (";", None)[self.index]

    def result(self) -> object:
        return Returned(False, last=True)


_STATEMENTS: Mapping[str, Callable[[Block], Sequence]] = {
    "do": lambda block: Do(block=block),
    "if": lambda block: If(block=block),
    "while": lambda block: While(block=block),
    "for": lambda block: For(block=block),
    "local": lambda block: Local(block=block),
    "return": lambda block: Return(block=block),
    "break": lambda block: Break(block=block),
}
"""keyword -> the statement it begins in a block."""


@dataclass(frozen=True)
class Assignment(Frame):
    """`place = E ;` or `call ;`; the prefix is a frame of its own above it."""

    scope: Scope
    depth: int
    ended: Ended | None = None
    phase: str = "prefix"

    def expected(self) -> Expected:
        assert self.ended is not None
        if self.phase == "=":
            signs = ("=" if self.ended.place else "") + (";" if self.ended.call else "")
            return Expected(punctuation=frozenset(signs))
        return Expected.only(";")

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        if token.text == ";":
            return Done()
        assert self.ended is not None
        return (replace(self, phase=";"), expression(self.ended.type, self.scope, self.depth))

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        if isinstance(value, Ended):
            return (replace(self, ended=value, phase="="),)
        return (self,)

    def way_out(self) -> str:
        return "=" if self.phase == "=" and self.ended is not None and self.ended.place else ";"


@dataclass(frozen=True)
class TypeAnnotation(Frame):
    """The type of a definition: of values that can be written here."""

    scope: Scope
    depth: int
    function: bool = True
    """whether it may be a function"""
    any: bool = False
    """whether it may be a type without a value that can be written here"""
    params: tuple[str, ...] = ()
    phase: str = ""
    """`(`, `param`, `,`, `->`, `result` within a function's type"""

    @property
    def _room(self) -> int:
        return LIMIT - self.depth

    def expected(self) -> Expected:
        more = self._room >= FUNCTION + len(self.params) + 1
        match self.phase:
            case "":
                signs = frozenset("(") if self.function and self._room >= FUNCTION else frozenset[str]()
                types = self.scope.all_types if self.any else self.scope.types(self._room)
                return Expected(types, signs, what="a type")
            case "(" | "param":
                ends = frozenset(")") if self.phase == "(" else frozenset[str]()
                return Expected(self.scope.all_types if more else frozenset(), ends, what="a type")
            case ",":
                return Expected(punctuation=frozenset(",)" if more else ")"))
            case "->":
                return Expected.only("->")
            case _:
                inner = self.scope.inhabitants.with_roots(self.params)
                room = self._room - FUNCTION - len(self.params)
                weights = ((type_, inner.weight(type_)) for type_ in self.scope.all_types)
                fit = (type_ for type_, weight in weights if weight is not None and weight <= room)
                return Expected(frozenset((VOID, *fit)), what="the type of the result")

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        kind, text = token
        match self.phase:
            case "":
                return Done(text) if kind == stack.WORD else (replace(self, phase="("),)
            case "result":
                return Done(Func(self.params, text))
            case "->":
                return (replace(self, phase="result"),)
            case _ if text == ")":
                return (replace(self, phase="->"),)
            case ",":
                return (replace(self, phase="param"),)
            case _:
                return (replace(self, params=(*self.params, text), phase=","),)

    def way_out(self) -> str:
        return {"": NUMBER, "(": ")", "param": NUMBER, ",": ")", "->": "->", "result": VOID}[self.phase]
