"""The parser of logical lines takes any tokens: it refuses those that are not Python, and nothing breaks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from suture.parser.languages.python.semantics.contents import Dialect
from suture.parser.languages.python.semantics.line_parser import LineParser
from suture.parser.languages.python.semantics.line_reader import read_line
from suture.parser.languages.python.semantics.line_values import Line
from suture.parser.languages.python.semantics.lines import parse_file
from suture.parser.languages.python.semantics.queries import names_read
from suture.parser.languages.python.semantics.scopes import content_of
from suture.parser.languages.python.semantics.tokens import NEWLINE, START, Token, lex
from suture.parser.scoping.verdicts import Refused

_SIGNS: tuple[str, ...] = (
    *[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        'f"',
        '"f',
        "{f",
        "}f",
        ":f",
        "!f",
        "=",
        ":=",
        ":",
        "->",
        "+=",
        "*",
        "**",
        ",",
        ".",
        ";",
        "@",
        "~",
        "not",
        "is",
        "in",
        "if",
        "else",
        "lambda",
        "for",
        "async",
        "await",
        "yield",
        "from",
    ],
    *[
        "as",
        "with",
        "match",
        "case",
        "type",
        "def",
        "class",
        "import",
        "global",
        "except",
        "del",
        "return",
        "raise",
        "None",
        "__debug__",
        "x",
        "y",
    ],
    *('"x"', "#1"),
)
_PAIRS = (("(", ")"), ("[", "]"), ("f(", ")"), ("{1: ", "}"), ("[x for x in ", "]"), ("lambda: ", ""), ('f"{', '}"'))


def _lines() -> list[list[Token]]:
    """The logical lines of the parser's own sources."""
    folder = Path(__file__).parents[2] / "parser/languages/python/semantics"
    found: list[list[Token]] = [[]]
    for path in sorted(folder.glob("*.py")):
        for token in lex(START, path.read_text(encoding="utf-8"), end=True)[0]:
            if token == NEWLINE:
                found.append([])
            elif isinstance(token, str):
                found[-1].append(token)
    return [line for line in found if 0 < len(line) < 60]


def _fed(tokens: Sequence[Token]) -> Line | None:
    """A line read token by token; None if it is refused."""
    parser = LineParser(0)
    try:
        for token in (*tokens, NEWLINE):
            parser.feed(str(token))
    except Refused:
        return None
    return parser.line


@pytest.mark.parametrize("tokens", [["a", "b", "=", "="] * 500, ["for", "a"] * 500, ["x", "=", *["a", ":"] * 500]])
def test_a_line_with_many_faults_is_read_the_same_in_both_ways(tokens: list[str]) -> None:
    line = read_line([0, *tokens, NEWLINE])
    assert line is not None and line == _fed(tokens)


@pytest.mark.parametrize("seed", range(3))
def test_tokens_in_any_order_are_read_or_refused(seed: int) -> None:
    rng, lines = random.Random(seed), _lines()
    read = 0
    for _ in range(1_500):
        tokens = [*rng.choice(lines)]
        for _ in range(rng.choice((1, 1, 2, 3, 6))):
            at = rng.randrange(len(tokens) + 1)
            kind = rng.random()
            if kind < 0.4:
                tokens.insert(at, rng.choice(_SIGNS))
            elif kind < 0.7:
                del tokens[at : at + 1]
            elif kind < 0.8:
                del tokens[:at]
            else:
                tokens[at : at + 1] = rng.choice(((rng.choice(_SIGNS),), rng.choice(lines)))
        line = read_line([0, *tokens, NEWLINE])
        assert line == _fed(tokens)
        if line is not None:
            content_of(line, Dialect((3, 12)))
            read += 1
    assert 500 < read < 1_500


@pytest.mark.parametrize(
    "text",
    ["async return\n", "async x\n"],
)
def test_tokens_that_no_statement_has_are_refused(text: str) -> None:
    parser = LineParser(0)
    with pytest.raises(Refused):
        for token in lex(START, text)[0][1:]:
            parser.feed(str(token))


@pytest.mark.parametrize("text", ["x = " + "(" * 2_000, "del " + "[" * 2_000, "f(" * 1_000, "lambda: " * 1_000])
def test_a_line_in_progress_is_no_bottomless_one(text: str) -> None:
    parser = LineParser(0)
    with pytest.raises(Refused):
        for token in lex(START, text)[0][1:]:
            parser.feed(str(token))


@pytest.mark.parametrize("text", ["import use", "from use import a", "def f[use, T]("])
def test_words_that_name_operations_are_no_reads(text: str) -> None:
    parser = LineParser(0)
    for token in lex(START, f"{text} ")[0][1:]:
        parser.feed(str(token))
    assert not names_read(parser)


@pytest.mark.parametrize("text", ["except E async: x\n", "for x in y async: x\n", "if x async: x\n"])
def test_a_stray_word_makes_no_header_asynchronous(text: str) -> None:
    line = read_line(lex(START, text)[0])
    assert line is not None and line.header is not None
    assert not line.header.is_async and not line.header.star


@pytest.mark.parametrize("opening, closing", _PAIRS)
@pytest.mark.parametrize("form", ["q = {}\n", "for x[{}] in y: q = 1\n", "x[{}] = q = 3\n", "del x[{}]; q = 1\n"])
def test_deep_lines_are_read_and_bottomless_ones_are_not(opening: str, closing: str, form: str) -> None:
    def within(depth: int, calls: int) -> bool:
        if calls:
            return within(depth, calls - 1)
        text = form.format(opening * depth + "x" + closing * depth)
        return "q" in parse_file(text, Dialect((3, 12))).binds

    assert within(100, 100)
    assert not within(20_000, 100)
