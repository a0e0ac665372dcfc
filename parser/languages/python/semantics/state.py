"""A hole whose texts must compile and bring in no name that does not exist.

`PythonState` is a state of the hole (parser/hole.py) with a reading of the text beside it, behind the same protocol. `advance`
refuses what nothing can mend any more, at the token that does it. `complete` joins what stands before the text, the text and
what stands behind it, and asks whether the compiler takes that and whether a name is undefined that was not before: contents of
closed blocks are joined up to the file, where they are only looked up.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Self

from .....common.words import compiled, is_name, is_part
from ....bridging.astar import never
from ....engine_runtime import SemanticRequest
from ....glr.effort import Cancelled
from ....hole import Hole, State
from ....language_runtime import Level
from ....scoping import verdicts
from ....scoping.state import SemanticState
from ....scoping.verdicts import Known, Refused
from .bridge_templates import FILLER, templates, with_bindings, with_loop, with_names
from .builtin_names import builtin_names
from .document import Document, Reading, advanced, delays_annotations, read_next, with_names_ahead, within_line
from .fitting import Weighing
from .line_values import Members
from .lines import Open, Segment, appended, at_column, each, whole_before, whole_behind, with_line
from .modules import Modules
from .names import Scope
from .scopes import (
    EMPTY,
    MISPLACED,
    Content,
    Names,
    close_block,
    content_of,
    joined,
    module_errors,
    simple_content,
    too_late,
)
from .sets import NONE, minus, union
from .string_annotations import names_in_annotation, text_of
from .syntax import FEATURES, LineParser
from .tokens import START, Lex, lex
from .type_paths import CALL
from .unread import Unread, compared, functions

_FILLERS = 4  # names that are tried where any name would do
_LONGER = 12  # bridges that end the statement first, at most
_WORD = compiled(r"[^\W\d]\w*")
_FIRST_WORD = compiled(r"\A\w+")
_PATH_AT_END = compiled(r"[\w.]*\Z")
_LINE_END = re.compile(r"[\r\n]")
_LINE_AROUND = 2_000
"""Characters on each side of the cursor that are looked at on its line."""
_LAST_NAME = compiled(r"(?<![\w.])[^\W\d]\w*\Z")
_REST_OF_WORD = compiled(r"\w*")
_BRINGS_IN = r"\b(?:def|class|import|as)\s+{0}\b|(?:\.|^[ \t]*){0}\s*(?:=(?!=)|:)"
"""Where an attribute is defined or assigned, or what is called."""
_ASKS_FOR_TYPE = re.compile(r"\b(?:isinstance|issubclass|hasattr|callable|type)\s*\(")
_RETURNS = frozenset(("return", "return value"))
_NO_REST = re.compile(r"[ \t\f]*(?:#[^\n]*)?(?:\r?\n|\Z)")
"""Nothing more on a line."""
_NEXT_INDENTATION = re.compile(r"(?:[ \t\f]*(?:#[^\n]*)?\r?\n)*([ \t]*)")
_WALRUS = compiled(r"(?<!\w)([^\W\d]\w*)[ \t]*:=")
_LONG_QUOTES = ('"""', "'''")
_BEGINS_STATEMENT = compiled(
    r"^[ \t]*(?:def|class|return|import|while|try|with|raise|pass|del|global|assert|@\w+)\b", re.MULTILINE
)
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*")
_HEADER_END = re.compile(r":\s*\Z")
_HEADER_LINES = 50
"""Of the right context, in which the rest of a header is looked for."""
_LIKELY_IN = 10_000
"""Characters behind the place in which brackets are closed, where that is not certain."""
_BINDS_NAMES = frozenset(("def", "for", "with", "except", "case"))
_EXISTS = "int"
"""A name that every file has."""


@dataclass(frozen=True)
class Verdict(verdicts.Verdict):
    """What is wrong with a whole text; unread functions aside."""

    unread: tuple[Unread, ...] = ()
    bound: Names | None = NONE
    """names that functions find in the file; None: any"""


class DocumentSemantics:
    """What the static semantics remember of one document; see SemanticLayer in engine_runtime.py."""

    def __init__(self, version: tuple[int, int]) -> None:
        self._document = Document(version)

    def refine(self, hole: Hole, asked: SemanticRequest) -> Hole:
        if not isinstance(hole.state, State) or not hole.viable:
            return hole  # of a file that is broken elsewhere nothing is known
        self._document.ask = hole.state.context.engine.ask
        self._document.change(asked.text)
        modules = asked.imports if isinstance(asked.imports, Modules) and asked.level == "names" else None
        shared = Semantics(
            self._document, hole.state, asked.text, asked.offset, asked.level, exact=asked.exact, modules=modules
        ).after(None)
        state = PythonState(hole.state, shared, shared.start)
        if asked.exact and shared.is_broken():
            return Hole(state, "compile")
        return Hole(state, "none")


