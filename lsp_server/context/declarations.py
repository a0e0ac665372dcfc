"""The declarations of a host program's API for the prompt: first those named in the code around the cursor, then others, while they fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from ...common.possessive import compiled
from .cross_file import Excerpt

_DECLARATION = compiled(r"^(?:(?:(?:--|//|#).*\n)++|(?=\S))(?:[^\s})\]].*\n?)?+(?:[ \t}\])].*\n?|\n)*+", re.MULTILINE)
"""Comments, an unindented line, and the lines indented below or closing it. Possessive, and never empty: linear for any text."""
_NAME = re.compile(r"[^\W\d]\w{2,}")
_MOST_READ = 60_000
"""The most characters read of the interface: 5 ms."""
_MOST_CHARS = 3_000
"""The most characters of all excerpts together."""
_SMALL = 4
"""The most names in a declaration of a value's type."""
_PIECE_CHARS = 600
"""The size of a piece in characters: a prompt takes a piece as a whole or not at all."""


def useful_declarations(text: str, names: Set[str]) -> Iterator[Excerpt]:
    """Declarations in pieces, the most useful first; names: the identifiers around the place."""
    declarations = [match[0].strip("\n") for match in _DECLARATION.finditer(text, 0, _MOST_READ)]
    useful = _usefulness([frozenset(_NAME.findall(excerpt)) for excerpt in declarations], names)
    ranked = [excerpt for _, excerpt in sorted(zip(useful, declarations, strict=True), key=lambda pair: -pair[0])]
    piece, room = "", _MOST_CHARS
    for declaration in ranked:
        if len(declaration) > room:
            continue
        room -= len(declaration)
        if piece and len(piece) + len(declaration) > _PIECE_CHARS:
            yield Excerpt("API", piece)
            piece = ""
        piece += declaration + "\n"
    if piece:
        yield Excerpt("API", piece)


def _usefulness(inside: Sequence[frozenset[str]], names: Set[str]) -> list[float]:
    """The relevance of each declaration, given by its names, to the names around a place: a rarer name counts for more. The other names of a
    small relevant declaration, such as the class of a global, inherit its relevance."""
    spread = Counter(name for own in inside for name in own)
    direct = [sum(1 / spread[name] for name in own & names) for own in inside]
    told: dict[str, float] = {}
    for own, score in zip(inside, direct, strict=True):
        if score and len(own) <= _SMALL:
            for name in own - names:
                told[name] = max(told.get(name, 0.0), score / spread[name])
    return [score + sum(told.get(name, 0.0) for name in own) for own, score in zip(inside, direct, strict=True)]
