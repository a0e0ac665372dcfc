"""Types: operators, members, parameters of types."""

from __future__ import annotations

from typing import Literal

from .....common.words import words_of
from .automaton import Broken, Checker, Frame, Mark, Stack, Token, takes
from .expressions import ARGUMENTS, GENERIC_PARAMETERS, TYPE_ARGUMENTS, is_arguments, is_word
from .kinds import BROUGHT, INFERRED, At, Kind, Use

PREDICATE, TUPLE, NO_CONDITION, SCOPED, CONDITION, EXTENDED, UNIQUE, OPERAND, PART = 1, 2, 4, 8, 16, 32, 64, 128, 256
"""A type's flags: it may be `x is T`; it is an element of a tuple; it has a scope of its own, for inferred names; it has `extends`,
the outermost one; it may be `unique symbol`; `keyof` or the like stands before it, so it is no function; it is a part
of a union or intersection, where a function has brackets around it."""
NAME, OTHER, OPTIONAL, ENTITY = 1, 2, 3, 4
"""The part of a type read so far: a name alone; a type; a name and `?` in a tuple; the operand of `typeof`, or a name with points."""
_BUILT_IN = words_of("any unknown never string number boolean symbol bigint object undefined intrinsic asserts")
_PREFIXES = frozenset(["keyof", "unique", "readonly"])
_SIMPLE = frozenset(["void", "null", "true", "false", "this", "str", "num", "template", "undefined"])
_BEGINS = words_of("name ( [ { typeof import new void null true false this str num template head - <")


_RESERVED = frozenset(
    ["any", "unknown", "never", "number", "bigint", "boolean", "string", "symbol", "void", "object", "undefined"]
)


def check_type_name(m: Checker, name: str) -> None:
    """Refuse a name no type may have."""
    if m.ts and name in _RESERVED:
        m.error(f"'{name}' is no name for a type")


TYPE = ("t", 0, 0, "")


def a_type(m: Checker, flags: int = 0) -> Literal[True]:
    """A type comes next."""
    return m.push("t", flags, 0, "")


def _name_over(m: Checker, after: int, name: str, space: int = Use.TYPE) -> None:
    if after in (NAME, OPTIONAL) and name and name not in _BUILT_IN and (name != "const" or space != Use.TYPE):
        m.use(name, space)


@takes
def _t(m: Checker, t: Token, f: Frame) -> bool:
    """Read a type. after: the part read so far; name: its name."""
    _, flags, after, name = f
    kind = t.kind
    if not after:
        return _begin(m, t, flags)
    if after == NAME:
        taken = _behind_name(m, t, flags, name)
        if taken is not None:
            return taken
    elif after == OPTIONAL:
        if kind == ":":
            return _named_element(m, flags, name)
        _name_over(m, after, name)
        _end(m, flags)
        return False
    elif after == ENTITY and kind == ".":
        return m.push("member", ".")
    elif after == OTHER and _is_predicate(t, name):
        return m.replace("t", flags, 0, "")
    if after == OTHER and name == "this" and flags & PREDICATE:
        _check_this(m)
    if name == "unique" and after == OTHER and _goes_on(t, flags):
        _check_unique(m, 0)
    if kind in ("|", "&"):
        m.shape = _UNION
        _name_over(m, after, name)
        return m.replace("t", flags & ~(PREDICATE | UNIQUE | OPERAND) | PART, 0, "")
    if kind == "[" and not t.newline:
        _name_over(m, after, name)
        m.replace("t", flags, OTHER, "")
        return m.push("t_index")
    if kind == "<" and not t.newline and after in (NAME, ENTITY):
        _name_over(m, after, name)
        m.replace("t", flags, OTHER, "")
        return m.push(*TYPE_ARGUMENTS)
    if kind == "extends" and not t.newline and not flags & NO_CONDITION:
        _name_over(m, after, name)
        _scoped(m, flags)
        flags = m.stack[0][1] & ~(UNIQUE | OPERAND | PART) | CONDITION
        if not m.context & At.EXTENDED:
            m.context |= At.EXTENDED
            flags |= EXTENDED
        return m.replace("t", flags, 0, "")
    if kind == "?" and flags & CONDITION:
        _name_over(m, after, name)
        return _branches(m, flags)
    _name_over(m, after, name)
    if name == "unique" and after == OTHER:
        _check_unique(m, flags)
    _end(m, flags)
    return False


def _goes_on(t: Token, flags: int) -> bool:
    """Whether a token continues the type before it."""
    return (
        t.kind in ("|", "&")
        or (t.kind in ("[", "extends") and not t.newline)
        or (t.kind == "?" and bool(flags & CONDITION))
    )


