"""The server's state in one word, with the remedy of a fault."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from ...common.json_types import is_object
from ...common.values import is_number
from ..errors import UserError

if TYPE_CHECKING:
    from ..protocol.client import Client
    from ..runtime.backend import Backend

STATUS = "suture/status"
_SNOOZE_MINUTES = 10.0  # the default
_MAX_SNOOZE_MINUTES = 7 * 24 * 60.0

State = Literal["loading", "ready", "generating", "idle", "off", "snoozed", "away", "error"]


def snooze_minutes(arguments: Sequence[object]) -> float:
    """The minutes of quiet in a command's arguments: the first is their number, or an object with `minutes`."""
    given = arguments[0] if arguments else None
    minutes = given.get("minutes") if is_object(given) else given
    return min(max(float(minutes if is_number(minutes) else _SNOOZE_MINUTES), 0.0), _MAX_SNOOZE_MINUTES)


@dataclass(frozen=True)
class Status:
    """The contents of `suture/status`."""

    state: State
    message: str
    what_to_do: str = ""
    model: str | None = None  # the name of the model in memory
    download: str = ""  # the model being downloaded, and the progress
    details: str = ""  # of the model in memory: its context and its memory
    install: str = ""  # the command to install the chosen model's missing packages
    wrote: str = ""  # the name of the stand-in model behind the last suggestion
    more: bool = False  # invoking would show a text at the cursor, too uncertain to be shown unasked
    unknown: str = ""  # a warning: the project names a language version newer than those known here
    # The guarantees of suggestions, "checked" or "none", in the enabled languages without an exact engine; elsewhere it is "exact".
    guarantees: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass
class StatusInputs:
    """The inputs of a status, written by the code that learns them."""

    enabled: bool = True
    loading: int = 0  # loads in progress
    generating: int = 0  # requests in progress
    model: str | None = None  # in memory
    started: bool = False  # whether a model was ever requested
    away: str = ""  # a note: the model's server does not answer, and its stand-in
    problem: str = ""  # why there is no model, or no answer of it
    what_to_do: str = ""
    snoozed_until: str = ""  # a time of day; "" is awake
    download: str = ""
    details: str = ""
    install: str = ""
    wrote: str = ""  # the stand-in model behind the last suggestion
    more: bool = False
    unknown: str = ""


def status_of(facts: StatusInputs) -> Status:
    """The status that follows from the facts."""
    if not facts.enabled:
        return Status("off", "switched off by the setting enable", "switch enable on", facts.model)
    if facts.snoozed_until:
        return Status("snoozed", f"snoozed until {facts.snoozed_until}", "run suture.snooze with 0", facts.model)
    if facts.loading or (facts.generating and facts.model is None and not facts.problem):
        return Status("loading", facts.away or "the model is being loaded", model=facts.model)
    if facts.problem:
        return Status("error", facts.problem, facts.what_to_do, facts.model)
    if facts.away:
        return Status("away", facts.away, "start the model's server, or use another model", facts.model)
    if facts.generating:
        return Status("generating", "a suggestion is being made", model=facts.model)
    if facts.model is None:
        return Status("idle", "no model is in memory; the next request loads it" if facts.started else "starting")
    return Status("ready", "ready", model=facts.model)


def parts_of(problem: UserError) -> tuple[str, str]:
    """Split a problem's line into the fault and the remedy."""
    what, _, to_do = str(problem).partition("; ")
    return what, to_do


class StatusReporter:
    """Keeps the inputs of the status, and notifies the client of changes."""

    def __init__(
        self,
        client: Client,
        backend: Backend,
        enabled: Callable[[], bool],
        guarantees: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self.inputs = StatusInputs()
        self.wanted = False  # whether the client asked for `suture/status`
        self._client, self._backend, self._enabled, self._guarantees = client, backend, enabled, guarantees
        self._snoozed_until_s: float | None = None  # on the clock of time.monotonic
        self._published: Status | None = None

    @property
    def busy(self) -> bool:
        """Whether a model is being loaded or asked."""
        return bool(self.inputs.generating or self.inputs.loading)

    @property
    def snoozed(self) -> bool:
        """Whether suggestions are snoozed."""
        return self._snoozed_until_s is not None and time.monotonic() < self._snoozed_until_s

    def snooze(self, minutes: float) -> None:
        """Be quiet for some minutes; 0 ends the quiet."""
        self._snoozed_until_s = time.monotonic() + minutes * 60
        until = datetime.now() + timedelta(minutes=minutes)
        self.inputs.snoozed_until = f"{until:%H:%M}" if minutes else ""

    @contextmanager
    def loading(self) -> Generator[None, None, None]:
        """Count a load while the context lasts."""
        self.inputs.started = True
        self.inputs.loading += 1
        self._client.loading(True)
        self.publish()
        try:
            yield
        finally:
            self.inputs.loading -= 1
            self._client.loading(self.inputs.loading > 0)
            self.publish()

    @contextmanager
    def generating(self) -> Generator[None, None, None]:
        """Count a request while the context lasts."""
        self.inputs.started = True
        self.inputs.generating += 1
        try:
            yield
        finally:
            self.inputs.generating -= 1

    def set_problem(self, problem: str = "", what_to_do: str = "") -> None:
        """Set the present fault; none by default."""
        self.inputs.problem, self.inputs.what_to_do = problem, what_to_do

    def set_download(self, how_far: str) -> None:
        """Set the download's model and progress; "": none."""
        self.inputs.download = how_far

    def report_unavailable(self, problem: UserError) -> None:
        """Say once why there will be no suggestions, and the remedy."""
        self.set_problem(*parts_of(problem))
        self._client.show(str(problem), error=True)
        self.publish()

    def now(self) -> Status:
        """The present status."""
        self.inputs.enabled = self._enabled()
        self.inputs.model = self._backend.engine.keeper.model_name
        self.inputs.away = self._backend.engine.keeper.away
        if not self.snoozed:
            self.inputs.snoozed_until = ""
        inputs = self.inputs
        return replace(
            status_of(inputs),
            download=inputs.download,
            details=inputs.details,
            install=inputs.install,
            wrote=inputs.wrote,
            more=inputs.more,
            unknown=inputs.unknown,
            guarantees=self._guarantees(),
        )

    def publish(self) -> None:
        """Send the client the status, if it asked for it and the status has changed."""
        notices = self._backend.engine.keeper.notices
        while notices:
            self._client.show(notices.pop(0))
        status = self.now()
        if self.wanted and status != self._published:
            self._client.notify(STATUS, asdict(status))
        self._published = status
