"""The assembly of a language from a grammar file: lexer, tables, completability, bridges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from ....common.bounded import BoundedDict
from ....common.weak import weakly
from ...bridging.heuristic import INF
from ...bridging.tokens import TokenBridging
from ...completability.any_text import AnyText
from ...completability.bracket_summary import Brackets
from ...completability.list_closure import Anchor, ListClosure
from ...completability.open_end import OpenEnd
from ...completability.prestar import Completability
from ...completability.weighted_prestar import WeightedPrestar
from ...engine_runtime import EngineRuntime
from ...glr.gss import Gss
from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import SuffixContext, SuffixText
from ...glr.suffix_viability import SuffixParser
from ...grammar import cache as grammar_cache
from ...grammar import lalr, loader
from ...grammar.indentation import Indentation
from ...grammar.isolated import CompileLimits
from ...hole import BRIDGES, finishing
from ...lexing.base import LexState
from ...lexing.dfa import Dfa
from ...lexing.dfa_lexer import DfaLexer
from . import indented
from .hole_reader import HoleReader
from .mending import GrammarMender

_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_NO_LIMIT = 1 << 60
_KEPT = 8
"""Right contexts whose results are kept."""


def maker(path: Path, start: str, limits: CompileLimits | None = None) -> Callable[[], EngineRuntime]:
    """A function that makes engines for the language of a grammar file, read once, now. Raises GrammarError."""
    compiled = grammar_cache.load(path, start, limits=limits)
    dfa = compiled.automaton
    assert dfa is not None
    return lambda: new_runtime(compiled.grammar, compiled.tables, dfa)


def new_runtime(source: loader.Grammar, tables: lalr.Tables, dfa: Dfa) -> EngineRuntime:
    """An engine over compiled tables."""
    if source.indentation is not None:
        return _indented_runtime(source, tables, dfa, source.indentation)
    lexer = DfaLexer(dfa, tables)
    brackets = {tables.terminal(name): _BRACKETS[text] for name, text in source.texts.items() if text in _BRACKETS}
    brackets.pop(-1, None)
    engine = Engine(lexer, Gss(tables, brackets, _NO_LIMIT, -1, -1), None)
    deciders = CompletabilityCache(engine, source.texts)
    return _runtime(source, engine, deciders, deciders.where_needed, notes(dfa))


def _indented_runtime(source: loader.Grammar, tables: lalr.Tables, dfa: Dfa, said: Indentation) -> EngineRuntime:
    engine = indented.new_engine(tables, dfa, said)
    deciders = indented.IndentedDeciders(engine, said, source.texts)
    return _runtime(source, engine, deciders, deciders.of)


def _runtime(
    source: loader.Grammar,
    engine: Engine,
    deciders: CompletabilityCache | indented.IndentedDeciders,
    completable: Callable[[SuffixContext], Callable[[PrefixState], bool] | None],
    notes: tuple[str, ...] = (),
) -> EngineRuntime:
    engine.two_sided = True
    return EngineRuntime(
        engine,
        deciders,
        _no_suffix,
        completable,
        source,
        prepare=deciders.prepare,
        mender=GrammarMender(engine, source, finishing(engine, deciders, deciders.of)),
        new_reader=partial(
            HoleReader, engine, deciders.of, deciders, lambda state: deciders.anytext.way(state).entries
        ),
        notes=notes,
    )


def _no_suffix(right: SuffixContext, lex: LexState) -> bool:
    raise AssertionError("completability is decided from both sides")


def notes(dfa: Dfa) -> tuple[str, ...]:
    """Warnings for the author of a grammar: texts that are refused although Lark's contextual lexer accepts them."""
    whole: dict[str, list[tuple[str, str]]] = {}  # Lark's terminal -> (ours, a text)
    longer: dict[str, list[tuple[str, str]]] = {}  # our terminal -> (Lark's first one, a text)
    for text, here, there, kind in dfa.lost:
        if kind:
            longer.setdefault(here, []).append((there, text))
        else:
            whole.setdefault(there, []).append((here, text))
    return (
        *(
            _note(texts, f"is {_or(texts)}, also where Lark's parser would find {there or 'a blank'}")
            for there, texts in whole.items()
        ),
        *(
            _note(texts, f"is {here or 'no symbol'} as a whole, also where Lark's parser would find {_or(texts)} first")
            for here, texts in longer.items()
        ),
    )


def _note(texts: Sequence[tuple[str, str]], what: str) -> str:
    return f"`//@ lexer contextual`: a text such as {min((text for _, text in texts), key=len)!r} {what}"


