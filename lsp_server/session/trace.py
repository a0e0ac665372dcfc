"""The result of one request in numbers, without code, for `$/logTrace`."""

from __future__ import annotations

from dataclasses import dataclass

from ..completion.proposing.shown import Suggestion


@dataclass
class Trace:
    """A request in progress."""

    kind: str  # "automatic", "invoked"
    language: str
    queue_ms: float = 0.0
    waited_ms: float = 0.0  # for the user to pause
    context_ms: float = 0.0  # reading the request, and other files for the model
    source: str = "model"  # or why none was needed: "memory", "foreseen"
    outcome: str = "nothing"
    reason: str = ""  # for it


def line(trace: Trace, suggestions: list[Suggestion], total_ms: float) -> str:
    """The line for every request."""
    count = f"{len(suggestions)} suggestion{'s' if len(suggestions) != 1 else ''}" if suggestions else _outcome(trace)
    return f"{trace.kind} {trace.language}: {count} from {trace.source} in {total_ms:.1f} ms"


def _outcome(trace: Trace) -> str:
    return f"{trace.outcome} ({trace.reason})" if trace.reason else trace.outcome


def details(trace: Trace, suggestions: list[Suggestion]) -> str:
    """The distribution of the time, for a client with verbose tracing."""
    parts = [f"wait {trace.waited_ms:.1f} ms", f"queue {trace.queue_ms:.1f} ms", f"context {trace.context_ms:.1f} ms"]
    for suggestion in suggestions:
        made = suggestion.completion
        parts += [
            f"engine {suggestion.hole_ms:.1f} ms" + ("" if suggestion.valid else " (not the whole file)"),
            f"prefill {made.prefill_ms:.1f} ms",
            f"tokens {made.tokens} in {made.model_ms - made.prefill_ms:.1f} ms (ended by {made.ended})",
            f"constraint {made.constraint_ms:.1f} ms",
        ]
    return ", ".join(parts)
