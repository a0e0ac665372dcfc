"""Statements: blocks, declarations of variables, control flow, labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from .automaton import (
    ALIAS,
    AMBIENT,
    ASSIGNED,
    ASYNC,
    CATCH,
    CONST,
    ENUM,
    FIELD,
    IN_FUNCTION,
    INTERFACE,
    LET,
    LOOP,
    NAMESPACE,
    ONCE,
    SWITCH,
    TOP,
    VAR,
    Broken,
    Checker,
    Frame,
    Token,
    takes,
)
from .expressions import COMMA, NAME, NO_IN, STATEMENT, expression, is_word, key_name, targets
from .types import a_type, check_type_name, object_type

_DECLARING = frozenset(["type", "interface", "namespace", "module", "declare", "abstract", "async", "global"])
_DECLARED = frozenset(["var", "let", "const", "function", "class", "enum", "name", "import"])
_OUTERMOST = (("body", "module"), ("body", "namespace"), ("body", "ambient"), ("export_end",))
_KINDS = {"var": VAR, "let": LET, "const": CONST}


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
            m.push("semi")
            m.push("e", COMMA | STATEMENT, True, NAME, t.text)
        return True
    handler = _STATEMENTS.get(kind)
    if handler is not None:
        return handler(m, t)
    if kind in ("import", "export"):
        if m.stack[0] not in _OUTERMOST:
            if kind == "import":
                return m.push("inner_import")
            m.error("'export' is not at the top level")
        return m.push("import" if kind == "import" else "export")
    if kind == "@":
        m.push("decorated")
        return m.push("decorator", 0)
    if m.context & AMBIENT:
        m.error("a statement stands where only declarations may")
    m.push("semi")
    m.push("e", COMMA, True, 0, "")
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
    if t.kind == ";":
        return True
    return statement(m, t)


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


def _begin_variables(m: Checker, t: Token) -> Literal[True]:
    m.push("semi")
    return m.push("vars", t.kind, False)


def _begin_while(m: Checker, t: Token) -> Literal[True]:
    _in_loop(m)
    m.push("one")
    return m.push("condition")


def _begin_do(m: Checker, t: Token) -> Literal[True]:
    _in_loop(m, "do_end")
    return m.push("one")


def _begin_for(m: Checker, t: Token) -> Literal[True]:
    m.open_scope("block")
    _in_loop(m, "for_end")
    m.push("one")
    return m.push("for")


def _in_loop(m: Checker, frame: str = "loop_end") -> None:
    m.push(frame, (m.context, m.labels))
    m.context |= LOOP


def _begin_return(m: Checker, t: Token) -> Literal[True]:
    if not m.context & IN_FUNCTION:
        m.error("'return' is not in a function")
    m.push("semi")
    return m.push("return")


def _begin_jump(m: Checker, t: Token) -> Literal[True]:
    m.push("semi")
    return m.push("jump", t.kind)


def _begin_with(m: Checker, t: Token) -> Literal[True]:
    if m.module:
        m.error("'with' is not in a script")
    m.push("one")
    return m.push("condition")


def _frames(*frames: Frame) -> Callable[[Checker, Token], Literal[True]]:
    def begin(m: Checker, t: Token) -> Literal[True]:
        for frame in frames:
            m.push(*frame)
        return True

    return begin


_STATEMENTS = {
    "{": _block,
    **dict.fromkeys(_KINDS, _begin_variables),
    "function": _frames(("declared_function",), ("function_name", False, False, False)),
    "class": _frames(("class_name", False, False)),
    "enum": _frames(("enum",)),
    "if": _frames(("else",), ("one",), ("condition",)),
    "while": _begin_while,
    "do": _begin_do,
    "for": _begin_for,
    "switch": _frames(("switch",), ("condition",)),
    "try": _frames(("try",), ("brace",)),
    "return": _begin_return,
    "throw": _frames(("semi",), ("e", COMMA, True, 0, "")),
    "break": _begin_jump,
    "continue": _begin_jump,
    "debugger": _frames(("semi",)),
    "with": _begin_with,
}


@takes
def _condition(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind != "(":
        raise Broken(t)
    m.replace("expect", ")")
    return expression(m, COMMA)


@takes
def _else(m: Checker, t: Token, f: Frame) -> bool:
    m.pop()
    if t.kind != "else":
        return False
    return m.push("one")


@takes
def _loop_end(m: Checker, t: Token, f: Frame) -> bool:
    m.context, m.labels = f[1]
    m.pop()
    return False


@takes
def _do_end(m: Checker, t: Token, f: Frame) -> bool:
    m.context, m.labels = f[1]
    if t.kind != "while":
        raise Broken(t)
    m.replace("semi")
    return m.push("condition")


@takes
def _for_end(m: Checker, t: Token, f: Frame) -> bool:
    m.context, m.labels = f[1]
    m.close_scope()
    m.pop()
    return False


@takes
def _for(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "await":
        if not m.context & (ASYNC | TOP):
            m.error("'await' is not in an async function")
        return True
    if t.kind != "(":
        raise Broken(t)
    return m.replace("for_first")


@takes
def _for_first(m: Checker, t: Token, f: Frame) -> bool:
    """What comes first in the brackets."""
    if t.kind in ("var", "let", "const"):
        m.replace("for_rest", False)
        return m.push("vars", t.kind, True)
    if t.kind == ";":
        return m.replace("for_rest", True)
    m.replace("for_left")
    expression(m, COMMA | NO_IN)
    return False


@takes
def _for_left(m: Checker, t: Token, f: Frame) -> bool:
    """Behind an expression that comes first."""
    m.replace("for_rest", False)
    if t.kind == "in" or (t.kind == "name" and t.text == "of"):
        for name in targets(m, ()):
            m.use(name, ASSIGNED)
    return False


@takes
def _for_rest(m: Checker, t: Token, f: Frame) -> bool:
    """Behind what comes first in the brackets."""
    if t.kind == ";":
        return True
    if t.kind == ")":
        return m.pop()
    if t.kind == "in" or (t.kind == "name" and t.text == "of" and not f[1]):
        m.replace("for_rest", True)
        return expression(m, COMMA)
    m.replace("for_rest", True)
    expression(m, COMMA)
    return False


@takes
def _switch(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the head of a switch."""
    if t.kind != "{":
        raise Broken(t)
    m.open_brace("block")
    m.open_scope("block")
    m.replace("cases", (m.context, m.labels))
    m.context |= SWITCH
    return True


