"""The brackets and blocks open at the end of a left context, and their places, as the lexer sees them."""

from __future__ import annotations

from dataclasses import dataclass

from ...common.brackets import OPENERS
from ..glr.layout import Line
from ..glr.prefix import Engine, PrefixState


@dataclass(frozen=True)
class OpenBracket:
    """offset: in the left context; None where that was not given."""

    text: str
    offset: int | None


@dataclass(frozen=True)
class OpenBlock:
    """A block; its own column, and the line that opened it."""

    column: int
    header: str
    offset: int | None
    """of the header's first character; None where it is not known"""


@dataclass(frozen=True)
class Surroundings:
    """The surroundings as the lexer alone sees them; a file broken above may list too many."""

    brackets: tuple[OpenBracket, ...]
    """outermost first"""
    blocks: tuple[OpenBlock, ...]
    symbol: int
    """the beginning of the symbol in progress; the end of the text when there is none"""


def surroundings(engine: Engine, text: str) -> Surroundings:
    """Read a left context; where the lexer gives up, start anew at the next line."""
    if engine.lexer.asks:
        return _by_stacks(engine, text)
    lexer = engine.lexer
    brackets: list[OpenBracket] = []
    blocks: list[tuple[int, int]] = []  # (column, offset of the line that opened it)
    line = symbol = 0
    lex, i = lexer.start, 0
    while i < len(text):
        after, tokens = lexer.step(lex, text[i])
        if after is None:
            i = text.find("\n", i) + 1
            if not i:
                break
            lex = getattr(lexer, "new_line", lexer.start)
            continue
        if not lexer.in_words(lex) or tokens:
            symbol = i
        for token in tokens:
            if isinstance(token, Line) and not brackets:
                while blocks and token.column < blocks[-1][0]:
                    blocks.pop()
                if token.column > (blocks[-1][0] if blocks else 0):
                    blocks.append((token.column, line))
                line = i
        if tokens and text[i] in "([{":
            brackets.append(OpenBracket(text[i], i))
        elif tokens and brackets and OPENERS.get(text[i]) == brackets[-1].text:
            brackets.pop()
        lex, i = after, i + 1
    if not lexer.in_words(lex):
        symbol = len(text)
    while symbol < len(text) and text[symbol].isspace():
        symbol += 1
    return Surroundings(tuple(brackets), tuple(_block(text, *block) for block in blocks), symbol)


def _by_stacks(engine: Engine, text: str) -> Surroundings:
    """As `surroundings` where the lexer asks the stacks: their open symbols are brackets."""
    brackets: list[OpenBracket] = []
    raw, symbol = (engine.start.lex, engine.start.frame, engine.start.stacks), 0
    for i, char in enumerate(text):
        after = engine.read_raw(raw, char)
        if after is None:
            break
        if not engine.lexer.in_words(raw[0]) or after[2] is not raw[2]:
            symbol = i
        opened = after[2].depth - raw[2].depth
        if opened > 0:
            brackets += [OpenBracket(char, i)] * opened
        elif opened < 0:
            del brackets[opened:]
        raw = after
    if not engine.lexer.in_words(raw[0]):
        symbol = len(text)
    while symbol < len(text) and text[symbol].isspace():
        symbol += 1
    return Surroundings(tuple(brackets), (), symbol)


def _block(text: str, column: int, line: int) -> OpenBlock:
    end = text.find("\n", line)
    return OpenBlock(column, text[line : end if end >= 0 else len(text)].strip(), line)


def columns_of(left: PrefixState) -> list[int]:
    """The columns of the open blocks, outermost first, without the file's own."""
    return [frame.column for frame in left.frame.outward()][-2::-1]
