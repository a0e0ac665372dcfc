"""The place to fill: its hole with the pending closers behind it, and the shape of texts there."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..cursor import Cursor
from ..judging.certainty import is_bare_name
from ..judging.closing import closers_of
from ..judging.hidden import Hidden, Reason
from ..judging.selection import line_is_broken
from ..judging.thoughts import before_docstring, functions_around, without_comments
from ..judging.trivial import says_too_little
from ..judging.unlikely import is_unlikely

if TYPE_CHECKING:
    from ....model import Options
    from ....parser import Closer, Hole, Session

MAX_LINES, MAX_TOKENS = 6, 64
"""The most newlines in a suggestion at the beginning of a line or a block, and the most tokens; nobody reads longer texts while typing."""
ASKED_LINES, ASKED_TOKENS = 24, 256
"""The same where the user asks for a suggestion."""
ASKED_MS = 2000.0
"""Milliseconds to write it in, once the model has read the surroundings; a text whole by then is shown."""
PAUSE_MS = 6000.0
"""The same in a pause, for a possible request by the user."""
BODY_MS = 1000.0
"""The same for a body written unasked."""
_REST = re.compile(r"[ \t]*(?:#|\Z)")  # of an empty line
_IN_ONE_LINE = re.compile(r":[ \t]*(\w+)\Z")
_NEXT_LINE = re.compile(r"[\r\n]([ \t]*)([^\s])")
_SEVERAL = re.compile(r"\S\s*[\r\n]\s*[^\s)\]}]")
_NO_WORD = re.compile(r"\W")
_OPENERS = (":", "{")
_BLOCK = re.compile(r"(?:\r\n|\n|\r)([ \t]+)")


@dataclass(frozen=True)
class Editing:
    """A hole to fill, with everything its texts share."""

    cursor: Cursor
    session: Session
    hole: Hole
    """as if the closers of `Hole.pending` followed it"""
    language: str | None
    hole_ms: float
    """time spent reading the text around the cursor"""
    block: str = ""
    """the line end and indentation of a block pending below the line; "" if there is none"""
    whole: bool = False
    """whether the text must make the file valid by itself"""

    def fits(self, text: str) -> bool:
        """Whether a text makes the file valid."""
        after = None if self.hole.state is None or not text else self.hole.state.advance(text)
        return after is not None and after.complete


def editing(
    cursor: Cursor,
    session: Session,
    language: str | None,
    cancelled: Callable[[], bool],
    unfinished: bool = True,
    asked: bool = False,
) -> Editing | Hidden:
    """The hole to fill at a cursor, or the reason if there is none.

    unfinished: whether the file may lack something behind the text that it lacks already (`Suggestion.pending`). asked: whether the user
    asks; otherwise nothing is suggested in a line to be mended first.
    """
    from ....parser import Cancelled

    if not cursor.text.strip():
        return Hidden(Reason.EMPTY)
    start = time.perf_counter()
    try:
        hole = session.hole(cursor.text, cursor.offset, cancelled)
        hole_ms = (time.perf_counter() - start) * 1000
        if hole.state is None:
            return Hidden(Reason.UNREADABLE)
        if not asked and line_is_broken(cursor, hole, session, cancelled):
            return Hidden(Reason.BROKEN_LINE)
        hole = mended_hole(cursor, hole, session, cancelled, unfinished)
    except Cancelled:
        return Hidden(Reason.CANCELLED)
    if cancelled():
        return Hidden(Reason.CANCELLED)
    block = pending_block(cursor, hole.pending)
    return Editing(cursor, session, hole, language, hole_ms, block, whole=not unfinished)


def mended_hole(
    cursor: Cursor, hole: Hole, session: Session, cancelled: Callable[[], bool] | None = None, unfinished: bool = True
) -> Hole:
    """The hole to fill, with the missing closers of unfinished statements behind the cursor.

    unfinished: see `editing`; otherwise only a header's block may be missing, to be added to the text. Raises Cancelled.
    """
    if unfinished:
        return session.mended(hole, cursor.text, cursor.offset, cancelled)
    closers = session.pending(cursor.text, cursor.offset, cancelled)
    if len(closers) != 1 or not pending_block(cursor, closers):
        return hole
    from ....parser.pending import mended

    closed_hole = session.hole(cursor.left + mended(cursor.right, closers), cursor.offset, cancelled)
    return replace(closed_hole, pending=closers) if closed_hole.reads_as_much_as(hole) else hole


def pending_block(cursor: Cursor, closers: Sequence[Closer]) -> str:
    """The line end and indentation of a block pending below the cursor's line, with the cursor at its end; "" if there is none."""
    if not closers or closers[0].at > len(cursor.rest) or cursor.rest.strip():
        return ""
    begun = _BLOCK.match(closers[0].text)
    return begun[0] if begun is not None and len(begun[1].expandtabs()) > len(cursor.blank.expandtabs()) else ""


