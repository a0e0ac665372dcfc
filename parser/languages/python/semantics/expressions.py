"""The part of the automaton for a logical line that reads expressions; see syntax.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from .....common.words import is_name
from ....scoping.verdicts import Refused
from .line_values import (
    ALWAYS,
    ARGUMENTS,
    COMPILED,
    DEBUG,
    DUNDER_DEBUG,
    KEYWORDS,
    SINGLE,
    SPREAD,
    SPREAD_SUBSCRIPT,
    TELLS_VERSION,
    TEXT,
    VALUE,
    Argument,
    Attribute,
    Context,
    Frame,
    Group,
    Items,
    Members,
    Parameter,
    Path,
    Signature,
    is_text,
    linked,
)
from .string_annotations import names_in_string, text_of
from .tokens import NEWLINE
from .type_paths import ELEMENT, INDEX, SLICE, call, either, item, names_in, read, subscript

LONGEST_PATH = 32
"""Parts of a path; of longer expressions nothing is known. Each part makes a new tuple."""
BINARY = frozenset(
    [
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "@",
        "&",
        "|",
        "^",
        "<<",
        ">>",
        "**",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "and",
        "or",
        "in",
        "is",
        "if",
        "else",
    ]
)
CONSTANTS = frozenset(("None", "True", "False", "..."))
_OF_TYPES, _TRUTHS = frozenset(("None", "...")), frozenset(("True", "False"))
"""Constants that a path may have: in annotations, and elsewhere."""
CHANGES_ATTRIBUTES = frozenset(("setattr", "delattr"))
CHANGES_NAMES = frozenset(("globals", "locals"))
TELLS_TYPE = frozenset(("isinstance", "issubclass", "hasattr", "vars", "type", "callable", "cast"))
_SPECIAL_CALLS = CHANGES_ATTRIBUTES | CHANGES_NAMES | TELLS_TYPE
EXPECTS_ERRORS = frozenset(("raises", "assertRaises", "assertRaisesRegex", "suppress"))
"""What is there for code that may fail."""
_NO_KEYWORD = frozenset((None, "*", "**"))
_BEGINS_NO_POSITION = frozenset(("*", "**", ")", ",", "for", "async", "="))
_NO_ANNOTATIONS = frozenset(("Literal", "Annotated"))
_ENDS_EXPRESSION_OF_FIELD = frozenset(("}f", ":f", "!f", "="))
_ENDS_LAMBDA = frozenset((",", ")", "]", "}", ":", "=", "for", "async", NEWLINE, ";", "as", "}f", ":f", "!f", "from"))


def _no_attribute(owner: Members, name: str) -> Refused:
    return Refused(f"{owner.owner} has no attribute {name!r}", "attributes", name, owner)


def _wrong_call(frame: Frame, message: str, lacking: Sequence[Parameter] = ()) -> Refused:
    mend = ", ".join("None" if one.kind == "/" else f"{one.name}=None" for one in lacking)
    return Refused(message, "calls", f"{frame.args[0][-1]}()", None, mend)


def _is_plain_name(token: str) -> bool:
    return is_name(token) and token not in KEYWORDS


def _is_missing(operand: Any) -> bool:
    if operand.__class__ is Group:
        return any(_is_missing(one) for _, one in operand.elements)
    return operand.__class__ is Attribute and operand.missing is not None


def _result(
    kind: str, called: Path | None, display: str | None, arguments: tuple[Argument, ...] = (Argument(None, None),)
) -> Path | None:
    """What brackets are, as a path; called: what stands before them. display: its type, or the subscript."""
    if kind == "call" or kind == "index":
        if called is None or len(called) >= LONGEST_PATH:
            return None
        return (*called, call(called, arguments) if kind == "call" else display or INDEX)
    if kind == "[":
        return ("#list",)
    return ("#" + display,) if kind == "{" and display is not None else None


class ExpressionParser:
    """The part of a `LineParser` that reads expressions. It knows nothing of statements."""

    context: Context | None
    top: Frame
    bound: frozenset[str]
    """in this line so far"""
    stored: frozenset[str]
    """attributes that are assigned in this line"""
    ahead: Mapping[str, Path | None]
    """what a `for` behind the cursor binds in brackets that are open there: see surroundings; None: unknown"""

    def feed(self, token: str) -> None:
        """Take a token; raises Refused where a context was given."""
        getattr(self, "_" + self.top.kind)(self.top, token)

    def frames(self) -> list[Frame]:
        """What is open, the innermost last."""
        found: list[Frame] = []
        at: Frame | None = self.top
        while at is not None:
            found.append(at)
            at = at.parent
        return found[::-1]

    @property
    def reads_name(self) -> bool:
        """Must a name that is typed here be visible, unless `:=` follows it?"""
        frame = self.top
        kind, phase = frame.kind, frame.phase
        if frame.attr or frame.last is not None:
            return False
        if kind == "bracket":
            if frame.tg or phase in ("targets", "as") or (phase == "elem" and frame.extra == "call"):
                return False
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

    def local_names(self) -> frozenset[str]:
        """Names that this line itself has bound."""
        names, frame = self.bound, self.top
        at: Frame | None = frame
        while at is not None:
            names |= at.names.union(at.walrus)
            at = at.parent
        return names

    def open_names(self) -> frozenset[str]:
        """Names that are read and that nothing binds, unless a `for` in the brackets that are open, or a `:=`, still does."""
        found: frozenset[str] = frozenset()
        at: Frame | None = self.top
        while at is not None:
            found |= at.open
            at = at.parent
        last = self.top.last
        if last.__class__ is str and self.context is not None and not self.surroundings(self.context).visible(last):
            found |= {last}
        return found - self.local_names()

    def awaited_names(self) -> frozenset[str]:
        """Those that this `for` in brackets has not bound yet, where its target is read; else none."""
        frame = self.top
        if frame.kind != "bracket" or frame.phase != "targets" or frame.attr or frame.last is not None:
            return frozenset()
        return frame.open - frozenset(_names_in(frame.elements)) - frame.names - self.bound

    # -- names

    def _emit(self, frame: Frame, item: Any) -> None:
        frame.items = (item, frame.items)

    def _error(self, frame: Frame, message: str, found: str = ALWAYS) -> None:
        """found: when, see line_values.py."""
        if self.context is not None:
            early = found == ALWAYS or (found == ARGUMENTS and self.context.version < (3, 9))
            if early or self._is_compiled():
                raise Refused(message)
        frame.items = (("error", message, found), frame.items)

    def _is_compiled(self) -> bool:
        """Is what is read here compiled, as far as that is known? Some annotations are not."""
        at: Frame | None = self.top
        while at is not None:
            if at.phase in ("annotation", "returns"):
                annotated = "parameter" if at.kind == "definition" else "name" if at.saved[1] else "target"
                return self.context is None or self.context.compiles(annotated)
            at = at.parent
        return True

    def _use(self, frame: Frame, name: str) -> None:
        frame.items = (("use", name), frame.items)
        context = self.context
        if context is None or name in self.bound or self.surroundings(context).visible(name):
            return
        at: Frame | None = frame
        runs_later = False
        while at is not None:
            if name in at.names or (runs_later and name in at.walrus):
                return
            runs_later |= at.kind == "lambda" and at.phase == "body"
            at = at.parent
        if not self._may_bind(frame) and not self.may_be_bound_later:
            raise Refused(name, "names")
        frame.open |= {name}

    def surroundings(self, context: Context) -> Context:
        """What surrounds the place that is read, in the context of the line."""
        at: Frame | None = self.top
        while at is not None:
            if at.phase == "annotation" or at.phase == "returns":
                return context.deferred()
            if at.kind == "lambda" and at.phase == "body":
                return context.later()
            at = at.parent
        return context

    def _may_bind(self, frame: Frame | None) -> bool:
        """May a comprehension still bind a name read here?"""
        while frame is not None:
            if frame.can_comp and frame.phase == "elem":
                return True
            if frame.kind == "bracket" and frame.phase == "elem" and frame.gens is not None:
                return True
            frame = frame.parent
        return False

    @property
    def may_be_bound_later(self) -> bool:
        """May the rest of the statement bind a name that is read here, as in `name.x if (name := f()) else y`?"""
        return self.context is not None and self.context.open_ended and self.top.phase != "del"

    def _settle_open(self, frame: Frame) -> None:
        if frame.owed:
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
        """At the end of the statement."""
        if self.context is not None and (missing := frame.open - self.bound - frame.bound):
            raise Refused(min(missing), "names")

    def _read(self, frame: Frame, what: Any) -> None:
        """What might have been a target is read."""
        if what.__class__ is str:
            self._use(frame, what)
        elif what.__class__ is Group:
            for _, element in what.elements:
                self._read(frame, element)
        elif what.__class__ is Attribute and what.missing is not None and what.name not in self.stored:
            self._refuse(frame, _no_attribute(what.missing, what.name), what.head)

    def _refuse(self, frame: Frame, refused: Refused, head: str) -> None:
        """Refuse what does not exist, unless a `for` may still bind the name that it is asked of."""
        if self._may_be_rebound(head):
            frame.owed = (*frame.owed, (head, refused))
        else:
            raise refused

    def _may_be_rebound(self, name: str) -> bool:
        """May a `for` bind a name that has been read in brackets which are open?"""
        at: Frame | None = self.top
        context = self.context
        exact = context is not None and context.open_ended
        while at is not None and name not in at.names:
            if at.can_comp and at.phase == "elem":
                if name in self.ahead:
                    return False
                if exact or at.extra not in ("call", "field"):  # mostly no generator stands there
                    return exact or context is None or not context.is_fixed(name)
            at = at.parent
        return False

    @property
    def lacks_attribute(self) -> bool:
        """Is there an attribute that does not exist, unless what follows assigns it or binds the name that it is asked of?"""
        return any(
            frame.owed or _is_missing(frame.last) or any(_is_missing(one) for _, one in frame.elements)
            for frame in self.frames()
        )

    def _settle(self, frame: Frame) -> None:
        """The operand before the current token is read."""
        last = frame.last
        if last.__class__ is str or last.__class__ is Group or last.__class__ is Attribute:
            self._read(frame, last)

    def _no_target(self, frame: Frame) -> None:
        """The elements of the frame can be no targets any more."""
        if frame.tg:
            frame.tg = False
            for _, element in frame.elements:
                self._read(frame, element)
            frame.elements = ()

    def _value(self, frame: Frame) -> None:
        """The operand before the current token is read, and with what follows is a value."""
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
        """The expression before the current token, where its operand is all of it."""
        if frame.mixed or frame.star or frame.attr or frame.last is None:
            return None
        return either((*frame.alternatives, frame.path)) if frame.alternatives else frame.path

    def _bind_name(self, frame: Frame, name: str, kind: str = "bind") -> None:
        if name == DUNDER_DEBUG:
            self._error(frame, "cannot assign to __debug__", ARGUMENTS)
        frame.items = ((kind, name), frame.items)
        self.bound |= {name}

    def _bind(self, frame: Frame, elements: tuple[tuple[bool, Any], ...], *, top: bool, comma: bool = False) -> None:
        """The elements are targets. top: not in brackets, where a lone star is an error without a comma."""
        stars = sum(star for star, _ in elements)
        if stars > 1:
            self._error(frame, "multiple starred expressions in assignment", COMPILED)
        elif stars and top and not comma:
            self._error(frame, "starred assignment target must be in a list or tuple", COMPILED)
        for _, element in elements:
            if element.__class__ is str:
                self._bind_name(frame, element)
            elif element.__class__ is Group:
                self._bind(frame, element.elements, top=element.one)
            elif element is DEBUG:
                self._error(frame, "cannot assign to __debug__", ARGUMENTS)
            elif element.__class__ is Attribute:
                self._store(frame, element, None)

    def _store(self, frame: Frame, target: Attribute, value: Any) -> None:
        """An attribute is assigned; value: see ("fact", "made") in facts.py."""
        frame.items = (("fact", "store", target.base, target.name, value), frame.items)
        self.stored |= {target.name}

    # -- expressions

    def _expression(self, frame: Frame, token: str) -> bool:
        """Take a token of an expression; False where it is none."""
        if frame.last is None and not frame.mixed:
            frame.begin = frame.items
        if _is_plain_name(token):
            if frame.attr:
                self._attribute(frame, token)
            else:
                frame.last = token
                frame.path = (token,)
                if token in TELLS_VERSION:
                    self._emit(frame, ("fact", "versions"))
            return True
        handler = _EXPRESSION.get(token if token[0] not in '#"' else token[0])
        if handler is None:
            return False
        return handler(self, frame, token)

    def _attribute(self, frame: Frame, token: str) -> None:
        """The name of an attribute, behind its dot."""
        frame.attr = False
        path = frame.path
        if token == DUNDER_DEBUG:
            frame.last, frame.path = DEBUG, None
            return
        missing = None
        if path is None:
            frame.last = Attribute("", token)
            return
        head = path[0]
        base = path[0] if len(path) == 1 else "super()" if path == ("super", "()") else ""
        frame.path = (*path, token) if len(path) < LONGEST_PATH else None
        if token in TELLS_VERSION:
            self._emit(frame, ("fact", "versions"))
        if base and base[0] != "#":
            frame.items = (("fact", "mention", base, token), frame.items)
        if self.context is not None and token not in self.stored:
            found = self.members(path, rebound=False)
            if found is not None and not found.has(token):
                if not frame.tg:
                    self._refuse(frame, _no_attribute(found, token), head)
                else:
                    missing = found
        frame.last = Attribute(base, token, missing, head)

    def members(self, path: Path | None, *, rebound: bool = True) -> Members | None:
        """The attributes of what an expression here gives; None: unknown. rebound: also where a `for` may still bind its name?"""
        context = self.context
        path = None if path is None or context is None else self.from_outside(path, rebound=rebound)
        return None if path is None or context is None else context.members(path)

    def from_outside(self, path: Path, *, rebound: bool = True) -> Path | None:
        """An expression as a path from a name that this line does not bind; None: there is none, or what binds it is not known yet.

        rebound: may a `for` in brackets that are open still bind its name?
        """
        name = path[0]
        at: Frame | None = self.top
        while at is not None:
            if name in at.names:
                return _through(dict(at.types).get(name), path)
            if at.can_comp and at.phase == "elem" and name in self.ahead:
                return _through(self.ahead[name], path)
            if name in at.open:
                return None
            at = at.parent
        return None if name in self.bound or (rebound and self._may_be_rebound(name)) else path

    def _on_constant(self, frame: Frame, token: str) -> bool:
        if token[0] == '"' and is_text(token) and (frame.last is None or frame.last is TEXT):
            frame.last = TEXT
        else:
            frame.last = VALUE
        if token[0] != '"' or not is_text(token):
            known = _OF_TYPES if self._in_type(frame) else _TRUTHS
            frame.path = (token,) if token in known else None
            return True
        if self._in_type(frame):
            frame.path = read(text_of(token[1:]))
        else:
            frame.path = ("#str",)
        if self.in_annotation(anywhere=True):
            for name in names_in_string(text_of(token[1:])):
                self._note(frame, name)
        return True

    def in_annotation(self, *, anywhere: bool = False) -> bool:
        """Is a string that stands here an annotation? anywhere: also as an argument of a call in one, where pyflakes reads it so."""
        at: Frame | None = self.top
        while at is not None:
            if at.phase in ("annotation", "returns"):
                return True
            if at.kind != "bracket" or (at.extra != "index" and not anywhere):
                return False
            if at.extra == "index" and (at.args[0] is None or at.args[0][-1] in _NO_ANNOTATIONS):
                return False
            at = at.parent
        return False

    def _in_type(self, frame: Frame | None) -> bool:
        """Is this an annotation, or the subscript of a type in one?"""
        while frame is not None and frame.kind == "bracket" and frame.extra == "index":
            frame = frame.parent
        return frame is not None and (frame.phase == "annotation" or frame.phase == "returns")

    def _note(self, frame: Frame, name: str) -> None:
        """A name in a string annotation is read."""
        frame.items = (("noted", name), frame.items)
        if self.context is not None and not self.notable(name, self.context.later().visible):
            raise Refused(name, "names")

    def notable(self, name: str, visible: Callable[[str], bool]) -> bool:
        """May a name stand in a string annotation? visible: does what surrounds the line have it, or one that starts like it?"""
        if visible(name) or any(one.startswith(name) for one in self.local_names()):
            return True
        at: Frame | None = self.top
        while at is not None:
            if at.kind == "definition" and at.saved is not None and at.saved.startswith(name):
                return True  # the function's own name
            at = at.parent
        return False

    def _on_dot(self, frame: Frame, token: str) -> bool:
        self._settle(frame)
        frame.last, frame.attr = SINGLE, True
        return True

    def _on_open(self, frame: Frame, token: str) -> bool:
        if frame.last is not None and token != "{":
            self._settle(frame)
            frame.last = None
            kind = "call" if token == "(" else "index"
            self.top = new = Frame("bracket", frame, "elem", can_comp=kind == "call")
            new.args = (frame.path, (), None)
        else:
            kind = token
            self.top = new = Frame("bracket", frame, "elem", tg=frame.tg and token != "{", can_comp=True)
        new.extra = kind
        return True

    def _on_operator(self, frame: Frame, token: str) -> bool:
        if frame.last is None:
            frame.mixed = True
            if token in ("*", "**"):
                if frame.kind == "bracket":
                    frame.can_comp = False
                    if frame.args is not None:
                        frame.args = (*frame.args[:2], token)
                    if token == "**":
                        frame.saved = ":"  # a dict
                    self._settle_open(frame)
                if token == "*":
                    frame.star = True
                    return True
            self._no_target(frame)
            return True
        if token == "if":
            if frame.kind == "lambda":
                frame.saved = (frame.saved or 0) + 1
            self._begin_condition_of_value(frame)
            return True
        if token == "else":
            if frame.kind == "lambda":
                if not frame.saved:
                    return False
                frame.saved -= 1
            self._end_condition_of_value(frame)
            return True
        if token == "|" and not frame.mixed and self._in_type(frame):
            alternatives = (*frame.alternatives, frame.path)
            self._value(frame)
            frame.alternatives = alternatives
            return True
        self._value(frame)
        frame.mixed = True
        return True

    def _begin_condition_of_value(self, frame: Frame) -> None:
        """The `if` of a conditional expression: its condition is evaluated before what stands on its left."""
        self._settle(frame)
        frame.last = None
        frame.conditional, frame.items = _since(frame.begin, frame.items), frame.begin
        self._value(frame)
        frame.mixed = True

    def _end_condition_of_value(self, frame: Frame) -> None:
        """Its `else`."""
        self._value(frame)
        if frame.conditional is not None:
            frame.items = (("all", frame.conditional), frame.items)
        frame.mixed, frame.begin, frame.conditional = True, frame.items, None

    def _on_unary(self, frame: Frame, token: str) -> bool:
        if token == "not" and frame.last is not None:
            self._value(frame)  # "not in"
        self._no_target(frame)
        frame.mixed = True
        return True

    def _on_lambda(self, frame: Frame, token: str) -> bool:
        self._no_target(frame)
        frame.mixed = True
        self.top = Frame("lambda", frame, "name")
        self.top.extra = ()
        return True

    def _on_yield(self, frame: Frame, token: str) -> bool:
        self._no_target(frame)
        frame.mixed = True
        at: Frame | None = frame
        if self.context is not None:
            while at is not None and not (at.kind == "lambda" and at.phase == "body"):
                if at.kind == "bracket" and at.phase not in ("elem", "iter"):  # the first iterable runs outside
                    raise Refused("'yield' inside a comprehension")
                at = at.parent
            if at is None and not self.context.in_function and self._is_compiled():
                raise Refused("'yield' outside function")
        frame.items = (("flag", "yield"), frame.items)
        if frame.kind == "bracket":
            frame.can_comp = False
        frame.last, frame.yielded = None, True
        return True

    def _on_from(self, frame: Frame, token: str) -> bool:
        """`yield from`, `raise x from`"""
        if frame.yielded and frame.last is None:
            frame.yielded = False
            frame.items = (("flag", "yield from"), frame.items)
            inside = self.context is not None and self.context.in_async and not self._in_lambda(frame)
            if inside and self._is_compiled():
                raise Refused("'yield from' inside async function")
            return True
        if frame.kind == "simple":
            self._value(frame)
            return True
        return False

    def _in_lambda(self, frame: Frame | None) -> bool:
        while frame is not None:
            if frame.kind == "lambda" and frame.phase == "body":
                return True
            frame = frame.parent
        return False

    def _on_await(self, frame: Frame, token: str) -> bool:
        self._no_target(frame)
        frame.mixed = True
        frame.items = (("flag", "await"), frame.items)
        if self.context is not None and not self.context.in_async and self._is_compiled():
            at: Frame | None = frame
            while at is not None:
                if at.kind == "lambda" and at.phase == "body":
                    raise Refused("'await' outside async function")
                generator = at.kind == "bracket" and at.extra in ("(", "call", "field")
                if generator and (at.can_comp or at.phase != "elem"):
                    return True
                at = at.parent
            raise Refused("'await' outside async function")
        return True

    def _on_async(self, frame: Frame, token: str) -> bool:
        frame.is_async = True
        return frame.kind == "bracket"

    def _on_walrus(self, frame: Frame, token: str) -> bool:
        name = frame.last
        while name.__class__ is Group and name.one:
            name = name.elements[0][1]
        self._no_target(frame)
        frame.last, frame.path, frame.mixed = None, None, True
        if name.__class__ is str:
            if name == DUNDER_DEBUG:
                self._error(frame, "cannot assign to __debug__", ARGUMENTS)
            at: Frame | None = frame
            if self.context is not None:
                while at is not None:
                    if at.kind == "bracket" and at.phase in ("iter", "later iter"):
                        raise Refused("assignment expression cannot be used in a comprehension iterable expression")
                    if at.kind == "bracket" and at.phase in ("cond", "targets") and name in at.names:
                        raise Refused(f"assignment expression cannot rebind comprehension iteration variable '{name}'")
                    at = at.parent
            frame.walrus = (name, *frame.walrus)
        frame.begin = frame.items
        return True

    def _end_walrus(self, frame: Frame) -> None:
        """The value of a `:=` is whole, where there is one."""
        for name in frame.walrus:
            frame.items = (("walrus", name), frame.items)
            self.bound |= {name}
        frame.walrus = ()

    def _on_fstring(self, frame: Frame, token: str) -> bool:
        self.top = Frame("fstring", frame)
        return True

    def _pop(self, last: Any) -> Frame:
        """Leave the frame on top; its operations belong to the one below, which it is an operand of."""
        frame = self.top
        assert frame.parent is not None
        parent = frame.parent.copy()
        if frame.items is not None:
            parent.items = (("all", frame.items), parent.items)
        if frame.open or frame.owed:
            parent.open |= frame.open
            parent.owed += frame.owed
            self.top = parent
            self._settle_open(parent)
        parent.last, parent.path = last, None
        self.top = parent
        return parent

    # -- brackets and comprehensions

    def _bracket(self, frame: Frame, token: str) -> None:
        kind = frame.extra
        if kind == "call" and self.context is not None:
            self.check_position(frame, token)
        if token == "for":
            self._begin_for(frame)
        elif token == "in" and frame.phase == "targets":
            self._end_element(frame)
            self._bind_targets_of_for(frame)
        elif token == "if" and frame.phase in ("iter", "later iter", "cond"):
            self._end_part(frame)
            frame.phase = "cond"
        elif token == ",":
            if frame.phase == "as":
                self._end_with_target(frame)
            elif frame.phase != "targets":
                frame.can_comp = False
                if frame.args is not None:
                    self._argument(frame)
                self._end_element(frame)
                frame.comma = True
                self._settle_open(frame)
            else:
                self._end_element(frame)
                frame.comma = True
        elif token == ":" and kind in ("{", "index") and frame.phase == "elem":
            self._value(frame)
            frame.saved = ":"  # a dict, or a slice
            frame.mixed, frame.begin = kind == "index", frame.items
        elif token == "=" and kind == "call":
            name = frame.last
            frame.last = None
            frame.path, frame.mixed = None, False
            frame.can_comp = False
            self._settle_open(frame)
            if name.__class__ is str:
                if name in frame.keywords:
                    self._error(frame, f"keyword argument repeated: {name}", ARGUMENTS)
                if name == DUNDER_DEBUG:
                    self._error(frame, "cannot assign to __debug__", ARGUMENTS)
                frame.keywords |= {name}
                self._keyword(frame, name)
        elif token == "as":  # with (a as b): the items of a statement, in brackets
            self._value(frame)
            frame.can_comp = False
            frame.phase, frame.tg = "as", True
        elif token in (")", "]", "}"):
            self._close(frame, kind)
        elif kind == "field" and token in _ENDS_EXPRESSION_OF_FIELD:
            self._end_field(frame, token)
        else:
            self._expression(frame, token)

    def _argument(self, frame: Frame) -> None:
        """An argument of a call is whole."""
        called, arguments, keyword = frame.args
        path = self.whole(frame)
        if called is not None and not arguments and keyword in _NO_KEYWORD and called[-1] in _SPECIAL_CALLS:
            self._first_of_special(frame, called[-1], path)
        elif called == ("sys", "modules") and path == ("__name__",):
            self._emit(frame, ("fact", "dynamic"))
        frame.args = called, self._arguments(frame), None

    def _arguments(self, frame: Frame) -> tuple[Argument, ...]:
        """Those of a call so far, if the one that is being read ends here."""
        _, arguments, keyword = frame.args
        if frame.gens is not None:
            return (*arguments, Argument(None, None))
        return arguments if frame.last is None else (*arguments, Argument(keyword, self.whole(frame)))

    def _first_of_special(self, frame: Frame, called: str, path: Path | None) -> None:
        """The first argument of a function that tells or changes what something is."""
        if called in CHANGES_NAMES:
            self._emit(frame, ("fact", "dynamic"))
        elif called in CHANGES_ATTRIBUTES:
            self._emit(frame, ("fact", "patched", path[0] if path is not None and len(path) == 1 else ""))
        elif path is not None:
            self._emit(frame, ("fact", "probed", path))
            self._forget_type(path[0])

    def _forget_type(self, name: str) -> None:
        """A variable of a comprehension may be something else than it seems."""
        if name in self.ahead:
            self.ahead = {**self.ahead, name: None}
        at: Frame | None = self.top
        above: list[Frame] = []
        while at is not None and name not in at.names:
            above.append(at)
            at = at.parent
        if at is None or not at.types:
            return
        below = at.copy() if above else at  # frames below the top are shared by copies of this parser
        below.types = tuple((one, path) for one, path in at.types if one != name)
        for frame in reversed(above):
            copied = frame if frame is self.top else frame.copy()
            copied.parent = below
            below = copied

    def _keyword(self, frame: Frame, name: str) -> None:
        called, arguments, _ = frame.args
        frame.args = called, arguments, name
        signature = self.signature(self.context, rebound=False)
        found = None if signature is None else signature.keywords()
        if found is not None and not found.has(name) and name not in self.stored:
            refused = Refused(f"{found.owner} takes no keyword argument {name!r}", "attributes", name, found)
            self._refuse(frame, refused, called[0])
        elif signature is not None and name in signature.bound(arguments):
            self._refuse_call(frame, _wrong_call(frame, f"{signature.owner} gets its argument {name!r} twice"))

    def signature(self, context: Context | None, *, rebound: bool = True) -> Signature | None:
        """The arguments that the call around takes; None: unknown. rebound: see members."""
        frame = self.top
        if context is None or frame.kind != "bracket" or frame.extra != "call":
            return None
        path = frame.args[0]
        path = None if path is None else self.from_outside(path, rebound=rebound)
        return None if path is None or self._is_to_raise(frame.parent) else context.signature(path)

    def _is_to_raise(self, frame: Frame | None) -> bool:
        """Is this an argument of something that expects an error, `self.assertRaises(TypeError, lambda: f())`?"""
        while frame is not None:
            if frame.extra == "call" and frame.args[0] is not None and frame.args[0][-1] in EXPECTS_ERRORS:
                return True
            frame = frame.parent
        return False

    def takes_position(self) -> bool:
        """May an argument by position begin here, as far as that is known?"""
        signature = self.signature(self.context)
        return signature is None or self.top.args[2] is not None or signature.takes_more(self.top.args[1])

    def check_position(self, frame: Frame, token: str) -> None:
        """Refuse an argument by position that is one too many, once it is no keyword."""
        called, arguments, keyword = frame.args
        if called is None or keyword is not None or frame.phase != "elem" or frame.mixed:
            return
        if frame.last.__class__ is str:
            begun = token != "="
        else:
            begun = frame.last is None and token not in _BEGINS_NO_POSITION and not _is_plain_name(token)
        if begun and not self.takes_position():
            signature = self.signature(self.context)
            assert signature is not None
            message = signature.refuses((*arguments, Argument(None, None)))
            self._refuse_call(frame, _wrong_call(frame, str(message)))

    def _check_call(self, frame: Frame) -> None:
        """Refuse a call that ends here where its arguments are known to be wrong."""
        refused = self.call_problem(self.context, rebound=False)
        if refused is not None:
            self._refuse_call(frame, refused)

    def call_problem(self, context: Context | None, *, rebound: bool = True) -> Refused | None:
        """What is wrong with the call around if it ends here. rebound: see members."""
        signature = self.signature(context, rebound=rebound)
        if signature is None:
            return None
        arguments = tuple(one for one in self._arguments(self.top) if one.keyword not in self.stored)
        message = signature.refuses(arguments)
        return None if message is None else _wrong_call(self.top, message, signature.lacking(arguments))

    def _refuse_call(self, frame: Frame, refused: Refused) -> None:
        if refused.word not in self.stored:
            self._refuse(frame, refused, frame.args[0][0])

    def _begin_for(self, frame: Frame) -> None:
        if frame.phase == "elem":
            self._value(frame)
            self._end_walrus(frame)
            frame.saved = frame.items
        else:
            self._end_part(frame)
        frame.items = None
        frame.phase, frame.tg, frame.elements, frame.comma = "targets", True, (), False
        frame.can_comp = True
        frame.gens = ((frame.is_async, None, None, None), frame.gens)
        frame.is_async = False

    def _bind_targets_of_for(self, frame: Frame) -> None:
        elements, frame.elements = frame.elements, ()
        frame.targets = elements, frame.comma
        bound = self.bound
        before, frame.items = frame.items, None
        self._bind(frame, elements, top=True, comma=frame.comma)
        self.bound = bound
        if before is not None:  # what targets such as `d[key]` read
            frame.items = (("all", before), frame.items)
        names = frozenset(_names_in(elements))
        frame.names |= names
        frame.open -= names
        frame.owed = tuple(one for one in frame.owed if one[0] not in names)
        (is_async, _, _, _), rest = frame.gens
        frame.gens = ((is_async, frame.items, None, None), rest)
        frame.items, frame.tg, frame.comma = None, False, False
        frame.phase = "iter" if rest is None else "later iter"

    def _end_part(self, frame: Frame) -> None:
        """The iterable or a condition is whole."""
        path = self.whole(frame)
        self._value(frame)
        (is_async, targets, iterable, conditions), rest = frame.gens
        if frame.phase in ("iter", "later iter"):
            iterable = frame.items
            if path is not None and not is_async:
                self._type_targets(frame, path)
        elif frame.phase == "cond":
            conditions = (("all", frame.items), conditions)
        frame.gens = ((is_async, targets, iterable, conditions), rest)
        frame.items = None

    def _type_targets(self, frame: Frame, iterable: Path) -> None:
        """Note what a `for` in brackets binds."""
        path = self.from_outside(iterable)
        if path is None or not names_in(path[1:]).isdisjoint(self.bound.union(frame.names)):
            return
        elements, comma = frame.targets
        frame.types = (*frame.types, *parts_of(elements, comma, (*path, ELEMENT)))

    def _close(self, frame: Frame, kind: str) -> None:
        if frame.phase == "as":
            self._end_with_target(frame)
            self._pop(VALUE)
            return
        called = frame.args[0] if frame.args is not None else None
        if frame.gens is not None:
            self._end_comprehension(frame, kind)
            if kind == "call" and self.context is not None:
                self._check_call(frame)
            parent = self._pop(VALUE)
            parent.path = _result(kind, called, None)
            return
        frame.can_comp = False
        if frame.args is not None:
            if kind == "call" and self.context is not None:
                self._check_call(frame)
            self._argument(frame)
        if kind in ("(", "["):
            star, last = frame.star, frame.last
            if kind == "(" and star and not frame.comma and last is not None and not frame.elements:
                # "(*a)", of Python 3.8
                frame.items = (("starred",), frame.items)
            whole = None if kind == "[" or frame.comma or frame.star or frame.mixed else frame.last
            self._end_element(frame)
            if frame.tg:
                group = Group(frame.elements, kind == "(" and len(frame.elements) == 1 and not frame.comma)
                one = group.elements[0][1] if group.one and not group.elements[0][0] else None
                if one is SINGLE or one is SPREAD_SUBSCRIPT or one.__class__ is Attribute:
                    self._pop(one)
                else:
                    parent = self._pop(group)
                    parent.path = _result(kind, None, None)
                return
            if kind == "(" and frame.comma and frame.spread:
                whole = SPREAD
            parent = self._pop(whole if whole is TEXT or whole is SPREAD else VALUE)
            parent.path = _result(kind, None, None)
            return
        display = "dict" if frame.saved == ":" or (not frame.comma and frame.last is None) else "set"
        arguments = frame.args[1] if frame.args is not None else ()
        if called == ("exec",) and len(arguments) < 2:
            self._emit(frame, ("fact", "dynamic"))
        if kind == "index":
            display = SLICE if frame.saved == ":" else INDEX
            if self._in_type(frame):
                display = subscript(one.path for one in arguments)
        self._end_element(frame)
        parent = self._pop(VALUE if kind != "index" else SPREAD_SUBSCRIPT if frame.spread else SINGLE)
        parent.path = _result(kind, called, display, arguments)
        if kind == "call" and parent.kind == "definition" and parent.extra == "class":
            parent.args = arguments

    def _end_comprehension(self, frame: Frame, kind: str) -> None:
        self._end_part(frame)
        gens = tuple(reversed(list(linked(frame.gens))))
        frame.items = (("comp", kind, frame.saved, gens), None)
        frame.names, frame.types = frozenset(), ()
        frame.can_comp, frame.phase = False, "done"

    def _end_with_target(self, frame: Frame) -> None:
        self._end_element(frame)
        elements, frame.elements = frame.elements, ()
        self._bind(frame, elements, top=True)
        frame.phase, frame.tg = "elem", False

    # -- lambda

    def _lambda(self, frame: Frame, token: str) -> None:
        """extra: the parameters so far; outer: what their defaults evaluate."""
        if frame.phase == "body":
            if (
                token in _ENDS_LAMBDA
                or (token == "else" and frame.last is not None and not frame.saved)
                or not self._expression(frame, token)
            ):
                self._end_lambda(frame)
                self.feed(token)
        elif token == ":":
            self._value(frame)
            frame.outer, frame.items = frame.items, None
            frame.phase, frame.names = "body", frozenset(frame.extra)
        elif token == ",":
            self._value(frame)
            frame.phase = "name"
        elif token == "=":
            frame.phase = "default"
        elif frame.phase == "default":
            self._expression(frame, token)
        elif is_name(token):
            if token in frame.extra:
                self._error(frame, f"duplicate argument '{token}' in function definition")
            if token == DUNDER_DEBUG:
                self._error(frame, "cannot assign to __debug__", ARGUMENTS)
            frame.extra = (*frame.extra, token)

    def _end_lambda(self, frame: Frame) -> None:
        self._value(frame)
        body = frame.items
        frame.items = (("lambda", frame.extra, frame.outer, body), None)
        frame.names = frozenset()
        self._pop(VALUE)

    # -- formatted strings

    def _fstring(self, frame: Frame, token: str) -> None:
        if token == "{f":
            self._open_field(frame)
        elif token == '"f':
            parent = self._pop(VALUE)
            parent.path = ("#str",)

    def _open_field(self, frame: Frame) -> None:
        """A field is read as if it stood in parentheses; up to Python 3.11 it may be a generator."""
        may_generate = self.context is None or self.context.version < (3, 12)
        self.top = new = Frame("bracket", frame, "elem", can_comp=may_generate)
        new.extra = "field"

    def _end_field(self, frame: Frame, token: str) -> None:
        """The expression of a field is whole; what follows is `=`, a conversion, a format specification, or the field's end."""
        if frame.gens is None and frame.star and not frame.comma and frame.last is not None:
            self._error(frame, "can't use starred expression here", COMPILED)
        if frame.gens is not None:
            self._end_comprehension(frame, "(")
        else:
            frame.can_comp = False
            self._end_element(frame)
        self._pop(None)
        if token != "}f":
            self.top = Frame("spec", self.top)

    def _spec(self, frame: Frame, token: str) -> None:
        """What stands behind the expression of a field."""
        if token == "{f":
            self._open_field(frame)
        elif token == "}f":
            self._pop(None)

    IN_EXPRESSION: ClassVar[dict[str, Any]] = {
        "#": _on_constant,
        '"': _on_constant,
        **dict.fromkeys(CONSTANTS, _on_constant),
        ".": _on_dot,
        **dict.fromkeys("([{", _on_open),
        **dict.fromkeys(BINARY, _on_operator),
        "~": _on_unary,
        "not": _on_unary,
        "lambda": _on_lambda,
        "yield": _on_yield,
        "from": _on_from,
        "await": _on_await,
        "async": _on_async,
        ":=": _on_walrus,
        'f"': _on_fstring,
    }
    """Takes a symbol of an expression."""


