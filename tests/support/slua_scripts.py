"""Random scripts of sLua, a host that answers everything and records the calls, and an interpreter of syntax trees."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from suture.parser.languages.slua.api import Api
from suture.parser.languages.slua.endings import shortest_ending
from suture.parser.languages.slua.parse import parse
from suture.parser.languages.slua.state import PrefixState
from suture.parser.languages.slua.syntax import (
    Assign,
    Binary,
    Block,
    Bracket,
    Break,
    Call,
    Do,
    Expression,
    For,
    Function,
    If,
    Literal,
    Local,
    Member,
    Name,
    Record,
    Return,
    Unary,
    While,
)
from suture.parser.languages.slua.to_lua import FOR_ROUNDS, WHILE_ROUNDS
from suture.parser.languages.slua.types import BOOLEAN, NUMBER, STRING, VOID, Func, Type
from suture.parser.scoped.stack import Stack, number_value

DELVE = Path(__file__).resolve().parents[2] / "examples" / "delve"
SCRIPTS = ("venom", "thorns", "venom_dart", "fireball", "bramble_coat")
"""The example's scripts, in the order of their dependencies."""
_NUMBERS = ("0", "1", "3", "2.5", "10", "1e3", "0x1F", "7")
_STRINGS = ('""', "'a'", '"b c"', '"\\n"', "'\\x41\\065'", '"é"')
_NAMES = ("a", "b", "count", "do_it", "self", "_x", "ending")


@cache
def delve_api(scripts: tuple[str, ...] = SCRIPTS) -> Api:
    """The example's API, extended by these of its scripts."""
    api = Api.load(DELVE / "delve.slua-api")
    for name in scripts:
        tree = parse((DELVE / "scripts" / f"{name}.slua").read_text(), api)
        rule = api.kinds[tree.kind].registers
        if rule is not None:
            registered = tree.literal(rule.key)
            assert registered is not None and tree.interface is not None
            api = api.registered(tree.kind, registered, tree.interface.fields)
    return api


def random_script(rng: random.Random, state: PrefixState, symbols: int) -> str:
    """A script of about `symbols` random symbols, all kinds of symbols equally likely."""
    text = ""
    for _ in range(symbols):
        stack = state.settled
        if not isinstance(stack, Stack):
            break
        blanks = ["", " ", " ", "\n", *([" -- why?\n"] if state.comments else [])]
        more = rng.choice(blanks) + _random_symbol(rng, stack)
        after = state.advance(more)
        if after is None:  # two symbols would merge into one
            more = " " + more
            after = state.advance(more)
        assert after is not None, (text, more)
        text, state = text + more, after
    return text + shortest_ending(state)


def _random_symbol(rng: random.Random, stack: Stack) -> str:
    expected = stack.expected
    kinds: list[list[str]] = [sorted(expected.words), sorted(expected.punctuation)]
    if expected.new_name is not None:
        names = [name + suffix for suffix in ("", "1", "2", "3", "4") for name in _NAMES]
        kinds.append([name for name in names if expected.new_name.allows(name)][:7])
    if expected.number:
        kinds.append([text for text in _NUMBERS if not (expected.nonzero and number_value(text) == 0)])
    if expected.string:
        rule = expected.string_name
        kinds.append(list(_STRINGS) if rule is None else [f'"{name}"' for name in _NAMES if rule.allows(name)])
    return rng.choice(rng.choice([kind for kind in kinds if kind]))


def mutants(rng: random.Random, text: str, count: int) -> list[str]:
    """The text with a symbol or some characters removed, doubled or put in place of others."""
    found = []
    for _ in range(count):
        a, b, c, d = sorted(rng.randrange(len(text) + 1) for _ in range(4))
        b, d = min(b, a + 6), min(d, c + 6)
        found.append(
            rng.choice(
                [
                    text[:a] + text[b:],
                    text[:b] + text[a:],
                    text[:a] + text[c:d] + text[b:],
                    text[:c] + text[a:b] + text[c:],
                ]
            )
        )
    return found


