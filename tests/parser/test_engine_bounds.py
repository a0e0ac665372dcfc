"""The engine's costs at most: deep texts, edits anywhere, cancelled work, memory, garbage collection."""

from __future__ import annotations

import gc
import itertools
import random
import sys
import weakref
from collections import Counter
from collections.abc import Iterator
from types import ModuleType

import pytest
from suture.parser import Cancelled, Language, Session, freeze_garbage, language
from suture.parser.glr import gc_policy
from suture.parser.glr.suffix import SuffixContext, SuffixText
from suture.parser.language import release_retired
from suture.parser.languages.python.language import new_runtime
from suture.parser.languages.python.versions import DEFAULT_VERSION
from suture.parser.scoping.state import SemanticState

from ..support.inside import runtime_of, session_of, state_of
from ..support.oracle_python import stdlib_sources
from ..support.work import calls


def deep(count: int) -> dict[str, tuple[str, str]]:
    return {
        "unary left": ("x = " + "-" * count, "y\n"),
        "unary right": ("x = ", "-" * count + "y\n"),
        "not right": ("x = ", "not " * count + "y\n"),
        "power left": ("x = " + "a ** " * count, "y\n"),
        "power right": ("x = ", " ** a" * count + "\n"),
        "attributes right": ("x = a", ".b" * count + "\n"),
        "lambdas left": ("x = " + "lambda: " * count, "y\n"),
        "conditions right": ("x = ", "a if b else " * count + "y\n"),
        "more brackets than there may be": ("x = ", "[1," * (count // 10)),
        "a long literal": ("x = [1, ", "1, " * (6 * count) + "]\n"),
    }


def complete_at(session: Session, text: str, offset: int) -> bool | None:
    """Whether a text is a valid file as it is; None if nothing can be written at the offset."""
    state = session.hole(text, offset).state
    return None if state is None else state.complete


@pytest.mark.parametrize("name", deep(0))
def test_deep_texts_are_linear(name: str) -> None:
    """Twice the text takes about twice the work, to open it and at a keystroke; quadratic work would be four times as much."""
    opened, typed = [], []
    python = Language("python", DEFAULT_VERSION, lambda: new_runtime(DEFAULT_VERSION))  # an engine with room
    for count in (1000, 2500, 5000):  # the first one fills tables made on demand
        left, right = deep(count)[name]
        session = python.session()
        made, hole = calls(lambda: session.hole(left + right, len(left)))  # noqa: B023 - called at once
        assert hole.state is not None
        opened.append(made)
        made, complete = calls(lambda: complete_at(session, left + "x" + right, len(left) + 1))  # noqa: B023
        assert complete is not None
        typed.append(made)
    assert opened[2] < 3 * opened[1] + 2000, opened
    assert typed[2] < 3 * typed[1] + 2000, typed


def test_an_edit_far_above_reads_only_what_lies_around_it() -> None:
    """Behind an edit the old readings hold again from the next unchanged line."""
    text = "".join(f"def f{i}(a, b):\n    return a + {i}\n\n\n" for i in range(2000))
    session = language("python").session()
    session.hole(text, len(text))
    before = session_of(session)._left.characters_read
    at = text.index("a + 7\n")
    for edited in (text[:at] + "b * " + text[at:], text, text[:at] + "(\n1)" + text[at:], text):
        session.hole(edited, len(edited))
    assert session_of(session)._left.characters_read - before < 500


class StopAt:
    """Stops at the n-th check, and from then on."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self) -> bool:
        self.left -= 1
        return self.left <= 0


@pytest.mark.parametrize("name", ["python", "json"])
def test_work_can_be_stopped_anywhere(name: str) -> None:
    """Whenever it is stopped, the same session then gives a new one's answers."""
    if name == "python":
        rng = random.Random(3)
        texts = ["\n".join(stdlib_sources(rng, 3, 15_000))]
        texts.append(texts[0][:9000] + ")" + texts[0][9000:])
    else:
        texts = ["[" + '{"a": [1, 2, "x"]}, ' * 100 + "1]", "[" * 60 + "1, " + "]" * 50]
    offset, stopped = 2000 if name == "python" else 60, 0
    session = language(name).session()
    for text, count in itertools.product(texts, (1, 2, 5, 30)):
        try:
            session.hole(text, offset, StopAt(count))
        except Cancelled:
            stopped += 1
        hole, fresh = session.hole(text, offset), language(name).session().hole(text, offset)
        assert hole.fallback == fresh.fallback
        assert hole.state is not None and fresh.state is not None
        state = hole.state.advance("x") or hole.state
        assert state.bridges(StopAt(count)) in ((), state.bridges())
        assert state.bridges() == (fresh.state.advance("x") or fresh.state).bridges()
    assert stopped


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many documents are open: past the bound all sessions release the engine, and it is taken apart bit by bit."""
    bound = 4_000
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", bound)
    python = Language("python", DEFAULT_VERSION, lambda: new_runtime(DEFAULT_VERSION))
    sources = stdlib_sources(random.Random(4), 12, 20_000)
    sessions = [python.session() for _ in sources]
    engines = []
    for session, text in zip(sessions * 2, sources * 2, strict=True):
        fresh = language("python").hole(text[: len(text) // 2], text[len(text) // 2 :])
        assert session.hole(text, len(text) // 2).fallback == fresh.fallback
        engines.append(runtime_of(python).engine)
        assert (
            sum(session_of(session)._runtime is not None for session in sessions) <= 1
            or runtime_of(python).engine.size <= bound
        )
    assert len(set(engines)) > 2
    for _ in range(200):
        python.runtime()
    assert len(python._retired) <= 1, "nobody who types waits for the last one"
    python.release(lambda: False)
    assert not python._retired


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.setattr(gc_policy, "FREEZE_EVERY", 1000)
    freeze_garbage()
    yield gc_policy
    gc_policy.freezing = False
    gc.unfreeze()


@pytest.mark.parametrize("version", ["3.11", "3.12"])
def test_an_engine_that_was_taken_apart_leaves_no_lexer_behind(frozen: ModuleType, version: str) -> None:
    """Frozen objects are never collected as a cycle, so the lexer must be freed with the last reference to it."""
    parts = new_runtime(version)
    lexer = parts.engine.lexer
    for text in ("f'{x:{y}}' + g(1)\n", "def f():\n\treturn '''a\n"):
        assert parts.engine.read_text(parts.engine.start, text) is not None
    freeze_garbage()
    for _ in parts.release_incrementally():
        pass
    known = weakref.ref(lexer)
    del parts, lexer
    assert known() is None


def test_collections_see_little(frozen: ModuleType) -> None:
    """While a large text is opened, interned objects are frozen again and again: a collection has few objects to visit."""
    text = "\n".join(stdlib_sources(random.Random(5), 12, 30_000))
    python = Language("python", DEFAULT_VERSION, lambda: new_runtime(DEFAULT_VERSION))
    session = python.session()
    session.hole(text, len(text) // 2)
    session.hole(text + " ", len(text) // 2)
    assert runtime_of(python).engine.size > 5 * frozen.FREEZE_EVERY
    assert len(gc.get_objects()) < 20 * frozen.FREEZE_EVERY


@pytest.mark.parametrize(("name", "text"), [("json", "["), ("python", "x = ["), ("typescript", "x = [")])
@pytest.mark.parametrize("token", ['"zqx", 17', "31.5,", ' "qxz'])
def test_a_token_is_lexed_once_and_makes_a_single_state(name: str, text: str, token: str) -> None:
    """In whatever brackets it comes; each of its characters made a state there."""
    grown: list[int] = []
    for brackets in ("", "[", "[["):
        state = state_of(language(name).hole(text + brackets, "").state)
        lexer, states = state.context.engine.lexer, len(state.left.memo)
        made = lexer.made
        assert state.advance(token) is not None
        assert len(state.left.memo) == states
        grown.append(lexer.made - made)
    assert grown[1:] == [0, 0]


def test_the_line_without_a_text_is_read_once_for_all_texts() -> None:
    """Each text that completes the line is compared with it."""
    state = language("python").hole("def f(a, b):\n    c = a", " + max(" + "a, " * 500 + "b)\n", level="names").state
    assert state is not None
    work: list[int] = []
    for text in (" + b", " - b"):
        after = state.advance(text)
        assert after is not None
        made, complete = calls(lambda text=after: text.complete)
        assert complete
        work.append(made)
    assert work[1] < 0.75 * work[0], work


BLANKS = 1_000_000


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("x = 1\n" + " " * BLANKS + "\ny = 2\n", 4),
        ("x = 1\n" + " " * BLANKS + "\ny = 2\n", BLANKS),
        ("x = [\n" + "\t" * BLANKS + "1]\ny = 2\n", BLANKS + 9),
        ("if x:\n" + " " * BLANKS + "\\\ny\n", BLANKS),
    ],
)
def test_long_runs_of_blanks_take_no_memory(text: str, offset: int) -> None:
    """Each column is its own lexer state; a line of a million took 580 MB."""
    python = language("python")
    session = python.session()
    session.hole("x = 1\n", 4)
    before = runtime_of(python).engine.size
    assert session.hole(text, offset).state is not None
    assert runtime_of(python).engine.size - before < 50_000


def test_blocks_that_start_far_to_the_right_are_refused() -> None:
    """CPython accepts them; a lexer reading the columns of such a long line has a state for each."""
    python = language("python")
    for column, valid in ((4096, True), (4097, False), (9000, False)):
        text = "if x:\n" + " " * column + "y\n"
        assert (python.hole(text, "").fallback == "none") is valid
        state = python.hole("x", "[\n" + " " * column + "y]\n").state  # columns do not count in brackets
        assert state is not None and state.complete
    # two blocks too deep are not the same block
    assert python.hole("if x:\n" + " " * 5000 + "y\n" + " " * 6000, "z\n").fallback != "none"


def test_a_reading_that_takes_too_much_memory_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"a{n} = b{n} + [{n}]\n" for n in range(4000))
    monkeypatch.setattr("suture.parser.session._MAX_MADE", 2_000 - len(text) // 2)
    own = Language("python", None, lambda: new_runtime(DEFAULT_VERSION))
    session = own.session()
    hole = session.hole(text, 4)
    assert hole.state is None and hole.fallback == "dead"
    monkeypatch.undo()
    assert session.hole(text, 4).state is not None


def test_a_retired_engine_is_released_in_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Language("python", None, lambda: new_runtime(DEFAULT_VERSION))
    text = "".join(f"a{n} = b{n} + [{n}]\n" for n in range(3000))
    own.session().hole(text, len(text) // 2)
    assert not own.has_retired
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 1000)
    assert own.has_retired
    asked = itertools.count()
    own.release(lambda: next(asked) > 2)
    assert own.has_retired and next(asked) == 4  # stopped, and continues the next time
    own.release(lambda: False)
    assert not own.has_retired


def test_the_engines_of_all_languages_have_one_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines unused since another language was used are released in a pause, even if they are not too large themselves."""
    one, other = (Language("python", None, lambda: new_runtime(DEFAULT_VERSION)) for _ in range(2))
    monkeypatch.setattr(sys.modules["suture.parser.language"], "_LANGUAGES", {one, other})
    text = "".join(f"a{n} = b{n} + [{n}]\n" for n in range(300))
    for each in (one, other):
        each.session().hole(text, len(text) // 2)
    size = one.runtime().size
    other.runtime()
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 3 * size // 2)
    assert one.has_retired and not other.has_retired
    assert one.runtime().size == size  # it is in use again
    assert other.has_retired and not one.has_retired
    release_retired(lambda: False)
    assert not other.has_retired and one.runtime().size == size
    assert other.runtime().size < size


def test_engines_make_way_that_were_unused_for_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more of them than necessary, and no small ones."""
    small, *large = (Language("python", None, lambda: new_runtime(DEFAULT_VERSION)) for _ in range(4))
    monkeypatch.setattr(sys.modules["suture.parser.language"], "_LANGUAGES", {small, *large})
    text = "".join(f"a{n} = b{n} + [{n}]\n" for n in range(2000))
    small.session().hole("x = 1\n", 4)
    for each in large:
        each.session().hole(text, len(text) // 2)
    size = large[0].runtime().size  # used again: the second one is now unused for longest
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 5 * size // 2)
    assert [each.has_retired for each in (small, *large)] == [False, False, True, False]
    release_retired(lambda: False)
    assert not any(each.has_retired for each in (small, *large))
    assert [each._size == size for each in large] == [True, False, True] and small._size


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("python", "def f():\n    x = (\n" + "    y = [a, b]\n" * 9 + "z = 1\n"),
        ("go", "package p\n\nfunc f() {\n\tx := (\n" + "\ty := a\n" * 9 + "}\n"),
    ],
)
def test_a_broken_text_is_mended_with_an_engine_that_fills_or_is_released(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search for its view, and other languages between two questions, make a session forget all."""
    wanted = language(name).renewed().session().pending(text, len(text) // 2)
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 500)
    own = language(name).renewed()
    for offset in (20, len(text) // 2):
        session = own.session()
        hole = session.hole(text, offset)
        assert session.mended(hole, text, offset).state is not None
        session.forget()
        assert session.mended(hole, text, offset).state is not None
    assert session.pending(text, offset) == wanted


def test_a_prepared_engine_makes_way_without_the_one_it_was_to_replace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its preparation was interrupted, and the old one released before the next use."""
    prepared, used = (Language("python", None, lambda: new_runtime(DEFAULT_VERSION)) for _ in range(2))
    bounds = sys.modules["suture.parser.language"]
    monkeypatch.setattr(bounds, "_LANGUAGES", {prepared, used})
    text = "".join(f"a{n} = b{n} + [{n}]\n" for n in range(2000))
    for each in (prepared, used):
        each.session().hole(text, len(text) // 2)

    def read() -> None:
        prepared.session().hole(text[: len(text) // 2], 0)
        raise Cancelled

    monkeypatch.setattr(bounds, "MAX_ENGINE_SIZE", prepared._size - 1)
    with pytest.raises(Cancelled):
        prepared.renew(read)
    prepared._retire()
    monkeypatch.setattr(bounds, "MAX_ENGINE_SIZE", used._size)
    used.runtime()
    release_retired(lambda: False)
    assert not prepared.has_retired and used._size


@pytest.mark.parametrize(
    ("name", "text"), [("python", "def f(a):\n    return a\n"), ("go", "package p\n\nfunc f() {\n}\n")]
)
def test_a_hole_that_nobody_holds_is_freed_at_once(name: str, text: str) -> None:
    """It holds the text, and nothing else frees objects frozen during its life."""

    def held() -> int:
        return sum(issubclass(type(one), SemanticState) for one in gc.get_objects())

    session = language(name).session()
    gc.collect()
    gc.disable()
    try:
        before = held()
        hole = session.hole(text, len(text) - 2, level="names")
        assert hole.state is not None and held() > before
        after = hole.state.advance("\n")
        assert after is not None
        del hole, after
        assert held() == before
    finally:
        gc.enable()


def test_what_was_read_of_a_right_context_is_freed_at_once() -> None:
    """Seven megabytes in a hundred requests waited for a full collection, which a freezing process runs only in pauses."""

    def held() -> int:
        return sum(type(one).__name__ == "TokenStream" for one in gc.get_objects())

    text = "".join(f"def f{n}(a):\n    if a:\n        return [{n}]\n" for n in range(40))
    engine = new_runtime(DEFAULT_VERSION).engine
    gc.collect()
    gc.disable()
    try:
        before = held()
        right = SuffixContext(engine, SuffixText(text), len(text))
        assert right.accepts(engine.start) and held() > before
        assert right.accepts(engine.start)  # and the memo agrees
        run = right.run(engine.start.lex)
        assert run.memo and right.accepts_from(run, 0, engine.start.stacks, engine.start.frame)
        right.tail.forget()
        del right, run
        assert held() == before
    finally:
        gc.enable()


def test_right_contexts_of_a_grammar_file_are_freed_without_a_collection() -> None:
    """Each held the document's text, and nothing else frees objects frozen during its life."""

    def held() -> Counter[str]:
        return Counter(type(one).__name__ for one in gc.get_objects())

    entries = ",\n".join(f'    {{"a": {n}, "b": [{n}]}}' for n in range(60))
    json = language("json").renewed().session()
    gc.collect()
    gc.disable()
    try:
        counts = []
        for n in range(60):
            json.hole(f'[\n{entries},\n{{"c": "{"x" * n}"\n', 8 + n)  # whose end is missing
            counts.append(held())
    finally:
        gc.enable()
    assert counts[-1]["SuffixContext"] <= counts[20]["SuffixContext"] + 2
    assert counts[-1]["Demands"] - counts[20]["Demands"] < 100 * 39  # of a thousand made by each hole


def above_and_below(count: int) -> dict[str, tuple[str, str]]:
    """Errors far below the cursor."""
    entries = "".join(f'    "a{n}": {n},\n' for n in range(count // 2))
    return {
        "blank lines": ("x = ", "\n" + "\n" * count + "z = \n"),
        "a dict": ("x = ", "{\n" + entries + '    "b" "c":: 2,\n' + entries + "}\n"),
        "backslashes": ("x = ", "\\\n" * count + "= =\n"),
    }


@pytest.mark.parametrize("name", above_and_below(0))
def test_errors_far_below_are_found_in_linear_time(name: str) -> None:
    """The text before the error was read once for each of some 200 ways into it: 2,000 blank lines took 5 s."""
    made, asked, python = [], itertools.count(), language("python")
    for count in (2_000, 8_000):
        left, right = above_and_below(count)[name]
        session = python.session()
        made.append(calls(lambda: session.hole(left + right, len(left), lambda: next(asked) < 0))[0])  # noqa: B023
    assert next(asked) > 100
    assert made[1] < 6 * made[0], made
