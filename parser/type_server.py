"""Type checkers that serve editors: how the one of a language is started and asked, and the names that it allows at a hole."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Assigned:
    """The names that a text may give to objects as attributes."""

    names: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    """the words of its strings"""
    computes: bool = False
    """whether it may compute others"""


@dataclass(frozen=True)
class TypeServer:
    """The type checker of a language, as a server of LSP."""

    program: str
    arguments: tuple[str, ...]
    oldest: tuple[int, ...]
    """the first version that keeps to `options`; an older one is not asked. (): any that answers for diagnostics"""
    options: Mapping[str, Any]
    """the initialization options: such that it starts no other program and installs nothing"""
    language_id: str
    own: tuple[str, ...]
    """the paths in a workspace at which its own may lie, without an ending such as `.exe`"""
    asked: re.Pattern[str]
    """the cursor's line up to the cursor, where names are asked for; the group `word` is begun, `argument` is there in a call"""
    quoted: re.Pattern[str]
    """the groups that name things in a message: a name, and the owner that lacks it"""
    no_member: str | None = None
    """what stands for a member where they are listed, so that the next word is not taken for one, and the expression stays what it is;
    None: the nonsense name, for a list that is not filtered by what stands behind its place"""
    value: str = ""
    """what makes a name that of an argument"""
    behind_argument: re.Pattern[str] = re.compile(r"(?!)")
    """what may stand behind an argument"""
    ignoring: re.Pattern[str] = re.compile(r"(?!)")
    """what says in the rest of a line that its author knows more than the checker"""
    nothing: str | None = None
    """the type of which only what is beside it in a union is meant; None: a member of a union is one of all its parts"""
    unlisted: re.Pattern[str] = re.compile(r"(?!)")
    """what says in a message that a name is lacking of something that has more than is listed"""
    variable: re.Pattern[str] = re.compile(r"(?!)")
    """what differs in a type from place to place though its names are the same"""
    name: re.Pattern[str] = re.compile(r"[^\W\d]\w*")
    """a name in full"""
    reserved: frozenset[str] = frozenset()
    """words that are no names"""
    lists_all: bool = True
    """whether its list is whole where a nonsense name is an error. Else the list only proposes, and a name is refused that the checker,
    asked about it at its place, says is wrong"""
    operand: Callable[[str], int | None] = lambda line: None
    """a line up to a dot -> where the operand before the dot begins, so that several of its members can be written in its place; None: they
    are asked about one by one"""
    assigned: Callable[[str], Assigned] = lambda text: Assigned()
    """a text -> the names that it may give to objects, though the checker does not follow how"""
    is_sure: Callable[[str, str, Assigned, frozenset[str]], bool] = lambda owner, name, assigned, listed: True
    """(a type, a name that the checker does not find in it, the names that the text assigns, those that it lists) -> whether there is no such
    name"""
    module: Callable[[str], frozenset[str]] | None = None
    """the path of a module's file -> the names that it may have though the checker does not list them. Raises OSError"""
    of_module: str = ""
    """the beginning of a message in which a module lacks a name; "": a module is like any owner"""
    certain: Callable[[str], str | None] = lambda left: None
    """the text up to the dot behind an operand -> the same with one that is not `nothing`; None: there is none"""
    forgiven: re.Pattern[str] | None = None
    """in `code message`: errors for which no text is dropped; None: none is for any"""
    lacks: re.Pattern[str] = re.compile(r"(?!)")
    """what says in a message that a type, which is quoted first, lacks the member that is quoted last"""
    no_type: re.Pattern[str] = re.compile(r"(?!)")
    """in a message: a quoted name that is none of a type"""
    literal: re.Pattern[str] = re.compile(r"(?!)")
    """in a type: text of the code"""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """the variables of its process, beside ours"""


class Allowed(Protocol):
    """The names that a type checker knows at one place of a line."""

    @property
    def line(self) -> str:
        """The line up to the names."""
        ...

    @property
    def argument(self) -> bool:
        """whether they are names of a call's arguments, not members"""
        ...

    @property
    def owner(self) -> str:
        """Whose they are, in words."""
        ...

    @property
    def settled(self) -> bool:
        """Whether the checker has answered, or will not."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether there are no others than `names`, so that the beginning of another one can be refused."""
        ...

    def names(self) -> frozenset[str] | None:
        """Those that are known to exist; None: any may, or it is not known yet."""
        ...

    def may_begin(self, begun: str) -> bool:
        """Whether a name that is known to exist, or that the text assigns, begins so."""
        ...

    def foresee(self, name: str) -> None:
        """Have a name asked about that may be written soon."""
        ...

    def refuses(self, name: str) -> bool:
        """Whether the checker says that there is no such name. One that it was not asked about yet is not refused, and is asked about."""
        ...
