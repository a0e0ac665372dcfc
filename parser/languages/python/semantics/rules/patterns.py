"""The patterns of a `case`: their values are added up, those of their names and literals are texts."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from ..line_values import ALWAYS, Header, Pattern
from ..messages import ASSIGNS_DEBUG
from ..operations import Operations, both, together
from .places import LITERAL
from .registry import header, keeps, rule
from .values import Value, bind_name, read

_OPENING = ("(", "[", "{")


class Part(NamedTuple):
    """A pattern, or several that stand in one display."""

    captures: tuple[str, ...] = ()
    """in any of its alternatives"""
    bound: frozenset[str] = frozenset()
    """in its first alternative"""
    reads: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    irrefutable: str | None = None
    """see Pattern"""
    stars: int = 0
    """how many of them have one"""
    keys: tuple[Any, ...] = ()
    """of a mapping's items"""
    keywords: tuple[str, ...] = ()
    """of a class's arguments"""

    def failing(self, *errors: str) -> Part:
        """The part with more errors."""
        return self._replace(errors=self.errors + errors) if errors else self

    def closed(self) -> Part:
        """A pattern of its own, of these parts."""
        whole = self._replace(irrefutable=None, stars=0, keys=(), keywords=())
        return whole.failing("multiple starred expressions in sequence pattern") if self.stars > 1 else whole


def added(a: Part, b: Part) -> Part:
    """Two parts of a display."""
    errors = [f"multiple assignments to name {name!r} in pattern" for name in sorted(a.bound & b.bound)]
    errors += [f"mapping pattern checks duplicate key ({key!r})" for key in b.keys if key in a.keys]
    errors += [f"attribute name repeated in class pattern: {name}" for name in b.keywords if name in a.keywords]
    return Part(
        a.captures + b.captures,
        a.bound | b.bound,
        a.reads + b.reads,
        (*a.errors, *b.errors, *errors),
        None,
        a.stars + b.stars,
        a.keys + b.keys,
        a.keywords + b.keywords,
    )


@rule("closed_pattern: name", "rest_pattern+", "star_pattern+")
def capture(*parts: str) -> Part:
    """A name, behind its stars."""
    *stars, name = parts
    if name in ("_", ""):
        part = Part(irrefutable=name or None)
    else:
        part = Part((name,), frozenset((name,)), (), (ASSIGNS_DEBUG,) if name == "__debug__" else (), name)
    return part._replace(irrefutable=None, stars=stars.count("*")) if stars else part


@rule("closed_pattern: name_attribute")
def value(name: str) -> Part:
    return Part(reads=(name,) if name else ())


@rule("signed: NUMBER", "signed: IMAGINARY", "signed+")
def signed(*tokens: str) -> str:
    return "".join(token.removeprefix("#") for token in tokens)


@rule("literal: strings")
def text(strings: Value) -> Any:
    return " ".join(strings[1]) if strings is not None and strings[0] is LITERAL else None


@rule("closed_pattern: literal")
def literal(source: str | None) -> Part:
    return Part() if source is not None else Part(errors=("patterns may only match literals and attribute lookups",))


keeps(0, "name_attribute+", "wild_attribute+")
keeps(1, "closed_pattern: ( pattern )")


# -- displays


@rule("closed_pattern+", "mapping+")
def display(*parts: Any) -> Part:
    """A sequence, a mapping, or a class with its arguments."""
    whole = Part() if parts[0] in _OPENING else value(parts[0])
    for part in parts:
        if isinstance(part, Part):
            whole = added(whole, part)
    return whole.closed()


@rule("star_patterns+", "open_sequence+", "class_positional+", "key_patterns+", "class_keywords+")
def more(before: Part, comma: str, *rest: Any) -> Part:
    return added(before, rest[0]) if rest else before


@rule("keyword_pattern+")
def keyword(name: str, sign: str, pattern: Part) -> Part:
    return pattern.failing(*capture(name).errors)._replace(keywords=(name,))


@rule("class_keywords: class_positional , capture = pattern")
def first_keyword(before: Part, comma: str, name: str, sign: str, pattern: Part) -> Part:
    return added(before, keyword(name, sign, pattern))


@rule("key_pattern: literal : pattern")
def literal_key(source: str | None, colon: str, pattern: Part) -> Part:
    if source is None:
        return added(literal(source), pattern)
    try:
        keys = (ast.literal_eval(source),)
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # the text was not kept
        keys = ()
    return pattern._replace(keys=keys)


@rule("key_pattern: name_attribute : pattern", "key_pattern: wild_attribute : pattern")
def value_key(name: str, colon: str, pattern: Part) -> Part:
    return added(value(name), pattern)


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
    return added(pattern, capture(name))._replace(irrefutable=pattern.irrefutable)


rule("patterns: open_sequence")(Part.closed)


def operations_in(pattern: Part) -> Operations:
    """The reads and bindings of a whole pattern."""
    reads = together(*(("use", name) for name in pattern.reads))
    return both(reads, together(*(bind_name(name) for name in pattern.captures)))


@header("case")
def case(parts: dict[str, Any]) -> Header:
    whole = parts["patterns"]
    pattern = Pattern(tuple(dict.fromkeys(whole.captures)), whole.reads, whole.errors, whole.irrefutable)
    errors = together(*(("error", message, ALWAYS) for message in pattern.errors))
    items = together(errors, operations_in(whole._replace(captures=pattern.captures)), read(parts.get("guard")))
    return Header("case", items, pattern=pattern, guard="guard" in parts)
