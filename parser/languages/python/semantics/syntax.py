"""What a logical line of Python means: its tokens in, a `Line` of scoped operations out, one token at a time.

`LineParser` is a push-down automaton over the tokens of one logical line that is known to be valid. It sorts names by what
they are there (read, bound, a parameter, a keyword, a capture ...) and finds the errors that one line shows by itself. What a
name is may only be known later (`a, b` are read until `=` comes; the element of a comprehension is read in a scope that its
`for` opens), so the automaton holds such names back.

Given a `Context`, it refuses as soon as nothing that follows could mend it: a name that is not visible and that nothing can
bind any more, a `return` outside a function.

Operations are nested tuples, the first item says what it is; see scopes.py, which reads them. Lists of them are linked, the
last first, so that a parser can be copied at once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Protocol

from .patterns import Pattern, read_pattern
from .tokens import NEWLINE

Items = tuple[Any, Any] | None
"""Operations, linked: the last, and those before it."""

Path = tuple[str, ...]
"""An expression of names, attributes and calls: `a.b(c).d` is ("a", "b", "()", "d"), and a subscript "[]". A display or a string
literal is the name of its type behind "#"."""
_LONGEST_PATH = 32
"""Parts of a path; of longer expressions nothing is known. Each part makes a new tuple."""

KEYWORDS = frozenset(
    [
        "False",
        "None",
        "True",
        "and",
        "as",
        "assert",
        "async",
        "await",
        "break",
        "class",
        "continue",
        "def",
        "del",
        "elif",
        "else",
        "except",
        "finally",
        "for",
        "from",
        "global",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "nonlocal",
        "not",
        "or",
        "pass",
        "raise",
        "return",
        "try",
        "while",
        "with",
        "yield",
    ]
)
_AUGMENTED = frozenset(["+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//="])
_BINARY = frozenset(
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
_CONSTANTS = frozenset(("None", "True", "False", "..."))
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_DEBUG = "__debug__"


class Context(Protocol):
    """What surrounds a line, for a parser that refuses early."""

    in_function: bool
    in_async: bool
    in_loop: bool
    version: tuple[int, int]

    def visible(self, name: str) -> bool:
        """Is there a binding of the name that a read here may find?"""
        ...

    def has_prefix(self, prefix: str) -> bool:
        """Can a name that is read here, or a keyword in an expression, start like this?"""
        ...

    def deferred(self) -> Context:
        """What surrounds an annotation: where those are not evaluated, they see all that is bound behind them."""
        ...

    def later(self) -> Context:
        """What surrounds a string annotation: it is read when all is bound."""
        ...

    def inside(self, header: Header) -> Context:
        """What surrounds the statements on the line of a header."""
        ...

    def members(self, path: Path) -> Members | None:
        """The attributes of what an expression gives; None: unknown."""
        ...

    def keywords(self, path: Path) -> Members | None:
        """The keyword arguments that what an expression gives takes; None: unknown."""
        ...

    def importable(self, module: str) -> Members | None:
        """The names that `from module import` can bring; None: unknown."""
        ...


class Members(NamedTuple):
    """The names that something has, and what it is, in words."""

    owner: str
    names: frozenset[str]

    def has(self, name: str) -> bool:
        """Is it one of them, or one that Python itself may give?"""
        return name in self.names or name.startswith("__") or (name[0] == "_" and "__" in name)

    def shown(self) -> tuple[str, ...]:
        """Them for a person, in order, without beginnings of private names."""
        return tuple(sorted(name for name in self.names if name.startswith("__") or not name.endswith("__")))

    def has_prefix(self, prefix: str) -> bool:
        """Does one start like this?"""
        if prefix[0] == "_" and "__" in prefix:
            return True
        return any(name.startswith(prefix) for name in self.names)


class Attribute(NamedTuple):
    """An attribute, read or a target; base: the name that it is one of, "" for that of any other expression."""

    base: str
    name: str
    missing: Members | None = None
    """what is known to have no such attribute, so that it can only be a target"""


class Group(NamedTuple):
    """A display in parentheses or square brackets that may still become a target; one: a single element in parentheses."""

    elements: tuple[tuple[bool, Any], ...]
    one: bool


class _Mark:
    """What the operand before the current token is, where that is all that matters."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


SINGLE = _Mark("SINGLE")  # an attribute or a subscript: a target that binds no name
DEBUG = _Mark("DEBUG")  # the attribute __debug__, which may not be assigned to
VALUE = _Mark("VALUE")  # no target


class Header(NamedTuple):
    """The first part of a compound statement, up to its colon."""

    kind: str
    """def, class, for, while, if, elif, else, try, except, finally, with, match, case"""
    items: Items = None
    """what it evaluates and binds in the scope it stands in"""
    name: str | None = None
    """of a function or class; that of an exception"""
    is_async: bool = False
    params: tuple[str, ...] = ()
    type_params: tuple[str, ...] = ()
    scoped: Items = None
    """what is evaluated where the type parameters are visible"""
    bare: bool = False
    """an `except:`"""
    star: bool = False
    """an `except*`"""
    catches_names: bool = False
    """an except clause that a NameError comes to"""
    catches_attributes: bool = False
    """one that is there for what may not exist: an AttributeError, an ImportError"""
    pattern: Pattern | None = None
    guard: bool = False
    signature: tuple[Parameter, ...] = ()
    arguments: tuple[Argument, ...] = ()
    """of a class: its bases and keywords"""
    returns: Path | None = None
    """the annotation of what a function returns"""


class Parameter(NamedTuple):
    """A parameter of a function; kind: "/" (by position only), "" , "=" (by keyword only), "*" or "**"."""

    name: str
    kind: str
    annotation: Path | None = None


class Argument(NamedTuple):
    """An argument of a call; keyword: None by position; path: None for any other expression, and behind a star."""

    keyword: str | None
    path: Path | None


class Line(NamedTuple):
    """A logical line."""

    column: int
    header: Header | None
    items: Items
    """of its simple statements; behind a header those on the same line"""
    inline: bool = False
    """Do statements follow the header on its line?"""
    decorator: bool = False
    future: tuple[str, ...] | None = None
    """the features of a `from __future__ import`"""
    is_string: bool = False
    """nothing but a string"""
    content: Any = None
    """what scopes.py makes of it, where it is kept"""


