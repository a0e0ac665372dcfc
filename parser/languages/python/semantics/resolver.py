"""The value of a path of names, attributes and calls."""

from __future__ import annotations

import builtins

from .....common.words import words_of
from .allowed_names import Members
from .facts import Binding, Class, Function, Gathered
from .homes import Home, Importable, Module, ModuleHome, Thing
from .line_values import Signature
from .members import SPECIAL, all_in, is_enum, lineage, members
from .signatures import has_several_bases, signature, takes_the_same
from .type_paths import (
    CALL,
    CALL_WITH_SEVERAL,
    ELEMENT,
    ENTERED,
    INDEX,
    PASSES_ON,
    SLICE,
    Path,
    alternatives_of,
    arguments_of,
    names_in,
    passed_to,
    position_of,
    subscript,
)

_MAX_STEPS = 24
"""Names and attributes followed for one question."""
_PLAIN_CALLS = words_of("str int float bytes list dict set frozenset tuple bytearray complex bool")
_KEEPS_RESULT = frozenset(("staticmethod", "classmethod", "abstractmethod", "override", "final", "lru_cache", "cache"))
_PROPERTIES = frozenset(("property", "cached_property", "abstractproperty"))
_TYPING = frozenset(("typing", "typing_extensions"))
_ABSTRACT = frozenset(("typing", "typing_extensions", "collections.abc", "collections"))
_TRANSPARENT = frozenset(("ClassVar", "Final", "Annotated", "Required", "NotRequired", "ReadOnly"))
_BUILT_IN = {"List": "list", "Dict": "dict", "Set": "set", "FrozenSet": "frozenset", "Tuple": "tuple"}
_INDEXED = frozenset(("list", "tuple", "Sequence", "MutableSequence", "deque", "Deque"))
_ONE_TYPE = _INDEXED | words_of("""
    set frozenset Set AbstractSet MutableSet Collection Iterable Iterator Reversible Generator KeysView ValuesView
""")
"""Containers whose elements have the type of their first argument."""
_MAPPINGS = frozenset(("dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict"))
CONTAINERS = _ONE_TYPE | _MAPPINGS | {"ItemsView"}
_GIVES_STRING = words_of("""
    capitalize casefold center expandtabs format join ljust lower lstrip removeprefix removesuffix replace rjust rstrip strip
    swapcase title upper zfill
""")
_GIVES_STRINGS = frozenset(("split", "rsplit", "splitlines"))


