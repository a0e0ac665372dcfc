"""Expressions: operands, operators, calls, literals, arrow functions, templates."""

from __future__ import annotations

from typing import Literal

from .....common.words import words_of
from .automaton import At, Broken, Checker, Frame, Kind, Token, Use, takes
from .tokens import KEYWORDS

NO_IN, COMMA, HERITAGE, STATEMENT = 1, 2, 4, 8
"""Of an expression: `in` is no operator; it may be a list; what a class extends; it is a statement."""
NAME, OTHER, DONE, YIELDED, PREFIXED, DELETED = 1, 2, 3, 4, 5, 6
"""What stands before in an expression: a name alone; an operand; an arrow function or the like, which no operator follows; `yield`; a name behind `++` or `--`, or behind `delete`."""
_BINARY = words_of("+ - * / % ** << >> >>> < <= > >= == != === !== & | ^ && || ?? instanceof")
_ASSIGN = frozenset(
    ["=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??="]
)
_PREFIX = frozenset(["+", "-", "!", "~", "void"])
_LITERALS = frozenset(["num", "str", "regex", "template", "this", "null", "true", "false"])
_REGEX_FLAGS = frozenset("dgimsuvy")
_NEVER_OPERAND = frozenset([")", "]", "}", ":", ";", ",", ".", "?.", "=>", "=", "?", "in", "of"]) | {"middle", "tail"}
_AFTER_ARGUMENTS = words_of("( ) ] : ; , ? == === != !== && || ?? ^ & | } . ?. = template head middle tail")
"""What shows that the brackets before it were type arguments."""


ITEM, EXPRESSION = ("e", 0, True, 0, ""), ("e", COMMA, True, 0, "")
"""One in a list, and one that may be a list itself."""
ARGUMENTS = ("list", ")", (",", "..."), ITEM)
PARAMETERS, GENERIC_PARAMETERS = (("params", False),), (("tparams",), ("expect", "("), ("params", False))
"""Behind the first bracket of either."""
TYPE_ARGUMENTS = ("list", ">", (",",), ("t", 0, 0, ""))
"""Behind `<`."""
SEMICOLON = ("semi",)


def is_word(token: Token) -> bool:
    """Is it a name, or a keyword that stands for a name behind a point and the like?"""
    return token.kind == "name" or token.kind in KEYWORDS


def expression(m: Checker, flags: int = 0) -> Literal[True]:
    """One comes next."""
    return m.push("e", flags, True, 0, "")


def read(m: Checker, name: str) -> None:
    """A value is read now."""
    if m.context & At.PARAMETERS:
        m.use(name, Use.VALUE)
        return
    if name == "arguments" and m.context & (At.FIELD_VALUE | At.STATIC_BLOCK) and not m.context & At.IN_FUNCTION:
        m.error("'arguments' cannot stand in the value of a field or a static block")
    m.use(name, Use.VALUE | Use.NOW)


@takes
def _e(m: Checker, t: Token, f: Frame) -> bool:
    """begin: may an arrow function begin here, or what is assigned to? after: what stands before; name: which, or the operator before, or what a literal would assign to."""
    _, flags, begin, after, name = f
    kind = t.kind
    if not after:
        return _operand(m, t, flags, begin, name)
    if after in (YIELDED, PREFIXED, DELETED):
        return _behind_keyword(m, t, f)
    if kind == "," and flags & COMMA:
        _finish(m, after, name)
        return m.replace("e", flags & ~STATEMENT, True, 0, "")
    if after == DONE:
        m.shape = DONE, ()
        m.pop()
        return False
    if kind == "." or kind == "?.":
        return _operand_with(m, f, ("member", kind))
    if kind == "(":
        if name == "async" and after == NAME and begin and not t.newline:
            _arrow(m.fork(), flags, *PARAMETERS, is_async=True)
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
        return m.replace("e", flags & ~STATEMENT, False, 0, "")
    if kind == "?":
        _finish(m, after, name)
        return m.become(ITEM, ("expect", ":"), ("e", flags & NO_IN, True, 0, ""), ("e", flags, False, DONE, ""))
    if kind in _ASSIGN:
        if kind == "=":
            assigned: tuple[str, ...] = () if isinstance(name, str) else name
            for target in assigned:
                m.use(target, Use.ASSIGNED)
        return m.replace("e", flags & ~STATEMENT, True, 0, "")
    if kind in ("template", "head"):
        _operand_with(m, f)
        return kind == "template" or template(m)
    if kind in ("++", "--") and not t.newline:
        return m.replace("e", flags, False, OTHER, "")
    if m.ts and not t.newline:
        if kind == "!":
            return _operand_with(m, f)
        if kind == "name" and t.text in ("as", "satisfies"):
            return _operand_with(m, f, ("cast", after == NAME))
    _finish(m, after, name)
    m.shape = after, (name,) if after == NAME else () if isinstance(name, str) else name
    m.pop()
    return False


