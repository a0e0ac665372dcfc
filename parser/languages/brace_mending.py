"""Mending a broken file of a language with braces where its reading dies: brackets missing by layout, a missing operand or body, a statement
in place of lines.

Hidden lines leave behind a statement, a member or an element that binds their names, and words found nowhere else, to unknown values.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import ClassVar

from ...common.brackets import CLOSERS, OPENERS
from ...common.line_ends import line_start
from ...common.words import compiled, is_part
from ..glr.prefix import Engine, PrefixState
from ..view import Broken, Edit, Hidden, line_end
from .brace_layout import Layout, Line, Signs, Unclosed
from .mending import MOST_BEGINNINGS, stands_elsewhere, without_beginning

_WORD = compiled(r"(?<![\w.$#])[^\W\d][\w$]*")
_BEGINNING = compiled(r"(?<![\w.$])[^\W\d][\w$]*|[\[({\"'`]")
_CLOSERS = re.compile(r"[)\]}]+")
_QUOTES = re.compile(r"[\"'`]+")
_MOST_WORDS = 40
_MOST_KEPT = 400
"""Words kept of everything above the cursor's line, or below it."""
_MOST_ABOVE = 2_000
"""Lines above an error searched for the beginning of its item."""
_MOST_FAULTS = 6
"""Disagreements between layout and brackets to mend, the nearest first."""
_MOST_FORMS = 2
"""Forms of a stand-in of one line."""
_MOST_AROUND = 4
_ADDED, _SIGN, _HIDDEN, _OTHER = 0.5, 0.75, 2.0, 3.0
"""The costs of edits: an addition; a removed sign; a hidden line; another line."""


