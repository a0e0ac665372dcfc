"""The meaning of a run of statements for its scope, a `Content`, and the joining of two in a row.

Contents form a monoid (`joined`), so those of a file can be kept and joined in any grouping: a closed block is one value, whatever surrounds
it. `close_block` turns the content of a block into that of its compound statement outside.

The rules are those of CPython's symtable.c and compile.c for errors, and those of pyflakes for names: code that runs at once sees the names
bound before it, code that runs later (functions, lambdas) sees every bound name.
"""

from __future__ import annotations

from dataclasses import replace

from ..layout import BRANCHES, CLAUSES, LOOPS
from .content_builder import (
    ASYNC,
    AWAITS,
    CODE_IN_TYPES,
    GENERATES,
    OF_TYPES,
    WALRUS_IN_COMPREHENSION,
    Builder,
    misplaced,
)
from .contents import (
    ANNOTATED,
    IN_CLASS,
    IN_FUNCTION,
    IN_TRY,
    LATE_GLOBAL,
    UNKNOWN,
    Clause,
    Content,
    Dialect,
    Names,
    joined,
    within,
)
from .facts import Block, Facts, Lines
from .import_statements import is_future
from .line_values import LAZY, Header, Line
from .messages import (
    LATE_FUTURE,
    NONLOCAL_IN_MODULE,
    OUTSIDE,
    STAR_IMPORT,
    TOO_DEEP,
    WALRUS_IN_CLASS,
    YIELD_FROM,
    expression_within,
    no_nonlocal,
    parameter_and,
)
from .operations import Operations
from .sets import NONE, frozen, minus, union

OF_CLASSES: Names = frozenset(("__class__",))
"""Names visible to code in a class, though nothing binds them."""


def names_of_class_body(type_params: tuple[str, ...], version: tuple[int, int]) -> Names:
    """The implicit names of a class body; functions and comprehensions in it do not see them."""
    names = ["__module__", "__qualname__"]
    if version >= (3, 13):
        names.append("__firstlineno__")
    if type_params:
        names.append("__type_params__")
    return frozenset(names)


TRIES = frozenset(("try", "except", "finally"))
_CONDITIONAL = (*BRANCHES, "while")
_BLOCKS = (*LOOPS, "with", "finally")
"""The statements that take one of the blocks counted by the compiler; a `with` takes one for each manager. An except clause takes two, in 3.8
one; a `try` with an except clause takes one, and everything before a `finally` takes one more."""
_SUSPENDS = frozenset(("yield", "yield from", GENERATES, AWAITS))
_HIDDEN = " "
"""Behind a name declared nonlocal in a class that binds it: the compiler no longer takes it for a type parameter."""
MISPLACED = frozenset((*OUTSIDE.values(), NONLOCAL_IN_MODULE))
"""Errors of statements that are valid in other blocks."""
_LEAVES_LOOP = frozenset(("break", "continue"))


def simple_content(line: Line, dialect: Dialect) -> Content:
    """The content of a line without a header."""
    builder = Builder(dialect)
    builder.run(line.items)
    kinds = line.kinds.replace("r", "f" if is_future(".__future__", dialect.version) else ".")
    rest = kinds.removeprefix("s").lstrip("f")
    return builder.content(
        only_future=bool(kinds) and not rest,
        has_string=kinds[:1] == "s",
        late_future="f" in rest,
        facts=_facts(line.items),
    )


def _facts(items: Operations) -> Facts | None:
    return None if items is None else Lines(items)


def inline_content(line: Line, dialect: Dialect) -> Content:
    """The content of a line with a header and statements behind it."""
    assert line.header is not None
    builder = Builder(dialect, "class" if line.header.kind == "class" else "block")
    builder.run(line.items)
    return close_block(line.header, builder.content(facts=_facts(line.items)), dialect)


def content_of(line: Line, dialect: Dialect) -> Content:
    """The content of a whole line."""
    if line.content is not None:
        return line.content
    try:
        return simple_content(line, dialect) if line.header is None else inline_content(line, dialect)
    except RecursionError:  # hundreds of nested brackets
        return UNKNOWN


