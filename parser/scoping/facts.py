"""The facts around a hole from which whole texts can be made: callable names with their parameters, bound and unbound names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Call:
    """A call with an argument that begins at the hole."""

    called: str = ""
    """the last name of the called path"""
    lacks: tuple[str, ...] = ()
    """the parameters without defaults and without an argument yet, by name; a keyword-only one as `name=`"""
    takes: frozenset[str] = field(default=frozenset())
    """all parameters without an argument yet, by name"""
    keyword: str = ""
    """the named parameter whose value comes next"""
    is_first: bool = False
    """whether the argument is the first"""


class Facts:
    """The facts at a hole; none here."""

    @property
    def function(self) -> str:
        """The name of the enclosing function; "" for none."""
        return ""

    @property
    def parameters(self) -> Sequence[str]:
        """The parameters of the enclosing function as passed on in a call (`a`, `*rest`, `key=key`), without the receiver."""
        return ()

    @property
    def receiver(self) -> str:
        """The name of the first parameter that stands for the object in a function written here; "" for none."""
        return ""

    @property
    def call(self) -> Call | None:
        """The call with an argument that begins here."""
        return None

    def binds(self, name: str) -> bool:
        """Whether a name is bound before the hole, as a variable or parameter of the enclosing function or, outside functions, of the
        file."""
        return False

    def lacking(self, names: frozenset[str]) -> frozenset[str]:
        """Those of these names that the file reads and never binds."""
        return frozenset()

    def importable(self, module: str) -> Mapping[str, bool]:
        """The known names of a module, and whether it defines them itself."""
        return {}

    def is_closed(self, name: str) -> bool:
        """Whether all members are known of the object a name at the hole stands for, or of the language's type by this name."""
        return False

    @property
    def failure(self) -> Sequence[str]:
        """The values the enclosing function returns with an error `err`; () where it returns none, or they are unknown."""
        return ()
