"""Texts between a place in a script and the text after it.

A search writes symbol after symbol. The next symbol on the shortest way to the end of the script costs little, any other symbol more,
so it first closes open constructs, one by one, and checks at every place on the way whether the right context follows. New names are
those used by the right context, and where it begins within a word or string, the symbols are cut so that it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import product

from ...scoped.stack import Stack
from .endings import next_texts, separated, way_out
from .expressions import Constructor, FunctionExpression
from .lexer import BETWEEN, NAME_CHARS, step
from .right import RightContext
from .scope import Scope, scope_of
from .script import Interface, Script
from .shortest import shortest
from .state import PrefixState
from .statements import Do, For, If, While
from .types import BOOLEAN, NUMBER, STRING, VOID, Func, Type

MOST_TRIED = 1_000
"""The most texts tried; 10 to 50 us each."""
_MOST_NAMES = 5
_MOST_PARAMS = 3
_FEW = 8
_ROOM = 40
"""The weight a definition may need; it is written where little is open, or refused."""
_AHEAD, _OTHER, _DEFINITION, _OPENING, _LONGER = 0.1, 1.0, 2.5, 1.5, 0.05
"""The cost of a required next symbol; of any other symbol; of a definition; of the beginning of a function; and of each character of
a symbol in addition."""
_GUESSES = (NUMBER, STRING, BOOLEAN)
"""Types of parameters and results."""


def connections(state: PrefixState, right: RightContext, stop: Callable[[], bool]) -> Sequence[str]:
    """A short text before the right context, if one is found."""
    right.stop = stop
    try:
        return _connections(state, right, stop)
    finally:
        right.stop = None


def _connections(state: PrefixState, right: RightContext, stop: Callable[[], bool]) -> Sequence[str]:
    if right.accepts(state):
        return ("",)
    todo: list[tuple[float, int, str, PrefixState]] = [(0.0, 0, "", state)]
    seen: set[PrefixState] = {state}
    tried = 0
    while todo and tried < MOST_TRIED and not stop():
        cost, _, text, here = heappop(todo)
        for more, price in _steps(here, right):
            after = here.advance(more)
            tried += 1
            if after is None or after in seen:
                continue
            if right.accepts(after):
                return (text + more,)
            seen.add(after)
            heappush(todo, (cost + price, tried, text + more, after))
    return ()


def _steps(state: PrefixState, right: RightContext) -> Iterator[tuple[str, float]]:
    """Possible next symbols and small constructs, with their costs."""
    settled = state.settled
    if not isinstance(settled, Stack) or state.lex.kind:
        for text in next_texts(state) if settled is not None else ():
            yield text, _AHEAD
    if not isinstance(settled, Stack):
        return
    used = right.names
    expected = settled.expected
    if expected.new_name is not None:
        for rank, name in enumerate(_new_names(settled, right)[:_MOST_NAMES]):
            yield separated(state, name), _AHEAD * (1 + rank)
    ahead = {_first_symbol(way_out(settled))}
    if isinstance(settled.frame, Constructor) and expected.words:  # the later fields are given there
        ahead = {key for key in expected.words if not right.gives(key)} or ahead
    for text in sorted(ahead):
        yield separated(state, text), _AHEAD + _LONGER * len(text)
    if "function" in expected.words and len(right.ends) > _open_blocks(settled):
        yield separated(state, "function"), _AHEAD
    for text in _cut(settled, right):
        yield separated(state, text), _AHEAD
    if "." in expected.punctuation:
        yield separated(state, "."), _AHEAD
    texts = [*expected.punctuation, *_words(settled, used)]
    texts += ["0"] if expected.number else []
    texts += ['""'] if expected.string else []
    for text in dict.fromkeys(texts):
        yield separated(state, text), _OTHER + _LONGER * len(text)
    if state.lex.kind:
        yield " ", 1.0
    for text in _definitions(settled, right):
        yield separated(state, text), _DEFINITION
    for text, price in _openings(settled, right):
        yield separated(state, text), price


def _first_symbol(text: str) -> str:
    """The first symbol of a text."""
    lex = BETWEEN
    for offset, char in enumerate(text):
        stepped = step(lex, char)
        assert stepped is not None
        lex, token = stepped
        if token is not None:
            return token.text
        assert lex.kind or not text[:offset].strip()
    return text


def _cut(stack: Stack, right: RightContext) -> Iterator[str]:
    """Beginnings of symbols that end with the right context's beginning."""
    text = right.text
    expected = stack.expected
    size = next((index for index, char in enumerate(text) if char not in NAME_CHARS), len(text))
    rest = text[:size]
    if rest:
        for word in stack.sorted_words:
            if word.endswith(rest) and word != rest:
                yield word[: -len(rest)]
        if expected.new_name is not None and expected.new_name.allows("a" + rest):
            yield "a"
    if expected.string:
        yield from "\"'"
    if any(sign.endswith(text[:1]) and len(sign) > 1 for sign in expected.punctuation):
        yield from (sign[0] for sign in expected.punctuation if len(sign) > 1)


