"""What a logical line of Python means: its tokens in, a `Line` of scoped operations out, one token at a time.

`LineParser` is a push-down automaton over the tokens of one logical line that is known to be valid. It sorts names by what
they are there (read, bound, a parameter, a keyword, a capture ...) and finds the errors that one line shows by itself. What a
name is may only be known later (`a, b` are read until `=` comes; the element of a comprehension is read in a scope that its
`for` opens), so the automaton holds such names back.

Given a `Context`, it refuses as soon as nothing that follows could mend it: a name that is not visible and that nothing can
bind any more, a `return` outside a function.

The values are in line_values.py. Expressions are read by expressions.py, which knows nothing of statements; they are read here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from .....common.words import is_name
from ....scoping.verdicts import Refused
from .expressions import BINARY, CONSTANTS, EXPECTS_ERRORS, ExpressionParser, parts_of
from .line_values import (
    ARGUMENTS,
    COMPILED,
    DEBUG,
    DUNDER_DEBUG,
    KEYWORDS,
    SPREAD_SUBSCRIPT,
    TEXT,
    Attribute,
    Context,
    Field,
    Frame,
    Group,
    Header,
    Items,
    Line,
    Members,
    Parameter,
    Path,
    linked,
)
from .patterns import read_pattern
from .tokens import NEWLINE, Token
from .type_paths import ELEMENT, ENTERED

_AUGMENTED = frozenset(["+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//="])
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
_CATCHES_ATTRIBUTES = frozenset(
    ("AttributeError", "ImportError", "ModuleNotFoundError", "TypeError", "NameError", "Exception")
)
_SECOND_TRY = frozenset(("AttributeError", "TypeError"))
_CLOSING = frozenset((")", "]", "}"))
_FOLLOWS_NAME = frozenset(("=", ".", ",", ")", ":", ":=", NEWLINE, ";"))


NO_TYPES: Mapping[str, Path | None] = MappingProxyType({})


class LineParser(ExpressionParser):
    """The automaton for one logical line; `feed` it tokens up to and with NEWLINE, then `line` is there."""

    def __init__(self, column: int, context: Context | None = None) -> None:
        self.column = column
        self.context = context
        self.top = Frame("start", None)
        self.header: Header | None = None
        self.before: Items = None  # operations of simple statements that are whole
        self.line: Line | None = None
        self.decorator = False
        self.features: tuple[str, ...] = ()
        self.kinds = ""
        self.statements = 0
        self.bound: frozenset[str] = frozenset()  # in this line so far
        self.stored: frozenset[str] = frozenset()  # attributes that are assigned in this line
        self.ahead: Mapping[str, Path | None] = NO_TYPES  # see ExpressionParser

    def copy(self) -> LineParser:
        new = LineParser.__new__(LineParser)
        new.__dict__.update(self.__dict__)
        new.top = self.top.copy()
        return new

    @property
    def may_be_chained(self) -> bool:
        """Does what is typed here stand behind an `=`, where it is bound only if another `=` follows?"""
        return self.top.kind == "simple" and self.top.phase == "rhs" and self.top.tg

    @property
    def begins_statement(self) -> bool:
        """Is what is typed here an expression that begins a statement, so that it may become a target?"""
        return self.top.kind == "simple" and self.top.phase == "first" and self.top.tg

    @property
    def header_word(self) -> str:
        """The keyword of the header that is being read; "" for none."""
        outermost = self.frames()[0]
        return (
            str(outermost.extra)
            if outermost.kind in ("head", "definition")
            else "case"
            if outermost.kind == "guard"
            else ""
        )

    def names_read(self) -> frozenset[str]:
        """Names that this line has read so far."""
        return frozenset(item[1] for item in self._operations() if item[0] == "use")

    def _operations(self) -> Iterator[Any]:
        """What this line has been told so far, in no order."""
        todo: list[Any] = [self.before]
        todo += (
            part
            for at in self.frames()
            for part in (at.items, at.outer, at.saved, at.gens, at.defaults, at.targets, at.conditional)
        )
        while todo:
            item = todo.pop()
            if item.__class__ is tuple and item:
                yield item
                todo += item

    @property
    def may_become_comprehension(self) -> bool:
        """Are there brackets open that a `for` may follow in?"""
        return any(frame.can_comp and frame.phase == "elem" for frame in self.frames())

    def comprehended(self, tokens: Iterable[Token]) -> dict[str, Path | None]:
        """What each `for` binds with which the tokens go on in brackets that are open; None: something unknown."""
        parser = self.copy()
        parser.context = None
        still_open = len(self.frames())
        found: dict[str, Path | None] = {}
        for token in _with_conditions(tokens, parser):
            if token.__class__ is int or token == NEWLINE:
                break
            if parser.top.attr and (token in KEYWORDS or not is_name(str(token))):
                parser.top.attr, parser.top.path = False, None  # the cursor stands behind a dot
            try:
                parser.feed(str(token))
            except (KeyError, IndexError, AttributeError, AssertionError, TypeError, ValueError, RecursionError):
                break
            frames = parser.frames()
            still_open = min(still_open, len(frames))
            for frame in frames[:still_open]:
                if frame.kind == "bracket" and frame.gens is not None:
                    found |= dict.fromkeys(frame.names) | dict(frame.types)
            if still_open == 1:
                break
        probed = frozenset(item[2][0] for item in parser._operations() if item[:2] == ("fact", "probed"))
        return found | dict.fromkeys(found.keys() & probed)

    # -- statements

    def _start(self, frame: Frame, token: str) -> None:
        """The first token of a statement."""
        self.statements += 1
        begin = _STATEMENTS.get(token)
        if begin is not None:
            begin(self, token)
        elif token == ";" or token == NEWLINE:
            self.statements -= 1
            self._end_statement(frame, token)
        elif token == "type" or (token in ("match", "case") and self.header is None and self.statements == 1):
            self.top = Frame("soft", None)
            self.top.extra = token
        else:
            self.top = Frame("simple", None, "first", tg=True)
            self.top.extra = ""
            self.feed(token)

    def _end_statement(self, frame: Frame, token: str, kind: str = ".") -> None:
        """At `;` or NEWLINE; kind: see Line."""
        if frame.kind != "start" and not (kind == "." and self.kinds[-1:] == "."):
            self.kinds += kind
        if frame.items is not None:
            self.before = (("all", frame.items), self.before)
        if token == NEWLINE:
            self.line = Line(
                self.column,
                self.header,
                self.before,
                self.header is not None and self.statements > 0,
                self.decorator,
                self.features,
                self.kinds,
            )
        self.top = Frame("start", None)

    def _end_header(self, header: Header) -> None:
        """The colon of a header has come: statements may follow on the same line."""
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
        target = self.whole(frame)
        frame.args = target if target is not None and len(target) > 1 and not comma else None
        self._end_element(frame)
        targets = frame.gens if frame.gens is not None else ()
        elements = frame.elements
        stars = sum(star for star, _ in elements)
        if stars > 1 or (stars and not comma):
            self._bind(frame, elements, top=True, comma=comma)  # the error
        elif any(element == DUNDER_DEBUG or element is DEBUG for _, element in elements):
            self._error(frame, "cannot assign to __debug__", ARGUMENTS)
        frame.gens = (*targets, (elements, comma, frame.items))
        frame.elements, frame.items, frame.tg, frame.phase, frame.comma, frame.extra = (), None, True, "rhs", False, ""

    def _annotate(self, frame: Frame) -> None:
        target = frame.last
        simple = target.__class__ is str
        while target.__class__ is Group and target.one:
            target = target.elements[0][1]
        if target == DUNDER_DEBUG or target is DEBUG:
            self._error(frame, "cannot assign to __debug__", ARGUMENTS)
        frame.targets = target is SPREAD_SUBSCRIPT
        frame.saved = (target if target.__class__ in (str, Attribute) else None, simple, frame.items)
        frame.items, frame.last, frame.tg, frame.phase = None, None, False, "annotation"
        frame.elements = ()

    def _finish_annotation(self, frame: Frame, *, has_value: bool) -> None:
        path = self.whole(frame)
        self._value(frame)
        name, simple, before = frame.saved
        annotation = frame.items
        frame.items = (("variable annotation", annotation, simple), before)
        if frame.targets and not has_value:
            frame.items = (("spread subscript",), frame.items)
            if self.context is not None and self.context.version >= (3, 9):
                raise Refused("can't use starred expression here")
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
            self._error(frame, "can't use starred expression here", COMPILED)
        value: Any = None
        if frame.phase == "annotation":
            self._finish_annotation(frame, has_value=False)
        elif word == "@":
            self._emit(frame, ("fact", "decorator", self.whole(frame)))
        elif frame.phase == "rhs" and not frame.comma:
            value = "value", self.whole(frame)
        elif frame.phase == "del":
            self._end_element(frame)
            for star, element in frame.elements:
                if star:
                    self._error(frame, "can't use starred expression here", COMPILED)
                self._delete(frame, element)
            self._end_statement(frame, token)
            return
        elif word == "return" and (frame.last is not None or frame.comma):
            self._emit(frame, ("flag", "return value"))
        is_string = frame.phase == "first" and not frame.comma and not frame.mixed and frame.last is TEXT
        given = self.whole(frame)
        self._end_element(frame)
        self._no_target(frame)
        for elements, comma, items in frame.gens or ():
            self._bind_target(frame, elements, comma, value)
            if items is not None:  # what targets such as `d[key]` read
                self._emit(frame, ("all", items))
        if frame.saved is not None:
            kind, name, value = frame.saved
            if kind == "parenthesised":
                frame.items = (("annotated name", name), frame.items)
            else:
                self._bind_name(frame, name, kind)
                self._emit(frame, ("fact", "made", name, value))
                if kind != "bind":
                    has_value = kind == "annotated value"
                    self._emit(frame, ("fact", "field", Field(name, value[1], has_value, given if has_value else None)))
        self._end_open(frame)
        self._end_statement(frame, token, "s" if is_string else ".")

    def _bind_target(self, frame: Frame, elements: tuple[tuple[bool, Any], ...], comma: bool, value: Any) -> None:
        """What stands before an `=` is bound; value: see ("fact", "made") in facts.py."""
        one = elements[0][1] if len(elements) == 1 and not comma and value is not None else None
        if isinstance(one, Attribute):
            self._store(frame, one, value)
            return
        self._bind(frame, elements, top=True, comma=comma)
        if one.__class__ is str:
            self._emit(frame, ("fact", "made", one, value))
        elif value is not None and value[1] is not None:
            self._made_of(frame, elements, comma, value[1])

    def _delete(self, frame: Frame, element: Any) -> None:
        if element.__class__ is str:
            if self.context is not None and element not in self.bound and not self.context.visible(element):
                raise Refused(element, "names")
            frame.items = (("del", element), frame.items)
            self.bound -= {element}
        elif element.__class__ is Group:
            for star, inner in element.elements:
                if star:
                    self._error(frame, "can't use starred expression here", COMPILED)
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
            frame.args = elements, frame.comma
            bound = self.bound
            before, frame.items = frame.items, None
            self._bind(frame, elements, top=True, comma=frame.comma)
            if before is not None:  # what targets such as `d[key]` read
                frame.items = (("all", before), frame.items)
            frame.targets, frame.items = frame.items, None
            frame.bound = self.bound
            self.bound = bound  # the iterable is evaluated first
            frame.tg, frame.phase, frame.comma = False, "value", False
        elif token == "as":
            frame.args = None if word == "except" else self.whole(frame)
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
                self._end_target_of_with(frame)
                frame.phase, frame.tg = "value", False
            frame.comma = True
            frame.saved = (frame.saved or 1) + 1 if word == "with" else None
        elif token == "*" and word == "except" and frame.last is None and frame.items is None:
            frame.is_async = True  # except*
        elif token == NEWLINE:
            self._end_statement(frame, token)
        else:
            if word == "with" and token in EXPECTS_ERRORS:
                frame.keywords |= {token}
            self._expression(frame, token)

    def _end_head(self, frame: Frame, word: str) -> None:
        if frame.star and not frame.comma and word == "for" and frame.last is not None and frame.phase == "value":
            self._error(frame, "can't use starred expression here", COMPILED)
        if frame.phase == "target":
            self._end_element(frame)
            self._end_target_of_with(frame)
        path = self.whole(frame)
        empty = frame.last is None and frame.items is None
        subject = path if word == "match" else None
        self._end_element(frame)
        self._no_target(frame)
        self._end_open(frame)
        if subject is not None:
            self._emit(frame, ("fact", "probed", subject))
        name = None
        if word == "for":
            if frame.targets is not None:
                frame.items = (("all", frame.targets), frame.items)
            if path is not None and frame.args is not None and not frame.is_async and not frame.comma:
                elements, comma = frame.args
                self._made_of(frame, elements, comma, (*path, ELEMENT))
            self.bound |= frame.bound
        if word == "except":
            name = frame.saved
            if name == DUNDER_DEBUG:
                self._error(frame, "cannot assign to __debug__", ARGUMENTS)
        if word in ("for", "with") and frame.is_async:
            frame.items = (("flag", "async " + word), frame.items)
        read = self.names_read() if word == "except" else frozenset[str]()
        caught = word == "except" and (empty or "NameError" in read)
        expects = frame.keywords if word == "with" else read & _CATCHES_ATTRIBUTES
        catches_attributes = word in ("except", "with") and (empty or bool(expects))
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
                is_second_try=not read.isdisjoint(_SECOND_TRY),
                managers=frame.saved or 1 if word == "with" else 1,
            )
        )
        if name is not None:
            self.bound |= {name}

    def _end_target_of_with(self, frame: Frame) -> None:
        """args: the context manager"""
        elements, frame.elements = frame.elements, ()
        self._bind(frame, elements, top=True)
        if frame.args is not None and not frame.is_async:
            self._made_of(frame, elements, False, (*frame.args, ENTERED))
        frame.args = None

    def _made_of(self, frame: Frame, elements: tuple[tuple[bool, Any], ...], comma: bool, path: Path) -> None:
        """What targets are bound to; path: what they take apart, or what the only one is."""
        for name, one in parts_of(elements, comma, path):
            self._emit(frame, ("fact", "made", name, ("value", one)))

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
                if token == DUNDER_DEBUG:
                    self._error(frame, "cannot assign to __debug__", ARGUMENTS)
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
                self._has_default(frame)
                frame.outer, frame.items = frame.items, None
            elif is_name(token):
                if token in frame.gens:
                    self._error(frame, f"duplicate argument '{token}' in function definition")
                if token == DUNDER_DEBUG:
                    self._error(frame, "cannot assign to __debug__", ARGUMENTS)
                frame.gens = (*frame.gens, token)
                self._parameter(frame, token)
            elif token in ("*", "**", "/", ","):
                self._mark(frame, token)
        elif phase in ("annotation", "default"):
            if token in (",", ")") or (token == "=" and phase == "annotation"):
                path = self.whole(frame)
                self._value(frame)
                if phase == "annotation":
                    self._end_annotation(frame)
                    frame.args = (*frame.args[:2], (*frame.args[2][:-1], frame.args[2][-1]._replace(annotation=path)))
                else:
                    frame.defaults = (("all", frame.items), frame.defaults)
                    frame.items, frame.outer = frame.outer, None
                frame.phase = "parameter" if token == "," else "after" if token == ")" else "default"
                if token == "=":
                    self._has_default(frame)
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
            returns = self.whole(frame)
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

    def _has_default(self, frame: Frame) -> None:
        """The last parameter."""
        *others, found = frame.args
        frame.args = (*others, (*found[:-1], found[-1]._replace(default=True)))

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
        self._end_open(frame)
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
        elif frame.phase in ("", "none") and is_name(token):
            frame.phase = ""
            if token in frame.extra:
                self._error(frame, f"duplicate type parameter '{token}'")
            if token == DUNDER_DEBUG:
                self._error(frame, "cannot assign to __debug__", ARGUMENTS)
            frame.extra = (*frame.extra, token)
            frame.names |= {token}
            frame.is_async = False
        elif frame.phase in ("bound", "default"):
            self._expression(frame, token)

    # Soft keywords: what they are is told by what follows.
    def _soft(self, frame: Frame, token: str) -> None:
        word = frame.extra
        plain = is_name(token) and token not in KEYWORDS
        if word == "type":
            if plain:
                self.top = new = Frame("alias", None, "name")
                new.saved = token
                return
        elif token in _FOLLOWS_NAME or token in _AUGMENTED or token in BINARY - {"+", "-", "*", "**", "(", "["}:
            pass
        elif word == "match" and (plain or token[0] in '#"f{~' or token in ("not", "lambda", "await", *CONSTANTS)):
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
            self._end_walrus(frame)
            self._end_open(frame)
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
            self._end_open(frame)
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
        if frame.extra == "from" and is_name(token) and token != "import":
            found = self.importable()
            if found is not None and not found.has(token) and token not in self.stored:
                raise Refused(f"{found.owner} has no name {token!r}", "attributes", token, found)
        if token == NEWLINE or token == ";":
            tokens = list(linked(frame.saved))[::-1]
            word, kind = frame.extra, "."
            if word in ("global", "nonlocal"):
                names = [name for name in tokens if name != ","]
                frame.items = ((word, tuple(names)), frame.items)
                self.bound |= frozenset(names)
            elif word == "import":
                self._import(frame, tokens)
            else:
                kind = self._from(frame, tokens)
            self._end_statement(frame, token, kind)
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
            signature = self.signature(self.context)
            return (
                None if signature is None or (self._may_bind(frame) and self.takes_position()) else signature.keywords()
            )
        return None

    @property
    def expects_feature(self) -> bool:
        """Does the name of a feature come next, in a `from __future__ import`?"""
        frame = self.top
        if frame.kind != "collected" or frame.extra != "from" or frame.saved is None:
            return False
        if frame.saved[0] not in ("import", ",", "("):
            return False
        tokens = list(linked(frame.saved))[::-1]
        module = "".join(tokens[: tokens.index("import")]) if "import" in tokens else ""
        relative = self.context is not None and self.context.version < (3, 13)
        return (module.lstrip(".") if relative else module) == "__future__"

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

    def _from(self, frame: Frame, tokens: list[str]) -> str:
        """Take a whole `from ... import`; gives its kind, see Line."""
        at = tokens.index("import") if "import" in tokens else len(tokens)
        module, rest = "".join(tokens[:at]), [token for token in tokens[at + 1 :] if token not in ("(", ")")]
        if rest == ["*"]:
            frame.items = (("import *", module), frame.items)
            return "."
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
        if module.lstrip(".") != "__future__":
            return "."
        relative = module[0] == "."
        frame.items = (("future", tuple(features), relative), frame.items)
        self.features += tuple(f".{one}" if relative else one for one in features)
        return "r" if relative else "f"

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


_STATEMENTS = LineParser.STATEMENTS


def _with_conditions(tokens: Iterable[Token], parser: LineParser) -> Iterator[Token]:
    """The tokens, with an `if` where the parser has the iterable of a comprehension that ends: what it holds is told there."""
    for token in tokens:
        if token in _CLOSING and parser.top.phase in ("iter", "later iter"):
            yield "if"
        yield token
