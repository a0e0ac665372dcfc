"""Which languages there is anything for that judges a text."""

from __future__ import annotations


def has_grammar(language_name: str) -> bool:
    """Is there an exact engine for a language?"""
    from ....parser import guarantee

    return guarantee(language_name) == "exact"


def is_judged(language_name: str) -> bool:
    """Is there anything that judges a text in a language: an exact engine, or tree-sitter?"""
    from ....parser import guarantee

    return guarantee(language_name) != "none"
