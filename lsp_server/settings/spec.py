"""The user's choices: each setting once, with its default, its values and its meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from ...common.json_types import is_array, is_object
from ...common.values import DEVICE, SWITCH, Kind, is_text, number, one_of, text, whole

MAX_ENTRIES = 500  # of a list or table; each pattern costs every request some microseconds
MAX_ENTRY_CHARS = 500
MAX_GRAMMARS = 50
_NAMED = 3  # unknown settings named in a message
_MISSPELT = 0.8  # the likeness to a setting that makes a variable a misspelt one: there are other variables, such as SUTURE_TOKEN


@dataclass(frozen=True)
class GrammarSetting:
    """A language of the user's own, with its Lark grammar."""

    name: str
    path: str
    start: str = "start"
    patterns: tuple[str, ...] = ()  # of file names


@dataclass(frozen=True)
class Settings:
    """The settings for the files of one folder."""

    enable: bool = True
    languages: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    disabled_globs: tuple[str, ...] = ()
    in_comments: bool = True
    in_strings: bool = True
    context_files: bool = True
    copying: bool = True
    names: bool = True
    attributes: bool = True
    types: bool = True
    type_server: str | None = None
    ahead: bool = True
    statistics: bool = True
    certainty: float | None = None
    max_lines: int | None = None
    max_tokens: int | None = None
    temperature: float = 0.0
    python_version: str | None = None
    model: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    threads: int | None = None
    context_tokens: int | None = None
    tokenizer: str | None = None
    model_key_env: str | None = None
    model_ca: str | None = None
    model_plain_http: bool = False
    offline: bool = True
    idle_minutes: float = 30.0
    streaming: bool = False
    grammars: tuple[GrammarSetting, ...] = ()

    def wants(self, language: str) -> bool:
        """Whether suggestions are on for a language."""
        return self.enable and self.languages.get(language, True)

    def version(self, language: str) -> str | None:
        """The chosen version of a language, as in `python_version`."""
        return getattr(self, f"{language}_version", None)


@dataclass(frozen=True)
class Spec:
    """The parsing and description of one setting."""

    kind: Kind
    meaning: str
    from_text: Callable[[str], Any] | None = None  # for environment variables; None: not available there
    # Chooses code or files to load or run, so an untrusted workspace has no say in it.
    trusted_only: bool = False
    # Chooses the destination of code, its secret, or the records kept of the user: no workspace has a say in it, trusted or not.
    user_only: bool = False
    # The effective value from the user's and a workspace's: a workspace makes its user's choice stricter, never laxer.
    tighten: Callable[[Any, Any], Any] | None = None
    whole_server: bool = False  # one for all folders
    shape: Callable[[Any], Any] = lambda value: value  # from the accepted value to the one in `Settings`


def _is_texts(value: object) -> bool:
    return (
        is_array(value)
        and len(value) <= MAX_ENTRIES
        and all(is_text(text) and len(text) <= MAX_ENTRY_CHARS for text in value)
    )


def _is_switches(value: object) -> bool:
    return (
        is_object(value)
        and len(value) <= MAX_ENTRIES
        and all(is_text(key) and isinstance(on, bool) for key, on in value.items())
    )


def _is_grammars(value: object) -> bool:
    return (
        is_array(value)
        and len(value) <= MAX_GRAMMARS
        and all(
            is_object(grammar)
            and is_text(grammar.get("name"))
            and is_text(grammar.get("path"))
            and is_text(grammar.get("start", "start"))
            and _is_texts(grammar.get("patterns", []))
            and not set(grammar) - {"name", "path", "start", "patterns"}
            for grammar in value
        )
    )


def _grammars(value: Any) -> tuple[GrammarSetting, ...]:
    return tuple(
        GrammarSetting(
            grammar["name"], grammar["path"], grammar.get("start", "start"), tuple(grammar.get("patterns", ()))
        )
        for grammar in value
    )


_WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def _switch_from(text: str) -> Any:
    return _WORDS.get(text.strip().lower(), text)


def _number_from(text: str) -> Any:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            pass
    return text


def _list_from(text: str) -> Any:
    return [part.strip() for part in text.split(",") if part.strip()]


def _switches_from(text: str) -> Any:
    pairs = [part.partition("=") for part in _list_from(text)]
    return {name.strip(): _switch_from(value) for name, _, value in pairs}


def _both(of_user: bool, of_workspace: bool) -> bool:
    return of_user and of_workspace


def _either(of_user: bool, of_workspace: bool) -> bool:
    return of_user or of_workspace


def _united(of_user: tuple[str, ...], of_workspace: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*of_user, *of_workspace)))


