"""The operands of a logical line, and the operators between them; see syntax.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .....common.words import words_of
from ....scoping.verdicts import Refused
from .attributes import members_next
from .automaton import LineParser, no_attribute
from .frames import Bracket, Frame, FString, Lambda, Simple
from .line_values import TELLS_VERSION, Items, is_plain_name, is_text
from .messages import OUTSIDE, WALRUS_IN_ITERABLE, YIELD_FROM, YIELD_IN_COMPREHENSION, walrus_rebinds
from .queries import notable
from .string_annotations import names_in_string, text_of
from .targets import DEBUG, DUNDER_DEBUG, SINGLE, TEXT, VALUE, Attribute, unwrapped
from .type_paths import LONGEST_PATH, read

BINARY = words_of("+ - * / // % @ & | ^ << >> ** == != < > <= >= and or in is if else")
CONSTANTS = frozenset(("None", "True", "False", "..."))
_OF_TYPES, _TRUTHS = frozenset(("None", "...")), frozenset(("True", "False"))
"""Constants allowed in paths: in annotations, and elsewhere."""


def expression(parser: LineParser, frame: Frame, token: str) -> bool:
    """Take a token of an expression, and return whether it was one."""
    if frame.last is None and not frame.mixed:
        frame.begin = frame.items
    if is_plain_name(token):
        if frame.attr:
            _attribute(parser, frame, token)
        else:
            frame.last = token
            frame.path = (token,)
            if token in TELLS_VERSION:
                frame.emit(("fact", "versions"))
        return True
    take = _TAKES.get(token if token[0] not in '#"' else token[0])
    if take is None:
        return False
    return take(parser, frame, token)


def _attribute(parser: LineParser, frame: Frame, token: str) -> None:
    """Take the name of an attribute, behind its dot."""
    frame.attr = False
    path = frame.path
    if token == DUNDER_DEBUG:
        frame.last, frame.path = DEBUG, None
        return
    missing = None
    if path is None and frame.allowed is None:
        frame.last = Attribute("", token)
        return
    head = "" if path is None else path[0]
    base = head if path is not None and len(path) == 1 else "super()" if path == ("super", "()") else ""
    if parser.context is not None and token not in parser.stored:
        owner = members_next(parser, rebound=False)
        if owner is not None and not owner.has(token):
            if not frame.assignable:
                parser.refuse(frame, no_attribute(owner, token), head)
            else:
                missing = owner
    if frame.allowed is not None and not frame.allowed.argument:
        frame.allowed = None
    frame.path = (*path, token) if path is not None and len(path) < LONGEST_PATH else None
    if path is not None and token in TELLS_VERSION:
        frame.emit(("fact", "versions"))
    if base and base[0] != "#":
        frame.items = (("fact", "mention", base, token), frame.items)
    frame.last = Attribute(base, token, missing, head)


def _constant(parser: LineParser, frame: Frame, token: str) -> bool:
    if token[0] != '"' or not is_text(token):
        frame.last = VALUE
        constants = _OF_TYPES if frame.in_type else _TRUTHS
        frame.path = (token,) if token in constants else None
        return True
    frame.last = TEXT if frame.last is None or frame.last is TEXT else VALUE
    frame.path = read(text_of(token[1:])) if frame.in_type else ("#str",)
    if parser.in_slots:
        frame.emit(("fact", "slot", text_of(token[1:])))
    if frame.in_annotation:
        for name in names_in_string(text_of(token[1:])):
            frame.emit(("noted", name))
            if parser.context is not None and not notable(parser, name, parser.context.later().visible):
                raise Refused(name, "names")
    return True


def _dot(parser: LineParser, frame: Frame, token: str) -> bool:
    parser.settle(frame)
    frame.last, frame.attr = SINGLE, True
    return True


def _bracket(parser: LineParser, frame: Frame, token: str) -> bool:
    if frame.last is not None and token != "{":
        parser.settle(frame)
        frame.last = None
        form = "call" if token == "(" else "index"
        parser.open(Bracket(frame, "elem", form=form, can_comp=form == "call", called=frame.path))
    else:
        parser.open(Bracket(frame, "elem", frame.assignable and token != "{", form=token, can_comp=True))
    return True


def _operator(parser: LineParser, frame: Frame, token: str) -> bool:
    if frame.last is None:
        return _prefix(parser, frame, token)
    if token == "if":
        if isinstance(frame, Lambda):
            frame.conditions += 1
        _begin_condition(parser, frame)
        return True
    if token == "else":
        if isinstance(frame, Lambda):
            if not frame.conditions:
                return False
            frame.conditions -= 1
        _end_condition(parser, frame)
        return True
    if token == "|" and not frame.mixed and frame.in_type:
        alternatives = (*frame.alternatives, frame.path)
        parser.value(frame)
        frame.alternatives = alternatives
        return True
    parser.value(frame)
    frame.mixed = True
    return True


def _prefix(parser: LineParser, frame: Frame, token: str) -> bool:
    """Take an operator before its only operand, or a star."""
    frame.mixed = True
    if isinstance(frame, Bracket) and token in ("*", "**"):
        frame.can_comp = frame.can_comp and (token == "*" or frame.form == "{") and frame.phase == "elem"
        frame.star, frame.keyword = True, token
        if token == "**" and frame.phase == "elem":
            frame.has_colon = True  # a dict
        parser.settle_open(frame)
    if token == "*":
        frame.star = True
    else:
        parser.no_target(frame)
    return True


def _begin_condition(parser: LineParser, frame: Frame) -> None:
    """Take the `if` of a conditional expression: its condition is evaluated before the operand on its left."""
    parser.settle(frame)
    frame.last = None
    frame.conditional, frame.items = _since(frame.begin, frame.items), frame.begin
    parser.value(frame)
    frame.mixed = True


def _end_condition(parser: LineParser, frame: Frame) -> None:
    """Take the `else` of a conditional expression."""
    parser.value(frame)
    if frame.conditional is not None:
        frame.items = (("all", frame.conditional), frame.items)
    frame.mixed, frame.begin, frame.conditional = True, frame.items, None


def _since(begin: Items, items: Items) -> Items:
    """The operations behind a list's beginning."""
    kept: list[Any] = []
    while items is not None and items is not begin:
        kept.append(items[0])
        items = items[1]
    linked: Items = None
    for item in reversed(kept):
        linked = item, linked
    return linked


