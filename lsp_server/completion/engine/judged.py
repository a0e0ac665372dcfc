"""The languages in which texts can be judged."""

from __future__ import annotations


def has_grammar(language_name: str) -> bool:
    """Whether a language has an exact engine."""
    from ....parser import guarantee

    return guarantee(language_name) == "exact"


def is_judged(language_name: str) -> bool:
    """Whether texts in a language can be judged, by an exact engine or by tree-sitter."""
    from ....parser import guarantee

    return guarantee(language_name) != "none"
