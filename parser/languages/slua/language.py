"""sLua as a language of the editor."""

from __future__ import annotations

from ...language_runtime import BuiltIn
from .runtime import ScriptRuntime
from .session import ScriptSession


def _make(version: str | None) -> ScriptRuntime:
    return ScriptRuntime()


LANGUAGE = BuiltIn(("*.slua",), _make, line_comment="--", is_diagnosed=True, new_session=ScriptSession)
