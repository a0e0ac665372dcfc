"""Imports: the features of `__future__`, and the names that a module has."""

from __future__ import annotations

from .....common.words import is_name, words_of
from ....scoping.verdicts import Refused
from .line_values import Context
from .messages import STAR_IMPORT, no_feature

FEATURES = words_of("""
    nested_scopes generators division absolute_import with_statement print_function unicode_literals barry_as_FLUFL
    generator_stop annotations
""")
"""The possible names in `from __future__ import`."""
_DOTS_COUNT = (3, 13)
"""The version that made `from .__future__ import` an import like any other."""


def is_future(module: str, version: tuple[int, int]) -> bool:
    """Whether a module is `__future__`: older compilers ignore the dots before it."""
    return (module.lstrip(".") if version < _DOTS_COUNT else module) == "__future__"


def check_imported(context: Context, module: str, token: str, stored: frozenset[str]) -> None:
    """Refuse a token where the name of something imported from a module comes next; stored: the names assumed to exist."""
    if token == "*" and context.nested:
        raise Refused(STAR_IMPORT)
    if is_future(module, context.version) and token not in FEATURES and token != "(":
        raise Refused(no_feature(token))
    members = context.importable(module)
    if is_name(token) and members is not None and not members.has(token) and token not in stored:
        raise Refused(f"{members.owner} has no name {token!r}", "attributes", token, members)
