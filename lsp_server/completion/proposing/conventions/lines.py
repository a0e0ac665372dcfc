"""Lines like those above them, with the next name of a listing. Which lines are alike is in `alike.py`."""

from __future__ import annotations

from .alike import Pattern, goes_on, next_name, pattern_of
from .cursor import Cursor, indent_of

_MAX_LISTED = 20_000  # characters of a file whose listings are read
_RECENT = 10  # lines on either side of the cursor that are not said again


def analogous(cursor: Cursor) -> str | None:
    """The rest of a line that is begun as the two above are, each with one name of its own, where that rest has the name again."""
    pattern = _pattern_above(cursor)
    text = goes_on(pattern, cursor.line) if pattern is not None else None
    return _before_rest(text.removesuffix(","), cursor) if text is not None else None


def next_alike(cursor: Cursor) -> str | None:
    """A line like the two above, which have one name each at two places or more, with the name that follows theirs in a listing."""
    pattern = _pattern_above(cursor)
    return _next_of(pattern, cursor) if pattern is not None and pattern.is_whole and pattern.times > 1 else None


def next_listed(cursor: Cursor) -> str | None:
    """The same where each line has its name once."""
    pattern = _pattern_above(cursor)
    return _next_of(pattern, cursor) if pattern is not None and pattern.is_whole and pattern.times == 1 else None


def _pattern_above(cursor: Cursor) -> Pattern | None:
    """What the two lines directly above have in common."""
    upper, lower = cursor.above[-2:] if len(cursor.above) > 1 else ("", "")
    alike = indent_of(upper) == indent_of(lower) == indent_of(cursor.line) and not upper.lstrip().startswith(
        ("#", "//")
    )
    return pattern_of(upper, lower) if alike and upper.strip() and lower.strip() else None


def _next_of(pattern: Pattern, cursor: Cursor) -> str | None:
    name = next_name(pattern, _near(cursor))
    whole = pattern.with_name(name) if name is not None else ""
    around = (*cursor.above[-_RECENT:], *cursor.right[:_MAX_LISTED].split("\n")[1 : _RECENT + 1])
    if not whole.startswith(cursor.line) or whole.strip() in (line.strip() for line in around):
        return None
    return _before_rest(whole[len(cursor.line) :], cursor)


def _near(cursor: Cursor) -> tuple[str, ...]:
    """The texts whose listings are read."""
    above = cursor.left[-_MAX_LISTED - len(cursor.line) : len(cursor.left) - len(cursor.line)]
    return above, cursor.right[:_MAX_LISTED], *(text[:_MAX_LISTED] for _, text in cursor.others)


def _before_rest(text: str, cursor: Cursor) -> str | None:
    """A text without the brackets and quotes that stand behind the cursor already; None where it does not end with them."""
    closed = cursor.rest.strip()
    text = text.rstrip()
    if closed:
        text = text.rstrip(",") if not closed.endswith(",") else text
        text = text.removesuffix(closed) if text.endswith(closed) else ""
    return text or None
