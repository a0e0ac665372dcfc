"""The members a type checker allows at a hole, for languages whose own semantics have no types."""

from __future__ import annotations

from typing import NamedTuple, Self

from ...common.line_ends import line_start
from ..engine_runtime import SemanticRequest
from ..type_server import Allowed
from .verdicts import Refused

_BLANK = " \t\r\n"


class MemberCheck(NamedTuple):
    """The first name written in a hole behind a dot, and the names allowed for it."""

    allowed: Allowed
    begun: str
    """its letters before the hole"""
    behind: str
    """those behind it"""
    signs: str
    """the characters of names besides letters and digits"""

    @classmethod
    def at(cls, asked: SemanticRequest, signs: str = "_") -> Self | None:
        """The check of a hole; None where it asks for no member."""
        allowed, text, offset = asked.allowed, asked.text, asked.offset
        if allowed is None or allowed.argument or asked.level != "names":
            return None
        line = text[line_start(text, offset) : offset]
        if not line.startswith(allowed.line):
            return None
        begun, behind = line[len(allowed.line) :], text[offset : offset + _word_end(text[offset:], signs)]
        return cls(allowed, begun, behind, signs) if _word_end(begun, signs) == len(begun) else None

    def check(self, written: str) -> None:
        """Refuse a text that no continuation can make begin with one of the names. Raises Refused."""
        word, is_open = self._word(written)
        names = self.allowed.names()
        if names is None or (word in names if not is_open else any(name.startswith(word) for name in names)):
            return
        if word or is_open:  # else `#name`, `(type)`: no plain member
            raise self._missing(word)

    def problem(self, written: str) -> Refused | None:
        """Why a text is refused for its first name, if nothing more is written."""
        word, is_open = self._word(written)
        word += self.behind if is_open else ""
        names = self.allowed.names() if written else None
        return None if names is None or not word or word in names else self._missing(word)

    def _word(self, written: str) -> tuple[str, bool]:
        """(the first name, whether it ends with the text)"""
        text = self.begun + written if self.begun else written.lstrip(_BLANK)
        end = _word_end(text, self.signs)
        return text[:end], end == len(text)

    def shown(self) -> tuple[str, ...]:
        """The names with the letters before the hole as prefix, in order, without this prefix."""
        names = self.allowed.names() or ()
        return tuple(sorted(name[len(self.begun) :] for name in names if name.startswith(self.begun)))

    def _missing(self, word: str) -> Refused:
        return Refused(f"{self.allowed.owner} has no member {word!r}", "attributes", word)


def _word_end(text: str, signs: str) -> int:
    return next((place for place, char in enumerate(text) if not (char.isalnum() or char in signs)), len(text))
