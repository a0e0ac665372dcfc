"""Models that are known to fill in the middle well, by short names."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """A model on the hub."""

    name: str  # what a user types
    hub: str  # owner/model
    parameters: int  # millions
    licence: str
    note: str
    file: str | None = (
        None  # of the hub's repository: a GGUF file, which llama.cpp runs; None: the whole, in safetensors
    )
    file_bytes: int = 0

    @property
    def size(self) -> int:
        """Bytes to download, and to hold in memory: as the file is large, or two for each parameter on an accelerator."""
        return self.file_bytes or self.parameters * 2_000_000


# Base models, not chat models: those were not trained to fill in the middle. Sizes and licences are those of their hub pages.
PRESETS: tuple[Preset, ...] = (
    Preset(
        "qwen2.5-coder-0.5b", "Qwen/Qwen2.5-Coder-0.5B", 494, "Apache-2.0", "the smallest good one; usable on a CPU"
    ),
    Preset("qwen2.5-coder-1.5b", "Qwen/Qwen2.5-Coder-1.5B", 1_544, "Apache-2.0", "a good choice for any GPU"),
    Preset("qwen2.5-coder-3b", "Qwen/Qwen2.5-Coder-3B", 3_086, "Qwen Research", "no commercial use"),
    Preset("qwen2.5-coder-7b", "Qwen/Qwen2.5-Coder-7B", 7_616, "Apache-2.0", "the best that fits in 24 GB"),
    Preset("mellum-4b", "JetBrains/Mellum-4b-base", 4_019, "Apache-2.0", "made for completion in editors"),
    Preset("codegemma-2b", "google/codegemma-2b", 2_506, "Gemma", "asks for consent on its hub page first"),
    Preset("seed-coder-8b", "ByteDance-Seed/Seed-Coder-8B-Base", 8_250, "MIT", "strong in Python"),
    # The same base models for CPUs, by the authors of llama.cpp; sizes are those of the files.
    Preset("qwen2.5-coder-0.5b-gguf", "ggml-org/Qwen2.5-Coder-0.5B-Q8_0-GGUF", 494, "Apache-2.0",
           "for a CPU, by llama.cpp", "qwen2.5-coder-0.5b-q8_0.gguf", 531_000_000),
    Preset("qwen2.5-coder-1.5b-gguf", "ggml-org/Qwen2.5-Coder-1.5B-Q8_0-GGUF", 1_544, "Apache-2.0",
           "for a fast CPU, by llama.cpp", "qwen2.5-coder-1.5b-q8_0.gguf", 1_650_000_000),
    Preset("qwen2.5-coder-3b-gguf", "ggml-org/Qwen2.5-Coder-3B-Q8_0-GGUF", 3_086, "Qwen Research",
           "for a GPU, by llama.cpp; no commercial use", "qwen2.5-coder-3b-q8_0.gguf", 3_290_000_000),
)  # fmt: skip

_BY_NAME = {preset.name: preset for preset in PRESETS}


def find(name: str) -> Preset | None:
    """The preset of this name."""
    return _BY_NAME.get(name.lower())


def hub_name(name: str) -> str:
    """The hub name of a preset; what is none is given back as it is."""
    preset = _BY_NAME.get(name.lower())
    return preset.hub if preset else name
