"""The right context: its terminals, lexed from each lexer state that meets it, and memoised acceptance.

A *run* is the right context's terminals for one entering lexer state. It is lexed lazily, line by line, and two runs in the same lexer
state at the same distance to the end are joined, so few characters are ever lexed twice. Acceptance (left + right is a valid file) runs
the stacks over the terminals with a memo at each logical line and every 16 terminals, keyed by (stacks, place, column): stacks met there
before are not followed again. Everything is keyed by distance to the end and so survives edits above and cursor moves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from ...common.bounded import BoundedDict
from ..grammar.lalr import END
from ..lexing.base import LONGEST_LINE, Choice, LexState, Option, Token, Tokens
from .gss import GssState
from .layout import SAME_BLOCK, TOO_DEEP, Frame, Line
from .prefix import Engine, PrefixState
from .text_diff import common_suffix

_MEET_EVERY_CHARACTER = 48
"""Runs look for each other at each of the first characters, then at line ends ..."""
_MEET_IN_LINES = 64
"""... and within long lines, at multiples of this distance to the end."""
BUCKET = 4096
"""Meeting places are kept in buckets of so many characters of distance, so that those still valid after an edit are found at once."""
_LEX_AT_ONCE = 24
_MEMO_EVERY = 16
_MAX_BRIDGES = 512
_FEW = 2
"""Terminals, at the end of a file, that are taken without a memo."""
_ASK_EVERY = 8
"""Remembered places within a block between two questions whether to give up."""

ANY_TEXT = -2
"""The last terminal of a text that goes on."""

Key = tuple[GssState, int, int, int]


class SuffixText:
    """The end of a document, shared by the right contexts cut from it, with the places where their runs meet.

    Its text may grow at the front and otherwise never changes, so a right context in use stays as it is.
    """

    __slots__ = ("behind", "decided", "demands", "goes_on", "meeting", "open", "text", "viable")

    def __init__(self, text: str, *, goes_on: frozenset[LexState] = frozenset()) -> None:
        self.text = text
        self.goes_on = goes_on  # lexer states at the end in which any text may follow; then in no others
        self.behind: SuffixContext | None = None  # the right context behind it
        self.demands: dict[Any, Any] = {}
        """interned by prestar.py; not for the next tail, places still know theirs"""
        self.meeting: dict[int, Meeting] = {}  # distance to the end, in buckets -> places in runs there
        self.open: set[TokenStream] = set()  # those with something left to lex
        self.viable: dict[int, dict[Any, bool]] = {}  # in buckets: the verdicts of suffix_viability.py on positions
        self.decided: dict[tuple[int, tuple[Option, ...]], int] = {}
        """distance to the end, options -> the stacks' last decision there; for readings without stacks"""

    @property
    def size(self) -> int:
        """Places kept, some 200 bytes each."""
        return sum(sum(map(len, kept.values())) for kept in (self.meeting, self.viable))

    def place(self, lex: LexState, distance: int) -> tuple[TokenStream, int]:
        """The place of the terminals lexed from a state at a distance to the end."""
        meeting = self.meeting.get(distance // BUCKET, {}).get((distance, lex))
        return meeting or (TokenStream(self, distance, lex), 0)

    def forget(self, shared: int = -1) -> None:
        """Drop the memos, so that no cycle is left; runs in use lex on for themselves.

        shared: the distance to the end up to which another tail goes on with the memos.
        """
        for number, bucket in self.meeting.items():
            if number >= shared // BUCKET:
                for run, _ in bucket.values():
                    if run.places and run.distance > shared:
                        run.forget_places()
        self.meeting, self.viable = {}, {}
        self.open, self.demands, self.decided = set(), {}, {}

    def for_text(self, text: str) -> SuffixText:
        """A tail ending in text: this one where it fits, else a new one with the memos of the common end."""
        if self.text.endswith(text):
            return self
        if text.endswith(self.text):
            self.text = text
            return self
        common = common_suffix(self.text, text)
        tail = SuffixText(text)
        tail.meeting, tail.viable = _within(self.meeting, common), _within(self.viable, common)
        tail.decided = {key: number for key, number in self.decided.items() if key[0] <= common}
        for run in [run for run in self.open if run.distance <= common]:
            self.open.discard(run)
            tail.open.add(run)
            run.tail = tail  # the rest of its text is the same; the old tail can go
        self.forget(common)
        return tail


def _within(buckets: dict[int, dict[Any, Any]], distance: int) -> dict[int, dict[Any, Any]]:
    """The memos up to a distance: whole buckets are shared, since they hold for both."""
    last = distance // BUCKET
    kept = {number: bucket for number, bucket in buckets.items() if number < last}
    if last in buckets:
        kept[last] = {key: value for key, value in buckets[last].items() if key[0] <= distance}
    return kept


class TokenStream:
    """The terminals of the right context, lexed from one state; see `more`."""

    __slots__ = (
        "distance", "ended", "goes_on", "lex", "link", "memo", "met", "options", "places", "tail", "tokens",
        "unknown", "ways",
    )  # fmt: skip

    def __init__(
        self, tail: SuffixText, distance: int, lex: LexState, before: tuple[Tokens, int] | None = None
    ) -> None:
        """before: for a continuation of another run, the terminals in between, and the distance where that run stopped looking for others."""
        self.tail = tail
        self.distance = distance  # characters to the end that are not lexed yet
        self.goes_on = before is not None
        tokens, self.met = before or ((), distance - _MEET_EVERY_CHARACTER)
        self.lex: LexState | None = lex
        self.tokens: list[Token] = [*tokens]
        self.memo: dict[Key, Result] = {}  # see `recall` and `remember`
        self.unknown: dict[Any, bool] = {}  # memos of known_blocks.py, by index and stacks
        self.places: dict[Any, Any] = {}  # by index; made by prestar.py and indented.py; each can `forget`
        self.ended = False
        self.link: tuple[TokenStream, int] | None = None
        self.options: tuple[Option, ...] = ()  # the ways to go on from its end, where the stacks decide
        self.ways: dict[int, TokenStream] = {}  # the runs of those ways, as they are asked for

    def more(self, engine: Engine) -> bool:
        """Lex on; False when there is nothing more: dead, at the end, joined to another run, or up to the stacks. See `onward`."""
        if self.ended:
            return False
        engine.ask()
        text, lexer, tokens = self.tail.text, engine.lexer, self.tokens
        lex, distance, before = self.lex, self.distance, len(self.tokens)
        size = len(text)
        while distance and lex is not None:
            bucket = distance // BUCKET
            meeting = self.tail.meeting.get(bucket)
            if meeting is None:
                meeting = self.tail.meeting[bucket] = {}
            engine.made += 1
            other = meeting.setdefault((distance, lex), (self, len(tokens)))
            if other[0] is not self:
                self.link, self.ended = other, True
                break
            if len(tokens) > before + _LEX_AT_ONCE:
                break
            offset = size - distance
            if distance > self.met:
                step = lex.memo.get(text[offset])
                lex, emitted = step if step is not None else lexer.step(lex, text[offset])
                distance -= 1
            else:
                begin = lexer.skip_loop(lex, text, offset)
                end, is_line = next_piece(text, begin)
                if is_line or (self.goes_on and text[end - 1] == "\n"):
                    line = text[begin:end]
                    step = lex.memo.get(line)
                    lex, emitted = step if step is not None else lexer.step_line(lex, line)
                else:
                    lex, emitted = lexer.step_text(lex, text[begin:end])
                distance = size - end
            if emitted:
                tokens.extend(emitted)
            if lex is None and type(emitted) is Choice:
                self.options = emitted.options
                distance += len(emitted.rest)
        self.lex, self.distance = lex, distance
        if lex is None:
            self.ended = True
        elif not distance and not self.ended:
            self.ended = True
            if lex in self.tail.goes_on:
                tokens.append(ANY_TEXT)
            elif not self.tail.goes_on:
                tokens.extend(engine.lexer.finish(lex) or ())
        if self.ended and not self.options:
            self.tail.open.discard(self)
            self.tail = _NO_TAIL  # to free its text
        else:
            self.tail.open.add(self)
        return len(tokens) > before

    def onward(self, engine: Engine, stacks: GssState | None = None) -> tuple[TokenStream, int] | None:
        """The place behind the last terminal, for these stacks; without stacks, as others decided last."""
        if not self.options:
            return self.link
        place = self.distance, self.options
        if stacks is None:
            number = self.tail.decided.get(place, 0)
        else:
            number = engine.choose(stacks, self.options)
            if number < 0:
                return None
            self.tail.decided[place] = number
        return self._way(number), 0

    def all_onward(self) -> Iterator[tuple[TokenStream, int, tuple[int, ...]]]:
        """All places that may follow the last terminal, each with the terminals its stacks must take."""
        if self.link is not None:
            yield *self.link, ()
        for number, option in enumerate(self.options):
            yield self._way(number), 0, option.guard

    def _way(self, number: int) -> TokenStream:
        way = self.ways.get(number)
        if way is None:
            option = self.options[number]
            before = option.tokens, self.met
            way = self.ways[number] = TokenStream(self.tail, self.distance, option.lex, before)
        return way

    def forget_places(self) -> None:
        """Let go of the places, which refer to the run and to themselves; they can be made again."""
        for place in self.places.values():
            place.forget()
        self.places = {}

    def recall(self, key: Key) -> Result:
        """The memo's entry for a key."""
        kept = self.memo[key]
        return kept if kept is None or kept[0] is None or kept[1] is not None else (kept[0], self, kept[2])

    def locations(self, engine: Engine) -> Iterator[tuple[TokenStream, int]]:
        """The places of the terminals, as far as the right context can be lexed."""
        run, index = self, 0
        while True:
            while index >= len(run.tokens):
                if not run.more(engine):
                    onward = run.onward(engine)
                    if onward is None:
                        return
                    run, index = onward
            yield run, index
            index += 1

    def all_tokens(self, engine: Engine) -> Iterator[Token]:
        """The terminals as far as the right context can be lexed."""
        for run, index in self.locations(engine):
            yield run.tokens[index]


Meeting = dict[tuple[int, LexState], tuple[TokenStream, int]]
"""(distance to the end, lexer state) -> place in a run"""


_NO_TAIL = SuffixText("")


def next_piece(text: str, offset: int) -> tuple[int, bool]:
    """(where to stop lexing next: behind the line, or where all runs stop in a long one; whether this piece is a whole short line)."""
    newline = text.find("\n", offset, offset + LONGEST_LINE)
    if newline >= 0:
        return newline + 1, offset == 0 or text[offset - 1] == "\n"
    left = len(text) - offset
    return (offset + 1 + (left - 1) % _MEET_IN_LINES, False) if left else (offset, False)


Result = tuple[GssState | None, TokenStream | None, int] | None
"""Of a block: (stacks, run, index), index at the Line that ends it (its NEWLINE taken already); _ACCEPT; None: rejected."""
_ACCEPT: Result = (None, None, -1)


def remember(path: Iterable[tuple[TokenStream, Key]], result: Result) -> None:
    """Keep a result in the memos of runs. A result in the run itself does not name the run, so that an unused run is freed at once:
    an object that refers to itself waits for a full collection."""
    final = None if result is None else result[1]
    here = result if result is None or final is None else (result[0], None, result[2])
    for run, key in path:
        run.memo[key] = here if run is final else result


class SuffixContext:
    """A right context of an engine: the last `length` characters of a tail."""

    def __init__(self, engine: Engine, tail: SuffixText, length: int) -> None:
        self.engine = engine
        self.tail = tail
        self.length = length
        self.decides: Callable[[PrefixState], bool] | None = None  # acceptance, where there is a better way
        self._runs: dict[LexState, TokenStream] = {}
        self._accepts: dict[PrefixState, bool] = {}
        self.told: dict[Any, Any] = {}  # kept by hole_scope.py
        self.bridges: BoundedDict[tuple[PrefixState, int], tuple[str, ...]] = BoundedDict(_MAX_BRIDGES)  # by hole.py
        self.witnesses = set[LexState]()  # states at the end of some text that makes a file with it

    @property
    def text(self) -> str:
        return self.tail.text[len(self.tail.text) - self.length :]

    def run(self, lex: LexState) -> TokenStream:
        """The right context as lexed from a state."""
        run = self._runs.get(lex)
        if run is None:
            run = self._runs[lex] = TokenStream(self.tail, self.length, lex)
        return run

    def forget_places(self) -> None:
        """Let go of the places in its runs; those at the end of a text are met nowhere else."""
        for run in self._runs.values():
            run.forget_places()

    def entered(self, lex: LexState) -> Hashable:
        """An equal value for lexer states that the first character makes equal, such as those in two names."""
        if not self.length:
            return lex
        after, tokens = self.engine.lexer.step(lex, self.tail.text[-self.length])
        return lex if after is None else (after, tokens)

    def accepts(self, left: PrefixState) -> bool:
        """Whether left + right is a valid file."""
        accepted = self._accepts.get(left)
        if accepted is None:
            accepted = self._accepts[left] = self._accept(left)
        return accepted

    def _accept(self, left: PrefixState) -> bool:
        if self.decides is not None:
            return self.decides(left)
        run = self.run(left.lex)
        if run.ended and 0 < len(run.tokens) <= _FEW and run.tokens[-1] == END and type(run.tokens[0]) is int:
            return self.engine.feed(left.frame, left.stacks, tuple(run.tokens)) is not None  # nothing worth remembering
        return self.accepts_from(run, 0, left.stacks, left.frame)

    def accepts_from(self, run: TokenStream, index: int, stacks: GssState, frame: Frame) -> bool:
        """Whether the terminals from a place in a run end the file, after these stacks in this block."""
        result = self.block(run, stacks, index, frame)
        while result is not None:
            ended, stream, index = result
            if ended is None or stream is None:
                return True
            line = stream.tokens[index]
            assert isinstance(line, Line)
            while ended is not None and line.column < frame.column:
                assert frame.lower is not None and frame.parent is not None
                ended, frame = self.engine.factory.close_block(ended, frame.lower), frame.parent
            if ended is None or (line.column, line.alt_column) != (frame.column, frame.alt_column):
                return False
            result = self.block(stream, ended, index + 1, frame)
        return False

    def block(self, run: TokenStream, stacks: GssState, index: int, base: Frame | Line) -> Result:
        """Take terminals from index on inside a block until it ends; the block is given by its column alone."""
        engine = self.engine
        factory, blocks = engine.factory, engine.blocks
        column, alt_column = base.column, base.alt_column
        tokens = run.tokens
        path: list[tuple[TokenStream, Key]] = []
        result: Result = None
        while True:
            try:
                token = tokens[index]
            except IndexError:
                if run.more(engine):
                    continue
                onward = run.onward(engine, stacks)
                if onward is None:
                    break
                run, index = onward
                tokens = run.tokens
            else:
                if type(token) is not Line:
                    try:
                        after = stacks.memo[token]
                    except KeyError:
                        after = factory.advance(stacks, token)
                    if after is None:
                        if token == ANY_TEXT:
                            result = _ACCEPT
                        break
                    stacks = after
                    if token == END:
                        result = _ACCEPT
                        break
                    index += 1
                    if index % _MEMO_EVERY:
                        continue
                elif stacks.depth:
                    index += 1
                else:
                    assert blocks is not None
                    key = stacks, index, column, alt_column
                    if key in run.memo:
                        result = run.recall(key)
                        break
                    path.append((run, key))
                    ended = factory.advance(stacks, blocks.newline)
                    if ended is None:
                        break
                    if token.column == SAME_BLOCK:
                        stacks = ended
                        index += 1
                        continue
                    if token.column > column:
                        inner = self._inner(run, ended, index, token, alt_column)
                        if inner is None:
                            break
                        if inner[0] is None or inner[1] is None:
                            result = inner
                            break
                        ended, run, index = inner[0], inner[1], inner[2]
                        tokens = run.tokens
                        token = tokens[index]
                        assert isinstance(token, Line)
                        if token.column > column:
                            break
                    if token.column < column:
                        result = ended, run, index
                        break
                    if token.alt_column != alt_column:
                        break
                    stacks = ended
                    index += 1
                    continue
            key = stacks, index, column, alt_column
            if key in run.memo:
                result = run.recall(key)
                break
            path.append((run, key))
            # Not in a short run: the time since the last question would count, also a model's.
            if len(path) % _ASK_EVERY == 0:
                engine.ask()
        remember(path, result)
        engine.made += len(path)
        return result

    def _inner(self, run: TokenStream, ended: GssState, index: int, line: Line, alt_column: int) -> Result:
        """The result of a block opened by the line at index."""
        factory = self.engine.factory
        if line.column == TOO_DEEP or line.alt_column <= alt_column:
            return None
        inside = factory.open_block(ended)
        if inside is None:
            return None
        inner = self.block(run, inside, index + 1, line)
        if inner is None or inner[0] is None:
            return inner
        closed = factory.close_block(inner[0], ended)
        return None if closed is None else (closed, inner[1], inner[2])
