"""The phases of a Go file: the package clause, the imports, the declarations.

Each phase can be left for each later one and for no earlier one, with any text in it: a declaration can be ended, and any other begun
after it. So a viable text can be completed before a right context just where the right context is the end of some file cut in the
text's phase or a later one. Almost every right context is the end of a file cut in its declarations; then the text does not matter.

The phases: the file's start (before a byte order mark); blanks and comments; `p`, `pa`, ... of the package clause; behind it before
the name; in the name; after it; in a comment after it that its line's end will end; the imports; the declarations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import SuffixContext
from ...glr.suffix_viability import SuffixParser
from ...grammar.lalr import Tables
from ...lexing.base import LexState
from .lexer import GoLexer

_START, _BLANK = 0, 1
_PACKAGE = _BLANK + len("package")
"""With the whole keyword typed, and with a possible beginning of one."""
_NAMELESS, _NAME, _NAMED, _COMMENTED, _IMPORTS, DECLARATIONS = range(_PACKAGE + 1, _PACKAGE + 7)


class Beneath:
    """The LR states on top in a lexer state that tells whether the last symbol has armed it; None: any."""

    def __init__(self, tables: Tables, lexer: GoLexer) -> None:
        self._tables, self._lexer = tables, lexer

    def __call__(self, lex: LexState) -> frozenset[int] | None:
        armed = self._lexer.is_armed(lex)
        return None if armed is None else self._ended[armed]

    @cached_property
    def _ended(self) -> tuple[frozenset[int], frozenset[int]]:
        """The LR states on top after a symbol that has not armed the lexer, and after one that has."""
        tables, arming = self._tables, self._lexer.arming
        lasts = tables.edges(-1)
        ended: tuple[set[int], set[int]] = set(), set()
        for state, kernel in enumerate(tables.kernels):
            symbols = {tables.rules[rule][1][dot - 1] for rule, dot in kernel}
            for symbol in symbols:
                last = {~symbol} if symbol < 0 else lasts[symbol]
                if last & arming:
                    ended[1].add(state)
                if last - arming:
                    ended[0].add(state)
        return frozenset(ended[0]), frozenset(ended[1])


class Phases:
    """Tells the phase of a text, and the phases a right context may be entered in; for one engine."""

    def __init__(self, engine: Engine, lexer: GoLexer, brackets: dict[int, int]) -> None:
        self._engine, self._lexer, self._brackets = engine, lexer, brackets
        tables = engine.factory.tables
        self._tables = tables
        self._package = tables.shift[0][lexer.texts["package"]]
        self._ident = tables.terminal("IDENT")
        self._named = tables.shift[self._package][self._ident]
        self._clause = tables.shift[self._named][lexer.semicolon]
        self._first = frozenset(lexer.texts[word] for word in ("func", "type", "var", "const"))
        self.beneath = Beneath(tables, lexer)
        self.imports, self.declarations = self._split(tables)

    def _split(self, tables: Tables) -> tuple[frozenset[int], frozenset[int]]:
        """The LR states on top of stacks in the imports, and in the declarations."""
        firsts = tables.edges(0)
        imports, declarations = {self._clause}, set[int]()
        todo = [self._clause]
        while todo:
            state = todo.pop()
            moves = [(~t, to) for t, to in tables.shift[state].items()] + list(tables.goto[state].items())
            for symbol, to in moves:
                first = {~symbol} if symbol < 0 else firsts[symbol]
                declares = state in declarations or first <= self._first
                phase = declarations if declares else imports
                if to not in phase:
                    phase.add(to)
                    todo.append(to)
        assert not imports & declarations, "the items of the states tell them apart"
        return frozenset(imports), frozenset(declarations)

    @cached_property
    def in_imports(self) -> SuffixParser:
        """The decision for right contexts cut in the imports."""
        return SuffixParser(self._engine, self._brackets, self.imports, beneath=self.beneath)

    def of(self, left: PrefixState) -> int:
        """The phase of a viable text."""
        lex, top = left.lex, left.stacks.tops[0].state
        if top in self.declarations:
            return DECLARATIONS
        if top in self.imports:
            alternatives = self._lexer.expected(lex)
            advance = self._engine.factory.advance
            possible = {t for (t,) in alternatives if isinstance(t, int) and advance(left.stacks, t) is not None}
            return DECLARATIONS if possible and possible <= self._first else _IMPORTS
        if top == self._named:
            return _COMMENTED if self._lexer.expected(lex) == ((self._lexer.semicolon,),) else _NAMED
        if top == self._package:
            return _NAME if self._lexer.ends_with(lex, "IDENT") is not None else _NAMELESS
        if lex is self._lexer.start:
            return _START
        rest = self._lexer.ends_with(lex, "PACKAGE")
        return _BLANK if rest is None else _PACKAGE - len(rest)

    def limit(self, right: SuffixContext) -> int:
        """The last phase in which some file may be cut before this right context, which is no end of declarations; -1 for none."""
        if self.in_imports.viable_from(right, self._lexer.all_states()) is not None:
            return _IMPORTS
        tops = (self._named, self._package, 0)
        lefts = [left for top in tops for lex in self._lexer.all_states() if (left := self._left(top, lex)) is not None]
        return max((self.of(left) for left in lefts if right.accepts(left)), default=-1)

    def _left(self, top: int, lex: LexState) -> PrefixState | None:
        """The state before the imports with these parts, where it is viable."""
        lexer, engine = self._lexer, self._engine
        if top != 0 and lex is lexer.start:
            return None
        tokens = {0: (), self._package: (lexer.texts["package"],)}.get(top, (lexer.texts["package"], self._ident))
        fed = engine.feed(engine.top, engine.factory.start, tokens)
        assert fed is not None
        armed = top == self._named
        if (lex is lexer.armed and not armed) or (lex is lexer.clean and armed):
            return None
        return engine.left(lex, *fed) if engine.viable(lex, fed[1]) else None

    def restriction(self, right: SuffixContext) -> Callable[[PrefixState], bool] | None:
        """The decider whether a text can be completed before a right context that is no end of declarations; None: none can."""
        limit = self.limit(right)
        return None if limit < 0 else lambda left: self.of(left) <= limit
