"""Reasons to refuse a text, and problems of a whole file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

NONE: frozenset[str] = frozenset()


class Known(Protocol):
    """The existing names to use instead of an unknown one."""

    @property
    def owner(self) -> str:
        """The owner of these names, for people to read."""
        ...

    def shown(self) -> tuple[str, ...]:
        """The names, for people to read."""
        ...


class Refused(Exception):
    """No continuation can make a text compile, or bind a name; kind: "compile", "names", "attributes" or "calls"."""

    def __init__(
        self, message: str, kind: str = "compile", word: str = "", known: Known | None = None, mend: str = ""
    ) -> None:
        """word: the unknown attribute, keyword or import, or the called name; known: the existing ones. mend: arguments missing in a call."""
        super().__init__(message)
        self.kind = kind
        self.word = word
        self.known = known
        self.mend = mend

    def anew(self) -> Refused:
        """An equal one: an exception kept by the frame that raises or catches it keeps this frame, until a full collection."""
        return Refused(str(self), self.kind, self.word, self.known, self.mend)

    @property
    def words(self) -> str:
        """The reason, for people to read."""
        return f"name {str(self)!r} is not defined" if self.kind == "names" else str(self)


@dataclass(frozen=True)
class Verdict:
    """The problems of a whole file: errors of the compiler, undefined names, unused names."""

    errors: frozenset[str] = NONE
    undefined: frozenset[str] = NONE
    unused: frozenset[str] = NONE
    """in words"""

    def since(self, before: Verdict) -> Verdict:
        """The problems absent from an earlier verdict."""
        return Verdict(self.errors - before.errors, self.undefined - before.undefined, self.unused - before.unused)

    def refused(self) -> Refused | None:
        """Why the file is refused; None where nothing is wrong."""
        if self.errors:
            return Refused(min(self.errors))
        if self.undefined:
            return Refused(min(self.undefined), "names")
        return Refused(min(self.unused)) if self.unused else None
