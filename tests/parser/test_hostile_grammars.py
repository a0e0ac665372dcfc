"""Grammars that take much time or memory: compiled in a separate process within limits; ambiguous ones in polynomial time."""

import itertools
import marshal
import time
from pathlib import Path

import pytest
from suture.parser import Cancelled, GrammarError, load_language
from suture.parser.grammar import cache
from suture.parser.grammar.isolated import CompileLimits
from suture.parser.lexing.regex_nfa import RegexNfa, UnsupportedRegexp

from ..support.work import HANGING_S, calls

_LATE = (
    'start: "a" start | "b" start | "a" x0\n'
    + "".join(f'x{n}: ("a" | "b") x{n + 1}\n' for n in range(24))
    + 'x24: "a"\n'
)
"""The 26th terminal from the end decides, so states are sets of the last 26."""
LIMITS = CompileLimits(seconds=100, memory_mb=1_000)  # time must not be the reason, even on a slow machine


def compiled(folder: Path, text: str, limits: CompileLimits = LIMITS) -> None:
    path = folder / "own.lark"
    path.write_text(text)
    load_language("hostile", path, limits=limits)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("start: A\nA: /(a{1000}){1000}/\n", "it needs more than 50000 nodes"),
        ("start: A\nA: /(a|b)*a(a|b){25}/\n", "the terminals need more than 20000 lexer states"),
        ("start: " + "(" * 5000 + '"a"' + ")" * 5000 + "\n", "recursion depth"),
        ('start: "a"' + "\n" * 200_000 + "\n", "line 1: more than 198 empty lines in a row"),
        ("start: nothing\n", "line 1: Rule 'nothing' used but not defined"),
        (_LATE, "the tables need more than 1,000,000 items"),
    ],
    ids=["nodes", "states", "nested", "empty lines", "wrong", "late"],
)
def test_what_takes_too_much_is_refused(tmp_path: Path, text: str, said: str) -> None:
    started = time.process_time()
    with pytest.raises(GrammarError, match=said) as caught:
        compiled(tmp_path, text)
    assert str(tmp_path / "own.lark") in str(caught.value) and "\n" not in str(caught.value)
    assert time.process_time() - started < HANGING_S


def test_what_takes_too_long_is_refused(tmp_path: Path) -> None:
    text = "start: " + " ".join(f"[x{n}]" for n in range(24)) + "\n" + "".join(f'x{n}: "{n};"\n' for n in range(24))
    with pytest.raises(GrammarError, match="compiling it takes more than"):
        compiled(tmp_path, text, CompileLimits(seconds=2, memory_mb=1_000))


def values(compiled: cache.Compiled) -> object:
    """Everything kept of a grammar."""
    return marshal.loads(cache.as_bytes(compiled).partition(b"\n")[2])


def test_what_is_compiled_apart_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own.lark"
    path.write_text('start: ("a" | B)*\nB: /b{2,5}/\n%ignore " "\n')
    here = cache.compile_now(path, "start")
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path / "cache")
    apart = cache.load(path, "start", limits=LIMITS)
    assert values(apart) == values(here)
    monkeypatch.setattr(cache, "compile_apart", None)  # the second time it is in the cache
    assert values(cache.load(path, "start", limits=LIMITS)) == values(here)


@pytest.mark.parametrize("regexp", ["a(){900000000}", "a(){0,900000000}", "a(?:){5,900000000}b"])
def test_repeats_of_nothing(regexp: str) -> None:
    nfa = RegexNfa()
    nfa.add(regexp, 0)
    assert len(nfa.nodes) < 10


def test_many_steps_over_the_terminals_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("suture.parser.lexing.dfa._MAX_STEPS", 1000)
    path = tmp_path / "own.lark"
    path.write_text("start: A\nA: /(a?){60}/\n".replace("/(a", "/b(a"))
    with pytest.raises(GrammarError, match="take more than 1000 steps"):
        cache.compile_now(path, "start")


def test_a_long_repeat_is_no_regular_expression_here() -> None:
    with pytest.raises(UnsupportedRegexp):
        RegexNfa().add("(a{1000}){1000}", 0)


EXPRESSIONS = (
    'start: exp\nexp: exp "+" exp | exp "*" exp | "(" exp ")" | NUM\nNUM: /[0-9]+/\n%ignore " "\n%ignore /\\n/\n'
)


@pytest.mark.parametrize("name", ["whole", "broken below", "broken above"])
def test_ambiguous_grammars_take_polynomial_time(tmp_path: Path, name: str) -> None:
    """An expression of 20 operands has 1.7 thousand million readings."""
    path = tmp_path / "ambiguous.lark"
    path.write_text(EXPRESSIONS)
    own = load_language("ambiguous", path)
    made: list[int] = []
    for count in (20, 40):
        left, right = {
            "whole": ("1+" * count, "+1" * count),
            "broken below": ("1+" * count, "+1" * count + ")) 1 2" + "+1" * count),
            "broken above": ("1+" * count + "1 1" + "+1" * count + "+", "+1" * count),
        }[name]
        count, hole = calls(lambda: own.session().hole(left + right, len(left)))  # noqa: B023 - called at once
        assert hole.state is not None and hole.state.advance("1") is not None
        made.append(count)
    assert made[1] < 16 * made[0], made  # the fourth power of twice the length


def test_ambiguous_grammars_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "ambiguous.lark"
    path.write_text(EXPRESSIONS)
    text = "1+" * 80 + "1 1" + "+1" * 80
    for most in (1, 3, 5):
        own = load_language("ambiguous", path)  # with an engine without memos
        questions = itertools.count()
        with pytest.raises(Cancelled):
            own.session().hole(text, len(text), lambda questions=questions, most=most: next(questions) > most)
