"""How probable it is that the model goes on with the text behind the hole: many models end a text only by writing its continuation.

At a place at which the hole is complete, the text behind it is followed through the model's own rows, token by token, for as long as
the walk writes it: log P(its beginning, up to where the walk differs | the text up to the place). No further pass is needed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .row import Row

_MOST = 60  # characters of it
LEAST = -14.0  # nats, for tokens that a row does not tell


@dataclass(frozen=True, slots=True)
class Onward:
    """The text behind a place that was passed, as far as it is not followed yet."""

    point: int  # the place, by its number among those that were passed, or among those with a line's end
    rest: tuple[int, ...]  # tokens, one at least
    blank: int  # of these, that say nothing
    log_prob: float = 0.0  # of the followed part
    ends_line: bool = False  # the place has a line's end that is not yet in the text

    @property
    def says_something(self) -> bool:
        """Whether the followed part is more than the blanks that all lines begin with."""
        return self.blank < 0


def behind(right: str) -> str:
    """The beginning of a right context, up to the end of the first line that says something."""
    said = len(right) - len(right.lstrip())
    ends = [end for end in (right.find("\n", said), right.find("\r", said)) if end >= 0]
    return right[: min([*ends, said + _MOST])] if said < len(right) else ""


def told(onward: Onward, row: Row) -> Onward:
    """The same with the next token's probability in a row."""
    log_prob = max(LEAST, row.log_prob(onward.rest[0]))
    return replace(onward, blank=onward.blank - 1, log_prob=onward.log_prob + log_prob)


def followed(onward: Onward, token: int) -> Onward | None:
    """After a token of the walk; None where it differs, or all has been followed."""
    rest = onward.rest[1:]
    return replace(onward, rest=rest) if rest and token == onward.rest[0] else None
