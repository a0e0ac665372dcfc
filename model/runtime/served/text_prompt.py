"""Prompts as text, for servers that take no token ids: control tokens by name, and none that the user's own text spells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...prompting.vocabulary import Vocabulary


class TextPrompt:
    """Writes prompts of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._names = {token: spelling for spelling, token in vocabulary.ids.items() if spelling in vocabulary.controls}
        longest_first = sorted(vocabulary.controls, key=len, reverse=True)
        self._control = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def of(self, ids: Sequence[int]) -> str:
        """The text of some ids; what only looks like a control token in it is broken up with a zero-width space."""
        parts: list[str] = []
        plain: list[int] = []
        for token in (*ids, -1):
            name = self._names.get(token)
            if name is None and token >= 0:
                plain.append(token)
                continue
            text = self._vocabulary.decode(plain).decode(errors="replace")
            parts += [self._control.sub(lambda found: f"{found[0][0]}\u200b{found[0][1:]}", text), name or ""]
            plain = []
        return "".join(parts)
