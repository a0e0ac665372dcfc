"""Fill-in-the-middle documents: a hole like an edit's, cut at characters, with the text around it."""

from __future__ import annotations

import math
import random
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tokenizers import Tokenizer

from .tokenizer import SPECIAL_TOKENS

END_ID, PREFIX_ID, MIDDLE_ID, SUFFIX_ID, PAD_ID = range(len(SPECIAL_TOKENS))
PAD, CONTEXT, HOLE = 0, 1, 2  # the kinds of a row's tokens: nothing, left or right context, or the hole with its end

_LONGEST_HOLE = 600  # characters
_SHORTEST_DOCUMENT = 48  # tokens; less room at the end of a row is padded
_CHARACTERS_PER_TOKEN = 5
_AS_PROMPTED = 0.8  # of the documents are cut exactly like a prompt
_MOST_COUNTED = 12_000  # the most characters of a file that weigh in its sampling
_BLOCK_UNWRITTEN = 0.3  # of the holes at a line's end are at the end of their block
_SYMBOL = re.compile(r"\w+|[^\w\s]+")
_LONGEST_SYMBOL = 40  # characters
_HEADER = re.compile(r"[:{](?=\n)")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}

_SIGN = re.compile(
    r"[(\[{.@]|[,=:] |[-+*/%<>!=]= |\b(?:return|if|elif|in|not|and|or|is|for|while|with|as|raise|assert|yield|await|del|def|class) "
)
_IMPORT = re.compile(r"^[ \t]*((?:from|import) ([\w.]+)(?: import ([^\n(]+))?)$", re.MULTILINE)

Span = tuple[int, int]  # character offsets of the hole's start and end


@dataclass(frozen=True)
class TrainingDocument:
    """One window of a file for the model: token ids, and the kind of each, such as whether it belongs to the hole."""

    ids: tuple[int, ...]
    kinds: tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """A training row of fixed length, filled with whole documents."""

    ids: tuple[int, ...]
    kinds: tuple[int, ...]
    starts: tuple[int, ...] = (0,)  # where its documents begin; padding belongs to the last one


def choose_hole(text: str, rng: random.Random) -> Span:
    """A hole in a file, of a kind drawn by its frequency among people's edits; always a valid span."""
    for _ in range(8):
        kind = rng.choices(_KINDS, _WEIGHTS)[0]
        span = kind(text, rng)
        if span is not None and 0 <= span[0] <= span[1] <= len(text) and span[1] - span[0] <= _LONGEST_HOLE:
            return span
    return _short(text, rng)


def rest_of_line(text: str, rng: random.Random) -> Span | None:
    """From a place in a line to the line's end."""
    start, end = _line(text, rng.randrange(len(text) + 1))
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    if first >= end:
        return None
    cut = rng.randint(first, end - 1)
    if rng.random() < 0.5:  # people pause between words more often than within them
        boundary = re.compile(r"(?<=\W)|\b").search(text, cut, end)
        cut = boundary.start() if boundary and boundary.start() < end else cut
    return cut, end


def _lines(text: str, rng: random.Random) -> Span | None:
    """One to six whole lines, sometimes with the indentation of the first."""
    start, end = _line(text, rng.randrange(len(text) + 1))
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3, 5))):
        if end >= len(text):
            break
        end = _line(text, end + 1)[1]
    if rng.random() < 0.7:
        start += len(text[start:end]) - len(text[start:end].lstrip(" \t"))
    return (start, end) if text[start:end].strip() else None


def _block(text: str, rng: random.Random) -> Span | None:
    """The body under a line ending with a colon or a brace, or its first lines; sometimes from within the header."""
    header = _HEADER.search(text, rng.randrange(len(text) + 1))
    if header is None:
        return None
    first, header_end = _line(text, header.start())
    depth = _indentation(text[first:header_end])
    end = position = header_end
    limit = header_end + rng.choice((120, 250, 500))
    while position < len(text):
        start, stop = _line(text, position + 1)
        line = text[start:stop]
        if (line.strip() and _indentation(line) <= depth) or stop > limit:
            break
        if line.strip():
            end = stop
        position = stop
    if end == header_end:
        return None
    start = rng.choice((header_end, header_end + 1, rng.randint(first + depth, header_end)))
    if start == header_end + 1 and rng.random() < 0.7:
        start += _indentation(text[start:end])
    return start, end


