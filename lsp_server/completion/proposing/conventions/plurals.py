"""Plurals of English names, by which a collection and what is in it are known as such."""

from __future__ import annotations


def plurals(name: str) -> tuple[str, ...]:
    """How several of something are called."""
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return (f"{name[:-1]}ies",)
    irregular = {"person": "people", "child": "children", "index": "indices", "man": "men", "woman": "women"}
    known = (irregular[name],) if name in irregular else ()
    return (*known, f"{name}es") if name.endswith(("s", "x", "ch", "sh")) else (*known, f"{name}s")
