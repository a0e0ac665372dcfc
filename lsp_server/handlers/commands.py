"""`workspace/executeCommand`: the commands of a client beside suggestions."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from lsprotocol import types

from ..protocol.client import Client
from ..runtime import supervisor
from ..session.session import Session
from ..session.status import snooze_minutes
from .dispatch import Dispatcher
from .feedback import ACCEPTED


def add_to(dispatcher: Dispatcher) -> None:
    """Register the commands."""
    dispatcher.on_command(ACCEPTED, accepted)
    for name, run in HIDDEN.items():
        dispatcher.on_hidden_command(name, run)


def accepted(session: Session, client: Client, arguments: list[Any]) -> None:
    """Add the imports of an accepted suggestion, named by its identifier."""
    offer = session.feedback.accepted(str(arguments[0])) if arguments else None
    if offer is None or not offer.suggestion.edits:
        return
    document = session.documents.get(offer.document)
    if document is None or not offer.is_above(document.text):
        return  # the lines above the text have changed since the edit was made
    places = (
        (types.Position(*document.position_at(insertion.at)), insertion.text) for insertion in offer.suggestion.edits
    )
    edits = [types.TextEdit(types.Range(place, place), text) for place, text in places]
    session.spawn(client.apply(", ".join(offer.suggestion.imports), offer.document, edits))


def snooze(session: Session, client: Client, arguments: list[Any]) -> dict[str, Any]:
    """Be quiet for some minutes: the argument is their number, or an object with `minutes`; 0 ends the quiet."""
    minutes = snooze_minutes(arguments)
    session.status.snooze(minutes)
    if minutes:
        session.scheduler.give_up()
    session.status.publish()
    return asdict(session.status.now())


def status(session: Session, client: Client, arguments: list[Any]) -> dict[str, Any]:
    """Report the server's status."""
    return asdict(session.status.now())


async def reload(session: Session, client: Client, arguments: list[Any]) -> dict[str, Any]:
    """Load the model again, also after a failure."""
    session.status.set_problem()
    await supervisor.reload(session)
    return asdict(session.status.now())


def stop_download(session: Session, client: Client, arguments: list[Any]) -> dict[str, Any]:
    """End the download of a model; the next one resumes from the part on disk."""
    session.offer.stop()
    return asdict(session.status.now())


def digest(session: Session, client: Client, arguments: list[Any]) -> dict[str, Any] | None:
    """Describe the server's copy of a document for a client to compare: version, number of characters and SHA-256."""
    document = session.documents.get(str(arguments[0])) if arguments else None
    if document is None:
        return None
    sha256 = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"version": document.version, "characters": len(document.text), "sha256": sha256}


# VS Code's client registers an editor command for each command a server advertises, and fails where the extension has one of the same name.
# So these are answered but not advertised.
HIDDEN = {
    "suture.snooze": snooze,
    "suture.status": status,
    "suture.reload": reload,
    "suture.digest": digest,
    "suture.stopDownload": stop_download,
}
