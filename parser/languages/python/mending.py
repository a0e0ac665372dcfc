"""The edits that mend a broken Python file where its reading dies: a missing block, clause or bracket, another column, a statement in place
of a line.

A hidden line leaves behind a statement that binds its names, and the words found nowhere else, to unknown values.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import ClassVar

from ....common.brackets import CLOSERS
from ....common.words import OPERAND, compiled
from ...glr.prefix import PrefixState
from ...view import Broken, Edit, Hidden
from ..mending import MOST_BEGINNINGS, stands_elsewhere, without_beginning
from .layout import (
    ASYNC,
    BARE,
    DEFINITIONS,
    HEADERS,
    TextLine,
    columns,
    indentation,
    line_at,
    lines_above,
    lines_below,
    next_line,
    one_of,
)

_UNKNOWN = 'eval("")'
"""A value about which nothing is known."""
_HEADER = compiled(
    rf"(?:((?:{ASYNC}(?=def))?{one_of(DEFINITIONS)})[ \t]+\w|({one_of(BARE)})[ \t]*:"
    rf"|((?:{ASYNC}(?=for|with))?{one_of(tuple(word for word in HEADERS if word not in (*BARE, *DEFINITIONS)))})\b(?=[^=]|==))"
)
"""The beginning of a header's line; broken lines and prose begin like this, too, but seldom."""
_SIGNS = re.compile(
    r"'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|#[^\n]*|([()\[\]{}])"
)
_TEXT = re.compile(
    r"'''[\s\S]*?(?:'''|\Z)|\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'(?:\\.|[^'\\\n])*'?|\"(?:\\.|[^\"\\\n])*\"?|#[^\n]*"
)
_PATH = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_TARGETS = compiled(rf"^[ \t]*({_PATH}(?:[ \t]*,[ \t]*{_PATH})*),?[ \t]*(?::[^=]*)?[-+*/%@&|^]*=(?!=)")
_PATHS = compiled(_PATH)
_BOUND = compiled(r"\b(?:for|as|def|class)\s+([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)|\bimport\b([^;]*)|([^\W\d]\w*)\s*:=")
_RENAMED = compiled(r"[\w.]+\s+as\b")
_BEGINNING = compiled(r"(?<![\w.])[^\W\d]\w*|[\[({\"']")
_NOTES = re.compile(r"[:=][^,)]*")
"""The annotation or the default of a parameter."""
_CODE = re.compile(r"\n[^\n]*\w(?:[(\[]|[ \t]*=|[ \t]*:[ \t]*\n)")
"""Signs of lines of code, rare in prose."""
_MOST_WORDS = 40
_FUTURE = re.compile(r"^from[ \t]+__future__\b", re.MULTILINE)
_IN_FUNCTION = re.compile(r"(?:[\w.,= \t]*\b)?(?:return|yield|await)\b")
"""The beginnings of lines that belong in a function."""
_TRY = re.compile(r"try[ \t]*:")
_ADDED, _MOVED, _SIGN, _UNQUOTED, _HIDDEN, _OTHER, _PAIRED = 0.5, 0.75, 0.75, 0.9, 2.0, 3.0, 9.0
"""The costs of edits: an addition; another column; a removed sign; removed quotes around code; a hidden line; another line; and, last of all,
removed quotes of a pair."""


