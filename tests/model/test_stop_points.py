"""The place a text goes back to, its status then, and the number of doubted choices; each rule by itself."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from suture.model.decoding import api, constrained, termination
from suture.model.decoding.row import Row
from suture.model.decoding.termination import StopPoint
from suture.model.decoding.types import Options
from suture.parser import language


def at(text: str, end: float = 0.0, *, complete: bool = True, **more: Any) -> StopPoint:
    """A place behind a text, where the model ends with this log probability."""
    state: Any = SimpleNamespace(complete=complete, advance=lambda rest: None)
    return StopPoint(state, text, len(text), len(text), complete, end=end, **more)


@pytest.mark.parametrize(
    ("text", "points", "lines", "ends_line", "breaks", "blank", "found"),
    [
        ("a\nb", [at("a", -5), at("a\nb", -1)], [], True, False, False, "a"),  # whole lines, however improbable
        ("a\nb", [at("a\nb", -1)], [at("a\n", -5)], True, False, False, "a\n"),
        ("a\nb", [at("a\nb", -1)], [at("z\n", 0)], True, False, False, "a\nb"),  # of another text
        ("ab", [at("a", -5), at("ab", -1)], [], True, False, False, "ab"),  # nothing has ended a line
        ("\nx", [at("\nx", -3)], [at("\n", -1)], True, False, True, "\nx"),  # white space is no ended line
        ("\nx\ny", [at("\n", -1), at("\nx", -3)], [], True, False, True, "\n"),  # unless it is asked for
        ("\nx\ny", [at("\n", -1), at("\nx", -3)], [], True, False, False, "\nx"),
        ("ab", [at("a", -5), at("ab", -1)], [], False, False, False, "ab"),
        ("a\nb", [at("a\nb", -2)], [at("a\n", -1)], False, True, False, "a\n"),
        ("a\nb", [at("a\nb", -2)], [at("a\n", -1)], False, False, False, "a\nb"),  # the hole has no line ends
        ("a\nb", [at("a\nb", -1)], [at("a\n", -1)], False, True, False, "a\nb"),  # of equals the longer one
        ("a\nb", [at("a\nb", complete=False)], [at("a\n", -9)], False, False, False, "a\n"),  # the only one
        (" ", [at(" ", -1)], [], False, False, False, None),
        (" ", [at(" ", -1)], [], False, False, True, " "),
    ],
)
def test_the_best_place_to_go_back_to(
    text: str,
    points: list[StopPoint],
    lines: list[StopPoint],
    ends_line: bool,
    breaks: bool,
    blank: bool,
    found: str | None,
) -> None:
    around = SimpleNamespace(ends_line=ends_line, breaks=breaks)
    request: Any = SimpleNamespace(around=around, options=Options())
    walk: Any = SimpleNamespace(text=text, points=points, lines=lines)
    chosen = constrained._earlier(request, walk, blank)
    assert (None if chosen is None else chosen.text) == found


@pytest.mark.parametrize(
    ("text", "points", "found"),
    [
        ("a\nb\nc", [at("a", -1), at("a\nb", -9), at("a\nb\nc", -1)], "a\nb"),  # the last line may go on
        ("a\nb\nc", [at("a", -1), at("a\nb", -9, complete=False)], "a"),  # the file is not valid with more
        ("a\n b\n", [at("a", -1), at("a\n b\n", -9)], "a\n b\n"),
        ("ab", [at("a", -1), at("ab", -2)], "a"),  # no line is whole: as elsewhere
        ("\nb", [at("\n", -1), at("\nb", -2)], "\nb"),  # blanks are no line
    ],
)
def test_the_fullest_text_ends_with_its_last_whole_line(text: str, points: list[StopPoint], found: str) -> None:
    request: Any = SimpleNamespace(around=SimpleNamespace(ends_line=False, breaks=()), options=Options(fullest=True))
    walk: Any = SimpleNamespace(text=text, points=points, lines=[])
    chosen = constrained._earlier(request, walk)
    assert chosen is not None and chosen.text == found


def test_a_text_is_late_once_some_of_it_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(termination, "perf_counter", lambda: 5.0)
    points = [at("a")]
    assert [termination.is_late(deadline, points, "a\nb", "") for deadline in (4.0, 6.0)] == [True, False]
    assert not termination.is_late(4.0, points, "ab", "")


def test_a_text_is_late_once_it_is_whole_with_its_brackets_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(termination, "perf_counter", lambda: 5.0)
    points = passed("for (;;) {\n    a();\n    b(")
    assert [termination.is_late(deadline, points, points[-1].text, "  ") for deadline in (4.0, 6.0)] == [True, False]
    assert not termination.is_late(4.0, passed("for (;;) {\n    a("), "for (;;) {\n    a(", "  ")


def passed(text: str) -> list[StopPoint]:
    """The places of a text within a function of TypeScript, a token of one character each."""
    state: Any = language("typescript").hole("function f() {\n  ", "\n}\n").state
    states = [state := state.advance(char) if char else state for char in ("", *text)]
    return [StopPoint(state, text[:at], at, at, state.complete) for at, state in enumerate(states)]


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("for (;;) {\n    a();\n    b", "for (;;) {\n    a();\n  }"),
        ("if (a) {\n    b.c(d => {\n      e();\n", "if (a) {\n    b.c(d => {\n      e();\n    })\n  }"),
        ("if (a) {\n    b = '{';\n    // {\n    c", "if (a) {\n    b = '{';\n  }"),
        ("if (a) {\n    b();\n  } else {\n    c", "if (a) {\n    b();\n  }"),  # not of nothing
        ("f(\n    a,\n    b", "f(\n    a,\n  )"),
        ("a();\n  b", None),  # nothing is open
        ("for (;;) {\n", None),
        ("x = {\n    a: 1,\n    b", "x = {\n    a: 1,\n  }"),
    ],
)
def test_lines_in_brackets_are_whole_with_these_closed(text: str, closed: str | None) -> None:
    found = termination.last_closed_line(passed(text), text, "  ")
    assert (None if found is None else found[1]) == closed


@pytest.mark.parametrize(
    ("fullest", "end"),
    [(True, "for (;;) {\n    a();\n  }"), (False, "fo")],  # a name
)
def test_the_fullest_text_ends_with_its_brackets_closed(
    monkeypatch: pytest.MonkeyPatch, fullest: bool, end: str
) -> None:
    monkeypatch.setattr(constrained, "choose_bridge", lambda *_: None)
    points = passed("for (;;) {\n    a();\n    b(")
    around = SimpleNamespace(begun="  ", ends_line=False, breaks=())
    request: Any = SimpleNamespace(
        around=around, options=Options(fullest=fullest), clock=SimpleNamespace(running=nullcontext), bridges={},
        driver=SimpleNamespace(full=False), most=100, cancelled=lambda: False,
    )  # fmt: skip
    walk: Any = SimpleNamespace(text=points[-1].text, points=points[1:], lines=[], tokens=9, first_eos_wish=None)
    outcome = constrained._ended_well(request, walk)
    assert (outcome.text, outcome.complete) == (end, True)


@pytest.mark.parametrize(
    ("code", "closers"),
    [
        ("  if (a) {\n    b([\n      c", "\n    ])\n  }"),
        ("\tif a {\n\t\tb(func() {\n\t\t\tc", "\n\t\t})\n\t}"),
        ("a = `${b\n(`\nif (c) {", "\n}"),
        ("a('\\'(', \"it's [\") // {", ""),
        ("a(b]", ""),
        ("a)", ""),
        ("", ""),
    ],
)
def test_what_closes_brackets_stands_below_the_lines_that_opened_them(code: str, closers: str) -> None:
    assert termination.closers_below(code) == closers


def test_brackets_that_were_open_before_a_text_are_closed_behind_it() -> None:
    assert termination.closers_below("() => {\n    a();", "  f(") == "\n  }"


@pytest.mark.parametrize(
    ("text", "code"),
    [("# Sort them", False), ("  // Sort them", False), ("# Sort\na()", True), ("a()  # sorted", True)],
)
def test_a_comment_alone_is_not_enough(text: str, code: bool) -> None:
    points = [at(text)]
    assert (termination.last_whole_line(points, f"{text}\nb") is not None) is code


COMPLETE, BROKEN = SimpleNamespace(complete=True), SimpleNamespace(complete=False)


@pytest.mark.parametrize(
    ("length", "closed", "after", "found"),
    [
        (3, True, None, ("abc", 3)),  # at a passed place: the last one
        (4, True, COMPLETE, ("abcd", 3)),  # between two of them
        (4, True, BROKEN, None),
        (4, True, None, None),
        (0, True, COMPLETE, None),  # before the first
        (None, True, COMPLETE, None),
        (3, False, COMPLETE, None),  # within a symbol
    ],
)
def test_the_place_before_a_copy_of_what_follows(
    length: int | None, closed: bool, after: object, found: tuple[str, int] | None
) -> None:
    asked: list[str] = []

    def advance(rest: str) -> object:
        asked.append(rest)
        return after

    points = [at(text, log_prob=-1.0) for text in ("a", "ab", "abc")]
    for point in points:
        point.state.advance = advance  # type: ignore[method-assign]
    around = SimpleNamespace(copied_from=lambda text, final: length)
    request: Any = SimpleNamespace(around=around, clock=SimpleNamespace(running=nullcontext))
    walk: Any = SimpleNamespace(text="abcde", log_prob=-4.0, points=points, position=SimpleNamespace(closed=closed))
    place = constrained._before_copy(request, walk)
    assert (None if place is None else (place.text, place.tokens)) == found
    assert asked == (["d"] if length == 4 else [])
    assert place is None or (place.complete, place.end) == (True, -3.0)  # to write the copy was a wish to end


@pytest.mark.parametrize(
    ("which", "full", "tokens", "wish", "ready", "ended"),
    [
        (1, True, 3, None, False, "length"),
        (1, False, 9, None, False, "length"),
        (0, True, 9, None, False, "earlier"),  # more was wanted, and written
        (1, False, 3, None, False, "earlier"),
        (1, False, 3, 2, True, "model"),
        (0, False, 3, 2, True, "earlier"),  # it wanted to end at the other one
        (1, False, 3, 2, False, "earlier"),
    ],
)
def test_what_a_text_that_went_back_counts_as(
    which: int, full: bool, tokens: int, wish: int | None, ready: bool, ended: str
) -> None:
    points = [at("a", ready=ready), at("ab", ready=ready)]
    request: Any = SimpleNamespace(driver=SimpleNamespace(full=full), most=9, remainder="!")
    walk: Any = SimpleNamespace(tokens=tokens, points=points, first_eos_wish=wish)
    outcome = constrained._at_earlier(request, walk, points[which])
    assert outcome.ended == ended and outcome.text == points[which].text + ("!" if ready else "")


@pytest.mark.parametrize(
    ("doubts", "most", "chosen"),
    [
        ({}, 12, 0),
        ({0: 2.0}, 12, 1),
        ({0: 2.0, 1: 5.0}, 12, 0),  # less doubtful than the other, and doubted once
        ({0: 2.0, 1: 5.0}, 1, 1),
        ({0: 9.0, 1: 9.0}, 12, 2),
    ],
)
def test_each_choice_is_doubted_once_and_not_too_many(
    monkeypatch: pytest.MonkeyPatch, doubts: dict[int, float], most: int, chosen: int
) -> None:
    class Reader:
        narrow = None

        def __init__(self, *given: object) -> None:
            pass

        def valid(self, token: int) -> bool:
            return True

        def doubt(self, token: int, cornered: bool) -> float:
            return doubts.get(token, 0.0)

        def step(self, token: int, row: Row) -> int:
            return token

    monkeypatch.setattr(constrained, "Reader", Reader)
    monkeypatch.setattr(constrained, "_DOUBTED", most)
    monkeypatch.setattr(constrained, "row_at", lambda request, walk: Row(np.array([5.0, 4.0, 0.0], np.float32)))
    monkeypatch.setattr(constrained, "_urgency", lambda request, walk: 0)
    monkeypatch.setattr(constrained.sampling, "choose", lambda weighed, *given: int(np.argmax(weighed)))
    request: Any = SimpleNamespace(
        options=Options(stay_in_hole=False), driver=SimpleNamespace(end_set=frozenset()), random=None
    )
    assert constrained._chosen(request, SimpleNamespace(ids=()), True) == chosen  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limit", "most_tokens", "asked", "reads", "budget"),
    [
        (1000, 32, None, None, 256),  # the model's own limit
        (1000, 32, None, 80, 80),  # the tokens a server reads in time
        (1000, 32, 10, 80, 10),  # the user's own number
        (1000, 32, 600, None, 600),
        (100, 32, None, None, 63),  # the text and the tokens spelling the cut word again have to fit, too
        (100, 500, None, None, 48),  # but never more than half
        (6, 32, None, None, 1),
        (4, 32, None, None, 1),
    ],
)
def test_how_much_of_a_file_is_in_a_prompt(
    monkeypatch: pytest.MonkeyPatch, limit: int, most_tokens: int, asked: int | None, reads: int | None, budget: int
) -> None:
    monkeypatch.setattr(api.prompt, "build", lambda *given, **more: more["budget"])
    served = None if reads is None else SimpleNamespace(reading=SimpleNamespace(whole=reads))
    model: Any = SimpleNamespace(
        runtime=SimpleNamespace(limit=limit),
        template=SimpleNamespace(overhead=4, name="a template"),
        served=served,
        context_tokens=256,
    )
    options = Options(max_tokens=most_tokens, context_tokens=asked)
    assert api._prompt(model, "", "", options) == budget  # type: ignore[comparison-overlap]
    if reads is None:
        model.served = SimpleNamespace(reading=None)
        assert api._prompt(model, "", "", options) == budget  # type: ignore[comparison-overlap]
