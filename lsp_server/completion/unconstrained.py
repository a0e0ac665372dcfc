"""Suggestions without a grammar: the model alone, unchecked. Only where the user has switched a language on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from .suggestion import MAX_LINES, Suggestion, fill, lines_to_suggest, newline_of

if TYPE_CHECKING:
    from ...model import Model, Options

UNCONSTRAINED = "unconstrained"
"""What `Suggestion.fallback` says of such a text: nothing was checked."""
_CLOSERS = {")": "(", "]": "[", "}": "{"}


def suggest_plain(
    text: str,
    offset: int,
    model: Model,
    options: Options,
    cancelled: Callable[[], bool],
    on_text: Callable[[str], None] | None = None,
) -> Suggestion | None:
    """Suggest what a model would write at an offset; None when there is nothing to show."""
    from ...parser import Hole

    if text.isspace() or not text:
        return None
    most_lines = lines_to_suggest(text, offset, MAX_LINES if options.max_lines is None else options.max_lines)
    options = replace(options, mode="unconstrained", max_lines=most_lines)
    completion = fill(Hole(None, "dead"), text[:offset], text[offset:], model, options, cancelled, on_text)
    if cancelled():
        return None
    shown = cut(completion.text, text[offset:], most_lines, completion.ended == "model")
    newline = newline_of(text)
    shown = shown if newline == "\n" else shown.replace("\n", newline)
    return Suggestion(shown, completion, UNCONSTRAINED, 0.0) if shown.strip() else None


def cut(text: str, right: str, most_lines: int, ended: bool) -> str:
    """Cut a text back to whole lines, few enough, that leave the brackets on the right to close what they close."""
    lines = re.split(r"\r\n|\r|\n", text)
    if not ended and len(lines) > 1:
        lines.pop()  # the budget was spent in the middle of it
    shown = "\n".join(lines[: most_lines + 1]).rstrip()
    rest = re.split(r"[\r\n]", right, maxsplit=1)[0].strip()
    if rest and shown.endswith(rest):  # it says again what is there
        shown = shown[: -len(rest)].rstrip()
    return shown[: _first_unopened(shown)] if rest[:1] in _CLOSERS else shown


def _first_unopened(text: str) -> int:
    """Where a bracket is closed that was not opened in the text; its length when there is none."""
    opened: list[str] = []
    for at, char in enumerate(text):
        if char in _CLOSERS.values():
            opened.append(char)
        elif char in _CLOSERS:
            if not opened or opened.pop() != _CLOSERS[char]:
                return at
    return len(text)
