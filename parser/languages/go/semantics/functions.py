"""The file and its functions: receivers, parameters, results, bodies."""

from __future__ import annotations

from .automaton import NAME, Broken, Checker, Frame, Scope, takes
from .tokens import FIXED

_TYPE_START = frozenset(["*", "[", "map", "chan", "struct", "interface", "func", "<-", "("])


@takes
def _top(m: Checker, token: str, f: Frame) -> bool:
    if token == "func":
        m.open_scope()
        m.push("func_name")
    elif token in ("type", "var", "const"):
        m.push("declaration", token, False)
    return True


@takes
def _func_name(m: Checker, token: str, f: Frame) -> bool:
    if token == "(":
        m.replace("receiver", ())
    else:
        if token not in ("_", "init"):
            m.declared += ((token, "func"),)
        m.replace("func_rest", (), "init" if token == "init" else "decl")
    return True


@takes
def _receiver(m: Checker, token: str, f: Frame) -> bool:
    """`(r *T[K, V])`: here the names in brackets are declared."""
    tokens: tuple[str, ...] = f[1]
    if token != ")" or tokens.count("(") > tokens.count(")"):
        m.replace("receiver", (*tokens, token))
        return True
    head = tokens[: tokens.index("[")] if "[" in tokens else tokens
    names = [name for name in head if name not in FIXED]
    named = len(names) > 1 and (head[1] not in (".", ")"))
    base = names[-1] if names else ""
    own = tuple(names[:1]) if named else ()
    for name in tokens[len(head) :]:
        if name not in FIXED:
            m.declare(name, 0, "type")
    if base and "." not in head:
        m.use(base)
    m.replace("method_name", base, own)
    return True


@takes
def _method_name(m: Checker, token: str, f: Frame) -> bool:
    if token != "_":
        if (f[1], token) in m.methods:
            m.error(f"method {f[1]}.{token} already declared")
        m.methods += ((f[1], token),)
    m.replace("func_rest", f[2], "decl")
    return True


@takes
def _func_rest(m: Checker, token: str, f: Frame) -> bool:
    m.replace("parameters_next", f[2], f[1])
    if token == "[":
        if f[2] == "init":
            m.error("func init must have no type parameters")
        m.deferred = ()
        m.push("type_parameters", (), None)
        return True
    return False


@takes
def _type_parameters(m: Checker, token: str, f: Frame) -> bool:
    """Behind the bracket; they may name each other, so what they read is looked up at the end."""
    _, names, pending = f
    if token == "]":
        read, m.deferred = m.deferred or (), None
        for name, _ in (*names, *((pending,) if pending else ())):
            m.declare(name, 0, "type")
        m.pop()
        for name in read:
            m.use(name)
    elif token == ",":
        m.replace("type_parameters", (*names, pending) if pending else names, None)
    elif pending is None and token not in FIXED:
        m.replace("type_parameters", names, (token, m.number))
    elif pending is not None:
        m.replace("type_parameters", (*names, pending), None)
        m.push("type", True, 0)
        return False
    else:
        raise Broken
    return True


@takes
def _parameters_next(m: Checker, token: str, f: Frame) -> bool:
    """kind: "decl", "init" and "lit" may have a body; names: those of the receiver."""
    if token != "(":
        raise Broken
    m.replace("result", f[1], f[2])
    m.push("parameters", (), 0, False)
    return True


@takes
def _result(m: Checker, token: str, f: Frame) -> bool:
    _, kind, names = f
    names = _joined(m, names, m.members[0])
    if kind == "init" and m.members[1]:
        m.error("func init must have no arguments")
    if token == "(":
        m.replace("body", kind, names, None)
        m.push("parameters", (), 0, False)
        return True
    if token in _TYPE_START or token not in FIXED:
        m.replace("body", kind, names, ((), 1))
        m.push("type", False, 0)
    else:
        m.replace("body", kind, names, ((), 0))
    return False


def _joined(m: Checker, names: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    for name in more:
        if name in names and name != "_":
            m.error(f"{name} redeclared in this block")
        names += (name,)
    return names


@takes
def _body(m: Checker, token: str, f: Frame) -> bool:
    _, kind, names, results = f
    if results is None:
        results = m.members
        names = _joined(m, names, results[0])
    if kind == "init" and (results[1] or token != "{"):
        m.error("func init must have no return values, and a body")
    if token != "{" or kind == "type":
        if kind in ("decl", "init"):
            m.close_scope()
        m.pop()
        return False
    if kind == "lit":
        m.open_scope()
    assert m.scope is not None
    scope = m.scope
    for name in names:
        if name in scope.names and name != "_":
            m.error(f"{name} redeclared in this block")
    found = dict.fromkeys((name for name in names if name != "_"), 0)
    found |= dict.fromkeys((name for name in results[0] if name != "_"), -1)
    m.scope = Scope(scope.parent, {**scope.names, **found}, scope.own)
    m.enter_function(results[0], results[1])
    return True


@takes
def _parameters(m: Checker, token: str, f: Frame) -> bool:
    """alone: names without a type, that are types unless another entry has both."""
    _, alone, count, named = f
    if token == ")":
        if not named:
            for name in alone:
                m.use(name)
        m.members = (alone if named else ()), count
        m.pop()
        return True
    if token == ",":
        return True
    if token in FIXED:
        m.replace("parameters", alone, count + 1, named)
        m.push("type", False, 0)
        return False
    m.replace("parameters", alone, count + 1, named)
    m.push("parameter", token, False)
    return True


@takes
def _parameter(m: Checker, token: str, f: Frame) -> bool:
    """Behind a name; bracketed: behind one and brackets, as in `a [n]T` or `T[K]`."""
    _, name, bracketed = f
    below = m.stack[1][0]
    if token in (",", ")"):
        m.pop()
        if bracketed:
            m.use(name)
        else:
            m.replace("parameters", (*below[1], name), below[2], below[3])
        return False
    if token == "." and not bracketed:
        m.use(name)
        m.replace("type", False, NAME)
        return False
    if token == "[" and not bracketed:
        m.replace("parameter", name, True)
        m.push("items", "]")
        return True
    m.pop()
    m.replace("parameters", (*below[1], name), below[2], True)
    m.push("type", False, 0)
    return False