def _check_unique(m: Checker, flags: int) -> None:
    if not flags & UNIQUE:
        m.error("'unique symbol' is not the type of a constant, or of a member that is one")


def _unique_in_brackets(stack: Stack) -> Stack:
    """The stack after `unique symbol`, noted in the types of all brackets around it."""
    frame, rest = stack
    frame = (*frame[:2], OTHER, "unique")
    if rest is None or rest[0] != ("expect", ")") or rest[1] is None or rest[1][0][:1] != ("t",):
        return frame, rest
    return frame, (rest[0], _unique_in_brackets(rest[1]))


def _behind_name(m: Checker, t: Token, flags: int, name: str) -> bool | None:
    """Read on behind a name that begins something else than a type; None where it does not."""
    kind = t.kind
    if kind == "name" and not t.newline:
        if t.text == "is" and flags & PREDICATE:
            _predicate(m, name)
            return m.replace("t", flags, 0, "")
        if name in _PREFIXES or name == "asserts":
            if name == "asserts" and flags & PREDICATE:
                _predicate(m, t.text)
                m.replace("t", flags, OTHER, "asserts")
            elif name == "unique" and t.text == "symbol":
                m.stack = _unique_in_brackets(m.stack)
            else:
                m.replace("t", flags & ~UNIQUE | OPERAND, 0, "")
                return False
            return True
        if name == "infer":
            if not m.context & At.EXTENDED:
                m.error("'infer' is not behind the 'extends' of a conditional type")
            m.infer(t.text)
            return m.replace("t", flags, OTHER, "")
    elif (name in _PREFIXES and kind in _BEGINS and kind != "<" and not (t.newline and kind in ("[", "(", "{"))) or (
        name == "abstract" and kind == "new"
    ):
        m.replace("t", flags & ~UNIQUE | (OPERAND if name in _PREFIXES else 0), 0, "")
        return False
    elif name == "asserts" and kind == "this":
        return m.replace("t", flags, OTHER, "asserts")
    if kind == ".":
        _name_over(m, NAME, name, Use.SPACE)
        m.replace("t", flags, ENTITY, "")
        return m.push("member", ".")
    if flags & TUPLE and kind == ":":
        return _named_element(m, flags, name)
    if flags & TUPLE and kind == "?":
        return m.replace("t", flags, OPTIONAL, name)
    if name in _PREFIXES or name == "infer":
        m.error(f"'{name}' stands before no type")
    return None


def _predicate(m: Checker, name: str) -> None:
    """`x is T` names a parameter of the function, but no rest parameter and no part of a pattern."""
    scope = m.scope
    while scope.kind != "function" and scope.parent is not None:
        scope = scope.parent
    kinds = scope.names.get(name, 0)
    if kinds & Kind.PARAM:
        if kinds & Kind.PART:
            m.error("a predicate tells of the rest of the parameters, or of a part of a pattern")
    elif not scope.hole:
        m.error(f"the predicate's '{name}' is no parameter")


def _named_element(m: Checker, flags: int, name: str) -> Literal[True]:
    """The type of a tuple's element comes next, behind its name."""
    m.check_name(name)
    return m.replace("t", flags & ~TUPLE, 0, "")


def _scoped(m: Checker, flags: int) -> None:
    if not flags & SCOPED:
        m.open_scope("types")
        frame = m.stack[0]
        m.replace("t", flags | SCOPED, *frame[2:])


def _is_predicate(t: Token, name: str) -> bool:
    """Whether this is the `is` behind `asserts x`, or in the line of `this`."""
    return t.kind == "name" and t.text == "is" and (name == "asserts" or (name == "this" and not t.newline))


def _branches(m: Checker, flags: int) -> Literal[True]:
    """The branches of a conditional type come next."""
    m.context &= ~(At.EXTENDED if flags & EXTENDED else 0)
    _bring_inferred(m)
    behind = flags & ~(EXTENDED | SCOPED | CONDITION)
    return m.become(TYPE, ("scope_end",), ("expect", ":"), ("t", behind, 0, ""))


def _bring_inferred(m: Checker) -> None:
    """Declare the names of `infer` for the true branch alone, which comes next."""
    inferred = [note for note in m.scope.names if note.startswith(INFERRED)]
    if m.scope.hole:  # others stand before it
        m.note(BROUGHT)
    elif inferred:
        m.scope = m.scope.owned(m.owner)
        for note in inferred:
            del m.scope.names[note]
        m.close_scope()
        m.open_scope("types")
        for note in inferred:
            m.scope.names[note[len(INFERRED) :]] = Kind.INFERRED


def _end(m: Checker, flags: int) -> None:
    if flags & SCOPED:
        m.close_scope()
    if flags & EXTENDED:
        m.context &= ~At.EXTENDED
    m.pop()


