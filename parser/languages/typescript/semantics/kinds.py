"""The kinds of declarations, reads and places of TypeScript, as bits, and their relations."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar


def _symmetric(excluded: dict[int, int]) -> dict[int, int]:
    excluding = dict.fromkeys((1 << i for i in range(23)), 0)
    for kind, others in excluded.items():
        for other in excluding:
            if other & others:
                excluding[kind] |= other
                excluding[other] |= kind
    return excluding


class Kind:
    """The kinds of declarations, as bits."""

    (
        VAR, PARAM, LET, CONST, FUNCTION, BODY, CLASS, ENUM, INTERFACE, ALIAS, TPARAM, NAMESPACE, IMPORT, CATCH, OWN,
        FIELD, METHOD, METHOD_BODY, GET, SET, ONCE, EXPORT, INFERRED, DECLARED,
    ) = (1 << i for i in range(24))  # fmt: skip
    """OWN: the name of a function or class expression, which may be declared again. ONCE: a declaration that may not be repeated. DECLARED: by `declare`, beside its kind. BODY: a function with its body."""
    VALUES = VAR | PARAM | LET | CONST | FUNCTION | BODY | CLASS | ENUM | NAMESPACE | IMPORT | CATCH | OWN
    TYPES = CLASS | ENUM | INTERFACE | ALIAS | TPARAM | INFERRED | IMPORT
    SPACES = NAMESPACE | IMPORT | ENUM
    LATE = LET | CONST | CLASS
    """Not to be read before they are declared."""
    FIXED = CONST | FUNCTION | BODY | CLASS | ENUM | IMPORT
    MEMBERS = FIELD | METHOD | METHOD_BODY | GET | SET
    _MEMBERS_CLASH: ClassVar[dict[int, int]] = {
        FIELD: MEMBERS,
        METHOD: FIELD | GET | SET,
        METHOD_BODY: FIELD | GET | SET | METHOD_BODY,
        GET: FIELD | METHOD | METHOD_BODY | GET,
        SET: FIELD | METHOD | METHOD_BODY | SET,
        ONCE: ONCE,
    }
    CLASH_TS = _symmetric(
        {
            VAR: LET | CONST | FUNCTION | BODY | CLASS | ENUM,
            PARAM: PARAM | LET | CONST | FUNCTION | BODY | CLASS | ENUM,
            LET: LET | CONST | FUNCTION | BODY | CLASS | ENUM | CATCH,
            CONST: CONST | FUNCTION | BODY | CLASS | ENUM | CATCH,
            BODY: BODY | ENUM | CATCH,
            FUNCTION: ENUM,
            CLASS: CLASS | ENUM | ALIAS | TPARAM | CATCH,
            ENUM: INTERFACE | ALIAS | TPARAM,
            INTERFACE: ALIAS | TPARAM,
            ALIAS: ALIAS | TPARAM,
            TPARAM: TPARAM,
            IMPORT: IMPORT,
            CATCH: CATCH,
            **_MEMBERS_CLASH,
        }
    )
    CLASH_JS = _symmetric(
        {
            VAR: LET | CONST | CLASS | IMPORT,
            PARAM: LET | CONST | CLASS | PARAM,
            LET: LET | CONST | FUNCTION | BODY | CLASS | IMPORT | CATCH,
            CONST: CONST | FUNCTION | BODY | CLASS | IMPORT | CATCH,
            CLASS: CLASS | FUNCTION | BODY | IMPORT | CATCH,
            BODY: IMPORT | CATCH,
            IMPORT: IMPORT,
            CATCH: CATCH,
            **_MEMBERS_CLASH,
        }
    )


class Use:
    """How a name is read, as bits. ANY: in whichever space. NOW: before the function goes on. EXPORTED: must be declared in the file."""

    VALUE, TYPE, SPACE, ANY, ASSIGNED, NOW, EXPORTED = (1 << i for i in range(7))
    NAMED = VALUE | TYPE | SPACE | ANY | EXPORTED


class At:
    """Where the automaton stands, as bits of `context`."""

    (
        IN_FUNCTION, ASYNC, GENERATOR, SUPER_CALL, SUPER, TARGET, LOOP, SWITCH, TOP, AMBIENT, FIELD_VALUE, STATIC_BLOCK,
        PARAMETERS, STRICT, EXTENDED,
    ) = (1 << i for i in range(15))  # fmt: skip
    """STRICT: in strict code, whatever the file is. EXTENDED: in the type behind the `extends` of a conditional type."""
    LASTING = AMBIENT | STRICT
    """The bits that hold in functions and classes within, too."""


def is_fixed(kinds: int, *, ts: bool) -> bool:
    """Whether nothing can be assigned to it."""
    return bool(kinds & (Kind.FIXED if ts else Kind.CONST)) and not kinds & (
        Kind.VAR | Kind.LET | Kind.PARAM | Kind.OWN
    )


def clash(old: int, new: int, scope_kind: str, *, ts: bool) -> bool:
    """Whether these may not stand for one name in one scope."""
    table = Kind.CLASH_TS if ts else Kind.CLASH_JS
    if (
        not ts
        and scope_kind not in ("function", "module")
        and (old | new) & Kind.VAR
        and (old | new) & (Kind.FUNCTION | Kind.BODY)
    ):
        return True
    return any(new & kind and old & table[kind] for kind in table)


def left(how: int, kinds: int) -> int:
    """The bits of a read that a declaration still has to meet."""
    if kinds & Kind.VALUES:
        how &= ~(Use.VALUE | Use.ANY | Use.NOW | Use.EXPORTED)
    if kinds & Kind.TYPES:
        how &= ~(Use.TYPE | Use.ANY | Use.EXPORTED)
    if kinds & Kind.SPACES:
        how &= ~(Use.SPACE | Use.ANY | Use.EXPORTED)
    return how


def carried(
    kind: str, names: dict[str, int], refs: dict[str, int], error: Callable[[str], None], *, ts: bool
) -> dict[str, int]:
    """The reads of a scope whose declaration is further out."""
    carried: dict[str, int] = {}
    if kind in ("namespace", "global"):
        return {name: how for name, how in refs.items() if name[0] == "#"}  # other parts of it may declare the rest
    drop = Use.NOW if kind in ("function", "members", "types") else 0
    for name, how in refs.items():
        kinds = names.get(name)
        if kind == "module" and f"global {name}" in names:
            continue
        if kinds is not None:
            how = left(how, kinds)
            if how & Use.ASSIGNED and kinds & Kind.VALUES:
                if is_fixed(kinds, ts=ts):
                    error(f"cannot assign to '{name}'")
                how &= ~Use.ASSIGNED
        how &= ~drop
        if how & (Use.NAMED | Use.ASSIGNED | Use.NOW):
            carried[name] = how
    return carried
