"""Models known to fill in the middle well, by short names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..calibration import Certainty

FITTED = Certainty(0.907, -0.364, 0.12)
"""The calibration of presets without one of their own.

It is that of Qwen2.5-Coder 0.5B in 4 bits, at 140 places in packages that are not reserved (775 beginnings of texts, as
`fit_calibration` takes them, with 128 to 256 tokens of context). Its authors may have trained it on these packages, and larger models
may deserve more trust.
"""


@dataclass(frozen=True, slots=True)
class Preset:
    """A model on the hub."""

    name: str  # as typed by a user
    hub: str  # owner/model
    parameters: int  # millions
    licence: str
    note: str
    asked: str = "qwen"  # the family of its prompt (`fim_template.FAMILIES`)
    file: str | None = None  # of the hub's repository: a GGUF file, for llama.cpp; None: the whole, in safetensors
    file_bytes: int = 0
    sha256: str | None = None  # of the file; None: the hub's
    commercial: bool = True  # whether commercial use is allowed, under the licence's terms
    active: float = 1.0  # the share of the parameters active per token
    certainty: Certainty = FITTED

    @property
    def size(self) -> int:
        """Bytes to download, and to hold in memory: the file's size, or two per parameter on an accelerator."""
        return self.file_bytes or self.parameters * 2_000_000


_GRANITE = "ibm-granite/granite-4.0"
_OPENRAIL = "BigCode OpenRAIL-M"
_UNTRIED = "not tried here"

