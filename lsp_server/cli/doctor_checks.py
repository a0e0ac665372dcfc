"""Checks of this machine: each gives a finding with its remedy."""

from __future__ import annotations

import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import UserError

if TYPE_CHECKING:
    from ...model import Model
    from ..settings.spec import GrammarSetting, Settings

Level = Literal["ok", "warning", "error"]

_SLOW_MS = 600  # of a test completion: by then the user has typed on
_TOO_SLOW_MS = 1500  # nobody waits so long
_SAMPLE = "def area(width, height):\n    return \n\n\nprint(area(2, 3))\n"


@dataclass(frozen=True)
class Finding:
    """The result of a check."""

    check: str
    level: Level
    found: str
    advice: str = ""


def examine(model: str | None, device: str, offline: bool, settings: Settings, folder: Path) -> Iterator[Finding]:
    """Check everything a suggestion needs in a workspace; yield each finding as soon as it is there."""
    yield Finding("suture", "ok", f"{version('suture')} in {Path(__file__).parents[2]}")
    yield _python()
    for check in (_torch, _llama_cpp, _memory, _cache_folder, _grammar, _checked):
        yield _guarded(check)
    yield _guarded(lambda: recommended_model(model))
    yield _guarded(lambda: _workspace(folder))
    yield _guarded(lambda: _type_checkers(settings.type_server or ""))
    for grammar in settings.grammars:
        yield _own_grammar(grammar)
    yield from _model(model, device, offline, settings)


