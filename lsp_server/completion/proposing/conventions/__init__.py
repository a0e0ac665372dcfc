"""What conventions say comes next, without a model: the variable just built after `return`, parameters passed on, imports.

Most rules are Python's; those about lines that are alike hold elsewhere, too. Each rule reads the text around the cursor and gives at most one text; it says nothing wherever it is not plain what is meant. How often
a rule is right was counted in projects that the benchmarks do not use (`python -m benchmarks.conventions`); that number competes with
the model's own certainty. Whether a text fits is the parser's to say, as for any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from .....common.line_ends import with_line_feeds
from .....common.words import compiled
from . import (
    attributes,
    bodies,
    calls,
    chains,
    decorators,
    exceptions,
    imports,
    keywords,
    lines,
    loops,
    returns,
    signatures,
)
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


# How often what a rule says was right: `python -m benchmarks.conventions`.
PROBABILITIES: dict[str, float] = {
    "receiver below": 0.99,
    "receiver": 0.98,
    "imported": 0.95,
    "module": 0.95,
    "kept": 0.9,
    "keeps next": 0.69,
    "next member": 0.68,
    "next case": 0.74,
    "next alike": 0.75,
    "kind of method": 0.96,
    "property": 0.78,
    "next keyword": 0.86,
    "next keyword alike": 0.57,
    "imports tried": 0.83,
    "caught": 0.78,
    "to stderr": 0.79,
    "next listed": 0.6,
    "analogous once": 0.58,
    "next begun": 0.5,
    "as annotated": 0.68,
    "main": 0.97,
    "analogous": 0.87,
    "default factory": 0.9,
    "passed": 0.88,
    "only name": 0.85,
    "same signature": 0.8,
    "first alike": 0.8,
    "plural of": 0.45,
    "member": 0.79,
    "annotated before": 0.83,
    "passed variable": 0.79,
    "annotated as named": 0.78,
    "namesake": 0.78,
    "raised above": 0.74,
    "taken by base": 0.74,
    "named alike": 0.73,
    "plural": 0.69,
    "error base": 0.73,
    "used below": 0.88,
    "several below": 0.48,
    "handed up": 0.62,
    "begun signature": 0.47,
    "begun alike": 0.47,
    "exits": 0.7,
    "test above": 0.54,
    "sibling": 0.45,
    "collected": 0.38,
    "only unused": 0.5,
    "returned": 0.21,
}

SPOKEN: Mapping[str, Mapping[str, float]] = {
    "all": PROBABILITIES,
    "lines": {"analogous": 0.84, "next alike": 0.83, "next listed": 0.66, "analogous once": 0.43},
}
"""By what a language's `Traits` say: the rules that hold in it, and how often each is right; those of lines in TypeScript. In JSON none is."""

# In the order in which they are asked: the first that gives a text speaks.
RULES: dict[str, Callable[[Cursor], str | None]] = {
    "returned": returns.returned,
    "as annotated": returns.as_annotated,
    "collected": returns.collected,
    "kept": attributes.kept,
    "keeps next": attributes.keeps_next,
    "passed": calls.passed,
    "passed variable": calls.passed_variable,
    "annotated before": signatures.annotated_before,
    "annotated as named": signatures.annotated_as_named,
    "taken by base": calls.taken,
    "handed up": calls.handed_up,
    "imported": imports.imported,
    "only name": imports.only_name,
    "namesake": imports.namesake,
    "only unused": imports.only_unused,
    "module": imports.module,
    "receiver below": bodies.receiver_below,
    "used below": bodies.used_below,
    "several below": bodies.several_below,
    "same signature": signatures.same_signature,
    "begun signature": signatures.begun_signature,
    "receiver": signatures.receiver,
    "begun alike": signatures.begun_alike,
    "named alike": calls.named_alike,
    "first alike": calls.first_alike,
    "plural": loops.plural,
    "plural of": loops.plural_of,
    "analogous": lines.analogous,
    "analogous once": lines.analogous_once,
    "next alike": lines.next_alike,
    "next keyword": keywords.next_keyword,
    "next keyword alike": keywords.next_keyword_alike,
    "next listed": lines.next_listed,
    "next begun": lines.next_begun,
    "kind of method": decorators.kind_of_method,
    "property": decorators.property_below,
    "sibling": signatures.sibling,
    "error base": signatures.error_base,
    "test above": signatures.test_above,
    "default factory": calls.default_factory,
    "member": calls.member,
    "next member": attributes.next_member,
    "next case": chains.next_case,
    "imports tried": exceptions.imports_tried,
    "caught": exceptions.caught,
    "to stderr": keywords.to_stderr,
    "main": calls.main,
    "exits": calls.exits,
    "raised above": calls.raised_above,
}


def conventional(
    left: str,
    right: str,
    others: Sequence[tuple[str, str]] = (),
    spoken: Mapping[str, float] = PROBABILITIES,
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
    for name, rule in RULES.items():
        text = rule(cursor) if name in spoken else None
        if text:
            return Convention(name, text, spoken[name])
    return None