# Base models, except where a family has none: chat models are seldom trained to fill in the middle. Names, sizes and licences are those of
# their hub pages, or of programs that download them; a file's own vocabulary decides its prompt. Hashes are those shown by the hub's page, or
# by another project that pins the file.
PRESETS: tuple[Preset, ...] = (
    # For llama.cpp. The 8-bit files are by its authors.
    Preset("qwen2.5-coder-0.5b-q4", "bartowski/Qwen2.5-Coder-0.5B-GGUF", 494, "Apache-2.0", "for two cores",
           file="Qwen2.5-Coder-0.5B-Q4_K_M.gguf", file_bytes=398_000_000,
           sha256="fefe9d34df79d3ad3db33519d81112be76096626a5fdb87a98092035dc79ad68"),
    Preset("qwen2.5-coder-0.5b-gguf", "ggml-org/Qwen2.5-Coder-0.5B-Q8_0-GGUF", 494, "Apache-2.0", "the same in 8 bits",
           file="qwen2.5-coder-0.5b-q8_0.gguf", file_bytes=531_000_000,
           sha256="d0f8cd6c49bab52a0abdbe47948518b1f4d9b1a8a2a6825099cea31cea10ac56"),
    Preset("qwen2.5-coder-1.5b-q4", "QuantFactory/Qwen2.5-Coder-1.5B-GGUF", 1_544, "Apache-2.0", "for six cores and more",
           file="Qwen2.5-Coder-1.5B.Q4_K_M.gguf", file_bytes=986_000_000,
           sha256="a9ccb6be802412e61e1acbee6287a23b11e56e94718560f910075c64b6194910"),
    Preset("qwen2.5-coder-1.5b-gguf", "ggml-org/Qwen2.5-Coder-1.5B-Q8_0-GGUF", 1_544, "Apache-2.0", "the same in 8 bits",
           file="qwen2.5-coder-1.5b-q8_0.gguf", file_bytes=1_646_573_056,
           sha256="29871c94d15727a6e243f79a37113d4ae625a6215b5e800bf41a23af2da32832"),
    Preset("qwen2.5-coder-3b-q4", "bartowski/Qwen2.5-Coder-3B-GGUF", 3_086, "Qwen Research", "no commercial use",
           file="Qwen2.5-Coder-3B-Q4_K_M.gguf", file_bytes=1_930_000_000, commercial=False),
    Preset("qwen2.5-coder-3b-gguf", "ggml-org/Qwen2.5-Coder-3B-Q8_0-GGUF", 3_086, "Qwen Research", "no commercial use",
           file="qwen2.5-coder-3b-q8_0.gguf", file_bytes=3_285_476_160,
           sha256="a522a906e299ed34db738b9626b2cd0da9e446c14674468a22fc2eae3dbd344d", commercial=False),
    Preset("qwen2.5-coder-7b-q4", "QuantFactory/Qwen2.5-Coder-7B-GGUF", 7_616, "Apache-2.0", "for llama.cpp on a GPU",
           file="Qwen2.5-Coder-7B.Q4_K_M.gguf", file_bytes=4_680_000_000),
    Preset("qwen2.5-coder-7b-gguf", "ggml-org/Qwen2.5-Coder-7B-Q8_0-GGUF", 7_616, "Apache-2.0", "the same in 8 bits",
           file="qwen2.5-coder-7b-q8_0.gguf", file_bytes=8_098_525_600,
           sha256="0ef48dc94a3c551a6736ac2601de38413dc9aa9318534b16e8baee08290a4aaf"),
    Preset("qwen2.5-coder-14b-q4", "bartowski/Qwen2.5-Coder-14B-GGUF", 14_770, "Apache-2.0", "for llama.cpp on a GPU with 12 GB",
           file="Qwen2.5-Coder-14B-Q4_K_M.gguf", file_bytes=8_990_000_000),
    Preset("granite-4.0-350m-q4", f"{_GRANITE}-350m-base-GGUF", 352, "Apache-2.0", f"the smallest; {_UNTRIED}",
           file="granite-4.0-350m-base-Q4_K_M.gguf", file_bytes=237_000_000,
           sha256="2c22ed74d6c11791eb017886e1356ae11a6b8207b1ab2c1dfee047370110389a"),
    Preset("mellum-4b-gguf", "JetBrains/Mellum-4b-base-gguf", 4_019, "Apache-2.0", "made for editors, in 8 bits",
           asked="mellum", file="mellum-4b-base.Q8_0.gguf", file_bytes=4_270_000_000,
           sha256="f8a8ae8f8b02cd992716e8849fe0424184bc7a26c2b829131ed558567307c5b2"),
    Preset("mellum-4b-python-gguf", "JetBrains/Mellum-4b-sft-python-gguf", 4_019, "Apache-2.0", "the same, tuned for Python",
           asked="mellum", file="mellum-4b-sft-python.Q8_0.gguf", file_bytes=4_270_000_000),
    # Two programs spell its marks this way; its training order is unpublished.
    Preset("mellum2-12b-q4", "mradermacher/Mellum2-12B-A2.5B-Base-GGUF", 12_150, "Apache-2.0", f"2.5 billion at work at once; {_UNTRIED}",
           asked="mellum", file="Mellum2-12B-A2.5B-Base.Q4_K_M.gguf", file_bytes=8_100_000_000, active=0.21),
    Preset("seed-coder-8b-q4", "mradermacher/Seed-Coder-8B-Base-GGUF", 8_250, "MIT", f"strong in Python; {_UNTRIED}",
           asked="seed", file="Seed-Coder-8B-Base.Q4_K_M.gguf", file_bytes=5_070_000_000),
    Preset("deepseek-coder-v2-lite-q4", "bartowski/DeepSeek-Coder-V2-Lite-Base-GGUF", 15_700, "DeepSeek",
           f"2.4 billion at work at once; some uses are excluded; {_UNTRIED}",
           asked="deepseek", file="DeepSeek-Coder-V2-Lite-Base-Q4_K_M.gguf", file_bytes=10_360_000_000, active=0.153),
    Preset("codestral-22b-q4", "bartowski/Codestral-22B-v0.1-GGUF", 22_200, "MNPL", f"no commercial use; {_UNTRIED}",
           asked="codestral", file="Codestral-22B-v0.1-Q4_K_M.gguf", file_bytes=13_300_000_000, commercial=False),
    Preset("starcoder2-3b-q4", "second-state/StarCoder2-3B-GGUF", 3_030, _OPENRAIL, "some uses are excluded",
           asked="starcoder", file="starcoder2-3b-Q4_K_M.gguf", file_bytes=1_850_000_000),
    # All of Qwen3-Coder are documented to fill in the middle; Qwen3 without "Coder" is not trained for it. Qwen3.5 keeps the marks in
    # its vocabulary, and users report that it fills in; its cards do not say so.
    Preset("qwen3.5-2b-q4", "mradermacher/Qwen3.5-2B-Base-GGUF", 2_000, "Apache-2.0", f"new, not documented to fill in; {_UNTRIED}",
           file="Qwen3.5-2B-Base.Q4_K_M.gguf", file_bytes=1_280_000_000),  # as large as the chat model's; its own was not found
    Preset("qwen3.5-4b-q4", "mradermacher/Qwen3.5-4B-Base-GGUF", 4_000, "Apache-2.0", f"new, not documented to fill in; {_UNTRIED}",
           file="Qwen3.5-4B-Base.Q4_K_M.gguf", file_bytes=2_800_000_000),
    Preset("qwen3-coder-30b-q4", "unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF", 30_532, "Apache-2.0",
           "3 billion at work at once; for 24 GB of GPU memory",
           file="Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf", file_bytes=18_556_689_568, active=0.11),
    Preset("qwen3-coder-30b-gguf", "ggml-org/Qwen3-Coder-30B-A3B-Instruct-Q8_0-GGUF", 30_532, "Apache-2.0",
           "the same in 8 bits; 40 GB of memory",
           file="qwen3-coder-30b-a3b-instruct-q8_0.gguf", file_bytes=32_500_000_000,
           sha256="f22993e29318b5b9ec2026f6b65802a5ca99b38ab4844aab83aed8a26ce00ff6", active=0.11),
    Preset("qwen3-coder-next-q4", "unsloth/Qwen3-Coder-Next-GGUF", 80_000, "Apache-2.0",
           f"3 billion at work at once; 56 GB of memory; {_UNTRIED}",
           file="Qwen3-Coder-Next-Q4_K_M.gguf", file_bytes=48_500_000_000, active=0.0375),
    # For PyTorch, mostly on a GPU.
    Preset("qwen2.5-coder-0.5b", "Qwen/Qwen2.5-Coder-0.5B", 494, "Apache-2.0", "the smallest good one"),
    Preset("qwen2.5-coder-1.5b", "Qwen/Qwen2.5-Coder-1.5B", 1_544, "Apache-2.0", "a good choice for any GPU"),
    Preset("qwen2.5-coder-3b", "Qwen/Qwen2.5-Coder-3B", 3_086, "Qwen Research", "no commercial use", commercial=False),
    Preset("qwen2.5-coder-7b", "Qwen/Qwen2.5-Coder-7B", 7_616, "Apache-2.0", "the best that fits in 24 GB"),
    Preset("qwen2.5-coder-14b", "Qwen/Qwen2.5-Coder-14B", 14_770, "Apache-2.0", "for 40 GB and more"),
    Preset("granite-4.0-350m", f"{_GRANITE}-350m-base", 352, "Apache-2.0", _UNTRIED),
    Preset("granite-4.0-1b", f"{_GRANITE}-1b-base", 1_630, "Apache-2.0", _UNTRIED),
    Preset("mellum-4b", "JetBrains/Mellum-4b-base", 4_019, "Apache-2.0", "made for editors", asked="mellum"),
    Preset("mellum-4b-python", "JetBrains/Mellum-4b-sft-python", 4_019, "Apache-2.0", "the same, tuned for Python", asked="mellum"),
    Preset("starcoder2-3b", "bigcode/starcoder2-3b", 3_030, _OPENRAIL, "some uses are excluded", asked="starcoder"),
    Preset("codegemma-2b", "google/codegemma-2b", 2_506, "Gemma", "asks for consent on its hub page", asked="codegemma"),
    Preset("seed-coder-8b", "ByteDance-Seed/Seed-Coder-8B-Base", 8_250, "MIT", "strong in Python", asked="seed"),
)  # fmt: skip

_BY_NAME = {preset.name: preset for preset in PRESETS}


def find(name: str) -> Preset | None:
    """The preset of this name."""
    return _BY_NAME.get(name.lower())


def hub_name(name: str) -> str:
    """The hub name of a preset; any other name unchanged."""
    preset = _BY_NAME.get(name.lower())
    return preset.hub if preset else name


def known(*names: str | None) -> Preset | None:
    """The preset of the same model, by its name in a folder, a file, a store or a server: `ollama:qwen2.5-coder:0.5b`, "Qwen2.5 Coder 0.5B"."""
    spelled = [_spelled(name) for name in names if name]
    for preset in PRESETS:
        base = _spelled(preset.name.removesuffix("-q4").removesuffix("-gguf"))
        if any(re.search(rf"(?:^|-){base}(?:-|$)", spelling) for spelling in spelled):
            return preset
    hubs = {name.lower() for name in names if name}
    return next((preset for preset in PRESETS if preset.hub.lower() in hubs), None)


def _spelled(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def alike(name: str, others: Iterable[str] = ()) -> list[str]:
    """The names of presets, and among the others, that an unknown name may have meant; the likeliest first."""
    import difflib

    return difflib.get_close_matches(name.lower(), [*_BY_NAME, *others], n=3)
