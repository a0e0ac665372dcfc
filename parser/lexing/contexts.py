"""Lark's contextual lexer as an automaton with several first states, one for each *context*: the parser's states by the terminals so far.

Lark's lexer looks only for the terminals accepted by the parser's state. A lexer without a parser can do the same as far as the terminals
read so far tell its state. A context is the set of LALR states possible after some terminals (`grammar/lr_states.py`); its *scanner*
looks for all terminals accepted by any of them, and has to find the match of each state's own scanner, which looks for fewer:

- the same terminal, or one refused by the parser where the other finds nothing;
- another terminal of the same text: the two become *alternatives*, a terminal of its own, and the grammar's rules decide between them, if no
state accepts both;
- a longer text, of a terminal the state does not accept: the parser refuses it. Lark goes on after the shorter text. Only here a text is
refused that Lark takes, and only if some terminal can begin with the text after the shorter one.

Anything else is impossible, and the grammar is refused with an example text. Contexts are joined as long as nothing is lost by it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..grammar.lr_states import LrStates, TooManyStacks
from .dfa import IGNORED, REFUSED, Dfa, live, partition

_MAX_STATES = 20_000

Terminals = frozenset[str]
Scan = Callable[[Terminals], Dfa]
"""Builds the automaton for some terminals and the ignored ones; all have the same classes of characters."""
Context = frozenset[int]
"""The possible parser states on top of the stack."""


@dataclass(frozen=True)
class _Apart:
    """A difference between a scanner of several states and one state's own."""

    text: str
    here: str
    there: str
    then: int | None
    """where the scanner finds a longer text: the class of the character after the shorter one"""

    @property
    def kind(self) -> tuple[str, str, int | None]:
        return self.here, self.there, self.then


@dataclass(frozen=True, eq=False)
class _Scanner:
    automaton: Dfa
    alternatives: Mapping[str, Terminals]
    """the name of an alternative -> its terminals"""


def contextual(states: LrStates[str], singles: Mapping[str, Dfa], ignored: Terminals, scan: Scan) -> Dfa | None:
    """The automaton of a grammar's contextual lexer; None where it would be too large.

    singles: the automaton of each terminal, ignored ones too.
    """
    try:
        return _Joining(_Contexts(states, singles, ignored, scan)).joined()
    except (TooManyStacks, _TooLarge):
        return None


class _TooLarge(Exception):
    """There are too many contexts, or states of the automaton."""


class _Contexts:
    """The contexts, the initial one first, and the scanner of each: disjoint sets of states, with all states after one terminal of a
    context in one."""

    def __init__(self, states: LrStates[str], singles: Mapping[str, Dfa], ignored: Terminals, scan: Scan) -> None:
        self._states = states
        self._alone = singles.keys() - _confusable(list(singles.values()), list(singles)) - ignored
        self._first = {name: frozenset(single.moves[0]) for name, single in singles.items()}
        self._first_ignored = frozenset[int]().union(*(self._first[name] for name in ignored))
        self._scan = scan
        self._automata: dict[Terminals, Dfa] = {}
        self._scanners: dict[frozenset[Terminals], _Scanner] = {}
        self._compared: dict[tuple[_Scanner, Terminals], list[_Apart]] = {}
        self.tops = self._joined()
        self.accepted = [frozenset(map(self.accepts, tops)) for tops in self.tops]
        """context -> the sets of terminals accepted by its states"""
        self.scanners = [self.scanner(accepted) for accepted in self.accepted]
        of = {state: context for context, tops in enumerate(self.tops) for state in tops}
        self.after = [{label: of[min(reached)] for label, reached in self._labelled(tops)} for tops in self.tops]
        """context -> terminal or name of alternatives -> context"""

    def _joined(self) -> list[frozenset[int]]:
        """The disjoint sets of states after terminals: states reached by one terminal from one set are in one set."""
        one_of = {0: frozenset({0})}
        todo = [one_of[0]]
        while todo:
            tops = todo.pop()
            if tops is not one_of[min(tops)]:
                continue  # joined with another
            for _, reached in self._labelled(tops):
                larger = reached.union(*(one_of[state] for state in reached if state in one_of))
                if any(one_of.get(state) != larger for state in reached):
                    one_of |= dict.fromkeys(larger, larger)
                    todo.append(larger)
        return sorted(set(one_of.values()), key=min)

    def _labelled(self, tops: Context) -> list[tuple[str, frozenset[int]]]:
        """The terminals and alternatives of a context, and the contexts after them."""
        accepted = frozenset(map(self.accepts, tops))
        labels = {t: frozenset({t}) for few in accepted for t in few} | dict(self.scanner(accepted).alternatives)
        after = (
            (label, frozenset(then for top in tops for t in terminals for then in self._states.after(top, t)))
            for label, terminals in sorted(labels.items())
        )
        return [(label, reached) for label, reached in after if reached]

    def accepts(self, top: int) -> Terminals:
        """The terminals accepted by a state, and all that cannot be mistaken for others."""
        return self._states.accepts[top] | self._alone

    def automaton(self, terminals: Terminals) -> Dfa:
        """The scanner for just these terminals."""
        automaton = self._automata.get(terminals)
        if automaton is None:
            automaton = self._automata[terminals] = self._scan(terminals)
        return automaton

    def scanner(self, accepted: frozenset[Terminals]) -> _Scanner:
        """The scanner for parser states with these sets of accepted terminals."""
        scanner = self._scanners.get(accepted)
        if scanner is None:
            scanner = self._scanners[accepted] = _scanner(
                [(few, self.automaton(few)) for few in sorted(accepted, key=sorted)]
            )
        return scanner

    def apart(self, scanner: _Scanner, few: Terminals) -> list[_Apart]:
        """The differences between this scanner and that of a state accepting just these terminals."""
        key = scanner, few
        if key not in self._compared:
            self._compared[key] = _Comparison(scanner, self.automaton(few)).found()
        return self._compared[key]

    def is_harmless(self, top: int, apart: _Apart) -> bool:
        """Whether nothing can begin, after the shorter text, with the character there."""
        if apart.then is None:
            return False
        then: Iterable[int] = (top,) if apart.there == IGNORED else self._states.after(top, apart.there)
        return apart.then not in self._first_ignored and not any(
            apart.then in self._first[t] for after in then for t in self._states.accepts[after]
        )

    def lost(self, context: int, scanner: _Scanner) -> set[tuple[str, str, int | None]]:
        """The kinds of texts Lark reads in a context and this scanner refuses."""
        return {
            apart.kind
            for top in self.tops[context]
            for apart in self.apart(scanner, self.accepts(top))
            if not self.is_harmless(top, apart)
        }


