"""Expressions: operands, operators, calls, literals, arrow functions, templates."""

from __future__ import annotations

from typing import Literal

from .....common.words import words_of
from .automaton import (
    AMBIENT,
    ASSIGNED,
    ASYNC,
    FIELD,
    FIELD_VALUE,
    GENERATOR,
    GET,
    IN_FUNCTION,
    METHOD_BODY,
    NOW,
    ONCE,
    PARAM,
    PARAMETERS,
    SET,
    STATIC_BLOCK,
    SUPER,
    SUPER_CALL,
    TARGET,
    TOP,
    VALUE,
    Broken,
    Checker,
    Frame,
    Token,
    takes,
)
from .tokens import KEYWORDS

NO_IN, COMMA, HERITAGE, STATEMENT = 1, 2, 4, 8
"""Of an expression: `in` is no operator; it may be a list; what a class extends; it is a statement."""
_MOST_TARGETS = 30
"""Names in a pattern that is assigned to; the others are not looked at."""
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


def is_word(token: Token) -> bool:
    """Is it a name, or a keyword that stands for a name behind a point and the like?"""
    return token.kind == "name" or token.kind in KEYWORDS


def expression(m: Checker, flags: int = 0) -> Literal[True]:
    """One comes next."""
    return m.push("e", flags, True, 0, "")


def read(m: Checker, name: str) -> None:
    """A value is read now."""
    if m.context & PARAMETERS:
        m.use(name, VALUE)
        return
    if name == "arguments" and m.context & (FIELD_VALUE | STATIC_BLOCK) and not m.context & IN_FUNCTION:
        m.error("'arguments' cannot stand in the value of a field or a static block")
    m.use(name, VALUE | NOW)


@takes
def _e(m: Checker, t: Token, f: Frame) -> bool:
    """begin: may an arrow function begin here, or what is assigned to? after: what stands before; name: which, or the operator before, or what a literal would assign to."""
    _, flags, begin, after, name = f
    kind = t.kind
    if not after:
        return _operand(m, t, flags, begin, name)
    if after == YIELDED:
        if kind == "*" and not t.newline:
            return m.replace("e", flags, True, 0, "")
        if t.newline or kind in _NEVER_OPERAND:
            m.replace("e", flags, False, DONE, "")
        else:
            m.replace("e", flags, True, 0, "")
        return False
    if after == PREFIXED:
        if kind in (".", "?.", "[", "("):
            read(m, name)
        else:
            _assign(m, name)
        m.replace("e", flags, False, OTHER, "")
        return False
    if after == DELETED:
        if kind not in (".", "?.", "[", "(", "template", "head", "!"):
            m.error("'delete' is not followed by a member")
        read(m, name)
        m.replace("e", flags, False, OTHER, "")
        return False
    if kind == "," and flags & COMMA:
        _finish(m, after, name)
        return m.replace("e", flags & ~STATEMENT, True, 0, "")
    if after == DONE:
        m.shape = DONE, ()
        m.pop()
        return False
    if kind == "." or kind == "?.":
        _finish(m, after, name)
        m.replace("e", flags, False, OTHER, "")
        return m.push("member", kind)
    if kind == "(":
        if name == "async" and after == NAME and begin and not t.newline:
            other = m.fork()
            other.replace("e", flags, False, DONE, "")
            arrow_parameters(other, flags, is_async=True)
            other.push("params", False)
        _finish(m, after, name)
        m.replace("e", flags, False, OTHER, "")
        return m.push("args")
    if kind == "[":
        _finish(m, after, name)
        m.replace("e", flags, False, OTHER, "")
        m.push("expect", "]")
        return expression(m, COMMA)
    if after == NAME:
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
                m.replace("e", flags, False, DONE, "")
                return m.push("async_arrow", flags, t.text)
        if kind == "function" and name == "async" and not t.newline:
            m.replace("e", flags, False, OTHER, "")
            return m.push("function_name", True, False, True)
    if kind in _BINARY or (kind == "in" and not flags & NO_IN):
        if m.ts and kind in ("<", "<<"):
            return _less(m, t, flags, after, name)
        _finish(m, after, name)
        return m.replace("e", flags & ~STATEMENT, False, 0, "")
    if kind == "?":
        _finish(m, after, name)
        m.replace("e", flags, False, DONE, "")
        expression(m, flags & NO_IN)
        m.push("expect", ":")
        return expression(m)
    if kind in _ASSIGN:
        if kind == "=":
            assigned: tuple[str, ...] = () if isinstance(name, str) else name
            for target in assigned:
                m.use(target, ASSIGNED)
        return m.replace("e", flags & ~STATEMENT, True, 0, "")
    if kind in ("template", "head"):
        _finish(m, after, name)
        m.replace("e", flags, False, OTHER, "")
        if kind == "head":
            template(m)
        return True
    if kind in ("++", "--") and not t.newline:
        return m.replace("e", flags, False, OTHER, "")
    if m.ts and not t.newline:
        if kind == "!":
            _finish(m, after, name)
            return m.replace("e", flags, False, OTHER, "")
        if kind == "name" and t.text in ("as", "satisfies"):
            _finish(m, after, name)
            m.replace("e", flags, False, OTHER, "")
            return m.push("cast", after == NAME)
    _finish(m, after, name)
    m.shape = after, (name,) if after == NAME else () if isinstance(name, str) else name
    m.pop()
    return False


