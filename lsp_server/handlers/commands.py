"""`workspace/executeCommand`: what a client may ask for beside suggestions."""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from ..runtime import supervisor
from ..session.session import SutureServer
from .feedback import ACCEPTED

SNOOZE_MINUTES = 10.0  # when the client does not say how long


def add_to(server: SutureServer) -> None:
    """Register the commands."""
    server.command(ACCEPTED)(accepted)
    for name, run in HIDDEN.items():
        server.protocol.hidden_commands[name] = run


def accepted(ls: SutureServer, *arguments: Any) -> None:
    """The user has accepted the suggestion with this identifier."""
    if arguments:
        ls.feedback.accepted(str(arguments[0]))


def snooze(ls: SutureServer, arguments: list[Any]) -> dict[str, Any]:
    """Be quiet for some minutes: the argument is their number, or an object with `minutes`; 0 ends the quiet."""
    given = arguments[0] if arguments else None
    minutes = given.get("minutes") if isinstance(given, dict) else given
    if not isinstance(minutes, int | float) or isinstance(minutes, bool):
        minutes = SNOOZE_MINUTES
    minutes = min(max(float(minutes), 0.0), 7 * 24 * 60.0)
    ls.snoozed_until_s = time.monotonic() + minutes * 60
    until = datetime.now() + timedelta(minutes=minutes)
    ls.facts.snoozed_until = f"{until:%H:%M}" if minutes else ""
    if minutes:
        ls.suggester.give_up()
    ls.publish_status()
    return asdict(ls.status())


def status(ls: SutureServer, arguments: list[Any]) -> dict[str, Any]:
    """Say how the server is."""
    return asdict(ls.status())


async def reload(ls: SutureServer, arguments: list[Any]) -> dict[str, Any]:
    """Load the model again, also after a failure."""
    ls.facts.problem = ls.facts.what_to_do = ""
    await supervisor.reload(ls)
    return asdict(ls.status())


def digest(ls: SutureServer, arguments: list[Any]) -> dict[str, Any] | None:
    """Say what the server holds of a document, for a client to compare: its version, its characters and their SHA-256."""
    document = ls.documents.get(str(arguments[0])) if arguments else None
    if document is None:
        return None
    sha256 = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"version": document.version, "characters": len(document.text), "sha256": sha256}


# VS Code's client makes a command of the editor of each command that a server advertises, which fails, and the client with it, where the
# extension has one of the same name. So these are answered but not advertised.
HIDDEN = {"suture.snooze": snooze, "suture.status": status, "suture.reload": reload, "suture.digest": digest}
