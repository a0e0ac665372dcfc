"""The argument of a request, checked by vLLM's frontend process and read by its workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from suture.model.runtime.served.plugin_request import ARGUMENT, GREETING, QUESTION, PluginRequest, unpacked
from suture.parser import UnknownLanguage, language


class Params(Protocol):
    """The used part of vLLM's SamplingParams."""

    @property
    def extra_args(self) -> Mapping[str, Any] | None:
        """`vllm_xargs` of the HTTP request."""
        ...

    @property
    def all_stop_token_ids(self) -> set[int]:
        """The tokens at which vLLM ends this request."""
        ...


def check(params: Params) -> None:
    """Raise ValueError for a wrong argument; the message names the plugin and quotes nothing."""
    given = params.extra_args or {}
    if ARGUMENT not in given:
        return
    if given[ARGUMENT] == QUESTION:
        raise ValueError(GREETING)
    try:
        asked = unpacked(given[ARGUMENT])
        language(asked.language, asked.version)
    except (ValueError, UnknownLanguage) as error:
        raise ValueError(f"{GREETING}: the argument {ARGUMENT!r} {error}") from None


def read(params: Params) -> PluginRequest | None:
    """A request's question to the plugin; None if it has none. Raises ValueError."""
    given = params.extra_args or {}
    return unpacked(given[ARGUMENT]) if ARGUMENT in given else None
