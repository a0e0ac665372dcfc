"""What the statements around the cursor still lack behind it, in a file that is written from top to bottom.

An editor closes a bracket when it is opened, so that somebody who types `def area(` has `def area()` with neither colon nor block, and a
body of `try:` is written before its `except`. In a file that is broken elsewhere, too, a suggestion is made as if what is missing stood
there, and so brings no new error. In one that is not, the whole file counts.
"""

from __future__ import annotations

import re

_HEADER = re.compile(r"(?:async[ \t]+)?(?:if|elif|else|for|while|with|def|class|except|finally)\b")
"""Lines that a block follows; `try` and `match` ask for more than one statement."""
_CLOSERS = re.compile(r"[)\]}\"']*")
_CLOSED = re.compile(r"[)\]}\"']+:?")
_DECORATOR = re.compile(r"@[\w.]*")
_TRY = re.compile(r"try[ \t]*:")
_CLAUSE = re.compile(r"(?:except|finally)\b")
_MAX_LINES = 200  # above and below the cursor in which headers and blocks are looked at
_MAX_CHARS = 10_000  # on each side


def closers_to_replace(left: str, right: str) -> int:
    """How many characters behind the cursor an editor has closed in a header that has no block: what a suggestion may take the place of.

    With `def area(|)`, no text between the brackets makes the file valid; `self):` and a block in the place of `)` do.
    """
    rest, _, below = _first_line(right)
    line = left[left.rfind("\n") + 1 :]
    return len(rest.rstrip()) if _lacks_block(line, rest.rstrip(), below) else 0


def mended_right(left: str, right: str) -> str:
    """The right context with what statements around the cursor lack behind it; the same where they lack nothing.

    - The header of the cursor's line, where nothing or only what an editor closes follows in the line: the closers' colon, and a block.
    - A decorator: a function below it.
    - Each `try` above: an `except` below its block.
    """
    rest, ends, below = _first_line(right)
    line = left[left.rfind("\n") + 1 :]
    newline = "\r\n" if ends == "\r\n" else "\n"
    behind = _of_line(left, line, rest.rstrip(), below, newline)
    unclosed = _tries(left, line, below)
    if not behind and not unclosed:
        return right
    lines = below.splitlines(keepends=True)
    mended = rest.rstrip() + behind + (ends or newline) if behind else rest + (ends or newline)
    done = 0
    for column in unclosed:
        end = _block_end(lines, column)
        mended += "".join(lines[done:end])
        blank = " " * column
        mended += f"{blank}except Exception:{newline}{blank}{_step(left, blank)}pass{newline}"
        done = end
    return mended + "".join(lines[done:])


def _first_line(text: str) -> tuple[str, str, str]:
    match = re.search(r"\r\n|\n|\r", text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _of_line(left: str, line: str, rest: str, below: str, newline: str) -> str:
    """What the statement in the cursor's line lacks."""
    bare = line.lstrip(" \t")
    blank = line[: len(line) - len(bare)]
    if _lacks_block(line, rest, below):
        return (":" if rest and not rest.endswith(":") else "") + f"{newline}{blank}{_step(left, blank)}pass"
    following = _next_line(below)
    if _DECORATOR.match(bare) and _CLOSERS.fullmatch(rest):
        same = not _is_deeper(following, blank) and following.startswith(blank) and len(blank) == _width(following)
        if not same or not re.match(r"\s*(?:@|(?:async[ \t]+)?def\b|class\b)", following):
            return f"{newline}{blank}def _(): pass"
    return ""


def _lacks_block(line: str, rest: str, below: str) -> bool:
    """Is it a header that is being written, behind which nothing follows but what an editor closes, and no block?"""
    bare = line.lstrip(" \t")
    blank = line[: len(line) - len(bare)]
    header = _HEADER.match(bare) is not None and (_CLOSED.fullmatch(rest) or not (rest or bare.rstrip().endswith(":")))
    return bool(header) and not _is_deeper(_next_line(below), blank)


def _next_line(below: str) -> str:
    """The next line that has text; "" where it is far."""
    return next((one for one in below[:_MAX_CHARS].splitlines() if one.strip()), "")


def _tries(left: str, line: str, below: str) -> list[int]:
    """The columns of the `try`s around the cursor that no clause follows, the innermost first."""
    found: list[int] = []
    depth = _width(line) if line.strip() else len(line)
    for above in reversed(
        left[-_MAX_CHARS:].splitlines()[-_MAX_LINES:-1] if line else left[-_MAX_CHARS:].splitlines()[-_MAX_LINES:]
    ):
        if not above.strip() or _width(above) >= depth:
            continue
        depth = _width(above)
        bare = above.lstrip(" \t")
        if "\t" in above[: len(above) - len(bare)]:
            return []
        if _TRY.match(bare) and not _has_clause(below, depth):
            found.append(depth)
        if not depth:
            break
    return found


def _has_clause(below: str, column: int) -> bool:
    """Does a clause of a `try` in a column follow its block?"""
    for one in below[:_MAX_CHARS].splitlines()[:_MAX_LINES]:
        if one.strip() and _width(one) <= column:
            return _width(one) == column and _CLAUSE.match(one.lstrip()) is not None
    return False


def _block_end(lines: list[str], column: int) -> int:
    """How many of the lines belong to a block of a header in a column."""
    end = 0
    for number, one in enumerate(lines[:_MAX_LINES], start=1):
        if one.strip() and _width(one) <= column:
            break
        if one.strip():
            end = number
    return end


def _is_deeper(line: str, blank: str) -> bool:
    return line.expandtabs().startswith(blank.expandtabs() + " ")


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _step(left: str, blank: str) -> str:
    """What one block is indented by."""
    return "\t" if blank.endswith("\t") or "\n\t" in left else "    "
