"""Whole scripts into syntax trees, by recursive descent.

It shares only the lexer and the types with the stack of parsers (state.py), so each is an oracle for the other. It knows neither the
limits of nesting nor the types that can be built: `check` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ...scoped.stack import NUMBER, PUNCTUATION, STRING, WORD, Token, number_value
from . import lexer, syntax, types
from .api import Api
from .lexer import BETWEEN, COMMENT, KEYWORDS
from .types import BOOLEAN, PRIMITIVES, VOID, Field, Func, Table, Type

_END = Token("end", "end of file")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "~=")
_BINARY = {"or": 1, "and": 2, **dict.fromkeys(_COMPARISONS, 3), "..": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6, "^": 8}
_RIGHT = frozenset(("..", "^"))
_UNARY = 7


class ParseError(ValueError):
    """A text that is no script."""

    def __init__(self, message: str, index: int) -> None:
        """index: the symbol's number, from 0."""
        super().__init__(message)
        self.index = index


def tokens_of(text: str) -> list[Token]:
    """The symbols of a text; raises ParseError where a character begins none."""
    state, tokens = BETWEEN, list[Token]()
    for char in text:
        stepped = lexer.step(state, char)
        if stepped is None:
            raise ParseError(f"unexpected character {char!r}", len(tokens))
        state, token = stepped
        while token is not None:
            tokens.append(token)
            state, token = lexer.settled(state)
    last = lexer.pending(state)
    if last is not None:
        tokens.append(last)
    elif state.kind and not (state.kind == COMMENT and state.part not in ("long", "]")):
        raise ParseError("the text ends within a symbol", len(tokens))
    return tokens


def parse(text: str, api: Api, kinds: Sequence[str] = ()) -> syntax.Script:
    """The tree of a script of one of these kinds, by default of any; raises ParseError."""
    return _Parser(tokens_of(text), api, tuple(kinds) or tuple(api.kinds)).script()


