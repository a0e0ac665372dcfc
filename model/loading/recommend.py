"""The best model for this machine, and its latency: the single source of all recommendations.

Nothing is loaded, and PyTorch is not imported. Two bounds of llama.cpp are measured, each as the best of many short runs on one core: prefill
by the core's multiplications, decoding by its memory bandwidth. Even a busy machine leaves one of the runs undisturbed.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ...common.interpreter import find_program
from . import cores, installed, memory, presets

MOST_THREADS = 8  # decoding is bound by memory: more threads only wait for each other
EMBEDDED, EMBEDDED_MS = "embedded", 200
GAIN = (
    "In a test with 73 ordinary places, Qwen2.5-Coder 0.5B was right, or began right, at 43, the bundled model at 23."
)
"""The gain of a model. Larger models have not been measured this way."""

_BY_PYTORCH = (
    ("qwen2.5-coder-14b", 35e9),
    ("qwen2.5-coder-7b", 18e9),
    ("qwen2.5-coder-1.5b", 4.5e9),
    ("qwen2.5-coder-0.5b", 2e9),
)  # bytes on the GPU
_ON_ANY_CORES = ("qwen2.5-coder-1.5b-q4", "qwen2.5-coder-0.5b-q4")
_ON_A_GPU = ("qwen3-coder-30b-q4", "qwen2.5-coder-14b-q4", "qwen2.5-coder-7b-q4", *_ON_ANY_CORES)

_TOKENS_READ, _TOKENS_WRITTEN = 4, 6  # for a suggestion at a pause in a line
# The speed of llama.cpp for these measures, of 46 billion multiplications and 24 GB a second for each of two cores: with Qwen2.5-Coder
# 0.5B it read a token in 12 ms, and wrote one, of 491 MB, in 45 ms.
_OF_PRODUCTS, _OF_READING = 0.45, 0.45
_MORE_CORES_READ = 2.0  # the most memory bandwidth of many cores, relative to two
_MOST_READ_MS = 16.0  # for a token: the 96 tokens read at least after a jump to another place take 1.6 s
_MOST_WAIT_MS = 700
_PYTORCH_STEP_MS = 30  # on a GPU, PyTorch's own work in an eager pass; the rest with graphs is not measured
_METAL = 4.0  # the least speed of Apple's GPU, relative to its cores
# NVIDIA's slowest cards of this decade: multiplications and bytes a second; cards with much memory read all of it 12 times a second.
_CUDA_PRODUCTS, _CUDA_READING, _CUDA_READS = 3e12, 200e9, 12
_SPARE = 500e6  # bytes of memory besides the weights
_OF_UNIFIED = 0.5  # of Apple's unified memory, whose free part macOS does not report; the GPU may have two thirds


@dataclass(frozen=True, slots=True)
class Machine:
    """The hardware to run a model."""

    cores: int  # usable by this process
    products: float  # multiplications a second of one core
    reading: float  # memory bandwidth of one core, in bytes a second
    memory: int | None  # free bytes, or with `metal` all bytes; None: unknown
    gpu: str | None = None  # NVIDIA's
    gpu_memory: int = 0  # free bytes on it
    metal: bool = False  # llama.cpp runs on Apple's GPU
    cuda: bool = True  # llama.cpp's build for NVIDIA GPUs runs here

    @property
    def threads(self) -> int:
        """The number of llama.cpp's threads."""
        return min(self.cores, MOST_THREADS)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A model for a machine."""

    name: str  # of a preset, or "embedded"
    wait_ms: int  # for a whole suggestion at a pause in a line
    why: str
    missing: installed.Extra | None = None  # the package to install first

    @property
    def preset(self) -> presets.Preset | None:
        """The preset; None for the embedded model."""
        return presets.find(self.name)

    def in_words(self) -> str:
        """The recommendation as a sentence."""
        preset = self.preset
        what = f"{self.name} ({memory.in_words(preset.size)}, {preset.licence})" if preset else "the embedded model"
        return f"For this machine: {what}, a suggestion in about {wait_in_words(self.wait_ms)}; {self.why}."

    def steps(self) -> list[str]:
        """The commands to get and use it; none for the embedded model."""
        if self.preset is None:
            return []
        install = [installed.command(self.missing)] if self.missing else []
        suture = installed.program()
        return [*install, f"{suture} models pull recommended", f"{suture} models use recommended"]


def recommend(machine: Machine | None = None) -> Recommendation:
    """The largest model for commercial use that keeps up with typing on a machine, by default this one; of equally large ones the quicker."""
    here = machine or this_machine()
    cores = f"{here.cores} core{'s' if here.cores != 1 else ''}"
    measured = f"measured on {cores}: {here.products / 1e9:.0f} billion multiplications a second each"
    ways = [*_on_nvidia(here), *_by_llama_cpp(here, "Apple's GPU" if here.metal else measured)]
    embedded = Recommendation(EMBEDDED, EMBEDDED_MS, measured)
    best = max(ways, key=lambda way: (way.preset.parameters if way.preset else 0, -way.wait_ms), default=embedded)
    # Only for the best: telling builds of llama.cpp apart takes reading a large file.
    return replace(best, missing=None) if best.missing is None or installed.has(best.missing) else best


def _on_nvidia(here: Machine) -> Iterator[Recommendation]:
    """The models that fit on an NVIDIA GPU, with PyTorch and with llama.cpp, as if nothing were installed."""
    if here.gpu is None:
        return
    why = f"{here.gpu} has {memory.in_words(here.gpu_memory)} free, and the wait is an estimate"
    for name, room in _BY_PYTORCH:
        if here.gpu_memory >= room:
            yield Recommendation(name, wait_ms(_preset(name), here), why, "torch")
    for name in _ON_A_GPU if here.cuda else ():
        if here.gpu_memory >= _room(_preset(name)):
            yield Recommendation(name, wait_ms(_preset(name), here), why, "gguf-cuda")


def _by_llama_cpp(here: Machine, why: str) -> Iterator[Recommendation]:
    """The models that keep up with typing in llama.cpp, on the cores or on Apple's GPU; as if nothing were installed."""
    alone = replace(here, gpu=None)
    for name in _ON_A_GPU if here.metal else _ON_ANY_CORES:
        preset = _preset(name)
        free = None if here.memory is None else here.memory * (_OF_UNIFIED if here.metal else 1)
        fits = free is None or free >= _room(preset)
        if fits and read_ms(preset, alone) <= _MOST_READ_MS and wait_ms(preset, alone) <= _MOST_WAIT_MS:
            yield Recommendation(name, wait_ms(preset, alone), why, "gguf")


