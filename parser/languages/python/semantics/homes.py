"""The places for looking up names, in the document or in an imported module, and the values of names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any, NamedTuple, Protocol

from .facts import Binding, Class, Function, Gathered
from .type_paths import Path


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """The facts of a module's source."""

    name: str
    package: str
    """the package to which its imports are relative"""
    facts: Gathered
    folder: FilePath | None
    """a package's folder, with its modules"""


class Importable(Protocol):
    """The modules that a file may import; see modules.py."""

    package: str
    """that of the file"""

    def for_any_version(self) -> Importable:
        """The same for a file that checks the version of Python: the contents of the standard library are unknown."""
        ...

    def absolute(self, name: str, package: str) -> str | None:
        """The full name of a module, possibly relative to a package."""
        ...

    def get(self, name: str, package: str = "") -> Module | None:
        """A module, possibly relative to a package; None if it is unknown, or not read yet."""
        ...

    def submodules(self, module: Module) -> frozenset[str]:
        """The names of the modules in a package."""
        ...

    def builtin(self, name: str) -> tuple[Function, Module] | None:
        """A built-in function or type with known arguments, and the module for its annotations."""
        ...


class Home(Protocol):
    """A place for looking up names."""

    @property
    def modules(self) -> Importable | None:
        """The importable modules; None: unknown."""
        ...

    @property
    def package(self) -> str:
        """The package to which imports are relative."""
        ...

    def lookup(self, name: str) -> tuple[Binding, Home] | None:
        """A name's binding, and the home in which to resolve it; None: nowhere. A binding of None: unknown."""
        ...

    def patched(self) -> bool:
        """Whether things may get attributes here in unknown ways."""
        ...

    def stored(self, attribute: str) -> bool:
        """Whether an attribute is assigned here on anything but a method's own object."""
        ...

    def derived(self, name: str) -> Iterator[Class]:
        """The classes here with a base of this name."""
        ...


class Thing(NamedTuple):
    """The value of an expression.

    kind: "module", "class", "instance", "super", "function", "builtin class", "builtin", "special"; "container": of a type without known
    attributes; "method": of a built-in type; "file": the result of `open`. what: the Module, Class, Function or name; of a method, the thing
    and its name. home: the place that resolves its names. arguments: the types of its contents, resolved there. through: a function's access
    through a "class" or an "instance"; "own" of a method's own object; "?": unknown.
    """

    kind: str
    what: Any
    home: Home | None = None
    arguments: tuple[Path | None, ...] = ()
    through: str = ""


class Resolving(Protocol):
    """The interface of a resolver for members and signatures; see resolver.py."""

    def anew(self) -> Resolving:
        """A fresh resolver for another question, with its own limit of steps."""
        ...

    def resolve(self, path: Path, home: Home) -> Thing | None:
        """The value of a path."""
        ...

    def source(self, path: Path, home: Home) -> tuple[str, str] | None:
        """The (module, name) that a name, or the attribute of a module, is imported from."""
        ...


class ModuleHome:
    """The names of a module."""

    def __init__(self, module: Module, modules: Importable) -> None:
        self.module = module
        self.modules = modules
        self.package = module.package

    def lookup(self, name: str) -> tuple[Binding, Home] | None:
        facts = self.module.facts
        if name in facts.made:
            return (None if name in facts.declared else facts.made[name]), self
        brought: list[tuple[Binding, Home]] = []
        for star in facts.stars:
            module = self.modules.get(star, self.package)
            if module is None:
                return None, self
            binding = ModuleHome(module, self.modules).lookup(name) if module is not self.module else None
            if binding is not None:
                brought.append(binding)
        return (None, self) if len(brought) > 1 else brought[0] if brought else None

    def patched(self) -> bool:
        return bool(self.module.facts.patched)

    def stored(self, attribute: str) -> bool:
        return attribute in stored_names(self.module.facts)

    def derived(self, name: str) -> Iterator[Class]:
        """See Home: for an imported module, only the class's own attributes count."""
        return iter(())


@lru_cache(maxsize=8192)
def stored_names(facts: Gathered) -> frozenset[str]:
    """The attributes assigned on anything but methods' own objects."""
    return frozenset((*(name for _, name in facts.stores), *facts.own))


@lru_cache(maxsize=4096)
def classes_of(facts: Gathered) -> tuple[Class, ...]:
    """The classes defined in the facts."""
    return tuple(binding for binding in facts.made.values() if binding.__class__ is Class)