def _finish(m: Checker, after: int, name: str) -> None:
    """What stands before is over, as an operand."""
    if after == NAME:
        read(m, name)


def _assign(m: Checker, name: str) -> None:
    m.use(name, VALUE | NOW | ASSIGNED)


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
        m.replace("e", flags, False, OTHER, "")
        if begin:
            other = m.fork()
            other.replace("e", flags, False, DONE, "")
            arrow_parameters(other, flags, is_async=False)
            other.push("params", False)
        m.push("expect", ")")
        return expression(m, COMMA)
    if kind in _PREFIX:
        return m.replace("e", flags & ~STATEMENT, False, 0, "")
    if kind in ("typeof", "delete", "++", "--"):
        return m.replace("e", flags & ~STATEMENT, False, 0, "++" if kind in ("++", "--") else kind)
    m.replace("e", flags, False, OTHER, "")
    if kind == "[":
        m.push("array", ())
    elif kind == "{":
        m.open_brace("object")
        m.open_scope("object")
        m.push("object", ())
    elif kind == "head":
        template(m)
    elif kind == "function":
        m.push("function_name", False, False, True)
    elif kind == "class":
        m.push("class_name", True, False)
    elif kind == "new":
        m.replace("e", flags & ~STATEMENT, False, 0, "new")
    elif kind == "." and before == "new":
        if not m.context & TARGET:
            m.error("'new.target' is not in a function")
        m.push("member", ".")
    elif kind == "super":
        m.push("super")
    elif kind == "import":
        m.push("import_call")
    elif kind == "private":
        m.use(t.text, VALUE)
    elif kind == "await":
        if not m.context & (ASYNC | TOP):
            m.error("'await' is not in an async function")
        m.replace("e", flags & ~STATEMENT, False, 0, "")
    elif kind == "yield":
        if not m.context & GENERATOR:
            m.error("'yield' is not in a generator")
        m.replace("e", flags & ~STATEMENT, False, YIELDED, "")
    elif kind == "@":
        m.replace("e", flags, False, 0, "")
        m.push("decorator", 0)
    elif kind == "<":
        return _opening(m, flags, begin)
    else:
        raise Broken(t)
    return True


def _opening(m: Checker, flags: int, begin: bool) -> bool:
    """`<` where an operand comes: an element, a type assertion, or the type parameters of an arrow function."""
    if m.ts and begin:
        other = m.fork() if m.with_jsx else m
        if not m.with_jsx:
            asserted = m.fork()
            asserted.replace("e", flags, False, 0, "")
            asserted.push("expect", ">")
            asserted.push("cast", False)
        other.replace("e", flags, False, DONE, "")
        arrow_parameters(other, flags, is_async=False)
        other.push("expect", "(", True)
        other.push("tparams")
        if not m.with_jsx:
            return True
    elif m.ts and not m.with_jsx:
        m.replace("e", flags, False, 0, "")
        m.push("expect", ">")
        return m.push("cast", False)
    if not m.with_jsx:
        raise Broken
    return m.push("jsx_open", False)


