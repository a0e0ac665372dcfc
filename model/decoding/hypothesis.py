"""A generation in progress, and its request, as values."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .among import NO_TOKENS, Among
from .driver import Clock, ModelCursor
from .onward import Onward
from .surroundings import Surroundings
from .termination import StopPoint
from .token_step import DecodingState
from .types import Ended, Options

OnText = Callable[[str], None]
OnBack = Callable[[int], None]


def unheard(what: object) -> None:
    """Nobody reads along."""


@dataclass(frozen=True, slots=True)
class Request:
    """The parts shared by all walks of one completion."""

    driver: ModelCursor
    prompt: tuple[int, ...]
    options: Options
    random: np.random.Generator
    clock: Clock
    cancelled: Callable[[], bool]
    on_text: OnText
    most: int  # the most tokens
    remainder: str = ""  # of the right context, to be spelled after the text
    closing: np.ndarray | None = (
        None  # the tokens that end the text, begin with the remainder or write the text behind the hole
    )
    follows: bool = False  # whether a symbol follows after blanks, so that writing it behind something is a wish to end
    around: Surroundings = Surroundings()
    on_back: OnBack = unheard  # gets the number of characters kept when the text goes back to an earlier place
    least_score: float = -np.inf  # a text that cannot reach it is unwanted
    deadline: float = math.inf  # of `perf_counter`, after which a whole text is enough
    bridges: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # see `choose_bridge`


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A generation in progress, as a value: its place, and the places passed."""

    position: DecodingState
    most: int  # the most tokens
    text: str = ""
    tokens: int = 0  # of the text
    ids: tuple[int, ...] = ()  # after the prompt
    log_prob: float = 0.0  # of the ids
    among: Among = NO_TOKENS  # of the ids, each among the tokens allowed in its place
    points: tuple[StopPoint, ...] = ()
    lines: tuple[StopPoint, ...] = ()  # places that lacked only the line end, with it added
    onward: tuple[Onward, ...] = ()  # of points from which the text continues as the right context does
    first_eos_wish: int | None = (
        None  # how many points had been passed when the model first wanted to end and could not
    )
    cut: Ended | None = None  # why nothing may follow; None: something may
