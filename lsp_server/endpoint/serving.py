"""The program of `suture serve --http`: the endpoint in front of a language server of its own."""

from __future__ import annotations

import queue
import signal
from pathlib import Path

from ...common.terminal import say
from ..isolation.serving import Log, die_of, end_by_signals
from ..protocol.http import listen_on
from .conversation import Conversation
from .http import serve_endpoint
from .service import Service


def serve_folder(host: str, port: int, folder: Path, token: str | None, *, trusted: bool = False) -> int:
    """Serve a folder until a signal ends the process; give the exit code. token: None lets everybody in."""
    log, signals = Log(), queue.SimpleQueue[int]()
    end_by_signals(signals.put)
    listening = listen_on(host, port)
    conversation = Conversation(folder, log, trusted=trusted)
    server = serve_endpoint(listening, Service(folder, conversation), token)
    where = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
    say(
        f"suture serves {folder} on {where}" + (f" with the API key {token}" if token else ", to whoever asks"),
        flush=True,
    )
    try:
        number = _wait(signals)
    except KeyboardInterrupt:
        number = signal.SIGINT
    server.shutdown()
    conversation.close()
    log.close()
    if number != signal.SIGINT:
        die_of(number)
    return 0


def _wait(signals: queue.SimpleQueue[int]) -> int:
    """Wait for the signal to end; in short waits, so that Windows delivers Ctrl+C, too."""
    while True:
        try:
            return signals.get(timeout=1.0)
        except queue.Empty:
            pass
