"""The symbols of lexers' states: values, with one state for each."""

from __future__ import annotations

import random

import pytest
from suture.parser import language
from suture.parser.glr.prefix import Engine
from suture.parser.languages.python.language import new_runtime
from suture.parser.token_masks.partition import TokenPartition

from ..support.inside import runtime_of

TEXT = r'''
x = 0x1f if f(1.5j, b'\x41', rf"{a!r:>{b}} \N{DASH}") else [y for y in z]  # why
class C:RETURN
TABdef f(self): return not x <= """
two""" \
TABTAB+ "" \
   # alone
'''.replace("TAB", "\t").replace("RETURN", "\r")


def engine_of(name: str) -> Engine:
    version = name.removeprefix("python ")
    return (runtime_of(language(name)) if version == name else new_runtime(version)).engine


@pytest.mark.parametrize(
    "name", ["python 3.8", "python 3.11", "python 3.14", "python 3.15", "go", "typescriptreact", "json"]
)
def test_each_symbol_has_one_state(name: str) -> None:
    engine = engine_of(name)  # it reads the fields of f-strings up to 3.11
    lexer = engine.lexer
    for at in range(len(TEXT)):
        lexer.step_text(lexer.start, TEXT[at:])
    for state in lexer.states:
        assert lexer.state_of(state.symbol) is state  # pyright: ignore[reportArgumentType]
    assert len({state.symbol for state in lexer.states}) == len(lexer.states) > 3


@pytest.mark.parametrize("version", ["3.11", "3.15"])
def test_states_worth_preparing_differ_in_their_names(version: str) -> None:
    partition = TokenPartition(new_runtime(version).engine, exact=False)
    assert len(partition.ordinary()) == len(partition.engine.lexer.ordinary()) > 100


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("x ", ""),
        ("x\r", ""),
        ("x", "a name or keyword"),
        ("1", "a number"),
        ("# x", "a comment"),
        ("'", "a string"),
        ("f'x", "the text of a string with fields"),
        ("f'{ ", ""),
    ],
)
def test_a_symbol_in_progress_is_called_by_its_name(text: str, words: str) -> None:
    lexer = engine_of("python 3.12").lexer
    state, _ = lexer.step_text(lexer.start, text)
    assert state is not None and lexer.in_words(state) == words


@pytest.mark.parametrize("name", ["python 3.8", "python 3.14", "python 3.15", "go", "typescript"])
def test_what_is_skipped_within_a_symbol_leaves_it_as_it_is(name: str) -> None:
    """Read character by character, the skipped text leads back to the state, without a terminal."""
    lexer, rng, skipped = engine_of(name).lexer, random.Random(1), 0
    openings = ["'", '"', "b'", 'r"', '"""', "'''", 'r"""', "b'''", "`", "/* ", "# ", "// "]
    for opening in openings * 40:
        state, tokens = lexer.step_text(lexer.start, opening)
        text = "".join(
            rng.choices(("a", " ", "'", '"', "\\", "\\x", "\\u", "0", "*", "/", "é", "\n", "\r", "`", "${"), k=30)
        )
        if state is not None and not tokens:
            end = lexer.skip_loop(state, text, 0)
            skipped += end
            assert lexer.step_text(state, text[:end]) == (state, ()), (opening, text[:end])
    assert skipped > 100


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("it's \"so\"\n''' x", "''' x"),
        ("a''b''''", "''''"),
        ("''\\'''", "''"),
        ("'\\x4g", "'\\x4g"),
        ("\\x4f'\\", "'\\"),
    ],
)
def test_quotes_that_do_not_end_a_string_are_skipped(text: str, rest: str) -> None:
    lexer = engine_of("python 3.14").lexer
    state, _ = lexer.step_text(lexer.start, "'''")
    assert state is not None and text[lexer.skip_loop(state, text, 0) :] == rest
