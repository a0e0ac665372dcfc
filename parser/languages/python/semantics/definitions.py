"""Headers of functions and classes, type parameters and type aliases; see syntax.py."""

from __future__ import annotations

from .....common.words import is_name
from ....scoping.verdicts import Refused
from .automaton import LineParser, not_python, takes
from .frames import Alias, Bracket, Definition, Types
from .line_values import FORBIDDEN_NOW, Header, Parameter, Path
from .messages import duplicate_argument
from .operands import expression
from .tokens import NEWLINE


@takes(Definition)
def _definition(parser: LineParser, frame: Definition, token: str) -> None:
    phase = frame.phase
    if phase == "name":
        if token == "[":
            parser.top = Types(frame)
        elif token == "(":
            if frame.word == "class":
                frame.phase = "after"
                parser.open(Bracket(frame, "elem", form="call"))
            else:
                frame.phase = "parameter"
        elif token == ":":
            _end_definition(parser, frame)
        elif frame.name is None:
            parser.check_assigned(frame, token)
            frame.name = token
    elif phase == "parameter":
        _in_parameter(parser, frame, token)
    elif phase in ("annotation", "default"):
        _behind_parameter(parser, frame, token)
    elif phase == "after":
        if token == "->":
            frame.phase = "returns"
            _begin_part(frame)
        elif token == ":":
            _end_definition(parser, frame)
    elif token == ":":
        returns = frame.whole()
        parser.value(frame)
        _end_annotation(frame)
        _end_definition(parser, frame, returns)
    else:
        expression(parser, frame, token)
    if token == NEWLINE:
        parser.end_statement(frame, token)


def _in_parameter(parser: LineParser, frame: Definition, token: str) -> None:
    if token in (":", "=") and not frame.parameters:
        raise not_python()
    if token == ")":
        frame.phase = "after"
    elif token == ":":
        frame.phase = "annotation"
        _begin_part(frame)
    elif token == "=":
        _begin_default(frame)
    elif is_name(token):
        if any(parameter.name == token for parameter in frame.parameters):
            parser.error(frame, duplicate_argument(token))
        parser.check_assigned(frame, token)
        kind = "*" * frame.stars if frame.stars else "=" if frame.by_keyword else ""
        frame.by_keyword = frame.by_keyword or frame.stars == 1
        frame.parameters, frame.stars = (*frame.parameters, Parameter(token, kind)), 0
    elif token == "/":
        frame.parameters = tuple(parameter._replace(kind="/") for parameter in frame.parameters)
    elif token == ",":
        frame.by_keyword = frame.by_keyword or frame.stars == 1  # a lone star
        frame.stars = 0
    elif token in ("*", "**"):
        frame.stars = len(token)


def _behind_parameter(parser: LineParser, frame: Definition, token: str) -> None:
    """Take a token of a parameter's annotation or default."""
    if token in (",", ")") or (token == "=" and frame.phase == "annotation"):
        path = frame.whole()
        parser.value(frame)
        if frame.phase == "annotation":
            _end_annotation(frame)
            *before, parameter = frame.parameters
            frame.parameters = (*before, parameter._replace(annotation=path))
        else:
            frame.defaults = (("all", frame.items), frame.defaults)
            frame.items, frame.outer = frame.outer, None
        if token == "=":
            _begin_default(frame)
        else:
            frame.phase = "parameter" if token == "," else "after"
        frame.star = False
    else:
        expression(parser, frame, token)


def _begin_part(frame: Definition) -> None:
    """Keep the operations so far, before an annotation or a default."""
    frame.outer, frame.items = frame.items, None


def _begin_default(frame: Definition) -> None:
    frame.phase = "default"
    *before, parameter = frame.parameters
    frame.parameters = (*before, parameter._replace(default=True))
    _begin_part(frame)


def _end_annotation(frame: Definition) -> None:
    frame.items, frame.outer = (("annotation", frame.items), frame.outer), None


def _end_definition(parser: LineParser, frame: Definition, returns: Path | None = None) -> None:
    frame.last = None
    scoped = frame.items
    parser.end_open(frame)
    items = frame.defaults
    if not frame.type_params and scoped is not None:
        items, scoped = (("all", scoped), items), None
    header = Header(
        frame.word,
        items,
        frame.name,
        frame.is_async,
        tuple(parameter.name for parameter in frame.parameters),
        frame.type_params,
        scoped,
        signature=frame.parameters,
        arguments=frame.arguments,
        returns=returns,
    )
    if frame.name is not None:
        parser.bound |= {frame.name}
    parser.end_header(header)


@takes(Types)
def _types(parser: LineParser, frame: Types, token: str) -> None:
    if token in ("]", ","):
        parser.value(frame)
        if frame.has_default:
            frame.follows_default = True
        elif frame.follows_default and frame.phase != "none":
            parser.error(frame, f"non-default type parameter '{frame.params[-1]}' follows default type parameter")
        frame.phase, frame.star, frame.has_default = "none" if token == "," else "", False, False
        if token == "]":
            _end_types(parser, frame)
    elif frame.phase == "" and token == ":":
        frame.phase = "bound"
    elif token == "=":
        parser.value(frame)
        frame.phase, frame.has_default = "default", True
    elif frame.phase in ("", "none") and is_name(token):
        frame.phase = ""
        if token in frame.params:
            parser.error(frame, f"duplicate type parameter '{token}'")
        parser.check_assigned(frame, token)
        if token == "__classdict__":
            parser.error(frame, f"reserved name '{token}' cannot be used for a type parameter", FORBIDDEN_NOW)
        frame.params = (*frame.params, token)
        frame.names |= {token}
    elif frame.phase in ("bound", "default"):
        expression(parser, frame, token)


def _end_types(parser: LineParser, frame: Types) -> None:
    assert isinstance(frame.parent, Definition | Alias)
    parent = frame.parent.copy()
    parent.type_params = frame.params
    parent.names |= frozenset(frame.params)
    if frame.items is not None:
        parent.items = (("type bound", frame.items), parent.items)
    if parser.context is not None and frame.open - frozenset(frame.params):
        raise Refused(sorted(frame.open)[0], "names")
    parser.top = parent


@takes(Alias)
def _alias(parser: LineParser, frame: Alias, token: str) -> None:
    if frame.phase == "name":
        if token == "[":
            parser.top = Types(frame)
        elif token == "=":
            frame.phase = "value"
    elif token == ";" or token == NEWLINE:
        parser.value(frame)
        parser.end_open(frame)
        frame.items = (("alias", frame.type_params, frame.items), None)
        frame.names = frozenset()
        parser.bind_name(frame, frame.name)
        parser.end_statement(frame, token)
    else:
        expression(parser, frame, token)
