"""The internals of the engine's languages, for white-box tests: sLua, for one, has a runtime and states of its own."""

from suture.parser import Language
from suture.parser.engine_runtime import EngineRuntime
from suture.parser.hole import HoleState, State
from suture.parser.language_runtime import Session
from suture.parser.session import EngineSession


def runtime_of(language: Language) -> EngineRuntime:
    """The engine of a language, with the products of its grammar."""
    runtime = language.runtime()
    assert isinstance(runtime, EngineRuntime)
    return runtime


def state_of(state: HoleState | None) -> State:
    """A hole's existing state, with its prefix and its context."""
    assert isinstance(state, State)
    return state


def session_of(session: Session) -> EngineSession:
    """A session, with its memory between edits."""
    assert isinstance(session, EngineSession)
    return session
