"""All tokens that may come at a place, for a server that is asked among them."""

from ..runtime.base import Model
from .token_step import DecodingState, TokenChecker

_MOST = 20_000  # more than these need not be told: the best of them have been seen


def allowed_tokens(model: Model, position: DecodingState, complete_here: bool) -> list[int]:
    """The ids of the tokens that may come: ends where the hole is complete, and texts; [] of too many to be named.

    Each token is checked by itself. That is seldom asked for, and a checker that remembers refusals asks about few.
    """
    vocabulary = model.vocabulary
    check = TokenChecker(position).read
    possible = vocabulary.starting_with(position.forced)
    ids = [i for i in possible if (spelling := vocabulary.bytes_of[i]) and check(spelling) is not None]
    ends = list(model.template.ends) if complete_here else []
    chosen = [int(i) for i in (*ends, *ids) if i < model.runtime.size]
    return chosen if len(chosen) <= _MOST else []
