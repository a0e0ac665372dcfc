"""Whether the cursor cuts a symbol in two: a number, an operator, a string's quotes or prefix. Text written there makes another symbol."""

from __future__ import annotations

import re

from ....common.line_ends import LINE_END, line_start

_NUMBER = re.compile(
    r"""(?:(?<![\w.])|(?<=\.\.))(?:
        0[xXbBoO][\w.]+                                    # a dot: as in 0x1.8p3
        | (?:\d[\d_]*(?:\.(?![.\s])(?=\d|[eE]|\W|\Z)[\d_]*)?|\.\d[\d_]*)(?:[eEpP][+-]?\d[\d_]*)?\w*
    )""",
    re.VERBOSE,
)
_LONGEST_LINE = 2_000
"""The most characters of a number's line read on each side of the cursor."""
_OPERATOR = re.compile(
    r"<!--|>>>=|!==|&&=|&\^=|\*\*=|-->|\.\.\.|\.\.<|\.\.=|//=|<<=|<=>|===|>>=|>>>|\?\?=|\|\|=|!=|%=|"
    r"&&|&=|&\^|\*\*|\*/|\*=|\+\+|\+=|--|-=|->|\.\.|/\*|//|/=|:=|<-|<<|<=|==|=>|=~|>=|>>|\?\.|\?\?|"
    r"\^=|\|=|\|\||~=|"
    r"[^\w\s]"
)
_RUN = re.compile(r"[-+*/%=<>!&|^~?:.]+")
_IN_TWO_ROLES = frozenset({">>", ">>>", "||", "<<"})
"""Operators that may be two symbols, such as the ends of type arguments or of a closure's parameters: people write blanks around the
operator."""
_PREFIX = re.compile(r"(?:^|[^\w'\"])[rbfuRBFUtTL]{1,2}\Z")
_QUOTES = re.compile(r"(['\"])\1*")


def in_number(text: str, offset: int) -> bool:
    """Whether an offset is inside a number: `80|80`, `0x1|F`, `3|.14`, `1e|-5`."""
    if not 0 < offset < len(text) or not (text[offset - 1] in "+-._" or text[offset - 1].isalnum()):
        return False
    start, end = _line(text, offset)
    return any(number.start() < offset < number.end() for number in _NUMBER.finditer(text, start, end))


def cuts_symbol(text: str, offset: int) -> bool:
    """Whether an offset in code is inside an operator, or in or before a string's opening quotes. For valid files only: in others these
    characters may belong to different symbols."""
    if not 0 < offset < len(text):
        return False
    start, end = _line(text, offset)
    for run in _RUN.finditer(text, start, end):
        if run.start() < offset < run.end():
            return any(
                symbol.start() < offset < symbol.end() and (symbol[0] not in _IN_TWO_ROLES or _is_apart(text, symbol))
                for symbol in _OPERATOR.finditer(text, run.start(), run.end())
            )
    if text[offset] in "\"'":
        quotes = _QUOTES.match(text, offset)
        before = text[start:offset]
        opened = len(before) - len(before.rstrip(text[offset]))
        return _PREFIX.search(before) is not None or (
            opened > 0 and quotes is not None and opened + len(quotes[0]) == 3
        )
    return False


def _is_apart(text: str, symbol: re.Match[str]) -> bool:
    """Whether an operator has blanks on both sides, and an operand before it."""
    before = text[max(0, symbol.start() - 40) : symbol.start()]
    operand = before.rstrip()[-1:]
    return (
        text[symbol.end() : symbol.end() + 1].isspace()
        and before[-1:].isspace()
        and (operand.isalnum() or operand in ")]}_\"'`")
    )


def _line(text: str, offset: int) -> tuple[int, int]:
    """The part of a line around an offset to search."""
    end = LINE_END.search(text, offset, offset + _LONGEST_LINE)
    stop = min(len(text), offset + _LONGEST_LINE) if end is None else end.start()
    return max(line_start(text, offset), offset - _LONGEST_LINE), stop