def close_block(header: Header, body: Content, dialect: Dialect) -> Content:
    """The content of a compound statement, or of a clause, for its scope."""
    kind = header.kind
    if kind == "def":
        return _function(header, body, dialect)
    if kind == "class":
        return _class(header, body, dialect)
    builder = Builder(dialect)
    builder.run(header.items)
    clause = _clause(header, body)
    if kind == "except" and header.name is not None:
        builder.bind(header.name)
    head = builder.content(clause if kind in CLAUSES else None, clause)
    flags, errors, lost, dels, unbound, depth = body.flags, body.errors, body.lost, body.dels, body.unbound, body.depth
    if kind in LOOPS:
        flags = minus(flags, _LEAVES_LOOP)
    if kind in _CONDITIONAL:
        dels = lost = unbound = NONE
    if LAZY in flags and kind in TRIES:
        errors |= {IN_TRY}
    if header.star and flags & {"break", "continue", "return"}:
        errors |= {"'break', 'continue' and 'return' cannot appear in an 'except*' block"}
    if kind in _BLOCKS:
        depth += header.managers
    elif kind == "except":
        depth += 1 if dialect.version < (3, 9) else 2
    inside = body._replace(
        flags=flags, errors=errors, lost=lost, dels=dels, unbound=unbound, depth=depth, first=None, last=None,
        only_future=False, late_future=body.has_future, size=max(1, body.size),
    )  # fmt: skip
    clause = replace(clause, depth=depth, is_lazy=LAZY in flags)
    whole = joined(head, inside)
    gone = frozenset((header.name,)) if kind == "except" and header.name is not None else NONE
    return whole._replace(
        binds=minus(whole.binds, gone),
        later=minus(whole.later, gone),
        noted=minus(whole.noted, gone),
        first=None if head.first is None else clause,
        last=clause,
        late_future=whole.late_future or whole.has_future,
        facts=None if header.items is None and body.facts is None else Block(header, body.facts),
        unread=within(whole.unread, gone),
    )


def _clause(header: Header, body: Content) -> Clause:
    if header.kind == "try":
        return Clause("try", guarded=union(body.needs, body.inner))
    if header.kind == "except":
        return Clause("except", header.bare, header.catches_names, catches_attributes=header.catches_attributes)
    if header.kind == "case":
        pattern = header.pattern
        return Clause("case", pattern is not None and pattern.irrefutable is not None and not header.guard)
    return Clause(header.kind)


def _scope_errors(
    body: Content, parameters: Names, dialect: Dialect, *, is_async: bool = False, is_class: bool = False
) -> Names:
    errors = body.errors
    for word, declared in (("global", body.globals), ("nonlocal", body.nonlocals)):
        for name in declared & parameters:
            errors |= {parameter_and(name, word)}
    for name in body.globals & body.nonlocals:
        errors |= {f"name {name!r} is nonlocal and global"}
    for flag in ("break", "continue"):
        if flag in body.flags:
            errors |= {OUTSIDE[flag]}
    errors |= body.flags & {ANNOTATED, LATE_GLOBAL}
    suspends = (is_async or not body.flags.isdisjoint(_SUSPENDS)) and dialect.version >= (3, 13)
    if body.depth + suspends > dialect.max_blocks:
        errors |= {TOO_DEEP}
    if body.has_future:
        errors |= {LATE_FUTURE}
    if LAZY in body.flags:
        errors |= {IN_CLASS if is_class else IN_FUNCTION}
    if body.star_import:
        errors |= {STAR_IMPORT}
    return errors


def _head(header: Header, dialect: Dialect) -> tuple[Builder, Names, Names]:
    """(the header's content for the scope around it, errors and names read in the scope of the type parameters)"""
    builder = Builder(dialect)
    builder.run(header.items)
    if not header.type_params:
        return builder, NONE, NONE
    scoped = Builder(dialect, "types", builder)
    scoped.run(header.scoped)
    errors = scoped.errors | scoped.compiled
    if scoped.flags & OF_TYPES or scoped.assigned:
        errors = errors | {expression_within("the definition of a generic")}
    builder.flags |= scoped.flags & {CODE_IN_TYPES}
    types = frozen(header.type_params)
    for name in scoped.needs - types:
        builder.need(name)
    builder.later |= scoped.later - types
    builder.noted |= scoped.noted - types
    return builder, frozen(errors), types


