"""Scripts as Lua 5.4.

Types are dropped and brackets kept. Differences from Lua: every number is a float; `a % b` is NaN for b = 0, for integers of a host,
too; a function of a class gets the object (`o.m(x)` is `o:m(x)`), also when it is passed on as a value; loops have a limit of rounds.
The text needs nothing around it but the API's globals.
"""

from __future__ import annotations

from ...scoped.stack import number_value
from . import syntax
from .types import NUMBER

WHILE_ROUNDS, FOR_ROUNDS = 100, 10_000
"""The rounds after which a loop ends."""
_MOD = "local function __slua_mod(a, b) if b == 0 then return 0/0 end return a % b end"
_BIND = "local function __slua_bind(o, m) return function(...) return o[m](o, ...) end end"


def to_lua(script: syntax.Script) -> str:
    """The script in Lua 5.4; every line is one statement or the beginning or end of one."""
    return _Writer().script(script)


def number(text: str) -> str:
    """A number of sLua as a float of Lua."""
    value = number_value(text)
    return "1e999" if value == float("inf") else repr(value)


class _Writer:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0
        self._counters = 0
        self._prelude: set[str] = set()

    def _line(self, text: str) -> None:
        self._lines.append("  " * self._depth + text)

    def script(self, script: syntax.Script) -> str:
        self._line("do")
        self._depth += 1
        for statement in script.definitions:
            self._statement(statement)
        self._line(f"{script.call}({self._expression(script.record)})")
        self._depth -= 1
        self._line("end")
        prelude = [text for text in (_MOD, _BIND) if text in self._prelude]
        return "\n".join((*prelude, *self._lines)) + "\n"

    def _block(self, block: syntax.Block) -> None:
        self._depth += 1
        for statement in block:
            self._statement(statement)
        self._depth -= 1

    def _statement(self, statement: syntax.Statement) -> None:
        match statement:
            case syntax.Local(name, _, value):
                self._line(f"local {name} = {self._expression(value)}")
            case syntax.Assign(place, value):
                self._line(f"{self._expression(place)} = {self._expression(value)}")
            case syntax.Call():
                self._line(self._expression(statement))
            case syntax.Do(body):
                self._line("do")
                self._block(body)
                self._line("end")
            case syntax.If(branches, otherwise):
                word = "if"
                for condition, body in branches:
                    self._line(f"{word} {self._expression(condition)} then")
                    self._block(body)
                    word = "elseif"
                if otherwise is not None:
                    self._line("else")
                    self._block(otherwise)
                self._line("end")
            case syntax.While(condition, body):
                counter = self._counter()
                self._line(f"while ({self._expression(condition)}) and {counter} < {WHILE_ROUNDS} do")
                self._round(counter, "", body)
            case syntax.For(name, first, last, step, body):
                counter = self._counter()
                by = "" if step is None else f", {'-' if step[0] == '-' else ''}{number(step.lstrip('-'))}"
                self._line(f"for {name} = {self._expression(first)}, {self._expression(last)}{by} do")
                self._round(counter, f"if {counter} > {FOR_ROUNDS} then break end", body)
            case syntax.Return(value):
                self._line("return" if value is None else f"return {self._expression(value)}")
            case syntax.Break():
                self._line("break")

    def _counter(self) -> str:
        """Open a block with a new counter of rounds in it."""
        self._counters += 1
        name = f"__slua_{self._counters}"
        self._line("do")
        self._depth += 1
        self._line(f"local {name} = 0")
        return name

    def _round(self, counter: str, check: str, body: syntax.Block) -> None:
        """Write the body of a loop, and the end of its counter's block."""
        self._depth += 1
        self._line(f"{counter} = {counter} + 1")
        if check:
            self._line(check)
        self._depth -= 1
        self._block(body)
        self._line("end")
        self._depth -= 1
        self._line("end")

    def _expression(self, expression: syntax.Expression) -> str:
        match expression:
            case syntax.Literal(text, kind):
                return number(text) if kind == NUMBER else text
            case syntax.Name(name):
                return name
            case syntax.Member(object=inner, name=name):
                if expression.is_method:
                    self._prelude.add(_BIND)
                    return f'__slua_bind({self._expression(inner)}, "{name}")'
                return f"{self._expression(inner)}.{name}"
            case syntax.Call(function, arguments):
                listed = ", ".join(map(self._expression, arguments))
                if isinstance(function, syntax.Member) and function.is_method:
                    return f"{self._expression(function.object)}:{function.name}({listed})"
                return f"{self._expression(function)}({listed})"
            case syntax.Unary(operator, operand):
                return f"{operator} {self._expression(operand)}"
            case syntax.Binary("%", left, right):
                self._prelude.add(_MOD)
                return f"__slua_mod({self._expression(left)}, {self._expression(right)})"
            case syntax.Binary(operator, left, right):
                return f"{self._expression(left)} {operator} {self._expression(right)}"
            case syntax.Bracket(inner):
                return f"({self._expression(inner)})"
            case syntax.Function():
                return self._function(expression)
            case syntax.Record(_, fields):
                return "{" + ", ".join(f"{key} = {self._expression(value)}" for key, value in fields) + "}"

    def _function(self, function: syntax.Function) -> str:
        outer, self._lines = self._lines, []
        self._block(function.body)
        inner, self._lines = self._lines, outer
        head = f"function({', '.join(function.names)})"
        return "\n".join((head, *inner, "  " * self._depth + "end"))
