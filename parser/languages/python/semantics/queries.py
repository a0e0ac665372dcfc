"""Questions about the constructs in progress in a logical line: the possible next texts; see syntax.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .....common.words import is_name, words_of
from ....scoping.verdicts import Refused
from .attributes import is_told, members_next, told
from .automaton import LineParser
from .call_arguments import signature_around, takes_position
from .frames import Alias, Bracket, Collected, Definition, Guard, Head, Lambda, Simple, Types
from .import_statements import importable
from .line_values import KEYWORDS, Items, Members, Path, linked
from .targets import is_missing, target_names
from .tokens import NEWLINE, Token

_OPERATIONS = words_of("items conditional before assigned targets outer defaults element clauses")
"""The fields of frames that hold operations."""
_CLOSING = frozenset((")", "]", "}"))


def reads_name(parser: LineParser) -> bool:
    """Whether a name typed here must be visible, unless `:=` follows it."""
    frame = parser.top
    phase = frame.phase
    if frame.attr or frame.last is not None:
        return False
    match frame:
        case Bracket():
            if frame.assignable or phase in ("targets", "as"):
                return False
            if phase == "elem" and frame.call is not None and not frame.mixed and frame.keyword is None:
                return False  # it may name a parameter
            return not parser.may_bind(frame)
        case Simple():
            return not frame.assignable or phase == "del"
        case Head() | Alias():
            return phase == "value"
        case Lambda():
            return phase in ("default", "body") and not parser.may_bind(frame)
        case Definition():
            return phase in ("annotation", "default", "returns")
        case Types():
            return phase in ("bound", "default")
        case _:
            return isinstance(frame, Guard) and not parser.may_bind(frame)


def begins_condition(parser: LineParser) -> bool:
    """Whether the condition of a header begins here, so that `:=` may follow a name without brackets."""
    frame = parser.top
    return isinstance(frame, Head) and frame.word in ("if", "elif", "while") and not frame.mixed


def may_be_chained(parser: LineParser) -> bool:
    """Whether a name here stands behind an `=`, and is bound only if another `=` follows."""
    frame = parser.top
    return isinstance(frame, Simple) and frame.phase == "rhs" and frame.assignable


def begins_statement(parser: LineParser) -> bool:
    """Whether an expression that may become a target begins a statement here."""
    frame = parser.top
    return isinstance(frame, Simple) and frame.phase == "first" and frame.assignable


def header_word(parser: LineParser) -> str:
    """The keyword of the header in progress; "" for none."""
    outermost = parser.frames()[0]
    if isinstance(outermost, Head | Definition):
        return outermost.word
    return "case" if isinstance(outermost, Guard) else ""


def may_become_comprehension(parser: LineParser) -> bool:
    """Whether a `for` may follow in brackets open here."""
    return any(
        frame.phase == "elem" and isinstance(frame, Bracket) and parser.may_generate(frame)
        for frame in parser.top.outward()
    )


def names_read(parser: LineParser) -> frozenset[str]:
    """The names read by this line so far."""
    return frozenset(item[1] for item in _operations(parser) if item[0] == "use")


def names_used(items: Items) -> Iterator[str]:
    """The names read by operations, except in their own scopes."""
    for item in linked(items):
        if item[0] == "use":
            yield item[1]
        elif item[0] == "all":
            yield from names_used(item[1])


def open_names(parser: LineParser) -> frozenset[str]:
    """The names read but still unbound, which only a `for` in the open brackets, or a `:=`, may bind."""
    unbound = frozenset[str]().union(*(frame.open for frame in parser.top.outward()))
    last, context = parser.top.last, parser.context
    if isinstance(last, str) and context is not None and not parser.surroundings(context).visible(last):
        unbound |= {last}
    return unbound - parser.local_names()


def owed_names(parser: LineParser) -> frozenset[str]:
    """The names read by elements in open brackets, for a `for` there, or a `:=`, to bind if nothing else does."""
    owed: set[str] = set()
    for frame in parser.top.outward():
        if isinstance(frame, Bracket) and (frame.clauses is not None or parser.may_bind(frame)):
            for read in (frame.items, frame.begin, frame.conditional, frame.element):
                owed.update(names_used(read))
    return frozenset(owed) - parser.local_names()


def awaited_names(parser: LineParser) -> frozenset[str]:
    """The names still to be bound by a `for` in brackets, if its target is in progress; else none."""
    frame = parser.top
    if frame.phase != "targets" or not isinstance(frame, Bracket) or frame.attr or frame.last is not None:
        return frozenset()
    return frame.open - frozenset(target_names(frame.elements)) - frame.names - parser.bound


def notable(parser: LineParser, name: str, visible: Callable[[str], bool]) -> bool:
    """Whether a name is valid in a string annotation. visible: whether the surroundings have it, or a name with this beginning."""
    if visible(name) or any(local.startswith(name) for local in parser.local_names()):
        return True
    functions = (frame.name for frame in parser.top.outward() if isinstance(frame, Definition))
    return any(function is not None and function.startswith(name) for function in functions)


def lacks_attribute(parser: LineParser) -> bool:
    """Whether an attribute is missing, unless the rest assigns it or binds its owner's name."""
    return any(
        frame.owed or is_missing(frame.last) or any(is_missing(element) for _, element in frame.elements)
        for frame in parser.top.outward()
    )


