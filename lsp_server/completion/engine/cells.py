"""Notebook cells and fenced code of a Markdown document, joined with those above into one text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....common.bounded import BoundedDict
from .fences import in_fence

if TYPE_CHECKING:
    from .cursor_context import CursorContext

_MAX_CELLS = 500
"""The most cells whose code is kept."""
_MAX_CHARS = 200_000
"""The most characters of the cells above one, the nearest first."""


class Cells:
    """Puts the cells above one before it; caches the readings of cells."""

    def __init__(self) -> None:
        self._code: BoundedDict[tuple[str, str | None, str], str] = BoundedDict(_MAX_CELLS)

    def joined(self, place: CursorContext) -> CursorContext:
        """A place in a cell or in fenced code as one in its document's text so far; any other place unchanged."""
        from ....parser.language import traits

        place = in_fence(place)
        as_code = traits(place.language).cell if place.is_cell else None
        if as_code is None:
            return place
        above = self._above(place)
        typed = place.typed and (above + (as_code(place.typed[0], False) or ""), place.typed[1] + len(above))
        return replace(
            place,
            text=above + (as_code(place.text, False) or place.text),
            offset=len(above) + place.offset,
            typed=typed,
            is_cell=False,
            above=(),
            imports=place.imports and not above,
        )

    def _above(self, place: CursorContext) -> str:
        cells: list[str] = []
        room = _MAX_CHARS
        for text in reversed(place.above):
            code = self._as_code(place, text)
            room -= len(code)
            if room < 0:
                break
            cells.append(code)
        return "".join(reversed(cells))

    def _as_code(self, place: CursorContext, text: str) -> str:
        """A cell's text for those below it: "" if it is in another language or broken."""
        from ....parser import language
        from ....parser.language import traits

        key = place.language, place.version, text
        code = self._code.used(key)
        if code is None:
            as_code = traits(place.language).cell
            code = (as_code(text, True) if as_code is not None else None) or ""
            code = code if code.endswith("\n") or not code else code + "\n"
            state = language(place.language, place.version).hole(code, "").state if code.strip() else None
            code = code if state is not None and state.complete else ""
            self._code[key] = code
        return code
