"""The part of the automaton for a logical line that reads expressions; see syntax.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....common.words import is_name
from .call_arguments import CallParser
from .line_names import LONGEST_PATH, names_used, not_python, target_names
from .line_values import (
    ARGUMENTS,
    COMPILED,
    SINGLE,
    SPREAD,
    SPREAD_SUBSCRIPT,
    TEXT,
    VALUE,
    Argument,
    Attribute,
    Frame,
    Group,
    Path,
    linked,
)
from .messages import STARRED, duplicate_argument
from .tokens import NEWLINE
from .type_paths import ELEMENT, INDEX, SLICE, call, item, names_in, subscript

_ENDS_EXPRESSION_OF_FIELD = frozenset(("}f", ":f", "!f", "="))
_ENDS_LAMBDA = frozenset((",", ")", "]", "}", ":", "=", "for", "async", NEWLINE, ";", "as", "}f", ":f", "!f", "from"))


def _result(
    kind: str, called: Path | None, display: str | None, arguments: tuple[Argument, ...] = (Argument(None, None),)
) -> Path | None:
    """The value of brackets, as a path; called: the operand before them. display: its type, or the subscript."""
    if kind == "call" or kind == "index":
        if called is None or len(called) >= LONGEST_PATH:
            return None
        return (*called, call(called, arguments) if kind == "call" else display or INDEX)
    if kind == "[":
        return ("#list",)
    return ("#" + display,) if kind == "{" and display is not None else None


class ExpressionParser(CallParser):
    """The part of a `LineParser` that reads expressions. It knows nothing of statements."""

    def _pop(self, last: Any) -> Frame:
        """Leave the top frame; its operations belong to the one below, of which it is an operand."""
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
            self._settle_open(parent)
        parent.last, parent.path = last, None
        self.top = parent
        return parent

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
                self._check_assigned(frame, name)
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

    def _begin_for(self, frame: Frame) -> None:
        if frame.phase == "elem":
            self._value(frame)
            self._end_walrus(frame)
            frame.open |= self._unseen_within(frame)
            frame.saved = frame.items
        elif frame.gens is None:
            raise not_python()
        else:
            self._end_part(frame)
        frame.items = None
        frame.phase, frame.tg, frame.elements, frame.comma = "targets", True, (), False
        frame.can_comp, frame.star = True, False
        frame.gens = ((frame.is_async, None, None, None), frame.gens)
        frame.is_async = False

    def _unseen_within(self, frame: Frame) -> frozenset[str]:
        """The names that an element reads from the class around it, which a comprehension's element would not see."""
        context = self.context
        if context is None or context.within() is context:
            return frozenset()
        read = frozenset(names_used(frame.items)).difference(*(around.names for around in frame.outward()))
        return frozenset(name for name in read if not context.within().visible(name))

    def _bind_targets_of_for(self, frame: Frame) -> None:
        elements, frame.elements = frame.elements, ()
        frame.targets = elements, frame.comma
        bound = self.bound
        before, frame.items = frame.items, None
        self._bind(frame, elements, top=True, comma=frame.comma)
        self.bound = bound
        if before is not None:  # the reads of targets such as `d[key]`
            frame.items = (("all", before), frame.items)
        names = frozenset(target_names(elements))
        frame.names |= names
        frame.open -= names
        frame.owed = tuple(attribute for attribute in frame.owed if attribute[0] not in names)
        (is_async, _, _, _), rest = frame.gens
        frame.gens = ((is_async, frame.items, None, None), rest)
        frame.items, frame.tg, frame.comma = None, False, False
        frame.phase = "iter" if rest is None else "later iter"

    def _end_part(self, frame: Frame) -> None:
        """End an iterable or a condition."""
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
        """Note the names that a `for` in brackets binds."""
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
                single = group.elements[0][1] if group.is_parenthesized and not group.elements[0][0] else None
                if single is SINGLE or single is SPREAD_SUBSCRIPT or single.__class__ is Attribute:
                    self._pop(single)
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
        if kind == "call":
            self._end_special(frame)
        if kind == "index":
            display = SLICE if frame.saved == ":" else INDEX
            if self._in_type(frame):
                display = subscript(argument.path for argument in arguments)
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

    def _lambda(self, frame: Frame, token: str) -> None:
        """Take a token of a lambda; extra: the parameters so far; outer: the names that their defaults evaluate."""
        if frame.phase == "body":
            while frame.is_body:
                ends = token in _ENDS_LAMBDA or (token == "else" and frame.last is not None and not frame.saved)
                if not ends and self._expression(frame, token):
                    return
                frame = self._end_lambda(frame)
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
                self._error(frame, duplicate_argument(token))
            self._check_assigned(frame, token)
            frame.extra = (*frame.extra, token)

    def _end_lambda(self, frame: Frame) -> Frame:
        self._value(frame)
        body = frame.items
        frame.items = (("lambda", frame.extra, frame.outer, body), None)
        frame.names = frozenset()
        return self._pop(VALUE)

    def _fstring(self, frame: Frame, token: str) -> None:
        if token == "{f":
            self._open_field(frame)
        elif token == '"f':
            parent = self._pop(VALUE)
            parent.path = ("#str",)

    def _open_field(self, frame: Frame) -> None:
        """Open a field, which is read as if in parentheses; up to Python 3.11 it may be a generator."""
        may_generate = self.context is None or self.context.version < (3, 12)
        new = self._open("bracket", frame, "elem", can_comp=may_generate)
        new.extra = "field"

    def _end_field(self, frame: Frame, token: str) -> None:
        """End the expression of a field; the next token is `=`, a conversion, a format specification, or the field's end."""
        if frame.gens is None and frame.star and not frame.comma and frame.last is not None:
            self._error(frame, STARRED, COMPILED)
        if frame.gens is not None:
            self._end_comprehension(frame, "(")
        else:
            frame.can_comp = False
            self._end_element(frame)
        self._pop(None)
        if token != "}f":
            self._open("spec", self.top)

    def _spec(self, frame: Frame, token: str) -> None:
        """Take a token behind the expression of a field."""
        if token == "{f":
            self._open_field(frame)
        elif token == "}f":
            self._pop(None)


def parts_of(elements: tuple[tuple[bool, Any], ...], comma: bool, path: Path) -> Iterator[tuple[str, Path]]:
    """The names among targets, each with its value; path: the value that they take apart, or that of the only target."""
    if len(path) > LONGEST_PATH or any(star for star, _ in elements):
        return
    for number, (_, element) in enumerate(elements):
        value = path if len(elements) == 1 and not comma else (*path, item(number))
        if element.__class__ is str:
            yield element, value
        elif element.__class__ is Group:
            yield from parts_of(element.elements, not element.is_parenthesized, value)
