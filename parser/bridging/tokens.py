"""Words and estimates for the search for a bridge in a language without indentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from ...common.bounded import BoundedDict
from ...common.brackets import OPENERS
from ..glr.prefix import Engine, PrefixState
from ..glr.suffix import ANY_TEXT, SuffixContext
from ..glr.suffix_viability import SuffixParser
from ..grammar.lalr import END
from ..lexing.base import LexState, Token
from ..lexing.boundaries import AutomatonLexer
from .astar import SearchLimits, cost, search
from .heuristic import INF, Distances, HeuristicGoal

_ENTRIES = 3
"""The most lexer states tried for entering the right context, when it is not between symbols."""
_OUTLINE = 120
"""The most terminals of the right context with computed demands on the stack ..."""
_WHOLE = 12
"""... and those before any is left out: the end of a statement may also stand in the header of one."""
_SCAN = 4_000
"""Terminals of the right context searched for unmatched brackets."""
_KEPT = 16
"""The most right contexts with kept results."""
_ENTERED = 16
_WITHIN = 100
"""The most ways to go on within a symbol that are looked at ..."""
_WITHIN_TRIED = 6
"""... and tried."""
_HEAD = 16
_SIGNS = 4
"""The most signs in the end of an operator, plus one."""
_ALTERNATIVES = 6
_HASTES = (1.0, 3.0, 8.0)


class Way(NamedTuple):
    """A way into a right context: the stacks it can go on from, and the lexer state it is entered in."""

    goal: HeuristicGoal
    entry: LexState


Suffixes = Callable[[SuffixContext], Sequence[SuffixParser]]


class TokenBridging:
    """See Bridging in hole.py."""

    patience = 1_000
    """States followed in each search for some bridge, when the shortest was not found."""

    def __init__(
        self,
        engine: Engine,
        lexer: AutomatonLexer,
        suffixes: Suffixes,
        texts: Mapping[int, str],
        ends: int = -1,
        costs: Mapping[int, float] | None = None,
    ) -> None:
        """suffixes: the parsers that decide about a right context; one that finds it viable is enough.
        texts: terminal -> its shortest text, preferred ones first; ends: the terminal at the end of a statement, if there is one;
        costs: of terminals without a text."""
        self._engine, self._lexer, self._suffixes, self.texts, self._ends = engine, lexer, suffixes, texts, ends
        self._distances = Distances(
            engine.factory, {t: cost(text) for t, text in texts.items()} | {END: 0.0, **(costs or {})}
        )
        self._states = len(engine.factory.tables.shift)  # without copies for names
        brackets = engine.factory.brackets
        readable = {t: delta for t, delta in brackets.items() if t in texts}  # not taken for something else
        self._opening = {t: texts[t] for t, delta in readable.items() if delta > 0}
        self._closing: dict[Token, str] = {
            t: OPENERS[texts[t]] for t, delta in readable.items() if delta < 0 and texts[t] in OPENERS
        }
        self._ways: BoundedDict[SuffixContext, list[Way]] = BoundedDict(_KEPT)
        self._closed: BoundedDict[tuple[SuffixContext, LexState], tuple[str, ...]] = BoundedDict(_KEPT)
        self._inner: BoundedDict[tuple[SuffixContext, LexState], list[str]] = BoundedDict(_KEPT)

    def may_enter(self, right: SuffixContext, lex: LexState) -> bool:
        return any(suffixes.begins(right, lex, _ENTERED) for suffixes in self._suffixes(right))

    def words(self, left: PrefixState, right: SuffixContext) -> Iterable[str]:
        self._engine.ask()
        lexer, lex = self._lexer, left.lex
        words = list(lexer.closers(lex))
        if lexer.is_long(lex):
            return words
        tail = _first_word(right)
        words += self._heads(_first_words(right))
        words += [word[: -len(tail)] for word in lexer.rests(lex) if _ends(word, tail)]
        words += self._inside(lex, right)
        if lexer.automaton_state(lex) is None:
            advance, stacks = self._engine.factory.advance, left.stacks
            words += [text for t, text in self.texts.items() if advance(stacks, t) is not None]
            words += ("\n",)
            words += self._swallowing(right)
        else:
            joined = lexer.takes_letters(lex)
            words += (text for text in self.texts.values() if not (text[0].isalnum() and joined) and text[0] != "/")
        words += self._brackets(left, right)
        return dict.fromkeys(words)

    def _heads(self, tails: Sequence[str]) -> list[str]:
        """The beginnings of keywords and operators whose ends are the right context's first characters."""
        return [word[: -len(end)] for word in self.texts.values() for end in tails if _ends(word, end)]

    def _swallowing(self, right: SuffixContext) -> list[str]:
        """Texts that make the right context's beginning part of a string, a comment or another symbol: only where it can be nothing else."""
        return [lead for way in self._into(right) if (lead := self._lexer.lead(way.entry))]

    def _inside(self, lex: LexState, right: SuffixContext) -> list[str]:
        """Texts within the symbol in progress that may leave its end to the right context."""
        texts = self._inner.get((right, lex))
        if texts is None:
            ways = sorted(self._lexer.states_within(lex).items(), key=lambda item: len(item[1]))
            texts = [
                text
                for state, text in ways[:_WITHIN]
                if text and next(right.run(state).all_tokens(self._engine), None) is not None
            ]
            texts = self._inner[right, lex] = texts[:_WITHIN_TRIED]
        return texts

    def _brackets(self, left: PrefixState, right: SuffixContext) -> list[str]:
        """All the brackets at once that the right context closes and that are not open yet."""
        missing = dict.fromkeys(self._unopened(right, way.entry)[left.stacks.depth :] for way in self._into(right))
        return [opening for brackets in missing if len(opening := "".join(brackets)) > 1]

    def _unopened(self, right: SuffixContext, entry: LexState) -> tuple[str, ...]:
        """The opening brackets for those closed by the right context, entered in a state: outermost first."""
        unopened = self._closed.get((right, entry))
        if unopened is None:
            unopened, depth = (), 0
            for token, behind in pairwise((*islice(right.run(entry).all_tokens(self._engine), _SCAN), END)):
                token = self._lexer.as_written(token) if isinstance(token, int) and token >= 0 else token
                if token in self._opening:
                    depth += 1
                elif (opening := self.opening(token, behind)) is not None:
                    if depth == 0:
                        unopened = opening, *unopened
                    depth = max(0, depth - 1)
            self._closed[right, entry] = unopened
        return unopened

    def opening(self, token: Token, behind: Token) -> str | None:
        """The opening token for a closing one of a right context; behind: the token after it. None where it closes nothing."""
        return self._closing.get(token)

    def _into(self, right: SuffixContext) -> list[Way]:
        """The ways into a right context."""
        ways: list[Way] | None = self._ways.get(right)
        if ways is None:
            ways, lexer = [], self._lexer
            entries, plain = lexer.entries_for(right.text[:_HEAD]), (*lexer.between, *lexer.modes)
            while entries and len(ways) < _ENTRIES:
                if ways and ways[0].entry in plain and entries[0] not in lexer.modes:
                    break
                viable = [s.viable_from(right, entries) for s in self._suffixes(right)]
                index = min((entries.index(entry) for entry in viable if entry is not None), default=-1)
                if index < 0 or (ways and lexer.is_long(entries[index]) and entries[index] not in plain):
                    break
                ways.append(self._way(right, entries[index]))
                entries = entries[index + 1 :]
            self._ways[right] = ways
        return ways

    def _way(self, right: SuffixContext, entry: LexState) -> Way:
        closed = len(self._unopened(right, entry))
        outline = self._outline(right, entry)
        if outline:
            shift, rules = self._engine.factory.tables.shift, self._distances.rules
            first = {outline[0], *((rules.inserted,) if outline[0] in rules.before else ())}
            states = frozenset(state for state, to in enumerate(shift[: self._states]) if not first.isdisjoint(to))
        else:
            states = self._suffixes(right)[0].survivors(right, entry)
        return Way(self._distances.goal(states, closed, outline), entry)

    def _outline(self, right: SuffixContext, entry: LexState) -> list[int]:
        """The terminals of the right context, but only the first of several statements in brackets."""
        terminals: list[int] = []
        depth = 0
        skipped: int | None = None  # brackets open where statements are left out
        for token in islice(right.run(entry).all_tokens(self._engine), _SCAN):
            if not isinstance(token, int) or token == ANY_TEXT:
                break
            written = self._lexer.as_written(token)
            depth += (written in self._opening) - (written in self._closing)
            if skipped is not None and depth >= skipped and token != END:
                continue
            skipped = None
            terminals.append(token)
            if len(terminals) == _OUTLINE:
                break
            if written == self._ends and len(terminals) >= _WHOLE:
                skipped = depth
        return terminals

    def estimate(self, left: PrefixState, right: SuffixContext, limit: float = INF) -> float:
        """The least number of characters before the right context can go on: symbols, and the brackets it closes."""
        best = INF
        for way in self._into(right):
            missing = float(abs(left.stacks.depth - way.goal.depth))
            best = min(best, max(missing, self._distance(way, left, limit)))
        return best

    def _distance(self, way: Way, left: PrefixState, limit: float) -> float:
        lexer = self._lexer
        if left.lex is way.entry:
            return self._distances.to(way.goal, left.stacks, limit)
        opening = len(lexer.lead(way.entry))
        if lexer.automaton_state(left.lex) is None:
            return self._distances.to(way.goal, left.stacks, limit) + opening
        best = INF
        for tokens in lexer.expected(left.lex)[:_ALTERNATIVES]:
            fed = self._engine.feed(left.frame, left.stacks, tokens)
            if fed is not None:
                best = min(best, self._distances.to(way.goal, fed[1], limit) + opening)
        # A comment or blank leaves the stacks as they are.
        return best if best < INF else self._distances.to(way.goal, left.stacks, limit)

    def fallback_bridges(self, left: PrefixState, right: SuffixContext) -> Iterator[str]:
        """Bridges from searches that go ever straighter for an end."""
        for weight in _HASTES[1:]:
            yield from search(
                left,
                read=self._engine.read,
                accepts=right.accepts,
                words=lambda prefix: self.words(prefix, right),
                estimate=lambda prefix, limit: self.estimate(prefix, right, limit),
                limits=SearchLimits(expansions=self.patience),
                weight=weight,
            )


def _first_word(right: SuffixContext) -> str:
    """The letters and digits at a right context's beginning, else its first character; "" where that is white space."""
    text = right.text[:_HEAD]
    size = next((i for i, char in enumerate(text) if not char.isalnum()), len(text)) or 1
    return text[:size].strip()


def _first_words(right: SuffixContext) -> list[str]:
    """The possible ends of a symbol at the right context's beginning: its first word, or some of its first signs."""
    first = _first_word(right)
    if not first or first[0].isalnum():
        return [first]
    return [right.text[:size] for size in range(1, _SIGNS) if size <= right.length]


def _ends(word: str, tail: str) -> bool:
    """Whether a word ends with this tail, in any case, and begins before it."""
    return 0 < len(tail) < len(word) and word.lower().endswith(tail.lower())
