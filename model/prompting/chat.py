"""The prompt of weights that were tuned to answer: where nothing is behind the cursor, or a body begins, the file is an answer that has begun.

Such weights were trained to fill in the middle before they were tuned, and write better code in the form in which they answer.
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
    """Whether weights of these names were tuned to answer."""
    return any(_TUNED.search(name) for name in names if name)


def in_chat(model: Model, right: str, options: Options) -> Model:
    """The model as it is asked for a text with `right` behind it: with the prompt of a chat, where it was tuned for one, and nothing is behind,
    or, where somebody asks, only what closes brackets, or a body begins, which the code behind it tells less about than the form of an answer is worth.

    Only for texts under a constraint: in prose, a fence need not be the end.
    """
    if not model.answers or options.language is None or options.mode != "constrained":
        return model
    behind = right.strip(_CLOSERS if options.fullest else None)
    if behind and not options.body:
        return model
    template = chat_template(model.vocabulary, model.template, options.language)
    return model if template is None else replace(model, template=template)


def chat_template(vocabulary: Vocabulary, template: Template, language: str) -> Template | None:
    """The template of a file that is the beginning of an answer; None where the vocabulary does not have the marks."""
    begin, end = vocabulary.ids.get(TURN_BEGIN), vocabulary.ids.get(TURN_END)
    if begin is None or end is None:
        return None
    name = language.removesuffix("react")  # that of a dialect with tags
    question = vocabulary.encode(f"user\nWrite a {name.capitalize()} file.")
    answer = vocabulary.encode(f"assistant\n```{name}\n")
    parts = (*vocabulary.opening, begin, *question, end, *vocabulary.encode("\n"), begin, *answer, P)
    fences = [token for blank in (b"", b"\n", b"\n\n") for token in vocabulary.starting_with(blank + _FENCE)]
    ends = tuple(dict.fromkeys((*template.ends, end, *fences)))
    return Template("chat", "psm", parts, ends)
