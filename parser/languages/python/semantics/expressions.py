"""Brackets, comprehensions, lambdas and formatted strings in a logical line; see syntax.py. They know nothing of statements."""

from __future__ import annotations

from .....common.words import is_name
from .automaton import LineParser, not_python, takes
from .call_arguments import begin_keyword, check_call, check_position, end_argument, end_special
from .frames import Bracket, Definition, Frame, FString, Lambda, Spec
from .line_values import ARGUMENTS, COMPILED, Argument, Path, linked
from .messages import STARRED, duplicate_argument
from .operands import expression
from .queries import names_used
from .targets import SINGLE, SPREAD, SPREAD_SUBSCRIPT, TEXT, VALUE, Attribute, Group, parts_of, target_names
from .tokens import NEWLINE
from .type_paths import ELEMENT, INDEX, LONGEST_PATH, SLICE, call, names_in, subscript

_ENDS_EXPRESSION_OF_FIELD = frozenset(("}f", ":f", "!f", "="))
_ENDS_LAMBDA = frozenset((",", ")", "]", "}", ":", "=", "for", "async", NEWLINE, ";", "as", "}f", ":f", "!f", "from"))
_ONE_UNKNOWN = (Argument(None, None),)


@takes(Bracket)
def _bracket(parser: LineParser, frame: Bracket, token: str) -> None:
    form = frame.form
    if form == "call" and parser.context is not None:
        check_position(parser, token)
    if token == "for":
        _begin_for(parser, frame)
    elif token == "in" and frame.phase == "targets":
        parser.end_element(frame)
        _bind_targets_of_for(parser, frame)
    elif token == "if" and frame.phase in ("iter", "later iter", "cond"):
        _end_part(parser, frame)
        frame.phase = "cond"
    elif token == ",":
        if frame.phase == "as":
            _end_with_target(parser, frame)
        elif frame.phase != "targets":
            frame.can_comp = False
            if frame.takes_arguments:
                end_argument(parser, frame)
            parser.end_element(frame)
            frame.comma = True
            parser.settle_open(frame)
        else:
            parser.end_element(frame)
            frame.comma = True
    elif token == ":" and form in ("{", "index") and frame.phase == "elem":
        parser.value(frame)
        frame.has_colon = True
        frame.mixed, frame.begin = form == "index", frame.items
    elif token == "=" and form == "call":
        name = frame.last
        frame.last = None
        frame.path, frame.mixed = None, False
        frame.can_comp = False
        parser.settle_open(frame)
        if isinstance(name, str):
            if name in frame.keywords:
                parser.error(frame, f"keyword argument repeated: {name}", ARGUMENTS)
            parser.check_assigned(frame, name)
            frame.keywords |= {name}
            begin_keyword(parser, frame, name)
    elif token == "as":  # with (a as b): the items of a statement, in brackets
        parser.value(frame)
        frame.can_comp = False
        frame.phase, frame.assignable = "as", True
    elif token in (")", "]", "}"):
        _close(parser, frame)
    elif form == "field" and token in _ENDS_EXPRESSION_OF_FIELD:
        _end_field(parser, frame, token)
    else:
        expression(parser, frame, token)


def _begin_for(parser: LineParser, frame: Bracket) -> None:
    if frame.phase == "elem":
        parser.value(frame)
        parser.end_walrus(frame)
        frame.open |= _unseen_within(parser, frame)
        frame.element = frame.items
    elif frame.clauses is None:
        raise not_python()
    else:
        _end_part(parser, frame)
    frame.items = None
    frame.phase, frame.assignable, frame.elements, frame.comma = "targets", True, (), False
    frame.can_comp, frame.star = True, False
    frame.clauses = ((frame.is_async, None, None, None), frame.clauses)
    frame.is_async = False


def _unseen_within(parser: LineParser, frame: Frame) -> frozenset[str]:
    """The names an element reads from the class around it, invisible to a comprehension's element."""
    context = parser.context
    if context is None or context.within() is context:
        return frozenset()
    read = frozenset(names_used(frame.items)).difference(*(around.names for around in frame.outward()))
    return frozenset(name for name in read if not context.within().visible(name))


