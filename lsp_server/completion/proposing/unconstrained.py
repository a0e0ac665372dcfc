"""Unjudged suggestions: the model alone. Only if the user has switched on a language that not even tree-sitter checks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ....common.brackets import CLOSERS, OPENERS
from ....common.line_ends import LINE_END
from ..cursor import Cursor
from ..judging.hidden import Hidden, Reason
from .editing import MAX_LINES, lines_to_suggest
from .filling import fill
from .shown import Suggestion

if TYPE_CHECKING:
    from ....model import Model, Options


def suggest_plain(
    cursor: Cursor,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool],
    on_text: Callable[[str], None] | None = None,
) -> Suggestion | Hidden:
    """Suggest the model's text at a cursor, or return why nothing is shown."""
    from ....parser import Hole

    if not cursor.text.strip():
        return Hidden(Reason.EMPTY)
    most_lines = lines_to_suggest(cursor, MAX_LINES if options.max_lines is None else options.max_lines)
    options = replace(options, mode="unconstrained", max_lines=most_lines)
    completion = fill(Hole(None, "dead"), cursor.left, cursor.right, model, options, cancelled, on_text)
    if cancelled():
        return Hidden(Reason.CANCELLED)
    shown = cut(completion.text, cursor.right, most_lines, completion.ended == "model").replace("\n", cursor.newline)
    return Suggestion(shown, completion, False, 0.0) if shown.strip() else Hidden(Reason.NO_TEXT, completion.text)


def cut(text: str, right: str, most_lines: int, ended: bool) -> str:
    """Cut a text back to few enough whole lines that leave the right context's closing brackets their partners."""
    lines = LINE_END.split(text)
    if not ended and len(lines) > 1:
        lines.pop()  # the budget ran out in the middle of it
    elif not ended:
        lines = [_whole_sentences(text)]
    shown = "\n".join(lines[: most_lines + 1]).rstrip()
    rest = re.split(r"[\r\n]", right, maxsplit=1)[0].strip()
    if rest and shown.endswith(rest):  # it repeats the code there
        shown = shown[: -len(rest)].rstrip()
    return shown[: _first_unopened(shown)] if rest[:1] in OPENERS else shown


def _whole_sentences(text: str) -> str:
    """The whole sentences of a text, each once, since an unstopped model repeats them; a text without any unchanged."""
    sentences = dict.fromkeys(re.findall(r".+?[.!?](?=\s)", text))
    return "".join(sentences) or text


def _first_unopened(text: str) -> int:
    """The offset of the first closing bracket unmatched in the text; its length if there is none."""
    opened: list[str] = []
    for offset, char in enumerate(text):
        if char in CLOSERS:
            opened.append(char)
        elif char in OPENERS:
            if not opened or opened.pop() != OPENERS[char]:
                return offset
    return len(text)
