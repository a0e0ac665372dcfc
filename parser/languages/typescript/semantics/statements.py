"""Statements: blocks, declarations of variables, control flow, labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from .automaton import At, Broken, Checker, Frame, Kind, Token, Use, takes
from .expressions import COMMA, EXPRESSION, ITEM, NAME, NO_IN, SEMICOLON, STATEMENT, expression, is_word
from .literals import key_name, targets
from .types import TYPE, a_type, check_type_name, object_type

_DECLARING = frozenset(["type", "interface", "namespace", "module", "declare", "abstract", "async", "global"])
_DECLARED = frozenset(["var", "let", "const", "function", "class", "enum", "name", "import"])
_OUTERMOST = (("body", "module"), ("body", "namespace"), ("body", "ambient"), ("export_end",))
_KINDS = {"var": Kind.VAR, "let": Kind.LET, "const": Kind.CONST}
_Begin = Callable[[Checker, Token], Literal[True]]
_CONDITION = (("expect", "("), EXPRESSION, ("expect", ")"))


@takes
def _body(m: Checker, t: Token, f: Frame) -> bool:
    """Statements. kind: "module", "block", "function", "case", "namespace", or "ambient" for a module that is declared."""
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
    """The first token of one."""
    kind = t.kind
    if kind == "name":
        if t.text in _DECLARING:
            m.push("word", t.text)
        else:
            m.begin(("e", COMMA | STATEMENT, True, NAME, t.text), SEMICOLON)
        return True
    handler = _STATEMENTS.get(kind)
    if handler is not None:
        return handler(m, t)
    if kind in ("import", "export"):
        if m.stack[0] not in _OUTERMOST:
            if kind == "import":
                return m.push("inner_import")
            m.error("'export' is not at the top level")
        return m.push(kind)
    if kind == "@":
        return m.begin(("decorator", 0), ("decorated",))
    if m.context & At.AMBIENT:
        m.error("a statement stands where only declarations may")
    m.begin(EXPRESSION, SEMICOLON)
    return False


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
    m.pop()
    return t.kind == ";"


@takes
def _one(m: Checker, t: Token, f: Frame) -> bool:
    """One statement, as the body of another."""
    m.pop()
    return t.kind == ";" or statement(m, t)


@takes
def _decorated(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a decorator before a class."""
    if t.kind == "@":
        return m.push("decorator", 0)
    m.pop()
    if t.kind not in ("class", "export") and not (t.kind == "name" and t.text == "abstract"):
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
    """The parts of a loop; with it ends what holds in it alone."""

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
    if m.module:
        m.error("'with' is not in a script")
    return m.begin(*_CONDITION, ("one",))


