"""The place of a hole in a Python file, shared by all states of the hole: its line, the text behind it, and the errors there without any
text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from weakref import ref

from .....common.line_ends import line_start
from .....common.weak import weakly
from .....common.words import compiled, is_part, rest_of_word
from ....hole import Level, State
from ....type_server import Allowed
from .blocks import Open, Segment, below_body, bodies_behind, not_deeper
from .contents import Content, Names
from .document import Document
from .file_verdicts import Judge, Verdict, end_of_cut_header
from .homes import Importable
from .names import Lookup, Scope
from .owed import owed_by_statement, owed_to_code_below, with_names_ahead
from .queries import header_word, names_read
from .reading import Reading, advanced, read_next, with_allowed, within_line
from .scopes import MISPLACED, content_of
from .sets import NONE
from .tokens import START
from .unread_functions import functions

WORD = compiled(r"[^\W\d]\w*")
_FIRST_WORD = compiled(r"\A\w+")
_PATH_AT_END = compiled(r"[\w.]*\Z")
_LINE_END = re.compile(r"[\r\n]")
LINE_AROUND = 2_000
"""Characters of the cursor's line that are read on each side of the cursor."""
_RETURNS = frozenset(("return", "return value"))
_NO_REST = re.compile(r"[ \t\f]*(?:#[^\n]*)?(?:\r?\n|\Z)")
"""Matches if nothing more is on a line."""
_NEXT_INDENTATION = re.compile(r"(?:[ \t\f]*(?:#[^\n]*)?\r?\n)*([ \t]*)")
WALRUS = compiled(r"(?<!\w)([^\W\d]\w*)[ \t]*:=")
_ASSIGNED_AT = compiled(r"\w*[ \t]*:=")
_LONG_QUOTES = ('"""', "'''")
_BEGINS_STATEMENT = compiled(
    r"^[ \t]*(?:def|class|return|import|while|try|with|raise|pass|del|global|assert|@\w+)\b", re.MULTILINE
)
_LIKELY_IN = 10_000
"""Characters behind the place in which open brackets are expected to close, if that is uncertain."""
BINDS_NAMES = frozenset(("def", "for", "with", "except", "case"))


