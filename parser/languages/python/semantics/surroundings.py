"""The values of names around a place in the document under edit: the innermost scope first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache, reduce
from typing import Any

from .....common.words import compiled
from .allowed_names import Members
from .facts import NOTHING, Binding, Class, Gathered, annotated_parameter, decorated, joined, of_class, of_function
from .homes import Home, Importable, Thing, classes_of, stored_names
from .line_values import Header, Signature
from .resolver import Resolver
from .type_paths import Path

_MAX_LOWER = 200
_MENTION = compiled(r"(?<![\w.])([^\W\d]\w*)\.([^\W\d]\w*)")
_TARGETS = re.compile(r"[^=(]*=(?!=)")


class ScopeFacts:
    """A scope around the place; header: None for the file. parts: facts of its statements, in order. place: the number of parts before the
    place."""

    def __init__(
        self, header: Header | None, parts: Sequence[Gathered], decorators: tuple[Path | None, ...], place: int = 0
    ) -> None:
        self.header = header
        self.kind = "module" if header is None else header.kind
        self.parts = parts
        self.decorators = decorators
        self.place = place
        self.inner = NOTHING
        """the inner scope, as this one sees it"""

    def with_inner(self, inner: ScopeFacts) -> ScopeFacts:
        """The scope with another scope within it."""
        index = self.place
        is_told = index > 0 and bool(self.parts[index - 1].decorators)  # these are then the inner one's
        parts = (*self.parts[:index], inner.seen_from_outside(decorated=not is_told), *self.parts[index:])
        scope = ScopeFacts(self.header, parts, self.decorators, index)
        scope.inner = inner.seen_from_outside()
        return scope

    def made(self, name: str) -> Binding:
        """The binding of a name by the scope's statements; NOTHING: there is none."""
        binding: Any = NOTHING
        decorators: tuple[Path | None, ...] = ()
        for part in self.parts:
            if name in part.made:
                own = part.made[name]
                if decorators and part.first == name:
                    own = decorated(own, decorators)
                if binding is NOTHING:
                    binding = own
                elif own is not binding and (own.__class__ is not tuple or own != binding):
                    return None
            decorators = part.decorators
        return binding

    def joined(self) -> Gathered:
        """The facts of all its parts."""
        return reduce(joined, self.parts, NOTHING)

    def seen_from_outside(self, *, decorated: bool = True) -> Gathered:
        """The function or class, as the scope around it sees it; decorated: including the decorators before it."""
        assert self.header is not None
        make = of_class if self.kind == "class" else of_function
        facts = make(self.header, self.joined())
        return joined(Gathered(decorators=self.decorators), facts) if self.decorators and decorated else facts


class Surroundings:
    """The scopes around a place, and the answers of their facts."""

    def __init__(self, scopes: Sequence[ScopeFacts], modules: Importable | None, line: Callable[[], str] = str) -> None:
        """line: the text on the cursor's line, except the word at the cursor."""
        self._line = line
        self.scopes = self._with_inner(scopes)
        versions = any(part.versions for scope in self.scopes for part in scope.parts)
        self.modules = modules.for_any_version() if modules is not None and versions else modules
        self.package = modules.package if modules is not None else ""
        self.home = ScopeHome(self, 0)
        self.resolver = Resolver(self.home)
        self._known: dict[Path, Members | None] = {}
        self._signatures: dict[Path, Signature | None] = {}

    def _with_inner(self, scopes: Sequence[ScopeFacts]) -> list[ScopeFacts]:
        """Each scope with the next inner one."""
        outward: list[ScopeFacts] = []
        for scope in scopes:
            outward.append(scope.with_inner(outward[-1]) if outward else scope)
        return outward

    def members(self, path: Path) -> Members | None:
        """The attributes of a path's value here, including those assigned by the document itself; None: unknown."""
        if path not in self._known:
            self._known[path] = self._members(path)
        return self._known[path]

    def _members(self, path: Path) -> Members | None:
        if self._is_to_fail or self._is_probed(path):
            return None
        members = self.resolver.members(path)
        if members is None:
            return None
        names = members.names | self.stored
        if len(path) == 1 and any(name not in names and name[:2] != "__" for name in self._mentioned(path[0])):
            return None  # there are unseen attributes
        return Members(members.owner, names)

    def is_fixed(self, name: str) -> bool:
        """Whether a name here is a class, a module or a method's own object."""
        return name == self.own_name(0) or self.resolver.is_class_or_module(name)

    def signature(self, path: Path) -> Signature | None:
        """The arguments accepted by a path's value; None: unknown."""
        if path not in self._signatures:
            unknown = self._is_to_fail or self._is_probed(path)
            self._signatures[path] = None if unknown else self.resolver.signature(path)
        return self._signatures[path]

    def thing(self, path: Path) -> Thing | None:
        """The value of a path; None: unknown."""
        return None if self._is_probed(path) else self.resolver.anew().resolve(path, self.home)

    def result(self) -> tuple[Path | None, Home]:
        """The annotation of the function's result, and the home in which to resolve it; None: there is none."""
        for number, scope in enumerate(self.scopes):
            if scope.header is not None and scope.kind == "def":
                return scope.header.returns, ScopeHome(self, number + 1)
        return None, self.home

    def importable(self, module: str) -> Members | None:
        """The possible names in `from module import`; None: unknown."""
        return self.resolver.importable(module)

    def _is_probed(self, path: Path) -> bool:
        beginnings = frozenset(path[:size] for size in range(1, len(path) + 1))
        return any(not beginnings.isdisjoint(part.probed) for scope in self.scopes for part in scope.parts)

    def _mentioned(self, name: str) -> Iterator[str]:
        yield from self._on_line.get(name, ())
        for scope in self.scopes:
            for part in scope.parts:
                yield from _mentions(part).get(name, ())
            if scope.made(name) is not NOTHING or (scope.header is not None and name in scope.header.params):
                return

    @cached_property
    def _on_line(self) -> dict[str, list[str]]:
        """The attributes read on the cursor's line, by their owners' names."""
        line, attributes = self._line(), dict[str, list[str]]()
        targets = _TARGETS.match(line)
        for match in _MENTION.finditer(line, targets.end() if targets is not None else 0):
            attributes.setdefault(match[1], []).append(match[2])
        return attributes

    @cached_property
    def _is_to_fail(self) -> bool:
        """Whether a decorator of a function around it expects failure."""
        return any(
            path is not None and any("fail" in part.lower() for part in path)
            for scope in self.scopes
            for path in scope.decorators
        )

    @cached_property
    def stored(self) -> frozenset[str]:
        """The attributes that the document assigns on anything but its methods' own objects."""
        names: set[str] = set()
        for number, scope in enumerate(self.scopes):
            own = self.own_name(number)
            for part in scope.parts:
                if scope.kind == "class":
                    names.update(name for _, name in part.stores)
                elif own is not None:
                    names.update(name for base, name in part.stores if base != own)
                else:
                    names |= stored_names(part)
        return frozenset(names)

    @cached_property
    def patched(self) -> bool:
        """Whether things may get attributes here in unknown ways."""
        return any(
            part.patched - {self.own_name(number), "super()"}
            for number, scope in enumerate(self.scopes)
            for part in scope.parts
        )

    def own_name(self, number: int) -> str | None:
        """A method's name for its object, or a class method's for its class; None for a scope that is not a method."""
        scope = self.scopes[number]
        if scope.kind != "def" or number + 1 == len(self.scopes) or self.scopes[number + 1].kind != "class":
            return None
        assert scope.header is not None
        first = scope.header.signature[0] if scope.header.signature else None
        is_static = any(d is None or d[-1] == "staticmethod" for d in scope.decorators)
        return None if first is None or first.kind not in ("", "/") or is_static else first.name


