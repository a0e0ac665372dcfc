"""The library: an API file, scripts checked against it, and a host to run them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Self

from ..model import Model, Options, complete
from ..parser.languages.slua import api as declarations
from ..parser.languages.slua.check import Problem, check
from ..parser.languages.slua.hole import ScriptHoleState, hole_between
from ..parser.languages.slua.parse import parse
from ..parser.languages.slua.right import RightContext
from ..parser.languages.slua.state import PrefixState, beginning
from ..parser.languages.slua.syntax import Script as Tree
from ..parser.languages.slua.to_lua import to_lua
from ..parser.languages.slua.whole import ScriptState
from ..parser.languages.slua.workspace import Surroundings, registered_by
from .runner import Budget, Result, Runner


class ScriptError(ValueError):
    """A text is no script of the API; `problem` says where and why."""

    def __init__(self, problem: Problem, text: str) -> None:
        line, column = problem.place(text)
        super().__init__(f"{line}:{column}: {problem.message}")
        self.problem = problem


@dataclass(frozen=True)
class Script:
    """A checked script: its text, and its translation to Lua 5.4."""

    text: str
    tree: Tree
    lua: str

    @property
    def kind(self) -> str:
        """The script's kind, one of the API's."""
        return self.tree.kind


class Api:
    """A program's API for scripts. An immutable value: `with_script` gives another."""

    def __init__(self, declared: declarations.Api) -> None:
        self.declared = declared

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read an API file; raises ApiError with the file and line, and OSError."""
        return cls(declarations.Api.load(path))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an API; raises ApiError."""
        return cls(declarations.Api.parse(text))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of scripts."""
        return tuple(self.declared.kinds)

    def prompt(self) -> str:
        """The API's description for a model, with the records of scripts."""
        return self.declared.prompt()

    def beginning(self, kind: str | None = None, *, comments: bool = True) -> PrefixState:
        """The state before a script of a kind, by default of any."""
        return beginning(self.declared, () if kind is None else (kind,), comments=comments)

    def check(self, text: str, kind: str | None = None) -> Problem | None:
        """Why a text is no script of a kind, by default of any; None for a script."""
        return check(text, self.declared, () if kind is None else (kind,))

    def script(self, text: str, kind: str | None = None) -> Script:
        """A script from its text; raises ScriptError, with the place and the reason."""
        problem = self.check(text, kind)
        if problem is not None:
            raise ScriptError(problem, text)
        tree = parse(text, self.declared, () if kind is None else (kind,))
        return Script(text, tree, to_lua(tree))

    def with_script(self, script: Script) -> Api:
        """The API extended by a script's record, for later scripts to name."""
        return Api(registered_by(script.tree, self.declared))

    def with_folder(self, folder: str | PathLike[str], without: Collection[str] = ()) -> Api:
        """The API extended by the records of a folder's scripts, in any order; without those with some file names, and without texts that are
        no scripts of this API."""
        return Api(Surroundings().with_folder(self.declared, folder, without))

    def bind(self, implementations: Mapping[str, Any], budget: Budget = Budget()) -> Host:  # noqa: B008
        """A host to run scripts; see Runner. Raises BindingError with the missing parts."""
        return Host(self, implementations, budget)


Example = tuple[str, str]
"""(a request, its script)."""


def generate(
    api: Api,
    kind: str,
    request: str,
    model: Model,
    *,
    examples: Sequence[Example] = (),
    options: Options = Options(max_tokens=600),  # noqa: B008
) -> Script:
    """A script of a kind, written by a model. It is always correct against the API, whatever the model.

    `request`, the examples and the API's text go into the prompt. A script unfinished after `options.max_tokens` is finished by the shortest
    text. Raises ModelError where the model fails.
    """
    written = complete(
        model, start(api, kind), prompt(api, kind, request, examples), "", replace(options, end_soon=False)
    )
    return api.script(written.text, kind)


def start(api: Api, kind: str | None = None) -> ScriptState:
    """The state before a script, without comments: `advance(text)` gives the next, or None where no script starts like this."""
    return ScriptState(api.beginning(kind, comments=False))


def between(api: Api, left: str, right: str, kind: str | None = None) -> ScriptHoleState | None:
    """The state of the hole between two parts of a script, for `suture.model.complete`; None where no script begins with the left part, or no
    text was found to connect the two.

    Where the state says `complete`, left + text + right is a script.
    """
    prefix = api.beginning(kind).advance(left)
    return None if prefix is None else hole_between(prefix, RightContext(right))


def prompt(api: Api, kind: str, request: str, examples: Sequence[Example] = ()) -> str:
    """The model's prompt for a script: the API and the requests as comments, the examples verbatim."""
    parts = ["-- A script in sLua, a typed Lua. Every statement ends in a semicolon. It uses only this API:"]
    parts += ["-- " + line if line else "--" for line in api.prompt().splitlines()]
    for asked, text in examples:
        parts += ["", *_comment(asked), text.strip()]
    return "\n".join([*parts, "", *_comment(f"{kind}: {request}"), ""])


def _comment(text: str) -> list[str]:
    return ["-- " + line for line in text.splitlines()]


class Host:
    """A program's side of running scripts; for one thread."""

    def __init__(self, api: Api, implementations: Mapping[str, Any], budget: Budget) -> None:
        self.api = api
        self.runner = Runner(api.declared, implementations, budget)

    def load(self, script: Script, name: str = "script") -> Result:
        """Run a script once, to register its record (`Result.registered`), and let later scripts name it."""
        result = self.runner.load(script.lua, name, script.tree.interface)
        if result.outcome == "done":
            self.api = self.api.with_script(script)
            self.runner.extend(self.api.declared)
        return result

    def run(self, function: Any, *arguments: Any) -> Result:
        """Call a function of a script, such as a field of its record, within a budget of its own."""
        return self.runner.run(function, *arguments)
