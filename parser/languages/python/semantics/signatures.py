"""The parameters of functions, methods and classes, as far as they are known."""

from __future__ import annotations

from collections.abc import Iterable

from .....common.words import words_of
from .facts import Binding, Function, Gathered
from .homes import Home, Resolving, Thing
from .line_values import Field, Parameter, Signature
from .members import lineage
from .type_paths import Path, keywords_of

_KEEPS_SIGNATURE = words_of("""
    staticmethod classmethod abstractmethod override final lru_cache cache contextmanager asynccontextmanager
""")
_KEEPERS = frozenset(("builtins", "abc", "functools", "contextlib", "typing", "typing_extensions"))
"""The modules of these decorators."""
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
    """The signature of a callable thing; None if it is uncertain."""
    if thing.kind == "function":
        return None if thing.home is None else _of_function(thing.what, thing.home, thing.through, resolver)
    if thing.kind != "class" or thing.through == "own":
        return None
    ancestors = lineage(thing, resolver) or []
    owner = repr(thing.what.name)
    classes = [ancestor for ancestor in ancestors if ancestor.kind == "class"]
    special = [ancestor.what for ancestor in ancestors if ancestor.kind == "special" and ancestor.what != _NAMED_TUPLE]
    if not _WITHOUT_CONSTRUCTOR.issuperset(special) or not all(map(_is_made_by_init, classes)):
        return None
    if _PROTOCOLS.intersection(_bases(thing, resolver)):
        return None
    makers = sum("__init__" in ancestor.what.body.made for ancestor in classes)
    for ancestor in ancestors:
        if ancestor.kind == "class" and "__init__" in ancestor.what.body.made:
            function = ancestor.what.body.made["__init__"]
            if function.__class__ is not Function or (makers > 1 and has_several_bases(ancestors)):
                return None
            home = ancestor.home
            constructor = None if home is None else _of_function(function, home, "instance", resolver)
            return None if constructor is None else constructor._replace(owner=owner)
        is_tuple = ancestor.kind == "class" and _NAMED_TUPLE in _bases(ancestor, resolver)
        if is_tuple or (ancestor.kind == "class" and any(map(_is_dataclass, ancestor.what.decorators))):
            fields = ancestor.what.body.fields
            parameters = _of_fields(fields) if is_tuple else _of_dataclass(ancestor, classes, resolver)
            return None if parameters is None else Signature(owner, parameters, 0, ancestor.home)
        if ancestor.kind == "builtin class" and ancestor.what != "object":
            return None
    return Signature(owner, ()) if ancestors else None


def _is_made_by_init(thing: Thing) -> bool:
    """Whether only `__init__` is known to make objects of a class."""
    body: Gathered = thing.what.body
    plain = thing.home is not None and not thing.home.patched() and not thing.home.stored("__init__")
    return plain and not (body.patched or body.dynamic or body.made.keys() & _MAKES_OTHERWISE)


def _bases(thing: Thing, resolver: Resolving) -> frozenset[tuple[str, str]]:
    """The special bases of a class itself."""
    bases = (
        resolver.anew().resolve(base.path, thing.home)
        for base in thing.what.arguments
        if base.path is not None and thing.home is not None
    )
    return frozenset(base.what for base in bases if base is not None and base.kind == "special")


def has_several_bases(lineage: Iterable[Thing]) -> bool:
    """Whether one of these classes has several bases that may behave differently."""
    return any(
        sum(
            base.keyword is None and base.path is not None and not _INERT.intersection(base.path)
            for base in ancestor.what.arguments
        )
        > 1
        for ancestor in lineage
        if ancestor.kind == "class"
    )


def _of_function(function: Function, home: Home, through: str, resolver: Resolving) -> Signature | None:
    """The signature of a function; through: see Thing."""
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
    if through == "?" or (given and not any(parameter.kind in ("", "/", "*") for parameter in function.signature)):
        return None
    return Signature(f"{function.name}()", function.signature, int(given), home)


