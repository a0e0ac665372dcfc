"""The cost of the constraint per token, lazily and as a mask over the vocabulary: `python -m benchmarks.decoding`.

Python   the standard library, both contexts, walking the true tokens of random places: the lazy way is to check a token, advance
         and ask whether the hole may end there; a mask is all tokens at once. "First" masks are those of states (lexer and stacks) new to the
         process; some masks are compared with checking each token alone.
Model    the constraint's share of a step beside the embedded model, in `complete`.
Peers    llguidance and xgrammar in the same run, on languages that all three accept: JSON, and a language like Python without
         indentation (see peers.py). SynCode on Python is quoted from its report, not measured.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from suture import model, parser
from suture.model.decoding.token_step import DecodingState, TokenChecker
from suture.parser.hole import State
from suture.parser.token_masks.partition import partition_of

from . import peers
from .engine import text_of
from .vocabularies import NAMES, Measured, vocabulary

SIZES = (2_000, 400_000)
PEERS = ("starcoder", "qwen2")
"""Vocabularies for the comparison with others: 49,000 tokens and 152,000."""
_WALKED = 24  # tokens from each place on
_FOLDER = Path(tempfile.mkdtemp(prefix="suture-masks-"))


def clock() -> float:
    """Seconds of this thread's processor time: other work on the machine does not count."""
    return time.thread_time()


def row(title: str, seconds: Sequence[float], *, unit: float = 1e3) -> None:
    """A line of a table: median, 99th percentile and maximum in milliseconds, or by another unit."""
    if seconds:
        ordered = [value * unit for value in sorted(seconds)]
        last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
        print(
            f"| {title:34} | {statistics.median(ordered):8.3f} | {last:8.3f} | {ordered[-1]:8.2f} | {len(ordered):6} |"
        )


def head(title: str, unit: str) -> None:
    """The head of a table."""
    print(f"\n| {title:34} | {'median':>8} | {'p99':>8} | {'max':>8} | {unit:>6} |")
    print(f"| {'-' * 34} | {'-' * 7}: | {'-' * 7}: | {'-' * 7}: | {'-' * 5}: |")


def prepare(measured: Measured) -> model.TokenMasks:
    """Group the tokens, and load the groups again like the next process."""
    start = parser.language("python").hole("", "").state
    assert start is not None
    spellings, ends = measured.vocabulary.bytes_of, [measured.end]
    for file in _FOLDER.glob("*.masks"):
        file.unlink()
    times = []
    for _ in range(2):
        masks = model.TokenMasks(spellings, ends, folder=_FOLDER)
        before = clock()
        masks.prepare(start)
        times.append(clock() - before)
    size = sum(file.stat().st_size for file in _FOLDER.glob("*.masks")) / 1e6
    print(f"\n{measured.title}: built in {times[0]:.1f} s, loaded in {times[1] * 1e3:.0f} ms, {size:.1f} MB on disk")
    return masks


class Hypothesis:
    """Times along the true tokens of random places."""

    def __init__(self, masks: model.TokenMasks, measured: Measured, exact_every: int) -> None:
        self.masks, self.measured, self.exact_every = masks, measured, exact_every
        self.lazy: list[float] = []
        self.first: list[float] = []
        self.again: list[float] = []
        self.unusual: list[float] = []
        self.opening: list[float] = []  # the first check of each hole, with a look at its surroundings
        self._sample: list[tuple[str, str]] = []
        self._met: set[object] = set()

    def along(self, text: str, places: int, rng: random.Random, session: parser.Session, masked: bool) -> None:
        """Walk from `places` places of a text."""
        spellings = self.measured.vocabulary.bytes_of
        ordinary = set(partition_of(session.hole("", 0).state).ordinary()) if masked else set()  # type: ignore[union-attr]
        for _ in range(places):
            offset = rng.randrange(len(text) - 200)
            state = session.hole(text, offset).state
            assert state is not None
            position = DecodingState(state)
            written = ""
            for token in self.measured.vocabulary.encode(text[offset : offset + 120])[:_WALKED]:
                if masked:
                    self._mask(position, ordinary)
                    if (len(self.first) + len(self.again)) % self.exact_every == 0:
                        self._sample.append((text[:offset] + written, text[offset:]))
                before = clock()
                following = position.after(spellings[token] or b"")
                assert following is not None
                _ = following.closed and following.state.complete
                (self.lazy if position.state is not state else self.opening).append(clock() - before)
                position = following
                written += following.piece

    def _mask(self, position: DecodingState, ordinary: set[str]) -> None:
        state, partition = position.state, partition_of(position.state)  # type: ignore[attr-defined]
        assert isinstance(state, State)
        place = partition.name(partition.equivalence_key(partition.place(state))[0])
        situation = (state.left, position.pending)
        before = clock()
        self.masks.bitmask(position)
        taken = clock() - before
        if place not in ordinary or position.pending:
            self.unusual.append(taken)
        elif situation in self._met:
            self.again.append(taken)
        else:
            self.first.append(taken)
        self._met.add(situation)

    def compare(self) -> tuple[int, int]:
        """(masks compared token by token, differing tokens); fills an engine of its own."""
        wrong = 0
        for left, right in self._sample:
            state = parser.language("python", "3.11").hole(left, right).state
            assert state is not None
            looks, masks = TokenChecker(DecodingState(state)), self.masks
            alone = [
                state.complete if i in masks.ends else bool(s and looks.read(s)) for i, s in enumerate(masks.spellings)
            ]
            wrong += int((masks.allowed(state) != np.array(alone)).sum())
        return len(self._sample), wrong


