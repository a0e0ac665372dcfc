"""Stacks that insert a terminal, against a reference that asks the Earley parser before each terminal; and names that must be repeated."""

from itertools import product

import pytest
from suture.parser.earley import Cfg, Nfa, charts
from suture.parser.glr.gss import GssState
from suture.parser.glr.ruled_gss import RuledGss, StackRules
from suture.parser.grammar import lalr, loader
from suture.parser.grammar.lalr import END
from suture.parser.grammar.line_aware import LineAware, widened

STATEMENTS = """
%declare X INC LINE_INC RETURN OPEN CLOSE SEMI ASI
start: item*
item: X semi | X LINE_INC semi | INC X semi | RETURN [X] semi | SEMI | OPEN item* CLOSE
semi: SEMI | ASI
"""
NAMES = ("X", "INC", "RETURN", "OPEN", "CLOSE", "SEMI")
DECLARED = LineAware({"LINE_INC": "INC"}, {"RETURN": frozenset()}, "SEMI", probed=frozenset({"INC"}))
Word = tuple[tuple[str, bool], ...]
"""Terminals, each with whether a line has ended before it."""


class Statements:
    """The grammar above: its stacks, and a reference that shares only the grammar with them."""

    def __init__(self) -> None:
        grammar = loader.parse(STATEMENTS, "start")
        tables = lalr.build(grammar)
        self.wide = widened(tables, DECLARED)
        self.number = {name: t for t, name in enumerate(tables.terminals)}
        before = frozenset((*self.wide.behind, self.number["CLOSE"], END))
        self.gss = RuledGss(self.wide.tables, {}, 99, StackRules(self.number["ASI"], before))
        self._cfg = Cfg.of(grammar)
        self._viable: dict[tuple[str, ...], bool] = {}

    def terminal(self, name: str, line_end: bool) -> int:
        return self.wide.behind[self.number[name]] if line_end else self.number[name]

    def after(self, word: Word) -> GssState | None:
        stacks: GssState | None = self.gss.start
        for name, line_end in word:
            stacks = stacks and self.gss.advance(stacks, self.terminal(name, line_end))
        return stacks

    def reads(self, word: Word) -> bool:
        stacks = self.after(word)
        return stacks is not None and self.gss.advance(stacks, END) is not None

    def is_valid(self, word: Word) -> bool:
        """A terminal that cannot come gets a semicolon before it, behind a line end and before CLOSE and the end."""
        read: list[str] = []
        for name, line_end in word:
            ways = ["INC", "LINE_INC"] if name == "INC" and not line_end else [name]
            held = line_end and read[-1:] == ["RETURN"] and name != "SEMI"
            fits = [] if held else [way for way in ways if self._is_viable([*read, way])]
            if not fits and (line_end or name == "CLOSE") and self._is_viable([*read, "ASI"]):
                read.append("ASI")
                fits = [way for way in ways if self._is_viable([*read, way])]
            if not fits:
                return False
            read += fits
        return any(charts(self._cfg, Nfa.of_word(whole)).accepts for whole in (read, [*read, "ASI"]))

    def _is_viable(self, read: list[str]) -> bool:
        key = tuple(read)
        if key not in self._viable:
            found = charts(self._cfg, Nfa.of_word(read))
            self._viable[key] = any(True for _ in found.items(len(read)))
        return self._viable[key]


@pytest.fixture(scope="module")
def statements() -> Statements:
    return Statements()


def test_semicolons_are_put_in_where_the_reference_does(statements: Statements) -> None:
    symbols = [(name, line_end) for name in NAMES for line_end in (False, True)]
    words: list[Word] = [
        word for size in range(5) for word in product(symbols, repeat=size) if not word or not word[0][1]
    ]
    assert len(words) > 10_000
    assert [word for word in words if statements.reads(word) != statements.is_valid(word)] == []
    assert sum(map(statements.reads, words)) > 500


def test_a_probe_asks_without_a_semicolon(statements: Statements) -> None:
    behind = statements.terminal("INC", True)
    stacks = statements.after((("X", False),))
    assert stacks is not None
    assert statements.gss.advance(stacks, behind) is not None
    assert statements.gss.advance(stacks, statements.wide.probes[behind]) is None
    assert statements.gss.advance(statements.gss.start, statements.wide.probes[behind]) is not None


PAIRS = "%declare OPEN NAME CLOSE DONE MORE\nstart: part*\npart: OPEN NAME MORE part* CLOSE NAME DONE | OPEN NAME CLOSE DONE"


def test_a_name_must_come_again() -> None:
    tables = lalr.build(loader.parse(PAIRS, "start"))
    number = {name: t for t, name in enumerate(tables.terminals)}
    gss = RuledGss(tables, {}, 99, StackRules(pair=(number["NAME"], number["OPEN"])))

    def reads(text: str) -> bool:
        """Names in lower case; `(a` begins, `,` has parts, `)` ends with a name, `;` is done."""
        signs = {"(": "OPEN", ")": "CLOSE", ";": "DONE", ",": "MORE"}
        stacks: GssState | None = gss.start
        for char in text:
            stacks = stacks and gss.advance(stacks, number[signs[char]] if char in signs else gss.named(char))
        return stacks is not None and gss.advance(stacks, END) is not None

    well_formed = ["(a,)a;", "(a,(b,)b;)a;", "(a,(a,)a;(b);)a;(b,)b;", "(a);(b);", "(a,(b,(c,)c;)b;)a;"]
    swapped = [
        text[:at] + other + text[at + 1 :]
        for text in well_formed
        for at, char in enumerate(text)
        if char in "abc"
        for other in "abc"
    ]
    for text in swapped:
        assert reads(text) == is_paired(text), text


def is_paired(text: str) -> bool:
    """Brackets with names, by counting; `(a);` has no second name."""
    open_: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "(" and text[at + 2] == ",":
            open_.append(text[at + 1])
            at += 3
        elif text[at] == "(":
            at += 4
        elif open_ and open_.pop() == text[at + 1]:
            at += 3
        else:
            return False
    return not open_