class Frame:
    """A construct that is open; its fields hold values, so that copying is cheap."""

    __slots__ = (
        "args",
        "attr",
        "bound",
        "can_comp",
        "comma",
        "defaults",
        "elements",
        "extra",
        "gens",
        "is_async",
        "items",
        "keywords",
        "kind",
        "last",
        "mixed",
        "names",
        "open",
        "outer",
        "parent",
        "path",
        "phase",
        "saved",
        "star",
        "targets",
        "tg",
        "yielded",
    )  # fmt: skip

    def __init__(
        self, kind: str, parent: Frame | None, phase: str = "", *, tg: bool = False, can_comp: bool = False
    ) -> None:
        self.kind = kind
        self.parent = parent
        self.phase = phase
        self.items: Items = None
        self.elements: tuple[tuple[bool, Any], ...] = ()  # held back: they may still be targets
        self.tg = tg  # may the elements be targets?
        self.can_comp = can_comp  # may a comprehension's `for` come?
        self.last: Any = None  # the operand before the current token
        self.path: Path | None = None  # of that operand, where it is one
        self.mixed = False  # is the operand but a part of the expression?
        self.args: Any = None  # of a call: (what is called, arguments so far, the keyword of the next)
        self.attr = False  # an attribute's name comes next
        self.star = False  # the element has a star
        self.comma = False
        self.is_async = False
        self.names: frozenset[str] = frozenset()  # bound within this expression
        self.open: frozenset[str] = frozenset()  # read, visible nowhere, may still be bound
        self.gens: Any = None  # of a comprehension: linked (async, targets, iterable, conditions)
        self.keywords: frozenset[str] = frozenset()  # of a call
        self.yielded = False  # the last keyword was `yield`
        self.outer: Items = None  # operations before the part that is being read
        self.targets: Any = None
        self.defaults: Items = None
        self.bound: frozenset[str] = frozenset()
        self.saved: Any = None
        self.extra: Any = None

    def copy(self) -> Frame:
        """The same, with the same parent: that is copied when this frame is left."""
        new = Frame.__new__(Frame)
        (
            new.args,
            new.attr,
            new.bound,
            new.can_comp,
            new.comma,
            new.defaults,
            new.elements,
            new.extra,
            new.gens,
            new.is_async,
            new.items,
            new.keywords,
            new.kind,
            new.last,
            new.mixed,
            new.names,
            new.open,
            new.outer,
            new.parent,
            new.path,
            new.phase,
            new.saved,
            new.star,
            new.targets,
            new.tg,
            new.yielded,
        ) = _FIELDS(self)
        return new


_FIELDS: Callable[[Frame], tuple[Any, ...]] = attrgetter(*Frame.__slots__)


class Refused(Exception):
    """Nothing that follows can make this compile, or bind the name; kind: "compile", "names" or "attributes"."""

    def __init__(self, message: str, kind: str = "compile", word: str = "", known: Members | None = None) -> None:
        """word: the attribute, keyword or import that does not exist; known: what does."""
        super().__init__(message)
        self.kind = kind
        self.word = word
        self.known = known


def _no_attribute(owner: Members, name: str) -> Refused:
    return Refused(f"{owner.owner} has no attribute {name!r}", "attributes", name, owner)


def _result(kind: str, called: Path | None, display: str | None) -> Path | None:
    """What brackets are, as a path; called: what stands before them."""
    if kind == "call" or kind == "index":
        return None if called is None or len(called) >= _LONGEST_PATH else (*called, "()" if kind == "call" else "[]")
    if kind == "[":
        return ("#list",)
    return ("#" + display,) if kind == "{" and display is not None else None


