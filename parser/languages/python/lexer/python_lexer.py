"""Python's lexer, one character at a time.

Kinds of states (and their data):
  clean            between symbols
  line             at the beginning of a logical line: _Indentation
  line_comment     a comment on a line of its own; data: as _Indentation.pending
  line_backslash, line_continued   a backslash in the indentation, and after its newline: _Indentation
  comment          a comment after code
  backslash, continued   a backslash between symbols, and after its newline
  name             an identifier or keyword; data: its text while it may be a keyword or string prefix, else ""
  glued            a keyword directly after a number; data: its text so far
  number           see numbers.py
  operator         data: its text so far
  opened           after the first quote of a string: (prefix, quote)
  opened_twice     after two quotes: the empty string, or a triple-quoted one: (prefix, quote)
  string           inside: seams.String
  fstring          inside an f-string up to 3.11 (see fstrings.py)
  text             inside the text of an f-string since 3.12, or of a t-string (see templates.py)
  conversion       after "!r" in a field of one
The context of a state in such a field is the string's Template; there the kinds "line..." do not occur.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ....glr.layout import MAX_COLUMN, SAME_BLOCK, TOO_DEEP, Line
from ....grammar.lalr import Tables
from ....lexing.base import DEAD, Lexer, LexState, Region, Tokens
from . import accepting, entries, escapes, identifiers, mask_states, numbers, regions
from .dialect import Dialect
from .entries import String
from .templates import TemplateLayout, Templates, at_field_level

if TYPE_CHECKING:
    from ....glr.prefix import PrefixState

_NAMED = ("NAME", "NUMBER", "IMAGINARY", "STRING", "BYTES", "NEWLINE", "INDENT", "DEDENT")
_TAB = 8
_BOM = "\ufeff"

Step = tuple[LexState | None, Tokens]


class _Indentation(NamedTuple):
    """column and alt_column as CPython counts them; continued: the column before a backslash, 0 for none (or SAME_BLOCK);
    pending: a logical line has ended before this one (it has not at the beginning of the file)."""

    column: int
    alt_column: int
    continued: int
    pending: bool


class PythonLexer(Lexer):
    """The lexer of one version; `fstring` reads f-strings up to 3.11, set by the engine since their fields hold expressions."""

    def __init__(self, tables: Tables, texts: Mapping[str, str], dialect: Dialect) -> None:
        """texts: terminal name -> fixed text, of the grammar."""
        super().__init__()
        self.dialect = dialect
        self.templates = Templates(self, tables, dialect)
        self.fstring: Callable[[LexState, str], Step] | None = None
        self.open_fstring: Callable[[str, str, bool], LexState] | None = None
        self.in_fstring_text: Callable[[LexState], bool] | None = None
        ids = {name: tables.terminal(name) for name in _NAMED}
        self.name, self.number, self.imaginary = ids["NAME"], ids["NUMBER"], ids["IMAGINARY"]
        self.string, self.bytes = ids["STRING"], ids["BYTES"]
        fixed = {text: tables.terminal(name) for name, text in texts.items() if tables.terminal(name) >= 0}
        self.keywords = {text: t for text, t in fixed.items() if text.isidentifier()}
        self.operators = {text: t for text, t in fixed.items() if not text.isidentifier()}
        self.operator_starts = {text[:i] for text in self.operators for i in range(1, len(text) + 1)}
        self._lambda = self.keywords["lambda"]
        self.prefixes = dialect.string_prefixes()
        self.name_starts = {w[:i] for w in [*self.keywords, *self.prefixes] for i in range(1, len(w) + 1)}
        self.clean = self.state("clean")
        self.start = self.state("start")
        self._first_line = self.state("line", _Indentation(0, 0, 0, False))
        self.new_line = self.state("line", _Indentation(0, 0, 0, True))
        self._steps: dict[str, Callable[[LexState, str], Step]] = {
            "start": self._start_of_file,
            "clean": self._between,
            "continued": self._between,
            "line": self._line,
            "line_continued": self._line,
            "line_comment": self._line_comment,
            "line_backslash": self._line_backslash,
            "comment": self._comment,
            "backslash": self._backslash,
            "name": self._in_name,
            "glued": self._glued,
            "number": self._in_number,
            "operator": self._in_operator,
            "opened": self._opened,
            "opened_twice": self._opened_twice,
            "string": self._in_string,
            "text": self.templates.step,
            "conversion": self.templates.after_conversion,
        }

    # -- steps

    def _step(self, state: LexState, char: str) -> Step:
        if char == "\0" or "\ud800" <= char <= "\udfff":
            return DEAD
        if state.kind == "fstring":
            assert self.fstring is not None
            return self.fstring(state, char)
        return self._steps[state.kind](state, char)

    def between(self, context: TemplateLayout | None) -> LexState:
        """The state between symbols."""
        return self.state("clean", None, context)

    def then(self, terminal: int, char: str, context: TemplateLayout | None) -> Step:
        """A symbol ended before char, which is read from the clean state."""
        after, tokens = self.step(self.between(context), char)
        return (after, (terminal, *tokens)) if after is not None else DEAD

    def _start_of_file(self, state: LexState, char: str) -> Step:
        return (self._first_line, ()) if char == _BOM else self.step(self._first_line, char)

    def _between(self, state: LexState, char: str) -> Step:
        context = state.context
        if char in " \t\f":
            return self.between(context), ()
        if char == "\n":
            return self._after_line(context), ()
        if char == "#":
            return self.state("comment", None, context), ()
        if char == "\\":
            return self.state("backslash", None, context), ()
        return self._first(char, context)

    def _after_line(self, context: TemplateLayout | None) -> LexState:
        return self.new_line if context is None else self.between(context)

    def _comment(self, state: LexState, char: str) -> Step:
        return (self._after_line(state.context) if char == "\n" else state), ()

    def _backslash(self, state: LexState, char: str) -> Step:
        return (self.state("continued", None, state.context), ()) if char == "\n" else DEAD

    def _line(self, state: LexState, char: str) -> Step:
        at: _Indentation = state.data
        if char in " \t":
            column = at.column + 1 if char == " " else (at.column // _TAB + 1) * _TAB
            # Each column is a state of its own: without an end, a line of blanks as long as the memory.
            columns = (column, at.alt_column + 1) if column <= MAX_COLUMN else (TOO_DEEP, TOO_DEEP)
            return self.state("line", at._replace(column=columns[0], alt_column=columns[1])), ()
        if char == "\f":
            return self.state("line", at._replace(column=0, alt_column=0)), ()
        if char == "\\":
            return self._backslash_in_indentation(at)
        if char == "\n":
            return self.state("line", _Indentation(0, 0, 0, at.pending)), ()
        if char == "#":
            return self.state("line_comment", at.pending), ()
        after, tokens = self._first(char, None)
        if after is None:
            return DEAD
        column, alt_column = (at.continued, at.continued) if at.continued else (at.column, at.alt_column)
        if not at.pending:
            return (after, tokens) if column in (0, SAME_BLOCK) else DEAD
        return after, (Line(column, alt_column), *tokens)

    def _backslash_in_indentation(self, at: _Indentation) -> Step:
        rule = self.dialect.backslash_in_indentation
        if rule == "before":
            if at.pending:
                return self.state("backslash"), (Line(at.column, at.alt_column),)
            return (self.state("backslash"), ()) if at.column == 0 else DEAD
        continued = SAME_BLOCK if rule == "same" else at.continued or at.column
        return self.state("line_backslash", at._replace(continued=continued)), ()

    def in_comment(self, state: LexState) -> bool:
        return state.kind in ("comment", "line_comment")

    def region(self, state: LexState) -> Region:
        return regions.region(state, self.in_fstring_text)

    def _line_comment(self, state: LexState, char: str) -> Step:
        return (self.state("line", _Indentation(0, 0, 0, state.data)) if char == "\n" else state), ()

    def _line_backslash(self, state: LexState, char: str) -> Step:
        return (self.state("line_continued", state.data), ()) if char == "\n" else DEAD

    def _first(self, char: str, context: TemplateLayout | None) -> Step:
        """The first character of a symbol."""
        if not char.isascii():
            return (self.state("name", "", context), ()) if self.may_start(char) else DEAD
        if char.isalpha() or char == "_":
            return self.state("name", char if char in self.name_starts else "", context), ()
        if char.isdigit():
            return self.state("number", "z1" if char == "0" else "d", context), ()
        if char in "\"'":
            return self.state("opened", ("", char), context), ()
        return self._operator(char, context) if char in self.operator_starts else DEAD

    def _in_name(self, state: LexState, char: str) -> Step:
        text: str = state.data
        if char in "\"'" and text in self.prefixes:
            prefix = "".join(sorted(text.lower().replace("u", "")))
            return self.state("opened", (prefix, char), state.context), ()
        if self.may_continue(char):
            longer = text + char
            return self.state("name", longer if text and longer in self.name_starts else "", state.context), ()
        if not char.isascii():
            return DEAD
        terminal = self.keywords.get(text, self.name)
        if terminal == self._lambda and at_field_level(state.context):
            return DEAD
        return self.then(terminal, char, state.context)

    def is_operator_open(self, text: str) -> bool:
        """Is there an operator that starts with text and is longer, or is text none?"""
        return self._operator(text, None)[0] is not self.clean

    def _operator(self, text: str, context: TemplateLayout | None) -> Step:
        special = self.templates.operator(context, text) if context is not None and len(text) == 1 else None
        if special is not None:
            return special
        longer = any(other != text and other.startswith(text) for other in self.operators)
        if text in self.operators and not longer:
            return self.between(context), (self.operators[text],)
        return self.state("operator", text, context), ()

    def _in_operator(self, state: LexState, char: str) -> Step:
        text: str = state.data
        context = state.context
        if char.isascii() and char.isdigit() and text in (".", ".."):  # "..5" is "." and ".5"
            return self.state("number", "f", context), (self.operators["."],) * (len(text) - 1)
        if text + char in self.operator_starts:
            return self._operator(text + char, context)
        if text + char == "<>":  # one operator for CPython's tokenizer, never valid
            return DEAD
        if text == "..":
            after, tokens = self.step(self.between(context), char)
            return (after, (self.operators["."],) * 2 + tokens) if after is not None else DEAD
        if text == "!":
            return self.templates.after_exclamation(context, char) or DEAD
        return self.then(self.operators[text], char, context) if text in self.operators else DEAD

    def _in_number(self, state: LexState, char: str) -> Step:
        after = numbers.number_step(state.data, char)
        if after is None:
            return DEAD
        if after == "else":
            return self.state("glued", "el", state.context), (self.number,)
        if after != "end":
            return self.state("number", after, state.context), ()
        terminal = self.imaginary if state.data == "j" else self.number
        if self.dialect.any_word_after_number or not (char.isalpha() or char == "_" or not char.isascii()):
            return self.then(terminal, char, state.context)
        starts = char.isascii() and any(word[0] == char for word in numbers.AFTER_NUMBER)
        return (self.state("glued", char, state.context), (terminal,)) if starts else DEAD

    def _glued(self, state: LexState, char: str) -> Step:
        text = state.data + char
        if text in numbers.AFTER_NUMBER:
            return self.state("name", text, state.context), ()
        starts = any(word.startswith(text) for word in numbers.AFTER_NUMBER)
        return (self.state("glued", text, state.context), ()) if starts else DEAD

    def _opened(self, state: LexState, char: str) -> Step:
        prefix, quote = state.data
        if char == quote:
            return self.state("opened_twice", state.data, state.context), ()
        inside, tokens = self._inside(prefix, quote, False, state.context)
        if inside is None:
            return DEAD
        after, more = self.step(inside, char)
        return (after, tokens + more) if after is not None else DEAD

    def _opened_twice(self, state: LexState, char: str) -> Step:
        prefix, quote = state.data
        if char == quote:
            return self._inside(prefix, quote, True, state.context)
        after, tokens = self.step(self.between(state.context), char)
        return (after, self.empty(prefix) + tokens) if after is not None else DEAD

    def _inside(self, prefix: str, quote: str, triple: bool, context: TemplateLayout | None) -> Step:
        start = self.templates.start(prefix)
        if start is not None:
            inside = self.templates.inside(prefix, quote, triple, context)
            return (inside, (start,)) if inside is not None else DEAD
        if "f" in prefix:
            assert self.open_fstring is not None
            return self.open_fstring(prefix, quote, triple), ()
        return self.state("string", String(prefix, quote, triple, "", 0), context), ()

    def empty(self, prefix: str) -> Tokens:
        """The terminals of an empty string."""
        start = self.templates.start(prefix)
        return (self.terminal_of(prefix),) if start is None else (start, self.templates.end)

    def terminal_of(self, prefix: str) -> int:
        """The first terminal of a string."""
        start = self.templates.start(prefix)
        return start if start is not None else self.bytes if "b" in prefix else self.string

    def _in_string(self, state: LexState, char: str) -> Step:
        at: String = state.data
        is_bytes = "b" in at.prefix
        if is_bytes and not char.isascii():
            return DEAD
        if at.escape == "\\":
            after = escapes.after_backslash(char, raw="r" in at.prefix, is_bytes=is_bytes)
            return self.state("string", at._replace(escape=after, quotes=0), state.context), ()
        if at.escape:
            inside = escapes.inside_escape(at.escape, char)
            return DEAD if inside is None else (self.state("string", at._replace(escape=inside), state.context), ())
        if char == "\\":
            return self.state("string", at._replace(escape="\\", quotes=0), state.context), ()
        if char == at.quote:
            if not at.triple or at.quotes == 2:
                return self.between(state.context), (self.terminal_of(at.prefix),)
            return self.state("string", at._replace(quotes=at.quotes + 1), state.context), ()
        if char == "\n" and not at.triple:
            return DEAD
        return self.state("string", at._replace(quotes=0), state.context), ()

    # -- what a state means

    def _finish(self, state: LexState) -> Tokens | None:
        return accepting.finish(self, state)

    def _expected(self, state: LexState) -> tuple[Tokens, ...]:
        return accepting.expected(self, state)

    def closers(self, state: LexState) -> tuple[str, ...]:
        return entries.closers(self, state)

    def _nesting(self, state: LexState) -> int:
        return entries.nesting(state)

    def _outside(self, state: LexState) -> LexState:
        if state.kind in ("start", "line", "line_backslash", "line_continued"):
            return state
        if state.kind == "line_comment":
            return self.state("line", _Indentation(0, 0, 0, state.data))
        return self.between(state.context.outer if state.kind == "text" else state.context)

    def around(self, state: LexState) -> list[LexState]:
        """The same within the strings whose fields the lexer is in at a state."""
        return entries.around(self, state)

    def entries(self) -> list[LexState]:
        """States from which a right context that any text can precede is viable, if it is from one at all."""
        return self._entries

    def named(self, text: str) -> list[LexState]:
        """The same in the name of a character, which a right context with this text may end."""
        return entries.named(self, text)

    @cached_property
    def _entries(self) -> list[LexState]:
        return entries.entries(self)

    def may_start(self, char: str) -> bool:
        """May an identifier start with the character?"""
        return identifiers.may_start(char, self.dialect.version)

    def may_continue(self, char: str) -> bool:
        """May the character stand in an identifier, after its first?"""
        return identifiers.may_continue(char, self.dialect.version)

    def representatives(self, low: int, high: int) -> tuple[str, ...]:
        return identifiers.representatives(low, high, self.dialect.version)

    def alike(self, char: str) -> Hashable:
        return mask_states.alike(self, char)

    def equivalence_key(self, state: LexState) -> tuple[LexState, str]:
        return mask_states.equivalence_key(self, state)

    def alike_from(self, state: LexState, char: str) -> Hashable | None:
        return mask_states.alike_from(self, state, char) if state.kind == "fstring" else None

    def within(self, state: LexState) -> tuple[LexState | PrefixState, str] | None:
        return super().within(state) or mask_states.within(self, state)

    def specials(self) -> list[str]:
        return [*super().specials(), *mask_states.specials(self)]

    def ordinary(self) -> list[LexState]:
        return mask_states.ordinary(self)

    def rules(self) -> str:
        return mask_states.rules(self)
