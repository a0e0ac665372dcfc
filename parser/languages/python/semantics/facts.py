"""Facts of statements about attributes: the values of names, the assigned attributes, and the places where neither can be known.

Facts hang on contents and are gathered on demand: joining two runs of statements costs one object. modules.py makes the same facts of files
that are only read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .....common.words import is_name
from .line_values import SETS_ATTRIBUTES, TELLS_VERSION, Argument, Field, Header, Parameter
from .operations import Operations, each
from .sets import NONE, frozen, union
from .type_paths import Path, names_in, without_arguments

Binding = Any
"""The value of a name or an attribute, one of

- ("value", path): an expression's value; ("annotated", path): something of an annotated type; path None: unknown;
- ("module", name), ("from", module, name): imports;
- a `Function` or a `Class`;
- None: several things, or something else.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The facts of a run of statements in one scope."""

    made: dict[str, Binding] = field(default_factory=dict[str, Binding])
    """the values of names"""
    stores: dict[tuple[str, str], Binding] = field(default_factory=dict[tuple[str, str], Binding])
    """(the owner's name, attribute) -> its value; the name is "" for any other expression"""
    mentions: frozenset[tuple[str, str]] = NONE
    """(name, attribute) for each attribute of a name in the code"""
    probed: frozenset[Path] = NONE
    """the things whose type or attributes the code checks: they may not be what they seem"""
    patched: frozenset[str] = NONE
    """names that get attributes in unknown ways; "super()", and "" for any other expression"""
    own: dict[str, Binding] = field(default_factory=dict[str, Binding])
    """the attributes that this scope's functions assign on their first parameter"""
    own_mentions: frozenset[str] = NONE
    own_patched: bool = False
    decorators: tuple[Path | None, ...] = ()
    """those at the end, of the next statement"""
    first: str | None = None
    """the name defined by the first statement"""
    declared: frozenset[str] = NONE
    """names declared global or nonlocal, here or in a function within"""
    stars: frozenset[str] = NONE
    """the modules of `from module import *`"""
    dynamic: bool = False
    """whether names may be bound in unknown ways"""
    versions: bool = False
    """whether the code checks the version of Python"""
    fields: tuple[Field, ...] = ()
    """the annotated names, in order"""


NOTHING = Gathered()


class Function(NamedTuple):
    """The definition of a function."""

    name: str
    signature: tuple[Parameter, ...]
    decorators: tuple[Path | None, ...] = ()
    is_async: bool = False
    returns: Path | None = None
    parameters: frozenset[str] = NONE
    """its type parameters"""


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """The definition of a class."""

    name: str
    arguments: tuple[Argument, ...]
    body: Gathered
    decorators: tuple[Path | None, ...] = ()
    parameters: frozenset[str] = NONE


class Facts:
    """Facts gathered on demand."""

    __slots__ = ("_gathered",)

    _gathered: Gathered | None

    def gathered(self) -> Gathered:
        """The facts, memoized."""
        gathered = self._gathered
        if gathered is None:
            gathered = self._gathered = self._gather()
        return gathered

    def _gather(self) -> Gathered:
        raise NotImplementedError


class Lines(Facts):
    """Facts of a line's simple statements."""

    __slots__ = ("items",)

    def __init__(self, items: Operations) -> None:
        self._gathered = None
        self.items = items

    def _gather(self) -> Gathered:
        return _Gatherer().run(self.items).done()


class Joined(Facts):
    """Facts of two runs of statements, one after the other."""

    __slots__ = ("after", "before")

    def __init__(self, before: Facts, after: Facts) -> None:
        self._gathered = None
        self.before, self.after = before, after

    def _gather(self) -> Gathered:
        todo = [self]
        while True:  # a long run of statements may have been joined one by one
            last = todo[-1]
            inner = [part for part in (last.before, last.after) if isinstance(part, Joined) and part._gathered is None]
            if inner:
                todo += inner
                continue
            gathered = last._gathered = joined(last.before.gathered(), last.after.gathered())
            todo.pop()
            if not todo:
                return gathered


class Block(Facts):
    """Facts of a compound statement, or one of its clauses, for the scope around it."""

    __slots__ = ("body", "header")

    def __init__(self, header: Header, body: Facts | None) -> None:
        self._gathered = None
        self.header, self.body = header, body

    def _gather(self) -> Gathered:
        header, body = self.header, self.body.gathered() if self.body is not None else NOTHING
        head = _Gatherer().run(header.items)
        if header.scoped is not None:
            head.run(header.scoped)
        if header.kind == "def":
            return joined(head.done(), of_function(header, body))
        if header.kind == "class" and header.name is not None:  # an unfinished header has none
            return joined(head.done(), of_class(header, body))
        if header.name is not None:
            head.bind(header.name)
        if body.fields:
            body = replace(body, fields=tuple(field._replace(is_certain=False) for field in body.fields))
        return joined(head.done(), body)


def joined(a: Gathered, b: Gathered) -> Gathered:
    """The facts of two runs of statements, one after the other."""
    if a is NOTHING:
        return b
    if b is NOTHING:
        return a
    made = b.made
    if a.decorators and b.first is not None and made.get(b.first) is not None:
        made = {**made, b.first: decorated(made[b.first], a.decorators)}
    return Gathered(
        merged(a.made, made),
        merged(a.stores, b.stores),
        union(a.mentions, b.mentions),
        union(a.probed, b.probed),
        union(a.patched, b.patched),
        merged(a.own, b.own),
        union(a.own_mentions, b.own_mentions),
        a.own_patched or b.own_patched,
        b.decorators if b.made or not a.decorators else (*a.decorators, *b.decorators),
        a.first or (None if a.made else b.first),
        union(a.declared, b.declared),
        union(a.stars, b.stars),
        a.dynamic or b.dynamic,
        a.versions or b.versions,
        a.fields + b.fields,
    )


def merged(a: dict[Any, Binding], b: dict[Any, Binding]) -> dict[Any, Binding]:
    """The bindings of either; None where the two differ."""
    if not a:
        return b
    if not b:
        return a
    both = {**a, **b}
    for key in a.keys() & b.keys():
        first, second = a[key], b[key]
        if first is not second and (first.__class__ is not tuple or first != second):
            both[key] = None
    return both


def decorated(binding: Binding, decorators: tuple[Path | None, ...]) -> Binding:
    if binding.__class__ is Function:
        return binding._replace(decorators=(*decorators, *binding.decorators))
    if binding.__class__ is Class:
        return replace(binding, decorators=(*decorators, *binding.decorators))
    return None


def of_function(header: Header, body: Gathered) -> Gathered:
    """The facts of a function for the scope around it."""
    assert header.name is not None
    function = Function(header.name, header.signature, (), header.is_async, header.returns, frozen(header.type_params))
    first = header.signature[0].name if header.signature and header.signature[0].kind in ("", "/") else None
    local = (frozenset(header.params) | body.made.keys()) - body.declared
    stores: dict[tuple[str, str], Binding] = {}
    own: dict[str, Binding] = {}
    for (base, attribute), value in body.stores.items():
        if base == first:
            own[attribute] = outside(value, header.signature, local)
        elif base == "" or base in local:
            stores["", attribute] = None
        else:
            stores[base, attribute] = None
    stores |= {("", attribute): None for attribute in body.own}
    own |= {path[1]: None for path in body.probed if path[0] == first and len(path) > 1}
    own_patched = first is not None and not body.patched.isdisjoint((first, "super()"))
    patched = frozen(["" if name in local else name for name in body.patched if name not in (first, "super()")])
    return Gathered(
        {header.name: function},
        stores,
        frozen([mention for mention in body.mentions if mention[0] not in local]),
        frozen([path for path in body.probed if path[0] not in local]),
        patched | {""} if body.own_patched else patched,
        own,
        frozen([attribute for base, attribute in body.mentions if base == first]),
        own_patched or (first,) in body.probed,
        (),
        header.name,
        body.declared,
        body.stars,
        body.dynamic,
        body.versions,
    )


def of_class(header: Header, body: Gathered) -> Gathered:
    """The facts of a class for the scope around it."""
    assert header.name is not None
    made = Class(header.name, header.arguments, body, (), frozen(header.type_params))
    return Gathered(
        {header.name: made},
        {key: value for key, value in body.stores.items() if key[0] not in body.made}
        | {("", attribute): None for base, attribute in body.stores if base in body.made},
        frozen([mention for mention in body.mentions if mention[0] not in body.made]),
        body.probed,
        frozen(["" if name in body.made else name for name in body.patched]),
        first=header.name,
        declared=body.declared,
        stars=body.stars,
        dynamic=body.dynamic,
        versions=body.versions,
    )


def outside(value: Binding, signature: Iterable[Parameter], local: frozenset[str]) -> Binding:
    """A function's value, outside of the scope of its local names; None where it cannot be expressed there."""
    if value is None or value[1] is None:
        return None
    name = value[1][0]
    if name not in local and value[0] == "value":
        return "value", without_arguments(value[1])
    if name not in local and names_in(value[1]).isdisjoint(local):
        return value
    return annotated_parameter(signature, name) if value[0] == "value" and len(value[1]) == 1 else None


def annotated_parameter(signature: Iterable[Parameter], name: str) -> Binding:
    """The value of a parameter with an annotation; None for any other name, and where the parameter holds several things."""
    for parameter in signature:
        if parameter.name == name and parameter.kind in ("", "/", "=") and parameter.annotation is not None:
            return "annotated", parameter.annotation
    return None


class _Gatherer:
    """Gathers the facts of operations."""

    def __init__(self) -> None:
        self.made: dict[str, Binding] = {}
        self.again: set[str] = set()
        self.stores: dict[tuple[str, str], Binding] = {}
        self.mentions: set[tuple[str, str]] = set()
        self.probed: set[Path] = set()
        self.patched: set[str] = set()
        self.decorators: list[Path | None] = []
        self.slots: set[str] | None = None
        """the names in `__slots__` so far"""
        self.reads = False
        """whether a name is read outside of annotations"""
        self.setters = 0
        """how often an attribute-setting attribute is named without a call"""
        self.declared: set[str] = set()
        self.stars: set[str] = set()
        self.dynamic = False
        self.versions = False
        self.fields: list[Field] = []

    def run(self, items: Operations) -> _Gatherer:
        """Take operations in order."""
        for item in each(items):
            kind = item[0]
            if kind == "fact":
                self._fact(item)
            elif kind == "use":
                self.reads = True
            elif kind in ("bind", "imported", "annotated value", "walrus", "del", "annotated", "annotated name"):
                self.bind(item[1])
            elif kind in ("annotation", "variable annotation", "type bound"):
                reads = self.reads
                self.run(item[1]).reads = reads
            elif kind == "lambda":
                self.run(item[2]).run(item[3])
            elif kind == "comp":
                self._comp(item)
            elif kind == "import *":
                self.stars.add(item[1])
            elif kind in ("global", "nonlocal"):
                self.declared.update(item[1])
                for name in item[1]:
                    self.bind(name)
        return self

    def bind(self, name: str) -> None:
        """Bind a name."""
        if name in self.made:
            self.again.add(name)
        self.made[name] = None

    def _comp(self, item: Any) -> None:
        _, _, element, gens = item
        for _, targets, iterable, conditions, _ in gens:
            self.run(iterable).run(conditions)
            self.stores |= _Gatherer().run(targets).stores
        self.run(element)

    def _fact(self, item: Any) -> None:
        kind = item[1]
        if kind == "slot":
            self.slots = {*(self.slots or ()), item[2]}
        elif kind == "made":
            self.versions |= item[3] is not None and item[3][0] == "from" and item[3][2] in TELLS_VERSION
            if item[2] not in self.again:
                self.made[item[2]] = item[3]
        elif kind == "store":
            key = item[2], item[3]
            self.stores[key] = None if key in self.stores else item[4]
        elif kind == "mention":
            if item[3] == "__dict__":
                self.probed.add((item[2],))
            elif item[3] in ("_convert", "_convert_"):
                self.dynamic = True
            self.setters += item[3] in SETS_ATTRIBUTES
            self.mentions.add((item[2], item[3]))
        elif kind == "deleted":
            self.stores[item[2], item[3]] = None
        elif kind == "probed":
            self.probed.add(item[2])
        elif kind == "patched":
            self.patched.add(item[2])
        elif kind == "sets":
            self.patched.add(item[2])
            self.setters -= 1
        elif kind == "dynamic":
            self.dynamic = True
        elif kind == "versions":
            self.versions = True
        elif kind == "field":
            self.fields.append(item[2])
        else:
            self.decorators.append(item[2])

    def _declare_slots(self) -> None:
        """Take `__slots__`: its strings are attributes; unless it is a plain display of names, there may be any others."""
        slots = self.slots or set[str]()
        self.made |= {name: None for name in slots if name not in self.made}
        if self.reads or not all(map(is_name, slots)):
            self.made["__getattr__"] = None

    def done(self) -> Gathered:
        """The gathered facts."""
        if self.setters > 0:
            self.patched.add("")
        if self.slots is not None or "__slots__" in self.made:
            self._declare_slots()
        if not (self.made or self.stores or self.mentions or self.probed or self.patched or self.decorators):
            if not self.stars and not self.dynamic and not self.versions:
                return NOTHING
        return Gathered(
            self.made,
            self.stores,
            frozen(self.mentions),
            frozen(self.probed),
            frozen(self.patched),
            decorators=tuple(self.decorators),
            declared=frozen(self.declared),
            stars=frozen(self.stars),
            dynamic=self.dynamic,
            versions=self.versions,
            fields=tuple(self.fields),
        )
