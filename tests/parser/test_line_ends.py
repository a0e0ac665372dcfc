"""Newlines as symbols: against an oracle that writes the symbols into the text and asks Lark."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import LarkError
from suture.parser.errors import GrammarError
from suture.parser.language import Language, load_language

GRAMMAR = r"""
start: (stmt ";")*
stmt: NAME "=" expr | "return" expr? | "if" expr "{" start "}" ["else" "{" start "}"] | call |
call: NAME "(" [expr ("," expr)* ","?] ")"
expr: expr "+" atom | atom
atom: NAME | NUMBER | call | "(" expr ")"
NAME: /[a-z]+/
NUMBER: /[0-9]+/
%ignore /[ \n]+/
%ignore /#[^\n]*/
%ignore /\/\*(.|\n)*?\*\//
"""
DIRECTIVE = '//@ newline ";" after NAME NUMBER ")" "}" "return"\n'
NO_END = """
start: item (";" item)*
item: NAME | "(" start ")" |
NAME: /[a-z]/
%ignore /[ \\n]/
"""
_SYMBOL = re.compile(r"(?P<arms>[a-z]+|[0-9]+|[)}])|(?P<blank>[ \n]+|#[^\n]*|/\*(?:.|\n)*?\*/)|(?P<other>.)")
_KEYWORDS = ("if", "else")
_PIECES = ("x", "ab", "if", "else", "return", "1", "=", "+", "(", ")", "{", "}", ",", ";", "\n", "\n", " ", "# c\n", "/* */", "/*\n*/", "\n\n")  # fmt: skip
_ENDS = ("\n", "\n", "\n\n", " \n ", " # c\n", "/*\n*/", " /* */ \n", " ; ")


def with_symbols(text: str) -> str:
    """The text with the symbols in place of its newlines, and of its end."""
    out, armed = "", False
    for found in _SYMBOL.finditer(text):
        if found["blank"] is None:
            armed = found["arms"] is not None and found[0] not in _KEYWORDS
            out += found[0]
        elif armed and "\n" in found[0]:
            out, armed = out + ";" + " ", False
        else:
            out += " "
    return out + (";" if armed else "")


def made(folder: Path, source: str) -> Language:
    path = folder / "own.lark"
    path.write_text(source)
    return load_language("own", path)


def agrees_with_lark(own: Language, base: Lark, text: str) -> bool:
    """Check that a text is valid exactly if it is with its symbols written out; return whether it is."""
    try:
        base.parse(with_symbols(text))
        expected = True
    except LarkError:
        expected = False
    hole = own.hole(text, "")
    assert (hole.viable and hole.state is not None and hole.state.complete) == expected, repr(text)
    return expected


def random_text(rng: random.Random) -> str:
    """Some statements, and symbols at random places in them."""
    lines = [
        "x = 1",
        "return",
        "return ab + 1",
        "if x {\n x = (ab)\n}",
        "f(1,\n 2,\n)",
        "if x {\n}  else {\n\n}",
        "",
        "# c",
        "x = /*\n*/ 1",
    ]
    text = rng.choice(lines)
    for _ in range(rng.randrange(3)):
        text += rng.choice(_ENDS) + rng.choice(lines)
    text += rng.choice(("", "\n", ";"))
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(_PIECES) + text[at + rng.randrange(2) :]
    return text


def test_newlines_count_as_the_oracle_says(tmp_path: Path) -> None:
    own, base = made(tmp_path, DIRECTIVE + GRAMMAR), Lark(GRAMMAR, parser="earley", lexer="basic")
    rng, accepted = random.Random(1), 0
    for _ in range(600):
        text = random_text(rng)
        if agrees_with_lark(own, base, text):
            accepted += 1
            start, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
            cut = own.hole(text[:start], text[end:])
            assert cut.state is not None and cut.viable
            middle = cut.state.advance(text[start:end])
            assert middle is not None and middle.complete
            for bridge in cut.state.bridges():
                base.parse(with_symbols(text[:start] + bridge + text[end:]))
    assert 150 < accepted < 500


def test_a_file_may_end_where_the_symbol_only_separates(tmp_path: Path) -> None:
    own = made(tmp_path, '//@ newline ";" after NAME ")"\n' + NO_END)
    base = Lark(NO_END, parser="earley", lexer="basic")
    rng = random.Random(2)
    for _ in range(400):
        text = "".join(rng.choice("ab();\n ") for _ in range(rng.randrange(8)))
        agrees_with_lark(own, base, text)


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        ('//@ newline "!" after NAME', 'line 1: no rule uses the terminal "!"'),
        ('//@ newline ";" after NAEM', "line 1: no rule uses the terminal NAEM"),
        ('//@ newline ";" NAME', "line 1: write it as `//@ newline"),
        ("//@ newline", "line 1: write it as `//@ newline"),
        (DIRECTIVE + DIRECTIVE.strip(), "line 1: only one `//@ newline` may stand"),
    ],
)
def test_what_is_wrong_with_a_directive_is_said(tmp_path: Path, directive: str, message: str) -> None:
    with pytest.raises(GrammarError, match=re.escape(message)):
        made(tmp_path, directive + "\n" + GRAMMAR)
