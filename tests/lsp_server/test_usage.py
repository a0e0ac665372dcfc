"""Counting: several servers add up, nothing is lost by another's writing, and trouble is harmless."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.lsp_server.cli.main import main
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.telemetry.counting import Counting
from suture.lsp_server.telemetry.feedback import Feedback
from suture.lsp_server.telemetry.usage import EVENTS, MAX_DAYS, Day, Usage, bucket_of, latency_of, read_days, together


def test_what_was_counted_is_read_again_and_adds_up(tmp_path: Path):
    path = tmp_path / "new" / "usage.sqlite3"
    one, other = Usage(path, lambda: "2026-11-20"), Usage(path, lambda: "2026-11-21")
    for usage in (one, other, one):
        usage.count("shown")
        usage.count("characters_saved", 7)
        usage.answered(100)
        usage.flush()
    days = read_days(path)
    assert list(days) == ["2026-11-20", "2026-11-21"]
    assert (days["2026-11-20"].events["shown"], days["2026-11-21"].events["shown"]) == (2, 1)
    total = together(days.values())
    assert total.events["characters_saved"] == 21
    assert total.latencies == {bucket_of(100): 3}


WRITER = """
import sys
from pathlib import Path
from suture.lsp_server.telemetry.usage import Usage
for _ in range(25):
    usage = Usage(Path(sys.argv[1]), lambda: "day")
    usage.count("accepted", 3)
    while usage._pending:  # the others may be writing for longer than a server would wait
        usage.flush()
