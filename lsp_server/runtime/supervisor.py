"""The supervisor of a session's model: loads it, loads another when the settings change, frees its memory, replaces a hung thread."""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
import os
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...common import untrusted
from ..completion.engine.pipeline import CompletionEngine
from ..errors import Unavailable, UserError
from ..session.status import parts_of
from .backend import MODEL_SETTINGS, model_choice
from .worker import Hung, Job

if TYPE_CHECKING:
    from ..session.session import Session
    from ..settings.spec import GrammarSetting, Settings

logger = logging.getLogger("suture.keeping")

LOADING_S = 900.0
"""Seconds after which a load counts as hanging: a large model from a slow disk takes minutes."""
TICK_S = 1.0
# Seconds without a request, then a pause of some tenths of a second for garbage goes unnoticed; and seconds between two of them.
PAUSE_S, TIDY_EVERY_S = 3.0, 120.0
TIDY_LATEST_S = 300.0  # the most between two of them, under constant requests
MOST_TIDIED = 1_000_000  # objects in a heap that is searched for garbage: 0.35 s
RELEASING_S = 0.005  # of processor time for freeing engines, for which a request waits
DETAILS_TICKS = 10  # between two looks at the model's memory
FILES_TICKS = 3  # ticks between two looks at the settings files: not every client reports their changes


async def load(session: Session) -> None:
    """Load the model for the settings ahead of the first suggestion."""
    problem = await _loaded(session, _load_or_stand_in(session))
    if problem is not None:
        session.status.report_unavailable(problem)


async def _load_or_stand_in(session: Session) -> bool:
    """Wait for the model, even while the embedded one stands in; whether it is still wanted. Raises Unavailable and Hung."""
    worker, engine = session.backend.worker, session.backend.engine
    since_s = time.monotonic()
    while True:
        job = worker.submit("load", lambda cancelled: engine.keeper.load_or_stand_in(), LOADING_S)
        await asyncio.wrap_future(job.future)
        loading = engine.keeper.loading
        if loading is None or job.cancelled():
            break
        await asyncio.wait({asyncio.wrap_future(loading)}, timeout=LOADING_S)
        if loading.cancelled() or engine is not session.backend.engine:
            return False
        if not loading.done() and time.monotonic() - since_s >= LOADING_S:
            raise Hung
    if engine.keeper.problem is not None:
        what, to_do = parts_of(engine.keeper.problem)
        raise Unavailable(f"{what}; {to_do}; the embedded model suggests instead" if to_do else what)
    return not job.cancelled()


async def take_settings(session: Session) -> None:
    """Apply changed settings; another model is loaded beside the present one, which stays if the load fails."""
    await register_grammars(session)
    settings, backend = session.settings, session.backend
    if model_choice(settings) == model_choice(backend.settings) or not settings.enable:
        if settings.enable and not session.status.inputs.started:
            backend.begin(settings)
            await load(session)
        else:
            backend.begin(settings)
        session.status.publish()
        return
    engine = CompletionEngine(settings)
    job = backend.loader.submit("load", lambda cancelled: engine.keeper.load(), LOADING_S)
    problem = await _loaded(session, _result_of(job))
    try:
        _take_engine(session, engine, settings, problem, job)
    finally:
        if backend.engine is not engine:  # or its model, loaded or still loading, would stay: llama.cpp is a process
            backend.loader.submit(("unload", engine), lambda cancelled: engine.unload())


def _take_engine(
    session: Session, engine: CompletionEngine, settings: Settings, problem: UserError | None, job: Job
) -> None:
    """Switch to a loaded engine, unless it is no longer wanted."""
    backend = session.backend
    if job.cancelled() or model_choice(settings) != model_choice(session.settings):
        return  # the settings have changed again
    old, kept = backend.engine, backend.settings
    if problem is None or old.keeper.model_name is None:
        backend.take(settings, engine)
    else:
        kept = replace(settings, **{name: getattr(kept, name) for name in MODEL_SETTINGS})
        backend.begin(kept)
    if problem is None:
        session.status.publish()
    elif old.keeper.model_name is None:
        session.status.report_unavailable(problem)
    else:
        session.client.show(f"{problem}; {old.keeper.model_name} stays in use")


async def reload(session: Session) -> None:
    """Start with an empty engine, and load the model again."""
    session.backend.worker.cancel_all()
    session.backend.new_engine(session.settings)
    await load(session)


async def _result_of(job: Job) -> bool:
    await asyncio.wrap_future(job.future)
    return not job.cancelled()


async def _loaded(session: Session, load: Coroutine[Any, Any, bool]) -> UserError | None:
    """Wait for a load (its result: whether it is still wanted); return its problem, if any."""
    start_s = time.perf_counter()
    try:
        with session.status.loading():
            wanted = await session.client.with_progress("Suture: loading the model", load)
    except Unavailable as problem:
        from ...model.loading import installed

        session.status.inputs.install = installed.mends(str(problem))
        session.status.publish()
        return problem
    except Hung:
        return UserError("the model does not finish loading; choose another")
    except Exception as error:
        logger.exception("the model could not be loaded")
        return UserError(f"the model could not be loaded ({type(error).__name__}); the log says where")
    if wanted:
        session.status.set_problem()
        session.status.inputs.install = ""
        session.client.log(f"the model was loaded in {time.perf_counter() - start_s:.1f} s")
        session.status.publish()
    return None


