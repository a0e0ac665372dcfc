"""Newlines as a terminal, for grammars where they may count as a symbol (`grammar/line_ends.py`)."""

from __future__ import annotations

from dataclasses import replace

from .dfa import IGNORED, Dfa, endings, minimal

LINE_END = "LINE_END"
"""The terminal of newlines."""

_Place = tuple[int, bool]
"""(state of the automaton, whether the text read so far has a newline)"""
_NEWLINE: _Place = -1, True
"""A newline between symbols, a text of its own."""


def with_newlines(automaton: Dfa) -> Dfa:
    """The automaton with ignored texts that hold newlines as the terminal LINE_END; each newline between symbols is one, too."""
    automaton = with_class_of_its_own(automaton, "\n")
    newline, ends_as = automaton.class_of("\n"), endings(automaton)

    def step(place: _Place, c: int, to: int) -> _Place | None:
        q, seen = place
        if c == newline and not seen and ends_as[to].keys() == {IGNORED} and automaton.accepts[to] == IGNORED:
            if q == 0:
                return _NEWLINE
            if automaton.accepts[q] == IGNORED:
                return None  # blanks end before it
        return to, seen or c == newline

    places: list[_Place] = [(0, False)]
    number = {places[0]: 0}
    moves: list[dict[int, int]] = []
    for place in places:  # grows while it is walked
        row: dict[int, int] = {}
        for c, to in automaton.moves[place[0]].items() if place != _NEWLINE else ():
            following = step(place, c, to)
            if following is not None:
                if following not in number:
                    number[following] = len(places)
                    places.append(following)
                row[c] = number[following]
        moves.append(row)
    accepts = [
        LINE_END
        if place == _NEWLINE or (place[1] and automaton.accepts[place[0]] == IGNORED)
        else automaton.accepts[place[0]]
        for place in places
    ]
    refused = {i: automaton.refused[q] for i, (q, _) in enumerate(places) if q in automaton.refused}
    return minimal(replace(automaton, moves=moves, accepts=accepts, refused=refused))


def with_class_of_its_own(automaton: Dfa, char: str) -> Dfa:
    """The automaton with this character alone in its class."""
    code, old, new = ord(char), automaton.class_of(char), max(automaton.class_ids) + 1
    ranges = dict(zip(automaton.class_starts, automaton.class_ids, strict=True))
    ranges.setdefault(code + 1, old)
    ranges[code] = new
    starts = sorted(ranges)
    moves = [{**row, new: row[old]} if old in row else row for row in automaton.moves]
    refused = {q: classes | {new} if old in classes else classes for q, classes in automaton.refused.items()}
    return replace(automaton, class_starts=starts, class_ids=[ranges[s] for s in starts], moves=moves, refused=refused)
