"""Types: operators, members, parameters of types."""

from __future__ import annotations

from typing import Literal

from .....common.words import words_of
from .automaton import AMBIENT, FIELD, METHOD, SPACE, TPARAM, TYPE, VALUE, Broken, Checker, Frame, Token, takes
from .expressions import NAME as E_NAME
from .expressions import expression, is_word, key_name

PREDICATE, TUPLE, NO_CONDITION, SCOPED, CONDITION = 1, 2, 4, 8, 16
"""Of a type: it may be `x is T`; it is an element of a tuple; it has a scope of its own, for what it infers; it has `extends`."""
NAME, OTHER, OPTIONAL, ENTITY = 1, 2, 3, 4
"""What stands before: a name alone; a type; a name and `?` in a tuple; what `typeof` is of, or a name with points."""
_BUILT_IN = words_of("any unknown never string number boolean symbol bigint object undefined intrinsic asserts")
_PREFIXES = frozenset(["keyof", "unique", "readonly"])
_SIMPLE = frozenset(["void", "null", "true", "false", "this", "str", "num", "template", "undefined"])
_BEGINS = words_of("name ( [ { typeof import new void null true false this str num template head - <")


_RESERVED = frozenset(
    ["any", "unknown", "never", "number", "bigint", "boolean", "string", "symbol", "void", "object", "undefined"]
)


def check_type_name(m: Checker, name: str) -> None:
    """May a type be called so?"""
    if m.ts and name in _RESERVED:
        m.error(f"'{name}' is no name for a type")


def a_type(m: Checker, flags: int = 0) -> Literal[True]:
    """One comes next."""
    return m.push("t", flags, 0, "")


def _name_over(m: Checker, after: int, name: str, space: int = TYPE) -> None:
    if after in (NAME, OPTIONAL) and name and name not in _BUILT_IN and (name != "const" or space != TYPE):
        m.use(name, space)


@takes
def _t(m: Checker, t: Token, f: Frame) -> bool:
    """after: what stands before; name: which name."""
    _, flags, after, name = f
    kind = t.kind
    if not after:
        return _begin(m, t, flags)
    if after == NAME:
        if kind == "name" and not t.newline:
            if name in _PREFIXES or name == "asserts":
                if name == "asserts" and flags & PREDICATE:
                    m.use(t.text, VALUE)
                    m.replace("t", flags, OTHER, "asserts")
                else:
                    m.replace("t", flags, 0, "")
                    return False
                return True
            if name == "infer":
                m.infer(t.text)
                return m.replace("t", flags, OTHER, "")
            if t.text == "is" and flags & PREDICATE:
                m.use(name, VALUE)
                return m.replace("t", flags, 0, "")
        elif (
            name in _PREFIXES and kind in _BEGINS and kind != "<" and not (t.newline and kind in ("[", "(", "{"))
        ) or (name == "abstract" and kind == "new"):
            m.replace("t", flags, 0, "")
            return False
        elif name == "asserts" and kind == "this":
            return m.replace("t", flags, OTHER, "asserts")
        if kind == ".":
            _name_over(m, after, name, SPACE)
            m.replace("t", flags, ENTITY, "")
            return m.push("member", ".")
        if flags & TUPLE and kind == ":":
            return m.replace("t", flags & ~TUPLE, 0, "")
        if flags & TUPLE and kind == "?":
            return m.replace("t", flags, OPTIONAL, name)
    elif after == OPTIONAL:
        if kind == ":":
            return m.replace("t", flags & ~TUPLE, 0, "")
        _name_over(m, after, name)
        _end(m, flags)
        return False
    elif after == ENTITY and kind == ".":
        return m.push("member", ".")
    elif after == OTHER and name in ("asserts", "this") and kind == "name" and t.text == "is" and not t.newline:
        return m.replace("t", flags, 0, "")
    if kind in ("|", "&"):
        _name_over(m, after, name)
        return m.replace("t", flags & ~PREDICATE, 0, "")
    if kind == "[" and not t.newline:
        _name_over(m, after, name)
        m.replace("t", flags, OTHER, "")
        return m.push("t_index")
    if kind == "<" and not t.newline and after in (NAME, ENTITY):
        _name_over(m, after, name)
        m.replace("t", flags, OTHER, "")
        return m.push("targs")
    if kind == "extends" and not t.newline and not flags & NO_CONDITION:
        _name_over(m, after, name)
        _scoped(m, flags)
        return m.replace("t", m.stack[0][1] | CONDITION, 0, "")
    if kind == "?" and flags & CONDITION:
        _name_over(m, after, name)
        m.replace("t", flags, 0, "")
        m.push("expect", ":")
        return a_type(m)
    _name_over(m, after, name)
    _end(m, flags)
    return False


