"""The names visible to a read at some place, by the chain of open blocks and the text behind the place.

The rules are pyflakes' reading of Python's. A scope sees the names bound before the place in it; a name bound only by the rest of a loop is
missing in its first round. A function also sees every name bound anywhere in the scopes around it, except classes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain

from ....glr.effort import spend
from ....type_server import Allowed
from .allowed_names import Members
from .blocks import Open, Segment
from .builtin_names import builtin_names
from .contents import EMPTY, IN_CLASS, IN_FUNCTION, IN_TRY, Content, Dialect, Names
from .facts import Block, Gathered
from .homes import Importable
from .line_values import Header, Signature, linked
from .scopes import OF_CLASSES, TRIES, close_block, names_of_class_body
from .sets import NONE, union
from .surroundings import ScopeFacts, Surroundings
from .type_paths import Path
from .unread_functions import functions

_STRING_PREFIXES = frozenset(["r", "b", "f", "u", "t", "br", "rb", "fr", "rf", "tr", "rt"])
_OPERAND_KEYWORDS = frozenset(
    ("None", "True", "False", "not", "lambda", "await", "yield", "async", "from", "for", "if", "in", "is", "and", "or")
)
"""Keywords that a word in an expression may become."""


@lru_cache(maxsize=8192)
def _ordered(names: Names) -> tuple[str, ...]:
    return tuple(sorted(names))


def _has_prefix(names: Names, prefix: str) -> bool:
    ordered = _ordered(names)
    index = bisect_left(ordered, prefix)
    return index < len(ordered) and ordered[index].startswith(prefix)


@lru_cache(maxsize=4096)
def header_binds(header: Header, version: tuple[int, int]) -> Names:
    """The names that a header binds for the statements in its block."""
    if header.kind == "def":
        return frozenset((*header.params, *header.type_params))
    if header.kind == "class":
        return frozenset(header.type_params)
    names = close_block(header, EMPTY, Dialect(version)).binds
    return names | {header.name} if header.name is not None else names


Rescue = Callable[["Scope", str, bool], bool]
"""Whether a name may exist for another reason, by (the scope that reads it, the name or its beginning, whether it is only the beginning)."""


@dataclass(frozen=True)
class Lookup:
    """The parameters of a scope's lookup."""

    names: bool  # whether undefined names are refused
    headers: tuple[Header, ...] = ()  # on the line itself, around the place
    late: bool = False  # whether reads here are resolved once everything is bound
    nested: bool = False  # within the line, as in a comprehension, which does not see the names of a class around it
    attributes: bool = False  # whether missing attributes are refused
    modules: Importable | None = None  # the importable ones; None: unknown
    ask: Callable[[], None] = spend  # called before unread functions are read; may raise Cancelled
    open_ended: bool = False  # whether later text may bind a name, behind its reader, or catch its absence
    rescue: Rescue | None = None  # called for an unbound name
    line: Callable[[], str] = str  # the text on the cursor's line, without the word at the cursor


