"""Run the papers' experiments and write the report: `python -m benchmarks.papers run NAME` and `... report RUNS`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .measure import MEASUREMENTS
from .run import MODES, Run, run
from .tasks import FILLINGS, Data


def main() -> int:
    """The command line."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=(__doc__ or "").splitlines()[0])
    commands = arguments.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="add to the results what is missing")
    running.add_argument("name", choices=[*FILLINGS, *MEASUREMENTS])
    running.add_argument("--model", default=None, help="a folder or GGUF file; the embedded model when not given")
    running.add_argument("--jobs", type=int, default=100)
    running.add_argument("--out", type=Path, default=Path("runs"))
    running.add_argument("--files", type=Path, default=None, help="archives of projects that the model has not seen")
    running.add_argument("--data", type=Path, default=None, help="the folder of human-eval-infilling and mxeval")
    running.add_argument("--seed", type=int, default=1)
    running.add_argument("--modes", default="", help=f"of {', '.join(MODES)}; those of the paper when not given")
    running.add_argument("--shard", default="0/1", help="which part of the jobs: 0/2 is every second one")
    running.add_argument("--minutes", type=float, default=float("inf"), help="begin no job after this time")
    running.add_argument("--threads", type=int, default=None, help="cores for the model")
    running.add_argument("--tokens", type=int, default=None, help="budget of a completion, instead of the paper's")
    running.add_argument(
        "--lanes", type=int, default=1, help="jobs at a time, for small models on a CPU; times are not kept"
    )
    chosen = arguments.parse_args()
    shard, shards = map(int, chosen.shard.split("/"))
    modes = tuple(mode for mode in chosen.modes.split(",") if mode)
    if unknown := set(modes) - {*MODES}:
        arguments.error(f"unknown modes: {', '.join(sorted(unknown))}")
    data = Data(chosen.files, chosen.data)
    asked = Run(
        chosen.name, chosen.model, chosen.jobs, chosen.out, data, chosen.seed, modes, shard, shards, chosen.minutes,
        chosen.threads, chosen.tokens, chosen.lanes,
    )  # fmt: skip
    print(f"{run(asked)} records added to {chosen.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
