"""The cost of the plugin for vLLM per step of a batch: `python -m benchmarks.vllm_masks` (needs no vLLM).

Each row of the batch is a hole in a file of the standard library, filled with its true tokens. A step of the batch is the processor's work
between vLLM's logits and its sampling: each row advances by one token, its mask is made, and all masks are applied to the logits. Times are
milliseconds of the clock and, for all threads together, of the processor. Not measured: the copies between a GPU and the host, and vLLM's own
work.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import torch
from suture.model.runtime.served.plugin_request import PluginRequest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plugins" / "vllm"))

from suture_vllm import logits
from suture_vllm.followed import Followed, Follower

from .engine import text_of
from .vocabularies import Measured, vocabulary

_STEPS = 24
_TEXTS = 5  # files of each size
_MIDDLE = 160  # characters
_SIZES = (2_000, 100_000)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--vocabulary", default="qwen2", help="qwen2 (152k tokens), starcoder, gpt2 or embedded")
    parser.add_argument("--batch", type=int, nargs="*", default=[1, 8, 32])
    parser.add_argument("--rounds", type=int, default=10, help="batches of each size")
    parser.add_argument("--width", type=int, help="logits of a row, where the model has more than tokens")
    asked = parser.parse_args()
    measured = vocabulary(asked.vocabulary)
    if measured is None:
        raise SystemExit(1)
    width = asked.width or len(measured.vocabulary)
    follower = Follower(measured.vocabulary.bytes_of, width, [measured.end])
    before = time.process_time()
    follower.prepare(["python"])  # loaded from the user's cache folder, if present
    print(
        f"{measured.title}, prepared in {time.process_time() - before:.1f} s of the processor; {logits.kernel_name()}"
    )
    _steps(follower, measured, asked.batch, asked.rounds, width)
    _openings(follower)


def _openings(follower: Follower) -> None:
    """Measure the start of a request, which reads its file."""
    _head("a file of so many characters", "files")
    for size in (2_000, 20_000, 100_000, 250_000):
        times = [_timed(lambda asked=asked: follower.begin(asked)) for asked, _ in _requests(20, [size], seed=size)]
        _row(f"{size:,}", [wall for wall, _ in times])


def _steps(follower: Follower, measured: Measured, batches: Sequence[int], rounds: int, width: int) -> None:
    _head("rows in a batch, clock", "steps")
    for batch in batches:
        tokens: list[tuple[float, float]] = []
        puts: list[tuple[float, float]] = []
        for number in range(rounds):
            row_logits = torch.randn(batch, width)
            rows = list(_begun(follower, measured, batch, seed=1000 * batch + number))
            for step in range(_STEPS):
                followed: list[Followed] = []
                tokens.append(
                    _timed(lambda followed=followed, rows=rows, step=step: _on(follower, rows, step, followed))
                )
                masks = [mask for token in followed if (mask := follower.bitmask(token)) is not None]
                assert len(masks) == batch
                work = partial(logits.hold, row_logits, range(batch), masks, width)
                puts.append(_timed(work))
        _row(f"{batch}: tokens and masks", [wall for wall, _ in tokens])
        _row(f"{batch}: masks on logits", [wall for wall, _ in puts])
        _row(f"{batch}: both", [token[0] + put[0] for token, put in zip(tokens, puts, strict=True)])
        _row(f"{batch}: both, processor", [token[1] + put[1] for token, put in zip(tokens, puts, strict=True)])


def _begun(follower: Follower, measured: Measured, batch: int, seed: int) -> Iterator[tuple[list[Followed], list[int]]]:
    """(a row's place, in a list of one; the tokens it writes)."""
    for asked, middle in _requests(batch, _SIZES, seed):
        followed = follower.begin(asked)
        assert followed is not None
        yield [followed], list(measured.vocabulary.encode(middle))[:_STEPS]


def _on(follower: Follower, rows: list[tuple[list[Followed], list[int]]], step: int, followed: list[Followed]) -> None:
    for now, ids in rows:
        if 0 < step <= len(ids):  # a short middle is written, and its end checked
            now[0] = follower.after(now[0], ids[step - 1])
        follower.bitmask(now[0])
        followed.append(now[0])


@cache
def _texts(size: int) -> Sequence[str]:
    """Valid files of about this size, out of the standard library."""
    rng = random.Random(size)
    return [text_of(size, rng) for _ in range(_TEXTS)]


def _requests(count: int, sizes: Sequence[int], seed: int) -> Iterator[tuple[PluginRequest, str]]:
    """Holes in files of these sizes, with the removed text."""
    rng = random.Random(seed)
    for number in range(count):
        text = rng.choice(_texts(sizes[number % len(sizes)]))
        offset = rng.randrange(len(text) // 8, len(text) - _MIDDLE)
        left, middle, right = text[:offset], text[offset : offset + _MIDDLE], text[offset + _MIDDLE :]
        yield PluginRequest(left, right, "python"), middle


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """(seconds of the clock, seconds of the processor)."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def _head(title: str, unit: str) -> None:
    print(f"\n| {title:34} | {'median':>8} | {'p99':>8} | {unit:>6} |\n| --- | --: | --: | --: |")


def _row(title: str, seconds: Sequence[float]) -> None:
    ordered = sorted(value * 1e3 for value in seconds)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    print(f"| {title:34} | {statistics.median(ordered):8.2f} | {last:8.2f} | {len(ordered):6} |")


if __name__ == "__main__":
    main()