class Semantics:
    """What all states of one hole share."""

    def __init__(
        self,
        document: Document,
        inner: State,
        text: str,
        offset: int,
        level: Level,
        *,
        exact: bool,
        modules: Modules | None = None,
    ) -> None:
        """inner: the hole as syntax alone sees it. modules: what can be imported; None: attributes are not checked."""
        self.document = document
        self.inner = inner
        self.dialect = document.dialect
        self.level: Level = level
        self.names = level == "names"
        self.right = text[offset:]
        self.offset = offset
        self.size = len(text)
        self.exact = exact
        self.start = document.before(offset)
        self.lenient = self.start.broken
        self.modules = modules
        self.attributes = modules is not None and not self.start.broken
        if self.attributes:
            self.start = with_names_ahead(self.start, self.right)
        self._behind: list[Segment] | None = None
        self._scopes: dict[int, tuple[Open, Scope]] = {}
        self._words: Sequence[str] | None = None
        self._line_end: tuple[Reading, Reading, int] | None = None
        self._unchanged: tuple[Verdict, bool] | None = None
        self._others: list[Segment] | None = None
        self._baseline: Verdict | None = None
        self.bridged: list[Verdict] | None = None  # see PythonState
        self._late: Semantics | None = None
        self._outer: Semantics | None = None  # the same without an import that only the text brings

    def after(self, reading: Reading | None) -> Semantics:
        """These, or where a reading has a `from __future__ import annotations` that the document lacks, those with it; None: the start."""
        reading = self.start if reading is None else reading
        if not reading.late or self.dialect.late_annotations:
            return self
        if self._late is None:
            document = Document(self.dialect.version, late=True)
            document.ask = self.document.ask
            document.change(self.document.text)
            late = Semantics(
                document, self.inner, document.text, self.offset, self.level, exact=self.exact, modules=self.modules
            )
            late._outer = None if self.start.late else self
            self._late = late
        return self._late

    def behind_here(self) -> Sequence[Segment]:
        """What stands behind the cursor's logical line, as far as that is known before it is whole: lines as they are written.

        Several where the text decides how the right context is read; the most likely one is the first.
        """
        if self._behind is None:
            state, right, offset = self.start.lex, self.right, self.offset
            next_line = offset + right.find("\n") + 1 if "\n" in right else self.size
            if state == START:
                places = [offset]
            elif state.depth or state.stack or state.mode == "string":
                # Either the right context closes what is open, or the text will.
                if self.inner.complete:
                    places = [self._end_of_line(self.start)[1]]
                else:
                    places = [self._read_line(self.start, likely=True)[1], next_line, offset]
            else:  # the text may end its last line, so that the right context begins with one of its own
                places = [next_line, offset]
            if state.mode != "string" and not self.inner.complete:  # the text may have to open a string that ends there
                places[:0] = self._ends_of_strings()
            self._behind = self._read_from(places)
        return self._behind

    def _ends_of_strings(self) -> list[int]:
        """Where the line ends in which a long string does that the right context may begin in."""
        found: list[int] = []
        for quotes in _LONG_QUOTES:
            if self.right.count(quotes) % 2:
                end = self.right.find("\n", self.right.index(quotes)) + 1
                found.append(self.offset + end if end else self.size)
        return found

    def _read_from(self, places: Sequence[int]) -> list[Segment]:
        found = (self.document.behind(place) for place in dict.fromkeys(places))
        return [segment for segment in found if segment is not None]

    def scope(self, block: Open) -> Scope:
        """What surrounds a line in a block."""
        known = self._scopes.get(id(block))
        if known is None:
            scope = Scope(
                block,
                self.behind_here,
                self.dialect,
                names=self.names,
                attributes=self.attributes,
                modules=self.modules,
                ask=self.document.ask,
                open_ended=self.exact,
                rescue=self._may_be_there,
                line=self._line_around,
            )
            known = self._scopes[id(block)] = block, scope
        return known[1]

    def _line_around(self) -> str:
        """What stands on the cursor's logical line, but for a word that touches the cursor; of long ones, a part."""
        left = ""
        if self.start.parser is not None:
            begin = self.document.line_begin(self.offset)
            left = _PATH_AT_END.sub("", self.document.text[max(begin, self.offset - _LINE_AROUND) : self.offset])
        return left + _FIRST_WORD.sub(" ", self.rest_of_line())

    def rest_of_line(self) -> str:
        """What stands behind the cursor on its logical line; of long ones, a part."""
        state, right = self.start.lex, self.right[:_LINE_AROUND]
        end = _BEGINS_STATEMENT.search(right) if state.depth or state.stack else _LINE_END.search(right)
        return right[: end.start()] if end is not None else right

    def _assigned_on_line(self) -> Names:
        """What a `:=` behind the cursor on its line binds: a condition is evaluated before what stands on its left."""
        if ":=" not in self.right:
            return NONE
        return frozenset(_WALRUS.findall(self.rest_of_line()))

    def _may_be_there(self, scope: Scope, word: str, is_prefix: bool) -> bool:
        """Is a name that is not found undefined elsewhere, too, or bound behind the place if that is read in another way, or on the line?

        Of a name that unread functions seem to bind, nothing is asked but where states are exact. If these cannot be compared with
        a file without the text, the end decides.
        """
        line = self._assigned_on_line()
        if word in line or (is_prefix and any(name.startswith(word) for name in line)):
            return True
        return self._is_undefined_elsewhere(word, is_prefix) or any(
            other.has_prefix(word) if is_prefix else other.visible(word)
            for other in (scope.seen_from([segment]) for segment in self._other_readings())
        )

    def _is_undefined_elsewhere(self, word: str, is_prefix: bool) -> bool:
        before = self.baseline()
        if word in before.undefined or (is_prefix and any(name.startswith(word) for name in before.undefined)):
            return True
        if self.exact:
            words = frozenset(_words_from(self.document.text, word))
            words = words if is_prefix else words & {word}
            return bool(words) and (not self.inner.complete or bool(self._undefined_in(before, words)))
        words = self._words_in_functions()
        at = bisect_left(words, word)
        found: set[str] = set()
        while at < len(words) and (words[at].startswith(word) if is_prefix else words[at] == word):
            found.add(words[at])
            at += 1
        names = frozenset(found) - before.bound if found and before.bound is not None else NONE
        return any(
            function.reads(names & function.seems_to_read()) - around
            for function, around in functions(before.unread)
            if names
        )

    def _words_in_functions(self) -> Sequence[str]:
        """Words that unread functions seem to look up elsewhere, in order."""
        if self._words is None:
            found = (function.seems_to_read() for function, _ in functions(self.baseline().unread))
            self._words = sorted(frozenset[str]().union(*found))
        return self._words

    def _other_readings(self) -> list[Segment]:
        """What stands behind the place, in each way in which the text may leave off: between lines, or in a long string."""
        if self._others is None:
            places = [self.offset, self.offset + self.right.find("\n") + 1 or self.size, *self._ends_of_strings()]
            known = self.behind_here()
            self._others = [one for one in self._read_from(places) if one not in known]
        return self._others

    def closing(self, reading: Reading) -> tuple[Open, Segment | None, bool]:
        """(the block after the cursor's logical line, what stands behind that, is there a line that is no Python?)"""
        after, at = self._end_of_line(reading)
        return after.block, self.document.behind(at), after.broken

    def whole(self, reading: Reading) -> tuple[Verdict, bool]:
        """(what is wrong with the file if the text ends here, is there a line that is no Python?)"""
        if reading is self.start and self._unchanged is not None:
            return self._unchanged
        block, behind, broken = self.closing(reading)
        found = self.verdict(block, behind), broken
        if reading is self.start:
            self._unchanged = found
        return found

    def is_undefined(self, name: str, reading: Reading) -> bool:
        """Is a name undefined anywhere in the file, if the text ends here?"""
        found = self.whole(reading)[0]
        return name in found.undefined or bool(self._undefined_in(found, frozenset((name,))))

    @property
    def begins_binding_header(self) -> bool:
        """Does the cursor's line begin with a header that binds names?"""
        parser = self.start.parser
        return parser is not None and parser.header_word in _BINDS_NAMES

    def ended(self, reading: Reading) -> Reading:
        """The reading after the cursor's logical line."""
        return self._end_of_line(reading)[0]

    def _end_of_line(self, reading: Reading) -> tuple[Reading, int]:
        """The reading after the logical line that the right context goes on with, and where in the document that is."""
        if self._line_end is None or self._line_end[0] is not reading:
            self._line_end = reading, *self._read_line(reading)
        return self._line_end[1:]

    def _read_line(self, reading: Reading, *, likely: bool = False) -> tuple[Reading, int]:
        """See _end_of_line. likely: may brackets stay open, so that reading ends at the next statement, or where it takes long?"""
        text, at = self.right, 0
        size = len(text)
        more = 0
        while not (reading.parser is None and reading.lex == START):
            if at >= size or (likely and at > _LIKELY_IN):
                reading = advanced(reading, "", self.dialect, end=True)
                break
            begin, in_code = at, reading.lex.mode != "string"
            reading, at = within_line(reading, text, at, size, more, self.dialect, end=True)
            if at >= size or (likely and in_code and _BEGINS_STATEMENT.search(text, begin, at)):
                break
            more = read_next(more)
        return reading, self.offset + at

    def is_broken(self) -> bool:
        """Does the compiler refuse what stands before the place, whatever is written there?"""
        block: Open | None = self.start.block
        while block is not None:
            for part in each(block.parts):
                if part.errors or (block.parent is None and part.flags and module_errors(part, self.dialect)):
                    return True
                if part.unread is not None and any(one.content().errors for one, _ in functions((part.unread,))):
                    return True
            block = block.parent
        return False

    # -- texts that need no look at the rest of the file

    def changes_nothing(self, reading: Reading) -> bool:
        """Is the text certain to bring in no error and no undefined name? So it is if it is one simple line that reads what is bound before.

        False says nothing. What stands behind the place is not read for this.
        """
        if reading is self.start:
            return self._is_deepest()
        if reading.line is not self.start.line:
            return False  # more than one line
        if self.start.parser is None and _NO_REST.match(self.right) is None:
            return False  # it changes what stands behind it on the line
        after = self._end_of_line(reading)[0]
        if after.broken or after.late != self.start.late:
            return False
        line = after.line
        if line is reading.line or line is None:
            return self.start.parser is None and self._is_deepest()
        if reading.parser is None or line.header is not None:
            return False
        content = content_of(line, self.dialect)
        if self.inner.complete and self.start.parser is not None:
            before = self._read_line(self.start)[0].line
            if before is None or before.header is not None or before is self.start.line:
                return False
            was = content_of(before, self.dialect)
            if _has_effects(was) or not was.binds <= content.binds:
                return False
        return not _has_effects(content) and self._fits(content, reading.block)

    def _fits(self, content: Content, block: Open) -> bool:
        """May a simple line stand in a block, whatever stands behind it, and is what it reads bound before?"""
        right = self.right
        if block.parent is None and "__future__" in right:
            return False
        local = content.used | content.assigned | content.imported
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
        """Does no line behind the place belong to a block that the cursor's own line, as long as it is empty, would end?"""
        left = self.document.text[: self.offset]
        blank = left[max(left.rfind("\n"), left.rfind("\r")) + 1 :]
        if blank.strip():
            return True
        found = _NEXT_INDENTATION.match(self.right)
        assert found is not None
        indentation = found[1] if "\n" in found[0] else blank + found[1]
        return len(indentation.expandtabs()) <= len(blank.expandtabs())

    # -- whole files

    def baseline(self) -> Verdict:
        """What is wrong without any text: that is nothing that a text is refused for."""
        if self._outer is not None:
            return self._outer.baseline()
        if self._baseline is None:
            if self.inner.complete:
                found = self.whole(self.start)[0]
                if found.errors:
                    block, behind, _ = self.closing(self.start)
                    errors = found.errors & self._errors_without_block(block, behind)
                    found = replace(found, errors=self._placed_in([found, *self._without_body(block)], errors))
                self._baseline = found
            else:
                self._baseline = self._incomplete_baseline()
        return self._baseline

    def _incomplete_baseline(self) -> Verdict:
        """What is wrong in any case where the hole cannot stay empty: what is undefined in one way of reading the right context counts."""
        places = [*self.behind_here(), *self._other_readings()]
        if self.start.parser is None and self.start.lex == START:  # the text may begin the right context's first line
            places += self._read_from([self.document.line_end(self.offset)])
        block = self.start.block
        readings: list[Verdict] = []
        for behind in places or (None,):
            readings += [self.verdict(block, body) for body in _bodies(block, behind)]
        readings += self._without_body(block)
        errors = self._placed_in(readings, frozenset[str]().union(*(one.errors for one in readings)))
        bound = [one.bound for one in readings if one.bound is not None]
        return Verdict(
            frozenset(error for error in errors if not error.startswith("no binding for nonlocal")),
            self._words_on_the_line().union(*(one.undefined for one in readings)),
            unread=tuple(tree for one in readings for tree in one.unread),
            bound=frozenset(name for name in bound[0] if all(name in one for one in bound[1:]))
            if len(bound) == len(readings)
            else None,
        )

    @staticmethod
    def _placed_in(readings: Sequence[Verdict], errors: Names) -> Names:
        """The errors without those of statements that one of the readings has in a block where they may stand.

        The text may bring the header that a statement needs, and must not take it away.
        """
        return errors - frozenset(
            one for one in errors & MISPLACED if not all(one in reading.errors for reading in readings)
        )

    def _without_body(self, block: Open) -> list[Verdict]:
        """What is wrong without the body of a header that begins in the text and ends behind the place, where there seems to be one.

        What kind of header it is, nobody knows, and so not what may stand in its body.
        """
        end = _end_of_cut_header(self.right)
        if end is None:
            return []
        return [self.verdict(block, _below_body(body)) for body in self._read_from([self.offset + end])]

    def own_header_errors(self) -> Names:
        """What is wrong in the body of a header that the cursor is in, as long as no text ends that."""
        parser = self.start.parser
        if parser is None or (parser.header is None and not parser.header_word):
            return NONE
        end = _end_of_cut_header(self.right)
        if end is None:
            return NONE
        return self.whole(self.start)[0].errors & MISPLACED

    def _errors_without_block(self, block: Open, behind: Segment | None) -> Names:
        """The errors without the lines below that are indented deeper than an empty line of the cursor's.

        They follow the block above as long as nothing is written, but may have lost their own header: the text's header takes them.
        """
        text = self.document.text[: self.offset]
        blank = text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]
        column = len(blank.expandtabs())
        while not blank.strip() and behind is not None and behind.column > column:
            behind = behind.rest
        return self.verdict(block, behind).errors

    def _words_on_the_line(self) -> Names:
        """Names that the cursor's line reads before it, and words behind it that do not touch it."""
        behind = self.right[: self.right.find("\n") + 1 or None]
        words = frozenset(_WORD.findall(_FIRST_WORD.sub("", behind)))
        return words | self.start.parser.names_read() if self.start.parser is not None else words

    def verdict(self, block: Open, behind: Segment | None) -> Verdict:
        """What is wrong with a file of which these are the two sides."""
        dialect = self.dialect
        while block.parent is not None:
            outer = block.parent.column or 0
            while behind is not None and block.column is not None and behind.column > block.column:
                behind = behind.rest  # a block without a header: broken
            if block.column is None:
                column = behind.column if behind is not None and behind.column > outer else outer + 1
                block = Open(block.parent, block.header, column)
            rest = EMPTY
            if behind is not None and behind.column == block.column:
                rest, behind = whole_behind(behind.parts), behind.rest
            assert block.header is not None and block.parent is not None
            content = close_block(block.header, joined(whole_before(block.parts), rest), dialect)
            around = block.parent
            block = Open(around.parent, around.header, around.column, appended(around.parts, content))
        while behind is not None and behind.column:
            behind = behind.rest  # the same
        parts = [*reversed(list(each(block.parts)))]
        if behind is not None:
            parts += each(behind.parts)
        return self._module(parts)

    def newly_undefined(self, found: Verdict, before: Verdict) -> Names:
        """Names that are undefined in one version of the file and not in the other, in functions that are unread, too."""
        undefined = found.undefined - before.undefined
        if self.names and found.bound is not None:
            undefined |= self._undefined_in_functions(found, before) - before.undefined
        return undefined - self._undefined_in(before, undefined) if undefined else NONE

    def _undefined_in_functions(self, found: Verdict, before: Verdict) -> Names:
        """Names that unread functions no longer find, and those of functions that the other version has not, or has read."""
        assert found.bound is not None
        undefined: set[str] = set()
        known = found.bound | builtin_names(self.dialect.version)
        gone = None if before.bound is None else before.bound - found.bound
        for tree, bound, earlier in compared(found.unread, before.unread):
            if earlier is None or gone is None:
                for function, around in functions((tree,), bound):
                    undefined |= function.content().later - around - known
            elif lost := (gone | earlier) - bound - known:
                for function, around in functions((tree,), bound):
                    undefined |= function.reads(lost) - around
        return frozenset(undefined)

    def _undefined_in(self, verdict: Verdict, names: Names) -> Names:
        """Those of the names that are undefined in unread functions."""
        if verdict.bound is None:
            return NONE
        names = names - verdict.bound
        return frozenset[str]().union(
            *(function.reads(names) - around for function, around in functions(verdict.unread) if names)
        )

    def new_errors(self, found: Verdict, before: Verdict) -> Names:
        """Errors in one version of the file that the other has not; all of them where the states are exact."""
        if self.exact:
            return found.errors | self._errors_in_functions(found)
        errors = found.errors - before.errors
        return errors - self._errors_in_functions(before) if errors else NONE

    def _errors_in_functions(self, verdict: Verdict) -> Names:
        return frozenset[str]().union(*(function.content().errors for function, _ in functions(verdict.unread)))

    def _module(self, parts: list[Content]) -> Verdict:
        """The verdict on the parts of a file; contents are looked up, not joined."""
        errors: Names = NONE
        undefined: set[str] = set()
        names = self.names
        star = next((number for number, part in enumerate(parts) if part.star_import), len(parts))
        known = builtin_names(self.dialect.version)
        only_future = True
        for number, part in enumerate(parts):
            errors |= part.errors
            if part.flags or part.free_nonlocals or part.nonlocals or part.depth > self.dialect.max_blocks:
                errors |= module_errors(part._replace(errors=NONE, late_future=False), self.dialect)
            if part.late_future or (part.has_future and (not only_future or (number > 0 and part.has_string))):
                errors |= {"from __future__ imports must occur at the beginning of the file"}
            only_future = only_future and part.only_future and not (number and part.has_string)
            for declared in part.globals:
                for earlier in parts[:number]:
                    message = too_late(declared, "global", earlier)
                    if message is not None:
                        errors |= {message}
            if number and part.first is not None and parts[number - 1].last is not None:
                errors |= module_errors(joined(_edge(parts[number - 1]), _edge(part)), self.dialect)
        bound: Names = NONE
        if names:
            spread: Names = NONE
            for part in parts:
                spread |= part.spread
                bound = union(minus(bound, part.dels), part.binds)
            for number, part in enumerate(parts[:star]):
                for name in part.needs:
                    if name in known or name in spread:
                        continue
                    for earlier in reversed(parts[:number]):
                        if name in earlier.binds:
                            break
                        if name in earlier.dels:
                            undefined.add(name)
                            break
                    else:
                        if not _caught(parts, number, name):
                            undefined.add(name)
                undefined.update(part.lost - known - spread)
                for name in part.later | part.noted if star == len(parts) else NONE:
                    if name not in known and name not in spread and name not in undefined:
                        if name not in bound:
                            undefined.add(name)
            bound |= spread
        unread = tuple(part.unread for part in parts if part.unread is not None)
        found = bound if names and star == len(parts) else None
        return Verdict(errors, frozenset(undefined), unread=unread, bound=found)


