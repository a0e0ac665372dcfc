"""A small stock-keeping module: the demo completes holes in it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Item:
    """Something on a shelf."""

    name: str
    price: float
    count: int = 0
    tags: list[str] = field(default_factory=list)

    def total(self) -> float:
        """What all of it is worth."""
        return self.price * self.count


class Inventory:
    """All items, by name."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}

    def add(self, item: Item) -> None:
        """Add an item, or more of one that is there."""
        if item.name in self.items:
            self.items[item.name].count += item.count
        else:
            self.items[item.name] = item

    def remove(self, name: str, count: int = 1) -> None:
        """Take some of an item away."""
        item = self.items[name]
        if item.count < count:
            raise ValueError(f"only {item.count} of {name} are left")
        item.count -= count

    def total(self) -> float:
        """What everything is worth."""
        return sum(item.total() for item in self.items.values())

    def tagged(self, tag: str) -> list[Item]:
        """The items with a tag."""
        return [item for item in self.items.values() if tag in item.tags]

    def save(self, path: Path) -> None:
        """Write the items to a file."""
        data = {name: vars(item) for name, item in self.items.items()}
        path.write_text(json.dumps(data, indent=2))

    @classmethod
    def load(cls, path: Path) -> Inventory:
        """Read what `save` wrote."""
        inventory = cls()
        for values in json.loads(path.read_text()).values():
            inventory.add(Item(**values))
        return inventory
