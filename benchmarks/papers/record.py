"""The jobs of an experiment, and their records: one line of JSON for each job and mode."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]
"""One line of a results file; `FIELDS` are in every one."""

FIELDS = frozenset(
    {
        *(
            "job",
            "experiment",
            "data",
            "row",
            "cut",
            "seed",
            "model",
            "mode",
            "options",
            "text",
            "ended",
            "tokens",
            "valid",
        ),
        *("complete", "error", "exact", "similarity", "tests", "ms", "values", "peak_mb", "commit", "machine", "time"),
    }
)


@dataclass(frozen=True)
class Job:
    """A hole to fill, or a measurement to make: a pure function of the experiment, the seed and the number."""

    experiment: str
    number: int
    seed: int
    data: str  # its source: a file, or a task of a benchmark
    row: str  # its row of the table
    left: str = ""
    middle: str = ""  # the true text, if any
    right: str = ""
    language: str = "python"
    tests: str = ""  # the text behind the program that judges it
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Stable: the same in every run over the same data."""
        return f"{self.experiment}/{self.seed}/{self.number:05}"

    @property
    def cut(self) -> tuple[int, int]:
        """The hole in the file, in characters."""
        return len(self.left), len(self.left) + len(self.middle)


def file_of(folder: Path, experiment: str, model: str, shard: int) -> Path:
    """The file for the records of one run."""
    return folder / f"{experiment}.{model}.{shard}.jsonl"


def append(path: Path, records: Iterable[Record]) -> None:
    """Append lines, after ending one cut short by a kill."""
    broken = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as out:
        if broken:
            out.write("\n")
        for record in records:
            missing = FIELDS - record.keys()
            assert not missing, f"a record lacks {missing}"
            out.write(json.dumps(record, ensure_ascii=True, sort_keys=True) + "\n")


def read(folder: Path, pattern: str = "*.jsonl") -> Iterator[Record]:
    """All records in a folder; a line cut short by a kill is skipped, and of a job done twice the first counts."""
    seen: set[tuple[str, str, str]] = set()
    for path in sorted(folder.glob(pattern)):
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            key = (record["job"], record["model"], record["mode"])
            if key not in seen:
                seen.add(key)
                yield record
