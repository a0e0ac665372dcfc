"""Nested texts: each bracket and each self-containing construct, in several languages, with the cursor in the innermost."""

from __future__ import annotations

from collections.abc import Iterator

_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("[(", ")]"), ("f(", ")"), ("a[", "]"), ("a + (", ")"), ("(1, ", ")"))
_PYTHON = (
    *_BRACKETS,
    *(("[x for x in ", "]"), ("{x: ", " for x in y}"), ("(x for x in y if ", ")"), ("{", ": 1}"), ("lambda: ", "")),
    *(("f'{", "}'"), ("a if ", " else b"), ("not ", ""), ("-", ""), ("await ", ""), ("f(a=", ")"), ("(a := ", ")")),
    *(("list[", "]"), ("dict[str, ", "]"), ("'''", "'''"), ("a.b(", ").c"), ("[*", "]"), ("x[1:", "]"), ("a ** ", "")),
)
_C_LIKE = (
    *_BRACKETS,
    *(("!", ""), ("-", ""), ("a ? b : ", ""), ("a ? ", " : b"), ("`${", "}`"), ("() => ", ""), ("x => {", "}")),
    *(("new ", ""), ("new A(", ")"), ("async () => ", ""), ("{a: ", "}"), ("{...", "}"), ("function(){", "}")),
    *(
        ("function(a = ", "){}"),
        ("class { a = ", " }"),
        ("class extends ", " {}"),
        ("a => b ? (c, d) : ", ""),
        ("f`${", "}`"),
    ),
    *(
        ("([", "] = b)"),
        ("({a: ", "} = b)"),
        ("(a, ", ") => b"),
        ("a < ", ""),
        ("a<b>(", ")"),
        ("typeof ", ""),
        ("yield ", ""),
    ),
)
_TYPES = (
    *(
        ("A<", ">"),
        ("[", "]"),
        ("(", ")"),
        ("{a: ", "}"),
        ("A | ", ""),
        ("() => ", ""),
        ("(a: ", ") => b"),
        ("keyof ", ""),
    ),
    *(("A extends ", " ? b : c"), ("A extends B ? ", " : c"), ("A extends B ? c : ", ""), ("`${", "}`"), ("A[", "]")),
    *(
        ("{[a in ", "]: b}"),
        ("<T extends ", ">() => a"),
        ("new () => ", ""),
        ("typeof a<", ">"),
        ("readonly ", ""),
        ("A<B, ", ">"),
    ),
    *(
        ("import('a').B<", ">"),
        ("[a: ", "]"),
        ("[...", "]"),
        ("{a(b: ", "): c}"),
        ("{get a(): ", "}"),
        ("asserts a is ", ""),
    ),
)
_JSX = (
    ("<a>", "</a>"),
    ("<a b={", "}/>"),
    ("<>", "</>"),
    ("<a>{", "}</a>"),
    ("{x && <a>", "</a>}"),
    ("<a b=<c d=", "/>/>"),
)
_GO = (
    *_BRACKETS,
    *(
        ("A[", "]"),
        ("A[int, ", "]"),
        ("[]", ""),
        ("map[", "]int"),
        ("map[int]", ""),
        ("*", ""),
        ("chan ", ""),
        ("<-chan ", ""),
    ),
    *(
        ("func(", ")"),
        ("func() ", ""),
        ("struct{a ", "}"),
        ("interface{a(", ")}"),
        ("[]A{", "}"),
        ("A{a: ", "}"),
        ("&", ""),
    ),
    *(
        ("func() int { return ", " }()"),
        ("[len(", ")]int"),
        ("x.(", ")"),
        ("!", ""),
        ("-", ""),
        ("a && ", ""),
        ("A[B](", ")"),
    ),
    *(
        ("[]struct{a ", "}"),
        ("[...]", ""),
        ("func(a ", ") b"),
        ('map[string]A{"a": ', "}"),
        ("x[1:", "]"),
        ("a(b, ", ")"),
    ),
)
_PLACES: dict[str, tuple[tuple[str, str], ...]] = {
    "python": (
        ("x = ", "\n"),
        ("def f():\n    return ", "\n\ny = 2\n"),
        ("x: ", " = 1\n"),
        ("@", "\ndef f(): pass\n"),
        ("class A(", "):\n    pass\n"),
        ("match a:\n    case ", ":\n        pass\n"),
        ("for a in b: ", "\n"),
        ("f'{", "}'\n"),
    ),
    "typescriptreact": (
        ("x = ", ";\n"),
        ("function f() {\n  return ", ";\n}\n"),
        ("@", "\nclass A {}\n"),
        ("<a>{", "}</a>;\n"),
    ),
    "go": (
        ("package p\n\nvar a ", "\n"),
        ("package p\n\nvar a = ", "\n"),
        ("package p\n\ntype T ", "\n"),
        ("package p\n\nfunc f() {\n\tx := ", "\n\t_ = x\n}\n"),
        ("package p\n\nfunc f() {\n\t", "\n}\n"),
        ("package p\n\nfunc f[T ", "](a T) {\n}\n"),
        ("package p\n\nfunc (a ", ") b() {\n}\n"),
    ),
    "json": (("", "\n"), ('{"a": ', "}\n")),
}
_PLACES["javascript"] = _PLACES["typescript"] = _PLACES["typescriptreact"]
_TYPE_PLACES = (
    ("let a: ", " = b;\n"),
    ("type T = ", ";\n"),
    ("function f(a: ", ") {}\n"),
    ("class A extends B<", "> {}\n"),
    ("f<", ">(a);\n"),
)
_BLOCKS: dict[str, tuple[tuple[str, str], ...]] = {
    "python": (
        *(
            ("if x:\n", ""),
            ("def f():\n", ""),
            ("class A:\n", ""),
            ("try:\n", "except: pass\n"),
            ("with a:\n", ""),
            ("for a in b:\n", ""),
        ),
        *(("match a:\n", ""),),
    ),
    "go": (
        *(
            ("if x {\n", "}\n"),
            ("for {\n", "}\n"),
            ("{\n", "}\n"),
            ("func() {\n", "}()\n"),
            ("switch {\ncase x:\n", "}\n"),
        ),
        *(
            ("if x {\n} else ", ""),
            ("a := func() {\n", "}\n"),
            ("select {\ncase <-a:\n", "}\n"),
            ("go func() {\n", "}()\n"),
        ),
    ),
    "typescriptreact": (
        *(
            ("if (x) {\n", "}\n"),
            ("{", "}"),
            ("function f() {\n", "}\n"),
            ("class A { b() {\n", "} }\n"),
            ("if (x) ", ""),
            ("a: ", ""),
        ),
        *(
            ("switch (x) { case 1: ", "}\n"),
            ("try {\n", "} catch {}\n"),
            ("for (;;) ", ""),
            ("namespace A {", "}"),
            ("if (x) ; else ", ""),
        ),
        *(
            ("x = () => {\n", "}\n"),
            ("export default class { static {\n", "} }\n"),
            ("do ", " while (x)\n"),
            ("{ a: b => {\n", "} }\n"),
        ),
    ),
    "json": (),
}
_BLOCKS["javascript"] = _BLOCKS["typescript"] = _BLOCKS["typescriptreact"]
_PAIRS: dict[str, tuple[tuple[str, str], ...]] = {
    "python": _PYTHON,
    "go": _GO,
    "typescriptreact": (*_C_LIKE, *_JSX),
    "typescript": (*_C_LIKE, ("<A>", ""), ("a as ", "")),
    "javascript": (*_C_LIKE, *_JSX),
    "json": (("[", "]"), ('{"a": ', "}"), ('["a", ', "]"), ('[{"a": ', "}]")),
}


