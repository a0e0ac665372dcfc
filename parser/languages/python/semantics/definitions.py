"""Headers of functions and classes, type parameters and type aliases; see syntax.py."""

from __future__ import annotations

from .....common.words import is_name
from ....scoping.verdicts import Refused
from .line_names import not_python
from .line_values import (
    FORBIDDEN_NOW,
    Frame,
    Header,
    Parameter,
    Path,
)
from .logical_line import LogicalLine
from .messages import duplicate_argument
from .tokens import NEWLINE


class DefinitionParser(LogicalLine):
    """The part of a `LineParser` that reads headers of functions and classes, their type parameters, and type aliases."""

    # def and class; extra: the word. saved: (name, type parameters, their text); gens: parameters.
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
                    call = self._open("bracket", frame, "elem")
                    call.extra, call.args = "call", (None, (), None)
                else:
                    frame.phase, frame.gens, frame.args = "parameter", (), (0, False, ())
            elif token == ":":
                self._end_definition(frame)
            elif frame.saved is None:
                self._check_assigned(frame, token)
                frame.saved = token
        elif phase == "parameter":
            self._in_parameter(frame, token)
        elif phase in ("annotation", "default"):
            self._behind_parameter(frame, token)
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

    def _in_parameter(self, frame: Frame, token: str) -> None:
        if token in (":", "=") and not frame.args[2]:
            raise not_python()
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
                self._error(frame, duplicate_argument(token))
            self._check_assigned(frame, token)
            frame.gens = (*frame.gens, token)
            self._parameter(frame, token)
        elif token in ("*", "**", "/", ","):
            self._mark(frame, token)

    def _behind_parameter(self, frame: Frame, token: str) -> None:
        """Take a token of a parameter's annotation or default."""
        if token in (",", ")") or (token == "=" and frame.phase == "annotation"):
            path = self.whole(frame)
            self._value(frame)
            if frame.phase == "annotation":
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

    def _parameter(self, frame: Frame, name: str) -> None:
        """Take a parameter's name."""
        stars, by_keyword, parameters = frame.args
        kind = "*" * stars if stars else "=" if by_keyword else ""
        frame.args = 0, by_keyword or stars == 1, (*parameters, Parameter(name, kind))

    def _has_default(self, frame: Frame) -> None:
        """Note that the last parameter has a default."""
        *others, parameters = frame.args
        frame.args = (*others, (*parameters[:-1], parameters[-1]._replace(default=True)))

    def _mark(self, frame: Frame, token: str) -> None:
        """Take a star, a slash or a comma among parameters."""
        stars, by_keyword, parameters = frame.args
        if token == "/":
            parameters = tuple(parameter._replace(kind="/") for parameter in parameters)
        elif token == ",":
            stars, by_keyword = 0, by_keyword or stars == 1  # a lone star
        else:
            stars = len(token)
        frame.args = stars, by_keyword, parameters

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
        """Take a token of type parameters; extra: their names."""
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
            self._check_assigned(frame, token)
            if token == "__classdict__":
                self._error(frame, f"reserved name '{token}' cannot be used for a type parameter", FORBIDDEN_NOW)
            frame.extra = (*frame.extra, token)
            frame.names |= {token}
            frame.is_async = False
        elif frame.phase in ("bound", "default"):
            self._expression(frame, token)

    def _alias(self, frame: Frame, token: str) -> None:
        """Take a token of `type X[T] = ...`; saved: the name."""
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
