"""The model's thread: the latest job of a key wins, and whoever is given up hears of it at once."""

import threading
import time
from types import SimpleNamespace

import pytest
from suture.lsp_server.runtime import worker as worker_module
from suture.lsp_server.runtime.worker import Hung, Job, Worker

from ..support.work import PATIENCE_S


@pytest.fixture
def worker():
    worker = Worker()
    yield worker
    worker.stop()
    assert worker.join(PATIENCE_S)


class Gate:
    """Work running until it is cancelled or let through."""

    def __init__(self):
        self.started, self.opened, self.stopped = threading.Event(), threading.Event(), threading.Event()
        self.asked = 0

    def __call__(self, cancelled):
        self.started.set()
        while not cancelled() and not self.opened.wait(0.001):
            self.asked += 1
        self.stopped.set()
        return "through"


def running(worker: Worker, key: object) -> tuple[Gate, Job]:
    gate = Gate()
    job = worker.submit(key, gate)
    assert gate.started.wait(PATIENCE_S)
    return gate, job


def test_results_and_exceptions_come_back(worker):
    assert worker.submit("a", lambda cancelled: 1).future.result(PATIENCE_S) == 1
    with pytest.raises(ZeroDivisionError):
        worker.submit("a", lambda cancelled: 1 / 0).future.result(PATIENCE_S)
    assert worker.submit("a", lambda cancelled: cancelled()).future.result(PATIENCE_S) is False


def test_keys_take_turns_in_the_order_in_which_they_came(worker):
    gate, _ = running(worker, "gate")
    order = []
    jobs = [worker.submit(key, lambda cancelled, key=key: order.append(key)) for key in "abc"]
    gate.opened.set()
    for job in jobs:
        job.future.result(PATIENCE_S)
    assert order == ["a", "b", "c"]


def test_a_newer_job_supersedes_the_running_one(worker):
    gate, job = running(worker, "document")
    newer = worker.submit("document", lambda cancelled: "newer")
    assert job.future.result(0) is None  # at once, without waiting for its work to stop
    assert gate.stopped.wait(PATIENCE_S)
    assert newer.future.result(PATIENCE_S) == "newer"


def test_of_a_hundred_waiting_jobs_only_the_last_runs(worker):
    gate, _ = running(worker, "other")
    ran = []
    jobs = [worker.submit("document", lambda cancelled, n=n: ran.append(n) or n) for n in range(100)]
    assert [job.future.result(0) for job in jobs[:-1]] == [None] * 99
    gate.opened.set()
    assert jobs[-1].future.result(PATIENCE_S) == 99
    assert ran == [99]


def test_work_in_the_background_starts_when_nothing_else_waits(worker):
    gate, _ = running(worker, "gate")
    order = []
    jobs = [worker.submit(key, lambda cancelled, key=key: order.append(key), background=key in "ab") for key in "abcd"]
    gate.opened.set()
    for job in jobs:
        job.future.result(PATIENCE_S)
    assert order == ["c", "d", "a", "b"]


def test_work_is_awaited_by_another_document_that_asks_the_same(worker):
    gate, _ = running(worker, ("suggest", "one"))
    assert not worker.is_awaited()
    for key in (("suggest", "one"), ("diagnose", "two"), "unload"):
        worker.submit(key, lambda cancelled: None)
        assert not worker.is_awaited()
    gate.opened.set()
    gate, _ = running(worker, ("suggest", "one"))
    waiting = worker.submit(("suggest", "two"), lambda cancelled: None)
    assert worker.is_awaited()
    gate.opened.set()
    waiting.future.result(PATIENCE_S)
    gate = Gate()
    worker.submit(("ahead", "one"), gate, background=True)
    assert gate.started.wait(PATIENCE_S)
    worker.submit(("ahead", "two"), lambda cancelled: None, background=True)
    assert not worker.is_awaited()
    gate.opened.set()


def test_other_documents_are_left_alone(worker):
    gate, job = running(worker, "one")
    worker.submit("two", lambda cancelled: 2)
    worker.cancel("two")
    assert not job.cancelled()
    gate.opened.set()
    assert job.future.result(PATIENCE_S) == "through"


def test_cancel_reaches_waiting_and_running_jobs(worker):
    gate, job = running(worker, "one")
    waiting = worker.submit("two", lambda cancelled: pytest.fail("it was cancelled"))
    waiting.cancel()
    worker.cancel("one")
    assert (job.future.result(0), waiting.future.result(0)) == (None, None)
    assert gate.stopped.wait(PATIENCE_S)
    worker.cancel("unknown")


def test_stop_gives_everything_up_and_waits_for_nothing():
    worker = Worker()
    hanging = threading.Event()
    job = worker.submit("hangs", lambda cancelled: hanging.wait(600))
    while worker._running is None:
        time.sleep(0.001)
    waiting = worker.submit("waits", lambda cancelled: 1)
    worker.stop()
    assert (job.future.result(0), waiting.future.result(0)) == (None, None)
    assert worker.submit("late", lambda cancelled: 1).future.result(0) is None
    assert worker._running is not None
    hanging.set()
    assert worker.join(PATIENCE_S)


def test_cancelling_while_jobs_end_never_fails(worker):
    for _ in range(300):
        job = worker.submit("document", lambda cancelled: 1)
        if _ % 3:
            time.sleep(0.0001)
        job.cancel()
        assert job.future.result(PATIENCE_S) in (1, None)


def test_a_thread_that_hangs_is_replaced_and_ends_when_it_comes_back(worker):
    hanging, went_on = threading.Event(), []

    def hang(cancelled):
        hanging.wait(600)
        cancelled()
        went_on.append(1)

    job = worker.submit("hangs", hang, silent_s=0.01)
    waiting = worker.submit("waits", lambda cancelled: "done")
    first = worker._thread
    while not job.hangs():
        time.sleep(0.001)
    assert worker.replace_hung() is job
    with pytest.raises(Hung):
        job.future.result(0)
    assert waiting.future.result(PATIENCE_S) == "done"
    assert worker.replace_hung() is None
    hanging.set()
    first.join(PATIENCE_S)
    assert not first.is_alive() and went_on == []
    assert worker.submit("after", lambda cancelled: "after").future.result(PATIENCE_S) == "after"


def test_work_that_asks_does_not_hang(worker, monkeypatch):
    now_s = [100.0]
    monkeypatch.setattr(worker_module, "time", SimpleNamespace(perf_counter=lambda: now_s[0]))
    gate = Gate()
    job = worker.submit("one", gate, silent_s=60.0)
    assert gate.started.wait(PATIENCE_S)
    for _ in range(3):
        now_s[0] += 59.0
        assert worker.replace_hung() is None
        before = gate.asked
        while gate.asked < before + 2:  # one of them was asked by this clock
            time.sleep(0.001)
    gate.opened.set()
    assert job.future.result(PATIENCE_S) == "through"


def test_what_would_end_the_thread_is_an_exception_like_others(worker):
    def leave(cancelled):
        raise SystemExit(3)

    with pytest.raises(RuntimeError, match="SystemExit"):
        worker.submit("a", leave).future.result(PATIENCE_S)
    assert worker.submit("a", lambda cancelled: 1).future.result(PATIENCE_S) == 1


def test_all_may_be_given_up_and_others_taken(worker):
    _gate, job = running(worker, "one")
    waiting = worker.submit("two", lambda cancelled: 2)
    worker.cancel_all()
    assert (job.future.result(0), waiting.future.result(0)) == (None, None)
    assert worker.submit("three", lambda cancelled: 3).future.result(PATIENCE_S) == 3
