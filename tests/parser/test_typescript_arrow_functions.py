"""Brackets before a colon that TypeScript takes for the parameters of an arrow function, and JavaScript does not."""

from itertools import product

import pytest
from suture.parser import language

from ..support import oracle_typescript as oracle

REFUSED = [
    *(f"a ? b ? {x} : d => e : f" for x in ("(c)", "async (c)", "async (c, [d])", "(c = 1, d)", "({c})", "(this)")),
    *(f"a ? b ? ({x}) : d => e : f" for x in ("{c: [d, e = 2], ...g}", "{c: 1}", "[]", "[, ...c]")),
    *(f"a ? b ? {x} : d => e : f" for x in ("x => (c)", "x = (c)", "g ? h : (c)")),
    "a ? b ? (c) : (q) => d => e : f",
    "a ? () => (b) : c => d",
    "a ? () => ({ b }) : c => ({ c })",
    "a ? (...x) => (b) : c => d",
    "a ? async() : b",
    "switch (x) { case (y): z => z }",
    "switch (x) { case (y): (p) => z => z }",
    "switch (x) { case y ? (z) : w => v: u }",
    "function* g() { a ? yield (c) : d => e }",
]
"""Texts that are JavaScript, and not TypeScript."""
BOTH = [
    "a ? (b) : c => d",
    "a ? (b) => (c) : d => e",
    "a ? () => [(b)] : c => d",
    "a ? () => (x) : (y) => z",
    "switch (x) { case (y): (p) => z }",
    "switch (x) { case a ? b ? (c) : d => e : f : g : h; }",
    *(
        f"a ? b ? {x} : d => e : f"
        for x in ("(c.x)", "(c, 1)", "((c))", "(c.x, d = 1)", "(c)()", "-(c)", "([1])", "({c: -1})", "async(c)()")
    ),
    *(f"a ? b ? (c) : {x} : f" for x in ("d", "async d => e", "(d) => e", "[d => e]", "d + e")),
]
TYPESCRIPT = [
    "a ? (b) : c => d : e",
    "a ? b ? (c) : d => e : f : g",
    "a ? () => (b) : c => d : e",
    "switch (x) { case (y): z => z: u }",
    "x = (b): c => d",
]


def is_whole(text: str, name: str, at: int | None = None) -> bool:
    hole = language(name).session().hole(text, len(text) if at is None else at, level="compile", exact=True)
    return hole.fallback == "none" and hole.state is not None and hole.state.complete


@pytest.mark.parametrize(
    ("text", "javascript", "typescript"),
    [
        *((text, True, False) for text in REFUSED),
        *((text, True, True) for text in BOTH),
        *((text, False, True) for text in TYPESCRIPT),
        ("a ? (x: T) => y ? z : (b) : c => d", False, False),
    ],
)
def test_brackets_before_a_colon(text: str, javascript: bool, typescript: bool) -> None:
    assert is_whole(text, "javascript") == javascript
    for name in ("typescript", "typescriptreact"):
        assert is_whole(text, name) == typescript
    if oracle.missing() is None:
        assert (oracle.acorn(text) is None) == javascript
        assert (not oracle.typescript(text, "ts")) == typescript


@pytest.mark.parametrize("line_end", [" ", "\n"])
def test_holes_around_a_colon(line_end: str) -> None:
    """A text is refused by what stands behind it, and one that can still be mended is not."""
    pieces = ["x = a", "? b", "? (", "c", ")", ": d =>", "e", ": f"]
    for split, end in product(range(1, len(pieces)), (";", f"{line_end}: g;")):
        left, middle, right = (
            line_end.join(part) for part in (pieces[:split], pieces[split : split + 1], pieces[split + 1 :])
        )
        session = language("typescript").session()
        left += line_end
        hole = session.hole(left + line_end + right + end, len(left), level="compile", exact=True)
        assert hole.state is not None
        state = hole.state.advance(middle)
        assert state is not None, (left, middle)
        assert state.complete == (end != ";"), (left, middle, right + end)
