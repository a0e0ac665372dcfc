"""The choice among fitting texts: nothing that hides the user's code, no fillers, no guess in a broken line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..cursor import Cursor

if TYPE_CHECKING:
    from ....model import Completion
    from ....parser import Hole, Session

_FILLER = re.compile(r"[#\w]")
_REOPENS = re.compile(r":\s*[(\[{]+\Z")  # such as `):(` between brackets closed by an editor
_OPENS_TEXT = re.compile(r"#|--|[\"']")
_MAX_CHARS = 200_000  # of a file read a second time, without a line


def without_hiding(suggestion: str, rest: str, hole: Hole) -> str:
    """Remove from a suggestion the comment or string that would swallow code behind the cursor; "" if nothing is left.

    rest: of the cursor's line. With a comment at a suggestion's end the file stays valid, however much of the user's line it takes away.
    """
    if hole.state is None or not _OPENS_TEXT.search(suggestion) or hole.state.region != "code":
        return suggestion
    after = hole.state.advance(suggestion)
    rest = rest.strip()
    kind = "code" if after is None else after.region
    hides = (kind == "comment" and rest and not rest.startswith(("#", "--"))) or (
        kind == "string" and rest[:1] not in ('"', "'")
    )
    if not hides:
        return suggestion
    for match in reversed(list(_OPENS_TEXT.finditer(suggestion))):
        shorter = suggestion[: match.start()].rstrip()
        state = hole.state.advance(shorter) if shorter else None
        if state is not None and state.complete and state.region == "code":
            return shorter
    return ""


def is_filler(completion: Completion) -> bool:
    """Whether a completion fits only by accident: a bridge with a name, a keyword or a comment, or a body `()` of a header."""
    if completion.ended != "bridge":
        return False
    written = max((passed.length for passed in completion.trail if passed.length < len(completion.text)), default=0)
    return _FILLER.search(completion.text, written) is not None or _REOPENS.search(completion.text) is not None


def line_is_broken(cursor: Cursor, hole: Hole, session: Session, cancelled: Callable[[], bool]) -> bool:
    """Whether the cursor's own line, up to the cursor, cannot be parsed."""
    start = cursor.line_start
    if hole.viable or hole.hidden or len(cursor.text) > _MAX_CHARS or not cursor.before.strip():
        return hole.hides(start, cursor.offset)
    return session.hole(cursor.text[:start] + cursor.right, start, cancelled).viable