def possible(parser: LineParser) -> Members | None:
    """The possible names of the next attribute, keyword argument or import; None: unknown, or a new name may come."""
    frame = parser.top
    if isinstance(frame, Collected):
        return importable(parser)
    if frame.attr:
        return None if frame.assignable else members_next(parser)
    if isinstance(frame, Bracket) and frame.phase == "elem" and frame.last is None and not frame.mixed:
        signature = signature_around(parser, parser.context)
        if signature is None or (parser.may_bind(frame) and takes_position(parser)):
            return None
        is_open = is_told(parser, argument=True) and told(parser, argument=True) is None
        return None if is_open else signature.keywords()
    return None


def comprehended(parser: LineParser, tokens: Iterable[Token]) -> dict[str, Path | None]:
    """The names bound by each `for` with which the tokens continue open brackets, with their values; None: unknown."""
    parser = parser.in_context(None)
    still_open = len(parser.frames())
    variables: dict[str, Path | None] = {}
    for token in _with_conditions(tokens, parser):
        if token.__class__ is int or token == NEWLINE:
            break
        if parser.top.attr and (token in KEYWORDS or not is_name(str(token))):
            parser.top.attr, parser.top.path = False, None  # the cursor stands behind a dot
        try:
            parser.feed(str(token))
        except Refused:
            break
        frames = parser.frames()
        still_open = min(still_open, len(frames))
        for frame in frames[:still_open]:
            if isinstance(frame, Bracket) and frame.clauses is not None:
                variables |= dict.fromkeys(frame.names) | dict(frame.types)
        if still_open == 1:
            break
    probed = frozenset(item[2][0] for item in _operations(parser) if item[:2] == ("fact", "probed"))
    return variables | dict.fromkeys(variables.keys() & probed)


def _with_conditions(tokens: Iterable[Token], parser: LineParser) -> Iterator[Token]:
    """The tokens, with an `if` at the end of a comprehension's iterable, whose elements are known there."""
    for token in tokens:
        if token in _CLOSING and parser.top.phase in ("iter", "later iter"):
            yield "if"
        yield token


def _operations(parser: LineParser) -> Iterator[Any]:
    """The operations of this line so far, in no order."""
    todo: list[Any] = [parser.before]
    todo += (getattr(frame, field, None) for frame in parser.top.outward() for field in _OPERATIONS)
    while todo:
        item = todo.pop()
        if item.__class__ is tuple and item:
            yield item
            todo += item
