"""The offer of a better model: made once, after the first suggestions, to a client able to show it; and the download, if the user wants it.

The network is left alone until the user has said yes; then only a preset's file on the hub is fetched, whatever the workspace says. The
embedded model suggests meanwhile; the other one takes its place once it is here, without a restart.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ...common import untrusted
from ...common.interpreter import find_program, neutral_folder
from ...common.kept_files import make_private
from ...common.state import state_folder
from ..errors import UserError
from ..settings.user_file import set_in_user_file

if TYPE_CHECKING:
    from ...model.loading.recommend import Recommendation
    from ..completion.asking.service import CompletionService
    from ..protocol.client import Client
    from ..session.status import StatusReporter
    from ..settings.effective import Configuration
    from ..settings.spec import Settings
    from .backend import Backend

logger = logging.getLogger("suture.offer")

SUGGESTIONS = 3  # of the embedded model before the offer: enough to know it
LATER_S = 7 * 24 * 3600.0
ASKING_S = 3600.0  # in which no other editor asks as well
DOWNLOAD, LATER, NEVER, AGAIN = "Download", "Later", "Never", "Try Again"
_MAX_BYTES = 10_000

Said = Literal["", "asking", "later", "never", "download", "done"]


@dataclass(frozen=True)
class Answer:
    """The user's answer to the offer, for all editors on this machine."""

    said: Said = ""
    at_s: float = 0.0  # seconds of time.time
    model: str = ""  # being downloaded

    @property
    def may_ask(self) -> bool:
        """Whether it is time to ask, for the first time or again."""
        quiet_s = {"": 0.0, "asking": ASKING_S, "later": LATER_S}.get(self.said)
        return quiet_s is not None and not 0 <= time.time() - self.at_s < quiet_s


def answer_file() -> Path:
    """The file with the answer."""
    return state_folder() / "offer.json"


