"""The meaning of a logical line of Python: a push-down automaton from tokens to a `Line` of scoped operations.

`LineParser` takes the tokens of one valid logical line. It sorts names by their role (read, bound, a parameter, a keyword, a capture ...) and
finds the errors within one line. The role of a name may only be known later (`a, b` are read until `=` comes; the element of a comprehension
is read in the scope opened by its `for`), so the automaton holds such names back.

Given a `Context`, it refuses as soon as no later token could mend the line: an invisible name that nothing can bind any more, a `return`
outside a function.

The values are in line_values.py, the open constructs in frames.py, the names of a line in automaton.py. For each kind of construct a function
takes the next token: those for expressions are in expressions.py and operands.py, which know nothing of statements, those for statements
here, in definitions.py and in import_statements.py. Questions about constructs in progress are in queries.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....scoping.verdicts import Refused
from . import definitions, expressions, import_statements
from .automaton import LineParser, not_python, takes
from .call_arguments import EXPECTS_ERRORS
from .frames import Alias, Binding, Collected, Definition, Frame, Guard, Head, Simple, Soft, Start
from .line_values import COMPILED, FORBIDDEN, FORBIDDEN_NOW, LAZY, Field, Header, Path, is_plain_name, linked
from .messages import ASSIGNS_DEBUG, DELETES_DEBUG, OUTSIDE, STARRED
from .operands import BINARY, CONSTANTS, expression
from .patterns import read_pattern
from .queries import names_read
from .targets import DEBUG, DUNDER_DEBUG, SPREAD_SUBSCRIPT, TEXT, Attribute, Elements, Group, parts_of, unwrapped
from .tokens import NEWLINE
from .type_paths import ELEMENT, ENTERED

__all__ = ["LineParser", "definitions", "expressions", "import_statements"]

_AUGMENTED = frozenset(["+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//="])
_CATCHES_ATTRIBUTES = frozenset(
    ("AttributeError", "ImportError", "ModuleNotFoundError", "TypeError", "NameError", "Exception")
)
_SLOTS = "__slots__"
_SLOTS_ALONE = ((False, _SLOTS),)
_SECOND_TRY = frozenset(("AttributeError", "TypeError"))
_FOLLOWS_NAME = frozenset(("=", ".", ",", ")", ":", ":=", NEWLINE, ";"))
_FOLLOWS_SOFT_NAME = _FOLLOWS_NAME | _AUGMENTED | (BINARY - {"+", "-", "*", "**", "(", "["})
_BEGINS_SUBJECT = frozenset(("not", "lambda", "await", *CONSTANTS))
_LEAVES_LOOP = frozenset(("break", "continue"))
_STATEMENTS: dict[str, Callable[..., Frame]] = {
    **dict.fromkeys(("return", "raise", "pass", "break", "continue", "assert", "@"), partial(Simple, None, "value")),
    "del": partial(Simple, None, "del", True),
    **dict.fromkeys(("if", "elif", "while", "else", "try", "finally", "except", "with"), partial(Head, None, "value")),
    "for": partial(Head, None, "targets", True),
    **dict.fromkeys(("def", "class"), partial(Definition, None, "name")),
    **dict.fromkeys(("import", "from", "global", "nonlocal"), Collected),
}
"""The constructs begun by keywords."""


@takes(Start)
def _start(parser: LineParser, frame: Start, token: str) -> None:
    if frame.phase == "async":
        _begin_async(parser, token)
        return
    parser.statements += 1
    if token in _STATEMENTS:
        _begin(parser, token)
    elif token == "async":
        parser.top = Start(None, token)
    elif token == ";" or token == NEWLINE:
        parser.statements -= 1
        parser.end_statement(frame, token)
    elif token in ("type", "lazy") or (token in ("match", "case") and parser.header is None and parser.statements == 1):
        parser.top = Soft(word=token)
    else:
        parser.top = Simple(None, "first", True)
        parser.feed(token)


def _begin(parser: LineParser, word: str) -> Frame:
    """Begin a statement with its keyword."""
    context = parser.context
    if context is not None:
        if (word == "return" and not context.in_function) or (word in _LEAVES_LOOP and not context.in_loop):
            raise Refused(OUTSIDE[word])
    parser.top = frame = _STATEMENTS[word](word=word)
    if word == "@":
        parser.decorator = True
    elif word == "return" or word in _LEAVES_LOOP:
        frame.emit(("flag", word))
    return frame


def _begin_async(parser: LineParser, word: str) -> None:
    if word in ("for", "with") and parser.context is not None and not parser.context.in_async:
        raise Refused(OUTSIDE[f"async {word}"])
    frame = _begin(parser, word) if word in ("def", "for", "with") else None
    if not isinstance(frame, Definition | Head):
        raise not_python()
    frame.is_async = True


def _begin_lazy(parser: LineParser, word: str) -> None:
    error = parser.context.error_of_lazy_import if parser.context is not None else None
    if error is not None:
        raise Refused(error)
    parser.top = frame = Collected(word=word, is_lazy=True)
    frame.emit(("flag", LAZY))


@takes(Simple)
def _simple(parser: LineParser, frame: Simple, token: str) -> None:
    if token == ",":
        parser.end_element(frame)
        frame.comma = frame.phase != "value" or frame.word != "assert"
    elif token == "=":
        _assign(parser, frame)
    elif token == ":" and frame.phase == "first":
        _annotate(parser, frame)
    elif token in _AUGMENTED:
        if frame.phase != "first":
            raise not_python()
        target = unwrapped(frame.last)
        parser.value(frame)
        if isinstance(target, str):
            frame.binding = Binding("bind", target, None)
            parser.in_slots = target == _SLOTS
        elif isinstance(target, Attribute):
            parser.store(frame, target, None)
        elif target is DEBUG:
            parser.error(frame, ASSIGNS_DEBUG, FORBIDDEN_NOW)
        frame.phase = "augmented"
    elif token == ";" or token == NEWLINE:
        _end_expression(parser, frame, token)
    else:
        expression(parser, frame, token)


def _assign(parser: LineParser, frame: Simple) -> None:
    if frame.phase == "annotation":
        _finish_annotation(parser, frame, has_value=True)
        parser.in_slots = frame.binding is not None and frame.binding.name == _SLOTS
        frame.phase = "value"
        frame.word = ""
        return
    comma = frame.comma
    target = frame.whole()
    frame.assigned_path = target if target is not None and len(target) > 1 and not comma else None
    parser.end_element(frame)
    elements = frame.elements
    parser.in_slots = parser.in_slots or elements == _SLOTS_ALONE
    stars = sum(star for star, _ in elements)
    if stars > 1 or (stars and not comma):
        parser.bind(frame, elements, top=True, comma=comma)  # the error
    elif any(element == DUNDER_DEBUG or element is DEBUG for _, element in elements):
        parser.error(frame, ASSIGNS_DEBUG, FORBIDDEN)
    frame.assigned = (*frame.assigned, (elements, comma, frame.items))
    frame.elements, frame.items, frame.assignable, frame.phase, frame.comma, frame.word = (
        (),
        None,
        True,
        "rhs",
        False,
        "",
    )


def _annotate(parser: LineParser, frame: Simple) -> None:
    target = unwrapped(frame.last)
    parser.check_assigned(frame, target)
    frame.annotates, frame.is_name, frame.before = target, isinstance(frame.last, str), frame.items
    frame.spread_subscript = target is SPREAD_SUBSCRIPT
    frame.items, frame.last, frame.assignable, frame.phase = None, None, False, "annotation"
    frame.elements = ()


def _finish_annotation(parser: LineParser, frame: Simple, *, has_value: bool) -> None:
    path = frame.whole()
    parser.value(frame)
    frame.items = (("variable annotation", frame.items, frame.is_name), frame.before)
    if frame.spread_subscript and not has_value:
        frame.emit(("spread subscript",))
        if parser.context is not None and parser.context.version >= (3, 9):
            raise Refused(STARRED)
    target = frame.annotates
    if isinstance(target, Attribute):
        parser.store(frame, target, ("annotated", path))
    elif isinstance(target, str):
        kind, valued = ("annotated", "annotated value") if frame.is_name else ("parenthesised", "bind")
        frame.binding = Binding(valued if has_value else kind, target, ("annotated", path))


def _end_expression(parser: LineParser, frame: Simple, token: str) -> None:
    word = frame.word
    starred = frame.star and not frame.comma and frame.last is not None
    if starred and frame.phase in ("first", "rhs", "value", "augmented"):
        parser.error(frame, STARRED, COMPILED)
    value: tuple[str, Path | None] | None = None
    if frame.phase == "annotation":
        _finish_annotation(parser, frame, has_value=False)
    elif word == "@":
        frame.emit(("fact", "decorator", frame.whole()))
    elif frame.phase == "rhs" and not frame.comma:
        value = "value", frame.whole()
    elif frame.phase == "del":
        parser.end_element(frame)
        _delete(parser, frame, frame.elements)
        parser.end_statement(frame, token)
        return
    elif word == "return" and (frame.last is not None or frame.comma):
        frame.emit(("flag", "return value"))
    is_string = frame.phase == "first" and not frame.comma and not frame.mixed and frame.last is TEXT
    given = frame.whole()
    parser.end_element(frame)
    parser.no_target(frame)
    for elements, comma, items in frame.assigned:
        if items is not None:  # the reads of targets such as `d[key]`
            frame.emit(("all", items))
        _bind_target(parser, frame, elements, comma, value)
    if frame.binding is not None:
        _bind_annotated(parser, frame, frame.binding, given)
    parser.end_open(frame)
    parser.end_statement(frame, token, "s" if is_string else ".")


def _bind_annotated(parser: LineParser, frame: Simple, binding: Binding, given: Path | None) -> None:
    """Bind the target of an annotation or an augmented assignment; given: the value."""
    kind, name, value = binding
    if kind == "parenthesised":
        frame.emit(("annotated name", name))
        return
    parser.bind_name(frame, name, kind)
    frame.emit(("fact", "made", name, value))
    if kind != "bind":
        has_value = kind == "annotated value"
        annotation = value[1] if value is not None else None
        frame.emit(("fact", "field", Field(name, annotation, has_value, given if has_value else None)))


def _bind_target(
    parser: LineParser, frame: Simple, elements: Elements, comma: bool, value: tuple[str, Path | None] | None
) -> None:
    """Bind the targets before an `=`; value: see ("fact", "made") in facts.py."""
    target = elements[0][1] if len(elements) == 1 and not comma and value is not None else None
    if isinstance(target, Attribute):
        parser.store(frame, target, value)
        return
    parser.bind(frame, elements, top=True, comma=comma)
    if isinstance(target, str):
        frame.emit(("fact", "made", target, value))
    elif value is not None and value[1] is not None:
        _make_of(frame, elements, comma, value[1])


def _delete(parser: LineParser, frame: Simple, elements: Elements) -> None:
    for star, element in elements:
        if star:
            parser.error(frame, STARRED, COMPILED)
        if isinstance(element, str):
            if parser.context is not None and element not in parser.bound and not parser.context.visible(element):
                raise Refused(element, "names")
            frame.emit(("del", element))
            parser.bound -= {element}
        elif isinstance(element, Group):
            _delete(parser, frame, element.elements)
        elif isinstance(element, Attribute):
            frame.emit(("fact", "deleted", element.base, element.name))
        elif element is DEBUG:
            parser.error(frame, DELETES_DEBUG, FORBIDDEN_NOW)


@takes(Head)
def _head(parser: LineParser, frame: Head, token: str) -> None:
    word = frame.word
    if token == ":":
        _end_head(parser, frame)
    elif token == "in" and frame.phase == "targets":
        parser.end_element(frame)
        elements, frame.elements = frame.elements, ()
        frame.unpacked = elements, frame.comma
        bound = parser.bound
        parser.bind(frame, elements, top=True, comma=frame.comma)
        frame.targets, frame.items = frame.items, None
        frame.bound = parser.bound
        parser.bound = bound  # the iterable is evaluated first
        frame.assignable, frame.phase, frame.comma = False, "value", False
    elif token == "as":
        frame.manager = frame.whole()
        parser.value(frame)
        if word == "except":
            frame.phase = "name"
        else:
            frame.phase, frame.assignable, frame.star = "target", True, False
    elif frame.phase == "name":
        frame.exception = token
    elif token == ",":
        parser.end_element(frame)
        if frame.phase == "target":
            _end_target_of_with(parser, frame)
            frame.phase, frame.assignable = "value", False
        frame.comma = True
        frame.managers += 1
    elif token == "*" and word == "except" and frame.last is None and frame.items is None:
        frame.is_group = True
    elif token == NEWLINE:
        parser.end_statement(frame, token)
    else:
        if word == "with" and token in EXPECTS_ERRORS:
            frame.expects |= {token}
        expression(parser, frame, token)


def _end_head(parser: LineParser, frame: Head) -> None:
    word = frame.word
    if frame.star and not frame.comma and word == "for" and frame.last is not None and frame.phase == "value":
        parser.error(frame, STARRED, COMPILED)
    if frame.phase == "target":
        parser.end_element(frame)
        _end_target_of_with(parser, frame)
    path = frame.whole()
    empty = frame.last is None and frame.items is None
    parser.end_element(frame)
    parser.no_target(frame)
    parser.bound |= frame.bound
    parser.end_open(frame)
    if word == "match" and path is not None:
        frame.emit(("fact", "probed", path))
    if word == "for":
        if frame.targets is not None:
            frame.emit(("all", frame.targets))
        if path is not None and frame.unpacked is not None and not frame.is_async and not frame.comma:
            _make_of(frame, *frame.unpacked, (*path, ELEMENT))
    if word == "except":
        parser.check_assigned(frame, frame.exception)
    if word in ("for", "with") and frame.is_async:
        frame.emit(("flag", "async " + word))
    read = names_read(parser) if word == "except" else frozenset[str]()
    expects = frame.expects if word == "with" else read & _CATCHES_ATTRIBUTES
    parser.end_header(
        Header(
            word,
            frame.items,
            frame.exception,
            frame.is_async,
            bare=word == "except" and empty,
            star=frame.is_group,
            catches_names=word == "except" and (empty or "NameError" in read),
            catches_attributes=word in ("except", "with") and (empty or bool(expects)),
            is_second_try=not read.isdisjoint(_SECOND_TRY),
            managers=frame.managers if word == "with" else 1,
        )
    )
    if frame.exception is not None:
        parser.bound |= {frame.exception}


def _end_target_of_with(parser: LineParser, frame: Head) -> None:
    elements, frame.elements = frame.elements, ()
    parser.bind(frame, elements, top=True)
    if frame.manager is not None and not frame.is_async:
        _make_of(frame, elements, False, (*frame.manager, ENTERED))
    frame.manager = None


def _make_of(frame: Frame, elements: Elements, comma: bool, path: Path) -> None:
    """Note the values of targets; path: the unpacked value, or that of the only target."""
    for name, part in parts_of(elements, comma, path):
        frame.emit(("fact", "made", name, ("value", part)))


# Soft keywords: the next tokens tell their kind.


@takes(Soft)
def _soft(parser: LineParser, frame: Soft, token: str) -> None:
    word = frame.word
    if frame.tokens is not None:
        _softly(parser, frame, token)
    elif word == "type" and is_plain_name(token):
        parser.top = Alias(None, "name", name=token)
    elif word == "lazy" and token in ("import", "from"):
        _begin_lazy(parser, token)
    elif word in ("type", "lazy") or token in _FOLLOWS_SOFT_NAME:
        _begin_with_name(parser, word, [token])
    elif word == "match" and (is_plain_name(token) or token[0] in '#"f{~' or token in _BEGINS_SUBJECT):
        _begin_match(parser, [token])
    else:
        frame.tokens, frame.depth = (token, None), 1 if token in "([{" else 0


def _softly(parser: LineParser, frame: Soft, token: str) -> None:
    """Collect tokens: up to a colon they are a `match` statement or a `case`, otherwise an expression."""
    if token in ("(", "[", "{", "{f"):
        frame.depth += 1
    elif token in (")", "]", "}", "}f"):
        frame.depth -= 1
    ended = token == NEWLINE or (token == ";" and not frame.depth)
    if not ended and not (frame.depth == 0 and (token == ":" or (token == "if" and frame.word == "case"))):
        frame.tokens = (token, frame.tokens)
        return
    tokens = list(linked(frame.tokens))[::-1]
    if ended:
        _begin_with_name(parser, frame.word, [*tokens, token])
    elif frame.word == "match":
        _begin_match(parser, [*tokens, token])
    else:
        _case(parser, tokens, token)


def _begin_with_name(parser: LineParser, word: str, tokens: list[str]) -> None:
    """Begin an expression with a soft keyword used as a name."""
    parser.top = Simple(None, "first", True, last=word, path=(word,))
    for token in tokens:
        parser.feed(token)


def _begin_match(parser: LineParser, tokens: list[str]) -> None:
    parser.top = Head(None, "value", word="match")
    for token in tokens:
        parser.feed(token)


def _case(parser: LineParser, tokens: list[str], token: str) -> None:
    pattern = read_pattern(tokens)
    parser.top = frame = Guard(pattern=pattern)
    for message in pattern.errors:
        parser.error(frame, message)
    for name in pattern.reads:
        parser.use(frame, name)
    for name in pattern.captures:
        parser.bind_name(frame, name)
    if token == ":":
        parser.end_header(Header("case", frame.items, pattern=pattern))


@takes(Guard)
def _guard(parser: LineParser, frame: Guard, token: str) -> None:
    if token == ":":
        parser.value(frame)
        parser.end_walrus(frame)
        parser.end_open(frame)
        parser.end_header(Header("case", frame.items, pattern=frame.pattern, guard=True))
    else:
        expression(parser, frame, token)
