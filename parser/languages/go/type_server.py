"""gopls, the type checker of Go that is asked which names may come."""

from __future__ import annotations

import re

from ....common.words import compiled
from ...type_server import TypeServer

# What its `go list` may do beyond reading, and how much it keeps.
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
    oldest=(),  # by its capabilities: it does not say its version as one
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