def _confusable(automata: Sequence[Dfa], names: Sequence[str]) -> set[str]:
    """The terminals with a text that begins with, or is the beginning of, another one's text."""
    start = tuple((i, 0) for i in range(len(automata)))
    seen, todo = {start}, [start]
    confusable: set[str] = set()
    while todo:
        group = todo.pop()
        if len(group) > 1 and any(automata[i].accepts[q] is not None for i, q in group):
            confusable.update(names[i] for i, _ in group)
        targets: dict[int, list[tuple[int, int]]] = {}
        for i, q in group:
            for c, to in automata[i].moves[q].items():
                targets.setdefault(c, []).append((i, to))
        for target in map(tuple, targets.values()):
            if len(target) > 1 and target not in seen:
                if len(seen) >= _MAX_STATES:
                    raise _TooLarge
                seen.add(target)
                todo.append(target)
    return confusable


def _scanner(parts: Sequence[tuple[Terminals, Dfa]]) -> _Scanner:
    """The scanner of states, each with its accepted terminals and the automaton of its own scanner: it finds the longest text found
    by any of them, as a terminal of each."""
    if len(parts) == 1:
        return _Scanner(parts[0][1], {})
    start: tuple[int | None, ...] = (0,) * len(parts)
    order: list[tuple[int | None, ...]] = [start]
    number: dict[tuple[int | None, ...], int] = {start: 0}
    moves: list[dict[int, int]] = []
    accepts: list[str | None] = []
    refused: dict[int, frozenset[int]] = {}
    alternatives: dict[str, Terminals] = {}
    for states in order:  # grows while it is walked
        terminals_found = [None if q is None else part.accepts[q] for q, (_, part) in zip(states, parts, strict=True)]
        terminals = {name for name in terminals_found if name is not None and name != REFUSED}
        for name, (own, _) in zip(terminals_found, parts, strict=True):
            if terminals and name != IGNORED:
                terminals -= (own | {IGNORED}) - {name}  # terminals that would be taken for others
            elif terminals:
                terminals &= {IGNORED}
        if not terminals:
            accepts.append(None if all(name is None for name in terminals_found) else REFUSED)
        elif len(terminals) == 1:
            accepts.extend(terminals)
        else:
            accepts.append("_OR_".join(sorted(terminals)))
            alternatives["_OR_".join(sorted(terminals))] = frozenset(terminals)
        ahead = [
            part.refused[q] for q, (_, part) in zip(states, parts, strict=True) if q is not None and q in part.refused
        ]
        if ahead:
            refused[len(accepts) - 1] = frozenset().union(*ahead)
        targets: dict[int, list[int | None]] = {}
        for i, (q, (_, part)) in enumerate(zip(states, parts, strict=True)):
            for c, to in part.moves[q].items() if q is not None else ():
                if c not in targets:
                    targets[c] = [None] * len(parts)
                targets[c][i] = to
        move: dict[int, int] = {}
        for c, target in targets.items():
            to_state = tuple(target)
            if to_state not in number:
                if len(order) >= _MAX_STATES:
                    raise _TooLarge
                number[to_state] = len(order)
                order.append(to_state)
            move[c] = number[to_state]
        moves.append(move)
    return _Scanner(replace(parts[0][1], moves=moves, accepts=accepts, refused=refused), alternatives)


