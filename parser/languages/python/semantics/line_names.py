"""The names of a logical line: those that are read, and the bindings of the others; see syntax.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .....common.words import is_name
from ....scoping.verdicts import Refused
from .line_values import (
    ALWAYS,
    COMPILED,
    DEBUG,
    DUNDER_DEBUG,
    FORBIDDEN,
    KEYWORDS,
    SPREAD,
    TEXT,
    VALUE,
    Attribute,
    Context,
    Frame,
    Group,
    Items,
    Members,
    Path,
    is_found,
    linked,
)
from .messages import ASSIGNS_DEBUG
from .type_paths import TAKES_TYPES, either

LONGEST_PATH = 32
"""Parts of a path; of longer expressions nothing is known. Each part makes a new tuple."""


def no_attribute(owner: Members, name: str) -> Refused:
    return Refused(f"{owner.owner} has no attribute {name!r}", "attributes", name, owner)


_MOST_NESTED = 400
"""Brackets, lambdas, formatted strings and their fields in each other: more than Python takes, and few enough to be walked by recursion."""


def not_python() -> Refused:
    return Refused("this is not Python")


def is_plain_name(token: str) -> bool:
    return is_name(token) and token not in KEYWORDS


def _is_missing(operand: Any) -> bool:
    if operand.__class__ is Group:
        return any(_is_missing(element) for _, element in operand.elements)
    return operand.__class__ is Attribute and operand.missing is not None


class NameParser:
    """The part of a `LineParser` that knows which names a line reads and binds, and which brackets and clauses are open."""

    context: Context | None
    top: Frame
    bound: frozenset[str]
    """in this line so far"""
    stored: frozenset[str]
    """attributes that are assigned in this line"""
    in_slots: bool
    nested: int
    """frames that are open within a statement"""
    ahead: Mapping[str, Path | None]
    """the names that a `for` behind the cursor binds in brackets that are open there: see surroundings; None: unknown"""

    def feed(self, token: str) -> None:
        """Take a token; raises Refused, without a context only where this is no Python."""
        getattr(self, "_" + self.top.kind)(self.top, token)

    def _open(self, kind: str, parent: Frame, phase: str = "", *, tg: bool = False, can_comp: bool = False) -> Frame:
        """Begin an operand that may hold others; see Frame."""
        if self.nested == _MOST_NESTED:
            raise Refused("too many nested parentheses")
        self.nested += 1
        self.top = frame = Frame(kind, parent, phase, tg, can_comp)
        return frame

    def frames(self) -> list[Frame]:
        """The open frames, the innermost last."""
        return [*self.top.outward()][::-1]

    @property
    def reads_name(self) -> bool:
        """Whether a name that is typed here must be visible, unless `:=` follows it."""
        frame = self.top
        kind, phase = frame.kind, frame.phase
        if frame.attr or frame.last is not None:
            return False
        if kind == "bracket":
            if frame.tg or phase in ("targets", "as"):
                return False
            if phase == "elem" and frame.extra == "call" and not frame.mixed and frame.args[2] is None:
                return False  # it may name a parameter
            return not self._may_bind(frame)
        if kind == "simple":
            return not frame.tg or phase == "del"
        if kind == "head":
            return phase == "value"
        if kind == "lambda":
            return phase in ("default", "body") and not self._may_bind(frame)
        if kind == "definition":
            return phase in ("annotation", "default", "returns")
        if kind == "types":
            return phase in ("bound", "default")
        if kind == "alias":
            return phase == "value"
        return kind == "guard" and not self._may_bind(frame)

    @property
    def begins_condition(self) -> bool:
        """Whether the condition of a header begins here, so that `:=` may follow a name without brackets."""
        return self.top.kind == "head" and self.top.extra in ("if", "elif", "while") and not self.top.mixed

    def local_names(self) -> frozenset[str]:
        """The names that this line itself has bound."""
        names, frame = self.bound, self.top
        for around in frame.outward():
            names |= around.names.union(around.walrus)
        return names

    def open_names(self) -> frozenset[str]:
        """The names that are read and that nothing binds yet, but a `for` in the open brackets, or a `:=`, may."""
        unbound: frozenset[str] = frozenset()
        for frame in self.top.outward():
            unbound |= frame.open
        last = self.top.last
        if last.__class__ is str and self.context is not None and not self.surroundings(self.context).visible(last):
            unbound |= {last}
        return unbound - self.local_names()

    def owed_names(self) -> frozenset[str]:
        """The names that elements in open brackets read, and that only a `for` there, or a `:=`, may bind if nothing else does."""
        owed: set[str] = set()
        for frame in self.top.outward():
            if frame.kind == "bracket" and (self._may_bind(frame) or frame.gens is not None):
                element = None if frame.gens is None else frame.saved
                for read in (frame.items, frame.begin, frame.conditional, frame.outer, element):
                    owed.update(names_used(read))
        return frozenset(owed) - self.local_names()

    def awaited_names(self) -> frozenset[str]:
        """The names that a `for` in brackets has still to bind, where its target is read; else none."""
        frame = self.top
        if frame.kind != "bracket" or frame.phase != "targets" or frame.attr or frame.last is not None:
            return frozenset()
        return frame.open - frozenset(target_names(frame.elements)) - frame.names - self.bound

    def _emit(self, frame: Frame, item: Any) -> None:
        frame.items = (item, frame.items)

    def _error(self, frame: Frame, message: str, when: str = ALWAYS) -> None:
        """Note an error; when: see line_values.py."""
        if self.context is not None:
            if is_found(when, self.context.version, compiled=self._is_compiled()):
                raise Refused(message)
        frame.items = (("error", message, when), frame.items)

    def _check_assigned(self, frame: Frame, name: object) -> None:
        if name == DUNDER_DEBUG or name is DEBUG:
            self._error(frame, ASSIGNS_DEBUG, FORBIDDEN)

    def _is_compiled(self) -> bool:
        """Whether a read here is compiled, as far as that is known. Some annotations are not."""
        for frame in self.top.outward():
            if frame.phase in ("annotation", "returns"):
                annotated = "parameter" if frame.kind == "definition" else "name" if frame.saved[1] else "target"
                return self.context is None or self.context.compiles(annotated)
        return True

    def _use(self, frame: Frame, name: str) -> None:
        if _is_held_back(frame, name):
            # `y, z[y] = 1, 2`, where a `y` that is no target is read itself, or `del y, z[y]`
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
        if not self._may_bind(frame) and not self.may_be_bound_later:
            raise Refused(name, "names")
        frame.open |= {name}

    def surroundings(self, context: Context) -> Context:
        """The context of the next token, in the context of the line."""
        for frame in self.top.outward():
            if frame.phase == "annotation" or frame.phase == "returns":
                return context.deferred()
            if frame.is_body:
                return context.within().later()
            if frame.kind == "bracket" and frame.gens is not None and frame.phase not in ("iter", "done"):
                return context.within()
        return context

    def _may_bind(self, frame: Frame) -> bool:
        """Whether a comprehension may still bind a name that is read here."""
        return any(
            around.phase == "elem"
            and (self.may_generate(around) or (around.kind == "bracket" and around.gens is not None))
            for around in frame.outward()
        )

    def may_generate(self, frame: Frame) -> bool:
        """Whether a comprehension's `for` may follow the element of a frame."""
        return frame.can_comp and (not frame.star or self.context is None or self.context.version >= (3, 15))

    @property
    def may_be_bound_later(self) -> bool:
        """Whether the rest of the statement may bind a name that is read here, as in `name.x if (name := f()) else y`."""
        return self.context is not None and self.context.open_ended and self.top.phase != "del"

    def _settle_open(self, frame: Frame) -> None:
        if frame.owed and self.context is not None:
            kept: list[tuple[str, Refused]] = []
            for name, refused in frame.owed:
                if self._may_be_rebound(name):
                    kept.append((name, refused))
                elif refused.word not in self.stored:
                    raise refused
            frame.owed = tuple(kept)
        if not frame.open or self.context is None or self._may_bind(frame) or self.may_be_bound_later:
            return
        if missing := frame.open - self.bound:  # conditions of a comprehension may have bound some
            raise Refused(min(missing), "names")

    def _end_open(self, frame: Frame) -> None:
        """Refuse the open names at the end of the statement."""
        if self.context is not None and (missing := frame.open - self.bound - frame.bound):
            raise Refused(min(missing), "names")

    def _read(self, frame: Frame, what: Any) -> None:
        """Note the read of a possible target."""
        if what.__class__ is str:
            self._use(frame, what)
        elif what.__class__ is Group:
            for _, element in what.elements:
                self._read(frame, element)
        elif what.__class__ is Attribute and what.missing is not None and what.name not in self.stored:
            self._refuse(frame, no_attribute(what.missing, what.name), what.head)

    def _refuse(self, frame: Frame, refused: Refused, head: str) -> None:
        """Refuse an attribute that does not exist, unless a `for` may still bind its owner's name."""
        if self.context is None:
            return
        if self._may_be_rebound(head):
            frame.owed = (*frame.owed, (head, refused))
        else:
            raise refused

    def _may_be_rebound(self, name: str) -> bool:
        """Whether a `for` may still bind a name that has been read in open brackets."""
        frame: Frame | None = self.top
        context = self.context
        exact = context is not None and context.open_ended
        while frame is not None and name not in frame.names:
            if frame.phase == "elem" and self.may_generate(frame):
                if name in self.ahead:
                    return False
                if exact or frame.extra not in ("call", "field"):  # mostly no generator stands there
                    return exact or context is None or not context.is_fixed(name)
            frame = frame.parent
        return False

    @property
    def lacks_attribute(self) -> bool:
        """Whether an attribute does not exist, unless the rest assigns it or binds its owner's name."""
        return any(
            frame.owed or _is_missing(frame.last) or any(_is_missing(element) for _, element in frame.elements)
            for frame in self.frames()
        )

    def _settle(self, frame: Frame) -> None:
        """Note the read of the operand before the current token."""
        last = frame.last
        if last.__class__ is str or last.__class__ is Group or last.__class__ is Attribute:
            self._read(frame, last)

    def _no_target(self, frame: Frame) -> None:
        """Give up the elements of the frame as targets."""
        if frame.tg:
            frame.tg = False
            for _, element in frame.elements:
                self._read(frame, element)
            frame.elements = ()

    def _value(self, frame: Frame) -> None:
        """Note the read of the operand before the current token, which with its continuation is a value."""
        self._no_target(frame)
        self._settle(frame)
        frame.last, frame.path, frame.mixed, frame.alternatives = None, None, False, ()

    def _end_element(self, frame: Frame) -> None:
        last = frame.last
        if last is not None:
            if frame.star or (last is SPREAD and not frame.mixed):
                frame.spread = True
            if frame.tg and last is not VALUE and last is not TEXT and last is not SPREAD:
                frame.elements = (*frame.elements, (frame.star, last))
            else:
                self._no_target(frame)
                self._settle(frame)
        frame.last, frame.star, frame.path, frame.mixed, frame.alternatives = None, False, None, False, ()
        self._end_walrus(frame)

    def whole(self, frame: Frame) -> Path | None:
        """The path of the expression before the current token, where its operand is all of it."""
        if frame.mixed or frame.star or frame.attr or frame.last is None:
            return None
        return either((*frame.alternatives, frame.path)) if frame.alternatives else frame.path

    def _bind_name(self, frame: Frame, name: str, kind: str = "bind") -> None:
        self._check_assigned(frame, name)
        frame.items = ((kind, name), frame.items)
        self.bound |= {name}

    def _bind(self, frame: Frame, elements: tuple[tuple[bool, Any], ...], *, top: bool, comma: bool = False) -> None:
        """Bind the elements as targets. top: not in brackets, where a lone star is an error without a comma."""
        stars = sum(star for star, _ in elements)
        if stars > 1:
            self._error(frame, "multiple starred expressions in assignment", COMPILED)
        elif stars and top and not comma:
            self._error(frame, "starred assignment target must be in a list or tuple", COMPILED)
        for _, element in elements:
            if element.__class__ is str:
                self._bind_name(frame, element)
            elif element.__class__ is Group:
                self._bind(frame, element.elements, top=element.is_parenthesized)
            elif element is DEBUG:
                self._error(frame, ASSIGNS_DEBUG, FORBIDDEN)
            elif element.__class__ is Attribute:
                self._store(frame, element, None)

    def _store(self, frame: Frame, target: Attribute, value: Any) -> None:
        """Assign an attribute; value: see ("fact", "made") in facts.py."""
        frame.items = (("fact", "store", target.base, target.name, value), frame.items)
        self.stored |= {target.name}

    def members(self, path: Path | None, *, rebound: bool = True) -> Members | None:
        """The attributes of an expression's value here; None: unknown. rebound: even if a `for` may still bind its name."""
        context = self.context
        path = None if path is None or context is None else self.from_outside(path, rebound=rebound)
        return None if path is None or context is None else context.members(path)

    def members_next(self, *, rebound: bool = True) -> Members | None:
        """The attributes of the operand behind whose dot a name comes next; None: unknown. rebound: see members."""
        frame = self.top
        own = self.members(frame.path, rebound=rebound)
        if not self.is_told(frame, argument=False):
            return own
        told = self.told(frame, argument=False)
        if told is None or own is None:
            return told
        return told._replace(names=told.names | own.names, is_whole=True)  # both know the class to be closed

    def is_told(self, frame: Frame, *, argument: bool) -> bool:
        """Whether a type checker has answered which names may come next: then our own rules alone refuse none."""
        allowed = frame.allowed
        return allowed is not None and allowed.argument == argument and allowed.settled

    def told(self, frame: Frame, *, argument: bool) -> Members | None:
        """The names that a type checker allows next, unless its owner may become another thing."""
        allowed, context = frame.allowed, self.context
        if allowed is None or context is None or allowed.argument != argument:
            return None
        loops = (around for around in frame.outward() if around.phase == "elem" and self.may_generate(around))
        if frame.path is None and not argument and any(around.extra not in ("call", "field") for around in loops):
            return None  # a `for` may bind names that the operand reads
        return context.told(allowed)

    def from_outside(self, path: Path, *, rebound: bool = True) -> Path | None:
        """The path of an expression from a name that this line does not bind; None: there is none, or its binding is not known yet.

        rebound: even if a `for` in open brackets may still bind its name.
        """
        name = path[0]
        for frame in self.top.outward():
            if name in frame.names:
                return _through(dict(frame.types).get(name), path)
            if frame.phase == "elem" and name in self.ahead and self.may_generate(frame):
                return _through(self.ahead[name], path)
            if name in frame.open:
                return None
        return None if name in self.bound or (rebound and self._may_be_rebound(name)) else path

    def in_annotation(self) -> bool:
        """Whether a string here is an annotation. Within one, only subscripts of well-known types hold others: in `Float[Tensor, "n"]` it is none."""
        for frame in self.top.outward():
            if frame.phase in ("annotation", "returns"):
                return True
            if frame.kind != "bracket" or frame.extra != "index" or frame.args[0] is None:
                return False
            if frame.args[0][-1] not in TAKES_TYPES and (frame.args[0][-1] != "Annotated" or frame.comma):
                return False
        return False

    def _in_type(self, frame: Frame | None) -> bool:
        """Whether this is an annotation, or the subscript of a type in one."""
        while frame is not None and frame.kind == "bracket" and frame.extra == "index":
            frame = frame.parent
        return frame is not None and (frame.phase == "annotation" or frame.phase == "returns")

    def _note(self, frame: Frame, name: str) -> None:
        """Note the read of a name in a string annotation."""
        frame.items = (("noted", name), frame.items)
        if self.context is not None and not self.notable(name, self.context.later().visible):
            raise Refused(name, "names")

    def notable(self, name: str, visible: Callable[[str], bool]) -> bool:
        """Whether a name may stand in a string annotation. visible: whether the surroundings have it, or one that starts like it."""
        if visible(name) or any(local.startswith(name) for local in self.local_names()):
            return True
        for frame in self.top.outward():
            if frame.kind == "definition" and frame.saved is not None and frame.saved.startswith(name):
                return True  # the function's own name
        return False

    def _end_walrus(self, frame: Frame) -> None:
        """End the value of a `:=`, where there is one."""
        for name in frame.walrus:
            if _is_held_back(frame, name):
                frame.items = (("use", name), frame.items)  # `x, (x := 1)`
            frame.items = (("walrus", name), frame.items)
            self.bound |= {name}
        frame.walrus = ()


def _through(variable: Path | None, path: Path) -> Path | None:
    """A path from a variable as a path from its value; None: unknown."""
    return None if variable is None or len(variable) + len(path) > LONGEST_PATH else (*variable, *path[1:])


def _is_held_back(frame: Frame, name: str) -> bool:
    """Whether a name stands among the possible targets before this place."""
    return any(around.tg and around.elements and name in target_names(around.elements) for around in frame.outward())


def names_used(items: Items) -> Iterator[str]:
    """The names that operations read, without those in scopes of their own."""
    for item in linked(items):
        if item[0] == "use":
            yield item[1]
        elif item[0] == "all":
            yield from names_used(item[1])


def target_names(elements: tuple[tuple[bool, Any], ...]) -> Iterator[str]:
    for _, element in elements:
        if element.__class__ is str:
            yield element
        elif element.__class__ is Group:
            yield from target_names(element.elements)
