"""Reading a text from its beginning past the cursor's unfinished line, tried with some usual ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ..common.bounded import BoundedDict
from ..common.line_ends import line_start
from ..common.words import is_part
from .enclosing import column_of
from .glr.incremental import PrefixText
from .glr.prefix import Engine, PrefixState, Raw
from .glr.suffix import SuffixContext, SuffixText
from .grammar.lalr import END
from .lacking import lacks_header
from .lexing.base import Lexer, Region
from .view import View, line_end

_SAID = ("", "x", "0", "case x:x")
_PARTS = ("", " in x", ":0", "=0")
_BETWEEN = (
    "", ":", " {", "{", ",", ";", '"', "'", '"""', "'''", "`", "#", "(", "[", ")", "]", "}", "=", ".", " import ", " in x", ":0",
)  # fmt: skip
_ENDS = (
    "", ":x", ":", "x", " {", ",", ";", '"', "'", '"""',
    "'''", "`", "#", "/>", ">", "</x>", " in x:x", " in x:", "=0",
)  # fmt: skip
"""Possible continuations of the cursor's line: a word or none, a text before the rest of the line, and a usual end."""
_UNLIKELY, _LATE = 1.0, 2.5
"""The costs of reading the cursor's line in a way its text does not suggest, and of closing brackets whose lines are as deep."""
_MOST_OPENED = 400
"""Lines above the cursor's searched for an open bracket."""
_MOST_FINISHED = 16
"""Units of the shortest text closing everything."""
_UNIT = re.compile(r"</?[\w.:-]*>|[\w.:-]*>|\w+|.")
"""A tag, the rest of one, a word or a sign."""
_MOST_OPEN = 6
"""Brackets closed at the end of the cursor's line."""
_MOST_ENDS = 6
"""Readings kept of the cursor's line."""
_MOST_OPENINGS = 24
"""The same with a block or a list begun by it."""
_MOST_BEGUN = 16
"""The same with lines written in between."""
_DEEPER = 4
_NEXT_INDENT = re.compile(r"[\r\n]([ \t]*)(?=[^\s#])")
_SAME, _OPENS, _CLOSES, _LEAVES = range(4)
"""Possible ends of the cursor's line: with as many open brackets as before it, with more, with fewer; in another string or none."""
PLAIN, CLOSES, OPENS = range(3)
"""Ways to read the cursor's line: neither of the following; it closes brackets or strings of lines above; it opens more than it closes,
in a language without blocks by layout."""


class Death(NamedTuple):
    """The place where the reading of a text dies; of two, the greater is further."""

    offset: int
    closed: int = 0
    """At the end of the text, the number of open brackets, negative."""


class End(NamedTuple):
    """A reading of the cursor's line."""

    key: object
    """the same for readings equivalent for any text behind the line"""
    raw: Raw
    way: int


Ends = tuple[End, ...]


