"""sLua as a language of the editor."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

from ...language_runtime import BuiltIn, Renew, Traits

if TYPE_CHECKING:
    from .runtime import ScriptRuntime
    from .session import ScriptSession


# Few files are scripts: their parser is imported with the first.
def _make(version: str | None) -> ScriptRuntime:
    from .runtime import ScriptRuntime

    return ScriptRuntime()


def _new_session(
    current: Callable[[], Any], path: str | PathLike[str] | None, workspace: str | None, _: Renew
) -> ScriptSession:
    from .session import ScriptSession

    return ScriptSession(current, path, workspace)


LANGUAGES = {"slua": BuiltIn(_make, traits=Traits("--"), is_diagnosed=True, new_session=_new_session)}
