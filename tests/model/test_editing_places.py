"""The places where people stop: the text taken out at each kind, and the judgement of each."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from suture.training.editing_places import KINDS, File, choose, spans

TEXT = '''\
import json
from pathlib import Path


@decorated(1)
class Shelf:
    """What stands on a shelf."""

    def add(self, name, count=1):
        if name in self.items:
            self.items[name] += count
            return None
        total = self.items[name] = Item(name, f"{count} of them")
        return total


def test_add():
    shelf = Shelf()
    shelf.add("cup", 2)
    assert shelf.total == 2
    assert shelf.items
'''


def taken(kind: str) -> set[str]:
    found = spans(File("a", "a.py", TEXT), random.Random(0))
    return {place.taken for place in found if place.kind == kind}


@pytest.mark.parametrize(
    ("kind", "some"),
    [
        ("import", {"json", "Path"}),
        ("decorator", {"decorated(1)"}),
        ("parameters", {"self, name, count=1"}),
        ("condition", {"name in self.items:"}),
        ("assignment", {'Item(name, f"{count} of them")', "Shelf()"}),
        ("return", {"None", "total"}),
        ("argument", {'"cup", 2', "2"}),
        ("f-string", {"count"}),
        ("attribute", {"items[name] += count", 'add("cup", 2)'}),
        ("assertion", {"shelf.total == 2"}),
        ("last line", {"return total", "assert shelf.items"}),
        ("new block", {"self.items[name] += count\n            return None"}),
    ],
)
def test_what_is_taken_out_is_what_was_written_there(kind: str, some: set[str]) -> None:
    assert some <= taken(kind)


def test_places_are_spread_over_kinds_and_files() -> None:
    files = [File(project, f"{number}.py", TEXT) for project in ("a", "b") for number in range(3)]
    chosen = choose(files, 3, seed=1)
    kinds = {place.kind for place in chosen}
    assert len(kinds) == KINDS
    assert all(sum(place.kind == kind for place in chosen) == 3 for kind in kinds)
    assert len({place.file for place in chosen}) > 1
    assert chosen == choose(files, 3, seed=1)
    assert all(place.file.text[place.start : place.end].strip() for place in chosen)
    assert list(spans(File("a", "a.py", "def f(:\n"), random.Random(0))) == []


def test_a_model_s_card_says_what_it_has_seen(tmp_path: Path) -> None:
    files = pytest.importorskip("benchmarks.reserved_files")
    (tmp_path / "README.md").write_text(
        "### Trained on: 2 packages\n\n| package | licence |\n| --- | --- |\n| Attrs | MIT |\n| a.b | MIT |\n\n"
        "### Held out: 1\n\n| package | licence |\n| boltons | BSD |\n",
        encoding="utf-8",
    )
    rows = "use\tproject\tlicence\ntrained, first runs\tc_d\tMIT\nn-grams of Python\te\tMIT\n"
    (tmp_path / "data.tsv").write_text(rows, encoding="utf-8")
    assert {"attrs", "a-b", "c-d"} <= files.trained_on(tmp_path)
    assert "e" not in files.trained_on(tmp_path)
    assert "boltons" not in files.trained_on(tmp_path)
    sources = tmp_path / "sources"
    for name in ("attrs", "boltons", "rich"):  # seen, reserved, not reserved
        (sources / name).mkdir(parents=True)
        (sources / name / "a.py").write_text(TEXT * 2, encoding="utf-8")
    assert {file.project for file in files.files_in(sources, files.trained_on(tmp_path))} == {"boltons"}


@pytest.mark.parametrize(
    ("shown", "right", "exact", "begins", "good", "saved"),
    [
        (None, False, False, False, 0, 0),
        ("count", True, True, True, 5, 4),
        ("co", True, False, False, 2, 1),
        ("count + 1", False, False, True, 5, 0),
        ("other", False, False, False, 0, 0),
    ],
)
def test_a_suggestion_is_judged_by_what_was_written(
    shown: str | None, right: bool, exact: bool, begins: bool, good: int, saved: int
) -> None:
    places = pytest.importorskip("benchmarks.places")
    place = next(p for p in spans(File("a", "a.py", TEXT), random.Random(0)) if p.kind == "f-string")
    found = places.judged(place, shown)
    assert (found.right, found.exact, found.begins, found.good, found.saved) == (right, exact, begins, good, saved)
