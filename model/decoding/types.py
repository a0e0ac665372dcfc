"""The input and the result of a completion: plain values."""

import math
from dataclasses import dataclass
from typing import Literal

Mode = Literal["constrained", "checked", "unconstrained"]
MODES: tuple[Mode, ...] = ("constrained", "checked", "unconstrained")

Ended = Literal["model", "earlier", "bridge", "length", "lines", "uncertain", "nothing"]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of another file of the repository, for the prompt's context."""

    path: str
    text: str
    comment: str = "#"  # begins a line comment in the completed file; "": it has none


@dataclass(frozen=True, slots=True)
class Options:
    """How to complete; the defaults are greedy and constrained."""

    mode: Mode = "constrained"
    max_tokens: int = 64  # the most in the text; a bridge does not count
    max_lines: int | None = None  # the most newlines in the text; None: no limit
    stay_in_hole: bool = True  # end where the text would close enclosures closed by the right context
    fullest: bool = (
        False  # when tokens, lines or time run out, end with the last whole line, not with the most probable one
    )
    text_ms: float | None = None  # after reading the prompt, until a whole text is enough; None: no limit
    body: bool = False  # the text begins a body, or continues one
    block_column: int | None = None  # end before a line starting left of this column, if complete; None: do not
    looks: int = 1  # different complete texts to choose the best score from (`scores`)
    looks_ms: int = 200  # from the start of the request; after it no text but the first is tried
    end_soon: bool = True  # if the model wants to end and must not, connect within a few tokens; False: it writes on
    bridge_ms: int = 500  # for the search for a bridge, if the text does not connect by itself
    least_log_prob: float = -math.inf  # nats, as in `Passed`: less probable text is not awaited (constrained mode)
    enough: float = math.inf  # nats from which on a text's trail may be a lower bound; for the first of several always

    temperature: float = 0.0  # 0 is greedy, and the five settings below, except for the penalty, are then unused
    top_k: int = 0  # 0: all tokens
    top_p: float = 1.0
    min_p: float = 0.0  # relative to the most probable valid token
    seed: int | None = None
    repetition_penalty: float = 1.0  # on the tokens generated so far, not on the prompt: code repeats its context

    heal: bool = True  # cut the prompt back to a token boundary, and force the cut text
    context_tokens: int | None = None  # tokens of left and right context together; None: the model's own default
    written: int = 0  # characters at the end of the left context that the model wrote itself, and continues
    path: str | None = None  # of the file, for templates with a path
    language: str | None = (
        None  # of the file: for its statistics (`ngram_lm`) and a server's plugin (`served/plugin_request.py`)
    )
    language_version: str | None = None  # None: the language's default
    copying: bool = True  # if the model can: mix in the document's votes (`cache_lm`)
    ranking: bool = (
        True  # if the model can: mix in which names are likely, from their use around the cursor (`name_lm`)
    )
    snippets: tuple[Snippet, ...] = ()  # of other files, the most useful first, for templates with room for them

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"mode is {self.mode!r}: use one of {', '.join(MODES)}")
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens is {self.max_tokens}: use 1 or more")
        if self.max_lines is not None and self.max_lines < 0:
            raise ValueError(f"max_lines is {self.max_lines}: use 0 or more")
        if self.text_ms is not None and not self.text_ms >= 0:
            raise ValueError(f"text_ms is {self.text_ms}: use 0 or more, or None")
        if self.looks < 1:
            raise ValueError(f"looks is {self.looks}: use 1 or more")
        if self.bridge_ms < 0:
            raise ValueError(f"bridge_ms is {self.bridge_ms}: use 0 or more")
        if not self.temperature >= 0:
            raise ValueError(f"temperature is {self.temperature}: use 0 (greedy) or more")
        if self.top_k < 0:
            raise ValueError(f"top_k is {self.top_k}: use 0 (off) or more")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}: use more than 0 and at most 1")
        if not 0 <= self.min_p <= 1:
            raise ValueError(f"min_p is {self.min_p}: use 0 to 1")
        if not self.repetition_penalty > 0:
            raise ValueError(f"repetition_penalty is {self.repetition_penalty}: use more than 0 (1 is off)")


@dataclass(frozen=True, slots=True)
class Passed:
    """A place passed by a generation: how sure the model was of the text up to there."""

    length: int  # characters of the text
    log_prob: float  # of the text up to there, in nats: that of each token among those possible in its place
    complete: bool  # left + text up to there + right is a valid file


@dataclass(frozen=True, slots=True)
class Completion:
    """A text for the hole, and its origin.

    `ended`: "model" the model ended it with the hole complete (unconstrained: anywhere); "earlier" cut back to the best earlier point with a
    complete hole; "bridge" connected to the right context by the shortest text;
    "length" the budget of tokens was spent, or the model's context (and the hole is complete there, or nothing better was found);
    "lines" the next line would exceed `Options.max_lines`;
    "nothing" no fitting text was found, or the caller stopped it before;
    "uncertain" the rest, perhaps all (an empty text), is less probable than `Options.least_log_prob`.
    """

    text: str
    tokens: int  # model tokens in the text
    ended: Ended
    complete: bool  # left + text + right is a valid file
    model_ms: float
    constraint_ms: float
    total_ms: float
    cancelled: bool = False  # stopped by the caller, with the text so far
    prefill_ms: float = 0.0  # of model_ms: reading the prompt
    prompt_tokens: int = 0
    score: float | None = None  # see `scores`; None if `complete` would need another pass of the model
    trail: tuple[Passed, ...] = ()  # the places between the text's tokens, in order; constrained mode only
    # The text written first, whether it fits or not, and its places: a beginning of it can be worth more than the text.
    written: str = ""
    written_trail: tuple[Passed, ...] = ()

    @property
    def cut(self) -> bool:
        """Whether something other than the model ended the text, so that there may be more of it."""
        return self.ended in ("earlier", "length", "lines")