class Place:
    """The parts shared by all states of one hole, and their memos; not an immutable value."""

    def __init__(
        self,
        document: Document,
        inner: State,
        text: str,
        offset: int,
        level: Level,
        *,
        exact: bool,
        modules: Importable | None = None,
        allowed: Allowed | None = None,
    ) -> None:
        """inner: the hole by syntax alone. modules: the importable ones; None: attributes are not checked. allowed: see SemanticRequest."""
        self.document = document
        self.inner = inner
        self.dialect = document.dialect
        self.level: Level = level
        self.names = level == "names"
        self.judge = Judge(self.dialect, self.names)
        self.right = text[offset:]
        self.offset = offset
        self.size = len(text)
        self.exact = exact
        self.start = document.before(offset)
        self.lenient = self.start.broken
        self.modules, self.allowed = modules, allowed
        self.attributes = modules is not None and not self.start.broken
        if self.attributes:
            self.start = with_names_ahead(self.start, self.right)
            self.start = with_allowed(self.start, allowed, text[line_start(text, offset) : offset])
        self._behind: list[Segment] | None = None
        self._scopes: dict[int, tuple[Open, Scope]] = {}
        self._line_end: tuple[Reading, Reading, int] | None = None
        self._line_unchanged: tuple[Reading, int] | None = None  # the same of `start`, with which each text is compared
        self._unchanged: tuple[Verdict, bool] | None = None
        self._last: tuple[Reading, tuple[Verdict, bool]] | None = None  # two questions in a row concern one reading
        self._baseline: Verdict | None = None
        self.bridged: list[Verdict] | None = None  # see PythonState
        self._late: Place | None = None
        self._outer: ref[Place] | None = None  # the same without an import that only the text has

    def after(self, reading: Reading | None) -> Place:
        """The place for a reading: one with late annotations if the reading has a `from __future__ import annotations` missing in the
        document. None: the reading at the start."""
        reading = self.start if reading is None else reading
        if not reading.late or self.dialect.late_annotations:
            return self
        if self._late is None:
            document = Document(self.dialect.version, self.dialect.kind, late=True)
            document.ask = self.document.ask
            document.change(self.document.text)
            late = Place(
                document, self.inner, document.text, self.offset, self.level,
                exact=self.exact, modules=self.modules, allowed=self.allowed,
            )  # fmt: skip
            late._outer = None if self.start.late else ref(self)
            self._late = late
        return self._late

    def behind_here(self) -> Sequence[Segment]:
        """The text behind the cursor's logical line, as far as it is known before the line is complete.

        Several, the most likely one first, if the text decides how the right context is read.
        """
        if self._behind is None:
            state, right, offset = self.start.lex, self.right, self.offset
            next_line = offset + right.find("\n") + 1 if "\n" in right else self.size
            if state == START:
                places = [offset]
            elif state.depth or state.stack or state.mode == "string":
                # Either the right context closes the open brackets, or the text will.
                if self.inner.complete:
                    places = [self.end_of_line(self.start)[1]]
                else:
                    places = [self._read_line(self.start, likely=True)[1], next_line, offset]
            else:  # the text may end its last line, so that the right context begins with its own
                indented = [line_start(self.document.text, offset)] if self.start.parser is None else []
                places = [next_line, offset, *indented]
            if state.mode != "string" and not self.inner.complete:  # the text may have to open a string that ends there
                places[:0] = self._ends_of_strings()
            self._behind = self._read_from(places)
        return self._behind

    def _ends_of_strings(self) -> list[int]:
        """The ends of the lines that close a long string, if the right context may begin in it."""
        odd = (quotes for quotes in _LONG_QUOTES if self.right.count(quotes) % 2)
        ends = (self.right.find("\n", self.right.index(quotes)) + 1 for quotes in odd)
        return [self.offset + end if end else self.size for end in ends]

    def _read_from(self, places: Sequence[int]) -> list[Segment]:
        segments = (self.document.behind(place) for place in dict.fromkeys(places))
        return [segment for segment in segments if segment is not None]

    def scope(self, block: Open) -> Scope:
        """The scope of a line in a block."""
        cached = self._scopes.get(id(block))
        if cached is None:
            lookup = Lookup(
                self.names, late=self.dialect.kind == "stub", attributes=self.attributes, modules=self.modules,
                ask=self.document.ask, open_ended=self.exact,
                rescue=weakly(self._may_be_there), line=weakly(self._line_around),
            )  # fmt: skip
            cached = self._scopes[id(block)] = block, Scope(block, weakly(self.behind_here), self.dialect, lookup)
        return cached[1]

    def _line_around(self) -> str:
        """The text on the cursor's logical line, without a word that touches the cursor; of long lines, a part."""
        left = ""
        if self.start.parser is not None:
            begin = self.document.line_begin(self.offset)
            left = _PATH_AT_END.sub("", self.document.text[max(begin, self.offset - LINE_AROUND) : self.offset])
        return left + _FIRST_WORD.sub(" ", self.rest_of_line())

    def rest_of_line(self) -> str:
        """The text behind the cursor on its logical line; of long lines, a part."""
        state, right = self.start.lex, self.right[:LINE_AROUND]
        end = _BEGINS_STATEMENT.search(right) if state.depth or state.stack else _LINE_END.search(right)
        return right[: end.start()] if end is not None else right

    def _assigned_on_line(self) -> Names:
        """The names bound by a `:=` behind the cursor on its line: a condition is evaluated before the operand on its left."""
        if ":=" not in self.right:
            return NONE
        return frozenset(WALRUS.findall(self.rest_of_line()))

    def _may_be_there(self, scope: Scope, word: str, is_prefix: bool) -> bool:
        """Whether an unbound name may exist: undefined without the text, too, or bound on the line, or behind the place if read in another
        way.

        Names seemingly bound in unread functions are checked only in exact states. If these cannot be compared with a file without the text,
        the end decides.
        """
        if _ASSIGNED_AT.match(self.right) is not None:
            return True
        line = self._assigned_on_line()
        if word in line or (is_prefix and any(name.startswith(word) for name in line)):
            return True
        return self._is_undefined_elsewhere(word, is_prefix) or any(
            other.has_prefix(word) if is_prefix else other.visible(word)
            for other in (scope.seen_from([segment]) for segment in self._other_readings)
        )

    def _is_undefined_elsewhere(self, word: str, is_prefix: bool) -> bool:
        before = self.baseline()
        undefined = before.undefined if self.exact else before.undefined - self.owed[1]
        if word in undefined or (is_prefix and any(name.startswith(word) for name in undefined)):
            return True
        if self.exact:
            words = frozenset(_words_from(self.document.text, word))
            words = words if is_prefix else words & {word}
            return bool(words) and (not self.inner.complete or bool(self.judge.undefined_in(before, words)))
        words = self._words_in_functions
        index = bisect_left(words, word)
        matching: set[str] = set()
        while index < len(words) and (words[index].startswith(word) if is_prefix else words[index] == word):
            matching.add(words[index])
            index += 1
        names = frozenset(matching) - before.bound if matching and before.bound is not None else NONE
        return any(
            function.reads(names & function.seems_to_read()) - around
            for function, around in functions(before.unread)
            if names
        )

    @cached_property
    def _words_in_functions(self) -> Sequence[str]:
        """The words that unread functions seem to look up elsewhere, sorted."""
        words = (function.seems_to_read() for function, _ in functions(self.baseline().unread))
        return sorted(frozenset[str]().union(*words))

    @cached_property
    def _other_readings(self) -> list[Segment]:
        """The text behind the place, for each way to end the text: between lines, or in a long string."""
        places = [self.offset, self.offset + self.right.find("\n") + 1 or self.size, *self._ends_of_strings()]
        likely = self.behind_here()
        return [segment for segment in self._read_from(places) if segment not in likely]

    def closing(self, reading: Reading) -> tuple[Open, Segment | None, bool]:
        """(the block after the cursor's logical line, the text behind that line, whether a line is not Python)"""
        after, end = self.end_of_line(reading)
        return after.block, self.document.behind(end), after.broken

    def whole(self, reading: Reading) -> tuple[Verdict, bool]:
        """(the errors of the file if the text ends here, whether a line is not Python)"""
        if reading is self.start and self._unchanged is not None:
            return self._unchanged
        if self._last is not None and self._last[0] is reading:
            return self._last[1]
        block, behind, broken = self.closing(reading)
        result = self.judge.verdict(block, behind), broken
        if reading is self.start:
            self._unchanged = result
        self._last = reading, result
        return result

    def is_undefined(self, name: str, reading: Reading) -> bool:
        """Whether a name is undefined anywhere in the file if the text ends here."""
        verdict = self.whole(reading)[0]
        return name in verdict.undefined or bool(self.judge.undefined_in(verdict, frozenset((name,))))

    @property
    def begins_binding_header(self) -> bool:
        """Whether the cursor's line begins with a header that binds names."""
        parser = self.start.parser
        return parser is not None and header_word(parser) in BINDS_NAMES

    def end_of_line(self, reading: Reading) -> tuple[Reading, int]:
        """(the reading after the logical line continued by the right context, its offset)."""
        if reading is self.start:
            self._line_unchanged = self._line_unchanged or self._read_line(reading)
            return self._line_unchanged
        if self._line_end is None or self._line_end[0] is not reading:
            self._line_end = reading, *self._read_line(reading)
        return self._line_end[1:]

    def _read_line(self, reading: Reading, *, likely: bool = False) -> tuple[Reading, int]:
        """See end_of_line. likely: whether brackets may stay open, so that reading stops at the next statement, or after a limit."""
        text, position = self.right, 0
        size = len(text)
        more = 0
        while not reading.is_whole:
            if position >= size or (likely and position > _LIKELY_IN):
                reading = advanced(reading, "", self.dialect, end=True)
                break
            begin, in_code = position, reading.lex.mode != "string"
            reading, position = within_line(reading, text, position, size, more, self.dialect, end=True)
            if position >= size or (likely and in_code and _BEGINS_STATEMENT.search(text, begin, position)):
                break
            more = read_next(more)
        return reading, self.offset + position

    # -- texts that do not depend on the rest of the file

    def changes_nothing(self, reading: Reading) -> bool:
        """Whether the text certainly adds no error and no undefined name: it is one simple line whose names are bound before it.

        False says nothing. The text behind the place stays unread.
        """
        if reading is self.start:
            return self._is_deepest()
        if reading.line is not self.start.line:
            return False  # more than one line
        if self.start.parser is None and _NO_REST.match(self.right) is None:
            return False  # it changes the meaning of the text behind it on the line
        after = self.end_of_line(reading)[0]
        if after.broken or after.late != self.start.late:
            return False
        line = after.line
        if line is reading.line or line is None:
            return self.start.parser is None and self._is_deepest()
        if reading.parser is None or line.header is not None:
            return False
        content = content_of(line, self.dialect)
        if self.inner.complete and self.start.parser is not None:
            before = self.end_of_line(self.start)[0].line
            if before is None or before.header is not None or before is self.start.line:
                return False
            was = content_of(before, self.dialect)
            if was.has_effects or not was.binds <= content.binds:
                return False
        return not content.has_effects and self._fits(content, reading.block)

    def _fits(self, content: Content, block: Open) -> bool:
        """Whether a simple line may stand in a block, before any text, with all its names bound before it."""
        right = self.right
        if block.parent is None and "__future__" in right:
            return False
        if content.inner and self.scope(block).within() is not self.scope(block):
            return False  # names bound by a class around do not count
        local = content.used | content.assigned | content.imported | content.walruses
        if _declares(right, "global", local) or _declares(right, "nonlocal", local):
            return False
        scope = self.scope(block)
        if content.flags:
            if not content.flags <= _RETURNS or not scope.in_function or scope.in_async or scope.in_starred_except:
                return False
        if not self.names:
            return True
        if not all(scope.is_bound_before(name) for name in content.needs):
            return False
        return not scope.nested or not _declares(right, "del", content.needs)

    def _is_deepest(self) -> bool:
        """Whether no line behind the place belongs to a block that the cursor's own line, while empty, would end."""
        left = self.document.text[: self.offset]
        blank = left[line_start(left) :]
        if blank.strip():
            return True
        match = _NEXT_INDENTATION.match(self.right)
        assert match is not None
        indentation = match[1] if "\n" in match[0] else blank + match[1]
        return len(indentation.expandtabs()) <= len(blank.expandtabs())

    # -- whole files

    def baseline(self) -> Verdict:
        """The errors without any text; no text is refused for them."""
        if self._outer is not None and (outer := self._outer()) is not None:
            return outer.baseline()
        if self._baseline is None:
            if self.inner.complete:
                verdict = self.whole(self.start)[0]
                if verdict.errors:
                    block, behind, _ = self.closing(self.start)
                    errors = verdict.errors & self._errors_without_block(block, behind)
                    verdict = replace(verdict, errors=self._placed_in([verdict, *self._without_body(block)], errors))
                self._baseline = verdict
            else:
                self._baseline = self._incomplete_baseline()
        return self._baseline

    def _incomplete_baseline(self) -> Verdict:
        """The errors in any case if the hole cannot stay empty: a name counts if one reading of the right context leaves it undefined."""
        places = [*self.behind_here(), *self._other_readings]
        if self.start.is_whole:  # the text may begin the right context's first line
            places += self._read_from([self.document.line_end(self.offset)])
        block = self.start.block
        readings: list[Verdict] = []
        for behind in places or (None,):
            readings += [self.judge.verdict(block, body) for body in bodies_behind(block, behind)]
        readings += self._without_body(block)
        errors = self._placed_in(readings, frozenset[str]().union(*(verdict.errors for verdict in readings)))
        bound = [verdict.bound for verdict in readings if verdict.bound is not None]
        return Verdict(
            frozenset(error for error in errors if not error.startswith("no binding for nonlocal")),
            self.words_on_the_line().union(*(verdict.undefined for verdict in readings)),
            unread=tuple(tree for verdict in readings for tree in verdict.unread),
            bound=frozenset(name for name in bound[0] if all(name in names for names in bound[1:]))
            if len(bound) == len(readings)
            else None,
        )

    @staticmethod
    def _placed_in(readings: Sequence[Verdict], errors: Names) -> Names:
        """The errors, except those of statements that are well placed in one of the readings.

        The text may add the header needed by a statement, and must not take it away.
        """
        return errors - frozenset(
            error for error in errors & MISPLACED if not all(error in reading.errors for reading in readings)
        )

    def _without_body(self, block: Open) -> list[Verdict]:
        """The errors without the body of a header that begins in the text and ends behind the place, if there seems to be one.

        Its kind is unknown, and so are the statements permitted in its body.
        """
        end = end_of_cut_header(self.right)
        if end is None:
            return []
        return [self.judge.verdict(block, below_body(body)) for body in self._read_from([self.offset + end])]

    def own_header_errors(self) -> Names:
        """The errors in the body of a header around the cursor, as long as no text ends the header."""
        parser = self.start.parser
        if parser is None or (parser.header is None and not header_word(parser)):
            return NONE
        end = end_of_cut_header(self.right)
        if end is None:
            return NONE
        return self.whole(self.start)[0].errors & MISPLACED

    def _errors_without_block(self, block: Open, behind: Segment | None) -> Names:
        """The errors without the lines below the cursor's empty line and deeper than it.

        As long as nothing is written, they follow the block above, but may have lost their own header: the text's header takes them.
        """
        text = self.document.text[: self.offset]
        blank = text[line_start(text) :]
        below = behind if blank.strip() else not_deeper(behind, len(blank.expandtabs()))
        return self.judge.verdict(block, below).errors

    @cached_property
    def owed(self) -> tuple[Names, Names]:
        """See owed.py: by the cursor's statement, and to code below."""
        start, by_statement = self.start, NONE
        if start.parser is not None and self.names and not self.inner.complete and not self.lenient:
            by_statement = owed_by_statement(start, self.scope(start.block), self.judge, self.behind_here())
        undefined = self.baseline().undefined - self.words_on_the_line()
        if undefined and self.inner.complete:  # the unchanged line may end in a word that it reads
            undefined -= self.judge.verdict(self.end_of_line(start)[0].block, None).undefined
        return by_statement, owed_to_code_below(start, self.judge, undefined)

    def read_too_early(self, reading: Reading) -> Names:
        """The names that a text reads although only code below does so far, and nothing binds them."""
        below = self.owed[1]
        return below & self.judge.verdict(self.end_of_line(reading)[0].block, None).undefined if below else NONE

    def words_on_the_line(self) -> Names:
        """The names read by the cursor's line before it, and the words behind it that do not touch it."""
        behind = self.right[: self.right.find("\n") + 1 or None]
        words = frozenset(WORD.findall(_FIRST_WORD.sub("", behind)))
        return words | names_read(self.start.parser) if self.start.parser is not None else words

    def new_errors(self, verdict: Verdict, before: Verdict) -> Names:
        """The errors of one version of the file missing in the other; all of them in exact states."""
        if self.exact:
            return verdict.errors | self.judge.errors_in_functions(verdict)
        errors = verdict.errors - before.errors
        return errors - self.judge.errors_in_functions(before) if errors else NONE


def _words_from(text: str, prefix: str) -> Iterator[str]:
    """The words of a text with this beginning, except names of attributes."""
    offset = text.find(prefix)
    while offset >= 0:
        before = text[offset - 1 : offset]
        if before != "." and not is_part(before):
            yield rest_of_word(text, offset)
        offset = text.find(prefix, offset + 1)


def _declares(text: str, word: str, names: Names) -> bool:
    """Whether a text may have a statement with this keyword and one of the names."""
    offset = text.find(word)
    while offset >= 0:
        end = text.find("\n", offset)
        if end < 0:
            end = len(text)
        if not is_part(text[offset + len(word) : offset + len(word) + 1]):
            line = text[offset:end]
            if line.rstrip().endswith(("\\", "(", ",")) or any(name in line for name in names):
                return True
        offset = text.find(word, end)
    return False
