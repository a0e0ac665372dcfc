"""Logical lines read by the grammar's tables: the names they read and bind are those of their syntax tree, and half-typed lines are read, too."""

from __future__ import annotations

import ast
import io
import random
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from suture.common.words import words_of
from suture.parser.languages.python.semantics.contents import Dialect
from suture.parser.languages.python.semantics.line_reader import read_line, reader
from suture.parser.languages.python.semantics.line_values import Line
from suture.parser.languages.python.semantics.lines import parse_file
from suture.parser.languages.python.semantics.operations import Operations, both, each, inner
from suture.parser.languages.python.semantics.rules.registry import ACTIONS
from suture.parser.languages.python.semantics.tokens import NEWLINE, START, lex
from suture.parser.languages.python.tables import symbols_in

from .compile_snippets import snippets

_ROOT = Path(__file__).parents[2]
_BINDS = frozenset(("bind", "imported", "annotated", "annotated value", "annotated name", "walrus", "del"))
_BEFORE = {"elif": "if 0:\n pass\n", "else": "if 0:\n pass\n", "except": "try:\n pass\n", "finally": "try:\n pass\n"}
_MEANINGLESS = words_of("""
    $start statements simple_line block decorators compound class function if while for try excepts star_excepts cases if_head else with
    except star_except finally match case decorator comparator tstring
""")
"""Rules of whole blocks, whose parts are read as headers, of several words, and of strings that the lexer takes for formatted ones."""


def _line(text: str) -> Line | None:
    return read_line(lex(START, text, end=True)[0])


def _inner(operations: Operations) -> Iterator[tuple[str, ...]]:
    """All operations, with those within others."""
    for operation in each(operations):
        yield operation
        for part in inner(operation):
            yield from _inner(part)


def _names(line: Line) -> tuple[set[str], set[str]]:
    """The names read and bound by a line."""
    header = line.header
    read: set[str] = set()
    bound = {*header.params, *header.type_params, *filter(None, (header.name,))} if header is not None else set[str]()
    scopes = (line.items, *((header.items, header.scoped) if header is not None else ()))
    for operation in (operation for scope in scopes for operation in _inner(scope)):
        if operation[0] == "use":
            read.add(operation[1])
        elif operation[0] in _BINDS:
            bound.add(operation[1])
        elif operation[0] in ("lambda", "global", "nonlocal", "alias"):
            bound |= {*operation[1]}
    return read, bound