def _behind_name(m: Checker, t: Token, f: Frame) -> bool | None:
    """What a name alone may be the beginning of, but for an operand; None: nothing else."""
    _, flags, begin, _, name = f
    kind = t.kind
    if kind == "=>" and begin and not t.newline:
        m.replace("e", flags, False, DONE, "")
        return arrow(m, flags, name, is_async=False)
    if kind == ":" and flags & STATEMENT and begin:
        below = m.stack[1]
        m.stack = below[1]  # the expression, and the end of its statement
        m.push("label", name)
        return False
    if kind in _ASSIGN:
        _assign(m, name)
        return m.replace("e", flags & ~STATEMENT, True, 0, "")
    if kind in ("++", "--") and not t.newline:
        _assign(m, name)
        return m.replace("e", flags, False, OTHER, "")
    if kind == "name" and not t.newline and name in ("using", "async"):
        if name == "using" and m.stack[1][0][0] in ("semi", "for_left"):
            m.pop()
            if m.stack[0][0] == "for_left":
                m.replace("for_rest", False)
            m.push("vars", "const", False)
            return False
        if name == "async" and begin:
            return m.become(("async_arrow", flags, t.text), ("e", flags, False, DONE, ""))
    if kind == "function" and name == "async" and not t.newline:
        return m.become(("function_name", True, False, True), ("e", flags, False, OTHER, ""))
    return None