def _arguments(text: str, rng: random.Random) -> Span | None:
    """The text between two brackets, from the opening one or from a comma."""
    match = re.compile(r"[(\[{]").search(text, rng.randrange(len(text) + 1))
    if match is None:
        return None
    start = match.start()
    open_brackets = [_BRACKETS[text[start]]]
    commas = [start + 1]
    for place in range(start + 1, min(len(text), start + 300)):
        character = text[place]
        if character in _BRACKETS:
            open_brackets.append(_BRACKETS[character])
        elif character == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return rng.choice(commas), place
        elif character == "," and len(open_brackets) == 1:
            commas.append(place + 1)
    return None


def _after_sign(text: str, rng: random.Random) -> Span | None:
    """From a typical pause, behind a keyword, a dot, a bracket, a comma or an equals sign, to the line's end."""
    start, end = _line(text, rng.randrange(len(text) + 1))
    places = [match.end() for match in _SIGN.finditer(text, start, end) if match.end() < end]
    if not places or text[start:end].lstrip().startswith("#"):
        return None
    return rng.choice(places), end


def _next_line(text: str, rng: random.Random) -> Span | None:
    """The next line of code after the one just written, from its beginning."""
    start, end = _line(text, rng.randrange(len(text) + 1))
    line = text[start:end]
    if not line.strip() or line.lstrip().startswith("#"):
        return None
    return start + (_indentation(line) if rng.random() < 0.8 else 0), end


def _import(text: str, rng: random.Random) -> Span | None:
    """An import line, or its text behind one of the keywords."""
    match = _IMPORT.search(text, rng.randrange(min(len(text), 3000) + 1)) or _IMPORT.search(text)
    if match is None:
        return None
    return match.start(rng.choice((1, 2, 3) if match[3] else (1, 2))), match.end()


def _word(text: str, rng: random.Random) -> Span | None:
    """The rest of a word."""
    match = re.compile(r"\w{2,}").search(text, rng.randrange(len(text) + 1))
    return (rng.randint(match.start(), match.end() - 1), match.end()) if match else None


def _random(text: str, rng: random.Random) -> Span:
    """Any span; its length is drawn log-uniformly."""
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + int(math.exp(rng.uniform(0, math.log(250)))))


def _short(text: str, rng: random.Random) -> Span:
    """A few characters."""
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + rng.randint(1, 12))


def _empty(text: str, rng: random.Random) -> Span:
    """Nothing: the right context already goes on here."""
    place = rng.randrange(len(text) + 1)
    place = _line(text, place)[1] if rng.random() < 0.5 else place
    return place, place


_KINDS: tuple[Callable[[str, random.Random], Span | None], ...] = (
    *(rest_of_line, _after_sign, _next_line, _import, _lines, _block, _arguments, _word, _random, _short, _empty),
)
_WEIGHTS = (20, 20, 16, 4, 8, 8, 10, 3, 4, 3, 4)


