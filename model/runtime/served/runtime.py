"""A model behind a server as a `Runtime`: its drafts are read token by token while the engine agrees with them (speculative decoding).

A request to the server drafts greedily, or nearly so; its rows of log probabilities are cached by the sequence before them. A step along the
draft is a look-up; a token that the engine refuses, or samples otherwise, closes the stream and begins another draft after it, which takes as
long as a few tokens, since the prompt is in the server's cache. A row holds only the best tokens, with all others at minus infinity; if the
engine accepts none of them, the server is asked for more (`among`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

import numpy as np

from ....common.bounded import BoundedDict
from ....common.constraint import never
from ...errors import Cancelled, ModelError, ServerHangs, ServerUnavailable
from ..cached_sequence import KeptSequence, shared_length
from .dialect import Dialect, Draft
from .plugin_request import GREETING, PluginRequest
from .reading import ReadingSpeed
from .transport import Cancel

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_KEPT_ROWS = 1024  # of three texts requested after a pause, in which they were written; some 5 MB
_KEPT_PROMPTS = 3  # assumed for a server if unknown
_MOST_PROMPTS = 16  # to compare with a new one
_AHEAD = 16  # tokens between two checks for other requests
_RETRIES = 1  # of a broken stream, before the request fails


@dataclass(slots=True)
class Counts:
    """Counts of the requests since the last reset."""

    drafts: int = 0  # requests for a draft
    among: int = 0  # requests for one token among some
    scored: int = 0  # requests for the probability of a text
    rows: int = 0  # rows received
    answers: int = 0  # from the server, to any request


class ServedRuntime(KeptSequence):
    """The `Runtime` protocol over the drafts of a server."""

    def __init__(
        self,
        dialect: Dialect,
        *,
        size: int,
        limit: int,
        device: str = "server",
        reading: ReadingSpeed | None = None,
        kept: int = _KEPT_PROMPTS,
    ) -> None:
        """`reading`: if the server's reading speed decides the context. `kept`: the number of prompts it remembers."""
        self.dialect = dialect
        self.counts = Counts()
        self.reading = reading
        super().__init__(device=device, limit=limit, size=size)
        self._rows: BoundedDict[tuple[int, ...], Mapping[int, float]] = BoundedDict(_KEPT_ROWS)
        self._draft: Draft | None = None
        self._drafted: tuple[int, ...] = ()  # the sequence before the draft's next row
        self._cancelled: Cancel = never
        self._wanted = 64
        self._around: PluginRequest | None = None
        self._prompt = 0  # tokens before those in the hole
        self._unheld: set[tuple[str, str | None]] = set()  # languages unknown to the server's plugin
        self._kept_prompts = min(kept, _MOST_PROMPTS)
        self._prompts: list[list[int]] = []  # read by the server, the last one last

    def begin(self, cancelled: Cancel, tokens: int, around: PluginRequest | None = None, prompt: int = 0) -> None:
        """Begin a request for up to so many tokens; waits for the server call `cancelled`.

        `around`: the file, for a server that can constrain its drafts to it; `prompt`: the number of tokens in the request's prompt.
        """
        self.end()
        self._cancelled, self._wanted = cancelled, tokens
        held = around is not None and (around.language, around.version) not in self._unheld
        self._around, self._prompt = around if held else None, prompt

    def end(self) -> None:
        """End the request: the server need not continue."""
        self._stop()
        self._cancelled = never

    def close(self) -> None:
        """Leave the server; a child of ours ends."""
        self.end()
        self.dialect.close()

    def cached(self, ids: Sequence[int]) -> int:
        """All of them: a prompt is sent whole, and the server alone knows how much of it is in its cache."""
        return len(ids)

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        """Make `ids` the sequence; the logits after its last token: (size,)."""
        self._sequence = list(ids)
        return self._here()

    def step(self, token: int) -> np.ndarray:
        """Append one token; the logits after it: (size,)."""
        self._sequence.append(token)
        return self._here()

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        """Append tokens; the logits after each of them: (n, size)."""
        return np.stack([self.step(token) for token in ids])

    def crop(self, length: int) -> None:
        """Forget all but the first `length` tokens."""
        del self._sequence[length:]

    def unread(self, ids: Sequence[int]) -> int:
        """The number of `ids` the server has to read anew, as far as known."""
        return len(ids) - max((shared_length(prompt, ids) for prompt in self._prompts), default=0)

    def read_ahead(self, ids: Sequence[int], cancelled: Cancel) -> None:
        """Let the server read a prompt in short pieces. Raises Cancelled and ModelError."""
        self._stop()
        read = len(ids) - self.unread(ids)
        for end in (*range(read + _AHEAD, len(ids), _AHEAD), len(ids)):
            if cancelled():
                raise Cancelled
            if end > read:
                # Not cancelled within: a half-read piece would be lost.
                ms = self._answered(self.dialect.read, ids[:end], never)
                self._learn(ms)
                self._note(ids[:end])

    def among(self, allowed: Sequence[int] | None) -> np.ndarray:
        """The row here with more tokens: the best of `allowed`; None: many more than a draft reports; (size,)."""
        here = tuple(self._sequence)
        self._stop()  # a server with one slot would first finish the draft
        self.counts.among += 1
        row = dict(self._rows.get(here, {}))
        row.update(self._answered(self.dialect.among, here, allowed, self._cancelled))
        self._keep(here, row)
        return self._dense(row)

    def best_of(self, sequence: Sequence[int], texts: Sequence[Sequence[int]]) -> int:
        """The index of the most probable text, in ids, after `sequence`, as far as the server can tell."""
        self._stop()
        scores: list[float] = []
        for ids in texts:
            self.counts.scored += 1
            score = self._answered(self.dialect.score, sequence, ids, self._cancelled)
            if score is None:  # then by the first token, if its row is known
                row = self._rows.get(tuple(sequence), {})
                score = row.get(ids[0], -np.inf) if ids else 0.0
            scores.append(score)
        return int(np.argmax(scores))

    def _here(self) -> np.ndarray:
        here = tuple(self._sequence)
        row = self._rows.get(here)
        if row is None:
            row = self._next_row(here)
        return self._dense(row)

    def _next_row(self, here: tuple[int, ...]) -> Mapping[int, float]:
        """The row after `here`, of the draft in progress or of a new one."""
        try:
            return self._answered(self._asked_row, here)
        except ModelError as error:
            if self._around is None or GREETING not in str(error):
                raise
            # The plugin refuses the file, perhaps because it is older than we are. The server's drafts without it will do.
            self._unheld.add((self._around.language, self._around.version))
            self._around = None
            self._stop()
            return self._answered(self._asked_row, here)

    def _asked_row(self, here: tuple[int, ...]) -> Mapping[int, float]:
        while self._draft is not None and self._drafted == here[: len(self._drafted)]:
            row = self._read()
            if row is not None and here in self._rows:
                return row
        self._start(here)
        row = self._read()
        if row is None:
            raise ServerUnavailable("the server ended a draft before its first token")
        self._note(here)
        return row

    def _answered(self, ask: Callable[Given, Answer], *given: Given.args, **named: Given.kwargs) -> Answer:
        """The server's answer; a failed request is repeated once the dialect has made the server answer."""
        for attempt in range(_RETRIES + 1):
            try:
                answer = ask(*given, **named)
                self.counts.answers += answer is not None  # an incapable dialect asks nobody
                return answer
            except ServerUnavailable as problem:
                self._stop()
                self._prompts.clear()
                if attempt == _RETRIES or self._cancelled():
                    raise
                self.dialect.recover(problem)
                if isinstance(problem, ServerHangs):
                    raise  # our own child takes long to restart: let another model answer
        raise AssertionError("the last attempt returns or raises")

    def _start(self, here: tuple[int, ...]) -> None:
        self._stop()
        self.counts.drafts += 1
        tokens = max(1, min(self._wanted, self._limit - len(here)))
        around = self._around
        if around is not None:
            around = replace(around, written=here[self._prompt :]) if len(here) >= self._prompt else None
        self._draft, self._drafted = self.dialect.draft(here, tokens, around), here

    def _read(self) -> Mapping[int, float] | None:
        """The draft's next row, which is cached; None after the last."""
        assert self._draft is not None
        drafted = self._draft.next(self._cancelled)
        if drafted is None:
            self._draft = None
            return None
        self.counts.rows += 1
        self._keep(self._drafted, drafted.log_probs)
        self._drafted = (*self._drafted, drafted.token)
        return drafted.log_probs

    def _note(self, prompt: Sequence[int]) -> None:
        """Note a prompt read by the server: it replaces the last one if that mostly is its beginning, else it is kept beside it."""
        ids = list(prompt)
        last = self._prompts[-1] if self._prompts else []
        if self._prompts and 2 * shared_length(last, ids) >= len(last):
            self._prompts.pop()
        self._prompts = [*(earlier for earlier in self._prompts if earlier != ids), ids][-self._kept_prompts :]

    def _stop(self) -> None:
        if self._draft is not None:
            self._draft.close()
            self._draft = None
        self._learn()

    def _learn(self, ms: float = 0.0) -> None:
        """Take the server's report of its speed, or the milliseconds per token of a prompt read."""
        if self.reading is not None:
            timings = getattr(self.dialect, "timings", None)
            self.reading.take(timings) if timings else self.reading.note(ms)

    def _keep(self, sequence: tuple[int, ...], row: Mapping[int, float]) -> None:
        self._rows[sequence] = row
        self._rows.move_to_end(sequence)

    def _dense(self, row: Mapping[int, float]) -> np.ndarray:
        logits = np.full(self._size, -np.inf, np.float32)
        for token, log_prob in row.items():
            if 0 <= token < self._size:
                logits[token] = log_prob
        return logits