def takes_the_same(function: Binding, other: Binding) -> bool:
    """Whether both are functions with the same parameters."""
    if function.__class__ is not Function or other.__class__ is not Function or function.decorators != other.decorators:
        return False
    mine, its = ([parameter._replace(annotation=None) for parameter in each.signature] for each in (function, other))
    return mine == its


def _of_fields(fields: Iterable[Field]) -> tuple[Parameter, ...] | None:
    """The parameters from the fields of a named tuple."""
    members = tuple(fields)
    if len({field.name for field in members}) < len(members) or not all(field.is_certain for field in members):
        return None
    return tuple(Parameter(field.name, "", field.annotation, field.has_value) for field in members)


def _of_dataclass(thing: Thing, lineage: Iterable[Thing], resolver: Resolving) -> tuple[Parameter, ...] | None:
    """The parameters of the `__init__` made by `dataclass`; lineage: of the class or of a subclass."""
    parameters: dict[str, Parameter] = {}
    classes = [ancestor for ancestor in lineage if ancestor.kind == "class"]
    classes = classes[next(position for position, ancestor in enumerate(classes) if ancestor.what is thing.what) :]
    for ancestor in reversed(classes):
        decorators: tuple[Path | None, ...] = ancestor.what.decorators
        decorator = next(filter(_is_dataclass, decorators), None)
        if decorator is None:
            continue
        name, given = (decorator[:-1], keywords_of(decorator[-1])) if decorator[-1][0] == "(" else (decorator, {})
        source = None if ancestor.home is None else resolver.source(name, ancestor.home)
        if source != ("dataclasses", "dataclass") or not given.keys() <= _TAKEN_BY_DATACLASS:
            return None
        by_keyword = given.get("kw_only", "False")
        if given.get("init", "True") != "True" or by_keyword not in ("True", "False"):
            return None
        kind = "=" if by_keyword == "True" else ""
        for field in ancestor.what.body.fields:
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
            bases = classes[classes.index(ancestor) + 1 :]
            has_default |= not field.has_value and any(_has_attribute(base.what.body, field.name) for base in bases)
            if is_taken:
                parameters[field.name] = Parameter(field.name, own or kind, field.annotation, has_default)
            else:
                parameters.pop(field.name, None)
    by_position = [parameter for parameter in parameters.values() if not parameter.kind]
    return (*by_position, *(parameter for parameter in parameters.values() if parameter.kind))


def _has_attribute(body: Gathered, name: str) -> bool:
    """Whether a class has an attribute that serves as the default of a subclass's field of this name."""
    field = next((candidate for candidate in reversed(body.fields) if candidate.name == name), None)
    if field is None:
        return name in body.made
    told = None if field.value is None else keywords_of(field.value[-1])
    return field.has_value and (told is None or _is_plain(field.value) or "default" in told)


def _told(field: Field) -> tuple[bool, bool, str] | None:
    """(whether a field of a dataclass has a default, whether it is a parameter, its own kind); None if that is unknown."""
    value = field.value
    if value is None or len(value) < 2 or value[-2] != "field" or value[-1][0] != "(":
        return (field.has_value, True, "") if not field.has_value or _is_plain(value) else None
    given = keywords_of(value[-1])
    init, by_keyword = given.get("init", "True"), given.get("kw_only", "False")
    if "**" in given or "*" in given or init not in ("True", "False") or by_keyword not in ("True", "False"):
        return None
    has_default = not given.keys().isdisjoint(("default", "default_factory"))
    return has_default, init == "True", "=" if by_keyword == "True" else ""


def _is_plain(value: Path | None) -> bool:
    """Whether a value is not a call, which might return a `field`."""
    return value is None or value[-1][0] != "("


def _is_dataclass(decorator: Path | None) -> bool:
    return decorator is not None and "dataclass" in decorator
