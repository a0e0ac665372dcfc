"""After `elif`: the next case of a chain of comparisons, where its cases are listed somewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .....common.possessive import compiled
from .attributes import members_of
from .cursor import MAX_ABOVE, Cursor, indent_of

_ELIF = re.compile(r"[ \t]*elif[ \t]$")
_CASE = compiled(
    r"[ \t]*+(?P<word>if|elif)[ \t]++(?P<subject>[\w.]++)[ \t]++(?P<sign>==|is)[ \t]++"
    r"(?:(?P<text>\"[\w-]++\"|'[\w-]++')|(?P<owner>[^\W\d]\w*+)\.(?P<member>\w++))[ \t]*+:"
)
_TEXT = r"(?:\"[\w-]++\"|'[\w-]++')"
_TEXTS = compiled(rf"{_TEXT}(?:\s*+,\s*+{_TEXT})++")
_COMMAND = re.compile(r"add_parser\([ \t\n]*(\"[\w-]+\"|'[\w-]+')")
_MAX_LINES = 200  # of a chain


def next_case(cursor: Cursor) -> str | None:
    """`elif ` below `if command == "add":`: the same comparison with the text or the member that is listed after the last one."""
    if not _ELIF.match(cursor.line) or cursor.rest.strip() not in ("", ":"):
        return None
    cases = _chain_above(cursor)
    last = cases[-1] if cases else None
    if last is None or len({(case["subject"], case["sign"], case["owner"]) for case in cases}) > 1:
        return None
    said = [case["text"] or case["member"] for case in (*_chain_below(cursor), *cases)]
    if last["owner"]:
        following = _after(said, [members_of(last["owner"], cursor)])
        following = following and f"{last['owner']}.{following}"
    else:
        near = (cursor.left[-MAX_ABOVE:], cursor.right[:MAX_ABOVE])
        following = _after(said, [listing for text in near for listing in _listings(text)])
    return f"{last['subject']} {last['sign']} {following}" if following else None


def _chain_above(cursor: Cursor) -> list[re.Match[str]]:
    """The headers of the chain that the cursor's line goes on with, the first one first; none where one of them is no such comparison."""
    cases: list[re.Match[str]] = []
    own = indent_of(cursor.line)
    for line in reversed(cursor.above[-_MAX_LINES:]):
        if not line.strip() or indent_of(line) > own:
            continue
        case = _CASE.match(line) if indent_of(line) == own else None
        if case is None:
            return []
        cases.insert(0, case)
        if case["word"] == "if":
            return cases
    return []


def _chain_below(cursor: Cursor) -> list[re.Match[str]]:
    """The headers below with which the chain goes on already."""
    cases: list[re.Match[str]] = []
    own = indent_of(cursor.line)
    for line in cursor.right[:MAX_ABOVE].split("\n")[1:_MAX_LINES]:
        if not line.strip() or indent_of(line) > own:
            continue
        case = _CASE.match(line) if indent_of(line) == own else None
        if case is None or case["word"] == "if":
            break
        cases.append(case)
    return cases


def _after(said: Sequence[str], listings: Sequence[Sequence[str]]) -> str | None:
    """What comes most often directly after the last one said, and was not said itself."""
    following = Counter(
        second
        for listing in listings
        for first, second in pairwise(listing)
        if first == said[-1] and second not in said
    )
    return max(following, key=following.__getitem__, default=None)


def _listings(text: str) -> Iterator[Sequence[str]]:
    """Texts in quotes between commas, and the commands of a parser of arguments."""
    commands = _COMMAND.findall(text)
    if len(commands) > 1:
        yield commands
    for match in _TEXTS.finditer(text):
        yield re.findall(_TEXT, match[0])