class LineParser:
    """The automaton for one logical line; `feed` it tokens up to and with NEWLINE, then `line` is there."""

    def __init__(self, column: int, context: Context | None = None) -> None:
        self.column = column
        self.context = context
        self.top = Frame("start", None)
        self.header: Header | None = None
        self.before: Items = None  # operations of simple statements that are whole
        self.line: Line | None = None
        self.decorator = False
        self.future: tuple[str, ...] | None = None
        self.statements = 0
        self.is_string = False
        self.bound: frozenset[str] = frozenset()  # in this line so far
        self.stored: frozenset[str] = frozenset()  # attributes that are assigned in this line

    def copy(self) -> LineParser:
        new = LineParser.__new__(LineParser)
        new.__dict__.update(self.__dict__)
        new.top = self.top.copy()
        return new

    def feed(self, token: str) -> None:
        """Take a token; raises Refused where a context was given."""
        getattr(self, "_" + self.top.kind)(self.top, token)

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
        return kind in ("field", "guard") and not self._may_bind(frame)

    @property
    def may_be_chained(self) -> bool:
        """Does what is typed here stand behind an `=`, where it is bound only if another `=` follows?"""
        return self.top.kind == "simple" and self.top.phase == "rhs" and self.top.tg

    def names_read(self) -> frozenset[str]:
        """Names that this line has read so far."""
        found: set[str] = set()
        at: Frame | None = self.top
        todo: list[Any] = [self.before]
        while at is not None:
            todo += (at.items, at.outer, at.saved, at.gens, at.defaults, at.targets)
            at = at.parent
        while todo:
            item = todo.pop()
            if item.__class__ is tuple and item:
                if item[0] == "use":
                    found.add(item[1])
                else:
                    todo += item
        return frozenset(found)

    def local_names(self) -> frozenset[str]:
        """Names that this line itself has bound."""
        names, frame = self.bound, self.top
        at: Frame | None = frame
        while at is not None:
            names |= at.names
            at = at.parent
        return names

    # -- names

    def _emit(self, frame: Frame, item: Any) -> None:
        frame.items = (item, frame.items)

    def _error(self, frame: Frame, message: str) -> None:
        if self.context is not None:
            raise Refused(message)
        frame.items = (("error", message), frame.items)

    def _use(self, frame: Frame, name: str) -> None:
        frame.items = (("use", name), frame.items)
        context = self.context
        if context is None or name in self.bound or self.surroundings(context).visible(name):
            return
        at: Frame | None = frame
        while at is not None:
            if name in at.names:
                return
            at = at.parent
        if not self._may_bind(frame):
            raise Refused(name, "names")
        frame.open |= {name}

    def surroundings(self, context: Context) -> Context:
        """What surrounds the place that is read, in the context of the line."""
        at: Frame | None = self.top
        while at is not None:
            if at.phase == "annotation" or at.phase == "returns":
                return context.deferred()
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

    def _settle_open(self, frame: Frame) -> None:
        if frame.open and self.context is not None and not self._may_bind(frame):
            raise Refused(sorted(frame.open)[0], "names")

    def _read(self, frame: Frame, what: Any) -> None:
        """What might have been a target is read."""
        if what.__class__ is str:
            self._use(frame, what)
        elif what.__class__ is Group:
            for _, element in what.elements:
                self._read(frame, element)
        elif what.__class__ is Attribute and what.missing is not None:
            raise _no_attribute(what.missing, what.name)

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
        frame.last, frame.path, frame.mixed = None, None, False

    def _end_element(self, frame: Frame) -> None:
        last = frame.last
        if last is not None:
            if frame.tg and last is not VALUE:
                frame.elements = (*frame.elements, (frame.star, last))
            else:
                self._no_target(frame)
                self._settle(frame)
        frame.last, frame.star, frame.path, frame.mixed = None, False, None, False

    def _whole(self, frame: Frame) -> Path | None:
        """The expression before the current token, where its operand is all of it."""
        return None if frame.mixed or frame.star or frame.attr or frame.last is None else frame.path

    def _bind_name(self, frame: Frame, name: str, kind: str = "bind") -> None:
        if name == _DEBUG:
            self._error(frame, "cannot assign to __debug__")
        frame.items = ((kind, name), frame.items)
        self.bound |= {name}

    def _bind(self, frame: Frame, elements: tuple[tuple[bool, Any], ...], *, top: bool, comma: bool = False) -> None:
        """The elements are targets. top: not in brackets, where a lone star is an error without a comma."""
        stars = sum(star for star, _ in elements)
        if stars > 1:
            self._error(frame, "multiple starred expressions in assignment")
        elif stars and top and not comma:
            self._error(frame, "starred assignment target must be in a list or tuple")
        for _, element in elements:
            if element.__class__ is str:
                self._bind_name(frame, element)
            elif element.__class__ is Group:
                self._bind(frame, element.elements, top=element.one)
            elif element is DEBUG:
                self._error(frame, "cannot assign to __debug__")
            elif element.__class__ is Attribute:
                self._store(frame, element, None)

    def _store(self, frame: Frame, target: Attribute, value: Any) -> None:
        """An attribute is assigned; value: see ("fact", "made") in facts.py."""
        frame.items = (("fact", "store", target.base, target.name, value), frame.items)
        self.stored |= {target.name}

    # -- expressions

    def _expression(self, frame: Frame, token: str) -> bool:
        """Take a token of an expression; False where it is none."""
        if token.isidentifier() and token not in KEYWORDS:
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
        if token == _DEBUG:
            frame.last, frame.path = DEBUG, None
            return
        missing = None
        if path is None:
            frame.last = Attribute("", token)
            return
        base = path[0] if len(path) == 1 else "super()" if path == ("super", "()") else ""
        frame.path = (*path, token) if len(path) < _LONGEST_PATH else None
        if token in TELLS_VERSION:
            self._emit(frame, ("fact", "versions"))
        if base and base[0] != "#":
            frame.items = (("fact", "mention", base, token), frame.items)
        if self.context is not None and token not in self.stored:
            found = self.members(path)
            if found is not None and not found.has(token):
                if not frame.tg:
                    raise _no_attribute(found, token)
                missing = found
        frame.last = Attribute(base, token, missing)

    def members(self, path: Path | None) -> Members | None:
        """The attributes of what an expression here gives; None: unknown."""
        context = self.context
        if path is None or context is None or path[0] in self.bound or self._is_local(path[0]):
            return None
        return context.members(path)

    def _is_local(self, name: str) -> bool:
        """Is a name one that this expression itself binds?"""
        at: Frame | None = self.top
        while at is not None:
            if name in at.names or name in at.open:
                return True
            if at.can_comp and at.phase == "elem" and at.extra != "call":
                return True  # a `for` may still bind it
            at = at.parent
        return False

    def _on_constant(self, frame: Frame, token: str) -> bool:
        frame.last = VALUE
        if token[0] != '"' or not is_text(token):
            frame.path = None
            return True
        if frame.phase in ("annotation", "returns"):
            frame.path = dotted(token.strip("rRuU\"'"))
        else:
            frame.path = ("#str",)
        if self.in_annotation(anywhere=True):
            for name in names_in_string(token.strip("rRuU\"'")):
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
                    if token == "**":
                        frame.saved = ":"  # a dict
                    self._settle_open(frame)
                if token == "*":
                    frame.star = True
                    return True
            self._no_target(frame)
            return True
        if token == "if" and frame.kind == "lambda":
            frame.saved = (frame.saved or 0) + 1
        elif token == "else" and frame.kind == "lambda":
            if not frame.saved:
                return False
            frame.saved -= 1
        self._value(frame)
        frame.mixed = True
        return True

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
            if at is None and not self.context.in_function:
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
            if self.context is not None and self.context.in_async and not self._in_lambda(frame):
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
        if self.context is not None and not self.context.in_async:
            at: Frame | None = frame
            while at is not None:
                if at.kind == "lambda" and at.phase == "body":
                    raise Refused("'await' outside async function")
                if at.kind == "bracket" and at.phase == "elem" and at.can_comp and at.extra in ("(", "call"):
                    return True
                if at.kind == "bracket" and at.phase != "elem" and at.extra in ("(", "call"):
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
            if name == _DEBUG:
                self._error(frame, "cannot assign to __debug__")
            at: Frame | None = frame
            if self.context is not None:
                while at is not None:
                    if at.kind == "bracket" and at.phase in ("iter", "later iter"):
                        raise Refused("assignment expression cannot be used in a comprehension iterable expression")
                    if at.kind == "bracket" and at.phase in ("cond", "targets") and name in at.names:
                        raise Refused(f"assignment expression cannot rebind comprehension iteration variable '{name}'")
                    at = at.parent
            frame.items = (("walrus", name), frame.items)
            self.bound |= {name}
        return True

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
        if frame.open:
            parent.open |= frame.open
            self.top = parent
            self._settle_open(parent)
        parent.last, parent.path = last, None
        self.top = parent
        return parent

    # -- brackets and comprehensions

    def _bracket(self, frame: Frame, token: str) -> None:
        kind = frame.extra
        if token == "for":
            self._begin_for(frame)
        elif token == "in" and frame.phase == "targets":
            self._end_element(frame)
            self._bind_targets_of_for(frame)
        elif token == "if" and frame.phase in ("iter", "later iter", "cond"):
            self._value(frame)
            self._end_part(frame)
            frame.phase = "cond"
        elif token == ",":
            if frame.phase == "as":
                self._end_with_target(frame)
            elif kind in ("(", "[", "{", "call", "index") and frame.phase != "targets":
                frame.can_comp = False
                if frame.args is not None:
                    self._argument(frame)
                self._end_element(frame)
                frame.comma = True
                self._settle_open(frame)
            else:
                self._end_element(frame)
                frame.comma = True
        elif token == ":" and kind in ("{", "index"):
            self._value(frame)
            if kind == "{":
                frame.saved = ":"  # a dict
        elif token == "=" and kind == "call":
            name = frame.last
            frame.last = None
            frame.path, frame.mixed = None, False
            frame.can_comp = False
            self._settle_open(frame)
            if name.__class__ is str:
                if name in frame.keywords:
                    self._error(frame, f"keyword argument repeated: {name}")
                if name == _DEBUG:
                    self._error(frame, "cannot assign to __debug__")
                frame.keywords |= {name}
                self._keyword(frame, name)
        elif token == "as":  # with (a as b): the items of a statement, in brackets
            self._value(frame)
            frame.can_comp = False
            frame.phase, frame.tg = "as", True
        elif token in (")", "]", "}"):
            self._close(frame, kind)
        else:
            self._expression(frame, token)

    def _argument(self, frame: Frame) -> None:
        """An argument of a call is whole."""
        called, arguments, keyword = frame.args
        path = self._whole(frame)
        if called is not None and not arguments and keyword is None and called[-1] in _SPECIAL_CALLS:
            self._first_of_special(frame, called[-1], path)
        elif called == ("sys", "modules") and path == ("__name__",):
            self._emit(frame, ("fact", "dynamic"))
        if frame.last is not None:
            arguments = (*arguments, Argument(keyword, path))
        frame.args = called, arguments, None

    def _first_of_special(self, frame: Frame, called: str, path: Path | None) -> None:
        """The first argument of a function that tells or changes what something is."""
        if called in CHANGES_NAMES:
            self._emit(frame, ("fact", "dynamic"))
        elif called in CHANGES_ATTRIBUTES:
            self._emit(frame, ("fact", "patched", path[0] if path is not None and len(path) == 1 else ""))
        elif path is not None:
            self._emit(frame, ("fact", "probed", path))

    def _keyword(self, frame: Frame, name: str) -> None:
        called, arguments, _ = frame.args
        frame.args = called, arguments, name
        found = self.keywords()
        if found is not None and not found.has(name) and name not in self.stored:
            raise Refused(f"{found.owner} takes no keyword argument {name!r}", "attributes", name, found)

    def keywords(self) -> Members | None:
        """The keyword arguments that the call around takes; None: unknown."""
        frame, context = self.top, self.context
        if context is None or frame.kind != "bracket" or frame.args is None or frame.extra != "call":
            return None
        path = frame.args[0]
        if path is None or path[0] in self.bound or self._is_local(path[0]):
            return None
        return context.keywords(path)

    def _begin_for(self, frame: Frame) -> None:
        if frame.phase == "elem":
            self._value(frame)
            frame.saved = frame.items
        else:
            self._value(frame)
            self._end_part(frame)
        frame.items = None
        frame.phase, frame.tg, frame.elements, frame.comma = "targets", True, (), False
        frame.can_comp = True
        frame.gens = ((frame.is_async, None, None, None), frame.gens)
        frame.is_async = False

    def _bind_targets_of_for(self, frame: Frame) -> None:
        elements, frame.elements = frame.elements, ()
        bound = self.bound
        self._bind(frame, elements, top=True, comma=frame.comma)
        self.bound = bound
        names = frozenset(_names_in(elements))
        frame.names |= names
        frame.open -= names
        (is_async, _, _, _), rest = frame.gens
        frame.gens = ((is_async, frame.items, None, None), rest)
        frame.items, frame.tg, frame.comma = None, False, False
        frame.phase = "iter" if rest is None else "later iter"

    def _end_part(self, frame: Frame) -> None:
        """The iterable or a condition is whole."""
        (is_async, targets, iterable, conditions), rest = frame.gens
        if frame.phase in ("iter", "later iter"):
            iterable = frame.items
        elif frame.phase == "cond":
            conditions = (("all", frame.items), conditions)
        frame.gens = ((is_async, targets, iterable, conditions), rest)
        frame.items = None

    def _close(self, frame: Frame, kind: str) -> None:
        if frame.phase == "as":
            self._end_with_target(frame)
            self._pop(VALUE)
            return
        called = frame.args[0] if frame.args is not None else None
        if frame.gens is not None:
            self._value(frame)
            self._end_part(frame)
            gens = tuple(reversed(list(linked(frame.gens))))
            frame.items = (("comp", kind, frame.saved, gens), None)
            frame.names = frozenset()
            frame.can_comp, frame.phase = False, "done"
            parent = self._pop(VALUE)
            parent.path = _result(kind, called, None)
            return
        frame.can_comp = False
        if frame.args is not None:
            self._argument(frame)
        if kind in ("(", "["):
            star, last = frame.star, frame.last
            if kind == "(" and star and not frame.comma and last is not None and not frame.elements:
                # "(*a)", of Python 3.8
                frame.items = (("starred",), frame.items)
            self._end_element(frame)
            if frame.tg:
                group = Group(frame.elements, kind == "(" and len(frame.elements) == 1 and not frame.comma)
                one = group.elements[0][1] if group.one and not group.elements[0][0] else None
                if one is SINGLE or one.__class__ is Attribute:
                    self._pop(one)
                else:
                    parent = self._pop(group)
                    parent.path = _result(kind, None, None)
                return
            parent = self._pop(VALUE)
            parent.path = _result(kind, None, None)
            return
        display = "dict" if frame.saved == ":" or (not frame.comma and frame.last is None) else "set"
        arguments = frame.args[1] if frame.args is not None else ()
        if called == ("exec",) and len(arguments) < 2:
            self._emit(frame, ("fact", "dynamic"))
        self._end_element(frame)
        parent = self._pop(SINGLE if kind == "index" else VALUE)
        parent.path = _result(kind, called, display)
        if kind == "call" and parent.kind == "definition" and parent.extra == "class":
            parent.args = arguments

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
        elif token.isidentifier():
            if token in frame.extra:
                self._error(frame, f"duplicate argument '{token}' in function definition")
            if token == _DEBUG:
                self._error(frame, "cannot assign to __debug__")
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
            self.top = Frame("field", frame)
        elif token == '"f':
            parent = self._pop(VALUE)
            parent.path = ("#str",)
        elif token == "}f" and frame.kind == "fstring":  # the end of a field's format specification
            self._pop(None)

    def _field(self, frame: Frame, token: str) -> None:
        if token == "{f":  # a field in the format specification
            self.top = Frame("field", frame)
        elif token in ("}f", ":f", "!f"):
            if frame.star and frame.last is not None and not frame.comma:
                self._error(frame, "can't use starred expression here")
            self._value(frame)
            frame.star = False
            if token == "}f":
                self._pop(None)
        elif token == ",":
            frame.comma = True
            self._value(frame)
            frame.star = False
        elif token == "=":
            self._settle(frame)
            frame.last = None
        else:
            self._expression(frame, token)

    # -- statements

    def _start(self, frame: Frame, token: str) -> None:
        """The first token of a statement."""
        self.statements += 1
        self.is_string = self.statements == 1 and self.header is None and is_text(token)
        begin = _STATEMENTS.get(token)
        if begin is not None:
            begin(self, token)
        elif token == ";" or token == NEWLINE:
            self.statements -= 1
            self._end_statement(frame, token)
        elif token in ("match", "case", "type") and self.header is None and self.statements == 1:
            self.top = Frame("soft", None)
            self.top.extra = token
        else:
            self.top = Frame("simple", None, "first", tg=True)
            self.top.extra = ""
            self.feed(token)

    def _end_statement(self, frame: Frame, token: str) -> None:
        """At `;` or NEWLINE."""
        if frame.items is not None:
            self.before = (("all", frame.items), self.before)
        if token == NEWLINE:
            self.line = Line(
                self.column,
                self.header,
                self.before,
                self.header is not None and self.statements > 0,
                self.decorator,
                self.future,
                self.is_string,
            )
        else:
            self.is_string = False
        self.top = Frame("start", None)

    def _end_header(self, header: Header) -> None:
        """At the colon."""
        self.header = header
        self.before = None
        self.statements = 0
        self.top = Frame("start", None)
        if self.context is not None:
            self.context = self.context.inside(header)

    def _begin_keyword(self, word: str) -> None:
        context = self.context
        if context is not None:
            if word == "return" and not context.in_function:
                raise Refused("'return' outside function")
            if word in ("break", "continue") and not context.in_loop:
                raise Refused(f"'{word}' outside loop")
        self.top = frame = Frame("simple", None, "value")
        frame.extra = word
        if word in ("return", "break", "continue"):
            self._emit(frame, ("flag", word))

    def _begin_condition(self, word: str) -> None:
        self.top = frame = Frame("head", None, "value")
        frame.extra = word

    def _begin_for_statement(self, word: str) -> None:
        is_async = self.top.kind == "async"
        self.top = frame = Frame("head", None, "targets", tg=True)
        frame.extra, frame.is_async = word, is_async

    def _begin_with(self, word: str) -> None:
        is_async = self.top.kind == "async"
        self.top = frame = Frame("head", None, "value")
        frame.extra, frame.is_async = word, is_async

    def _begin_definition(self, word: str) -> None:
        is_async = self.top.kind == "async"
        self.top = frame = Frame("definition", None, "name")
        frame.extra, frame.is_async = word, is_async

    def _begin_async(self, word: str) -> None:
        self.top = Frame("async", None)

    def _async(self, frame: Frame, token: str) -> None:
        if token in ("for", "with") and self.context is not None and not self.context.in_async:
            raise Refused(f"'async {token}' outside async function")
        _STATEMENTS[token](self, token)

    def _begin_collected(self, word: str) -> None:
        self.top = frame = Frame("collected", None)
        frame.extra = word

    def _begin_decorator(self, word: str) -> None:
        self.decorator = True
        self.top = frame = Frame("simple", None, "value")
        frame.extra = "@"

    def _begin_del(self, word: str) -> None:
        self.top = frame = Frame("simple", None, "del", tg=True)
        frame.extra = "del"

    # An expression or an assignment; a simple statement of a keyword and expressions.
    # phase: first, rhs, value (no targets), annotation, del.
    def _simple(self, frame: Frame, token: str) -> None:
        if self.is_string and token != NEWLINE and not is_text(token):
            self.is_string = False
        if token == ",":
            self._end_element(frame)
            frame.comma = True
            if frame.phase == "value" and frame.extra == "assert":
                frame.comma = False
        elif token == "=":
            self._assign(frame)
        elif token == ":" and frame.phase == "first":
            self._annotate(frame)
        elif token in _AUGMENTED:
            target = frame.last
            while target.__class__ is Group and target.one:
                target = target.elements[0][1]
            self._value(frame)
            if target.__class__ is str:
                frame.saved = ("bind", target, None)
            elif target.__class__ is Attribute:
                self._store(frame, target, None)
            frame.phase = "augmented"
        elif token == ";" or token == NEWLINE:
            self._end_expression(frame, token)
        else:
            self._expression(frame, token)

    def _assign(self, frame: Frame) -> None:
        if frame.phase == "annotation":
            self._finish_annotation(frame, has_value=True)
            frame.phase = "value"
            frame.extra = ""
            return
        comma = frame.comma
        self._end_element(frame)
        targets = frame.gens if frame.gens is not None else ()
        elements = frame.elements
        stars = sum(star for star, _ in elements)
        if stars > 1 or (stars and not comma):
            self._bind(frame, elements, top=True, comma=comma)  # the error
        elif any(element == _DEBUG or element is DEBUG for _, element in elements):
            self._error(frame, "cannot assign to __debug__")
        frame.gens = (*targets, (elements, comma))
        frame.elements, frame.tg, frame.phase, frame.comma, frame.extra = (), True, "rhs", False, ""

    def _annotate(self, frame: Frame) -> None:
        target = frame.last
        simple = target.__class__ is str
        while target.__class__ is Group and target.one:
            target = target.elements[0][1]
        if target == _DEBUG or target is DEBUG:
            self._error(frame, "cannot assign to __debug__")
        frame.saved = (target if target.__class__ in (str, Attribute) else None, simple, frame.items)
        frame.items, frame.last, frame.tg, frame.phase = None, None, False, "annotation"
        frame.elements = ()

    def _finish_annotation(self, frame: Frame, *, has_value: bool) -> None:
        path = self._whole(frame)
        self._value(frame)
        name, simple, before = frame.saved
        annotation = frame.items
        frame.items = (("annotation", annotation), before)
        frame.saved = None
        if name.__class__ is Attribute:
            self._store(frame, name, ("annotated", path))
        elif name is not None:
            kind = (
                ("annotated value" if has_value else "annotated")
                if simple
                else ("bind" if has_value else "parenthesised")
            )
            frame.saved = (kind, name, ("annotated", path))

    def _end_expression(self, frame: Frame, token: str) -> None:
        word = frame.extra
        starred = (
            frame.star
            and not frame.comma
            and frame.last is not None
            and frame.phase in ("first", "rhs", "value", "augmented")
        )
        if starred:
            self._error(frame, "can't use starred expression here")
        value: Any = None
        if frame.phase == "annotation":
            self._finish_annotation(frame, has_value=False)
        elif word == "@":
            self._emit(frame, ("fact", "decorator", self._whole(frame)))
        elif frame.phase == "rhs" and not frame.comma:
            value = "value", self._whole(frame)
        elif frame.phase == "del":
            self._end_element(frame)
            for star, element in frame.elements:
                if star:
                    self._error(frame, "can't use starred expression here")
                self._delete(frame, element)
            self._end_statement(frame, token)
            return
        elif word == "return" and (frame.last is not None or frame.comma):
            self._emit(frame, ("flag", "return value"))
        self._end_element(frame)
        self._no_target(frame)
        for elements, comma in frame.gens or ():
            one = elements[0][1] if len(elements) == 1 and not comma and value is not None else None
            if isinstance(one, Attribute):
                self._store(frame, one, value)
                continue
            self._bind(frame, elements, top=True, comma=comma)
            if one.__class__ is str:
                self._emit(frame, ("fact", "made", one, value))
        if frame.saved is not None:
            kind, name, value = frame.saved
            if kind == "parenthesised":
                frame.items = (("annotated name", name), frame.items)
            else:
                self._bind_name(frame, name, kind)
                self._emit(frame, ("fact", "made", name, value))
        self._settle_open(frame)
        self._end_statement(frame, token)

    def _delete(self, frame: Frame, element: Any) -> None:
        if element.__class__ is str:
            if self.context is not None and element not in self.bound and not self.context.visible(element):
                raise Refused(element, "names")
            frame.items = (("del", element), frame.items)
            self.bound -= {element}
        elif element.__class__ is Group:
            for _, inner in element.elements:
                self._delete(frame, inner)
        elif element.__class__ is Attribute:
            self._emit(frame, ("fact", "deleted", element.base, element.name))

    # A header with expressions: if, while, for, with, except, else ...
    def _head(self, frame: Frame, token: str) -> None:
        word = frame.extra
        if token == ":":
            self._end_head(frame, word)
        elif token == "in" and frame.phase == "targets":
            self._end_element(frame)
            elements, frame.elements = frame.elements, ()
            bound = self.bound
            before, frame.items = frame.items, None
            self._bind(frame, elements, top=True, comma=frame.comma)
            frame.targets, frame.items = frame.items, before
            frame.bound = self.bound
            self.bound = bound  # the iterable is evaluated first
            frame.tg, frame.phase, frame.comma = False, "value", False
        elif token == "as":
            self._value(frame)
            if word == "except":
                frame.phase = "name"
            else:
                frame.phase, frame.tg, frame.star = "target", True, False
        elif frame.phase == "name":
            frame.saved = token
        elif token == ",":
            self._end_element(frame)
            if frame.phase == "target":
                elements, frame.elements = frame.elements, ()
                self._bind(frame, elements, top=True)
                frame.phase, frame.tg = "value", False
            frame.comma = True
        elif token == "*" and word == "except" and frame.last is None and frame.items is None:
            frame.is_async = True  # except*
        elif token == NEWLINE:
            self._end_statement(frame, token)
        else:
            frame.yielded |= word == "except" and token == "NameError"
            if word == "except" and token in _CATCHES_ATTRIBUTES:
                frame.keywords |= {token}
            self._expression(frame, token)

    def _end_head(self, frame: Frame, word: str) -> None:
        if frame.star and not frame.comma and word == "for" and frame.last is not None and frame.phase == "value":
            self._error(frame, "can't use starred expression here")
        if frame.phase == "target":
            self._end_element(frame)
            elements, frame.elements = frame.elements, ()
            self._bind(frame, elements, top=True)
        empty = frame.last is None and frame.items is None
        subject = self._whole(frame) if word == "match" else None
        self._end_element(frame)
        self._no_target(frame)
        self._settle_open(frame)
        if subject is not None:
            self._emit(frame, ("fact", "probed", subject))
        name = None
        if word == "for":
            if frame.targets is not None:
                frame.items = (("all", frame.targets), frame.items)
            self.bound |= frame.bound
        if word == "except":
            name = frame.saved
            if name == _DEBUG:
                self._error(frame, "cannot assign to __debug__")
        if word in ("for", "with") and frame.is_async:
            frame.items = (("flag", "async " + word), frame.items)
        caught = word == "except" and (empty or frame.yielded)
        catches_attributes = word == "except" and (empty or bool(frame.keywords))
        self._end_header(
            Header(
                word,
                frame.items,
                name,
                frame.is_async if word != "except" else False,
                bare=word == "except" and empty,
                star=word == "except" and frame.is_async,
                catches_names=caught,
                catches_attributes=catches_attributes,
            )
        )
        if name is not None:
            self.bound |= {name}

    # def and class; extra: the word. saved: (name, type parameters, what stands there); gens: parameters.
    # phase: name, types, parameter, annotation, default, bases, after, returns.
    def _definition(self, frame: Frame, token: str) -> None:
        phase = frame.phase
        if phase == "name":
            if token == "[":
                self.top = Frame("types", frame)
                self.top.extra = ()
            elif token == "(":
                if frame.extra == "class":
                    frame.phase = "after"
                    self.top = call = Frame("bracket", frame, "elem", can_comp=True)
                    call.extra, call.args = "call", (None, (), None)
                else:
                    frame.phase, frame.gens, frame.args = "parameter", (), (0, False, ())
            elif token == ":":
                self._end_definition(frame)
            elif frame.saved is None:
                if token == _DEBUG:
                    self._error(frame, "cannot assign to __debug__")
                frame.saved = token
        elif phase == "parameter":
            if token == ")":
                frame.phase = "after"
            elif token == ":":
                frame.phase = "annotation"
                frame.outer = frame.items
                frame.items = None
            elif token == "=":
                frame.phase = "default"
                frame.outer, frame.items = frame.items, None
            elif token.isidentifier():
                if token in frame.gens:
                    self._error(frame, f"duplicate argument '{token}' in function definition")
                if token == _DEBUG:
                    self._error(frame, "cannot assign to __debug__")
                frame.gens = (*frame.gens, token)
                self._parameter(frame, token)
            elif token in ("*", "**", "/", ","):
                self._mark(frame, token)
        elif phase in ("annotation", "default"):
            if token in (",", ")") or (token == "=" and phase == "annotation"):
                path = self._whole(frame)
                self._value(frame)
                if phase == "annotation":
                    self._end_annotation(frame)
                    frame.args = (*frame.args[:2], (*frame.args[2][:-1], frame.args[2][-1]._replace(annotation=path)))
                else:
                    frame.defaults = (("all", frame.items), frame.defaults)
                    frame.items, frame.outer = frame.outer, None
                frame.phase = "parameter" if token == "," else "after" if token == ")" else "default"
                if token == "=":
                    frame.outer, frame.items = frame.items, None
                frame.star = False
            else:
                self._expression(frame, token)
        elif phase == "after":
            if token == "->":
                frame.phase = "returns"
                frame.outer = frame.items
                frame.items = None
            elif token == ":":
                self._end_definition(frame)
        elif token == ":":
            returns = self._whole(frame)
            self._value(frame)
            self._end_annotation(frame)
            self._end_definition(frame, returns)
        else:
            self._expression(frame, token)
        if token == NEWLINE:
            self._end_statement(frame, token)

    def _parameter(self, frame: Frame, name: str) -> None:
        """A parameter's name."""
        stars, by_keyword, found = frame.args
        kind = "*" * stars if stars else "=" if by_keyword else ""
        frame.args = 0, by_keyword or stars == 1, (*found, Parameter(name, kind))

    def _mark(self, frame: Frame, token: str) -> None:
        """A star, a slash or a comma among parameters."""
        stars, by_keyword, found = frame.args
        if token == "/":
            found = tuple(one._replace(kind="/") for one in found)
        elif token == ",":
            stars, by_keyword = 0, by_keyword or stars == 1  # a lone star
        else:
            stars = len(token)
        frame.args = stars, by_keyword, found

    def _end_annotation(self, frame: Frame) -> None:
        frame.items, frame.outer = (("annotation", frame.items), frame.outer), None

    def _end_definition(self, frame: Frame, returns: Path | None = None) -> None:
        frame.last = None
        name = frame.saved
        types = frame.targets or ()
        scoped = frame.items
        self._settle_open(frame)
        items = frame.defaults
        if not types and scoped is not None:
            items, scoped = (("all", scoped), items), None
        header = Header(
            str(frame.extra),
            items,
            name,
            frame.is_async,
            tuple(frame.gens or ()),
            tuple(types),
            scoped,
            signature=frame.args[2] if frame.extra == "def" and frame.args is not None else (),
            arguments=(frame.args or ()) if frame.extra == "class" else (),
            returns=returns,
        )
        if name is not None:
            self.bound |= {name}
        self._end_header(header)

    def _types(self, frame: Frame, token: str) -> None:
        """Type parameters; extra: their names."""
        assert frame.parent is not None
        if token in ("]", ","):
            self._value(frame)
            if frame.comma:
                frame.yielded = True
            elif frame.yielded and frame.phase != "none":
                self._error(frame, f"non-default type parameter '{frame.extra[-1]}' follows default type parameter")
            frame.phase, frame.star, frame.comma = "none" if token == "," else "", False, False
            if token == "]":
                parent = frame.parent.copy()
                parent.targets = frame.extra
                parent.names |= frozenset(frame.extra)
                if frame.items is not None:
                    parent.items = (("type bound", frame.items), parent.items)
                if self.context is not None and frame.open - frozenset(frame.extra):
                    raise Refused(sorted(frame.open)[0], "names")
                self.top = parent
        elif frame.phase == "" and token == ":":
            frame.phase = "bound"
        elif token == "=":
            self._value(frame)
            frame.phase, frame.comma = "default", True
        elif frame.phase in ("", "none") and token.isidentifier():
            frame.phase = ""
            if token in frame.extra:
                self._error(frame, f"duplicate type parameter '{token}'")
            if token == _DEBUG:
                self._error(frame, "cannot assign to __debug__")
            frame.extra = (*frame.extra, token)
            frame.names |= {token}
            frame.is_async = False
        elif frame.phase in ("bound", "default"):
            self._expression(frame, token)

    # Soft keywords: what they are is told by what follows.
    def _soft(self, frame: Frame, token: str) -> None:
        word = frame.extra
        plain = token.isidentifier() and token not in KEYWORDS
        if word == "type":
            if plain:
                self.top = new = Frame("alias", None, "name")
                new.saved = token
                return
        elif token in _FOLLOWS_NAME or token in _AUGMENTED or token in _BINARY - {"+", "-", "*", "**", "(", "["}:
            pass
        elif word == "match" and (plain or token[0] in '#"f{~' or token in ("not", "lambda", "await", *_CONSTANTS)):
            self._begin_condition("match")
            self.feed(token)
            return
        else:
            self.top = new = Frame("softly", None)
            new.extra, new.saved, new.gens = word, (token, None), (1 if token in "([{" else 0)
            return
        self.top = new = Frame("simple", None, "first", tg=True)
        new.extra, new.last, new.path = "", word, (word,)
        self.feed(token)

    def _softly(self, frame: Frame, token: str) -> None:
        """Collecting what is a match statement or a case where a colon ends it, and else an expression."""
        depth = frame.gens
        if token in ("(", "[", "{", "{f"):
            depth += 1
        elif token in (")", "]", "}", "}f"):
            depth -= 1
        frame.gens = depth
        ended = token == NEWLINE or (token == ";" and not depth)
        if not ended and not (depth == 0 and (token == ":" or (token == "if" and frame.extra == "case"))):
            frame.saved = (token, frame.saved)
            return
        tokens = list(linked(frame.saved))[::-1]
        word = frame.extra
        if ended:
            self.top = new = Frame("simple", None, "first", tg=True)
            new.extra, new.last, new.path = "", word, (word,)
            for one in [*tokens, token]:
                self.feed(one)
        elif word == "match":
            self._begin_condition("match")
            for one in [*tokens, token]:
                self.feed(one)
        else:
            self._case(tokens, token)

    def _case(self, tokens: list[str], token: str) -> None:
        self.top = frame = Frame("head", None, "value")
        frame.extra = "case"
        pattern = read_pattern(tokens)
        for message in pattern.errors:
            self._error(frame, message)
        for name in pattern.reads:
            self._use(frame, name)
        for name in pattern.captures:
            self._bind_name(frame, name)
        if token == ":":
            self._end_header(Header("case", frame.items, pattern=pattern))
        else:
            self.top = frame2 = Frame("guard", None)
            frame2.items, frame2.saved = frame.items, pattern

    def _guard(self, frame: Frame, token: str) -> None:
        if token == ":":
            self._value(frame)
            self._settle_open(frame)
            self._end_header(Header("case", frame.items, pattern=frame.saved, guard=True))
        else:
            self._expression(frame, token)

    def _alias(self, frame: Frame, token: str) -> None:
        """`type X[T] = ...`; saved: the name"""
        if frame.phase == "name":
            if token == "[":
                self.top = Frame("types", frame)
                self.top.extra = ()
            elif token == "=":
                frame.phase = "value"
        elif token == ";" or token == NEWLINE:
            self._value(frame)
            self._settle_open(frame)
            frame.items = (("alias", frame.targets or (), frame.items), None)
            frame.names = frozenset()
            self._bind_name(frame, frame.saved)
            self._end_statement(frame, token)
        else:
            self._expression(frame, token)

    # import, from, global, nonlocal: read once they are whole. saved: tokens.
    def _collected(self, frame: Frame, token: str) -> None:
        if self.expects_feature and token not in ("(", ")") and token not in FEATURES and self.context is not None:
            raise Refused(f"future feature {token} is not defined")
        if frame.extra == "from" and token.isidentifier() and token != "import":
            found = self.importable()
            if found is not None and not found.has(token) and token not in self.stored:
                raise Refused(f"{found.owner} has no name {token!r}", "attributes", token, found)
        if token == NEWLINE or token == ";":
            tokens = list(linked(frame.saved))[::-1]
            word = frame.extra
            if word in ("global", "nonlocal"):
                names = [name for name in tokens if name != ","]
                frame.items = ((word, tuple(names)), frame.items)
                self.bound |= frozenset(names)
            elif word == "import":
                self._import(frame, tokens)
            else:
                self._from(frame, tokens)
            self._end_statement(frame, token)
        else:
            if (
                token == "*"
                and frame.extra == "from"
                and frame.saved is not None
                and frame.saved[0] == "import"
                and self.context is not None
                and getattr(self.context, "nested", False)
            ):
                raise Refused("import * only allowed at module level")
            frame.saved = (token, frame.saved)

    def possible(self) -> Members | None:
        """What may come next where an attribute, a keyword argument or an import is named; None: unknown, or it may be something new."""
        frame = self.top
        if frame.kind == "collected":
            return self.importable()
        if frame.attr:
            return None if frame.tg else self.members(frame.path)
        if frame.kind == "bracket" and frame.phase == "elem" and frame.last is None and not frame.mixed:
            return self.keywords() if not self._may_bind(frame) else None
        return None

    @property
    def expects_feature(self) -> bool:
        """Does the name of a feature come next, in a `from __future__ import`?"""
        frame = self.top
        if frame.kind != "collected" or frame.extra != "from" or frame.saved is None:
            return False
        return frame.saved[0] in ("import", ",", "(") and list(linked(frame.saved))[-2:] == ["import", "__future__"]

    def importable(self) -> Members | None:
        """The names that may come next in a `from module import`; None: unknown, or none may."""
        frame = self.top
        if self.context is None or frame.kind != "collected" or frame.extra != "from" or frame.saved is None:
            return None
        if frame.saved[0] not in ("import", ",", "("):
            return None
        tokens = list(linked(frame.saved))[::-1]
        return self.context.importable("".join(tokens[: tokens.index("import")])) if "import" in tokens else None

    def _import(self, frame: Frame, tokens: list[str]) -> None:
        part: list[str] = []
        for token in [*tokens, ","]:
            if token != ",":
                part.append(token)
            elif part:
                name = part[-1] if "as" in part else part[0]
                module = "".join(part[: part.index("as")] if "as" in part else part)
                self._bind_name(frame, name, "imported")
                self._emit(frame, ("fact", "made", name, ("module", module if "as" in part else name)))
                part = []

    def _from(self, frame: Frame, tokens: list[str]) -> None:
        at = tokens.index("import") if "import" in tokens else len(tokens)
        module, rest = "".join(tokens[:at]), [token for token in tokens[at + 1 :] if token not in ("(", ")")]
        if rest == ["*"]:
            frame.items = (("import *", module), frame.items)
            return
        part: list[str] = []
        features: list[str] = []
        for token in [*rest, ","]:
            if token != ",":
                part.append(token)
            elif part:
                features.append(part[0])
                self._bind_name(frame, part[-1], "imported")
                self._emit(frame, ("fact", "made", part[-1], ("from", module, part[0])))
                part = []
        if module == "__future__":
            frame.items = (("future", tuple(features), self.statements, self.header is not None), frame.items)
            if self.statements == 1:
                self.future = tuple(features)

    IN_EXPRESSION: ClassVar[dict[str, Any]] = {
        "#": _on_constant,
        '"': _on_constant,
        **dict.fromkeys(_CONSTANTS, _on_constant),
        ".": _on_dot,
        **dict.fromkeys("([{", _on_open),
        **dict.fromkeys(_BINARY, _on_operator),
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

    STATEMENTS: ClassVar[dict[str, Any]] = {
        **dict.fromkeys(("return", "raise", "pass", "break", "continue", "assert"), _begin_keyword),
        **dict.fromkeys(("if", "elif", "while", "else", "try", "finally", "except"), _begin_condition),
        "for": _begin_for_statement,
        "with": _begin_with,
        **dict.fromkeys(("def", "class"), _begin_definition),
        "async": _begin_async,
        **dict.fromkeys(("import", "from", "global", "nonlocal"), _begin_collected),
        "@": _begin_decorator,
        "del": _begin_del,
    }
    """Takes the first symbol of a statement."""


def is_text(token: str) -> bool:
    """Is it a plain string, not bytes?"""
    return token[0] == '"' and "b" not in token[1:3].lower().split("'")[0].split('"')[0]


def names_in_annotation(text: str) -> tuple[str, ...]:
    """The names that a string annotation reads; none where it is more than names, attributes and subscripts."""
    if _PLAIN_ANNOTATION.fullmatch(text) is None:
        return ()
    return tuple(name for name in _ANNOTATION_NAME.findall(text) if name not in KEYWORDS)


def names_in_string(text: str) -> tuple[str, ...]:
    """The names that a whole string annotation reads; none where it is no expression, or binds names itself."""
    try:
        tree = ast.parse(text.strip(), mode="eval") if len(text) <= _LONGEST_ANNOTATION else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    found: list[str] = []
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, ast.comprehension | ast.Lambda | ast.NamedExpr):
            return ()
    return tuple(found)


