"""The contents of a model's folder, read without loading its weights: configuration, tokenizer, prompt template, sizes.

Each fault raises a ModelError of one line with the remedy.
"""

# The types of transformers are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportPrivateUsage=false

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...common import untrusted
from ...common.json_types import is_object
from ..errors import ModelError, first_line, is_panic
from ..prompting import fim_template
from ..prompting.vocabulary import Vocabulary
from . import installed
from .weights import Weights, check_weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ORDER_KEY = "suture_fim_order"  # in tokenizer_config.json: the model has our own prompt, in this order

_UNKNOWN_LIMIT = 4096
_MAX_JSON = 20_000_000  # bytes of a configuration
_MAX_TOKENIZER = 200_000_000  # bytes
_MAX_ENTRIES = 10_000  # of a folder
_READ = (
    ".json",
    ".txt",
    ".model",
    ".safetensors",
    ".gguf",
    ".jinja",
)  # the suffixes of files read by us or a library
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_nextn_predict_layers")
_WIDTHS = (
    *("hidden_size", "n_embd", "d_model", "intermediate_size", "n_inner", "ffn_dim", "vocab_size", "head_dim"),
    *("num_attention_heads", "n_head", "num_key_value_heads", "num_experts", "num_local_experts", "n_routed_experts"),
    "moe_intermediate_size",
)


@dataclass(frozen=True, slots=True)
class Contents:
    """A complete fill-in-the-middle model on disk."""

    folder: Path
    config: Mapping[str, Any]
    weights: Weights
    vocabulary: Vocabulary
    template: fim_template.Template
    size: int  # logits
    limit: int  # tokens in a sequence


def read_folder(folder: Path, *, template: str | None = None, order: str | None = None) -> Contents:
    """Read a model's folder; `template` and `order` override the prompt detected from its vocabulary."""
    check_files(folder)
    config = read_json(folder / "config.json")
    tokenizer_config = read_json(folder / "tokenizer_config.json", required=False)
    weights = check_weights(folder)
    check_sizes(config, weights)
    vocabulary = _vocabulary(folder)
    own_order = tokenizer_config.get(ORDER_KEY)
    detected = fim_template.detect(
        vocabulary.ids,
        family=template or (fim_template.SUTURE.name if own_order else None),
        order=order or own_order,
        opening=vocabulary.opening,
        ends=_end_tokens(folder, config),
        added=vocabulary.controls,
    )
    size = config.get("vocab_size") or _text_config(config).get("vocab_size") or len(vocabulary)
    if any(isinstance(part, int) and part >= size for part in detected.parts):
        raise ModelError(
            "its tokenizer has fill-in-the-middle tokens that its weights do not know: use a model of one piece"
        )
    return Contents(folder, config, weights, vocabulary, detected, size, _limit(config))


def check_files(folder: Path) -> None:
    """Raise a ModelError where an entry of a model's folder only looks like a file: a pipe, a link to a device.

    The libraries would wait for ever to read it.
    """
    try:
        with os.scandir(folder) as entries:
            for entry in islice(entries, _MAX_ENTRIES):
                if entry.name.endswith(_READ) and untrusted.exists(entry.path):
                    if not (untrusted.is_regular(entry.path) or untrusted.is_folder(entry.path)):
                        raise ModelError(f"{entry.name} is not a regular file: download the model again")
    except OSError as error:
        raise ModelError(f"its folder cannot be read ({first_line(error)}): check the path") from error


