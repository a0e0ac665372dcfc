"""Holes in files that are broken elsewhere and have no view (parser/views.py): leave out as little as makes the rest parse.

Merge conflicts: one side of each counts (conflicts.py). Left: reading starts again at the first line after the error from which the text up to the cursor can be read. The blocks
around that line are stood in for by a skeleton: a header of the same kind at the same column for each, so that indentation
and the right context's `else:` or `except:` mean what they meant. Right: it counts up to the last logical line before the error;
what follows that line may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import chain, islice, takewhile
from math import inf
from typing import NamedTuple

from ....common.bounded import BoundedDict
from ....common.words import compiled
from ...conflicts import Unmarked, without_conflicts
from ...glr.incremental import PrefixText
from ...glr.layout import SAME_BLOCK, Frame, Line
from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import ANY_DEPTH, SuffixContext, SuffixText, next_piece
from ...glr.suffix_viability import SuffixParser
from ...glr.text_diff import common_prefix
from ...hole import Bridging, Context, Hole, State
from ...lexing.base import LexState, Tokens
from ...token_masks import new_masks
from .lexer.fstrings import FString
from .lexer.python_lexer import PythonLexer
from .lexer.strings import String
from .lexer.templates import Text
from .lexer.words import Name
from .openings import columns
from .suffix_entries import keyword_heads

_HEADERS = {
    "if": "if x:",
    "elif": "if x:pass\n{}elif x:",
    "else": "if x:pass\n{}else:",
    "for": "for x in x:",
    "while": "while x:",
    "try": "try:",
    "except": "try:pass\n{}except x:",
    "finally": "try:pass\n{}finally:",
    "with": "with x:",
    "async": "async def x():",
    "def": "def x():",
    "class": "class x:",
    "match": "match x:",
    "case": "case x:",
}
"""What stands in for headers, by their first words; {} is for the indentation."""
_HEADER = compiled(
    r"(def|class)\s+\w|(async|if|elif|while|for|with|except|match|case)\b(?=[^=]|==)|(else|try|finally)\s*:"
)
"""What the line of a header begins with; broken lines and text do, too, but seldom."""
_ABOVE = 8_000
"""Characters before a mistake from which on blocks are looked at."""
_MAX_RESTARTS = 400
"""Lines tried as a new start; each costs as much as is read until the next error."""
_MAX_MEETINGS = 6
"""Of these, lines from which the text up to the cursor can be read, looked at for one that goes with the right context."""
_MAX_WORDS = 30
"""Places in the cursor's line that are tried as a beginning."""
_LINES_ABOVE = 4_000
_MET = 16
_KEPT = 16
_STRINGS = (String, Text, FString)
_TOKENS = 2_000
"""Terminals of the right context that tell whether it goes with a left one, and what brackets it closes."""
_OPENING = {")": "x(", "]": "[", "}": "{"}
_STRANGE_LINES = 200
"""Lines of the right context that are looked at for a column that does not fit."""
_KEPT_LINES = 10_000
_WORD = compiled(r"(?<![\w.])[^\W\d]\w*|[\[({\"']")


class _Footing(NamedTuple):
    """Lines from which a text could be read, each with the readings from there, and the text before the last of them."""

    before: str
    starts: dict[int, PrefixText]


class _Scan(NamedTuple):
    """Lines from which a text could not be read, one after another: (offset, where it dies)."""

    text: str
    tried: list[tuple[int, int]]

    def still(self, text: str) -> list[tuple[int, int]]:
        """Those that hold of another text, too."""
        same = common_prefix(self.text, text)
        while same and not _is_code(text[(start := text.rfind("\n", 0, same - 1) + 1) : same]):
            same = start  # the next line with code on it tells the column
        return list(takewhile(lambda one: one[1] < same, self.tried))


class _Piece(NamedTuple):
    """Terminals of a line, up to a new logical line or the last one."""

    net: int
    """the brackets that they open, less those that they close"""
    least: int
    """those of them that are open behind them, where none was before"""
    opens: bool | None
    """Is the last one a colon? None: there is none."""
    line: Line | None


