"""Keeps the model of a session: loads it, loads another when the settings change, gives its memory back, replaces a thread that hangs."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...common import untrusted
from ..completion.pipeline import CompletionEngine
from ..errors import Unavailable, UserError
from .backend import MODEL_SETTINGS, model_choice
from .worker import Hung, Job

if TYPE_CHECKING:
    from ..session.session import SutureServer
    from ..settings.spec import GrammarSetting

logger = logging.getLogger("suture.keeping")

LOADING_S = 900.0
"""Seconds after which a load counts as hanging: a large model from a slow disk takes minutes."""
TICK_S = 1.0
# Seconds without a request, after which a stop of some tenths of a second is hardly noticed; and between two such stops.
PAUSE_S, TIDY_EVERY_S = 10.0, 300.0
FILES_TICKS = 3  # ticks between two looks at the files that hold settings: not every client tells of changes


async def load(server: SutureServer) -> None:
    """Load the model for the settings, so that the first suggestion is quick."""
    engine = server.engine
    job = server.worker.submit("load", lambda cancelled: engine.load(), LOADING_S)
    problem = await _loaded(server, job)
    if problem is not None:
        server.report_unavailable(problem)


async def take_settings(server: SutureServer) -> None:
    """Follow changed settings; another model is loaded beside the present one, which stays if that fails."""
    await register_grammars(server)
    settings, backend = server.settings, server.backend
    if model_choice(settings) == model_choice(backend.settings) or not settings.enable:
        if settings.enable and not server.facts.started:
            backend.begin(settings)
            await load(server)
        else:
            backend.begin(settings)
        server.publish_status()
        return
    engine = CompletionEngine(settings)
    job = backend.loader.submit("load", lambda cancelled: engine.load(), LOADING_S)
    problem = await _loaded(server, job)
    if job.cancelled() or model_choice(settings) != model_choice(server.settings):
        return  # the settings have changed again
    old, kept = backend.engine, backend.settings
    if problem is None or old.model_name is None:
        backend.take(settings, engine)
    else:
        kept = replace(settings, **{name: getattr(kept, name) for name in MODEL_SETTINGS})
        backend.begin(kept)
    if problem is None:
        server.publish_status()
    elif old.model_name is None:
        server.report_unavailable(problem)
    else:
        server.tell(f"{problem}; going on with {old.model_name}")


async def reload(server: SutureServer) -> None:
    """Start with an empty engine, and load the model again."""
    server.worker.cancel_all()
    server.backend.new_engine(server.settings)
    await load(server)


async def _loaded(server: SutureServer, job: Job) -> UserError | None:
    """Wait for a load; the problem if there is one."""
    start_s = time.perf_counter()
    server.facts.started = True
    server.facts.loading += 1
    server.on_loading(True)
    server.publish_status()
    try:
        await server.with_progress("Suture: loading the model", asyncio.wrap_future(job.future))
    except Unavailable as problem:
        return problem
    except Hung:
        return UserError("the model does not finish loading; choose another")
    except Exception as error:
        logger.exception("the model could not be loaded")
        return UserError(f"the model could not be loaded ({type(error).__name__}); the log says where")
    finally:
        server.facts.loading -= 1
        server.on_loading(server.facts.loading > 0)
        server.publish_status()
    if not job.cancelled():
        server.facts.problem = server.facts.what_to_do = ""
        server.log(f"the model was loaded in {time.perf_counter() - start_s:.1f} s")
        server.publish_status()
    return None


async def register_grammars(server: SutureServer) -> None:
    """Make the user's own languages known; what is wrong with one is shown.

    They are compiled on the loader's thread, in processes of their own.
    """
    backend = server.backend
    new = [grammar for grammar in server.settings.grammars if grammar not in backend.grammars + backend.compiling]
    if not new:
        return
    from ...parser import languages

    for grammar in new:
        path = Path(os.path.expanduser(grammar.path))
        if grammar.name in languages() and grammar.name not in {one.name for one in backend.grammars}:
            server.tell(f"grammars: {grammar.name} is built in; choose another name")
        elif not untrusted.is_regular(path):
            server.tell(f"grammars: {path} is no file; correct the path of {grammar.name}")
        else:
            await _register(server, grammar, path)


async def _register(server: SutureServer, grammar: GrammarSetting, path: Path) -> None:
    from ...parser import GrammarError, load_language
    from ...parser.grammar.isolated import CompileLimits

    def compiled(cancelled: Callable[[], bool]) -> bool:
        load_language(grammar.name, path, grammar.start, grammar.patterns, CompileLimits())
        return True

    backend = server.backend
    backend.compiling += (grammar,)
    job = backend.loader.submit(("grammar", grammar.name), compiled, LOADING_S)
    title = f"Suture: compiling the grammar of {grammar.name}"
    try:
        if await server.with_progress(title, asyncio.wrap_future(job.future)):
            backend.grammars += (grammar,)
    except GrammarError as error:
        server.tell(str(error))
    except Hung:
        server.tell(f"{path}: compiling it does not end; make it smaller")
    finally:
        backend.compiling = tuple(one for one in backend.compiling if one != grammar)


async def prepare(server: SutureServer, language: str, version: str | None) -> None:
    """Load the tables of a language, so that its first suggestion is quick."""
    from ...parser import GrammarError

    engine = server.engine
    key = ("prepare", language, version)
    job = server.worker.submit(key, lambda cancelled: engine.prepare(language, version), LOADING_S)
    try:
        await server.with_progress(f"Suture: reading the grammar of {language}", asyncio.wrap_future(job.future))
    except GrammarError as error:
        server.tell(str(error))
    except Hung:
        pass  # said where it is noticed
    except Exception:
        logger.exception("a grammar could not be read")


async def keep(server: SutureServer) -> None:
    """Look after the model, once a second, as long as the session lasts."""
    for tick in itertools.count(1):
        await asyncio.sleep(TICK_S)
        try:
            replace_hung(server)
            unload_idle(server)
            tidy_in_a_pause(server)
            release_memory(server)
            if tick % FILES_TICKS == 0 and server.configuration.files_changed():
                before = server.settings
                server.configuration.reread()
                server.spawn(server.follow_settings(before))
            if server.counting.usage.due:
                await asyncio.to_thread(server.counting.usage.flush)
            server.publish_status()
        except Exception:  # the next look may be a better one
            logger.exception("looking after the model failed")


def replace_hung(server: SutureServer) -> None:
    """Go on without a thread that hangs, and with an engine of its own."""
    job = server.worker.replace_hung()
    if job is not None:
        logger.error("the model's thread does not answer; it is replaced")
        from ...parser import renew_languages

        renew_languages()  # the old thread may still be at work on one, and comes back perhaps
        server.backend.new_engine(server.backend.settings)
        what, to_do = (
            "the model did not answer and was started anew",
            "if that happens again, choose another model or device",
        )
        server.facts.problem, server.facts.what_to_do = what, to_do
        server.tell(f"{what}; {to_do}")
    server.backend.loader.replace_hung()


def unload_idle(server: SutureServer) -> None:
    """Give the model's memory back when nobody has asked for a long time."""
    minutes, facts = server.settings.idle_minutes, server.facts
    engine = server.engine
    if not minutes or not engine.loaded or facts.generating or facts.loading:
        return
    if time.monotonic() - server.asked_s >= minutes * 60:
        server.worker.submit("unload", lambda cancelled: engine.unload())
        server.asked_s = time.monotonic()  # once is enough
        server.log("the model was not asked for a while: its memory is given back")


def release_memory(server: SutureServer) -> None:
    """Take apart what the parser does not use any more; it makes way for requests."""
    from ...parser.language import has_retired, release_retired

    if has_retired() and not server.facts.generating and not server.facts.loading:
        server.worker.submit("release", release_retired, background=True)


def tidy_in_a_pause(server: SutureServer) -> None:
    """Free now and then, in a pause, what the engine's freezing of garbage keeps: some 25 MB for five minutes of hard editing."""
    engine, facts, now_s = server.engine, server.facts, time.monotonic()
    if engine.loaded and not facts.generating and not facts.loading and server.tidied_s < server.asked_s:
        if now_s - server.asked_s >= PAUSE_S and now_s - server.tidied_s >= TIDY_EVERY_S:
            server.tidied_s = now_s
            server.worker.submit("tidy", lambda cancelled: engine.tidy(), background=True)