def _names_by_tree(tree: ast.AST) -> tuple[set[str], set[str]]:
    """The names read and bound in a syntax tree."""
    read: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                read.add(name)
                bound.add(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound.add(name)
            case ast.ClassDef(name=name) | ast.MatchMapping(rest=str(name)):
                bound.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.ExceptHandler(name=str(name)):
                bound.add(name)
            case ast.alias(name=name, asname=other) if name != "*":
                bound.add(other or name.partition(".")[0])
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                bound |= {*names}
            case _:
                pass
    if isinstance(tree, ast.Module) and len(tree.body) == 1 and isinstance(tree.body[0], ast.ImportFrom):
        bound = {alias.asname or alias.name for alias in tree.body[0].names if alias.name != "*"}
    return read, bound


def _tree(text: str) -> ast.AST | None:
    """The syntax tree of one logical line; None if it is not Python by itself."""
    word = text.split(maxsplit=1)[0].rstrip(":")
    if word == "case":
        text = "match 0:\n " + text + ("\n  pass" if text.endswith(":") else "")
    elif text.startswith("@"):
        text += "\nclass _decorated: pass"
    elif text.endswith(":"):
        text = _BEFORE.get(word, "") + text + "\n pass"
        if word == "try":
            text += "\nfinally:\n pass"
        if word == "match":
            text = text.removesuffix(" pass") + " case _:\n  pass"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError:
        return None


def _logical_lines(text: str) -> Iterator[str]:
    """The logical lines of a valid source, without their indentation and comments at their end."""
    begin: tuple[int, int] | None = None
    lines = text.splitlines(keepends=True)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    skipped = (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER)
    last = (1, 0)
    for token in tokens:
        if token.type == tokenize.NEWLINE and begin is not None:
            (row, column), (end, stop) = begin, last
            part = lines[row - 1 : end]
            part[-1] = part[-1][:stop]
            part[0] = part[0][column:]
            yield "".join(part)
            begin = None
        elif token.type not in skipped:
            begin = begin or token.start
            last = token.end


def _expression(rng: random.Random, depth: int) -> str:
    """A random expression, of a few names."""
    if not depth or rng.random() < 0.2:
        return rng.choice("abcdxyz") if rng.random() < 0.8 else rng.choice(("1", "'s'", "None", "True", "...", "b''"))
    forms = (
        "{0} + {1}", "not {0}", "{0} if {1} else {2}", "{0} is not {1} in {2}", "({0})", "({0}, {1})", "[{0}, *{1}]", "{{*{0}}}",
        "{{{0}: {1}, **{2}}}", "lambda a, *b, c={0}: {1}", "lambda: {0}", "(z := {0})", "[{0} for x, *y in {1} if {2}]",
        "{{{0}: {1} for a in {2}}}", "f({0}, *{1}, k={2}, **{0})", "f({0} for b[{1}] in {2})", "({0}).m", "({0})[{1}, {2}:]",
        "f'{{({0})!r:{{({1})}}}}' 't'", "(yield)", "(yield {0}, *({1},))", "-({0}) ** {1}", "m.n({0})({1})", "{0} < {1} or {2} and {0}",
    )  # fmt: skip
    return rng.choice(forms).format(*(_expression(rng, depth - 1) for _ in range(3)))


def _statement(rng: random.Random) -> str:
    """A random logical line."""
    forms = (
        "{0}", "a, b[{0}] = c.d = {1}", "[a, *(b, c)] = *{0}, {1}", "x: {0} = {1}", "x.y: {0}", "(x): {0}", "a += {0}",
        "del a, b[{0}], (c, [d])", "return {0}, *{1}", "assert {0}, {1}", "raise {0} from {1}", "import a.b, c as d", "global a, b",
        "from .a.b import (c, d as e,)", "if {0}: x = {1}; del x", "elif {0}:", "while {0}:", "for a, *b in {0}, {1}:",
        "async for a[{0}] in {1}: pass", "with {0} as a, {1} as (b, *c):", "with ({0} as a, {1}):", "except {0} as a:",
        "def f(a: {0}, /, b={1}, *c: {2}, d: {0} = {1}, **e) -> {2}:", "async def f(*, a={0}): return a", "class A({0}, m={1}):",
        "@{0}", "match {0}, *{1}:", "case [a, {{1: b, **c}}, A.B(d, e=_)] if {0}:", "case a.b | {{'k': None}} | -1 + 2j:",
        "case (A() as a), *_: {0}", "match = {0}", "match(x, {0})", "case[{0}] = {1}", "type(x).y = {0}", "lazy = {0}",
        "try: x = {0}", "else: {0}", "x = yield {0}", "await {0}", "print(*{0}, sep={1})",
    )  # fmt: skip
    return rng.choice(forms).format(*(f"({_expression(rng, 3)})" for _ in range(3)))


def _sources() -> list[Path]:
    """Python files of every kind: this tree's own."""
    folders = ("parser/languages/python", "lsp_server/settings")
    return [path for folder in folders for path in sorted((_ROOT / folder).rglob("*.py"))]


def _texts() -> Iterator[str]:
    for path in _sources():
        yield from _logical_lines(path.read_text(encoding="utf-8"))
    for snippet in snippets():
        if _tree(snippet.strip()) is not None:
            yield from _logical_lines(snippet)
    rng = random.Random(1)
    yield from (_statement(rng) for _ in range(1_500))


def test_names_are_those_of_the_syntax_tree() -> None:
    checked = 0
    for text in dict.fromkeys(_texts()):
        tree = _tree(text)
        if tree is None:
            continue
        line = _line(text)
        assert line is not None, text
        if line.header is not None and line.header.pattern is not None and line.header.pattern.errors:
            continue
        read, bound = _names(line)
        expected_read, expected_bound = _names_by_tree(tree)
        assert (read, bound) == (expected_read, expected_bound - {"_decorated"}), text
        checked += 1
    assert checked > 3_000


@pytest.mark.parametrize(
    ("text", "read", "bound"),
    [
        ("x = ", "", "x"),
        ("x = f(", "f", "x"),
        ("x, y = a.", "a", "x y"),
        ("if x", "x", ""),
        ("for x in y", "y", "x"),
        ("foo.", "foo", ""),
        ("foo.(a)", "foo a", ""),
        ("print x, y", "print x y", ""),
        ("def f(a, , b) -> c", "c", ""),
        ("def f(a, b:", "", ""),
        ("from m import a b, c", "", "a b c"),
        ("from m import ", "", ""),
        ("import a.", "", "a"),
        ("with a as b", "a", "b"),
        ("lambda x", "", "x"),
        ("x = [a for a in ", "a", "x a"),
        ("a b = c", "a c", "b"),
        ("x: int += y", "int y", "x"),
        ("x = (a]", "a", "x"),
        ("if if x: y = 1", "x", "y"),
        ("except as e: pass", "", "e"),
    ],
)
def test_half_typed_lines_are_read(text: str, read: str, bound: str) -> None:
    tokens = lex(START, text, end=True)[0]
    line = read_line(tokens if tokens[-1] == NEWLINE else [*tokens, NEWLINE])
    assert line is not None
    names = _names(line)
    assert names[0] >= {*read.split()} and names[1] >= {*bound.split()}
    assert names[0] | names[1] <= {*read.split(), *bound.split()}


def test_targets_are_bound_in_the_order_of_evaluation() -> None:
    line = _line("y, z[y] = del_, y")
    assert line is not None
    kinds = [operation[:2] for operation in each(line.items) if operation[0] != "fact"]
    assert kinds == [("use", "del_"), ("use", "y"), ("bind", "y"), ("use", "z"), ("use", "y")]
    line = _line("del y, z[y]")
    assert line is not None and each(line.items) == [("del", "y"), ("use", "z"), ("use", "y")]


def test_every_rule_of_several_symbols_has_an_action() -> None:
    rules = reader()
    lacking = [
        f"{left}: {' '.join(symbols)}"
        for left, symbols in zip(rules.lefts, rules.symbols, strict=True)
        if len(symbols) > 1 and left not in _MEANINGLESS
        if f"{left}+" not in ACTIONS and f"{left}: {' '.join(symbols)}" not in ACTIONS
    ]
    assert lacking == []


def test_every_action_has_a_rule() -> None:
    rules = reader()
    known = {f"{left}: {' '.join(symbols)}" for left, symbols in zip(rules.lefts, rules.symbols, strict=True)}
    known |= {f"{left}+" for left, symbols in zip(rules.lefts, rules.symbols, strict=True) if len(symbols) > 1}
    assert [rule for rule in ACTIONS if rule not in known] == []


def test_every_role_has_a_rule() -> None:
    rules = reader()
    known = {*rules.lefts}
    for left, symbols in zip(rules.lefts, rules.symbols, strict=True):
        known |= {f'{left} "{symbol}"' for symbol in symbols}
    named = [symbol for kind in ("role", "list") for symbols in symbols_in(kind).values() for symbol in symbols]
    assert len(named) > 100 and [symbol for symbol in named if symbol not in known] == []


@pytest.mark.parametrize("text", ["x = [{}]", "x = f({})", "[{}] = x", "x[{}]", "del ({})", "x = {{{}}}", "{} = q"])
def test_a_long_line_is_no_deep_one(text: str) -> None:
    names = ", ".join(f"a{number}" for number in range(5_000))
    content = parse_file(text.format(names) + "\n", Dialect((3, 12)))
    assert "a4999" in content.needs | content.binds


def test_long_lines_ask() -> None:
    asked: list[None] = []
    read_line(lex(START, "x = [" + "a, " * 1_000 + "]\n")[0], lambda: asked.append(None))
    assert len(asked) > 3


def test_operations_keep_their_order() -> None:
    whole: Operations = None
    for number in range(1_000):
        whole = both(whole, both(("use", f"a{number}"), ("bind", f"b{number}")))
    assert [operation[1] for operation in each(whole)] == [f"{letter}{n}" for n in range(1_000) for letter in "ab"]
