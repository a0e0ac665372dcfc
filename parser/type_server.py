"""Type checkers that serve editors: how the one of a language is started and asked, and the names that it allows at a hole."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

ANY_PRIVATE = "_"
"""Among the names that may come: any other that begins so may, too."""


@dataclass(frozen=True)
class TypeServer:
    """The type checker of a language, as a server of LSP."""

    program: str
    arguments: tuple[str, ...]
    oldest: tuple[int, ...]
    """the first version that keeps to `options`; an older one is not asked"""
    options: Mapping[str, Any]
    """the initialization options: such that it starts no other program and installs nothing"""
    language_id: str
    folders: tuple[str, ...]
    """those of a workspace in which its own programs lie"""
    asked: re.Pattern[str]
    """the cursor's line up to the cursor, where names are asked for; the group `word` is begun, `argument` is there in a call"""
    no_member: str
    """what stands for a member where they are listed, so that the next word is not taken for one, and the expression stays what it is"""
    value: str
    """what makes a name that of an argument"""
    behind_argument: re.Pattern[str]
    """what may stand behind an argument"""
    nothing: str
    """the type of which only what is beside it in a union is meant"""
    unlisted: re.Pattern[str]
    """what says in a message that a name is lacking of something that has more than is listed"""
    variable: re.Pattern[str]
    """what differs in a type from place to place though its names are the same"""
    more: Callable[[str, frozenset[str], str], frozenset[str] | None]
    """(a type, its names, the text) -> names that it may have though the checker does not list them; None: any"""
    certain: Callable[[str], str | None]
    """the text up to the dot behind an operand -> the same with one that is not `nothing`; None: there is none"""


class Allowed(Protocol):
    """The names that a type checker allows at one place of a line."""

    @property
    def line(self) -> str:
        """The line up to the names."""
        ...

    @property
    def argument(self) -> bool:
        """Are they names of a call's arguments, not members?"""
        ...

    @property
    def owner(self) -> str:
        """Whose they are, in words."""
        ...

    def names(self) -> frozenset[str] | None:
        """All there are; None: unknown, or not known yet."""
        ...
