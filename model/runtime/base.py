"""The protocol of a running model: prefill, step, rows, crop.

A runtime keeps the KV cache of the last sequence between requests: a new prompt costs only the part beyond the shared prefix. It is used by
one thread at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from ..calibration import Certainty
from ..prompting.anchors import Anchors
from ..prompting.fim_template import Template
from ..prompting.vocabulary import Vocabulary

if TYPE_CHECKING:
    from .served.runtime import ServedRuntime


class Runtime(Protocol):
    """A causal language model with a cache of one sequence of token ids."""

    @property
    def device(self) -> str:
        """The device: "cpu", "cuda", "mps"."""
        ...

    @property
    def limit(self) -> int:
        """The longest sequence, in tokens."""
        ...

    @property
    def size(self) -> int:
        """The number of logits, at least that of the vocabulary's tokens in use."""
        ...

    def cached(self, ids: Sequence[int]) -> int:
        """The number of leading ids of `ids` in the cache."""
        ...

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        """Make `ids` (one or more) the sequence, reusing the cache; the logits after its last token: (size,)."""
        ...

    def step(self, token: int) -> np.ndarray:
        """Append one token; the logits after it: (size,) float32, the caller's own."""
        ...

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        """Append tokens; the logits after each of them: (n, size)."""
        ...

    def crop(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        ...

    @property
    def length(self) -> int:
        """The number of tokens in the sequence."""
        ...


@runtime_checkable
class Drafting(Protocol):
    """A runtime that computes ahead the tokens likely to follow a step."""

    def expect(self, certain: Callable[[], str]) -> None:
        """Note a function that returns the text forced after the next step."""
        ...


class RequestReader(Protocol):
    """A part of a model that needs more of a request than its prompt."""

    def read(
        self,
        left: str,
        right: str,
        others: Sequence[str],
        prompt: Sequence[int],
        forced: bytes,
        language: str = "",
        *,
        ranking: bool = True,
    ) -> None:
        """Take up a request: both contexts, other texts, the prompt made of them, the spelled end of the left context, the language."""
        ...

    def is_usual(self, left: str, text: str) -> bool | None:
        """Whether a text is usual after a left context, by the n-grams; None without n-grams."""
        ...


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model: its runtime, its vocabulary, and its prompt. Used by one thread at a time."""

    name: str
    runtime: Runtime
    vocabulary: Vocabulary
    template: Template
    context_tokens: int  # of left and right context together, by default
    description: str = ""  # architecture, size, device and number type, for a person
    notice: str = ""  # a warning for the user from loading: it does not fit on the GPU
    reader: RequestReader | None = None  # told of each request, if a runtime needs more than the prompt
    certainty: Certainty = Certainty()  # corrects its probabilities of texts
    served: ServedRuntime | None = None  # the runtime itself if it is a server's: its rows hold only the best tokens
    answers: bool = False  # whether its weights are instruction-tuned
    line_last: bool = (
        False  # of a prefix-first prompt: the cursor's line comes last, and the text before it stays cached
    )
    anchors: Anchors = field(default_factory=Anchors, compare=False, repr=False)

    def unread(self, ids: Sequence[int]) -> int:
        """The number of a prompt's tokens to read anew, as far as known."""
        return len(ids) - self.runtime.cached(ids) if self.served is None else self.served.unread(ids)
