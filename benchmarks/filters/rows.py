"""The rows of a served model on disk: the row after a sequence is computed once, for all arms and all versions of the decoding.

A row is kept with its first waiting time, so that a repeated walk is charged the cost of its tokens.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from suture.model.errors import ServerUnavailable
from suture.model.runtime.base import Runtime
from suture.model.runtime.served.dialect import Dialect, Draft, Drafted
from suture.model.runtime.served.plugin_request import PluginRequest
from suture.model.runtime.served.transport import Cancel

Ids = Sequence[int]


class RowStore:
    """Rows by model, sequence and question."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._rows = sqlite3.connect(path, isolation_level=None, timeout=60)
        self._rows.execute(
            "create table if not exists rows (key blob primary key, token int, ms real, ids blob, log_probs blob)"
        )

    def get(self, key: bytes) -> tuple[Drafted, float] | None:
        """A row and its cost in milliseconds."""
        row = self._rows.execute("select token, ms, ids, log_probs from rows where key = ?", (key,)).fetchone()
        if row is None:
            return None
        token, ms, ids, log_probs = row
        pairs = zip(np.frombuffer(ids, np.int32).tolist(), np.frombuffer(log_probs, np.float32).tolist(), strict=True)
        return Drafted(token, dict(pairs)), ms

    def put(self, key: bytes, row: Drafted, ms: float) -> None:
        """Keep a row."""
        ids = np.array(list(row.log_probs), np.int32).tobytes()
        log_probs = np.array(list(row.log_probs.values()), np.float32).tobytes()
        self._rows.execute("insert or ignore into rows values (?, ?, ?, ?, ?)", (key, row.token, ms, ids, log_probs))


class RememberingDialect:
    """A server with its drafts read from the store where possible. `ms`: the waiting time since the reset."""

    def __init__(self, inner: Dialect, store: RowStore, model: str) -> None:
        self.inner = inner
        self.name = inner.name
        self.store = store
        self.ms = 0.0
        self.first_ms = 0.0  # of these, for the first row: the prefill
        self.computed = 0  # rows missing in the store, since the start
        self._model = model

    def reset(self) -> None:
        """Begin a completion."""
        self.ms = self.first_ms = 0.0

    def waited(self, ms: float) -> None:
        """Charge the waiting time of a row."""
        self.first_ms = self.first_ms or ms
        self.ms += ms

    def draft(self, ids: Ids, tokens: int, around: PluginRequest | None = None) -> Draft:
        """Go on from `ids`; the server is asked from the first unknown row on."""
        return _Draft(self, tuple(ids), tokens)

    def among(self, ids: Ids, allowed: Ids | None, cancelled: Cancel) -> Mapping[int, float]:
        """More of one row."""
        key = self.key(ids, "many" if allowed is None else repr(sorted(allowed)))
        answer = self.store.get(key)
        if answer is None:
            before = time.perf_counter()
            row = Drafted(-1, self.inner.among(ids, allowed, cancelled))
            answer = row, (time.perf_counter() - before) * 1e3
            self.computed += 1
            self.store.put(key, *answer)
        self.waited(answer[1])
        return answer[0].log_probs

    def score(self, ids: Ids, text: Ids, cancelled: Cancel) -> float | None:
        """The server's score."""
        return self.inner.score(ids, text, cancelled)

    def read(self, ids: Ids, cancelled: Cancel) -> float:
        """Let the server read."""
        return self.inner.read(ids, cancelled)

    def recover(self, problem: ServerUnavailable) -> None:
        """Let the server recover."""
        self.inner.recover(problem)

    def close(self) -> None:
        """Release the server."""
        self.inner.close()

    def key(self, ids: Ids, asked: str = "draft") -> bytes:
        """The key of a row."""
        spelled = np.array(list(ids), np.int32).tobytes()
        return hashlib.blake2b(spelled, digest_size=16, key=f"{self._model} {asked}".encode()[:64]).digest()


class RememberingRuntime:
    """A runtime in this process that computes the row after each sequence of a hole once, for all arms; times are charged as above."""

    def __init__(self, inner: Runtime) -> None:
        self.inner = inner
        self.device, self.limit, self.size = inner.device, inner.limit, inner.size
        self.ms = 0.0
        self.first_ms = 0.0
        self._sequence: list[int] = []
        self._rows: dict[tuple[int, ...], tuple[np.ndarray, float]] = {}
        self._stepped = False

    def forget(self) -> None:
        """Begin another hole."""
        self._rows.clear()

    def reset(self) -> None:
        """Begin a completion."""
        self.ms, self.first_ms, self._stepped = 0.0, 0.0, False

    @property
    def length(self) -> int:
        """See Runtime."""
        return len(self._sequence)

    def cached(self, ids: Ids) -> int:
        """See Runtime."""
        same = (mine == theirs for mine, theirs in zip(self._sequence, ids, strict=False))
        return next((index for index, is_same in enumerate(same) if not is_same), min(len(self._sequence), len(ids)))

    def prefill(self, ids: Ids) -> np.ndarray:
        """See Runtime."""
        self._sequence = list(ids)
        return self._row()

    def step(self, token: int) -> np.ndarray:
        """See Runtime."""
        self._sequence.append(token)
        self._stepped = True
        return self._row()

    def rows(self, ids: Ids) -> np.ndarray:
        """See Runtime."""
        return np.stack([self.step(token) for token in ids])

    def crop(self, length: int) -> None:
        """See Runtime."""
        del self._sequence[length:]

    def _row(self) -> np.ndarray:
        key = tuple(self._sequence)
        answer = self._rows.get(key)
        if answer is None:
            before = time.perf_counter()
            row = self.inner.prefill(key)
            answer = self._rows[key] = row, (time.perf_counter() - before) * 1e3
        row, ms = answer
        self.ms += ms
        if not self._stepped:
            self.first_ms += ms
        return row.copy()


class _Draft:
    def __init__(self, dialect: RememberingDialect, ids: tuple[int, ...], tokens: int) -> None:
        self._dialect = dialect
        self._ids = ids
        self._left = tokens
        self._inner: Draft | None = None

    def next(self, cancelled: Cancel) -> Drafted | None:
        """The next row."""
        if self._left <= 0:
            return None
        dialect, key = self._dialect, self._dialect.key(self._ids)
        answer = dialect.store.get(key) if self._inner is None else None
        if answer is None:
            before = time.perf_counter()
            if self._inner is None:
                self._inner = dialect.inner.draft(self._ids, self._left)
            row = self._inner.next(cancelled)
            if row is None:
                return None
            answer = row, (time.perf_counter() - before) * 1e3
            dialect.computed += 1
            dialect.store.put(key, *answer)
        dialect.waited(answer[1])
        self._left -= 1
        self._ids = (*self._ids, answer[0].token)
        return answer[0]

    def close(self) -> None:
        """Ask for no more."""
        if self._inner is not None:
            self._inner.close()
