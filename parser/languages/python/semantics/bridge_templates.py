"""Rewordings of a grammar bridge with which the file also compiles and gets no undefined name. Text operations only.

The grammar's bridges have `x` for any expression and `if` for any header. The compiler demands more: a loop around `break`, a function around
`return`, and a binding for each name read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from .....common.words import compiled, is_part

FILLER = compiled(r"(?<![\w.])x(?!\w)")
"""The name in bridges where any name would do."""

_IF = re.compile(r"\bif x(?=:)")
_OPEN_IF = re.compile(r"\bif \Z")
_HEADERS = ("while x", "def _()", "async def _()", "class _")
_OPEN_HEADERS = ("def ", "async def ", "class ", "while ")
_CLOSING = re.compile(r"[)\]}]")
_MOST_CLOSING = 4
"""Closing brackets of a bridge to try."""
_OWNER = "str"  # of an attribute: the name of any type without a special meaning would do


def templates(text: str, before_word: bool) -> Iterator[str]:
    """The text itself, then the text with other headers, then with its continuation as an attribute.

    before_word: a character of a name follows the text, perhaps the rest of an undefined one.
    """
    several = [text]
    if _IF.search(text) is not None:
        several += [_IF.sub(header, text) for header in _HEADERS]
    if _OPEN_IF.search(text) is not None and before_word:
        several += [_OPEN_IF.sub(header, template) for template in several[:] for header in _OPEN_HEADERS]
    yield from several
    if before_word and not is_part(text[-1:]) and not text.endswith("."):
        for template in several:
            yield f"{template}{_OWNER}."


def with_names(template: str, names: Sequence[str]) -> Iterator[str]:
    """The template once for each name, with the name for all its fillers; the template itself if it has no filler."""
    if FILLER.search(template) is None:
        yield template
        return
    for name in names:
        yield FILLER.sub(name, template)


def with_bindings(template: str, missing: Sequence[str], name: str) -> str | None:
    """The template with an expression that binds the missing names, and `name` for its other fillers."""
    bound = ",".join(f"{target}:=None" for target in missing)
    if FILLER.search(template) is not None:
        return FILLER.sub(name, FILLER.sub(f"[{bound}]", template, count=1))
    if template.endswith(f"{_OWNER}."):
        return template.removesuffix(f"{_OWNER}.") + f"[{bound}]."
    return None


def with_loop(template: str, missing: Sequence[str], name: str) -> Iterator[str]:
    """The template with a `for` in brackets that binds the missing names, and `name` for its fillers."""
    text = FILLER.sub(name, template)
    loop = f" for {', '.join(missing)} in ()"
    for closing in islice(_CLOSING.finditer(text), _MOST_CLOSING):
        yield text[: closing.start()] + loop + text[closing.start() :]
    yield text + loop
