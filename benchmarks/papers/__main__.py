"""Run the papers' experiments and write the report: `python -m benchmarks.papers run NAME` and `... report RUNS`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .measure import MEASUREMENTS
from .record import read
from .report import write
from .run import MODES, Only, Run, run
from .score import rescored
from .scripts import NAME as SCRIPTS
from .tasks import FILLINGS, Data


def rescore(runs: Path, data: Data) -> int:
    """Judge all stored texts again and print the differences; whether there are any."""
    differs = count = 0
    records = [record for record in read(runs) if record["experiment"] in FILLINGS and record["ended"] != "refused"]
    for name, seed in sorted({(record["experiment"], record["seed"]) for record in records}):
        some = [record for record in records if (record["experiment"], record["seed"]) == (name, seed)]
        wanted = {record["job"] for record in some}
        jobs = {}
        for job in FILLINGS[name].jobs(data, seed):
            if job.id in wanted:
                jobs[job.id] = job
            if len(jobs) == len(wanted):
                break
        for record in some:
            again = rescored(jobs[record["job"]], record, FILLINGS[name].programs)
            count += 1
            if again != record:
                differs += 1
                print(
                    record["job"],
                    record["mode"],
                    {key: (record[key], again[key]) for key in again if again[key] != record[key]},
                )
    print(f"{count} texts judged again, {differs} verdicts differ")
    return int(differs > 0)


def main() -> int:
    """The command line."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=(__doc__ or "").splitlines()[0])
    commands = arguments.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="add to the results what is missing")
    running.add_argument("name", choices=[*FILLINGS, *MEASUREMENTS, SCRIPTS])
    running.add_argument("--model", default=None, help="a folder or GGUF file; the embedded model when not given")
    running.add_argument("--jobs", type=int, default=100)
    running.add_argument("--out", type=Path, default=Path("runs"))
    running.add_argument("--files", type=Path, default=None, help="archives of projects that the model has not seen")
    running.add_argument("--data", type=Path, default=None, help="the folder of human-eval-infilling and mxeval")
    running.add_argument("--syncode", default=None, help="a Python that has syncode, for syncode-time")
    running.add_argument("--seed", type=int, default=1)
    running.add_argument("--modes", default="", help=f"of {', '.join(MODES)}; those of the paper when not given")
    running.add_argument("--shard", default="0/1", help="which part of the jobs: 0/2 is every second one")
    running.add_argument("--minutes", type=float, default=float("inf"), help="begin no job after this time")
    running.add_argument("--threads", type=int, default=None, help="cores for the model")
    running.add_argument("--tokens", type=int, default=None, help="budget of a completion, instead of the paper's")
    running.add_argument(
        "--lanes", type=int, default=1, help="jobs at a time, for small models on a CPU; times are not kept"
    )
    running.add_argument(
        "--mixed", action="store_true", help="with copies and n-grams in all modes, under a name of its own"
    )
    running.add_argument(
        "--only",
        default="",
        metavar="SET,PROBLEMS,SAMPLES",
        help="so many samples of the first programs of a set, for pass@10",
    )
    reporting = commands.add_parser("report", help="write tables and drawings from results")
    reporting.add_argument("runs", type=Path)
    reporting.add_argument("--to", type=Path, default=Path("build/papers.md"))
    scoring = commands.add_parser("score", help="judge the stored texts again; exit status 1 when a verdict differs")
    scoring.add_argument("runs", type=Path)
    scoring.add_argument("--files", type=Path, default=None)
    scoring.add_argument("--data", type=Path, default=None)
    chosen = arguments.parse_args()
    if chosen.command == "report":
        write(chosen.runs, chosen.to)
        return 0
    if chosen.command == "score":
        return rescore(chosen.runs, Data(chosen.files, chosen.data))
    if chosen.command == "run" and chosen.only:
        if not chosen.name.startswith("syncode-"):
            arguments.error("--only is for experiments with programs")
        row, problems, samples = chosen.only.split(",")
        only = Only(row, int(problems), int(samples))
    else:
        only = None
    shard, shards = map(int, chosen.shard.split("/"))
    modes = tuple(mode for mode in chosen.modes.split(",") if mode)
    if unknown := set(modes) - {*MODES}:
        arguments.error(f"unknown modes: {', '.join(sorted(unknown))}")
    data = Data(chosen.files, chosen.data, chosen.syncode)
    asked = Run(
        chosen.name, chosen.model, chosen.jobs, chosen.out, data, chosen.seed, modes, shard, shards, chosen.minutes,
        chosen.threads, chosen.tokens, chosen.lanes, chosen.mixed, only,
    )  # fmt: skip
    print(f"{run(asked)} records added to {chosen.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
