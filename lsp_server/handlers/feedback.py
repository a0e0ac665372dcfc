"""The fate of a suggestion, in the way of Copilot's server: shown, partly accepted, accepted, rejected.

A client names a suggestion by its item: the argument of the item's command is its identifier.
"""

from __future__ import annotations

from typing import Any

from ...common.json_types import is_array
from ...common.values import is_whole
from ..protocol.client import Client
from ..session.session import Session
from .dispatch import Dispatcher

SHOWN = "textDocument/didShowCompletion"
PARTLY_ACCEPTED = "textDocument/didPartiallyAcceptCompletion"
REJECTED = "textDocument/didRejectCompletion"
ACCEPTED = "suture.accepted"  # the command of each item: the editor runs it when the user accepts


def add_to(dispatcher: Dispatcher) -> None:
    """Register the handlers."""
    dispatcher.on_session(SHOWN, on_did_show)
    dispatcher.on_session(PARTLY_ACCEPTED, on_did_partially_accept)
    dispatcher.on_session(REJECTED, on_did_reject)


def on_did_show(session: Session, client: Client, params: Any) -> None:
    """Note a suggestion shown on the screen."""
    session.feedback.shown(id_of(params))


def on_did_partially_accept(session: Session, client: Client, params: Any) -> None:
    """Note a partly accepted suggestion: its first `acceptedLength` units of UTF-16 are in the document, as in Copilot's server."""
    length = getattr(params, "acceptedLength", None)
    if is_whole(length):
        session.feedback.partly_accepted(id_of(params), length)


def on_did_reject(session: Session, client: Client, params: Any) -> None:
    """Note a rejected suggestion."""
    session.feedback.rejected(id_of(params))


def id_of(params: Any) -> str:
    """Read the identifier out of an item; "" without one."""
    arguments = getattr(getattr(getattr(params, "item", None), "command", None), "arguments", None)
    return str(arguments[0]) if is_array(arguments) and arguments else ""
