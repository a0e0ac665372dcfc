"""The model's side of one request: the sequence so far, its logits on demand, the clock."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from ..errors import Cancelled, ModelError
from ..runtime.base import Drafting, Model
from ..runtime.short_row import ShortRow, ShortRows
from .row import Row

_PREFILL_CHUNK = 256  # tokens between two checks of `cancelled`


class Clock:
    """Time spent in one part of the work."""

    def __init__(self) -> None:
        self.ms = 0.0

    @contextmanager
    def running(self) -> Generator[None, None, None]:
        """Count the time of the block."""
        start = perf_counter()
        try:
            yield
        finally:
            self.ms += (perf_counter() - start) * 1e3


class ModelCursor:
    """Runs a model along one sequence; it makes a step only when its logits are needed."""

    def __init__(self, model: Model, cancelled: Callable[[], bool]) -> None:
        self.model = model
        self.cancelled = cancelled
        self.clock = Clock()
        self.prefill_ms = 0.0  # of the clock: reading the prompt
        self.sequence: list[int] = []
        self._short = model.runtime if isinstance(model.runtime, ShortRows) else None
        self._drafting = model.runtime if isinstance(model.runtime, Drafting) else None
        size = model.runtime.size
        self.ends = np.array([i for i in model.template.ends if i < size], dtype=np.int64)
        self.end_set = frozenset(self.ends.tolist())
        self._mute = model.vocabulary.silent(size, self.end_set)
        self._row: Row | None = None
        self._forced: tuple[Row, bytes, Row] | None = None  # a row, and that of its tokens with some forced bytes
        self._elsewhere = False  # whether the runtime's sequence is another than this one without its last id

    def prefill(self, ids: Sequence[int]) -> bool:
        """Start with a prompt; False if the request was cancelled meanwhile."""
        self.sequence = list(ids)
        cached = self.model.runtime.cached(ids)
        row: np.ndarray | ShortRow | None = None
        for end in (*range(cached + _PREFILL_CHUNK, len(ids), _PREFILL_CHUNK), len(ids)):
            if self.cancelled():
                return False
            try:
                with self.clock.running():
                    row = self._prefilled(ids[:end])
            except Cancelled:
                return False
        self._elsewhere = False
        assert row is not None, "a prompt is computed in one piece at least"
        self._row = self._checked(row)
        self.prefill_ms = self.clock.ms
        return True

    def append(self, token: int, certain: Callable[[], str] = str) -> None:
        """Continue with a token, chosen by the logits of the sequence so far; certain: returns the text forced after it."""
        self.sequence.append(token)
        self._row = None
        if self._drafting is not None:
            self._drafting.expect(certain)

    def rewind(self, ids: Sequence[int]) -> None:
        """Continue from other ids; the part shared with the sequence stays in the cache."""
        self.sequence = list(ids)
        self._elsewhere, self._row = True, None

    def logits(self) -> np.ndarray:
        """The logits after the sequence, with everything except text and ends at minus infinity: (size,)."""
        return self.row().all()

    def row(self) -> Row:
        """The same, as far as needed."""
        if self._row is None:
            with self.clock.running():
                row = self._prefilled(self.sequence) if self._elsewhere else self._stepped(self.sequence[-1])
            self._elsewhere = False
            self._row = self._checked(row)
        return self._row

    def forced_row(self, forced: bytes) -> Row:
        """The same of the tokens that start with forced bytes; of all without any."""
        row = self.row()
        if not forced:
            return row
        if self._forced is None or self._forced[0] is not row or self._forced[1] != forced:
            self._forced = row, forced, Row(forced_logits(row.all(), forced, self))
        return self._forced[2]

    def _prefilled(self, ids: Sequence[int]) -> np.ndarray | ShortRow:
        return self.model.runtime.prefill(ids) if self._short is None else self._short.prefill_short(ids)

    def _stepped(self, token: int) -> np.ndarray | ShortRow:
        return self.model.runtime.step(token) if self._short is None else self._short.step_short(token)

    def ask_among(self, allowed: Sequence[int] | None) -> None:
        """Let a served model name more of the tokens here: the best of `allowed`; None: many more."""
        assert self.model.served is not None
        with self.clock.running():
            self._row = self._checked(self.model.served.among(allowed))

    @property
    def full(self) -> bool:
        """Whether the model can take no further token."""
        return len(self.sequence) >= self.model.runtime.limit

    def _checked(self, row: np.ndarray | ShortRow) -> Row:
        logits = row if isinstance(row, np.ndarray) else row.logits
        if not np.isfinite(logits.max()):  # NaN wins in max
            raise ModelError(
                "the model computes NaN instead of probabilities: its weights or its number type are unfit"
            )
        if not isinstance(row, np.ndarray):
            return Row.short(row, self.model.runtime.size, self._mute)
        row[self._mute] = -np.inf
        return Row(row)


def forced_logits(logits: np.ndarray, forced: bytes, driver: ModelCursor) -> np.ndarray:
    """The logits of the tokens that start with the forced bytes, all others at minus infinity."""
    # The token taken back is one of them, so there is always one, and one step is enough.
    kept = driver.model.vocabulary.ids_starting_with(forced)
    kept = kept[kept < len(logits)]
    only = np.full_like(logits, -np.inf)
    only[kept] = logits[kept]
    return only