class Recorder:
    """Implementations of an API that answer everything, by a seed, and record the calls."""

    def __init__(self, api: Api, seed: int) -> None:
        self.api = api
        self.calls: list[tuple[Any, ...]] = []
        self._random = random.Random(seed)
        self._objects: dict[str, list[Any]] = {}
        self._depth = 0
        classes = {name: self._class(name) for name, table in api.tables.items() if not table.is_record}
        self._classes = classes
        self.implementations: dict[str, Any] = {
            **{name: one for name, one in classes.items() if name not in api.globals.values()},
            **{name: classes[one]() for name, one in api.globals.items()},
        }

    def _class(self, name: str) -> type:
        recorder = self

        def method(key: str, one: Func) -> Any:
            def call(this: Any, *arguments: Any) -> Any:
                return recorder.answer(name, key, one, arguments)

            return call

        table = self.api.tables[name]
        members: dict[str, Any] = {}
        for key, one in table.fields.items():
            if isinstance(one.type, Func):
                members[key] = method(key, one.type)
            else:
                members[key] = None

        def begin(this: Any) -> None:
            for key, one in table.fields.items():
                if not isinstance(one.type, Func):
                    setattr(this, key, recorder.value(one.type))

        return type(name, (), {**members, "__init__": begin})

    def answer(self, owner: str, key: str, one: Func, arguments: tuple[Any, ...]) -> Any:
        """Record a call, call its callbacks, and answer with some value of the type."""
        self.calls.append((owner, key, *map(shown, arguments)))
        if len(self.calls) < 300 and self._depth < 4:
            self._depth += 1
            for argument, param in zip(arguments, one.params, strict=True):
                if isinstance(param, Func):
                    self.calls.append(("result", shown(argument(*map(self.value, param.params)))))
            self._depth -= 1
        return None if one.result == VOID else self.value(one.result)

    def value(self, one: Type) -> Any:
        """Some value of a type."""
        pick = self._random
        if one == NUMBER:
            return pick.choice([0, 1, -3, 2.5, 1e308, 100, math.inf, math.nan])
        if one == STRING:
            return pick.choice(["", "x", "ü€", "\x00\n"])
        if one == BOOLEAN:
            return pick.random() < 0.5
        if isinstance(one, Func):
            return lambda *arguments: None if one.result == VOID else self.value(one.result)
        table = self.api.tables.get(str(one))
        if table is None:
            return SimpleNamespace()
        if table.is_record:
            return SimpleNamespace(**{key: self.value(each.type) for key, each in table.fields.items()})
        known = self._objects.setdefault(table.name, [])
        if len(known) < 3:
            known.append(self._classes[table.name]())
        return pick.choice(known)


def shown(value: Any) -> Any:
    """A value in its recorded, comparable form."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        return repr(float(value))
    if isinstance(value, SimpleNamespace):
        return {key: shown(one) for key, one in vars(value).items() if one is not None}
    return value if isinstance(value, str | bool) or value is None else type(value).__name__


class Stop(Exception):
    """The script takes too long."""


class _Break(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class Fields:
    """A table made by the script."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values


