"""The states after the tokens at one place of a text, under a constraint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...common.line_ends import line_start
from .allowed_mass import allowed_share
from .among import ALL, Share
from .row import Row
from .token_step import DecodingState, TokenChecker

if TYPE_CHECKING:
    from .hypothesis import Hypothesis, Request

_SURE = math.log(0.95)  # nats: next to so probable a token, others are not checked
_DOUBT = 4.0  # nats, deducted from a token that writes a word existing nowhere (`Constraint.doubtful`)
ESCAPE = 8.0  # nats, deducted from a blank line or a comment instead of a refused token: it is always allowed, and leads nowhere
_FAR = 100.0  # characters: a larger number counts as this one


@dataclass(frozen=True, slots=True)
class Step:
    """A token and the state after it."""

    token: int
    following: DecodingState | None  # None: an end
    log_prob: float = 0.0
    share: Share = ALL  # of the allowed tokens
    leaves: bool = False  # its rest would leave the hole or the block: only this much is kept, and the text ends there


class Reader:
    """The states after the tokens at one place; a token that leaves the hole or the block ends the text, if it is complete there."""

    def __init__(self, request: Request, walk: Hypothesis, complete_here: bool, staying: bool | None = None) -> None:
        self._clock = request.clock
        self._driver = request.driver
        model = request.driver.model
        self._spellings = model.vocabulary.bytes_of
        self._narrowing = model.served is None
        self._tree = model.vocabulary.tree
        self._ends = request.driver.end_set
        self._complete_here = complete_here
        self._position = walk.position
        self._staying = request.options.stay_in_hole and stays_inside(walk.position) if staying is None else staying
        self._text = walk.text
        self._around = request.around
        self._max_lines = request.options.max_lines
        self._block_column = request.options.block_column
        self._looks = TokenChecker(walk.position)
        self._found: dict[int, tuple[DecodingState | None, bool]] = {}

    def valid(self, token: int) -> bool:
        """Whether a token is allowed here."""
        if token in self._ends:
            return self._complete_here
        with self._clock.running():
            following = self._looks.read(self._spellings[token] or b"")
            if following is None:
                return False
            last_line, full = within_lines(self._position, following, self._text, self._max_lines)
            if full and not (last_line.state.complete and self._says_something(last_line.piece)):
                return False  # one line too many, before which it cannot end
            leaves = self._staying and not stays_inside(following)
            dedent = self._dedent(following.piece)
            kept = self._kept(following.piece, dedent) if leaves or dedent is not None else None
        if kept is None:
            self._found[token] = following, False
            return not leaves
        # If nothing of it is kept, it is only a wish to end here.
        self._found[token] = kept if kept.piece else None, True
        return kept.piece != "" or not self._staying or self._says_something("")

    def _says_something(self, piece: str) -> bool:
        """Whether the text is worth ending with a piece of a token: on a blank line, only with more than blanks."""
        return not self._around.is_blank or (self._text + piece).strip() != ""

    def narrow(self, logits: np.ndarray) -> None:
        """Rule out the tokens whose first character is not allowed here."""
        if self._narrowing:
            with self._clock.running():
                self._looks.narrow(logits, self._tree)

    def step(self, token: int, row: Row) -> Step:
        """The step of a valid token."""
        following, leaves = self._found.get(token, (None, False))
        log_prob = row.log_prob(token)
        if following is None:
            return Step(token, None, log_prob, leaves=leaves)
        return Step(token, following, log_prob, self._share(log_prob, row), leaves)

    def _share(self, log_prob: float, row: Row) -> Share:
        """The share of all allowed tokens; of everything if it decides nothing."""
        if log_prob > _SURE or row.total == -np.inf:
            return ALL
        clock, tree, position = self._clock, self._tree, self._position
        ends, complete_here = self._driver.ends, self._complete_here

        def ask() -> float:
            with clock.running():
                share = allowed_share(tree, row.all(), row.total, position, ends, complete_here)
            return max(log_prob, math.log(max(share, 1e-12)))

        return Share(ask)

    def doubt(self, token: int, cornered: bool) -> float:
        """The nats by which a valid token is less likely to be right than the model says; cornered: it replaces a refused one."""
        following, _ = self._found.get(token, (None, False))
        if following is None:
            return 0.0
        if cornered and self._around.says_nothing(self._text, following.piece):
            return ESCAPE
        if self._around.jumps_before_more(self._text + following.piece):
            return _DOUBT
        with self._clock.running():
            return _DOUBT if following.state.doubtful else 0.0

    def missing(self, token: int) -> float:
        """The characters still missing in the hole after a valid token; 0 for an end."""
        following, _ = self._found.get(token, (None, False))
        if following is None:
            return 0.0
        with self._clock.running():
            return missing(following)

    def _kept(self, piece: str, dedent: int | None) -> DecodingState | None:
        """The part of a token's text before the end of hole and block, if it is complete there."""
        state = self._position.state
        for end in range(len(piece)):
            after = state.advance(piece[end])
            if after is None or end == dedent or (self._staying and not after.stays_in_hole):
                piece = piece[:end]
                break
            state = after
        if not state.complete or (not piece and not self._position.closed):
            return None
        return DecodingState(state, b"", b"", piece)

    def _dedent(self, piece: str) -> int | None:
        """The offset in a token's text of the first line left of the block."""
        if self._block_column is None or not piece.strip():
            return None
        start, text = len(self._text), self._text + piece
        end = line_start(text, start) - 1
        while True:
            following = min(
                (newline for newline in (text.find("\n", end + 1), text.find("\r", end + 1)) if newline >= 0),
                default=len(text),
            )
            line = text[end + 1 : following]
            blank = len(line) - len(line.lstrip(" \t"))
            if end >= 0 and blank < len(line) and end + 1 + blank >= start:
                if len(line[:blank].expandtabs()) < self._block_column:
                    return end + 1 + blank - start
            if following == len(text):
                return None
            end = following


def stays_inside(position: DecodingState) -> bool:
    return position.state.stays_in_hole


def missing(position: DecodingState) -> float:
    return min(_FAR, position.state.missing)


def within_lines(
    position: DecodingState, following: DecodingState, text: str, max_lines: int | None
) -> tuple[DecodingState, bool]:
    """The position cut back to before the superfluous newline, and whether it was cut."""
    piece = following.piece
    if max_lines is None or ("\n" not in piece and "\r" not in piece):
        return following, False
    for end, letter in enumerate(piece):
        if letter in "\r\n" and newlines(text + piece[: end + 1]) > max_lines:
            state = position.state.advance(piece[:end]) if end else position.state
            assert state is not None, "what starts a viable text is viable"
            return DecodingState(state, b"", b"", piece[:end]), True
    return following, False


def newlines(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")
