"""Types, functions, and declarations of them, of constants and of variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....scoping.replay import Cell, Events, Name, Reduced
from . import kinds
from .facts import Facts
from .messages import BLANK_SELECTOR, redeclared
from .name_facts import Declared
from .rules import Head, Names, Signature, read, reduces, reduces_longer, shifts, use_values
from .shapes import (
    COMPARED,
    NOT_CONSTANT,
    OTHER,
    Called,
    Listed,
    Literal,
    Members,
    Qualified,
    Term,
    Type,
    Union,
    constant_key,
)
from .universe import ORDINARY

_REST = Type("rest")
"""Stands behind the types of parameters that end with `...T`."""


class Variadic(Names):
    """Parameters that end with `...T`."""


@reduces("qualified")
def _qualified(r: Reduced) -> Qualified:
    package = r.children[0]
    package = package.text if type(package) is Name else package
    if r.children[2].text == "_":
        r.tell(Facts.error, BLANK_SELECTOR)
    if package == "nil":
        r.tell(Facts.no_nil, "selector expression")
    return Qualified(package, r.children[2].text)


@reduces("type_name=IDENT")
def _type_name(r: Reduced) -> Type:
    name = read(r, r.children[0])
    r.tell(Facts.use_as, name, (kinds.TYPE,))
    return Type("name", name, name, holds=(name,))


@reduces("type_name=qualified")
def _name_elsewhere(r: Reduced) -> Type:
    package, name = r.children[0]
    r.tell(Facts.use_as, package, (kinds.PACKAGE,))
    return Type("qualified", name, f"{package}.{name}")


@reduces_longer("type", "own_type")
def _type(r: Reduced) -> Type:
    """A type in parentheses, or with type arguments."""
    if r.symbols[0] != "type_name":
        return r.children[1]
    plain = all(given.kind == "name" and not given.arguments for given in r.children[1])
    return r.children[0]._replace(text="", arguments=len(r.children[1]), has_plain_arguments=plain)


@reduces("type_args")
def _type_arguments(r: Reduced) -> Listed:
    return r.children[1]


def _check_ordinary(r: Reduced, type_: Any) -> None:
    """Check a type of values, which no constraint may be."""
    if not isinstance(type_, Type):
        return
    if type_.kind == "name" and type_.name not in ORDINARY:
        r.tell(Facts.use_as, type_.name, (kinds.HAS_VALUES, type_.arguments))
    elif type_.constrains:
        r.tell(Facts.error, "cannot use a constraint outside a type constraint")


@reduces("own_array")
def _own_array(r: Reduced) -> Type:
    r.tell(Facts.end_type_parameters, (), False)
    return _literal_type(r)


@reduces("lit_type", "array_type", "map_type", "other_type", "ended", "pure", "pure_conv", "closed_type", "lit_head")
def _literal_type(r: Reduced) -> Type:
    symbols, children = r.symbols, r.children
    if len(symbols) == 1:
        return children[0] if isinstance(children[0], Type) else Type()
    last = children[-1] if isinstance(children[-1], Type) else Type()
    if symbols[0] == "(":
        return last
    _check_ordinary(r, last)
    key = children[2] if symbols[0] == "map" and isinstance(children[2], Type) else Type()
    behind = (*key.holds, *key.behind, *last.holds, *last.behind)
    if symbols[0] == "*":
        return Type("pointer", text=last.text and f"*{last.text}", inner=last, behind=behind)
    if symbols[0] == "map":
        text = f"map[{key.text}]{last.text}" if key.text and last.text else ""
        return Type("map", text=text, behind=behind)
    if symbols[0] != "[":
        return Type(behind=behind)
    if symbols[1] == "]":
        return Type("list", text=last.text and f"[]{last.text}", inner=last, behind=behind)
    if type(children[1]) is str:
        r.tell(Facts.use_as, children[1], (kinds.LENGTH,))
    key = constant_key(children[1]) if type(children[1]) is Literal else None
    length = int(key[1:]) if key is not None and key[1:].isdecimal() else -1
    return Type("list", inner=last, holds=last.holds, behind=last.behind, length=length)


@reduces("field")
def _field(r: Reduced) -> Members:
    if r.symbols[0] == "idents":
        kind = r.children[1]
        _check_ordinary(r, kind)
        return Members(tuple(name.text for name in r.children[0]), kind.holds, kind.behind)
    embedded = r.children[r.symbols.index("type_name")]
    if "type_args" in r.symbols:
        embedded = embedded._replace(arguments=len(r.children[r.symbols.index("type_args")]))
    _check_ordinary(r, embedded)
    holds, behind = embedded.holds, ()
    if r.symbols[0] == "*":
        holds, behind = behind, holds
    of = embedded._replace(inner=embedded if r.symbols[0] == "*" else None)
    return Members((embedded.name,), holds, behind, (of,))


@reduces("elem")
def _elem(r: Reduced) -> Members:
    if r.symbols[0] != "IDENT":
        union: Union = r.children[0]
        constrains = len(union) > 1 or any(term.tilde or term.type.constrains for term in union)
        return Members(holds=union.holds, union=union, constrains=constrains)
    if r.children[0].text == "_":
        r.tell(Facts.error, "method name is blank")
    return Members((r.children[0].text,))


@reduces("term", "constraint", "sure_constraint")
def _constraint(r: Reduced) -> Union:
    terms: list[Term] = []
    for child in r.children:
        if isinstance(child, Type):
            terms.append(Term(child, "~" in r.symbols))
        elif isinstance(child, Union):
            terms += child
    union = Union(terms)
    for number, term in enumerate(union):
        _check_term(r, term, union[:number], alone=len(r.symbols) == 1)
    return union


def _check_term(r: Reduced, term: Term, before: Sequence[Term], *, alone: bool) -> None:
    """Check a term behind others; alone: the only one so far, without `~`."""
    of = term.type
    if of.kind == "name":
        if not alone or of.name not in ORDINARY:
            r.tell(Facts.join, of.name, (kinds.TERM, term.tilde, alone, of.arguments))
    elif alone:
        return
    elif of.has_methods:
        r.tell(Facts.error, "cannot use an interface with methods in union")
    elif of.kind == "interface" and term.tilde:
        r.tell(Facts.error, "invalid use of ~ before an interface")
    if of.text not in ("", "any") and any(other.type.text == of.text for other in before):
        r.tell(Facts.error, f"overlapping terms {of.text}")


@reduces("*")
def _list(r: Reduced) -> Members:
    members = [child for child in r.children if isinstance(child, Members)]
    return Members(
        tuple(name for member in members for name in member.names),
        tuple(name for member in members for name in member.holds),
        tuple(name for member in members for name in member.behind),
        tuple(of for member in members for of in member.embedded),
        tuple(term for member in members for term in member.union),
        any(member.constrains for member in members),
    )


def _check_repeated(r: Reduced, names: Sequence[str], message: Callable[[str], str]) -> None:
    if len(set(names)) < len(names):
        for name in {name for name in names if name != "_" and names.count(name) > 1}:
            r.tell(Facts.error, message(name))


@reduces("struct_type", "iface")
def _fields(r: Reduced) -> Type:
    names, holds, behind, embedded, union, constrains = _list(r)
    is_struct = r.symbols[0] == "struct"
    _check_repeated(r, names, "{} redeclared".format if is_struct else "duplicate method {}".format)
    if not is_struct:
        text = "" if names or union else "any"
        return Type(
            "interface", text=text, holds=holds, behind=behind,
            has_methods=bool(names), union=union, constrains=constrains,
        )  # fmt: skip
    return Type("struct", fields=names, embedded=embedded, holds=holds, behind=behind)


@reduces("types")
def _types(r: Reduced) -> Listed:
    _check_ordinary(r, r.children[-1])
    return Listed((r.children[0],)) if len(r.symbols) == 1 else Listed((*r.children[0], r.children[2]))


@reduces("types_var")
def _types_with_rest(r: Reduced) -> Listed:
    types = r.children[0] if r.symbols[0] == "types" else ()
    if "..." in r.symbols:
        _check_ordinary(r, r.children[-1])
    return Listed((*types, _REST)) if "..." in r.symbols else r.children[0]


@reduces("named", "named_var", "tparam_list", "several")
def _named(r: Reduced) -> Names:
    last = r.children[-1]
    _check_ordinary(r, last)
    if isinstance(last, Union) and len(last) == 1 and last[0].type.kind == "name" and not last[0].tilde:
        r.tell(Facts.constrain, last[0].type.name)
    return (Variadic if "..." in r.symbols else Names)(_names(r.children))


def _names(children: list[Any]) -> list[Name]:
    names: list[Name] = []
    for child in children:
        if isinstance(child, Names):
            names += child
        elif type(child) is Name:
            names.append(child)
    return names


@reduces("params", "params_result")
def _parameters(r: Reduced) -> tuple[tuple[str, ...], int, bool]:
    inner = r.children[1] if len(r.children) > 2 else ()
    if isinstance(inner, Names):
        return tuple(name.text for name in inner), len(inner), isinstance(inner, Variadic)
    return (), len(inner), inner[-1:] == (_REST,)


@reduces("result", "ended_result")
def _result(r: Reduced) -> Any:
    _check_ordinary(r, r.children[0])
    return r.children[0][:2] if r.symbols[0] == "params_result" else ((), 1)


@reduces("signature")
def _signature(r: Reduced) -> Signature:
    (names, count, variadic), (results, values) = r.children[0], r.children[1] if len(r.children) > 1 else ((), 0)
    _check_repeated(r, names + results, redeclared)
    return Signature(names, count, results, values, variadic=variadic)


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
    r.tell(Facts.end_receiver, r.children[r.symbols.index("type")])
    return (r.children[1].text,) if r.symbols[1] == "IDENT" else ()


@reduces("method_head")
def _method_head(r: Reduced) -> Head:
    r.tell(Facts.name_method, r.children[2].text)
    return Head("", r.children[1])


@reduces("tparams", "alias_tparams")
def _type_parameters(r: Reduced) -> Names:
    declared = Names(_names(r.children))
    names = tuple(name.text for name in declared)
    above = r.under[2]
    opens = not isinstance(above, Head)
    r.tell(Facts.end_type_parameters, names, opens)
    if isinstance(above, Head) and above.name == "init":
        r.tell(Facts.error, "func init must have no type parameters")
    return declared


def _head_below(cell: Cell) -> Head:
    """The head of the named function with this signature, or with these type parameters."""
    _, below, attribute = cell[1]
    return attribute if isinstance(attribute, Head) else below[2]


@shifts("body/{")
def _begin_body(events: Events, under: Cell, text: str, number: int) -> None:
    signature: Signature = under[2]
    own: tuple[str, ...] = ()
    if signature.literal:
        events.append((Facts.open_scope, ()))
    else:
        head = _head_below(under)
        own = head.own
        if head.name == "init":
            _check_init(events, signature, has_body=True)
        elif head.name:
            events.append((Facts.know_function, (head.name, _known(signature, _type_count(under)))))
    events.append((Facts.enter_function, (number, own + signature.names, signature.results, signature.values)))


def _type_count(cell: Cell) -> int:
    """The number of a function's type parameters; cell: of its signature."""
    _, _, attribute = cell[1]
    return len(attribute) if isinstance(attribute, Names) else 0