def _function(header: Header, body: Content, dialect: Dialect) -> Content:
    builder, more_errors, types = _head(header, dialect)
    parameters = frozenset(header.params)
    errors = _scope_errors(body, parameters, dialect, is_async=header.is_async) | more_errors
    flags = body.flags
    if not header.is_async:
        errors |= {OUTSIDE[flag] for flag in ASYNC if flag in flags}
    else:
        if "yield from" in flags:
            errors |= {YIELD_FROM}
    awaits = header.is_async or AWAITS in flags
    if awaits and "return value" in flags and flags & {"yield", "yield from", GENERATES}:
        errors |= {"'return' with value in async generator"}
    local = (parameters | body.local) - body.globals - body.nonlocals
    free = _without(body.free_nonlocals, local)
    for name in free - _without(free, body.globals):
        errors |= {no_nonlocal(name.removesuffix(_HIDDEN))}
    free = _without(free, body.globals) | body.nonlocals
    for name in free & types:
        errors |= {_of_type_parameter(name)}
    given = parameters | types | body.globals | body.nonlocals
    bound = minus(given, body.dels) | body.binds
    builder.later |= (body.needs - given) | body.lost | ((body.later | body.noted) - bound)
    builder.errors |= errors
    return _scope(builder, header, body, _without(free, types), bound, given)


def _class(header: Header, body: Content, dialect: Dialect) -> Content:
    builder, more_errors, types = _head(header, dialect)
    errors = _scope_errors(body, NONE, dialect, is_class=True) | more_errors
    errors |= misplaced(body.flags)
    if dialect.version == (3, 12) and CODE_IN_TYPES in body.flags:
        errors |= {"cannot use a lambda or comprehension in annotation scope within class scope"}
    if WALRUS_IN_COMPREHENSION in body.flags:
        errors |= {WALRUS_IN_CLASS}
    free = body.nonlocals
    if body.free_nonlocals:
        local = body.local - body.globals - body.nonlocals
        if types:
            local |= {"__type_params__"}
            errors |= {_of_type_parameter(name) for name in (body.free_nonlocals - local) & types}
        inner = body.free_nonlocals - _given_by_class(dialect)
        free |= {name + _HIDDEN if name in local else name for name in inner}
    errors |= {_of_type_parameter(name) for name in free & types}
    given = types | OF_CLASSES | body.globals | body.nonlocals
    own = names_of_class_body(header.type_params, dialect.version)
    inner = ((minus(body.needs, own) | body.inner) - given | body.lost) - builder.binds
    builder.needs |= inner
    builder.later |= (body.later | (body.noted - body.binds - own)) - given
    builder.errors |= errors
    content = _scope(builder, header, body, _without(free, types), given, given | own)
    return content._replace(inner=frozen(inner))


def _scope(builder: Builder, header: Header, body: Content, free: Names, bound: Names, given: Names) -> Content:
    """The content of a function or class for the scope around it; bound: the names visible to functions in it. given: those bound at its
    beginning."""
    if header.name is not None:
        builder.bind(header.name)
    return builder.content()._replace(
        free_nonlocals=free,
        spread=union(body.spread, body.globals),
        size=body.size + 1,
        facts=Block(header, body.facts),
        unread=within(body.unread, bound),
        gone=union(body.gone, minus(body.unbound, given)),
    )


def _without(free: Names, names: Names) -> Names:
    """The names declared nonlocal, except the given ones, which are bound."""
    return frozen(free - names - {name + _HIDDEN for name in names}) if free and names else free or NONE


def _of_type_parameter(name: str) -> str:
    return f"nonlocal binding not allowed for type parameter {name!r}"


def _given_by_class(dialect: Dialect) -> Names:
    """The names that a function in a class may declare nonlocal though nothing binds them."""
    names = ["__class__"]
    if dialect.version >= (3, 12):
        names.append("__classdict__")
    if dialect.version >= (3, 14):
        names.append("__conditional_annotations__")
    return frozenset(names)


def module_errors(body: Content, dialect: Dialect) -> Names:
    """The compiler's errors in a whole file."""
    flags = body.flags.difference(ASYNC) if dialect.kind == "notebook" else body.flags
    errors = body.errors | misplaced(flags)
    errors |= {no_nonlocal(name.removesuffix(_HIDDEN)) for name in body.free_nonlocals}
    if body.nonlocals:
        errors |= {NONLOCAL_IN_MODULE}
    if body.late_future:
        errors |= {LATE_FUTURE}
    if body.depth > dialect.max_blocks:
        errors |= {TOO_DEEP}
    return errors
