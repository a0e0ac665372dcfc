"""The shown part of a text: its new part, in the document's own style."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar, cast

from ....common.line_ends import with_line_feeds
from ..judging.hidden import Hidden, Reason
from ..judging.policy import Word, expected_gain
from ..judging.repetition import cuts
from ..judging.selection import without_hiding
from ..judging.thoughts import announces_code, ends, without_last_comments
from ..style import in_style

if TYPE_CHECKING:
    from ....model import Completion
    from ....parser import Closer
    from ....parser.importing import Insertion
    from .editing import Editing

Result = TypeVar("Result")

_BLANK_LINES = re.compile(r"(?:(?<=\n)|\A)[ \t]+(?=\r?\n)")
_CLOSING = re.compile(r"[)\]}]*\s*\Z")
_WORDS = re.compile(r"\w+|[^\w\s]")
_ONE_WORD = re.compile(r"\W*\w+\W*")


@dataclass(frozen=True)
class Suggestion:
    """Text for the cursor's place, with which the file is valid but for the pieces of it that cannot be read."""

    text: str
    completion: Completion
    valid: bool  # the whole file can be read with it
    hole_ms: float  # time to look at the text around the cursor
    probability: float = 0.0  # that it is typed; 0: not known, as a user who asks is shown it anyway
    words: tuple[Word, ...] = ()  # its beginnings that end with a word, where it may go wrong behind them
    behind: int = 0  # characters at its end before which the cursor stays: they close the text's brackets
    pending: tuple[Closer, ...] = ()  # closers that the code lacked without it, and is valid with
    edits: tuple[Insertion, ...] = ()  # imports that are written above its line when it is accepted
    imports: tuple[str, ...] = ()  # the statements that these add, as each would stand alone
    stand_in: str = ""  # the name of the model that wrote it in the place of the user's; "" where none did
    column: int | None = None  # of a block that the model had more to say to: its lines' least; None: that is all

    @property
    def to_cursor(self) -> str:
        """The text as far as the cursor goes when it is accepted."""
        return self.text[: len(self.text) - self.behind]

    @property
    def worth(self) -> float:
        """The keys that showing it spares on average."""
        return expected_gain(self.probability, self.to_cursor, self.words)


def signed(result: Result, stand_in: str) -> Result:
    """A suggestion, or each of several, with the name of the model that wrote it, unless facts of the code made it."""
    if isinstance(result, Suggestion) and result.completion.tokens:
        return replace(result, stand_in=stand_in)
    if isinstance(result, list):
        return cast(Result, [signed(suggestion, stand_in) for suggestion in cast(list[object], result)])
    return result


def placed(other: Suggestion, several: Sequence[Suggestion], likely: bool, n: int) -> list[Suggestion]:
    """Up to n suggestions with one that was found elsewhere: first where it is likely and the first one is no longer text, else last."""
    others = [suggestion for suggestion in several if suggestion.text != other.text]
    first = not others or (likely and "\n" not in others[0].text)
    return ([other, *others] if first else [*others[: max(1, n - 1)], other])[:n]


def different(suggestions: Iterable[Suggestion], comment: str) -> list[Suggestion]:
    """Those suggestions that do different things: of texts that differ in quotes, blanks, comments or where they stop, the fullest."""
    kept: list[tuple[list[str], Suggestion]] = []
    for suggestion in suggestions:
        words = _words(suggestion.text, comment)
        for number, (other, _) in enumerate(kept):
            shared = min(len(words), len(other))
            if words[:shared] == other[:shared]:
                if len(words) > shared:
                    kept[number] = words, suggestion
                break
        else:
            kept.append((words, suggestion))
    return [suggestion for _, suggestion in kept]


def _words(text: str, comment: str) -> list[str]:
    """The words and signs of a text, but for comments that stand alone on their lines; all quotes are the same."""
    lines = (line for line in text.splitlines() if not comment or not line.lstrip().startswith(comment))
    return [word.replace("'", '"') for line in lines for word in _WORDS.findall(line)]


def by_size(suggestions: Iterable[Suggestion], to_line_end: bool) -> list[Suggestion]:
    """Whole lines first, then single words, and comments without their code last, for a user who asked; in their order otherwise."""

    def little(shown: Suggestion) -> tuple[bool, bool]:
        return announces_code(shown.text), to_line_end and _ONE_WORD.fullmatch(shown.text) is not None

    return sorted(suggestions, key=little)


def to_show(place: Editing, completion: Completion, probability: float = 0.0) -> Suggestion | Hidden:
    """Make a suggestion of a completion, unless it does not fit or there is nothing new to see. probability: that it is typed."""
    from ....parser import pending_behind
    from ....parser.language import traits

    if not completion.complete or not completion.text.strip():
        return Hidden(Reason.NO_TEXT, completion.text)
    said = without_afterthought(place, unrepeated(place, completion.text), completion.cut)
    if not said.strip():
        return Hidden(Reason.REPEATS, completion.text)
    said = without_hiding(said, place.cursor.rest, place.hole)
    if not said.strip():
        return Hidden(Reason.HIDES_CODE, completion.text)
    shown = in_style(strip_whitespace(place, said), place.cursor, place.hole.state, traits(place.language))
    if not shown.strip():
        return Hidden(Reason.REPEATS, completion.text)
    shown = with_newlines_of(place, shown)
    pending = pending_behind(place.hole, shown)
    return Suggestion(shown, completion, place.hole.viable, place.hole_ms, probability, pending=pending)


def unrepeated(place: Editing, suggestion: str) -> str:
    """Leave out of a suggestion the parts that are there already, where the text is still valid without it, or with its last brackets."""
    from ....parser.language import traits

    closing = _CLOSING.search(suggestion)
    assert closing is not None
    language, cursor = traits(place.language), place.cursor
    for end in cuts(cursor.left, suggestion, cursor.right, language.repeats, language.line_comment):
        if end == 0:
            return ""
        for kept in (suggestion[:end], suggestion[:end].rstrip() + closing[0]):
            if place.fits(kept):
                return kept
    return suggestion


def without_afterthought(place: Editing, suggestion: str, cut: bool = False) -> str:
    """Leave out of a suggestion the text behind its thought, where the text is still valid without it, and the blanks in blank lines.

    cut: it does not end where the model ended it, so that comments at its end announce missing code.
    """
    if cut and (kept := without_last_comments(suggestion)) != suggestion and place.fits(kept):
        suggestion = kept
    for end in ends(place.cursor.left, suggestion):
        kept = suggestion[:end].rstrip()
        if not kept or place.fits(kept):
            suggestion = kept
            break
    plain = _BLANK_LINES.sub("", suggestion)
    return plain if plain != suggestion and place.fits(plain) else suggestion


def strip_whitespace(place: Editing, suggestion: str) -> str:
    """Leave out white space that nobody would type: more of it after white space within a line, and at the end."""
    before = place.cursor.before
    after_blank = before.strip() and before[-1] in " \t"
    for text in (suggestion.lstrip(" \t").rstrip() if after_blank else suggestion.rstrip(), suggestion.rstrip()):
        if place.fits(text):
            return text
    return suggestion


def with_newlines_of(place: Editing, suggestion: str) -> str:
    """Write the suggestion with the line ends of the text, where it is still valid with them."""
    newline = place.cursor.newline
    if newline == "\n" or "\n" not in suggestion:
        return suggestion
    converted = with_line_feeds(suggestion).replace("\n", newline)
    # At the seams \r and \n can become one line end, or stop being one.
    return converted if place.fits(converted) else suggestion