@dataclass
class _Group:
    """Contexts that share a scanner."""

    accepted: frozenset[Terminals]
    scanner: _Scanner
    members: list[int] = field(default_factory=list[int])


class _Joining:
    """The joining of contexts, into as few as lose nothing."""

    def __init__(self, made: _Contexts) -> None:
        self._made = made
        self._lost = [made.lost(context, scanner) for context, scanner in enumerate(made.scanners)]

    def joined(self) -> Dfa:
        """The joined contexts; those that differ have scanners of their own."""
        groups: list[_Group] = []
        for context in range(len(self._made.tops)):
            self._place(context, groups)
        rows = [dict[str, int]()] * len(self._made.tops)
        for group in groups:
            for context in group.members:
                rows[context] = self._row(context, group.scanner)
        return self._combined(groups, rows, _refined(groups, rows))

    def _place(self, context: int, groups: list[_Group]) -> None:
        """Put a context into the first group it fits, or one of its own."""
        made, accepted = self._made, self._made.accepted[context]
        for group in groups:
            larger = group.accepted | accepted
            scanner = made.scanner(larger)
            others = group.members if scanner is not group.scanner else []
            if all(self._fits(c, scanner) for c in [context, *others]):
                group.accepted, group.scanner = larger, scanner
                group.members.append(context)
                return
        groups.append(_Group(accepted, made.scanners[context], [context]))

    def _fits(self, context: int, scanner: _Scanner) -> bool:
        """Whether a context with this scanner loses nothing more, and the contexts after all its terminals are known."""
        made = self._made
        return (
            all(self._known_after(context, *item) != -1 for item in scanner.alternatives.items())
            and made.lost(context, scanner) <= self._lost[context]
        )

    def _known_after(self, context: int, name: str, terminals: Terminals) -> int | None:
        """The context after alternatives, None where the parser takes none of them; -1 where there is no such context."""
        row = self._made.after[context]
        then = {row[t] for t in terminals if t in row}
        return row.get(name, -1) if len(then) > 1 else next(iter(then), None)

    def _row(self, context: int, scanner: _Scanner) -> dict[str, int]:
        """The contexts after a scanner's terminals."""
        row = dict(self._made.after[context])
        for name, terminals in scanner.alternatives.items():
            then = self._known_after(context, name, terminals)
            if then is not None:
                row[name] = then
        return row

    def _combined(self, groups: Sequence[_Group], rows: Sequence[Mapping[str, int]], block: Sequence[int]) -> Dfa:
        group_of = {context: number for number, group in enumerate(groups) for context in group.members}
        count = max(block) + 1
        after: list[dict[str, int]] = [{} for _ in range(count)]
        first = [0] * count
        for context, number in enumerate(block):
            first[number] = group_of[context]
            after[number] |= {t: block[then] for t, then in rows[context].items()}
        joined = _side_by_side([group.scanner.automaton for group in groups], first)
        names = {name: sorted(terminals) for group in groups for name, terminals in group.scanner.alternatives.items()}
        emitted = set(joined.accepts)
        return replace(
            joined,
            after=after if count > 1 else [],
            alternatives={name: terminals for name, terminals in names.items() if name in emitted},
            lost=self._texts_lost(groups),
        )

    def _texts_lost(self, groups: Sequence[_Group]) -> list[list[str]]:
        """The kinds of texts Lark reads and this lexer refuses, each with a shortest example."""
        made = self._made
        shortest: dict[tuple[str, str, str], str] = {}
        for group in groups:
            tops = {top for context in group.members for top in made.tops[context]}
            for top in sorted(tops):
                for apart in made.apart(group.scanner, made.accepts(top)):
                    if made.is_harmless(top, apart):
                        continue
                    here = " or ".join(sorted(group.scanner.alternatives.get(apart.here, (apart.here,))))
                    kind = here, apart.there, "" if apart.then is None else "longer"
                    if len(apart.text) < len(shortest.get(kind, apart.text + " ")):
                        shortest[kind] = apart.text
        return [[text, *kind] for kind, text in sorted(shortest.items())]


