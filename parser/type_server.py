"""Type checkers that serve editors: how a language's checker is started and asked, and the names it allows at a hole."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Assigned:
    """The names a text may assign to objects as attributes."""

    names: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    """the words of its strings"""
    computes: bool = False
    """whether the text may compute other names"""


@dataclass(frozen=True)
class TypeServer:
    """The type checker of a language, as an LSP server."""

    program: str
    arguments: tuple[str, ...]
    oldest: tuple[int, ...]
    """the first version respecting `options`; an older one is not asked. (): any that answers for diagnostics"""
    options: Mapping[str, Any]
    """the initialization options, which keep it from starting other programs and from installing anything"""
    language_id: str
    own: tuple[str, ...]
    """the possible paths of a workspace's own checker, without an ending such as `.exe`"""
    asked: re.Pattern[str]
    """the cursor's line up to the cursor at a request for names; the group `word` is the word begun, `argument` stands in a call"""
    quoted: re.Pattern[str]
    """the groups of a message: a name, and the owner that lacks it"""
    no_member: str | None = None
    """the stand-in for a member when members are listed, which keeps the next word from being one, and the expression unchanged;
    None: the nonsense name, for a list not filtered by the text behind its place"""
    value: str = ""
    """the text that makes a name an argument's"""
    behind_argument: re.Pattern[str] = re.compile(r"(?!)")
    """the possible text behind an argument"""
    ignoring: re.Pattern[str] = re.compile(r"(?!)")
    """the mark in the rest of a line of an author who knows more than the checker"""
    nothing: str | None = None
    """the type that does not count in a union; None: a member of a union is a member of all its parts"""
    unlisted: re.Pattern[str] = re.compile(r"(?!)")
    """the part of a message about an owner with more members than are listed"""
    variable: re.Pattern[str] = re.compile(r"(?!)")
    """the part of a type that differs from place to place while its names are the same"""
    name: re.Pattern[str] = re.compile(r"[^\W\d]\w*")
    """a name in full"""
    reserved: frozenset[str] = frozenset()
    """words that are no names"""
    lists_all: bool = True
    """Whether its list is whole where a nonsense name is an error. Else the list only proposes, and a name is refused if the checker,
    asked about it at its place, calls it wrong."""
    operand: Callable[[str], int | None] = lambda line: None
    """a line up to a dot -> the beginning of the operand before the dot, so that several of its members can be asked about at once in its
    place; None: one by one"""
    assigned: Callable[[str], Assigned] = lambda text: Assigned()
    """a text -> the names it may assign to objects in ways unknown to the checker"""
    is_sure: Callable[[str, str, Assigned, frozenset[str]], bool] = lambda owner, name, assigned, listed: True
    """(a type, a name the checker does not find in it, the names assigned by the text, the names listed) -> whether no such name exists"""
    module: Callable[[str], frozenset[str]] | None = None
    """the path of a module's file -> the names it may have although the checker does not list them. Raises OSError"""
    of_module: str = ""
    """the beginning of a message about a module without a name; "": a module is like any owner"""
    certain: Callable[[str], str | None] = lambda left: None
    """the text up to the dot behind an operand -> the same with an operand other than `nothing`; None: there is none"""
    forgiven: re.Pattern[str] | None = None
    """in `code message`: errors for which no text is dropped; None: no error drops a text"""
    lacks: re.Pattern[str] = re.compile(r"(?!)")
    """the part of a message saying that a type, quoted first, lacks a member, quoted last"""
    no_type: re.Pattern[str] = re.compile(r"(?!)")
    """in a message: a quoted name of something other than a type"""
    literal: re.Pattern[str] = re.compile(r"(?!)")
    """in a type: text of the code"""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """the variables of its process, beside ours"""


class Allowed(Protocol):
    """The names known to a type checker at one place of a line."""

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
        """The owner of the names, in words."""
        ...

    @property
    def settled(self) -> bool:
        """Whether the checker has answered, or will not."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether `names` has all names, so that the beginning of any other can be refused."""
        ...

    def names(self) -> frozenset[str] | None:
        """The names known to exist; None: any may exist, or the answer is still missing."""
        ...

    def may_begin(self, begun: str) -> bool:
        """Whether a name known to exist, or assigned by the text, begins so."""
        ...

    def foresee(self, name: str) -> None:
        """Ask about a name likely to be written soon."""
        ...

    def refuses(self, name: str) -> bool:
        """Whether the checker denies that there is such a name. A name not asked about yet is asked about, and not refused."""
        ...
