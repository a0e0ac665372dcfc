"""The meaning of a logical line of Python: a push-down automaton from tokens to a `Line` of scoped operations.

`LineParser` takes the tokens of one logical line that is known to be valid. It sorts names by their role (read, bound, a parameter, a
keyword, a capture ...) and finds the errors that one line shows by itself. The role of a name may only be known later (`a, b` are read
until `=` comes; the element of a comprehension is read in a scope that its `for` opens), so the automaton holds such names back.

Given a `Context`, it refuses as soon as no later token could mend the line: a name that is not visible and that nothing can bind any
more, a `return` outside a function.

The values are in line_values.py. Expressions are read by expressions.py, which knows nothing of statements; they are read here.
"""

from __future__ import annotations

from typing import Any, ClassVar

from .....common.words import is_name
from ....scoping.verdicts import Refused
from .call_arguments import EXPECTS_ERRORS
from .expressions import parts_of
from .import_statements import ImportParser
from .line_names import not_python
from .line_values import (
    COMPILED,
    DEBUG,
    DUNDER_DEBUG,
    FORBIDDEN,
    FORBIDDEN_NOW,
    KEYWORDS,
    LAZY,
    SPREAD_SUBSCRIPT,
    TEXT,
    Attribute,
    Field,
    Frame,
    Group,
    Header,
    Path,
    linked,
    unwrapped,
)
from .messages import ASSIGNS_DEBUG, DELETES_DEBUG, OUTSIDE, STARRED
from .operands import BINARY, CONSTANTS
from .patterns import read_pattern
from .tokens import NEWLINE
from .type_paths import ELEMENT, ENTERED

_AUGMENTED = frozenset(["+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//="])
_CATCHES_ATTRIBUTES = frozenset(
    ("AttributeError", "ImportError", "ModuleNotFoundError", "TypeError", "NameError", "Exception")
)
_SLOTS = "__slots__"
_SLOTS_ALONE = ((False, _SLOTS),)
_SECOND_TRY = frozenset(("AttributeError", "TypeError"))
_FOLLOWS_NAME = frozenset(("=", ".", ",", ")", ":", ":=", NEWLINE, ";"))