def _refined(groups: Sequence[_Group], rows: Sequence[Mapping[str, int]]) -> list[int]:
    """context -> its number for the lexer: groups split until each terminal leads from all members of a group into one group."""
    block = [0] * len(rows)
    for number, group in enumerate(groups):
        for context in group.members:
            block[context] = number
    while True:
        count = len(set(block))
        parts: list[tuple[int, dict[str, int]]] = []  # (block, terminal -> block)
        fresh = [-1] * len(block)
        for context, row in enumerate(rows):
            to = {t: block[then] for t, then in row.items()}
            for number, (of, row_of_part) in enumerate(parts):
                if of == block[context] and all(row_of_part.get(t, then) == then for t, then in to.items()):
                    row_of_part |= to
                    fresh[context] = number
                    break
            else:
                fresh[context] = len(parts)
                parts.append((block[context], to))
        block = fresh
        if len(parts) == count:
            return block


def _side_by_side(automata: Sequence[Dfa], first: Sequence[int]) -> Dfa:
    """The smallest automaton with the states of all; first: context -> automaton."""
    moves: list[dict[int, int]] = []
    accepts: list[str | None] = []
    refused: dict[int, frozenset[int]] = {}
    offsets: list[int] = []
    for automaton in automata:
        offsets.append(len(moves))
        refused |= {q + offsets[-1]: classes for q, classes in automaton.refused.items()}
        moves += [{c: to + offsets[-1] for c, to in move.items()} for move in automaton.moves]
        accepts += automaton.accepts
    whole = replace(automata[0], moves=moves, accepts=accepts, refused=refused)
    alive = live(whole)
    whole = replace(whole, moves=[{c: to for c, to in move.items() if to in alive} for move in moves])
    blocks = partition(whole)
    small: list[dict[int, int]] = [{} for _ in range(max(blocks) + 1)]
    ends: list[str | None] = [None] * len(small)
    for q, number in enumerate(blocks):
        small[number] = {c: blocks[to] for c, to in whole.moves[q].items()}
        ends[number] = accepts[q]
    starts = [blocks[offsets[number]] for number in first]
    kept = {blocks[q]: classes for q, classes in refused.items()}
    return replace(whole, moves=small, accepts=ends, refused=kept, starts=starts)


_Last = tuple[str | None, str | None, int, int | None]
"""(the last match of the scanner of many, that of the scanner of few, the later one of them: 0 both, 1 the first, 2 the second, the
class of the character after the second match)"""
_Place = tuple[int | None, int | None, _Last]
"""(state of the scanner of many, None once it can find no more, that of the scanner of few, their last matches)"""


class _Comparison:
    """A scanner of several states beside the automaton of one state's own."""

    def __init__(self, scanner: _Scanner, own: Dfa) -> None:
        self._many, self._few, self._alternatives = scanner.automaton, own, scanner.alternatives

    def found(self) -> list[_Apart]:
        """The differences by which the parser refuses a text of the other scanner: each kind once, with a shortest text."""
        start: _Place = 0, 0, (None, None, 0, None)
        texts: dict[_Place, str] = {start: ""}
        todo: deque[_Place] = deque([start])
        out: dict[tuple[str, str, int | None], _Apart] = {}
        chars = self._many.examples()
        while todo and self._many is not self._few:
            place = todo.popleft()
            if place[1] is None and place[2][1] is None:
                continue  # the one state finds nothing
            for c in {**self._moves(self._many, place[0]), **self._moves(self._few, place[1])}:
                after = self._step(place, c)
                if after not in texts:
                    text = texts[after] = texts[place] + chars.get(c, "")
                    todo.append(after)
                    apart = self._apart(after, text)
                    if apart is not None:
                        out.setdefault(apart.kind, apart)
        return list(out.values())

    @staticmethod
    def _moves(automaton: Dfa, state: int | None) -> Mapping[int, int]:
        return {} if state is None else automaton.moves[state]

    def _step(self, place: _Place, c: int) -> _Place:
        p, q, (here, there, later, then) = place
        to_p = None if p is None else self._many.moves[p].get(c)
        to_q = None if q is None else self._few.moves[q].get(c)
        if q is not None and self._few.accepts[q] is not None:
            then = c
        ends_p = None if to_p is None else self._many.accepts[to_p]
        ends_q = None if to_q is None else self._few.accepts[to_q]
        if ends_p is not None:
            here, later = ends_p, 0 if ends_q is not None else 1
        if ends_q is not None:
            there, later, then = ends_q, 0 if ends_p is not None else 2, None
        return to_p, to_q, (here, there, later, then)

    def _apart(self, place: _Place, text: str) -> _Apart | None:
        p, q, (here, there, later, then) = place
        if there is None or there == REFUSED:
            return None
        if later or here is None or (here != there and there not in self._alternatives.get(here, ())):
            return _Apart(text, here or "", there, then if later == 1 else None)
        if p is not None and q is not None and self._many.refused.get(p) != self._few.refused.get(q):
            return _Apart(text, here, there, None)
        return None