class ScopeHome:
    """The names visible from one of the scopes; see Home in homes.py."""

    def __init__(self, around: Surroundings, number: int) -> None:
        self.around = around
        self.number = number
        self.modules = around.modules
        self.package = around.package

    def lookup(self, name: str) -> tuple[Binding, Home] | None:
        """See Home; "super()" is the value of `super()`."""
        around = self.around
        if name == "super()":
            return self._super()
        for number in range(self.number, len(around.scopes)):
            scope = around.scopes[number]
            if scope.kind == "class" and number != self.number:
                continue
            here = ScopeHome(around, number)
            made = scope.made(name)
            if any(name in part.declared for part in scope.parts):
                return None, here
            if scope.header is not None and scope.kind == "def" and name in scope.header.params:
                return (None if made is not NOTHING else self._parameter(number, name)), ScopeHome(around, number + 1)
            if scope.header is not None and name in scope.header.type_params:
                return None, here
            if made is not NOTHING:
                return made, here
            if number + 1 == len(around.scopes) and any(part.stars or part.dynamic for part in scope.parts):
                return None, here
        return None

    def _parameter(self, number: int, name: str) -> Binding:
        scope = self.around.scopes[number]
        assert scope.header is not None
        if name == self.around.own_name(number):
            thing = self._class(number + 1)
            is_class = name == "cls" or scope.header.name in ("__new__", "__init_subclass__", "__class_getitem__")
            is_class |= any(d is not None and d[-1] == "classmethod" for d in scope.decorators)
            return None if thing is None else thing._replace(kind="class" if is_class else "instance", through="own")
        return annotated_parameter(scope.header.signature, name)

    def _class(self, number: int) -> Thing | None:
        """The class of a scope."""
        scope, around = self.around.scopes[number], self.around.scopes[number + 1]
        assert scope.header is not None and scope.header.name is not None
        binding = around.inner.made.get(scope.header.name)
        return Thing("class", binding, ScopeHome(self.around, number + 1)) if binding.__class__ is Class else None

    def _super(self) -> tuple[Binding, Home] | None:
        for number in range(self.number, len(self.around.scopes) - 1):
            if self.around.scopes[number].kind == "class":
                thing = self._class(number)
                method = self.around.scopes[number - 1]
                is_plain = number > self.number and not any(
                    d is None or d[-1] == "classmethod" for d in method.decorators
                )
                return None if thing is None else (thing._replace(kind="super", through="" if is_plain else "?"), self)
        return None

    def patched(self) -> bool:
        return self.around.patched

    def stored(self, attribute: str) -> bool:
        return attribute in self.around.stored

    def derived(self, name: str) -> Iterator[Class]:
        """See Home: classes of the document."""
        todo, seen = [name], {name}
        while todo and len(seen) < _MAX_LOWER:
            base = todo.pop()
            for scope in self.around.scopes:
                for part in scope.parts:
                    for candidate in classes_of(part):
                        if any(
                            argument.path is not None and argument.path[-1] == base for argument in candidate.arguments
                        ):
                            yield candidate
                            if candidate.name not in seen:
                                seen.add(candidate.name)
                                todo.append(candidate.name)


@lru_cache(maxsize=4096)
def _mentions(facts: Gathered) -> dict[str, frozenset[str]]:
    attributes_of: dict[str, set[str]] = {}
    for name, attribute in facts.mentions:
        attributes_of.setdefault(name, set()).add(attribute)
    return {name: frozenset(attributes) for name, attributes in attributes_of.items()}
