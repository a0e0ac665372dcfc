"""The beginning and the end of a session: initialize, initialized, shutdown."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import cast

from lsprotocol import types

from ..client import SutureServer
from ..documents import Documents, Encoding
from ..engine import Engine
from ..problems import Unavailable
from ..settings import settings_from

logger = logging.getLogger("suture.lifecycle")


def add_to(server: SutureServer) -> None:
    """Register the handlers."""
    server.feature(types.INITIALIZE)(on_initialize)
    server.feature(types.INITIALIZED)(on_initialized)
    server.feature(types.SHUTDOWN)(on_shutdown)


def on_initialize(ls: SutureServer, params: types.InitializeParams) -> None:
    """Take the client's choices."""
    encoding = ls.workspace.position_encoding
    ls.documents = Documents(cast(Encoding, getattr(encoding, "value", encoding)))
    ls.settings, ls.startup_messages = settings_from(params.initialization_options)
    ls.engine = Engine(ls.settings)


async def on_initialized(ls: SutureServer, params: types.InitializedParams) -> None:
    """Load the model in the background, so that the first suggestion is quick."""
    for message in ls.startup_messages:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"Suture: {message}"))
    if not ls.settings.enable:
        return
    start = time.perf_counter()
    engine = ls.engine
    job = ls.worker.submit("load", lambda cancelled: engine.load())
    try:
        await asyncio.wrap_future(job.future)
    except Unavailable as problem:
        ls.report_unavailable(problem)
    except Exception:
        logger.exception("the model could not be loaded")
    else:
        if not job.cancelled():
            text = f"model loaded in {time.perf_counter() - start:.1f} s"
            ls.window_log_message(types.LogMessageParams(types.MessageType.Info, text))


def on_shutdown(ls: SutureServer, params: None) -> None:
    """Stop generating; pygls ends the requests that still wait."""
    ls.worker.stop()
