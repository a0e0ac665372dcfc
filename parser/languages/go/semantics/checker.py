"""What the tokens of Go's declarations mean: which names they declare and read, and what the compiler refuses without types.

`Checker` is a push-down automaton over the tokens of text that is known to parse, so it needs to tell apart only what matters here. Everything that it holds is a value,
so `copy` is cheap, and a text can be tried from the same place many times. A frame of its stack is a tuple: the function that takes the next token, then what that needs to know. A function returns
False where it left the token to the frame below.
"""

from __future__ import annotations

from typing import Any

from .tokens import FIXED, NUMBER, STRING

Frame = tuple[Any, ...]
Stack = tuple[Frame, Any]

_NAME, _LITERAL, _STRUCT, _OTHER = 1, 2, 3, 4
"""What stands before: a name, perhaps qualified or with type arguments; a type that a literal may begin with (its keys are expressions, or fields); anything else."""
_STATEMENT, _HEADER, _COMMUNICATION = 0, 1, 2
_BINARY = frozenset(
    ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "<-"]
)
_UNARY = frozenset(["+", "-", "!", "^", "*", "&", "<-", "~"])
_ASSIGN = frozenset(["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "&^="])
_TYPE_START = frozenset(["*", "[", "map", "chan", "struct", "interface", "func", "<-", "("])
_ENDS = frozenset([";", "}", ")", ""])
_CONSTRAINT = frozenset(["~", "interface", "struct", "map", "chan", "func"])
_STEPS = 50
"""Frames that may leave a token to the next; only broken text reaches that."""


class Broken(Exception):
    """The text is no Go."""


class Refused(Exception):
    """The compiler, or a name that does not exist, refuses a text; kind: "compile" or "names"."""

    def __init__(self, message: str, kind: str = "compile") -> None:
        super().__init__(message)
        self.kind = kind


class Scope:
    """The names of one block. A name has the number of its variable, or 0; own: the variables that must be used."""

    __slots__ = ("names", "own", "parent")

    def __init__(self, parent: Scope | None, names: dict[str, int], own: tuple[tuple[int, str], ...]) -> None:
        self.parent, self.names, self.own = parent, names, own


class Function:
    """What belongs to one function: its results, labels and jumps."""

    __slots__ = ("has_results", "jumps", "labels", "results", "used", "variables")

    def __init__(self, results: tuple[str, ...], *, has_results: bool) -> None:
        self.results, self.has_results = results, has_results
        self.labels: dict[str, tuple[int, Blocks]] = {}
        self.used: frozenset[str] = frozenset()
        self.jumps: tuple[tuple[str, int, Blocks], ...] = ()  # forward: label, number, the blocks around it
        self.variables: dict[int, int] = {}  # block -> number of the last variable declared in it

    def copy(self) -> Function:
        """Another one, to change."""
        new = Function(self.results, has_results=self.has_results)
        new.labels, new.used, new.jumps, new.variables = self.labels, self.used, self.jumps, self.variables
        return new


Blocks = tuple[int, Any] | None
Loops = tuple[str, int, str | None, Any] | None
"""What `break` and `continue` may leave, innermost first: word, number, label, the rest."""

_NONE: frozenset[Any] = frozenset()


class Checker:
    """After some tokens of top-level declarations."""

    __slots__ = (
        "blocks",
        "broken_out",
        "declared",
        "deferred",
        "errors",
        "fell",
        "free",
        "function",
        "label",
        "last",
        "loops",
        "maybe",
        "members",
        "methods",
        "number",
        "scope",
        "stack",
        "type_switch",
        "unused",
        "unused_found",
    )

    def __init__(self) -> None:
        self.stack: Stack = ((_top,), None)
        self.scope: Scope | None = None
        self.unused: dict[int, str] = {}
        self.unused_found: frozenset[tuple[int, str]] = _NONE
        self.free: frozenset[str] = _NONE
        """names read that are not declared in the function"""
        self.maybe: frozenset[str] = _NONE
        """keys of literals: names, or fields"""
        self.declared: tuple[tuple[str, str], ...] = ()
        """at package level: (name, word)"""
        self.methods: tuple[tuple[str, str], ...] = ()
        self.errors: frozenset[str] = _NONE
        self.number = 0
        """of tokens so far"""
        self.function: Function | None = None
        self.loops: Loops = None
        self.blocks: Blocks = None
        self.broken_out: frozenset[int] = _NONE
        self.label: str | None = None
        self.last = False
        """Did the last statement end the flow of control?"""
        self.fell = False
        self.type_switch = False
        self.deferred: tuple[str, ...] | None = None
        self.members: tuple[tuple[str, ...], int] = ((), 0)

    def copy(self) -> Checker:
        """Another one in the same state."""
        new = Checker.__new__(Checker)
        for name in Checker.__slots__:
            setattr(new, name, getattr(self, name))
        return new

    def feed(self, token: str) -> None:
        """One more token. Raises Broken."""
        self.number += 1
        for _ in range(_STEPS):
            frame = self.stack[0]
            if frame[0](self, token, frame):
                return
        raise Broken(token)

    @property
    def at_top(self) -> bool:
        """Between declarations?"""
        return self.stack[1] is None

    # -- the stack

    def push(self, *frame: Any) -> None:
        self.stack = (frame, self.stack)

    def pop(self) -> None:
        if self.stack[1] is None:
            raise Broken
        self.stack = self.stack[1]

    def replace(self, *frame: Any) -> None:
        self.stack = (frame, self.stack[1])

    # -- names

    def use(self, name: str) -> None:
        """A name is read."""
        if name == "_":
            return
        if self.deferred is not None:
            self.deferred += (name,)
            return
        number = self.find(name)
        if number is None:
            if name not in self.free:
                self.free |= {name}
        elif number in self.unused:
            self.unused = {n: name for n, name in self.unused.items() if n != number}

    def maybe_use(self, name: str) -> None:
        """The key of a literal."""
        number = self.find(name)
        if number is None:
            if name not in self.maybe:
                self.maybe |= {name}
        elif number in self.unused:
            self.unused = {n: name for n, name in self.unused.items() if n != number}

    def assign(self, name: str) -> None:
        """A name is assigned to."""
        if name != "_" and self.find(name) is None and name not in self.free:
            self.free |= {name}

    def find(self, name: str) -> int | None:
        scope = self.scope
        while scope is not None:
            number = scope.names.get(name)
            if number is not None:
                return number
            scope = scope.parent
        return None

    def error(self, message: str) -> None:
        self.errors |= {message}

    def declare(self, name: str, number: int, word: str) -> None:
        """In the innermost block; number: of its token, to be held against it when it is not used, 0: nobody asks."""
        scope = self.scope
        if scope is None:
            if name != "_":
                self.declared += ((name, word),)
        elif name != "_":
            if name in scope.names:
                self.error(f"{name} redeclared in this block")
            own = (*scope.own, (number, name)) if number else scope.own
            self.scope = Scope(scope.parent, {**scope.names, name: number}, own)
            if number:
                self.unused = {**self.unused, number: name}

    def define(self, names: tuple[tuple[str, int], ...], *, fresh: bool) -> None:
        """`:=`; fresh: none is assigned to, even where it is declared in this block already."""
        scope = self.scope
        known = {} if scope is None else scope.names
        if len({name for name, _ in names if name != "_"}) < sum(name != "_" for name, _ in names):
            self.error("repeated on left side of :=")
        new = [(name, number) for name, number in names if name != "_" and (fresh or name not in known)]
        if not new:
            self.error("no new variables on left side of :=")
        for name, number in dict(new).items():
            self.declare(name, number, "var")

    def open_scope(self) -> None:
        self.scope = Scope(self.scope, {}, ())

    def close_scope(self) -> None:
        scope = self.scope
        if scope is None:
            raise Broken
        for number, name in scope.own:
            if number in self.unused:
                self.unused_found |= {(number, name)}
                self.unused = {n: name for n, name in self.unused.items() if n != number}
        self.scope = scope.parent

    # -- functions

    def open_block(self) -> None:
        self.blocks = (self.number, self.blocks)

    def close_block(self) -> None:
        if self.blocks is None:
            raise Broken
        self.blocks = self.blocks[1]

    def enter_function(self, results: tuple[str, ...], *, has_results: bool) -> None:
        """At the brace; the scope is open already."""
        saved = self.function, self.loops, self.blocks
        self.function, self.loops = Function(results, has_results=has_results), None
        self.blocks = (self.number, None)
        self.last, self.label, self.fell = False, None, False
        self.replace(_statements, "func", saved)

    def leave_function(self, saved: Any) -> None:
        function = self.function
        if function is None:
            raise Broken
        if function.has_results and not self.last:
            self.error("missing return")
        for name in function.labels:
            if name not in function.used:
                self.error(f"label {name} defined and not used")
        for name, _, _ in function.jumps:
            self.error(f"label {name} not defined")
        self.close_scope()
        self.function, self.loops, self.blocks = saved
        self.last = self.fell = False

    def variable_declared(self) -> None:
        """`var` or `:=` as a statement: a jump may not leap over it."""
        if self.function is not None and self.blocks is not None:
            self.function = function = self.function.copy()
            function.variables = {**function.variables, self.blocks[0]: self.number}

    def define_label(self, name: str, number: int) -> None:
        if self.function is None or self.blocks is None:
            raise Broken
        self.label, self.last = name, False
        if name == "_":
            return
        self.function = function = self.function.copy()
        if name in function.labels:
            self.error(f"label {name} already defined")
        function.labels = {**function.labels, name: (number, self.blocks)}
        kept: list[tuple[str, int, Blocks]] = []
        here = self.blocks[0]
        for jump in function.jumps:
            if jump[0] != name:
                kept.append(jump)
            elif not _within(here, jump[2]):
                self.error(f"goto {name} jumps into block")
            elif function.variables.get(here, 0) > jump[1]:
                self.error(f"goto {name} jumps over variable declaration")
        function.jumps = tuple(kept)

    def branch(self, word: str, label: str | None) -> None:
        """`break`, `continue` and `goto`."""
        if self.function is None:
            raise Broken
        loops = self.loops
        if label is None:
            while loops is not None and word == "continue" and loops[0] != "for":
                loops = loops[3]
            if loops is None:
                where = "a loop" if word == "continue" else "a loop, switch or select"
                self.error(f"{word} is not in {where}")
            elif word == "break":
                self.broken_out |= {loops[1]}
            return
        self.function = function = self.function.copy()
        function.used |= {label}
        if word == "goto":
            known = function.labels.get(label)
            if known is None:
                function.jumps += ((label, self.number, self.blocks),)
            elif not _within(known[1][0] if known[1] else 0, self.blocks):
                self.error(f"goto {label} jumps into block")
            return
        while loops is not None and loops[2] != label:
            loops = loops[3]
        if loops is None or (word == "continue" and loops[0] != "for"):
            self.error(f"invalid {word} label {label}")
        elif word == "break":
            self.broken_out |= {loops[1]}

    def bare_return(self) -> None:
        """The results must be visible."""
        function, scope = self.function, self.scope
        for name in function.results if function is not None else ():
            at = scope
            while at is not None and name not in at.names:
                at = at.parent
            if at is not None and at.names[name] != -1:
                self.error(f"result parameter {name} not in scope at return")


def _within(block: int, blocks: Blocks) -> bool:
    while blocks is not None:
        if blocks[0] == block:
            return True
        blocks = blocks[1]
    return False


# -- the file


def _top(m: Checker, token: str, f: Frame) -> bool:
    if token == "func":
        m.open_scope()
        m.push(_func_name)
    elif token in ("type", "var", "const"):
        m.push(_declaration, token, False)
    return True


def _func_name(m: Checker, token: str, f: Frame) -> bool:
    if token == "(":
        m.replace(_receiver, ())
    else:
        if token not in ("_", "init"):
            m.declared += ((token, "func"),)
        m.replace(_func_rest, ())
    return True


def _receiver(m: Checker, token: str, f: Frame) -> bool:
    """`(r *T[K, V])`: here the names in brackets are declared."""
    tokens: tuple[str, ...] = f[1]
    if token != ")" or tokens.count("(") > tokens.count(")"):
        m.replace(_receiver, (*tokens, token))
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
    m.replace(_method_name, base, own)
    return True


def _method_name(m: Checker, token: str, f: Frame) -> bool:
    if token != "_":
        if (f[1], token) in m.methods:
            m.error(f"method {f[1]}.{token} already declared")
        m.methods += ((f[1], token),)
    m.replace(_func_rest, f[2])
    return True


def _func_rest(m: Checker, token: str, f: Frame) -> bool:
    m.replace(_parameters_next, "decl", f[1])
    if token == "[":
        m.deferred = ()
        m.push(_type_parameters, (), None)
        return True
    return False


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
        m.replace(_type_parameters, (*names, pending) if pending else names, None)
    elif pending is None and token not in FIXED:
        m.replace(_type_parameters, names, (token, m.number))
    elif pending is not None:
        m.replace(_type_parameters, (*names, pending), None)
        m.push(_type, True, 0)
        return False
    else:
        raise Broken
    return True


# -- signatures


def _parameters_next(m: Checker, token: str, f: Frame) -> bool:
    """kind: "decl" and "lit" may have a body; names: those of the receiver."""
    if token != "(":
        raise Broken
    m.replace(_result, f[1], f[2])
    m.push(_parameters, (), 0, False)
    return True


def _result(m: Checker, token: str, f: Frame) -> bool:
    _, kind, names = f
    names = _joined(m, names, m.members[0])
    if token == "(":
        m.replace(_body, kind, names, None)
        m.push(_parameters, (), 0, False)
        return True
    if token in _TYPE_START or token not in FIXED:
        m.replace(_body, kind, names, ((), 1))
        m.push(_type, False, 0)
    else:
        m.replace(_body, kind, names, ((), 0))
    return False


def _joined(m: Checker, names: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    for name in more:
        if name in names and name != "_":
            m.error(f"{name} redeclared in this block")
        names += (name,)
    return names


def _body(m: Checker, token: str, f: Frame) -> bool:
    _, kind, names, results = f
    if results is None:
        results = m.members
        names = _joined(m, names, results[0])
    if token != "{" or kind == "type":
        if kind == "decl":
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
    m.enter_function(tuple(name for name in results[0] if name != "_"), has_results=results[1] > 0)
    return True


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
        m.replace(_parameters, alone, count + 1, named)
        m.push(_type, False, 0)
        return False
    m.replace(_parameters, alone, count + 1, named)
    m.push(_parameter, token, False)
    return True


def _parameter(m: Checker, token: str, f: Frame) -> bool:
    """Behind a name; bracketed: behind one and brackets, as in `a [n]T` or `T[K]`."""
    _, name, bracketed = f
    below = m.stack[1][0]
    if token in (",", ")"):
        m.pop()
        if bracketed:
            m.use(name)
        else:
            m.replace(_parameters, (*below[1], name), below[2], below[3])
        return False
    if token == "." and not bracketed:
        m.use(name)
        m.replace(_type, False, _NAME)
        return False
    if token == "[" and not bracketed:
        m.replace(_parameter, name, True)
        m.push(_items, "]")
        return True
    m.pop()
    m.replace(_parameters, (*below[1], name), below[2], True)
    m.push(_type, False, 0)
    return False


# -- types


def _type(m: Checker, token: str, f: Frame) -> bool:
    """constraint: `|` may follow; after: what stands before, 0 for nothing."""
    _, constraint, after = f
    if after:
        if after == _NAME:
            if token == ".":
                m.push(_selector)
                return True
            if token == "[":
                m.replace(_type, constraint, _OTHER)
                m.push(_items, "]")
                return True
        if constraint and token == "|":
            m.replace(_type, constraint, 0)
            return True
        m.pop()
        return False
    if token not in FIXED:
        m.use(token)
        m.replace(_type, constraint, _NAME)
        return True
    if token in ("*", "<-", "...", "~"):
        return True
    m.replace(_type, constraint, _OTHER)
    if token == "(":
        m.push(_expect, ")")
        m.push(_type, constraint, 0)
        return True
    return _type_literal(m, token)


def _type_literal(m: Checker, token: str) -> bool:
    """What begins with this token is put on the stack."""
    if token == "[":
        m.push(_type, False, 0)
        m.push(_items, "]")
    elif token == "map":
        m.push(_type, False, 0)
        m.push(_expect, "]")
        m.push(_type, False, 0)
        m.push(_expect, "[")
    elif token == "chan":
        m.push(_type, False, 0)
        m.push(_arrow)
    elif token == "struct":
        m.push(_fields, ())
        m.push(_expect, "{")
    elif token == "interface":
        m.push(_elements, ())
        m.push(_expect, "{")
    elif token == "func":
        m.push(_parameters_next, "type", ())
    else:
        m.pop()
        return False
    return True


def _expect(m: Checker, token: str, f: Frame) -> bool:
    if token != f[1]:
        raise Broken
    m.pop()
    return True


def _arrow(m: Checker, token: str, f: Frame) -> bool:
    m.pop()
    return token == "<-"


def _selector(m: Checker, token: str, f: Frame) -> bool:
    m.pop()
    if token == "(":
        m.replace(*m.stack[0][:2], _OTHER)
        m.push(_items, ")")
    return True


def _fields(m: Checker, token: str, f: Frame) -> bool:
    if token == "}":
        m.pop()
    elif token not in FIXED:
        m.push(_field, token, False)
    elif token in ("*", "("):
        m.push(_embedded, "")
    return True


def _add_field(m: Checker, name: str) -> None:
    """Below the frame on top."""
    frame, rest = m.stack
    names = rest[0][1]
    if name in names and name != "_":
        m.error(f"{name} redeclared")
    m.stack = (frame, ((rest[0][0], (*names, name)), rest[1]))


def _embedded(m: Checker, token: str, f: Frame) -> bool:
    """An embedded type behind a star."""
    if token not in FIXED:
        if f[1] != ".":
            m.use(token)
        m.replace(_embedded, token)
        return True
    if token == ".":
        m.replace(_embedded, ".")
        return True
    if token in ("*", "("):
        return True
    if token == "[":
        m.push(_items, "]")
        return True
    if token == ")":
        return True
    _add_field(m, f[1])
    m.pop()
    return token == STRING


def _field(m: Checker, token: str, f: Frame) -> bool:
    _, name, bracketed = f
    if token == "." and not bracketed:
        m.use(name)
        m.replace(_embedded, ".")
        return True
    if token == "[" and not bracketed:
        m.replace(_field, name, True)
        m.push(_items, "]")
        return True
    _add_field(m, name)
    if token in (";", "}", STRING):
        m.use(name)
        m.pop()
        return token == STRING
    if token == ",":
        m.replace(_next_field)
        return True
    m.replace(_tag)
    m.push(_type, False, 0)
    return False


def _next_field(m: Checker, token: str, f: Frame) -> bool:
    m.replace(_field, token, False)
    return True


def _tag(m: Checker, token: str, f: Frame) -> bool:
    m.pop()
    return token == STRING


def _elements(m: Checker, token: str, f: Frame) -> bool:
    """Of an interface."""
    if token == "}":
        m.pop()
    elif token == ";":
        pass
    elif token not in FIXED:
        m.push(_element, token)
    else:
        m.push(_type, True, 0)
        return False
    return True


def _element(m: Checker, token: str, f: Frame) -> bool:
    if token == "(":
        _, rest = m.stack
        names = rest[0][1]
        if f[1] in names and f[1] != "_":
            m.error(f"duplicate method {f[1]}")
        m.stack = ((_parameters_next, "type", ()), ((rest[0][0], (*names, f[1])), rest[1]))
        return False
    m.use(f[1])
    m.replace(_type, True, _NAME)
    return False


# -- expressions


def _items(m: Checker, token: str, f: Frame) -> bool:
    """Expressions or types up to what closes them."""
    if token == f[1]:
        m.pop()
        return True
    if token in (",", "...", ":"):
        return True
    m.push(_expression, False, 0)
    return False


def _expression(m: Checker, token: str, f: Frame) -> bool:
    """header: a brace is that of a block."""
    _, header, after = f
    if not after:
        if token not in FIXED:
            m.use(token)
            m.replace(_expression, header, _NAME)
            return True
        if token in (NUMBER, STRING):
            m.replace(_expression, header, _OTHER)
            return True
        if token in _UNARY:
            return True
        if token == "(":
            m.replace(_expression, header, _OTHER)
            m.push(_items, ")")
            return True
        if token == "func":
            m.replace(_expression, header, _OTHER)
            m.push(_parameters_next, "lit", ())
            return True
        if token == "type":
            m.type_switch = True
            m.replace(_expression, header, _OTHER)
            return True
        kind = _LITERAL if token in ("[", "map") else _STRUCT if token == "struct" else _OTHER
        m.replace(_expression, header, kind)
        return _type_literal(m, token)
    if token == ".":
        m.push(_selector)
        return True
    if token == "[":
        if after != _NAME:
            m.replace(_expression, header, _OTHER)
        m.push(_items, "]")
        return True
    if token == "(":
        m.replace(_expression, header, _OTHER)
        m.push(_items, ")")
        return True
    if token == "{" and (after in (_LITERAL, _STRUCT) or (after == _NAME and not header)):
        m.replace(_expression, header, _OTHER)
        m.push(_literal, after != _LITERAL, after == _STRUCT)
        return True
    if token in _BINARY:
        m.replace(_expression, header, 0)
        return True
    m.pop()
    return False


def _literal(m: Checker, token: str, f: Frame) -> bool:
    """A composite literal; fields: its keys may be fields, only: they are."""
    if token == "}":
        m.pop()
    elif token in (",", ":"):
        pass
    elif token == "{":
        m.push(_literal, True, False)
    elif token not in FIXED:
        m.push(_key, token, f[1], f[2])
    else:
        m.push(_expression, False, 0)
        return False
    return True


def _key(m: Checker, token: str, f: Frame) -> bool:
    _, name, fields, only = f
    if token == ":" and fields:
        if not only:
            m.maybe_use(name)
        m.pop()
    else:
        m.use(name)
        m.replace(_expression, False, _NAME)
    return False


# -- simple statements


def _simple(m: Checker, token: str, f: Frame) -> bool:
    """targets: what stands before, names alone that may be declared or assigned to."""
    _, mode, targets = f
    if token not in FIXED:
        m.replace(_simple_name, mode, targets, token, m.number)
        return True
    m.replace(_simple_left, mode, targets)
    m.push(_expression, mode == _HEADER, 0)
    return False


def _simple_name(m: Checker, token: str, f: Frame) -> bool:
    _, mode, targets, name, number = f
    if token == ",":
        m.replace(_simple, mode, (*targets, (name, number)))
    elif token == ":=":
        m.replace(_right, mode, (*targets, (name, number)))
    elif token == "=":
        for target, _ in (*targets, (name, number)):
            m.assign(target)
        m.replace(_right, mode, None)
    elif token == ":" and mode == _STATEMENT and not targets:
        m.pop()
        m.pop()  # the end of the statement
        m.define_label(name, number)
    elif token == "(" and name == "panic" and not targets and mode == _STATEMENT:
        m.use(name)
        m.replace(_simple_left, mode, ())
        if m.find(name) is None:
            m.push(_after_panic)
        else:
            m.push(_expression, False, _OTHER)
        m.push(_items, ")")
    else:
        m.use(name)
        m.replace(_simple_left, mode, targets)
        m.push(_expression, mode == _HEADER, _NAME)
        return False
    return True


def _after_panic(m: Checker, token: str, f: Frame) -> bool:
    if token in _ENDS:
        m.pop()
        m.pop()
        m.replace(_done, True)
    else:
        m.replace(_expression, False, _OTHER)
    return False


def _simple_left(m: Checker, token: str, f: Frame) -> bool:
    _, mode, targets = f
    if token == ",":
        m.replace(_simple, mode, targets)
    elif token == "=" or token in _ASSIGN:
        for name, _ in targets:
            m.assign(name)
        m.replace(_right, mode, None)
    elif token in ("++", "--"):
        pass
    else:
        for name, _ in targets:
            m.use(name)
        m.pop()
        return False
    return True


def _right(m: Checker, token: str, f: Frame) -> bool:
    """The right side; names: what `:=` declares, None for an assignment."""
    _, mode, names = f
    if token == ",":
        return True
    if token == "range":
        header = m.stack[1][0]
        m.stack = (m.stack[0], ((*header[:-1], True), m.stack[1][1]))
        return True
    if token in _ENDS or token in ("{", ":"):
        m.pop()
        if names is not None:
            header = m.stack[0]
            if m.type_switch and header[0] is _header and header[1] == "switch":
                m.replace(*header[:-1], names[0])
                if names[0][0] == "_":
                    m.error("no new variable on left side of :=")
            else:
                m.define(
                    names, fresh=mode == _HEADER and bool(header[0] is _header and header[1] == "for" and header[-1])
                )
                if mode == _STATEMENT:
                    m.variable_declared()
        return False
    m.push(_expression, mode == _HEADER, 0)
    return False


# -- statements


def _done(m: Checker, token: str, f: Frame) -> bool:
    """Behind a statement: does it end the flow of control?"""
    m.last = f[1]
    m.pop()
    return False


def _statements(m: Checker, token: str, f: Frame) -> bool:
    """kind: "block", "func", or "clause" of a switch or select; saved: what a function goes back to."""
    kind = f[1]
    if token == ";":
        return True
    if token == "}" or (kind == "clause" and token in ("case", "default")):
        m.label = None
        m.pop()
        if kind == "clause":
            return False
        if kind == "func":
            m.leave_function(f[2])
        else:
            m.close_scope()
            m.close_block()
        return True
    if m.fell:
        m.error("fallthrough statement out of place")
        m.fell = False
    return _statement(m, token)


def _statement(m: Checker, token: str) -> bool:
    label, m.label = m.label, None
    if token not in FIXED:
        m.push(_done, False)
        m.push(_simple, _STATEMENT, ())
        return False
    if token == "{":
        m.open_scope()
        m.open_block()
        m.last = False
        m.push(_statements, "block")
    elif token == "if":
        m.open_scope()
        m.push(_header, "if", 0, False, None, False)
    elif token in ("for", "switch", "select"):
        m.open_scope()
        m.loops = (token, m.number, label, m.loops)
        m.push(_header, token, 0, False, m.number, False)
    elif token == "return":
        m.push(_done, True)
        m.push(_return, True)
    elif token in ("break", "continue", "goto"):
        m.push(_done, token == "goto")
        m.push(_branch, token)
    elif token == "fallthrough":
        _fallthrough(m)
    elif token in ("go", "defer"):
        m.push(_done, False)
        m.push(_expression, False, 0)
    elif token in ("type", "var", "const"):
        m.push(_done, False)
        m.push(_declaration, token, False)
    else:
        m.push(_done, False)
        m.push(_simple, _STATEMENT, ())
        return False
    return True


def _fallthrough(m: Checker) -> None:
    """Only as the last statement of a clause of a switch over values, and not of the last clause."""
    rest: Any = m.stack[1]
    clause = m.stack[0][1] == "clause" and rest is not None and rest[0][0] is _clauses and rest[0][1] == "switch"
    if not clause:
        m.error("fallthrough statement out of place")
    else:
        m.fell = True
    m.last = False


def _return(m: Checker, token: str, f: Frame) -> bool:
    if token in _ENDS:
        if f[1]:
            m.bare_return()
        m.pop()
        return False
    if f[1]:
        m.replace(_return, False)
    if token == ",":
        return True
    m.push(_expression, False, 0)
    return False


def _branch(m: Checker, token: str, f: Frame) -> bool:
    label = token if token not in FIXED else None
    m.branch(f[1], label)
    m.pop()
    return label is not None


def _header(m: Checker, token: str, f: Frame) -> bool:
    """Of an if, for, switch or select. semicolons so far; condition: is there one; extra: did it say `range`, or the symbol of a type switch"""
    _, kind, semicolons, condition, number, extra = f
    if token == ";":
        m.replace(_header, kind, semicolons + 1, False if semicolons == 0 else condition, number, extra)
        return True
    if token == "range":
        m.replace(_header, kind, semicolons, condition, number, True)
        m.push(_expression, True, 0)
        return True
    if token != "{":
        m.replace(_header, kind, semicolons, condition or semicolons < 2, number, extra)
        m.push(_simple, _HEADER, ())
        return False
    if kind in ("switch", "select"):
        over_types, m.type_switch = m.type_switch, False
        symbol = extra or None
        if symbol is not None and symbol[0] != "_" and m.scope is not None:
            scope = m.scope
            m.scope = Scope(scope.parent, scope.names, (*scope.own, (symbol[1], symbol[0])))
            m.unused = {**m.unused, symbol[1]: symbol[0]}
        word = "types" if over_types else kind
        m.replace(_clauses, word, number, kind == "select", True, False, symbol)
        return True
    m.replace(*((_then,) if kind == "if" else (_loop, not condition and not extra, number)))
    m.open_scope()
    m.open_block()
    m.last = False
    m.push(_statements, "block")
    return True


def _then(m: Checker, token: str, f: Frame) -> bool:
    """Behind the block of an if."""
    if token == "else":
        m.replace(_else, m.last)
        return True
    m.last = False
    m.close_scope()
    m.pop()
    return False


def _else(m: Checker, token: str, f: Frame) -> bool:
    m.replace(_else_done, f[1])
    if token == "if":
        m.open_scope()
        m.push(_header, "if", 0, False, None, False)
    elif token == "{":
        m.open_scope()
        m.open_block()
        m.last = False
        m.push(_statements, "block")
    else:
        raise Broken
    return True


def _else_done(m: Checker, token: str, f: Frame) -> bool:
    m.last = f[1] and m.last
    m.close_scope()
    m.pop()
    return False


def _loop(m: Checker, token: str, f: Frame) -> bool:
    _, endless, number = f
    m.last = endless and number not in m.broken_out
    _leave(m)
    return False


def _leave(m: Checker) -> None:
    """A for, switch or select is over."""
    if m.loops is None:
        raise Broken
    m.loops = m.loops[3]
    m.close_scope()
    m.pop()


def _clauses(m: Checker, token: str, f: Frame) -> bool:
    """Those of a switch or select. default: is there one; ending: do all so far end the flow of control; open: is one before this?"""
    _, kind, number, default, ending, is_open, symbol = f
    if is_open:
        m.close_scope()
        m.close_block()
        ending = ending and (m.last or m.fell)
        if m.fell and token == "}":
            m.error("cannot fallthrough final case in switch")
        m.fell = False
    if token == "}":
        m.last = default and ending and number not in m.broken_out
        _leave(m)
        return True
    if token not in ("case", "default"):
        raise Broken
    m.replace(_clauses, kind, number, default or token == "default", ending, True, symbol)
    m.open_scope()
    m.open_block()
    m.last = False
    m.push(_statements, "clause")
    m.push(_colon, symbol)
    if token == "case":
        if kind == "select":
            m.push(_simple, _COMMUNICATION, ())
        else:
            m.push(_cases)
    return True


def _cases(m: Checker, token: str, f: Frame) -> bool:
    if token == ":":
        m.pop()
        return False
    if token != ",":
        m.push(_expression, False, 0)
        return False
    return True


def _colon(m: Checker, token: str, f: Frame) -> bool:
    """What ends the head of a clause; the symbol of a type switch is declared in each."""
    if token != ":":
        raise Broken
    symbol = f[1]
    if symbol is not None and symbol[0] != "_" and m.scope is not None:
        scope = m.scope
        m.scope = Scope(scope.parent, {**scope.names, symbol[0]: symbol[1]}, scope.own)
    m.last = False
    m.pop()
    return True


# -- declarations


def _declaration(m: Checker, token: str, f: Frame) -> bool:
    _, word, grouped = f
    if token == "(" and not grouped:
        m.replace(_declaration, word, True)
        return True
    if token == ")" and grouped:
        m.pop()
        return True
    if token in _ENDS:
        if grouped:
            return True
        m.pop()
        return False
    if token in FIXED:
        raise Broken
    if word == "type":
        m.declare(token, 0, word)
        m.push(_type_next)
    else:
        m.push(_specification, word, ((token, m.number),), False)
    return True


def _specification(m: Checker, token: str, f: Frame) -> bool:
    """Names so far; more: another one comes next."""
    _, word, names, more = f
    if token == ",":
        m.replace(_specification, word, names, True)
        return True
    if more:
        m.replace(_specification, word, (*names, (token, m.number)), False)
        return True
    if token == "=" or token in _ENDS:
        m.replace(_values, word, names)
        return token == "="
    m.replace(_typed, word, names)
    m.push(_type, False, 0)
    return False


def _typed(m: Checker, token: str, f: Frame) -> bool:
    m.replace(_values, f[1], f[2])
    return token == "="


def _values(m: Checker, token: str, f: Frame) -> bool:
    _, word, names = f
    if token == ",":
        return True
    if token not in _ENDS:
        m.push(_expression, False, 0)
        return False
    for name, number in names:
        m.declare(name, number if word == "var" and m.scope is not None else 0, word)
    if word == "var" and m.scope is not None:
        m.variable_declared()
    m.pop()
    return False


def _type_next(m: Checker, token: str, f: Frame) -> bool:
    """Behind the name of a type."""
    if token == "[":
        m.replace(_type_bracket, None)
        return True
    m.pop()
    m.push(_type, False, 0)
    return token == "="


def _type_bracket(m: Checker, token: str, f: Frame) -> bool:
    """Behind the bracket: the length of an array, or type parameters."""
    if f[1] is None:
        if token not in FIXED:
            m.replace(_type_bracket, token)
            return True
        _array(m)
        return False
    name = f[1]
    if token in ("*", "("):
        m.replace(_undecided, name, (token,), 0)
        return True
    if token == "]" or (token in FIXED and token not in _TYPE_START and token not in ("~", ",")):
        m.use(name)
        _array(m)
        if token != "]":
            m.push(_expression, False, _NAME)
        return False
    _parametrized(m, name)
    return False


def _array(m: Checker) -> None:
    m.replace(_type, False, 0)
    m.push(_items, "]")


def _parametrized(m: Checker, name: str) -> None:
    m.open_scope()
    m.deferred = ()
    m.replace(_aliased)
    m.push(_type_parameters, (), (name, 0))


def _aliased(m: Checker, token: str, f: Frame) -> bool:
    """Behind type parameters."""
    m.replace(_parametrized_end)
    m.push(_type, False, 0)
    return token == "="


def _parametrized_end(m: Checker, token: str, f: Frame) -> bool:
    m.close_scope()
    m.pop()
    return False


def _undecided(m: Checker, token: str, f: Frame) -> bool:
    """`[P *C` and `[P (C`: parameters where a comma follows, or what no expression has."""
    _, name, tokens, depth = f
    if token in ("(", "[", "{"):
        depth += 1
    elif depth and token in (")", "]", "}"):
        depth -= 1
    elif token in ("]", ","):
        if token == "," or _CONSTRAINT & set(tokens):
            _parametrized(m, name)
        else:
            m.use(name)
            _array(m)
            m.push(_expression, False, _NAME)
        for one in (*tokens, token):
            m.number -= 1
            m.feed(one)
        return True
    m.replace(_undecided, name, (*tokens, token), depth)
    return True
