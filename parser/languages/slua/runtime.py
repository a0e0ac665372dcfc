"""The state shared by the sessions of scripts."""

from __future__ import annotations

from collections.abc import Iterator

from ...glr import gc_policy
from ...scoped.stack import Interner
from .api import Api
from .state import PrefixState, beginning
from .workspace import Surroundings

_AT_ONCE = 1_000
"""Stacks taken apart in one step."""


class ScriptRuntime:
    """The APIs of scripts, and the scripts read against each; see LanguageRuntime."""

    def __init__(self) -> None:
        self.surroundings = Surroundings()
        self._starts: dict[int, tuple[Api, PrefixState]] = {}

    def start(self, api: Api) -> PrefixState:
        """The state before a script of an API; raises ApiError where no script exists."""
        kept = self._starts.get(id(api))
        if kept is None:
            kept = self._starts[id(api)] = api, beginning(api)  # the API is kept, so that its number stays its own
        return kept[1]

    @property
    def size(self) -> int:
        """Stacks, and states between characters."""
        return sum(len(interner) + interner.states for interner in self._interners())

    def _interners(self) -> list[Interner]:
        return [start.stack.interner for _, start in self._starts.values() if start.stack is not None]

    def release_incrementally(self) -> Iterator[None]:
        """Undo the cycles of the memos, a little at each step; those in use stay right."""
        starts, interners = [start for _, start in self._starts.values()], self._interners()
        self._starts = {}
        yield from gc_policy.release_incrementally(starts)
        for interner in interners:
            for count, stack in enumerate(interner.forget()):
                stack.forget()
                if count % _AT_ONCE == 0:
                    yield
