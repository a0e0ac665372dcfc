"""One thread for all work with the model; the latest job of each key wins, and a hung thread is replaced."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, cast

# The function of a job: it gets a check for cancellation, and calls it often.
Work = Callable[[Callable[[], bool]], Any]

SILENT_S = 60.0
"""Seconds between two checks for cancellation, then work counts as hung. Between two checks lies one token, 256 tokens of a prompt, or a few
milliseconds of the parser: on the slowest machine with the largest model some seconds."""


class Hung(Exception):
    """The work did not return, and its thread was abandoned."""


class _Abandoned(BaseException):
    """Ends late work whose thread has been replaced."""


class Job:
    """Submitted work; its future ends with the result, or with None once the job is cancelled."""

    def __init__(self, key: Hashable, work: Work, silent_s: float, background: bool = False):
        self.key = key
        self._work: Work | None = work  # until the end of the future, whose holders the work may refer to
        self.silent_s = silent_s
        self.background = background
        self.future: Future[Any] = Future()
        self.future.set_running_or_notify_cancel()  # from now on only this class ends the future
        self.submitted_s = time.perf_counter()
        self.started_s: float | None = None
        self._heard_s = 0.0
        self._cancelled = threading.Event()
        self._abandoned = False
        self._lock = threading.Lock()

    @property
    def queued_ms(self) -> float:
        """Milliseconds of waiting for its turn, up to now or to its start."""
        return ((self.started_s or time.perf_counter()) - self.submitted_s) * 1e3

    def cancelled(self) -> bool:
        """Whether the job was cancelled."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Cancel the job: its future ends at once, its work at its next check."""
        self._cancelled.set()
        self._end(lambda: self.future.set_result(None))

    def run(self) -> None:
        """Do the work, unless the job was cancelled."""
        self._heard_s = time.perf_counter()
        self.started_s = self._heard_s  # in this order: another thread may call `hangs` at any time
        work = self._work
        if work is None or self.cancelled():
            return
        try:
            result = work(self._question)
        except _Abandoned:
            raise
        except BaseException as error:  # also those that end a thread, such as a library's SystemExit
            problem = error if isinstance(error, Exception) else RuntimeError(type(error).__name__)
            self._end(lambda: self.future.set_exception(problem))
        else:
            self._end(lambda: self.future.set_result(result))

    def hangs(self) -> bool:
        """Whether its work has not checked for cancellation for too long."""
        return self.started_s is not None and time.perf_counter() - self._heard_s > self.silent_s

    def abandon(self) -> None:
        """Abandon a hung job; its future raises Hung."""
        self._abandoned = True
        self._cancelled.set()
        self._end(lambda: self.future.set_exception(Hung(f"nothing was heard for {self.silent_s:.0f} s")))

    def _question(self) -> bool:
        if self._abandoned:
            raise _Abandoned
        self._heard_s = time.perf_counter()
        return self._cancelled.is_set()

    def _end(self, end: Callable[[], None]) -> None:
        with self._lock:
            self._work = None
            if not self.future.done():
                end()


class Worker:
    """A thread running jobs in the order of their keys' arrival; submitting a job never blocks."""

    def __init__(self, name: str = "suture-model"):
        self._name = name
        self._changed = threading.Condition()
        self._waiting: dict[Hashable, Job] = {}
        self._running: Job | None = None
        self._stopped = False
        self._generation = 0  # of the thread: only the last one takes jobs
        self._thread = self._start()

    def submit(self, key: Hashable, work: Work, silent_s: float | None = None, background: bool = False) -> Job:
        """Submit a job; an older one of the same key, waiting or running, is cancelled.

        `silent_s`: the longest time between two checks for cancellation; SILENT_S by default.
        `background`: it starts once nothing else waits.
        """
        job = Job(key, work, SILENT_S if silent_s is None else silent_s, background)
        with self._changed:
            older = [self._waiting.pop(key, None)]
            if self._running is not None and self._running.key == key:
                older.append(self._running)
            stopped = self._stopped
            if not stopped:
                self._waiting[key] = job
                self._changed.notify_all()
        # Outside the lock, since the end of a future runs foreign callbacks.
        for superseded in older:
            if superseded is not None:
                superseded.cancel()
        if stopped:
            job.cancel()
        return job

    def cancel(self, key: Hashable) -> None:
        """Cancel the waiting or running job of a key."""
        with self._changed:
            jobs = [self._waiting.pop(key, None), self._running]
        for job in jobs:
            if job is not None and job.key == key:
                job.cancel()

    def cancel_all(self) -> None:
        """Cancel all jobs; new ones are accepted."""
        self._drop()

    def stop(self) -> None:
        """Cancel all jobs and accept no more, without waiting for the thread."""
        with self._changed:
            self._stopped = True
        self._drop()

    def is_awaited(self) -> bool:
        """Whether a job of the running job's kind waits for another document; keys of such jobs are (kind, document)."""
        with self._changed:
            running = self._running
            if running is None or running.background:
                return False
            kind, document = _parts(running.key)
            others = map(_parts, self._waiting)
            return kind is not None and any(other[0] == kind and other[1] != document for other in others)

    def is_wanted(self) -> bool:
        """Whether a job waits that is not done in the background."""
        with self._changed:
            return any(not waiting.background for waiting in self._waiting.values())

    def replace_hung(self) -> Job | None:
        """Replace the thread if its work hangs; the hung job, else None."""
        with self._changed:
            job = self._running
            if job is None or self._stopped or not job.hangs():
                return None
            self._running = None
            self._thread = self._start()  # the old one notices its replacement
        job.abandon()
        return job

    def join(self, timeout_s: float) -> bool:
        """Wait for the thread to end after `stop`; False when it still runs."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _drop(self) -> None:
        with self._changed:
            jobs = [*self._waiting.values(), self._running]
            self._waiting.clear()
            self._changed.notify_all()
        for job in jobs:
            if job is not None:
                job.cancel()

    def _start(self) -> threading.Thread:
        # A daemon: a hung model must not keep the process alive.
        self._generation += 1
        thread = threading.Thread(target=self._loop, args=(self._generation,), name=self._name, daemon=True)
        thread.start()
        return thread

    def _loop(self, generation: int) -> None:
        job: Job | None = None
        while True:
            with self._changed:
                if self._running is job:
                    self._running = None
                while not self._waiting and not self._stopped and self._generation == generation:
                    self._changed.wait()
                if self._stopped or self._generation != generation:
                    return
                urgent = (key for key, waiting in self._waiting.items() if not waiting.background)
                job = self._waiting.pop(next(urgent, next(iter(self._waiting))))
                self._running = job
            try:
                job.run()
            except _Abandoned:
                return


def _parts(key: Hashable) -> tuple[Hashable, Hashable]:
    """The kind and the document of a key; None and the key where it has no document."""
    return cast("tuple[Hashable, Hashable]", key) if isinstance(key, tuple) else (None, key)
