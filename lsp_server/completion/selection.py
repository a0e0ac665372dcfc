"""What is worth showing among what fits: nothing that hides the user's code, no fillers, no guess in a line that is broken already."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ...model import Completion
    from ...parser import Hole, Session

FILLER = "pass"
"""The body of a header that has none."""
_FILLER = re.compile(r"[#\w]")
_STANDS_IN = re.compile(rf"\r?\n[ \t]+{FILLER}\Z")
_MEANT = re.compile(r"[ \t]*(?:except|class)\b")  # headers whose block often is nothing
_REOPENS = re.compile(r":\s*[(\[{]+\Z")  # such as `):(` between brackets that an editor has closed
_OPENS_TEXT = re.compile(r"#|--|[\"']")
_MAX_BELOW = 2000  # characters in which the next line is looked for
_MAX_CHARS = 200_000  # of a file that is read a second time, without a line
HEADER = re.compile(r"(?:async[ \t]+)?(?:if|elif|else|for|while|with|def|class|except|finally)\b")
"""Lines that a block follows; `try` and `match` ask for more than one statement."""
_ONE_WORD = re.compile(r"\W*\w+\W*")
_Shown = TypeVar("_Shown")


def without_hiding(suggestion: str, right: str, hole: Hole) -> str:
    """Leave out of a suggestion the comment or string that would swallow code behind the cursor; "" when nothing is left.

    The file stays valid with a comment at the end of a suggestion, however much of the user's line it takes away.
    """
    if hole.state is None or not _OPENS_TEXT.search(suggestion) or hole.state.region != "code":
        return suggestion
    after = hole.state.advance(suggestion)
    rest = re.split(r"[\r\n]", right, maxsplit=1)[0].strip()
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
    """Whether a completion fits only by what nobody meant: a bridge with a name, a keyword or a comment in it, or a body `()` of a header."""
    if completion.ended != "bridge":
        return False
    written = max((passed.length for passed in completion.trail if passed.length < len(completion.text)), default=0)
    return _FILLER.search(completion.text, written) is not None or _REOPENS.search(completion.text) is not None


def without_filler(completion: Completion, left: str, hole: Hole) -> Completion | None:
    """The completion as the model wrote it, with `pass` for the body that a header lacks; None where that does not fit."""
    if hole.state is None:
        return None
    written = max((passed.length for passed in completion.trail if passed.length < len(completion.text)), default=0)
    header = completion.text[:written].rstrip()
    line = left[max(left.rfind("\n"), left.rfind("\r")) + 1 :]
    blank = line[: len(line) - len(line.lstrip(" \t"))]
    if not header or "\n" in header:
        return None
    for colon in ("", ":"):
        text = f"{header}{colon}\n{blank}{step(left, blank)}{FILLER}"
        after = hole.state.advance(text)
        if after is not None and after.complete:
            return replace(completion, text=text, score=None)
    return None


def missing_body(text: str, offset: int) -> str:
    """The shortest body for a header that is being written where no block follows; "" elsewhere.

    A file that is written from top to bottom ends with its header, which nothing can complete but a body.
    """
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = text[start:offset]
    blank = line[: len(line) - len(line.lstrip(" \t"))]
    if not HEADER.match(line, len(blank)) or line.rstrip().endswith(":"):
        return ""
    rest, _, below = text[offset : offset + _MAX_BELOW].partition("\n")
    following = next((one for one in below.splitlines() if one.strip()), "")
    if rest.strip() or following.expandtabs().startswith(blank.expandtabs() + " "):
        return ""
    newline = "\r\n" if rest.endswith("\r") else "\n"
    return f"{newline}{blank}{step(text[:start], blank)}{FILLER}"


def to_overwrite(left: str, text: str) -> int:
    """How many characters at the end of a suggestion only stand in for a block that is still to be written: those of a header's `pass`."""
    body = _STANDS_IN.search(text)
    if body is None:
        return 0
    header = re.split(r"[\r\n]", left + text[: body.start()])[-1]
    return len(FILLER) if header.rstrip().endswith(":") and not _MEANT.match(header) else 0


def step(left: str, blank: str) -> str:
    """What one block is indented by."""
    return "\t" if blank.endswith("\t") or "\n\t" in left else "    "


def line_is_broken(text: str, offset: int, hole: Hole, session: Session, cancelled: Callable[[], bool]) -> bool:
    """Whether it is the cursor's own line, as far as it is written, that cannot be parsed."""
    if hole.fallback == "line":
        return True
    if hole.fallback not in ("left", "both") or len(text) > _MAX_CHARS:
        return False
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    if not text[start:offset].strip():
        return False
    above = session.hole(text[:start] + text[offset:], start, cancelled)
    return above.fallback not in ("left", "both")


def by_size(suggestions: Iterable[_Shown], text_of: Callable[[_Shown], str], to_line_end: bool) -> list[_Shown]:
    """Whole lines first and single words last, for a user who asked; in their order otherwise."""

    def small(shown: _Shown) -> bool:
        return to_line_end and _ONE_WORD.fullmatch(text_of(shown)) is not None

    return sorted(suggestions, key=small)
