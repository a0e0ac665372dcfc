"""Limits of waiting, in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The relay's patience with the answering process."""

    ping: float = 1.0  # between two pings while there is work
    asked_ping: float = 0.25  # the same where a request has come since the last ping
    idle_ping: float = 5.0  # the same while nothing happens
    busy: float = 2.0  # of silence, then requests are answered with nothing
    late: float = 10.0  # of waiting, then a request for a suggestion is, despite answered pings; a slow model's text is kept for the next
    late_asked: float = 40.0  # the same where the user has asked for a suggestion
    spare: float = 1.5  # of silence, then a spare process is started beside it
    silent: float = 10.0  # of silence, then the process is replaced, unless a spare answers earlier
    starting: float = 60.0  # the same until the process says something
    slow_start: float = 3.0  # of silence before the process says anything, then a spare is started
    loading: float = 300.0  # the same while it loads a model: libraries hold the interpreter's lock while they are read from a slow disk
    shutdown: float = 1.0  # for the answer to `shutdown`
    end: float = 1.5  # for the process to end by itself
    starting_end: float = 20.0  # the same where it has requests and is still starting
    delays: tuple[float, ...] = (0.0, 1.0, 5.0, 20.0, 60.0)  # before a restart, by the number of recent ones
    spares: int = 2  # recent restarts, from which on no spare is started
    memory: float = 600.0  # for which a restart counts as recent
    starts: int = 3  # failed starts before the first answer, then the relay gives up
    most_unsent: int = 128_000_000  # bytes in the queue to the process


def limits_of(environment: Mapping[str, str]) -> Limits:
    """Give the limits; `SUTURE_WATCHDOG_S` sets `silent`; 0 switches the watchdog off, for debuggers."""
    try:
        seconds = float(environment.get("SUTURE_WATCHDOG_S", ""))
    except ValueError:
        return Limits()
    if seconds != seconds or seconds < 0:
        return Limits()
    if seconds == 0:
        forever = float("inf")
        return Limits(
            busy=forever, late=forever, late_asked=forever, spare=forever, silent=forever, starting=forever,
            slow_start=forever, loading=forever,
        )  # fmt: skip
    return Limits(
        busy=min(Limits.busy, seconds),
        spare=min(Limits.spare, seconds),
        silent=seconds,
        loading=max(Limits.loading, seconds),
    )
