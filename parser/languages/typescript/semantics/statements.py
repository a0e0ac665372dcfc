"""Statements: blocks, control flow, labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from .arrow_functions import result
from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import (
    COMMA,
    EXPRESSION,
    NAME,
    NO_IN,
    PROTO_TWICE,
    SEMICOLON,
    STATEMENT,
    SURE,
    check_await,
    decorated,
    expression,
)
from .kinds import RUNNING, At, Kind, Use
from .literals import targets
from .types import TYPE

DECLARING = frozenset(["type", "interface", "namespace", "module", "declare", "abstract", "async", "global"])
DECLARED = frozenset(["var", "let", "const", "function", "class", "enum", "name", "import"])
OUTERMOST = (("body", "module"), ("body", "namespace"), ("body", "ambient"), ("export_end",))
KINDS = {"var": Kind.VAR, "let": Kind.LET, "const": Kind.CONST}
_Begin = Callable[[Checker, Token], Literal[True]]
_UNLABELLED = frozenset(["var", "let", "const", "function", "class", "enum"])
_CONDITION = (("expect", "("), EXPRESSION, ("expect", ")"))


@takes
def _body(m: Checker, t: Token, f: Frame) -> bool:
    """Statements. kind: "module", "block", "function", "case", "namespace", or "ambient" for a `declare module`."""
    kind, token = f[1], t.kind
    if token == ";" or (not token and kind == "module"):
        return True
    if token == "}" or (kind == "case" and token in ("case", "default")):
        if kind == "module":
            raise Broken(t)
        m.pop()
        if kind == "case":
            return False
        m.close_brace()
        if kind in ("block", "namespace", "ambient"):
            m.close_scope()
        return True
    return statement(m, t)


def statement(m: Checker, t: Token) -> bool:
    """Take the first token of a statement."""
    kind = t.kind
    if kind == "name":
        if t.text in DECLARING:
            m.push("word", t.text)
        else:
            check_ambient(m)
            m.begin(("e", COMMA | STATEMENT, True, NAME, t.text), SEMICOLON)
        return True
    handler = _STATEMENTS.get(kind)
    if handler is not None:
        if kind not in DECLARED:
            check_ambient(m)
        return handler(m, t)
    if kind in ("import", "export"):
        if m.stack[0] not in OUTERMOST:
            if kind == "import":
                return m.push("inner_import")
            m.error("'export' is not at the top level")
        return m.push(kind)
    if kind == "@":
        return decorated(m, ("decorated",))
    check_ambient(m)
    m.begin(EXPRESSION, SEMICOLON)
    return False


def check_ambient(m: Checker) -> None:
    """Note a statement that declares nothing, and refuse it where none may stand."""
    if m.scope.kind == "namespace":
        m.note(RUNNING)
    if m.context & At.AMBIENT:
        m.error("a statement stands where only declarations may")


@takes
def _inner_import(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `import` elsewhere than at the top level."""
    if t.kind not in ("(", "."):
        m.error("'import' is not at the top level")
    m.replace("import")
    return False


@takes
def _semi(m: Checker, t: Token, f: Frame) -> bool:
    """The end of a statement."""
    m.shape = 0, ()
    m.pop()
    return t.kind == ";"


@takes
def _one(m: Checker, t: Token, f: Frame) -> bool:
    """One statement, as the body of another."""
    m.pop()
    return t.kind == ";" or statement(m, t)


@takes
def _then(m: Checker, t: Token, f: Frame) -> bool:
    """The body of an `if` comes next."""
    if t.kind == ";" and m.ts:
        m.error("the body of an 'if' is empty")
    m.pop()
    return False


