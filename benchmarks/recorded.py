"""A served model with its answers cached in a file: nothing is computed twice, and time is simulated instead of measured.

Rows are keyed by the tokens before them, so a changed engine, following mostly the same texts, needs little of the model. Missing rows are
requested for many places at once (`ask_all`). Decoding's clock shows the time of a model of a given speed (`Recorded.seconds`), so that
limits of time act alike on any machine.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from time import monotonic

import numpy as np
from suture.common.constraint import never
from suture.model import Model
from suture.model.decoding import api, nbest, termination
from suture.model.loading import presets
from suture.model.loading.gguf import read_gguf
from suture.model.loading.gguf_vocabulary import local_vocabulary, tokens_of
from suture.model.prompting import fim_template
from suture.model.prompting.chat import is_tuned
from suture.model.runtime.served.child import Child, ChildSettings
from suture.model.runtime.served.dialect import Dialect, Draft, Drafted
from suture.model.runtime.served.llama_cpp import LlamaCpp
from suture.model.runtime.served.plugin_request import PluginRequest
from suture.model.runtime.served.reading import ReadingSpeed
from suture.model.runtime.served.runtime import ServedRuntime
from suture.model.runtime.served.transport import Cancel, Transport

STEP_S, READ_S = 0.045, 0.014
"""Seconds per generated token, and per prompt token: Qwen2.5-Coder 0.5B in 4 bits on two quiet cores."""
_ENDED = -1
_LIMIT = 4096
_SLOTS, _SLOT = 5, 2560  # sequences at once, and tokens of each
_MOST_DRAFTED = 120
_KEPT_PROMPTS = 3  # in the prompt cache of llama.cpp's server
_LEFT = re.compile(rb"\n[^\s]")  # a line outside of the function


class NotRecorded(Exception):
    """The model is needed, but may not be asked: to go on from some tokens with a number of further ones."""

    def __init__(self, ids: Sequence[int], tokens: int) -> None:
        super().__init__("not recorded")
        self.ids, self.tokens = tuple(ids), tokens


class _AllAtOnce(ReadingSpeed):
    """The speed of a model that reads the whole context, in any time."""

    @property
    def first(self) -> None:
        return None


def recorded_model(path: Path, rows: Path, context: int) -> tuple[Model, Recorded]:
    """A GGUF model answering only from `rows`; other requests raise NotRecorded. context: in tokens."""
    gguf = read_gguf(path)
    tokens = tokens_of(gguf)
    vocabulary = local_vocabulary(tokens)
    assert vocabulary is not None, f"{path.name} has a vocabulary that only llama.cpp can read"
    template = fim_template.detect(
        vocabulary.ids, opening=vocabulary.opening, ends=gguf.ends, added=vocabulary.controls
    )
    recorded = Recorded(rows)
    reading = _AllAtOnce(READ_S * 1e3, context)
    runtime = ServedRuntime(recorded, size=len(tokens.pieces), limit=_LIMIT, device="llama.cpp", reading=reading)
    preset = presets.known(path.name, gguf.name)
    assert preset is not None, f"{path.name} is no model that is known"
    model = Model(
        str(path), runtime, vocabulary, template, context, served=runtime, answers=is_tuned(path.name, gguf.name),
        line_last=True, certainty=preset.certainty,
    )  # fmt: skip
    recorded.keep_time()
    return model, recorded


def ask_all(model: Model, rows: Path, missing: Sequence[NotRecorded], threads: int, until: float) -> int:
    """Let a model go on from many places at once, in batches; the number of new rows. until: on the clock of `monotonic`.

    A text goes on to the end of its function.
    """
    recorded = Recorded(rows)
    child = Child(
        ChildSettings(Path(model.name).resolve(), _SLOTS * _SLOT, threads, gpu_layers=0, slots=_SLOTS, batch=256)
    )
    child.start()

    def ask(place: NotRecorded) -> Sequence[tuple[bytes, Drafted]]:
        transport = Transport(child.address, key=child.key, patience_s=300.0)
        transport.silence.lasts = lambda: None  # it computes for many at once
        drafted, sequence, text, most = list[tuple[bytes, Drafted]](), place.ids, b"", min(place.tokens, _MOST_DRAFTED)
        try:
            draft = LlamaCpp(transport).draft(place.ids, most)
            while monotonic() < until and _LEFT.search(text) is None:
                row = draft.next(never)
                drafted.append((_key(sequence), row or Drafted(_ENDED, {})))
                if row is None:
                    return drafted if len(drafted) <= most else drafted[:-1]
                sequence, text = (*sequence, row.token), text + (model.vocabulary.bytes_of[row.token] or b"")
        finally:
            transport.close()
        return drafted

    kept = 0
    try:
        with ThreadPoolExecutor(_SLOTS) as pool:
            for done in as_completed([pool.submit(ask, place) for place in missing]):
                for key, row in done.result():
                    recorded.keep(key, row)
                    kept += 1
    finally:
        recorded.close()
        child.stop()
    return kept


class Recorded(Dialect):
    """llama.cpp's cached answers."""

    name = "recorded llama.cpp"

    def __init__(self, path: Path, step_s: float = STEP_S, read_s: float = READ_S) -> None:
        self.seconds = 0.0  # of simulated time
        self.tokens = 0  # drafted tokens
        self._step_s, self._read_s = step_s, read_s
        self._read: list[tuple[int, ...]] = []  # the sequences in its prompt cache, the last one last
        self._store = sqlite3.connect(path)
        self._store.execute(
            "CREATE TABLE IF NOT EXISTS rows (place BLOB PRIMARY KEY, token INT, ids BLOB, values_ BLOB)"
        )

    def keep_time(self) -> None:
        """Let decoding use the simulated time."""
        for module in (api, nbest, termination):
            module.perf_counter = lambda: self.seconds  # type: ignore[attr-defined]

    def forget(self) -> None:
        """Empty the model's prompt cache."""
        self._read.clear()

    def draft(self, ids: Sequence[int], tokens: int, around: PluginRequest | None = None) -> Draft:
        self._note(ids)
        return _RecordedDraft(self, tuple(ids), tokens)

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: Cancel) -> Mapping[int, float]:
        self._note(ids)
        self.seconds += self._step_s
        row = self.row(_key(ids))
        return (
            {}
            if row is None
            else {token: value for token, value in row.log_probs.items() if allowed is None or token in allowed}
        )

    def read(self, ids: Sequence[int], cancelled: Cancel) -> float:
        self._note(ids)
        return self._read_s * 1e3

    def close(self) -> None:
        self._store.commit()
        self._store.close()

    def _note(self, ids: Sequence[int]) -> None:
        """Charge the reading of a sequence, except for its cached prefix."""
        shared = [_shared(read, ids) for read in self._read]
        longest = max(shared, default=0)
        self.seconds += self._read_s * max(1, len(ids) - longest)
        if longest > len(ids) // 2:
            self._read.pop(shared.index(longest))
        self._read = [*self._read, tuple(ids)][-_KEPT_PROMPTS:]

    def drafted(self, sequence: tuple[int, ...]) -> None:
        """Charge one more generated token."""
        self.seconds += self._step_s
        self.tokens += 1
        self._read[-1] = sequence

    def row(self, key: bytes) -> Drafted | None:
        """The cached row of a key, or None."""
        stored = self._store.execute("SELECT token, ids, values_ FROM rows WHERE place = ?", (key,)).fetchone()
        if stored is None:
            return None
        ids, values = np.frombuffer(stored[1], np.int32), np.frombuffer(stored[2], np.float32)
        return Drafted(stored[0], dict(zip(ids.tolist(), values.tolist(), strict=True)))

    def keep(self, key: bytes, row: Drafted) -> None:
        """Cache an answer."""
        ids = np.array(list(row.log_probs), np.int32).tobytes()
        values = np.array(list(row.log_probs.values()), np.float32).tobytes()
        self._store.execute("INSERT OR IGNORE INTO rows VALUES (?, ?, ?, ?)", (key, row.token, ids, values))
        self._store.commit()


class _RecordedDraft:
    """A draft of cached rows."""

    def __init__(self, recorded: Recorded, sequence: tuple[int, ...], tokens: int) -> None:
        self._recorded, self._sequence, self._left = recorded, sequence, tokens

    def next(self, cancelled: Cancel) -> Drafted | None:
        """The next step, None after the last."""
        if self._left <= 0:
            return None
        row = self._recorded.row(_key(self._sequence))
        if row is None:
            raise NotRecorded(self._sequence, self._left)
        if row.token == _ENDED:
            return None
        self._left -= 1
        self._sequence = (*self._sequence, row.token)
        self._recorded.drafted(self._sequence)
        return row

    def close(self) -> None:
        """Do nothing."""


def _shared(first: Sequence[int], other: Sequence[int]) -> int:
    """The length of two sequences' common prefix, in ids."""
    same = (a == b for a, b in zip(first, other, strict=False))
    return sum(takewhile(bool, same))


def _key(ids: Sequence[int], about: str = "") -> bytes:
    return blake2b(np.array(ids, np.int32).tobytes() + about.encode(), digest_size=16).digest()