def constructs(language: str) -> Iterator[tuple[str, tuple[str, str], tuple[str, str]]]:
    """(description, the text around everything, the self-containing construct's text before and behind)."""
    places = _PLACES[language]
    for place in places:
        for pair in _PAIRS[language]:
            yield f"{place[0]!r} {pair}", place, pair
    if language.startswith("typescript"):
        for place in _TYPE_PLACES:
            for pair in _TYPES:
                yield f"{place[0]!r} {pair}", place, pair
    for pair in _BLOCKS[language]:
        head = ("package p\n\nfunc f() {\n", "}\n") if language == "go" else ("", "")
        yield f"block {pair}", head, pair


def nested(language: str, place: tuple[str, str], pair: tuple[str, str], depth: int) -> tuple[str, str]:
    """The text before the cursor and behind it."""
    head, tail = place
    before, behind = pair
    if language == "python" and before.endswith(":\n"):
        lines = [" " * at + before for at in range(depth)]
        ends = [" " * at + behind for at in reversed(range(depth)) if behind]
        return head + "".join(lines) + " " * depth + "x", "\n" + "".join(ends) + tail
    atom = "1" if language == "json" else "x"
    return head + before * depth + atom, behind * depth + tail


def nestings(language: str, depth: int) -> Iterator[tuple[str, str, str]]:
    """(description, left, right) of all constructs: closed, with a closer too few, and not closed."""
    for what, place, pair in constructs(language):
        left, right = nested(language, place, pair, depth)
        yield what, left, right
        if pair[1]:
            yield f"{what} open", left, place[1]
            yield f"{what} less", left, right[len(pair[1]) :]
