"""All tokens allowed at a place, for a server asked about these alone."""

from ..runtime.base import Model
from .token_step import DecodingState, TokenChecker

_MOST = 20_000  # no more need naming: the best of them are known already


def allowed_tokens(model: Model, position: DecodingState, complete_here: bool) -> list[int]:
    """The ids of the allowed tokens: ends if the hole is complete, and texts; [] if there are too many to name.

    Each token is checked by itself. That is seldom needed, and a checker that remembers refusals asks about few.
    """
    vocabulary = model.vocabulary
    check = TokenChecker(position).read
    possible = vocabulary.starting_with(position.forced)
    ids = [i for i in possible if (spelling := vocabulary.bytes_of[i]) and check(spelling) is not None]
    ends = list(model.template.ends) if complete_here else []
    chosen = [int(i) for i in (*ends, *ids) if i < model.runtime.size]
    return chosen if len(chosen) <= _MOST else []
