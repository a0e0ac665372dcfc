"""The strings whose fields surround the lexer, and the terminals of strings with fields (see templates.py)."""

from __future__ import annotations

from typing import NamedTuple

from ....grammar.lalr import Tables
from .dialect import Dialect


class TemplateLayout(NamedTuple):
    """A string with fields around the lexer's position."""

    outer: TemplateLayout | None
    quote: str
    triple: bool
    raw: bool
    fields: int
    """open fields, each in the format spec of the one before"""
    brackets: int
    """brackets open in the innermost field"""
    level: int
    doubled: bool = False
    """whether "{{" stands for a brace, in a format spec"""


def outermost(quote: str, triple: bool, raw: bool) -> TemplateLayout:
    """A string outside of other strings' fields."""
    return TemplateLayout(None, quote, triple, raw, 0, 0, 1)


def at_field_level(context: TemplateLayout | None) -> bool:
    """Whether the position is in a field, outside all its brackets."""
    return context is not None and not context.brackets


class TemplateTerminals:
    """The terminals of strings with fields; -1 where the version has none."""

    def __init__(self, tables: Tables, dialect: Dialect) -> None:
        self._dialect = dialect
        self._starts = {"f": tables.terminal("FSTRING_START"), "t": tables.terminal("TSTRING_START")}
        self.end = tables.terminal("TEMPLATE_END")
        self.open_field, self.close_field = tables.terminal("FIELD_OPEN"), tables.terminal("FIELD_CLOSE")
        self.conversion, self.spec = tables.terminal("CONVERSION"), tables.terminal("SPEC")

    def start(self, prefix: str) -> int | None:
        """The first terminal of a string with fields; None for the prefix of other strings."""
        if not self._dialect.nested_fstrings:
            return None
        return next((terminal for letter, terminal in self._starts.items() if letter in prefix), None)
