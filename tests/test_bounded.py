"""Dictionaries with a bound."""

from suture.common.bounded import BoundedBySize, BoundedDict


def test_the_least_recently_used_entry_is_dropped():
    kept: BoundedDict[str, int] = BoundedDict(2)
    kept["a"], kept["b"] = 1, 2
    assert kept.used("a") == 1 and kept.used("x") is None
    kept["c"] = 3
    assert list(kept.items()) == [("a", 1), ("c", 3)]
    kept["a"] = 4  # not a new one
    assert list(kept.items()) == [("a", 4), ("c", 3)]


def test_what_is_dropped_is_told():
    dropped: list[int] = []
    kept: BoundedDict[str, int] = BoundedDict(1, dropped.append)
    kept["a"], kept["b"] = 1, 2
    assert dropped == [1] and list(kept) == ["b"]


def test_what_is_dropped_makes_room_by_its_size():
    kept: BoundedBySize[str, str] = BoundedBySize(10, len)
    kept["a"], kept["b"] = "1234", "123456"
    assert kept.used("a") == "1234" and kept.used("x") is None
    kept["c"] = "12"
    assert kept.used("b") is None and len(kept) == 2
    kept["a"] = "12345678"  # of the old value nothing is counted any more
    assert kept.used("a") == "12345678" and kept.used("c") == "12"


def test_the_newest_value_is_kept_whatever_its_size():
    kept: BoundedBySize[str, str] = BoundedBySize(3, len)
    kept["a"], kept["b"] = "1", "12345"
    assert kept.used("a") is None and kept.used("b") == "12345"
