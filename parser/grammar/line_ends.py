r"""Line ends that count as a symbol, as Go's do: `//@ newline ";" after NAME ")" "return"`.

After one of the named symbols a newline stands for the given one, and so does the end of the file; any other newline is a blank. The
meaning of a newline depends on the symbol before it alone, so it is put into the rules: the grammar is intersected with an automaton
of two states, whether the last symbol was one of the named (*armed*) or not. A line comment ends before its newline; another ignored
text with newlines in it, a comment over several lines, counts as one newline.

Rules: an arming terminal stays as it is, all newlines behind any other are read at once, and behind an armed symbol a newline is
another spelling of the given one. A file with an armed end is one of the grammar's without its last such symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from ..errors import GrammarError
from ..lexing.newlines import LINE_END
from . import directives

_DIRECTIVE = re.compile(r"^//@[ \t]*newline\b(?P<rest>[^\n]*)$", re.MULTILINE)
_SYMBOL = re.compile(r'"(?P<text>(?:[^"\\\n]|\\.)+)"|(?P<name>[A-Za-z_]\w*)|(?P<wrong>\S+)')

Rule = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class LineEnds:
    """A directive, by names of terminals."""

    symbol: str
    after: frozenset[str]


def directive(source: str, texts: Mapping[str, str], terminals: Set[str], name: str) -> LineEnds | None:
    """The directive in a grammar's text; texts: terminal -> its fixed text. Raises GrammarError."""
    declared = directives.only(_DIRECTIVE, source, "newline", name)
    if declared is None:
        return None
    match, place = declared
    if LINE_END in terminals:
        raise GrammarError(f"{place}: with `//@ newline` no terminal of the grammar's own may be called {LINE_END}")
    terminal_of = directives.terminal_finder(texts, terminals, place)
    symbols = list(_SYMBOL.finditer(match["rest"]))
    if len(symbols) < 3 or symbols[0]["text"] is None or symbols[1]["name"] != "after":
        raise GrammarError(f'{place}: write it as `//@ newline ";" after NAME ")" "return"`')
    return LineEnds(terminal_of(symbols[0]), frozenset(map(terminal_of, symbols[2:])))


def with_line_ends(rules: Sequence[Rule], start: str, ends: LineEnds) -> tuple[Rule, ...]:
    """The rules over symbols and newlines, from the same start."""
    return tuple(_Intersection(rules, start, ends).rules())


_Variant = tuple[str, bool, bool, bool]
"""(a nonterminal, is the symbol before it armed, is its last one, does its last symbol stay away); the second is False where it makes
no difference"""