class Reader:
    """Reads texts from their beginnings, past the cursor's line."""

    is_exact = False
    """Whether it reads exactly those texts to their end that can be made a valid file."""
    most = 400
    """Texts read in one search."""

    def __init__(
        self, engine: Engine, finish: Callable[[PrefixState], Iterable[str]], openings: Sequence[str] = ()
    ) -> None:
        """finish: the shortest texts closing everything open; openings: see Mender."""
        self._engine, self._finish, self._openings = engine, finish, openings
        self._left = PrefixText(engine)
        self._ends: BoundedDict[tuple[PrefixState, str, str, int, int, bool], Ends] = BoundedDict(64)
        self._rights: BoundedDict[object, PrefixText] = BoundedDict(_MOST_BEGUN * 4)
        self._read: View | None = None  # by `_left`
        self._nothing = SuffixText("")

    def _change_left(self, view: View) -> None:
        if view is not self._read:
            self._left.change(view.text)
            self._read = view

    def error(self, view: View, way: int, beyond: int = 0) -> Death | None:
        """The place where the text dies; None if it can be read to its end. way: to read the cursor's line."""
        text, offset = view.text, view.offset
        self._change_left(view)
        left = self._left.read(offset)
        if not isinstance(left, PrefixState):
            return Death(left)
        begin, furthest = line_end(text, offset), Death(offset)
        for end in self.line_ends(left, text, offset):
            if end.way == way:
                read = self._right(end, view, begin)
                if read is None:
                    return None
                furthest = max(furthest, Death(begin + read.offset, read.closed))
        return furthest

    def region(self, view: View) -> Region:
        """The kind of text at the cursor."""
        self._change_left(view)
        return region(self._engine.lexer, self._left.read, view.text, view.offset)

    def before(self, view: View, offset: int, way: int) -> PrefixState | None:
        """The reading before an offset; behind the cursor's line, with an end of the line that reaches so far."""
        text = view.text
        begin = line_end(text, view.offset)
        self._change_left(view)
        left = self._left.read(min(offset, view.offset))
        if offset <= view.offset or not isinstance(left, PrefixState):
            return left if isinstance(left, PrefixState) else None
        for end in self.line_ends(left, text, view.offset):
            if end.way == way and offset >= begin:
                state = self._reading(end, view, begin).read(offset - begin)
                if isinstance(state, PrefixState):
                    return state
        return None

    def line_ends(self, left: PrefixState, text: str, offset: int) -> Ends:
        """The possible ends of the cursor's line, the plainest first; with some lines in between if one line has none."""
        start = line_start(text, offset)
        rest, blank = text[offset : line_end(text, offset)], text[start:offset]
        indent = "" if blank.strip() else _indent_below(text, offset, blank)
        above = self._left.read(start)
        assert isinstance(above, PrefixState)
        depth = above.stacks.depth
        net = _net(blank + rest)
        opens = not rest.strip() and (
            lacks_header(text, offset) if self._engine.blocks is None else _is_deeper_below(text, start)
        )
        key = left, rest, indent, depth, net, opens
        ends = self._ends.get(key)
        if ends is None:
            blanks = {" ": None, indent: None}
            if not blank.strip():
                blanks |= {" " * (frame.column - len(blank)): None for frame in left.frame.outward()}
            finished = list(self._finished(left))
            begun = [left, *self._read_each([left], filter(None, blanks)), *finished]
            ends = self._ended(self._raws(begun, rest), left, rest, (depth, net), _MOST_ENDS)
            if self._engine.blocks is None:
                keys = {end.key for end in ends}
                raws = ((after.lex, after.frame, after.stacks) for after in self._read_each(finished, [rest]))
                others = self._ended(raws, left, rest, (depth, net), _MOST_FINISHED)
                ends += tuple(end for end in others if end.key not in keys)
            in_string = self._is_long_string(left)
            if not ends or (in_string and not any(end.way == CLOSES for end in ends)):
                raws = self._raws(self._lines_begun(begun), rest)
                ends += self._ended(raws, left, rest, (depth, net), _MOST_BEGUN)
            if opens and self._engine.lexer.region(left.lex) == "code":
                ends += tuple(self._openings_behind(left, text[start:offset].lstrip()))
            self._ends[key] = ends
        return ends

    def _openings_behind(self, left: PrefixState, begun: str) -> Iterator[End]:
        """The ends of a line that begin a block or a list; begun: the beginning of the line, without its indentation."""
        whole = (opening[len(begun) :] for opening in self._openings if opening.startswith(begun))
        opened = self._read_each([left], dict.fromkeys((*whole, *self._openings)))
        for after in islice(opened, _MOST_OPENINGS):
            raw = after.lex, after.frame, after.stacks
            opens = self._engine.blocks is None and after.stacks.depth > left.stacks.depth
            yield End(raw, raw, OPENS if opens else PLAIN)

    def leaves_brackets(self, text: str, offset: int) -> bool:
        """Whether a bracket open above the cursor's line is in a line at least as deep, where layout makes blocks."""
        if self._engine.blocks is None:
            return False
        start = line_start(text, offset)
        line = text[start : line_end(text, offset)]
        if not line.strip() or line.lstrip()[0] in ")]}":
            return False
        self._change_left(View.of(text, offset))
        above = self._left.read(start)
        if (
            not isinstance(above, PrefixState)
            or not above.stacks.depth
            or self._engine.lexer.region(above.lex) != "code"
        ):
            return False
        opener = self._opener(text, start, above.stacks.depth)
        return opener is not None and column_of(text, opener) >= column_of(text, start)

    def _opener(self, text: str, start: int, depth: int) -> int | None:
        """The beginning of the line with the innermost bracket open before a line; None if it is far above."""
        for _ in range(_MOST_OPENED):
            if not start:
                break
            start = line_start(text, start - 1)
            state = self._left.read(start)
            if not isinstance(state, PrefixState) or state.stacks.depth < depth:
                return start
        return None

    def _ends_block(self, view: View, column: int) -> bool:
        """Whether layout ends the innermost block at the cursor's line, which is in a column, and nothing below closes the block."""
        text, start, end = view.text, line_start(view.text, view.offset), line_end(view.text, view.offset)
        self._change_left(view)
        above = self._left.read(start)
        if not isinstance(above, PrefixState) or not above.stacks.depth:
            return False
        opener = self._opener(text, start, above.stacks.depth)
        if opener is None:
            return False
        outer, rest = column_of(text, opener), text[view.offset : end].lstrip()
        if column <= outer and (text[start : view.offset].strip() or is_part(rest[:1] or " ")):
            return False
        below = _NEXT_INDENT.search(text, end)
        if below is None:
            return True
        width = len(below[1].expandtabs())
        return not (width == outer and text[below.end()] in ")]}") and (width <= outer or column <= outer)

    def _is_long_string(self, state: PrefixState) -> bool:
        """Whether a state is in a string that may continue in the next line."""
        raw = state.lex, state.frame, state.stacks
        if not self._is_in_string(raw):
            return False
        after = self._engine.read_raw(raw, "\n")
        return after is not None and self._is_in_string(after)

    def _is_in_string(self, raw: Raw) -> bool:
        """Whether a reading is in a string, and not in the text of a markup, where a tag may begin."""
        if self._engine.lexer.region(raw[0]) != "string":
            return False
        after = self._engine.read_raw(raw, "<")
        return after is not None and self._engine.lexer.region(after[0]) == "string"

    def _finished(self, left: PrefixState) -> Iterator[PrefixState]:
        """The states after each beginning of the shortest text closing everything, within the line."""
        for text in self._finish(left):
            line = text.partition("\n")[0]
            ends = (unit.end() for unit in islice(_UNIT.finditer(line), _MOST_FINISHED))
            yield from self._read_each([left], (line[:end] for end in ends))

    def _ended(self, raws: Iterable[Raw], left: PrefixState, rest: str, brackets: tuple[int, int], most: int) -> Ends:
        """The different readings of the line among some, each with its way; those that leave a string open only if there are no others.
        brackets: those open above, and those opened by the line minus those closed."""
        depth, net = brackets
        least = 1 if rest.strip() else net  # a text may close some of them before the rest of the line
        ends: tuple[dict[object, Raw], ...] = {}, {}, {}, {}
        in_string = self._is_long_string(left)
        for raw in raws:
            opened = raw[2].depth - depth
            if self._is_in_string(raw) != in_string:
                kept = ends[_LEAVES]
            elif self._engine.blocks is None and net > 0 and opened > 0 and not least <= opened <= net:
                continue
            else:
                kept = ends[_SAME if not opened else _OPENS if opened > 0 else _CLOSES]
            if len(kept) < most and (key := self._ends_line(raw)) is not None:
                kept.setdefault(key, raw)
        if not in_string and any(ends[:_LEAVES]):
            ends[_LEAVES].clear()
        ways = PLAIN, PLAIN if self._engine.blocks is not None else OPENS, CLOSES, CLOSES
        return tuple(End(key, raw, ways[kind]) for kind, kept in enumerate(ends) for key, raw in kept.items())

    def ways(self, view: View) -> dict[int, float]:
        """The ways to read the cursor's line, and the cost of each, by the text in it and below."""
        text = view.text
        if self._engine.blocks is not None:
            return {PLAIN: 0.0, CLOSES: _LATE if self.leaves_brackets(text, view.offset) else _UNLIKELY}
        start, end = line_start(text, view.offset), line_end(text, view.offset)
        line = text[start:end]
        net = _net(line)
        below = _NEXT_INDENT.search(text, end)
        own = len(line.expandtabs()) - len(line.expandtabs().lstrip())
        opens = below is not None and len(below[1].expandtabs()) >= own + (text[below.end()] not in ")]}")
        likely = {CLOSES if net < 0 else OPENS if opens else PLAIN}
        rest = text[view.offset : end].lstrip()
        opened_here = _net(rest) < 0 and (text[start : view.offset].strip() or rest[0] not in ")]}")
        if opened_here or (opens and not text[start : view.offset].strip()):
            likely.add(PLAIN)  # a text may open the brackets closed by the line, and be as deep as the lines below
        if line.lstrip().startswith("</") or self._ends_block(view, own):
            likely.add(CLOSES)
        return {way: 0.0 if way in likely else _UNLIKELY for way in (PLAIN, CLOSES, OPENS)}

    def _closed(self, state: PrefixState) -> Iterator[PrefixState]:
        """A state, and the states after closing its brackets one by one."""
        yield state
        for part in _PARTS:
            after = self._engine.read_text(state, part)
            for _ in range(_MOST_OPEN):
                if after is None or not after.stacks.depth:
                    break
                depth = after.stacks.depth
                ends = (self._engine.read_text(after, bracket) for bracket in ")]}")
                after = next((end for end in ends if end is not None and end.stacks.depth < depth), None)
                if after is not None:
                    yield after

    def _before_rest(self, begun: Iterable[PrefixState], rest: str) -> Iterator[PrefixState]:
        """States after a word or none, and the rest of a line."""
        said = self._read_each(begun, _SAID)
        if not rest:
            return said
        gaps = ("", " ") if is_part(rest[0]) else ("",)
        values = [f"={quote}" for quote in "\"'" if rest.count(quote) % 2] + (
            ["={0", " {...", ":{x:"] if _net(rest) < 0 else []
        )
        texts = [between + gap + rest for gap in gaps for between in (*_BETWEEN, *values)]
        if self._engine.blocks is not None:
            return iter(dict.fromkeys(self._read_each(said, texts)))
        said = list(said)
        return iter(dict.fromkeys(after for text in texts for after in self._read_each(said, [text])))

    def _raws(self, begun: Iterable[PrefixState], rest: str) -> Iterator[Raw]:
        """The readings of the rest of the line and a usual end behind states."""
        for after in self._before_rest(begun, rest):
            for closed in self._closed(after):
                for ended in self._read_each([closed], _ENDS):
                    yield ended.lex, ended.frame, ended.stacks

    def _ends_line(self, raw: Raw) -> object:
        """A key of a line's end, by which it differs from others: the reading behind its line end. None if it cannot end."""
        lex, frame, stacks = raw
        blocks = self._engine.blocks
        if blocks is None:
            return self._engine.read_raw(raw, "\n")
        tokens = self._engine.lexer.finish(lex)
        if tokens is None or stacks.depth:
            return raw
        fed = self._engine.feed(
            frame, stacks, tuple(token for token in tokens if isinstance(token, int) and token != END)
        )
        ended = None if fed is None else self._engine.factory.advance(fed[1], blocks.newline)
        return None if ended is None or fed is None else (fed[0], ended)

    def _lines_begun(self, begun: Sequence[PrefixState]) -> Iterator[PrefixState]:
        """The possible beginnings of another line below a line begun: in the columns of its blocks, or deeper."""
        whole = dict.fromkeys(self._read_each(self._read_each(begun, _SAID), _ENDS))
        whole |= dict.fromkeys(self._read_each(begun[:1], self._finish(begun[0])))
        for state in whole:
            columns = dict.fromkeys([state.frame.column + _DEEPER, *(frame.column for frame in state.frame.outward())])
            yield from self._read_each([state], ["\n" + " " * column for column in columns])

    def _read_each(self, states: Iterable[PrefixState], texts: Iterable[str]) -> Iterator[PrefixState]:
        texts = tuple(texts)
        for state in states:
            for text in texts:
                after = self._engine.read_text(state, text)
                if after is not None:
                    yield after

    def _reading(self, end: End, view: View, begin: int) -> PrefixText:
        """The readings of the text behind the cursor's line, from an offset on."""
        reading = self._rights.get(end.key)
        if reading is None:
            reading = self._rights[end.key] = PrefixText(self._engine, end.raw)
        reading.change(view.text[begin:])
        return reading

    def _right(self, end: End, view: View, begin: int) -> Death | None:
        """The place where the text behind the cursor's line dies; None if it can be read to its end."""
        reading, length = self._reading(end, view, begin), len(view.text) - begin
        state = reading.read(length)
        if not isinstance(state, PrefixState):
            return Death(state)
        if SuffixContext(self._engine, self._nothing, 0).accepts(state):
            return None
        if self._engine.lexer.region(state.lex) == "code":
            return Death(length, -state.stacks.depth)
        # An unclosed string: the end of its first line.
        text = view.text[begin:]
        return Death(line_end(text, line_start(text, max(0, reading.first_with(state.lex) - 1))))


def region(lexer: Lexer, read: Callable[[int], PrefixState | int], text: str, offset: int) -> Region:
    """The kind of text at an offset; behind the place where a text dies it is only lexed. read: see `PrefixText.read`."""
    state, begin = read(offset), offset
    if not isinstance(state, PrefixState):
        state, begin = read(state), state
    lex, begin = (state.lex, begin) if isinstance(state, PrefixState) else (lexer.start, 0)
    for line in text[begin:offset].splitlines(keepends=True):
        lex = lexer.glance(lex, line)
    return lexer.region(lex)


def _net(line: str) -> int:
    """The brackets opened by a line minus those closed."""
    return sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))


def _is_deeper_below(text: str, start: int) -> bool:
    """Whether the next line with code is indented deeper than the line beginning at an offset."""
    below = _NEXT_INDENT.search(text, line_end(text, start))
    return below is not None and column_of(text, below.start(1)) > column_of(text, start)


def _indent_below(text: str, offset: int, blank: str) -> str:
    """The additional indentation of the next line with code, compared to the cursor's line."""
    below = _NEXT_INDENT.search(text, line_end(text, offset))
    return below[1][len(blank) :] if below is not None and below[1].startswith(blank) else ""
