"""Regular expressions with possessive groups, `(...)*+`, matched wrongly by Python 3.11.0 to 3.11.4 (CPython issue 106052).

There such a group is compiled as a greedy one, with the same matches where the rest of the pattern cannot begin with its text, as in all
patterns here; only failures take longer. Debian 12 has Python 3.11.2.
"""

from __future__ import annotations

import re
import sys
from typing import Any, cast, overload

MATCHED_WRONGLY = sys.version_info < (3, 11, 5)
_POSSESSIVE = re.compile(r"\)([*?+])\+")


@overload
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]: ...
@overload
def compiled(pattern: bytes, flags: int = 0) -> re.Pattern[bytes]: ...
def compiled(pattern: str | bytes, flags: int = 0) -> re.Pattern[str] | re.Pattern[bytes]:
    """A pattern, possibly with possessive groups; one of text is compiled lazily."""
    if isinstance(pattern, bytes):
        return re.compile(greedy(pattern.decode("latin-1")).encode("latin-1") if MATCHED_WRONGLY else pattern, flags)
    return cast("re.Pattern[str]", _Late(greedy(pattern) if MATCHED_WRONGLY else pattern, flags))


class _Late:
    """A pattern compiled at the first use of a method: compiling all of them took a third of the import time."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Take an attribute from the compiled pattern, and keep it as this object's own."""
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(re.compile(*self._given), name)
        setattr(self, name, value)
        return value


def greedy(pattern: str) -> str:
    """The pattern with greedy groups in place of possessive ones."""
    return _POSSESSIVE.sub(r")\1", pattern)
