"""What a model's folder holds, read without loading its weights: configuration, tokenizer, prompt template, sizes.

Each thing that can be wrong with it ends in a ModelError of one line that says what to do.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, first_line
from ..prompting import fim_template
from ..prompting.vocabulary import Vocabulary
from .weights import Weights, check_weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ORDER_KEY = "suture_fim_order"  # in tokenizer_config.json: asked in our own way, in this order

_UNKNOWN_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class Contents:
    """A whole model on disk that fills in the middle."""

    folder: Path
    config: Mapping[str, Any]
    weights: Weights
    vocabulary: Vocabulary
    template: fim_template.Template
    size: int  # logits
    limit: int  # tokens in a sequence


def read_folder(folder: Path, *, template: str | None = None, order: str | None = None) -> Contents:
    """Read a model's folder; `template` and `order` override the prompt that its vocabulary tells."""
    config = read_json(folder / "config.json")
    tokenizer_config = read_json(folder / "tokenizer_config.json", required=False)
    weights = check_weights(folder)
    vocabulary = Vocabulary(_tokenizer(folder))
    own_order = tokenizer_config.get(ORDER_KEY)
    found = fim_template.detect(
        vocabulary.ids,
        family=template or (fim_template.SUTURE.name if own_order else None),
        order=order or own_order,
        opening=vocabulary.opening,
        ends=_end_tokens(folder, config),
    )
    size = config.get("vocab_size") or config.get("text_config", {}).get("vocab_size") or len(vocabulary)
    if any(isinstance(part, int) and part >= size for part in found.parts):
        raise ModelError(
            "its tokenizer has fill-in-the-middle tokens that its weights do not know: use a model of one piece"
        )
    return Contents(folder, config, weights, vocabulary, found, size, _limit(config))


def _tokenizer(folder: Path) -> "Tokenizer":
    path = folder / "tokenizer.json"
    if path.is_file():
        from tokenizers import Tokenizer

        try:
            return Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing narrower
            raise ModelError(f"tokenizer.json is damaged ({first_line(error)}): download it again") from error
    if not any((folder / file).is_file() for file in ("vocab.json", "tokenizer.model")):
        raise ModelError(f"{folder} has no tokenizer.json: download all files of the model")
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
    for source in (config, config.get("text_config", {}), generation):
        end = source.get("eos_token_id")
        ends += [end] if isinstance(end, int) else end or []
    return ends


def _limit(config: Mapping[str, Any]) -> int:
    for source in (config, config.get("text_config", {})):
        for key in ("max_position_embeddings", "n_positions", "max_sequence_length", "n_ctx", "seq_length"):
            if isinstance(source.get(key), int):
                return source[key]
    return _UNKNOWN_LIMIT


def read_json(path: Path, required: bool = True) -> dict[str, Any]:
    """Read a JSON object of a model's folder; {} when a file that is not required is missing."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if required:
            raise ModelError(f"{path.parent} has no {path.name}: name a folder with a whole model") from None
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(f"{path.name} cannot be read ({first_line(error)}): download it again") from error
    if not isinstance(value, dict):
        raise ModelError(f"{path.name} is not a JSON object: download it again")
    return value
