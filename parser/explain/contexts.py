"""The contexts of a hole as automata of terminals, for the Earley reference.

The left context is shortened with the fast engine's help: terminals between two places with equal stacks and blocks can be left out, since
the same may follow both. So is the right one, read backwards with the tables of the reversed grammar; in Python it is cut down to one plain
statement for each block. Indentation decided by the hole is left open, as in the paper: NEWLINE, NEWLINE INDENT, or NEWLINE DEDENT+.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ..earley import Nfa
from ..earley.cfg import Rule
from ..glr.gss import Gss, GssState
from ..glr.layout import SAME_BLOCK, Line
from ..glr.prefix import Engine
from ..glr.suffix import ANY_TEXT
from ..grammar import lalr
from ..grammar.lalr import END
from ..grammar.loader import Grammar
from ..hole import State
from ..languages.python.layout import CLAUSES
from ..languages.python.lexer.entries import context_of
from ..languages.python.lexer.python_lexer import PythonLexer
from ..lexing.base import Token

_MAX_SYMBOLS = 300_000
"""The most terminals read of a right context; some 5 microseconds each."""
_NO_LIMIT = 1 << 60


class _Loopless:
    """A word without the parts between two equal situations."""

    def __init__(self, start: Hashable) -> None:
        self.symbols: list[str] = []
        self._seen: dict[Hashable, int] = {start: 0}  # in the order of the lengths

    def then(self, symbols: Iterable[str], situation: Hashable) -> None:
        """Append symbols, and the situation after them."""
        self.symbols += symbols
        before = self._seen.get(situation)
        if before is None:
            self._seen[situation] = len(self.symbols)
            return
        del self.symbols[before:]
        while next(reversed(self._seen.values())) > before:
            self._seen.popitem()


class _Path:
    """An automaton under construction: a path with branches that join again."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, str, int]] = []
        self.ends: set[int] = {0}
        self._made = 0

    def then(self, terminal: str) -> None:
        """Append a terminal."""
        self._made += 1
        self.edges += [(end, terminal, self._made) for end in sorted(self.ends)]
        self.ends = {self._made}

    def options(self, alternatives: Iterable[Sequence[str]], *, repeated: Sequence[str] = ()) -> None:
        """Append one of these sequences of terminals; those in `repeated` may come once or more often."""
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
        """Append a logical line in a column decided by the hole."""
        self.then("NEWLINE")
        self.options([(), ("INDENT",)] if indent else [()], repeated=["DEDENT"])

    def automaton(self) -> Nfa:
        return Nfa(frozenset((0,)), frozenset(self.ends), tuple(self.edges))


@dataclass(frozen=True)
class SuffixPath:
    """The automaton of a right context; None: it does not begin with a whole symbol; open: anything may follow it."""

    automaton: Nfa | None
    open: bool = False
    too_long: bool = False


def left_path(state: State, before: str) -> Nfa | None:
    """The automaton of the left context, up to the possible ends of the symbol in progress; None where the text does not lead to the
    state."""
    engine, path = state.context.engine, _Path()
    read = _left_symbols(engine, before)
    if read is None:
        return None
    symbols, stacks = read
    for name in symbols:
        path.then(name)
    names, before_last = engine.factory.tables.terminals, path.ends
    ends: set[int] = set()
    for tokens in engine.lexer.expected(state.left.lex):
        path.ends = before_last
        for token in tokens:
            if isinstance(token, int):
                path.then(names[token] if token != -1 else "")
            elif not stacks.depth:
                path.line(indent=True)
        ends |= path.ends
    path.ends = ends or before_last
    return path.automaton()


def _left_symbols(engine: Engine, text: str) -> tuple[list[str], GssState] | None:
    """The terminals of a left context without those that make no difference, and the stacks after them."""
    names, step = engine.factory.tables.terminals, engine.lexer.step
    lex, frame, stacks = engine.start.lex, engine.start.frame, engine.start.stacks
    word = _Loopless((frame, stacks))
    for char in text:
        after, tokens = step(lex, char)
        if after is None:
            return None
        lex = after
        for token in tokens:
            fed = engine.feed(frame, stacks, (token,))
            if fed is None:
                return None
            if not isinstance(token, Line):
                word.then([names[token]], fed)
            elif not stacks.depth:
                levels = fed[0].level - frame.level
                word.then(["NEWLINE", *(["INDENT"] if levels > 0 else ["DEDENT"] * -levels)], fed)
            frame, stacks = fed
    return word.symbols, stacks