class Fallback:
    """The ladder for one document; it remembers where it found footing, since the next keystroke finds it there again."""

    def __init__(
        self,
        engine: Engine,
        lexer: PythonLexer,
        bridging: Bridging,
        suffixes: SuffixParser,
        viable_suffix: Callable[[SuffixContext, LexState], bool],
        readings: PrefixText,
    ) -> None:
        """readings: those of the document."""
        self._engine, self._lexer, self._bridging = engine, lexer, bridging
        self._suffixes, self._viable_suffix = suffixes, viable_suffix
        self._document, self._resolved, self._tail = readings, PrefixText(engine), SuffixText("")
        self._left, self._unmarked = PrefixText(engine), Unmarked()
        self._footing: dict[str, _Footing] = {}  # by the brackets opened
        self._scans: BoundedDict[tuple[str, int], _Scan] = BoundedDict(
            _KEPT
        )  # by the brackets, and where the text before dies
        # What a line is read as, and how many terminals that are:
        self._known_lines: dict[tuple[LexState, str], tuple[LexState | None, int, tuple[_Piece, ...]]] = {}
        # A right context and how it is met; what was left of it:
        self._cut: BoundedDict[Hashable, SuffixContext] = BoundedDict(_KEPT)
        self._unmatched_ones: BoundedDict[Hashable, tuple[tuple[str, bool], ...]] = BoundedDict(_KEPT)

    def hole(self, text: str, offset: int, left: PrefixState | int, right: SuffixContext, right_viable: bool) -> Hole:
        """A hole in a part of the text; left: the left context, or the offset at which it dies."""
        sides = None if self._unmarked.holds(text) else without_conflicts(text, offset)
        changed_left = changed_right = line_only = False
        if sides is not None:
            changed_left, changed_right = sides[0] != text[:offset], sides[1] != text[offset:]
            left, right = self._without_conflicts(*sides)
            text, offset = "".join(sides), len(sides[0])
        document = self._document if sides is None else self._resolved
        if isinstance(left, int):
            begin, _ = document.block_before(left - _ABOVE)
            restarted = self._restart(text[begin:offset], left - begin, right)
            if restarted is None:
                return Hole(None, "dead")
            (left, line_only), changed_left = restarted, True
        cut = self._cut_right(right, left)
        right, changed_right = cut, changed_right or cut is not right
        step = "right" if not changed_left else "line" if line_only else "both" if changed_right else "left"
        return Hole(State(left, Context(self._engine, right, self._bridging, new_masks)), step)

    def _without_conflicts(self, left: str, right: str) -> tuple[PrefixState | int, SuffixContext]:
        """The two contexts, read anew."""
        self._resolved.change(left + right)
        self._tail = self._tail.for_text(right)
        return self._resolved.read(len(left)), SuffixContext(self._engine, self._tail, len(right))

    def _restart(self, text: str, dead: int, right: SuffixContext) -> tuple[PrefixState, bool] | None:
        """The text up to its end, read from a line after `dead`, with a skeleton of the blocks around it; and whether only the end of
        the cursor's own line could be read.

        Where the right context has closing brackets to spare, reading starts in brackets, if it cannot come upon them.
        """
        closing = self._closing(right)
        found: PrefixState | None = None
        opened = ["".join(_OPENING[bracket] for bracket in reversed(closing))] if closing else []
        for opener in chain(("",), opened, self._quotes(right)):
            left = self._first_from(text, dead, opener, right)
            if left is not None and left.stacks.depth >= len(closing) and self._meets(left, right):
                return left, False
            found = found or left
        found = (
            found or self._read_from(text, text.rfind("\n") + 1, "", PrefixText(self._engine))[0]
        )  # the cursor's own line
        if found is not None:
            return found, False
        found = self._end_of_line(text)  # however far the error is into it
        return None if found is None else (found, True)

    def _quotes(self, right: SuffixContext) -> Iterator[str]:
        """The triple quotes that the right context may lie in, when it cannot begin between symbols."""
        text = right.text
        places = {quotes: place for quotes in ('"""', "'''") if (place := text.find(quotes)) >= 0}
        if places and not self._suffixes.begins(right, self._lexer.clean, _MET):
            yield from sorted(places, key=lambda quotes: places[quotes])

    def _first_from(self, text: str, dead: int, brackets: str, right: SuffixContext) -> PrefixState | None:
        """Read from the first line from which that is possible, or one of the next, from which the right context can go on."""
        found: PrefixState | None = None
        for left in islice(self._readings(text, dead, brackets), _MAX_MEETINGS):
            found = found or left
            if self._meets(left, right):
                return left
        return found

    def _readings(self, text: str, dead: int, brackets: str) -> Iterator[PrefixState]:
        """The text up to its end, read from one line after another, as far as that is possible."""
        known = self._footing.get(brackets)
        if known is None or dead >= next(iter(known.starts)) or not text.startswith(known.before):
            known = None
        last = -1
        for last, readings in known.starts.items() if known else ():
            left, dead = self._read_from(text, last, brackets, readings)
            if left is None:
                self._footing.pop(brackets)
                known, last = None, -1
                break
            dead = last
            yield left
        tried: list[tuple[int, int]] = []
        if known is None:
            scanned = brackets, dead
            if (scan := self._scans.get(scanned)) is not None and (tried := scan.still(text)):
                last, dead = tried[-1]
            self._scans[scanned] = _Scan(text, tried)
        for _ in range(len(tried), _MAX_RESTARTS):
            start = text.rfind("\n", 0, dead) + 1  # the error may lie before the line that shows it
            if start <= last or (not start and text[:1] not in " \t"):
                start = text.find("\n", dead) + 1
                if not start:
                    break
            last = start
            readings = PrefixText(self._engine) if brackets else self._left  # in brackets most die at once
            left, dead = self._read_from(text, start, brackets, readings)
            if left is not None:
                starts = {**(known.starts if known else {}), start: readings.copy()}
                known = self._footing[brackets] = _Footing(text[:start], starts)
                dead = start
                yield left
            elif known is None:
                tried.append((start, dead))

    def _meets(self, left: PrefixState, right: SuffixContext) -> bool:
        """Can the right context go on where the left one ends, as far as the lexer and the first terminals tell?"""
        return self._suffixes.begins(right, left.lex, _MET)

    def _closing(self, right: SuffixContext) -> str:
        """The right context's closing brackets without an opening one, from its second line on (in the first one the hole may open them)."""
        return "".join(bracket for bracket, below in self._unmatched(right, self._lexer.clean) if below)

    def _unmatched(self, right: SuffixContext, lex: LexState) -> tuple[tuple[str, bool], ...]:
        """(a closing bracket without an opening one in the right context, whether it is below its first line)."""
        key = right, right.entered(lex)
        known = self._unmatched_ones.get(key)
        if known is None:
            known = self._unmatched_ones[key] = tuple(self._find_unmatched(right, lex))
        return known

    def _find_unmatched(self, right: SuffixContext, lex: LexState) -> Iterator[tuple[str, bool]]:
        operators = {t: text for text, t in self._lexer.operators.items() if text in "()[]{}"}
        assert self._engine.blocks is not None
        opened, below, begins = 0, False, False
        for token in islice(right.run(lex).all_tokens(self._engine), _TOKENS):
            if begins and token in self._engine.blocks.statements:
                break  # no bracket is open here
            begins = not isinstance(token, int)
            below = below or begins
            bracket = operators.get(token) if isinstance(token, int) else None
            if bracket is not None and bracket in _OPENING:
                if not opened:
                    yield bracket, below
                opened = max(0, opened - 1)
            elif bracket is not None:
                opened += 1

    def _closed(self, right: SuffixContext, left: PrefixState) -> int:
        """How many brackets the right context closes more than it opens."""
        return len(self._unmatched(right, left.lex))

    def _read_from(self, text: str, start: int, brackets: str, readings: PrefixText) -> tuple[PrefixState | None, int]:
        """(the text from a line start on, or None; where it dies)."""
        before = _skeleton(text, start)
        if brackets:
            before += _indent_of(text, start) + brackets + "\n"  # or quotes
        readings.change(before + text[start:])
        left = readings.read(len(before) + len(text) - start)
        return (left, len(text)) if isinstance(left, PrefixState) else (None, max(start, left - len(before) + start))

    def _end_of_line(self, text: str) -> PrefixState | None:
        """As much of the end of the cursor's own line as can be read as a statement, with something to go on with."""
        start = text.rfind("\n") + 1
        before = _skeleton(text, start) + _indent_of(text, start)
        line = text[start:]
        for word in islice(_WORD.finditer(line.lstrip()), _MAX_WORDS):
            readings = PrefixText(self._engine)
            readings.change(before + line.lstrip()[word.start() :])
            left = readings.read(len(before) + len(line.lstrip()) - word.start())
            if isinstance(left, PrefixState):
                return left
        return None

    def _cut_right(self, right: SuffixContext, left: PrefixState) -> SuffixContext:
        """The longest beginning of the right context that is viable with any text after it; all of it where that is."""
        lex = left.lex
        entered = right.entered(lex), self._lexer.outside(lex), type(lex.symbol)
        key = right, left.stacks.depth, entered, tuple(_columns(left))
        if key not in self._cut:
            self._cut[key] = self._longest_beginning(right, left)
        return self._cut[key]

    def _returns(self, right: SuffixContext, left: PrefixState) -> bool:
        """Do the right context's lines, outside of brackets, return to open blocks alone?"""
        columns = _columns(left)
        column, opened = columns[0], self._closed(right, left) if columns[0] else 0
        for _, pieces in self._lines(right, left.lex, _TOKENS) if column else ():
            for piece in pieces:
                opened = max(opened + piece.net, piece.least)
                line = piece.line
                if line is not None and not opened and SAME_BLOCK != line.column < column:
                    column = line.column
                    if column not in columns:
                        return False
                    if not column:
                        return True  # no line is further left
        return True

    def _strange_line(self, right: SuffixContext, lex: LexState, left: PrefixState) -> int | None:
        """The offset of the right context's first line, entered in a lexer state, that only a strange text at the cursor would explain: to the right of a line that
        opens no block, or to the right of the cursor's block in a column that its indentation does not reach. None where there is none."""
        inner, unit = _columns(left)[0], _indentation(left, right)
        column: int | None = None
        opened, opens = max(left.stacks.depth, self._closed(right, left)), False
        for begin, pieces in islice(self._lines(right, lex), _STRANGE_LINES):
            for piece in pieces:
                opened += piece.net
                opens = opens if piece.opens is None else piece.opens
                line = piece.line
                if line is not None and opened <= 0:
                    opened = 0
                    deeper = column is not None and line.column > column and not opens
                    if deeper or (line.column > inner and line.column % unit):
                        return begin
                    column, inner = line.column, min(inner, line.column)
                    if not column:
                        return None  # the text at the cursor has no part in what follows
        return None

    def _lines(
        self, right: SuffixContext, lex: LexState, terminals: float = inf
    ) -> Iterator[tuple[int, tuple[_Piece, ...]]]:
        """(offset, what it is made of) of each line of the right context, entered in a lexer state, as far as it can be read, up to
        the one in which so many terminals have come."""
        text, seen, known = right.tail.text, 0, self._known_lines
        start = at = len(text) - right.length
        while at < len(text) and seen < terminals:
            begin = at
            at, is_line = next_piece(text, begin)
            line = text[begin:at]
            read = known.get((lex, line))
            if read is None:
                if len(known) >= _KEPT_LINES:
                    known.clear()
                after, tokens = (self._lexer.step_line if is_line else self._lexer.step_text)(lex, line)
                read = known[lex, line] = after, len(tokens), self._pieces(tokens)
            if read[0] is None:
                break
            lex = read[0]
            seen += read[1]
            yield begin - start, read[2]

    def _pieces(self, tokens: Tokens) -> tuple[_Piece, ...]:
        brackets, colon, found = self._engine.factory.brackets, self._lexer.operators[":"], list[_Piece]()
        net, least, opens = 0, 0, None
        for token in tokens:
            if isinstance(token, int):
                step = brackets.get(token, 0)
                net, least, opens = net + step, max(0, least + step), token == colon
            else:
                found.append(_Piece(net, least, opens, token))
                net, least, opens = 0, 0, False
        found.append(_Piece(net, least, opens, None))
        return tuple(found)

    def _longest_beginning(self, right: SuffixContext, left: PrefixState) -> SuffixContext:
        lexer, depth = self._lexer, left.stacks.depth
        at_hand = dict.fromkeys(
            (left.lex, lexer.outside(left.lex), *([lexer.clean] if lexer.begins_line(left.lex) else ()))
        )
        at_hand |= dict.fromkeys(lexer.state(Name, None, head) for head in keyword_heads(right, lexer))
        entry = self._suffixes.viable_from(right, at_hand)
        if entry is not None and self._returns(right, left):
            end = self._strange_line(right, entry, left)
            return self._beginning(right, end, 0) if end and right.text[:end].strip() else right
        if lexer.outside(left.lex) is not left.lex and isinstance(left.lex.symbol, _STRINGS):
            cut = self._beginning_of_string(right, left)
            if cut is not None:
                return cut
        end, brackets = self._suffixes.longest_beginning(
            right, at_hand, depth, _columns(left), self._closed(right, left)
        )
        if not right.text[:end].strip():
            end, brackets = self._suffixes.first_lines(right.text, at_hand), ANY_DEPTH
        if not right.text[:end].strip():  # the hole has to open or close a string or comment first
            if self._viable_suffix(right, left.lex):
                return right
            entries = *at_hand, *lexer.around(left.lex), *lexer.entries()
            end, brackets = self._suffixes.longest_beginning(right, entries, depth)
        return self._beginning(right, end, brackets)

    def _beginning(self, right: SuffixContext, end: int, brackets: int) -> SuffixContext:
        """A right context up to an offset; what follows may be anything."""
        return SuffixContext(self._engine, SuffixText(right.text[:end], cut=brackets if end else None), end)

    def _beginning_of_string(self, right: SuffixContext, left: PrefixState) -> SuffixContext | None:
        """The same where the cursor is in a string: as much as is viable whether the hole closes it or the right context does.

        Of a string of several lines that ends in a broken line, the lines before that count.
        """
        text, lexer, suffixes = right.text, self._lexer, self._suffixes
        outside = lexer.outside(left.lex)
        inside = suffixes.longest_beginning(right, (left.lex,), left.stacks.depth, _columns(left))
        if not inside[0]:
            inside = self._lines_of_string(text, left.lex), ANY_DEPTH
        closed = suffixes.longest_beginning(right, (outside,), left.stacks.depth, _columns(left))
        if not closed[0]:
            closed = suffixes.first_lines(text, (outside,)), ANY_DEPTH
        found = [(end, brackets) for end, brackets in (inside, closed) if text[:end].strip()]
        if not found:
            return None
        end, brackets = min(found)
        after, _ = lexer.step_text(left.lex, text[:end])
        goes_on = frozenset((after,)) if after is not None and lexer.finish(after) is None else frozenset[LexState]()
        return SuffixContext(self._engine, SuffixText(text[:end], cut=brackets, goes_on=goes_on), end)

    def _lines_of_string(self, text: str, lex: LexState) -> int:
        """The length of the lines at a text's beginning that lie in the string that it begins in."""
        at, end = 0, text.find("\n") + 1
        while end:
            after, tokens = self._lexer.step_text(lex, text[at:end])
            if after is None or tokens or self._lexer.finish(after) is not None:
                break
            lex, at = after, end
            end = text.find("\n", at) + 1
        return at