def _known(signature: Signature, types: int) -> kinds.Function:
    count = signature.parameters
    if signature.variadic:
        return kinds.Function(count - 1, kinds.UNBOUNDED, signature.values, types)
    return kinds.Function(count, count, signature.values, types)


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
    elif head.name:
        types = len(r.children[1]) if r.symbols[1] == "tparams" else 0
        r.tell(Facts.know_function, head.name, _known(signature, types))
        if types:
            r.tell(Facts.error, "generic function is missing function body")
    r.tell(Facts.check_signature, head.own + signature.names + signature.results)
    r.tell(Facts.close_scope)


def _values(r: Reduced) -> Sequence[Any]:
    """The values of a declaration; without a type, none of them may be `nil`."""
    values = r.children[-1] if r.symbols[-1] == "exprs" else ()
    if "nil" in values and r.symbols[1] == "=":
        r.tell(Facts.no_nil, "variable declaration")
    use_values(r, values)
    return values


@reduces("const_one", "const_next")
def _constants(r: Reduced) -> None:
    if r.symbols[0] != "idents":
        return
    values = _values(r)
    if any(value in NOT_CONSTANT for value in values):
        r.tell(Facts.error, "value is not constant")
    surely = all(value == "iota" if type(value) is str else value not in (OTHER, COMPARED) for value in values)
    surely = surely and not any(isinstance(value, Called | Qualified) for value in values)
    word = "const" if surely else "flag"
    r.tell(Facts.count_constants, len(r.children[0]), len(values) if values else -1, word)
    r.tell(Facts.declare_all, r.children[0], "const")


