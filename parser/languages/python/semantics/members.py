"""The attributes of things, by their kinds: from the facts of the file at hand and of its imported modules.

`resolve` follows a path (`self.cart.items`) to a thing, and `members` gives the thing's attributes. Both return None wherever the answer is
uncertain: an unknown base, `__getattr__`, a decorator that may change a class, a name bound twice. An annotated value may be of a subclass,
which is assumed to have no attributes beyond those of the class.
"""

from __future__ import annotations

import builtins
import enum
import io
from collections.abc import Iterable, Set
from functools import lru_cache
from typing import Any

from .....common.words import words_of
from .allowed_names import Members, is_special
from .facts import Class, Gathered
from .homes import Module, ModuleHome, Resolving, Thing, classes_of
from .sets import NONE
from .type_paths import Path

_MAX_BASES = 40
_OF_ENUMS = words_of("""
    name value _name_ _value_ _ignore_ _order_ _missing_ _generate_next_value_ _member_names_ _member_map_ _value2member_map_
    _member_type_ _sort_order_ _boundary_ _flag_mask_ _singles_mask_ _all_bits_ _inverted_ _new_member_ _use_args_ _value_repr_
    _add_alias_ _add_value_alias_ _hashable_values_ _unhashable_values_ _unhashable_values_map_
""").union(*map(dir, (enum.EnumMeta, enum.Enum, enum.Flag)))
"""The names of enumerations and their members beside those from the class itself."""
SPECIAL = {
    ("typing", "Generic"): NONE,
    ("typing", "Protocol"): NONE,
    ("typing_extensions", "Protocol"): NONE,
    ("abc", "ABC"): NONE,
    ("typing", "NamedTuple"): frozenset((*dir(tuple), "_asdict", "_replace", "_fields", "_make", "_field_defaults")),
    ("enum", "Enum"): _OF_ENUMS,
    ("enum", "ReprEnum"): _OF_ENUMS,
    ("enum", "Flag"): _OF_ENUMS,
    ("enum", "IntEnum"): _OF_ENUMS | frozenset((*dir(int), "is_integer")),
    ("enum", "IntFlag"): _OF_ENUMS | frozenset((*dir(int), "is_integer")),
    ("enum", "StrEnum"): _OF_ENUMS | frozenset(dir(str)),
}
"""Bases with known attributes, whatever their source says: (module, name) -> attributes."""
_KEEPS_CLASS = words_of("""
    dataclass total_ordering unique verify final runtime_checkable skipIf skipUnless skip deprecated
    dataclass_transform
""")
"""Decorators that add only attributes with underscores."""
_DYNAMIC = frozenset(("__getattr__", "__getattribute__", "__init_subclass__", "__set_name__", "__class__", "_ignore_"))
_OF_CLASSES = frozenset(("mro", "register"))
_OF_BUILTINS = {
    "BaseException": frozenset(("add_note",)),
    "ImportError": frozenset(("name_from",)),
    "int": frozenset(("is_integer",)),
    "str": frozenset(("removeprefix", "removesuffix")),
    "bytes": frozenset(("removeprefix", "removesuffix")),
    "bytearray": frozenset(("removeprefix", "removesuffix", "resize", "take_bytes")),
    "memoryview": frozenset(("count", "index")),
    "float": frozenset(dir(int)) | {"from_number", "is_integer"},
    "complex": frozenset((*dir(float), *dir(int))) | {"from_number", "is_integer"},
}
"""Attributes of built-in types in other versions than the running one, and those of numbers that may replace others."""
_OF_FILES = frozenset(
    name
    for kind in (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO)
    for name in dir(kind)
)
"""The attributes of `open`'s results."""


def lineage(thing: Thing, resolver: Resolving) -> list[Thing] | None:
    """A class and all its bases (classes, built-in or special ones) in the order of lookup; None for an unknown base."""
    ancestors: list[Thing] = []
    todo = [Thing("class", thing.what, thing.home)]
    while todo:
        ancestor = todo.pop()
        ancestors.append(ancestor)
        if ancestor.kind != "class":
            continue
        cls: Class = ancestor.what
        bases: list[Thing] = []
        if len(ancestors) > _MAX_BASES or not all_in(cls.decorators, _KEEPS_CLASS) or ancestor.home is None:
            return None
        for argument in cls.arguments:
            if argument.path is None:
                return None
            if argument.keyword is not None:
                if argument.keyword != "metaclass" or argument.path[-1] != "ABCMeta":
                    return None
                continue
            base = resolver.resolve(argument.path, ancestor.home)
            if base is None or base.kind not in ("class", "builtin class", "special"):
                return None
            if base.kind == "builtin class" and base.what in ("type", "super", "property"):
                return None
            bases.append(base)
        todo += reversed(bases)
    ordered: dict[Any, Thing] = {}
    for ancestor in ancestors:  # a shared base comes behind all its subclasses
        key = id(ancestor.what) if ancestor.kind == "class" else ancestor.what
        ordered.pop(key, None)
        ordered[key] = ancestor
    return list(ordered.values())