def _or(texts: Sequence[tuple[str, str]]) -> str:
    return " or ".join(dict.fromkeys(name or "nothing" for name, _ in texts))


class Decider:
    """The decision for one right context: from each side alone where the language is a list, else from both together."""

    def __init__(self, right: SuffixContext, closure: ListClosure, at_end: Completability) -> None:
        self.right = right
        self._closure, self._at_end = closure, at_end
        self._exact: Completability | None = None
        self._cheapest: WeightedPrestar | None = None

    @cached_property
    def anchors(self) -> list[Anchor]:
        """The anchors that the right context can follow."""
        return self._closure.follow(self.right)

    @property
    def exact(self) -> Completability:
        """The decider from both sides, made on demand."""
        if self._exact is None:
            end = self._at_end
            self._exact = Completability(self.right, end.anytext, end.brackets, end)
        return self._exact

    def __call__(self, left: PrefixState) -> bool:
        """Whether some text between the left and the right context makes a valid file."""
        return self._closure.reaches(left, self.anchors) or (not self._is_refused and self.exact(left))

    def bridges(self, left: PrefixState, wanted: int) -> list[str]:
        """Up to `wanted` texts that make a valid file, shortest first; [] if there is none, or the search takes too long."""
        if self._cheapest is None:
            self._cheapest = WeightedPrestar(self.exact)
        return self._cheapest.texts(left, wanted)

    def prepare(self, left: PrefixState) -> None:
        """Prepare the answers for the next keystrokes, unless each side alone decides them."""
        if not self._closure.reaches(left, self.anchors):
            self.exact.prepare(left)

    @cached_property
    def _is_refused(self) -> bool:
        return self._closure.refuses(self.right)


class CompletabilityCache:
    """The deciders of completability for the right contexts in use, and a guide to bridges (see Bridging in hole.py)."""

    def __init__(self, engine: Engine, texts: Mapping[str, str]) -> None:
        """texts: terminal -> its fixed text, if it has one."""
        lexer = engine.lexer
        assert isinstance(lexer, DfaLexer)
        self.anytext = AnyText(lexer)
        self.brackets = Brackets(engine)
        self.texts = texts
        self.closure = ListClosure(engine, self.anytext)
        self._open_end = OpenEnd(engine, self.anytext)
        self._at_end = Completability(SuffixContext(engine, SuffixText(""), 0), self.anytext, self.brackets)
        lexer.leads = weakly(self.anytext.leads)
        words = lexer.words()
        self.search = TokenBridging(engine, lexer, weakly(self._suffixes), words)
        self._known: BoundedDict[SuffixContext, Decider] = BoundedDict(_KEPT)

    def _suffixes(self, right: SuffixContext) -> list[SuffixParser]:
        return [anchor.suffixes for anchor in self.of(right).anchors]

    def of(self, right: SuffixContext) -> Decider:
        """The decider for a right context."""
        decider = self._known.get(right)
        if decider is None:
            decider = self._known[right] = Decider(right, self.closure, self._at_end)
        return decider

    def where_needed(self, right: SuffixContext) -> Decider | None:
        """The decider for a right context; None for one that restricts no text."""
        return None if self._open_end.is_before(right) else self.of(right)

    def prepare(self, right: SuffixContext, left: PrefixState) -> None:
        self.of(right).prepare(left)

    def words(self, left: PrefixState, right: SuffixContext) -> Iterable[str]:
        """Texts worth trying; where the language is not a list, whole bridges, shortest first."""
        decider = self.of(right)
        return self.search.words(left, right) if decider.anchors else decider.bridges(left, BRIDGES)

    def estimate(self, left: PrefixState, right: SuffixContext, limit: float = INF) -> float:
        """The search's estimate; zero for whole bridges, where there is nothing to search."""
        return self.search.estimate(left, right, limit) if self.of(right).anchors else 0.0

    def may_enter(self, right: SuffixContext, lex: LexState) -> bool:
        """Whether the right context can be entered in a lexer state, after some text."""
        decider = self.of(right)
        if any(anchor.suffixes.viable_from(right, (lex,)) is not None for anchor in decider.anchors):
            return True
        return not decider.anchors and decider.exact.may_enter(lex)

    def fallback_bridges(self, left: PrefixState, right: SuffixContext) -> Iterator[str]:
        """Bridges longer than the search expects."""
        decider = self.of(right)
        yield from self.search.fallback_bridges(left, right) if decider.anchors else decider.bridges(left, 1)
