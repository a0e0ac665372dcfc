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

    @property
    def size(self) -> int:
        """Bytes to download, and to hold on an accelerator: two for each parameter."""
        return self.parameters * 2_000_000


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
)

_BY_NAME = {preset.name: preset for preset in PRESETS}


def hub_name(name: str) -> str:
    """The hub name of a preset; what is none is given back as it is."""
    preset = _BY_NAME.get(name.lower())
    return preset.hub if preset else name
