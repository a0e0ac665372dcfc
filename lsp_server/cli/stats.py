"""`suture stats`: how suggestions fared, counted on this machine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...common.terminal import say
from .arguments import positive

if TYPE_CHECKING:
    from ..telemetry.usage import Day


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    stats = commands.add_parser(
        "stats",
        help="show how suggestions fared, as counted on this machine",
        description="Show how suggestions fared, day by day. The counts are kept on this machine and hold no code.",
    )
    stats.add_argument("--json", action="store_true", help="print one object with a field for each day")
    stats.add_argument("--days", type=positive, default=14, metavar="N", help="the last N days used (default: 14)")
    stats.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a line for each day, and one for the total."""
    from ..telemetry.usage import default_path, read_days, together

    path = default_path()
    days = dict(list(read_days(path).items())[-options.days :])
    total = together(days.values())
    if options.json:
        say(
            json.dumps({"file": str(path), "days": {d: fields(day) for d, day in days.items()}, "total": fields(total)})
        )
        return 0
    if not days:
        say(f"nothing has been counted yet (in {path})")
        return 0
    rows = [HEAD, *(row(name, day) for name, day in days.items()), row("together", total)]
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(HEAD))]
    for cells in rows:
        say("  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())
    say(f"\nCounted on this machine alone, in {path}; delete the file to start over.")
    return 0


HEAD = ("day", "shown", "accepted", "in part", "rejected", "characters saved", "median ms", "p95 ms", "from memory")


def fields(day: Day) -> dict[str, Any]:
    """A day for programs."""
    shown, accepted = day.events.get("shown", 0), day.events.get("accepted", 0)
    return {
        **day.events,
        "acceptance": round(accepted / shown, 4) if shown else None,
        "p50_ms": _rounded(day.percentile_ms(0.5)),
        "p95_ms": _rounded(day.percentile_ms(0.95)),
    }


def row(name: str, day: Day) -> Sequence[str]:
    """A day for people."""
    events, measures = day.events, fields(day)
    share = f" ({measures['acceptance']:.0%})" if measures["acceptance"] is not None else ""
    answers = events.get("from_memory", 0) + events.get("from_model", 0)
    return (
        name,
        str(events.get("shown", 0)),
        f"{events.get('accepted', 0)}{share}",
        str(events.get("partly_accepted", 0)),
        str(events.get("rejected", 0)),
        str(events.get("characters_saved", 0)),
        "-" if measures["p50_ms"] is None else f"{measures['p50_ms']:.0f}",
        "-" if measures["p95_ms"] is None else f"{measures['p95_ms']:.0f}",
        f"{events.get('from_memory', 0) / answers:.0%}" if answers else "-",
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
