"""How TypeScript and JavaScript are written, for those who show texts of them."""

from __future__ import annotations

import re

from ...language_runtime import Traits

TRAITS = Traits(
    "//",
    conventions="lines",
    quotes="\"'",
    statement_end=";",
    statement=re.compile(
        r"^[ \t]*(?:(?:import|export|const|let|var|return|throw|type|break|continue)\b.*|[\w$][\w$.]*(?:\(.*\)| = .*))(?<=[\w)\]'\"`;])(?<!;)(?P<end>;?)[ \t]*\n(?!\s*[.?:&|+*/=,)\]-])",
        re.MULTILINE,
    ),
)
