"""Explanations in languages parsed by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hole import HoleState, State
from .explanation import Explanation, explain
from .hole_grammar import HoleGrammar, hole_grammar
from .rejection import Rejection, why_left_breaks, why_not_complete, why_rejected, why_text_breaks

if TYPE_CHECKING:
    from ..engine_runtime import EngineRuntime


class EngineExplainer:
    """See Explainer; its states are those of the engine."""

    def __init__(self, runtime: EngineRuntime) -> None:
        self._runtime = runtime

    def explain(self, state: HoleState, before: str | None = None) -> Explanation:
        return explain(_own(state), before)

    def why_rejected(self, state: HoleState, middle: str, before: str | None = None) -> Rejection | None:
        return why_rejected(_own(state), middle, before)

    def why_not_complete(self, state: HoleState, before: str | None = None) -> Rejection | None:
        return why_not_complete(_own(state), before)

    def why_text_breaks(self, state: HoleState, text: str, before: str | None = None) -> Rejection | None:
        return why_text_breaks(_own(state), text, before)

    def why_left_breaks(self, before: str) -> Rejection | None:
        return why_left_breaks(self._runtime, before)

    def counted(self, state: HoleState) -> int:
        return _own(state).context.right.length

    def grammar(self, state: HoleState, before: str) -> HoleGrammar | None:
        source = self._runtime.grammar
        if source is None or source.indentation is not None:  # the Earley reference knows no columns
            return None
        return hole_grammar(source, _own(state), before)


def _own(state: HoleState) -> State:
    assert isinstance(state, State), "an explainer is asked about states of its own language"
    return state
