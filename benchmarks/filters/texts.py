"""Peers' treatment of a freely written text: each filter as a function of the text and its surroundings.

None of them asks the model again, so one free generation serves all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

Valid = Callable[[str], bool]  # whether the file with a text in the hole parses

_CLOSING = {"(": ")", "{": "}", "[": "]"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}


def cut_to_parse(ends: Sequence[str], valid: Valid) -> str:
    """The longest beginning of a text, among those at its tokens' ends, with a parsing file; the text where none parses.

    SAFIM (Gong et al., 2024) cuts the texts of all models like this, "syntax-aware truncation".
    """
    return next((text for text in reversed(ends) if valid(text)), ends[-1])


def withheld_by_errors(text: str, left: str, right: str, language: str) -> str:
    """The text, or nothing where tree-sitter counts more errors in the file with it than without."""
    return "" if errors(left + text + right, language) > errors(left + right, language) else text


def stopped_at_bracket(text: str, left: str, right: str) -> str:
    """The text up to the first closing bracket unmatched in the line and the text, as in Continue's bracket filter.

    Closing brackets at the text's beginning are let through, and so are those at the right context's.
    """
    single = "\n" not in text
    stack: list[str] = []
    for char in left.rpartition("\n")[2] + right.partition("\n")[0] if single else "":
        if char in _CLOSING:
            stack.append(char)
        elif char in _OPENING and (not stack or stack.pop() != _OPENING[char]):
            break
    for char in right:
        if char == " ":
            continue
        if char not in _OPENING:
            break
        stack.insert(0, _OPENING[char])
    begun = next((index for index, char in enumerate(text) if not char.isspace() and char not in _OPENING), len(text))
    for index, char in enumerate(text[begun:], begun):
        if char in _CLOSING:
            stack.append(char)
        elif char in _OPENING and (not stack or stack.pop() != _OPENING[char]):
            return text[:index]
    return text


def errors(text: str, language: str) -> int:
    """The number of error and missing nodes in tree-sitter's tree."""
    count, nodes = 0, [_parser(language).parse(text.encode()).root_node]
    while nodes:
        node: Node = nodes.pop()
        count += node.is_error or node.is_missing
        if node.has_error:
            nodes += node.children
    return count


@cache
def _parser(language: str) -> Parser:
    grammar = import_module(f"tree_sitter_{language}")  # of the group `bench`
    return Parser(Language(grammar.language()))