def python_section(names: Sequence[str], places: int, seed: int, exact_every: int) -> int:
    """Measure Python; the number of tokens on which a mask and the single check disagree."""
    wrong = 0
    for name in names:
        measured = vocabulary(name)
        if measured is None:
            continue
        masks = prepare(measured)
        for size in SIZES:
            rng = random.Random(seed)
            text = text_of(size, rng)
            lazy, walk, warm = (Hypothesis(masks, measured, exact_every) for _ in range(3))
            session = parser.language("python").session()
            session.hole(text, len(text) // 2)
            parser.freeze_garbage()
            lazy.along(text, places, rng, session, masked=False)
            walk.along(text, places, rng, session, masked=True)
            warm.along(text, places, rng, session, masked=True)
            head(f"{measured.title}, {size:,} characters", "tokens")
            row("lazy: check, advance, end? (us)", lazy.lazy, unit=1e6)
            row("lazy, first token of a hole (us)", lazy.opening, unit=1e6)
            every = walk.first + walk.again + warm.first + warm.again
            row("mask (ms)", every)
            row("mask, first 1,000 of the process" if size == SIZES[0] else "mask, new text", walk.first + walk.again)
            row("mask, later", warm.first + warm.again)
            row("mask, lexer state not prepared", walk.unusual + warm.unusual)
            compared, differ = walk.compare()
            print(f"{compared} masks compared token by token, {differ} wrong tokens")
            wrong += differ
        unusual_section(measured, masks)
    quoted()
    return wrong


UNUSUAL = (
    *("f'{", "f'{ ", "f'{a", "f'{a.b", "f'{a(", "f'{a(b", "f'{a(b, ", "f'{a(b)", "f'{a[", "f'{a[b", "f'{a + b"),
    *("f'{a!", "f'{a!r", "f'{a:", "f'{a:>{b", "f'{a:{b}", 'f"{a', 'f"{a.b(c', "f\"{a['b'", "f'''{a", "f'''{a(b"),
    *("f'{a if b else ", "f\"{f'{a", "f'{[i for i in ", "f'{1", "f'{\"a", "'a\\", "'\\N", "'\\N{", "'\\N{LA"),
    *("'\\U0001", "'''a\\", "0x", "1_", "1e", "(1\r", "'a\\\r"),
)
RIGHTS = ("'\n", "}'\n", ")}'\n", "]}'\n", "'''\n", "}'''\n", ")}'''\n", '}"\n', ')}"\n', "}'}\"\n", "\n", "")


def unusual_section(measured: Measured, masks: model.TokenMasks) -> None:
    """The first masks in rare lexer states, many of them not prepared, at the first encounter."""
    head(f"{measured.title}, rare lexer states, once each", "states")
    for version in ("3.11", "3.13"):
        python = parser.language("python", version)
        start = python.hole("", "").state
        assert start is not None
        masks.prepare(start)
        times = []
        for left in UNUSUAL:
            states = (python.hole(f"x = {left}", right).state for right in RIGHTS)
            state = next((state for state in states if state is not None), None)
            if state is not None:
                _ = state.complete
                before = clock()
                masks.bitmask(state)
                times.append(clock() - before)
        row(f"mask, Python {version} (ms)", times)


def quoted() -> None:
    """Print others' reported numbers: neither measured in this run nor checked by us."""
    print(
        "\nReported for SynCode, Python, 49,000 tokens, left context only, masks that over-approximate (NOT measured here):"
    )
    print("about 500 s to build, a mask 4.3 ms in the median, 8.1 ms at the 99th percentile")


def model_section(holes: int, seed: int) -> None:
    """The constraint's share of a step of the embedded model."""
    loaded = model.load(None)
    rng = random.Random(seed)
    text = text_of(40_000, rng)
    session = parser.language("python").session()
    share: list[float] = []
    step: list[float] = []
    for _ in range(holes):
        offset = rng.randrange(len(text) - 200)
        state = session.hole(text[:offset] + text[offset + 40 :], offset).state
        if state is None:
            continue
        done = model.complete(loaded, state, text[:offset], text[offset + 40 :], model.Options(max_tokens=24))
        if done.tokens:
            share.append(done.constraint_ms / (done.constraint_ms + done.model_ms))
            step.append(done.model_ms / done.tokens / 1e3)
    if share:
        print(
            f"\nEmbedded model, greedy, {len(share)} holes: a step of the model {statistics.median(step) * 1e3:.1f} ms, "
            f"the constraint's share of a completion {100 * statistics.median(share):.1f} % (bridges included)"
        )


def peers_section(names: Sequence[str], seed: int) -> None:
    """All three engines with these vocabularies."""
    for name in names:
        peers.section(name, seed, head, row)


def main() -> int:
    """Print the tables; exit status 1 when a mask is wrong."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--vocabularies", default=",".join(NAMES), help="of embedded, starcoder, gpt2, qwen2")
    arguments.add_argument("--places", type=int, default=40, help="random places in each text")
    arguments.add_argument("--exact-every", type=int, default=200, help="masks between two that are compared")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--sections", default="python,model,peers")
    options = arguments.parse_args()
    names = options.vocabularies.split(",")
    sections: dict[str, Callable[[], int | None]] = {
        "python": lambda: python_section(names, options.places, options.seed, options.exact_every),
        "model": lambda: model_section(options.places, options.seed),
        "peers": lambda: peers_section([name for name in PEERS if name in names] or names[:1], options.seed),
    }
    wrong = sum(sections[name]() or 0 for name in options.sections.split(","))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
