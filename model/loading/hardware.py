"""The hardware found by torch, for a person who asks why a model runs where it runs."""

from dataclasses import dataclass

from .installed import has_nvidia_driver
from .memory import in_words


@dataclass(frozen=True, slots=True)
class Machine:
    """Torch and its usable accelerator."""

    torch: str
    threads: int
    gpu: str | None  # a line about it; None: none usable by torch
    nvidia_driver: bool  # whether there is one, usable by torch or not


def machine() -> Machine:
    """Examine this machine; imports torch."""
    import torch

    gpu = None
    if torch.cuda.is_available():
        free, total = torch.cuda.mem_get_info()
        gpu = f"{torch.cuda.get_device_name()}, {in_words(free)} of {in_words(total)} free"
    elif torch.backends.mps.is_available():
        gpu = "Apple's, by Metal"
    return Machine(torch.__version__, torch.get_num_threads(), gpu, has_nvidia_driver())