class PythonMender:
    """See Mender in parser/view.py."""

    openings: ClassVar[Sequence[str]] = (
        "(", "[", "{", "x(", "if x:", "try:", "def x(", "def x():", "except x:", "case x:", "match x:", "class x:", "class x(",
        "for x in x:", "while x:", "with x:", "elif x:", "else:", "finally:", "async def x(", "async def x():",
    )  # fmt: skip

    def beginnings(self, broken: Broken) -> Iterator[Edit]:
        yield from _columns(broken, line_at(broken.text, broken.held[0]))
        yield from without_beginning(broken, _BEGINNING)

    def declared(self, code: str) -> list[str]:
        return _bound(code)

    def binding(self, names: Sequence[str], before: PrefixState) -> Iterator[str]:
        if not before.stacks.depth:
            yield _assigned(names)

    def edits(self, broken: Broken) -> Iterator[Edit]:
        text, dead = broken.text, broken.dead
        line = line_at(text, dead)
        above = next(lines_above(text, line.start), None)
        if broken.held[0] <= dead < broken.offset:
            yield from self.beginnings(broken)
        elif line.start > broken.held[0] or line.end < broken.held[0]:
            yield from self._around(broken, line)
        if above is not None:
            yield from self._below(broken, line, above)
            yield from self._brackets(broken, line)
        yield from self._quotes(broken)
        if text[line.start : dead].strip() and dead < line.end and broken.is_free(dead, line.end):
            yield Edit(dead, line.end, "", _HIDDEN + 0.25)
        if line.end < broken.held[0] or line.start > broken.held[1]:
            yield from self._hidden(broken, line, _HIDDEN)
        if above is not None and broken.is_free(above.start, above.end):
            yield from self._hidden(broken, above, _OTHER)
        below = next_line(text, line)
        if below is not None and broken.is_free(below.start, below.end):
            yield from self._hidden(broken, below, _OTHER + 0.5)

    def alone(self, text: str, offset: int) -> Iterator[tuple[Hidden, ...]]:
        """The cursor's line, or its end, in a block like its own, in a file where every name is unknown."""
        line = line_at(text, offset)
        before = "from _ import *\n" + (f"if _:\n{line.indent}" if line.indent else "")
        body = line.start + len(line.indent)
        words = (word.start() for word in _BEGINNING.finditer(text, body + 1, max(body + 1, offset)))
        for begin in (min(body, offset), *islice(words, MOST_BEGINNINGS)):
            yield Hidden(0, max(begin, line.start), before), Hidden(line.end, len(text), "")

    def _around(self, broken: Broken, line: TextLine) -> Iterator[Edit]:
        """Another column for the line; a removed sign."""
        text, dead = broken.text, broken.dead
        if dead <= line.start + len(line.indent):
            yield from _columns(broken, line)
        if text[dead : dead + 1] in tuple("()[]{}"):
            yield Edit(dead, dead + 1, "", _SIGN)

    def _below(self, broken: Broken, line: TextLine, above: TextLine) -> Iterator[Edit]:
        """Additions above a line: a block, the function of a decorator, a clause; or another column of the line above."""
        text = broken.text
        end = above.code_end
        if broken.is_free(end, end) or end > broken.held[1]:
            if above.code.endswith(":"):
                yield Edit(end, end, " pass", _ADDED)
            if above.code.startswith("@"):
                yield Edit(end, end, f"\n{above.indent}def _(): pass", _ADDED)
        last = above.end
        if broken.is_free(last, last) or last > broken.held[1]:
            for indent in dict.fromkeys(header.indent for header in _tries(text, line)):
                yield Edit(last, last, f"\n{indent}finally: pass", _ADDED)
        if broken.is_free(above.start, above.end) and columns(above.indent) != columns(line.indent):
            yield Edit(above.start, above.start + len(above.indent), line.indent, _MOVED + 0.5)

    def _brackets(self, broken: Broken, line: TextLine) -> Iterator[Edit]:
        """The closing brackets missing before a line, placed by layout; or their opening brackets, or the lines of these, removed."""
        text = broken.text
        start = _statement_start(broken, line.start)
        if start is None:
            start = _statement_start(broken, line_at(text, broken.dead).start, by_layout=True)
        if start is None:
            return
        first = line_at(text, start)
        opened = _open(text, start, line.start)
        if not opened:
            opened = _open(text, start, broken.dead)
        if not opened:
            return
        closing = "".join(CLOSERS[char] for _, char in reversed(opened))
        colon = ":" if _HEADER.match(first.code) else ""
        ends = dict[int, None]()
        column = first.column
        lowest = first
        while (below := next_line(text, lowest)) is not None and below.start < line.start:
            if below.code and below.column <= column and below.code[0] not in ")]}":
                break
            lowest = below
        before = next(lines_above(text, line.start), None)
        for candidate in (lowest, line_at(text, opened[-1][0]), before, first):
            if candidate is not None and candidate.start >= first.start:
                ends[candidate.code_end] = None
        for end in ends:
            if broken.is_free(end, end) or end > broken.held[1]:
                held, innermost = line_at(text, broken.held[0]), line_at(text, opened[-1][0])
                here = closing[: sum(text.find("\n", place, end) < 0 for place, _ in opened if place < end)]
                for text_closed in dict.fromkeys((closing + colon, closing, here or closing[0], closing[0])):
                    outer = innermost if text_closed in (here, closing[0]) else first
                    inside = end < held.start < line.start and held.column > outer.column
                    yield Edit(end, end, text_closed, _ADDED + 0.5 + (_OTHER if inside else 0))
        if colon and first.code.endswith(":") and broken.is_free(first.start, first.end):
            place = first.code_end - 1
            yield Edit(place, place, closing, _ADDED + 0.25)
        place = opened[-1][0]
        if broken.is_free(place, place + 1):
            yield Edit(place, place + 1, "", _SIGN * 2)
        opener = line_at(text, place)
        for hidden in dict.fromkeys((opener, first)):
            if broken.is_free(hidden.start, hidden.end) and hidden.end < line.start:
                yield from self._hidden(broken, hidden, _OTHER)
        last = before.end if before is not None else first.end
        if last > first.end and broken.is_free(first.start, last):
            yield from self._statement(broken, first._replace(end=last), first.indent, _OTHER + 0.5)

    def _quotes(self, broken: Broken) -> Iterator[Edit]:
        """Removed quotes: unclosed ones, or ones that turn the code behind them into a string."""
        text, dead = broken.text, broken.dead
        for place in last_triple_quotes(text, dead + 1):
            line = line_at(text, place)
            if broken.is_free(place, place + 3):
                paired = text.count(text[place : place + 3]) % 2 == 0
                cost = _PAIRED if paired else _UNQUOTED if _quotes_code(broken, place) else _HIDDEN
                yield Edit(place, place + 3, "", cost)
                if broken.is_free(line.start, line.end):
                    yield from self._hidden(broken, line, max(cost, _HIDDEN) + 0.5)
        line = line_at(text, dead)
        if dead == line.end:
            place = max(text.rfind(char, line.start, dead) for char in "\"'")
            if place >= 0 and broken.is_free(place, place + 1):
                yield Edit(place, place + 1, "", _SIGN + 0.75)

    def _hidden(self, broken: Broken, line: TextLine, cost: float) -> Iterator[Edit]:
        """A line replaced by a stand-in."""
        if not line.code and not line.text.strip():
            return
        text = broken.text
        before = broken.before(line.start)
        if before is not None and before.stacks.depth:
            words = ", ".join(_words(line.text))
            if words:
                yield Edit(line.start, line.end, f"{line.indent}{words},", cost)
            yield Edit(line.start, line.end, "", cost)
            yield Edit(line.start, line.end, f"{line.indent},", cost + 0.1)
            return
        header = _HEADER.match(line.code)
        below = next(lines_below(text, line.end), None)
        deeper = below is not None and below.column > line.column
        if header is not None and deeper:
            word = " ".join(next(filter(None, header.groups())).split())
            yield Edit(line.start, line.end, _header(line, word), cost)
            yield Edit(line.start, line.end, _header(line, _block_header(text, line)), cost + 0.2)
        indents = [line.indent]
        if before is not None:
            indents += [indentation(frame.column, frame.alt_column) for frame in before.frame.outward()][:2]
        above = next(lines_above(text, line.start), None)
        if above is not None and above.code.endswith(":") and line.column <= above.column:
            indents.insert(0, above.indent + "    ")
        if below is not None:
            indents.append(below.indent)
        for number, indent in enumerate(dict.fromkeys(indents)):
            yield from self._statement(broken, line, indent, cost + 0.1 * number)
        if header is None and deeper:
            yield Edit(line.start, line.end, _header(line, _block_header(text, line)), cost + 0.5)

    def _statement(self, broken: Broken, line: TextLine, indent: str, cost: float) -> Iterator[Edit]:
        """The statement that binds the names of a line."""
        text = broken.text
        if not indent and _FUTURE.search(text, line.end) is not None:
            yield Edit(line.start, line.end, "", cost)
            return
        yield Edit(line.start, line.end, indent + _stand_in(text, line), cost)
        if _HEADER.match(line.code) or line.code.startswith("case"):
            yield Edit(line.start, line.end, f"{indent}case [_]: pass", cost + 0.5)