class Scope:
    """Variables of a block."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self.values: dict[str, Any] = {}

    def find(self, name: str) -> dict[str, Any]:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values
            scope = scope.parent
        raise KeyError(name)


class Interpreter:
    """Runs syntax trees in Python: the reference for their translation to Lua."""

    def __init__(self, api: Api, implementations: Mapping[str, Any], steps: int = 20_000) -> None:
        self.api = api
        self.globals = Scope()
        self.globals.values = {name: implementations[name] for name in api.globals}
        self.steps = steps

    def block(self, block: Block, scope: Scope) -> None:
        for one in block:
            self.steps -= 1
            if self.steps < 0:
                raise Stop
            self.statement(one, scope)

    def statement(self, one: Any, scope: Scope) -> None:
        match one:
            case Local(name, _, value):
                scope.values[name] = self.value(value, scope)
            case Assign(Name(name), value):
                result = self.value(value, scope)
                scope.find(name)[name] = result
            case Assign(Member(object=inner, name=name), value):
                target = self.value(inner, scope)
                result = self.value(value, scope)
                if isinstance(target, Fields):
                    target.values[name] = result
                else:
                    setattr(target, name, result)
            case Call():
                self.value(one, scope)
            case Do(body):
                self.block(body, Scope(scope))
            case If(branches, otherwise):
                for condition, body in branches:
                    if self.value(condition, scope):
                        self.block(body, Scope(scope))
                        return
                if otherwise is not None:
                    self.block(otherwise, Scope(scope))
            case While(condition, body):
                rounds = 0
                while self.value(condition, scope) and rounds < WHILE_ROUNDS:
                    rounds += 1
                    self.steps -= 1
                    if not self._round(body, Scope(scope)):
                        break
            case For():
                self._for(one, scope)
            case Return(value):
                raise _Return(None if value is None else self.value(value, scope))
            case Break():
                raise _Break

    def _round(self, body: Block, scope: Scope) -> bool:
        try:
            self.block(body, scope)
        except _Break:
            return False
        return True

    def _for(self, one: For, scope: Scope) -> None:
        at, last = self.value(one.first, scope), self.value(one.last, scope)
        step = 1.0
        if one.step is not None:
            step = -number_value(one.step[1:]) if one.step[0] == "-" else number_value(one.step)
        rounds = 0
        if (
            last < at if step > 0 else at < last
        ):  # Lua also checks before the first round, which comes where one of them is no number
            return
        while not rounds or (at <= last if step > 0 else last <= at):
            rounds += 1
            self.steps -= 1
            if self.steps < 0:
                raise Stop
            inner = Scope(scope)
            inner.values[one.name] = at
            if rounds > FOR_ROUNDS or not self._round(one.body, inner):
                break
            at += step

    def value(self, one: Expression, scope: Scope) -> Any:
        self.steps -= 1
        if self.steps < 0:
            raise Stop
        match one:
            case Literal(text, kind):
                if kind == NUMBER:
                    return number_value(text)
                return string_bytes(text).decode("utf-8", "replace") if kind == STRING else text == "true"
            case Name(name):
                return scope.find(name)[name]
            case Bracket(inner):
                return self.value(inner, scope)
            case Unary(operator, operand):
                value = self.value(operand, scope)
                return -value if operator == "-" else not value
            case Binary():
                return self._binary(one, scope)
            case Record(_, fields):
                return Fields({key: self.value(value, scope) for key, value in fields})
            case Function(_, names, body):
                return lambda *arguments: self._call(names, body, arguments, scope)
            case Member(object=inner, name=name):
                target = self.value(inner, scope)
                if isinstance(target, Fields):
                    return target.values[name]
                found = getattr(target, name)
                return self._method(found, one) if one.is_method else inward(found)
            case Call(function, arguments):
                called = self.value(function, scope)
                return called(*(self.value(argument, scope) for argument in arguments))

    def _method(self, found: Any, one: Member) -> Any:
        def call(*arguments: Any) -> Any:
            assert isinstance(one.type, Func)
            values = [self._outward(value, param) for value, param in zip(arguments, one.type.params, strict=True)]
            return inward(found(*values))

        return call

    def _outward(self, value: Any, one: Type) -> Any:
        if isinstance(value, Fields):
            return copied(value)
        if isinstance(one, Func):
            return lambda *arguments: copied(value(*map(inward, arguments)))
        return value

    def _call(self, names: tuple[str, ...], body: Block, arguments: tuple[Any, ...], scope: Scope) -> Any:
        inner = Scope(scope)
        inner.values = dict(zip(names, arguments, strict=True))
        try:
            self.block(body, inner)
        except _Return as end:
            return end.value
        return None

    def _binary(self, one: Binary, scope: Scope) -> Any:
        left = self.value(one.left, scope)
        if one.operator in ("and", "or"):
            return self.value(one.right, scope) if left == (one.operator == "and") else left
        return operation(one.operator, left, self.value(one.right, scope))


def operation(operator: str, a: Any, b: Any) -> Any:
    """Lua's result for two values."""
    match operator:
        case "==" | "~=":
            same = a == b if isinstance(a, float | int | str | bool) else a is b
            return same == (operator == "==")
        case "..":
            if len(a) + len(b) > 100_000:
                raise Stop
            return a + b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            if b == 0:
                return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
            return a / b
        case "%":
            return modulo(a, b)
        case _:
            return power(a, b)


def modulo(a: float, b: float) -> float:
    """Lua's remainder, with the sign of the divisor; NaN for 0."""
    if b == 0 or math.isinf(a) or math.isnan(a) or math.isnan(b):
        return math.nan
    if math.isinf(b):
        return a if a == 0 or (a > 0) == (b > 0) else b
    found = math.fmod(a, b)
    return found + b if found and (found < 0) != (b < 0) else found


