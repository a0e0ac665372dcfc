"""A cursor in a document, with all that a request says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ....common.reach import ANYWHERE, Reach
from ...context.cross_file import OtherFile
from ...settings.spec import Settings
from ..cursor import Cursor

if TYPE_CHECKING:
    from ....parser import Level


@dataclass(frozen=True)
class CursorContext:
    """A cursor in a document, as a value: the document may change while it is looked at."""

    document: str  # the document's key
    language: str
    text: str
    offset: int
    version: str | None = None  # of the language; None is its default
    path: str | None = None  # of the file; None where it is in none
    settings: Settings | None = None  # for the file; None: those of the engine
    others: tuple[OtherFile, ...] = field(default=(), repr=False)  # open files of the language, the last edited first
    typed: tuple[str, int] | None = None  # text and offset without the entry that is selected in the editor's own list
    level: Level | None = None  # the level of the file with the text; None: as the setting `names` says
    attributes: bool | None = None  # are attributes checked, at level "names"? None: as the setting says
    # Options of `suture.model` that were asked for here, and which no setting has.
    options: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    refused: int = 0  # suggestions in the line that the user has typed something else than
    inside: bool = False  # whether the cursor may stay before the closing brackets of a suggestion
    reach: Reach = ANYWHERE  # the files that the document's imports may reach
    unfinished: bool = True  # may the file lack something behind the suggestion that it lacks already?
    # The brackets that an editor has closed behind the cursor: no part of the text, since a suggestion takes its place.
    replaced: str = ""
    imports: bool = False  # whether a text may come with an edit that adds its imports
    is_cell: bool = False  # of a notebook
    above: tuple[str, ...] = field(default=(), repr=False)  # the cells above it, in order
    prose: str = field(default="", repr=False)  # above the fenced code that the text is
    column: int | None = None  # of a block that a text goes on with (`Suggestion.column`)
    written: int = 0  # characters before the cursor that belong to that block and come from the model

    @cached_property
    def cursor(self) -> Cursor:
        """The place in its text."""
        return Cursor.at(self.text, self.offset)
