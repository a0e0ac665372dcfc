"""Daily counts of the fates of suggestions, on this machine, for its user alone. No text, no names, nothing is sent anywhere.

The counts are in a small SQLite file in the user's state folder, since several servers add to it at once. Where writing fails (a full disk, a
read-only folder), the session's counts are lost at its end, and nothing else happens.
"""

from __future__ import annotations

import logging
import math
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ...common import untrusted
from ...common.kept_files import make_private
from ...common.state import state_folder

logger = logging.getLogger("suture.usage")

MAX_DAYS = 400  # older ones are deleted
EVENTS = (
    "requests", "shown", "accepted", "partly_accepted", "rejected", "characters_saved", "from_memory", "from_model",
)  # fmt: skip
FLUSH_S = 30.0  # between two writes: a crash may lose their counts
_STEPS = 4  # buckets for each doubling of a latency: a percentile is wrong by a fifth at most
_LATENCY = "latency_"
_PATIENCE_S = 0.5  # for another server's lock


def default_path() -> Path:
    """The file of this user."""
    return state_folder() / "usage.sqlite3"


def bucket_of(latency_ms: float) -> int:
    """The bucket of a latency: logarithmic, from 1 ms to some minutes."""
    return min(80, max(0, math.floor(_STEPS * math.log2(max(latency_ms, 1.0)))))


def latency_of(bucket: int) -> float:
    """A latency in the middle of a bucket, in milliseconds."""
    return 2 ** ((bucket + 0.5) / _STEPS)


@dataclass(frozen=True)
class Day:
    """The counts of one day, or of several."""

    events: Mapping[str, int]
    latencies: Mapping[int, int]  # bucket -> nonempty answers

    def percentile_ms(self, share: float) -> float | None:
        """The percentile of the latency, for a share of the answers; None without answers."""
        total = sum(self.latencies.values())
        seen = 0
        for bucket in sorted(self.latencies):
            seen += self.latencies[bucket]
            if seen >= share * total:
                return latency_of(bucket)
        return None


class Usage:
    """Counts events and writes them now and then; thread-safe."""

    def __init__(self, path: Path | None, today: Callable[[], str] = lambda: date.today().isoformat()) -> None:
        """path: of the file; None counts nothing."""
        self._path = path
        self.on = True
        self._today = today
        self._lock = threading.Lock()
        self._pending: Counter[tuple[str, str]] = Counter()
        self._written_s = time.monotonic()

    @property
    def today(self) -> str:
        """The day for counting present events."""
        return self._today()

    def count(self, event: str, amount: int = 1, day: str | None = None) -> None:
        """Count an event, one of EVENTS; `day`: to count it on, if not today."""
        assert event in EVENTS
        self._add(event, amount, day)

    def answered(self, latency_ms: float) -> None:
        """Count the latency of an answer."""
        self._add(f"{_LATENCY}{bucket_of(latency_ms)}", 1)

    @property
    def due(self) -> bool:
        """Whether it is time to write."""
        return bool(self._pending) and time.monotonic() - self._written_s >= FLUSH_S

    def flush(self) -> None:
        """Write the counts; after a failure they are kept for the next time."""
        with self._lock:
            pending, self._pending = self._pending, Counter()
            self._written_s = time.monotonic()
        if self._path is not None and pending:
            try:
                _write(self._path, pending)
            except (sqlite3.Error, OSError) as error:
                logger.debug("usage cannot be written: %s", type(error).__name__)
                with self._lock:
                    self._pending.update(pending)

    def _add(self, name: str, amount: int, day: str | None = None) -> None:
        if self._path is None or not self.on or amount <= 0:
            return
        with self._lock:
            self._pending[day or self._today(), name] += amount


def read_days(path: Path) -> dict[str, Day]:
    """The counted days, oldest first; none where the file is unreadable."""
    if not untrusted.is_regular(path):
        return {}
    rows: list[tuple[str, str, int]] = []
    for mode in ("rw", "ro"):  # only a writer can repair the file of a server killed while writing
        try:
            uri = f"{path.absolute().as_uri()}?mode={mode}"
            with closing(sqlite3.connect(uri, uri=True, timeout=_PATIENCE_S)) as database:
                rows = database.execute("SELECT day, name, amount FROM counts ORDER BY day").fetchall()
            break
        except sqlite3.Error:
            continue
    counts: dict[str, dict[str, int]] = {}
    for day, name, amount in rows:
        counts.setdefault(str(day), {})[str(name)] = int(amount)
    return {day: _day(named) for day, named in counts.items()}


def together(days: Iterable[Day]) -> Day:
    """Several days as one."""
    events: Counter[str] = Counter()
    latencies: Counter[int] = Counter()
    for day in days:
        events.update(day.events)
        latencies.update(day.latencies)
    return Day(events, latencies)


def _day(named: Mapping[str, int]) -> Day:
    events = {name: named.get(name, 0) for name in EVENTS}
    buckets = {name.removeprefix(_LATENCY): n for name, n in named.items() if name.startswith(_LATENCY)}
    return Day(events, {int(bucket): n for bucket, n in buckets.items() if bucket.isdigit()})


def _write(path: Path, pending: Mapping[tuple[str, str], int]) -> None:
    make_private(path.parent)
    _make_private(path)
    try:
        _add_to(path, pending)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):  # locked for long, read-only, full
            raise
        path.replace(path.with_suffix(".damaged"))  # start anew, and keep the old file
        _make_private(path)
        _add_to(path, pending)


def _make_private(path: Path) -> None:
    """Let only the user read the file, which SQLite would create by the umask; its journal inherits the mode."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NONBLOCK", 0), 0o600))
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o600)


def _add_to(path: Path, pending: Mapping[tuple[str, str], int]) -> None:
    # SQLite's own journal makes the transaction atomic and keeps two servers apart.
    with closing(sqlite3.connect(path, timeout=_PATIENCE_S)) as database, database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS counts (day TEXT, name TEXT, amount INTEGER, PRIMARY KEY (day, name)) WITHOUT ROWID"
        )
        database.executemany(
            "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT (day, name) DO UPDATE SET amount = amount + excluded.amount",
            [(day, name, amount) for (day, name), amount in pending.items()],
        )
        days = database.execute("SELECT DISTINCT day FROM counts ORDER BY day DESC LIMIT -1 OFFSET ?", (MAX_DAYS,))
        database.executemany("DELETE FROM counts WHERE day = ?", days.fetchall())
