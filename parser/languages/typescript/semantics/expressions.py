"""Expressions: operands, operators, calls, literals, arrow functions, templates."""

from __future__ import annotations

from typing import Literal

from .....common.words import words_of
from .automaton import Broken, Checker, Frame, Mark, Token, takes
from .kinds import At, Kind, Use
from .messages import HAS_RESULT, NAME_IS_NO_CONSTANT
from .regular_expressions import problem_of
from .tokens import KEYWORDS, YIELDED

NO_IN, COMMA, HERITAGE, STATEMENT, ASSIGNED = 1, 2, 4, 8, 16
"""An expression's flags: `in` is no operator; commas may follow; a class extends it; it is a statement; its value is assigned."""
DEFAULTED, UNBOUND, RESULT, SURE, TYPED = 32, 64, 128, 256, 512
"""More flags: the value is that of a name or pattern which could be declared; one before a comma could not be; it stands behind
`(a):`, where the type of an arrow function's result could, which it is if `:` follows, or in any case; between `?` and `:`, in the body
of what can only be an arrow function, where another is one in any case."""
INHERITED = NO_IN | TYPED
"""Flags of the parts at an expression's end."""
_RESULTS = RESULT | SURE
_FIRST = STATEMENT | _RESULTS
"""Flags of an expression up to its first operator."""
PROTO_TWICE = "= __proto__"
"""Among the targets of a literal: it has `__proto__` twice, so it must be a pattern."""
_DELETE, _DELETE_PRIVATE, _DELETE_BRACKET = "delete", "delete #", "delete ("
"""In place of an operand's name: it stands behind `delete`, and ends in a private name, or is in brackets there."""
CAST = "<T>"
"""In place of an operand's name: a cast to a name stands before it, which could be the parameter of an arrow function's types."""
NAME, OTHER, DONE, PREFIXED, DELETED, ASSERTED = 1, 2, 3, 5, 6, 7
"""The part of an expression read so far: a name alone; an operand; an arrow function or the like, which no operator follows; `yield`;
a name behind `++` or `--`, behind `delete`, or behind `<const>`."""
PATTERN, BRACKETS, DEFAULT, THIS, LITERAL = 8, 9, 10, 11, 12
"""More parts: an array or object that could be declared; brackets that could be parameters; a name or pattern with a value; `this`;
another literal."""
BOUND = frozenset([NAME, PATTERN, DEFAULT])
"""The parts that could be declared."""
PARAMETER = BOUND | {THIS}
_BINARY = words_of("+ - * / % ** << >> >>> < <= > >= == != === !== & | ^ && || ?? instanceof")
_ASSIGN = frozenset(
    ["=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??="]
)
_PREFIX = frozenset(["+", "-", "!", "~", "void"])
_LITERALS = frozenset(["num", "str", "regex", "template", "this", "null", "true", "false"])
_NEVER_OPERAND = frozenset([")", "]", "}", ":", ";", ",", ".", "?.", "=>", "=", "?", "in", "of"]) | {"middle", "tail"}
_AFTER_ARGUMENTS = words_of("( ) ] : ; , ? == === != !== && || ?? ^ & | } . ?. = template head middle tail")
"""Symbols that show the brackets before them to be type arguments."""


ITEM, EXPRESSION = ("e", 0, True, 0, ""), ("e", COMMA, True, 0, "")
"""An item of a list, and an expression that may be a list itself."""
ARGUMENTS = ("list", ")", (",", "..."), ITEM)
_ASYNC_ARGUMENTS = ("async_arguments", None)
_CALLS = ((ARGUMENTS,), (_ASYNC_ARGUMENTS,))
PARAMETERS, GENERIC_PARAMETERS = (("arrow_params",),), (("tparams",), ("expect", "("), ("params", False))
"""Behind the first bracket of either."""
TYPE_ARGUMENTS = ("list", ">", (",",), ("t", 0, 0, ""))
"""Behind `<`."""
SEMICOLON = ("semi",)


def is_word(token: Token) -> bool:
    """Whether a token is a name, or a keyword standing for a name behind a point and the like."""
    return token.kind == "name" or token.kind in KEYWORDS


def expression(m: Checker, flags: int = 0) -> Literal[True]:
    """An expression comes next."""
    return m.push("e", flags, True, 0, "")