def _bodies(block: Open, behind: Segment | None) -> Iterator[Segment | None]:
    """Where a block may go on behind the place: deeper lines before that belong to a header that is missing."""
    if block.column is None:
        outer = block.parent.column or 0 if block.parent is not None else 0
        yield behind
        while behind is not None and behind.rest is not None and behind.rest.column > outer:
            behind = behind.rest
            yield behind
        return
    while behind is not None and behind.column > block.column:
        behind = behind.rest
    yield behind


def _end_of_cut_header(right: str) -> int | None:
    """Where the line ends in which a header does that has its beginning before the right context; None where none seems to."""
    depth, lowest = 0, 1  # of brackets; what is open at the beginning is not known
    end = 0
    for _ in range(_HEADER_LINES):
        begin, end = end, right.find("\n", end) + 1
        if not end:
            break
        line = _QUOTED.sub("", right[begin:end])
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        if depth < lowest and depth <= 0 and _HEADER_END.search(line):
            return end
        lowest = min(lowest, depth)
    return None


def _below_body(behind: Segment | None) -> Segment | None:
    """What stands behind the first line and all that is indented as far."""
    column = 0 if behind is None else behind.column
    while behind is not None and column and behind.column >= column:
        behind = behind.rest
    return behind


def _may_be_brought_in(refused: Refused) -> bool:
    """Is it refused for an attribute that other lines of the file can define or assign?"""
    if refused.kind == "calls":
        return True  # what is called may get another definition
    return bool(refused.word) and refused.known is not None and _is_of_a_class(refused.known)


