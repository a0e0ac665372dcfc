"""The library: an API file, scripts checked against it, and a host that runs them."""

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
    """A text that is no script of the API; `problem` says where and why."""

    def __init__(self, problem: Problem, text: str) -> None:
        line, column = problem.place(text)
        super().__init__(f"{line}:{column}: {problem.message}")
        self.problem = problem


@dataclass(frozen=True)
class Script:
    """A script that was checked: its text, and the same in Lua 5.4."""

    text: str
    tree: Tree
    lua: str

    @property
    def kind(self) -> str:
        """The kind of script that it is, as the API names it."""
        return self.tree.kind


class Api:
    """The API that a program offers to scripts. A value: `with_script` gives another."""

    def __init__(self, declared: declarations.Api) -> None:
        self.declared = declared

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read an API file; raises ApiError, which names the file and line, and OSError."""
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
        """The API as a model is told about it, with the records of scripts."""
        return self.declared.prompt()

    def beginning(self, kind: str | None = None, *, comments: bool = True) -> PrefixState:
        """The state before a script of a kind, by default of any."""
        return beginning(self.declared, () if kind is None else (kind,), comments=comments)

    def check(self, text: str, kind: str | None = None) -> Problem | None:
        """Why a text is no script of a kind, by default of any; None where it is one."""
        return check(text, self.declared, () if kind is None else (kind,))

    def script(self, text: str, kind: str | None = None) -> Script:
        """A script from its text; raises ScriptError, which says where and why it is none."""
        problem = self.check(text, kind)
        if problem is not None:
            raise ScriptError(problem, text)
        tree = parse(text, self.declared, () if kind is None else (kind,))
        return Script(text, tree, to_lua(tree))

    def with_script(self, script: Script) -> Api:
        """The API in which later scripts can name a script's records."""
        return Api(registered_by(script.tree, self.declared))

    def with_folder(self, folder: str | PathLike[str], without: Collection[str] = ()) -> Api:
        """The API in which the records of a folder's scripts can be named, in any order; those with some file names, and
        those that are no scripts of this API, do not count."""
        return Api(Surroundings().with_folder(self.declared, folder, without))

    def bind(self, implementations: Mapping[str, Any], budget: Budget = Budget()) -> Host:  # noqa: B008
        """A host that runs scripts; see Runner. Raises BindingError, which names the missing parts."""
        return Host(self, implementations, budget)


Example = tuple[str, str]
"""(a request, the script that answers it)."""


def generate(
    api: Api,
    kind: str,
    request: str,
    model: Model,
    *,
    examples: Sequence[Example] = (),
    options: Options = Options(max_tokens=600),  # noqa: B008
) -> Script:
    """A script of a kind that a model writes. It is always correct against the API, whatever the model.

    `request` and the examples go into the prompt, as does the API's text. Where `options.max_tokens` are spent before the script
    is finished, the shortest text finishes it. Raises ModelError where the model fails.
    """
    written = complete(
        model, start(api, kind), prompt(api, kind, request, examples), "", replace(options, end_soon=False)
    )
    return api.script(written.text, kind)


def start(api: Api, kind: str | None = None) -> ScriptState:
    """The state before a script, without comments: `advance(text)` gives the next, None where no script starts like this."""
    return ScriptState(api.beginning(kind, comments=False))


def between(api: Api, left: str, right: str, kind: str | None = None) -> ScriptHoleState | None:
    """The state of the hole between two parts of a script, for `suture.model.complete`; None where the left part is the beginning of
    no script, or nothing was found that connects the two.

    Where the state says `complete`, left + text + right is a script.
    """
    prefix = api.beginning(kind).advance(left)
    return None if prefix is None else hole_between(prefix, RightContext(right))


def prompt(api: Api, kind: str, request: str, examples: Sequence[Example] = ()) -> str:
    """The text that a model reads before it writes a script: the API and the requests as comments, the examples as they are."""
    parts = ["-- A script in sLua, a typed Lua. Every statement ends in a semicolon. It uses only this API:"]
    parts += ["-- " + line if line else "--" for line in api.prompt().splitlines()]
    for asked, text in examples:
        parts += ["", *_comment(asked), text.strip()]
    return "\n".join([*parts, "", *_comment(f"{kind}: {request}"), ""])


def _comment(text: str) -> list[str]:
    return ["-- " + line for line in text.splitlines()]


class Host:
    """A program that runs scripts; for one thread."""

    def __init__(self, api: Api, implementations: Mapping[str, Any], budget: Budget) -> None:
        self.api = api
        self.runner = Runner(api.declared, implementations, budget)

    def load(self, script: Script, name: str = "script") -> Result:
        """Run a script once, which registers its record (`Result.registered`), and let later scripts name it."""
        result = self.runner.load(script.lua, name, script.tree.interface)
        if result.outcome == "done":
            self.api = self.api.with_script(script)
            self.runner.extend(self.api.declared)
        return result

    def run(self, function: Any, *arguments: Any) -> Result:
        """Call a function of a script, such as a field of its record, within a budget of its own."""
        return self.runner.run(function, *arguments)