@takes
def _cases(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "}":
        m.context, m.labels = f[1]
        m.close_scope()
        m.close_brace()
        return m.pop()
    if t.kind not in ("case", "default"):
        raise Broken(t)
    m.push("body", "case")
    m.push("expect", ":")
    if t.kind == "case":
        expression(m, COMMA)
    else:
        m.declare(".default", ONCE)
    return True


@takes
def _try(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the block of a try, or of its catch."""
    if t.kind == "catch":
        m.open_scope("block")
        return m.push("catch")
    m.pop()
    if t.kind == "finally":
        return m.push("brace")
    return False


@takes
def _catch(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "(":
        m.push("expect", ")")
        m.push("catch_type")
        return m.push("binding", CATCH)
    if t.kind != "{":
        raise Broken(t)
    m.open_brace("block")
    return m.replace("body", "block")


@takes
def _catch_type(m: Checker, t: Token, f: Frame) -> bool:
    m.pop()
    if t.kind == ":":
        return a_type(m)
    return False


@takes
def _brace(m: Checker, t: Token, f: Frame) -> bool:
    """A block comes next."""
    if t.kind != "{":
        raise Broken(t)
    m.pop()
    return _block(m, t)


@takes
def _return(m: Checker, t: Token, f: Frame) -> bool:
    m.pop()
    if t.newline or t.kind in (";", "}"):
        return False
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
    if not m.context & (LOOP if word == "continue" else LOOP | SWITCH):
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
    m.replace("loop_end", (m.context, m.labels))
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
        if m.context & AMBIENT and word != "const" and not m.context & IN_FUNCTION:
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
    if m.had_body or m.context & AMBIENT:
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
            if m.context & AMBIENT:
                m.error("a function that is declared only is not async")
            m.push("declared_function")
            return m.push("function_name", True, False, False)
        if m.ts:
            if word == "type" and kind == "name":
                check_type_name(m, t.text)
                m.declare(t.text, ALIAS)
                m.push("alias")
                m.open_scope("types")
                return True
            if word == "interface" and kind == "name":
                check_type_name(m, t.text)
                m.declare(t.text, INTERFACE)
                m.open_scope("class")
                return m.push("interface")
            if word in ("namespace", "module") and kind in ("name", "str"):
                if m.stack[0] not in _OUTERMOST and m.stack[0][0] != "loop_end":
                    m.error("a namespace is not at the top level")
                if kind == "name":
                    m.declare(t.text, NAMESPACE)
                return m.push("namespace", kind == "str", False)
            if word == "global" and kind == "{":
                m.push("namespace", True, True)
                return False
            if word == "abstract" and kind == "class":
                return m.push("class_name", False, True)
            if word == "declare" and kind in _DECLARED:
                if m.stack[0] not in _OUTERMOST:
                    m.error("'declare' is not at the top level")
                m.push("loop_end", (m.context, m.labels))
                m.context |= AMBIENT
                return statement(m, t)
    m.push("semi")
    m.push("e", COMMA | STATEMENT, True, NAME, word)
    return False


@takes
def _alias(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of `type`."""
    if t.kind == "<":
        return m.push("tparams")
    if t.kind != "=":
        raise Broken(t)
    m.replace("alias_end")
    return a_type(m)


@takes
def _alias_end(m: Checker, t: Token, f: Frame) -> bool:
    m.close_scope()
    m.pop()
    return t.kind == ";"


@takes
def _interface(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of an interface."""
    if t.kind == "<":
        return m.push("tparams")
    if t.kind in ("extends", ","):
        return a_type(m)
    if t.kind != "{":
        raise Broken(t)
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
    m.replace("loop_end", (m.context, m.labels))
    m.context &= AMBIENT
    m.labels = None
    m.open_brace("block")
    m.open_scope("global" if f[2] else "namespace")
    return m.push("body", "ambient" if f[1] else "namespace")


@takes
def _enum(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "name":
        check_type_name(m, t.text)
        m.declare(t.text, ENUM)
        return True
    if t.kind != "{":
        raise Broken(t)
    m.open_brace("enum")
    m.open_scope("members")
    return m.replace("enum_members")


@takes
def _enum_key(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the bracket of a member's name."""
    if t.kind not in ("str", "template"):
        m.error("the name of a member is computed")
    m.replace("expect", "]")
    expression(m)
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
            m.declare("." + name, FIELD)
            m.scope.names.setdefault(name, CONST)
    elif kind not in (",", "template"):
        raise Broken(t)
    return True
