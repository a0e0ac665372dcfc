"""Limits of waiting, in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The patience of the reader of messages with the process that answers them."""

    ping: float = 1.0  # between two questions whether the process is alive, while there is work
    asked_ping: float = 0.25  # the same where a request has come since the last
    idle_ping: float = 5.0  # the same while nothing happens
    busy: float = 2.0  # of silence after which requests are answered with nothing
    late: float = 10.0  # after which a request for a suggestion is, whoever answers pings; a slow model's text is kept for the next
    late_asked: float = 40.0  # the same where the user has asked for one
    spare: float = 1.5  # of silence after which another process is started beside it
    silent: float = (
        10.0  # of silence after which the process is replaced, if none that is started beside it answers earlier
    )
    starting: float = 60.0  # the same until the process says something
    slow_start: float = 3.0  # after which another is started beside it
    loading: float = 300.0  # the same while it loads a model: libraries hold the interpreter's lock while they are read from a slow disk
    shutdown: float = 1.0  # for the answer to `shutdown`
    end: float = 1.5  # for the process to end by itself
    starting_end: float = 20.0  # the same where it has requests and is still starting
    delays: tuple[float, ...] = (0.0, 1.0, 5.0, 20.0, 60.0)  # before it is started again, by how often that was needed
    spares: int = 2  # replacements that are remembered, from which on nothing is started beside a silent process
    memory: float = 600.0  # for which it is remembered how often that was
    starts: int = 3  # that may fail before the first answer
    most_unsent: int = 128_000_000  # bytes that the process has not read


def limits_of(environment: Mapping[str, str]) -> Limits:
    """Give the limits; `SUTURE_WATCHDOG_S` sets `silent`, 0 switches the watchdog off, as somebody with a debugger wants."""
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
