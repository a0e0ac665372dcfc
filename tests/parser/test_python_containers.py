"""The types of containers' elements, from annotations and methods; annotations as paths."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suture.parser import imports_for, language
from suture.parser.languages.python.semantics.type_paths import (
    alternatives_of,
    arguments_of,
    either,
    encoded,
    names_in,
    read,
    subscript,
)

_HOTEL = """from __future__ import annotations
import typing as t
from collections import abc, defaultdict
from collections.abc import Iterable, Sequence, Mapping
from dataclasses import dataclass
from typing import Annotated, List, Literal, Optional, Self, TypeVar, Union

T = TypeVar("T")

class Item:
    price: int
    def room(self) -> Room | None: ...
    def others(self) -> list["Item"]: ...

@dataclass
class Room:
    number: int
    items: list[Item]
    name: str = ""
    best: Optional[Item] = None
    @property
    def first(self) -> Item: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error): ...

class Building:
    def __iter__(self) -> abc.Iterator[Room]: ...

def every() -> Iterable[Room]: ...
def opened() -> Room: ...
def same(one: list[T]) -> T: ...

class Hotel:
    def __init__(self, rooms: list[Room]) -> None:
        self.rooms = rooms
        self.by_name: dict[str, Room] = {}
        self.last: Room | None = None
    def use(self):
        HERE

def use(
    rooms: list[Room], by: dict[str, Room], seq: Sequence["Room"], several: tuple[Room, ...], pair: tuple[Room, Item],
    maybe: t.Optional[Room], lists: Mapping[str, List[Room]], either: int | Room, union: Union[None, "Room"], quoted: "list[Room]",
    noted: Annotated[Room, "x"], them: abc.Iterator[Room], grouped: defaultdict[str, list[Room]], word: str, plain: list, word_list: list[str],
    literal: Literal["Room"], generic: list[T],
):
    HERE
