"""One deterministic automaton for all terminals of a grammar, with the matches of Lark's basic lexer.

Lark tries the terminals in an order (priority, width, length, name) as one alternation of Python's `re`, and then turns a match equal
to a fixed text into that keyword. Subset construction over *ordered* NFA states gives the same match: states behind a preferred match
are dropped, states before it may still find a better one. The keywords are followed beside it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .charsets import CharSet, Classes
from .regex_nfa import Ahead, Char, Match, RegexNfa, Split, UnsupportedRegexp

_MAX_STATES = 20_000
_MAX_STEPS = 10_000_000
"""The most nodes visited for the terminals; Python's take 100,000."""
_NICE = 'x0a1 \n"' + "'_-+=.,;:()[]{}<>/*&|!?@#$%^~`\\" + "bcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ23456789\t"
IGNORED = ""
"""The mark of a state at the end of an ignored terminal."""
REFUSED = "!"
"""The mark of a state no text may reach: its last character may not follow the symbol before it."""
_UNCLEAR = "what a look-ahead refuses must be all that the terminal itself may go on with, so that it ends as early in no other way"


@dataclass(frozen=True, eq=False)
class Dfa:
    """States and classes of characters are numbers; every state lies on a path to an accepting one. State 0 is the first."""

    class_starts: list[int]
    """first code point of each range ..."""
    class_ids: list[int]
    """... and its class"""
    moves: list[dict[int, int]]
    """state -> class -> state"""
    accepts: list[str | None]
    """state -> the terminal ending here, IGNORED, or None"""
    refused: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    """state -> classes of characters before which its terminal does not end"""
    starts: list[int] = field(default_factory=lambda: [0])
    """context -> its first state, see contexts.py; only one where the lexer does not depend on the parser"""
    after: list[dict[str, int]] = field(default_factory=list[dict[str, int]])
    """context -> terminal -> the next context, where there are several"""
    alternatives: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """the name of an alternative -> its terminals in different states of the parser"""
    lost: list[list[str]] = field(default_factory=list[list[str]])
    """[a text, its terminal here, the terminal of Lark's contextual lexer for it in some states of the parser, "longer" where that
    terminal has only its beginning]: kinds of texts refused in these states; names of terminals, "" for nothing"""

    def class_of(self, char: str) -> int:
        """The class of a character."""
        return self.class_ids[bisect_right(self.class_starts, ord(char)) - 1]

    def examples(self) -> dict[int, str]:
        """class -> its plainest character, plain ones first; without surrogates, which are no text."""
        nice = {self.class_of(char): char for char in reversed(_NICE)}
        for start, number in zip(self.class_starts, self.class_ids, strict=True):
            if number not in nice and not 0xD800 <= start <= 0xDFFF:
                nice[number] = chr(start)
        return dict(sorted(nice.items(), key=lambda item: _rank(item[1])))

    def as_json(self) -> dict[str, Any]:
        """The automaton as lists and numbers."""
        moves = [[list(move), list(move.values())] for move in self.moves]
        refused = [[q, sorted(classes)] for q, classes in sorted(self.refused.items())]
        automaton = {"starts": self.class_starts, "ids": self.class_ids, "moves": moves, "accepts": self.accepts}
        return {**automaton, "refused": refused, "contexts": [self.starts, self.after, self.alternatives, self.lost]}


@dataclass(frozen=True)
class Pattern:
    """A terminal for the automaton."""

    name: str
    """the terminal of its matches; IGNORED for ignored text"""
    regexp: str
    keywords: tuple[tuple[str, str], ...] = ()
    """(terminal, regular expression of fixed length): the terminal of a match equal to it"""


Reached = tuple[int, frozenset[int] | None]
"""(node, the classes allowed for the next character; None: any)"""


def character_classes(patterns: Sequence[Pattern]) -> Classes:
    """The classes of characters these patterns tell apart. Raises UnsupportedRegexp."""
    return _Construction(patterns, None).classes


def build(patterns: Sequence[Pattern], classes: Classes | None = None) -> Dfa:
    r"""The automaton of patterns, preferred ones first; "\r" alone is never read, as "\n" stands for it. Raises UnsupportedRegexp.

    classes: those of more patterns than these, for automata to be compared.
    """
    dfa = _Construction(patterns, classes).dfa()
    c = dfa.class_of("\r")
    if dfa.class_ids.count(c) == 1 and dfa.class_of("\f") != c != dfa.class_of("\x0e"):
        for move in dfa.moves:
            move.pop(c, None)
    return minimal(dfa)


