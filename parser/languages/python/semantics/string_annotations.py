"""The names read by annotations in strings."""

from __future__ import annotations

import ast
import re

from .....common.words import OPERAND, compiled
from .tokens import KEYWORDS

_OPENING = re.compile(r"[rRuU]?(?P<quote>\"\"\"|'''|\"|')")
_PLAIN_ANNOTATION = compiled(r"[\w\s.,|\[\]]*+")
_LONGEST_ANNOTATION = 400  # characters


def text_of(string: str) -> str:
    """The text between the quotes of a plain string, which may lack its end."""
    opening = _OPENING.match(string)
    if opening is None:
        return ""
    return string[opening.end() :].removesuffix(opening["quote"])


def names_in_annotation(text: str) -> tuple[str, ...]:
    """The names read by a string annotation; none if it has more than names, attributes and subscripts."""
    if _PLAIN_ANNOTATION.fullmatch(text) is None:
        return ()
    return tuple(name for name in OPERAND.findall(text) if name not in KEYWORDS)


def names_in_string(text: str) -> tuple[str, ...]:
    """The names read by a whole string annotation; none if it is not an expression, or binds names itself."""
    try:
        tree = ast.parse(text.strip(), mode="eval") if len(text) <= _LONGEST_ANNOTATION else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    names: list[str] = []
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Name):
            names.append(node.id)
        elif isinstance(node, ast.comprehension | ast.Lambda | ast.NamedExpr):
            return ()
    return tuple(names)
