"""The left context: reading characters, deciding after each whether some text can still follow.

A `PrefixState` is the engine's knowledge of a text: the lexer's state, the open blocks, the stacks. It is interned, so that the same
situation is one object wherever it comes up, and `read` is memoised on it.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...common.bounded import BoundedBySize
from ...common.constraint import Stop
from ..lexing.base import Choice, Lexer, LexState, Option, Tokens
from . import gc_policy
from .effort import Cancelled, spend
from .gss import Gss, GssState
from .layout import Blocks, Frame, Line, Lines


def nesting(level: int, depth: int) -> int:
    """The open blocks, and the brackets open in the innermost, as a number for comparison."""
    return level << 32 | depth


class PrefixState:
    """A viable text, as far as it matters for its future; nesting: the number of open enclosures."""

    is_interned = True
    __slots__ = ("frame", "lex", "memo", "nesting", "stacks")

    def __init__(self, lex: LexState, frame: Frame, stacks: GssState) -> None:
        self.lex = lex
        self.frame = frame
        self.stacks = stacks
        self.memo: dict[str, PrefixState | None] = {}
        self.nesting = frame.level << 32 | stacks.depth


class EngineFull(Cancelled):
    """Raised out of a reading that would take more memory than any text written by a person."""


class Engine:
    """One language's lexer, stacks and blocks, with all interned objects. Belongs to one thread at a time.

    Nothing interned is ever dropped; when `size` has grown too large, a new engine over the same tables takes its place.
    kept: dictionaries of other modules that live as long as the engine.
    """

    def __init__(self, lexer: Lexer, factory: Gss, blocks: Blocks | None, lines: Lines | None = None) -> None:
        """lines: the meaning of a new logical line, where the blocks do not give it."""
        self.lexer = lexer
        self.factory = factory
        self.blocks = blocks
        self.lines: Lines | None = lines or blocks
        self.two_sided = False  # whether it takes both contexts, mostly, to tell what can be completed
        self.top = Frame(None, None, 0, 0)
        self.stop: Stop | None = None  # see `stopping`
        self._most: int | None = None  # objects; see `bounded`
        self.made = 0  # objects kept by others as long as the engine lives, or counted as if they were
        self.kept: list[dict[Any, Any]] = []
        self._asked = self._frozen = 0
        self.derived: dict[Hashable, Any] = {}  # objects derived from the engine by other layers; dropped with it
        self.blocks_read: BoundedBySize[tuple[Raw, str], BlockReadings] = BoundedBySize(
            _KEPT_READINGS, lambda key: len(key[1])
        )
        self._lefts: dict[tuple[LexState, Frame, GssState], PrefixState] = {}
        self.start = self.left(lexer.start, self.top, factory.start)

    @property
    def size(self) -> int:
        """Objects made so far, a measure of memory: some 400 bytes each."""
        return self.factory.made + self.lexer.made + len(self._lefts) + self.made

    @contextmanager
    def stopping(self, stop: Stop | None) -> Generator[None, None, None]:
        """Within it, long work raises Cancelled when stop says so; the memos stay right."""
        before, self.stop = self.stop, stop
        try:
            yield
        finally:
            self.stop = before

    @contextmanager
    def bounded(self, most: int) -> Generator[None, None, None]:
        """Within it, long work raises EngineFull when it has made so many objects; the memos stay right."""
        before, self._most = self._most, self.size + most
        try:
            yield
        finally:
            self._most = before

    def ask(self) -> None:
        """Raise Cancelled when the caller wants to stop; called in all long work, every 100 microseconds or so."""
        if self.stop is not None and self.stop():
            raise Cancelled
        if self._most is not None and self.size > self._most:
            raise EngineFull
        spend()
        self._asked += 1
        if gc_policy.freezing and not self._asked % _LOOK_EVERY and self.size - self._frozen > gc_policy.FREEZE_EVERY:
            self._freeze()

    def pause(self) -> None:
        """Collect garbage now, while nobody waits, rather than within the next reading."""
        if gc_policy.freezing and self.size != self._frozen:
            self._freeze()

    def _freeze(self) -> None:
        self._frozen = self.size
        gc_policy.freeze()

    def release_incrementally(self) -> Iterator[None]:
        """Undo the cycles of a retired engine, a little at each step; objects in use stay right."""
        lexer, factory = self.lexer, self.factory
        roots = [self._lefts, self.top, *factory.interned, *self.kept, *lexer.states]
        self._lefts, self.kept, self.derived = {}, [], {}
        return gc_policy.release_incrementally(roots)

    def left(self, lex: LexState, frame: Frame, stacks: GssState) -> PrefixState:
        """The interned PrefixState of these parts."""
        key = lex, frame, stacks
        left = self._lefts.get(key)
        if left is None:
            left = self._lefts[key] = PrefixState(lex, frame, stacks)
        return left

    def feed(self, frame: Frame, stacks: GssState, tokens: Tokens) -> tuple[Frame, GssState] | None:
        """Parse the lexer's terminals; None where the stacks refuse one."""
        for token in tokens:
            if type(token) is not Line:
                try:
                    after = stacks.memo[token]
                except KeyError:
                    after = self.factory.advance(stacks, token)
                if after is None:
                    return None
                stacks = after
            elif stacks.depth == 0:
                assert self.lines is not None
                moved = self.lines.start_line(frame, stacks, token)
                if moved is None:
                    return None
                frame, stacks = moved
        return frame, stacks

    def viable(self, lex: LexState, stacks: GssState) -> bool:
        """Whether the symbol in progress can become one the stacks take."""
        alternatives = lex.expected
        if alternatives is None:
            alternatives = self.lexer.expected(lex)
        if not alternatives:
            return True
        for tokens in alternatives:  # noqa: SIM110 - a generator costs as much as the answer
            if self._takes(stacks, tokens):
                return True
        return False

    def _takes(self, stacks: GssState, tokens: Tokens) -> bool:
        for token in tokens:
            if type(token) is Line:  # any one: see Lexer.expected
                assert self.lines is not None
                return stacks.depth > 0 or self.factory.advance(stacks, self.lines.newline) is not None
            try:
                after = stacks.memo[token]
            except KeyError:
                after = self.factory.advance(stacks, token)
            if after is None:
                return False
            stacks = after
        return True

    def read(self, left: PrefixState, char: str) -> PrefixState | None:
        """The state after one more character; None: no valid text starts like this."""
        try:
            return left.memo[char]
        except KeyError:
            pass
        lex, tokens = self.lexer.step(left.lex, char)
        after = None
        if lex is not None:
            fed = self.feed(left.frame, left.stacks, tokens) if tokens else (left.frame, left.stacks)
            if fed is not None and self.viable(lex, fed[1]):
                after = self.left(lex, *fed)
        elif type(tokens) is Choice:
            raw = self.read_choice((left.lex, left.frame, left.stacks), tokens)
            after = None if raw is None else self.settle(raw)
        left.memo[char] = after
        return after

    def choose(self, stacks: GssState, options: Sequence[Option]) -> int:
        """The number of the first option whose guard the stacks take; -1 for none."""
        for number, option in enumerate(options):
            after: GssState | None = stacks
            for terminal in option.guard:
                after = self.factory.advance(after, terminal)
                if after is None:
                    break
            else:
                return number
        return -1

    def read_choice(self, raw: Raw, choice: Choice) -> Raw | None:
        """As `read_raw`, from a place where the lexer asks the stacks."""
        after = self._chosen(raw[1], raw[2], choice)
        return None if after is None else self.read_raw(after, choice.rest)

    def _chosen(self, frame: Frame, stacks: GssState, choice: Choice) -> Raw | None:
        """The state after the stacks' decision, before the rest of the text is read."""
        fed = self.feed(frame, stacks, choice)
        number = -1 if fed is None else self.choose(fed[1], choice.options)
        if fed is None or number < 0:
            return None
        option = choice.options[number]
        fed = self.feed(*fed, option.tokens)
        return None if fed is None else (option.lex, *fed)

    def read_text(self, left: PrefixState, text: str) -> PrefixState | None:
        """The state after more text; no states are made in between."""
        raw = self.read_raw((left.lex, left.frame, left.stacks), text)
        return None if raw is None else self.settle(raw)

    def read_token(self, left: PrefixState, text: str) -> PrefixState | None:
        """As `read_text`, of a token of a model; its terminals are kept."""
        lex = left.lex
        step = lex.memo.get(text)
        after, tokens = step if step is not None else self.lexer.step_token(lex, text)
        if after is None:
            raw = self._read_choices((lex, left.frame, left.stacks), tokens) if type(tokens) is Choice else None
            return None if raw is None else self.settle(raw)
        if not tokens and after is lex:
            return left
        fed = self.feed(left.frame, left.stacks, tokens)
        if fed is None:
            return None
        key = after, *fed
        return self._lefts.get(key) or self.settle(key)

    def settle(self, raw: Raw) -> PrefixState | None:
        """The PrefixState of a raw reading; None when the symbol in progress can become nothing that fits."""
        return self.left(*raw) if self.viable(raw[0], raw[2]) else None

    def read_line(self, raw: Raw, line: str) -> Raw | None:
        """As `read_raw`, over a whole line; its terminals are kept."""
        step = raw[0].memo.get(line)
        lex, tokens = step if step is not None else self.lexer.step_line(raw[0], line)
        if lex is None:
            return self._read_choices(raw, tokens) if type(tokens) is Choice else None
        fed = self.feed(raw[1], raw[2], tokens)
        return None if fed is None else (lex, *fed)

    def _read_choices(self, raw: Raw, choice: Choice) -> Raw | None:
        """Read the rest of a line from a place where the lexer asks the stacks, piece by piece; each piece is kept, like a line."""
        chosen: Raw | None = self._chosen(raw[1], raw[2], choice)
        while chosen is not None:
            step = chosen[0].memo.get(choice.rest)
            lex, tokens = step if step is not None else self.lexer.step_line(chosen[0], choice.rest)
            if lex is not None:
                fed = self.feed(chosen[1], chosen[2], tokens)
                return None if fed is None else (lex, *fed)
            if type(tokens) is not Choice:
                return None
            choice = tokens
            chosen = self._chosen(chosen[1], chosen[2], choice)
        return None

    def read_raw(self, raw: Raw, text: str) -> Raw | None:
        """As `read_text`, without asking whether the last symbol in progress fits."""
        lex, frame, stacks = raw
        step, advance, lines = self.lexer.step, self.factory.advance, self.lines
        shifts = 0
        for char in text:
            cached = lex.memo.get(char)
            after, tokens = cached if cached is not None else step(lex, char)
            if after is None:
                if type(tokens) is not Choice:
                    return None
                read = self.read_choice((lex, frame, stacks), tokens)
                if read is None:
                    return None
                lex, frame, stacks = read
                shifts += 1
                if not shifts % _ASK_EVERY:
                    self.ask()
                continue
            lex = after
            for token in tokens:
                if type(token) is not Line:
                    try:
                        parsed = stacks.memo[token]
                    except KeyError:
                        parsed = advance(stacks, token)
                        shifts += 1
                        if not shifts % _ASK_EVERY:  # one takes milliseconds where a grammar is very ambiguous
                            self.ask()
                    if parsed is None:
                        return None
                    stacks = parsed
                elif stacks.depth == 0:
                    assert lines is not None
                    moved = lines.start_line(frame, stacks, token)
                    if moved is None:
                        return None
                    frame, stacks = moved
        return lex, frame, stacks

    def allowed(self, stacks: GssState) -> Sequence[int]:
        """The terminals (END too) the stacks can take next."""
        return [t for t in range(len(self.factory.tables.terminals)) if self.factory.advance(stacks, t) is not None]


_LOOK_EVERY = 8
_ASK_EVERY = 16
"""New shifts between two questions whether to stop."""

Raw = tuple[LexState, Frame, GssState]
"""The parts of a PrefixState not yet known to be viable."""
BlockReadings = tuple[Sequence[int], list[Raw]]
"""(offsets in a text, the readings there)"""
_KEPT_READINGS = 40_000
"""Readings of blocks, keyed by the reading before and the block's text; some 5 MB."""