def _check_this(m: Checker) -> None:
    if not m.context & At.THIS:
        m.error("'this' is a type in members of classes and interfaces alone")


def _begin(m: Checker, t: Token, flags: int) -> bool:
    kind = t.kind
    if kind == "name":
        return m.replace("t", flags, NAME, t.text)
    if kind == "this" and not flags & PREDICATE:
        _check_this(m)
    if kind in _SIMPLE:
        return m.replace("t", flags, OTHER, "this" if kind == "this" else "")
    if kind in ("|", "&", "-"):
        return m.replace("t", flags & ~UNIQUE | PART, 0, "")
    m.replace("t", flags, OTHER, "")
    if kind == "(":
        if not flags & OPERAND:
            mark = Mark("a type in brackets before '=>' is read as a parameter")
            other = m.fork()
            if flags & PART:
                other.error("a function type in a union has no brackets around it")
            function_type(other, ("params", False), mark=mark)
            m.doubts += (mark,)
        m.become(("t", flags & UNIQUE, 0, ""), ("expect", ")"), ("t", flags & ~TUPLE, OTHER, ""))
    elif kind == "<":
        function_type(m, *GENERIC_PARAMETERS)
    elif kind == "new":
        function_type(m, ("type_parameters",))
    elif kind == "{":
        object_type(m)
    elif kind == "[":
        m.push("tuple", False, False)
    elif kind == "typeof":
        m.become(("type_query",), ("t", flags, ENTITY, ""))
    elif kind == "import":
        m.become(*_IMPORT, ("t", flags, ENTITY, ""))
    elif kind == "head":
        m.open_brace("template")
        m.begin(TYPE, ("template", TYPE))
    else:
        raise Broken(t)
    return True


_ARRAY: tuple[int, tuple[str, ...]] = (7, ())
_UNION: tuple[int, tuple[str, ...]] = (8, ())
"""The shapes of a type that ends in `[]`, and of a union or intersection."""
_IMPORT = (("expect", "("), ARGUMENTS)
"""behind `import` in a type"""


def function_type(m: Checker, *parameters: Frame, mark: Mark | None = None) -> None:
    """Read the parameters of a function type next. mark: of the reading that takes them for a type in brackets."""
    m.open_scope("function")
    m.begin(*parameters, ("function_type", mark))


@takes
def _type_parameters(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `new` in a type."""
    if t.kind == "<":
        return m.push("tparams")
    t.must_be("(")
    return m.replace("params", False)


@takes
def _function_type(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the parameters of one."""
    if t.kind != "=>" or t.newline:
        raise Broken(t)
    m.commit(f[1])
    return m.become(("t", PREDICATE, 0, ""), ("scope_end",))


@takes
def _t_index(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the bracket of `T[]` or `T[K]`."""
    m.pop()
    if t.kind == "]":
        m.shape = _ARRAY if m.shape != _UNION else _UNION
        return True
    m.begin(TYPE, ("expect", "]"))
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
        m.declare(name, Kind.TPARAM)
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
    """rests: whether a rest of an array stands before; is_rest: whether the element is one."""
    _, rests, is_rest = f
    if is_rest and t.kind in (",", "]"):
        is_array, m.shape = m.shape == _ARRAY, (0, ())
        if rests and is_array:
            m.error("a rest of a tuple is behind another")
        m.replace("tuple", rests or is_array, False)
    if t.kind == "]":
        m.pop()
    elif t.kind == "...":
        m.shape = 0, ()
        m.replace("tuple", rests, True)
    elif t.kind not in (",", "?"):
        if is_word(t) and t.kind not in _BEGINS:  # the name of an element
            return m.push("t", TUPLE, NAME, t.text)
        if t.kind in _LABELS:
            m.fork().push("tuple_label")
        a_type(m, TUPLE)
        return False
    return True


_LABELS = frozenset(["new", "import", "null", "true", "false", "this", "typeof", "void"])
"""Keywords that name an element of a tuple, or begin its type."""


@takes
def _tuple_label(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a keyword that names an element of a tuple."""
    t.must_be(":", "?")
    return t.kind == "?" or m.replace("t", 0, 0, "")


@takes
def _type_query(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `typeof`."""
    m.pop()
    if t.kind == "import":
        m.begin(*_IMPORT)
    elif t.kind == "name":
        if not is_arguments(m, t.text):
            m.use(t.text, Use.QUERY)
    elif t.kind != "this":
        raise Broken(t)
    return True


def object_type(m: Checker, this: int = 0) -> Literal[True]:
    """Behind the brace of an object type, or of an interface. this: `At.THIS` where `this` is a type in it."""
    m.open_brace("type")
    m.open_scope("members")
    m.push("type_members", m.context & At.THIS)
    m.context = m.context & ~At.THIS | this
    return True
