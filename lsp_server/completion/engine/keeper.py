"""The keeper of a server's model: loads it, lets the embedded one stand in during its absence, and recovers where memory runs out."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError, wait
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from ....model.loading.memory import in_words
from ...errors import Unavailable
from ...settings.spec import Settings
from ..proposing.shown import signed

if TYPE_CHECKING:
    from ....model import Model

Result = TypeVar("Result")

GRACE_S = 2.0
"""Seconds a request waits for the user's model to load; then the embedded one stands in."""
FIRST_ABSENCE_S, MOST_ABSENCE_S = 2.0, 60.0  # between two attempts to ask a silent server
_LOOK_S = 0.05  # for which a request awaits the user's model, while the embedded one stands in


class ServerAway(Unavailable):
    """The model's server does not answer now, but may later."""


class Absence:
    """The time a silent server is left alone, longer after each failure."""

    def __init__(self) -> None:
        self.wait_s = 0.0  # from its last failure to the next attempt
        self._until_s = 0.0

    @property
    def lasts(self) -> bool:
        """Whether it is too early to ask again."""
        return monotonic() < self._until_s

    def begin_or_extend(self) -> None:
        """Note a failure of the server: it is left alone, twice as long after each one."""
        self.wait_s = min(MOST_ABSENCE_S, max(FIRST_ABSENCE_S, 2 * self.wait_s))
        self._until_s = monotonic() + self.wait_s

    def end(self) -> None:
        """Note an answer of the server: it may be asked again."""
        self.wait_s = self._until_s = 0.0


