"""Mending a broken file of a language from a grammar file; see ../brace_mending.py.

No word means anything to a grammar, so a hidden piece leaves behind only the shortest texts of terminals that make the rest of the line
readable; such texts are also inserted where a text dies, as in repairs of LR parsers (Corchuelo et al. 2002; Diekmann and Tratt 2020).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from ....common.bounded import BoundedDict
from ....common.brackets import OPENERS
from ....common.line_ends import line_start
from ...glr.prefix import Engine, PrefixState
from ...grammar.loader import Grammar
from ...lexing.dfa_lexer import DfaLexer
from ...view import Broken, Edit, Hidden, line_end
from ..brace_layout import Line, Signs
from ..brace_mending import BraceMender
from ..mending import MOST_BEGINNINGS, without_beginning
from .hole_reader import MOST

_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_MARK = re.compile(r"(?:\(\?[a-z]*:)*((?:\\[^\w\s]|[^\w\s\\\[\](){}.*+?|^$])+)")
"""The leading signs of a pattern."""
_BLOCKS = {"/*": "*/", "<!--": "-->", "(*": "*)", "{-": "-}"}
_BEGINNING = re.compile(r"(?<!\w)\w+|[^\w\s]")
_SYMBOL = re.compile(rf"{_STRING}|\w+|([^\w\s()\[\]{{}}])\1*|\S")
_QUOTES = ('"', "'")
_MOST_STATES = 20
"""States from which a further terminal is tried."""
_DEEPEST = 2
"""Terminals of an inserted text."""
_ALONE = 3
"""Terminals inserted before a line on its own."""
_MOST_TEXTS = 3
_KEPT = 512
_ADDED, _SIGN, _STEP, _REST, _BEGUN = 0.5, 0.75, 0.2, 2.0, 1.0
"""The costs of edits, see brace_mending.py; and of each further inserted terminal, of hiding everything behind an error, and of hiding the
beginning of the cursor's line."""


