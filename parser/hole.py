"""A hole in a text: the possible texts between a left and a right context."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, Protocol

from ..common.constraint import Constraint, TextMasks, never
from ..common.utf8 import utf8_range
from .bridging import astar
from .bridging.heuristic import INF
from .glr.effort import Cancelled
from .glr.prefix import Engine, PrefixState
from .glr.suffix import SuffixContext, SuffixText
from .hole_scope import OUTSIDE, Enclosure, kept
from .lexing.base import LexState, Region
from .scoping.facts import Facts

Level = Literal["syntax", "compile", "names"]
LEVELS: tuple[Level, ...] = ("syntax", "compile", "names")
"""The demands on a completed file: it parses; it compiles; the text, besides, brings in no undefined name."""

BRIDGES = 4
"""The number of shortest bridges offered to the model."""
_HASTE = 3.0
"""The weight of the estimate in a second search, after the first found no shortest bridge; see astar.py."""


_COMMENTED_OUT = 12.0
"""Additional characters allowed to a text in exchange for not commenting out the code behind it."""
_LINE = re.compile(r"[^\r\n]*")


class Bridging(Protocol):
    """A language's guidance of the search for a bridge."""

    def words(self, left: PrefixState, right: SuffixContext) -> Iterable[str]:
        """Texts worth trying next, preferred ones first."""
        ...

    def estimate(self, left: PrefixState, right: SuffixContext, limit: float = INF) -> float:
        """An estimate of the characters still missing before the right context; one at or above the limit may be too low."""
        ...

    def fallback_bridges(self, left: PrefixState, right: SuffixContext) -> Iterator[str]:
        """Bridges, not the shortest, for use after the search has given up."""
        ...

    def may_enter(self, right: SuffixContext, lex: LexState) -> bool:
        """Whether the right context can be entered in a lexer state, after some text, judged by its beginning."""
        ...


class HoleState(Constraint, Protocol):
    """The hole after some text, as a value, in any language, for decoding and for explanations."""

    __slots__ = ()

    @property
    def region(self) -> Region:
        """The kind of the next text."""
        ...

    @property
    def facts(self) -> Facts:
        """The facts here, for making whole texts."""
        return Facts()

    def names(self) -> tuple[str, ...] | None:
        """The names readable here, nearest binding first, without built-in ones; None where names do not count."""
        return None

    @property
    def judges_names(self) -> bool:
        """Whether all names readable here are known, so that level "names" refuses any other."""
        return True

    def attributes(self) -> tuple[str, ...] | None:
        """The possible next attributes or imported names; None where they are unknown, or none comes next."""
        return None

    def possible(self, text: str) -> tuple[str, ...]:
        """The existing names in place of a refused attribute, keyword or import of a text; () if it is refused for other reasons."""
        return ()


@dataclass(frozen=True, eq=False)
class Context:
    """The parts shared by all states of one hole."""

    engine: Engine
    right: SuffixContext
    bridging: Bridging
    new_masks: Callable[[Sequence[bytes | None], int, Path], TextMasks] | None = None
    """Masks of a vocabulary for the states of this hole: (bytes of each token, tokens in a mask, folder for prepared masks)."""
    limits: astar.SearchLimits = astar.SearchLimits()
    completable: Callable[[PrefixState], bool] | None = None
    """Decides whether a viable text can be completed before the right context. None: always, or never (then no hole exists)."""

    def admits(self, left: PrefixState | None) -> bool:
        """Whether this text can be completed before the right context."""
        return left is not None and (self.completable is None or self.completable(left))


