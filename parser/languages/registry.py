"""The languages that come with the project, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Mapping

from ..language_runtime import BuiltIn
from .go.language import LANGUAGE as GO
from .json.language import LANGUAGE as JSON
from .python.language import LANGUAGE as PYTHON
from .slua.language import LANGUAGE as SLUA
from .typescript.language import LANGUAGES as TYPESCRIPT

BUILT_IN: Mapping[str, BuiltIn] = {"python": PYTHON, "go": GO, **TYPESCRIPT, "json": JSON, "slua": SLUA}