def right_path(state: State, grammar: Grammar) -> SuffixPath:
    """The automaton of the right context, read from its first character on as whole symbols; grammar: the language's."""
    engine, lex = state.context.engine, state.left.lex
    lexer = engine.lexer
    entry = lexer.between(context_of(lex)) if isinstance(lexer, PythonLexer) else lexer.start
    tokens = list(islice(state.context.right.run(entry).all_tokens(engine), _MAX_SYMBOLS))
    if tokens and tokens[-1] == ANY_TEXT:
        return SuffixPath(None, open=True)
    if not tokens or tokens[-1] != END:
        return SuffixPath(None, too_long=len(tokens) == _MAX_SYMBOLS)
    names = engine.factory.tables.terminals
    if engine.blocks is None:
        return SuffixPath(Nfa.of_word(_without_loops([names[t] for t in tokens[:-1] if isinstance(t, int)], grammar)))
    assert isinstance(lexer, PythonLexer)
    return SuffixPath(_with_layout(_logical_lines(tokens[:-1], lexer), lexer, names))


def _without_loops(symbols: list[str], grammar: Grammar) -> list[str]:
    """A right context without the terminals that make no difference."""
    tables = lalr.build(replace(grammar, rules=_reversed(grammar.rules)))
    numbers = {name: t for t, name in enumerate(tables.terminals)}
    factory = Gss(tables, {}, _NO_LIMIT, -1, -1)
    stacks, word = factory.start, _Loopless(factory.start)
    for symbol in reversed(symbols):
        after = factory.advance(stacks, numbers[symbol])
        if after is None:  # no text ends like this
            return symbols
        stacks = after
        word.then([symbol], stacks)
    return word.symbols[::-1]


def _reversed(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules of the reversed texts; lists are left-recursive again, so that stacks do not grow with them: A -> d A | b becomes A
    -> b | A# b, A# -> d | A# d."""
    turned: list[Rule] = []
    rules = [(lhs, rhs[::-1]) for lhs, rhs in rules]
    lists = {lhs for lhs, rhs in rules if len(rhs) > 1 and rhs[-1] == lhs}
    for lhs, rhs in rules:
        if lhs not in lists:
            turned.append((lhs, rhs))
        elif rhs[-1:] == (lhs,):
            turned += [(f"{lhs}#", rhs[:-1]), (f"{lhs}#", (f"{lhs}#", *rhs[:-1]))] if len(rhs) > 1 else []
        else:
            turned += [(lhs, rhs), (lhs, (f"{lhs}#", *rhs))]
    return tuple(turned)


@dataclass(frozen=True)
class _LogicalLine:
    """column: None for the rest of the hole's own line."""

    column: int | None
    symbols: list[int]


def _logical_lines(tokens: Iterable[Token], lexer: PythonLexer) -> list[_LogicalLine]:
    """A text's lines outside the brackets open before it; there must be as many of these as it closes."""
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
                else:  # blocks opened by the left context or the hole, one at least
                    path.options([], repeated=["DEDENT"])
                    columns.append(column)
        for symbol in line.symbols:
            path.then(names[symbol])
    return path.automaton()


def _shortened(lines: list[_LogicalLine], lexer: PythonLexer) -> list[_LogicalLine]:
    """The lines with one `pass` in place of the statements of each block that begin and end here."""
    keeps = {lexer.keywords[word] for word in CLAUSES if word in lexer.keywords}
    plain = [lexer.keywords["pass"]]
    kept: list[_LogicalLine] = []
    stands: int | None = None  # the column of the innermost block that has its `pass`
    inside: int | None = None  # the column of a statement that is being left out
    for line in lines:
        column = line.column
        if column is None or column == SAME_BLOCK:
            kept.append(line)
            continue
        goes_on = bool(line.symbols) and line.symbols[0] in keeps
        if inside is not None and (column > inside or (column == inside and goes_on)):
            continue
        inside = None
        if stands is not None and stands > column:
            stands = None
        if goes_on or not line.symbols:
            kept.append(line)
            continue
        inside = column
        if stands is None:
            stands = column
            kept.append(_LogicalLine(column, plain))
    return kept
