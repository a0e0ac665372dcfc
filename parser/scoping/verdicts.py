"""Reasons to refuse a text, and problems of a whole file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

NONE: frozenset[str] = frozenset()


class Known(Protocol):
    """The existing names in place of one that does not exist."""

    @property
    def owner(self) -> str:
        """Whose names these are, for a person."""
        ...

    def shown(self) -> tuple[str, ...]:
        """Names for a person."""
        ...


class Refused(Exception):
    """Nothing that follows can make a text compile, or bind a name; kind: "compile", "names", "attributes" or "calls"."""

    def __init__(
        self, message: str, kind: str = "compile", word: str = "", known: Known | None = None, mend: str = ""
    ) -> None:
        """word: the attribute, keyword or import that does not exist, or the called name; known: the existing ones. mend: arguments that a call
        lacks."""
        super().__init__(message)
        self.kind = kind
        self.word = word
        self.known = known
        self.mend = mend

    @property
    def words(self) -> str:
        """For a person."""
        return f"name {str(self)!r} is not defined" if self.kind == "names" else str(self)


@dataclass(frozen=True)
class Verdict:
    """The problems of a whole file: errors of the compiler, undefined names, unused names."""

    errors: frozenset[str] = NONE
    undefined: frozenset[str] = NONE
    unused: frozenset[str] = NONE
    """in words"""

    def since(self, before: Verdict) -> Verdict:
        """The problems that are new."""
        return Verdict(self.errors - before.errors, self.undefined - before.undefined, self.unused - before.unused)

    def refused(self) -> Refused | None:
        """Why the file is refused; None where nothing is wrong."""
        if self.errors:
            return Refused(min(self.errors))
        if self.undefined:
            return Refused(min(self.undefined), "names")
        return Refused(min(self.unused)) if self.unused else None