def members(thing: Thing, resolver: Resolving) -> Members | None:
    """The attributes of a thing; None if they are uncertain."""
    if thing.kind == "module":
        return _of_module(thing)
    if thing.kind == "builtin":
        return Members(repr(thing.what), _of_builtin(thing.what))
    if thing.kind == "file":
        return Members("an open file", _OF_FILES)
    if thing.kind not in ("class", "instance", "super"):
        return None
    return _of_class(thing, resolver)


def _of_module(thing: Thing) -> Members | None:
    module, home = thing.what, thing.home
    assert isinstance(home, ModuleHome)
    names: set[str] = set()
    todo: list[Module] = [module]
    seen: set[str] = set()
    while todo:
        current = todo.pop()
        if current.name in seen:
            continue
        seen.add(current.name)
        if current.facts.dynamic or "__getattr__" in current.facts.made:
            return None
        names |= current.facts.made.keys() | current.facts.declared
        for of in classes_of(current.facts):
            if any(path is not None and path[-1] == "global_enum" for path in of.decorators):
                names |= of.body.made.keys()
        for star in current.facts.stars:
            other = home.modules.get(star, current.package)
            if other is None:
                return None
            todo.append(other)
    return Members(f"module {module.name!r}", frozenset(names) | home.modules.submodules(module))


@lru_cache(maxsize=256)
def _of_builtin(name: str) -> frozenset[str]:
    kind = getattr(builtins, name)
    names = frozenset(dir(kind))
    for base, more in _OF_BUILTINS.items():
        if issubclass(kind, getattr(builtins, base)):
            names |= more
    return names


def _of_class(thing: Thing, resolver: Resolving) -> Members | None:
    ancestors = lineage(thing, resolver)
    if ancestors is None or (thing.kind == "super" and len(ancestors) == 1):
        return None
    names: set[str] = set()
    mentions: set[str] = set()
    for ancestor in ancestors:
        names |= _own_names(ancestor)
        if ancestor.kind != "class":
            continue
        body: Gathered = ancestor.what.body
        assert ancestor.home is not None
        if _is_open(body) or ancestor.home.patched():
            return None
        if not ancestor.what.arguments and any(name == "super()" for name, _ in body.mentions):
            return None  # a mixin
        names |= body.declared
        names.add(f"_{ancestor.what.name.lstrip('_')}__")  # the beginning of its private names outside of the class
        mentions |= body.own_mentions
        for lower in ancestor.home.derived(ancestor.what.name):
            beside = _beside(Thing("class", lower, ancestor.home), resolver)
            if beside is None:
                return None
            names |= beside
    if thing.kind == "class":
        names |= _OF_CLASSES
    strange = {name for name in mentions - names if not is_special(name)}
    if any(
        not any(ancestor.home.stored(name) for ancestor in ancestors if ancestor.home is not None) for name in strange
    ):
        return None  # there are unseen ones: a mixin's, or a subclass's attributes
    what = f"class {thing.what.name!r}" if thing.kind == "class" else repr(thing.what.name)
    return Members(what, frozenset(names) | strange)


def _own_names(of: Thing) -> Set[str]:
    """The attributes defined by a class or base itself."""
    if of.kind == "special":
        return SPECIAL[of.what]
    if of.kind == "builtin class":
        return _of_builtin(of.what)
    body: Gathered = of.what.body
    return body.made.keys() | body.own.keys()


def _is_open(body: Gathered) -> bool:
    """Whether a class may have unseen attributes."""
    return body.own_patched or body.dynamic or bool(body.patched) or not _DYNAMIC.isdisjoint(body.made)


def _beside(lower: Thing, resolver: Resolving) -> Set[str] | None:
    """The attributes that a subclass, and its other bases, add to a class that may be a mixin; None: unknown."""
    if sum(argument.keyword is None for argument in lower.what.arguments) < 2:
        return _own_names(lower)
    ancestors = lineage(lower, resolver)
    if ancestors is None or any(ancestor.kind == "class" and _is_open(ancestor.what.body) for ancestor in ancestors):
        return None
    return {name for ancestor in ancestors for name in _own_names(ancestor)}


def is_enum(lineage: Iterable[Thing]) -> bool:
    """Whether a class with this lineage is an enumeration."""
    return any(ancestor.kind == "special" and ancestor.what[0] == "enum" for ancestor in lineage)


def all_in(decorators: tuple[Path | None, ...], names: frozenset[str]) -> bool:
    return all(
        path is not None and (path[-1] if path[-1][0] != "(" else path[-2] if len(path) > 1 else "") in names
        for path in decorators
    )
