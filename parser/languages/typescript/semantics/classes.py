"""Classes: heritage, members."""

from __future__ import annotations

from .....common.words import words_of
from .automaton import At, Broken, Checker, Frame, Kind, Token, takes
from .expressions import HERITAGE, ITEM, SEMICOLON, is_word
from .literals import in_member, key_name, method
from .types import a_type, check_type_name


@takes
def _class_name(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `class`. is_expression; is_abstract."""
    _, is_expression, is_abstract = f
    named = t.kind == "name" and not (t.text == "implements" and m.ts)
    if named:
        check_type_name(m, t.text)
    if named and not is_expression:
        m.declare(t.text, Kind.CLASS)
    m.open_scope("class")
    if named and is_expression:
        m.declare(t.text, Kind.OWN | Kind.CLASS)
    m.replace("class_head", False, is_abstract)
    return named


@takes
def _class_head(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of a class. derived: does it extend another?"""
    _, derived, is_abstract = f
    if t.kind == "<" and m.ts:
        return m.push("tparams")
    if t.kind == "extends":
        return m.become(("e", HERITAGE, False, 0, ""), ("class_head", True, is_abstract))
    if m.ts and ((t.kind == "name" and t.text == "implements") or t.kind == ","):
        return a_type(m)
    t.must_be("{")
    m.open_brace("class")
    m.open_scope("members")
    saved = m.context, m.labels
    m.replace("class_body", derived, saved, is_abstract)
    m.context = (m.context & At.AMBIENT) | in_member(m)
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
    elif kind == "@":
        m.push("decorator", 0)
    elif kind != ";":
        m.push("class_member", (), "", f[1])
        if kind == "name" and t.text == "abstract" and not f[3]:
            m.push("abstract_member")
        return False
    return True


@takes
def _abstract_member(m: Checker, t: Token, f: Frame) -> bool:
    """A member of a class that is not abstract begins with `abstract`, which may be its name."""
    if len(f) == 1:
        return m.replace("abstract_member", True)
    if is_word(t) or t.kind in ("[", "str", "num"):
        if not t.newline:
            m.error("a class with abstract members is not abstract")
    m.pop()
    _, words, name, derived = m.stack[0]
    m.replace("class_member", (*words, "abstract"), name, derived)
    return False


_MODIFIERS = words_of("static get set async accessor public private protected readonly override abstract declare")
_ON_ITS_LINE = _MODIFIERS - {"static", "get", "set"}


@takes
def _class_member(m: Checker, t: Token, f: Frame) -> bool:
    """words: those before the name, of which the last may be it; name: which, "[" for one that is computed."""
    _, words, name, derived = f
    kind = t.kind
    if name:
        return _behind_name(m, t, words, name, derived)
    last = words[-1] if words else ""
    is_name = kind in ("(", "=", ";", "}", "?", "!", ":", "<", ",") or (t.newline and last in _ON_ITS_LINE)
    if last and last != "*" and is_name:
        m.replace("class_member", words[:-1], last, derived)
        return False
    if last == "static" and kind == "{":
        m.open_brace("block")
        m.become(("body", "static"), ("scope_end",), m.restoring)
        m.open_scope("function")
        m.context = in_member(m) | At.STATIC_BLOCK
        return True
    if kind == "*":
        m.replace("class_member", (*words, "*"), "", derived)
    elif kind == "[":
        key = (("key", False, None),) if m.ts else (ITEM, ("expect", "]"))
        m.become(*key, ("class_member", words, "[", derived))
    elif kind in ("str", "num"):
        m.replace("class_member", words, key_name(t), derived)
    elif kind == "private":
        m.replace("class_member", words, t.text, derived)
    elif kind == "@":
        m.push("decorator", 0)
    elif is_word(t):
        if t.text in _MODIFIERS:
            m.replace("class_member", (*words, t.text), "", derived)
        else:
            m.replace("class_member", words, t.text, derived)
    else:
        raise Broken(t)
    return True


def _behind_name(m: Checker, t: Token, words: tuple[str, ...], name: str, derived: bool) -> bool:
    kind = t.kind
    if kind in ("?", "!") and not (kind == "!" and t.newline):
        if kind == "?" and "accessor" in words:
            m.error("an 'accessor' property is not optional")
        return True
    is_constructor = name == "constructor" and "static" not in words
    check_modifiers(m, words, name, has_parameters=kind in ("(", "<"))
    if kind in ("(", "<"):
        m.pop()
        if is_constructor and kind == "<":
            m.error("a constructor has no type parameters")
        getter = Kind.GET if "get" in words else Kind.SET if "set" in words else 0
        m.push("method_end", name, getter, "static" in words, "abstract" in words)
        method(m, words, is_constructor, derived)
        return False
    if words[-1:] in (("get",), ("set",), ("async",), ("*",)):
        raise Broken(t)
    m.replace("field", name, "static" in words, "abstract" in words or bool(m.context & At.AMBIENT))
    return False


_ACCESS = ("public", "private", "protected")
_ORDER = {
    **dict.fromkeys(_ACCESS, ("override", "static", "accessor", "readonly", "async")),
    "static": ("readonly", "async", "accessor", "override"),
    "override": ("readonly", "accessor", "async"),
    "abstract": ("override", "accessor"),
}
"""What may not stand before a modifier."""
_APART = (
    ("abstract", "private"),
    ("abstract", "static"),
    ("abstract", "async"),
    ("accessor", "readonly"),
    ("accessor", "declare"),
    ("declare", "override"),
)
_ON_FIELDS = ("readonly", "declare", "accessor")


def check_modifiers(m: Checker, words: tuple[str, ...], name: str, *, has_parameters: bool) -> None:
    """May these words stand before a member of that name?"""
    if name == "#constructor":
        m.error("'#constructor' is no name")
    if not words:
        return
    is_constructor = name == "constructor" and "static" not in words
    if is_constructor and has_parameters and not {"get", "set", "async", "*"}.isdisjoint(words):
        m.error("a constructor is no accessor, async or generator")
    if not m.ts:
        return
    if len(set(words)) < len(words) or sum(word in _ACCESS for word in words) > 1:
        m.error("a modifier stands twice")
    for at, word in enumerate(words):
        if any(before in _ORDER.get(word, ()) for before in words[:at]):
            m.error(f"'{word}' must stand before other modifiers")
    for one, other in _APART:
        if one in words and other in words:
            m.error(f"'{one}' and '{other}' do not go together")
    if has_parameters and any(word in words for word in _ON_FIELDS):
        m.error("a modifier of fields stands before a method")
    if has_parameters and name == "constructor" and ("static" in words or "abstract" in words):
        m.error("a constructor is neither static nor abstract")
    if name[0] == "#" and any(word in (*_ACCESS, "declare", "abstract") for word in words):
        m.error("a modifier stands before a private name")


def declare_member(m: Checker, name: str, kind: int, *, static: bool) -> None:
    """A member of a class, by its name; one that is computed counts for nothing."""
    if name[0] == "#":
        m.declare(name, kind)
        m.scope.names[name] |= Kind.OWN
    elif name != "[" and m.ts:
        m.declare(("static." if static else ".") + name, kind)


@takes
def _method_end(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a member with parameters."""
    _, name, getter, static, is_abstract = f
    m.pop()
    if is_abstract and m.had_body:
        m.error(f"'{name}' is abstract and has a body")
    if name == "constructor" and not static:
        if m.had_body:
            m.declare(".constructor()", Kind.ONCE)
    else:
        declare_member(m, name, getter or (Kind.METHOD_BODY if m.had_body else Kind.METHOD), static=static)
    return t.kind == ";"


@takes
def _field(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the name of a field."""
    _, name, static, without_value = f
    if t.kind == ":" and m.ts:
        return a_type(m)
    declare_member(m, name, Kind.FIELD, static=static)
    if t.kind == "=":
        if without_value and name[:1] != "#" and "abstract" not in name and not m.context & At.AMBIENT:
            m.error(f"'{name}' is abstract and has a value")
        m.become(ITEM, m.restoring, SEMICOLON)
        m.context = in_member(m) | At.FIELD_VALUE
        return True
    m.pop()
    return t.kind == ";"
