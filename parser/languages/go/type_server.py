"""gopls, the type checker of Go, asked for possible names."""

from __future__ import annotations

import re

from ....common.words import compiled
from ...type_server import TypeServer

# Limits for its `go list` beyond reading, and for its memory.
_ENVIRONMENT = {
    "CGO_ENABLED": "0",  # no C compiler and no pkg-config
    "GOPROXY": "off",  # no module is fetched
    "GOTOOLCHAIN": "local",  # nor another toolchain
    "GOVCS": "*:off",
    "GOMEMLIMIT": "500MiB",
}

GOPLS = TypeServer(
    program="gopls",
    arguments=("serve",),
    oldest=(),  # by its capabilities: its version is no number
    options={
        "env": _ENVIRONMENT,
        "pullDiagnostics": True,
        "completionBudget": "0s",  # else a list ends when time does
        "matcher": "CaseSensitive",
        "deepCompletion": False,
        "completeUnimported": False,
        "experimentalPostfixCompletions": False,
        "analyses": {},
        "staticcheck": False,
        "vulncheck": "Off",
    },
    language_id="go",
    own=(),
    asked=compiled(r".*[\w)\]}\"`][ \t]*\.[ \t]*(?P<word>(?:[^\W\d]\w*)?)\Z"),
    quoted=re.compile(r"undefined: (\w+)\.(\w+)|undefined \(type (.+?) has no field or method (\w+)"),
    environment=_ENVIRONMENT,
)
