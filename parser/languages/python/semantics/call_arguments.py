"""The arguments of calls in a logical line, checked against the called function's signature; see syntax.py."""

from __future__ import annotations

from collections.abc import Sequence

from ....scoping.verdicts import Refused
from .attributes import is_told, told
from .automaton import LineParser
from .frames import Bracket, Frame
from .line_values import SETS_ATTRIBUTES, Argument, Context, Parameter, Path, Signature, is_plain_name
from .messages import given_twice, no_keyword
from .rules.calls import CHANGES_ATTRIBUTES, CHANGES_NAMES, OF_UNBOUND, SPECIAL_CALLS, name_of
from .rules.headers import EXPECTS_ERRORS

_NO_KEYWORD = frozenset((None, "*", "**"))
_BEGINS_NO_POSITION = frozenset(("*", "**", ")", ",", "for", "async", "="))


def end_argument(parser: LineParser, frame: Bracket) -> None:
    """Take the end of an argument."""
    path, called = frame.whole(), frame.called
    if called is not None and not frame.arguments and frame.keyword in _NO_KEYWORD and called[-1] in SPECIAL_CALLS:
        _first_of_special(parser, frame, called[-1], path)
    elif called == ("sys", "modules") and path == ("__name__",):
        frame.emit(("fact", "dynamic"))
    frame.arguments, frame.keyword = _arguments(frame), None


def _arguments(frame: Bracket) -> tuple[Argument, ...]:
    """The arguments of a call so far, if the one in progress ends here."""
    if frame.clauses is not None:
        return (*frame.arguments, Argument(None, None))
    return frame.arguments if frame.last is None else (*frame.arguments, Argument(frame.keyword, frame.whole()))


def _first_of_special(parser: LineParser, frame: Bracket, called: str, path: Path | None) -> None:
    """Note the first argument of a function that tells or changes the type of something."""
    if called in CHANGES_NAMES or (called == "vars" and frame.last is None):
        frame.emit(("fact", "dynamic"))
    elif called in CHANGES_ATTRIBUTES:
        frame.emit(("fact", "patched", name_of(path)))
    elif path is not None:
        frame.emit(("fact", "probed", path))
        _forget_type(parser, path[0])


def end_special(frame: Bracket) -> None:
    """Note a finished call whose number of arguments tells its effect."""
    called, arguments = frame.called, frame.arguments
    if called == ("exec",) and len(arguments) < 2:
        frame.emit(("fact", "dynamic"))
    elif called is not None and called[-1] in SETS_ATTRIBUTES and len(called) > 1:
        is_bound = len(arguments) < OF_UNBOUND[called[-1]]  # `self.__setattr__("x", 1)`
        owner = called[:-1] if is_bound else arguments[0].path
        frame.emit(("fact", "sets", name_of(owner)))


def _forget_type(parser: LineParser, name: str) -> None:
    """Forget the type of a comprehension's variable, which may not be the thing it seems."""
    if name in parser.ahead:
        parser.ahead = {**parser.ahead, name: None}
    around: Frame | None = parser.top
    above: list[Frame] = []
    while around is not None and name not in around.names:
        above.append(around)
        around = around.parent
    if around is None or not around.types:
        return
    below = around.copy() if above else around  # copies of this parser share the frames below the top
    below.types = tuple((variable, path) for variable, path in around.types if variable != name)
    for frame in reversed(above):
        copied = frame if frame is parser.top else frame.copy()
        copied.parent = below
        below = copied


def begin_keyword(parser: LineParser, frame: Bracket, name: str) -> None:
    """Take the name of a keyword argument, after its `=`."""
    frame.keyword = name
    signature = signature_around(parser, parser.context, rebound=False)
    if is_told(parser, argument=True):
        keywords = told(parser, argument=True)
    else:
        keywords = None if signature is None else signature.keywords()
    if keywords is not None and not keywords.has(name) and name not in parser.stored:
        refused = Refused(no_keyword(keywords.owner, name), "attributes", name, keywords)
        parser.refuse(frame, refused, "" if frame.called is None else frame.called[0])
    elif signature is not None and name in signature.bound(frame.arguments):
        _refuse_call(parser, frame, _wrong_call(frame, given_twice(signature.owner, name)))


def signature_around(parser: LineParser, context: Context | None, *, rebound: bool = True) -> Signature | None:
    """The signature of the innermost call; None: unknown. rebound: see members_of in attributes.py."""
    frame = parser.top.call
    if context is None or frame is None or frame.called is None:
        return None
    path = parser.from_outside(frame.called, rebound=rebound)
    # In `self.assertRaises(TypeError, lambda: f())` the arguments may be wrong on purpose.
    calls = (around.call for around in frame.outward() if around is not frame)
    is_to_raise = any(
        call is not None and call.called is not None and call.called[-1] in EXPECTS_ERRORS for call in calls
    )
    return None if path is None or is_to_raise else context.signature(path)


def takes_position(parser: LineParser) -> bool:
    """Whether a positional argument may begin here, as far as that is known."""
    frame, signature = parser.top.call, signature_around(parser, parser.context)
    return frame is None or signature is None or frame.keyword is not None or signature.takes_more(frame.arguments)


def check_position(parser: LineParser, token: str) -> None:
    """Refuse a superfluous positional argument, once it cannot become a keyword argument."""
    frame = parser.top.call
    if frame is None or frame.called is None or frame.keyword is not None or frame.phase != "elem" or frame.mixed:
        return
    if frame.last.__class__ is str:
        begun = token != "="
    else:
        begun = frame.last is None and token not in _BEGINS_NO_POSITION and not is_plain_name(token)
    if begun and not takes_position(parser):
        signature = signature_around(parser, parser.context)
        assert signature is not None
        message = signature.refuses((*frame.arguments, Argument(None, None)))
        _refuse_call(parser, frame, _wrong_call(frame, str(message)))


def check_call(parser: LineParser, frame: Bracket) -> None:
    """Refuse a call that ends here with arguments known to be wrong."""
    refused = call_problem(parser, parser.context, rebound=False)
    if refused is not None:
        _refuse_call(parser, frame, refused)


def call_problem(parser: LineParser, context: Context | None, *, rebound: bool = True) -> Refused | None:
    """The error of the innermost call if it ends here. rebound: see members_of in attributes.py."""
    frame, signature = parser.top.call, signature_around(parser, context, rebound=rebound)
    if frame is None or signature is None:
        return None
    arguments = tuple(argument for argument in _arguments(frame) if argument.keyword not in parser.stored)
    message = signature.refuses(arguments)
    return None if message is None else _wrong_call(frame, message, signature.lacking(arguments))


def _refuse_call(parser: LineParser, frame: Bracket, refused: Refused) -> None:
    assert frame.called is not None
    if refused.word not in parser.stored:
        parser.refuse(frame, refused, frame.called[0])


def _wrong_call(frame: Bracket, message: str, lacking: Sequence[Parameter] = ()) -> Refused:
    assert frame.called is not None
    mend = ", ".join("None" if parameter.kind == "/" else f"{parameter.name}=None" for parameter in lacking)
    return Refused(message, "calls", f"{frame.called[-1]}()", None, mend)