def _off_in_either(of_user: Mapping[str, bool], of_workspace: Mapping[str, bool]) -> Mapping[str, bool]:
    names = (*of_user, *of_workspace)
    return MappingProxyType({name: of_user.get(name, True) and of_workspace.get(name, True) for name in names})


def _switch(meaning: str, tighten: Callable[[Any, Any], Any] = _both, **more: Any) -> Spec:
    return Spec(SWITCH, meaning, _switch_from, tighten=tighten, **more)


def _whole(least: int, most: int, meaning: str, **more: Any) -> Spec:
    return Spec(whole(least, most), meaning, _number_from, **more)


def _text(words: str, meaning: str, **more: Any) -> Spec:
    return Spec(text(words), meaning, str, **more)


def _pattern(words: str, pattern: str, meaning: str, **more: Any) -> Spec:
    def holds(value: object) -> bool:
        return isinstance(value, str) and re.fullmatch(pattern, value) is not None

    return Spec(Kind(words, holds), meaning, str, **more)


_LOADING: dict[str, Any] = {"trusted_only": True, "whole_server": True}

SPECS: dict[str, Spec] = {
    "enable": _switch("Suggest at all."),
    "languages": Spec(
        Kind('true or false for names of languages, such as {"json": false}', _is_switches),
        "Turn single languages on or off. One with an exact engine is on; one that tree-sitter checks is on with a larger model than the embedded one; for any other, true lets the model write unchecked.",
        _switches_from,
        tighten=_off_in_either,
        shape=lambda value: MappingProxyType(dict(value)),
    ),
    "disabled_globs": Spec(
        Kind(f'a list of at most {MAX_ENTRIES} patterns such as "**/generated/**"', _is_texts),
        "Files that get no suggestions, as patterns like those of .gitignore.",
        _list_from,
        tighten=_united,
        shape=tuple,
    ),
    "in_comments": _switch("Suggest in comments."),
    "in_strings": _switch("Suggest in strings."),
    "context_files": _switch("Put excerpts of other open files of the same language into the prompt."),
    "copying": _switch(
        "Let the embedded model copy from the open file and use its statistics of common code; without this, it is weaker."
    ),
    "attributes": _switch(
        "With `names`, in Python: refuse attributes, arguments of calls and imports that are known to be wrong."
    ),
    "types": _switch(
        "With `attributes`, ask the type checker of a trusted workspace (`ty` for Python, `tsgo` for TypeScript, `gopls` for Go, where they are installed) which members and named arguments there are."
    ),
    "type_server": _text(
        "a program, as text",
        "The type checker to ask in its language, by its path or name. Unset: that of the workspace, beside Suture, or on the PATH.",
        user_only=True,
    ),
    "names": _switch(
        "In Python, Go, TypeScript and JavaScript, suggest only names that exist; without this, a suggestion need only compile."
    ),
    "ahead": _switch(
        "While a suggestion is shown, prepare the one after it; let a model of yours read on and, in a pause where a body begins, write what you may ask for. Costs processor time."
    ),
    "statistics": _switch(
        "Count how suggestions fare, for `suture stats`. The counts stay on this machine.",
        user_only=True,
        whole_server=True,
    ),
    "certainty": Spec(
        number(0, 1),
        "While you type, show nothing that you will accept with less than this probability; 0 shows everything. Unset: 0.5, or 0 for a model that is not known.",
        _number_from,
        shape=float,
    ),
    "max_lines": _whole(
        1, 100, "Most line breaks in a suggestion of several lines. Unset: 6, and 24 where you ask for a suggestion."
    ),
    "max_tokens": _whole(1, 1024, "Most tokens in a suggestion. Unset: 64, and 256 where you ask for it."),
    "temperature": Spec(
        number(0, 2), "0 takes the most probable text; higher values vary it.", _number_from, shape=float
    ),
    "python_version": _pattern(
        'a version such as "3.11"',
        r"3\.\d{1,2}",
        "The Python version that files must be valid for. Unset: what the workspace's files say.",
    ),
    "model": _text(
        "a folder, a file, a name or an address, as text",
        "The model: a folder, a GGUF file, a short name, a name on the hub, or a server such as http://127.0.0.1:8000/v1#name. Unset: the embedded one.",
        trusted_only=True,
        whole_server=True,
    ),
    "device": Spec(DEVICE, "Where the model runs: auto, cpu, cuda or mps.", str, trusted_only=True, whole_server=True),
    "dtype": Spec(
        one_of("auto", "float32", "bfloat16", "float16"),
        "The number type of a model in safetensors; auto takes the fastest for the device.",
        str,
        trusted_only=True,
        whole_server=True,
    ),
    "threads": _whole(1, 256, "Cores for a model on the CPU. Unset: all that Suture may use, up to 8.", **_LOADING),
    "context_tokens": _whole(
        64, 131_072, "Tokens around the cursor that the model reads. Unset: as many as it can read in time.", **_LOADING
    ),
    "tokenizer": _text(
        "a folder or file, as text",
        "For a server that does not report its vocabulary: the folder of its model's tokenizer.json.",
        user_only=True,
        whole_server=True,
    ),
    "model_key_env": _pattern(
        "the name of an environment variable",
        r"[A-Za-z_][A-Za-z0-9_]*",
        "The environment variable that holds the server's key; the key itself cannot be a setting.",
        user_only=True,
        whole_server=True,
    ),
    "model_ca": _text(
        "a file, as text",
        "A file of CA certificates to trust for the server, besides the system's.",
        user_only=True,
        whole_server=True,
    ),
    "model_plain_http": _switch(
        "Allow sending code to a server on another machine without encryption.", user_only=True, whole_server=True
    ),
    "offline": _switch(
        "Never download the model that `model` names; `suture models pull` still does.",
        _either,
        trusted_only=True,
        whole_server=True,
    ),
    "idle_minutes": Spec(
        number(0, 100_000, words="a number of minutes, 0 for never"),
        "Free the model's memory after this many minutes without a request; 0: never.",
        _number_from,
        whole_server=True,
        shape=float,
    ),
    "streaming": _switch(
        "Send suggestions in pieces as they are generated, to clients that support it.", whole_server=True
    ),
    "grammars": Spec(
        Kind('a list of objects with "name" and "path", and perhaps "start" and "patterns"', _is_grammars),
        "Languages of your own: Lark grammar files, each with a name and file name patterns.",
        trusted_only=True,
        whole_server=True,
        shape=_grammars,
    ),
}

