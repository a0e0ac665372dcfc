"""Keeps the model of a session: loads it, loads another when the settings change, frees its memory, replaces a thread that hangs."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
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
# Seconds without a request, after which a stop of some tenths of a second is hardly noticed; and between two such stops.
PAUSE_S, TIDY_EVERY_S = 3.0, 120.0
TIDY_LATEST_S = 300.0  # between two such stops, where nobody makes a pause
DETAILS_TICKS = 10  # between two looks at the model's memory
FILES_TICKS = 3  # ticks between two looks at the files that hold settings: not every client tells of changes


async def load(session: Session) -> None:
    """Load the model for the settings, so that the first suggestion is quick."""
    problem = await _loaded(session, _load_or_stand_in(session))
    if problem is not None:
        session.status.report_unavailable(problem)


async def _load_or_stand_in(session: Session) -> bool:
    """Wait for the model, also where the embedded one stands in meanwhile; whether anybody still wants it. Raises Unavailable and Hung."""
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
    """Follow changed settings; another model is loaded beside the present one, which stays if that fails."""
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
        if backend.engine is not engine:  # what it has loaded, or still loads, would stay: llama.cpp is a process
            backend.loader.submit(("unload", engine), lambda cancelled: engine.unload())


def _take_engine(
    session: Session, engine: CompletionEngine, settings: Settings, problem: UserError | None, job: Job
) -> None:
    """Go on with an engine that was loaded, unless nobody wants it any more."""
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
    """Wait for a load, which says whether anybody still wants it; the problem if there is one."""
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
    """Make the user's own languages known; the fault of one is shown.

    They are compiled on the loader's thread, in processes of their own.
    """
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
    """Load the tables of a language, so that its first suggestion is quick."""
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
        pass  # said where it is noticed
    except Exception:
        logger.exception("a grammar could not be read")


async def keep(session: Session) -> None:
    """Look after the model, once a second, as long as the session lasts."""
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
        except Exception:  # the next look may be a better one
            logger.exception("looking after the model failed")


def replace_hung(session: Session) -> None:
    """Go on without a thread that hangs, and with an engine of its own."""
    job = session.backend.worker.replace_hung()
    if job is not None:
        logger.error("the model's thread does not answer; it is replaced")
        from ...parser import renew_languages

        renew_languages()  # the old thread may still be at work on one, and comes back perhaps
        session.backend.new_engine(session.backend.settings)
        what, to_do = (
            "the model did not answer and was restarted",
            "if that happens again, choose another model or device",
        )
        session.status.set_problem(what, to_do)
        session.client.show(f"{what}; {to_do}")
    session.backend.loader.replace_hung()


def unload_idle(session: Session) -> None:
    """Free the memory of a model that nobody has asked for a long time."""
    minutes, engine = session.settings.idle_minutes, session.backend.engine
    if not minutes or not engine.keeper.loaded or session.status.busy:
        return
    if time.monotonic() - session.service.asked_s >= minutes * 60:
        session.backend.worker.submit("unload", lambda cancelled: engine.unload())
        session.service.asked_s = time.monotonic()  # once is enough
        session.client.log("the model has been idle: its memory is freed")


def release_memory(session: Session) -> None:
    """Take apart retired engines of the parser; it makes way for requests."""
    from ...parser.language import has_retired, release_retired

    if has_retired() and not session.status.busy:
        session.backend.worker.submit("release", release_retired, background=True)


def tidy_in_a_pause(session: Session) -> None:
    """Free now and then, in a pause, the garbage that the engine's freezing keeps: some 25 MB for five minutes of hard editing.

    Where there is no pause for long, the next moment without a request has to do.
    """
    engine, asked_s, now_s = session.backend.engine, session.service.asked_s, time.monotonic()
    if engine.keeper.loaded and not session.status.busy and session.tidied_s < asked_s:
        since_s = now_s - session.tidied_s
        if since_s >= TIDY_LATEST_S or (since_s >= TIDY_EVERY_S and now_s - asked_s >= PAUSE_S):
            session.tidied_s = now_s
            session.backend.worker.submit("tidy", lambda cancelled: engine.keeper.tidy(), background=True)
