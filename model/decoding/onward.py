"""The probability that the model continues with the text behind the hole: many models end a text only by writing its continuation.

From a place with a complete hole, the text behind it is followed through the model's own rows, token by token, as long as the walk writes it:
log P(its beginning, up to where the walk differs | the text up to the place). No further pass is needed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .row import Row

_MOST = 60  # characters of it
LEAST = -14.0  # nats, for tokens missing in a row


@dataclass(frozen=True, slots=True)
class Onward:
    """The text behind a passed place, as far as not followed yet."""

    point: int  # the number of the place among those passed, or among those with a line's end
    rest: tuple[int, ...]  # tokens, at least one
    blank: int  # the number of these that are only blanks
    log_prob: float = 0.0  # of the followed part
    ends_line: bool = False  # whether the place has a line end still missing in the text

    @property
    def says_something(self) -> bool:
        """Whether the followed part is more than the blanks at every line's beginning."""
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
    """After a token of the walk; None if it differs, or everything is followed."""
    rest = onward.rest[1:]
    return replace(onward, rest=rest) if rest and token == onward.rest[0] else None
