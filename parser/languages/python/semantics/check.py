"""The check of one token of a line: what becomes certain before it, and the refusal of what nothing can bind or mend any more."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

from ....scoping.verdicts import Refused
from .allowed_names import Members
from .cell_operations import operations_of
from .constructs import ANNOTATIONS, Construct, Stack
from .line_values import Context, is_found
from .members_around import no_attribute
from .messages import STARRED
from .operations import Operations
from .roles import EXPRESSIONS, TARGET_LISTS, TARGETS, Cell
from .rules.values import elements_of, is_list
from .sets import NONE
from .setting import BINDS, Setting, Told, Way, is_notable, may_be_rebound
from .targets import Attribute, Group, target_names
from .tokens import NEWLINE


class Check:
    """The check of one token."""

    __slots__ = (
        "_before",
        "_earlier",
        "_read_before",
        "_targets",
        "cell",
        "context",
        "place",
        "roles",
        "setting",
        "token",
        "told",
        "under",
    )

    def __init__(self, setting: Setting, context: Context, way: Way, cell: Cell, token: str) -> None:
        """way: before the token, which led to the cell."""
        self.setting, self.context, self.roles = setting, context, setting.reader.roles
        self.told: Told = way.told
        self.cell, self.token = cell, token
        self.under: Cell = cell[1]
        """the cell below the token's own: what has been read before it"""
        self.place = self.under
        """the cell below the operand in hand"""
        self._before = way
        self._targets: tuple[tuple[str, str], ...] = ()
        """the attributes assigned or deleted by the statement that ends here"""
        self._earlier: dict[int, Operations] | None = None
        """the operations told before, by identity; None: not known yet"""
        self._read_before: Collection[str] = ()
        """the names read when an operator or another sign came behind them"""

    def at(self, cell: Cell) -> Stack:
        return Stack(self.roles, cell)

    def is_stored(self, name: str) -> bool:
        """Whether an attribute is assumed to exist, or assigned by the line before."""
        return name in self.setting.stored or name in self.told.stored

    def is_compiled(self) -> bool:
        """Whether a read here is compiled, as far as that is known. Some annotations are not."""
        annotation = next((around for around in self.at(self.under).outward() if around.kind in ANNOTATIONS), None)
        if annotation is None:
            return True
        if annotation.kind == "annotation":
            return self.context.compiles("parameter")
        return self.context.compiles("name" if isinstance(annotation.cell[1][2], str) else "target")

    def is_found(self, when: str) -> bool:
        """Whether an error counts here; when: see ALWAYS in line_values.py."""
        return is_found(when, self.setting.version, compiled=self.is_compiled())

    def refuse_error(self, operation: Any) -> None:
        """Refuse an error among operations, if it counts here."""
        if operation[0] == "error" and self.is_found(operation[2]):
            raise Refused(operation[1])

    # -- operations

    def tell(self, operations: Operations, local: frozenset[str] = NONE, scope: Context | None = None) -> None:
        """Take operations in their order; local: the names bound around them. scope: where they run; None: where the operand stands."""
        if operations is None:
            return
        earlier = self._look_back() if self._earlier is None else self._earlier
        todo = [operations]
        while todo:
            operation = todo.pop()
            if operation is None or id(operation) in earlier:
                continue
            kind = operation[0]
            if kind == "all":
                todo += operation[:0:-1]
            elif kind == "use":
                if operation[1] not in self._read_before:
                    self.use(operation[1], local, scope)
            elif kind in BINDS:
                self._bind(operation[1])
            elif kind == "error":
                self.refuse_error(operation)
            elif kind == "lambda":
                _, parameters, defaults, body = operation
                self.tell(defaults, local, scope)
                self.tell(body, local.union(parameters), (scope or self._scope()).within().later())
            elif kind == "annotation" or kind == "variable annotation":
                self.tell(operation[1], local, self.context.deferred())
            elif kind == "alias":
                self.tell(operation[2], local.union(operation[1]), scope)
            else:
                self._tell_other(kind, operation)

    def _tell_other(self, kind: str, operation: Any) -> None:
        """Take a rarer operation."""
        told = self.told
        if kind == "noted":
            if not is_notable(self.setting, Way(self.cell, told), operation[1], self.context.later().visible):
                raise Refused(operation[1], "names")
        elif kind == "del":
            name = operation[1]
            if name not in told.bound and not self.context.visible(name):
                raise Refused(name, "names")
            self.told = told._replace(bound=told.bound - {name})
        elif kind == "global" or kind == "nonlocal":
            self._bind(*operation[1])
        elif kind == "spread subscript" and self.setting.version >= (3, 9):
            raise Refused(STARRED)
        elif operation[:2] == ("fact", "probed"):
            self.told = told._replace(untyped=told.untyped | {operation[2][0]})
        elif operation[:2] == ("fact", "store") or operation[:2] == ("fact", "deleted"):
            self._targets += (operation[2:4],)
            if operation[1] == "store":
                self.told = told._replace(stored=told.stored | {operation[3]})

    def _look_back(self) -> dict[int, Operations]:
        """Find what has been told before of the parts of the construct in hand."""
        earlier: dict[int, Operations] = {}
        self._earlier = earlier
        self._read_before = read = set[str]()
        symbol, rest, cell = self.roles.symbol, self.under[1], self._before.cell
        while cell is not rest and cell is not self.under and cell[0] >= 0:
            state, below, value = cell
            name = symbol[state]
            if name and isinstance(value, str):
                if name in EXPRESSIONS or (name in TARGETS and name != "name" and not self.at(below).holder()):
                    read.add(value)
            elif name and not (name in TARGETS and is_waiting(value)):
                operations = operations_of(name, value)
                if operations is not None:
                    earlier[id(operations)] = operations
                    if operations[0] == "all":
                        earlier.update((id(part), part) for part in operations[1:])
            cell = below
        return earlier

    def _bind(self, *names: str) -> None:
        self.told = self.told._replace(bound=self.told.bound.union(names))

    # -- names

    def read(self, value: Any) -> None:
        """Take an expression that is read for certain."""
        if isinstance(value, str):
            self.use(value)
        elif value is not None:
            self.tell(value[2])
            self.read_attributes(value)

    def use(self, name: str, local: frozenset[str] = NONE, scope: Context | None = None) -> None:
        """Take the read of a name."""
        if not name or name in self.told.bound or name in local:
            return
        if (sees(self.context, name) or self._scope().visible(name)) if scope is None else scope.visible(name):
            return
        stack = self.at(self.place)
        if any(name in around.names() for around in stack.outward()) or _holds_back(stack, name):
            return
        if not stack.may_bind(self.setting.version) and not self.setting.may_be_bound_later(self.under):
            raise Refused(name, "names")
        entry = name, stack.depth()
        if entry not in self.told.open:
            self.told = self.told._replace(open=(*self.told.open, entry))

    def _scope(self) -> Context:
        return self.at(self.place).surroundings(self.context)

    def settle_open(self) -> None:
        """Refuse the names and attributes that nothing can bind any more."""
        told, stack = self.told, self.at(self.cell)
        brackets = [around for around in stack.outward() if around.is_bracket][::-1]
        later = not self._ends_statement() and self.setting.may_be_bound_later(self.under)
        unbound: list[tuple[str, int]] = []
        owed: list[tuple[str, Refused, int]] = []
        for name, depth in told.open:
            around = brackets[:depth]
            if name in told.bound or any(name in brackets.names() for brackets in around):
                continue
            version = self.setting.version
            may_generate = any(stack.may_generate(brackets, version) for brackets in around)
            if not (later or may_generate or _is_binding(around, depth)):
                raise Refused(name, "names")
            unbound.append((name, len(around)))
        for head, refused, depth in told.owed:
            around = brackets[:depth]
            if around and head in around[-1].names():
                continue
            if _is_binding(around, depth) or may_be_rebound(self.setting, self.cell, head, len(around)):
                owed.append((head, refused, len(around)))
            elif not self.is_stored(refused.word):
                raise refused.anew()
        self.told = told._replace(open=tuple(unbound), owed=tuple(owed))

    def _ends_statement(self) -> bool:
        return self.token == NEWLINE or self.roles.role[self.cell[0]] == "statement"

    # -- attributes and calls

    def refuse(self, refused: Refused, head: str, place: Cell) -> None:
        """Refuse a missing attribute or a wrong call, unless a `for` may still bind its owner's name, by the stack up to a cell."""
        if not may_be_rebound(self.setting, place, head):
            raise refused.anew()
        self.told = self.told._replace(owed=(*self.told.owed, (head, refused, self.at(self.under).depth())))

    def read_attributes(self, value: Any) -> None:
        """Refuse the missing attributes of an expression, which is no target."""
        if self.told.missing:
            self._read_elements(elements_of(value))

    def _read_elements(self, elements: Any) -> None:
        for _, operand, _ in elements:
            if isinstance(operand, Group):
                self._read_elements(operand.elements)
            elif isinstance(operand, Attribute):
                missing = self.pop_missing(operand.base, operand.name)
                if missing is not None and not self.is_stored(operand.name):
                    self.refuse(no_attribute(missing[1], operand.name), missing[0], self.under)

    def end_missing(self) -> None:
        """Refuse the missing attributes that the statement, if it ends here, does not assign."""
        if not self._ends_statement():
            return
        has_value = any(self.roles.role[cell[0]] == "assigned" for cell in self.at(self._before.cell).cells())
        for base, name in () if has_value else self._targets:
            self.pop_missing(base, name)
        stored, missing = self.setting.stored | self._before.told.stored, self.told.missing
        self.told = self.told._replace(missing=())
        for name, head, owner in missing:
            if name not in stored:
                self.refuse(no_attribute(owner, name), head, self.under)

    def pop_missing(self, base: str, name: str) -> tuple[str, Members] | None:
        """Forget an attribute's last entry among the missing ones; return its owner's first name, and its owner. base: see Attribute."""
        missing, head = self.told.missing, base.removesuffix("()")
        for position in range(len(missing) - 1, -1, -1):
            if missing[position][0] == name and head in ("", missing[position][1]):
                self.told = self.told._replace(missing=missing[:position] + missing[position + 1 :])
                return missing[position][1:]
        return None


def sees(context: Context, name: str) -> bool:
    """Whether a name is visible everywhere in a line."""
    return context.within() is context and context.visible(name)


def is_waiting(value: Any) -> bool:
    """Whether an expression that may be a target has names whose role is open among its operations."""
    if not isinstance(value, tuple):
        return False
    parts = cast("tuple[Any, ...]", value)
    return is_list(parts) or isinstance(parts[0], Group) or len(parts) > 3


def _is_binding(brackets: Sequence[Construct], depth: int) -> bool:
    """Whether a `for` is in progress in the last of so many brackets."""
    return 0 < depth == len(brackets) and brackets[-1].phase not in ("element", "as")


def _holds_back(stack: Stack, name: str) -> bool:
    """Whether a name is among the possible targets before this place."""
    symbol = stack.roles.symbol
    return any(
        symbol[cell[0]] in TARGET_LISTS and name in target_names(elements_of(cell[2])) and stack.at(cell[1]).holder()
        for cell in stack.cells()
    )
