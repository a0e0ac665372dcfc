"""The possible texts at a place of a hole."""

from __future__ import annotations

from dataclasses import dataclass

from ..glr.layout import Line
from ..glr.prefix import PrefixState
from ..hole import State
from ..languages.python.lexer.entries import context_of
from ..languages.python.lexer.lines import InIndentation, LineComment, StartOfFile
from ..lexing.base import settled
from ..lexing.boundaries import AutomatonLexer
from .surroundings import OpenBlock, OpenBracket, columns_of, surroundings
from .symbols import Accepted, becoming, upcoming

_INDENT = 4


@dataclass(frozen=True)
class Layout:
    """The possible beginnings of a logical line: the one with the cursor in its indentation, else the next."""

    here: bool
    """whether the cursor is in the indentation of that line"""
    columns: tuple[int, ...]
    """those of open blocks, innermost first"""
    deeper_than: int | None
    """a new block may, and must where there are no columns, open at any column past this one; None: none opens"""


@dataclass(frozen=True)
class Explanation:
    """The continuations accepted by a state of a hole, in plain values."""

    complete: bool
    """whether left + text so far + right is a valid file"""
    within: str
    """the symbol around the cursor, in words; "" between symbols"""
    text: str
    """the symbol in progress, where the left context was given"""
    becomes: tuple[Accepted, ...]
    """the symbols it can still become"""
    closers: tuple[str, ...]
    """short texts that end it, where it has to end"""
    accepted: tuple[Accepted, ...]
    """the possible next symbols, after the one in progress where that may end here"""
    layout: Layout | None
    """None where lines mean nothing: in brackets, in a string, in languages without indentation"""
    brackets: tuple[OpenBracket, ...]
    """the open ones, outermost first; all of them lie in the innermost block"""
    blocks: tuple[OpenBlock, ...]
    """outermost first"""
    wanted: str = ""
    """expectations in words, where the language knows more than symbols, such as types"""


def explain(state: State, before: str | None = None) -> Explanation:
    """The possible continuations of a state; before: the text up to there, for the places of open brackets and blocks.

    Takes a few milliseconds, and another for some thousand characters of `before`.
    """
    left = state.left
    brackets, blocks, text = _open(state, before)
    accepted = upcoming(state)
    lexer = state.context.engine.lexer
    within = lexer.in_words(left.lex)
    becomes = becoming(state) if within else ()
    if within and isinstance(lexer, AutomatonLexer) and accepted and not becomes:
        within = "ignored text" if text.strip() else ""
    return Explanation(
        complete=state.complete,
        within=within,
        text=text if within else "",
        becomes=becomes,
        closers=_closers(state) if within and not accepted else (),
        accepted=accepted,
        layout=_layout(state),
        brackets=brackets,
        blocks=blocks,
    )


def _closers(state: State) -> tuple[str, ...]:
    return tuple(text for text in state.context.engine.lexer.closers(state.left.lex) if state.advance(text) is not None)


def _open(state: State, before: str | None) -> tuple[tuple[OpenBracket, ...], tuple[OpenBlock, ...], str]:
    """(brackets, blocks, symbol in progress): the state decides, the text only gives their places."""
    depth, columns = state.left.stacks.depth, columns_of(state.left)
    if before is None:
        return (OpenBracket("", None),) * depth, tuple(OpenBlock(column, "", None) for column in columns), ""
    around = surroundings(state.context.engine, before)
    placed = around.brackets[len(around.brackets) - depth :] if depth <= len(around.brackets) else ()
    brackets = (OpenBracket("", None),) * (depth - len(placed)) + placed
    by_column = {block.column: block for block in around.blocks}
    blocks = tuple(by_column.get(column, OpenBlock(column, "", None)) for column in columns)
    return brackets, blocks, before[around.symbol :]


def _layout(state: State) -> Layout | None:
    engine, left = state.context.engine, state.left
    blocks, lexer, lex = engine.blocks, engine.lexer, settled(left.lex)
    symbol = lex.symbol
    if blocks is None or context_of(lex) is not None:
        return None
    here = isinstance(symbol, InIndentation)
    if isinstance(symbol, InIndentation) and not symbol.is_pending:  # the first line of the file
        return Layout(True, (0,), None)
    between: PrefixState | None = left
    if not here and lexer.in_words(lex) and not lexer.in_comment(lex):
        after = state.advance(" ")
        between = after.left if after is not None and not lexer.in_words(after.left.lex) else None
    if between is None or between.stacks.depth or isinstance(symbol, StartOfFile):
        return None
    if isinstance(symbol, LineComment) and not symbol.is_pending:
        return Layout(False, (0,), None)
    advance, tables = engine.factory.advance, engine.factory.tables
    indent, terminals = tables.terminal("INDENT"), range(len(tables.terminals))
    columns: list[int] = []
    for frame in between.frame.outward():
        moved = blocks.start_line(between.frame, between.stacks, Line(frame.column, frame.alt_column))
        if moved is not None and any(t != indent and advance(moved[1], t) is not None for t in terminals):
            columns.append(frame.column)
    deeper = Line(between.frame.column + _INDENT, between.frame.alt_column + _INDENT)
    opens = blocks.start_line(between.frame, between.stacks, deeper) is not None
    if not columns and not opens:
        return None
    return Layout(here, tuple(columns), between.frame.column if opens else None)
