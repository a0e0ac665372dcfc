"""Deciders and bridges for languages from grammar files with blocks by indentation (`grammar/indentation.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ....common.bounded import BoundedDict
from ....common.weak import weakly
from ...bridging.heuristic import INF
from ...completability.any_text import AnyText
from ...completability.indented import IndentedCompletability
from ...completability.indented_places import Layout
from ...glr.gss import Gss
from ...glr.layout import IndentedLines
from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import SuffixContext
from ...grammar.indentation import Indentation
from ...grammar.lalr import Tables
from ...hole import BRIDGES
from ...lexing.base import LexState
from ...lexing.dfa import Dfa
from ...lexing.dfa_lexer import DfaLexer

_NO_LIMIT = 1 << 60
_KEPT = 8
"""Right contexts whose results are kept."""
_UNUSED = -2
"""The number of a terminal absent from the grammar."""


def new_engine(tables: Tables, dfa: Dfa, said: Indentation) -> Engine:
    """An engine over compiled tables."""
    newline, indent, dedent = (tables.terminal(name) for name in (said.newline, said.indent, said.dedent))
    brackets = dict.fromkeys(map(tables.terminal, said.opening), 1) | dict.fromkeys(
        map(tables.terminal, said.closing), -1
    )
    brackets.pop(-1, None)
    factory = Gss(tables, brackets, _NO_LIMIT, -1, -1)
    lines = IndentedLines(factory, newline, *(t if t >= 0 else _UNUSED for t in (indent, dedent)))
    return Engine(DfaLexer(dfa, tables, newline, said.tab), factory, None, lines)


def within_brackets(tables: Tables, said: Indentation) -> Iterator[bool]:
    """For each LR state, whether it is within brackets, where newlines mean nothing."""
    for kernel in tables.kernels:
        yield any(_is_within(tables, said, *item) for item in kernel)


def _is_within(tables: Tables, said: Indentation, rule: int, dot: int) -> bool:
    lhs, rhs = tables.rules[rule]
    name = tables.nonterminals[lhs].partition("#")[0]  # split by lalr.py
    return name in said.inside or (name in said.groups and dot < len(rhs))


class IndentedDeciders:
    """The deciders of completability for the right contexts in use, and a guide to bridges (see Bridging in hole.py)."""

    def __init__(self, engine: Engine, said: Indentation, texts: Mapping[str, str]) -> None:
        """texts: terminal -> its fixed text, if it has one."""
        self.texts = texts
        lexer = engine.lexer
        assert isinstance(lexer, DfaLexer)
        self.anytext = AnyText(lexer)
        self._layout = Layout(engine, self.anytext, within_brackets(engine.factory.tables, said))
        lexer.leads = weakly(self.anytext.leads)
        newline = engine.factory.tables.terminal(said.newline)
        self._words = [text for t, text in lexer.words().items() if t != newline]
        self._known: BoundedDict[SuffixContext, IndentedCompletability] = BoundedDict(_KEPT)

    def of(self, right: SuffixContext) -> IndentedCompletability:
        """The decider for a right context."""
        decider = self._known.get(right)
        if decider is None:
            decider = self._known[right] = IndentedCompletability(right, self._layout)
        return decider

    def prepare(self, right: SuffixContext, left: PrefixState) -> None:
        self.of(right).prepare(left)

    def words(self, left: PrefixState, right: SuffixContext) -> Iterable[str]:
        """Whole bridges, shortest first."""
        return self.of(right).bridges(left, BRIDGES, self._words)

    def estimate(self, left: PrefixState, right: SuffixContext, limit: float = INF) -> float:
        """Zero: among whole bridges there is nothing to search."""
        return 0.0

    def may_enter(self, right: SuffixContext, lex: LexState) -> bool:
        """Whether the right context can be entered in a lexer state, after some text."""
        return self.of(right).may_enter(lex)

    def fallback_bridges(self, left: PrefixState, right: SuffixContext) -> Iterator[str]:
        """Nothing, since there are no other bridges."""
        yield from ()