def make_document(
    tokenizer: Tokenizer, text: str, rng: random.Random, budget: int, spm_share: float, nothing_follows: float = 0.2
) -> TrainingDocument:
    """A window of at most `budget` tokens around a hole; the hole is whole, the contexts are cut on the far side.

    Most documents are cut like a prompt at run time: the last token before the hole is taken back, since its text may be only the beginning
    of the right token (`prompting.prompt`), and the start of a right context in the middle of a line becomes part of the answer
    (`prompting.suffix_healing`).
    """
    start, end = choose_hole(text, rng)
    after = unwritten(text, end, rng, nothing_follows)
    if after == end and rng.random() < _AS_PROMPTED:
        symbol = _SYMBOL.match(text, end)
        after = end = symbol.end() if symbol and symbol.end() - end <= _LONGEST_SYMBOL else end
    heal = rng.random() < _AS_PROMPTED
    window = budget * _CHARACTERS_PER_TOKEN
    before = tokenizer.encode(text[max(0, start - window) : start])
    prefix, healed = before.ids, ""
    if heal and prefix and not text[:start].endswith("\n"):
        prefix = prefix[:-1]
        healed = text[max(0, start - window) : start][before.offsets[-1][0] :]
    middle = tokenizer.encode(healed + text[start:end]).ids
    while len(middle) > (budget - 4) // 2:
        end = start + (end - start) // 2
        after = min(after, end)
        middle = tokenizer.encode(healed + text[start:end]).ids
        if end == start:
            middle = middle[: (budget - 4) // 2]
    room = budget - 4 - len(middle)
    reach = room * _CHARACTERS_PER_TOKEN
    suffix = tokenizer.encode(text[after : after + reach]).ids
    right = min(len(suffix), int(room * rng.uniform(0.15, 0.5)))
    left = min(len(prefix), room - right)
    right = min(len(suffix), room - left)
    return join(prefix[len(prefix) - left :], middle, suffix[:right], spm=rng.random() < spm_share)


def unwritten(text: str, end: int, rng: random.Random, nothing_follows: float = 0.2) -> int:
    """The offset of the text behind a hole: code is mostly written downwards, so the code below may not exist yet.

    `nothing_follows`: the share of holes at the end of the written text.
    """
    line_end = _line(text, end)[1]
    chance = rng.random()
    if chance < nothing_follows:
        return len(text)
    if line_end != end or chance > nothing_follows + _BLOCK_UNWRITTEN:
        return end
    start = _line(text, end)[0]
    depth = _indentation(text[start:line_end])
    position = line_end
    while position < len(text):  # the rest of the block
        first, last = _line(text, position + 1)
        line = text[first:last]
        if line.strip() and _indentation(line) < max(1, depth):
            break
        position = last
    while position > line_end and not text[_line(text, position)[0] : position].strip():
        position = _line(text, position)[0] - 1  # keep the blank lines before the code below
    return max(position, line_end)


def join(prefix: Sequence[int], middle: Sequence[int], suffix: Sequence[int], *, spm: bool) -> TrainingDocument:
    """The document of a hole: suffix first (SPM) or prefix first (PSM), then the middle and the end token."""
    before = [PREFIX_ID, *prefix]
    after = [SUFFIX_ID, *suffix]
    context = [*after, *before, MIDDLE_ID] if spm else [*before, *after, MIDDLE_ID]
    hole = [*middle, END_ID]
    return TrainingDocument((*context, *hole), (CONTEXT,) * len(context) + (HOLE,) * len(hole))


class Rows:
    """The endless rows of a training run; row `n` depends on the seed and `n` alone, so that a run can resume."""

    def __init__(
        self,
        texts: Sequence[str],
        tokenizer: Tokenizer,
        *,
        length: int,
        document_tokens: tuple[int, int],
        spm_share: float,
        seed: int,
        nothing_follows: float = 0.2,
    ) -> None:
        self._texts = texts
        self._tokenizer = tokenizer
        self._length = length
        self._document_tokens = document_tokens
        self._spm_share = spm_share
        self._seed = seed
        self._nothing_follows = nothing_follows
        self._totals = list(accumulate(min(len(text), _MOST_COUNTED) for text in texts))

    def batch(self, first: int, count: int) -> list[Row]:
        """The rows from `first` on."""
        return [self.row(number) for number in range(first, first + count)]

    def row(self, number: int) -> Row:
        """Row `number`, `length` tokens long."""
        rng = random.Random(f"{self._seed}/{number}")
        low, high = self._document_tokens
        ids: list[int] = []
        kinds: list[int] = []
        starts: list[int] = []
        while (room := self._length - len(ids)) >= _SHORTEST_DOCUMENT:
            budget = min(room, int(math.exp(rng.uniform(math.log(low), math.log(high)))))
            if room - budget < _SHORTEST_DOCUMENT:
                budget = room
            text = self._texts[bisect_right(self._totals, rng.randrange(self._totals[-1]))]
            document = make_document(self._tokenizer, text, rng, budget, self._spm_share, self._nothing_follows)
            starts.append(len(ids))
            ids += document.ids
            kinds += document.kinds
        padding = self._length - len(ids)
        return Row((*ids, *[PAD_ID] * padding), (*kinds, *[PAD] * padding), tuple(starts))


def _line(text: str, position: int) -> Span:
    """The offsets of the line at a position, without its newline."""
    end = text.find("\n", position)
    return text.rfind("\n", 0, position) + 1, len(text) if end < 0 else end


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