_CLIENTS_OWN = frozenset(
    (
        *("path", "interpreter", "import_strategy", "args", "show_notifications", "log_level", "trace"),
        *("torch", "torch_index"),
        *("status_notification", "workspace_trusted", "replace_closers", "snippets", "imports", "model_offer"),
    )
)
"""Keys used by editors themselves under the same name, or sent once at the start."""

assert SPECS.keys() == {field.name for field in fields(Settings)}


def snake_case(key: str) -> str:
    """A setting's name from the editors' spelling: maxTokens is max_tokens."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: "_" + match[0].lower(), key)


def read_layer(given: Any, what: str) -> tuple[dict[str, Any], list[str]]:
    """Read a layer's settings, keys in camelCase or snake_case; return the valid ones, and the faults of the others.

    `what` names the layer in the messages.
    """
    if given is None:
        return {}, []
    if not is_object(given):
        return {}, [f"{what} must be a table of settings; nothing of it is used"]
    chosen: dict[str, Any] = {}
    messages: list[str] = []
    unknown: list[str] = []
    for key, value in given.items():
        name = snake_case(str(key))
        if name in _CLIENTS_OWN:
            continue
        if name not in SPECS:
            unknown.append(str(key))
        elif value is not None and value != "":  # editors send null, or an empty text, for an unset setting
            spec = SPECS[name]
            if spec.kind.holds(value):
                chosen[name] = spec.shape(value)
            else:
                messages.append(f"{what}: {key} must be {spec.kind.words}; it is ignored")
    if unknown:
        messages.insert(0, _unknown(what, unknown))
    return chosen, messages


def _unknown(what: str, keys: Sequence[str]) -> str:
    """One message for all unknown settings."""
    named = ", ".join(repr(key if len(key) <= 60 else f"{key[:60]}...") for key in keys[:_NAMED])
    if len(keys) == 1:
        meant = _alike(snake_case(keys[0]))
        asked = f" (do you mean {meant}?)" if meant else ""
        return f"{what}: there is no setting {named}{asked}; it is ignored"
    more = f" and {len(keys) - _NAMED:,} more" if len(keys) > _NAMED else ""
    return f"{what}: there are no settings {named}{more}; they are ignored"


def _alike(name: str, likeness: float = 0.6) -> str | None:
    """The setting that an unknown name may have meant."""
    import difflib

    return next(iter(difflib.get_close_matches(name, SPECS, n=1, cutoff=likeness)), None)


def read_environment(environment: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Read SUTURE_MAX_TOKENS and the like; other variables are ignored, and one that is nearly a setting's is a fault."""
    given: dict[str, Any] = {}
    for variable, value in environment.items():
        name = variable.removeprefix("SUTURE_").lower()
        if variable != f"SUTURE_{name.upper()}" or not value.strip():
            continue
        if name not in SPECS:
            if _alike(name, _MISSPELT):
                given[name] = value
        elif (read := SPECS[name].from_text) is not None:
            given[name] = read(value)
    return read_layer(given, "environment (SUTURE_...)")
