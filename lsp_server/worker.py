"""One thread for all work with the model; for each key the latest job wins."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any

# What a job runs: it gets the question whether it was cancelled, and asks it often.
Work = Callable[[Callable[[], bool]], Any]


class Job:
    """Work that was handed in; its future ends with the result, or with None when the job was given up."""

    def __init__(self, key: Hashable, work: Work):
        self.key = key
        self.work = work
        self.future: Future[Any] = Future()
        self.future.set_running_or_notify_cancel()  # from here on only this class ends the future
        self._cancelled = threading.Event()
        self._lock = threading.Lock()

    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Give the job up: its future ends at once, its work as soon as it asks."""
        self._cancelled.set()
        self._end(lambda: self.future.set_result(None))

    def run(self) -> None:
        """Do the work, unless the job was given up."""
        if self.cancelled():
            return
        try:
            result = self.work(self.cancelled)
        except Exception as error:
            problem = error
            self._end(lambda: self.future.set_exception(problem))
        else:
            self._end(lambda: self.future.set_result(result))

    def _end(self, end: Callable[[], None]) -> None:
        with self._lock:
            if not self.future.done():
                end()


class Worker:
    """A thread that runs jobs in the order in which their keys came; handing in a job never waits."""

    def __init__(self, name: str = "suture-model"):
        self._changed = threading.Condition()
        self._waiting: dict[Hashable, Job] = {}
        self._running: Job | None = None
        self._stopped = False
        # A daemon: a model that hangs must not keep the process alive.
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def submit(self, key: Hashable, work: Work) -> Job:
        """Hand in a job; an older one of the same key, waiting or running, is given up."""
        job = Job(key, work)
        with self._changed:
            older = [self._waiting.pop(key, None)]
            if self._running is not None and self._running.key == key:
                older.append(self._running)
            stopped = self._stopped
            if not stopped:
                self._waiting[key] = job
                self._changed.notify()
        # Outside the lock, since the end of a future runs other people's callbacks.
        for superseded in older:
            if superseded is not None:
                superseded.cancel()
        if stopped:
            job.cancel()
        return job

    def cancel(self, key: Hashable) -> None:
        """Give up what waits or runs under a key."""
        with self._changed:
            jobs = [self._waiting.pop(key, None), self._running]
        for job in jobs:
            if job is not None and job.key == key:
                job.cancel()

    def stop(self) -> None:
        """Give up everything and take nothing more; does not wait for the thread."""
        with self._changed:
            self._stopped = True
            jobs = [*self._waiting.values(), self._running]
            self._waiting.clear()
            self._changed.notify()
        for job in jobs:
            if job is not None:
                job.cancel()

    def join(self, timeout_s: float) -> bool:
        """Wait for the thread to end after `stop`; False when it still runs."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._running = None
                while not self._waiting and not self._stopped:
                    self._changed.wait()
                if self._stopped:
                    return
                job = self._waiting.pop(next(iter(self._waiting)))
                self._running = job
            job.run()
