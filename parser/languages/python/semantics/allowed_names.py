"""The names allowed at a place: attributes, keywords of a call, names in a module."""

from __future__ import annotations

from typing import NamedTuple

from ....type_server import Allowed


class Members(NamedTuple):
    """The names of something's attributes, and a description of their owner."""

    owner: str
    names: frozenset[str]
    asked: Allowed | None = None
    """a type checker, which can judge other names"""
    is_whole: bool = True
    """whether there are no others, as far as partial names can be judged"""

    def has(self, name: str) -> bool:
        """Whether a name is one of these, one that Python itself may provide, or one that the type checker does not refuse."""
        if name in self.names or is_special(name):
            return True
        return self.asked is not None and not self.asked.refuses(name)

    def shown(self) -> tuple[str, ...]:
        """The names to show to a person, in order, without beginnings of private names."""
        return tuple(sorted(name for name in self.names if name.startswith("__") or not name.endswith("__")))

    def has_prefix(self, prefix: str) -> bool:
        """Whether a name may start with the prefix."""
        return not self.is_whole or self.is_begun(prefix)

    def is_begun(self, prefix: str) -> bool:
        """Whether a known name starts with the prefix."""
        if is_special(prefix) or (self.asked is not None and self.asked.may_begin(prefix)):
            return True
        return any(name.startswith(prefix) for name in self.names)


def is_special(name: str) -> bool:
    """Whether a name may come from Python itself, or its mangling."""
    return name[:1] == "_" and "__" in name