def _scoped(m: Checker, flags: int) -> None:
    if not flags & SCOPED:
        m.open_scope("types")
        frame = m.stack[0]
        m.replace("t", flags | SCOPED, *frame[2:])


def _end(m: Checker, flags: int) -> None:
    if flags & SCOPED:
        m.close_scope()
    m.pop()


def _begin(m: Checker, t: Token, flags: int) -> bool:
    kind = t.kind
    if kind == "name":
        m.replace("t", flags, NAME, t.text)
    elif kind in _SIMPLE:
        m.replace("t", flags, OTHER, "this" if kind == "this" else "")
    elif kind in ("|", "&", "-"):
        pass
    elif kind == "(":
        other = m.fork()
        other.replace("t", flags, OTHER, "")
        function_type(other)
        other.push("params", False)
        m.replace("t", flags & ~TUPLE, OTHER, "")
        m.push("expect", ")")
        a_type(m)
    elif kind == "<":
        m.replace("t", flags, OTHER, "")
        function_type(m)
        m.push("expect", "(", True)
        m.push("tparams")
    elif kind == "new":
        m.replace("t", flags, OTHER, "")
        function_type(m)
        m.push("type_parameters")
    elif kind == "{":
        m.replace("t", flags, OTHER, "")
        object_type(m)
    elif kind == "[":
        m.replace("t", flags, OTHER, "")
        m.push("tuple")
    elif kind == "typeof":
        m.replace("t", flags, ENTITY, "")
        m.push("type_query")
    elif kind == "import":
        m.replace("t", flags, ENTITY, "")
        m.push("import_type")
    elif kind == "head":
        m.replace("t", flags, OTHER, "")
        m.open_brace("template")
        m.push("type_template")
        a_type(m)
    elif kind == "asserts":
        m.replace("t", flags, NAME, "asserts")
    else:
        raise Broken(t)
    return True


def function_type(m: Checker) -> None:
    """The parameters of one come next, after `<...>` if it has any."""
    m.open_scope("function")
    m.push("function_type")