class GrammarMender(BraceMender):
    """See BraceMender."""

    keywords = frozenset[str]()
    operands = ()
    bodies = ()

    def __init__(self, engine: Engine, grammar: Grammar, finish: Callable[[PrefixState], Iterable[str]]) -> None:
        """finish: the shortest texts that close everything open."""
        super().__init__(engine)
        self._finish = finish
        assert isinstance(engine.lexer, DfaLexer)
        self.signs = _signs(grammar)
        self._tokens = engine.lexer.words()
        self._blank = " " if engine.lexer.separates(" ") else ""
        self._read = BoundedDict[tuple[PrefixState, str, int], tuple[tuple[str, int], ...]](_KEPT)

    def stand_ins(self, code: str, declared: list[str], others: list[str]) -> Iterable[str]:
        return ()

    def headers(self, code: str, words: list[str], closers: str) -> Iterable[str]:
        return ()

    def surroundings(self, words: list[str]) -> Iterable[tuple[str, str]]:
        return ()

    def declared(self, code: str) -> Iterable[str]:
        return ()

    def alone(self, text: str, offset: int) -> Iterator[tuple[Hidden, ...]]:
        start, end = line_start(text, offset), line_end(text, offset)
        begins = (word.start() for word in islice(_BEGINNING.finditer(text, start, offset), MOST_BEGINNINGS))
        for stop in dict.fromkeys((end, offset)):
            for begin in dict.fromkeys((start, *begins, offset)):
                for before, _ in self._texts(self._engine.start, text[begin:offset], _ALONE):
                    if begin or before:
                        yield Hidden(0, begin, before), Hidden(stop, len(text), "")
                    else:
                        yield (Hidden(stop, len(text), ""),)

    def beginnings(self, broken: Broken) -> Iterator[Edit]:
        return without_beginning(broken, _BEGINNING)

    def edits(self, broken: Broken) -> Iterator[Edit]:
        text, is_far = broken.text, broken.dead >= broken.offset + MOST
        for place in dict.fromkeys((broken.dead, text.rfind("\n", 0, broken.dead))):
            before = broken.before(place) if place > broken.offset else None
            for closing in () if before is None else self._finish(before):
                yield Edit(place, len(text), closing, _ADDED if is_far else _REST)
        if is_far:
            return
        if broken.held[0] <= broken.dead < broken.offset:
            for edit in self.beginnings(broken):
                yield edit._replace(cost=_BEGUN)
        yield from super().edits(broken)

    # -- additions

    def _added(self, broken: Broken, line: Line, above: Line | None) -> Iterator[Edit]:
        """Missing symbols where the text dies, or directly behind the symbol before it."""
        text, dead = broken.text, broken.dead
        last = len(text[:dead].rstrip())
        symbol = _SYMBOL.match(text, dead)
        after = dead if symbol is None else symbol.end()
        for place in dict.fromkeys((last, dead)):
            before = broken.before(place)
            if before is None or not _is_free(broken, place, place):
                continue
            for behind, more in (text[place : line_end(text, after)], 0.0), (text[place:after], 2 * _STEP):
                for added, number in self._texts(before, behind, _DEEPEST):
                    if added:
                        yield Edit(place, place, added, _ADDED + _STEP * (number - 1) + more)
            closers = self._engine.lexer.closers(before.lex)
            for added in closers:
                if added.strip():
                    yield Edit(place, place, added, _ADDED)

    # -- removals

    def _signs(self, broken: Broken, line: Line) -> Iterator[Edit]:
        """Removals of the symbol where a text dies, or of the one before, and those of `BraceMender`."""
        text, dead = broken.text, broken.dead
        last = len(text[:dead].rstrip())
        for end, cost in (dead + 1, _STEP), (last, 2 * _STEP):
            start = max(end - 1, 0)
            while start and text[start - 1 : end].isalnum():
                start -= 1
            symbol = _SYMBOL.match(text, start)
            if symbol is not None and _is_free(broken, *symbol.span()):
                yield Edit(*symbol.span(), "", _SIGN + cost)
        if dead == line.end:
            quote = max(text.rfind(quote, line.start, dead) for quote in _QUOTES)
            if quote >= 0 and _is_free(broken, quote, quote + 1):
                yield Edit(quote, quote + 1, "", _SIGN)
        yield from super()._signs(broken, line)

    def _hidden(self, broken: Broken, line: Line, cost: float) -> Iterator[Edit]:
        """A line replaced by nothing, or by the opening of the block below."""
        if not line.code or not broken.is_free(line.start, line.end) or line.end == broken.held[0]:
            return
        text, begin, before = broken.text, line.start + len(line.indent), broken.before(line.start)
        below = self.signs.below(text, line.end, 1)
        if before is not None and below is not None and below.column > line.column:
            opening = "".join(OPENERS[char] for char in reversed(self._closers(text, line)))
            for form, number in self._texts(before, opening + text[line.end : below.end], _DEEPEST):
                yield Edit(begin, line.end, form + opening, cost + _STEP * number)
        yield from self._replaced(broken, begin, line.end, cost, before)

    def _replaced(
        self, broken: Broken, begin: int, end: int, cost: float, before: PrefixState | None
    ) -> Iterator[Edit]:
        """A piece of a text replaced by the shortest texts that make the next line readable."""
        text = broken.text
        below = self.signs.below(text, end, 1)
        rest = text[end : below.end] if below is not None else ""
        if before is not None:
            for form, number in self._texts(before, rest, _DEEPEST):
                yield Edit(begin, end, form, cost + _STEP * number)
        yield Edit(begin, end, "", cost + 2 * _STEP)

    # -- texts of terminals

    def _texts(self, before: PrefixState, behind: str, most: int) -> tuple[tuple[str, int], ...]:
        """The shortest texts, with the numbers of their terminals, between a state and a readable text behind them."""
        key = before, behind, most
        texts = self._read.get(key)
        if texts is None:
            reached = self._reached(before, most)
            read = self._engine.read_text
            fitting = ((text, number) for state, text, number in reached if read(state, behind) is not None)
            texts = self._read[key] = tuple(islice(fitting, _MOST_TEXTS))
        return texts

    def _reached(self, before: PrefixState, most: int) -> Iterator[tuple[PrefixState, str, int]]:
        """The states after a few terminals, the text of these, and their number."""
        read, level, seen = self._engine.read_text, {before: ""}, {before}
        yield before, "", 0
        for number in range(1, most + 1):
            following = dict[PrefixState, str]()
            for state, text in islice(level.items(), _MOST_STATES):
                for token in self._tokens_after(state):
                    added = token if not text else self._blank + token
                    after = read(state, added)
                    if after is not None and after not in seen:
                        seen.add(after)
                        following[after] = text + added
                        yield after, text + added, number
            level = following

    def _tokens_after(self, state: PrefixState) -> Iterable[str]:
        """The texts of the possible next terminals of a state."""
        ended = self._engine.read_text(state, self._blank) if self._blank else None
        if ended is None:
            return self._tokens.values()
        return [self._tokens[terminal] for terminal in self._engine.allowed(ended.stacks) if terminal in self._tokens]


def _is_free(broken: Broken, start: int, end: int) -> bool:
    """Whether a piece may become another text: nothing of the cursor's line before the cursor, or next to it."""
    return broken.is_free(start, end) or start > broken.offset


def _signs(grammar: Grammar) -> Signs:
    """The usual strings of most languages, and the comments that a grammar ignores."""
    marks = list[str]()
    for terminal in grammar.definitions:
        if terminal.name in grammar.ignored and (mark := _MARK.match(terminal.regexp)) is not None:
            marks.append(re.sub(r"\\(.)", r"\1", mark[1]))
    blocks = "".join(rf"{re.escape(mark)}[\s\S]*?{re.escape(end)}|" for mark, end in _BLOCKS.items() if mark in marks)
    lines = "|".join(re.escape(mark) for mark in marks if mark not in _BLOCKS) or "(?!)"
    return Signs(
        re.compile(rf"{blocks}(?:{lines})[^\n]*|{_STRING}|(?P<bracket>[()\[\]{{}}])|\n[ \t]*"),
        re.compile(rf"{_STRING}|(?P<comment>[ \t]*(?:{lines})[^\n]*)"),
        re.compile(r"(?!)"),
        tuple(mark for mark in marks if mark not in _BLOCKS),
    )
