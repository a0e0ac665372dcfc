"""The fit of values to their places by type."""

import pytest
from suture.parser import imports_for, language

_IMPORTS = imports_for("python", "3.11", None, at_once=True)
_QUEUE = """from __future__ import annotations
from abc import ABC
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Optional, Protocol, Union

@dataclass
class Ticket:
    number: int
    title: str = ""

class Urgent(Ticket): pass
class Ride:
    length: float = 1.0
class Level(Enum):
    low = 1
class Named(Protocol):
    title: str
class Bag:
    def __iter__(self) -> Iterable[int]: ...

def by_name(name: str, level: Level, named: Named, find: Callable[[str], int]) -> None: ...
def several(a: int | str, b: Optional[Ticket], c: Union[bytes, str], d: Any, *rest: str) -> None: ...
def abstract(a: Sequence[int], b: Mapping[str, int], c: Iterable[Ticket], d: float) -> None: ...

class Queue:
    def __init__(self, path: Path, limit: int | None = None):
        self.path = path
        self.next_number: int = 1
        self.tickets: dict[int, Ticket] = {}
        self.names: list[str] = []
    def close(self, number: int) -> Ticket: ...
    def add(self, title: str, rides: list[Ride], numbers: list[int], unknown, urgent: Urgent, bag: Bag, level: Level) -> str:
        ticket = Ticket(1)
        PLACE
"""


def _fits(text: str, right: str = "\n", left: str = "") -> int:
    before, _, after = _QUEUE.partition("PLACE")
    state = language("python", "3.11").hole(before + left, right + after, level="names", imports=_IMPORTS).state
    after_text = state.advance(text) if state is not None else None
    assert after_text is not None, text
    return after_text.fits


@pytest.mark.parametrize(
    ("texts", "fits"),
    [
        ("x = Ticket(self.next_number); x = Ticket(1); x = Ticket(number=self.next_number); x = Ticket(True)", 1),
        ("x = Ticket(self.tickets); x = Ticket(''); x = Ticket(ticket); x = Ticket(1.5); x = Ticket(Ticket); x = Ticket(None)", -1),
        ("x = Ticket(1, title); several(1, None, unknown, 1); several('', urgent, unknown, 1); abstract(numbers, {}, unknown, unknown)", 2),
        ("x = Ticket(1, 2); x = Ticket(self, title); several(1, 1, unknown, 1); several([], ticket, unknown, 1); abstract(rides, {}, unknown, unknown)", 0),
        ("x = Ticket(unknown); x = Ticket(unknown.x); x = Ticket(unknown(1)); several(*numbers); x = Ticket(-1)", 0),
        ("self.tickets[1] = ticket; self.tickets[1] = urgent; self.names = []; self.next_number = 2; x: int = 3", 1),
        ("self.tickets[1] = self.next_number; self.tickets[1] = title; self.names = title; x: int = title", -1),
        ("return title; return ticket.title; return 'a'", 1),
        ("return ticket; return 1; return self; return None", -1),
        ("for x in rides: pass; for x in title: pass; for x in self.tickets.values(): pass", 1),
        ("for x in ticket: pass; for x in 3: pass; for x in Ticket: pass; for x in self.next_number: pass", -1),
        ("for x in bag: pass; for x in level: pass; by_name(level, unknown, unknown, unknown); x = len(bag); x = unknown(title)", 0),
        ("x = sum(numbers); x = sorted(rides); x = len(title); x = sum([1])", 1),
        ("x = sum(rides); x = len(ticket); x = sorted(1); x = list(self.close)", -1),
        ("abstract([], {}, [], 1)", 4),
        ("abstract({1}, [], 1, '')", -4),
        ("several(1, ticket, b'', print, 'a')", 4),
    ],
)  # fmt: skip
def test_what_fits_by_type(texts: str, fits: int) -> None:
    for text in texts.split("; "):
        assert _fits(text) == fits, text


def test_a_place_within_a_line() -> None:
    assert _fits("self.tickets", ")\n", "x = Ticket(") == -1
    assert _fits("self.next_number", ", title)\n", "x = Ticket(") == 1  # the existing argument says nothing
    assert _fits("1", ", 2)\n", "x = Ticket(") == 1
    assert _fits("ticket", "\n", "self.tickets[self.next_number] = ") == 1
    assert _fits("self.next_number", "\n", "self.tickets[self.next_number] = ") == -1
    assert _fits("cket", "\n", "return ti") == -1
    assert _fits("", "\n", "return ticket") == 0
    assert _fits("x = 1\n        return ticket") == 0  # several lines are not weighed
