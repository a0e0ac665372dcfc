"""The texts against which candidates are counted."""

from __future__ import annotations

from suture.training.editing_places import EditingPlace, File

from benchmarks.candidates import cases

TEXT = "def f(size):\n    g(size=size)\n    return size\n"


def test_an_unfinished_file_ends_with_the_line_of_the_cursor():
    start = TEXT.index("size=size")
    place = EditingPlace("argument", File("a", "a.py", TEXT), start, start + 9, start + 9)
    left = TEXT[:start]
    below = ")\n    return size\n"
    assert list(cases(place)) == [(left, below, "size=size"), (left + "size=", below, "size")]
    assert list(cases(place, unfinished=True)) == [(left, ")", "size=size"), (left + "size=", ")", "size")]