"""


def test_servers_that_write_at_once_lose_nothing(tmp_path: Path):
    path = tmp_path / "usage.sqlite3"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) for _ in range(3)]
    assert [writer.wait(250) for writer in writers] == [0, 0, 0]
    assert read_days(path)["day"].events["accepted"] == 3 * 25 * 3


@pytest.mark.parametrize(
    "trouble", ["a file in place of the folder", "damaged", "a folder in place of the file", "full"]
)
def test_trouble_is_harmless(tmp_path: Path, trouble: str):
    path = tmp_path / "state" / "usage.sqlite3"
    if trouble == "a file in place of the folder":
        path.parent.write_text("")
    elif trouble == "damaged":
        path.parent.mkdir()
        path.write_text("this is no database " * 100)
    elif trouble == "a folder in place of the file":
        path.mkdir(parents=True)
    elif os.path.exists("/dev/full"):
        path.parent.mkdir()
        path.symlink_to("/dev/full")
    usage = Usage(path, lambda: "day")
    for _ in range(2):
        usage.count("shown")
        usage.flush()
    assert sum(usage._pending.values()) == (0 if trouble == "damaged" else 2)  # kept for better times
    assert read_days(path) == ({"day": read_days(path)["day"]} if trouble == "damaged" else {})
    if trouble == "damaged":  # it starts anew
        assert read_days(path)["day"].events["shown"] == 2
        assert path.with_suffix(".damaged").exists()


def test_nothing_is_counted_where_it_is_switched_off(tmp_path: Path):
    usage = Usage(None)
    usage.count("shown")
    usage.answered(3)
    usage.flush()
    assert not usage._pending and not usage.due
    with pytest.raises(AssertionError):
        usage.count("def secret():")  # names of events only: no text can get in


def test_old_days_are_deleted(tmp_path: Path):
    path = tmp_path / "usage.sqlite3"
    numbers = iter(range(MAX_DAYS + 5))
    usage = Usage(path, lambda: f"{next(numbers):05}")
    for _ in range(MAX_DAYS + 5):
        usage.count("shown")
    usage.flush()
    assert list(read_days(path)) == [f"{number:05}" for number in range(5, MAX_DAYS + 5)]


@given(st.lists(st.floats(1, 100_000), min_size=1), st.floats(0.01, 1))
def test_percentiles_are_off_by_a_fifth_at_most(latencies_ms, share):
    buckets: dict[int, int] = {}
    for latency_ms in latencies_ms:
        buckets[bucket_of(latency_ms)] = buckets.get(bucket_of(latency_ms), 0) + 1
    ordered = sorted(latencies_ms)
    exact = next(ms for rank, ms in enumerate(ordered, 1) if rank >= share * len(ordered))
    told = Day({}, buckets).percentile_ms(share)
    assert told is not None and exact / 1.2 <= told <= exact * 1.2
    assert Day({}, {}).percentile_ms(share) is None
    assert bucket_of(latency_of(7)) == 7


def test_the_command(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path))
    assert main(["stats"]) == 0
    assert "nothing has been counted yet" in capsys.readouterr().out
    assert main(["stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["days"] == {}
    usage = Usage(tmp_path / "usage.sqlite3", lambda: "2026-11-21")
    for event, amount in zip(EVENTS, (90, 40, 10, 5, 2, 300, 30, 10), strict=True):
        usage.count(event, amount)
    usage.answered(64)
    usage.flush()
    assert main(["stats", "--json"]) == 0
    day = json.loads(capsys.readouterr().out)["days"]["2026-11-21"]
    assert (day["shown"], day["acceptance"], day["characters_saved"]) == (40, 0.25, 300)
    assert 53 < day["p50_ms"] < 77
    assert main(["stats", "--days", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == [
        "2026-11-21",
        "40",
        "10",
        "(25%)",
        "5",
        "2",
        "300",
        *[f"{day['p50_ms']:.0f}"] * 2,
        "75%",
    ]


def test_a_suggestion_that_is_typed_along_is_shown_once():
    usage, refused = Usage(Path("unused"), lambda: "day"), []
    counting = Counting(usage, refused.append)
    feedback = Feedback()
    feedback.listeners.append(counting)
    offers = []
    for typed in range(3):
        place = CursorContext("d", "python", "x = " + "foo"[:typed] + "\n", 4 + typed)
        suggestion = Suggestion("foo(a)"[typed:], None, True, 0.0)  # type: ignore[arg-type]
        counting.answered(place, [suggestion], "model" if typed == 0 else "memory", 5.0)
        offers.append(feedback.offer(place, suggestion))
        feedback.shown(offers[-1].id)
    counting.answered(place, [], "model", 5.0)
    feedback.partly_accepted(offers[2].id, 2)
    feedback.partly_accepted(offers[2].id, 3)
    feedback.accepted(offers[2].id)
    feedback.rejected(offers[1].id)
    expected = {"requests": 4, "shown": 1, "accepted": 1, "partly_accepted": 1, "rejected": 1, "characters_saved": 4}
    expected |= {"from_model": 1, "from_memory": 2, f"latency_{bucket_of(5)}": 3}
    assert {name: amount for (_, name), amount in usage._pending.items()} == expected
    assert refused == [offers[1].file]


def test_a_client_that_tells_only_what_is_accepted_counts_answers_as_shown():
    usage = Usage(Path("unused"), lambda: "day")
    counting, feedback = Counting(usage, lambda file: None), Feedback()
    feedback.listeners.append(counting)
    for text in ("one", "two", "three"):
        place, suggestion = CursorContext("d", "python", "x = \n", 4), Suggestion(text, None, True, 0.0)  # type: ignore[arg-type]
        counting.answered(place, [suggestion], "model", 5.0)
        if text == "two":
            feedback.accepted(feedback.offer(place, suggestion).id)
    counted = {name: amount for (_, name), amount in usage._pending.items()}
    assert (counted["shown"], counted["accepted"]) == (3, 1)


def test_a_client_that_tells_what_it_shows_is_believed():
    usage = Usage(Path("unused"), lambda: "day")
    counting, feedback = Counting(usage, lambda file: None), Feedback()
    feedback.listeners.append(counting)
    for text in ("one", "two", "three"):
        place, suggestion = CursorContext("d", "python", "x = \n", 4), Suggestion(text, None, True, 0.0)  # type: ignore[arg-type]
        counting.answered(place, [suggestion], "model", 5.0)
        if text == "one":
            feedback.shown(feedback.offer(place, suggestion).id)
    assert {name: amount for (_, name), amount in usage._pending.items()}["shown"] == 1


TOLD = st.tuples(
    st.sampled_from(["answer", "shown", "part", "accepted", "rejected", "midnight", "off", "on"]), st.integers(0, 2)
)


@given(st.lists(TOLD, max_size=30))
def test_no_day_has_more_of_what_became_of_suggestions_than_suggestions(told):
    """Whatever a client reports, in any order: also a suggestion accepted, taken back and accepted again."""
    days = ["1"]
    usage = Usage(Path("unused"), lambda: days[-1])
    counting, feedback = Counting(usage, lambda file: None), Feedback()
    feedback.listeners.append(counting)
    offers: list[str] = []
    for what, which in told:
        place, suggestion = CursorContext("d", "python", "x = \n", 4), Suggestion(f"name{which}", None, True, 0.0)  # type: ignore[arg-type]
        if what == "answer":
            counting.answered(place, [suggestion], "model", 5.0)
            offers.append(feedback.offer(place, suggestion).id)
        elif what == "midnight":
            days.append(str(len(days) + 1))
        elif what in ("off", "on"):
            usage.on = what == "on"
        elif offers:
            offer = offers[which % len(offers)]
            tell = {"shown": feedback.shown, "accepted": feedback.accepted, "rejected": feedback.rejected}
            feedback.partly_accepted(offer, 1 + which) if what == "part" else tell[what](offer)
    for day in days:
        for event in ("accepted", "partly_accepted", "rejected"):
            assert usage._pending[day, event] <= usage._pending[day, "shown"]


def test_no_file_is_a_database_of_something_else(tmp_path: Path):
    path = tmp_path / "usage.sqlite3"
    sqlite3.connect(path).close()
    assert read_days(path) == {}
