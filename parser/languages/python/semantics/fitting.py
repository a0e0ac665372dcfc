"""The fit of a value to its place (a parameter, an attribute, a `return`), as far as both types are known.

An answer counts for or against a text, and refuses nothing: annotations are often narrower than the code. Unknown types say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from .homes import Home, Thing
from .members import lineage
from .resolver import CONTAINERS, Resolver
from .tokens import is_text
from .type_paths import ELEMENT, Path, alternatives_of, arguments_of

FITS, UNKNOWN, MISFIT = 1, 0, -1
_NUMBERS = ("bool", "int", "float", "complex")
"""Each fits in place of a later one."""
_ITERABLE = frozenset(("list", "tuple", "set", "frozenset", "dict", "str", "bytes", "bytearray"))
_SEQUENCES = frozenset(("list", "tuple", "str", "bytes", "bytearray"))
_PLAIN = frozenset((*_NUMBERS, *_ITERABLE))
_TAKEN_BY: dict[str, frozenset[str]] = {
    "Iterable": _ITERABLE | CONTAINERS,
    "Collection": _ITERABLE,
    **dict.fromkeys(("Sequence", "Reversible"), _SEQUENCES),
    **dict.fromkeys(("Mapping", "MutableMapping", "DefaultDict", "defaultdict", "OrderedDict"), frozenset(("dict",))),
    **dict.fromkeys(("MutableSequence", "deque", "Deque"), frozenset(("list", "bytearray"))),
    **dict.fromkeys(("Set", "AbstractSet", "MutableSet"), frozenset(("set", "frozenset"))),
    **dict.fromkeys(("Iterator", "Generator"), frozenset[str]()),
}
"""The built-in types that fit an abstract one."""
_NOTHING = Thing("builtin", "None")


def literal(token: str) -> Thing | None:
    """The type of a number or a constant, by its symbol."""
    if token in ("True", "False"):
        return Thing("builtin", "bool")
    if token == "None":
        return _NOTHING
    if token[0] == '"' and not is_text(token):
        return Thing("builtin", "bytes")
    if token[0] != "#":
        return None
    number = token[1:].lower()
    if number[-1] == "j":
        return Thing("builtin", "complex")
    is_whole = number[:2] in ("0x", "0b", "0o") or not {".", "e"}.intersection(number)
    return Thing("builtin", "int" if is_whole else "float")


def fits_annotation(wanted: Path | None, home: Home, given: Thing | None, resolver: Resolver) -> int:
    """The fit of a thing to an annotation, whose names are resolved at home."""
    if wanted is None or given is None:
        return UNKNOWN
    several: Iterable[Path | None] = (wanted,)
    if wanted[0][0] == "|":
        several = alternatives_of(wanted[0])
    elif wanted[-1][0] == "[" and wanted[-2] in ("Optional", "Union"):
        several = (*arguments_of(wanted[-1]), *((("None",),) if wanted[-2] == "Optional" else ()))
    if tuple(several) != (wanted,):
        return max((fits_annotation(alternative, home, given, resolver) for alternative in several), default=UNKNOWN)
    if wanted == ("None",):
        return FITS if given == _NOTHING else MISFIT
    thing = resolver.anew().annotated(wanted, home)
    if thing is None and wanted[-1] in _TAKEN_BY:
        thing = Thing("container", wanted[-1])
    return fits(thing, given, resolver)


def fits(wanted: Thing | None, given: Thing | None, resolver: Resolver) -> int:
    """The fit of a thing where another is wanted."""
    if wanted is None or given is None:
        return UNKNOWN
    if given == _NOTHING or wanted == _NOTHING:
        return MISFIT if given != wanted and _is_known(wanted, resolver) and _is_known(given, resolver) else UNKNOWN
    if wanted.kind == "instance":
        return _fits_class(wanted, given, resolver)
    if wanted.kind not in ("builtin", "container"):
        return UNKNOWN
    if given.kind in ("function", "class", "module", "method", "builtin class"):
        return MISFIT
    if given.kind == "instance":
        ancestors = lineage(given, resolver)
        if ancestors is None or any(base.kind != "class" and base.what != "object" for base in ancestors):
            return UNKNOWN
        return MISFIT if wanted.kind == "builtin" or not any(map(_looks_like_container, ancestors)) else UNKNOWN
    if given.kind not in ("builtin", "container"):
        return UNKNOWN
    mine, its = str(wanted.what), str(given.what)
    if wanted.kind == "container" and mine != its:
        if its not in _TAKEN_BY.get(mine, _PLAIN):
            return MISFIT if mine in _TAKEN_BY and given.kind == "builtin" else UNKNOWN
    elif mine in _NUMBERS and its in _NUMBERS:
        return FITS if _NUMBERS.index(mine) >= _NUMBERS.index(its) else MISFIT
    elif mine != its:
        return MISFIT if mine in _PLAIN and (its in _PLAIN or its in _TAKEN_BY) else UNKNOWN
    return _fits_elements(wanted, given, resolver)


def _fits_elements(wanted: Thing, given: Thing, resolver: Resolver) -> int:
    """The fit of one container's elements to those of another of the same kind."""
    if len(wanted.arguments) != 1 or wanted.home is None:
        return FITS
    element = resolver.anew().part(given, ELEMENT)
    fit = fits_annotation(wanted.arguments[0], wanted.home, element, resolver)
    return MISFIT if fit == MISFIT else FITS


def _fits_class(wanted: Thing, given: Thing, resolver: Resolver) -> int:
    """The fit of a thing where an instance of a class is wanted."""
    ancestors = lineage(wanted, resolver)
    if ancestors is None or any(ancestor.kind == "special" and ancestor.what[1] != "Generic" for ancestor in ancestors):
        return UNKNOWN  # a protocol, an enumeration
    if given.kind == "instance":
        mine = lineage(given, resolver)
        if mine is None:
            return UNKNOWN
        return FITS if any(ancestor.kind == "class" and ancestor.what is wanted.what for ancestor in mine) else MISFIT
    if given.kind not in ("builtin", "container", "function", "class", "module", "method", "builtin class"):
        return UNKNOWN
    return MISFIT


def _is_known(thing: Thing, resolver: Resolver) -> bool:
    return thing.kind in ("builtin", "container") or (thing.kind == "instance" and lineage(thing, resolver) is not None)


def _looks_like_container(thing: Thing) -> bool:
    return thing.kind != "class" or not {"__iter__", "__getitem__", "keys"}.isdisjoint(thing.what.body.made)
