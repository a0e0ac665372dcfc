"""JSON, from its grammar file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ...engine_runtime import EngineRuntime
from ...language_runtime import BuiltIn, Repeats, Sample, Traits
from ..generic import language as generic

_GRAMMAR = Path(__file__).with_name("json.lark")


@cache
def _maker():
    return generic.maker(_GRAMMAR, "start")


def new_runtime(version: str | None) -> EngineRuntime:
    """A new engine; tables are shared."""
    return _maker()()


_ELEMENT = re.compile(r"[^:]*")
"""A line of an array, which may be repeated; a key may not."""

LANGUAGES = {
    "json": BuiltIn(
        new_runtime,
        Sample('{"a": ', "1", "}\n"),
        traits=Traits("", Repeats(_ELEMENT), block=""),
    )
}
