"""A hidden suggestion and the reason, as a value beside `Suggestion`, for the trace and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """The reasons to show nothing, each in a plain sentence."""

    SECRET = "the file looks secret"
    SHOWS_SECRET = "the text would show a string that looks secret"
    IN_WORD = "the cursor is inside a word, a number or another symbol"
    EMPTY = "the file is empty"
    UNTAUGHT = "the embedded model has not learned the language"
    PROSE = "the embedded model writes no prose: larger models do"
    SWITCHED_OFF = "suggestions are switched off in this language, in comments or in strings"
    LISTED = "the entry selected in the editor's list would break the file"
    UNREADABLE = "no part of the file around the cursor can be read"
    BROKEN_LINE = "the cursor's line is broken before the cursor"
    CANCELLED = "the request was cancelled"
    OUTDATED = "the text has changed since the request"
    NO_TEXT = "the model found no text that makes the file valid"
    UNCERTAIN = "the model is not certain enough of its text"
    TOO_LITTLE = "reading the text would take as long as typing it"
    REPEATS = "the text only repeats what is there already"
    HIDES_CODE = "the text would turn code behind the cursor into a comment or a string"
    WRONG_TYPE = "the type checker finds a new error in it"
    RUNS_ON = "the text would run into the word behind the cursor"
    PADDING = "the text would need filler to make the file valid"
    OUT_OF_BOUNDS = "no valid text is within the bounds of the request"
    REJECTED = "the user has rejected it before"


@dataclass(frozen=True)
class Hidden:
    """A suggestion not shown."""

    reason: Reason
    text: str = ""
    """the text otherwise shown; "" if there was none"""
