"""Rows of a training run made ahead by other processes, while the device computes: cutting documents takes longer than a GPU's step."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor

from .fim import Row, Rows

_DEPTH = 2  # batches ahead, for each process

_rows: Rows | None = None  # in a worker process


class RowsAhead:
    """The batches of `rows`, prefetched in order by a number of processes.

    The processes are forks of this one, so create it before any device is used.
    """

    def __init__(self, rows: Rows, workers: int) -> None:
        self._depth = _DEPTH * workers
        self._made: dict[int, Future[list[Row]]] = {}
        fork = multiprocessing.get_context("fork")
        self._pool = ProcessPoolExecutor(workers, fork, initializer=_begin, initargs=(rows,))
        self._pool.submit(int).result()  # all processes start at the first task

    def batch(self, first: int, count: int) -> Sequence[Row]:
        """See Rows; starts the next batches, too."""
        for start in range(first, first + count * self._depth, count):
            if start not in self._made:
                self._made[start] = self._pool.submit(_made, start, count)
        rows = self._made[first].result()
        # The first is requested twice; earlier ones are not requested again.
        self._made = {start: batch for start, batch in self._made.items() if start >= first}
        return rows

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def can_fork() -> bool:
    """Whether this system forks processes."""
    return "fork" in multiprocessing.get_all_start_methods()


def _begin(rows: Rows) -> None:
    global _rows
    _rows = rows


def _made(first: int, count: int) -> list[Row]:
    assert _rows is not None
    return list(_rows.batch(first, count))