@reduces("var_spec")
def _variables(r: Reduced) -> None:
    names, values = r.children[0], _values(r)
    _check_ordinary(r, r.children[1])
    if values:
        r.tell(Facts.assigned, len(names), len(values), values[-1])
    r.tell(Facts.declare_all, names, "var")
    r.tell(Facts.variable_declared, names[-1].number)


@shifts("var_spec:=")
def _begin_value(events: Events, under: Cell, text: str, number: int) -> None:
    events.append((Facts.begin_value, ()))


@reduces("defined")
def _defined(r: Reduced) -> Name:
    r.tell(Facts.declare, r.children[0].text, 0, "type")
    return r.children[0]


@reduces("type_spec")
def _type_specification(r: Reduced) -> None:
    parameters: tuple[str, ...] = ()
    if r.symbols[1] in ("tparams", "alias_tparams"):
        r.tell(Facts.close_scope)
        parameters = tuple(name.text for name in r.children[1])
    kind = r.children[-1] if isinstance(r.children[-1], Type) else Type()
    holds, behind = (tuple(name for name in names if name not in parameters) for names in (kind.holds, kind.behind))
    if kind.kind == "name" and kind.name in parameters:
        r.tell(Facts.error, "cannot use a type parameter as the type of a declaration")
    if any(of.kind == "name" and of.name in parameters for of in kind.embedded):
        r.tell(Facts.error, "embedded field type cannot be a type parameter")
    kind = kind._replace(text="", holds=holds, behind=behind)
    r.tell(Facts.define_type, r.children[0].text, Declared(kind, "=" in r.symbols, len(parameters)))
