"""Whether a model fits: the memory it needs, and the free memory."""

import os
from pathlib import Path

from ..errors import OutOfMemory

_WORK = 1.15  # of the weights: with the KV cache and the activations


def needed(parameters: int, width: float) -> int:
    """The bytes needed by a model with `width` bytes per parameter."""
    return int(parameters * width * _WORK)


def free(device: str) -> int | None:
    """The free bytes on a device; None where it does not tell."""
    if device.startswith("cuda"):
        import torch

        return torch.cuda.mem_get_info(device)[0]
    if device == "cpu":
        return _free_here()
    return None


def check_room(needs: int, device: str) -> None:
    """Raise OutOfMemory, with the numbers, where a device lacks the memory."""
    room = free(device)
    if room is not None and needs > room:
        raise OutOfMemory(
            f"it needs {in_words(needs)} of memory and {device} has {in_words(room)} free: use a smaller model "
            "(`suture models` shows some)"
        )


def in_words(count: int) -> str:
    """Bytes for a person: 14 MB, 1.2 GB."""
    for unit, size in (("GB", 10**9), ("MB", 10**6)):
        if count >= size:
            return f"{count / size:.1f} {unit}" if count < 10 * size else f"{count / size:.0f} {unit}"
    return f"{count / 1000:.0f} kB"


def _free_here() -> int | None:
    try:
        # Linux's available memory includes the page cache, which gives way; the free pages alone do not.
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on this system
        return None
