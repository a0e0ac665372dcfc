"""Suggestions that repeat existing code: the lines below, the line above, their own line or words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ....common.line_ends import LINE_END, line_start
from ....common.words import compiled
from .thoughts import calls_itself

if TYPE_CHECKING:
    from ....parser.language_runtime import Repeats

_SHOWN_BELOW = 40  # lines of the right context to compare, more than a suggestion has
_PIECE = compiled(r"</[\w.:-]*>|\w+|[^\w\s]")
_KEY = compiled(r"""(["'])(\w+)\1\s*:|[()\[\]{}]""")
# Words and signs repeated in a row: 3 of 10,000 lines of people's code have that; with 3 pieces it is 7.
_PERIOD = 4
_DOTTED = compiled(r"[\w.]+")
_GOES_ON = re.compile(r"[(\[{,\\][ \t]*(?:#.*)?\s*\Z")  # a line, or a bracket's contents
_MAPPING = 10_000  # characters on either side to search for a mapping's keys
_IN_MAPPING = re.compile(r"""\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[^\s\w]|\w+""")
_KEYED = re.compile(r"[\"'][ \t]*:")
_DEFINED = compiled(r"(?P<blank>[ \t]*+)(?:async +)?(?:def|class) +(?P<name>\w++)(?!\Z)")
_DEFINES_MORE = compiled(
    r"@.*\b_?(?:setter|getter|deleter|overload|register|wraps)\b|@(?:given|when|then|step)\b|@(?P<name>\w+)\."
)
_NEXT_LINE = re.compile(r"[ \t]*(?:\r\n|\r|\n)\s*(?=\S)")
_NEAR = 3  # lines above and below to compare with a line
_IMPORTS = 20_000  # characters on either side to search for the same import
IMPORTING = re.compile(r"(?:from|import)\b")
_MAIN = "if __name__ "
# One sign again and again, as in `# → → → →`: none of 30,000 lines of people's Python and Go has that.
_SIGNS = compiled(r"(?<![^\w\s])(?P<sign>[^\w\s])(?:[ \t]++(?P=sign)){3,}(?![^\w\s])")
_JOINING = (",", "+", "-", "*", "/", "|", "&", ".", "or", "and", "not", "=")  # no text ends with these
_ALTERNATIVES = ("or", "and")  # between two equal operands; one word less suffices
_BINDS = frozenset("+-*/%@<>=!&|^.~")  # between operands, with higher precedence than these
_GOES_ON_WITH = _BINDS | {"(", "[", "{"}
_LONGEST = 240  # the most words and signs searched


def cuts(
    left: str, suggestion: str, right: str, repeats: Repeats, comment: str = "", near: int = _NEAR
) -> Iterator[int]:
    """The lengths of a suggestion to show, in characters, if it repeats its surroundings; 0: none of it. comment: the language's comment
    mark. near: the number of lines above and below to compare with its first one.

    - It is, or begins with, the line below: none. Its last lines are those below, or two of its lines the next two: the text before them.
    - It assigns something to itself, or imports a name already imported by the file: none.
    - It makes its line equal to one of the nearest but for a comment, or an import equal to any: none. One of its lines equals the one
      before, or comes once more after its block: the text before it. Lines without a letter or digit (closing brackets) say too little to
      count, and so do lines the language often repeats.
    - Several words and signs come twice in a row, or a few three times, or a key twice in a mapping: the text before the second, or less. One
      sign comes again and again: the text before it.
    """
    begun = _NEXT_LINE.match(suggestion)
    if begun is not None:  # below the user's line, which stays as it is
        behind = cuts(left + begun[0], suggestion[begun.end() :], right, repeats, comment, near=1)
        yield from (end and begun.end() + end for end in behind)
        return
    lines, ends = _lines(left, suggestion)
    rest, *following = LINE_END.split(right[: 200 * _SHOWN_BELOW], maxsplit=_SHOWN_BELOW)
    below = [line.rstrip() for line in following if line.strip()] if not rest.strip() else []
    first = lines[0]
    if below and _says_something(first) and first == below[0]:
        yield 0
        return
    start = _line_before(left)
    if says_nothing(left, suggestion, right, repeats):
        yield 0
        return
    above = _nearest(reversed(LINE_END.split(left[: len(left) - len(start)])))[:near]
    if not rest.strip() and _stands_nearby(start, first, above, below[:near], left, right, repeats, comment):
        yield 0
        return
    for i in range(1, len(lines)):
        tail = [line for line in lines[i:] if line]
        goes_on = tail == below[: len(tail)] or (len(below) > 1 and tail[:2] == below[:2])
        same_as_below = goes_on and any(map(_says_something, tail[:2] if len(tail) > 1 else tail))
        if same_as_below or _comes_again(lines[:i], lines[i], repeats, comment):
            yield ends[i - 1]
            return
    signs = _SIGNS.search(start + suggestion)
    if signs is not None and signs.start() >= len(start):
        kept = suggestion[: signs.start() - len(start)].rstrip()
        if _says_something(kept):
            yield len(kept)
        yield 0
        return
    yield from _before_loop(start, suggestion)


def is_next_line(left: str, suggestion: str, right: str) -> bool:
    """Whether a suggestion, or its first line, equals the line below the cursor's."""
    rest, _, below = right[: 200 * _SHOWN_BELOW].partition("\n")
    following = next((line.rstrip() for line in below.splitlines() if line.strip()), None)
    return not rest.strip() and _lines(left, suggestion)[0][0] == following


def says_nothing(left: str, suggestion: str, right: str, repeats: Repeats) -> bool:
    """Whether a suggestion assigns a name to itself, repeats the call of its own function, or an import, a definition of its block or a key
    of its mapping."""
    return (
        assigns_to_itself(left, suggestion, right)
        or calls_itself(left, suggestion)
        or imports_again(left, suggestion, right)
        or defines_again(left, suggestion, repeats.defined or _DEFINED)
        or repeats_key(left, suggestion, right)
    )


def repeats_key(left: str, suggestion: str, right: str) -> bool:
    """Whether a suggestion writes a key, quoted and with a colon, already in the braces around, above or below."""
    if _KEYED.search(suggestion + right[:_NEAR]) is None:
        return False
    start = max(0, len(left) - _MAPPING)
    begin, end = len(left) - start, len(left) - start + len(suggestion)
    keys = [dict[str, bool]()]  # for each open bracket its keys, and whether the suggestion writes them
    before = key = ""
    said = False
    for piece in _IN_MAPPING.finditer(left[start:] + suggestion + right[:_MAPPING]):
        text = piece[0]
        if text in "([{":
            keys.append({})
        elif text in ")]}":
            keys = keys[:-1] or [{}]
        elif text == ":" and key:
            others = keys[-1]
            if others.setdefault(key, said) != said:
                return True
        key = text[1:-1] if text[0] in "\"'" and before in ("{", ",") else ""
        said = piece.start() < end and piece.end() > begin
        before = text
        if piece.start() >= end and len(keys) == 1:
            break
    return False


def defines_again(left: str, suggestion: str, defined: re.Pattern[str] = _DEFINED) -> bool:
    """Whether a suggestion names a function or class already in its block above, without a decorator to explain it. defined: see `Repeats`.

    Of 12,449 functions and classes with another decorator, in 6,000 files, 78 repeat a name of their block.
    """
    before, line = _line_before(left), _lines(left, suggestion)[0][0]
    named = defined.match(line)
    if named is None or defined.match(before) is not None:  # the user has named it
        return False
    blank = named["blank"]
    above: list[str] = LINE_END.split(left[-_IMPORTS:])[:-1]
    decorators = (_DEFINES_MORE.match(decorator) for decorator in _decorators(above, len(blank)))
    if named["name"] == "_" or any(
        decorator and decorator["name"] in (None, named["name"]) for decorator in decorators
    ):
        return False
    for line_above in reversed(above):
        if line_above.strip() and len(line_above) - len(line_above.lstrip()) < len(blank):
            return False
        if line_above.startswith(blank) and (other := defined.match(line_above)) and other["blank"] == blank:
            if other["name"] == named["name"]:
                return True
    return False


def _decorators(above: Sequence[str], indent: int) -> Iterator[str]:
    """The decorators at the end of some lines, the nearest first, without those of several lines."""
    open_lines = 0
    for line in reversed(above):
        text = line.strip()
        if text.startswith("@") and len(line) - len(line.lstrip()) == indent:
            open_lines = 0
            yield text
        elif text[:1] in (")", "]", "}") or (open_lines and len(line) - len(line.lstrip()) > indent):
            open_lines += 1
        elif text:
            return


def _is_in_brackets(left: str) -> bool:
    """Whether the line above continues in the cursor's line."""
    return _GOES_ON.search(left[: len(left) - len(_line_before(left))][-_LONGEST:]) is not None


def assigns_to_itself(left: str, suggestion: str, right: str) -> bool:
    """Whether a suggestion makes its line `name = name`, or `node.next = node`. Of 10,684 assignments to a variable's attribute 13 do."""
    rest = LINE_END.split(right[:_LONGEST], maxsplit=1)[0]
    target, _, value = (part.strip() for part in _lines(left, suggestion)[0][0].partition("="))
    if rest.strip() or not _DOTTED.fullmatch(target) or _is_in_brackets(left):
        return False
    return target == value or (target.rpartition(".")[0] == value and value not in ("", "self", "cls"))


def imports_again(left: str, suggestion: str, right: str) -> bool:
    """Whether a suggestion makes its line an import of a name already imported by it or by a line above."""
    rest = LINE_END.split(right[:_LONGEST], maxsplit=1)[0]
    line = _lines(left, suggestion)[0][0]
    if rest.strip() or line[:1].isspace() or not IMPORTING.match(line):
        return False
    above = LINE_END.split(left[-_IMPORTS:])[:-1]
    imported = {name for other in above if IMPORTING.match(other) for name in _imported(other)}
    names = _imported(line)
    return not imported.isdisjoint(names) or len(set(names)) < len(names)


def _imported(line: str) -> list[str]:
    """The names bound by an import in one line; none for `import a.b`, which may stand several times."""
    names = line.partition("#")[0].partition("import ")[2].strip("() \t").split(",")
    bound = (name.rpartition(" as ")[2].strip() for name in names)
    return [name for name in bound if name.isidentifier()]


def _nearest(lines: Iterable[str]) -> list[str]:
    return list(itertools.islice((line.rstrip() for line in lines if line.strip()), _NEAR))


def _stands_nearby(
    start: str, line: str, above: list[str], below: list[str], left: str, right: str, repeats: Repeats, comment: str
) -> bool:
    """Whether a line equals one near it but for a comment, and is seldom written twice in the language."""
    if not _says_something(line) or (repeats.often is not None and repeats.often.fullmatch(line.strip())):
        return False
    if IMPORTING.match(line) or line.startswith(_MAIN):
        others = (*LINE_END.split(left[-_IMPORTS:]), *LINE_END.split(right[:_IMPORTS]))
        return line in others and not line.endswith(("(", "{"))
    if above and not start.strip() and _is_over(above[0], line, comment):
        return True
    near = (above[:2],) if start.strip() else (above, below)
    return any(_stands_among(line, lines, repeats.in_other_blocks, comment) for lines in near)


def _comes_again(above: Sequence[str], line: str, repeats: Repeats, comment: str) -> bool:
    """Whether a line of a text says the same as the one before: in its block, or once more after its end."""
    if not _says_something(line):
        return False
    if repeats.often is not None and repeats.often.fullmatch(line.strip()):
        return line == above[-1]
    before = next((other for other in reversed(above) if other.strip()), "")
    return _is_same(before, line, comment) or _is_over(before, line, comment)


def _is_over(before: str, line: str, comment: str) -> bool:
    """Whether a line repeats the last one of a finished block: 18 of 538,069 lines of Python do, none of 445,134 of Go."""
    return _indent(line) < _indent(before) and _code(before, comment) == _code(line, comment)


def _is_same(line: str, other: str, comment: str) -> bool:
    """Whether two lines are equal but for comments: of 388,123 lines of Python 23 are equal only without them, and one of three above."""
    return line == other or (_indent(line) == _indent(other) and _code(line, comment) == _code(other, comment))


def _code(line: str, comment: str) -> str:
    """A line without its indentation, and without a trailing comment free of quotes."""
    line = line.strip()
    code, _, said = line.partition(f" {comment}") if comment and not line.startswith(comment) else (line, "", "")
    return line if any(quote in said for quote in "\"'`") else code.rstrip()


def _stands_among(line: str, lines: Sequence[str], within: bool, comment: str) -> bool:
    """Whether a line is one of some lines, the nearest first. within: only of its own block, which ends at a line indented less."""
    for other in lines:
        if _is_same(other, line, comment):
            return True
        if within and _indent(other) < _indent(line):
            return False
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _before_loop(before: str, suggestion: str) -> Iterator[int]:
    """The lengths of a suggestion to show if it goes round in circles, the longest first; the user's own beginning is no circle."""
    again = _again(before + suggestion)
    if again is None or again < len(before) or _again(before) is not None:
        return
    pieces = list(_PIECE.finditer(suggestion, 0, again - len(before)))
    yield from (piece.end() for piece in reversed(pieces) if piece[0] not in _JOINING)
    yield 0


def _again(text: str) -> int | None:
    """The offset where a text first repeats itself."""
    pieces = list(itertools.islice(_PIECE.finditer(text), _LONGEST))
    words = [piece[0] for piece in pieces]
    starts: list[int] = []
    for period in range(1, _PERIOD):
        for first in range(len(words) - 3 * period + 1):
            once = words[first : first + period]
            if words[first : first + 3 * period] == 3 * once and any(map(_is_name, once)):
                starts.append(pieces[first + period].start())
                break
    for period in range(_PERIOD, len(words) // 2 + 2):
        same = 0  # the number of words up to here equal to those a period later
        round_again = None
        for i in range(len(words) - period):
            same = same + 1 if words[i] == words[i + period] else 0
            first = i + 2 - period  # of the possibly repeated part, without the text between
            if same < period - 1 or not any(map(_is_name, words[first : first + period])):
                continue
            if words[first + period - 1] in _ALTERNATIVES and _are_whole(words, first, period):
                starts.append(pieces[first + period].start())
                round_again = None
                break
            if same >= period and round_again is None:
                round_again = pieces[i + 1].start()
        if round_again is not None:
            starts.append(round_again)
    keys: list[str] = []
    for match in _KEY.finditer(text):
        if match[2] is None:
            keys.clear()  # another mapping
        elif match[2] in keys:
            starts.append(match.start())
            break
        else:
            keys.append(match[2])
    return min(starts, default=None)


def _are_whole(words: Sequence[str], first: int, period: int) -> bool:
    """Whether two equal alternatives are whole operands: `b or b`, but not those in `a == b or b + c` and `b.c or b.c.d`."""
    before, behind = words[max(0, first - 1) : first], words[first + 2 * period - 1 :][:1]
    return _BINDS.isdisjoint(before) and _GOES_ON_WITH.isdisjoint(behind)


def _is_name(word: str) -> bool:
    return word[0].isalpha() or word[0] == "_"


def _lines(left: str, suggestion: str) -> tuple[list[str], list[int]]:
    """The suggestion's lines as in the file, without trailing white space, and their ends in the suggestion."""
    ends = [match.start() for match in LINE_END.finditer(suggestion)] + [len(suggestion)]
    lines = LINE_END.split(_line_before(left) + suggestion)
    return [line.rstrip() for line in lines], ends


def _line_before(left: str) -> str:
    return left[line_start(left) :]


def _says_something(line: str) -> bool:
    return any(char.isalnum() for char in line)