def _less(m: Checker, t: Token, flags: int, after: int, name: str) -> bool:
    """`<` or `<<` behind an operand: type arguments, or an operator."""
    if flags & HERITAGE:
        _finish(m, after, name)
        m.replace("e", flags, False, OTHER, "")
        return m.push("targs")
    mark = object()
    other = m.fork()
    other.doubts += (mark,)
    _finish(other, after, name)
    other.replace("e", flags & ~STATEMENT, False, 0, "")
    generic_arrow = after == NAME and name == "async"
    if generic_arrow:
        third = m.fork()
        third.replace("e", flags, False, DONE, "")
        arrow_parameters(third, flags, is_async=True)
        third.push("expect", "(", True)
        third.push("tparams")
    _finish(m, after, name)
    m.replace("e", flags, False, OTHER, "")
    m.push("targs_end", mark)
    m.push("targs")
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
    """One token, and nothing else; with a second part: the parameters of an arrow function begin with it."""
    if t.kind != f[1]:
        raise Broken
    if len(f) > 2:
        m.replace("params", False)
    else:
        m.pop()
    return True


@takes
def _member(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `.` or `?.`."""
    if t.kind == "private":
        if f[1] == "?." and m.ts:
            m.error("a private name is behind '?.'")
        m.use(t.text, VALUE)
    elif f[1] == "?." and t.kind in ("(", "["):
        m.pop()
        return False
    elif f[1] == "?." and t.kind == "<" and m.ts:
        return m.replace("targs")
    elif not is_word(t):
        raise Broken
    return m.pop()


@takes
def _args(m: Checker, t: Token, f: Frame) -> bool:
    """The arguments of a call."""
    if t.kind == ")":
        m.pop()
    elif t.kind not in (",", "..."):
        expression(m)
        return False
    return True


def targets(m: Checker, before: tuple[str, ...]) -> tuple[str, ...]:
    """What a literal would assign to as a pattern, with its last element."""
    after, named = m.shape
    m.shape = 0, ()
    return (*before, *named) if after in (NAME, OTHER) and len(before) < _MOST_TARGETS else before


def _literal_over(m: Checker, found: tuple[str, ...]) -> None:
    """An array or object is over, which may have been a pattern."""
    m.pop()
    frame = m.stack[0]
    if frame[0] == "e" and found:
        m.replace(*frame[:4], found)


@takes
def _array(m: Checker, t: Token, f: Frame) -> bool:
    """targets: what it would assign to so far."""
    if t.kind in ("]", ","):
        found = targets(m, f[1])
        if t.kind == "]":
            _literal_over(m, found)
        else:
            m.replace("array", found)
    elif t.kind != "...":
        expression(m)
        return False
    return True


@takes
def _super(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "(":
        if not m.context & SUPER_CALL:
            m.error("'super(...)' is not in the constructor of a class that extends another")
    elif not m.context & SUPER:
        m.error("'super' is not in a member of a class or object")
    m.pop()
    return False


@takes
def _import_call(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind not in ("(", "."):
        raise Broken
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
    m.push("template")
    return expression(m, COMMA)


@takes
def _template(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "middle":
        expression(m, COMMA)
    elif t.kind == "tail":
        m.close_brace()
        m.pop()
    else:
        raise Broken
    return True


@takes
def _decorator(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `@`: a name with points and at most one call, or an expression in brackets."""
    stage = f[1]
    if stage == 0:
        if t.kind == "(":
            m.replace("decorator", 2)
            m.push("expect", ")")
            expression(m, COMMA)
        elif t.kind == "name":
            read(m, t.text)
            m.replace("decorator", 1)
        else:
            raise Broken
        return True
    if t.kind == "." and stage == 1:
        return m.push("member", ".")
    if t.kind == "(" and stage == 1:
        m.replace("decorator", 2)
        return m.push("args")
    if t.kind == "<" and stage == 1 and m.ts:
        return m.push("targs")
    m.pop()
    return False


# -- arrow functions


def arrow_parameters(m: Checker, flags: int, *, is_async: bool) -> None:
    """The scope of an arrow function, whose parameters come next."""
    m.open_scope("function")
    m.push("arrow_head", flags, is_async)


def arrow(m: Checker, flags: int, name: str, *, is_async: bool) -> Literal[True]:
    """Behind the arrow of one with a single parameter."""
    m.open_scope("function")
    m.declare(name, PARAM)
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
    saved = m.context, m.labels
    kept = m.context & (SUPER | SUPER_CALL | TARGET)
    m.context = kept | IN_FUNCTION | (ASYNC if f[2] else 0)
    m.labels = None
    m.replace("arrow_end", saved)
    if t.kind == "{":
        m.open_brace("block")
        return m.push("body", "function")
    expression(m, f[1] & NO_IN)
    return False


@takes
def _arrow_end(m: Checker, t: Token, f: Frame) -> bool:
    m.context, m.labels = f[1]
    m.close_scope()
    m.pop()
    return False


# -- objects


@takes
def _object(m: Checker, t: Token, f: Frame) -> bool:
    """An object literal, or a pattern that is assigned to; targets: what it would assign to so far."""
    kind = t.kind
    if kind == "}":
        m.close_scope()
        m.close_brace()
        _literal_over(m, targets(m, f[1]))
    elif kind == ",":
        m.replace("object", targets(m, f[1]))
    elif kind == "...":
        expression(m)
    else:
        m.push("property", (), "")
        return False
    return True


_WORDS = frozenset(["get", "set", "async"])


@takes
def _property(m: Checker, t: Token, f: Frame) -> bool:
    """words: those before the name; name: which; "" for none so far, "[" for one that is computed."""
    _, words, name = f
    kind = t.kind
    if not name:
        if kind == "*":
            m.replace("property", (*words, "*"), "")
        elif kind == "[":
            m.replace("property", words, "[")
            m.push("expect", "]")
            expression(m)
        elif kind in ("str", "num"):
            m.replace("property", words, key_name(t))
        elif is_word(t):
            if t.text in _WORDS and not words:
                m.replace("property_word", t.text)
            else:
                m.replace("property", words, t.text)
        else:
            raise Broken
        return True
    if kind in ("(", "<"):
        m.pop()
        _member_of_object(m, name, GET if "get" in words else SET if "set" in words else METHOD_BODY)
        method(m, words)
        return False
    m.pop()
    if kind == ":":
        _member_of_object(m, name, FIELD)
        return expression(m)
    if name == "[" or words:
        raise Broken
    _member_of_object(m, name, FIELD, shorthand=True)
    read(m, name)
    if kind == "=":  # of a pattern
        m.use(name, ASSIGNED)
        return expression(m)
    m.shape = NAME, (name,)
    return False


def key_name(t: Token) -> str:
    """The name of a member that is a string or number; "[" where that is not certain."""
    text = t.text[1:-1] if t.kind == "str" else t.text
    return "[" if "\\" in text or not text or (t.kind == "num" and not text.isdigit()) else text


def _member_of_object(m: Checker, name: str, kind: int, *, shorthand: bool = False) -> None:
    if name == "[":
        return
    if m.ts:
        m.declare("." + name, kind)
    elif name == "__proto__" and not shorthand:
        m.declare("." + name, ONCE)


@takes
def _property_word(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `get`, `set` or `async` in an object: a name itself?"""
    word = f[1]
    if t.kind in (":", "(", ",", "}", "=", "<"):
        m.replace("property", (), word)
    else:
        m.replace("property", (word,), "")
    return False


def in_member(m: Checker, is_constructor: bool = False) -> int:
    """What may stand in a member: TypeScript takes `new.target` in a constructor alone."""
    return SUPER | (TARGET if is_constructor or not m.ts else 0)


def method(m: Checker, words: tuple[str, ...], is_constructor: bool = False, derived: bool = False) -> None:
    """The parameters and body of a method come next. words: before its name; derived: of a class that extends another."""
    saved = m.context, m.labels
    m.open_scope("function")
    context = in_member(m, is_constructor) | IN_FUNCTION | (m.context & AMBIENT)
    context |= (ASYNC if "async" in words else 0) | (GENERATOR if "*" in words else 0)
    if is_constructor and derived:
        context |= SUPER_CALL
    m.push("fn", 0, saved, context, "constructor" if is_constructor else "method")