def shaped(options: Options, place: Editing, unasked: bool = False, column: int | None = None) -> Options:
    """Return the options within the place's limits: the number of lines, and how far to the left they may start.

    column: of the block that the text continues, wherever in a line the cursor is; None: it continues none.
    """
    cursor = place.cursor
    most = MAX_LINES if options.max_lines is None else options.max_lines
    options = replace(options, body=column is not None or begins_body(place))
    if column is not None:
        return replace(options, max_lines=most, block_column=column)
    if place.block or (unasked and not opens_block(cursor)):  # a block is another text
        most = 0
    column = function_column(cursor) if options.fullest else block_column(cursor)
    return replace(options, max_lines=lines_to_suggest(cursor, most), block_column=column)


def begins_body(place: Editing) -> bool:
    """Whether the place calls for several statements: in a block without any, or below a comment about the next lines.

    A block is without any behind its header and below it, even after its docstring.
    """
    from ....parser.language import traits

    cursor, comment = place.cursor, traits(place.language).line_comment
    state = place.hole.state
    if not comment or cursor.rest.strip() or state is None or state.region != "code":
        return False
    begun = cursor.before.rstrip()
    if begun:
        return begun.endswith(_OPENERS) and not place.block
    above = cursor.left.rstrip()
    code = without_comments(above, comment)
    column, next_column = len(cursor.before.expandtabs()), _next_column(cursor)
    if code != above:
        is_statement = opens_statement(place) if traits(place.language).filler else not code.endswith(("(", "[", ","))
        return next_column <= column and is_statement
    return next_column < column > 0 and (before_docstring(above) or above).endswith(_OPENERS)


def _next_column(cursor: Cursor) -> int:
    """The column of the line below; -1 if there is none, or it closes a bracket."""
    below = _NEXT_LINE.search(cursor.right)
    return -1 if below is None or below[2] in ")]}" else len(below[1].expandtabs())


def opens_block(cursor: Cursor) -> bool:
    """Whether several lines fit: behind a header, within brackets open at a line's end, or in an empty file."""
    before = cursor.left.rstrip()
    return not before or before.endswith((":", "(", "[", "{", ",", '"""', "'''"))


def opens_statement(place: Editing) -> bool:
    """Whether a statement begins at a cursor: its line is empty, except for a comment behind, and the language's filler is allowed there."""
    from ....parser.language import traits

    cursor, state = place.cursor, place.hole.state
    filler = traits(place.language).filler
    if not filler or cursor.before.strip() or _REST.match(cursor.rest) is None:
        return False
    if state is None or state.region != "code":
        return False
    return state.advance(f"{filler};") is not None  # with a sign behind it: alone it could be the beginning of a name


def unfit_at(place: Editing, written: str = "", copies: bool = False) -> Callable[[str], bool]:
    """A function that tells whether a written text's beginning is hidden unasked at a place, however probable.

    - A bare name that is a statement of its own, or the block of a header in one line with it.
    - A text with an opening bracket at its end, if the next line continues with something else.
    - If only copies are wanted, a text that is neither in the document nor a name.
    - A text that says too little, or is at odds with the code above.
    - Several lines of code: at a body's beginning they are judged separately (`blocks.py`).
    """
    from ....parser.language import traits

    cursor, language = place.cursor, traits(place.language)
    statement = opens_statement(place)
    below = _NEXT_LINE.search(cursor.right)
    goes_on = (
        below is not None and below[2] not in ")]}" and len(below[1].expandtabs()) <= len(cursor.blank.expandtabs())
    )
    openers = set("([{" if goes_on and not cursor.rest else "") - {language.block}

    def unfit(text: str) -> bool:
        line = (cursor.before + text).rpartition("\n")[2]
        name = _IN_ONE_LINE.search(line)
        if (
            name is not None
            and _NO_WORD.split(line.lstrip(), maxsplit=1)[0] in language.headers
            and is_bare_name(name[1])
        ):
            return not closers_of(line[: name.start()]) and "lambda" not in line
        if copies and not (text.strip().isidentifier() or text.strip() in cursor.text):
            return True
        if _SEVERAL.search(text):
            return True
        little = (statement and is_bare_name(text)) or says_too_little(cursor, text, written)
        return little or is_unlikely(cursor, text) or text.rstrip()[-1:] in openers

    return unfit


def block_column(cursor: Cursor) -> int:
    """Return the least column of the cursor's block: lines left of it are outside."""
    return len(cursor.blank.expandtabs()) + cursor.before.rstrip().endswith(":")


def function_column(cursor: Cursor) -> int:
    """Return the least column of the lines that continue the cursor's function, the outermost one: deeper than its header and the line below.

    Outside of functions, or with a line of the cursor's block below, it is the block's column.
    """
    column, next_column = block_column(cursor), _next_column(cursor)
    headers = functions_around(cursor.left).values()
    if cursor.before.strip() or next_column >= column or not headers:
        return column
    return min(column, max(min(headers), next_column) + 1)


def lines_to_suggest(cursor: Cursor, most: int = MAX_LINES) -> int:
    """Return the most newlines of a suggestion: none in the middle of a line, some at the beginning of a line or a block."""
    if cursor.rest:
        return 0
    return most if not cursor.before.strip() or cursor.before.rstrip().endswith((":", "(", "[", "{")) else 0
