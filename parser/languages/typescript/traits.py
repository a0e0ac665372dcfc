"""The written form of TypeScript and JavaScript, for showing texts of them."""

from __future__ import annotations

import re

from ...language_runtime import Repeats, Traits

TRAITS = Traits(
    "//",
    # The checker's own refusals are left to it. Interfaces of one name are one, and seldom meant.
    Repeats(
        re.compile(r"</[\w.:-]*>"),
        defined=re.compile(
            r"(?P<blank>[ \t]*)(?:export +)?(?:default +)?(?:declare +)?interface +(?P<name>[\w$]+)\b(?!\Z)"
        ),
    ),
    candidates="typescript",
    quotes="\"'",
    statement_end=";",
    statement=re.compile(
        r"^[ \t]*(?:(?:import|export|const|let|var|return|throw|type|break|continue)\b.*|[\w$][\w$.]*(?:\(.*\)| = .*))(?<=[\w)\]'\"`;])(?<!;)(?P<end>;?)[ \t]*\n(?!\s*[.?:&|+*/=,)\]-])",
        re.MULTILINE,
    ),
)
