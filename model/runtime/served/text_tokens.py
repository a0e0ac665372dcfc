"""Prompts and drafts as text, for servers that take and return no token ids.

A prompt names control tokens, and the user's text that only looks like one is broken up. A draft's tokens are known by their bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...prompting.vocabulary import Vocabulary
from .dialect import Drafted

_BY_NUMBER, _BY_BYTES = "token_id:", "bytes:"
_BYTE = re.compile(r"\\x([0-9a-fA-F]{2})")
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
"""A part of a character in JSON."""
_UNTOLD = math.log(0.5)  # of a token, or an end, without a reported probability


def ending(end: int | None) -> list[Drafted]:
    """The step of an end reported without its token, if the model has one."""
    return [] if end is None else [Drafted(end, {end: _UNTOLD})]


class TextTokens:
    """The tokens of one vocabulary in such a server's spelling."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._names = {token: spelling for spelling, token in vocabulary.ids.items() if spelling in vocabulary.controls}
        longest_first = sorted(vocabulary.controls, key=len, reverse=True)
        self._control = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        self._ids = {spelling: token for token, spelling in enumerate(vocabulary.bytes_of) if spelling}

    def prompt(self, ids: Sequence[int]) -> str:
        """The text of some ids; parts that only look like a control token are broken up with a zero-width space."""
        parts: list[str] = []
        plain: list[int] = []
        for token in (*ids, -1):
            name = self._names.get(token)
            if name is None and token >= 0:
                plain.append(token)
                continue
            text = self._vocabulary.decode(plain).decode(errors="replace")
            parts += [self._control.sub(lambda match: f"{match[0][0]}\u200b{match[0][1:]}", text), name or ""]
            plain = []
        return "".join(parts)

    def id(self, spelling: str, raw: Sequence[int] | None = None) -> int | None:
        """The token of a spelling, or of its bytes or number if reported; None if the vocabulary has none."""
        if spelling.startswith(_BY_NUMBER):
            return int(spelling[len(_BY_NUMBER) :])
        if spelling.startswith(_BY_BYTES):  # of a part of a character
            raw = [int(part, 16) for part in _BYTE.findall(spelling)]
        if spelling in self._vocabulary.controls:
            return self._vocabulary.ids[spelling]
        return self._ids.get(bytes(raw) if raw else spelling.encode())

    def steps(self, told: Sequence[Mapping[str, Any]]) -> tuple[list[Drafted], bool]:
        """The steps of a draft, and whether the text after them can be followed. told: each step's token, log probability, perhaps bytes, and
        `top_logprobs` in the same form."""
        steps: list[Drafted] = []
        for step in told:
            tokens = self._written(step["token"], step.get("bytes"))
            if not tokens:
                return steps, False
            row = {
                token_of_name: float(other["logprob"])
                for other in step.get("top_logprobs") or ()
                if (token_of_name := self.id(other["token"], other.get("bytes"))) is not None
            }
            row.setdefault(tokens[-1], float(step["logprob"]))
            steps += (Drafted(token, {token: _UNTOLD}) for token in tokens[:-1])
            steps.append(Drafted(tokens[-1], row))
        return steps, True

    def _written(self, spelling: str, raw: Sequence[int] | None) -> list[int]:
        """The tokens of a step: several if a server reports a character with the last of its tokens; [] if the vocabulary cannot spell it, or
        its bytes are unknown."""
        token = self.id(spelling, raw)
        if token is not None:
            return [token]
        try:
            text = bytes(raw).decode() if raw else spelling
        except ValueError:
            return []
        tokens = [] if not text or _UNKNOWN in text else list(self._vocabulary.encode(text))
        return tokens if self._vocabulary.decode(tokens) == text.encode() else []

    def untold(self, text: str) -> tuple[list[Drafted], bool]:
        """The same for a text without probabilities: each of its tokens counts as half sure."""
        text, lost, _ = text.partition(_UNKNOWN)
        tokens = self._vocabulary.encode(text) if text else ()
        return [Drafted(token, {token: _UNTOLD}) for token in tokens], not lost
