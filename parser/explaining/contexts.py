"""The contexts of a hole as automata of terminals, for the Earley reference.

The left context is shortened by what the fast engine knows: terminals between two places with equal stacks and blocks can be left
out, since the same may follow both. The right context of Python is shortened to one plain statement for each block. Indentation that
the hole decides is any, as in the paper: NEWLINE, NEWLINE INDENT, or NEWLINE DEDENT+.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from ..blocks import SAME_BLOCK, Frame, Line
from ..earley import Nfa
from ..hole import State
from ..lalr import END
from ..left import Engine
from ..lexing import ANY_LINE, Token
from ..python.lexer import PythonLexer
from ..right import ANY_TEXT
from ..stacks import Stacks

_MAX_SYMBOLS = 50_000
"""Terminals of a right context that are looked at."""
_NOT_FRESH = ("else", "elif", "except", "finally", "case")
"""What goes on with the statement before it; "case" belongs to no list of statements."""


class _Path:
    """An automaton under construction: a path, with branches that join again."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, str, int]] = []
        self.ends: set[int] = {0}
        self._made = 0

    def then(self, terminal: str) -> None:
        """One terminal."""
        self._made += 1
        self.edges += [(at, terminal, self._made) for at in sorted(self.ends)]
        self.ends = {self._made}

    def options(self, alternatives: Iterable[Sequence[str]], *, repeated: Sequence[str] = ()) -> None:
        """One of some sequences of terminals; those in repeated may come once or more often."""
        before, after = self.ends, set[int]()
        for alternative in alternatives:
            self.ends = before
            for terminal in alternative:
                self.then(terminal)
            after |= self.ends
        for terminal in repeated:
            self.ends = before
            self.then(terminal)
            self.edges.append((self._made, terminal, self._made))
            after |= self.ends
        self.ends = after

    def line(self, *, indent: bool) -> None:
        """A logical line whose column the hole decides."""
        self.then("NEWLINE")
        self.options([(), ("INDENT",)] if indent else [()], repeated=["DEDENT"])

    def automaton(self) -> Nfa:
        return Nfa(frozenset((0,)), frozenset(self.ends), tuple(self.edges))


@dataclass(frozen=True)
class RightPath:
    """What stands for a right context; None: it does not begin with a whole symbol; open: it may be followed by anything."""

    automaton: Nfa | None
    open: bool = False


def left_path(state: State, before: str) -> Nfa | None:
    """Automaton of the left context, up to where the symbol in progress may end; None where the text does not lead to the state."""
    engine, path = state.context.engine, _Path()
    found = _left_symbols(engine, before)
    if found is None:
        return None
    symbols, stacks = found
    for name in symbols:
        path.then(name)
    names, before_last = engine.factory.tables.terminals, path.ends
    ends: set[int] = set()
    for tokens in engine.lexer.expected(state.left.lex):
        path.ends = before_last
        for token in tokens:
            if token is not ANY_LINE:
                path.then(names[token] if token != -1 else "")  # type: ignore[index, operator]
            elif not stacks.depth:
                path.line(indent=True)
        ends |= path.ends
    path.ends = ends or before_last
    return path.automaton()


def _left_symbols(engine: Engine, text: str) -> tuple[list[str], Stacks] | None:
    """The terminals of a left context without those that make no difference, and the stacks after them."""
    names, step = engine.factory.tables.terminals, engine.lexer.step
    lex, frame, stacks = engine.start.lex, engine.start.frame, engine.start.stacks
    symbols: list[str] = []
    seen: dict[tuple[Frame, Stacks], int] = {(frame, stacks): 0}  # in the order of the lengths
    for char in text:
        after, tokens = step(lex, char)
        if after is None:
            return None
        lex = after
        for token in tokens:
            fed = engine.feed(frame, stacks, (token,))
            if fed is None:
                return None
            if isinstance(token, Line):
                if stacks.depth:
                    continue
                levels = fed[0].level - frame.level
                symbols += ["NEWLINE", *(["INDENT"] if levels > 0 else ["DEDENT"] * -levels)]
            else:
                symbols.append(names[token])
            frame, stacks = fed
            known = seen.get(fed)
            if known is None:
                seen[fed] = len(symbols)
                continue
            del symbols[known:]
            while next(reversed(seen.values())) > known:
                seen.popitem()
    return symbols, stacks


