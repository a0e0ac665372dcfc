"""Grammars like those of users, in data/grammars, each with a text: against Lark itself, and every short gap is bridged."""

import random
from functools import cache
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import LarkError
from suture.parser import Language, language, load_language
from suture.parser.languages.generic.language import CompletabilityCache

from ..support.inside import runtime_of
from ..support.work import calls

FOLDER = Path(__file__).parents[1] / "data" / "grammars"
NAMES = sorted(path.stem for path in FOLDER.glob("*.lark"))


@cache
def grammar(name: str) -> Language:
    return load_language(name, FOLDER / f"{name}.lark")


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@cache
def tokens_of(name: str) -> tuple[tuple[int, int], ...]:
    """The beginning and end of each of the text's symbols, by Lark's basic lexer."""
    lark = Lark((FOLDER / f"{name}.lark").read_text(encoding="utf-8"), parser="earley", lexer="basic")
    return tuple((token.start_pos or 0, token.end_pos or 0) for token in lark.lex(text_of(name)))


def accepted(name: str, text: str, at: int) -> bool:
    found = grammar(name).hole(text[:at], text[at:])
    return found.viable and found.state is not None and found.state.complete


def test_there_are_ten() -> None:
    assert len(NAMES) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_what_is_accepted_is_what_lark_accepts(name: str) -> None:
    text, rng, tokens = text_of(name), random.Random(1), tokens_of(name)
    oracle = Lark((FOLDER / f"{name}.lark").read_text(encoding="utf-8"), parser="earley", lexer="basic")
    assert accepted(name, text, len(text) // 2)
    size = 12
    for _ in range(5):
        at = rng.randrange(max(1, len(tokens) - size))
        begin, end = tokens[at][0], tokens[min(len(tokens) - 1, at + size)][1]
        other = rng.choice(tokens)
        cut = rng.choice(tokens)
        mutant = text[: cut[0]] + rng.choice(("", text[other[0] : other[1]])) + text[cut[1] :]
        for piece in (text[begin:end], mutant):
            assert accepted(name, piece, rng.randrange(len(piece) + 1)) == _parses(oracle, piece), piece


def _parses(oracle: Lark, text: str) -> bool:
    try:
        oracle.parse(text)
    except LarkError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_the_original_middle_is_accepted(name: str) -> None:
    text, rng, session = text_of(name), random.Random(2), grammar(name).session()
    for _ in range(25):
        begin = rng.randrange(len(text))
        end = min(len(text), begin + rng.randrange(1, 80))
        found = session.hole(text[:begin] + text[end:], begin)
        state = found.state
        assert found.viable
        for char in text[begin:end]:
            state = state.advance(char) if state is not None else None
        assert state is not None and state.complete, (begin, end)


@pytest.mark.parametrize("name", NAMES)
def test_gaps_of_up_to_three_symbols_are_bridged(name: str) -> None:
    text, rng, tokens, session = text_of(name), random.Random(3), tokens_of(name), grammar(name).session()
    for _ in range(12):
        at = rng.randrange(len(tokens))
        begin, end = tokens[at][0], tokens[min(len(tokens) - 1, at + rng.randrange(3))][1]
        state = session.hole(text[:begin] + text[end:], begin).state
        assert state is not None
        bridges = state.bridges()
        assert bridges, (text[max(0, begin - 40) : begin], text[begin:end], text[end : end + 40])
        for bridge in bridges:
            assert accepted(name, text[:begin] + bridge + text[end:], begin)


@pytest.mark.parametrize(
    ("left", "right"),
    [("a 1; # c", " b;\n"), ("http { # typ", "isten 8080;\n}\n"), ("a { # x", "}\n")],
)
def test_a_comment_to_the_end_of_the_line_is_ended(left: str, right: str) -> None:
    state = grammar("config").hole(left, right).state
    assert state is not None and state.bridges()


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("graphql", "query {\n  a(b: {c: [D]", ".. on User { name }\n}\n"),  # the end of an operator of three signs
        ("toml", "[", ":32:00 # date\n"),  # of a symbol that must be begun
        ("toml", "born = 1979", "07:32:00\n"),  # the middle of one
        ("toml", "[owner]\nb", "05-27T07:32:00\n"),
        ("toml", "[owner]\n", "-05-27T07:32:00\n"),
        ("minic", "void f() {\n    ", "/);\n}\n"),
    ],
)
def test_symbols_that_the_right_context_ends_are_begun(name: str, left: str, right: str) -> None:
    state = grammar(name).hole(left, right).state
    assert state is not None
    bridges = state.bridges()
    assert bridges
    oracle = Lark((FOLDER / f"{name}.lark").read_text(encoding="utf-8"), parser="earley", lexer="basic")
    for bridge in bridges:
        assert _parses(oracle, left + bridge + right), bridge


@pytest.mark.parametrize("name", ["css", "toml"])
def test_lists_stay_lists_with_the_contextual_lexer(name: str, tmp_path: Path) -> None:
    source = "//@ lexer contextual\n" + (FOLDER / f"{name}.lark").read_text(encoding="utf-8")
    path = tmp_path / f"{name}.lark"
    path.write_text(source, encoding="utf-8")
    own, text, rng = load_language(f"contextual {name}", path), text_of(name), random.Random(4)
    oracle, session = Lark(source, parser="lalr"), own.session()
    guide = runtime_of(own).bridging
    assert (
        isinstance(guide, CompletabilityCache) and guide.closure.anchors
    )  # decided from each side alone, in milliseconds
    for _ in range(12):
        begin = rng.randrange(len(text))
        end = min(len(text), begin + rng.randrange(1, 40))
        left, right = text[:begin], text[end:]
        found = session.hole(left + right, begin)
        assert found.viable and found.state is not None
        state = found.state.advance(text[begin:end])
        assert state is not None and state.complete
        bridges = found.state.bridges()
        assert bridges and all(_parses(oracle, left + bridge + right) for bridge in bridges)


def test_two_terminals_may_be_the_same_bracket(tmp_path: Path) -> None:
    path = tmp_path / "own.lark"
    path.write_text(
        'start: (_L NAME _R | "x" _OTHER NAME _R)+\n_L: "("\n_OTHER: "("\n_R: ")"\nNAME: /[a-z]+/\n', encoding="utf-8"
    )
    state = load_language("own", path).hole("(a)(", ")").state  # one of the two is never read, as in Lark
    assert state is not None and state.bridges()


def test_the_first_key_in_an_edited_document_does_not_wait() -> None:
    session, text = language("json").session(), '{"a": [1, 2], "b": [3, 4]}'
    work: list[int] = []
    for at in (text.index("2"), text.index("4")):  # the second hole is that of a document under edit
        state = session.hole(text, at).state
        assert state is not None
        count, after = calls(lambda state=state: state.advance("[5, "))
        assert after is not None
        work.append(count)
    assert work[1] * 5 < work[0], work
