"""Bridges for right contexts whose beginning needs more of the left one than its last symbol; and the guide of their search."""

from __future__ import annotations

import random
from typing import Any

import pytest
from suture import parser
from suture.parser.bridging import heuristic
from suture.parser.bridging.line_prestar import ExposedCells, LinePrestar
from suture.parser.glr.prefix import PrefixState
from suture.parser.hole import find_bridges
from suture.parser.languages.python import bridging
from suture.parser.languages.python.lexer.python_lexer import PythonLexer

from ..support import oracles
from ..support.inside import runtime_of, state_of
from ..support.oracle_python import parses

_HOLES = [
    ("def f():\n    scalars = ", "in inds if x != set()]\n    return 1\n"),
    ("if a:\n    x = (\n        select_table", "None\n        else g()\n    )\n    y = 1\n"),
    ("def f():\n    return cls(c, t", "16 else B),\n        number=n,\n    )\n"),
    ("def f():\n    tc = nx.census(nx.D", ") if cnt > 0}\n\n\ndef g():\n    pass\n"),
    ("def f():\n    missi", ',\n        ("m", r),\n    ]\n    if x is None\n    ]\n    if m:\n        pass\n'),
    (
        "    ".join(["if a:\n", "class W(io.R)"]),
        " out: IO[bytes]) -> None:\n            self.out = out\n    return_ = 1\n",
    ),
    (
        "if a:\n    b = c or (\n        isinstance(d, (list, tuple)) and (isinstance(e[0], (np",
        "ech, t=f) for s in r]\n    elif not b:\n        pass\n",
    ),
    ("@auto(che", "  window (`str`, *optional*):\n        The `None`:\n    '''\n\n    kind = 1\n"),
    (
        "class S:\n    name = 'S",
        ", N)),\n"
        + "".join(f"        (r'{n}', s.T, 'u'),\n" for n in range(200))
        + "      ],\n      'd': [include('r')],\n    }\n",
    ),
    ("class A:\n    def f(self):\n        pass\n\n    ", "-> T:\n        return 1\n\n\nclass B:\n    pass\n"),
    ("f = D(Z.map([0, 9]), Z", "[" * 11 + "Z(1)]], [[" + "]" * 26 + "\nx = 1\n"),
    (
        "if a:\n    if b:\n        return_ = [(0.8",
        "'k') <= 7:\n                    x = 1\n                else:\n                    x = 2\n            else:\n                y = 1\n",
    ),
    ("def f():\n    try:\n        try:\n            try:\n                10", "E as e:\n        x = 1\n\n    y = 2\n"),
    ("x = g(m[v", "eta, rc] if m is not None]\nif x:\n    pass\n"),
    # Blocks revealed only by later lines of the right context:
    ("import a\n", "()\n        c()\n    case 2:\n        d()\n"),
    ("import a\n", "()\n\t\tc()\n\n\tdef g(self):\n\t\tpass\n"),
    (
        "import a\n",
        "()\n        else:\n            c()\n        try:\n            d()\n        except E:\n            e()\n",
    ),
    (
        "match a:\n    case 1:",
        "()\n                c()\n            case 2:\n                d()\n    case 3:\n        e()\n",
    ),
    ("try:", "\n\tfinally:\n\t\ta()\n\n\n@b\ndef c():\n\td()\n"),
    ("import a\n", "\t\t\texcept b:\n\t\t\t\tcontinue\n\t\t\tc()\n\t\tfinally:\n\t\t\td()\n\n\tdef e():\n\t\tpass\n"),
    ("'''\nmatch x in ", "\n    else z\n"),
    ("for x in y:\n wwith **pass", "with x:\n  else:\n\n   x\n\n"),
    ("a = {\n    'b': opt", 'c d."""\n\t\te = f()\n\t\tif e:\n\t\t\tg()\n\n\tdef h():\n\t\tpass\n'),
    (
        '"""a [\n    ',
        "e(f):\n                        g.h()\n            except R:\n                if i:\n                    j()\n",
    ),
    ("def f(a, ", "n d:\n        c = d[t]\n    else:\n        c = O\n    return c(l)\n"),
]


@pytest.mark.parametrize(("left", "right"), _HOLES, ids=range(len(_HOLES)))
def test_bridges_of_demanding_lines(left: str, right: str) -> None:
    """A right context that continues a comprehension, a conditional expression, parameters or a docstring is reached."""
    state = parser.language("python").hole(left, right).state
    assert state is not None
    bridges = state.bridges()
    assert bridges
    for bridge in bridges:
        assert parses(left + bridge + right), bridge