def _guarded(check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except Exception as error:  # a failed check is a finding too
        name = check.__name__.strip("_").replace("_", " ")
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        return Finding(name, "error", reason, "install Suture again, in a fresh environment")


def _python() -> Finding:
    facts = f"{platform.python_version()} ({sys.executable}), {platform.system()} {platform.machine()}"
    return Finding("python", "ok", facts)


def _torch() -> Finding:
    from ...model.loading import installed
    from ...model.loading.hardware import machine

    if not installed.has("torch"):
        facts = "not installed; safetensors models of the hub, GPUs and training need it"
        return Finding("torch", "ok", facts, f"if you want them, {installed.missing('torch')}")
    here = machine()
    if here.gpu is not None:
        return Finding("torch", "ok", f"{here.torch}, on {here.gpu}")
    facts = f"{here.torch}, on the CPU with {here.threads} threads"
    if here.nvidia_driver:
        return Finding("torch", "warning", facts, "there is an NVIDIA driver: a torch built for CUDA would use the GPU")
    return Finding("torch", "ok", facts)


def _llama_cpp() -> Finding:
    from ...model.loading import installed

    if installed.has("gguf"):
        return Finding("llama.cpp", "ok", f"by xllamacpp {version('xllamacpp')}")
    return Finding("llama.cpp", "warning", "not installed; GGUF models need it", installed.missing("gguf"))


def _memory() -> Finding:
    from ...model.loading.memory import free, in_words

    room = free("cpu")
    if room is None:
        return Finding("memory", "ok", "unknown on this system")
    if room < 700_000_000:
        return Finding("memory", "warning", f"{in_words(room)} free", "close other programs: Suture needs about 250 MB")
    return Finding("memory", "ok", f"{in_words(room)} free")


def recommended_model(active: str | None) -> Finding:
    """The model for this machine, with the commands to get it where the embedded one is in use."""
    from ...model.loading.info import is_embedded
    from ...model.loading.recommend import recommend

    suited = recommend()
    return Finding("suited", "ok", suited.in_words(), ", then ".join(suited.steps()) if is_embedded(active) else "")


def _cache_folder() -> Finding:
    from ...common.kept_files import make_private
    from ...parser.grammar.cache import cache_folder

    folder = cache_folder()
    try:
        make_private(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        advice = "everything works without it, but starts slower; make the folder writable"
        return Finding("cache folder", "warning", f"{folder} cannot be written: {error.strerror}", advice)
    files = list(folder.glob("*.json"))
    return Finding("cache folder", "ok", f"{folder}: {len(files)} compiled grammars")


def _grammar() -> Finding:
    from ...parser import language
    from ...parser.languages.registry import BUILT_IN

    ready: list[str] = []
    for name, built_in in BUILT_IN.items():
        sample, start = built_in.sample, time.perf_counter()
        if sample is None:
            continue
        state = language(name).hole(sample.left, sample.right).state
        took_ms = (time.perf_counter() - start) * 1000
        if state is None or state.advance(sample.text) is None:
            raise UserError(f"the grammar of {name} does not take {sample.text!r}")
        ready.append(f"{name} in {took_ms:.0f} ms")
    return Finding("grammars", "ok", f"ready: {', '.join(ready)}")


def _checked() -> Finding:
    """The languages checked here by tree-sitter, and the command to install the others."""
    from ...model.loading.installed import command_for
    from ...parser import checked_names, grammar_packages, guarantee, language

    names = tuple(dict.fromkeys(checked_names().values()))
    here = [name for name in names if guarantee(name) == "checked"]
    for name in here:
        language(name).runtime()  # is its grammar one for this version of tree-sitter?
    missing = [name for name in names if name not in here]
    packages = dict.fromkeys(package for name in missing for package in grammar_packages(name))
    advice = f"for {', '.join(missing)}: {command_for(*packages)}" if missing else ""
    facts = f"{', '.join(here) or 'no language'}, with a larger model than the embedded one"
    return Finding("tree-sitter", "ok", f"checks {facts}", advice)


def _own_grammar(grammar: GrammarSetting) -> Finding:
    """A grammar file of the user's."""
    from ...parser import GrammarError, load_language
    from ...parser.grammar.isolated import CompileLimits

    name, path = f"grammar {grammar.name}", Path(grammar.path).expanduser()
    try:
        own = load_language(grammar.name, path, grammar.start, grammar.patterns, CompileLimits())
    except GrammarError as error:
        return Finding(name, "error", str(error), "docs/languages.md says which grammars work")
    return Finding(name, "warning" if own.notes else "ok", "; ".join(own.notes) or str(path))


def _workspace(folder: Path) -> Finding:
    """The faults of files that configure completion around the current folder; faulty ones are ignored."""
    from ...parser.languages.registry import BUILT_IN
    from ..settings.effective import Configuration, Folder

    around = [
        problem
        for built_in in BUILT_IN.values()
        if built_in.versions is not None
        for problem in built_in.versions.problems(folder)
    ]
    wrong = list(dict.fromkeys([*around, *Configuration(None, [Folder(folder.as_uri(), folder)]).whole().messages]))
    if not wrong:
        return Finding("workspace", "ok", f"{folder}: its files can be read")
    return Finding("workspace", "warning", "; ".join(wrong[:5]), "correct or remove them")


def _type_checkers(chosen: str) -> Finding:
    """The type checkers outside of workspaces, and whether the user's choice is one of them."""
    from ...parser.language import type_server
    from ...parser.languages.registry import BUILT_IN
    from ..types.monitor import is_of, program_of

    servers = {server.program: server for server in map(type_server, BUILT_IN) if server is not None}
    programs = {name: program_of(server, None, chosen) for name, server in servers.items()}
    facts = ", ".join(filter(None, programs.values())) or "none outside of workspaces"
    if chosen and not any(is_of(server, chosen) for server in servers.values()):
        return Finding("types", "warning", f"{chosen} is not asked", f"set type_server to one of {', '.join(servers)}")
    missing = [name for name, server in servers.items() if is_of(server, chosen) and programs[name] is None]
    if missing:
        return Finding("types", "warning", f"{chosen} cannot be run", "correct the setting type_server")
    return Finding("types", "ok", facts)


def _model(name: str | None, device: str, offline: bool, settings: Settings) -> Iterator[Finding]:
    from ..completion.engine.keeper import load_model

    start = time.perf_counter()
    try:
        model = load_model(name, device, offline, settings)
    except UserError as problem:
        yield Finding(
            "model", "error", str(problem), "`suture models` lists some; `suture models use embedded` goes back"
        )
        return
    took = time.perf_counter() - start
    facts = f"{model.name}: {model.description}; loaded in {took:.1f} s"
    yield Finding("model", "warning" if model.notice else "ok", facts, model.notice)
    yield Finding("prompt", "ok", _prompt_of(model))
    yield _guarded(lambda: _test_completion(model))
    if model.served is not None:
        if model.served.reading is not None:
            yield Finding("speed", "ok", f"the model {model.served.reading.in_words}")
        yield _guarded(lambda: _prefix_cache(model))
        model.served.close()


def _prompt_of(model: Model) -> str:
    order = {"psm": "prefix first", "spm": "suffix first"}.get(model.template.order, model.template.order)
    line = ", the cursor's line last" if model.line_last else ""
    reading = model.served.reading if model.served is not None else None
    at_once = reading.first if reading is not None else None
    first = ""
    if at_once is not None and at_once < model.context_tokens:
        first = f", {at_once:,} of them at once, the rest in a pause"
    return f"{model.template.name}, {order}{line}; {model.context_tokens:,} tokens of context{first}"


def _prefix_cache(model: Model) -> Finding:
    """Whether the server's prompt cache works: a prompt read before is not read again."""
    dialect = getattr(model.runtime, "dialect", None)
    if dialect is not None:
        for _ in range(2):
            dialect.read(list(model.vocabulary.encode(_SAMPLE)), lambda: False)
    timings = getattr(dialect, "timings", {})
    kept, read = int(timings.get("cache_n", 0)), int(timings.get("prompt_n", 0))
    if not kept and not read:
        return Finding("cache", "ok", "the server does not say how much of a prompt it keeps")
    advice = "" if kept else "start the server with its prompt cache: each key reads the whole prompt again without it"
    return Finding(
        "cache", "ok" if kept else "warning", f"{kept} of {kept + read} tokens of a prompt were kept", advice
    )


def _test_completion(model: Model) -> Finding:
    from ...model import Options
    from ...model.loading.info import is_embedded
    from ...parser import language
    from ..completion.cursor import Cursor
    from ..completion.proposing.shown import Suggestion
    from ..completion.proposing.suggestion import Request, suggest

    session = language("python").session()
    times: list[float] = []
    shown = ""
    # The first reads the whole prompt, the others the text changed by a keystroke.
    for typed in ("", "w", "wi", "wid"):
        offset = _SAMPLE.index("return ") + len("return ")
        text = _SAMPLE[:offset] + typed + _SAMPLE[offset:]
        start = time.perf_counter()
        suggestion = suggest(Cursor.at(text, offset + len(typed)), session, Request(model, Options()))
        times.append((time.perf_counter() - start) * 1000)
        shown = f"return {typed}{suggestion.text}" if isinstance(suggestion, Suggestion) else shown
    after_key_ms = min(times[1:])  # the best of several: other programs may have slowed the others
    facts = f"{shown or 'no text'}   in {times[0]:.0f} ms, after a keystroke {after_key_ms:.0f} ms"
    if after_key_ms > _SLOW_MS:
        too_slow = after_key_ms > _TOO_SLOW_MS
        what = "too slow to type with" if too_slow else "slow to type with"
        if is_embedded(model.name):
            return Finding("test", "warning", facts, f"{what}: other programs keep this machine busy")
        return Finding("test", "error" if too_slow else "warning", facts, f"{what}: {_quicker(model)}")
    return Finding("test", "ok" if shown else "warning", facts, "" if shown else "the model suggested nothing here")


def _quicker(model: Model) -> str:
    """Advice for quicker suggestions of a model."""
    from ...model.loading import cores

    ways = ["use a smaller model (`suture models` shows some) or the embedded one (`suture models use embedded`)"]
    ways.append("let it write and read less (the settings `max_tokens` and `context_tokens`)")
    settings = getattr(getattr(getattr(model.runtime, "dialect", None), "child", None), "settings", None)
    if settings is not None and settings.threads < cores.usable():
        ways.append(f"give it more than {settings.threads} of {cores.usable()} cores (the setting `threads`)")
    return ", ".join(ways)
