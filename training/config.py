"""The whole configuration of a training run, in one frozen value read from one TOML file."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common.values import NUMBER, PAIR, SWITCH, TEXTS, WHOLE, Kind


class ConfigError(ValueError):
    """The configuration is unusable; the message names the key and the reason."""


@dataclass(frozen=True)
class TrainConfig:
    """The settings of a run; the defaults train a small model in an hour or two on two CPU cores."""

    # Corpus
    # More folders: of wheels and source archives, a site-packages folder, a standard library, or a project.
    corpus: tuple[str, ...] = ()
    shards: str = ""  # a folder of shards (see `shards`) as the corpus; a resumed run reads those present by then
    standard_library: bool = True  # of the running Python
    installed: bool = True  # distributions beside the running Python, if their licence is permissive
    held_out: tuple[str, ...] = (
        "rich", "cattrs", "jsonschema", "xmltodict", "datasette", "sqlite-utils", "microblog", "pgcli",
    )  # fmt: skip
    held_out_share: float = 0.05  # of the packages, chosen by name, where none of `held_out` is present
    package_bytes: int = 1_500_000  # of one package at most, so that none dominates
    library_bytes: int = 20_000_000  # the same limit for a standard library
    test_share: float = 0.1  # of a package's bytes at most come from its tests
    file_bytes: int = 200_000  # larger files are mostly tables
    near_duplicate: float = 0.7  # similarity of two files' sets of lines, from which on one is dropped

    # Tokenizer
    vocab_size: int = 8192

    # Model
    hidden_size: int = 256
    intermediate_size: int = 704
    layers: int = 6
    heads: int = 4
    kv_heads: int = 4
    context: int = 1024  # tokens in one training row
    rope_theta: float = 10_000.0

    # Documents
    spm_share: float = 0.8  # suffix first, as at run time; the rest is prefix first
    document_tokens: tuple[int, int] = (96, 1024)  # the length of a window, drawn log-uniformly
    nothing_follows: float = 0.2  # of the holes are at the end of the written text: files are mostly written downwards

    start_from: str = ""  # a model's folder with the initial tokenizer and weights; empty: random weights

    # Optimisation
    steps: int = 5000
    minutes: float = 0.0  # when positive, the schedule follows the clock and `steps` is only an upper bound
    batch_rows: int = 4
    hole_weight: float = 2.0  # of the loss on a hole's tokens and its end, relative to the contexts' tokens
    optimizer: str = "muon"  # muon (AdamW for embeddings and norms) or adamw
    learning_rate: float = 4e-3
    warmup: float = 0.02  # share of the run; after it the rate falls linearly to zero
    weight_decay: float = 0.1
    clip: float = 1.0
    seed: int = 1
    device: str = "auto"
    threads: int = 0  # 0: as many as there are cores
    workers: int = 0  # processes making the rows, where `fork` exists; 0: the training process itself
    compile: bool = True  # fuse operations between products, given a C++ compiler: half a minute first, then faster

    # The n-gram model beside the weights: see `ngrams`
    ngram_megabytes: float = 36.0  # of its file, at most; 0: none

    # The gate of copies from the document, and the model's calibration: see `fit_copying`
    fitting_holes: int = 1600  # 0: the model copies as much as the embedded one, and all its text is shown

    weight_bits: int = 16  # of the written weights; 8: quantised with a scale per row, for NumPy alone

    # Reports
    evaluation_holes: int = 300
    log_every: int = 20
    checkpoint_minutes: float = 10.0
    export_minutes: float = 0.0  # when positive, also export the unfinished model this often


def load_config(path: Path | None, **overrides: Any) -> TrainConfig:
    """The configuration in a TOML file, or the defaults, with the overrides other than None."""
    values: dict[str, Any] = {}
    if path is not None:
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"cannot read {path}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} is not valid TOML: {error}") from error
    values |= {key: value for key, value in overrides.items() if value is not None}
    return config_from(values)


def config_from(values: dict[str, Any]) -> TrainConfig:
    """A checked configuration from plain values; unknown keys and wrong types are errors."""
    fields = {field.name: field for field in dataclasses.fields(TrainConfig)}
    checked: dict[str, Any] = {}
    for key, value in values.items():
        if key not in fields:
            raise ConfigError(f"unknown key {key!r}; known keys: {', '.join(sorted(fields))}")
        checked[key] = _fit(key, value, fields[key].default)
    config = TrainConfig(**checked)
    if config.hidden_size % config.heads or config.heads % config.kv_heads:
        raise ConfigError("heads must divide hidden_size, and kv_heads must divide heads")
    if config.optimizer not in ("muon", "adamw"):
        raise ConfigError(f"optimizer must be 'muon' or 'adamw', not {config.optimizer!r}")
    if config.weight_bits not in (8, 16):
        raise ConfigError(f"weight_bits must be 8 or 16, not {config.weight_bits}")
    low, high = config.document_tokens
    if not 32 <= low <= high <= config.context:
        raise ConfigError("document_tokens must be two numbers between 32 and context, the smaller first")
    return config


def _fit(key: str, value: Any, default: object) -> Any:
    """The value in the type of the default."""
    kind = _kind(default)
    if not kind.holds(value):
        raise ConfigError(f"{key} must be {kind.words}, not {value!r}")
    if isinstance(default, tuple):
        return tuple(value)
    return float(value) if isinstance(default, float) else value


def _kind(default: object) -> Kind:
    match default:
        case bool():
            return SWITCH
        case int():
            return WHOLE
        case float():
            return NUMBER
        case (int(), int()):
            return PAIR
        case tuple():
            return TEXTS
        case _:
            return Kind("text", lambda value: isinstance(value, str))
