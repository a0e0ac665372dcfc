"""Texts more expensive than people's: nested, long, repeated and unclosed, in several languages."""

from __future__ import annotations

from collections.abc import Iterator

_ATOMS = {
    "python": (
        *(
            "pass\n",
            "x = 1\n",
            "pass;",
            "x = [\n",
            "def f(): pass\n",
            "class A:\n  ",
            "@a\n",
            "else:\n",
            "\\\n",
            "import a\n",
        ),
        *(
            "a + ",
            "not ",
            "lambda: ",
            "f(",
            "()",
            ".b",
            "1 if 1 else ",
            "[x for x in ",
            "for x in y ",
            "(a := ",
            "*",
            "-",
            "await ",
        ),
        *(
            "'\n",
            '"""\n',
            "f'{",
            "'a': 1, ",
            "match x:\n",
            "type ",
            "if x:\n",
            "with (a as b, ",
            "global x\n",
            "#\n",
            "a",
        ),
    ),
    "typescriptreact": (
        *(
            "x\n",
            "x = 1\n",
            "f(\n",
            "if (x) {\n",
            "} else {\n",
            "class A {\n",
            "x => {\n",
            "f<A<",
            "a: {",
            "a\n++\n",
            "async ",
            "case 1:\n",
        ),
        *(
            "a + ",
            "!",
            "(x) => ",
            "f(",
            "()",
            ".b",
            "a ? b : ",
            "a ? ",
            "[",
            "{",
            "{ a: ",
            "...",
            "await ",
            "new ",
            "?.",
            "`${",
            "`",
        ),
        *(
            "<a>",
            "</a>",
            "<a b={",
            "<a/>",
            "<>",
            "{x}",
            "f<",
            ">",
            "/",
            "/a/",
            "type A = ",
            "A<",
            "A | ",
            "[A, ",
            "as A ",
            "'\n",
            "/*",
        ),
    ),
    "go": (
        *(
            "func f() {\n",
            "func f() {",
            "func() {",
            "if x {\n",
            "x = 1\n",
            ";",
            "var x int\n",
            "1 + ",
            "*",
            "[]",
            "map[int]",
        ),
        *("chan ", "`\n", '"\n', "func f() {}\n", "struct { a ", "/*", "switch {\ncase 1:\n", "f(", "()", ".b", "a"),
    ),
    "json": ('["a", ', '{"a": ', "1, ", '"', "1", "[1, ", '"a", ', "null\n", "-", "a"),
}
_HEADS = {
    "python": ("", "x = ", "def f():\n    "),
    "typescriptreact": ("", "function f() {\n", "x = ", "x = <a>", "type A = "),
    "go": ("package p\n", "package p\nfunc f() {\n", "package p\nvar x = "),
    "json": ("", "[", '{"a": '),
}
_BRACKETS = ("()", "[]", "{}")


def hostile(language: str, count: int) -> Iterator[tuple[str, str, str]]:
    """(description, left, right) of texts with about `count` repetitions; the cursor is at either end and in the middle."""
    texts: dict[str, str] = {}
    for head in _HEADS[language]:
        for pair in _BRACKETS:
            texts[f"{head}{pair[0]}"] = head + pair[0] * count
            texts[f"{head}{pair[1]}"] = head + pair[1] * count
            texts[f"{head}{pair}"] = head + pair[0] * count + pair[1] * count
            texts[f"{head}{pair[0]} by line"] = head + f"{pair[0]}\n" * count
        for atom in _ATOMS[language]:
            texts[f"{head}{atom}"] = head + atom * count
    for name, text in texts.items():
        for at in (0, len(text) // 2, len(text)):
            yield f"{name!r} * {count} at {at}", text[:at], text[at:]
