"""The parameters of functions, methods and classes, as far as they are known."""

from __future__ import annotations

from collections.abc import Iterable

from .....common.words import words_of
from .facts import Binding, Function, Gathered
from .homes import Home, Resolving, Thing
from .line_values import Field, Parameter, Path, Signature
from .members import lineage
from .type_paths import keywords_of

_KEEPS_SIGNATURE = words_of("""
    staticmethod classmethod abstractmethod override final lru_cache cache contextmanager asynccontextmanager
""")
_KEEPERS = frozenset(("builtins", "abc", "functools", "contextlib", "typing", "typing_extensions"))
"""Where these come from."""
_NAMED_TUPLE = "typing", "NamedTuple"
_PROTOCOLS = frozenset((("typing", "Protocol"), ("typing_extensions", "Protocol")))
_WITHOUT_CONSTRUCTOR = frozenset((*_PROTOCOLS, ("typing", "Generic"), ("abc", "ABC")))
_INERT = frozenset(("Generic", "Protocol", "ABC", "object"))
_MAKES_OTHERWISE = frozenset(("__new__", "__init_subclass__"))
_OF_THE_CLASS = frozenset(("__init_subclass__", "__class_getitem__"))
"""Class methods without a decorator."""
_TAKEN_BY_DATACLASS = frozenset(
    (*("init", "repr", "eq", "order", "unsafe_hash", "frozen", "match_args", "kw_only", "slots", "weakref_slot"),)
)


def signature(thing: Thing, resolver: Resolving) -> Signature | None:
    """The arguments of something that is called; None where they are not certain."""
    if thing.kind == "function":
        return None if thing.home is None else _of_function(thing.what, thing.home, thing.through, resolver)
    if thing.kind != "class" or thing.through == "own":
        return None
    of = lineage(thing, resolver) or []
    owner = repr(thing.what.name)
    classes = [one for one in of if one.kind == "class"]
    special = [one.what for one in of if one.kind == "special" and one.what != _NAMED_TUPLE]
    if not _WITHOUT_CONSTRUCTOR.issuperset(special) or not all(map(_is_made_by_init, classes)):
        return None
    if _PROTOCOLS.intersection(_bases(thing, resolver)):
        return None
    makers = sum("__init__" in one.what.body.made for one in classes)
    for one in of:
        if one.kind == "class" and "__init__" in one.what.body.made:
            function = one.what.body.made["__init__"]
            if function.__class__ is not Function or (makers > 1 and has_several_bases(of)):
                return None
            found = _of_function(function, one.home, "instance", resolver) if one.home is not None else None
            return None if found is None else found._replace(owner=owner)
        if one.kind == "class" and (
            _NAMED_TUPLE in _bases(one, resolver) or any(map(_is_dataclass, one.what.decorators))
        ):
            is_tuple = _NAMED_TUPLE in _bases(one, resolver)
            found = _of_fields(one.what.body.fields) if is_tuple else _of_dataclass(one, classes, resolver)
            return None if found is None else Signature(owner, found, 0, one.home)
        if one.kind == "builtin class" and one.what != "object":
            return None
    return Signature(owner, ()) if of else None


def _is_made_by_init(one: Thing) -> bool:
    """Is nothing known that makes objects of a class in another way?"""
    body: Gathered = one.what.body
    plain = one.home is not None and not one.home.patched() and not one.home.stored("__init__")
    return plain and not (body.patched or body.dynamic or body.made.keys() & _MAKES_OTHERWISE)


def _bases(one: Thing, resolver: Resolving) -> frozenset[tuple[str, str]]:
    """The special bases that a class has itself."""
    found = (
        resolver.anew().resolve(base.path, one.home)
        for base in one.what.arguments
        if base.path is not None and one.home is not None
    )
    return frozenset(base.what for base in found if base is not None and base.kind == "special")


def has_several_bases(lineage: Iterable[Thing]) -> bool:
    """Has one of these classes several bases that may differ in behaviour?"""
    return any(
        sum(
            base.keyword is None and base.path is not None and not _INERT.intersection(base.path)
            for base in one.what.arguments
        )
        > 1
        for one in lineage
        if one.kind == "class"
    )