@takes
def _decorated(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a decorator before a class."""
    if t.kind == "@":
        return decorated(m)
    m.pop()
    if t.kind not in ("class", "export") and not (t.kind == "name" and t.text in ("abstract", "declare")):
        raise Broken(t)
    return statement(m, t)


# -- by their words


def _block(m: Checker, t: Token) -> Literal[True]:
    m.open_brace("block")
    m.open_scope("block")
    return m.push("body", "block")


def _frames(*frames: Frame) -> _Begin:
    return lambda m, t: m.begin(*frames)


def _loop(*frames: Frame) -> _Begin:
    """Read the parts of a loop; its flags and labels end with it."""

    def begin(m: Checker, t: Token) -> Literal[True]:
        m.begin(*frames, m.restoring)
        m.context |= At.LOOP
        return True

    return begin


def _begin_for(m: Checker, t: Token) -> Literal[True]:
    m.open_scope("block")
    return _FOR(m, t)


def _begin_return(m: Checker, t: Token) -> Literal[True]:
    if not m.context & At.IN_FUNCTION:
        m.error("'return' is not in a function")
    return m.begin(("return",), SEMICOLON)


def _begin_with(m: Checker, t: Token) -> Literal[True]:
    m.strict_error("'with' stands in strict code")
    return m.begin(*_CONDITION, ("one",))


_FOR = _loop(("for",), ("one",), ("scope_end",))
_STATEMENTS = {
    "{": _block,
    **{word: _frames(("vars", word, False), SEMICOLON) for word in KINDS},
    "function": _frames(("function_name", False, False, False), ("declared_function",)),
    "class": _frames(("class_name", False, False)),
    "enum": _frames(("enum", False)),
    "if": _frames(*_CONDITION, ("then",), ("one",), ("maybe", "else", ("one",))),
    "while": _loop(*_CONDITION, ("one",)),
    "do": _loop(("one",), ("expect", "while"), *_CONDITION, SEMICOLON),
    "for": _begin_for,
    "switch": _frames(*_CONDITION, ("switch",)),
    "try": _frames(("brace",), ("try",)),
    "return": _begin_return,
    "throw": _frames(EXPRESSION, SEMICOLON),
    "break": _frames(("jump", "break"), SEMICOLON),
    "continue": _frames(("jump", "continue"), SEMICOLON),
    "debugger": _frames(SEMICOLON),
    "with": _begin_with,
}


@takes
def _maybe(m: Checker, t: Token, f: Frame) -> bool:
    """Optional frames, begun by a token."""
    m.pop()
    return t.kind == f[1] and m.begin(*f[2:])


@takes
def _restore(m: Checker, t: Token, f: Frame) -> bool:
    m.context, m.labels = f[1]
    m.pop()
    return False


@takes
def _for(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "await":
        check_await(m)
        return m.replace("for", True)
    t.must_be("(")
    return m.replace("for_first", len(f) == 2)


@takes
def _for_first(m: Checker, t: Token, f: Frame) -> bool:
    """Read the first part in the brackets; is_await: behind `for await`."""
    if t.kind in ("var", "let", "const"):
        return m.become(("vars", t.kind, True), ("for_rest", False))
    if t.kind == ";":
        return m.replace("for_rest", True)
    m.become(("e", COMMA | NO_IN, True, 0, ""), ("for_left", f[1]))
    return False


@takes
def _for_left(m: Checker, t: Token, f: Frame) -> bool:
    """Behind an expression that comes first; is_await: behind `for await`."""
    m.replace("for_rest", False)
    if t.kind == "in" or (t.kind == "name" and t.text == "of"):
        for name in targets(m, ()):
            if name != PROTO_TWICE:
                m.use(name, Use.ASSIGNED)
    return False


@takes
def _for_rest(m: Checker, t: Token, f: Frame) -> bool:
    """Read on behind the first part in the brackets."""
    if t.kind == ";":
        return True
    if t.kind == ")":
        m.unready = ()
        return m.pop()
    m.become(EXPRESSION, ("for_rest", True))
    return t.kind == "in" or (t.kind == "name" and t.text == "of" and not f[1])


@takes
def _switch(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the head of a switch."""
    t.must_be("{")
    m.open_brace("block")
    m.open_scope("block")
    m.become(("cases",), m.restoring)
    m.context |= At.SWITCH
    return True


@takes
def _cases(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "}":
        m.close_scope()
        m.close_brace()
        return m.pop()
    t.must_be("case", "default")
    m.begin(("case_end",), ("body", "case"))
    if t.kind == "case":
        return expression(m, COMMA)
    m.declare(".default", Kind.ONCE)
    return True


@takes
def _case_end(m: Checker, t: Token, f: Frame) -> bool:
    """The colon of a case."""
    t.must_be(":")
    return m.replace("case_result") if result(m) else m.pop()


@takes
def _case_result(m: Checker, t: Token, f: Frame) -> bool:
    """The first statement behind brackets that could have been parameters."""
    m.pop()
    if t.kind not in ("name", "("):
        return False
    is_taken = statement(m, t)
    frame, below = m.stack
    if frame[0] == "e":
        m.stack = (("e", frame[1] | SURE, *frame[2:]), below)
    return is_taken


@takes
def _try(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the block of a try, or of its catch."""
    if t.kind == "catch":
        m.open_scope("block")
        return m.push("catch")
    m.pop()
    return t.kind == "finally" and m.push("brace")


@takes
def _catch(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "(":
        return m.begin(("binding", Kind.CATCH), ("maybe", ":", TYPE), ("expect", ")"))
    t.must_be("{")
    m.open_brace("block")
    return m.replace("body", "block")


@takes
def _brace(m: Checker, t: Token, f: Frame) -> bool:
    """A block comes next."""
    t.must_be("{")
    m.pop()
    return _block(m, t)


@takes
def _return(m: Checker, t: Token, f: Frame) -> bool:
    m.pop()
    if not t.newline and t.kind not in (";", "}"):
        expression(m, COMMA)
    return False


@takes
def _jump(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `break` or `continue`."""
    m.pop()
    word = f[1]
    if t.kind == "name" and not t.newline:
        of_loop = m.find_label(t.text)
        if of_loop is None:
            m.error(f"there is no label '{t.text}' here")
        elif word == "continue" and not of_loop:
            m.error(f"'{t.text}' is not the label of a loop")
        return True
    if not m.context & (At.LOOP if word == "continue" else At.LOOP | At.SWITCH):
        m.error(f"'{word}' is not in a loop" + ("" if word == "continue" else " or switch"))
    return False


@takes
def _label(m: Checker, t: Token, f: Frame) -> bool:
    """Read the colon of a label, and its statement."""
    if len(f) == 2:
        return m.replace("label", f[1], True)
    if m.find_label(f[1]) is not None:
        m.error(f"label '{f[1]}' is declared twice")
    if t.kind in (_UNLABELLED if m.ts else ("function",)):
        m.strict_error("a label is not allowed here")
    m.check_name(f[1])
    m.replace(*m.restoring)
    m.labels = (f[1], t.kind in ("for", "while", "do", "name"), m.labels)  # a name is perhaps another label
    m.push("one")
    return False


@takes
def _scope_end(m: Checker, t: Token, f: Frame) -> bool:
    m.close_scope()
    m.pop()
    return False