class ModelKeeper:
    """The model of one server; used from one thread only, except for methods that say otherwise."""

    def __init__(self, settings: Settings, template: str | None = None, *, patient: bool = False):
        """`template`: the prompt's format, instead of the one its vocabulary implies. patient: the caller is not interactive: modules are
        read at the first question about them, not in pauses, and the model is waited for."""
        self.settings = settings  # of places without their own; any thread may replace them
        self.patient = patient
        self._template = template
        self._model: Model | None = None
        self.problem: Unavailable | None = None  # why the user's model cannot be loaded; readable from any thread
        self._stand_in: Model | None = None  # while the model's server is silent
        self._absence = Absence()
        self._away = ""  # the last reason for the server's absence
        self.loading: Future[Model] | None = None  # of the user's model, in its own thread; readable from any thread
        self._said: set[str] = set()
        self.grace_s = GRACE_S
        self.notices: list[str] = []  # messages for the user about the model, each once; emptied by their reader

    def load(self) -> None:
        """Load the model now, so that the first suggestion need not wait; raises Unavailable, after the first time at once.

        If its server is silent, the embedded model stands in, and the server is tried again later.
        """
        leave_folder_that_is_gone()
        if self.problem is not None:
            raise self.problem
        if self._model is None and not self._absence.lasts:
            try:
                model = self._load(self.settings.device)
            except ServerAway as problem:
                self._miss(str(problem))
                return
            except Unavailable as problem:
                self.problem = problem
                raise
            self._take(model)

    def load_or_stand_in(self) -> None:
        """Load the model; if that takes long or fails, the embedded one stands in. Raises Unavailable if that fails, too."""
        leave_folder_that_is_gone()
        if self._model is not None or self._absence.lasts:
            return
        if not self.settings.model:
            self.load()
        elif self.problem is not None:
            self._let_stand_in()
        else:
            self._follow_loading()

    def _follow_loading(self) -> None:
        """Load the user's model in a thread, and take it once loaded, waiting only briefly."""
        if self.loading is None:
            device = self.settings.device
            self.loading = loaded_in_thread(lambda: self._load(device))
        loading = self.loading
        wait({loading}, _LOOK_S if self._stand_in is not None else self.grace_s)
        if not loading.done():
            self._let_stand_in()
            return
        self.loading = None
        try:
            model = loading.result()
        except ServerAway as problem:
            self._miss(str(problem))
        except Unavailable as problem:
            self.problem = problem
            self._let_stand_in()
        else:
            self._take(model)

    def _load(self, device: str) -> Model:
        """The user's model on a device."""
        return load_model(self.settings.model, device, self.settings.offline, self.settings, self._template)

    def _take(self, model: Model) -> None:
        """Use a loaded model from now on."""
        self._model = model
        self._is_back()
        if model.notice:
            self.notices.append(model.notice)

    def _let_stand_in(self) -> None:
        if self._stand_in is None:
            self._stand_in = load_model(None, "auto")

    def _miss(self, problem: str) -> None:
        """Let the embedded model stand in for a silent server."""
        self._away = problem
        if self._stand_in is None:
            self.notices.append(f"{problem}; the embedded model suggests until it answers again")
            self._let_stand_in()
        self._absence.begin_or_extend()

    def _is_back(self) -> None:
        self._absence.end()
        self._stand_in = None
        if self._away:
            self._away = ""
            self.notices.append(f"the server of {self.settings.model} is back")

    def model(self) -> Model:
        """The model, loaded if necessary, or its stand-in; raises Unavailable."""
        self.ensure_loaded()
        chosen = self.chosen
        assert chosen is not None
        return chosen

    def ensure_loaded(self) -> None:
        """Load the model if necessary; raises Unavailable."""
        self.load() if self.patient else self.load_or_stand_in()

    @property
    def chosen(self) -> Model | None:
        """The model in use now, if one is in memory."""
        if self._stand_in is not None and (self._model is None or self._absence.lasts):
            return self._stand_in
        return self._model

    @property
    def is_small(self) -> bool:
        """Whether the model in use is the embedded one."""
        from ....model.loading.info import is_embedded

        return self.chosen is not None and is_embedded(self.chosen.name)

    @property
    def works_ahead(self) -> bool:
        """Whether the user's model is a process of ours, and so may read and write in a pause; callable from any thread."""
        served = self._model.served if self._model is not None and self._stand_in is None else None
        return served is not None and served.reading is not None

    @property
    def stands_in(self) -> bool:
        """Whether it is too early to ask or load the user's model while the embedded one stands in; callable from any thread."""
        loading = self.loading is not None and not self.loading.done()
        return self._stand_in is not None and (self._absence.lasts or loading or self.problem is not None)

    @property
    def loaded(self) -> bool:
        """Whether a model is in memory; callable from any thread."""
        return self._model is not None or self._stand_in is not None

    @property
    def model_name(self) -> str | None:
        """The name of the model in memory; callable from any thread."""
        model = self._stand_in or self._model
        return None if model is None else model.name

    def details(self) -> str:
        """The context of a served model, by the last measurement, and its memory; "" if unknown. Callable from any thread."""
        model = self._model
        if model is None or model.served is None or model.served.reading is None or self._stand_in is not None:
            return ""
        said = [f"{model.served.reading.whole:,} tokens of context"]
        child = getattr(getattr(model.runtime, "dialect", None), "child", None)
        settings = getattr(child, "settings", None)
        if settings is not None:
            threads = f"{settings.threads} thread{'s' if settings.threads > 1 else ''}"
            said.append(f"llama.cpp with {threads} {model.served.reading.in_words}")
        taken = child.memory() if child is not None else None
        if taken is not None:
            own, shared = map(in_words, taken)
            said.append(f"llama.cpp takes {own} for itself, and {shared} that servers with the same model share")
        return "; ".join(said)

    @property
    def away(self) -> str:
        """Why the embedded model stands in for the user's; "" if it does not. Callable from any thread."""
        if self._stand_in is None:
            return ""
        if self.problem is not None:
            return f"{str(self.problem).partition('; ')[0]}; the embedded model suggests instead"
        if self.loading is not None:
            return f"{self.settings.model} is being loaded; the embedded model suggests meanwhile"
        after = f"it is asked again after {self._absence.wait_s:.0f} s"
        return f"{self._away}; the embedded model suggests meanwhile, and {after}"

    def unload(self) -> None:
        """Free the model's memory; the next suggestion loads it again."""
        models = [self._model]
        if self.loading is not None and not self.loading.cancel() and self.loading.exception() is None:
            models.append(self.loading.result())  # loaded, but not used since
        for model in models:
            if model is not None and model.served is not None:
                model.served.close()
        self._model = self._stand_in = self.problem = self.loading = None
        self._absence.end()
        self.tidy()  # loaded objects form cycles, found only by a collection

    def tidy(self) -> None:
        """Free frozen garbage; stops every thread for some tenths of a second."""
        from ....parser.glr.gc_policy import freeze, trim

        gc.unfreeze()
        freeze()
        trim()

    def say_once(self, notice: str) -> None:
        """Tell the user something about the model, once."""
        if notice not in self._said:
            self._said.add(notice)
            self.notices.append(notice)

    def ask(self, question: Callable[[Model], Result]) -> Result:
        """Ask the model; if its device runs out of memory, the CPU takes over, and the user is told."""
        from ....model import ModelError
        from ....model.errors import OutOfMemory, ServerUnavailable

        def signed_by(model: Model) -> Result:
            result = question(model)
            return signed(result, model.name) if model is self._stand_in else result

        model = self.model()
        before = _answers(model)
        try:
            result = signed_by(model)
            if self._stand_in is not None and _answers(model) != before:
                self._is_back()
            return result
        except ServerUnavailable as problem:
            self._miss(str(problem))
            return signed_by(self.model())
        except OutOfMemory as problem:
            device = model.runtime.device
            if device == "cpu":
                raise Unavailable(str(problem)) from None
            self._model = model = None  # its memory is needed
            try:
                self._model = self._load("cpu")
            except Unavailable as other:
                # Remembered: loading on both again at each request would take all memory and time.
                self.problem = Unavailable(f"{device} ran out of memory, and on the CPU {other}")
                raise self.problem from None
            self.notices.append(
                f"{device} ran out of memory; the model {self._model.name} now runs on the CPU (slower)"
            )
            return signed_by(self._model)
        except ModelError as problem:
            raise Unavailable(str(problem)) from problem


