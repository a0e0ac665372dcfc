"""The meaning of a file's declarations together: the kinds of its names, and the compiler's errors about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from . import kinds
from .declarations import Declaration, Whole
from .imports import Imported
from .kinds import Function
from .name_facts import Declared
from .shapes import Type

Following = Callable[[str], Iterable[str]]
_INTERFACES = ("any", "comparable", "error")


Places = Mapping[str, tuple[str, Declaration | None]]
"""Name: its word and its declaration, None for that of the hole."""


def places_of(declarations: Iterable[Declaration]) -> Places:
    """The names that declarations bind."""
    return {name: (word, declaration) for declaration in declarations for name, word in declaration.declared}


class PackageLevel:
    """The kinds of names at package level, by the declarations of a file."""

    def __init__(
        self, places: Iterable[Places], own: Whole, imported: Imported, elsewhere: frozenset[str] | None
    ) -> None:
        """own: the meaning of another declaration; elsewhere: the names of other files, None where they are not known."""
        self._own, self._imported, self._elsewhere = own, imported, elsewhere
        self._places = ({name: (word, None) for name, word in own.declared}, *places)

    def _place(self, name: str) -> tuple[str, Declaration | None] | None:
        return next((places[name] for places in self._places if name in places), None)

    def whole_of(self, name: str) -> Whole | None:
        """The meaning of a name's declaration; None where it is not in the file."""
        place = self._place(name)
        return None if place is None else self._own if place[1] is None else place[1].whole

    def kind(self, name: str) -> str | None:
        """See kinds.py; None where it is not known."""
        place = self._place(name)
        if place is not None:
            return place[0]
        if name in self._imported.packages:
            return "package"
        if self._elsewhere is not None and name in self._elsewhere:
            return None
        return kinds.universal(name, surely=self._elsewhere is not None) or None

    def is_unknown(self, name: str) -> bool:
        """Whether it is certain that nothing has a name."""
        if self._elsewhere is None or self._imported.spread:
            return False
        return self.kind(name) is None and name not in self._elsewhere and name not in self._imported.names

    def function(self, name: str) -> Function | None:
        place = self._place(name)
        if place is None or place[0] != "func":
            return None
        functions = self._own.functions if place[1] is None else place[1].functions
        return dict(functions).get(name)

    def type(self, name: str) -> Declared | None:
        place = self._place(name)
        whole = self.whole_of(name) if place is not None and place[0] == "type" else None
        return None if whole is None else dict(whole.types).get(name)

    def misused(self, name: str, use: tuple[int, ...]) -> str | None:
        """Why a name may not stand where it does."""
        kind = self.kind(name)
        if kind is None:
            return None
        needs = kind == "func" and use[0] in (kinds.CALLED, kinds.GIVES)
        return kinds.misused(name, use, kind, self.function(name) if needs else None)

    # -- verdicts

    def errors(self, declarations: Whole) -> Iterator[str]:
        """The errors of declarations by the meaning of others."""
        for name, use in declarations.uses:
            if (message := self.misused(name, use)) is not None:
                yield message
        for doubt in declarations.doubts:
            kind = self._underlying(doubt.type).type.kind
            if (
                kind == "struct"
                or (kind == "map" and not doubt.key)
                or (not kind and doubt.key and self.is_unknown(doubt.key))
            ):
                yield doubt.message
        for name, message in declarations.repeated:
            whole = self.whole_of(name)
            words = {word for other, word in (() if whole is None else whole.declared) if other == name}
            if "const" in words or ("key" in message and ("flag" in words or self.kind(name) == "flag")):
                yield message
        for name, key in declarations.keyed:
            declared = self._underlying(name).type
            if declared.kind == "map" and isinstance(key, int):
                yield "missing key in map literal"
            elif declared.kind == "struct":
                if isinstance(key, int) and key != len(declared.fields):
                    yield f"too {'few' if key < len(declared.fields) else 'many'} values in struct literal of type {name}"
                elif isinstance(key, str) and key not in declared.fields:
                    yield f"unknown field {key} in struct literal of type {name}"
        for name in declarations.receivers:
            yield from self._receiver(name)
        for name, _ in declarations.types:
            if self._reaches(name, self._held) or self._reaches(name, self._renamed):
                yield f"invalid recursive type {name}"
        for name, _ in declarations.reads:
            if name != "_" and self.kind(name) != "func" and self._reaches(name, self._reads):
                yield f"initialization cycle or invalid constant {name}"

    def _underlying(self, name: str) -> Declared:
        """The last declaration of a type; an alias if all on the way are aliases."""
        seen, alias, declared = {name}, True, self.type(name) if name else None
        last = declared or Declared(Type(), False, 0)
        while declared is not None:
            last, alias = declared, alias and declared.alias
            name = declared.type.name if declared.type.kind == "name" else ""
            declared = self.type(name) if name and name not in seen else None
            seen.add(name)
        return last._replace(alias=alias)

    def _receiver(self, name: str) -> Iterator[str]:
        if self._place(name) is None:
            if self.kind(name) == "type":
                yield f"cannot define new methods on non-local type {name}"
            return
        declared = self._underlying(name)
        kind, last = declared.type.kind, declared.type.name
        universal = kind == "name" and self._place(last) is None and self.kind(last) == "type"
        if kind in ("pointer", "interface") or (universal and last in _INTERFACES):
            yield f"invalid receiver type {name} (pointer or interface type)"
        elif declared.alias and (kind == "qualified" or universal):
            yield f"cannot define new methods on non-local type {name}"

    def _held(self, name: str) -> Iterable[str]:
        """The types of which one has a value within."""
        declared = self.type(name)
        return () if declared is None else declared.type.holds

    def _renamed(self, name: str) -> Iterable[str]:
        """The types that an alias stands for a type of."""
        declared = self.type(name)
        return () if declared is None or not declared.alias else (*declared.type.holds, *declared.type.behind)

    def _reads(self, name: str) -> Iterable[str]:
        """The names of variables, constants and functions that a name at package level is worked out from."""
        whole = self.whole_of(name)
        return () if whole is None else dict(whole.reads).get(name, ())

    def _reaches(self, start: str, following: Following) -> bool:
        """Whether a name leads back to itself."""
        todo, seen = list(following(start)), set[str]()
        while todo:
            name = todo.pop()
            if name == start:
                return True
            if name not in seen and self._place(name) is not None:
                seen.add(name)
                todo += following(name)
        return False