class _Intersection:
    def __init__(self, rules: Sequence[Rule], start: str, ends: LineEnds) -> None:
        self._start, self._ends = start, ends
        self._of: dict[str, list[tuple[str, ...]]] = {}
        for lhs, rhs in rules:
            self._of.setdefault(lhs, []).append(rhs)
        self._names: dict[_Variant, str] = {}
        self._todo: list[_Variant] = []
        taken = {symbol for lhs, rhs in rules for symbol in (lhs, *rhs)}
        self._blank = free("newlines", taken)
        """the nonterminal of meaningless newlines"""
        self._taken = taken

    @cached_property
    def _nullable(self) -> frozenset[str]:
        nullable: set[str] = set()
        while True:
            more = {lhs for lhs, bodies in self._of.items() if any(nullable.issuperset(body) for body in bodies)}
            if more == nullable:
                return frozenset(nullable)
            nullable = more

    @cached_property
    def _looks_back(self) -> frozenset[str]:
        """The nonterminals that depend on the symbol before them: empty, or with the given symbol first."""
        dependent: set[str] = set(self._nullable)
        while True:
            more = {lhs for lhs, bodies in self._of.items() if any(self._begins(body, dependent) for body in bodies)}
            if more <= dependent:
                return frozenset(dependent)
            dependent |= more

    def _begins(self, body: tuple[str, ...], dependent: Set[str]) -> bool:
        for symbol in body:
            if symbol == self._ends.symbol or symbol in dependent:
                return True
            if symbol not in self._nullable:
                return False
        return True

    def rules(self) -> Iterator[Rule]:
        """All reachable and productive rules."""
        start = free("file", self._taken)
        # A file with an armed end lacks its last symbol.
        tops = [(self._blank, self._variant((self._start, False, armed, armed))) for armed in (False, True)]
        made: list[Rule] = [(start, body) for body in tops]
        made += [(self._blank, ()), (self._blank, (self._blank, LINE_END))]
        while self._todo:
            variant = self._todo.pop()
            name = self._names[variant]
            made += [(name, body) for body in self._bodies(variant)]
        yield from productive(made, {start, self._blank, *self._names.values()}, start, self._start)

    def _variant(self, wanted: _Variant) -> str:
        symbol, before, last, without = wanted
        key = symbol, before and symbol in self._looks_back, last, without
        name = self._names.get(key)
        if name is None:
            marks = f"{'a' if key[1] else 'u'}{'a' if last else 'u'}{'w' if without else ''}"
            name = self._names[key] = free(f"{symbol}_{marks}", self._taken)
            self._todo.append(key)
        return name

    def _bodies(self, variant: _Variant) -> Iterator[tuple[str, ...]]:
        symbol, before, last, without = variant
        for body in self._of[symbol]:
            if not without:
                yield from self._spelled(body, before, last)
                continue
            # The last symbol is in the part at a place; behind it is nothing.
            for index in range(len(body) - 1, -1, -1):
                part = body[index]
                if part == self._ends.symbol:
                    yield from self._spelled(body[:index], before, last)
                elif part in self._of:
                    for middle in (False, True):
                        ended = self._variant((part, middle, last, True))
                        yield from ((*head, ended) for head in self._spelled(body[:index], before, middle))
                if part not in self._nullable:
                    break

    def _spelled(self, body: tuple[str, ...], before: bool, last: bool) -> Iterator[tuple[str, ...]]:
        """The ways to write a body from one state to another."""
        if not body:
            if before == last:
                yield ()
            return
        first, rest = body[0], body[1:]
        for after, texts in self._steps(first, before):
            for text in texts:
                yield from ((*text, *more) for more in self._spelled(rest, after, last))

    def _steps(self, symbol: str, before: bool) -> Iterator[tuple[bool, list[tuple[str, ...]]]]:
        """(state after a symbol, its spellings)."""
        if symbol in self._of:
            for after in (False, True):
                yield after, [(self._variant((symbol, before, after, False)),)]
            return
        if symbol == self._ends.symbol and before:
            yield False, [(LINE_END, self._blank)]
        if symbol in self._ends.after:
            yield True, [(symbol,)]
        else:
            yield False, [(symbol, self._blank)]


def free(name: str, taken: set[str]) -> str:
    """A new name, taken from now on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def productive(rules: Sequence[Rule], defined: Set[str], start: str, renamed: str) -> Iterator[Rule]:
    """The productive and reachable rules; defined: the nonterminals. The start gets another name."""
    made: set[str] = set()
    while True:
        more = {lhs for lhs, rhs in rules if all(symbol in made or symbol not in defined for symbol in rhs)}
        if more == made:
            break
        made = more
    kept = [(lhs, rhs) for lhs, rhs in rules if all(symbol in made or symbol not in defined for symbol in rhs)]
    reached, todo = {start}, [start]
    of: dict[str, list[tuple[str, ...]]] = {}
    for lhs, rhs in kept:
        of.setdefault(lhs, []).append(rhs)
    while todo:
        for rhs in of.get(todo.pop(), ()):
            fresh = [symbol for symbol in rhs if symbol in of and symbol not in reached]
            reached.update(fresh)
            todo += fresh
    for lhs, rhs in kept:
        if lhs in reached:
            yield (renamed if lhs == start else lhs), rhs
