"""Features of a text at a place besides the model's score: how it fits the file.

Everything is read by regular expressions from at most 200 lines above the cursor and 100 below it, so that it works in lines that
are not finished and costs a few milliseconds for a request.
"""

from __future__ import annotations

import builtins
import keyword
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from ..decoding.repetition import only_repeats
from ..name_lm.needed import uses_of
from ..name_lm.words import needed_at

FEATURES = (
    "score",  # the model's own (`decoding.scoring`)
    "tokens",  # the logarithm of their number
    "shape",  # the share of the lines that begin like this one which also go on like it, names apart
    "nearest",  # how similar the most similar of the next lines is, 0 to 1
    "trigrams",  # the share of the text's runs of three tokens that the file has elsewhere
    "arguments",  # calls with as many arguments as elsewhere in the file
    "new names",  # names that the file does not have
    "cut back",  # the model wrote more, and the text was cut to where it is complete
    "ends in word",
    "bound nearby",  # the line binds a name that one of the next lines binds
    "namesake",  # words that the target of an assignment shares with its value
    "repeats",  # it only repeats a line nearby
    "same argument",  # arguments that a call has twice
    "binds needed",  # names that it binds, and that the code below reads and nothing binds
    "reads needed",  # names of these that it reads
    "fits",  # the parts that fit their places by type, less those that do not (`Constraint.fits`)
)
ADDED = frozenset(("binds needed", "reads needed", "fits"))  # since the first release: files of that time lack them
_ABOVE, _BELOW = 200, 100  # lines
_LINE = 200  # characters of a line that are read
_BEGINNING = 4  # tokens, by which lines begin alike
_FEW = 3  # lines that begin alike count as so many more, which go on otherwise
_SIMILAR_ABOVE, _SIMILAR_BELOW = 3, 2  # lines with something in them, of which the nearest one is looked for
_BOUND_ABOVE, _BOUND_BELOW = 6, 4
_MOST = 3  # of anything that is counted

_WORD = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*'|[^\w\s]")
_CALL = re.compile(r"(\w+)\(")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TARGET = re.compile(r"([^=]*[^=\s:!<>+\-*/%&|^@~])\s*=(?!=)")
_ANNOTATED = re.compile(r"([\w.]+)\s*:")
_DEFINED = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_KEPT = frozenset((*keyword.kwlist, "self", "cls"))
_USUAL = _KEPT | frozenset(dir(builtins))