class LineParser(ImportParser):
    """The automaton for one logical line; `feed` it tokens up to and with NEWLINE, then `line` is there."""

    def _start(self, frame: Frame, token: str) -> None:
        """The first token of a statement."""
        self.statements += 1
        begin = _STATEMENTS.get(token)
        if begin is not None:
            begin(self, token)
        elif token == ";" or token == NEWLINE:
            self.statements -= 1
            self._end_statement(frame, token)
        elif token in ("type", "lazy") or (token in ("match", "case") and self.header is None and self.statements == 1):
            self.top = Frame("soft", None)
            self.top.extra = token
        else:
            self.top = Frame("simple", None, "first", tg=True)
            self.top.extra = ""
            self.feed(token)

    def _begin_keyword(self, word: str) -> None:
        context = self.context
        if context is not None:
            if word == "return" and not context.in_function:
                raise Refused(OUTSIDE[word])
            if word in ("break", "continue") and not context.in_loop:
                raise Refused(OUTSIDE[word])
        self.top = frame = Frame("simple", None, "value")
        frame.extra = word
        if word in ("return", "break", "continue"):
            self._emit(frame, ("flag", word))

    def _begin_condition(self, word: str) -> None:
        self.top = frame = Frame("head", None, "value")
        frame.extra = word

    def _begin_collected(self, word: str) -> None:
        self.top = frame = Frame("collected", None)
        frame.extra = word

    def _begin_lazy(self, word: str) -> None:
        error = self.context.error_of_lazy_import if self.context is not None else None
        if error is not None:
            raise Refused(error)
        self.top = frame = Frame("collected", None, LAZY)
        frame.extra = word
        self._emit(frame, ("flag", LAZY))

    # import, from, global, nonlocal: read once they are whole. saved: tokens.

    def _begin_for_statement(self, word: str) -> None:
        is_async = self.top.kind == "async"
        self.top = frame = Frame("head", None, "targets", tg=True)
        frame.extra, frame.is_async = word, is_async

    def _begin_with(self, word: str) -> None:
        is_async = self.top.kind == "async"
        self.top = frame = Frame("head", None, "value")
        frame.extra, frame.is_async = word, is_async

    def _begin_definition(self, word: str) -> None:
        is_async = self.top.kind == "async"
        self.top = frame = Frame("definition", None, "name")
        frame.extra, frame.is_async = word, is_async

    def _begin_async(self, word: str) -> None:
        self.top = Frame("async", None)

    def _async(self, frame: Frame, token: str) -> None:
        if token in ("for", "with") and self.context is not None and not self.context.in_async:
            raise Refused(OUTSIDE[f"async {token}"])
        if token not in ("def", "for", "with"):
            raise not_python()
        _STATEMENTS[token](self, token)

    def _begin_decorator(self, word: str) -> None:
        self.decorator = True
        self.top = frame = Frame("simple", None, "value")
        frame.extra = "@"

    def _begin_del(self, word: str) -> None:
        self.top = frame = Frame("simple", None, "del", tg=True)
        frame.extra = "del"

    # An expression or an assignment; a simple statement of a keyword and expressions.
    # phase: first, rhs, value (no targets), annotation, del.
    def _simple(self, frame: Frame, token: str) -> None:
        if token == ",":
            self._end_element(frame)
            frame.comma = True
            if frame.phase == "value" and frame.extra == "assert":
                frame.comma = False
        elif token == "=":
            self._assign(frame)
        elif token == ":" and frame.phase == "first":
            self._annotate(frame)
        elif token in _AUGMENTED:
            if frame.phase != "first":
                raise not_python()
            target = unwrapped(frame.last)
            self._value(frame)
            if target.__class__ is str:
                frame.saved = ("bind", target, None)
                self.in_slots = target == _SLOTS
            elif target.__class__ is Attribute:
                self._store(frame, target, None)
            elif target is DEBUG:
                self._error(frame, ASSIGNS_DEBUG, FORBIDDEN_NOW)
            frame.phase = "augmented"
        elif token == ";" or token == NEWLINE:
            self._end_expression(frame, token)
        else:
            self._expression(frame, token)

    def _assign(self, frame: Frame) -> None:
        if frame.phase == "annotation":
            self._finish_annotation(frame, has_value=True)
            self.in_slots = frame.saved is not None and frame.saved[1] == _SLOTS
            frame.phase = "value"
            frame.extra = ""
            return
        comma = frame.comma
        target = self.whole(frame)
        frame.args = target if target is not None and len(target) > 1 and not comma else None
        self._end_element(frame)
        targets = frame.gens if frame.gens is not None else ()
        elements = frame.elements
        self.in_slots = self.in_slots or elements == _SLOTS_ALONE
        stars = sum(star for star, _ in elements)
        if stars > 1 or (stars and not comma):
            self._bind(frame, elements, top=True, comma=comma)  # the error
        elif any(element == DUNDER_DEBUG or element is DEBUG for _, element in elements):
            self._error(frame, ASSIGNS_DEBUG, FORBIDDEN)
        frame.gens = (*targets, (elements, comma, frame.items))
        frame.elements, frame.items, frame.tg, frame.phase, frame.comma, frame.extra = (), None, True, "rhs", False, ""

    def _annotate(self, frame: Frame) -> None:
        target = unwrapped(frame.last)
        simple = frame.last.__class__ is str
        self._check_assigned(frame, target)
        frame.targets = target is SPREAD_SUBSCRIPT
        frame.saved = (target if target.__class__ in (str, Attribute) else None, simple, frame.items)
        frame.items, frame.last, frame.tg, frame.phase = None, None, False, "annotation"
        frame.elements = ()

    def _finish_annotation(self, frame: Frame, *, has_value: bool) -> None:
        path = self.whole(frame)
        self._value(frame)
        name, simple, before = frame.saved
        annotation = frame.items
        frame.items = (("variable annotation", annotation, simple), before)
        if frame.targets and not has_value:
            frame.items = (("spread subscript",), frame.items)
            if self.context is not None and self.context.version >= (3, 9):
                raise Refused(STARRED)
        frame.saved = None
        if name.__class__ is Attribute:
            self._store(frame, name, ("annotated", path))
        elif name is not None:
            kind, valued = ("annotated", "annotated value") if simple else ("parenthesised", "bind")
            frame.saved = (valued if has_value else kind, name, ("annotated", path))

    def _end_expression(self, frame: Frame, token: str) -> None:
        word = frame.extra
        starred = frame.star and not frame.comma and frame.last is not None
        if starred and frame.phase in ("first", "rhs", "value", "augmented"):
            self._error(frame, STARRED, COMPILED)
        value: Any = None
        if frame.phase == "annotation":
            self._finish_annotation(frame, has_value=False)
        elif word == "@":
            self._emit(frame, ("fact", "decorator", self.whole(frame)))
        elif frame.phase == "rhs" and not frame.comma:
            value = "value", self.whole(frame)
        elif frame.phase == "del":
            self._end_element(frame)
            for star, element in frame.elements:
                if star:
                    self._error(frame, STARRED, COMPILED)
                self._delete(frame, element)
            self._end_statement(frame, token)
            return
        elif word == "return" and (frame.last is not None or frame.comma):
            self._emit(frame, ("flag", "return value"))
        is_string = frame.phase == "first" and not frame.comma and not frame.mixed and frame.last is TEXT
        given = self.whole(frame)
        self._end_element(frame)
        self._no_target(frame)
        for elements, comma, items in frame.gens or ():
            if items is not None:  # the reads of targets such as `d[key]`
                self._emit(frame, ("all", items))
            self._bind_target(frame, elements, comma, value)
        if frame.saved is not None:
            kind, name, value = frame.saved
            if kind == "parenthesised":
                frame.items = (("annotated name", name), frame.items)
            else:
                self._bind_name(frame, name, kind)
                self._emit(frame, ("fact", "made", name, value))
                if kind != "bind":
                    has_value = kind == "annotated value"
                    self._emit(frame, ("fact", "field", Field(name, value[1], has_value, given if has_value else None)))
        self._end_open(frame)
        self._end_statement(frame, token, "s" if is_string else ".")

    def _bind_target(self, frame: Frame, elements: tuple[tuple[bool, Any], ...], comma: bool, value: Any) -> None:
        """Bind the targets before an `=`; value: see ("fact", "made") in facts.py."""
        target = elements[0][1] if len(elements) == 1 and not comma and value is not None else None
        if isinstance(target, Attribute):
            self._store(frame, target, value)
            return
        self._bind(frame, elements, top=True, comma=comma)
        if target.__class__ is str:
            self._emit(frame, ("fact", "made", target, value))
        elif value is not None and value[1] is not None:
            self._made_of(frame, elements, comma, value[1])

    def _delete(self, frame: Frame, element: Any) -> None:
        if element.__class__ is str:
            if self.context is not None and element not in self.bound and not self.context.visible(element):
                raise Refused(element, "names")
            frame.items = (("del", element), frame.items)
            self.bound -= {element}
        elif element.__class__ is Group:
            for star, inner in element.elements:
                if star:
                    self._error(frame, STARRED, COMPILED)
                self._delete(frame, inner)
        elif element.__class__ is Attribute:
            self._emit(frame, ("fact", "deleted", element.base, element.name))
        elif element is DEBUG:
            self._error(frame, DELETES_DEBUG, FORBIDDEN_NOW)

    # A header with expressions: if, while, for, with, except, else ...
    def _head(self, frame: Frame, token: str) -> None:
        word = frame.extra
        if token == ":":
            self._end_head(frame, word)
        elif token == "in" and frame.phase == "targets":
            self._end_element(frame)
            elements, frame.elements = frame.elements, ()
            frame.args = elements, frame.comma
            bound = self.bound
            self._bind(frame, elements, top=True, comma=frame.comma)
            frame.targets, frame.items = frame.items, None
            frame.bound = self.bound
            self.bound = bound  # the iterable is evaluated first
            frame.tg, frame.phase, frame.comma = False, "value", False
        elif token == "as":
            frame.args = None if word == "except" else self.whole(frame)
            self._value(frame)
            if word == "except":
                frame.phase = "name"
            else:
                frame.phase, frame.tg, frame.star = "target", True, False
        elif frame.phase == "name":
            frame.saved = token
        elif token == ",":
            self._end_element(frame)
            if frame.phase == "target":
                self._end_target_of_with(frame)
                frame.phase, frame.tg = "value", False
            frame.comma = True
            frame.saved = (frame.saved or 1) + 1 if word == "with" else None
        elif token == "*" and word == "except" and frame.last is None and frame.items is None:
            frame.is_async = True  # except*
        elif token == NEWLINE:
            self._end_statement(frame, token)
        else:
            if word == "with" and token in EXPECTS_ERRORS:
                frame.keywords |= {token}
            self._expression(frame, token)

    def _end_head(self, frame: Frame, word: str) -> None:
        if frame.star and not frame.comma and word == "for" and frame.last is not None and frame.phase == "value":
            self._error(frame, STARRED, COMPILED)
        if frame.phase == "target":
            self._end_element(frame)
            self._end_target_of_with(frame)
        path = self.whole(frame)
        empty = frame.last is None and frame.items is None
        subject = path if word == "match" else None
        self._end_element(frame)
        self._no_target(frame)
        self._end_open(frame)
        if subject is not None:
            self._emit(frame, ("fact", "probed", subject))
        name = None
        if word == "for":
            if frame.targets is not None:
                frame.items = (("all", frame.targets), frame.items)
            if path is not None and frame.args is not None and not frame.is_async and not frame.comma:
                elements, comma = frame.args
                self._made_of(frame, elements, comma, (*path, ELEMENT))
            self.bound |= frame.bound
        if word == "except":
            name = frame.saved
            self._check_assigned(frame, name)
        if word in ("for", "with") and frame.is_async:
            frame.items = (("flag", "async " + word), frame.items)
        read = self.names_read() if word == "except" else frozenset[str]()
        caught = word == "except" and (empty or "NameError" in read)
        expects = frame.keywords if word == "with" else read & _CATCHES_ATTRIBUTES
        catches_attributes = word in ("except", "with") and (empty or bool(expects))
        self._end_header(
            Header(
                word,
                frame.items,
                name,
                frame.is_async if word != "except" else False,
                bare=word == "except" and empty,
                star=word == "except" and frame.is_async,
                catches_names=caught,
                catches_attributes=catches_attributes,
                is_second_try=not read.isdisjoint(_SECOND_TRY),
                managers=frame.saved or 1 if word == "with" else 1,
            )
        )
        if name is not None:
            self.bound |= {name}

    def _end_target_of_with(self, frame: Frame) -> None:
        """args: the context manager"""
        elements, frame.elements = frame.elements, ()
        self._bind(frame, elements, top=True)
        if frame.args is not None and not frame.is_async:
            self._made_of(frame, elements, False, (*frame.args, ENTERED))
        frame.args = None

    def _made_of(self, frame: Frame, elements: tuple[tuple[bool, Any], ...], comma: bool, path: Path) -> None:
        """The values of targets; path: the value that they take apart, or that of the only one."""
        for name, part in parts_of(elements, comma, path):
            self._emit(frame, ("fact", "made", name, ("value", part)))

    # Soft keywords: the next tokens tell their kind.
    def _soft(self, frame: Frame, token: str) -> None:
        word = frame.extra
        plain = is_name(token) and token not in KEYWORDS
        if word == "type":
            if plain:
                self.top = new = Frame("alias", None, "name")
                new.saved = token
                return
        elif word == "lazy" and token in ("import", "from"):
            self._begin_lazy(token)
            return
        elif (
            word == "lazy"
            or token in _FOLLOWS_NAME
            or token in _AUGMENTED
            or token in BINARY - {"+", "-", "*", "**", "(", "["}
        ):
            pass
        elif word == "match" and (plain or token[0] in '#"f{~' or token in ("not", "lambda", "await", *CONSTANTS)):
            self._begin_condition("match")
            self.feed(token)
            return
        else:
            self.top = new = Frame("softly", None)
            new.extra, new.saved, new.gens = word, (token, None), (1 if token in "([{" else 0)
            return
        self.top = new = Frame("simple", None, "first", tg=True)
        new.extra, new.last, new.path = "", word, (word,)
        self.feed(token)

    def _softly(self, frame: Frame, token: str) -> None:
        """Collect tokens that are a match statement or a case where a colon ends them, and else an expression."""
        depth = frame.gens
        if token in ("(", "[", "{", "{f"):
            depth += 1
        elif token in (")", "]", "}", "}f"):
            depth -= 1
        frame.gens = depth
        ended = token == NEWLINE or (token == ";" and not depth)
        if not ended and not (depth == 0 and (token == ":" or (token == "if" and frame.extra == "case"))):
            frame.saved = (token, frame.saved)
            return
        tokens = list(linked(frame.saved))[::-1]
        word = frame.extra
        if ended:
            self.top = new = Frame("simple", None, "first", tg=True)
            new.extra, new.last, new.path = "", word, (word,)
            for earlier in [*tokens, token]:
                self.feed(earlier)
        elif word == "match":
            self._begin_condition("match")
            for earlier in [*tokens, token]:
                self.feed(earlier)
        else:
            self._case(tokens, token)

    def _case(self, tokens: list[str], token: str) -> None:
        self.top = frame = Frame("head", None, "value")
        frame.extra = "case"
        pattern = read_pattern(tokens)
        for message in pattern.errors:
            self._error(frame, message)
        for name in pattern.reads:
            self._use(frame, name)
        for name in pattern.captures:
            self._bind_name(frame, name)
        if token == ":":
            self._end_header(Header("case", frame.items, pattern=pattern))
        else:
            self.top = frame2 = Frame("guard", None)
            frame2.items, frame2.saved = frame.items, pattern

    def _guard(self, frame: Frame, token: str) -> None:
        if token == ":":
            self._value(frame)
            self._end_walrus(frame)
            self._end_open(frame)
            self._end_header(Header("case", frame.items, pattern=frame.saved, guard=True))
        else:
            self._expression(frame, token)

    STATEMENTS: ClassVar[dict[str, Any]] = {
        **dict.fromkeys(("return", "raise", "pass", "break", "continue", "assert"), _begin_keyword),
        **dict.fromkeys(("if", "elif", "while", "else", "try", "finally", "except"), _begin_condition),
        "for": _begin_for_statement,
        "with": _begin_with,
        **dict.fromkeys(("def", "class"), _begin_definition),
        "async": _begin_async,
        **dict.fromkeys(("import", "from", "global", "nonlocal"), _begin_collected),
        "@": _begin_decorator,
        "del": _begin_del,
    }
    """Takes the first symbol of a statement."""


_STATEMENTS = LineParser.STATEMENTS
