"""The arguments of calls in a logical line, held against the called function; see syntax.py."""

from __future__ import annotations

from collections.abc import Sequence

from ....scoping.verdicts import Refused
from .line_names import is_plain_name
from .line_values import (
    SETS_ATTRIBUTES,
    Argument,
    Context,
    Frame,
    Parameter,
    Path,
    Signature,
)
from .messages import given_twice, no_keyword
from .operands import OperandParser

CHANGES_ATTRIBUTES = frozenset(("setattr", "delattr"))
CHANGES_NAMES = frozenset(("globals", "locals"))
TELLS_TYPE = frozenset(("isinstance", "issubclass", "hasattr", "vars", "type", "callable", "cast"))
_OF_UNBOUND = {"__setattr__": 3, "__delattr__": 2}
"""The number of arguments that these take where the first is the object."""
_SPECIAL_CALLS = CHANGES_ATTRIBUTES | CHANGES_NAMES | TELLS_TYPE
EXPECTS_ERRORS = frozenset(("raises", "assertRaises", "assertRaisesRegex", "suppress"))
"""Words that guard code that may fail."""
_NO_KEYWORD = frozenset((None, "*", "**"))
_BEGINS_NO_POSITION = frozenset(("*", "**", ")", ",", "for", "async", "="))


def _wrong_call(frame: Frame, message: str, lacking: Sequence[Parameter] = ()) -> Refused:
    mend = ", ".join("None" if parameter.kind == "/" else f"{parameter.name}=None" for parameter in lacking)
    return Refused(message, "calls", f"{frame.args[0][-1]}()", None, mend)


def _name_of(path: Path | None) -> str:
    """The name of the thing that gets attributes; "" where it has none."""
    if path == ("super", "()"):
        return "super()"
    return path[0] if path is not None and len(path) == 1 else ""


class CallParser(OperandParser):
    """The part of a `LineParser` that knows the parameters of a call."""

    def _argument(self, frame: Frame) -> None:
        """Take the end of an argument."""
        called, arguments, keyword = frame.args
        path = self.whole(frame)
        if called is not None and not arguments and keyword in _NO_KEYWORD and called[-1] in _SPECIAL_CALLS:
            self._first_of_special(frame, called[-1], path)
        elif called == ("sys", "modules") and path == ("__name__",):
            self._emit(frame, ("fact", "dynamic"))
        frame.args = called, self._arguments(frame), None

    def _arguments(self, frame: Frame) -> tuple[Argument, ...]:
        """The arguments of a call so far, if the one that is being read ends here."""
        _, arguments, keyword = frame.args
        if frame.gens is not None:
            return (*arguments, Argument(None, None))
        return arguments if frame.last is None else (*arguments, Argument(keyword, self.whole(frame)))

    def _first_of_special(self, frame: Frame, called: str, path: Path | None) -> None:
        """Note the first argument of a function that tells or changes the type of something."""
        if called in CHANGES_NAMES or (called == "vars" and frame.last is None):
            self._emit(frame, ("fact", "dynamic"))
        elif called in CHANGES_ATTRIBUTES:
            self._emit(frame, ("fact", "patched", _name_of(path)))
        elif path is not None:
            self._emit(frame, ("fact", "probed", path))
            self._forget_type(path[0])

    def _end_special(self, frame: Frame) -> None:
        """Note a whole call whose number of arguments tells its change."""
        called, arguments, _ = frame.args
        if called == ("exec",) and len(arguments) < 2:
            self._emit(frame, ("fact", "dynamic"))
        elif called is not None and called[-1] in SETS_ATTRIBUTES and len(called) > 1:
            is_bound = len(arguments) < _OF_UNBOUND[called[-1]]  # `self.__setattr__("x", 1)`
            owner = called[:-1] if is_bound else arguments[0].path
            self._emit(frame, ("fact", "sets", _name_of(owner)))

    def _forget_type(self, name: str) -> None:
        """Forget the type of a comprehension's variable, which may be another thing than it seems."""
        if name in self.ahead:
            self.ahead = {**self.ahead, name: None}
        around: Frame | None = self.top
        above: list[Frame] = []
        while around is not None and name not in around.names:
            above.append(around)
            around = around.parent
        if around is None or not around.types:
            return
        below = around.copy() if above else around  # frames below the top are shared by copies of this parser
        below.types = tuple((variable, path) for variable, path in around.types if variable != name)
        for frame in reversed(above):
            copied = frame if frame is self.top else frame.copy()
            copied.parent = below
            below = copied

    def _keyword(self, frame: Frame, name: str) -> None:
        called, arguments, _ = frame.args
        frame.args = called, arguments, name
        signature = self.signature(self.context, rebound=False)
        is_told = self.is_told(frame, argument=True)
        keywords = self.told(frame, argument=True) if is_told else None if signature is None else signature.keywords()
        if keywords is not None and not keywords.has(name) and name not in self.stored:
            refused = Refused(no_keyword(keywords.owner, name), "attributes", name, keywords)
            self._refuse(frame, refused, "" if called is None else called[0])
        elif signature is not None and name in signature.bound(arguments):
            self._refuse_call(frame, _wrong_call(frame, given_twice(signature.owner, name)))

    def signature(self, context: Context | None, *, rebound: bool = True) -> Signature | None:
        """The signature that the call around takes; None: unknown. rebound: see members."""
        frame = self.top
        if context is None or frame.kind != "bracket" or frame.extra != "call":
            return None
        path = frame.args[0]
        path = None if path is None else self.from_outside(path, rebound=rebound)
        # In `self.assertRaises(TypeError, lambda: f())` the arguments may be wrong on purpose.
        called = (around.args[0] for around in frame.outward() if around.extra == "call" and around is not frame)
        is_to_raise = any(callee is not None and callee[-1] in EXPECTS_ERRORS for callee in called)
        return None if path is None or is_to_raise else context.signature(path)

    def takes_position(self) -> bool:
        """Whether an argument by position may begin here, as far as that is known."""
        signature = self.signature(self.context)
        return signature is None or self.top.args[2] is not None or signature.takes_more(self.top.args[1])

    def check_position(self, frame: Frame, token: str) -> None:
        """Refuse an argument by position that is one too many, once it is no keyword."""
        called, arguments, keyword = frame.args
        if called is None or keyword is not None or frame.phase != "elem" or frame.mixed:
            return
        if frame.last.__class__ is str:
            begun = token != "="
        else:
            begun = frame.last is None and token not in _BEGINS_NO_POSITION and not is_plain_name(token)
        if begun and not self.takes_position():
            signature = self.signature(self.context)
            assert signature is not None
            message = signature.refuses((*arguments, Argument(None, None)))
            self._refuse_call(frame, _wrong_call(frame, str(message)))

    def _check_call(self, frame: Frame) -> None:
        """Refuse a call that ends here where its arguments are known to be wrong."""
        refused = self.call_problem(self.context, rebound=False)
        if refused is not None:
            self._refuse_call(frame, refused)

    def call_problem(self, context: Context | None, *, rebound: bool = True) -> Refused | None:
        """The error of the call around if it ends here. rebound: see members."""
        signature = self.signature(context, rebound=rebound)
        if signature is None:
            return None
        arguments = tuple(argument for argument in self._arguments(self.top) if argument.keyword not in self.stored)
        message = signature.refuses(arguments)
        return None if message is None else _wrong_call(self.top, message, signature.lacking(arguments))

    def _refuse_call(self, frame: Frame, refused: Refused) -> None:
        if refused.word not in self.stored:
            self._refuse(frame, refused, frame.args[0][0])
