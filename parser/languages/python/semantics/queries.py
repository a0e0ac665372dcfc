"""Questions about a logical line in progress: what is open in it, and the possible next texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .....common.words import is_name
from ....scoping.verdicts import Refused
from .allowed_names import Members
from .call_arguments import (
    arguments_before,
    begins_argument,
    call_problem,
    check_position,
    given_so_far,
    signature_around,
    takes_position,
)
from .cell_operations import operations_of
from .constructs import Construct, Stack
from .import_statements import is_future
from .line_parser import LineParser
from .line_values import Argument, Context
from .members_around import is_told, members_next, told
from .operations import each, within
from .roles import TARGET_LISTS, TARGETS, Cell
from .rules.values import bind, elements_of, path_of
from .sets import NONE
from .setting import Way, is_notable, may_be_rebound, variables
from .targets import target_names
from .tokens import NEWLINE, Token, is_plain_name
from .type_paths import Path

_HEADERS = frozenset(
    ("if", "elif", "while", "else", "try", "finally", "except", "with", "for", "def", "class", "match", "case")
)
_CONDITIONS = frozenset(("if", "elif", "while"))
_BEHIND_NAME = frozenset(("keyword", "walrus"))
"""Roles behind a name that is bound, or that of a parameter."""
_SOFT = frozenset(("match", "case"))
_CLOSING = frozenset((")", "]", "}"))
_IN_COMPREHENSION = frozenset(("targets", "iterable", "later iterable", "condition"))
_NAMING = frozenset(("import", "from", "global", "nonlocal", "lazy"))
_TAKES_KEYWORDS = frozenset(("call", "bases"))
_BEFORE_ELEMENTS = frozenset(("(", "[", "{", ","))
_DOTS_COUNT = (3, 13)


def reads_name(parser: LineParser) -> bool:
    """Whether a name typed here must be visible, unless `:=` follows it."""
    if parser.reads_name is None:
        below = parser.below_name()
        parser.reads_name = bool(below) and all(_reads(parser, cell) for cell in below)
    return parser.reads_name


def _reads(parser: LineParser, below: Cell) -> bool:
    """Whether a name on top of a stack is read for certain."""
    roles, stack = parser.roles, parser.stack.at(below)
    if not roles.takes_operand[below[0]] or roles.role[below[0]] == "dot" or stack.holder() not in ("", "del"):
        return False
    for number, around in enumerate(stack.outward()):
        if not number and around.kind in _TAKES_KEYWORDS and begins_argument(roles, around, below):
            return False  # it may name a parameter
        if stack.may_generate(around, parser.setting.version):
            return False
    return True


def begins_condition(parser: LineParser) -> bool:
    """Whether the condition of a header begins here, so that `:=` may follow a name without brackets."""
    return header_word(parser) in _CONDITIONS and parser.roles.text[parser.cell[0]] in _CONDITIONS


def may_be_chained(parser: LineParser) -> bool:
    """Whether a name here stands behind an `=`, and is bound only if another `=` follows."""
    return parser.holder == "assigned" and next(parser.stack.outward(), None) is None


def begins_statement(parser: LineParser) -> bool:
    """Whether an expression that may become a target begins a statement here."""
    return parser.holder == "statement" and next(parser.stack.outward(), None) is None


def header_word(parser: LineParser) -> str:
    """The keyword of the header in progress; "" for none."""
    words = {_first_word(parser.stack.at(way.cell)) for way in parser.ways}
    return words.pop() if len(words) == 1 else ""


def _first_word(stack: Stack) -> str:
    cells = [cell for cell in stack.cells() if cell[1][0] >= 0]  # without the start
    words = [stack.roles.text[cell[0]] for cell in cells[-2:]]
    if not words or (len(words) == 1 and words[0] in _SOFT):
        return ""  # it may still be a name
    word = words[0] if words[-1] == "async" else words[-1]
    return word if word in _HEADERS else ""


def may_become_comprehension(parser: LineParser) -> bool:
    """Whether a `for` may follow in brackets open here."""
    return parser.stack.may_bind(parser.setting.version)


def names_read(parser: LineParser) -> frozenset[str]:
    """The names read by this line so far."""
    roles, stack = parser.roles, parser.stack
    names: set[str] = set()
    above = ""
    for state, below, value in stack.line_cells():
        symbol, role_above, above = roles.symbol[state], above, roles.role[state]
        if role_above in _BEHIND_NAME:
            continue
        if symbol == "assign_heads":
            told = [bind(elements_of(targets), top=True) for targets in value]
        elif symbol in TARGETS and stack.at(below).holder():
            told = [bind(elements_of(value), top=True)]
        elif isinstance(value, str):
            names.update((value,) if symbol and roles.takes_operand[below[0]] else ())
            continue
        else:
            told = [operations_of(symbol, value)]
        names.update(operation[1] for operations in told for operation in within(operations) if operation[0] == "use")
    return frozenset(names)


def open_names(parser: LineParser) -> frozenset[str]:
    """The names read but still unbound, which only a `for` in the open brackets, or a `:=`, may bind."""
    unbound = frozenset(name for name, _ in parser.way.told.open)
    last, context = parser.cell[2], parser.context
    if isinstance(last, str) and is_plain_name(last) and parser.operand is not None and context is not None:
        if path_of(parser.operand[2]) == (last,) and not parser.surroundings(context).visible(last):
            unbound |= {last}
    return unbound - parser.local_names()


def owed_names(parser: LineParser) -> frozenset[str]:
    """The names read by elements in open brackets, for a `for` there, or a `:=`, to bind if nothing else does."""
    owed: set[str] = set()
    roles, stack, version = parser.roles, parser.stack, parser.setting.version
    ends = roles.role[stack.cell[0]] == "closing"
    cell = (parser.operand if ends else None) or stack.cell
    is_read = ends  # else a name on top may go on
    for around in stack.outward():
        is_open = around.phase in _IN_COMPREHENSION or stack.at(around.cell[1]).may_bind(version)
        is_open = is_open or stack.may_generate(around, version)
        while cell is not around.cell:
            if is_open and around.is_bracket and is_read and roles.role[cell[0]] != "clauses":
                symbol = roles.symbol[cell[0]]
                holder = stack.at(cell[1]).holder()
                is_target = holder == "for" or (holder and symbol in TARGETS)
                owed.update(() if is_target else _names_used(symbol, cell[2]))
            is_read = roles.role[cell[0]] not in _BEHIND_NAME
            cell = cell[1]
    return frozenset(owed) - parser.local_names()


def _names_used(symbol: str, value: Any) -> Iterator[str]:
    """The names read by a nonterminal's value, except in scopes of their own."""
    if isinstance(value, str):
        yield from (value,) if symbol and is_plain_name(value) else ()
    else:
        yield from (operation[1] for operation in each(operations_of(symbol, value)) if operation[0] == "use")


