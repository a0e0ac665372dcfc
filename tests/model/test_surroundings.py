"""Texts end before a copy of the text behind the hole, and holes of whole lines get whole lines."""

from dataclasses import replace

import pytest
from suture import parser
from suture.model import Model, Options, candidates, complete, load
from suture.model.decoding.surroundings import surroundings

from ..support.modelzoo import bytelevel, save_model
from ..support.scripted import PLAIN, Scripted, check, scripted

OPTIONS = replace(PLAIN, max_tokens=60, heal=True)
HEAD = "def f(x):\n"


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


def written(llama: Model, text: str, left: str, right: str, options: Options = OPTIONS) -> tuple[str, str]:
    """The text left of the model's intended one, and its kind of end."""
    model = replace(llama, runtime=Scripted(llama, text))
    hole = parser.language("python").hole(left, right)
    assert hole.state is not None
    shown = ""

    def on_text(piece: str) -> None:
        nonlocal shown
        shown += piece

    def on_cut(kept: int) -> None:
        nonlocal shown
        shown = shown[:kept]

    done = complete(model, hole.state, left, right, options, on_text=on_text, on_cut=on_cut)
    assert done.complete and shown == done.text
    first = candidates(replace(llama, runtime=Scripted(llama, text)), hole.state, left, right, options, n=1)[0]
    assert first.text == done.text
    return done.text, done.ended


@pytest.mark.parametrize(
    ("right", "text", "kept"),
    [
        # The rest of the function again, and more.
        ("    return total\n", "    total = x\n    return total\n\n# Try it\nf(1)\n", "    total = x\n"),
        ("\n    return total\n", "    total = x\n    return total\n# Try it\n", "    total = x"),
        ("\n    return total\n", "    total = x\n    return total", "    total = x"),  # and then its end
        ("\n    y = total\n    return y\n", "    total = x\n    y = total\n    return y\n    z\n", "    total = x"),
    ],
)
def test_a_text_ends_before_a_copy_of_what_follows(llama: Model, right: str, text: str, kept: str) -> None:
    assert written(llama, text, HEAD, right) == (kept, "earlier")


@pytest.mark.parametrize(
    ("right", "text"),
    [
        ("\n    y = total\n    return y\n", "    total = x\n    y = total\n    return x"),  # one line of several
        ("\n    return 0\n", "    if x:\n        return 0\n    x = 1"),  # at another depth
        ("\n    g()\n", "    h()\n    g()\n    h()"),  # says too little
    ],
)
def test_lines_that_happen_to_be_equal_end_nothing(llama: Model, right: str, text: str) -> None:
    assert written(llama, text, HEAD, right) == (text, "model")


def test_a_copy_that_the_text_needs_is_kept(llama: Model) -> None:
    """Before the copy, a bracket is open, and only the copy closes it."""
    said = "(a\nx)\nlonger line two\n"
    result = check(scripted(llama, said), "f(", "\nx)\nlonger line two\n", PLAIN)
    assert result.text.startswith("(a\nx)")


def test_a_copy_alone_is_a_text(llama: Model) -> None:
    """Nothing would be left of it."""
    text = "    total = x * 2"
    assert written(llama, text, HEAD, "\n" + text + "\n") == (text, "model")


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("def f(x):\n    if x:\n", "    return 0\n", "        return 1\n"),
        ("def f(x):\n if x:\n", " return 0\n", "  return 1\n"),
        (HEAD, "    y = 1\n", "    x = y\n"),
    ],
)
def test_a_symbol_that_follows_in_the_next_line_ends_nothing(llama: Model, left: str, right: str, text: str) -> None:
    """The text itself continues with the symbol behind the right context's blanks."""
    assert written(llama, text, left, right) == (text, "model")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "    if x:\n        z = 1\n    ",
            "    if x:\n        z = 1\n",
        ),  # the blanks would draw the next line into the block
        ("    for i in x:\n        i = 1", "    for i in x:\n        i = 1\n"),
        ("    for i in x:", "    for i in x:"),  # its body is the line behind it: with a newline it would have none
    ],
)
def test_a_hole_of_whole_lines_gets_whole_lines(llama: Model, text: str, kept: str) -> None:
    assert written(llama, text, HEAD, "    y = 1\n")[0] == kept


def test_a_limit_of_lines_is_kept(llama: Model) -> None:
    assert written(llama, "    pass;", HEAD, "    y = 1\n", replace(OPTIONS, max_lines=0))[0].count("\n") == 0


@pytest.mark.parametrize(
    ("left", "right", "text", "whole"),
    [
        ("a\n", "    b\n", "  c", "  c\n"),
        ("a\r\n", "\tb\r\n", "\tc\t", "\tc\r\n"),
        ("a\n", "    b\n", "c\n   ", "c\n"),
        ("a\n", "    b\n", "  ", ""),
        ("a\n", " = b\n", "c", "c"),  # the rest of a line
        ("a\n", "\n    b\n", "c", "c"),
        ("a\n    ", "    b\n", "c", "c"),
        ("", "    b\n", "c", "c"),
    ],
)
def test_whole_lines(left: str, right: str, text: str, whole: str) -> None:
    assert surroundings(left, right).as_whole_lines(text) == whole


@pytest.mark.parametrize(
    ("left", "right", "text", "ends"),
    [
        ("if a:\n    b = ", "  c\n", "d", ("\n  ",)),  # as the line above is indented
        ("if a:\n    if b:\n        c = ", "  d\n", "e", ("\n      ", "\n  ")),  # as one of the lines above
        ("if a:\n    if b:\n        c = ", "      d\n", "e", ("\n  ",)),
        ("if a:\r\n\tb = ", "\tc\r\n", "d", ("\r\n",)),
        ("if a:\n    b = ", "  c\n", "d\n", ("  ",)),
        ("if a:\n    b = ", "  c\n", "d\n ", ()),  # an indentation is begun
        ("if a:\n    b = ", "  \n", "d", ()),
        ("if a:\n    b = ", "c\n", "d", ()),
        ("a\n", "    b\n", "c", ("\n",)),  # a hole of whole lines
        ("a\n", "    b\n", "c\n  ", ()),
    ],
)
def test_a_line_ends_within_the_indentation_of_what_follows(
    left: str, right: str, text: str, ends: tuple[str, ...]
) -> None:
    assert surroundings(left, right).line_ends(text) == ends


@pytest.mark.parametrize(
    ("right", "kept"),
    [
        ("  return y\n", "x()\n      "),  # as the line itself: the model has no opinion
        ("      z()\n    return y\n", "x()\n  "),
        (" + z()\n", "x()"),  # one blank is hardly ever a part of an indentation
    ],
)
def test_a_hole_that_ends_within_an_indentation_gets_the_rest_of_it(llama: Model, right: str, kept: str) -> None:
    """The model ends its line, as it would if the right context had all of its indentation; it spells the last blank again."""
    assert written(llama, " x()", HEAD + "    if x:\n        x()\n        y = ", right) == (kept, "model")
