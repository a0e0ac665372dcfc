"""Whole scripts: an interface, if their kind has one, then a `do` block of definitions with a final call that takes a record."""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass, field, replace

from ...scoped.sequence import Part, Sequence, begun
from ...scoped.stack import Done, Expected, Frame, Interner, NameRule, Stack, Token
from .api import Api, ApiError, Kind
from .expressions import Constructor, expression
from .inhabitants import BLOCK, CONSTRUCTOR, LIMIT
from .lexer import KEYWORDS, LONGEST_NAME
from .scope import MOST_LOCALS, Scope
from .statements import Block, Defined, Local, TypeAnnotation
from .types import Field, Table


def start(api: Api, kinds: Items[str] = ()) -> Stack:
    """The stack before a script of one of these kinds, by default of any; raises ApiError where there is no such script."""
    chosen = tuple(api.kinds[name] for name in kinds) if kinds else tuple(api.kinds.values())
    scope = Scope.of(api)
    for kind in chosen:
        empty = scope if kind.interface is None else scope.with_type(Table(kind.interface, {}, is_record=True))
        if not empty.buildable(kind.record, 50):
            raise ApiError(f"no script of kind {kind.name!r} exists: a {kind.record} cannot be built from the globals")
    if not chosen:
        raise ApiError("the API declares no kind of script")
    return Interner().push(None, Script(scope, chosen))


@dataclass(frozen=True)
class Script(Frame):
    """A script of one of several kinds, those still possible."""

    scope: Scope
    kinds: tuple[Kind, ...]
    phase: str = "begin"
    """`begin`; `do` after an interface; `locals`; after those, the symbols `(`, `)`, `;`, `end`"""

    def expected(self) -> Expected:
        match self.phase:
            case "begin":
                return Expected(frozenset("interface" if kind.interface else "do" for kind in self.kinds))
            case "locals":
                calls = (kind.call for kind in self.kinds if self.scope.buildable(kind.record, LIMIT - BLOCK))
                local = ("local",) if self.scope.count < MOST_LOCALS else ()
                return Expected(frozenset((*local, *calls)), what="a definition or the last call")
            case _:
                return Expected.only(self.phase)

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        text = token.text
        match self.phase:
            case "begin" if text == "interface":
                kinds = tuple(kind for kind in self.kinds if kind.interface)
                after = replace(self, kinds=kinds, phase="do")
                return (after, Interface(self.scope, frozenset(kind.interface or "" for kind in kinds)))
            case "begin":
                return (replace(self, kinds=tuple(k for k in self.kinds if not k.interface), phase="locals"),)
            case "do":
                return (replace(self, phase="locals", scope=self.scope.inner()),)
            case "locals" if text == "local":
                frames = begun(Local(block=Block(self.scope, BLOCK, None)))
                assert not isinstance(frames, Done)
                return (self, *frames)
            case "locals":
                return (replace(self, kinds=tuple(k for k in self.kinds if k.call == text), phase="("),)
            case "(":
                kind = self.kinds[0]
                return (replace(self, phase=")"), *_argument(kind, self.scope))
            case ")":
                return (replace(self, phase=";"),)
            case ";":
                return (replace(self, phase="end"),)
            case _:
                return Done()

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        if isinstance(value, Defined):
            return (replace(self, scope=self.scope.defined(value.name, value.type)),)
        if isinstance(value, Table):
            kinds = tuple(kind for kind in self.kinds if kind.interface == value.name)
            return (replace(self, scope=self.scope.with_type(value), kinds=kinds),)
        return (self,)

    def way_out(self) -> str:
        match self.phase:
            case "begin":
                kind = self.kinds[0]
                return "interface" if kind.interface else "do"
            case "locals":
                return min(word for word in self.expected().words if word != "local")
            case _:
                return self.phase


def _argument(kind: Kind, scope: Scope) -> tuple[Frame, ...]:
    if kind.registers is None:
        return (expression(kind.record, scope, BLOCK),)
    return (Literal(record=kind.record, scope=scope),)


@dataclass(frozen=True)
class Literal(Sequence):
    """A constructor and nothing else: the table registered by a script has to be known from its text."""

    record: str = field(kw_only=True)
    scope: Scope = field(kw_only=True)

    def part(self) -> Part | None:
        return ("{", Constructor(self.record, self.scope, BLOCK + CONSTRUCTOR), None)[self.index]

    def expected(self) -> Expected:
        return replace(super().expected(), what=f"a table of type {self.record}")

    def result(self) -> object:
        return self.values[0]


@dataclass(frozen=True)
class Interface(Frame):
    """`NAME { name : type ; ... } ;`, after `interface`."""

    scope: Scope
    names: frozenset[str]
    name: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    phase: str = "name"
    """`name`, `{`, `field` (or the closing brace), `:` after one, `;` after its type, `last` after the brace"""

    def _rule(self) -> NameRule:
        return NameRule(KEYWORDS.union(name for name, _ in self.fields), LONGEST_NAME)

    def expected(self) -> Expected:
        match self.phase:
            case "name":
                return Expected(self.names, what="the name of the interface")
            case "field":
                return Expected(punctuation=frozenset("}"), new_name=self._rule(), what="a name for a field")
            case "last":
                return Expected.only(";")
            case _:
                return Expected.only(self.phase)

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        text = token.text
        match self.phase:
            case "name":
                return (replace(self, name=text, phase="{"),)
            case "field" if text != "}":
                return (replace(self, fields=(*self.fields, (text, "")), phase=":"),)
            case "{" | ";":
                return (replace(self, phase="field"),)
            case "field":
                return (replace(self, phase="last"),)
            case ":":
                return (replace(self, phase=";"), TypeAnnotation(self.scope, BLOCK, function=False, any=True))
            case _:
                fields = {name: Field(type_) for name, type_ in self.fields}
                return Done(Table(self.name, fields, is_record=True))

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        """See Frame; a type has ended."""
        assert isinstance(value, str)
        return (replace(self, fields=(*self.fields[:-1], (self.fields[-1][0], value))),)

    def way_out(self) -> str:
        match self.phase:
            case "name":
                return min(self.names)
            case "field":
                return "}"
            case "last":
                return ";"
            case _:
                return self.phase
