"""A cursor in a document, with everything a request says about it."""

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
    """A cursor in a document, as a value: the document may change meanwhile."""

    document: str  # the document's key
    language: str
    text: str
    offset: int
    version: str | None = None  # of the language; None is its default
    path: str | None = None  # of the file; None if it has none
    settings: Settings | None = None  # for the file; None: the engine's
    others: tuple[OtherFile, ...] = field(default=(), repr=False)  # open files of the language, the last edited first
    typed: tuple[str, int] | None = None  # text and offset without the entry selected in the editor's own list
    level: Level | None = None  # the level of the file with the text; None: by the setting `names`
    attributes: bool | None = None  # whether attributes are checked, at level "names"; None: by the setting
    # Options of `suture.model` for this request that no setting has.
    options: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    refused: int = 0  # suggestions refused by the user in the line
    inside: bool = False  # whether the cursor may stay before the closing brackets of a suggestion
    reach: Reach = ANYWHERE  # the files within reach of the document's imports
    unfinished: bool = True  # whether the file may lack something behind the suggestion that it lacks already
    # The brackets closed by the editor behind the cursor: not in the text, since a suggestion replaces them.
    replaced: str = ""
    imports: bool = False  # whether a text may bring an edit that adds its imports
    is_cell: bool = False  # of a notebook
    above: tuple[str, ...] = field(default=(), repr=False)  # the cells above it, in order
    prose: str = field(default="", repr=False)  # above the fenced code in the text
    column: int | None = None  # of the block that a text continues (`Suggestion.column`)
    written: int = 0  # characters of that block before the cursor that the model wrote

    @cached_property
    def cursor(self) -> Cursor:
        """The cursor in its text."""
        return Cursor.at(self.text, self.offset)