def test_a_number_and_a_keyword_are_two_words() -> None:
    """`0if` is read as two symbols, with a warning."""
    state = parser.language("python").hole("x = f(0", " y else z)\n").state
    assert state is not None
    assert {bridge.rstrip() for bridge in state.bridges()} == {" if"}


_PIECES = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "x",
    ",",
    ":",
    "=",
    "for",
    "in",
    "if",
    "else",
    "1",
    ".",
    "lambda",
    "*",
    "->",
    "as",
    "==",
    "not",
    "'a'",
]


@pytest.mark.parametrize("seed", range(8))
def test_demands_are_what_the_stacks_show(seed: int) -> None:
    """A stack satisfies the demands of terminals exactly when it can read them."""
    rng = random.Random(seed)
    parts = runtime_of(parser.language("python"))
    engine, factory = parts.engine, parts.engine.factory
    lexer = engine.lexer
    assert isinstance(lexer, PythonLexer)
    met = {False: 0, True: 0}
    cells = ExposedCells(factory.tables)
    starts = ["", "x = ", "f(", "[x for x ", "{a: ", "def f(", "lambda x", "with (a", "x[1:", "(a if ", "print(*"]
    for _ in range(300):
        left = engine.read_text(
            engine.start, rng.choice(starts) + " ".join(rng.choices(_PIECES, k=rng.randint(0, 3))) + " "
        )
        if left is None or left.lex is not lexer.clean:
            continue
        _, tokens = lexer.step_text(lexer.clean, " ".join(rng.choices(_PIECES, k=rng.randint(1, 5))) + " ")
        terminals = [t for t in tokens if isinstance(t, int)]
        if not terminals:
            continue
        demands = LinePrestar(cells, factory.chains, terminals)
        for top in left.stacks.tops:
            stacks = factory.above(top.parents[0], [top.state]) if len(top.parents) == 1 else None
            if stacks is None:
                continue
            for terminal in terminals:
                stacks = factory.advance(stacks, terminal) if stacks is not None else None
            below = demands.on(top.state)
            together = {under: after for part, after in demands.under_each(below, top.state) for under in part}
            alone = {under: demands.under(below, under) for under in factory.tables.below[top.state]}
            assert together == {under: after for under, after in alone.items() if after.viable}
            assert demands.admits(below, top.parents) == (stacks is not None), (left, terminals)
            met[stacks is not None] += 1
    assert min(met.values()) > 5, met


@pytest.mark.parametrize(("version", "viable"), [("3.8", False), ("3.12", True)])
def test_a_backslash_in_the_column_of_a_header(version: str, viable: bool) -> None:
    """In 3.8 the line has begun in that column, where a block must open: no symbol can come. Later such a line may be blank."""
    hole = parser.language("python", version).hole("def f():\n    if a:\n    \\\n", "")
    assert hole.viable == viable


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # A clause at the beginning of a line, without a header before it, that does not continue an expression:
        (" ", "        \nelse z\n\n"),
        ("", "        \nelse z\n\n"),
        ("if x:\n    y\n", "# c\n\nelse z\n"),
        # A block further right than its header with tabs to multiples of 8, and not with tabs as one:
        ("", "x if y:\n            finally:\r\n \t \t \tx; y\nasync with x:\n              return\r\n"),
        ("a = 1\n", "b:\n        c:\n\t\td\n"),
        # and blocks that are left to different columns:
        ("a = 1\n", "\n\n        b\n\tc\n"),
    ],
)
def test_right_contexts_that_nothing_completes(left: str, right: str) -> None:
    """They are not viable, so only their viable part is completed."""
    hole = parser.language("python", "3.12").hole(left, right)
    assert hole.fallback in ("right", "both")
    assert hole.state is not None and hole.state.bridges()


@pytest.mark.parametrize(
    "right", ["  \nelse:\n  y\n", "\n\t\tx\n\ty\n", "\n        x\n \ty\nz\n", ")\n", "\n  else z)\n"]
)
def test_right_contexts_that_something_completes(right: str) -> None:
    hole = parser.language("python", "3.12").hole("", right)
    assert hole.viable
    assert hole.state is not None
    assert parses(hole.state.bridges()[0] + right)


