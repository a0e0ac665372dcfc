"""The push-down automaton over tokens of TypeScript and JavaScript: its stack, its scopes, and the names declared and read in each.

All its parts are values, or copied before a change, so a text can be tried from the same place many times. A frame of the stack is a
tuple: the name of the function for the next token, then that function's arguments. A function returns False where it left the token
to the frame below. Where a token has two readings the automaton forks, and an impossible one dies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .kinds import INFERRED, OUT, At, Kind, Use, carried, clash, clash_in_module, given, is_fixed, is_only_type, left
from .messages import cannot_assign, declared_twice, exported_twice, only_type, static_type_parameter, used_early
from .pushdown import Broken, Frame, Pushdown, Stack

__all__ = ["Broken", "Checker", "Frame", "Mark", "Stack", "Token", "takes"]

ALWAYS_STRICT = 6
"""The major version from which on TypeScript's code is always strict."""
_STEPS = 400
"""The most frames that may leave a token to the next; only broken text reaches it."""


class Token(NamedTuple):
    """A symbol: `kind` is its own text for keywords and operators, else "name", "num", "str", "regex", "private", "template", "head",
    "middle", "tail"; "" for the end of the file."""

    kind: str
    text: str
    newline: bool
    """whether a line end stands before it"""

    def must_be(self, *kinds: str) -> None:
        """Raises Broken where it is none of these."""
        if self.kind not in kinds:
            raise Broken(self)


class Mark:
    """A mark of readings that are wrong once another has gone on: they have an error then, or are dropped without one."""

    __slots__ = ("error",)

    def __init__(self, error: str = "") -> None:
        self.error = error


_RESERVED = frozenset(["implements", "interface", "package", "private", "protected", "public", "static"])
"""Words that cannot be names in strict code."""
_FIXED = frozenset(["arguments", "eval"])
"""Names strict code can neither declare nor assign to."""
_WATCHED = _RESERVED | _FIXED
_FUNCTIONS = ("function", "static block", "module", "namespace", "augmented", "global")
"""Kinds of scopes to which `var` declarations are hoisted."""

Labels = tuple[str, bool, Any] | None
"""Innermost first: (name, whether it is a loop's, the rest)."""


class Scope:
    """The names of one block, function, class, object, or list of members (with a point before them), and its reads without a
    declaration so far.

    kind: "module", "namespace", "augmented" (a module with a quoted name), "global", "function", "block", "types", "class", "static"
    (a static member), "static block", "object", "enum" or "members". hole: a placeholder for one open at a hole.
    """

    __slots__ = ("hole", "kind", "names", "owner", "parent", "refs")

    def __init__(self, parent: Scope | None, kind: str, owner: object, *, hole: bool = False) -> None:
        self.parent, self.kind, self.owner, self.hole = parent, kind, owner, hole
        self.names: dict[str, int] = {}
        self.refs: dict[str, int] = {}

    def owned(self, owner: object) -> Scope:
        """The same scope, changeable by this owner."""
        if self.owner is owner:
            return self
        new = Scope(self.parent, self.kind, owner, hole=self.hole)
        new.names, new.refs = dict(self.names), dict(self.refs)
        return new


_NONE: frozenset[str] = frozenset()
_OUTSIDE = ("",)
"""In place of the names of a declaration begun before a hole."""


