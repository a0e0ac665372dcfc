"""Rows of a training run that other processes make, while the device computes: cutting documents takes longer than a card needs for them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor

from .fim import Row, Rows

_DEPTH = 2  # batches ahead, for each process

_rows: Rows | None = None  # in a process that makes them


class RowsAhead:
    """The batches of `rows`, made by as many processes as are said before they are asked for, in the order in which they are asked for.

    The processes are copies of this one, so it has to be made before a device is used.
    """

    def __init__(self, rows: Rows, workers: int) -> None:
        self._depth = _DEPTH * workers
        self._made: dict[int, Future[list[Row]]] = {}
        fork = multiprocessing.get_context("fork")
        self._pool = ProcessPoolExecutor(workers, fork, initializer=_begin, initargs=(rows,))
        self._pool.submit(int).result()  # all processes begin at the first task

    def batch(self, first: int, count: int) -> Sequence[Row]:
        """See Rows; the batches behind it are on their way."""
        for start in range(first, first + count * self._depth, count):
            if start not in self._made:
                self._made[start] = self._pool.submit(_made, start, count)
        rows = self._made[first].result()
        # The first is asked for twice; earlier ones are not asked for again.
        self._made = {start: batch for start, batch in self._made.items() if start >= first}
        return rows

    def close(self) -> None:
        """Let the processes end."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def can_fork() -> bool:
    """Whether this system copies processes."""
    return "fork" in multiprocessing.get_all_start_methods()


def _begin(rows: Rows) -> None:
    global _rows
    _rows = rows


def _made(first: int, count: int) -> list[Row]:
    assert _rows is not None
    return list(_rows.batch(first, count))
