"""The lexer of TypeScript and JavaScript, with JSX.

It knows no brackets: the meaning of `}` or `/` lies on the parser's stacks, and the lexer asks them (see Choice in lexing/base.py). Four
characters have several meanings: `/` divides or begins a regular expression; `}` ends a block, a field of a template, an attribute or a
child of an element; `<` compares, or begins type arguments or a tag; the `>` of a tag has children, code or other things behind it.

One automaton reads the symbols of code, made from the patterns in typescript.lark; there are other states within regular expressions,
templates, tags and the text between tags. A state between symbols, or in one, knows whether a line has ended before it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING

from ...grammar.lalr import END
from ...lexing.base import DEAD, Choice, LexState, Option, Region, Step, Tokens, settled
from ...lexing.dfa import IGNORED
from .symbols import (
    BLANKS,
    EXTENDS,
    LINE_ENDS,
    AttributeName,
    Between,
    Hashbang,
    InRegex,
    InSymbol,
    InTag,
    InTemplate,
    InText,
    Less,
    LessComment,
    LessSlash,
    Part,
    StartOfFile,
    Tag,
    TagComment,
    TagName,
    TagSlash,
    TagString,
    TextLess,
    all_less,
)
from .tags import TagLexer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_SPECIAL = "\n\r\u2028\u2029`$\\/*[]{}<>\"'-.:=#!,"
_DIGITS = "0123456789"


class TypeScriptLexer(TagLexer):
    """The lexer over the automaton of a dialect, for its tables."""

    asks = True

    # -- stepping

    def _newline_step(self, state: LexState, char: str) -> Step:
        if char != "\r":
            return super()._newline_step(state, char)
        _, tokens = self.step(settled(state), "\n")
        if type(tokens) is Choice:  # it says how to read on with the line end
            return None, Choice.of(tuple(tokens), tokens.options, "\r")
        return super()._newline_step(state, char)

    def _step(self, state: LexState, char: str) -> Step:
        symbol = state.symbol
        match symbol:
            case InSymbol():
                return self._in_symbol(symbol, char)
            case Between():
                return self._between(symbol, char)
            case StartOfFile(hash=False) if char == "#":
                return self.state(StartOfFile, True), ()
            case StartOfFile(hash=True):
                if char == "!":
                    return self.state(Hashbang), ()
                return self.step(self.state(InSymbol, self._after("#"), False, False), char)
            case StartOfFile():
                return self._between(Between(False, False), char)
            case Hashbang():
                return (self.new_line if char in LINE_ENDS else state), ()
            case InRegex():
                return self._in_regex(symbol, char)
            case InTemplate():
                return self._in_template(symbol, char)
            case InText() | TextLess():
                return self._in_text(symbol, char)
            case Less():
                return self._behind_less(symbol, char)
            case LessComment():
                return self._in_less_comment(symbol, char)
            case LessSlash():
                return (None, Choice.of((), self._less_options(symbol.line_end), "/*")) if char == "*" else DEAD
            case _:
                return self._in_tag(state, char)

    def _probe(self, terminal: int, line_end: bool) -> int:
        """The terminal for asking whether the stacks take this one without a semicolon before it."""
        return self._probes[self._behind[terminal]] if line_end else terminal

    def _between(self, symbol: Between, char: str) -> Step:
        line_end = symbol.line_end
        if char in LINE_ENDS:
            return self.new_line, ()
        if char in BLANKS:
            return (self.new_line if line_end else self.clean), ()
        if char == "`":
            return self._template, (self._terminal(self._number["TICK"], line_end),)
        if char == "}":
            return None, Choice.of((), self._closing_brace(line_end), "")
        if char == ">" and self._has_types:
            return self._greater("GTADJ" if symbol.adjacent else ">", line_end)
        to = self._moves[0].get(self.class_of(char))
        if to is None:
            return DEAD
        return self._entered(to, line_end, symbol.adjacent and to == self._equal)

    def _closing_brace(self, line_end: bool) -> tuple[Option, ...]:
        ends = [(self.texts["}"], self.clean), (self._number["HOLEEND"], self._template)]
        if self._has_tags:
            ends += [(self._number["JATTREND"], self._rest), (self._number["JCHILDEND"], self._text)]
        return tuple(
            Option((t,), (t,), state) for t, state in ((self._terminal(t, line_end), state) for t, state in ends)
        )

    def _greater(self, name: str, line_end: bool) -> Step:
        """A `>` in TypeScript's code: one character always; with tags, it may end the type arguments of one."""
        terminal = self._terminal(self._number.get(name) or self.texts[name], line_end)
        after = self.state(Between, False, True)
        if not self._has_tags:
            return after, (terminal,)
        in_tag = Option((terminal, self._number["JSLASH"]), (terminal,), self._rest)
        return None, Choice.of((), (in_tag, Option((terminal,), (terminal,), after)), "")

    def _in_symbol(self, symbol: InSymbol, char: str) -> Step:
        q, line_end = symbol.q, symbol.line_end
        to = self._moves[q].get(self.class_of(char))
        if q == self._slash and char not in "/*":
            return self._divided(line_end, char, to)
        if to is not None:
            return self._entered(to, line_end or (char in LINE_ENDS and self.is_comment(q)), False)
        if q == self._less and self._has_tags:
            if char == "/":  # which is one symbol with it unless a comment begins, even where no tag can end
                return self.state(LessSlash, line_end), ()
            return None, Choice.of((), self._less_options(line_end), char)
        if q == self._optional and char in _DIGITS:  # a ?.5 : b
            after, _ = self._entered(self._dot, False, False)
            assert after is not None
            return self._then((self._terminal(self.texts["?"], line_end),), after, char)
        tokens = self._emits[q]
        if tokens is None or (tokens and tokens[0] in self._numbers and (self._in_name(char) or char == "\\")):
            return DEAD
        return self._then(*self._ended(q, symbol, tokens), char)

    def _entered(self, q: int, line_end: bool, adjacent: bool) -> Step:
        """The step into a state of the automaton; the symbol ends at once where nothing can go on."""
        tokens = self._emits[q]
        symbol = InSymbol(q, line_end, adjacent)
        if tokens is not None and not self._moves[q] and q != self._optional:
            tokens, after = self._ended(q, symbol, tokens)
            return after, tokens
        return self.state(InSymbol, q, line_end, adjacent), ()

    def _ended(self, q: int, symbol: InSymbol, tokens: Tokens) -> tuple[Tokens, LexState]:
        """The terminals of a symbol, or (no tokens) a comment, and the state between symbols after it."""
        if not tokens:
            return (), self.new_line if symbol.line_end else self.clean
        terminal = tokens[0]
        assert isinstance(terminal, int)
        if symbol.adjacent and q == self._equal:
            terminal = self._number["EQADJ"]
        return (self._terminal(terminal, symbol.line_end),), self.clean

    def _divided(self, line_end: bool, char: str, to: int | None) -> Step:
        """The step after a `/` that begins no comment."""
        operator = self.texts["/="] if to is not None else self.texts["/"]
        rest = "" if to is not None else char
        regex = self.state(InRegex, Part.CHARS if to is not None else Part.FIRST, line_end)
        divides = Option((self._probe(operator, line_end),), (self._terminal(operator, line_end),), self.clean)
        return None, Choice.of(
            (), (divides, Option((self._terminal(self._number["T_REGEX"], line_end),), (), regex)), rest
        )

    def _less_options(self, line_end: bool) -> tuple[Option, ...]:
        """The options after a `<` that begins no longer operator."""
        less, tag = self.texts["<"], self._number["JLT"]
        operator = Option((self._probe(less, line_end),), (self._terminal(less, line_end),), self.clean)
        begins = self._terminal(tag, line_end)
        if not self._has_types:
            return operator, Option((begins,), (begins,), self.state(InTag, Tag.OPENING))
        undecided = self.state(Less, Part.FIRST, line_end, False, "", 0)
        return (
            Option((self._probe(tag, line_end),), (), undecided),
            operator,
            Option((begins,), (), undecided),
            # A member of a type, behind one without a semicolon.
            Option((self._terminal(less, line_end),), operator.tokens, self.clean),
        )

    def _in_regex(self, symbol: InRegex, char: str) -> Step:
        part, line_end = symbol.part, symbol.line_end
        if part == Part.FLAGS:
            if self._in_name(char):
                return self.state(InRegex, part, line_end), ()
            return self._then((self._terminal(self._number["T_REGEX"], line_end),), self.clean, char)
        if char in LINE_ENDS or (part == Part.FIRST and char in "/*"):
            return DEAD
        if part in (Part.ESCAPE, Part.CLASS_ESCAPE):
            to = Part.CHARS if part == Part.ESCAPE else Part.CLASS
        elif part == Part.CLASS:
            to = {"]": Part.CHARS, "\\": Part.CLASS_ESCAPE}.get(char, part)
        else:
            to = {"/": Part.FLAGS, "[": Part.CLASS, "\\": Part.ESCAPE}.get(char, Part.CHARS)
        return self.state(InRegex, to, line_end), ()

    def _in_template(self, symbol: InTemplate, char: str) -> Step:
        if symbol.part == Part.ESCAPE:
            to = self._moves[symbol.q].get(self.class_of(char))
            if symbol.q == self._nul and char not in _DIGITS:
                return self.step(self._template, char)
            if to is None or symbol.q == self._nul:  # no escape: only where a function gets the raw text
                return self._then((self._number["BADESCAPE"],), self._template, char)
            return (self._template if to == self._string else self.state(InTemplate, Part.ESCAPE, to)), ()
        if symbol.part == Part.DOLLAR and char == "{":
            return self.clean, (self._number["HOLE"],)
        if char == "`":
            return self.clean, (self._number["TICKEND"],)
        if char == "\\":
            return self.state(InTemplate, Part.ESCAPE, self._escape), ()
        return self.state(InTemplate, Part.DOLLAR if char == "$" else Part.CHARS, 0), ()

    # -- ends

    def _finish(self, state: LexState) -> Tokens | None:
        symbol = state.symbol
        match symbol:
            case Between() | StartOfFile(hash=False) | Hashbang():
                return (END,)
            case InSymbol():
                tokens = self._emits[symbol.q]
                return None if tokens is None else (*self._ended(symbol.q, symbol, tokens)[0], END)
            case InRegex(part=Part.FLAGS):
                return self._terminal(self._number["T_REGEX"], symbol.line_end), END
            case _:
                return None

    # -- possible ends of a state's symbol

    def expected(self, state: LexState) -> tuple[Tokens, ...]:
        symbol = settled(state).symbol
        if isinstance(symbol, TagName) and symbol.closes and symbol.text is not None:  # names are met as texts are read
            alike = tuple((t,) for name, t in self._names.items() if name.startswith(symbol.text))
            return alike or ((self._number["JTAG"],),)
        return super().expected(state)

    def _expected(self, state: LexState) -> tuple[Tokens, ...]:
        symbol = state.symbol
        match symbol:
            case InSymbol():
                return self._becomes(symbol)
            case InRegex():
                return ((self._terminal(self._number["T_REGEX"], symbol.line_end),),)
            case TagName():
                return ((self._number["JTAG"],),)
            case AttributeName():
                return ((self._number["JNAME"],),)
            case TagString():
                return ((self._number["JSTRING"],),)
            case StartOfFile(hash=True):
                return ((self._number["T_PRIVATE"],),)
            case LessSlash():
                less = self._terminal(self.texts["<"], symbol.line_end)
                return (less,), (self._terminal(self._number["JLT"], symbol.line_end),)
            case _:
                return ()

    def _becomes(self, symbol: InSymbol) -> tuple[Tokens, ...]:
        q, line_end = symbol.q, symbol.line_end
        if IGNORED in self._endings[q]:
            return ()
        names = [self._number[name] for name in self._endings[q]]
        if symbol.adjacent:
            names.append(self._number["EQADJ"])
        if q == self._less and self._has_tags:
            names.append(self._number["JLT"])
        endings: list[Tokens] = [(self._terminal(t, line_end),) for t in names]
        if q == self._optional:
            endings.append((self._terminal(self.texts["?"], line_end), self._number["T_NUMBER"]))
        return tuple(endings)

    def in_comment(self, state: LexState) -> bool:
        symbol = settled(state).symbol
        if isinstance(symbol, LessComment):
            return symbol.part != Part.FIRST
        return (isinstance(symbol, InSymbol) and self.is_comment(symbol.q)) or isinstance(symbol, TagComment | Hashbang)

    def region(self, state: LexState) -> Region:
        symbol = settled(state).symbol
        if self.in_comment(state):
            return "comment"
        match symbol:
            case InSymbol():
                in_string = self._endings[symbol.q].keys() == {"T_STRING"}
            case InRegex(part=part):
                in_string = part is not Part.FLAGS
            case _:
                in_string = isinstance(symbol, InTemplate | TagString | InText)
        return "string" if in_string else "code"

    def _nesting(self, state: LexState) -> int:
        return int(self._is_whole(state))

    def _is_whole(self, state: LexState) -> bool:
        """Whether the state is within a string, a comment or a regular expression."""
        symbol = state.symbol
        if isinstance(symbol, InSymbol):
            return self._endings[symbol.q].keys() <= {"T_STRING", IGNORED}
        return isinstance(symbol, InRegex | TagString | TagComment | LessComment | Hashbang)

    def _outside(self, state: LexState) -> LexState:
        symbol = state.symbol
        match symbol:
            case InSymbol() | InRegex():
                return self.new_line if symbol.line_end else self.clean
            case TagName() | AttributeName() | TagString():
                return self._rest
            case TagComment() | TagSlash():
                return self.state(InTag, symbol.tag)
            case LessComment():
                return self.state_of(symbol.less)
            case Hashbang():
                return self.new_line
            case _:
                return state

    def closers(self, state: LexState) -> tuple[str, ...]:
        symbol = settled(state).symbol
        match symbol:
            case InSymbol():
                if self._emits[symbol.q] == ():
                    return ("\n",)
                return tuple(sorted({text or " " for text in self._endings[symbol.q].values()}, key=len))
            case InRegex():
                return _REGEX_CLOSERS[symbol.part]
            case InTemplate():
                return ("`", "${") if symbol.part != Part.ESCAPE else ("0000}`", "n`")
            case InText():
                return "{", "</", "<"
            case TagString():
                return (symbol.quote,)
            case TagComment() | LessComment() if symbol.part != Part.FIRST:
                return {Part.LINE: ("\n",), Part.STAR: ("/",)}.get(symbol.part, ("*/",))
            case TagName():
                text = symbol.text or ""
                rests = [name[len(text) :] for name in self._names if symbol.closes and name.startswith(text)]
                return tuple(f"{rest}>" for rest in rests) or ("/>", ">", " ")
            case AttributeName():
                return "/>", ">", " "
            case Hashbang():
                return ("\n",)
            case TextLess():
                return "/", "x/>"
            case TagSlash() | LessComment():
                return (">",)
            case LessSlash():
                return ("*",)
            case Less():
                return _LESS_CLOSERS.get(symbol.part, ("/>",))
            case _:
                return ()

    # -- for bridges and right contexts

    def automaton_state(self, state: LexState) -> int | None:
        symbol = settled(state).symbol
        return symbol.q if isinstance(symbol, InSymbol) else None

    def is_between(self, state: LexState) -> bool:
        symbol = settled(state).symbol
        return isinstance(symbol, Between | StartOfFile | InTag) or symbol == InText(False)

    def is_long(self, state: LexState) -> bool:
        symbol = settled(state).symbol
        if isinstance(symbol, InSymbol):
            return super().is_long(state)
        return isinstance(
            symbol, InRegex | InTemplate | TagString | TagComment | LessComment | Hashbang
        ) or symbol == InText(True)

    def takes_letters(self, state: LexState) -> bool:
        symbol = settled(state).symbol
        return super().takes_letters(state) or isinstance(symbol, TagName | AttributeName | InRegex | Less)

    def as_written(self, terminal: int) -> int:
        return terminal % len(self._behind) if terminal < 2 * len(self._behind) else self._number["JTAG"]

    def all_entries(self) -> Mapping[LexState, str]:
        entries: dict[LexState, str] = {self.clean: "", self.new_line: "\n", self.start: "", self._template: "`"}
        entries[self.state(InRegex, Part.CHARS, False)] = "/x"
        if self._has_tags:
            entries |= {self._text: "<x>", self.state(InText, True): "<x>x", self._rest: "<x "}
            entries |= {self.state(TagString, "'"): "<x x='", self.state(TagString, '"'): '<x x="'}
        leads, todo = {0: ""}, [0]
        for q in todo:  # grows while it is walked
            for c, to in self._moves[q].items():
                if to not in leads and c in self._examples:
                    leads[to] = leads[q] + self._examples[c]
                    todo.append(to)
        entries |= {self.state(InSymbol, q, False, False): lead for q, lead in leads.items() if self._stays(q)}
        return entries

    def representatives(self, low: int, high: int) -> tuple[str, ...]:
        starts, ids = self.automaton.class_starts, self.automaton.class_ids
        characters: dict[Hashable, str] = {}
        for i, start in enumerate(starts):
            end = starts[i + 1] - 1 if i + 1 < len(starts) else 0x10FFFF
            if start <= high and end >= low:
                for point in range(max(start, low), min(end, high) + 1):
                    if chr(point) not in _SPECIAL and chr(point) not in BLANKS:
                        characters.setdefault(ids[i], chr(point))
                        break
        characters.update({char: char for char in _SPECIAL + BLANKS if low <= ord(char) <= high})
        return tuple(characters.values())

    def alike(self, char: str) -> Hashable:
        return char if char in _SPECIAL or char in EXTENDS + "const" else (self.class_of(char), char in BLANKS)

    def specials(self) -> list[str]:
        return []

    def end_key(self, state: LexState) -> Hashable:
        return state if isinstance(state.symbol, TagName) else self.expected(state)

    def all_states(self) -> list[LexState]:
        """Every reachable state, those between symbols first; names of elements are unknown in them."""
        if self._all is None:
            symbols: list[DataclassInstance] = [Between(False, False), Between(True, False)]
            if self._has_tags:
                symbols += [InTag(Tag.REST), InText(False), InTag(Tag.OPENING), InTag(Tag.CLOSING)]
            symbols += [
                InTemplate(Part.CHARS, 0),
                *([Between(False, True)] if self._has_types else []),
                StartOfFile(False),
            ]
            symbols += [InTemplate(Part.DOLLAR, 0), Hashbang(), StartOfFile(True), *self._in_escapes()]
            for line_end in (False, True):
                symbols += [InRegex(part, line_end) for part in _REGEX_CLOSERS]
                symbols += [InSymbol(q, line_end, False) for q, _ in enumerate(self._moves) if self._stays(q)]
            if self._has_tags:
                symbols += [InText(True), TextLess(), AttributeName(), *map(TagString, "\"'")]
                symbols += [TagName(None, False), TagName(None, True), *map(TagSlash, Tag)]
                symbols += [TagComment(tag, part) for tag in Tag for part in (Part.LINE, Part.BLOCK, Part.STAR)]
            if self._has_types:
                symbols.append(InSymbol(self._equal, False, True))
            if self._has_tags:
                symbols += [LessSlash(line_end) for line_end in (False, True)]
            if self._has_types and self._has_tags:
                symbols += all_less()
            self._all = [self.state_of(symbol) for symbol in symbols]
        return self._all

    def _in_escapes(self) -> Iterator[InTemplate]:
        todo = [self._escape]
        for q in todo:  # grows while it is walked
            yield InTemplate(Part.ESCAPE, q)
            if q != self._nul:
                todo += {to for to in self._moves[q].values() if to != self._string and to not in todo}

    def _stays(self, q: int) -> bool:
        """Whether the lexer is still in a symbol in this state of the automaton."""
        return q > 0 and (self._emits[q] is None or bool(self._moves[q]) or q == self._optional)

    def ordinary(self) -> list[LexState]:
        states = [*self.between, *self.modes]
        for text in ("x", '"', "'", "//"):
            states += [self.state(InSymbol, self._after(text), line_end, False) for line_end in (False, True)]
        return states

    def rules(self) -> str:
        return repr((self.automaton.as_json(), sorted(self.texts.items())))


_LESS_CLOSERS = {Part.FIRST: ("x/>", "x,"), Part.NAME: ("/>", ","), Part.AFTER: ("/>", ",")}
_REGEX_CLOSERS = {
    Part.FIRST: ("x/",),
    Part.CHARS: ("/",),
    Part.ESCAPE: ("n/",),
    Part.CLASS: ("]/",),
    Part.CLASS_ESCAPE: ("n]/",),
    Part.FLAGS: (" ",),
}
