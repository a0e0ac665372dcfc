"""Keeps a model from writing placeholders instead of code: `# Your code here`, or the function again within itself.

A model trained on many exercises does so when unsure. If refused, it mostly writes its next text; cut off afterwards, nothing would be left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....common.constraint import Constraint, Wrapper
from ..judging.thoughts import functions_around

if TYPE_CHECKING:
    from typing import Self

_COMMENT = (
    r"(?:#|//)[ \t]*(?:todo|(?:write|add|put|insert|enter)?[ \t]*your[ \t]+(?:code|solution|implementation|logic|own)"
    r"|(?:write|insert|add|put)[ \t]+(?:the[ \t]+)?code|implement[ \t]+(?:the|this|your|me|here)|fill[ \t]+in"
    r"|complete[ \t]+(?:the|this)[ \t]+(?:function|method|code)|implementation[ \t]+(?:goes[ \t]+)?here)(?=\W)"
)
_MOST = 80  # characters of a line to search


def without_placeholders(state: Constraint, left: str) -> Constraint:
    """The constraint of a text of any number of lines without placeholders for code."""
    names = "|".join(map(re.escape, sorted(functions_around(left))))
    again = rf"|(?:async[ \t]+)?(?:def|function|fn)[ \t]+(?:{names})[ \t]*\(" if names else ""
    line = left[left.rfind("\n") + 1 :]
    return _Code(state, line[-_MOST:], re.compile(rf"[ \t]*(?:{_COMMENT}{again})", re.IGNORECASE))


@dataclass(frozen=True)
class _Code(Wrapper):
    """The constraint of a text without lines of some beginnings."""

    line: str  # the beginning of the last one
    refused: re.Pattern[str]

    def advance(self, text: str) -> Self | None:
        """Take more text, unless it makes a line a placeholder."""
        lines = (self.line + text).split("\n") if len(self.line) < _MOST or "\n" in text else [self.line]
        if any(self.refused.match(line) for line in lines):
            return None
        inner = self.inner.advance(text)
        return None if inner is None else replace(self, inner=inner, line=lines[-1][:_MOST])