_FOR = _loop(("for",), ("one",), ("scope_end",))
_STATEMENTS = {
    "{": _block,
    **{word: _frames(("vars", word, False), SEMICOLON) for word in _KINDS},
    "function": _frames(("function_name", False, False, False), ("declared_function",)),
    "class": _frames(("class_name", False, False)),
    "enum": _frames(("enum",)),
    "if": _frames(*_CONDITION, ("one",), ("maybe", "else", ("one",))),
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
    """Frames that a token begins, which may also be left out."""
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
        if not m.context & (At.ASYNC | At.TOP):
            m.error("'await' is not in an async function")
        return True
    t.must_be("(")
    return m.replace("for_first")


@takes
def _for_first(m: Checker, t: Token, f: Frame) -> bool:
    """What comes first in the brackets."""
    if t.kind in ("var", "let", "const"):
        return m.become(("vars", t.kind, True), ("for_rest", False))
    if t.kind == ";":
        return m.replace("for_rest", True)
    m.become(("e", COMMA | NO_IN, True, 0, ""), ("for_left",))
    return False


@takes
def _for_left(m: Checker, t: Token, f: Frame) -> bool:
    """Behind an expression that comes first."""
    m.replace("for_rest", False)
    if t.kind == "in" or (t.kind == "name" and t.text == "of"):
        for name in targets(m, ()):
            m.use(name, Use.ASSIGNED)
    return False


@takes
def _for_rest(m: Checker, t: Token, f: Frame) -> bool:
    """Behind what comes first in the brackets."""
    if t.kind == ";":
        return True
    if t.kind == ")":
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
    m.begin(("expect", ":"), ("body", "case"))
    if t.kind == "case":
        return expression(m, COMMA)
    m.declare(".default", Kind.ONCE)
    return True


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
    """The colon of a label, and what it stands before."""
    if len(f) == 2:
        return m.replace("label", f[1], True)
    if m.find_label(f[1]) is not None:
        m.error(f"label '{f[1]}' is declared twice")
    if m.ts and m.module and t.kind in ("var", "let", "const", "function", "class", "enum"):
        m.error("a label is not allowed here")
    m.replace(*m.restoring)
    m.labels = (f[1], t.kind in ("for", "while", "do", "name"), m.labels)  # a name is perhaps another label
    m.push("one")
    return False


# -- declarations


@takes
def _vars(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `var`, `let` or `const`, or a comma. in_for: in the head of a for."""
    _, word, in_for = f
    if t.kind == "enum" and word == "const" and m.ts:
        m.pop()
        m.pop()
        return m.push("enum")
    m.replace("var_rest", word, in_for)
    m.binding = ()
    m.push("binding", _KINDS[word])
    return False


@takes
def _var_rest(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a name or pattern; a fourth part: "!" behind one, ":" behind its type."""
    word, in_for = f[1:3]
    if f[3:] == ("!",) and t.kind != ":":
        m.error("a variable with '!' has no type")
    if t.kind == "=":
        if m.context & At.AMBIENT and word != "const" and not m.context & At.IN_FUNCTION:
            m.error("a variable that is declared only has a value")
        if len(f) == 4:
            m.error("a variable with '!' has a value")
        m.unready, m.binding = m.binding, ()
        return expression(m, NO_IN if in_for else 0)
    if m.ts and t.kind == "!" and not t.newline:
        return m.replace("var_rest", word, in_for, "!")
    if m.ts and t.kind == ":":
        if len(f) == 4:
            m.replace("var_rest", word, in_for, ":")
        return a_type(m)
    m.unready = m.binding = ()
    if t.kind == ",":
        return m.replace("vars", word, in_for)
    m.pop()
    return False


@takes
def _declared_function(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a declared function: without a body, another part of it must follow, whose name is known when it comes."""
    if m.had_body or m.context & At.AMBIENT:
        m.pop()
        return t.kind == ";" and not m.had_body
    if t.kind == ";" and len(f) == 1:
        return m.replace("declared_function", True)
    m.pop()
    if t.kind in ("function", "export") or (t.kind == "name" and t.text == "async"):
        m.overload = m.last_function
    else:
        m.error("a function has no body")
    return False


@takes
def _word(m: Checker, t: Token, f: Frame) -> bool:
    """A statement begins with a word that may be a name. What follows tells."""
    word = f[1]
    m.pop()
    kind = t.kind
    if not t.newline:
        if word == "async" and kind == "function":
            if m.context & At.AMBIENT:
                m.error("a function that is declared only is not async")
            return m.begin(("function_name", True, False, False), ("declared_function",))
        if m.ts:
            if word == "type" and kind == "name":
                check_type_name(m, t.text)
                m.declare(t.text, Kind.ALIAS)
                m.push("alias")
                m.open_scope("types")
                return True
            if word == "interface" and kind == "name":
                check_type_name(m, t.text)
                m.declare(t.text, Kind.INTERFACE)
                m.open_scope("class")
                return m.push("interface")
            if word in ("namespace", "module") and kind in ("name", "str"):
                if m.stack[0] not in _OUTERMOST and m.stack[0][0] != "restore":
                    m.error("a namespace is not at the top level")
                if kind == "name":
                    m.declare(t.text, Kind.NAMESPACE)
                return m.push("namespace", kind == "str", False)
            if word == "global" and kind == "{":
                m.push("namespace", True, True)
                return False
            if word == "abstract" and kind == "class":
                return m.push("class_name", False, True)
            if word == "declare" and kind in _DECLARED:
                if m.stack[0] not in _OUTERMOST:
                    m.error("'declare' is not at the top level")
                m.push(*m.restoring)
                m.context |= At.AMBIENT
                return statement(m, t)
    m.begin(("e", COMMA | STATEMENT, True, NAME, word), SEMICOLON)
    return False


@takes
def _alias(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of `type`."""
    if t.kind == "<":
        return m.push("tparams")
    t.must_be("=")
    return m.become(TYPE, ("scope_end",), SEMICOLON)


@takes
def _interface(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of an interface."""
    if t.kind == "<":
        return m.push("tparams")
    if t.kind in ("extends", ","):
        return a_type(m)
    t.must_be("{")
    m.replace("scope_end")
    return object_type(m)


@takes
def _scope_end(m: Checker, t: Token, f: Frame) -> bool:
    m.close_scope()
    m.pop()
    return False


@takes
def _namespace(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of a namespace; ambient: is it a module that is declared? is_global: does it belong to all files?"""
    if t.kind == ".":
        return m.push("member", ".")
    if t.kind != "{":
        if not f[1]:
            raise Broken(t)
        m.pop()  # declare module "x";
        return t.kind == ";"
    m.replace(*m.restoring)
    m.context &= At.AMBIENT
    m.labels = None
    m.open_brace("block")
    m.open_scope("global" if f[2] else "namespace")
    return m.push("body", "ambient" if f[1] else "namespace")


@takes
def _enum(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "name":
        check_type_name(m, t.text)
        m.declare(t.text, Kind.ENUM)
        return True
    t.must_be("{")
    m.open_brace("enum")
    m.open_scope("members")
    return m.replace("enum_members")


@takes
def _enum_key(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the bracket of a member's name."""
    if t.kind not in ("str", "template"):
        m.error("the name of a member is computed")
    m.become(ITEM, ("expect", "]"))
    return False


@takes
def _enum_members(m: Checker, t: Token, f: Frame) -> bool:
    kind = t.kind
    if kind == "}":
        m.close_scope()
        m.close_brace()
        m.pop()
    elif kind == "=":
        expression(m)
    elif kind == "[":
        m.push("enum_key")
    elif is_word(t) or kind in ("str", "num"):
        name = key_name(t) if kind in ("str", "num") else t.text
        if name != "[":
            m.declare("." + name, Kind.FIELD)
            m.scope.names.setdefault(name, Kind.CONST)
    elif kind not in (",", "template"):
        raise Broken(t)
    return True