def _unary(parser: LineParser, frame: Frame, token: str) -> bool:
    if token == "not" and frame.last is not None:
        parser.value(frame)  # "not in"
    parser.no_target(frame)
    frame.mixed = True
    return True


def _lambda(parser: LineParser, frame: Frame, token: str) -> bool:
    parser.no_target(frame)
    frame.mixed = True
    parser.open(Lambda(frame, "name"))
    return True


def _yield(parser: LineParser, frame: Frame, token: str) -> bool:
    parser.no_target(frame)
    frame.mixed = True
    if parser.context is not None:
        for around in frame.outward():
            if around.is_body:
                break
            if isinstance(around, Bracket) and around.phase not in ("elem", "iter"):  # the first iterable runs outside
                raise Refused(YIELD_IN_COMPREHENSION)
        else:
            if not parser.context.in_function and parser.is_compiled():
                raise Refused(OUTSIDE["yield"])
    frame.emit(("flag", "yield"))
    if isinstance(frame, Bracket):
        frame.can_comp = False
    frame.last, frame.yielded = None, True
    return True


def _from(parser: LineParser, frame: Frame, token: str) -> bool:
    """Take the `from` of `yield from` or `raise x from`."""
    if frame.yielded and frame.last is None:
        frame.yielded = False
        frame.emit(("flag", "yield from"))
        in_async = parser.context is not None and parser.context.in_async
        if in_async and parser.is_compiled() and not any(around.is_body for around in frame.outward()):
            raise Refused(YIELD_FROM)
        return True
    if isinstance(frame, Simple):
        parser.value(frame)
        return True
    return False


def _await(parser: LineParser, frame: Frame, token: str) -> bool:
    parser.no_target(frame)
    frame.mixed = True
    frame.emit(("flag", "await"))
    if parser.context is not None and not parser.context.in_async and parser.is_compiled():
        for around in frame.outward():
            if around.is_body:
                raise Refused(OUTSIDE["await"])
            if isinstance(around, Bracket) and around.form in ("(", "call", "field"):
                if around.phase != "elem" or parser.may_generate(around):
                    return True  # in a generator
        raise Refused(OUTSIDE["await"])
    return True


def _async(parser: LineParser, frame: Frame, token: str) -> bool:
    if not isinstance(frame, Bracket):
        return False
    frame.is_async = True
    return True


def _walrus(parser: LineParser, frame: Frame, token: str) -> bool:
    name = unwrapped(frame.last)
    parser.no_target(frame)
    frame.last, frame.path, frame.mixed = None, None, True
    if isinstance(name, str):
        parser.check_assigned(frame, name)
        for around in frame.outward() if parser.context is not None else ():
            if isinstance(around, Bracket) and around.phase in ("iter", "later iter"):
                raise Refused(WALRUS_IN_ITERABLE)
            if isinstance(around, Bracket) and around.phase in ("cond", "targets") and name in around.names:
                raise Refused(walrus_rebinds(name))
        frame.walrus = (name, *frame.walrus)
    frame.begin = frame.items
    return True


def _fstring(parser: LineParser, frame: Frame, token: str) -> bool:
    parser.open(FString(frame))
    return True


_TAKES: dict[str, Callable[[LineParser, Frame, str], bool]] = {
    "#": _constant,
    '"': _constant,
    **dict.fromkeys(CONSTANTS, _constant),
    ".": _dot,
    **dict.fromkeys("([{", _bracket),
    **dict.fromkeys(BINARY, _operator),
    "~": _unary,
    "not": _unary,
    "lambda": _lambda,
    "yield": _yield,
    "from": _from,
    "await": _await,
    "async": _async,
    ":=": _walrus,
    'f"': _fstring,
}
"""The functions that take a symbol of an expression."""
