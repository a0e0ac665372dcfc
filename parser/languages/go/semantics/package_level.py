"""The meaning of a file's declarations together: the kinds of its names, and the compiler's errors about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from . import kinds
from .build import stated_minor
from .declarations import Declaration, Whole
from .imports import Imported
from .kinds import Function
from .messages import MISSING_KEY, invalid_receiver, non_local, recursive, unselected
from .name_facts import Declared
from .shapes import Type
from .universe import ORDINARY

Following = Callable[[str], Iterable[str]]
_INTERFACES = ("any", "comparable", "error")


Places = Mapping[str, tuple[str, Declaration | None]]
"""Name: its word and its declaration, None for the hole's own."""


def file_version(text: str, version: str) -> tuple[int, int]:
    """The version of a file's language: the one implied by its build condition, if any, else its module's."""
    stated = stated_minor(text)
    return 1, int(version.partition(".")[2]) if stated is None else stated


def places_of(declarations: Iterable[Declaration]) -> Places:
    """The names bound by declarations."""
    return {name: (word, declaration) for declaration in declarations for name, word in declaration.declared}


class PackageLevel:
    """The kinds of names at package level, by the declarations of a file."""

    def __init__(
        self,
        places: Iterable[Places],
        own: Whole,
        imported: Imported,
        elsewhere: frozenset[str] | None,
        version: tuple[int, int],
    ) -> None:
        """own: the meaning of another declaration; elsewhere: the names of other files, None where they are unknown."""
        self._own, self._imported, self._elsewhere, self._version = own, imported, elsewhere, version
        self._places = ({name: (word, None) for name, word in own.declared}, *places)

    def _place(self, name: str) -> tuple[str, Declaration | None] | None:
        return next((places[name] for places in self._places if name in places), None)

    def whole_of(self, name: str) -> Whole | None:
        """The meaning of a name's declaration; None where it is not in the file."""
        place = self._place(name)
        return None if place is None else self._own if place[1] is None else place[1].whole

    def kind(self, name: str) -> str | None:
        """The kind of a name, see kinds.py; None where it is unknown."""
        place = self._place(name)
        if place is not None:
            return place[0]
        if name in self._imported.packages:
            return "package"
        if self._elsewhere is not None and name in self._elsewhere:
            return None
        return kinds.universal(name, surely=self._elsewhere is not None) or None

    def is_unknown(self, name: str) -> bool:
        """Whether a name certainly has no declaration."""
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

    def _is_universal(self, name: str) -> bool:
        """Whether a predeclared name is not redeclared in the package, as far as known."""
        return self._place(name) is None and (self._elsewhere is None or name not in self._elsewhere)

    def _allocated(self, argument: str) -> str | None:
        """Why `new` does not take an argument that may be no type: a name, a call with `()` behind its name, "" for any other value."""
        if argument == "nil" and self._is_universal(argument):
            return "use of untyped nil in argument to new"
        callee = argument.removesuffix("()")
        kind = self.kind(callee) if callee else "var"
        if kind is None or (kind in ("type", "struct", "builtin") and callee == argument):
            return self._wrong_count(callee, 0)
        if kind == "package":
            return unselected(callee)
        if callee != argument and (message := self.misused(callee, (kinds.GIVES, 1))) is not None:
            return message
        return None if self._version >= (1, 26) else f"new({argument or 'value'}) requires go1.26 or later"

    def misused(self, name: str, use: kinds.Use) -> str | None:
        """Why a name may not stand where it does."""
        if use[0] == kinds.ALLOCATES:
            return self._allocated(use[1]) if self._is_universal(name) else None
        if use[0] == kinds.COUNTS:
            return "cannot use iota outside constant declaration" if self._is_universal(name) else None
        if use[0] == kinds.RECEIVES:
            declared = self.type(name)
            if declared is None or declared.alias or declared.arity == use[1]:
                return None
            return f"receiver declares {use[1]} type parameters, but {name} has {declared.arity}"
        if use[0] == kinds.TERM:
            _, tilde, alone, arguments = use
            return self._wrong_count(name, arguments) or (None if alone else self._wrong_term(name, tilde=tilde))
        if use[0] == kinds.HAS_VALUES:
            return self._without_values(name, use[1])
        kind = self.kind(name)
        if kind is None:
            return None
        needs = kind == "func" and use[0] in (kinds.CALLED, kinds.GIVES)
        return kinds.misused(name, use, kind, self.function(name) if needs else None)

    def _wrong_term(self, name: str, *, tilde: bool) -> str | None:
        """Why a name is no term of a union; tilde: behind `~`."""
        declared = self.type(name)
        if declared is None:
            if self._is_universal(name) and (name in ("comparable", "error") or (tilde and name == "any")):
                return f"cannot use {name} in union"
            return None
        if tilde and not declared.alias:
            return f"invalid use of ~: {name} is not its own underlying type"
        of = self._underlying(name).type
        if of.has_methods or (of.kind == "name" and of.name == "comparable" and self._is_universal(of.name)):
            return f"cannot use {name} in union ({name} contains methods)"
        return None

    def _wrong_count(self, name: str, arguments: int) -> str | None:
        """Why a type does not take so many type arguments."""
        declared = self.type(name)
        if declared is None or declared.arity == arguments:
            return None
        if not arguments:
            return f"cannot use generic type {name} without instantiation"
        return f"got {arguments} type arguments but {name} has {declared.arity} type parameters"

    def _without_values(self, name: str, arguments: int) -> str | None:
        """Why no variable may have a type; arguments: the number of written type arguments."""
        if (message := self._wrong_count(name, arguments)) is not None:
            return message
        if self._constrains(name, frozenset()):
            return f"cannot use type {name} outside a type constraint"
        return None

    def _constrains(self, name: str, seen: frozenset[str]) -> bool:
        """Whether a type is an interface that only constrains type parameters."""
        if name == "comparable":
            return self._is_universal(name)
        of = self._underlying(name).type
        if of.kind == "name" and of.name != name:
            return of.name == "comparable" and self._is_universal(of.name)
        if of.kind != "interface" or name in seen:
            return False
        return of.constrains or any(self._is_constraint(term.type, seen | {name}) for term in of.union)

    def _is_constraint(self, of: Type, seen: frozenset[str]) -> bool:
        """Whether an interface with this element has no values."""
        if of.kind != "name":
            return of.kind in ("pointer", "struct", "map", "list")
        if self._place(of.name) is None:
            return self._is_universal(of.name) and (of.name == "comparable" or of.name in ORDINARY - {"any", "error"})
        inner = self._underlying(of.name).type
        if inner.kind in ("pointer", "struct", "map", "list"):
            return True
        if inner.kind == "name" and inner.name in ORDINARY - {"any", "error"}:
            return self._is_universal(inner.name)
        return self._constrains(of.name, seen)

    # -- verdicts

    def errors(self, declarations: Whole) -> Iterator[str]:
        """The errors in declarations caused by the meaning of others."""
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
                yield MISSING_KEY
            elif declared.kind == "struct":
                if isinstance(key, int):
                    if key != len(declared.fields):
                        count = "few" if key < len(declared.fields) else "many"
                        yield f"too {count} values in struct literal of type {name}"
                elif (message := self._misplaced(declared, key)) is not None:
                    yield f"{message} in struct literal of type {name}"
        for name in declarations.receivers:
            yield from self._receiver(name)
        for name, declared in declarations.types:
            for of in declared.type.embedded:
                kind = self._underlying(of.name).type.kind if of.kind == "name" else ""
                is_alias = of.kind == "name" and (named := self.type(of.name)) is not None and named.alias
                if (kind == "pointer" and not is_alias) or (kind == "interface" and of.inner is not None):
                    yield "embedded field type cannot be a pointer"
            if self._reaches(name, self._held) or self._reaches(name, self._renamed):
                yield recursive(name)
        for name, _ in declarations.reads:
            if name != "_" and self.kind(name) != "func" and self._reaches(name, self._reads):
                yield f"initialization cycle or invalid constant {name}"

    def canonical(self, name: str) -> str:
        """The name of an alias's type, as far as it is known."""
        seen: set[str] = set()
        while name not in seen and (declared := self.type(name)) is not None and declared.alias:
            seen.add(name)
            if declared.type.kind != "name" or declared.type.arguments:
                break
            name = declared.type.name
        return name

    def _misplaced(self, struct: Type, keys: tuple[str, ...]) -> str | None:
        """Why names may not be the keys of one literal; since Go 1.27 a field of an embedded struct may, but not beside that struct."""
        paths: list[tuple[str, ...]] = []
        for key in keys:
            if key in struct.fields:
                paths.append((key,))
            elif self._version < (1, 27):
                return f"unknown field {key}"
            elif (path := self._promoted(struct, key)) is not None:
                if not path:
                    return f"unknown or ambiguous field {key}"
                paths.append(path)
        for path in paths:
            for longer in paths:
                if longer is not path and longer[: len(path)] == path:
                    return f"field {path[-1]} beside one of its own"
        return None

    def _promoted(self, struct: Type, key: str) -> tuple[str, ...] | None:
        """The path to a field through embedded structs; () where there is none, or several; None: unknown."""
        level: list[tuple[tuple[str, ...], Type]] = [((), struct)]
        seen: set[str] = set()
        while level:
            ways: list[tuple[str, ...]] = []
            following: list[tuple[tuple[str, ...], Type]] = []
            unknown = False
            for path, around in level:
                for embedded in around.embedded:
                    through = embedded.inner is not None
                    inner = self._underlying(embedded.name).type if embedded.kind == "name" else Type()
                    unknown |= not inner.kind
                    if inner.kind != "struct" or embedded.name in seen:
                        continue
                    here = (*path, embedded.name)
                    if key in inner.fields:
                        ways.append(() if through else (*here, key))
                    following.append((here, inner._replace(embedded=() if through else inner.embedded)))
            if unknown:
                return None
            if ways:
                return ways[0] if len(ways) == 1 else ()
            seen.update(path[-1] for path, _ in following)
            level = following
        return ()

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
                yield non_local(name)
            return
        declared = self._underlying(name)
        kind, last = declared.type.kind, declared.type.name
        universal = kind == "name" and self._place(last) is None and self.kind(last) == "type"
        if kind == "pointer" and declared.alias and declared.type.inner is not None:  # `type T = *U`
            inner = declared.type.inner
            if inner.kind == "qualified":
                yield non_local(inner.text)
            elif inner.kind == "name" and self._underlying(inner.name).type.kind not in ("pointer", "interface"):
                return
        if kind in ("pointer", "interface") or (universal and last in _INTERFACES):
            yield f"invalid receiver type {name} (pointer or interface type)"
        elif declared.alias and kind in ("struct", "list", "map"):
            yield invalid_receiver(name)
        elif declared.alias and (kind == "qualified" or universal):
            yield non_local(name)

    def _held(self, name: str) -> Iterable[str]:
        """The types with a value inside this one."""
        declared = self.type(name)
        return () if declared is None else declared.type.holds

    def _renamed(self, name: str) -> Iterable[str]:
        """The types an alias is made of."""
        declared = self.type(name)
        return () if declared is None or not declared.alias else (*declared.type.holds, *declared.type.behind)

    def _reads(self, name: str) -> Iterable[str]:
        """The variables, constants and functions in the value or body of a name at package level."""
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