class State(HoleState):
    """The hole after some text, as a value: advancing returns a new one. The grammar knows neither names nor types."""

    __slots__ = ("_before", "_context", "_left", "_scope", "_text")

    def __init__(self, left: PrefixState, context: Context, before: State | None = None, text: str = "") -> None:
        """before: the state before this text; None for the hole's first state."""
        self._left = left
        self._context = context
        self._before = before
        self._text = text
        self._scope: tuple[Enclosure, int] | None = None  # computed on demand; then its inputs can go

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self._left is other._left
            and self._context is other._context
            and (self._scope or self._look_back())[1] == (other._scope or other._look_back())[1]
        )

    def __hash__(self) -> int:
        return hash((self._left, self._context))

    @property
    def left(self) -> PrefixState:
        """The engine's own state."""
        return self._left

    @property
    def context(self) -> Context:
        """The hole's engine and right context."""
        return self._context

    def new_masks(self, spellings: Sequence[bytes | None], size: int, folder: Path) -> TextMasks | None:
        make = self._context.new_masks
        return None if make is None else make(spellings, size, folder)

    def advance(self, text: str) -> State | None:
        context = self._context
        left = context.engine.read_token(self._left, text)
        if left is None:
            return None
        completable = context.completable
        return State(left, context, self, text) if completable is None or completable(left) else None

    def admits(self, partial: bytes) -> bool:
        code_points = utf8_range(partial)
        if code_points is None:
            return False
        engine = self._context.engine
        chars = engine.lexer.representatives(*code_points)
        return any(self._context.admits(engine.read(self._left, char)) for char in chars)

    @property
    def complete(self) -> bool:
        return self._context.right.accepts(self._left)

    @property
    def stays_in_hole(self) -> bool:
        """Whether the text so far leaves open everything that the right context closes or continues. See hole_scope.py."""
        return (self._scope or self._look_back())[1] != OUTSIDE

    def _look_back(self) -> tuple[Enclosure, int]:
        """The enclosures at the hole's beginning kept by the right context, and the state of the text since then."""
        steps: list[State] = [self]
        while steps[-1]._scope is None and steps[-1]._before is not None:
            steps.append(steps[-1]._before)
        first = steps.pop()
        if first._scope is None:
            enclosure = first._enclosure()
            first._scope = enclosure, enclosure.beginning
        enclosure, come_to = first._scope
        before = first._left
        for step in reversed(steps):
            come_to = enclosure.follow_text(come_to, before, step._text, step._left)
            before = step._left
        self._scope, self._before, self._text = (enclosure, come_to), None, ""
        return self._scope

    def _enclosure(self) -> Enclosure:
        left, right, bridging = self._left, self._context.right, self._context.bridging

        def may_enter(lex: LexState) -> bool:
            return (lex is left.lex and right.accepts(left)) or bridging.may_enter(right, lex)

        return kept(left, right, may_enter, self._context.engine.lexer.outside(left.lex))

    @property
    def missing(self) -> float:
        """An estimate of the characters still missing before the right context; 0 where the hole is complete.

        A text that would comment out the right context's line counts as a few more, unless there is no other.
        So does any comment without a complete hole: it leads nowhere.
        """
        context, left = self._context, self._left
        if not context.right.accepts(left):
            least = _COMMENTED_OUT if context.engine.lexer.in_comment(left.lex) else 0.0
            return max(least, context.bridging.estimate(left, context.right))
        lexer, line = context.engine.lexer, _LINE.match(context.right.text)
        if not lexer.in_comment(left.lex) or line is None or not line[0].strip():
            return 0.0
        return _COMMENTED_OUT if context.bridging.may_enter(context.right, lexer.outside(left.lex)) else 0.0

    @property
    def region(self) -> Region:
        """The kind of the next text, where the lexer knows comments and strings; else all is code."""
        return self._context.engine.lexer.region(self._left.lex)

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        """The shortest completing texts found, at most BRIDGES, all with equally many visible characters; () if none was found.

        stop: asked during the search whether to give up.
        """
        try:
            with self._context.engine.stopping(stop):
                return find_bridges(self, BRIDGES, stop)
        except Cancelled:
            return ()


@dataclass(frozen=True, slots=True)
class Closer:
    """A text still to be written behind the cursor."""

    at: int
    """characters of the right context before it"""
    text: str


@dataclass(frozen=True)
class Hole:
    """The possible texts at one place of a text.

    state: the start; None if not even a part of the text can be completed here.
    fallback: "none" if the whole text counts; else the part left out to parse the rest: "left" and "right" (a part of that context),
    "both"; "line" if the cursor's own line is broken before the cursor, and only its end counts; "dead" without a state.
    """

    state: HoleState | None
    fallback: str
    pending: tuple[Closer, ...] = ()
    """The closers behind the hole that let it be filled; see pending.py. () where the right context is as given."""
    hidden: tuple[tuple[int, int], ...] = ()
    """The unreadable pieces of the document, left out of account; see view.py."""

    @property
    def viable(self) -> bool:
        """Whether some text here makes the whole a valid file."""
        return self.fallback == "none"

    def hides(self, start: int, end: int) -> bool:
        """Whether a hidden piece begins between two offsets of the document."""
        return any(start <= begin < end and stop > begin for begin, stop in self.hidden)

    def reads_as_much_as(self, other: Hole) -> bool:
        """Whether there is a state, and no more pieces are hidden than in another hole."""
        broken = other.state is not None and not other.viable and len(self.hidden) <= len(other.hidden)
        return self.state is not None and (self.viable or broken)


def find_bridges(state: State, wanted: int, stop: Callable[[], bool] = never) -> Sequence[str]:
    """Texts completing a state, shortest first; () if none was found. They are kept: searches for the next keys meet most states again."""
    known, asked = state.context.right.bridges, (state.left, wanted)
    bridges = known.used(asked)
    if bridges is None:
        bridges = tuple(_bridges(state, wanted, stop))
        if not stop():
            known[asked] = bridges
    return bridges


def _bridges(state: State, wanted: int, stop: Callable[[], bool]) -> list[str]:
    context, left = state.context, state.left
    right = context.right
    if right.accepts(left):
        return [""]
    for weight in (1.0, _HASTE):
        if weight > 1:
            bridges = list(islice(context.bridging.fallback_bridges(left, right), 1))
            if bridges or stop():
                return bridges
        bridges = astar.search(
            left,
            read=context.engine.read,
            accepts=right.accepts,
            words=lambda prefix: context.bridging.words(prefix, right),
            estimate=lambda prefix, limit: context.bridging.estimate(prefix, right, limit),
            limits=context.limits,
            wanted=wanted if weight == 1 else 1,
            weight=weight,
            stop=stop,
        )
        if bridges or stop():
            return bridges
    return []


def finishing(
    engine: Engine, bridging: Bridging, completable: Callable[[SuffixContext], object] = id
) -> Callable[[PrefixState], list[str]]:
    """A function from a state to the shortest texts closing everything open in it. completable: see `EngineRuntime`."""
    context = Context(engine, SuffixContext(engine, SuffixText(""), 0), bridging)

    def finish(left: PrefixState) -> list[str]:
        completable(context.right)  # a right context unused for long has forgotten its acceptance
        return list(find_bridges(State(left, context), 1))

    return finish