def _of_function(function: Function, home: Home, through: str, resolver: Resolving) -> Signature | None:
    """through: see Thing"""
    kinds: set[str] = set()
    for path in function.decorators:
        name = None if path is None else path[:-1] if path[-1][0] == "(" else path
        source = None if not name else resolver.source(name, home)
        if source is None or source[1] not in _KEEPS_SIGNATURE or source[0] not in _KEEPERS:
            return None
        kinds.add(source[1])
    given = through in ("class", "instance") and "staticmethod" not in kinds and function.name != "__new__"
    if through == "class" and function.name not in _OF_THE_CLASS:
        given = given and "classmethod" in kinds
    if through and "abstractmethod" in kinds:
        return None  # the decorated function may take more
    if through == "?" or (given and not any(one.kind in ("", "/", "*") for one in function.signature)):
        return None
    return Signature(f"{function.name}()", function.signature, int(given), home)


def takes_the_same(one: Binding, other: Binding) -> bool:
    """Are these functions with the same arguments?"""
    if one.__class__ is not Function or other.__class__ is not Function or one.decorators != other.decorators:
        return False
    mine, its = ([parameter._replace(annotation=None) for parameter in each.signature] for each in (one, other))
    return mine == its


def _of_fields(fields: Iterable[Field]) -> tuple[Parameter, ...] | None:
    """The parameters that come of the fields of a named tuple."""
    found = tuple(fields)
    if len({one.name for one in found}) < len(found) or not all(one.is_certain for one in found):
        return None
    return tuple(Parameter(one.name, "", one.annotation, one.has_value) for one in found)


def _of_dataclass(thing: Thing, lineage: Iterable[Thing], resolver: Resolving) -> tuple[Parameter, ...] | None:
    """The parameters of the `__init__` that `dataclass` makes; lineage: of it or of a class that derives from it."""
    found: dict[str, Parameter] = {}
    classes = [one for one in lineage if one.kind == "class"]
    classes = classes[next(at for at, one in enumerate(classes) if one.what is thing.what) :]
    for one in reversed(classes):
        decorators: tuple[Path | None, ...] = one.what.decorators
        decorator = next(filter(_is_dataclass, decorators), None)
        if decorator is None:
            continue
        given = keywords_of(decorator[-1]) if decorator[-1][0] == "(" else {}
        source = (
            None
            if one.home is None
            else resolver.source(decorator[: len(decorator) - (decorator[-1][0] == "(")], one.home)
        )
        if source != ("dataclasses", "dataclass") or not given.keys() <= _TAKEN_BY_DATACLASS:
            return None
        by_keyword = given.get("kw_only", "False")
        if given.get("init", "True") != "True" or by_keyword not in ("True", "False"):
            return None
        kind = "=" if by_keyword == "True" else ""
        for field in one.what.body.fields:
            annotation = field.annotation or ()
            if not field.is_certain or field.name.startswith("__"):
                return None
            if annotation[-1:] == ("KW_ONLY",):
                kind = "="
                continue
            if "ClassVar" in annotation:
                continue
            told = _told(field)
            if told is None:
                return None
            has_default, is_taken, own = told
            bases = classes[classes.index(one) + 1 :]
            has_default |= not field.has_value and any(_has_attribute(base.what.body, field.name) for base in bases)
            if is_taken:
                found[field.name] = Parameter(field.name, own or kind, field.annotation, has_default)
            else:
                found.pop(field.name, None)
    by_position = [one for one in found.values() if not one.kind]
    return (*by_position, *(one for one in found.values() if one.kind))


def _has_attribute(body: Gathered, name: str) -> bool:
    """Has a class an attribute, which is the default of a field of this name in a class that derives from it?"""
    field = next((one for one in reversed(body.fields) if one.name == name), None)
    if field is None:
        return name in body.made
    told = None if field.value is None else keywords_of(field.value[-1])
    return field.has_value and (told is None or _is_plain(field.value) or "default" in told)


def _told(field: Field) -> tuple[bool, bool, str] | None:
    """(has it a default, is it a parameter, its kind if it says so) of a field of a dataclass; None where that is not known."""
    value = field.value
    if value is None or len(value) < 2 or value[-2] != "field" or value[-1][0] != "(":
        return (field.has_value, True, "") if not field.has_value or _is_plain(value) else None
    given = keywords_of(value[-1])
    init, by_keyword = given.get("init", "True"), given.get("kw_only", "False")
    if "**" in given or "*" in given or init not in ("True", "False") or by_keyword not in ("True", "False"):
        return None
    return (
        not given.keys().isdisjoint(("default", "default_factory")),
        init == "True",
        "=" if by_keyword == "True" else "",
    )


def _is_plain(value: Path | None) -> bool:
    """Is it no call, which might give what `field` gives?"""
    return value is None or value[-1][0] != "("


def _is_dataclass(decorator: Path | None) -> bool:
    return decorator is not None and "dataclass" in decorator