def _answers(model: Model) -> int:
    """The number of answers of a model's server; some texts need none."""
    return 0 if model.served is None else model.served.counts.answers


def leave_folder_that_is_gone() -> None:
    """Leave a deleted current folder: MKL ends the process when first used in one."""
    try:
        os.getcwd()
    except OSError:
        os.chdir(os.path.abspath(os.sep))


def loaded_in_thread(load: Callable[[], Model]) -> Future[Model]:
    """Load a model in a thread of its own that does not delay the process's end; the future may be cancelled."""
    future: Future[Model] = Future()

    def run() -> None:
        try:
            model = load()
        except BaseException as problem:  # a Rust library raises errors that are not Exceptions
            with suppress(InvalidStateError):
                future.set_exception(problem)
            return
        try:
            future.set_result(model)
        except InvalidStateError:  # it came too late: end its server
            if model.served is not None:
                model.served.close()

    threading.Thread(target=run, name="suture-loading", daemon=True).start()
    return future


def load_model(
    name: str | None, device: str, offline: bool = True, settings: Settings | None = None, template: str | None = None
) -> Model:
    """Load a model for a process that keeps it; raises Unavailable.

    `settings`: for further loading options. `template`: the prompt's format, instead of the one its vocabulary implies.
    """
    from ....model import ModelError, load
    from ....model.errors import ServerUnavailable
    from ....parser.glr.gc_policy import freeze, trim

    try:
        model = load(name, device=device, offline=offline, template=template, **_how(settings or Settings()))
    except ServerUnavailable as error:
        raise ServerAway(str(error)) from None
    except ModelError as error:
        raise Unavailable(str(error)) from None
    except Exception as error:  # torch and transformers raise anything for a broken model
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise Unavailable(f"the model {name or 'of the package'} cannot be loaded: {reason}; try another") from error
    freeze()  # permanent objects would make full collections stop every thread for a long time
    trim()  # the memory needed only for loading: 40 MB with the embedded model
    return model


def _how(settings: Settings) -> dict[str, Any]:
    """The settings' options for loading a model."""
    from ....model.runtime.served.options import ServerOptions

    server = ServerOptions(
        key_env=settings.model_key_env,
        ca=settings.model_ca,
        tokenizer=settings.tokenizer,
        plain_http=settings.model_plain_http,
    )
    given = {"threads": settings.threads, "context": settings.context_tokens}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if settings.dtype != "auto":
        chosen["dtype"] = settings.dtype
    return chosen | ({} if server == ServerOptions() else {"server": server})
