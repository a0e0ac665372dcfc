"""Dictionaries with a bound."""

from suture.common.bounded import BoundedDict


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
