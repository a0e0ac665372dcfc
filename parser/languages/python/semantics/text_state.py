"""The text of a hole in Python, read so far: a word is refused as soon as nothing can mend it any more."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Self

from .....common.words import OPERAND_AT_END, is_name
from ....hole import State
from ....scoping.state import SemanticState
from ....scoping.verdicts import Known, Refused
from . import queries
from .allowed_names import Members
from .blocks import Open, at_column, with_line
from .call_arguments import takes_position
from .contents import LATE_GLOBAL, Dialect, too_late
from .import_statements import FEATURES
from .line_parser import LineParser
from .line_values import linked
from .lines import delays_annotations
from .members_around import members_next, members_of
from .messages import NONLOCAL_IN_MODULE, parameter_and
from .names import Scope
from .place import LINE_AROUND, Place
from .reading import Reading, behind_point
from .scopes import simple_content
from .string_annotations import names_in_annotation, text_of
from .tokens import START, Lex, lex
from .type_paths import CALL
from .weighing import Weighing


class TextState(SemanticState):
    """The hole after some text, as a value; see State in parser/hole.py. The inner state answers for syntax."""

    __slots__ = ("_owed", "reading", "shared")

    def __init__(
        self,
        inner: State,
        shared: Place,
        reading: Reading,
        first: Self | None = None,
        written: str = "",
        owed: dict[str, Refused] | None = None,
    ) -> None:
        """first: the hole's first state; None: this one. written: the text so far.

        owed: the attributes that are missing unless the rest of the text adds them.
        """
        super().__init__(inner, first, written)
        self.shared = shared
        self.reading = reading
        self._owed = owed or {}

    def _read(self, inner: State, text: str) -> Self:
        owed, exact = self._owed, self.shared.exact
        while True:
            try:
                reading = self._after(text, owed)
                break
            except Refused as refused:
                if not exact or not _may_be_brought_in(refused) or refused.word in owed:
                    raise
                owed = {**owed, refused.word: refused.anew()}
        return type(self)(inner, self.shared.after(reading), reading, self.first, self._written + text, owed)

    def _after(self, text: str, trusted: Collection[str] = ()) -> Reading:
        """The reading after more text; trusted: the attributes assumed to exist."""
        reading, shared = self.reading, self.shared
        tokens, state = lex(reading.lex, text)
        block, parser, late, line = reading.block, reading.parser, reading.late, reading.line
        if tokens and parser is not None:
            is_first = parser is self.first.reading.parser
            behind = behind_point(reading) if is_first and tokens[0] == "." else None
            if behind is not None:
                parser, tokens = self._behind_point(block, parser, behind), tokens[1:]
            else:
                parser = self._placed(block, parser)
            if shared.attributes and is_first and tokens and isinstance(tokens[0], str):
                parser = self._trusting_typed(parser, tokens[0])
            if trusted:
                parser = parser.trusting(trusted)
        for token in tokens:
            if isinstance(token, int):
                block = at_column(block, token, shared.dialect)
                parser = LineParser(token, shared.scope(block), in_match=block.is_match).trusting(trusted)
            elif parser is not None:
                parser.feed(token)
                if parser.line is not None:
                    line = parser.line
                    block = self._ended(block, parser, shared.dialect)
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
            if parser.in_annotation:
                self._check_annotation(block, parser, state)
            else:
                self._check_literal(block, parser)
        behind_dot = text[text.rfind(".") + 1 :]
        if shared.attributes and parser is not None and parser.behind_dot and ("\n" in behind_dot or "#" in behind_dot):
            self._check_line_end(block, parser)
        return Reading(block, state, parser, reading.broken, late, line)

    def _check_pending(self, block: Open, parser: LineParser, word: str) -> None:
        """Refuse a word in progress that nothing can complete to a valid one."""
        if queries.expects_feature(parser):
            if not any(feature.startswith(word) for feature in FEATURES):
                raise Refused(f"no future feature starts with {word!r}")
        elif self.shared.names and queries.reads_name(parser):
            scope = parser.surroundings(parser.context or self._around(block, parser))
            possible = scope.has_prefix(word) or any(name.startswith(word) for name in self._other_names(parser))
            if not possible and not parser.may_be_bound_later:
                raise Refused(word, "names")
        elif self.shared.attributes:
            self._check_word(block, parser, word)

    def _other_names(self, parser: LineParser) -> Iterator[str]:
        """The names that a text may read though nothing binds them before the line."""
        yield from parser.local_names()
        if queries.begins_condition(parser):
            yield from self.shared.owed[1]

    def _check_line_end(self, block: Open, parser: LineParser) -> None:
        """Refuse a line end between a dot and the attribute that must follow: nobody writes this; models fall back on it when stuck."""
        if parser.context is None:
            parser = self._placed(block, parser)
        owner = queries.possible(parser)
        if owner is not None:
            raise Refused(f"an attribute of {owner.owner} comes next", "attributes", "", owner)

    def _check_literal(self, block: Open, parser: LineParser) -> None:
        """Refuse a number or a string in progress that is a superfluous argument."""
        call = parser.call if self.shared.attributes and not self.shared.exact else None
        if call is not None and call.phase == "element":
            if parser.context is None:
                parser = self._placed(block, parser)
            refused = queries.position_problem(parser, call)
            if refused is not None:
                raise refused

    def _check_annotation(self, block: Open, parser: LineParser, state: Lex) -> None:
        """Refuse a string annotation whose last name, so far, begins no existing name."""
        so_far = text_of((state.text or "") + state.pending)
        word = OPERAND_AT_END.search(so_far)
        if word is None or not names_in_annotation(so_far):
            return
        scope = parser.context or self._around(block, parser)
        if not queries.notable(parser, word[0], scope.later().has_prefix):
            raise Refused(word[0], "names")

    def _behind_point(self, block: Open, parser: LineParser, behind: LineParser) -> LineParser:
        """The parser behind a point before the cursor, placed; a text has to bind the name before it only if nothing else may."""
        path, placed = parser.path, self._placed(block, behind)
        name = path[0] if path is not None and len(path) == 1 else ""
        if name in self.shared.owed[0] and queries.may_become_comprehension(parser):
            return placed if self._around(block, placed).is_bound(name) else placed.owing(name)
        return placed

    def _trusting_typed(self, parser: LineParser, token: str) -> LineParser:
        """The parser, trusting a name that begins with the user's typed word if nothing known begins like that."""
        typed = self.first.reading.lex.pending
        owner = queries.possible(parser) if is_name(typed) else None
        return parser.trusting((token,)) if owner is not None and not owner.is_begun(typed) else parser

    def _check_word(self, block: Open, parser: LineParser, word: str) -> None:
        """Refuse a word in progress that begins no existing name, if the names are known."""
        if parser.context is None:
            parser = self._placed(block, parser)
        owner = queries.possible(parser)
        if owner is None or owner.has_prefix(word) or (self.shared.exact and _is_of_a_class(owner)):
            return
        first = self.first.reading
        typed = first.lex.pending if self.reading.parser is first.parser else ""
        if is_name(typed) and not owner.is_begun(typed):
            return
        call = None if parser.behind_dot else parser.call
        if call is not None:
            context = parser.context
            assert isinstance(context, Scope)
            is_known = context.has_prefix(word) or any(name.startswith(word) for name in parser.local_names())
            if is_known and (self.shared.exact or takes_position(parser.setting, parser.way, call)):
                return
        raise Refused(f"{owner.owner} has nothing that starts with {word!r}", "attributes", word, owner)

    def _around(self, block: Open, parser: LineParser) -> Scope:
        """The surroundings of the line in progress, behind its header if it has one."""
        scope = self.shared.scope(block)
        return scope if parser.header is None else scope.inside(parser.header)

    def _placed(self, block: Open, parser: LineParser) -> LineParser:
        """A copy of a line's parser that refuses by its surroundings."""
        return parser.in_context(self._around(block, parser))

    def _ended(self, block: Open, parser: LineParser, dialect: Dialect) -> Open:
        """The block after a line of the text; raises Refused if the line is misplaced."""
        line = parser.line
        assert line is not None
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
        in_comprehension = False
        for around in block.outward():
            for part in linked(around.parts):
                message = too_late(name, word, part)
                if message is not None:
                    raise Refused(message)
                in_comprehension |= name in part.walruses
            header = around.header
            if header is not None and header.kind in ("def", "class"):
                if name in header.params:
                    raise Refused(parameter_and(name, word))
                if in_comprehension:
                    raise Refused(LATE_GLOBAL)
                return
        if word == "nonlocal":
            raise Refused(NONLOCAL_IN_MODULE)

    @property
    def doubtful(self) -> bool:
        """Whether the text ends in a word that probably exists nowhere.

        A word is doubtful if only an `=` behind it could define it: behind an `=`, or as the attribute, of anything but a method's own
        object, at the beginning of a statement. So is the target of a `for` in brackets other than the unbound names read there. So is an
        attribute unknown to a type checker, and one of an unknown variable that the class of the same name lacks: `ledger` is mostly a
        `Ledger`.
        """
        reading, shared = self.reading, self.shared
        parser, word = reading.parser, reading.lex.pending
        if not shared.names or parser is None or not is_name(word):
            return False
        if awaited := queries.awaited_names(parser):
            return not any(name.startswith(word) for name in awaited)
        if shared.attributes and (self._is_unheard_of(parser, word) or self._namesake_lacks(parser, word)):
            return True
        if not queries.may_be_chained(parser) and not self._begins_with_attribute(parser):
            return False
        if not parser.behind_dot:
            scope = self._around(reading.block, parser)
            begins_name = scope.has_prefix(word) or any(name.startswith(word) for name in parser.local_names())
            return parser.operand is None and not begins_name
        if not shared.attributes:
            return False
        parser = self._placed(reading.block, parser)
        owner = members_next(parser.setting, parser.way)
        return owner is not None and not owner.is_begun(word)

    @property
    def fits(self) -> int:
        """The number of known types in the text that fit, minus those that do not; see fitting.py."""
        shared = self.shared
        document, offset = shared.document, shared.offset
        begin = document.line_begin(offset)
        if not shared.attributes or not self._written.strip() or "\n" in self._written or offset - begin > LINE_AROUND:
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
                depth = parser.depth()
            try:
                weight = weighing.see(parser, str(token))
                parser.feed(str(token))
            except Refused:
                break
            if weight is not None and number >= len(before):
                total += weight
            if is_behind and (weight is not None or parser.depth() < depth):
                break
        return total

    def _is_unheard_of(self, parser: LineParser, word: str) -> bool:
        """Whether a type checker knows no attribute with this beginning, though it may have to be asked about the whole name."""
        allowed = parser.setting.allowed
        if allowed is None or not parser.behind_dot or parser.holder:
            return False
        parser = self._placed(self.reading.block, parser)
        owner = members_next(parser.setting, parser.way, rebound=False)
        if owner is None or owner.is_begun(word):
            return False
        allowed.foresee(word)
        return True

    def _namesake_lacks(self, parser: LineParser, word: str) -> bool:
        """Whether the next attribute belongs to an unknown variable, and the class with the variable's name lacks it."""
        path = parser.path if parser.behind_dot else None
        if path is None or len(path) != 1 or not path[0].islower():
            return False
        parser = self._placed(self.reading.block, parser)
        setting, way = parser.setting, parser.way
        if members_next(setting, way, rebound=False) is not None:
            return False
        members = members_of(setting, way, ("".join(part.capitalize() for part in path[0].split("_")), CALL))
        return members is not None and not members.has_prefix(word)

    def _begins_with_attribute(self, parser: LineParser) -> bool:
        """Whether the next attribute begins a statement and belongs to something other than a method's own object."""
        path = parser.path if parser.behind_dot else None
        if path is None or not queries.begins_statement(parser):
            return False
        return path[0] != self._around(self.reading.block, parser).surroundings.own_name(0)

    @property
    def next_words(self) -> frozenset[str] | None:
        parser = self.reading.parser
        if parser is None or queries.in_import(parser):
            return None
        members = self._members_next(assigned=True)
        return None if members is None else members.names

    def names(self) -> tuple[str, ...] | None:
        visible = [name for names, _ in self.shared.scope(self.reading.block).sets() for name in sorted(names) if name]
        local = sorted(self.reading.parser.local_names()) if self.reading.parser is not None else []
        return tuple(dict.fromkeys([*local, *visible])) if self.shared.names else None

    def attributes(self) -> tuple[str, ...] | None:
        members = self._members_next()
        return None if members is None else members.shown()

    def _members_next(self, *, assigned: bool = False) -> Members | None:
        """The possible names of the next attribute or import; None: unknown.

        assigned: even if a new attribute may be assigned, which is doubtful.
        """
        reading, shared = self.reading, self.shared
        if not shared.attributes or reading.parser is None or is_name(reading.lex.pending):
            return None
        parser = self._placed(reading.block, reading.parser)
        try:
            for token in lex(reading.lex, " ")[0]:  # a dot that might have become an ellipsis
                parser.feed(str(token))
        except Refused:
            return None
        if queries.in_import(parser):
            return queries.possible(parser)
        is_read = not parser.holder or (
            assigned and (queries.may_be_chained(parser) or self._begins_with_attribute(parser))
        )
        return members_next(parser.setting, parser.way) if parser.behind_dot and is_read else None


def _may_be_brought_in(refused: Refused) -> bool:
    """Whether other lines of the file can define or assign a refused attribute."""
    if refused.kind == "calls":
        return True  # the called name may get another definition
    return bool(refused.word) and refused.known is not None and _is_of_a_class(refused.known)


def _is_of_a_class(members: Known) -> bool:
    return members.owner.startswith(("'", "class "))
