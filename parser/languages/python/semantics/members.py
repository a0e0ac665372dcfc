"""What something is, and so which attributes it has: from facts, of the file at hand and of the modules it imports.

`resolve` follows a path (`self.cart.items`) to a thing, and `members` says what the thing has. Both give None wherever the answer
is not certain: a base that is not known, `__getattr__`, a decorator that may change a class, a name that is bound twice. Of what is
only annotated a subclass may stand there, which is taken to have no other attributes than the class.
"""

from __future__ import annotations

import builtins
import enum
import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple, Protocol

from .builtin_names import BUILTIN_FUNCTIONS
from .contents import Dialect
from .facts import NOTHING, Binding, Class, Function, Gathered
from .line_values import Field, Members, Parameter, Path, Signature
from .lines import parse_file
from .modules import Module, Modules
from .sets import NONE
from .type_paths import (
    CALL,
    CALL_WITH_SEVERAL,
    ELEMENT,
    ENTERED,
    INDEX,
    PASSES_ON,
    SLICE,
    alternatives_of,
    arguments_of,
    keywords_of,
    names_in,
    passed_to,
    position_of,
    subscript,
)

_MAX_STEPS = 24
"""Names and attributes that are followed for one question."""
_MAX_BASES = 40
_PLAIN_CALLS = frozenset(
    ("str", "int", "float", "bytes", "list", "dict", "set", "frozenset", "tuple", "bytearray", "complex", "bool")
)
_OF_ENUMS = frozenset(
    (
        *("name", "value", "_name_", "_value_", "_ignore_", "_order_", "_missing_", "_generate_next_value_"),
        *("_member_names_", "_member_map_", "_value2member_map_", "_member_type_", "_sort_order_", "_boundary_"),
        *("_flag_mask_", "_singles_mask_", "_all_bits_", "_inverted_", "_new_member_", "_use_args_", "_value_repr_"),
        *("_add_alias_", "_add_value_alias_", "_hashable_values_", "_unhashable_values_", "_unhashable_values_map_"),
        *(name for kind in (enum.EnumMeta, enum.Enum, enum.Flag) for name in dir(kind)),
    )
)
"""What enumerations and their members have beside the names that a class gives them."""
_SPECIAL = {
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
"""Bases that are known, whatever their source says: (module, name) -> what they bring."""
_KEEPS_CLASS = frozenset(
    (
        "dataclass",
        "total_ordering",
        "unique",
        "verify",
        "final",
        "runtime_checkable",
        "skipIf",
        "skipUnless",
        "skip",
        "deprecated",
        "dataclass_transform",
    )
)
"""Decorators that bring no attributes but those with underscores."""
_KEEPS_SIGNATURE = frozenset(
    (
        "staticmethod",
        "classmethod",
        "abstractmethod",
        "override",
        "final",
        "lru_cache",
        "cache",
        "contextmanager",
        "asynccontextmanager",
    )
)
_KEEPERS = frozenset(("builtins", "abc", "functools", "contextlib", "typing", "typing_extensions"))
"""Where these come from."""
_KEEPS_RESULT = frozenset(("staticmethod", "classmethod", "abstractmethod", "override", "final", "lru_cache", "cache"))
_PROPERTIES = frozenset(("property", "cached_property", "abstractproperty"))
_DYNAMIC = frozenset(("__getattr__", "__getattribute__", "__init_subclass__", "__set_name__", "__class__", "_ignore_"))
_OF_CLASSES = frozenset(("mro", "register"))
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
_OF_BUILTINS = {
    "BaseException": frozenset(("add_note",)),
    "ImportError": frozenset(("name_from",)),
    "int": frozenset(("is_integer",)),
    "str": frozenset(("removeprefix", "removesuffix")),
    "bytes": frozenset(("removeprefix", "removesuffix")),
    "memoryview": frozenset(("count", "index")),
}
"""What built-in types have in other versions than the one that runs this."""


_OF_FILES = frozenset(
    name
    for one in (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO)
    for name in dir(one)
)
"""What `open` may give has."""
_TYPING = frozenset(("typing", "typing_extensions"))
_ABSTRACT = frozenset(("typing", "typing_extensions", "collections.abc", "collections"))
_TRANSPARENT = frozenset(("ClassVar", "Final", "Annotated", "Required", "NotRequired", "ReadOnly"))
_BUILT_IN = {"List": "list", "Dict": "dict", "Set": "set", "FrozenSet": "frozenset", "Tuple": "tuple"}
_INDEXED = frozenset(("list", "tuple", "Sequence", "MutableSequence", "deque", "Deque"))
_ONE_TYPE = _INDEXED | frozenset(
    (
        *("set", "frozenset", "Set", "AbstractSet", "MutableSet", "Collection"),
        *("Iterable", "Iterator", "Reversible", "Generator", "KeysView", "ValuesView"),
    )
)
"""Containers of elements of their first argument."""
_MAPPINGS = frozenset(("dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict"))
CONTAINERS = _ONE_TYPE | _MAPPINGS | {"ItemsView"}
_GIVES_STRING = frozenset(
    (
        *(
            "capitalize",
            "casefold",
            "center",
            "expandtabs",
            "format",
            "join",
            "ljust",
            "lower",
            "lstrip",
            "removeprefix",
        ),
        *("removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title", "upper", "zfill"),
    )
)
_GIVES_STRINGS = frozenset(("split", "rsplit", "splitlines"))


class Home(Protocol):
    """Where names are looked up, from some place."""

    @property
    def modules(self) -> Modules | None:
        """What can be imported; None: unknown."""
        ...

    @property
    def package(self) -> str:
        """What relative imports are relative to."""
        ...

    def lookup(self, name: str) -> tuple[Binding, Home] | None:
        """What a name is bound to, and where that is to be understood; None: nowhere. A binding of None: unknown."""
        ...

    def patched(self) -> bool:
        """May things get attributes here in ways that are not followed?"""
        ...

    def stored(self, attribute: str) -> bool:
        """Is the attribute assigned to something here, that is not a method's own object?"""
        ...

    def derived(self, name: str) -> Iterator[Class]:
        """Classes here that have a class of this name as a base."""
        ...


class Thing(NamedTuple):
    """What an expression gives.

    kind: "module", "class", "instance", "super", "function", "builtin class", "builtin", "special"; "container": of a type without known
    attributes; "method": of a built-in type; "file": what `open` gives. what: the Module, Class, Function or name; of a method, the thing and
    its name. home: where that is understood. arguments: the types of what it holds, understood there. through: what a function is an
    attribute of, "class" or "instance"; "own" of a method's own object; "?": how it is called is not known.
    """

    kind: str
    what: Any
    home: Home | None = None
    arguments: tuple[Path | None, ...] = ()
    through: str = ""


class ModuleHome:
    """The names of a module."""

    def __init__(self, module: Module, modules: Modules) -> None:
        self.module = module
        self.modules = modules
        self.package = module.package

    def lookup(self, name: str) -> tuple[Binding, Home] | None:
        """See Home."""
        facts = self.module.facts
        if name in facts.made:
            return (None if name in facts.declared else facts.made[name]), self
        brought: list[tuple[Binding, Home]] = []
        for star in facts.stars:
            full = self.modules.absolute(star, self.package)
            module = self.modules.get(full) if full is not None else None
            if module is None:
                return None, self
            found = ModuleHome(module, self.modules).lookup(name) if module is not self.module else None
            if found is not None:
                brought.append(found)
        return (None, self) if len(brought) > 1 else brought[0] if brought else None

    def patched(self) -> bool:
        """See Home."""
        return bool(self.module.facts.patched)

    def stored(self, attribute: str) -> bool:
        """See Home."""
        return attribute in stored_names(self.module.facts)

    def derived(self, name: str) -> Iterator[Class]:
        """See Home: of what is imported, only what the class itself has counts."""
        return iter(())


@lru_cache(maxsize=8192)
def stored_names(facts: Gathered) -> frozenset[str]:
    """The attributes that are assigned to anything but methods' own objects."""
    return frozenset((*(name for _, name in facts.stores), *facts.own))


@lru_cache(maxsize=4096)
def classes_of(facts: Gathered) -> tuple[Class, ...]:
    """The classes that are defined."""
    return tuple(one for one in facts.made.values() if one.__class__ is Class)


class Resolver:
    """Answers questions about one place; remembers what it has found."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self._members: dict[Path, Members | None] = {}
        self._steps = 0

    def members(self, path: Path) -> Members | None:
        """The attributes of what a path gives; None: unknown."""
        if path not in self._members:
            self._steps = 0
            thing = self.resolve(path, self.home)
            self._members[path] = None if thing is None else members(thing, self)
        return self._members[path]

    def is_class_or_module(self, name: str) -> bool:
        """Is that what a name is?"""
        self._steps = 0
        thing = self.resolve((name,), self.home)
        return thing is not None and thing.kind in ("class", "builtin class", "module")

    def signature(self, path: Path) -> Signature | None:
        """The arguments that what a path gives takes; None: unknown."""
        self._steps = 0
        head = path[0]
        if len(path) == 1 and (builtin := builtin_functions().get(head)) is not None and self.home.lookup(head) is None:
            return Signature(f"{head}()", builtin.signature, 0, _stub_home(self.home.modules))
        thing = self.resolve(path, self.home)
        return None if thing is None else signature(thing, self)

    def importable(self, module: str) -> Members | None:
        """The names that `from module import` can bring; None: unknown."""
        modules = self.home.modules
        full = modules.absolute(module, self.home.package) if modules is not None else None
        found = modules.get(full) if modules is not None and full is not None else None
        if found is None or modules is None:
            return None
        return members(Thing("module", found, ModuleHome(found, modules)), self)

    # -- things

    def anew(self) -> Resolver:
        """The same for another question."""
        self._steps = 0
        return self

    def resolve(self, path: Path, home: Home) -> Thing | None:
        """What a path gives."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return None
        head = path[0]
        if head[0] == "#":
            thing: Thing | None = Thing("builtin", head[1:])
        else:
            found = home.lookup(head)
            if found is not None:
                thing = self.thing(*found)
            elif head == "super" and path[1:2] == ("()",):
                found = home.lookup("super()")
                thing, path = (self.thing(*found) if found is not None else None), path[1:]
            elif head == "open":
                thing = Thing("special", ("builtins", "open"))
            elif head in PASSES_ON:
                thing = Thing("builtin class", head)
            else:
                thing = Thing("builtin class", head) if isinstance(getattr(builtins, head, None), type) else None
        for part in path[1:]:
            if thing is None:
                return None
            if part == CALL:
                thing = self.called(thing)
            elif part == CALL_WITH_SEVERAL:
                thing = self.called(thing) if thing.kind != "method" else None
            elif part[0] == "(":
                thing = self.passed_on(thing, passed_to(part), home)
            elif part[0] == "[":
                thing = thing if thing.kind in ("class", "special", "builtin class") else self.part(thing, part)
            else:
                thing = self.attribute(thing, part)
        return thing

    def part(self, thing: Thing, part: str) -> Thing | None:
        """What a subscript, a loop or a `with` makes of something; part: of a path, see type_paths.py."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return None
        if part == ENTERED:
            return self.entered(thing)
        what, position = thing.what, position_of(part)
        if thing.kind == "zipped":
            return Thing("row", what) if part == ELEMENT else None
        if thing.kind == "row":
            one = what[position] if position is not None and position < len(what) else None
            return None if one is None else self.part(one, ELEMENT)
        if thing.kind == "instance" and part == ELEMENT:
            method = self.attribute(thing, "__iter__")
            iterator = None if method is None else self.called(method)
            return None if iterator is None or iterator.kind != "container" else self.part(iterator, ELEMENT)
        if thing.kind not in ("builtin", "container"):
            return None
        if what in ("str", "bytes") and position is None:
            return Thing("builtin", what if part == SLICE or what == "str" else "int")
        if part == SLICE:
            whole = what in _INDEXED and (what != "tuple" or thing.arguments[1:] == (("...",),))
            return thing if whole else None
        if part == INDEX and what not in _INDEXED and what not in _MAPPINGS:
            return None
        if what in _MAPPINGS and part != INDEX and position is not None:
            return None
        kept = _held(thing, part, position)
        return None if kept is None or thing.home is None else self.annotated(kept, thing.home)

    def passed_on(self, thing: Thing, arguments: tuple[Path | None, ...], home: Home) -> Thing | None:
        """What a function gives that passes on what its arguments hold; see PASSES_ON. arguments: understood at home."""
        what = thing.what
        if thing.kind != "builtin class" or what not in PASSES_ON or not arguments:
            return self.called(thing)
        given = tuple(None if path is None else self.resolve(path, home) for path in arguments)
        if what == "enumerate":
            return Thing("zipped", (Thing("container", "Iterator", self.home, (("#int",),)), given[0]))
        if what == "zip":
            return Thing("zipped", given)
        first = given[0]
        known = first is not None and len(given) == 1
        if what in ("next", "min", "max"):
            return self.part(first, ELEMENT) if known and first is not None else None
        held = (
            _held(first, ELEMENT, None)
            if known and first is not None and first.kind in ("builtin", "container")
            else None
        )
        kind, name = (
            ("builtin", what)
            if what in _PLAIN_CALLS
            else ("builtin", "list")
            if what == "sorted"
            else ("container", "Iterator")
        )
        if held is None or first is None:
            return Thing(kind, name)
        return Thing(kind, name, first.home, (held, ("...",)) if name == "tuple" else (held,))

    def entered(self, thing: Thing) -> Thing | None:
        """What a `with` binds."""
        if thing.kind == "file":
            return thing
        if thing.kind != "instance":
            return None
        found = self.attribute(thing, "__enter__")
        if found is None or found.kind != "function" or found.what.decorators:
            return None
        return thing if found.what.returns == ("Self",) else self.called(found)

    def generic(self, path: Path, arguments: tuple[Path | None, ...], home: Home) -> Thing | None:
        """Something of a type with arguments."""
        source = self.source(path, home)
        if source is not None:
            module, name = source
            if module in _TYPING and name == "Optional" and len(arguments) == 1:
                return self.annotated(arguments[0], home)
            if module in _TYPING and name == "Union":
                return self.one_of(arguments, home)
            if module in _TYPING and name in _TRANSPARENT and arguments:
                return self.annotated(arguments[0], home)
            if module in _TYPING:
                name = _BUILT_IN.get(name, name)
            if module == "builtins" or name in _BUILT_IN.values():
                return Thing("builtin", name, home, arguments) if name in _PLAIN_CALLS else None
            if module in _ABSTRACT and name in CONTAINERS:
                return Thing("container", name, home, arguments)
        of = self.resolve(path, home)
        return Thing("instance", of.what, of.home) if of is not None and of.kind == "class" else None

    def one_of(self, types: tuple[Path | None, ...], home: Home) -> Thing | None:
        """Something of one of these types; known where all but None are one."""
        some = [one for one in dict.fromkeys(types) if one != ("None",)]
        return self.annotated(some[0], home) if len(some) == 1 else None

    def source(self, path: Path, home: Home) -> tuple[str, str] | None:
        """(module, name) that a name, or the attribute of a module, comes from, as the imports have it."""
        if path[0][0] == "#":
            return "builtins", path[0][1:]
        found = home.lookup(path[0])
        if found is None:
            return ("builtins", path[0]) if len(path) == 1 and hasattr(builtins, path[0]) else None
        binding = found[0]
        if binding.__class__ is not tuple:
            return None
        if binding[0] == "from" and len(path) == 1:
            return binding[1], binding[2]
        if binding[0] == "from" and len(path) == 2 and binding[1] == "collections" and binding[2] == "abc":
            return "collections.abc", path[1]
        if binding[0] == "module" and len(path) > 1:
            return ".".join((binding[1], *path[1:-1])), path[-1]
        return None

    def thing(self, binding: Binding, home: Home) -> Thing | None:
        """What a binding is."""
        if binding is None:
            return None
        if binding.__class__ is Function:
            return Thing("function", binding, home)
        if binding.__class__ is Class:
            return Thing("class", binding, home)
        if binding.__class__ is Thing:
            return binding
        kind = binding[0]
        if kind == "value":
            return None if binding[1] is None else self.resolve(binding[1], home)
        if kind == "annotated":
            return self.annotated(binding[1], home)
        modules = home.modules
        name = None if modules is None else modules.absolute(binding[1], home.package)
        if modules is None or name is None:
            return None
        if kind == "module":
            module = modules.get(name)
            return None if module is None else Thing("module", module, ModuleHome(module, modules))
        if (name, binding[2]) in _SPECIAL:
            return Thing("special", (name, binding[2]))
        module = modules.get(name)
        return None if module is None else self.of_module(module, modules, binding[2])

    def annotated(self, path: Path | None, home: Home) -> Thing | None:
        """What is annotated like this."""
        self._steps += 1
        if path is None or any(part[0] == "(" for part in path) or self._steps > _MAX_STEPS:
            return None
        if path[0][0] == "|":
            return self.one_of(alternatives_of(path[0]), home)
        if path[-1][0] == "[":
            return self.generic(path[:-1], arguments_of(path[-1]), home)
        of = self.resolve(path, home)
        if of is None:
            return None
        if of.kind == "class":
            return Thing("instance", of.what, of.home)
        if path[0][0] == "#":
            return of
        return Thing("builtin", of.what) if of.kind == "builtin class" and of.what in _PLAIN_CALLS else None

    def of_module(self, module: Module, modules: Modules, name: str) -> Thing | None:
        """What a module has under a name."""
        self._steps += 1
        if (module.name, name) in _SPECIAL:
            return Thing("special", (module.name, name))
        if module.facts.dynamic or self._steps > _MAX_STEPS:
            return None
        found = ModuleHome(module, modules).lookup(name)
        is_submodule = name in modules.submodules(module)
        if found is not None and is_submodule and name not in module.facts.made:
            return None  # the submodule, or what an `import *` brings: `asyncio.subprocess`
        if found is not None:
            return self.thing(*found)
        inner = modules.get(f"{module.name}.{name}") if is_submodule else None
        return None if inner is None else Thing("module", inner, ModuleHome(inner, modules))

    def called(self, thing: Thing) -> Thing | None:
        """What a call gives."""
        if thing.kind == "class":
            of = lineage(thing, self)
            if of is None or any("__new__" in one.what.body.made for one in of if one.kind == "class"):
                return None
            return Thing("instance", thing.what, thing.home)
        if thing.kind == "builtin class":
            what = "list" if thing.what == "sorted" else thing.what
            return Thing("builtin", what) if what in _PLAIN_CALLS else None
        if thing.kind == "method":
            return self.method_called(*thing.what)
        if thing == Thing("special", ("builtins", "open")):
            return Thing("file", None)
        if thing.kind != "function" or thing.home is None:
            return None
        function: Function = thing.what
        if function.is_async or not _all_in(function.decorators, _KEEPS_RESULT) or function.returns is None:
            return None
        if not names_in(function.returns).isdisjoint(function.parameters):
            return None
        return self.annotated(function.returns, thing.home)

    def method_called(self, thing: Thing, name: str) -> Thing | None:
        """What a method of a built-in type or a container gives."""
        what, arguments = thing.what, thing.arguments
        if what == "str":
            if name in _GIVES_STRING:
                return Thing("builtin", "str")
            if name in _GIVES_STRINGS:
                return Thing("builtin", "list", self.home, (("#str",),))
            return Thing("builtin", "bytes") if name == "encode" else None
        if name == "copy" and what in ("list", "dict", "set"):
            return thing
        if what in _MAPPINGS and len(arguments) == 2:
            if name == "keys":
                return Thing("container", "KeysView", thing.home, arguments[:1])
            if name == "values":
                return Thing("container", "ValuesView", thing.home, arguments[1:])
            if name in ("get", "pop", "setdefault") and thing.home is not None:
                return self.annotated(arguments[1], thing.home)
            return Thing("container", "ItemsView", thing.home, arguments) if name == "items" else None
        if name in ("pop", "popleft") and what in _ONE_TYPE and thing.home is not None:
            return self.annotated(arguments[0], thing.home) if arguments else None
        return None

    def attribute(self, thing: Thing, name: str) -> Thing | None:
        """What an attribute of something is."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return None
        if thing.kind == "module":
            assert isinstance(thing.home, ModuleHome)
            return self.of_module(thing.what, thing.home.modules, name)
        if thing.kind in ("builtin", "container"):
            return Thing("method", (thing, name))
        if thing.kind not in ("class", "instance", "super"):
            return None
        of = lineage(thing, self)
        if thing.kind == "super":
            of = of[1:] if of is not None and not _has_several_bases(of) else None
        for one in of or ():
            if one.kind != "class":
                return None
            body: Gathered = one.what.body
            if name not in body.made and name not in body.own:
                continue
            if one.home is None or one.home.stored(name):
                return None
            binding = body.made[name] if name in body.made else body.own[name]
            if name in body.made and binding.__class__ is not Function and _is_enum(of or ()):
                return None  # a member, whatever is assigned to it
            if name in body.made and name in body.own and binding != body.own[name]:
                if binding is None or binding.__class__ is not tuple or binding[0] != "annotated":
                    return None
            if binding.__class__ is Function:
                if (
                    binding.decorators
                    and binding.decorators[-1] is not None
                    and binding.decorators[-1][-1] in _PROPERTIES
                ):
                    plain = len(binding.decorators) == 1 and thing.kind == "instance"
                    return self.annotated(binding.returns, one.home) if plain and binding.returns else None
            found = self.thing(binding, one.home)
            if found is None or found.kind != "function":
                return found if thing.kind != "super" else None
            through = "class" if thing.kind == "class" else "instance"
            lower = one.home.derived(one.what.name) if thing.kind == "instance" else ()
            overrides = [other for other in lower if not _takes_the_same(other.body.made.get(name, binding), binding)]
            if binding.__class__ is not Function or thing.through == "?" or overrides:
                through = "?"
            return found._replace(through=through)
        return None


def _held(thing: Thing, part: str, position: int | None) -> Path | None:
    """The type of what a container holds at a place."""
    what, arguments = thing.what, thing.arguments
    if what in _MAPPINGS:
        return arguments[part == INDEX] if len(arguments) == 2 else None
    if what == "ItemsView":
        return ("#tuple", subscript(arguments)) if len(arguments) == 2 and part == ELEMENT else None
    if what == "tuple" and arguments[1:] != (("...",),):
        if position is not None and ("...",) not in arguments:
            return arguments[position] if position < len(arguments) else None
        return arguments[0] if len(set(arguments)) == 1 else None
    return arguments[0] if what in _ONE_TYPE and arguments else None


def lineage(thing: Thing, resolver: Resolver) -> list[Thing] | None:
    """A class with all its bases, which are classes, built-in ones, or special, in the order of look-ups; None where one is not known."""
    found: list[Thing] = []
    todo = [Thing("class", thing.what, thing.home)]
    while todo:
        one = todo.pop()
        found.append(one)
        if one.kind != "class":
            continue
        of: Class = one.what
        bases: list[Thing] = []
        if len(found) > _MAX_BASES or not _all_in(of.decorators, _KEEPS_CLASS) or one.home is None:
            return None
        for argument in of.arguments:
            if argument.path is None:
                return None
            if argument.keyword is not None:
                if argument.keyword != "metaclass" or argument.path[-1] != "ABCMeta":
                    return None
                continue
            base = resolver.resolve(argument.path, one.home)
            if base is None or base.kind not in ("class", "builtin class", "special"):
                return None
            if base.kind == "builtin class" and base.what in ("type", "super", "property"):
                return None
            bases.append(base)
        todo += reversed(bases)
    ordered: dict[Any, Thing] = {}
    for one in found:  # what several have as a base comes behind them all
        key = id(one.what) if one.kind == "class" else one.what
        ordered.pop(key, None)
        ordered[key] = one
    return list(ordered.values())


def members(thing: Thing, resolver: Resolver) -> Members | None:
    """The attributes of something; None where they are not certain."""
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
        one = todo.pop()
        if one.name in seen:
            continue
        seen.add(one.name)
        if one.facts.dynamic or "__getattr__" in one.facts.made:
            return None
        names |= one.facts.made.keys() | one.facts.declared
        for of in classes_of(one.facts):
            if any(path is not None and path[-1] == "global_enum" for path in of.decorators):
                names |= of.body.made.keys()
        for star in one.facts.stars:
            full = home.modules.absolute(star, one.package)
            other = home.modules.get(full) if full is not None else None
            if other is None:
                return None
            todo.append(other)
    return Members(f"module {module.name!r}", frozenset(names) | home.modules.submodules(module))


@lru_cache(maxsize=256)
def _of_builtin(name: str) -> frozenset[str]:
    kind = getattr(builtins, name)
    found = frozenset(dir(kind))
    for base, more in _OF_BUILTINS.items():
        if issubclass(kind, getattr(builtins, base)):
            found |= more
    return found


def _of_class(thing: Thing, resolver: Resolver) -> Members | None:
    of = lineage(thing, resolver)
    if of is None or (thing.kind == "super" and len(of) == 1):
        return None
    names: set[str] = set()
    mentions: set[str] = set()
    for one in of:
        if one.kind == "special":
            names |= _SPECIAL[one.what]
            continue
        if one.kind == "builtin class":
            names |= _of_builtin(one.what)
            continue
        body: Gathered = one.what.body
        assert one.home is not None
        if body.own_patched or body.dynamic or body.patched or one.home.patched() or body.made.keys() & _DYNAMIC:
            return None
        if thing.kind == "class" and "__slots__" in body.made:
            return None  # each slot is an attribute of the class
        if not one.what.arguments and any(name == "super()" for name, _ in body.mentions):
            return None  # a mixin
        names |= body.made.keys()
        names |= body.own.keys()
        names |= body.declared
        names.add(f"_{one.what.name.lstrip('_')}__")  # the beginning of its private names, as others write them
        mentions |= body.own_mentions
        for lower in one.home.derived(one.what.name):
            names |= lower.body.made.keys()
            names |= lower.body.own.keys()
    if thing.kind == "class":
        names |= _OF_CLASSES
    strange = {name for name in mentions - names if not _is_special(name)}
    if any(not any(one.home.stored(name) for one in of if one.home is not None) for name in strange):
        return None  # there is more than is seen: a mixin, or what a subclass has
    what = f"class {thing.what.name!r}" if thing.kind == "class" else repr(thing.what.name)
    return Members(what, frozenset(names) | strange)


def _is_enum(lineage: Iterable[Thing]) -> bool:
    """Is a class with these bases an enumeration?"""
    return any(one.kind == "special" and one.what[0] == "enum" for one in lineage)


def _is_special(name: str) -> bool:
    """Is this a name that Python itself, or its mangling, may give?"""
    return name.startswith("__") or (name.startswith("_") and "__" in name)


def _all_in(decorators: tuple[Path | None, ...], known: frozenset[str]) -> bool:
    return all(
        path is not None and (path[-1] if path[-1][0] != "(" else path[-2] if len(path) > 1 else "") in known
        for path in decorators
    )


def signature(thing: Thing, resolver: Resolver) -> Signature | None:
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
            if function.__class__ is not Function or (makers > 1 and _has_several_bases(of)):
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


def _bases(one: Thing, resolver: Resolver) -> frozenset[tuple[str, str]]:
    """The special bases that a class has itself."""
    found = (
        resolver.anew().resolve(base.path, one.home)
        for base in one.what.arguments
        if base.path is not None and one.home is not None
    )
    return frozenset(base.what for base in found if base is not None and base.kind == "special")


def _has_several_bases(lineage: Iterable[Thing]) -> bool:
    """Has one of these classes several bases that may differ in what they do?"""
    return any(
        sum(
            base.keyword is None and base.path is not None and not _INERT.intersection(base.path)
            for base in one.what.arguments
        )
        > 1
        for one in lineage
        if one.kind == "class"
    )


def _of_function(function: Function, home: Home, through: str, resolver: Resolver) -> Signature | None:
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
        return None  # what stands there may take more
    if through == "?" or (given and not any(one.kind in ("", "/", "*") for one in function.signature)):
        return None
    return Signature(f"{function.name}()", function.signature, int(given), home)


def _takes_the_same(one: Binding, other: Binding) -> bool:
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


def _of_dataclass(thing: Thing, lineage: Iterable[Thing], resolver: Resolver) -> tuple[Parameter, ...] | None:
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


@cache
def _stub() -> Gathered:
    content = parse_file(BUILTIN_FUNCTIONS, Dialect((3, 13)))
    assert content.facts is not None
    return content.facts.gathered()


@cache
def builtin_functions() -> dict[str, Function]:
    """The built-in functions and types whose arguments are known, as all versions together take them."""
    return {name: one for name, one in _stub().made.items() if one.__class__ is Function}


def _stub_home(modules: Modules | None) -> Home | None:
    """Where the annotations of built-in functions are understood."""
    made = {name: one for name, one in _stub().made.items() if one.__class__ is not Function}
    return None if modules is None else ModuleHome(Module("builtins", "", replace(NOTHING, made=made), None), modules)
