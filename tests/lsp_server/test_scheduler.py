"""Requests: answers from the cache, waiting and outdated requests, and texts made in advance; with a staged engine."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest
from suture.lsp_server.completion.asking import debounce, scheduler
from suture.lsp_server.completion.asking.newline_indent import after_enter
from suture.lsp_server.completion.asking.scheduler import Answer, CompletionScheduler
from suture.lsp_server.completion.asking.suggestion_cache import file_after
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.context.cross_file import LIMITS
from suture.lsp_server.runtime.backend import Backend
from suture.lsp_server.runtime.worker import Worker
from suture.lsp_server.session.documents import Documents
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion

from ..support.places import cursor_at
from ..support.work import PATIENCE_S

URI = "file:///w/a.py"


def suggestion(text: str) -> Suggestion:
    return Suggestion(text, Completion(text, 1, "model", True, 0.0, 0.0, 0.0), True, 0.0)


class CompletionEngine:
    """Suggests the text of `says` for a left context, piece by piece, when allowed."""

    def __init__(self):
        self.sessions = self
        self.keeper = SimpleNamespace(works_ahead=False, away="", stands_in=False)
        self.says: dict[str, str] = {}
        self.behind = 0  # characters of each text behind the cursor
        self.asked: list[str] = []
        self.columns: dict[str, int] = {}  # of the blocks not ended by texts, by their left contexts
        self.goes_on: list[int | None] = []  # the columns of the blocks continued by requests
        self.refused: list[int] = []  # suggestions of the line before each request
        self.stopped: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.held = ""  # a left context at which the gate closes
        self.begun: queue.SimpleQueue[str] = queue.SimpleQueue()  # the left contexts stopped at the gate
        self.error: Exception | None = None
        self.reading = threading.Event()  # of modules
        self.may_read = threading.Event()
        self.may_read.set()
        self.read: list[bool] = []  # for each reading of modules, whether it was cut short
        self.foreseen: list[str] = []  # texts read ahead
        self.has_foreseen = threading.Event()

    def suggest(self, place, cancelled, on_text):
        left = place.text[: place.offset]
        self.asked.append(left)
        self.goes_on.append(place.column)
        self.refused.append(place.refused)
        text = self.says.get(left, "")
        for char in text[:3]:
            on_text(char)
        if left == self.held:
            self.gate.clear()
        self.begun.put(left)
        while not self.gate.wait(0.001):
            if cancelled():
                self.stopped.append(left)
                return Hidden(Reason.CANCELLED)
        if self.error is not None:
            raise self.error
        said = replace(suggestion(text), behind=self.behind, column=self.columns.get(left))
        return said if text else Hidden(Reason.NO_TEXT)

    def alternatives(self, place, n, cancelled, on_text=None):
        left = place.text[: place.offset]
        if left in self.columns or place.column is not None:
            self.goes_on.append(place.column)
            if on_text is not None and left in self.says:
                on_text(self.says[left])
            return [replace(suggestion(self.says[left]), column=self.columns.get(left))] if left in self.says else []
        return [suggestion(text) for text in ("one", "two", "foo(a)")][:n]

    def first_that_fits(self, place, texts, cancelled):
        self.asked.append("fits " + "|".join(texts))
        return texts[0]

    def warm(self, place, cancelled):
        self.asked.append("warm")

    def read_imports(self, place, cancelled):
        self.reading.set()
        while not self.may_read.wait(0.001) and not cancelled():
            pass
        self.read.append(cancelled())

    def foresee(self, place, cancelled):
        self.foreseen.append(place.text)
        self.has_foreseen.set()

    def read_ahead(self, place, cancelled):
        self.asked.append("read ahead")


class Stage:
    """A suggester with a document being typed."""

    def __init__(self):
        self.engine, self.worker = CompletionEngine(), Worker()
        self.backend = Backend(worker=self.worker, loader=self.worker)
        self.backend.engine = self.engine  # type: ignore[assignment]
        self.now_s = 100.0
        self.suggester = CompletionScheduler(self.backend, lambda: self.now_s)
        self.text = ""
        self.settings = Settings(ahead=False)
        self.inside = False

    def place(self, marked: str) -> CursorContext:
        text, offset = marked.replace("|", ""), marked.index("|")
        return CursorContext(URI, "python", text, offset, settings=self.settings, inside=self.inside)

    def edit(self, marked: str, after_s: float = 1.0) -> None:
        self.now_s += after_s
        self.text = marked.replace("|", "")
        self.suggester.edited(URI, lambda: self.text)

    async def ask(self, marked: str, **how) -> Answer:
        return await self.suggester.ask(self.place(marked), **how)

    async def check(self, marked: str, shown: str | None, source: str = "model", **how) -> None:
        answer = await self.ask(marked, **how)
        assert [one.text for one in answer.suggestions] == ([] if shown is None else [shown])
        assert answer.source == source

    async def started(self, left: str) -> None:
        """The engine has begun a suggestion, and stands at the gate."""
        while await asyncio.to_thread(self.engine.begun.get, timeout=PATIENCE_S) != left:
            pass

    async def idle(self) -> None:
        """All work handed in so far is done, and its end is known."""
        job = self.worker.submit(object(), lambda cancelled: None, background=True)
        await asyncio.wait_for(asyncio.wrap_future(job.future), PATIENCE_S)
        await self.landed()

    async def landed(self) -> None:
        """The suggestions made so far are in the cache."""
        while self.suggester._flights:
            await asyncio.sleep(0.001)


@pytest.fixture
def stage():
    stage = Stage()
    yield stage
    stage.engine.gate.set()
    stage.worker.stop()
    assert stage.worker.join(PATIENCE_S)


async def test_typing_along_deleting_and_retyping_ask_no_model(stage):
    stage.engine.says = {"x = ": "foo(a)", "x = g": "oo"}
    await stage.check("x = |\n", "foo(a)")
    for marked, rest in [("x = f|\n", "oo(a)"), ("x = fo|\n", "o(a)"), ("x = |\n", "foo(a)"), ("x = foo(|)\n", "a")]:
        stage.edit(marked)
        await stage.check(marked, rest, "memory")
    assert stage.engine.asked == ["x = "]
    stage.edit("x = g|\n")
    await stage.check("x = g|\n", "oo")
    await stage.check("x = |\n", "foo(a)", "memory")
    assert stage.engine.asked == ["x = ", "x = g"]


async def test_the_cursor_stays_before_what_closes_a_suggestion(stage):
    stage.engine.says, stage.engine.behind = {"x = ": "foo(a)", "x = foo(a": ", b)"}, 1
    for marked, rest, behind in [("x = |\n", "foo(a)", 1), ("x = fo|\n", "o(a)", 1), ("x = foo(|)\n", "a", 0)]:
        stage.edit(marked)
        (shown,) = (await stage.ask(marked)).suggestions
        assert (shown.text, shown.behind) == (rest, behind)
    assert stage.engine.asked == ["x = "]
    stage.edit("x = foo(a|\n")  # a closer alone is no suggestion
    await stage.check("x = foo(a|\n", ", b)")
    assert stage.engine.asked == ["x = ", "x = foo(a"]


async def test_what_follows_is_made_for_where_the_cursor_stays(stage):
    stage.settings = Settings(ahead=True)
    stage.engine.says, stage.engine.behind = {"x = ": "foo(a)", "x = foo(a": ", b"}, 1
    stage.edit("x = |\n")
    await stage.check("x = |\n", "foo(a)")
    stage.edit("x = foo(a|)\n")
    answer = await stage.ask("x = foo(a|)\n")
    assert [one.text for one in answer.suggestions] == [", b"] and answer.source in ("foreseen", "memory")


async def test_work_ahead_inside_of_brackets_goes_on_while_typing_along(stage):
    stage.engine.held = "x = foo(a"
    stage.settings = Settings(ahead=True)
    stage.engine.says, stage.engine.behind = {"x = ": "foo(a)"}, 1
    await stage.check("x = |\n", "foo(a)")
    await stage.started("x = foo(a")
    for marked, rest in [("x = f|\n", "oo(a)"), ("x = fo|\n", "o(a)"), ("x = foo(|)\n", "a")]:
        stage.edit(marked)
        await stage.check(marked, rest, "memory")
        await asyncio.sleep(0.01)
    assert (stage.engine.asked, stage.engine.stopped) == (["x = ", "x = foo(a"], [])


async def test_what_is_typed_instead_of_suggestions_is_counted_for_the_line(stage):
    stage.engine.says = {"x = ": "foo(a)", "x = b": "ase", "x = ba": "r", "x = bat": "h"}
    for marked in ("x = |\n", "x = b|\n", "x = ba|\n", "x = bat|\n", "x = bath|\n", "x = bath.|\n", "x = bath.\n|\n"):
        stage.edit(marked)
        await stage.ask(marked)
    # `a` was typed along, and `t` is not `s`; `h` accepts the shown text, and makes up for the rest.
    assert dict(zip(stage.engine.asked, stage.engine.refused, strict=True)) == {
        "x = ": 0, "x = b": 1, "x = bat": 2, "x = bath": 0, "x = bath.": 0, "x = bath.\n": 0,
    }  # fmt: skip


async def test_what_the_editor_closed_goes_to_the_engine(stage):
    stage.engine.says = {"x = ": "f(a).b"}
    await stage.check("x = |\n", "f(a).b")
    await stage.check("x = f(|)\n", "a", "memory")
    assert stage.engine.asked == ["x = ", "fits a"]
    await stage.check("x = f(|)\n", "a", "memory")  # it is remembered now
    assert len(stage.engine.asked) == 2


async def test_that_there_was_nothing_is_remembered_too(stage):
    await stage.check("x = 1|\n", None)
    await stage.check("x = 1|\n", None, "memory")
    assert stage.engine.asked == ["x = 1"]


async def test_what_a_model_said_that_stood_in_is_forgotten_once_the_users_may_be_asked(stage):
    stage.engine.keeper.away, stage.engine.keeper.stands_in = "the server does not answer", True
    await stage.check("x = |\n", None)
    await stage.check("x = |\n", None, "memory")
    stage.engine.keeper.stands_in = False  # it may be asked again, and answers
    stage.engine.says = {"x = ": "f(a)"}
    stage.engine.keeper.away = ""
    await stage.check("x = |\n", "f(a)")
    await stage.check("x = |\n", "f(a)", "memory")
    assert stage.engine.asked == ["x = ", "x = "]


async def test_a_generation_that_foresees_what_is_typed_goes_on(stage):
    stage.engine.says = {"x = ": "foo(a)"}
    stage.engine.gate.clear()
    first = asyncio.ensure_future(stage.ask("x = |\n"))
    await stage.started("x = ")
    stage.edit("x = fo|\n")
    assert (await first).hidden == Hidden(Reason.OUTDATED)
    second = asyncio.ensure_future(stage.ask("x = fo|\n"))
    await asyncio.sleep(0.01)
    stage.engine.gate.set()
    answer = await second
    assert (answer.suggestions[0].text, answer.source) == ("o(a)", "foreseen")
    assert stage.engine.asked == ["x = "]


@pytest.mark.parametrize(
    ("typed", "rest"),
    [("se", "lf):\n    return 1"), ("self", "):\n    return 1"), ("sl", None)],
)
async def test_it_goes_on_where_what_it_replaces_stands_behind_the_cursor(stage, typed, rest):
    stage.engine.says = {"def area(": "self):\n    return 1", "def area(sl": "ope):\n    pass"}

    def ask(left: str) -> asyncio.Task[Answer]:
        # The document has `)` behind the cursor; the place has not.
        place = CursorContext(URI, "python", left + "\n", len(left), settings=stage.settings, replaced=")")
        return asyncio.ensure_future(stage.suggester.ask(place))

    stage.engine.gate.clear()
    first = ask("def area(")
    await stage.started("def area(")
    stage.edit(f"def area({typed}|)\n")
    assert (await first).hidden == Hidden(Reason.OUTDATED)
    second = ask("def area(" + typed)
    await asyncio.sleep(0.01)
    stage.engine.gate.set()
    answer = await second
    assert (answer.suggestions[0].text, answer.source) == ((rest or "ope):\n    pass"), "foreseen" if rest else "model")
    assert stage.engine.stopped == ([] if rest else ["def area("])


async def test_work_ahead_of_what_replaces_a_bracket_goes_on_while_typing_along_and_when_it_is_accepted(stage):
    accepted = "def area(self):\n    return 1"
    stage.settings = Settings(ahead=True)
    stage.engine.says = {"def area(": "self):\n    return 1", accepted: " + 2"}

    def ask(left: str, replaced: str) -> asyncio.Future[Answer]:
        place = CursorContext(URI, "python", left + "\n", len(left), settings=stage.settings, replaced=replaced)
        return asyncio.ensure_future(stage.suggester.ask(place))

    stage.engine.held = accepted
    await ask("def area(", ")")
    await stage.started(accepted)
    for text in ("def area(s|)\n", f"{accepted}|\n"):
        stage.edit(text)
    stage.engine.gate.set()
    assert (await ask(accepted, "")).suggestions[0].text == " + 2"
    assert stage.engine.stopped == []
    assert stage.engine.asked.count(accepted) == 1


async def test_a_generation_that_does_not_is_stopped(stage):
    stage.engine.says = {"x = ": "foo(a)", "x = fu": "bar"}
    stage.engine.gate.clear()
    first = asyncio.ensure_future(stage.ask("x = |\n"))
    await stage.started("x = ")
    stage.edit("x = fu|\n")
    assert (await first).hidden == Hidden(Reason.OUTDATED)
    while not stage.engine.stopped:  # by the edit alone
        await asyncio.sleep(0.01)
    second = asyncio.ensure_future(stage.ask("x = fu|\n"))
    await stage.started("x = fu")
    assert stage.engine.stopped == ["x = "]
    stage.engine.gate.set()
    assert (await second).suggestions[0].text == "bar"


async def test_neither_requests_nor_edits_stop_what_is_made_for_another_document(stage):
    stage.engine.says = {"x = ": "foo", "y = ": "bar"}
    stage.engine.gate.clear()
    first = asyncio.ensure_future(stage.ask("x = |\n"))
    await stage.started("x = ")
    other = replace(stage.place("y = |\n"), document="file:///w/b.py")
    stage.suggester.edited(other.document, lambda: other.text)
    second = asyncio.ensure_future(stage.suggester.ask(other))
    await asyncio.sleep(0)
    stage.suggester.closed("file:///w/c.py")
    stage.engine.gate.set()
    assert [(await one).suggestions[0].text for one in (first, second)] == ["foo", "bar"]
    assert stage.engine.stopped == []


async def test_what_was_foreseen_wrongly_is_asked_anew(stage):
    stage.engine.says = {"x = ": "foo(a)", "x = fool": "ish"}
    stage.engine.gate.clear()
    first = asyncio.ensure_future(stage.ask("x = |\n"))
    await stage.started("x = ")
    stage.edit("x = fool|\n")  # as far as it has written, "foo", this may still be right
    await first
    second = asyncio.ensure_future(stage.ask("x = fool|\n"))
    await asyncio.sleep(0.01)
    stage.engine.gate.set()
    assert (await second).suggestions[0].text == "ish"
    assert stage.engine.asked == ["x = ", "x = fool"]


async def test_the_newest_request_wins_and_a_cancelled_one_stops_its_generation(stage):
    stage.engine.says = {"x = ": "foo", "y = ": "bar"}
    stage.engine.gate.clear()
    first = asyncio.ensure_future(stage.ask("x = |\n"))
    await stage.started("x = ")
    second = asyncio.ensure_future(stage.ask("y = |\n"))
    assert (await first).hidden == Hidden(Reason.OUTDATED)
    await stage.started("y = ")
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    await stage.idle()
    assert stage.engine.stopped == ["x = ", "y = "]


async def test_quick_typing_waits_and_invoking_does_not(stage, monkeypatch):
    stage.engine.says = {"x = aaaaaa": "foo"}
    for count in range(7):
        stage.edit("x = " + "a" * count + "|\n", after_s=0.1)
    with monkeypatch.context() as forever:
        forever.setattr(scheduler, "wait_s", lambda *rhythm: debounce.wait_s(*rhythm) and 1e6)
        waiting = asyncio.ensure_future(stage.ask("x = aaaaaa|\n"))
        await asyncio.sleep(0.02)
    assert stage.engine.asked == []  # it waits
    stage.edit("x = aaaaaab|\n", after_s=0.1)
    assert (await asyncio.wait_for(waiting, PATIENCE_S)).hidden == Hidden(
        Reason.OUTDATED
    )  # at once, and the model was never asked
    assert stage.engine.asked == []
    answer = await stage.ask("x = aaaaaab|\n", invoked=True)
    assert len(answer.suggestions) == 3
    waits: list[float] = []
    monkeypatch.setattr(scheduler, "wait_s", lambda *rhythm: waits.append(debounce.wait_s(*rhythm)) or waits[-1])
    await stage.check("x = aaaaaa|\n", "foo")
    assert [0.1 <= wait <= 0.25 for wait in waits] == [True]


async def test_what_is_shown_is_the_last_alternative(stage):
    stage.engine.says = {"x = ": "foo(a)"}
    await stage.check("x = |\n", "foo(a)")
    answer = await stage.ask("x = |\n", invoked=True)
    assert [one.text for one in answer.suggestions] == ["one", "two", "foo(a)"]
    stage.edit("x = t|\n")
    await stage.check("x = t|\n", "wo", "memory")  # typing along any of them
    assert len((await stage.ask("x = |\n", invoked=True, alternatives=1)).suggestions) == 1


async def test_a_text_that_is_asked_for_again_goes_on(stage):
    stage.engine.says = {"if x:\n    ": "a()", "if x:\n    a()": "\n    b()", "if x:\n    a()\n    b()": "\n    c()"}
    stage.engine.columns = {"if x:\n    ": 4, "if x:\n    a()": 4}
    for text in ("a()", "a()\n    b()", "a()\n    b()\n    c()"):
        pieces: list[str] = []
        answer = await stage.ask("if x:\n    |\n", invoked=True, on_piece=pieces.append)
        assert answer.suggestions[0].text == "".join(pieces) == text
    assert stage.engine.goes_on == [None, 4, 4]


async def test_the_rest_of_a_block_stands_behind_its_first_statements(stage):
    stage.settings = Settings(ahead=True)
    stage.engine.says = {"if x:\n    ": "a()", "if x:\n    a()": "\n    b()"}
    stage.engine.columns = {"if x:\n    ": 4}
    await stage.check("if x:\n    |\n", "a()")
    await stage.idle()
    assert stage.engine.goes_on == [None, 4]
    stage.edit("if x:\n    a()|\n")
    answer = await stage.ask("if x:\n    a()|\n")
    assert [one.text for one in answer.suggestions] == ["\n    b()"] and answer.source == "memory"


async def test_the_suggestion_after_the_one_that_is_shown_is_there_when_that_is_accepted(stage):
    stage.settings = Settings(ahead=True)
    stage.engine.says = {"x = ": "foo", "x = foo": "(1)"}
    await stage.check("x = |\n", "foo")
    await stage.idle()
    assert stage.engine.asked == ["x = ", "x = foo"]
    stage.edit("x = foo|\n")
    await stage.check("x = foo|\n", "(1)", "memory")


async def test_where_there_is_nothing_the_next_line_is_looked_at(stage):
    stage.settings = Settings(ahead=True)
    stage.engine.says = {"if x:\n    ": "y()"}
    await stage.check("if x:|\n", None)
    await stage.idle()
    stage.edit("if x:\n    |\n")
    await stage.check("if x:\n    |\n", "y()", "memory")


@pytest.mark.parametrize(
    ("marked", "inserted"),
    [
        ("x = 1|", "\n"),
        ("    x = 1|\ny", "\n    "),
        ("\tif x:|\n", "\n\t\t"),
        ("  f(|\n", "\n    "),
        ("    return 1|\n", "\n"),
        ("        passed = 1|\n", "\n        "),
        ("x = |1\n", None),
        ("    |\n", None),
    ],
)
def test_what_enter_inserts(marked, inserted):
    assert after_enter(cursor_at(marked), "python") == inserted


async def test_work_ahead_goes_on_while_typing_along_and_makes_way_for_others(stage):
    stage.settings = Settings(ahead=True)
    stage.engine.says = {"x = ": "foo", "x = foo": "(1)"}
    stage.engine.held = "x = foo"
    await stage.check("x = |\n", "foo")
    await stage.started("x = foo")
    stage.edit("x = f|\n")
    await stage.check("x = f|\n", "oo", "memory")
    assert (stage.engine.asked, stage.engine.stopped) == (["x = ", "x = foo"], [])
    stage.edit("x = fa|\n")
    other = asyncio.ensure_future(stage.ask("x = fa|\n"))
    await stage.started("x = fa")
    assert stage.engine.stopped == ["x = foo"]
    stage.engine.gate.set()
    await other


async def test_a_slow_model_reads_more_in_a_pause_and_not_while_somebody_types(stage, monkeypatch):
    monkeypatch.setattr(scheduler, "READING_PAUSE_S", 0.0)
    await stage.ask("w = |\n")
    stage.engine.keeper.works_ahead = True
    await stage.ask("x = |\n")
    await asyncio.sleep(0.1)
    # A quick model has read all, and one user wants nothing done in advance.
    assert "read ahead" not in stage.engine.asked
    stage.settings = Settings(ahead=True)
    monkeypatch.setattr(scheduler, "READING_PAUSE_S", 1e6)
    await stage.ask("y = |\n")
    waiting = stage.suggester._reading
    assert waiting is not None
    monkeypatch.setattr(scheduler, "READING_PAUSE_S", 0.0)
    await stage.ask("z = |\n")  # before the pause is over
    assert waiting.cancelled()
    while "read ahead" not in stage.engine.asked:
        await asyncio.sleep(0.001)
    await stage.idle()
    assert stage.engine.asked.count("read ahead") == 1 and stage.engine.asked[-1] == "read ahead"


async def test_an_edit_ends_the_work_in_a_pause_and_a_text_from_memory_begins_it_anew(stage, monkeypatch):
    monkeypatch.setattr(scheduler, "READING_PAUSE_S", 0.0)
    stage.settings, stage.engine.says = Settings(ahead=True), {"x = ": "foo"}
    stage.engine.keeper.works_ahead = True
    ended, begun = threading.Event(), queue.SimpleQueue[str]()

    def read_ahead(place: CursorContext, cancelled: Callable[[], bool]) -> None:
        begun.put(place.text)
        while not cancelled():
            time.sleep(0.001)
        ended.set()

    stage.engine.read_ahead = read_ahead
    await stage.check("x = |\n", "foo")
    assert await asyncio.to_thread(begun.get, timeout=PATIENCE_S) == "x = \n"
    stage.edit("x = f|\n")
    assert await asyncio.to_thread(ended.wait, PATIENCE_S)
    await stage.check("x = f|\n", "oo", "memory")
    assert await asyncio.to_thread(begun.get, timeout=PATIENCE_S) == "x = f\n"
    stage.suggester.give_up()


async def test_modules_are_read_behind_work_ahead_and_not_while_somebody_waits(stage):
    stage.settings = Settings(ahead=True)
    stage.engine.says = {"x = ": "foo", "y = ": "bar", "z = ": "baz"}
    await stage.check("x = |\n", "foo")
    await stage.idle()
    assert (stage.engine.asked, stage.engine.read) == (["x = ", "x = foo"], [False])
    stage.engine.reading.clear()
    stage.engine.may_read.clear()
    await stage.check("y = |\n", "bar")
    assert await asyncio.to_thread(stage.engine.reading.wait, PATIENCE_S)
    await stage.check("z = |\n", "baz")  # although the reading was not at its end
    assert stage.engine.read == [False, True]
    stage.engine.may_read.set()


async def test_a_document_is_read_ahead_when_it_is_opened_and_after_each_request(stage):
    stage.engine.says = {"x = ": "foo"}
    stage.suggester.opened(stage.place("y|\n"))
    assert await asyncio.to_thread(stage.engine.has_foreseen.wait, PATIENCE_S)
    stage.engine.has_foreseen.clear()
    assert stage.engine.asked == ["warm"], "before that"
    await stage.check("x = |\n", "foo")
    assert await asyncio.to_thread(stage.engine.has_foreseen.wait, PATIENCE_S)
    assert stage.engine.foreseen == ["y\n", "x = \n"]


async def test_work_ahead_that_is_asked_for_does_not_wait_for_modules(stage):
    stage.settings = Settings(ahead=True)
    stage.engine.says = {"x = ": "foo", "x = foo": "(1)", "x = foo(1)": " + 2"}
    stage.engine.may_read.clear()
    await stage.check("x = |\n", "foo")
    assert await asyncio.to_thread(stage.engine.reading.wait, PATIENCE_S)
    await stage.landed()
    await stage.check("x = foo|\n", "(1)", "memory")
    await asyncio.wait_for(stage.check("x = foo(1)|\n", " + 2", "foreseen"), PATIENCE_S)
    assert stage.engine.read == [True]


async def test_nothing_in_a_word_in_secret_files_or_for_what_was_rejected(stage):
    stage.engine.says = {"x = ": "foo", "x = fo": "o"}
    await stage.check("x = fo|o\n", None)
    secret = replace(stage.place("KEY = |"), document="file:///w/.env", path="/w/.env")
    assert (await stage.suggester.ask(secret)).hidden == Hidden(Reason.SECRET)
    assert (await stage.suggester.ask(secret, invoked=True)).suggestions == ()
    assert stage.engine.asked == []
    await stage.check("x = |\n", "foo")
    place = stage.place("x = |\n")
    stage.suggester.rejected(file_after(place.text, place.offset, "foo"))
    await stage.check("x = |\n", None, "memory")
    await stage.check("x = f|\n", None, "memory")  # the same thing
    assert len((await stage.ask("x = |\n", invoked=True)).suggestions) == 3


async def test_errors_reach_who_asks_and_are_not_remembered(stage):
    stage.engine.says = {"x = ": "foo"}
    stage.engine.error = ValueError("no")
    with pytest.raises(ValueError):
        await stage.ask("x = |\n")
    stage.engine.error = None
    await stage.check("x = |\n", "foo")


async def test_other_settings_or_another_engine_begin_with_an_empty_memory(stage):
    stage.engine.says = {"x = ": "foo"}
    await stage.check("x = |\n", "foo")
    stage.settings = Settings(ahead=False, max_tokens=7)
    await stage.check("x = |\n", "foo")
    stage.engine = stage.backend.engine = CompletionEngine()
    await stage.check("x = |\n", None)
    stage.suggester.closed(URI)
    await stage.check("x = |\n", None)
    assert stage.engine.asked == ["x = ", "x = "]


def test_other_documents_come_last_edited_first_and_secret_ones_never(stage):
    documents = Documents()
    for name, language in (
        ("a.py", "python"),
        ("b.py", "python"),
        ("c.py", "python"),
        (".env", "python"),
        ("d.json", "json"),
    ):
        documents.open(f"file:///w/{name}", language, 1, name)
        stage.suggester.opened(replace(stage.place("|"), document=f"file:///w/{name}"))
    stage.suggester.edited("file:///w/b.py", str)
    assert [source.path for source in stage.suggester.others(documents, URI)] == ["/w/b.py", "/w/c.py"]
    stage.suggester.closed("file:///w/b.py")
    assert [source.path for source in stage.suggester.others(documents, URI)] == ["/w/c.py"]
    for number in range(LIMITS.files + 2):
        documents.open(f"file:///w/{number}.py", "python", 1, "")
        stage.suggester.opened(replace(stage.place("|"), document=f"file:///w/{number}.py"))
    last = [f"/w/{number}.py" for number in reversed(range(2, LIMITS.files + 2))]
    assert [source.path for source in stage.suggester.others(documents, URI)] == last
