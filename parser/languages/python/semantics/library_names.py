"""The names of standard modules whose source does not tell them: compiled modules, and those that define names dynamically, such as `os`.

`scripts/library_names.py` writes the list, for all versions and platforms together.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path


@cache
def library_names() -> dict[str, frozenset[str]]:
    """Module -> its names."""
    lists: dict[str, str] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return {module: frozenset(names.split()) for module, names in lists.items()}