@takes
def _type_parameters(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `new` in a type."""
    if t.kind == "<":
        return m.push("tparams")
    if t.kind != "(":
        raise Broken(t)
    return m.replace("params", False)


@takes
def _function_type(m: Checker, t: Token, f: Frame) -> bool:
    if len(f) == 1:
        if t.kind != "=>" or t.newline:
            raise Broken(t)
        m.replace("function_type", True)
        return a_type(m, PREDICATE)
    m.close_scope()
    m.pop()
    return False


@takes
def _t_index(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the bracket of `T[]` or `T[K]`."""
    m.pop()
    if t.kind == "]":
        return True
    m.push("expect", "]")
    a_type(m)
    return False


@takes
def _targs(m: Checker, t: Token, f: Frame) -> bool:
    """The arguments of a type, behind `<`."""
    if t.kind == ">":
        return m.pop()
    if t.kind == ",":
        return True
    a_type(m)
    return False


@takes
def _tparams(m: Checker, t: Token, f: Frame) -> bool:
    """The parameters of a type, behind `<`."""
    if t.kind == ">":
        m.pop()
    elif t.kind == "name":
        m.push("tparam", t.text, False)
    elif t.kind not in (",", "const", "in"):
        raise Broken(t)
    return True


@takes
def _tparam(m: Checker, t: Token, f: Frame) -> bool:
    _, name, has_default = f
    if name is not None:
        if name == "out" and t.kind == "name":
            return m.replace("tparam", t.text, False)
        m.declare(name, TPARAM)
        m.replace("tparam", None, False)
    if t.kind in ("extends", "="):
        m.replace("tparam", None, t.kind == "=")
        return a_type(m)
    if t.kind not in (",", ">"):
        raise Broken(t)
    m.pop()
    if m.stack[0] == ("tparams", True) and not has_default:
        m.error("a required parameter of a type is behind an optional one")
    if has_default:
        m.replace("tparams", True)
    return False


@takes
def _tuple(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "]":
        m.pop()
    elif t.kind not in (",", "...", "?"):
        if is_word(t) and t.kind not in _BEGINS:  # the name of an element
            return m.push("t", TUPLE, NAME, t.text)
        a_type(m, TUPLE)
        return False
    return True


@takes
def _type_query(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `typeof`."""
    m.pop()
    if t.kind == "import":
        m.push("import_type")
    elif t.kind == "name":
        m.use(t.text, VALUE)
    elif t.kind != "this":
        raise Broken(t)
    return True


@takes
def _import_type(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `import` in a type."""
    if t.kind != "(":
        raise Broken(t)
    return m.replace("args")


@takes
def _type_template(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "middle":
        a_type(m)
    elif t.kind == "tail":
        m.close_brace()
        m.pop()
    else:
        raise Broken(t)
    return True


# -- members


def object_type(m: Checker) -> Literal[True]:
    """Behind the brace of one, or of an interface."""
    m.open_brace("type")
    m.open_scope("members")
    return m.push("type_members")


@takes
def _type_members(m: Checker, t: Token, f: Frame) -> bool:
    kind = t.kind
    if kind == "}":
        m.close_scope()
        m.close_brace()
        m.pop()
    elif kind in (";", ",", "+", "-"):
        pass
    else:
        m.push("type_member", "", "")
        return False
    return True


@takes
def _type_member(m: Checker, t: Token, f: Frame) -> bool:
    """word: one before the name that may be it; name: which, "[" where it is computed."""
    _, word, name = f
    kind = t.kind
    if not name:
        if kind in ("(", "<"):
            if word in ("", "new"):
                m.pop()
                signature(m)
                return False
            m.replace("type_member", "", word)
            return False
        if kind == "[" and word != "new":
            m.replace("type_member", "", "[")
            return m.push("type_key")
        if word and (kind in (":", "?", ";", ",", "}") or t.newline):
            m.replace("type_member", "", word)
            return False
        if kind in ("str", "num"):
            m.replace("type_member", word, key_name(t))
        elif is_word(t) or kind == "private":
            if t.text in ("readonly", "get", "set", "new") and not word:
                m.replace("type_member", t.text, "")
            else:
                m.replace("type_member", word, t.text)
        else:
            raise Broken(t)
        return True
    if kind in ("?", "+", "-"):
        return True
    if kind in ("(", "<"):
        m.pop()
        if name != "[" and word not in ("get", "set"):
            m.declare("." + name, METHOD)
        signature(m)
        return False
    if kind == ":" or name != "[":
        if name not in ("[", "\0"):
            m.declare("." + name, FIELD)
        m.replace("type_member", "", "\0")
        if kind == ":" and name != "\0":
            return a_type(m)
    m.pop()
    return False


def signature(m: Checker) -> None:
    """`(...): T` of a member."""
    saved = m.context, m.labels
    m.open_scope("function")
    m.push("fn", 0, saved, m.context | AMBIENT, "signature")


@takes
def _type_key(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the bracket before a member: of an index signature, of a mapped type, or a computed name."""
    if len(f) == 1:
        if t.kind == "name":
            return m.replace("type_key", t.text)
        m.replace("expect", "]")
        expression(m)
        return False
    name = f[1]
    if t.kind == ":":
        m.replace("expect", "]")
        return a_type(m)
    if t.kind == "in":
        m.declare(name, TPARAM)
        m.replace("type_key_end")
        return a_type(m)
    m.replace("expect", "]")
    m.push("e", 0, False, E_NAME, name)
    return False


@takes
def _type_key_end(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the types of a mapped type's key."""
    if t.kind == "name" and t.text == "as":
        return a_type(m)
    if t.kind != "]":
        raise Broken(t)
    return m.pop()
