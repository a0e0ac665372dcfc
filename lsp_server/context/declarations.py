"""Which declarations of a host program's API the model sees in its prompt: first those that the code around the cursor names, then others, as far as they fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from ...common.possessive import compiled
from .cross_file import Excerpt

_DECLARATION = compiled(r"^(?:(?:(?:--|//|#).*\n)++|(?=\S))(?:[^\s})\]].*\n?)?+(?:[ \t}\])].*\n?|\n)*+", re.MULTILINE)
"""Comments, a line that is not indented, and the lines that are indented or close it. Possessive, and never empty: linear for any text."""
_NAME = re.compile(r"[^\W\d]\w{2,}")
_MOST_READ = 60_000
"""Characters of the interface: 5 ms."""
_MOST_CHARS = 3_000
"""Of all together."""
_SMALL = 4
"""Names in a declaration of a value's type."""
_PIECE_CHARS = 600
"""A prompt takes a piece as a whole or not at all."""


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
    """How much each declaration, given by its names, says of the names around a place: a name counts the more the fewer have it. The name that a
    small one declares, such as the class of a global, counts as it does."""
    spread = Counter(name for own in inside for name in own)
    direct = [sum(1 / spread[name] for name in own & names) for own in inside]
    told: dict[str, float] = {}
    for own, score in zip(inside, direct, strict=True):
        if score and len(own) <= _SMALL:
            for name in own - names:
                told[name] = max(told.get(name, 0.0), score / spread[name])
    return [score + sum(told.get(name, 0.0) for name in own) for own, score in zip(inside, direct, strict=True)]
