"""Types, functions, and declarations of them, of constants and of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....scoping.replay import Cell, Events, Name, Reduced
from .facts import NIL, Facts
from .rules import Fields, Head, Names, Qualified, Signature, read, reduces, reduces_longer, shifts


@reduces("qualified")
def _qualified(r: Reduced) -> Qualified:
    return Qualified(r.children[2].text)


@reduces("type_name=IDENT")
def _type_name(r: Reduced) -> str:
    return read(r, r.children[0])


@reduces_longer("type", "own_type")
def _type(r: Reduced) -> Any:
    """The first name of one that has type arguments."""
    return r.children[0] if r.symbols[0] == "type_name" else None


@reduces("own_array")
def _own_array(r: Reduced) -> None:
    r.tell(Facts.end_type_parameters, (), False)


@reduces("field")
def _field(r: Reduced) -> Fields:
    if r.symbols[0] == "idents":
        return Fields(name.text for name in r.children[0])
    return Fields((r.children[r.symbols.index("type_name")],))


@reduces("elem")
def _elem(r: Reduced) -> Fields:
    if r.symbols[0] != "IDENT":
        return Fields()
    if r.children[0].text == "_":
        r.tell(Facts.error, "method name is blank")
    return Fields((r.children[0].text,))


@reduces("*")
def _list(r: Reduced) -> Fields:
    return Fields(name for child in r.children if isinstance(child, Fields) for name in child)


def _check_repeated(r: Reduced, names: Sequence[str], message: str) -> None:
    for name in {name for name in names if name != "_" and names.count(name) > 1}:
        r.tell(Facts.error, message.format(name))


@reduces("struct_type", "iface")
def _fields(r: Reduced) -> Fields | None:
    found = _list(r)
    is_struct = r.symbols[0] == "struct"
    _check_repeated(r, found, "{} redeclared" if is_struct else "duplicate method {}")
    return found if is_struct else None


@reduces("types")
def _types(r: Reduced) -> int:
    return 1 if len(r.symbols) == 1 else r.children[0] + 1


@reduces("types_var")
def _types_with_rest(r: Reduced) -> int:
    return (r.children[0] if r.symbols[0] == "types" else 0) + ("..." in r.symbols)


@reduces("named", "named_var", "tparam_list", "several")
def _named(r: Reduced) -> Names:
    return Names(_names(r.children))


def _names(children: list[Any]) -> list[Name]:
    found: list[Name] = []
    for child in children:
        if isinstance(child, Names):
            found += child
        elif type(child) is Name:
            found.append(child)
    return found


@reduces("params", "params_result")
def _parameters(r: Reduced) -> tuple[tuple[str, ...], int]:
    inner = r.children[1] if len(r.children) > 2 else 0
    return (tuple(name.text for name in inner), len(inner)) if isinstance(inner, Names) else ((), inner)


@reduces("result", "ended_result")
def _result(r: Reduced) -> Any:
    return r.children[0] if r.symbols[0] == "params_result" else ((), 1)


@reduces("signature")
def _signature(r: Reduced) -> Signature:
    (names, count), (results, values) = r.children[0], r.children[1] if len(r.children) > 1 else ((), 0)
    _check_repeated(r, names + results, "{} redeclared in this block")
    return Signature(names, count, results, values)


@reduces("func_type")
def _function_type(r: Reduced) -> Signature:
    return r.children[1]._replace(literal=True)


@reduces("func_head")
def _function_head(r: Reduced) -> Head:
    name = r.children[1].text
    r.tell(Facts.name_function, name)
    return Head(name)


@reduces("receiver")
def _receiver(r: Reduced) -> tuple[str, ...]:
    r.tell(Facts.end_receiver)
    return (r.children[1].text,) if r.symbols[1] == "IDENT" else ()


@reduces("method_head")
def _method_head(r: Reduced) -> Head:
    r.tell(Facts.name_method, r.children[2].text)
    return Head("", r.children[1])


@reduces("tparams", "alias_tparams")
def _type_parameters(r: Reduced) -> Any:
    names = tuple(name.text for name in _names(r.children))
    above = r.under[2]
    opens = not isinstance(above, Head)
    r.tell(Facts.end_type_parameters, names, opens)
    if isinstance(above, Head) and above.name == "init":
        r.tell(Facts.error, "func init must have no type parameters")
    return None


def _head_below(cell: Cell) -> Head:
    """The head of a function with a name, of which this is the signature, or the type parameters."""
    _, below, attribute = cell[1]
    return attribute if isinstance(attribute, Head) else below[2]


@shifts("body/{")
def _begin_body(events: Events, under: Cell, text: str, at: int) -> None:
    signature: Signature = under[2]
    own: tuple[str, ...] = ()
    if signature.literal:
        events.append((Facts.open_scope, ()))
    else:
        head = _head_below(under)
        own = head.own
        if head.name == "init":
            _check_init(events, signature, has_body=True)
    events.append((Facts.enter_function, (at, own + signature.names, signature.results, signature.values)))


def _check_init(events: Events, signature: Signature, *, has_body: bool) -> None:
    if signature.parameters:
        events.append((Facts.error, ("func init must have no arguments",)))
    if signature.values or not has_body:
        events.append((Facts.error, ("func init must have no return values, and a body",)))


@reduces("func_decl")
def _declare_function(r: Reduced) -> None:
    if r.symbols[-1] == "body":
        return
    head, signature = r.children[0], r.children[-1]
    if head.name == "init":
        _check_init(r.events, signature, has_body=False)
    r.tell(Facts.check_signature, head.own + signature.names + signature.results)
    r.tell(Facts.close_scope)


def _values(r: Reduced) -> Sequence[Any]:
    """Of a declaration, none of which may be `nil` without a type."""
    values = r.children[-1] if r.symbols[-1] == "exprs" else ()
    if NIL in values and r.symbols[1] == "=":
        r.tell(Facts.no_nil, "variable declaration")
    return values


@reduces("const_one", "const_next")
def _constants(r: Reduced) -> None:
    if r.symbols[0] == "idents":
        values = _values(r)
        r.tell(Facts.count_constants, len(r.children[0]), len(values) if values else -1)
        r.tell(Facts.declare_all, r.children[0], "const")


@reduces("var_spec")
def _variables(r: Reduced) -> None:
    names, values = r.children[0], _values(r)
    if values:
        r.tell(Facts.assigned, len(names), len(values), values[-1])
    r.tell(Facts.declare_all, names, "var")


@reduces("defined")
def _defined(r: Reduced) -> Name:
    r.tell(Facts.declare, r.children[0].text, 0, "type")
    return r.children[0]


@reduces("type_spec")
def _type_specification(r: Reduced) -> None:
    kind = r.children[-1]
    fields = kind if isinstance(kind, Fields) else None
    if r.symbols[1] in ("tparams", "alias_tparams"):
        r.tell(Facts.close_scope)
    r.tell(Facts.define_type, r.children[0].text, fields, kind if type(kind) is str else "")
