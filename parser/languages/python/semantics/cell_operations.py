"""The operations in the values of a stack's cells."""

from __future__ import annotations

from typing import Any

from .....common.words import words_of
from .operations import Operations, together
from .rules.patterns import Part

_SECOND = words_of("""
positional_argument positionals keyword keywords double_star_argument double_stars arguments slice slices returns type_parameter
type_parameters lambda_parameters l_default l_positional l_plain l_defaults l_plain_slash l_defaults_slash l_bare_star l_after_star
l_double_star
""")
_PARAMETERS = words_of("""
plain_parameter star_parameter default_parameter plain defaults plain_slash defaults_slash positional bare_star after_star double_star
parameters
""")
_ITEMS = frozenset(("with_item", "with_items", "as_items", "no_as_items"))
_STATEMENTS = frozenset(("simple", "simples", "assignment", "import"))
_CLAUSES = frozenset(("for_clause", "comprehension"))
_FIELDS = frozenset(("field", "fields", "format_spec"))
PATTERNS = words_of("""
pattern or_pattern closed_pattern star_pattern patterns mapping keyword_pattern key_pattern star_patterns open_sequence class_arguments
class_positional class_keywords key_patterns rest_pattern
""")
_NO_EXPRESSIONS = words_of("""
assign_heads names module modules import_names import_name imported dotted any_dotted dots name any_name capture
name_attribute wild_attribute class_name literal signed augmented comparator sign
""")
"""Nonterminals whose values hold no operations of reads."""


def operations_of(symbol: str, value: Any) -> Operations:
    """The operations in the value of a nonterminal."""
    if value is None or isinstance(value, str) or not symbol or symbol in _NO_EXPRESSIONS:
        return None
    if symbol in PATTERNS:
        if symbol != "patterns":
            return None
        parts = [value] if isinstance(value, Part) else value
        reads = (("use", name) for part in parts for name in part.reads)
        return together(*reads, *(("bind", name) for part in parts for name in part.captures))
    if symbol in _SECOND:
        return value[1]
    if symbol in _PARAMETERS:
        return together(value[1], value[2])
    if symbol in _STATEMENTS:
        return value[0]
    if symbol in _CLAUSES:
        return together(*(part for clause in value for part in clause[2:4]))
    if symbol in _FIELDS:
        return value
    if symbol in _ITEMS:
        return together(*(part[0] for part in value))
    return value[2]