def check_sizes(config: Mapping[str, Any], weights: Weights) -> None:
    """Raise a ModelError where a config.json describes a model other than the weights beside it.

    A library would build the described model, be it of a thousand million layers, before looking at the weights.
    """
    for source in (config, _text_config(config)):
        sizes: dict[str, int] = {}
        for key, most in (
            *((key, weights.tensors) for key in _LAYERS),
            *((key, 16 * weights.widest) for key in _WIDTHS),  # quantised weights are packed, at most 16 in one number
            ("n_positions", weights.widest),  # learned positions
            ("max_position_embeddings", 100_000_000),
        ):
            value = source.get(key)
            if value is None:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
                raise ModelError(f"the {key} of its config.json does not fit its weights: download it again")
            sizes[key] = value
        hidden = max((sizes.get(key, 0) for key in ("hidden_size", "n_embd", "d_model")), default=0)
        if any(
            hidden * size > 16 * weights.bytes + 1_000_000 for size in sizes.values() if size <= 16 * weights.widest
        ):
            raise ModelError("the sizes in its config.json do not fit its weights: download it again")


def _vocabulary(folder: Path) -> Vocabulary:
    tokenizer = _tokenizer(folder)
    try:
        return Vocabulary(tokenizer)
    except ModelError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        raise ModelError(f"its tokenizer cannot be used ({first_line(error)}): use another model") from error


def _text_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The text part of a config.json, of a model with several."""
    part = config.get("text_config")
    return part if is_object(part) else {}


def read_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary in a folder or in a file tokenizer.json."""
    return _vocabulary(path.parent if untrusted.is_regular(path) else path)


def read_tokenizer_folder(path: Path) -> tuple[Vocabulary, list[int], str | None]:
    """A vocabulary, the model's own end tokens, and the order of its own prompt, if any; of a folder, or its tokenizer.json."""
    folder = path.parent if untrusted.is_regular(path) else path
    config = read_json(folder / "config.json", required=False)
    order = read_json(folder / "tokenizer_config.json", required=False).get(ORDER_KEY)
    return read_vocabulary(folder), _end_tokens(folder, config), order


def _tokenizer(folder: Path) -> "Tokenizer":
    path = folder / "tokenizer.json"
    if untrusted.is_regular(path):
        from tokenizers import Tokenizer

        try:
            return Tokenizer.from_buffer(untrusted.read_bytes(path, _MAX_TOKENIZER))
        except BaseException as error:  # the library raises nothing narrower
            if not isinstance(error, Exception) and not is_panic(error):
                raise
            raise ModelError(f"tokenizer.json is damaged ({first_line(error)}): download it again") from error
    if not any(untrusted.is_regular(folder / file) for file in ("vocab.json", "tokenizer.model")):
        raise ModelError(f"{folder} has no tokenizer.json: download all files of the model")
    if not installed.has("torch"):
        raise ModelError(f"it has no tokenizer.json, and others are read by transformers: {installed.missing('torch')}")
    from transformers import AutoTokenizer

    try:
        slow = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        return slow.backend_tokenizer
    except Exception as error:
        raise ModelError(
            f"its tokenizer cannot be read ({first_line(error)}): use a model with a tokenizer.json"
        ) from error


def _end_tokens(folder: Path, config: Mapping[str, Any]) -> list[int]:
    generation = read_json(folder / "generation_config.json", required=False)
    ends: list[int] = []
    for source in (config, _text_config(config), generation):
        end = source.get("eos_token_id")
        ends += [token for token in (end if isinstance(end, list) else [end]) if type(token) is int and token >= 0]
    return ends


def _limit(config: Mapping[str, Any]) -> int:
    for source in (config, _text_config(config)):
        for key in ("max_position_embeddings", "n_positions", "max_sequence_length", "n_ctx", "seq_length"):
            if type(source.get(key)) is int and source[key] > 0:
                return source[key]
    return _UNKNOWN_LIMIT


def read_json(path: Path, required: bool = True) -> dict[str, Any]:
    """Read a JSON object of a model's folder; {} for a missing optional file."""
    try:
        value = untrusted.read_json(path, _MAX_JSON)
    except FileNotFoundError:
        if required:
            raise ModelError(f"{path.parent} has no {path.name}: name a folder with a complete model") from None
        return {}
    except OSError as error:
        raise ModelError(f"{path.name} cannot be read ({first_line(error)}): download it again") from error
    if not is_object(value):
        raise ModelError(f"{path.name} is not a JSON object: download it again")
    return value