def read(m: Checker, name: str) -> None:
    """Read a value now."""
    value = Use.QUERY if m.context & (At.AMBIENT | At.QUERIED) else Use.VALUE
    is_later = value == Use.QUERY or m.context & (At.FIELD_VALUE | At.AT_ONCE) == At.FIELD_VALUE
    _check_arguments(m, name)
    if not is_arguments(m, name):
        now = Use.DECORATES if m.context & At.DECORATES else Use.NOW
        m.use(name, value if is_later or m.context & At.PARAMETERS else value | now)


def is_arguments(m: Checker, name: str) -> bool:
    """Whether a name is the `arguments` of an enclosing function (arrow functions have none)."""
    return name == "arguments" and bool(m.context & At.ARGUMENTS)


def _check_regex(m: Checker, literal: str) -> None:
    problem = problem_of(literal, ts=m.ts)
    if problem is not None:
        m.error(problem)


def _check_arguments(m: Checker, name: str) -> None:
    if name == "arguments" and m.context & (At.FIELD_VALUE | At.STATIC_BLOCK):
        m.error("'arguments' cannot stand in the value of a field or a static block")


def check_await(m: Checker) -> None:
    """Refuse an `await` in a wrong place. In TypeScript it does not make the file a module."""
    if not m.context & (At.ASYNC | At.TOP):
        m.error("'await' is not in an async function")
    elif not m.context & At.ASYNC and m.ts and not m.module:
        m.scripts |= {"'await' is not in a module"}


def decorated(m: Checker, *frames: Frame) -> Literal[True]:
    """A decorator of a class comes next, as strict as the class's code, and then these frames read."""
    m.begin(("decorator", 0), m.restoring, *frames)
    m.context |= At.STRICT | At.DECORATES
    return True


@takes
def _e(m: Checker, t: Token, f: Frame) -> bool:
    """begin: whether an arrow function or an assignment's target may begin here; after: the part read so far; name: its name, its
    operator, or the targets of a literal."""
    _, flags, begin, after, name = f
    kind = t.kind
    if not after:
        return _operand(m, t, flags, begin, name)
    if after in (YIELDED, PREFIXED, DELETED, ASSERTED):
        return _behind_keyword(m, t, f)
    if kind == "," and flags & COMMA:
        _finish(m, after, name)
        unbound = 0 if _is_bound(flags, begin, after) else UNBOUND
        return m.replace("e", flags & ~(_FIRST | ASSIGNED | DEFAULTED) | unbound, True, 0, "")
    if after == DONE:
        return _end(m, t, f)
    if kind == "." or kind == "?.":
        return _operand_with(m, f, ("member", kind))
    if kind == "(":
        if name == "async" and after == NAME and begin and not t.newline:
            _arrow(m.fork(), flags, *PARAMETERS, is_async=True)
            return _operand_with(m, f, _ASYNC_ARGUMENTS)
        return _operand_with(m, f, ARGUMENTS)
    if kind == "[":
        return _operand_with(m, f, EXPRESSION, ("expect", "]"))
    if after == NAME:
        taken = _behind_name(m, t, f)
        if taken is not None:
            return taken
    if kind in _BINARY or (kind == "in" and not flags & NO_IN):
        if m.ts and kind in ("<", "<<"):
            return _less(m, t, flags, after, name)
        _finish(m, after, name)
        return m.replace("e", flags & ~_FIRST, False, 0, "")
    if kind == "?":
        _finish(m, after, name)
        return m.become(ITEM, ("otherwise", flags & INHERITED), ("e", flags & ~_RESULTS, False, DONE, ""))
    if kind in _ASSIGN:
        _assign_all(m, name)
        if kind == "=" and after == PATTERN and _is_bound(flags, begin, after):
            flags |= DEFAULTED
        return m.replace("e", flags & ~_FIRST | ASSIGNED, True, 0, "")
    if kind in ("template", "head"):
        _operand_with(m, f)
        return kind == "template" or template(m)
    if kind in ("++", "--") and not t.newline:
        _assign_all(m, name)
        return m.replace("e", flags, False, OTHER, "")
    if m.ts and not t.newline:
        if kind == "!":
            return _operand_with(m, f)
        if kind == "name" and t.text in ("as", "satisfies"):
            return _operand_with(m, f, ("cast", after == NAME or name == "()"))
    return _end(m, t, f)


