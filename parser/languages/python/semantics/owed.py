"""The names that code around a hole reads and nothing binds, so that a text there owes a binding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .contents import Names
from .sets import NONE

if TYPE_CHECKING:
    from .document import Reading
    from .place import Place


def owed_by_statement(place: Place) -> Names:
    """The names that the cursor's statement reads in brackets that are open at the cursor, and that nothing binds but a text there."""
    parser = place.start.parser
    if parser is None or not place.names or place.inner.complete or place.lenient:
        return NONE
    scope = place.scope(place.start.block)
    scope = scope if parser.header is None else scope.inside(parser.header)
    owed = frozenset(name for name in parser.owed_names() if not scope.is_bound(name))
    if not owed or scope.scopes_are_open:
        return NONE
    elsewhere = (place.judge.verdict(place.start.block, behind).undefined for behind in place.behind_here() or (None,))
    return owed - frozenset[str]().union(*elsewhere)


def owed_to_code_below(place: Place) -> Names:
    """The names that code below the cursor's line reads, and that nothing above it reads and nothing binds: a text may bind them."""
    undefined = place.baseline().undefined - place.words_on_the_line()
    if not undefined or (place.start.parser is not None and place.start.parser.header_word):
        return NONE  # a header that is begun binds what its own lines read
    return undefined - place.judge.verdict(place.start.block, None).undefined


def read_too_early(place: Place, reading: Reading) -> Names:
    """The names that a text reads though only code below does, and nothing binds them."""
    below = place.owed[1]
    return below & place.judge.verdict(place.end_of_line(reading)[0].block, None).undefined if below else NONE
