"""The kinds of declarations, reads and places of TypeScript, as bits, and their relations."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from .messages import cannot_assign, only_type, static_type_parameter


def _symmetric(excluded: dict[int, int]) -> dict[int, int]:
    excluding = dict.fromkeys((1 << i for i in range(28)), 0)
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
        FIELD, METHOD, METHOD_BODY, GET, SET, ONCE, EXPORT, INFERRED, DECLARED, PART, ONLY_TYPE,
        RUNS, RUNS_NOT,
    ) = (1 << i for i in range(28))  # fmt: skip
    """OWN: the name of a function or class expression, which may be redeclared. ONCE: a declaration that may not be repeated.
    DECLARED: by `declare`, beside its kind. BODY: a function with its body. PART: a rest parameter, or one in a pattern. ONLY_TYPE: a
    name from `import type`. RUNS: a namespace with values; RUNS_NOT: a part of one without any."""
    VALUES = VAR | PARAM | LET | CONST | FUNCTION | BODY | CLASS | ENUM | NAMESPACE | IMPORT | CATCH | OWN
    TYPES = CLASS | ENUM | INTERFACE | ALIAS | TPARAM | INFERRED | IMPORT
    SPACES = NAMESPACE | IMPORT | ENUM
    LATE = LET | CONST | CLASS | ENUM
    """Not to be read before they are declared."""
    FIXED = CONST | FUNCTION | BODY | CLASS | ENUM | IMPORT | NAMESPACE
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
            VAR: LET | CONST | FUNCTION | BODY | CLASS | ENUM | RUNS,
            PARAM: PARAM | LET | CONST | FUNCTION | BODY | CLASS | ENUM,
            LET: LET | CONST | FUNCTION | BODY | CLASS | ENUM | CATCH | RUNS,
            CONST: CONST | FUNCTION | BODY | CLASS | ENUM | CATCH | RUNS,
            BODY: BODY | ENUM,
            FUNCTION: ENUM,
            CLASS: CLASS | ENUM | ALIAS | TPARAM,
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
    """How a name is read, as bits. ANY: in whichever space. NOW: before the function goes on. EXPORTED: must be declared in the file. QUERY:
    in a type, behind `typeof`. STATIC: as a type, in a static member of the class around. OUTER: before the body of the function around.
    DECORATES: as NOW, in a decorator of the class that comes next, which may read that class (TypeScript's `experimentalDecorators`)."""

    VALUE, TYPE, SPACE, ANY, ASSIGNED, NOW, EXPORTED, QUERY, STATIC, OUTER, DECORATES = (1 << i for i in range(11))
    NAMED = VALUE | TYPE | SPACE | ANY | EXPORTED | QUERY


class At:
    """Where the automaton stands, as bits of `context`."""

    (
        IN_FUNCTION, ASYNC, GENERATOR, SUPER_CALL, SUPER, TARGET, LOOP, SWITCH, TOP, AMBIENT, FIELD_VALUE, STATIC_BLOCK,
        PARAMETERS, STRICT, EXTENDED, ARGUMENTS, THIS, QUERIED, AT_ONCE, DECORATES,
    ) = (1 << i for i in range(20))  # fmt: skip
    """STRICT: in strict code, whatever the file is. EXTENDED: in the type behind the `extends` of a conditional type. ARGUMENTS: where
    `arguments` exists. THIS: where `this` is a type. QUERIED: in code used only for its type. AT_ONCE: in the value of a static field.
    DECORATES: in a decorator of a class."""
    LASTING = AMBIENT | STRICT
    """The bits that also hold in inner functions and classes."""


_HOISTED = Kind.FUNCTION | Kind.BODY | Kind.CLASS | Kind.ENUM
"""Kinds TypeScript allows beside a variable in a block."""


def is_fixed(kinds: int, *, ts: bool) -> bool:
    """Whether such a name cannot be assigned to."""
    return bool(kinds & (Kind.FIXED if ts else Kind.CONST)) and not kinds & (
        Kind.VAR | Kind.LET | Kind.PARAM | Kind.OWN
    )


def clash(old: int, new: int, scope_kind: str, *, ts: bool) -> bool:
    """Whether these kinds may not share one name in one scope."""
    table = Kind.CLASH_TS if ts else Kind.CLASH_JS
    if ts and scope_kind == "block":  # a variable belongs to the enclosing function
        old, new = (old & ~_HOISTED if new & Kind.VAR else old), (new & ~_HOISTED if old & Kind.VAR else new)
    if ts and (old | new) & Kind.BODY and (old | new) & Kind.CLASS and not (old | new) & (Kind.DECLARED | Kind.OWN):
        return True
    if (
        not ts
        and scope_kind not in ("function", "static block", "module")
        and (old | new) & Kind.VAR
        and (old | new) & (Kind.FUNCTION | Kind.BODY)
    ):
        return True
    return any(new & kind and old & table[kind] for kind in table)


def clash_in_module(old: int, new: int) -> bool:
    """Whether JavaScript refuses these for one name at the top of a module, though not of a script."""
    functions = Kind.FUNCTION | Kind.BODY
    return bool((old | new) & Kind.VAR and (old | new) & functions) or bool(old & Kind.BODY and new & functions)


PART_OF, OUT, WITHIN = "= part of ", "= out ", "= in "
"""Beginnings of notes among names: the namespace or enum, with points, whose part a scope is; a name exported by a namespace; one in
a namespace of this name, with points."""
RUNNING = "= runs"
"""A note that a namespace has statements."""
INFERRED, BROUGHT = "= infer ", "= brought"
"""Notes in the scope of a conditional type: a name that `infer` declares for the true branch; the true branch has come."""
_IN_BODY = Kind.VAR | Kind.LET | Kind.CONST | Kind.CLASS | Kind.ENUM | Kind.ALIAS | Kind.INTERFACE | Kind.NAMESPACE


def has_value(kinds: int) -> bool:
    """Whether a name of these kinds is a value: a namespace of types alone is none."""
    if kinds & Kind.RUNS_NOT and not kinds & (Kind.RUNS | Kind.VALUES & ~Kind.NAMESPACE):
        return False
    return bool(kinds & Kind.VALUES)


def is_only_type(kinds: int, how: int) -> bool:
    """Whether a value is read from a name of `import type`."""
    return bool(kinds & Kind.ONLY_TYPE and how & Use.VALUE) and not kinds & (Kind.VALUES & ~Kind.IMPORT)


def left(how: int, kinds: int) -> int:
    """The bits of a read that a declaration of these kinds does not satisfy."""
    if has_value(kinds):
        how &= ~(Use.VALUE | Use.ANY | Use.NOW | Use.DECORATES | Use.EXPORTED | Use.QUERY)
    if kinds & Kind.TYPES:
        how &= ~(Use.TYPE | Use.ANY | Use.EXPORTED | Use.STATIC)
    if kinds & Kind.SPACES:
        how &= ~(Use.SPACE | Use.ANY | Use.EXPORTED)
    return how


def carried(
    kind: str, names: dict[str, int], refs: dict[str, int], error: Callable[[str], None], *, ts: bool
) -> dict[str, int]:
    """The reads of a scope whose declaration is further out."""
    carried: dict[str, int] = {}
    if kind == "augmented":
        return {name: how for name, how in refs.items() if name[0] == "#"}  # other parts of it may declare the rest
    if kind == "global":
        refs = {name: how for name, how in refs.items() if name[0] != "="}  # ... of a namespace in it
    part = _part_of(names) if kind in ("namespace", "enum") else None
    drop = _DROPPED.get(kind, 0)
    is_brought = kind == "types" and BROUGHT in names
    for key, how in refs.items():
        name, path = key, ""
        if key[0] == "=" and key.startswith(WITHIN):
            path, name = key[len(WITHIN) :].rsplit(".", 1)
            how = _within(path, name, how, names)
        kinds = names.get(name)
        if kind == "module" and f"global {name}" in names:
            continue
        if is_brought and INFERRED + name in names:
            kinds = (kinds or 0) | Kind.INFERRED
        if kinds is not None:
            if how & Use.OUTER and kind == "function":
                kinds &= ~_IN_BODY
            if is_only_type(kinds, how):
                error(only_type(name))
                continue
            if how & Use.STATIC and kind == "class" and kinds & Kind.TPARAM:
                error(static_type_parameter(name))
                continue
            how = left(how, kinds)
            if how & Use.ASSIGNED and kinds & Kind.VALUES:
                if is_fixed(kinds, ts=ts):
                    error(cannot_assign(name))
                how &= ~Use.ASSIGNED
        how &= ~drop
        if how & (Use.NAMED | Use.ASSIGNED | Use.NOW):
            if kind == "static" and how & Use.TYPE:
                how |= Use.STATIC
            elif part is not None and name[0] != "#":
                if how & Use.NOW:
                    carried[name] = carried.get(name, 0) | Use.NOW
                    how &= ~Use.NOW
                name = f"{WITHIN}{part}{'.' if path else ''}{path}.{name}"
            carried[name] = carried.get(name, 0) | how
    return carried


_DROPPED = {"function": Use.NOW | Use.DECORATES | Use.OUTER, "types": Use.NOW | Use.DECORATES, "class": Use.STATIC}
"""The bits of a read without meaning outside a scope."""


def _part_of(names: dict[str, int]) -> str:
    """The namespace or enum whose part a scope is."""
    return next((name[len(PART_OF) :] for name in names if name.startswith(PART_OF)), "")


def _within(path: str, name: str, how: int, names: dict[str, int]) -> int:
    """The bits of a read in a namespace not satisfied by its other parts, or by those of the enclosing namespaces."""
    while path and how & Use.NAMED:
        how = left(how, names.get(f"{WITHIN}{path}.{name}", 0))
        path = path.rpartition(".")[0]
    return how


def given(names: dict[str, int]) -> list[tuple[str, int]]:
    """The names a scope of a namespace or enum gives to the scope around it: for other parts of it, and whether it has values."""
    part = _part_of(names)
    if not part:
        return []
    entries: list[tuple[str, int]] = []
    runs = RUNNING in names
    for name, kinds in names.items():
        if name.startswith(WITHIN):
            inner = name[len(WITHIN) :].split(".", 1)[0].rstrip("!")
            if OUT + inner in names or names.get(inner, 0) & Kind.DECLARED:
                entries.append((f"{WITHIN}{part}.{name[len(WITHIN) :]}", kinds))
        elif name[0] not in "=.":
            runs = runs or has_value(kinds & ~Kind.IMPORT) or bool(kinds & Kind.IMPORT and OUT + name in names)
            if OUT + name in names or kinds & Kind.DECLARED:
                entries.append((f"{WITHIN}{part}.{name}", kinds))
    if part[-1] == "!":
        return entries
    is_run = Kind.RUNS if runs else Kind.RUNS_NOT
    first, *inner = part.split(".")
    entries.append((first, is_run))
    for i, name in enumerate(inner, 1):
        entries.append((f"{WITHIN}{'.'.join((first, *inner)[:i])}.{name}", Kind.NAMESPACE | is_run))
    return entries