def remembered() -> Answer:
    """The answer so far; an empty one where the file is missing or damaged."""
    try:
        stored = untrusted.read_json(answer_file(), _MAX_BYTES)
        return Answer(stored["said"], float(stored["at_s"]), str(stored["model"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Answer()


def remember(said: Said, model: str = "") -> None:
    """Store an answer; after a failure the user is asked again some day."""
    path = answer_file()
    try:
        make_private(path.parent)
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_text(json.dumps(asdict(Answer(said, time.time(), model))), encoding="utf-8")
        beside.replace(path)
    except OSError:
        logger.warning("the answer to the offer of a model could not be kept")


class _Stopped(Exception):
    """The download is cancelled."""


class Host(Protocol):
    """The session of an offer."""

    client: Client
    backend: Backend
    configuration: Configuration
    status: StatusReporter
    service: CompletionService
    remote: bool
    follow_settings: Callable[[Settings], Coroutine[Any, Any, None]]

    @property
    def settings(self) -> Settings:
        """The settings of the server as a whole."""
        ...

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start a task that ends with the session."""
        ...


class Offer:
    """Makes the offer in one session, and downloads the wanted model."""

    def __init__(self, session: Host) -> None:
        self._session = session
        self.wanted = False  # whether the client shows such an offer well, and considers its workspace trusted
        self._begun = False  # whether this session has asked, or checked whether to ask
        self._stopped = threading.Event()

    @property
    def _open(self) -> bool:
        """Whether a model may be offered: none is chosen, the network is allowed, and the user is on this machine."""
        session = self._session
        whole = session.configuration.whole()
        forbidden = any(os.environ.get(name, "") in ("1", "true", "True", "ON", "YES") for name in _OFFLINE)
        chosen = any(whole.sources[name] != "default" for name in ("model", "offline"))
        return self.wanted and not session.remote and whole.settings.enable and not chosen and not forbidden

    def consider(self) -> None:
        """Ask, if it is time; called now and then."""
        session = self._session
        if self._begun or session.service.suggested < SUGGESTIONS or session.status.busy or not self._open:
            return
        self._begun = True
        if remembered().may_ask:
            session.spawn(self._ask())

    def resume(self) -> None:
        """Resume a wanted download that did not finish, such as after the editor was closed."""
        answer = remembered()
        if answer.said == "download" and answer.model and self._open:
            self._begun = True
            self._session.spawn(self.fetch(answer.model))

    async def _ask(self) -> None:
        from ...model.loading.recommend import recommend

        suited = await asyncio.to_thread(recommend)
        if suited.preset is None:
            return
        remember("asking")
        said = await self._session.client.ask(in_words(suited), (DOWNLOAD, LATER, NEVER))
        remember("never" if said == NEVER else "download" if said == DOWNLOAD else "later", suited.name)
        if said == DOWNLOAD and (suited.missing is None or await self._installed(suited)):
            await self.fetch(suited.name)

    async def _installed(self, suited: Recommendation) -> bool:
        """Install the package for running the model; whether it succeeded."""
        from ...model.loading import installed

        assert suited.missing is not None

        async def run() -> bool:
            for command in installed.commands(suited.missing or "gguf"):
                pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
                program = command[0] if os.path.isabs(command[0]) else find_program(command[0])
                if program is None:
                    logger.error("%s is not on the PATH", command[0])
                    return False
                process = await asyncio.create_subprocess_exec(
                    program, *command[1:], stdin=nothing, stdout=nothing, stderr=pipe, cwd=neutral_folder()
                )
                _, complaints = await process.communicate()
                if process.returncode != 0:
                    logger.error("%s: %s", command[0], complaints.decode(errors="replace").strip())
                    return False
            return True

        try:
            done = await self._session.client.with_progress("Suture: installing the model's runtime", run())
        except OSError:
            done = False
        if not done:
            self._session.client.show(
                f"{suited.name} cannot be run yet: {installed.missing(suited.missing)}", error=True
            )
            remember("later")
        return done

    async def fetch(self, name: str) -> None:
        """Download a model and switch to it; after a failure, ask the user again."""
        while True:
            try:
                problem = await self._fetched(name)
            except _Stopped:
                self._stopped.clear()
                remember("later")
                return
            if problem is None:
                break
            said = await self._session.client.ask(
                f"{name} could not be downloaded: {problem}", (AGAIN, LATER), error=True
            )
            if said != AGAIN:
                remember("later")
                return
        await self._switch(name)

    async def _fetched(self, name: str) -> str | None:
        """Download a model; the error, or None."""
        from ...model import ModelError
        from ...model.loading.find import download

        session, loop = self._session, asyncio.get_running_loop()
        last = -1

        def told(here: int, of: int) -> None:
            nonlocal last
            percent = 100 * here // of if of else 0
            if self._stopped.is_set():
                raise _Stopped
            if percent != last:
                last = percent
                loop.call_soon_threadsafe(tell, percent)

        def tell(percent: int) -> None:
            session.status.set_download(f"downloading {name}: {percent} %")
            session.status.publish()
            progress.report(percent)

        progress = session.client.progress(f"Suture: downloading {name}")
        try:
            await progress.during(_in_thread(lambda: download(name, progress=told)))
        except ModelError as error:
            return str(error)
        finally:
            session.status.set_download("")
            session.status.publish()
        return None

    async def _switch(self, name: str) -> None:
        """Write a model into the user's settings, and load it beside the present one."""
        session = self._session
        before = session.settings
        if not self._open:  # the user has chosen another one meanwhile
            remember("done", name)
            return
        try:
            set_in_user_file("model", name)
        except UserError as problem:
            session.client.show(str(problem), error=True)
            return
        remember("done", name)
        session.configuration.reread()
        await session.follow_settings(before)
        if session.backend.settings.model == name:
            session.client.log(f"{name} has taken the place of the embedded model")
        else:  # otherwise the next start would have no model at all
            set_in_user_file("model", None)
            remember("later")

    def stop(self) -> None:
        """End a download; the next one resumes from the part on disk."""
        self._stopped.set()


_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


def in_words(suited: Recommendation) -> str:
    """The offer: the model, its size, its licence, its wait, its gain."""
    from ...model.loading.installed import CUDA_INDEX
    from ...model.loading.memory import in_words as bytes_in_words
    from ...model.loading.recommend import GAIN, wait_in_words

    preset = suited.preset
    assert preset is not None
    runs = {
        "gguf": " llama.cpp, which runs it, is installed first.",
        "gguf-cuda": f" llama.cpp for NVIDIA GPUs, which runs it, is installed first, from its authors' index {CUDA_INDEX}.",
        "torch": " PyTorch, which runs it, is installed first.",
        None: "",
    }[suited.missing]
    return (
        f"A better model suits this machine: {suited.name} ({bytes_in_words(preset.size)} from the hub {preset.hub}, licence "
        f"{preset.licence}), a suggestion in about {wait_in_words(suited.wait_ms)}. {GAIN}{runs} It runs on this machine alone, and the "
        "bundled model suggests until it is here."
    )


def _in_thread(work: Callable[[], object]) -> asyncio.Future[object]:
    """Do work on a daemon thread of its own, so that it does not delay the process's end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[object] = loop.create_future()

    def end(result: object, error: BaseException | None) -> None:
        if not future.done():
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

    def run() -> None:
        result, problem = None, None
        try:
            result = work()
        except BaseException as error:
            problem = error
        try:
            loop.call_soon_threadsafe(end, result, problem)
        except RuntimeError:  # the session has ended
            pass

    threading.Thread(target=run, name="suture-download", daemon=True).start()
    return future
