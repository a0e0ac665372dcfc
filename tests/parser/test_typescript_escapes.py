"""Escapes in names of TypeScript and JavaScript: refused where they stand for no letter, as soon as none can follow."""

import random
import unicodedata

import pytest
from suture.parser.hole import State
from suture.parser.language import language

from ..support import oracle_typescript as oracle

HOLES = ("let |", "a.|", "({|: 1})", "class A { #| = 1 }")
TEXTS = {
    r"\u0061": True, r"a\u0030b": True, r"\u{61}": True, r"\u{000061}\u{30}": True, r"\u{20BB7}": True, r"a\u{e0100}": True,
    r"\u0000": False, r"\u0030": False, r"a\u0020": False, r"a\u{20}": False, r"\u{10ffff}": False, r"\ud842\udfb7": False, r"\u00b2": False,
}  # fmt: skip


def typed(name: str, marked: str, text: str) -> bool:
    """Whether a text, written character by character, completes a hole."""
    left, right = marked.split("|")
    state = language(name).session().hole(left + right, len(left), level="compile", exact=True).state
    for char in text:
        state = state.advance(char) if isinstance(state, State) else None
    return isinstance(state, State) and state.complete


@pytest.mark.parametrize("name", ["typescript", "javascript"])
@pytest.mark.parametrize("marked", HOLES)
@pytest.mark.parametrize("text", TEXTS)
def test_an_escape_stands_for_a_letter(name: str, marked: str, text: str):
    assert typed(name, marked, text) == TEXTS[text]
    left, right = marked.split("|")
    whole = language(name).session().hole(left + text + right, len(left + text + right), level="compile", exact=True)
    assert (isinstance(whole.state, State) and whole.state.complete) == TEXTS[text]


@pytest.mark.parametrize(
    ("text", "lives"),
    [(r"\u", True), (r"\u006", True), (r"\u000", False), (r"\u218", True), (r"\u219", False), (r"\u2192", False), (r"\u{", True), (r"\u{e010", False)],
)  # fmt: skip
def test_no_escape_is_begun_that_no_letter_ends(text: str, lives: bool):
    state = language("typescript").session().hole("let  = 1", 4, level="compile").state
    assert isinstance(state, State)
    assert (state.advance(text) is not None) == lives


def test_strings_and_comments_may_have_any():
    for text in (r"let a = '\u0000'", r"let a = `\u0000`", r"let a = /\u0000/", r"// \u0000", r"/* \u0000"):
        assert typed("typescript", "|", text) == (text[:2] != "/*")


@pytest.mark.skipif(oracle.missing() is not None, reason=str(oracle.missing()))
@pytest.mark.parametrize(("name", "dialect"), [("typescript", "ts"), ("javascript", "js")])
def test_random_escapes_are_judged_as_by_another_parser(name: str, dialect: str):
    rng = random.Random(4)
    accepted = 0
    for _ in range(150):
        point = rng.choice((rng.randrange(0x100), rng.randrange(0x3100), rng.randrange(0x20000)))
        if unicodedata.category(chr(point)) == "Cn":  # perhaps a letter of newer tables
            continue
        four = point < 0x10000 and rng.random() < 0.5
        escape = f"\\u{point:04x}" if four else f"\\u{{{'0' * rng.randrange(3)}{point:X}}}"
        marked, word = rng.choice(HOLES), rng.choice(("", "a", "$b")) + escape + rng.choice(("", "c"))
        text = marked.replace("|", word)
        valid = oracle.parses(text, dialect)
        accepted += valid
        assert typed(name, marked, word) == valid, text
    assert 20 < accepted < 130
