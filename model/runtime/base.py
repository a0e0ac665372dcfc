"""What decoding needs of a running model, whatever runs it: prefill, step, rows, crop.

A runtime keeps the key-value cache of the last sequence between requests: a new prompt that shares a prefix with it is
charged only for the rest. It is used by one thread at a time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..calibration import Certainty
from ..prompting.fim_template import Template
from ..prompting.vocabulary import Vocabulary
from ..reranking.ranker import Ranker
from .served.plugin_request import PluginRequest
from .served.reading import ReadingSpeed


class Runtime(Protocol):
    """A causal language model with a cache that holds one sequence of token ids."""

    @property
    def device(self) -> str:
        """Where it runs: "cpu", "cuda", "mps"."""
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
        """How many leading ids of `ids` are in the cache."""
        ...

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        """Make `ids` (one or more) the sequence, reusing what is cached; the logits after its last token: (size,)."""
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


class Reader(Protocol):
    """Who looks at the whole text around a hole, and not only at what fits into the prompt."""

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
        """Take note of a request: the text on both sides, other texts beside it, the prompt made of them, the end of `left` that
        the prompt leaves out, with which the generated text begins, and the document's language. ranking: do names count?"""
        ...

    def is_usual(self, left: str, text: str) -> bool | None:
        """Is each token of a text that goes on a left context the most probable one by n-grams of the language read last? None: there are none."""
        ...


class Served(Protocol):
    """What decoding asks of a model behind a server besides `Runtime`: its rows hold the best tokens alone, and it may fail."""

    def begin(
        self, cancelled: Callable[[], bool], tokens: int, around: PluginRequest | None = None, prompt: int = 0
    ) -> None:
        """A request begins that will want so many tokens; whoever waits for the server asks `cancelled`.

        `around`: the file, for a server that can hold its drafts to it; `prompt`: tokens of the request's prompt.
        """
        ...

    def end(self) -> None:
        """The request is over: the server need not go on."""
        ...

    def close(self) -> None:
        """Let go of the server; a child of ours ends."""
        ...

    def among(self, allowed: Sequence[int] | None) -> np.ndarray:
        """The logits here with more tokens: the best of `allowed`; None: many more than before; (size,)."""
        ...

    def best_of(self, sequence: Sequence[int], texts: Sequence[Sequence[int]]) -> int:
        """Which of some texts, in ids, is the most probable one after `sequence`, as far as the server can tell."""
        ...

    @property
    def reading(self) -> ReadingSpeed | None:
        """How quickly it reads, where its context is chosen by that."""
        ...

    def unread(self, ids: Sequence[int]) -> int:
        """How many of `ids` the server has to read anew, as far as is known."""
        ...

    def read_ahead(self, ids: Sequence[int], cancelled: Callable[[], bool]) -> None:
        """Let the server read a prompt before somebody wants its end, in short pieces. Raises Cancelled and ModelError."""
        ...


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model: its runtime, its vocabulary, and how it is asked. Used by one thread at a time."""

    name: str
    runtime: Runtime
    vocabulary: Vocabulary
    template: Template
    context_tokens: int  # of left and right context together, when the caller does not say
    description: str = ""  # architecture, size, device and number type, for a person
    notice: str = ""  # what the user should know of how it was loaded: that it does not fit on the GPU
    reader: Reader | None = None  # told what each request is about, where a runtime wants more than the prompt
    certainty: Certainty = Certainty()  # how far what it thinks of a text is to be believed
    ranker: Ranker | None = None  # chooses among texts of one line of Python
    served: Served | None = None  # the runtime itself, where it is a server's
    line_last: bool = (
        False  # of a prefix-first prompt: the cursor's line comes last, and what is before it stays cached
    )
