"""The facts around a hole of which whole texts can be made: the callable names with their parameters, the known and the missing names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Call:
    """A call in which an argument begins at the hole."""

    called: str = ""
    """the last name of the called path"""
    lacks: tuple[str, ...] = ()
    """the parameters without defaults that no argument is for yet, by name; one that must be named as `name=`"""
    takes: frozenset[str] = field(default=frozenset())
    """all parameters that no argument is for yet, by name"""
    keyword: str = ""
    """the parameter whose value comes next, where it was named"""
    is_first: bool = False
    """whether it is the first argument"""


class Facts:
    """The facts at a hole; here there are none."""

    @property
    def function(self) -> str:
        """The name of the function around; "" for none."""
        return ""

    @property
    def parameters(self) -> Sequence[str]:
        """The parameters of the function around as they are handed on (`a`, `*rest`, `key=key`), but for the receiver."""
        return ()

    @property
    def receiver(self) -> str:
        """The name of the first parameter that a function written here takes its object as; "" for none."""
        return ""

    @property
    def call(self) -> Call | None:
        """The call in which an argument begins."""
        return None

    def binds(self, name: str) -> bool:
        """Whether it is a variable or a parameter of the function around, or where there is none, of the file, bound before the hole."""
        return False

    def lacking(self, names: frozenset[str]) -> frozenset[str]:
        """Those of some names that the file reads and nothing binds."""
        return frozenset()

    def importable(self, module: str) -> Mapping[str, bool]:
        """The names that a module is known to have, and whether it defines them itself."""
        return {}

    def is_closed(self, name: str) -> bool:
        """Whether all members are known of what a name at the hole stands for, or of a type of the language by this name."""
        return False

    @property
    def failure(self) -> Sequence[str]:
        """The values that the function around returns with an error `err`; () where it returns none, or they are unknown."""
        return ()