def dotted(text: str) -> Path | None:
    """A name with dots, such as annotations in strings are, as a path."""
    parts = tuple(text.strip().split("."))
    return parts if all(part.isidentifier() for part in parts) else None


def linked(items: Any) -> Iterator[Any]:
    """The items of a linked list, the last first."""
    while items is not None:
        yield items[0]
        items = items[1]


def _names_in(elements: tuple[tuple[bool, Any], ...]) -> Iterator[str]:
    for _, element in elements:
        if element.__class__ is str:
            yield element
        elif element.__class__ is Group:
            yield from _names_in(element.elements)


FEATURES = frozenset(
    [
        "nested_scopes",
        "generators",
        "division",
        "absolute_import",
        "with_statement",
        "print_function",
        "unicode_literals",
        "barry_as_FLUFL",
        "generator_stop",
        "annotations",
    ]
)
"""What `from __future__ import` may bring."""
CHANGES_ATTRIBUTES = frozenset(("setattr", "delattr"))
CHANGES_NAMES = frozenset(("globals", "locals"))
TELLS_VERSION = frozenset(("version_info", "hexversion", "PY2", "PY3", "six"))
"""Names by which code asks for the version of Python: modules may then be used as another version has them."""
_CATCHES_ATTRIBUTES = frozenset(
    ("AttributeError", "ImportError", "ModuleNotFoundError", "TypeError", "NameError", "Exception")
)
TELLS_TYPE = frozenset(("isinstance", "issubclass", "hasattr", "vars", "type", "callable", "cast"))
_SPECIAL_CALLS = CHANGES_ATTRIBUTES | CHANGES_NAMES | TELLS_TYPE
_NO_ANNOTATIONS = frozenset(("Literal", "Annotated"))
_PLAIN_ANNOTATION = re.compile(r"[\w\s.,|\[\]]*+")
_LONGEST_ANNOTATION = 400  # characters
_ANNOTATION_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_ENDS_LAMBDA = frozenset((",", ")", "]", "}", ":", "=", "for", "async", NEWLINE, ";", "as", "}f", ":f", "!f", "from"))
_FOLLOWS_NAME = frozenset(("=", ".", ",", ")", ":", ":=", NEWLINE, ";"))

_EXPRESSION = LineParser.IN_EXPRESSION
_STATEMENTS = LineParser.STATEMENTS
