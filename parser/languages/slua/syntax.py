"""Syntax trees of scripts, with the types needed for translation."""

from __future__ import annotations

from dataclasses import dataclass

from .types import Field, Func, Table, Type


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a string, `true` or `false`, as written."""

    text: str
    type: Type


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a value."""

    object: Expression
    name: str
    field: Field
    owner: Table

    @property
    def type(self) -> Type:
        """Of the field."""
        return self.field.type

    @property
    def is_method(self) -> bool:
        """Whether this is a function with the object as its first argument."""
        return isinstance(self.field.type, Func) and not self.owner.is_record and not self.field.static


@dataclass(frozen=True, slots=True)
class Call:
    """A call."""

    function: Name | Member | Call
    arguments: tuple[Expression, ...]

    @property
    def type(self) -> Type:
        """Of the result."""
        assert isinstance(self.function.type, Func)
        return self.function.type.result


@dataclass(frozen=True, slots=True)
class Unary:
    """`-` or `not`."""

    operator: str
    operand: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class Binary:
    """An operation on two values."""

    operator: str
    left: Expression
    right: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class Bracket:
    """An expression in brackets."""

    inner: Expression

    @property
    def type(self) -> Type:
        """Of the inner expression."""
        return self.inner.type


@dataclass(frozen=True, slots=True)
class Function:
    """A function expression."""

    type: Func
    names: tuple[str, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Record:
    """A constructor."""

    type: str
    fields: tuple[tuple[str, Expression], ...]


Expression = Literal | Name | Member | Call | Unary | Binary | Bracket | Function | Record


@dataclass(frozen=True, slots=True)
class Local:
    """A definition."""

    name: str
    type: Type
    value: Expression


@dataclass(frozen=True, slots=True)
class Assign:
    """An assignment."""

    place: Name | Member
    value: Expression


@dataclass(frozen=True, slots=True)
class Do:
    """A block of its own."""

    body: Block


@dataclass(frozen=True, slots=True)
class If:
    """Conditions with their blocks, and the last block, if any."""

    branches: tuple[tuple[Expression, Block], ...]
    otherwise: Block | None


@dataclass(frozen=True, slots=True)
class While:
    """A loop with a condition."""

    condition: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class For:
    """A loop over numbers; step: the literal with its sign, if any."""

    name: str
    first: Expression
    last: Expression
    step: str | None
    body: Block


@dataclass(frozen=True, slots=True)
class Return:
    """The end of a function."""

    value: Expression | None


@dataclass(frozen=True, slots=True)
class Break:
    """The end of a loop."""


Statement = Local | Assign | Call | Do | If | While | For | Return | Break
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """A whole script."""

    kind: str
    interface: Table | None
    definitions: tuple[Local, ...]
    call: str
    record: Expression

    def literal(self, key: str) -> str | None:
        """The string given to a field of the record as a literal, without its quotes."""
        if isinstance(self.record, Record):
            for name, value in self.record.fields:
                if name == key and isinstance(value, Literal):
                    return value.text[1:-1]
        return None
