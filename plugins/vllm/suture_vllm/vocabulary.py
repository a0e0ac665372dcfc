"""The bytes of a model's tokens and the ends of its texts, as vLLM has loaded them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from suture.model.errors import ModelError
from suture.model.prompting.vocabulary import Vocabulary


def spellings_of(tokenizer: Any) -> list[bytes | None]:
    """The bytes of each token of a fast tokenizer of transformers, None for those without text. Raises ModelError."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise ModelError("the plugin needs a model with a tokenizer.json")
    # A copy: reading a vocabulary may change its tokenizer's treatment of texts.
    return list(Vocabulary(type(backend).from_str(backend.to_str())).bytes_of)


def ends_of(model_config: Any, tokenizer: Any) -> tuple[int, ...]:
    """The tokens that end a text of the model, by its configurations and its tokenizer."""
    generation = model_config.try_get_generation_config()
    named = (
        getattr(model_config.hf_config, "eos_token_id", None),
        generation.get("eos_token_id") if isinstance(generation, dict) else None,
        getattr(tokenizer, "eos_token_id", None),
    )
    return tuple(sorted({token for found in named for token in _ids(found)}))


def _ids(found: object) -> Iterator[int]:
    for one in found if isinstance(found, list | tuple) else (found,):
        if isinstance(one, int):
            yield one