def _is_of_a_class(members: Known) -> bool:
    return members.owner.startswith(("'", "class "))


def _words_from(text: str, prefix: str) -> Iterator[str]:
    """The words of a text that begin like this; names of attributes are none."""
    at = text.find(prefix)
    while at >= 0:
        before = text[at - 1 : at]
        if before != "." and not is_part(before):
            found = _REST_OF_WORD.match(text, at)
            assert found is not None
            yield found[0]
        at = text.find(prefix, at + 1)


def _has_effects(content: Content) -> bool:
    """Does a simple line do more than read and bind names at once, so that it has to be seen with the rest of the file?"""
    return bool(
        content.errors
        or content.dels
        or content.later
        or content.noted
        or content.annotated
        or content.globals
        or content.nonlocals
        or content.star_import
        or content.has_future
    )


def _declares(text: str, word: str, names: Names) -> bool:
    """May a text have a statement with this keyword and one of the names?"""
    at = text.find(word)
    while at >= 0:
        end = text.find("\n", at)
        if end < 0:
            end = len(text)
        if not is_part(text[at + len(word) : at + len(word) + 1]):
            line = text[at:end]
            if line.rstrip().endswith(("\\", "(", ",")) or any(name in line for name in names):
                return True
        at = text.find(word, end)
    return False


