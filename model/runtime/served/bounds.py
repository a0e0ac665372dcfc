"""The bounds of a child that runs llama.cpp: its own memory, and the time it may load without headway.

An untrusted file decides how much llama.cpp allocates and computes while loading, so both are bounded by the file's size.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from ...loading.gguf import Gguf

STALL_S = 60.0
"""Seconds without headway before a start is given up."""
_SLOWEST = 20e6  # bytes per second of a disk, if nobody reports how much of a file has been read
_STEP = 0.01  # of the file, counted as headway
_LEAST_STEP = 1 << 20  # bytes
_WEIGHTS = 1.5  # of the file: weights are repacked for the processor, or not mapped
_MOST_CACHE = 4  # files: a small model's cache is larger than its weights
_BASE = 1 << 30  # bytes: Python, the vocabulary, a pass, requests
_PER_CORE = 16 << 20  # bytes: stacks and heaps of threads


def most_memory(gguf: Gguf, context: int, prompts_mib: int) -> int:
    """The most bytes of llama.cpp's own to run a file, besides the file's mapped pages."""
    cache = min(context * cache_per_token(gguf), _MOST_CACHE * gguf.bytes)
    return int(_WEIGHTS * gguf.bytes) + cache + (prompts_mib << 20) + _BASE + _PER_CORE * (os.cpu_count() or 1)


def prompts_kept(gguf: Gguf, context: int, prompts_mib: int) -> int:
    """The number of prompts of so many tokens that llama.cpp keeps: the current one, and old ones in their memory."""
    return 1 + (prompts_mib << 20) // max(1, context * cache_per_token(gguf))


def cache_per_token(gguf: Gguf) -> int:
    """The bytes of keys and values per token, 16 bits each, by the file's header."""
    layers, width, heads = (gguf.count(key) for key in ("block_count", "embedding_length", "attention.head_count"))
    groups = gguf.count("attention.head_count_kv") or heads
    head = width // max(1, heads)
    lengths = (gguf.count(f"attention.{key}_length") or head for key in ("key", "value"))
    return 2 * layers * groups * sum(lengths)


class Headway:
    """Tells a child loading a file, however slowly, from one doing something else."""

    def __init__(
        self, file_bytes: int, loaded: Callable[[], int | None], clock: Callable[[], float] = monotonic
    ) -> None:
        """`loaded`: the bytes the child has in memory; None: the system does not say."""
        self._loaded, self._clock, self._bytes = loaded, clock, file_bytes
        self._most, self._since_s = 0, clock()

    @property
    def stalled(self) -> bool:
        """Whether there was no headway for too long."""
        now_s, loaded = self._clock(), self._loaded()
        if loaded is None:
            return now_s - self._since_s > STALL_S + self._bytes / _SLOWEST
        if loaded >= self._most + max(_LEAST_STEP, int(_STEP * self._bytes)):
            self._most, self._since_s = loaded, now_s
        return now_s - self._since_s > STALL_S


def memory_of(process_id: int | None) -> tuple[int, int] | None:
    """A process's bytes in memory: its own, and those of files; None if the system does not say."""
    sizes = _numbers(process_id, "status")
    return (sizes["RssAnon"] * 1024, sizes["RssFile"] * 1024) if {"RssAnon", "RssFile"} <= sizes.keys() else None


def loaded_by(process_id: int | None) -> int | None:
    """The bytes a process has in memory or has read; None if the system does not say."""
    memory = memory_of(process_id)
    return None if memory is None else sum(memory) + _numbers(process_id, "io").get("rchar", 0)


def _numbers(process_id: int | None, file: str) -> dict[str, int]:
    """The lines `name: number` of a process's file in Linux's /proc."""
    try:
        lines = Path(f"/proc/{process_id}/{file}").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    matches = (re.match(r"(\w+):\s*(\d+)", line) for line in lines)
    return {line[1]: int(line[2]) for line in matches if line}
