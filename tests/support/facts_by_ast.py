"""The facts (facts.py) of an imported module from its syntax tree alone. Nothing of it is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from suture.parser.languages.python.semantics.facts import (
    NONE,
    Binding,
    Gathered,
    joined,
    merged,
    of_class,
    of_function,
)
from suture.parser.languages.python.semantics.line_values import SETS_ATTRIBUTES, Argument, Field, Header, Parameter
from suture.parser.languages.python.semantics.rules.calls import CHANGES_ATTRIBUTES, CHANGES_NAMES, TELLS_TYPE
from suture.parser.languages.python.semantics.type_paths import Path, call, read

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The facts of a module's source."""

    facts: Gathered
    stars: tuple[str, ...]
    """the modules of its `from module import *`"""
    public: frozenset[str] | None
    """the names in `__all__`; None without one, or where it is not plain"""
    dynamic: bool
    """whether it may have names not bound in the text"""


def read_source(text: str | bytes) -> Source | None:
    """The facts of a module's text; None where it does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    try:
        reader = _Reader()
        facts = reader.scope(tree.body)
    except RecursionError:
        return None
    return Source(facts, tuple(reader.stars), _public(tree.body), reader.dynamic or "__getattr__" in facts.made)


def _public(body: list[ast.stmt]) -> frozenset[str] | None:
    found: frozenset[str] | None = None
    for node in ast.walk(ast.Module(body, [])):
        if isinstance(node, ast.Name) and node.id == "__all__" and isinstance(node.ctx, ast.Store):
            if found is not None:
                return None
            found = NONE
    for node in body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            if isinstance(node.value, ast.List | ast.Tuple):
                names = [one.value for one in node.value.elts if isinstance(one, ast.Constant)]
                return frozenset(str(name) for name in names) if len(names) == len(node.value.elts) else None
    return None


def path_of(node: ast.expr | None) -> Path | None:
    """An expression as a path; None for any other expression."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            called = path_of(node.func)
            if called is None:
                return None
            given = [(None, path_of(one)) for one in node.args]
            named = [(one.arg or "**", None if one.arg is None else path_of(one.value)) for one in node.keywords]
            return (*called, call(called, [*given, *named]), *reversed(parts))
        elif isinstance(node, ast.Subscript):
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            parts.append("[:]" if any(isinstance(one, ast.Slice) for one in inner) else "[]")
            node = node.value
        else:
            break
    if isinstance(node, ast.Name):
        parts.append(node.id)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        parts.append(str(node.value))
    elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        parts.append("#str")
    elif isinstance(node, ast.List | ast.ListComp):
        parts.append("#list")
    elif isinstance(node, ast.Dict):
        parts.append("#dict")
    elif isinstance(node, ast.Set):
        parts.append("#set")
    else:
        return None
    return tuple(reversed(parts))


def annotation_of(node: ast.expr | None) -> Path | None:
    """An annotation as a path, one in a string, too."""
    text = _type(node)
    return None if text is None else read(text)


def _type(node: ast.expr | None) -> str | None:
    """An annotation in the notation of type_paths.py; "?" for no type."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return node.value if read(node.value) is not None else "?"
        return {None: "None", ...: "..."}.get(node.value, "?") if node.value is None or node.value is ... else "?"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts = [_type(node.left), _type(node.right)]
        return "?" if "?" in parts else "|".join(map(str, parts))
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return f"{_type(node.value)}[{','.join(str(_type(one)) for one in inner)}]"
    path = path_of(node)
    return "?" if path is None else ".".join(path).replace(".()", "()")


@dataclass
class _Found:
    """The facts of a scope's own statements, definitions excepted."""

    made: dict[str, Binding] = field(default_factory=dict)
    stores: dict[tuple[str, str], Binding] = field(default_factory=dict)
    mentions: set[tuple[str, str]] = field(default_factory=set)
    probed: set[Path] = field(default_factory=set)
    patched: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)
    fields: list[Field] = field(default_factory=list)

    def bind(self, name: str, value: Binding = None) -> None:
        self.made.update(merged({name: self.made[name]}, {name: value}) if name in self.made else {name: value})

    def gathered(self) -> Gathered:
        f = frozenset
        return Gathered(
            self.made,
            self.stores,
            f(self.mentions),
            f(self.probed),
            f(self.patched),
            declared=f(self.declared),
            fields=tuple(self.fields),
        )