def _behind_keyword(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `yield`, or a name that `++`, `--` or `delete` stands before."""
    _, flags, _, after, name = f
    kind = t.kind
    if after == YIELDED:
        if t.newline or kind in _NEVER_OPERAND:
            m.replace("e", flags, False, DONE, "")
        else:
            m.replace("e", flags, True, 0, "")
        return kind == "*" and not t.newline
    if after == DELETED and kind not in (".", "?.", "[", "(", "template", "head", "!"):
        m.error("'delete' is not followed by a member")
    if after == DELETED or kind in (".", "?.", "[", "("):
        read(m, name)
    else:
        _assign(m, name)
    m.replace("e", flags, False, OTHER, "")
    return False


def _finish(m: Checker, after: int, name: str) -> None:
    """What stands before is over, as an operand."""
    if after == NAME:
        read(m, name)


def _operand_with(m: Checker, f: Frame, *frames: Frame) -> Literal[True]:
    """What stands before is a part of a longer operand, with what these frames take."""
    _, flags, _, after, name = f
    _finish(m, after, name)
    return m.become(*frames, ("e", flags, False, OTHER, ""))


def _assign(m: Checker, name: str) -> None:
    m.use(name, Use.VALUE | Use.NOW | Use.ASSIGNED)


def _operand(m: Checker, t: Token, flags: int, begin: bool, before: str) -> bool:
    kind = t.kind
    if kind == "name":
        if before == "typeof":
            m.replace("e", flags, False, OTHER, "")
        elif before == "++":
            m.replace("e", flags, False, PREFIXED, t.text)
        elif before == "delete" and m.ts:
            m.replace("e", flags, False, DELETED, t.text)
        else:
            m.replace("e", flags, begin, NAME, t.text)
        return True
    if kind in _LITERALS:
        if kind == "regex":
            flags_of = t.text.rpartition("/")[2]
            if len(set(flags_of)) < len(flags_of) or not set(flags_of) <= _REGEX_FLAGS:
                m.error("a regular expression has flags that do not exist")
        return m.replace("e", flags, False, OTHER, "")
    if kind == "(":
        if begin:
            _arrow(m.fork(), flags, *PARAMETERS, is_async=False)
        return m.become(EXPRESSION, ("expect", ")"), ("e", flags, False, OTHER, ""))
    if kind in _PREFIX:
        return m.replace("e", flags & ~STATEMENT, False, 0, "")
    if kind in ("typeof", "delete", "++", "--"):
        return m.replace("e", flags & ~STATEMENT, False, 0, "++" if kind in ("++", "--") else kind)
    m.replace("e", flags, False, OTHER, "")
    if kind in _OPERANDS:
        m.push(*_OPERANDS[kind])
    elif kind == "{":
        m.open_brace("object")
        m.open_scope("object")
        m.push("object", ())
    elif kind == "head":
        template(m)
    elif kind == "new":
        m.replace("e", flags & ~STATEMENT, False, 0, "new")
    elif kind == "." and before == "new":
        if not m.context & At.TARGET:
            m.error("'new.target' is not in a function")
        m.push("member", ".")
    elif kind == "private":
        m.use(t.text, Use.VALUE)
    elif kind == "await":
        if not m.context & (At.ASYNC | At.TOP):
            m.error("'await' is not in an async function")
        m.replace("e", flags & ~STATEMENT, False, 0, "")
    elif kind == "yield":
        if not m.context & At.GENERATOR:
            m.error("'yield' is not in a generator")
        m.replace("e", flags & ~STATEMENT, False, YIELDED, "")
    elif kind == "@":
        m.become(("decorator", 0), ("e", flags, False, 0, ""))
    elif kind == "<":
        return _opening(m, flags, begin)
    else:
        raise Broken(t)
    return True


_OPERANDS: dict[str, Frame] = {
    "[": ("array", ()),
    "function": ("function_name", False, False, True),
    "class": ("class_name", True, False),
    "super": ("super",),
    "import": ("import_call",),
}
"""What takes the rest of an operand, by its first symbol."""


def _opening(m: Checker, flags: int, begin: bool) -> bool:
    """`<` where an operand comes: an element, a type assertion, or the type parameters of an arrow function."""
    if m.with_jsx:
        if m.ts and begin:
            _arrow(m.fork(), flags, *GENERIC_PARAMETERS, is_async=False)
        return m.push("jsx_open", False)
    if not m.ts:
        raise Broken
    asserted = m.fork() if begin else m
    asserted.become(("cast", False), ("expect", ">"), ("e", flags, False, 0, ""))
    return not begin or _arrow(m, flags, *GENERIC_PARAMETERS, is_async=False)


def _less(m: Checker, t: Token, flags: int, after: int, name: str) -> bool:
    """`<` or `<<` behind an operand: type arguments, or an operator."""
    if flags & HERITAGE:
        return _operand_with(m, m.stack[0], TYPE_ARGUMENTS)
    mark = object()
    other = m.fork()
    other.doubts += (mark,)
    _finish(other, after, name)
    other.replace("e", flags & ~STATEMENT, False, 0, "")
    if after == NAME and name == "async":
        _arrow(m.fork(), flags, *GENERIC_PARAMETERS, is_async=True)
    _operand_with(m, m.stack[0], TYPE_ARGUMENTS, ("targs_end", mark))
    if t.kind == "<<":
        m.feed(Token("<", "<", newline=False))
    return True


@takes
def _targs_end(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the type arguments of an expression: what may follow them?"""
    if not (t.newline or t.kind in _AFTER_ARGUMENTS or (t.kind == "name" and t.text in ("as", "satisfies"))):
        if t.kind in ("<", ">", "+", "-") or not (t.kind in _BINARY or t.kind in _ASSIGN or t.kind in ("in", "{")):
            raise Broken
    m.commits = f[1]
    m.committed += (f[1],)
    m.pop()
    return False


@takes
def _expect(m: Checker, t: Token, f: Frame) -> bool:
    """One token, and nothing else."""
    t.must_be(f[1])
    return m.pop()


@takes
def _list(m: Checker, t: Token, f: Frame) -> bool:
    """Items up to a closing token. between: tokens that stand beside them; item: takes each."""
    _, closing, between, item = f
    if t.kind == closing:
        return m.pop()
    if t.kind in between:
        return True
    m.push(*item)
    return False


@takes
def _member(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `.` or `?.`."""
    if t.kind == "private":
        if f[1] == "?." and m.ts:
            m.error("a private name is behind '?.'")
        m.use(t.text, Use.VALUE)
    elif f[1] == "?." and t.kind in ("(", "["):
        m.pop()
        return False
    elif f[1] == "?." and t.kind == "<" and m.ts:
        return m.replace(*TYPE_ARGUMENTS)
    elif not is_word(t):
        raise Broken
    return m.pop()


@takes
def _super(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "(":
        if not m.context & At.SUPER_CALL:
            m.error("'super(...)' is not in the constructor of a class that extends another")
    elif not m.context & At.SUPER:
        m.error("'super' is not in a member of a class or object")
    m.pop()
    return False


@takes
def _import_call(m: Checker, t: Token, f: Frame) -> bool:
    t.must_be("(", ".")
    m.pop()
    return False


@takes
def _cast(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `as` or `satisfies`, or in `<T>x`; of_name: is what stands before a name?"""
    _, of_name = f
    if t.kind == "const":
        if of_name:
            m.error("a name is no constant")
        return m.pop()
    m.replace("t", 0, 0, "")
    return False


def template(m: Checker) -> Literal[True]:
    """Behind the head of one with holes."""
    m.open_brace("template")
    return m.begin(EXPRESSION, ("template", EXPRESSION))


@takes
def _template(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the text of one. item: takes what stands in each of its holes."""
    t.must_be("middle", "tail")
    if t.kind == "middle":
        return m.push(*f[1])
    m.close_brace()
    return m.pop()


@takes
def _decorator(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `@`: a name with points and at most one call, or an expression in brackets."""
    stage = f[1]
    if stage == 0:
        t.must_be("(", "name")
        if t.kind == "(":
            return m.become(EXPRESSION, ("expect", ")"), ("decorator", 2))
        read(m, t.text)
        return m.replace("decorator", 1)
    if t.kind == "." and stage == 1:
        return m.push("member", ".")
    if t.kind == "(" and stage == 1:
        return m.become(ARGUMENTS, ("decorator", 2))
    if t.kind == "<" and stage == 1 and m.ts:
        return m.push(*TYPE_ARGUMENTS)
    m.pop()
    return False


# -- arrow functions


def _arrow(m: Checker, flags: int, *parameters: Frame, is_async: bool) -> Literal[True]:
    """What is read is an arrow function, whose parameters come next."""
    m.open_scope("function")
    return m.become(*parameters, ("arrow_head", flags, is_async), ("e", flags, False, DONE, ""))


def arrow(m: Checker, flags: int, name: str, *, is_async: bool) -> Literal[True]:
    """Behind the arrow of one with a single parameter."""
    m.open_scope("function")
    m.declare(name, Kind.PARAM)
    return m.push("arrow_body", flags, is_async)


@takes
def _async_arrow(m: Checker, t: Token, f: Frame) -> bool:
    """`async x`."""
    if t.kind != "=>" or t.newline:
        raise Broken
    m.pop()
    return arrow(m, f[1], f[2], is_async=True)


@takes
def _arrow_head(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the parameters."""
    if t.kind == ":" and m.ts and len(f) == 3:
        m.replace(*f, True)
        return m.push("t", 1, 0, "")
    if t.kind != "=>" or t.newline:
        raise Broken
    return m.replace("arrow_body", f[1], f[2])


@takes
def _arrow_body(m: Checker, t: Token, f: Frame) -> bool:
    m.become(("scope_end",), m.restoring)
    kept = m.context & (At.SUPER | At.SUPER_CALL | At.TARGET)
    m.context = kept | At.IN_FUNCTION | (At.ASYNC if f[2] else 0)
    m.labels = None
    if t.kind == "{":
        m.open_brace("block")
        return m.push("body", "function")
    expression(m, f[1] & NO_IN)
    return False