class _Construction:
    def __init__(self, patterns: Sequence[Pattern], classes: Classes | None) -> None:
        self.patterns = patterns
        self.steps = 0
        self.nfa = RegexNfa()
        self.starts = [self.nfa.add(pattern.regexp, i) for i, pattern in enumerate(patterns)]
        self.keywords = list(dict.fromkeys(k for p in patterns for k in p.keywords))
        number = {keyword: i for i, keyword in enumerate(self.keywords)}
        self.keywords_of = [tuple(number[k] for k in p.keywords) for p in patterns]
        self.texts = [self._text(regexp) for _, regexp in self.keywords]
        sets = {*self.nfa.sets(), *(chars for text in self.texts for chars in text)}
        self.classes = Classes(sets) if classes is None else classes
        self.members = {chars: self.classes.of(chars) for chars in sets}

    @staticmethod
    def _text(regexp: str) -> list[CharSet]:
        nfa = RegexNfa()
        chars: list[CharSet] = []
        node = nfa.nodes[nfa.add(regexp, 0)]
        while isinstance(node, Char):
            chars.append(node.chars)
            node = nfa.nodes[node.after]
        assert isinstance(node, Match)
        return chars

    def closure(self, nodes: Sequence[int], before: int) -> tuple[Reached, ...]:
        """The nodes reached without a character, in order, up to the first match; before: the class read last, or -1."""
        if self.steps > _MAX_STEPS:
            raise UnsupportedRegexp(f"the terminals take more than {_MAX_STEPS} steps to read (long repeats?)")
        out: list[Reached] = []
        seen: set[Reached] = set()
        left: set[Reached] = set()  # loops reached again without a character: as in `re`, they end
        stack: list[Reached] = [(number, None) for number in reversed(nodes)]
        while stack:
            number, ahead = reached = stack.pop()
            node = self.nfa.nodes[number]
            if reached in seen:
                if isinstance(node, Split) and node.exit >= 0 and reached not in left:
                    left.add(reached)
                    stack.append((node.exit, ahead))
                continue
            seen.add(reached)
            if isinstance(node, Split):
                stack.extend((branch, ahead) for branch in reversed(node.branches))
            elif isinstance(node, Ahead):
                members = self.members[node.chars]
                stack.append((node.after, members if ahead is None else members & ahead))
            elif isinstance(node, Match):
                out.append(reached)
                if ahead is None:
                    break
            elif not node.behind:
                out.append(reached)
            elif before < 0:
                raise UnsupportedRegexp("look-behind at the beginning of a terminal is not supported")
            elif before in self.members[node.chars]:
                stack.append((node.after, ahead))
        self.steps += len(seen)
        return tuple(out)

    def dfa(self) -> Dfa:
        first = self.closure(self.starts, -1), frozenset((k, 0) for k in range(len(self.keywords)))
        index, order = {first: 0}, [first]
        moves: list[dict[int, int]] = []
        accepts: list[str | None] = []
        closures: dict[tuple[tuple[int, ...], int], tuple[Reached, ...]] = {}
        refused: dict[int, frozenset[int]] = {}
        everything = frozenset(self.classes.ids)
        for nodes, progress in order:  # grows while it is walked
            by_class: dict[int, list[int]] = {}
            accepted = None
            ended: frozenset[int] = frozenset()  # classes before which a preferred terminal ends here
            for number, ahead in nodes:
                node = self.nfa.nodes[number]
                if isinstance(node, Char):
                    for c in self.members[node.chars] - ended:
                        if ahead is None or c in ahead:
                            by_class.setdefault(c, []).append(node.after)
                elif isinstance(node, Match):
                    if accepted is None:
                        accepted = self._accepted(node.label, progress)
                        if ahead is not None:
                            refused[len(accepts)] = everything - ahead
                    ended |= everything if ahead is None else ahead
            accepts.append(accepted)
            keywords: dict[int, set[tuple[int, int]]] = {}
            for k, offset in progress:
                if offset < len(self.texts[k]):
                    for c in self.members[self.texts[k][offset]]:
                        keywords.setdefault(c, set()).add((k, offset + 1))
            move: dict[int, int] = {}
            for c, targets in by_class.items():
                key = tuple(targets), c
                if key not in closures:
                    closures[key] = self.closure(targets, c)
                after = closures[key]
                if after:
                    state = after, frozenset(keywords.get(c, ()))
                    if state not in index:
                        if len(order) >= _MAX_STATES:
                            raise UnsupportedRegexp(f"the terminals need more than {_MAX_STATES} lexer states")
                        index[state] = len(order)
                        order.append(state)
                    move[c] = index[state]
            moves.append(move)
        if refused:
            self._refuse(moves, accepts, refused)
        if accepts[0] is not None:
            raise UnsupportedRegexp("a terminal matches the empty text")
        return Dfa(self.classes.starts, self.classes.ids, moves, accepts, refused)

    @staticmethod
    def _refuse(moves: list[dict[int, int]], accepts: list[str | None], refused: Mapping[int, frozenset[int]]) -> None:
        """Lead from ends of terminals to a state no text may reach, over the classes that may not follow there."""
        trap = len(moves)
        unclear: set[int] = set()  # where a shorter symbol would count instead
        for q, classes in refused.items():
            if any(c not in moves[q] or accepts[moves[q][c]] is None for c in classes):
                unclear.add(q)
            moves[q] |= {c: trap for c in classes if c not in moves[q]}
        moves.append({})
        accepts.append(REFUSED)
        none: frozenset[int] = frozenset()
        todo = [
            to
            for q, name in enumerate(accepts)
            if name is not None
            for c, to in moves[q].items()
            if c not in refused.get(q, none)
        ]
        seen: set[int] = set()
        while todo:
            q = todo.pop()
            if q in seen:
                continue
            seen.add(q)
            if q in unclear:
                raise UnsupportedRegexp(_UNCLEAR)
            todo += [to for c, to in moves[q].items() if c not in refused.get(q, none)]

    def _accepted(self, label: int, progress: frozenset[tuple[int, int]]) -> str:
        pattern = self.patterns[label]
        if pattern.name != IGNORED:
            for k in self.keywords_of[label]:
                if (k, len(self.texts[k])) in progress:
                    return self.keywords[k][0]
        return pattern.name


