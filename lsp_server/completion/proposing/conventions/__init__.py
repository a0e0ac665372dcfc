"""What conventions say comes next, without a model: parameters that are kept or passed on, imports, lines that are alike.

Most rules are Python's; those about lines that are alike hold elsewhere, too. Each rule reads the text around the cursor and gives at most one text; it says nothing wherever it is not plain what is meant. How often
a rule is right was counted in projects that the benchmarks do not use (`python -m benchmarks.conventions`); that number competes with
the model's own certainty. Whether a text fits is the parser's to say, as for any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from .....common.line_ends import with_line_feeds
from .....common.words import compiled
from . import attributes, bodies, calls, decorators, imports, lines
from .cursor import MAX_ABOVE, Cursor

_MAX_LINES = 200  # above the cursor, in which the function's header is looked for
_LONGEST_WORD = 80

_BEGUN = compiled(r"[^\W\d]\w*$")


@dataclass(frozen=True)
class Convention:
    """A text that a convention suggests, and how often such a text is right."""

    rule: str
    text: str
    probability: float


# How often what a rule says was right (`python -m benchmarks.conventions`), and the rule; the first that gives a text speaks.
RULES: dict[str, tuple[float, Callable[[Cursor], str | None]]] = {
    "kept": (0.9, attributes.kept),
    "keeps next": (0.69, attributes.keeps_next),
    "passed": (0.88, calls.passed),
    "passed variable": (0.79, calls.passed_variable),
    "taken by base": (0.74, calls.taken),
    "imported": (0.95, imports.imported),
    "only name": (0.85, imports.only_name),
    "only unused": (0.5, imports.only_unused),
    "module": (0.95, imports.module),
    "receiver below": (0.99, bodies.receiver_below),
    "used below": (0.88, bodies.used_below),
    "named alike": (0.73, calls.named_alike),
    "first alike": (0.8, calls.first_alike),
    "analogous": (0.87, lines.analogous),
    "next alike": (0.75, lines.next_alike),
    "next listed": (0.6, lines.next_listed),
    "kind of method": (0.96, decorators.kind_of_method),
}

SPOKEN: Mapping[str, Mapping[str, float]] = {
    "all": {name: probability for name, (probability, _) in RULES.items()},
    "lines": {"analogous": 0.84, "next alike": 0.83, "next listed": 0.66},
}
"""By what a language's `Traits` say: the rules that hold in it, and how often each is right; those of lines in TypeScript. In JSON none is."""


def conventional(
    left: str, right: str, others: Sequence[tuple[str, str]] = (), spoken: Mapping[str, float] = SPOKEN["all"]
) -> Convention | None:
    """Give the text that a convention suggests at a place, if one does; `others`: path and text of the open files; `spoken`: see SPOKEN.

    A word that is begun must be how the text begins.
    """
    # The rules know one kind of line end; nothing that they say has any.
    left, right = with_line_feeds(left), with_line_feeds(right)
    others = [(path, with_line_feeds(text)) for path, text in others]
    begun = _BEGUN.search(left, max(left.rfind("\n") + 1, len(left) - _LONGEST_WORD))
    for written in ("", begun[0]) if begun else ("",):
        found = _at(left[: len(left) - len(written)], right, others, spoken)
        if found is not None and found.text.startswith(written) and len(found.text) > len(written):
            return replace(found, text=found.text[len(written) :])
    return None


def _at(left: str, right: str, others: Sequence[tuple[str, str]], spoken: Mapping[str, float]) -> Convention | None:
    line = left[left.rfind("\n") + 1 :]
    end = right.find("\n")
    rest = right if end < 0 else right[:end]
    above = left[max(0, len(left) - len(line) - MAX_ABOVE) : len(left) - len(line)].splitlines()[-_MAX_LINES:]
    cursor = Cursor(left, right, line, rest, tuple(above), tuple(others))
    for name, (_, rule) in RULES.items():
        text = rule(cursor) if name in spoken else None
        if text:
            return Convention(name, text, spoken[name])
    return None
