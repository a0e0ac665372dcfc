"""`suture doctor`: whether everything works here, with remedies."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from ...common.terminal import say


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    doctor = commands.add_parser(
        "doctor",
        help="check this installation, with a timed test completion",
        description="Check what a suggestion needs: Python, llama.cpp, memory, the cache folder, the workspace's files and the model. Time a test completion, and say how to fix what is wrong.",
    )
    doctor.add_argument("--model", metavar="PATH", help="a model's folder or name (default: the active one)")
    doctor.add_argument("--device", help="auto, cpu, cuda or mps (default: as in the settings)")
    doctor.add_argument("--folder", default=".", metavar="DIR", help="the workspace (default: this folder)")
    doctor.add_argument("--json", action="store_true", help="print one object a line")
    doctor.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print each finding; 1 for any error among them."""
    from ..settings.sources import own_settings
    from .arguments import workspace
    from .colour import paint
    from .doctor_checks import examine

    worst, own, folder = 0, own_settings(), workspace(options.folder)
    for finding in examine(options.model or own.model, options.device or own.device, own.offline, own, folder):
        if finding.level == "error":
            worst = 1
        if options.json:
            say(json.dumps(asdict(finding)), flush=True)
            continue
        mark, style = {"ok": ("ok", "green"), "warning": ("look", "yellow"), "error": ("BAD", "red")}[finding.level]
        say(paint(f"{mark:5}", style), f"{finding.check:14}{finding.found}", flush=True)
        if finding.advice:
            say(f"{'':20}{finding.advice}", flush=True)
    if not options.json:
        say("\nAll is well." if not worst else "\nSomething needs fixing: see BAD above.")
    return worst