class BraceMender(ABC):
    """See Mender in parser/view.py."""

    signs: Signs
    keywords: ClassVar[frozenset[str]]
    empty: ClassVar[tuple[str, ...]] = ()
    """stand-ins for code without words"""
    operands: ClassVar[tuple[str, ...]]
    """stand-ins for a missing operand"""
    openings: ClassVar[Sequence[str]] = ()
    """see Mender"""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @abstractmethod
    def stand_ins(self, code: str, declared: list[str], others: list[str]) -> Iterable[str]:
        """Stand-ins for some code; declared: the names it declares, or those found nowhere else; others: its other words."""

    @abstractmethod
    def headers(self, code: str, words: list[str], closers: str) -> Iterable[str]:
        """Stand-ins for a header whose block these brackets close."""

    @abstractmethod
    def surroundings(self, words: list[str]) -> Iterable[tuple[str, str]]:
        """Texts before and behind a line on its own that bind some words."""

    @abstractmethod
    def declared(self, code: str) -> Iterable[str]:
        """The names declared by some code."""

    def beginnings(self, broken: Broken) -> Iterator[Edit]:
        return without_beginning(broken, _BEGINNING)

    def binding(self, names: Sequence[str], before: PrefixState) -> Iterator[str]:
        return self._fitting(before, self.stand_ins("", list(names), []), "")

    def edits(self, broken: Broken) -> Iterator[Edit]:
        text, dead = broken.text, broken.dead
        line = self.signs.line(text, dead)
        if not line.code:
            line = self.signs.above(text, line.start, _MOST_ABOVE) or line
        above = self.signs.above(text, line.start, _MOST_ABOVE)
        if broken.held[0] <= dead < broken.offset:
            yield from self.beginnings(broken)
        end = text.find("\n", line.end) + 1 if text[line.end :].strip() else len(text)
        layout = self.signs.layout(text, self._item(broken, line), end, broken.offset)
        yield from self._brackets(broken, line, layout)
        yield from self._added(broken, line, above)
        yield from self._signs(broken, line)
        if text[line.start : dead].strip() and dead < line.end and broken.is_free(dead, line.end):
            yield Edit(dead, line.end, "", _HIDDEN + 0.25)
        yield from self._hidden(broken, line, _HIDDEN)
        if above is not None:
            yield from self._hidden(broken, above, _OTHER)
        below = self.signs.below(text, line.end, _MOST_ABOVE)
        if below is not None:
            yield from self._hidden(broken, below, _OTHER + 0.5)
        yield from self._around(broken, line, layout)

    def alone(self, text: str, offset: int) -> Iterator[tuple[Hidden, ...]]:
        start, end = line_start(text, offset), line_end(text, offset)
        words = [*self._words(text[:start], _MOST_KEPT), *self._words(text[end:], _MOST_KEPT)]
        surroundings = list(self.surroundings(list(dict.fromkeys(words))))
        begins = (word.start() for word in islice(_BEGINNING.finditer(text, start, offset), MOST_BEGINNINGS))
        for begin in dict.fromkeys((start, *begins, offset)):
            for before, after in surroundings:
                yield Hidden(0, begin, before), Hidden(end, len(text), after)

    def _item(self, broken: Broken, line: Line) -> int:
        """The beginning of a line's item: at the margin, outside of brackets."""
        text, start = broken.text, line.start
        for _ in range(_MOST_ABOVE):
            if not start:
                break
            if text[start : start + 1].strip() and text[start] not in ")]}/*":
                before = broken.before(start)
                if before is not None and not before.stacks.depth and self._engine.lexer.region(before.lex) == "code":
                    break
            start = text.rfind("\n", 0, start - 1) + 1
        return start

    # -- additions

    def _brackets(self, broken: Broken, line: Line, layout: Layout) -> Iterator[Edit]:
        """Brackets that are missing by layout, and superfluous ones."""
        for fault in layout.unclosed[: -_MOST_FAULTS - 1 : -1]:
            yield from self._closed(broken, fault)
        for opener in layout.open[: -_MOST_FAULTS - 1 : -1]:
            if not opener.is_last:
                end = self.signs.line(broken.text, opener.offset).code_end
                yield from self._closed(broken, Unclosed((opener,), end, end))
        for offset in layout.stray[: -_MOST_FAULTS - 1 : -1]:
            yield from self._opened(broken, offset)
            if broken.is_free(offset, offset + 1):
                yield Edit(offset, offset + 1, "", _SIGN)

    def _closed(self, broken: Broken, fault: Unclosed) -> Iterator[Edit]:
        text = broken.text
        closing = "".join(CLOSERS[bracket.char] for bracket in reversed(fault.openers))
        own = self.signs.line(text, fault.openers[0].offset)
        after = fault.next if not is_part(text[fault.next : fault.next + 1] or " ") else fault.end
        header = own.code_end
        if own.code[-1:] == "{" and fault.openers[-1].offset < own.code_end - 1:
            header -= 1
            header -= text[header - 1 : header] == " "
        for end in dict.fromkeys((fault.end, header, after)):
            if broken.is_free(end, end) or end > broken.held[1]:
                cost = _ADDED + 0.1 * (len(closing) - 1) + (0.25 if end != fault.end else 0.0)
                yield Edit(end, end, closing, cost)
                if end == header == own.code_end and fault.openers[-1].char != "{":
                    below = self.signs.below(text, own.end, _MOST_ABOVE)
                    if below is not None and below.column > own.column:
                        for body in self.bodies:
                            yield Edit(end, end, f"{closing}{body}", cost + 0.1)
                    yield Edit(end, end, f"{closing} {{}}", cost + 0.3)
        for opener in fault.openers[::-1]:
            if broken.is_free(opener.offset, opener.offset + 1):
                yield Edit(opener.offset, opener.offset + 1, "", _SIGN * 2)
        if len(fault.openers) > 1:
            yield from self._closed(broken, Unclosed(fault.openers[-1:], fault.end, fault.next))
        yield from self._hidden(broken, own, _OTHER)

    bodies: ClassVar[tuple[str, ...]] = (" {",)
    """possible beginnings of a header's body"""

    def _opened(self, broken: Broken, offset: int) -> Iterator[Edit]:
        """The opening bracket of a closing one, added at the end of the line above in its column."""
        text = broken.text
        line = self.signs.line(text, offset)
        start = line.start
        for _ in range(_MOST_ABOVE):
            header = self.signs.above(text, start, _MOST_ABOVE)
            if header is None or header.column < line.column:
                return
            start = header.start
            if header.column == line.column:
                end = header.code_end
                if header.code[0] not in ")]}" and (broken.is_free(end, end) or end > broken.held[1]):
                    for body in self.bodies if text[offset] == "}" else (OPENERS[text[offset]],):
                        yield Edit(end, end, body, _ADDED)
                yield from self._hidden(broken, header, _OTHER)
                return

    def _added(self, broken: Broken, line: Line, above: Line | None) -> Iterator[Edit]:
        """A missing operand or body at the end of a line."""
        text = broken.text
        for candidate in (line, above):
            if candidate is None or not candidate.code:
                continue
            end = candidate.code_end
            if not (broken.is_free(end, end) or end > broken.held[1]):
                continue
            before, below = broken.before(end), self.signs.below(text, candidate.end, _MOST_ABOVE)
            deeper = below is not None and below.column > candidate.column
            for added in (*(self.bodies if deeper else (" {}",)), *self.operands):
                if before is not None and self._engine.read_text(before, added) is not None:
                    yield Edit(end, end, added, _ADDED + (0.0 if deeper else 0.25))

    # -- removals

    def _signs(self, broken: Broken, line: Line) -> Iterator[Edit]:
        """Removals of a bracket where a text dies, and of quotes of its line or of a long string."""
        text, dead = broken.text, broken.dead
        if text[dead : dead + 1] in tuple("()[]{}") and broken.is_free(dead, dead + 1):
            yield Edit(dead, dead + 1, "", _SIGN)
        code = self.signs.tokens.sub(lambda match: " " * len(match[0]), text[line.start : line.end])
        single = [line.start + match.start() for match in _QUOTES.finditer(code)]
        runs = (match.span() for match in _QUOTES.finditer(text, line.start, line.end))
        places = [(start, end) for start, end in runs if any(start <= place < end for place in single)]
        before = broken.before(line.start)
        tick = text.rfind("`", 0, line.start)
        if tick >= 0 and (before is None or self._engine.lexer.region(before.lex) == "string"):
            places.append((tick, tick + 1))
        for start, end in places[:-3:-1]:
            for begin in dict.fromkeys((start, end - 1)):
                if broken.is_free(begin, end):
                    yield Edit(begin, end, "", _SIGN + 0.5)
            if start < line.start:
                yield from self._hidden(broken, self.signs.line(text, start), _OTHER)

    def _hidden(self, broken: Broken, line: Line, cost: float) -> Iterator[Edit]:
        """A line replaced by a stand-in."""
        if not line.code or not broken.is_free(line.start, line.end) or line.end == broken.held[0]:
            return
        text, begin = broken.text, line.start + len(line.indent)
        before = broken.before(line.start)
        below = self.signs.below(text, line.end, _MOST_ABOVE)
        if below is not None and below.column > line.column:
            closers = self._closers(text, line)
            words = self._words(line.code)
            rest = text[line.end : below.end]
            for form in self._fitting(before, self.headers(line.code, words, closers), rest):
                yield Edit(begin, line.end, form, cost)
        yield from self._replaced(broken, begin, line.end, cost, before)

    def _replaced(
        self, broken: Broken, begin: int, end: int, cost: float, before: PrefixState | None
    ) -> Iterator[Edit]:
        """A piece of a text replaced by a statement, a member or an element."""
        text = broken.text
        code = text[begin:end]
        words = self._words(code)
        declared = [name for name in dict.fromkeys(self.declared(code)) if name in words]
        declared += [word for word in words if word not in declared and not stands_elsewhere(text, word, begin, end)]
        others = [word for word in words if word not in declared]
        forms = self.stand_ins(code, declared, others) if words else self.empty
        below = self.signs.below(text, end, _MOST_ABOVE)
        rest = text[end : below.end] if below is not None else ""
        for number, form in enumerate(self._fitting(before, ("", *forms) if not words else forms, rest)):
            yield Edit(begin, end, form, cost + 0.1 * number)
        yield Edit(begin, end, "", cost + 0.2)

    def _around(self, broken: Broken, line: Line, layout: Layout) -> Iterator[Edit]:
        """Stand-ins for the statements around, without anything of the cursor's line, innermost first."""
        text = broken.text
        for number, opener in enumerate(layout.open[: -_MOST_AROUND - 1 : -1]):
            first = self.signs.line(text, opener.offset)
            end = self._block_end(text, first)
            begin = first.start + len(first.indent)
            if end > line.start and broken.is_free(first.start, end):
                yield from self._replaced(broken, begin, end, _OTHER + 0.5 * (number + 1), broken.before(first.start))
        if line.code:
            end = self._block_end(text, line)
            if end > line.end and broken.is_free(line.start, end):
                begin = line.start + len(line.indent)
                yield from self._replaced(broken, begin, end, _OTHER + 0.5, broken.before(line.start))

    def _block_end(self, text: str, first: Line) -> int:
        """The end of the block below a line, with the line that closes it."""
        last, line = first, self.signs.below(text, first.end, _MOST_ABOVE)
        for _ in range(_MOST_ABOVE):
            if line is None or line.column < first.column:
                break
            if line.column == first.column:
                if line.code[0] in ")]}":
                    last = line
                    if line.code[-1] in "{([":
                        line = self.signs.below(text, line.end, _MOST_ABOVE)
                        continue
                break
            last = line
            line = self.signs.below(text, line.end, _MOST_ABOVE)
        return last.code_end

    def _closers(self, text: str, line: Line) -> str:
        """The brackets that close the block below a line."""
        end = line.end
        for _ in range(_MOST_ABOVE):
            below = self.signs.below(text, end, _MOST_ABOVE)
            if below is None or below.column < line.column:
                return ""
            if below.column == line.column:
                closers = _CLOSERS.match(below.code)
                return "" if closers is None else closers[0]
            end = below.end
        return ""

    def _fitting(self, before: PrefixState | None, forms: Iterable[str], rest: str) -> Iterator[str]:
        """The first forms that fit behind the text read so far; those first that fit the rest, too."""
        if before is None:
            return iter(())
        read = {form: self._engine.read_text(before, form + "\n") for form in dict.fromkeys(forms)}
        fitting = [form for form, after in read.items() if after is not None]
        going_on = [form for form in fitting if self._engine.read_text(before, form + rest) is not None]
        return islice(dict.fromkeys([*going_on, *fitting]), _MOST_FORMS)

    def _words(self, code: str, most: int = _MOST_WORDS) -> list[str]:
        """The names read or declared by a piece of code."""
        code = self.signs.tokens.sub(lambda match: match[0] if match.lastgroup == "bracket" else " ", code)
        words = dict.fromkeys(_WORD.findall(code))
        return [word for word in words if word not in self.keywords][:most]
