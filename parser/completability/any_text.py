"""The lexer states reachable by any text in the language of a grammar file, and the terminals on the way."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from ..glr.layout import Line
from ..lexing.base import LexState
from ..lexing.dfa_lexer import DfaLexer, unwatched


@dataclass(frozen=True, slots=True)
class Reach:
    """The lexer states reached from one of them by any text, each with a shortest such text."""

    enter: dict[LexState, str]
    """states in which the right context may be entered, before any terminal"""
    over: dict[tuple[int, LexState], str]
    """(first terminal, state after it)"""
    lines: dict[tuple[Line, LexState], str]
    """the same where a line begins, in languages with blocks by indentation"""
    entries: tuple[LexState, ...]
    """the states of `enter` that make a difference"""


class AnyText:
    """The reach of lexer states, for all right contexts; gaps are lexer states between symbols."""

    def __init__(self, lexer: DfaLexer) -> None:
        self._lexer = lexer
        self._known: dict[LexState, Reach] = {}

    def leads(self) -> dict[LexState, str]:
        """The states reached between symbols, each with a shortest text."""
        return {s: lead for start in self._lexer.between for s, lead in self.way(start).enter.items()}

    def way(self, state: LexState) -> Reach:
        """The reach of a state without a fallback; ignored symbols are skipped."""
        reach = self._known.get(state)
        if reach is None:
            enter: dict[LexState, str] = {}
            over: dict[tuple[int, LexState], str] = {}
            lines: dict[tuple[Line, LexState], str] = {}
            queue = [("", 0, state)]
            done: set[LexState] = set()
            while queue:
                queue.sort(key=lambda item: (len(item[0]), item[1]))
                text, _, here = queue.pop(0)
                if here in done:
                    continue
                done.add(here)
                within, ends = self._lexer.onward(here)
                for inside, more in within.items():
                    if len(text + more) < len(enter.get(inside, text + more + " ")):
                        enter[inside] = text + more
                for (terminal, after), more in ends.items():
                    if terminal is None:
                        queue.append((text + more, len(queue), after))
                    elif isinstance(terminal, Line):
                        if len(text + more) < len(lines.get((terminal, after), text + more + " ")):
                            lines[terminal, after] = text + more
                    elif len(text + more) < len(over.get((terminal, after), text + more + " ")):
                        over[terminal, after] = text + more
            reach = self._known[state] = Reach(enter, over, lines, tuple(_least_watched(enter)))
        return reach

    def gaps(self, first: Iterable[LexState]) -> list[LexState]:
        """The states between symbols reachable from these."""
        reached = dict.fromkeys(first)
        todo = list(reached)
        while todo:
            way = self.way(todo.pop())
            for _, after in (*way.over, *way.lines):
                if after not in reached:
                    reached[after] = None
                    todo.append(after)
        return list(reached)


def _least_watched(states: Iterable[LexState]) -> list[LexState]:
    """Drop states that differ from another only by watching more: the right context means the same to them, or nothing."""
    split = [(state, *unwatched(state)) for state in states]
    alike: dict[Hashable, list[frozenset[int]]] = {}
    for _, symbol, watched in split:
        alike.setdefault(symbol, []).append(watched)
    return [state for state, symbol, watched in split if not any(less < watched for less in alike[symbol])]
