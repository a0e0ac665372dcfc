"""The languages whose texts can be judged."""

from __future__ import annotations


def has_grammar(language_name: str) -> bool:
    """Whether a language has an exact engine."""
    from ....parser import guarantee

    return guarantee(language_name) == "exact"


def is_judged(language_name: str) -> bool:
    """Whether an exact engine or tree-sitter can judge texts in a language."""
    from ....parser import guarantee

    return guarantee(language_name) != "none"