class Checker(Pushdown):
    """The automaton after some tokens of a file."""

    __slots__ = (
        "binding", "braces", "commits", "committed", "context", "doubts", "early", "errors", "exporting", "forked", "fresh",
        "had_body", "labels", "last_function", "levels", "major", "module", "overload", "owner", "scope", "scripts", "shape",
        "sloppy", "ts", "unready", "with_jsx",
    )  # fmt: skip

    def __init__(self, dialect: str, major: int) -> None:
        """dialect: "js", "ts" or "tsx"; major: the first number of TypeScript's version."""
        self.ts, self.with_jsx, self.major = dialect.startswith("ts"), dialect != "ts", major
        self.owner = object()
        self.scope: Scope = Scope(None, "module", self.owner)
        self.stack: Stack = (("prologue",), (("body", "module"), None))
        self.braces: tuple[str, Any] | None = None
        """The owners of the open braces, innermost first: "template", or anything else."""
        self.context = At.TOP
        self.labels: Labels = None
        self.errors: frozenset[str] = _NONE
        self.sloppy: frozenset[str] = _NONE
        """Errors if the file is a module, whose code is strict"""
        self.scripts: frozenset[str] = _NONE
        """Errors if it is a script"""
        self.exporting = False
        self.had_body = False
        """whether the last function had a body"""
        self.last_function = ""
        self.overload = ""
        """The function whose body must come next, since its overloads stand before"""
        self.binding: tuple[str, ...] = ()
        """The names declared by the variable or pattern in progress"""
        self.unready: tuple[str, ...] = ()
        """The same while its value is read"""
        self.shape: tuple[int, tuple[str, ...]] = (0, ())
        """The kind of the last expression as a whole, and the names it would assign to"""
        self.early: frozenset[str] = _NONE
        """The reads in the value of a declaration begun before the hole"""
        self.module = False
        """whether it has imports or exports"""
        self.levels: tuple[Scope, ...] = ()
        """The placeholders closed so far, innermost first."""
        self.doubts: tuple[Mark, ...] = ()
        self.commits: Mark | None = None
        """The mark of other readings, which are wrong since the last token of this one."""
        self.committed: tuple[Mark, ...] = ()
        self.forked: tuple[Checker, ...] = ()
        self.fresh: tuple[tuple[str, int], ...] = ()
        """The names read by the last text before anything declared them"""

    def copy(self) -> Checker:
        """A copy in the same state."""
        new = Checker.__new__(Checker)
        new.stack = self.stack
        for name in Checker.__slots__:
            setattr(new, name, getattr(self, name))
        new.owner = object()
        return new

    def fork(self) -> Checker:
        """Another reading from here on; both go on."""
        new = self.copy()
        self.owner = object()
        self.forked += (new,)
        return new

    def commit(self, mark: Mark | None) -> None:
        """Note that readings with a mark are wrong."""
        if mark is not None:
            self.commits = mark
            self.committed += (mark,)

    def at_hole(self) -> Checker:
        """The same place, without the names declared and read before it."""
        new = self.copy()
        kinds: list[str] = []
        scope: Scope | None = self.scope
        while scope is not None:
            kinds.append(scope.kind)
            scope = scope.parent
        innermost: Scope | None = None
        for kind in reversed(kinds):
            innermost = Scope(innermost, kind, new.owner, hole=True)
        assert innermost is not None
        new.scope, new.errors, new.sloppy, new.scripts, new.early = innermost, _NONE, _NONE, _NONE, _NONE
        new.levels, new.committed, new.module = (), (), False
        new.binding = _OUTSIDE if self.binding else ()
        new.unready = _OUTSIDE if self.unready else ()
        return new

    @property
    def place(self) -> tuple[Any, ...]:
        """Everything that decides the meaning of the next tokens, except scopes."""
        return (
            self.stack,
            self.context,
            self.labels,
            self.braces,
            self.exporting,
            self.had_body,
            self.last_function,
            self.overload,
            self.shape,
            bool(self.binding),
            bool(self.unready),
        )

    def feed(self, token: Token) -> None:
        """Read one more token. Raises Broken."""
        for _ in range(_STEPS):
            frame = self.stack[0]
            if TAKES[frame[0]](self, token, frame):
                return
        raise Broken(token)

    def open_brace(self, kind: str) -> None:
        self.braces = (kind, self.braces)

    def close_brace(self) -> None:
        if self.braces is None:
            raise Broken
        self.braces = self.braces[1]

    @property
    def restoring(self) -> Frame:
        """The frame that restores the current context and labels."""
        return "restore", (self.context, self.labels)

    # -- errors

    def error(self, message: str) -> None:
        self.errors |= {message}

    def strict_error(self, message: str) -> None:
        """Note an error of strict code, which a module's is, wherever its imports or exports stand."""
        if self.module or self.context & At.STRICT or self._is_always_strict:
            self.errors |= {message}
        else:
            self.sloppy |= {message}

    @property
    def _is_always_strict(self) -> bool:
        return self.ts and self.major >= ALWAYS_STRICT and not self.context & At.AMBIENT

    def check_name(self, name: str, kinds: int = 0, how: int = 0) -> None:
        """Refuse an identifier that may not be declared or read like this."""
        if name in _RESERVED:
            if not self.context & At.AMBIENT:
                self.strict_error(f"'{name}' is no name in strict code")
        elif name in _FIXED and self._is_fixed_in_strict_code(kinds, how):
            self.strict_error(f"'{name}' is neither declared nor assigned to in strict code")

    def _is_fixed_in_strict_code(self, kinds: int, how: int) -> bool:
        if how:  # TypeScript leaves patterns alone
            return bool(how & Use.ASSIGNED) and (not self.ts or bool(how & Use.VALUE))
        if not self.ts:
            return bool(kinds & Kind.VALUES) and kinds != Kind.OWN | Kind.CLASS
        if kinds & (Kind.VAR | Kind.LET | Kind.CONST):
            return True
        binds = bool(kinds & (Kind.PARAM | Kind.CATCH | Kind.FUNCTION | Kind.OWN)) and not kinds & Kind.CLASS
        return binds and not self.context & At.AMBIENT

    # -- scopes

    def open_scope(self, kind: str) -> None:
        self.scope = Scope(self.scope, kind, self.owner)

    def close_scope(self) -> None:
        scope = self.scope
        parent = scope.parent
        if parent is None:
            raise Broken
        if scope.hole:
            self.levels += (scope,)
            self.scope = parent
            return
        self.scope = parent = parent.owned(self.owner)
        if scope.kind == "enum":
            for name, how in scope.refs.items():
                if how & Use.VALUE and scope.names.get(name, 0) & Kind.CONST:
                    self.error(f"'{name}' is read before its member")
        if scope.kind == "global":
            for name in scope.names:
                parent.names[f"global {name}"] = Kind.EXPORT
        for name, bits in carried(scope.kind, scope.names, scope.refs, self.error, ts=self.ts).items():
            parent.refs[name] = parent.refs.get(name, 0) | bits
        if scope.kind in ("namespace", "enum"):
            for name, bits in given(scope.names):
                if bits & Kind.RUNS and clash(parent.names.get(name, 0), bits, parent.kind, ts=True):
                    self.redeclared(name)
                parent.names[name] = parent.names.get(name, 0) | bits
        if scope.kind in ("block", "types"):
            for name, kinds in scope.names.items():
                if kinds & Kind.VAR:
                    parent.names[name] = parent.names.get(name, 0) | Kind.VAR

    def end_parameters(self) -> None:
        """Begin the body of a function, whose variables its parameters do not read."""
        refs = self.scope.refs
        if refs:
            self.scope = scope = self.scope.owned(self.owner)
            scope.refs = {name: how | Use.OUTER for name, how in refs.items()}

    def declare(self, name: str, kind: int) -> None:
        scope = self.scope = self.scope.owned(self.owner)
        old = scope.names.get(name, 0)
        if name in _WATCHED:
            self.check_name(name, kind)
        if self.context & At.AMBIENT:
            kind |= Kind.DECLARED
        if old and clash(old, kind, scope.kind, ts=self.ts):
            self.redeclared(name)
        elif old and not self.ts and scope.kind == "module" and clash_in_module(old, kind):
            self.redeclared_in_module(name)
        scope.names[name] = old | kind
        if kind & Kind.LATE and scope.refs.get(name, 0) & Use.NOW and not kind & Kind.DECLARED:
            if scope.hole:
                scope.names[f"late {name}"] = Kind.EXPORT  # unless it is declared before the hole, too
            else:
                self.error(used_early(name))
        if kind & (Kind.LET | Kind.CONST):
            self.binding += (name,)
        if kind & Kind.VAR:
            target = scope
            while target.kind in ("block", "types") and target.parent is not None:
                target = target.parent
                others = Kind.LET | Kind.CONST | self._beside_variables(target.kind in _FUNCTIONS)
                if target.names.get(name, 0) & others:
                    self.redeclared(name)
                elif not self.ts and target.kind == "module" and clash_in_module(target.names.get(name, 0), kind):
                    self.redeclared_in_module(name)
        if self.exporting and scope.parent is None:
            self.export(name, from_declaration=True)
        elif self.exporting and scope.kind == "namespace":
            scope.names[OUT + name] = scope.names.get(OUT + name, 0) | kind

    def decorated(self, name: str) -> None:
        """End the decorators of a class, which may read its name and no later one."""
        refs = self.scope.refs
        if any(how & Use.DECORATES for how in refs.values()):
            scope = self.scope = self.scope.owned(self.owner)
            for read, how in refs.items():
                if how & Use.DECORATES:
                    scope.refs[read] = how & ~Use.DECORATES | (0 if read == name else Use.NOW)

    def _beside_variables(self, outermost: bool) -> int:
        """The kinds that may not share a name with a hoisted variable, apart from `let` and `const`; outermost: in the scope it is
        hoisted to."""
        if self.ts:
            return Kind.CLASS | Kind.ENUM | Kind.FUNCTION | Kind.BODY if outermost else 0
        return Kind.CLASS | Kind.ENUM | Kind.IMPORT | (0 if outermost else Kind.FUNCTION | Kind.BODY)

    def note(self, word: str) -> None:
        """Note something about the innermost scope, beside its names."""
        self.scope = self.scope.owned(self.owner)
        self.scope.names[word] = Kind.EXPORT

    def infer(self, name: str) -> None:
        """`infer x`: declared around the enclosing conditional type."""
        target: Scope | None = self.scope
        while target is not None and target.kind != "types":
            target = target.parent
        self.scope = self._owned_to(self.scope, target or self.scope)
        scope = self.scope
        while target is not None and scope.kind != "types" and scope.parent is not None:
            scope = scope.parent
        scope.names[INFERRED + name] = Kind.EXPORT
        self.check_name(name)

    def _owned_to(self, scope: Scope, target: Scope) -> Scope:
        new = scope.owned(self.owner)
        if scope is not target and scope.parent is not None:
            new.parent = self._owned_to(scope.parent, target)
        return new

    def redeclared(self, name: str) -> None:
        self.error(declared_twice(name.lstrip(".")))

    def redeclared_in_module(self, name: str) -> None:
        """As `redeclared`, for a declaration refused in modules only."""
        message = declared_twice(name)
        if self.module:
            self.error(message)
        else:
            self.sloppy |= {message}

    def export(self, name: str, *, from_declaration: bool = False) -> None:
        """Export a name, in `export {...}` or as a declaration, which may have several parts."""
        scope = self.scope
        while scope.parent is not None:
            scope = scope.parent
        if scope is not self.scope:
            return
        scope = self.scope = self.scope.owned(self.owner)
        key = f"export {name}"
        old = scope.names.get(key, 0)
        kind = Kind.EXPORT if from_declaration else Kind.ONCE
        if (old & Kind.ONCE and not (from_declaration and self.ts)) or (old and not from_declaration and not self.ts):
            self.error(exported_twice(name))
        scope.names[key] = old | kind

    def use(self, name: str, how: int) -> None:
        """Read a name, or assign to it."""
        if name in _WATCHED and not how & Use.EXPORTED:
            self.check_name(name, 0, how)
        here, scope, is_static = True, self.scope, False
        outer: Scope | None = scope
        while outer is not None:
            kinds = outer.names.get(name)
            if outer.kind == "static":
                is_static = True
            elif outer.kind == "class":
                if is_static and how & Use.TYPE and kinds is not None and kinds & Kind.TPARAM:
                    self.error(static_type_parameter(name))
                    return
                is_static = False
            if kinds is None:
                if here and outer.hole and how & Use.NOW and self.unready[:1] == _OUTSIDE:
                    self.early |= {name}
            else:
                if here and how & Use.NOW and kinds & (Kind.LET | Kind.CONST | Kind.CLASS) and name in self.unready:
                    self.error(used_early(name))
                if is_only_type(kinds, how):
                    self.error(only_type(name))
                    return
                how = left(how, kinds)
                if how & Use.ASSIGNED and kinds & Kind.VALUES and here and is_fixed(kinds, ts=self.ts):
                    self.error(cannot_assign(name))
                    return
                if how & Use.ASSIGNED and kinds & Kind.VALUES and not is_fixed(kinds, ts=self.ts):
                    how &= ~Use.ASSIGNED
                if not how & (Use.NAMED | Use.ASSIGNED | Use.NOW):
                    return
            here = here and outer.kind != "function"
            outer = outer.parent
        if scope.refs.get(name, 0) | how != scope.refs.get(name):
            scope = self.scope = scope.owned(self.owner)
            scope.refs[name] = scope.refs.get(name, 0) | how
        self.fresh += ((name, how),)

    def is_unready(self, name: str) -> bool:
        """Whether a read of a name here would come before its variable has a value (the temporal dead zone)."""
        scope: Scope | None = self.scope
        while scope is not None and name not in scope.names:
            if scope.kind == "function":
                return False
            scope = scope.parent
        return (
            scope is not None
            and bool(scope.names[name] & (Kind.LET | Kind.CONST))
            and (name in self.unready or name in self.binding)
        )

    # -- labels

    def find_label(self, name: str) -> bool | None:
        """Whether a label is a loop's; None for an unknown one."""
        labels = self.labels
        while labels is not None:
            if labels[0] == name:
                return labels[1]
            labels = labels[2]
        return None


Take = Callable[[Checker, Token, Frame], bool]
"""Takes a token; False where it is left to the frame below."""
TAKES: dict[str, Take] = {}
"""The functions for the next token, by the name in the frame."""


def takes(function: Take) -> Take:
    """Register a function under its name, without the underscore."""
    TAKES[function.__name__.removeprefix("_")] = function
    return function