def minimal(dfa: Dfa) -> Dfa:
    """The smallest equivalent automaton, without dead states."""
    alive = live(dfa)
    if 0 not in alive:
        return Dfa(dfa.class_starts, dfa.class_ids, [{}], [None])
    kept = sorted(alive)
    number = {q: i for i, q in enumerate(kept)}
    trimmed = [{c: number[to] for c, to in dfa.moves[q].items() if to in alive} for q in kept]
    accepted = [dfa.accepts[q] for q in kept]
    refused = {number[q]: classes for q, classes in dfa.refused.items() if q in number}
    block = partition(Dfa(dfa.class_starts, dfa.class_ids, trimmed, accepted, refused))
    moves: list[dict[int, int]] = [{} for _ in range(max(block) + 1)]
    accepts: list[str | None] = [None] * len(moves)
    for q, move in enumerate(trimmed):
        moves[block[q]] = {c: block[to] for c, to in move.items()}
        accepts[block[q]] = accepted[q]
    return Dfa(dfa.class_starts, dfa.class_ids, moves, accepts, {block[q]: classes for q, classes in refused.items()})


def partition(dfa: Dfa) -> list[int]:
    """state -> the number of its class of equivalent states, 0 for that of state 0 (Moore, 1956)."""
    kinds = [(name, dfa.refused.get(q)) for q, name in enumerate(dfa.accepts)]
    names = {kind: i for i, kind in enumerate(dict.fromkeys(kinds))}
    block, count = [names[kind] for kind in kinds], 0
    while True:
        seen: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        keys = [(block[q], frozenset((c, block[to]) for c, to in move.items())) for q, move in enumerate(dfa.moves)]
        block = [seen.setdefault(key, len(seen)) for key in keys]
        if len(seen) == count:
            return block
        count = len(seen)


def live(dfa: Dfa) -> set[int]:
    """The states with a path to an accepting one."""
    before: list[list[int]] = [[] for _ in dfa.moves]
    for q, move in enumerate(dfa.moves):
        for to in move.values():
            before[to].append(q)
    alive = {q for q, accepted in enumerate(dfa.accepts) if accepted is not None}
    todo = deque(alive)
    while todo:
        for q in before[todo.popleft()]:
            if q not in alive:
                alive.add(q)
                todo.append(q)
    return alive


def endings(dfa: Dfa) -> list[dict[str, str]]:
    """state -> terminal -> a shortest text that ends the terminal from this state ("" where it may end now), the shortest first."""
    examples = dfa.examples()
    ranks = {c: _rank(char) for c, char in examples.items()}
    into: list[list[tuple[int, str]]] = [[] for _ in dfa.moves]
    for q, move in enumerate(dfa.moves):
        best: dict[int, str] = {}
        for c in sorted((c for c in move if c in ranks), key=ranks.__getitem__):  # the plainest first
            best.setdefault(move[c], examples[c])
        for to, char in best.items():
            into[to].append((q, char))
    out: list[dict[str, str]] = [{} for _ in dfa.moves]
    for terminal in sorted({accepted for accepted in dfa.accepts if accepted is not None}):
        todo = deque((q, "") for q, accepted in enumerate(dfa.accepts) if accepted == terminal)
        while todo:
            q, text = todo.popleft()
            if terminal not in out[q]:
                out[q][terminal] = text
                todo.extend((p, char + text) for p, char in into[q] if terminal not in out[p])
    return [dict(sorted(row.items(), key=lambda ending: len(ending[1]))) for row in out]


def _rank(char: str) -> int:
    return _NICE.find(char) if char in _NICE else len(_NICE)
