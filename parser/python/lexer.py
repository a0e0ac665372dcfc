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
  string           inside: _String
  fstring          inside an f-string (see fstrings.py)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from ..blocks import Line
from ..lalr import END, Tables
from ..lexing import ANY_LINE, DEAD, Lexer, LexState, Tokens
from . import escapes, numbers

_NAMED = ("NAME", "NUMBER", "IMAGINARY", "STRING", "BYTES", "NEWLINE", "INDENT", "DEDENT")
_TAB = 8
_BOM = "\ufeff"

Step = tuple[LexState | None, Tokens]


class _Indentation(NamedTuple):
    """column and alt_column as CPython counts them; continued: the column before a backslash, 0 for none;
    pending: a logical line has ended before this one (it has not at the beginning of the file)."""

    column: int
    alt_column: int
    continued: int
    pending: bool


class _String(NamedTuple):
    prefix: str  # of b, f, r: sorted, lower case
    quote: str
    triple: bool
    escape: str  # see escapes.py
    quotes: int  # closing quotes seen of a triple-quoted string


def _string_prefixes() -> frozenset[str]:
    kinds, raws = ("", "b", "B", "f", "F"), ("", "r", "R")
    both = {a + b for a in raws for b in kinds} | {b + a for a in raws for b in kinds}
    return frozenset((both | {"u", "U"}) - {""})