class _Reader:
    """Reads a tree; collects the facts of the whole module."""

    def __init__(self) -> None:
        self.stars: list[str] = []
        self.dynamic = False

    def scope(self, body: list[ast.stmt]) -> Gathered:
        """The facts of a scope."""
        found = _Found()
        parts: list[Gathered] = []
        for statement in _statements(body):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.simple:
                name, annotation, value = statement.target.id, annotation_of(statement.annotation), statement.value
                certain = statement in body
                found.fields.append(Field(name, annotation, value is not None, path_of(value), certain))
            if isinstance(statement, _SCOPES):
                parts.append(self.definition(statement, found))
            else:
                self.statement(statement, found)
        parts.append(found.gathered())
        while len(parts) > 1:
            parts = [joined(*parts[i : i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
        return parts[0]

    def definition(self, node: _Definition | ast.ClassDef, found: _Found) -> Gathered:
        """A function or a class in the scope around it; found: of that scope."""
        decorators = tuple(path_of(one) for one in node.decorator_list)
        for one in node.decorator_list:
            self.expression(one, found)
        types = tuple(one.name for one in getattr(node, "type_params", ()))
        if isinstance(node, ast.ClassDef):
            for one in (*node.bases, *(keyword.value for keyword in node.keywords)):
                self.expression(one, found)
            arguments = (
                *(Argument(None, path_of(one)) for one in node.bases),
                *(Argument(keyword.arg or "**", path_of(keyword.value)) for keyword in node.keywords),
            )
            header = Header("class", name=node.name, type_params=types, arguments=arguments)
            facts = of_class(header, self.scope(node.body))
        else:
            for one in (*node.args.defaults, *node.args.kw_defaults):
                if one is not None:
                    self.expression(one, found)
            signature = tuple(_parameters(node.args))
            header = Header(
                "def",
                name=node.name,
                is_async=isinstance(node, ast.AsyncFunctionDef),
                params=tuple(one.name for one in signature),
                type_params=types,
                signature=signature,
                returns=annotation_of(node.returns),
            )
            facts = of_function(header, self.scope(node.body))
        if not decorators:
            return facts
        before = Gathered(decorators=decorators)
        return joined(before, facts)

    def statement(self, node: ast.stmt, found: _Found) -> None:
        """A statement without a scope of its own, and without the statements within it."""
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(one, ast.Name) and one.id == "__slots__" for one in targets):
                _declare_slots(node.value, found, more=isinstance(node, ast.AugAssign))
        if isinstance(node, ast.Assign):
            self.expression(node.value, found)
            path = path_of(node.value)
            for target in node.targets:
                self.target(target, found, ("value", path), whole=True)
        elif isinstance(node, ast.AnnAssign):
            self.expression(node.annotation, found)
            if node.value is not None:
                self.expression(node.value, found)
            self.target(node.target, found, ("annotated", annotation_of(node.annotation)))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                found.bind(alias.asname or top, ("module", alias.name if alias.asname else top))
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append(module)
                else:
                    found.bind(alias.asname or alias.name, ("from", module, alias.name))
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.declared.update(node.names)
            for name in node.names:
                found.bind(name)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self.target(target, found, None)
        else:
            for one in _expressions(node):
                self.expression(one, found)
            if isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor):
                path = path_of(node.iter) if isinstance(node, ast.For) else None
                self.target(node.target, found, None if path is None else ("value", (*path, "[*]")))
            elif isinstance(node, ast.With | ast.AsyncWith):
                for item in node.items:
                    if item.optional_vars is not None:
                        path = path_of(item.context_expr) if isinstance(node, ast.With) else None
                        self.target(item.optional_vars, found, None if path is None else ("value", (*path, "[with]")))
            elif isinstance(node, ast.Try) or node.__class__.__name__ == "TryStar":
                for handler in node.handlers:  # type: ignore[attr-defined]
                    if handler.name is not None:
                        found.bind(handler.name)
            elif isinstance(node, ast.Match):
                path = path_of(node.subject)
                if path is not None:
                    found.probed.add(path)
                for inner in ast.walk(node):
                    if isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name is not None:
                        found.bind(inner.name)
                    elif isinstance(inner, ast.MatchMapping) and inner.rest is not None:
                        found.bind(inner.rest)

    def target(self, node: ast.expr, found: _Found, value: Binding, *, whole: bool = False) -> None:
        """The target of an assignment; whole: of an attribute, too."""
        if isinstance(node, ast.Name):
            found.bind(node.id, value)
        elif isinstance(node, ast.Attribute):
            base = node.value.id if isinstance(node.value, ast.Name) else ""
            self.expression(node, found)
            key = base, node.attr
            known = value if whole or (value is not None and value[0] == "annotated") else None
            found.stores[key] = None if key in found.stores else known
        elif isinstance(node, ast.Tuple | ast.List):
            starred = any(isinstance(one, ast.Starred) for one in node.elts)
            path = None if value is None or starred else value[1]
            for number, one in enumerate(node.elts):
                self.target(one, found, None if path is None else ("value", (*path, f"[#{number}]")))
        elif isinstance(node, ast.Starred):
            self.target(node.value, found, None)
        else:
            self.expression(node, found)

    def expression(self, node: ast.expr, found: _Found) -> None:
        """The reads in an expression."""
        called = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
        for one in ast.walk(node):
            if isinstance(one, ast.Attribute):
                if one.attr in SETS_ATTRIBUTES and one not in called:
                    found.patched.add("")
                if path_of(one.value) == ("super", "()"):
                    found.mentions.add(("super()", one.attr))
                elif isinstance(one.value, ast.Name):
                    found.mentions.add((one.value.id, one.attr))
                    if one.attr == "__dict__":
                        found.probed.add((one.value.id,))
                if one.attr == "modules":
                    self.dynamic |= isinstance(one.value, ast.Name) and one.value.id == "sys"
            elif isinstance(one, ast.Call):
                path = path_of(one.func)
                if path is None:
                    continue
                first = path_of(one.args[0]) if one.args else None
                called_name = path[-1]
                if called_name in CHANGES_ATTRIBUTES and one.args:
                    found.patched.add(first[0] if first is not None and len(first) == 1 else "")
                elif called_name in TELLS_TYPE and first is not None:
                    found.probed.add(first)
                elif len(path) > 1 and called_name in SETS_ATTRIBUTES:
                    unbound = len(one.args) + len(one.keywords) >= (3 if called_name == "__setattr__" else 2)
                    owner = (first or ()) if unbound else path[:-1]
                    is_own = owner == ("super", "()")
                    found.patched.add("super()" if is_own else owner[0] if len(owner) == 1 else "")
                elif called_name in CHANGES_NAMES or (called_name == "vars" and not one.args):
                    self.dynamic = True
            elif isinstance(one, ast.NamedExpr) and isinstance(one.target, ast.Name):
                found.bind(one.target.id)


def _declare_slots(value: ast.expr, found: _Found, *, more: bool) -> None:
    """The assignment or extension of a `__slots__`."""
    texts = [one.value for one in ast.walk(value) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    for text in texts:
        found.made.setdefault(text, None)
    if more or any(isinstance(one, ast.Name) for one in ast.walk(value)) or not all(map(str.isidentifier, texts)):
        found.bind("__getattr__")


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    for kind, several in (("/", arguments.posonlyargs), ("", arguments.args)):
        for one in several:
            yield Parameter(one.arg, kind, annotation_of(one.annotation), required <= 0)
            required -= 1
    if arguments.vararg is not None:
        yield Parameter(arguments.vararg.arg, "*", annotation_of(arguments.vararg.annotation))
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(one.arg, "=", annotation_of(one.annotation), default is not None)
    if arguments.kwarg is not None:
        yield Parameter(arguments.kwarg.arg, "**", annotation_of(arguments.kwarg.annotation))


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a scope with those of its blocks, in the order of the text."""
    for node in body:
        yield node
        if isinstance(node, _SCOPES):
            continue
        for name in ("body", "handlers", "cases", "orelse", "finalbody"):
            for inner in getattr(node, name, ()):
                if isinstance(inner, ast.stmt):
                    yield from _statements([inner])
                else:  # a clause
                    yield from _statements(inner.body)


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions of a statement, without those of the statements in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif not isinstance(child, ast.stmt):
            yield from _expressions(child)
