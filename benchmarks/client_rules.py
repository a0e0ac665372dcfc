"""The rules of other completion tools for showing texts, from their sources: llama.vim, llama.vscode and Continue.

Each gets its own server's prompt: the marks of the model's family for the middle, and the tool's number of lines or tokens around the cursor.
Three deviations make a run repeatable: the model's most probable token is taken where they sample; a limit of time is one of tokens; and no
pieces of other files are sent. Their caches are left out as well: the typist keeps a shown text as long as its beginning is typed, as in all
of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Protocol

import numpy as np
from suture.model import Model

_MOST_TOKENS = 128  # of a text
_INDENTATION = re.compile(r"[ \t]*")
_BLANK = re.compile(r"[ \t]*\Z")


@dataclass(frozen=True)
class Proposal:
    """A text for the cursor's place."""

    text: str = ""
    behind: int = 0
    """characters at its end, behind the cursor"""


class Tool(Protocol):
    """A tool showing texts to a typist."""

    def proposal(self, left: str, right: str, path: str) -> Proposal:
        """The text shown between two others, unasked."""
        ...


class Writer:
    """A model writing freely, with a cache of its texts."""

    def __init__(self, model: Model, tokens_a_second: int) -> None:
        """tokens_a_second: converts limits of time to limits of tokens."""
        self._model, self._speed = model, tokens_a_second
        self._written: dict[tuple[int, ...], list[str]] = {}

    def within(self, ms: int) -> int:
        """The number of tokens written within `ms` milliseconds."""
        return max(1, ms * self._speed // 1000)

    def encoded(self, text: str) -> Sequence[int]:
        """The tokens of a text."""
        return self._model.vocabulary.encode(text)

    def pieces(self, prefix: Sequence[int], suffix: Sequence[int]) -> Iterator[str]:
        """The text between two others, token by token, on demand."""
        ids = tuple(self._model.template.fill(prefix, suffix, self.encoded("\n")))
        known = self._written.setdefault(ids, [])
        yield from known
        if known[-1:] == [""]:
            return
        # The model respells the tokens behind the cached ones, since their ids are not kept.
        runtime, vocabulary, ends = self._model.runtime, self._model.vocabulary, set(self._model.template.ends)
        row, spelled = runtime.prefill(ids), b""
        for number in range(_MOST_TOKENS):
            token = int(np.argmax(row))
            if token in ends:
                break
            spelled += vocabulary.bytes_of[token] or b""
            piece = spelled.decode("utf-8", "ignore")
            spelled = spelled[len(piece.encode()) :]
            if number >= len(known):
                known.append(piece)
                if piece:
                    yield piece
            row = runtime.step(token)
        known.append("")


def _lines_around(left: str, right: str) -> tuple[list[str], str, str, list[str]]:
    """The lines above a cursor, its line before and behind it, and those below."""
    *above, before = left.split("\n")
    behind, *below = right.split("\n")
    return above, before, behind, below


class LlamaVim:
    """llama.vim, and the base of llama.vscode, with another limit of time and another rule in the middle of a line."""

    most_above, most_below, most_behind = 256, 64, 8  # lines, lines, characters
    ms = 250  # of a first request, counted once a line has ended

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def proposal(self, left: str, right: str, path: str) -> Proposal:
        above, before, behind, below = _lines_around(left, right)
        if len(behind) > self.most_behind:
            return Proposal()
        blank = not before.strip() and not behind.strip()
        lines = self._written(above, before, behind, below, blank)
        while lines and not lines[-1]:
            lines.pop()
        if not lines or (len(lines) == 1 and not lines[0].strip()):
            return Proposal()
        if blank:  # the prompt ends before the indentation, and the text begins with it
            lines[0] = _without_indentation(lines[0], before)
        if repeats_what_follows(lines, before, behind, below):
            return Proposal()
        return Proposal(self.fitted(lines, behind))

    def fitted(self, lines: list[str], behind: str) -> str:
        """The text of some lines before the rest of the cursor's line."""
        return "\n".join(lines)

    def _written(self, above: list[str], before: str, behind: str, below: list[str], blank: bool) -> list[str]:
        indent = 0 if blank else len(before) - len(before.lstrip())
        line, rest = ("", "") if blank else (before, behind)
        prefix = "\n".join(above[-self.most_above :]) + "\n" if above else "\n"
        suffix = rest + "\n" + "\n".join(below[: self.most_below]) + "\n"
        text, most = "", self._writer.within(self.ms)
        begun = (*self._writer.encoded(prefix), *self._writer.encoded(line))
        for number, piece in enumerate(self._writer.pieces(begun, self._writer.encoded(suffix)), 1):
            text += piece
            *whole, last = text.split("\n")
            if whole and indent and last.strip() and len(last) - len(last.lstrip()) < indent:
                return whole
            if whole and number >= most:
                break
        return text.split("\n")


class LlamaVscode(LlamaVim):
    """llama.vscode."""

    ms = 500

    def fitted(self, lines: list[str], behind: str) -> str:
        """The text of some lines: before code, the first of them without that code."""
        if not behind.strip():
            return "\n".join(lines)
        return lines[0].removesuffix(behind)


def _without_indentation(line: str, before: str) -> str:
    blank = _INDENTATION.match(line)
    return line[min(len(blank[0]) if blank else 0, len(before)) :]


def repeats_what_follows(lines: Sequence[str], before: str, behind: str, below: Sequence[str]) -> bool:
    """Whether some lines repeat the rest of the cursor's line, or the lines below."""
    more = list(lines[1:])
    if more and lines[0].strip() in ("", behind.strip()) and more == list(below[: len(more)]):
        return True
    if not more and lines[0] == behind:
        return True
    first = next((number for number, line in enumerate(below) if line.strip()), None)
    if first is None or before + lines[0] != below[first]:
        return False
    then = list(below[first + 1 : first + 1 + len(more)])
    return not more or (len(more) == 1 and bool(then) and then[0].startswith(more[0])) or more == then


class Continue:
    """Continue's completion in an editor."""

    most_tokens, above, below = 1024, 0.3, 0.2
    stops = ("/src/", "#- coding: utf-8", "```", "diff --git")
    ms = 150  # then the lines so far are shown

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def proposal(self, left: str, right: str, path: str) -> Proposal:
        prefix, suffix = self._cut(left, right)
        comment = "#" if path.endswith(".py") else "//"
        below = next((line for line in right.split("\n")[1:] if line.strip()), "")
        several = not left.rpartition("\n")[2].lstrip().startswith(comment)
        lines = self._filtered(self._lines(prefix, suffix), below, comment, several)
        text = "\n".join(lines)
        if not text.strip() or _rewrites_the_line_above(text, prefix) or _goes_round(lines):
            return Proposal()
        text = text[1:] if prefix.endswith(" ") and text.startswith(" ") else text
        behind = right.partition("\n")[0]
        return Proposal(text.partition("\n")[0].removesuffix(behind) if behind.strip() else text)

    def _cut(self, left: str, right: str) -> tuple[str, str]:
        """The fitting lines around a cursor, nearest first."""

        def fitting(lines: Sequence[str], most: float) -> list[str]:
            kept, taken = list[str](), 0
            for line in lines:
                taken += len(self._writer.encoded(line)) + 1
                if taken > most:
                    break
                kept.append(line)
            return kept

        above = fitting(left.split("\n")[::-1], self.most_tokens * self.above)[::-1]
        below = fitting(right.split("\n"), self.most_tokens * self.below)
        return "\n".join(above), "\n".join(below)

    def _lines(self, prefix: str, suffix: str) -> Iterator[str]:
        """The model's lines, until its time is up, it stops, or it begins the text behind."""
        text, most = "", self._writer.within(self.ms)
        begin = suffix.strip()[:20]
        for number, piece in enumerate(
            self._writer.pieces(self._writer.encoded(prefix), self._writer.encoded(suffix)), 1
        ):
            text += piece
            ends = [text.find(stop) for stop in (*self.stops, *((begin,) if begin else ())) if stop in text]
            if ends:
                text = text[: min(ends)]
                break
            line, end, rest = text.partition("\n")
            if end:
                yield line
                text = rest
                if number > most and line.strip():
                    return
        yield text

    def _filtered(self, lines: Iterator[str], below: str, comment: str, several: bool) -> list[str]:
        kept, before, same = list[str](), None, 1
        for line in lines:
            if below.strip() and line == below:
                break
            same = same + 1 if line == before else 1
            if same > 1:
                if same == _MOST_SAME:
                    break
                continue
            before = line
            if line.strip() == comment or line.startswith(f"{comment} Path: "):
                continue
            if kept and not line.strip():  # an empty line ends the text, except at its beginning
                break
            closes = below.strip() == line.strip() and any(sign in below for sign in ")]};")
            if below.strip() and not closes and is_nearly(line, below):
                break
            kept.append(line)
            if not several:
                break
        return kept


_MOST_SAME = 3  # lines in a row
_NEARLY = 0.9  # of the letters of two lines that count as equal
_SHORTEST = 5  # letters of a line comparable with another


def is_nearly(line: str, other: str) -> bool:
    """Whether two lines are equal except for a tenth of their letters."""
    if min(len(line), len(other)) < _SHORTEST:
        return False
    return SequenceMatcher(None, line.strip(), other.strip(), autojunk=False).ratio() > _NEARLY


def _rewrites_the_line_above(text: str, prefix: str) -> bool:
    above = next((line for line in reversed(prefix.split("\n")) if line.strip()), "")
    return is_nearly(above, next(line for line in text.split("\n") if line.strip()))


_MANY = 6  # lines
_MOST_ROUNDS = 0.8  # of them


def _goes_round(lines: Sequence[str]) -> bool:
    """Whether most of many lines hold the same piece of the first one."""
    if len(lines) < _MANY:
        return False
    for every in (1, 2):
        same = SequenceMatcher(None, lines[0], lines[every], autojunk=False).find_longest_match()
        piece = lines[0][same.a : same.a + same.size]
        again = sum(piece in line for line in lines[::every])
        if same.size > _SHORTEST and again * every / len(lines) > _MOST_ROUNDS:
            return True
    return False
