"""The differences between Python's versions in the lexer; the grammar file has those in the syntax."""

from __future__ import annotations

from dataclasses import dataclass

from ....grammar.loader import version_key


@dataclass(frozen=True, slots=True)
class Dialect:
    """The lexical rules of one version, as of its last micro release."""

    version: tuple[int, ...]
    any_word_after_number: bool
    """up to 3.9: `1as x` is `1 as x`; later only some keywords may follow a number without a space"""
    backslash_in_indentation: str
    """for a backslash in a line's indentation. "first": the first nonzero column counts; "same", 3.9: the line stays in its block, whatever
    its columns; "before", 3.8: the column before the backslash counts, and the rest is a logical line even when it is empty"""
    nested_fstrings: bool
    """since 3.12 (PEP 701): the lexer reads f-strings, with terminals of their own"""
    raw_format_specs: bool
    """since 3.13: in the format spec of a raw f-string a backslash starts no escape"""
    doubled_braces_after_fields: bool
    """since 3.13: "{{" in a format spec stands for a brace, but only after the spec's first field"""
    template_strings: bool
    """since 3.14 (PEP 750)"""

    def string_prefixes(self) -> frozenset[str]:
        """The prefixes of strings, in all spellings."""
        kinds, raws = ("", "b", "B", "f", "F") + (("t", "T") if self.template_strings else ()), ("", "r", "R")
        both = {a + b for a in raws for b in kinds} | {b + a for a in raws for b in kinds}
        return frozenset((both | {"u", "U"}) - {""})


def dialect(version: str) -> Dialect:
    """The lexical rules of a version."""
    release = version_key(version)
    return Dialect(
        version=release,
        any_word_after_number=release <= (3, 9),
        backslash_in_indentation="before" if release <= (3, 8) else "same" if release <= (3, 9) else "first",
        nested_fstrings=release >= (3, 12),
        raw_format_specs=release >= (3, 13),
        doubled_braces_after_fields=release >= (3, 13),
        template_strings=release >= (3, 14),
    )
