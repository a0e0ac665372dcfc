"""Refusing a line as soon as no later token could mend it: what each token of the line tells, in its surroundings.

A name counts as read once nothing can make it a target any more. One that is visible nowhere is refused, unless a comprehension's `for` may
still bind it in brackets open around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, cast

from .....common.words import words_of
from ....scoping.verdicts import Refused
from .call_arguments import arguments_before, check_call, check_keyword, check_position
from .cell_operations import operations_of
from .constructs import ANNOTATIONS, Stack
from .import_statements import check_imported
from .line_values import ARGUMENTS, FORBIDDEN, Context, Members, is_found
from .members_around import members_next, no_attribute
from .messages import (
    ASSIGNS_DEBUG,
    OUTSIDE,
    STARRED,
    WALRUS_IN_ITERABLE,
    YIELD_FROM,
    YIELD_IN_COMPREHENSION,
    walrus_rebinds,
)
from .operations import Operations, each
from .roles import ARGUMENT_LISTS, EXPRESSIONS, PATTERNS, TARGET_LISTS, TARGETS, Cell
from .rules.patterns import Part
from .rules.values import bind, elements_of, is_list, path_of, read
from .sets import NONE
from .setting import BINDS, Setting, Told, Way, is_notable, local_names, may_be_rebound
from .targets import DUNDER_DEBUG, TEXT, Attribute, Group, target_names
from .tokens import NEWLINE

_AUGMENTED = frozenset(["+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//="])
_LEAVES_LOOP = frozenset(("break", "continue"))
_PRIMARIES = frozenset(("free_primary", "tied_primary"))
_TELLING = words_of("return break continue for yield from await := with import ) : ; =") | {NEWLINE}
"""Tokens with a meaning of their own."""
_CONTINUES = words_of("+ - * / // % @ & | ^ << >> ** == != < > <= >= and or in is not if else . ( [")
"""Tokens that continue an expression."""
_MAY_HOLD = frozenset(("statement", "assigned", "targets", "for", "as", "del", "star", "(", "["))
"""Roles behind which an operand may be a target."""
_QUIET = frozenset(("use", "comp"))
_TOLD_BEHIND = frozenset(("dot", "imported", "imports"))
"""Roles behind which every token tells something."""
_TELLING_ROLES = frozenset(("assigned", "iterated", "in", "for", "walrus"))
_BEHIND_TARGETS = frozenset(("assigned", "iterated", "in"))
_BEFORE_ARGUMENTS = frozenset(("call", "argument,"))


def checked(setting: Setting, way: Way, cell: Cell, token: str) -> Told:
    """What is told after one more token, which led from a way to a cell; raises Refused."""
    told, context = way.told, setting.context
    assert context is not None
    if not (told.open or told.owed or told.missing) and _tells_nothing(setting, way, cell, token, context):
        return told
    check = _Check(setting, context, way, cell, token)
    check.run()
    return check.told


def _tells_nothing(setting: Setting, way: Way, cell: Cell, token: str, context: Context) -> bool:
    """Whether a token certainly tells nothing, or only that a visible name is read. It is so for most."""
    roles = setting.reader.roles
    under: Cell = cell[1]
    state: int = under[0]
    if token in _TELLING:
        return False
    before = roles.role[state]
    if not roles.symbol[state]:
        if before in _TOLD_BEHIND:
            return False
        return roles.takes_operand[state] if roles.is_name[cell[0]] else before not in _BEFORE_ARGUMENTS
    is_target = roles.is_target[state]
    if token not in _CONTINUES or not (is_target or roles.is_expression[state]):
        return False
    first: int = under[1][0]
    before = roles.role[first]
    if before == "target," or before in _BEFORE_ARGUMENTS or (is_target and before in _MAY_HOLD):
        return False
    name = value = under[2]
    if value.__class__ is tuple:
        last = way.cell
        if not roles.is_name[last[0]] or value[0] is TEXT:
            return roles.role[last[0]] == "closing" and not _is_waiting(value) and _is_quiet(value[2])
        if roles.role[last[1][0]] == "dot":
            return True
        name = last[2]
    return name is None or name in way.told.bound or (context.within() is context and context.visible(name))


def _is_quiet(operations: Operations) -> bool:
    """Whether an expression that ends in a bracket does no more than its parts."""
    if operations is None:
        return True
    last = operations[-1] if operations[0] == "all" else operations
    return last[0] in _QUIET


class _Check:
    """The check of one token."""

    def __init__(self, setting: Setting, context: Context, way: Way, cell: Cell, token: str) -> None:
        self.setting, self.context, self.version = setting, context, setting.version
        self.roles = setting.roles
        self.told = way.told
        self.cell, self.token = cell, token
        self.role = self.roles.role[cell[0]]
        self.under: Cell = cell[1]
        """the cell below the token's own: what has been read before it"""
        self.place = self.under
        """the cell below the operand in hand"""
        self._way = way
        self.targets: list[tuple[str, str]] = []
        """the attributes assigned or deleted by the statement that ends here"""

    def run(self) -> None:
        """Take all that the token tells; raises Refused."""
        roles, under = self.roles, self.under
        state, below, _ = under
        symbol, before = roles.symbol[state], roles.role[state]
        if symbol:
            self._settle()
        if self.token in _TELLING or self.role in _TELLING_ROLES or before in _TOLD_BEHIND:
            self._take(before)
        if roles.is_name[self.cell[0]] and not roles.takes_operand[state]:
            self._check_parameter()
        is_argument = symbol in ARGUMENT_LISTS or (roles.role[below[0]] if symbol else before) in _BEFORE_ARGUMENTS
        if is_argument or self.token == ")" or self.role == "keyword":
            self._take_argument()
        told = self.told
        if told.missing and self._ends_statement:
            self._end_missing()
        if told.open or told.owed:
            self._settle_open()

    @property
    def stored(self) -> frozenset[str]:
        """The attributes assumed to exist, or assigned by the line before."""
        return self.setting.stored | self.told.stored

    def _parts(self) -> Iterator[tuple[str, Cell]]:
        """The cells that are parts of the one in hand now, each with its nonterminal."""
        symbol, rest, cell = self.roles.symbol, self.under[1], self._way.cell
        while cell is not rest and cell is not self.under and cell[0] >= 0:
            if symbol[cell[0]]:
                yield symbol[cell[0]], cell
            cell = cell[1]

    @cached_property
    def _read_before(self) -> frozenset[str]:
        """The names among these parts, read when an operator or another sign came behind them."""
        return frozenset(
            str(cell[2])
            for name, cell in self._parts()
            if isinstance(cell[2], str)
            and (name in EXPRESSIONS or (name in TARGETS and name != "name" and not self._at(cell[1]).holder()))
        )

    @cached_property
    def _earlier(self) -> Mapping[int, Operations]:
        """The operations told before, by identity: those in the parts."""
        earlier: dict[int, Operations] = {}
        for name, cell in self._parts():
            operations = None if name in TARGETS and _is_waiting(cell[2]) else operations_of(name, cell[2])
            if operations is not None:
                earlier[id(operations)] = operations
                if operations[0] == "all":
                    earlier.update((id(part), part) for part in operations[1:])
        return earlier

    @property
    def _ends_statement(self) -> bool:
        return self.token == NEWLINE or self.role == "statement"

    def _at(self, cell: Cell) -> Stack:
        return Stack(self.roles, cell)

    def _is_compiled(self) -> bool:
        """Whether a read here is compiled, as far as that is known. Some annotations are not."""
        annotation = next((around for around in self._at(self.under).outward() if around.kind in ANNOTATIONS), None)
        if annotation is None:
            return True
        if annotation.kind == "annotation":
            return self.context.compiles("parameter")
        return self.context.compiles("name" if isinstance(annotation.cell[1][2], str) else "target")

    def _found(self, when: str) -> bool:
        return is_found(when, self.version, compiled=self._is_compiled())

    def _may_be_bound_later(self) -> bool:
        return self.setting.may_be_bound_later(self.under)

    # -- what has been read before the token

    def _settle(self) -> None:
        """Take what becomes certain of the operand, or the other construct, before the token."""
        state, below, value = self.under
        symbol = self.roles.symbol[state]
        if self.token == ":" and self.role == "statement":
            self._end_header()
            return
        if self.roles.role[state] == "clauses":
            self._end_clause()
            return
        self.place = below
        if symbol in PATTERNS:
            self._tell_patterns(value)
            if symbol == "patterns":
                self._tell(operations_of(symbol, value))
            return
        if symbol not in TARGETS or not _is_waiting(value):
            self._tell(operations_of(symbol, value))
        if below[0] < 0 or self.role in ("keyword", "walrus") or not self.roles.takes_operand[below[0]]:
            return
        if symbol in TARGETS:
            if self.token in _AUGMENTED or not self._at(below).holder():
                self._read(value)
            return
        if isinstance(value, str):
            self._use(value)
        elif value is not None and symbol in EXPRESSIONS:
            self._read_attributes(elements_of(value))
        if (
            symbol not in _PRIMARIES
            and self.roles.text[below[0]] == ","
            and self.roles.symbol[below[1][0]] in TARGET_LISTS
            and self._at(below).holder()
        ):
            self._read(below[1][2])  # it is no list of targets

    def _check_targets(self) -> None:
        """Refuse what is no target, before an `=` or an `in`."""
        targets = self.under[2]
        for operation in each(bind(elements_of(targets), top=True, comma=is_list(targets))):
            if operation[0] == "error" and self._found(operation[2]):
                raise Refused(operation[1])
            if operation[:2] == ("fact", "store"):
                self._pop_missing(*operation[2:4])

    def _check_parameter(self) -> None:
        """Refuse the name of a parameter, or what else is named here, that repeats one."""
        for cell in self.setting.reader.shifted(self.cell, ","):
            below: Cell = cell[1]
            symbol, value = self.roles.symbol[below[0]], below[2]
            # A type parameter may still get a default.
            for operation in each(operations_of(symbol, value)) if symbol != "type_parameters" else ():
                if operation[0] == "error" and self._found(operation[2]):
                    raise Refused(operation[1])

    def _end_header(self) -> None:
        header = self.setting.reader.header_at(self.cell)
        if header is not None:
            self._tell(header.items, scope=self.context)
            self._tell(header.scoped, scope=self.context)

    def _read(self, value: Any) -> None:
        """Take an expression that is read for certain."""
        if isinstance(value, str):
            self._use(value)
        elif value is not None:
            self._tell(value[2])
            self._read_attributes(elements_of(value))

    def _read_attributes(self, elements: Any) -> None:
        for _, operand, _ in elements:
            if isinstance(operand, Group):
                self._read_attributes(operand.elements)
            elif isinstance(operand, Attribute):
                missing = self._pop_missing(operand.base, operand.name)
                if missing is not None and operand.name not in self.stored:
                    self._refuse(no_attribute(missing[1], operand.name), missing[0], self.under)

    def _tell(self, operations: Operations, local: frozenset[str] = NONE, scope: Context | None = None) -> None:
        """Take operations in their order; local: the names bound around them. scope: where they run; None: where the operand stands."""
        todo = [operations]
        while todo:
            operation = todo.pop()
            if operation is None or id(operation) in self._earlier:
                continue
            kind = operation[0]
            if kind == "all":
                todo += operation[:0:-1]
            elif kind == "use":
                if operation[1] not in self._read_before:
                    self._use(operation[1], local, scope)
            elif kind in BINDS:
                self._bind(operation[1])
            elif kind == "error":
                if self._found(operation[2]):
                    raise Refused(operation[1])
            elif kind == "lambda":
                _, parameters, defaults, body = operation
                self._tell(defaults, local, scope)
                self._tell(body, local.union(parameters), (scope or self._scope()).within().later())
            elif kind == "annotation" or kind == "variable annotation":
                self._tell(operation[1], local, self.context.deferred())
            elif kind == "alias":
                self._tell(operation[2], local.union(operation[1]), scope)
            elif kind == "noted":
                self._note(operation[1])
            elif kind == "del":
                self._delete(operation[1])
            elif kind == "global" or kind == "nonlocal":
                self._bind(*operation[1])
            elif kind == "fact":
                self._tell_fact(operation)
            elif kind == "spread subscript" and self.version >= (3, 9):
                raise Refused(STARRED)

    def _tell_fact(self, fact: Any) -> None:
        if fact[1] == "store" or fact[1] == "deleted":
            self.targets.append(fact[2:4])
            if fact[1] == "store":
                self.told = self.told._replace(stored=self.told.stored | {fact[3]})
        elif fact[1] == "probed":
            self.told = self.told._replace(untyped=self.told.untyped | {fact[2][0]})

    def _tell_patterns(self, value: Any) -> None:
        for part in [value] if isinstance(value, Part) else value or ():
            if isinstance(part, Part):
                for name in part.reads:
                    self._use(name)
                if part.errors:
                    raise Refused(part.errors[0])

    def _end_clause(self) -> None:
        """Take a clause of a comprehension, or one of its conditions."""
        self.place = self.under
        brackets = next(self._at(self.under).outward())
        *before, clause = self.under[2]
        below: Cell = self.under[1]
        is_first = not before and self.roles.role[below[0]] != "clauses"
        names, within = frozenset(brackets.names()), self.context.within()
        if is_first:
            self._tell(clause[2], NONE, self._at(brackets.cell[1]).surroundings(self.context))
        else:
            self._tell(clause[2], names, within)
        self._tell(clause[3], names, within)

    def _scope(self) -> Context:
        return self._at(self.place).surroundings(self.context)

    def _bind(self, *names: str) -> None:
        self.told = self.told._replace(bound=self.told.bound.union(names))

    def _delete(self, name: str) -> None:
        if name not in self.told.bound and not self.context.visible(name):
            raise Refused(name, "names")
        self.told = self.told._replace(bound=self.told.bound - {name})

    def _note(self, name: str) -> None:
        if not is_notable(self.setting, Way(self.cell, self.told), name, self.context.later().visible):
            raise Refused(name, "names")

    def _use(self, name: str, local: frozenset[str] = NONE, scope: Context | None = None) -> None:
        """Take the read of a name."""
        if not name or name in self.told.bound or name in local or (scope or self._scope()).visible(name):
            return
        stack = self._at(self.place)
        if any(name in around.names() for around in stack.outward()) or _holds_back(stack, name):
            return
        if not stack.may_bind(self.version) and not self._may_be_bound_later():
            raise Refused(name, "names")
        entry = name, stack.depth()
        if entry not in self.told.open:
            self.told = self.told._replace(open=(*self.told.open, entry))

    # -- what waits for a `for`

    def _refuse(self, refused: Refused, head: str, place: Cell) -> None:
        """Refuse a missing attribute or a wrong call, unless a `for` may still bind its owner's name, by the stack up to a cell."""
        if not may_be_rebound(self.setting, place, head):
            raise refused.anew()
        self.told = self.told._replace(owed=(*self.told.owed, (head, refused, self._at(self.under).depth())))

    def _settle_open(self) -> None:
        """Refuse the names and attributes that nothing can bind any more."""
        told, stack = self.told, self._at(self.cell)
        brackets = [around for around in stack.outward() if around.is_bracket][::-1]
        later = self._may_be_bound_later() and not self._ends_statement
        unbound: list[tuple[str, int]] = []
        for name, depth in told.open:
            around = brackets[:depth]
            if name in told.bound or any(name in brackets.names() for brackets in around):
                continue
            if not (
                later
                or (len(around) == depth and depth and around[-1].phase not in ("element", "as"))
                or any(stack.may_generate(brackets, self.version) for brackets in around)
            ):
                raise Refused(name, "names")
            unbound.append((name, len(around)))
        owed: list[tuple[str, Refused, int]] = []
        for head, refused, depth in told.owed:
            around = brackets[:depth]
            if around and head in around[-1].names():
                continue
            waits = len(around) == depth and depth and around[-1].phase not in ("element", "as")
            if waits or may_be_rebound(self.setting, self.cell, head, len(around)):
                owed.append((head, refused, len(around)))
            elif refused.word not in self.stored:
                raise refused.anew()
        self.told = told._replace(open=tuple(unbound), owed=tuple(owed))

    def _end_missing(self) -> None:
        """Refuse the missing attributes that the statement does not assign."""
        has_value = any(self.roles.role[cell[0]] == "assigned" for cell in self._at(self._way.cell).cells())
        for base, name in () if has_value else self.targets:
            self._pop_missing(base, name)
        stored, missing = self.setting.stored | self._way.told.stored, self.told.missing
        self.told = self.told._replace(missing=())
        for name, head, owner in missing:
            if name not in stored:
                self._refuse(no_attribute(owner, name), head, self.under)

    def _pop_missing(self, base: str, name: str) -> tuple[str, Members] | None:
        """Forget an attribute's last entry among the missing ones; return its owner's first name, and its owner. base: see Attribute."""
        missing = self.told.missing
        for position in range(len(missing) - 1, -1, -1):
            if missing[position][0] == name and base in ("", missing[position][1]):
                self.told = self.told._replace(missing=missing[:position] + missing[position + 1 :])
                return missing[position][1:]
        return None

    # -- tokens with a meaning of their own

    def _take(self, before: str) -> None:
        """Take a token with a meaning of its own; before: the role of the one before it."""
        token, under, role, context = self.token, self.under, self.role, self.context
        if before == "dot" and token != ".":
            self._take_attribute()
        elif token in _LEAVES_LOOP or token == "return":
            if not (context.in_function if token == "return" else context.in_loop):
                raise Refused(OUTSIDE[token])
        elif role in _BEHIND_TARGETS:
            self._check_targets()
        elif role == "for":
            self._begin_for()
        elif token == "yield":
            self._take_yield()
        elif token == "from" and under[2] == "yield":
            if context.in_async and self._is_compiled() and not self._in_body():
                raise Refused(YIELD_FROM)
        elif token == "await":
            self._take_await()
        elif role == "walrus":
            self._take_walrus(str(under[2]))
        elif token in ("for", "with") and under[2] == "async" and before != "async" and not context.in_async:
            raise Refused(OUTSIDE[f"async {token}"])
        elif before == "imported" or before == "imports":
            check_imported(context, self._at(self.cell).imported_from(), token, self.stored)
        elif token in ("import", "from") and under[2] == "lazy" and context.error_of_lazy_import is not None:
            raise Refused(context.error_of_lazy_import)

    def _take_attribute(self) -> None:
        name, owner = self.token, self.under[1]
        path, told = path_of(owner[2]), self.told
        if name in self.stored or name == DUNDER_DEBUG or (path is None and self.setting.allowed is None):
            return
        head = "" if path is None else path[0]
        members = members_next(self.setting, Way(self.under, told), rebound=False)
        self.told = told._replace(asked=True)
        if members is None or members.has(name):
            return
        if self._at(owner[1]).holder():
            self.told = self.told._replace(missing=(*told.missing, (name, head, members)))
        else:
            self._refuse(no_attribute(members, name), head, self.under)

    def _begin_for(self) -> None:
        """Take the first `for` of a comprehension: its element sees no names of a class around it."""
        cell = self.cell
        while self.roles.role[cell[0]] in ("for", "async"):
            cell = cell[1]
        within = self.context.within()
        if self.roles.role[cell[0]] == "clauses" or within is self.context:
            return
        inner = local_names(self.roles, Way(cell, self.told))
        depth = self._at(cell).depth()
        used = (operation[1] for operation in each(read(cell[2])) if operation[0] == "use")
        unseen = tuple((name, depth) for name in used if name not in inner and not within.visible(name))
        self.told = self.told._replace(open=tuple(dict.fromkeys((*self.told.open, *unseen))))

    def _in_body(self) -> bool:
        return any(around.kind == "body" for around in self._at(self.under).outward())

    def _take_yield(self) -> None:
        for around in self._at(self.under).outward():
            if around.kind == "body":
                return
            if around.phase in ("targets", "later iterable", "condition"):  # the first iterable runs outside
                raise Refused(YIELD_IN_COMPREHENSION)
        if not self.context.in_function and self._is_compiled():
            raise Refused(OUTSIDE["yield"])

    def _take_await(self) -> None:
        if self.context.in_async or not self._is_compiled():
            return
        stack = self._at(self.under)
        for around in stack.outward():
            if around.kind == "body":
                break
            if around.kind in ("(", "call", "field"):
                if around.phase != "element" or stack.may_generate(around, self.version):
                    return  # in a generator
        raise Refused(OUTSIDE["await"])

    def _take_walrus(self, name: str) -> None:
        if name == DUNDER_DEBUG and self._found(FORBIDDEN):
            raise Refused(ASSIGNS_DEBUG)
        for around in self._at(self.under).outward():
            if around.phase in ("iterable", "later iterable"):
                raise Refused(WALRUS_IN_ITERABLE)
            if around.phase in ("condition", "targets") and name in around.names():
                raise Refused(walrus_rebinds(name))

    def _take_argument(self) -> None:
        """Check the call around the token, where an argument begins or ends."""
        call = next(self._at(self.under).outward(), None)
        if call is None or call.kind != "call":
            return
        way = Way(self.under, self.told)
        if self.role == "keyword":
            name, before = str(self.under[2]), arguments_before(self.roles, call, self.under[1])
            if any(argument.keyword == name for argument in before) and self._found(ARGUMENTS):
                raise Refused(f"keyword argument repeated: {name}")
            if name == DUNDER_DEBUG and self._found(FORBIDDEN):
                raise Refused(ASSIGNS_DEBUG)
            refused, place = check_keyword(self.setting, way, call, name, before), self.cell
        elif self.token == ")":
            refused, place = check_call(self.setting, way, call, self.stored), call.cell[1]
        else:
            refused, place = check_position(self.setting, way, call, self.token), self.under
        if refused is not None and refused.word not in self.stored:
            assert call.called is not None
            self._refuse(refused, call.called[0], place)


def _is_waiting(value: Any) -> bool:
    """Whether an expression that may be a target has names whose role is open among its operations."""
    if not isinstance(value, tuple):
        return False
    parts = cast("tuple[Any, ...]", value)
    return is_list(parts) or isinstance(parts[0], Group) or len(parts) > 3


def _holds_back(stack: Stack, name: str) -> bool:
    """Whether a name is among the possible targets before this place."""
    symbol = stack.roles.symbol
    return any(
        symbol[cell[0]] in TARGET_LISTS and name in target_names(elements_of(cell[2])) and stack.at(cell[1]).holder()
        for cell in stack.cells()
    )