Shape = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several texts for a place."""

    text: str
    tokens: int
    score: float
    cut_back: bool = False
    fits: int = 0


class Place:
    """The lines around a cursor, read once for all texts that are compared there."""

    def __init__(self, left: str, right: str) -> None:
        *above, self._begun = left.split("\n")[-_ABOVE - 1 :]
        self._rest, *below = right.split("\n")[: _BELOW + 1]
        self._left, self._right = left, right
        above = [line[:_LINE] for line in above if line.strip()]
        below = [line[:_LINE] for line in below if line.strip()]
        self._needed = needed_at(left, right)
        self._near = [line.strip() for line in (*above[-_SIMILAR_ABOVE:], *below[:_SIMILAR_BELOW])]
        self._bound = {_target(line) for line in (*above[-_BOUND_ABOVE:], *below[:_BOUND_BELOW])} - {""}
        lines = [_TOKEN.findall(line) for line in (*above, *below)]
        self._shapes = [_shape(tokens) for tokens in lines]
        self._trigrams = {three for tokens in lines for three in zip(tokens, tokens[1:], tokens[2:], strict=False)}
        self._words = {token for tokens in lines for token in tokens if _WORD.match(token)}
        self._counts: dict[str, set[int]] = defaultdict(set)
        for line in (*above, *below):
            for name, arguments in _calls(line):
                self._counts[name].add(len(arguments))

    def features(self, candidate: Candidate) -> np.ndarray:
        """The numbers of one text: (FEATURES,)."""
        text, begun = candidate.text, self._begun[-_LINE:]
        line = f"{begun}{text}{self._rest}"[: 2 * _LINE]
        tokens = _TOKEN.findall(line)
        end = len(begun) + len(text)
        names = [
            word[0]
            for word in _WORD.finditer(line)
            if word.end() > len(begun) and word.start() < end and word[0] not in _USUAL
        ]
        calls = list(_calls(line))
        target = _target(line)
        value = line.partition("=")[2] if target else ""
        binds, reads = uses_of(line, self._needed) if self._needed else (0, 0)
        numbers = {
            "score": candidate.score,
            "tokens": math.log(max(1, candidate.tokens)),
            "shape": self._share_of_shape(tokens),
            "nearest": max((SequenceMatcher(None, line.strip(), other).ratio() for other in self._near), default=0.0),
            "trigrams": self._share_of_trigrams(tokens),
            "arguments": sum(len(arguments) in self._counts.get(name, ()) for name, arguments in calls),
            "new names": sum(name not in self._words for name in names),
            "cut back": candidate.cut_back,
            "ends in word": text[-1:].isalnum(),
            "bound nearby": target in self._bound,
            "namesake": len(_parts(target.rpartition(".")[2]) & _parts(value)),
            "repeats": only_repeats(self._left, text, self._right),
            "same argument": sum(len(arguments) - len(set(arguments)) for _, arguments in calls),
            "binds needed": binds,
            "reads needed": reads,
            "fits": max(candidate.fits, -_MOST),
        }
        counted = ("arguments", "new names", "namesake", "same argument", *ADDED)
        return np.array([min(float(numbers[name]), _MOST) if name in counted else numbers[name] for name in FEATURES])

    def _share_of_shape(self, tokens: list[str]) -> float:
        shape = _shape(tokens)
        known = len(_TOKEN.findall(self._begun[-_LINE:])) - self._begun[-1:].isalnum()  # the last one may go on
        head = shape[: max(1, min(known, _BEGINNING))]
        alike = [other for other in self._shapes if other[: len(head)] == head]
        return sum(other == shape for other in alike) / (len(alike) + _FEW)

    def _share_of_trigrams(self, tokens: list[str]) -> float:
        """Of those that end behind the cursor."""
        known = len(_TOKEN.findall(self._begun[-_LINE:]))
        threes = list(zip(tokens, tokens[1:], tokens[2:], strict=False))
        threes = threes[max(0, known - 2) :] or threes[-1:]
        return sum(three in self._trigrams for three in threes) / len(threes) if threes else 0.3


def _shape(tokens: list[str]) -> Shape:
    """Tokens without the contents of names, strings and numbers."""
    return tuple(map(_kind, tokens))


def _kind(token: str) -> str:
    if token in _KEPT:
        return token
    if token[0] in "\"'" and len(token) > 1:
        return "string"
    if token[0].isdigit():
        return "number"
    return "name" if _WORD.match(token) else token


def _target(line: str) -> str:
    """The target that a line binds: the left side of an assignment, or the name of a function or class; "" for nothing."""
    line = line.strip()
    if found := _DEFINED.match(line):
        return found[1]
    found = _TARGET.match(line)
    if found is None or found[1].count("(") != found[1].count(")"):
        return ""
    annotated = _ANNOTATED.match(found[1])
    return annotated[1] if annotated else found[1]


def _parts(text: str) -> set[str]:
    """The words of which names are made, two letters or more."""
    return {
        part.lower()
        for word in _WORD.findall(text)
        if word not in _USUAL
        for part in _PART.findall(word)
        if len(part) > 1
    }


def _calls(line: str) -> Iterator[tuple[str, list[str]]]:
    """The calls that are closed in a line: the function's last name and the arguments."""
    for call in _CALL.finditer(line):
        depth, begin = 0, call.end()
        arguments: list[str] = []
        for at in range(call.end(), len(line)):
            char = line[at]
            if depth == 0 and char in ",)":
                arguments.append(line[begin:at].strip())
                begin = at + 1
                if char == ")":
                    yield call[1], [argument for argument in arguments if argument]
                    break
            depth += (char in "([{") - (char in ")]}")