def _words(stack: Stack, used: Sequence[str]) -> Iterator[str]:
    """The possible keywords, and of the names those used by the right context and one of each type."""
    words = stack.expected.words
    scope = scope_of(stack)
    if scope is None or len(words) < _FEW:
        yield from sorted(words)
        return
    shortest_of: dict[Type, str] = {}
    for word in sorted(words, key=lambda word: (len(word), word)):
        variable = scope.variables.get(word)
        if variable is None or word in used or shortest_of.setdefault(variable.type, word) == word:
            yield word


def _new_names(stack: Stack, right: RightContext) -> list[str]:
    """Names to introduce here: those used by the right context, with uses that fit the type of the named value."""
    frame, rule, scope = stack.frame, stack.expected.new_name, scope_of(stack)
    assert rule is not None
    if isinstance(frame, Interface):
        declared = {field for table in frame.scope.api.tables.values() for field in table.fields}
        return [name for name in right.fields if name not in declared and rule.allows(name)]
    names = [name for name in right.names if rule.allows(name)]
    type_ = frame.type.params[len(frame.names)] if isinstance(frame, FunctionExpression) else None
    if type_ is None or scope is None:
        return names
    fields = partial(_fields, scope)
    return [name for name in names if name not in scope.variables and right.uses_as(name, fields, type_)]


def _fields(scope: Scope, type_: str) -> Collection[str]:
    """The fields of a type; none for an undefined interface."""
    table = scope.api.table(type_)
    return () if table is None else table.fields


def _openings(stack: Stack, right: RightContext) -> Iterator[tuple[str, float]]:
    """Beginnings of functions that end in the right context, with their costs: of definitions, and of those passed to a call."""
    scope = scope_of(stack)
    if scope is None or "local" not in stack.expected.words or len(right.ends) <= _open_blocks(stack):
        return
    follows = right.ends[0]
    if follows in (")", ","):
        yield from ((text, _OPENING) for text in _callbacks(scope))
        return
    missing = [name for name in right.names if name not in scope.variables and scope.new_name().allows(name)]
    for name in missing[:_MOST_NAMES]:
        count = right.arity(name)
        if follows == ";" and count is not None and count <= _MOST_PARAMS:
            for types in product(_GUESSES, repeat=count):
                guessed = _OPENING + sum(type_ != NUMBER for type_ in types)
                for rank, result in enumerate((*_GUESSES, VOID)):
                    yield f"local {name}: ({', '.join(types)}) -> {result} = function(", guessed + rank / 2


def _callbacks(scope: Scope) -> Iterator[str]:
    """Beginnings of calls of methods with a function parameter, up to the function's parameters."""
    todo: list[tuple[str, Type]] = [(name, variable.type) for name, variable in scope.variables.items()]
    for depth in range(3):
        prefixes, todo = todo, []
        for text, type_ in prefixes:
            table = scope.api.table(type_)
            for name, each in () if table is None or depth == 2 else table.readable().items():
                todo.append((f"{text}.{name}", each.type))
            if isinstance(type_, Func) and scope.inhabitants.call(type_) is not None:
                for index, param in enumerate(type_.params):
                    if isinstance(param, Func):
                        before = "".join(f"{shortest(scope, other, _ROOM)}, " for other in type_.params[:index])
                        yield f"{text}({before}function("


def _open_blocks(stack: Stack | None) -> int:
    """The number of `end`s the stack still has to read."""
    count = 0
    while stack is not None:
        count += isinstance(stack.frame, FunctionExpression | Script | Do | While | If | For)
        stack = stack.below
    return count


def _definitions(stack: Stack, right: RightContext) -> Iterator[str]:
    """Definitions of names used by the right context and not in scope."""
    scope = scope_of(stack)
    if scope is None or "local" not in stack.expected.words:
        return
    missing = [name for name in right.names if name not in scope.variables and scope.new_name().allows(name)]
    fields = partial(_fields, scope)
    for name in missing[:_MOST_NAMES]:
        for type_ in sorted(scope.types(_ROOM)):
            if not right.uses_as(name, fields, type_):
                continue
            yield f"local {name}: {type_} = {shortest(scope, type_, _ROOM)};"
