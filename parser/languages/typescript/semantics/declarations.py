"""Declarations: variables, functions, types, namespaces, enums."""

from __future__ import annotations

from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import COMMA, ITEM, NAME, NO_IN, SEMICOLON, STATEMENT, expression, is_word
from .kinds import At, Kind
from .literals import key_name
from .statements import DECLARED, KINDS, OUTERMOST, check_ambient, statement
from .types import TYPE, UNIQUE, a_type, check_type_name, object_type


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
    if m.ts and t.kind != "name":
        m.push("maybe", ":", TYPE)
    m.push("binding", KINDS[word])
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
        m.replace("var_rest", word, in_for, "=")
        m.unready, m.binding = m.binding, ()
        return expression(m, NO_IN if in_for else 0)
    if m.ts and t.kind == "!" and not t.newline:
        return m.replace("var_rest", word, in_for, "!")
    if m.ts and t.kind == ":":
        if len(f) == 4:
            m.replace("var_rest", word, in_for, ":")
        return a_type(m, UNIQUE if word == "const" and not in_for else 0)
    is_head = t.kind == "in" or (t.kind == "name" and t.text == "of" and not t.newline)
    if m.ts and word == "const" and f[3:] != ("=",) and not is_head and not m.context & At.AMBIENT:
        m.error("a constant has no value")
    m.unready, m.binding = m.binding if is_head and in_for else (), ()
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
    """A statement begins with a word that may be a name. The next token tells."""
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
                if m.stack[0] not in OUTERMOST and m.stack[0][0] != "restore":
                    m.error("a namespace is not at the top level")
                if kind == "str" and not m.context & At.AMBIENT:
                    m.error("a module with a quoted name is not declared only")
                if kind == "name":
                    m.declare(t.text, Kind.NAMESPACE)
                return m.push("namespace", kind == "str", False)
            if word == "global" and kind == "{":
                m.push("namespace", True, True)
                return False
            if word == "abstract" and kind == "class":
                return m.push("class_name", False, True)
            if word == "declare" and kind in DECLARED:
                if m.stack[0] not in OUTERMOST:
                    m.error("'declare' is not at the top level")
                if m.context & At.AMBIENT and m.scope.parent is not None:
                    m.error("'declare' stands where all is declared only")
                m.push(*m.restoring)
                m.context |= At.AMBIENT
                return statement(m, t)
    check_ambient(m)
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
def _namespace(m: Checker, t: Token, f: Frame) -> bool:
    """Take the token behind the name of a namespace; ambient: whether it is a module that is declared; is_global: whether it belongs to all files."""
    if t.kind == ".":
        return True
    if t.kind == "name":
        m.check_name(t.text)
        return True
    if t.kind != "{":
        if not f[1]:
            raise Broken(t)
        m.pop()  # declare module "x";
        return t.kind == ";"
    m.replace(*m.restoring)
    m.context &= At.LASTING
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
