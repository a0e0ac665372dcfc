"""Words and estimates for Python's bridge search."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product

from ....common.bounded import BoundedDict
from ...bridging.astar import SearchLimits, cost, search
from ...bridging.heuristic import INF, Distances, HeuristicGoal
from ...glr.gss import GssState
from ...glr.layout import Frame
from ...glr.prefix import Engine, PrefixState
from ...glr.suffix import SuffixContext, SuffixText
from ...glr.suffix_viability import SuffixParser
from ...grammar.lalr import END
from ...lexing.base import ANY_LINE, LexState
from .layout import indentation
from .lexer.between import Backslash, Between, Comment, Continued
from .lexer.entries import context_of, spelling
from .lexer.fstrings import FString
from .lexer.lines import ContinuedIndentation, Indentation, LineStart, StartOfFile
from .lexer.numbers import Number
from .lexer.python_lexer import PythonLexer
from .lexer.strings import String
from .lexer.symbol import PythonSymbol
from .lexer.template_layout import TemplateLayout
from .lexer.templates import Text
from .lexer.words import Name
from .openings import Openings, indent_of
from .suffix_entries import SuffixEntries, SuffixEntry, first_word, keyword_heads

_INDENT = 4
_EXAMPLES = {
    **{"NAME": "x", "NUMBER": "0", "IMAGINARY": "0j", "STRING": "''", "BYTES": "b''"},
    **{"FSTRING_START": 'f"', "TSTRING_START": 't"', "TEMPLATE_END": '"'},
    **{"FIELD_OPEN": "{", "FIELD_CLOSE": "}", "CONVERSION": "!r", "SPEC": ":"},
}
_PLAIN_FIRST = ") ] } : , pass x 0 None '' = in else import as for if ("
_QUOTES = ('"', "'", '"""', "'''", 'b"', "b'", 'r"', "r'")
_USUAL = (Between, Comment, Indentation, Text)
"""Symbols that words lead to anyway."""
_TEXT = (FString, Text)
_BETWEEN = (Between, Continued, Backslash)
_AT_SYMBOL = (*_BETWEEN, Text, StartOfFile, LineStart)
_ALTERNATIVES = 6
"""Ways to end the symbol in progress that an estimate considers."""
_ENTERED = 16
"""Terminals of the right context tried to tell whether a state can enter it."""
_FROM_LINE = SearchLimits(expansions=25)
_LINES = 12
"""Beginnings of lines from which the search continues when no bridge is nearer."""
_KEPT = 64
"""Beginnings of lines, each with a right context, whose continuations are kept."""
_HASTE = 3.0
_QUOTE_SCAN = 4_000
"""Characters of a right context searched for the quote that ends a string."""
_BLOCK = 5.0
"""The least cost of beginning another block."""


