"""The names that may come next behind a dot or in a call, by our own rules and by a type checker; see syntax.py."""

from __future__ import annotations

from .automaton import LineParser
from .frames import Bracket
from .line_values import Members, Path


def members_of(parser: LineParser, path: Path | None, *, rebound: bool = True) -> Members | None:
    """The attributes of an expression's value here; None: unknown. rebound: even if a `for` may still bind its name."""
    context = parser.context
    path = None if path is None or context is None else parser.from_outside(path, rebound=rebound)
    return None if path is None or context is None else context.members(path)


def members_next(parser: LineParser, *, rebound: bool = True) -> Members | None:
    """The attributes of the operand before the dot; None: unknown. rebound: see members_of."""
    own = members_of(parser, parser.top.path, rebound=rebound)
    if not is_told(parser, argument=False):
        return own
    allowed = told(parser, argument=False)
    if allowed is None or own is None:
        return allowed
    return allowed._replace(names=allowed.names | own.names, is_whole=True)  # for both, the class is closed


def is_told(parser: LineParser, *, argument: bool) -> bool:
    """Whether a type checker has settled which names may come next: then our own rules alone refuse nothing."""
    allowed = parser.top.allowed
    return allowed is not None and allowed.argument == argument and allowed.settled


def told(parser: LineParser, *, argument: bool) -> Members | None:
    """The names a type checker allows next, unless their owner may become another thing."""
    frame, context = parser.top, parser.context
    if frame.allowed is None or context is None or frame.allowed.argument != argument:
        return None
    if frame.path is None and not argument:
        for around in frame.outward():
            if around.phase == "elem" and isinstance(around, Bracket) and parser.may_generate(around):
                if around.form not in ("call", "field"):
                    return None  # a `for` may bind names read by the operand
    return context.told(frame.allowed)
