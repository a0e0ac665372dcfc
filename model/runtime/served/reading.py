"""The length of a prompt's context, by the model's reading speed: the whole, and the first while somebody waits.

The speed is measured when a model is loaded, as an editor starts on an often busy machine, and again with each prompt read. The best of these
moments decides the whole context: it only grows, since another window has to be read from its beginning.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from statistics import median

_PATIENCE_MS = 1600  # for reading a prompt while somebody waits, after a jump to another place
_PAUSE_MS = 15_000  # for reading more of it in a pause
_SIZES = (96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)  # tokens; few, so that windows stay the same
_LEAST_WHOLE = 384  # fewer cost more quality than they save time
_WEIGHT = 0.1  # of the last piece read, in the recent speed
_MOMENT = 3  # pieces whose median is the speed of a moment: a single one may be measured badly
_LEAST_READ, _LEAST_WRITTEN = 16, 4  # tokens enough to measure a speed


class ReadingSpeed:
    """Its measured speed. Used by one thread at a time."""

    def __init__(self, ms: float, wanted: int | None = None) -> None:
        """`ms`: per prompt token. `wanted`: tokens of the whole context, by the user."""
        self._best_ms = self._late_ms = max(ms, 1e-6)
        self._pieces: deque[float] = deque(maxlen=_MOMENT)
        self._written_ms = 0.0  # per token written, recently; 0: unknown
        self._taken: Mapping[str, float] = {}
        self._wanted = wanted

    def take(self, timings: Mapping[str, float]) -> None:
        """Take llama.cpp's report of a request; a repeated one counts once."""
        if timings is self._taken:
            return
        self._taken = timings
        read, written = timings.get("prompt_n", 0), timings.get("predicted_n", 0)
        if read >= _LEAST_READ:
            self.note(timings.get("prompt_ms", 0.0) / read)
        if written >= _LEAST_WRITTEN:
            ms = timings.get("predicted_ms", 0.0) / written
            self._written_ms += (_WEIGHT if self._written_ms else 1.0) * (ms - self._written_ms)

    def note(self, ms: float) -> None:
        """Note a prompt piece's milliseconds per token; 0: unknown."""
        if ms > 0:
            self._late_ms += _WEIGHT * (ms - self._late_ms)
            self._pieces.append(ms)
            if len(self._pieces) == _MOMENT:
                self._best_ms = min(self._best_ms, median(self._pieces))

    @property
    def in_words(self) -> str:
        """The model's recent speed of reading and writing."""
        writes = f" and writes {1e3 / self._written_ms:.1f}" if self._written_ms else ""
        return f"reads {1e3 / self._late_ms:,.0f}{writes} tokens a second"

    def ms(self, tokens: int) -> float:
        """The milliseconds to read so many tokens, at the recent speed."""
        return self._late_ms * tokens

    @property
    def whole(self) -> int:
        """Tokens of left and right context together."""
        return self._wanted or max(_LEAST_WHOLE, _size(_PAUSE_MS / self._best_ms))

    @property
    def first(self) -> int | None:
        """The same while somebody waits and more is unread; None: all at once."""
        first = _size(_PATIENCE_MS / self._late_ms)
        return first if first < self.whole else None


def _size(tokens: float) -> int:
    return max((size for size in _SIZES if size <= tokens), default=_SIZES[0])