def _end(m: Checker, t: Token, f: Frame) -> bool:
    """End an expression before a token that is left to the frame below."""
    _, flags, begin, after, name = f
    kind = t.kind
    if after == DONE:
        if kind == ":" and flags & RESULT:
            m.error(HAS_RESULT)
        if kind != ":" or m.shape[0] != BRACKETS:
            m.shape = _value(flags)
        m.pop()
        return False
    if isinstance(name, str) or not _may_be_pattern(m, t):
        _finish(m, after, name)
    if after == BRACKETS and kind == ":":
        m.shape = BRACKETS, ("",) if flags & TYPED else ()
    elif flags & ASSIGNED or (after == NAME and not begin):
        m.shape = _value(flags)
    elif after == BRACKETS or flags & UNBOUND:
        m.shape = OTHER, (name,) if after == NAME else () if isinstance(name, str) else name
    else:
        m.shape = after, (name,) if after == NAME else () if isinstance(name, str) else name
    m.pop()
    return False


def _value(flags: int) -> tuple[int, tuple[str, ...]]:
    """The shape of a value, or of an operand of an operator."""
    return DEFAULT if flags & (DEFAULTED | UNBOUND) == DEFAULTED else DONE, ()


def _is_bound(flags: int, begin: bool, after: int) -> bool:
    """Whether the part read so far could be declared, with a value if it has one."""
    return bool(flags & DEFAULTED) or (begin and after in PARAMETER and not flags & ASSIGNED)


def _behind_name(m: Checker, t: Token, f: Frame) -> bool | None:
    """Read on behind a name that begins something else than an operand; None where it does not."""
    _, flags, begin, _, name = f
    kind = t.kind
    if kind == "=>" and begin and not t.newline:
        if flags & SURE:
            m.error(HAS_RESULT)
        m.replace("e", flags, False, DONE, "")
        return arrow(m, flags & INHERITED, name, is_async=False)
    if kind == ":" and flags & STATEMENT and begin:
        below = m.stack[1]
        m.stack = below[1]  # the expression, and the end of its statement
        m.push("label", name)
        return False
    if kind in _ASSIGN:
        _assign(m, name)
        if kind == "=" and _is_bound(flags, begin, NAME):
            flags |= DEFAULTED
        return m.replace("e", flags & ~_FIRST | ASSIGNED, True, 0, "")
    if kind in ("++", "--") and not t.newline:
        _assign(m, name)
        return m.replace("e", flags, False, OTHER, "")
    if kind == "name" and not t.newline and name in ("using", "async"):
        if name == "using" and (m.stack[1][0][0] == "semi" or (m.stack[1][0][0] == "for_left" and t.text != "of")):
            m.pop()
            in_for = m.stack[0][0] == "for_left"
            if in_for:
                m.replace("for_rest", False)
            if m.stack[1][0] == ("body", "case") and (m.major >= 6 or not m.ts):
                m.error("'using' stands in a 'case', and in no block of its own")
            m.push("vars", "const", in_for)
            return False
        if name == "async" and begin:
            return m.become(("async_arrow", flags & INHERITED, t.text), ("e", flags & ~_RESULTS, False, DONE, ""))
    if kind == "function" and name == "async" and not t.newline:
        return m.become(("function_name", True, False, True), ("e", flags, False, OTHER, ""))
    return None


