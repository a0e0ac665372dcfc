"""Declarations: variables, functions, types, namespaces, enums."""

from __future__ import annotations

from .....common.words import words_of
from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import COMMA, EXPRESSION, ITEM, NAME, NO_IN, OTHER, SEMICOLON, STATEMENT, expression, is_word, read
from .kinds import PART_OF, At, Kind
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
        return m.push("enum", True)
    m.binding = ()
    if t.kind == "name":
        m.replace("var_rest", word, in_for)
    else:
        m.replace("var_rest", word, in_for, "{")
        m.push("maybe", ":", TYPE)
    m.push("binding", KINDS[word])
    return False


@takes
def _var_rest(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a name or pattern; a fourth part: "{" behind a pattern, "!" behind that sign, ":!" behind a type after it, ":" behind
    another type, "=" behind a value."""
    word, in_for = f[1:3]
    part = f[3] if len(f) == 4 else ""
    if part == "!" and t.kind != ":":
        m.error("a variable with '!' has no type")
    if t.kind == "=":
        if part in ("!", ":!"):
            m.error("a variable with '!' has a value")
        m.replace("var_rest", word, in_for, "=")
        m.unready, m.binding = m.binding, ()
        if m.context & At.AMBIENT and not m.context & At.IN_FUNCTION:
            if word == "const" and not part:
                return m.push("ambient_value", "")
            m.error("a variable that is declared only has a value")
        return expression(m, NO_IN if in_for else 0)
    if m.ts and t.kind == "!" and not t.newline:
        return m.replace("var_rest", word, in_for, "!")
    if m.ts and t.kind == ":" and part != "=":
        m.replace("var_rest", word, in_for, ":!" if part == "!" else ":")
        return a_type(m, UNIQUE if word == "const" and not in_for else 0)
    is_head = in_for and (t.kind == "in" or (t.kind == "name" and t.text == "of"))
    if part != "=" and not is_head:
        if word == "const" and not m.context & At.AMBIENT:
            m.error("a constant has no value")
        elif part == "{" and not m.context & At.AMBIENT:
            m.error("a pattern has no value")
    if is_head and t.kind == "in" and part == "{" and m.ts:
        m.error("a pattern stands before 'in' in the head of a 'for'")
    m.unready, m.binding = m.binding if is_head else (), ()
    if t.kind == ",":
        return m.replace("vars", word, in_for)
    m.pop()
    return False


@takes
def _ambient_value(m: Checker, t: Token, f: Frame) -> bool:
    """Read the value of an ambient constant: a literal, or a member of an enum. read: "" for nothing, "-", "name", or "literal"."""
    read_ = f[1]
    if not read_ and t.kind in ("str", "num", "template", "true", "false", "-"):
        return m.replace("ambient_value", "-" if t.kind == "-" else "literal")
    if read_ == "-" and t.kind == "num":
        return m.replace("ambient_value", "literal")
    if not read_ and t.kind == "name":
        read(m, t.text)
        return m.replace("ambient_value", "name")
    if read_ in ("name", "member"):
        m.replace("ambient_value", "member")
        if t.kind == ".":
            return m.push("member", ".")
        if t.kind == "[":
            return m.begin(EXPRESSION, ("expect", "]"))
    if read_ in ("literal", "member") and (t.newline or t.kind in (",", ";", "}", "")):
        m.pop()
        return False
    m.error("the value of a constant that is declared only is no literal")
    m.replace("e", 0, not read_, OTHER if read_ not in ("", "-") else 0, "")
    return False


@takes
def _declared_function(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a declared function: without a body, it is an overload, and another part must follow, whose name is known only then."""
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
    """Behind a word at the beginning of a statement that may be a name; the next token tells."""
    word = f[1]
    m.pop()
    kind = t.kind
    is_declared = m.stack[0][0] == "restore" and m.context & At.AMBIENT
    if not t.newline or (is_declared and (word, kind) in (("global", "{"), ("abstract", "class"))):
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
                    if word == "module" and m.major >= 6:
                        m.error("a namespace is declared by 'module'")
                    m.declare(t.text, Kind.NAMESPACE)
                return m.push("namespace", kind == "str", False, "" if kind == "str" else t.text)
            if word == "global" and kind == "{":
                if not m.context & At.AMBIENT:
                    m.error("what all files share is declared without 'declare'")
                m.push("namespace", True, True, "")
                return False
            if word == "abstract" and kind == "class":
                return m.push("class_name", False, True)
            if word == "declare" and (kind in DECLARED or kind == "@"):
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
    return object_type(m, At.THIS)


@takes
def _namespace(m: Checker, t: Token, f: Frame) -> bool:
    """Take the token behind the name of a namespace; ambient: whether it is a `declare module`; is_global: whether it belongs to all files;
    name: its names, with points."""
    if t.kind == ".":
        return True
    if t.kind == "name":
        m.check_name(t.text)
        return m.replace(*f[:3], f"{f[3]}.{t.text}")
    if t.kind != "{":
        if not f[1]:
            raise Broken(t)
        m.pop()  # declare module "x";
        return t.kind == ";"
    m.replace(*m.restoring)
    m.context &= At.LASTING
    m.labels = None
    m.exporting = False
    m.open_brace("block")
    m.open_scope("global" if f[2] else "augmented" if f[1] else "namespace")
    if f[3]:
        m.note(PART_OF + f[3])
    return m.push("body", "ambient" if f[1] else "namespace")


@takes
def _enum(m: Checker, t: Token, f: Frame) -> bool:
    """is_const: whether it is a `const enum`; name."""
    if t.kind == "name":
        check_type_name(m, t.text)
        m.declare(t.text, Kind.ENUM | (Kind.DECLARED if f[1] else 0))
        return m.replace("enum", f[1], t.text)
    t.must_be("{")
    m.open_brace("enum")
    m.open_scope("enum")
    m.note(f"{PART_OF}{f[2] if len(f) == 3 else ''}!")
    return m.replace("enum_members", bool(f[1]) or not m.context & At.AMBIENT, False)


@takes
def _enum_key(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the bracket of a member's name."""
    if t.kind == "str":
        _member_of_enum(m, key_name(m, t))
    elif t.kind != "template":
        m.error("the name of a member is computed")
    m.become(ITEM, ("expect", "]"))
    return False


@takes
def _enum_members(m: Checker, t: Token, f: Frame) -> bool:
    """counted: whether a member without a value is the one before plus one; needed: whether the last value is no number, so the next
    member needs one."""
    _, counted, needed = f
    kind = t.kind
    if needed == "next" and kind in (",", "}"):
        m.error("a member of an enum has no value, and the one before it is no number")
    if kind == "}":
        m.close_scope()
        m.close_brace()
        m.pop()
    elif kind == "=":
        m.replace("enum_members", counted, False)
        return m.push("enum_value", "")
    elif kind == ",":
        m.replace("enum_members", counted, needed is True)
    elif kind == "[":
        m.push("enum_key")
    elif is_word(t) or kind in ("str", "num"):
        name = key_name(m, t) if kind in ("str", "num") else t.text
        if kind == "num" or name.isdigit():
            m.error("a member of an enum has a number for a name")
        _member_of_enum(m, name)
        if needed:
            m.replace("enum_members", counted, "next")
    elif kind != "template":
        raise Broken(t)
    return True


def _member_of_enum(m: Checker, name: str) -> None:
    if name != "[":
        m.declare("." + name, Kind.FIELD)
        m.scope.names.setdefault(name, Kind.CONST | Kind.DECLARED)


_NO_NUMBER = words_of("str template head regex [ { function class new this null true false ! void typeof")
"""First tokens of a value that is no constant number."""


@takes
def _enum_value(m: Checker, t: Token, f: Frame) -> bool:
    """The value of a member of an enum; name: its first token, if that is a name."""
    name = f[1]
    if not name and t.kind == "name":
        return m.replace("enum_value", t.text)
    m.replace("e", 0, True, NAME if name else 0, name)
    if t.kind in _NO_NUMBER or (name and t.kind == "("):
        own, (members, rest) = m.stack
        m.stack = own, ((members[0], members[1], members[1]), rest)
    return False
