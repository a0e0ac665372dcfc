"""Names around a hole: those bound by a loop behind it, and those bound nowhere, to which a text there owes a binding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..importing import usual_modules
from .blocks import Segment
from .contents import Names
from .file_verdicts import Judge
from .names import Scope
from .queries import comprehended, header_word, may_become_comprehension, owed_names
from .reading import Reading, behind_point
from .sets import NONE
from .tokens import lex

_AHEAD = 400
"""Characters behind a place searched for the rest of a comprehension."""
_FOR = re.compile(r"\bfor\b")


def owed_by_statement(start: Reading, scope: Scope, judge: Judge, behind: Sequence[Segment]) -> Names:
    """The names that the cursor's statement reads in brackets open at the cursor, and only a text there can bind."""
    parser = behind_point(start) or start.parser
    if parser is None:
        return NONE
    scope = scope if parser.header is None else scope.inside(parser.header)
    owed = frozenset(name for name in owed_names(parser) if not scope.is_bound(name) and not _is_import(name))
    if not owed or scope.scopes_are_open:
        return NONE
    for verdict in (judge.verdict(start.block, below) for below in behind or (None,)):
        owed -= verdict.undefined
        owed -= judge.undefined_in(verdict, owed)
    return owed


def _is_import(name: str) -> bool:
    """Whether a name is rather one of a class, a constant or a module than of a variable: its import may not be written yet."""
    return name[0].isupper() or name in usual_modules()


def owed_to_code_below(start: Reading, judge: Judge, undefined: Names) -> Names:
    """The names read only below the cursor's line, and bound nowhere: a text may bind them.

    undefined: the unbound names that the cursor's line does not read.
    """
    if not undefined or (start.parser is not None and header_word(start.parser)):
        return NONE  # an unfinished header binds the names read in its own lines
    return undefined - judge.verdict(start.block, None).undefined


def with_names_ahead(reading: Reading, right: str) -> Reading:
    """The reading with the names that a `for` behind it binds in open brackets: `[room.| for room in rooms]`."""
    parser = reading.parser
    if parser is None or not may_become_comprehension(parser) or _FOR.search(right, 0, _AHEAD) is None:
        return reading
    names = comprehended(parser, lex(reading.lex, right[:_AHEAD])[0])
    if not names:
        return reading
    return replace(reading, parser=parser.having(ahead=names))