"""


def _refused(marked: str, attribute: str, place: int) -> bool:
    """Whether an attribute is refused at a marked place of a body."""
    before, between, after = _HOTEL.split("HERE")
    bodies = ["pass", "pass"]
    bodies[place] = marked.replace("\n", "\n        " if place == 0 else "\n    ")
    text = before + bodies[0] + between + bodies[1] + after
    left, right = text.split("$")
    for level in ("compile", "names"):
        hole = language("python", "3.11").hole(
            left, right, level=level, imports=imports_for("python", "3.11", None, at_once=True)
        )
        state = hole.state
        for char in attribute:
            state = state.advance(char) if state is not None else None
        accepted = state is not None and state.complete
        if level == "compile":
            assert accepted, (marked, attribute)
    return not accepted


@pytest.mark.parametrize(
    "marked",
    [
        "for room in rooms:\n    room.$",
        "for room in self.rooms:\n    room.$",
        "for name, room in by.items():\n    room.$",
        "for number, (name, other) in pairs:\n    pass\nfor room in by.values():\n    room.$",
        "for room in every():\n    room.$",
        "for room in seq:\n    room.$",
        "for room in several:\n    room.$",
        "for room in them:\n    room.$",
        "for room in quoted:\n    room.$",
        "for some in lists.values():\n    for room in some:\n        room.$",
        "for item in rooms[0].items:\n    item.room().$",
        "rooms[0].$",
        "rooms[-1].$",
        "rooms[1:][0].$",
        "self.rooms[0].$",
        "self.by_name['a'].$",
        "self.last.$",
        "by[word].$",
        "several[0].$",
        "pair[0:1]; a, b = pair\na.$",
        "grouped['a'][0].$",
        "lists['a'].pop().$",
        "rooms.copy()[0].$",
        "maybe.$",
        "union.$",
        "noted.$",
        "room = rooms.pop()\nroom.$",
        "with opened() as room:\n    room.$",
        "item = rooms[0].first\nitem.room().$",
        "rooms[0].best.others()[0].room().$",
        "by.get(word).$",
        "by.pop(word).$",
        "self.by_name.get('a').$",
        "[1 for room in rooms if room.$]",
        "[room for room in rooms if room.items and room.$]",
        "[item for room in rooms if room.$ for item in room.items]",
        "{name: 1 for name, room in by.items() if room.$}",
        "[room.$ for room in rooms]",
        "[room.$ for room in self.rooms]",
        "sum(room.$ for room in by.values())",
        "print(max(room.$ for room in rooms if room.name), 1)",
        "{name: room.$ for name, room in by.items()}",
        "[str(room.$) for some in lists.values() for room in some]",
        "[number + room.$ for number, room in enumerate(rooms)]",
        "for number, room in enumerate(rooms, 1):\n    room.$",
        "for number, room in enumerate(self.rooms):\n    room.$",
        "for item, room in zip(rooms[0].items, rooms):\n    room.$",
        "for number, (name, room) in enumerate(by.items()):\n    room.$",
        "for room in sorted(rooms, key=len):\n    room.$",
        "for room in reversed(sorted(rooms)):\n    room.$",
        "sorted(by.values())[0].$",
        "list(by.values())[0].$",
        "for room in set(rooms) :\n    room.$",
        "next(iter(rooms)).$",
        "min(rooms, key=len).$",
        "for room in Building():\n    room.$",
    ],
)
def test_what_a_container_holds_is_known(marked: str) -> None:
    place = 0 if "self" in marked else 1
    assert not _refused(marked, "number", place) and not _refused(marked, "first", place)
    assert _refused(marked, "price", place) and _refused(marked, "nothing", place)


@pytest.mark.parametrize(
    "marked, known, unknown",
    [
        ("word.split()[0].strip().$", "upper", "price"),
        ("for one in word_list:\n    one.$", "upper", "price"),
        ("for char in word:\n    char.$", "upper", "price"),
        ("word.encode().$", "decode", "encode"),
        ("by.$", "items", "append"),
        ("rooms.$", "append", "items"),
        ("with open(word) as file:\n    file.$", "readline", "price"),
        ("with open(word, 'rb') as file:\n    file.$", "peek", "price"),
        ("open(word).$", "read", "price"),
    ],
)
def test_built_in_types(marked: str, known: str, unknown: str) -> None:
    assert not _refused(marked, known, 1) and _refused(marked, unknown, 1)


@pytest.mark.parametrize(
    "marked",
    [
        "for one in plain:\n    one.$",
        "for name, one in by:\n    one.$",
        "for *one, two in pair:\n    two.$",
        "either.$",
        "pair[word].$",
        "literal.$",
        "same(rooms).$",
        "for one in generic:\n    one.$",
        "by.get(1, '').$",
        "by.pop(1, '').$",
        "next(iter(rooms), 1).$",
        "max(rooms, default=1).$",
        "max(rooms, rooms[0]).$",
        "sorted = use\nfor room in sorted(rooms):\n    room.$",
        "[1 for room in rooms if isinstance(room, Item) and room.$]",
        "[room.$ for room in rooms if isinstance(room, Item)]",
        "[room.$ if isinstance(room, Item) else 1 for room in rooms]",
        "[room.$ for room in unknown(rooms)]",
        "room = rooms[0]\n[room.$ for room in unknown(rooms)]",
        "[1 for rooms in plain for room in sorted(rooms) if room.$]",
        "[1 for room in rooms for room in plain if room.$]",
        "[(lambda room: room.$) for room in rooms]",
        "async def f():\n    [1 async for room in rooms if room.$]",
        "for number, *room in enumerate(rooms):\n    room.$",
        "for room in zip(rooms, plain):\n    room.$",
        "for one, two in zip(rooms, plain):\n    two.$",
        "room = rooms[0]\nroom = 1\nroom.$",
        "for room in rooms:\n    pass\nfor room in word:\n    room.$",
        "for room in rooms:\n    if isinstance(room, Item):\n        room.$",
        "for room in rooms:\n    room.$\nroom.price",
        "for one in seq[0]:\n    one.$",
        "seq.$",
        "them.$",
        "async def f():\n    async for one in rooms:\n        one.$",
        "rooms[0]()[1].$",
        "list = 1\nx = list[Room].$",
        "for rooms in rooms:\n    rooms.$",
    ],
)
def test_what_is_not_certain_refuses_nothing(marked: str) -> None:
    for attribute in ("price", "number", "nothing"):
        assert not _refused(marked, attribute, 1), attribute


def test_a_name_of_the_file_is_no_built_in_container() -> None:
    text = "class Room: pass\nclass list:\n    def __class_getitem__(cls, item): return cls\ndef f(rooms: list[Room]):\n    for room in rooms:\n        room."
    state = (
        language("python", "3.11").hole(text, "\n", level="names", imports=imports_for("python", "3.11", None)).state
    )
    assert state is not None and state.advance("anything") is not None


_ANNOTATIONS = st.recursive(
    st.sampled_from(["A", "a.B", "None", "str"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["list", "t.Dict"]), st.lists(inner, min_size=1, max_size=3)).map(
            lambda one: f"{one[0]}[{', '.join(one[1])}]"
        ),
        st.lists(inner, min_size=2, max_size=3).map(" | ".join),
    ),
    max_leaves=8,
)


def _by_ast(node: ast.expr) -> str:
    return ast.unparse(node).replace(" ", "")


@given(_ANNOTATIONS)
def test_annotations_are_read_as_python_reads_them(text: str) -> None:
    path = read(text)
    assert path is not None
    tree = ast.parse(text, mode="eval").body
    assert encoded(path) == _by_ast(tree)
    assert names_in(path) == {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | (
        {"None"} if "None" in text else set()
    )
    if isinstance(tree, ast.Subscript):
        inner = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
        assert [encoded(one) for one in arguments_of(path[-1])] == [_by_ast(one) for one in inner]
    elif isinstance(tree, ast.BinOp):
        assert all(one is not None for one in alternatives_of(path[0]))


@pytest.mark.parametrize(
    "text", ["", "1", "a b()", "f(x)", "list[", "list]", "a..b", "[A]", "x" * 500, "A |", "list[A]b", "a[1]|"]
)
def test_what_is_no_annotation(text: str) -> None:
    path = read(text)
    assert path is None or "?" in encoded(path) or (text == "a b()" and path is None), text


def test_paths_of_types() -> None:
    assert read("dict[str, a.B | None]") == ("dict", "[str,a.B|None]")
    assert read("A | list[B]") == ("|A|list[B]",)
    assert either([("A",), None]) is None
    assert subscript([("A", "[B]"), None]) == "[A[B],?]"
    assert arguments_of("[A[B],?]") == (("A", "[B]"), None)
    assert arguments_of(subscript([either([("A",), ("None",)])])) == (either([("A",), ("None",)]),)