def _preset(name: str) -> presets.Preset:
    preset = presets.find(name)
    assert preset is not None
    return preset


def _room(preset: presets.Preset) -> float:
    return 1.15 * preset.size + _SPARE


def needed_for(preset: presets.Preset) -> installed.Extra:
    """The extra needed to run a preset."""
    return "gguf" if preset.file is not None else "torch"


def read_ms(preset: presets.Preset, machine: Machine) -> float:
    """llama.cpp's milliseconds per prompt token."""
    rate = machine.products * machine.threads * _OF_PRODUCTS * (_METAL if machine.metal else 1)
    if _on_gpu(preset, machine):
        rate = max(rate, _CUDA_PRODUCTS)
    return preset.parameters * preset.active * 1e6 / rate * 1e3


def step_ms(preset: presets.Preset, machine: Machine) -> float:
    """llama.cpp's milliseconds per generated token."""
    together = min(machine.threads / 2, _MORE_CORES_READ)
    rate = machine.reading * together * _OF_READING * (_METAL if machine.metal else 1)
    if _on_gpu(preset, machine):
        rate = max(rate, _CUDA_READING, _CUDA_READS * machine.gpu_memory)
    return preset.size * preset.active / rate * 1e3


def _on_gpu(preset: presets.Preset, machine: Machine) -> bool:
    return machine.gpu is not None and machine.gpu_memory >= (_room(preset) if preset.file else 1.15 * preset.size)


def wait_ms(preset: presets.Preset, machine: Machine) -> int:
    """The estimated latency, in milliseconds, of a whole suggestion at a pause in a line."""
    step = step_ms(preset, machine)
    if preset.file is None and _on_gpu(preset, machine):
        return round(max(_PYTORCH_STEP_MS, step) * (_TOKENS_WRITTEN + 1))
    # Each token read activates other experts, at most all of the model's.
    asked = step * min(_TOKENS_READ, 1 / preset.active)
    return round(
        max(_TOKENS_READ * read_ms(preset, machine), asked if preset.active < 1 else 0) + _TOKENS_WRITTEN * step
    )


def wait_in_words(ms: float) -> str:
    """A wait for a person: 0.3 s, 12 s."""
    return f"{max(ms, 100) / 1e3:.1f} s" if ms < 9_950 else f"{ms / 1e3:.0f} s"


