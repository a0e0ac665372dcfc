"""What torch finds on this machine, for a person who asks why a model runs where it runs."""

import os
from dataclasses import dataclass
from pathlib import Path

from .memory import in_words


@dataclass(frozen=True, slots=True)
class Machine:
    """Torch and the accelerator that it can use."""

    torch: str
    threads: int
    gpu: str | None  # a line about it; None: torch can use none
    nvidia_driver: bool  # there is one, whether torch can use it or not


def machine() -> Machine:
    """Look at this machine; imports torch."""
    import torch

    gpu = None
    if torch.cuda.is_available():
        free, total = torch.cuda.mem_get_info()
        gpu = f"{torch.cuda.get_device_name()}, {in_words(free)} of {in_words(total)} free"
    elif torch.backends.mps.is_available():
        gpu = "Apple's, by Metal"
    driver = any(
        Path(folder, name).exists() for folder in os.get_exec_path() for name in ("nvidia-smi", "nvidia-smi.exe")
    )
    return Machine(torch.__version__, torch.get_num_threads(), gpu, driver)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A model for this machine."""

    name: str
    why: str


def recommend() -> Recommendation:
    """The largest model that this machine runs while somebody types, by its accelerator or by a measured product of matrices."""
    import torch

    from .memory import free

    if torch.cuda.is_available():
        room = torch.cuda.mem_get_info()[0]
        for name, needs in (("qwen2.5-coder-7b", 18e9), ("qwen2.5-coder-3b", 8e9), ("qwen2.5-coder-1.5b", 4.5e9)):
            if room > needs:
                return Recommendation(name, f"the GPU has {in_words(room)} free")
        return Recommendation("qwen2.5-coder-0.5b", f"the GPU has {in_words(room)} free")
    if torch.backends.mps.is_available():
        return Recommendation("qwen2.5-coder-1.5b", "Apple's GPU")
    speed = _products_per_second()
    room = free("cpu") or 0
    measured = f"measured: {speed / 1e9:.0f} billion multiplications a second"
    for name, billions, needs in (("qwen2.5-coder-1.5b-gguf", 1.54, 3.5e9), ("qwen2.5-coder-0.5b-gguf", 0.49, 1.5e9)):
        # After a jump some 400 tokens are read anew; more than two seconds nobody waits.
        if speed > 400 * billions * 1e9 / 2 and room > needs:
            return Recommendation(name, measured)
    return Recommendation("embedded", measured)


def _products_per_second() -> float:
    """Multiplications a second of this CPU, in the shapes of a prompt that is read."""
    import time

    import torch

    a, b = torch.ones(128, 1024), torch.ones(1024, 2048)
    best = float("inf")
    with torch.inference_mode():
        for _ in range(6):
            start = time.perf_counter()
            torch.mm(a, b)
            best = min(best, time.perf_counter() - start)
    return 128 * 1024 * 2048 / best