async def register_grammars(session: Session) -> None:
    """Register the user's own languages, and show their faults. They are compiled on the loader's thread, in processes of their own."""
    backend = session.backend
    new = [grammar for grammar in session.settings.grammars if grammar not in backend.grammars + backend.compiling]
    if not new:
        return
    from ...parser import languages

    for grammar in new:
        path = Path(os.path.expanduser(grammar.path))
        if grammar.name in languages() and grammar.name not in {registered.name for registered in backend.grammars}:
            session.client.show(f"grammars: {grammar.name} is built in; choose another name")
        elif not untrusted.is_regular(path):
            session.client.show(f"grammars: {path} is not a file; correct the path of {grammar.name}")
        else:
            await _register(session, grammar, path)


async def _register(session: Session, grammar: GrammarSetting, path: Path) -> None:
    from ...parser import GrammarError, load_language
    from ...parser.grammar.isolated import CompileLimits

    def compiled(cancelled: Callable[[], bool]) -> bool:
        load_language(grammar.name, path, grammar.start, grammar.patterns, CompileLimits())
        return True

    backend = session.backend
    backend.compiling += (grammar,)
    job = backend.loader.submit(("grammar", grammar.name), compiled, LOADING_S)
    title = f"Suture: compiling the grammar of {grammar.name}"
    try:
        if await session.client.with_progress(title, asyncio.wrap_future(job.future)):
            backend.grammars += (grammar,)
    except GrammarError as error:
        session.client.show(str(error))
    except Hung:
        session.client.show(f"{path}: compiling it does not end; make it smaller")
    finally:
        backend.compiling = tuple(compiling for compiling in backend.compiling if compiling != grammar)


async def prepare(session: Session, language: str, version: str | None) -> None:
    """Load the tables of a language ahead of its first suggestion."""
    from ...parser import GrammarError

    engine = session.backend.engine
    key = ("prepare", language, version)
    job = session.backend.worker.submit(key, lambda cancelled: engine.sessions.prepare(language, version), LOADING_S)
    try:
        await session.client.with_progress(
            f"Suture: reading the grammar of {language}", asyncio.wrap_future(job.future)
        )
    except GrammarError as error:
        session.client.show(str(error))
    except Hung:
        pass  # reported where it is noticed
    except Exception:
        logger.exception("a grammar could not be read")


async def keep(session: Session) -> None:
    """Look after the model once a second, for the whole session."""
    for tick in itertools.count(1):
        await asyncio.sleep(TICK_S)
        try:
            replace_hung(session)
            unload_idle(session)
            tidy_in_a_pause(session)
            release_memory(session)
            session.offer.consider()
            if tick % FILES_TICKS == 0 and session.configuration.files_changed():
                before = session.settings
                session.configuration.reread()
                session.spawn(session.follow_settings(before))
            if tick % DETAILS_TICKS == 1 and not session.status.busy:
                session.status.inputs.details = session.backend.engine.keeper.details()
            if session.counting.usage.due:
                await asyncio.to_thread(session.counting.usage.flush)
            session.status.publish()
        except Exception:  # the next tick may succeed
            logger.exception("looking after the model failed")


def replace_hung(session: Session) -> None:
    """Replace a hung thread, and its engine by a new one."""
    job = session.backend.worker.replace_hung()
    if job is not None:
        logger.error("the model's thread does not answer; it is replaced")
        from ...parser import renew_languages

        renew_languages()  # the old thread may still work on one, and perhaps come back
        session.backend.new_engine(session.backend.settings)
        what, to_do = (
            "the model did not answer and was restarted",
            "if that happens again, choose another model or device",
        )
        session.status.set_problem(what, to_do)
        session.client.show(f"{what}; {to_do}")
    session.backend.loader.replace_hung()


def unload_idle(session: Session) -> None:
    """Free the memory of a model idle for the set time."""
    minutes, engine = session.settings.idle_minutes, session.backend.engine
    if not minutes or not engine.keeper.loaded or session.status.busy:
        return
    if time.monotonic() - session.service.asked_s >= minutes * 60:
        session.backend.worker.submit("unload", lambda cancelled: engine.unload())
        session.service.asked_s = time.monotonic()  # once is enough
        session.client.log("the model has been idle: its memory is freed")


def release_memory(session: Session) -> None:
    """Free retired engines of the parser, in the gaps between requests."""
    from ...parser.language import has_retired

    if has_retired():
        session.backend.worker.submit("release", partial(_release, session), background=True)


def _release(session: Session, cancelled: Callable[[], bool]) -> None:
    from ...parser.language import release_retired

    until_s, worker = time.thread_time() + RELEASING_S, session.backend.worker
    release_retired(lambda: cancelled() or (time.thread_time() > until_s and worker.is_wanted()))
    if not cancelled():
        release_memory(session)


def _is_heap_small() -> bool:
    """Whether the heap is small enough to be searched for garbage without a noticeable pause."""
    return gc.get_freeze_count() <= MOST_TIDIED


def tidy_in_a_pause(session: Session) -> None:
    """Free now and then, in a pause, the garbage kept by the engine's frozen heap: some 3 MB for five minutes of hard editing.

    Without a pause for long, the next moment without a request has to do. A very large heap is left alone.
    """
    engine, asked_s, now_s = session.backend.engine, session.service.asked_s, time.monotonic()
    if engine.keeper.loaded and not session.status.busy and session.tidied_s < asked_s and _is_heap_small():
        since_s = now_s - session.tidied_s
        if since_s >= TIDY_LATEST_S or (since_s >= TIDY_EVERY_S and now_s - asked_s >= PAUSE_S):
            session.tidied_s = now_s
            session.backend.worker.submit("tidy", lambda cancelled: engine.keeper.tidy(), background=True)