class Resolver:
    """Answers questions about one place, and memoizes the answers."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self._members: dict[Path, Members | None] = {}
        self._steps = 0

    def members(self, path: Path) -> Members | None:
        """The attributes of a path's value; None: unknown."""
        if path not in self._members:
            self._steps = 0
            thing = self.resolve(path, self.home)
            self._members[path] = None if thing is None else members(thing, self)
        return self._members[path]

    def is_class_or_module(self, name: str) -> bool:
        """Whether a name is a class or a module."""
        self._steps = 0
        thing = self.resolve((name,), self.home)
        return thing is not None and thing.kind in ("class", "builtin class", "module")

    def signature(self, path: Path) -> Signature | None:
        """The arguments accepted by a path's value; None: unknown."""
        self._steps = 0
        head, modules = path[0], self.home.modules
        builtin = modules.builtin(head) if modules is not None and len(path) == 1 else None
        if modules is not None and builtin is not None and self.home.lookup(head) is None:
            function, types = builtin
            return Signature(f"{head}()", function.signature, 0, ModuleHome(types, modules))
        thing = self.resolve(path, self.home)
        return None if thing is None else signature(thing, self)

    def importable(self, module: str) -> Members | None:
        """The possible names in `from module import`; None: unknown."""
        modules = self.home.modules
        source = modules.get(module, self.home.package) if modules is not None else None
        if source is None or modules is None:
            return None
        return members(Thing("module", source, ModuleHome(source, modules)), self)

    # -- things

    def anew(self) -> Resolver:
        """A fresh resolver for another question, with its own limit of steps."""
        self._steps = 0
        return self

    def resolve(self, path: Path, home: Home) -> Thing | None:
        """The value of a path."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return None
        head = path[0]
        if head[0] == "#":
            thing: Thing | None = Thing("builtin", head[1:])
        else:
            binding = home.lookup(head)
            if binding is not None:
                thing = self.thing(*binding)
            elif head == "super" and path[1:2] == ("()",):
                binding = home.lookup("super()")
                thing, path = (self.thing(*binding) if binding is not None else None), path[1:]
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
        """The value of a subscript, a loop or a `with`; part: of a path, see type_paths.py."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            return None
        if part == ENTERED:
            return self.entered(thing)
        what, position = thing.what, position_of(part)
        if thing.kind == "zipped":
            return Thing("row", what) if part == ELEMENT else None
        if thing.kind == "row":
            element = what[position] if position is not None and position < len(what) else None
            return None if element is None else self.part(element, ELEMENT)
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
        """The result of a function that passes on its arguments' elements; see PASSES_ON. arguments: resolved at home."""
        what = thing.what
        if thing.kind != "builtin class" or what not in PASSES_ON or not arguments:
            return self.called(thing)
        given = tuple(None if path is None else self.resolve(path, home) for path in arguments)
        if what == "enumerate":
            return Thing("zipped", (Thing("container", "Iterator", self.home, (("#int",),)), given[0]))
        if what == "zip":
            return Thing("zipped", given)
        only = given[0] if len(given) == 1 else None
        if what in ("next", "min", "max"):
            return None if only is None else self.part(only, ELEMENT)
        name = "list" if what == "sorted" else what if what in _PLAIN_CALLS else "Iterator"
        kind = "container" if name == "Iterator" else "builtin"
        held = _held(only, ELEMENT, None) if only is not None and only.kind in ("builtin", "container") else None
        if held is None or only is None:
            return Thing(kind, name)
        return Thing(kind, name, only.home, (held, ("...",)) if name == "tuple" else (held,))

    def entered(self, thing: Thing) -> Thing | None:
        """The value bound by a `with`."""
        if thing.kind == "file":
            return thing
        if thing.kind != "instance":
            return None
        method = self.attribute(thing, "__enter__")
        if method is None or method.kind != "function" or method.what.decorators:
            return None
        return thing if method.what.returns == ("Self",) else self.called(method)

    def generic(self, path: Path, arguments: tuple[Path | None, ...], home: Home) -> Thing | None:
        """An instance of a type with arguments."""
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
        """An instance of one of these types; known if only one of them is not None."""
        some = [path for path in dict.fromkeys(types) if path != ("None",)]
        return self.annotated(some[0], home) if len(some) == 1 else None

    def source(self, path: Path, home: Home) -> tuple[str, str] | None:
        """The origin of a name, or of a module's attribute, in the imports: (module, name)."""
        if path[0][0] == "#":
            return "builtins", path[0][1:]
        bound = home.lookup(path[0])
        if bound is None:
            return ("builtins", path[0]) if len(path) == 1 and hasattr(builtins, path[0]) else None
        binding = bound[0]
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
        """The value of a binding."""
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
        if (name, binding[2]) in SPECIAL:
            return Thing("special", (name, binding[2]))
        module = modules.get(name)
        return None if module is None else self.of_module(module, modules, binding[2])

    def annotated(self, path: Path | None, home: Home) -> Thing | None:
        """A value with this annotation."""
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

    def of_module(self, module: Module, modules: Importable, name: str) -> Thing | None:
        """The value of a name in a module."""
        self._steps += 1
        if (module.name, name) in SPECIAL:
            return Thing("special", (module.name, name))
        if module.facts.dynamic or self._steps > _MAX_STEPS:
            return None
        bound = ModuleHome(module, modules).lookup(name)
        is_submodule = name in modules.submodules(module)
        if bound is not None and is_submodule and name not in module.facts.made:
            return None  # the submodule, or a name from an `import *`: `asyncio.subprocess`
        if bound is not None:
            return self.thing(*bound)
        inner = modules.get(f"{module.name}.{name}") if is_submodule else None
        return None if inner is None else Thing("module", inner, ModuleHome(inner, modules))

    def called(self, thing: Thing) -> Thing | None:
        """The result of a call."""
        if thing.kind == "class":
            ancestors = lineage(thing, self)
            if ancestors is None or any("__new__" in base.what.body.made for base in ancestors if base.kind == "class"):
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
        if function.is_async or not all_in(function.decorators, _KEEPS_RESULT) or function.returns is None:
            return None
        if not names_in(function.returns).isdisjoint(function.parameters):
            return None
        return self.annotated(function.returns, thing.home)

    def method_called(self, thing: Thing, name: str) -> Thing | None:
        """The result of a method of a built-in type or a container."""
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
        """The value of an attribute."""
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
        ancestors = lineage(thing, self)
        if thing.kind == "super":
            ancestors = ancestors[1:] if ancestors is not None and not has_several_bases(ancestors) else None
        for ancestor in ancestors or ():
            if ancestor.kind != "class":
                return None
            body: Gathered = ancestor.what.body
            if name not in body.made and name not in body.own:
                continue
            if ancestor.home is None or ancestor.home.stored(name):
                return None
            binding = body.made[name] if name in body.made else body.own[name]
            if name in body.made and binding.__class__ is not Function and is_enum(ancestors or ()):
                return None  # a member, whatever its assigned value
            if name in body.made and name in body.own and binding != body.own[name]:
                if binding is None or binding.__class__ is not tuple or binding[0] != "annotated":
                    return None
            if binding.__class__ is Function:
                last = binding.decorators[-1] if binding.decorators else None
                if last is not None and last[-1] in _PROPERTIES:
                    plain = len(binding.decorators) == 1 and thing.kind == "instance"
                    return self.annotated(binding.returns, ancestor.home) if plain and binding.returns else None
            value = self.thing(binding, ancestor.home)
            if value is None or value.kind != "function":
                return value if thing.kind != "super" else None
            through = "class" if thing.kind == "class" else "instance"
            lower = ancestor.home.derived(ancestor.what.name) if thing.kind == "instance" else ()
            overrides = [other for other in lower if not takes_the_same(other.body.made.get(name, binding), binding)]
            if binding.__class__ is not Function or thing.through == "?" or overrides:
                through = "?"
            return value._replace(through=through)
        return None


def _held(thing: Thing, part: str, position: int | None) -> Path | None:
    """The type of a container's element at a place."""
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