class PythonBridging:
    """See Bridging in hole.py."""

    def __init__(self, engine: Engine, lexer: PythonLexer, suffixes: SuffixParser) -> None:
        self._engine, self._lexer, self._suffixes = engine, lexer, suffixes
        tables = engine.factory.tables
        texts = {t: text for text, t in lexer.operators.items()} | {t: text for text, t in lexer.keywords.items()}
        texts |= {tables.terminal(name): text for name, text in _EXAMPLES.items() if tables.terminal(name) >= 0}
        rank = {text: i for i, text in enumerate(_PLAIN_FIRST.split())}
        self._texts = dict(sorted(texts.items(), key=lambda item: rank.get(item[1], len(rank))))
        assert engine.blocks is not None
        costs = {t: cost(text) for t, text in self._texts.items()}
        layout = {
            END: 0.0,
            engine.blocks.newline: cost("\n"),
            tables.terminal("INDENT"): 0.0,
            tables.terminal("DEDENT"): 0.0,
        }
        self._distances = Distances(engine.factory, costs | layout)
        self._ways = SuffixEntries(engine, lexer, suffixes, self._distances)
        self._openings = Openings(engine, lexer.keywords, lexer.operators[":"])
        self._known: BoundedDict[tuple[PrefixState, SuffixContext], list[str]] = BoundedDict(_KEPT)
        self._outside = {END, tables.terminal("DEDENT")}
        self._newline = engine.blocks.newline
        self._nothing = SuffixContext(engine, SuffixText(""), 0)

    @cached_property
    def _field_end(self) -> HeuristicGoal:
        """The stacks on which the expression of an f-string's field can end, read as if in parentheses."""
        closing = self._lexer.operators[")"]
        states = {state for state, to in enumerate(self._engine.factory.tables.shift) if closing in to}
        return self._distances.goal(states, 1, [closing, self._newline])

    @cached_property
    def _line_ends(self) -> list[HeuristicGoal]:
        """The stacks on which a logical line can end, together with its block or the file."""
        newline = self._newline
        states = {state for state, to in enumerate(self._engine.factory.tables.shift) if newline in to}
        return [self._distances.goal(states, 0, [newline, t]) for t in sorted(self._outside)]

    def may_enter(self, right: SuffixContext, lex: LexState) -> bool:
        return self._suffixes.begins(right, lex, _ENTERED)

    def words(self, left: PrefixState, right: SuffixContext) -> list[str]:
        self._engine.ask()
        lexer, symbol = self._lexer, left.lex.symbol
        words = list(lexer.closers(left.lex))
        if isinstance(symbol, PythonSymbol) and symbol.is_in_escape:
            return words  # nothing else leads anywhere, but trying takes long
        if isinstance(symbol, Name) and symbol.text:
            words += self._keyword_rests(symbol.text, right)
        elif not isinstance(symbol, _TEXT):
            words += keyword_heads(right, self._lexer)
        if isinstance(symbol, _BETWEEN):
            advance = self._engine.factory.advance
            words += [text for t, text in self._texts.items() if advance(left.stacks, t) is not None]
            words += self._swallowing(right, symbol.context)
        elif isinstance(symbol, FString):
            words += [symbol.closing, "x", "}", ")", "]", "0", '"', "'", '"""', "'''", " ", "s", "=", ":"]
            if symbol.field is not None:  # the same engine reads its text
                words += self.words(symbol.field.left, self._nothing)
        elif isinstance(symbol, Text) and symbol.pending != "{":
            words += ["{", "}"]
        else:  # a number and a keyword are two words
            is_number = isinstance(symbol, Number)
            words += (text for text in self._texts.values() if not is_number or not text[0].isalpha())
        if not isinstance(symbol, _TEXT):
            words += self._brackets(left, right)
        if isinstance(symbol, ContinuedIndentation):  # columns no longer count
            words += self._texts.values()
        if not isinstance(symbol, _TEXT) and left.stacks.depth == 0:
            words += ["\n" + indent for indent in self._indents(left.frame, right)]
        if isinstance(symbol, Indentation):
            own = indentation(symbol.column, symbol.alt_column)
            words += [
                indent[len(own) :]
                for indent in self._indents(left.frame, right)
                if indent.startswith(own) and indent != own
            ]
        return words

    def _brackets(self, left: PrefixState, right: SuffixContext) -> list[str]:
        """All missing brackets at once that the right context closes: estimates do not tell the kinds of so many apart."""
        ways = self._ways.into(right, context_of(left.lex))
        missing = dict.fromkeys(self._ways.brackets(right, way.entry)[left.stacks.depth :] for way in ways)
        return [brackets for brackets in missing if len(brackets) > 1]

    def _swallowing(self, right: SuffixContext, context: TemplateLayout | None) -> list[str]:
        """Texts that turn the right context's beginning into part of a string or comment, only where it can be nothing else."""
        ways = self._ways.into(right, context)
        entered = [way.entry.symbol for way in ways]
        rare = [spelling(self._lexer, way.entry) for way in ways if not isinstance(way.entry.symbol, _USUAL)]
        return [
            *(_QUOTES if any(isinstance(symbol, String) for symbol in entered) else ()),
            *(["#"] if any(isinstance(symbol, Comment) for symbol in entered) else ()),
            *filter(None, rare),
        ]

    def _indents(self, frame: Frame, right: SuffixContext) -> list[str]:
        """White space to the column of each open block and to one deeper, with and without the right context's own."""
        there = indent_of(right)
        columns = [indentation(block.column, block.alt_column) for block in frame.outward()]
        indents = [columns[0] + " " * _INDENT, *columns]
        return [*(i.removesuffix(there) for i in indents if there and i.endswith(there)), *indents]

    def _keyword_rests(self, typed: str, right: SuffixContext) -> list[str]:
        """Texts that complete the typed letters to a keyword, alone or with the right context's first characters."""
        rests = [text[len(typed) :] for text in self._lexer.keywords if text.startswith(typed)]
        tail = first_word(right)
        return rests + [rest[: -len(tail)] for rest in rests if tail and rest != tail and rest.endswith(tail)]

    def fallback_bridges(self, left: PrefixState, right: SuffixContext) -> Iterator[str]:
        """End the statement, open the blocks the right context needs, and search on from there; as a last resort turn the right context's
        beginning into a string or comment."""
        comment = self._lexer.state(Comment, None)
        entries = [way.entry for way in self._ways.into(right, None)]
        if self._suffixes.viable_from(right, (self._lexer.new_line,)) is not None:
            entries.append(self._lexer.new_line)
        yield from self._from_lines(left, right, entries)
        if comment not in entries and self._suffixes.viable_from(right, (comment,)) is not None:
            yield from self._from_lines(left, right, [comment])

    def _from_lines(self, left: PrefixState, right: SuffixContext, entries: list[LexState]) -> Iterator[str]:
        """Bridges that enter the right context on a line of its own, in one of these states."""
        lines = {line: before for before, line in reversed([*self._lines(left, right, entries)])}
        cheapest = sorted(lines, key=lambda line: cost(lines[line]) + self.estimate(line, right))
        for line in cheapest[:_LINES]:
            for text in self._from_line(line, right):
                yield lines[line] + text
        for line, opener in product(cheapest, (*_QUOTES, "#")):
            opened = self._engine.read_text(line, opener)
            if opened is not None and right.accepts(opened):
                yield lines[line] + opener

    def _from_line(self, line: PrefixState, right: SuffixContext) -> list[str]:
        """Bridges from the beginning of a line, memoized: many ends of statements lead to the same beginning."""
        cached: list[str] | None = self._known.get((line, right))
        if cached is None:
            cached = self._known[line, right] = search(
                line,
                read=self._engine.read,
                accepts=right.accepts,
                words=lambda state: self.words(state, right),
                estimate=lambda state, limit: self.estimate(state, right, limit),
                limits=_FROM_LINE,
                weight=_HASTE,
            )
        return cached

    def _lines(
        self, left: PrefixState, right: SuffixContext, entries: list[LexState]
    ) -> Iterator[tuple[str, PrefixState]]:
        """(text that ends the logical line and opens blocks for the right context; the state after it)."""
        read, there = self._engine.read_text, indent_of(right)
        for ending, frame in self._open_blocks(left):
            for entry in dict.fromkeys(entries):
                for opening in self._openings.of(right, entry, frame):
                    before = ending + "\n" + opening.text
                    whole = read(left, before + opening.line + " ")
                    if whole is None or not self._openings.fits(right, entry, (whole.frame, whole.stacks)):
                        continue
                    header = opening.line[: opening.line.rfind(":") + 1] if opening.line[-1] != ":" else ""
                    spelled = spelling(self._lexer, entry)
                    if entry is self._lexer.new_line:
                        texts = [before + opening.line + "\n"]
                    elif spelled is not None and not isinstance(entry.symbol, Name):
                        continued = [opening.line + " ", "", header, opening.line + "="]
                        closed = self._ways.brackets(right, entry)
                        if closed:  # it begins within a string or comment inside brackets
                            within = opening.line.rstrip(":").replace("x", closed + "x ", 1)
                            continued += [within, within.removesuffix("x ")]
                        texts = [before + text + spelled for text in continued]
                    else:
                        texts = [before + header] if header else []
                        if not header or self._openings.has_header(right, entry):
                            texts += [before.removesuffix(there), before]
                            texts += [before + "async", before + "\\\n"] if there else []
                    for written in dict.fromkeys(texts):
                        line = read(left, written)
                        if line is not None:
                            yield written, line

    def _open_blocks(self, left: PrefixState) -> Iterator[tuple[str, Frame]]:
        """(text that ends the logical line and adds missing clauses; a block in which a line can then begin)."""
        read = self._engine.read_text
        for ending in self._endings(left):
            ended = read(left, ending)
            frame = ended.frame if ended is not None else None
            while frame is not None and ended is not None:
                yield ending, frame
                frame = frame.parent
                if frame is None:
                    return
                margin = "\n" + indentation(frame.column, frame.alt_column)
                if all(read(ended, margin + line) is None for line in ("x", "case x:x")):  # a `try` lacks its clause
                    ended, ending = read(ended, margin + "except:x"), ending + margin + "except:x"

    def _endings(self, left: PrefixState) -> list[str]:
        """Texts after which the logical line can end."""
        for weight in (1.0, _HASTE):
            texts = search(
                left,
                read=self._engine.read,
                accepts=self._line_can_end,
                words=lambda state: self.words(state, self._nothing),
                estimate=lambda state, limit: (
                    self._unclosed(state, self._nothing)
                    + min(self._distance(goal, self._lexer.clean, state, limit) for goal in self._line_ends)
                ),
                limits=SearchLimits(expansions=150),
                weight=weight,
            )
            if texts:
                return texts
        return []

    def _line_can_end(self, left: PrefixState) -> bool:
        """Whether the logical line is complete, and a block or the file may end with it."""
        after = self._engine.read(left, "\n") if left.stacks.depth == 0 else None
        if after is None or not isinstance(after.lex.symbol, Indentation):
            return False
        stacks = self._at_symbol(after)
        return any(self._engine.factory.advance(stacks, t) is not None for t in self._outside)

    def estimate(self, left: PrefixState, right: SuffixContext, limit: float = INF) -> float:
        """The least number of characters missing before the right context can continue: symbols, brackets it closes, a block for its
        lines."""
        best, in_text = INF, isinstance(left.lex.symbol, Text)
        for way in self._ways.into(right, context_of(left.lex)):
            closed = len(self._ways.brackets(right, left.lex)) if in_text else way.goal.depth
            missing = max(float(abs(left.stacks.depth - closed)), self._distance(way.goal, way.entry, left, limit))
            best = min(best, missing + (_BLOCK if self._lacks_block(left, way) else 0.0))
        return best + self._unclosed(left, right)

    def _unclosed(self, left: PrefixState, right: SuffixContext) -> float:
        """The cost of closing an f-string, unless the right context may close it."""
        symbol = left.lex.symbol
        if not isinstance(symbol, FString):
            return 0.0
        text = right.tail.text
        start = len(text) - right.length
        line_end = text.find("\n", start)
        end = start + _QUOTE_SCAN if symbol.layout.triple or line_end < 0 else line_end
        missing = "".join(char for char in symbol.closing if text.find(char, start, end) < 0)
        return cost(missing) if missing else 0.0

    def _lacks_block(self, left: PrefixState, way: SuffixEntry) -> bool:
        """Whether no open block has a place for the line after the right context's first one."""
        if way.column is None or isinstance(left.lex.symbol, LineStart):
            return False
        if way.is_header:
            return way.column <= left.frame.column
        frame: Frame | None = left.frame
        while frame is not None and frame.column > way.column:
            frame = frame.parent
        return frame is None or frame.column != way.column

    def _distance(self, goal: HeuristicGoal, entry: LexState, left: PrefixState, limit: float) -> float:
        """The distance to entering the right context: with the lexer in its state at the goal, or at once when it is in that state now."""
        lexer, symbol = self._lexer, left.lex.symbol
        opening = _opening(entry)
        is_same_kind = type(symbol) is type(entry.symbol) and not isinstance(symbol, Name)
        if opening and (left.lex is entry or is_same_kind):
            return 0.0
        if isinstance(symbol, _AT_SYMBOL):
            return self._distances.to(goal, self._at_symbol(left), limit) + opening
        best, inside = INF, 0.0
        if isinstance(symbol, FString) and symbol.field is not None:
            inside = self._distance(self._field_end, lexer.clean, symbol.field.left, limit)
        for tokens in lexer.expected(left.lex)[:_ALTERNATIVES]:
            fed = self._engine.feed(left.frame, left.stacks, tokens) if ANY_LINE not in tokens else None
            if fed is not None:
                best = min(best, self._distances.to(goal, fed[1], limit) + opening)
        return inside + best if best < INF else inside

    def _at_symbol(self, left: PrefixState) -> GssState:
        """The stacks before the next symbol: at the beginning of a line, those after the NEWLINE before it."""
        assert self._engine.blocks is not None
        if not isinstance(left.lex.symbol, LineStart) or left.stacks.depth:
            return left.stacks
        return self._engine.factory.advance(left.stacks, self._engine.blocks.newline) or left.stacks


def _opening(entry: LexState) -> float:
    """The cost of bringing the lexer into this state."""
    symbol = entry.symbol
    if isinstance(symbol, Comment):
        return 1.0
    if isinstance(symbol, Name):
        return float(len(symbol.text))
    return len(symbol.quote) * (3.0 if symbol.triple else 1.0) if isinstance(symbol, String) else 0.0
