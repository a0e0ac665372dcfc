"""The one word for how the server is, and what a person can do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..errors import UserError

State = Literal["loading", "ready", "generating", "idle", "off", "snoozed", "error"]


@dataclass(frozen=True)
class Status:
    """What `suture/status` tells."""

    state: State
    message: str
    what_to_do: str = ""
    model: str | None = None  # its name, when one is in memory


@dataclass
class StatusInputs:
    """What a status is made of; whoever learns one writes it here."""

    enabled: bool = True
    loading: int = 0  # loads that are going on
    generating: int = 0  # requests that are being answered
    model: str | None = None  # in memory
    started: bool = False  # whether a model was ever asked for
    problem: str = ""  # why there is none, or why it does not answer
    what_to_do: str = ""
    snoozed_until: str = ""  # a time of day; "" is awake


def status_of(facts: StatusInputs) -> Status:
    """Give the status that the facts come to."""
    if not facts.enabled:
        return Status("off", "switched off by the setting enable", "switch enable on", facts.model)
    if facts.snoozed_until:
        return Status("snoozed", f"snoozed until {facts.snoozed_until}", "run suture.snooze with 0", facts.model)
    if facts.loading or (facts.generating and facts.model is None and not facts.problem):
        return Status("loading", "the model is being loaded", model=facts.model)
    if facts.problem:
        return Status("error", facts.problem, facts.what_to_do, facts.model)
    if facts.generating:
        return Status("generating", "a suggestion is being made", model=facts.model)
    if facts.model is None:
        return Status("idle", "no model is in memory; the next request loads it" if facts.started else "starting")
    return Status("ready", "ready", model=facts.model)


def parts_of(problem: UserError) -> tuple[str, str]:
    """Give what a problem's line says is wrong, and what it says to do."""
    what, _, to_do = str(problem).partition("; ")
    return what, to_do
