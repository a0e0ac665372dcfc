"""Nothing is shown if the cursor cuts a symbol in two, asked or unasked."""

from __future__ import annotations

import random

import pytest
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.cut import cuts_symbol, in_number
from suture.lsp_server.completion.engine.silence import unanswered, why_silent
from suture.lsp_server.completion.judging.hidden import Reason
from suture.lsp_server.settings.spec import Settings
from suture.parser import Hole, language

NUMBERS = (
    "8080", "0x1F", "3.14", ".5", "1e10", "1e-5", "1_000", "0b101", "0o17", "1.5e+3", "10n", "2.5f", "0xFFu8", "1_0.5", "6.02E23",
)  # fmt: skip
AROUND = {
    "python": ("x = ", "\n"),
    "go": ("package p\n\nvar x = ", "\n"),
    "typescript": ("x = [", "];\n"),
    "json": ('{"a": ', "}\n"),
    "rust": ("fn f() { g(", ") }\n"),
    "plaintext": ("port ", " is free\n"),
}


def place(left: str, right: str, name: str) -> CursorContext:
    return CursorContext(f"file:///a.{name}", name, left + right, len(left))


def silent(left: str, right: str, name: str) -> Reason | None:
    """The reason why nothing is shown to a user who asks; None if something may be."""

    def hole(at: CursorContext) -> Hole:
        return language(name).hole(at.text[: at.offset], at.text[at.offset :])

    hidden = why_silent(place(left, right, name), Settings(), hole, is_small=False)
    return None if hidden is None else hidden.reason


@pytest.mark.parametrize("name", AROUND)
@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_is_shown_inside_a_number(name: str, number: str) -> None:
    """`80|80` became 80080."""
    before, behind = AROUND[name]
    for at in range(1, len(number)):
        left, right = before + number[:at], number[at:] + behind
        for asked in (True, False):
            hidden = unanswered(place(left, right, name), asked)
            assert hidden is not None and hidden.reason is Reason.IN_WORD, left
        assert in_number(left + right, len(left))
    for left, right in ((before, number + behind), (before + number, behind)):
        assert unanswered(place(left, right, name), True) is None, left
    assert not in_number(before + number + behind, len(before))


@pytest.mark.parametrize(
    "marked",
    [
        "a.|1",
        "a1.|b",
        "0..|10",
        "0.|.10",
        "x|1.5",
        "1 |2",
        "1|, 2",
        "f(1|)",
        "[1|:2]",
        "1|-2",
        "1 +|2",
        "a|.5 ",
        "v1|.2.3",
    ],
)
def test_what_stands_beside_a_number_is_none(marked: str) -> None:
    left, right = marked.split("|")
    assert not in_number(left + right, len(left))


GO = "package p\n\nfunc f(a, b int) {\n\t"
CUT = [
    *(
        ("python", text)
        for text in ("x = a *|* b\n", "x = a =|= b\n", "x = a !|= b\n", "x = a /|/ b\n", "x +|= 1\n", "x //|= 2\n")
    ),
    *(
        ("python", text)
        for text in ("def f() -|> int: pass\n", "if (a :|= b): pass\n", "f(*|*a)\n", "x = a <|< b\n", "x = a >|> b\n")
    ),
    *(
        ("python", text)
        for text in ('x = f|"a"\n', "x = rb|'a'\n", "def f(a): .|..\n", 'x = "|""a"""\n', "x = '|''a'''\n")
    ),
    *(
        ("go", GO + text + "\n}\n")
        for text in ("x :|= 1", "x := a &|& b", "x := a <|< b", "a +|+", "c <|- 1", "f(a.|..)", "a &^|= b")
    ),
    *(
        ("typescript", text)
        for text in ("x = a =|== b;\n", "x = a ==|= b;\n", "x = a ?|? b;\n", "x = a?|.b;\n", "x = (a) =|> b;\n")
    ),
    *(("typescript", text) for text in ("x = [..|.a];\n", "x = a \xa6|\xa6 b;\n", "a +|+;\n", "x = a *|* b;\n")),
]
WHOLE = [
    *(
        ("python", text)
        for text in (
            "x = a|\n",
            "x = a |* b\n",
            "x = a *| b\n",
            "f(|)\n",
            "x = a[1:|:2]\n",
            'x = "|"\n',
            'x = """|"""\n',
        )
    ),
    *(("python", text) for text in ("x = 'a =|= b'\n", 'f(|"a")\n', "x = - |-a\n", "x = a.|b\n", "x = [|]\n")),
    *(
        ("typescript", text)
        for text in ("let x: A<B<c|>>;\n", "let x: A<B<c>|>;\n", "x = f|`a`;\n", "x = {|};\n", "x = a |? b : c;\n")
    ),
    *(
        ("typescriptreact", text)
        for text in ("x = <a b=|></a>;\n", "x = <a>|</a>;\n", "x = <|></>;\n", "x = <>|</>;\n")
    ),
    ("rust", "fn f() { g(\xa6|\xa6 x) }\n"),
    ("python", "x =|= \n"),
]


def at_mark(text: str) -> tuple[str, str]:
    left, _, right = text.partition("|")
    return left.replace("\xa6", "|"), right.replace("\xa6", "|")


@pytest.mark.parametrize(("name", "text"), CUT)
def test_nothing_is_shown_inside_an_operator_or_the_quotes_of_a_string(name: str, text: str) -> None:
    left, right = at_mark(text)
    assert cuts_symbol(left + right, len(left))
    assert silent(left, right, name) is Reason.IN_WORD


@pytest.mark.parametrize(("name", "text"), WHOLE)
def test_between_two_symbols_something_may_be_shown(name: str, text: str) -> None:
    if name == "rust":
        pytest.importorskip("tree_sitter_rust")
    left, right = at_mark(text)
    assert silent(left, right, name) is not Reason.IN_WORD


def test_long_lines_take_no_time() -> None:
    rng = random.Random(1)
    text = "".join(rng.choice("0123456789.e-+*=<>'\"") for _ in range(400_000))
    for offset in rng.sample(range(len(text)), 300):
        in_number(text, offset)
        cuts_symbol(text, offset)


def test_a_comment_is_recognised_by_syntax_alone() -> None:
    """What names mean there takes longer to find."""
    levels: list[str | None] = []

    def hole(at: CursorContext) -> Hole:
        levels.append(at.level)
        return language(at.language).hole(at.text[: at.offset], at.text[at.offset :])

    for left, reason in (("x = 1\n# a", Reason.PROSE), ("x = ", None)):
        hidden = why_silent(place(left, "\n", "python"), Settings(), hole, is_small=True)
        assert (None if hidden is None else hidden.reason) is reason
    assert levels == ["syntax", "syntax"]