def power(a: float, b: float) -> float:
    """C's pow()."""
    try:
        return math.pow(a, b)
    except OverflowError:
        odd = b == math.floor(b) and abs(b) < 2**53 and int(b) % 2 == 1
        return -math.inf if a < 0 and odd else math.inf
    except ValueError:
        if a == 0:
            odd = b == math.floor(b) and abs(b) < 2**53 and int(b) % 2 == 1
            return math.copysign(math.inf, a) if odd else math.inf
        return math.nan


def inward(value: Any) -> Any:
    """A host's value in a script: numbers are floats, records are copies."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, SimpleNamespace):
        return Fields({key: inward(one) for key, one in vars(value).items()})
    return value


def copied(value: Any) -> Any:
    """A script's value in a host."""
    if isinstance(value, Fields):
        return SimpleNamespace(**{key: copied(one) for key, one in value.values.items()})
    return value


def run_both(script: Any, api: Api, seed: int, states: int = 1) -> str:
    """Run a script in Lua and by its tree, with all its functions, and compare the calls to the host and the results.

    "same"; "exhausted" where either used up its budget; else the difference.
    """
    from suture.slua.runner import Budget, Runner

    mine, theirs = Recorder(api, seed), Recorder(api, seed)
    runner = Runner(api, mine.implementations, Budget(instructions=200_000))
    results: list[Any] = []
    loaded = runner.load(script.lua, "script", script.tree.interface)
    exhausted = loaded.outcome != "done"

    def in_lua(function: Any, arguments: list[Any]) -> None:
        nonlocal exhausted
        ended = runner.run(function, *arguments)
        exhausted = exhausted or ended.outcome != "done"
        results.append(shown(ended.value))

    expected: list[Any] = []

    def by_tree(function: Any, arguments: list[Any]) -> None:
        expected.append(shown(copied(function(*map(inward, arguments)))))

    for _ in range(states):
        if not exhausted:
            _hooks(vars(loaded.registered[0][1]), script, api, mine, in_lua)
    if exhausted:
        return "exhausted"
    try:
        interpreter = Interpreter(api, theirs.implementations)
        scope = Scope(interpreter.globals)
        for one in script.tree.definitions:
            interpreter.statement(one, scope)
        record = interpreter.value(script.tree.record, scope)
        for _ in range(states):
            _hooks(record.values, script, api, theirs, by_tree)
    except Stop:
        return "exhausted"
    if results != expected:
        return f"results: {results} in Lua, {expected} by the tree"
    if mine.calls != theirs.calls:
        return f"calls: {next(pair for pair in zip(mine.calls, theirs.calls, strict=False) if pair[0] != pair[1])}"
    return "same"


def _hooks(record: Mapping[str, Any], script: Any, api: Api, host: Recorder, call: Any) -> None:
    """Call the functions of a record with some values."""
    own = script.tree.interface
    declared = api.tables[api.kinds[script.kind].record]
    for key, function in sorted(record.items()):
        one = declared.fields[key].type
        if isinstance(one, Func) and function is not None:
            arguments = []
            for param in one.params:
                if own is not None and param == own.name:
                    arguments.append(
                        SimpleNamespace(**{name: host.value(each.type) for name, each in own.fields.items()})
                    )
                else:
                    arguments.append(host.value(param))
            call(function, arguments)


def string_bytes(literal: str) -> bytes:
    """The value of a string literal, as bytes in UTF-8."""
    found = bytearray()
    body = literal[1:-1]
    at = 0
    while at < len(body):
        char = body[at]
        at += 1
        if char != "\\":
            found += char.encode()
            continue
        char = body[at]
        at += 1
        if char == "x":
            found.append(int(body[at : at + 2], 16))
            at += 2
        elif char in "0123456789":
            end = at
            while end < at + 2 and end < len(body) and body[end] in "0123456789":
                end += 1
            found.append(int(body[at - 1 : end]))
            at = end
        else:
            found += {"n": b"\n", "t": b"\t", "r": b"\r", "a": b"\a", "b": b"\b", "f": b"\f", "v": b"\v"}.get(
                char, char.encode()
            )
    return bytes(found)
