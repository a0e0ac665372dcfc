"""The state within a logical line of Python: its open constructs, and the names it reads and binds; see syntax.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Self, TypeVar

from ....scoping.verdicts import Refused
from .frames import Bracket, Frame, Simple, Start
from .line_values import ALWAYS, COMPILED, FORBIDDEN, Context, Header, Items, Line, Members, Path, is_found
from .messages import ASSIGNS_DEBUG
from .operations import Operations, changed, together
from .targets import DEBUG, DUNDER_DEBUG, SPREAD, TEXT, VALUE, Attribute, Elements, Group, Operand
from .tokens import NEWLINE
from .type_paths import LONGEST_PATH

_MOST_NESTED = 400
"""Nested brackets, lambdas, formatted strings and their fields: more than Python takes, and few enough for recursion."""
_NO_NAMES: Mapping[str, Path | None] = MappingProxyType({})

K = TypeVar("K", bound=Frame)


def not_python() -> Refused:
    return Refused("this is not Python")


def no_attribute(owner: Members, name: str) -> Refused:
    return Refused(f"{owner.owner} has no attribute {name!r}", "attributes", name, owner)


class LineParser:
    """The automaton for one logical line; `feed` it tokens up to and including NEWLINE, then `line` is set."""

    def __init__(self, column: int, context: Context | None = None) -> None:
        self.column = column
        self.context = context
        self.top: Frame = Start()
        self.header: Header | None = None
        self.before: Items = None  # operations of finished simple statements
        self.line: Line | None = None
        self.decorator = False
        self.features: tuple[str, ...] = ()
        self.kinds = ""
        self.statements = 0
        self.nested = 0  # open frames within the statement
        self.in_slots = False  # in the value of `__slots__`
        self.bound: frozenset[str] = frozenset()  # bound in this line so far
        self.stored: frozenset[str] = frozenset()  # attributes assigned in this line
        self.ahead = _NO_NAMES
        """the names that a `for` behind the cursor binds, in brackets open here, with their values; None: unknown"""

    def copy(self) -> Self:
        new = object.__new__(self.__class__)
        new.__dict__.update(self.__dict__)
        new.top = self.top.copy()
        return new

    def in_context(self, context: Context | None) -> Self:
        """A copy that refuses by a context; None: it refuses only text that is not Python."""
        new = self.copy()
        new.context = context
        return new

    # -- open constructs

    def feed(self, token: str) -> None:
        """Take a token; raises Refused, without a context only for text that is not Python."""
        top = self.top
        _TAKES[top.__class__](self, top, token)

    def frames(self) -> list[Frame]:
        """The open frames, the innermost last."""
        return [*self.top.outward()][::-1]

    def open(self, frame: K) -> K:
        """Begin an operand that may hold others."""
        if self.nested == _MOST_NESTED:
            raise Refused("too many nested parentheses")
        self.nested += 1
        self.top = frame
        return frame

    def pop(self, last: Operand) -> Frame:
        """Leave the top frame, an operand of the one below, which takes over its operations."""
        frame = self.top
        assert frame.parent is not None
        self.nested -= 1
        parent = frame.parent.copy()
        if frame.items is not None:
            parent.items = (("all", frame.items), parent.items)
        if frame.open or frame.owed:
            parent.open |= frame.open
            parent.owed += frame.owed
            self.top = parent
            self.settle_open(parent)
        parent.last, parent.path = last, None
        self.top = parent
        return parent

    def end_statement(self, frame: Frame, token: str, kind: str = ".") -> None:
        """End a statement at `;` or NEWLINE; kind: see Line."""
        if not isinstance(frame, Start) and not (kind == "." and self.kinds[-1:] == "."):
            self.kinds += kind
        if frame.items is not None:
            self.before = (("all", frame.items), self.before)
        if token == NEWLINE:
            self.line = Line(
                self.column,
                self.header,
                _in_order(self.before),
                self.header is not None and self.statements > 0,
                self.decorator,
                self.features,
                self.kinds,
            )
        self.top, self.in_slots = Start(), False

    def end_header(self, header: Header) -> None:
        """Take the colon of a header: statements may follow on the same line."""
        self.header = header._replace(items=_in_order(header.items), scoped=_in_order(header.scoped))
        self.before = None
        self.statements = 0
        self.top = Start()
        if self.context is not None:
            self.context = self.context.inside(self.header)

    # -- reads of names

    def error(self, frame: Frame, message: str, when: str = ALWAYS) -> None:
        """Note an error; when: see line_values.py."""
        if self.context is not None and is_found(when, self.context.version, compiled=self.is_compiled()):
            raise Refused(message)
        frame.items = (("error", message, when), frame.items)

    def is_compiled(self) -> bool:
        """Whether a read here is compiled, as far as that is known. Some annotations are not."""
        frame = next((around for around in self.top.outward() if around.is_annotation), None)
        if frame is None or self.context is None:
            return True
        is_target = isinstance(frame, Simple)
        return self.context.compiles("parameter" if not is_target else "name" if frame.is_name else "target")

    def surroundings(self, context: Context) -> Context:
        """The context of the next token, in the context of the line."""
        for frame in self.top.outward():
            if frame.is_annotation:
                return context.deferred()
            if frame.is_body:
                return context.within().later()
            if isinstance(frame, Bracket) and frame.clauses is not None and frame.phase not in ("iter", "done"):
                return context.within()
        return context

    def may_generate(self, frame: Bracket) -> bool:
        """Whether a comprehension's `for` may follow a frame's element."""
        return frame.can_comp and (not frame.star or self.context is None or self.context.version >= (3, 15))

    def may_bind(self, frame: Frame) -> bool:
        """Whether a comprehension may still bind a name read here."""
        return any(
            around.phase == "elem"
            and isinstance(around, Bracket)
            and (around.clauses is not None or self.may_generate(around))
            for around in frame.outward()
        )

    @property
    def may_be_bound_later(self) -> bool:
        """Whether the rest of the statement may bind a name read here, as in `name.x if (name := f()) else y`."""
        return self.context is not None and self.context.open_ended and self.top.phase != "del"

    def use(self, frame: Frame, name: str) -> None:
        """Note the read of a name."""
        if frame.holds_back(name):
            # `y, z[y] = 1, 2` (if the first `y` is not a target, it is read itself), or `del y, z[y]`
            is_gone = any(around.phase == "del" for around in frame.outward())
            frame.items = (("lost" if is_gone else "touch", name), frame.items)
            return
        frame.items = (("use", name), frame.items)
        context = self.context
        if context is None or name in self.bound or self.surroundings(context).visible(name):
            return
        runs_later = False
        for around in frame.outward():
            if name in around.names or (runs_later and name in around.walrus):
                return
            runs_later |= around.is_body
        if not self.may_bind(frame) and not self.may_be_bound_later:
            raise Refused(name, "names")
        frame.open |= {name}

    def settle_open(self, frame: Frame) -> None:
        """Refuse the names and attributes that nothing can bind any more."""
        if frame.owed and self.context is not None:
            kept: list[tuple[str, Refused]] = []
            for name, refused in frame.owed:
                if self._may_be_rebound(name):
                    kept.append((name, refused))
                elif refused.word not in self.stored:
                    raise refused.anew()
            frame.owed = tuple(kept)
        if frame.open and not self.may_be_bound_later and not self.may_bind(frame):
            self.end_open(frame)  # conditions of a comprehension may have bound some

    def end_open(self, frame: Frame) -> None:
        """Refuse the names still open at the end of the statement."""
        if frame.open and self.context is not None and (missing := frame.open - self.bound):
            raise Refused(min(missing), "names")

    def read(self, frame: Frame, operand: Operand) -> None:
        """Note the read of a possible target."""
        if isinstance(operand, str):
            self.use(frame, operand)
        elif isinstance(operand, Group):
            for _, element in operand.elements:
                self.read(frame, element)
        elif isinstance(operand, Attribute) and operand.missing is not None and operand.name not in self.stored:
            self.refuse(frame, no_attribute(operand.missing, operand.name), operand.head)

    def refuse(self, frame: Frame, refused: Refused, head: str) -> None:
        """Refuse a missing attribute, unless a `for` may still bind its owner's name."""
        if self.context is None:
            return
        if self._may_be_rebound(head):
            frame.owed = (*frame.owed, (head, refused))
        else:
            raise refused.anew()

    def _may_be_rebound(self, name: str) -> bool:
        """Whether a `for` may still bind a name already read in open brackets."""
        context = self.context
        exact = context is not None and context.open_ended
        for frame in self.top.outward():
            if name in frame.names:
                return False
            if frame.phase == "elem" and isinstance(frame, Bracket) and self.may_generate(frame):
                if name in self.ahead:
                    return False
                if exact or frame.form not in ("call", "field"):  # generators are rare there
                    return exact or context is None or not context.is_fixed(name)
        return False

    def from_outside(self, path: Path, *, rebound: bool = True) -> Path | None:
        """The path of an expression from a name bound outside of this line; None: there is none, or the name's binding is not known yet.

        rebound: even if a `for` in open brackets may still bind its name.
        """
        name = path[0]
        for frame in self.top.outward():
            if name in frame.names:
                return _through(dict(frame.types).get(name), path)
            if name in self.ahead and frame.phase == "elem" and isinstance(frame, Bracket) and self.may_generate(frame):
                return _through(self.ahead[name], path)
            if name in frame.open:
                return None
        return None if name in self.bound or (rebound and self._may_be_rebound(name)) else path

    # -- operands

    def settle(self, frame: Frame) -> None:
        """Note the read of the operand before the current token."""
        last = frame.last
        if last.__class__ is str or last.__class__ is Group or last.__class__ is Attribute:
            self.read(frame, last)

    def no_target(self, frame: Frame) -> None:
        """Give up the elements of the frame as targets, and read them."""
        if frame.assignable:
            frame.assignable = False
            for _, element in frame.elements:
                self.read(frame, element)
            frame.elements = ()

    def value(self, frame: Frame) -> None:
        """Note the read of the operand before the current token, which continues it to a value."""
        self.no_target(frame)
        self.settle(frame)
        frame.last, frame.path, frame.mixed, frame.alternatives = None, None, False, ()

    def end_element(self, frame: Frame) -> None:
        """Take the end of an element, a possible target where the frame may have targets."""
        last = frame.last
        if last is not None:
            if frame.star or (last is SPREAD and not frame.mixed):
                frame.spread = True
            if frame.assignable and last is not VALUE and last is not TEXT and last is not SPREAD:
                frame.elements = (*frame.elements, (frame.star, last))
            else:
                self.no_target(frame)
                self.settle(frame)
        frame.last, frame.star, frame.path, frame.mixed, frame.alternatives = None, False, None, False, ()
        self.end_walrus(frame)

    def end_walrus(self, frame: Frame) -> None:
        """End the value of a `:=`, if there is one."""
        for name in frame.walrus:
            if frame.holds_back(name):
                frame.items = (("use", name), frame.items)  # `x, (x := 1)`
            frame.items = (("walrus", name), frame.items)
            self.bound |= {name}
        frame.walrus = ()

    # -- bindings of names

    def local_names(self) -> frozenset[str]:
        """The names bound by this line itself so far."""
        return self.bound.union(*(around.names.union(around.walrus) for around in self.top.outward()))

    def check_assigned(self, frame: Frame, name: Operand) -> None:
        """Note the error of assigning to a forbidden name."""
        if name == DUNDER_DEBUG or name is DEBUG:
            self.error(frame, ASSIGNS_DEBUG, FORBIDDEN)

    def bind_name(self, frame: Frame, name: str, kind: str = "bind") -> None:
        self.check_assigned(frame, name)
        frame.items = ((kind, name), frame.items)
        self.bound |= {name}

    def bind(self, frame: Frame, elements: Elements, *, top: bool, comma: bool = False) -> None:
        """Bind the elements as targets. top: outside of brackets, where a lone star is an error without a comma."""
        stars = sum(star for star, _ in elements)
        if stars > 1:
            self.error(frame, "multiple starred expressions in assignment", COMPILED)
        elif stars and top and not comma:
            self.error(frame, "starred assignment target must be in a list or tuple", COMPILED)
        for _, element in elements:
            if isinstance(element, str):
                self.bind_name(frame, element)
            elif isinstance(element, Group):
                self.bind(frame, element.elements, top=element.is_parenthesized)
            elif element is DEBUG:
                self.error(frame, ASSIGNS_DEBUG, FORBIDDEN)
            elif isinstance(element, Attribute):
                self.store(frame, element, None)

    def store(self, frame: Frame, target: Attribute, value: tuple[str, Path | None] | None) -> None:
        """Assign an attribute; value: see ("fact", "made") in facts.py."""
        frame.items = (("fact", "store", target.base, target.name, value), frame.items)
        self.stored |= {target.name}


Take = Callable[[LineParser, K, str], None]
_TAKES: dict[type[Frame], Take[Any]] = {}
"""The function for the next token, by the innermost open construct."""


def takes(kind: type[K]) -> Callable[[Take[K]], Take[K]]:
    """Register the function for tokens in a construct of this kind."""

    def registered(function: Take[K]) -> Take[K]:
        _TAKES[kind] = function
        return function

    return registered


def _through(variable: Path | None, path: Path) -> Path | None:
    """A path from a variable as a path from its value; None: unknown."""
    return None if variable is None or len(variable) + len(path) > LONGEST_PATH else (*variable, *path[1:])


def _in_order(items: Items) -> Operations:
    """Linked operations as those of a line."""
    ordered: list[Any] = []
    while items is not None:
        operation, items = items
        ordered.append(_in_order(operation[1]) if operation[0] == "all" else changed(operation, _in_order))
    return together(*reversed(ordered))