@pytest.mark.parametrize("version", ["3.9", "3.12"])
@pytest.mark.parametrize(
    "left",
    ["f'{(*", "f'{(*x", "g(h(f'{(*", "f'{x:{(*y", "f'{[x for", "f'{f(**", "f'''{(\n*", "f'''{[\nx for", "f'{x if"],
)
@pytest.mark.parametrize("right", ["", "}'\n"])
def test_fields_of_f_strings_are_ended_by_their_own_grammar(version: str, left: str, right: str) -> None:
    state = parser.language("python", version).hole(left, right).state
    assert state is not None
    bridges = state.bridges()
    assert bridges
    oracle = oracles.find(version)
    if oracle is None:
        pytest.skip(f"no Python {version} here")
    assert all(oracle.parse([left + bridge + right for bridge in bridges]))


def test_estimates_are_the_same_when_what_is_near_is_looked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def estimates() -> list[float]:
        found = list[float]()
        for left, right in _HOLES:
            state = state_of(parser.language("python", "3.11").renewed().hole(left, right).state)
            found.append(state.context.bridging.estimate(state.left, state.context.right))
        return found

    near, near_first = heuristic._NEAR, estimates()
    monkeypatch.setattr(heuristic, "_NEAR", heuristic.INF)
    assert estimates() == near_first
    assert any(near < estimate < heuristic.INF for estimate in near_first)


def test_what_is_far_is_known_to_be_far() -> None:
    """For stacks farther from the goal than a limit, the answer is only that; a later question about more gets the true distance."""
    left, right = "x = f(a", ", b)\ny = 1\n"
    python = parser.language("python", "3.11")
    state = state_of(python.renewed().hole(left, right).state)
    estimate = state.context.bridging.estimate
    limit, near, later, exact = 6.0, list[float](), list[float](), list[float]()
    for text in ("", "[", "[(", "[({", "[" * 20):
        after = state_of(state.advance(text))
        near.append(estimate(after.left, after.context.right, limit))
        later.append(estimate(after.left, after.context.right))
        alone = state_of(python.renewed().hole(left + text, right).state)
        exact.append(alone.context.bridging.estimate(alone.left, alone.context.right))
    assert later == exact and near != exact
    assert all(one == other or limit <= one <= other for one, other in zip(near, exact, strict=True))


def test_elements_of_tsx_that_many_lines_above_began_are_ended() -> None:
    left = """const f = () => {
  return (
    <form action="#" onSubmit={submit}>
      <div className="group">
        <label htmlFor="theme">
          <svg viewBox="0 0 24 24">
            {dark ? (
              <>
                <line x1="1" y1="12"/>
                <line x1="2"""
    (bridge, *_) = state_of(parser.language("typescriptreact").renewed().hole(left, "").state).bridges()
    assert bridge.endswith("}</svg></label></div></form>)}")


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        ("python", ["import c\n@c.a('a", "import c\n@c.a(", "import c\n@c.a(x, 'b", "import c\n@c.a(x, 'b',", "x = 1"]),
        ("typescript", ["@C({\n a: 1", "@C", "const x = [f(`a${", "x"]),
        ("go", ["package a\nfunc f() {\n\tg(func() {\n\t\tx[", "package a\n", "package a\nvar x = []int{f("]),
    ],
)
def test_a_bridge_does_not_depend_on_what_was_asked_before(language: str, asked: list[str]) -> None:
    """One engine's estimates are kept for all its holes with the same right context."""

    def bridge(engine: parser.Language, left: str) -> list[str]:
        return [*find_bridges(state_of(engine.hole(left, "").state), 1)]

    one = parser.language(language).renewed()
    for left in [*asked, *reversed(asked)]:
        alone = bridge(parser.language(language).renewed(), left)
        assert alone and bridge(one, left) == alone


def test_what_follows_the_end_of_a_line_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All texts that a model tries end its line in the same place, the start of a long search."""
    searched: list[object] = []
    search = bridging.search

    def counted(start: PrefixState, **how: Any) -> list[str]:
        if how["limits"] == bridging._FROM_LINE:
            searched.append(start)
        return search(start, **how)

    monkeypatch.setattr(bridging, "search", counted)
    start = (
        parser.language("python").hole("def f(one):\n    return one(a=[zq", "\n)\n\nprint(f)\n", level="names").state
    )
    assert start is not None and start.bridges() is not None
    for text in ("x", "xy", "xyz"):
        after = start.advance(text)
        assert after is None or after.bridges() == ()
    assert searched and len(set(searched)) == len(searched)