def awaited_names(parser: LineParser) -> frozenset[str]:
    """The names still to be bound by a `for` in brackets, if its target is in progress; else none."""
    stack = parser.stack
    brackets = next(stack.outward(), None)
    if brackets is None or brackets.phase != "targets" or parser.operand is not None:
        return NONE
    told, depth = parser.way.told, stack.depth()
    names = {name for name, around in told.open if around == depth} - told.bound
    for cell in stack.cells():
        if cell is brackets.cell:
            break
        if parser.roles.symbol[cell[0]] in TARGET_LISTS:
            names.difference_update(target_names(elements_of(cell[2])))
    return frozenset(names).difference(brackets.names())


def lacks_attribute(parser: LineParser) -> bool:
    """Whether an attribute is missing, unless the rest assigns it or binds its owner's name."""
    return bool(parser.way.told.owed or parser.way.told.missing)


def imported_from(parser: LineParser) -> str | None:
    """The module whose name comes next, in a `from module import`; None elsewhere."""
    if parser.roles.role[parser.cell[0]] not in ("imported", "imports"):
        return None
    return parser.stack.imported_from()


def expects_feature(parser: LineParser) -> bool:
    """Whether the name of a feature comes next, in a `from __future__ import`."""
    module, context = imported_from(parser), parser.context
    return module is not None and is_future(module, context.version if context is not None else _DOTS_COUNT)


def possible(parser: LineParser) -> Members | None:
    """The possible names of the next attribute, keyword argument or import; None: unknown, or a new name may come."""
    setting, way, call = parser.setting, parser.way, parser.call
    module = imported_from(parser)
    if module is not None:
        return None if setting.context is None else setting.context.importable(module)
    if parser.behind_dot:
        return None if parser.holder else members_next(setting, way)
    if call is None or call.phase != "element" or not begins_argument(parser.roles, call, parser.cell):
        return None
    signature = signature_around(setting, way, call, setting.context)
    if signature is None or (may_become_comprehension(parser) and takes_position(setting, way, call)):
        return None
    if is_told(setting, way, call) and told(setting, way, None) is None:
        return None
    return signature.keywords()


def in_import(parser: LineParser) -> bool:
    """Whether the statement in progress is an import or a declaration of names."""
    return any(parser.roles.text[cell[0]] in _NAMING for cell in [*parser.stack.cells()][-1:])