def _columns(broken: Broken, line: TextLine) -> Iterator[Edit]:
    """Other columns for a line, the nearest first; for the cursor's line those of the blocks around it, the innermost first."""
    before = broken.before(line.start)
    if before is None or before.stacks.depth:
        return
    body, frames = line.start + len(line.indent), list(before.frame.outward())
    if line.start == broken.held[0]:
        body = min(body, broken.offset)
    else:
        frames.sort(key=lambda around: abs(around.column - line.column))
    for indent in (indentation(frame.column, frame.alt_column) for frame in frames):
        if indent != broken.text[line.start : body]:
            yield Edit(line.start, body, indent, _MOVED)


def _tries(text: str, line: TextLine) -> Iterator[TextLine]:
    """The headers of `try` above a line, in its column or deeper, the nearest first."""
    least = line.column if line.code else 0
    for above in lines_above(text, line.start):
        column = above.column
        if column >= least and _TRY.match(above.code):
            yield above
        if column < least or (not column and above.code[0] not in ")]}"):
            return


def _statement_start(broken: Broken, start: int, *, by_layout: bool = False) -> int | None:
    """The beginning of the statement whose brackets contain a line's beginning; None outside of brackets."""
    text = broken.text
    state = None if by_layout else broken.before(start)
    if not by_layout and (state is None or not state.stacks.depth):
        is_closed = text.find("\n", start, broken.dead) < 0 and not _open(text, start, broken.dead)
        return None if state is not None and is_closed else start
    for above in lines_above(text, start):
        start = above.start
        state = broken.before(start)
        if state is not None and not state.stacks.depth:
            break
    return start


