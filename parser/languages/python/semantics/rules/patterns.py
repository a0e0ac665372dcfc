"""The patterns of a `case`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..line_values import ALWAYS, Header, Pattern
from ..messages import ASSIGNS_DEBUG
from ..operations import together
from .places import LITERAL
from .registry import header, keeps, rule
from .values import Value, bind_name, read


class Part(NamedTuple):
    """A pattern within the whole."""

    captures: tuple[str, ...] = ()
    """in any of its alternatives"""
    bound: frozenset[str] = frozenset()
    """in its first alternative"""
    reads: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    irrefutable: str | None = None
    """see Pattern"""
    stars: int = 0
    """1 for a starred pattern"""
    keys: tuple[Any, ...] = ()
    """of a mapping, or of one of its parts"""


def _together(parts: Iterable[Part], **changes: Any) -> Part:
    captures: tuple[str, ...] = ()
    bound: frozenset[str] = frozenset()
    reads: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    keys: tuple[Any, ...] = ()
    for part in parts:
        twice = sorted(bound & part.bound)
        errors += (*part.errors, *(f"multiple assignments to name {name!r} in pattern" for name in twice))
        errors += tuple(f"mapping pattern checks duplicate key ({key!r})" for key in part.keys if key in keys)
        captures, bound, reads, keys = (
            captures + part.captures,
            bound | part.bound,
            reads + part.reads,
            keys + part.keys,
        )
    return Part(captures, bound, reads, errors, keys=keys)._replace(**changes)


def _capture(name: str) -> Part:
    if name in ("_", ""):
        return Part(irrefutable=name or None)
    return Part((name,), frozenset((name,)), (), (ASSIGNS_DEBUG,) if name == "__debug__" else (), name)


def _reads(name: str) -> Part:
    return Part(reads=(name,) if name else ())


# -- closed patterns


@rule("closed_pattern: name")
def capture(name: str) -> Part:
    return _capture(name)


@rule("closed_pattern: name_attribute")
def value(name: str) -> Part:
    return _reads(name)


keeps(0, "name_attribute+", "wild_attribute+")


@rule("signed: NUMBER", "signed: IMAGINARY")
def number(token: str) -> str:
    return token[1:]


@rule("signed+")
def signed(*tokens: str) -> str:
    return "".join(token.removeprefix("#") for token in tokens)


@rule("literal: strings")
def text(strings: Value) -> Any:
    return " ".join(strings[1]) if strings is not None and strings[0] is LITERAL else None


@rule("closed_pattern: literal")
def literal(source: str | None) -> Part:
    return Part() if source is not None else Part(errors=("patterns may only match literals and attribute lookups",))


keeps(1, "closed_pattern: ( pattern )")


@rule("closed_pattern: ( )", "closed_pattern: [ ]", "mapping: { }")
def empty(opening: str, closing: str) -> Part:
    return Part()


@rule("closed_pattern: ( open_sequence )", "closed_pattern: [ star_patterns ]", "closed_pattern: [ star_patterns , ]")
def sequence(opening: str, parts: Any, *rest: str) -> Part:
    return _sequence(parts)


def _sequence(parts: tuple[Part, ...]) -> Part:
    whole = _together(parts, keys=())
    if sum(part.stars for part in parts) > 1:
        whole = whole._replace(errors=(*whole.errors, "multiple starred expressions in sequence pattern"))
    return whole


# -- sequences, mappings, classes: tuples of parts


@rule("star_pattern: * name")
def starred(star: str, name: str) -> Part:
    return _capture(name)._replace(irrefutable=None, stars=1)


@rule("star_patterns: star_pattern", "class_positional: pattern", "class_keywords: keyword_pattern")
@rule("key_patterns: key_pattern")
def one(part: Part) -> tuple[Part, ...]:
    return (part,)


@rule("star_patterns+", "class_positional+", "key_patterns+", "class_keywords: class_keywords , keyword_pattern")
def more(parts: tuple[Part, ...], comma: str, part: Part) -> tuple[Part, ...]:
    return (*parts, part)


@rule("open_sequence+")
def open_sequence(part: Part, comma: str, parts: tuple[Part, ...] = (), *last: str) -> tuple[Part, ...]:
    return (part, *parts)


@rule("keyword_pattern+")
def keyword(name: str, sign: str, pattern: Part) -> Part:
    return pattern._replace(keys=((name, sign),), errors=(*pattern.errors, *_capture(name).errors))


@rule("class_keywords: class_positional , capture = pattern")
def first_keyword(parts: tuple[Part, ...], comma: str, name: str, sign: str, pattern: Part) -> tuple[Part, ...]:
    return (*parts, keyword(name, sign, pattern))


@rule("closed_pattern: class_name ( )", "closed_pattern: class_name ( class_arguments )")
@rule("closed_pattern: class_name ( class_arguments , )")
def instance(name: str, opening: str, parts: Any, *rest: str) -> Part:
    parts = parts if parts.__class__ is tuple else ()
    names = [key[0] for part in parts for key in part.keys if key.__class__ is tuple and key[1:] == ("=",)]
    twice = (name for index, name in enumerate(names) if name in names[:index])
    errors = tuple(f"attribute name repeated in class pattern: {name}" for name in twice)
    plain = (part._replace(keys=()) for part in parts)
    whole = _together((_reads(name), *plain))
    return whole._replace(errors=(*whole.errors, *errors))


@rule("key_pattern: literal : pattern")
def literal_key(source: str | None, colon: str, pattern: Part) -> Part:
    if source is None:
        return _together((literal(source), pattern), keys=())
    try:
        keys = (ast.literal_eval(source),)
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # the text was not kept
        keys = ()
    return pattern._replace(keys=keys)


@rule("key_pattern: name_attribute : pattern", "key_pattern: wild_attribute : pattern")
def value_key(name: str, colon: str, pattern: Part) -> Part:
    return _together((_reads(name), pattern), keys=())


@rule("rest_pattern: ** capture")
def rest(stars: str, name: str) -> Part:
    return _capture(name)


@rule("mapping+")
def mapping(opening: str, *rest: Any) -> Part:
    parts: list[Part] = []
    for part in rest:
        if isinstance(part, Part):
            parts.append(part)
        elif part.__class__ is tuple:
            parts += part
    return _together(parts)._replace(keys=())


# -- patterns


@rule("or_pattern: or_pattern | closed_pattern")
def either(a: Part, sign: str, b: Part) -> Part:
    errors = (*a.errors, *b.errors)
    if a.irrefutable is not None:
        matching = "wildcard" if a.irrefutable == "_" else f"name capture {a.irrefutable!r}"
        errors = (*errors, f"{matching} makes remaining patterns unreachable")
    different = "alternative patterns bind different names"
    if a.bound != b.bound and different not in errors:
        errors = (*errors, different)
    return Part(a.captures + b.captures, a.bound, a.reads + b.reads, errors, b.irrefutable)


@rule("pattern: or_pattern as capture")
def named(pattern: Part, as_: str, name: str) -> Part:
    return _together((pattern, _capture(name)), irrefutable=pattern.irrefutable)


@rule("guard: if named_expression")
def guard(if_: str, value: Value) -> Any:
    return read(value)


@header("case")
def case(parts: dict[str, Any]) -> Header:
    part = parts["patterns"]
    whole = part if isinstance(part, Part) else _sequence(part)
    pattern = Pattern(tuple(dict.fromkeys(whole.captures)), whole.reads, whole.errors, whole.irrefutable)
    items = together(
        *(("error", message, ALWAYS) for message in pattern.errors),
        *(("use", name) for name in pattern.reads),
        *(bind_name(name) for name in pattern.captures),
        parts.get("guard"),
    )
    return Header("case", items, pattern=pattern, guard="guard" in parts)
