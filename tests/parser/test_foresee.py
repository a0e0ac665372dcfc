"""Reading a text ahead: the later answers of its holes are known, and are the same as without."""

import itertools
import random
import sys

import pytest
from suture.parser import Cancelled, Hole, Session, language
from suture.parser.language import Language
from suture.parser.languages.python.language import new_runtime
from suture.parser.languages.python.versions import DEFAULT_VERSION
from suture.parser.views import MOST_READ

from ..support.inside import runtime_of
from ..support.oracle_python import stdlib_sources
from ..support.work import calls


def _empty() -> Language:
    return Language("python", DEFAULT_VERSION, lambda: new_runtime(DEFAULT_VERSION))


def _text(functions: int) -> str:
    """Classes with functions of different lines, so that one tells little about another."""
    words = ("alpha", "beta", "gamma", "delta")
    parts: list[str] = []
    for n in range(functions):
        if n % 4 == 0:
            parts.append(f"class {words[n % 3].title()}{n}:\n")
        a, b = words[n % 4], words[n // 4 % 4]
        operators = " + ".join(f"{b}[{i}]" for i in range(n % 7 + 1))
        parts.append(
            f"    def {a}(self, {b}):\n        if {b}:\n            return [{operators}, {{'a': {a}}}]\n"
            f"        for {a} in {b}({', '.join('x' * (n % 5))}):\n            print({operators})\n\n"
        )
    return "".join(parts)


_BROKEN = "        value = ) f(x\n"


def _seen(hole: Hole) -> tuple[str, bool, bool]:
    state = hole.state
    after = None if state is None else state.advance("pass\n")
    return hole.fallback, state is not None and state.complete, after is not None and after.complete


def test_what_was_read_ahead_is_not_read_again() -> None:
    (text,) = (source for source in stdlib_sources(random.Random(1), 1, 40_000))
    made: dict[bool, int] = {}
    seen: dict[bool, tuple[str, bool, bool]] = {}
    for ahead in (False, True):
        own = _empty()
        session = own.session()
        for at in (len(text), 0):
            session.hole(text, at)
        if ahead:
            session.foresee(text)
        at = text.index("    def ", len(text) // 3)
        edited = text[:at] + _BROKEN + text[at:]
        before = runtime_of(own).engine.made
        seen[ahead] = _seen(session.hole(edited, at + len(_BROKEN) - 1))
        made[ahead] = runtime_of(own).engine.made - before
    # The search for a view reads only around its line, and gains little from either.
    assert 2 * made[True] < made[False], made
    assert seen[True] == seen[False]


def test_after_an_edit_only_what_is_around_it_is_read_ahead() -> None:
    text, own = _text(60), _empty()
    session = own.session()
    first, _ = calls(lambda: session.foresee(text))
    again, _ = calls(lambda: session.foresee(text))
    at = text.index("    def ", len(text) // 2)
    edited, _ = calls(lambda: session.foresee(text[:at] + "    value = 1\n" + text[at:]))
    assert again < 50
    assert edited * 8 < first
    session.forget()
    assert calls(lambda: session.foresee(text))[0] > 1_000, "it is another text for all that the session knows"


def test_reading_ahead_stops_when_it_is_told_to_and_stays_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    text, own = _text(60), _empty()
    session = own.session()
    with pytest.raises(Cancelled):
        session.foresee(text, lambda: True)
    sizes: list[int] = []
    for _ in range(2):
        own = _empty()
        session = own.session()
        with monkeypatch.context() as within:
            for edited in (text, "x = 1\n" + text, text + "y = x\n"):
                within.setattr("suture.parser.session._MAX_FORESEEN", sizes[0] + 500 if sizes else 0)
                session.foresee(edited)
        sizes.append(runtime_of(own).engine.size)
        assert session.hole(text, 0).viable
    assert 250 < sizes[1] - sizes[0] < 2_000, sizes
    for other in ("json", "slua"):
        language(other).session().foresee("{}")


def test_holes_are_the_same_with_and_without_reading_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Except that a search for a view while somebody waits may be left to the pause."""
    monkeypatch.setattr("suture.parser.session._HASTY", MOST_READ)
    monkeypatch.setattr(
        sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 10**9
    )  # else one of them forgets views
    rng, own, ahead = random.Random(5), _empty(), _empty()
    for source in stdlib_sources(rng, 6, 8_000):
        text = list(source[:6_000])
        for _ in range(rng.randrange(3)):
            text[rng.randrange(len(text))] = rng.choice(["(", "'", "\n", ":", " ", '"""'])
        whole = "".join(text)
        one, other = own.session(), ahead.session()
        other.foresee(whole)
        for _ in range(6):
            at = rng.randrange(len(whole) + 1)
            assert _seen(one.hole(whole, at)) == _seen(other.hole(whole, at)), (whole, at)


def _nearly_full(own: Language, text: str, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session of a text, after many others."""
    for source in stdlib_sources(random.Random(2), 4, 30_000):
        own.session().foresee(source)
    session = own.session()
    session.hole(text, len(text) // 2, level="names")
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", int(runtime_of(own).size * 1.2))
    return session


def test_an_engine_that_is_nearly_full_is_replaced_in_a_pause_by_one_that_knows_the_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("suture.parser.session._HASTY", MOST_READ)
    text, own = _text(40), _empty()
    session, other = _nearly_full(own, text, monkeypatch), own.session()
    before, at = runtime_of(own), text.index("    def ", len(text) // 2)
    edited = text[:at] + _BROKEN + text[at:]
    expected = _seen(other.hole(edited, at + len(_BROKEN) - 1))
    session.foresee(text)
    assert runtime_of(own) is not before
    made, empty = runtime_of(own).engine.size, _empty()
    assert _seen(session.hole(edited, at + len(_BROKEN) - 1)) == expected
    empty.session().hole(edited, at + len(_BROKEN) - 1)
    assert runtime_of(own).engine.size - made < runtime_of(empty).engine.size, "the key reads what is around its line"
    assert _seen(other.hole(edited, at + len(_BROKEN) - 1)) == expected


def test_a_pause_that_ends_early_leaves_the_engine_and_the_next_one_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    text, own = _text(40), _empty()
    session = _nearly_full(own, text, monkeypatch)
    before, asked = runtime_of(own), itertools.count()
    pauses = 0
    while runtime_of(own) is before:
        pauses += 1
        end = next(asked) + 40
        try:
            session.foresee(text, lambda: next(asked) > end)  # noqa: B023
        except Cancelled:
            assert runtime_of(own) is before
            assert session.hole(text, 0).viable
    assert 3 < pauses < 60


def test_an_engine_that_one_document_fills_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    text, own = _text(60), _empty()
    session = own.session()
    session.foresee(text)
    session.hole(text, 0)
    before = runtime_of(own)
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", int(before.size * 1.2))
    # Reading ahead ends before an engine is full.
    monkeypatch.setattr("suture.parser.session._MAX_FORESEEN", before.size)
    session.foresee(text)
    assert runtime_of(own) is before
    work, _ = calls(lambda: session.foresee(text))
    assert work < 150, "it is not tried again"


def test_a_new_engine_that_has_read_ahead_is_small_enough_to_take_a_full_ones_place() -> None:
    """Otherwise the full one is replaced when there is no room left, while somebody waits."""
    limits = vars(sys.modules["suture.parser.language"])
    most = limits["MAX_ENGINE_SIZE"] * limits["_NEARLY"] * limits["_WORTH"]
    assert vars(sys.modules["suture.parser.session"])["_MAX_FORESEEN"] <= 0.95 * most


def test_nothing_is_read_ahead_where_both_contexts_decide() -> None:
    """The pause ended with an error."""
    session, text = language("json").session(), '{"a": [1, 2],\n "b": 3}\n'
    session.hole(text, 8)
    session.foresee(text)