class _Parser:
    def __init__(self, tokens: list[Token], api: Api, kinds: tuple[str, ...]) -> None:
        self._tokens = tokens
        self._at = 0
        self._api = api
        self._kinds = kinds
        self._scopes: list[dict[str, tuple[Type, bool]]] = [
            {name: (type_, False) for name, type_ in api.globals.items()}
        ]
        self._result: str | None = None
        self._loops = 0
        self._reserved = api.reserved

    # Symbols.

    @property
    def _next(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else _END

    def _fail(self, message: str) -> NoReturn:
        raise ParseError(message, self._at)

    def _is(self, *texts: str) -> bool:
        return self._next.kind in (WORD, PUNCTUATION) and self._next.text in texts

    def _took(self, text: str) -> bool:
        if self._is(text):
            self._at += 1
            return True
        return False

    def _take(self, text: str) -> None:
        if not self._took(text):
            self._fail(f"expected {text!r}, found {self._next.text!r}")

    def _word(self) -> str:
        kind, text = self._next
        if kind != WORD or text in KEYWORDS:
            self._fail(f"expected a name, found {text!r}")
        self._at += 1
        return text

    # Names.

    def _variable(self, name: str) -> tuple[Type, bool]:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        self._at -= 1
        self._fail(f"unknown name {name!r}")

    def _new_name(self, replacing: Type | None) -> str:
        name = self._word()
        hidden = next((scope[name][0] for scope in reversed(self._scopes) if name in scope), None)
        free = hidden is None or hidden in PRIMITIVES or hidden == replacing
        if name in self._reserved or name.startswith("__slua") or name in self._scopes[-1] or not free:
            self._at -= 1
            self._fail(f"{name!r} is taken")
        return name

    # Types.

    def _type(self, function: bool = True) -> Type:
        if not function or not self._took("("):
            return self._base()
        params: list[Type] = []
        while not self._is(")"):
            params.append(self._base())
            if not self._is(")"):
                self._take(",")
                if self._is(")"):
                    self._fail("expected a type")
        self._take(")")
        self._take("->")
        return Func(tuple(params), VOID if self._took(VOID) else self._base())

    def _base(self) -> str:
        name = self._word()
        if name not in PRIMITIVES and name not in self._api.tables:
            self._at -= 1
            self._fail(f"unknown type {name!r}")
        return name

    # Scripts.

    def script(self) -> syntax.Script:
        interface = None
        kinds = [self._api.kinds[name] for name in self._kinds]
        if self._took("interface"):
            kinds = [kind for kind in kinds if kind.interface == self._next.text]
            interface = self._interface(self._word())
            self._api = self._api.define(interface)
        else:
            kinds = [kind for kind in kinds if kind.interface is None]
        self._take("do")
        self._scopes.append({})
        definitions: list[syntax.Local] = []
        while self._took("local"):
            definitions.append(self._local())
        call = self._word()
        kind = next((kind for kind in kinds if kind.call == call), None)
        if kind is None:
            self._fail(f"{call} is not how such a script ends")
        self._take("(")
        if kind.registers is not None and not self._is("{"):
            self._fail("expected a table")
        record = self._expression(frozenset((kind.record,)))
        for text in (")", ";", "end"):
            self._take(text)
        if self._next is not _END:
            self._fail("nothing may follow")
        return syntax.Script(kind.name, interface, tuple(definitions), call, record)

    def _interface(self, name: str) -> Table:
        fields: dict[str, Field] = {}
        self._take("{")
        while not self._took("}"):
            field = self._word()
            if field in fields or field.startswith("__slua"):
                self._fail(f"{field!r} is taken")
            self._take(":")
            fields[field] = Field(self._type(function=False))
            self._take(";")
        self._take(";")
        return Table(name, fields, is_record=True)

    # Statements.

    def _block(self, names: dict[str, tuple[Type, bool]] | None = None) -> tuple[syntax.Block, bool]:
        """The statements of a block, and whether they return on all paths."""
        self._scopes.append(names or {})
        statements: list[syntax.Statement] = []
        returns = False
        while not self._is("end", "else", "elseif") and self._next is not _END:
            statement, ends = self._statement()
            statements.append(statement)
            returns = returns or ends
            if isinstance(statement, syntax.Return | syntax.Break):
                break
        self._scopes.pop()
        return tuple(statements), returns

    def _statement(self) -> tuple[syntax.Statement, bool]:
        if self._took("local"):
            return self._local(), False
        if self._took("do"):
            body, returns = self._block()
            return self._ended(syntax.Do(body)), returns
        if self._took("if"):
            return self._if()
        if self._took("while"):
            condition = self._expression(frozenset((BOOLEAN,)))
            self._take("do")
            return self._ended(syntax.While(condition, self._loop({}))), False
        if self._took("for"):
            return self._for(), False
        if self._took("return"):
            if self._result is None:
                self._fail("return outside a function")
            value = None if self._result == VOID else self._expression(frozenset((self._result,)))
            self._take(";")
            return syntax.Return(value), True
        if self._took("break"):
            if not self._loops:
                self._fail("break outside a loop")
            self._take(";")
            return syntax.Break(), False
        return self._assignment(), False

    def _ended(self, statement: syntax.Statement) -> syntax.Statement:
        self._take("end")
        self._took(";")
        return statement

    def _loop(self, names: dict[str, tuple[Type, bool]]) -> syntax.Block:
        self._loops += 1
        body, _ = self._block(names)
        self._loops -= 1
        return body

    def _local(self) -> syntax.Local:
        name = self._new_name(None)
        self._take(":")
        type_ = self._type()
        self._take("=")
        value = self._expression(frozenset((type_,)))
        self._take(";")
        self._scopes[-1][name] = type_, True
        return syntax.Local(name, type_, value)

    def _if(self) -> tuple[syntax.Statement, bool]:
        branches: list[tuple[syntax.Expression, syntax.Block]] = []
        otherwise = None
        all_return = True
        while True:
            condition = self._expression(frozenset((BOOLEAN,)))
            self._take("then")
            body, returns = self._block()
            branches.append((condition, body))
            all_return = all_return and returns
            if not self._took("elseif"):
                break
        if self._took("else"):
            otherwise, returns = self._block()
            all_return = all_return and returns
        return self._ended(syntax.If(tuple(branches), otherwise)), all_return and otherwise is not None

    def _for(self) -> syntax.Statement:
        self._scopes.append({})
        name = self._new_name(types.NUMBER)
        self._scopes.pop()
        self._take("=")
        number = frozenset((types.NUMBER,))
        first = self._expression(number)
        self._take(",")
        last = self._expression(number)
        step = None
        if self._took(","):
            sign = "-" if self._took("-") else ""
            if self._next.kind != NUMBER or number_value(self._next.text) == 0:
                self._fail("expected a number other than 0")
            step = sign + self._next.text
            self._at += 1
        self._take("do")
        return self._ended(syntax.For(name, first, last, step, self._loop({name: (types.NUMBER, False)})))

    def _assignment(self) -> syntax.Statement:
        prefix = self._prefix()
        if isinstance(prefix, syntax.Call):
            self._take(";")
            return prefix
        if isinstance(prefix, syntax.Name):
            type_, mutable = self._variable(prefix.name)
            mutable = mutable and not isinstance(type_, Func)
        else:
            mutable = prefix.field.mutable
        if not mutable:
            self._fail("this cannot be assigned to")
        self._take("=")
        value = self._expression(frozenset((prefix.type,)))
        self._take(";")
        return syntax.Assign(prefix, value)

    # Expressions.

    def _expression(self, wanted: frozenset[Type]) -> syntax.Expression:
        """An expression of a wanted type. Operators take only operands of their own types, whatever is wanted."""
        first = self._at
        value = self._operation(0, wanted)
        if value.type not in wanted:
            self._at = first
            self._fail(f"expected {' or '.join(sorted(map(str, wanted)))}, found {value.type}")
        return value

    def _operation(self, limit: int, wanted: frozenset[Type]) -> syntax.Expression:
        if self._is("-", "not"):
            operator = self._next.text
            self._at += 1
            operand = self._operation(_UNARY, PRIMITIVES)
            if operand.type != (types.NUMBER if operator == "-" else BOOLEAN):
                self._fail(f"{operator} cannot be applied to {operand.type}")
            left: syntax.Expression = syntax.Unary(operator, operand, operand.type)
        else:
            left = self._operand(wanted)
        while (operator := self._next.text) in _BINARY and self._next.kind != STRING and _BINARY[operator] > limit:
            self._at += 1
            power = _BINARY[operator]
            right = self._operation(power - 1 if operator in _RIGHT else power, PRIMITIVES)
            left = self._binary(operator, left, right)
        return left

    def _binary(self, operator: str, left: syntax.Expression, right: syntax.Expression) -> syntax.Expression:
        type_ = left.type
        if operator in ("and", "or"):
            fits, result = type_ == right.type == BOOLEAN, BOOLEAN
        elif operator in ("==", "~="):
            simple = not any(
                isinstance(side, syntax.Record | syntax.Function) or isinstance(side.type, Func)
                for side in (left, right)
            )
            compares = isinstance(left, syntax.Binary) and left.operator in _COMPARISONS  # without brackets
            fits, result = type_ == right.type and simple and not compares, BOOLEAN
        elif operator in ("<", "<=", ">", ">="):
            fits, result = type_ == right.type == types.NUMBER, BOOLEAN
        elif operator == "..":
            fits, result = type_ == right.type == types.STRING, types.STRING
        else:
            fits, result = type_ == right.type == types.NUMBER, types.NUMBER
        if not fits:
            self._fail(f"{operator} cannot be applied to {type_} and {right.type}")
        return syntax.Binary(operator, left, right, result)

    def _operand(self, wanted: frozenset[Type]) -> syntax.Expression:
        kind, text = self._next
        if kind in (NUMBER, STRING):
            self._at += 1
            return syntax.Literal(text, types.NUMBER if kind == NUMBER else types.STRING)
        if self._is("true", "false"):
            self._at += 1
            return syntax.Literal(text, BOOLEAN)
        if self._took("("):
            inner = self._expression(PRIMITIVES)
            self._take(")")
            return syntax.Bracket(inner)
        if self._took("function"):
            return self._function(next((type_ for type_ in wanted if isinstance(type_, Func)), None))
        if self._took("{"):
            name = next((type_ for type_ in wanted if isinstance(type_, str) and type_ not in PRIMITIVES), None)
            return self._record(self._api.table(name) if name is not None else None)
        value = self._prefix()
        if value.type == VOID:
            self._fail("a call without a result is no value")
        return value

    def _prefix(self) -> syntax.Name | syntax.Member | syntax.Call:
        name = self._word()
        value: syntax.Name | syntax.Member | syntax.Call = syntax.Name(name, self._variable(name)[0])
        while True:
            if self._took("."):
                table = self._api.table(value.type)
                field = self._next.text
                if table is None or field not in table.readable():
                    self._fail(f"{value.type} has no field {field!r}")
                self._at += 1
                value = syntax.Member(value, field, table.fields[field], table)
            elif self._is("(") and isinstance(value.type, Func):
                self._at += 1
                arguments: list[syntax.Expression] = []
                for index, param in enumerate(value.type.params):
                    if index:
                        self._take(",")
                    arguments.append(self._expression(frozenset((param,))))
                self._take(")")
                value = syntax.Call(value, tuple(arguments))
            else:
                return value

    def _function(self, type_: Func | None) -> syntax.Function:
        if type_ is None:
            self._fail("no function is wanted here")
        names: dict[str, tuple[Type, bool]] = {}
        self._take("(")
        self._scopes.append(names)
        for index, param in enumerate(type_.params):
            if index:
                self._take(",")
            names[self._new_name(param)] = param, True
        self._scopes.pop()
        self._take(")")
        outside, self._result = self._result, type_.result
        loops, self._loops = self._loops, 0
        listed = tuple(names)
        body, returns = self._block(names)
        self._result, self._loops = outside, loops
        if type_.result != VOID and not returns:
            self._fail("a path through the function returns nothing")
        self._take("end")
        return syntax.Function(type_, listed, body)

    def _record(self, table: Table | None) -> syntax.Record:
        if table is None or not table.is_record:
            self._fail("no record is wanted here")
        fields: dict[str, syntax.Expression] = {}
        while not self._took("}"):
            key = self._word()
            if key in fields or key not in table.fields:
                self._fail(f"{table.name} has no field {key!r} to give")
            self._take("=")
            rule = self._api.key_rule(table.name, key)
            if rule is not None and not (self._next.kind == STRING and rule.allows(self._next.text[1:-1])):
                self._fail("expected a name in quotes that is not taken")
            fields[key] = self._named() if rule is not None else self._expression(frozenset((table.fields[key].type,)))
            if not self._took(",") and not self._is("}"):
                self._fail("expected ',' or '}'")
        if table.required() - fields.keys():
            self._fail(f"{table.name} needs {min(table.required() - fields.keys())}")
        return syntax.Record(table.name, tuple(fields.items()))

    def _named(self) -> syntax.Literal:
        self._at += 1
        return syntax.Literal(self._tokens[self._at - 1].text, types.STRING)