def right_path(state: State) -> RightPath:
    """Automaton of the right context, read from its first character on as whole symbols."""
    engine, lex = state.context.engine, state.left.lex
    lexer = engine.lexer
    entry = lexer.between(lex.context) if isinstance(lexer, PythonLexer) else lexer.start
    tokens = list(islice(state.context.right.run(entry).all_tokens(engine), _MAX_SYMBOLS))
    if tokens and tokens[-1] == ANY_TEXT:
        return RightPath(None, open=True)
    if not tokens or tokens[-1] != END:
        return RightPath(None)
    names = engine.factory.tables.terminals
    if engine.blocks is None:
        return RightPath(Nfa.of_word(names[t] for t in tokens[:-1] if isinstance(t, int)))
    assert isinstance(lexer, PythonLexer)
    return RightPath(_with_layout(_logical_lines(tokens[:-1], lexer), lexer, names))


@dataclass(frozen=True)
class _LogicalLine:
    """column: None for the rest of the hole's own line."""

    column: int | None
    symbols: list[int]


def _logical_lines(tokens: Iterable[Token], lexer: PythonLexer) -> list[_LogicalLine]:
    """A text's lines outside the brackets open before it, of which there must be as many as it closes."""
    opening = {lexer.operators[bracket] for bracket in "([{"} | {lexer.templates.open_field}
    closing = {lexer.operators[bracket] for bracket in ")]}"} | {lexer.templates.close_field}
    tokens, depth, lowest = list(tokens), 0, 0
    for token in tokens:
        depth += (token in opening) - (token in closing)
        lowest = min(lowest, depth)
    lines, depth = [_LogicalLine(None, [])], -lowest
    for token in tokens:
        if isinstance(token, Line):
            if not depth:
                lines.append(_LogicalLine(token.column, []))
            continue
        depth += (token in opening) - (token in closing)
        lines[-1].symbols.append(token)
    return lines


def _with_layout(lines: list[_LogicalLine], lexer: PythonLexer, names: Sequence[str]) -> Nfa:
    path, columns = _Path(), list[int]()
    for line in _shortened(lines, lexer):
        column = line.column
        if column == SAME_BLOCK:
            path.then("NEWLINE")
        elif column is not None and not columns:
            path.line(indent=column > 0)
            columns.append(column)
        elif column is not None:
            path.then("NEWLINE")
            if column > columns[-1]:
                path.then("INDENT")
                columns.append(column)
            while column < columns[-1]:
                columns.pop()
                if columns:
                    path.then("DEDENT")
                else:  # blocks that the left context or the hole opened, one at least
                    path.options([], repeated=["DEDENT"])
                    columns.append(column)
        for symbol in line.symbols:
            path.then(names[symbol])
    return path.automaton()


def _shortened(lines: list[_LogicalLine], lexer: PythonLexer) -> list[_LogicalLine]:
    """The same with one `pass` for the statements of each block that begin and end here."""
    keeps = {lexer.keywords[word] for word in _NOT_FRESH if word in lexer.keywords}
    at, plain = lexer.operators["@"], [lexer.keywords["pass"]]
    kept: list[_LogicalLine] = []
    stands: int | None = None  # the column of the innermost block that has its `pass`
    inside: int | None = None  # the column of a statement that is being left out
    decorated = False
    for line in lines:
        column = line.column
        if column is None or column == SAME_BLOCK:
            kept.append(line)
            continue
        goes_on = bool(line.symbols) and line.symbols[0] in keeps
        if inside is not None and (column > inside or (column == inside and (goes_on or decorated))):
            if column == inside:
                decorated = line.symbols[:1] == [at]
            continue
        inside = None
        if stands is not None and stands > column:
            stands = None
        if goes_on or not line.symbols:
            kept.append(line)
            continue
        inside, decorated = column, line.symbols[0] == at
        if stands is None:
            stands = column
            kept.append(_LogicalLine(column, plain))
    return kept
