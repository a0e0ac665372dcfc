"""The prompt of instruction-tuned weights: where nothing is behind the cursor, or a body begins, the file is the beginning of an answer.

Such weights learned to fill in the middle before their tuning, and write better code in the form of an answer.
"""

from __future__ import annotations

import re
import string
from dataclasses import replace
from typing import TYPE_CHECKING

from .fim_template import TURN_BEGIN, TURN_END, P, Template

if TYPE_CHECKING:
    from ..decoding.types import Options
    from ..runtime.base import Model
    from .vocabulary import Vocabulary

_FENCE = b"```"
_CLOSERS = ")]};" + string.whitespace
_TUNED = re.compile(r"(?:^|[\W_])(?:instruct|chat|it)(?:[\W_]|$)", re.IGNORECASE)


def is_tuned(*names: str | None) -> bool:
    """Whether weights of these names are instruction-tuned."""
    return any(_TUNED.search(name) for name in names if name)


def in_chat(model: Model, right: str, options: Options) -> Model:
    """The model with its prompt for a text before `right`: a chat's, if it is tuned for chats and `right` is empty, only closes brackets (for
    invoked requests), or a body begins, where the form of an answer helps more than the code behind it.

    Only under a constraint: in prose, a fence need not be the end.
    """
    if not model.answers or options.language is None or options.mode != "constrained":
        return model
    behind = right.strip(_CLOSERS if options.fullest else None)
    if behind and not options.body:
        return model
    template = chat_template(model.vocabulary, model.template, options.language)
    return model if template is None else replace(model, template=template)


def chat_template(vocabulary: Vocabulary, template: Template, language: str) -> Template | None:
    """The template of a file as the beginning of an answer; None for a vocabulary without the marks."""
    begin, end = vocabulary.ids.get(TURN_BEGIN), vocabulary.ids.get(TURN_END)
    if begin is None or end is None:
        return None
    name = language.removesuffix("react")  # of a dialect with tags
    question = vocabulary.encode(f"user\nWrite a {name.capitalize()} file.")
    answer = vocabulary.encode(f"assistant\n```{name}\n")
    parts = (*vocabulary.opening, begin, *question, end, *vocabulary.encode("\n"), begin, *answer, P)
    fences = [token for blank in (b"", b"\n", b"\n\n") for token in vocabulary.starting_with(blank + _FENCE)]
    ends = tuple(dict.fromkeys((*template.ends, end, *fences)))
    return Template("chat", "psm", parts, ends)
