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
_HALF_END = re.compile(r"(?<=[\w.,:;!?)\]])(\"{1,2}|'{1,2})\Z")
"""Quotes behind a word: a part of three, or the end of a quotation."""
_ONE_WORD = re.compile(r"\W*\w+\W*")


@dataclass(frozen=True)
class Suggestion:
    """Text for the cursor's place that keeps the file valid, except for its unreadable pieces."""

    text: str
    completion: Completion
    valid: bool  # whether the whole file can be read with it
    hole_ms: float  # time spent reading the text around the cursor
    probability: float = 0.0  # of being typed; 0: unknown, since a user who asks sees it anyway
    words: tuple[Word, ...] = ()  # its beginnings up to the end of a word, if it may go wrong behind them
    behind: int = 0  # characters at its end behind the cursor: they close the text's brackets
    pending: tuple[Closer, ...] = ()  # closers the code lacked without it, and is valid with
    edits: tuple[Insertion, ...] = ()  # imports written above its line on acceptance
    imports: tuple[str, ...] = ()  # the statements these add, as each would stand alone
    stand_in: str = ""  # the name of the model that wrote it instead of the user's; "" if none did
    column: int | None = None  # the least column of a block that the model had more to say in; None: it is all

    @property
    def to_cursor(self) -> str:
        """The text up to the cursor's place after acceptance."""
        return self.text[: len(self.text) - self.behind]

    @property
    def worth(self) -> float:
        """The keys it saves on average when shown."""
        return expected_gain(self.probability, self.to_cursor, self.words)


def signed(result: Result, stand_in: str) -> Result:
    """A suggestion, or each of several, with the name of the model that wrote it, unless it comes from facts of the code."""
    if isinstance(result, Suggestion) and result.completion.tokens:
        return replace(result, stand_in=stand_in)
    if isinstance(result, list):
        return cast(Result, [signed(suggestion, stand_in) for suggestion in cast(list[object], result)])
    return result


def placed(other: Suggestion, several: Sequence[Suggestion], likely: bool, n: int) -> list[Suggestion]:
    """Up to n suggestions including one from elsewhere: first if it is likely and the first of the others has one line, else last."""
    others = [suggestion for suggestion in several if suggestion.text != other.text]
    first = not others or (likely and "\n" not in others[0].text)
    return ([other, *others] if first else [*others[: max(1, n - 1)], other])[:n]


def different(suggestions: Iterable[Suggestion], comment: str) -> list[Suggestion]:
    """Suggestions that do different things: the fullest of texts that differ only in quotes, blanks, comments or their end."""
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
    """The words and signs of a text, except for comments on lines of their own; all quotes count as equal."""
    lines = (line for line in text.splitlines() if not comment or not line.lstrip().startswith(comment))
    return [word.replace("'", '"') for line in lines for word in _WORDS.findall(line)]


def by_size(suggestions: Iterable[Suggestion], to_line_end: bool) -> list[Suggestion]:
    """Whole lines first, then single words, and comments without their code last, for a user who asked; otherwise in their order."""

    def little(shown: Suggestion) -> tuple[bool, bool]:
        return announces_code(shown.text), to_line_end and _ONE_WORD.fullmatch(shown.text) is not None

    return sorted(suggestions, key=little)


def to_show(place: Editing, completion: Completion, probability: float = 0.0) -> Suggestion | Hidden:
    """Make a suggestion of a completion, unless it does not fit or shows nothing new. probability: of being typed."""
    from ....parser import pending_behind
    from ....parser.language import traits

    if not completion.complete or not completion.text.strip():
        return Hidden(Reason.NO_TEXT, completion.text)
    said = without_afterthought(place, unrepeated(place, completion.text), completion.cut)
    if not said.strip():
        return Hidden(Reason.REPEATS, completion.text)
    said = without_half_end(place, without_hiding(said, place.cursor.rest, place.hole))
    if not said.strip():
        return Hidden(Reason.HIDES_CODE, completion.text)
    shown = in_style(strip_whitespace(place, said), place.cursor, place.hole.state, traits(place.language))
    if not shown.strip():
        return Hidden(Reason.REPEATS, completion.text)
    shown = with_newlines_of(place, shown)
    pending = pending_behind(place.hole, shown)
    return Suggestion(shown, completion, place.hole.viable, place.hole_ms, probability, pending=pending)


def unrepeated(place: Editing, suggestion: str) -> str:
    """Remove from a suggestion the parts already there, if the text stays valid without them, or with its last brackets."""
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
    """Remove from a suggestion the text behind its thought, and the blanks in blank lines, if the text stays valid.

    cut: whether it ends before the model's own end: comments at its end then announce missing code.
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


def without_half_end(place: Editing, suggestion: str) -> str:
    """Remove from a suggestion the first ones of three quotes that would end its string; the string ends further below."""
    state, half = place.hole.state, _HALF_END.search(suggestion)
    if half is None or state is None or state.region != "string":
        return suggestion
    quote, line = half[1][0], (place.cursor.before + suggestion).rpartition("\n")[2]
    is_quotation = len(half[1]) == 1 and line.replace(quote * 3, "").count(quote) % 2 == 0
    after = state.advance(suggestion + quote * (3 - len(half[1])))
    if is_quotation or (after is not None and after.region == "string"):
        return suggestion
    kept = suggestion[: half.start()]
    return kept if place.fits(kept) else suggestion


def strip_whitespace(place: Editing, suggestion: str) -> str:
    """Remove white space nobody would type: more of it after white space within a line, and at the end."""
    before = place.cursor.before
    after_blank = before.strip() and before[-1] in " \t"
    for text in (suggestion.lstrip(" \t").rstrip() if after_blank else suggestion.rstrip(), suggestion.rstrip()):
        if place.fits(text):
            return text
    return suggestion


def with_newlines_of(place: Editing, suggestion: str) -> str:
    """Convert the suggestion's line ends to the text's, if it stays valid."""
    newline = place.cursor.newline
    if newline == "\n" or "\n" not in suggestion:
        return suggestion
    converted = with_line_feeds(suggestion).replace("\n", newline)
    # At the seams \r and \n can become one line end, or stop being one.
    return converted if place.fits(converted) else suggestion
