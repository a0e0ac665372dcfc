"""Classes: heritage, members."""

from __future__ import annotations

from typing import Literal

from .....common.words import words_of
from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import HERITAGE, ITEM, SEMICOLON, is_word
from .kinds import At, Kind
from .literals import in_member, key_name, method
from .modifiers import check_member, kind_of_member
from .types import UNIQUE, a_type, check_type_name


@takes
def _class_name(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `class`. is_expression; is_abstract."""
    if m.ts and t.kind == "name" and t.text == "implements":
        return m.replace("class_implements", *f[1:])
    _class(m, t.text if t.kind == "name" else "", f)
    return t.kind == "name"


@takes
def _class_implements(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `class implements`, the name of the class unless a type follows."""
    if is_word(t):
        _class(m, "", f)
        a_type(m)
    else:
        _class(m, "implements", f)
    return False


def _class(m: Checker, name: str, f: Frame) -> None:
    """The head of a class comes next, behind its name; "" for none."""
    _, is_expression, is_abstract = f
    saved = m.context, m.labels
    m.context |= At.STRICT
    if name:
        check_type_name(m, name)
    if name and not is_expression:
        m.declare(name, Kind.CLASS)
    m.decorated(name)
    m.open_scope("class")
    if name and is_expression:
        m.declare(name, Kind.OWN | Kind.CLASS)
    if name:
        m.scope.names[_OWN + name] = Kind.EXPORT
    m.replace("class_head", False, is_abstract, saved)


@takes
def _class_head(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of a class. derived: whether it extends another. saved: the context to go back to."""
    _, derived, is_abstract, saved = f
    if t.kind == "<" and m.ts:
        return m.push("tparams")
    if t.kind == "extends":
        return m.become(("e", HERITAGE, False, 0, ""), ("class_head", True, is_abstract, saved))
    if m.ts and ((t.kind == "name" and t.text == "implements") or t.kind == ","):
        return a_type(m)
    t.must_be("{")
    m.open_brace("class")
    m.open_scope("members")
    m.replace("class_body", derived, saved, is_abstract)
    m.context = (m.context & At.LASTING) | in_member(m) | At.THIS
    m.labels = None
    return True


@takes
def _class_body(m: Checker, t: Token, f: Frame) -> bool:
    kind = t.kind
    if kind == "}":
        m.context, m.labels = f[2]
        m.close_scope()
        m.close_scope()
        m.close_brace()
        m.pop()
    elif kind != ";":
        m.push("class_member", (), "", f[1], f[3])
        return False
    return True


_OWN = "own "
"""Begins the note of a class's own name."""
_MODIFIERS = words_of("static get set async accessor public private protected readonly override abstract declare")
_ON_ITS_LINE = _MODIFIERS - {"static", "get", "set"}


_NOT_THERE = frozenset(["declare", "abstract"])
_NOT_DEFINITE = frozenset(["declare", "static", "abstract"])


@takes
def _class_member(m: Checker, t: Token, f: Frame) -> bool:
    """words: those before the name, of which the last may be it; name: "[" for a computed one, "[:" for an index signature.
    of_class: whether the class extends another, and whether it is abstract."""
    _, words, name, *of_class = f
    kind = t.kind
    if m.unready and (own := _own_names(m)):
        m.unready = tuple(each for each in m.unready if each not in own)
    if name:
        return _behind_name(m, t, f)
    last = words[-1] if words else ""
    is_name = kind in ("(", "=", ";", "}", "?", "!", ":", "<", ",") or (t.newline and last in _ON_ITS_LINE)
    if last and last not in "*@" and is_name:
        m.replace("class_member", words[:-1], last, *of_class)
        return False
    if last == "static" and kind == "{":
        return _static_block(m, words[:-1])
    if kind == "*":
        m.replace("class_member", (*words, "*"), "", *of_class)
    elif kind == "[":
        key = (("key", not _NOT_THERE.isdisjoint(words), None),) if m.ts else (ITEM, ("expect", "]"))
        m.become(*key, ("class_member", words, "[", *of_class))
        m.unready += _own_names(m)
    elif kind in ("str", "num"):
        m.replace("class_member", words, key_name(m, t), *of_class)
    elif kind == "private":
        m.replace("class_member", words, t.text, *of_class)
    elif kind == "@":
        m.replace("class_member", (*words, "@"), "", *of_class)
        m.push("decorator", 0)
    elif is_word(t):
        if t.text in _MODIFIERS and not (t.text == "static" and "static" in words):
            m.replace("class_member", (*words, t.text), "", *of_class)
        else:
            m.replace("class_member", words, t.text, *of_class)
    else:
        raise Broken(t)
    return True


def _own_names(m: Checker) -> tuple[str, ...]:
    """The name of the class whose members are read; it is not visible in their keys."""
    outer = m.scope.parent
    if outer is None or m.context & At.AMBIENT:
        return ()
    return tuple(name.removeprefix(_OWN) for name in outer.names if name.startswith(_OWN))


def _static_block(m: Checker, words: tuple[str, ...]) -> Literal[True]:
    check_member(m, words, "static", "block", may_be_abstract=True)
    m.open_brace("block")
    m.become(("body", "static"), ("scope_end",), ("scope_end",), m.restoring)
    m.open_scope("static")
    m.open_scope("static block")
    m.context = (m.context & At.LASTING) | in_member(m) | At.STATIC_BLOCK
    return True


def _behind_name(m: Checker, t: Token, f: Frame) -> bool:
    _, words, name, derived, is_abstract = f
    kind = t.kind
    if kind in ("?", "!") and not (kind == "!" and t.newline):
        if kind == "?" and "accessor" in words:
            m.error("an 'accessor' property is not optional")
        if kind == "!" and (m.context & At.AMBIENT or not _NOT_DEFINITE.isdisjoint(words)):
            m.error("'!' does not stand behind this field")
        return True
    is_constructor = name == "constructor" and "static" not in words
    own = kind_of_member(words, name, has_parameters=kind in ("(", "<"))
    check_member(m, words, name, own, may_be_abstract=is_abstract)
    m.pop()
    if "static" in words:
        m.push(*m.restoring)
        m.open_scope("static")
        m.context &= ~At.THIS
    if kind in ("(", "<"):
        if is_constructor and kind == "<":
            m.error("a constructor has no type parameters")
        getter = Kind.GET if "get" in words else Kind.SET if "set" in words else 0
        m.push("method_end", name, getter, words)
        method(m, words, is_constructor, derived, 0 if is_constructor else m.context & At.THIS)
        return False
    if words[-1:] in (("get",), ("set",), ("*",)):
        raise Broken(t)
    m.push("field", name, words, False)
    return False


def declare_member(m: Checker, name: str, kind: int, *, static: bool) -> None:
    """Declare a member of a class by its name; computed names do not count."""
    if name[0] == "#":
        m.declare(name, kind)
        m.scope.names[name] |= Kind.OWN
    elif name[0] != "[" and m.ts:
        m.declare(("static." if static else ".") + name, kind)


@takes
def _method_end(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a member with parameters."""
    _, name, getter, words = f
    static, is_abstract = "static" in words, "abstract" in words
    m.pop()
    if static:
        m.close_scope()
    if is_abstract and m.had_body:
        m.error(f"'{name}' is abstract and has a body")
    if not m.had_body and (("*" in words) or (getter and not is_abstract and not m.context & At.AMBIENT)):
        m.error(f"'{name}' has no body")
    if not m.had_body and "@" in words:
        m.error("a decorator stands before a method without a body")
    if name == "constructor" and not static:
        if m.had_body:
            m.declare(".constructor()", Kind.ONCE)
    else:
        declare_member(m, name, getter or (Kind.METHOD_BODY if m.had_body else Kind.METHOD), static=static)
    return t.kind == ";"


@takes
def _field(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of a field, or its type. words: before the name."""
    _, name, words, is_typed = f
    if t.kind == ":" and m.ts:
        m.replace("field", name, words, True)
        return a_type(m, UNIQUE if "static" in words and "readonly" in words else 0)
    is_static = "static" in words
    if is_static:
        m.close_scope()
    declare_member(m, name, Kind.FIELD, static=is_static)
    if t.kind == "=":
        if "abstract" in words:
            m.error(f"'{name}' is abstract and has a value")
        elif (m.context & At.AMBIENT or "declare" in words) and (is_typed or "readonly" not in words):
            m.error(f"'{name}' is declared only and has a value")
        if is_static:
            m.become(ITEM, ("scope_end",), m.restoring, SEMICOLON)
            m.open_scope("static")
        else:
            value = ("ambient_value", "") if m.context & At.AMBIENT else ITEM
            m.become(value, m.restoring, SEMICOLON)
        m.context = (m.context & (At.LASTING | At.THIS)) | in_member(m) | At.FIELD_VALUE
        m.context |= At.AT_ONCE if is_static else 0
        return True
    m.pop()
    return t.kind == ";"