def _edge(part: Content) -> Content:
    return Content(first=part.first, last=part.last, size=1)


def _caught(parts: list[Content], number: int, name: str) -> bool:
    """Does an except clause in the next part catch that a name is undefined?"""
    last = parts[number].last
    if last is None or name not in last.guarded or number + 1 == len(parts):
        return False
    first = parts[number + 1].first
    return first is not None and first.kind == "except" and first.catches_names


class PythonState(SemanticState):
    """The hole after some text, as a value; see State in parser/hole.py. What concerns syntax alone is the inner state's."""

    __slots__ = ("_owed", "reading", "shared")

    def __init__(
        self,
        inner: State,
        shared: Semantics,
        reading: Reading,
        first: Self | None = None,
        written: str = "",
        owed: dict[str, Refused] | None = None,
    ) -> None:
        """first: the hole's first state; None: this one is. written: the text so far.

        owed: attributes that do not exist unless the text goes on to bring them in.
        """
        super().__init__(inner, first, written)
        self.shared = shared
        self.reading = reading
        self._owed = owed or {}

    def _read(self, inner: State, text: str) -> PythonState:
        owed, exact = self._owed, self.shared.exact
        while True:
            try:
                reading = self._after(text, owed)
                break
            except Refused as refused:
                if not exact or not _may_be_brought_in(refused) or refused.word in owed:
                    raise
                owed = {**owed, refused.word: refused}
        return PythonState(inner, self.shared.after(reading), reading, self.first, self._written + text, owed)

    def _after(self, text: str, trusted: Iterable[str] = ()) -> Reading:
        """The reading after more text; trusted: attributes that count as ones that exist."""
        reading, shared = self.reading, self.shared
        tokens, state = lex(reading.lex, text)
        block, parser, late, line = reading.block, reading.parser, reading.late, reading.line
        if tokens and parser is not None:
            before, parser = parser, parser.copy()
            parser.context = self._around(block, parser)
            if shared.attributes and isinstance(tokens[0], str) and before is self.first.reading.parser:
                self._trust_typed(parser, tokens[0])
            if trusted:
                parser.stored = parser.stored.union(trusted)
        for token in tokens:
            if isinstance(token, int):
                block = at_column(block, token, shared.dialect)
                parser = LineParser(token, shared.scope(block))
                parser.stored = frozenset(trusted)
            elif parser is not None:
                try:
                    parser.feed(token)
                except (KeyError, IndexError, AttributeError, AssertionError, TypeError, ValueError, RecursionError):
                    return Reading(block, state, None, True, late, line)
                if parser.line is not None:
                    line = parser.line
                    block = self._ended(block, parser)
                    if not late and delays_annotations(parser.line, shared.dialect):
                        late = True
                        shared = shared.after(Reading(block, state, None, False, True))
                    parser = None
        if state.pending and state.mode == "code" and parser is not None:
            if is_name(state.pending):
                self._check_pending(block, parser, state.pending)
            elif state.pending[0].isdigit():
                self._check_literal(block, parser)
        elif state.mode == "string" and shared.names and parser is not None:
            if parser.in_annotation():
                self._check_annotation(block, parser, state)
            else:
                self._check_literal(block, parser)
        behind_dot = text[text.rfind(".") + 1 :]
        if shared.attributes and parser is not None and parser.top.attr and ("\n" in behind_dot or "#" in behind_dot):
            self._check_line_end(block, parser)
        return Reading(block, state, parser, reading.broken, late, line)

    def _check_pending(self, block: Open, parser: LineParser, word: str) -> None:
        """Can a word in progress become something that may stand there?"""
        if parser.expects_feature:
            if not any(feature.startswith(word) for feature in FEATURES):
                raise Refused(f"no future feature starts with {word!r}")
        elif self.shared.names and parser.reads_name:
            scope = parser.surroundings(parser.context or self._around(block, parser))
            known = scope.has_prefix(word) or any(name.startswith(word) for name in parser.local_names())
            if not known and not parser.may_be_bound_later:
                raise Refused(word, "names")
        elif self.shared.attributes:
            self._check_word(block, parser, word)

    def _check_line_end(self, block: Open, parser: LineParser) -> None:
        """Refuse a line end between a dot and an attribute that is known to come: nobody writes one, and a model flees to it."""
        if parser.context is None:
            parser = parser.copy()
            parser.context = self._around(block, parser)
        found = parser.possible()
        if found is not None:
            raise Refused(f"an attribute of {found.owner} comes next", "attributes", "", found)

    def _check_literal(self, block: Open, parser: LineParser) -> None:
        """Refuse a number or a string in progress that is one argument too many."""
        if self.shared.attributes and parser.top.extra == "call" and not self.shared.exact:
            if parser.context is None:
                parser = parser.copy()
                parser.context = self._around(block, parser)
            parser.check_position(parser.top, "#")

    def _check_annotation(self, block: Open, parser: LineParser, state: Lex) -> None:
        """Can the name that a string annotation ends in so far become one that exists?"""
        so_far = text_of((state.text or "") + state.pending)
        word = _LAST_NAME.search(so_far)
        if word is None or not names_in_annotation(so_far):
            return
        scope = parser.context or self._around(block, parser)
        if not parser.notable(word[0], scope.later().has_prefix):
            raise Refused(word[0], "names")

    def _trust_typed(self, parser: LineParser, token: str) -> None:
        """What begins with a word that the user has typed may exist where nothing known begins like that."""
        typed = self.first.reading.lex.pending
        found = parser.possible() if is_name(typed) else None
        if found is not None and not found.has_prefix(typed):
            parser.stored |= {token}

    def _check_word(self, block: Open, parser: LineParser, word: str) -> None:
        """Can a word in progress become something that exists, where that is known?"""
        if parser.context is None:
            parser = parser.copy()
            parser.context = self._around(block, parser)
        found = parser.possible()
        if found is None or found.has_prefix(word) or (self.shared.exact and _is_of_a_class(found)):
            return
        first = self.first.reading
        typed = first.lex.pending if self.reading.parser is first.parser else ""
        if is_name(typed) and not found.has_prefix(typed):
            return
        if parser.top.kind == "bracket" and not parser.top.attr:
            context = parser.context
            assert isinstance(context, Scope)
            is_known = context.has_prefix(word) or any(name.startswith(word) for name in parser.local_names())
            if is_known and (self.shared.exact or parser.takes_position()):
                return
        raise Refused(f"{found.owner} has nothing that starts with {word!r}", "attributes", word, found)

    def _around(self, block: Open, parser: LineParser) -> Scope:
        """What surrounds the line in progress, behind its header where it has one."""
        scope = self.shared.scope(block)
        return scope if parser.header is None else scope.inside(parser.header)

    def _ended(self, block: Open, parser: LineParser) -> Open:
        """The block after a line of the text; raises Refused where it cannot stand there."""
        line = parser.line
        assert line is not None
        dialect = self.shared.dialect
        after = with_line(block, line, dialect)
        if line.header is None:
            content = simple_content(line, dialect)
            if content.errors:
                raise Refused(min(content.errors))
            for word, names in (("global", content.globals), ("nonlocal", content.nonlocals)):
                for name in names:
                    self._declared(block, name, word)
        elif after.parts is not None and block.parts is not None:
            content = after.parts[0] if line.inline else None
            if content is not None and content.errors - block.parts[0].errors:
                raise Refused(min(content.errors))
        return after

    def _declared(self, block: Open, name: str, word: str) -> None:
        at: Open | None = block
        while at is not None:
            for part in each(at.parts):
                message = too_late(name, word, part)
                if message is not None:
                    raise Refused(message)
            header = at.header
            if header is not None and header.kind in ("def", "class"):
                if name in header.params:
                    raise Refused(f"name {name!r} is parameter and {word}")
                return
            at = at.parent
        if word == "nonlocal":
            raise Refused("nonlocal declaration not allowed at module level")

    @property
    def doubtful(self) -> bool:
        """Does the text end in a word that probably exists nowhere?

        That is so where only an `=` behind it could make it: behind an `=`, and where an attribute of something other than a method's own
        object begins a statement. In brackets, the target of a `for` is doubtful that is none of the names that are read there and that
        nothing binds. And an attribute of something unknown is one that the class has which is called like it: `ledger` is mostly a `Ledger`.
        """
        reading, shared = self.reading, self.shared
        parser, word = reading.parser, reading.lex.pending
        if not shared.names or parser is None or not is_name(word):
            return False
        if awaited := parser.awaited_names():
            return not any(name.startswith(word) for name in awaited)
        if shared.attributes and self._namesake_lacks(parser, word):
            return True
        if not parser.may_be_chained and not self._begins_with_attribute(parser):
            return False
        if not parser.top.attr:
            scope = self._around(reading.block, parser)
            known = scope.has_prefix(word) or any(name.startswith(word) for name in parser.local_names())
            return parser.top.last is None and not known
        if not shared.attributes:
            return False
        parser = parser.copy()
        parser.context = self._around(reading.block, parser)
        found = parser.members(parser.top.path)
        return found is not None and not found.has_prefix(word)

    @property
    def fits(self) -> int:
        """How much more of what is known of the text's types fits than does not; see fitting.py."""
        shared = self.shared
        document, offset = shared.document, shared.offset
        begin = document.line_begin(offset)
        if not shared.attributes or not self._written.strip() or "\n" in self._written or offset - begin > _LINE_AROUND:
            return 0
        before, state = lex(START, document.text[begin:offset])
        mine, state = lex(state, self._written)
        behind, _ = lex(state, shared.rest_of_line() + "\n")
        parser = LineParser(0)
        weighing = Weighing(shared.scope(self.reading.block).surroundings)
        total = depth = 0
        for number, token in enumerate((*before, *mine, *behind)):
            if token.__class__ is int or parser.line is not None:
                continue
            is_behind = number >= len(before) + len(mine)
            if number == len(before) + len(mine):
                depth = len(parser.frames())
            try:
                found = weighing.see(parser, str(token))
                parser.feed(str(token))
            except (KeyError, IndexError, AttributeError, AssertionError, TypeError, ValueError, RecursionError):
                break
            if found is not None and number >= len(before):
                total += found
            if is_behind and (found is not None or len(parser.frames()) < depth):
                break
        return total

    def _namesake_lacks(self, parser: LineParser, word: str) -> bool:
        """Does an attribute of a variable come of which nothing is known, and which the class of its name has not?"""
        path = parser.top.path
        if not parser.top.attr or path is None or len(path) != 1 or not path[0].islower():
            return False
        parser = parser.copy()
        parser.context = self._around(self.reading.block, parser)
        if parser.members(path, rebound=False) is not None:
            return False
        found = parser.members(("".join(part.capitalize() for part in path[0].split("_")), CALL))
        return found is not None and not found.has_prefix(word)

    def _begins_with_attribute(self, parser: LineParser) -> bool:
        """Does an attribute come that begins a statement, of something other than a method's own object?"""
        path = parser.top.path
        if path is None or not parser.top.attr or not parser.begins_statement:
            return False
        return path[0] != self._around(self.reading.block, parser).surroundings.own_name(0)

    @property
    def next_words(self) -> frozenset[str] | None:
        parser = self.reading.parser
        if parser is None or parser.top.kind == "collected":
            return None
        known = self._members_next(assigned=True)
        return None if known is None else known.names

    def problem(self) -> Refused | None:
        """What is wrong with the whole file, if it ends here, that was not without the text."""
        self.shared.document.ask()
        if self.shared.attributes:
            missing = [*self._owed.values(), self._lacking(), self._wrong_call()]
            for one in missing:
                if one is not None and (not self.shared.exact or not self._brings_in(one.word)):
                    return one
        if not self.shared.exact and self.shared.changes_nothing(self.reading):
            return None
        shared = self.shared.after(self.shared.ended(self.reading))
        found, broken = shared.whole(self.reading)
        if broken and shared.lenient:
            return None
        before = shared.baseline()
        errors = shared.new_errors(found, before)
        if errors and not shared.exact and self.reading.line is self.shared.start.line:
            errors -= shared.own_header_errors()
        if errors:
            return Refused(min(errors))
        undefined = shared.newly_undefined(found, before) if found is not before else NONE
        if not shared.inner.complete:
            undefined = self._certainly_new(undefined) if undefined else undefined
            if not undefined and not shared.exact:
                undefined = self._hidden(found.undefined)
        return Refused(min(undefined), "names") if undefined else None

    def _certainly_new(self, undefined: Names) -> Names:
        """Those of the names that the text brings in, where there is no file without it: the rest of it may lack something anyway.

        While text is generated, a header that binds names has to bind those that the lines in it read. So has what comes between
        them and such a header that stands before the text.
        """
        shared = self.shared
        if not shared.exact:
            header = shared.ended(self.reading).block.header
            binds = header is not None and header.kind in _BINDS_NAMES
            return undefined if binds or shared.begins_binding_header else undefined & self._own_words()
        own = undefined & self._own_words()
        return frozenset(name for name in own if not self._is_undefined_elsewhere(name))

    def _hidden(self, undefined: Names) -> Names:
        """Those of the names that are undefined with the text, but not with the shortest text that fits.

        Such a text has put the lines behind it into a scope that does not see the names.
        """
        bridged = self._bridged() if undefined else None
        return NONE if bridged is None else undefined - bridged.undefined

    def _bridged(self) -> Verdict | None:
        """What is wrong with the file if a bridge of the grammar fills the hole; None: there is none that compiles."""
        shared = self.shared
        if shared.bridged is None:
            first = self.first
            found: list[Verdict] = []
            for text in first.inner.bridges():
                try:
                    reading = first._after(FILLER.sub(_EXISTS, text), self._owed)
                except Refused:
                    continue
                verdict = shared.after(reading).whole(reading)[0]
                if not verdict.errors:
                    found.append(verdict)
                    break
            shared.bridged = found
        return shared.bridged[0] if shared.bridged else None

    def _is_undefined_elsewhere(self, name: str) -> bool:
        """Is a name undefined in the file, too, if the text has another one in its place?"""
        try:
            reading = self.first._after(compiled(rf"(?<![\w.]){name}(?!\w)").sub(_EXISTS, self._written), self._owed)
        except Refused:
            return False
        return self.shared.after(reading).is_undefined(name, reading)

    def _own_words(self) -> Names:
        """The words of the text, with the rest of those that it has only a part of."""
        rest = _REST_OF_WORD.match(self.shared.right)
        assert rest is not None
        text = self.first.reading.lex.pending + self._written + rest[0]
        return frozenset(_WORD.findall(text if text.isascii() else unicodedata.normalize("NFKC", text)))

    def _brings_in(self, attribute: str) -> bool:
        """Does the text, with the rest of its last line, define or assign an attribute somewhere, or ask for the type of something?"""
        right, document = self.shared.right, self.shared.document
        left = document.text[document.line_begin(self.shared.offset) : self.shared.offset]
        text = left + self._written + right[: right.find("\n") + 1 or None]
        attribute = attribute.removesuffix("()")
        return (
            _ASKS_FOR_TYPE.search(text) is not None
            or re.search(_BRINGS_IN.format(re.escape(attribute)), text, re.MULTILINE) is not None
        )

    def _lacking(self) -> Refused | None:
        """What is wrong with an attribute of the text, as what stands behind the place on its line shows: the rest of its name, what reads it."""
        reading, right = self.reading, self.shared.right
        if reading is self.first.reading or reading.parser is None:
            return None
        if is_name(reading.lex.pending):
            rest = _REST_OF_WORD.match(right)
            assert rest is not None
            try:
                reading = self._after(rest[0] + " ", self._owed)
            except Refused as refused:
                return refused if refused.kind == "attributes" else None
        if reading.parser is None or not reading.parser.lacks_attribute:
            return None
        line, trusted = self.shared.rest_of_line() + "\n", dict(self._owed)
        words = self._own_words()
        while True:
            try:
                self._after(line, trusted)
                return None
            except Refused as refused:
                if refused.kind != "attributes" or not refused.word or refused.word in trusted:
                    return None
                if refused.word in words:
                    return refused
                trusted[refused.word] = refused

    def _wrong_call(self) -> Refused | None:
        """What is wrong with a call that the text has a part in and that ends behind the place."""
        reading, first = self.reading, self.first.reading
        if reading.parser is None or not self._written.strip():
            return None
        word = _REST_OF_WORD.match(self.shared.right)
        assert word is not None
        parser, before = reading.parser, first.parser
        untouched = set[int]() if before is None else {*map(id, before.frames()[:-1])}
        mine = [at for at, frame in enumerate(parser.frames()) if frame.extra == "call" and id(frame) not in untouched]
        ends_in_name = is_part(self._written[-1:]) or self._written[-1:] == "."
        is_called = ends_in_name and self.shared.right[word.end() :].lstrip(" \t")[:1] == "("
        if not mine and not is_called:
            return None
        if mine and self._goes_on(parser):
            mine = []
        calls = [*mine, len(parser.frames())] if is_called else mine
        refused = self._refused_behind(reading, calls)
        if refused is None or refused.mend:
            return refused
        # What is too much without the text, too, is not held against it.
        known = (
            None if before is None else self._refused_behind(first, [at for at in calls if at < len(before.frames())])
        )
        return refused if self.shared.exact or known is None or known.mend else None

    def _goes_on(self, parser: LineParser) -> bool:
        """Does the text end in a comma, in a line of a call's own arguments, so that the next lines will have more?"""
        left = self.shared.document.text[: self.shared.offset]
        frame, begin = parser.top, max(left.rfind("\n"), left.rfind("\r")) + 1
        ends = frame.extra == "call" and frame.last is None and not frame.mixed and bool(frame.args[1])
        return ends and not self.shared.exact and self.shared.document.line_begin(len(left)) < begin

    def _refused_behind(self, reading: Reading, calls: list[int]) -> Refused | None:
        """What is wrong with calls that are open, or begin at once, by where they stand among what is open, as what follows shows."""
        if not calls or reading.parser is None:
            return None
        parser = reading.parser.copy()
        parser.context = None
        scope = self._around(reading.block, parser)
        is_in = False  # in one of them
        for token in lex(reading.lex, self.shared.rest_of_line() + "\n")[0]:
            frames = parser.frames()
            is_in = is_in or len(frames) > min(calls)
            if token == ")" and len(frames) - 1 in calls:
                refused = parser.call_problem(scope)
                if refused is not None and refused.word not in self._owed:
                    return refused
            if (is_in and len(frames) <= min(calls)) or token.__class__ is int or parser.line is not None:
                return None
            try:
                parser.feed(str(token))
            except (KeyError, IndexError, AttributeError, AssertionError, TypeError, ValueError, RecursionError):
                return None
        return None

    def undefined(self) -> Names:
        """Names that are undefined in the whole file, if it ends here, and were not before."""
        found = self.shared.whole(self.reading)[0]
        return self.shared.newly_undefined(found, self.shared.baseline()) if self.shared.names else NONE

    def names(self) -> tuple[str, ...] | None:
        found = [name for names, _ in self.shared.scope(self.reading.block).sets() for name in sorted(names) if name]
        local = sorted(self.reading.parser.local_names()) if self.reading.parser is not None else []
        return tuple(dict.fromkeys([*local, *found])) if self.shared.names else None

    def attributes(self) -> tuple[str, ...] | None:
        known = self._members_next()
        return None if known is None else known.shown()

    def possible(self, text: str) -> tuple[str, ...]:
        """What exists instead of the attribute, keyword or import that a text is refused for."""
        refused = self.problem() if not text else self.why_refused(text)
        return refused.known.shown() if refused is not None and refused.known is not None else ()

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        """Short texts that make it complete; see State.

        They are bridges of the grammar, in words that compile and with names that exist. Where no short one will do, one that
        ends the statement first; and where a name is being typed that exists nowhere, one that goes on to a name that does.
        """
        found = [one for text in self.inner.bridges(stop) if (one := self._mended(text, stop)) is not None]
        if not found and self.shared.attributes:
            longer = ((text, self._with_arguments(text)) for text in self.inner.bridges(stop))
            mended = (self._mended(after, stop) for text, after in longer if after != text)
            found = [*islice((one for one in mended if one is not None), 1)]
        if not found:
            mended = (self._mended(text, stop) for text in self._longer(stop))
            found = [*islice((one for one in mended if one is not None), 1)]
        return tuple(found or self._with_loop(stop) or self._after_the_word(stop))

    def _with_loop(self, stop: Callable[[], bool]) -> list[str]:
        """A bridge with a `for` in brackets that binds what the left context reads there.

        What the text itself reads there needs none: it is better written otherwise.
        """
        missing = sorted(self._open_names(self.reading))
        if not missing or not self._open_names(self.shared.start).issuperset(missing):
            return []
        for text in self.inner.bridges(stop):
            for one in with_loop(text, missing, self._fillers()[-1]):
                after = self.advance(one)
                if after is not None and after.complete:
                    return [one]
        return []

    def _open_names(self, reading: Reading) -> Names:
        """Names that a statement reads after some text, and that nothing binds unless a `for` in its brackets does."""
        if reading.parser is None or not self.shared.names:
            return NONE
        parser = reading.parser.copy()
        parser.context = self._around(reading.block, parser)
        return parser.open_names()

    def _longer(self, stop: Callable[[], bool]) -> Iterator[str]:
        """Bridges that end the statement first."""
        context = self._context
        found = islice(context.bridging.fallback_bridges(self._left, context.right), _LONGER)
        while True:
            try:
                with context.engine.stopping(stop):  # not while the caller looks at what was found
                    text = next(found, None)
            except Cancelled:
                return
            if text is None:
                return
            yield text

    def _after_the_word(self, stop: Callable[[], bool]) -> list[str]:
        word, scope = self.reading.lex.pending, self.shared.scope(self.reading.block)
        if not self.shared.names or not is_name(word):
            return []
        known = [
            *(name for names, _ in scope.sets() for name in sorted(names)),
            *sorted(builtin_names(self.shared.dialect.version)),
        ]
        longer = [name[len(word) :] for name in dict.fromkeys(known) if name.startswith(word) and name != word]
        for rest in (*longer[:_FILLERS], "=None"):
            after = self.advance(rest)
            found = () if after is None or stop() else after.bridges(stop)
            if found:
                return [rest + text for text in found]
        return []

    def _with_arguments(self, text: str) -> str:
        """A bridge with what the calls lack that end in it, or behind it."""
        end = 0
        while end >= 0:
            end = text.find(")", end)
            said = text if end < 0 else text[:end]
            after = self.advance(said)
            if after is None:
                return text
            refused = after._wrong_call() if end < 0 else after._closing_problem()
            mend = after._joint() + refused.mend if refused is not None and refused.mend else ""
            text = said + mend + text[len(said) :]
            end += len(mend) + 1 if end >= 0 else 0
        return text

    def _closing_problem(self) -> Refused | None:
        """What is wrong with the call around if its bracket is closed here."""
        if self.reading.parser is None:
            return None
        parser = self.reading.parser.copy()
        parser.context = None
        for token in lex(self.reading.lex, " ")[0]:
            parser.feed(str(token))
        return parser.call_problem(self._around(self.reading.block, parser), rebound=False)

    def _joint(self) -> str:
        """What stands between a call's arguments so far and the next one."""
        assert self.reading.parser is not None
        top = self.reading.parser.top
        return "" if top.last is None and not top.mixed and not self.reading.lex.pending.strip() else ", "

    def _mended(self, text: str, stop: Callable[[], bool]) -> str | None:
        """A bridge in other words, where those in it do not compile or do not exist; None where none are found."""
        names = self._fillers()
        for template in templates(text, is_part(self.shared.right[:1])):
            for one in with_names(template, names):
                after = self.advance(one)
                if after is None or not after.inner.complete:
                    continue
                if after.complete:
                    return one
                missing = after.undefined()
                bound = with_bindings(template, sorted(missing), names[-1]) if missing else None
                after = None if bound is None else self.advance(bound)
                if after is not None and after.complete:
                    return bound
                if missing or stop():
                    break  # another name for the fillers binds nothing either
        return None

    def _members_next(self, *, assigned: bool = False) -> Members | None:
        """What is known to be there where an attribute's name, or that of an import, comes next.

        assigned: also where a new attribute may be assigned, which is doubtful.
        """
        reading, shared = self.reading, self.shared
        if not shared.attributes or reading.parser is None or is_name(reading.lex.pending):
            return None
        parser = reading.parser.copy()
        parser.context = self._around(reading.block, parser)
        try:
            for token in lex(reading.lex, " ")[0]:  # a dot that might have become an ellipsis
                parser.feed(str(token))
        except (Refused, KeyError, IndexError, AttributeError, AssertionError, TypeError, ValueError, RecursionError):
            return None
        if parser.top.kind == "collected":
            return parser.possible()
        known = not parser.top.tg or (assigned and (parser.may_be_chained or self._begins_with_attribute(parser)))
        return parser.members(parser.top.path) if parser.top.attr and known else None

    def _fillers(self) -> list[str]:
        """Names that exist, for where any would do."""
        if not self.shared.names:
            return ["x", "None", "str"]
        known = self._members_next()
        if known is not None:
            plain = sorted(name for name in known.names if not name.startswith("_"))
            return plain[:_FILLERS] or sorted(known.names)[:_FILLERS]
        scope = self.shared.scope(self.reading.block)
        names = [name for names, _ in scope.sets() for name in sorted(names) if not name.startswith("_")]
        return [*dict.fromkeys(names[:_FILLERS]), "None", "str"]
