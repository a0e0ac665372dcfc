"""What puts together a language given as a grammar file: lexer, tables, completability, bridges."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from ...completability.any_text import AnyText
from ...completability.bracket_summary import Brackets
from ...completability.prestar import Completability
from ...glr.gss import Gss
from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import SuffixContext
from ...grammar import cache as grammar_cache
from ...grammar import lalr, loader
from ...hole import BRIDGES
from ...language_runtime import LanguageRuntime
from ...lexing.base import LexState
from ...lexing.dfa import Dfa
from ...lexing.dfa_lexer import DfaLexer
from .recovery import TokenFallback

_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_NO_LIMIT = 1 << 60
_KEPT = 8
"""Right contexts for which what has been found is kept."""


def maker(path: Path, start: str) -> Callable[[], LanguageRuntime]:
    """What makes engines for the language of a grammar file, which is read once, now. Raises GrammarError."""
    found = grammar_cache.load(path, start)
    dfa = found.automaton
    assert dfa is not None
    return lambda: parts_of(found.grammar, found.tables, dfa)


def parts_of(source: loader.Grammar, tables: lalr.Tables, dfa: Dfa) -> LanguageRuntime:
    """An engine over compiled tables."""
    lexer = DfaLexer(dfa, tables)
    brackets = {tables.terminal(name): _BRACKETS[text] for name, text in source.texts.items() if text in _BRACKETS}
    brackets.pop(-1, None)
    engine = Engine(lexer, Gss(tables, brackets, _NO_LIMIT, -1, -1), None)
    deciders = CompletabilityCache(AnyText(lexer), Brackets(engine), source.texts)

    def no_suffix(right: SuffixContext, lex: LexState) -> bool:
        raise AssertionError("completability is decided from both sides")

    new_fallback = partial(TokenFallback, engine, deciders, deciders.of, lambda at: deciders.anytext.way(at).entries)
    return LanguageRuntime(engine, deciders, no_suffix, lambda: new_fallback().hole, deciders.of, source)


class CompletabilityCache:
    """What decides completability for the right contexts in use; as a guide to bridges (see Bridging in hole.py) it knows them."""

    def __init__(self, anytext: AnyText, brackets: Brackets, texts: Mapping[str, str]) -> None:
        """texts: terminal -> its fixed text, of those that have one."""
        self.anytext = anytext
        self.brackets = brackets
        self.texts = texts
        self._known: OrderedDict[SuffixContext, Completability] = OrderedDict()

    def of(self, right: SuffixContext) -> Completability:
        """The one for a right context."""
        known = self._known.get(right)
        if known is None:
            known = self._known[right] = Completability(right, self.anytext, self.brackets)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)[1].forget()
        return known

    def words(self, left: PrefixState, right: SuffixContext) -> list[str]:
        """Whole bridges, shortest first."""
        return self.of(right).bridges(left, BRIDGES)

    def estimate(self, left: PrefixState, right: SuffixContext) -> float:
        """There is nothing to search."""
        return 0.0

    def may_enter(self, right: SuffixContext, lex: LexState) -> bool:
        """Can the right context be entered in a lexer state, after some text?"""
        return self.of(right).may_enter(lex)

    def fallback_bridges(self, left: PrefixState, right: SuffixContext) -> Iterator[str]:
        """What is longer than a search takes a text to be."""
        return iter(self.of(right).bridges(left, 1))