@lru_cache(maxsize=1)
def this_machine() -> Machine:
    """Measure this machine, once in a process; it takes some hundredths of a second."""
    gpu, gpu_memory = _nvidia() if installed.has_nvidia_driver() else (None, 0)
    return Machine(
        cores=cores.usable(),
        products=_products_per_second(),
        reading=_bytes_per_second(),
        memory=memory.free("cpu"),
        gpu=gpu,
        gpu_memory=gpu_memory,
        metal=sys.platform == "darwin" and platform.machine() == "arm64",
        cuda=gpu is not None and installed.can_have_cuda(),
    )


def _nvidia() -> tuple[str | None, int]:
    """The NVIDIA GPU with the most free memory, and its free bytes."""
    ask = [
        find_program("nvidia-smi", ["/usr/lib/wsl/lib"]) or "",
        "--query-gpu=name,memory.free",
        "--format=csv,noheader,nounits",
    ]
    try:
        lines = subprocess.run(ask, capture_output=True, text=True, timeout=10, check=True).stdout.splitlines()
        gpus = [(name.strip(), int(mib) << 20) for name, _, mib in (line.rpartition(",") for line in lines)]
    except (OSError, ValueError, subprocess.SubprocessError):
        return None, 0
    return max(gpus, key=lambda gpu: gpu[1], default=(None, 0))


_SIDE = 64  # of the matrices: the largest that BLAS multiplies on one core, some microseconds of work
_CHUNK = 1 << 19  # numbers summed up in one run


def _products_per_second() -> float:
    """Multiplications a second of one core."""
    import numpy as np

    a, out = np.ones((_SIDE, _SIDE), np.float32), np.empty((_SIDE, _SIDE), np.float32)
    best = float("inf")
    for _ in range(200):
        start = time.perf_counter()
        np.matmul(a, a, out=out)
        best = min(best, time.perf_counter() - start)
    return _SIDE**3 / best


def _bytes_per_second() -> float:
    """The memory bandwidth of one core, in bytes a second."""
    import numpy as np

    numbers = np.ones((32, _CHUNK), np.float32)  # larger than the caches
    best = float("inf")
    for chunk in numbers:
        start = time.perf_counter()
        chunk.sum()
        best = min(best, time.perf_counter() - start)
    return numbers[0].nbytes / best


TYPICAL: tuple[tuple[str, Machine], ...] = (
    ("one slow core", Machine(1, 15e9, 8e9, 2 * 10**9)),
    ("two cores", Machine(2, 46e9, 24e9, 4 * 10**9)),
    ("eight cores", Machine(8, 46e9, 24e9, 12 * 10**9)),
    ("Apple silicon with 8 GB", Machine(8, 60e9, 40e9, 8 * 10**9, metal=True)),
    ("Apple silicon with 16 GB", Machine(8, 60e9, 40e9, 16 * 10**9, metal=True)),
    ("Apple silicon with 48 GB", Machine(8, 60e9, 40e9, 48 * 10**9, metal=True)),
    ("an NVIDIA GPU with 8 GB", Machine(8, 46e9, 24e9, 12 * 10**9, "GPU", 7 * 10**9)),
    ("an NVIDIA GPU with 12 GB", Machine(8, 46e9, 24e9, 12 * 10**9, "GPU", 11 * 10**9)),
    ("an NVIDIA GPU with 24 GB", Machine(8, 46e9, 24e9, 12 * 10**9, "GPU", 23 * 10**9)),
    ("the same, without llama.cpp's build for it", Machine(8, 46e9, 24e9, 12 * 10**9, "GPU", 23 * 10**9, cuda=False)),
    ("an NVIDIA GPU with 48 GB, without it", Machine(8, 46e9, 24e9, 12 * 10**9, "GPU", 46 * 10**9, cuda=False)),
)
"""Machines for the table in the documents."""


def table() -> list[str]:
    """The table in the documents, as lines of Markdown: a machine, its model."""
    lines = ["| your machine | model | download | a suggestion in about |", "| --- | --- | --: | --: |"]
    for words, machine in TYPICAL:
        recommended = recommend(machine)
        size = memory.in_words(recommended.preset.size) if recommended.preset else "comes along"
        lines.append(f"| {words} | `{recommended.name}` | {size} | {wait_in_words(recommended.wait_ms)} |")
    return lines