class Scope:
    """The surroundings of a line; see Context in line_values.py."""

    def __init__(self, block: Open, behind: Callable[[], Sequence[Segment]], dialect: Dialect, lookup: Lookup) -> None:
        """behind: returns the text behind the place, on demand; several texts if it is not known yet, all of which count."""
        self.block, self._segments, self.dialect, self._lookup = block, behind, dialect, lookup
        self.version = dialect.version
        self.headers, self.open_ended = lookup.headers, lookup.open_ended
        self._deferred: Scope | None = None
        self._inner: Scope | None = None
        self._surroundings: Surroundings | None = None
        self._known: dict[str, bool] = {}
        self._begun: dict[str, bool] = {}
        self.in_function = self.in_async = self.in_loop = self.in_starred_except = False
        function_found = loop_found = False
        for header in self._headers():
            self.in_starred_except |= header.star
            if header.kind in ("def", "class"):
                if not function_found:
                    self.in_function = header.kind == "def"
                    self.in_async = header.kind == "def" and header.is_async
                function_found = loop_found = True
            elif header.kind in ("for", "while") and not loop_found:
                self.in_loop = loop_found = True
            elif header.kind == "except" and header.star and not loop_found:
                loop_found = True  # a break may not leave it
        self.nested = function_found
        self.in_async |= dialect.kind == "notebook" and not function_found

    @property
    def error_of_lazy_import(self) -> str | None:
        """See Context in line_values.py."""
        if self.nested:
            return IN_FUNCTION if self.in_function else IN_CLASS
        return IN_TRY if any(header.kind in TRIES for header in self._headers()) else None

    def _headers(self) -> Iterator[Header]:
        """The headers around, innermost first."""
        yield from reversed(self.headers)
        for block in self.block.outward():
            if block.header is not None:
                yield block.header

    def _may_be_bound_later(self) -> bool:
        """Whether the text may bind a name after its reader, or catch the NameError."""
        kinds = [header.kind for header in self._headers()]
        return "def" in kinds or "try" in kinds[: kinds.index("class") if "class" in kinds else None]

    def compiles(self, annotated: str) -> bool:
        """See Context in line_values.py."""
        return self.dialect.compiles(annotated) and (annotated == "parameter" or not self.in_function)

    def is_fixed(self, name: str) -> bool:
        """See Context in line_values.py."""
        return self.surroundings.is_fixed(name)

    def deferred(self) -> Scope:
        """See Context in line_values.py."""
        return self if self.dialect.evaluates_annotations else self.later()

    def later(self) -> Scope:
        """See Context in line_values.py."""
        if self._lookup.late:
            return self
        if self._deferred is None:
            self._deferred = self._like(self.headers, late=True, nested=self._lookup.nested)
        return self._deferred

    def within(self) -> Scope:
        """See Context in line_values.py."""
        if self._lookup.nested or self.in_function or not self.nested:
            return self
        if self._inner is None:
            self._inner = self._like(self.headers, late=self._lookup.late, nested=True)
        return self._inner

    def inside(self, header: Header) -> Scope:
        """See Context in line_values.py."""
        return self._like((*self.headers, header))

    def _like(self, headers: tuple[Header, ...], *, late: bool = False, nested: bool = False) -> Scope:
        lookup = replace(self._lookup, headers=headers, late=late, nested=nested)
        return Scope(self.block, self._segments, self.dialect, lookup)

    def seen_from(self, behind: Sequence[Segment]) -> Scope:
        """The same scope with another text behind the place, where unbound names are refused at once."""
        lookup = self._lookup
        plain = Lookup(lookup.names, lookup.headers, lookup.late, lookup.nested, ask=lookup.ask)
        return Scope(self.block, lambda: behind, self.dialect, plain)

    # -- attributes

    def members(self, path: Path) -> Members | None:
        """See Context in line_values.py."""
        return self.surroundings.members(path) if self._lookup.attributes and not self._is_caught else None

    def signature(self, path: Path) -> Signature | None:
        """See Context in line_values.py."""
        return self.surroundings.signature(path) if self._lookup.attributes and not self._is_caught else None

    def importable(self, module: str) -> Members | None:
        """See Context in line_values.py."""
        return self.surroundings.importable(module) if self._lookup.attributes and not self._is_caught else None

    def told(self, allowed: Allowed) -> Members | None:
        """See Context in line_values.py."""
        names = allowed.names() if self._lookup.attributes and not self._is_caught else None
        if names is None:
            return None
        return Members(allowed.owner, names, allowed, allowed.is_whole)

    @cached_property
    def _is_caught(self) -> bool:
        """Whether a `try` or `with` of the same scope around the place guards uncertain names."""
        block = self.block
        if any(header.kind in ("def", "class") for header in self.headers):
            return False
        if any(map(_expects_errors, self.headers)):
            return True
        if self.open_ended and any(header.kind == "try" for header in self.headers):
            return True
        while block.parent is not None and block.header is not None:
            if block.header.kind in ("def", "class"):
                return False
            if _expects_errors(block.header):
                return True
            if block.header.kind == "try":
                if self.open_ended:
                    return True  # by the rest of the text
                for part in self._behind(block.parent):
                    if part.first is not None and part.first.kind == "except" and part.first.catches_attributes:
                        return True
            block = block.parent
        return False

    @property
    def surroundings(self) -> Surroundings:
        """The scopes around, with the values of their names."""
        if self._surroundings is None:
            self._surroundings = Surroundings(list(self._scopes()), self._lookup.modules, self._lookup.line)
        return self._surroundings

    def _scopes(self) -> Iterator[ScopeFacts]:
        """The scopes around, innermost first."""
        before: list[Gathered] = []
        behind: list[Gathered] = []

        def scope(header: Header | None, decorators: tuple[Path | None, ...]) -> ScopeFacts:
            nonlocal before, behind
            facts = ScopeFacts(header, (*before, *behind), decorators, len(before))
            before, behind = [], []
            return facts

        for header in reversed(self.headers):
            if header.kind in ("def", "class"):
                yield scope(header, (None,))  # decorators are not looked up: unknown
            else:
                before.insert(0, Block(header, None).gathered())
        block: Open | None = self.block
        while block is not None:
            before = [*reversed(self._gathered(linked(block.parts))), *before]
            behind += self._gathered(self._behind(block))
            header, block = block.header, block.parent
            if header is None or header.kind in ("def", "class"):
                last = block.parts[0] if block is not None and block.parts is not None else EMPTY
                yield scope(header, last.gathered().decorators)
            else:
                before.insert(0, Block(header, None).gathered())

    def _gathered(self, parts: Iterable[Content]) -> list[Gathered]:
        gathered: list[Gathered] = []
        for part in parts:
            for function, _ in functions((part.unread,) if part.unread is not None else ()):
                if not function.is_read:
                    self._lookup.ask()
                    function.content()
            if part.facts is not None:
                gathered.append(part.facts.gathered())
        return gathered

    def _behind(self, block: Open) -> Iterator[Content]:
        """The rest of a block behind the place."""
        for first in self._segments():
            segment: Segment | None = first
            if block.column is None:  # it has just been opened
                outer = (block.parent.column or 0) if block.parent is not None else 0
                if first.column > outer:
                    yield from linked(first.parts)
                continue
            while segment is not None:
                if segment.column == block.column:
                    yield from linked(segment.parts)
                segment = segment.rest

    @cached_property
    def scopes_are_open(self) -> bool:
        """Whether any name is visible, because `import *` may bind it, a NameError is caught, or the text may still do either."""
        return self._open() or (self.open_ended and (self._lookup.late or self._may_be_bound_later()))

    def _open(self) -> bool:
        function = any(header.kind == "def" for header in self.headers)
        for block in self.block.outward():
            # Code that runs at once sees nothing behind it.
            behind = self._behind(block) if function or self._lookup.late else ()
            if any(part.star_import for part in chain(linked(block.parts), behind)):
                return True
            header = block.header
            if header is not None:
                if header.kind == "try" and not function and block.parent is not None:
                    for part in self._behind(block.parent):
                        if part.first is not None and part.first.kind == "except" and part.first.catches_names:
                            return True
                function |= header.kind == "def"
        return False

    def visible(self, name: str) -> bool:
        """Whether a read here may find a binding of the name."""
        if not self._lookup.names:
            return True
        is_visible = self._known.get(name)
        if is_visible is None:
            is_visible = self.is_bound_before(name) or self.scopes_are_open or self._is_bound(name, self.sets())
            if not is_visible and self._lookup.rescue is not None:
                is_visible = self._lookup.rescue(self, name, False)
            self._known[name] = is_visible
        return is_visible

    def is_bound_before(self, name: str) -> bool:
        """Whether a name is built in or bound before the place."""
        return name in builtin_names(self.version) or self._is_bound(name, self.sets(before=True))

    def is_bound(self, name: str) -> bool:
        """Whether a name is built in or bound, apart from the place's own statement."""
        return name in builtin_names(self.version) or self._is_bound(name, self.sets())

    def _is_bound(self, name: str, sets: Iterator[tuple[Names, Names]]) -> bool:
        for names, dels in sets:
            if name in names:
                return True
            if name in dels:
                return False
        return False

    @cached_property
    def own_names(self) -> Names:
        """The names bound before the place by the innermost function or class, or else by the file."""
        names: set[str] = set()
        for block in self.block.outward():
            names.update(*(part.binds for part in linked(block.parts)))
            if block.header is not None:
                names |= header_binds(block.header, self.version)
                if block.header.kind in ("def", "class"):
                    break
        return frozenset(names)

    def has_prefix(self, prefix: str) -> bool:
        """Whether a visible name, or a keyword in an expression, starts with the prefix."""
        if not self._lookup.names or prefix.lower() in _STRING_PREFIXES:
            return True
        if any(word.startswith(prefix) for word in _OPERAND_KEYWORDS):
            return True
        if _has_prefix(builtin_names(self.version), prefix):
            return True
        can_begin = self._begun.get(prefix)
        if can_begin is None:
            can_begin = any(_has_prefix(names, prefix) for names, _ in self.sets(before=True))
            can_begin = can_begin or self.scopes_are_open or any(_has_prefix(names, prefix) for names, _ in self.sets())
            if not can_begin and self._lookup.rescue is not None:
                can_begin = self._lookup.rescue(self, prefix, True)
            self._begun[prefix] = can_begin
        return can_begin

    def sets(self, *, before: bool = False) -> Iterator[tuple[Names, Names]]:
        """(bound names, names unbound before that), innermost first; before: only before the place."""
        later, left = False, self._lookup.nested  # whether a function, or a class too, has been left on the way out
        for header in reversed(self.headers):
            yield header_binds(header, self.version), NONE
            if header.kind == "def":
                later = True
            if header.kind == "class":
                yield OF_CLASSES, NONE
            left |= header.kind in ("def", "class")
            if header.name is not None and later:
                yield frozenset((header.name,)), NONE
        block: Open | None = self.block
        while block is not None:
            if left and _scope_kind(block) == "class":
                block, header = _out_of_scope(block)
                yield OF_CLASSES, NONE
                own = (header.name or "",) if later and _scope_kind(block) != "class" else ()
                yield frozenset((*header.type_params, *own)), NONE
                continue
            for part in linked(block.parts):
                yield part.binds, NONE if later or self._lookup.late else part.dels
                yield _declared(part, block), NONE
            if (later or self._lookup.late) and not before:
                for part in self._behind(block):
                    yield part.binds, NONE
            header = block.header
            if header is not None:
                yield header_binds(header, self.version), NONE
                if header.kind == "def":
                    later = True
                    if _scope_kind(block.parent) != "class":
                        yield frozenset((header.name or "",)), NONE
                elif header.kind == "class":
                    yield OF_CLASSES, NONE
                if header.kind == "class" and (later or self._lookup.late):
                    yield frozenset((header.name or "",)), NONE
                left |= header.kind in ("def", "class")
            block = block.parent
        for block in self.block.outward():  # names declared global by functions
            for part in linked(block.parts):
                yield part.spread, NONE
                yield _declared(part, block), NONE
            for part in () if before else self._behind(block):
                yield part.spread, NONE
                yield part.globals, NONE  # the text may open a function or a class above the declaration
        innermost = next((header for header in self._headers() if header.kind in ("def", "class")), None)
        if innermost is not None and innermost.kind == "class" and not self._lookup.nested:
            yield names_of_class_body(innermost.type_params, self.version), NONE


def _expects_errors(header: Header) -> bool:
    """Whether a header guards against missing names or signatures (`try`/`except NameError`, `hasattr`)."""
    return header.is_second_try or (header.kind == "with" and header.catches_attributes)


def _declared(part: Content, block: Open) -> Names:
    """The names declared global or nonlocal by a block's content; none at module level, where that says nothing."""
    declared = union(part.globals, part.nonlocals)
    return declared if declared and _scope_kind(block) != "module" else NONE


def _scope_kind(block: Open | None) -> str:
    """The kind of a block's scope: "def", "class", or "module"."""
    while block is not None:
        if block.header is not None and block.header.kind in ("def", "class"):
            return block.header.kind
        block = block.parent
    return "module"


def _out_of_scope(block: Open) -> tuple[Open | None, Header]:
    """The block around a block's scope, and the scope's header."""
    for around in block.outward():
        if around.header is not None and around.header.kind in ("def", "class"):
            return around.parent, around.header
    raise AssertionError("a file is no class")
