"""The end of a text: the places where the model would end, or continue with the text behind the hole, are compared."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from suture import parser
from suture.model import Completion, Model, Options, complete, load
from suture.model.decoding.onward import Onward, behind, followed, told
from suture.model.decoding.row import Row
from suture.model.decoding.surroundings import surroundings

from ..support.modelzoo import bytelevel, save_model
from ..support.scripted import Scripted

HEAD = "def f(x):\n    x()\n"
TABBED = "def f(x):\n\tx()\n"
OPTIONS = Options(heal=False, max_tokens=40)


@dataclass
class Wavering(Scripted):
    """Says its text, and at some steps would with some probabilities have said other characters."""

    others: dict[int, dict[str, float]] = field(default_factory=dict[int, dict[str, float]])

    def _logits(self) -> np.ndarray:
        logits = super()._logits()
        for char, probability in self.others.get(len(self.sequence) - self.start, {}).items():
            logits[self.inner.vocabulary.encode(char)[0]] = math.log(probability)
        return logits


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


def written(llama: Model, runtime: Scripted, right: str, left: str = HEAD) -> Completion:
    """A complete text."""
    state = parser.language("python").hole(left, right).state
    assert state is not None
    found = complete(replace(llama, runtime=runtime), state, left, right, OPTIONS)
    after = state.advance(found.text)
    assert found.complete and after is not None and after.complete
    return found


@pytest.mark.parametrize(
    ("right", "seen"),
    [
        ("    z()\n    w()\n", "    z()"),
        ("\n\n  z()", "\n\n  z()"),
        (")\n", ")"),
        ("\n  \n", ""),
        ("", ""),
        ("z" * 80, "z" * 60),
        ("a\r\nb", "a"),
    ],
)
def test_what_stands_behind(right: str, seen: str) -> None:
    assert behind(right) == seen


def test_a_line_is_followed_to_where_the_walk_differs() -> None:
    logits = np.full(10, -np.inf, np.float32)
    logits[[3, 4]] = math.log(0.75), math.log(0.25)
    row = Row(logits)
    begun = told(Onward(0, (3, 4, 5), blank=1), row)
    assert begun.log_prob == pytest.approx(math.log(0.75)) and not begun.says_something
    on = followed(begun, 3)
    assert on is not None and on.rest == (4, 5)
    said = told(on, row)
    assert said.log_prob == pytest.approx(math.log(0.75 * 0.25)) and said.says_something
    assert followed(said, 3) is None  # another token than the line has
    last = followed(said, 4)
    assert last is not None and followed(last, 5) is None  # all has been followed
    assert told(last, row).log_prob < -10  # a token missing in a row is improbable, not impossible


def test_a_text_ends_where_the_model_would_go_on_with_what_follows(llama: Model) -> None:
    """It never wants to end; after the first line, it would rather have written the right context than after the second."""
    says = "".join(f"\t{name}()\n" for name in "abcdefghij")  # more than the budget, a token for each character
    likely, unlikely = {6: {"z": 0.2}}, {6: {"z": 0.001}, 11: {"z": 0.2}}
    assert written(llama, Wavering(llama, says, others=likely), "\tz(1)\n", TABBED).text == "\ta()\n"
    assert written(llama, Wavering(llama, says, others=unlikely), "\tz(1)\n", TABBED).text == "\ta()\n\tb()\n"


def test_a_line_that_nothing_follows_is_written_to_its_end(llama: Model) -> None:
    """A place within it where the model would rather have ended is no end, though the file would be complete there."""
    says = "\tabc()\n" * 2 + "\td(" + "e" * 40
    assert written(llama, Scripted(llama, says, ends={4: -1.0}), "\tz()\n", TABBED).text == "\tabc()\n\tabc()\n"


def test_a_line_may_end_within_a_token(llama: Model) -> None:
    """A token that ends a line and indents the next passes the only place with a complete file; no bridge is needed."""
    found = written(llama, Scripted(llama, "    a()\n    b(" + "[" * 60), "    z()\n")
    assert (found.text, found.ended) == ("    a()\n", "earlier")


def test_an_indentation_may_end_within_a_token(llama: Model) -> None:
    """The model writes all blanks of the following line in one token; its own text ends before them."""
    says = "a()\n    z()\n    b(" + "[" * 60
    found = written(llama, Scripted(llama, says), "  z()\n", HEAD + "    y = ")
    assert (found.text, found.ended) == ("a()\n  ", "earlier")


def test_to_leave_the_hole_is_one_end_among_others(llama: Model) -> None:
    says = "\ta()\n\tb()\ndef g():\n\treturn 1\n"
    assert written(llama, Scripted(llama, says, ends={10: -3.0}), "\tz()\n", TABBED).text == "\ta()\n\tb()\n"
    assert written(llama, Scripted(llama, says, ends={5: -3.0}), "\tz()\n", TABBED).text == "\ta()\n"


def test_a_blank_line_gets_a_text(llama: Model) -> None:
    """Without one the line would stay blank; within a line, an empty text may be right."""
    assert written(llama, Scripted(llama, ""), "    z()\n").text.strip()
    assert written(llama, Scripted(llama, ""), "\n    z()\n", HEAD + "    ").text.strip()
    assert written(llama, Scripted(llama, ""), ")\n    z()\n", HEAD + "    y(").text == ""


def test_a_blank_line_gets_a_text_though_the_model_would_go_on_to_the_next(llama: Model) -> None:
    left, right = HEAD + "    ", "\n    z()\n"
    state = parser.language("python").hole(left, right).state
    assert state is not None
    says = Wavering(llama, "\nb", others={0: {"a": 0.3}})
    found = complete(replace(llama, runtime=says), state, left, right, replace(OPTIONS, max_lines=0))
    assert (found.text, found.ended) == ("ab", "model")


def test_a_corner_does_not_leave_a_line_blank(llama: Model) -> None:
    """Behind blanks the model is sure of a refused text; an end before them would be likelier than any possible text."""
    says = Scripted(llama, "    )" + "a()\n" * 20, ends={0: -1.0})
    assert written(llama, says, "    z()\n").text.strip()


def test_blanks_that_draw_the_next_line_into_a_block_are_no_text(llama: Model) -> None:
    """The model wants to end where a block lacks its body, and blanks would make the right context that body."""
    says = Scripted(llama, "        pass\n", ends={0: 1.0})
    assert written(llama, says, "    z()\n", HEAD + "    if x:\n").text == "        pass\n"


@pytest.mark.parametrize(
    ("left", "right", "text", "jumps"),
    [
        (HEAD, "    y()\n", "    return", True),
        (HEAD, "    y()\n", "    a()\n    raise", True),
        (HEAD + "    ", "\n    y()\n", "return", True),
        (HEAD, "    y()\n", "    if a:\n        return", False),  # in a block of its own
        (HEAD, "    y()\n", "    returned", False),
        (HEAD, "\ndef g():\n", "    return", False),
        ("if a:\n    b()\n", "else:\n", "return", False),  # a clause is no code behind it
        (HEAD + "    y = ", "\n    y()\n", "return", False),  # the hole is within a line
    ],
)
def test_a_jump_before_code_of_the_same_block(left: str, right: str, text: str, jumps: bool) -> None:
    assert surroundings(left, right).jumps_before_more(text) is jumps


@pytest.mark.parametrize(
    ("text", "piece", "nothing"),
    [("    ", "# a", True), ("    ", "\n", True), ("", "  //", True), ("    a()", "\n", False), ("    ", "a", False)],
)
def test_what_says_nothing(text: str, piece: str, nothing: bool) -> None:
    assert surroundings(HEAD, "    y()\n").says_nothing(text, piece) is nothing


def test_a_header_is_written_where_one_is_missing(llama: Model) -> None:
    """The model would rather return, and nothing deeper may follow that, or flee into a comment."""
    left, right = HEAD + "    if x:\n        y()\n", "        z()\n"
    wavering = Wavering(llama, "    else:\n", others={1: {"r": 1_000, "#": 50}})  # behind the first three blanks
    assert written(llama, wavering, right, left).text == "    else:\n"