def _open(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """(offset, bracket) of the brackets left open by a piece of text, outermost first."""
    opened = list[tuple[int, str]]()
    for match in _SIGNS.finditer(text, start, end):
        char = match[1]
        if char is None:
            continue
        if char in CLOSERS:
            opened.append((match.start(), char))
        elif opened and CLOSERS[opened[-1][1]] == char:
            opened.pop()
    return opened


def _quotes_code(broken: Broken, place: int) -> bool:
    """Whether a triple quote begins a string that contains lines of code and does not end before the error or the cursor's line."""
    text, quotes = broken.text, broken.text[place : place + 3]
    end = broken.held[0] if place < broken.held[0] else broken.dead
    is_open = text.find(quotes, place + 3, end) < 0 and text.count(quotes, 0, place) % 2 == 0
    return is_open and _CODE.search(text, place + 3, end) is not None


def last_triple_quotes(text: str, end: int) -> list[int]:
    """The offsets of the last two triple quotes before an end; a row of quotes is read by threes from its beginning."""
    offsets: list[int] = []
    while len(offsets) < 2 and (last := max(text.rfind(quotes, 0, end) for quotes in ('"""', "'''"))) >= 0:
        start = last
        while start and text[start - 1] == text[last]:
            start -= 1
        offsets += reversed(range(start, last + 1, 3))
        end = start
    return offsets[1::-1]


def _words(text: str) -> list[str]:
    """The names read or bound by a piece of code."""
    words = dict.fromkeys(OPERAND.findall(_TEXT.sub(" ", text)))
    return [word for word in words if not keyword.iskeyword(word) and word != "__debug__"][:_MOST_WORDS]


def _bound(code: str) -> list[str]:
    """The names bound by a piece of code."""
    code = _TEXT.sub(" ", code)
    words = dict[str, None]()
    targets = _TARGETS.match(code)
    if targets is not None:
        words |= dict.fromkeys(_PATHS.findall(targets[1]))
    for match in _BOUND.finditer(code):
        names = match[1] or match[3] or _RENAMED.sub("", match[2])
        words |= dict.fromkeys(path.split(".")[0] for path in _PATHS.findall(names))
    return [
        name for name in words if name and not any(map(keyword.iskeyword, name.split("."))) and not name[0].isdigit()
    ]


def _stand_in(text: str, line: TextLine) -> str:
    """A statement that binds the names of a line."""
    code = line.code
    if not line.indent and "import" in code and code.rstrip("; ").endswith("*"):
        words = _words(code.partition("import")[0])
        return f"from {words[0] if words else '_'} import *"
    names = _bound(line.text)
    names += [
        word
        for word in _words(line.text)
        if word not in names and not stands_elsewhere(text, word, line.start, line.end)
    ]
    if code.startswith("import ") or code.startswith("from "):
        return "; ".join(f"{name} = {_UNKNOWN}" for name in names) or "pass"
    return _assigned(names) if names else "pass"


def _assigned(names: Iterable[str]) -> str:
    return "".join(f"{name} = " for name in names) + _UNKNOWN


def _block_header(text: str, line: TextLine) -> str:
    """The keyword of a header allowed above the block below a line, whatever the block holds."""
    for below in lines_below(text, line.end):
        if below.column <= line.column:
            break
        if _IN_FUNCTION.match(below.code):
            return "async def" if "await" in below.code else "def"
    return "if"


def _header(line: TextLine, word: str) -> str:
    """A header in place of a line; it binds the line's words."""
    names = _words(_NOTES.sub("", line.code) if word.endswith("def") else line.code)
    indent, unknown = line.indent, _UNKNOWN
    said = ", ".join(f"({name} := {unknown})" for name in names)
    value = f"[{said}]" if said else "1"
    targets = ", ".join(names) or "_"
    if word in ("def", "async def"):
        name, *rest = names or ["_"]
        others = "".join(f"{parameter}={unknown}, " for parameter in rest if parameter != "self")
        return f"{indent}{word} {name}({'self, ' if 'self' in rest else ''}{others}):"
    if word == "class":
        return f"{indent}class {names[0] if names else '_'}({unknown}):"
    if word in ("for", "async for"):
        return f"{indent}{word} {targets} in {unknown}:"
    if word in ("with", "async with"):
        return f"{indent}{word} {unknown} as ({targets}):"
    if word == "match":
        return f"{indent}match {unknown}:"
    if word == "case":
        return f"{indent}case [{targets}]:"
    if word == "except":
        return f"{indent}except {unknown}{' as ' + names[-1] if ' as ' in line.code and names else ''}:"
    if word in BARE:
        return f"{indent}{word}:"
    return f"{indent}{word} {value}:"