def _indentation(left: PrefixState, right: SuffixContext) -> int:
    """The columns by which blocks are indented: the least that is open, else the least in the right context."""
    found = [column for column in _columns(left) if column]
    if not found:
        lines = right.text.split("\n", _STRANGE_LINES)[:_STRANGE_LINES]
        found = [column for line in lines if (column := columns(line[: len(line) - len(line.lstrip(" \t"))])[0])]
    return min(found, default=1)


def _columns(left: PrefixState) -> list[int]:
    """The columns of the open blocks, innermost first."""
    found: list[int] = []
    frame: Frame | None = left.frame
    while frame is not None:
        found.append(frame.column)
        frame = frame.parent
    return found


def _skeleton(text: str, start: int) -> str:
    """Headers for the blocks around the line at start, each at its column."""
    column = _indent_of(text, start)
    chain: list[tuple[str, str]] = []
    end = start
    for _ in range(_LINES_ABOVE):
        if not column or not end:
            break
        line_start = text.rfind("\n", 0, end - 1) + 1
        line = "" if text.startswith(column, line_start) else text[line_start : end - 1]
        end = line_start
        if not line:
            continue
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        header = _HEADER.match(line.lstrip()) if len(indent) < len(column) else None
        if header is not None and (":" in line or line.rstrip()[-1] in "([{,\\"):
            chain.append((indent, header[1] or header[2] or header[3]))
            column = indent
    if column:  # nothing encloses it: an indented line at the top
        chain.append(("", "if"))
    headers: list[str] = []
    for indent, word in reversed(chain):
        headers.append(indent + _HEADERS.get(word, "if x:").format(indent) + "\n")
    return "".join(headers)


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _indent_of(text: str, start: int) -> str:
    """The indentation of the first line from start on that has something on it."""
    position = start
    while position < len(text):
        end = text.find("\n", position)
        line = text[position : end if end >= 0 else len(text)]
        if _is_code(line):
            return line[: len(line) - len(line.lstrip(" \t"))]
        if end < 0:
            return line if not line.strip() else line[: len(line) - len(line.lstrip(" \t"))]
        position = end + 1
    return ""
