"""The models chosen by the user by path or address, otherwise on no list of models."""

from __future__ import annotations

import json
from pathlib import Path

from ...common import kept_files, untrusted
from ...common.json_types import is_array
from ...common.state import state_folder

KEPT = 8
_MAX_BYTES = 50_000


def chosen_file() -> Path:
    """The file of the list."""
    return state_folder() / "models.json"


def chosen_before() -> list[str]:
    """The models, the last chosen first; none where the file is missing or damaged."""
    try:
        stored = untrusted.read_json(chosen_file(), _MAX_BYTES)
    except (OSError, ValueError):
        return []
    return [name for name in stored if isinstance(name, str)][:KEPT] if is_array(stored) else []


def remember_chosen(*names: str) -> None:
    """Put models at the head of the list."""
    kept = list(dict.fromkeys((*names, *chosen_before())))[:KEPT]
    kept_files.write(chosen_file(), json.dumps(kept).encode(), most=1, pattern=chosen_file().name)