def _since(begin: Items, items: Items) -> Items:
    """The operations behind those that a list begins with."""
    kept: list[Any] = []
    while items is not None and items is not begin:
        kept.append(items[0])
        items = items[1]
    found: Items = None
    for one in reversed(kept):
        found = one, found
    return found


def _through(variable: Path | None, path: Path) -> Path | None:
    """A path from a variable as one from outside, where it is known what the variable is."""
    return None if variable is None or len(variable) + len(path) > LONGEST_PATH else (*variable, *path[1:])


def parts_of(elements: tuple[tuple[bool, Any], ...], comma: bool, path: Path) -> Iterator[tuple[str, Path]]:
    """What names among targets are bound to; path: what they take apart, or what the only one is."""
    if len(path) > LONGEST_PATH or any(star for star, _ in elements):
        return
    for number, (_, element) in enumerate(elements):
        one = path if len(elements) == 1 and not comma else (*path, item(number))
        if element.__class__ is str:
            yield element, one
        elif element.__class__ is Group:
            yield from parts_of(element.elements, not element.one, one)


def _names_in(elements: tuple[tuple[bool, Any], ...]) -> Iterator[str]:
    for _, element in elements:
        if element.__class__ is str:
            yield element
        elif element.__class__ is Group:
            yield from _names_in(element.elements)


_EXPRESSION = ExpressionParser.IN_EXPRESSION