def begins_element(parser: LineParser) -> bool:
    """Whether an element begins here in brackets."""
    return parser.cell[2] in _BEFORE_ELEMENTS


def first_written(before: LineParser | None, parser: LineParser) -> int:
    """The number of brackets open before in which a text behind them has written nothing itself."""
    pairs = zip(before.brackets() if before is not None else (), parser.brackets(), strict=False)
    return max(0, sum(was.cell is now.cell for was, now in pairs) - 1)


def argument_here(parser: LineParser, call: Construct) -> tuple[str, tuple[Argument, ...]]:
    """(the keyword of the argument in progress, or its stars, or "", the arguments before it)"""
    roles, cell = parser.roles, parser.cell
    given = arguments_before(roles, call, cell)
    while cell is not call.cell and not begins_argument(roles, call, cell[1]):
        if roles.role[cell[0]] == "keyword":
            return str(cell[1][2]), given
        cell = cell[1]
    return roles.text[cell[0]] if roles.text[cell[0]] in ("*", "**") else "", given


def position_problem(parser: LineParser, call: Construct) -> Refused | None:
    """The error of a positional argument that begins here."""
    setting, way = parser.setting, parser.way
    if call.called is None or not begins_argument(parser.roles, call, way.cell):
        return None
    refused = check_position(setting, way, call, arguments_before(parser.roles, call, way.cell))
    if refused is None or refused.word in setting.stored:
        return None
    return None if may_be_rebound(setting, way.cell, call.called[0]) else refused


def problem_of_call(parser: LineParser, call: Construct, context: Context, *, rebound: bool = True) -> Refused | None:
    """The error of a call around, if it ends here, in some surroundings; rebound: see members_of in members_around.py."""
    roles, way = parser.roles, parser.told_way
    ended = parser.setting.reader.shifted(parser.cell, ")")
    given = given_so_far(roles, call, ended[0][1]) if ended else arguments_before(roles, call, parser.cell)
    signature = signature_around(parser.setting, way, call, context, rebound=rebound)
    return call_problem(signature, call, given, parser.setting.stored | way.told.stored)


def notable(parser: LineParser, name: str, visible: Callable[[str], bool]) -> bool:
    """Whether a name is valid in a string annotation. visible: whether the surroundings have it, or a name with this beginning."""
    return is_notable(parser.setting, parser.way, name, visible)


def comprehended(parser: LineParser, tokens: Iterable[Token]) -> dict[str, Path | None]:
    """The names bound by each `for` with which the tokens continue open brackets, with their values; None: unknown."""
    parser = parser.in_context(None)
    still_open = parser.depth()
    bound: dict[str, Path | None] = {}
    for token in tokens:
        if token.__class__ is int or token == NEWLINE or not still_open:
            break
        if parser.behind_dot and not is_name(str(token)):
            parser.feed("_")  # the cursor stands behind a dot
        bound |= _variables_at(parser, str(token), still_open)
        try:
            parser.feed(str(token))
        except Refused:
            break
        still_open = min(still_open, parser.depth())
    return bound | dict.fromkeys(bound.keys() & _probed(parser))


def _variables_at(parser: LineParser, token: str, still_open: int) -> dict[str, Path | None]:
    """The variables of comprehensions in the outer open brackets, before a token."""
    bound: dict[str, Path | None] = {}
    brackets = [around for around in parser.stack.outward() if around.is_bracket][-still_open:]
    for around in brackets:
        bound |= dict.fromkeys(around.names()) | variables(parser.setting, parser.way, around)
    innermost = brackets[0]
    if token in _CLOSING and innermost.phase in ("iterable", "later iterable"):
        bound |= _last_variables(parser, innermost)
    return bound


def _last_variables(parser: LineParser, around: Construct) -> dict[str, Path]:
    """The variables of the `for` whose iterable ends here, with their values."""
    ended = parser.setting.reader.shifted(parser.cell, "if")
    for cell in ended:
        innermost = next(parser.stack.at(cell).outward(), None)
        if innermost is not None and innermost.cell is around.cell:
            return variables(parser.setting, Way(cell, parser.way.told), innermost)
    return {}


def _probed(parser: LineParser) -> frozenset[str]:
    """The names of things whose type or attributes the line checks so far."""
    cells = parser.stack.line_cells()
    told = (operations_of(parser.roles.symbol[cell[0]], cell[2]) for cell in cells)
    facts = (
        operation for operations in told for operation in within(operations) if operation[:2] == ("fact", "probed")
    )
    return frozenset(fact[2][0] for fact in facts)
