"""Lines like those above, with the next name of a listing. `alike.py` tells which lines are alike."""

from __future__ import annotations

from collections.abc import Iterator

from .alike import Pattern, goes_on, next_name, pattern_of
from .around import Around, Candidate, indent_of

_MAX_LISTED = 20_000  # characters of a text to search for listings
_RECENT = 10  # lines on either side of the cursor not to repeat


def alike(around: Around) -> Iterator[Candidate]:
    """The rest of a line begun like the two above, or a whole line like them, with the name after theirs in a listing."""
    upper, lower = around.above[-2:] if len(around.above) > 1 else ("", "")
    if not upper.strip() or not lower.strip() or upper.lstrip().startswith(("#", "//")):
        return
    if not indent_of(upper) == indent_of(lower) == around.indent or (pattern := pattern_of(upper, lower)) is None:
        return
    rest = goes_on(pattern, around.line)
    texts = [("analogous", rest.removesuffix(","))] if rest is not None else []
    if pattern.is_whole:
        texts.append(("next listed" if pattern.times == 1 else "next alike", _next(pattern, around)))
    for kind, text in texts:
        text = _before_rest(text, around.rest.strip())
        yield from [Candidate(kind, text)] if text else []


def _next(pattern: Pattern, around: Around) -> str:
    """The rest of the line with the next name; "" if there is none."""
    above = "\n".join(around.above)[-_MAX_LISTED:]
    name = next_name(pattern, (above, *(text[:_MAX_LISTED] for text in (around.below, *around.others))))
    whole = pattern.with_name(name) if name is not None else ""
    near = (*around.above[-_RECENT:], *around.below[:_MAX_LISTED].split("\n")[1 : _RECENT + 1])
    if not whole.startswith(around.line) or whole.strip() in (line.strip() for line in near):
        return ""
    return whole[len(around.line) :]


def _before_rest(text: str, closed: str) -> str:
    """A text without the brackets and quotes that already stand behind the cursor; "" if it does not end with them."""
    text = text.rstrip()
    if closed:
        text = text.rstrip(",") if not closed.endswith(",") else text
        text = text.removesuffix(closed) if text.endswith(closed) else ""
    return text
