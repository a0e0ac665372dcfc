"""Scripts that cannot fail: generate them with any model against an API of yours, and run them. See docs/slua.md.

api = slua.Api.load("game.slua-api")
script = slua.generate(api, "effect", "a slow poison", model)
host = api.bind({"g_game": game, "Actor": Actor})
host.load(script)
"""

from ..parser.languages.slua.api import ApiError
from .library import Api, Host, Problem, Script, ScriptError, between, generate, prompt, start
from .rehearsal import HostCall, Rehearsal
from .runner import BindingError, Budget, HostError, OutOfBudget, Result

__all__ = [
    "Api", "ApiError", "BindingError", "Budget", "Host", "HostCall", "HostError", "OutOfBudget", "Problem",
    "Rehearsal", "Result", "Script", "ScriptError", "between", "generate", "prompt", "start",
]  # fmt: skip