def _bind_targets_of_for(parser: LineParser, frame: Bracket) -> None:
    assert frame.clauses is not None
    elements, frame.elements = frame.elements, ()
    frame.unpacked = elements, frame.comma
    bound = parser.bound
    before, frame.items = frame.items, None
    parser.bind(frame, elements, top=True, comma=frame.comma)
    parser.bound = bound
    if before is not None:  # the reads of targets such as `d[key]`
        frame.items = (("all", before), frame.items)
    names = frozenset(target_names(elements))
    frame.names |= names
    frame.open -= names
    frame.owed = tuple(attribute for attribute in frame.owed if attribute[0] not in names)
    (is_async, _, _, _), rest = frame.clauses
    frame.clauses = ((is_async, frame.items, None, None), rest)
    frame.items, frame.assignable, frame.comma = None, False, False
    frame.phase = "iter" if rest is None else "later iter"


def _end_part(parser: LineParser, frame: Bracket) -> None:
    """End an iterable or a condition."""
    assert frame.clauses is not None
    path = frame.whole()
    parser.value(frame)
    (is_async, targets, iterable, conditions), rest = frame.clauses
    if frame.phase in ("iter", "later iter"):
        iterable = frame.items
        if path is not None and not is_async:
            _type_targets(parser, frame, path)
    elif frame.phase == "cond":
        conditions = (("all", frame.items), conditions)
    frame.clauses = ((is_async, targets, iterable, conditions), rest)
    frame.items = None


def _type_targets(parser: LineParser, frame: Bracket, iterable: Path) -> None:
    """Note the types of the names bound by a `for` in brackets."""
    path = parser.from_outside(iterable)
    if path is None or not names_in(path[1:]).isdisjoint(parser.bound.union(frame.names)):
        return
    assert frame.unpacked is not None
    frame.types = (*frame.types, *parts_of(*frame.unpacked, (*path, ELEMENT)))


def _close(parser: LineParser, frame: Bracket) -> None:
    form = frame.form
    if frame.phase == "as":
        _end_with_target(parser, frame)
        parser.pop(VALUE)
        return
    if frame.clauses is not None:
        _end_comprehension(parser, frame, form)
        if form == "call" and parser.context is not None:
            check_call(parser, frame)
        parser.pop(VALUE).path = _result(frame, None, _ONE_UNKNOWN)
        return
    frame.can_comp = False
    if frame.takes_arguments:
        if form == "call" and parser.context is not None:
            check_call(parser, frame)
        end_argument(parser, frame)
    if form in ("(", "["):
        _close_display(parser, frame)
        return
    display = "dict" if frame.has_colon or (not frame.comma and frame.last is None) else "set"
    if form == "call":
        end_special(frame)
    if form == "index":
        display = SLICE if frame.has_colon else INDEX
        if frame.in_type:
            display = subscript(argument.path for argument in frame.arguments)
    parser.end_element(frame)
    parent = parser.pop(VALUE if form != "index" else SPREAD_SUBSCRIPT if frame.spread else SINGLE)
    parent.path = _result(frame, display, frame.arguments)
    if form == "call" and isinstance(parent, Definition) and parent.word == "class":
        parent.arguments = frame.arguments


def _close_display(parser: LineParser, frame: Bracket) -> None:
    """Close an operand in parentheses or square brackets."""
    is_tuple = frame.form == "("
    if is_tuple and frame.star and not frame.comma and frame.last is not None and not frame.elements:
        frame.emit(("error", STARRED, COMPILED))  # "(*a)", of Python 3.8
    last = None if not is_tuple or frame.comma or frame.star or frame.mixed else frame.last
    parser.end_element(frame)
    if frame.assignable:
        group = Group(frame.elements, is_tuple and len(frame.elements) == 1 and not frame.comma)
        single = group.elements[0][1] if group.is_parenthesized and not group.elements[0][0] else None
        if single is SINGLE or single is SPREAD_SUBSCRIPT or isinstance(single, Attribute):
            parser.pop(single)
            return
        parent = parser.pop(group)
    else:
        if is_tuple and frame.comma and frame.spread:
            last = SPREAD
        parent = parser.pop(last if last is TEXT or last is SPREAD else VALUE)
    parent.path = None if is_tuple else ("#list",)


