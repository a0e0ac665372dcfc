"""From a folder or a hub name to a running model: safetensors only, no code of the model's own, no network unless asked.

Each way that this can fail ends in a ModelError of one line that says what to do.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import templates
from .errors import ModelError, first_line
from .runtime import Model
from .vocabulary import Vocabulary
from .weights import check_weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

EMBEDDED = Path(__file__).parent / "embedded"
EMBEDDED_NAME = "embedded"
ORDER_KEY = "suture_fim_order"  # in tokenizer_config.json: asked in our own way, in this order

_CPU_CONTEXT = 1024  # tokens of context that a model on the CPU reads within the patience of a typist
_GPU_CONTEXT = 4096
_UNKNOWN_LIMIT = 4096


def load(
    name_or_path: str | None = None,
    *,
    device: str = "auto",
    dtype: str = "auto",
    offline: bool = True,
    revision: str | None = None,
    template: str | None = None,
    order: str | None = None,
    threads: int | None = None,
) -> Model:
    """Load a model from a folder or by its hub name; None is the embedded one.

    `device`: "auto" takes cuda, mps, cpu in this order. `dtype`: "auto", "float32", "bfloat16", "float16". `offline`:
    a hub name is looked up in the local cache only. `revision`: branch, tag or commit of a hub name. `template` and
    `order`: override the detected prompt (see `templates`). `threads`: cores used on the CPU.
    """
    name = name_or_path or EMBEDDED_NAME
    try:
        folder = _folder(name_or_path, offline=offline, revision=revision)
        return _load(folder, name, device=device, dtype=dtype, template=template, order=order, threads=threads)
    except ModelError as error:
        raise ModelError(f"cannot use the model {name}: {error}") from error.__cause__


def _load(
    folder: Path, name: str, *, device: str, dtype: str, template: str | None, order: str | None, threads: int | None
) -> Model:
    config = _read_json(folder / "config.json")
    tokenizer_config = _read_json(folder / "tokenizer_config.json", required=False)
    check_weights(folder)
    vocabulary = Vocabulary(_tokenizer(folder))
    own_order = tokenizer_config.get(ORDER_KEY)
    found = templates.detect(
        vocabulary.ids,
        family=template or (templates.SUTURE.name if own_order else None),
        order=order or own_order,
        opening=vocabulary.opening,
        ends=_end_tokens(folder, config),
    )
    size = config.get("vocab_size") or config.get("text_config", {}).get("vocab_size") or len(vocabulary)
    if any(isinstance(part, int) and part >= size for part in found.parts):
        raise ModelError(
            "its tokenizer has fill-in-the-middle tokens that its weights do not know: use a model of one piece"
        )

    from .torch_runtime import start  # torch is imported here, and not before

    runtime, description = start(
        folder, config, size=size, limit=_limit(config), device=device, dtype=dtype, threads=threads
    )
    context = _CPU_CONTEXT if runtime.device == "cpu" else _GPU_CONTEXT
    return Model(name, runtime, vocabulary, found, min(context, runtime.limit), description)


def _folder(name: str | None, *, offline: bool, revision: str | None) -> Path:
    if name is None:
        if not (EMBEDDED / "config.json").is_file():
            raise ModelError("it is not in this installation: reinstall Suture, or name a model folder or hub name")
        return EMBEDDED
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if folder.exists():
        raise ModelError("this is a file: name the folder that contains its config.json")
    if name.startswith((".", "~", "/")) or folder.is_absolute() or "\\" in name or name.count("/") > 1:
        raise ModelError("there is no such folder: check the path")
    from .hub import find

    return find(name, offline=offline, revision=revision)


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
    generation = _read_json(folder / "generation_config.json", required=False)
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


def _read_json(path: Path, required: bool = True) -> dict[str, Any]:
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
