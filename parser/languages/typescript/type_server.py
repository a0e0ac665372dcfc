"""tsgo, the type checker of TypeScript, asked for possible names; TypeScript's own program from version 7 on is the same."""

from __future__ import annotations

import platform
import re
import sys

from ....common.words import compiled
from ...type_server import TypeServer

_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
_MACHINE = platform.machine().lower()
_SYSTEM = f"{sys.platform}-{_MACHINES.get(_MACHINE, _MACHINE)}"
_NAME = r"(?:[^\W\d]|\$)(?:\w|\$)*"
_OPTIONS = {
    # None of these servers may look for types by npm: tsgo reads preferences in two spellings, by version.
    "disableAutomaticTypingAcquisition": True,
    "disablePushDiagnostics": True,
    "userPreferences": {
        "disableAutomaticTypeAcquisition": True,
        "automaticTypeAcquisitionEnabled": False,
        "tsserver": {"automaticTypeAcquisition": {"enabled": False}},
    },
}


def tsgo(language_id: str) -> TypeServer:
    """The type checker of documents of TypeScript, with JSX or without."""
    return TypeServer(
        program="tsgo",
        arguments=("--lsp", "--stdio"),
        oldest=(7,),
        options=_OPTIONS,
        language_id=language_id,
        # The programs themselves, without Node and without a process between.
        own=(
            f"node_modules/@typescript/native-preview-{_SYSTEM}/lib/tsgo",
            f"node_modules/@typescript/typescript-{_SYSTEM}/lib/tsc",
            "node_modules/.bin/tsgo",
        ),
        asked=compiled(rf"(?:.*[\w$)\]}}\"'`!>])?[ \t]*\??\.[ \t]*(?P<word>(?:{_NAME})?)\Z"),
        quoted=re.compile(r"'([^'\n]+)'"),
        unlisted=re.compile(r"on type '[(<]"),  # a function, to which members may be assigned
        name=compiled(_NAME),
    )
