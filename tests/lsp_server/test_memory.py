"""The memory of a long session: bounded however many documents come and go, and however few pauses there are."""

from __future__ import annotations

import gc
import itertools
import random
import sys
import time
import weakref
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from suture.lsp_server.completion.engine import sessions
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.keeper import ModelKeeper
from suture.lsp_server.completion.engine.sessions import Sessions
from suture.lsp_server.completion.proposing.editing import Editing
from suture.lsp_server.runtime import supervisor
from suture.lsp_server.runtime.worker import Job, Worker
from suture.lsp_server.settings.spec import Settings
from suture.parser import Language
from suture.parser.language import release_retired, renew_languages
from suture.parser.languages.python.language import new_runtime
from suture.parser.languages.python.versions import DEFAULT_VERSION

WRITTEN = {
    "python": "def {0}({1}, {2}):\n    if {1} in {2}:\n        return [{0}(each, {2}) for each in {1}]\n    return {2}\n\n\n",
    "go": "func {0}({1}, {2} int) int {{\n\tif {1} > {2} {{\n\t\treturn {0}({2}, {1})\n\t}}\n\treturn {1} + {2}\n}}\n\n",
    "typescript": "export function {0}({1}: number, {2}: string[]) {{\n    for (const each of {2}) {{\n        {0}({1}, [each]);\n    }}\n}}\n\n",
    "json": '  "{0}": {{"{1}": [1, 2, {{}}], "{2}": null}},\n',
}
FRAMES = {"go": ("package p\n\n", ""), "json": ("{\n", '  "end": 0\n}\n')}


def written(language: str, rng: random.Random, functions: int) -> str:
    """A document of the language, with names of its own."""
    before, behind = FRAMES.get(language, ("", ""))
    names = (tuple(f"{rng.choice('abcdefgh')}{rng.randrange(10_000)}" for _ in range(3)) for _ in range(functions))
    return before + "".join(WRITTEN[language].format(*three) for three in names) + behind


def edit(kept: Sessions, document: str, language: str, text: str, rng: random.Random) -> None:
    """Cut the rest of a line, ask for the hole, and write some words there."""
    offset = rng.randrange(len(text) // 4, len(text) * 3 // 4)
    text = text[:offset] + text[text.find("\n", offset) :]
    found = kept.editing(CursorContext(document, language, text, offset))
    state = found.hole.state if isinstance(found, Editing) else None
    for word in ("x", "(", "foo", ")", "\n"):
        state = state and (state.advance(word) or state)
    if state is not None:
        state.bridges()


@pytest.fixture
def own_languages() -> Iterator[None]:
    """Languages with engines of their own."""
    renew_languages()
    yield
    renew_languages()


def test_a_long_session_holds_no_more_than_a_short_one(monkeypatch: pytest.MonkeyPatch, own_languages: None) -> None:
    """Without a single collection: in a frozen heap, what is left in a cycle waits for a pause."""
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 22_000)
    kept, rng, held = Sessions(ModelKeeper(Settings())), random.Random(1), list[int]()
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for number, language in zip(range(40), itertools.cycle(WRITTEN)):
            edit(kept, f"file:///{number}", language, written(language, rng, 12), rng)
            release_retired(lambda: False)
            held.append(len(gc.get_objects()) - before)
        garbage = gc.collect()
    finally:
        gc.enable()
    assert garbage < 5_000, "objects that wait for a collection"
    assert max(held[28:]) < 1.3 * max(held[8:20]), held


def test_sessions_are_bounded_by_the_length_of_their_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Sessions(ModelKeeper(Settings()))
    monkeypatch.setattr(sessions, "MAX_CHARACTERS", 30)

    def use(document: str, text: str) -> list[str]:
        kept.hole(CursorContext(document, "json", text, 1))
        return [document for document, _, _ in kept._sessions]

    assert use("a", "[" + "1, " * 2 + "1]") == ["a"]
    assert use("b", "[" + "1, " * 2 + "1]") == ["a", "b"]
    assert use("a", "[" + "1, " * 5 + "1]") == ["b", "a"]
    assert use("c", "[" + "1, " * 2 + "1]") == ["a", "c"], "the one unused for longest is dropped"
    assert use("d", "[" + "1, " * 99 + "1]") == ["d"]
    assert use("c", "[]") == ["c"]


def test_an_engine_is_freed_in_the_gaps_between_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a session without a pause, engines out of use stayed in memory."""
    own, worker = Language("python", None, lambda: new_runtime(DEFAULT_VERSION)), Worker()
    own.session().hole("".join(f"a{n} = b{n} + [{n}]\n" for n in range(3000)), 0)
    monkeypatch.setattr(sys.modules["suture.parser.language"], "_LANGUAGES", {own})
    monkeypatch.setattr(sys.modules["suture.parser.language"], "MAX_ENGINE_SIZE", 1000)
    monkeypatch.setattr(supervisor, "RELEASING_S", 0.0)
    session: Any = SimpleNamespace(backend=SimpleNamespace(worker=worker), status=SimpleNamespace(busy=True))
    assert own.has_retired
    supervisor.release_memory(session)
    end_s = time.monotonic() + 30
    while own.has_retired:
        assert time.monotonic() < end_s
        worker.submit(("suggest", "a"), lambda cancelled: time.sleep(0.001)).future.result(30)
    worker.stop()


class Generation:
    """A text in the making, with its job."""

    job: Job | None = None


def test_a_job_that_is_done_does_not_keep_its_work() -> None:
    """The work of a generation refers to the generation, which has the job and the document's text."""
    worker, done = Worker(), list[weakref.ref[Generation]]()
    gc.collect()
    gc.disable()
    try:
        for cancelled in (False, True):
            generation = Generation()
            generation.job = worker.submit("a", partial(lambda generation, stop: generation.job, generation))
            if cancelled:
                generation.job.cancel()
            generation.job.future.result(30)
            done.append(weakref.ref(generation))
            del generation
        worker.submit("b", lambda cancelled: None).future.result(30)  # the worker has let go of the one before
        assert [each() for each in done] == [None, None]
    finally:
        gc.enable()
        worker.stop()


@pytest.mark.parametrize("most", [0, 1 << 40])
def test_a_very_large_heap_is_not_searched_for_garbage(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """It stopped every thread for 2 s, so that the process was taken for hung."""
    monkeypatch.setattr(supervisor, "MOST_TIDIED", most)
    jobs: list[str] = []
    worker = SimpleNamespace(submit=lambda key, work, background: jobs.append(key))
    engine = SimpleNamespace(keeper=SimpleNamespace(loaded=True, tidy=None))
    session: Any = SimpleNamespace(
        backend=SimpleNamespace(worker=worker, engine=engine),
        status=SimpleNamespace(busy=False),
        service=SimpleNamespace(asked_s=time.monotonic()),
        tidied_s=time.monotonic() - 2 * supervisor.TIDY_LATEST_S,
    )
    gc.freeze()
    try:
        supervisor.tidy_in_a_pause(session)
    finally:
        gc.unfreeze()
    assert jobs == (["tidy"] if most else [])
