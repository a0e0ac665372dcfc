"""The part of the lexer of TypeScript and JavaScript for the tags of JSX, and the text between them.

A `<` where an operand comes begins a tag or, in TypeScript, the type parameters of an arrow function; the symbol behind its first
name decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...grammar.line_aware import Widened
from ...lexing.base import DEAD, Choice, LexState, Option, Step, Tokens
from ...lexing.boundaries import AutomatonLexer
from ...lexing.dfa import Dfa
from .symbols import (
    BLANKS,
    EXTENDS,
    LINE_ENDS,
    AttributeName,
    Between,
    InTag,
    InTemplate,
    InText,
    Less,
    LessComment,
    Part,
    StartOfFile,
    Tag,
    TagComment,
    TagName,
    TagSlash,
    TagString,
    TextLess,
)


class TagLexer(AutomatonLexer):
    """The lexer over the automaton of a dialect, for its tables."""

    def __init__(
        self,
        automaton: Dfa,
        wide: Widened,
        texts: Mapping[str, int],
        named: Callable[[str], int],
        names: Mapping[str, int],
    ) -> None:
        """texts: fixed text -> terminal; named: the terminal of an element's name; names: those there are."""
        super().__init__(automaton, wide.tables.terminals)
        self.texts = texts
        self._named, self._names = named, names
        self._behind, self._probes = wide.behind, wide.probes
        number = self._number
        self._has_types, self._has_tags = "GTADJ" in number, "JLT" in number
        self._slash, self._less, self._equal = self._after("/"), self._after("<"), self._after("=")
        self._optional, self._dot, self._ident = self._after("?."), self._after("."), self._after("$")
        self._numbers = frozenset(number[name] for name in ("T_NUMBER", "T_BIGINT"))
        self.start: LexState = self.state(StartOfFile, False)
        self.clean = self.state(Between, False, False)
        self.new_line = self.state(Between, True, False)
        self.between = (self.clean, self.new_line)
        self._template = self.state(InTemplate, Part.CHARS, 0)
        self._string, self._escape, self._nul = self._after('"'), self._after('"\\'), self._after('"\\0')
        self._rest = self.state(InTag, Tag.REST)
        self._text = self.state(InText, False)
        self.modes = (self._template, *((self._text, self._rest) if self._has_tags else ()))
        self._all: list[LexState] | None = None

    def terminal(self, name: str) -> int:
        """The number of a terminal of the grammar, by name."""
        return self._number[name]

    def _begins_name(self, char: str) -> bool:
        to = self._moves[0].get(self.class_of(char))
        return char != "\\" and to is not None and "IDENT" in self._endings[to]

    def _in_name(self, char: str) -> bool:
        return char != "\\" and self.class_of(char) in self._moves[self._ident]

    def _then(self, tokens: Tokens, state: LexState, char: str) -> Step:
        """Terminals, and a character read from a state after them."""
        after, more = self.step(state, char)
        if type(more) is Choice:
            return None, Choice.of((*tokens, *more), more.options, more.rest)
        return DEAD if after is None else (after, tokens + more)

    def _terminal(self, terminal: int, line_end: bool) -> int:
        return self._behind[terminal] if line_end else terminal

    def _in_text(self, symbol: InText | TextLess, char: str) -> Step:
        if isinstance(symbol, TextLess):
            if char == "/":
                return self.state(InTag, Tag.CLOSING), (self._number["JLTSLASH"],)
            return self._then((self._number["JLT"],), self.state(InTag, Tag.OPENING), char)
        tokens = (self._number["JTEXT"],) if symbol.begun else ()
        if char == "{":
            return self.clean, (*tokens, self.texts["{"])
        if char == "<":
            return self.state(TextLess), tokens
        return DEAD if char in ">}" else (self.state(InText, True), ())

    def _in_tag(self, state: LexState, char: str) -> Step:
        symbol = state.symbol
        match symbol:
            case InTag():
                return self._between_in_tag(symbol.tag, char)
            case TagName():
                return self._in_tag_name(symbol, char)
            case AttributeName():
                if char == "-" or self._in_name(char):
                    return state, ()
                return self._then((self._number["JNAME"],), self._rest, char)
            case TagString():
                return (self._rest, (self._number["JSTRING"],)) if char == symbol.quote else (state, ())
            case TagSlash():
                if char in "/*":
                    return self.state(TagComment, symbol.tag, Part.LINE if char == "/" else Part.BLOCK), ()
                return self._then((self._number["JSLASH"],), self._rest, char)
            case TagComment():
                if symbol.part == Part.LINE:
                    return (self.state(InTag, symbol.tag) if char in LINE_ENDS else state), ()
                if symbol.part == Part.STAR and char == "/":
                    return self.state(InTag, symbol.tag), ()
                return self.state(TagComment, symbol.tag, Part.STAR if char == "*" else Part.BLOCK), ()
            case _:
                raise AssertionError(symbol)

    def _between_in_tag(self, tag: Tag, char: str) -> Step:
        if char in LINE_ENDS or char in BLANKS:
            return self.state(InTag, tag), ()
        if char == "/":
            return self.state(TagSlash, tag), ()
        if char == ">":
            return None, Choice.of((), self._tag_ends(), "")
        if self._begins_name(char):
            if tag == Tag.REST:
                return self.state(AttributeName), ()
            return self.state(TagName, char, tag == Tag.CLOSING), ()
        if tag != Tag.REST:
            return DEAD
        if char in "\"'":
            return self.state(TagString, char), ()
        if char == "{":
            return self.clean, (self.texts["{"],)
        if char in "=:":
            return self._rest, (self.texts[char],)
        if char == "<":
            return self._less_in_tag()
        return DEAD

    def _less_in_tag(self) -> Step:
        """An element as the value of an attribute; in TypeScript also the tag's type arguments."""
        less, tag = self.texts["<"], self._number["JLT"]
        opening = self.state(InTag, Tag.OPENING)
        if not self._has_types:
            return opening, (tag,)
        return None, Choice.of((), (Option((less,), (less,), self.clean), Option((tag,), (tag,), opening)), "")

    def _tag_ends(self) -> tuple[Option, ...]:
        number = self._number
        ends = (("JGT", self._text), ("JGTEND", self._text), ("JGTATTR", self._rest), ("JGTOUT", self.clean))
        return tuple(Option((number[name],), (number[name],), state) for name, state in ends)

    def _in_tag_name(self, symbol: TagName, char: str) -> Step:
        text = symbol.text
        if char in "-.:" or self._in_name(char):
            if text is None:
                return self.state_of(symbol), ()
            return (self.state(TagName, text + char, symbol.closes), ()) if self._goes_on(text, char) else DEAD
        if text is not None and text[-1] in ".:":
            return DEAD
        terminal = self._number["JTAG"] if text is None else self._named(text)
        return self._then((terminal,), self._rest, char)

    def _goes_on(self, text: str, char: str) -> bool:
        """Whether the name of an element goes on like this, with points or with one colon."""
        if text[-1] in ".:":
            return self._begins_name(char)
        if char == ".":
            return ":" not in text
        if char == ":":
            return ":" not in text and "." not in text
        return char != "-" or "." not in text

    def _behind_less(self, symbol: Less, char: str) -> Step:
        """The step behind a `<` that may begin a tag of TypeScript, or type parameters."""
        part, text = symbol.part, symbol.text
        blank = char in BLANKS or char in LINE_ENDS
        if char == "/" and (part != Part.EXTENDS or symbol.read == len(EXTENDS)):
            return self.state(LessComment, symbol, Part.FIRST), ()
        if part == Part.FIRST:
            if char in LINE_ENDS and symbol.const:  # `const` modifies nothing on the next line
                return self._as_tag(symbol, char)
            if blank:
                return self.state_of(symbol), ()
            if self._begins_name(char):
                return self._less_state(symbol, Part.NAME, char), ()
            return self._as_tag(symbol, char)
        if part == Part.NAME:
            if self._in_name(char):
                return self._less_state(symbol, part, None if text is None else text + char), ()
            if char in LINE_ENDS and text == "const":
                return self._as_tag(symbol, char)
            if blank and text == "const" and not symbol.const:
                return self.state(Less, Part.FIRST, symbol.line_end, True, "", 0), ()
            if blank:
                return self._less_state(symbol, Part.AFTER, text), ()
            return self._type_parameters(symbol, char) if char in ",=" else self._as_tag(symbol, char)
        if part == Part.AFTER:
            if blank:
                return self.state_of(symbol), ()
            if char == "e":
                return self._less_state(symbol, Part.EXTENDS, text, 1), ()
            return self._type_parameters(symbol, char) if char in ",=" else self._as_tag(symbol, char)
        if part == Part.EXTENDS:
            if symbol.read < len(EXTENDS):
                if char == EXTENDS[symbol.read]:
                    return self._less_state(symbol, part, text, symbol.read + 1), ()
                return self._as_tag(symbol, char)
            if blank:
                return self._less_state(symbol, Part.EXTENDED, text), ()
            if self._in_name(char) or char in "-:":
                return self._as_tag(symbol, char)
        elif blank:
            return self.state_of(symbol), ()
        return self._as_tag(symbol, char) if char in "=>/" else self._type_parameters(symbol, char)

    def _in_less_comment(self, symbol: LessComment, char: str) -> Step:
        """The step behind a slash behind such a `<`."""
        less, part = symbol.less, symbol.part
        if part == Part.FIRST:
            if char in "/*":
                return self.state(LessComment, less, Part.LINE if char == "/" else Part.BLOCK), ()
            after, tokens = self._as_tag(less, "/")
            assert after is not None and type(tokens) is not Choice
            return self._then(tokens, after, char)
        if (char in LINE_ENDS) if part == Part.LINE else (part == Part.STAR and char == "/"):
            return self._behind_less(less, char if part == Part.LINE else " ")
        if part == Part.LINE:
            return self.state_of(symbol), ()
        return self.state(LessComment, less, Part.STAR if char == "*" else Part.BLOCK), ()

    def _less_state(self, symbol: Less, part: Part, text: str | None, read: int = 0) -> LexState:
        return self.state(Less, part, symbol.line_end, symbol.const, text, read)

    def _as_tag(self, symbol: Less, char: str) -> Step:
        """Take the text so far for a tag with its name, and perhaps an attribute's."""
        number, part = self._number, symbol.part
        tokens: Tokens = (self._terminal(number["JLT"], symbol.line_end),)
        if part == Part.FIRST and not symbol.const:
            return self._then(tokens, self.state(InTag, Tag.OPENING), char)
        if symbol.const:
            tokens = (*tokens, self._named("const"))
            if part == Part.NAME:
                return self._then(tokens, self.state(AttributeName), char)
            if part != Part.FIRST:
                tokens = (*tokens, number["JNAME"])
        elif part == Part.NAME:
            return self._then(tokens, self.state(TagName, symbol.text, False), char)
        else:
            tokens = (*tokens, number["JTAG"] if symbol.text is None else self._named(symbol.text))
        if part == Part.EXTENDS:
            return self._then(tokens, self.state(AttributeName), char)
        return self._then((*tokens, number["JNAME"]) if part == Part.EXTENDED else tokens, self._rest, char)

    def _type_parameters(self, symbol: Less, char: str) -> Step:
        """Take the text so far for the type parameters of an arrow function."""
        tokens: Tokens = (self._terminal(self.texts["<"], symbol.line_end),)
        if symbol.const:
            tokens = (*tokens, self.texts["const"])
        tokens = (*tokens, self.texts.get(symbol.text or "", self._number["IDENT"]))
        if symbol.part in (Part.EXTENDS, Part.EXTENDED):
            tokens = (*tokens, self.texts[EXTENDS])
        return self._then(tokens, self.clean, char)
