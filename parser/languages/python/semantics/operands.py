"""The operands of a logical line, and the operators between them; see syntax.py."""

from __future__ import annotations

from typing import Any, ClassVar

from .....common.words import words_of
from ....scoping.verdicts import Refused
from .line_names import LONGEST_PATH, NameParser, is_plain_name, no_attribute
from .line_values import (
    DEBUG,
    DUNDER_DEBUG,
    SINGLE,
    TELLS_VERSION,
    TEXT,
    VALUE,
    Attribute,
    Frame,
    Items,
    is_text,
    unwrapped,
)
from .messages import OUTSIDE, WALRUS_IN_ITERABLE, YIELD_FROM, YIELD_IN_COMPREHENSION, walrus_rebinds
from .string_annotations import names_in_string, text_of
from .type_paths import read

BINARY = words_of("+ - * / // % @ & | ^ << >> ** == != < > <= >= and or in is if else")
CONSTANTS = frozenset(("None", "True", "False", "..."))
_OF_TYPES, _TRUTHS = frozenset(("None", "...")), frozenset(("True", "False"))
"""Constants that a path may have: in annotations, and elsewhere."""


class OperandParser(NameParser):
    """The part of a `LineParser` that reads operands and the operators between them."""

    def _expression(self, frame: Frame, token: str) -> bool:
        """Take a token of an expression, and return whether it was one."""
        if frame.last is None and not frame.mixed:
            frame.begin = frame.items
        if is_plain_name(token):
            if frame.attr:
                self._attribute(frame, token)
            else:
                frame.last = token
                frame.path = (token,)
                if token in TELLS_VERSION:
                    self._emit(frame, ("fact", "versions"))
            return True
        handler = _EXPRESSION.get(token if token[0] not in '#"' else token[0])
        if handler is None:
            return False
        return handler(self, frame, token)

    def _attribute(self, frame: Frame, token: str) -> None:
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
        if self.context is not None and token not in self.stored:
            owner = self.members_next(rebound=False)
            if owner is not None and not owner.has(token):
                if not frame.tg:
                    self._refuse(frame, no_attribute(owner, token), head)
                else:
                    missing = owner
        if frame.allowed is not None and not frame.allowed.argument:
            frame.allowed = None
        frame.path = (*path, token) if path is not None and len(path) < LONGEST_PATH else None
        if path is not None and token in TELLS_VERSION:
            self._emit(frame, ("fact", "versions"))
        if base and base[0] != "#":
            frame.items = (("fact", "mention", base, token), frame.items)
        frame.last = Attribute(base, token, missing, head)

    def _on_constant(self, frame: Frame, token: str) -> bool:
        if token[0] == '"' and is_text(token) and (frame.last is None or frame.last is TEXT):
            frame.last = TEXT
        else:
            frame.last = VALUE
        if token[0] != '"' or not is_text(token):
            constants = _OF_TYPES if self._in_type(frame) else _TRUTHS
            frame.path = (token,) if token in constants else None
            return True
        if self._in_type(frame):
            frame.path = read(text_of(token[1:]))
        else:
            frame.path = ("#str",)
        if self.in_slots:
            self._emit(frame, ("fact", "slot", text_of(token[1:])))
        if self.in_annotation():
            for name in names_in_string(text_of(token[1:])):
                self._note(frame, name)
        return True

    def _on_dot(self, frame: Frame, token: str) -> bool:
        self._settle(frame)
        frame.last, frame.attr = SINGLE, True
        return True

    def _on_open(self, frame: Frame, token: str) -> bool:
        if frame.last is not None and token != "{":
            self._settle(frame)
            frame.last = None
            kind = "call" if token == "(" else "index"
            new = self._open("bracket", frame, "elem", can_comp=kind == "call")
            new.args = (frame.path, (), None)
        else:
            kind = token
            new = self._open("bracket", frame, "elem", tg=frame.tg and token != "{", can_comp=True)
        new.extra = kind
        return True

    def _on_operator(self, frame: Frame, token: str) -> bool:
        if frame.last is None:
            frame.mixed = True
            if token in ("*", "**"):
                if frame.kind == "bracket":
                    frame.can_comp = frame.can_comp and (token == "*" or frame.extra == "{") and frame.phase == "elem"
                    frame.star = True
                    if frame.args is not None:
                        frame.args = (*frame.args[:2], token)
                    if token == "**" and frame.phase == "elem":
                        frame.saved = ":"  # a dict
                    self._settle_open(frame)
                if token == "*":
                    frame.star = True
                    return True
            self._no_target(frame)
            return True
        if token == "if":
            if frame.kind == "lambda":
                frame.saved = (frame.saved or 0) + 1
            self._begin_condition_of_value(frame)
            return True
        if token == "else":
            if frame.kind == "lambda":
                if not frame.saved:
                    return False
                frame.saved -= 1
            self._end_condition_of_value(frame)
            return True
        if token == "|" and not frame.mixed and self._in_type(frame):
            alternatives = (*frame.alternatives, frame.path)
            self._value(frame)
            frame.alternatives = alternatives
            return True
        self._value(frame)
        frame.mixed = True
        return True

    def _begin_condition_of_value(self, frame: Frame) -> None:
        """Take the `if` of a conditional expression: its condition is evaluated before the operand on its left."""
        self._settle(frame)
        frame.last = None
        frame.conditional, frame.items = _since(frame.begin, frame.items), frame.begin
        self._value(frame)
        frame.mixed = True

    def _end_condition_of_value(self, frame: Frame) -> None:
        """Take the `else` of a conditional expression."""
        self._value(frame)
        if frame.conditional is not None:
            frame.items = (("all", frame.conditional), frame.items)
        frame.mixed, frame.begin, frame.conditional = True, frame.items, None

    def _on_unary(self, frame: Frame, token: str) -> bool:
        if token == "not" and frame.last is not None:
            self._value(frame)  # "not in"
        self._no_target(frame)
        frame.mixed = True
        return True

    def _on_lambda(self, frame: Frame, token: str) -> bool:
        self._no_target(frame)
        frame.mixed = True
        self._open("lambda", frame, "name").extra = ()
        return True

    def _on_yield(self, frame: Frame, token: str) -> bool:
        self._no_target(frame)
        frame.mixed = True
        if self.context is not None:
            for around in frame.outward():
                if around.is_body:
                    break
                if around.kind == "bracket" and around.phase not in ("elem", "iter"):  # the first iterable runs outside
                    raise Refused(YIELD_IN_COMPREHENSION)
            else:
                if not self.context.in_function and self._is_compiled():
                    raise Refused(OUTSIDE["yield"])
        frame.items = (("flag", "yield"), frame.items)
        if frame.kind == "bracket":
            frame.can_comp = False
        frame.last, frame.yielded = None, True
        return True

    def _on_from(self, frame: Frame, token: str) -> bool:
        """Take the `from` of `yield from` or `raise x from`."""
        if frame.yielded and frame.last is None:
            frame.yielded = False
            frame.items = (("flag", "yield from"), frame.items)
            in_async = self.context is not None and self.context.in_async
            if in_async and self._is_compiled() and not any(around.is_body for around in frame.outward()):
                raise Refused(YIELD_FROM)
            return True
        if frame.kind == "simple":
            self._value(frame)
            return True
        return False

    def _on_await(self, frame: Frame, token: str) -> bool:
        self._no_target(frame)
        frame.mixed = True
        frame.items = (("flag", "await"), frame.items)
        if self.context is not None and not self.context.in_async and self._is_compiled():
            for around in frame.outward():
                if around.is_body:
                    raise Refused(OUTSIDE["await"])
                generator = around.kind == "bracket" and around.extra in ("(", "call", "field")
                if generator and (around.phase != "elem" or self.may_generate(around)):
                    return True
            raise Refused(OUTSIDE["await"])
        return True

    def _on_async(self, frame: Frame, token: str) -> bool:
        frame.is_async = True
        return frame.kind == "bracket"

    def _on_walrus(self, frame: Frame, token: str) -> bool:
        name = unwrapped(frame.last)
        self._no_target(frame)
        frame.last, frame.path, frame.mixed = None, None, True
        if name.__class__ is str:
            self._check_assigned(frame, name)
            for around in frame.outward() if self.context is not None else ():
                if around.kind == "bracket" and around.phase in ("iter", "later iter"):
                    raise Refused(WALRUS_IN_ITERABLE)
                if around.kind == "bracket" and around.phase in ("cond", "targets") and name in around.names:
                    raise Refused(walrus_rebinds(name))
            frame.walrus = (name, *frame.walrus)
        frame.begin = frame.items
        return True

    def _on_fstring(self, frame: Frame, token: str) -> bool:
        self._open("fstring", frame)
        return True

    IN_EXPRESSION: ClassVar[dict[str, Any]] = {
        "#": _on_constant,
        '"': _on_constant,
        **dict.fromkeys(CONSTANTS, _on_constant),
        ".": _on_dot,
        **dict.fromkeys("([{", _on_open),
        **dict.fromkeys(BINARY, _on_operator),
        "~": _on_unary,
        "not": _on_unary,
        "lambda": _on_lambda,
        "yield": _on_yield,
        "from": _on_from,
        "await": _on_await,
        "async": _on_async,
        ":=": _on_walrus,
        'f"': _on_fstring,
    }
    """The method that takes a symbol of an expression."""


def _since(begin: Items, items: Items) -> Items:
    """The operations behind those that a list begins with."""
    kept: list[Any] = []
    while items is not None and items is not begin:
        kept.append(items[0])
        items = items[1]
    linked: Items = None
    for item in reversed(kept):
        linked = item, linked
    return linked


_EXPRESSION = OperandParser.IN_EXPRESSION
