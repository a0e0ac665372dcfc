"""Imports and exports."""

from __future__ import annotations

from typing import Literal

from .automaton import Broken, Checker, Frame, Token, takes
from .expressions import ARGUMENTS, COMMA, EXPRESSION, NAME, OTHER, SEMICOLON, decorated, expression, is_word
from .kinds import OUT, WITHIN, At, Kind, Use
from .messages import NAMESPACE_EXPORT
from .statements import statement

_ONLY_TYPE = Kind.IMPORT | Kind.ONLY_TYPE
_END = (("attributes",), SEMICOLON)
"""of an import, or of an export from another file"""


def _is_module(m: Checker) -> None:
    """Note that the file is a module, if this stands at its top level."""
    m.module = m.module or m.scope.parent is None


def _in_namespace(m: Checker) -> bool:
    """Whether the innermost body is that of a namespace."""
    stack = m.stack
    while stack[0][0] != "body" and stack[1] is not None:
        stack = stack[1]
    return stack[0] == ("body", "namespace")


def _imports(m: Checker) -> None:
    """Note an import from another module."""
    _is_module(m)
    if _in_namespace(m):
        m.error("a namespace imports from a module")


@takes
def _import(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `import` at the beginning of a statement."""
    kind = t.kind
    m.pop()
    if kind in ("(", "."):
        m.begin(("e", COMMA, False, OTHER, ""), SEMICOLON)
        m.push("import_call")
        return False
    if kind != "name" or not m.ts:
        _imports(m)
    m.begin(*_END)
    if kind == "str":
        return True
    m.push("import_clause", False)
    return False


@takes
def _import_clause(m: Checker, t: Token, f: Frame) -> bool:
    """typed: "type" behind that word, True behind a name."""
    kind = t.kind
    if kind == "name":
        if t.text == "type" and m.ts and not f[1]:
            m.replace("import_type_word")
        elif t.text == "from":
            m.replace("import_from")
        elif t.text == "defer" and not f[1]:
            m.replace("import_defer_word")
        else:
            m.declare(t.text, _ONLY_TYPE if f[1] == "type" else Kind.IMPORT)
            m.replace("import_next", f[1] == "type", t.text)
    elif kind == "{":
        m.open_brace("import")
        m.replace("import_next")
        m.push("specs", "import_type_spec" if f[1] == "type" else "import_spec")
    elif kind == "*":
        m.replace("import_star", _ONLY_TYPE if f[1] == "type" else Kind.IMPORT)
    else:
        raise Broken(t)
    return True


@takes
def _import_type_word(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `import type`: a word, or the imported name."""
    if t.kind in ("{", "*") or (t.kind == "name" and t.text != "from"):
        m.replace("import_clause", "type")
        return False
    if t.kind == "name":  # import type from "x", or import type from from "x"
        return m.replace("import_from_word")
    m.declare("type", Kind.IMPORT)
    m.replace("import_next")
    return False


@takes
def _import_defer_word(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `import defer`, which defers a namespace's evaluation or is the imported name."""
    if t.kind == "*":
        return m.replace("import_star", Kind.IMPORT)
    m.declare("defer", Kind.IMPORT)
    m.replace("import_next")
    return False


@takes
def _import_from_word(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "str":
        _imports(m)
        m.declare("type", Kind.IMPORT)
        return m.pop()
    m.declare("from", _ONLY_TYPE)
    m.replace("import_next")
    return False


@takes
def _import_next(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a name, or the braces. typed: behind `import type`; name: the one that may have another meaning."""
    kind = t.kind
    if kind == ",":
        if f[1:2] == (True,):
            m.error("what is imported as types has a name, or names in braces")
        return m.replace("import_clause", True)
    if kind == "name" and t.text == "from":
        return m.replace("import_from")
    if kind == "=" and m.ts:
        return m.replace("import_equals", f[2] if len(f) == 3 else "")
    raise Broken(t)


@takes
def _import_from(m: Checker, t: Token, f: Frame) -> bool:
    if t.kind == "str":
        _imports(m)
        return m.pop()
    if t.kind == "name" and t.text == "from":
        m.declare("from", Kind.IMPORT)
        return True
    if t.kind in (",", "="):
        m.declare("from", Kind.IMPORT)
        m.replace("import_next")
        return False
    raise Broken(t)


@takes
def _import_star(m: Checker, t: Token, f: Frame) -> bool:
    """kind: that of its declaration; a third part: behind `as`."""
    t.must_be("name")
    if t.text == "as" and len(f) == 2:
        return m.replace(*f, True)
    m.declare(t.text, f[1])
    return m.replace("import_next")


@takes
def _import_equals(m: Checker, t: Token, f: Frame) -> bool:
    """`import x = require("y")`, or `= A.B`."""
    t.must_be("name")
    return m.replace("import_entity", f[1], t.text, False)


@takes
def _import_entity(m: Checker, t: Token, f: Frame) -> bool:
    """alias: the declared name; path: names with points between them so far; is_point: whether a point stands behind them."""
    _, alias, path, is_point = f
    if path == "require" and t.kind == "(":
        _imports(m)
        return m.become(ARGUMENTS)
    if is_point:
        return m.replace("import_entity", alias, f"{path}.{t.text}", False)
    if "." not in path:
        m.use(path, Use.SPACE)
    if t.kind == ".":
        return m.replace("import_entity", alias, path, True)
    _means_namespace(m, alias, path)
    m.pop()
    return False


_KINDS_OF_NAMESPACES = Kind.NAMESPACE | Kind.RUNS | Kind.RUNS_NOT


def _means_namespace(m: Checker, alias: str, path: str) -> None:
    """Give an alias the kind of the file's namespace it stands for, where the path names nothing else."""
    scope = m.scope
    first = path.split(".", 1)[0]
    while first not in scope.names and scope.parent is not None:
        scope = scope.parent
    kinds = scope.names.get(path if first == path else WITHIN + path, 0)
    if kinds & (Kind.RUNS | Kind.RUNS_NOT) and not kinds & ~(_KINDS_OF_NAMESPACES | Kind.DECLARED):
        m.scope = m.scope.owned(m.owner)
        for name in {alias, OUT + alias} & m.scope.names.keys():
            m.scope.names[name] = m.scope.names[name] & ~Kind.IMPORT | kinds & _KINDS_OF_NAMESPACES


@takes
def _specs(m: Checker, t: Token, f: Frame) -> bool:
    """The names in the braces of an import or export. one: the function for the words of each."""
    if t.kind == "}":
        m.close_brace()
        m.pop()
    elif t.kind != ",":
        m.push(f[1], ())
        return False
    return True


def _another_word(m: Checker, t: Token, f: Frame) -> bool:
    """One more word of a name in the braces: `a`, `a as b`, `type a`, `type a as b`."""
    if t.kind != "str" and not is_word(t):
        raise Broken(t)
    return m.replace(f[0], (*f[1], t.text))


@takes
def _import_spec(m: Checker, t: Token, f: Frame) -> bool:
    """words: so far."""
    if t.kind not in (",", "}"):
        return _another_word(m, t, f)
    words: tuple[str, ...] = f[1]
    typed = m.ts and words[0] == "type" and len(words) in (2, 4)
    m.declare(words[-1], _ONLY_TYPE if typed else Kind.IMPORT)
    m.pop()
    return False


@takes
def _import_type_spec(m: Checker, t: Token, f: Frame) -> bool:
    """As `_import_spec`, behind `import type`."""
    if t.kind not in (",", "}"):
        return _another_word(m, t, f)
    m.declare(f[1][-1], _ONLY_TYPE)
    m.pop()
    return False


@takes
def _attributes(m: Checker, t: Token, f: Frame) -> bool:
    """`with {...}`."""
    if t.kind == "with" or (t.kind == "name" and t.text == "assert" and not t.newline):
        if t.kind == "name" and m.major >= 6:
            m.error("attributes of an import stand behind 'assert'")
        if t.newline and m.ts and m.major < 6:
            m.error("attributes of an import stand on the next line")
        return m.replace("attributes_open")
    m.pop()
    return False


@takes
def _attributes_open(m: Checker, t: Token, f: Frame) -> bool:
    t.must_be("{")
    m.open_brace("attributes")
    m.open_scope("object")
    return m.replace("object", (), True)


# -- exports


@takes
def _export(m: Checker, t: Token, f: Frame) -> bool:
    kind = t.kind
    _is_module(m)
    m.pop()
    if m.stack[0] == ("body", "namespace") and kind in ("default", "=", "*"):
        m.error(NAMESPACE_EXPORT)
    if kind == "{":
        m.open_brace("export")
        return m.begin(("specs", "export_spec"), ("export_from", (), m.scope.parent is None), *_END)
    if kind == "*":
        return m.begin(("export_all", None), *_END)
    if kind == "default":
        return m.push("export_default")
    if kind == "=":
        return m.begin(EXPRESSION, SEMICOLON)
    if kind == "name" and t.text == "as" and m.ts:
        if m.scope.parent is not None or not m.context & At.AMBIENT:
            m.error("'export as namespace' is not at the top level of a declaration file")
        m.scripts |= {"'export as namespace' is not in a module"}
        return m.begin(("as_namespace",), SEMICOLON)
    if kind == "name" and t.text == "type" and m.ts:
        return m.push("export_type")
    m.push("export_end")
    m.exporting = True
    if not statement(m, t):
        raise Broken(t)
    return True


@takes
def _export_end(m: Checker, t: Token, f: Frame) -> bool:
    m.exporting = False
    m.pop()
    return False


@takes
def _export_type(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `export type`."""
    m.pop()
    if t.kind in ("{", "*"):
        m.push("export")
        return False
    m.begin(("word", "type"), ("export_end",))
    m.exporting = True
    return False


@takes
def _as_namespace(m: Checker, t: Token, f: Frame) -> bool:
    t.must_be("name")
    if t.text != "namespace":
        m.pop()
    return True


@takes
def _export_all(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `export *`."""
    if t.kind == "name" and t.text == "from":
        return m.replace("import_from")
    if t.kind == "name" and t.text == "as" and f[1] is None:
        return m.replace("export_all", "")
    if f[1] == "" and (t.kind == "str" or is_word(t)):
        _exported(m, t.text)
        if m.ts:
            m.check_name(t.text)
        return m.replace("export_all", t.text)
    raise Broken(t)


def _exported(m: Checker, name: str) -> None:
    m.export(name[1:-1] if name[0] in "\"'" else name)


@takes
def _export_spec(m: Checker, t: Token, f: Frame) -> bool:
    """words: so far."""
    words: tuple[str, ...] = f[1]
    if t.kind not in (",", "}"):
        return _another_word(m, t, f)
    typed = m.ts and words[0] == "type" and len(words) in (2, 4)
    local = words[1] if typed else words[0]
    m.pop()
    specs, (below, rest) = m.stack
    m.stack = (specs, ((below[0], (*below[1], local), below[2]), rest))
    if m.scope.parent is None:
        _exported(m, words[-1])
    return False


@takes
def _export_from(m: Checker, t: Token, f: Frame) -> bool:
    """Behind the names in braces: the file's own, unless `from` follows."""
    m.pop()
    if t.kind == "name" and t.text == "from":
        return m.push("import_from")
    if _in_namespace(m) and not m.context & At.AMBIENT:
        m.error(NAMESPACE_EXPORT)
    for name in f[1]:
        m.use(name, Use.ANY | (Use.EXPORTED if f[2] else 0))
    return False


@takes
def _export_default(m: Checker, t: Token, f: Frame) -> bool:
    kind = t.kind
    m.pop()
    if kind == "function":
        return _default_function(m, is_async=False)
    if kind == "class":
        m.export("default")
        return m.push("class_name", False, False)
    if kind == "@":
        return decorated(m, ("export_default",))
    if kind == "name" and t.text in ("async", "abstract", "interface"):
        return m.push("default_word", t.text)
    m.export("default")
    m.push(*SEMICOLON)
    if kind == "name":
        return m.push("default_name", t.text)
    expression(m)
    return False


def _default_function(m: Checker, *, is_async: bool) -> Literal[True]:
    return m.begin(("function_name", is_async, False, False), ("declared_function",), ("default_end",))


@takes
def _default_end(m: Checker, t: Token, f: Frame) -> bool:
    """Behind a function as the default export; those without bodies are overloads."""
    m.pop()
    if m.had_body:
        m.export("default")
    return False


@takes
def _default_word(m: Checker, t: Token, f: Frame) -> bool:
    word = f[1]
    m.pop()
    if word == "async" and t.kind == "function" and not t.newline:
        return _default_function(m, is_async=True)
    if word == "abstract" and t.kind == "class" and m.ts:
        m.export("default")
        return m.push("class_name", False, True)
    if word == "interface" and t.kind == "name" and m.ts:
        m.push("word", word)
        return False
    m.export("default")
    m.begin(("e", 0, True, NAME, word), SEMICOLON)
    return False


@takes
def _default_name(m: Checker, t: Token, f: Frame) -> bool:
    """Behind `export default x`: a type, too, where nothing follows."""
    m.pop()
    if t.newline or t.kind in (";", "}"):
        m.use(f[1], Use.ANY | Use.NOW)
        return False
    m.push("e", 0, True, NAME, f[1])
    return False
