"""What the text of a line is checked against, and what its own tokens have told so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ....scoping.verdicts import Refused
from ....type_server import Allowed
from .allowed_names import Members
from .cell_operations import operations_of
from .constructs import Construct, Stack
from .line_reader import LineReader
from .line_values import Context, Header
from .operations import each
from .roles import Cell, Roles
from .sets import NONE
from .targets import parts_of
from .type_paths import ELEMENT, LONGEST_PATH, Path, names_in

_NEWEST = (3, 99)
BINDS = frozenset(("bind", "walrus", "imported", "annotated", "annotated value"))
"""The operations that bind a name."""


class Setting(NamedTuple):
    """The surroundings of a line."""

    reader: LineReader
    context: Context | None = None
    """None: only text that is not Python is refused"""
    stored: frozenset[str] = NONE
    """the attributes assumed to exist"""
    ahead: Mapping[str, Path | None] = MappingProxyType({})
    """the names that a `for` behind the cursor binds, in brackets open there, with their values; None: unknown"""
    allowed: Allowed | None = None
    """the names allowed by a type checker behind the next dot, or as an argument"""
    call: Cell | None = None
    """the opening bracket of the call whose arguments these are"""

    @property
    def roles(self) -> Roles:
        return self.reader.roles

    @property
    def version(self) -> tuple[int, int]:
        return self.context.version if self.context is not None else _NEWEST

    def may_be_bound_later(self, cell: Cell) -> bool:
        """Whether the rest of the statement may bind a name read here, as in `name.x if (name := f()) else y`."""
        if self.context is None or not self.context.open_ended:
            return False
        return not any(self.roles.role[cell[0]] == "del" for cell in Stack(self.roles, cell).cells())


class Told(NamedTuple):
    """What a line's tokens have told so far, in a context."""

    bound: frozenset[str] = NONE
    """the names bound by the line"""
    stored: frozenset[str] = NONE
    """the attributes assigned by the line"""
    open: tuple[tuple[str, int], ...] = ()
    """(a name read but visible nowhere, which may still be bound; the number of brackets open around it)"""
    owed: tuple[tuple[str, Refused, int], ...] = ()
    """(the first name of an attribute's owner; the attribute's refusal unless a `for` binds this name; as above)"""
    missing: tuple[tuple[str, str, Members], ...] = ()
    """(an attribute of an expression that may be a target, its owner's first name, its owner), if it is missing there"""
    untyped: frozenset[str] = NONE
    """variables of comprehensions that may not be what they seem"""
    asked: bool = False
    """whether an attribute has been taken since the type checker was asked"""


def told_by(roles: Roles, cell: Cell, header: Header | None) -> Told:
    """What a stack tells without a context; header: of the line, if it has ended."""
    bound: set[str] = set()
    stored: set[str] = set()
    untyped: set[str] = set()
    stack = Stack(roles, cell)
    parts = [operations_of(roles.symbol[cell[0]], cell[2]) for cell in [*stack.line_cells()][::-1]]
    if header is not None:
        bound.update(() if header.name is None else (header.name,))
        parts.insert(0, header.items)
    for operation in (operation for operations in parts for operation in each(operations)):
        if operation[0] in BINDS:
            bound.add(operation[1])
        elif operation[0] in ("global", "nonlocal"):
            bound.update(operation[1])
        elif operation[0] == "del":
            bound.discard(operation[1])
        elif operation[:2] == ("fact", "store"):
            stored.add(operation[3])
        elif operation[:2] == ("fact", "probed"):
            untyped.add(operation[2][0])
    return Told(frozenset(bound), frozenset(stored), untyped=frozenset(untyped))


class Way(NamedTuple):
    """One reading of a line so far."""

    cell: Cell
    told: Told = Told()


def local_names(roles: Roles, way: Way) -> frozenset[str]:
    """The names bound by the line itself so far."""
    names: set[str] = set(way.told.bound)
    stack = Stack(roles, way.cell)
    for construct in stack.outward():
        names.update(construct.names())
    for cell in stack.cells():
        if roles.role[cell[0]] == "walrus":
            names.add(cell[1][2])
    return frozenset(names)


def is_notable(setting: Setting, way: Way, name: str, visible: Callable[[str], bool]) -> bool:
    """Whether a name is valid in a string annotation. visible: whether the surroundings have it, or a name with this beginning."""
    if visible(name) or any(local.startswith(name) for local in local_names(setting.roles, way)):
        return True
    stack = Stack(setting.roles, way.cell)
    defined = (cell[2] for cell in stack.cells() if setting.roles.symbol[cell[0]] == "defined")
    return any((value if isinstance(value, str) else value[0]).startswith(name) for value in defined)


def may_be_rebound(setting: Setting, cell: Cell, name: str, most: int | None = None) -> bool:
    """Whether a `for` may still bind a name already read in open brackets; most: only in so many of these, from outside."""
    stack = Stack(setting.roles, cell)
    constructs = [*stack.outward()]
    if most is not None:
        surplus = sum(construct.is_bracket for construct in constructs) - most
        while surplus > 0:
            surplus -= constructs.pop(0).is_bracket
    return _may_rebind(setting, stack, constructs, name)


def _may_rebind(setting: Setting, stack: Stack, constructs: Sequence[Construct], name: str) -> bool:
    """Whether a `for` in some of the open constructs may still bind a name already read."""
    context = setting.context
    exact = context is not None and context.open_ended
    for construct in constructs:
        if name in construct.names():
            return False
        if stack.may_generate(construct, setting.version):
            if name in setting.ahead:
                return False
            if exact or construct.kind not in ("call", "field"):  # generators are rare there
                return exact or context is None or not context.is_fixed(name)
    return False


def from_outside(setting: Setting, way: Way, path: Path, *, rebound: bool = True) -> Path | None:
    """The path of an expression from a name bound outside of this line; None: there is none, or the name's binding is not known yet.

    rebound: even if a `for` in open brackets may still bind its name.
    """
    name, told = path[0], way.told
    stack = Stack(setting.roles, way.cell)
    constructs = [*stack.outward()]
    for construct in constructs:
        if name in construct.names():
            return _through(None if name in told.untyped else variables(setting, way, construct).get(name), path)
        if name in setting.ahead and stack.may_generate(construct, setting.version):
            return _through(None if name in told.untyped else setting.ahead[name], path)
    if name in told.bound or any(name == unbound for unbound, _ in told.open):
        return None
    return None if rebound and _may_rebind(setting, stack, constructs, name) else path


def variables(setting: Setting, way: Way, construct: Construct) -> dict[str, Path]:
    """The values of a comprehension's variables, as paths from names bound outside of the line."""
    values: dict[str, Path] = {}
    names = way.told.bound.union(construct.names())
    for targets, has_comma, path in construct.clauses:
        if path is None:
            continue
        if path[0] in values:
            path = _through(values[path[0]], path)
        elif path[0] in names:
            continue
        else:
            path = from_outside(setting, Way(construct.cell[1], way.told), path)
        if path is not None and names_in(path[1:]).isdisjoint(names):
            values.update(parts_of(targets, has_comma, (*path, ELEMENT)))
    return values


def _through(variable: Path | None, path: Path) -> Path | None:
    """A path from a variable as a path from its value; None: unknown."""
    return None if variable is None or len(variable) + len(path) > LONGEST_PATH else (*variable, *path[1:])