class PythonLexer(Lexer):
    """The lexer of one version; `fstring` reads f-strings, set by the engine since their fields hold expressions."""

    def __init__(self, tables: Tables, texts: Mapping[str, str]) -> None:
        """texts: terminal name -> fixed text, of the grammar."""
        super().__init__()
        self.fstring: Callable[[LexState, str], Step] | None = None
        self.open_fstring: Callable[[str, str, bool], LexState] | None = None
        ids = {name: tables.terminal(name) for name in _NAMED}
        self._name, self._number, self._imaginary = ids["NAME"], ids["NUMBER"], ids["IMAGINARY"]
        self._string, self._bytes = ids["STRING"], ids["BYTES"]
        fixed = {text: tables.terminal(name) for name, text in texts.items() if tables.terminal(name) >= 0}
        self.keywords = {text: t for text, t in fixed.items() if text.isidentifier()}
        self.operators = {text: t for text, t in fixed.items() if not text.isidentifier()}
        self._operator_starts = {text[:i] for text in self.operators for i in range(1, len(text) + 1)}
        self._prefixes = _string_prefixes()
        self._name_starts = {w[:i] for w in [*self.keywords, *self._prefixes] for i in range(1, len(w) + 1)}
        self.clean = self.state("clean")
        self.start = self.state("start")
        self._first_line = self.state("line", _Indentation(0, 0, 0, False))
        self._new_line = self.state("line", _Indentation(0, 0, 0, True))
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
        }

    # -- steps

    def _step(self, state: LexState, char: str) -> Step:
        if char == "\0" or "\ud800" <= char <= "\udfff":
            return DEAD
        if state.kind == "fstring":
            assert self.fstring is not None
            return self.fstring(state, char)
        return self._steps[state.kind](state, char)

    def _then(self, terminal: int, char: str) -> Step:
        """A symbol ended before char, which is read from the clean state."""
        after, tokens = self.step(self.clean, char)
        return (after, (terminal, *tokens)) if after is not None else DEAD

    def _start_of_file(self, state: LexState, char: str) -> Step:
        return (self._first_line, ()) if char == _BOM else self.step(self._first_line, char)

    def _between(self, state: LexState, char: str) -> Step:
        if char in " \t\f":
            return self.clean, ()
        if char == "\n":
            return self._new_line, ()
        if char == "#":
            return self.state("comment"), ()
        if char == "\\":
            return self.state("backslash"), ()
        return self._first(char)

    def _comment(self, state: LexState, char: str) -> Step:
        return (self._new_line if char == "\n" else state), ()

    def _backslash(self, state: LexState, char: str) -> Step:
        return (self.state("continued"), ()) if char == "\n" else DEAD

    def _line(self, state: LexState, char: str) -> Step:
        at: _Indentation = state.data
        if char == " ":
            return self.state("line", at._replace(column=at.column + 1, alt_column=at.alt_column + 1)), ()
        if char == "\t":
            column = (at.column // _TAB + 1) * _TAB
            return self.state("line", at._replace(column=column, alt_column=at.alt_column + 1)), ()
        if char == "\f":
            return self.state("line", at._replace(column=0, alt_column=0)), ()
        if char == "\\":
            return self.state("line_backslash", at._replace(continued=at.continued or at.column)), ()
        if char == "\n":
            return self.state("line", _Indentation(0, 0, 0, at.pending)), ()
        if char == "#":
            return self.state("line_comment", at.pending), ()
        after, tokens = self._first(char)
        if after is None:
            return DEAD
        # After a backslash in the indentation the first column that was not zero wins.
        column, alt_column = (at.continued, at.continued) if at.continued else (at.column, at.alt_column)
        if not at.pending:
            return (after, tokens) if column == 0 else DEAD
        return after, (Line(column, alt_column), *tokens)

    def _line_comment(self, state: LexState, char: str) -> Step:
        return (self.state("line", _Indentation(0, 0, 0, state.data)) if char == "\n" else state), ()

    def _line_backslash(self, state: LexState, char: str) -> Step:
        return (self.state("line_continued", state.data), ()) if char == "\n" else DEAD

    def _first(self, char: str) -> Step:
        """The first character of a symbol."""
        if not char.isascii():
            return (self.state("name", ""), ()) if char.isidentifier() else DEAD
        if char.isalpha() or char == "_":
            return self.state("name", char if char in self._name_starts else ""), ()
        if char.isdigit():
            return self.state("number", "z1" if char == "0" else "d"), ()
        if char in "\"'":
            return self.state("opened", ("", char)), ()
        return self._operator(char) if char in self._operator_starts else DEAD

    def _in_name(self, state: LexState, char: str) -> Step:
        text: str = state.data
        if char in "\"'" and text in self._prefixes:
            prefix = "".join(sorted(text.lower().replace("u", "")))
            return self.state("opened", (prefix, char)), ()
        if ("a" + char).isidentifier():
            longer = text + char
            return self.state("name", longer if text and longer in self._name_starts else ""), ()
        if not char.isascii():
            return DEAD
        return self._then(self.keywords.get(text, self._name), char)

    def _operator(self, text: str) -> Step:
        longer = any(other != text and other.startswith(text) for other in self.operators)
        if text in self.operators and not longer:
            return self.clean, (self.operators[text],)
        return self.state("operator", text), ()

    def _in_operator(self, state: LexState, char: str) -> Step:
        text: str = state.data
        if char.isascii() and char.isdigit() and text in (".", ".."):  # "..5" is "." and ".5"
            return self.state("number", "f"), (self.operators["."],) * (len(text) - 1)
        if text + char in self._operator_starts:
            return self._operator(text + char)
        if text + char == "<>":  # one operator for CPython's tokenizer, never valid
            return DEAD
        if text == "..":
            after, tokens = self.step(self.clean, char)
            return (after, (self.operators["."],) * 2 + tokens) if after is not None else DEAD
        return self._then(self.operators[text], char) if text in self.operators else DEAD

    def _in_number(self, state: LexState, char: str) -> Step:
        after = numbers.number_step(state.data, char)
        if after is None:
            return DEAD
        if after == "else":
            return self.state("glued", "el"), (self._number,)
        if after != "end":
            return self.state("number", after), ()
        terminal = self._imaginary if state.data == "j" else self._number
        if char.isalpha() or char == "_" or not char.isascii():
            starts = char.isascii() and any(word[0] == char for word in numbers.AFTER_NUMBER)
            return (self.state("glued", char), (terminal,)) if starts else DEAD
        return self._then(terminal, char)

    def _glued(self, state: LexState, char: str) -> Step:
        text = state.data + char
        if text in numbers.AFTER_NUMBER:
            return self.state("name", text), ()
        return (self.state("glued", text), ()) if any(w.startswith(text) for w in numbers.AFTER_NUMBER) else DEAD

    def _opened(self, state: LexState, char: str) -> Step:
        prefix, quote = state.data
        if char == quote:
            return self.state("opened_twice", state.data), ()
        return self.step(self._inside(prefix, quote, False), char)

    def _opened_twice(self, state: LexState, char: str) -> Step:
        prefix, quote = state.data
        if char == quote:
            return self._inside(prefix, quote, True), ()
        return self._then(self._terminal_of(prefix), char)

    def _inside(self, prefix: str, quote: str, triple: bool) -> LexState:
        if "f" in prefix:
            assert self.open_fstring is not None
            return self.open_fstring(prefix, quote, triple)
        return self.state("string", _String(prefix, quote, triple, "", 0))

    def _terminal_of(self, prefix: str) -> int:
        return self._bytes if "b" in prefix else self._string

    def _in_string(self, state: LexState, char: str) -> Step:
        at: _String = state.data
        is_bytes = "b" in at.prefix
        if is_bytes and not char.isascii():
            return DEAD
        if at.escape == "\\":
            after = escapes.after_backslash(char, raw="r" in at.prefix, is_bytes=is_bytes)
            return self.state("string", at._replace(escape=after, quotes=0)), ()
        if at.escape:
            inside = escapes.inside_escape(at.escape, char)
            return DEAD if inside is None else (self.state("string", at._replace(escape=inside)), ())
        if char == "\\":
            return self.state("string", at._replace(escape="\\", quotes=0)), ()
        if char == at.quote:
            if not at.triple or at.quotes == 2:
                return self.clean, (self._terminal_of(at.prefix),)
            return self.state("string", at._replace(quotes=at.quotes + 1)), ()
        if char == "\n" and not at.triple:
            return DEAD
        return self.state("string", at._replace(quotes=0)), ()

    # -- what a state means at its end

    def _finish(self, state: LexState) -> Tokens | None:
        kind, data = state.kind, state.data
        end: Tokens = (Line(0, 0), END)
        if kind == "start":
            return (END,)
        if kind in ("line", "line_comment"):
            return end if (data.pending if kind == "line" else data) else (END,)
        if kind in ("clean", "comment"):
            return end
        if kind == "name":
            return (self.keywords.get(data, self._name), *end)
        if kind == "number":
            return ((self._imaginary if data == "j" else self._number), *end) if data in numbers.ENDABLE else None
        if kind == "operator":
            if data == "..":
                return (self.operators["."],) * 2 + end
            return (self.operators[data], *end) if data in self.operators else None
        if kind == "opened_twice":
            return (self._terminal_of(data[0]), *end)
        return None

    def _expected(self, state: LexState) -> tuple[Tokens, ...]:
        kind, data = state.kind, state.data
        if kind == "name":
            found = [self._name]
            if data:
                found += [t for text, t in self.keywords.items() if text.startswith(data)]
                found += [self._terminal_of(p.lower()) for p in self._prefixes if p.startswith(data)]
            return tuple((t,) for t in dict.fromkeys(found))
        if kind == "glued":
            return tuple((self.keywords[w],) for w in numbers.AFTER_NUMBER if w.startswith(data))
        if kind == "number":
            if data == "j":
                return ((self._imaginary,),)
            if data == "e":  # "1e" may become "1 else"
                return ((self._number,), (self._imaginary,))
            return ((self._number,),) if data[0] in "hob" else ((self._number,), (self._imaginary,))
        if kind == "operator":
            found = [(t,) for text, t in self.operators.items() if text.startswith(data)]
            if data == ".":
                found += [(self._number,), (self._imaginary,)]
            if data == "..":
                dot = self.operators["."]
                found += [(dot, dot), (dot, self._number), (dot, self._imaginary)]
            return tuple(found)
        if kind == "fstring":
            return ((self._string,),)
        if kind in ("opened", "opened_twice", "string"):
            return ((self._terminal_of(data[0]),),)
        pending = kind == "comment" or (kind == "line_comment" and data)
        if pending or (kind in ("line", "line_backslash", "line_continued") and data.pending):
            return ((ANY_LINE,),)
        return ()

    def closers(self, state: LexState) -> tuple[str, ...]:
        kind, data = state.kind, state.data
        if kind == "cr":
            return self.closers(data)
        if kind == "name":
            return (" ",)
        if kind == "glued":
            return tuple(w[len(data) :] + " " for w in numbers.AFTER_NUMBER if w.startswith(data))
        if kind == "number":
            return (numbers.number_closer(data) + " ", "lse ") if data == "e" else (numbers.number_closer(data) + " ",)
        if kind == "operator":
            return tuple(dict.fromkeys(text[len(data) :] + " " for text in self.operators if text.startswith(data)))
        if kind == "opened":
            return (data[1],)
        if kind == "opened_twice":
            return (" ",)
        if kind == "string":
            left = 3 - data.quotes if data.triple else 1
            return (escapes.escape_closer(data.escape) + data.quote * left,)
        if kind in ("backslash", "line_backslash"):
            return ("\n",)
        if kind in ("comment", "line_comment"):
            return ("\n",)
        return ()

    def entries(self) -> list[LexState]:
        """States from which a right context that any text can precede is viable, if it is from one at all.

        f-strings are left out: what continues an f-string also continues a plain string.
        """
        found = [self.clean, self._new_line, self.state("comment")]
        for prefix in ("", "r", "b"):
            for triple in (True, False):
                found += [self.state("string", _String(prefix, quote, triple, "", 0)) for quote in "\"'"]
        found += [self.state("string", _String("", q, True, "", n)) for q in "\"'" for n in (1, 2)]
        found += [self.state("string", _String("", q, t, "\\", 0)) for q in "\"'" for t in (True, False)]
        found += [self.state("opened", ("", q)) for q in "\"'"] + [self.state("opened_twice", ("", q)) for q in "\"'"]
        found += [self.state("name", ""), self.state("backslash"), self.state("cr", self._new_line)]
        found += [self.state("number", state) for state in ("d", "e", "h", "o", "b", "z1", "f", "fp", "j", "h0", "es")]
        found += [
            self.state("operator", text) for text in self._operator_starts if self._operator(text)[0] != self.clean
        ]
        found += [self.state("name", text) for text in sorted(self._name_starts)]
        return found

    def representatives(self, low: int, high: int) -> tuple[str, ...]:
        return _representatives(low, high)


@cache
def _representatives(low: int, high: int) -> tuple[str, ...]:
    found: dict[tuple[bool, bool], str] = {}
    for code in range(low, high + 1):
        char = chr(code)
        found.setdefault((char.isidentifier(), ("a" + char).isidentifier()), char)
        if len(found) == 3:
            break
    return tuple(found.values())
