"""A hole whose texts must compile and add no undefined name.

`PythonState` is a state of the hole (parser/hole.py) with a reading of the text beside it, behind the same protocol. `advance` refuses an
error as soon as nothing can mend it any more, at its token. `complete` joins the left context, the text and the right context, and checks
whether the compiler accepts the file and whether any name becomes undefined: contents of closed blocks are joined up to the file, where they
are only looked up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from .....common.constraint import never
from .....common.line_ends import line_start
from .....common.words import compiled, is_name, is_part, rest_of_word
from ....engine_runtime import SemanticRequest
from ....glr.effort import Cancelled
from ....hole import Hole, State
from ....scoping.verdicts import Refused
from . import queries
from .bridge_templates import FILLER, templates, with_bindings, with_loop, with_names
from .builtin_names import builtin_names
from .call_arguments import begins_argument
from .contents import Names, kind_of
from .document import Document
from .file_verdicts import Verdict
from .hole_facts import HoleFacts
from .line_parser import LineParser
from .modules import Modules
from .own_lines import OwnLines
from .place import BINDS_NAMES, WORD, Place
from .reading import Reading
from .sets import NONE
from .text_state import TextState
from .tokens import lex

_FILLERS = 4  # names to try where any name would do
_LONGER = 12  # bridges that end the statement first, at most
_BRINGS_IN = r"\b(?:def|class|import|as)\s+{0}\b|(?:\.|^[ \t]*){0}\s*(?:=(?!=)|:)"
"""Matches a definition or an assignment of an attribute, or a called path."""
_ASKS_FOR_TYPE = re.compile(r"\b(?:isinstance|issubclass|hasattr|callable|type)\s*\(")
_EXISTS = "int"
"""A name present in every file."""


class DocumentSemantics:
    """The memory of the static semantics for one document; see SemanticLayer in engine_runtime.py."""

    def __init__(self, version: tuple[int, int]) -> None:
        self._version = version
        self._document: Document | None = None  # its kind is known at the first question

    def refine(self, hole: Hole, asked: SemanticRequest) -> Hole:
        if not isinstance(hole.state, State) or not hole.viable:
            return hole  # in a file broken elsewhere nothing is known
        document = self._document
        if document is None:
            document = self._document = Document(self._version, kind_of(asked.path))
        document.ask = hole.state.context.engine.ask
        document.change(asked.text)
        modules = asked.imports if isinstance(asked.imports, Modules) and asked.level == "names" else None
        shared = Place(
            document, hole.state, asked.text, asked.offset, asked.level,
            exact=asked.exact, modules=modules, allowed=asked.allowed,
        ).after(None)  # fmt: skip
        state = PythonState(hole.state, shared, shared.start)
        if asked.exact and shared.judge.is_broken(shared.start.block):
            return Hole(state, "compile")
        return Hole(state, "none")


class PythonState(TextState):
    """The hole after some text, as a value; see State in parser/hole.py. The inner state answers for syntax."""

    __slots__ = ()

    def problem(self) -> Refused | None:
        """The errors of the whole file, if the text ends here, that are due to the text."""
        self.shared.document.ask()
        if self.shared.attributes:
            missing = [*self._owed.values(), self._lacking(), self._wrong_call()]
            for refused in missing:
                if refused is not None and (not self.shared.exact or not self._brings_in(refused.word)):
                    return refused
        if not self.shared.exact and self.shared.changes_nothing(self.reading):
            return None
        shared = self.shared.after(self.shared.end_of_line(self.reading)[0])
        verdict, broken = shared.whole(self.reading)
        if broken and shared.lenient:
            return None
        before = shared.baseline()
        errors = shared.new_errors(verdict, before)
        if errors and not shared.exact and self.reading.line is self.shared.start.line:
            errors -= shared.own_header_errors()
        if errors:
            return Refused(min(errors))
        undefined = shared.judge.newly_undefined(verdict, before) if verdict is not before else NONE
        if not shared.inner.complete:
            undefined = self._certainly_new(undefined) if undefined else undefined
            if not undefined and not shared.exact:
                undefined = self._hidden(verdict.undefined)
        if not undefined and verdict is not before:
            undefined = self._undefined_by_own_lines(verdict)
        if not undefined and not shared.exact:
            early = shared.read_too_early(self.reading)
            undefined = verdict.undefined & (shared.owed[0] | (early & self._own_words() if early else NONE))
        return Refused(min(undefined), "names") if undefined else None

    def _undefined_by_own_lines(self, verdict: Verdict) -> Names:
        """The names undefined because the text, or a line that it completes, reads them before binding them."""
        names = verdict.undefined & self._own_words() if verdict.undefined else NONE
        if not names:
            return NONE
        lines = OwnLines(self.shared.after(self.reading), self.reading, self._written)
        if unbound := lines.read_and_bind(names):
            return unbound
        return frozenset(name for name in lines.alone_read(names) if not self._is_undefined_elsewhere(name))

    def _certainly_new(self, undefined: Names) -> Names:
        """The undefined names certainly due to the text if the file without it is invalid: the rest may lack something anyway.

        While text is generated, a header that binds names has to bind those read in its block. So has the code between that block and such a
        header before the text.
        """
        shared = self.shared
        if not shared.exact:
            header = shared.end_of_line(self.reading)[0].block.header
            binds = header is not None and header.kind in BINDS_NAMES
            return undefined if binds or shared.begins_binding_header else undefined & self._own_words()
        own = undefined & self._own_words()
        return frozenset(name for name in own if not self._is_undefined_elsewhere(name))

    def _hidden(self, undefined: Names) -> Names:
        """The given names undefined with the text, but not with the shortest text that fits.

        Such a text has moved the lines behind it into a scope without the names.
        """
        bridged = self._bridged() if undefined else None
        return NONE if bridged is None else undefined - bridged.undefined

    def _bridged(self) -> Verdict | None:
        """The errors of the file if a bridge of the grammar fills the hole; None: no bridge compiles."""
        shared = self.shared
        if shared.bridged is None:
            first = self.first
            compiling: list[Verdict] = []
            for text in first.inner.bridges():
                try:
                    reading = first._after(FILLER.sub(_EXISTS, text), self._owed)
                except Refused:
                    continue
                verdict = shared.after(reading).whole(reading)[0]
                if not verdict.errors:
                    compiling.append(verdict)
                    break
            shared.bridged = compiling
        return shared.bridged[0] if shared.bridged else None

    def _is_undefined_elsewhere(self, name: str) -> bool:
        """Whether a name is undefined in the file even if the text has another one in its place."""
        try:
            reading = self.first._after(compiled(rf"(?<![\w.]){name}(?!\w)").sub(_EXISTS, self._written), self._owed)
        except Refused:
            return False
        return self.shared.after(reading).is_undefined(name, reading)

    def _own_words(self) -> Names:
        """The words of the text; the right context completes a partial one."""
        text = self.first.reading.lex.pending + self._written + rest_of_word(self.shared.right)
        return frozenset(WORD.findall(text if text.isascii() else unicodedata.normalize("NFKC", text)))

    def _brings_in(self, attribute: str) -> bool:
        """Whether the text, with the rest of its last line, defines or assigns an attribute, or checks the type of something."""
        right, document = self.shared.right, self.shared.document
        left = document.text[document.line_begin(self.shared.offset) : self.shared.offset]
        text = left + self._written + right[: right.find("\n") + 1 or None]
        attribute = attribute.removesuffix("()")
        return (
            _ASKS_FOR_TYPE.search(text) is not None
            or re.search(_BRINGS_IN.format(re.escape(attribute)), text, re.MULTILINE) is not None
        )

    def _lacking(self) -> Refused | None:
        """The error of an attribute of the text, shown by the rest of its line."""
        reading, right = self.reading, self.shared.right
        if reading is self.first.reading or reading.parser is None:
            return None
        if is_name(reading.lex.pending):
            try:
                reading = self._after(rest_of_word(right) + " ", self._owed)
            except Refused as refused:
                return refused if refused.kind == "attributes" else None
        if reading.parser is None or not queries.lacks_attribute(reading.parser):
            return None
        line, trusted = self.shared.rest_of_line() + "\n", set(self._owed)
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
                trusted.add(refused.word)

    def _wrong_call(self) -> Refused | None:
        """The error of a call that is partly the text's and ends behind the place."""
        reading, first = self.reading, self.first.reading
        if reading.parser is None or not self._written.strip():
            return None
        behind_word = self.shared.right.removeprefix(rest_of_word(self.shared.right))
        parser, before = reading.parser, first.parser
        brackets = parser.brackets()
        written = range(queries.first_written(before, parser), len(brackets))
        mine = [depth for depth in written if brackets[depth].kind == "call"]
        ends_in_name = is_part(self._written[-1:]) or self._written[-1:] == "."
        is_called = ends_in_name and behind_word.lstrip(" \t")[:1] == "("
        if not mine and not is_called:
            return None
        if mine and self._goes_on(parser):
            mine = []
        calls = [*mine, len(brackets)] if is_called else mine
        refused = self._refused_behind(reading, calls)
        if refused is None or refused.mend:
            return refused
        # Arguments superfluous even without the text are not its fault.
        open_before = [] if before is None else [depth for depth in calls if depth < before.depth()]
        earlier = self._refused_behind(first, open_before)
        return refused if self.shared.exact or earlier is None or earlier.mend else None

    def _goes_on(self, parser: LineParser) -> bool:
        """Whether the text ends in a comma on a line of a call's own arguments, so that more will follow on the next lines."""
        left = self.shared.document.text[: self.shared.offset]
        call, begin = parser.call, line_start(left)
        ends = call is not None and parser.cell[2] == "," and begins_argument(parser.roles, call, parser.cell)
        return ends and not self.shared.exact and self.shared.document.line_begin(len(left)) < begin

    def _refused_behind(self, reading: Reading, calls: list[int]) -> Refused | None:
        """The error of a call that is open or begins at once, shown by the text behind; calls: their positions among the open brackets."""
        if not calls or reading.parser is None:
            return None
        parser = reading.parser.in_context(None)
        scope = self._around(reading.block, parser)
        is_in = False  # within one of the calls
        for token in lex(reading.lex, self.shared.rest_of_line() + "\n")[0]:
            depth, call = parser.depth(), parser.call
            is_in = is_in or depth > min(calls)
            if token == ")" and call is not None and depth - 1 in calls:
                refused = queries.problem_of_call(parser, call, scope)
                if refused is not None and refused.word not in self._owed:
                    return refused
            if (is_in and depth <= min(calls)) or token.__class__ is int or parser.line is not None:
                return None
            try:
                parser.feed(str(token))
            except Refused:
                return None
        return None

    @property
    def facts(self) -> HoleFacts:
        def after(text: str) -> Reading | None:
            state = self.advance(text)
            return state.reading if state is not None and state.inner.complete else None

        return HoleFacts(self.shared, self.reading, self.shared.scope(self.reading.block), after)

    def undefined(self) -> Names:
        """The names undefined in the whole file, if the text ends here, and defined before."""
        verdict = self.shared.whole(self.reading)[0]
        return self.shared.judge.newly_undefined(verdict, self.shared.baseline()) if self.shared.names else NONE

    def possible(self, text: str) -> tuple[str, ...]:
        """The existing names that could replace a text's refused attribute, keyword or import."""
        refused = self.problem() if not text else self.why_refused(text)
        return refused.known.shown() if refused is not None and refused.known is not None else ()

    def bridges(self, stop: Callable[[], bool] = never) -> Sequence[str]:
        """Short texts that make the hole complete; see State.

        They are bridges of the grammar, reworded to compile and to use existing names. If no short one will do, one that ends the statement
        first; and behind the beginning of an unknown name, one that completes it to an existing name.
        """
        plain, lines = self.inner.bridges(stop), Lines(self)
        bridges = [bridge for text in plain if (bridge := self._mended(text, stop, lines)) is not None]
        if not bridges and self.shared.attributes:
            longer = ((text, self._with_arguments(text)) for text in plain)
            mended = (self._mended(after, stop, lines) for text, after in longer if after != text)
            bridges = [*islice((bridge for bridge in mended if bridge is not None), 1)]
        if not bridges:
            mended = (self._mended(text, stop, lines) for text in self._longer(stop))
            bridges = [*islice((bridge for bridge in mended if bridge is not None), 1)]
        return tuple(bridges or self._with_loop(plain) or self._after_the_word(stop))

    def _with_loop(self, plain: Sequence[str]) -> list[str]:
        """A bridge with a `for` in brackets that binds the names read there by the left context.

        The text's own reads there need none: other texts are better.
        """
        missing = sorted(self._open_names(self.reading))
        if not missing or not self._open_names(self.shared.start).issuperset(missing):
            return []
        for text in plain:
            for bridge in with_loop(text, missing, self.fillers()[-1]):
                after = self.advance(bridge)
                if after is not None and after.complete:
                    return [bridge]
        return []

    def _open_names(self, reading: Reading) -> Names:
        """The names that a statement reads after some text, bound at most by a `for` in its brackets."""
        if reading.parser is None or not self.shared.names:
            return NONE
        owed = self.shared.owed[0]
        owed = owed - reading.parser.local_names() if owed else owed
        return queries.open_names(self._placed(reading.block, reading.parser)) | owed

    def _longer(self, stop: Callable[[], bool]) -> Iterator[str]:
        """Bridges that end the statement first."""
        context = self._context
        longer = islice(context.bridging.fallback_bridges(self._left, context.right), _LONGER)
        while True:
            try:
                with context.engine.stopping(stop):  # not while the caller looks at the result
                    text = next(longer, None)
            except Cancelled:
                return
            if text is None:
                return
            yield text

    def _after_the_word(self, stop: Callable[[], bool]) -> list[str]:
        word, scope = self.reading.lex.pending, self.shared.scope(self.reading.block)
        if not self.shared.names or not is_name(word):
            return []
        candidates = [
            *(name for names, _ in scope.sets() for name in sorted(names)),
            *sorted(builtin_names(self.shared.dialect.version)),
        ]
        longer = [name[len(word) :] for name in dict.fromkeys(candidates) if name.startswith(word) and name != word]
        for rest in (*longer[:_FILLERS], "=None"):
            after = self.advance(rest)
            endings = () if after is None or stop() else after.bridges(stop)
            if endings:
                return [rest + text for text in endings]
        return []

    def _with_arguments(self, text: str) -> str:
        """A bridge with the missing arguments of calls that end in it, or behind it."""
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
        """The error of the innermost call if its bracket is closed here."""
        if self.reading.parser is None:
            return None
        parser = self.reading.parser.in_context(None)
        for token in lex(self.reading.lex, " ")[0]:
            parser.feed(str(token))
        if parser.call is None:
            return None
        return queries.problem_of_call(parser, parser.call, self._around(self.reading.block, parser), rebound=False)

    def _joint(self) -> str:
        """The text between a call's arguments so far and the next one."""
        assert self.reading.parser is not None
        begins = queries.begins_element(self.reading.parser)
        return "" if begins and not self.reading.lex.pending.strip() else ", "

    def _mended(self, text: str, stop: Callable[[], bool], lines: Lines) -> str | None:
        """A bridge reworded if it does not compile or its names do not exist; None if no rewording helps."""
        names = lines.fillers
        for template in templates(text, is_part(self.shared.right[:1])):
            for bridge in with_names(template, names):
                after = lines.after(bridge)
                if after is None or not after.inner.complete:
                    continue
                if after.complete:
                    return bridge
                missing = after.undefined()
                bound = with_bindings(template, sorted(missing), names[-1]) if missing else None
                after = None if bound is None else lines.after(bound)
                if after is not None and after.complete:
                    return bound
                if missing or stop():
                    break  # no other filler binds anything either
        return None

    def fillers(self) -> list[str]:
        """Existing names, for places where any name would do."""
        if not self.shared.names:
            return ["x", "None", "str"]
        members = self._members_next()
        if members is not None:
            plain = sorted(name for name in members.names if not name.startswith("_"))
            return plain[:_FILLERS] or sorted(members.names)[:_FILLERS]
        scope = self.shared.scope(self.reading.block)
        names = [name for names, _ in scope.sets() for name in sorted(names) if not name.startswith("_")]
        return [*dict.fromkeys(names[:_FILLERS]), "None", "str"]


class Lines:
    """The results of bridges tried behind a state; many end its line in the same way."""

    def __init__(self, state: PythonState) -> None:
        self._state = state
        self._known: dict[str, PythonState | None] = {}

    @cached_property
    def fillers(self) -> list[str]:
        """Existing names, for places where any name would do."""
        return self._state.fillers()

    def after(self, text: str) -> PythonState | None:
        """The state after a text; None if the text is refused."""
        end = text.find("\n") + 1
        if not end:
            return self._state.advance(text)
        line = text[:end]
        if line not in self._known:
            self._known[line] = self._state.advance(line)
        ended = self._known[line]
        return ended if ended is None or end == len(text) else ended.advance(text[end:])