def _behind_keyword(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `yield`, or a name with `++`, `--`, `delete` or `<const>` before it."""
    _, flags, _, after, name = f
    kind = t.kind
    if after == YIELDED:
        if t.newline or kind in _NEVER_OPERAND:
            m.replace("e", flags, False, DONE, "")
        else:
            m.replace("e", flags, True, 0, "")
        return kind == "*" and not t.newline
    if after == DELETED and kind not in (".", "?.", "[", "(", "template", "head", "!"):
        (m.error if m.ts else m.strict_error)("'delete' is not followed by a member")
    if after == ASSERTED and kind not in (".", "["):
        m.error(NAME_IS_NO_CONSTANT)
    if after in (DELETED, ASSERTED) or kind in (".", "?.", "[", "("):
        read(m, name)
    else:
        _assign(m, name)
    m.replace("e", flags, False, OTHER, _DELETE if after == DELETED else "")
    return False


def _may_be_pattern(m: Checker, t: Token) -> bool:
    """Whether a finished literal may still be a pattern: in another one, or in the head of a `for`."""
    frame: Frame = m.stack[1][0]
    return frame[0] in ("array", "object") or (frame[0] == "for_left" and (t.kind == "in" or t.text == "of"))


def _finish(m: Checker, after: int, name: str) -> None:
    """End the part read so far as an operand."""
    if after == NAME:
        read(m, name)
    elif name == _DELETE_PRIVATE:
        m.error("a private name is deleted")
    elif name and PROTO_TWICE in name:
        m.error("'__proto__' is declared twice")


def _operand_with(m: Checker, f: Frame, *frames: Frame) -> Literal[True]:
    """Go on with the part read so far as the beginning of a longer operand, read by these frames."""
    _, flags, _, after, name = f
    if after == NAME:
        read(m, name)
    kept = _DELETE if isinstance(name, str) and name.startswith(_DELETE) else "()" if frames[:1] in _CALLS else ""
    return m.become(*frames, ("e", flags, False, OTHER, kept))


def _assign_all(m: Checker, names: str | tuple[str, ...]) -> None:
    """Assign to the part read so far: a literal that is a pattern, or a name in brackets; a string is an operator before it."""
    for name in () if isinstance(names, str) else names:
        if name != PROTO_TWICE:
            m.use(name, Use.ASSIGNED)


def _assign(m: Checker, name: str) -> None:
    m.use(name, Use.VALUE | Use.NOW | Use.ASSIGNED)


def _operand(m: Checker, t: Token, flags: int, begin: bool, before: str) -> bool:
    kind = t.kind
    if kind == "name":
        if before == "++":
            m.replace("e", flags, False, PREFIXED, t.text)
        elif before in ("delete", "const"):
            m.replace("e", flags, False, DELETED if before == "delete" else ASSERTED, t.text)
        else:
            m.replace("e", flags, begin, NAME, t.text)
        return True
    if kind in _LITERALS:
        if kind == "regex":
            _check_regex(m, t.text)
        after = OTHER if not begin or kind in ("regex", "template") else THIS if kind == "this" else LITERAL
        return m.replace("e", flags, begin, after, _DELETE if before.startswith(_DELETE) else "")
    if kind == "(":
        if begin:
            _arrow(m.fork(), flags, *PARAMETERS, is_async=False)
        inner = ("e", COMMA, True, 0, _DELETE_BRACKET) if before.startswith(_DELETE) else EXPRESSION
        return m.become(inner, ("bracket_end", before), ("e", flags, begin, OTHER, ""))
    if kind in _PREFIX:
        return m.replace("e", flags & ~_FIRST, False, 0, "")
    if kind in ("typeof", "delete", "++", "--"):
        return m.replace("e", flags & ~_FIRST, False, 0, "++" if kind in ("++", "--") else kind)
    m.replace("e", flags, begin, OTHER, _DELETE if before.startswith(_DELETE) else "")
    if kind in _OPERANDS:
        m.shape = 0, ()
        m.push(*_OPERANDS[kind])
    elif kind == "{":
        m.shape = 0, ()
        m.open_brace("object")
        m.open_scope("object")
        m.push("object", (), True)
    elif kind == "head":
        template(m)
    elif kind == "new":
        m.replace("e", flags & ~_FIRST, False, 0, "new")
    elif kind == "." and before == "new":
        if not m.context & At.TARGET:
            m.error("'new.target' is not in a function")
        m.push("member", ".")
    elif kind == "private":
        m.use(t.text, Use.VALUE)
    elif kind == "await":
        check_await(m)
        m.replace("e", flags & ~_FIRST, False, 0, "")
    elif kind == "yield":
        if not m.context & At.GENERATOR:
            m.error("'yield' is not in a generator")
        m.replace("e", flags & ~_FIRST | TYPED, False, YIELDED, "")
    elif kind == "@":
        m.pop()
        decorated(m, ("e", flags, False, 0, ""))
    elif kind == "<":
        return _opening(m, flags, begin)
    else:
        raise Broken(t)
    return True


_OPERANDS: dict[str, Frame] = {
    "[": ("array", (), True),
    "function": ("function_name", False, False, True),
    "class": ("class_name", True, False),
    "super": ("super",),
    "import": ("import_call",),
}
"""The frame for the rest of an operand, by its first symbol."""


def _opening(m: Checker, flags: int, begin: bool) -> bool:
    """`<` where an operand comes: an element, a type assertion, or the type parameters of an arrow function."""
    if m.with_jsx:
        if m.ts and begin:
            _arrow(m.fork(), flags, *GENERIC_PARAMETERS, is_async=False)
        return m.push("jsx_open", False)
    if not m.ts:
        raise Broken
    asserted = m.fork() if begin else m
    asserted.become(("cast", None), ("expect", ">"), ("e", flags, False, 0, CAST if begin else ""))
    return not begin or _arrow(m, flags, *GENERIC_PARAMETERS, is_async=False)


def _less(m: Checker, t: Token, flags: int, after: int, name: str) -> bool:
    """`<` or `<<` behind an operand: type arguments, or an operator."""
    if flags & HERITAGE:
        return _operand_with(m, m.stack[0], TYPE_ARGUMENTS)
    mark = Mark()
    other = m.fork()
    other.doubts += (mark,)
    _finish(other, after, name)
    other.replace("e", flags & ~_FIRST, False, 0, "")
    if after == NAME and name == "async":
        _arrow(m.fork(), flags, *GENERIC_PARAMETERS, is_async=True)
    _operand_with(m, m.stack[0], TYPE_ARGUMENTS, ("targs_end", mark))
    if t.kind == "<<":
        m.feed(Token("<", "<", newline=False))
    return True


@takes
def _targs_end(m: Checker, t: Token, f: Frame) -> bool:
    """Decide behind the type arguments of an expression whether they are type arguments."""
    if not (t.newline or t.kind in _AFTER_ARGUMENTS or (t.kind == "name" and t.text in ("as", "satisfies"))):
        if t.kind in ("<", ">", "+", "-") or not (t.kind in _BINARY or t.kind in _ASSIGN or t.kind in ("in", "{")):
            raise Broken
    m.commit(f[1])
    m.pop()
    return False


@takes
def _expect(m: Checker, t: Token, f: Frame) -> bool:
    """Take this token, and no other."""
    t.must_be(f[1])
    return m.pop()


@takes
def _bracket_end(m: Checker, t: Token, f: Frame) -> bool:
    """The end of an expression in brackets, which may be the target of an assignment. before: the operator before them."""
    t.must_be(")")
    m.pop()
    after, names = m.shape
    m.shape = 0, ()
    _, flags, begin, _, _ = m.stack[0]
    has_target = after in (NAME, OTHER, PATTERN) and len(names) == 1
    if has_target and f[1] == "delete":
        return m.replace("e", flags, begin, DELETED, names[0])
    if has_target or after in PARAMETER:
        part = BRACKETS if after in PARAMETER and (begin or f[1] == CAST) else OTHER
        m.replace("e", flags, begin, part, names if has_target else "")
    return True


@takes
def _list(m: Checker, t: Token, f: Frame) -> bool:
    """Items up to a closing token. between: tokens beside them; item: the frame for each."""
    _, closing, between, item = f
    if t.kind == closing:
        return m.pop()
    if t.kind in between:
        return True
    m.push(*item)
    return False


def template(m: Checker) -> Literal[True]:
    """Behind the head of one with holes."""
    m.open_brace("template")
    return m.begin(EXPRESSION, ("template", EXPRESSION))


@takes
def _template(m: Checker, t: Token, f: Frame) -> bool:
    """Read on behind a template's text. item: reads the code in each of its holes."""
    t.must_be("middle", "tail")
    if t.kind == "middle":
        return m.push(*f[1])
    m.close_brace()
    return m.pop()


# -- arrow functions


def _arrow(m: Checker, flags: int, *parameters: Frame, is_async: bool) -> Literal[True]:
    """Begin an arrow function, whose parameters come next."""
    m.open_scope("function")
    own = flags & INHERITED if is_async else flags & (INHERITED | _RESULTS)
    return m.become(*parameters, ("arrow_head", own, is_async), ("e", flags & ~_RESULTS, False, DONE, ""))


def arrow(m: Checker, flags: int, name: str, *, is_async: bool) -> Literal[True]:
    """Behind the arrow of one with a single parameter."""
    m.open_scope("function")
    m.declare(name, Kind.PARAM)
    return m.push("arrow_body", flags, is_async)