def _result(frame: Bracket, display: str | None, arguments: tuple[Argument, ...]) -> Path | None:
    """The value of brackets, as a path. display: their type, or the subscript."""
    called = frame.called
    if frame.takes_arguments:
        if called is None or len(called) >= LONGEST_PATH:
            return None
        return (*called, call(called, arguments) if frame.form == "call" else display or INDEX)
    if frame.form == "[":
        return ("#list",)
    return ("#" + display,) if frame.form == "{" and display is not None else None


def _end_comprehension(parser: LineParser, frame: Bracket, form: str) -> None:
    _end_part(parser, frame)
    clauses = tuple(reversed(list(linked(frame.clauses))))
    frame.items = (("comp", form, frame.element, clauses), None)
    frame.names, frame.types = frozenset(), ()
    frame.can_comp, frame.phase = False, "done"


def _end_with_target(parser: LineParser, frame: Bracket) -> None:
    parser.end_element(frame)
    elements, frame.elements = frame.elements, ()
    parser.bind(frame, elements, top=True)
    frame.phase, frame.assignable = "elem", False


@takes(Lambda)
def _lambda(parser: LineParser, frame: Lambda, token: str) -> None:
    if frame.phase == "body":
        above: Frame = frame
        while isinstance(above, Lambda) and above.is_body:
            ends = token in _ENDS_LAMBDA or (token == "else" and above.last is not None and not above.conditions)
            if not ends and expression(parser, above, token):
                return
            above = _end_lambda(parser, above)
        parser.feed(token)
    elif token == ":":
        parser.value(frame)
        frame.outer, frame.items = frame.items, None
        frame.phase, frame.names = "body", frozenset(frame.params)
    elif token == ",":
        parser.value(frame)
        frame.phase = "name"
    elif token == "=":
        frame.phase = "default"
    elif frame.phase == "default":
        expression(parser, frame, token)
    elif is_name(token):
        if token in frame.params:
            parser.error(frame, duplicate_argument(token))
        parser.check_assigned(frame, token)
        frame.params = (*frame.params, token)


def _end_lambda(parser: LineParser, frame: Lambda) -> Frame:
    parser.value(frame)
    body = frame.items
    frame.items = (("lambda", frame.params, frame.outer, body), None)
    frame.names = frozenset()
    return parser.pop(VALUE)


@takes(FString)
def _fstring(parser: LineParser, frame: FString, token: str) -> None:
    if token == "{f":
        _open_field(parser, frame)
    elif token == '"f':
        parser.pop(VALUE).path = ("#str",)


def _open_field(parser: LineParser, frame: Frame) -> None:
    """Open a field, read as if in parentheses; up to Python 3.11 it may be a generator."""
    may_generate = parser.context is None or parser.context.version < (3, 12)
    parser.open(Bracket(frame, "elem", form="field", can_comp=may_generate))


def _end_field(parser: LineParser, frame: Bracket, token: str) -> None:
    """End the expression of a field; the next token is `=`, a conversion, a format specification, or the field's end."""
    if frame.clauses is not None:
        _end_comprehension(parser, frame, "(")
    else:
        if frame.star and not frame.comma and frame.last is not None:
            parser.error(frame, STARRED, COMPILED)
        frame.can_comp = False
        parser.end_element(frame)
    parser.pop(None)
    if token != "}f":
        parser.open(Spec(parser.top))


@takes(Spec)
def _spec(parser: LineParser, frame: Spec, token: str) -> None:
    if token == "{f":
        _open_field(parser, frame)
    elif token == "}f":
        parser.pop(None)
