"""Texts that connect a place in a script to the text after it.

A search writes symbol after symbol. What has to come next on the shortest way to the end of the script costs little, any other symbol
more, so it first closes what is open, construct by construct, and looks at every place on the way whether the right context follows. New names
are those that the right context uses, and where it begins within a word or string, the symbols are cut so that it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush

from ...scoped.stack import Stack
from .endings import next_texts, separated, way_out
from .expressions import Constructor
from .lexer import BETWEEN, NAME_CHARS, step
from .right import RightContext
from .scope import Scope
from .shortest import shortest
from .state import PrefixState
from .types import Type

MOST_TRIED = 1_000
"""Texts that are tried; 10 to 50 us each."""
_MOST_NAMES = 3
_FEW = 8
_ROOM = 40
"""Weight that a definition may need; it is written where little is open, or refused."""
_AHEAD, _OTHER, _DEFINITION = 0.1, 1.0, 2.5
"""What a character costs of a symbol that has to come next; what any other symbol costs beside its length; what a definition costs."""


def connections(state: PrefixState, right: RightContext, stop: Callable[[], bool]) -> Sequence[str]:
    """A short text that makes the right context follow, if one is found."""
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
    """Symbols and small constructs that may come next, with what they cost."""
    settled = state.settled
    if not isinstance(settled, Stack) or state.lex.kind:
        for text in next_texts(state) if settled is not None else ():
            yield text, _AHEAD
    if not isinstance(settled, Stack):
        return
    used = right.names
    expected = settled.expected
    if expected.new_name is not None:
        names = [name for name in used if expected.new_name.allows(name)]
        for at, name in enumerate(names[:_MOST_NAMES]):
            yield separated(state, name), _AHEAD if at == 0 else 1.0
    ahead = {_first_symbol(way_out(settled))}
    if isinstance(settled.frame, Constructor) and expected.words:  # the fields that come later are given there
        ahead = {key for key in expected.words if not right.gives(key)} or ahead
    for text in sorted(ahead):
        yield separated(state, text), _AHEAD * len(text)
    for text in _cut(settled, right):
        yield separated(state, text), _AHEAD
    if "." in expected.punctuation:
        yield separated(state, "."), _AHEAD
    texts = [*expected.punctuation, *_words(settled, used)]
    texts += ["0"] if expected.number else []
    texts += ['""'] if expected.string else []
    for text in dict.fromkeys(texts):
        yield separated(state, text), _OTHER + _AHEAD * len(text)
    if state.lex.kind:
        yield " ", 1.0
    for text in _definitions(settled, used):
        yield separated(state, text), _DEFINITION


def _first_symbol(text: str) -> str:
    """The first symbol of a text."""
    lex = BETWEEN
    for at, char in enumerate(text):
        stepped = step(lex, char)
        assert stepped is not None
        lex, token = stepped
        if token is not None:
            return token.text
        assert lex.kind or not text[:at].strip()
    return text


def _cut(stack: Stack, right: RightContext) -> Iterator[str]:
    """Beginnings of symbols of which the right context has the rest."""
    text = right.text
    expected = stack.expected
    size = next((at for at, char in enumerate(text) if char not in NAME_CHARS), len(text))
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
    """The keywords that may come, and of the names those that the right context uses and one of each type."""
    words = stack.expected.words
    scope = _scope(stack)
    if scope is None or len(words) < _FEW:
        yield from sorted(words)
        return
    shortest_of: dict[Type, str] = {}
    for word in sorted(words, key=lambda word: (len(word), word)):
        variable = scope.variables.get(word)
        if variable is None or word in used or shortest_of.setdefault(variable.type, word) == word:
            yield word


def _scope(stack: Stack) -> Scope | None:
    at: Stack | None = stack
    while at is not None:
        scope = getattr(at.frame, "scope", None)
        if isinstance(scope, Scope):
            return scope
        at = at.below
    return None


def _definitions(stack: Stack, used: Sequence[str]) -> Iterator[str]:
    """Definitions of names that the right context uses and that are not in scope."""
    scope = _scope(stack)
    if scope is None or "local" not in stack.expected.words:
        return
    missing = [name for name in used if name not in scope.variables and scope.new_name().allows(name)]
    for name in missing[:_MOST_NAMES]:
        for one in sorted(scope.types(_ROOM)):
            yield f"local {name}: {one} = {shortest(scope, one, _ROOM)};"
