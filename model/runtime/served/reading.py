"""How much context a prompt has, by how quickly the model reads: the whole, and the first while somebody waits.

The speed is measured when a model is loaded, when an editor starts and the machine is often busy, and again whenever something is read
ahead. The whole context only grows with it, since another window means that all is read again.
"""

from __future__ import annotations

_PATIENCE_MS = 1600  # for which a prompt may be read while somebody waits, after a jump to another place
_PAUSE_MS = 15_000  # for which more of it may be read in a pause
_SIZES = (96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)  # tokens; few, so that windows stay the same
_LEAST_WHOLE = 384  # fewer cost more in what is suggested than they save in time
_WEIGHT = 0.1  # of one piece that was read, in the speed of late


class ReadingSpeed:
    """What is known of it. Used by one thread at a time."""

    def __init__(self, ms: float, wanted: int | None = None) -> None:
        """`ms`: for which a token of a prompt is read. `wanted`: tokens of the whole context, as the user says."""
        self._best_ms = self._late_ms = max(ms, 1e-6)
        self._wanted = wanted

    def note(self, ms: float) -> None:
        """A piece of a prompt was read at so many milliseconds a token; 0: nobody knows."""
        if ms > 0:
            self._late_ms += _WEIGHT * (ms - self._late_ms)
            self._best_ms = min(self._best_ms, self._late_ms)

    @property
    def whole(self) -> int:
        """Tokens of left and right context together."""
        return self._wanted or max(_LEAST_WHOLE, _size(_PAUSE_MS / self._best_ms))

    @property
    def first(self) -> int | None:
        """The same while somebody waits and more is not read yet; None: all at once."""
        first = _size(_PATIENCE_MS / self._late_ms)
        return first if first < self.whole else None


def _size(tokens: float) -> int:
    return max((size for size in _SIZES if size <= tokens), default=_SIZES[0])
