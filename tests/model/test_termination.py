"""The end of a completion: each way, provoked by a scripted distribution."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from suture.model import Constraint, Model, complete, load
from suture.model.decoding.driver import Clock, ModelCursor
from suture.model.decoding.reader import within_lines
from suture.model.decoding.termination import StopPoint, breaks_off, choose_bridge
from suture.model.decoding.token_step import DecodingState

from ..support.modelzoo import Brackets, bytelevel, save_model
from ..support.scripted import PLAIN, Scripted, check, scripted


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


def test_ended_by_the_model(llama: Model) -> None:
    result = check(scripted(llama, "x)"), "f(", "\n", PLAIN)
    assert (result.text, result.ended, result.tokens) == ("x)", "model", 2)


def test_ended_by_a_bridge_when_the_model_ends_too_early(llama: Model) -> None:
    result = check(scripted(llama, "x"), "f([", "\n", PLAIN)
    assert (result.text, result.ended, result.tokens) == ("x])", "bridge", 1)


def test_a_model_that_ends_too_early_may_first_connect_by_itself_in_a_few_tokens(llama: Model) -> None:
    result = check(scripted(llama, "xy])zzz", ends={1: 3.0}), "f([", "\n", PLAIN)
    assert (result.text, result.ended) == ("xy])", "model")
    rambling = scripted(llama, "x" + "y" * 15, ends={1: 3.0})
    result = check(rambling, "f([", "\n", PLAIN)
    assert (result.text, result.ended) == ("x])", "bridge")  # from its intended end
    assert rambling.runtime.steps <= 8  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Measured(Brackets):
    """The toy language, with an estimate of the missing characters."""

    @property
    def missing(self) -> float:
        return 0.0 if self.complete else float(len(self.bridges()[0]))


class Babbling(Scripted):
    """Would rather say its text than close a bracket."""

    def _logits(self):  # type: ignore[no-untyped-def]
        logits = super()._logits()
        for bracket in "])":
            logits[self.inner.vocabulary.encode(bracket)[0]] = -6.0
        return logits


@pytest.mark.parametrize(("babble", "ends"), [("x" + "y" * 60, {1: 3.0}), ("y" * 80, {})])
def test_a_text_that_has_to_connect_is_steered_to_an_end(llama: Model, babble: str, ends: dict[int, float]) -> None:
    """After a refused wish to end, and when the budget is nearly spent; without a distance it is bridged."""
    for language in (Measured, Brackets):
        talker = replace(llama, runtime=Babbling(llama, babble, ends=ends))
        hole = language.hole("f([", "\n")
        result = complete(talker, hole, "f([", "\n", replace(PLAIN, max_tokens=40))
        assert result.complete and result.tokens <= 40
        if language is Brackets:
            assert result.ended == "bridge"
        else:  # by tokens of its own, before the budget is over
            assert result.ended != "bridge" and "])" in result.text and result.text.startswith(babble[:3])


def test_ended_earlier_when_the_model_ends_where_it_may_not(llama: Model) -> None:
    result = check(scripted(llama, "yy(", ends={1: -3.0}), "x", "\n", PLAIN)
    assert (result.text, result.ended, result.tokens) == ("y", "earlier", 1)


def test_ended_by_a_bridge_when_the_budget_is_spent(llama: Model) -> None:
    result = check(scripted(llama, "yyyyyy"), "f(", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended, result.tokens) == ("yyy)", "bridge", 3)


def test_ended_earlier_where_the_model_would_most_probably_have_ended(llama: Model) -> None:
    runs = {1: -9.0, 2: -3.0, 3: -6.0}
    result = check(scripted(llama, "yyy(zz", ends=runs), "x", "\n", replace(PLAIN, max_tokens=6))
    assert (result.text, result.ended, result.tokens) == ("yy", "earlier", 2)


def test_ended_at_the_length_when_that_is_the_best_place(llama: Model) -> None:
    result = check(scripted(llama, "yyyyy", ends={3: -1.0}), "x", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended) == ("yyy", "length")


def test_the_empty_text_is_not_an_earlier_place_but_the_last_resort(llama: Model) -> None:
    result = check(scripted(llama, "(yyyy", ends={0: -0.1}), "x", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended) == ("(yy)", "bridge")

    @dataclass(frozen=True)
    class Bridgeless(Brackets):
        def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
            return ()

    hole = Bridgeless("", "")
    result = complete(scripted(llama, "(yyyy"), hole, "x", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended, result.complete) == ("", "earlier", True)
    result = complete(scripted(llama, "yyyy"), Bridgeless("(", ""), "(", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended, result.complete) == ("yyy", "length", False)


def test_white_space_alone_is_no_earlier_place_where_a_block_could_be_closed(llama: Model) -> None:
    result = check(scripted(llama, " (yyyy", ends={1: -0.1}), "x", "\n", replace(PLAIN, max_tokens=4))
    assert result.text.startswith(" (") and result.ended == "bridge"
    result = check(scripted(llama, "   ", ends={1: -0.1}), "x", "\n", replace(PLAIN, max_tokens=2))
    assert not result.text.strip() and result.complete


def test_the_length_is_only_said_where_the_budget_is_spent(llama: Model) -> None:
    """At the end of the lines, without a possible token, and when stopped by the caller, the reason is another."""
    limited = check(scripted(llama, "a)\nb(x)"), "f(", "\n", replace(PLAIN, max_lines=0))
    assert (limited.text, limited.ended) == ("a)", "lines")
    dead = complete(scripted(llama, "ab"), Stuck(complete_at=9), "x", "\n", replace(PLAIN, heal=False))
    assert (dead.ended, dead.complete) == ("nothing", False)
    stopped = complete(scripted(llama, "ab"), Stuck(complete_at=9), "x", "\n", PLAIN, cancelled=lambda: True)
    assert (stopped.text, stopped.ended) == ("", "nothing")
    checked = complete(scripted(llama, "x8y"), Brackets("(", ""), "f(", "\n", replace(PLAIN, mode="checked"))
    assert (checked.ended, checked.complete) == ("nothing", False)


@dataclass(frozen=True)
class Stuck(Constraint):
    """A constraint that takes two letters and nothing more."""

    taken: int = 0
    complete_at: int = 2
    stays_in_hole = True  # pyright: ignore[reportAssignmentType]
    missing = 0.0  # pyright: ignore[reportAssignmentType]

    @property
    def complete(self) -> bool:
        return self.taken == self.complete_at

    def advance(self, text: str) -> "Stuck | None":
        fits = self.taken + len(text) <= 2 and (not text or text.isalpha())
        return replace(self, taken=self.taken + len(text)) if fits else None

    def admits(self, partial: bytes) -> bool:
        return False

    def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
        return ()


def test_a_bridge_is_sought_from_earlier_places_back_to_the_start(llama: Model) -> None:
    @dataclass(frozen=True)
    class OnlyAtTheStart(Brackets):
        at_start: bool = True

        def advance(self, text: str) -> "OnlyAtTheStart | None":
            after = super().advance(text)
            return replace(after, at_start=False) if after is not None else None  # type: ignore[type-var,return-value]

        def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
            return super().bridges() if self.at_start else ()

    result = complete(scripted(llama, "yyyy"), OnlyAtTheStart("(", ""), "(", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended, result.tokens) == (")", "bridge", 0)


def test_texts_that_begin_alike_share_the_search_of_their_bridges(llama: Model) -> None:
    searched: list[str] = []

    @dataclass(frozen=True)
    class WithoutBridges(Brackets):
        def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
            searched.append(self.stack)
            return ()

    points = [StopPoint(WithoutBridges(text, ""), text, 1, 1, False) for text in ("", "(", "((")]
    others = [*points[:2], StopPoint(WithoutBridges("([", ""), "([", 1, 1, False)]
    driver, known = ModelCursor(llama, lambda: False), dict[str, list[str]]()
    for walk in (points, others):
        assert choose_bridge(walk, driver, Clock(), math.inf, lambda: False, known) is None
    assert sorted(searched) == ["", "(", "((", "(["]


def test_of_the_shortest_bridges_the_most_probable_one_is_taken(llama: Model) -> None:
    @dataclass(frozen=True)
    class Choice(Brackets):
        def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
            return ("q)", "z)", "x)", "long)")

    for wanted in "qzx":
        model = scripted(llama, f"y{wanted})")
        result = complete(model, Choice("(", ""), "(", "\n", replace(PLAIN, max_tokens=1))
        assert (result.text, result.ended, result.tokens) == (f"y{wanted})", "bridge", 1)
    result = complete(scripted(llama, "ylong)"), Choice("(", ""), "(", "\n", replace(PLAIN, max_tokens=1))
    assert result.text in ("yq)", "yz)", "yx)")  # however probable a longer one is


def test_a_token_with_a_newline_too_many_counts_up_to_it() -> None:
    start = DecodingState(Brackets("(", ""))
    following = start.after(b")\n(")
    assert following is not None and not following.state.complete
    kept, is_cut = within_lines(start, following, "", 0)
    assert is_cut and kept.piece == ")" and kept.state.complete
    assert within_lines(start, following, "", 1) == (following, False)


def test_max_lines_ends_before_the_newline_that_is_too_many(llama: Model) -> None:
    for newline in ("\n", "\r\n", "\r"):
        model = scripted(llama, f"a){newline}b(x){newline}c")
        assert check(model, "f(", "\n", replace(PLAIN, max_lines=0)).text == "a)"
        assert check(model, "f(", "\n", replace(PLAIN, max_lines=1)).text == f"a){newline}b(x)"
    # One line too many may not even begin if the text cannot end before it.
    result = check(scripted(llama, "a\nb)"), "f(", "\n", replace(PLAIN, max_lines=0))
    assert result.text.startswith("a") and "\n" not in result.text


def test_the_wish_to_end_the_last_line_is_one_to_end(llama: Model) -> None:
    """Else the model writes anything possible in that line, to the end of its budget."""
    rambling = scripted(llama, "x" + "\n" * 60)
    result = check(rambling, "f([", "\n", replace(PLAIN, max_lines=0, max_tokens=64))
    assert result.text.startswith("x") and rambling.runtime.steps <= 8  # type: ignore[attr-defined]
    lines = scripted(llama, "x\ny" + "\n" * 60)
    assert check(lines, "f([", "\n", replace(PLAIN, max_lines=1, max_tokens=64)).text.startswith("x\ny")
    # It continues for some tokens even past a possible end: a call once begun is better closed than left out.
    call = replace(llama, runtime=AtLines(llama, "y(" + "\n" * 60))
    assert check(call, "x", "\n", replace(PLAIN, max_lines=0, max_tokens=64)).text == "y()"


class AtLines(Scripted):
    """Closes the bracket where it may not end the line."""

    def _logits(self) -> np.ndarray:
        logits = super()._logits()
        logits[self.inner.vocabulary.encode(")")[0]] = -6.0
        return logits


@pytest.mark.parametrize(
    ("left", "said", "right", "stayed", "left_hole"),
    [
        ("f(", "x)", ")", "x", None),  # the bracket is there already
        ("f(", "g(x))", ")", "g(x)", None),  # wherever the tokens end
        ("f(", "x)(y", ")", "x", "x)(y"),  # not one for another
        ("f([", "x](y)", ")", "x](y)", "x](y)"),  # brackets not closed by the right side may be closed
        ("f(", ")", ")", "", None),
    ],
)
def test_to_leave_the_hole_is_to_end(
    llama: Model, left: str, said: str, right: str, stayed: str, left_hole: str | None
) -> None:
    result = check(scripted(llama, said), left, right, PLAIN)
    assert result.text == stayed
    if result.ended != "bridge":
        assert result.ended == "model"
    if left_hole is not None:
        free_to_leave = check(scripted(llama, said), left, right, replace(PLAIN, stay_in_hole=False))
        assert free_to_leave.text == left_hole


def test_what_leaves_the_hole_may_not_come_where_the_text_could_not_end(llama: Model) -> None:
    @dataclass(frozen=True)
    class Longer(Brackets):
        """Complete only after two letters."""

        letters: int = 0

        def advance(self, text: str) -> "Longer | None":
            after = super().advance(text)
            count = self.letters + sum(map(str.isalpha, text))
            return replace(after, letters=count) if after is not None else None  # type: ignore[type-var,return-value]

        @property
        def complete(self) -> bool:
            return super().complete and self.letters >= 2

    result = complete(scripted(llama, "x)y"), Longer("(", "(", 1), "f(", ")", PLAIN)
    assert result.complete and ")" not in result.text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("a\n  b\nc", "a\n  b\n"),
        ("a\n\n  b\n\nc", "a\n\n  b\n\n"),
        ("a\r\n  b\r\nc", "a\r\n  b\r\n"),
        ("f(\n)\n  b", "f(\n)\n  b"),  # not within brackets, for the text could not end there
        ("a\n\t\tb", "a\n\t\tb"),
        ("a\n b", "a\n "),
    ],
)
def test_a_line_left_of_the_block_ends_the_text(llama: Model, said: str, text: str) -> None:
    assert check(scripted(llama, said), "  ", "\n", replace(PLAIN, block_column=2)).text == text
    assert check(scripted(llama, said), "  ", "\n", PLAIN).text == said


def test_the_search_of_a_bridge_is_given_up_when_cancelled_and_bounded_in_time(llama: Model) -> None:
    asked: list[bool] = []

    @dataclass(frozen=True)
    class Slow(Brackets):
        """Asks often, and finds nothing but at the start, when it may search to the end."""

        def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
            asked.append(stop())
            return () if asked[-1] or self.stack != "(" else super().bridges()

    def never() -> bool:
        return False

    result = complete(
        scripted(llama, "((("), Slow("(", ""), "(", "\n", replace(PLAIN, max_tokens=3, bridge_ms=0), cancelled=never
    )
    assert result.complete and result.text == ")" and result.ended == "bridge"
    assert not any(asked)  # the late attempts are not bounded

    asked.clear()
    steps = iter(range(10**6))
    result = complete(
        scripted(llama, "((("),
        Slow("(", ""),
        "(",
        "\n",
        replace(PLAIN, max_tokens=3),
        cancelled=lambda: next(steps) > 5,
    )
    assert result.cancelled and not result.text


@pytest.mark.parametrize(("text", "rest", "breaks"), [("na", "me", True), ("न", "ाम", True), ("नाम", "(", False)])
def test_a_text_breaks_off_within_a_name_in_any_script(text: str, rest: str, breaks: bool) -> None:
    assert breaks_off(text, rest) is breaks


@pytest.mark.parametrize("unit", ["ab,", "x + y + "])
def test_a_text_in_circles_is_cut_back_to_its_first_copy(llama: Model, unit: str) -> None:
    model = scripted(llama, unit * 30)
    result = check(model, "f([", "\n", replace(PLAIN, max_tokens=200))
    assert (result.text, result.ended) == (f"{unit.rstrip()}])", "bridge")  # at the end of a token
    assert model.runtime.steps < 100  # type: ignore[attr-defined]
